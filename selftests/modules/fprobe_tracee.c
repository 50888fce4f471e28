// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that the tests of fprobes trace. Apart from the tests, so that
 * the compiler knows nothing about them there, and all of the tests can be
 * built without call sites.
 */
#include <linux/compiler.h>

#include "fprobe_tracee.h"

void (*fpt_leaf_hook)(void);

noinline int fpt_add(int a, int b)
{
	return a + b;
}

/* For handlers to call */
noinline int fpt_callee(int x)
{
	barrier();
	return x + 1;
}

/* Is in itself so many times */
noinline int fpt_nest(int depth)
{
	int below;

	if (depth <= 1)
		return 1;
	below = fpt_nest(depth - 1);
	barrier();	/* no loop instead */
	return below + 1;
}

noinline int fpt_sleep(struct completion *inside, struct completion *go, int ret)
{
	complete(inside);
	wait_for_completion(go);
	return ret;
}

noinline int fpt_leaf(int x)
{
	void (*hook)(void) = READ_ONCE(fpt_leaf_hook);

	if (hook)
		hook();
	return x + 1;
}

noinline int fpt_inner(int x)
{
	return fpt_leaf(x) + 1;
}

noinline int fpt_outer(int x)
{
	return fpt_inner(x) + 1;
}

/* Where the compiler makes it a jump, this returns from the function below */
noinline int fpt_tail(int x)
{
	return fpt_inner(x);
}

#ifdef CONFIG_CC_IS_GCC
static noinline void left_inner(void **buf)
{
	__builtin_longjmp(buf, 1);
}

/* Gets back by other means than a return of the function that it calls */
noinline int left_outer(int x)
{
	void *buf[5];

	if (__builtin_setjmp(buf))
		return x + 1;
	left_inner(buf);

	return 0;
}
#endif

noinline signed char fpt_s8(long x)
{
	return x;
}

noinline u32 fpt_u32(long x)
{
	return x;
}

noinline u64 fpt_u64(long x)
{
	return x;
}

noinline struct fpt_two fpt_two(u64 a, u64 b)
{
	return (struct fpt_two){ .a = a + 1, .b = b + 2 };
}

noinline __int128 fpt_i128(u64 hi, u64 lo)
{
	return (__int128)hi << 64 | lo;
}
