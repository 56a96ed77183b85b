/* SPDX-License-Identifier: BSD-3-Clause */
/* The device of a real machine: system calls on /dev/isst_interface. */
#include "driver/linux_device.h"
#include "common/descriptor.h"
#include "driver/abi.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int device_open(void *data)
{
	(void)data;
	int descriptor;

#ifdef __x86_64__
	/* Do not wait if it is a FIFO. */
	descriptor = keep_off_streams(open(ABI_DEVICE_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
#else
	/* The driver exists on x86 only. */
	errno = ENODEV;
	descriptor = -1;
#endif
	return descriptor < 0 ? -errno : descriptor;
}

/* The parameter type of ioctl(2). */
#ifdef __GLIBC__
typedef unsigned long ioctl_request;
#else
typedef int ioctl_request;
#endif

static int device_ioctl(void *data, int descriptor, unsigned long request, void *argument)
{
	int answer = ioctl(descriptor, (ioctl_request)request, argument);

	(void)data;
	return answer < 0 ? -errno : answer;
}

static int device_close(void *data, int descriptor)
{
	(void)data;
	return close(descriptor) ? -errno : 0;
}

const struct device_operations linux_device = {
	.open = device_open,
	.ioctl = device_ioctl,
	.close = device_close,
};
