// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How fast the mapping algorithms are: CPU time of this process, best of a few rounds. Exit status 1 when a figure is
 * beyond its limit.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "map/map.h"
#include "../tests/vectors/mkmachine.h"

#define ROUNDS 5
#define SWEEP_LIMIT_MS 200.0
#define SINGLE_LIMIT_MS 5.0
#define RATE_MS 50

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static long peak_kb(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

static void die(const char *what)
{
	fprintf(stderr, "bench-maps: %s\n", what);
	exit(2);
}

/* Milliseconds for every count first..last under algorithm a, or under all of family map for NULL. */
static double time_counts(const struct qm_topology *t, const struct qm_algo *only, unsigned first, unsigned last)
{
	static int32_t map[QM_CPU_MAX];
	double best = 1e9;

	for (unsigned round = 0; round < ROUNDS; round++) {
		double start = now_ms(), took;
		const struct qm_algo *a;
		struct qm_mapper *m;

		if (qm_mapper_new(t, &m) < 0)
			die("machine refused");
		for (size_t i = 0; (a = qm_algo_get(i)); i++) {
			if (a->family != QM_FAMILY_MAP || (only && a != only))
				continue;
			for (unsigned q = first; q <= last; q++) {
				if (qm_map_run(m, a, q, NULL, map, NULL) < 0)
					die("count refused");
			}
		}
		qm_mapper_free(m);
		took = now_ms() - start;
		if (took < best)
			best = took;
	}
	return best;
}

static int bench_sweep(void)
{
	struct qm_topology t;
	long before, after;
	double all;

	if (make_machine(16, 32, 2, &t) < 0)
		die("no memory");
	time_counts(&t, NULL, 1, 1);
	before = peak_kb();
	all = time_counts(&t, NULL, 1, 1024);
	after = peak_kb();
	printf("1024 CPUs, 16 nodes, counts 1..1024, all algorithms: %.1f ms (limit %.0f), %ld KiB more memory than for one\n",
	       all, SWEEP_LIMIT_MS, after - before);
	for (size_t i = 0; qm_algo_get(i) && qm_algo_get(i)->family == QM_FAMILY_MAP; i++)
		printf("    %-12s %8.2f ms\n", qm_algo_get(i)->id, time_counts(&t, qm_algo_get(i), 1, 1024));
	qm_topology_done(&t);
	return all > SWEEP_LIMIT_MS;
}

static int bench_single(void)
{
	struct qm_topology t;
	double worst = 0;

	if (make_machine(16, 256, 2, &t) < 0)
		die("no memory");
	for (size_t i = 0; qm_algo_get(i) && qm_algo_get(i)->family == QM_FAMILY_MAP; i++) {
		double one = time_counts(&t, qm_algo_get(i), 8192, 8192);

		worst = one > worst ? one : worst;
	}
	qm_topology_done(&t);
	printf("8192 CPUs, 8192 queues, one map with the machine's preparation: %.2f ms (limit %.0f)\n", worst,
	       SINGLE_LIMIT_MS);
	return worst > SINGLE_LIMIT_MS;
}

static void bench_growth(void)
{
	printf("growth, all algorithms, as many queues as CPUs, with the preparation:\n");
	for (unsigned n = 512; n <= 8192; n *= 2) {
		struct qm_topology t;
		double ms;

		if (make_machine(16, n / 32, 2, &t) < 0)
			die("no memory");
		ms = time_counts(&t, NULL, n, n);
		printf("    %5u CPUs %8.3f ms %8.1f ns per CPU\n", n, ms, ms * 1e6 / n);
		qm_topology_done(&t);
	}
}

/* Maps per second of one algorithm, for 16 counts up to one queue per CPU, over and over, with the preparation each time. */
static double map_rate(const struct qm_topology *t, const struct qm_algo *a)
{
	static int32_t map[QM_CPU_MAX];
	double start = now_ms(), took;
	unsigned long n = 0;

	do {
		struct qm_mapper *m;

		if (qm_mapper_new(t, &m) < 0)
			die("machine refused");
		for (unsigned i = 1; i <= 16; i++, n++) {
			if (qm_map_run(m, a, t->nr_cpus * i / 16, NULL, map, NULL) < 0)
				die("count refused");
		}
		qm_mapper_free(m);
		took = now_ms() - start;
	} while (took < RATE_MS);
	return (double)n * 1e3 / took;
}

static void bench_rates(void)
{
	static const unsigned nodes[] = { 2, 16, 16 }, cpus[] = { 64, 1024, 8192 };
	struct qm_topology t[3];

	printf("\nMaps per second, each algorithm on machines of 2, 16 and 16 nodes:\n\n"
	       "| since | 64 CPUs | 1,024 CPUs | 8,192 CPUs |\n"
	       "| --- | ---: | ---: | ---: |\n");
	for (size_t s = 0; s < 3; s++) {
		if (make_machine(nodes[s], cpus[s] / nodes[s] / 2, 2, &t[s]) < 0)
			die("no memory");
	}
	for (size_t i = 0; qm_algo_get(i) && qm_algo_get(i)->family == QM_FAMILY_MAP; i++) {
		printf("| `%s` |", qm_algo_get(i)->id);
		for (size_t s = 0; s < 3; s++)
			printf(" %.0f |", map_rate(&t[s], qm_algo_get(i)));
		printf("\n");
	}
	for (size_t s = 0; s < 3; s++)
		qm_topology_done(&t[s]);
}

int main(void)
{
	int over;

	/* Memory is kept between the rounds: how fast the kernel gives pages anew is not asked. */
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	over = bench_sweep();
	over |= bench_single();
	bench_growth();
	bench_rates();
	return over;
}
