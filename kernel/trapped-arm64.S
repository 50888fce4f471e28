/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The function of trapped.c, which begins as most functions do: by signing the return
 * address. Compilers have that only in functions that call others.
 */
#include <linux/linkage.h>
#include <asm/assembler.h>

	.balign	64
/* int ftrace_bench_trapped(int a, int b) */
SYM_CODE_START(ftrace_bench_trapped)
	hint	25			// PACIASP
	add	w0, w0, w1
	hint	29			// AUTIASP
	ret
SYM_CODE_END(ftrace_bench_trapped)
