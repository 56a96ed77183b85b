/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver's device: opened late, and closed while nothing is asked for long; batches of requests
 * in the fewest calls. Knows the ABI and how calls end; nothing of what a command or register
 * means.
 */
#ifndef ISST_DRIVER_DRIVER_H
#define ISST_DRIVER_DRIVER_H

#include "driver/abi.h"

#include <stdbool.h>

struct isst_machine;
struct messages;

struct driver {
	struct isst_machine *machine;
	struct messages *messages;
	const char *modules;   /* that offer the processor's transports */
	unsigned int tries;    /* of a mailbox command that finds the mailbox busy */
	unsigned int pause_ms; /* before each mailbox command, which then travels alone */
	int descriptor;	       /* -1 while closed */
	bool suspended;	       /* closed until the next request */
	enum { REOPEN_UNKNOWN, REOPEN_POSSIBLE, REOPEN_IMPOSSIBLE } reopen;
	unsigned int max_commands;
	unsigned long opens, calls, commands; /* made so far */
};

void driver_init(struct driver *driver, struct isst_machine *machine, struct messages *messages);

/**
 * Opens the device and asks what the driver is.
 *
 * Returns 0, -EOPNOTSUPP (no device: no driver, or modules not loaded), -EPERM, or -EIO, with the
 * message set and the device closed. A device without transports (API version 0) is closed at once,
 * since an open device keeps modules from registering, and is no error here.
 */
int driver_open(struct driver *driver, struct abi_platform_info *info);

/** Meaning and remedy of a failed open of the device, set as the message.
 */
int driver_open_error(struct driver *driver, int error);

void driver_close(struct driver *driver);

/**
 * Closes the device until the next request, which opens it again: an open device keeps modules from
 * registering. It stays open where it could not be opened again, which is tried once: the caller
 * may have dropped the privileges for it.
 */
void driver_suspend(struct driver *driver);

/** Reads go on behind an entry that fails; writes stop there, and the entries behind it get
 * -ECANCELED. */
enum batch_purpose { BATCH_READS, BATCH_WRITES };

/**
 * Sends entries in the fewest calls. Each entry is completed or gets its own
 * error: a short count ends a call early, the failing entry is then sent again as the first of the
 * next call, which returns its errno. A busy mailbox is asked again, an interrupted call repeated.
 *
 * @errors: one for each entry: 0 or the driver's negative errno; -EIO for an answer that is no
 * count
 */
void driver_phy_ids(struct driver *driver, struct abi_cpu_map *entries, int *errors, size_t count);
void driver_mailbox(struct driver *driver, struct abi_mbox_cmd *entries, int *errors, size_t count,
		    enum batch_purpose purpose);
void driver_io(struct driver *driver, struct abi_io_reg *entries, int *errors, size_t count,
	       enum batch_purpose purpose);
void driver_msr(struct driver *driver, struct abi_msr_cmd *entries, int *errors, size_t count,
		enum batch_purpose purpose);

/**
 * Sends CLOS associations of cores: @purpose decides whether they are read or written. This batch
 * answers with no count: where a call fails its entries are sent again one by one, which shows
 * which of them fails. Entries whose error is set already are not sent.
 */
void driver_associations(struct driver *driver, struct abi_clos_assoc *entries, int *errors,
			 size_t count, enum batch_purpose purpose);

/**
 * Sends one TPMI request. Returns 0 or the driver's negative errno: nearly always -ENOTTY, whatever
 * the cause.
 */
int driver_request(struct driver *driver, const char *name, unsigned long request, void *message);

#endif
