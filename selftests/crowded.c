// SPDX-License-Identifier: GPL-2.0
/*
 * Run a command on one processor together with a real-time task, which preempts
 * it every millisecond, wherever it is, and for longer than a grace period of
 * RCU takes.
 *
 * Usage: crowded CPU COMMAND [ARGUMENT...]
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SLEEP_NS	1000000LL
#define SPIN_NS		300000000LL

static pid_t child;

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Ends both: what the command started is in its process group. */
static void end(int sig)
{
	kill(-child, SIGKILL);
	_exit(128 + sig);
}

int main(int argc, char **argv)
{
	const struct timespec nap = { .tv_nsec = SLEEP_NS };
	struct sched_param param = { .sched_priority = 1 };
	long long until;
	cpu_set_t cpus;
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: crowded CPU COMMAND [ARGUMENT...]\n");
		return 2;
	}
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[1]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
		perror("sched_setaffinity");
		return 2;
	}
	child = fork();
	if (child < 0) {
		perror("fork");
		return 2;
	}
	if (!child) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	setpgid(child, child);
	signal(SIGTERM, end);
	signal(SIGINT, end);
	if (sched_setscheduler(0, SCHED_FIFO, &param)) {
		perror("sched_setscheduler");
		kill(-child, SIGKILL);
		return 2;
	}
	while (!waitpid(child, &status, WNOHANG)) {
		nanosleep(&nap, NULL);
		until = now() + SPIN_NS;
		while (now() < until)
			;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
