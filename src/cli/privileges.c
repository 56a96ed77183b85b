/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gives up capabilities. To be done once everything is open for which the caller's own rights were
 * needed: the device, the file of --out (anywhere), the library's cache, and the directory of an
 * emulated machine.
 *
 * What is left to do after that:
 *  - A reading run asks the open device, which looks at credentials for writes only, and reads
 *    files of the kernel that everybody may read. It needs no capability.
 *  - A changing run needs CAP_SYS_ADMIN, which the driver asks for at every write; and it opens
 *    files of the kernel for writing and makes cgroups, all of which belong to root: root may do so
 *    as their owner, but a caller who is not root and was given capabilities instead needs
 *    CAP_DAC_OVERRIDE for that.
 * A capability that is kept is kept only if the caller has it; user ids are left alone, so that
 * root still owns what it creates in the runtime directory.
 */
#include "privileges.h"

#include <errno.h>
#include <stddef.h>
#include <sys/capability.h>

static const cap_value_t needed_to_change[] = { CAP_SYS_ADMIN, CAP_DAC_OVERRIDE };

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

int privileges_drop(bool changing)
{
	cap_t held = cap_get_proc(), kept = cap_init();
	int error = held && kept ? 0 : -errno;

	for (size_t i = 0;
	     changing && !error && i < sizeof(needed_to_change) / sizeof(needed_to_change[0]); i++)
		error = keep(kept, held, needed_to_change[i]);
	if (!error && cap_set_proc(kept) != 0)
		error = -errno;
	if (held)
		cap_free(held);
	if (kept)
		cap_free(kept);
	return error;
}
