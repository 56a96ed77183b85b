/* SPDX-License-Identifier: BSD-3-Clause */
/* What of core-power stays behind when it goes off: limits of CLOS, and CPUs in others than CLOS 0.
 */
#include "common/memory_stream.h"
#include "common/numbered.h"
#include "features/planning.h"
#include "topology/context.h"
#include "transaction/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/** Reports which CLOS limit frequencies. Returns false where none does, or they cannot be read. */
static bool print_limits(struct isst_context *context, const struct isst_domain *domain,
			 FILE *stream)
{
	struct isst_clos configs[ISST_CLOS_COUNT] = { 0 };
	bool any = false;

	for (unsigned int i = 0; i < ISST_CLOS_COUNT; i++) {
		configs[i].domain = domain;
		configs[i].clos = i;
	}
	if (clos_read(context, configs, ISST_CLOS_COUNT))
		return false;
	for (unsigned int i = 0; i < ISST_CLOS_COUNT; i++) {
		const struct isst_clos *config = &configs[i];

		if (config->failure.error ||
		    (config->min_mhz == 0 && config->max_mhz == ISST_CLOS_NO_LIMIT_MHZ))
			continue;
		fprintf(stream, "%sCLOS %u", any ? "; " : "", i);
		if (config->min_mhz > 0)
			fprintf(stream, " min %u MHz", config->min_mhz);
		if (config->max_mhz != ISST_CLOS_NO_LIMIT_MHZ)
			fprintf(stream, " max %u MHz", config->max_mhz);
		any = true;
	}
	return any;
}

/** The CPUs of a domain that are in a CLOS. Returns 0 or -ENOMEM. */
static int find_members(const struct isst_clos_association *associations, size_t count,
			unsigned int clos, struct isst_cpuset *members)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		if (!associations[i].failure.error && associations[i].clos == clos)
			error = isst_cpuset_add(members, associations[i].cpu->number,
						associations[i].cpu->number);
	return error;
}

static void print_members(const struct isst_clos_association *associations, size_t count,
			  unsigned int clos, bool *any, FILE *stream)
{
	struct isst_cpuset *members = isst_cpuset_new();
	char *ranges = NULL;

	if (members && find_members(associations, count, clos, members) == 0 &&
	    isst_cpuset_count(members) > 0)
		ranges = name_numbers("CPU", members);
	if (ranges) {
		fprintf(stream, "%s%s in CLOS %u", *any ? "; " : "", ranges, clos);
		*any = true;
	}
	free(ranges);
	isst_cpuset_free(members);
}

/** Reports which CPUs are in others than CLOS 0, in which they are at power-on. */
static bool print_associations(struct isst_context *context, const struct isst_domain *domain,
			       bool any, FILE *stream)
{
	size_t count = 0;
	struct isst_clos_association *associations = calloc(isst_cpuset_count(domain->online) + 1,
							    sizeof(*associations));
	unsigned int cpu;

	if (!associations)
		return any;
	isst_cpuset_for_each (cpu, domain->online)
		associations[count++].cpu = context_cpu(context, cpu);
	if (clos_association_read(context, associations, count) == 0)
		for (unsigned int clos = 1; clos < ISST_CLOS_COUNT; clos++)
			print_members(associations, count, clos, &any, stream);
	free(associations);
	return any;
}

void warn_of_clos_remains(struct isst_change *change, const struct domain_request *request,
			  bool in_force)
{
	struct memory_stream text;
	bool any;

	if (memory_stream_open(&text))
		return;
	any = print_limits(change->context, request->domain, text.stream);
	any = print_associations(change->context, request->domain, any, text.stream);
	if (memory_stream_close(&text) == 0 && any)
		change_warn(change, ISST_WARNING_CLOS_SETTINGS_KEPT,
			    "%s: %s: kept, and in effect %s", request->domain->name, text.text,
			    in_force ? "while turbo-freq is enabled"
				     : "again when core-power is enabled");
	free(text.text);
}
