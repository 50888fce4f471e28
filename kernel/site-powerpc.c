// SPDX-License-Identifier: GPL-2.0
/*
 * Read an ftrace call site from its instructions. Neither the records of
 * ftrace nor ftrace_location() are there for modules, and the instructions are
 * the better witness anyway: they are what the tracee executes.
 *
 * Built with -mprofile-kernel, a function's local entry point is
 *
 *	MFLR	R0
 *	NOP | BL <entry>
 *
 * on an unpatched kernel, and on a patched one
 *
 *	NOP | B <stub>
 *	NOP
 *
 * with a stub for each function:
 *
 *	MFLR	R0
 *	BL	<entry>
 *	MTLR	R0
 *	B	<second NOP>
 *
 * and, right in front of the stub, the address of the ops to call.
 */
#include <linux/bitops.h>
#include <linux/ftrace.h>
#include <linux/uaccess.h>

#include <asm/code-patching.h>
#include <asm/ppc-opcode.h>

#include "bench.h"

/* struct ppc64_stub_entry of the module loader */
#define PLT_MAGIC	0x73747562
#define PLT_MAGIC_AT	28
#define PLT_TARGET_AT	32

static int read_insn(unsigned long addr, u32 *insn)
{
	return copy_from_kernel_nofault(insn, (void *)addr, sizeof(*insn)) ?
	       -EINVAL : 0;
}

static bool is_branch(u32 insn, u32 kind)
{
	return (insn & ~PPC_LI_MASK) == kind;
}

static unsigned long branch_to(unsigned long addr, u32 insn)
{
	return addr + sign_extend64(insn & PPC_LI_MASK, 25);
}

/*
 * The kernel's text is out of reach of modules, which branch to an entry of
 * their own table. Return where it leads to, or @addr when that is no entry.
 */
static unsigned long follow_plt(unsigned long addr)
{
	unsigned long target;
	u32 magic;

	if (copy_from_kernel_nofault(&magic, (void *)addr + PLT_MAGIC_AT,
				     sizeof(magic)) ||
	    magic != PLT_MAGIC ||
	    copy_from_kernel_nofault(&target, (void *)addr + PLT_TARGET_AT,
				     sizeof(target)))
		return addr;
	return target;
}

/* A BL to the entry code, or a NOP */
static int read_call(unsigned long addr, unsigned long *target)
{
	u32 insn;

	if (read_insn(addr, &insn))
		return -EINVAL;
	if (insn == PPC_RAW_NOP()) {
		*target = 0;
		return 0;
	}
	if (!is_branch(insn, PPC_RAW_BL(0)))
		return -EINVAL;
	*target = follow_plt(branch_to(addr, insn));
	return 0;
}

/*
 * Without literals the entry code has one call, which ftrace patches. Follow
 * the code until there; 0 if it is not where it is expected. It is a call of the
 * local entry, and the symbol is the global one, where there are two.
 */
static unsigned long entry_callee(unsigned long ip)
{
	unsigned int i;
	u32 insn, toc[2];

	for (i = 0; i < 100; i++, ip += 4) {
		if (read_insn(ip, &insn))
			return 0;
		if (!is_branch(insn, PPC_RAW_BL(0)))
			continue;
		ip = branch_to(ip, insn);
		if (!read_insn(ip - 8, &toc[0]) && !read_insn(ip - 4, &toc[1]) &&
		    (toc[0] & ~0xffff) == PPC_RAW_ADDIS(_R2, _R12, 0) &&
		    (toc[1] & ~0xffff) == PPC_RAW_ADDI(_R2, _R2, 0))
			ip -= 8;
		return ip;
	}
	return 0;
}

static int read_entry(unsigned long addr, struct ftrace_bench_site *site)
{
	int err;

	err = read_call(addr, &site->target);
	if (!err && site->target &&
	    !IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS))
		site->func = entry_callee(site->target);
	return err;
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
	unsigned long ip = ppc_function_entry((void *)func), stub;
	u32 insn;

	site->ops = NULL;
	site->func = 0;
	site->ip = ip;
	site->target = 0;
	if (read_insn(ip, &insn))
		return -EINVAL;

	if (insn == PPC_RAW_TRAP())
		return -EBUSY;

	/* unpatched kernel */
	if (insn == PPC_RAW_MFLR(_R0)) {
		site->ip = ip + 4;
		return read_entry(site->ip, site);
	}

	if (insn == PPC_RAW_NOP())
		return 0;
	if (!is_branch(insn, PPC_RAW_BRANCH(0)))
		return -EINVAL;

	stub = branch_to(ip, insn);
	if (read_insn(stub, &insn) || insn != PPC_RAW_MFLR(_R0))
		return -EINVAL;
	if (copy_from_kernel_nofault(&site->ops, (void *)(stub - 8), 8))
		return -EINVAL;
	return read_entry(stub + 4, site);
}

/**
 * ftrace_bench_in_range - can a call site branch to a trampoline?
 * @ip: address of the instruction
 * @addr: address to branch to
 *
 * Return: false. It branches to its stub, which never branches to anything but
 * ftrace's entry code.
 */
bool ftrace_bench_in_range(unsigned long ip, unsigned long addr)
{
	return false;
}
