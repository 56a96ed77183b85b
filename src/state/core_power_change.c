/* SPDX-License-Identifier: BSD-3-Clause */
/* SST-CP: switching it, configuring CLOS, and putting cores into them. */
#include "common/memory_stream.h"
#include "common/numbered.h"
#include "state/apply.h"
#include "state/plan.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"
#include "transaction/report.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- What stays behind ---- */

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

/** Reports which CLOS limits and associations stay in a domain when core-power goes off, where they
 * are not those of power-on. What cannot be read is passed over: nothing depends on it. @in_force:
 * classes hold all the same, or may. */
static void warn_of_clos_remains(struct isst_change *change, const struct domain_request *request,
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

enum { MHZ_PER_RATIO = 100, KHZ_PER_MHZ = 1000 };

/** What is needed for CLOS: levels are none of it, and there may be none. */
#define CORE_POWER_ONLY \
	{ \
		.core_power = REQUIRED \
	}

static void check_support(struct isst_change *change, struct domain_request *request,
			  const struct domain_snapshot *current)
{
	if (request_is_active(request) && !current->core_power.supported)
		request_reject(change, request, -EOPNOTSUPP, "core-power not supported");
}

/** Where there is a cpufreq driver; one whose file cannot be read is there. */
static void warn_of_interference(struct isst_change *change, const struct domain_request *requests,
				 size_t count)
{
	uint64_t khz;

	for (size_t i = 0; i < count; i++) {
		if (!request_is_active(&requests[i]) || !requests[i].domain->has_cpu ||
		    cpufreq_read(&change->context->files, requests[i].domain->cpu,
				 "scaling_max_freq", &khz) == -ENOENT)
			continue;
		change_warn(change, ISST_WARNING_CPUFREQ_INTERFERES,
			    "cpufreq subsystem and core-power enable will interfere with each "
			    "other!");
		break;
	}
	warn_of_cpufreq(change, requests, count);
}

/* ---- Off ---- */

/** Takes what could not be asked of turbo-freq, which may be on. Firmware that refuses to report
 * (-EOPNOTSUPP) has none. */
static void take_unknown(struct domain_request *request, const struct isst_failure *failure)
{
	if (failure->error != -EOPNOTSUPP)
		request->failure = *failure;
}

/** Whether turbo-freq is on, asked where the summary of levels is refused: of the one level that
 * there is then. */
static int ask_turbo_freq(struct isst_change *change, struct domain_request *request, bool *on)
{
	struct item_access features = { .item = item_of(ITEM_FEATURES, request->domain, 0) };
	int error = items_read(change->context, &features, 1);

	if (error)
		return error;
	*on = !features.failure.error && features.value.number & FEATURE_TURBO_FREQ;
	take_unknown(request, &features.failure);
	return 0;
}

/** On the mailbox core-power is not taken from turbo-freq, nor where nothing could be learnt of
 * that; where there are levels, a refusal is no answer either. */
static int check_turbo_freq(struct package_scope *scope, size_t i)
{
	const struct domain_snapshot *current = &scope->current.domains[i];
	struct domain_request *request = &scope->requests[i];
	bool on = feature_is_on(&current->level, FEATURE_TURBO_FREQ);
	int error = 0;

	if (!request_is_active(request))
		return 0;
	if (current->profile.failure.error == -EOPNOTSUPP)
		error = ask_turbo_freq(scope->change, request, &on);
	else if (current->profile.failure.error)
		request->failure = current->profile.failure;
	else if (current->profile.enabled && current->level.failure.error)
		request->failure = current->level.failure;
	else
		take_unknown(request, &current->level.failure);
	if (on)
		request_reject(
			scope->change, request, -EIO,
			"Ignoring request, turbo-freq feature is still enabled; disable it first "
			"(turbo-freq disable)");
	return error;
}

#define CLASSES_HOLD \
	"limits and priorities of classes of service still count, as on servers that were measured"

/** Reports that turbo-freq stays enabled in a power domain, or may. Returns whether it does. */
static bool warn_of_turbo_freq(struct isst_change *change, const struct isst_domain *domain,
			       const struct domain_snapshot *current)
{
	bool on = feature_is_on(&current->level, FEATURE_TURBO_FREQ);

	if (on)
		change_warn(change, ISST_WARNING_TURBO_FREQ_WITHOUT_CORE_POWER,
			    "%s: core-power is disabled, turbo-freq stays enabled: " CLASSES_HOLD,
			    domain->name);
	else if (feature_may_be_on(current, FEATURE_TURBO_FREQ))
		change_warn(
			change, ISST_WARNING_TURBO_FREQ_WITHOUT_CORE_POWER,
			"%s; core-power is disabled: if turbo-freq is enabled there, " CLASSES_HOLD,
			feature_unknown_why(current));
	else
		return false;
	return true;
}

/** By TPMI real servers are run with turbo-freq on and core-power off: that is only reported, once
 * for each package. I/O dies have no cores. */
static void note_turbo_freq(const struct package_scope *scope, size_t i)
{
	unsigned int package = scope->requests[i].domain->package;

	for (size_t j = 0; j < i; j++)
		if (request_is_active(&scope->requests[j]) &&
		    scope->requests[j].domain->package == package)
			return;
	for (size_t j = 0; j < scope->count; j++) {
		const struct isst_domain *domain = scope->requests[j].domain;

		if (domain->package == package && !isst_domain_is_io(domain) &&
		    scope->current.domains[i].core_power.enabled &&
		    warn_of_turbo_freq(scope->change, domain, &scope->current.domains[j]))
			return;
	}
}

/** What `disable` finds to do: nothing where there is no core-power. */
static int check_disable(struct package_scope *scope, size_t i)
{
	struct domain_request *request = &scope->requests[i];

	if (!request_is_active(request))
		return 0;
	if (scope->current.domains[i].core_power.supported) {
		if (!context_has_power_domains(scope->change->context))
			return check_turbo_freq(scope, i);
		note_turbo_freq(scope, i);
		return 0;
	}
	if (isst_domain_is_io(request->domain)) {
		check_support(scope->change, request, &scope->current.domains[i]);
		return 0;
	}
	change_warn(scope->change, ISST_WARNING_NOTHING_TO_DISABLE,
		    "%s: core-power not supported: nothing to disable", request->domain->name);
	package_scope_drop(scope, i);
	return 0;
}

/** Finds where the use of CLOS alone is on. Only messages depend on that: what cannot be read is
 * passed over. */
static int find_clos_use(const struct package_scope *scope, bool *used)
{
	struct item_access *qos = calloc(scope->own + 1, sizeof(*qos));
	size_t *owners = calloc(scope->own + 1, sizeof(*owners)), count = 0;
	int error = qos && owners ? 0 : -ENOMEM;

	for (size_t i = 0; i < scope->own && !error; i++) {
		if (!request_is_active(&scope->requests[i]) || used[i])
			continue;
		owners[count] = i;
		qos[count++].item = item_of(ITEM_QOS, scope->requests[i].domain, 0);
	}
	if (!error && count > 0)
		error = items_read(scope->change->context, qos, count);
	for (size_t i = 0; i < count && !error; i++) {
		change_project(scope->change, &qos[i].item, &qos[i].value.number);
		used[owners[i]] = !qos[i].failure.error && !qos[i].absent &&
				  qos[i].value.number & QOS_CLOS_ENABLE;
	}
	free(qos);
	free(owners);
	return error;
}

/** Reports what stays of core-power where it, or the use of CLOS alone, goes off. */
static int name_remains(const struct package_scope *scope)
{
	const struct firmware_operations *operations = scope->change->context->firmware.operations;
	bool *used = calloc(scope->own + 1, sizeof(*used));
	int error = used ? 0 : -ENOMEM;

	for (size_t i = 0; i < scope->own && !error; i++)
		used[i] = scope->current.domains[i].core_power.enabled;
	if (!error && !operations->one_core_power_switch)
		error = find_clos_use(scope, used);
	for (size_t i = 0; i < scope->own && !error; i++)
		if (request_is_active(&scope->requests[i]) && used[i])
			warn_of_clos_remains(scope->change, &scope->requests[i],
					     operations->turbo_freq_uses_clos &&
						     feature_may_be_on(&scope->current.domains[i],
								       FEATURE_TURBO_FREQ));
	free(used);
	return error;
}

/* ---- On and off ---- */

static int check_priority(struct isst_change *change, enum isst_priority_request priority)
{
	int number = priority;

	if (number >= ISST_KEEP_PRIORITY && number <= ISST_MAKE_ORDERED)
		return 0;
	return message_error(&change->context->messages, -EINVAL,
			     "%d is not a priority: only 0 (proportional) and 1 (ordered)", number);
}

static int plan_core_power(struct isst_change *change, struct domain_request *requests,
			   size_t count, bool enable, enum isst_priority_request priority)
{
	/* Levels are asked for turbo-freq alone, and only before core-power goes off. */
	const struct state_needs current = { .levels = enable ? NOT_NEEDED : OPTIONAL,
					     .choice = LEVEL_CURRENT,
					     .core_power = REQUIRED };
	const struct scope_needs needs = { SCOPE_POWER_DOMAINS, current, current };
	struct setting settings[] = { { .subject = SUBJECT_CORE_POWER,
					.index = INDEX_ALL,
					.wanted = WANTED_NUMBER,
					.number = enable },
				      { .subject = SUBJECT_PRIORITY,
					.index = INDEX_ALL,
					.wanted = WANTED_NUMBER,
					.number = (uint64_t)priority } };
	struct configuration configuration = {
		.settings = settings, .setting_count = priority == ISST_KEEP_PRIORITY ? 1 : 2
	};
	struct package_scope scope;
	int error = check_priority(change, priority);

	if (!error)
		error = package_scope_begin(change, requests, count, &needs, &scope);
	if (error)
		return error;
	for (size_t i = 0; i < count && !error; i++) {
		if (enable)
			check_support(change, &scope.requests[i], &scope.current.domains[i]);
		else
			error = check_disable(&scope, i);
	}
	package_scope_drop_idle_siblings(&scope);
	if (enable)
		warn_of_interference(change, scope.requests, count);
	if (!enable && !error)
		error = name_remains(&scope);
	if (!error)
		error = plan_settings(&scope, scope.requests, ALL_SUBJECTS, NULL, &configuration);
	package_scope_end(&scope, requests);
	return error;
}

int change_plan_core_power(struct isst_change *change, struct domain_request *requests,
			   size_t count, bool enable, enum isst_priority_request priority)
{
	return plan_conclude(change, requests, count,
			     plan_core_power(change, requests, count, enable, priority));
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

static int plan_clos(struct isst_change *change, struct domain_request *requests, size_t count,
		     const struct isst_clos *values)
{
	const struct scope_needs needs = { SCOPE_POWER_DOMAINS, CORE_POWER_ONLY, CORE_POWER_ONLY };
	struct setting settings[] = {
		{ .subject = SUBJECT_CLOS_MIN,
		  .index = values->clos,
		  .wanted = WANTED_KHZ,
		  .number = values->min_mhz * KHZ_PER_MHZ },
		{ .subject = SUBJECT_CLOS_MAX,
		  .index = values->clos,
		  .wanted = WANTED_KHZ,
		  .number = values->max_mhz * KHZ_PER_MHZ },
		{ .subject = SUBJECT_CLOS_DESIRED,
		  .index = values->clos,
		  .wanted = WANTED_KHZ,
		  .number = values->desired_mhz * KHZ_PER_MHZ },
		{ .subject = SUBJECT_CLOS_EPP,
		  .index = values->clos,
		  .wanted = WANTED_NUMBER,
		  .number = values->epp },
		{ .subject = SUBJECT_CLOS_WEIGHT,
		  .index = values->clos,
		  .wanted = WANTED_NUMBER,
		  .number = values->weight },
	};
	struct configuration configuration = {
		.settings = settings, .setting_count = sizeof(settings) / sizeof(settings[0])
	};
	struct package_scope scope;
	int error = check_clos(change, values);

	if (!error)
		error = package_scope_begin(change, requests, count, &needs, &scope);
	if (error)
		return error;
	for (size_t i = 0; i < count; i++) {
		check_support(change, &scope.requests[i], &scope.current.domains[i]);
		if (request_is_active(&scope.requests[i]))
			warn_of_clos_range(change, scope.requests[i].domain, values, "--max none");
	}
	package_scope_drop_idle_siblings(&scope);
	error = plan_settings(&scope, scope.requests, ALL_SUBJECTS, NULL, &configuration);
	package_scope_end(&scope, requests);
	return error;
}

int change_plan_clos(struct isst_change *change, struct domain_request *requests, size_t count,
		     const struct isst_clos *values)
{
	return plan_conclude(change, requests, count, plan_clos(change, requests, count, values));
}

/** The domains of the CPUs, each once. Returns their number. */
static size_t find_domains(const struct cpu_request *cpus, size_t count,
			   struct domain_request *requests)
{
	size_t domains = 0;

	for (size_t i = 0; i < count; i++) {
		size_t known = 0;

		while (known < domains && requests[known].domain != cpus[i].cpu->domain)
			known++;
		if (known == domains)
			requests[domains++].domain = cpus[i].cpu->domain;
	}
	return domains;
}

/** What stands against the association of one CPU: what stands against its domain, or that its core
 * is not known. */
static void check_association(struct isst_change *change, struct cpu_request *request,
			      const struct domain_request *requests)
{
	const struct isst_cpu *cpu = request->cpu;
	const char *objection = context_core_objection(change->context, cpu);

	request->failure = (struct isst_failure){ 0 };
	while (requests->domain != cpu->domain)
		requests++;
	if (!request_is_active(requests))
		request->failure = requests->failure;
	else if (objection)
		message_failure(&change->context->messages, &request->failure, -EIO, "CPU %u: %s",
				cpu->number, objection);
}

static int plan_association(struct isst_change *change, struct cpu_request *cpus, size_t count,
			    unsigned int clos)
{
	struct domain_request *requests = calloc(isst_domain_count(change->context),
						 sizeof(*requests));
	struct setting setting = { .subject = SUBJECT_ASSOCIATION,
				   .index = INDEX_ALL,
				   .wanted = WANTED_NUMBER,
				   .number = clos };
	struct configuration configuration = { .settings = &setting, .setting_count = 1 };
	const struct scope_needs needs = { SCOPE_REQUESTS, CORE_POWER_ONLY, CORE_POWER_ONLY };
	struct package_scope scope;
	int error = requests ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++)
		error = context_check_cpu(change->context, cpus[i].cpu);
	if (!error && clos >= ISST_CLOS_COUNT)
		error = message_error(&change->context->messages, -EINVAL,
				      "CLOS %u does not exist: only 0 to %d", clos,
				      ISST_CLOS_COUNT - 1);
	if (!error)
		error = package_scope_begin(change, requests, find_domains(cpus, count, requests),
					    &needs, &scope);
	if (error)
		goto out;
	setting.cpus = isst_cpuset_new();
	error = setting.cpus ? 0 : -ENOMEM;
	for (size_t i = 0; i < scope.own; i++)
		check_support(change, &scope.requests[i], &scope.current.domains[i]);
	for (size_t i = 0; i < count && !error; i++) {
		check_association(change, &cpus[i], scope.requests);
		if (!cpus[i].failure.error)
			error = isst_cpuset_add(setting.cpus, cpus[i].cpu->number,
						cpus[i].cpu->number);
	}
	if (!error)
		error = plan_settings(&scope, scope.requests, ALL_SUBJECTS, NULL, &configuration);
	package_scope_end(&scope, requests);
	isst_cpuset_free(setting.cpus);
out:
	free(requests);
	return error;
}

int change_plan_association(struct isst_change *change, struct cpu_request *requests, size_t count,
			    unsigned int clos)
{
	return plan_conclude_cpus(change, requests, count,
				  plan_association(change, requests, count, clos));
}
