// SPDX-License-Identifier: GPL-2.0
/*
 * The twin of the tracee. In an object of its own, as a compiler may make one
 * function of two that are alike.
 */
#include <linux/compiler.h>

#include "bench.h"

/**
 * ftrace_bench_twin - the same, never traced: what the tracee is compared with
 * @a: first addend
 * @b: second addend
 *
 * Return: the sum
 */
noinline __noclone int ftrace_bench_twin(int a, int b)
{
	return a + b;
}
