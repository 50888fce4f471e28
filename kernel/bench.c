// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark of the ways ftrace calls a tracer.
 *
 * What is measured: the time of a loop which does nothing but call
 * ftrace_bench_tracee(), add up what it returns and count, divided by the
 * number of calls. Time runs from the read of the clock's counter that ends
 * the first ktime_get_raw_fast_ns() in bench_batch() to the read in the second
 * one. Interrupts are off in between. So a number holds the loop, the call,
 * the tracee's own instructions, the entry code and the callbacks; nothing is
 * subtracted. The case "untraced" is the same loop with a NOP at the call site
 * and is measured first in every run; "overhead" is the difference of medians.
 *
 * What the numbers are not: under QEMU with -icount shift=0 a nanosecond of
 * the guest is one guest instruction, so they count instructions. They say
 * nothing about caches, branch prediction or the time a processor takes. On
 * hardware, or without icount, they are nanoseconds of that machine, and under
 * emulation without icount they mean nothing. The callbacks only count, so
 * they are a lower bound for any real tracer.
 *
 * Every row proves itself: each callback counts how often it ran, which must
 * be exactly once per call; the sum of the return values shows that no
 * argument got lost; and the path is decoded from the instructions of the call
 * site, before and after, and must be the one the case is about.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/ctype.h>
#include <linux/debugfs.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/utsname.h>

#include "bench.h"

#define CLOCK_NAME	"ktime_get_raw_fast_ns"
#define MAX_LOOPS	100000000
#define MAX_NRUNS	1000
/* The second argument of every call, so that losing it shows in the sum. */
#define ADDEND		3

static char *cases = "all";
module_param(cases, charp, 0444);
MODULE_PARM_DESC(cases, "What run_on_load runs: case names or all (default)");

static unsigned int loops = 10000;
module_param(loops, uint, 0444);
MODULE_PARM_DESC(loops, "Calls of the tracee per run (default 10000)");

static unsigned int nruns = 5;
module_param(nruns, uint, 0444);
MODULE_PARM_DESC(nruns, "Runs per case (default 5)");

static unsigned int batch = 10000;
module_param(batch, uint, 0444);
MODULE_PARM_DESC(batch, "Calls with interrupts off at a time (default 10000)");

static bool run_on_load;
module_param(run_on_load, bool, 0444);
MODULE_PARM_DESC(run_on_load, "Run the cases when the module is loaded");

enum bench_direct {
	DIRECT_NONE,
	DIRECT_NEAR,
	DIRECT_FAR,
};

/**
 * struct bench_case - what to attach for one row
 * @name: as written to the file "run"
 * @desc: one line for the file "cases"
 * @ops: number of ordinary ops on the tracee
 * @irrelevant: number of ops on a function that is never called
 * @regs: the ordinary ops ask for all registers
 * @direct: the direct call on the tracee
 */
struct bench_case {
	const char *name;
	const char *desc;
	unsigned int ops;
	unsigned int irrelevant;
	bool regs;
	enum bench_direct direct;
};

static const struct bench_case bench_cases[] = {
	{ .name = "untraced", .desc = "no tracer: a NOP at the call site" },
	{ .name = "ops1", .desc = "1 ops", .ops = 1 },
	{ .name = "ops1-irr1", .desc = "1 ops, 1 irrelevant ops elsewhere",
	  .ops = 1, .irrelevant = 1 },
	{ .name = "ops1-irr10", .desc = "1 ops, 10 irrelevant ops elsewhere",
	  .ops = 1, .irrelevant = 10 },
	{ .name = "ops1-irr100", .desc = "1 ops, 100 irrelevant ops elsewhere",
	  .ops = 1, .irrelevant = 100 },
	{ .name = "ops2", .desc = "2 ops", .ops = 2 },
	{ .name = "ops10", .desc = "10 ops", .ops = 10 },
	{ .name = "ops2-irr100", .desc = "2 ops, 100 irrelevant ops elsewhere",
	  .ops = 2, .irrelevant = 100 },
	{ .name = "regs1", .desc = "1 ops that asks for all registers",
	  .ops = 1, .regs = true },
	{ .name = "direct-near", .desc = "direct call in branch range",
	  .direct = DIRECT_NEAR },
	{ .name = "direct-far",
	  .desc = "direct call out of branch range (needs ftrace_bench_far)",
	  .direct = DIRECT_FAR },
	{ .name = "direct-late", .desc = "direct call and 1 ops",
	  .ops = 1, .direct = DIRECT_NEAR },
};

enum bench_status {
	BENCH_OK,
	BENCH_UNSUPPORTED,
	BENCH_FAILED,
};

static const char * const bench_status_names[] = {
	[BENCH_OK]		= "ok",
	[BENCH_UNSUPPORTED]	= "unsupported",
	[BENCH_FAILED]		= "failed",
};

/**
 * struct bench_row - the result of one case
 * @list: in bench_rows, the cases in their order and external rows after them
 * @name: name of the case, or as user space gave it
 * @bc: the case; NULL for a row of the file "external"
 * @status: whether the numbers count
 * @measured: there are numbers
 * @has_overhead: there was a good untraced row to compare with
 * @min: least of the runs, in thousandths of a nanosecond per call
 * @median: median of the runs, likewise
 * @max: greatest of the runs, likewise
 * @overhead: @median minus that of the untraced row, likewise
 * @calls: calls of the tracee in all runs, without the warm-up
 * @hits: least count of any callback that had to run
 * @expected_hits: what every such callback must have counted
 * @path: how the call site reached the callbacks
 * @reason: why @status is not BENCH_OK
 */
struct bench_row {
	struct list_head list;
	char name[32];
	const struct bench_case *bc;
	enum bench_status status;
	bool measured;
	bool has_overhead;
	u64 min;
	u64 median;
	u64 max;
	s64 overhead;
	u64 calls;
	u64 hits;
	u64 expected_hits;
	char path[64];
	char reason[160];
};

/**
 * struct bench_ops - an ops that counts
 * @ops: what ftrace knows
 * @hits: how often it was called
 */
struct bench_ops {
	struct ftrace_ops ops;
	u64 hits;
};

/**
 * struct bench_attached - all that one case has attached
 * @ops: ordinary ops, the ones on the tracee first
 * @nr_ops: number of @ops
 * @nr_registered: the first so many of them are registered
 * @direct: the ops of the direct call
 * @tramp: the trampoline of the direct call, NULL if there is none
 * @direct_registered: @direct is registered
 */
struct bench_attached {
	struct bench_ops *ops;
	unsigned int nr_ops;
	unsigned int nr_registered;
	struct ftrace_ops direct;
	const struct ftrace_bench_tramp *tramp;
	bool direct_registered;
};

/* Held over a whole run; protects everything below that is not a row. */
static DEFINE_MUTEX(bench_run_lock);
/* Protects the rows, so that they can be read during a run. */
static DEFINE_MUTEX(bench_row_lock);
static LIST_HEAD(bench_rows);
static atomic64_t bench_calls = ATOMIC64_INIT(0);
static u64 *bench_samples;
static char bench_symbol[KSYM_SYMBOL_LEN];
static struct dentry *bench_dir;

#ifdef CONFIG_ARM64
u64 ftrace_bench_near_hits;

static const struct ftrace_bench_tramp bench_near = {
	.addr = (unsigned long)ftrace_bench_near_tramp,
	.hits = &ftrace_bench_near_hits,
};
#endif

/*
 * Later kernels gave the calls that take an ops the names which belong to
 * those that take one function in 6.1. The module has to build there as well,
 * to compare with them.
 */
#ifdef BENCH_HAVE_DIRECT_MULTI
#define register_direct(ops, addr)	register_ftrace_direct_multi(ops, addr)
#define unregister_direct(ops, addr)	unregister_ftrace_direct_multi(ops, addr)
#else
#define register_direct(ops, addr)	register_ftrace_direct(ops, addr)
#define unregister_direct(ops, addr)	unregister_ftrace_direct(ops, addr, false)
#endif

/* The whole work of a tracer here. No flags: nothing has to assist it. */
static notrace void bench_callback(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *op,
				   struct ftrace_regs *fregs)
{
	container_of(op, struct bench_ops, ops)->hits++;
}

/*
 * The measured loop. An interrupt would add its instructions to those of some
 * calls, so none is let in.
 */
static noinline notrace u64 bench_batch(unsigned int calls, u32 *sum)
{
	unsigned long flags;
	unsigned int i;
	u64 start, ns;
	u32 total = 0;

	local_irq_save(flags);
	start = ktime_get_raw_fast_ns();
	for (i = 0; i < calls; i++)
		total += ftrace_bench_tracee(i, ADDEND);
	ns = ktime_get_raw_fast_ns() - start;
	local_irq_restore(flags);

	*sum = total;
	return ns;
}

/* One run of @loops calls. Returns false if the tracee returned nonsense. */
static bool bench_run_loops(u64 *ns)
{
	unsigned int left, calls;
	bool good = true;
	u32 sum;

	*ns = 0;
	for (left = loops; left; left -= calls) {
		calls = min(left, batch);
		*ns += bench_batch(calls, &sum);
		atomic64_add(calls, &bench_calls);
		if (sum != (u32)((u64)calls * (calls - 1) / 2 + calls * ADDEND))
			good = false;
		/* Without this, unregistering anywhere waits for the end. */
		cond_resched_tasks_rcu_qs();
	}
	return good;
}

static int cmp_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static void bench_set_failed(struct bench_row *row, const char *fmt, ...)
	__printf(2, 3);
static void bench_set_failed(struct bench_row *row, const char *fmt, ...)
{
	va_list args;

	/* The first failure is the one that explains the others. */
	if (row->status == BENCH_FAILED)
		return;
	row->status = BENCH_FAILED;
	va_start(args, fmt);
	vscnprintf(row->reason, sizeof(row->reason), fmt, args);
	va_end(args);
}

static void bench_set_unsupported(struct bench_row *row, const char *fmt, ...)
	__printf(2, 3);
static void bench_set_unsupported(struct bench_row *row, const char *fmt, ...)
{
	va_list args;

	row->status = BENCH_UNSUPPORTED;
	va_start(args, fmt);
	vscnprintf(row->reason, sizeof(row->reason), fmt, args);
	va_end(args);
}

static u64 *bench_direct_hits(const struct bench_attached *at)
{
	return at->tramp ? at->tramp->hits : NULL;
}

/* Warm up, set the counters to zero, and do all runs on one CPU. */
static void bench_measure(struct bench_row *row, const struct bench_attached *at)
{
	unsigned int run, i;
	bool good;
	u64 ns;

	migrate_disable();

	good = bench_run_loops(&ns);
	for (i = 0; i < at->nr_ops; i++)
		at->ops[i].hits = 0;
	if (bench_direct_hits(at))
		*bench_direct_hits(at) = 0;

	for (run = 0; run < nruns; run++) {
		good &= bench_run_loops(&ns);
		bench_samples[run] = div_u64(ns * 1000, loops);
	}

	migrate_enable();

	if (!good)
		bench_set_failed(row, "the tracee returned a wrong value");

	sort(bench_samples, nruns, sizeof(*bench_samples), cmp_u64, NULL);
	row->min = bench_samples[0];
	row->median = div_u64(bench_samples[(nruns - 1) / 2] +
			      bench_samples[nruns / 2], 2);
	row->max = bench_samples[nruns - 1];
	row->calls = (u64)loops * nruns;
	row->measured = true;
}

/* Compare every counter with what it must be after bench_measure(). */
static void bench_check_hits(struct bench_row *row,
			     const struct bench_attached *at)
{
	const struct bench_case *bc = row->bc;
	u64 least = U64_MAX, hits;
	unsigned int i;

	row->expected_hits = bc->ops || bc->direct ? row->calls : 0;

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
	row->hits = least == U64_MAX ? 0 : least;
}

/* Is this the start of a symbol of that name? */
static bool bench_is_symbol(unsigned long addr, const char *name)
{
	size_t len = strlen(name);

	sprint_symbol(bench_symbol, addr);
	return !strncmp(bench_symbol, name, len) &&
	       !strncmp(bench_symbol + len, "+0x0/", 5);
}

/* The list function has two names, of which kallsyms gives either. */
static bool bench_is_list_func(unsigned long addr)
{
	return bench_is_symbol(addr, "ftrace_ops_list_func") ||
	       bench_is_symbol(addr, "arch_ftrace_ops_list_func");
}

/* What the literal of the call site makes the entry code do. */
static void bench_literal_path(char *path, size_t size, const char *regs,
			       const struct ftrace_ops *literal, bool direct)
{
	struct ftrace_ops ops;

	/* No literal: the entry code calls whatever is set for everybody. */
	if (!literal) {
		snprintf(path, size, "%slist", regs);
		return;
	}
	/* The ops of another tracer can go away at any time. */
	if (copy_from_kernel_nofault(&ops, literal, sizeof(ops))) {
		snprintf(path, size, "unknown:%#lx", (unsigned long)literal);
		return;
	}
	if (bench_is_list_func((unsigned long)ops.func)) {
		if (direct)
			strscpy(path, "direct-late", size);
		else
			snprintf(path, size, "%slist", regs);
		return;
	}
	if (ops.flags & FTRACE_OPS_FL_DIRECT)
		strscpy(path, "direct-far", size);
	else
		snprintf(path, size, "%scall_ops", regs);
}

/**
 * bench_path - say how the call site reaches the callbacks
 * @path: the answer
 * @size: size of @path
 * @tramp: the direct trampoline that was registered, 0 for none
 * @foreign: others may have registered direct trampolines
 */
static void bench_path(char *path, size_t size, unsigned long tramp,
		       bool foreign)
{
	struct ftrace_bench_site site;

	switch (ftrace_bench_read_site((unsigned long)ftrace_bench_tracee,
				       &site)) {
	case 0:
		break;
	case -EOPNOTSUPP:
		strscpy(path, "unknown", size);
		return;
	default:
		/* A kprobe on the first instruction, for one. */
		strscpy(path, "unknown:instruction", size);
		return;
	}
	if (!site.target) {
		strscpy(path, "none", size);
		return;
	}
	if (bench_is_symbol(site.target, "ftrace_caller")) {
		bench_literal_path(path, size, "", site.ops, tramp);
	} else if (bench_is_symbol(site.target, "ftrace_regs_caller")) {
		bench_literal_path(path, size, "regs+", site.ops, tramp);
	} else if (foreign || site.target == tramp) {
		strscpy(path, "direct-near", size);
	} else {
		sprint_symbol_no_offset(bench_symbol, site.target);
		snprintf(path, size, "unknown:%s", bench_symbol);
	}
}

/* The path which makes the row what its name says. */
static const char *bench_expected_path(const struct bench_case *bc)
{
	bool call_ops = IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS);

	if (bc->direct)
		return bc->ops ? "direct-late" :
		       bc->direct == DIRECT_FAR ? "direct-far" : "direct-near";
	if (!bc->ops)
		return "none";
	if (bc->ops > 1)
		call_ops = false;
	if (bc->regs)
		return call_ops ? "regs+call_ops" : "regs+list";
	return call_ops ? "call_ops" : "list";
}

/* There is nothing to compare where call sites cannot be decoded. */
static bool bench_path_is(const char *path, const char *expected)
{
	return !strcmp(path, expected) || !strcmp(path, "unknown");
}

static void bench_check_path(struct bench_row *row,
			     const struct bench_attached *at)
{
	const char *expected = bench_expected_path(row->bc);

	bench_path(row->path, sizeof(row->path),
		   at->tramp ? at->tramp->addr : 0, false);
	if (!bench_path_is(row->path, expected))
		bench_set_failed(row, "the path is %s, expected %s", row->path,
				 expected);
}

/* Nobody else may trace the tracee, and we no longer after detaching. */
static bool bench_check_untraced(struct bench_row *row, const char *when)
{
	char path[sizeof(row->path)];

	bench_path(path, sizeof(path), 0, false);
	if (bench_path_is(path, "none"))
		return true;
	bench_set_failed(row, "the tracee is traced %s, by path %s", when,
			 path);
	return false;
}

/* Find the trampoline of a direct case; on failure the row says why not. */
static bool bench_get_tramp(struct bench_row *row, struct bench_attached *at)
{
#ifdef CONFIG_ARM64
	struct ftrace_bench_site site;
	long distance;

	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS)) {
		bench_set_unsupported(row,
				      "kernel without DYNAMIC_FTRACE_WITH_DIRECT_CALLS");
		return false;
	}
	if (ftrace_bench_read_site((unsigned long)ftrace_bench_tracee, &site)) {
		bench_set_failed(row, "cannot decode the call site");
		return false;
	}
	if (row->bc->direct == DIRECT_NEAR) {
		at->tramp = &bench_near;
		return true;
	}
	at->tramp = symbol_get(ftrace_bench_far);
	if (!at->tramp) {
		bench_set_unsupported(row, "ftrace_bench_far is not loaded");
		return false;
	}
	distance = at->tramp->addr - site.ip;
	if (ftrace_bench_in_range(site.ip, at->tramp->addr)) {
		bench_set_unsupported(row,
				      "the far trampoline is in branch range, %ld bytes away",
				      distance);
		symbol_put(ftrace_bench_far);
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
#ifdef CONFIG_ARM64
	if (at->tramp && row->bc->direct == DIRECT_FAR)
		symbol_put(ftrace_bench_far);
#endif
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
		ops = &at->ops[i].ops;
		ops->func = bench_callback;
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

static void bench_run_attached(struct bench_row *row, struct bench_attached *at)
{
	int err;

	if (row->bc->direct) {
		err = bench_attach_direct(at);
		if (err) {
			bench_set_failed(row,
					 "cannot register the direct call: %d",
					 err);
			return;
		}
	}
	err = bench_attach_ops(row->bc, at);
	if (err) {
		bench_set_failed(row, "cannot register ops %u: %d",
				 at->nr_registered, err);
		return;
	}
	bench_check_path(row, at);
	bench_measure(row, at);
	bench_check_hits(row, at);
	/* Once more: nobody may have come in between. */
	bench_check_path(row, at);
}

static void bench_run_case(struct bench_row *row)
{
	const struct bench_case *bc = row->bc;
	struct bench_attached *at;

	if (bc->regs && !IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS)) {
		bench_set_unsupported(row,
				      "kernel without DYNAMIC_FTRACE_WITH_REGS");
		return;
	}

	at = kzalloc(sizeof(*at), GFP_KERNEL);
	if (!at) {
		bench_set_failed(row, "out of memory");
		return;
	}
	at->nr_ops = bc->ops + bc->irrelevant;
	at->ops = kcalloc(at->nr_ops, sizeof(*at->ops), GFP_KERNEL);
	if (at->nr_ops && !at->ops) {
		bench_set_failed(row, "out of memory");
		kfree(at);
		return;
	}

	if (bench_check_untraced(row, "before attaching") &&
	    (!bc->direct || bench_get_tramp(row, at))) {
		bench_run_attached(row, at);
		if (!bench_detach(at)) {
			bench_set_failed(row, "cannot unregister");
			return;
		}
		bench_check_untraced(row, "after detaching");
		bench_put_tramp(row, at);
	}
	kfree(at->ops);
	kfree(at);
}

static struct bench_row *bench_find_row(const char *name)
{
	struct bench_row *row;

	lockdep_assert_held(&bench_row_lock);
	list_for_each_entry(row, &bench_rows, list) {
		if (!strcmp(row->name, name))
			return row;
	}
	return NULL;
}

static void bench_delete_row(const char *name)
{
	struct bench_row *row;

	mutex_lock(&bench_row_lock);
	row = bench_find_row(name);
	if (row) {
		list_del(&row->list);
		kfree(row);
	}
	mutex_unlock(&bench_row_lock);
}

/* Before which row does this one go? Cases in order, then the external rows. */
static struct list_head *bench_row_position(const struct bench_row *row)
{
	struct bench_row *other;

	lockdep_assert_held(&bench_row_lock);
	if (row->bc) {
		list_for_each_entry(other, &bench_rows, list) {
			if (!other->bc || other->bc > row->bc)
				return &other->list;
		}
	}
	return &bench_rows;
}

/* Compare with the untraced row and publish. */
static void bench_add_row(struct bench_row *row)
{
	struct bench_row *untraced;

	mutex_lock(&bench_row_lock);
	list_add_tail(&row->list, bench_row_position(row));
	untraced = bench_find_row(bench_cases[0].name);
	if (untraced && untraced->status == BENCH_OK && row->measured) {
		row->overhead = row->median - untraced->median;
		row->has_overhead = true;
	}
	mutex_unlock(&bench_row_lock);
}

static struct bench_row *bench_new_row(const char *name,
				       const struct bench_case *bc)
{
	struct bench_row *row = kzalloc(sizeof(*row), GFP_KERNEL);

	if (row) {
		strscpy(row->name, name, sizeof(row->name));
		row->bc = bc;
	}
	return row;
}

static void bench_log_row(const struct bench_row *row)
{
	if (row->status == BENCH_OK)
		pr_info("%s: ok, path %s\n", row->name, row->path);
	else
		pr_info("%s: %s, %s\n", row->name,
			bench_status_names[row->status], row->reason);
}

/* Run the cases whose bits are set in @mask. */
static int bench_run(unsigned long mask)
{
	struct bench_row *row;
	unsigned int i;

	lockdep_assert_held(&bench_run_lock);
	pr_info("run: loops=%u nruns=%u batch=%u clock=%s\n", loops, nruns,
		batch, CLOCK_NAME);

	/* The first case is what all others are compared with. */
	mask |= BIT(0);
	/* After a signal no row of an older run may pass for one of this. */
	for_each_set_bit(i, &mask, ARRAY_SIZE(bench_cases))
		bench_delete_row(bench_cases[i].name);

	for_each_set_bit(i, &mask, ARRAY_SIZE(bench_cases)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		row = bench_new_row(bench_cases[i].name, &bench_cases[i]);
		if (!row)
			return -ENOMEM;
		bench_run_case(row);
		bench_log_row(row);
		bench_add_row(row);
	}
	return 0;
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

static int bench_parse_case(const char *name, unsigned long *mask)
{
	unsigned int i;

	if (!strcmp(name, "all")) {
		*mask |= GENMASK(ARRAY_SIZE(bench_cases) - 1, 0);
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(bench_cases); i++) {
		if (!strcmp(name, bench_cases[i].name)) {
			*mask |= BIT(i);
			return 0;
		}
	}
	bench_log_valid_cases(name);
	return -EINVAL;
}

/* Case names with commas or white space between them. Destroys @list. */
static int bench_parse_cases(char *list, unsigned long *mask)
{
	char *name;
	int err;

	BUILD_BUG_ON(ARRAY_SIZE(bench_cases) > BITS_PER_LONG);

	*mask = 0;
	while ((name = strsep(&list, ", \t\n"))) {
		if (!*name)
			continue;
		err = bench_parse_case(name, mask);
		if (err)
			return err;
	}
	if (!*mask) {
		bench_log_valid_cases("");
		return -EINVAL;
	}
	return 0;
}

static ssize_t bench_run_write(struct file *file, const char __user *ubuf,
			       size_t count, loff_t *ppos)
{
	unsigned long mask;
	char *buf;
	int err;

	if (count >= PAGE_SIZE)
		return -EINVAL;
	buf = memdup_user_nul(ubuf, count);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	err = bench_parse_cases(buf, &mask);
	kfree(buf);
	if (err)
		return err;

	if (!mutex_trylock(&bench_run_lock))
		return -EBUSY;
	err = bench_run(mask);
	mutex_unlock(&bench_run_lock);
	return err ?: count;
}

static const struct file_operations bench_run_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= bench_run_write,
};

static int bench_run_external(const char *name)
{
	static const struct bench_attached nothing;
	struct bench_row *row;

	lockdep_assert_held(&bench_run_lock);
	row = bench_new_row(name, NULL);
	if (!row)
		return -ENOMEM;
	bench_path(row->path, sizeof(row->path), 0, true);
	bench_measure(row, &nothing);
	bench_log_row(row);
	bench_delete_row(name);
	bench_add_row(row);
	return 0;
}

static int bench_check_external_name(const char *name)
{
	const char *p;
	unsigned int i;

	for (p = name; *p; p++) {
		if (!isalnum(*p) && !strchr("-_.+", *p))
			goto bad;
	}
	if (p == name || p - name >= sizeof_field(struct bench_row, name))
		goto bad;
	/* A row of user space must not pass for one that is checked here. */
	for (i = 0; i < ARRAY_SIZE(bench_cases); i++) {
		if (!strcmp(name, bench_cases[i].name))
			goto bad;
	}
	return 0;
bad:
	pr_err("bad name for an external row: up to %zu of A-Z a-z 0-9 - _ . + and not the name of a case\n",
	       sizeof_field(struct bench_row, name) - 1);
	return -EINVAL;
}

static ssize_t bench_external_write(struct file *file, const char __user *ubuf,
				    size_t count, loff_t *ppos)
{
	char *buf, *name;
	int err;

	if (count >= PAGE_SIZE)
		return -EINVAL;
	buf = memdup_user_nul(ubuf, count);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	name = strim(buf);
	err = bench_check_external_name(name);
	if (err)
		goto out;

	err = -EBUSY;
	if (mutex_trylock(&bench_run_lock)) {
		err = bench_run_external(name);
		mutex_unlock(&bench_run_lock);
	}
out:
	kfree(buf);
	return err ?: count;
}

static const struct file_operations bench_external_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= bench_external_write,
};

static int calls_show(struct seq_file *s, void *unused)
{
	seq_printf(s, "%lld\n", (long long)atomic64_read(&bench_calls));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(calls);

static int cases_show(struct seq_file *s, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bench_cases); i++)
		seq_printf(s, "%-12s %s\n", bench_cases[i].name,
			   bench_cases[i].desc);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cases);

/* "12.345" from 12345. Returns @buf, of 24 bytes or more. */
static const char *bench_milli(char *buf, s64 milli)
{
	u32 rem;
	u64 ns = div_u64_rem(milli < 0 ? -milli : milli, 1000, &rem);

	snprintf(buf, 24, "%s%llu.%03u", milli < 0 ? "-" : "", ns, rem);
	return buf;
}

static unsigned int bench_relevant(const struct bench_case *bc)
{
	return bc->ops + (bc->direct != DIRECT_NONE);
}

/* How far the trampolines are from the call site; false if there is none. */
static bool bench_distance(enum bench_direct direct, long *distance)
{
#ifdef CONFIG_ARM64
	const struct ftrace_bench_tramp *far;
	struct ftrace_bench_site site;

	if (ftrace_bench_read_site((unsigned long)ftrace_bench_tracee, &site))
		return false;
	if (direct == DIRECT_NEAR) {
		*distance = bench_near.addr - site.ip;
		return true;
	}
	far = symbol_get(ftrace_bench_far);
	if (!far)
		return false;
	*distance = far->addr - site.ip;
	symbol_put(ftrace_bench_far);
	return true;
#else
	return false;
#endif
}

static void bench_show_row(struct seq_file *s, const struct bench_row *row)
{
	char min[24], median[24], max[24], overhead[24];

	seq_printf(s, "%-20s ", row->name);
	if (row->bc)
		seq_printf(s, "%8u %10u ", bench_relevant(row->bc),
			   row->bc->irrelevant);
	else
		seq_printf(s, "%8s %10s ", "-", "-");
	if (row->measured)
		seq_printf(s, "%10llu %12s %12s %12s %12s ", row->calls,
			   bench_milli(min, row->min),
			   bench_milli(median, row->median),
			   bench_milli(max, row->max),
			   row->has_overhead ?
			   bench_milli(overhead, row->overhead) : "-");
	else
		seq_printf(s, "%10s %12s %12s %12s %12s ", "-", "-", "-", "-",
			   "-");
	if (row->measured && row->bc)
		seq_printf(s, "%10llu %10llu ", row->hits, row->expected_hits);
	else
		seq_printf(s, "%10s %10s ", "-", "-");
	seq_printf(s, "%-14s %s", row->path[0] ? row->path : "-",
		   bench_status_names[row->status]);
	if (row->status != BENCH_OK)
		seq_printf(s, ": %s", row->reason);
	seq_putc(s, '\n');
}

static int results_show(struct seq_file *s, void *unused)
{
	struct bench_row *row;
	long distance;

	seq_printf(s, "# ftrace_bench on %s %s, nanoseconds per call by %s\n",
		   init_utsname()->release, BENCH_ARCH, CLOCK_NAME);
	seq_printf(s, "# loops=%u nruns=%u batch=%u cases=%s run_on_load=%d\n",
		   loops, nruns, batch, cases, run_on_load);
	if (bench_distance(DIRECT_NEAR, &distance))
		seq_printf(s, "# call site to near trampoline: %ld bytes\n",
			   distance);
	if (bench_distance(DIRECT_FAR, &distance))
		seq_printf(s, "# call site to far trampoline: %ld bytes\n",
			   distance);
	seq_printf(s, "%-20s %8s %10s %10s %12s %12s %12s %12s %10s %10s %-14s %s\n",
		   "case", "relevant", "irrelevant", "calls", "min", "median",
		   "max", "overhead", "hits", "expected", "path", "status");

	mutex_lock(&bench_row_lock);
	list_for_each_entry(row, &bench_rows, list)
		bench_show_row(s, row);
	mutex_unlock(&bench_row_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(results);

static void bench_json_number(struct seq_file *s, const char *key, bool valid,
			      s64 milli)
{
	char buf[24];

	seq_printf(s, ",\"%s\":%s", key,
		   valid ? bench_milli(buf, milli) : "null");
}

static void bench_json_integer(struct seq_file *s, const char *key, bool valid,
			       s64 value)
{
	if (valid)
		seq_printf(s, ",\"%s\":%lld", key, value);
	else
		seq_printf(s, ",\"%s\":null", key);
}

/* No text to come here needs escaping, see bench_check_external_name(). */
static void bench_json_string(struct seq_file *s, const char *key,
			      const char *value)
{
	if (value[0])
		seq_printf(s, ",\"%s\":\"%s\"", key, value);
	else
		seq_printf(s, ",\"%s\":null", key);
}

static void bench_json_row(struct seq_file *s, const struct bench_row *row)
{
	const struct bench_case *bc = row->bc;

	seq_printf(s, "{\"name\":\"%s\"", row->name);
	bench_json_integer(s, "relevant", bc, bc ? bench_relevant(bc) : 0);
	bench_json_integer(s, "irrelevant", bc, bc ? bc->irrelevant : 0);
	bench_json_integer(s, "calls", row->measured, row->calls);
	bench_json_integer(s, "runs", row->measured, nruns);
	bench_json_number(s, "min", row->measured, row->min);
	bench_json_number(s, "median", row->measured, row->median);
	bench_json_number(s, "max", row->measured, row->max);
	bench_json_number(s, "overhead", row->has_overhead, row->overhead);
	bench_json_integer(s, "hits", row->measured && bc, row->hits);
	bench_json_integer(s, "expected_hits", row->measured && bc,
			   row->expected_hits);
	bench_json_string(s, "path", row->path);
	bench_json_string(s, "status", bench_status_names[row->status]);
	bench_json_string(s, "reason", row->reason);
	seq_putc(s, '}');
}

static int results_json_show(struct seq_file *s, void *unused)
{
	const char *separator = "\n";
	struct bench_row *row;
	long distance = 0;
	bool valid;

	seq_puts(s, "{\"schema\":\"ftrace-bench/1\"");
	bench_json_string(s, "kernel", init_utsname()->release);
	bench_json_string(s, "arch", BENCH_ARCH);
	bench_json_string(s, "clock", CLOCK_NAME);
	bench_json_integer(s, "loops", true, loops);
	bench_json_integer(s, "nruns", true, nruns);
	bench_json_integer(s, "batch", true, batch);
	valid = bench_distance(DIRECT_NEAR, &distance);
	bench_json_integer(s, "near_distance", valid, distance);
	valid = bench_distance(DIRECT_FAR, &distance);
	bench_json_integer(s, "far_distance", valid, distance);

	seq_puts(s, ",\"rows\":[");
	mutex_lock(&bench_row_lock);
	list_for_each_entry(row, &bench_rows, list) {
		seq_puts(s, separator);
		bench_json_row(s, row);
		separator = ",\n";
	}
	mutex_unlock(&bench_row_lock);
	seq_puts(s, "\n]}\n");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(results_json);

static void bench_ktap_row(struct seq_file *s, const struct bench_row *row,
			   unsigned int number)
{
	char median[24];

	if (row->measured)
		seq_printf(s, "# %s: %s ns per call, path %s\n", row->name,
			   bench_milli(median, row->median), row->path);
	switch (row->status) {
	case BENCH_OK:
		seq_printf(s, "ok %u %s\n", number, row->name);
		break;
	case BENCH_UNSUPPORTED:
		seq_printf(s, "ok %u %s # SKIP %s\n", number, row->name,
			   row->reason);
		break;
	case BENCH_FAILED:
		seq_printf(s, "# %s: %s\n", row->name, row->reason);
		seq_printf(s, "not ok %u %s\n", number, row->name);
		break;
	}
}

static int results_ktap_show(struct seq_file *s, void *unused)
{
	struct bench_row *row;
	unsigned int number = 0;

	seq_puts(s, "KTAP version 1\n");
	mutex_lock(&bench_row_lock);
	list_for_each_entry(row, &bench_rows, list)
		number++;
	seq_printf(s, "1..%u\n", number);
	number = 0;
	list_for_each_entry(row, &bench_rows, list)
		bench_ktap_row(s, row, ++number);
	mutex_unlock(&bench_row_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(results_ktap);

static int __init bench_check_range(const char *name, unsigned int value,
				    unsigned int max)
{
	if (value >= 1 && value <= max)
		return 0;
	pr_err("bad %s=%u; valid are 1 to %u\n", name, value, max);
	return -EINVAL;
}

static int __init bench_check_params(unsigned long *mask)
{
	char *list;
	int err;

	err = bench_check_range("loops", loops, MAX_LOOPS);
	err = bench_check_range("nruns", nruns, MAX_NRUNS) ?: err;
	err = bench_check_range("batch", batch, MAX_LOOPS) ?: err;
	if (err)
		return err;

	list = kstrdup(cases, GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	err = bench_parse_cases(list, mask);
	kfree(list);
	return err;
}

static void bench_create_files(void)
{
	debugfs_create_file("run", 0200, bench_dir, NULL, &bench_run_fops);
	debugfs_create_file("external", 0200, bench_dir, NULL,
			    &bench_external_fops);
	debugfs_create_file("calls", 0444, bench_dir, NULL, &calls_fops);
	debugfs_create_file("cases", 0444, bench_dir, NULL, &cases_fops);
	debugfs_create_file("results", 0444, bench_dir, NULL, &results_fops);
	debugfs_create_file("results.json", 0444, bench_dir, NULL,
			    &results_json_fops);
	debugfs_create_file("results.ktap", 0444, bench_dir, NULL,
			    &results_ktap_fops);
}

static void bench_free(void)
{
	struct bench_row *row, *next;

	list_for_each_entry_safe(row, next, &bench_rows, list)
		kfree(row);
	kfree(bench_samples);
}

static int __init bench_init(void)
{
	unsigned long mask;
	int err;

	err = bench_check_params(&mask);
	if (err)
		return err;
	bench_samples = kcalloc(nruns, sizeof(*bench_samples), GFP_KERNEL);
	if (!bench_samples)
		return -ENOMEM;
	bench_dir = debugfs_create_dir("ftrace_bench", NULL);
	if (IS_ERR(bench_dir)) {
		bench_free();
		return PTR_ERR(bench_dir);
	}

	/* A row that fails is a result; the module stays to show it. */
	if (run_on_load) {
		mutex_lock(&bench_run_lock);
		err = bench_run(mask);
		mutex_unlock(&bench_run_lock);
		if (err) {
			debugfs_remove(bench_dir);
			bench_free();
			return err;
		}
	}
	bench_create_files();
	return 0;
}

static void __exit bench_exit(void)
{
	debugfs_remove(bench_dir);
	bench_free();
}

module_init(bench_init);
module_exit(bench_exit);

MODULE_DESCRIPTION("Benchmark of the ways ftrace calls a tracer");
MODULE_LICENSE("GPL");
