// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark of the ways ftrace calls a tracer.
 *
 * What is measured: the time of a loop which does nothing but call
 * ftrace_bench_tracee(), add up what it returns and count, divided by the
 * number of calls. Time runs from the read of the clock's counter that ends
 * the first ktime_get_raw_fast_ns() of the loop to the read in the second one.
 * So a number holds the loop, the call, the tracee's own instructions, the entry
 * code and the callbacks; nothing is subtracted. "overhead" is the difference to
 * the same loop with a twin of the tracee that has a NOP at its call site, right
 * before and after. See measure.c.
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

#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "internal.h"

#define MAX_MS		600000
#define MAX_BATCH_US	10000

char *bench_selection = "all";
module_param_named(cases, bench_selection, charp, 0444);
MODULE_PARM_DESC(cases, "What run_on_load runs: case names or all (default)");

int bench_cpu = -1;
module_param_named(cpu, bench_cpu, int, 0444);
MODULE_PARM_DESC(cpu, "Processor to measure on (default: the one that starts a row)");

unsigned int bench_warmup_ms = 20;
module_param_named(warmup_ms, bench_warmup_ms, uint, 0444);
MODULE_PARM_DESC(warmup_ms, "Calls before each case, in milliseconds (default 20)");

unsigned int bench_duration_ms = 200;
module_param_named(duration_ms, bench_duration_ms, uint, 0444);
MODULE_PARM_DESC(duration_ms, "Measuring of each case, in milliseconds (default 200)");

unsigned int bench_batch_us = 1000;
module_param_named(batch_us, bench_batch_us, uint, 0444);
MODULE_PARM_DESC(batch_us, "Most time of a batch, in microseconds (default 1000, at most a quarter of a tick)");

static bool run_on_load;
module_param(run_on_load, bool, 0444);
MODULE_PARM_DESC(run_on_load, "Run the cases when the module is loaded");

const char * const bench_status_names[] = {
	[BENCH_OK]		= "ok",
	[BENCH_UNSUPPORTED]	= "unsupported",
	[BENCH_NOISY]		= "noisy",
	[BENCH_FAILED]		= "failed",
};

/* Held over a whole run; protects everything below that is not a row. */
DEFINE_MUTEX(bench_run_lock);
/* Protects the rows, so that they can be read during a run. */
DEFINE_MUTEX(bench_row_lock);
LIST_HEAD(bench_rows);

static struct dentry *bench_dir;

void bench_set_failed(struct bench_row *row, const char *fmt, ...)
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

void bench_set_noisy(struct bench_row *row, const char *fmt, ...)
{
	va_list args;

	if (row->status != BENCH_OK)
		return;
	row->status = BENCH_NOISY;
	va_start(args, fmt);
	vscnprintf(row->reason, sizeof(row->reason), fmt, args);
	va_end(args);
}

void bench_set_unsupported(struct bench_row *row, const char *fmt, ...)
{
	va_list args;

	row->status = BENCH_UNSUPPORTED;
	va_start(args, fmt);
	vscnprintf(row->reason, sizeof(row->reason), fmt, args);
	va_end(args);
}

struct bench_row *bench_find_row(const char *name, enum bench_context context)
{
	struct bench_row *row;

	lockdep_assert_held(&bench_row_lock);
	list_for_each_entry(row, &bench_rows, list) {
		if (row->context == context && !strcmp(row->name, name))
			return row;
	}
	return NULL;
}

static void bench_delete_row(const char *name, enum bench_context context)
{
	struct bench_row *row;

	mutex_lock(&bench_row_lock);
	row = bench_find_row(name, context);
	if (row) {
		list_del(&row->list);
		kfree(row);
	}
	mutex_unlock(&bench_row_lock);
}

/* Cases in order, each in its contexts, then the external rows */
static struct list_head *bench_row_position(const struct bench_row *row)
{
	struct bench_row *other;

	lockdep_assert_held(&bench_row_lock);
	if (row->bc) {
		list_for_each_entry(other, &bench_rows, list) {
			if (!other->bc || other->bc > row->bc ||
			    (other->bc == row->bc &&
			     other->context > row->context))
				return &other->list;
		}
	}
	return &bench_rows;
}

/* Publish a row, in the place of an older one. */
void bench_add_row(struct bench_row *row)
{
	bench_delete_row(row->name, row->context);
	mutex_lock(&bench_row_lock);
	list_add_tail(&row->list, bench_row_position(row));
	mutex_unlock(&bench_row_lock);
}

struct bench_row *bench_new_row(const char *name, const struct bench_case *bc,
				enum bench_context context)
{
	struct bench_row *row = kzalloc(sizeof(*row), GFP_KERNEL);

	if (row) {
		strscpy(row->name, name, sizeof(row->name));
		row->bc = bc;
		row->context = context;
	}
	return row;
}

/* Take the context off "name@context"; no context is that of a task. */
int bench_split_name(char *name, enum bench_context *context)
{
	char *at = strchr(name, '@');
	int i;

	*context = CONTEXT_TASK;
	if (!at)
		return 0;
	*at = '\0';
	i = match_string(bench_context_names, BENCH_NR_CONTEXTS, at + 1);
	if (i < 0) {
		pr_err("unknown context '%s'; valid are task irqs-off migration-off in-bpf\n",
		       at + 1);
		return -EINVAL;
	}
	*context = i;
	return 0;
}

/* Tell whoever waits for a long run how far it is, and what came out. */
void bench_log_row(const struct bench_row *row, unsigned int number,
			  unsigned int total)
{
	if (row->status == BENCH_OK)
		pr_info("%u/%u %s: ok, path %s\n", number, total, row->name,
			row->path);
	else
		pr_info("%u/%u %s: %s, %s\n", number, total, row->name,
			bench_status_names[row->status], row->reason);
}

/* Run the cases whose bits are set in the mask of each context. */
int bench_run(const unsigned long *masks)
{
	unsigned int i, number = 0, total = 0;
	enum bench_context context;
	struct bench_row *row;
	int err;

	lockdep_assert_held(&bench_run_lock);
	pr_info("run: duration_ms=%u warmup_ms=%u batch_us=%u clock=%s\n",
		bench_duration_ms, bench_warmup_ms, bench_batch_us, CLOCK_NAME);

	/* After a signal no row of an older run may pass for one of this. */
	for (context = 0; context < BENCH_NR_CONTEXTS; context++) {
		for_each_set_bit(i, &masks[context], bench_nr_cases) {
			bench_delete_row(bench_cases[i].name, context);
			total++;
		}
	}

	for (i = 0; i < bench_nr_cases; i++) {
		for (context = 0; context < BENCH_NR_CONTEXTS; context++) {
			if (!(masks[context] & BIT(i)))
				continue;
			row = bench_new_row(bench_cases[i].name,
					    &bench_cases[i], context);
			if (!row)
				return -ENOMEM;
			err = signal_pending(current) ? -EINTR :
							bench_run_case(row);
			if (err) {
				pr_info("run: interrupted in %s\n", row->name);
				kfree(row);
				return err;
			}
			bench_log_row(row, ++number, total);
			bench_add_row(row);
		}
	}
	return 0;
}

static int __init bench_check_range(const char *name, unsigned int value,
				    unsigned int max)
{
	if (value >= 1 && value <= max)
		return 0;
	pr_err("bad %s=%u; valid are 1 to %u\n", name, value, max);
	return -EINVAL;
}

static int __init bench_check_params(unsigned long *masks)
{
	char *list;
	int err;

	err = bench_check_range("warmup_ms", bench_warmup_ms, MAX_MS);
	err = bench_check_range("duration_ms", bench_duration_ms, MAX_MS) ?: err;
	err = bench_check_range("batch_us", bench_batch_us, MAX_BATCH_US) ?: err;
	if (bench_cpu < -1 || bench_cpu >= (int)nr_cpu_ids ||
	    (bench_cpu >= 0 && !cpu_online(bench_cpu))) {
		pr_err("bad cpu=%d; valid are those that are online\n", bench_cpu);
		err = -EINVAL;
	}
	if (err)
		return err;

	list = kstrdup(bench_selection, GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	err = bench_parse_cases(list, masks);
	kfree(list);
	return err;
}

static void bench_free(void)
{
	struct bench_row *row, *next;

	list_for_each_entry_safe(row, next, &bench_rows, list)
		kfree(row);
	bench_free_samples();
}

static int __init bench_init(void)
{
	unsigned long masks[BENCH_NR_CONTEXTS];
	int err;

	err = bench_check_params(masks);
	if (err)
		return err;
	err = bench_alloc_samples();
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
		err = bench_run(masks);
		mutex_unlock(&bench_run_lock);
		if (err) {
			debugfs_remove(bench_dir);
			bench_free();
			return err;
		}
	}
	bench_create_files(bench_dir);
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
