// SPDX-License-Identifier: GPL-2.0-or-later
/* The two kinds of value a hint writes, as text: a CPU list and a small number. */
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "hint/hint.h"

static size_t line_length(const char *s)
{
	size_t n = strcspn(s, "\n");

	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
		n--;
	return n;
}

bool qm_value_is_same(enum qm_change_what what, const char *a, const char *b)
{
	struct qm_cpuset x, y;
	size_t n = line_length(a);

	if (what == QM_CHANGE_IRQ && qm_cpuset_parse_list(a, -1, &x) == 0 && qm_cpuset_parse_list(b, -1, &y) == 0)
		return qm_cpuset_is_equal(&x, &y);
	return n == line_length(b) && memcmp(a, b, n) == 0;
}

int qm_value_line(const char *value, char **ret)
{
	struct qm_strbuf b = { 0 };
	int r;

	qm_strbuf_add(&b, value, line_length(value));
	qm_strbuf_addc(&b, '\n');
	r = qm_strbuf_take(&b, ret);
	qm_strbuf_done(&b);
	return r;
}

int qm_value_write(const struct qm_dir *top, const char *path, const char *bytes)
{
	int r;

	r = qm_dir_write(top, path, bytes, strlen(bytes));
	if (r == -EAGAIN || r == -EBUSY)
		r = qm_dir_write(top, path, bytes, strlen(bytes));
	return r;
}

/* What only a refused affinity means; NULL for others. */
static const char *irq_refusal(int r)
{
	switch (-r) {
	case EIO:
	case EPERM:
		return "the kernel places this interrupt itself (managed) and lets nobody move it";
	case EINVAL:
		return "no CPU of the mask is online";
	case ERANGE:
	case EOVERFLOW:
		return "names a CPU beyond what this kernel can have";
	case ENOSPC:
		return "no free interrupt vector on those CPUs";
	default:
		return NULL;
	}
}

const char *qm_value_refusal(enum qm_change_what what, int r)
{
	const char *why = what == QM_CHANGE_IRQ ? irq_refusal(r) : NULL;

	if (why)
		return why;
	switch (-r) {
	case EACCES:
		return "no permission; run it as root";
	case EINVAL:
		return "the kernel does not take this value here";
	case ENOENT:
		return "gone";
	case EROFS:
		return "the file system is read-only";
	case EAGAIN:
	case EBUSY:
		return "busy, and still busy when asked once more";
	default:
		return strerror(-r);
	}
}

const char *qm_value_unread(int r)
{
	switch (-r) {
	case EACCES:
		return "no permission to read it; run it as root";
	case ENOENT:
		return "gone";
	case EIO:
		return "cannot be read: the kernel gives an error";
	default:
		return strerror(-r);
	}
}
