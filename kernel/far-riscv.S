/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The same trampoline in a module of its own. No call site branches to a
 * trampoline by itself on riscv, so there is no range to be out of.
 */
#define FTRACE_BENCH_FAR
#include "trampoline-riscv.S"

SYM_CODE_START(ftrace_bench_far_tramp)
	count_and_return ftrace_bench_far_hits
SYM_CODE_END(ftrace_bench_far_tramp)
