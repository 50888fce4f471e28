/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Direct trampolines that count a hit and go back to the tracee.
 *
 * On entry x9 holds the tracee's return address and x30 the address after its
 * call site, both live; so are x0-x8 and x18-x29. That leaves x10-x17. Eight
 * instructions, of which four are the counter and would not be there in the
 * shortest trampoline possible. The increment is not atomic: nothing but
 * the benchmark calls the tracee, from one task.
 */
#include <linux/linkage.h>
#include <asm/assembler.h>

	.macro	count_and_return, hits
	bti	c
	adrp	x12, \hits			// counter
	ldr	x13, [x12, #:lo12:\hits]	// counter
	add	x13, x13, #1			// counter
	str	x13, [x12, #:lo12:\hits]	// counter
	mov	x10, x30
	mov	x30, x9
	ret	x10
	.endm

#ifndef FTRACE_BENCH_FAR
SYM_CODE_START(ftrace_bench_near_tramp)
	count_and_return ftrace_bench_near_hits
SYM_CODE_END(ftrace_bench_near_tramp)
#endif
