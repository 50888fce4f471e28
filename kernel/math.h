/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arithmetic of the benchmark, apart from the rest to be tested without a
 * kernel (selftests/math_test.c): nothing but numbers comes in. Costs are in
 * thousandths of a nanosecond. Callable from any context, takes no locks.
 */
#ifndef FTRACE_BENCH_MATH_H
#define FTRACE_BENCH_MATH_H

/* The second argument of every call, so that losing it shows in the sum. */
#define BENCH_ADDEND	3

/**
 * bench_sum - what a number of calls of the tracee return in total
 * @calls: number of calls; the first argument counts up from 0 to it
 *
 * Return: the sum, modulo 2^32 like the one that the loop adds up
 */
static inline u32 bench_sum(unsigned int calls)
{
	u64 n = calls;

	/* n * (n - 1) is even, and 0 for no calls. */
	return n * (n - 1) / 2 + n * BENCH_ADDEND;
}

/**
 * bench_per_call - the cost of one call
 * @total: nanoseconds, or events, of all calls
 * @calls: number of calls, not 0
 *
 * Return: thousandths per call, what is left of them cut off
 */
static inline u64 bench_per_call(u64 total, unsigned int calls)
{
	return div_u64(total * 1000, calls);
}

static inline int bench_cmp(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/**
 * bench_median - sort samples and find the one in the middle
 * @samples: the samples; in order afterwards
 * @nr: number of samples, not 0
 *
 * Return: the median; the mean of the middle two of an even number
 */
static inline u64 bench_median(u64 *samples, unsigned int nr)
{
	sort(samples, nr, sizeof(*samples), bench_cmp, NULL);
	return div_u64(samples[(nr - 1) / 2] + samples[nr / 2], 2);
}

static inline int bench_signed_cmp(const void *a, const void *b)
{
	s64 x = *(const s64 *)a, y = *(const s64 *)b;

	return x < y ? -1 : x > y;
}

/**
 * bench_signed_median - bench_median() of numbers that may be negative
 * @samples: the samples; in order afterwards
 * @nr: number of samples, not 0
 *
 * Return: the median; the mean of the middle two of an even number
 */
static inline s64 bench_signed_median(s64 *samples, unsigned int nr)
{
	sort(samples, nr, sizeof(*samples), bench_signed_cmp, NULL);
	return (samples[(nr - 1) / 2] + samples[nr / 2]) / 2;
}

/**
 * bench_mad - the median of how far samples are from their median
 * @samples: the samples; gone afterwards
 * @nr: number of samples, not 0
 * @median: their median
 *
 * Return: the median absolute deviation
 */
static inline u64 bench_mad(u64 *samples, unsigned int nr, u64 median)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		samples[i] = samples[i] < median ? median - samples[i] :
						   samples[i] - median;
	return bench_median(samples, nr);
}

/**
 * bench_is_noisy - are samples too far apart to be a result?
 * @mad: their median absolute deviation
 * @median: their median
 * @resolution: a tick of the clock, in the same unit
 *
 * Return: true if half of them are more than 2 % and a tick away from the median
 */
static inline bool bench_is_noisy(u64 mad, u64 median, u64 resolution)
{
	return mad * 50 > median + 50 * resolution;
}

/* Room for any number that bench_milli() writes. */
#define BENCH_MILLI_SIZE	24

/**
 * bench_milli - write thousandths as a decimal number
 * @buf: where to, %BENCH_MILLI_SIZE bytes
 * @milli: the number; "-0.042" for -42
 *
 * Return: @buf
 */
static inline const char *bench_milli(char *buf, s64 milli)
{
	u32 rem;
	u64 ns = div_u64_rem(milli < 0 ? -(u64)milli : (u64)milli, 1000, &rem);

	snprintf(buf, BENCH_MILLI_SIZE, "%s%llu.%03u", milli < 0 ? "-" : "",
		 ns, rem);
	return buf;
}

#endif
