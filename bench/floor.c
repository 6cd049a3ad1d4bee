// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The floor below any reader of a machine's tree: opens, reads and closes once each file that an answer needs, from an
 * open directory near it, and does nothing with what it read but find the next file.
 *
 *	floor ROOT topology	the sets of CPUs, cores, packages, clusters, last-level caches, nodes
 *	floor ROOT list		these, the controllers, the map of each, and the interrupts with their names
 *	floor ROOT audit	these, and whether irqbalance runs
 *
 * ROOT is "/" or a tree that mkgiant.py made. What it relies on there and a stranger's tree does not grant: every controller
 * has one disk, every CPU is online, and no name is too long. Kept apart from the program that it measures: nothing is shared.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CPUS 8192
/* A kernel cuts a list near a page; from here on the directories have to tell. */
#define NEAR_PAGE 4080

static char text[65536];
static bool live;

/* The file's text stands in the buffer above. Returns its length, 0 without the file. */
__attribute__((format(printf, 2, 3)))
static ssize_t get(int dir, const char *format, ...)
{
	char path[512];
	va_list args;
	ssize_t n;
	int fd;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		text[0] = '\0';
		return 0;
	}
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	n = n > 0 ? n : 0;
	text[n] = '\0';
	return n;
}

static int enter(int dir, const char *path)
{
	return openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Calls tell for each entry that begins with prefix and goes on with a digit, or for all without a dot for NULL. */
static void each_in(int fd, const char *prefix, void (*tell)(int dir, const char *name))
{
	_Alignas(struct dirent64) char buf[32768];
	size_t len = prefix ? strlen(prefix) : 0;
	long n;

	while (n = syscall(SYS_getdents64, fd, buf, sizeof(buf)), n > 0) {
		const struct dirent64 *e;

		for (long at = 0; tell && at < n; at += e->d_reclen) {
			e = (const struct dirent64 *)(buf + at);
			if (prefix ? !strncmp(e->d_name, prefix, len) && isdigit((unsigned char)e->d_name[len]) :
				     e->d_name[0] != '.')
				tell(fd, e->d_name);
		}
	}
}

static void each(int dir, const char *path, const char *prefix, void (*tell)(int dir, const char *name))
{
	int fd = enter(dir, path);

	if (fd < 0)
		return;
	each_in(fd, prefix, tell);
	close(fd);
}

/* Marks the CPUs of the list in the buffer. */
static void mark(bool *seen)
{
	const char *p = text;

	while (isdigit((unsigned char)*p)) {
		char *end;
		unsigned long first = strtoul(p, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		while (first <= last && first < CPUS)
			seen[first++] = true;
		p = end + (*end == ',');
	}
}

/* ---- topology ---- */

/* One file for each set of CPUs, and another beside it. */
static void read_sets(int cpu, unsigned n, const char *file, const char *other)
{
	static bool seen[CPUS];

	memset(seen, 0, sizeof(seen));
	for (unsigned i = 0; i < n; i++) {
		if (seen[i])
			continue;
		if (other)
			get(cpu, "cpu%u/%s", i, other);
		get(cpu, "cpu%u/%s", i, file);
		mark(seen);
		seen[i] = true;
	}
}

/* The first CPU tells which cache is the last. */
static void read_caches(int cpu, unsigned n)
{
	static bool seen[CPUS];
	int index = 0, last = -1;

	while (get(cpu, "cpu0/cache/index%d/level", index) > 0)
		last = index++;
	for (unsigned i = 0; i < n && last >= 0; i++) {
		char path[64];

		if (seen[i])
			continue;
		/* Which caches a CPU has differs between kinds of CPUs. */
		snprintf(path, sizeof(path), "cpu%u/cache", i);
		each(cpu, path, "index", NULL);
		get(cpu, "cpu%u/cache/index%d/shared_cpu_list", i, last);
		mark(seen);
	}
}

static void node(int dir, const char *name)
{
	static const char *const files[] = { "cpulist", "meminfo", "distance" };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		get(dir, "%s/%s", name, files[i]);
	/* A tree may have been edited: there the other form is compared. */
	if (!live)
		get(dir, "%s/cpumap", name);
}

static void read_topology(int root)
{
	static const char *const files[] = { "present", "online", "isolated", "nohz_full" };
	int cpu = enter(root, "sys/devices/system/cpu");
	int nodes = enter(root, "sys/devices/system/node");
	unsigned n, n_nodes;

	get(root, "proc/sys/kernel/osrelease");
	if (!live)
		get(root, "proc/sys/kernel/arch");
	get(root, "proc/cmdline");
	get(cpu, "possible");
	n = strchr(text, '-') ? (unsigned)strtoul(strchr(text, '-') + 1, NULL, 10) + 1 : 1;
	n = n < CPUS ? n : CPUS;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		get(cpu, "%s", files[i]);
	read_sets(cpu, n, "topology/thread_siblings_list", NULL);
	read_sets(cpu, n, "topology/core_siblings_list", "topology/physical_package_id");
	read_sets(cpu, n, "topology/cluster_cpus_list", NULL);
	read_caches(cpu, n);
	get(nodes, "possible");
	get(nodes, "online");
	n_nodes = strchr(text, '-') ? (unsigned)strtoul(strchr(text, '-') + 1, NULL, 10) + 1 : 1;
	for (unsigned i = 0; i < n_nodes; i++) {
		char name[32];

		snprintf(name, sizeof(name), "node%u", i);
		node(nodes, name);
	}
	/* Nothing may have changed meanwhile. */
	get(cpu, "present");
	get(cpu, "online");
	close(nodes);
	close(cpu);
}

/* ---- controllers ---- */

static int top;

/* Where a link of a class leads, as a path from the root. False where it is none. */
static bool follow(int dir, const char *name, char *ret, size_t size)
{
	char target[512], *p = target;
	ssize_t n = readlinkat(dir, name, target, sizeof(target) - 1);

	if (n < 0)
		return false;
	target[n] = '\0';
	while (!strncmp(p, "../", 3))
		p += 3;
	return (size_t)snprintf(ret, size, "sys/%s", p) < size;
}

static void queue(int mq, const char *name)
{
	if (get(mq, "%s/cpu_list", name) >= NEAR_PAGE)
		each(mq, name, "cpu", NULL);
	if (strcmp(name, "0") == 0) {
		get(mq, "0/nr_tags");
		get(mq, "0/nr_reserved_tags");
	}
}

/* What carries a SCSI host: its driver, its node, and how many queues it says it has. */
static void read_host(const char *disk)
{
	static const char *const files[] = { "nr_hw_queues", "can_queue", "cmd_per_lun" };
	const char *host = strstr(disk, "/host"), *slash;
	char path[512], link[16];

	if (!host)
		return;
	slash = strchr(host + 1, '/');
	for (size_t i = 0; slash && i < sizeof(files) / sizeof(files[0]); i++)
		get(top, "%.*s/scsi_host/%.*s/%s", (int)(slash - disk), disk, (int)(slash - host - 1), host + 1, files[i]);
	for (int up = 0; up < 2; up++) {
		snprintf(path, sizeof(path), "%.*s/driver", (int)(host - disk), disk);
		if (readlinkat(top, path, link, sizeof(link)) >= 0)
			break;
		do
			host--;
		while (host > disk && *host != '/');
	}
	get(top, "%.*s/numa_node", (int)(host - disk), disk);
}

static void disk(int dir, const char *name)
{
	char path[512], mq[600];

	if (!follow(dir, name, path, sizeof(path)))
		return;
	snprintf(mq, sizeof(mq), "%s/mq", path);
	each(top, mq, "", queue);
	get(top, "%s/queue/rq_affinity", path);
	read_host(path);
}

static void controller(int dir, const char *name)
{
	static const char *const files[] = {
		"transport", "state", "address", "subsysnqn", "serial", "model", "firmware_rev", "cntrltype", "queue_count", "sqsize",
	};
	char path[512];
	int fd;

	if (!follow(dir, name, path, sizeof(path)))
		return;
	fd = enter(top, path);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		get(fd, "%s", files[i]);
	close(fd);
	/* DEVICE/nvme/nvmeN */
	for (int up = 0; up < 2; up++)
		*strrchr(path, '/') = '\0';
	get(top, "%s/numa_node", path);
}

/* ---- interrupts ---- */

static void irq(int dir, const char *nr)
{
	/* The names are those of the directories in it. */
	each(dir, nr, NULL, NULL);
	get(dir, "%s/smp_affinity_list", nr);
	get(dir, "%s/effective_affinity_list", nr);
}

/* ---- processes ---- */

static void process(int dir, const char *pid)
{
	get(dir, "%s/comm", pid);
}

int main(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[2] : "";

	if (strcmp(what, "topology") != 0 && strcmp(what, "list") != 0 && strcmp(what, "audit") != 0) {
		fprintf(stderr, "usage: floor ROOT topology|list|audit\n");
		return 2;
	}
	live = strcmp(argv[1], "/") == 0;
	top = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (top < 0) {
		perror(argv[1]);
		return 2;
	}
	read_topology(top);
	if (strcmp(what, "topology") != 0) {
		each(top, "sys/block", NULL, disk);
		each(top, "sys/class/nvme", "nvme", controller);
		each(top, "proc/irq", "", irq);
	}
	if (strcmp(what, "audit") == 0)
		each(top, "proc", "", process);
	close(top);
	return 0;
}
