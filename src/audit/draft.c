// SPDX-License-Identifier: GPL-2.0-or-later
#include "audit/rules.h"

#include <errno.h>
#include <string.h>

#include "base/strbuf.h"

/* Longer lists are cut in messages: the finding itself carries them whole. */
#define LIST_SHOWN 60

static void fail(struct qm_draft *d, int err)
{
	if (d->err == 0)
		d->err = err;
}

void qm_draft_begin(
	struct qm_draft *d, struct qm_audit *a, const struct qm_rule *rule, enum qm_severity severity, long controller)
{
	*d = (struct qm_draft){
		.a = a,
		.f = {
			.rule = rule,
			.severity = severity < rule->severity ? severity : rule->severity,
			.controller = controller,
		},
	};
}

static void QM_PRINTF(3, 0) write_text(struct qm_draft *d, char **text, const char *fmt, va_list ap)
{
	char *s = NULL;
	int r;

	if (d->err < 0)
		return;
	r = qm_strbuf_vtake(fmt, ap, &s);
	if (r < 0) {
		fail(d, r);
		return;
	}
	free(*text);
	*text = s;
}

void qm_draft_message(struct qm_draft *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_text(d, &d->f.message, fmt, ap);
	va_end(ap);
}

void qm_draft_advice(struct qm_draft *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_text(d, &d->f.advice, fmt, ap);
	va_end(ap);
}

void qm_draft_command(struct qm_draft *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_text(d, &d->f.command, fmt, ap);
	va_end(ap);
}

void qm_draft_hctx(struct qm_draft *d, unsigned id)
{
	int r = d->err < 0 ? 0 : qm_ids_add(&d->f.hctx, id);

	if (r < 0)
		fail(d, r);
}

bool qm_draft_is_empty(const struct qm_draft *d)
{
	return d->f.hctx.n == 0 && d->f.irqs.n == 0 && d->err == 0;
}

void qm_draft_irq(struct qm_draft *d, unsigned nr)
{
	const struct qm_ids *irqs = &d->f.irqs;
	/* One that all queues share comes with each of them. */
	bool is_again = irqs->n > 0 && irqs->v[irqs->n - 1] == nr;
	int r = d->err < 0 || is_again ? 0 : qm_ids_add(&d->f.irqs, nr);

	if (r < 0)
		fail(d, r);
}

/* Lends what is in b, and empties it. */
static const char *lend(struct qm_draft *d, struct qm_strbuf *b)
{
	char *s = NULL;
	int r = d->err;

	if (r == 0)
		r = qm_array_grow(&d->lent, &d->cap_lent, d->n_lent + 1, sizeof(*d->lent));
	if (r == 0)
		r = qm_strbuf_take(b, &s);
	qm_strbuf_done(b);
	if (r < 0) {
		fail(d, r);
		return "";
	}
	d->lent[d->n_lent++] = s;
	return s;
}

/* Cuts a list at the last comma that fits, and says how many it had. */
static void cut_list(struct qm_strbuf *b, size_t count)
{
	size_t at = LIST_SHOWN;

	if (b->err < 0 || b->len <= LIST_SHOWN)
		return;
	while (at > 0 && b->s[at] != ',')
		at--;
	if (at == 0)
		return;
	b->s[at] = '\0';
	b->len = at;
	qm_strbuf_addf(b, ",... (%zu in all)", count);
}

const char *qm_draft_cpulist(struct qm_draft *d, const struct qm_cpuset *set)
{
	struct qm_strbuf b = { 0 };

	qm_cpuset_format(set, &b);
	cut_list(&b, qm_cpuset_count(set));
	return lend(d, &b);
}

const char *qm_draft_cpus(struct qm_draft *d, const struct qm_cpuset *set)
{
	return qm_draft_text(d, "CPU%s %s", qm_plural(qm_cpuset_count(set)), qm_draft_cpulist(d, set));
}

const char *qm_draft_whole_cpulist(struct qm_draft *d, const struct qm_cpuset *set)
{
	struct qm_strbuf b = { 0 };

	qm_cpuset_format(set, &b);
	return lend(d, &b);
}

const char *qm_draft_idlist(struct qm_draft *d, const struct qm_ids *ids)
{
	struct qm_strbuf b = { 0 };

	qm_ids_format(ids, &b);
	cut_list(&b, ids->n);
	return lend(d, &b);
}

const char *qm_draft_text(struct qm_draft *d, const char *fmt, ...)
{
	struct qm_strbuf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	qm_strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	return lend(d, &b);
}

const char *qm_draft_quote(struct qm_draft *d, const char *word)
{
	struct qm_strbuf b = { 0 };

	/* Names come from a machine that may be a stranger's tree: no command is better than a dangerous one. */
	for (const char *p = word; *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 127)
			d->no_command = true;
	}
	if (*word == '-')
		d->no_command = true;
	qm_strbuf_add_word(&b, word);
	return lend(d, &b);
}

static void finding_done(struct qm_finding *f)
{
	qm_ids_done(&f->hctx);
	qm_ids_done(&f->irqs);
	free(f->message);
	free(f->advice);
	free(f->command);
}

void qm_findings_done(struct qm_findings *f)
{
	for (size_t i = 0; i < f->n; i++)
		finding_done(&f->v[i]);
	free(f->v);
	*f = (struct qm_findings){ 0 };
}

int qm_draft_commit(struct qm_draft *d)
{
	struct qm_findings *out = d->a->out;
	int r = d->err;

	if (r == 0)
		r = qm_array_grow(&out->v, &out->cap, out->n + 1, sizeof(*out->v));
	for (size_t i = 0; i < d->n_lent; i++)
		free(d->lent[i]);
	free(d->lent);
	if (d->no_command) {
		free(d->f.command);
		d->f.command = NULL;
	}
	if (r < 0) {
		finding_done(&d->f);
	} else {
		d->f.seq = out->n;
		out->v[out->n++] = d->f;
		out->count[d->f.severity]++;
	}
	*d = (struct qm_draft){ 0 };
	return r;
}

const char *qm_plural(size_t n)
{
	return n == 1 ? "" : "s";
}
