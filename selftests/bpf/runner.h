/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The harness: a test is a function that TEST() defines, in any file that is
 * linked. It fails by fail() or expect(), and says by skip() what is missing.
 *
 * It is not kselftest_harness.h, nor kselftest.h: as of 6.1 neither prints the name of a
 * test that is skipped, which lists of expected skips need.
 */
#ifndef RUNNER_H
#define RUNNER_H

#include <stdbool.h>
#include <stdio.h>

struct test {
	const char *name;
	void (*run)(void);
};

#define TEST(n)								\
	static void test_##n(void);					\
	static const struct test n##_test = { #n, test_##n };		\
	static const struct test *const n##_entry			\
		__attribute__((section("bpf_tests"), used)) = &n##_test; \
	static void test_##n(void)

/* Added to what tests expect, 1 to see them fail. */
extern int sabotage;
/* Steps of the tests under load. */
extern int toggles;
/* Of the running test. */
extern const char *test_name;
extern bool test_failed;
extern char skip_reason[128];
/* Where this program and the modules are. */
extern char own_dir[3072];

/* Macros, so that the compiler checks their formats. */
#define fail(...)				\
	do {					\
		printf("# %s: ", test_name);	\
		printf(__VA_ARGS__);		\
		printf("\n");			\
		test_failed = true;		\
	} while (0)

#define skip(...)	snprintf(skip_reason, sizeof(skip_reason), __VA_ARGS__)

bool expect(const char *what, long long got, long long want);

#endif
