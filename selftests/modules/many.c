// SPDX-License-Identifier: GPL-2.0
/*
 * Functions for tests of what may have a limit by their number.
 */
#include <linux/compiler.h>

#include "many.h"

/* F(0x000) to F(0x2ff) */
#define OT_16(F, p)						\
	F(p##0) F(p##1) F(p##2) F(p##3) F(p##4) F(p##5) F(p##6)	\
	F(p##7) F(p##8) F(p##9) F(p##a) F(p##b) F(p##c) F(p##d)	\
	F(p##e) F(p##f)
#define OT_256(F, p)						\
	OT_16(F, p##0) OT_16(F, p##1) OT_16(F, p##2)		\
	OT_16(F, p##3) OT_16(F, p##4) OT_16(F, p##5)		\
	OT_16(F, p##6) OT_16(F, p##7) OT_16(F, p##8)		\
	OT_16(F, p##9) OT_16(F, p##a) OT_16(F, p##b)		\
	OT_16(F, p##c) OT_16(F, p##d) OT_16(F, p##e)		\
	OT_16(F, p##f)
#define OT_MANY(F)	OT_256(F, 0x0) OT_256(F, 0x1) OT_256(F, 0x2)

#define DEFINE(n)						\
static noinline __noclone int ot_many_##n(int x)		\
{								\
	return x + n;						\
}
OT_MANY(DEFINE)

#define NAME(n)	ot_many_##n,
int (*const ot_many[OT_NR_MANY])(int x) = { OT_MANY(NAME) };
