// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/device.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/syspath.h"

#define NAME_SPACE 64
#define CMDLINE_MAX 8192

/* 1: the process is irqbalance, 0: it is another, -ENOENT: there is none, or -ENOMEM. */
static int is_irqbalance(const struct qm_dir *top, unsigned pid)
{
	_cleanup_free_ char *comm = NULL;
	char path[NAME_SPACE];
	int r;

	snprintf(path, sizeof(path), "proc/%u/comm", pid);
	r = qm_dir_read_line(top, path, &comm);
	if (r < 0)
		return r == -ENOMEM ? r : -ENOENT;
	return strcmp(comm, "irqbalance") == 0;
}

/* Its own word: a pid file, or a socket with the pid in its name. *ret_pid is left alone where there is none. */
static int read_pid(const struct qm_dir *top, bool *ret_found, unsigned *ret_pid)
{
	static const char *const files[] = { "run/irqbalance.pid", "var/run/irqbalance.pid" };
	_cleanup_(qm_names_done) struct qm_names names = { 0 };
	int r;

	for (size_t i = 0; i < QM_ARRAY_SIZE(files); i++) {
		long pid = -1;

		r = qm_scan_long(top, files[i], &pid);
		if (r < 0)
			return r;
		if (pid > 0 && pid < 1L << 31) {
			*ret_found = true;
			*ret_pid = (unsigned)pid;
			return 0;
		}
	}
	r = qm_dir_names(top, "run/irqbalance", &names);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		size_t len = strlen(names.v[i]);
		unsigned pid;

		if (len < 5 || strcmp(names.v[i] + len - 5, ".sock") != 0 ||
		    !qm_name_has_number(names.v[i], len - 5, "irqbalance", &pid))
			continue;
		*ret_found = true;
		*ret_pid = pid;
	}
	return qm_optional(r);
}

/* One word of the command line; next is the one behind it, for options whose argument stands apart. */
static int read_option(struct qm_machine *m, const char *word, const char *next)
{
	static const struct {
		const char *name;
		bool banned;
	} options[] = { { "--banirq", true }, { "-i", true }, { "--policyscript", false }, { "-l", false } };

	for (size_t i = 0; i < QM_ARRAY_SIZE(options); i++) {
		size_t n = strlen(options[i].name);
		const char *value = word + n;
		char *end;
		unsigned long nr;

		if (strncmp(word, options[i].name, n) != 0)
			continue;
		if (!*value)
			value = next;
		else if (n > 2 && *value == '=')
			value++;
		else if (n > 2)
			continue;
		if (!options[i].banned) {
			free(m->irqbalance_policy);
			m->irqbalance_policy = strdup(value);
			return m->irqbalance_policy ? 0 : -ENOMEM;
		}
		nr = *value >= '0' && *value <= '9' ? strtoul(value, &end, 10) : UINT_MAX;
		return nr <= INT_MAX ? qm_ids_add(&m->irqbalance_banned, (unsigned)nr) : 0;
	}
	return 0;
}

/* Its words, each ended by a NUL. Unreadable: nothing is known of its options. */
static int read_cmdline(const struct qm_dir *top, unsigned pid, struct qm_machine *m)
{
	_cleanup_close_ int fd = -1;
	char path[NAME_SPACE], words[CMDLINE_MAX + 2] = "";
	size_t len = 0;
	ssize_t n;
	int r = 0;

	snprintf(path, sizeof(path), "proc/%u/cmdline", pid);
	fd = qm_dir_open_file(top, path);
	if (fd < 0)
		return qm_optional(fd);
	do {
		n = read(fd, words + len, CMDLINE_MAX - len);
		len += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	/* The last word is cut off where there was no room for all. */
	words[len] = words[len + 1] = '\0';
	for (const char *p = words; r == 0 && p < words + len; p += strlen(p) + 1)
		r = read_option(m, p, p + strlen(p) + 1);
	return r;
}

int qm_irqbalance_read(struct qm_root *root, struct qm_machine *m)
{
	_cleanup_(qm_names_done) struct qm_names names = { 0 };
	struct qm_dir top = qm_root_dir(root);
	bool told = false, any = false;
	unsigned pid;
	int r;

	m->irqbalance = -1;
	r = read_pid(&top, &told, &pid);
	if (r < 0)
		return r;
	if (told && is_irqbalance(&top, pid) == 1) {
		m->irqbalance = 1;
		return read_cmdline(&top, pid, m);
	}
	r = qm_dir_names(&top, "proc", &names);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		unsigned nr;
		int is;

		if (!qm_name_has_number(names.v[i], strlen(names.v[i]), "", &nr))
			continue;
		is = is_irqbalance(&top, nr);
		if (is == -ENOMEM)
			return is;
		if (is == 1) {
			m->irqbalance = 1;
			return read_cmdline(&top, nr, m);
		}
		/* Where others' processes are hidden process 1 is, too, and nobody can tell. */
		any = any || (is == 0 && (nr == 1 || !root->live));
	}
	/* A captured tree may have the pid file alone. */
	if (any)
		m->irqbalance = 0;
	else if (told && !root->live)
		m->irqbalance = 1;
	return qm_optional(r);
}
