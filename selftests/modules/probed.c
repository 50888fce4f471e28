// SPDX-License-Identifier: GPL-2.0
/*
 * A function to probe, in two modules which take each other's place in memory, as
 * they are of the same size: where ftrace_probed has a call site there is an
 * instruction like any other in ftrace_probed_plain, in the middle of the function.
 * Writing a number to the parameter "call" calls the function that many times.
 */
#include <linux/compiler.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#define NOPS(n)	".rept " #n "\n\tnop\n\t.endr"

/*
 * Kprobe events are for functions with a call site. So there is one in both modules,
 * but at other places: compilers put such an asm in front of all functions.
 */
#ifdef PROBED_PLAIN
#define BODY	NOPS(128)
#else
#define BODY	""
asm(".pushsection .text\n"
"	" NOPS(32) "\n"
"	.popsection");
#endif

static noinline __noclone void ftrace_probed(void)
{
	asm volatile(BODY);
}

static notrace int call_set(const char *val, const struct kernel_param *kp)
{
	unsigned int i, nr;
	int err = kstrtouint(val, 0, &nr);

	for (i = 0; !err && i < nr; i++)
		ftrace_probed();
	return err;
}

static const struct kernel_param_ops call_ops = {
	.set = call_set,
};
module_param_cb(call, &call_ops, NULL, 0200);
MODULE_PARM_DESC(call, "Write a number to call the function that many times");

MODULE_DESCRIPTION("A function to probe that another module replaces");
MODULE_LICENSE("GPL");
