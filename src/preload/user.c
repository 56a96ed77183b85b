/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of the program: copied by the kernel, which refuses wrong addresses with EFAULT where this
 * process would be killed. */
#include "preload/preload.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/** Whether the kernel has done it; if it cannot, addresses are trusted. */
static bool is_done(ssize_t copied, size_t size, int *result)
{
	*result = copied == (ssize_t)size ? 0 : -1;
	if (copied >= 0 && *result)
		errno = EFAULT;
	return copied >= 0 || errno == EFAULT;
}

int user_gather(const struct iovec *parts, int count, void *to, size_t size)
{
	const struct iovec whole = { .iov_base = to, .iov_len = size };
	int error = errno, result;

	if (size == 0 ||
	    is_done(process_vm_readv(getpid(), &whole, 1, parts, (unsigned int)count, 0), size,
		    &result))
		return size == 0 ? 0 : result;
	errno = error;
	for (size_t at = 0; at < size; at += parts++->iov_len)
		memcpy((char *)to + at, parts->iov_base,
		       parts->iov_len < size - at ? parts->iov_len : size - at);
	return 0;
}

int user_scatter(const struct iovec *parts, int count, const void *from, size_t size)
{
	const struct iovec whole = { .iov_base = (void *)from, .iov_len = size };
	int error = errno, result;

	if (size == 0 ||
	    is_done(process_vm_writev(getpid(), &whole, 1, parts, (unsigned int)count, 0), size,
		    &result))
		return size == 0 ? 0 : result;
	errno = error;
	for (size_t at = 0; at < size; at += parts++->iov_len)
		memcpy(parts->iov_base, (const char *)from + at,
		       parts->iov_len < size - at ? parts->iov_len : size - at);
	return 0;
}

int user_read(const void *from, void *to, size_t size)
{
	const struct iovec part = { .iov_base = (void *)from, .iov_len = size };

	return user_gather(&part, 1, to, size);
}

int user_write(void *to, const void *from, size_t size)
{
	const struct iovec part = { .iov_base = to, .iov_len = size };

	return user_scatter(&part, 1, from, size);
}
