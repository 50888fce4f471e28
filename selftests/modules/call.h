/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FTRACE_OPS_TEST_CALL_H
#define FTRACE_OPS_TEST_CALL_H

/*
 * How many registers hold arguments, arm64 has one for the place of the return
 * value, too; how many of them a function has to preserve; and the first one of
 * the latter.
 */
#if defined(CONFIG_ARM64)
#define OT_NR_ARGS	9
#define OT_NR_SAVED	10
#define OT_FIRST_SAVED	19
#elif defined(CONFIG_RISCV)
#define OT_NR_ARGS	8
#define OT_NR_SAVED	10
#define OT_FIRST_SAVED	18
#elif defined(CONFIG_PPC64)
#define OT_NR_ARGS	8
#define OT_NR_SAVED	18
#define OT_FIRST_SAVED	14
#endif

/* Registers that neither hold return values nor are preserved, flags last */
#if defined(CONFIG_ARM64)
#define OT_NR_SCRATCH	11
#define OT_SCRATCH_FLAGS	0x60000000
#elif defined(CONFIG_RISCV)
#define OT_NR_SCRATCH	14
#elif defined(CONFIG_PPC64)
#define OT_NR_SCRATCH	12
#define OT_SCRATCH_FLAGS	0x44000248
#endif

/* From the sp of a call by ot_call_asm() to its frame pointer */
#if defined(CONFIG_RISCV)
#define OT_CALL_FRAME	128
#else
#define OT_CALL_FRAME	16
#endif

/* Offsets into struct ot_call for the assembly. */
#define OT_CALL_STACK	72
#define OT_CALL_SAVED	80
#define OT_CALL_FP	(OT_CALL_SAVED + 8 * OT_NR_SAVED)
#define OT_CALL_SP	(OT_CALL_FP + 8)

#ifndef __ASSEMBLY__
#include <linux/types.h>

/**
 * struct ot_call - registers of a call
 * @x: in: x0 to x8, a0 to a7, or r3 to r10; out: the first two of them
 * @stack: in: the ninth integer argument
 * @saved: in: registers to be preserved; out: what they hold after the call
 * @fp: out: the frame according to x29, to s0, or to the back chain, after the
 *	call
 * @sp: out: the stack pointer after the call, which is the one of the caller;
 *	the same as @fp if the callee left both alone
 */
struct ot_call {
	u64 x[9];
	u64 stack;
	u64 saved[OT_NR_SAVED];
	u64 fp;
	u64 sp;
};

void ot_call_asm(unsigned long func, struct ot_call *call);
/*
 * Call ot_scratch_leaf(), which does nothing, with @scratch in the registers that it
 * might use, and have what they hold afterwards in @scratch.
 */
void ot_scratch_asm(u64 scratch[OT_NR_SCRATCH]);
extern const char ot_scratch_leaf[], ot_scratch_asm_ret[];
/* Where calls made by ot_call_asm() return to: their parent_ip. */
extern const char ot_call_asm_ret[];
#endif

#endif /* FTRACE_OPS_TEST_CALL_H */
