// SPDX-License-Identifier: GPL-2.0-or-later
/* The architecture: asked of the host where it is the one read, else found in what the tree says. */
#include "machine/topology-read.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

/* The first CPU's paragraph is enough. */
#define CPUINFO_HEAD 4096

bool qm_arch_is_x86(const char *arch)
{
	static const char *const names[] = { "x86_64", "i386", "i486", "i586", "i686" };

	for (size_t i = 0; arch && i < QM_ARRAY_SIZE(names); i++) {
		if (strcmp(arch, names[i]) == 0)
			return true;
	}
	return false;
}

bool qm_arch_has_clusters(const char *arch)
{
	static const char *const without[] = { "ppc", "s390", "sparc", "ia64", "mips", "alpha", "hppa", "parisc" };

	for (size_t i = 0; arch && i < QM_ARRAY_SIZE(without); i++) {
		if (strncmp(arch, without[i], strlen(without[i])) == 0)
			return false;
	}
	return true;
}

enum qm_offline_masks qm_arch_offline_masks(const char *arch)
{
	return !arch || qm_arch_is_x86(arch) ? QM_OFFLINE_MASKS_EMPTY : QM_OFFLINE_MASKS_SELF;
}

struct sign {
	const char *text, *arch;
};

static const char *find_sign(const char *text, const struct sign *signs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strstr(text, signs[i].text))
			return signs[i].arch;
	}
	return NULL;
}

/* Distributions end their release strings with the architecture, in their own words. */
static const char *arch_of_release(const char *release)
{
	static const struct sign signs[] = {
		{ "x86_64", "x86_64" },	  { "amd64", "x86_64" },     { "aarch64", "aarch64" }, { "arm64", "aarch64" },
		{ "ppc64le", "ppc64le" }, { "ppc64el", "ppc64le" },  { "powerpc64le", "ppc64le" }, { "ppc64", "ppc64" },
		{ "s390x", "s390x" },	  { "riscv64", "riscv64" },  { "loongarch64", "loongarch64" },
		{ "i686", "i686" },	  { "-686", "i686" },	     { "i386", "i686" },
		{ "armmp", "armv7l" },	  { "armv7", "armv7l" },     { "sparc64", "sparc64" }, { "ia64", "ia64" },
	};

	return find_sign(release, signs, QM_ARRAY_SIZE(signs));
}

static const char *arch_of_cpuinfo(const char *text)
{
	static const struct sign signs[] = {
		{ "IA-64", "ia64" },
		{ "IBM/S390", "s390x" },
		{ "loongarch64", "loongarch64" },
		{ "Loongson-64bit", "loongarch64" },
		{ ": rv64", "riscv64" },
		{ "CPU architecture: 8", "aarch64" },
		{ "CPU architecture: 7", "armv7l" },
		{ "(pvr ", "ppc64" },
		{ "UltraSparc", "sparc64" },
		{ "sun4", "sparc64" },
	};

	/* "lm" is the processor's long mode. */
	if (strstr(text, "\ncpuid level") || strstr(text, "\nflags"))
		return strstr(text, " lm ") || strstr(text, " lm\n") ? "x86_64" : "i686";
	return find_sign(text, signs, QM_ARRAY_SIZE(signs));
}

static int take_arch(const char *arch, char **ret)
{
	char *copy = arch ? strdup(arch) : NULL;

	if (arch && !copy)
		return -ENOMEM;
	*ret = copy;
	return 0;
}

/* A name such as uname gives; a tree may hold anything. */
static bool is_arch_name(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return n && n <= 32 && !s[n];
}

/* What the tree says of itself: proc/sys/kernel/arch (6.1 and later), the release's end, the head of proc/cpuinfo. */
static int arch_of_tree(struct qm_root *root, const struct qm_kernel *k, char **ret)
{
	struct qm_dir top = qm_root_dir(root);
	const char *arch = k->release ? arch_of_release(k->release) : NULL, *text;
	_cleanup_free_ char *line = NULL;
	int r;

	if (arch)
		return take_arch(arch, ret);
	r = qm_dir_read_line(&top, "proc/sys/kernel/arch", &line);
	if (r == -ENOMEM)
		return r;
	if (r >= 0 && is_arch_name(line))
		return take_arch(line, ret);
	r = qm_dir_read_head(&top, "proc/cpuinfo", CPUINFO_HEAD, &text);
	return take_arch(r >= 0 ? arch_of_cpuinfo(text) : NULL, ret);
}

int qm_arch_read(struct qm_root *root, struct qm_machine *m)
{
	struct utsname u;
	char *arch = NULL;
	int r = 0;

	/* A capture of the host needs the files although the host itself can be asked. */
	if (!root->live || root->tap)
		r = arch_of_tree(root, &m->kernel, &arch);
	if (r >= 0 && root->live && uname(&u) == 0) {
		free(arch);
		r = take_arch(u.machine, &arch);
	}
	if (r < 0)
		return r;
	free(m->topo.arch);
	m->topo.arch = arch;
	m->topo.offline_masks = qm_arch_offline_masks(arch);
	return 0;
}
