/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading for the units of a run, in one call for all of them, and reporting unit by unit. Must not
 * know features or output formats.
 */
#ifndef ISST_CLI_READING_H
#define ISST_CLI_READING_H

#include "run.h"

/** One of the library's functions that read. */
typedef int (*reader)(struct isst_context *context, const struct isst_targets *targets,
		      const struct isst_request *request, unsigned int flags,
		      struct isst_results **results);

/** What is asked of the units' domains. */
struct question {
	reader read;
	unsigned int flags;
	/* The one value of the request, by an option, where that is given. */
	int value;
	enum option_id option;
};

/** The targets of the run's domains, or of its units' CPUs; to be freed. NULL: an error is
 * reported. */
struct isst_targets *domain_targets(struct run *run);
struct isst_targets *cpu_targets(struct run *run);

/** Reads for the run's domains, whose slots the results' targets are. To be freed; NULL: an error
 * is reported. */
struct isst_results *read_domains(struct run *run, const struct question *question);

/** Reads one result for each domain, and shows it for each unit; where there is none, the cause.
 */
void show_domains(struct run *run, const struct question *question,
		  void (*show)(struct report_node *unit, const struct isst_result *result));

/** Reports a value of a result if the machine has it; as not known if it could not be read. */
void report_value(struct report_node *parent, enum key_id key, const struct isst_result *result,
		  int id);
void report_value_at(struct report_node *parent, enum key_id key, const struct isst_result *result,
		     int id, unsigned int row, unsigned int column);
void report_flag(struct report_node *parent, enum key_id key, const struct isst_result *result,
		 int id);

/** A value of a result, 0 if it is not known. */
unsigned int value_of(const struct isst_result *result, int id);

/** Whether it is known. */
bool has_value(const struct isst_result *result, int id);

/** A set of CPUs of a result; NULL if it is not known. */
const struct isst_cpuset *cpus_of(const struct isst_result *result, int id);

#endif
