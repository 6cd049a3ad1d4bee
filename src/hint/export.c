// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plan in the words of other tools. Interrupt numbers change with every boot, so whatever outlives this one either names
 * the interrupt's handler and checks it, or asks qmapctl to plan anew when the device appears.
 */
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "hint/hint.h"
#include "hint/nvme.h"

const char *qm_export_format_name(enum qm_export_format f)
{
	static const char *const names[_QM_EXPORT_MAX] = { "shell", "udev", "systemd", "irqbalance", "nvme" };

	return (unsigned)f < _QM_EXPORT_MAX ? names[f] : NULL;
}

/* For a comment: one line, whatever the text holds. */
static void add_comment(struct qm_strbuf *out, const char *s)
{
	qm_strbuf_adds(out, "# ");
	for (; *s; s++)
		qm_strbuf_add(out, (unsigned char)*s < ' ' || *s == 0x7f ? " " : s, 1);
	qm_strbuf_addc(out, '\n');
}

static size_t line_length(const char *s)
{
	return strcspn(s, "\n");
}

/*
 * The first of an interrupt's handlers: the name of its directory in /proc/irq/N; borrowed, as long as *ret_len says. ""
 * where it is unknown or of no use there.
 */
static const char *handler_of(const struct qm_machine *m, const struct qm_change *c, size_t *ret_len)
{
	long nr = -1;

	*ret_len = 0;
	qm_hint_path_is_allowed(c->path, NULL, &nr);
	if (nr < 0)
		return "";
	for (size_t i = 0; i < m->n_irqs; i++) {
		const char *name = m->irqs[i].name, *end;
		size_t len;

		if ((long)m->irqs[i].nr != nr || !name)
			continue;
		end = strstr(name, ", ");
		len = end ? (size_t)(end - name) : strlen(name);
		*ret_len = memchr(name, '/', len) || !qm_utf8_is_plain(name, len) ? 0 : len;
		return name;
	}
	return "";
}

/* A path with control characters is no kernel's, and whoever looks at what is written here has a terminal. */
static bool is_wanted(const struct qm_change *c)
{
	if (!qm_utf8_is_plain(c->path, strlen(c->path)))
		return false;
	return c->state == QM_CHANGE_PLANNED || c->state == QM_CHANGE_APPLIED || c->state == QM_CHANGE_SAME;
}

/* now: what must stand there, NULL = whatever. */
static void add_put(struct qm_strbuf *out, const struct qm_machine *m, const struct qm_change *c, const char *value,
		    const char *now)
{
	size_t len;
	const char *handler = handler_of(m, c, &len);

	qm_strbuf_adds(out, "\tput ");
	qm_strbuf_add_quoted(out, c->path, strlen(c->path));
	qm_strbuf_addc(out, ' ');
	qm_strbuf_add_quoted(out, value, line_length(value));
	qm_strbuf_addc(out, ' ');
	qm_strbuf_add_quoted(out, handler, len);
	if (now) {
		qm_strbuf_addc(out, ' ');
		qm_strbuf_add_quoted(out, now, line_length(now));
	}
	qm_strbuf_addc(out, '\n');
}

static void export_shell(const struct qm_plan *p, const struct qm_machine *m, struct qm_strbuf *out)
{
	qm_strbuf_adds(out,
		       "#!/bin/sh\n"
		       "# Affinity hints planned by qmapctl.  Usage: sh THIS [apply|undo]\n"
		       "# Running it twice changes nothing.  Interrupt numbers are those of this boot: one whose handler\n"
		       "# has another name by now is left alone, and undo leaves alone what somebody changed since.\n"
		       "set -u\n"
		       "root=${QMAPCTL_ROOT:-}\n"
		       "status=0\n"
		       "\n"
		       "# put FILE VALUE HANDLER [VALUE-NOW]\n"
		       "put() {\n"
		       "\tfile=$root/$1\n"
		       "\tif [ ! -f \"$file\" ]; then\n"
		       "\t\techo \"$1: gone\" >&2\n"
		       "\t\tstatus=1\n"
		       "\telif [ -n \"$3\" ] && [ ! -d \"${file%/*}/$3\" ]; then\n"
		       "\t\techo \"$1: no longer the interrupt of $3\" >&2\n"
		       "\t\tstatus=1\n"
		       "\telif [ \"$(cat \"$file\")\" = \"$2\" ]; then\n"
		       "\t\treturn\n"
		       "\telif [ \"$(cat \"$file\")\" != \"${4-$(cat \"$file\")}\" ]; then\n"
		       "\t\techo \"$1: changed since; left alone\" >&2\n"
		       "\t\tstatus=1\n"
		       "\telif ! printf '%s\\n' \"$2\" >\"$file\"; then\n"
		       "\t\techo \"$1: refused\" >&2\n"
		       "\t\tstatus=1\n"
		       "\tfi\n"
		       "}\n"
		       "\n"
		       "case ${1:-apply} in\n"
		       "apply)\n");
	for (size_t i = 0; i < p->n; i++) {
		if (!is_wanted(&p->v[i]))
			continue;
		if (p->v[i].reason) {
			qm_strbuf_addc(out, '\t');
			add_comment(out, p->v[i].reason);
		}
		add_put(out, m, &p->v[i], p->v[i].new, NULL);
	}
	qm_strbuf_adds(out, "\t;;\nundo)\n");
	for (size_t i = p->n; i-- > 0;) {
		if (is_wanted(&p->v[i]))
			add_put(out, m, &p->v[i], p->v[i].old, p->v[i].new);
	}
	qm_strbuf_adds(out, "\t;;\n"
			    "*)\n"
			    "\techo \"usage: sh $0 [apply|undo]\" >&2\n"
			    "\texit 2\n"
			    "\t;;\n"
			    "esac\n"
			    "exit \"$status\"\n");
}

static void export_irqbalance(const struct qm_plan *p, const struct qm_machine *m, struct qm_strbuf *out)
{
	qm_strbuf_adds(out, "#!/bin/sh\n"
			    "# irqbalance policy script by qmapctl: keeps irqbalance from moving the interrupts that were placed.\n"
			    "# Save it executable where `irqbalance --policyscript=` points to.\n"
			    "# Called with the device's path and the interrupt's number; known by the handler's name, since\n"
			    "# numbers change with every boot.\n"
			    "dir=${QMAPCTL_ROOT:-}/proc/irq/$2\n"
			    "for name in");
	for (size_t i = 0; i < p->n; i++) {
		size_t len = 0;
		const char *handler = is_wanted(&p->v[i]) ? handler_of(m, &p->v[i], &len) : "";

		if (!len)
			continue;
		qm_strbuf_adds(out, " \\\n\t");
		qm_strbuf_add_quoted(out, handler, len);
	}
	qm_strbuf_adds(out, "\ndo\n"
			    "\tif [ -d \"$dir/$name\" ]; then\n"
			    "\t\techo \"ban=true\"\n"
			    "\tfi\n"
			    "done\n"
			    "exit 0\n");
}

/* Disks whose appearance means that a plan is due. */
static void export_udev(const struct qm_plan *p, const struct qm_machine *m, struct qm_strbuf *out)
{
	qm_strbuf_adds(out, "# udev rule by qmapctl: plans and applies affinity hints when one of these disks appears.\n"
			    "# Save as /etc/udev/rules.d/90-qmapctl-hint.rules beside the unit of `hint export --format systemd`.\n");
	for (size_t i = 0; i < m->n_controllers; i++) {
		const struct qm_controller *c = &m->controllers[i];
		bool planned = false;

		for (size_t k = 0; k < p->n; k++)
			planned |= is_wanted(&p->v[k]) && p->v[k].controller && strcmp(p->v[k].controller, c->name) == 0;
		for (size_t k = 0; planned && k < c->n_disks; k++) {
			const char *name = m->disks[c->disks[k]].name;

			/* A name that udev would read as a pattern, a quote or two words cannot come from a kernel. */
			if (strpbrk(name, " \"\\*?[]|$%") || !qm_utf8_is_plain(name, strlen(name)))
				continue;
			qm_strbuf_addf(out,
				       "ACTION==\"add\", SUBSYSTEM==\"block\", ENV{DEVTYPE}==\"disk\", KERNEL==\"%s\", "
				       "TAG+=\"systemd\", ENV{SYSTEMD_WANTS}+=\"qmapctl-hint@%s.service\"\n",
				       name, name);
		}
	}
}

static void export_systemd(struct qm_strbuf *out)
{
	qm_strbuf_adds(out, "# systemd unit by qmapctl: save as /etc/systemd/system/qmapctl-hint@.service\n"
			    "[Unit]\n"
			    "Description=Interrupt affinity hints for %I\n"
			    "Documentation=man:qmapctl(8)\n"
			    "ConditionVirtualization=!container\n"
			    "\n"
			    "[Service]\n"
			    "Type=oneshot\n"
			    "ExecStart=" QM_BINDIR "/qmapctl hint apply --yes %I\n"
			    "StateDirectory=qmapctl\n"
			    "StateDirectoryMode=0700\n"
			    "# Not ProtectKernelTunables: it would make /proc/irq and /sys read-only.\n"
			    "ProtectSystem=strict\n"
			    "ReadWritePaths=/proc/irq /sys/devices\n"
			    "ProtectHome=yes\n"
			    "ProtectHostname=yes\n"
			    "ProtectClock=yes\n"
			    "ProtectKernelModules=yes\n"
			    "ProtectKernelLogs=yes\n"
			    "ProtectControlGroups=yes\n"
			    "PrivateTmp=yes\n"
			    "PrivateDevices=yes\n"
			    "PrivateNetwork=yes\n"
			    "NoNewPrivileges=yes\n"
			    "LockPersonality=yes\n"
			    "RestrictAddressFamilies=AF_UNIX\n"
			    "RestrictNamespaces=yes\n"
			    "RestrictRealtime=yes\n"
			    "RestrictSUIDSGID=yes\n"
			    "MemoryDenyWriteExecute=yes\n"
			    "UMask=0077\n"
			    "SystemCallArchitectures=native\n"
			    "SystemCallFilter=@system-service\n"
			    "CapabilityBoundingSet=\n");
}

int qm_plan_export(const struct qm_plan *p, const struct qm_machine *m, const struct qm_plan_options *opt,
		   enum qm_export_format f, struct qm_strbuf *out)
{
	switch (f) {
	case QM_EXPORT_SHELL:
		export_shell(p, m, out);
		break;
	case QM_EXPORT_UDEV:
		export_udev(p, m, out);
		break;
	case QM_EXPORT_SYSTEMD:
		export_systemd(out);
		break;
	case QM_EXPORT_IRQBALANCE:
		export_irqbalance(p, m, out);
		break;
	case QM_EXPORT_NVME:
		return qm_nvme_export(m, opt, out);
	default:
		return -EINVAL;
	}
	return out->err;
}
