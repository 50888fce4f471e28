// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the benchmark module's arithmetic, run on the host:
 *   cc -I../kernel math_test.c && ./a.out
 * Prints KTAP; the exit code is 1 if a test failed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What math.h takes from the kernel. */
typedef uint32_t u32;
typedef int64_t s64;
/* To be printed with %llu, as in the kernel. */
typedef unsigned long long u64;

static u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static void sort(void *base, size_t nr, size_t size,
		 int (*cmp)(const void *a, const void *b), const void *swap)
{
	(void)swap;
	qsort(base, nr, size, cmp);
}

#include "math.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static bool is(const char *what, u64 got, u64 want)
{
	if (got != want)
		printf("# %s: %llu, not %llu\n", what, got, want);
	return got == want;
}

static bool test_sum(void)
{
	bool ok = true;
	unsigned int n;
	u32 sum = 0;

	for (n = 0; n < 100000; n++) {
		ok &= is("sum", bench_sum(n), sum);
		sum += n + BENCH_ADDEND;
	}
	/* Does not fit into 32 bits, and n * n not into 63. */
	ok &= is("100000000 calls", bench_sum(100000000), 1187459712);
	ok &= is("4294967295 calls", bench_sum(4294967295U), 2147483646);
	return ok;
}

static bool test_per_call(void)
{
	return is("whole", bench_per_call(55000, 1000), 55000) &
	       is("half", bench_per_call(3, 2), 1500) &
	       is("cut off", bench_per_call(2, 3), 666) &
	       is("nothing", bench_per_call(0, 7), 0) &
	       /* An hour for the most calls, and one call that takes a day. */
	       is("hour", bench_per_call(3600000000000, 100000000), 36000000) &
	       is("day", bench_per_call(86400000000000, 1), 86400000000000000);
}

static bool test_median(void)
{
	static const struct {
		unsigned int nr;
		u64 samples[5];
		u64 median;
	} tests[] = {
		{ 1, { 7 }, 7 },
		{ 2, { 9, 4 }, 6 },
		{ 3, { 30, 10, 20 }, 20 },
		{ 4, { 40, 10, 30, 20 }, 25 },
		{ 5, { 5, 5, 5, 5, 5 }, 5 },
		/* Signed, or by difference, these would be out of order. */
		{ 3, { ~0ULL, 0, 1ULL << 62 }, 1ULL << 62 },
		{ 5, { 1ULL << 32, 3, 2, 1, 0 }, 2 },
	};
	u64 samples[5];
	bool ok = true;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		memcpy(samples, tests[i].samples, sizeof(samples));
		ok &= is("median", bench_median(samples, tests[i].nr),
			 tests[i].median);
		for (j = 1; j < tests[i].nr; j++)
			ok &= is("order", samples[j - 1] <= samples[j], 1);
	}
	return ok;
}

static bool test_signed_median(void)
{
	s64 odd[] = { 3, -7, 1 }, even[] = { 40, -10, -30, 20 };
	s64 far[] = { INT64_MAX, -1, INT64_MIN };

	return is("odd", bench_signed_median(odd, 3), 1) &
	       is("even", bench_signed_median(even, 4), 5) &
	       is("negative", bench_signed_median(far, 3), -1ULL);
}

static bool test_mad(void)
{
	u64 none[] = { 5, 5, 5 }, one[] = { 100, 100, 100, 100, 900 };
	u64 some[] = { 90, 100, 104, 110, 97 };

	return is("none", bench_mad(none, 3, 5), 0) &
	       is("one far away", bench_mad(one, 5, 100), 0) &
	       is("some", bench_mad(some, 5, 100), 4);
}

static bool test_noisy(void)
{
	/* Half of the samples are a fiftieth away from the median, or more. */
	u64 quiet[] = { 1000, 1020, 980, 1000, 1020 };
	u64 noisy[] = { 1000, 1021, 979, 1000, 1021 };

	return is("quiet", bench_is_noisy(bench_mad(quiet, 5, 1000), 1000, 0), 0) &
	       is("noisy", bench_is_noisy(bench_mad(noisy, 5, 1000), 1000, 0), 1) &
	       is("a tick", bench_is_noisy(21, 1000, 1), 0) &
	       is("more than a tick", bench_is_noisy(22, 1000, 1), 1) &
	       is("equal", bench_is_noisy(0, 0, 0), 0) &
	       is("far apart", bench_is_noisy(1, 0, 0), 1);
}

static bool test_milli(void)
{
	static const struct {
		s64 milli;
		const char *text;
	} tests[] = {
		{ 0, "0.000" },
		{ 1, "0.001" },
		{ -42, "-0.042" },
		{ 999, "0.999" },
		{ 12345, "12.345" },
		{ -1000, "-1.000" },
		{ INT64_MAX, "9223372036854775.807" },
		{ INT64_MIN, "-9223372036854775.808" },
	};
	char buf[BENCH_MILLI_SIZE];
	bool ok = true;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!strcmp(bench_milli(buf, tests[i].milli), tests[i].text))
			continue;
		printf("# '%s', not '%s'\n", buf, tests[i].text);
		ok = false;
	}
	return ok;
}

int main(void)
{
	static const struct {
		const char *name;
		bool (*test)(void);
	} tests[] = {
		{ "sum", test_sum },
		{ "per_call", test_per_call },
		{ "median", test_median },
		{ "signed_median", test_signed_median },
		{ "mad", test_mad },
		{ "noisy", test_noisy },
		{ "milli", test_milli },
	};
	int failed = 0;
	unsigned int i;

	printf("KTAP version 1\n1..%zu\n", ARRAY_SIZE(tests));
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		bool ok = tests[i].test();

		failed |= !ok;
		printf("%sok %u %s\n", ok ? "" : "not ", i + 1, tests[i].name);
	}
	return failed;
}
