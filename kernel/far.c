// SPDX-License-Identifier: GPL-2.0
/*
 * A direct trampoline too far away from ftrace_bench for its call site to
 * branch to it, so that ftrace must reach it through its entry code.
 * ftrace_bench looks for it when it runs the case direct-far. On arm64 the module
 * takes 128 MiB of memory and is best loaded first: see far-arm64.S for the
 * reason. On powerpc and riscv all trampolines are called that way.
 */
#include <linux/module.h>

#include "bench.h"

u64 ftrace_bench_far_hits;

struct ftrace_bench_tramp ftrace_bench_far = {
	.addr = (unsigned long)ftrace_bench_far_tramp,
	.hits = &ftrace_bench_far_hits,
};
EXPORT_SYMBOL_GPL(ftrace_bench_far);

MODULE_DESCRIPTION("Direct trampoline out of branch range for ftrace_bench");
MODULE_LICENSE("GPL");
