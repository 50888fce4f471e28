// SPDX-License-Identifier: GPL-2.0
/*
 * A function without a call site: a kprobe on it is a breakpoint. Its object has none.
 */
#include <linux/compiler.h>

#include "bench.h"

/**
 * ftrace_bench_trapped - the function that a breakpoint is put on
 * @a: first addend
 * @b: second addend
 *
 * Return: the sum
 */
noinline __noclone int ftrace_bench_trapped(int a, int b)
{
	return a + b;
}
