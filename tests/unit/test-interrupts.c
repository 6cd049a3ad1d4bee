// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/interrupts: every form of line, and files that are cut, wide, narrow or no such file at all. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "machine/interrupts.h"

static int print(void *arg, const struct qm_interrupts_line *line)
{
	const struct qm_irq_counts *c = &line->counts;
	struct qm_strbuf *b = arg;

	qm_strbuf_addf(b, "%u: ", line->nr);
	qm_cpuset_format(&c->cpus, b);
	qm_strbuf_addf(b, " %llu", c->total);
	if (c->total)
		qm_strbuf_addf(b, " %llu@%u", c->most, c->busiest);
	qm_strbuf_adds(b, "\n");
	return 0;
}

static int open_text(const char *text, size_t len)
{
	int fd = memfd_create("interrupts", 0);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), (ssize_t)len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void check(const char *text, size_t len, long left_out, const char *want)
{
	struct qm_strbuf b = { 0 };
	int fd = open_text(text, len);

	assert_int_equal(qm_interrupts_parse(fd, print, &b), left_out);
	assert_string_equal(qm_strbuf_str(&b), want);
	qm_strbuf_done(&b);
	close(fd);
}

#define CHECK(text, left_out, want) check(text, sizeof(text) - 1, left_out, want)
#define HEAD "           CPU0       CPU1       CPU4       \n"

static void lines(void **state)
{
	(void)state;
	CHECK(HEAD
	      "   0:         36          0          0   IO-APIC   2-edge      timer\n"
	      "  24:          0          0          7   PCI-MSIX-0000:04:00.0   1-edge      nvme0q1\n"
	      "  25:          0          0          0   PCI-MSI-edge      nvme0q2\n"
	      " 183: 4294967295 3000000000         12   ITS-MSI 94404626 Edge      hisi_sas_v3_hw cq\n"
	      "  30:          1          0          0\n"
	      " NMI:          1          2          3   Non-maskable interrupts\n"
	      " ERR:          9\n"
	      " MIS:          0\n"
	      "2147483647:          5          0          0   xen-dyn    -event     blkif\n",
	      0,
	      "0: 0 36 36@0\n24: 4 7 7@4\n25:  0\n183: 0-1,4 7294967307 4294967295@0\n30: 0 1 1@0\n"
	      "2147483647: 0 5 5@0\n");
}

static void no_file_of_interrupts(void **state)
{
	(void)state;
	CHECK("", 0, "");
	CHECK("\n", 0, "");
	CHECK(HEAD, 0, "");
	CHECK("             \n 1: 5 chip name\n", 0, "");
	CHECK("CPU9999999 CPU0\n 1: 5 chip name\n", 0, "");
	CHECK("\0\0\0\0\0", 0, "");
	CHECK(HEAD " 5: 1 0 0 chip a\n\0\0\0\0 6: 1 0 0 chip a\n", 0, "5: 0 1 1@0\n");
	CHECK(HEAD "4294967296: 1 0 0 chip a\n18446744073709551617: 1 0 0 chip a\n -3: 1 0 0 x\n5 1 0 0 y\n", 0, "");
}

static void wrong_numbers_of_columns(void **state)
{
	(void)state;
	/* a CPU went or came while the kernel wrote, or the end is missing */
	CHECK(HEAD " 5:          1          0  chip a\n 6:          0          0          1          0  chip b\n"
		   " 7:          0          1          0  chip c\n 8:          0          1",
	      3, "7: 1 1 1@1\n");
	CHECK(HEAD " 5:          1          0          0x chip\n", 1, "");
	/* the last line may lack its newline */
	CHECK(HEAD " 5:          1          0          0", 0, "5: 0 1 1@0\n");
	CHECK(HEAD " 5: 99999999999999999999999999 1 0 x\n", 0, "5: 0-1 18446744073709551615 18446744073709551615@0\n");
}

/* Lines across the pieces that are read, and one that is longer than any kernel's. */
static void long_files(void **state)
{
	struct qm_strbuf text = { 0 }, want = { 0 };

	(void)state;
	qm_strbuf_adds(&text, "     ");
	for (unsigned cpu = 0; cpu < 1152; cpu++)
		qm_strbuf_addf(&text, "%7s%-4u", "CPU", cpu);
	qm_strbuf_adds(&text, "\n");
	for (unsigned nr = 0; nr < 200; nr++) {
		qm_strbuf_addf(&text, "%4u:", nr);
		for (unsigned cpu = 0; cpu < 1152; cpu++)
			qm_strbuf_addf(&text, " %10u", cpu == nr * 5 ? nr + 1 : 0);
		qm_strbuf_addf(&text, "  IR-PCI-MSI 12-edge      lpfc:%u\n", nr);
		qm_strbuf_addf(&want, "%u: %u %u %u@%u\n", nr, nr * 5, nr + 1, nr + 1, nr * 5);
		for (unsigned i = 0; nr == 100 && i < 100000; i++)
			qm_strbuf_adds(&text, "x 12345 ");
		qm_strbuf_adds(&text, nr == 100 ? "\n" : "");
	}
	assert_int_equal(text.err, 0);
	check(text.s, text.len, 1, qm_strbuf_str(&want));
	qm_strbuf_done(&text);
	qm_strbuf_done(&want);
}

static void texts(void **state)
{
	static const struct {
		const char *text, *chip;
		long hwirq;
		const char *handlers;
	} t[] = {
		{ "IR-PCI-MSI 524289-edge      nvme0q1", "IR-PCI-MSI", 524289, "nvme0q1" },
		{ "PCI-MSI-edge      nvme0q0", "PCI-MSI", -1, "nvme0q0" },
		{ "IO-APIC-fasteoi   ehci_hcd:usb1, uhci_hcd", "IO-APIC", -1, "ehci_hcd:usb1, uhci_hcd" },
		{ "IR-PCI-MSIX-0000:04:00.0   2-edge      nvme0q2", "IR-PCI-MSIX-0000:04:00.0", 2, "nvme0q2" },
		{ "IR-PCI-MSI-0000:17:00.0    0-edge      PCIe PME, aerdrv", "IR-PCI-MSI-0000:17:00.0", 0, "PCIe PME, aerdrv" },
		{ "ITS-MSI 94404626 Edge      hisi_sas_v3_hw cq", "ITS-MSI", 94404626, "hisi_sas_v3_hw cq" },
		{ "ITS-PCI-MSIX-0000:01:00.0   1 Edge      mlx5_comp7@pci:0000:01:00.0", "ITS-PCI-MSIX-0000:01:00.0", 1,
		  "mlx5_comp7@pci:0000:01:00.0" },
		{ "XIVE-IRQ 4609 Level     virtio3, virtio0, virtio2", "XIVE-IRQ", 4609, "virtio3, virtio0, virtio2" },
		{ "OpenPIC  Level     ide0", "OpenPIC", -1, "ide0" },
		{ "xen-dyn    -event     blkif", "xen-dyn", -1, "blkif" },
		{ "xen-dyn-event     blkif", "xen-dyn", -1, "blkif" },
		{ "xen-percpu    -virq      timer0", "xen-percpu", -1, "timer0" },
		{ "MIPS   7  timer", "MIPS", 7, "timer" },
		{ "GICv2  30 Level     -edge     arch_timer", "GICv2", 30, "arch_timer" },
		{ "  PCI-MSI 99999999999999999999-edge  nvme0q1  ", "PCI-MSI", -1, "nvme0q1" },
		/* nobody handles it */
		{ "PCI-MSI 12-edge", "PCI-MSI", 12, NULL },
		{ "PCI-MSI   12-edge      ", "PCI-MSI", 12, NULL },
		{ "XIVE-IRQ 4609 Level", "XIVE-IRQ", 4609, NULL },
		{ "IO-APIC", "IO-APIC", -1, NULL },
		{ "-edge", "-edge", -1, NULL },
		{ "   ", NULL, -1, NULL },
		{ "", NULL, -1, NULL },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_interrupts_text got;

		print_message("# %s\n", t[i].text);
		qm_interrupts_split(t[i].text, strlen(t[i].text), &got);
		assert_int_equal(got.hwirq, t[i].hwirq);
		assert_int_equal(got.chip_len, t[i].chip ? strlen(t[i].chip) : 0);
		assert_int_equal(got.handlers_len, t[i].handlers ? strlen(t[i].handlers) : 0);
		if (t[i].chip)
			assert_memory_equal(got.chip, t[i].chip, got.chip_len);
		if (t[i].handlers)
			assert_memory_equal(got.handlers, t[i].handlers, got.handlers_len);
	}
}

static int stop_at_2(void *arg, const struct qm_interrupts_line *line)
{
	++*(int *)arg;
	return line->nr == 2 ? -ENOMEM : 0;
}

static void the_reader_can_be_stopped(void **state)
{
	static const char text[] = "CPU0\n 1: 5 a\n 2: 5 a\n 3: 5 a\n";
	int calls = 0, fd = open_text(text, sizeof(text) - 1);

	(void)state;
	assert_int_equal(qm_interrupts_parse(fd, stop_at_2, &calls), -ENOMEM);
	assert_int_equal(calls, 2);
	close(fd);
	assert_int_equal(qm_interrupts_parse(-1, stop_at_2, &calls), -EBADF);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(no_file_of_interrupts),
		cmocka_unit_test(wrong_numbers_of_columns),
		cmocka_unit_test(long_files),
		cmocka_unit_test(the_reader_can_be_stopped),
		cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
