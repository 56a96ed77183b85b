/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver's TPMI requests and the firmware behind them. The effects of fault rules on a request
 * are passed from above as a value.
 */
#ifndef EMULATOR_FIRMWARE_TPMI_H
#define EMULATOR_FIRMWARE_TPMI_H

#include "emulator/firmware/firmware.h"

enum { TPMI_FEATURE_BF = 1, TPMI_FEATURE_TF = 2 };
enum { TPMI_MOST_ASSOCIATIONS = 64 };			     /* of a CLOS_ASSOC */
enum { TPMI_HAS_CORE_POWER = 1, TPMI_HAS_PERF_PROFILE = 2 }; /* capabilities */

/** What firmware does with what is set. */
struct tpmi_conduct {
	enum { TPMI_ACTS, TPMI_REFUSES, TPMI_DEFERS } what;
	uint64_t value; /* error code; milliseconds */
};

/** Whom and what a request is about. */
struct tpmi_subject {
	bool sets, has_domain, has_data;
	unsigned int socket, power_domain;
	uint64_t data;
};

/* ---- tpmi.c ---- */

/** Whether the driver knows a TPMI request of that code. */
bool tpmi_knows(const struct server *server, unsigned long code);
/** The size of the structure of a request that is not CLOS_ASSOC; 0: there is no such request. */
size_t tpmi_request_size(unsigned long code);
/** A request that is not CLOS_ASSOC. */
struct tpmi_subject tpmi_subject(const struct server *server, unsigned long code,
				 const void *argument);
/** The index of the first power domain of a socket, or of the next one there is. */
size_t tpmi_find_socket(const struct server *server, unsigned int socket);
/** Whether there is such a power domain, absent ones included; *@index is that of the domain. */
bool tpmi_find_slot(const struct server *server, unsigned int socket, unsigned int power_domain,
		    size_t *index);
/* These return 0 or the driver's negative errno, which tpmi_masked() makes what callers get. */
int tpmi_run(struct server *server, unsigned long code, void *argument,
	     const struct tpmi_conduct *conduct);
/** What is wrong with a CLOS_ASSOC as a whole. */
int tpmi_associations_mistake(struct server *server, const struct abi_clos_assoc_cmds *batch);
/** One entry of it. */
int tpmi_associate(struct server *server, struct abi_clos_assoc *one, bool set,
		   const struct tpmi_conduct *conduct);
/** In 6.12 and 7.2 the cause of a failure gets lost on its way to the caller. */
int tpmi_masked(const struct server *server, int result);
/** Carries out what a request has left to be done later. */
void tpmi_run_deferred(struct server *server, unsigned long code, const void *entry);

/* ---- tpmi_queries.c: requests that only read ---- */

struct tpmi_call {
	struct server *server;
	size_t domain; /* index */
	struct tpmi_registers registers;
	const struct tpmi_conduct *conduct;
};

/* Each fills in the structure of its request, for a power domain that is there. Returns 0 or the
 * driver's negative errno. */
int query_perf_levels(struct tpmi_call *call, void *argument);
int query_level(struct tpmi_call *call, void *argument);
int query_level_mask(struct tpmi_call *call, void *argument);
int query_base_freq(struct tpmi_call *call, void *argument);
int query_base_freq_mask(struct tpmi_call *call, void *argument);
int query_turbo_freq(struct tpmi_call *call, void *argument);
int query_fabric(struct tpmi_call *call, void *argument);

/* ---- tpmi_firmware.c: what firmware makes of the control registers ---- */

/** Looks at the control registers and answers in those of the status. */
void firmware_perf_profile(struct server *server, size_t domain);
void firmware_core_power(struct server *server, size_t domain);
/* Answer what is in the control register with this error, and leave the rest as it is. */
void firmware_refuse_level(struct server *server, size_t domain, unsigned int error);
void firmware_refuse_features(struct server *server, size_t domain, unsigned int error);

#endif
