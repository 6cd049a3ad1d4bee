// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole machines: a tree is made from a compact description and read, audited and planned for as the program does, and one
 * of the commands is run on it.
 *
 * One entry a line: "PATH TEXT" a file, "PATH/" a directory, "PATH -> TARGET" a link. "c/", "n/", "b/" and "i/" at the
 * beginning of a path are the directories of CPUs, nodes, block devices and interrupts; in a TEXT "\0" is a NUL and "\n" a
 * newline. Links are made last and nothing is made through one, so a hostile description stays in its directory.
 */
#include "targets.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <json-c/json.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/audit.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "hint/hint.h"
#include "machine/interrupts.h"
#include "map/identify.h"

#define ENTRIES_MAX 400

static const char *const beginnings[][2] = {
	{ "c/", "sys/devices/system/cpu/" },
	{ "n/", "sys/devices/system/node/" },
	{ "b/", "sys/block/" },
	{ "i/", "proc/irq/" },
};

/* Opens the directory of a path below dir, making what is missing; *ret_base is the last component. -1: no such path. */
static int open_parent(int dir, const char *path, const char **ret_base)
{
	int fd = dup(dir);
	const char *slash;

	while (fd >= 0 && (slash = strchr(path, '/'))) {
		char name[128];
		size_t len = (size_t)(slash - path);
		int next;

		if (len >= sizeof(name) || (path[0] == '.' && len <= 2)) {
			close(fd);
			return -1;
		}
		memcpy(name, path, len);
		name[len] = '\0';
		path = slash + 1;
		if (len == 0)
			continue;
		(void)mkdirat(fd, name, 0755);
		next = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(fd);
		fd = next;
	}
	*ret_base = path;
	return fd;
}

static size_t unescape(char *text)
{
	size_t out = 0;

	for (char *p = text; *p; p++, out++) {
		if (p[0] == '\\' && (p[1] == '0' || p[1] == 'n'))
			text[out] = *++p == '0' ? '\0' : '\n';
		else
			text[out] = *p;
	}
	return out;
}

static void make_file(int dir, const char *base, char *text)
{
	int fd = openat(dir, base, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	size_t len = unescape(text);

	if (fd < 0)
		return;
	/* a short file is a file, too */
	if (write(fd, text, len) == (ssize_t)len)
		(void)!write(fd, "\n", 1);
	close(fd);
}

static void make_entry(int top, char *line, bool links)
{
	char *to = strstr(line, " -> "), *text = strchr(line, ' ');
	struct qm_strbuf path = { 0 };
	const char *base;
	int dir;

	if (links != !!to)
		return;
	if (to)
		*to = '\0';
	else if (text)
		*text++ = '\0';
	for (size_t i = 0; i < QM_ARRAY_SIZE(beginnings) && !path.len; i++) {
		if (strncmp(line, beginnings[i][0], 2) == 0) {
			qm_strbuf_adds(&path, beginnings[i][1]);
			line += 2;
		}
	}
	qm_strbuf_adds(&path, line);
	dir = open_parent(top, qm_strbuf_str(&path), &base);
	if (dir >= 0 && *base && strcmp(base, ".") != 0 && strcmp(base, "..") != 0) {
		if (to)
			(void)!symlinkat(to + 4, dir, base);
		else
			make_file(dir, base, text ? text : line + strlen(line));
	}
	if (dir >= 0)
		close(dir);
	qm_strbuf_done(&path);
}

#ifdef QM_FUZZ_MEMFS_H
/* Half of the inputs are read as on a kernel without openat2(). */
static bool make_top(const char *description, char path[64])
{
	memfs_reset(strlen(description) % 2);
	strcpy(path, "memfs");
	return true;
}

static void remove_top(const char *path)
{
	(void)path;
	FUZZ_CHECK(memfs_n_open() == 0);
}
#else
static bool make_top(const char *description, char path[64])
{
	(void)description;
	snprintf(path, 64, "%s/qmapctl-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	return mkdtemp(path) != NULL;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	(void)remove(path);
	return 0;
}

static void remove_top(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
#endif

/* Makes the tree. Returns its directory, a descriptor; *path is its name. */
static int make_tree(const char *description, char path[64])
{
	int top;

	if (!make_top(description, path))
		return -1;
	top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int links = 0; top >= 0 && links < 2; links++) {
		char *copy = strdup(description), *save = NULL;
		unsigned n = 0;

		for (char *line = copy ? strtok_r(copy, "\n", &save) : NULL; line && n < ENTRIES_MAX;
		     line = strtok_r(NULL, "\n", &save), n++)
			make_entry(top, line, links);
		free(copy);
	}
	return top;
}

static void judge(struct qm_root *root, const struct qm_machine *m)
{
	const struct qm_audit_options options = { 0 };
	const struct qm_plan_options plan_options = { 0 };
	struct qm_findings findings = { 0 };
	struct qm_plan plan = { 0 };

	/* Tables are made for the possible CPUs. */
	FUZZ_CHECK(qm_cpuset_is_subset(&m->topo.present, &m->topo.possible));
	FUZZ_CHECK(qm_cpuset_is_subset(&m->topo.online, &m->topo.present));
	FUZZ_CHECK(qm_cpuset_last(&m->topo.possible) == (int)m->topo.nr_cpus - 1);
	FUZZ_CHECK(!qm_cpuset_is_empty(&m->topo.online));
	for (size_t i = 0; i < m->n_irqs; i++)
		FUZZ_CHECK(m->topo.possible_derived || qm_cpuset_is_subset(m->irqs[i].effective, &m->topo.possible));
	for (size_t i = 1; i < m->n_disks; i++)
		FUZZ_CHECK(strcmp(m->disks[i].name, m->disks[i - 1].name) != 0);
	if (qm_audit_run(m, &options, &findings) == 0) {
		for (size_t i = 0; i < findings.n; i++)
			FUZZ_CHECK(findings.v[i].message && *findings.v[i].message);
		qm_findings_done(&findings);
	}
	for (size_t i = 0; i < m->n_controllers; i++) {
		const struct qm_controller *c = &m->controllers[i];

		FUZZ_CHECK(c->name && *c->name);
		for (size_t q = 0; q < c->n_hctx; q++)
			FUZZ_CHECK(q == 0 || c->hctx[q].id > c->hctx[q - 1].id);
	}
	if (qm_plan_make(root, m, &plan_options, &plan) == 0) {
		for (size_t i = 0; i < plan.n; i++)
			FUZZ_CHECK(qm_hint_path_is_allowed(plan.v[i].path, NULL, NULL));
		qm_plan_done(&plan);
	}
}

/* What people may ask about a tree; one of these for each input. */
static const char *const questions[] = {
	"list", "list -J", "show", "show -J", "show --by-cpu", "show --matrix", "show --irq --counts", "show --irq -J", "show --pin",
	"topology", "topology -J", "audit -v", "audit -J --reserved 1", "audit --offline 1", "compare", "compare -J", "predict -J",
	"predict --kernel 6.1 --by-queue", "advise --kernel 5.3", "advise -J --kernel 6.1", "hint plan", "hint plan -J",
	"hint export --format shell", "hint export --format udev", "hint export --format irqbalance",
	"hint export --format nvme",
};

#define WORDS_MAX 16

/* Whatever a tree holds, its texts do nothing to a terminal, and JSON is whole. */
static void check_answer(const struct qm_run *run, const char *text, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		uint32_t c;

		n = qm_utf8_next(text + i, &c);
		FUZZ_CHECK(n > 0);
		FUZZ_CHECK(c == '\n' || c == '\t' || (c >= 0x20 && (c < 0x7f || c >= 0xa0)));
	}
	if (run->g.json) {
		json_object *o = json_tokener_parse(text);

		FUZZ_CHECK(o != NULL);
		json_object_put(o);
	}
}

/* The command, as the program runs it, on the tree of that name. */
static void ask(const char *question, const char *path)
{
	char words[64], *argv[WORDS_MAX] = { "qmapctl", "-qs", (char *)path }, *save, *text = NULL;
	struct qm_run run = { .root.fd = -1 };
	int argc = 3, r;
	size_t len = 0;
	FILE *f;

	snprintf(words, sizeof(words), "%s", question);
	for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	r = qm_options_parse(&run, argc, argv);
	FUZZ_CHECK(r == 0);
	qm_out_init(&run);
	f = open_memstream(&text, &len);
	if (f) {
		run.out.f = f;
		r = run.command->run(&run);
		fclose(f);
		if (r == 0)
			check_answer(&run, text, len);
	}
	free(text);
	qm_run_done(&run);
}

static void read_tree(const char *description)
{
	struct qm_machine m = { 0 };
	struct qm_problems problems = { 0 };
	struct qm_root root = { .fd = -1 };
	char path[64];
	int top = make_tree(description, path), r;

	if (top < 0)
		return;
	r = qm_root_open(&root, path, false, &problems);
	FUZZ_CHECK(r == 0);
	r = qm_machine_read(&root,
			    QM_READ_DEVICES | QM_READ_IRQS | QM_READ_IRQ_DETAIL | QM_READ_IRQ_COUNTS | QM_READ_IRQBALANCE, &m);
	if (r == 0) {
		judge(&root, &m);
		qm_machine_done(&m);
		ask(questions[strlen(description) / 2 % QM_ARRAY_SIZE(questions)], path);
	}
	qm_root_close(&root);
	qm_problems_done(&problems);
	close(top);
	remove_top(path);
}

void fuzz_tree(const char *text, size_t len)
{
	(void)len;
	read_tree(text);
}

/*
 * Interrupts of a small machine with an NVMe disk, one a line: "NAMES|AFFINITY|EFFECTIVE|CHIP", any of them empty.
 */
static const char machine_of_interrupts[] = "c/possible 0-7\nc/present 0-7\nc/online 0-5\nc/cpu0/node0/x \n"
					    "n/possible 0-1\nn/online 0-1\nn/node0/cpulist 0-3\nn/node1/cpulist 4-7\n"
					    "b/nvme0n1/mq/0/cpu_list 0, 1\nb/nvme0n1/mq/1/cpu_list 2-3\n"
					    "b/nvme0n1/mq/2/cpu_list 4-7\nb/nvme0n1/dev 259:0\n"
					    "b/sda/mq/0/cpu_list 0-7\nb/sda/dev 8:0\n"
					    "sys/devices/pci0000:00/0000:00:04.0/nvme/nvme0/transport pcie\n"
					    "sys/devices/pci0000:00/0000:00:04.0/nvme/nvme0/queue_count 4\n"
					    "sys/devices/pci0000:00/0000:00:04.0/msi_irqs/24 msix\n"
					    "sys/devices/pci0000:00/0000:00:04.0/msi_irqs/25 msix\n"
					    "sys/devices/pci0000:00/0000:00:04.0/msi_irqs/26 msix\n"
					    "sys/devices/pci0000:00/0000:00:04.0/msi_irqs/27 msix\n"
					    "sys/class/nvme/nvme0 -> ../../devices/pci0000:00/0000:00:04.0/nvme/nvme0\n"
					    "sys/class/nvme/nvme0/device -> ../..\n"
					    "b/nvme0n1/device -> ../../class/nvme/nvme0\n"
					    "proc/sys/kernel/osrelease 6.1.0-18-amd64\n";

static void add_interrupt(struct qm_strbuf *b, unsigned nr, char *line)
{
	static const char *const files[][2] = {
		{ "sys/kernel/irq", "actions" },
		{ "proc/irq", "smp_affinity_list" },
		{ "proc/irq", "effective_affinity_list" },
		{ "sys/kernel/irq", "chip_name" },
	};
	char *names = line;

	for (size_t i = 0; i < QM_ARRAY_SIZE(files) && line; i++) {
		char *field = strsep(&line, "|");

		if (*field)
			qm_strbuf_addf(b, "%s/%u/%s %s\n", files[i][0], nr, files[i][1], field);
	}
	if (*names && !strchr(names, '/'))
		qm_strbuf_addf(b, "i/%u/%s/x \n", nr, names);
}

/* Behind the counts: what is found is where it was looked for. */
static void split_text(const char *text, size_t len)
{
	struct qm_interrupts_text got;

	qm_interrupts_split(text, len, &got);
	FUZZ_CHECK(got.hwirq >= -1);
	FUZZ_CHECK(!got.chip || (got.chip >= text && got.chip_len && got.chip + got.chip_len <= text + len));
	FUZZ_CHECK(!got.handlers || (got.handlers > got.chip && got.handlers_len && got.handlers + got.handlers_len <= text + len));
}

void fuzz_interrupts(const char *text, size_t len)
{
	char *copy = strdup(text), *save = NULL;
	struct qm_strbuf b = { 0 };
	unsigned nr = 20;

	split_text(text, len);
	qm_strbuf_adds(&b, machine_of_interrupts);
	for (char *line = copy ? strtok_r(copy, "\n", &save) : NULL; line && nr < 36; line = strtok_r(NULL, "\n", &save))
		add_interrupt(&b, nr++, line);
	if (!b.err)
		read_tree(qm_strbuf_str(&b));
	qm_strbuf_done(&b);
	free(copy);
}
