// SPDX-License-Identifier: GPL-2.0
/*
 * Functions as external modules may have them: Kbuild asks for -Os, with which GCC
 * before 14 does not align them. Each has an instruction more than the one before, so
 * that wherever the first one is, not all of them are at a multiple of 8. The init
 * function calls them.
 */
#include <linux/module.h>
#include <linux/stringify.h>

#define MISALIGNED(n)							\
noinline int ftrace_misaligned_##n(int x);				\
noinline int ftrace_misaligned_##n(int x)				\
{									\
	asm volatile(".rept " __stringify(n) "\n"			\
		     "	nop\n"						\
		     ".endr\n" : "+r" (x));				\
	return x + (n);							\
}

MISALIGNED(0)
MISALIGNED(1)
MISALIGNED(2)
MISALIGNED(3)

static int __init ftrace_misaligned_init(void)
{
	int x = 0;

	x = ftrace_misaligned_0(x);
	x = ftrace_misaligned_1(x);
	x = ftrace_misaligned_2(x);
	x = ftrace_misaligned_3(x);

	return x == 6 ? 0 : -EINVAL;
}
module_init(ftrace_misaligned_init);

static void __exit ftrace_misaligned_exit(void)
{
}
module_exit(ftrace_misaligned_exit);

MODULE_DESCRIPTION("Functions that are not aligned");
MODULE_LICENSE("GPL");
