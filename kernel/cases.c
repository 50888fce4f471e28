// SPDX-License-Identifier: GPL-2.0
/*
 * The cases of the benchmark: what each attaches, and which counters have to have
 * counted what afterwards.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "internal.h"

const struct bench_case bench_cases[] = {
	{ .name = "untraced", .desc = "no tracer: a NOP at the call site" },
	{ .name = "irr100", .desc = "no tracer, 100 irrelevant ops elsewhere",
	  .irrelevant = 100 },
	{ .name = "ops1", .desc = "1 ops", .ops = 1 },
	{ .name = "ops1-irr1", .desc = "1 ops, 1 irrelevant ops elsewhere",
	  .ops = 1, .irrelevant = 1 },
	{ .name = "ops1-irr2", .desc = "1 ops, 2 irrelevant ops elsewhere",
	  .ops = 1, .irrelevant = 2 },
	{ .name = "ops1-irr10", .desc = "1 ops, 10 irrelevant ops elsewhere",
	  .ops = 1, .irrelevant = 10 },
	{ .name = "ops1-irr100", .desc = "1 ops, 100 irrelevant ops elsewhere",
	  .ops = 1, .irrelevant = 100 },
	{ .name = "ops2", .desc = "2 ops", .ops = 2 },
	{ .name = "ops10", .desc = "10 ops", .ops = 10 },
	{ .name = "ops100", .desc = "100 ops", .ops = 100 },
	{ .name = "ops2-irr1", .desc = "2 ops, 1 irrelevant ops elsewhere",
	  .ops = 2, .irrelevant = 1 },
	{ .name = "ops2-irr10", .desc = "2 ops, 10 irrelevant ops elsewhere",
	  .ops = 2, .irrelevant = 10 },
	{ .name = "ops2-irr100", .desc = "2 ops, 100 irrelevant ops elsewhere",
	  .ops = 2, .irrelevant = 100 },
	{ .name = "ops10-irr1", .desc = "10 ops, 1 irrelevant ops elsewhere",
	  .ops = 10, .irrelevant = 1 },
	{ .name = "ops10-irr10", .desc = "10 ops, 10 irrelevant ops elsewhere",
	  .ops = 10, .irrelevant = 10 },
	{ .name = "ops10-irr100", .desc = "10 ops, 100 irrelevant ops elsewhere",
	  .ops = 10, .irrelevant = 100 },
	{ .name = "ops100-irr1", .desc = "100 ops, 1 irrelevant ops elsewhere",
	  .ops = 100, .irrelevant = 1 },
	{ .name = "ops100-irr10", .desc = "100 ops, 10 irrelevant ops elsewhere",
	  .ops = 100, .irrelevant = 10 },
	{ .name = "ops100-irr100", .desc = "100 ops, 100 irrelevant ops elsewhere",
	  .ops = 100, .irrelevant = 100 },
	{ .name = "regs1", .desc = "1 ops that asks for all registers",
	  .ops = 1, .regs = true },
	{ .name = "tramp1", .desc = "1 ops with a trampoline of its own",
	  .ops = 1, .tramp = TRAMP_NEAR },
	{ .name = "tramp1-irr100",
	  .desc = "the same, 100 irrelevant ops elsewhere",
	  .ops = 1, .irrelevant = 100, .tramp = TRAMP_NEAR },
	{ .name = "tramp1-far",
	  .desc = "1 ops with a trampoline out of branch range",
	  .ops = 1, .tramp = TRAMP_FAR },
	{ .name = "direct-near", .desc = "direct call in branch range",
	  .direct = DIRECT_NEAR },
	{ .name = "direct-far",
	  .desc = "direct call out of branch range (needs ftrace_bench_far)",
	  .direct = DIRECT_FAR },
	{ .name = "direct-late", .desc = "direct call and 1 ops",
	  .ops = 1, .direct = DIRECT_NEAR },
	{ .name = "fprobe-entry", .desc = "fprobe with an entry handler",
	  .fprobe = FPROBE_ENTRY },
	{ .name = "fprobe-exit", .desc = "fprobe with an exit handler",
	  .fprobe = FPROBE_EXIT },
	{ .name = "fprobe-both",
	  .desc = "fprobe with an entry and an exit handler",
	  .fprobe = FPROBE_ENTRY | FPROBE_EXIT },
	{ .name = "fprobe-exit-irr100",
	  .desc = "fprobe with an exit handler, 100 irrelevant ops elsewhere",
	  .fprobe = FPROBE_EXIT, .irrelevant = 100 },
	{ .name = "kprobe-trap",
	  .desc = "kprobe on a function without a call site: a breakpoint",
	  .trap = true },
};

const unsigned int bench_nr_cases = ARRAY_SIZE(bench_cases);

#ifdef BENCH_HAVE_SITE
u64 ftrace_bench_near_hits;

const struct ftrace_bench_tramp bench_near = {
	.addr = (unsigned long)ftrace_bench_near_tramp,
	.hits = &ftrace_bench_near_hits,
};
#endif

/* There is a module for it only where a branch has a range to be out of. */
const struct ftrace_bench_tramp *bench_get_far(void)
{
#ifdef BENCH_HAVE_FAR
	return symbol_get(ftrace_bench_far);
#else
	return NULL;
#endif
}

void bench_put_far(void)
{
#ifdef BENCH_HAVE_FAR
	symbol_put(ftrace_bench_far);
#endif
}

/*
 * Later kernels gave the calls that take an ops the names which belong to
 * those that take one function in 6.1. The module has to build there as well,
 * to compare with them.
 */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
#define BENCH_HAVE_DIRECT	1
#else
#define BENCH_HAVE_DIRECT	0
#endif

static int register_direct(struct ftrace_ops *ops, unsigned long addr)
{
#if !BENCH_HAVE_DIRECT
	return -EOPNOTSUPP;
#elif defined(BENCH_HAVE_DIRECT_MULTI)
	return register_ftrace_direct_multi(ops, addr);
#else
	return register_ftrace_direct(ops, addr);
#endif
}

static int unregister_direct(struct ftrace_ops *ops, unsigned long addr)
{
#if !BENCH_HAVE_DIRECT
	return -EOPNOTSUPP;
#elif defined(BENCH_HAVE_DIRECT_MULTI)
	return unregister_ftrace_direct_multi(ops, addr);
#else
	return unregister_ftrace_direct(ops, addr, false);
#endif
}

/* The whole work of a tracer here. No flags: nothing has to assist it. */
notrace void bench_callback(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *op,
				   struct ftrace_regs *fregs)
{
	container_of(op, struct bench_ops, ops)->hits++;
}

#ifdef BENCH_HAVE_FPROBE
static notrace void bench_fprobe_entry(struct fprobe *fp, unsigned long ip,
				       struct pt_regs *regs, void *data)
{
	container_of(fp, struct bench_fprobe, fp)->entries++;
}

static notrace void bench_fprobe_exit(struct fprobe *fp, unsigned long ip,
				      struct pt_regs *regs, void *data)
{
	container_of(fp, struct bench_fprobe, fp)->exits++;
}

static int bench_attach_fprobe(const struct bench_case *bc,
			       struct bench_attached *at)
{
	unsigned long ip = (unsigned long)ftrace_bench_tracee;
	struct fprobe *fp = &at->fprobe.fp;
	int err;

	if (bc->fprobe & FPROBE_ENTRY)
		fp->entry_handler = bench_fprobe_entry;
	if (bc->fprobe & FPROBE_EXIT)
		fp->exit_handler = bench_fprobe_exit;
	err = register_fprobe_ips(fp, &ip, 1);
	at->fprobe_registered = !err;
	return err;
}

static int bench_detach_fprobe(struct bench_attached *at)
{
	return at->fprobe_registered ? unregister_fprobe(&at->fprobe.fp) : 0;
}

const struct ftrace_ops *bench_fprobe_ops(const struct bench_attached *at)
{
	return at->fprobe_registered ? &at->fprobe.fp.ops : NULL;
}

#else
static int bench_attach_fprobe(const struct bench_case *bc,
			       struct bench_attached *at)
{
	return -EOPNOTSUPP;
}

static int bench_detach_fprobe(struct bench_attached *at)
{
	return 0;
}

const struct ftrace_ops *bench_fprobe_ops(const struct bench_attached *at)
{
	return NULL;
}
#endif

static int bench_trap_hit(struct kprobe *kp, struct pt_regs *regs)
{
	container_of(kp, struct bench_trap, kp)->hits++;
	return 0;
}
NOKPROBE_SYMBOL(bench_trap_hit);

static int bench_attach_trap(struct bench_attached *at)
{
	struct kprobe *kp = &at->trap.kp;
	int err;

	kp->addr = (kprobe_opcode_t *)ftrace_bench_trapped;
	kp->pre_handler = bench_trap_hit;
	err = register_kprobe(kp);
	at->trap_registered = !err;
	return err;
}

/* The ops by which the call site may have a trampoline of its own */
const struct ftrace_ops *bench_first_ops(const struct bench_attached *at)
{
	return at->nr_registered && at->ops[0].relevant ? &at->ops[0].ops :
	       bench_fprobe_ops(at);
}

/* Compare every counter with what it must be after bench_measure(). */
static void bench_check_hits(struct bench_row *row,
			     const struct bench_attached *at)
{
	const struct bench_case *bc = row->bc;
	u64 least = U64_MAX, hits;
	unsigned int i;

	row->expected_hits = bc->ops || bc->direct || bc->fprobe || bc->trap ?
			     row->calls : 0;

	for (i = 0; i < bc->ops; i++) {
		hits = at->ops[i].hits;
		least = min(least, hits);
		if (hits != row->expected_hits)
			bench_set_failed(row, "ops %u was called %llu times",
					 i, hits);
	}
	for (; i < at->nr_ops; i++) {
		if (at->ops[i].hits)
			bench_set_failed(row, "an irrelevant ops was called");
	}
	if (bench_direct_hits(at)) {
		hits = *bench_direct_hits(at);
		least = min(least, hits);
		if (hits != row->expected_hits)
			bench_set_failed(row,
					 "the trampoline was called %llu times",
					 hits);
	}
	if (bc->fprobe & FPROBE_ENTRY) {
		hits = at->fprobe.entries;
		least = min(least, hits);
		if (hits != row->expected_hits)
			bench_set_failed(row,
					 "the entry handler was called %llu times",
					 hits);
	}
	if (bc->fprobe & FPROBE_EXIT) {
		hits = at->fprobe.exits;
		least = min(least, hits);
		if (hits != row->expected_hits)
			bench_set_failed(row,
					 "the exit handler was called %llu times",
					 hits);
	}
	if (bc->trap) {
		hits = at->trap.hits;
		least = min(least, hits);
		if (hits != row->expected_hits)
			bench_set_failed(row,
					 "the kprobe was hit %llu times", hits);
	}
	row->hits = least == U64_MAX ? 0 : least;
	row->has_hits = true;
}

/* Find the trampoline of a direct case; on failure the row says why not. */
static bool bench_get_tramp(struct bench_row *row, struct bench_attached *at)
{
#ifdef BENCH_HAVE_SITE
	struct ftrace_bench_site site = { };
	long distance;

	if (!BENCH_HAVE_DIRECT) {
		bench_set_unsupported(row,
				      "kernel without DYNAMIC_FTRACE_WITH_DIRECT_CALLS");
		return false;
	}
	if (ftrace_bench_read_site((unsigned long)ftrace_bench_tracee, &site)) {
		bench_set_failed(row, "cannot decode the call site");
		return false;
	}
	if (row->bc->direct == DIRECT_NEAR) {
		if (!row->bc->ops &&
		    !ftrace_bench_in_range(site.ip, bench_near.addr)) {
			bench_set_unsupported(row,
					      "the call site cannot branch to the near trampoline");
			return false;
		}
		at->tramp = &bench_near;
		return true;
	}
#ifndef BENCH_HAVE_FAR
	bench_set_unsupported(row, "branches reach all of the kernel");
	return false;
#endif
	at->tramp = bench_get_far();
	if (!at->tramp) {
		bench_set_unsupported(row, "ftrace_bench_far is not loaded");
		return false;
	}
	distance = at->tramp->addr - site.ip;
	if (ftrace_bench_in_range(site.ip, at->tramp->addr)) {
		bench_set_unsupported(row,
				      "the far trampoline is in branch range, %ld bytes away",
				      distance);
		bench_put_far();
		at->tramp = NULL;
		return false;
	}
	return true;
#else
	bench_set_unsupported(row, "no trampoline for this architecture");
	return false;
#endif
}

static void bench_put_tramp(const struct bench_row *row,
			    struct bench_attached *at)
{
	if (at->tramp && row->bc->direct == DIRECT_FAR)
		bench_put_far();
	at->tramp = NULL;
}

static int bench_attach_direct(struct bench_attached *at)
{
	int err;

	err = ftrace_set_filter_ip(&at->direct,
				   (unsigned long)ftrace_bench_tracee, 0, 1);
	if (!err)
		err = register_direct(&at->direct, at->tramp->addr);
	at->direct_registered = !err;
	return err;
}

static int bench_attach_ops(const struct bench_case *bc,
			    struct bench_attached *at)
{
	unsigned long ip;
	struct ftrace_ops *ops;
	unsigned int i;
	int err;

	for (i = 0; i < at->nr_ops; i++) {
		if (signal_pending(current))
			return -EINTR;
		ops = &at->ops[i].ops;
		ops->func = bench_callback;
		at->ops[i].relevant = i < bc->ops;
		if (bc->regs && i < bc->ops)
			ops->flags |= FTRACE_OPS_FL_SAVE_REGS;
		ip = i < bc->ops ? (unsigned long)ftrace_bench_tracee :
				   (unsigned long)ftrace_bench_other;
		err = ftrace_set_filter_ip(ops, ip, 0, 1);
		if (!err)
			err = register_ftrace_function(ops);
		if (err)
			return err;
		at->nr_registered++;
	}
	return 0;
}

/*
 * Detach everything, also after a failure half way. What cannot be
 * unregistered, as after a bug in ftrace, may still be called: it must stay,
 * and so must this module. Returns false in that case.
 */
static bool bench_detach(struct bench_attached *at)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < at->nr_registered; i++)
		err = unregister_ftrace_function(&at->ops[i].ops) ?: err;
	if (at->direct_registered)
		err = unregister_direct(&at->direct, at->tramp->addr) ?: err;
	err = bench_detach_fprobe(at) ?: err;
	if (at->trap_registered)
		unregister_kprobe(&at->trap.kp);
	if (err) {
		pr_err("cannot unregister: %d, the module must stay\n", err);
		__module_get(THIS_MODULE);
		return false;
	}
	for (i = 0; i < at->nr_ops; i++)
		ftrace_free_filter(&at->ops[i].ops);
	ftrace_free_filter(&at->direct);
	return true;
}

/* A case about trampolines is one only if the kernel made the right one. */
static bool bench_check_tramp(struct bench_row *row,
			      const struct bench_attached *at)
{
	enum bench_tramp has = bench_has_tramp(at);

	if (row->bc->tramp == TRAMP_NONE || row->bc->tramp == has)
		return true;
	if (has == TRAMP_NONE)
		bench_set_unsupported(row,
				      "the kernel allocates no trampolines (see ftrace.trampolines)");
	else
		bench_set_unsupported(row, "the trampoline is %s branch range",
				      has == TRAMP_FAR ? "out of" : "in");
	return false;
}

/* Returns -EINTR after a signal, other errors are in the row. */
static int bench_run_attached(struct bench_row *row, struct bench_attached *at)
{
	int err;

	if (row->bc->direct) {
		err = bench_attach_direct(at);
		if (err) {
			bench_set_failed(row,
					 "cannot register the direct call: %d",
					 err);
			return 0;
		}
	}
	if (row->bc->fprobe) {
		err = bench_attach_fprobe(row->bc, at);
		if (err == -EOPNOTSUPP) {
			bench_set_unsupported(row, "kernel without FPROBE");
			return 0;
		}
		if (err) {
			bench_set_failed(row, "cannot register the fprobe: %d",
					 err);
			return 0;
		}
	}
	if (row->bc->trap) {
		err = bench_attach_trap(at);
		if (err) {
			bench_set_failed(row, "cannot register the kprobe: %d",
					 err);
			return 0;
		}
	}
	err = bench_attach_ops(row->bc, at);
	if (err == -EINTR)
		return err;
	if (err) {
		bench_set_failed(row, "cannot register ops %u: %d",
				 at->nr_registered, err);
		return 0;
	}
	if (!bench_check_tramp(row, at))
		return 0;
	bench_check_path(row, at);
	err = bench_measure(row, at);
	if (err)
		return err;
	bench_check_hits(row, at);
	/* Once more: nobody may have come in between. */
	bench_check_path(row, at);
	return 0;
}

/* Returns -EINTR after a signal, other errors are in the row. */
int bench_run_case(struct bench_row *row)
{
	const struct bench_case *bc = row->bc;
	struct bench_attached *at;
	int err = 0;

	if (bc->regs && !IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS)) {
		bench_set_unsupported(row,
				      "kernel without DYNAMIC_FTRACE_WITH_REGS");
		return 0;
	}

	if (bc->trap && !IS_ENABLED(CONFIG_KPROBES)) {
		bench_set_unsupported(row, "kernel without KPROBES");
		return 0;
	}
	if (bc->trap && IS_ENABLED(CONFIG_OPTPROBES)) {
		bench_set_unsupported(row, "a kprobe may become a jump");
		return 0;
	}

	at = kzalloc(sizeof(*at), GFP_KERNEL);
	if (!at) {
		bench_set_failed(row, "out of memory");
		return 0;
	}
	at->nr_ops = bc->ops + bc->irrelevant;
	at->ops = kcalloc(at->nr_ops, sizeof(*at->ops), GFP_KERNEL);
	if (at->nr_ops && !at->ops) {
		bench_set_failed(row, "out of memory");
		kfree(at);
		return 0;
	}

	if (bench_check_untraced(row, "before attaching") &&
	    (!bc->direct || bench_get_tramp(row, at))) {
		err = bench_run_attached(row, at);
		if (!bench_detach(at)) {
			bench_set_failed(row, "cannot unregister");
			return err;
		}
		bench_check_untraced(row, "after detaching");
		bench_put_tramp(row, at);
	}
	kfree(at->ops);
	kfree(at);
	return err;
}

static void bench_log_valid_cases(const char *bad)
{
	char *names;
	unsigned int i;

	names = kasprintf(GFP_KERNEL, "all");
	for (i = 0; names && i < ARRAY_SIZE(bench_cases); i++) {
		char *more = kasprintf(GFP_KERNEL, "%s %s", names,
				       bench_cases[i].name);

		kfree(names);
		names = more;
	}
	pr_err("unknown case '%s'; valid are: %s\n", bad, names ?: "?");
	kfree(names);
}

static int bench_parse_case(char *name, unsigned long *masks)
{
	enum bench_context context;
	unsigned int i;

	if (bench_split_name(name, &context))
		return -EINVAL;
	if (!strcmp(name, "all")) {
		masks[context] |= GENMASK(ARRAY_SIZE(bench_cases) - 1, 0);
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(bench_cases); i++) {
		if (!strcmp(name, bench_cases[i].name)) {
			masks[context] |= BIT(i);
			return 0;
		}
	}
	bench_log_valid_cases(name);
	return -EINVAL;
}

/**
 * bench_parse_cases - read which cases to run
 * @list: case or case@context, with commas or white space in between; destroyed
 * @masks: one of cases for each context
 *
 * Return: 0, or -EINVAL, and the log says what would have been right
 */
int bench_parse_cases(char *list, unsigned long *masks)
{
	bool any = false;
	char *name;
	int err;

	BUILD_BUG_ON(ARRAY_SIZE(bench_cases) > BITS_PER_LONG);

	memset(masks, 0, sizeof(*masks) * BENCH_NR_CONTEXTS);
	while ((name = strsep(&list, ", \t\n"))) {
		if (!*name)
			continue;
		err = bench_parse_case(name, masks);
		if (err)
			return err;
		any = true;
	}
	if (!any) {
		bench_log_valid_cases("");
		return -EINVAL;
	}
	return 0;
}
