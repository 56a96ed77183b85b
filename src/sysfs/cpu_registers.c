/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers of single CPUs, by /dev/cpu/N/msr. */
#include "sysfs/cpu_registers.h"
#include "base/machine.h"
#include "base/messages.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int cpu_register_read(struct kernel_files *files, unsigned int cpu, uint32_t number,
		      uint64_t *value)
{
	struct isst_machine *machine = files->machine;
	char path[32];
	int error;

	if (!machine->files->read_register)
		return -ENOENT;
	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	error = machine->files->read_register(machine->data, path, number, value);
	files->opened++;
	files->answer = error;
	switch (error) {
	case 0:
	case -ENOMEM:
		return error;
	case -ENOENT:
	case -ENXIO: /* the device is there, the CPU is not */
		return -ENOENT;
	case -EIO: /* the processor refused the access */
		return -EOPNOTSUPP;
	case -EACCES:
	case -EPERM:
		return message_error(files->messages, -EPERM, "%s may not be read: %s", path,
				     strerror(-error));
	default:
		return message_error(files->messages, -EIO, "%s: register %#x cannot be read: %s",
				     path, number, strerror(-error));
	}
}
