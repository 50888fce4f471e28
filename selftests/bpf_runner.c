// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs on functions: tests, and rows for the benchmark.
 *
 * bpf_runner --test [NAME...]
 *	Attach fentry, fexit, fmod_ret, LSM and kprobe programs, and check what
 *	they see and do. Prints KTAP. Exits with 4 if the kernel does not
 *	support attaching to functions.
 * bpf_runner --sabotage --test [NAME...]
 *	The same with wrong expectations of arguments, order and counts: tests
 *	which check these must fail.
 * bpf_runner --bench
 *	Attach programs that do nothing to the tracee of the module
 *	ftrace_bench and have it measure the calls. Prints a JSON array.
 * bpf_runner --list
 *	Print the names of the tests.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bench.skel.h"
#include "test.skel.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define EXIT_SKIP	4
/* What the kernel says when a function cannot be attached to. Not in libc. */
#ifndef ENOTSUPP
#define ENOTSUPP	524
#endif

#define BENCH		"/sys/kernel/debug/ftrace_bench/"
#define TRACING		"/sys/kernel/tracing/"
#define TEST1		"bpf_fentry_test1"

static bool verbose;
/* Added to what tests expect, 1 to see them fail. */
static int sabotage;
/* Of the running test. */
static const char *test_name;
static bool test_failed;
static char skip_reason[128];

static int print_libbpf(enum libbpf_print_level level, const char *fmt,
			va_list args)
{
	if (!verbose)
		return 0;
	return vfprintf(stderr, fmt, args);
}

static const char *error_text(int err)
{
	static char buf[64];

	err = err < 0 ? -err : err;
	if (err == ENOTSUPP)
		return "error 524 (ENOTSUPP)";
	snprintf(buf, sizeof(buf), "error %d (%s)", err, strerror(err));
	return buf;
}

/* Macros, so that the compiler checks their formats. */
#define fail(...)				\
	do {					\
		printf("# %s: ", test_name);	\
		printf(__VA_ARGS__);		\
		printf("\n");			\
		test_failed = true;		\
	} while (0)

#define skip(...)	snprintf(skip_reason, sizeof(skip_reason), __VA_ARGS__)

static bool expect(const char *what, long long got, long long want)
{
	if (got == want)
		return true;
	fail("%s: got %lld, want %lld", what, got, want);
	return false;
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* The whole file as a string; NULL with errno set when that fails. */
static char *read_file(const char *path)
{
	size_t size = 0, room = 65536;
	char *text = malloc(room);
	int fd = open(path, O_RDONLY);
	ssize_t n = 0;

	while (text && fd >= 0) {
		n = read(fd, text + size, room - size - 1);
		if (n <= 0)
			break;
		size += n;
		if (room - size < 4096) {
			char *more = realloc(text, room *= 2);

			if (!more)
				n = -1;
			else
				text = more;
			if (!more)
				break;
		}
	}
	if (fd >= 0)
		close(fd);
	if (!text || fd < 0 || n < 0) {
		free(text);
		return NULL;
	}
	text[size] = '\0';
	return text;
}

static long long read_number(const char *path)
{
	char *text = read_file(path);
	long long value = text ? strtoll(text, NULL, 0) : -1;

	free(text);
	return value;
}

/*
 * Open the object and load the programs in @names, separated by spaces, plus
 * the one that test runs are made through. NULL if that fails.
 */
static struct test_bpf *load_tests(const char *names)
{
	struct test_bpf *skel = test_bpf__open();
	char *copy, *name, *save = NULL;
	struct bpf_program *prog;
	int err;

	if (!skel) {
		fail("open: %s", error_text(errno));
		return NULL;
	}
	bpf_program__set_autoload(skel->progs.driver, true);
	bpf_program__set_autoattach(skel->progs.driver, false);
	copy = strdup(names);
	for (name = strtok_r(copy, " ", &save); name;
	     name = strtok_r(NULL, " ", &save)) {
		prog = bpf_object__find_program_by_name(skel->obj, name);
		if (!prog) {
			fail("no program %s", name);
			continue;
		}
		bpf_program__set_autoload(prog, true);
	}
	free(copy);
	err = test_bpf__load(skel);
	if (err) {
		fail("load %s: %s", names, error_text(err));
		test_bpf__destroy(skel);
		return NULL;
	}
	skel->bss->tid = syscall(SYS_gettid);
	return skel;
}

/* Attach what load_tests() loaded. */
static bool attach_tests(struct test_bpf *skel)
{
	int err = test_bpf__attach(skel);

	if (err)
		fail("attach: %s", error_text(err));
	return !err;
}

/* Load, and attach. NULL if any of it fails. */
static struct test_bpf *attached_tests(const char *names)
{
	struct test_bpf *skel = load_tests(names);

	if (skel && !attach_tests(skel)) {
		test_bpf__destroy(skel);
		skel = NULL;
	}
	return skel;
}

/*
 * Have the kernel call bpf_fentry_test1() to bpf_fentry_test8() once each; or,
 * with a program for bpf_modify_return_test(), that function.
 */
static __u32 test_run(const struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err = bpf_prog_test_run_opts(bpf_program__fd(prog), &opts);

	if (err)
		fail("test run: %s", error_text(err));
	return opts.retval;
}

/* A task which makes test runs all the time. */
struct runner {
	pthread_t thread;
	const struct bpf_program *prog;
	atomic_bool stop;
	unsigned long runs;
	unsigned long errors;
};

static void *runner_thread(void *arg)
{
	struct runner *r = arg;

	while (!r->stop) {
		LIBBPF_OPTS(bpf_test_run_opts, opts);

		r->runs++;
		/* The kernel checks the return values of the functions. */
		if (bpf_prog_test_run_opts(bpf_program__fd(r->prog), &opts))
			r->errors++;
		/* Detaching waits until all tasks have switched or so. */
		if (!(r->runs % 16))
			sched_yield();
	}
	return NULL;
}

static bool start_runner(struct runner *r, const struct bpf_program *prog)
{
	memset(r, 0, sizeof(*r));
	r->prog = prog;
	return expect("start a thread",
		      pthread_create(&r->thread, NULL, runner_thread, r), 0);
}

static void stop_runner(struct runner *r)
{
	r->stop = true;
	pthread_join(r->thread, NULL);
	printf("# %s: %lu test runs under load\n", test_name, r->runs);
	expect("any test run under load", r->runs > 0, 1);
	expect("failed test runs under load", r->errors, 0);
}

/* Compare the counters of all eight functions after @runs test runs. */
static void expect_all(const char *what, const __u64 *hits, const __u64 *good,
		       unsigned int runs)
{
	char buf[64];
	int i;

	for (i = 0; i < 8; i++) {
		snprintf(buf, sizeof(buf), "%s: hits of bpf_fentry_test%d",
			 what, i + 1);
		expect(buf, hits[i], runs + sabotage);
		snprintf(buf, sizeof(buf), "%s: right values in test%d", what,
			 i + 1);
		expect(buf, good[i], runs + sabotage);
	}
}

#define ENTRY_ALL "entry1 entry2 entry3 entry4 entry5 entry6 entry7 entry8"
#define EXIT_ALL "exit1 exit2 exit3 exit4 exit5 exit6 exit7 exit8"

static void test_fentry(void)
{
	struct test_bpf *skel = attached_tests(ENTRY_ALL);
	int i;

	if (!skel)
		return;
	for (i = 0; i < 3; i++)
		test_run(skel->progs.driver);
	expect_all("fentry", skel->bss->entry_hits, skel->bss->entry_good, 3);
	test_bpf__detach(skel);
	test_run(skel->progs.driver);
	expect_all("detached", skel->bss->entry_hits, skel->bss->entry_good, 3);
	test_bpf__destroy(skel);
}

static void test_fexit(void)
{
	struct test_bpf *skel = attached_tests(EXIT_ALL);
	int i;

	if (!skel)
		return;
	for (i = 0; i < 3; i++)
		test_run(skel->progs.driver);
	expect_all("fexit", skel->bss->exit_hits, skel->bss->exit_good, 3);
	test_bpf__detach(skel);
	test_run(skel->progs.driver);
	expect_all("detached", skel->bss->exit_hits, skel->bss->exit_good, 3);
	test_bpf__destroy(skel);
}

/* Two and more programs share the trampoline of a function. */
static void test_fentry_fexit(void)
{
	struct test_bpf *skel = attached_tests(ENTRY_ALL " " EXIT_ALL);
	struct test_bpf *more;

	if (!skel)
		return;
	test_run(skel->progs.driver);
	expect_all("fentry", skel->bss->entry_hits, skel->bss->entry_good, 1);
	expect_all("fexit", skel->bss->exit_hits, skel->bss->exit_good, 1);

	more = attached_tests("entry1 entry1_too exit1 exit1_too");
	if (more) {
		test_run(skel->progs.driver);
		expect_all("fentry, more", skel->bss->entry_hits,
			   skel->bss->entry_good, 2);
		expect_all("fexit, more", skel->bss->exit_hits,
			   skel->bss->exit_good, 2);
		expect("third fentry", more->bss->entry_good[0], 1);
		expect("fourth fentry", more->bss->entry_good[1], 1);
		expect("third fexit", more->bss->exit_good[0], 1);
		expect("fourth fexit", more->bss->exit_good[1], 1);
		test_bpf__destroy(more);
		test_run(skel->progs.driver);
		expect_all("fentry, less", skel->bss->entry_hits,
			   skel->bss->entry_good, 3);
		expect_all("fexit, less", skel->bss->exit_hits,
			   skel->bss->exit_good, 3);
	}
	test_bpf__destroy(skel);
}

/*
 * bpf_modify_return_test(1, &b) with b = 2 adds one to b and returns a + b. The
 * test run tells b's change in the upper and the return value in the lower half
 * of its result.
 */
static void test_fmod_ret(void)
{
	struct test_bpf *skel = attached_tests("mod_entry mod mod_exit");
	__u32 result;

	if (!skel)
		return;
	result = test_run(skel->progs.mod);
	expect("unmodified: side effect", result >> 16, 1);
	expect("unmodified: return value", (__s16)result, 4);
	expect("unmodified: fmod_ret hits", skel->bss->mod_hits, 1);
	expect("unmodified: fentry is first", skel->bss->entry_seq,
	       1 + sabotage);
	expect("unmodified: fmod_ret is second", skel->bss->mod_seq,
	       2 + sabotage);
	expect("unmodified: fexit is third", skel->bss->exit_seq,
	       3 + sabotage);
	expect("unmodified: fexit sees the argument", skel->bss->exit_arg, 1);
	expect("unmodified: fexit sees the return value", skel->bss->exit_ret,
	       4);

	skel->bss->mod_ret = -22;
	result = test_run(skel->progs.mod);
	expect("modified: side effect", result >> 16, 0);
	expect("modified: return value", (__s16)result, -22);
	expect("modified: fmod_ret hits", skel->bss->mod_hits, 2);
	expect("modified: fentry is first", skel->bss->entry_seq, 4);
	expect("modified: fmod_ret is second", skel->bss->mod_seq, 5);
	expect("modified: fexit is third", skel->bss->exit_seq, 6);
	expect("modified: fexit sees the return value", skel->bss->exit_ret,
	       -22);

	test_bpf__detach(skel);
	result = test_run(skel->progs.mod);
	expect("detached: side effect", result >> 16, 1);
	expect("detached: return value", (__s16)result, 4);
	expect("detached: fmod_ret hits", skel->bss->mod_hits, 2);
	test_bpf__destroy(skel);
}

static unsigned long long symbol_address(const char *name)
{
	char line[256], symbol[128], type;
	unsigned long long address;
	FILE *f = fopen("/proc/kallsyms", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %c %127s", &address, &type,
			   symbol) == 3 && !strcmp(symbol, name)) {
			fclose(f);
			return address;
		}
	}
	if (f)
		fclose(f);
	return 0;
}

static void test_helpers(void)
{
	unsigned long long address = symbol_address("bpf_fentry_test2");
	struct test_bpf *skel = attached_tests("helpers_entry helpers_exit");

	if (!skel)
		return;
	test_run(skel->progs.driver);
	expect("address in kallsyms", address != 0, 1);
	expect("bpf_get_func_ip() in fentry", skel->bss->func_ip, address);
	expect("bpf_get_func_ip() in fexit", skel->bss->func_ip_exit, address);
	expect("bpf_get_func_arg_cnt()", skel->bss->arg_cnt, 2);
	expect("bpf_get_func_arg()", (__u32)skel->bss->arg_0, 2);
	expect("bpf_get_func_ret()", (__u32)skel->bss->ret_0, 5);
	test_bpf__destroy(skel);
}

/* Have the benchmark call its tracee. The number of calls, or -1. */
static long long call_bench(void)
{
	long long before = read_number(BENCH "calls");
	int err = write_file(BENCH "external", "bpf-scratch");

	if (err) {
		fail("write to " BENCH "external: %s", error_text(err));
		return -1;
	}
	return read_number(BENCH "calls") - before;
}

static bool have_bench(void)
{
	if (access(BENCH "external", W_OK) == 0)
		return true;
	skip("module ftrace_bench is not loaded");
	return false;
}

static void test_module(void)
{
	struct test_bpf *skel;
	long long calls, more;

	if (!have_bench())
		return;
	skel = attached_tests("bench_in bench_out");
	if (!skel)
		return;
	calls = call_bench();
	expect("any calls", calls > 0, 1);
	expect("fentry hits", skel->bss->bench_entry, calls + sabotage);
	expect("fexit hits", skel->bss->bench_exit, calls + sabotage);
	expect("wrong values", skel->bss->bench_bad, 0);
	test_bpf__detach(skel);
	more = call_bench();
	expect("any calls after detaching", more > 0, 1);
	expect("fentry hits after detaching", skel->bss->bench_entry, calls);
	test_bpf__destroy(skel);
}

/* Files opened while a program decides about it. */
static void test_lsm(void)
{
	struct test_bpf *skel;
	char *lsms;
	bool on;
	int i, fd;

	mkdir("/sys/kernel/security", 0755);
	lsms = read_file("/sys/kernel/security/lsm");
	on = !lsms || strstr(lsms, "bpf");
	free(lsms);
	if (!on) {
		skip("bpf is not among the active LSMs");
		return;
	}
	skel = attached_tests("open_hook");
	if (!skel)
		return;
	for (i = 0; i < 7; i++) {
		fd = open("/dev/null", O_RDONLY);
		expect("open", fd >= 0, 1);
		close(fd);
	}
	expect("hits", skel->bss->lsm_hits, 7);
	skel->bss->lsm_deny = true;
	fd = open("/dev/null", O_RDONLY);
	expect("error of a denied open", fd < 0 ? errno : 0, EPERM);
	expect("hits of a denied open", skel->bss->lsm_hits, 8);
	test_bpf__detach(skel);
	fd = open("/dev/null", O_RDONLY);
	expect("open when detached", fd >= 0, 1);
	close(fd);
	expect("hits when detached", skel->bss->lsm_hits, 8);
	test_bpf__destroy(skel);
}

#define REATTACH_LOOPS	50

/* Programs come and go while another thread keeps calling the functions. */
static void test_reattach(void)
{
	struct test_bpf *skel = load_tests("entry1 exit1 entry2 exit6");
	struct runner r;
	int i;

	if (!skel)
		return;
	if (!start_runner(&r, skel->progs.driver))
		goto out;
	for (i = 1; i <= REATTACH_LOOPS && !test_failed; i++) {
		if (!attach_tests(skel))
			break;
		test_run(skel->progs.driver);
		expect("fentry of test1", skel->bss->entry_good[0], i);
		expect("fexit of test1", skel->bss->exit_good[0], i);
		expect("fentry of test2", skel->bss->entry_good[1], i);
		expect("fexit of test6", skel->bss->exit_good[5], i);
		test_bpf__detach(skel);
		test_run(skel->progs.driver);
		expect("fentry when detached", skel->bss->entry_hits[0], i);
		expect("fexit when detached", skel->bss->exit_hits[0], i);
	}
	stop_runner(&r);
out:
	test_bpf__destroy(skel);
}

/* The other way round: the function has one program all the time. */
static void test_replace(void)
{
	struct test_bpf *skel = attached_tests("entry1 exit1");
	struct test_bpf *more = skel ? load_tests("entry1_too exit1_too") : NULL;
	struct runner r;
	int i;

	if (!more)
		goto out;
	if (!start_runner(&r, skel->progs.driver))
		goto out;
	for (i = 1; i <= REATTACH_LOOPS && !test_failed; i++) {
		if (!attach_tests(more))
			break;
		test_run(skel->progs.driver);
		expect("first fentry", skel->bss->entry_good[0], 2 * i - 1);
		expect("second fentry", more->bss->entry_good[1], i);
		expect("second fexit", more->bss->exit_good[1], i);
		test_bpf__detach(more);
		test_run(skel->progs.driver);
		expect("fentry that stays", skel->bss->entry_good[0], 2 * i);
		expect("fexit that stays", skel->bss->exit_good[0], 2 * i);
	}
	stop_runner(&r);
out:
	test_bpf__destroy(more);
	test_bpf__destroy(skel);
}

static void sleep_ms(int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

struct sleeper {
	pthread_t thread;
	atomic_uint tid;
	atomic_bool go;
	int result;
};

static void *sleeper_thread(void *arg)
{
	struct timespec ts = { 0, 600 * 1000000 };
	struct sleeper *s = arg;

	s->tid = syscall(SYS_gettid);
	while (!s->go)
		sched_yield();
	s->result = nanosleep(&ts, NULL);
	return NULL;
}

enum when_asleep {
	DETACH,
	ATTACH,
	REATTACH,
};

/* Programs come or go while the function that they trace sleeps. */
static void sleep_with(const char *names, enum when_asleep when,
		       __u64 entries, __u64 exits)
{
	struct test_bpf *skel = load_tests(names);
	struct sleeper s = { .result = -1 };

	if (!skel)
		return;
	if (!expect("start a thread",
		    pthread_create(&s.thread, NULL, sleeper_thread, &s), 0))
		goto out;
	while (!s.tid)
		sched_yield();
	skel->bss->tid = s.tid;
	if (when != ATTACH)
		attach_tests(skel);
	s.go = true;
	sleep_ms(200);
	if (when != ATTACH)
		test_bpf__detach(skel);
	if (when != DETACH)
		attach_tests(skel);
	pthread_join(s.thread, NULL);
	expect("result of nanosleep()", s.result, 0);
	expect("fentry hits", skel->bss->sleep_entry, entries);
	expect("fexit hits", skel->bss->sleep_exit, exits);
	if (when == DETACH)
		goto out;
	/* What was attached meanwhile is for the calls after that. */
	skel->bss->tid = syscall(SYS_gettid);
	sleep_ms(1);
	if (strstr(names, "sleep_in"))
		entries++;
	if (strstr(names, "sleep_out"))
		exits++;
	expect("fentry hits of the next call", skel->bss->sleep_entry, entries);
	expect("fexit hits of the next call", skel->bss->sleep_exit, exits);
out:
	test_bpf__destroy(skel);
}

static void test_detach_sleeping(void)
{
	/* When the sleeper returns there is no program to be called. */
	sleep_with("sleep_in", DETACH, 1, 0);
	sleep_with("sleep_out", DETACH, 0, 0);
	sleep_with("sleep_in sleep_out", DETACH, 1, 0);
}

static void test_attach_sleeping(void)
{
	sleep_with("sleep_in", ATTACH, 0, 0);
	sleep_with("sleep_out", ATTACH, 0, 0);
	sleep_with("sleep_in sleep_out", ATTACH, 0, 0);
}

static void test_reattach_sleeping(void)
{
	/* The sleeper is in the trampoline of the programs that are gone. */
	sleep_with("sleep_in", REATTACH, 1, 0);
	sleep_with("sleep_out", REATTACH, 0, 0);
	sleep_with("sleep_in sleep_out", REATTACH, 1, 0);
}

/* Lines of the trace buffer with @text, comments not counted. */
static int count_trace(const char *path, const char *text)
{
	char *trace = read_file(path), *line, *save = NULL;
	int count = 0;

	if (!trace) {
		fail("read %s: %s", path, error_text(errno));
		return -1;
	}
	for (line = strtok_r(trace, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (line[0] != '#' && strstr(line, text))
			count++;
	}
	free(trace);
	return count;
}

/* Write to a file in tracefs; a failure fails the test. */
static bool set_tracing(const char *file, const char *text)
{
	int err = write_file(file, text);

	if (err)
		fail("write '%s' to %s: %s", text, file, error_text(err));
	return !err;
}

#define INSTANCE	TRACING "instances/bpf_runner/"

static bool function_tracer(bool on)
{
	if (on) {
		if (mkdir(INSTANCE, 0755) && errno != EEXIST) {
			fail("mkdir " INSTANCE ": %s", error_text(errno));
			return false;
		}
		return set_tracing(INSTANCE "set_ftrace_filter", TEST1) &&
		       set_tracing(INSTANCE "current_tracer", "function");
	}
	return set_tracing(INSTANCE "current_tracer", "nop") &&
	       expect("rmdir", rmdir(INSTANCE), 0);
}

static void expect_both(struct test_bpf *skel, const char *what,
			const char *trace, int runs)
{
	char buf[80];

	write_file(trace, "");
	expect("trace when cleared", count_trace(trace, TEST1), 0);
	memset(skel->bss->entry_good, 0, sizeof(skel->bss->entry_good));
	memset(skel->bss->exit_good, 0, sizeof(skel->bss->exit_good));
	while (runs--) {
		test_run(skel->progs.driver);
		snprintf(buf, sizeof(buf), "%s: lines in the trace", what);
	}
	expect(buf, count_trace(trace, TEST1), skel->bss->entry_good[0]);
	snprintf(buf, sizeof(buf), "%s: fentry hits", what);
	expect(buf, skel->bss->entry_good[0], 5);
	snprintf(buf, sizeof(buf), "%s: fexit hits", what);
	expect(buf, skel->bss->exit_good[0], 5);
}

/* The function tracer is on the same function, coming first and last. */
static void test_function_tracer(void)
{
	struct test_bpf *skel = load_tests("entry1 exit1");

	if (!skel)
		return;
	if (!function_tracer(true))
		goto out;
	if (attach_tests(skel)) {
		expect_both(skel, "tracer first", INSTANCE "trace", 5);
		test_bpf__detach(skel);
		write_file(INSTANCE "trace", "");
		test_run(skel->progs.driver);
		expect("lines in the trace when detached",
		       count_trace(INSTANCE "trace", TEST1), 1);
	}
	function_tracer(false);

	if (attach_tests(skel) && function_tracer(true)) {
		expect_both(skel, "tracer last", INSTANCE "trace", 5);
		function_tracer(false);
		memset(skel->bss->entry_good, 0,
		       sizeof(skel->bss->entry_good));
		test_run(skel->progs.driver);
		expect("fentry hits when the tracer is gone",
		       skel->bss->entry_good[0], 1);
	}
out:
	test_bpf__destroy(skel);
}

static bool graph_tracer(bool on)
{
	if (on)
		return set_tracing(TRACING "set_ftrace_filter", TEST1) &&
		       set_tracing(TRACING "current_tracer", "function_graph");
	return set_tracing(TRACING "current_tracer", "nop") &&
	       set_tracing(TRACING "set_ftrace_filter", "");
}

/* The same with function graph, which changes where the function returns to. */
static void test_function_graph(void)
{
	struct test_bpf *skel = load_tests("entry1 exit1");

	if (!skel)
		return;
	if (!graph_tracer(true))
		goto out;
	if (attach_tests(skel)) {
		expect_both(skel, "graph first", TRACING "trace", 5);
		test_bpf__detach(skel);
		write_file(TRACING "trace", "");
		test_run(skel->progs.driver);
		expect("lines in the trace when detached",
		       count_trace(TRACING "trace", TEST1), 1);
	}
	graph_tracer(false);

	if (attach_tests(skel) && graph_tracer(true)) {
		expect_both(skel, "graph last", TRACING "trace", 5);
		graph_tracer(false);
		memset(skel->bss->exit_good, 0, sizeof(skel->bss->exit_good));
		test_run(skel->progs.driver);
		expect("fexit hits when graph is gone",
		       skel->bss->exit_good[0], 1);
	}
out:
	graph_tracer(false);
	test_bpf__destroy(skel);
}

/* A kprobe and a kretprobe on the same function, coming first and last. */
static void test_kprobe(void)
{
	struct test_bpf *probes = load_tests("kprobe1 kretprobe1");
	struct test_bpf *skel = probes ? load_tests("entry1 exit1") : NULL;
	int last;

	for (last = 0; skel && last < 2; last++) {
		const char *what = last ? "probes last" : "probes first";

		if (!attach_tests(last ? skel : probes) ||
		    !attach_tests(last ? probes : skel))
			break;
		skel->bss->entry_good[0] = 0;
		skel->bss->exit_good[0] = 0;
		probes->bss->kprobe_hits = 0;
		probes->bss->kretprobe_hits = 0;
		test_run(skel->progs.driver);
		test_run(skel->progs.driver);
		expect(what, skel->bss->entry_good[0], 2);
		expect(what, skel->bss->exit_good[0], 2);
		expect(what, probes->bss->kprobe_hits, 2);
		expect(what, probes->bss->kretprobe_hits, 2);
		/* The one that came first leaves first. */
		test_bpf__detach(last ? skel : probes);
		test_run(skel->progs.driver);
		expect(what, skel->bss->exit_good[0], last ? 2 : 3);
		expect(what, probes->bss->kretprobe_hits, last ? 3 : 2);
		test_bpf__detach(last ? probes : skel);
	}
	test_bpf__destroy(skel);
	test_bpf__destroy(probes);
}

static const char packet[64];

/* Have the kernel run @prog on that packet. */
static __u32 packet_run(const struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts,
		    .data_in = packet,
		    .data_size_in = sizeof(packet));

	expect("packet run",
	       bpf_prog_test_run_opts(bpf_program__fd(prog), &opts), 0);
	return opts.retval;
}

static struct test_bpf *load_onto(const struct bpf_program *target)
{
	struct test_bpf *skel = test_bpf__open();
	int err, fd = bpf_program__fd(target);

	if (!skel) {
		fail("open: %s", error_text(errno));
		return NULL;
	}
	bpf_program__set_autoload(skel->progs.target_in, true);
	bpf_program__set_autoload(skel->progs.target_out, true);
	err = bpf_program__set_attach_target(skel->progs.target_in, fd,
					     "target");
	if (!err)
		err = bpf_program__set_attach_target(skel->progs.target_out, fd,
						     "target");
	if (!err)
		err = test_bpf__load(skel);
	if (err) {
		fail("load: %s", error_text(err));
		test_bpf__destroy(skel);
		return NULL;
	}
	skel->bss->tid = syscall(SYS_gettid);
	return skel;
}

/*
 * The tracee is a BPF program. ftrace has no part in it, and must have none.
 * What was attached to a program cannot be attached again, so load it afresh.
 */
static void test_prog_to_prog(void)
{
	struct test_bpf *target = load_tests("target"), *skel;
	int i;

	if (!target)
		return;
	for (i = 0; i < 3 && !test_failed; i++) {
		skel = load_onto(target->progs.target);
		if (!skel)
			break;
		if (attach_tests(skel))
			expect("return value",
			       packet_run(target->progs.target), 71);
		test_bpf__detach(skel);
		expect("return value when detached",
		       packet_run(target->progs.target), 71);
		expect("fentry hits", skel->bss->entry_hits[0], 1 + sabotage);
		expect("fentry, right values", skel->bss->entry_good[0], 1);
		expect("fexit hits", skel->bss->exit_hits[0], 1 + sabotage);
		expect("fexit, right values", skel->bss->exit_good[0], 1);
		test_bpf__destroy(skel);
	}
	test_bpf__destroy(target);
}

static long long run_count(const struct bpf_program *prog)
{
	struct bpf_prog_info info = { };
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len))
		return -1;
	return info.run_cnt;
}

/* The kernel's own count of how often a program ran. */
static void test_run_stats(void)
{
	struct test_bpf *skel = attached_tests("entry1 exit1");
	int i, stats;

	if (!skel)
		return;
	test_run(skel->progs.driver);
	expect("fentry runs without statistics",
	       run_count(skel->progs.entry1), 0);
	stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (expect("enable statistics", stats >= 0, 1)) {
		for (i = 0; i < 5; i++)
			test_run(skel->progs.driver);
		close(stats);
	}
	test_run(skel->progs.driver);
	expect("fentry runs", run_count(skel->progs.entry1), 5 + sabotage);
	expect("fexit runs", run_count(skel->progs.exit1), 5 + sabotage);
	expect("fentry hits", skel->bss->entry_good[0], 7);
	expect("fexit hits", skel->bss->exit_good[0], 7);
	test_bpf__destroy(skel);
}

static const struct test {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ "fentry", test_fentry },
	{ "fexit", test_fexit },
	{ "fentry_fexit", test_fentry_fexit },
	{ "fmod_ret", test_fmod_ret },
	{ "helpers", test_helpers },
	{ "module", test_module },
	{ "lsm", test_lsm },
	{ "reattach", test_reattach },
	{ "replace", test_replace },
	{ "detach_sleeping", test_detach_sleeping },
	{ "attach_sleeping", test_attach_sleeping },
	{ "reattach_sleeping", test_reattach_sleeping },
	{ "function_tracer", test_function_tracer },
	{ "function_graph", test_function_graph },
	{ "kprobe", test_kprobe },
	{ "prog_to_prog", test_prog_to_prog },
	{ "run_stats", test_run_stats },
};

/* Try what all tests need. Returns an error that says it is not supported. */
static int probe_feature(void)
{
	struct test_bpf *skel;
	int err;

	test_name = "probe";
	skel = load_tests("entry1");
	if (!skel)
		return 0;	/* the tests will say why */
	err = test_bpf__attach(skel);
	test_bpf__destroy(skel);
	return err == -ENOTSUPP ? err : 0;
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

static int run_tests(char **names)
{
	unsigned int i, number = 0, wanted = 0, failed = 0, skipped = 0;
	char **name;
	int missing;

	for (name = names; *name; name++) {
		for (i = 0; i < ARRAY_SIZE(tests); i++) {
			if (!strcmp(*name, tests[i].name))
				break;
		}
		if (i == ARRAY_SIZE(tests)) {
			fprintf(stderr, "bpf_runner: no test '%s'\n", *name);
			return 2;
		}
	}
	for (i = 0; i < ARRAY_SIZE(tests); i++)
		wanted += test_wanted(&tests[i], names);
	printf("KTAP version 1\n1..%u\n", wanted);
	missing = probe_feature();
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!test_wanted(&tests[i], names))
			continue;
		test_name = tests[i].name;
		test_failed = false;
		skip_reason[0] = '\0';
		if (missing)
			skip("attaching fentry: %s", error_text(missing));
		else
			tests[i].run();
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

static const struct bench_row {
	const char *name;
	const char *progs[2];
} bench_rows[] = {
	{ "bpf-kprobe", { "bench_kprobe" } },
	{ "bpf-kretprobe", { "bench_kretprobe" } },
	{ "bpf-fentry", { "bench_fentry" } },
	{ "bpf-fexit", { "bench_fexit" } },
	{ "bpf-fentry-fexit", { "bench_fentry", "bench_fexit" } },
	{ "bpf-fmod_ret", { "bench_fmod_ret" } },
};

/* The text between "key": and the next comma or brace of a JSON row. */
static const char *json_value(const char *row, const char *key)
{
	static char buf[160];
	char quoted[32];
	const char *p;
	size_t len;

	snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	p = strstr(row, quoted);
	if (!p)
		return "null";
	p += strlen(quoted);
	len = *p == '"' ? strcspn(p + 1, "\"") + 2 : strcspn(p, ",}");
	snprintf(buf, sizeof(buf), "%.*s", (int)len, p);
	return buf;
}

/* The numbers come from @json, a row as ftrace_bench prints it; "" for none. */
static void print_row(const struct bench_row *row, const char *json,
		      const char *path, const char *status, const char *reason)
{
	static const char * const copied[] = {
		"calls", "runs", "min", "median", "max", "overhead",
	};
	unsigned int i;

	printf("{\"name\":\"%s\",\"relevant\":1,\"irrelevant\":0", row->name);
	for (i = 0; i < ARRAY_SIZE(copied); i++)
		printf(",\"%s\":%s", copied[i], json_value(json, copied[i]));
	printf(",\"path\":%s,\"status\":\"%s\"", path, status);
	if (reason)
		printf(",\"reason\":\"%s\"", reason);
	else
		printf(",\"reason\":null");
}

static void print_hits(const char *hits, const char *expected)
{
	printf(",\"hits\":%s,\"expected_hits\":%s}", hits, expected);
}

/* A row without numbers. */
static void print_empty(const struct bench_row *row, const char *status,
			const char *reason)
{
	print_row(row, "", "null", status, reason);
	print_hits("null", "null");
}

static void print_measured(const struct bench_row *row, const char *json,
			   long long hits, long long expected)
{
	char path[80], reason[128], number[2][24];
	const char *status = "ok";

	snprintf(path, sizeof(path), "%s", json_value(json, "path"));
	/* The breakpoint hides the instructions which would tell. */
	if (strstr(row->name, "probe") && !strncmp(path, "\"unknown:", 9))
		strcpy(path, "\"kprobe\"");
	if (strcmp(json_value(json, "status"), "\"ok\"")) {
		status = "failed";
		snprintf(reason, sizeof(reason),
			 "the tracee returned a wrong value");
	} else if (hits != expected) {
		status = "failed";
		snprintf(reason, sizeof(reason), "%lld hits in %lld calls",
			 hits, expected);
	}
	print_row(row, json, path, status, strcmp(status, "ok") ? reason : NULL);
	snprintf(number[0], sizeof(number[0]), "%lld", hits);
	snprintf(number[1], sizeof(number[1]), "%lld", expected);
	print_hits(number[0], number[1]);
}

/*
 * Measure with programs that do nothing, so nothing but the way to them is in
 * the numbers. How often they ran is counted by the kernel in a second pass
 * with its BPF statistics on, which would add to the cost of the first one.
 */
static void measure_row(const struct bench_row *row,
			struct bpf_program **progs, unsigned int nr)
{
	long long before[2], calls, hits = -1;
	char *json = NULL, *text, needle[64];
	unsigned int i;
	int err, stats;

	err = write_file(BENCH "external", row->name);
	if (!err) {
		json = read_file(BENCH "results.json");
		err = json ? 0 : -errno;
	}
	snprintf(needle, sizeof(needle), "{\"name\":\"%s\"", row->name);
	text = json ? strstr(json, needle) : NULL;
	if (!text) {
		print_empty(row, "failed",
			    err ? error_text(err) : "no row in results");
		free(json);
		return;
	}
	text[strcspn(text, "}") + 1] = '\0';

	stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (stats < 0) {
		print_empty(row, "failed", "no BPF statistics");
		free(json);
		return;
	}
	for (i = 0; i < nr; i++)
		before[i] = run_count(progs[i]);
	calls = read_number(BENCH "calls");
	err = write_file(BENCH "external", "bpf-hits");
	calls = err ? -1 : read_number(BENCH "calls") - calls;
	for (i = 0; i < nr; i++) {
		long long ran = run_count(progs[i]) - before[i];

		if (hits < 0 || ran != calls)
			hits = ran;
	}
	close(stats);
	print_measured(row, text, hits, calls);
	free(json);
}

static void bench_one(const struct bench_row *row)
{
	struct bench_bpf *skel = bench_bpf__open();
	struct bpf_program *progs[2];
	unsigned int i, nr = 0;
	char reason[128];
	int err;

	if (!skel) {
		print_empty(row, "failed", error_text(errno));
		return;
	}
	for (i = 0; i < 2 && row->progs[i]; i++) {
		progs[nr] = bpf_object__find_program_by_name(skel->obj,
							     row->progs[i]);
		bpf_program__set_autoload(progs[nr++], true);
	}
	err = bench_bpf__load(skel);
	if (err) {
		snprintf(reason, sizeof(reason), "load: %s", error_text(err));
	} else {
		err = bench_bpf__attach(skel);
		snprintf(reason, sizeof(reason), "attach: %s",
			 error_text(err));
	}
	if (err)
		print_empty(row, "unsupported", reason);
	else
		measure_row(row, progs, nr);
	bench_bpf__destroy(skel);
}

static int run_bench(void)
{
	unsigned int i;

	if (access(BENCH "external", W_OK)) {
		fprintf(stderr, "bpf_runner: " BENCH
			"external: %s (load the module ftrace_bench first)\n",
			strerror(errno));
		return 1;
	}
	for (i = 0; i < ARRAY_SIZE(bench_rows); i++) {
		printf("%s", i ? ",\n" : "[\n");
		bench_one(&bench_rows[i]);
		fflush(stdout);
	}
	printf("\n]\n");
	return 0;
}

static void print_usage(FILE *f)
{
	fprintf(f,
		"usage: bpf_runner [-v] [--sabotage] --test [NAME...]\n"
		"                                run tests, print KTAP\n"
		"       bpf_runner [-v] --bench  measure, print JSON\n"
		"       bpf_runner --list        names of the tests\n");
}

int main(int argc, char **argv)
{
	unsigned int i;

	libbpf_set_print(print_libbpf);
	for (argv += argc > 0; *argv; argv++) {
		if (!strcmp(*argv, "-v"))
			verbose = true;
		else if (!strcmp(*argv, "--sabotage"))
			sabotage = 1;
		else
			break;
	}
	if (*argv && !strcmp(*argv, "--test"))
		return run_tests(argv + 1);
	if (*argv && !strcmp(*argv, "--bench") && !argv[1])
		return run_bench();
	if (*argv && !strcmp(*argv, "--list") && !argv[1]) {
		for (i = 0; i < ARRAY_SIZE(tests); i++)
			puts(tests[i].name);
		return 0;
	}
	if (*argv && (!strcmp(*argv, "--help") || !strcmp(*argv, "-h"))) {
		print_usage(stdout);
		return 0;
	}
	print_usage(stderr);
	return 2;
}
