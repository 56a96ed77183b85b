/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors that stay open, or that files are written by. */
#ifndef ISST_COMMON_DESCRIPTOR_H
#define ISST_COMMON_DESCRIPTOR_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/**
 * If a program has closed its standard streams, what is opened gets their numbers, and its messages
 * would be written into that file. Returns the descriptor, or another one of the same file in its
 * place; negative ones as they are, and -1 with errno where there is no other.
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

#endif
