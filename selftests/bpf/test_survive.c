// SPDX-License-Identifier: GPL-2.0
/*
 * Programs on any function: the verifier and the kernel may refuse one, but what
 * they let through must not harm the system, and has to see the calls.
 *
 * The names of the functions are from SURVIVE in the environment: "all", or a list
 * with commas between them, or by default a sample of 200, which SEED changes, and
 * those that trampolines and handlers call themselves. What was attached last goes
 * to the kernel's log, for the case that it is the last thing to be seen there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <linux/bpf.h>

#include "load.h"

#define GROUP	32
#define SAMPLE	200

/*
 * What the way to a program and back may call, in one configuration or another:
 * RCU, migration, preemption, references of trampolines, statistics; recursion
 * locks, nodes and kprobes for the handlers of fprobes; and what these call when
 * they have to wait for somebody or to wake somebody up.
 */
static const char * const path_functions[] = {
	"__bpf_prog_enter_recur", "__bpf_prog_exit_recur", "__bpf_prog_enter",
	"__bpf_prog_exit", "__bpf_tramp_enter", "__bpf_tramp_exit",
	"__rcu_read_lock", "__rcu_read_unlock", "rcu_read_unlock_special",
	"rcu_read_unlock_strict", "rcu_preempt_deferred_qs_irqrestore",
	"rcu_preempt_deferred_qs", "rcu_preempt_deferred_qs_handler",
	"rcu_qs", "rcu_note_context_switch", "rcu_report_exp_rdp",
	"rcu_report_unblock_qs_rnp", "rcu_is_watching", "rcu_read_unlock_trace_special",
	"rcu_read_lock_any_held", "rcu_read_lock_held", "debug_lockdep_rcu_enabled",
	"raise_softirq_irqoff", "__raise_softirq_irqoff", "wakeup_softirqd",
	"irq_work_queue_on", "irq_work_queue", "arch_irq_work_raise",
	"migrate_disable", "migrate_enable", "__set_cpus_allowed_ptr",
	"__set_cpus_allowed_ptr_locked", "preempt_count_add", "preempt_count_sub",
	"preempt_schedule", "preempt_schedule_notrace", "preempt_schedule_irq",
	"__preempt_schedule", "schedule", "__schedule", "__cond_resched",
	"__might_sleep", "__might_resched", "__might_fault", "in_lock_functions",
	"percpu_ref_switch_to_atomic_rcu", "call_rcu", "kvfree_call_rcu",
	"bpf_tramp_image_put", "bpf_tramp_image_release", "sched_clock",
	"bpf_prog_inc_misses_counter", "bpf_get_attach_cookie_trace",
	"bpf_get_attach_cookie_kprobe_multi", "array_map_lookup_elem",
	"kprobe_busy_begin", "kprobe_busy_end", "get_kprobe",
	"aggr_pre_handler", "opt_pre_handler", "kprobe_ftrace_handler",
	"trace_call_bpf", "free_rethook_node_rcu", "rethook_free_rcu",
	"refcount_warn_saturate", "ftrace_record_recursion",
	"unwind_next", "arch_stack_walk", "return_address",
	"do_idle", "cpu_startup_entry", "arch_cpu_idle", "default_idle_call",
	"__switch_to", "finish_task_switch", "do_exit", "make_task_dead",
	"do_group_exit", "do_task_dead", "kthread_exit",
};

enum { FENTRY, FEXIT, FMOD_RET, KINDS };

static const char * const kind_names[KINDS] = { "fentry", "fexit", "fmod_ret" };

static const enum bpf_attach_type kind_types[KINDS] = {
	BPF_TRACE_FENTRY, BPF_TRACE_FEXIT, BPF_MODIFY_RETURN
};

struct func {
	const char *name;
	unsigned long addr;
	int id;			/* in the kernel's BTF, or 0 */
	int prog[KINDS], link[KINDS];
};

/* A function of the kernel's BTF, for looking up many of them */
struct btf_func {
	const char *name;
	int id;
};

static unsigned long attached[KINDS], refused[KINDS], called[KINDS];
static unsigned long multi_attached, multi_refused;
/* Counts by number of the function in the group, for the entry and the return */
static int counters = -1;
/* How often each program of the group has run */
static int runs = -1;

/* Say it where it is seen even if nothing comes after. */
static void log_to_kernel(const char *text)
{
	int fd = open("/dev/kmsg", O_WRONLY);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		printf("# %s: no log\n", test_name);
	close(fd);
}

static pthread_mutex_t forking = PTHREAD_MUTEX_INITIALIZER;

/* The system's work: what a shell and its commands do. */
static void work_once(void)
{
	char name[] = P_tmpdir "/survive-XXXXXX";
	char buf[256];
	int fds[2], fd;
	void *page;
	pid_t pid;

	fd = open("/proc/self/stat", O_RDONLY);
	if (fd >= 0) {
		if (read(fd, buf, sizeof(buf)) < 0)
			buf[0] = '\0';
		close(fd);
	}
	if (!pipe(fds)) {
		if (write(fds[1], "x", 1) == 1 && read(fds[0], buf, 1) != 1)
			buf[0] = '\0';
		close(fds[0]);
		close(fds[1]);
	}
	if (!socketpair(AF_UNIX, SOCK_STREAM, 0, fds)) {
		if (write(fds[1], "x", 1) == 1 && read(fds[0], buf, 1) != 1)
			buf[0] = '\0';
		close(fds[0]);
		close(fds[1]);
	}
	page = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page != MAP_FAILED) {
		memset(page, 1, 65536);
		munmap(page, 65536);
	}
	fd = mkstemp(name);
	if (fd >= 0) {
		if (write(fd, buf, sizeof(buf)) < 0)
			buf[0] = '\0';
		close(fd);
		unlink(name);
	}
	/* A child has all links open as long as it lives. */
	pthread_mutex_lock(&forking);
	pid = fork();
	if (!pid)
		_exit(0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	pthread_mutex_unlock(&forking);
}

static atomic_bool stop_work;

static void *work_thread(void *arg)
{
	while (!stop_work) {
		work_once();
		sleep_ms(1);
	}
	return NULL;
}

static int compare_btf_funcs(const void *a, const void *b)
{
	return strcmp(((const struct btf_func *)a)->name,
		      ((const struct btf_func *)b)->name);
}

/* The functions of the kernel's BTF, by name */
static struct btf_func *btf_funcs(const struct btf *btf, int *nr)
{
	int id, types = btf__type_cnt(btf), count = 0;
	struct btf_func *funcs = calloc(types, sizeof(*funcs));

	for (id = 1; funcs && id < types; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (btf_is_func(t)) {
			funcs[count].name = btf__name_by_offset(btf, t->name_off);
			funcs[count++].id = id;
		}
	}
	qsort(funcs, count, sizeof(*funcs), compare_btf_funcs);
	*nr = count;
	return funcs;
}

/* The last line of what the verifier says */
static const char *last_line(char *log)
{
	char *end = log + strlen(log), *line;

	while (end > log && end[-1] == '\n')
		*--end = '\0';
	/* It ends by how much it had to do. */
	line = strrchr(log, '\n');
	if (!strncmp(line ? line + 1 : log, "processed ", 10)) {
		*(line ?: log) = '\0';
		line = strrchr(log, '\n');
	}
	return line ? line + 1 : log;
}

static void refuse(const struct func *f, int kind, const char *step, int err,
		   const char *why)
{
	refused[kind]++;
	printf("# %s: no %s on %s: %s: %s%s%s\n", test_name, kind_names[kind],
	       f->name, step, error_text(err), *why ? ": " : "", why);
}

/* Attach a program that counts its runs, to the function of this number in its group. */
static void attach_one(struct func *f, int kind, int number)
{
	static char log[16384];
	const struct bpf_insn insns[] = {
		/* runs[kind][number]++ */
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_MAP_VALUE, .imm = runs },
		{ .imm = 8 * (kind * GROUP + number) },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_0, .imm = BPF_ADD },
		/* r0 = 0; exit */
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = kind_types[kind],
		    .attach_btf_id = f->id);
	int err;

	f->prog[kind] = bpf_prog_load(BPF_PROG_TYPE_TRACING, "survive", "GPL",
				      insns, ARRAY_SIZE(insns), &opts);
	if (f->prog[kind] < 0) {
		err = f->prog[kind];
		/* Once more for the reason */
		log[0] = '\0';
		opts.log_level = 1;
		opts.log_buf = log;
		opts.log_size = sizeof(log);
		f->prog[kind] = bpf_prog_load(BPF_PROG_TYPE_TRACING, "survive",
					      "GPL", insns, ARRAY_SIZE(insns),
					      &opts);
		if (f->prog[kind] < 0) {
			/* That is for few functions, which are marked. */
			if (kind == FMOD_RET)
				refused[kind]++;
			else
				refuse(f, kind, "load", err, last_line(log));
			return;
		}
	}
	f->link[kind] = bpf_raw_tracepoint_open(NULL, f->prog[kind]);
	if (f->link[kind] >= 0)
		attached[kind]++;
	else
		refuse(f, kind, "attach", f->link[kind], "");
}

/* How often a program would have run, but was not to */
static unsigned long long times_missed(int prog)
{
	struct bpf_prog_info info = { };
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(prog, &info, &len))
		return 0;
	return info.recursion_misses;
}

/*
 * A program which counts the calls of the functions of its link, by their cookies:
 * what there is to see for programs that were attached before.
 */
static int load_counter(int offset)
{
	const struct bpf_insn insns[] = {
		/* key = bpf_get_attach_cookie(ctx) + offset */
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_attach_cookie },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_0, .imm = offset },
		{ .code = BPF_STX | BPF_MEM | BPF_W, .dst_reg = BPF_REG_10,
		  .src_reg = BPF_REG_0, .off = -4 },
		/* value = bpf_map_lookup_elem(counters, &key) */
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_MAP_FD, .imm = counters },
		{ },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2,
		  .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -4 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_map_lookup_elem },
		/* if (value) (*value)++ */
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .off = 2 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = 1 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_0,
		  .src_reg = BPF_REG_1, .imm = BPF_ADD },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = BPF_TRACE_KPROBE_MULTI);

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "counter", "GPL", insns,
			     ARRAY_SIZE(insns), &opts);
}

/*
 * Attach @prog to @nr functions. Where that is refused to all of them together,
 * halve them until it is known which ones it is refused for.
 */
static int attach_multi_to(int prog, bool ret, const struct func *funcs,
			   int first, int nr, int *links, int nr_links)
{
	unsigned long addrs[GROUP];
	__u64 cookies[GROUP];
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		    .kprobe_multi.flags = ret ? BPF_F_KPROBE_MULTI_RETURN : 0,
		    .kprobe_multi.addrs = addrs,
		    .kprobe_multi.cookies = cookies,
		    .kprobe_multi.cnt = nr);
	int i, link;

	for (i = 0; i < nr; i++) {
		addrs[i] = funcs[first + i].addr;
		cookies[i] = first + i;
	}
	link = bpf_link_create(prog, 0, BPF_TRACE_KPROBE_MULTI, &opts);
	if (link >= 0) {
		links[nr_links++] = link;
		multi_attached += nr;
	} else if (nr == 1) {
		multi_refused++;
		printf("# %s: no %s.multi on %s: %s\n", test_name,
		       ret ? "kretprobe" : "kprobe", funcs[first].name,
		       error_text(link));
	} else {
		nr_links = attach_multi_to(prog, ret, funcs, first, nr / 2,
					   links, nr_links);
		nr_links = attach_multi_to(prog, ret, funcs, first + nr / 2,
					   nr - nr / 2, links, nr_links);
	}
	return nr_links;
}

static __u64 counted(int number)
{
	__u64 value = 0;

	if (bpf_map_lookup_elem(counters, &number, &value))
		fail("no counter %d", number);
	return value;
}

static void set_counters_to_zero(void)
{
	static const __u64 zero[KINDS * GROUP];
	int i;

	for (i = 0; i < 2 * GROUP; i++)
		bpf_map_update_elem(counters, &i, zero, BPF_ANY);
	i = 0;
	bpf_map_update_elem(runs, &i, zero, BPF_ANY);
}

static void survive_group(struct func *funcs, int nr, const int multi[2])
{
	int links[2 * GROUP], nr_links = 0, i, kind, key = 0;
	__u64 ran[KINDS * GROUP] = { };
	char text[128];

	snprintf(text, sizeof(text), "survive: %d functions, %s to %s\n", nr,
		 funcs[0].name, funcs[nr - 1].name);
	log_to_kernel(text);
	for (kind = 0; kind < KINDS; kind++) {
		for (i = 0; i < nr; i++) {
			funcs[i].prog[kind] = funcs[i].link[kind] = -1;
			if (funcs[i].id)
				attach_one(&funcs[i], kind, i);
			else
				refused[kind]++;
		}
	}
	/* Who is attached last sees nothing that those before did not. */
	set_counters_to_zero();
	nr_links = attach_multi_to(multi[0], false, funcs, 0, nr, links, 0);
	nr_links = attach_multi_to(multi[1], true, funcs, 0, nr, links, nr_links);
	for (i = 0; i < 3; i++)
		work_once();
	pthread_mutex_lock(&forking);
	for (i = 0; i < nr_links; i++)
		close(links[i]);
	pthread_mutex_unlock(&forking);

	if (bpf_map_lookup_elem(runs, &key, ran))
		fail("no counters of runs");
	for (i = 0; i < nr; i++) {
		struct func *f = &funcs[i];

		for (kind = 0; kind < KINDS; kind++) {
			bool at_return = kind == FEXIT;
			__u64 least;

			if (f->link[kind] < 0)
				continue;
			least = counted(i + at_return * GROUP);
			if (!least)
				continue;
			called[kind]++;
			if (sabotage || (!ran[kind * GROUP + i] &&
					 !times_missed(f->prog[kind])))
				fail("%s of %s has not run in %llu calls",
				     kind_names[kind], f->name,
				     (unsigned long long)least);
		}
	}
	for (kind = 0; kind < KINDS; kind++) {
		for (i = 0; i < nr; i++) {
			if (funcs[i].link[kind] >= 0)
				close(funcs[i].link[kind]);
			if (funcs[i].prog[kind] >= 0)
				close(funcs[i].prog[kind]);
		}
	}
	for (i = 0; i < 3; i++)
		work_once();
}

/* All functions of the kernel which ftrace knows, by name; how many */
static int all_functions(char **text, const char ***names, unsigned long **addrs)
{
	char *name, *save = NULL;
	int nr = 0, room = 0;

	*names = NULL;
	*text = read_file(TRACING "available_filter_functions");
	for (name = *text ? strtok_r(*text, "\n", &save) : NULL; name;
	     name = strtok_r(NULL, "\n", &save)) {
		if (strchr(name, ' ') || strchr(name, '\t') ||
		    !strncmp(name, "__ftrace_invalid_address__", 26))
			continue;
		if (nr == room) {
			room = room ? 2 * room : 16384;
			*names = realloc(*names, room * sizeof(**names));
			if (!*names)
				return 0;
		}
		(*names)[nr++] = name;
	}
	*addrs = calloc(nr + 1, sizeof(**addrs));
	return *addrs ? unique_names(*names, *addrs, nr) : 0;
}

static bool on_the_path(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(path_functions); i++) {
		if (!strcmp(name, path_functions[i]))
			return true;
	}
	return false;
}

static bool in_list(const char *list, const char *name)
{
	size_t len = strlen(name);
	const char *at;

	for (at = strstr(list, name); at; at = strstr(at + 1, name)) {
		if ((at == list || at[-1] == ',') && (!at[len] || at[len] == ','))
			return true;
	}
	return false;
}

/* Keep the functions that are wanted, in @names and @addrs. */
static int choose(const char **names, unsigned long *addrs, int nr)
{
	const char *which = getenv("SURVIVE"), *seed = getenv("SEED");
	unsigned int i, left = 0, want = SAMPLE, chosen = 0;

	if (which && !strcmp(which, "all"))
		return nr;
	srandom(seed ? atoi(seed) : 1);
	for (i = 0; i < (unsigned int)nr; i++) {
		bool take;

		if (which) {
			take = in_list(which, names[i]);
		} else {
			/* Each of those that are left has the same chance. */
			take = random() % (nr - i) < want - chosen;
			chosen += take;
			take |= on_the_path(names[i]);
		}
		if (take) {
			names[left] = names[i];
			addrs[left++] = addrs[i];
		}
	}
	return left;
}

/* Can a program for @name be loaded? It is not attached. */
static int try_load(const struct btf *btf, const char *name, int kind)
{
	/* r0 = 0; exit */
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = kind_types[kind],
		    .attach_btf_id = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC));
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "refused", "GPL", insns,
			       ARRAY_SIZE(insns), &opts);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* What would call itself is refused, and who would never be called. */
TEST(refused)
{
	static const char * const own[] = {
		"__rcu_read_lock", "__rcu_read_unlock", "rcu_read_unlock_special",
		"rcu_read_unlock_strict", "migrate_disable", "migrate_enable",
	};
	static const char * const noreturn[] = {
		"do_exit", "do_group_exit", "do_task_dead", "kthread_exit",
		"kthread_complete_and_exit", "make_task_dead", "kthread",
		"cpu_startup_entry",
		/* exit() and exit_group(), as the architectures have them */
		"__arm64_sys_exit", "__arm64_sys_exit_group",
		"__se_sys_exit", "__se_sys_exit_group", "sys_exit", "sys_exit_group",
		"__x64_sys_exit", "__x64_sys_exit_group",
	};
	static const char * const ends[] = {
		/* Where threads of io_uring end, and a CPU, or begins and then is idle */
		"io_sq_thread", "io_wqe_worker",
#if defined(__aarch64__)
		"cpu_die",
#elif defined(__riscv)
		"smp_callin",
#elif defined(__powerpc64__)
		"start_secondary",
#endif
		"arch_cpu_idle_dead",
	};
	struct btf *btf = btf__load_vmlinux_btf();
	unsigned int i, tried = 0, calls = 0;
	char what[80];
	int injected;

	if (!btf || libbpf_get_error(btf)) {
		skip("no BTF");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(own); i++) {
		/* Not in every configuration a function */
		if (btf__find_by_name_kind(btf, own[i], BTF_KIND_FUNC) < 0)
			continue;
		tried++;
		snprintf(what, sizeof(what), "fentry on %s", own[i]);
		expect(what, try_load(btf, own[i], FENTRY), -EINVAL + sabotage);
		snprintf(what, sizeof(what), "fexit on %s", own[i]);
		expect(what, try_load(btf, own[i], FEXIT), -EINVAL);
	}
	expect("any function of a trampoline", tried > 0, 1);
	/* Of what errors can be injected into, system calls are a part. */
	injected = try_load(btf, "bpf_modify_return_test", FMOD_RET);
	for (i = 0; i < ARRAY_SIZE(noreturn); i++) {
		if (strstr(noreturn[i], "sys_exit")) {
			if (btf__find_by_name_kind(btf, noreturn[i], BTF_KIND_FUNC) < 0)
				continue;
			calls++;
			/* It can keep a task from ending. */
			snprintf(what, sizeof(what), "fmod_ret on %s", noreturn[i]);
			expect(what, try_load(btf, noreturn[i], FMOD_RET), injected);
		}
		snprintf(what, sizeof(what), "fentry on %s", noreturn[i]);
		expect(what, try_load(btf, noreturn[i], FENTRY), 0);
		snprintf(what, sizeof(what), "fexit on %s", noreturn[i]);
		expect(what, try_load(btf, noreturn[i], FEXIT), -EINVAL);
	}
	expect("exit() and exit_group()", calls, 2);
	for (i = 0, tried = 0; i < ARRAY_SIZE(ends); i++) {
		/* Not without io_uring, with one CPU, or where none can go off line */
		if (btf__find_by_name_kind(btf, ends[i], BTF_KIND_FUNC) < 0)
			continue;
		tried++;
		snprintf(what, sizeof(what), "fexit on %s", ends[i]);
		expect(what, try_load(btf, ends[i], FEXIT), -EINVAL);
	}
	expect("any function where threads and CPUs end", tried > 0, 1);
	/* A task that ends comes back from others that it calls. */
	expect("fexit on exit_files", try_load(btf, "exit_files", FEXIT), 0);
	btf__free(btf);
}

TEST(survive)
{
	int nr, nr_btf, i, stats, multi[2] = { -1, -1 };
	struct rlimit limit = { 4096, 4096 };
	struct btf_func *known = NULL;
	unsigned long *addrs = NULL;
	const char **names = NULL;
	struct func *funcs = NULL;
	char *text = NULL;
	pthread_t worker;
	struct btf *btf;

	setrlimit(RLIMIT_NOFILE, &limit);
	btf = btf__load_vmlinux_btf();
	if (!btf || libbpf_get_error(btf)) {
		skip("no BTF");
		return;
	}
	counters = bpf_map_create(BPF_MAP_TYPE_ARRAY, "counters", 4, 8, 2 * GROUP, NULL);
	runs = bpf_map_create(BPF_MAP_TYPE_ARRAY, "runs", 4, 8 * KINDS * GROUP, 1, NULL);
	if (counters >= 0) {
		multi[0] = load_counter(0);
		multi[1] = load_counter(GROUP);
	}
	/* Then the clock is on the path, too. */
	stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (!expect("load programs that count", multi[0] >= 0 && multi[1] >= 0, 1) ||
	    !expect("a map for programs", runs >= 0, 1) ||
	    !expect("enable statistics", stats >= 0, 1))
		goto out;

	nr = all_functions(&text, &names, &addrs);
	nr = choose(names, addrs, nr);
	known = btf_funcs(btf, &nr_btf);
	funcs = calloc(nr + 1, sizeof(*funcs));
	if (!expect("any functions", nr > 0 && known && funcs, 1))
		goto out;
	for (i = 0; i < nr; i++) {
		struct btf_func key = { .name = names[i] }, *found;

		found = bsearch(&key, known, nr_btf, sizeof(key), compare_btf_funcs);
		funcs[i].name = names[i];
		funcs[i].addr = addrs[i];
		funcs[i].id = found ? found->id : 0;
	}

	stop_work = false;
	if (!expect("start a thread",
		    pthread_create(&worker, NULL, work_thread, NULL), 0))
		goto out;
	for (i = 0; i < nr; i += GROUP)
		survive_group(&funcs[i], nr - i < GROUP ? nr - i : GROUP, multi);
	stop_work = true;
	pthread_join(worker, NULL);

	for (i = 0; i < KINDS; i++)
		printf("# %s: %s: %lu of %d functions, %lu of them called, %lu refused\n",
		       test_name, kind_names[i], attached[i], nr, called[i], refused[i]);
	printf("# %s: kprobe.multi and kretprobe.multi: %lu of %d, %lu refused\n",
	       test_name, multi_attached, 2 * nr, multi_refused);
	expect("any fentry", attached[FENTRY] > 0, 1);
	/* Functions that work_once() calls are among these, unless they are few. */
	if (nr > SAMPLE) {
		expect("any fentry called", called[FENTRY] > 0, 1);
		expect("any fexit called", called[FEXIT] > 0, 1);
	}
out:
	close(stats);
	close(multi[0]);
	close(multi[1]);
	close(counters);
	close(runs);
	free(funcs);
	free(known);
	free(addrs);
	free(names);
	free(text);
	btf__free(btf);
}
