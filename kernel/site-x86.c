// SPDX-License-Identifier: GPL-2.0
/*
 * Read an ftrace call site from its instructions. With -mfentry a function
 * begins with
 *
 *	[ENDBR64]
 *	NOP of 5 bytes | CALL <entry>
 *
 * where <entry> is common entry code, a trampoline that the kernel allocated
 * for an ops, or that of a direct call. Modules and kernel are in reach of a
 * CALL from each other, always.
 */
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "bench.h"

#define CALL_OPCODE	0xe8
#define CALL_SIZE	5
#define INT3		0xcc
#define LOAD_SIZE	7
/* Where the load is, in the larger of the two kinds */
#define TRAMP_SIZE	256

static const u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
static const u8 nop5[CALL_SIZE] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

/*
 * The trampoline of an ops loads its address into the third argument, from where
 * its own code ends: MOV <offset>(%rip), %rdx. If that is an ops which says that
 * the trampoline is its own it is one; NULL if not.
 */
static struct ftrace_ops *trampoline_ops(unsigned long tramp)
{
	static const u8 load[] = { 0x48, 0x8b, 0x15 };
	struct ftrace_ops *ops, copy;
	u8 code[TRAMP_SIZE];
	unsigned int i;
	s32 offset;

	if (copy_from_kernel_nofault(code, (void *)tramp, sizeof(code)))
		return NULL;
	for (i = 0; i + LOAD_SIZE <= sizeof(code); i++) {
		if (memcmp(code + i, load, sizeof(load)))
			continue;
		memcpy(&offset, code + i + sizeof(load), sizeof(offset));
		if (!copy_from_kernel_nofault(&ops, (void *)(tramp + i +
							     LOAD_SIZE + offset),
					      sizeof(ops)) &&
		    !copy_from_kernel_nofault(&copy, ops, sizeof(copy)) &&
		    copy.trampoline == tramp)
			return ops;
	}
	return NULL;
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
	u8 insn[CALL_SIZE];
	s32 offset;

	if (copy_from_kernel_nofault(insn, (void *)ip, sizeof(endbr64)))
		return -EINVAL;
	if (insn[0] == INT3)
		return -EBUSY;
	if (!memcmp(insn, endbr64, sizeof(endbr64)))
		ip += sizeof(endbr64);
	if (copy_from_kernel_nofault(insn, (void *)ip, sizeof(insn)))
		return -EINVAL;

	memset(site, 0, sizeof(*site));
	site->ip = ip;
	if (!memcmp(insn, nop5, sizeof(nop5)))
		return 0;
	if (insn[0] == INT3)
		return -EBUSY;
	if (insn[0] != CALL_OPCODE)
		return -EINVAL;
	memcpy(&offset, insn + 1, sizeof(offset));
	site->target = ip + CALL_SIZE + offset;
	site->ops = trampoline_ops(site->target);
	return 0;
}

/**
 * ftrace_bench_in_range - can a CALL reach this?
 * @ip: address of the instruction
 * @addr: address to branch to
 *
 * Return: true if @addr is at most 2 GiB away from @ip.
 */
bool ftrace_bench_in_range(unsigned long ip, unsigned long addr)
{
	long offset = addr - (ip + CALL_SIZE);

	return offset == (s32)offset;
}
