// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ftrace_ops and direct calls from inside the kernel.
 *
 * In debugfs, folder ftrace_ops_test:
 *
 *	tests	read: the names of the tests
 *	features read: what the kernel has of "direct", "call_ops", "ops_sets" and
 *			"kprobes_on_ftrace"
 *	run	write: names of tests with white space between them, or "all" or
 *		"regression" (what any kernel has to pass); runs them
 *	results	read: KTAP of the last run
 *	hold	write: what to attach and leave attached to the near sum2(), out
 *		of "ops", "ops2", "guarded", "regs", "direct", "direct-far",
 *		"legacy" and "legacy-far"; "regs-left" is like "regs", but then
 *		goes to another function; ops that come after "no-memory" get
 *		registered without any; "none" detaches everything
 *	call	write: so many calls of that function
 *	hits	read: how many calls the last write to "call" made, how many of
 *		them returned a wrong value, and how many each tracer got
 *	fail	write: which allocation of the writing task is to fail from now
 *		on, 0 for none; read: ends that, and tells if it has failed;
 *		closing it ends that, too
 *
 * Each test runs twice, as <test>.near with functions in this module and as
 * <test>.far with functions of ftrace_ops_test_far, whose call sites reach
 * ftrace's entry code through a PLT.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "ops_test.h"
#include "steps.h"

#define OT_OUT_SIZE	SZ_64K
/* After so many failures a test says nothing more about further ones. */
#define OT_MAX_FAILURES	10

unsigned int ot_toggles = 200;
module_param_steps(toggles, ot_toggles);
MODULE_PARM_DESC(toggles, "Steps of the load and random tests (default 200)");

unsigned int ot_seed = 1;
module_param_named(seed, ot_seed, uint, 0644);
MODULE_PARM_DESC(seed, "Seed of the random tests (default 1)");

/*
 * Tests of the tests. Each of these must make a test fail:
 *	<test>		the first comparison of that test is spoiled
 *	clobber		the direct trampolines lose an argument
 *	extra-call	functions are called once more than expected
 */
static char *sabotage = "";
module_param(sabotage, charp, 0444);
MODULE_PARM_DESC(sabotage, "Make tests fail: name of a test, clobber or extra-call");

unsigned int ot_extra_calls;

/* Ops that call sites treat in different ways */
const unsigned long ot_kinds[OT_NR_KINDS] = {
	0,
	FTRACE_OPS_FL_RECURSION,
	FTRACE_OPS_FL_SAVE_REGS,
};

/* Held over a run, and while tracers are held for user space. */
static DEFINE_MUTEX(ot_run_lock);
static char *ot_out_buf;
static struct seq_buf ot_out;
static struct ot_ctx *ot_held;
static unsigned int ot_held_calls;
static unsigned int ot_held_wrong;
static struct dentry *ot_dir;

/**
 * ot_note - print a comment
 * @c: the test
 * @fmt: as for printk()
 */
void ot_note(struct ot_ctx *c, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	vaf.va = &args;
	seq_buf_printf(c->out, "# %s.%s: %pV\n", c->name, c->side->name, &vaf);
	va_end(args);
}

/**
 * ot_expect - compare, and fail the test if there is a difference
 * @c: the test
 * @got: what is
 * @want: what must be
 * @fmt: what it is about
 *
 * Return: true if they are the same.
 */
bool ot_expect(struct ot_ctx *c, s64 got, s64 want, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	bool same = got == want;
	va_list args;

	/* Whoever keeps account of what is attached must not be misled. */
	if (c->sabotage) {
		c->sabotage = false;
		want++;
	}
	if (got == want || c->failed++ >= OT_MAX_FAILURES)
		return same;
	va_start(args, fmt);
	vaf.va = &args;
	seq_buf_printf(c->out, "# %s.%s: %pV: got %lld, want %lld\n", c->name,
		       c->side->name, &vaf, got, want);
	va_end(args);
	return same;
}

/**
 * ot_tramp - a trampoline that only counts
 * @side: the module that has it
 * @nr: 0 or 1
 *
 * Return: the trampoline.
 */
const struct ot_tramp *ot_tramp(const struct ot_side *side, unsigned int nr)
{
	if (!nr && !strcmp(sabotage, "clobber"))
		return &side->clobber;
	return &side->count[nr];
}

static struct ot_ctx *ot_new_ctx(const struct ot_side *side)
{
	struct ot_ctx *c = kzalloc(sizeof(*c), GFP_KERNEL);

	if (c) {
		c->out = &ot_out;
		c->side = side;
		c->away = side == &ot_near_side ? &ot_far_side : &ot_near_side;
		c->task = current;
	}
	return c;
}

static bool ot_have_direct(void)
{
	unsigned long ip = ot_func(&ot_near_side, OT_SUM2);
	unsigned long tramp = ot_near_side.count[0].addr;
	int err = register_ftrace_direct(ip, tramp);

	if (!err)
		unregister_ftrace_direct(ip, tramp);
	/* Any other error is for the tests to find. */
	return err != -ENOTSUPP;
}

/**
 * ot_have_sets - do call sites name the ops if these are several?
 *
 * The list function guards against recursion whether asked to or not.
 *
 * Return: true if they do; a boot parameter can turn it off.
 */
bool ot_have_sets(void)
{
	struct ot_ctx *c = ot_new_ctx(&ot_near_side);
	bool have;

	if (!c)
		return false;
	c->name = "have_sets";
	ot_add_ops(c, 0, 0, BIT(OT_SUM2));
	ot_add_ops(c, 1, 0, BIT(OT_SUM2));
	c->ops[0].recurse = true;
	ot_call(c, OT_SUM2);
	have = c->ops[0].hits[OT_SUM2] > OT_GUARDED_HITS;
	ot_detach_all(c);
	kfree(c);
	return have;
}

static const char *ot_missing(unsigned int needs)
{
	if (needs & OT_NEEDS_DIRECT && !ot_have_direct())
		return "no direct calls on this kernel";
	if (needs & OT_NEEDS_CALL_OPS &&
	    !IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS))
		return "call sites do not name their ops on this kernel";
	if (needs & OT_NEEDS_SETS && !ot_have_sets())
		return "call sites do not name several ops on this kernel";
	if (needs & OT_NEEDS_AWAY &&
	    ot_in_range(ot_func(&ot_near_side, OT_SUM2),
			ot_far_side.count[0].addr))
		return "modules are in branch range of each other";
	return NULL;
}

static void ot_run_test(const struct ot_test *test, const struct ot_side *side,
			unsigned int number)
{
	struct ot_ctx *c = ot_new_ctx(side);

	if (!c) {
		seq_buf_printf(&ot_out, "# out of memory\nnot ok %u %s.%s\n",
			       number, test->name, side->name);
		return;
	}
	c->name = test->name;
	c->sabotage = !strcmp(sabotage, test->name);
	c->skip = ot_missing(test->needs);
	if (!c->skip) {
		pr_info("%s.%s\n", test->name, side->name);
		test->run(c);
		ot_load_stop(c);
		ot_detach_all(c);
	}
	if (c->skip && !c->failed)
		seq_buf_printf(&ot_out, "ok %u %s.%s # SKIP %s\n", number,
			       test->name, side->name, c->skip);
	else
		seq_buf_printf(&ot_out, "%s %u %s.%s\n",
			       c->failed ? "not ok" : "ok", number, test->name,
			       side->name);
	kfree(c);
}

static const struct ot_side *const ot_sides[] = { &ot_near_side, &ot_far_side };

/* All tests, in the order in which they run */
static const struct {
	const struct ot_test *tests;
	const unsigned int *nr;
} ot_tests[] = {
	{ ot_ops_tests, &ot_nr_ops_tests },
	{ ot_kprobes_tests, &ot_nr_kprobes_tests },
	{ ot_sets_tests, &ot_nr_sets_tests },
	{ ot_direct_tests, &ot_nr_direct_tests },
#if defined(CONFIG_PPC64) && defined(CONFIG_LIVEPATCH)
	{ ot_livepatch_tests, &ot_nr_livepatch_tests },
#endif
};

static unsigned int ot_nr_tests(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(ot_tests); i++)
		nr += *ot_tests[i].nr;
	return nr;
}

static const struct ot_test *ot_test(unsigned int nr)
{
	unsigned int i;

	for (i = 0; nr >= *ot_tests[i].nr; i++)
		nr -= *ot_tests[i].nr;
	return &ot_tests[i].tests[nr];
}

/* Bits of the near tests in order, then those of the far ones. */
#define OT_MAX_TESTS	128

static int ot_parse_test(const char *name, unsigned long *mask)
{
	bool all = !strcmp(name, "all");
	bool regression = !strcmp(name, "regression");
	unsigned int i, side;
	bool found = false;

	for (i = 0; i < ot_nr_tests(); i++) {
		const struct ot_test *test = ot_test(i);
		size_t len = strlen(test->name);

		for (side = 0; side < ARRAY_SIZE(ot_sides); side++) {
			if (all || (regression && !test->needs) ||
			    !strcmp(name, test->name) ||
			    (!strncmp(name, test->name, len) &&
			     name[len] == '.' &&
			     !strcmp(name + len + 1, ot_sides[side]->name))) {
				__set_bit(i + side * ot_nr_tests(), mask);
				found = true;
			}
		}
	}
	if (found)
		return 0;
	pr_err("unknown test '%s'; see the file tests\n", name);
	return -EINVAL;
}

static long ot_distance(const struct ot_side *side)
{
	return ot_func(side, OT_SUM2) - (unsigned long)register_ftrace_function;
}

static int ot_run(const unsigned long *mask)
{
	unsigned int i, number = 0;

	seq_buf_init(&ot_out, ot_out_buf, OT_OUT_SIZE);
	seq_buf_printf(&ot_out, "KTAP version 1\n1..%u\n",
		       bitmap_weight(mask, OT_MAX_TESTS));
	seq_buf_printf(&ot_out,
		       "# near functions: %ld bytes from the kernel's text\n",
		       ot_distance(&ot_near_side));
	seq_buf_printf(&ot_out,
		       "# far functions: %ld bytes from the kernel's text\n",
		       ot_distance(&ot_far_side));
	for_each_set_bit(i, mask, OT_MAX_TESTS) {
		if (fatal_signal_pending(current))
			return -EINTR;
		ot_run_test(ot_test(i % ot_nr_tests()),
			    ot_sides[i / ot_nr_tests()], ++number);
	}
	return 0;
}

static ssize_t ot_run_write(struct file *file, const char __user *ubuf,
			    size_t count, loff_t *ppos)
{
	DECLARE_BITMAP(mask, OT_MAX_TESTS) = { };
	char *buf, *p, *name;
	int err = 0;

	if (count >= PAGE_SIZE)
		return -EINVAL;
	buf = memdup_user_nul(ubuf, count);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	p = buf;
	while (!err && (name = strsep(&p, " \t\n"))) {
		if (*name)
			err = ot_parse_test(name, mask);
	}
	kfree(buf);
	if (err)
		return err;
	if (bitmap_empty(mask, OT_MAX_TESTS))
		return -EINVAL;

	if (!mutex_trylock(&ot_run_lock))
		return -EBUSY;
	err = ot_held ? -EBUSY : ot_run(mask);
	mutex_unlock(&ot_run_lock);
	return err ?: count;
}

static const struct file_operations ot_run_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= ot_run_write,
};

static int results_show(struct seq_file *s, void *unused)
{
	if (!mutex_trylock(&ot_run_lock))
		return -EBUSY;
	if (seq_buf_has_overflowed(&ot_out))
		seq_puts(s, "# too much output\nnot ok 0 output\n");
	else
		seq_write(s, ot_out.buffer, ot_out.len);
	mutex_unlock(&ot_run_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(results);

static int tests_show(struct seq_file *s, void *unused)
{
	unsigned int i;

	for (i = 0; i < ot_nr_tests(); i++)
		seq_printf(s, "%s\n", ot_test(i)->name);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(tests);

static int features_show(struct seq_file *s, void *unused)
{
	if (!mutex_trylock(&ot_run_lock))
		return -EBUSY;
	if (!ot_missing(OT_NEEDS_DIRECT))
		seq_puts(s, "direct\n");
	if (!ot_missing(OT_NEEDS_CALL_OPS))
		seq_puts(s, "call_ops\n");
	if (!ot_missing(OT_NEEDS_SETS))
		seq_puts(s, "ops_sets\n");
	if (IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
		seq_puts(s, "kprobes_on_ftrace\n");
	mutex_unlock(&ot_run_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(features);

static void ot_hold_none(void)
{
	if (!ot_held)
		return;
	ot_detach_all(ot_held);
	kfree(ot_held);
	ot_held = NULL;
}

static int ot_hold_one(struct ot_ctx *c, const char *name)
{
	static const struct {
		const char *name;
		unsigned int nr;
		unsigned long flags;
		bool leaves;
	} kinds[] = {
		{ "ops", 0, 0 },
		{ "ops2", 1, 0 },
		{ "guarded", 2, FTRACE_OPS_FL_RECURSION },
		{ "regs", 2, FTRACE_OPS_FL_SAVE_REGS },
		{ "regs-left", 2, FTRACE_OPS_FL_SAVE_REGS, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(name, kinds[i].name))
			continue;
		if (c->ops[kinds[i].nr].registered)
			return -EBUSY;
		ot_add_ops(c, kinds[i].nr, kinds[i].flags, BIT(OT_SUM2));
		if (kinds[i].leaves)
			ot_set_filter(c, kinds[i].nr, BIT(OT_OTHER));
		return c->failed ? -EIO : 0;
	}
	if (!strcmp(name, "no-memory")) {
		if (ot_fail_start())
			return -EOPNOTSUPP;
		c->no_memory = true;
	} else if (!strcmp(name, "direct")) {
		ot_add_direct(c, OT_MULTI, BIT(OT_SUM2), ot_tramp(c->side, 0));
	} else if (!strcmp(name, "direct-far")) {
		ot_add_direct(c, OT_MULTI, BIT(OT_SUM2), ot_tramp(c->away, 0));
	} else if (!strcmp(name, "legacy")) {
		ot_add_direct(c, OT_LEGACY, BIT(OT_SUM2), ot_tramp(c->side, 0));
	} else if (!strcmp(name, "legacy-far")) {
		ot_add_direct(c, OT_LEGACY, BIT(OT_SUM2), ot_tramp(c->away, 0));
	} else {
		return -EINVAL;
	}
	return c->failed ? -EIO : 0;
}

static int ot_hold(char *names)
{
	char *name;
	int err = 0;

	ot_hold_none();
	ot_held = ot_new_ctx(&ot_near_side);
	if (!ot_held)
		return -ENOMEM;
	ot_held->name = "hold";
	seq_buf_init(&ot_out, ot_out_buf, OT_OUT_SIZE);
	while (!err && (name = strsep(&names, " \t\n"))) {
		if (*name && strcmp(name, "none"))
			err = ot_hold_one(ot_held, name);
	}
	ot_fail_stop();
	if (err) {
		pr_err("cannot hold '%s'\n", name);
		ot_hold_none();
	}
	return err;
}

static int ot_call_held(char *number)
{
	unsigned int i, calls;
	int err;

	err = kstrtouint(strim(number), 10, &calls);
	if (err)
		return err;
	if (!ot_held)
		return -ENODEV;
	/* Each write may come from another process. */
	ot_held->task = current;
	ot_reset_hits(ot_held);
	ot_held_calls = calls;
	ot_held_wrong = 0;
	for (i = 0; i < calls; i++) {
		u32 got = ot_call(ot_held, OT_SUM2);

		if (got != (u32)(ot_held->in.x[0] + ot_held->in.x[1]))
			ot_held_wrong++;
	}
	return 0;
}

static ssize_t ot_locked_write(const char __user *ubuf, size_t count,
			       int (*fn)(char *arg))
{
	char *buf;
	int err;

	if (count >= PAGE_SIZE)
		return -EINVAL;
	buf = memdup_user_nul(ubuf, count);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	err = -EBUSY;
	if (mutex_trylock(&ot_run_lock)) {
		err = fn(buf);
		mutex_unlock(&ot_run_lock);
	}
	kfree(buf);
	return err ?: count;
}

static ssize_t ot_hold_write(struct file *file, const char __user *ubuf,
			     size_t count, loff_t *ppos)
{
	return ot_locked_write(ubuf, count, ot_hold);
}

static const struct file_operations ot_hold_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= ot_hold_write,
};

static ssize_t ot_call_write(struct file *file, const char __user *ubuf,
			     size_t count, loff_t *ppos)
{
	return ot_locked_write(ubuf, count, ot_call_held);
}

static const struct file_operations ot_call_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= ot_call_write,
};

static int hits_show(struct seq_file *s, void *unused)
{
	unsigned int i;

	if (!mutex_trylock(&ot_run_lock))
		return -EBUSY;
	seq_printf(s, "calls %u\nwrong %u\n", ot_held_calls, ot_held_wrong);
	for (i = 0; ot_held && i < OT_NR_OPS; i++) {
		if (ot_held->ops[i].registered)
			seq_printf(s, "ops%u %u\nbad%u %u\n", i,
				   ot_held->ops[i].hits[OT_SUM2], i,
				   ot_held->ops[i].bad);
	}
	if (ot_held && ot_held->direct[OT_SUM2])
		seq_printf(s, "direct %lld\n",
			   atomic64_read(ot_held->direct[OT_SUM2]->hits));
	mutex_unlock(&ot_run_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(hits);

/* Nothing below may allocate memory, or that might be what fails. */
static ssize_t ot_fail_write(struct file *file, const char __user *ubuf,
			     size_t count, loff_t *ppos)
{
	unsigned int nth;
	int err = kstrtouint_from_user(ubuf, count, 10, &nth);

	if (err)
		return err;
	if (!mutex_trylock(&ot_run_lock))
		return -EBUSY;
	ot_fail_stop();
	if (nth)
		err = ot_fail_start();
	if (nth && !err)
		ot_fail(nth);
	mutex_unlock(&ot_run_lock);
	return err ?: count;
}

static ssize_t ot_fail_read(struct file *file, char __user *ubuf, size_t count,
			    loff_t *ppos)
{
	const char *text = ot_fail_done() ? "1\n" : "0\n";

	return simple_read_from_buffer(ubuf, count, ppos, text, 2);
}

/* Also of a process that got killed */
static int ot_fail_release(struct inode *inode, struct file *file)
{
	mutex_lock(&ot_run_lock);
	ot_fail_stop();
	mutex_unlock(&ot_run_lock);
	return 0;
}

static const struct file_operations ot_fail_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.read	= ot_fail_read,
	.write	= ot_fail_write,
	.release = ot_fail_release,
};

static int __init ot_check_sabotage(void)
{
	unsigned int i;

	if (!strcmp(sabotage, "extra-call"))
		ot_extra_calls = 1;
	if (!*sabotage || !strcmp(sabotage, "clobber") || ot_extra_calls)
		return 0;
	for (i = 0; i < ot_nr_tests(); i++) {
		if (!strcmp(sabotage, ot_test(i)->name))
			return 0;
	}
	pr_err("bad sabotage=%s; valid are clobber, extra-call and names of tests\n",
	       sabotage);
	return -EINVAL;
}

static int __init ot_init(void)
{
	int err;

	err = ot_check_sabotage();
	if (err)
		return err;
	if (WARN_ON(2 * ot_nr_tests() > OT_MAX_TESTS))
		return -EINVAL;
	ot_out_buf = vmalloc(OT_OUT_SIZE);
	if (!ot_out_buf)
		return -ENOMEM;
	seq_buf_init(&ot_out, ot_out_buf, OT_OUT_SIZE);
	ot_dir = debugfs_create_dir("ftrace_ops_test", NULL);
	if (IS_ERR(ot_dir)) {
		vfree(ot_out_buf);
		return PTR_ERR(ot_dir);
	}
	debugfs_create_file("tests", 0444, ot_dir, NULL, &tests_fops);
	debugfs_create_file("features", 0444, ot_dir, NULL, &features_fops);
	debugfs_create_file("run", 0200, ot_dir, NULL, &ot_run_fops);
	debugfs_create_file("results", 0444, ot_dir, NULL, &results_fops);
	debugfs_create_file("hold", 0200, ot_dir, NULL, &ot_hold_fops);
	debugfs_create_file("call", 0200, ot_dir, NULL, &ot_call_fops);
	debugfs_create_file("hits", 0444, ot_dir, NULL, &hits_fops);
	debugfs_create_file("fail", 0600, ot_dir, NULL, &ot_fail_fops);
	return 0;
}

static void __exit ot_exit(void)
{
	debugfs_remove(ot_dir);
	ot_hold_none();
	ot_fail_stop();
	vfree(ot_out_buf);
}

module_init(ot_init);
module_exit(ot_exit);

MODULE_DESCRIPTION("Tests of ftrace_ops and direct calls");
MODULE_LICENSE("GPL");
