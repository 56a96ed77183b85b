/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * /dev/isst_interface as the driver answers it: opened, asked, closed. Batches are run in
 * batches.c, TPMI requests in tpmi_requests.c.
 */
#include "common/descriptor.h"
#include "emulator/firmware/tpmi.h"
#include "emulator/front/front.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/** A call that is no batch is one command. */
static int run_other(struct emulated *emulated, unsigned long request, void *argument)
{
	const struct platform *platform = emulated->server.platform;
	struct fault_event event = { .place = FAULT_COMMAND, .command = true };
	struct fault_effect effect;
	int result = -ENOTTY;

	fault_event_set(&event, NUMBER_SET, 0);
	effect = faults_find(&emulated->faults, &event);
	state_count(&emulated->server.head->statistics.commands, 1);
	if (effect.action == ACTION_ERROR)
		return -(int)effect.value;
	if (effect.action == ACTION_RETURN)
		return (int)effect.value;
	if (effect.action == ACTION_IGNORED)
		return 0;
	if (request == ABI_GET_PLATFORM_INFO && argument) {
		*(struct abi_platform_info *)argument = (struct abi_platform_info){
			.api_version = (uint16_t)platform->api_version.value,
			.driver_version = (uint16_t)platform->driver_version.value,
			.max_cmds_per_ioctl = (uint16_t)platform->max_commands.value,
			.mbox_supported = batch_registered(platform, ABI_MAILBOX_COMMAND),
			.mmio_supported = batch_registered(platform, ABI_IO_COMMAND),
		};
		faults_platform_info(&emulated->faults, argument);
		result = 0;
	} else if (request == ABI_GET_PLATFORM_INFO) {
		result = -EFAULT;
	}
	faults_finish(&effect);
	return result;
}

static int dispatch_request(struct emulated *emulated, unsigned long request, void *argument)
{
	struct fault_event event = { .place = FAULT_IOCTL };
	struct request_layout layout;
	struct fault_effect effect;
	int result;

	fault_event_set(&event, NUMBER_WHICH, request);
	effect = faults_find(&emulated->faults, &event);
	if (effect.action == ACTION_ERROR)
		return -(int)effect.value;
	if (effect.action == ACTION_RETURN)
		return (int)effect.value;
	if (tpmi_knows(&emulated->server, request))
		result = tpmi_request(emulated, request, argument);
	else if (batch_registered(emulated->server.platform, request))
		result = argument ? batch_run(emulated, request, argument) : -EFAULT;
	else if (batch_layout(request, &layout))
		result = -ENOTTY; /* no transport for it */
	else
		result = run_other(emulated, request, argument);
	faults_finish(&effect);
	return result;
}

/* ---- The device ---- */

static size_t find_descriptor(const struct emulated *emulated, int descriptor)
{
	size_t i = 0;

	while (i < emulated->descriptor_count && emulated->descriptors[i] != descriptor)
		i++;
	return i;
}

/** A real descriptor represents the device's, so that its number is unique. */
static int add_descriptor(struct emulated *emulated)
{
	int *descriptors = reallocarray(emulated->descriptors, emulated->descriptor_count + 1,
					sizeof(*descriptors));
	int descriptor;

	if (!descriptors)
		return -ENOMEM;
	emulated->descriptors = descriptors;
	descriptor = keep_off_streams(open("/dev/null", O_RDWR | O_CLOEXEC));
	if (descriptor < 0)
		return -errno;
	descriptors[emulated->descriptor_count++] = descriptor;
	return descriptor;
}

static int device_open(void *data)
{
	const struct fault_event event = { .place = FAULT_OPEN };
	struct emulated *emulated = data;
	struct fault_effect effect;
	int result = call_begin(emulated);

	if (result)
		return result;
	state_count(&emulated->server.head->statistics.device_opens, 1);
	effect = faults_find(&emulated->faults, &event);
	if (effect.action == ACTION_ERROR)
		result = -(int)effect.value;
	else if (!emulated->server.platform->node.value)
		result = -ENOENT;
	else
		result = add_descriptor(emulated);
	faults_finish(&effect);
	call_end(emulated);
	return result;
}

static int device_ioctl(void *data, int descriptor, unsigned long request, void *argument)
{
	struct emulated *emulated = data;
	int result;

	if (find_descriptor(emulated, descriptor) == emulated->descriptor_count)
		return -EBADF;
	result = call_begin(emulated);
	if (result)
		return result;
	state_count(&emulated->server.head->statistics.driver_calls, 1);
	result = dispatch_request(emulated, request, argument);
	call_end(emulated);
	return result;
}

static int device_close(void *data, int descriptor)
{
	struct emulated *emulated = data;
	size_t index = find_descriptor(emulated, descriptor);

	if (index == emulated->descriptor_count)
		return -EBADF;
	emulated->descriptors[index] = emulated->descriptors[--emulated->descriptor_count];
	close(descriptor);
	return 0;
}

void device_close_all(struct emulated *emulated)
{
	while (emulated->descriptor_count > 0)
		device_close(emulated, emulated->descriptors[0]);
	free(emulated->descriptors);
	emulated->descriptors = NULL;
}

const struct device_operations emulated_device = {
	.open = device_open,
	.ioctl = device_ioctl,
	.close = device_close,
};
