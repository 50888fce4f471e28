// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that get traced. They have an object of their own so that the
 * compiler sees neither body from the measuring code, and so that only these are
 * built with a call site for ftrace.
 */
#include <linux/compiler.h>
#include <linux/error-injection.h>

#include "bench.h"

/**
 * ftrace_bench_tracee - the function whose calls are measured
 * @a: first addend
 * @b: second addend
 *
 * Return: the sum, from which the caller sees whether a trampoline lost an
 * argument.
 */
noinline __noclone int ftrace_bench_tracee(int a, int b)
{
	return a + b;
}
/* BPF's fmod_ret attaches to such functions only */
ALLOW_ERROR_INJECTION(ftrace_bench_tracee, ERRNO);

/**
 * ftrace_bench_other - what irrelevant ops trace; nothing ever calls it
 * @a: first operand
 * @b: second operand
 *
 * Return: the difference; other than the sum.
 */
noinline __noclone int ftrace_bench_other(int a, int b)
{
	return a - b;
}
