/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Direct trampolines of one side.
 *
 * On entry x9 holds the return address of the tracee and x30 the address behind
 * its call site. x0-x8 and x18-x29 are live, x10-x17 are free. All of them
 * count by a load-exclusive loop, as several CPUs may be in here at a time.
 */
#include <linux/linkage.h>
#include <asm/assembler.h>

#include "side.h"

#ifdef OT_FAR
#define SIDE(name) ot_far_##name
#else
#define SIDE(name) ot_near_##name
#endif

	.macro	count_hit, hits
	adrp	x12, \hits
	add	x12, x12, #:lo12:\hits
.Lagain\@:
	ldxr	x13, [x12]
	add	x13, x13, #1
	stxr	w14, x13, [x12]
	cbnz	w14, .Lagain\@
	.endm

	.macro	go_to_tracee
	mov	x10, x30
	mov	x30, x9
	ret	x10
	.endm

SYM_CODE_START(SIDE(count0))
	bti	c
	count_hit SIDE(count0_hits)
	go_to_tracee
SYM_CODE_END(SIDE(count0))

SYM_CODE_START(SIDE(count1))
	bti	c
	count_hit SIDE(count1_hits)
	go_to_tracee
SYM_CODE_END(SIDE(count1))

/* Stores what a trampoline may rely on, see struct ot_state. */
SYM_CODE_START(SIDE(state))
	bti	c
	adrp	x11, SIDE(found)
	add	x11, x11, #:lo12:SIDE(found)
	stp	x0, x1, [x11]
	stp	x2, x3, [x11, #16]
	stp	x4, x5, [x11, #32]
	stp	x6, x7, [x11, #48]
	str	x8, [x11, #64]
	str	x9, [x11, #OT_STATE_X9]
	str	x29, [x11, #OT_STATE_X29]
	str	x30, [x11, #OT_STATE_X30]
	mov	x12, sp
	str	x12, [x11, #OT_STATE_SP]
	count_hit SIDE(state_hits)
	go_to_tracee
SYM_CODE_END(SIDE(state))

/*
 * Like a BPF trampoline with fexit programs: calls the tracee's body, changes
 * what it returns, and returns to the tracee's caller. The frame would be in
 * the way of arguments on the stack, so there must not be any.
 */
SYM_CODE_START(SIDE(wrap))
	bti	c
	stp	x29, x9, [sp, #-32]!
	mov	x29, sp
	stp	x29, x30, [sp, #16]
	add	x29, sp, #16
	count_hit SIDE(wrap_hits)
	mov	x10, x30
	adr	x30, 1f
	ret	x10
1:	add	x0, x0, #OT_WRAP_ADDS
	ldp	x29, x30, [sp], #32
	ret
SYM_CODE_END(SIDE(wrap))

SYM_CODE_START(SIDE(clobber))
	bti	c
	mov	x1, #-1
	count_hit SIDE(clobber_hits)
	go_to_tracee
SYM_CODE_END(SIDE(clobber))
