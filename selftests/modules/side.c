// SPDX-License-Identifier: GPL-2.0
/*
 * The functions to trace, and the table of what is in this module. Built twice,
 * once for each side; the functions of the far side have other names.
 */
#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/export.h>
#include <linux/stringify.h>

#include "side.h"

#ifdef OT_FAR
#define OT_SIDE		far
#define SIDE(name)	ot_far_##name
#define FN(name)	ftrace_test_far_##name
#else
#define OT_SIDE		near
#define SIDE(name)	ot_near_##name
#define FN(name)	ftrace_test_##name
#endif

static noinline __noclone int FN(sum2)(int a, int b)
{
	return a + b;
}

static noinline __noclone int FN(other)(int a, int b)
{
	return a - b;
}

static noinline __noclone u64 FN(sum9)(u64 a, u64 b, u64 c, u64 d, u64 e,
				       u64 f, u64 g, u64 h, u64 i)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h +
	       9 * i;
}

static noinline __noclone const char *FN(ptr)(const struct ot_big *big,
					      const char *s)
{
	return s + big->v[0];
}

static noinline __noclone u64 FN(by_value)(struct ot_pair pair, u64 k)
{
	return k * pair.lo + pair.hi;
}

static noinline __noclone u64 FN(by_ref)(struct ot_big big, u64 k)
{
	return big.v[0] + k * big.v[1] + k * k * big.v[4];
}

static noinline __noclone struct ot_pair FN(ret16)(u64 a, u64 b)
{
	return (struct ot_pair){ .lo = b, .hi = a };
}

static noinline __noclone struct ot_big FN(ret_big)(u64 a, u64 b)
{
	return (struct ot_big){ .v = { a, b, a + b, a - b, a ^ b } };
}

static noinline __noclone int FN(sleepy)(int ms)
{
	msleep(ms);
	return ms;
}

#define GEN(h, l)						\
static noinline __noclone int FN(gen_##h##l)(int x)		\
{								\
	return OT_NR_GEN * x + 8 * (h) + (l);			\
}

#include "gen.h"
#undef GEN

#define DECLARE_TRAMP(name)					\
	extern const char SIDE(name)[];				\
	atomic64_t SIDE(name##_hits) = ATOMIC64_INIT(0)

#define TRAMP(name) {						\
	.addr = (unsigned long)SIDE(name),			\
	.hits = &SIDE(name##_hits),				\
}

/* Defined in the assembly, which in turn uses what is defined here. */
DECLARE_TRAMP(count0);
DECLARE_TRAMP(count1);
DECLARE_TRAMP(state);
DECLARE_TRAMP(wrap);
DECLARE_TRAMP(clobber);
struct ot_state SIDE(found) = { };

const struct ot_side SIDE(side) = {
	.name = __stringify(OT_SIDE),
	.tracees = {
		.sum2 = FN(sum2),
		.other = FN(other),
		.sum9 = FN(sum9),
		.ptr = FN(ptr),
		.by_value = FN(by_value),
		.by_ref = FN(by_ref),
		.ret16 = FN(ret16),
		.ret_big = FN(ret_big),
		.sleepy = FN(sleepy),
		.gen = {
#define GEN(h, l)	FN(gen_##h##l),
#include "gen.h"
#undef GEN
		},
	},
	.count = { TRAMP(count0), TRAMP(count1) },
	.state = TRAMP(state),
	.wrap = TRAMP(wrap),
	.clobber = TRAMP(clobber),
	.found = &SIDE(found),
};

EXPORT_SYMBOL_GPL(SIDE(side));
