// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-interrupts FILE: how fast a copy of /proc/interrupts is read, CPU time of this process, best of a few rounds, and how
 * much memory that takes. Exit status 1 when a figure is beyond its limit.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "machine/interrupts.h"

#define ROUNDS 20
#define SPEED_LIMIT 400.0 /* MB/s, at least */
#define MEMORY_LIMIT 1024 /* KiB, at most */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static long peak_kb(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

static int count_line(void *arg, const struct qm_interrupts_line *line)
{
	(void)line;
	++*(long *)arg;
	return 0;
}

int main(int argc, char **argv)
{
	_cleanup_close_ int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	double best = 1e9, mb;
	long lines = 0, before;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		fprintf(stderr, "usage: bench-interrupts FILE\n");
		return 2;
	}
	before = peak_kb();
	for (unsigned round = 0; round < ROUNDS; round++) {
		double start = now(), took;

		lines = 0;
		if (lseek(fd, 0, SEEK_SET) < 0 || qm_interrupts_parse(fd, count_line, &lines) < 0) {
			fprintf(stderr, "bench-interrupts: %s: cannot be read\n", argv[1]);
			return 2;
		}
		took = now() - start;
		best = took < best ? took : best;
	}
	mb = (double)st.st_size / 1e6;
	printf("%.1f MB, %ld interrupts: %.0f MB/s (at least %.0f), %ld KiB of memory (at most %d)\n", mb, lines, mb / best,
	       SPEED_LIMIT, peak_kb() - before, MEMORY_LIMIT);
	return mb / best < SPEED_LIMIT || peak_kb() - before > MEMORY_LIMIT;
}
