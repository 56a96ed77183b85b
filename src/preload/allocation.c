/* SPDX-License-Identifier: BSD-3-Clause */
/* Space in files, which programs allocate ahead or give back: the kernel's files have none. Of a
 * memory file there would be some, and be written as its value. */
#include "preload/preload.h"

#include <fcntl.h>
#include <unistd.h>

/** The order is the kernel's: what is wrong with the call comes before what the file cannot do. */
static int refusal(int descriptor, const char *emulated, off_t offset, off_t size)
{
	int flags = REAL(fcntl)(descriptor, F_GETFL);
	struct stat status;

	if (flags < 0 || flags & O_PATH)
		return EBADF;
	if (offset < 0 || size <= 0)
		return EINVAL;
	if ((flags & O_ACCMODE) == O_RDONLY)
		return EBADF;
	/* Devices; a file that has been removed meanwhile was none. */
	if (status_get(emulated, &status) == 0 && !S_ISREG(status.st_mode))
		return ENODEV;
	return EOPNOTSUPP;
}

/** Returns an error number; 0: it is none of the machine's. Keeps errno. */
static int refuse(int descriptor, off_t offset, off_t size)
{
	char emulated[PATH_MAX];
	int result = 0, error = errno;

	if (!path_may_be_emulated(descriptor) || !preload_begin())
		return 0;
	if (path_of_descriptor(descriptor, emulated))
		result = refusal(descriptor, emulated, offset, size);
	errno = error;
	preload_end(result != 0);
	return result;
}

/** Whatever the mode: none of them is supported. */
INTERPOSED int fallocate(int descriptor, int mode, off_t offset, off_t size)
{
	int error = refuse(descriptor, offset, size);

	return error ? fail(error) : REAL(fallocate)(descriptor, mode, offset, size);
}

/** The C library's own would write a byte where the kernel allocates nothing. */
INTERPOSED int posix_fallocate(int descriptor, off_t offset, off_t size)
{
	int error = refuse(descriptor, offset, size);

	return error ? error : REAL(posix_fallocate)(descriptor, offset, size);
}

/* On this architecture the two are the same. */
INTERPOSED int fallocate64(int descriptor, int mode, off64_t offset, off64_t size)
	__attribute__((alias("fallocate")));
INTERPOSED int posix_fallocate64(int descriptor, off64_t offset, off64_t size)
	__attribute__((alias("posix_fallocate")));
