// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabrics/klog-line.h"

#include <ctype.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

/* A place in a line; never runs beyond end. */
struct cursor {
	const char *p, *end;
};

static bool at_digit(const struct cursor *c)
{
	return c->p < c->end && *c->p >= '0' && *c->p <= '9';
}

static bool take_char(struct cursor *c, char want)
{
	if (c->p >= c->end || *c->p != want)
		return false;
	c->p++;
	return true;
}

static bool take_word(struct cursor *c, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(c->end - c->p) < len || memcmp(c->p, word, len) != 0)
		return false;
	c->p += len;
	return true;
}

static void skip_blanks(struct cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\t'))
		c->p++;
}

/* Up to max digits as a number. */
static bool take_digits(struct cursor *c, unsigned max, double *ret)
{
	double v = 0;
	unsigned n = 0;

	for (; n < max && at_digit(c); n++)
		v = v * 10 + (*c->p++ - '0');
	if (n)
		*ret = v;
	return n > 0;
}

/* Digits behind a point or comma, as a fraction. */
static double take_fraction(struct cursor *c)
{
	double v = 0, unit = 1;

	for (unsigned n = 0; n < 12 && at_digit(c); n++) {
		unit /= 10;
		v += unit * (*c->p++ - '0');
	}
	return v;
}

static void copy_text(char *to, size_t size, const char *from, const char *end)
{
	size_t len = (size_t)(end - from) < size - 1 ? (size_t)(end - from) : size - 1;

	memcpy(to, from, len);
	to[len] = '\0';
}

/* ---- dates ---- */

/* Seconds from 1970 to a date of the Gregorian calendar. */
static double seconds_of(int year, int month, int day, double in_day)
{
	/* Counted from March on, so that the leap day comes last. */
	long y = month > 2 ? year : year - 1, era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
	long of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
	long days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;

	return (double)days * 86400 + in_day;
}

/* "03:04:05" with a fraction perhaps. */
static bool take_clock(struct cursor *c, double *ret)
{
	double h, m, s;

	if (!take_digits(c, 2, &h) || !take_char(c, ':') || !take_digits(c, 2, &m) || !take_char(c, ':') ||
	    !take_digits(c, 2, &s) || h > 24 || m > 59 || s > 60)
		return false;
	if (c->p < c->end && (*c->p == '.' || *c->p == ',')) {
		c->p++;
		s += take_fraction(c);
	}
	*ret = h * 3600 + m * 60 + s;
	return true;
}

static bool take_month(struct cursor *c, int *ret)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (int i = 0; i < 12; i++) {
		if (c->end - c->p >= 3 && memcmp(c->p, names + 3 * i, 3) == 0) {
			c->p += 3;
			*ret = i + 1;
			return true;
		}
	}
	return false;
}

static bool take_weekday(struct cursor *c)
{
	static const char names[] = "MonTueWedThuFriSatSun";

	for (int i = 0; i < 7; i++) {
		if (c->end - c->p >= 4 && memcmp(c->p, names + 3 * i, 3) == 0 && c->p[3] == ' ') {
			c->p += 4;
			return true;
		}
	}
	return false;
}

/* "Z", "+01:00", "+0100"; seconds east of Greenwich. */
static bool take_zone(struct cursor *c, double *ret)
{
	double sign, h, m = 0;

	if (take_char(c, 'Z')) {
		*ret = 0;
		return true;
	}
	if (c->p >= c->end || (*c->p != '+' && *c->p != '-'))
		return false;
	sign = *c->p++ == '-' ? -1 : 1;
	if (!take_digits(c, 2, &h))
		return false;
	take_char(c, ':');
	if (at_digit(c) && !take_digits(c, 2, &m))
		return false;
	*ret = sign * (h * 3600 + m * 60);
	return true;
}

/* "2026-01-02T03:04:05.123456+00:00", a blank for the T, no zone. */
static bool take_iso(struct cursor *c, struct qm_klog_line *l)
{
	struct cursor s = *c;
	double y, mo, d, clock, zone = 0;

	if (!take_digits(&s, 4, &y) || !take_char(&s, '-') || !take_digits(&s, 2, &mo) || !take_char(&s, '-') ||
	    !take_digits(&s, 2, &d) || mo < 1 || mo > 12 || d < 1 || d > 31)
		return false;
	if ((!take_char(&s, 'T') && !take_char(&s, ' ')) || !take_clock(&s, &clock))
		return false;
	l->is_local = !take_zone(&s, &zone);
	l->has_wall = true;
	l->wall = seconds_of((int)y, (int)mo, (int)d, clock) - zone;
	copy_text(l->time, sizeof(l->time), c->p, s.p);
	*c = s;
	return true;
}

/* "Jan  2 03:04:05", the year behind it or guessed. */
static bool take_bsd(struct cursor *c, double now, struct qm_klog_line *l)
{
	struct cursor s = *c;
	double day, clock, year = 0;
	int month;

	if (!take_month(&s, &month) || !take_char(&s, ' '))
		return false;
	skip_blanks(&s);
	if (!take_digits(&s, 2, &day) || !take_char(&s, ' ') || !take_clock(&s, &clock))
		return false;
	l->is_local = true;
	if (s.end - s.p >= 5 && s.p[0] == ' ' && isdigit((unsigned char)s.p[4])) {
		struct cursor behind = { .p = s.p + 1, .end = s.end };
		bool is_year = take_digits(&behind, 4, &year) && year >= 1970;

		if (is_year && (behind.p == behind.end || *behind.p == ']' || *behind.p == ' '))
			s = behind;
		else
			year = 0;
	}
	if (year == 0 && now > 0) {
		/* The latest such date that is not to come. */
		year = 1970 + (int)(now / (365.2425 * 86400));
		if (seconds_of((int)year, month, (int)day, clock) > now + 86400)
			year--;
	}
	l->has_wall = year > 0;
	if (l->has_wall)
		l->wall = seconds_of((int)year, month, (int)day, clock);
	copy_text(l->time, sizeof(l->time), c->p, s.p);
	*c = s;
	return true;
}

/* ---- what stands before a message ---- */

/* "12.345678", with blanks before. */
static bool take_seconds(struct cursor *c, struct qm_klog_line *l)
{
	struct cursor s = *c;
	double v;
	const char *start;

	skip_blanks(&s);
	start = s.p;
	if (!take_digits(&s, 12, &v) || !take_char(&s, '.'))
		return false;
	v += take_fraction(&s);
	l->has_mono = true;
	l->mono = v;
	copy_text(l->time, sizeof(l->time), start, s.p);
	*c = s;
	return true;
}

/* The inside of a bracket that is a time: seconds, a date, or dmesg's relative forms. */
static bool read_bracket(struct cursor in, double now, struct qm_klog_line *l)
{
	struct cursor s = in;
	const char *diff = memchr(in.p, '<', (size_t)(in.end - in.p));

	if (diff)
		s.end = diff;
	if (take_seconds(&s, l)) {
		skip_blanks(&s);
		return s.p == s.end;
	}
	take_weekday(&s);
	if (take_bsd(&s, now, l))
		return true;
	skip_blanks(&s);
	/* "+0.000012", "Jan 2 03:04": tell no time of their own. */
	if (take_char(&s, '+') || take_month(&s, &(int){ 0 })) {
		copy_text(l->time, sizeof(l->time), in.p, in.end);
		return true;
	}
	return false;
}

/* "[T123]", "[C0]": who printed it. */
static void skip_caller(struct cursor *c)
{
	struct cursor s = *c;
	double v;

	skip_blanks(&s);
	if (!take_char(&s, '['))
		return;
	skip_blanks(&s);
	if ((take_char(&s, 'T') || take_char(&s, 'C')) && take_digits(&s, 12, &v) && take_char(&s, ']'))
		*c = s;
}

static bool take_bracket(struct cursor *c, double now, struct qm_klog_line *l)
{
	const char *close;

	if (c->p >= c->end || *c->p != '[')
		return false;
	close = memchr(c->p, ']', (size_t)(c->end - c->p) < 64 ? (size_t)(c->end - c->p) : 64);
	if (!close || !read_bracket((struct cursor){ c->p + 1, close }, now, l))
		return false;
	c->p = close + 1;
	skip_caller(c);
	skip_blanks(c);
	return true;
}

/* A word without blanks. */
static struct cursor take_token(struct cursor *c)
{
	struct cursor t = *c;

	while (c->p < c->end && *c->p != ' ' && *c->p != '\t')
		c->p++;
	t.end = c->p;
	skip_blanks(c);
	return t;
}

/* "kernel:", "kernel[0]:" */
static bool take_kernel_tag(struct cursor *c)
{
	struct cursor s = *c;
	double pid;

	if (!take_word(&s, "kernel"))
		return false;
	if (take_char(&s, '[') && (!take_digits(&s, 12, &pid) || !take_char(&s, ']')))
		return false;
	if (!take_char(&s, ':'))
		return false;
	skip_blanks(&s);
	*c = s;
	return true;
}

/* "HOST kernel:", with a facility between them perhaps, or RFC 5424's "HOST kernel - - -". */
static bool take_host_and_tag(struct cursor *c, struct qm_klog_line *l)
{
	struct cursor s = *c, host, word;

	if (take_kernel_tag(c))
		return true;
	host = take_token(&s);
	if (!take_kernel_tag(&s)) {
		word = take_token(&s);
		if (word.end - word.p == 6 && memcmp(word.p, "kernel", 6) == 0) {
			for (int i = 0; i < 3; i++)
				take_token(&s);
		} else if (!memchr(word.p, '.', (size_t)(word.end - word.p)) || !take_kernel_tag(&s)) {
			return false;
		}
	}
	copy_text(l->host, sizeof(l->host), host.p, host.end);
	*c = s;
	return true;
}

/* A syslog priority: "<6>", RFC 5424's "<6>1 ". */
static void skip_priority(struct cursor *c)
{
	struct cursor s = *c;
	double v;

	if (!take_char(&s, '<') || !take_digits(&s, 3, &v) || !take_char(&s, '>'))
		return;
	if (s.end - s.p > 2 && s.p[0] == '1' && s.p[1] == ' ')
		s.p += 2;
	*c = s;
}

/* dmesg -x: "kern  :err   : ". */
static void skip_facility(struct cursor *c)
{
	struct cursor s = *c;

	for (int part = 0; part < 2; part++) {
		const char *start = s.p;

		while (s.p < s.end && *s.p >= 'a' && *s.p <= 'z')
			s.p++;
		if (s.p == start)
			return;
		skip_blanks(&s);
		if (!take_char(&s, ':'))
			return;
		/* "nvme: ..." is no facility: there the second word does not end so. */
	}
	skip_blanks(&s);
	*c = s;
}

/* "6,1234,5678901,-;": a record of /dev/kmsg. */
static bool take_record(struct cursor *c, struct qm_klog_line *l)
{
	struct cursor s = *c;
	const char *semicolon;
	double v, us;

	if (!take_digits(&s, 4, &v) || !take_char(&s, ',') || !take_digits(&s, 20, &v) || !take_char(&s, ',') ||
	    !take_digits(&s, 20, &us))
		return false;
	semicolon = memchr(s.p, ';', (size_t)(s.end - s.p));
	if (!semicolon)
		return false;
	l->has_mono = true;
	l->mono = us / 1e6;
	snprintf(l->time, sizeof(l->time), "%.6f", l->mono);
	c->p = semicolon + 1;
	return true;
}

/* "-- Boot 0123... --", "-- Reboot --" between the boots of a journal. */
static bool is_boot_mark(const struct cursor *c, struct qm_klog_line *l)
{
	struct cursor s = *c, id;

	if (take_word(&s, "-- Reboot --"))
		return true;
	if (!take_word(&s, "-- Boot "))
		return false;
	id = take_token(&s);
	if (id.end - id.p == 32)
		copy_text(l->boot_id, sizeof(l->boot_id), id.p, id.end);
	return true;
}

/* All forms with a date first: journalctl's short ones and syslog's. */
static bool take_dated(struct cursor *c, double now, struct qm_klog_line *l)
{
	struct cursor s = *c;
	bool iso;

	if (take_weekday(&s)) {
		if (!take_iso(&s, l))
			return false;
		skip_blanks(&s);
		take_token(&s); /* the zone's name */
		*c = s;
		return take_host_and_tag(c, l);
	}
	iso = take_iso(&s, l);
	if (!iso && !take_bsd(&s, now, l) && !(take_seconds(&s, l) && s.p < s.end && *s.p == ' '))
		return false;
	if (!iso && l->has_mono) {
		/* Seconds without a bracket are journalctl's short-unix. */
		l->has_mono = false;
		l->has_wall = true;
		l->wall = l->mono;
	}
	skip_blanks(&s);
	*c = s;
	/* dmesg's own ISO form goes on with the message. */
	return take_host_and_tag(c, l) || iso;
}

/* ---- journalctl -o json ---- */

static const char *json_text(struct json_object *o, const char *key)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_string))
		return NULL;
	return json_object_get_string(v);
}

/* MESSAGE is a string, or an array of bytes where it is no clean text. */
static bool json_message(struct json_object *o, struct qm_klog_line *l)
{
	struct json_object *v;
	size_t n = 0;

	if (!json_object_object_get_ex(o, "MESSAGE", &v))
		return false;
	if (json_object_is_type(v, json_type_string)) {
		const char *s = json_object_get_string(v);

		copy_text(l->message, sizeof(l->message), s, s + strlen(s));
		return true;
	}
	if (!json_object_is_type(v, json_type_array))
		return false;
	for (size_t i = 0; i < json_object_array_length(v) && n < sizeof(l->message) - 1; i++)
		l->message[n++] = (char)json_object_get_int(json_object_array_get_idx(v, i));
	l->message[n] = '\0';
	return true;
}

static bool read_json(const char *line, size_t len, struct qm_klog_line *l)
{
	struct json_tokener *tok = json_tokener_new_ex(8);
	struct json_object *o;
	const char *s;
	bool ok = false;

	if (!tok)
		return false;
	o = json_tokener_parse_ex(tok, line, (int)len);
	s = o ? json_text(o, "_TRANSPORT") : NULL;
	if (o && json_object_is_type(o, json_type_object) && (!s || strcmp(s, "kernel") == 0) && json_message(o, l)) {
		ok = true;
		s = json_text(o, "_HOSTNAME");
		if (s)
			copy_text(l->host, sizeof(l->host), s, s + strlen(s));
		s = json_text(o, "_BOOT_ID");
		if (s && strlen(s) == 32)
			copy_text(l->boot_id, sizeof(l->boot_id), s, s + 32);
		s = json_text(o, "__REALTIME_TIMESTAMP");
		if (s) {
			l->has_wall = true;
			l->wall = strtod(s, NULL) / 1e6;
			snprintf(l->time, sizeof(l->time), "%.6f", l->wall);
		}
		s = json_text(o, "__MONOTONIC_TIMESTAMP");
		if (s) {
			l->has_mono = true;
			l->mono = strtod(s, NULL) / 1e6;
		}
	}
	json_object_put(o);
	json_tokener_free(tok);
	return ok;
}

/* ---- one field of a message that is spread over lines ---- */

/*
 * journalctl -o export and verbose: MESSAGE=text; -o json-pretty and dmesg -J: "MESSAGE" : "text". Host and time stand
 * in other lines and are not known here.
 */
static bool take_field(struct cursor *c)
{
	struct cursor s = *c;
	const char *quote;

	if (take_word(c, "MESSAGE="))
		return true;
	if (!take_word(&s, "\"MESSAGE\"") && !take_word(&s, "\"msg\""))
		return false;
	skip_blanks(&s);
	if (!take_char(&s, ':'))
		return false;
	skip_blanks(&s);
	if (!take_char(&s, '"'))
		return false;
	quote = memrchr(s.p, '"', (size_t)(s.end - s.p));
	if (quote)
		s.end = quote;
	*c = s;
	return true;
}

/* Copies a line without the colours that dmesg and journalctl put in for terminals. Returns its length. */
static size_t copy_plain(const char *line, size_t len, char *to, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n < size; i++) {
		if (line[i] != '\033' || i + 1 == len || line[i + 1] != '[') {
			to[n++] = line[i];
			continue;
		}
		for (i += 2; i < len && (line[i] < '@' || line[i] > '~');)
			i++;
	}
	return n;
}

/* ---- a line ---- */

static void take_message(struct cursor c, struct qm_klog_line *l)
{
	while (c.end > c.p && (c.end[-1] == '\r' || c.end[-1] == ' ' || c.end[-1] == '\0'))
		c.end--;
	copy_text(l->message, sizeof(l->message), c.p, c.end);
}

bool qm_klog_line_parse(const char *line, size_t len, double now, struct qm_klog_line *ret)
{
	struct cursor c = { line, line + len };
	char plain[2 * QM_KLOG_MESSAGE_MAX];

	ret->message[0] = ret->time[0] = ret->host[0] = ret->boot_id[0] = '\0';
	ret->has_mono = ret->has_wall = ret->is_local = ret->new_boot = false;
	/* Quoted in a mail or a ticket; the record separator of journalctl -o json-seq. */
	while (c.p < c.end && (*c.p == '>' || *c.p == '|' || *c.p == ' ' || *c.p == '\t' || *c.p == '\036'))
		c.p++;
	take_word(&c, "data: "); /* -o json-sse */
	if (c.p < c.end && *c.p == '{')
		return read_json(c.p, (size_t)(c.end - c.p), ret);
	if (memchr(c.p, '\033', (size_t)(c.end - c.p))) {
		len = copy_plain(c.p, (size_t)(c.end - c.p), plain, sizeof(plain));
		c = (struct cursor){ plain, plain + len };
	}
	if (take_field(&c)) {
		take_message(c, ret);
		return true;
	}
	if (is_boot_mark(&c, ret)) {
		ret->new_boot = true;
		return true;
	}
	skip_priority(&c);
	skip_facility(&c);
	if (take_record(&c, ret)) {
		take_message(c, ret);
		return true;
	}
	if (take_bracket(&c, now, ret)) {
		/* journalctl -o short-monotonic names the host as well */
		take_host_and_tag(&c, ret);
	} else if (take_dated(&c, now, ret)) {
		struct qm_klog_line inner = { .mono = 0 };

		/* syslog daemons often leave the kernel's own time in the message */
		if (take_bracket(&c, now, &inner) && inner.has_mono) {
			ret->has_mono = true;
			ret->mono = inner.mono;
		}
	} else if (ret->has_wall || ret->has_mono) {
		return false;
	}
	take_message(c, ret);
	return true;
}

/* ---- patterns ---- */

static bool scan_number(const char **text, int base, long *ret)
{
	const char *p = *text;
	bool minus = *p == '-';
	long v = 0;

	p += minus;
	if (base == 16 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		p += 2;
	if (!(base == 16 ? isxdigit((unsigned char)*p) : isdigit((unsigned char)*p)))
		return false;
	for (; base == 16 ? isxdigit((unsigned char)*p) : isdigit((unsigned char)*p); p++) {
		int digit = isdigit((unsigned char)*p) ? *p - '0' : (*p | 0x20) - 'a' + 10;

		v = v > 1000000000L ? v : v * base + digit;
	}
	*ret = minus ? -v : v;
	*text = p;
	return true;
}

bool qm_klog_scan(const char *text, const char *pattern, long *v)
{
	for (; *pattern; pattern++) {
		if (*pattern != '%') {
			if (*text++ != *pattern)
				return false;
			continue;
		}
		pattern++;
		if (*pattern == '*') {
			const char *rest = pattern + 1;
			size_t len = strcspn(rest, "%");
			const char *found = text;

			while (*found && strncmp(found, rest, len) != 0)
				found++;
			if (!*found)
				return false;
			text = found + len;
			pattern = rest + len - 1;
			continue;
		}
		if (!scan_number(&text, *pattern == 'x' ? 16 : 10, v++))
			return false;
	}
	return true;
}
