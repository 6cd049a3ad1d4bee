// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/since.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double clock_seconds(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* "-2h": so long ago. */
static int parse_ago(const char *text, double now, double *ret)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = { { "s", 1 }, { "sec", 1 }, { "m", 60 }, { "min", 60 }, { "h", 3600 }, { "d", 86400 } };
	char *end;
	double n = strtod(text + 1, &end);

	for (size_t i = 0; i < QM_ARRAY_SIZE(units) && end > text + 1 && n >= 0; i++) {
		if (strcmp(end, units[i].unit) == 0) {
			*ret = now - n * units[i].seconds;
			return 0;
		}
	}
	return -EINVAL;
}

/* A local date, time of day or both. */
static int parse_date(const char *text, time_t now, double *ret)
{
	static const char *const formats[] = { "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M",
					       "%Y-%m-%dT%H:%M",    "%Y-%m-%d",		 "%H:%M:%S", "%H:%M" };

	for (size_t i = 0; i < QM_ARRAY_SIZE(formats); i++) {
		struct tm t;
		const char *end;
		time_t at;

		localtime_r(&now, &t);
		t.tm_hour = t.tm_min = t.tm_sec = 0;
		t.tm_isdst = -1;
		end = strptime(text, formats[i], &t);
		if (!end || *end)
			continue;
		at = mktime(&t);
		if (at == (time_t)-1)
			return -EINVAL;
		*ret = (double)at;
		return 0;
	}
	return -EINVAL;
}

int qm_since_parse(const char *text, struct qm_klog_since *ret)
{
	double now = clock_seconds(CLOCK_REALTIME);
	struct qm_klog_since s = { .now = now };
	time_t seconds = (time_t)now;
	struct tm t;
	char *end;
	int r = 0;

	if (localtime_r(&seconds, &t))
		s.utc_offset = (double)t.tm_gmtoff;
	if (!text) {
		*ret = s;
		return 0;
	}
	s.has_wall = true;
	if (text[0] == '-') {
		r = parse_ago(text, now, &s.wall);
	} else if (text[0] == '@') {
		s.wall = strtod(text + 1, &end);
		r = end == text + 1 || *end ? -EINVAL : 0;
	} else if (text[0] && strspn(text, "0123456789.") == strlen(text)) {
		s.has_wall = false;
		s.has_mono = true;
		s.mono = strtod(text, &end);
		r = *end ? -EINVAL : 0;
	} else {
		r = parse_date(text, seconds, &s.wall);
	}
	if (r == 0)
		*ret = s;
	return r;
}

void qm_since_from_boot(struct qm_klog_since *since)
{
	since->has_mono = true;
	since->mono = since->wall - (clock_seconds(CLOCK_REALTIME) - clock_seconds(CLOCK_MONOTONIC));
}
