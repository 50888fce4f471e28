// SPDX-License-Identifier: GPL-2.0
/* Files, symbols, names of functions: for the tests and the benchmark. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/perf_event.h>

#include "util.h"

const char *error_text(int err)
{
	static char buf[64];

	err = err < 0 ? -err : err;
	if (err == ENOTSUPP)
		return "error 524 (ENOTSUPP)";
	snprintf(buf, sizeof(buf), "error %d (%s)", err, strerror(err));
	return buf;
}

int write_file(const char *path, const char *text)
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
char *read_file(const char *path)
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

long long read_number(const char *path)
{
	char *text = read_file(path);
	long long value = text ? (long long)strtoull(text, NULL, 0) : -1;

	free(text);
	return value;
}

/* What is read cannot always be written: comments, and the module of a function */
static void make_writable(char *text)
{
	char *from = text, *to = text;
	bool line = true;

	while (*from) {
		if ((line && *from == '#') || !strncmp(from, " [", 2)) {
			from += strcspn(from, "\n");
			continue;
		}
		line = *from == '\n';
		*to++ = *from++;
	}
	*to = '\0';
}

/* Whoever puts it back is told by the end of the pipe, also if we get killed. */
struct kept keep_file(const char *path)
{
	struct kept kept = { .pid = -1, .fd = -1 };
	char *text = read_file(path), byte;
	int fds[2];

	if (!text)
		return kept;
	make_writable(text);
	if (!pipe(fds)) {
		kept.fd = fds[1];
		kept.pid = fork();
		if (!kept.pid) {
			setsid();
			/* Keep no links of programs. */
			dup2(fds[0], STDIN_FILENO);
			close_range(STDERR_FILENO + 1, ~0U, 0);
			while (read(STDIN_FILENO, &byte, 1) > 0)
				;
			_exit(write_file(path, text) ? 1 : 0);
		}
		close(fds[0]);
	}
	free(text);
	return kept;
}

void restore_file(struct kept *kept)
{
	if (kept->fd < 0)
		return;
	close(kept->fd);
	waitpid(kept->pid, NULL, 0);
	kept->fd = -1;
}

void sleep_ms(int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

/* 0, or an error */
int prog_info(const struct bpf_program *prog, struct bpf_prog_info *info)
{
	__u32 len = sizeof(*info);

	memset(info, 0, len);
	return bpf_obj_get_info_by_fd(bpf_program__fd(prog), info, &len);
}

long long run_count(const struct bpf_program *prog)
{
	struct bpf_prog_info info;

	return prog_info(prog, &info) ? -1 : info.run_cnt;
}

/* How often a program was not run, as it ran already */
long long miss_count(const struct bpf_program *prog)
{
	struct bpf_prog_info info;

	return prog_info(prog, &info) ? -1 : info.recursion_misses;
}

static int print_libbpf(enum libbpf_print_level level, const char *fmt,
			va_list args)
{
	return vfprintf(stderr, fmt, args);
}

/* Have libbpf say what it does, or nothing. */
void print_libbpf_if(bool verbose)
{
	libbpf_set_print(verbose ? print_libbpf : NULL);
}

static struct symbol *known_symbols;

/* A module was loaded again. Names stay where they are. */
void forget_symbols(void)
{
	free(known_symbols);
	known_symbols = NULL;
}

/*
 * The lines of /proc/kallsyms, which is long and takes the kernel its time: read
 * once. Symbols of modules that come later are not among them.
 */
const struct symbol *all_symbols(unsigned int *nr)
{
	static unsigned int count;
	char *line, *tail, *save = NULL;
	unsigned int room = 0;

	if (!known_symbols)
		count = 0;
	line = known_symbols ? NULL : read_file("/proc/kallsyms");
	for (line = line ? strtok_r(line, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct symbol s = { .address = strtoull(line, &tail, 16) };

		/* A blank, the type, a blank, the name, and a tab in modules */
		if (strlen(tail) < 4)
			continue;
		s.name = tail + 3;
		tail = strchr(s.name, '\t');
		s.in_module = tail;
		if (tail)
			*tail = '\0';
		if (count == room) {
			struct symbol *more;

			room = room ? 2 * room : 65536;
			more = realloc(known_symbols, room * sizeof(*known_symbols));
			if (!more)
				break;
			known_symbols = more;
		}
		known_symbols[count++] = s;
	}
	*nr = count;
	return known_symbols;
}

/* 0 if there is no such symbol */
unsigned long long symbol_address(const char *name)
{
	const struct symbol *symbols;
	unsigned int i, nr;

	symbols = all_symbols(&nr);
	for (i = 0; i < nr; i++) {
		if (!strcmp(symbols[i].name, name))
			return symbols[i].address;
	}
	return 0;
}
/*
 * Names of functions of the kernel, no two of them the same. What they are does
 * not matter, but RCU may not be asked to watch itself.
 */
int many_names(char **text, const char **names, int wanted)
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
int unique_names(const char **names, unsigned long *addrs, int nr)
{
	unsigned char *seen = calloc(nr, 1);
	const struct symbol *symbols;
	unsigned int n, nr_symbols;
	int i, left = 0;

	qsort(names, nr, sizeof(*names), compare_names);
	symbols = all_symbols(&nr_symbols);
	for (n = 0; n < nr_symbols; n++) {
		const char **found;

		if (symbols[n].in_module)
			continue;
		found = bsearch(&symbols[n].name, names, nr, sizeof(*names),
				compare_names);
		if (!found)
			continue;
		i = found - names;
		seen[i] += seen[i] < 2;
		addrs[i] = symbols[n].address;
	}
	for (i = 0; i < nr; i++) {
		if (seen[i] != 1)
			continue;
		names[left] = names[i];
		addrs[left++] = addrs[i];
	}
	free(seen);
	return left;
}

/* A kprobe or, if @ret, a kretprobe on @function. @type is that of perf's kprobes. */
int open_kprobe(int type, const char *function, bool ret)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = ret,
		.config1 = (unsigned long)function,
	};

	return syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Without, whoever is busy in the kernel keeps all others from its processor. */
bool is_preemptible(void)
{
	char *version = read_file("/proc/version");
	bool is = version && strstr(version, " PREEMPT ");

	free(version);
	return is;
}
