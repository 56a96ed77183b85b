/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: what they reach, and what of them is settings. */
#include "state/apply.h"
#include "topology/context.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Domains that are asked for, and their neighbours ---- */

/** Whether one of the domains of a package that were asked for is active. */
static bool package_is_wanted(const struct facts *facts, unsigned int package)
{
	facts_for_each_domain (domain, facts)
		if (domain_is_asked(domain) && domain->domain->package == package)
			return true;
	return false;
}

/** Neighbours take part as far as they have core-power. A change that cannot be made in the whole
 * package is not made; a domain without CPUs is done without. */
static void check_neighbours(struct planned_command *command, bool needs_core_power)
{
	struct facts *facts = &command->facts;

	facts_for_each_domain (neighbour, facts) {
		int error = neighbour->failure.error;
		bool passed_on = error && error != -EOPNOTSUPP;

		if (neighbour->role != NEIGHBOUR)
			continue;
		if (passed_on && isst_domain_is_io(neighbour->domain))
			change_warn_left_out(command->change, neighbour->failure.message);
		else
			for (size_t j = 0; j < facts->count && passed_on; j++)
				if (domain_is_asked(&facts->domains[j]) &&
				    facts->domains[j].domain->package == neighbour->domain->package)
					facts->domains[j].failure = neighbour->failure;
		if (!error && needs_core_power && !neighbour->core_power.supported)
			neighbour->failure.error = -ECANCELED;
	}
}

int command_begin(struct planned_command *command, const struct domain_request *requests,
		  size_t count, const struct command_needs *needs)
{
	struct isst_context *context = command->change->context;
	struct facts *facts = &command->facts;
	int error = 0;

	command->first = command->change->count;
	for (size_t i = 0; i < count && !error; i++)
		error = context_check_domain(context, requests[i].domain);
	if (!error)
		error = facts_begin(facts, context);
	for (size_t i = 0; i < count && !error; i++) {
		facts->domains[requests[i].domain->index].role = ASKED_FOR;
		facts->domains[requests[i].domain->index].is_target = true;
	}
	if (needs->reach == REACH_PACKAGES ||
	    (needs->reach == REACH_POWER_DOMAINS && context_has_power_domains(context)))
		facts_for_each_domain (domain, facts)
			if (domain->role == NOT_REACHED &&
			    package_is_wanted(facts, domain->domain->package))
				domain->role = NEIGHBOUR;
	if (!error)
		error = facts_read_reached(facts, &command->settings, command->change, needs);
	if (!error)
		check_neighbours(command, needs->neighbours.core_power);
	return error;
}

void command_settle(struct planned_command *command)
{
	struct facts *facts = &command->facts;

	facts_for_each_domain (domain, facts) {
		bool wanted = package_is_wanted(facts, domain->domain->package);

		if (domain->role == NEIGHBOUR && !wanted)
			domain->failure.error = -ECANCELED;
		domain->shares = domain_is_active(domain) ||
				 (domain->role == ASKED_FOR && wanted &&
				  domain->failure.error == -EOPNOTSUPP &&
				  isst_domain_is_io(domain->domain) &&
				  domain->core_power.supported);
	}
}

void command_clear(struct planned_command *command)
{
	facts_clear(&command->facts);
	configuration_clear(&command->settings);
	isst_cpuset_free(command->high_priority);
	item_lines_clear(&command->saved);
}

int command_end(struct planned_command *command, struct domain_request *requests, size_t count,
		int error)
{
	for (size_t i = 0; i < count && command->facts.count > 0; i++) {
		const struct isst_failure *failure =
			&command->facts.domains[requests[i].domain->index].failure;

		requests[i].failure = *failure;
		if (failure->error == -ECANCELED)
			requests[i].failure = (struct isst_failure){ 0 };
	}
	command_clear(command);
	return plan_conclude(command->change, requests, count, error);
}

/** Where core-power is the package's, it is switched for neighbours as well. */
static bool switches_core_power(const struct planned_command *command,
				const struct domain_snapshot *domain)
{
	return domain->role == ASKED_FOR || context_has_power_domains(command->change->context);
}

/* ---- Settings ---- */

int command_add(struct planned_command *command, enum subject subject, unsigned int index,
		enum wanted_kind wanted, uint64_t number)
{
	struct setting setting = {
		.subject = subject, .index = index, .wanted = wanted, .number = number
	};

	return configuration_add(&command->settings, &setting);
}

int command_plan(struct planned_command *command, uint32_t shared)
{
	struct configuration *settings = &command->settings;
	struct wanted wanted = { .context = command->change->context,
				 .change = command->change,
				 .configuration = settings,
				 .facts = command->facts,
				 .high_priority = command->high_priority,
				 .of_clos = command->of_clos,
				 .is_command = true };
	int error = 0;

	wanted.facts.whole = true;
	facts_for_each_domain (domain, &wanted.facts) {
		domain->subjects = !domain->counts	     ? 0
				   : domain_is_asked(domain) ? UINT32_MAX
							     : shared;
		if (!switches_core_power(command, domain))
			domain->subjects &= ~SUBJECTS_OF_SWITCHES;
		domain->is_target = domain->subjects;
	}
	for (size_t i = 0; i < settings->setting_count; i++)
		if (settings->settings[i].wanted == WANTED_OF_LEVEL && !error)
			error = facts_read_limits(&wanted.facts);
	if (!error)
		error = wanted_resolve(&wanted);
	if (!error)
		error = wanted_plan(&wanted, command->change);
	if (settings->problem_count > 0)
		error = message_error(&wanted.context->messages, error, "%s",
				      settings->problems[0].text);
	/* These are the command's. */
	wanted.facts = (struct facts){ 0 };
	wanted.high_priority = NULL;
	wanted_clear(&wanted);
	configuration_clear(settings);
	return error;
}

int command_save(struct planned_command *command, unsigned int feature)
{
	struct isst_change *change = command->change;

	for (size_t i = command->first; i < change->count; i++)
		for (size_t j = 0; j < change->steps[i]->count; j++) {
			struct entry *entry = &change->steps[i]->entries[j];
			const struct isst_domain *domain = item_domain(change->context,
								       &entry->item);

			entry->level = command->facts.domains[domain->index].profile.current_level;
		}
	return settings_save(change, feature_name(feature), command->first);
}

/* ---- Off ---- */

/** Whether a feature may stay on in a power domain with CPUs of a package. */
static bool may_stay_on(const struct facts *facts, unsigned int package, unsigned int feature)
{
	facts_for_each_domain (domain, facts) {
		if (domain->role != NOT_REACHED && domain->domain->package == package &&
		    !isst_domain_is_io(domain->domain) && !domain_is_asked(domain) &&
		    feature_may_be_on(domain, feature))
			return true;
	}
	return false;
}

/** What `disable` finds to do: nothing where there is no such feature. */
static void check_off(struct planned_command *command, struct domain_snapshot *domain,
		      unsigned int feature)
{
	const struct isst_level *level = &domain->level;

	if (!domain_is_asked(domain) ||
	    (feature == FEATURE_BASE_FREQ ? level->base_freq : level->turbo_freq) !=
		    ISST_FEATURE_UNSUPPORTED)
		return;
	if (isst_domain_is_io(domain->domain)) {
		target_reject(command->change, domain->domain, &domain->failure, -EOPNOTSUPP,
			      "%s feature is not present at this level %u", feature_name(feature),
			      level->level);
		return;
	}
	change_warn(command->change, ISST_MESSAGE_NOTHING_TO_DISABLE, of_domain(domain->domain),
		    "%s: %s feature is not present at this level %u: nothing to disable",
		    domain->domain->name, feature_name(feature), level->level);
	domain->failure = (struct isst_failure){ .error = -ECANCELED };
}

static int switch_off(struct planned_command *command, unsigned int feature)
{
	struct facts *facts = &command->facts;
	int error;

	facts_for_each_domain (domain, facts) {
		unsigned int package = domain->domain->package;
		bool on = feature_is_on(&domain->level, feature), follows;

		domain->counts = domain_is_asked(domain);
		if (domain->role != NEIGHBOUR)
			continue;
		/* In an I/O die it goes off with the last of the others. */
		follows = isst_domain_is_io(domain->domain) && feature_may_be_on(domain, feature) &&
			  package_is_wanted(facts, package) &&
			  !may_stay_on(facts, package, feature);
		/* For a sibling that is not active this has been reported. */
		if (follows && !on && domain_is_active(domain))
			change_warn_left_out(command->change, feature_unknown_why(domain));
		domain->counts = follows && on;
	}
	error = command_add(command,
			    feature == FEATURE_BASE_FREQ ? SUBJECT_BASE_FREQ : SUBJECT_TURBO_FREQ,
			    INDEX_ALL, WANTED_NUMBER, 0);
	return error ? error : command_plan(command, ALL_SUBJECTS);
}

/** Without --auto what was saved stays. */
static void warn_of_saved(struct planned_command *command, unsigned int feature)
{
	const char *name = feature_name(feature);
	bool any = false, saved = false;

	facts_for_each_domain (domain, &command->facts) {
		if (!domain_is_asked(domain))
			continue;
		any = true;
		saved |= settings_find(command->change->context, &command->saved, name,
				       domain->domain, 0)
				 .any;
	}
	if (saved)
		change_warn(command->change, ISST_MESSAGE_SAVED_SETTINGS_REMAIN, of_machine(),
			    "what else %s enable --auto has set stays (core-power, classes of "
			    "service): %s disable --auto restores what was there before",
			    name, name);
	else if (any && feature == FEATURE_TURBO_FREQ)
		change_warn(command->change, ISST_MESSAGE_SAVED_SETTINGS_REMAIN, of_machine(),
			    "core-power stays as it is: %s enable enables it, core-power disable "
			    "disables it",
			    name);
}

/** Names the levels, other than the current one, of which settings are saved: `disable --auto`
 * restores them only there. */
static void name_other_levels(struct planned_command *command, unsigned int feature)
{
	const char *name = feature_name(feature);

	facts_for_each_domain (target, &command->facts) {
		const struct isst_domain *domain = target->domain;
		unsigned int level = target->profile.current_level;
		struct settings_found found = settings_find(command->change->context,
							    &command->saved, name, domain, level);

		if (domain_is_asked(target) && found.other)
			change_warn(
				command->change, ISST_MESSAGE_SAVED_FOR_OTHER_LEVEL,
				of_domain(domain),
				"%s: settings from before %s enable are saved for level %u: "
				"%s disable --auto restores them at that level, not at level %u "
				"(config reset --boot undoes what isst changed since boot)",
				domain->name, name, found.other_level, name, level);
	}
}

int command_disable(struct planned_command *command, unsigned int feature, bool automatic)
{
	struct facts *facts = &command->facts;
	int error = settings_read(command->change->context, &command->saved);

	/* Without --auto they are only named. */
	if (!automatic && error != -ENOMEM)
		error = 0;
	if (automatic)
		name_other_levels(command, feature);
	facts_for_each_domain (domain, facts)
		check_off(command, domain, feature);
	/* The feature stays on, or may, in a power domain with CPUs. */
	facts_for_each_domain (target, facts)
		if (target->role == NEIGHBOUR &&
		    may_stay_on(facts, target->domain->package, feature))
			target->failure.error = -ECANCELED;
	command_settle(command);
	if (!error)
		error = switch_off(command, feature);
	if (!error && automatic)
		error = plan_restoring(command, feature);
	else if (!error)
		warn_of_saved(command, feature);
	return error;
}

/** Whether core-power is on in a domain, and goes off. */
static bool goes_off(const struct domain_snapshot *domain)
{
	return domain->counts && domain->core_power.enabled;
}

/** Describes where core-power goes off with a feature: in a package as a whole, where it goes off
 * in all power domains in which it is on, or in which domains of it. */
static void warn_of_core_power_off(struct planned_command *command, unsigned int feature)
{
	struct isst_change *change = command->change;
	const struct facts *facts = &command->facts;

	for (size_t i = 0; i < facts->count; i++) {
		const struct isst_domain *domain = facts->domains[i].domain;
		bool whole = context_has_power_domains(change->context), named = false;

		if (!goes_off(&facts->domains[i]))
			continue;
		for (size_t j = 0; j < facts->count; j++) {
			const struct domain_snapshot *other = &facts->domains[j];

			if (other->role == NOT_REACHED || other->domain->package != domain->package)
				continue;
			named |= j < i && goes_off(other);
			whole &= !other->core_power.enabled || goes_off(other);
		}
		if (whole && named)
			continue;
		change_warn(change, ISST_MESSAGE_NO_SAVED_SETTINGS,
			    whole ? of_package(domain->package) : of_domain(domain),
			    "%s: no saved settings%s: core-power is disabled; classes of service, "
			    "associations and the priority type stay (config reset --boot undoes "
			    "what isst changed since boot)",
			    whole ? message_make(&change->texts, "package %u", domain->package)
				  : domain->name,
			    settings_find(change->context, &command->saved, feature_name(feature),
					  domain, 0)
					    .any
				    ? " of this level"
				    : "");
	}
}

int command_core_power_off(struct planned_command *command, unsigned int feature)
{
	struct facts *facts = &command->facts;
	unsigned int other = other_feature(feature);
	int error;

	for (size_t i = 0; i < facts->count; i++) {
		struct domain_snapshot *domain = &facts->domains[i];
		bool may = domain->shares && !domain->restored && domain->core_power.supported;
		bool used = may &&
			    feature_in_use(command->change->context, facts->domains, i, other);

		if (used)
			change_warn(command->change, ISST_MESSAGE_NEEDED_BY_FEATURE,
				    of_domain(domain->domain),
				    "%s: core-power stays enabled: %s needs it",
				    domain->domain->name, feature_name(other));
		domain->counts = may && !used && switches_core_power(command, domain);
	}
	warn_of_core_power_off(command, feature);
	error = command_add(command, SUBJECT_CORE_POWER, INDEX_ALL, WANTED_NUMBER, 0);
	return error ? error : command_plan(command, ALL_SUBJECTS);
}

/* ---- Levels ---- */

int change_plan_level(struct isst_change *change, struct domain_request *requests, size_t count,
		      unsigned int level, bool online)
{
	const struct command_needs needs = {
		.asked = { .levels = OPTIONAL,
			   .parts = online ? ISST_LEVELS_PROPERTIES : ISST_LEVEL_FEATURES,
			   .core_power = OPTIONAL },
	};
	struct planned_command command = { .change = change };
	int error = command_add(&command, SUBJECT_LEVEL, INDEX_ALL, WANTED_NUMBER, level);

	if (!error)
		error = command_begin(&command, requests, count, &needs);
	facts_for_each_domain (domain, &command.facts)
		domain->counts = domain->role == ASKED_FOR;
	if (!error)
		error = plan_level_change(change, command.facts.domains, level, online);
	return command_end(&command, requests, count, error);
}
