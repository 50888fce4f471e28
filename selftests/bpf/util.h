/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests and the benchmark have in common */
#ifndef UTIL_H
#define UTIL_H

#include <bpf/libbpf.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* What the kernel says when a function cannot be attached to. Not in libc. */
#ifndef ENOTSUPP
#define ENOTSUPP	524
#endif

#define BENCH		"/sys/kernel/debug/ftrace_bench/"
#define TRACING		"/sys/kernel/tracing/"

/* The functions that many_names() is asked for */
#define MANY		1000

const char *error_text(int err);
int write_file(const char *path, const char *text);
char *read_file(const char *path);
long long read_number(const char *path);
void sleep_ms(int ms);
int prog_info(const struct bpf_program *prog, struct bpf_prog_info *info);
long long run_count(const struct bpf_program *prog);
long long miss_count(const struct bpf_program *prog);
void print_libbpf_if(bool verbose);

/* A file that is put back when restore_file() says so, or this process is gone */
struct kept {
	pid_t pid;
	int fd;
};

struct kept keep_file(const char *path);
void restore_file(struct kept *kept);

/* A line of /proc/kallsyms */
struct symbol {
	unsigned long long address;
	const char *name;
	bool in_module;
};

const struct symbol *all_symbols(unsigned int *nr);
void forget_symbols(void);
unsigned long long symbol_address(const char *name);
int many_names(char **text, const char **names, int wanted);
int unique_names(const char **names, unsigned long *addrs, int nr);
int open_kprobe(int type, const char *function, bool ret);
bool is_preemptible(void);

#endif
