/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands: one file each, one row in the table of commands.c.
 *
 * To add a command: a file src/cmd/NAME.c with a struct for its own options, a table of struct qm_option over that
 * struct, a run function and one const struct qm_command; a declaration here, a row in commands.c. Help, completion, the
 * man page's option part and the errors come from the tables. A run function:
 *
 *	static int list_run(struct qm_run *run)
 *	{
 *		const struct list_options *opt = run->opt;
 *		int r = qm_source_open(run, QM_READ_DEVICES | QM_READ_IRQS);  (reads the machine, applies the what-ifs)
 *
 *		if (r == 0)
 *			r = qm_devices_resolve(run);       (operands to run->controllers, sets 32 and 64)
 *		if (r < 0)
 *			return r;                          (already said on stderr)
 *		... compute a result, qm_status_add(run, QM_EXIT_NO) where the answer is no ...
 *		return run->out.face->list(&run->out, &result);
 *	}
 *
 * It returns 0, or -errno for trouble. What can be told is told by qm_error() and returned as QM_SAID; any other error is
 * told by the caller. The exit status is run->out.status, and 2 for trouble.
 */
#ifndef QM_CMD_H
#define QM_CMD_H

#include "machine/machine.h"
#include "out/out.h"

/* Exit statuses. Where several apply: 2, then 32, 64, 1. */
enum {
	QM_EXIT_OK = 0,
	QM_EXIT_NO = 1,           /* the answer is "no" */
	QM_EXIT_TROUBLE = 2,      /* usage, unreadable source, output that cannot be written */
	QM_EXIT_NONE_FOUND = 32,  /* none of the named devices */
	QM_EXIT_SOME_FOUND = 64,  /* some of them */
};

/* Returned by what has told its trouble on stderr already; no errno has this value. */
#define QM_SAID (-4096)
/* All is said and the exit status is set; printing an empty answer would only look like one. */
#define QM_NO_ANSWER (-4097)

enum qm_option_kind {
	QM_OPTION_FLAG,   /* bool */
	QM_OPTION_STRING, /* const char *; the last one given wins */
	QM_OPTION_LIST,   /* const char *; repeats are joined with commas */
	QM_OPTION_PAIR,   /* const char *[2]: two words, or one with a comma between */
};

/* What a group of options is about, for the help. */
enum qm_option_group {
	QM_GROUP_COMMAND,
	QM_GROUP_SOURCE,
	QM_GROUP_WHATIF,
	QM_GROUP_OUTPUT,
	_QM_GROUP_MAX,
};

/* How the words for an option or operand are completed; these name the completion's own functions. */
#define QM_COMPLETE_FILE    "file"
#define QM_COMPLETE_DIR     "dir"
#define QM_COMPLETE_COLUMN  "column"
#define QM_COMPLETE_DEVICE  "device"
#define QM_COMPLETE_RULE    "rule"
#define QM_COMPLETE_ALGO    "algorithm"
#define QM_COMPLETE_EXPLAIN "explain" /* rules and algorithms */

struct qm_option {
	char letter;      /* 0 = none */
	const char *name;
	const char *arg;  /* name of its argument; NULL = takes none */
	const char *help; /* one line, no full stop */
	size_t offset;    /* of the field: in struct qm_globals, or in the command's own struct */
	enum qm_option_kind kind;
	enum qm_option_group group;
	const char *complete; /* one of the above, or words joined by "|"; NULL */
	bool arg_optional;    /* the argument may be left out; then it is the first word of complete */
};

struct qm_globals {
	const char *sysroot, *topology, *synthetic;
	bool demo;
	const char *kernel, *online, *offline, *isolcpus, *nohz_full;
	bool json, list_columns, noheadings, raw, pairs, ascii, quiet, verbose, help, version;
	const char *output, *color;
};

struct qm_run;

struct qm_command {
	const char *name;
	const char *summary;  /* one line, no full stop */
	const char *operands; /* "[DEVICE...]"; NULL = takes none */
	const char *complete; /* of the operands */
	const char *example;  /* a command line for the help, and */
	const char *example_help; /* what it does */
	const struct qm_option *options; /* ends with a row without name; NULL = none */
	size_t options_size;             /* of the struct they fill */
	/* Tables it prints, NULL-terminated; NULL = none. The first is the usual one, others are chosen by their option. */
	const struct qm_layout *const *layouts;
	bool many_kernels; /* it takes a list of kernels and reads --kernel itself */
	int (*run)(struct qm_run *run);
};

/* One run of the program. */
struct qm_run {
	const struct qm_command *command;
	struct qm_globals g;
	void *opt;    /* the command's own options */
	char **args;  /* operands, borrowed from argv */
	size_t n_args;
	bool whatif;  /* the machine was changed by an option */
	struct qm_out out;

	const struct qm_root_tap *tap; /* to be told what is read; set before qm_source_open() */
	/* filled by qm_source_open() */
	struct qm_root root; /* fd -1 unless the source is a directory */
	struct qm_machine m;
	size_t problems_told, dropped_told; /* of the machine's, on standard error */
	/* filled by qm_devices_resolve(): indices into m.controllers, natural order, each once */
	size_t *controllers;
	size_t n_controllers;

	char **owned; /* strings that live as long as the run */
	size_t n_owned, cap_owned;
};

/* The table; NULL behind the last. */
const struct qm_command *qm_command_get(size_t index);
const struct qm_command *qm_command_find(const char *name);

extern const struct qm_command qm_command_advise, qm_command_audit, qm_command_capture, qm_command_compare,
	qm_command_diagnose, qm_command_explain, qm_command_hint, qm_command_list, qm_command_predict, qm_command_show, qm_command_topology;

/* ---- options.c ---- */

/* The global options' table; ends with a row without name. */
extern const struct qm_option qm_global_options[];

/* Parses the command line into *run, which the caller zeroed. 0, or QM_SAID for wrong usage. */
QM_MUST_CHECK int qm_options_parse(struct qm_run *run, int argc, char **argv);
/* The layout that the options choose; NULL if the command prints no table. */
const struct qm_layout *qm_run_layout(const struct qm_run *run);
void qm_run_done(struct qm_run *run);
/* Keeps a string until the run is done; frees it at once on failure. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_run_own(struct qm_run *run, char *s);

/* ---- output.c ---- */

/* Chooses the face and fills run->out from the options and the terminal. */
void qm_out_init(struct qm_run *run);

/* ---- help.c ---- */

QM_MUST_CHECK int qm_help_print(const struct qm_run *run);
/* Everything the tables hold, for the completion, the man page and their tests: one tab-separated record per line. */
void qm_help_dump(FILE *f);

/* ---- source.c ---- */

/*
 * Opens the source that the global options name, reads what of it (QM_READ_*), applies the what-ifs and tells the problems
 * on stderr. 0, or QM_SAID.
 */
QM_MUST_CHECK int qm_source_open(struct qm_run *run, unsigned what);
/* Says the problems that were not said yet, unless -q. */
void qm_source_tell_problems(struct qm_run *run);
/* True if the kernel is known; else says that --kernel is needed, and returns false. */
QM_MUST_CHECK bool qm_source_need_kernel(struct qm_run *run);
/* A CPU list that an option gives, all of them possible on this machine; option is for the message. 0, or QM_SAID. */
QM_MUST_CHECK int qm_source_parse_list(const struct qm_run *run, const char *option, const char *text,
				       struct qm_cpuset *ret);
/* What --kernel names, for one kernel. 0, -ENOMEM, or QM_SAID. */
QM_MUST_CHECK int qm_source_parse_kernel(const char *text, struct qm_kernel *ret);
/*
 * Turns the operands into controllers; none = all. Unknown ones are told and set the exit status. 0, -ENOMEM, or
 * QM_NO_ANSWER where people asked for nothing else.
 */
QM_MUST_CHECK int qm_devices_resolve(struct qm_run *run);
/* Says, unless -q, that the machine has no controller, where none was named: an empty table would leave one wondering. */
void qm_devices_tell_none(const struct qm_run *run);

/* ---- messages ---- */

/* "qmapctl: ..." on stderr, in one line, made safe for a terminal. */
void qm_error(const char *fmt, ...) QM_PRINTF(1, 2);
/* The same with "Try 'qmapctl COMMAND --help'" behind it; returns QM_SAID. */
int qm_usage_error(const struct qm_run *run, const char *fmt, ...) QM_PRINTF(2, 3);
/* The words for -errno. */
const char *qm_strerror(int r);
/* Of two exit statuses the one that counts. */
int qm_status_worst(int a, int b);

#endif
