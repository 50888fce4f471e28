// SPDX-License-Identifier: GPL-2.0
/* Paths: how a call site reaches the callbacks, and whether that is the way meant. */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "internal.h"

static char bench_symbol[KSYM_SYMBOL_LEN + 64];

/* Is this the start of a symbol of that name? */
static bool bench_is_symbol(unsigned long addr, const char *name)
{
	size_t len = strlen(name);

	sprint_symbol(bench_symbol, addr);
	return !strncmp(bench_symbol, name, len) &&
	       !strncmp(bench_symbol + len, "+0x0/", 5);
}

static bool bench_has_prefix(unsigned long addr, const char *prefix)
{
	sprint_symbol(bench_symbol, addr);
	return !strncmp(bench_symbol, prefix, strlen(prefix));
}

/* The list function has two names, of which kallsyms gives either. */
static bool bench_is_list_func(unsigned long addr)
{
	return bench_is_symbol(addr, "ftrace_ops_list_func") ||
	       bench_is_symbol(addr, "arch_ftrace_ops_list_func");
}

/*
 * That the list function, or a set, makes the entry code go on to a direct call
 * is not at the call site. It follows: nothing else is there that could call the
 * trampoline, and the counter in it says that it is called.
 */

/* The entry code calls what is set for all call sites. */
static void bench_common_path(char *path, size_t size, const char *regs,
			      const struct ftrace_bench_site *site, bool direct)
{
	if (direct)
		strscpy(path, "direct-late", size);
	else if (site->func && !bench_is_list_func(site->func))
		snprintf(path, size, "%ssingle", regs);
	else
		snprintf(path, size, "%slist", regs);
}

/* What the literal of the call site makes the entry code do. */
static void bench_literal_path(char *path, size_t size, const char *regs,
			       const struct ftrace_bench_site *site, bool direct)
{
	struct ftrace_ops ops;

	/* The ops of another tracer can go away at any time. */
	if (copy_from_kernel_nofault(&ops, site->ops, sizeof(ops))) {
		strscpy(path, "unknown:ops", size);
		return;
	}
	if (bench_is_list_func((unsigned long)ops.func)) {
		if (direct)
			strscpy(path, "direct-late", size);
		else
			snprintf(path, size, "%slist", regs);
		return;
	}
	/* An ops that stands for all those that trace the function. */
	if (bench_is_symbol((unsigned long)ops.func, "ftrace_call_set")) {
		if (direct)
			strscpy(path, "direct-late", size);
		else
			snprintf(path, size, "%sset", regs);
		return;
	}
	if (ops.flags & FTRACE_OPS_FL_DIRECT)
		strscpy(path, "direct-far", size);
	else if (ops.flags & FTRACE_OPS_FL_ALLOC_TRAMP)
		strscpy(path, "trampoline-far", size);
	else
		snprintf(path, size, "%scall_ops", regs);
}

/* The call site branches to something else than the entry code of ftrace. */
static void bench_branch_path(char *path, size_t size,
			      const struct ftrace_bench_site *site,
			      const struct bench_attached *at)
{
	struct ftrace_ops ops;

	/* BPF gives what it attaches a symbol, ftrace's direct calls have none. */
	if (at && at->tramp && site->target == at->tramp->addr) {
		strscpy(path, "direct-near", size);
		return;
	}
	if (bench_has_prefix(site->target, "bpf_trampoline_")) {
		strscpy(path, "direct-near", size);
		return;
	}
	if ((at && bench_first_ops(at) &&
	     site->target == bench_first_ops(at)->trampoline) ||
	    (site->ops &&
	     !copy_from_kernel_nofault(&ops, site->ops, sizeof(ops)) &&
	     ops.trampoline == site->target)) {
		strscpy(path, "trampoline", size);
		return;
	}
	/* Without a symbol there is nothing but an address, which is secret. */
	sprint_symbol_no_offset(bench_symbol, site->target);
	snprintf(path, size, "unknown:%s",
		 strncmp(bench_symbol, "0x", 2) ? bench_symbol : "branch");
}

/* How do calls of the function get to what is attached to it? */
static void bench_function_path(char *path, size_t size, unsigned long function,
				const struct bench_attached *at)
{
	struct ftrace_bench_site site = { };
	const char *regs = NULL;
	bool direct = at && at->tramp;

	switch (ftrace_bench_read_site(function, &site)) {
	case 0:
		break;
	case -EBUSY:
		strscpy(path, "kprobe", size);
		return;
	case -EOPNOTSUPP:
		strscpy(path, "unknown", size);
		return;
	default:
		strscpy(path, "unknown:instruction", size);
		return;
	}
	if (!site.target) {
		strscpy(path, "none", size);
		return;
	}
	if (bench_is_symbol(site.target, "ftrace_caller"))
		regs = "";
	else if (bench_is_symbol(site.target, "ftrace_regs_caller"))
		regs = "regs+";

	if (regs && site.ops)
		bench_literal_path(path, size, regs, &site, direct);
	else if (regs)
		bench_common_path(path, size, regs, &site, direct);
	else
		bench_branch_path(path, size, &site, at);
}

/**
 * bench_path - say how the call site reaches the callbacks
 * @path: the answer
 * @size: size of @path
 * @at: what is attached by the module, NULL if it is not known here
 */
void bench_path(char *path, size_t size, const struct bench_attached *at)
{
	bench_function_path(path, size, (unsigned long)ftrace_bench_tracee, at);
}

/* Did the kernel allocate a trampoline for the first ops, and where? */
enum bench_tramp bench_has_tramp(const struct bench_attached *at)
{
	struct ftrace_bench_site site = { };
	const struct ftrace_ops *ops;

	ops = bench_first_ops(at);
	if (!ops)
		return TRAMP_NONE;
	if (!(ops->flags & FTRACE_OPS_FL_ALLOC_TRAMP) || !ops->trampoline)
		return TRAMP_NONE;
	if (ftrace_bench_read_site((unsigned long)ftrace_bench_tracee, &site) ||
	    ftrace_bench_in_range(site.ip, ops->trampoline))
		return TRAMP_NEAR;
	return TRAMP_FAR;
}

/* The path which makes the row what its name says. */
static const char *bench_expected_path(const struct bench_case *bc,
				       const struct bench_attached *at)
{
	bool call_ops = IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS);
	bool regs = bc->regs;

	if (bench_fprobe_ops(at))
		regs = bench_fprobe_ops(at)->flags & FTRACE_OPS_FL_SAVE_REGS;
	if (bc->direct == DIRECT_NEAR && !bc->ops)
		return "direct-near";
	/* No literal to find a far trampoline by: the list function knows. */
	if (bc->direct)
		return bc->ops || !call_ops ? "direct-late" : "direct-far";
	if (bc->trap)
		return "kprobe";
	if (!bc->ops && !bc->fprobe)
		return "none";
	if (bc->ops > 1)
		return regs ? "regs+list" : "list";
	if (bench_has_tramp(at) == TRAMP_NEAR)
		return "trampoline";
	/* The entry code does not know about it without a literal. */
	if (bench_has_tramp(at) == TRAMP_FAR && call_ops)
		return "trampoline-far";
	if (regs)
		return call_ops ? "regs+call_ops" : "regs+list";
	return call_ops ? "call_ops" : "list";
}

/*
 * There is nothing to compare where call sites cannot be decoded. Not every
 * kernel has sets of ops, and a boot parameter turns them off.
 */
static bool bench_path_is(const char *path, const char *expected)
{
	return !strcmp(path, expected) || !strcmp(path, "unknown") ||
	       (!strcmp(path, "set") && !strcmp(expected, "list")) ||
	       (!strcmp(path, "regs+set") && !strcmp(expected, "regs+list"));
}

void bench_check_path(struct bench_row *row,
			     const struct bench_attached *at)
{
	const char *expected = bench_expected_path(row->bc, at);

	if (row->bc->trap)
		bench_function_path(row->path, sizeof(row->path),
				    (unsigned long)ftrace_bench_trapped, at);
	else
		bench_path(row->path, sizeof(row->path), at);
	if (!bench_path_is(row->path, expected))
		bench_set_failed(row, "the path is %s, expected %s", row->path,
				 expected);
}

/* Nobody else may trace the tracee, and we no longer after detaching. */
bool bench_check_untraced(struct bench_row *row, const char *when)
{
	char path[sizeof(row->path)];

	bench_path(path, sizeof(path), NULL);
	if (bench_path_is(path, "none"))
		return true;
	bench_set_failed(row, "the tracee is traced %s, by path %s", when,
			 path);
	return false;
}

/* The twin is compared with, so nothing may be attached to it. */
bool bench_check_twin(struct bench_row *row)
{
	char path[sizeof(row->path)];

	bench_function_path(path, sizeof(path),
			    (unsigned long)ftrace_bench_twin, NULL);
	if (bench_path_is(path, "none"))
		return true;
	bench_set_failed(row, "the untraced twin is traced, by path %s", path);
	return false;
}

/* How far the trampolines are from the call site; false if there is none. */
bool bench_distance(enum bench_direct direct, long *distance)
{
#ifdef BENCH_HAVE_SITE
	const struct ftrace_bench_tramp *far;
	struct ftrace_bench_site site = { };

	if (ftrace_bench_read_site((unsigned long)ftrace_bench_tracee, &site))
		return false;
	if (direct == DIRECT_NEAR) {
		*distance = bench_near.addr - site.ip;
		return true;
	}
	far = bench_get_far();
	if (!far)
		return false;
	*distance = far->addr - site.ip;
	bench_put_far();
	return true;
#else
	return false;
#endif
}
