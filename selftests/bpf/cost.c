// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of turning tracing on and off.
 *
 * Two figures: time that passed, which includes waiting for grace periods, and
 * what of it processors were busy, all of them together: a kernel may have others
 * do the work, or stop them meanwhile. The latter are instructions when the guest
 * counts these. A thread on another CPU looks at the clock all the time; the
 * longest time between two looks is how long it was kept from running.
 *
 * An emulator may have its processors take turns, and whoever waits for the
 * other one to answer an interrupt then waits for the end of its turn. So this
 * one gives up its turn after each look.
 *
 * And memory: what the kernel holds more than before tracing was turned on, while
 * it is on and right after it has been turned off. It counts pages, some of which are
 * caches of objects. What others allocate and free meanwhile is among it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>

#include "bpf_bench.h"

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

/* Memory of the kernel in bytes */
struct memory {
	long long slab;
	long long vmalloc;
	long long percpu;
};

struct cost {
	long long elapsed;
	/* -1 if it is not known */
	long long busy;
	/* -1 without a second CPU */
	long long stall;
	/* Calls of what flushes, -1 if they are not counted */
	long long flushes;
	/* How many lines the file @list has then, and how many more than before */
	long long listed, sites;
	/* or NULL, when no more functions are traced than before */
	const char *list;
	/* What the kernel had, then and in the end */
	struct memory before, after;
};

/* Where the kernel lists what is traced, one function per line */
#define TRACED		TRACING "enabled_functions"
#define KPROBES		"/sys/kernel/debug/kprobes/list"

/*
 * What kernels call to write to text: when a page of it gets mapped elsewhere and when
 * it is unmapped again, or where TLBs are flushed for that.
 */
#if defined(__powerpc64__)
#define FLUSH		"radix__flush_tlb_kernel_range"
#else
#define FLUSH		"__set_fixmap"
#endif

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

/* @key of /proc/meminfo, in bytes */
static long long meminfo(const char *text, const char *key)
{
	const char *line = text ? strstr(text, key) : NULL;

	return line ? strtoll(line + strlen(key), NULL, 10) * 1024 : 0;
}

static struct memory read_memory(void)
{
	struct memory memory;
	char *text;

	/* Processors count on their own for some time otherwise. */
	write_file("/proc/sys/vm/stat_refresh", "1");
	text = read_file("/proc/meminfo");
	memory.slab = meminfo(text, "\nSUnreclaim:");
	memory.vmalloc = meminfo(text, "\nVmallocUsed:");
	memory.percpu = meminfo(text, "\nPercpu:");
	free(text);
	return memory;
}

/* What was freed before is gone by then: it takes some grace periods of all tasks. */
#define SETTLE_MS	500

/* @last ended when nothing else was traced than now; NULL if there is none. */
static void cost_begin(struct cost *c, const char *list, const struct cost *last)
{
	c->list = list;
	/* The kernel takes long to print the names of all ops of all functions. */
	if (list)
		c->listed = last ? last->listed : count_functions(list);
	if (!last)
		sleep_ms(SETTLE_MS);
	c->before = read_memory();
	stall.longest = 0;
	c->busy = read_number(BENCH "idle");
	c->elapsed = clock_ns(CLOCK_MONOTONIC_RAW);
}

static void cost_end(struct cost *c)
{
	long long idle;

	c->elapsed = clock_ns(CLOCK_MONOTONIC_RAW) - c->elapsed;
	idle = read_number(BENCH "idle");
	/* The thread that looks at the clock is busy all the time. */
	if (stall.running || c->busy < 0 || idle < 0)
		c->busy = -1;
	else
		c->busy = c->elapsed * sysconf(_SC_NPROCESSORS_ONLN) -
			  (idle - c->busy) * 1000;
	c->stall = stall.running ? stall.longest : -1;
	c->flushes = -1;
	/* First: reading a long list takes its time. */
	c->after = read_memory();
	c->sites = c->list ? count_functions(c->list) - c->listed : 0;
	c->listed += c->sites;
}

static void print_number(const char *key, long long number)
{
	if (number < 0)
		printf(",\"%s\":null", key);
	else
		printf(",\"%s\":%lld", key, number);
}

/* What there was @before is not of this row. */
static void print_cost(const char *key, const struct cost *c,
		       const struct memory *before)
{
	printf(",\"%s\":", key);
	if (!c) {
		printf("null");
		return;
	}
	printf("{\"elapsed\":%lld", c->elapsed);
	print_number("busy", c->busy);
	print_number("stall", c->stall);
	print_number("flushes", c->flushes);
	printf(",\"sites\":%lld,\"memory\":{\"slab\":%lld,\"vmalloc\":%lld,\"percpu\":%lld}}",
	       c->sites, c->after.slab - before->slab,
	       c->after.vmalloc - before->vmalloc,
	       c->after.percpu - before->percpu);
}

/* All of @functions must have got traced and untraced, but for @others. */
static void print_cost_row(const char *name, long long functions, int others,
			   const struct cost *on, const struct cost *off,
			   const char *status, const char *reason)
{
	static bool first = true;

	printf("%s{\"name\":\"%s\",\"functions\":%lld,\"expected_sites\":%lld",
	       first ? "" : ",\n",
	       name, functions, functions - others);
	first = false;
	print_cost("on", reason ? NULL : on, &on->before);
	print_cost("off", reason ? NULL : off, &on->before);
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

/* An ops of the module, which ends with the file: by its descriptor, or -errno */
static int open_toggle(const char *count)
{
	int fd = open(BENCH "toggle", O_WRONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	if (dprintf(fd, "set %s", count) > 0)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static int toggle(int fd, const char *command)
{
	return write(fd, command, strlen(command)) < 0 ? -errno : 0;
}

static int timed_toggle(int fd, const char *command, struct cost *c,
			const char *list, const struct cost *last)
{
	int err;

	cost_begin(c, list, last);
	err = toggle(fd, command);
	cost_end(c);
	return err;
}

/*
 * Trace the first @count functions. @others of all, or none if that is 0, have
 * another tracer already.
 */
static void cost_functions(const char *count, int others)
{
	struct cost on = { }, off = { };
	const char *reason = NULL;
	long long functions = 0;
	int err = 0, fd = -1;
	char name[32];

	snprintf(name, sizeof(name), others ? "functions-%s-%d" : "functions-%s",
		 count, others);
	if (others)
		err = start_other_tracer(others);
	if (!err) {
		fd = open_toggle(count);
		err = fd < 0 ? fd : timed_toggle(fd, "on", &on, TRACED, NULL);
	}
	err = err ?: timed_toggle(fd, "off", &off, TRACED, &on);
	if (fd >= 0)
		close(fd);
	if (others)
		stop_other_tracer();
	if (err)
		reason = error_text(err);
	else
		functions = count_traceable(strcmp(count, "all") ? atol(count) :
					    LONG_MAX);
	print_cost_row(name, functions, others, &on, &off, "failed", reason);
}

/*
 * The Nth tracer of all functions, on and off while the ones before it are on: for
 * each power of two up to @most, and for the twelfth.
 */
#define MAX_TRACERS	64

static bool tracer_is_row(int n)
{
	return !(n & (n - 1)) || n == 12;
}

/* How many tracers the first function has that is traced */
static int tracers_of_first(void)
{
	FILE *f = fopen(TRACED, "re");
	int nr = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%*s (%d)", &nr) != 1)
		nr = 0;
	fclose(f);
	return nr;
}

/*
 * Turn the @n th tracer on or off. After the first one all functions are traced, and
 * printing the names of all tracers of each would take most of the time.
 */
static int toggle_tracer(int fd, int n, bool on, struct cost *c,
			 const struct cost *last)
{
	const char *command = on ? "on" : "off";
	int err;

	if (!tracer_is_row(n))
		return toggle(fd, command);
	err = timed_toggle(fd, command, c, n > 1 ? NULL : TRACED, last);
	if (!err && tracers_of_first() != (on ? n : n - 1))
		err = -ENXIO;
	return err;
}

static void cost_tracers(int most)
{
	static struct cost on[MAX_TRACERS + 1], off[MAX_TRACERS + 1];
	long long functions = count_traceable(LONG_MAX);
	int fds[MAX_TRACERS], n, opened = 0, err = 0;
	const char *reason = NULL;
	char name[32];

	for (n = 1; n <= most && !err; n++) {
		fds[opened] = open_toggle("all");
		if (fds[opened] < 0) {
			err = fds[opened];
			break;
		}
		opened++;
		err = toggle_tracer(fds[n - 1], n, true, &on[n],
				    n > 1 ? &on[1] : NULL);
	}
	for (n = opened; n; n--) {
		if (!err)
			err = toggle_tracer(fds[n - 1], n, false, &off[n], &on[1]);
		close(fds[n - 1]);
	}
	if (err)
		reason = error_text(err);
	for (n = 1; n <= most; n++) {
		if (!tracer_is_row(n))
			continue;
		snprintf(name, sizeof(name), "tracer-%d-of-all", n);
		/* All are traced by the first one already. */
		print_cost_row(name, functions, n > 1 ? functions : 0,
			       &on[n], &off[n], "failed", reason);
	}
}

/* ftrace:function, as perf record -a opens it: an event, and an ops, for each processor */
static void cost_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = read_number(TRACING "events/ftrace/function/id"),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_RAW,
		.exclude_callchain_user = 1,
	};
	/* Several do something for others meanwhile, too: the least of a few times. */
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), rounds = cpus > 1 ? 5 : 1, i, opened;
	long long functions = count_traceable(LONG_MAX);
	/* As for tracers: one shows all functions, more take too long to print. */
	const char *list = cpus > 1 ? NULL : TRACED;
	struct cost on = { }, off = { }, up = { }, down = { };
	const char *reason = NULL;
	static int fds[CPU_SETSIZE];
	char name[32];

	while (rounds-- && !reason) {
		cost_begin(&up, list, NULL);
		for (i = opened = 0; i < cpus && i < CPU_SETSIZE && !reason; i++) {
			fds[i] = syscall(SYS_perf_event_open, &attr, -1, i, -1,
					 PERF_FLAG_FD_CLOEXEC);
			opened += fds[i] >= 0;
			reason = fds[i] < 0 ? error_text(errno) : NULL;
		}
		cost_end(&up);
		if (!reason && tracers_of_first() != cpus)
			reason = "not all of them trace";
		cost_begin(&down, list, &up);
		for (i = 0; i < opened; i++)
			close(fds[i]);
		cost_end(&down);
		/* Memory is that of the first time, when none is about to be freed. */
		on = on.elapsed ? on : up;
		off = off.elapsed ? off : down;
		on.elapsed = up.elapsed < on.elapsed ? up.elapsed : on.elapsed;
		off.elapsed = down.elapsed < off.elapsed ? down.elapsed : off.elapsed;
	}
	if (!list)
		on.busy = off.busy = -1;
	snprintf(name, sizeof(name), list ? "perf-all" : "perf-all-%d", cpus);
	print_cost_row(name, functions, list ? 0 : functions, &on, &off,
		       opened == cpus ? "failed" : "unsupported", reason);
}

/* A kprobe of the module that counts, which ends with the file: by its descriptor */
static int open_count(const char *function)
{
	int fd = open(BENCH "count", O_RDWR | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	if (dprintf(fd, "%s", function) > 0)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static long long calls_of(int fd)
{
	char text[24] = "";

	return pread(fd, text, sizeof(text) - 1, 0) > 0 ? atoll(text) : -1;
}

/* How often @function is called to trace all; no row of cost, as a kprobe counts. */
static void cost_flushes(const char *row, const char *function)
{
	static char no_kprobe[80], no_call[80];
	int flush = open_count(function), fd = -1, err;
	const char *reason = NULL, *status = "failed";
	long long functions = count_traceable(LONG_MAX);
	/* The kprobe may be by ftrace. */
	long long others = count_functions(TRACED);
	struct cost on = { }, off = { };

	snprintf(no_kprobe, sizeof(no_kprobe), "no kprobe on %s", function);
	snprintf(no_call, sizeof(no_call), "no call of %s was counted", function);
	if (flush < 0) {
		status = "unsupported";
		reason = no_kprobe;
	} else {
		fd = open_toggle("all");
		err = fd < 0 ? fd : timed_toggle(fd, "on", &on, TRACED, NULL);
		on.flushes = calls_of(flush);
		err = err ?: timed_toggle(fd, "off", &off, TRACED, &on);
		off.flushes = calls_of(flush) - on.flushes;
		if (err)
			reason = error_text(err);
		else if (on.flushes <= 0 || off.flushes <= 0)
			reason = no_call;
	}
	print_cost_row(row, functions, others, &on, &off, status, reason);
	if (fd >= 0)
		close(fd);
	if (flush >= 0)
		close(flush);
}

static int load_tracing(struct btf *btf, const char *function,
			enum bpf_attach_type type)
{
	/* r0 = 0; exit */
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		.expected_attach_type = type);
	int id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);

	if (id < 0)
		return id;
	opts.attach_btf_id = id;
	return bpf_prog_load(BPF_PROG_TYPE_TRACING, "cost", "GPL", insns,
			     ARRAY_SIZE(insns), &opts);
}

#define MAX_PROGS	1000
/* The list is in the order of addresses, the network code is near its end. */
#define MANY_LISTED	50000

/* The functions to attach to can be attached to: some have too many arguments. */
static bool can_attach(int prog, int *err)
{
	int link = bpf_raw_tracepoint_open(NULL, prog);

	if (link < 0) {
		*err = link;
		return false;
	}
	close(link);
	return true;
}

/*
 * Programs for as many functions, up to 100 ones that nobody calls here; with @pairs one at the
 * entry and one at the exit of each. Returns the number of functions; *err says
 * why not more.
 */
static int load_progs(int (*progs)[2], int wanted, bool pairs, int *err)
{
	struct btf *btf = btf__load_vmlinux_btf();
	static const char *names[MANY_LISTED];
	int nr = 0, failed = 0, found, i;
	char *text = NULL;

	*err = 0;
	if (!btf || libbpf_get_error(btf))
		return -1;
	found = many_names(&text, names, MANY_LISTED);
	for (i = 0; i < found && nr < wanted && failed < 20; i++) {
		/* There are not enough of those that nobody calls for many. */
		if (wanted <= 100 && strncmp(names[i], "tcp_", 4) &&
		    strncmp(names[i], "udp_", 4) && strncmp(names[i], "inet_", 5))
			continue;
		progs[nr][0] = load_tracing(btf, names[i], BPF_TRACE_FENTRY);
		progs[nr][1] = -1;
		if (progs[nr][0] < 0)
			continue;
		if (pairs)
			progs[nr][1] = load_tracing(btf, names[i],
						    BPF_TRACE_FEXIT);
		if ((!pairs || progs[nr][1] >= 0) && can_attach(progs[nr][0], err)) {
			nr++;
			continue;
		}
		failed++;
		close(progs[nr][0]);
		if (progs[nr][1] >= 0)
			close(progs[nr][1]);
	}
	free(text);
	btf__free(btf);
	return nr;
}

/* Returns 0 or the error; *attached links are in @links either way. */
static int attach_all(int (*progs)[2], int nr, bool pairs, int *links,
		      int *attached)
{
	int i, link;

	for (i = 0; i < (pairs ? 2 * nr : nr); i++) {
		link = pairs ? progs[i / 2][i % 2] : progs[i][0];
		link = bpf_raw_tracepoint_open(NULL, link);
		if (link < 0)
			return link;
		links[(*attached)++] = link;
	}
	return 0;
}

/* With @traced two tracers of all functions are on, so that there is a set. */
static long long cost_programs(int wanted, bool pairs, bool traced)
{
	static int progs[MAX_PROGS + 1][2], links[2 * MAX_PROGS];
	const char *reason = NULL;
	struct cost on = { }, off = { };
	char name[32], buf[128];
	int i, nr, attached = 0, err, tracers[2] = { -1, -1 };

	snprintf(name, sizeof(name), "%s-%d%s", pairs ? "fentry-fexit" : "fentry",
		 wanted, traced ? "-traced" : "");
	nr = load_progs(progs, wanted, pairs, &err);
	if (nr < 0) {
		reason = "no BTF of the kernel";
	} else if (nr < wanted) {
		snprintf(buf, sizeof(buf), "attach: %d of %d, then %s", nr,
			 wanted, error_text(err));
		reason = buf;
	} else {
		for (i = 0; i < 2 && traced; i++) {
			tracers[i] = open_toggle("all");
			if (tracers[i] < 0 || toggle(tracers[i], "on"))
				reason = "no tracers of all functions";
		}
		cost_begin(&on, TRACED, NULL);
		err = attach_all(progs, nr, pairs, links, &attached);
		cost_end(&on);
		if (err) {
			snprintf(buf, sizeof(buf), "attach: %s",
				 error_text(err));
			reason = buf;
		}
		cost_begin(&off, TRACED, &on);
		for (i = 0; i < attached; i++)
			close(links[i]);
		cost_end(&off);
	}
	for (i = 0; i < 2; i++) {
		if (tracers[i] >= 0)
			close(tracers[i]);
	}
	print_cost_row(name, wanted, traced ? wanted : 0, &on, &off, "unsupported",
		       reason);
	for (i = 0; i < nr; i++) {
		close(progs[i][0]);
		if (pairs)
			close(progs[i][1]);
	}
	return off.elapsed;
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
		cost_begin(&on, TRACED, NULL);
		link = bpf_link_create(prog, 0, BPF_TRACE_KPROBE_MULTI, &opts);
		cost_end(&on);
		if (link < 0) {
			snprintf(buf, sizeof(buf), "attach: %s", error_text(link));
			reason = buf;
		} else {
			cost_begin(&off, TRACED, &on);
			close(link);
			cost_end(&off);
		}
	}
	print_cost_row(name, wanted, 0, &on, &off, status, reason);
	if (prog >= 0)
		close(prog);
}

/* As many kprobes, with the program on each of them */
static long long cost_single(int wanted, bool ret)
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
		cost_begin(&on, KPROBES, NULL);
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
		cost_begin(&off, KPROBES, &on);
		for (i = 0; i < opened; i++)
			close(fds[i]);
		cost_end(&off);
	}
	print_cost_row(name, wanted, 0, &on, &off, status, reason);
	if (prog >= 0)
		close(prog);
	free(text);
	return off.elapsed;
}

/* Programs, kprobes and links of programs to many functions */
static void cost_attach(int most)
{
	long long off = 0;
	int n;

	for (n = 1; n <= most; n *= 10) {
		cost_multi(n, false);
		cost_multi(n, true);
	}
	/*
	 * Where detaching waits for all CPUs, one time for each, not when they are busy.
	 * That takes a hundred times as long as what does not wait.
	 */
	for (n = 1; n <= most && !(stall.running && off > n * 100000LL); n *= 10) {
		off = cost_single(n, false);
		off += cost_single(n, true);
		off += cost_programs(n, false, false);
		off += cost_programs(n, true, false);
	}
	if (!stall.running)
		cost_programs(1, false, true);
}

/* @what: "bpf", "perf", "full" for so many programs and tracers that it takes long, or "" */
int run_cost(const char *what)
{
	static const char * const functions[] = { "1", "100", "1000", "all" };
	bool full = !strcmp(what, "full");
	unsigned int i;

	if (access(BENCH "toggle", W_OK)) {
		fprintf(stderr, "bpf_bench: " BENCH
			"toggle: %s (load the module ftrace_bench first)\n",
			strerror(errno));
		return 1;
	}
	printf("[\n");
	if (!strcmp(what, "perf")) {
		cost_perf();
		goto out;
	}
	start_stall(&stall);
	if (strcmp(what, "bpf")) {
		for (i = 0; i < ARRAY_SIZE(functions); i++)
			cost_functions(functions[i], 0);
		cost_functions("all", 50);
		cost_tracers(stall.running ? 2 : full ? MAX_TRACERS : 16);
		if (!stall.running) {
			cost_perf();
			cost_flushes("flushes-all", FLUSH);
#ifdef __riscv
			/* Has all processors fetch instructions anew, by fence.i */
			cost_flushes("flushes-icache-all", "flush_icache_all");
#endif
		}
	}
	cost_attach(full ? MAX_PROGS : 100);
	stop_stall(&stall);
out:
	printf("\n]\n");
	return 0;
}
