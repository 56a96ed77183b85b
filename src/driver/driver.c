/* SPDX-License-Identifier: BSD-3-Clause */
/* The one place that sends requests to the driver: opening, batches, short counts, repetition. */
#include "driver/driver.h"
#include "base/machine.h"
#include "base/messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	DEFAULT_TRIES = 3,
	DEFAULT_MAX_COMMANDS = 64,
	BUSY_PAUSE_US = 1000,
	MAX_INTERRUPTIONS = 1000, /* before the first entry: a storm of signals */
};

/** A kind of batch. */
struct batch_kind {
	const char *name;
	unsigned long request;
	size_t header; /* from the count to the first entry, in bytes */
	size_t stride;
	bool mailbox; /* may be busy, and needs the pause */
};

static const struct batch_kind PHY_ID = { "GET_PHY_ID", ABI_GET_PHY_ID,
					  offsetof(struct abi_cpu_maps, cpu_map),
					  sizeof(struct abi_cpu_map), false };
static const struct batch_kind MAILBOX = { "MBOX_COMMAND", ABI_MAILBOX_COMMAND,
					   offsetof(struct abi_mbox_cmds, mbox_cmd),
					   sizeof(struct abi_mbox_cmd), true };
static const struct batch_kind IO = { "IO_CMD", ABI_IO_COMMAND,
				      offsetof(struct abi_io_regs, io_reg),
				      sizeof(struct abi_io_reg), false };
static const struct batch_kind MSR = { "MSR_COMMAND", ABI_MSR_COMMAND,
				       offsetof(struct abi_msr_cmds, msr_cmd),
				       sizeof(struct abi_msr_cmd), false };

void driver_init(struct driver *driver, struct isst_machine *machine, struct messages *messages)
{
	*driver = (struct driver){
		.machine = machine,
		.messages = messages,
		.tries = DEFAULT_TRIES,
		.descriptor = -1,
		.max_commands = DEFAULT_MAX_COMMANDS,
	};
}

static int call(struct driver *driver, unsigned long request, void *argument)
{
	struct isst_machine *machine = driver->machine;

	if (driver->suspended) {
		int answer = machine->device->open(machine->data);

		driver->opens++;
		/* The driver is gone. */
		if (answer == -ENOENT || answer == -ENXIO)
			return -ENODEV;
		if (answer < 0)
			return answer;
		driver->descriptor = answer;
		driver->suspended = false;
	}
	if (driver->descriptor < 0)
		return -EBADF;
	driver->calls++;
	return machine->device->ioctl(machine->data, driver->descriptor, request, argument);
}

static void pause_us(unsigned long us)
{
	struct timespec rest = { (time_t)(us / 1000000), (long)(us % 1000000) * 1000 };

	while (nanosleep(&rest, &rest) && errno == EINTR)
		;
}

static int driver_open_error(struct driver *driver, int error)
{
	switch (error) {
	case -ENOENT:
	case -ENXIO:
	case -ENODEV:
		if (!driver->machine->identity.intel)
			return message_error(
				driver->messages, -EOPNOTSUPP,
				"%s is missing: no Speed Select on this machine, whose "
				"processor is not from Intel",
				ABI_DEVICE_PATH);
		return message_error(
			driver->messages, -EOPNOTSUPP,
			"%s: %s: no Speed Select driver on this machine: load %s; it needs a "
			"kernel with CONFIG_INTEL_SPEED_SELECT_INTERFACE, and a processor with "
			"Intel SST, which the BIOS may have to enable",
			ABI_DEVICE_PATH, strerror(-error), driver->modules);
	case -EACCES:
	case -EPERM:
		return message_error(driver->messages, -EPERM,
				     "%s: %s; by default only root may open the device",
				     ABI_DEVICE_PATH, strerror(-error));
	default:
		return message_error(driver->messages, -EIO, "cannot open %s: %s", ABI_DEVICE_PATH,
				     strerror(-error));
	}
}

int driver_open(struct driver *driver, struct abi_platform_info *info)
{
	struct isst_machine *machine = driver->machine;
	int answer;

	driver->suspended = false;
	driver->descriptor = machine->device->open(machine->data);
	driver->opens++;
	if (driver->descriptor < 0) {
		answer = driver->descriptor;
		driver->descriptor = -1;
		return driver_open_error(driver, answer);
	}
	memset(info, 0, sizeof(*info));
	driver->commands++;
	answer = call(driver, ABI_GET_PLATFORM_INFO, info);
	if (answer != 0) {
		driver_close(driver);
		return message_error(driver->messages, -EIO,
				     "%s does not report its properties (GET_PLATFORM_INFO): %s",
				     ABI_DEVICE_PATH,
				     answer < 0 ? strerror(-answer) : "an invalid answer");
	}
	message_trace(driver->messages,
		      "platform: api_version:%u driver_version:%u max_cmds_per_ioctl:%u "
		      "mbox_supported:%u mmio_supported:%u",
		      info->api_version, info->driver_version, info->max_cmds_per_ioctl,
		      info->mbox_supported, info->mmio_supported);
	/* Above this a positive error code could be taken for a count. */
	if (info->max_cmds_per_ioctl && info->max_cmds_per_ioctl < DEFAULT_MAX_COMMANDS)
		driver->max_commands = info->max_cmds_per_ioctl;
	if (info->api_version == 0)
		driver_close(driver);
	return 0;
}

void driver_close(struct driver *driver)
{
	struct isst_machine *machine = driver->machine;
	int error;

	driver->suspended = false;
	if (driver->descriptor < 0)
		return;
	error = machine->device->close(machine->data, driver->descriptor);
	if (error)
		message_trace(driver->messages, "close: %s", strerror(-error));
	driver->descriptor = -1;
}

void driver_suspend(struct driver *driver)
{
	struct isst_machine *machine = driver->machine;

	if (driver->descriptor < 0)
		return;
	if (driver->reopen == REOPEN_UNKNOWN) {
		int descriptor = machine->device->open(machine->data);

		driver->opens++;
		if (descriptor >= 0)
			machine->device->close(machine->data, descriptor);
		driver->reopen = descriptor < 0 ? REOPEN_IMPOSSIBLE : REOPEN_POSSIBLE;
	}
	if (driver->reopen != REOPEN_POSSIBLE)
		return;
	driver_close(driver);
	driver->suspended = true;
}

/** One call for the first entries, repeated if busy or interrupted. Returns how many were
 * completed, or the negative errno of the first. */
static int send_some(struct driver *driver, const struct batch_kind *kind, char *message,
		     void *entries, size_t count)
{
	unsigned int tries = kind->mailbox ? driver->tries : 1, interruptions = 0;
	uint32_t number = (uint32_t)count;
	int answer;

	for (;;) {
		if (kind->mailbox && driver->pause_ms)
			pause_us(driver->pause_ms * 1000UL);
		memcpy(message, &number, sizeof(number));
		memcpy(message + kind->header, entries, count * kind->stride);
		driver->commands += count;
		answer = call(driver, kind->request, message);
		memcpy(entries, message + kind->header, count * kind->stride);
		if (answer == -EINTR && ++interruptions < MAX_INTERRUPTIONS)
			continue;
		if (answer != -EBUSY || --tries == 0)
			break;
		pause_us(BUSY_PAUSE_US);
	}
	message_trace(driver->messages, "%s: %zu entries, answer %d", kind->name, count, answer);
	/* Positive PCIBIOS error codes pass the driver: only a count is success. */
	if (answer == 0 || answer > (int)count)
		return -EBADMSG;
	return answer;
}

static void send_batch(struct driver *driver, const struct batch_kind *kind, void *entries,
		       int *errors, size_t count, enum batch_purpose purpose)
{
	size_t limit = kind->mailbox && driver->pause_ms ? 1 : driver->max_commands;
	char *message;
	size_t at = 0;

	if (count == 0)
		return;
	message = calloc(1, kind->header + (count < limit ? count : limit) * kind->stride);
	for (size_t i = 0; i < count; i++)
		errors[i] = -ENOMEM;
	while (message && at < count) {
		size_t some = count - at < limit ? count - at : limit;
		int answer = send_some(driver, kind, message, (char *)entries + at * kind->stride,
				       some);

		if (answer > 0) {
			memset(&errors[at], 0, (size_t)answer * sizeof(*errors));
			at += (size_t)answer;
			continue;
		}
		/* No driver serves such requests, or any. */
		do
			errors[at++] = answer;
		while ((answer == -ENOTTY || driver->descriptor < 0) && at < count);
		while (purpose == BATCH_WRITES && at < count)
			errors[at++] = -ECANCELED;
	}
	free(message);
}

void driver_phy_ids(struct driver *driver, struct abi_cpu_map *entries, int *errors, size_t count)
{
	send_batch(driver, &PHY_ID, entries, errors, count, BATCH_READS);
}

void driver_mailbox(struct driver *driver, struct abi_mbox_cmd *entries, int *errors, size_t count,
		    enum batch_purpose purpose)
{
	send_batch(driver, &MAILBOX, entries, errors, count, purpose);
	for (size_t i = 0; i < count; i++)
		message_trace(
			driver->messages,
			"mbox_send: cpu:%u command:%x sub_command:%x parameter:%x req_data:%x "
			"response:%x error:%d",
			entries[i].logical_cpu, entries[i].command, entries[i].sub_command,
			entries[i].parameter, entries[i].req_data, entries[i].resp_data, errors[i]);
}

void driver_io(struct driver *driver, struct abi_io_reg *entries, int *errors, size_t count,
	       enum batch_purpose purpose)
{
	send_batch(driver, &IO, entries, errors, count, purpose);
	for (size_t i = 0; i < count; i++)
		message_trace(driver->messages,
			      "mmio_cmd: cpu:%u reg:%x read_write:%u value:%x error:%d",
			      entries[i].logical_cpu, entries[i].reg, entries[i].read_write,
			      entries[i].value, errors[i]);
}

void driver_msr(struct driver *driver, struct abi_msr_cmd *entries, int *errors, size_t count,
		enum batch_purpose purpose)
{
	send_batch(driver, &MSR, entries, errors, count, purpose);
	for (size_t i = 0; i < count; i++)
		message_trace(driver->messages,
			      "msr_cmd: cpu:%u msr:%llx read_write:%u data:%llx error:%d",
			      entries[i].logical_cpu, (unsigned long long)entries[i].msr,
			      entries[i].read_write, (unsigned long long)entries[i].data,
			      errors[i]);
}

int driver_request(struct driver *driver, const char *name, unsigned long request, void *message)
{
	unsigned int interruptions = 0;
	int answer;

	do {
		driver->commands++;
		answer = call(driver, request, message);
	} while (answer == -EINTR && ++interruptions < MAX_INTERRUPTIONS);
	message_trace(driver->messages, "%s: answer %d", name, answer);
	return answer > 0 ? -EBADMSG : answer;
}

void driver_associations(struct driver *driver, struct abi_clos_assoc *entries, int *errors,
			 size_t count, enum batch_purpose purpose)
{
	size_t limit = driver->max_commands, at = 0, alone = 0; /* so many go one by one */
	struct abi_clos_assoc_cmds *message = malloc(sizeof(*message) +
						     limit * sizeof(message->assoc_info[0]));
	bool stopped = false;

	while (at < count) {
		size_t some = 0;
		int error;

		if (!message || stopped || errors[at]) {
			if (!errors[at])
				errors[at] = message ? -ECANCELED : -ENOMEM;
			stopped |= purpose == BATCH_WRITES;
			at++;
			continue;
		}
		while (some < (alone ? 1 : limit) && at + some < count && !errors[at + some])
			some++;
		*message = (struct abi_clos_assoc_cmds){ .cmd_count = (uint16_t)some,
							 .get_set = purpose == BATCH_WRITES,
							 .punit_cpu_map = 1 };
		memcpy(message->assoc_info, &entries[at], some * sizeof(*entries));
		driver->commands += some - 1;
		error = driver_request(driver, "CLOS_ASSOC", ABI_CLOS_ASSOC, message);
		if (!error)
			memcpy(&entries[at], message->assoc_info, some * sizeof(*entries));
		if (error && some > 1) {
			alone = some;
			continue;
		}
		alone -= alone > 0;
		errors[at] = error;
		stopped = error && purpose == BATCH_WRITES;
		at += some;
	}
	free(message);
}
