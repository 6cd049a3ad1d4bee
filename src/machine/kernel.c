// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel: its release, and the words of its command line that bear on CPUs and queues. */
#include "machine/machine.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- release strings ---- */

/* A decimal number at *p, capped well below INT_MAX; -1 and *p unmoved where there is none. */
static int take_number(const char **p)
{
	const char *s = *p;
	int v = 0;

	if (!isdigit((unsigned char)*s))
		return -1;
	for (; isdigit((unsigned char)*s); s++)
		v = v < 10000000 ? v * 10 + (*s - '0') : v;
	*p = s;
	return v;
}

/* "major.minor" and perhaps ".patch"; *p is left at the suffix. */
static int parse_version(const char **p, struct qm_kernel *k)
{
	const char *s = *p;

	k->major = take_number(&s);
	if (k->major < 0 || *s != '.')
		return -EINVAL;
	s++;
	k->minor = take_number(&s);
	if (k->minor < 0)
		return -EINVAL;
	if (*s == '.' && isdigit((unsigned char)s[1])) {
		s++;
		k->patch = take_number(&s);
	}
	*p = s;
	return 0;
}

/* The numbers behind the version, "-553.8.1" or "-18": what distributions call build or ABI. */
static void parse_build(const char *s, struct qm_kernel *k)
{
	if (*s != '-')
		return;
	for (size_t i = 0; i < QM_ARRAY_SIZE(k->distro_build); i++) {
		s++;
		k->distro_build[i] = take_number(&s);
		if (k->distro_build[i] < 0 || *s != '.')
			return;
	}
}

/* The number behind tag, as 9 in ".el9_4" for ".el"; -1 without. *ret_rest, if wanted, is what follows it. */
static int number_behind(const char *suffix, const char *tag, const char **ret_rest)
{
	for (const char *s = strstr(suffix, tag); s; s = strstr(s + 1, tag)) {
		const char *p = s + strlen(tag);
		int v = take_number(&p);

		if (v >= 0) {
			if (ret_rest)
				*ret_rest = p;
			return v;
		}
	}
	return -1;
}

/* Distributions that name themselves: a tag and a number. */
static bool detect_tagged(const char *suffix, struct qm_kernel *k)
{
	static const struct {
		const char *tag;
		enum qm_distro distro;
	} tags[] = {
		{ ".fc", QM_DISTRO_FEDORA },
		{ ".amzn", QM_DISTRO_AMAZON },
		{ "+deb", QM_DISTRO_DEBIAN },
		{ ".deb", QM_DISTRO_DEBIAN },
	};
	const char *rest;
	int v = number_behind(suffix, ".el", &rest);

	if (v >= 0) {
		/* ELRepo packages the upstream kernel for these systems. */
		k->distro = strncmp(rest, "uek", 3) == 0 ? QM_DISTRO_UEK :
			    strstr(rest, ".elrepo")	 ? QM_DISTRO_NONE :
							   QM_DISTRO_RHEL;
		k->distro_major = k->distro == QM_DISTRO_NONE ? -1 : v;
		return true;
	}
	for (size_t i = 0; i < QM_ARRAY_SIZE(tags); i++) {
		v = number_behind(suffix, tags[i].tag, NULL);
		if (v < 0)
			continue;
		k->distro = tags[i].distro;
		k->distro_major = v;
		return true;
	}
	return false;
}

/* What stands behind the build, "rt-amd64" in "-18-rt-amd64", "default" in "-150300.59-default"; NULL without. */
static const char *flavour(const char *suffix)
{
	if (*suffix != '-')
		return NULL;
	suffix++;
	if (isdigit((unsigned char)*suffix)) {
		suffix += strcspn(suffix, "-");
		if (!*suffix)
			return NULL;
		suffix++;
	}
	return *suffix ? suffix : NULL;
}

static bool has_prefix(const char *s, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strncmp(s, list[i], strlen(list[i])) == 0)
			return true;
	}
	return false;
}

/* Debian's flavours are architectures. */
static bool is_debian_flavour(const char *f)
{
	static const char *const arches[] = { "amd64", "686",	"arm64", "armmp", "rpi",      "s390x",	"powerpc",
					      "riscv", "4kc-",	"5kc-",	 "mips",  "loongson", "octeon", "sparc64",
					      "alpha", "parisc", "ia64",  "m68k",  "itanium",  "mckinley" };

	if (strncmp(f, "rt-", 3) == 0)
		f += 3;
	else if (strncmp(f, "cloud-", 6) == 0)
		f += 6;
	return has_prefix(f, arches, QM_ARRAY_SIZE(arches));
}

static bool is_ubuntu_flavour(const char *f)
{
	static const char *const names[] = { "generic", "lowlatency", "aws", "azure", "gcp",	"gke",	"oracle", "ibm", "kvm",
					     "oem",	"nvidia",     "raspi", "realtime", "intel", "fips", "snapdragon",
					     "bluefield", "xilinx", "lpae", "hwe", "server", "virtual" };

	return has_prefix(f, names, QM_ARRAY_SIZE(names));
}

static bool is_suse_flavour(const char *f)
{
	static const char *const names[] = { "default", "preempt", "azure", "rt", "64kb", "debug", "kvmsmall", "pae", "vanilla",
					     "lpae", "zfcpdump", "desktop", "xen" };

	return has_prefix(f, names, QM_ARRAY_SIZE(names));
}

/*
 * SUSE's build numbers carry the product since version 15: 150300 is 15 SP3, 160000 is 16.0. Before and on the rolling
 * releases only the flavour tells.
 */
static bool detect_suse(const char *f, struct qm_kernel *k)
{
	int build = k->distro_build[0];

	if (!f || build < 0 || !is_suse_flavour(f))
		return false;
	if (build >= 150000 && build < 1000000)
		k->distro_major = build / 10000;
	else if (strncmp(f, "azure", 5) == 0 || strncmp(f, "rt", 2) == 0 || strncmp(f, "debug", 5) == 0)
		return false; /* others have these flavours too */
	k->distro = QM_DISTRO_SUSE;
	return true;
}

/*
 * Debian ("6.1.0-18-amd64") and Ubuntu ("5.15.0-47-generic") freeze the third number at 0 and take in stable releases
 * all the same, so it says nothing there.
 */
static bool detect_debian(const char *f, struct qm_kernel *k)
{
	bool frozen = k->patch == 0 && k->distro_build[0] >= 0;

	if (!f)
		return false;
	if (is_debian_flavour(f))
		k->distro = QM_DISTRO_DEBIAN;
	else if (k->distro_build[0] >= 0 && is_ubuntu_flavour(f))
		k->distro = QM_DISTRO_UBUNTU;
	else
		return false;
	if (frozen)
		k->patch = -1;
	return true;
}

static bool is_upstream(const char *suffix)
{
	if (!*suffix)
		return true;
	if (strncmp(suffix, "-rc", 3) != 0)
		return false;
	suffix += 3;
	return take_number(&suffix) > 0 && !*suffix;
}

/* Ubuntu's builds of upstream kernels repeat the version as the build: "6.9.7-060907-generic". */
static bool is_mainline_build(const struct qm_kernel *k)
{
	return k->patch >= 0 && k->distro_build[0] == k->major * 10000LL + k->minor * 100LL + k->patch;
}

static void detect_distro(const char *suffix, struct qm_kernel *k)
{
	const char *f = flavour(suffix);

	parse_build(suffix, k);
	if (is_upstream(suffix)) {
		k->distro = QM_DISTRO_NONE;
		return;
	}
	if (detect_tagged(suffix, k)) {
		/* Back-ported Debian kernels, "6.1.0-0.deb11.13-amd64", are frozen as well. */
		if (k->distro == QM_DISTRO_DEBIAN && k->patch == 0 && k->distro_build[0] >= 0)
			k->patch = -1;
		return;
	}
	if (f && strncmp(f, "pve", 3) == 0)
		k->distro = QM_DISTRO_PROXMOX;
	else if (is_mainline_build(k))
		k->distro = QM_DISTRO_NONE;
	else if (strncmp(suffix, "-arch", 5) == 0 || strncmp(suffix, "-zen", 4) == 0 || strncmp(suffix, "-hardened", 9) == 0)
		k->distro = QM_DISTRO_ARCH;
	else if (!detect_suse(f, k) && !detect_debian(f, k))
		k->distro = QM_DISTRO_UNKNOWN;
}

int qm_kernel_parse(const char *release, struct qm_kernel *ret)
{
	struct qm_kernel k = {
		.major = -1, .minor = -1, .patch = -1, .distro_major = -1, .distro_build = { -1, -1, -1 },
	};
	const char *p = release;
	int r;

	k.release = strdup(release);
	if (!k.release)
		return -ENOMEM;
	r = parse_version(&p, &k);
	if (r < 0)
		k.major = k.minor = k.patch = -1;
	else
		detect_distro(p, &k);
	*ret = k;
	return r;
}

void qm_kernel_done(struct qm_kernel *k)
{
	free(k->release);
	*k = (struct qm_kernel){ 0 };
}

const char *qm_distro_name(enum qm_distro d)
{
	static const char *const names[_QM_DISTRO_MAX] = { NULL,   NULL,  "debian",  "ubuntu", "rhel", "fedora",
							   "suse", "uek", "proxmox", "amazon", "arch" };

	return (size_t)d < QM_ARRAY_SIZE(names) ? names[d] : NULL;
}

bool qm_kernel_is_known(const struct qm_kernel *k)
{
	return k->release && k->major >= 0;
}

bool qm_kernel_is_at_least(const struct qm_kernel *k, int major, int minor)
{
	return qm_kernel_is_known(k) && (k->major > major || (k->major == major && k->minor >= minor));
}

/* "Linux version RELEASE (..." */
static int release_of_version(const char *text, char **ret)
{
	static const char start[] = "Linux version ";
	char *copy;

	if (strncmp(text, start, sizeof(start) - 1) != 0)
		return -EINVAL;
	text += sizeof(start) - 1;
	copy = strndup(text, strcspn(text, " \t\n"));
	if (!copy)
		return -ENOMEM;
	*ret = copy;
	return 0;
}

/* Debian says in /proc/version which stable release its frozen name hides: "... SMP Debian 6.1.192-3 (2025-...)". */
static void patch_of_version(const char *text, struct qm_kernel *k)
{
	struct qm_kernel seen = { 0 };

	for (const char *s = strstr(text, " Debian "); s; s = strstr(s + 1, " Debian ")) {
		const char *p = s + strlen(" Debian ");

		seen.patch = -1;
		if (parse_version(&p, &seen) == 0 && seen.major == k->major && seen.minor == k->minor && seen.patch >= 0)
			k->patch = seen.patch;
	}
}

int qm_kernel_read(struct qm_root *root, struct qm_machine *m)
{
	struct qm_dir top = qm_root_dir(root);
	_cleanup_free_ char *release = NULL;
	const char *text = NULL;
	struct qm_kernel k = { 0 };
	int r;

	r = qm_dir_read_line(&top, "proc/sys/kernel/osrelease", &release);
	if (r == -ENOMEM)
		return r;
	if (r < 0 || !*release) {
		free(release);
		release = NULL;
		r = qm_dir_read(&top, "proc/version", &text);
		if (r >= 0)
			r = release_of_version(text, &release);
		if (r == -EINVAL)
			qm_problem_addf(&m->problems, "proc/version", "does not start with \"Linux version\"");
		if (r < 0)
			return r == -ENOMEM ? r : 0;
	}
	r = qm_kernel_parse(release, &k);
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		qm_problem_addf(&m->problems, text ? "proc/version" : "proc/sys/kernel/osrelease",
				"the kernel release \"%s\" starts with no version", release);
	if (k.distro == QM_DISTRO_DEBIAN && k.patch < 0) {
		r = text ? 0 : qm_dir_read(&top, "proc/version", &text);
		if (r >= 0)
			patch_of_version(text, &k);
	}
	qm_kernel_done(&m->kernel);
	m->kernel = k;
	return 0;
}

/* ---- command line ---- */

/* One word of the command line: name, and its value or NULL. Both point into the caller's copy. */
struct word {
	char *name, *value;
};

/*
 * Takes the next word off *p, which is cut up. Blanks inside double quotes do not end a word; the quotes around a value
 * are dropped. False at the end, and at "--", behind which all is for init.
 */
static bool next_word(char **p, struct word *ret)
{
	char *s = *p, *start;
	bool quoted = false;
	size_t n;

	while (isspace((unsigned char)*s))
		s++;
	start = s;
	for (; *s && (quoted || !isspace((unsigned char)*s)); s++) {
		if (*s == '"')
			quoted = !quoted;
	}
	*p = *s ? s + 1 : s;
	*s = '\0';
	if (!*start || strcmp(start, "--") == 0)
		return false;
	if (*start == '"') {
		start++;
		n = strlen(start);
		if (n && start[n - 1] == '"')
			start[n - 1] = '\0';
	}
	ret->name = start;
	ret->value = strchr(start, '=');
	if (ret->value) {
		*ret->value++ = '\0';
		n = strlen(ret->value);
		if (*ret->value == '"') {
			ret->value++;
			n--;
			if (n && ret->value[n - 1] == '"')
				ret->value[n - 1] = '\0';
		}
	}
	return true;
}

static int parse_cpus(const char *text, unsigned nr_cpus, struct qm_cpuset *ret)
{
	return qm_cpuset_parse_list(text, (int)(nr_cpus ? nr_cpus : 1) - 1, ret);
}

static bool is_flag(const char *s, size_t n, const char *flag)
{
	return strlen(flag) == n && strncmp(s, flag, n) == 0;
}

/*
 * isolcpus=[flag,...,]list. A flag is a word that starts with a letter; "all" and "N" start a list. A flag nobody knows is
 * skipped, as kernels do; without any flag "domain" is meant.
 */
static int parse_isolcpus(const char *text, unsigned nr_cpus, struct qm_cmdline *c)
{
	bool domain = false, managed = false, io_queue = false, nohz = false, any = false;
	struct qm_cpuset set = { 0 };
	int r;

	while (isalpha((unsigned char)*text)) {
		size_t n = strcspn(text, ",");

		if (is_flag(text, strcspn(text, ",-:"), "all") || is_flag(text, strcspn(text, ",-:"), "N"))
			break;
		if (!text[n])
			return -EINVAL;
		domain |= is_flag(text, n, "domain");
		managed |= is_flag(text, n, "managed_irq");
		io_queue |= is_flag(text, n, "io_queue");
		nohz |= is_flag(text, n, "nohz");
		any = domain || managed || io_queue || nohz;
		text += n + 1;
	}
	r = parse_cpus(text, nr_cpus, &set);
	if (r < 0)
		return r;
	c->iso_domain = domain || !any;
	c->iso_managed_irq = managed;
	c->iso_io_queue = io_queue;
	c->iso_nohz = nohz;
	qm_cpuset_copy(&c->isolcpus, &set);
	c->has_isolcpus = true;
	return 0;
}

static int parse_count(const char *text, int *ret)
{
	const char *p = text;
	int v = take_number(&p);

	if (v < 0 || *p)
		return -EINVAL;
	*ret = v;
	return 0;
}

/* The first of several isolcpus= or nohz_full= stands: a kernel refuses a second one that differs. Else the last. */
static int parse_word(const struct word *w, unsigned nr_cpus, struct qm_cmdline *c)
{
	int r = 0;

	if (strcmp(w->name, "nosmt") == 0) {
		c->nosmt = true;
	} else if (!w->value) {
		return 0;
	} else if (strcmp(w->name, "isolcpus") == 0) {
		r = c->has_isolcpus ? 0 : parse_isolcpus(w->value, nr_cpus, c);
	} else if (strcmp(w->name, "nohz_full") == 0) {
		if (!c->has_nohz_full)
			r = parse_cpus(w->value, nr_cpus, &c->nohz_full);
		c->has_nohz_full |= r == 0;
	} else if (strcmp(w->name, "irqaffinity") == 0) {
		r = parse_cpus(w->value, nr_cpus, &c->irqaffinity);
		c->has_irqaffinity |= r == 0;
	} else if (strcmp(w->name, "maxcpus") == 0) {
		r = parse_count(w->value, &c->maxcpus);
	} else if (strcmp(w->name, "nr_cpus") == 0) {
		r = parse_count(w->value, &c->nr_cpus);
	} else if (strcmp(w->name, "possible_cpus") == 0) {
		r = parse_count(w->value, &c->possible_cpus);
	} else if (strcmp(w->name, "elfcorehdr") == 0) {
		c->kdump = true;
	}
	return r;
}

/* As qm_cmdline_parse(), but goes on behind a bad word and fills *ret with the rest; *ret_bad names the first one. */
static int parse_lenient(const char *text, unsigned nr_cpus, struct qm_cmdline *ret, char **ret_bad)
{
	struct qm_cmdline c = { .known = true, .maxcpus = -1, .nr_cpus = -1, .possible_cpus = -1 };
	_cleanup_free_ char *copy = strdup(text), *bad = NULL;
	char *p = copy;
	struct word w;

	c.text = strdup(text);
	if (!copy || !c.text) {
		free(c.text);
		return -ENOMEM;
	}
	while (next_word(&p, &w)) {
		int r = parse_word(&w, nr_cpus, &c);

		if (r < 0 && !bad) {
			bad = strdup(w.name);
			if (!bad) {
				free(c.text);
				return -ENOMEM;
			}
		}
	}
	*ret_bad = bad;
	bad = NULL;
	*ret = c;
	return 0;
}

int qm_cmdline_parse(const char *text, unsigned nr_cpus, struct qm_cmdline *ret)
{
	_cleanup_free_ char *bad = NULL;
	struct qm_cmdline c = { 0 };
	int r;

	r = parse_lenient(text, nr_cpus, &c, &bad);
	if (r < 0)
		return r;
	if (bad) {
		qm_cmdline_done(&c);
		return -EINVAL;
	}
	*ret = c;
	return 0;
}

void qm_cmdline_done(struct qm_cmdline *c)
{
	free(c->text);
	*c = (struct qm_cmdline){ 0 };
}

int qm_cmdline_read(struct qm_root *root, struct qm_machine *m)
{
	struct qm_dir top = qm_root_dir(root);
	_cleanup_free_ char *text = NULL, *bad = NULL;
	struct qm_cmdline c = { .maxcpus = -1, .nr_cpus = -1, .possible_cpus = -1 };
	int r;

	r = qm_dir_read_line(&top, "proc/cmdline", &text);
	if (r >= 0)
		r = parse_lenient(text, m->topo.nr_cpus, &c, &bad);
	if (r == -ENOMEM)
		return r;
	if (bad)
		qm_problem_addf(&m->problems, "proc/cmdline", "%s= is garbled, taken as not given", bad);
	/* Not every architecture passes the crash kernel's memory on the command line. */
	r = c.kdump ? 0 : qm_dir_exists(&top, "proc/vmcore");
	c.kdump |= r > 0;
	qm_cmdline_done(&m->cmdline);
	m->cmdline = c;
	return 0;
}
