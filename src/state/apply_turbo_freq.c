/* SPDX-License-Identifier: BSD-3-Clause */
/* What turbo-freq needs beside itself, and what it leaves behind. */
#include "features/low_limits.h"
#include "features/planning.h"
#include "state/apply_parts.h"
#include "topology/context.h"
#include "transaction/report.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

static bool package_has_limits(const struct wanted *wanted, unsigned int package)
{
	for (size_t i = 0; i < wanted->count; i++)
		if (wanted->items[i].item.kind == ITEM_TURBO_RATIO_LIMITS &&
		    wanted->items[i].domain->package == package)
			return true;
	return false;
}

void wanted_warn_of_turbo_ratio_limits(const struct wanted *wanted, struct isst_change *change)
{
	for (size_t i = 0; i < wanted->count; i++) {
		const struct wanted_item *item = &wanted->items[i];
		unsigned int package = item->domain->package;

		if (item->subject == SUBJECT_TURBO_FREQ && !item->bits &&
		    !isst_domain_is_io(item->domain) && !wanted_changes_level(wanted, item) &&
		    feature_is_on(&wanted_facts(wanted, item->domain)->specified,
				  FEATURE_TURBO_FREQ) &&
		    context_has_power_domains(wanted->context) &&
		    wanted_turbo_freq_on(wanted, package) && !package_has_limits(wanted, package))
			change_warn(change, ISST_WARNING_TURBO_RATIO_LIMITS_KEPT,
				    "package %u: turbo-freq stays enabled in another power domain: "
				    "the turbo ratio limits of the package are left unchanged",
				    package);
	}
}

/** Whether core-power is on in a domain once all is as stated. */
static bool has_core_power(const struct wanted *wanted, const struct isst_domain *domain)
{
	for (size_t i = 0; i < wanted->count; i++)
		if (wanted->items[i].subject == SUBJECT_CORE_POWER &&
		    wanted->items[i].domain == domain)
			return wanted->items[i].bits;
	return wanted_facts(wanted, domain)->core_power.enabled;
}

/** Whether turbo-freq gets the priorities that it goes by is known of some machines alone. */
static void warn_of_core_power(const struct wanted *wanted, struct isst_change *change,
			       const struct isst_domain *domain)
{
	const struct isst_core_power *state = &wanted_facts(wanted, domain)->core_power;

	if (!isst_domain_is_io(domain) && !state->failure.error && state->supported &&
	    !has_core_power(wanted, domain))
		change_warn(change, ISST_WARNING_TURBO_FREQ_WITHOUT_CORE_POWER,
			    "package %u: turbo-freq is enabled without core-power: %s",
			    domain->package,
			    wanted->context->firmware.operations->turbo_freq_uses_clos
				    ? "limits and priorities of classes of service count all the "
				      "same, as on servers that were measured"
				    : "it is not known whether limits and priorities of classes of "
				      "service count");
}

/** Turbo frequencies are of use only while turbo is enabled. A machine may have been in that state
 * nevertheless, which it then gets back. */
int wanted_check_turbo(struct wanted *wanted, struct isst_change *change)
{
	struct domain_request *requests = calloc(wanted->count + 1, sizeof(*requests));
	const struct setting **settings = calloc(wanted->count + 1, sizeof(*settings));
	size_t count = 0;
	int error = requests && settings ? 0 : -ENOMEM;

	for (size_t i = 0; i < wanted->count && !error; i++)
		if (wanted_enables_turbo_freq(wanted, &wanted->items[i])) {
			settings[count] = wanted->items[i].setting;
			requests[count++].domain = wanted->items[i].domain;
		}
	if (!error && count > 0) {
		error = turbo_freq_check_turbo(change, requests, count);
		warn_of_cpufreq(change, requests, count);
	}
	for (size_t i = 0; i < count && !error; i++) {
		warn_of_core_power(wanted, change, requests[i].domain);
		if (requests[i].failure.error)
			error = wanted_fails(wanted, settings[i], requests[i].domain,
					     &requests[i].failure);
	}
	free(requests);
	free(settings);
	return error;
}

/* ---- What holds cores back ---- */

/** The register is the package's where there are power domains, so one line for each package. */
static void warn_of_ratio_limits(const struct wanted *wanted, struct isst_change *change)
{
	bool shared = context_has_power_domains(wanted->context);
	unsigned int last = UINT_MAX;

	for (size_t i = 0; i < wanted->count; i++) {
		const struct wanted_item *item = &wanted->items[i];
		const struct domain_facts *facts = wanted_facts(wanted, item->domain);
		bool on = shared ? wanted_turbo_freq_on(wanted, item->domain->package)
				 : wanted_domain_turbo_freq_on(wanted, facts);

		if (item->item.kind != ITEM_TURBO_RATIO_LIMITS || !on ||
		    !facts_hold_back(facts, item->bits) ||
		    (shared && item->domain->package == last) ||
		    configuration_is_state(wanted->configuration, item->setting->origin.source))
			continue;
		last = item->domain->package;
		change_warn(
			change, ISST_WARNING_TURBO_RATIO_LIMITS_LOW,
			"%s: turbo-freq stays enabled, and the turbo ratio limits hold its high "
			"priority cores back: disable turbo-freq as well, or state turbo-ratio-limits none",
			item->domain->name);
	}
}

int wanted_warn_of_held_cores(struct wanted *wanted, struct isst_change *change)
{
	struct low_limits low = { 0 };
	int error = 0;

	warn_of_ratio_limits(wanted, change);
	for (size_t i = 0; i < wanted->facts.count && wanted->high_priority && !error; i++)
		if (!isst_domain_is_io(wanted->facts.domains[i].domain))
			error = low_limits_find(change, &wanted->facts.domains[i].specified,
						wanted->high_priority, &low);
	if (!error)
		error = low_limits_warn(change, &low);
	low_limits_clear(&low);
	return error;
}
