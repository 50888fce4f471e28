/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The same trampoline in another module. There is no need to take care that it
 * is far away: call sites do not branch to trampolines, wherever they are.
 */
#define FTRACE_BENCH_FAR
#include "trampoline-powerpc.S"

_GLOBAL(ftrace_bench_far_tramp)
	count_and_return ftrace_bench_far_tramp, ftrace_bench_far_hits
