// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of commands, in the order of the help. */
#include <string.h>

#include "cmd/cmd.h"

static const struct qm_command *const commands[] = {
	&qm_command_list,
	&qm_command_show,
	&qm_command_topology,
	&qm_command_audit,
	&qm_command_compare,
	&qm_command_predict,
	&qm_command_advise,
	&qm_command_diagnose,
	&qm_command_hint,
	&qm_command_explain,
	&qm_command_capture,
};

const struct qm_command *qm_command_get(size_t index)
{
	return index < QM_ARRAY_SIZE(commands) ? commands[index] : NULL;
}

const struct qm_command *qm_command_find(const char *name)
{
	for (size_t i = 0; i < QM_ARRAY_SIZE(commands); i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	}
	return NULL;
}
