/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A direct trampoline that counts a hit and goes back to the tracee, whose
 * call site has called it: the stack has the address after the call site and
 * above it the tracee's own return address. Only the flags are free, so one
 * instruction counts and one returns.
 */
#include <linux/linkage.h>

SYM_FUNC_START(ftrace_bench_near_tramp)
	incq	ftrace_bench_near_hits(%rip)	// counter
	RET
SYM_FUNC_END(ftrace_bench_near_tramp)
