// SPDX-License-Identifier: GPL-2.0-or-later
/* Which face, and how wide, how colourful: from the options and the terminal. */
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/cmd.h"

#define WIDTH_USUAL 80
#define WIDTH_MIN   40
#define WIDTH_MAX   1000

static unsigned width_from_environment(void)
{
	const char *text = getenv("COLUMNS");
	char *end;
	unsigned long n;

	if (!text || text[0] < '0' || text[0] > '9')
		return 0;
	n = strtoul(text, &end, 10);
	return *end || n < WIDTH_MIN || n > WIDTH_MAX ? 0 : (unsigned)n;
}

static unsigned width_from_terminal(void)
{
	struct winsize w;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0)
		return 0;
	return w.ws_col < WIDTH_MIN ? (w.ws_col ? WIDTH_MIN : 0) : w.ws_col > WIDTH_MAX ? WIDTH_MAX : w.ws_col;
}

static bool color_is_wanted(const char *when)
{
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");

	if (when && strcmp(when, "always") == 0)
		return true;
	if (when && strcmp(when, "never") == 0)
		return false;
	return isatty(STDOUT_FILENO) && !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
}

void qm_out_init(struct qm_run *run)
{
	const struct qm_globals *g = &run->g;
	unsigned width = width_from_environment();

	if (!width)
		width = width_from_terminal();
	run->out = (struct qm_out){
		.face = g->json ? &qm_face_json : &qm_face_text,
		.f = stdout,
		.noheadings = g->noheadings,
		.raw = g->raw,
		.pairs = g->pairs,
		.ascii = g->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0,
		.color = !g->json && color_is_wanted(g->color),
		.quiet = g->quiet,
		.verbose = g->verbose,
		.width = width ? width : WIDTH_USUAL,
		.wrap = width != 0,
		.columns = g->output,
		.command = run->command->name,
	};
}
