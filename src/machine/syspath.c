// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/syspath.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/strbuf.h"

/* A decimal number without leading zeros at *s, below end. Moves *s behind it. */
static bool take_number(const char **s, const char *end, unsigned *ret)
{
	unsigned long long v = 0;
	const char *p = *s;

	if (p == end || *p < '0' || *p > '9' || (*p == '0' && p + 1 < end && p[1] >= '0' && p[1] <= '9'))
		return false;
	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		v = v * 10 + (unsigned)(*p - '0');
		if (v > INT_MAX)
			return false;
	}
	*s = p;
	*ret = (unsigned)v;
	return true;
}

void qm_name_join(char *buf, size_t size, const char *dir, const char *file)
{
	size_t n = strnlen(dir, size - 1), more;

	memcpy(buf, dir, n);
	if (n < size - 1)
		buf[n++] = '/';
	more = strnlen(file, size - 1 - n);
	memcpy(buf + n, file, more);
	buf[n + more] = '\0';
}

bool qm_name_has_number(const char *s, size_t len, const char *word, unsigned *ret)
{
	const char *end = s + len;
	size_t n = strlen(word);
	unsigned v;

	if (len < n || memcmp(s, word, n) != 0)
		return false;
	s += n;
	if (!take_number(&s, end, &v) || s != end)
		return false;
	*ret = v;
	return true;
}

bool qm_name_is_nvme_disk(const char *name, unsigned *ret_instance, int *ret_path, unsigned *ret_head)
{
	const char *p = name, *end = name + strlen(name);
	unsigned instance, path = 0, head;
	bool has_path = false;

	if (strncmp(p, "nvme", 4) != 0)
		return false;
	p += 4;
	if (!take_number(&p, end, &instance))
		return false;
	if (*p == 'c') {
		p++;
		if (!take_number(&p, end, &path))
			return false;
		has_path = true;
	}
	if (*p++ != 'n' || !take_number(&p, end, &head) || p != end)
		return false;
	*ret_instance = instance;
	*ret_path = has_path ? (int)path : -1;
	*ret_head = head;
	return true;
}

bool qm_name_is(const char *name, const char *word)
{
	unsigned nr;

	return qm_name_has_number(name, strlen(name), word, &nr);
}

/* Hex digits: at least min of them. Returns how many, 0 if too few. */
static size_t hex_digits(const char *s, size_t len, size_t min)
{
	size_t n = 0;

	while (n < len && ((s[n] >= '0' && s[n] <= '9') || (s[n] >= 'a' && s[n] <= 'f')))
		n++;
	return n >= min ? n : 0;
}

/* "0000:04:00.0", "10000:e1:00.0": a domain of four digits or more, bus, device, function. */
bool qm_syspath_is_pci(const char *s, size_t len)
{
	size_t domain = hex_digits(s, len, 4);

	if (!domain || len != domain + 8)
		return false;
	s += domain;
	return s[0] == ':' && hex_digits(s + 1, 2, 2) && s[3] == ':' && hex_digits(s + 4, 2, 2) && s[6] == '.' &&
	       s[7] >= '0' && s[7] <= '7';
}

/* Walks the components of a path: *p is behind the last one. False at the end. */
static bool next_part(const char **p, const char **ret, size_t *ret_len)
{
	const char *s = *p + strspn(*p, "/");
	size_t n = strcspn(s, "/");

	*ret = s;
	*ret_len = n;
	*p = s + n;
	return n > 0;
}

/* The last component that match() takes; NULL if there is none. */
const char *qm_syspath_find(const char *path, bool (*match)(const char *, size_t), size_t *ret_len)
{
	const char *p = path, *part, *found = NULL;
	size_t len;

	while (next_part(&p, &part, &len)) {
		if (match(part, len)) {
			found = part;
			*ret_len = len;
		}
	}
	return found;
}

bool qm_syspath_is_host(const char *s, size_t len)
{
	unsigned nr;

	return qm_name_has_number(s, len, "host", &nr);
}

bool qm_syspath_is_nvme(const char *s, size_t len)
{
	unsigned nr;

	return qm_name_has_number(s, len, "nvme", &nr);
}

/* The directory a path is in; new string. */
char *qm_syspath_parent(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strndup(path, slash ? (size_t)(slash - path) : 0);
}

bool qm_syspath_has(const char *path, const char *word)
{
	const char *p = path, *part;
	size_t n = strlen(word), len;

	while (next_part(&p, &part, &len)) {
		if (len >= n && memcmp(part, word, n) == 0)
			return true;
	}
	return false;
}

/* Does a component of the path start with word and go on with a digit? */
bool qm_syspath_has_numbered(const char *path, const char *word)
{
	const char *p = path, *part;
	size_t n = strlen(word), len;

	while (next_part(&p, &part, &len)) {
		if (len > n && memcmp(part, word, n) == 0 && part[n] >= '0' && part[n] <= '9')
			return true;
	}
	return false;
}

int qm_syspath_join(const char *a, const char *b, char **ret)
{
	struct qm_strbuf buf = { 0 };
	int r;

	qm_strbuf_addf(&buf, "%s/%s", a, b);
	r = qm_strbuf_take(&buf, ret);
	if (r < 0)
		qm_strbuf_done(&buf);
	return r;
}
