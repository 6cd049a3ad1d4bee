// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rusage RUNS COMMAND [ARGS]: runs a command so often with its output thrown away, and prints a line for each run: user+sys
 * time and wall time in microseconds, peak memory in KiB, exit status. A small program of its own, since a child's peak
 * memory begins with that of its parent.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int run(char **argv)
{
	long start = now_us();
	struct rusage u;
	int status;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		return -1;
	if (pid == 0) {
		int fd = open("/dev/null", O_RDWR);

		dup2(fd, 0);
		dup2(fd, 1);
		dup2(fd, 2);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &u) != pid)
		return -1;
	printf("%ld %ld %ld %d\n",
	       (long)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 + u.ru_utime.tv_usec + u.ru_stime.tv_usec,
	       now_us() - start, u.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	fflush(stdout);
	return 0;
}

int main(int argc, char **argv)
{
	long runs = argc > 2 ? strtol(argv[1], NULL, 10) : 0;

	if (runs <= 0) {
		fprintf(stderr, "usage: rusage RUNS COMMAND [ARGS]\n");
		return 2;
	}
	for (long i = 0; i < runs; i++) {
		if (run(argv + 2) < 0) {
			perror("rusage");
			return 1;
		}
	}
	return 0;
}
