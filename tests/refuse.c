// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refuse CALL=ERROR... COMMAND [ARG...]: runs a command for which the kernel refuses system calls, as a container's
 * seccomp profile does. CALL is one of those below, ERROR ENOSYS or EPERM. Exits 125 where no filter can be set.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLS_MAX 8

static const struct {
	const char *name;
	unsigned nr;
} calls[] = {
	{ "openat2", SYS_openat2 },
	{ "getdents64", SYS_getdents64 },
	{ "fsync", SYS_fsync },
	{ "flock", SYS_flock },
};

static int number_of(const char *name, size_t len, unsigned *ret)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strlen(calls[i].name) == len && strncmp(calls[i].name, name, len) == 0) {
			*ret = calls[i].nr;
			return 0;
		}
	}
	return -1;
}

int main(int argc, char **argv)
{
	struct sock_filter code[2 * CALLS_MAX + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog prog = { .len = 1, .filter = code };
	int i;

	for (i = 1; i < argc && i <= CALLS_MAX && strchr(argv[i], '='); i++) {
		size_t n = strcspn(argv[i], "=");
		unsigned error = strcmp(argv[i] + n + 1, "EPERM") == 0 ? EPERM : ENOSYS, nr;

		if (number_of(argv[i], n, &nr) < 0) {
			fprintf(stderr, "refuse: %s: unknown call\n", argv[i]);
			return 125;
		}
		code[prog.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1);
		code[prog.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
	}
	code[prog.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (i == argc || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0) {
		perror("refuse");
		return 125;
	}
	execvp(argv[i], argv + i);
	perror(argv[i]);
	return 127;
}
