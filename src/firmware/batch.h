/* SPDX-License-Identifier: BSD-3-Clause */
/* Planned requests, and layouts: which bits of an answer go into which member of a result. Knows no
 * particular command or register. */
#ifndef ISST_FIRMWARE_BATCH_H
#define ISST_FIRMWARE_BATCH_H

#include "driver/abi.h"
#include "firmware/firmware.h"

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
	REQUEST_TPMI,	     /* a structure of the TPMI interface, each a call of its own */
	REQUEST_ASSOCIATION, /* CLOS of a core by TPMI, in batches */
	REQUEST_KINDS
};

struct tpmi_request;
struct tpmi_run;

/** A command that reads or writes: how it is sent, and what its reply holds. */
struct firmware_command {
	const char *name; /* what it reads or writes, for messages */
	enum request_kind kind;
	/* Mailbox codes; @code is the register for MMIO and MSR, @sub_code the setting for TPMI. */
	unsigned int code, sub_code;
	bool writes;
	bool optional;		     /* firmware may not know it (ENXIO): its values are absent */
	bool newer;		     /* nor older kernels (EINVAL) */
	bool refused_if_unsupported; /* firmware that refuses it does not have the feature at all */
	bool decisive;		     /* decides or makes a change: see struct firmware_batch */
	const struct field *fields;
	size_t field_count;
	/* REQUEST_TPMI: sends it, and fills in the result. Returns 0 or the driver's negative
	 * errno. */
	int (*ask)(struct tpmi_run *run, const struct tpmi_request *request);
	const char *causes; /* of a refusal that the driver does not explain; NULL: unknown */
};

#define FIELDS(table) .fields = (table), .field_count = sizeof(table) / sizeof((table)[0])

/** What the requests of one domain have in common. */
struct query_scope {
	struct firmware_batch *batch;
	const struct isst_domain *domain;
	int level; /* that is queried, -1 for none */
	struct isst_failure *failure;
	unsigned int setter; /* the CPU that carries writes by mailbox */
};

#define LEVEL_SCOPE(batch, domain, level, failure) \
	(&(struct query_scope){ (batch), (domain), (int)(level), (failure), 0 })
#define DOMAIN_SCOPE(batch, domain, failure) LEVEL_SCOPE(batch, domain, -1, failure)
#define RESULT_SCOPE(batch, result) DOMAIN_SCOPE(batch, (result)->domain, &(result)->failure)

static inline struct query_scope level_scope(struct firmware_batch *batch,
					     const struct level_request *request)
{
	struct isst_level *level = request->level;

	return *LEVEL_SCOPE(batch, level->domain, level->level, &level->failure);
}

/** How the structures of the TPMI interface name a domain. */
#define OF_DOMAIN(domain) \
	.socket_id = (uint8_t)(domain)->package, .power_domain_id = (uint8_t)(domain)->number

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

/** The TPMI requests of a batch, over all its runs: several answers come out of one, so these are
 * kept until something is written. */
struct tpmi_run {
	struct driver *driver;
	struct tpmi_summary {
		const struct isst_domain *domain;
		struct abi_perf_level_info info;
	} * summaries;
	size_t summary_count;
	struct abi_core_power *core_powers;
	size_t core_power_count;
};

/** The summary of levels, and the state of core-power, of a domain: each is asked for once. Returns
 * 0 or the driver's negative errno. */
int tpmi_summary(struct tpmi_run *run, const struct isst_domain *domain,
		 struct abi_perf_level_info *info);
int tpmi_core_power(struct tpmi_run *run, const struct isst_domain *domain,
		    struct abi_core_power *state);

struct firmware_batch {
	struct firmware *firmware;
	/* Reads do not interrupt isolated or nohz_full CPUs if the domain has others. */
	bool leaves_alone;
	/* Reads decide a change: mailbox commands, which others send, too, are sent twice, and
	 * again where the answers differ. */
	bool confirms;
	struct request *requests;
	size_t count;
	struct tpmi_run tpmi;
};

/**
 * Plans to read something into @result, or to write @value. Returns 0 or -ENOMEM.
 *
 * @parameter: of the mailbox command; what is added to the MMIO register; the level, CLOS or core
 * @value: the mailbox command's data, where it reads, too
 */
int firmware_plan(const struct query_scope *scope, const struct firmware_command *command,
		  uint32_t parameter, uint64_t value, void *result);

#endif
