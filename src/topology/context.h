/* SPDX-License-Identifier: BSD-3-Clause */
/* What a context holds; for the rooms above, which all work on one. */
#ifndef ISST_TOPOLOGY_CONTEXT_H
#define ISST_TOPOLOGY_CONTEXT_H

#include "base/messages.h"
#include "driver/driver.h"
#include "firmware/firmware.h"
#include "isst.h"
#include "sysfs/kernel_files.h"
#include "topology/topology.h"

struct isst_context {
	struct isst_machine *machine;
	struct messages messages;
	struct isst_platform platform;
	struct driver driver;
	struct kernel_files files;
	struct firmware firmware;
	struct topology *topology; /* NULL until discovered */
	/* Descriptors that hold the lock, and that of the device; -1: none. */
	int lock, device_lock;
	bool keep_journal; /* of an interrupted run: it is looked at, and not rolled back by itself */
};

/** Whether packages consist of power domains, which share what is the package's. */
static inline bool context_has_power_domains(const struct isst_context *context)
{
	return context->firmware.operations && context->firmware.operations->valid_domains;
}

/** Discovers the topology (again, after CPUs went on- or offline). Returns 0 or a negative errno.
 */
int context_discover_topology(struct isst_context *context);

#endif
