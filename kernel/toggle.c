// SPDX-License-Identifier: GPL-2.0
/*
 * An ops on many functions, for user space to measure what it takes to turn it
 * on and off. It says which functions by their numbers, in the order in which
 * available_filter_functions in tracefs has them.
 *
 * Each open file has an ops of its own, which ends with it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "internal.h"

#define MAX_TOGGLE	10000

struct bench_toggle {
	struct bench_ops ops;
	bool set, on;
};

static int bench_toggle_off(struct bench_toggle *t)
{
	int err;

	lockdep_assert_held(&bench_run_lock);
	if (!t->on)
		return 0;
	err = unregister_ftrace_function(&t->ops.ops);
	t->on = !!err;
	return err;
}

static void bench_toggle_clear(struct bench_toggle *t)
{
	ftrace_free_filter(&t->ops.ops);
	memset(t, 0, sizeof(*t));
}

/* No filter is all functions. */
static int bench_toggle_filter(struct bench_toggle *t, const char *count)
{
	unsigned int i, nr = 0;
	char number[12];
	int err = 0;

	if (t->on)
		return -EBUSY;
	if (strcmp(count, "all")) {
		err = kstrtouint(count, 10, &nr);
		if (err)
			return err;
		if (!nr || nr > MAX_TOGGLE)
			return -EINVAL;
	}
	bench_toggle_clear(t);
	t->ops.ops.func = bench_callback;
	for (i = 1; i <= nr && !err; i++) {
		snprintf(number, sizeof(number), "%u", i);
		err = ftrace_set_filter(&t->ops.ops, number, strlen(number), 0);
	}
	if (err)
		bench_toggle_clear(t);
	t->set = !err;
	return err;
}

static int bench_toggle_command(struct bench_toggle *t, char *command)
{
	int err;

	lockdep_assert_held(&bench_run_lock);
	if (!strncmp(command, "set ", 4))
		return bench_toggle_filter(t, command + 4);
	if (!strcmp(command, "on")) {
		if (!t->set)
			return -ENOENT;
		if (t->on)
			return -EBUSY;
		err = register_ftrace_function(&t->ops.ops);
		t->on = !err;
		return err;
	}
	if (!strcmp(command, "off"))
		return bench_toggle_off(t);
	return -EINVAL;
}

static int bench_toggle_open(struct inode *inode, struct file *file)
{
	file->private_data = kzalloc(sizeof(struct bench_toggle), GFP_KERNEL);
	return file->private_data ? 0 : -ENOMEM;
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
		err = bench_toggle_command(file->private_data, strim(buf));
		mutex_unlock(&bench_run_lock);
	}
	if (err == -EINVAL || err == -ERANGE)
		pr_err("toggle: valid are set 1 to set %u, set all, on, off\n",
		       MAX_TOGGLE);
	kfree(buf);
	return err ?: count;
}

/*
 * An ops that ftrace does not let go of may still be called: its memory stays, and
 * so must the module with the callback.
 */
static int bench_toggle_release(struct inode *inode, struct file *file)
{
	struct bench_toggle *t = file->private_data;
	int err = 0;

	/* Who has nothing on does not wait for the end of a run. */
	if (t->on) {
		mutex_lock(&bench_run_lock);
		err = bench_toggle_off(t);
		mutex_unlock(&bench_run_lock);
	}
	if (err) {
		pr_err("cannot unregister: %d, the module must stay\n", err);
		__module_get(THIS_MODULE);
		return 0;
	}
	ftrace_free_filter(&t->ops.ops);
	kfree(t);
	return 0;
}

const struct file_operations bench_toggle_fops = {
	.owner		= THIS_MODULE,
	.open		= bench_toggle_open,
	.write		= bench_toggle_write,
	.release	= bench_toggle_release,
};
