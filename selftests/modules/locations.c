// SPDX-License-Identifier: GPL-2.0
/*
 * Compares what ftrace_location() says of each function of the kernel with the
 * call site that the function has. A call site belongs to a function if it is
 * within the first instructions and kallsyms knows no other function that begins
 * in between.
 *
 * As none of this is exported, whoever loads the module tells the addresses.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/string.h>

static unsigned long ftrace_location_addr;
module_param_named(ftrace_location, ftrace_location_addr, ulong, 0444);
MODULE_PARM_DESC(ftrace_location, "Address of the function");

static unsigned long ftrace_location_range_addr;
module_param_named(ftrace_location_range, ftrace_location_range_addr, ulong, 0444);
MODULE_PARM_DESC(ftrace_location_range, "Address of the function");

static unsigned long on_each_symbol_addr;
module_param_named(kallsyms_on_each_symbol, on_each_symbol_addr, ulong, 0444);
MODULE_PARM_DESC(kallsyms_on_each_symbol, "Address of the function");

static unsigned long (*location)(unsigned long ip);
static unsigned long (*range)(unsigned long start, unsigned long end);
static int (*on_each_symbol)(int (*fn)(void *data, const char *name,
				       struct module *mod, unsigned long addr),
			     void *data);

static unsigned int sites;
module_param(sites, uint, 0444);
MODULE_PARM_DESC(sites, "Functions that have a call site");

static unsigned int wrong;
module_param(wrong, uint, 0444);
MODULE_PARM_DESC(wrong, "Functions of which ftrace_location() says something else");

/* Where call sites can be: behind a landing pad, or what sets up a TOC */
#define MAX_OFFSET	8

static unsigned long symbol_of(unsigned long addr)
{
	static char text[KSYM_SYMBOL_LEN];
	char *offset;

	sprint_symbol(text, addr);
	offset = strrchr(text, '+');

	return offset ? addr - simple_strtoul(offset + 1, NULL, 16) : 0;
}

static int look_at(void *data, const char *name, struct module *mod,
		   unsigned long func)
{
	unsigned long want = 0, got, ip;

	for (ip = func; ip <= func + MAX_OFFSET && !want; ip += 4) {
		if (range(ip, ip) == ip && symbol_of(ip) == func)
			want = ip;
	}
	got = location(func);
	sites += !!want;
	if (got == want)
		return 0;
	if (wrong++ < 10)
		pr_info("%s: ftrace_location() is %pS, want %pS\n", name,
			(void *)got, (void *)want);

	return 0;
}

static int __init ftrace_locations_init(void)
{
	location = (void *)ftrace_location_addr;
	range = (void *)ftrace_location_range_addr;
	on_each_symbol = (void *)on_each_symbol_addr;
	if (!location || !range || !on_each_symbol)
		return -EINVAL;

	return on_each_symbol(look_at, NULL);
}

static void __exit ftrace_locations_exit(void)
{
}

module_init(ftrace_locations_init);
module_exit(ftrace_locations_exit);

MODULE_DESCRIPTION("Compare ftrace_location() with call sites");
MODULE_LICENSE("GPL");
