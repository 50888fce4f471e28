// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs on functions: tests, and rows for the benchmark.
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
 * bpf_runner --bench
 *	Attach programs that do nothing to the tracee of the module
 *	ftrace_bench, and the kernel's own tracers, and have it measure the
 *	calls. Prints a JSON array.
 * bpf_runner --syscalls
 *	Have a program called by each of many system calls, and measure these.
 *	Prints a JSON array.
 * bpf_runner --cost [bpf]
 *	Measure what it takes to turn tracing of many functions on and off, and
 *	to attach programs and detach them; with "bpf" the latter only. Prints a
 *	JSON array.
 * bpf_runner --list
 *	Print the names of the tests.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>

#include "bench.skel.h"
#include "multi.skel.h"
#include "ops.skel.h"
#include "test.skel.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define EXIT_SKIP	4
/* What the kernel says when a function cannot be attached to. Not in libc. */
#ifndef ENOTSUPP
#define ENOTSUPP	524
#endif

#define BENCH		"/sys/kernel/debug/ftrace_bench/"
#define TRACEES	"/sys/module/ftrace_tracees/parameters/"
#define TRACING		"/sys/kernel/tracing/"
#define TEST1		"bpf_fentry_test1"

static bool verbose;
/* Added to what tests expect, 1 to see them fail. */
static int sabotage;
/* Steps of the tests under load. */
static int toggles = 60;
/* Of the running test. */
static const char *test_name;
static bool test_failed;
static char skip_reason[128];
/* Where this program and the modules are. */
static char own_dir[3072] = ".";

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
	ssize_t n;
	int err = 0;

	if (fd < 0)
		return -errno;
	/* A list of functions is taken word by word. */
	do {
		n = write(fd, text, strlen(text));
		if (n < 0)
			err = -errno;
		else
			text += n;
	} while (n > 0 && *text);
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
	long long value = text ? (long long)strtoull(text, NULL, 0) : -1;

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

static const char packet[64];

/* A task which makes test runs all the time, with a packet if that is needed */
struct runner {
	pthread_t thread;
	const struct bpf_program *prog;
	bool packet;
	unsigned int nap;	/* between some runs, in us */
	cpu_set_t cpus;	/* of the task that started it */
	atomic_bool stop;
	unsigned long runs;
	unsigned long errors;
};

static void *runner_thread(void *arg)
{
	struct runner *r = arg;

	/* Once also when it is stopped before the thread has begun */
	do {
		LIBBPF_OPTS(bpf_test_run_opts, opts);

		if (r->packet) {
			opts.data_in = packet;
			opts.data_size_in = sizeof(packet);
		}
		r->runs++;
		/* The kernel checks the return values of its functions. */
		if (bpf_prog_test_run_opts(bpf_program__fd(r->prog), &opts))
			r->errors++;
		/* The values of wide_caller(), see there */
		if (r->packet && opts.retval != 64 && opts.retval != 1064)
			r->errors++;
		/* Detaching waits until all tasks have switched or so. */
		if (!(r->runs % 16) && (!r->nap || usleep(r->nap)))
			sched_yield();
	} while (!r->stop);
	return NULL;
}

/*
 * The kernel does not run a program on a CPU where it has been preempted, but
 * counts a miss. Tests that compare numbers of calls need a CPU of their own.
 */
static void keep_apart(struct runner *r)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof(r->cpus), &r->cpus);
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return;
	CPU_ZERO(&set);
	CPU_SET(1, &set);
	pthread_setaffinity_np(r->thread, sizeof(set), &set);
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static bool start_runner(struct runner *r, const struct bpf_program *prog,
			 unsigned int nap)
{
	memset(r, 0, sizeof(*r));
	r->prog = prog;
	r->nap = nap;
	r->packet = bpf_program__type(prog) == BPF_PROG_TYPE_SCHED_CLS;
	if (!expect("start a thread",
		    pthread_create(&r->thread, NULL, runner_thread, r), 0))
		return false;
	keep_apart(r);
	return true;
}

static void stop_runner(struct runner *r)
{
	r->stop = true;
	pthread_join(r->thread, NULL);
	sched_setaffinity(0, sizeof(r->cpus), &r->cpus);
	printf("# %s: %lu test runs under load\n", test_name, r->runs);
	expect("any test run under load", r->runs > 0, 1);
	expect("failed test runs under load", r->errors, 0);
}

/*
 * How often does the kernel call a function in @runs test runs? Clang knows that
 * bpf_fentry_test7() does nothing but return its argument, and leaves the call out.
 */
static unsigned int calls_of(const char *func, unsigned int runs)
{
	static int clang = -1;

	if (clang < 0) {
		char *version = read_file("/proc/version");

		clang = version && strstr(version, "clang version");
		free(version);
	}
	return clang && !strcmp(func, "bpf_fentry_test7") ? 0 : runs;
}

/* Compare the counters of all eight functions after @runs test runs. */
static void expect_all(const char *what, const __u64 *hits, const __u64 *good,
		       unsigned int runs)
{
	char func[32], buf[80];
	unsigned int calls;
	int i;

	for (i = 0; i < 8; i++) {
		snprintf(func, sizeof(func), "bpf_fentry_test%d", i + 1);
		calls = calls_of(func, runs) + sabotage;
		snprintf(buf, sizeof(buf), "%s: hits of %s", what, func);
		expect(buf, hits[i], calls);
		snprintf(buf, sizeof(buf), "%s: right values in %s", what, func);
		expect(buf, good[i], calls);
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

/* Programs come and go while another thread keeps calling the functions. */
static void test_reattach(void)
{
	struct test_bpf *skel = load_tests("entry1 exit1 entry2 exit6");
	struct runner r;
	int i;

	if (!skel)
		return;
	if (!start_runner(&r, skel->progs.driver, 0))
		goto out;
	for (i = 1; i <= toggles && !test_failed; i++) {
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
	if (!start_runner(&r, skel->progs.driver, 0))
		goto out;
	for (i = 1; i <= toggles && !test_failed; i++) {
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

#define KILLS	20

/*
 * A process that attaches programs, says so, and gets killed: either while they
 * stay attached, or while it keeps attaching and detaching them.
 */
static pid_t start_attacher(struct test_bpf *skel, bool stay)
{
	int said[2];
	char byte;
	pid_t pid;

	if (pipe(said))
		return -1;
	pid = fork();
	if (!pid) {
		bool again = false;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		do {
			if (test_bpf__attach(skel) ||
			    (!again && write(said[1], "", 1) != 1))
				_exit(1);
			again = true;
			while (stay)
				pause();
			test_bpf__detach(skel);
		} while (true);
	}
	close(said[1]);
	if (pid > 0 && read(said[0], &byte, 1) != 1)
		fail("the child has not attached");
	close(said[0]);
	return pid;
}

/*
 * Whoever attached programs gets killed. They are gone with him, those of others
 * are not, and the function can be attached to again.
 */
static void test_killed(void)
{
	struct test_bpf *skel = attached_tests("entry1 exit1");
	struct test_bpf *more = NULL;
	__u64 entries = 0, exits = 0;
	unsigned int runs = 0;
	struct runner r;
	int i, status;
	pid_t pid;

	if (skel)
		more = load_tests("entry1_too exit1_too");
	if (!more || !start_runner(&r, skel->progs.driver, 0))
		goto out;
	for (i = 1; i <= KILLS && !test_failed; i++) {
		bool stay = i % 2;

		pid = start_attacher(more, stay);
		if (pid < 0) {
			fail("start a process: %s", error_text(errno));
			break;
		}
		entries = more->bss->entry_good[1];
		exits = more->bss->exit_good[1];
		if (stay) {
			test_run(skel->progs.driver);
			expect("fentry of another process",
			       more->bss->entry_good[1], ++entries);
			expect("fexit of another process",
			       more->bss->exit_good[1], ++exits);
		} else {
			/* Some of these times are in the middle of something. */
			sleep_ms(7 * i);
		}
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		/* Not if it could not attach again */
		expect("ended by a signal", WIFSIGNALED(status), 1);
		test_run(skel->progs.driver);
		expect("fentry of a dead process", more->bss->entry_good[1],
		       entries);
		expect("fexit of a dead process", more->bss->exit_good[1], exits);
		runs += 1 + stay;
		expect("fentry that stays", skel->bss->entry_good[0],
		       runs + sabotage);
		expect("fexit that stays", skel->bss->exit_good[0], runs);
	}
	if (attach_tests(more)) {
		test_run(skel->progs.driver);
		expect("fentry again", more->bss->entry_good[1], entries + 1);
		expect("fexit again", more->bss->exit_good[1], exits + 1);
	}
	stop_runner(&r);
out:
	test_bpf__destroy(more);
	test_bpf__destroy(skel);
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

static bool graph_there(void)
{
	char *tracers = read_file(TRACING "available_tracers");
	bool there = tracers && strstr(tracers, "function_graph");

	free(tracers);
	return there;
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
	if (!graph_there()) {
		skip("no function graph in this kernel");
		goto out;
	}
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

/*
 * A kprobe that makes the function return at once, with and without fexit on
 * the same function. Whether fexit notices depends on where the kprobe is.
 */
static void test_override(void)
{
	struct test_bpf *skel = load_tests("mod mod_exit override");
	struct bpf_link *links[2] = { NULL, NULL };
	__u32 result;
	int first;

	if (!skel)
		return;
	for (first = 0; first < 2 && !test_failed; first++) {
		links[first] = bpf_program__attach(skel->progs.override);
		result = test_run(skel->progs.mod);
		expect("override: return value", (__s16)result, -22);

		links[!first] = bpf_program__attach(skel->progs.mod_exit);
		result = test_run(skel->progs.mod);
		expect("with fexit: side effect", result >> 16, 0 + sabotage);
		expect("with fexit: return value", (__s16)result, -22);

		/* The first to come is the first to go, and then the last. */
		bpf_link__destroy(links[0]);
		result = test_run(skel->progs.mod);
		expect("one of them: return value", (__s16)result,
		       first ? -22 : 4);
		bpf_link__destroy(links[1]);
		result = test_run(skel->progs.mod);
		expect("none of them: return value", (__s16)result, 4);
	}
	expect("hits of the kprobe", skel->bss->kprobe_hits, 5);
	test_bpf__destroy(skel);
}

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

/* Load the programs in @names, which are for the @function of @target. */
static struct test_bpf *load_onto(const struct bpf_program *target,
				  const char *function, const char *names)
{
	struct test_bpf *skel = test_bpf__open();
	char *copy, *name, *save = NULL;
	int err = 0, fd = bpf_program__fd(target);

	if (!skel) {
		fail("open: %s", error_text(errno));
		return NULL;
	}
	copy = strdup(names);
	for (name = strtok_r(copy, " ", &save); name && !err;
	     name = strtok_r(NULL, " ", &save)) {
		struct bpf_program *prog;

		prog = bpf_object__find_program_by_name(skel->obj, name);
		if (!prog) {
			err = -ENOENT;
			break;
		}
		bpf_program__set_autoload(prog, true);
		err = bpf_program__set_attach_target(prog, fd, function);
	}
	free(copy);
	if (!err)
		err = test_bpf__load(skel);
	if (err) {
		fail("load %s: %s", names, error_text(err));
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
static void trace_prog(struct bpf_program *prog, const char *function,
		       const char *names, int nr, __u32 ret)
{
	struct test_bpf *skel;
	int i;

	for (i = 0; i < 3 && !test_failed; i++) {
		skel = load_onto(prog, function, names);
		if (!skel)
			break;
		if (attach_tests(skel))
			expect("return value", packet_run(prog), ret);
		test_bpf__detach(skel);
		expect("return value when detached", packet_run(prog), ret);
		expect("fentry hits", skel->bss->entry_hits[nr], 1 + sabotage);
		expect("fentry, right values", skel->bss->entry_good[nr], 1);
		expect("fexit hits", skel->bss->exit_hits[nr], 1 + sabotage);
		expect("fexit, right values", skel->bss->exit_good[nr], 1);
		test_bpf__destroy(skel);
	}
}

static void test_prog_to_prog(void)
{
	struct test_bpf *target = load_tests("target");

	if (target)
		trace_prog(target->progs.target, "target",
			   "target_in target_out", 0, 71);
	test_bpf__destroy(target);
}

/* The tracee is a function of a program, called by that. */
static void test_prog_function(void)
{
	struct test_bpf *target = load_tests("wide_caller");

	if (target)
		trace_prog(target->progs.wide_caller, "wide",
			   "wide_in wide_out", 0, 64);
	test_bpf__destroy(target);
}

static void expect_busy(const char *what, struct bpf_program *prog)
{
	struct bpf_link *link = bpf_program__attach(prog);

	expect(what, link ? 0 : errno, EBUSY);
	bpf_link__destroy(link);
}

/* Replace a function of a program by another program. */
static void test_freplace(void)
{
	struct test_bpf *target = load_tests("wide_caller"), *new, *skel;
	struct bpf_program *caller;
	int i;

	if (!target)
		return;
	caller = target->progs.wide_caller;
	for (i = 0; i < 3 && !test_failed; i++) {
		new = load_onto(caller, "wide", "wide_new");
		skel = new ? load_onto(caller, "wide", "wide_in") : NULL;
		if (skel && attach_tests(new)) {
			expect("return value", packet_run(caller), 1064);
			expect("hits", new->bss->new_hits, 1 + sabotage);
			expect_busy("trace what is replaced",
				    skel->progs.wide_in);
		}
		test_bpf__detach(new);
		test_bpf__destroy(skel);
		expect("return value when detached", packet_run(caller), 64);
		test_bpf__destroy(new);

		new = load_onto(caller, "wide", "wide_new");
		skel = new ? load_onto(caller, "wide", "wide_in") : NULL;
		if (skel && attach_tests(skel)) {
			expect_busy("replace what is traced",
				    new->progs.wide_new);
			expect("return value when traced", packet_run(caller),
			       64);
			expect("hits of the tracer", skel->bss->entry_good[0],
			       1);
		}
		test_bpf__destroy(skel);
		test_bpf__destroy(new);
	}
	test_bpf__destroy(target);
}

/* Trace and replace a function of a program that runs all the time. */
static void test_prog_reattach(void)
{
	struct test_bpf *target = load_tests("wide_caller"), *skel, *new;
	struct bpf_program *caller;
	struct runner r;
	int i;

	if (!target)
		return;
	caller = target->progs.wide_caller;
	if (!start_runner(&r, caller, 0))
		goto out;
	for (i = 0; i < (toggles + 1) / 2 && !test_failed; i++) {
		skel = load_onto(caller, "wide", "wide_in wide_out");
		if (!skel)
			break;
		if (attach_tests(skel))
			expect("traced", packet_run(caller), 64);
		test_bpf__detach(skel);
		expect("fentry", skel->bss->entry_good[0], 1 + sabotage);
		expect("fexit", skel->bss->exit_good[0], 1 + sabotage);
		test_bpf__destroy(skel);
		new = load_onto(caller, "wide", "wide_new");
		if (new && attach_tests(new))
			expect("replaced", packet_run(caller), 1064);
		test_bpf__destroy(new);
		expect("neither", packet_run(caller), 64);
	}
	stop_runner(&r);
out:
	test_bpf__destroy(target);
}

static void set_jump(struct test_bpf *skel, __u32 index,
		     const struct bpf_program *prog)
{
	int fd = bpf_program__fd(prog);

	expect("update the map of programs",
	       bpf_map_update_elem(bpf_map__fd(skel->maps.jumps), &index, &fd,
				   0), 0);
}

/* What a kernel allows, and the program that begins with it. */
#define TAIL_LOOPS	(33 + 1)

static void count_tail_calls(struct test_bpf *target, const char *when)
{
	target->bss->tail_loops = 0;
	expect("return value of a loop", packet_run(target->progs.tail_loop),
	       64);
	expect(when, target->bss->tail_loops, TAIL_LOOPS + sabotage);
}

/* Tail calls from and to programs that are traced. */
static void test_tail_call(void)
{
	struct test_bpf *target = load_tests("tail_from tail_to tail_loop");
	struct test_bpf *to, *loop;

	if (!target)
		return;
	set_jump(target, 0, target->progs.tail_to);
	set_jump(target, 1, target->progs.tail_loop);
	to = load_onto(target->progs.tail_to, "tail_to", "tail_in");
	loop = load_onto(target->progs.tail_loop, "tail_loop",
			 "loop_in loop_out");
	if (!to || !loop || !attach_tests(to))
		goto out;
	trace_prog(target->progs.tail_from, "tail_from", "tail_in tail_out",
		   0, 73);

	count_tail_calls(target, "loops when not traced");
	if (attach_tests(loop))
		count_tail_calls(target, "loops when traced");
	expect("fexit hits of the loop", loop->bss->exit_good[1], 1 + sabotage);
	test_bpf__detach(loop);
	count_tail_calls(target, "loops when no longer traced");
out:
	test_bpf__destroy(loop);
	test_bpf__destroy(to);
	test_bpf__destroy(target);
}

/* A program of some megabytes, called and jumped to. */
static void test_big_prog(void)
{
	struct test_bpf *target = load_tests("big tail_from");

	if (!target)
		return;
	trace_prog(target->progs.big, "big", "tail_in tail_out", 0, 73);
	set_jump(target, 0, target->progs.big);
	trace_prog(target->progs.tail_from, "tail_from", "tail_in tail_out",
		   0, 73);
	test_bpf__destroy(target);
}

static bool have_tracees(void)
{
	if (access(TRACEES "types", W_OK) == 0)
		return true;
	skip("module ftrace_tracees is not loaded");
	return false;
}

/* What set_types() in that module calls, and ftrace_typed_u64() among that */
#define TYPE_CALLS	(3 + 13 * 9)

static void call_types(void)
{
	long long before = read_number(TRACEES "types");
	int err = write_file(TRACEES "types", "1");

	if (err)
		fail("write to " TRACEES "types: %s", error_text(err));
	expect("right values for the caller",
	       read_number(TRACEES "types") - before, TYPE_CALLS);
}

#define RETURNS_INT "returns_s8 returns_u8 returns_s16 returns_u16 returns_s32"
#define RETURNS_ALL RETURNS_INT " returns_u32 returns_s64 returns_u64 returns_bool"

/* All registers for arguments; return values of all sizes. */
static void test_types(void)
{
	unsigned long long address = symbol_address("ftrace_typed_args8");
	struct test_bpf *skel;
	int i;

	if (!have_tracees())
		return;
	skel = attached_tests("args_in args_out " RETURNS_ALL);
	if (!skel)
		return;
	call_types();
	expect("fentry hits", skel->bss->args_entry, 1 + sabotage);
	expect("fexit hits", skel->bss->args_exit, 1 + sabotage);
	expect("wrong values", skel->bss->args_wrong, 0);
	expect("bpf_get_func_ip()", skel->bss->args_ip, address);
	for (i = 0; i < 9; i++) {
		expect("fexit of a type", skel->bss->ret_hits[i],
		       13 + sabotage);
		expect("right values of a type", skel->bss->ret_good[i], 13);
	}
	test_bpf__destroy(skel);
}

/* More arguments than registers, which not all JITs can cope with. */
static void test_stack_args(void)
{
#ifdef __powerpc64__
	static const int want;
#else
	static const int want = -ENOTSUPP;
#endif
	struct test_bpf *skel;
	int err;

	if (!have_tracees())
		return;
	skel = load_tests("args9_in args9_out");
	if (!skel)
		return;
	err = test_bpf__attach(skel);
	expect("attach", err, want + sabotage);
	call_types();
	if (!err) {
		expect("fentry hits", skel->bss->args_entry, 1 + sabotage);
		expect("fexit hits", skel->bss->args_exit, 1 + sabotage);
		expect("wrong values", skel->bss->args_wrong, 0);
	}
	test_bpf__destroy(skel);
}

static void test_struct_arg(void)
{
	struct test_bpf *skel;
	int err;

	if (!have_tracees())
		return;
	skel = load_tests("pair_in pair_out");
	if (!skel)
		return;
	err = test_bpf__attach(skel);
	if (err == -ENOTSUPP) {
		skip("the JIT does not support arguments of this kind");
	} else if (expect("attach", err, 0)) {
		call_types();
		expect("fentry hits", skel->bss->args_entry, 1 + sabotage);
		expect("fexit hits", skel->bss->args_exit, 1 + sabotage);
		expect("wrong values", skel->bss->args_wrong, 0);
	}
	test_bpf__destroy(skel);
}

/* Modify a value of 64 bits. */
static void test_fmod_ret_wide(void)
{
	static const char * const values[] = {
		"0x1234567800000000", "0x80000000", "-1",
	};
	struct test_bpf *skel;
	unsigned int i;

	if (!have_tracees())
		return;
	skel = attached_tests("modify_u64 modified_u64");
	if (!skel)
		return;
	write_file(TRACEES "returned", "5");
	expect("unmodified", read_number(TRACEES "returned"), 5);
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		skel->bss->mod_u64 = strtoll(values[i], NULL, 0);
		write_file(TRACEES "returned", "5");
		expect(values[i],
		       read_number(TRACEES "returned"),
		       skel->bss->mod_u64 + sabotage);
	}
	expect("fexit hits", skel->bss->ret_hits[9], 4);
	expect("fexit sees what is modified", skel->bss->ret_good[9], 3);
	test_bpf__destroy(skel);
}

/* The live patch of the module ftrace_livepatch */
#define LIVEPATCH	"/sys/kernel/livepatch/ftrace_livepatch/"
#define LIVEPATCH_ADDS	5000

/* A task that sleeps in the kernel moves on soon, and then it is patched. */
static bool livepatch_done(void)
{
	int i;

	for (i = 0; i < 300; i++) {
		if (read_number(LIVEPATCH "transition") <= 0)
			return true;
		usleep(100000);
	}
	return expect("live patch in transition", 1, 0);
}

static bool enable_livepatch(void)
{
	char path[4096];
	int fd, err;

	snprintf(path, sizeof(path), "%s/ftrace_livepatch.ko", own_dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		skip("no module ftrace_livepatch");
		return false;
	}
	err = syscall(SYS_finit_module, fd, "", 0) ? errno : 0;
	close(fd);
	return expect("load ftrace_livepatch", err, 0) && livepatch_done();
}

static void disable_livepatch(void)
{
	int i;

	expect("disable live patch", write_file(LIVEPATCH "enabled", "0"), 0);
	if (!livepatch_done())
		return;
	for (i = 0; i < 100; i++) {
		if (!syscall(SYS_delete_module, "ftrace_livepatch", O_NONBLOCK))
			return;
		usleep(100000);
	}
	fail("unload ftrace_livepatch: %s", error_text(errno));
}

/* One call of the function; which programs are attached is for @skel to say. */
static void livepatched_call(struct test_bpf *skel, bool patched)
{
	const long long want = 5 + (patched ? LIVEPATCH_ADDS : 0);
	const char *state = patched ? "patched" : "not patched";
	__u64 entries = skel->bss->entry_hits[0];
	__u64 exits = skel->bss->exit_hits[0];
	__u64 mods = skel->bss->mod_hits;
	long long got;
	char what[64];

#define WHAT(text) (snprintf(what, sizeof(what), "%s: %s", state, text), what)
	write_file(TRACEES "returned", "5");
	got = read_number(TRACEES "returned");
	expect(WHAT("returned"), got, skel->bss->mod_ret ?: want + sabotage);
	if (skel->links.patched_entry)
		expect(WHAT("fentry"), skel->bss->entry_hits[0] - entries, 1);
	if (skel->links.patched_mod)
		expect(WHAT("fmod_ret"), skel->bss->mod_hits - mods, 1);
	if (skel->links.patched_exit) {
		expect(WHAT("fexit"), skel->bss->exit_hits[0] - exits, 1);
		expect(WHAT("fexit sees"), skel->bss->exit_ret, got);
	}
#undef WHAT
}

static void livepatched_calls(struct test_bpf *skel, bool patched)
{
	livepatched_call(skel, patched);
	if (!skel->links.patched_mod)
		return;
	/* Instead of the function, and of the one that replaces it */
	skel->bss->mod_ret = -7;
	livepatched_call(skel, patched);
	skel->bss->mod_ret = 0;
	livepatched_call(skel, patched);
}

/*
 * Programs on a live patched function go on with the new one. The live patch
 * comes first, or last, and goes while the programs are attached.
 */
static void test_livepatch(void)
{
	static const char * const progs[] = {
		"patched_entry", "patched_exit", "patched_mod",
		"patched_entry patched_mod patched_exit",
	};
	struct test_bpf *skel;
	unsigned int i;

	if (!have_tracees())
		return;
	for (i = 0; i < ARRAY_SIZE(progs); i++) {
		skel = attached_tests(progs[i]);
		if (!skel)
			return;
		livepatched_calls(skel, false);
		if (!enable_livepatch()) {
			test_bpf__destroy(skel);
			return;
		}
		livepatched_calls(skel, true);
		test_bpf__destroy(skel);

		skel = attached_tests(progs[i]);
		if (skel)
			livepatched_calls(skel, true);
		disable_livepatch();
		if (skel) {
			livepatched_calls(skel, false);
			test_bpf__destroy(skel);
		}
	}
}

/* Programs which may sleep, on a function where that is allowed. */
static void test_sleepable(void)
{
	struct test_bpf *skel = attached_tests("sleep_mod_in sleep_mod sleep_mod_out");
	__u32 result;

	if (!skel)
		return;
	result = test_run(skel->progs.sleep_mod);
	expect("unmodified: return value", (__s16)result, 4);
	skel->bss->mod_ret = -22;
	result = test_run(skel->progs.sleep_mod);
	expect("modified: return value", (__s16)result, -22);
	expect("fentry is first", skel->bss->entry_seq, 4 + sabotage);
	expect("fmod_ret is second", skel->bss->mod_seq, 5 + sabotage);
	expect("fexit is third", skel->bss->exit_seq, 6 + sabotage);
	expect("fexit sees the return value", skel->bss->exit_ret, -22);
	test_bpf__destroy(skel);
}

/* BPF_MAX_TRAMP_LINKS of the kernel */
#define MAX_LINKS	38

/* As many programs as a function can have, and one more. */
static void test_full(void)
{
	struct test_bpf *skels[MAX_LINKS / 2], *skel = NULL;
	struct bpf_link *link;
	int i, nr;

	for (nr = 0; nr < MAX_LINKS / 2; nr++) {
		skels[nr] = attached_tests("entry1 exit1");
		if (!skels[nr])
			goto out;
	}
	skel = load_tests("entry1_too");
	if (!skel)
		goto out;
	link = bpf_program__attach(skel->progs.entry1_too);
	expect("attach one more", link ? 0 : errno, E2BIG);
	bpf_link__destroy(link);
	test_run(skel->progs.driver);
	for (i = 0; i < nr; i++) {
		expect("fentry hits", skels[i]->bss->entry_good[0],
		       1 + sabotage);
		expect("fexit hits", skels[i]->bss->exit_good[0], 1 + sabotage);
	}
out:
	test_bpf__destroy(skel);
	while (nr--)
		test_bpf__destroy(skels[nr]);
}

static void run_dummy(const struct bpf_program *prog, __u64 *args,
		      unsigned int nr, int want)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts,
		    .ctx_in = args,
		    .ctx_size_in = nr * sizeof(*args));

	expect("run", bpf_prog_test_run_opts(bpf_program__fd(prog), &opts), 0);
	expect("return value", (int)opts.retval, want + sabotage);
}

/* Programs that are functions of a structure, called without a tracee. */
/* In ftrace_ops_test: has the n-th allocation of who writes n to it fail. */
#define FAIL_NTH	"/sys/kernel/debug/ftrace_ops_test/fail"

/*
 * Attach with the @nth allocation failing. Sets @enough if there are fewer.
 * NULL if it fails; the only good reason is the lack of memory.
 */
static struct bpf_link *attach_failing(int fd, const struct bpf_program *prog,
				       int nth, bool *enough)
{
	struct bpf_link *link;
	char buf[16];
	int err, len;

	len = snprintf(buf, sizeof(buf), "%d", nth);
	if (pwrite(fd, buf, len, 0) != len) {
		fail("%s: %s", FAIL_NTH, error_text(errno));
		return NULL;
	}
	link = bpf_program__attach(prog);
	err = link ? 0 : errno;
	if (pread(fd, buf, 1, 0) != 1)
		fail("%s: %s", FAIL_NTH, error_text(errno));
	*enough = buf[0] != '1';
	if (!link && (*enough || err != ENOMEM))
		fail("%s, allocation %d: attach: %s",
		     bpf_program__name(prog), nth, error_text(err));
	return link;
}

/* Whichever allocation fails: an error, and what was attached still works. */
static void test_memory(void)
{
	struct test_bpf *skel = load_tests("entry1 exit1");
	int fd = open(FAIL_NTH, O_RDWR), nth, failures = 0;
	bool enough[2] = { false, false };
	struct bpf_link *links[2];
	char *printk;

	if (!skel)
		goto out;
	if (fd < 0) {
		skip("needs the module ftrace_ops_test");
		goto out;
	}
	/* A page that is missing makes vmalloc() print where. */
	printk = read_file("/proc/sys/kernel/printk");
	write_file("/proc/sys/kernel/printk", "1");
	for (nth = 1; nth < 1000 && !(enough[0] && enough[1]); nth++) {
		skel->bss->entry_hits[0] = skel->bss->exit_hits[0] = 0;
		links[0] = attach_failing(fd, skel->progs.entry1, nth,
					  &enough[0]);
		links[1] = attach_failing(fd, skel->progs.exit1, nth,
					  &enough[1]);
		test_run(skel->progs.driver);
		expect("fentry hits", skel->bss->entry_hits[0],
		       !!links[0] + sabotage);
		expect("fexit hits", skel->bss->exit_hits[0],
		       !!links[1] + sabotage);
		failures += !links[0] + !links[1];
		bpf_link__destroy(links[0]);
		bpf_link__destroy(links[1]);
		test_run(skel->progs.driver);
		expect("detached: fentry hits", skel->bss->entry_hits[0],
		       !!links[0]);
		expect("detached: fexit hits", skel->bss->exit_hits[0],
		       !!links[1]);
		if (test_failed)
			break;
	}
	if (printk)
		write_file("/proc/sys/kernel/printk", printk);
	free(printk);
	printf("# %s: attaching failed %d times, each of %d allocations\n",
	       test_name, failures, nth - 1);
	expect("any failure to attach", failures > 0, 1);
out:
	/* Nothing is left to fail when this is closed. */
	if (fd >= 0)
		close(fd);
	test_bpf__destroy(skel);
}

/* The programs for struct_ops, or NULL if there is nothing to test */
static struct ops_bpf *load_struct_ops(void)
{
	struct ops_bpf *skel;

	/* It looks for the type in front of what it calls, an image here. */
	if (symbol_address("report_cfi_failure")) {
		skip("kCFI of 6.1 knows no functions made by the JIT");
		return NULL;
	}
	skel = ops_bpf__open_and_load();
	if (!skel)
		fail("load: %s", error_text(errno));
	return skel;
}

static void test_struct_ops(void)
{
	__u64 two[5] = { 0, -100, 0x8a5f, 'c', 0x1234567887654321 };
	struct ops_bpf *skel = load_struct_ops();
	__u64 one[1] = { 0 };
	int state = 0x77;

	if (!skel)
		return;
	run_dummy(skel->progs.one, one, 1, 0xf2f3f4f5);
	one[0] = (unsigned long)&state;
	run_dummy(skel->progs.one, one, 1, 0x77);
	expect("state", state, 0x5a);
	two[0] = (unsigned long)&state;
	run_dummy(skel->progs.two, two, 5, -7);
	expect("wrong arguments", skel->bss->wrong_args, 0);
	ops_bpf__destroy(skel);
}

static bool loopback_up(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), err;
	struct ifreq ifr = { .ifr_name = "lo" };

	err = ioctl(fd, SIOCGIFFLAGS, &ifr);
	ifr.ifr_flags |= IFF_UP;
	if (!err)
		err = ioctl(fd, SIOCSIFFLAGS, &ifr);
	close(fd);
	return expect("set up the loopback device", err, 0);
}

static void send_and_receive(int to, int from)
{
	char buf[1024] = { 0 };
	int i, n, sum = 0;

	for (i = 0; i < 64; i++) {
		if (write(to, buf, sizeof(buf)) != sizeof(buf))
			break;
		for (n = 1; n > 0 && sum < (i + 1) * (int)sizeof(buf); sum += n)
			n = read(from, buf, sizeof(buf));
	}
	expect("bytes received", sum, 64 * sizeof(buf));
}

/* A congestion control written in BPF, at work. */
static void test_congestion(void)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	int listener, client = -1, server = -1;
	socklen_t len = sizeof(addr);
	struct ops_bpf *skel = load_struct_ops();
	struct bpf_link *link;

	if (!skel)
		return;
	link = bpf_map__attach_struct_ops(skel->maps.congest);
	if (!link || !loopback_up()) {
		fail("attach: %s", error_text(errno));
		goto out;
	}
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	client = socket(AF_INET, SOCK_STREAM, 0);
	if (expect("use it",
		   setsockopt(client, IPPROTO_TCP, TCP_CONGESTION,
			      "bpf_congest", strlen("bpf_congest")), 0) &&
	    expect("listen", listen(listener, 1), 0) &&
	    expect("address",
		   getsockname(listener, (struct sockaddr *)&addr, &len), 0)) {
		addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		expect("connect",
		       connect(client, (struct sockaddr *)&addr, len), 0);
		server = accept(listener, NULL, NULL);
		send_and_receive(client, server);
		expect("initializations", skel->bss->inits, 1 + sabotage);
		expect("any acknowledgements", skel->bss->acks > 0, 1);
	}
	close(server);
	close(client);
	close(listener);
out:
	bpf_link__destroy(link);
	ops_bpf__destroy(skel);
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

static void expect_info(const char *what, const struct bpf_program *prog,
			__u64 runs, __u64 misses)
{
	struct bpf_prog_info info = { };
	__u32 len = sizeof(info);

	expect(what,
	       bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len), 0);
	expect(what, info.run_cnt, runs + sabotage);
	expect(what, info.recursion_misses, misses + sabotage);
	/* What it adds up is the time since boot if a start was lost. */
	expect(what, info.run_time_ns < 1000000000, 1);
}

/*
 * A program is not run while it runs, and not counted then. Both of these run
 * when the outer map is asked, and ask the inner one. What they miss is the
 * call by themselves; the one of the other runs and asks nothing.
 */
static void test_recursion(void)
{
	struct test_bpf *skel = load_tests("recursing_in recursing_out");
	__u32 key = 0;
	int stats;

	if (!skel)
		return;
	stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	expect("enable statistics", stats >= 0, 1);
	if (attach_tests(skel))
		expect("delete what is not there",
		       bpf_map__delete_elem(skel->maps.outer, &key,
					    sizeof(key), 0), -ENOENT);
	test_bpf__detach(skel);
	close(stats);
	expect("fentry hits", skel->bss->entry_hits[0], 2 + sabotage);
	expect("fexit hits", skel->bss->exit_hits[0], 2 + sabotage);
	expect_info("fentry", skel->progs.recursing_in, 2, 1);
	expect_info("fexit", skel->progs.recursing_out, 2, 1);
	test_bpf__destroy(skel);
}

/*
 * Links of one program to many functions.
 */
static struct multi_bpf *load_multi(const char *names)
{
	struct multi_bpf *skel = multi_bpf__open();
	char *copy, *name, *save = NULL;
	struct bpf_program *prog;
	int err;

	if (!skel) {
		fail("open: %s", error_text(errno));
		return NULL;
	}
	copy = strdup(names);
	for (name = strtok_r(copy, " ", &save); name;
	     name = strtok_r(NULL, " ", &save)) {
		prog = bpf_object__find_program_by_name(skel->obj, name);
		if (prog)
			bpf_program__set_autoload(prog, true);
		else
			fail("no program %s", name);
	}
	free(copy);
	err = multi_bpf__load(skel);
	if (err) {
		fail("load %s: %s", names, error_text(err));
		multi_bpf__destroy(skel);
		return NULL;
	}
	skel->bss->tid = syscall(SYS_gettid);
	return skel;
}

/* One link to the functions in @syms, or to the ones at @addrs */
static struct bpf_link *attach_multi(const struct bpf_program *prog,
				     const char **syms,
				     const unsigned long *addrs,
				     const __u64 *cookies, size_t cnt, bool ret)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, opts,
		    .syms = syms,
		    .addrs = addrs,
		    .cookies = cookies,
		    .cnt = cnt,
		    .retprobe = ret);
	struct bpf_link *link;

	link = bpf_program__attach_kprobe_multi_opts(prog, NULL, &opts);
	if (!link && errno == EOPNOTSUPP)
		skip("no kprobe_multi on this kernel");
	else if (!link)
		fail("attach: %s", error_text(errno));
	return link;
}

#define NR_TEST_FUNCS	8

static const char *test_funcs[NR_TEST_FUNCS] = {
	/* Not in their order: whoever sorts them has to move the cookies. */
	"bpf_fentry_test4", "bpf_fentry_test1", "bpf_fentry_test8",
	"bpf_fentry_test2", "bpf_fentry_test7", "bpf_fentry_test3",
	"bpf_fentry_test6", "bpf_fentry_test5",
};

/* By number of the function, as test_run() has them */
static const __u64 test_args[] = { 1, 2, 4, 7, 11, 16, 0, 0 };
static const __u64 test_rets[] = { 2, 5, 15, 34, 65, 111, 0, 0 };

static void expect_multi(struct multi_bpf *skel, const char *what, int entries,
			 int exits)
{
	unsigned int calls;
	char buf[80];
	int i;

	for (i = 0; i < NR_TEST_FUNCS; i++) {
		snprintf(buf, sizeof(buf), "%s: entries of %s", what,
			 test_funcs[i]);
		calls = calls_of(test_funcs[i], entries);
		expect(buf, skel->bss->entry_hits[i], calls);
		/* The argument of the last ones is a pointer. */
		if (strcmp(test_funcs[i], "bpf_fentry_test8"))
			expect(buf, skel->bss->entry_good[i], calls);
		snprintf(buf, sizeof(buf), "%s: exits of %s", what,
			 test_funcs[i]);
		calls = calls_of(test_funcs[i], exits);
		expect(buf, skel->bss->exit_hits[i], calls);
		expect(buf, skel->bss->exit_good[i], calls);
	}
	snprintf(buf, sizeof(buf), "%s: calls without a number", what);
	expect(buf, skel->bss->lost, 0);
}

static void test_multi(void)
{
	struct multi_bpf *skel = load_multi("multi_entry multi_exit multi_driver");
	unsigned long addrs[NR_TEST_FUNCS];
	__u64 cookies[NR_TEST_FUNCS];
	struct bpf_link *in, *out;
	int i, nr, by_address;

	if (!skel)
		return;
	for (i = 0; i < NR_TEST_FUNCS; i++) {
		nr = test_funcs[i][strlen(test_funcs[i]) - 1] - '1';
		cookies[i] = i;
		addrs[i] = symbol_address(test_funcs[i]);
		skel->bss->want_ip[i] = addrs[i];
		skel->bss->want_arg[i] = test_args[nr];
		skel->bss->want_ret[i] = test_rets[nr] + sabotage;
	}
	for (by_address = 0; by_address < 2; by_address++) {
		const char **syms = by_address ? NULL : test_funcs;
		const unsigned long *at = by_address ? addrs : NULL;
		int runs = 3 * by_address;

		in = attach_multi(skel->progs.multi_entry, syms, at, cookies,
				  NR_TEST_FUNCS, false);
		if (!in)
			break;
		test_run(skel->progs.multi_driver);
		expect_multi(skel, "entry", runs + 1, runs);
		out = attach_multi(skel->progs.multi_exit, syms, at, cookies,
				   NR_TEST_FUNCS, true);
		test_run(skel->progs.multi_driver);
		expect_multi(skel, "entry and exit", runs + 2, runs + 1);
		bpf_link__destroy(in);
		/* Two more exits, to have as many of them */
		test_run(skel->progs.multi_driver);
		expect_multi(skel, "exit", runs + 2, runs + 2);
		in = attach_multi(skel->progs.multi_entry, syms, at, cookies,
				  NR_TEST_FUNCS, false);
		test_run(skel->progs.multi_driver);
		expect_multi(skel, "both again", runs + 3, runs + 3);
		bpf_link__destroy(out);
		bpf_link__destroy(in);
		test_run(skel->progs.multi_driver);
		expect_multi(skel, "detached", runs + 3, runs + 3);
	}
	multi_bpf__destroy(skel);
}

#define NR_TRACEES	64

/* All of the module's tracees at once: /proc/kallsyms is long. */
static void tracee_addresses(unsigned long addrs[NR_TRACEES])
{
	char *syms = read_file("/proc/kallsyms"), *line, *save = NULL;
	unsigned int high, low;
	unsigned long address;

	memset(addrs, 0, NR_TRACEES * sizeof(*addrs));
	for (line = syms ? strtok_r(syms, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "%lx %*c ftrace_tracee_%1o%1o", &address, &high,
			   &low) == 3)
			addrs[8 * high + low] = address;
	}
	free(syms);
}

/* The functions of a module, by their addresses */
static void test_multi_module(void)
{
	unsigned long addrs[NR_TRACEES];
	__u64 cookies[NR_TRACEES];
	struct bpf_link *in, *out;
	struct multi_bpf *skel;
	int i;

	if (!have_tracees())
		return;
	skel = load_multi("multi_entry multi_exit");
	if (!skel)
		return;
	tracee_addresses(addrs);
	for (i = 0; i < NR_TRACEES; i++) {
		cookies[i] = i;
		skel->bss->want_ip[i] = addrs[i];
		skel->bss->want_arg[i] = 0;
		skel->bss->want_ret[i] = i;
	}
	in = attach_multi(skel->progs.multi_entry, NULL, addrs, cookies,
			  NR_TRACEES, false);
	out = in ? attach_multi(skel->progs.multi_exit, NULL, addrs, cookies,
				NR_TRACEES, true) : NULL;
	if (out) {
		write_file(TRACEES "call", "1");
		for (i = 0; i < NR_TRACEES; i++) {
			expect("entries", skel->bss->entry_hits[i], 1 + sabotage);
			expect("good entries", skel->bss->entry_good[i], 1);
			expect("exits", skel->bss->exit_hits[i], 1 + sabotage);
			expect("good exits", skel->bss->exit_good[i], 1);
		}
	}
	bpf_link__destroy(out);
	bpf_link__destroy(in);
	multi_bpf__destroy(skel);
}

/* Is any address of a stack trace in the function that @name begins? */
static bool in_stack(const __u64 *stack, long long size, const char *name)
{
	unsigned long long start = symbol_address(name), end = ~0ULL, address;
	char *syms = read_file("/proc/kallsyms"), *line, *save = NULL;
	size_t i;

	for (line = syms ? strtok_r(syms, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		address = strtoull(line, NULL, 16);
		if (address > start && address < end)
			end = address;
	}
	free(syms);
	for (i = 0; start && size > 0 && i < size / sizeof(*stack); i++) {
		if (stack[i] >= start && stack[i] < end)
			return true;
	}
	return false;
}

static void expect_stack(const char *what, const __u64 *stack, long long size)
{
	char buf[80];

	printf("# %s: %s: %lld addresses\n", test_name, what,
	       size / (long long)sizeof(*stack));
	snprintf(buf, sizeof(buf), "%s: any stack", what);
	if (!expect(buf, size > 0, 1 - sabotage))
		return;
	snprintf(buf, sizeof(buf), "%s: the system call", what);
	expect(buf, in_stack(stack, size, "__sys_bpf"), 1);
	snprintf(buf, sizeof(buf), "%s: the trampoline", what);
	expect(buf, in_stack(stack, size, "arch_rethook_trampoline"), 0);
}

static void test_multi_stack(void)
{
	static const char *one[] = { "bpf_fentry_test1" };
	/* What calls that; the compiler may call one of two by the other name */
	static const char *all[] = { "bpf_prog_test_run_tracing", "bpf_fentry_test1" };
	struct bpf_link *in = NULL, *out = NULL, *outer = NULL;
	struct multi_bpf *skel;

	skel = load_multi("multi_entry_stack multi_exit_stack multi_count_exit multi_driver");
	if (!skel)
		return;
	out = attach_multi(skel->progs.multi_exit_stack, one, NULL, NULL, 1, true);
	in = out ? attach_multi(skel->progs.multi_entry_stack, one, NULL, NULL, 1,
				false) : NULL;
	if (in) {
		test_run(skel->progs.multi_driver);
		expect_stack("entry", skel->bss->entry_stack,
			     skel->bss->entry_size);
		expect("the function", in_stack(skel->bss->entry_stack,
						skel->bss->entry_size, one[0]), 1);
		expect_stack("exit", skel->bss->exit_stack, skel->bss->exit_size);
		expect("the caller", in_stack(skel->bss->exit_stack,
					      skel->bss->exit_size, all[0]), 1);

		/* And when the caller is to return to the trampoline, too */
		outer = attach_multi(skel->progs.multi_count_exit, all, NULL, NULL,
				     2, true);
		test_run(skel->progs.multi_driver);
		expect_stack("entry below", skel->bss->entry_stack,
			     skel->bss->entry_size);
		expect_stack("exit below", skel->bss->exit_stack,
			     skel->bss->exit_size);
		expect("other exits", skel->bss->total >= 2, 1);
	}
	bpf_link__destroy(outer);
	bpf_link__destroy(in);
	bpf_link__destroy(out);
	multi_bpf__destroy(skel);
}

/* Whoever is on a function that a program makes return at once */
static void test_multi_override(void)
{
	static const char *one[] = { "bpf_modify_return_test" };
	struct multi_bpf *skel;
	struct bpf_link *links[2];
	__u32 result;
	int first;

	skel = load_multi("multi_override multi_count_exit multi_mod_driver");
	if (!skel)
		return;
	for (first = 0; first < 2 && !test_failed; first++) {
		links[first] = attach_multi(skel->progs.multi_override, one, NULL,
					    NULL, 1, false);
		if (!links[first])
			break;
		links[!first] = attach_multi(skel->progs.multi_count_exit, one,
					     NULL, NULL, 1, true);
		skel->bss->total = 0;
		result = test_run(skel->progs.multi_mod_driver);
		expect("return value", (__s16)result, -22 + sabotage);
		expect("side effect", result >> 16, 0);
		expect("exits", skel->bss->total, 1);
		bpf_link__destroy(links[0]);
		bpf_link__destroy(links[1]);
		result = test_run(skel->progs.multi_mod_driver);
		expect("return value when detached", (__s16)result, 4);
	}
	expect("hits", skel->bss->entry_hits[0], skip_reason[0] ? 0 : 2);
	multi_bpf__destroy(skel);
}

static void expect_attach_error(const char *what, const struct bpf_program *prog,
				const char **syms, const unsigned long *addrs,
				__u32 cnt, int want)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		    .kprobe_multi.syms = syms,
		    .kprobe_multi.addrs = addrs,
		    .kprobe_multi.cnt = cnt);
	int fd = bpf_link_create(bpf_program__fd(prog), 0, BPF_TRACE_KPROBE_MULTI,
				 &opts);

	if (fd == -EOPNOTSUPP && want != EOPNOTSUPP)
		skip("no kprobe_multi on this kernel");
	else
		expect(what, fd, -want - sabotage);
	if (fd >= 0)
		close(fd);
}

static void test_multi_errors(void)
{
	static const char *unknown[] = { "bpf_fentry_test1", "there_is_no_such" };
	unsigned long addrs[2] = { symbol_address("bpf_fentry_test1") };
	struct multi_bpf *skel = load_multi("multi_count multi_driver");
	const struct bpf_program *prog;

	if (!skel)
		return;
	prog = skel->progs.multi_count;
	addrs[1] = symbol_address("jiffies_64");
	expect_attach_error("unknown symbol", prog, unknown, NULL, 2, ESRCH);
	expect_attach_error("no function", prog, NULL, addrs, 2, EINVAL);
	expect_attach_error("neither", prog, NULL, NULL, 2, EINVAL);
	expect_attach_error("both", prog, unknown, addrs, 2, EINVAL);
	expect_attach_error("none", prog, NULL, addrs, 0, EINVAL);
	expect_attach_error("not in memory of ours", prog, NULL, (void *)4096, 2,
			    EFAULT);
	/* In bytes, that is 8 in 32 bits. */
	expect_attach_error("too many", prog, NULL, addrs, 0x20000001, E2BIG);
	test_run(skel->progs.multi_driver);
	expect("hits of what is not attached", skel->bss->total, 0);
	multi_bpf__destroy(skel);
}

#define MANY	1000

/*
 * Names of functions of the kernel, no two of them the same. What they are does
 * not matter, but RCU may not be asked to watch itself.
 */
static int many_names(char **text, const char **names, int wanted)
{
	char *name, *save = NULL, *last = "";
	int nr = 0;

	*text = read_file(TRACING "available_filter_functions");
	for (name = *text ? strtok_r(*text, "\n", &save) : NULL; name && nr < wanted;
	     name = strtok_r(NULL, "\n", &save)) {
		static const char * const prefixes[] = {
			"tcp_", "udp_", "inet_", "ip_", "sock_", "sk_", "skb_",
			"vfs_", "seq_", "netlink_", "dev_", "neigh_", "fib_",
			"bio_", "blk_", "elv_", "crypto_", "ext4_", "shmem_",
			"simple_", "generic_", "proc_", "sysfs_", "kernfs_",
			"device_", "driver_", "bus_", "class_", "platform_",
			"pci_", "of_", "irq_domain_", "clk_", "regmap_", "bpf_",
			"btf_", "map_", "htab_", "array_map_", "d_", "inode_",
			"file_", "do_sys_", "__arm64_sys_", "__riscv_sys_", "sys_",
		};
		unsigned int i;

		if (strchr(name, ' ') || strchr(name, '.') || !strcmp(name, last))
			continue;
		for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
			if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
				break;
		}
		/* Programs may not be run while one runs on the CPU. */
		if (i == ARRAY_SIZE(prefixes) || !strncmp(name, "bpf_dispatcher", 14))
			continue;
		last = name;
		names[nr++] = name;
	}
	return nr;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char * const *)a, *(const char * const *)b);
}

/* The ones of @names that are known by that name only, with addresses */
static int unique_names(const char **names, unsigned long *addrs, int nr)
{
	char *syms = read_file("/proc/kallsyms"), *line, *save = NULL;
	unsigned char *seen = calloc(nr, 1);
	int i, left = 0;

	qsort(names, nr, sizeof(*names), compare_names);
	for (line = syms ? strtok_r(syms, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		const char *name = strrchr(line, ' '), **found;

		if (!name++ || strchr(name, '\t'))
			continue;
		found = bsearch(&name, names, nr, sizeof(*names), compare_names);
		if (!found)
			continue;
		i = found - names;
		seen[i] += seen[i] < 2;
		addrs[i] = strtoull(line, NULL, 16);
	}
	for (i = 0; i < nr; i++) {
		if (seen[i] != 1)
			continue;
		names[left] = names[i];
		addrs[left++] = addrs[i];
	}
	free(seen);
	free(syms);
	return left;
}

/* One link for a thousand functions, while they are in use */
static void test_multi_many(void)
{
	static const char *names[MANY * 2];
	static unsigned long addrs[MANY * 2];
	struct bpf_link *in, *out = NULL;
	struct multi_bpf *skel;
	char *text = NULL;
	struct runner r;
	int i, nr;

	skel = load_multi("multi_count multi_count_exit multi_driver");
	if (!skel)
		return;
	nr = many_names(&text, names, MANY * 2);
	nr = unique_names(names, addrs, nr);
	if (nr > MANY)
		nr = MANY;
	printf("# %s: %d functions\n", test_name, nr);
	/*
	 * An emulator lets a busy processor go on for long before it has it
	 * follow a change of code, of which there are thousands here.
	 */
	if (!expect("start", start_runner(&r, skel->progs.multi_driver, 1000), 1))
		goto out;
	for (i = 0; i < 3; i++) {
		in = attach_multi(skel->progs.multi_count, i & 1 ? NULL : names,
				  i & 1 ? addrs : NULL, NULL, nr, false);
		if (!in)
			break;
		out = attach_multi(skel->progs.multi_count_exit,
				   i & 1 ? NULL : names, i & 1 ? addrs : NULL,
				   NULL, nr, true);
		write_file("/dev/null", "x");
		expect("read a file", read_number("/proc/sys/kernel/pid_max") > 0, 1);
		expect("hits", skel->bss->total > 0, 1 - sabotage);
		bpf_link__destroy(i & 1 ? in : out);
		expect("read a file", read_number("/proc/sys/kernel/pid_max") > 0, 1);
		bpf_link__destroy(i & 1 ? out : in);
	}
	stop_runner(&r);
	printf("# %s: %llu hits\n", test_name,
	       (unsigned long long)skel->bss->total);
out:
	free(text);
	multi_bpf__destroy(skel);
}

/* Programs go while a task sleeps in the function. */
static void test_multi_sleeping(void)
{
	static const char *one[] = { "hrtimer_nanosleep" };
	struct multi_bpf *skel = load_multi("multi_count multi_count_exit");
	struct sleeper s = { .result = -1 };
	struct bpf_link *in, *out;

	if (!skel)
		return;
	out = attach_multi(skel->progs.multi_count_exit, one, NULL, NULL, 1, true);
	in = out ? attach_multi(skel->progs.multi_count, one, NULL, NULL, 1, false) :
		   NULL;
	if (in && expect("start a thread",
			 pthread_create(&s.thread, NULL, sleeper_thread, &s), 0)) {
		while (!s.tid)
			sched_yield();
		s.go = true;
		sleep_ms(200);
		bpf_link__destroy(out);
		bpf_link__destroy(in);
		multi_bpf__destroy(skel);
		pthread_join(s.thread, NULL);
		expect("result of nanosleep()", s.result, 0 - sabotage);
		return;
	}
	bpf_link__destroy(in);
	bpf_link__destroy(out);
	multi_bpf__destroy(skel);
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
	{ "killed", test_killed },
	{ "detach_sleeping", test_detach_sleeping },
	{ "attach_sleeping", test_attach_sleeping },
	{ "reattach_sleeping", test_reattach_sleeping },
	{ "function_tracer", test_function_tracer },
	{ "function_graph", test_function_graph },
	{ "kprobe", test_kprobe },
	{ "override", test_override },
	{ "prog_to_prog", test_prog_to_prog },
	{ "prog_function", test_prog_function },
	{ "freplace", test_freplace },
	{ "prog_reattach", test_prog_reattach },
	{ "tail_call", test_tail_call },
	{ "big_prog", test_big_prog },
	{ "types", test_types },
	{ "stack_args", test_stack_args },
	{ "struct_arg", test_struct_arg },
	{ "fmod_ret_wide", test_fmod_ret_wide },
	{ "livepatch", test_livepatch },
	{ "sleepable", test_sleepable },
	{ "full", test_full },
	{ "memory", test_memory },
	{ "struct_ops", test_struct_ops },
	{ "congestion", test_congestion },
	{ "run_stats", test_run_stats },
	{ "recursion", test_recursion },
	{ "multi", test_multi },
	{ "multi_module", test_multi_module },
	{ "multi_stack", test_multi_stack },
	{ "multi_override", test_multi_override },
	{ "multi_errors", test_multi_errors },
	{ "multi_many", test_multi_many },
	{ "multi_sleeping", test_multi_sleeping },
};

/* Try what all tests need. Returns what is missing, or NULL. */
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
	return err == -ENOTSUPP ? "attaching fentry: error 524 (ENOTSUPP)" : NULL;
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
	const char *missing;

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
			skip("%s", missing);
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
	{ "bpf-kprobe-multi", { "bench_kprobe_multi" } },
	{ "bpf-kretprobe-multi", { "bench_kretprobe_multi" } },
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
		"cycles", "instructions", "branch_misses",
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
	/* Or it is a tracer itself, which has no direct call. */
	else if (strstr(row->name, "probe") && !strcmp(path, "\"direct-near\""))
		strcpy(path, "\"trampoline\"");
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

/* The tracers of the kernel itself, for comparison. */
static const struct tracer_row {
	struct bench_row row;
	const char *tracer;
	/* What one call leaves in the ring buffer. */
	unsigned int events;
} tracer_rows[] = {
	{ { .name = "function-tracer" }, "function", 1 },
	{ { .name = "function-graph" }, "function_graph", 2 },
};

/* All events that went into the ring buffers, overwritten ones included. */
static long long count_events(void)
{
	long long sum = 0;
	char path[80];
	int cpu;

	for (cpu = 0; ; cpu++) {
		static const char * const keys[] = { "entries: ", "overrun: " };
		char *text, *line;
		unsigned int i;

		snprintf(path, sizeof(path), TRACING "per_cpu/cpu%d/stats",
			 cpu);
		text = read_file(path);
		if (!text)
			return cpu ? sum : -1;
		for (i = 0; i < ARRAY_SIZE(keys); i++) {
			line = strstr(text, keys[i]);
			if (line)
				sum += atoll(line + strlen(keys[i]));
		}
		free(text);
	}
}

static void measure_tracer(const struct tracer_row *t)
{
	long long calls = read_number(BENCH "calls"), events;
	char *json, *text = NULL, *copy, needle[64];
	int err;

	/* With a size of its own, an opened trace file would stop tracing. */
	write_file(TRACING "trace", "");
	events = count_events();
	err = write_file(BENCH "external", t->row.name);
	events = count_events() - events;
	calls = read_number(BENCH "calls") - calls;
	json = err ? NULL : read_file(BENCH "results.json");
	snprintf(needle, sizeof(needle), "{\"name\":\"%s\"", t->row.name);
	if (json)
		text = strstr(json, needle);
	if (text) {
		text[strcspn(text, "}") + 1] = '\0';
		/* Whoever traces all this has no direct call. */
		copy = strstr(text, "\"direct-near\"");
		if (copy)
			memcpy(copy, "\"trampoline\" ", 13);
		print_measured(&t->row, text, events / t->events, calls);
	} else {
		print_empty(&t->row, "failed",
			    err ? error_text(err) : "no row in results");
	}
	free(json);
}

static void bench_tracer(const struct tracer_row *t)
{
	char reason[128];
	int err;

	/*
	 * Without a newline it is not said if there is no such function. Stock
	 * 6.1 on riscv knows those of modules by their mapping symbols only.
	 */
	err = write_file(TRACING "set_ftrace_filter", "ftrace_bench_tracee\n");
	if (!err)
		err = write_file(TRACING "current_tracer", t->tracer);
	if (err) {
		snprintf(reason, sizeof(reason), "no tracer %s: %s", t->tracer,
			 error_text(err));
		print_empty(&t->row, "unsupported", reason);
	} else {
		measure_tracer(t);
	}
	write_file(TRACING "current_tracer", "nop");
	write_file(TRACING "set_ftrace_filter", "");
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
	for (i = 0; i < ARRAY_SIZE(tracer_rows); i++) {
		printf(",\n");
		bench_tracer(&tracer_rows[i]);
		fflush(stdout);
	}
	printf("\n]\n");
	return 0;
}

static long long clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/*
 * What is left of the speed of a system call, when a program is attached to a
 * function that it calls. The BPF selftests of the kernel measure this way.
 */
static const struct sys_row {
	const char *name, *prog;
} sys_rows[] = {
	{ "none", NULL },
	{ "kprobe", "sys_kprobe" },
	{ "kprobe-multi", "sys_kprobe_multi" },
	{ "fentry", "sys_fentry" },
	{ "kretprobe", "sys_kretprobe" },
	{ "kretprobe-multi", "sys_kretprobe_multi" },
	{ "fexit", "sys_fexit" },
};

#define SYS_CALLS	2000
#define SYS_RUNS	5

static int compare_costs(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Fills @cost, sorted. Returns the hits of the last run, which ends this if wrong. */
static __u64 measure_syscall(const struct bench_bpf *skel, __u64 expected,
			     double *cost)
{
	__u64 start, hits;
	int i, run;

	/* The first run warms up. */
	for (run = -1; run < SYS_RUNS; run++) {
		hits = skel->bss->sys_hits;
		start = clock_ns(CLOCK_MONOTONIC);
		for (i = 0; i < SYS_CALLS; i++)
			syscall(SYS_getpgid, 0);
		if (run >= 0)
			cost[run] = (double)(clock_ns(CLOCK_MONOTONIC) - start) /
				    SYS_CALLS;
		hits = skel->bss->sys_hits - hits;
		if (hits != expected)
			break;
	}
	qsort(cost, SYS_RUNS, sizeof(*cost), compare_costs);
	return hits;
}

static void bench_syscall(const struct sys_row *row)
{
	struct bench_bpf *skel = bench_bpf__open();
	__u64 hits, expected = row->prog ? SYS_CALLS : 0;
	double cost[SYS_RUNS] = {};
	int err = skel ? 0 : -errno;

	if (!err && row->prog)
		bpf_program__set_autoload(
			bpf_object__find_program_by_name(skel->obj, row->prog),
			true);
	err = err ?: bench_bpf__load(skel);
	err = err ?: bench_bpf__attach(skel);
	printf("{\"name\":\"%s\",\"calls\":%d,", row->name, SYS_CALLS);
	if (err) {
		printf("\"hits\":null,\"min\":null,\"median\":null,"
		       "\"max\":null,\"status\":\"unsupported\","
		       "\"reason\":\"%s\"}", error_text(err));
	} else {
		hits = measure_syscall(skel, expected, cost);
		printf("\"hits\":%llu,\"min\":%.3f,\"median\":%.3f,"
		       "\"max\":%.3f,\"status\":\"%s\",\"reason\":%s}",
		       (unsigned long long)hits, cost[0], cost[SYS_RUNS / 2],
		       cost[SYS_RUNS - 1], hits == expected ? "ok" : "failed",
		       hits == expected ? "null" : "\"other hits than calls\"");
	}
	bench_bpf__destroy(skel);
}

static int run_syscalls(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sys_rows); i++) {
		printf("%s", i ? ",\n" : "[\n");
		bench_syscall(&sys_rows[i]);
		fflush(stdout);
	}
	printf("\n]\n");
	return 0;
}

/*
 * The cost of turning tracing on and off.
 *
 * Two clocks: time that passed, which includes waiting for grace periods, and
 * time that this task was running. The latter are instructions when the guest
 * counts these. A thread on another CPU looks at the clock all the time; the
 * longest time between two looks is how long it was kept from running.
 *
 * An emulator may have its processors take turns, and whoever waits for the
 * other one to answer an interrupt then waits for the end of its turn. So this
 * one gives up its turn after each look.
 */
#if defined(__aarch64__)
#define give_up_turn()	asm volatile("yield" : : : "memory")
#elif defined(__x86_64__)
#define give_up_turn()	asm volatile("pause" : : : "memory")
#elif defined(__powerpc64__)
#define give_up_turn()	asm volatile("or 1,1,1; or 2,2,2" : : : "memory")
#else
#define give_up_turn()	asm volatile("" : : : "memory")
#endif

struct stall {
	pthread_t thread;
	bool running;
	atomic_bool stop;
	atomic_bool ready;
	atomic_llong longest;
};

struct cost {
	long long elapsed;
	long long cpu;
	/* -1 without a second CPU */
	long long stall;
	/* How many more lines the file @list has than before */
	long long sites;
	const char *list;
};

/* Where the kernel lists what is traced, one function per line */
#define TRACED		TRACING "enabled_functions"
#define KPROBES		"/sys/kernel/debug/kprobes/list"

static void pin_to_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *stall_thread(void *arg)
{
	struct stall *s = arg;
	long long last, now;

	pin_to_cpu(1);
	last = clock_ns(CLOCK_MONOTONIC_RAW);
	while (!s->stop) {
		now = clock_ns(CLOCK_MONOTONIC_RAW);
		if (now - last > s->longest)
			s->longest = now - last;
		last = now;
		s->ready = true;
		give_up_turn();
	}
	return NULL;
}

static void start_stall(struct stall *s)
{
	memset(s, 0, sizeof(*s));
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return;
	pin_to_cpu(0);
	s->running = !pthread_create(&s->thread, NULL, stall_thread, s);
	while (s->running && !s->ready)
		sched_yield();
}

static void stop_stall(struct stall *s)
{
	if (!s->running)
		return;
	s->stop = true;
	pthread_join(s->thread, NULL);
}

static struct stall stall;

/*
 * How many functions there are in a file of one per line, of which some go on in
 * a line that starts with a tab.
 */
static long long count_functions(const char *path)
{
	char *text = read_file(path);
	long long lines = 0;
	char *p;

	for (p = text; p && (p = strchr(p, '\n')); p++)
		lines += p[1] != '\t';
	free(text);
	return lines;
}

static void cost_begin(struct cost *c, const char *list)
{
	c->list = list;
	c->sites = count_functions(list);
	stall.longest = 0;
	c->elapsed = clock_ns(CLOCK_MONOTONIC_RAW);
	c->cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void cost_end(struct cost *c)
{
	c->cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - c->cpu;
	c->elapsed = clock_ns(CLOCK_MONOTONIC_RAW) - c->elapsed;
	c->stall = stall.running ? stall.longest : -1;
	c->sites = count_functions(c->list) - c->sites;
}

static void print_cost(const char *key, const struct cost *c)
{
	printf(",\"%s\":", key);
	if (!c) {
		printf("null");
		return;
	}
	printf("{\"elapsed\":%lld,\"cpu\":%lld,\"stall\":", c->elapsed,
	       c->cpu);
	if (c->stall < 0)
		printf("null");
	else
		printf("%lld", c->stall);
	printf(",\"sites\":%lld}", c->sites);
}

/* All of @functions must have got traced and untraced, but for @others. */
static void print_cost_row(const char *name, long long functions, int others,
			   const struct cost *on, const struct cost *off,
			   const char *status, const char *reason)
{
	printf("{\"name\":\"%s\",\"functions\":%lld,\"expected_sites\":%lld",
	       name, functions, functions - others);
	print_cost("on", reason ? NULL : on);
	print_cost("off", reason ? NULL : off);
	printf(",\"status\":\"%s\"", reason ? status : "ok");
	if (reason)
		printf(",\"reason\":\"%s\"}", reason);
	else
		printf(",\"reason\":null}");
	fflush(stdout);
}

/*
 * An instance of tracefs with the function tracer on so many functions of the
 * network code, which nobody calls here.
 */
#define OTHER_TRACER	TRACING "instances/bpf_runner_cost/"

static int start_other_tracer(int wanted)
{
	char *names = read_file(TRACING "available_filter_functions");
	char *name, *save = NULL, *filter;
	size_t size, len = 0;
	int nr = 0, err;

	if (!names)
		return -errno;
	size = strlen(names) + 1;
	filter = calloc(1, size);
	for (name = filter ? strtok_r(names, "\n", &save) : NULL;
	     name && nr < wanted; name = strtok_r(NULL, "\n", &save)) {
		/* A name that is there twice would make it two functions. */
		if (strncmp(name, "tcp_v4_", 7) && strncmp(name, "udp_", 4) &&
		    strncmp(name, "inet_", 5))
			continue;
		len += snprintf(filter + len, size - len, "%s ", name);
		nr++;
	}
	free(names);
	if (!filter || mkdir(OTHER_TRACER, 0700)) {
		err = -errno;
		free(filter);
		return err;
	}
	err = write_file(OTHER_TRACER "set_ftrace_filter", filter);
	err = err ?: write_file(OTHER_TRACER "current_tracer", "function");
	free(filter);
	return err;
}

static void stop_other_tracer(void)
{
	write_file(OTHER_TRACER "current_tracer", "nop");
	rmdir(OTHER_TRACER);
}

/*
 * How many of the first @limit functions that ftrace lists can be traced. It also
 * lists weak ones that were replaced, but has disabled these.
 */
static long long count_traceable(long limit)
{
	char *names = read_file(TRACING "available_filter_functions");
	char *name, *save = NULL;
	long long nr = 0;

	for (name = names ? strtok_r(names, "\n", &save) : NULL;
	     name && limit; name = strtok_r(NULL, "\n", &save), limit--)
		nr += !!strncmp(name, "__ftrace_invalid_address__", 26);
	free(names);
	return nr;
}

/*
 * Trace the first @count functions. @others of all, or none if that is 0, have
 * another tracer already.
 */
static void cost_functions(const char *count, int others)
{
	struct cost on = { }, off = { };
	char name[32], command[32];
	const char *reason = NULL;
	long long functions = 0;
	int err = 0;

	snprintf(name, sizeof(name), others ? "functions-%s-%d" : "functions-%s",
		 count, others);
	snprintf(command, sizeof(command), "set %s", count);
	if (others)
		err = start_other_tracer(others);
	err = err ?: write_file(BENCH "toggle", command);
	if (!err) {
		cost_begin(&on, TRACED);
		err = write_file(BENCH "toggle", "on");
		cost_end(&on);
	}
	if (!err) {
		cost_begin(&off, TRACED);
		err = write_file(BENCH "toggle", "off");
		cost_end(&off);
	}
	if (others)
		stop_other_tracer();
	if (err)
		reason = error_text(err);
	else
		functions = count_traceable(strcmp(count, "all") ? atol(count) :
					    LONG_MAX);
	print_cost_row(name, functions, others, &on, &off, "failed", reason);
}

static int load_fentry(struct btf *btf, const char *function)
{
	/* r0 = 0; exit */
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		.expected_attach_type = BPF_TRACE_FENTRY);
	int id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);

	if (id < 0)
		return id;
	opts.attach_btf_id = id;
	return bpf_prog_load(BPF_PROG_TYPE_TRACING, "cost", "GPL", insns,
			     ARRAY_SIZE(insns), &opts);
}

#define MAX_PROGS	100

/*
 * Programs for functions of the network code, of which there are many that
 * nobody calls here. Not every function can be attached to: it may have too
 * many arguments. Returns how many there are; *err says why not more.
 */
static int load_progs(int *progs, int wanted, int *err)
{
	struct btf *btf = btf__load_vmlinux_btf();
	char *names, *name, *save = NULL;
	int nr = 0, failed = 0, fd, link;

	*err = 0;
	if (!btf || libbpf_get_error(btf))
		return -1;
	names = read_file(TRACING "available_filter_functions");
	for (name = names ? strtok_r(names, "\n", &save) : NULL;
	     name && nr < wanted && failed < 20;
	     name = strtok_r(NULL, "\n", &save)) {
		if (strncmp(name, "tcp_", 4) && strncmp(name, "udp_", 4) &&
		    strncmp(name, "inet_", 5))
			continue;
		fd = load_fentry(btf, name);
		if (fd < 0)
			continue;
		link = bpf_raw_tracepoint_open(NULL, fd);
		if (link >= 0) {
			close(link);
			progs[nr++] = fd;
		} else {
			*err = link;
			failed++;
			close(fd);
		}
	}
	free(names);
	btf__free(btf);
	return nr;
}

static void cost_programs(int wanted)
{
	int progs[MAX_PROGS], links[MAX_PROGS];
	const char *reason = NULL;
	struct cost on = { }, off = { };
	char name[32], buf[128];
	int i, nr, attached = 0, err;

	snprintf(name, sizeof(name), "fentry-%d", wanted);
	nr = load_progs(progs, wanted, &err);
	if (nr < 0) {
		reason = "no BTF of the kernel";
	} else if (nr < wanted) {
		snprintf(buf, sizeof(buf), "attach: %d of %d, then %s", nr,
			 wanted, error_text(err));
		reason = buf;
	} else {
		err = 0;
		cost_begin(&on, TRACED);
		for (i = 0; i < nr && !err; i++) {
			links[i] = bpf_raw_tracepoint_open(NULL, progs[i]);
			if (links[i] < 0)
				err = links[i];
			else
				attached++;
		}
		cost_end(&on);
		if (err) {
			snprintf(buf, sizeof(buf), "attach: %s",
				 error_text(err));
			reason = buf;
		}
		cost_begin(&off, TRACED);
		for (i = 0; i < attached; i++)
			close(links[i]);
		cost_end(&off);
	}
	print_cost_row(name, wanted, 0, &on, &off, "unsupported", reason);
	for (i = 0; i < nr; i++)
		close(progs[i]);
}

/* A program that does nothing, for kprobes */
static int load_kprobe(bool multi)
{
	/* r0 = 0; exit */
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		.expected_attach_type = multi ? BPF_TRACE_KPROBE_MULTI : 0);

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "cost", "GPL", insns,
			     ARRAY_SIZE(insns), &opts);
}

/*
 * One link of a program to so many functions, at their entries or returns;
 * by address, as the search for symbols is another matter.
 */
static void cost_multi(int wanted, bool ret)
{
	static const char *names[MANY * 2];
	static unsigned long addrs[MANY * 2];
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		    .kprobe_multi.flags = ret ? BPF_F_KPROBE_MULTI_RETURN : 0,
		    .kprobe_multi.addrs = addrs);
	const char *reason = NULL, *status = "unsupported";
	struct cost on = { }, off = { };
	char name[32], buf[128], *text = NULL;
	int nr, prog, link;

	snprintf(name, sizeof(name), "%s-multi-%d", ret ? "kretprobe" : "kprobe",
		 wanted);
	nr = many_names(&text, names, MANY * 2);
	nr = unique_names(names, addrs, nr);
	free(text);
	prog = load_kprobe(true);
	if (nr < wanted) {
		status = "failed";
		reason = "not enough functions";
	} else if (prog < 0) {
		snprintf(buf, sizeof(buf), "load: %s", error_text(prog));
		reason = buf;
	} else {
		opts.kprobe_multi.cnt = wanted;
		cost_begin(&on, TRACED);
		link = bpf_link_create(prog, 0, BPF_TRACE_KPROBE_MULTI, &opts);
		cost_end(&on);
		if (link < 0) {
			snprintf(buf, sizeof(buf), "attach: %s", error_text(link));
			reason = buf;
		} else {
			cost_begin(&off, TRACED);
			close(link);
			cost_end(&off);
		}
	}
	print_cost_row(name, wanted, 0, &on, &off, status, reason);
	if (prog >= 0)
		close(prog);
}

static int open_kprobe(int type, const char *function, bool ret)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = ret,
		.config1 = (unsigned long)function,
	};

	return syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

/* As many kprobes, with the program on each of them */
static void cost_single(int wanted, bool ret)
{
	static const char *names[MANY * 2];
	static unsigned long addrs[MANY * 2];
	static int fds[MANY];
	int type = read_number("/sys/bus/event_source/devices/kprobe/type");
	const char *reason = NULL, *status = "unsupported";
	int nr, prog, i, err = 0, opened = 0;
	char name[32], buf[128], *text = NULL;
	struct cost on = { }, off = { };

	snprintf(name, sizeof(name), "%s-%d", ret ? "kretprobe" : "kprobe",
		 wanted);
	nr = many_names(&text, names, MANY * 2);
	nr = unique_names(names, addrs, nr);
	prog = load_kprobe(false);
	if (nr < wanted) {
		status = "failed";
		reason = "not enough functions";
	} else if (prog < 0 || type < 0) {
		snprintf(buf, sizeof(buf), "load: %s", error_text(prog));
		reason = buf;
	} else {
		cost_begin(&on, KPROBES);
		for (i = 0; i < wanted && !err; i++) {
			fds[i] = open_kprobe(type, names[i], ret);
			if (fds[i] < 0) {
				err = errno;
				break;
			}
			opened++;
			if (ioctl(fds[i], PERF_EVENT_IOC_SET_BPF, prog))
				err = errno;
		}
		cost_end(&on);
		if (err) {
			snprintf(buf, sizeof(buf), "attach: %s",
				 error_text(err));
			reason = buf;
		}
		cost_begin(&off, KPROBES);
		for (i = 0; i < opened; i++)
			close(fds[i]);
		cost_end(&off);
	}
	print_cost_row(name, wanted, 0, &on, &off, status, reason);
	if (prog >= 0)
		close(prog);
	free(text);
}

static int run_cost(bool bpf_only)
{
	static const char * const functions[] = { "1", "100", "1000", "all" };
	unsigned int i;

	if (access(BENCH "toggle", W_OK)) {
		fprintf(stderr, "bpf_runner: " BENCH
			"toggle: %s (load the module ftrace_bench first)\n",
			strerror(errno));
		return 1;
	}
	start_stall(&stall);
	printf("[\n");
	for (i = 0; i < ARRAY_SIZE(functions) && !bpf_only; i++) {
		cost_functions(functions[i], 0);
		printf(",\n");
	}
	if (!bpf_only) {
		cost_functions("all", 50);
		printf(",\n");
	}
	for (i = 0; i < 3; i++) {
		printf("%s", i ? ",\n" : "");
		cost_multi(i == 0 ? 1 : i == 1 ? 100 : MANY, false);
		printf(",\n");
		cost_multi(i == 0 ? 1 : i == 1 ? 100 : MANY, true);
	}
	printf(",\n");
	cost_single(1, false);
	/* For each of them, detaching waits until all CPUs have switched. */
	if (!stall.running) {
		printf(",\n");
		cost_single(100, false);
		printf(",\n");
		cost_single(100, true);
	}
	printf(",\n");
	cost_programs(1);
	/* Waiting for many grace periods takes its time when CPUs are busy. */
	if (!stall.running) {
		printf(",\n");
		cost_programs(100);
	}
	stop_stall(&stall);
	printf("\n]\n");
	return 0;
}

static void print_usage(FILE *f)
{
	fprintf(f,
		"usage: bpf_runner [-v] [--sabotage] --test [NAME...]\n"
		"                                run tests, print KTAP\n"
		"       bpf_runner [-v] --bench  measure, print JSON\n"
		"       bpf_runner [-v] --cost [bpf]\n"
		"                                cost of turning on and off, JSON;\n"
		"                                that of programs only\n"
		"       bpf_runner [-v] --syscalls  programs on a system call, JSON\n"
		"       bpf_runner --list        names of the tests\n");
}

/* Results which nobody can read are none. */
static int flush_results(int code)
{
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "bpf_runner: cannot write the results: %s\n",
			strerror(errno));
		return 1;
	}
	return code;
}

int main(int argc, char **argv)
{
	unsigned int i;

	libbpf_set_print(print_libbpf);
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
			verbose = true;
		else if (!strcmp(*argv, "--sabotage"))
			sabotage = 1;
		else
			break;
	}
	if (*argv && !strcmp(*argv, "--test"))
		return run_tests(argv + 1);
	if (*argv && !strcmp(*argv, "--bench") && !argv[1])
		return flush_results(run_bench());
	if (*argv && !strcmp(*argv, "--cost") && !argv[1])
		return flush_results(run_cost(false));
	if (*argv && !strcmp(*argv, "--cost") && !strcmp(argv[1], "bpf") &&
	    !argv[2])
		return flush_results(run_cost(true));
	if (*argv && !strcmp(*argv, "--syscalls") && !argv[1])
		return flush_results(run_syscalls());
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
