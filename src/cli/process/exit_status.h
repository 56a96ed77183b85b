/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_EXIT_STATUS_H
#define ISST_CLI_EXIT_STATUS_H

enum exit_status {
	STATUS_DONE = 0,	  /* done, or nothing to do */
	STATUS_FAILED = 1,	  /* the hardware or the system refused; nothing is left changed */
	STATUS_USAGE = 2,	  /* wrong on any machine */
	STATUS_UNSUPPORTED = 3,	  /* well-formed, but not supported on this machine */
	STATUS_NOT_PERMITTED = 4, /* not permitted */
	STATUS_ROLLBACK_INCOMPLETE = 5, /* failed, and the rollback is incomplete */
	STATUS_BUSY = 6,		/* another run holds the lock */
};

/** The status for what a library function returned: 0 or a negative errno. */
enum exit_status status_of_error(int error);

/** The word for a status, by which programs know what kind of error a message is. */
const char *status_code(enum exit_status status);

/** The same of a negative errno, which can be more exact than its status. */
const char *error_code(int error);

/** The one of two statuses that a run which met both ends with. */
enum exit_status status_worse(enum exit_status one, enum exit_status other);

#endif
