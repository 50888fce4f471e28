// SPDX-License-Identifier: GPL-2.0
/* The files in debugfs by which runs are started, and told how they went. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tick.h>
#include <linux/uaccess.h>

#include "internal.h"

/* Do what the text says, in a file of its own kind; nobody else runs then. */
static ssize_t bench_write(const char __user *ubuf, size_t count,
			   int (*command)(char *text))
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
		err = command(strim(buf));
		mutex_unlock(&bench_run_lock);
	}
	kfree(buf);
	return err ?: count;
}

static int bench_run_command(char *list)
{
	unsigned long masks[BENCH_NR_CONTEXTS];

	return bench_parse_cases(list, masks) ?: bench_run(masks);
}

static ssize_t bench_run_write(struct file *file, const char __user *ubuf,
			       size_t count, loff_t *ppos)
{
	return bench_write(ubuf, count, bench_run_command);
}

static const struct file_operations bench_run_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= bench_run_write,
};

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
	for (i = 0; i < bench_nr_cases; i++) {
		if (!strcmp(name, bench_cases[i].name))
			goto bad;
	}
	return 0;
bad:
	pr_err("bad name for an external row: up to %zu of A-Z a-z 0-9 - _ . + and not the name of a case\n",
	       sizeof_field(struct bench_row, name) - 1);
	return -EINVAL;
}

static int bench_external_command(char *name)
{
	static struct bench_attached nothing;
	enum bench_context context;
	struct bench_row *row;
	int err;

	err = bench_split_name(name, &context);
	err = err ?: bench_check_external_name(name);
	if (err)
		return err;
	row = bench_new_row(name, NULL, context);
	if (!row)
		return -ENOMEM;
	bench_path(row->path, sizeof(row->path), NULL);
	if (!strncmp(row->path, "unknown:", 8))
		bench_set_failed(row, "the path is %s", row->path);
	err = bench_measure(row, &nothing);
	if (err) {
		kfree(row);
		return err;
	}
	/* For who has to call it again, to count */
	if (!strcmp(name, "-")) {
		kfree(row);
		return 0;
	}
	bench_log_row(row, 1, 1);
	bench_add_row(row);
	return 0;
}

static ssize_t bench_external_write(struct file *file, const char __user *ubuf,
				    size_t count, loff_t *ppos)
{
	return bench_write(ubuf, count, bench_external_command);
}

static const struct file_operations bench_external_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= bench_external_write,
};

/* Texts of user space go into JSON and test results. */
static void bench_plain_text(char *text)
{
	for (; *text; text++) {
		if (!isprint(*text) || strchr("\"\\#", *text))
			*text = ' ';
	}
}

/* "hits 17 17": of the callbacks of an external row, and of the calls */
static int bench_report_hits(struct bench_row *row, const char *numbers)
{
	u64 hits, expected;

	if (sscanf(numbers, "%llu %llu", &hits, &expected) != 2)
		return -EINVAL;
	row->hits = hits;
	row->expected_hits = expected;
	row->has_hits = true;
	if (hits != expected)
		bench_set_failed(row, "%llu hits in %llu calls", hits, expected);
	return 0;
}

/*
 * What only user space knows of an external row: "name hits <hits> <calls>",
 * "name unsupported <reason>" or "name failed <reason>".
 */
static int bench_report_command(char *text)
{
	char *name = strsep(&text, " "), *verb = strsep(&text, " ");
	enum bench_context context;
	struct bench_row *row;
	bool fresh;
	int err = 0;

	if (!text)
		return -EINVAL;
	err = bench_split_name(name, &context);
	err = err ?: bench_check_external_name(name);
	if (err)
		return err;
	bench_plain_text(text);

	mutex_lock(&bench_row_lock);
	row = bench_find_row(name, context);
	fresh = !row && strcmp(verb, "hits");
	if (fresh)
		row = bench_new_row(name, NULL, context);
	if (!row)
		err = fresh ? -ENOMEM : -ENOENT;
	else if (!strcmp(verb, "hits"))
		err = bench_report_hits(row, text);
	else if (!strcmp(verb, "unsupported"))
		bench_set_unsupported(row, "%s", text);
	else if (!strcmp(verb, "failed"))
		bench_set_failed(row, "%s", text);
	else
		err = -EINVAL;
	if (fresh && err)
		kfree(row);
	mutex_unlock(&bench_row_lock);
	if (fresh && !err)
		bench_add_row(row);
	return err;
}

static ssize_t bench_report_write(struct file *file, const char __user *ubuf,
				  size_t count, loff_t *ppos)
{
	return bench_write(ubuf, count, bench_report_command);
}

static const struct file_operations bench_report_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= bench_report_write,
};

static int bench_calls_show(struct seq_file *s, void *unused)
{
	seq_printf(s, "%lld\n", (long long)atomic64_read(&bench_calls));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(bench_calls);

static int bench_cases_show(struct seq_file *s, void *unused)
{
	unsigned int i;

	for (i = 0; i < bench_nr_cases; i++)
		seq_printf(s, "%-18s %s\n", bench_cases[i].name,
			   bench_cases[i].desc);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(bench_cases);

/*
 * Microseconds in which processors had nothing to do: what is left of the time
 * that passed is what all of them did. /proc/stat counts ticks.
 */
static int bench_idle_show(struct seq_file *s, void *unused)
{
	u64 idle, sum = 0;
	int cpu;

	for_each_online_cpu(cpu) {
		idle = get_cpu_idle_time_us(cpu, NULL);
		if (idle == -1ULL)
			return -EOPNOTSUPP;
		sum += idle + get_cpu_iowait_time_us(cpu, NULL);
	}
	seq_printf(s, "%llu\n", sum);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(bench_idle);

void bench_create_files(struct dentry *dir)
{
	debugfs_create_file("run", 0200, dir, NULL, &bench_run_fops);
	debugfs_create_file("external", 0200, dir, NULL, &bench_external_fops);
	debugfs_create_file("report", 0200, dir, NULL, &bench_report_fops);
	debugfs_create_file("toggle", 0200, dir, NULL, &bench_toggle_fops);
	if (IS_ENABLED(CONFIG_KPROBES))
		debugfs_create_file("count", 0600, dir, NULL, &bench_count_fops);
	debugfs_create_file("calls", 0444, dir, NULL, &bench_calls_fops);
	debugfs_create_file("cases", 0444, dir, NULL, &bench_cases_fops);
	debugfs_create_file("idle", 0444, dir, NULL, &bench_idle_fops);
	bench_create_reports(dir);
}
