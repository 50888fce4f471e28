// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of fprobes, and of what shares the return of a function with them: run those
 * in fprobe_test.c.
 *
 * In debugfs, folder ftrace_fprobe_test:
 *
 *	tests	read: the names of the tests
 *	run	write: names of tests with white space between them, or "all"
 *	results	read: KTAP of the last run
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/seq_buf.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "fprobe_test.h"
#include "steps.h"

#define FPT_OUT_SIZE	SZ_64K
#define FPT_MAX_TESTS	64

unsigned int fpt_loops = 20000;
module_param_steps(loops, fpt_loops);
MODULE_PARM_DESC(loops, "Calls of each task in the contention test (default 20000)");

unsigned int fpt_toggles = 60;
module_param_steps(toggles, fpt_toggles);
MODULE_PARM_DESC(toggles, "Steps of the load test (default 60)");

bool fpt_beside;
module_param_named(beside, fpt_beside, bool, 0644);
MODULE_PARM_DESC(beside, "Another tracer is on the functions");

/* Must make the test of that name fail: its first comparison is spoiled. */
static char *sabotage = "";
module_param(sabotage, charp, 0444);
MODULE_PARM_DESC(sabotage, "Make a test fail");

static DEFINE_MUTEX(fpt_lock);
static char *fpt_out_buf;
static struct seq_buf fpt_out;
static struct dentry *fpt_dir;

/* Of the running test */
static const char *fpt_name;
unsigned int fpt_failed;
static bool fpt_spoil;
const char *fpt_skip;

/**
 * fpt_note - print a comment
 * @fmt: as for printk()
 */
void fpt_note(const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	vaf.va = &args;
	seq_buf_printf(&fpt_out, "# %s: %pV\n", fpt_name, &vaf);
	va_end(args);
}

/**
 * expect - compare, and fail the test if there is a difference
 * @what: what it is about
 * @got: what is
 * @want: what must be
 *
 * Return: true if they are the same.
 */
bool expect(const char *what, s64 got, s64 want)
{
	bool same = got == want;

	/* Whoever registers something must not be misled. */
	if (fpt_spoil) {
		fpt_spoil = false;
		want++;
	}
	if (got != want && fpt_failed++ < 10)
		fpt_note("%s: got %lld, want %lld", what, got, want);
	return same;
}

static void fpt_run_one(const struct fpt_test *test, unsigned int number)
{
	fpt_name = test->name;
	fpt_failed = 0;
	fpt_skip = NULL;
	fpt_spoil = !strcmp(sabotage, test->name);
	pr_info("%s\n", test->name);
	if (IS_ENABLED(CONFIG_FPROBE))
		test->run();
	else
		fpt_skip = "no fprobes on this kernel";
	if (fpt_skip && !fpt_failed)
		seq_buf_printf(&fpt_out, "ok %u %s # SKIP %s\n", number,
			       test->name, fpt_skip);
	else
		seq_buf_printf(&fpt_out, "%s %u %s\n",
			       fpt_failed ? "not ok" : "ok", number, test->name);
}

static int fpt_run(char *names)
{
	DECLARE_BITMAP(mask, FPT_MAX_TESTS) = { };
	unsigned int i, number = 0;
	char *name;

	while ((name = strsep(&names, " \t\n"))) {
		bool found = !*name;

		for (i = 0; i < fpt_nr_tests; i++) {
			if (strcmp(name, "all") && strcmp(name, fpt_tests[i].name))
				continue;
			__set_bit(i, mask);
			found = true;
		}
		if (!found) {
			pr_err("unknown test '%s'; see the file tests\n", name);
			return -EINVAL;
		}
	}
	seq_buf_init(&fpt_out, fpt_out_buf, FPT_OUT_SIZE);
	seq_buf_printf(&fpt_out, "KTAP version 1\n1..%u\n",
		       bitmap_weight(mask, fpt_nr_tests));
	for_each_set_bit(i, mask, fpt_nr_tests) {
		if (fatal_signal_pending(current))
			return -EINTR;
		fpt_run_one(&fpt_tests[i], ++number);
	}
	return 0;
}

static ssize_t fpt_run_write(struct file *file, const char __user *ubuf,
			     size_t count, loff_t *ppos)
{
	char *buf;
	int err = -EBUSY;

	if (count >= PAGE_SIZE)
		return -EINVAL;
	buf = memdup_user_nul(ubuf, count);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	if (mutex_trylock(&fpt_lock)) {
		err = fpt_run(buf);
		mutex_unlock(&fpt_lock);
	}
	kfree(buf);
	return err ?: count;
}

static const struct file_operations fpt_run_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= fpt_run_write,
};

static int results_show(struct seq_file *s, void *unused)
{
	if (!mutex_trylock(&fpt_lock))
		return -EBUSY;
	if (seq_buf_has_overflowed(&fpt_out))
		seq_puts(s, "# too much output\nnot ok 0 output\n");
	else
		seq_write(s, fpt_out.buffer, fpt_out.len);
	mutex_unlock(&fpt_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(results);

static int tests_show(struct seq_file *s, void *unused)
{
	unsigned int i;

	for (i = 0; i < fpt_nr_tests; i++)
		seq_printf(s, "%s\n", fpt_tests[i].name);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(tests);

static int __init fpt_init(void)
{
	if (WARN_ON(fpt_nr_tests > FPT_MAX_TESTS))
		return -EINVAL;
	fpt_out_buf = vzalloc(FPT_OUT_SIZE);
	if (!fpt_out_buf)
		return -ENOMEM;
	seq_buf_init(&fpt_out, fpt_out_buf, FPT_OUT_SIZE);
	fpt_dir = debugfs_create_dir("ftrace_fprobe_test", NULL);
	if (IS_ERR(fpt_dir)) {
		vfree(fpt_out_buf);
		return PTR_ERR(fpt_dir);
	}
	debugfs_create_file("tests", 0444, fpt_dir, NULL, &tests_fops);
	debugfs_create_file("run", 0200, fpt_dir, NULL, &fpt_run_fops);
	debugfs_create_file("results", 0444, fpt_dir, NULL, &results_fops);
	return 0;
}

static void __exit fpt_exit_module(void)
{
	debugfs_remove(fpt_dir);
	vfree(fpt_out_buf);
}

module_init(fpt_init);
module_exit(fpt_exit_module);

MODULE_DESCRIPTION("Tests of fprobes");
MODULE_LICENSE("GPL");
