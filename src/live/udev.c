// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/udev.h"

#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBUDEV
#include <libudev.h>

#include "base/natsort.h"
#include "base/strbuf.h"

struct qm_udev {
	struct udev *udev;
};

int qm_udev_new(struct qm_udev **ret)
{
	struct qm_udev *u = malloc(sizeof(*u));

	if (!u)
		return -ENOMEM;
	u->udev = udev_new();
	if (!u->udev) {
		free(u);
		return -ENOMEM;
	}
	*ret = u;
	return 0;
}

void qm_udev_free(struct qm_udev *u)
{
	if (!u)
		return;
	udev_unref(u->udev);
	free(u);
}

static struct udev_device *find(struct qm_udev *u, const char *sysname)
{
	return udev_device_new_from_subsystem_sysname(u->udev, "block", sysname);
}

static void strings_free(char **v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(v[i]);
	free(v);
}

static int collect_links(struct udev_device *dev, char ***ret, size_t *ret_n)
{
	struct udev_list_entry *entry;
	size_t n = 0, cap = 0;
	char **v = NULL;
	int r = 0;

	udev_list_entry_foreach(entry, udev_device_get_devlinks_list_entry(dev)) {
		const char *name = udev_list_entry_get_name(entry);

		if (strncmp(name, "/dev/", 5) == 0)
			name += 5;
		r = qm_array_grow(&v, &cap, n + 1, sizeof(*v));
		if (r < 0)
			break;
		v[n] = strdup(name);
		if (!v[n]) {
			r = -ENOMEM;
			break;
		}
		n++;
	}
	if (r < 0) {
		strings_free(v, n);
		return r;
	}
	if (n)
		qsort(v, n, sizeof(*v), qm_natcmp_ptr);
	*ret = v;
	*ret_n = n;
	return 0;
}

int qm_udev_links(struct qm_udev *u, const char *sysname, char ***ret, size_t *ret_n)
{
	struct udev_device *dev = find(u, sysname);
	int r;

	if (!dev)
		return -ENOENT;
	r = collect_links(dev, ret, ret_n);
	udev_device_unref(dev);
	return r;
}

int qm_udev_property(struct qm_udev *u, const char *sysname, const char *key, char **ret)
{
	struct udev_device *dev = find(u, sysname);
	const char *value;
	char *copy;
	int r = -ENOENT;

	if (!dev)
		return r;
	value = udev_device_get_property_value(dev, key);
	copy = value ? strdup(value) : NULL;
	if (value)
		r = copy ? 0 : -ENOMEM;
	udev_device_unref(dev);
	if (r == 0)
		*ret = copy;
	return r;
}

#else /* !HAVE_LIBUDEV */

int qm_udev_new(struct qm_udev **ret)
{
	(void)ret;
	return -EOPNOTSUPP;
}

void qm_udev_free(struct qm_udev *u)
{
	(void)u;
}

int qm_udev_links(struct qm_udev *u, const char *sysname, char ***ret, size_t *ret_n)
{
	(void)u;
	(void)sysname;
	(void)ret;
	(void)ret_n;
	return -EOPNOTSUPP;
}

int qm_udev_property(struct qm_udev *u, const char *sysname, const char *key, char **ret)
{
	(void)u;
	(void)sysname;
	(void)key;
	(void)ret;
	return -EOPNOTSUPP;
}

#endif
