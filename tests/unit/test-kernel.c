// SPDX-License-Identifier: GPL-2.0-or-later
/* Release strings of every distribution, and kernel command lines. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "machine/machine.h"

static void releases(void **state)
{
	static const struct {
		const char *release;
		int major, minor, patch;
		enum qm_distro distro;
		int distro_major, build[3];
	} t[] = {
		{ "6.1.192", 6, 1, 192, QM_DISTRO_NONE, -1, { -1, -1, -1 } },
		{ "6.12", 6, 12, -1, QM_DISTRO_NONE, -1, { -1, -1, -1 } },
		{ "5.18.0-rc4", 5, 18, 0, QM_DISTRO_NONE, -1, { -1, -1, -1 } },
		{ "7.0-rc5", 7, 0, -1, QM_DISTRO_NONE, -1, { -1, -1, -1 } },
		{ "5.18.0-rc4+", 5, 18, 0, QM_DISTRO_UNKNOWN, -1, { -1, -1, -1 } },
		{ "6.9.7-060907-generic", 6, 9, 7, QM_DISTRO_NONE, -1, { 60907, -1, -1 } },
		{ "6.9.7-1.el9.elrepo.x86_64", 6, 9, 7, QM_DISTRO_NONE, -1, { 1, -1, -1 } },
		/* Debian: the third number is frozen at 0 and says nothing */
		{ "6.1.0-18-amd64", 6, 1, -1, QM_DISTRO_DEBIAN, -1, { 18, -1, -1 } },
		{ "5.10.0-32-cloud-amd64", 5, 10, -1, QM_DISTRO_DEBIAN, -1, { 32, -1, -1 } },
		{ "4.19.0-26-686-pae", 4, 19, -1, QM_DISTRO_DEBIAN, -1, { 26, -1, -1 } },
		{ "6.1.0-18-rt-arm64", 6, 1, -1, QM_DISTRO_DEBIAN, -1, { 18, -1, -1 } },
		{ "5.10.0-0.bpo.9-amd64", 5, 10, -1, QM_DISTRO_DEBIAN, -1, { 0, -1, -1 } },
		{ "6.1.0-0.deb11.13-amd64", 6, 1, -1, QM_DISTRO_DEBIAN, 11, { 0, -1, -1 } },
		{ "6.12.9-amd64", 6, 12, 9, QM_DISTRO_DEBIAN, -1, { -1, -1, -1 } },
		{ "6.12.117+deb13-amd64", 6, 12, 117, QM_DISTRO_DEBIAN, 13, { -1, -1, -1 } },
		{ "7.2.13+deb14-amd64", 7, 2, 13, QM_DISTRO_DEBIAN, 14, { -1, -1, -1 } },
		{ "6.8.0-31-generic", 6, 8, -1, QM_DISTRO_UBUNTU, -1, { 31, -1, -1 } },
		{ "5.15.0-47-generic", 5, 15, -1, QM_DISTRO_UBUNTU, -1, { 47, -1, -1 } },
		{ "6.5.0-1022-azure", 6, 5, -1, QM_DISTRO_UBUNTU, -1, { 1022, -1, -1 } },
		{ "6.17.0-1014-nvidia", 6, 17, -1, QM_DISTRO_UBUNTU, -1, { 1014, -1, -1 } },
		{ "5.14.0-427.el9.x86_64", 5, 14, 0, QM_DISTRO_RHEL, 9, { 427, -1, -1 } },
		{ "5.14.0-427.el9", 5, 14, 0, QM_DISTRO_RHEL, 9, { 427, -1, -1 } },
		{ "5.14.0-427.59.1.el9_4.x86_64+rt", 5, 14, 0, QM_DISTRO_RHEL, 9, { 427, 59, 1 } },
		{ "4.18.0-553.8.1.el8", 4, 18, 0, QM_DISTRO_RHEL, 8, { 553, 8, 1 } },
		{ "4.18.0-147.el8.x86_64", 4, 18, 0, QM_DISTRO_RHEL, 8, { 147, -1, -1 } },
		{ "3.10.0-1160.el7.x86_64", 3, 10, 0, QM_DISTRO_RHEL, 7, { 1160, -1, -1 } },
		{ "6.12.0-55.9.1.el10_0.aarch64", 6, 12, 0, QM_DISTRO_RHEL, 10, { 55, 9, 1 } },
		{ "5.14.0-70.13.1.rt21.83.el9_0.x86_64", 5, 14, 0, QM_DISTRO_RHEL, 9, { 70, 13, 1 } },
		{ "5.15.0-204.147.6.2.el9uek.x86_64", 5, 15, 0, QM_DISTRO_UEK, 9, { 204, 147, 6 } },
		{ "4.14.35-1902.300.11.el7uek.x86_64", 4, 14, 35, QM_DISTRO_UEK, 7, { 1902, 300, 11 } },
		{ "6.9.7-200.fc40.x86_64", 6, 9, 7, QM_DISTRO_FEDORA, 40, { 200, -1, -1 } },
		{ "6.10.0-0.rc5.43.fc41.x86_64", 6, 10, 0, QM_DISTRO_FEDORA, 41, { 0, -1, -1 } },
		{ "5.3.18-150300-default", 5, 3, 18, QM_DISTRO_SUSE, 15, { 150300, -1, -1 } },
		{ "5.14.21-150500.55.52-default", 5, 14, 21, QM_DISTRO_SUSE, 15, { 150500, 55, 52 } },
		{ "5.14.21-150500.33.57-azure", 5, 14, 21, QM_DISTRO_SUSE, 15, { 150500, 33, 57 } },
		{ "5.14.21-150500.13.11-rt", 5, 14, 21, QM_DISTRO_SUSE, 15, { 150500, 13, 11 } },
		{ "6.12.0-160000.5-default", 6, 12, 0, QM_DISTRO_SUSE, 16, { 160000, 5, -1 } },
		{ "4.12.14-122.37-default", 4, 12, 14, QM_DISTRO_SUSE, -1, { 122, 37, -1 } },
		{ "6.9.7-1-default", 6, 9, 7, QM_DISTRO_SUSE, -1, { 1, -1, -1 } },
		{ "6.8.12-4-pve", 6, 8, 12, QM_DISTRO_PROXMOX, -1, { 4, -1, -1 } },
		{ "4.14.355-276.618.amzn2.x86_64", 4, 14, 355, QM_DISTRO_AMAZON, 2, { 276, 618, -1 } },
		{ "6.1.94-99.176.amzn2023.x86_64", 6, 1, 94, QM_DISTRO_AMAZON, 2023, { 99, 176, -1 } },
		{ "6.9.7-arch1-1", 6, 9, 7, QM_DISTRO_ARCH, -1, { -1, -1, -1 } },
		{ "6.9.7-zen1-1-zen", 6, 9, 7, QM_DISTRO_ARCH, -1, { -1, -1, -1 } },
		{ "5.15.153.1-microsoft-standard-WSL2", 5, 15, 153, QM_DISTRO_UNKNOWN, -1, { -1, -1, -1 } },
		{ "4.19.91-26.al7.x86_64", 4, 19, 91, QM_DISTRO_UNKNOWN, -1, { 26, -1, -1 } },
		{ "6.1.0-18-", 6, 1, 0, QM_DISTRO_UNKNOWN, -1, { 18, -1, -1 } },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_kernel k = { 0 };

		print_message("# %s\n", t[i].release);
		assert_int_equal(qm_kernel_parse(t[i].release, &k), 0);
		assert_string_equal(k.release, t[i].release);
		assert_int_equal(k.major, t[i].major);
		assert_int_equal(k.minor, t[i].minor);
		assert_int_equal(k.patch, t[i].patch);
		assert_int_equal(k.distro, t[i].distro);
		assert_int_equal(k.distro_major, t[i].distro_major);
		for (size_t j = 0; j < 3; j++)
			assert_int_equal(k.distro_build[j], t[i].build[j]);
		qm_kernel_done(&k);
	}
}

static void not_releases(void **state)
{
	static const char *const t[] = { "", "dummy", "6", "6.", ".1", "v6.1", "-6.1", "six.one" };

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_kernel k = { 0 };

		assert_int_equal(qm_kernel_parse(t[i], &k), -EINVAL);
		assert_string_equal(k.release, t[i]);
		assert_int_equal(k.major, -1);
		assert_false(qm_kernel_is_at_least(&k, 0, 0));
		qm_kernel_done(&k);
	}
}

static void huge_numbers(void **state)
{
	struct qm_kernel k = { 0 };

	(void)state;
	assert_int_equal(qm_kernel_parse("99999999999999999999.4294967296.1-99999999999999999999.el99999999999", &k), 0);
	assert_true(k.major > 1000 && k.minor > 1000 && k.distro_build[0] > 1000 && k.distro_major > 1000);
	qm_kernel_done(&k);
	/* Found by a fuzzer: the build that Ubuntu's rule expects does not fit an int. */
	assert_int_equal(qm_kernel_parse("6.7777777778.03#777777777", &k), 0);
	assert_int_equal(k.distro, QM_DISTRO_UNKNOWN);
	qm_kernel_done(&k);
	assert_int_equal(qm_kernel_parse("2147483647.2147483647.2147483647-2147483647-generic", &k), 0);
	assert_int_equal(k.distro, QM_DISTRO_UBUNTU);
	qm_kernel_done(&k);
}

static void at_least(void **state)
{
	struct qm_kernel k = { 0 };

	(void)state;
	assert_false(qm_kernel_is_at_least(&k, 0, 0)); /* no kernel known */
	assert_int_equal(qm_kernel_parse("6.3.1", &k), 0);
	assert_true(qm_kernel_is_at_least(&k, 6, 3));
	assert_true(qm_kernel_is_at_least(&k, 5, 19));
	assert_false(qm_kernel_is_at_least(&k, 6, 4));
	assert_false(qm_kernel_is_at_least(&k, 7, 0));
	qm_kernel_done(&k);
	assert_string_equal(qm_distro_name(QM_DISTRO_DEBIAN), "debian");
	assert_string_equal(qm_distro_name(QM_DISTRO_ARCH), "arch");
	assert_null(qm_distro_name(QM_DISTRO_NONE));
	assert_null(qm_distro_name(QM_DISTRO_UNKNOWN));
	assert_null(qm_distro_name(_QM_DISTRO_MAX));
}

static void assert_set(const struct qm_cpuset *s, const char *want)
{
	struct qm_strbuf b = { 0 };

	qm_cpuset_format(s, &b);
	assert_string_equal(qm_strbuf_str(&b), want);
	qm_strbuf_done(&b);
}

#define DOMAIN 1u
#define MANAGED 2u
#define IO_QUEUE 4u
#define NOHZ 8u

static void isolcpus(void **state)
{
	static const struct {
		const char *text;
		unsigned nr_cpus, flags;
		const char *set; /* NULL: refused */
	} t[] = {
		{ "isolcpus=2-5", 8, DOMAIN, "2-5" },
		{ "isolcpus=managed_irq,domain,2-5", 8, DOMAIN | MANAGED, "2-5" },
		{ "isolcpus=managed_irq,2-5", 8, MANAGED, "2-5" },
		{ "isolcpus=io_queue,managed_irq,domain,2-5", 8, DOMAIN | MANAGED | IO_QUEUE, "2-5" },
		{ "isolcpus=nohz,domain,1", 8, DOMAIN | NOHZ, "1" },
		{ "isolcpus=managed_irq,domain,4-N", 8, DOMAIN | MANAGED, "4-7" },
		{ "isolcpus=0-31:2/4", 32, DOMAIN, "0-1,4-5,8-9,12-13,16-17,20-21,24-25,28-29" },
		{ "isolcpus=all", 4, DOMAIN, "0-3" },
		{ "isolcpus=managed_irq,all", 4, MANAGED, "0-3" },
		{ "isolcpus=N", 4, DOMAIN, "3" },
		{ "isolcpus=wireless,3", 4, DOMAIN, "3" }, /* an unknown flag is skipped */
		{ "isolcpus=wireless,managed_irq,3", 4, MANAGED, "3" },
		{ "isolcpus=1,3,5-6", 8, DOMAIN, "1,3,5-6" },
		{ "isolcpus=\"managed_irq,1\"", 8, MANAGED, "1" },
		{ "isolcpus=1 isolcpus=2", 8, DOMAIN, "1" }, /* the second is refused by the kernel */
		{ "isolcpus=", 8, DOMAIN, "" },
		{ "isolcpus=domain", 8, 0, NULL },
		{ "isolcpus=2-", 8, 0, NULL },
		{ "isolcpus=5-2", 8, 0, NULL },
		{ "isolcpus=managed_irq,99999999", 8, 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_cmdline c = { 0 };

		print_message("# %s\n", t[i].text);
		assert_int_equal(qm_cmdline_parse(t[i].text, t[i].nr_cpus, &c), t[i].set ? 0 : -EINVAL);
		if (!t[i].set)
			continue;
		assert_true(c.has_isolcpus);
		assert_set(&c.isolcpus, t[i].set);
		assert_int_equal(c.iso_domain, (t[i].flags & DOMAIN) != 0);
		assert_int_equal(c.iso_managed_irq, (t[i].flags & MANAGED) != 0);
		assert_int_equal(c.iso_io_queue, (t[i].flags & IO_QUEUE) != 0);
		assert_int_equal(c.iso_nohz, (t[i].flags & NOHZ) != 0);
		qm_cmdline_done(&c);
	}
}

/* nohz_full= and irqaffinity= take the same lists, without flags. */
static void lists_of_other_words(void **state)
{
	static const char *const t[][2] = {
		{ "all", "0-31" }, { "N", "31" }, { "4-N", "4-31" }, { "0-31:2/4", "0-1,4-5,8-9,12-13,16-17,20-21,24-25,28-29" },
		{ "all:1/8", "0,8,16,24" }, { "0,2-3,", "0,2-3" }, { "", "" }, { "managed_irq,3", NULL }, { "3-x", NULL },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_cmdline c = { 0 };
		char text[128];
		int want = t[i][1] ? 0 : -EINVAL;

		snprintf(text, sizeof(text), "nohz_full=%s", t[i][0]);
		print_message("# %s\n", text);
		assert_int_equal(qm_cmdline_parse(text, 32, &c), want);
		if (want < 0)
			continue;
		assert_set(&c.nohz_full, t[i][1]);
		qm_cmdline_done(&c);
		snprintf(text, sizeof(text), "irqaffinity=%s", t[i][0]);
		assert_int_equal(qm_cmdline_parse(text, 32, &c), 0);
		assert_set(&c.irqaffinity, t[i][1]);
		qm_cmdline_done(&c);
	}
}

static void other_words(void **state)
{
	struct qm_cmdline c = { 0 };

	(void)state;
	assert_int_equal(qm_cmdline_parse("BOOT_IMAGE=/vmlinuz root=\"a b\" nohz_full=2-N irqaffinity=0,1 nosmt maxcpus=4 "
					  "nr_cpus=8 possible_cpus=16 quiet -- isolcpus=3",
					  8, &c),
			 0);
	assert_true(c.known);
	assert_false(c.has_isolcpus); /* behind "--": for init */
	assert_true(c.has_nohz_full);
	assert_set(&c.nohz_full, "2-7");
	assert_true(c.has_irqaffinity);
	assert_set(&c.irqaffinity, "0-1");
	assert_true(c.nosmt);
	assert_false(c.kdump);
	assert_int_equal(c.maxcpus, 4);
	assert_int_equal(c.nr_cpus, 8);
	assert_int_equal(c.possible_cpus, 16);
	qm_cmdline_done(&c);

	assert_int_equal(qm_cmdline_parse("nosmt=force elfcorehdr=0x5c000000 xisolcpus=1 isolcpus", 8, &c), 0);
	assert_true(c.nosmt);
	assert_true(c.kdump);
	assert_false(c.has_isolcpus || c.has_nohz_full || c.has_irqaffinity);
	assert_int_equal(c.maxcpus, -1);
	assert_int_equal(c.nr_cpus, -1);
	assert_int_equal(c.possible_cpus, -1);
	assert_string_equal(c.text, "nosmt=force elfcorehdr=0x5c000000 xisolcpus=1 isolcpus");
	qm_cmdline_done(&c);

	assert_int_equal(qm_cmdline_parse("", 0, &c), 0);
	assert_true(c.known);
	qm_cmdline_done(&c);
	assert_int_equal(qm_cmdline_parse("maxcpus=four", 8, &c), -EINVAL);
	assert_int_equal(qm_cmdline_parse("nohz_full=x", 8, &c), -EINVAL);
	assert_int_equal(qm_cmdline_parse("quiet \"isolcpus=1", 8, &c), 0); /* an open quote runs to the end */
	assert_set(&c.isolcpus, "1");
	qm_cmdline_done(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(releases),	cmocka_unit_test(not_releases), cmocka_unit_test(huge_numbers),
		cmocka_unit_test(at_least),	cmocka_unit_test(isolcpus),	cmocka_unit_test(lists_of_other_words),
		cmocka_unit_test(other_words),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
