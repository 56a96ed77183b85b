/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything of a machine that a change may write or disturb, as items with one value each, which
 * can be read, written, compared and named alike, whether firmware or a file of the kernel holds
 * them.
 */
#ifndef ISST_TRANSACTION_ITEMS_H
#define ISST_TRANSACTION_ITEMS_H

#include "isst-journal.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"

enum item_kind {
	/* Held by the firmware, for a domain; in the order of enum firmware_setting. */
	ITEM_LEVEL = SETTING_LEVEL,
	ITEM_FEATURES = SETTING_FEATURES,
	ITEM_CORE_POWER = SETTING_CORE_POWER,
	ITEM_QOS = SETTING_QOS,
	ITEM_CLOS = SETTING_CLOS,
	ITEM_ASSOCIATION = SETTING_ASSOCIATION,
	ITEM_TURBO_RATIO_LIMITS = SETTING_TURBO_RATIO_LIMITS,
	/* Held by the kernel, for a CPU. */
	ITEM_ONLINE,
	ITEM_SCALING_MAX,
	ITEM_SCALING_MIN,
	/* Held by the kernel, for a domain. */
	ITEM_UNCORE_MAX,
	ITEM_UNCORE_MIN,
	ITEM_PARTITION, /* the cpuset partition of a domain; its value is text */
	/* Held by the kernel, for the machine. */
	ITEM_CPUSETS,	    /* whether groups have the cpuset controller */
	ITEM_RCU_EXPEDITED, /* whether grace periods are expedited, while CPUs go and come */
	ITEM_CPUSET_GROUPS, /* CPUs of the groups of cgroup v1 (sysfs/cpuset_groups.h); text */
	ITEM_KINDS,
};

/** How values are written for people. */
enum value_format {
	AS_NUMBER,
	AS_WORD,
	AS_FEATURES,
	AS_SWITCH,
	AS_KHZ,
	AS_TEXT,
	/* Of fields: in the terms of configurations */
	AS_ON_OFF,
	AS_PRIORITY,
	AS_MHZ,
	AS_RATIO,
	AS_RATIO_LIMIT,
	AS_RATIOS,
};

/** What is known of a kind of items. */
struct item_row {
	const char *name;     /* in journals and saved settings */
	const char *what;     /* in messages */
	const char *index_is; /* what the index counts, where it is part of the name */
	/* The index is a CPU, and the domain not part of the name. The kernel moves such items in a
	 * known way; what becomes of others that are disturbed shows only a look. */
	bool of_cpu;
	enum value_format format;
	unsigned int settling_ms; /* which an item may take to get a value that was written */
	bool clipped;
	/* What others may have put into files: the highest number (of frequencies and texts it is
	 * known otherwise), and how many indexes there can be; 0: any. */
	uint64_t highest;
	unsigned int indexes;
};

extern const struct item_row item_kinds[ITEM_KINDS];

/** Names an item: by what the kernel and the firmware call things, so that it outlives a topology.
 */
struct item {
	enum item_kind kind;
	unsigned int package, die, domain;
	unsigned int index; /* CPU, core, CLOS; of ITEM_FEATURES the level */
};

/** An item as programs see it. */
struct isst_item {
	struct item item;
	const struct isst_domain *domain; /* NULL: of the machine, or not known at present */
};

/** A value of one as a number. */
struct item_number {
	uint64_t number;
	int error; /* -ENODATA: there is none; -EIO: it could not be read */
};

struct item_value {
	uint64_t number;
	const char *text; /* of a kind that is AS_TEXT; the context's */
};

/** The item of a kind that a domain, or one of its CPUs, cores or CLOS has: with turbo ratio limits
 * that power domains share, the item of their package. */
struct item item_of(enum item_kind kind, const struct isst_domain *domain, unsigned int index);

/** Whether a CPU is online; where it belongs is no part of that. */
static inline struct item item_of_cpu(unsigned int cpu)
{
	return (struct item){ .kind = ITEM_ONLINE, .index = cpu };
}

/** What is one of the machine as a whole. */
static inline struct item item_of_machine(enum item_kind kind)
{
	return (struct item){ .kind = kind };
}

static inline bool item_is_of_machine(const struct item *item)
{
	return item->kind == ITEM_CPUSETS || item->kind == ITEM_RCU_EXPEDITED ||
	       item->kind == ITEM_CPUSET_GROUPS;
}

/** The domain of an item that the power domains of a package share. */
enum { ALL_POWER_DOMAINS = 0xffff };

static inline bool item_is_shared(const struct item *item)
{
	return item->domain == ALL_POWER_DOMAINS;
}

/**
 * The index of an uncore limit that is that of a whole package, on TPMI platforms; its domain is
 * one of these. The kernel lets no power domain go beyond it, and a write to it sets all of them.
 * It cannot be read: what reads as its value is the widest of the power domains at the moment.
 */
enum { UNCORE_OF_PACKAGE = 0xffff };

static inline bool item_is_of_package(const struct item *item)
{
	return (item->kind == ITEM_UNCORE_MAX || item->kind == ITEM_UNCORE_MIN) &&
	       item->index == UNCORE_OF_PACKAGE;
}

/** Whether an item is one of a CPU's limits; which of two limits one of cpufreq or uncore is. */
static inline bool item_is_limit(const struct item *item)
{
	return item->kind == ITEM_SCALING_MAX || item->kind == ITEM_SCALING_MIN;
}

static inline enum cpufreq_limit item_limit(const struct item *item)
{
	return item->kind == ITEM_SCALING_MAX || item->kind == ITEM_UNCORE_MAX ? CPUFREQ_MAX
									       : CPUFREQ_MIN;
}

/** Whether items of a kind are files of the kernel, and written one by one. */
static inline bool item_is_file(enum item_kind kind)
{
	return kind > ITEM_TURBO_RATIO_LIMITS;
}

/** Whether a change can do without an item of the firmware: power domains of I/O dies claim
 * features that mean nothing there, and may refuse them. */
bool item_is_optional(const struct isst_context *context, const struct item *item);

/** Whether the index of an item means something. */
bool item_has_index(const struct item *item);

/** Whether two items are the same; the order of items, 0 for those. */
static inline bool item_is(const struct item *a, const struct item *b)
{
	/* The index of ITEM_FEATURES is part of the request, not of the name. */
	return a->kind == b->kind && a->package == b->package && a->die == b->die &&
	       a->domain == b->domain && (a->index == b->index || a->kind == ITEM_FEATURES);
}

int item_compare(const struct item *a, const struct item *b);

/** Whether two items are of the same domain, those of CPUs of the one that they name; and where one
 * that power domains share is of all those of its package. */
static inline bool item_same_domain(const struct item *a, const struct item *b)
{
	return a->package == b->package && a->die == b->die && a->domain == b->domain;
}

bool item_reaches_domain(const struct item *item, const struct item *domain);

/** The domain of an item, or NULL: of a shared one a domain that has a CPU, if there is one. */
const struct isst_domain *item_domain(const struct isst_context *context, const struct item *item);

/** Puts an item that was read from a file into the form that item_of() gives it on this machine. */
void item_normalize(const struct isst_context *context, struct item *item);

/** The item that the kernel may move with one that is written. Returns false where there is none.
 */
bool item_counterpart(const struct item *item, struct item *counterpart);

/** The kind that has a name in journals and saved settings, or ITEM_KINDS. */
enum item_kind item_kind_of(const char *name);

/** The bits of a kind's value that are known to mean something; others are left alone. */
uint64_t item_known_bits(enum item_kind kind);

/** The name of the group that holds a domain's partition, to be freed; NULL without memory. */
char *item_partition_name(const struct item *item);

/** What a message about an item is about. */
struct message_place of_item(const struct isst_context *context, const struct item *item);

/** An item, and a value of it, as programs see them. @known: what the value is can be seen. */
struct isst_item item_public(const struct isst_context *context, const struct item *item);
struct item_number item_number_of(const struct item *item, struct item_value value, bool known);

/** Returns 0 with the number, or its error. */
int item_number_get(const struct item_number *value, uint64_t *number);

/* ---- Values ---- */

bool item_value_equal(const struct item *item, struct item_value a, struct item_value b);

/** Whether @now does what @wanted was to do: a root partition serves as an isolated one. */
bool item_value_serves(const struct item *item, struct item_value now, struct item_value wanted);

/**
 * Whether firmware or kernel clip @wanted to @now. @moved: the write did change the item; one that
 * did not may have been clipped to just that, where it asked for a higher frequency.
 */
bool item_value_clipped(const struct item *item, struct item_value wanted, struct item_value now,
			bool moved);

/** Makes the text of a value, which lives as long as the context. Returns 0 or -ENOMEM. */
int item_value_set_text(struct isst_context *context, struct item_value *value, const char *text);

/** Turbo ratio limits as frequencies, the first bucket first: `3900,3600 MHz`. */
const char *ratios_text(struct messages *messages, uint64_t ratios);

/** `package 0, die 0: CLOS 2`, and a value as one reads it: texts of @messages, or of the context.
 */
const char *item_text(struct messages *messages, const struct isst_context *context,
		      const struct item *item);
const char *item_describe(struct isst_context *context, const struct item *item);
const char *item_value_text(struct messages *messages, const struct item *item,
			    struct item_value value);

/* ---- Values that a machine can have, and places ---- */

/** Whether a value is one that an item can have, wherever it is. */
bool item_value_is_plausible(const struct item *item, struct item_value value);

/** Where an item is. */
enum item_place {
	PLACE_NONE,	/* this machine has no such place */
	PLACE_OFFLINE,	/* no CPU is online by which it could be reached */
	PLACE_UNSERVED, /* of a power domain that the driver does not offer now */
	PLACE_REACHED,
};

/** Where an item of a journal is. @cpus: NULL, or where CPUs of a place that is offline are added:
 * of one that nothing is remembered of those never seen. Returns -ENOMEM or an enum item_place. */
int item_place(struct isst_context *context, const struct item *item, struct isst_cpuset *cpus);

/** Whether an item is of a core that its domain, all of whose cores are known, does not have. */
bool item_is_of_no_core(const struct isst_context *context, const struct item *item);

/** A field of a value, as configurations name it. */
struct value_field {
	enum item_kind kind;
	const char *name; /* NULL: the item's, of which it is the whole value */
	uint64_t mask;
	enum value_format format;
	const char *text; /* what messages call it where a machine has no such field */
	int fact;	  /* machines with this enum platform_fact have it; -1: all */
};

enum { ITEM_FIELDS = 5 }; /* the most of a value */

/** The fields of a CLOS: min, max, desired, epp, weight. */
extern const struct value_field *const clos_fields;

/** A part of a value, such as the weight of a CLOS, with its old and its new text. */
struct item_field {
	const char *target, *old_text, *new_text;
};

/** The name of a field of an item, without its place: `CLOS 1 max`, and its value in words. @mask:
 * of the field, or of the whole value. */
const char *item_field_name(struct messages *messages, const struct isst_context *context,
			    const struct item *item, uint64_t mask);
const char *item_field_text(struct messages *messages, const struct item *item, uint64_t mask,
			    uint64_t bits);

/** Fills in the fields that differ, or else the value as a whole; returns their number. @from: NULL
 * where it is not known. */
size_t item_fields(struct messages *messages, const struct isst_context *context,
		   const struct item *item, const struct item_value *from, struct item_value to,
		   struct item_field *fields);

#endif
