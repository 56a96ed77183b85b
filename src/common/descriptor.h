/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors off the standard streams, and locks of open files. */
#ifndef ISST_COMMON_DESCRIPTOR_H
#define ISST_COMMON_DESCRIPTOR_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/** If a program has closed its standard streams, a new descriptor gets their numbers, and messages
 * would be written to it. Returns a descriptor above these; negative ones unchanged; -1 with errno.
 */
static inline int keep_off_streams(int descriptor)
{
	int error, other;

	if (descriptor < 0 || descriptor > STDERR_FILENO)
		return descriptor;
	other = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	error = errno;
	close(descriptor);
	errno = error;
	return other;
}

/** The process that has locked an open file, by the kernel's list, `1: FLOCK  ADVISORY  WRITE 4711
 * 00:05:1234 0 EOF`: for itself, or else with others; 0 where none is listed. */
unsigned int descriptor_lock_holder(int descriptor);

#endif
