/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Direct trampolines of one side.
 *
 * On entry r0 holds the return address of the tracee, LR points into its stub,
 * and r12 and CTR hold the trampoline's own address, from where its data are
 * found, as r2 may belong to anybody. r0 to r11 and r13 to r31 are live; what is
 * in r11 is for whoever LR belongs to, if the tracee is live patched. All
 * trampolines count by a load-and-reserve loop, as several CPUs may be in here
 * at a time.
 */
#include <asm/ppc_asm.h>

#include "side.h"

#ifdef OT_FAR
#define SIDE(name) ot_far_##name
#else
#define SIDE(name) ot_near_##name
#endif

	.macro	address_of reg, sym, tramp
	addis	\reg, r12, (\sym - \tramp)@ha
	addi	\reg, \reg, (\sym - \tramp)@l
	.endm

	/* Needs r12 as it was on entry; keeps r11 in CTR meanwhile */
	.macro	count_hit tramp, hits
	mtctr	r11
	address_of r11, \hits, \tramp
.Lagain\@:
	ldarx	r12, 0, r11
	addi	r12, r12, 1
	stdcx.	r12, 0, r11
	bne-	.Lagain\@
	mfctr	r11
	.endm

_GLOBAL(SIDE(count0))
	count_hit SIDE(count0), SIDE(count0_hits)
	blr

_GLOBAL(SIDE(count1))
	count_hit SIDE(count1), SIDE(count1_hits)
	blr

/* Stores what a trampoline may rely on, see struct ot_state. */
_GLOBAL(SIDE(state))
	std	r11, -8(r1)	/* the red zone */
	address_of r11, SIDE(found), SIDE(state)
	std	r3, 0(r11)
	std	r4, 8(r11)
	std	r5, 16(r11)
	std	r6, 24(r11)
	std	r7, 32(r11)
	std	r8, 40(r11)
	std	r9, 48(r11)
	std	r10, 56(r11)
	std	r0, OT_STATE_X9(r11)
	std	r2, OT_STATE_X29(r11)
	mflr	r12
	std	r12, OT_STATE_X30(r11)
	std	r1, OT_STATE_SP(r11)
	mfctr	r12
	ld	r11, -8(r1)
	count_hit SIDE(state), SIDE(state_hits)
	blr

/*
 * Like a BPF trampoline with fexit programs: calls the tracee's body, changes
 * what it returns, and returns to the tracee's caller. The frame would be in
 * the way of arguments on the stack, so there must not be any.
 */
_GLOBAL(SIDE(wrap))
	std	r0, 16(r1)
	mflr	r0
	stdu	r1, -48(r1)
	std	r0, 32(r1)
	count_hit SIDE(wrap), SIDE(wrap_hits)
	ld	r12, 32(r1)
	mtctr	r12
	bcl	20, 31, 0f
0:	mflr	r12
	addi	r12, r12, 1f - 0b
	mr	r0, r12
	bctr			/* goes on, with our return address in r0 */
1:	addi	r3, r3, OT_WRAP_ADDS
	addi	r1, r1, 48
	ld	r0, 16(r1)
	mtlr	r0
	blr

_GLOBAL(SIDE(clobber))
	li	r4, -1
	count_hit SIDE(clobber), SIDE(clobber_hits)
	blr

#ifndef OT_FAR
/* Replaces the tracee: returns to its caller. */
_GLOBAL(ot_near_skip)
	mtlr	r0
	li	r3, OT_SKIP_RETURNS
	blr

#ifdef CONFIG_LIVEPATCH
/* Calls a C function, which may sleep, before the tracee. */
_GLOBAL(ot_near_nap)
	std	r0, 16(r1)
	mflr	r0
	stdu	r1, -96(r1)
	std	r0, 64(r1)
	std	r3, 72(r1)
	std	r4, 80(r1)
	std	r11, 88(r1)
	std	r2, 24(r1)
	address_of r12, ot_nap, ot_near_nap
	mtctr	r12
	bctrl
	ld	r2, 24(r1)
	ld	r11, 88(r1)
	ld	r4, 80(r1)
	ld	r3, 72(r1)
	ld	r12, 64(r1)
	addi	r1, r1, 96
	ld	r0, 16(r1)
	mtlr	r12
	blr
#endif
#endif
