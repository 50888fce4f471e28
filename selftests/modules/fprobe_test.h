/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FPROBE_TEST_H
#define FPROBE_TEST_H

#include <linux/types.h>

struct fpt_test {
	const char *name;
	void (*run)(void);
};

/* In fprobe_test.c */
extern const struct fpt_test fpt_tests[];
extern const unsigned int fpt_nr_tests;

/* In fprobe_cursor.c */
void test_cursor(void);

/* Parameters of the module */
extern unsigned int fpt_loops;
extern unsigned int fpt_toggles;
/* Who is on the same functions may drop a recursive call before we see it. */
extern bool fpt_beside;

/* Of the running test: failures so far, and why there is nothing to test */
extern unsigned int fpt_failed;
extern const char *fpt_skip;

bool expect(const char *what, s64 got, s64 want);
__printf(1, 2) void fpt_note(const char *fmt, ...);

#endif /* FPROBE_TEST_H */
