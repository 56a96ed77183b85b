/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of values: name, unit and type of each, and where it is in what the features read.
 * Knows nothing of how it was read.
 */
#ifndef ISST_LIBRARY_VALUES_H
#define ISST_LIBRARY_VALUES_H

#include "features/features.h"

/** What a result consists of, each of one struct. */
enum source {
	SOURCE_PERF_PROFILE, /* struct isst_perf_profile */
	SOURCE_LEVEL,	     /* struct isst_level: which one, and features */
	SOURCE_PROPERTIES,   /* the same: the rest */
	SOURCE_BASE_FREQ,    /* struct isst_base_freq */
	SOURCE_TURBO_FREQ,   /* struct isst_turbo_freq */
	SOURCE_CORE_POWER,   /* struct isst_core_power */
	SOURCE_CLOS_USE,     /* the same: the use of CLOS */
	SOURCE_CLOS,	     /* struct isst_clos: which one */
	SOURCE_CLOS_CONFIG,  /* the same: the rest */
	SOURCE_ASSOCIATION,  /* struct isst_clos_association */
	SOURCE_LIMITS,	     /* struct isst_turbo_ratio_limits */
	SOURCE_UNCORE,	     /* struct uncore_values */
	SOURCE_SCALING,	     /* struct scaling_limits */
	SOURCE_RUNNING,	     /* struct cpu_running: the frequency */
	SOURCE_REASONS,	     /* the same: what has limited it */
	SOURCE_POWER,	     /* struct domain_power */
	SOURCES,
	SOURCE_REQUEST = SOURCES, /* no result has it, requests may */
};

/** Limits of the uncore of a domain, by fabric. */
struct uncore_values {
	const struct isst_domain *domain;
	struct isst_failure failure;
	struct uncore_limits fabric[ISST_FABRICS];
};

/** How a value is kept in its struct. */
enum store {
	STORE_NUMBER,  /* unsigned int */
	STORE_FLAG,    /* bool */
	STORE_ENUM,    /* of four bytes */
	STORE_STATE,   /* enum isst_feature_state */
	STORE_BITS,    /* uint64_t */
	STORE_VALUE,   /* struct isst_value */
	STORE_KHZ,     /* uint64_t */
	STORE_CPUS,    /* struct isst_cpuset *, NULL if unknown */
	STORE_NOWHERE, /* of requests alone */
};

struct value_row {
	int id;
	const char *name, *unit;
	enum isst_type type;
	enum source source;
	enum store store;
	bool of_requests;
	bool zero_is_none; /* 0 stands for no value */
	/* Where the struct has it. */
	size_t offset;
	unsigned int rows, columns; /* 0: one */
	size_t row_size, column_size;
	/* Where not 0, the offset of a set of CPUs, or number of columns, that the value needs. */
	size_t needs_cpus, column_count;
	/* Where not 0, the offset of the failure of a row, and of what stands for no value. */
	size_t row_failure, none_at;
};

/** The row of a value, or that of the sources in a mask; NULL if there is none. */
const struct value_row *value_row(int id);
const struct value_row *value_row_of(int id, unsigned int sources);

#endif
