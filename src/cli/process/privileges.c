/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lends no privileges to what the caller names, and gives up those that are not needed. The latter
 * is to be done once everything is open for which they were needed: the device, and the library's
 * cache.
 *
 * The program may have more privileges than its caller: set-uid, or by file capabilities. Those are
 * for the device and the kernel's files. The file of --out is opened with the caller's own rights,
 * and emulated machines, platform files and captures, which are files of the caller's choice
 * throughout, are refused altogether (machine.c).
 *
 * What is left to do after that:
 *  - A reading run asks the open device, which looks at credentials for writes only, and reads
 *    files of the kernel that everybody may read. It needs no capability.
 *  - A changing run needs CAP_SYS_ADMIN, which the driver asks for at some writes; and it opens
 *    files of the kernel for writing, all of which belong to root: a caller who is not root and was
 *    given capabilities instead needs CAP_DAC_OVERRIDE for that. So does root where it makes
 *    cgroups: their uppermost directory has no write permission, not for its owner either. When the
 *    first one asks for cpusets, kernels such as Linux 6.1 also demand CAP_SYS_NICE, since all
 *    processes move to others.
 *  - A run that reads registers of CPUs (explain) needs CAP_SYS_RAWIO, which the module msr asks
 *    for.
 * A capability that is kept is kept only if the caller has it; user ids are left alone, so that
 * root still owns what it creates in the runtime directory.
 */
#include "privileges.h"

#include <errno.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <unistd.h>

static const struct {
	cap_value_t capability;
	enum privileges_use use;
} needed[] = {
	{ CAP_SYS_ADMIN, PRIVILEGES_CHANGE },
	{ CAP_DAC_OVERRIDE, PRIVILEGES_CHANGE },
	{ CAP_SYS_NICE, PRIVILEGES_CHANGE },
	{ CAP_SYS_RAWIO, PRIVILEGES_REGISTERS },
};

/** Takes a capability over as far as the caller has it. */
static int keep(cap_t kept, cap_t held, cap_value_t capability)
{
	static const cap_flag_t flags[] = { CAP_PERMITTED, CAP_EFFECTIVE };
	cap_flag_value_t value;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (cap_get_flag(held, capability, flags[i], &value) != 0 ||
		    cap_set_flag(kept, flags[i], 1, &capability, value) != 0)
			return -errno;
	}
	return 0;
}

bool privileges_borrowed(void)
{
	/* The kernel reported all of it when it started the program: ids are not changed since. */
	return getauxval(AT_SECURE) || getauxval(AT_UID) != getauxval(AT_EUID) ||
	       getauxval(AT_GID) != getauxval(AT_EGID);
}

/** Files are then the caller's, and opened by him. The kernel reports no failure but by the id
 * that it keeps. */
static int set_file_ids(uid_t user, gid_t group)
{
	setfsgid(group);
	setfsuid(user);
	return setfsgid(group) == (int)group && setfsuid(user) == (int)user ? 0 : -EPERM;
}

static int lower_effective(void)
{
	cap_t lowered = cap_get_proc();
	int error = lowered ? 0 : -errno;

	if (!error && (cap_clear_flag(lowered, CAP_EFFECTIVE) != 0 || cap_set_proc(lowered) != 0))
		error = -errno;
	if (lowered)
		cap_free(lowered);
	return error;
}

int privileges_as_caller(struct privileges_aside *aside)
{
	int error;

	*aside = (struct privileges_aside){ .capabilities = NULL };
	if (getuid() == 0 && !privileges_borrowed())
		return 0;
	aside->capabilities = cap_get_proc();
	if (!aside->capabilities)
		return -errno;
	error = set_file_ids(getuid(), getgid());
	if (!error)
		error = lower_effective();
	if (error)
		(void)privileges_again(aside);
	return error;
}

int privileges_again(struct privileges_aside *aside)
{
	int error = 0;

	if (!aside->capabilities)
		return 0;
	error = set_file_ids(geteuid(), getegid());
	if (cap_set_proc(aside->capabilities) != 0)
		error = -errno;
	cap_free(aside->capabilities);
	aside->capabilities = NULL;
	return error;
}

int privileges_gain_none(void)
{
	for (cap_value_t i = 0; privileges_borrowed() && prctl(PR_CAPBSET_READ, i) >= 0; i++)
		(void)prctl(PR_CAPBSET_DROP, i);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ? -errno : 0;
}

/** What a run keeps of what it has; to be freed. NULL: errno has the cause. */
static cap_t find_needed(enum privileges_use use, cap_t held)
{
	cap_t kept = cap_dup(held);
	int error = kept && cap_clear(kept) == 0 ? 0 : -errno;

	for (size_t i = 0; !error && i < sizeof(needed) / sizeof(needed[0]); i++)
		if (needed[i].use == use)
			error = keep(kept, held, needed[i].capability);
	if (!error)
		return kept;
	if (kept)
		cap_free(kept);
	errno = -error;
	return NULL;
}

int privileges_drop(enum privileges_use use)
{
	cap_t held = cap_get_proc(), kept = held ? find_needed(use, held) : NULL;
	int error = kept ? privileges_gain_none() : -errno;

	/* A sandbox that leaves no more may deny the call (packaging/system/sandbox.conf). */
	if (!error && cap_compare(held, kept) != 0 && cap_set_proc(kept) != 0)
		error = -errno;
	if (held)
		cap_free(held);
	if (kept)
		cap_free(kept);
	return error;
}
