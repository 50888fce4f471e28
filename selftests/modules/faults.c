// SPDX-License-Identifier: GPL-2.0
/*
 * Have allocations fail, one at a time or all, of the task that asks for it.
 *
 * Kprobes on the two functions that every allocation asks do that in any kernel
 * with error injection; CONFIG_FAULT_INJECTION is not needed.
 */
#include <linux/gfp.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "ops_test.h"
#include "regs.h"

static struct {
	struct task_struct *task;
	unsigned int count;
	unsigned int nth;
	bool probed;
} of;

static int of_decide(struct pt_regs *regs, gfp_t gfp, unsigned long failed)
{
	if (current != READ_ONCE(of.task) || !in_task() || gfp & __GFP_NOFAIL)
		return 0;
	if (++of.count != of.nth && of.nth != OT_FAIL_ALL)
		return 0;
	/* As if the function had returned, to where it was called from. */
	regs_set_return_value(regs, failed);
	instruction_pointer_set(regs, regs_lr(regs));
	return 1;
}

/* int should_failslab(struct kmem_cache *s, gfp_t gfpflags) */
static int of_slab(struct kprobe *kp, struct pt_regs *regs)
{
	return of_decide(regs, regs_arg(regs, 1), -ENOMEM);
}

/* bool should_fail_alloc_page(gfp_t gfp_mask, unsigned int order) */
static int of_page(struct kprobe *kp, struct pt_regs *regs)
{
	return of_decide(regs, regs_arg(regs, 0), true);
}

static struct kprobe of_kprobes[] = {
	{ .symbol_name = "should_failslab", .pre_handler = of_slab },
	{ .symbol_name = "should_fail_alloc_page", .pre_handler = of_page },
};

static struct kprobe *of_list[] = { &of_kprobes[0], &of_kprobes[1] };

/**
 * ot_fail_start - get ready to have allocations fail
 *
 * Return: 0, or an error if there is no way to do so.
 */
int ot_fail_start(void)
{
	int err;

	if (of.probed)
		return -EBUSY;
	err = register_kprobes(of_list, ARRAY_SIZE(of_list));
	of.probed = !err;
	return err;
}

/**
 * ot_fail_stop - undo ot_fail_start()
 */
void ot_fail_stop(void)
{
	ot_fail_done();
	if (of.probed)
		unregister_kprobes(of_list, ARRAY_SIZE(of_list));
	/* To be registered again. */
	of_kprobes[0].addr = NULL;
	of_kprobes[0].flags = 0;
	of_kprobes[1].addr = NULL;
	of_kprobes[1].flags = 0;
	of.probed = false;
}

/**
 * ot_fail - have allocations of this task fail from now on
 * @nth: which one, %OT_FAIL_ALL for all
 */
void ot_fail(unsigned int nth)
{
	of.count = 0;
	of.nth = nth;
	barrier();
	WRITE_ONCE(of.task, current);
}

/**
 * ot_fail_done - no more failures
 *
 * Return: true if an allocation has failed since ot_fail().
 */
bool ot_fail_done(void)
{
	bool failed = of.task && of.count && of.count >= of.nth;

	WRITE_ONCE(of.task, NULL);
	barrier();
	return failed;
}
