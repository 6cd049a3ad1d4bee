// SPDX-License-Identifier: GPL-2.0-or-later
/* advise and diagnose: paragraphs for people, tables where columns, -r or -P ask for one. */
#include <string.h>

#include "fabrics/status.h"
#include "out/results.h"
#include "out/text.h"

/* One table of n rows, each so many bytes. */
static int print_rows(struct qm_out *out, const struct qm_layout *layout, const void *rows, size_t n, size_t size)
{
	struct qm_table *t;
	int r = qm_table_new(out, layout, &t);

	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = qm_table_add(t, (const char *)rows + i * size);
	if (r == 0)
		r = qm_table_print(t);
	qm_table_free(t);
	return r;
}

/* Is a table wanted rather than prose? */
static bool wants_table(const struct qm_out *out)
{
	return out->raw || out->pairs || out->columns || out->noheadings;
}

static void add_colored(struct qm_strbuf *b, const struct qm_out *out, const char *code, const char *text)
{
	if (out->color && code)
		qm_strbuf_addf(b, "\033[%sm%s\033[0m", code, text);
	else
		qm_strbuf_adds(b, text);
}

/* ---- advise ---- */

#define ADVICE(row) ((const struct qm_advice *)(row))

GETTER(advice_transport)
{
	qm_cell_str(cell, qm_transport_name(ADVICE(row)->transport));
}

GETTER(advice_controller)
{
	if (ADVICE(row)->controller)
		qm_cell_str(cell, ADVICE(row)->controller->name);
}

GETTER(advice_requested)
{
	qm_cell_num(cell, ADVICE(row)->requested);
}

GETTER(advice_outcome)
{
	enum qm_connect_outcome o = ADVICE(row)->outcome;

	qm_cell_str(cell, qm_connect_outcome_name(o));
	cell->color = o == QM_CONNECT_REFUSED || o == QM_CONNECT_UNDEFINED ? RED : NULL;
}

GETTER(advice_sure)
{
	qm_cell_bool(cell, ADVICE(row)->sure);
}

GETTER(advice_qid)
{
	if (ADVICE(row)->has_failure)
		qm_cell_num(cell, (long long)ADVICE(row)->failure.hctx + 1);
}

GETTER(advice_hctx)
{
	if (ADVICE(row)->has_failure)
		qm_cell_num(cell, ADVICE(row)->failure.hctx);
}

GETTER(advice_cpus)
{
	if (ADVICE(row)->has_failure)
		qm_cell_cpus(cell, &ADVICE(row)->failure.cpus);
}

GETTER(advice_reason)
{
	if (ADVICE(row)->has_failure)
		qm_cell_str(cell, qm_connect_reason_name(ADVICE(row)->failure.reason));
}

GETTER(advice_safe)
{
	if (ADVICE(row)->algo)
		qm_cell_ids(cell, &ADVICE(row)->counts.safe);
}

/* A number of queues, unknown where the kernel is. */
static void count_cell(const struct qm_advice *a, unsigned n, struct qm_cell *cell)
{
	if (a->algo)
		qm_cell_num(cell, n);
}

GETTER(advice_largest)
{
	count_cell(ADVICE(row), ADVICE(row)->counts.largest_safe, cell);
}

GETTER(advice_any_grant)
{
	count_cell(ADVICE(row), ADVICE(row)->counts.largest_any_grant, cell);
}

GETTER(advice_resilient)
{
	count_cell(ADVICE(row), ADVICE(row)->counts.largest_resilient, cell);
}

GETTER(advice_after_loss)
{
	count_cell(ADVICE(row), ADVICE(row)->counts.largest_after_loss, cell);
}

GETTER(advice_message)
{
	qm_cell_str(cell, ADVICE(row)->message);
}

GETTER(advice_command)
{
	qm_cell_str(cell, ADVICE(row)->command);
}

static const struct qm_column advise_columns[] = {
	{ "TRANSPORT", "advice[].transport", "tcp, rdma, fc or loop", QM_COLUMN_STRING, 0, advice_transport },
	{ "CONTROLLER", "advice[].controller", "controller whose reset is judged; none: a new connection", QM_COLUMN_STRING, 0,
	  advice_controller },
	{ "QUEUES", "advice[].requested", "I/O queues asked for", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, advice_requested },
	{ "OUTCOME", "advice[].outcome", "connects, refused, undefined or unknown", QM_COLUMN_STRING, 0, advice_outcome },
	{ "SURE", "advice[].sure", "whether the outcome is", QM_COLUMN_BOOL, 0, advice_sure },
	{ "QID", "advice[].first_failure.qid", "first queue that fails", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, advice_qid },
	{ "CPUS", "advice[].first_failure.cpu_list", "its CPUs", QM_COLUMN_LIST, 0, advice_cpus },
	{ "REASON", "advice[].first_failure.reason", "why it fails: offline, isolated or unmapped", QM_COLUMN_STRING, 0,
	  advice_reason },
	{ "SAFE", "advice[].largest_safe", "largest number of queues that works", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT,
	  advice_largest },
	{ "ANYGRANT", "advice[].largest_safe_any_grant", "up to this every number works, whatever the target grants",
	  QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, advice_any_grant },
	{ "RESILIENT", "advice[].largest_resilient", "largest number whose map outlives the loss of any core", QM_COLUMN_NUMBER,
	  QM_COLUMN_RIGHT, advice_resilient },
	{ "AFTERLOSS", "advice[].largest_after_loss", "largest number that connects anew after the loss of any core",
	  QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, advice_after_loss },
	{ "SAFELIST", "advice[].safe_list", "all numbers that work", QM_COLUMN_LIST, QM_COLUMN_EXTRA, advice_safe },
	{ "HCTX", "advice[].first_failure.hctx", "first queue that fails, as blk-mq counts", QM_COLUMN_NUMBER,
	  QM_COLUMN_RIGHT | QM_COLUMN_EXTRA, advice_hctx },
	{ "MESSAGE", "advice[].message", "the same in words", QM_COLUMN_STRING, QM_COLUMN_EXTRA | QM_COLUMN_TEXT,
	  advice_message },
	{ "COMMAND", "advice[].command", "to run", QM_COLUMN_STRING, QM_COLUMN_EXTRA, advice_command },
};

const struct qm_layout qm_layout_advise = { NULL, advise_columns, QM_ARRAY_SIZE(advise_columns) };

/* Do two transports differ in their name only? */
static bool same_advice(const struct qm_advice *a, const struct qm_advice *b)
{
	const struct qm_connect_counts *n = &a->counts, *m = &b->counts;

	return !a->controller && !b->controller && a->message && b->message && strcmp(a->message, b->message) == 0 &&
	       a->queues.asked == b->queues.asked && n->largest_safe == m->largest_safe && n->safe.n == m->safe.n &&
	       n->largest_any_grant == m->largest_any_grant && n->largest_resilient == m->largest_resilient &&
	       n->largest_after_loss == m->largest_after_loss;
}

static void add_number(struct qm_strbuf *b, const char *label, unsigned n, const char *meaning)
{
	qm_strbuf_addf(b, "  %-13s ", label);
	if (n)
		qm_strbuf_addf(b, "%-5u", n);
	else
		qm_strbuf_adds(b, "none ");
	qm_strbuf_addf(b, " %s\n", meaning);
}

static void add_numbers(struct qm_strbuf *b, const struct qm_advice *a)
{
	if (!a->algo)
		return;
	qm_strbuf_adds(b, "  safe numbers  ");
	if (a->counts.safe.n)
		qm_ids_format(&a->counts.safe, b);
	else
		qm_strbuf_adds(b, "none");
	qm_strbuf_addc(b, '\n');
	add_number(b, "any grant", a->counts.largest_any_grant, "up to this all work, whatever the target grants");
	add_number(b, "resilient", a->counts.largest_resilient, "the connection outlives the loss of any core");
	add_number(b, "after loss", a->counts.largest_after_loss, "a new connection works after the loss of any core");
}

static void add_names(struct qm_strbuf *b, const struct qm_advise_result *res, size_t first, size_t behind)
{
	for (size_t i = first; i < behind; i++)
		qm_strbuf_addf(b, "%s%s", i == first ? "" : ", ", qm_transport_name(res->v[i].transport));
}

/* What is true of one transport alone. */
static void add_notes(struct qm_strbuf *b, const struct qm_out *out, const struct qm_advise_result *res, size_t first,
		      size_t behind)
{
	for (size_t i = first; i < behind; i++) {
		char label[16];

		snprintf(label, sizeof(label), "%s: ", qm_transport_name(res->v[i].transport));
		qm_text_paragraph(b, out, label, res->v[i].note);
	}
}

static void print_advice(struct qm_out *out, const struct qm_advise_result *res, size_t first, size_t behind)
{
	const struct qm_advice *a = &res->v[first];
	struct qm_strbuf b = { 0 };

	if (a->controller) {
		qm_text_safe(&b, a->controller->name);
		qm_strbuf_addf(&b, " (%s, %u queues), next reset", qm_transport_name(a->transport), a->queues.total);
	} else {
		add_names(&b, res, first, behind);
	}
	qm_strbuf_adds(&b, ": ");
	add_colored(&b, out, a->outcome == QM_CONNECT_CONNECTS ? NULL : "31", qm_connect_outcome_name(a->outcome));
	qm_strbuf_adds(&b, a->sure || a->outcome == QM_CONNECT_UNKNOWN ? "\n" : " (not sure)\n");
	qm_text_paragraph(&b, out, "", a->message);
	if (!a->controller)
		add_numbers(&b, a);
	add_notes(&b, out, res, first, behind);
	qm_text_command(&b, a->command);
	qm_text_print(out, &b, "");
	qm_strbuf_done(&b);
}

int qm_text_advise(struct qm_out *out, const struct qm_advise_result *res)
{
	size_t behind;

	if (wants_table(out))
		return print_rows(out, &qm_layout_advise, res->v, res->n, sizeof(*res->v));
	for (size_t i = 0; i < res->n; i = behind) {
		for (behind = i + 1; behind < res->n && same_advice(&res->v[i], &res->v[behind]);)
			behind++;
		if (i)
			fputc('\n', out->f);
		print_advice(out, res, i, behind);
	}
	return 0;
}

/* ---- diagnose ---- */

#define VIEW(row) ((const struct qm_incident_view *)(row))
#define INCIDENT(row) (VIEW(row)->incident)

GETTER(incident_time)
{
	qm_cell_str(cell, INCIDENT(row)->time);
}

GETTER(incident_last)
{
	qm_cell_str(cell, INCIDENT(row)->last);
}

GETTER(incident_count)
{
	qm_cell_num(cell, (long long)INCIDENT(row)->count);
}

GETTER(incident_line)
{
	qm_cell_num(cell, (long long)INCIDENT(row)->line);
}

GETTER(incident_host)
{
	qm_cell_str(cell, INCIDENT(row)->host);
}

GETTER(incident_controller)
{
	qm_cell_str(cell, INCIDENT(row)->controller);
}

GETTER(incident_kind)
{
	qm_cell_str(cell, VIEW(row)->decoded ? "decoded" : qm_klog_kind_name(INCIDENT(row)->kind));
}

GETTER(incident_qid)
{
	qm_cell_num(cell, VIEW(row)->d.qid);
}

GETTER(incident_hctx)
{
	qm_cell_num(cell, VIEW(row)->d.hctx);
}

GETTER(incident_error)
{
	struct qm_status s;

	if (!INCIDENT(row)->has_status)
		return;
	qm_status_describe(INCIDENT(row)->status, &s);
	qm_cell_str(cell, s.name);
}

GETTER(incident_cpus)
{
	if (VIEW(row)->d.has_cpus)
		qm_cell_cpus(cell, &VIEW(row)->d.cpus);
}

GETTER(incident_offline)
{
	if (VIEW(row)->d.has_cpus)
		qm_cell_cpus(cell, &VIEW(row)->d.offline);
}

GETTER(incident_stands)
{
	qm_cell_bool(cell, VIEW(row)->d.stands);
	cell->color = VIEW(row)->d.stands > 0 ? RED : NULL;
}

GETTER(incident_rule)
{
	qm_cell_str(cell, VIEW(row)->d.rule);
}

GETTER(incident_severity)
{
	qm_cell_str(cell, VIEW(row)->d.severity);
}

GETTER(incident_cause)
{
	qm_cell_str(cell, VIEW(row)->d.cause);
}

GETTER(incident_advice)
{
	qm_cell_str(cell, VIEW(row)->d.advice);
}

GETTER(incident_command)
{
	qm_cell_str(cell, VIEW(row)->d.command);
}

GETTER(incident_text)
{
	qm_cell_str(cell, INCIDENT(row)->text);
}

static const struct qm_column diagnose_columns[] = {
	{ "TIME", "incidents[].time", "first time, as the log writes it", QM_COLUMN_STRING, 0, incident_time },
	{ "COUNT", "incidents[].count", "how often", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, incident_count },
	{ "CONTROLLER", "incidents[].controller", "controller", QM_COLUMN_STRING, 0, incident_controller },
	{ "KIND", "incidents[].kind", "what happened", QM_COLUMN_STRING, 0, incident_kind },
	{ "QID", "incidents[].qid", "queue", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, incident_qid },
	{ "ERROR", "incidents[].errname", "errno or NVMe status", QM_COLUMN_STRING, 0, incident_error },
	{ "CPUS", "incidents[].cpu_list", "CPUs of the queue, or of the message", QM_COLUMN_LIST, 0, incident_cpus },
	{ "STANDS", "incidents[].stands", "whether it would happen again now", QM_COLUMN_BOOL, 0, incident_stands },
	{ "RULE", "incidents[].rule", "name of the rule, for explain", QM_COLUMN_STRING, 0, incident_rule },
	{ "LAST", "incidents[].last_time", "last time", QM_COLUMN_STRING, QM_COLUMN_EXTRA, incident_last },
	{ "LINE", "incidents[].line", "line of the log", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT | QM_COLUMN_EXTRA, incident_line },
	{ "HOST", "incidents[].host", "host that the log names", QM_COLUMN_STRING, QM_COLUMN_EXTRA, incident_host },
	{ "HCTX", "incidents[].hctx", "queue, as blk-mq counts", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT | QM_COLUMN_EXTRA,
	  incident_hctx },
	{ "OFFLINE", "incidents[].offline_list", "those of its CPUs that are offline", QM_COLUMN_LIST, QM_COLUMN_EXTRA,
	  incident_offline },
	{ "SEVERITY", "incidents[].severity", "error, warning or info", QM_COLUMN_STRING, QM_COLUMN_EXTRA, incident_severity },
	{ "CAUSE", "incidents[].cause", "what it means", QM_COLUMN_STRING, QM_COLUMN_EXTRA | QM_COLUMN_TEXT, incident_cause },
	{ "ADVICE", "incidents[].advice", "what mends it", QM_COLUMN_STRING, QM_COLUMN_EXTRA | QM_COLUMN_TEXT,
	  incident_advice },
	{ "COMMAND", "incidents[].command", "to run", QM_COLUMN_STRING, QM_COLUMN_EXTRA, incident_command },
	{ "TEXT", "incidents[].text", "the message in the log", QM_COLUMN_STRING, QM_COLUMN_EXTRA, incident_text },
};

const struct qm_layout qm_layout_diagnose = { NULL, diagnose_columns, QM_ARRAY_SIZE(diagnose_columns) };

static void add_when(struct qm_strbuf *b, const struct qm_klog_incident *i)
{
	if (i->host) {
		qm_strbuf_adds(b, " on ");
		qm_text_safe(b, i->host);
	}
	if (i->time) {
		qm_strbuf_adds(b, ", ");
		qm_text_safe(b, i->time);
	}
	if (i->count < 2)
		return;
	if (i->last && i->time && strcmp(i->last, i->time) != 0) {
		qm_strbuf_adds(b, " to ");
		qm_text_safe(b, i->last);
	}
	qm_strbuf_addf(b, ", %lu times", i->count);
}

static void print_incident(struct qm_out *out, const struct qm_incident_view *v)
{
	const char *severity = v->d.severity;
	struct qm_strbuf b = { 0 };

	qm_strbuf_addc(&b, '\n');
	add_colored(&b, out, strcmp(severity, "error") == 0 ? "31" : strcmp(severity, "warning") == 0 ? "33" : NULL, severity);
	qm_strbuf_addf(&b, " %s: ", v->d.rule);
	qm_text_safe(&b, v->incident->controller ? v->incident->controller : "machine");
	add_when(&b, v->incident);
	if (v->d.stands >= 0)
		qm_strbuf_adds(&b, v->d.stands ? " - still standing" : " - over");
	qm_strbuf_addc(&b, '\n');
	qm_text_paragraph(&b, out, "log: ", v->incident->text);
	qm_text_paragraph(&b, out, "", v->d.cause);
	qm_text_paragraph(&b, out, "do:  ", v->d.advice);
	qm_text_command(&b, v->d.command);
	qm_text_print(out, &b, "");
	qm_strbuf_done(&b);
}

/*
 * For people the decoding of an old code is worth no paragraph beside its incident, and other hosts and boots are not
 * worth any while this one has some.
 */
static bool is_told(const struct qm_out *out, const struct qm_incident_view *v, bool own)
{
	return out->verbose || (!v->decoded && !(own && v->apart));
}

static void print_head(struct qm_out *out, const struct qm_diagnose_result *res, size_t told, size_t apart)
{
	struct qm_strbuf b = { 0 };

	qm_text_safe(&b, res->name);
	qm_strbuf_addf(&b, ": %lu line%s, ", res->log->lines, res->log->lines == 1 ? "" : "s");
	if (told)
		qm_strbuf_addf(&b, "%zu incident%s, %zu still standing", told, told == 1 ? "" : "s", res->standing);
	else
		qm_strbuf_adds(&b, "nothing about queues that went wrong");
	if (apart)
		qm_strbuf_addf(&b, "; %zu of other hosts or boots (-v shows)", apart);
	qm_text_print(out, &b, "\n");
	qm_strbuf_done(&b);
}

int qm_text_diagnose(struct qm_out *out, const struct qm_diagnose_result *res)
{
	size_t told = 0, apart = 0;
	bool own = false;

	if (wants_table(out))
		return print_rows(out, &qm_layout_diagnose, res->v, res->n, sizeof(*res->v));
	for (size_t i = 0; i < res->n; i++)
		own = own || (!res->v[i].apart && !res->v[i].decoded);
	for (size_t i = 0; i < res->n; i++) {
		told += is_told(out, &res->v[i], own);
		apart += !out->verbose && own && res->v[i].apart && !res->v[i].decoded;
	}
	print_head(out, res, told, apart);
	for (size_t i = 0; i < res->n; i++) {
		if (is_told(out, &res->v[i], own))
			print_incident(out, &res->v[i]);
	}
	return 0;
}
