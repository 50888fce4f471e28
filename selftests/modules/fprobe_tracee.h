/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FPROBE_TRACEE_H
#define FPROBE_TRACEE_H

#include <linux/completion.h>
#include <linux/types.h>

/* Return values that take two registers */
struct fpt_two {
	u64 a;
	u64 b;
};

/* What fpt_leaf() calls */
extern void (*fpt_leaf_hook)(void);

int fpt_add(int a, int b);
int fpt_callee(int x);
int fpt_nest(int depth);
int fpt_sleep(struct completion *inside, struct completion *go, int ret);
int fpt_leaf(int x);
int fpt_inner(int x);
int fpt_outer(int x);
int fpt_tail(int x);
int left_outer(int x);
signed char fpt_s8(long x);
u32 fpt_u32(long x);
u64 fpt_u64(long x);
struct fpt_two fpt_two(u64 a, u64 b);
__int128 fpt_i128(u64 hi, u64 lo);

#endif /* FPROBE_TRACEE_H */
