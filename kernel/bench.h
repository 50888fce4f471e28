/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FTRACE_BENCH_H
#define FTRACE_BENCH_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/types.h>

struct ftrace_ops;

/* Aligned alike, so that they are fetched alike */
int ftrace_bench_tracee(int a, int b) __aligned(64);
int ftrace_bench_twin(int a, int b) __aligned(64);
int ftrace_bench_trapped(int a, int b) __aligned(64);
int ftrace_bench_other(int a, int b);

/**
 * struct ftrace_bench_tramp - a direct trampoline and its counter
 * @addr: where the call site is to branch to
 * @hits: counts the entries into the trampoline; written by the trampoline
 */
struct ftrace_bench_tramp {
	unsigned long addr;
	u64 *hits;
};

extern struct ftrace_bench_tramp ftrace_bench_far;
extern u64 ftrace_bench_far_hits;
void ftrace_bench_far_tramp(void);

/**
 * struct ftrace_bench_site - what the instructions of a call site say
 * @ip: address of the instruction that ftrace patches
 * @target: where that instruction goes, module PLT entries followed; 0 when
 *          it is a NOP
 * @ops: the ops which the literal of the call site names; NULL on kernels
 *       whose call sites have none, or that the trampoline which the
 *       instruction branches to belongs to
 * @func: what the entry code calls when there is no literal; 0 if unknown
 */
struct ftrace_bench_site {
	unsigned long ip;
	unsigned long target;
	struct ftrace_ops *ops;
	unsigned long func;
};

/* Architectures with a site-*.c and trampolines */
#if defined(CONFIG_ARM64) || defined(CONFIG_PPC64) || defined(CONFIG_RISCV) || \
	defined(CONFIG_X86_64)
#define BENCH_HAVE_SITE
#endif

/* Those with a module that has a trampoline out of range */
#if defined(BENCH_HAVE_SITE) && !defined(CONFIG_X86_64)
#define BENCH_HAVE_FAR
#endif

#ifdef BENCH_HAVE_SITE
extern u64 ftrace_bench_near_hits;
void ftrace_bench_near_tramp(void);

int ftrace_bench_read_site(unsigned long func, struct ftrace_bench_site *site);
bool ftrace_bench_in_range(unsigned long ip, unsigned long addr);
#else
static inline int ftrace_bench_read_site(unsigned long func,
					 struct ftrace_bench_site *site)
{
	return -EOPNOTSUPP;
}

static inline bool ftrace_bench_in_range(unsigned long ip, unsigned long addr)
{
	return true;
}
#endif

#endif /* FTRACE_BENCH_H */
