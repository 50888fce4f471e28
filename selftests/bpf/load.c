// SPDX-License-Identifier: GPL-2.0
/* Load the programs in test.bpf.c, attach them, and call what they trace. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "load.h"
#include "runner.h"

#define INJECTION "/sys/kernel/debug/error_injection/list"

bool have_injection(void)
{
	if (access(INJECTION, F_OK) == 0)
		return true;
	skip("no error injection in this kernel");
	return false;
}

/* Are the hooks of BPF's LSM called? */
bool have_lsm(void)
{
	char *lsms;
	bool on;

	mkdir("/sys/kernel/security", 0755);
	lsms = read_file("/sys/kernel/security/lsm");
	on = !lsms || strstr(lsms, "bpf");
	free(lsms);
	if (!on)
		skip("bpf is not among the active LSMs");
	return on;
}

/*
 * Does @prog replace what a function returns? Programs may do that to the hooks of
 * LSMs, which the tests leave alone, and where errors may be injected.
 */
static bool injects(const struct bpf_program *prog)
{
	return bpf_program__expected_attach_type(prog) == BPF_MODIFY_RETURN ||
	       !strcmp(bpf_program__name(prog), "override");
}

/*
 * Open the object and load the programs in @names, separated by spaces, plus
 * the one that test runs are made through. NULL if that fails, or if the kernel has no
 * such programs, for which the test is skipped.
 */
struct test_bpf *load_tests(const char *names)
{
	struct test_bpf *skel = test_bpf__open();
	char *copy, *name, *save = NULL;
	struct bpf_program *prog;
	bool missing = false;
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
		if (injects(prog) && !have_injection())
			missing = true;
		bpf_program__set_autoload(prog, true);
	}
	free(copy);
	if (missing) {
		test_bpf__destroy(skel);
		return NULL;
	}
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
bool attach_tests(struct test_bpf *skel)
{
	int err = test_bpf__attach(skel);

	if (err)
		fail("attach: %s", error_text(err));
	return !err;
}

/* Load, and attach. NULL if any of it fails. */
struct test_bpf *attached_tests(const char *names)
{
	struct test_bpf *skel = load_tests(names);

	if (skel && !attach_tests(skel)) {
		test_bpf__destroy(skel);
		skel = NULL;
	}
	return skel;
}

/* Load the programs in @names, which are for the @function of @target. */
struct test_bpf *load_onto(const struct bpf_program *target,
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
 * Have the kernel call bpf_fentry_test1() to bpf_fentry_test8() once each; or,
 * with a program for bpf_modify_return_test(), that function.
 */
__u32 test_run(const struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err = bpf_prog_test_run_opts(bpf_program__fd(prog), &opts);

	if (err)
		fail("test run: %s", error_text(err));
	return opts.retval;
}

static const char packet[64];

/* Have the kernel run @prog on that packet. */
__u32 packet_run(const struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts,
		    .data_in = packet,
		    .data_size_in = sizeof(packet));

	expect("packet run",
	       bpf_prog_test_run_opts(bpf_program__fd(prog), &opts), 0);
	return opts.retval;
}

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
	int cpus[2], nr = 0, cpu;
	cpu_set_t set;

	sched_getaffinity(0, sizeof(r->cpus), &r->cpus);
	for (cpu = 0; cpu < CPU_SETSIZE && nr < 2; cpu++) {
		if (CPU_ISSET(cpu, &r->cpus))
			cpus[nr++] = cpu;
	}
	if (nr < 2)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpus[1], &set);
	pthread_setaffinity_np(r->thread, sizeof(set), &set);
	CPU_ZERO(&set);
	CPU_SET(cpus[0], &set);
	sched_setaffinity(0, sizeof(set), &set);
}

bool start_runner(struct runner *r, const struct bpf_program *prog,
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

void stop_runner(struct runner *r)
{
	r->stop = true;
	pthread_join(r->thread, NULL);
	sched_setaffinity(0, sizeof(r->cpus), &r->cpus);
	printf("# %s: %lu test runs under load\n", test_name, r->runs);
	expect("any test run under load", r->runs > 0, 1);
	expect("failed test runs under load", r->errors, 0);
}

/*
 * A task that hardly ever leaves the kernel, and does not sleep, until it is killed; or for
 * so many seconds, if that is not 0.
 */
pid_t start_reader(unsigned int seconds)
{
	/* As much as a single call can be asked for, into the same place */
	static char buf[2 << 20];
	struct iovec iov[1024];
	pid_t pid;
	int fd, i;

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(seconds);
	/* It need not run, and others have to: do not let it be in their way. */
	setpriority(PRIO_PROCESS, 0, 19);
	fd = open("/dev/zero", O_RDONLY);
	for (i = 0; i < 1024; i++) {
		iov[i].iov_base = buf;
		iov[i].iov_len = sizeof(buf);
	}
	/* So that no page fault has it wait later */
	memset(buf, 1, sizeof(buf));
	while (readv(fd, iov, 1024) > 0)
		;
	_exit(errno);
}

/*
 * How often does the kernel call a function in @runs test runs? Clang knows that
 * bpf_fentry_test7() does nothing but return its argument, and leaves the call out.
 */
unsigned int calls_of(const char *func, unsigned int runs)
{
	static int clang = -1;

	if (clang < 0) {
		char *version = read_file("/proc/version");

		clang = version && strstr(version, "clang version");
		free(version);
	}
	return clang && !strcmp(func, "bpf_fentry_test7") ? 0 : runs;
}

bool have_tracees(void)
{
	if (access(TRACEES "types", W_OK) == 0)
		return true;
	skip("module ftrace_tracees is not loaded");
	return false;
}

/*
 * Have a child load ftrace_failing, which takes until the module is told to go on; it
 * exits with the error. -1, and the test is skipped, if there is no such module.
 */
pid_t begin_failing(const char *params)
{
	char path[4096];
	pid_t pid;
	int fd;

	snprintf(path, sizeof(path), "%s/ftrace_failing.ko", own_dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		skip("no module ftrace_failing");
		return -1;
	}
	pid = fork();
	if (!pid)
		_exit(syscall(SYS_finit_module, fd, params, 0) ? errno : 0);
	expect("fork", pid < 0, 0);
	close(fd);
	return pid;
}

/* To the module with the tracees */
int module_references(void)
{
	FILE *f = fopen("/sys/module/ftrace_tracees/refcnt", "r");
	int nr = -1;

	if (f) {
		if (fscanf(f, "%d", &nr) != 1)
			nr = -1;
		fclose(f);
	}
	return nr;
}

/* Call functions of the module where RCU is not watching. Tells how many were. */
int call_unwatched(int times)
{
	long long before = read_number(TRACEES "unwatched");
	char text[16];
	int calls;

	snprintf(text, sizeof(text), "%d", times);
	expect("call where RCU is not watching",
	       write_file(TRACEES "unwatched", text), 0);
	calls = read_number(TRACEES "unwatched") - before;
	if (!calls)
		skip("RCU of this kernel is always watching");
	return calls;
}

static void ignore(int signal)
{
}

static void *sleeper_thread(void *arg)
{
	struct timespec ts = { .tv_sec = 100000 };
	struct sleeper *s = arg;

	s->tid = syscall(SYS_gettid);
	while (!s->go)
		sched_yield();
	s->error = nanosleep(&ts, NULL) ? errno : 0;
	return NULL;
}

/* The task does not call anything that sleeps before let_sleep(). */
bool start_sleeper(struct sleeper *s)
{
	struct sigaction action = { .sa_handler = ignore };

	memset(s, 0, sizeof(*s));
	sigaction(SIGUSR1, &action, NULL);
	if (!expect("start a thread",
		    pthread_create(&s->thread, NULL, sleeper_thread, s), 0))
		return false;
	while (!s->tid)
		sched_yield();
	return true;
}

/* Returns when the task sleeps, so it is in the function that it sleeps in. */
bool let_sleep(struct sleeper *s)
{
	char path[64], *stat, *state;
	int i;

	snprintf(path, sizeof(path), "/proc/self/task/%u/stat", s->tid);
	s->go = true;
	for (i = 0; i < 10000; i++) {
		bool asleep;

		stat = read_file(path);
		state = stat ? strrchr(stat, ')') : NULL;
		asleep = state && !strncmp(state, ") S", 3);
		free(stat);
		if (asleep)
			return true;
		usleep(1000);
	}
	fail("a task has not gone to sleep");
	return false;
}

void wake_sleeper(struct sleeper *s)
{
	pthread_kill(s->thread, SIGUSR1);
	pthread_join(s->thread, NULL);
	expect("error of nanosleep()", s->error, EINTR + sabotage);
}

/* What is traced: the names of functions and how many ops there are on each */
char *traced(void)
{
	char *text = read_file(TRACING "enabled_functions");
	char *from, *to = text;

	for (from = text; from && *from; ) {
		size_t len = strcspn(from, "\t\n");

		memmove(to, from, len);
		to += len;
		from += len + strcspn(from + len, "\n");
		if (*from)
			*to++ = *from++;
	}
	if (to)
		*to = '\0';
	return text;
}

void expect_traced(const char *what, const char *before)
{
	char *now = traced();

	if (!before || !now)
		fail("no enabled_functions");
	else
		expect(what, strcmp(before, now), 0);
	free(now);
}

int count_programs(void)
{
	__u32 id = 0;
	int nr = 0;

	while (!bpf_prog_get_next_id(id, &id))
		nr++;
	return nr;
}

/* There must be no more than before, when those have been freed that are to go. */
void expect_freed(const char *what, int programs)
{
	int i;

	for (i = 0; i < FREE_MS / 20 && count_programs() > programs; i++)
		sleep_ms(20);
	expect(what, count_programs() > programs, 0);
}

/* In ftrace_ops_test: has the n-th allocation of who writes n to it fail. */
#define FAIL_NTH	"/sys/kernel/debug/ftrace_ops_test/fail"

/*
 * Get ready for fail_nth(). Allocations can fail until the file is closed. -1 with a
 * reason to skip the test if that is not possible.
 */
int open_fail(void)
{
	int fd = open(FAIL_NTH, O_RDWR);

	if (fd < 0)
		skip("needs the module ftrace_ops_test");
	return fd;
}

/* Have the @nth allocation of this task fail, if there are as many. */
void fail_nth(int fd, int nth)
{
	char buf[16];
	int len;

	len = snprintf(buf, sizeof(buf), "%d", nth);
	if (pwrite(fd, buf, len, 0) != len)
		fail("%s: %s", FAIL_NTH, error_text(errno));
}

/* Has it failed? None does from now on. */
bool has_failed(int fd)
{
	char buf[1] = "";

	if (pread(fd, buf, sizeof(buf), 0) != sizeof(buf))
		fail("%s: %s", FAIL_NTH, error_text(errno));
	return buf[0] == '1';
}

__u32 program_id(const struct bpf_program *prog)
{
	struct bpf_prog_info info = { };
	__u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len) ? 0 : info.id;
}

bool program_exists(__u32 id)
{
	int fd = bpf_prog_get_fd_by_id(id);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}
