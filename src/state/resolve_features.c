/* SPDX-License-Identifier: BSD-3-Clause */
/* Levels, turbo-freq, base-freq and core-power of a configuration, as items. */
#include "features/high_priority.h"
#include "features/planning.h"
#include "firmware/platform.h"
#include "state/wanted.h"
#include "topology/context.h"

#include <errno.h>
#include <stdlib.h>

/* ---- High priority cores: where a setting counts ---- */

/** Whether a domain is known to be without what gives cores priority. */
static bool is_unsupported(const struct domain_snapshot *domain)
{
	const struct isst_failure *failure = domain->profile.failure.error
						     ? &domain->profile.failure
						     : &domain->level.failure;

	if (!domain->core_power.failure.error && !domain->core_power.supported)
		return true;
	if (domain->level.turbo_freq == ISST_FEATURE_UNKNOWN && failure->error)
		return failure->error == -EOPNOTSUPP;
	return domain->level.turbo_freq < ISST_FEATURE_DISABLED && !domain->level.features_assumed;
}

/** Passes over what is optional and not there. I/O dies follow the others of the package. */
static int drop_optional(struct wanted *wanted)
{
	const struct facts *facts = &wanted->facts;
	int error = 0;

	for (size_t i = 0; i < facts->count && !error; i++) {
		const struct domain_snapshot *domain = &facts->domains[i];
		const struct setting *setting = wanted->cores[i];

		if (!setting || !setting->optional || isst_domain_is_io(domain->domain) ||
		    !is_unsupported(domain))
			continue;
		wanted->cores[i] = NULL;
		if (domain->level.turbo_freq >= ISST_FEATURE_DISABLED ||
		    domain->level.features_assumed)
			error = wanted_reject(wanted, setting, domain->domain, -EOPNOTSUPP,
					      "core-power feature is not present");
		else
			error = wanted_reject(wanted, setting, domain->domain, -EOPNOTSUPP,
					      "turbo-freq feature is not present at level %u%s",
					      domain->level.level,
					      feature_levels_text(wanted->context, domain, 1,
								  FEATURE_TURBO_FREQ));
	}
	for (size_t i = 0; i < facts->count; i++) {
		const struct isst_domain *domain = facts->domains[i].domain;
		const struct setting *setting = wanted->cores[i];
		bool counts = !setting || !setting->optional || !isst_domain_is_io(domain);

		for (size_t j = 0; j < facts->count && !counts; j++)
			counts = wanted->cores[j] == setting &&
				 facts->domains[j].domain->package == domain->package &&
				 !isst_domain_is_io(facts->domains[j].domain);
		if (!counts)
			wanted->cores[i] = NULL;
	}
	return error;
}

/* ---- Which are chosen ---- */

/** The CPUs that are online once all is as stated, whatever the level enables. */
static int find_online(const struct wanted *wanted, const struct setting *setting,
		       struct isst_cpuset *online)
{
	const struct facts *facts = &wanted->facts;
	int error = 0;

	for (size_t i = 0; i < facts->count; i++) {
		const struct domain_snapshot *domain = &facts->domains[i];
		const struct setting *cpus = wanted_cpus(wanted, domain->domain);
		unsigned int cpu;

		if (wanted->cores[i] != setting)
			continue;
		isst_cpuset_for_each (cpu, domain->domain->present)
			if (!error && (!cpus ? isst_cpuset_has(domain->domain->online, cpu)
					     : cpus->wanted == WANTED_OF_LEVEL ||
						       wanted_online(wanted, domain, cpu)))
				error = isst_cpuset_add(online, cpu, cpu);
	}
	return error;
}

static int choose_cores(struct wanted *wanted, const struct setting *setting)
{
	struct facts *facts = &wanted->facts;
	struct core_choice choice = setting->choice;
	struct isst_cpuset *chosen, *online;
	bool any = false;
	int error;

	for (size_t i = 0; i < facts->count; i++) {
		struct domain_snapshot *domain = &facts->domains[i];

		domain->counts = !isst_domain_is_io(domain->domain) && wanted->cores[i] == setting;
		any |= domain->counts;
	}
	if (!any)
		return 0;
	online = isst_cpuset_new();
	chosen = isst_cpuset_new();
	error = chosen && online ? find_online(wanted, setting, online) : -ENOMEM;
	/* No statement allows lower turbo frequencies; those of single CPUs need no permission. */
	choice.quiet = true;
	if (!error)
		error = facts_complete(facts, LEVELS_TO_CHOOSE_BY);
	if (!error)
		error = high_priority_choose(wanted->context, facts->domains, facts->count, online,
					     &choice, chosen);
	if (!error)
		error = isst_cpuset_add_set(wanted->high_priority, chosen);
	/* A problem, unless the setting is optional and the machine without. */
	for (size_t i = 0; i < facts->count && setting->optional && error_is_absence(error); i++)
		if (wanted->cores[i] == setting)
			wanted->cores[i] = NULL;
	if (error && error != -ENOMEM && error != -EINTR)
		error = wanted_reject(wanted, setting, NULL, error, "%s",
				      isst_error(wanted->context));
	isst_cpuset_free(online);
	isst_cpuset_free(chosen);
	return error;
}

int resolve_high_priority(struct wanted *wanted)
{
	const struct configuration *configuration = wanted->configuration;
	size_t count = wanted->facts.count;
	int error;

	wanted->cores = calloc(count + 1, sizeof(struct setting *));
	error = wanted->cores ? 0 : -ENOMEM;
	for (size_t i = 0; i < count && !error; i++) {
		const struct setting *setting = domain_setting(
			wanted->context, configuration, SUBJECT_HIGH_PRIORITY,
			wanted->facts.domains[i].domain, INDEX_ALL);

		if (setting && setting->wanted == WANTED_CORES)
			wanted->cores[i] = setting;
	}
	if (!error)
		error = drop_optional(wanted);
	/* A command has chosen. */
	for (size_t i = 0; i < configuration->setting_count && !error && !wanted->is_command; i++) {
		const struct setting *setting = &configuration->settings[i];

		if (setting->subject != SUBJECT_HIGH_PRIORITY || setting->wanted != WANTED_CORES)
			continue;
		if (!wanted->high_priority)
			wanted->high_priority = isst_cpuset_new();
		error = wanted->high_priority ? choose_cores(wanted, setting) : -ENOMEM;
	}
	/* Where all settings were passed over none were asked for. */
	if (!wanted->is_command && isst_cpuset_count(wanted->high_priority) == 0) {
		isst_cpuset_free(wanted->high_priority);
		wanted->high_priority = NULL;
	}
	return error;
}

/* ---- Levels, features and core-power ---- */

int resolve_level(struct wanted *wanted, const struct domain_snapshot *domain)
{
	const struct isst_failure *failure = &domain->profile.failure;
	struct wish wish;

	if (!resolve_wish(wanted, SUBJECT_LEVEL, domain->domain, INDEX_ALL, &wish))
		return 0;
	/* An optional one. */
	if (!failure->error && wish.number != domain->level.level)
		return wanted_reject(wanted, wish.setting, domain->domain, -EOPNOTSUPP,
				     domain->profile.enabled
					     ? "level %u does not exist"
					     : "perf-profile feature is not supported: level %u "
					       "does not exist",
				     (unsigned int)wish.number);
	if (!failure->error)
		failure = &domain->level.failure;
	/* Whatever else of a level cannot be read is no reason to stay at another one. */
	if (domain->profile.failure.error || failure->error == -EOPNOTSUPP)
		return wanted_fails(wanted, wish.setting, domain->domain, failure);
	if (!domain->profile.enabled && wish.number > 0)
		return wanted_reject(wanted, wish.setting, domain->domain, -EOPNOTSUPP,
				     "perf-profile feature is not supported, only level 0 exists");
	return wanted_add(wanted, &(struct wanted_item){
					  .item = item_of(ITEM_LEVEL, domain->domain, 0),
					  .mask = UINT64_MAX,
					  .bits = wish.number,
					  .subject = SUBJECT_LEVEL,
					  .setting = wish.setting,
					  .domain = domain->domain,
					  .optional = isst_domain_is_io(domain->domain),
				  });
}

int resolve_feature(struct wanted *wanted, enum subject subject,
		    const struct domain_snapshot *domain)
{
	unsigned int feature = subject == SUBJECT_TURBO_FREQ ? FEATURE_TURBO_FREQ
							     : FEATURE_BASE_FREQ;
	enum isst_feature_state state = subject == SUBJECT_TURBO_FREQ ? domain->level.turbo_freq
								      : domain->level.base_freq;
	const struct isst_failure *failure = &domain->profile.failure;
	struct wish wish;

	if (!resolve_wish(wanted, subject, domain->domain, INDEX_ALL, &wish))
		return 0;
	/* Set up by the BIOS for good. */
	if (wanted->context->platform.preset && feature == FEATURE_BASE_FREQ) {
		if (!wish.number)
			return wanted_reject(wanted, wish.setting, domain->domain, -EOPNOTSUPP,
					     "base-freq is configured by the BIOS, and cannot "
					     "be disabled (base-freq disable only removes limits: "
					     "scaling-min none, scaling-max none)");
		/* Limits are statements of their own. */
		return wanted->stated & (1U << SUBJECT_SCALING_MIN | 1U << SUBJECT_SCALING_MAX)
			       ? 0
			       : wanted_note_unsupported(
					 wanted,
					 "base-freq is configured by the BIOS, and the limits of "
					 "cpufreq that base-freq enable sets are statements of "
					 "their own (scaling-min and scaling-max)");
	}
	if (!failure->error)
		failure = &domain->level.failure;
	if (state == ISST_FEATURE_UNKNOWN && failure->error && failure->error != -EOPNOTSUPP)
		return wanted_fails(wanted, wish.setting, domain->domain, failure);
	/* Whether another level has it is known once that is set. */
	if (state != ISST_FEATURE_ENABLED && state != ISST_FEATURE_DISABLED &&
	    !domain->level.features_assumed) {
		if (wish.number == 0)
			return 0;
		return wanted_reject(wanted, wish.setting, domain->domain, -EOPNOTSUPP,
				     "%s feature is not present at level %u%s",
				     feature_name(feature), domain->level.level,
				     feature_levels_text(wanted->context, domain, 1, feature));
	}
	return wanted_add(
		wanted, &(struct wanted_item){
				.item = item_of(ITEM_FEATURES, domain->domain, domain->level.level),
				.mask = feature,
				.bits = wish.number ? feature : 0,
				.subject = subject,
				.setting = wish.setting,
				.domain = domain->domain,
				.optional = isst_domain_is_io(domain->domain),
			});
}

/** The item of a switch, and its bits. Returns false where the machine has no such switch. */
static bool find_switch(const struct wanted *wanted, enum subject subject, struct wanted_item *item)
{
	bool one_switch = wanted->context->firmware.operations->one_core_power_switch;

	switch (subject) {
	case SUBJECT_CORE_POWER:
		item->item.kind = one_switch ? ITEM_QOS : ITEM_CORE_POWER;
		item->mask = one_switch ? QOS_CLOS_ENABLE : UINT64_MAX;
		item->bits = one_switch ? QOS_CLOS_ENABLE : 1;
		return true;
	case SUBJECT_CLOS_ENABLE:
		item->item.kind = ITEM_QOS;
		item->mask = item->bits = QOS_CLOS_ENABLE;
		return !one_switch;
	default:
		item->item.kind = ITEM_QOS;
		item->mask = item->bits = QOS_ORDERED;
		return true;
	}
}

/** Whether nothing but ordered priority will do. */
static bool must_be_ordered(const struct wanted *wanted, const struct domain_snapshot *domain)
{
	struct wish on;

	return !platform_has(&wanted->context->platform, PLATFORM_PROPORTIONAL_PRIORITY) &&
	       resolve_wish(wanted, SUBJECT_CORE_POWER, domain->domain, INDEX_ALL, &on) &&
	       on.number;
}

/** The item by which turbo-freq gets enabled in a domain; NULL: none. */
static const struct wanted_item *find_enabling(const struct wanted *wanted,
					       const struct domain_snapshot *domain)
{

	for (size_t i = 0; i < wanted->count; i++)
		if (wanted->items[i].domain == domain->domain &&
		    wanted_enables_turbo_freq(wanted, &wanted->items[i]))
			return &wanted->items[i];
	return NULL;
}

/** On the mailbox turbo-freq needs core-power, and enables it as `turbo-freq enable` does, unless
 * something is stated of that. */
static bool imply_core_power(const struct wanted *wanted, enum subject subject,
			     const struct domain_snapshot *domain, struct wish *wish)
{
	const struct wanted_item *enabling = find_enabling(wanted, domain);

	if (!enabling || !wanted->facts.whole || context_has_power_domains(wanted->context) ||
	    !domain->core_power.supported ||
	    domain_setting(wanted->context, wanted->configuration, SUBJECT_CORE_POWER,
			   domain->domain, INDEX_ALL) ||
	    domain_setting(wanted->context, wanted->configuration, subject, domain->domain,
			   INDEX_ALL))
		return false;
	*wish = (struct wish){ WANTED_NUMBER,
			       subject == SUBJECT_PRIORITY ? ISST_PRIORITY_ORDERED : 1,
			       enabling->setting };
	return true;
}

/** On the mailbox core-power is not taken from turbo-freq, as `core-power disable` has it: what is
 * stated contradicts itself, or the state of the machine forbids it. */
static int check_off(struct wanted *wanted, const struct domain_snapshot *domain,
		     const struct wish *wish)
{
	const struct isst_failure *failure = &domain->level.failure;
	struct wish on;

	if (context_has_power_domains(wanted->context) || wanted->is_command ||
	    configuration_is_state(wanted->configuration, wish->setting->origin.source) ||
	    !(domain->core_power.enabled || find_enabling(wanted, domain)))
		return 0;
	/* It may be on. */
	if (wanted->facts.whole && domain->level.turbo_freq == ISST_FEATURE_UNKNOWN &&
	    failure->error && !error_is_absence(failure->error))
		return wanted_fails(wanted, wish->setting, domain->domain, failure);
	if (!wanted_domain_turbo_freq_on(wanted, domain))
		return 0;
	if (resolve_wish(wanted, SUBJECT_TURBO_FREQ, domain->domain, INDEX_ALL, &on))
		return wanted_reject(wanted, wish->setting, domain->domain, -EINVAL,
				     "turbo-freq, which shall be on, needs core-power");
	if (!wanted->facts.whole)
		return 0;
	return wanted_reject(
		wanted, wish->setting, domain->domain, -EIO,
		"turbo-freq is enabled and needs core-power: state turbo-freq off, too");
}

int resolve_core_power(struct wanted *wanted, enum subject subject,
		       const struct domain_snapshot *domain)
{
	struct wanted_item item = { .item = item_of(ITEM_QOS, domain->domain, 0),
				    .subject = subject,
				    .domain = domain->domain,
				    .optional = isst_domain_is_io(domain->domain) };
	const struct isst_core_power *state = &domain->core_power;
	struct wish wish;
	int error = 0;

	if (!resolve_wish(wanted, subject, domain->domain, INDEX_ALL, &wish)) {
		/* As `core-power enable` has it. */
		if (subject == SUBJECT_PRIORITY && must_be_ordered(wanted, domain) &&
		    resolve_wish(wanted, SUBJECT_CORE_POWER, domain->domain, INDEX_ALL, &wish))
			wish.number = ISST_PRIORITY_ORDERED;
		else if (!imply_core_power(wanted, subject, domain, &wish))
			return 0;
		item.implied = true;
	}
	item.setting = wish.setting;
	if (state->failure.error)
		return wanted_fails(wanted, wish.setting, domain->domain, &state->failure);
	if (!state->supported)
		return wish.number ? wanted_reject(wanted, wish.setting, domain->domain,
						   -EOPNOTSUPP, "core-power feature is not present")
				   : 0;
	if (!find_switch(wanted, subject, &item))
		return wish.setting->subject == subject
			       ? wanted_reject(
					 wanted, wish.setting, domain->domain, -EOPNOTSUPP,
					 "classes of service have no switch of their own: core-power "
					 "enables and disables them")
			       : 0;
	if (subject == SUBJECT_PRIORITY && wish.number == ISST_PRIORITY_PROPORTIONAL &&
	    must_be_ordered(wanted, domain) &&
	    !configuration_is_state(wanted->configuration, wish.setting->origin.source))
		return wanted_reject(wanted, wish.setting, domain->domain, -EOPNOTSUPP,
				     "proportional priority is not supported");
	if (wish.number == 0)
		item.bits = 0;
	if (subject == SUBJECT_CORE_POWER && wish.number == 0)
		error = check_off(wanted, domain, &wish);
	return error ? error : wanted_add(wanted, &item);
}
