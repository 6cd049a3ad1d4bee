// SPDX-License-Identifier: GPL-2.0-or-later
/* explain and capture as text. */
#include "out/results.h"
#include "out/text.h"

static void print_wrapped(struct qm_out *out, const char *text, unsigned indent)
{
	struct qm_strbuf b = { 0 };

	for (unsigned i = 0; i < indent; i++)
		qm_strbuf_addc(&b, ' ');
	qm_text_wrap(&b, text, indent, indent, out->width);
	qm_text_print(out, &b, "\n");
	qm_strbuf_done(&b);
}

static void print_rule(struct qm_out *out, const struct qm_rule *rule)
{
	fprintf(out->f, "%s: %s, %s\n", rule->name, qm_severity_name(rule->severity), rule->family);
	print_wrapped(out, rule->title, 2);
	fputc('\n', out->f);
	print_wrapped(out, rule->text, 2);
}

static void print_algo(struct qm_out *out, const struct qm_algo *a)
{
	/* A distribution's form begins with its name. */
	const char *linux_word = *a->first >= '0' && *a->first <= '9' ? "Linux " : "";

	fprintf(out->f, "%s:%s: %s%s", qm_family_name(a->family), a->id, linux_word, a->first);
	if (a->last)
		fprintf(out->f, " to %s", a->last);
	else
		fputs(" and later", out->f);
	fprintf(out->f, "%s\n", a->upstream ? "" : ", not a released mainline form");
	print_wrapped(out, a->title, 2);
	fputc('\n', out->f);
	print_wrapped(out, a->text, 2);
	if (a->commits && *a->commits) {
		struct qm_strbuf b = { 0 };

		qm_strbuf_addf(&b, "Source: %s", a->commits);
		fputc('\n', out->f);
		out->err = b.err ? b.err : out->err;
		print_wrapped(out, qm_strbuf_str(&b), 2);
		qm_strbuf_done(&b);
	}
}

#define NAME_WIDTH 28
#define KIND_WIDTH 9

static void print_line(struct qm_out *out, const struct qm_explanation *e)
{
	const char *kind = e->rule ? qm_severity_name(e->rule->severity) : "algorithm";
	struct qm_strbuf b = { 0 };

	if (e->rule)
		qm_strbuf_adds(&b, e->rule->name);
	else
		qm_strbuf_addf(&b, "%s:%s", qm_family_name(e->algo->family), e->algo->id);
	while (b.len < NAME_WIDTH + 1 && !b.err)
		qm_strbuf_addc(&b, ' ');
	qm_strbuf_addf(&b, "%-*s ", KIND_WIDTH, kind);
	qm_text_wrap(&b, e->rule ? e->rule->title : e->algo->title, NAME_WIDTH + KIND_WIDTH + 2, NAME_WIDTH + KIND_WIDTH + 2,
		     out->width);
	qm_text_print(out, &b, "\n");
	qm_strbuf_done(&b);
}

int qm_text_explain(struct qm_out *out, const struct qm_explain_result *res)
{
	for (size_t i = 0; i < res->n; i++) {
		if (res->list) {
			print_line(out, &res->v[i]);
			continue;
		}
		if (i)
			fputc('\n', out->f);
		if (res->v[i].rule)
			print_rule(out, res->v[i].rule);
		else
			print_algo(out, res->v[i].algo);
	}
	return 0;
}

int qm_text_capture(struct qm_out *out, const struct qm_capture_result *res)
{
	struct qm_strbuf b = { 0 };

	qm_text_safe(&b, res->dir);
	qm_text_print(out, &b, "");
	fprintf(out->f, ": %zu files, %zu links%s\n", res->files, res->links,
		res->redacted ? ", serials, NQNs, names and addresses replaced" : "");
	for (size_t i = 0; i < res->refused->n; i++) {
		qm_strbuf_reset(&b);
		qm_text_safe(&b, res->refused->v[i].path);
		fprintf(out->f, "not copied, %s: ", res->refused->v[i].error);
		qm_text_print(out, &b, "\n");
	}
	qm_strbuf_done(&b);
	return 0;
}
