// SPDX-License-Identifier: GPL-2.0
/*
 * Read an ftrace call site from its instructions. Neither the records of
 * ftrace nor ftrace_location() are there for modules, and the instructions are
 * the better witness anyway: they are what the tracee executes.
 *
 * A function begins with
 *
 *	AUIPC	t0, <page>	(a NOP in stock kernels if it is not traced)
 *	NOP | JALR t0, <offset>(t0)
 *
 * and with DYNAMIC_FTRACE_WITH_CALL_OPS there is a literal of 64 bits right in
 * front of the function: the address of the ops to call.
 */
#include <linux/bitops.h>
#include <linux/ftrace.h>
#include <linux/uaccess.h>

#include "bench.h"

#define INSN_EBREAK	0x00100073
#define INSN_C_EBREAK	0x9002
#define INSN_NOP	0x00000013
/* AUIPC t0 and JALR t0, (t0) with the immediates masked out. */
#define INSN_AUIPC_T0	0x00000297
#define AUIPC_IMM	GENMASK(31, 12)
#define INSN_JALR_T0	0x000282e7
#define JALR_IMM	GENMASK(31, 20)

static int read_insn(unsigned long addr, u32 *insn)
{
	__le32 val;

	if (copy_from_kernel_nofault(&val, (void *)addr, sizeof(val)))
		return -EFAULT;
	*insn = le32_to_cpu(val);
	return 0;
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
/*
 * All call sites call ftrace_caller. For an ops that wants all registers it goes
 * on to another entry, whose address is in the ops.
 */
static int read_literal(unsigned long addr, struct ftrace_bench_site *site)
{
	struct ftrace_ops ops;

	if (copy_from_kernel_nofault(&site->ops, (void *)addr, 8) ||
	    copy_from_kernel_nofault(&ops, site->ops, sizeof(ops)))
		return -EINVAL;
	if (site->target && ops.redirect &&
	    !(ops.flags & FTRACE_OPS_FL_DIRECT))
		site->target = ops.redirect;
	return 0;
}
#else
static int read_literal(unsigned long addr, struct ftrace_bench_site *site)
{
	site->ops = NULL;
	return 0;
}
#endif

/**
 * ftrace_bench_read_site - decode the call site of a function
 * @func: address of the function
 * @site: filled in
 *
 * Return: 0, -EBUSY when the function begins with the breakpoint of a kprobe, or
 * -EINVAL when it does not begin like a tracee.
 */
int ftrace_bench_read_site(unsigned long func, struct ftrace_bench_site *site)
{
	u32 auipc, insn;

	if (read_insn(func, &auipc) || read_insn(func + 4, &insn))
		return -EINVAL;

	if ((auipc & 0xffff) == INSN_C_EBREAK || auipc == INSN_EBREAK)
		return -EBUSY;
	site->ip = func + 4;
	if (insn == INSN_NOP)
		site->target = 0;
	else if ((insn & ~JALR_IMM) == INSN_JALR_T0 &&
		 (auipc & ~AUIPC_IMM) == INSN_AUIPC_T0)
		site->target = func + (s32)(auipc & AUIPC_IMM) +
			       sign_extend64(insn >> 20, 11);
	else
		return -EINVAL;

	return read_literal(func - 8, site);
}

/**
 * ftrace_bench_in_range - can a call site call this by itself?
 * @ip: address of the instruction
 * @addr: address to branch to
 *
 * Return: false: the AUIPC is the one for ftrace_caller all the time.
 */
bool ftrace_bench_in_range(unsigned long ip, unsigned long addr)
{
	return false;
}
