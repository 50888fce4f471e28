/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Direct trampolines that count a hit and go back to the tracee.
 *
 * On entry R0 holds the tracee's return address and LR that into its stub,
 * both live; so are R1 to R10 and R13 to R31. R12 is the trampoline's own
 * address, from where the counter is found. Six instructions, of which five
 * are the counter and would not be there in the shortest trampoline possible.
 * The increment is not atomic: nothing but the benchmark calls the tracee, from
 * one task.
 */
#include <asm/ppc_asm.h>

	.macro	count_and_return, tramp, hits
	addis	r11, r12, (\hits - \tramp)@ha	/* counter */
	addi	r11, r11, (\hits - \tramp)@l	/* counter */
	ld	r12, 0(r11)			/* counter */
	addi	r12, r12, 1			/* counter */
	std	r12, 0(r11)			/* counter */
	blr
	.endm

#ifndef FTRACE_BENCH_FAR
_GLOBAL(ftrace_bench_near_tramp)
	count_and_return ftrace_bench_near_tramp, ftrace_bench_near_hits
#endif
