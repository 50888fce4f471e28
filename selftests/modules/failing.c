// SPDX-License-Identifier: GPL-2.0
/*
 * A module whose init function fails when it is told to: no reference keeps it from
 * being freed then, and until then its functions can be traced. Or it stays, and its
 * init code is kept for a job until it is told to let that go.
 */
#include <linux/async.h>
#include <linux/delay.h>
#include <linux/module.h>

#define FAILING_MS	60000

noinline void ftrace_failing_tracee(void);

static unsigned long tracee = (unsigned long)ftrace_failing_tracee;
module_param(tracee, ulong, 0444);
MODULE_PARM_DESC(tracee, "Address of a function");

static bool fail;
module_param(fail, bool, 0644);
MODULE_PARM_DESC(fail, "Fail now, instead of after a minute; or let the init code go");

static bool stay;
module_param(stay, bool, 0444);
MODULE_PARM_DESC(stay, "Do not fail");

noinline void ftrace_failing_tracee(void)
{
	barrier();
}

static void wait_until_told(void *data, async_cookie_t cookie)
{
	unsigned int ms;

	for (ms = 0; ms < FAILING_MS && !READ_ONCE(fail); ms += 10)
		msleep(10);
}

static int __init ftrace_failing_init(void)
{
	if (stay) {
		async_schedule(wait_until_told, NULL);
		return 0;
	}
	wait_until_told(NULL, 0);
	ftrace_failing_tracee();

	return -ENODEV;
}
module_init(ftrace_failing_init);

static void __exit ftrace_failing_exit(void)
{
}
module_exit(ftrace_failing_exit);

MODULE_DESCRIPTION("Fails to be initialized");
MODULE_LICENSE("GPL");
