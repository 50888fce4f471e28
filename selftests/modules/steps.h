/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Module parameters that say how often a test does something: with 0 it would have
 * nothing to find.
 */
#ifndef FTRACE_TEST_STEPS_H
#define FTRACE_TEST_STEPS_H

#include <linux/moduleparam.h>
#include <linux/printk.h>

#define MAX_STEPS	1000000

static int set_steps(const char *val, const struct kernel_param *kp)
{
	int err = param_set_uint_minmax(val, kp, 1, MAX_STEPS);

	if (err)
		pr_err("%s takes 1 to %d\n", kp->name, MAX_STEPS);
	return err;
}

static const struct kernel_param_ops steps_ops = {
	.set	= set_steps,
	.get	= param_get_uint,
};

#define module_param_steps(name, value)				\
	module_param_cb(name, &steps_ops, &(value), 0644);	\
	__MODULE_PARM_TYPE(name, "uint")

#endif /* FTRACE_TEST_STEPS_H */
