// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs on functions: run the tests.
 *
 * bpf_runner --test [NAME...]
 *	Attach fentry, fexit, fmod_ret, freplace, LSM, struct_ops and kprobe
 *	programs, and check what they see and do. Prints KTAP. Exits with 4 if
 *	the kernel does not support attaching to functions.
 * bpf_runner --sabotage --test [NAME...]
 *	The same with wrong expectations of arguments, order and counts: tests
 *	which check these must fail.
 * TOGGLES=N in the environment is for how often the tests under load attach and
 * detach (default 60).
 * bpf_runner --list
 *	Print the names of the tests.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "load.h"

#define EXIT_SKIP	4

int sabotage;
int toggles = 60;
const char *test_name;
bool test_failed;
char skip_reason[128];
char own_dir[3072] = ".";

/* What TEST() made; the linker knows where that begins and ends. */
extern const struct test *const __start_bpf_tests[], *const __stop_bpf_tests[];

#define for_each_test(t) \
	for (t = __start_bpf_tests; t < __stop_bpf_tests; t++)
bool expect(const char *what, long long got, long long want)
{
	if (got == want)
		return true;
	fail("%s: got %lld, want %lld", what, got, want);
	return false;
}

/* What the module ftrace_ops_test has found */
#define FEATURES	"/sys/kernel/debug/ftrace_ops_test/features"

static bool have_direct_calls(void)
{
	char *features = read_file(FEATURES);
	bool have = features && strstr(features, "direct");

	free(features);
	return have;
}

/*
 * Try what all tests need. Returns what is missing, or NULL. With direct calls
 * programs have to attach.
 */
static const char *probe_feature(void)
{
	struct test_bpf *skel;
	int err;

	test_name = "probe";
	skel = load_tests("entry1");
	if (!skel) {
		/* Without JIT the kernel only says that it has no memory. */
		if (access("/proc/sys/net/core/bpf_jit_enable", F_OK))
			return "no BPF JIT in this kernel";
		return NULL;	/* the tests will say why */
	}
	err = test_bpf__attach(skel);
	test_bpf__destroy(skel);
	if (err != -ENOTSUPP || have_direct_calls())
		return NULL;
	return "attaching fentry: error 524 (ENOTSUPP)";
}

static bool test_wanted(const struct test *test, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++) {
		if (!strcmp(*names, test->name))
			return true;
	}
	return false;
}

static const struct test *find_test(const char *name)
{
	const struct test *const *test;

	for_each_test(test) {
		if (!strcmp(name, (*test)->name))
			return *test;
	}
	return NULL;
}

static int run_tests(char **names)
{
	unsigned int number = 0, wanted = 0, failed = 0, skipped = 0;
	const struct test *const *test;
	const char *missing;
	char **name;

	for (name = names; *name; name++) {
		if (!find_test(*name)) {
			fprintf(stderr, "bpf_runner: no test '%s'\n", *name);
			return 2;
		}
	}
	for_each_test(test)
		wanted += test_wanted(*test, names);
	printf("KTAP version 1\n1..%u\n", wanted);
	missing = probe_feature();
	for_each_test(test) {
		if (!test_wanted(*test, names))
			continue;
		test_name = (*test)->name;
		test_failed = false;
		skip_reason[0] = '\0';
		if (missing)
			skip("%s", missing);
		else
			(*test)->run();
		number++;
		if (test_failed) {
			failed++;
			printf("not ok %u %s\n", number, test_name);
		} else if (skip_reason[0]) {
			skipped++;
			printf("ok %u %s # SKIP %s\n", number, test_name,
			       skip_reason);
		} else {
			printf("ok %u %s\n", number, test_name);
		}
		fflush(stdout);
	}
	return failed ? 1 : skipped == number ? EXIT_SKIP : 0;
}

static void print_usage(FILE *f)
{
	fprintf(f,
		"usage: bpf_runner [-v] [--sabotage] --test [NAME...]\n"
		"                            run tests, print KTAP\n"
		"       bpf_runner --list    names of the tests\n");
}

int main(int argc, char **argv)
{
	const struct test *const *test;

	/* Nothing of ours stays when the script is killed that started this. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	print_libbpf_if(false);
	if (getenv("TOGGLES"))
		toggles = atoi(getenv("TOGGLES"));
	if (toggles < 1) {
		fprintf(stderr, "bpf_runner: TOGGLES is no positive number\n");
		return 2;
	}
	if (argc > 0 && strrchr(argv[0], '/'))
		snprintf(own_dir, sizeof(own_dir), "%.*s",
			 (int)(strrchr(argv[0], '/') - argv[0]), argv[0]);
	for (argv += argc > 0; *argv; argv++) {
		if (!strcmp(*argv, "-v"))
			print_libbpf_if(true);
		else if (!strcmp(*argv, "--sabotage"))
			sabotage = 1;
		else
			break;
	}
	if (*argv && !strcmp(*argv, "--test"))
		return run_tests(argv + 1);
	if (*argv && !strcmp(*argv, "--list") && !argv[1]) {
		for_each_test(test)
			puts((*test)->name);
		return 0;
	}
	if (*argv && (!strcmp(*argv, "--help") || !strcmp(*argv, "-h"))) {
		print_usage(stdout);
		return 0;
	}
	print_usage(stderr);
	return 2;
}
