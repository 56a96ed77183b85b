/* SPDX-License-Identifier: BSD-3-Clause */
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

/* The word of each, and its gravity: a run over many units ends with the gravest. */
static const struct {
	const char *code;
	int gravity;
} statuses[] = {
	[STATUS_DONE] = { "note", 0 },
	[STATUS_USAGE] = { "usage", 1 },
	[STATUS_UNSUPPORTED] = { "unsupported", 2 },
	[STATUS_NOT_PERMITTED] = { "not-permitted", 3 },
	[STATUS_BUSY] = { "busy", 4 },
	[STATUS_FAILED] = { "failed", 5 },
	[STATUS_ROLLBACK_INCOMPLETE] = { "rollback-incomplete", 6 },
};

const char *status_code(enum exit_status status)
{
	return statuses[status].code;
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
	return statuses[other].gravity > statuses[one].gravity ? other : one;
}
