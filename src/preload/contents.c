/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Emulated files that are open: read, written, and their positions.
 *
 * What goes through write(2) and its relatives reaches the machine at once, and what comes to lie
 * in the memory file by other ways, when it is flushed or closed. Who reads gets what the memory
 * file contains. That is generated at opening, and again for a program that reads from the
 * beginning once more.
 */
#include "preload/preload.h"

#include "emulator/front/launch_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* The permissions of a memory file from whose beginning has been read: every process that has it
 * open sees them, and no program. */
enum { READ_ONCE = 0600 };

/* No file of the kernel takes, or returns, as much at once. */
enum { LONGEST = 1 << 20 };

static int flags_of(int descriptor)
{
	return REAL(fcntl)(descriptor, F_GETFL);
}

static bool writable(int descriptor)
{
	int flags = flags_of(descriptor);

	return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

/** The size of all parts together, or -1 and errno. */
static ssize_t size_of(const struct iovec *parts, int count)
{
	struct iovec part;
	size_t size = 0;

	if (count < 0 || count > IOV_MAX)
		return fail(EINVAL);
	for (int i = 0; i < count; i++) {
		if (user_read(&parts[i], &part, sizeof(part)))
			return -1;
		if (part.iov_len > SSIZE_MAX - size)
			return fail(EINVAL);
		size += part.iov_len;
	}
	return (ssize_t)(size < LONGEST ? size : LONGEST);
}

/* ---- Registers ---- */

/** Of a CPU: whole ones only, each of them the same one. */
static ssize_t access_msr(const char *emulated, bool write, void *buffer, size_t size,
			  off_t position)
{
	uint64_t value;
	size_t done = 0;

	if (size % sizeof(value) != 0)
		return fail(EINVAL);
	for (; done < size; done += sizeof(value)) {
		int error;

		memcpy(&value, (char *)buffer + done, sizeof(value));
		error = launch_access(preload_machine, emulated, write, (uint64_t)position, &value);
		if (error)
			return done ? (ssize_t)done : fail(error);
		memcpy((char *)buffer + done, &value, sizeof(value));
	}
	return (ssize_t)done;
}

/* ---- Writing ---- */

/** One write(2) to an emulated file: wherever, it is its new value. */
static ssize_t put(const char *emulated, void *content, size_t size, off_t position)
{
	int error;

	if (path_is_device(emulated))
		return fail(EINVAL);
	if (path_is_msr(emulated))
		return access_msr(emulated, true, content, size, position);
	if (size == 0)
		return 0;
	error = preload_machine->files->write(preload_machine->data, emulated, content, size);
	/* One that has been removed meanwhile. */
	if (error == -ENOENT)
		error = -ENODEV;
	return error ? fail(error) : (ssize_t)size;
}

static ssize_t put_parts(int descriptor, const char *emulated, const struct iovec *parts, int count,
			 off_t position)
{
	ssize_t size = size_of(parts, count), result = -1;
	void *content;

	if (size < 0)
		return -1;
	content = malloc((size_t)size + 1);
	if (!content)
		return fail(ENOMEM);
	if (user_gather(parts, count, content, (size_t)size) == 0)
		result = put(emulated, content, (size_t)size,
			     position < 0 ? REAL(lseek)(descriptor, 0, SEEK_CUR) : position);
	free(content);
	/* Registers stay where they are. */
	if (result > 0 && position < 0 && !path_is_msr(emulated))
		REAL(lseek)(descriptor, result, SEEK_CUR);
	return result;
}

/**
 * Returns true where it was for the emulated machine: then *@result is what write() returns.
 *
 * @position: -1 for that of the descriptor
 */
static bool write_emulated(int descriptor, const struct iovec *parts, int count, off_t position,
			   ssize_t *result)
{
	char emulated[PATH_MAX];
	int error = errno;
	bool answered;

	if (!path_may_be_emulated(descriptor) || !preload_begin())
		return false;
	answered = path_of_descriptor(descriptor, emulated) && writable(descriptor);
	if (answered)
		*result = put_parts(descriptor, emulated, parts, count, position);
	if (!answered || *result >= 0)
		errno = error;
	preload_end(answered);
	return answered;
}

INTERPOSED ssize_t write(int descriptor, const void *content, size_t size)
{
	const struct iovec part = { .iov_base = (void *)content, .iov_len = size };
	ssize_t result;

	if (preload_inside())
		return unlimited_call(SYS_write, descriptor, (long)content, (long)size, 0);
	return write_emulated(descriptor, &part, 1, -1, &result)
		       ? result
		       : REAL(write)(descriptor, content, size);
}

INTERPOSED ssize_t pwrite(int descriptor, const void *content, size_t size, off_t offset)
{
	const struct iovec part = { .iov_base = (void *)content, .iov_len = size };
	ssize_t result;

	if (preload_inside())
		return unlimited_call(SYS_pwrite64, descriptor, (long)content, (long)size, offset);
	return offset >= 0 && write_emulated(descriptor, &part, 1, offset, &result)
		       ? result
		       : REAL(pwrite)(descriptor, content, size, offset);
}

INTERPOSED ssize_t writev(int descriptor, const struct iovec *parts, int count)
{
	ssize_t result;

	return write_emulated(descriptor, parts, count, -1, &result)
		       ? result
		       : REAL(writev)(descriptor, parts, count);
}

INTERPOSED ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset)
{
	ssize_t result;

	return offset >= 0 && write_emulated(descriptor, parts, count, offset, &result)
		       ? result
		       : REAL(pwritev)(descriptor, parts, count, offset);
}

INTERPOSED ssize_t pwritev2(int descriptor, const struct iovec *parts, int count, off_t offset,
			    int flags)
{
	ssize_t result;

	return offset >= -1 && write_emulated(descriptor, parts, count, offset, &result)
		       ? result
		       : REAL(pwritev2)(descriptor, parts, count, offset, flags);
}

INTERPOSED int vdprintf(int descriptor, const char *format, va_list arguments)
{
	char *text;
	int length;

	if (!path_may_be_emulated(descriptor))
		return REAL(vdprintf)(descriptor, format, arguments);
	length = vasprintf(&text, format, arguments);
	if (length >= 0 && write(descriptor, text, (size_t)length) < 0)
		length = -1;
	else if (length < 0)
		return -1;
	free(text);
	return length;
}

INTERPOSED int dprintf(int descriptor, const char *format, ...)
{
	va_list arguments;
	int result;

	va_start(arguments, format);
	result = vdprintf(descriptor, format, arguments);
	va_end(arguments);
	return result;
}

/* What programs that were compiled with _FORTIFY_SOURCE call. */
int __vdprintf_chk(int descriptor, int flag, const char *format, va_list arguments);
int __dprintf_chk(int descriptor, int flag, const char *format, ...);

INTERPOSED int __vdprintf_chk(int descriptor, int flag, const char *format, va_list arguments)
{
	(void)flag;
	return vdprintf(descriptor, format, arguments);
}

INTERPOSED int __dprintf_chk(int descriptor, int flag, const char *format, ...)
{
	va_list arguments;
	int result;

	(void)flag;
	va_start(arguments, format);
	result = vdprintf(descriptor, format, arguments);
	va_end(arguments);
	return result;
}

/** What was read or written before is a hole in the memory file: how long it is. */
static size_t hole_before(const char *content, size_t size)
{
	size_t length = 0;

	while (length < size && content[length] == '\0')
		length++;
	return length < size ? length : 0;
}

/** Reads a memory file that may be open to be written only. */
static ssize_t read_whole(int descriptor, char *content, size_t size)
{
	char name[40];
	ssize_t result;
	int file;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", descriptor);
	file = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -1;
	result = REAL(pread)(file, content, size, 0);
	REAL(close)(file);
	return result;
}

int file_deliver(int descriptor, const char *emulated)
{
	struct stat status;
	char *content;
	ssize_t size, result;
	size_t hole;

	if (status_real(descriptor, "", &status, AT_EMPTY_PATH) || status.st_size == 0 ||
	    !writable(descriptor))
		return 0;
	content = malloc((size_t)status.st_size);
	if (!content)
		return fail(ENOMEM);
	size = read_whole(descriptor, content, (size_t)status.st_size);
	/* The position stays where it is, behind what was written. */
	if (ftruncate(descriptor, 0))
		size = -1;
	hole = size > 0 ? hole_before(content, (size_t)size) : 0;
	result = size > 0 ? put(emulated, content + hole, (size_t)size - hole, 0) : size;
	free(content);
	return result < 0 ? -1 : 0;
}

/* ---- Reading ---- */

static int get(const char *emulated, char **content, size_t *size)
{
	int error;

	if (process_status_is(emulated))
		error = process_status_read(emulated, content, size);
	else if (cpu_times_is(emulated))
		error = cpu_times_read(content, size);
	else
		error = preload_machine->files->read(preload_machine->data, emulated, content,
						     size);
	return error ? fail(error) : 0;
}

int file_generate(int descriptor, const char *emulated)
{
	char *content;
	size_t size;
	int result = get(emulated, &content, &size);

	if (result)
		return -1;
	if (ftruncate(descriptor, 0))
		result = -1;
	else if (pwrite(descriptor, content, size, 0) != (ssize_t)size)
		result = fail(EFBIG);
	free(content);
	return result;
}

/** What is read only is opened once more to be written. */
static int generate_again(int descriptor, const char *emulated)
{
	char name[40];
	int file, result;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", descriptor);
	file = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC);
	/* Of another user, such as the one who started this program: it remains as it is. */
	if (file < 0)
		return 0;
	result = file_generate(file, emulated);
	REAL(close)(file);
	/* One that has been removed meanwhile. */
	return result && errno == ENOENT ? fail(ENODEV) : result;
}

/** Before a file that is read only is read from its beginning. Returns 0, or -1 and errno. */
static int begin_reading(int descriptor, const char *emulated)
{
	struct stat status;

	if (status_real(descriptor, "", &status, AT_EMPTY_PATH))
		return -1;
	if ((status.st_mode & 0777) == READ_ONCE)
		return generate_again(descriptor, emulated);
	/* Where that fails it is read once only. */
	syscall(SYS_fchmod, descriptor, READ_ONCE);
	return 0;
}

bool file_begin_again(int descriptor)
{
	char emulated[PATH_MAX];
	bool found;

	if (!path_may_be_emulated(descriptor) || !preload_begin())
		return false;
	found = path_of_descriptor(descriptor, emulated) && !writable(descriptor) &&
		!path_is_device(emulated) && !path_is_msr(emulated);
	if (found)
		generate_again(descriptor, emulated);
	preload_end(false);
	return found;
}

/** Of a file that is written as well, and has no content of its own. */
static ssize_t read_value(const char *emulated, const struct iovec *parts, int count, size_t size,
			  off_t position)
{
	char *content;
	size_t length, at;
	ssize_t result;

	/* One that has been removed meanwhile. */
	if (get(emulated, &content, &length))
		return errno == ENOENT ? fail(ENODEV) : -1;
	at = (size_t)position < length ? (size_t)position : length;
	length -= at;
	result = (ssize_t)(length < size ? length : size);
	if (user_scatter(parts, count, content + at, (size_t)result))
		result = -1;
	free(content);
	return result;
}

static ssize_t read_registers(const char *emulated, const struct iovec *parts, int count,
			      size_t size, off_t position)
{
	char *content = calloc(1, size + 1);
	ssize_t result;

	if (!content)
		return fail(ENOMEM);
	result = access_msr(emulated, false, content, size, position);
	if (result > 0 && user_scatter(parts, count, content, (size_t)result))
		result = -1;
	free(content);
	return result;
}

/** @position: -1 for that of the descriptor, which then moves on */
static ssize_t read_parts(int descriptor, const char *emulated, const struct iovec *parts,
			  int count, off_t position)
{
	off_t at = position < 0 ? REAL(lseek)(descriptor, 0, SEEK_CUR) : position;
	ssize_t size = size_of(parts, count), result;

	if (size < 0)
		return -1;
	if (path_is_device(emulated))
		return fail(EINVAL);
	if (path_is_msr(emulated))
		return read_registers(emulated, parts, count, (size_t)size, at);
	if (writable(descriptor)) {
		result = read_value(emulated, parts, count, (size_t)size, at);
		if (result > 0 && position < 0)
			REAL(lseek)(descriptor, result, SEEK_CUR);
		return result;
	}
	if (at == 0 && size > 0 && begin_reading(descriptor, emulated))
		return -1;
	return position < 0 ? REAL(readv)(descriptor, parts, count)
			    : REAL(preadv)(descriptor, parts, count, position);
}

/** Returns true where it was the emulated machine's: then *@result is what read() returns. */
static bool read_emulated(int descriptor, const struct iovec *parts, int count, off_t position,
			  ssize_t *result)
{
	char emulated[PATH_MAX];
	int error = errno;
	bool answered;

	if (!path_may_be_emulated(descriptor) || !preload_begin())
		return false;
	answered = path_of_descriptor(descriptor, emulated) &&
		   (flags_of(descriptor) & O_ACCMODE) != O_WRONLY;
	if (answered)
		*result = read_parts(descriptor, emulated, parts, count, position);
	if (!answered || *result >= 0)
		errno = error;
	preload_end(answered);
	return answered;
}

INTERPOSED ssize_t read(int descriptor, void *buffer, size_t size)
{
	const struct iovec part = { .iov_base = buffer, .iov_len = size };
	ssize_t result;

	return read_emulated(descriptor, &part, 1, -1, &result)
		       ? result
		       : REAL(read)(descriptor, buffer, size);
}

INTERPOSED ssize_t pread(int descriptor, void *buffer, size_t size, off_t offset)
{
	const struct iovec part = { .iov_base = buffer, .iov_len = size };
	ssize_t result;

	return offset >= 0 && read_emulated(descriptor, &part, 1, offset, &result)
		       ? result
		       : REAL(pread)(descriptor, buffer, size, offset);
}

INTERPOSED ssize_t readv(int descriptor, const struct iovec *parts, int count)
{
	ssize_t result;

	return read_emulated(descriptor, parts, count, -1, &result)
		       ? result
		       : REAL(readv)(descriptor, parts, count);
}

INTERPOSED ssize_t preadv(int descriptor, const struct iovec *parts, int count, off_t offset)
{
	ssize_t result;

	return offset >= 0 && read_emulated(descriptor, parts, count, offset, &result)
		       ? result
		       : REAL(preadv)(descriptor, parts, count, offset);
}

INTERPOSED ssize_t preadv2(int descriptor, const struct iovec *parts, int count, off_t offset,
			   int flags)
{
	ssize_t result;

	return offset >= -1 && read_emulated(descriptor, parts, count, offset, &result)
		       ? result
		       : REAL(preadv2)(descriptor, parts, count, offset, flags);
}

/* What programs that were compiled with _FORTIFY_SOURCE call. */
ssize_t __read_chk(int descriptor, void *buffer, size_t size, size_t space);
ssize_t __pread_chk(int descriptor, void *buffer, size_t size, off_t offset, size_t space);
ssize_t __pread64_chk(int descriptor, void *buffer, size_t size, off_t offset, size_t space);

INTERPOSED ssize_t __read_chk(int descriptor, void *buffer, size_t size, size_t space)
{
	return size > space ? REAL(__read_chk)(descriptor, buffer, size, space)
			    : read(descriptor, buffer, size);
}

INTERPOSED ssize_t __pread_chk(int descriptor, void *buffer, size_t size, off_t offset,
			       size_t space)
{
	return size > space ? REAL(__pread_chk)(descriptor, buffer, size, offset, space)
			    : pread(descriptor, buffer, size, offset);
}

INTERPOSED ssize_t __pread64_chk(int descriptor, void *buffer, size_t size, off_t offset,
				 size_t space) __attribute__((alias("__pread_chk")));

/* ---- Seeking, which finds the end of a file and its holes ---- */

/** As the kernel, whose file has the size of its status, and has no holes. */
static off_t seek_to_end(int descriptor, const char *emulated, off_t offset, int whence)
{
	struct stat status;

	if (strcmp(emulated, "/proc/cpuinfo") == 0 || path_is_msr(emulated) ||
	    status_file_system(emulated) == DEBUGFS_MAGIC)
		return fail(EINVAL);
	if (status_get(emulated, &status))
		return -1;
	if (whence != SEEK_END && (offset < 0 || offset >= status.st_size))
		return fail(ENXIO);
	if (whence == SEEK_END && offset > LONG_MAX - status.st_size)
		return fail(EINVAL);
	if (whence != SEEK_DATA)
		offset = whence == SEEK_END ? status.st_size + offset : status.st_size;
	return REAL(lseek)(descriptor, offset, SEEK_SET);
}

INTERPOSED off_t lseek(int descriptor, off_t offset, int whence)
{
	char emulated[PATH_MAX];
	off_t result = -1;

	if ((whence == SEEK_END || whence == SEEK_DATA || whence == SEEK_HOLE) && preload_begin()) {
		bool answered = path_of_descriptor(descriptor, emulated) &&
				!path_is_device(emulated);

		if (answered)
			result = seek_to_end(descriptor, emulated, offset, whence);
		preload_end(answered);
		if (answered)
			return result;
	}
	return REAL(lseek)(descriptor, offset, whence);
}

/* On this architecture the two are the same. */
INTERPOSED off64_t lseek64(int descriptor, off64_t offset, int whence)
	__attribute__((alias("lseek")));
INTERPOSED ssize_t pread64(int descriptor, void *buffer, size_t size, off64_t offset)
	__attribute__((alias("pread")));
INTERPOSED ssize_t pwrite64(int descriptor, const void *content, size_t size, off64_t offset)
	__attribute__((alias("pwrite")));
INTERPOSED ssize_t preadv64(int descriptor, const struct iovec *parts, int count, off64_t offset)
	__attribute__((alias("preadv")));
INTERPOSED ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset)
	__attribute__((alias("pwritev")));
INTERPOSED ssize_t preadv64v2(int descriptor, const struct iovec *parts, int count, off64_t offset,
			      int flags) __attribute__((alias("preadv2")));
INTERPOSED ssize_t pwritev64v2(int descriptor, const struct iovec *parts, int count, off64_t offset,
			       int flags) __attribute__((alias("pwritev2")));
