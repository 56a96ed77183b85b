/* SPDX-License-Identifier: BSD-3-Clause */
/* From errors to exit statuses; must not know what was done. */
#include "exit_status.h"

#include <errno.h>
#include <stddef.h>

static const struct {
	int error;
	enum exit_status status;
} meanings[] = {
	{ 0, STATUS_DONE },
	{ -EOPNOTSUPP, STATUS_UNSUPPORTED },
	{ -ENODEV, STATUS_UNSUPPORTED },
	{ -EPERM, STATUS_NOT_PERMITTED },
	{ -EACCES, STATUS_NOT_PERMITTED },
	{ -EINVAL, STATUS_USAGE },
	{ -EBUSY, STATUS_BUSY },
	{ -ENOTRECOVERABLE, STATUS_ROLLBACK_INCOMPLETE },
};

/* A run over many units ends with the gravest of their statuses. */
static const int gravity[] = {
	[STATUS_DONE] = 0,
	[STATUS_USAGE] = 1,
	[STATUS_UNSUPPORTED] = 2,
	[STATUS_NOT_PERMITTED] = 3,
	[STATUS_BUSY] = 4,
	[STATUS_FAILED] = 5,
	[STATUS_ROLLBACK_INCOMPLETE] = 6,
};

static const char *const codes[] = {
	[STATUS_DONE] = "note",
	[STATUS_FAILED] = "failed",
	[STATUS_USAGE] = "usage",
	[STATUS_UNSUPPORTED] = "unsupported",
	[STATUS_NOT_PERMITTED] = "not-permitted",
	[STATUS_ROLLBACK_INCOMPLETE] = "rollback-incomplete",
	[STATUS_BUSY] = "busy",
};

const char *status_code(enum exit_status status)
{
	return codes[status];
}

const char *error_code(int error)
{
	/* Statuses are too few for who repairs a machine, or leaves it out. */
	if (error == -ENODEV)
		return "no-driver";
	if (error == -EROFS)
		return "locked";
	return status_code(status_of_error(error));
}

enum exit_status status_of_error(int error)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		if (meanings[i].error == error)
			return meanings[i].status;
	}
	return STATUS_FAILED;
}

enum exit_status status_worse(enum exit_status one, enum exit_status other)
{
	return gravity[other] > gravity[one] ? other : one;
}
