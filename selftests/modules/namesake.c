// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that the compiler leaves out, with the names of ones in tracees.c which have
 * arguments, or another result. These are what pahole before version 1.25 puts into BTF,
 * if this file is the first one that it sees.
 */
#include <linux/compiler.h>
#include <linux/jiffies.h>

#include "namesake.h"

static __always_inline int ftrace_namesake(void)
{
	return jiffies & 1;
}

static __always_inline int ftrace_namesake_three(void)
{
	return jiffies & 2;
}

int ftrace_call_namesake(void)
{
	return ftrace_namesake() + ftrace_namesake_three();
}
