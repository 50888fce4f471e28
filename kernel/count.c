// SPDX-License-Identifier: GPL-2.0
/*
 * Count the calls of a function by a kprobe, for user space. Perf and tracefs take no
 * kprobe on a function without a call site, and what patches call sites has none.
 *
 * Each open file has a kprobe of its own, which ends with it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "internal.h"

/* Of one open file */
struct bench_count {
	struct kprobe kp;
	char name[KSYM_NAME_LEN];
	atomic64_t calls;
	/* Guards against two writers. */
	struct mutex lock;
	bool on;
};

static int bench_count_hit(struct kprobe *kp, struct pt_regs *regs)
{
	atomic64_inc(&container_of(kp, struct bench_count, kp)->calls);
	return 0;
}
NOKPROBE_SYMBOL(bench_count_hit);

static int bench_count_open(struct inode *inode, struct file *file)
{
	struct bench_count *count = kzalloc(sizeof(*count), GFP_KERNEL);

	if (!count)
		return -ENOMEM;
	mutex_init(&count->lock);
	file->private_data = count;
	return 0;
}

/* The name of the function; there can be one in the life of a file. */
static ssize_t bench_count_write(struct file *file, const char __user *ubuf,
				 size_t size, loff_t *ppos)
{
	struct bench_count *count = file->private_data;
	char *name;
	int err;

	if (size >= sizeof(count->name))
		return -EINVAL;
	name = memdup_user_nul(ubuf, size);
	if (IS_ERR(name))
		return PTR_ERR(name);
	mutex_lock(&count->lock);
	err = -EBUSY;
	if (!count->on) {
		strscpy(count->name, strim(name), sizeof(count->name));
		memset(&count->kp, 0, sizeof(count->kp));
		count->kp.symbol_name = count->name;
		count->kp.pre_handler = bench_count_hit;
		err = register_kprobe(&count->kp);
		count->on = !err;
	}
	if (err && err != -EBUSY)
		pr_err("count: no kprobe on '%s': %d\n", count->name, err);
	mutex_unlock(&count->lock);
	kfree(name);
	return err ?: size;
}

static ssize_t bench_count_read(struct file *file, char __user *ubuf, size_t size,
				loff_t *ppos)
{
	struct bench_count *count = file->private_data;
	char text[24];
	int len;

	len = scnprintf(text, sizeof(text), "%lld\n",
			(long long)atomic64_read(&count->calls));
	return simple_read_from_buffer(ubuf, size, ppos, text, len);
}

static int bench_count_release(struct inode *inode, struct file *file)
{
	struct bench_count *count = file->private_data;

	if (count->on)
		unregister_kprobe(&count->kp);
	kfree(count);
	return 0;
}

const struct file_operations bench_count_fops = {
	.owner		= THIS_MODULE,
	.open		= bench_count_open,
	.read		= bench_count_read,
	.write		= bench_count_write,
	.release	= bench_count_release,
};
