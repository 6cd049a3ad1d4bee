/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to map/: tables keyed by kernel. A row says for which distributions, versions and patch levels it holds. */
#ifndef QM_MAP_WHEN_H
#define QM_MAP_WHEN_H

#include "machine/machine.h"

#define V(major, minor) ((major) * 1000 + (minor))
/* The newest kernel whose behaviour was seen. */
#define QM_NEWEST_SEEN V(7, 2)

#define BIT(distro) (1u << (distro))
/* These follow upstream's stable releases and leave the mapping code alone. */
#define STABLE                                                                                                          \
	(BIT(QM_DISTRO_NONE) | BIT(QM_DISTRO_DEBIAN) | BIT(QM_DISTRO_UBUNTU) | BIT(QM_DISTRO_FEDORA) |                  \
	 BIT(QM_DISTRO_PROXMOX) | BIT(QM_DISTRO_AMAZON) | BIT(QM_DISTRO_ARCH))
#define DEBIAN BIT(QM_DISTRO_DEBIAN)
#define UBUNTU BIT(QM_DISTRO_UBUNTU)
#define RHEL BIT(QM_DISTRO_RHEL)
#define SUSE BIT(QM_DISTRO_SUSE)
#define UEK BIT(QM_DISTRO_UEK)
#define ANY (~0u)

enum qm_when_sub {
	QM_WHEN_ALL,
	QM_WHEN_PATCH, /* third number of the version; -1 = not told */
	QM_WHEN_BUILD, /* first number of the distribution's build; -1 = none */
};

struct qm_when {
	unsigned distros;
	int from, to;
	enum qm_when_sub sub;
	int lo, hi;
};

#define EXACT(distros, v) { distros, v, v, QM_WHEN_ALL, 0, 0 }
#define RANGE(distros, from, to) { distros, from, to, QM_WHEN_ALL, 0, 0 }
#define PATCH(distros, v, lo, hi) { distros, v, v, QM_WHEN_PATCH, lo, hi }
#define BUILD(distros, v, lo, hi) { distros, v, v, QM_WHEN_BUILD, lo, hi }

/* V() of a kernel, -1 where its version is not known. */
int qm_kernel_version(const struct qm_kernel *k);
bool qm_when_fits(const struct qm_when *w, const struct qm_kernel *k);

#endif
