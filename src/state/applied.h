/* SPDX-License-Identifier: BSD-3-Clause */
/* The last run that applied a configuration, kept in the runtime directory for this boot. */
#ifndef ISST_STATE_APPLIED_H
#define ISST_STATE_APPLIED_H

#include "common/sha256.h"
#include "topology/context.h"

struct applied {
	int64_t time_s; /* since 1970 */
	bool succeeded;
	char digest[SHA256_DIGITS + 1];
	char *source; /* NULL: no file */
};

/** Keeps a run in place of the one before; a line end in the source becomes a blank. Returns 0,
 * -ENOMEM, -EPERM or -EIO, with a message but for -ENOMEM. */
int applied_write(struct isst_context *context, const struct applied *applied);

/** Forgets it, and what `enable --auto` of features saved: the machine was reset. Returns 0, -EPERM
 * or -EIO, with a message. */
int applied_forget(struct isst_context *context);

/** Reads what is kept; cleared by applied_clear(). Returns 0, -ENOENT (no run in this boot),
 * -ENOMEM, or another negative errno with a message: the file cannot be read or is damaged. */
int applied_read(struct isst_context *context, struct applied *applied);
void applied_clear(struct applied *applied);

#endif
