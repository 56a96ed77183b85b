/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading for all targets of a run, and what is shown of it. */
#ifndef ISST_CLI_READING_H
#define ISST_CLI_READING_H

#include "run.h"

enum shown_form {
	SHOW_NUMBER,
	SHOW_STATE,
	SHOW_HEX,
	SHOW_PRIORITY,
	SHOW_FEATURE, /* enabled, disabled or unsupported */
	SHOW_BASE,    /* the base frequency, or that of the TDP ratio */
};

/** A value of a result; of a table the one in a row. The last of a list has the key KEYS. */
struct shown_value {
	enum key_id key;
	int id;
	enum shown_form form;
	unsigned int row;
};

struct question {
	int read; /* enum isst_reading */
	unsigned int flags;
	/* The one value of the request, by an option, where that is given. */
	int value;
	enum option_id option;
	/* What is shown, below a branch; KEYS: below the unit. */
	enum key_id branch;
	const struct shown_value *shown;
};

/** Targets of the run's domains; NULL: an error is reported. */
struct isst_targets *domain_targets(struct run *run);
/** Targets of the CPUs of the run's units. */
struct isst_targets *cpu_targets(const struct run *run);

/** Reads for targets, which are freed (NULL: there is nothing to do). To be freed; NULL: an error
 * is reported. */
struct isst_results *read_targets(struct run *run, struct isst_targets *targets,
				  const struct question *question);

/** In json-v2 a unit that could not be read is there: a key, or (KEYS) those of @shown, are null.
 */
void report_unread(struct run *run, const struct unit *unit, struct failure failure,
		   enum key_id key, const struct shown_value *shown);

/** Reads one result for each domain, and shows it, or its failure, for each unit. */
void show_domains(struct run *run, const struct question *question);

/** Reports a value of a result if the machine has it; as not known if it could not be read. */
void report_value_at(struct report_node *parent, enum key_id key, const struct isst_result *result,
		     int id, unsigned int row, unsigned int column);
void report_values(struct report_node *parent, const struct isst_result *result,
		   const struct shown_value *row);

/** The words for a feature's state: enabled, disabled, unsupported; NULL if it is unknown. */
const char *feature_state_word(unsigned int state);

static inline void report_value(struct report_node *parent, enum key_id key,
				const struct isst_result *result, int id)
{
	report_value_at(parent, key, result, id, 0, 0);
}

static inline unsigned int value_of(const struct isst_result *result, int id)
{
	unsigned int value;

	return isst_result_value(result, id, &value) == 0 ? value : 0;
}

static inline bool has_value(const struct isst_result *result, int id)
{
	unsigned int value;

	return isst_result_value(result, id, &value) == 0;
}

/** A set of CPUs of a result; NULL if it is not known. */
static inline const struct isst_cpuset *cpus_of(const struct isst_result *result, int id)
{
	const struct isst_cpuset *cpus;

	return isst_result_cpus(result, id, &cpus) == 0 ? cpus : NULL;
}

/** Finds the CPUs of a list with its names, to be freed; NULL: an error is reported. */
struct isst_cpuset *named_cpus_find(struct run *run, const struct cpu_list *list);

#endif
