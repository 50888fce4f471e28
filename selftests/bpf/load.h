/* SPDX-License-Identifier: GPL-2.0 */
/* Load the programs in test.bpf.c, attach them, and call what they trace. */
#ifndef LOAD_H
#define LOAD_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "runner.h"
#include "test.skel.h"
#include "util.h"

#define TRACEES		"/sys/module/ftrace_tracees/parameters/"
#define FAILING		"/sys/module/ftrace_failing/"

struct test_bpf *load_tests(const char *names);
struct test_bpf *load_onto(const struct bpf_program *target,
			   const char *function, const char *names);
bool attach_tests(struct test_bpf *skel);
struct test_bpf *attached_tests(const char *names);

__u32 test_run(const struct bpf_program *prog);
__u32 packet_run(const struct bpf_program *prog);
unsigned int calls_of(const char *func, unsigned int runs);
bool have_injection(void);
bool have_lsm(void);
bool have_tracees(void);
pid_t begin_failing(const char *params);
int module_references(void);
int call_unwatched(int times);

char *traced(void);
void expect_traced(const char *what, const char *before);

/* The grace periods are those of all tasks: a system at work takes its time. */
#define FREE_MS		60000

int count_programs(void);
void expect_freed(const char *what, int programs);

int open_fail(void);
void fail_nth(int fd, int nth);
bool has_failed(int fd);

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

bool start_runner(struct runner *r, const struct bpf_program *prog,
		  unsigned int nap);
void stop_runner(struct runner *r);

pid_t start_reader(unsigned int seconds);

/* A task which sleeps in nanosleep() from let_sleep() to wake_sleeper() */
struct sleeper {
	pthread_t thread;
	atomic_uint tid;
	atomic_bool go;
	int error;
};

bool start_sleeper(struct sleeper *s);
bool let_sleep(struct sleeper *s);
void wake_sleeper(struct sleeper *s);

__u32 program_id(const struct bpf_program *prog);
bool program_exists(__u32 id);

#endif
