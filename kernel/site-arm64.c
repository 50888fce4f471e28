// SPDX-License-Identifier: GPL-2.0
/*
 * Read an ftrace call site from its instructions. Neither the records of
 * ftrace nor ftrace_location() are there for modules, and the instructions are
 * the better witness anyway: they are what the tracee executes.
 *
 * With -fpatchable-function-entry=2 a function begins with
 *
 *	[BTI	C]
 *	MOV	X9, LR
 *	NOP | BL <entry>
 *
 * and with DYNAMIC_FTRACE_WITH_CALL_OPS there is a literal of 64 bits right in
 * front of the function: the address of the ops to call.
 */
#include <linux/bitops.h>
#include <linux/ftrace.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include <asm/insn.h>

#include "bench.h"

#define INSN_BTI_C	0xd503245f
#define INSN_KPROBE	0xd4200080
#define INSN_NOP	0xd503201f
#define INSN_MOV_X9_LR	0xaa1e03e9
#define INSN_BR_X16	0xd61f0200
/* ADD X16, X16, #imm12 with the immediate masked out. */
#define INSN_ADD_X16	0x91000210
#define ADD_IMM12	GENMASK(21, 10)
#define BRANCH_IMM26	GENMASK(25, 0)

static int read_insn(unsigned long addr, u32 *insn)
{
	__le32 val;

	if (copy_from_kernel_nofault(&val, (void *)addr, sizeof(val)))
		return -EFAULT;
	*insn = le32_to_cpu(val);
	return 0;
}

/*
 * A module out of reach of the kernel's text branches to a PLT entry:
 * ADRP X16, <page>; ADD X16, X16, #<offset>; BR X16. Return where it leads to,
 * or @addr itself when that is no such entry.
 */
static unsigned long follow_plt(unsigned long addr)
{
	u32 adrp, add, br;
	u64 imm;

	if (read_insn(addr, &adrp) || read_insn(addr + 4, &add) ||
	    read_insn(addr + 8, &br))
		return addr;
	if (!aarch64_insn_is_adrp(adrp) || (adrp & 0x1f) != 16 ||
	    (add & ~ADD_IMM12) != INSN_ADD_X16 || br != INSN_BR_X16)
		return addr;

	/* The 21 bits of immhi (23..5) and immlo (30..29) count pages. */
	imm = ((adrp >> 5) & GENMASK(18, 0)) << 2 | ((adrp >> 29) & 3);
	return (addr & ~(unsigned long)(SZ_4K - 1)) +
	       sign_extend64(imm, 20) * SZ_4K + ((add & ADD_IMM12) >> 10);
}

static unsigned long branch_target(unsigned long ip, u32 insn)
{
	return ip + sign_extend64(insn & BRANCH_IMM26, 25) * AARCH64_INSN_SIZE;
}

/*
 * Without literals the entry code has one call, which ftrace patches. Follow
 * the code until there; 0 if it is not where it is expected.
 */
static unsigned long entry_callee(unsigned long ip)
{
	unsigned int i;
	u32 insn;

	for (i = 0; i < 100; i++) {
		if (read_insn(ip, &insn))
			return 0;
		if (aarch64_insn_is_bl(insn))
			return branch_target(ip, insn);
		if (aarch64_insn_is_b(insn))
			ip = branch_target(ip, insn);
		else
			ip += AARCH64_INSN_SIZE;
	}
	return 0;
}

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
	unsigned long ip = func;
	u32 insn;

	if (read_insn(ip, &insn))
		return -EINVAL;
	if (insn == INSN_BTI_C) {
		ip += AARCH64_INSN_SIZE;
		if (read_insn(ip, &insn))
			return -EINVAL;
	}
	if (insn == INSN_KPROBE)
		return -EBUSY;
	if (insn != INSN_MOV_X9_LR)
		return -EINVAL;
	ip += AARCH64_INSN_SIZE;
	if (read_insn(ip, &insn))
		return -EINVAL;

	site->ip = ip;
	site->ops = NULL;
	site->func = 0;
	if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS) &&
	    copy_from_kernel_nofault(&site->ops, (void *)(func - 8), 8))
		return -EINVAL;

	if (insn == INSN_NOP) {
		site->target = 0;
		return 0;
	}
	if (!aarch64_insn_is_bl(insn))
		return -EINVAL;
	site->target = follow_plt(branch_target(ip, insn));
	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS))
		site->func = entry_callee(site->target);
	return 0;
}

/**
 * ftrace_bench_in_range - can a BL reach this?
 * @ip: address of the instruction
 * @addr: address to branch to
 *
 * Return: true if @addr is at most 128 MiB away from @ip.
 */
bool ftrace_bench_in_range(unsigned long ip, unsigned long addr)
{
	long offset = addr - ip;

	return offset >= -SZ_128M && offset < SZ_128M;
}
