// SPDX-License-Identifier: GPL-2.0
/*
 * Run a command with a file as its descriptor 3 which has been looked up, but not
 * been opened: /proc/self/fd/3 opens it later, even if it has no name any more.
 *
 * Usage: open_path FILE COMMAND [ARGUMENT...]
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd;

	if (argc < 3) {
		fprintf(stderr, "usage: open_path FILE COMMAND [ARGUMENT...]\n");
		return 2;
	}
	fd = open(argv[1], O_PATH);
	if (fd < 0 || dup2(fd, 3) < 0) {
		perror(argv[1]);
		return 2;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
