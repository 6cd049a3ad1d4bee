// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/interrupts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"

/* Longer than any line: 11 characters for each of 8192 CPUs and a name. */
#define BUFFER_SIZE (256 * 1024)
/* A count is written with a blank before it and padded to ten digits. Most are zero. */
#define COLUMN_WIDTH 11
#define ZERO_COLUMN  "          0"
/* Many handlers share a line at most; what is longer is no kernel's and cut. */
#define HANDLERS_MAX 4096

struct parser {
	unsigned *cpus; /* of each column */
	size_t n, cap;
	bool has_header;
	long left_out;
	qm_interrupts_fn fn;
	void *arg;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && *p == ' ')
		p++;
	return p;
}

/* Digits up to the first other character; stays at ULLONG_MAX where it does not fit. *p moves on. */
static unsigned long long read_number(const char **p, const char *end)
{
	unsigned long long n = 0;

	for (; *p < end && is_digit(**p); ++*p) {
		unsigned digit = (unsigned)(**p - '0');

		n = n > (ULLONG_MAX - digit) / 10 ? ULLONG_MAX : n * 10 + digit;
	}
	return n;
}

/* "           CPU0       CPU1       CPU4": offline CPUs have no column, so the numbers count and not the positions. */
static int parse_header(struct parser *x, const char *p, const char *end)
{
	int r = 0;

	x->has_header = true;
	for (p = skip_blanks(p, end); r == 0 && p < end; p = skip_blanks(p, end)) {
		const char *start = p + 3;
		unsigned long long cpu;

		if (end - p < 4 || memcmp(p, "CPU", 3) != 0 || !is_digit(*start))
			break;
		p = start;
		cpu = read_number(&p, end);
		if (cpu >= QM_CPU_MAX || x->n >= QM_CPU_MAX)
			break;
		r = qm_array_grow(&x->cpus, &x->cap, x->n + 1, sizeof(*x->cpus));
		if (r == 0)
			x->cpus[x->n++] = (unsigned)cpu;
	}
	return r;
}

static void count(struct qm_irq_counts *c, unsigned cpu, unsigned long long n)
{
	qm_cpuset_set(&c->cpus, cpu);
	c->total = n > ULLONG_MAX - c->total ? ULLONG_MAX : c->total + n;
	if (n <= c->most)
		return;
	c->most = n;
	c->busiest = cpu;
}

/* One count for each column and *ret_rest behind them; false where there are fewer or more. */
static bool parse_counts(const struct parser *x, const char *p, const char *end, struct qm_irq_counts *ret,
			 const char **ret_rest)
{
	qm_cpuset_zero(&ret->cpus);
	ret->total = ret->most = 0;
	ret->busiest = 0;
	for (size_t i = 0; i < x->n; i++) {
		unsigned long long n;

		if (end - p > COLUMN_WIDTH && p[COLUMN_WIDTH] == ' ' && memcmp(p, ZERO_COLUMN, COLUMN_WIDTH) == 0) {
			p += COLUMN_WIDTH;
			continue;
		}
		p = skip_blanks(p, end);
		if (p == end || !is_digit(*p))
			return false;
		n = read_number(&p, end);
		if (p < end && *p != ' ')
			return false;
		if (n)
			count(ret, x->cpus[i], n);
	}
	/* After the counts comes a word, the chip, or nothing. */
	p = skip_blanks(p, end);
	*ret_rest = p;
	return p == end || !is_digit(*p);
}

static int parse_line(struct parser *x, const char *p, const char *end)
{
	struct qm_interrupts_line line;
	unsigned long long nr;

	if (!x->has_header)
		return parse_header(x, p, end);
	p = skip_blanks(p, end);
	if (p == end || !is_digit(*p))
		return 0; /* NMI, LOC, ERR: no device's */
	nr = read_number(&p, end);
	if (p == end || *p != ':' || nr > UINT_MAX || !x->n)
		return 0;
	if (!parse_counts(x, p + 1, end, &line.counts, &line.text)) {
		x->left_out++;
		return 0;
	}
	while (end > line.text && end[-1] == ' ')
		end--;
	line.nr = (unsigned)nr;
	line.len = (size_t)(end - line.text);
	return x->fn(x->arg, &line);
}

/* All whole lines in a piece; *ret_used is their length. */
static int parse_lines(struct parser *x, const char *p, size_t len, size_t *ret_used)
{
	const char *start = p, *end = p + len, *newline;
	int r = 0;

	while (r == 0 && p < end) {
		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			break;
		r = parse_line(x, p, newline);
		p = newline + 1;
	}
	*ret_used = (size_t)(p - start);
	return r;
}

static int parse_file(struct parser *x, int fd, char *buf)
{
	size_t len = 0, used;
	bool skipping = false;
	long total = 0;
	int r = 0;

	while (r == 0) {
		ssize_t n = read(fd, buf + len, BUFFER_SIZE - len);
		const char *nul;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		total += n;
		if (total > QM_INTERRUPTS_MAX)
			return -EFBIG;
		nul = memchr(buf + len, '\0', (size_t)n);
		len = nul ? (size_t)(nul - buf) : len + (size_t)n;
		if (n == 0 || nul)
			break;
		if (skipping) {
			const char *newline = memchr(buf, '\n', len);

			used = newline ? (size_t)(newline + 1 - buf) : len;
			skipping = !newline;
		} else {
			r = parse_lines(x, buf, len, &used);
			/* A line that does not fit is no line of a kernel. */
			if (!used && len == BUFFER_SIZE) {
				x->left_out++;
				skipping = true;
				used = len;
			}
		}
		memmove(buf, buf + used, len - used);
		len -= used;
	}
	if (r == 0 && !skipping)
		r = parse_lines(x, buf, len, &used);
	if (r == 0 && !skipping && used < len)
		r = parse_line(x, buf + used, buf + len);
	return r;
}

long qm_interrupts_parse(int fd, qm_interrupts_fn fn, void *arg)
{
	struct parser x = { .fn = fn, .arg = arg };
	_cleanup_free_ char *buf = malloc(BUFFER_SIZE);
	int r = buf ? parse_file(&x, fd, buf) : -ENOMEM;

	free(x.cpus);
	return r < 0 ? r : x.left_out;
}

/* ---- the text behind the counts ---- */

static const char *word_end(const char *p, const char *end)
{
	while (p < end && *p != ' ')
		p++;
	return p;
}

static bool is_word(const char *p, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(p, word, len) == 0;
}

/* "-edge" at the end of "PCI-MSI-edge": kernels before the number of a chip's own was shown. The length without it. */
static size_t without_trigger(const char *chip, size_t len)
{
	static const char *const triggers[] = { "-edge", "-level", "-fasteoi", "-event", "-virq", "-pirq" };

	for (size_t i = 0; i < QM_ARRAY_SIZE(triggers); i++) {
		size_t n = strlen(triggers[i]);

		if (len > n && memcmp(chip + len - n, triggers[i], n) == 0)
			return len - n;
	}
	return len;
}

/* "2-edge" or "30": the number, and whether the trigger is in the same word. False: it is another word. */
static bool split_hwirq(const char *p, const char *end, long *ret, bool *ret_has_trigger)
{
	const char *start = p;
	unsigned long long n = read_number(&p, end);

	if (p == start || (p < end && *p != '-'))
		return false;
	*ret = n > LONG_MAX ? -1 : (long)n;
	*ret_has_trigger = p < end;
	return true;
}

void qm_interrupts_split(const char *text, size_t len, struct qm_interrupts_text *ret)
{
	const char *end = text + len, *p = skip_blanks(text, end), *word = word_end(p, end);
	bool has_trigger = false;

	*ret = (struct qm_interrupts_text){ .hwirq = -1 };
	if (p == end)
		return;
	ret->chip = p;
	ret->chip_len = without_trigger(p, (size_t)(word - p));
	has_trigger = p + ret->chip_len < word;
	p = skip_blanks(word, end);
	word = word_end(p, end);
	if (!has_trigger && split_hwirq(p, word, &ret->hwirq, &has_trigger)) {
		p = skip_blanks(word, end);
		word = word_end(p, end);
	}
	if (!has_trigger && (is_word(p, (size_t)(word - p), "Edge") || is_word(p, (size_t)(word - p), "Level"))) {
		p = skip_blanks(word, end);
		word = word_end(p, end);
	}
	/* No handler's name starts so; Xen's triggers do, and those that a controller names beside Edge and Level. */
	if (p < end && *p == '-')
		p = skip_blanks(word, end);
	while (end > p && end[-1] == ' ')
		end--;
	if (p == end)
		return;
	ret->handlers = p;
	ret->handlers_len = (size_t)(end - p) < HANDLERS_MAX ? (size_t)(end - p) : HANDLERS_MAX;
}

/* ---- the machine's ---- */

struct reading {
	struct qm_machine *m;
	unsigned what;
};

static int keep_names(struct qm_irq *irq, const struct qm_interrupts_line *line)
{
	struct qm_interrupts_text text;

	qm_interrupts_split(line->text, line->len, &text);
	if (irq->name || !text.handlers)
		return 0;
	irq->name = strndup(text.handlers, text.handlers_len);
	if (!irq->chip)
		irq->chip = strndup(text.chip, text.chip_len < HANDLERS_MAX ? text.chip_len : HANDLERS_MAX);
	irq->hwirq = text.hwirq;
	return irq->name && irq->chip ? 0 : -ENOMEM;
}

static int keep_line(void *arg, const struct qm_interrupts_line *line)
{
	const struct reading *x = arg;
	struct qm_irq *irq = qm_irq_find(x->m, line->nr);
	int r = 0;

	if (irq && x->what & QM_INTERRUPTS_NAMES)
		r = keep_names(irq, line);
	if (r < 0 || !irq || !(x->what & QM_INTERRUPTS_COUNTS))
		return r;
	if (!irq->counts)
		irq->counts = malloc(sizeof(*irq->counts));
	if (!irq->counts)
		return -ENOMEM;
	*irq->counts = line->counts;
	return 0;
}

int qm_interrupts_read(const struct qm_dir *top, unsigned what, struct qm_machine *m)
{
	const char *path = QM_INTERRUPTS_PATH;
	struct reading x = { .m = m, .what = what };
	_cleanup_close_ int fd = qm_dir_open_file(top, path);
	long n;

	if (fd < 0)
		return fd == -ENOMEM ? fd : 0;
	n = qm_interrupts_parse(fd, keep_line, &x);
	if (n > 0)
		qm_problem_addf(&m->problems, path, "%ld line%s left out: not as many counts as the first line names CPUs", n,
			n == 1 ? "" : "s");
	else if (n < 0 && n != -ENOMEM)
		qm_problem_addf(&m->problems, path, "%s", strerror((int)-n));
	return n == -ENOMEM ? -ENOMEM : 0;
}
