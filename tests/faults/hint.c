// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hint ROOT FABRICS: the functions of src/hint with an allocation or a system call that fails; see units.c. ROOT is a machine
 * with something to plan, FABRICS one that is connected to NVMe-oF. Files are written in a tree of its own.
 */
#include "units.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/tree.h"
#include "base/strbuf.h"
#include "hint/hint.h"
#include "hint/nvme.h"
#include "inject.h"

static char mark[] = "untouched";

/* ---- plans ---- */

static int make_line(void)
{
	char *line = mark;
	int r;

	r = qm_value_line("0-3 \n", &line);
	EXPECT(r == 0 || line == mark);
	if (r < 0)
		return r;
	units_say("%s", line);
	free(line);
	return 0;
}

static int say_words(void)
{
	static const int errors[] = { EIO, EPERM, EINVAL, ERANGE, EOVERFLOW, ENOSPC, EACCES, ENOENT, EROFS, EAGAIN, EBUSY, EXDEV };

	/* Each in words of its own, never the bare error where it is known what it means. */
	for (size_t i = 0; i < QM_ARRAY_SIZE(errors); i++) {
		const char *irq = qm_value_refusal(QM_CHANGE_IRQ, -errors[i]);

		EXPECT((strcmp(irq, strerror(errors[i])) == 0) == (errors[i] == EXDEV));
		EXPECT(*qm_value_refusal(QM_CHANGE_RQ_AFFINITY, -errors[i]));
		EXPECT(*qm_value_unread(-errors[i]));
	}
	EXPECT(strcmp(qm_value_refusal(QM_CHANGE_RQ_AFFINITY, -EINVAL), "the kernel does not take this value here") == 0);
	EXPECT(strcmp(qm_value_unread(-ENOENT), "gone") == 0);
	EXPECT(strcmp(qm_value_unread(-EACCES), "no permission to read it; run it as root") == 0);
	return 0;
}

static int fill_plan(void)
{
	struct qm_plan p = { 0 };
	int r = 0;

	for (int i = 0; r == 0 && i < 9; i++) {
		r = qm_plan_add(&p, QM_CHANGE_IRQ, "proc/irq/5/smp_affinity_list", "0", "1", "nvme0", i ? "why" : NULL, "nvme0q1");
		EXPECT(p.n == (size_t)i + (r == 0));
	}
	for (int i = 0; r == 0 && i < 9; i++) {
		r = qm_plan_add_note(&p, i ? "nvme0" : NULL, "note %d", i);
		EXPECT(p.n_notes == (size_t)i + (r == 0));
	}
	if (r == 0)
		units_say("%zu %s %s", p.n, p.v[8].handler, p.notes[8].text);
	qm_plan_done(&p);
	return r;
}

static int refuse_plan(void)
{
	char *error = mark;
	int r;

	r = qm_plan_refuse(&error, "not %s", "that");
	EXPECT(r == -EINVAL || error == mark);
	if (r != -EINVAL)
		return r;
	units_say("%s", error);
	free(error);
	return 0;
}

#define HEAD "{\"schema\":\"qmapctl/1\",\"command\":\"hint\","
#define CHANGE(path, old, new) "{\"path\":\"" path "\",\"old\":\"" old "\",\"new\":\"" new "\"}"
#define IRQ(nr)                "proc/irq/" #nr "/smp_affinity_list"
#define RQ                     "sys/block/sda/queue/rq_affinity"

static const char plan_text[] =
	HEAD "\"possible_list\":\"0-7\",\"changes\":[" CHANGE(IRQ(5), "0-7", "2") "," CHANGE(RQ, "1", "2") "]}";

static int parse_plan(void)
{
	struct qm_plan p = { .n = 77 };
	char *error = mark;
	int r;

	r = qm_plan_parse(plan_text, strlen(plan_text), &p, &error);
	EXPECT(error == mark);
	EXPECT(r == 0 || p.n == 77);
	if (r < 0)
		return r;
	units_say("%zu %s %s", p.n, p.possible, p.v[1].path);
	qm_plan_done(&p);
	return 0;
}

/* What is no plan is refused with a reason, or for want of memory without one. */
static int refuse_file(void)
{
	static const char *const texts[] = {
		HEAD "\"changes\":[" CHANGE(RQ, "1", "2") "," CHANGE(RQ, "1", "2") "]}",
		HEAD "\"changes\":[" CHANGE("etc/passwd", "1", "2") "]}",
		HEAD "\"changes\":[" CHANGE(IRQ(5), "1", "(null)") "]}",
		HEAD "\"changes\":[3]}",
		HEAD "\"changes\":[{\"path\":3}]}",
		HEAD "\"changes\":[{\"path\":\"" RQ "\",\"old\":\"1\\u0000\",\"new\":\"2\"}]}",
		HEAD "\"changes\":3}",
		HEAD "\"possible_list\":3,\"changes\":[]}",
		HEAD,
		"{}",
		"{\"schema\":\"qmapctl/1\"}",
		"[]",
		" null ",
		"{} {}",
		"{\"a\":}",
	};

	for (size_t i = 0; i < QM_ARRAY_SIZE(texts); i++) {
		struct qm_plan p = { .n = 77 };
		char *error = mark;
		int r = qm_plan_parse(texts[i], strlen(texts[i]), &p, &error);

		EXPECT(p.n == 77);
		EXPECT(r == -EINVAL || error == mark);
		if (r != -EINVAL)
			return r < 0 ? r : -EBADE;
		units_say("%s\n", error);
		free(error);
	}
	return 0;
}

/* Only these two files may be written, each by one name. */
static int judge_paths(void)
{
	static const char *const good[] = { IRQ(0), IRQ(4294967295), RQ, "sys/block/.a/queue/rq_affinity",
					    "sys/block/md/queue/rq_affinity",
					    "sys/devices/..a/b/block/c/queue/rq_affinity" };
	static const char *const bad[] = {
		"", "proc/irq/5", "proc/irq//smp_affinity_list", IRQ(12345678901), IRQ(5x), IRQ(-5), IRQ(5) "x", "/" IRQ(5),
		"sys/block/a", "sys/block/a/queue/nr_requests", "sys/block//queue/rq_affinity",
		"sys/block/./queue/rq_affinity", "sys/block/../queue/rq_affinity", "sys/class/queue/rq_affinity",
	};
	static char far[PATH_MAX + 64] = "sys/block/";

	for (size_t i = 0; i < QM_ARRAY_SIZE(good); i++)
		EXPECT(qm_hint_path_is_allowed(good[i], NULL, NULL));
	for (size_t i = 0; i < QM_ARRAY_SIZE(bad); i++)
		EXPECT(!qm_hint_path_is_allowed(bad[i], NULL, NULL));
	memset(far + strlen(far), 'a', PATH_MAX);
	strcat(far, "/queue/rq_affinity");
	EXPECT(!qm_hint_path_is_allowed(far, NULL, NULL));
	return 0;
}

static int judge_values(void)
{
	static const struct {
		const char *path, *value;
		bool good;
	} t[] = {
		{ RQ, "0", true },     { RQ, "2\\n", true },   { RQ, "3", false },     { RQ, "/", false },
		{ RQ, "", false },     { RQ, "12", false },    { RQ, "2\\n\\n", false }, { IRQ(5), "0-3,8", true },
		{ IRQ(5), "", false }, { IRQ(5), "x", false }, { IRQ(5), "(null)", false },
	};

	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_plan p = { 0 };
		char text[512], *error = NULL;
		int r;

		snprintf(text, sizeof(text), HEAD "\"changes\":[{\"path\":\"%s\",\"old\":\"1\",\"new\":\"%s\",\"reason\":null}]}",
			 t[i].path, t[i].value);
		r = qm_plan_parse(text, strlen(text), &p, &error);
		EXPECT(r == (t[i].good ? 0 : -EINVAL));
		EXPECT(t[i].good || strstr(error, "is no value for"));
		free(error);
		qm_plan_done(&p);
	}
	return 0;
}

static int name_nothing(void)
{
	EXPECT(!qm_change_what_name(_QM_CHANGE_WHAT_MAX));
	EXPECT(!qm_change_state_name(_QM_CHANGE_STATE_MAX));
	EXPECT(!qm_export_format_name(_QM_EXPORT_MAX));
	return 0;
}

/* Blanks at the end are no difference; what is no list is compared as text. */
static int compare_values(void)
{
	EXPECT(qm_value_is_same(QM_CHANGE_IRQ, "0-3\n", "0,1,2,3"));
	EXPECT(!qm_value_is_same(QM_CHANGE_IRQ, "0-3", "x"));
	EXPECT(qm_value_is_same(QM_CHANGE_IRQ, "x \t\n", "x"));
	EXPECT(!qm_value_is_same(QM_CHANGE_RQ_AFFINITY, "1", "2"));
	EXPECT(qm_value_is_same(QM_CHANGE_RQ_AFFINITY, "", " \n"));
	return 0;
}

static int parse_many(void)
{
	static char text[sizeof(HEAD) + 2 * 65537 + 32] = HEAD "\"changes\":[";
	struct qm_plan p = { .n = 77 };
	char *error = mark;
	size_t len = strlen(text);
	int r;

	for (int i = 0; i < 65537; i++, len += 2)
		memcpy(text + len, "0,", 2);
	memcpy(text + len - 1, "]}", 2);
	r = qm_plan_parse(text, len + 1, &p, &error);
	EXPECT(r == -EINVAL && p.n == 77);
	EXPECT(r != -EINVAL || strcmp(error, "changes has 65537 entries, at most 65536 are taken") == 0);
	if (error != mark)
		free(error);
	return 0;
}

static int parse_huge(void)
{
	struct qm_plan p = { .n = 77 };
	char *error = mark;
	int r = qm_plan_parse("{}", (size_t)1 << 31, &p, &error);

	EXPECT(r == -EINVAL || error == mark);
	if (r != -EINVAL)
		return r;
	units_say("%s", error);
	free(error);
	return 0;
}

/* ---- planning ---- */

static struct qm_machine bare_m, m, old_m, banned_m, blind_m, managed_m, isolated_m, fabrics_m;
static struct qm_root root, fabrics_root;
static const struct qm_machine *planned;
static size_t n_planned;

static int make_plan(void)
{
	struct qm_problems problems = { 0 };
	struct qm_plan_options opt = { 0 };
	struct qm_plan p = { .n = 77 };
	int r;

	root.problems = &problems;
	r = qm_plan_make(&root, planned, &opt, &p);
	root.problems = NULL;
	EXPECT(r == 0 || p.n == 77);
	if (r == 0) {
		/* For each file that cannot be read there is one thing less to do, and a problem. */
		n_planned = inject.hit ? n_planned : p.n;
		EXPECT(p.n + problems.n == n_planned || problems.err == -ENOMEM);
		units_say("%zu", p.n);
		for (size_t i = 0; i < p.n; i++)
			units_say(" %s", p.v[i].new);
		for (size_t i = 0; i < p.n_notes; i++)
			units_say("; %.20s", p.notes[i].text);
		qm_plan_done(&p);
	}
	r = r < 0 ? r : problems.err;
	qm_problems_done(&problems);
	return r;
}

static void plan_m(void)
{
	planned = &m;
}

/* Looking for a file takes memory then. */
static void plan_by_walk(void)
{
	planned = &m;
	root.no_openat2 = true;
}

static void end_walk(int r)
{
	(void)r;
	root.no_openat2 = false;
}

static void plan_old(void)
{
	planned = &old_m;
}

static void plan_banned(void)
{
	planned = &banned_m;
}

static void plan_blind(void)
{
	planned = &blind_m;
}

static void plan_managed(void)
{
	planned = &managed_m;
}

static void plan_isolated(void)
{
	planned = &isolated_m;
}

static void plan_bare(void)
{
	planned = &bare_m;
}

static void plan_fabrics(void)
{
	planned = &fabrics_m;
}

static struct qm_plan whole;
static enum qm_export_format format;

static int export(const struct qm_machine *machine)
{
	struct qm_plan_options opt = { 0 };
	struct qm_strbuf b = { 0 };
	int r;

	r = qm_plan_export(&whole, machine, &opt, format, &b);
	EXPECT(r == b.err || r == -ENOMEM);
	if (r == 0)
		units_say("%s", qm_strbuf_str(&b));
	qm_strbuf_done(&b);
	return r;
}

static int export_m(void)
{
	return export(&m);
}

static int export_fabrics(void)
{
	return export(&fabrics_m);
}

static int export_none(void)
{
	struct qm_plan_options opt = { 0 };
	struct qm_strbuf b = { 0 };

	EXPECT(qm_plan_export(&whole, &m, &opt, _QM_EXPORT_MAX, &b) == -EINVAL);
	EXPECT(!b.s);
	return 0;
}

/* What the exports make of the plan and the machine; the caller frees it. */
static char *exported(const struct qm_plan *p, const struct qm_machine *machine, enum qm_export_format f,
		      const struct qm_plan_options *opt)
{
	struct qm_strbuf b = { 0 };
	char *text = NULL;

	assert_int_equal(qm_plan_export(p, machine, opt, f, &b), 0);
	assert_int_equal(qm_strbuf_take(&b, &text), 0);
	return text;
}

static void expect_export(const struct qm_plan *p, const struct qm_machine *machine, enum qm_export_format f,
			  const char *has, const char *has_not)
{
	struct qm_plan_options opt = { 0 };
	char *text = exported(p, machine, f, &opt);

	EXPECT(!has || strstr(text, has));
	EXPECT(!has_not || !strstr(text, has_not));
	free(text);
}

/* Names that mean something to a shell or to udev, changes that are not wanted, and interrupts that are not known. */
static int export_odd(void)
{
	struct qm_irq odd[] = {
		{ .nr = 5, .name = (char *)"it's" }, { .nr = 6, .name = (char *)"a/b" }, { .nr = 7 },
		{ .nr = 8, .name = (char *)"one, two" }, { .nr = 10, .name = (char *)"\x1b[2J" },
	};
	struct qm_disk disks[] = { { .name = (char *)"sd*" }, { .name = (char *)"sda" }, { .name = (char *)"sd\x7f" } };
	size_t all[] = { 0, 1, 2 };
	struct qm_controller ctrl = { .name = (char *)"host0", .disks = all, .n_disks = 3 };
	struct qm_machine one = { .irqs = odd, .n_irqs = 5, .controllers = &ctrl, .n_controllers = 1, .disks = disks, .n_disks = 3 };
	struct qm_plan p = { 0 };
	static const struct {
		const char *path, *reason;
		enum qm_change_state state;
	} t[] = {
		{ IRQ(5), "two\nlines\x7f", QM_CHANGE_PLANNED }, { IRQ(6), NULL, QM_CHANGE_APPLIED },
		{ IRQ(7), NULL, QM_CHANGE_SAME },               { IRQ(8), NULL, QM_CHANGE_PLANNED },
		{ IRQ(9), NULL, QM_CHANGE_REFUSED },            { IRQ(10), NULL, QM_CHANGE_PLANNED },
		{ RQ, NULL, QM_CHANGE_PLANNED },                { "sys/block/\x1b/queue/rq_affinity", NULL, QM_CHANGE_PLANNED },
	};

	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		assert_int_equal(qm_plan_add(&p, i < 6 ? QM_CHANGE_IRQ : QM_CHANGE_RQ_AFFINITY, t[i].path, "1", "2",
					     i ? "host0" : NULL, t[i].reason, NULL), 0);
		p.v[i].state = t[i].state;
	}
	expect_export(&p, &one, QM_EXPORT_SHELL, "\t# two lines \n\tput '" IRQ(5) "' '2' 'it'\\''s'\n", IRQ(9));
	expect_export(&p, &one, QM_EXPORT_SHELL, "\tput '" IRQ(6) "' '2' ''\n", "a/b");
	expect_export(&p, &one, QM_EXPORT_SHELL, "\tput '" IRQ(7) "' '1' '' '2'\n", NULL);
	expect_export(&p, &one, QM_EXPORT_SHELL, "\tput '" IRQ(8) "' '2' 'one'\n", "two'");
	expect_export(&p, &one, QM_EXPORT_SHELL, "\tput '" IRQ(10) "' '2' ''\n", "\x1b");
	expect_export(&p, &one, QM_EXPORT_SHELL, "\tput '" RQ "' '2' ''\n", NULL);
	expect_export(&p, &one, QM_EXPORT_IRQBALANCE, "for name in \\\n\t'it'\\''s' \\\n\t'one'\ndo\n", "a/b");
	expect_export(&p, &one, QM_EXPORT_UDEV, "KERNEL==\"sda\"", "sd*");
	expect_export(&p, &one, QM_EXPORT_UDEV, NULL, "\x7f");
	/* A controller of which nothing is wanted. */
	ctrl.name = (char *)"host1";
	expect_export(&p, &one, QM_EXPORT_UDEV, NULL, "sda");
	qm_plan_done(&p);
	return 0;
}

/* Its controllers apart from the machine's, to be changed. */
static struct qm_controller *own_controllers(struct qm_machine *one)
{
	struct qm_controller *v = calloc(one->n_controllers, sizeof(*v));

	assert_non_null(v);
	memcpy(v, one->controllers, one->n_controllers * sizeof(*v));
	one->controllers = v;
	return v;
}

/* No count is proposed where it is not known what connects. */
static int export_odd_fabrics(void)
{
	static char *const transports[] = { NULL, (char *)"carrier-pigeon" };
	struct qm_machine one = fabrics_m;
	struct qm_controller *v = own_controllers(&one);
	size_t other = one.n_controllers;
	struct qm_plan p = { 0 };
	struct qm_plan_options none = { 0 }, few = { .controllers = &other, .n_controllers = 1 };
	char *text;

	text = exported(&whole, &one, QM_EXPORT_NVME, &none);
	EXPECT(strstr(text, "\"nr_io_queues\":"));
	free(text);
	for (size_t k = 0; k < QM_ARRAY_SIZE(transports); k++) {
		struct qm_strbuf commands = { 0 };

		for (size_t i = 0; i < one.n_controllers; i++)
			v[i].transport = transports[k];
		expect_export(&whole, &one, QM_EXPORT_NVME, "[\n]\n", "nr_io_queues");
		EXPECT(qm_nvme_commands(&one, &none, &commands) == 0 && commands.len == 0);
		qm_strbuf_done(&commands);
	}
	/* One that is not asked for; nor where every CPU is kept from the queues. */
	text = exported(&whole, &fabrics_m, QM_EXPORT_NVME, &few);
	EXPECT(strcmp(text, "[\n]\n") == 0);
	free(text);
	memcpy(v, fabrics_m.controllers, one.n_controllers * sizeof(*v));
	/* With a single CPU nothing outlives the loss of a core, but one queue connects. */
	qm_cpuset_zero(&one.topo.online);
	qm_cpuset_set(&one.topo.online, 0);
	EXPECT(qm_nvme_add_notes(&one, &none, &p) == 0);
	EXPECT(p.n_notes > 0 && strstr(p.notes[0].text, "--nr-io-queues=1: the most that connect now"));
	qm_plan_done(&p);
	one.topo.online = one.topo.possible;
	assert_int_equal(qm_kernel_parse("6.4.0-150600.23.47-default", &one.kernel), 0);
	one.cmdline.known = one.cmdline.has_isolcpus = one.cmdline.iso_managed_irq = true;
	one.cmdline.isolcpus = one.topo.possible;
	expect_export(&whole, &one, QM_EXPORT_NVME, "[\n]\n", "nr_io_queues");
	qm_kernel_done(&one.kernel);
	free(v);
	return 0;
}

/* What of an address is copied: whole parts, and only those that are there. */
static int export_addresses(void)
{
	static const struct {
		const char *address, *has, *has_not;
	} t[] = {
		{ "traddr=10.0.0.1,trsvcid=4420", "\"trsvcid\":\"4420\"", NULL },
		{ "xtraddr=10.0.0.1,traddr:9,traddr", "\"nr_io_queues\"", "addr\":" },
		{ "", "\"nr_io_queues\"", "addr\":" },
		{ NULL, "\"nr_io_queues\"", "addr\":" },
		{ "host_traddr=1,,traddr=2,", "\"traddr\":\"2\"", "trsvcid" },
		/* Bytes that are no text: cut short, overlong, a surrogate, beyond all, and what terminals obey. */
		{ "traddr=\xc3", "[\n]\n", NULL },
		{ "traddr=\xc0\xaf", "[\n]\n", NULL },
		{ "traddr=\xed\xa0\x80", "[\n]\n", NULL },
		{ "traddr=\xf4\x90\x80\x80", "[\n]\n", NULL },
		{ "traddr=\xff", "[\n]\n", NULL },
		{ "traddr=\xe2\x80\xae", "[\n]\n", NULL },
		{ "traddr=\xe2\x81\xa6", "[\n]\n", NULL },
		{ "traddr=\xc3\xa9", "\"traddr\":\"\xc3\xa9\"", NULL },
	};
	struct qm_machine one = fabrics_m;
	struct qm_controller *v = own_controllers(&one);

	for (size_t k = 0; k < QM_ARRAY_SIZE(t); k++) {
		for (size_t i = 0; i < one.n_controllers; i++)
			v[i].address = (char *)t[k].address;
		expect_export(&whole, &one, QM_EXPORT_NVME, t[k].has, t[k].has_not);
	}
	/* The names that go with it as well. */
	for (size_t i = 0; i < one.n_controllers; i++) {
		v[i].address = NULL;
		v[i].nqn = (char *)"nqn\n";
	}
	expect_export(&whole, &one, QM_EXPORT_NVME, "[\n]\n", NULL);
	for (size_t i = 0; i < one.n_controllers; i++) {
		v[i].nqn = NULL;
		v[i].hostnqn = (char *)"\x80";
	}
	expect_export(&whole, &one, QM_EXPORT_NVME, "[\n]\n", NULL);
	free(v);
	return 0;
}

static int say_commands(void)
{
	struct qm_plan_options opt = { 0 };
	struct qm_strbuf b = { 0 };
	int r;

	r = qm_nvme_commands(&fabrics_m, &opt, &b);
	EXPECT(!b.err || r == b.err);
	if (r == 0)
		units_say("%s", qm_strbuf_str(&b));
	qm_strbuf_done(&b);
	return r;
}

static const struct unit plans[] = {
	{ .name = "value", .run = make_line, .answer = "0-3\n" },
	{ .name = "words", .run = say_words, .answer = "", .once = true },
	{ .name = "plan as data", .run = fill_plan, .answer = "9 nvme0q1 note 8" },
	{ .name = "refusal", .run = refuse_plan, .answer = "not that" },
	{ .name = "plan file", .run = parse_plan, .answer = "2 0-7 " RQ, .own = true },
	{ .name = "no plan file", .run = refuse_file, .own = true,
	  .answer = "\"" RQ "\" is named twice\n"
		    "changes[0].path \"etc/passwd\" is not a file that a plan may write\n"
		    "changes[0].new \"(null)\" is no value for smp_affinity_list\n"
		    "changes[0] is not an object\n"
		    "changes[0].path is not a string\n"
		    "changes[0].old is not a string\n"
		    "changes is not an array\n"
		    "possible_list is not a string\n"
		    "cut short: the JSON text ends before it is complete\n"
		    "schema is not \"qmapctl/1\"\n"
		    "not the output of `hint plan`\n"
		    "not a JSON object\n"
		    "not a JSON object\n"
		    "something follows the JSON object\n"
		    "not JSON: unexpected character\n" },
	{ .name = "plan file with too many changes", .run = parse_many, .answer = "", .once = true },
	{ .name = "too large a plan file", .run = parse_huge, .answer = "larger than any plan" },
	{ .name = "planning", .make = plan_m, .run = make_plan, .tells = true },
	{ .name = "planning by the walk", .make = plan_by_walk, .run = make_plan, .check = end_walk, .tells = true, .few = true },
	{ .name = "planning on 3.10", .make = plan_old, .run = make_plan, .tells = true },
	{ .name = "planning around irqbalance", .make = plan_banned, .run = make_plan, .tells = true },
	{ .name = "planning, blind", .make = plan_blind, .run = make_plan, .tells = true },
	{ .name = "planning, managed", .make = plan_managed, .run = make_plan, .tells = true },
	{ .name = "planning, isolated", .make = plan_isolated, .run = make_plan, .tells = true },
	{ .name = "planning fabrics", .make = plan_fabrics, .run = make_plan, .tells = true },
	{ .name = "planning without interrupts", .make = plan_bare, .run = make_plan, .tells = true },
	{ .name = "paths", .run = judge_paths, .answer = "", .once = true },
	{ .name = "values", .run = judge_values, .answer = "", .once = true },
	{ .name = "names", .run = name_nothing, .answer = "", .once = true },
	{ .name = "values that are the same", .run = compare_values, .answer = "", .once = true },
	{ .name = "odd names", .run = export_odd, .answer = "", .once = true },
	{ .name = "odd transports", .run = export_odd_fabrics, .answer = "", .once = true },
	{ .name = "addresses", .run = export_addresses, .answer = "", .once = true },
	{ .name = "no format", .run = export_none, .answer = "", .once = true },
	{ .name = "commands", .run = say_commands },
};

static const struct unit exports[] = {
	{ .name = "a machine", .run = export_m },
	{ .name = "a fabrics machine", .run = export_fabrics },
};

/* ---- writing ---- */

static struct tree tree;
static struct qm_root own;
static struct qm_state state;
static struct qm_machine here;
static bool live, walk;

/* What stands in the tree, and what the plan wants. A live root cuts nothing off: there the second keeps another value. */
static const struct {
	const char *path, *old, *new;
	enum qm_change_what what;
} files[] = {
	{ IRQ(5), "4\n", "2", QM_CHANGE_IRQ },
	{ IRQ(6), "0,1,2,3,4,5,6,7\n", "3", QM_CHANGE_IRQ },
	{ RQ, "1\n", "2", QM_CHANGE_RQ_AFFINITY },
};

static struct qm_irq irqs[] = {
	{ .nr = 5, .managed = 0, .controller = -1, .name = (char *)"nvme0q1" },
	{ .nr = 6, .managed = 0, .controller = -1, .name = (char *)"nvme0q2" },
	{ .nr = 8, .managed = 0, .controller = -1, .name = (char *)"another" },
	{ .nr = 9, .managed = 1, .controller = -1, .name = (char *)"nvme0q5" },
};

static void put(const char *path, const char *text)
{
	tree_raw(&tree, path, text, strlen(text));
}

static void make_own(void)
{
	char path[1024];

	tree_make(&tree, "proc/sys/kernel/random/boot_id this-boot\n" IRQ(8) " 0-7\n" IRQ(9) " 0-7\n");
	for (size_t i = 0; i < QM_ARRAY_SIZE(files); i++)
		put(files[i].path, files[i].old);
	assert_int_equal(qm_root_open(&own, tree.dir, live, NULL), 0);
	own.no_openat2 = walk;
	tree_path(&tree, "state", path);
	assert_int_equal(qm_state_open(&own, path, true, &state), 0);
}

static void drop_own(int r)
{
	(void)r;
	qm_state_close(&state);
	qm_root_close(&own);
	tree_done(&tree);
}

static bool holds(const char *path, const char *want)
{
	char full[1024], buf[256] = "";
	FILE *f;

	tree_path(&tree, path, full);
	f = fopen(full, "r");
	assert_non_null(f);
	EXPECT(fread(buf, 1, sizeof(buf) - 1, f) < sizeof(buf) - 1);
	fclose(f);
	return strcmp(buf, want) == 0;
}

static void say_states(const struct qm_plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct qm_change *c = &p->v[i];

		/* None goes without a reason. */
		EXPECT(c->error || (c->state != QM_CHANGE_REFUSED && c->state != QM_CHANGE_MOVED));
		units_say("%s%s%s;", qm_change_state_name(c->state), c->error ? " " : "", c->error ? c->error : "");
	}
}

/* With memory for what the fixture itself adds. */
static void add_one(struct qm_plan *p, enum qm_change_what what, const char *path, const char *old, const char *new,
		    const char *handler)
{
	struct inject saved = inject;

	inject_disarm();
	assert_int_equal(qm_plan_add(p, what, path, old, new, "nvme0", NULL, handler), 0);
	inject = saved;
}

static void add_all(struct qm_plan *p)
{
	for (size_t i = 0; i < QM_ARRAY_SIZE(files); i++)
		add_one(p, files[i].what, files[i].path, i == 1 ? "0-7" : files[i].old, files[i].new, i ? NULL : "nvme0q1");
}

static int check_and_say(struct qm_plan *p, const struct qm_apply_options *opt)
{
	char *error = mark;
	int r;

	r = qm_plan_check(&own, &here, opt, p, &error);
	if (r == -EINVAL) {
		units_say("%s", error);
		free(error);
		return 0;
	}
	EXPECT(error == mark);
	return r;
}

/* Each reason for which a change is not made. */
static int check_plan(void)
{
	static const char *const changes[][3] = {
		{ IRQ(5), "4", "2" },       { IRQ(6), "0-7", "3" },  { IRQ(8), "0-7", "3" }, { IRQ(9), "0-7", "3" },
		{ IRQ(10), "0-7", "x" },    { IRQ(11), "0-7", "100" }, { IRQ(12), "0-7", "7" }, { IRQ(13), "0-7", "1" },
		{ IRQ(5), "0", "4" },       { IRQ(5), "0", "1" },    { IRQ(20), "0", "1" },  { IRQ(21), "0", "1" },
		{ IRQ(9999999999), "0", "1" },
	};
	struct qm_apply_options opt = { 0 };
	struct qm_plan p = { 0 };
	struct inject saved = inject;
	int r;

	for (size_t i = 0; i < QM_ARRAY_SIZE(changes); i++)
		add_one(&p, QM_CHANGE_IRQ, changes[i][0], changes[i][1], changes[i][2], i == 2 ? "nvme0q4" : NULL);
	inject_disarm();
	p.possible = strdup("0-7");
	assert_int_equal(qm_ids_add(&opt.exclude, 20), 0);
	inject = saved;
	r = check_and_say(&p, &opt);
	if (r == 0)
		say_states(&p);
	if (r == 0 && !inject.hit)
		EXPECT(strcmp(p.v[1].old, files[1].old) == 0);
	qm_ids_done(&opt.exclude);
	qm_plan_done(&p);
	return r;
}

static int refuse_for(const char *possible)
{
	struct qm_apply_options opt = { 0 };
	struct qm_plan p = { .possible = (char *)possible };

	return check_and_say(&p, &opt);
}

static int refuse_machine(void)
{
	return refuse_for("0-3");
}

static int refuse_garbled(void)
{
	return refuse_for("seven");
}

static int check_one(const char *path)
{
	struct qm_apply_options opt = { 0 };
	struct qm_plan p = { 0 };
	int r;

	add_one(&p, QM_CHANGE_IRQ, path, "4", "2", NULL);
	add_one(&p, QM_CHANGE_IRQ, IRQ(8), "0-7", "2", NULL);
	r = check_and_say(&p, &opt);
	for (size_t i = 0; !inject.hit && i < p.n; i++)
		EXPECT(p.v[i].state == QM_CHANGE_PLANNED);
	qm_plan_done(&p);
	return r;
}

static int refuse_path(void)
{
	return check_one("etc/passwd");
}

static void make_linked(void)
{
	make_own();
	tree_link(&tree, IRQ(5), "../6/smp_affinity_list");
}

/* One that cannot be looked at is for the write to refuse. */
static int refuse_link(void)
{
	return check_one(IRQ(5));
}

/* What the run said of each file. */
static enum qm_change_state states[QM_ARRAY_SIZE(files)];
static bool not_restored, all_or_nothing;

/* The one failure hit what was to mend another; or, with no real kernel behind the file, the look at what it kept. */
static bool is_unsure(const char *error)
{
	return strstr(error, "could not be restored") || strstr(error, "could not be taken back") ||
	       (live && strstr(error, "could not be read back"));
}

static int apply(void)
{
	struct qm_apply_options opt = { .all_or_nothing = all_or_nothing };
	struct qm_plan p = { 0 };
	char *journal = NULL;
	int r;

	/* Those that are as they should be are in the plan, and not in the journal. */
	add_one(&p, QM_CHANGE_IRQ, IRQ(8), "0-7", "0-7", NULL);
	add_all(&p);
	add_one(&p, QM_CHANGE_IRQ, IRQ(8), "0-7", "0-7", NULL);
	not_restored = false;
	r = check_and_say(&p, &opt);
	if (r == 0)
		r = qm_plan_apply(&own, &state, &opt, &p, &journal);
	if (r != -ENOMEM)
		say_states(&p);
	for (size_t i = 0; i < QM_ARRAY_SIZE(files); i++) {
		const struct qm_change *c = &p.v[i + 1];

		states[i] = c->state;
		/* There may have been no memory for the words. */
		if (c->error)
			not_restored |= is_unsure(c->error);
		else
			not_restored |= c->state == QM_CHANGE_REFUSED;
		if (live && i == 1 && r == -ENOMEM)
			not_restored |= c->state == QM_CHANGE_APPLIED || c->state == QM_CHANGE_MOVED;
	}
	free(journal);
	qm_plan_done(&p);
	return r;
}

static int undo_all(bool say)
{
	struct qm_problems problems = { 0 };
	struct qm_journals js = { .n = 77 };
	int r;

	r = qm_journals_read(&state, &js, &problems);
	EXPECT(r == 0 || js.n == 77);
	if (r == 0) {
		EXPECT(js.unreadable == 0 || problems.n == 1 || problems.err == -ENOMEM);
		units_say("%s", js.unreadable && say ? "unreadable" : "");
		for (size_t i = 0; r == 0 && i < js.n; i++) {
			r = qm_journal_undo(&own, &here, &state, &js.v[i]);
			if (say && r != -ENOMEM)
				say_states(&js.v[i].plan);
			EXPECT(r < 0 || js.v[i].closed || say);
		}
		qm_journals_done(&js);
	}
	r = r < 0 ? r : problems.err;
	qm_problems_done(&problems);
	return r;
}

static void expect_as_before(void)
{
	for (size_t i = 0; i < QM_ARRAY_SIZE(files); i++)
		EXPECT(holds(files[i].path, files[i].old));
}

/* The files are as the states say, and undo leaves them as they were, byte for byte. */
static void check_applied(int r)
{
	char line[64];

	for (size_t i = 0; r == 0 && !not_restored && i < QM_ARRAY_SIZE(files); i++) {
		snprintf(line, sizeof(line), "%s\n", files[i].new);
		if (states[i] == QM_CHANGE_APPLIED)
			EXPECT(holds(files[i].path, line));
		else
			EXPECT(holds(files[i].path, files[i].old));
	}
	if (all_or_nothing && r == 0 && !not_restored) {
		EXPECT(states[0] != QM_CHANGE_APPLIED || (states[1] == states[0] && states[2] == states[0]));
		if (states[0] != QM_CHANGE_APPLIED)
			expect_as_before();
	}
	/* What the kernel made of it is nobody's value, and stays as long as it lets nobody write. */
	if (not_restored)
		put(files[1].path, files[1].old);
	EXPECT(undo_all(false) == 0);
	expect_as_before();
	drop_own(r);
}

/* A call that fails, and then no memory, but some for the first that need it. */
static int apply_with_little(void)
{
	for (unsigned long spare = 1; spare < 8; spare++) {
		bool hit = true;

		for (unsigned long at = 1; hit; at++) {
			int r;

			make_own();
			inject_arm(INJECT_CALL, EIO, at);
			inject.then = INJECT_NO_MEMORY;
			inject.spare = spare;
			r = apply();
			hit = inject.hit;
			inject_arm(INJECT_NONE, 0, 0);
			EXPECT(r == 0 || r == -EIO || r == -ENOMEM);
			check_applied(r);
			units_forget();
		}
	}
	return 0;
}

/* Once is not worth a word. */
static int write_busy(void)
{
	struct qm_dir top = qm_root_dir(&own);
	unsigned writes = 0;
	bool hit = true;

	for (unsigned long at = 1; hit; at++) {
		int r;

		inject_arm(INJECT_CALL, EBUSY, at);
		r = qm_value_write(&top, IRQ(5), "2\n");
		hit = inject.hit;
		writes += hit && strcmp(inject.what, "write") == 0;
		inject_arm(INJECT_NONE, 0, 0);
		EXPECT(r == 0);
		EXPECT(holds(IRQ(5), "2\n"));
	}
	EXPECT(writes == 1);
	return 0;
}

static void make_applied(void)
{
	struct qm_apply_options opt = { 0 };
	struct qm_plan p = { 0 };
	char *journal = NULL, *error = NULL;

	make_own();
	add_all(&p);
	assert_int_equal(qm_plan_check(&own, &here, &opt, &p, &error), 0);
	assert_int_equal(qm_plan_apply(&own, &state, &opt, &p, &journal), 0);
	free(journal);
	qm_plan_done(&p);
}

static int undo(void)
{
	return undo_all(true);
}

static void check_undone(int r)
{
	EXPECT(undo_all(false) == 0);
	expect_as_before();
	drop_own(r);
}

/* Meanwhile somebody has changed the one and the other is gone. */
static void make_moved(void)
{
	make_applied();
	put(IRQ(5), "1\n");
	tree_remove(&tree, RQ);
}

static void check_moved(int r)
{
	EXPECT(undo_all(false) == 0);
	EXPECT(holds(IRQ(5), "1\n"));
	EXPECT(holds(files[1].path, files[1].old));
	drop_own(r);
}

/* A write of the old value that stopped half-way. */
static void make_half(void)
{
	make_applied();
	put(files[1].path, "0,1");
	assert_int_equal(qm_journal_mark(&state, "hint-000001.jsonl", "begin", 1), 0);
}

/* The new value half over the old, and the old one half over that. */
static void make_mixed(void)
{
	make_applied();
	put(files[1].path, "0\n1,2,3,4,5,6,7\n");
	assert_int_equal(qm_journal_mark(&state, "hint-000001.jsonl", "begin", 1), 0);
}

/* The number is another interrupt's by now. */
static void make_renamed(void)
{
	make_applied();
	irqs[0].name = (char *)"another";
}

static void check_renamed(int r)
{
	EXPECT(undo_all(false) == 0);
	EXPECT(holds(IRQ(5), "2\n"));
	irqs[0].name = (char *)"nvme0q1";
	drop_own(r);
}

static void make_rebooted(void)
{
	make_applied();
	put("proc/sys/kernel/random/boot_id", "another-boot\n");
}

static int say_status(void)
{
	struct qm_problems problems = { 0 };
	struct qm_journals js = { .n = 77 };
	int r;

	r = qm_journals_read(&state, &js, &problems);
	EXPECT(r == 0 || js.n == 77);
	if (r == 0) {
		EXPECT(js.unreadable == 0 || problems.n == 1 || problems.err == -ENOMEM);
		units_say("%s", js.unreadable ? "unreadable" : "");
		for (size_t i = 0; r == 0 && i < js.n; i++) {
			r = qm_journal_status(&own, &here, &js.v[i]);
			if (r != -ENOMEM)
				say_states(&js.v[i].plan);
		}
		qm_journals_done(&js);
	}
	r = r < 0 ? r : problems.err;
	qm_problems_done(&problems);
	return r;
}

static int make_journal(void)
{
	struct qm_plan p = { 0 };
	char *name = mark, *boot = mark;
	int r;

	add_all(&p);
	r = qm_journal_boot(&own, &boot);
	EXPECT(r == 0 || boot == mark);
	if (r == 0)
		r = qm_journal_create(&state, &p, boot, &name);
	EXPECT(r == 0 || name == mark);
	if (boot != mark)
		free(boot);
	qm_plan_done(&p);
	if (r < 0)
		return r;
	units_say("%s", name);
	r = qm_journal_mark(&state, name, "begin", 0);
	if (r == 0)
		r = qm_journal_mark(&state, name, "closed", -1);
	free(name);
	return r;
}

/* A journal that could not be made is none; a half-written mark is none. */
static void check_journal(int r)
{
	struct qm_problems problems = { 0 };
	struct qm_journals js;

	EXPECT(qm_journals_read(&state, &js, &problems) == 0);
	EXPECT(js.unreadable == 0 && problems.n == 0);
	EXPECT(js.n == 1 || (r < 0 && js.n == 0));
	if (js.n) {
		EXPECT(js.v[0].plan.n == QM_ARRAY_SIZE(files));
		EXPECT(r < 0 || (js.v[0].closed && js.v[0].begun[0] && !js.v[0].begun[1]));
	}
	qm_journals_done(&js);
	qm_problems_done(&problems);
	drop_own(r);
}

/* Whatever is wrong with it, one that is damaged is told of and none that is not is lost. */
static int read_damaged(void)
{
	static const char *const texts[] = {
		"",
		"{\"qmapctl_journal\":\"1\"}\n",
		"{\"qmapctl_journal\":\"2\"}\n{\"end\":0}\n",
		"{\"qmapctl_journal\":\"1\"}\n{\"end\":1}\n",
		"{\"qmapctl_journal\":\"1\"}\n{\"entry\":0,\"path\":\"etc/passwd\",\"old\":\"\",\"new\":\"\"}\n{\"end\":1}\n",
		"{\"qmapctl_journal\":\"1\"}\n{\"entry\":0}\n{\"end\":1}\n",
		"{\"qmapctl_journal\":\"1\"}\n3\n",
		"{\"qmapctl_journal\":1}\n{\"end\":0}\n",
		"{\"qmapctl_journal\":\"1\"}\n{\"end\":\"0\"}\n",
		/* From here on they are good, whatever the marks name. */
		"{\"qmapctl_journal\":\"1\"}\n{\"end\":0}\n{\"begin\":0}\n{\"cut",
		"{\"qmapctl_journal\":\"1\",\"boot\":\"a\"}\n{\"qmapctl_journal\":\"1\",\"boot\":\"b\"}\n{\"end\":0}\n",
		"{\"qmapctl_journal\":\"1\"}\n{\"end\":0}\n{\"done\":-1}\n{\"done\":1}\n{\"done\":\"0\"}\n[]\n\n",
	};

	for (size_t i = 0; i < QM_ARRAY_SIZE(texts); i++) {
		struct qm_problems problems = { 0 };
		struct qm_journals js;

		put("state/hint-000001.jsonl", texts[i]);
		put("state/hint-x.jsonl", "another file");
		put("state/hint-1.json", "another file");
		put("state/hint-0123456789.jsonl", "another file");
		EXPECT(qm_journals_read(&state, &js, &problems) == 0);
		EXPECT(js.n == (i >= QM_ARRAY_SIZE(texts) - 3));
		EXPECT(!js.n || !js.v[0].boot || strcmp(js.v[0].boot, "a") == 0);
		EXPECT(js.unreadable == 1 - js.n && problems.n == js.unreadable);
		qm_journals_done(&js);
		qm_problems_done(&problems);
	}
	return 0;
}

/* In a process of its own: 0 as it should be, 1 not so, 2 there is no such point any more. */
static int read_without_memory(unsigned long at)
{
	struct qm_problems problems = { 0 };
	struct qm_journals js = { 0 };
	bool hit, good;
	int r;

	inject_arm(INJECT_ALLOC, ENOMEM, at);
	r = qm_journals_read(&state, &js, &problems);
	hit = inject.hit;
	inject_disarm();
	/* Members that are lost in silence make a damaged journal of it, which is told of. */
	good = js.n == 1 ? js.v[0].begun[2] && js.v[0].plan.v[2].state == QM_CHANGE_APPLIED : js.unreadable && problems.n == 1;
	good = r == -ENOMEM || (r == 0 && good);
	qm_journals_done(&js);
	qm_problems_done(&problems);
	return !hit ? 2 : good ? 0 : 1;
}

/* The same for a plan. */
static int parse_without_memory(unsigned long at)
{
	struct qm_plan p = { .n = 77 };
	char *error = mark;
	bool hit, good;
	int r;

	inject_arm(INJECT_ALLOC, ENOMEM, at);
	r = qm_plan_parse(plan_text, strlen(plan_text), &p, &error);
	hit = inject.hit;
	inject_disarm();
	/* One that has lost a member is another plan, or none. */
	good = r == 0 || (p.n == 77 && (r == -EINVAL || (r == -ENOMEM && error == mark)));
	if (r == 0)
		qm_plan_done(&p);
	if (error != mark)
		free(error);
	return !hit ? 2 : good ? 0 : 1;
}

/* json-c itself may crash for want of memory, but what it gives is no plan, and loses no mark. */
static int each_in_child(int (*run)(unsigned long at))
{
	const struct rlimit none = { 0 };
	unsigned long at = 1, whole_ones = 0;
	int status = 0;

	for (; at < 1000; at++) {
		pid_t pid = fork();

		if (pid == 0) {
			setrlimit(RLIMIT_CORE, &none);
			exit(run(at));
		}
		assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
			break;
		EXPECT(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
		whole_ones += WIFEXITED(status);
	}
	EXPECT(at < 1000 && whole_ones > 4);
	return 0;
}

static int read_with_json(void)
{
	return each_in_child(read_without_memory);
}

static int parse_with_json(void)
{
	return each_in_child(parse_without_memory);
}

/* With all or nothing, one that somebody has changed keeps all from being written; so does having nothing to do. */
static int do_nothing(void)
{
	struct qm_apply_options all = { .all_or_nothing = true }, opt = { 0 };
	struct qm_plan p = { 0 };
	char *journal = mark;

	add_one(&p, QM_CHANGE_IRQ, IRQ(5), "4", "2", NULL);
	add_one(&p, QM_CHANGE_IRQ, IRQ(8), "1", "2", NULL);
	EXPECT(check_and_say(&p, &all) == 0);
	EXPECT(qm_plan_apply(&own, &state, &all, &p, &journal) == 0 && !journal);
	EXPECT(p.v[0].state == QM_CHANGE_PLANNED && p.v[1].state == QM_CHANGE_MOVED);
	qm_plan_done(&p);
	journal = mark;
	add_one(&p, QM_CHANGE_IRQ, IRQ(8), "0-7", "0-7", NULL);
	EXPECT(check_and_say(&p, &opt) == 0);
	EXPECT(qm_plan_apply(&own, &state, &opt, &p, &journal) == 0 && !journal);
	EXPECT(p.v[0].state == QM_CHANGE_SAME);
	qm_plan_done(&p);
	expect_as_before();
	return 0;
}

static int judge_same_irq(void)
{
	struct qm_irq nameless = { .nr = 5 };
	struct qm_machine one = { .irqs = &nameless, .n_irqs = 1 };
	struct qm_change c = { .path = (char *)RQ, .handler = (char *)"nvme0q1" };

	EXPECT(qm_change_is_same_irq(&c, &one));
	c.path = (char *)IRQ(9999999999);
	EXPECT(qm_change_is_same_irq(&c, &one));
	c.path = (char *)IRQ(5);
	EXPECT(qm_change_is_same_irq(&c, &one));
	nameless.name = (char *)"eth0";
	EXPECT(!qm_change_is_same_irq(&c, &one));
	c.path = (char *)"etc/passwd";
	EXPECT(qm_change_is_same_irq(&c, &one));
	return 0;
}

/* What a file holds, and whose that is: half of a write is ours, anything else is not. */
static int judge_contents(void)
{
	static const struct {
		const char *holds;
		enum qm_change_state state;
	} t[] = {
		{ "0,1,2,3\n", QM_CHANGE_UNDONE },      /* the old value */
		{ "0-3\n", QM_CHANGE_UNDONE },          /* in other words */
		{ "0-1,5\n", QM_CHANGE_APPLIED },       /* the new one */
		{ "0-1,5\n3\n", QM_CHANGE_APPLIED },   /* not yet cut */
		{ "0-1,5,3\n", QM_CHANGE_APPLIED },     /* begun */
		{ "0,1,5\n3\n", QM_CHANGE_APPLIED },    /* half taken back */
		{ "0-1,5\n3", QM_CHANGE_MOVED },        /* nothing of ours ends so */
		{ "0-1,5\n4\n", QM_CHANGE_MOVED },
		{ "0-1", QM_CHANGE_MOVED },
		{ "0,1,7\n3\n", QM_CHANGE_MOVED },
		{ "0,9\n", QM_CHANGE_MOVED },
		{ "9\n", QM_CHANGE_MOVED },
		{ "", QM_CHANGE_MOVED },
	};
	static const char journal[] =
		"{\"qmapctl_journal\":\"1\"}\n"
		"{\"entry\":0,\"path\":\"" IRQ(5) "\",\"old\":\"0,1,2,3\\n\",\"new\":\"0-1,5\"}\n"
		"{\"entry\":1,\"path\":\"" IRQ(6) "\",\"old\":\"1\",\"new\":\"2\"}\n"
		"{\"entry\":2,\"path\":\"" RQ "\",\"old\":\"1\",\"new\":\"2\"}\n"
		"{\"end\":3}\n{\"begin\":0}\n{\"begin\":2}\n{\"refused\":2}\n";

	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_problems problems = { 0 };
		struct qm_journals js;

		put("state/hint-000001.jsonl", journal);
		put(IRQ(5), t[i].holds);
		EXPECT(qm_journals_read(&state, &js, &problems) == 0);
		assert_int_equal(js.n, 1);
		EXPECT(qm_journal_status(&own, NULL, &js.v[0]) == 0);
		EXPECT(js.v[0].plan.v[0].state == t[i].state);
		/* Never begun, and refused: not looked at. */
		EXPECT(js.v[0].plan.v[1].state == QM_CHANGE_PLANNED && js.v[0].plan.v[2].state == QM_CHANGE_REFUSED);
		qm_journals_done(&js);
		EXPECT(qm_journals_read(&state, &js, &problems) == 0);
		EXPECT(qm_journal_undo(&own, NULL, &state, &js.v[0]) == 0);
		EXPECT(holds(IRQ(5), t[i].state == QM_CHANGE_APPLIED ? "0,1,2,3\n" : t[i].holds));
		EXPECT(holds(IRQ(6), files[1].old));
		qm_journals_done(&js);
		qm_problems_done(&problems);
	}
	return 0;
}

#define KEPT "refused the kernel took the value but kept 3; the old one was restored;"

static const struct unit writes[] = {
	{ .name = "check of a garbled machine", .make = make_own, .run = refuse_garbled, .check = drop_own,
	  .answer = "the plan is for a machine with CPUs seven, this one has 0-7" },
	{ .name = "busy", .make = make_own, .run = write_busy, .check = drop_own, .answer = "", .once = true },
	{ .name = "nothing to do", .make = make_own, .run = do_nothing, .check = drop_own, .answer = "", .once = true },
	{ .name = "whose interrupt", .run = judge_same_irq, .answer = "", .once = true },
	{ .name = "whose content", .make = make_own, .run = judge_contents, .check = drop_own, .answer = "", .once = true },
	{ .name = "check", .make = make_own, .run = check_plan, .check = drop_own, .tells = true },
	{ .name = "check on another machine", .make = make_own, .run = refuse_machine, .check = drop_own,
	  .answer = "the plan is for a machine with CPUs 0-3, this one has 0-7" },
	{ .name = "check of a path", .make = make_own, .run = refuse_path, .check = drop_own,
	  .answer = "\"etc/passwd\" is not a file that a plan may write" },
	{ .name = "check of a link", .make = make_linked, .run = refuse_link, .check = drop_own, .tells = true,
	  .answer = IRQ(5) ": a symbolic link stands there" },
	{ .name = "apply", .make = make_own, .run = apply, .check = check_applied, .tells = true,
	  .answer = "same;applied;applied;applied;same;" },
	{ .name = "undo", .make = make_applied, .run = undo, .check = check_undone, .tells = true, .own = true,
	  .answer = "undone;undone;undone;" },
	{ .name = "undo beside others", .make = make_moved, .run = undo, .check = check_moved, .tells = true, .own = true,
	  .answer = "moved holds something else now; left alone;undone;moved gone;" },
	{ .name = "undo of what is half-written", .make = make_half, .run = undo, .check = check_undone, .tells = true,
	  .own = true, .answer = "undone;undone;undone;" },
	{ .name = "undo of what is half-undone", .make = make_mixed, .run = undo, .check = check_undone, .tells = true,
	  .own = true, .answer = "undone;undone;undone;" },
	{ .name = "undo of another's interrupt", .make = make_renamed, .run = undo, .check = check_renamed, .tells = true,
	  .own = true, .answer = "moved the number is another interrupt's by now; left alone;undone;undone;" },
	{ .name = "undo after another start", .make = make_rebooted, .run = undo, .check = drop_own, .tells = true,
	  .own = true },
	{ .name = "status", .make = make_applied, .run = say_status, .check = check_undone, .tells = true, .own = true,
	  .answer = "applied;applied;applied;" },
	{ .name = "status beside others", .make = make_moved, .run = say_status, .check = check_moved, .tells = true,
	  .own = true, .answer = "moved holds something else now; left alone;applied;moved gone;" },
	{ .name = "status after another start", .make = make_rebooted, .run = say_status, .check = drop_own, .tells = true,
	  .own = true },
	{ .name = "journal", .make = make_own, .run = make_journal, .check = check_journal, .answer = "hint-000001.jsonl",
	  .tells = true, .closes = 2 },
	{ .name = "damaged journals", .make = make_own, .run = read_damaged, .check = drop_own, .answer = "", .once = true },
	{ .name = "plan where json-c finds no memory", .run = parse_with_json, .answer = "", .once = true },
	{ .name = "journal where json-c finds no memory", .make = make_applied, .run = read_with_json, .check = drop_own,
	  .answer = "", .once = true },
};

/* Looking for a file takes memory then. */
static const struct unit walks[] = {
	{ .name = "check", .make = make_own, .run = check_plan, .check = drop_own, .tells = true, .few = true },
	{ .name = "apply", .make = make_own, .run = apply, .check = check_applied, .tells = true, .few = true,
	  .answer = "same;applied;applied;applied;same;" },
	{ .name = "undo", .make = make_applied, .run = undo, .check = check_undone, .tells = true, .own = true, .few = true,
	  .answer = "undone;undone;undone;" },
	{ .name = "status", .make = make_applied, .run = say_status, .check = check_undone, .tells = true, .own = true, .few = true,
	  .answer = "applied;applied;applied;" },
};

static const struct unit all_applies[] = {
	{ .name = "apply with little memory", .run = apply_with_little, .answer = "", .once = true },
	{ .name = "apply all", .make = make_own, .run = apply, .check = check_applied, .tells = true, .own = true, .few = true,
	  .answer = "same;applied;applied;applied;same;" },
};

static const struct unit live_applies[] = {
	{ .name = "apply", .make = make_own, .run = apply, .check = check_applied, .tells = true,
	  .answer = "same;applied;" KEPT "applied;same;" },
};

static const struct unit live_all[] = {
	{ .name = "apply with little memory", .run = apply_with_little, .answer = "", .once = true },
	{ .name = "apply all", .make = make_own, .run = apply, .check = check_applied, .tells = true, .own = true,
	  .answer = "same;undone;" KEPT "planned;same;" },
};

static void read_machine(struct qm_root *r, const char *path, struct qm_machine *ret)
{
	unsigned what = QM_READ_DEVICES | QM_READ_IRQS | QM_READ_IRQ_DETAIL | QM_READ_IRQBALANCE;

	assert_int_equal(qm_root_open(r, path, false, NULL), 0);
	assert_int_equal(qm_machine_read(r, what, ret), 0);
	r->problems = NULL;
}

/* With interrupts of its own, of which only what is no pointer is changed. */
static void alter(struct qm_machine *one, bool blind, int managed)
{
	*one = m;
	one->irqs = calloc(m.n_irqs, sizeof(*one->irqs));
	assert_non_null(one->irqs);
	memcpy(one->irqs, m.irqs, m.n_irqs * sizeof(*one->irqs));
	for (size_t i = 0; i < m.n_irqs; i++) {
		one->irqs[i].has_requested &= !blind;
		one->irqs[i].managed = managed;
	}
}

static void read_machines(char **argv)
{
	struct qm_plan_options opt = { 0 };

	read_machine(&root, argv[1], &m);
	read_machine(&fabrics_root, argv[2], &fabrics_m);
	assert_int_equal(qm_plan_make(&root, &m, &opt, &whole), 0);
	/* The same but for a word or two; only m is given back. */
	bare_m = m;
	bare_m.n_irqs = 0;
	old_m = banned_m = isolated_m = m;
	alter(&blind_m, true, 0);
	alter(&managed_m, false, 1);
	isolated_m.topo.isolated = m.topo.online;
	old_m.kernel = (struct qm_kernel){ .major = 3, .minor = 10, .distro = QM_DISTRO_RHEL };
	for (size_t i = 0; i < m.n_irqs; i++)
		assert_int_equal(qm_ids_add(&banned_m.irqbalance_banned, m.irqs[i].nr), 0);
	qm_cpuset_set_range(&here.topo.possible, 0, 7);
	qm_cpuset_set_range(&here.topo.online, 0, 5);
	here.irqs = irqs;
	here.n_irqs = QM_ARRAY_SIZE(irqs);
	assert_int_equal(qm_ids_add(&here.irqbalance_banned, 21), 0);
}

int main(int argc, char **argv)
{
	bool good;

	if (argc != 3)
		return 125;
	read_machines(argv);
	good = units_run("hint: ", plans, QM_ARRAY_SIZE(plans));
	for (format = 0; format < _QM_EXPORT_MAX; format++) {
		char prefix[64];

		snprintf(prefix, sizeof(prefix), "hint: export to %s: ", qm_export_format_name(format));
		good = units_run(prefix, exports, QM_ARRAY_SIZE(exports)) && good;
	}
	good = units_run("hint: ", writes, QM_ARRAY_SIZE(writes)) && good;
	walk = true;
	good = units_run("hint by the walk: ", walks, QM_ARRAY_SIZE(walks)) && good;
	all_or_nothing = true;
	good = units_run("hint by the walk: ", all_applies, QM_ARRAY_SIZE(all_applies)) && good;
	walk = false;
	live = true;
	good = units_run("hint live: ", live_all, QM_ARRAY_SIZE(live_all)) && good;
	all_or_nothing = false;
	good = units_run("hint live: ", live_applies, QM_ARRAY_SIZE(live_applies)) && good;
	qm_ids_done(&here.irqbalance_banned);
	qm_ids_done(&banned_m.irqbalance_banned);
	free(blind_m.irqs);
	free(managed_m.irqs);
	qm_plan_done(&whole);
	qm_machine_done(&m);
	qm_machine_done(&fabrics_m);
	qm_root_close(&root);
	qm_root_close(&fabrics_root);
	return !good;
}
