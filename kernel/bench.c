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
#ifdef BENCH_HAVE_FPROBE
#include <linux/fprobe.h>
#endif
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
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
#include "math.h"

#define CLOCK_NAME	"ktime_get_raw_fast_ns"
#define MAX_LOOPS	100000000
#define MAX_NRUNS	1000
#define MAX_TOGGLE	10000

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

enum bench_tramp {
	TRAMP_NONE,
	TRAMP_NEAR,
	TRAMP_FAR,
};

/* Which handlers of an fprobe there are, and that they need no registers */
#define FPROBE_ENTRY	1
#define FPROBE_EXIT	2
#define FPROBE_NO_REGS	4

/**
 * struct bench_case - what to attach for one row
 * @name: as written to the file "run"
 * @desc: one line for the file "cases"
 * @ops: number of ordinary ops on the tracee
 * @irrelevant: number of ops on a function that is never called
 * @regs: the ordinary ops ask for all registers
 * @direct: the direct call on the tracee
 * @tramp: the kernel has to allocate a trampoline for the ops
 * @fprobe: the fprobe on the tracee, of FPROBE_*
 */
struct bench_case {
	const char *name;
	const char *desc;
	unsigned int ops;
	unsigned int irrelevant;
	bool regs;
	enum bench_direct direct;
	enum bench_tramp tramp;
	unsigned int fprobe;
};

static const struct bench_case bench_cases[] = {
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
	{ .name = "fprobe-noregs",
	  .desc = "fprobe with an entry handler that needs no registers",
	  .fprobe = FPROBE_ENTRY | FPROBE_NO_REGS },
	{ .name = "fprobe-exit", .desc = "fprobe with an exit handler",
	  .fprobe = FPROBE_EXIT },
	{ .name = "fprobe-both",
	  .desc = "fprobe with an entry and an exit handler",
	  .fprobe = FPROBE_ENTRY | FPROBE_EXIT },
	{ .name = "fprobe-exit-irr100",
	  .desc = "fprobe with an exit handler, 100 irrelevant ops elsewhere",
	  .fprobe = FPROBE_EXIT, .irrelevant = 100 },
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

/* What a processor can count besides the time, if it has counters. */
static const struct bench_pmu_event {
	const char *name;
	u64 config;
} bench_pmu_events[] = {
	{ "cycles", PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS },
	{ "branch_misses", PERF_COUNT_HW_BRANCH_MISSES },
};

#define BENCH_NR_PMU	ARRAY_SIZE(bench_pmu_events)

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
 * @pmu: medians of the events of bench_pmu_events, likewise
 * @has_pmu: which of @pmu were counted
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
	u64 pmu[BENCH_NR_PMU];
	bool has_pmu[BENCH_NR_PMU];
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
 * @relevant: it is on the tracee
 */
struct bench_ops {
	struct ftrace_ops ops;
	u64 hits;
	bool relevant;
};

/**
 * struct bench_fprobe - an fprobe that counts
 * @fp: what the kernel knows
 * @entries: how often its entry handler was called
 * @exits: how often its exit handler was called
 */
struct bench_fprobe {
#ifdef BENCH_HAVE_FPROBE
	struct fprobe fp;
#endif
	u64 entries;
	u64 exits;
};

/**
 * struct bench_attached - all that one case has attached
 * @ops: ordinary ops, the ones on the tracee first
 * @nr_ops: number of @ops
 * @nr_registered: the first so many of them are registered
 * @direct: the ops of the direct call
 * @tramp: the trampoline of the direct call, NULL if there is none
 * @direct_registered: @direct is registered
 * @fprobe: the fprobe
 * @fprobe_registered: @fprobe is registered
 */
struct bench_attached {
	struct bench_ops *ops;
	unsigned int nr_ops;
	unsigned int nr_registered;
	struct ftrace_ops direct;
	const struct ftrace_bench_tramp *tramp;
	bool direct_registered;
	struct bench_fprobe fprobe;
	bool fprobe_registered;
};

/* Held over a whole run; protects everything below that is not a row. */
static DEFINE_MUTEX(bench_run_lock);
/* Protects the rows, so that they can be read during a run. */
static DEFINE_MUTEX(bench_row_lock);
static LIST_HEAD(bench_rows);
static atomic64_t bench_calls = ATOMIC64_INIT(0);
/* The time of each run, and the count of each event. */
static u64 *bench_samples;
static u64 *bench_pmu_samples[BENCH_NR_PMU];
/* Why there are no counts of events; 0 if there are some, or not tried. */
static int bench_pmu_error;
static char bench_symbol[KSYM_SYMBOL_LEN + 64];
static struct dentry *bench_dir;

#ifdef BENCH_HAVE_SITE
u64 ftrace_bench_near_hits;

static const struct ftrace_bench_tramp bench_near = {
	.addr = (unsigned long)ftrace_bench_near_tramp,
	.hits = &ftrace_bench_near_hits,
};
#endif

/* There is a module for it only where a branch has a range to be out of. */
static const struct ftrace_bench_tramp *bench_get_far(void)
{
#ifdef BENCH_HAVE_FAR
	return symbol_get(ftrace_bench_far);
#else
	return NULL;
#endif
}

static void bench_put_far(void)
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
static notrace void bench_callback(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *op,
				   struct ftrace_regs *fregs)
{
	container_of(op, struct bench_ops, ops)->hits++;
}

#ifdef BENCH_HAVE_FPROBE
#ifndef FPROBE_FL_NO_REGS
#define FPROBE_FL_NO_REGS	0
#endif

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
	if (bc->fprobe & FPROBE_NO_REGS)
		fp->flags = FPROBE_FL_NO_REGS;
	err = register_fprobe_ips(fp, &ip, 1);
	at->fprobe_registered = !err;
	return err;
}

static int bench_detach_fprobe(struct bench_attached *at)
{
	return at->fprobe_registered ? unregister_fprobe(&at->fprobe.fp) : 0;
}

static const struct ftrace_ops *bench_fprobe_ops(const struct bench_attached *at)
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

static const struct ftrace_ops *bench_fprobe_ops(const struct bench_attached *at)
{
	return NULL;
}
#endif

/* The ops by which the call site may have a trampoline of its own */
static const struct ftrace_ops *bench_first_ops(const struct bench_attached *at)
{
	return at->nr_registered && at->ops[0].relevant ? &at->ops[0].ops :
	       bench_fprobe_ops(at);
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
		total += ftrace_bench_tracee(i, BENCH_ADDEND);
	ns = ktime_get_raw_fast_ns() - start;
	local_irq_restore(flags);

	*sum = total;
	return ns;
}

/*
 * One run of @loops calls. Returns -EINTR after a signal, and -EIO if the
 * tracee returned nonsense.
 */
static int bench_run_loops(u64 *ns)
{
	unsigned int left, calls;
	int err = 0;
	u32 sum;

	*ns = 0;
	for (left = loops; left; left -= calls) {
		if (signal_pending(current))
			return -EINTR;
		calls = min(left, batch);
		*ns += bench_batch(calls, &sum);
		atomic64_add(calls, &bench_calls);
		if (sum != bench_sum(calls))
			err = -EIO;
		/* Without this, unregistering anywhere waits for the end. */
		cond_resched_tasks_rcu_qs();
	}
	return err;
}

#ifdef CONFIG_PERF_EVENTS
static struct perf_event *bench_pmu[BENCH_NR_PMU];

/* Count what this task does in the kernel. Any event may be missing. */
static void bench_pmu_start(void)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_HARDWARE,
		.size		= sizeof(attr),
		.pinned		= 1,
		.exclude_user	= 1,
		.exclude_hv	= 1,
	};
	struct perf_event *event;
	unsigned int i;

	bench_pmu_error = 0;
	for (i = 0; i < BENCH_NR_PMU; i++) {
		attr.config = bench_pmu_events[i].config;
		event = perf_event_create_kernel_counter(&attr, -1, current,
							 NULL, NULL);
		bench_pmu[i] = IS_ERR(event) ? NULL : event;
		if (IS_ERR(event))
			bench_pmu_error = PTR_ERR(event);
	}
}

static void bench_pmu_stop(void)
{
	unsigned int i;

	for (i = 0; i < BENCH_NR_PMU; i++) {
		if (bench_pmu[i])
			perf_event_release_kernel(bench_pmu[i]);
		bench_pmu[i] = NULL;
	}
}

static void bench_pmu_read(u64 *counts)
{
	u64 enabled, running;
	unsigned int i;

	for (i = 0; i < BENCH_NR_PMU; i++) {
		counts[i] = 0;
		if (!bench_pmu[i])
			continue;
		counts[i] = perf_event_read_value(bench_pmu[i], &enabled,
						  &running);
		/* Pinned, but something else has the counter. */
		if (!running) {
			perf_event_release_kernel(bench_pmu[i]);
			bench_pmu[i] = NULL;
			bench_pmu_error = -EBUSY;
		}
	}
}

static bool bench_pmu_counts(unsigned int i)
{
	return bench_pmu[i];
}
#else
static void bench_pmu_start(void)
{
	bench_pmu_error = -EOPNOTSUPP;
}

static void bench_pmu_stop(void) { }

static void bench_pmu_read(u64 *counts) { }

static bool bench_pmu_counts(unsigned int i)
{
	return false;
}
#endif

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

/*
 * Warm up, set the counters to zero, and do all runs on one CPU. Returns
 * -EINTR after a signal.
 */
static int bench_measure(struct bench_row *row, struct bench_attached *at)
{
	struct bench_fprobe *fp = &at->fprobe;
	u64 before[BENCH_NR_PMU] = { }, after[BENCH_NR_PMU] = { };
	unsigned int run, i;
	int err, bad = 0;
	u64 ns;

	bench_pmu_start();
	migrate_disable();

	err = bench_run_loops(&ns);
	for (i = 0; i < at->nr_ops; i++)
		at->ops[i].hits = 0;
	if (bench_direct_hits(at))
		*bench_direct_hits(at) = 0;
	fp->entries = 0;
	fp->exits = 0;

	for (run = 0; run < nruns && err != -EINTR; run++) {
		bad = bad ?: err;
		bench_pmu_read(before);
		err = bench_run_loops(&ns);
		bench_pmu_read(after);
		bench_samples[run] = bench_per_call(ns, loops);
		for (i = 0; i < BENCH_NR_PMU; i++)
			bench_pmu_samples[i][run] =
				bench_per_call(after[i] - before[i], loops);
	}

	migrate_enable();
	for (i = 0; i < BENCH_NR_PMU; i++)
		row->has_pmu[i] = bench_pmu_counts(i);
	bench_pmu_stop();

	if (err == -EINTR)
		return err;
	if (bad || err)
		bench_set_failed(row, "the tracee returned a wrong value");

	row->median = bench_median(bench_samples, nruns);
	row->min = bench_samples[0];
	row->max = bench_samples[nruns - 1];
	for (i = 0; i < BENCH_NR_PMU; i++)
		row->pmu[i] = bench_median(bench_pmu_samples[i], nruns);
	row->calls = (u64)loops * nruns;
	row->measured = true;
	return 0;
}

/* Compare every counter with what it must be after bench_measure(). */
static void bench_check_hits(struct bench_row *row,
			     const struct bench_attached *at)
{
	const struct bench_case *bc = row->bc;
	u64 least = U64_MAX, hits;
	unsigned int i;

	row->expected_hits = bc->ops || bc->direct || bc->fprobe ? row->calls : 0;

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

/* The entry code calls what is set for all call sites. */
static void bench_common_path(char *path, size_t size, const char *regs,
			      const struct ftrace_bench_site *site, bool direct)
{
	/* What there is of direct calls is among the ops on the list. */
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
		snprintf(path, size, "unknown:%#lx", (unsigned long)site->ops);
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
	if (bench_is_symbol((unsigned long)ops.func, "ftrace_set_func")) {
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

/**
 * bench_path - say how the call site reaches the callbacks
 * @path: the answer
 * @size: size of @path
 * @at: what is attached, NULL for nothing
 * @foreign: others may have registered direct trampolines
 */
static void bench_path(char *path, size_t size, const struct bench_attached *at,
		       bool foreign)
{
	unsigned long tramp = at && at->tramp ? at->tramp->addr : 0;
	struct ftrace_bench_site site = { };
	const char *regs = NULL;

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
	if (bench_is_symbol(site.target, "ftrace_caller"))
		regs = "";
	else if (bench_is_symbol(site.target, "ftrace_regs_caller"))
		regs = "regs+";

	if (regs && site.ops) {
		bench_literal_path(path, size, regs, &site, tramp);
	} else if (regs) {
		bench_common_path(path, size, regs, &site, tramp);
	} else if (at && bench_first_ops(at) &&
		   site.target == bench_first_ops(at)->trampoline) {
		strscpy(path, "trampoline", size);
	} else if (foreign || site.target == tramp) {
		strscpy(path, "direct-near", size);
	} else {
		sprint_symbol_no_offset(bench_symbol, site.target);
		snprintf(path, size, "unknown:%s", bench_symbol);
	}
}

/* Did the kernel allocate a trampoline for the first ops, and where? */
static enum bench_tramp bench_has_tramp(const struct bench_attached *at)
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

static void bench_check_path(struct bench_row *row,
			     const struct bench_attached *at)
{
	const char *expected = bench_expected_path(row->bc, at);

	bench_path(row->path, sizeof(row->path), at, false);
	if (!bench_path_is(row->path, expected))
		bench_set_failed(row, "the path is %s, expected %s", row->path,
				 expected);
}

/* Nobody else may trace the tracee, and we no longer after detaching. */
static bool bench_check_untraced(struct bench_row *row, const char *when)
{
	char path[sizeof(row->path)];

	bench_path(path, sizeof(path), NULL, false);
	if (bench_path_is(path, "none"))
		return true;
	bench_set_failed(row, "the tracee is traced %s, by path %s", when,
			 path);
	return false;
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
static int bench_run_case(struct bench_row *row)
{
	const struct bench_case *bc = row->bc;
	struct bench_attached *at;
	int err = 0;

	if (bc->regs && !IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS)) {
		bench_set_unsupported(row,
				      "kernel without DYNAMIC_FTRACE_WITH_REGS");
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

/* For who waits for a long run: how far it is, and what came out. */
static void bench_log_row(const struct bench_row *row, unsigned int number,
			  unsigned int total)
{
	if (row->status == BENCH_OK)
		pr_info("%u/%u %s: ok, path %s\n", number, total, row->name,
			row->path);
	else
		pr_info("%u/%u %s: %s, %s\n", number, total, row->name,
			bench_status_names[row->status], row->reason);
}

/* Run the cases whose bits are set in @mask. */
static int bench_run(unsigned long mask)
{
	unsigned int i, number = 0;
	struct bench_row *row;
	int err;

	lockdep_assert_held(&bench_run_lock);
	pr_info("run: loops=%u nruns=%u batch=%u clock=%s\n", loops, nruns,
		batch, CLOCK_NAME);

	/* The first case is what all others are compared with. */
	mask |= BIT(0);
	/* After a signal no row of an older run may pass for one of this. */
	for_each_set_bit(i, &mask, ARRAY_SIZE(bench_cases))
		bench_delete_row(bench_cases[i].name);

	for_each_set_bit(i, &mask, ARRAY_SIZE(bench_cases)) {
		row = bench_new_row(bench_cases[i].name, &bench_cases[i]);
		if (!row)
			return -ENOMEM;
		err = signal_pending(current) ? -EINTR : bench_run_case(row);
		if (err) {
			pr_info("run: interrupted in %s\n", row->name);
			kfree(row);
			return err;
		}
		bench_log_row(row, ++number, hweight_long(mask));
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
	static struct bench_attached nothing;
	struct bench_row *row;
	int err;

	lockdep_assert_held(&bench_run_lock);
	row = bench_new_row(name, NULL);
	if (!row)
		return -ENOMEM;
	bench_path(row->path, sizeof(row->path), NULL, true);
	err = bench_measure(row, &nothing);
	if (err) {
		kfree(row);
		return err;
	}
	bench_log_row(row, 1, 1);
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

/*
 * An ops on many functions, for user space to measure what it takes to turn it
 * on and off. It says which functions by their numbers, in the order in which
 * available_filter_functions in tracefs has them.
 */
static struct bench_ops bench_toggle;
static bool bench_toggle_set, bench_toggle_on;

static int bench_toggle_off(void)
{
	int err;

	lockdep_assert_held(&bench_run_lock);
	if (!bench_toggle_on)
		return 0;
	err = unregister_ftrace_function(&bench_toggle.ops);
	if (err) {
		pr_err("cannot unregister: %d, the module must stay\n", err);
		__module_get(THIS_MODULE);
		return err;
	}
	bench_toggle_on = false;
	return 0;
}

static void bench_toggle_clear(void)
{
	ftrace_free_filter(&bench_toggle.ops);
	memset(&bench_toggle, 0, sizeof(bench_toggle));
	bench_toggle_set = false;
}

/* No filter is all functions. */
static int bench_toggle_filter(const char *count)
{
	unsigned int i, nr = 0;
	char number[12];
	int err = 0;

	if (bench_toggle_on)
		return -EBUSY;
	if (strcmp(count, "all")) {
		err = kstrtouint(count, 10, &nr);
		if (err)
			return err;
		if (!nr || nr > MAX_TOGGLE)
			return -EINVAL;
	}
	bench_toggle_clear();
	bench_toggle.ops.func = bench_callback;
	for (i = 1; i <= nr && !err; i++) {
		snprintf(number, sizeof(number), "%u", i);
		err = ftrace_set_filter(&bench_toggle.ops, number,
					strlen(number), 0);
	}
	if (err)
		bench_toggle_clear();
	bench_toggle_set = !err;
	return err;
}

static int bench_toggle_command(char *command)
{
	int err;

	lockdep_assert_held(&bench_run_lock);
	if (!strncmp(command, "set ", 4))
		return bench_toggle_filter(command + 4);
	if (!strcmp(command, "on")) {
		if (!bench_toggle_set)
			return -ENOENT;
		if (bench_toggle_on)
			return -EBUSY;
		err = register_ftrace_function(&bench_toggle.ops);
		bench_toggle_on = !err;
		return err;
	}
	if (!strcmp(command, "off"))
		return bench_toggle_off();
	return -EINVAL;
}

static ssize_t bench_toggle_write(struct file *file, const char __user *ubuf,
				  size_t count, loff_t *ppos)
{
	char *buf;
	int err;

	if (count >= PAGE_SIZE)
		return -EINVAL;
	buf = memdup_user_nul(ubuf, count);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	err = -EBUSY;
	if (mutex_trylock(&bench_run_lock)) {
		err = bench_toggle_command(strim(buf));
		mutex_unlock(&bench_run_lock);
		if (err == -EINVAL || err == -ERANGE)
			pr_err("toggle: valid are set 1 to set %u, set all, on, off\n",
			       MAX_TOGGLE);
	}
	kfree(buf);
	return err ?: count;
}

static const struct file_operations bench_toggle_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= bench_toggle_write,
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
		seq_printf(s, "%-18s %s\n", bench_cases[i].name,
			   bench_cases[i].desc);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cases);

static unsigned int bench_relevant(const struct bench_case *bc)
{
	return bc->ops + (bc->direct != DIRECT_NONE) + !!bc->fprobe;
}

/* How far the trampolines are from the call site; false if there is none. */
static bool bench_distance(enum bench_direct direct, long *distance)
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

/* Why there are no events of the processor, or which there are. */
static void bench_show_pmu(struct seq_file *s)
{
	const struct bench_row *row;
	unsigned int i, seen = 0;

	lockdep_assert_held(&bench_row_lock);
	list_for_each_entry(row, &bench_rows, list) {
		for (i = 0; i < BENCH_NR_PMU; i++)
			seen |= row->has_pmu[i] << i;
	}
	seq_puts(s, "# events of the processor:");
	for (i = 0; i < BENCH_NR_PMU; i++) {
		if (seen & BIT(i))
			seq_printf(s, " %s", bench_pmu_events[i].name);
	}
	if (!seen && bench_pmu_error)
		seq_printf(s, " none (error %d)", bench_pmu_error);
	seq_puts(s, "\n");
}

static void bench_show_row_pmu(struct seq_file *s, const struct bench_row *row)
{
	char buf[BENCH_MILLI_SIZE];
	unsigned int i;

	for (i = 0; i < BENCH_NR_PMU; i++) {
		if (row->has_pmu[i])
			seq_printf(s, "#   %s per call: %s\n",
				   bench_pmu_events[i].name,
				   bench_milli(buf, row->pmu[i]));
	}
}

static void bench_show_row(struct seq_file *s, const struct bench_row *row)
{
	char min[BENCH_MILLI_SIZE], median[BENCH_MILLI_SIZE];
	char max[BENCH_MILLI_SIZE], overhead[BENCH_MILLI_SIZE];

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
	bench_show_row_pmu(s, row);
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
	bench_show_pmu(s);
	list_for_each_entry(row, &bench_rows, list)
		bench_show_row(s, row);
	mutex_unlock(&bench_row_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(results);

static void bench_json_number(struct seq_file *s, const char *key, bool valid,
			      s64 milli)
{
	char buf[BENCH_MILLI_SIZE];

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
	unsigned int i;

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
	for (i = 0; i < BENCH_NR_PMU; i++)
		bench_json_number(s, bench_pmu_events[i].name, row->has_pmu[i],
				  row->pmu[i]);
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

	seq_puts(s, "{\"schema\":\"ftrace-bench/2\"");
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
	char median[BENCH_MILLI_SIZE];

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
	debugfs_create_file("toggle", 0200, bench_dir, NULL,
			    &bench_toggle_fops);
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
	unsigned int i;

	list_for_each_entry_safe(row, next, &bench_rows, list)
		kfree(row);
	kfree(bench_samples);
	for (i = 0; i < BENCH_NR_PMU; i++)
		kfree(bench_pmu_samples[i]);
}

static int __init bench_alloc(void)
{
	bool good;
	unsigned int i;

	bench_samples = kcalloc(nruns, sizeof(*bench_samples), GFP_KERNEL);
	good = bench_samples;
	for (i = 0; i < BENCH_NR_PMU; i++) {
		bench_pmu_samples[i] = kcalloc(nruns, sizeof(u64), GFP_KERNEL);
		good &= !!bench_pmu_samples[i];
	}
	if (good)
		return 0;
	bench_free();
	return -ENOMEM;
}

static int __init bench_init(void)
{
	unsigned long mask;
	int err;

	err = bench_check_params(&mask);
	if (err)
		return err;
	err = bench_alloc();
	if (err)
		return err;
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
	mutex_lock(&bench_run_lock);
	bench_toggle_off();
	bench_toggle_clear();
	mutex_unlock(&bench_run_lock);
	bench_free();
}

module_init(bench_init);
module_exit(bench_exit);

MODULE_DESCRIPTION("Benchmark of the ways ftrace calls a tracer");
MODULE_LICENSE("GPL");
