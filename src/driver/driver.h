/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver's device, and batches of requests in the fewest calls. Knows the ABI; nothing of
 * commands and registers. */
#ifndef ISST_DRIVER_DRIVER_H
#define ISST_DRIVER_DRIVER_H

#include "driver/abi.h"

#include <stdbool.h>

struct isst_machine;
struct messages;

struct driver {
	struct isst_machine *machine;
	struct messages *messages;
	const char *modules;   /* that provide the processor's transports */
	unsigned int tries;    /* of a command while the mailbox is busy */
	unsigned int pause_ms; /* before each mailbox command, which is then sent alone */
	int descriptor;	       /* -1 while closed */
	bool suspended;	       /* closed until the next request */
	enum { REOPEN_UNKNOWN, REOPEN_POSSIBLE, REOPEN_IMPOSSIBLE } reopen;
	unsigned int max_commands;
	unsigned long opens, calls, commands; /* made so far */
};

void driver_init(struct driver *driver, struct isst_machine *machine, struct messages *messages);

/**
 * Opens the device and reads the driver's properties. Returns 0, -EOPNOTSUPP (no driver, or modules
 * not loaded), -EPERM, or -EIO, with a message and the device closed. A device without transports
 * (API version 0) is no error, but closed: an open device keeps modules from registering.
 */
int driver_open(struct driver *driver, struct abi_platform_info *info);

void driver_close(struct driver *driver);

/** Closes the device until the next request, so that modules can register. It stays open if a trial
 * shows that it cannot be opened again: the caller may have dropped privileges. */
void driver_suspend(struct driver *driver);

/** Reads continue after an entry that fails; writes stop, and later entries get -ECANCELED. */
enum batch_purpose { BATCH_READS, BATCH_WRITES };

/**
 * Sends entries in the fewest calls. Each is completed or gets its own error: a short count ends a
 * call, and the failing entry is sent again first, to get its errno. Calls are repeated while the
 * mailbox is busy, and after interruptions.
 *
 * @errors: for each entry 0 or the driver's negative errno; -EBADMSG if the answer is no count
 */
void driver_phy_ids(struct driver *driver, struct abi_cpu_map *entries, int *errors, size_t count);
void driver_mailbox(struct driver *driver, struct abi_mbox_cmd *entries, int *errors, size_t count,
		    enum batch_purpose purpose);
void driver_io(struct driver *driver, struct abi_io_reg *entries, int *errors, size_t count,
	       enum batch_purpose purpose);
void driver_msr(struct driver *driver, struct abi_msr_cmd *entries, int *errors, size_t count,
		enum batch_purpose purpose);

/** Reads or writes CLOS associations of cores. The answer has no count: if a call fails its entries
 * are sent again one by one. Entries that have an error already are not sent. */
void driver_associations(struct driver *driver, struct abi_clos_assoc *entries, int *errors,
			 size_t count, enum batch_purpose purpose);

/** Sends one TPMI request. Returns 0 or the driver's errno: nearly always -ENOTTY, whatever the
 * cause. */
int driver_request(struct driver *driver, const char *name, unsigned long request, void *message);

#endif
