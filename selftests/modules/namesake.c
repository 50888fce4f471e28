// SPDX-License-Identifier: GPL-2.0
/*
 * A function that the compiler leaves out, with the name of one in tracees.c which has
 * arguments. This is what pahole before version 1.25 puts into BTF, if this file is the
 * first one that it sees.
 */
#include <linux/compiler.h>
#include <linux/jiffies.h>

#include "namesake.h"

static __always_inline int ftrace_namesake(void)
{
	return jiffies & 1;
}

int ftrace_call_namesake(void)
{
	return ftrace_namesake();
}
