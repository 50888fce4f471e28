// SPDX-License-Identifier: GPL-2.0
/* The results as a table, as JSON and as test results. */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/utsname.h>

#include "internal.h"
#include "math.h"

static unsigned int bench_relevant(const struct bench_case *bc)
{
	return bc->ops + (bc->direct != DIRECT_NONE) + !!bc->fprobe + bc->trap;
}

/* "case", or "case@context" of one that is not the usual */
static void bench_full_name(char *buf, size_t size, const struct bench_row *row)
{
	if (row->context == CONTEXT_TASK)
		strscpy(buf, row->name, size);
	else
		snprintf(buf, size, "%s@%s", row->name,
			 bench_context_names[row->context]);
}

/* Which events of the processor there are, or why there are none */
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
			seq_printf(s, "#   %s per call above untraced: %s\n",
				   bench_pmu_events[i].name,
				   bench_milli(buf, row->pmu[i]));
	}
}

static void bench_show_row(struct seq_file *s, const struct bench_row *row)
{
	char median[BENCH_MILLI_SIZE], mad[BENCH_MILLI_SIZE];
	char untraced[BENCH_MILLI_SIZE], overhead[BENCH_MILLI_SIZE];
	char name[sizeof(row->name) + 16];

	bench_full_name(name, sizeof(name), row);
	seq_printf(s, "%-28s ", name);
	if (row->measured)
		seq_printf(s, "%10llu %12s %12s %12s %12s ", row->calls,
			   bench_milli(median, row->median),
			   bench_milli(mad, row->mad),
			   bench_milli(untraced, row->untraced),
			   bench_milli(overhead, row->overhead));
	else
		seq_printf(s, "%10s %12s %12s %12s %12s ", "-", "-", "-", "-",
			   "-");
	if (row->has_hits)
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

static int bench_results_show(struct seq_file *s, void *unused)
{
	struct bench_row *row;
	long distance;

	seq_printf(s, "# ftrace_bench on %s %s, nanoseconds per call by %s\n",
		   init_utsname()->release, BENCH_ARCH, CLOCK_NAME);
	seq_printf(s, "# CPU %d: %s, governor %s\n", bench_last_cpu,
		   bench_machine_name, bench_governor_name);
	seq_printf(s, "# warmup_ms=%u duration_ms=%u batch_us=%u\n",
		   bench_warmup_ms, bench_duration_ms, bench_batch_us);
	if (bench_distance(DIRECT_NEAR, &distance))
		seq_printf(s, "# call site to near trampoline: %ld bytes\n",
			   distance);
	if (bench_distance(DIRECT_FAR, &distance))
		seq_printf(s, "# call site to far trampoline: %ld bytes\n",
			   distance);
	seq_printf(s, "%-28s %10s %12s %12s %12s %12s %10s %10s %-14s %s\n",
		   "case", "calls", "median", "mad", "untraced", "overhead",
		   "hits", "expected", "path", "status");

	mutex_lock(&bench_row_lock);
	bench_show_pmu(s);
	list_for_each_entry(row, &bench_rows, list)
		bench_show_row(s, row);
	mutex_unlock(&bench_row_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(bench_results);

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

/* Whoever makes a text that gets here leaves out what needs escaping. */
static void bench_json_string(struct seq_file *s, const char *key,
			      const char *value)
{
	if (value[0])
		seq_printf(s, ",\"%s\":\"%s\"", key, value);
	else
		seq_printf(s, ",\"%s\":null", key);
}

/* What the row has attached, from which follows the path that it should take */
static void bench_json_case(struct seq_file *s, const struct bench_case *bc)
{
	static const char * const direct[] = { "", "near", "far" };

	bench_json_integer(s, "relevant", bc, bc ? bench_relevant(bc) : 0);
	bench_json_integer(s, "irrelevant", bc, bc ? bc->irrelevant : 0);
	bench_json_integer(s, "ops", bc, bc ? bc->ops : 0);
	seq_printf(s, ",\"regs\":%s", bc && bc->regs ? "true" : "false");
	bench_json_string(s, "direct", bc ? direct[bc->direct] : "");
	bench_json_string(s, "trampoline", bc ? direct[bc->tramp] : "");
	bench_json_integer(s, "fprobe", bc, bc ? bc->fprobe : 0);
}

static void bench_json_row(struct seq_file *s, const struct bench_row *row)
{
	char name[sizeof(row->name) + 16];
	unsigned int i;

	bench_full_name(name, sizeof(name), row);
	seq_printf(s, "{\"name\":\"%s\"", name);
	bench_json_string(s, "case", row->name);
	bench_json_string(s, "context", bench_context_names[row->context]);
	bench_json_case(s, row->bc);
	bench_json_integer(s, "calls", row->measured, row->calls);
	bench_json_integer(s, "batches", row->measured, row->batches);
	bench_json_integer(s, "batch_calls", row->measured, row->batch_calls);
	bench_json_number(s, "min", row->measured, row->min);
	bench_json_number(s, "median", row->measured, row->median);
	bench_json_number(s, "max", row->measured, row->max);
	bench_json_number(s, "mad", row->measured, row->mad);
	bench_json_number(s, "untraced", row->measured, row->untraced);
	bench_json_number(s, "overhead", row->measured, row->overhead);
	bench_json_number(s, "resolution", row->measured, row->resolution);
	bench_json_integer(s, "hits", row->has_hits, row->hits);
	bench_json_integer(s, "expected_hits", row->has_hits,
			   row->expected_hits);
	for (i = 0; i < BENCH_NR_PMU; i++)
		bench_json_number(s, bench_pmu_events[i].name, row->has_pmu[i],
				  row->pmu[i]);
	bench_json_string(s, "path", row->path);
	bench_json_string(s, "status", bench_status_names[row->status]);
	bench_json_string(s, "reason", row->reason);
	seq_putc(s, '}');
}

static int bench_results_json_show(struct seq_file *s, void *unused)
{
	const char *separator = "\n";
	struct bench_row *row;
	long distance = 0;
	bool valid;

	seq_puts(s, "{\"schema\":\"ftrace-bench/3\",\"unit\":\"ns\"");
	bench_json_string(s, "kernel", init_utsname()->release);
	bench_json_string(s, "arch", BENCH_ARCH);
	bench_json_string(s, "clock", CLOCK_NAME);
	bench_json_integer(s, "cpu", bench_last_cpu >= 0, bench_last_cpu);
	bench_json_string(s, "machine", bench_machine_name);
	bench_json_string(s, "governor", bench_governor_name);
	bench_json_integer(s, "warmup_ms", true, bench_warmup_ms);
	bench_json_integer(s, "duration_ms", true, bench_duration_ms);
	bench_json_integer(s, "batch_us", true, bench_batch_us);
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
DEFINE_SHOW_ATTRIBUTE(bench_results_json);

/* A number that cannot be relied on is none, but no failure of the kernel. */
static void bench_ktap_row(struct seq_file *s, const struct bench_row *row,
			   unsigned int number)
{
	char median[BENCH_MILLI_SIZE], name[sizeof(row->name) + 16];

	bench_full_name(name, sizeof(name), row);
	if (row->measured)
		seq_printf(s, "# %s: %s ns per call, path %s\n", name,
			   bench_milli(median, row->median), row->path);
	switch (row->status) {
	case BENCH_OK:
		seq_printf(s, "ok %u %s\n", number, name);
		break;
	case BENCH_UNSUPPORTED:
	case BENCH_NOISY:
		seq_printf(s, "ok %u %s # SKIP %s%s\n", number, name,
			   row->status == BENCH_NOISY ? "noisy: " : "",
			   row->reason);
		break;
	case BENCH_FAILED:
		seq_printf(s, "# %s: %s\n", name, row->reason);
		seq_printf(s, "not ok %u %s\n", number, name);
		break;
	}
}

static int bench_results_ktap_show(struct seq_file *s, void *unused)
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
DEFINE_SHOW_ATTRIBUTE(bench_results_ktap);

void bench_create_reports(struct dentry *dir)
{
	debugfs_create_file("results", 0444, dir, NULL, &bench_results_fops);
	debugfs_create_file("results.json", 0444, dir, NULL,
			    &bench_results_json_fops);
	debugfs_create_file("results.ktap", 0444, dir, NULL,
			    &bench_results_ktap_fops);
}
