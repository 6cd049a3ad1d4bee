/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine as read: facts only. No file here judges anything or knows a mapping algorithm.
 *
 * Unknown is a value: NULL, -1, or a "has_" flag that is false. Everything a struct points to belongs to it; what comes from
 * a "const" accessor is borrowed. qm_machine_done() frees it all.
 */
#ifndef QM_MACHINE_H
#define QM_MACHINE_H

#include "base/ids.h"
#include "base/log.h"
#include "base/root.h"
#include "base/setpool.h"
#include "machine/topology.h"

enum qm_source_kind {
	QM_SOURCE_LIVE,
	QM_SOURCE_SYSROOT,
	QM_SOURCE_TOPOLOGY,  /* a JSON file */
	QM_SOURCE_SYNTHETIC, /* a spec */
	QM_SOURCE_DEMO,
	_QM_SOURCE_MAX,
};

/* ---- kernel ---- */

enum qm_distro {
	QM_DISTRO_UNKNOWN, /* a suffix nobody here knows */
	QM_DISTRO_NONE,    /* plain upstream version */
	QM_DISTRO_DEBIAN,
	QM_DISTRO_UBUNTU,
	QM_DISTRO_RHEL, /* and its rebuilds */
	QM_DISTRO_FEDORA,
	QM_DISTRO_SUSE,
	QM_DISTRO_UEK,
	QM_DISTRO_PROXMOX,
	QM_DISTRO_AMAZON,
	QM_DISTRO_ARCH,
	_QM_DISTRO_MAX,
};

struct qm_kernel {
	char *release; /* as uname -r; NULL = the source has no kernel */
	int major, minor, patch; /* -1 = not parsed */
	enum qm_distro distro;
	int distro_major;    /* el8 -> 8, el9 -> 9, SLE 15; -1 */
	int distro_build[3]; /* 4.18.0-553.8.1.el8 -> 553, 8, 1; -1 */
};

/* ---- kernel command line: the words that matter here, as given ---- */

struct qm_cmdline {
	bool known;
	char *text;
	bool has_isolcpus, has_nohz_full, has_irqaffinity;
	bool iso_domain, iso_managed_irq, iso_io_queue, iso_nohz; /* flags of isolcpus= */
	struct qm_cpuset isolcpus, nohz_full, irqaffinity;
	bool nosmt, kdump;                   /* kdump: this is a crash kernel (elfcorehdr= or /proc/vmcore) */
	int maxcpus, nr_cpus, possible_cpus; /* -1 = not given */
};

/* ---- interrupts ---- */

/* What a storage controller uses an interrupt for. */
enum qm_irq_role {
	QM_ROLE_NONE,   /* no storage controller's, or nobody knows */
	QM_ROLE_QUEUE,  /* one hardware queue's, or shared by several: see the ties */
	QM_ROLE_ADMIN,  /* NVMe admin queue, an adapter's own commands */
	QM_ROLE_CONFIG, /* configuration changes, events, errors */
	QM_ROLE_REPLY,  /* one of the private completion queues behind a single hardware queue */
	QM_ROLE_EXTRA,  /* a completion queue beside those of the hardware queues (high-IOPS, low-latency) */
	QM_ROLE_NIC,    /* of the network card a fabrics connection runs over */
	_QM_ROLE_MAX,
};

/* From /proc/interrupts: how often which CPU took an interrupt since it was set up. */
struct qm_irq_counts {
	struct qm_cpuset cpus; /* that took it at least once */
	unsigned long long total, most;
	unsigned busiest;      /* the CPU that took it most times */
};

struct qm_irq {
	unsigned nr;
	char *name;  /* actions joined by ", "; NULL = no handler or unknown */
	/* Read where a tie needs them, and for all with QM_READ_IRQ_DETAIL. */
	char *chip;  /* "PCI-MSIX-0000:04:00.0"; NULL = unknown */
	long hwirq;  /* where the chip is "..MSIX-.." the index in the device's table; -1 = unknown */
	int node;    /* as the file says; follows the affinity, not the device; -1 */
	int managed; /* 1, 0, -1 = unknown */
	const char *managed_by; /* how we know: "debugfs", "mode", "driver"; NULL */
	long controller; /* index of the controller it belongs to, the first of several; -1 */
	enum qm_irq_role role;
	bool has_requested, has_effective, has_hint;
	const struct qm_cpuset *requested, *effective, *hint; /* from the machine's pool; empty where not known */
	struct qm_irq_counts *counts; /* NULL = unknown, or not asked for */
};

/* ---- controllers, disks, hardware queues ---- */

enum qm_hctx_type {
	QM_HCTX_UNKNOWN = -1,
	QM_HCTX_DEFAULT,
	QM_HCTX_READ,
	QM_HCTX_POLL,
	_QM_HCTX_TYPE_MAX,
};

enum qm_irq_tie {
	QM_TIE_NONE,
	QM_TIE_NAME,
	QM_TIE_MSIX_INDEX,
	QM_TIE_MASK,
	QM_TIE_ORDER,
	_QM_TIE_MAX,
};

struct qm_hctx {
	unsigned id;
	int type;            /* enum qm_hctx_type */
	bool mapped;         /* has a directory in mq/: some CPU is mapped to it, if perhaps only isolated ones */
	/* As the kernel lists them, from the machine's pool; mapped and empty = all its CPUs are isolated. */
	const struct qm_cpuset *cpus;
	bool cpus_unknown;   /* the list is missing, garbled or cut: cpus holds what is sure, there may be more */
	bool stays_inactive; /* of fabrics: debugfs has it as one whose CPUs are all offline, though one is online */
	long tags, reserved_tags; /* -1 = unknown */
	long irq;            /* index into machine's irqs, -1 = none or unknown */
	enum qm_irq_tie tie;
};

/* Who says how many hardware queues there are, best first. */
enum qm_witness {
	QM_WITNESS_NONE, /* no one: only the highest index seen */
	QM_WITNESS_DEBUGFS,
	QM_WITNESS_QUEUE_COUNT, /* NVMe queue_count of a live controller */
	QM_WITNESS_SCSI_HOST,   /* nr_hw_queues of the host */
	QM_WITNESS_IRQ_NAMES,
	_QM_WITNESS_MAX,
};

struct qm_controller {
	char *name;      /* nvme0, host3, or its only disk's name */
	char *driver;    /* nvme, nvme-tcp, virtio_blk, virtio_scsi, null_blk, mpt3sas, ...; NULL */
	char *transport; /* pcie, tcp, rdma, fc, loop, virtio, scsi, sata, xen, mmc, ...; NULL */
	char *syspath;   /* device directory below the root */
	char *pci;       /* 0000:04:00.0 of the PCI function that carries it; NULL */
	int node;        /* -1 */

	size_t *disks; /* indices into machine's disks, natural order */
	size_t n_disks, cap_disks;

	struct qm_hctx *hctx; /* ids 0 .. n_hctx-1, unmapped ones included */
	size_t n_hctx;
	enum qm_witness witness;
	long counts[_QM_WITNESS_MAX]; /* what each witness says; -1 = silent */
	unsigned mapped;
	bool types_known;
	long nr_types[_QM_HCTX_TYPE_MAX]; /* queues of each type; -1 = unknown */
	long requested; /* queues asked for (module parameter, configfs, connect option); -1 */
	int rq_affinity; /* of its first disk; -1 */

	/* NVMe; NULL or -1 elsewhere */
	char *state, *address, *nqn, *serial, *model, *firmware, *cntrltype, *hostnqn;
	long queue_count, sqsize;
	bool fabrics;

	/* SCSI; -1 elsewhere */
	long scsi_host, scsi_can_queue, scsi_cmd_per_lun;
	int scsi_host_tagset; /* 1, 0, -1 */
};

enum qm_disk_kind {
	QM_DISK_PLAIN,
	QM_DISK_HEAD,      /* NVMe multipath head: its queues are those of its paths */
	QM_DISK_PATH,      /* NVMe multipath path, hidden */
	QM_DISK_PARTITION,
	QM_DISK_DM,
	QM_DISK_MD,
	QM_DISK_LOOP,
	QM_DISK_RAM,
	QM_DISK_ZRAM,
	_QM_DISK_KIND_MAX,
};

struct qm_disk {
	char *name;
	char *syspath;   /* below the root */
	enum qm_disk_kind kind;
	bool hidden, has_mq;
	long controller; /* index, -1: has no queues of its own */
	char *label;     /* dm/name, md/level; NULL */
	char *uuid;      /* dm/uuid, "LVM-...", "mpath-..."; NULL */
	char *dev;       /* "259:0"; NULL */
	char **below;    /* names of the block devices it stands on (slaves, paths, the partition's disk) */
	size_t n_below;
	char **links;    /* persistent names (live only), without /dev/ */
	size_t n_links;
};

struct qm_machine {
	enum qm_source_kind source;
	char *source_path; /* NULL unless a directory or file was named */
	bool privileged;   /* root-only files could be read */
	struct qm_problems problems;
	struct qm_setpool sets; /* what queues and interrupts point to */

	struct qm_topology topo;
	struct qm_kernel kernel;
	struct qm_cmdline cmdline;

	struct qm_irq *irqs; /* ascending numbers */
	size_t n_irqs, cap_irqs;
	struct qm_disk *disks; /* all block devices, natural order */
	size_t n_disks, cap_disks;
	struct qm_controller *controllers; /* natural order */
	size_t n_controllers, cap_controllers;

	bool fabrics_in_use; /* a fabrics controller or /sys/class/nvme-fabrics */
	int irqbalance;      /* 1 running, 0 not, -1 unknown */
	struct qm_ids irqbalance_banned; /* interrupts its command line keeps it from: somebody places them by hand */
	char *irqbalance_policy;         /* its policy script; NULL = none or unknown */
	bool moved;          /* the CPU sets changed while reading, and again after reading once more */
};

/* Which parts to read; the topology, kernel and command line always are. */
#define QM_READ_DEVICES 0x1u
#define QM_READ_IRQS    0x2u
#define QM_READ_IRQ_DETAIL 0x4u /* chip, hwirq, node and hint of every interrupt, too */
#define QM_READ_IRQBALANCE 0x8u /* does irqbalance run? May have to look at every process */
#define QM_READ_LINKS   0x10u /* persistent names of the disks, from udev (live only) */
#define QM_READ_IRQ_COUNTS 0x40u /* who took the interrupts: a file of megabytes on large machines */
#define QM_READ_NUMA    0x20u /* libnuma's opinion of the nodes; what differs is a problem (live only) */

/*
 * Reads a machine through root, which the caller opened and keeps; root->problems is &ret->problems while it runs. Re-reads
 * the CPU sets at the end and everything once more if they moved. Returns 0, or -errno where there is no machine below
 * the root at all (-ENOENT: no cpu directory).
 */
QM_MUST_CHECK int qm_machine_read(struct qm_root *root, unsigned what, struct qm_machine *ret);
void qm_machine_done(struct qm_machine *m);
/* The interrupt with that number; NULL if there is none. */
struct qm_irq *qm_irq_find(const struct qm_machine *m, unsigned nr);

/* ---- the parts, in the order they are read; each fills its own fields of m and needs those before ---- */

/* kernel.c: the release. */
QM_MUST_CHECK int qm_kernel_read(struct qm_root *root, struct qm_machine *m);
/* topology.c: CPU sets, cores, clusters, caches, nodes, distances. -ENOENT: this is no machine. */
QM_MUST_CHECK int qm_topology_read(struct qm_root *root, struct qm_machine *m);
/*
 * For a tree without CPUs: those that the queues' lists name are taken as the machine's. Needs the devices; nothing is known
 * of cores. -ENOENT: no queue names a CPU, so this is no machine.
 */
QM_MUST_CHECK int qm_topology_from_maps(struct qm_root *root, struct qm_machine *m);
/* Re-reads the CPU sets. 1: changed, 0: as before, or -errno. */
QM_MUST_CHECK int qm_topology_has_moved(struct qm_root *root, const struct qm_machine *m);
/* kernel.c: the command line; needs the number of CPUs. */
QM_MUST_CHECK int qm_cmdline_read(struct qm_root *root, struct qm_machine *m);
/* device.c: block devices, disks, controllers with their hardware queues (hctx.c, nvme.c). */
QM_MUST_CHECK int qm_devices_read(struct qm_root *root, struct qm_machine *m);
/* irq.c: /proc/irq, and the ties to the hardware queues (tie.c), and who may move them (managed.c). */
QM_MUST_CHECK int qm_irqs_read(struct qm_root *root, unsigned what, struct qm_machine *m);
/* live.c: names that udev gives; what libnuma says of the nodes and differs. Only for the running host. */
QM_MUST_CHECK int qm_live_read_links(struct qm_machine *m);
void qm_live_check_nodes(struct qm_machine *m);
/* irqbalance.c: fills irqbalance, and what its command line says. */
QM_MUST_CHECK int qm_irqbalance_read(struct qm_root *root, struct qm_machine *m);

/*
 * resolve.c: the controllers a name stands for: a controller ("nvme0", "host3"), a disk, a path below /dev, a persistent
 * name, a partition, a device-mapper, LVM ("vg/lv") or md volume, or a mount point; of volumes those below them. *ret gets
 * indices, ascending, none for a device without hardware queues; it belongs to the caller. root is for links and mount
 * tables of the source, NULL where there are none. -ENOENT: nothing has that name.
 */
QM_MUST_CHECK int qm_resolve(struct qm_root *root, const struct qm_machine *m, const char *name, struct qm_ids *ret);

/* kernel.c: parses a release ("6.1.0-18-amd64", "5.14.0-427.el9.x86_64"). 0, -EINVAL (release is kept all the same), -ENOMEM. */
QM_MUST_CHECK int qm_kernel_parse(const char *release, struct qm_kernel *ret);
void qm_kernel_done(struct qm_kernel *k);
/* "debian", ...; NULL for none or unknown */
const char *qm_distro_name(enum qm_distro d);
/* True if the mainline version is known: a source may tell no release, or one that starts with no version. */
bool qm_kernel_is_known(const struct qm_kernel *k);
/* True if the mainline version is known and at least major.minor. */
bool qm_kernel_is_at_least(const struct qm_kernel *k, int major, int minor);
/* kernel.c: isolcpus=, nohz_full= ... from a command line; also for the what-if options. 0, -EINVAL, -ENOMEM. */
QM_MUST_CHECK int qm_cmdline_parse(const char *text, unsigned nr_cpus, struct qm_cmdline *ret);
void qm_cmdline_done(struct qm_cmdline *c);

/* synthetic.c: "pack:2 [numa] core:18 pu:2 order=thread-first". -EINVAL with a reason in *ret_error (new string). */
QM_MUST_CHECK int qm_synthetic_parse(const char *spec, struct qm_topology *ret, char **ret_error);
/* topojson.c: a topology as written by `topology -J` or a bare object. -EINVAL with a reason in *ret_error (new string). */
QM_MUST_CHECK int qm_topojson_parse(const char *text, size_t len, struct qm_topology *ret, char **ret_error);
/* demo.c: the machine of the original report, with its map, */
QM_MUST_CHECK int qm_demo_make(struct qm_machine *ret);
/* and the kernel log of its refused connect. */
const char *qm_demo_log(void);

/*
 * whatif.c: edits a topology in place. CPUs that are not possible are refused, -ERANGE, and so is an empty set, -EINVAL; an
 * absent CPU that is to be online becomes present. Maps that were read are
 * not touched: the queues keep the CPUs they were given.
 */
QM_MUST_CHECK int qm_topology_set_online(struct qm_topology *t, const struct qm_cpuset *online);

const char *qm_hctx_type_name(int type);              /* "default", ...; NULL for unknown */
const char *qm_irq_role_name(enum qm_irq_role role); /* "queue", "admin", ...; NULL for none */
const char *qm_irq_tie_name(enum qm_irq_tie tie);     /* "name", ...; NULL for none */
const char *qm_witness_name(enum qm_witness w);       /* "debugfs", ...; NULL for none */
const char *qm_source_kind_name(enum qm_source_kind k); /* "live", ... */
const char *qm_disk_kind_name(enum qm_disk_kind k);

#endif
