/* SPDX-License-Identifier: BSD-3-Clause */
/* SST-CP: switching it, configuring CLOS, and putting cores into them. */
#include "common/memory_stream.h"
#include "state/apply.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- What stays behind ---- */

/** Describes which CLOS limit frequencies, and which CPUs are in others than CLOS 0, in which they
 * are at power-on. Returns false where there are none, or they cannot be read. */
static bool describe_clos(struct isst_context *context, const struct isst_domain *domain,
			  FILE *stream)
{
	size_t count = 0;
	struct isst_clos_association *associations = calloc(isst_cpuset_count(domain->online) + 1,
							    sizeof(*associations));
	struct isst_clos configs[ISST_CLOS_COUNT] = { 0 };
	const char *separator = "";
	unsigned int cpu;
	int error;

	for (unsigned int i = 0; i < ISST_CLOS_COUNT; i++)
		configs[i] = (struct isst_clos){ .domain = domain, .clos = i };
	error = clos_read(context, configs, ISST_CLOS_COUNT);
	for (unsigned int i = 0; i < ISST_CLOS_COUNT && !error; i++) {
		const struct isst_clos *config = &configs[i];

		if (config->failure.error ||
		    (config->min_mhz == 0 && config->max_mhz == ISST_CLOS_NO_LIMIT_MHZ))
			continue;
		fprintf(stream, "%sCLOS %u", separator, i);
		if (config->min_mhz > 0)
			fprintf(stream, " min %u MHz", config->min_mhz);
		if (config->max_mhz != ISST_CLOS_NO_LIMIT_MHZ)
			fprintf(stream, " max %u MHz", config->max_mhz);
		separator = "; ";
	}
	isst_cpuset_for_each (cpu, domain->online)
		if (associations)
			associations[count++].cpu = context_cpu(context, cpu);
	error = associations ? clos_association_read(context, associations, count) : -ENOMEM;
	for (unsigned int clos = 1; clos < ISST_CLOS_COUNT && !error; clos++) {
		struct isst_cpuset *members = isst_cpuset_new();
		int added = members ? 0 : -ENOMEM;

		for (size_t i = 0; i < count && !added; i++)
			if (!associations[i].failure.error && associations[i].clos == clos)
				added = isst_cpuset_add(members, associations[i].cpu->number,
							associations[i].cpu->number);
		if (!added && isst_cpuset_count(members) > 0) {
			fprintf(stream, "%s%s in CLOS %u", separator,
				message_numbers(&context->messages, "CPU", members), clos);
			separator = "; ";
		}
		isst_cpuset_free(members);
	}
	free(associations);
	return *separator;
}

/** Reports which CLOS limits and associations stay in a domain when core-power goes off, where they
 * are not those of power-on. What cannot be read is passed over: nothing depends on it. @in_force:
 * classes hold all the same, or may. */
static void warn_of_clos_remains(struct isst_change *change, const struct isst_domain *domain,
				 bool in_force)
{
	struct memory_stream text;
	bool any;

	if (memory_stream_open(&text))
		return;
	any = describe_clos(change->context, domain, text.stream);
	if (memory_stream_close(&text) == 0 && any)
		change_warn(change, ISST_MESSAGE_CLOS_SETTINGS_KEPT, of_domain(domain),
			    "%s: %s: kept, and in effect %s", domain->name, text.text,
			    in_force ? "while turbo-freq is enabled"
				     : "again when core-power is enabled");
	free(text.text);
}

/** What is needed for CLOS: levels are none of it, and there may be none. */
#define CORE_POWER_ONLY \
	{ \
		.core_power = REQUIRED \
	}

static void check_support(struct isst_change *change, struct domain_snapshot *domain)
{
	if (domain_is_asked(domain) && !domain->core_power.supported)
		target_reject(change, domain->domain, &domain->failure, -EOPNOTSUPP,
			      "core-power not supported");
}

/** Where there is a cpufreq driver; one whose file cannot be read is there. */
static void warn_of_interference(struct isst_change *change, const struct facts *facts)
{
	uint64_t khz;

	facts_for_each_domain (domain, facts) {
		if (!domain_is_asked(domain) || !domain->domain->has_cpu ||
		    cpufreq_read(&change->context->files, domain->domain->cpu, "scaling_max_freq",
				 &khz) == -ENOENT)
			continue;
		change_warn(change, ISST_MESSAGE_CPUFREQ_INTERFERES, of_machine(),
			    "set limits in one place only: cpufreq (scaling_min_freq, "
			    "scaling_max_freq) or classes of service (core-power config)");
		break;
	}
	warn_of_cpufreq(change, facts->domains, domain_is_asked, true);
}

/* ---- Off ---- */

/** On the mailbox core-power is not taken from turbo-freq, nor where that is not known; where there
 * are levels, a refusal is no answer. Without a summary of levels there is one level, which is
 * asked. */
static int check_turbo_freq(struct isst_change *change, struct domain_snapshot *domain)
{
	struct item_access features = { .item = item_of(ITEM_FEATURES, domain->domain, 0) };
	const struct isst_failure *failure = &domain->level.failure;
	bool on = feature_is_on(&domain->level, FEATURE_TURBO_FREQ);
	int error = 0;

	if (domain->profile.failure.error == -EOPNOTSUPP) {
		error = items_read(change->context, &features, 1);
		failure = &features.failure;
		on = !error && !failure->error && features.value.number & FEATURE_TURBO_FREQ;
	} else if (domain->profile.failure.error) {
		failure = &domain->profile.failure;
	}
	if (error)
		return error;
	if (failure->error != -EOPNOTSUPP ||
	    (!domain->profile.failure.error && domain->profile.enabled))
		domain->failure = *failure;
	if (on)
		target_reject(
			change, domain->domain, &domain->failure, -EIO,
			"Ignoring request, turbo-freq feature is still enabled; disable it first "
			"(turbo-freq disable)");
	return 0;
}

#define CLASSES_HOLD \
	"limits and priorities of classes of service still count, as on servers that were measured"

/** By TPMI real servers are run with turbo-freq on and core-power off: that is only reported, once
 * for each package, where it stays enabled, or may. I/O dies have no cores. */
static void note_turbo_freq(struct isst_change *change, const struct facts *facts, size_t i)
{
	unsigned int package = facts->domains[i].domain->package;

	for (size_t j = 0; j < i; j++)
		if (domain_is_asked(&facts->domains[j]) &&
		    facts->domains[j].domain->package == package)
			return;
	/* That of the domain itself first. */
	for (size_t j = 0; j < facts->count; j++) {
		const struct domain_snapshot *domain = &facts->domains[(i + j) % facts->count];

		if (domain->role == NOT_REACHED || domain->domain->package != package ||
		    isst_domain_is_io(domain->domain) || !facts->domains[i].core_power.enabled ||
		    !feature_may_be_on(domain, FEATURE_TURBO_FREQ))
			continue;
		if (feature_is_on(&domain->level, FEATURE_TURBO_FREQ))
			change_warn(
				change, ISST_MESSAGE_TURBO_FREQ_WITHOUT_CORE_POWER,
				of_domain(domain->domain),
				"%s: core-power is disabled, turbo-freq stays enabled: " CLASSES_HOLD,
				domain->domain->name);
		else
			change_warn(
				change, ISST_MESSAGE_TURBO_FREQ_WITHOUT_CORE_POWER,
				of_domain(domain->domain),
				"%s; core-power is disabled: if turbo-freq is enabled there, " CLASSES_HOLD,
				feature_unknown_why(domain));
		return;
	}
}

/** What `disable` finds to do: nothing where there is no core-power. */
static int check_disable(struct isst_change *change, const struct facts *facts, size_t i)
{
	struct domain_snapshot *domain = &facts->domains[i];

	if (!domain_is_asked(domain))
		return 0;
	if (domain->core_power.supported) {
		if (!context_has_power_domains(change->context))
			return check_turbo_freq(change, domain);
		note_turbo_freq(change, facts, i);
		return 0;
	}
	if (isst_domain_is_io(domain->domain)) {
		check_support(change, domain);
		return 0;
	}
	change_warn(change, ISST_MESSAGE_NOTHING_TO_DISABLE, of_domain(domain->domain),
		    "%s: core-power not supported: nothing to disable", domain->domain->name);
	domain->failure.error = -ECANCELED;
	return 0;
}

/** Reports what stays of core-power where it, or the use of CLOS alone, goes off. Only messages
 * depend on that: what cannot be read is passed over. */
static void name_remains(struct isst_change *change, const struct facts *facts)
{
	const struct firmware_operations *operations = change->context->firmware.operations;

	facts_for_each_domain (domain, facts) {
		const struct isst_core_power *state = &domain->core_power;
		bool used = state->enabled || (!operations->one_core_power_switch &&
					       !state->clos_failure.error && state->clos_enabled);

		if (domain_is_asked(domain) && used)
			warn_of_clos_remains(change, domain->domain,
					     operations->turbo_freq_uses_clos &&
						     feature_may_be_on(domain, FEATURE_TURBO_FREQ));
	}
}

/* ---- On and off ---- */

int change_plan_core_power(struct isst_change *change, struct domain_request *requests,
			   size_t count, bool enable, enum isst_priority_request priority)
{
	/* Levels are asked for turbo-freq alone, and only before core-power goes off. */
	const struct state_needs current = { .levels = enable ? NOT_NEEDED : OPTIONAL,
					     .core_power = REQUIRED,
					     .clos_use = !enable };
	const struct command_needs needs = { REACH_POWER_DOMAINS, current, current };
	struct planned_command command = { .change = change };
	struct facts *facts = &command.facts;
	int number = priority, error;

	if (number < ISST_KEEP_PRIORITY || number > ISST_MAKE_ORDERED)
		error = message_error(&change->context->messages, -EINVAL,
				      "%d is not a priority: only 0 (proportional) and 1 (ordered)",
				      number);
	else
		error = command_begin(&command, requests, count, &needs);
	for (size_t i = 0; i < facts->count && !error; i++) {
		if (enable)
			check_support(change, &facts->domains[i]);
		else
			error = check_disable(change, facts, i);
	}
	command_settle(&command);
	if (enable && !error)
		warn_of_interference(change, facts);
	if (!enable && !error)
		name_remains(change, facts);
	if (!error)
		error = command_add(&command, SUBJECT_CORE_POWER, INDEX_ALL, WANTED_NUMBER, enable);
	if (!error && priority != ISST_KEEP_PRIORITY)
		error = command_add(&command, SUBJECT_PRIORITY, INDEX_ALL, WANTED_NUMBER,
				    (uint64_t)priority);
	facts_for_each_domain (domain, &command.facts)
		domain->counts = domain_is_active(domain);
	if (!error)
		error = command_plan(&command, ALL_SUBJECTS);
	return command_end(&command, requests, count, error);
}

static int check_clos(struct isst_change *change, const struct isst_clos *values)
{
	const unsigned int mhz[] = { values->min_mhz, values->max_mhz, values->desired_mhz };
	struct messages *messages = &change->context->messages;

	if (values->clos >= ISST_CLOS_COUNT)
		return message_error(messages, -EINVAL, "CLOS %u does not exist: only 0 to %d",
				     values->clos, ISST_CLOS_COUNT - 1);
	if (values->epp > 15 || values->weight > 15)
		return message_error(messages, -EINVAL, "EPP and weight of a CLOS must be 0 to 15");
	if (values->min_mhz > ISST_CLOS_NO_LIMIT_MHZ || values->max_mhz > ISST_CLOS_NO_LIMIT_MHZ ||
	    values->desired_mhz > ISST_CLOS_NO_LIMIT_MHZ)
		return message_error(messages, -EINVAL, "frequencies of a CLOS are at most %d MHz",
				     ISST_CLOS_NO_LIMIT_MHZ);
	for (size_t i = 0; i < sizeof(mhz) / sizeof(mhz[0]); i++)
		if (mhz[i] % MHZ_PER_RATIO != 0)
			return message_error(messages, -EINVAL,
					     "CLOS %u: %u MHz is not a multiple of %d MHz",
					     values->clos, mhz[i], MHZ_PER_RATIO);
	if (values->min_mhz > values->max_mhz)
		return message_error(messages, -EINVAL, "CLOS %u: min %u MHz is above max %u MHz",
				     values->clos, values->min_mhz, values->max_mhz);
	return 0;
}

int change_plan_clos(struct isst_change *change, struct domain_request *requests, size_t count,
		     const struct isst_clos *values, uint32_t subjects)
{
	const struct command_needs needs = { REACH_POWER_DOMAINS, CORE_POWER_ONLY,
					     CORE_POWER_ONLY };
	const struct {
		enum subject subject;
		enum wanted_kind wanted;
		uint64_t number;
	} fields[] = {
		{ SUBJECT_CLOS_MIN, WANTED_KHZ, values->min_mhz * KHZ_PER_MHZ },
		{ SUBJECT_CLOS_MAX, WANTED_KHZ, values->max_mhz * KHZ_PER_MHZ },
		{ SUBJECT_CLOS_DESIRED, WANTED_KHZ, values->desired_mhz * KHZ_PER_MHZ },
		{ SUBJECT_CLOS_EPP, WANTED_NUMBER, values->epp },
		{ SUBJECT_CLOS_WEIGHT, WANTED_NUMBER, values->weight },
	};
	struct planned_command command = { .change = change, .of_clos = true };
	struct facts *facts = &command.facts;
	int error = check_clos(change, values);

	if (!error)
		error = command_begin(&command, requests, count, &needs);
	facts_for_each_domain (domain, facts)
		if (!error)
			check_support(change, domain);
	command_settle(&command);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) && !error; i++)
		if (subjects >> fields[i].subject & 1)
			error = command_add(&command, fields[i].subject, values->clos,
					    fields[i].wanted, fields[i].number);
	facts_for_each_domain (domain, &command.facts)
		domain->counts = domain_is_active(domain);
	if (!error)
		error = command_plan(&command, ALL_SUBJECTS);
	return command_end(&command, requests, count, error);
}

/** What stands against a CPU is what does against its domain, or that its core is unknown. */
int change_plan_association(struct isst_change *change, struct domain_request *cpus, size_t count,
			    unsigned int clos)
{
	struct isst_context *context = change->context;
	struct setting setting = { .subject = SUBJECT_ASSOCIATION,
				   .index = INDEX_ALL,
				   .wanted = WANTED_NUMBER,
				   .number = clos,
				   .cpus = isst_cpuset_new() };
	const struct command_needs needs = { REACH_ASKED, CORE_POWER_ONLY, CORE_POWER_ONLY };
	struct planned_command command = { .change = change };
	struct facts *facts = &command.facts;
	int error = setting.cpus ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++) {
		error = context_check_cpu(context, cpus[i].cpu);
		if (!error)
			cpus[i].domain = cpus[i].cpu->domain;
	}
	if (!error && clos >= ISST_CLOS_COUNT)
		error = message_error(&context->messages, -EINVAL,
				      "CLOS %u does not exist: only 0 to %d", clos,
				      ISST_CLOS_COUNT - 1);
	if (!error)
		error = command_begin(&command, cpus, count, &needs);
	for (size_t i = 0; i < facts->count && !error; i++)
		check_support(change, &facts->domains[i]);
	for (size_t i = 0; i < count && !error; i++) {
		const struct isst_cpu *cpu = cpus[i].cpu;
		const char *objection = context_core_objection(context, cpu);

		cpus[i].failure = facts->domains[cpu->domain->index].failure;
		if (request_is_active(&cpus[i]) && objection)
			message_failure(&context->messages, &cpus[i].failure,
					of_cpu(cpu->domain, cpu->number), -EIO, "CPU %u: %s",
					cpu->number, objection);
		else if (request_is_active(&cpus[i]))
			error = isst_cpuset_add(setting.cpus, cpu->number, cpu->number);
	}
	if (!error)
		error = configuration_add(&command.settings, &setting);
	facts_for_each_domain (domain, &command.facts)
		domain->counts = domain_is_active(domain);
	if (!error)
		error = command_plan(&command, ALL_SUBJECTS);
	setting_clear(&setting);
	command_clear(&command);
	return plan_conclude(change, cpus, count, error);
}
