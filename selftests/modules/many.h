/* SPDX-License-Identifier: GPL-2.0 */
/*
 * More functions than anybody should have a table for, see many.c.
 */
#ifndef FTRACE_OPS_TEST_MANY_H
#define FTRACE_OPS_TEST_MANY_H

#define OT_NR_MANY	768

/* The n-th one returns its argument plus n */
extern int (*const ot_many[OT_NR_MANY])(int x);

#endif
