// SPDX-License-Identifier: GPL-2.0
/*
 * Count the calls of a function by perf's event ftrace:function on all processors
 * while a command runs, as perf stat -a -e ftrace:function would do.
 *
 * Usage: perf_function FUNCTION COMMAND [ARGUMENT...]
 *
 * Prints the sum of all processors. One event is opened for each of them, which is
 * one ftrace_ops each.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ID_FILE "/sys/kernel/tracing/events/ftrace/function/id"

static int open_event(int id, int cpu, const char *filter)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_TRACEPOINT,
		.size		= sizeof(attr),
		.config		= id,
		.disabled	= 1,
	};
	int fd;

	fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);
	/* No processor, or one that is off line. */
	if (fd < 0 && errno == ENODEV)
		return -1;
	if (fd < 0) {
		perror("perf_event_open");
		exit(2);
	}
	if (ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) {
		perror("perf event");
		exit(2);
	}
	return fd;
}

int main(int argc, char **argv)
{
	int nr = sysconf(_SC_NPROCESSORS_CONF), id, cpu, status, *fds;
	uint64_t count, sum = 0;
	char filter[256];
	pid_t child;
	FILE *f;

	if (argc < 3) {
		fprintf(stderr, "usage: perf_function FUNCTION COMMAND...\n");
		return 2;
	}
	f = fopen(ID_FILE, "r");
	if (!f || fscanf(f, "%d", &id) != 1) {
		perror(ID_FILE);
		return 4;
	}
	fclose(f);
	snprintf(filter, sizeof(filter), "ip == %s", argv[1]);
	fds = calloc(nr, sizeof(*fds));
	for (cpu = 0; cpu < nr; cpu++)
		fds[cpu] = open_event(id, cpu, filter);

	child = fork();
	if (child < 0) {
		perror("fork");
		return 2;
	}
	if (!child) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	waitpid(child, &status, 0);

	for (cpu = 0; cpu < nr; cpu++) {
		if (fds[cpu] < 0)
			continue;
		if (read(fds[cpu], &count, sizeof(count)) != sizeof(count)) {
			perror("read");
			return 2;
		}
		sum += count;
	}
	printf("%llu\n", (unsigned long long)sum);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
