// SPDX-License-Identifier: GPL-2.0
/*
 * Measuring: the loop, its batches, and the counters of the processor.
 *
 * A sample is a batch of calls of the tracee, and the batches of its untraced
 * twin right before and after it are what it is compared with: whatever changes
 * slowly, such as a frequency, changes both. The task stays on one processor by
 * its affinity. To disable migration for that would be a context that hardly any
 * caller has, and one in which the entry into a BPF program is cheaper.
 *
 * Interrupts stay on, but for the context whose name says otherwise. A batch into
 * which one fell, or in which the task was switched out, is done again: both leave
 * traces in the statistics of the processor or of the task. What leaves none, such
 * as the timer of some architectures when it is not for the tick, makes a sample
 * that the median does not care about. So batches take a quarter of a tick at most.
 */
#include <linux/gcd.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kernel_stat.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "internal.h"
#include "math.h"

#define MAX_SAMPLES	10000
#define MIN_SAMPLES	9
/* Batches that may be disturbed one after the other */
#define MAX_TRIES	200
#define MAX_BATCH	1000000

const char * const bench_context_names[BENCH_NR_CONTEXTS] = {
	[CONTEXT_TASK]		= "task",
	[CONTEXT_IRQS_OFF]	= "irqs-off",
	[CONTEXT_MIGRATION_OFF]	= "migration-off",
	[CONTEXT_IN_BPF]	= "in-bpf",
};

const struct bench_pmu_event bench_pmu_events[BENCH_NR_PMU] = {
	{ "cycles", PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS },
	{ "branch_misses", PERF_COUNT_HW_BRANCH_MISSES },
};

atomic64_t bench_calls = ATOMIC64_INIT(0);
/* Why there are no counts of events; 0 if there are some, or not tried. */
int bench_pmu_error;

/* Where the last row was measured */
char bench_machine_name[160], bench_governor_name[32];
int bench_last_cpu = -1;

/* The samples of a row: per call, its twin's, and the differences */
static u64 *bench_samples, *bench_twins;
static s64 *bench_overheads, *bench_events[BENCH_NR_PMU];

/**
 * struct bench_batch - what one batch took
 * @ns: nanoseconds
 * @events: events of the processor
 */
struct bench_batch {
	u64 ns;
	u64 events[BENCH_NR_PMU];
};

/*
 * The measured loops, alike but for the function that they call. They begin at a
 * line of the cache so that they are fetched alike.
 */
#define BENCH_LOOP(name, function)					\
static noinline notrace __aligned(64) u64 name(unsigned int calls, u32 *sum) \
{									\
	unsigned int i;							\
	u64 start, ns;							\
	u32 total = 0;							\
									\
	start = ktime_get_raw_fast_ns();				\
	for (i = 0; i < calls; i++)					\
		total += function(i, BENCH_ADDEND);			\
	ns = ktime_get_raw_fast_ns() - start;				\
	*sum = total;							\
	return ns;							\
}

BENCH_LOOP(bench_loop_tracee, ftrace_bench_tracee)
BENCH_LOOP(bench_loop_trapped, ftrace_bench_trapped)
BENCH_LOOP(bench_loop_twin, ftrace_bench_twin)

/* Changes with each interrupt and each switch that can be known of. */
static u64 bench_disturbances(int cpu)
{
	u64 sum = kstat_cpu_irqs_sum(cpu) + current->nvcsw + current->nivcsw;
	unsigned int i;

	/* Each tick adds to one of these; not all timers count as interrupts. */
	for (i = 0; i < NR_STATS; i++)
		sum += kcpustat_cpu(cpu).cpustat[i];
	for (i = 0; i < NR_SOFTIRQS; i++)
		sum += kstat_softirqs_cpu(i, cpu);
	return sum;
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

/*
 * Right before and after each batch. What reading takes is in the batch of the
 * twin as well, and so not in the difference.
 */
static void bench_pmu_read(u64 *counts, u64 *stopped)
{
	u64 enabled, running;
	unsigned int i;

	for (i = 0; i < BENCH_NR_PMU; i++) {
		counts[i] = 0;
		stopped[i] = 0;
		if (!bench_pmu[i])
			continue;
		counts[i] = perf_event_read_value(bench_pmu[i], &enabled,
						  &running);
		stopped[i] = enabled - running;
	}
}

/* Something else had the counter during the batch: it is of no use. */
static void bench_pmu_drop(unsigned int i)
{
	if (!bench_pmu[i])
		return;
	perf_event_release_kernel(bench_pmu[i]);
	bench_pmu[i] = NULL;
	bench_pmu_error = -EBUSY;
}

/* A pinned event for which there is no counter is in an error state, and stays 0. */
static bool bench_pmu_counts(unsigned int i)
{
	if (!bench_pmu[i])
		return false;
	if (bench_pmu[i]->state > PERF_EVENT_STATE_OFF)
		return true;
	bench_pmu_error = -EBUSY;
	return false;
}
#else
static void bench_pmu_start(void)
{
	bench_pmu_error = -EOPNOTSUPP;
}

static void bench_pmu_stop(void) { }

static void bench_pmu_read(u64 *counts, u64 *stopped) { }

static void bench_pmu_drop(unsigned int i) { }

static bool bench_pmu_counts(unsigned int i)
{
	return false;
}
#endif

/* What a running BPF program holds, as far as the next one can tell. */
static void bench_enter_bpf(void)
{
	rcu_read_lock();
	migrate_disable();
}

static void bench_leave_bpf(void)
{
	migrate_enable();
	rcu_read_unlock();
}

static u64 bench_loop(const struct bench_row *row, bool twin,
		      unsigned int calls, u32 *sum)
{
	u64 (*loop)(unsigned int, u32 *) = bench_loop_tracee;
	unsigned long flags;
	u64 ns;

	if (twin)
		loop = bench_loop_twin;
	else if (row->bc && row->bc->trap)
		loop = bench_loop_trapped;

	switch (row->context) {
	case CONTEXT_IRQS_OFF:
		local_irq_save(flags);
		ns = loop(calls, sum);
		local_irq_restore(flags);
		return ns;
	case CONTEXT_MIGRATION_OFF:
		migrate_disable();
		ns = loop(calls, sum);
		migrate_enable();
		return ns;
	case CONTEXT_IN_BPF:
		bench_enter_bpf();
		ns = loop(calls, sum);
		bench_leave_bpf();
		return ns;
	default:
		return loop(calls, sum);
	}
}

/**
 * struct bench_plan - how a row gets measured
 * @row: the row
 * @cpu: the processor
 * @calls: calls in a batch
 */
struct bench_plan {
	struct bench_row *row;
	int cpu;
	unsigned int calls;
};

/*
 * One batch. Returns -EAGAIN if it was disturbed, which makes its numbers
 * useless but not its calls, -EINTR after a signal.
 */
static int bench_one_batch(struct bench_plan *plan, bool twin,
			   struct bench_batch *out)
{
	u64 before[BENCH_NR_PMU] = { }, after[BENCH_NR_PMU] = { };
	u64 stopped[BENCH_NR_PMU] = { }, stopped_after[BENCH_NR_PMU] = { };
	unsigned int i;
	u64 disturbed;
	u32 sum;

	if (signal_pending(current))
		return -EINTR;
	/* Without this, unregistering anywhere waits for the end. */
	cond_resched_tasks_rcu_qs();

	disturbed = bench_disturbances(plan->cpu);
	bench_pmu_read(before, stopped);
	out->ns = bench_loop(plan->row, twin, plan->calls, &sum);
	bench_pmu_read(after, stopped_after);
	disturbed -= bench_disturbances(plan->cpu);

	for (i = 0; i < BENCH_NR_PMU; i++) {
		out->events[i] = after[i] - before[i];
		if (stopped[i] != stopped_after[i])
			bench_pmu_drop(i);
	}
	if (!twin) {
		atomic64_add(plan->calls, &bench_calls);
		plan->row->calls += plan->calls;
	}
	if (sum != bench_sum(plan->calls))
		bench_set_failed(plan->row, "the tracee returned a wrong value");
	return disturbed || raw_smp_processor_id() != plan->cpu ? -EAGAIN : 0;
}

/* A batch that was not disturbed; -EAGAIN if there was none in many. */
static int bench_clean_batch(struct bench_plan *plan, bool twin,
			     struct bench_batch *out)
{
	unsigned int tries;
	int err = -EAGAIN;

	for (tries = 0; tries < MAX_TRIES && err == -EAGAIN; tries++)
		err = bench_one_batch(plan, twin, out);
	return err;
}

/* How many calls take as long as a batch may */
static int bench_plan_batch(struct bench_plan *plan)
{
	u64 most = min_t(u64, bench_batch_us * NSEC_PER_USEC, TICK_NSEC / 4);
	struct bench_batch batch;
	int err;

	for (plan->calls = 1; plan->calls < MAX_BATCH; plan->calls *= 2) {
		err = bench_clean_batch(plan, false, &batch);
		if (err == -EINTR)
			return err;
		if (batch.ns * 4 > most)
			break;
	}
	plan->calls = clamp_t(u64, div64_u64(plan->calls * most,
					     max_t(u64, batch.ns, 1)),
			      1, MAX_BATCH);
	return 0;
}

static int bench_warm_up(struct bench_plan *plan)
{
	u64 end = ktime_get_raw_fast_ns() + bench_warmup_ms * NSEC_PER_MSEC;
	struct bench_batch batch;
	int err;

	do {
		/* Disturbed or not, it is warm afterwards. */
		err = bench_one_batch(plan, true, &batch);
		if (err != -EINTR)
			err = bench_one_batch(plan, false, &batch);
	} while (err != -EINTR && ktime_get_raw_fast_ns() < end);
	return err == -EINTR ? err : 0;
}

static void bench_reset_hits(struct bench_attached *at)
{
	unsigned int i;

	for (i = 0; i < at->nr_ops; i++)
		at->ops[i].hits = 0;
	if (bench_direct_hits(at))
		*bench_direct_hits(at) = 0;
	at->fprobe.entries = 0;
	at->fprobe.exits = 0;
	at->trap.hits = 0;
}

/* Sample @nr: the batch of the tracee against the two of its twin around it */
static void bench_add_sample(struct bench_plan *plan, unsigned int nr,
			     const struct bench_batch *before,
			     const struct bench_batch *traced,
			     const struct bench_batch *after)
{
	unsigned int i;
	s64 twins;

	twins = bench_per_call(before->ns + after->ns, 2 * plan->calls);
	bench_samples[nr] = bench_per_call(traced->ns, plan->calls);
	bench_twins[nr] = twins;
	bench_overheads[nr] = bench_samples[nr] - twins;
	for (i = 0; i < BENCH_NR_PMU; i++) {
		twins = before->events[i] + after->events[i];
		bench_events[i][nr] =
			div_s64((2 * (s64)traced->events[i] - twins) * 1000,
				2 * plan->calls);
	}
}

/* The samples, of which there are at least MIN_SAMPLES unless it is too noisy */
static int bench_sample(struct bench_plan *plan)
{
	u64 now = ktime_get_raw_fast_ns();
	u64 end = now + bench_duration_ms * NSEC_PER_MSEC;
	u64 last = end + 10 * bench_duration_ms * NSEC_PER_MSEC;
	struct bench_batch before, traced, after;
	unsigned int nr = 0;
	int err;

	err = bench_clean_batch(plan, true, &before);
	while (!err && nr < MAX_SAMPLES && now < last &&
	       (now < end || nr < MIN_SAMPLES)) {
		err = bench_clean_batch(plan, false, &traced);
		err = err ?: bench_clean_batch(plan, true, &after);
		if (err)
			break;
		bench_add_sample(plan, nr++, &before, &traced, &after);
		before = after;
		now = ktime_get_raw_fast_ns();
	}
	plan->row->batches = nr;
	return err;
}

/* The clock's tick: all that its differences are multiples of */
static u64 bench_clock_tick(void)
{
	u64 last = ktime_get_raw_fast_ns(), now;
	unsigned long tick = 0;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		now = ktime_get_raw_fast_ns();
		tick = gcd(tick, now - last);
		last = now;
	}
	return max(tick, 1UL);
}

static void bench_check_noise(struct bench_row *row)
{
	char mad[BENCH_MILLI_SIZE];

	if (row->batches < MIN_SAMPLES)
		bench_set_noisy(row, "only %u undisturbed batches", row->batches);
	else if (bench_is_noisy(row->mad, row->median, row->resolution))
		bench_set_noisy(row, "median absolute deviation %s",
				bench_milli(mad, row->mad));
}

static void bench_summarize(struct bench_plan *plan)
{
	struct bench_row *row = plan->row;
	unsigned int i, nr = row->batches;

	row->batch_calls = plan->calls;
	row->resolution = bench_per_call(bench_clock_tick(), plan->calls);
	for (i = 0; i < BENCH_NR_PMU; i++)
		row->has_pmu[i] = bench_pmu_counts(i) && nr;
	if (nr) {
		row->measured = true;
		row->median = bench_median(bench_samples, nr);
		row->min = bench_samples[0];
		row->max = bench_samples[nr - 1];
		row->untraced = bench_median(bench_twins, nr);
		row->overhead = bench_signed_median(bench_overheads, nr);
		for (i = 0; i < BENCH_NR_PMU; i++)
			row->pmu[i] = bench_signed_median(bench_events[i], nr);
		/* Last: the samples are gone then. */
		row->mad = bench_mad(bench_samples, nr, row->median);
	}
	bench_check_noise(row);
}

static int bench_measure_here(struct bench_row *row, struct bench_attached *at,
			      int cpu)
{
	struct bench_plan plan = { .row = row, .cpu = cpu };
	int err;

	if (!bench_check_twin(row))
		return 0;
	bench_last_cpu = cpu;
	bench_machine(bench_machine_name, sizeof(bench_machine_name));
	bench_governor(bench_governor_name, sizeof(bench_governor_name), cpu);
	bench_pmu_start();
	err = bench_plan_batch(&plan);
	err = err ?: bench_warm_up(&plan);
	bench_reset_hits(at);
	row->calls = 0;
	row->batches = 0;
	err = err ?: bench_sample(&plan);
	if (err != -EINTR)
		bench_summarize(&plan);
	bench_pmu_stop();
	bench_check_twin(row);
	return err == -EINTR ? err : 0;
}

/**
 * bench_measure - warm up, set the counters to zero, and measure on one CPU
 * @row: gets the numbers; failures are said there
 * @at: what is attached, for its counters
 *
 * Return: 0, or -EINTR after a signal
 */
int bench_measure(struct bench_row *row, struct bench_attached *at)
{
	int cpu = bench_cpu >= 0 ? bench_cpu : raw_smp_processor_id();
	cpumask_var_t saved;
	int err;

	if (!alloc_cpumask_var(&saved, GFP_KERNEL)) {
		bench_set_failed(row, "out of memory");
		return 0;
	}
	cpumask_copy(saved, current->cpus_ptr);
	err = set_cpus_allowed_ptr(current, cpumask_of(cpu));
	if (err) {
		bench_set_failed(row, "cannot stay on CPU %d: %d", cpu, err);
		err = 0;
	} else {
		err = bench_measure_here(row, at, cpu);
		set_cpus_allowed_ptr(current, saved);
	}
	free_cpumask_var(saved);
	return err;
}

void bench_free_samples(void)
{
	unsigned int i;

	kvfree(bench_samples);
	kvfree(bench_twins);
	kvfree(bench_overheads);
	for (i = 0; i < BENCH_NR_PMU; i++)
		kvfree(bench_events[i]);
}

int bench_alloc_samples(void)
{
	bool good;
	unsigned int i;

	bench_samples = kvcalloc(MAX_SAMPLES, sizeof(u64), GFP_KERNEL);
	bench_twins = kvcalloc(MAX_SAMPLES, sizeof(u64), GFP_KERNEL);
	bench_overheads = kvcalloc(MAX_SAMPLES, sizeof(s64), GFP_KERNEL);
	good = bench_samples && bench_twins && bench_overheads;
	for (i = 0; i < BENCH_NR_PMU; i++) {
		bench_events[i] = kvcalloc(MAX_SAMPLES, sizeof(s64), GFP_KERNEL);
		good &= !!bench_events[i];
	}
	if (good)
		return 0;
	bench_free_samples();
	return -ENOMEM;
}
