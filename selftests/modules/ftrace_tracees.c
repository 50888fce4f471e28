// SPDX-License-Identifier: GPL-2.0
/*
 * A module with many functions to trace, for tests which load and unload it.
 * Writing a number to its parameter "call" calls all of them that many times;
 * reading it gives the number of calls made that returned the right value.
 */
#include <linux/compiler.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#define GEN(h, l)						\
static noinline __noclone int ftrace_tracee_##h##l(int x)	\
{								\
	return x + 8 * (h) + (l);				\
}

#include "gen.h"
#undef GEN

static int (*const tracees[])(int x) = {
#define GEN(h, l)	ftrace_tracee_##h##l,
#include "gen.h"
#undef GEN
};

static unsigned int good_calls;

static int set_call(const char *val, const struct kernel_param *kp)
{
	unsigned int i, times;
	int err;

	err = kstrtouint(val, 0, &times);
	if (err)
		return err;
	while (times--) {
		for (i = 0; i < ARRAY_SIZE(tracees); i++)
			good_calls += tracees[i](times) == times + i;
	}
	return 0;
}

static int get_call(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%u\n", good_calls);
}

static const struct kernel_param_ops call_ops = {
	.set = set_call,
	.get = get_call,
};

module_param_cb(call, &call_ops, NULL, 0644);
MODULE_PARM_DESC(call, "Call all functions so many times");

static int __init ftrace_tracees_init(void)
{
	return 0;
}

static void __exit ftrace_tracees_exit(void)
{
}

module_init(ftrace_tracees_init);
module_exit(ftrace_tracees_exit);

MODULE_DESCRIPTION("Many functions to trace");
MODULE_LICENSE("GPL");
