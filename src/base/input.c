// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/strbuf.h"

static bool is_stdin(const char *path)
{
	return strcmp(path, "-") == 0;
}

const char *qm_input_name(const char *path)
{
	return is_stdin(path) ? "standard input" : path;
}

int qm_input_open(const char *path)
{
	struct stat st;
	int fd, r;

	if (is_stdin(path))
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	else
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	r = fstat(fd, &st);
	if (r == 0 && !S_ISDIR(st.st_mode))
		return fd;
	r = r < 0 ? -errno : -EISDIR;
	close(fd);
	return r;
}

int qm_input_open_kmsg(void)
{
	static const char path[] = "/dev/kmsg";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

int qm_input_read(const char *path, size_t max, char **ret, size_t *ret_len)
{
	_cleanup_close_ int fd = qm_input_open(path);
	struct qm_strbuf b = { 0 };
	char chunk[16384];
	size_t len;
	ssize_t n;
	int r;

	if (fd < 0)
		return fd;
	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		r = n < 0 ? -errno : b.len + (size_t)n > max ? -EFBIG : 0;
		if (r < 0) {
			qm_strbuf_done(&b);
			return r;
		}
		qm_strbuf_add(&b, chunk, (size_t)n);
	}
	len = b.len;
	r = qm_strbuf_take(&b, ret);
	if (r < 0) {
		qm_strbuf_done(&b);
		return r;
	}
	*ret_len = len;
	return 0;
}

int qm_output_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

int qm_output_write(const char *path, const char *data, size_t len)
{
	int fd, r;

	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	if (fd < 0)
		return -errno;
	r = qm_output_all(fd, data, len);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	return r;
}
