/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Direct trampolines that count a hit and go back to the tracee.
 *
 * On entry ra holds the tracee's return address and t0 the address after its
 * call site, both live, as is everything else but t1 to t6. Five instructions,
 * of which four are the counter and would not be there in the shortest
 * trampoline possible. The increment is not atomic: nothing but the
 * benchmark calls the tracee, from one task.
 */
#include <linux/linkage.h>

	.macro	count_and_return, hits
1:	auipc	t1, %pcrel_hi(\hits)		// counter
	ld	t2, %pcrel_lo(1b)(t1)		// counter
	addi	t2, t2, 1			// counter
	sd	t2, %pcrel_lo(1b)(t1)		// counter
	jr	t0
	.endm

#ifndef FTRACE_BENCH_FAR
SYM_CODE_START(ftrace_bench_near_tramp)
	count_and_return ftrace_bench_near_hits
SYM_CODE_END(ftrace_bench_near_tramp)
#endif
