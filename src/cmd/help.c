// SPDX-License-Identifier: GPL-2.0-or-later
/* What the tables say about commands, options and columns: to people and, as records, to scripts. */
#include "cmd/cmd.h"

#include <string.h>

#include "audit/audit.h"
#include "config.h"
#include "map/map.h"

#define HELP_WIDTH 80

static void add_option_words(struct qm_strbuf *b, const struct qm_option *o)
{
	if (o->letter)
		qm_strbuf_addf(b, "-%c, ", o->letter);
	qm_strbuf_addf(b, "--%s", o->name);
	if (o->arg)
		qm_strbuf_addf(b, o->arg_optional ? "[=%s]" : " %s", o->arg);
}

/* An error is left in text, where the option is to go. */
static unsigned option_width(const struct qm_option *o, struct qm_strbuf *text)
{
	struct qm_strbuf b = { 0 };
	unsigned width;

	add_option_words(&b, o);
	width = (unsigned)b.len + (o->letter ? 0 : 4);
	qm_strbuf_carry(text, &b);
	qm_strbuf_done(&b);
	return width;
}

/* One line an option: " -s, --sysroot DIR   read ...". */
static void add_option_lines(struct qm_strbuf *b, const struct qm_option *options)
{
	unsigned width = 0;

	for (const struct qm_option *o = options; o->name; o++) {
		if (option_width(o, b) > width)
			width = option_width(o, b);
	}
	for (const struct qm_option *o = options; o->name; o++) {
		qm_strbuf_adds(b, o->letter ? " " : "     ");
		add_option_words(b, o);
		for (unsigned w = option_width(o, b); w < width + 2; w++)
			qm_strbuf_addc(b, ' ');
		qm_text_wrap(b, o->help, width + 3, width + 3, HELP_WIDTH);
		qm_strbuf_addc(b, '\n');
	}
}

/* Only their shortest names, so that the help fits a screen. */
static void add_globals_names(struct qm_strbuf *b)
{
	struct qm_strbuf words = { 0 };

	for (const struct qm_option *o = qm_global_options; o->name; o++) {
		qm_strbuf_adds(&words, words.len ? " " : "");
		if (o->letter)
			qm_strbuf_addf(&words, "-%c", o->letter);
		else
			qm_strbuf_addf(&words, "--%s", o->name);
		if (o->arg && !o->arg_optional)
			qm_strbuf_addf(&words, "\302\240%s", o->arg);
	}
	qm_strbuf_addc(b, ' ');
	qm_text_wrap(b, qm_strbuf_str(&words), 1, 1, HELP_WIDTH);
	qm_strbuf_addc(b, '\n');
	qm_strbuf_carry(b, &words);
	qm_strbuf_done(&words);
}

static void add_program_help(struct qm_strbuf *b, bool verbose)
{
	const struct qm_command *c;

	qm_strbuf_adds(b, "Usage: qmapctl [OPTION...] COMMAND [OPTION...] [DEVICE...]\n"
			  "Shows and judges how CPUs are mapped to hardware queues of block devices.\n\nCommands:\n");
	for (size_t i = 0; (c = qm_command_get(i)); i++)
		qm_strbuf_addf(b, " %-10s %s\n", c->name, c->summary);
	qm_strbuf_adds(b, verbose ? "\nGlobal options, before or behind the command:\n" :
				    "\nGlobal options (qmapctl -hv explains them):\n");
	if (verbose)
		add_option_lines(b, qm_global_options);
	else
		add_globals_names(b);
	qm_strbuf_adds(b, "\nExample: qmapctl audit             what is wrong on this machine\n"
			  "qmapctl COMMAND --help tells more about a command, qmapctl(8) about everything.\n");
}

static void add_command_help(struct qm_strbuf *b, const struct qm_command *c, bool verbose)
{
	bool options = c->options && c->options->name;

	qm_strbuf_addf(b, "Usage: qmapctl %s [OPTION...]%s%s\n", c->name, c->operands ? " " : "",
		       c->operands ? c->operands : "");
	qm_strbuf_adds(b, "Answers: ");
	qm_text_wrap(b, c->summary, 9, 9, HELP_WIDTH);
	qm_strbuf_adds(b, options ? "\n\nOptions:\n" : "\n");
	if (options)
		add_option_lines(b, c->options);
	qm_strbuf_adds(b, verbose ? "\nGlobal options:\n" : "\nGlobal options (qmapctl --help):\n");
	if (verbose)
		add_option_lines(b, qm_global_options);
	else
		add_globals_names(b);
	qm_strbuf_addf(b, "\nExample: %s\n         ", c->example);
	qm_text_wrap(b, c->example_help, 9, 9, HELP_WIDTH);
	qm_strbuf_addc(b, '\n');
}

int qm_help_print(const struct qm_run *run)
{
	struct qm_strbuf b = { 0 };
	int r;

	if (run->command)
		add_command_help(&b, run->command, run->g.verbose);
	else
		add_program_help(&b, run->g.verbose);
	/* the blanks that must not break are only for the wrapping */
	for (size_t i = 0; i + 1 < b.len; i++) {
		if (memcmp(b.s + i, "\302\240", 2) == 0) {
			b.s[i] = ' ';
			memmove(b.s + i + 1, b.s + i + 2, b.len - i - 1);
			b.len--;
		}
	}
	r = b.err;
	fputs(qm_strbuf_str(&b), stdout);
	qm_strbuf_done(&b);
	return r;
}

static void dump_options(FILE *f, const char *command, const struct qm_option *options)
{
	for (const struct qm_option *o = options; o && o->name; o++) {
		char letter[2] = { o->letter, '\0' };

		fprintf(f, "option\t%s\t%s\t%s\t%s\t%s\t%s\n", command, o->letter ? letter : "-", o->name,
			!o->arg ? "-" : o->arg_optional ? "[=]" : "=", o->arg ? o->arg : "-",
			o->complete ? o->complete : "-");
		fprintf(f, "help\t%s\t%s\t%s\n", command, o->name, o->help);
	}
}

static void dump_layouts(FILE *f, const struct qm_command *c)
{
	static const char *const types[] = { "string", "number", "list", "bool" };

	for (const struct qm_layout *const *l = c->layouts; l && *l; l++) {
		for (size_t i = 0; i < (*l)->n; i++) {
			const struct qm_column *col = &(*l)->columns[i];

			fprintf(f, "column\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c->name, (*l)->option ? (*l)->option : "-",
				col->name, types[col->type], col->flags & (QM_COLUMN_EXTRA | QM_COLUMN_VERBOSE) ? "extra" : "usual",
				col->json ? col->json : "-", col->help);
		}
	}
}

/* What explain knows; the completion asks for these when it needs them. */
static void dump_names(FILE *f)
{
	const struct qm_rule *rule;
	const struct qm_algo *algo;

	for (size_t i = 0; (rule = qm_rule_get(i)); i++)
		fprintf(f, "rule\t%s\t%s\t%s\n", rule->name, qm_severity_name(rule->severity), rule->title);
	for (size_t i = 0; (algo = qm_algo_get(i)); i++)
		fprintf(f, "algorithm\t%s:%s\t%s\n", qm_family_name(algo->family), algo->id, algo->title);
}

void qm_help_dump(FILE *f)
{
	const struct qm_command *c;

	fprintf(f, "version\t%s\n", PACKAGE_VERSION);
	dump_options(f, "-", qm_global_options);
	for (size_t i = 0; (c = qm_command_get(i)); i++) {
		fprintf(f, "command\t%s\t%s\t%s\t%s\n", c->name, c->operands ? c->operands : "-",
			c->complete ? c->complete : "-", c->summary);
		fprintf(f, "example\t%s\t%s\t%s\n", c->name, c->example, c->example_help);
		dump_options(f, c->name, c->options);
		dump_layouts(f, c);
	}
	dump_names(f);
}
