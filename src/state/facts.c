/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what a configuration depends on, in as few driver calls as that takes. */
#include "state/facts.h"
#include "features/planning.h"
#include "features/snapshot.h"
#include "firmware/platform.h"
#include "sysfs/system.h"
#include "topology/context.h"
#include "transaction/saved_settings.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>

const struct setting *domain_setting(const struct isst_context *context,
				     const struct configuration *configuration,
				     enum subject subject, const struct isst_domain *domain,
				     unsigned int index)
{
	const struct place place = { .package = domain->package,
				     .power_domain = domain_number(context, domain),
				     .cpu = domain->has_cpu ? domain->cpu : UINT_MAX,
				     .index = index };

	return configuration_find(configuration, subject, &place);
}

int settings_add(struct configuration *settings, const struct isst_context *context,
		 const struct isst_domain *domain, struct setting setting)
{
	unsigned int number = domain_number(context, domain);
	int error;

	setting.scope = (struct scope){ isst_cpuset_new(), isst_cpuset_new() };
	error = setting.scope.packages && setting.scope.power_domains ? 0 : -ENOMEM;
	if (!error)
		error = isst_cpuset_add(setting.scope.packages, domain->package, domain->package);
	if (!error)
		error = isst_cpuset_add(setting.scope.power_domains, number, number);
	if (!error)
		return configuration_add(settings, &setting);
	setting_clear(&setting);
	return error;
}

bool setting_names_domain(const struct setting *setting)
{
	return setting->scope.power_domains != NULL;
}

/** What a setting depends on. */
static void add_needs(struct facts *facts, const struct setting *setting)
{
	enum subject subject = setting->subject;
	bool ratio_zero = false;
	if (setting->wanted == WANTED_UNMANAGED)
		return;
	if (setting->wanted == WANTED_BASE || setting->wanted == WANTED_TURBO ||
	    (subject == SUBJECT_CPUS && facts->whole &&
	     (setting->wanted == WANTED_OF_LEVEL || setting->wanted == WANTED_ISOLATED))) {
		facts->levels = true;
		facts->parts |= ISST_LEVELS_PROPERTIES;
	}
	if (subject == SUBJECT_LEVEL || subject == SUBJECT_TURBO_FREQ ||
	    subject == SUBJECT_BASE_FREQ || subject == SUBJECT_TURBO_RATIO_LIMITS ||
	    subject == SUBJECT_HIGH_PRIORITY)
		facts->levels = true;
	/* To warn of what holds its cores back. */
	if ((subject == SUBJECT_TURBO_RATIO_LIMITS || subject == SUBJECT_HIGH_PRIORITY) &&
	    setting->wanted != WANTED_NONE && facts->whole)
		facts->parts |= ISST_LEVELS_TURBO_FREQ;
	/* Disabling turbo-freq leaves the limits of the level behind. */
	for (unsigned int i = 0; i < ISST_BUCKETS && setting->wanted == WANTED_NUMBER; i++)
		ratio_zero |= (setting->number >> 8 * i & 0xff) == 0;
	/* Whether a level has a bucket of which the ratio is stated as 0. */
	if ((subject == SUBJECT_TURBO_RATIO_LIMITS &&
	     (setting->wanted == WANTED_OF_LEVEL || ratio_zero)) ||
	    (subject == SUBJECT_TURBO_FREQ && setting->number == 0 && facts->whole))
		facts->limits = true;
	/* Of turbo-freq and core-power the one depends on the other. */
	if (subject == SUBJECT_CORE_POWER && setting->number == 0 && facts->whole)
		facts->levels = true;
	if (subject == SUBJECT_TURBO_FREQ && setting->number > 0 && facts->whole)
		facts->core_power = true;
	facts->turbo_freq |= subject == SUBJECT_HIGH_PRIORITY ||
			     (subject == SUBJECT_TURBO_FREQ && setting->number > 0);
	if ((subject >= SUBJECT_CORE_POWER && subject <= SUBJECT_HIGH_PRIORITY) ||
	    subject == SUBJECT_ASSOCIATION)
		facts->core_power = true;
}

/* ---- Reading ---- */

/** Whether classes that `enable --auto` of a feature has set, which are those of a level, may be
 * replaced. One whose file cannot be read is looked at again. */
static bool may_replace(const struct facts *facts)
{
	struct item_lines saved;
	bool any;

	if (!facts->whole || !facts->core_power)
		return false;
	any = settings_read(facts->context, &saved) || saved.count > 0;
	item_lines_clear(&saved);
	return any;
}

/** The level that a domain has, or is going to have: one that is optional only where it exists. */
static unsigned int level_of(const struct facts *facts, const struct configuration *configuration,
			     const struct isst_domain *domain,
			     const struct isst_perf_profile *profile)
{
	const struct setting *setting = domain_setting(facts->context, configuration, SUBJECT_LEVEL,
						       domain, INDEX_ALL);
	unsigned int level = setting ? (unsigned int)setting->number : 0;

	if (!setting || setting->wanted != WANTED_NUMBER ||
	    (setting->optional && (profile->failure.error || (!profile->enabled && level > 0) ||
				   !perf_profile_has_level(profile, level))))
		return profile->current_level;
	return level;
}

/** What targets share with other domains depends on those, too. Firmware that is asked by MSR has
 * no such thing, and would interrupt CPUs that may have to be left alone. */
static bool is_read(const struct facts *facts, size_t i)
{
	return facts->domains[i].domain &&
	       (facts->domains[i].is_target ||
		!platform_has(&facts->context->platform, PLATFORM_CLOS_BY_MAILBOX));
}

static int read_domains(struct facts *facts, const struct configuration *configuration)
{
	static const struct isst_failure NO_TARGET = { .error = -ECANCELED,
						       .message = "the domain is no target" };
	int error;

	for (size_t i = 0; i < facts->count; i++) {
		struct domain_snapshot *domain = &facts->domains[i];

		if (!is_read(facts, i))
			domain->profile.failure = domain->core_power.failure = NO_TARGET;
		else
			domain->parts = (facts->levels ? SNAPSHOT_PROFILES | SNAPSHOT_LEVEL : 0) |
					(facts->core_power ? SNAPSHOT_CORE_POWER : 0);
	}
	error = snapshot_read(facts->context, facts->domains, facts->count);
	facts_for_each_domain (other, facts)
		if (!error && other->parts & SNAPSHOT_LEVEL)
			other->level.level = level_of(facts, configuration, other->domain,
						      &other->profile);
	return error || !facts->levels ? error
				       : snapshot_read_levels(facts->context, facts->domains,
							      facts->count, facts->parts);
}

/* ---- Of commands ---- */

/** What the steps that are planned already leave of the level, and of its features. */
static void project_level(const struct isst_change *change, struct domain_snapshot *domain)
{
	struct isst_level *level = &domain->level;
	const struct item item = item_of(ITEM_FEATURES, domain->domain, 0);
	const struct item current = item_of(ITEM_LEVEL, domain->domain, 0);
	const struct {
		enum isst_feature_state *state;
		unsigned int feature;
	} states[] = { { &level->turbo_freq, FEATURE_TURBO_FREQ },
		       { &level->base_freq, FEATURE_BASE_FREQ } };
	uint64_t features = 0, projected = domain->profile.current_level;

	change_project(change, &current, &projected);
	if (level->level != projected)
		return;
	/* For a level that is not current yet, firmware may report anything. */
	for (size_t i = 0; i < 2 && projected == domain->profile.current_level; i++)
		if (*states[i].state == ISST_FEATURE_ENABLED)
			features |= states[i].feature;
	change_project(change, &item, &features);
	for (size_t i = 0; i < 2; i++)
		if (*states[i].state == ISST_FEATURE_ENABLED ||
		    *states[i].state == ISST_FEATURE_DISABLED)
			*states[i].state = features & states[i].feature ? ISST_FEATURE_ENABLED
									: ISST_FEATURE_DISABLED;
	domain->profile.current_level = (unsigned int)projected;
}

static void project_core_power(const struct isst_change *change, struct isst_core_power *state)
{
	const struct item feature = item_of(ITEM_CORE_POWER, state->domain, 0);
	const struct item qos = item_of(ITEM_QOS, state->domain, 0);
	uint64_t on = state->enabled, word = 0;

	if (change_project(change, &feature, &on))
		state->enabled = on;
	if (!change_project(change, &qos, &word))
		return;
	state->clos_enabled = word & QOS_CLOS_ENABLE;
	/* By TPMI there is one switch for both. */
	if (change->context->firmware.operations->one_core_power_switch)
		state->enabled = state->clos_enabled;
}

static void take_failure(struct domain_snapshot *domain, enum need need,
			 const struct isst_failure *failure)
{
	if (need == REQUIRED && !domain->failure.error)
		domain->failure = *failure;
}

/** Reads the levels of domains that count, of which profiles were read. */
static int read_levels(struct facts *facts, unsigned int parts)
{
	bool any = false;
	int error;

	facts_for_each_domain (domain, facts) {
		bool is_read = domain->profile.domain && domain->counts;

		domain->parts = is_read ? SNAPSHOT_LEVEL : 0;
		any |= is_read;
	}
	error = any ? snapshot_read_levels(facts->context, facts->domains, facts->count, parts) : 0;
	/* Others keep theirs. */
	facts_for_each_domain (other, facts)
		if (other->profile.domain)
			other->level.domain = other->domain;
	return error;
}

int facts_complete(struct facts *facts, unsigned int parts)
{
	int error;

	if (facts->levels && (facts->parts & parts) == parts)
		return 0;
	facts_for_each_domain (domain, facts)
		domain->parts = domain->counts && !facts->levels ? SNAPSHOT_PROFILES : 0;
	error = snapshot_read(facts->context, facts->domains, facts->count);
	facts_for_each_domain (other, facts)
		if (other->parts)
			other->level.level = other->profile.current_level;
	return error ? error : read_levels(facts, facts->parts | parts);
}

int facts_read_reached(struct facts *facts, const struct configuration *configuration,
		       struct isst_change *change, const struct command_needs *needs)
{
	static const struct state_needs NONE;
	const struct state_needs *const of_role[] = {
		[NOT_REACHED] = &NONE, [NEIGHBOUR] = &needs->neighbours, [ASKED_FOR] = &needs->asked
	};
	const bool one_core_power_switch =
		facts->context->firmware.operations->one_core_power_switch;
	int error;

	facts_for_each_domain (domain, facts) {
		const struct state_needs *own = of_role[domain->role];

		domain->parts = (own->levels ? SNAPSHOT_PROFILES : 0) |
				(!own->core_power ? 0
				 : own->clos_use && !one_core_power_switch
					 ? SNAPSHOT_CORE_POWER
					 : SNAPSHOT_CORE_POWER_SWITCH);
	}
	error = snapshot_read(facts->context, facts->domains, facts->count);
	facts_for_each_domain (domain, facts) {
		const struct setting *setting = domain_setting(
			facts->context, configuration, SUBJECT_LEVEL, domain->domain, INDEX_ALL);
		const struct item item = item_of(ITEM_LEVEL, domain->domain, 0);
		uint64_t level = domain->profile.current_level;

		if (error || !(domain->parts & SNAPSHOT_PROFILES))
			continue;
		change_relies_on_level(change, &domain->profile);
		take_failure(domain, of_role[domain->role]->levels, &domain->profile.failure);
		change_project(change, &item, &level);
		domain->level.level = (unsigned int)(setting ? setting->number : level);
	}
	for (int role = ASKED_FOR; role >= NEIGHBOUR && !error; role--) {
		facts_for_each_domain (other, facts)
			other->counts = (int)other->role == role;
		error = read_levels(facts, of_role[role]->parts);
	}
	for (size_t i = 0; i < facts->count && !error; i++) {
		struct domain_snapshot *domain = &facts->domains[i];
		const struct state_needs *own = of_role[domain->role];

		if (own->levels)
			project_level(change, domain);
		take_failure(domain, own->levels, &domain->level.failure);
		if (own->core_power)
			project_core_power(change, &domain->core_power);
		take_failure(domain, own->core_power, &domain->core_power.failure);
	}
	return error;
}

/** The turbo ratio limits that a level of a domain specifies. */
struct level_limits {
	struct domain_snapshot *domain; /* NULL: they are not asked for */
	struct isst_value mhz[ISST_BUCKETS];
};

static int plan_level_limits(struct isst_context *context, struct firmware_batch *batch,
			     void *result)
{
	const struct firmware_operations *operations = context->firmware.operations;
	struct level_limits *limits = result;
	struct domain_snapshot *domain = limits->domain;

	if (!domain || !operations->plan_level_limits)
		return 0;
	return operations->plan_level_limits(batch, domain->domain, domain->level.level,
					     &domain->limits_failure, limits->mhz);
}

/** Only CPUs have such a register, which power domains share. */
int facts_read_limits(struct facts *facts)
{
	struct level_limits *limits = calloc(facts->count + 1, sizeof(*limits));
	int error = limits ? 0 : -ENOMEM;

	for (size_t i = 0; i < facts->count && !error; i++) {
		struct domain_snapshot *domain = &facts->domains[i];

		domain->limits_failure = (struct isst_failure){ 0 };
		if (is_read(facts, i) && domain->domain->has_cpu && domain->subjects &&
		    !domain->profile.failure.error)
			limits[i].domain = domain;
	}
	if (!error)
		error = context_read(facts->context, limits, facts->count, sizeof(*limits),
				     plan_level_limits);
	for (size_t i = 0; i < facts->count && !error; i++) {
		struct domain_snapshot *domain = &facts->domains[i];

		/* Of a level that is not known the limits are not known either. */
		if (domain->profile.failure.error)
			domain->limits_failure = domain->profile.failure;
		/* Where there are levels, a refusal is no answer. */
		if (domain->limits_failure.error == -EOPNOTSUPP && domain->profile.enabled)
			domain->limits_failure.error = -EIO;
		domain->level_limits = ratios_word(limits[i].mhz);
	}
	free(limits);
	return error;
}

bool facts_hold_back(const struct domain_snapshot *facts, uint64_t limits)
{
	const struct isst_value *best = &facts->level.turbo_freq_info.mhz[0][0];

	for (unsigned int i = 0; i < ISST_BUCKETS && best->state == ISST_KNOWN; i++) {
		unsigned int ratio = limits >> 8 * i & 0xff;

		if (ratio > 0 && ratio * MHZ_PER_RATIO < best->value)
			return true;
	}
	return false;
}

const struct domain_snapshot *facts_of_limits(const struct facts *facts,
					      const struct domain_snapshot *domain)
{
	if (!context_has_power_domains(facts->context))
		return domain;
	facts_for_each_domain (target, facts)
		if (target->domain->package == domain->domain->package && target->domain->has_cpu &&
		    target->subjects)
			return target;
	return domain;
}

static int read_present_limits(struct facts *facts)
{
	struct isst_turbo_ratio_limits *limits = calloc(facts->count + 1, sizeof(*limits));
	struct domain_snapshot **of = calloc(facts->count + 1, sizeof(struct domain_snapshot *));
	size_t count = 0;
	int error = limits && of ? 0 : -ENOMEM;

	facts_for_each_domain (domain, facts) {
		if (error || !domain->domain->has_cpu || domain->profile.failure.error ||
		    domain->level.level != domain->profile.current_level ||
		    !feature_is_on(&domain->level, FEATURE_TURBO_FREQ))
			continue;
		of[count] = domain;
		limits[count++].domain = domain->domain;
	}
	if (!error && count > 0)
		error = turbo_ratio_limits_read(facts->context, limits, count);
	for (size_t i = 0; i < count && !error; i++) {
		of[i]->has_present_limits = true;
		of[i]->present_limits = limits[i].value;
		of[i]->present_failure = limits[i].failure;
	}
	free(of);
	free(limits);
	return error;
}

int facts_begin(struct facts *facts, struct isst_context *context)
{
	size_t count = isst_domain_count(context);

	*facts = (struct facts){ .context = context,
				 .domains = calloc(count + 1, sizeof(*facts->domains)) };
	if (!facts->domains)
		return -ENOMEM;
	for (; facts->count < count; facts->count++)
		facts->domains[facts->count] = (struct domain_snapshot){
			.domain = context_domain(context, facts->count), .subjects = UINT32_MAX
		};
	return 0;
}

int facts_read(struct facts *facts, const struct configuration *configuration,
	       struct isst_context *context, bool whole, const struct domain_set *targets)
{
	bool lost, on = false, associations = false;
	int error = facts_begin(facts, context);

	facts->whole = whole;
	for (size_t i = 0; i < configuration->setting_count; i++) {
		const struct setting *setting = &configuration->settings[i];

		add_needs(facts, setting);
		on |= setting->subject == SUBJECT_TURBO_FREQ && setting->number > 0 &&
		      setting->wanted == WANTED_NUMBER;
		associations |= setting->subject == SUBJECT_ASSOCIATION &&
				setting->wanted == WANTED_NUMBER;
	}
	facts->levels = facts->levels || may_replace(facts);
	/* Turbo-freq may be on, and the machine have lost the limits that it needs. Where there are
	 * power domains no MSR is read but for this. */
	lost = facts->turbo_freq && !context->platform.preset &&
	       suspend_mark_now(&context->files).resumes > 0;
	/* Turbo-freq on, with associations: to warn of cores that no bucket holds. */
	if (lost || (whole && on && associations))
		facts->parts |= ISST_LEVELS_TURBO_FREQ;
	facts_for_each_domain (domain, facts)
		domain->is_target = !targets->limited;
	for (size_t i = 0; i < targets->count && !error; i++)
		facts->domains[targets->domains[i]->index].is_target = true;
	if (!error)
		error = read_domains(facts, configuration);
	if (!error && facts->levels && facts->limits)
		error = facts_read_limits(facts);
	if (!error && facts->levels && lost)
		error = read_present_limits(facts);
	return error;
}

void facts_clear(struct facts *facts)
{
	snapshot_clear(facts->domains, facts->count);
	free(facts->domains);
	*facts = (struct facts){ 0 };
}
