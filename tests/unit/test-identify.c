// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose map is this? Maps are made with an algorithm, told as a kernel tells them, and identified. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "map/identify.h"
#include "topo.h"

/* A machine with one controller. */
struct bench {
	struct qm_machine m;
	struct qm_controller c;
};

static void bench_init(struct bench *b, const struct topo_spec *spec, const char *release, const char *driver)
{
	memset(b, 0, sizeof(*b));
	topo_make(spec, &b->m.topo);
	if (release)
		assert_int_equal(qm_kernel_parse(release, &b->m.kernel), 0);
	b->c.driver = driver ? strdup(driver) : NULL;
	b->c.name = strdup("disk");
}

static void bench_done(struct bench *b)
{
	free(b->c.hctx);
	free(b->c.driver);
	free(b->c.name);
	free(b->c.syspath);
	b->c = (struct qm_controller){ 0 };
	qm_machine_done(&b->m);
}

/* n more queues of a type; their lists are empty, they are mapped. */
static struct qm_hctx *add_queues(struct bench *b, unsigned n, int type)
{
	struct qm_hctx *h = realloc(b->c.hctx, (b->c.n_hctx + n) * sizeof(*h));

	assert_non_null(h);
	b->c.hctx = h;
	h += b->c.n_hctx;
	for (unsigned i = 0; i < n; i++) {
		memset(&h[i], 0, sizeof(h[i]));
		h[i].id = (unsigned)b->c.n_hctx + i;
		h[i].type = type;
		h[i].cpus = &qm_cpuset_none;
		h[i].irq = h[i].tags = h[i].reserved_tags = -1;
	}
	b->c.n_hctx += n;
	return h;
}

static void with_cpu(struct qm_hctx *h, unsigned cpu)
{
	struct qm_cpuset told = *h->cpus;

	qm_cpuset_set(&told, cpu);
	h->cpus = topo_keep(&told);
}

/* What a kernel tells of a map: the CPUs in tell, queue by queue. */
static void tell_map(struct qm_hctx *h, unsigned n, const int32_t *map, const struct qm_cpuset *tell, bool keep_empty)
{
	int cpu;

	for (unsigned q = 0; q < n; q++)
		h[q].mapped = keep_empty;
	QM_CPUSET_FOREACH(cpu, tell) {
		with_cpu(&h[map[cpu]], (unsigned)cpu);
		h[map[cpu]].mapped = true;
	}
}

static void without_cpu(struct qm_hctx *h, unsigned cpu)
{
	struct qm_cpuset told = *h->cpus;

	qm_cpuset_clear(&told, cpu);
	h->cpus = topo_keep(&told);
}

/* Queues mapped by a generic mapper on the topology given. */
static void map_by(struct bench *b, const struct qm_topology *t, const char *id, unsigned n, int type)
{
	const struct qm_algo *a = qm_algo_find(QM_FAMILY_MAP, id);
	struct qm_hctx *h = add_queues(b, n, type);
	struct qm_mapper *mapper;
	int32_t *map = calloc(t->nr_cpus, sizeof(*map));

	assert_non_null(a);
	assert_int_equal(qm_mapper_new(t, &mapper), 0);
	assert_int_equal(qm_map_run(mapper, a, n, NULL, map, NULL), 0);
	tell_map(h, n, map, qm_era_listed_cpus(a, t), false);
	qm_mapper_free(mapper);
	free(map);
}

/* Sets of queues mapped by spread vectors; sets ends with 0. */
static void spread_by(struct bench *b, const struct qm_topology *t, const char *id, unsigned pre, const unsigned *sets)
{
	const struct qm_algo *a = qm_algo_find(QM_FAMILY_IRQ, id);
	struct qm_spread what = { .vectors = pre, .pre = pre };
	enum qm_spread_outcome outcome;
	struct qm_cpuset *masks;
	struct qm_mapper *mapper;
	unsigned v = pre;

	for (; sets[what.n_sets]; what.n_sets++) {
		what.sets[what.n_sets] = sets[what.n_sets];
		what.vectors += sets[what.n_sets];
	}
	if (what.n_sets == 1)
		what.n_sets = 0; /* all there is; old algorithms know no sets */
	masks = calloc(what.vectors, sizeof(*masks));
	assert_int_equal(qm_mapper_new(t, &mapper), 0);
	assert_int_equal(qm_spread_run(mapper, a, &what, masks, &outcome, NULL), 0);
	assert_int_equal(outcome, QM_SPREAD_OK);
	for (unsigned s = 0; sets[s]; s++) {
		struct qm_hctx *h = add_queues(b, sets[s], (int)s);

		for (unsigned q = 0; q < sets[s]; q++) {
			h[q].cpus = topo_keep(&masks[v++]);
			h[q].mapped = !qm_cpuset_is_empty(h[q].cpus);
		}
	}
	qm_mapper_free(mapper);
	free(masks);
}

static void identify(struct bench *b, struct qm_identity *id)
{
	struct qm_identifier *identifier;

	assert_int_equal(qm_identifier_new(&b->m, &identifier), 0);
	assert_int_equal(qm_identifier_run(identifier, &b->c, id), 0);
	qm_identifier_free(identifier);
}

static void assert_matches(const struct qm_identity *id, enum qm_family family, const char *want)
{
	struct qm_strbuf b = { 0 };

	for (size_t i = 0; i < id->n_matches; i++)
		qm_strbuf_addf(&b, "%s%s", i ? " " : "", id->matches[i]->id);
	assert_string_equal(qm_strbuf_str(&b), want);
	assert_int_equal(id->rule.family, family);
	qm_strbuf_done(&b);
}

static void assert_set(const struct qm_cpuset *s, const char *want)
{
	struct qm_strbuf b = { 0 };

	qm_cpuset_format(s, &b);
	assert_string_equal(qm_strbuf_str(&b), want);
	qm_strbuf_done(&b);
}

static char cores72[600];

/* 2 sockets x 18 cores x 2 threads, second threads numbered behind all first ones. */
static const struct topo_spec dell72 = {
	.possible = "0-71", .nodes = "0:0-17,36-53;1:18-35,54-71", .cores = cores72, .clusters = cores72,
};

static const struct topo_spec eight = {
	.possible = "0-7", .nodes = "0:0-3;1:4-7", .cores = "0-1;2-3;4-5;6-7", .clusters = "0-1;2-3;4-5;6-7",
};

static int make_cores(void **state)
{
	char *p = cores72;

	(void)state;
	for (unsigned c = 0; c < 36; c++)
		p += sprintf(p, "%s%u,%u", c ? ";" : "", c, c + 36);
	return 0;
}

static void own_era(void **state)
{
	struct qm_identity id;
	struct bench b;

	(void)state;
	bench_init(&b, &dell72, "4.12.0", "null_blk");
	map_by(&b, &b.m.topo, "v3.19", 64, QM_HCTX_DEFAULT);
	identify(&b, &id);
	assert_matches(&id, QM_FAMILY_MAP, "v3.19");
	assert_true(id.exact);
	assert_false(id.other_time);
	assert_false(id.gave_up);
	assert_null(id.nearest);
	bench_done(&b);
}

/* What is exactly another era's map is that, whatever the table of kernels says. */
static void other_era(void **state)
{
	struct qm_identity id;
	struct bench b;

	(void)state;
	bench_init(&b, &dell72, "6.12.10", "null_blk");
	map_by(&b, &b.m.topo, "v5.3", 24, QM_HCTX_DEFAULT);
	identify(&b, &id);
	assert_matches(&id, QM_FAMILY_MAP, "v4.13-posted v4.13 v4.16 v5.3");
	assert_true(id.exact);
	assert_false(id.other_time);
	assert_string_equal(id.predicted.v[0]->id, "v6.11");
	bench_done(&b);
}

static void no_kernel(void **state)
{
	struct qm_identity id;
	struct bench b;

	(void)state;
	bench_init(&b, &dell72, NULL, "null_blk");
	map_by(&b, &b.m.topo, "v7.0", 40, QM_HCTX_DEFAULT);
	identify(&b, &id);
	assert_matches(&id, QM_FAMILY_MAP, "v7.0");
	assert_int_equal(id.predicted.n, 0);
	assert_true(id.exact);
	bench_done(&b);
}

/* A driver nobody described may have managed vectors. */
static void unknown_driver(void **state)
{
	static const unsigned sets[] = { 8, 0 };
	struct qm_identity id;
	struct bench b;

	(void)state;
	bench_init(&b, &dell72, "4.13.0", "frobnicator");
	spread_by(&b, &b.m.topo, "v4.13", 1, sets);
	identify(&b, &id);
	assert_matches(&id, QM_FAMILY_IRQ, "v4.9 v4.12 v4.13 v4.16 v4.17 v4.20 v5.0 v5.1");
	assert_true(id.rule.managed);
	bench_done(&b);
}

static void types_and_poll(void **state)
{
	static const unsigned sets[] = { 4, 8, 0 };
	struct qm_identity id;
	struct bench b;

	(void)state;
	bench_init(&b, &eight, "6.12.10", "nvme");
	spread_by(&b, &b.m.topo, "v6.11", 1, sets);
	map_by(&b, &b.m.topo, "v6.11", 3, QM_HCTX_POLL);
	identify(&b, &id);
	assert_matches(&id, QM_FAMILY_IRQ, "v5.4 el8-394 v5.19 v6.3 v6.9 v6.11 v6.17");
	/* The same, without anybody telling the types. */
	for (size_t i = 0; i < b.c.n_hctx; i++)
		b.c.hctx[i].type = QM_HCTX_UNKNOWN;
	identify(&b, &id);
	assert_matches(&id, QM_FAMILY_IRQ, "v5.4 el8-394 v5.19 v6.3 v6.9 v6.11 v6.17");
	/* A poll queue that no mapper makes spoils it. */
	b.c.hctx[12].cpus = topo_kept_list("0,2,5");
	b.c.hctx[13].cpus = topo_kept_list("1,3-4");
	identify(&b, &id);
	assert_int_equal(id.n_matches, 0);
	assert_false(id.exact);
	assert_non_null(id.nearest);
	assert_false(qm_cpuset_is_empty(&id.differs));
	bench_done(&b);
}

/* Default and poll queues of a type-less capture: the second run may as well be polled as read. */
static void poll_without_types(void **state)
{
	static const unsigned sets[] = { 4, 0 };
	struct qm_identity id;
	struct bench b;

	(void)state;
	bench_init(&b, &eight, "6.1.192", "nvme");
	spread_by(&b, &b.m.topo, "v6.3", 1, sets);
	map_by(&b, &b.m.topo, "v5.3", 2, QM_HCTX_POLL);
	for (size_t i = 0; i < b.c.n_hctx; i++)
		b.c.hctx[i].type = QM_HCTX_UNKNOWN;
	identify(&b, &id);
	assert_int_equal(id.rule.family, QM_FAMILY_IRQ);
	assert_true(id.exact);
	assert_string_equal(id.predicted.v[0]->id, "v6.3");
	bench_done(&b);
}

/* A virtio disk with one vector for all its queues has the generic map. */
static void shared_vector(void **state)
{
	struct qm_identity id;
	struct bench b;

	(void)state;
	bench_init(&b, &eight, "6.12.10", "virtio_blk");
	map_by(&b, &b.m.topo, "v6.11", 4, QM_HCTX_DEFAULT);
	identify(&b, &id);
	assert_int_equal(id.rule.family, QM_FAMILY_IRQ); /* both give it: the usual way */
	b.c.syspath = strdup("sys/devices/pci0000:00/0000:00:04.0/virtio2/block/vdb");
	b.m.irqs = calloc(1, sizeof(*b.m.irqs));
	b.m.n_irqs = 1;
	b.m.irqs[0].name = strdup("virtio2-virtqueues");
	identify(&b, &id);
	assert_matches(&id, QM_FAMILY_MAP, "v6.3 v6.9 v6.11 v6.17 suse-hk");
	assert_false(id.rule.managed);
	b.m.irqs[0].name[6] = '3';
	identify(&b, &id);
	assert_int_equal(id.rule.family, QM_FAMILY_IRQ);
	bench_done(&b);
	/* And 6.1's generic map cannot have come from vectors. */
	bench_init(&b, &eight, "6.1.192", "virtio_blk");
	map_by(&b, &b.m.topo, "v5.3", 4, QM_HCTX_DEFAULT);
	identify(&b, &id);
	assert_matches(&id, QM_FAMILY_MAP, "v5.3");
	bench_done(&b);
}

/* Masks of an RDMA adapter are not ours to compute; the generic mapper as fall-back is. */
static void given_vectors(void **state)
{
	static const unsigned sets[] = { 8, 0 };
	struct qm_identity id;
	struct bench b;

	(void)state;
	bench_init(&b, &dell72, "5.10.200", "nvme-rdma");
	spread_by(&b, &b.m.topo, "v5.19", 0, sets);
	identify(&b, &id);
	assert_int_equal(id.n_matches, 0);
	assert_int_equal(id.rule.family, QM_FAMILY_VECTOR);
	assert_null(id.nearest);
	assert_false(id.exact || id.other_time || id.gave_up);
	bench_done(&b);
	bench_init(&b, &dell72, "5.10.200", "nvme-rdma");
	map_by(&b, &b.m.topo, "v5.3", 8, QM_HCTX_DEFAULT);
	identify(&b, &id);
	assert_matches(&id, QM_FAMILY_MAP, "v4.13-posted v4.13 v4.16 v5.3");
	bench_done(&b);
}

/* Isolated CPUs in no list are nowhere to be seen: no mismatch. A queue of theirs has an empty list. */
static void isolated_cpus(void **state)
{
	struct qm_identity id;
	struct bench b;

	(void)state;
	bench_init(&b, &eight, "6.12.10", "null_blk");
	b.m.topo.isolated = topo_list("2-5,8000"); /* no such CPU */
	map_by(&b, &b.m.topo, "v6.11", 4, QM_HCTX_DEFAULT);
	for (size_t i = 0; i < b.c.n_hctx; i++) {
		struct qm_cpuset told = *b.c.hctx[i].cpus;

		qm_cpuset_andnot(&told, &b.m.topo.isolated);
		b.c.hctx[i].cpus = topo_keep(&told);
	}
	identify(&b, &id);
	assert_matches(&id, QM_FAMILY_MAP, "v6.3 v6.9 v6.11 v6.17 suse-hk");
	/* That queue has a directory; had it none, the algorithm that maps a CPU to it would be wrong. */
	for (size_t i = 0; i < b.c.n_hctx; i++) {
		if (qm_cpuset_is_empty(b.c.hctx[i].cpus))
			b.c.hctx[i].mapped = false;
	}
	identify(&b, &id);
	assert_int_equal(id.n_matches, 0);
	/* A CPU that is missing and not isolated is a mismatch. */
	b.m.topo.isolated = topo_list("2-4");
	identify(&b, &id);
	assert_int_equal(id.n_matches, 0);
	bench_done(&b);
}

static void incomplete_lists(void **state)
{
	struct qm_identity id;
	struct bench b;

	(void)state;
	bench_init(&b, &eight, "6.1.192", "null_blk");
	map_by(&b, &b.m.topo, "v5.3", 4, QM_HCTX_DEFAULT);
	without_cpu(&b.c.hctx[1], 1);
	identify(&b, &id);
	assert_int_equal(id.n_matches, 0);
	assert_set(&id.differs, "1");
	b.c.hctx[1].cpus_unknown = true;
	identify(&b, &id);
	assert_matches(&id, QM_FAMILY_MAP, "v5.3");
	bench_done(&b);
}

/* Up to 4.12 offline CPUs are in no list, and the map is always today's. */
static void old_kernel_offline(void **state)
{
	static const struct topo_spec spec = {
		.possible = "0-7", .online = "0-4,6", .nodes = "0:0-7", .cores = "0,4;1,5;2,6;3,7",
	};
	struct qm_identity id;
	struct bench b;

	(void)state;
	bench_init(&b, &spec, "4.9.100", "null_blk");
	map_by(&b, &b.m.topo, "v3.19", 3, QM_HCTX_DEFAULT);
	identify(&b, &id);
	assert_matches(&id, QM_FAMILY_MAP, "v3.19");
	assert_true(id.exact);
	bench_done(&b);
}

/* ---- maps of another time ---- */

static void made_when_all_were_online(void **state)
{
	/* Nobody tells the siblings of CPUs that are offline now: the known cores show how they are numbered. */
	static const struct topo_spec now = {
		.possible = "0-71", .online = "0-17,36-53", .nodes = "0:0-17,36-53;1:18-35,54-71",
		.cores = "0,36;1,37;2,38;3,39;4,40;5,41;6,42;7,43;8,44;9,45;10,46;11,47;12,48;13,49;14,50;15,51;16,52;17,53",
		.clusters = "0,36;1,37;2,38;3,39;4,40;5,41;6,42;7,43;8,44;9,45;10,46;11,47;12,48;13,49;14,50;15,51;16,52;"
			    "17,53",
	};
	static const struct {
		const char *release, *id, *matches;
	} t[] = {
		{ "6.1.192", "v5.3", "v4.13-posted v4.13 v4.16 v5.3" },
		{ "6.12.10", "v6.11", "v6.3 v6.9 v6.11 v6.17 suse-hk" },
		{ "7.2.1", "v7.0", "v7.0" },
	};
	struct qm_topology then;

	(void)state;
	topo_make(&dell72, &then);
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_identity id;
		struct bench b;

		bench_init(&b, &now, t[i].release, "null_blk");
		b.m.topo.unknown_core = topo_list("18-35,54-71");
		map_by(&b, &then, t[i].id, 40, QM_HCTX_DEFAULT);
		identify(&b, &id);
		assert_matches(&id, QM_FAMILY_MAP, t[i].matches);
		assert_true(id.exact);
		assert_true(id.other_time);
		assert_true(qm_cpuset_is_empty(&id.offline_then));
		bench_done(&b);
	}
	qm_topology_done(&then);
}

/* Second threads off now (nosmt), so no core shows two: neighbours and the second half are both tried. */
static void made_with_threads(void **state)
{
	static const struct {
		struct topo_spec now;
		const char *cores; /* then */
	} t[] = {
		{ { .possible = "0-7", .online = "0-3", .nodes = "0:0-1,4-5;1:2-3,6-7", .cores = "0;1;2;3" }, "0,4;1,5;2,6;3,7" },
		{ { .possible = "0-7", .online = "0,2,4,6", .nodes = "0:0-3;1:4-7", .cores = "0;2;4;6" }, "0-1;2-3;4-5;6-7" },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct topo_spec spec = t[i].now;
		struct qm_topology then;
		struct qm_identity id;
		struct bench b;

		spec.online = NULL;
		spec.cores = t[i].cores;
		topo_make(&spec, &then);
		bench_init(&b, &t[i].now, "6.1.192", "null_blk");
		qm_cpuset_copy(&b.m.topo.unknown_core, &b.m.topo.possible);
		qm_cpuset_andnot(&b.m.topo.unknown_core, &b.m.topo.online);
		map_by(&b, &then, "v5.3", 3, QM_HCTX_DEFAULT);
		identify(&b, &id);
		assert_true(id.exact);
		assert_true(id.other_time);
		assert_true(qm_cpuset_is_empty(&id.offline_then));
		qm_topology_done(&then);
		bench_done(&b);
	}
}

/* The smallest set of CPUs that, offline, explains the map. */
static void made_with_some_offline(void **state)
{
	static const struct {
		const char *release, *id;
		unsigned queues;
		const char *offline; /* then; all are online now */
		const char *found;   /* enough to explain it: of a core the second thread is taken */
	} t[] = {
		{ "6.1.192", "v5.3", 24, "11,27", "47,63" },
		{ "6.1.192", "v5.3", 24, "47", "47" },
		{ "6.12.10", "v6.11", 36, "11,27", "47,63" },
		/* Breaking two of the cores moves the others' threads just so. */
		{ "6.12.10", "v6.11", 36, "5-8", "41,43" },
		{ "6.12.10", "v6.11", 36, "36-71", "36,38,40,42,44,46,48,50,52,54,56,58,60,62,64,66,68,70" },
		{ "6.12.10", "v6.11", 36, "18-35,54-71", "54,56,58,60,62,64,66,68,70" },
		/* 7.0 looks at clusters only where all of a node's CPUs are online: one is as good as another. */
		{ "7.2.1", "v7.0", 40, "3", "39" },
	};
	struct qm_topology then;

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_cpuset offline = topo_list(t[i].offline);
		struct qm_identity id;
		struct bench b;

		topo_make(&dell72, &then);
		qm_cpuset_andnot(&then.online, &offline);
		bench_init(&b, &dell72, t[i].release, "null_blk");
		map_by(&b, &then, t[i].id, t[i].queues, QM_HCTX_DEFAULT);
		identify(&b, &id);
		print_message("# %s, %u queues, offline then: %s\n", t[i].id, t[i].queues, t[i].offline);
		assert_true(id.other_time);
		assert_false(id.exact);
		assert_true(id.n_matches > 0);
		assert_set(&id.offline_then, t[i].found);
		qm_topology_done(&then);
		bench_done(&b);
	}
}

/* On a small machine every set is tried: none that is found is larger than the true one. */
static void every_small_set(void **state)
{
	static const struct topo_spec far8 = {
		.possible = "0-7", .nodes = "0:0-1,4-5;1:2-3,6-7", .cores = "0,4;1,5;2,6;3,7", .clusters = "0,4;1,5;2,6;3,7",
	};
	static const char *const release[] = { "6.1.192", "6.12.10", "7.2.1" }, *const algo[] = { "v5.3", "v6.11", "v7.0" };
	unsigned found[3] = { 0 };

	(void)state;
	for (unsigned i = 3; i < 3 * 255; i += 2) {
		struct qm_cpuset offline = { .nw = 1, .w = { i / 3 } };
		struct qm_topology then;
		struct qm_identity id;
		struct bench b;

		topo_make(&far8, &then);
		qm_cpuset_andnot(&then.online, &offline);
		bench_init(&b, &far8, release[i % 3], "null_blk");
		map_by(&b, &then, algo[i % 3], i % 3 ? 4 : 3, QM_HCTX_DEFAULT);
		identify(&b, &id);
		assert_true(id.n_matches > 0);
		assert_false(id.gave_up);
		assert_true(qm_cpuset_count(&id.offline_then) <= qm_cpuset_count(&offline));
		found[i % 3] += id.other_time;
		qm_topology_done(&then);
		bench_done(&b);
	}
	assert_true(found[0] > 20 && found[1] > 20 && found[2] > 20);
}

static void nobodys_map(void **state)
{
	struct qm_identity id;
	struct bench b;
	struct qm_hctx *h;

	(void)state;
	bench_init(&b, &dell72, "6.12.10", "null_blk");
	h = add_queues(&b, 24, QM_HCTX_DEFAULT);
	for (unsigned cpu = 0; cpu < 72; cpu++) {
		h[cpu * cpu % 24].mapped = true;
		with_cpu(&h[cpu * cpu % 24], cpu);
	}
	identify(&b, &id);
	assert_int_equal(id.n_matches, 0);
	assert_false(id.exact || id.other_time);
	assert_true(id.gave_up);
	assert_non_null(id.nearest);
	assert_true(qm_cpuset_count(&id.differs) > 20);
	bench_done(&b);
	/* No queue at all is no question. */
	bench_init(&b, &dell72, "6.12.10", "null_blk");
	identify(&b, &id);
	assert_int_equal(id.n_matches, 0);
	assert_null(id.nearest);
	bench_done(&b);
}

/* ---- nodes nobody shows ---- */

static void absent_cpus(void **state)
{
	/* 8-11 are absent; guessed in turn, really all on node 1. */
	static const struct topo_spec guess = { .possible = "0-11", .present = "0-7", .nodes = "0:0-3,8,10;1:4-7,9,11" };
	static const struct topo_spec truth = { .possible = "0-11", .present = "0-7", .nodes = "0:0-3;1:4-11" };
	static const unsigned sets[] = { 6, 0 };
	struct qm_topology real;
	struct qm_identity id;
	struct bench b;

	(void)state;
	topo_make(&truth, &real);
	bench_init(&b, &guess, "6.12.10", "null_blk");
	b.m.topo.node_guessed = topo_list("8-11");
	map_by(&b, &real, "v6.11", 5, QM_HCTX_DEFAULT);
	identify(&b, &id);
	assert_matches(&id, QM_FAMILY_MAP, "v6.3 v6.9 v6.11 v6.17 suse-hk");
	bench_done(&b);
	/* Before 5.19 even present CPUs went elsewhere. */
	bench_init(&b, &guess, "4.16.5", "nvme");
	b.m.topo.node_guessed = topo_list("8-11");
	spread_by(&b, &real, "v4.16", 1, sets);
	identify(&b, &id);
	assert_matches(&id, QM_FAMILY_IRQ, "v4.16");
	/* A guess that was none is a fact. */
	qm_cpuset_zero(&b.m.topo.node_guessed);
	identify(&b, &id);
	assert_int_equal(id.n_matches, 0);
	bench_done(&b);
	qm_topology_done(&real);
}

static void many_absent_cpus(void **state)
{
	static const struct topo_spec guess = {
		.possible = "0-31", .present = "0-7", .nodes = "0:0-3,8-19;1:4-7,20-31",
	};
	static const struct topo_spec truth = { .possible = "0-31", .present = "0-7", .nodes = "0:0-3;1:4-31" };
	struct qm_topology real;
	struct qm_identity id;
	struct bench b;

	(void)state;
	topo_make(&truth, &real);
	bench_init(&b, &guess, "6.12.10", "null_blk");
	b.m.topo.node_guessed = topo_list("8-31");
	map_by(&b, &real, "v6.11", 12, QM_HCTX_DEFAULT);
	identify(&b, &id);
	assert_matches(&id, QM_FAMILY_MAP, "v6.3 v6.9 v6.11 v6.17 suse-hk"); /* by the present ones */
	bench_done(&b);
	qm_topology_done(&real);
}

static void remembers(void **state)
{
	struct qm_identifier *id;
	struct qm_identity first, again;
	struct bench b, other;

	(void)state;
	bench_init(&b, &dell72, "6.12.10", "null_blk");
	map_by(&b, &b.m.topo, "v6.11", 24, QM_HCTX_DEFAULT);
	bench_init(&other, &dell72, "6.12.10", "null_blk");
	map_by(&other, &other.m.topo, "v6.11", 24, QM_HCTX_DEFAULT);
	assert_int_equal(qm_identifier_new(&b.m, &id), 0);
	assert_int_equal(qm_identifier_run(id, &b.c, &first), 0);
	assert_int_equal(qm_identifier_run(id, &other.c, &again), 0);
	assert_int_equal(first.n_matches, 6);
	assert_memory_equal(first.matches, again.matches, sizeof(first.matches));
	/* The same lists with another queue for one CPU are another map. */
	without_cpu(&other.c.hctx[0], (unsigned)qm_cpuset_first(other.c.hctx[0].cpus));
	assert_int_equal(qm_identifier_run(id, &other.c, &again), 0);
	assert_int_equal(again.n_matches, 0);
	qm_identifier_free(id);
	bench_done(&b);
	bench_done(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_era),
		cmocka_unit_test(other_era),
		cmocka_unit_test(no_kernel),
		cmocka_unit_test(unknown_driver),
		cmocka_unit_test(types_and_poll),
		cmocka_unit_test(poll_without_types),
		cmocka_unit_test(shared_vector),
		cmocka_unit_test(given_vectors),
		cmocka_unit_test(isolated_cpus),
		cmocka_unit_test(incomplete_lists),
		cmocka_unit_test(old_kernel_offline),
		cmocka_unit_test(made_when_all_were_online),
		cmocka_unit_test(made_with_threads),
		cmocka_unit_test(made_with_some_offline),
		cmocka_unit_test(every_small_set),
		cmocka_unit_test(nobodys_map),
		cmocka_unit_test(absent_cpus),
		cmocka_unit_test(many_absent_cpus),
		cmocka_unit_test(remembers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("identify", tests, make_cores, NULL);
}
