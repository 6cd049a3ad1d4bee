// SPDX-License-Identifier: GPL-2.0-or-later
/* From the operands to controllers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"

static int resolve_one(struct qm_run *run, const char *name, bool *chosen)
{
	struct qm_root *root = run->root.fd >= 0 ? &run->root : NULL;
	struct qm_ids ids = { 0 };
	int r = qm_resolve(root, &run->m, name, &ids);

	/* A directory is there, but that is not what was asked for. */
	if (r == -ENOENT && *name == '/' && strncmp(name, "/dev/", 5) != 0)
		qm_error("%s: no such device, nor is one mounted there", name);
	else if (r == -ENOENT)
		qm_error("%s: no such device", name);
	if (r < 0)
		return r;
	if (!ids.n && !run->g.quiet)
		qm_error("%s: has no hardware queues", name);
	for (size_t i = 0; i < ids.n; i++)
		chosen[ids.v[i]] = true;
	qm_ids_done(&ids);
	return 0;
}

/* Which of the names were found decides the status; a name that cannot be looked up for another reason is trouble. */
static int resolve_all(struct qm_run *run, bool *chosen)
{
	size_t found = 0, missing = 0;

	for (size_t i = 0; i < run->n_args; i++) {
		int r = resolve_one(run, run->args[i], chosen);

		if (r < 0 && r != -ENOENT)
			return r;
		if (r < 0)
			missing++;
		else
			found++;
	}
	if (missing)
		run->out.status = qm_status_worst(run->out.status, found ? QM_EXIT_SOME_FOUND : QM_EXIT_NONE_FOUND);
	/* JSON is complete whatever happens; "nothing wrong" about a device that is not there would deceive people. */
	return missing && !found && !run->g.json ? QM_NO_ANSWER : 0;
}

int qm_devices_resolve(struct qm_run *run)
{
	size_t total = run->m.n_controllers;
	_cleanup_free_ bool *chosen = calloc(total + 1, sizeof(*chosen));
	int r = 0;

	run->controllers = malloc((total + 1) * sizeof(*run->controllers));
	if (!chosen || !run->controllers)
		return -ENOMEM;
	if (run->n_args)
		r = resolve_all(run, chosen);
	for (size_t i = 0; i < total; i++) {
		if (!run->n_args || chosen[i])
			run->controllers[run->n_controllers++] = i;
	}
	return r;
}

void qm_devices_tell_none(const struct qm_run *run)
{
	if (!run->m.n_controllers && !run->n_args && !run->g.quiet)
		qm_error("no device with hardware queues here");
}
