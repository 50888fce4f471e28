// SPDX-License-Identifier: GPL-2.0
/*
 * A single function that can have a call site, and that is not at a multiple of 8: it
 * is built for size, with which GCC before 14 does not align it, and follows a word in
 * a section of its own. Calls of ftrace_ops by the call site leave it alone then.
 */
#include <linux/module.h>

asm(".pushsection .text.ftrace_none_aligned, \"ax\"\n.balign 8\n.4byte 0\n.popsection\n");

noinline __section(".text.ftrace_none_aligned") int ftrace_none_aligned(int x);
noinline int ftrace_none_aligned(int x)
{
	asm volatile("" : "+r" (x));
	return x + 1;
}

static int __init notrace ftrace_none_aligned_init(void)
{
	return ftrace_none_aligned(1) == 2 ? 0 : -EINVAL;
}
module_init(ftrace_none_aligned_init);

static void __exit notrace ftrace_none_aligned_exit(void)
{
}
module_exit(ftrace_none_aligned_exit);

MODULE_DESCRIPTION("A function that is not aligned, and no others");
MODULE_LICENSE("GPL");
