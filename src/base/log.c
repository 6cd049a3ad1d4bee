// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/log.h"

#include <errno.h>
#include <string.h>

#include "base/strbuf.h"

/* A search from the end: repeats come in a row (the same file tried again), so this stays short in practice. */
static int is_known(const struct qm_problems *p, const char *path, const char *error)
{
	for (size_t i = p->n; i-- > 0;) {
		if (strcmp(p->v[i].path, path) == 0 && strcmp(p->v[i].error, error) == 0)
			return 1;
	}
	return 0;
}

void qm_problem_addf(struct qm_problems *p, const char *path, const char *fmt, ...)
{
	_cleanup_free_ char *error = NULL, *copy = NULL;
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = qm_strbuf_vtake(fmt, ap, &error);
	va_end(ap);
	if (r < 0) {
		p->err = r;
		return;
	}
	if (is_known(p, path, error))
		return;
	if (p->n >= QM_PROBLEMS_MAX) {
		p->dropped++;
		return;
	}
	copy = strdup(path);
	r = copy ? qm_array_grow(&p->v, &p->cap, p->n + 1, sizeof(*p->v)) : -ENOMEM;
	if (r < 0) {
		p->err = r;
		return;
	}
	p->v[p->n++] = (struct qm_problem){ .path = copy, .error = error };
	copy = error = NULL;
}

void qm_problems_done(struct qm_problems *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].path);
		free(p->v[i].error);
	}
	free(p->v);
	*p = (struct qm_problems){ 0 };
}
