/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine as the two seams and the public operations share it. */
#ifndef EMULATOR_FRONT_H
#define EMULATOR_FRONT_H

#include "base/machine.h"
#include "emulator/front/faults.h"
#include "emulator/front/files.h"
#include "emulator/kernel/kernel.h"

struct emulated {
	struct server server; /* the first: what is below the front knows of no more */
	struct isst_machine machine;
	struct faults faults;
	char *run_path;
	int *descriptors; /* of the device */
	size_t descriptor_count;
	bool kept; /* the lock, by files_look() and its like */
};

/* ---- machine.c ---- */

/** Opens a machine. Returns 0 or a negative errno with *@error set. */
int emulated_open(const struct isst_emulator_target *target, struct emulated **opened,
		  char **error);
void emulated_close(struct emulated *emulated);

/* ---- calls.c: how driver calls and file operations begin and end, and privileges ---- */

/** Takes the lock (held if it returns 0), runs what is due, reads the fault rules. */
int call_begin(struct emulated *emulated);
/** Lets other agents act where a rule asked for it, and gives the lock back. */
void call_end(struct emulated *emulated);
/** struct server's may_administer: CAP_SYS_ADMIN, as the driver asks. */
bool caller_may_administer(struct server *server);
/** isst_machine.capable */
int machine_capable(void *data, int capability);

/* ---- files.c, driver.c: the two seams ---- */

extern const struct files_operations emulated_files;
extern const struct device_operations emulated_device;
/** isst_machine.measure: no time passes. */
int files_measure(void *data, unsigned int cpu, unsigned int milliseconds, uint64_t *khz);
void device_close_all(struct emulated *emulated);

/** Of a batch what comes before its entries, which the driver copies one by one; else all. */
struct request_layout {
	size_t head, entry; /* bytes; no entry: it is no batch */
	size_t count_bytes; /* with which the head begins */
	unsigned int most;  /* entries */
	bool all_or_error;  /* the call returns no count of entries */
	int fault;	    /* what it returns where addresses are wrong */
};

/** What a request takes of the caller's memory, which may be at wrong addresses. Returns false for
 * one that takes none. */
bool driver_layout(const struct server *server, unsigned long code, struct request_layout *layout);

#endif
