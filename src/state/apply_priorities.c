/* SPDX-License-Identifier: BSD-3-Clause */
/* What the priorities that are stated beside turbo-freq come to, package by package. */
#include "common/priorities.h"
#include "features/planning.h"
#include "state/apply_parts.h"
#include "topology/context.h"
#include "transaction/report.h"

/* CLOS 0 and 1 are high priority to SST-TF. */

/** The cores of a package where turbo-freq is stated to be on. */
struct priorities {
	unsigned int cores, stated, high;
	const struct isst_turbo_freq *info;
};

/** Whether turbo-freq is stated to be on in a domain. A state holds what some machine had. */
static bool states_turbo_freq(const struct wanted *wanted, const struct isst_domain *domain)
{
	for (size_t i = 0; i < wanted->count; i++) {
		const struct wanted_item *item = &wanted->items[i];

		if (item->subject == SUBJECT_TURBO_FREQ && item->domain == domain)
			return item->bits && !configuration_is_state(wanted->configuration,
								     item->setting->origin.source);
	}
	return false;
}

static void add_domain(const struct wanted *wanted, const struct domain_facts *facts,
		       struct priorities *priorities)
{
	const struct isst_domain *domain = facts->domain;

	if (!priorities->info)
		priorities->info = &facts->specified.turbo_freq_info;
	priorities->cores += domain_count_cores(wanted->context, domain, domain->present);
	for (size_t i = 0; i < wanted->count; i++)
		if (wanted->items[i].subject == SUBJECT_ASSOCIATION &&
		    wanted->items[i].domain == domain) {
			priorities->stated++;
			priorities->high += wanted->items[i].bits <= LAST_HIGH_CLOS;
		}
}

void wanted_warn_of_priorities(const struct wanted *wanted, struct isst_change *change)
{
	const struct facts *facts = &wanted->facts;

	for (size_t i = 0; i < facts->count; i++) {
		unsigned int package = facts->domains[i].domain->package;
		struct priorities priorities = { 0 };
		bool first = true;

		for (size_t j = 0; j < facts->count; j++) {
			const struct isst_domain *domain = facts->domains[j].domain;

			first &= j >= i || domain->package != package;
			if (domain->package == package && !isst_domain_is_io(domain) &&
			    states_turbo_freq(wanted, domain))
				add_domain(wanted, &facts->domains[j], &priorities);
		}
		if (!first || priorities.stated == 0)
			continue;
		if (priorities.high > 0)
			turbo_freq_warn_of_buckets(change, priorities.info, package,
						   priorities.high);
		else if (priorities.stated == priorities.cores)
			change_warn(
				change, ISST_WARNING_NO_HIGH_PRIORITY_CPUS,
				"package %u: no core is in CLOS 0 or 1: none has high priority or a "
				"higher turbo frequency",
				package);
	}
}
