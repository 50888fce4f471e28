// SPDX-License-Identifier: GPL-2.0
/*
 * Many programs: several processes attach and detach them, one of which gets killed;
 * what detaching waits for does not grow with their number, nor does anybody wait
 * for a grace period that takes long; and it needs no memory. For how much may wait to
 * be freed see test_bound.c.
 *
 * The order comes from SEED in the environment, as far as the timing does. There are
 * ten programs for each of TOGGLES, at most 1000.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>

#include "load.h"

#define MAX_PROGS	1000
#define LISTED		20000
#define WORKERS		3
/* How often each worker attaches or detaches each of its programs */
#define TURNS		4

/* A program that does nothing, and its link if that is >= 0 */
struct many_prog {
	int prog;
	int link;
	const char *name;
};

static struct many_prog progs[MAX_PROGS];
static int nr_progs;
static char *names_text;

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* r0 = 0; exit */
static const struct bpf_insn nothing[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

static int load_nothing(const struct btf *btf, const char *function, bool exit)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = exit ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY);
	int id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);

	if (id < 0)
		return id;
	opts.attach_btf_id = id;
	return bpf_prog_load(BPF_PROG_TYPE_TRACING, "many", "GPL", nothing,
			     ARRAY_SIZE(nothing), &opts);
}

static int attach(struct many_prog *p)
{
	p->link = bpf_raw_tracepoint_open(NULL, p->prog);
	return p->link < 0 ? p->link : 0;
}

static void detach(struct many_prog *p)
{
	close(p->link);
	p->link = -1;
}

static void unload_progs(void)
{
	while (nr_progs)
		close(progs[--nr_progs].prog);
	free(names_text);
	names_text = NULL;
}

/*
 * Programs for the entry of every other function, and for the return of those in
 * between, which can be attached; some have too many arguments.
 */
static bool load_progs(void)
{
	static const char *names[LISTED];
	struct btf *btf = btf__load_vmlinux_btf();
	int wanted = toggles < MAX_PROGS / 10 ? toggles * 10 : MAX_PROGS;
	struct rlimit files = { 3 * MAX_PROGS, 3 * MAX_PROGS };
	const char *seed = getenv("SEED");
	int nr, i, other;

	/* A program and a link each, and some more */
	setrlimit(RLIMIT_NOFILE, &files);
	nr_progs = 0;
	if (!btf || libbpf_get_error(btf)) {
		fail("no BTF of the kernel");
		return false;
	}
	srandom(seed ? atoi(seed) : 1);
	nr = many_names(&names_text, names, LISTED);
	for (i = 0; i < nr && nr_progs < wanted; i++) {
		struct many_prog *p = &progs[nr_progs];

		other = i + random() % (nr - i);
		p->name = names[other];
		names[other] = names[i];
		p->prog = load_nothing(btf, p->name, nr_progs % 2);
		if (p->prog < 0)
			continue;
		if (attach(p)) {
			close(p->prog);
			continue;
		}
		detach(p);
		nr_progs++;
	}
	btf__free(btf);
	if (!expect("programs", nr_progs, wanted)) {
		unload_progs();
		return false;
	}
	return true;
}

/*
 * A program at the entry is not run on a CPU where another task has been preempted in
 * it: what it has missed is counted. Nothing else may be missing.
 */
static void expect_entries(const char *what, const struct bpf_program *prog,
			   long long hits, long long want)
{
	struct bpf_prog_info info = { };
	__u32 len = sizeof(info);

	bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len);
	if (hits > want || hits + (long long)info.recursion_misses < want)
		fail("%s: got %lld, and %lld missed, want %lld", what, hits,
		     (long long)info.recursion_misses, want);
}

/*
 * One at the exit is also left out by who is in the function while other programs come
 * to it or leave it.
 */
static void expect_exits(const char *what, long long hits, long long most)
{
	if (hits > most)
		fail("%s: got %lld, want no more than %lld", what, hits, most);
}

/* The parent and its runner are on CPUs of their own, if there are two. */
static void leave_parent(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) > 1, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/*
 * Attach and detach what belongs to this worker in random order, and a program that
 * has to see exactly the calls in between. A byte says that the half of it is done.
 */
static void work(int worker, int said)
{
	int i, err, mine = (nr_progs + WORKERS - 1 - worker) / WORKERS;
	int turns = mine * TURNS;
	struct test_bpf *own;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	leave_parent();
	srandom(worker + random());
	own = load_tests(worker % 2 ? "entry1 exit1" : "entry1");
	if (!own)
		return;
	for (i = 0; i < turns && !test_failed; i++) {
		struct many_prog *p = &progs[worker + random() % mine * WORKERS];

		if (p->link >= 0) {
			detach(p);
		} else {
			err = attach(p);
			if (err)
				fail("%s: attach: %s", p->name, error_text(err));
		}
		if (i == turns / 2 && write(said, "", 1) != 1)
			fail("cannot say that the half is done");
		if (i % 16)
			continue;
		own->bss->entry_hits[0] = 0;
		own->bss->exit_hits[0] = 0;
		if (!attach_tests(own))
			break;
		test_run(own->progs.driver);
		test_run(own->progs.driver);
		test_bpf__detach(own);
		test_run(own->progs.driver);
		expect_entries("fentry hits of a worker", own->progs.entry1,
			       own->bss->entry_hits[0], 2 + sabotage);
		expect_exits("fexit hits of a worker", own->bss->exit_hits[0], 2);
	}
	/* The one that gets killed may have come to its end before. */
	while (!worker && !test_failed)
		pause();
	for (i = 0; i < nr_progs; i++) {
		if (progs[i].link >= 0)
			detach(&progs[i]);
	}
	test_bpf__destroy(own);
}

static pid_t start_worker(int worker, int said)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		work(worker, said);
		fflush(stdout);
		_exit(test_failed);
	}
	if (pid < 0)
		fail("fork: %s", error_text(errno));
	return pid;
}

/*
 * See to the work of the others. The first one is killed some time after it has said
 * that the half of its work is done.
 */
static void run_workers(struct test_bpf *skel)
{
	pid_t pids[WORKERS] = { };
	int i, said[2], status;
	__u64 runs = 0;
	char byte;

	if (pipe(said)) {
		fail("pipe: %s", error_text(errno));
		return;
	}
	for (i = 0; i < WORKERS; i++) {
		/* Nobody else has the pipe, so it ends with the process. */
		pids[i] = start_worker(i, i ? open("/dev/null", O_WRONLY) : said[1]);
		if (pids[i] < 0)
			break;
	}
	close(said[1]);
	if (i < WORKERS) {
		while (i--) {
			kill(pids[i], SIGKILL);
			waitpid(pids[i], NULL, 0);
		}
		close(said[0]);
		return;
	}
	expect("a worker that has come half-way", read(said[0], &byte, 1), 1);
	close(said[0]);
	sleep_ms(random() % 20);
	kill(pids[0], SIGKILL);
	while (waitpid(pids[1], &status, WNOHANG) == 0) {
		test_run(skel->progs.driver);
		expect_entries("fentry that stays", skel->progs.entry1,
			       skel->bss->entry_good[0], ++runs);
		expect_exits("fexit that stays", skel->bss->exit_good[0], runs);
		sleep_ms(1);
		if (test_failed)
			kill(pids[1], SIGKILL);
	}
	expect("any hits of the fexit that stays",
	       !runs || skel->bss->exit_good[0] > 0, 1);
	expect("exit code of a worker", status, 0);
	waitpid(pids[0], &status, 0);
	expect("the worker that was killed", WIFSIGNALED(status), 1);
	for (i = 2; i < WORKERS; i++) {
		waitpid(pids[i], &status, 0);
		expect("exit code of a worker", status, 0);
	}
}

TEST(many)
{
	int i, err, before = count_programs();
	struct test_bpf *skel = NULL;
	char *text = NULL;
	struct runner r;

	if (!load_progs())
		return;
	skel = attached_tests("entry1 exit1");
	if (!skel)
		goto out;
	text = traced();
	if (!start_runner(&r, skel->progs.driver, 0))
		goto out;
	run_workers(skel);
	stop_runner(&r);
	expect_traced("functions traced as before", text);
	/* Nothing that any of them has left behind is in the way. */
	for (i = 0; i < nr_progs && !test_failed; i++) {
		err = attach(&progs[i]);
		if (err)
			fail("%s: attach again: %s", progs[i].name, error_text(err));
	}
	for (i = 0; i < nr_progs; i++) {
		if (progs[i].link >= 0)
			detach(&progs[i]);
	}
	expect_traced("functions traced in the end", text);
	printf("# %s: %d programs\n", test_name, nr_progs);
out:
	free(text);
	test_bpf__destroy(skel);
	unload_progs();
	expect_freed("programs that are left", before);
}

/* Probes that count who waits for a grace period, and how many there are */
#define EVENTS		"bpf_runner_many"

static const char * const waits[] = {
	"synchronize_rcu_tasks", "synchronize_rcu_tasks_rude",
	"synchronize_rcu_tasks_trace", "synchronize_srcu", "rcu_barrier_tasks",
	"rcu_barrier_tasks_rude",
};

static const char * const periods[] = {
	"rcu_tasks_wait_gp", "rcu_tasks_rude_wait_gp",
};

static int add_line(const char *path, const char *fmt, const char *name)
{
	int fd = open(path, O_WRONLY | O_APPEND), err;

	if (fd < 0)
		return -errno;
	err = dprintf(fd, fmt, name, name) < 0 ? -errno : 0;
	close(fd);
	return err;
}

static void probe_waits(bool on)
{
	const char *fmt = on ? "p:" EVENTS "/%s %s\n" : "-:" EVENTS "/%s\n";
	unsigned int i;

	if (!on)
		write_file(TRACING "events/" EVENTS "/enable", "0");
	/* Which of them there are is up to the configuration. */
	for (i = 0; i < ARRAY_SIZE(waits); i++)
		add_line(TRACING "kprobe_events", fmt, waits[i]);
	for (i = 0; i < ARRAY_SIZE(periods); i++)
		add_line(TRACING "kprobe_events", fmt, periods[i]);
	if (on && write_file(TRACING "events/" EVENTS "/enable", "1"))
		skip("no kprobe events");
}

/* How often all of @names have been called */
static long long count_probes(const char * const *names, unsigned int nr)
{
	char *text = read_file(TRACING "kprobe_profile"), *at, buf[64];
	long long sum = 0;
	unsigned int i;

	for (i = 0; i < nr && text; i++) {
		snprintf(buf, sizeof(buf), " %s ", names[i]);
		at = strstr(text, buf);
		if (at)
			sum += strtoll(at + strlen(buf), NULL, 10);
	}
	free(text);
	return sum;
}

/* Whoever else waits meanwhile, as for what others have left behind */
#define OTHER_WAITS	6

struct waited {
	long long waits, periods, ms;
};

static void wait_begin(struct waited *w)
{
	w->waits = count_probes(waits, ARRAY_SIZE(waits));
	w->periods = count_probes(periods, ARRAY_SIZE(periods));
	w->ms = now_ms();
}

/*
 * If each of them waited, that would be two grace periods and 170 ms each. How long it
 * took is for people to see: that depends on the machine, and on what the kernel checks.
 */
static void wait_end(struct waited *w, const char *what, int nr)
{
	w->ms = now_ms() - w->ms;
	w->waits = count_probes(waits, ARRAY_SIZE(waits)) - w->waits;
	w->periods = count_probes(periods, ARRAY_SIZE(periods)) - w->periods;
	printf("# %s: %d %s: detached in %lld ms, %lld waits, %lld grace periods\n",
	       test_name, nr, what, w->ms, w->waits, w->periods);
	if (w->waits + sabotage * nr > OTHER_WAITS)
		fail("%s: waited %lld times", what, w->waits);
	if (w->periods > 4 + nr / 4)
		fail("%s: %lld grace periods", what, w->periods);
}

/* Kprobes and kretprobes with a program each, on the same functions */
static void detach_kprobes(void)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	int type = read_number("/sys/bus/event_source/devices/kprobe/type");
	int prog = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "many", "GPL", nothing,
				 ARRAY_SIZE(nothing), &opts);
	static int fds[MAX_PROGS];
	int i, opened = 0, wanted = nr_progs < 200 ? nr_progs : 200;
	struct waited w;

	if (prog < 0 || type < 0) {
		printf("# %s: no kprobes of perf\n", test_name);
		return;
	}
	for (i = 0; i < wanted; i++) {
		fds[opened] = open_kprobe(type, progs[i].name, i % 2);
		/* A name that more than one function has */
		if (fds[opened] < 0)
			continue;
		if (ioctl(fds[opened], PERF_EVENT_IOC_SET_BPF, prog))
			fail("%s: attach: %s", progs[i].name, error_text(errno));
		opened++;
	}
	expect("enough kprobes", opened > wanted / 2, 1);
	wait_begin(&w);
	for (i = 0; i < opened; i++)
		close(fds[i]);
	wait_end(&w, "kprobes", opened);
	close(prog);
}

/* Links of kprobe.multi, each on one function */
static void detach_multi(void)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		.expected_attach_type = BPF_TRACE_KPROBE_MULTI);
	int prog = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "many", "GPL", nothing,
				 ARRAY_SIZE(nothing), &opts);
	static int links[MAX_PROGS];
	int i, wanted = nr_progs < 200 ? nr_progs : 200;
	struct waited w;

	for (i = 0; i < wanted && prog >= 0; i++) {
		LIBBPF_OPTS(bpf_link_create_opts, link_opts,
			.kprobe_multi.syms = &progs[i].name,
			.kprobe_multi.cnt = 1,
			.kprobe_multi.flags = i % 2 ? BPF_F_KPROBE_MULTI_RETURN : 0);

		links[i] = bpf_link_create(prog, 0, BPF_TRACE_KPROBE_MULTI, &link_opts);
		if (links[i] == -EOPNOTSUPP) {
			printf("# %s: no kprobe.multi\n", test_name);
			break;
		}
		if (links[i] < 0)
			fail("%s: attach: %s", progs[i].name, error_text(links[i]));
	}
	wanted = i;
	wait_begin(&w);
	for (i = 0; i < wanted; i++)
		close(links[i]);
	if (wanted)
		wait_end(&w, "links of kprobe.multi", wanted);
	close(prog);
}

TEST(many_waits)
{
	struct waited w;
	char *text;
	int i;

	if (!load_progs())
		return;
	probe_waits(true);
	if (skip_reason[0])
		goto out;
	text = traced();
	for (i = 0; i < nr_progs && !test_failed; i++)
		expect("attach", attach(&progs[i]), 0);
	wait_begin(&w);
	for (i = 0; i < nr_progs; i++) {
		if (progs[i].link >= 0)
			detach(&progs[i]);
	}
	expect_traced("functions traced when detached", text);
	wait_end(&w, "programs", nr_progs);
	detach_kprobes();
	detach_multi();
	free(text);
out:
	probe_waits(false);
	unload_progs();
}

/* Attach and detach both, in turns, and see that each is called while attached. */
static bool attach_in_turns(struct test_bpf *first, struct test_bpf *second, int turn)
{
	if (!attach_tests(first))
		return false;
	test_run(first->progs.driver);
	if (!attach_tests(second))
		return false;
	test_bpf__detach(first);
	test_run(first->progs.driver);
	test_bpf__detach(second);
	test_run(first->progs.driver);
	expect("fentry hits", first->bss->entry_good[0], turn + sabotage);
	expect("fexit hits", first->bss->exit_good[1], turn);
	expect("fentry hits of others", second->bss->entry_good[1], turn);
	expect("fexit hits of others", second->bss->exit_good[5], turn);
	return !test_failed;
}

#define BUSY_TURNS	3
/* For how long those would wait who do */
#define BUSY_S		120

/*
 * A task of the kernel keeps all tasks' grace period from ending. What is detached
 * meanwhile stays in memory, but nobody waits: neither who detaches nor who attaches
 * then, and calls are right.
 */
TEST(many_busy)
{
	struct test_bpf *first = NULL, *second = NULL;
	int i, turn, status = 0;
	long long ms;
	__u32 id;
	pid_t pid;

	if (!is_preemptible()) {
		skip("needs a kernel that can be preempted");
		return;
	}
	/* To load them takes longer than all of the rest. */
	first = load_tests("entry1 exit2");
	second = load_tests("entry1_too exit6");
	if (!first || !second)
		goto out;
	pid = start_reader(BUSY_S);
	if (!expect("start a busy task", pid > 0, 1))
		goto out;
	id = program_id(first->progs.entry1);
	sleep_ms(500);
	ms = now_ms();
	for (turn = 1; turn <= BUSY_TURNS; turn++) {
		if (!attach_in_turns(first, second, turn))
			break;
	}
	test_bpf__destroy(first);
	first = NULL;
	ms = now_ms() - ms;
	expect("a program that is detached is still there", program_exists(id), 1);
	if (waitpid(pid, &status, WNOHANG)) {
		fail("it took %lld ms; the busy task ended with %x", ms, status);
		goto out;
	}
	printf("# %s: %d turns in %lld ms\n", test_name, turn - 1, ms);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (i = 0; i < FREE_MS / 20 && program_exists(id); i++)
		sleep_ms(20);
	expect("a program that is detached is there later", program_exists(id), 0);
out:
	test_bpf__destroy(first);
	test_bpf__destroy(second);
}

#define INSTANCES	TRACING "instances/bpf_runner_many_"

static bool tracer(const char *which, bool on)
{
	char dir[80], file[128];

	snprintf(dir, sizeof(dir), INSTANCES "%s", which);
	if (on && mkdir(dir, 0755) && errno != EEXIST)
		return false;
	snprintf(file, sizeof(file), "%s/set_ftrace_filter", dir);
	if (on && write_file(file, "bpf_fentry_test1"))
		return false;
	snprintf(file, sizeof(file), "%s/current_tracer", dir);
	if (write_file(file, on ? "function" : "nop"))
		return false;
	return on || !rmdir(dir);
}

/* Detach with one allocation failing, the next one each time until there is none */
static void detach_failing(struct test_bpf *skel, int fd, const char *what)
{
	bool enough = false;
	int nth;

	for (nth = 1; nth < 1000 && !enough && !test_failed; nth++) {
		if (!attach_tests(skel))
			return;
		fail_nth(fd, nth);
		bpf_link__destroy(skel->links.entry1);
		enough = !has_failed(fd);
		skel->links.entry1 = NULL;
		skel->bss->entry_hits[0] = 0;
		test_run(skel->progs.driver);
		expect(what, skel->bss->entry_hits[0], sabotage);
	}
	printf("# %s: %s: %d allocations failed\n", test_name, what, nth - 2);
}

TEST(detach_memory)
{
	struct test_bpf *skel = load_tests("entry1");
	int fd = open_fail();
	char *text = traced();
	struct kept printk;

	if (!skel)
		goto out;
	if (fd < 0)
		goto out;
	printk = keep_file("/proc/sys/kernel/printk");
	write_file("/proc/sys/kernel/printk", "1");
	detach_failing(skel, fd, "detached, alone");
	if (!tracer("a", true))
		fail("no tracer");
	detach_failing(skel, fd, "detached, with a tracer");
	if (!tracer("b", true))
		fail("no second tracer");
	detach_failing(skel, fd, "detached, with two tracers");
	tracer("a", false);
	tracer("b", false);
	restore_file(&printk);
out:
	if (fd >= 0)
		close(fd);
	test_bpf__destroy(skel);
	expect_traced("functions traced as before", text);
	free(text);
}
