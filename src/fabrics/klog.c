// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabrics/klog.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "fabrics/klog-event.h"
#include "fabrics/klog-line.h"
#include "fabrics/klog-match.h"

/* Small for fuzzers, as QM_CPU_MAX is. */
#ifdef QM_SMALL_LIMITS
#define BUFFER_SIZE (8 * 1024)
#define HOSTS_MAX 3
#define CONTROLLERS_MAX 8
#else
#define BUFFER_SIZE (256 * 1024)
#define HOSTS_MAX 64
#define CONTROLLERS_MAX 1024
#endif
#define TEXT_MAX 200
/* A clock that falls back by more seconds than this was started anew. */
#define REBOOT_SECONDS 30
/* Lines printed by several CPUs at once may come in the wrong order by this much. */
#define JITTER_SECONDS 1

/* Every pattern of klog-event.c holds one of these. */
static const char *const key_words[] = {
	"nvme nvme", "nvme_fabrics: ", "wrong CPU ", "no longer affine", "vector space exhaustion",
	"Managed startup for irq", "No irq handler", " is now offline", "Booting Node ", ": Booted secondary",
	"psci: CPU", ": shutdown", "Linux version ", "-- Boot ", "-- Reboot ", "\"MESSAGE\" : [", "\"MESSAGE\":[", NULL,
};

/* What is known of one host's present boot. */
struct host_state {
	bool has_mono, has_wall;
	double mono, wall;         /* of the last line */
	bool has_hotplug;
	double hotplug_mono;       /* time of the last CPU that came or went; < 0: not told */
	size_t wrong_cpu;          /* incident of that kind + 1, seen last at: */
	double wrong_cpu_mono;
	struct qm_cpuset offline;
};

/* A controller between two lines of one attempt to connect. */
struct attempt {
	bool used;
	unsigned host; /* index */
	char name[16];
	long created, queues[3];
	bool connected; /* and not removed since */
	bool open;      /* has incidents that are neither recovered nor removed */
	size_t pool;    /* incident of too few memory regions in this attempt + 1 */

	struct qm_klog_incident *failed; /* known but not told: whether it was a reconnect, the next lines say */
};

struct qm_klog {
	struct qm_match match;
	struct qm_klog_since since;
	bool filter;
	struct qm_klog_report report;
	struct host_state states[HOSTS_MAX]; /* beside report.hosts */
	struct attempt attempts[CONTROLLERS_MAX];
	uint16_t used[CONTROLLERS_MAX]; /* the attempts in use, in the order they began */
	unsigned n_attempts;
	uint32_t index[4 * QM_KLOG_INCIDENTS_MAX]; /* by hash of the key: incident + 1 */

	char buffer[BUFFER_SIZE];
	size_t fill;
	bool skipping; /* the rest of a line that was too long */
	struct qm_klog_line line;
	int err;
};

const char *qm_klog_kind_name(enum qm_klog_kind k)
{
	static const char *const names[_QM_KLOG_KIND_MAX] = {
		"connect-failed", "reconnect-failed", "no-connection",   "target-limit",  "authentication",
		"host-identity",  "bad-option",       "mr-pool",	 "timeout",       "timeout-polled",
		"wrong-cpu",      "irq-no-handler",   "irq-without-cpu", "irq-affinity-lost", "vectors-exhausted",
	};

	return (unsigned)k < _QM_KLOG_KIND_MAX ? names[k] : NULL;
}

/* The automaton of the key words. */
static int make_match(struct qm_match *m)
{
#ifdef QM_SMALL_LIMITS
	/* Once: it would take more time than all that is done with the small logs of a fuzzer. */
	static struct qm_match made;
	int r = made.n_states ? 0 : qm_match_init(&made, key_words);

	*m = made;
	return r;
#else
	return qm_match_init(m, key_words);
#endif
}

int qm_klog_new(const struct qm_klog_since *since, struct qm_klog **ret)
{
	struct qm_klog *k = calloc(1, sizeof(*k));
	int r;

	if (!k)
		return -ENOMEM;
	if (since) {
		k->since = *since;
		k->filter = since->has_wall || since->has_mono;
	}
	r = make_match(&k->match);
	if (r < 0) {
		free(k);
		return r;
	}
	*ret = k;
	return 0;
}

static void incident_done(struct qm_klog_incident *i)
{
	free(i->controller);
	free(i->host);
	free(i->boot_id);
	free(i->time);
	free(i->last);
	free(i->text);
	free(i->offline);
}

void qm_klog_free(struct qm_klog *k)
{
	if (!k)
		return;
	for (unsigned i = 0; i < k->n_attempts; i++) {
		struct attempt *a = &k->attempts[k->used[i]];

		if (a->failed)
			incident_done(a->failed);
		free(a->failed);
	}
	qm_klog_report_done(&k->report);
	free(k);
}

void qm_klog_report_done(struct qm_klog_report *r)
{
	for (size_t i = 0; i < r->n; i++)
		incident_done(&r->v[i]);
	for (size_t i = 0; i < r->n_hosts; i++) {
		free(r->hosts[i].name);
		free(r->hosts[i].release);
		free(r->hosts[i].boot_id);
	}
	free(r->v);
	free(r->hosts);
	*r = (struct qm_klog_report){ 0 };
}

/* A copy, NULL for the empty string; out of memory is remembered. */
static char *keep(struct qm_klog *k, const char *s)
{
	char *p = s[0] ? strdup(s) : NULL;

	if (s[0] && !p)
		k->err = -ENOMEM;
	return p;
}

static void replace(struct qm_klog *k, char **old, const char *s)
{
	if (*old && strcmp(*old, s) == 0)
		return;
	free(*old);
	*old = keep(k, s);
}

/* ---- incidents ---- */

static void hash_number(uint32_t *h, long n)
{
	*h = (*h ^ (uint32_t)n) * 16777619u;
}

static void hash_text(uint32_t *h, const char *s)
{
	for (; s && *s; s++)
		hash_number(h, (unsigned char)*s);
	hash_number(h, 0);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Repeats are alike in all of this. */
static bool is_repeat(const struct qm_klog_incident *a, const struct qm_klog_incident *b)
{
	/* What names no controller may be said of several. */
	if ((a->kind == QM_KLOG_BAD_OPTION || a->kind == QM_KLOG_HOST_IDENTITY) && !same_text(a->text, b->text))
		return false;
	return a->kind == b->kind && a->boot == b->boot && a->qid == b->qid &&
	       (a->kind == QM_KLOG_MR_POOL || a->status == b->status) && a->created == b->created &&
	       a->cpu == b->cpu && a->irq == b->irq && a->vector == b->vector && memcmp(a->queues, b->queues, sizeof(a->queues)) == 0 &&
	       same_text(a->controller, b->controller) && same_text(a->host, b->host);
}

static uint32_t incident_hash(const struct qm_klog_incident *i)
{
	uint32_t h = 2166136261u;
	/* Of a pool's it comes to be known later. */
	long status = i->kind == QM_KLOG_MR_POOL ? 0 : i->status;
	long numbers[] = { (long)i->kind, (long)i->boot, i->qid, status, i->created, i->cpu, i->irq, i->vector };

	for (size_t n = 0; n < QM_ARRAY_SIZE(numbers); n++)
		hash_number(&h, numbers[n]);
	for (size_t n = 0; n < QM_ARRAY_SIZE(i->queues); n++)
		hash_number(&h, i->queues[n]);
	hash_text(&h, i->controller);
	hash_text(&h, i->host);
	return h;
}

/* The place of an incident in the index: its own, or the free one where it belongs. */
static uint32_t *find_slot(struct qm_klog *k, const struct qm_klog_incident *i)
{
	uint32_t slot = incident_hash(i) % QM_ARRAY_SIZE(k->index);

	while (k->index[slot] && !is_repeat(&k->report.v[k->index[slot] - 1], i))
		slot = (slot + 1) % QM_ARRAY_SIZE(k->index);
	return &k->index[slot];
}

/* Makes room: the oldest incidents go, for what is wrong now is the question. */
static void drop_oldest(struct qm_klog *k)
{
	struct qm_klog_report *rep = &k->report;
	size_t gone = rep->n / 4;

	for (size_t i = 0; i < gone; i++)
		incident_done(&rep->v[i]);
	rep->dropped += gone;
	rep->n -= gone;
	memmove(rep->v, rep->v + gone, rep->n * sizeof(*rep->v));
	memset(k->index, 0, sizeof(k->index));
	for (size_t i = 0; i < rep->n; i++)
		*find_slot(k, &rep->v[i]) = (uint32_t)i + 1;
	/* Numbers of incidents that were noted are void. */
	for (unsigned i = 0; i < k->n_attempts; i++)
		k->attempts[k->used[i]].pool = 0;
	for (unsigned i = 0; i < HOSTS_MAX; i++)
		k->states[i].wrong_cpu = 0;
}

static void count_repeat(struct qm_klog_incident *old, struct qm_klog_incident *i)
{
	old->count++;
	old->attempts += i->attempts;
	old->recovered = old->removed = false;
	old->near_hotplug = old->near_hotplug && i->near_hotplug;
	free(old->offline);
	free(old->last);
	old->offline = i->offline;
	old->last = i->last;
	i->offline = NULL;
	i->last = NULL;
	incident_done(i);
}

/* Counts a repeat, or keeps a new incident, which it owns from here on. Returns its number + 1, 0 without memory. */
static size_t add_incident(struct qm_klog *k, struct qm_klog_incident *i)
{
	struct qm_klog_report *rep = &k->report;
	uint32_t *slot = find_slot(k, i);

	if (*slot) {
		count_repeat(&rep->v[*slot - 1], i);
		return *slot;
	}
	if (rep->n == QM_KLOG_INCIDENTS_MAX) {
		drop_oldest(k);
		slot = find_slot(k, i);
	}
	if (qm_array_grow(&rep->v, &rep->cap, rep->n + 1, sizeof(*rep->v)) < 0) {
		k->err = -ENOMEM;
		incident_done(i);
		return 0;
	}
	rep->v[rep->n++] = *i;
	*slot = (uint32_t)rep->n;
	return rep->n;
}

static void set_text(struct qm_klog *k, struct qm_klog_incident *i, const char *text)
{
	char cut[TEXT_MAX + 1];

	snprintf(cut, sizeof(cut), "%s", text);
	replace(k, &i->text, cut);
}

/* A copy, NULL for the empty set. Few incidents have one, and a set is larger than all the rest of them. */
static struct qm_cpuset *keep_set(struct qm_klog *k, const struct qm_cpuset *s)
{
	struct qm_cpuset *p;

	if (qm_cpuset_is_empty(s))
		return NULL;
	p = malloc(sizeof(*p));
	if (p)
		qm_cpuset_copy(p, s);
	else
		k->err = -ENOMEM;
	return p;
}

static struct qm_klog_incident new_incident(struct qm_klog *k, unsigned host, const char *text)
{
	const struct qm_klog_host *h = &k->report.hosts[host];
	struct qm_klog_incident i = {
		.boot = h->boots - 1, .line = k->report.lines, .count = 1, .created = -1, .queues = { -1, -1, -1 },
		.qid = -1, .pool = -1, .cpu = -1, .irq = -1, .vector = -1,
	};

	set_text(k, &i, text);
	i.host = h->name ? keep(k, h->name) : NULL;
	i.time = keep(k, k->line.time);
	i.last = keep(k, k->line.time);
	i.boot_id = keep(k, k->line.boot_id);
	i.offline = keep_set(k, &k->states[host].offline);
	return i;
}

/* ---- attempts to connect ---- */

static struct attempt *find_attempt(struct qm_klog *k, unsigned host, const char *name)
{
	uint32_t slot = 2166136261u;

	hash_number(&slot, host);
	hash_text(&slot, name);
	for (slot %= CONTROLLERS_MAX; k->attempts[slot].used; slot = (slot + 1) % CONTROLLERS_MAX) {
		if (k->attempts[slot].host == host && strcmp(k->attempts[slot].name, name) == 0)
			return &k->attempts[slot];
	}
	return &k->attempts[slot];
}

/* What failed is now known well enough to be told. */
static void settle(struct qm_klog *k, struct attempt *a, bool reconnect, bool failed_again)
{
	struct qm_klog_incident *i = a->failed;

	if (!i)
		return;
	a->failed = NULL;
	i->kind = reconnect || a->connected ? QM_KLOG_RECONNECT : QM_KLOG_CONNECT;
	i->controller = keep(k, a->name);
	i->created = a->created;
	memcpy(i->queues, a->queues, sizeof(i->queues));
	i->attempts = failed_again;
	add_incident(k, i);
	free(i);
	a->open = true;
}

/* Controllers are forgotten all at once when a log names too many of them. */
static void forget_attempts(struct qm_klog *k)
{
	for (unsigned i = 0; i < k->n_attempts; i++)
		settle(k, &k->attempts[k->used[i]], false, false);
	memset(k->attempts, 0, sizeof(k->attempts));
	k->n_attempts = 0;
}

static void reset_attempt(struct attempt *a)
{
	a->created = a->queues[0] = a->queues[1] = a->queues[2] = -1;
}

static struct attempt *get_attempt(struct qm_klog *k, unsigned host, const char *name)
{
	struct attempt *a = find_attempt(k, host, name);

	if (a->used)
		return a;
	if (k->n_attempts >= CONTROLLERS_MAX * 3 / 4) {
		forget_attempts(k);
		a = find_attempt(k, host, name);
	}
	*a = (struct attempt){ .used = true, .host = host };
	snprintf(a->name, sizeof(a->name), "%s", name);
	reset_attempt(a);
	k->used[k->n_attempts++] = (uint16_t)(a - k->attempts);
	return a;
}

/* A new failure; one before it is told. NULL without memory. */
static struct qm_klog_incident *fail(struct qm_klog *k, struct attempt *a, const char *text)
{
	settle(k, a, false, false);
	a->failed = malloc(sizeof(*a->failed));
	if (a->failed)
		*a->failed = new_incident(k, a->host, text);
	else
		k->err = -ENOMEM;
	return a->failed;
}

/* A line that tells the code of a failure: the first of two, or the only one. */
static void note_code(struct qm_klog *k, struct attempt *a, const struct qm_klog_event *e)
{
	struct qm_klog_incident *i = fail(k, a, e->text);

	if (!i || e->n[0] == 0)
		return;
	i->has_status = true;
	i->status = e->n[0];
	if (e->type != QM_EVENT_CONNECT_RAW)
		return;
	i->status = qm_klog_code_decode(e->n[0]);
	i->has_raw = i->status != e->n[0];
	i->raw = e->n[0];
}

/* A line that tells the queue, or an error that all the same belongs to the line before it. */
static void note_queue(struct qm_klog *k, struct attempt *a, const struct qm_klog_event *e, long qid, long status)
{
	struct qm_klog_incident *i = a->failed;

	if (!i || i->qid >= 0)
		i = fail(k, a, e->text);
	if (!i)
		return;
	set_text(k, i, e->text);
	i->qid = qid;
	i->has_status = true;
	i->status = status;
}

/* The controller is there again: what failed before it is over. */
static void note_end(struct qm_klog *k, struct attempt *a, bool removed)
{
	const char *host = k->report.hosts[a->host].name;
	unsigned boot = k->report.hosts[a->host].boots - 1;

	if (!a->open)
		return;
	a->open = false;
	for (size_t i = k->report.n; i-- > 0;) {
		struct qm_klog_incident *old = &k->report.v[i];

		if (old->boot != boot || !same_text(old->controller, a->name) || !same_text(old->host, host))
			continue;
		if (old->kind != QM_KLOG_CONNECT && old->kind != QM_KLOG_RECONNECT && old->kind != QM_KLOG_NO_CONNECTION)
			continue;
		if (removed)
			old->removed = true;
		else
			old->recovered = true;
	}
}

static void controller_event(struct qm_klog *k, unsigned host, const struct qm_klog_event *e)
{
	struct attempt *a = get_attempt(k, host, e->controller);

	switch (e->type) {
	case QM_EVENT_CREATING:
		settle(k, a, false, false);
		reset_attempt(a);
		a->created = e->n[0];
		a->pool = 0;
		break;
	case QM_EVENT_MAPPED:
		memcpy(a->queues, e->n, sizeof(a->queues));
		break;
	case QM_EVENT_CONNECT_CODE:
	case QM_EVENT_CONNECT_RAW:
		note_code(k, a, e);
		break;
	case QM_EVENT_CONNECT_QUEUE:
		note_queue(k, a, e, e->n[0], e->n[1]);
		break;
	case QM_EVENT_CONNECT_ERROR:
		note_queue(k, a, e, -1, e->n[0]);
		break;
	case QM_EVENT_RECONNECT_FAILED:
		note_queue(k, a, e, -1, e->n[0]);
		settle(k, a, true, true);
		break;
	case QM_EVENT_RECONNECTING:
		settle(k, a, true, true);
		a->connected = true;
		break;
	case QM_EVENT_CONNECTED:
	case QM_EVENT_REMOVED:
		settle(k, a, false, false);
		a->connected = e->type == QM_EVENT_CONNECTED;
		note_end(k, a, !a->connected);
		break;
	default:
		break;
	}
}

/* ---- hosts and boots ---- */

/* The index of a line's host; those beyond the table share its last row. */
static int find_host(struct qm_klog *k, const char *name, unsigned *ret)
{
	struct qm_klog_report *rep = &k->report;

	for (size_t i = 0; i < rep->n_hosts; i++) {
		if (same_text(rep->hosts[i].name, name[0] ? name : NULL)) {
			*ret = (unsigned)i;
			return 0;
		}
	}
	if (rep->n_hosts == HOSTS_MAX) {
		*ret = HOSTS_MAX - 1;
		return 0;
	}
	if (qm_array_grow(&rep->hosts, &rep->cap_hosts, rep->n_hosts + 1, sizeof(*rep->hosts)) < 0)
		return -ENOMEM;
	rep->hosts[rep->n_hosts] = (struct qm_klog_host){ .name = keep(k, name), .boots = 1 };
	k->states[rep->n_hosts] = (struct host_state){ 0 };
	*ret = (unsigned)rep->n_hosts++;
	return 0;
}

static void begin_boot(struct qm_klog *k, unsigned host)
{
	for (unsigned i = 0; i < k->n_attempts; i++) {
		struct attempt *a = &k->attempts[k->used[i]];

		if (a->host != host)
			continue;
		settle(k, a, false, false);
		a->connected = false;
		reset_attempt(a);
	}
	k->report.hosts[host].boots++;
	free(k->report.hosts[host].release);
	k->report.hosts[host].release = NULL;
	k->states[host] = (struct host_state){ 0 };
}

/* Does the line belong to a later boot than the one before it? */
static bool is_new_boot(struct qm_klog *k, unsigned host, const struct qm_klog_line *l)
{
	const struct host_state *s = &k->states[host];
	const char *id = k->report.hosts[host].boot_id;

	if (l->boot_id[0] && id)
		return strcmp(l->boot_id, id) != 0;
	return l->has_mono && s->has_mono && l->mono < s->mono - REBOOT_SECONDS;
}

/* A mark between the boots of a journal, which names no host. */
static void boot_mark(struct qm_klog *k)
{
	for (unsigned i = 0; i < k->report.n_hosts; i++) {
		if (k->states[i].has_mono || k->states[i].has_wall)
			begin_boot(k, i);
	}
}

static void note_time(struct qm_klog *k, unsigned host, const struct qm_klog_line *l)
{
	struct host_state *s = &k->states[host];

	if ((l->has_mono && s->has_mono && l->mono < s->mono - JITTER_SECONDS) ||
	    (l->has_wall && s->has_wall && l->wall < s->wall - JITTER_SECONDS))
		k->report.backwards++;
	if (l->has_mono) {
		s->has_mono = true;
		s->mono = l->mono;
	}
	if (l->has_wall) {
		s->has_wall = true;
		s->wall = l->wall;
	}
	if (l->boot_id[0])
		replace(k, &k->report.hosts[host].boot_id, l->boot_id);
}

/* Is the line before the time asked for? */
static bool is_before(struct qm_klog *k, const struct qm_klog_line *l)
{
	const struct qm_klog_since *s = &k->since;
	double since = l->is_local ? s->wall + s->utc_offset : s->wall;

	if (!k->filter)
		return false;
	if (s->has_wall && l->has_wall)
		return l->wall < since;
	if (s->has_mono && l->has_mono)
		return l->mono < s->mono;
	k->report.undated++;
	return false;
}

/* ---- events ---- */

static void cpu_event(struct qm_klog *k, unsigned host, long cpu, bool online)
{
	struct host_state *s = &k->states[host];

	if (cpu < 0 || cpu >= (long)QM_CPU_MAX)
		return;
	if (online)
		qm_cpuset_clear(&s->offline, (unsigned)cpu);
	else
		qm_cpuset_set(&s->offline, (unsigned)cpu);
	s->has_hotplug = true;
	s->hotplug_mono = k->line.has_mono ? k->line.mono : -1;
	/* A CPU that goes is told after it went. */
	if (s->wrong_cpu && s->hotplug_mono >= 0 && s->hotplug_mono - s->wrong_cpu_mono < 1)
		k->report.v[s->wrong_cpu - 1].near_hotplug = k->report.v[s->wrong_cpu - 1].has_hotplug = true;
	s->wrong_cpu = 0;
}

/* Running out of memory regions and the failed connection that follows are one trouble. */
static bool belongs_to_pool(struct qm_klog *k, struct attempt *a, const struct qm_klog_event *e)
{
	if (e->kind != QM_KLOG_NO_CONNECTION || !a->pool)
		return false;
	k->report.v[a->pool - 1].has_status = e->has_status;
	k->report.v[a->pool - 1].status = e->status;
	a->pool = 0;
	return true;
}

static void incident_event(struct qm_klog *k, unsigned host, const struct qm_klog_event *e)
{
	struct attempt *a = e->controller[0] ? get_attempt(k, host, e->controller) : NULL;
	struct host_state *s = &k->states[host];
	struct qm_klog_incident i;
	size_t number;

	if (a && belongs_to_pool(k, a, e))
		return;
	i = new_incident(k, host, e->text);
	i.kind = e->kind;
	i.controller = keep(k, e->controller);
	i.qid = e->qid;
	i.has_status = e->has_status;
	i.status = e->status;
	i.pool = e->pool;
	i.cpu = e->cpu;
	i.irq = e->irq;
	i.vector = e->vector;
	i.has_hotplug = s->has_hotplug;
	i.near_hotplug = s->has_hotplug && (s->hotplug_mono < 0 || !k->line.has_mono ||
					    (k->line.mono - s->hotplug_mono < 1 && k->line.mono >= s->hotplug_mono));
	if (a) {
		i.created = a->created;
		memcpy(i.queues, a->queues, sizeof(i.queues));
		a->open = true;
	}
	number = add_incident(k, &i);
	if (a && e->kind == QM_KLOG_MR_POOL)
		a->pool = number;
	if (e->kind == QM_KLOG_WRONG_CPU && k->line.has_mono) {
		s->wrong_cpu = number;
		s->wrong_cpu_mono = k->line.mono;
	}
}

static void boot_event(struct qm_klog *k, unsigned host, const char *text)
{
	char release[65];
	size_t len = strcspn(text, " ");

	snprintf(release, sizeof(release), "%.*s", (int)(len < 64 ? len : 64), text);
	/* The first line of a log, or of a boot that was noticed by its clock. */
	if (k->report.hosts[host].release)
		begin_boot(k, host);
	replace(k, &k->report.hosts[host].release, release);
}

static void handle_event(struct qm_klog *k, unsigned host, const struct qm_klog_event *e)
{
	switch (e->type) {
	case QM_EVENT_NONE:
		break;
	case QM_EVENT_BOOT:
		boot_event(k, host, e->text);
		break;
	case QM_EVENT_CPU_OFFLINE:
	case QM_EVENT_CPU_ONLINE:
		cpu_event(k, host, e->n[0], e->type == QM_EVENT_CPU_ONLINE);
		break;
	case QM_EVENT_INCIDENT:
		incident_event(k, host, e);
		break;
	default:
		controller_event(k, host, e);
		break;
	}
}

static void handle_line(struct qm_klog *k, const char *text, size_t len)
{
	struct qm_klog_event e;
	unsigned host;
	double now = k->since.now > 0 ? k->since.now + k->since.utc_offset : 0;

	if (!qm_klog_line_parse(text, len, now, &k->line))
		return;
	if (k->line.new_boot) {
		boot_mark(k);
		return;
	}
	qm_klog_event_parse(k->line.message, &e);
	if (e.type == QM_EVENT_NONE)
		return;
	if (find_host(k, k->line.host, &host) < 0) {
		k->err = -ENOMEM;
		return;
	}
	if (is_new_boot(k, host, &k->line))
		begin_boot(k, host);
	note_time(k, host, &k->line);
	k->report.relevant++;
	/* CPUs and boots before the time asked for still tell the state at it. */
	if (is_before(k, &k->line) && e.type != QM_EVENT_BOOT && e.type != QM_EVENT_CPU_OFFLINE &&
	    e.type != QM_EVENT_CPU_ONLINE) {
		k->report.skipped_before++;
		return;
	}
	handle_event(k, host, &e);
}

/* ---- the stream ---- */

/* Eight bytes at a time: a gigabyte of newlines or NULs must not take longer than one of text. */
static unsigned long count_byte(const char *p, size_t len, char c)
{
	const uint64_t low = 0x7f7f7f7f7f7f7f7fULL, same = 0x0101010101010101ULL * (unsigned char)c;
	unsigned long n = 0;

	for (; len >= sizeof(uint64_t); p += sizeof(uint64_t), len -= sizeof(uint64_t)) {
		uint64_t v;

		memcpy(&v, p, sizeof(v));
		v ^= same;
		/* the high bit of each byte that is not c */
		n += 8 - (unsigned long)__builtin_popcountll((((v & low) + low) | v) & ~low);
	}
	for (; len; p++, len--)
		n += *p == c;
	return n;
}

/* Looks through whole lines, from one key word to the next. */
static void scan_lines(struct qm_klog *k, const char *p, size_t len)
{
	const char *end = p + len;

	while (p < end) {
		const char *hit = qm_match_find(&k->match, p, (size_t)(end - p)), *start, *stop;

		if (!hit)
			break;
		start = memrchr(p, '\n', (size_t)(hit - p));
		start = start ? start + 1 : p;
		stop = memchr(hit, '\n', (size_t)(end - hit));
		if (!stop)
			stop = end;
		k->report.lines += count_byte(p, (size_t)(start - p), '\n');
		k->report.lines++;
		handle_line(k, start, (size_t)(stop - start));
		if (stop == end)
			return;
		p = stop + 1;
	}
	k->report.lines += count_byte(p, (size_t)(end - p), '\n');
}

/* A line without its end counts as one, whether it tells anything or not. */
static void scan_rest(struct qm_klog *k, size_t len)
{
	unsigned long before = k->report.lines;

	scan_lines(k, k->buffer, len);
	k->report.lines = before + 1;
}

/* Takes the whole lines out of the buffer; a line that fills it is cut. */
static void drain(struct qm_klog *k)
{
	const char *last = memrchr(k->buffer, '\n', k->fill);
	size_t whole = last ? (size_t)(last - k->buffer) + 1 : 0;

	if (k->skipping) {
		const char *first = memchr(k->buffer, '\n', k->fill);

		if (!first) {
			k->fill = 0;
			return;
		}
		k->skipping = false;
		scan_lines(k, first + 1, whole - (size_t)(first + 1 - k->buffer));
	} else {
		scan_lines(k, k->buffer, whole);
	}
	memmove(k->buffer, k->buffer + whole, k->fill - whole);
	k->fill -= whole;
	if (k->fill >= QM_KLOG_LINE_MAX) {
		k->report.too_long++;
		scan_rest(k, QM_KLOG_LINE_MAX);
		k->skipping = true;
		k->fill = 0;
	}
}

int qm_klog_feed(struct qm_klog *k, const char *data, size_t len)
{
	if (memchr(data, '\0', len))
		k->report.no_text += count_byte(data, len, '\0');
	while (len && !k->err) {
		size_t n = sizeof(k->buffer) - k->fill;

		n = n < len ? n : len;
		memcpy(k->buffer + k->fill, data, n);
		k->fill += n;
		data += n;
		len -= n;
		if (k->fill == sizeof(k->buffer) || memchr(k->buffer + k->fill - n, '\n', n))
			drain(k);
	}
	return k->err;
}

/* An attempt is told when it ends, and others may have ended before. */
static int compare_lines(const void *a, const void *b)
{
	const struct qm_klog_incident *x = a, *y = b;

	return (x->line > y->line) - (x->line < y->line);
}

int qm_klog_finish(struct qm_klog *k, struct qm_klog_report *ret)
{
	if (k->fill && !k->skipping) {
		k->report.unfinished = true;
		if (k->fill > QM_KLOG_LINE_MAX) {
			k->report.too_long++;
			k->fill = QM_KLOG_LINE_MAX;
		}
		scan_rest(k, k->fill);
		k->fill = 0;
	}
	forget_attempts(k);
	if (k->err)
		return k->err;
	if (k->report.n)
		qsort(k->report.v, k->report.n, sizeof(*k->report.v), compare_lines);
	*ret = k->report;
	k->report = (struct qm_klog_report){ 0 };
	return 0;
}
