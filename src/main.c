// SPDX-License-Identifier: GPL-2.0-or-later
/* Global options, the table of commands, the exit status. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "config.h"

/*
 * Files opened later must not become standard output or error because those were closed. The stand-ins can only be read,
 * so writing to them fails as writing to a closed descriptor does.
 */
static void hold_standard_files(void)
{
	int ends[2], fd = 0;

	while (fd <= STDERR_FILENO && fcntl(fd, F_GETFD) >= 0)
		fd++;
	if (fd > STDERR_FILENO || pipe(ends) < 0)
		return;
	close(ends[1]);
	do {
		fd = dup(ends[0]);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
	if (ends[0] > STDERR_FILENO)
		close(ends[0]);
}

static int run_command(struct qm_run *run)
{
	int r;

	if (run->g.help) {
		r = qm_help_print(run);
		if (r < 0)
			qm_error("%s", qm_strerror(r));
		return r < 0 ? QM_EXIT_TROUBLE : QM_EXIT_OK;
	}
	if (run->g.version) {
		puts(PACKAGE_STRING);
		return QM_EXIT_OK;
	}
	qm_out_init(run);
	if (run->g.list_columns)
		r = qm_layout_print(qm_run_layout(run), &run->out);
	else
		r = run->command->run(run);
	/* Those met after the source was opened, at what the command itself looked into. */
	if (r == 0) {
		qm_source_tell_problems(run);
		r = run->out.err ? run->out.err : run->m.problems.err;
	}
	if (r == QM_NO_ANSWER)
		return run->out.status;
	if (r < 0 && r != QM_SAID)
		qm_error("%s: %s", run->command->name, qm_strerror(r));
	return r < 0 ? QM_EXIT_TROUBLE : run->out.status;
}

/* An answer that did not arrive is no answer. */
static int close_output(int status)
{
	bool failed = ferror(stdout);

	errno = 0;
	if (fflush(stdout) != 0 || failed || (fclose(stdout) != 0 && errno != EBADF)) {
		qm_error("standard output: %s", errno ? strerror(errno) : "write error");
		return QM_EXIT_TROUBLE;
	}
	return status;
}

int main(int argc, char **argv)
{
	struct qm_run run = { .root.fd = -1 };
	int r, status = QM_EXIT_TROUBLE;

	setlocale(LC_CTYPE, "");
	signal(SIGPIPE, SIG_IGN);
	hold_standard_files();
	if (argc == 2 && strcmp(argv[1], "--dump-options") == 0) {
		qm_help_dump(stdout);
		return close_output(QM_EXIT_OK);
	}
	r = qm_options_parse(&run, argc, argv);
	if (r == 0)
		status = run_command(&run);
	else if (r != QM_SAID)
		qm_error("%s", qm_strerror(r));
	status = close_output(status);
	qm_run_done(&run);
	return status;
}
