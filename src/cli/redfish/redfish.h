/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Performance levels as DMTF Redfish describes them: for each package a Processor, and below it an
 * OperatingConfig for each level. docs/redfish.md lists the properties. Must not know how documents
 * are written.
 */
#ifndef ISST_CLI_REDFISH_H
#define ISST_CLI_REDFISH_H

#include "../status/machine_status.h"

/** Reads the packages of the run's targets, and makes them the document of its report. */
void redfish_report(struct run *run);

/** A package of the machine. */
struct redfish_package {
	struct machine_status *status;
	const struct isst_results *clos; /* NULL: none could be read */
	int turbo_disabled;		 /* of all packages; negative: not known */
	const char *model;		 /* of all packages; NULL: not known */
	unsigned int number;
	unsigned int domains; /* that have CPUs */
	char uri[64];	      /* of the Processor */
};

/** A level of a package; it has one in each power domain with CPUs that has the level. */
struct redfish_level {
	const struct redfish_package *package;
	unsigned int number;
	const struct isst_result **domains;
	size_t count;
};

/** Whether a unit is one of the package's power domains with CPUs, the first of its domain. */
bool redfish_has_unit(const struct redfish_package *package, const struct unit *unit);

/** Finds the results of a level; false without memory. To be cleared in any case. */
bool redfish_level_find(const struct redfish_package *package, unsigned int number,
			struct redfish_level *level);
void redfish_level_clear(struct redfish_level *level);

/** The level that all power domains of a package have in force. False: they differ, or it is not
 * known. */
bool redfish_current_level(const struct redfish_package *package, unsigned int *number);

/** Core numbers of the firmware: of a level in a power domain, and those with high priority in
 * SST-BF. To be freed; NULL: not known, or no memory, which @node's document remembers. */
struct isst_cpuset *redfish_cores(struct json *node, const struct isst_result *level);
struct isst_cpuset *redfish_high_cores(struct json *node, const struct isst_result *level,
				       const struct isst_context *context);

/** Whether the firmware counts several cores of a domain as one. */
bool redfish_has_modules(const struct redfish_package *package, const struct isst_domain *domain);
/** Whether the core numbers of the firmware are unique in a package, and those of cores. */
bool redfish_has_core_numbers(const struct redfish_package *package);

/** Adds the smallest or the largest of a value that the power domains of a level have; returns it,
 * or 0 where none has it. */
unsigned int redfish_add_least(struct json *node, const char *name,
			       const struct redfish_level *level,
			       int (*read)(const struct isst_result *level, unsigned int *value));
unsigned int redfish_add_most(struct json *node, const char *name,
			      const struct redfish_level *level,
			      int (*read)(const struct isst_result *level, unsigned int *value));

/** What several resources have. */
int redfish_base_mhz(const struct isst_result *level, unsigned int *mhz);
int redfish_max_mhz(const struct isst_result *level, unsigned int *mhz);
void redfish_add_numbers(struct json *node, const char *name, const struct isst_cpuset *numbers);
/** A resource with what every resource has; collections have no @id: NULL. */
struct json *redfish_resource(struct run *run, const char *uri, const char *type, const char *id,
			      const char *name);
/** A reference to another resource. */
void redfish_add_link(struct json *node, const char *name, const char *uri, const char *member);

/** The resources. */
void redfish_processor(const struct redfish_package *package);
void redfish_config(const struct redfish_level *level);

/** What Redfish has no word for: Oem.Isst of both. */
void redfish_processor_oem(struct json *node, const struct redfish_package *package);
void redfish_config_oem(struct json *node, const struct redfish_level *level);

#endif
