// SPDX-License-Identifier: GPL-2.0
/*
 * A live patch for the module ftrace_tracees. The functions in here return
 * FTRACE_LIVEPATCH_ADDS more than the ones that they replace.
 */
#include <linux/livepatch.h>
#include <linux/module.h>

#define FTRACE_LIVEPATCH_ADDS	5000

static u64 ftrace_livepatch_u64(long x)
{
	return x + FTRACE_LIVEPATCH_ADDS;
}

static u64 ftrace_livepatch_args9(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f,
				  u64 g, u64 h, u64 i)
{
	return a + b + c + d + e + f + g + h + i + FTRACE_LIVEPATCH_ADDS;
}

static struct klp_func funcs[] = {
	{
		.old_name = "ftrace_typed_u64",
		.new_func = ftrace_livepatch_u64,
	},
	{
		.old_name = "ftrace_typed_args9",
		.new_func = ftrace_livepatch_args9,
	},
	{ }
};

static struct klp_object objs[] = {
	{
		.name = "ftrace_tracees",
		.funcs = funcs,
	},
	{ }
};

static struct klp_patch patch = {
	.mod = THIS_MODULE,
	.objs = objs,
};

static int __init ftrace_livepatch_init(void)
{
	return klp_enable_patch(&patch);
}

/* It can only be unloaded when it is disabled */
static void __exit ftrace_livepatch_exit(void)
{
}

module_init(ftrace_livepatch_init);
module_exit(ftrace_livepatch_exit);

MODULE_DESCRIPTION("A live patch for ftrace_tracees");
MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
