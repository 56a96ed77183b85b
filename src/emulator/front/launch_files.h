/* SPDX-License-Identifier: BSD-3-Clause */
/* What the launcher asks for: names, kinds and permissions of files. These accesses are neither
 * counted nor subject to fault rules. Paths are absolute and without "..". */
#ifndef EMULATOR_LAUNCH_FILES_H
#define EMULATOR_LAUNCH_FILES_H

#include "emulator/kernel/kernel.h"

#include <sys/types.h>

struct isst_machine;

/* As kernel_look() and kernel_list(). The machine stays locked until launch_release(), for what the
 * same request asks next. */
int launch_look(const struct isst_machine *machine, const char *path, bool follow,
		struct kernel_status *status);
int launch_list(const struct isst_machine *machine, const char *path, char ***names, size_t *count);
/** What a file holds, to be freed; NULL where it cannot be read. */
char *launch_read(const struct isst_machine *machine, const char *path);
void launch_release(const struct isst_machine *machine);
/** The state directory, absolute; to be freed. */
char *launch_state(const struct isst_machine *machine);
/** Whether the state was stored, by whomever, since this was asked last. */
bool launch_has_changed(const struct isst_machine *machine);
/** Whether there is a /dev/isst_interface. */
bool launch_has_device(const struct isst_machine *machine);
/** Whether its processor has hardware P-states, enabled by the BIOS. */
bool launch_has_hwp(const struct isst_machine *machine);
/** As kernel_access(), with the privilege that the devices of MSRs ask for (CAP_SYS_RAWIO), and
 * stored. */
int launch_access(const struct isst_machine *machine, const char *path, bool write,
		  uint64_t position, uint64_t *value);
/** What happens in the place of abort(3) where a request crashes the machine's kernel. */
void launch_on_crash(const struct isst_machine *machine, void (*crash)(const char *text));

/* ---- What the driver's requests take of a program's memory, which may be at wrong addresses ----
 */

/** Of a batch what comes before its entries, which the driver copies one by one; else all. */
struct request_layout {
	size_t head, entry; /* bytes; no entry: it is no batch */
	size_t count_bytes; /* with which the head begins */
	unsigned int most;  /* entries */
	bool all_or_error;  /* the call returns no count of entries */
	int fault;	    /* what it returns where addresses are wrong */
};

/** Returns false for a request that takes none. */
bool launch_layout(const struct isst_machine *machine, unsigned long request,
		   struct request_layout *layout);

#endif
