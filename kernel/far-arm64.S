/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The same trampoline out of reach of a BL. Together with 128 MiB of padding
 * the module does not fit the module region, so module_alloc() takes it from
 * the 2 GiB that follow the base of that region, where the first hole of that
 * size is behind the kernel. The text of a module comes first and its .bss
 * last, so with KASLR, when there may be no kernel in the way, the padding
 * parts this module from those loaded later. Load it before ftrace_bench.
 */
#define FTRACE_BENCH_FAR
#include "trampoline-arm64.S"

#include <linux/sizes.h>

SYM_CODE_START(ftrace_bench_far_tramp)
	count_and_return ftrace_bench_far_hits
SYM_CODE_END(ftrace_bench_far_tramp)

	.bss
	.skip	SZ_128M
