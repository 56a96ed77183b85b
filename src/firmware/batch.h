/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Planned requests and how their answers become results: a layout describes which bits of an answer
 * go into which member of a result. Shared by the firmware interfaces; knows no particular command
 * or register.
 */
#ifndef ISST_FIRMWARE_BATCH_H
#define ISST_FIRMWARE_BATCH_H

#include "driver/abi.h"
#include "firmware/firmware.h"

struct driver;

enum field_kind {
	FIELD_NUMBER,	     /* unsigned int */
	FIELD_LONG,	     /* uint64_t */
	FIELD_FLAG,	     /* bool */
	FIELD_VALUE,	     /* struct isst_value */
	FIELD_NONZERO_VALUE, /* struct isst_value, absent where the hardware reports 0 */
};

/** Bits high..low of an answer, times a scale, go to the member at @offset of the result. */
struct field {
	unsigned int high, low;
	enum field_kind kind;
	unsigned int scale;
	size_t offset;
};

enum request_kind {
	REQUEST_MAILBOX,
	REQUEST_IO,
	REQUEST_MSR,
	REQUEST_TPMI, /* one of the structures of the TPMI interface, each a call of its own */
	REQUEST_ASSOCIATION, /* CLOS of a core by TPMI, in batches */
	REQUEST_KINDS
};

struct tpmi_request;
struct tpmi_run;

/** A command that reads or writes: how it is sent, and what its reply holds. */
struct firmware_command {
	const char *name; /* what it reads or writes, for messages */
	enum request_kind kind;
	/* Of the mailbox; @code is the register for MMIO and MSR, @sub_code the setting for TPMI.
	 */
	unsigned int code, sub_code;
	bool writes;
	/* Firmware may not know it (ENXIO): then its values are absent, which is no failure. */
	bool optional;
	bool newer; /* and older kernels do not let it through (EINVAL), which is the same */
	/* Firmware that refuses it does not have the feature at all. */
	bool refused_if_unsupported;
	bool any_clos; /* REQUEST_ASSOCIATION: also one that does not exist is an answer */
	bool decisive; /* a change is decided by it, or writes it: see firmware_confirm() */
	const struct field *fields;
	size_t field_count;
	/* REQUEST_TPMI: asks, and fills in or writes. Returns 0 or the driver's negative errno. */
	int (*ask)(struct tpmi_run *run, const struct tpmi_request *request);
	const char *causes; /* of a refusal that the driver does not explain; NULL: not known */
};

#define FIELDS(table) .fields = (table), .field_count = sizeof(table) / sizeof((table)[0])

/** What the requests of one domain have in common. */
struct query_scope {
	struct firmware_batch *batch;
	const struct isst_domain *domain;
	int level; /* that is queried, -1 for none */
	struct isst_failure *failure;
};

static inline struct query_scope level_scope(struct firmware_batch *batch,
					     const struct level_request *request)
{
	struct isst_level *level = request->level;

	return (struct query_scope){ batch, level->domain, (int)level->level, &level->failure };
}

/** How the structures of the TPMI interface name a domain. */
#define OF_DOMAIN(domain) \
	.socket_id = (uint8_t)(domain)->package, .power_domain_id = (uint8_t)(domain)->number

/** What a TPMI request is about. */
struct tpmi_request {
	const struct firmware_command *command;
	const struct isst_domain *domain;
	unsigned int index; /* level, CLOS */
	void *result;
	uint64_t value; /* to be written */
};

struct request {
	const struct firmware_command *command;
	union {
		struct abi_mbox_cmd mailbox;
		struct abi_io_reg io;
		struct abi_msr_cmd msr;
		struct tpmi_request tpmi;
		struct abi_clos_assoc association;
	};
	void *result;
	const struct isst_domain *domain;
	int level;
	struct isst_failure *failure;
};

/* ---- tpmi_run.c: TPMI requests that several answers come of. Each is sent once in the life of a
 * batch, until something is written. ---- */

/** The TPMI requests of a batch, over all its runs. */
struct tpmi_run {
	struct driver *driver;
	/* The summaries that were read: several answers come out of one. */
	struct tpmi_summary {
		const struct isst_domain *domain;
		struct abi_perf_level_info info;
	} * summaries;
	size_t summary_count;
	/* The same for the states of core-power: CLOS and associations are asked for only where
	 * there is core-power. */
	struct abi_core_power *core_powers;
	size_t core_power_count;
};

void tpmi_run_forget_core_power(struct tpmi_run *run);

/** Asks for the summary of levels of a domain, once in the life of a batch. Returns 0 or the
 * driver's negative errno. */
int tpmi_summary(struct tpmi_run *run, const struct isst_domain *domain,
		 struct abi_perf_level_info *info);

/** Asks for the state of core-power of a domain, once in the life of a batch. As above. */
int tpmi_core_power(struct tpmi_run *run, const struct isst_domain *domain,
		    struct abi_core_power *state);

/**
 * As above; -EOPNOTSUPP: there is no core-power. The kernel does not check that: it would read and
 * write what is in the place of the registers that are not there.
 */
int tpmi_check_core_power(struct tpmi_run *run, const struct isst_domain *domain,
			  struct abi_core_power *state);

/** Asks for the configuration of a CLOS; -EOPNOTSUPP: there is no core-power. */
int tpmi_clos(struct tpmi_run *run, const struct isst_domain *domain, unsigned int clos,
	      struct abi_clos_param *config);

/* ---- Batches ---- */

struct firmware_batch {
	struct firmware *firmware;
	bool leaves_alone; /* see firmware_leave_alone() */
	bool confirms;	   /* see firmware_confirm() */
	struct request *requests;
	size_t count;
	struct tpmi_run tpmi;
};

/** Each plans to read something into @result. Returns 0 or -ENOMEM. */
int firmware_plan_mailbox(const struct query_scope *scope, const struct firmware_command *command,
			  uint32_t parameter, uint32_t data, void *result);
/** @offset is added to the register. */
int firmware_plan_io(const struct query_scope *scope, const struct firmware_command *command,
		     uint32_t offset, void *result);
/** As above, to write @value through a CPU: the mailbox as command data, MMIO and MSR into the
 * register. */
int firmware_plan_write(const struct query_scope *scope, const struct firmware_command *command,
			unsigned int cpu, uint32_t parameter, uint64_t value);
int firmware_plan_msr(const struct query_scope *scope, const struct firmware_command *command,
		      void *result);
/** @index: the level or CLOS; @value: what is to be written, if the command is a write. */
int firmware_plan_tpmi(const struct query_scope *scope, const struct firmware_command *command,
		       unsigned int index, uint64_t value, void *result);
int firmware_plan_association(const struct query_scope *scope,
			      const struct firmware_command *command, unsigned int core,
			      unsigned int clos, void *result);

/** Notes that a domain has no CPU through which a register could be reached. */
void firmware_note_no_cpu(struct firmware_batch *batch, const struct isst_domain *domain,
			  struct isst_failure *failure, const char *what);

#endif
