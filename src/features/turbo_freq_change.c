/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SST-TF on and off, with what goes with it: core-power, turbo ratio limits, CLOS and associations.
 */
#include "features/context.h"
#include "features/span.h"
#include "sysfs/cpufreq.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NAME "turbo-freq"

enum { LOW_CLOS = 3, LOWEST_PRIORITY = 15, MHZ_PER_RATIO = 100 };

/** All bits set: the turbo-freq frequencies are the limit. */
#define ALL_LIMITS UINT64_MAX

static void check_support(struct isst_change *change, struct isst_request *request,
			  const struct domain_facts *facts, bool enable)
{
	if (!wanted(request))
		return;
	if (facts->level.turbo_freq == ISST_FEATURE_UNSUPPORTED)
		refuse(change, request, -EOPNOTSUPP,
		       "turbo-freq feature is not present at this level %u", facts->level.level);
	else if (enable && !facts->core_power.supported)
		refuse(change, request, -EOPNOTSUPP,
		       "core-power, which turbo-freq needs, is not supported");
}

/** Turbo frequencies can be had only while turbo is on; where the kernel does not say, firmware
 * decides. */
static int check_turbo(struct isst_change *change, struct isst_request *requests, size_t count)
{
	struct isst_context *context = change->context;
	enum turbo_state state;
	int error = cpufreq_turbo_state(&context->files, &state);

	if (error == -ENOMEM)
		return error;
	for (size_t i = 0; i < count; i++) {
		if (!wanted(&requests[i]))
			continue;
		if (error)
			refuse(change, &requests[i], error, "%s", isst_error(context));
		else if (state == TURBO_OFF)
			refuse(change, &requests[i], -EIO,
			       "Turbo mode is disabled: write 0 to " CPU_DIRECTORY
			       "/intel_pstate/no_turbo, or enable turbo in the BIOS");
	}
	return 0;
}

/** No limits of frequency; what differs between the classes is their order. */
static void plan_closes(struct isst_change *change, const struct isst_request *requests,
			size_t count)
{
	struct step *step = change_step(change, ITEM_CLOS);
	/* The desired frequency of a CLOS is not this feature's: its bits stay. */
	uint64_t mask = clos_mask(change->context) & 0xffffff;

	for (size_t i = 0; i < count; i++)
		for (unsigned int clos = 0; clos < ISST_CLOSES && wanted(&requests[i]); clos++)
			step_set(step, item_of(ITEM_CLOS, requests[i].domain, clos), mask,
				 clos_value(
					 &(struct isst_clos){ .epp = clos ? LOWEST_PRIORITY : 0,
							      .weight = clos ? LOWEST_PRIORITY : 0,
							      .max_mhz = ISST_NO_LIMIT_MHZ }));
}

/** Number of cores of a domain that have a CPU in a set. */
static unsigned int count_cores(const struct isst_context *context,
				const struct isst_domain *domain, const struct isst_cpuset *cpus)
{
	uint64_t cores = 0;
	unsigned int number;

	isst_cpuset_for_each (number, domain->present) {
		const struct isst_cpu *cpu = isst_cpu(context, number);

		if (cpu && cpu->core_known && isst_cpuset_has(cpus, number))
			cores |= UINT64_C(1) << (cpu->core & 63);
	}
	return (unsigned int)__builtin_popcountll(cores);
}

/** The table of buckets as text: `2 cores, 4 cores, 6 cores`. */
static char *format_buckets(const struct isst_turbo_freq *info)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	bool failed = !stream;

	for (unsigned int i = 0; i < info->buckets && !failed; i++)
		failed = fprintf(stream, "%s%u cores at %u MHz", i ? ", " : "",
				 info->high_priority_cores[i], info->mhz[0][i].value) < 0;
	if (stream && fclose(stream))
		failed = true;
	if (failed) {
		free(text);
		return NULL;
	}
	return text;
}

/** Buckets are the package's, so the cores of all its domains count together. */
static void warn_of_buckets(struct isst_change *change, const struct domain_facts *facts,
			    const struct isst_request *requests, size_t count,
			    const struct isst_cpuset *high_priority)
{
	const struct isst_turbo_freq *info = &facts->level.turbo_freq_info;
	unsigned int package = facts->level.domain->package, cores = 0;
	char *buckets;

	for (size_t i = 0; i < count; i++)
		if (requests[i].domain->package == package)
			cores += count_cores(change->context, requests[i].domain, high_priority);
	if (info->buckets == 0 || cores <= info->high_priority_cores[info->buckets - 1])
		return;
	buckets = format_buckets(info);
	change_warn(
		change,
		"package %u: %u cores have high priority, more than the level offers a higher turbo "
		"frequency for (%s)",
		package, cores, buckets ? buckets : "");
	free(buckets);
}

/** A limit of cpufreq below the turbo frequency keeps a CPU of high priority from it. */
static void warn_of_limits(struct isst_change *change, const struct domain_facts *facts,
			   const struct isst_cpuset *high_priority)
{
	const struct isst_value *best = &facts->level.turbo_freq_info.mhz[0][0];
	unsigned int cpu;

	isst_cpuset_for_each (cpu, facts->level.domain->online) {
		uint64_t khz;

		if (!isst_cpuset_has(high_priority, cpu) || best->state != ISST_KNOWN ||
		    cpufreq_read_limit(&change->context->files, cpu, CPUFREQ_MAX, &khz))
			continue;
		if (khz != CPUFREQ_NO_LIMIT && khz < best->value * UINT64_C(1000))
			change_warn(
				change,
				"CPU %u: its scaling_max_freq of %llu MHz keeps it from the %u MHz of "
				"high priority",
				cpu, (unsigned long long)khz / 1000, best->value);
	}
}

/** CPUs that an earlier run made high priority lose that; they are named, for it may come as a
 * surprise. */
static int warn_of_former(struct isst_change *change, const struct isst_domain *domain,
			  const struct isst_cpuset *high_priority)
{
	size_t count = isst_cpuset_count(domain->present), filled = 0;
	struct isst_clos_association *now = calloc(count ? count : 1, sizeof(*now));
	struct isst_cpuset *former = isst_cpuset_new();
	unsigned int number;
	char *list;
	int error = now && former ? 0 : -ENOMEM;

	if (error)
		goto out;
	isst_cpuset_for_each (number, domain->present)
		now[filled++].cpu = isst_cpu(change->context, number);
	error = isst_clos_association_read(change->context, now, filled);
	for (size_t i = 0; i < filled && !error; i++) {
		unsigned int cpu = now[i].cpu->number;

		if (now[i].failure.error && now[i].cpu->core_known)
			error = message_error(&change->context->messages, now[i].failure.error,
					      "%s", now[i].failure.message);
		else if (!now[i].failure.error && now[i].clos == 0 &&
			 !isst_cpuset_has(high_priority, cpu))
			error = isst_cpuset_add(former, cpu, cpu);
	}
	if (error || isst_cpuset_count(former) == 0)
		goto out;
	list = isst_cpuset_ranges(former);
	change_warn(change, "CPUs %s had high priority before and are low priority now",
		    list ? list : "");
	free(list);
out:
	free(now);
	isst_cpuset_free(former);
	return error;
}

/** Adds the siblings of CPUs: what is given priority is a core. */
static struct isst_cpuset *with_siblings(const struct isst_context *context,
					 const struct isst_cpuset *cpus)
{
	struct isst_cpuset *all = isst_cpuset_new();
	unsigned int number;
	int error = all ? 0 : -ENOMEM;

	isst_cpuset_for_each (number, cpus) {
		const struct isst_cpu *cpu = isst_cpu(context, number);
		struct isst_cpuset *core;

		if (error || !cpu || !cpu->core_known || cpu->core >= 64)
			continue;
		core = topology_cpus_of_cores(context->topology, cpu->domain,
					      UINT64_C(1) << cpu->core);
		error = core ? isst_cpuset_add_set(all, core) : -ENOMEM;
		isst_cpuset_free(core);
	}
	if (!error)
		return all;
	isst_cpuset_free(all);
	return NULL;
}

/** Whether a request is the first of its package that is wanted. */
static bool is_first_of_package(const struct isst_request *requests, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (wanted(&requests[j]) &&
		    requests[j].domain->package == requests[i].domain->package)
			return false;
	return wanted(&requests[i]);
}

/** CLOS and associations in the packages that hold a core of high priority; in all where none is
 * named. */
static int plan_priorities(struct span *span, const struct isst_cpuset *named)
{
	struct isst_change *change = span->change;
	struct isst_context *context = change->context;
	struct isst_cpuset *high = named ? with_siblings(context, named) : isst_cpuset_new();
	const struct isst_request *requests = span->requests;
	const struct domain_facts *facts = span->facts.domains;
	struct step *step;
	int error = high ? 0 : -ENOMEM;

	if (error)
		return error;
	for (size_t i = 0; i < span->own && named; i++)
		if (is_first_of_package(requests, i))
			warn_of_buckets(change, &facts[i], requests, span->count, high);
	for (size_t i = 0; i < span->own; i++)
		if (wanted(&requests[i]))
			warn_of_limits(change, &facts[i], high);
	for (size_t i = 0; i < span->count && !error; i++)
		if (wanted(&requests[i]) && facts[i].level.turbo_freq == ISST_FEATURE_ENABLED)
			error = warn_of_former(change, requests[i].domain, high);
	if (!named)
		change_warn(
			change,
			"no CPUs are named: every core becomes low priority, and none gets a higher turbo "
			"frequency; name those of high priority with -c before the feature");
	plan_closes(change, requests, span->count);
	step = change_step(change, ITEM_ASSOCIATION);
	for (size_t i = 0; i < span->count && !error; i++) {
		if (!wanted(&requests[i]))
			continue;
		plan_association_entries(step, context, requests[i].domain, high, 0, LOW_CLOS);
		error = record_level(change, requests[i].domain, facts[i].profile.current_level);
	}
	isst_cpuset_free(high);
	return error;
}

/** The turbo ratio limits of a level: those of its first TRL type. */
static uint64_t limits_of_level(const struct isst_level *level)
{
	uint64_t limits = 0;

	for (unsigned int i = 0; i < ISST_BUCKETS; i++)
		limits |= (uint64_t)(level->limit[0].mhz[i].value / MHZ_PER_RATIO & 0xff) << 8 * i;
	return limits;
}

/**
 * Whose level tells the limits of domain @i. Power domains share the register of their package:
 * were each to write its own limits, the last one would count, and the next run would find the
 * others changed.
 */
static size_t limits_owner(const struct isst_change *change, const struct isst_request *requests,
			   size_t i)
{
	size_t first = 0;

	if (!context_has_power_domains(change->context))
		return i;
	while (!wanted(&requests[first]) || !requests[first].domain->has_cpu ||
	       requests[first].domain->package != requests[i].domain->package)
		first++;
	return first;
}

static void plan_limits(struct isst_change *change, const struct isst_request *requests,
			const struct facts *facts, const struct isst_turbo_freq_request *request,
			const bool *restored)
{
	struct step *step = change_step(change, ITEM_TURBO_RATIO_LIMITS);

	for (size_t i = 0; i < facts->count; i++) {
		uint64_t limits = ALL_LIMITS;

		/* The register is that of a CPU. */
		if (!wanted(&requests[i]) || !requests[i].domain->has_cpu ||
		    (restored && restored[i] && !request->limits_given))
			continue;
		if (request->limits_given)
			limits = request->limits;
		else if (!request->enable)
			limits = limits_of_level(
				&facts->domains[limits_owner(change, requests, i)].level);
		step_set(step, item_of(ITEM_TURBO_RATIO_LIMITS, requests[i].domain, 0), WHOLE_VALUE,
			 limits);
	}
}

static int plan_enable(struct span *span, const struct isst_turbo_freq_request *request)
{
	struct isst_change *change = span->change;
	const struct facts own = span_own_facts(span);
	size_t first = change->count;
	int error = 0;

	warn_of_cpufreq(change, span->requests, span->own);
	plan_core_power_steps(change, span->requests, span_core_power_count(span), true,
			      ISST_MAKE_ORDERED);
	plan_feature_step(change, span->requests, &own, FEATURE_TURBO_FREQ, FEATURE_TURBO_FREQ);
	plan_limits(change, span->requests, &own, request, NULL);
	if (!request->automatic)
		return 0;
	error = plan_priorities(span, request->high_priority);
	if (!error)
		error = record_keep(change, NAME, first);
	return error;
}

/** Without a record: core-power off unless base-freq needs it. */
static int plan_defaults(const struct span *span, const bool *restored)
{
	struct isst_request *rest = calloc(span->count + 1, sizeof(*rest));
	struct isst_change *change = span->change;

	if (!rest)
		return -ENOMEM;
	for (size_t i = 0; i < span->count; i++) {
		bool needed = feature_in_use(change, span->requests, &span->facts, i,
					     FEATURE_BASE_FREQ);

		rest[i] = span->requests[i];
		if (!wanted(&rest[i]) || restored[i])
			rest[i].failure.error = -ECANCELED;
		else if (needed)
			change_warn(change, "%s: core-power stays on: base-freq needs it",
				    rest[i].domain->name);
		if (needed)
			rest[i].failure.error = -ECANCELED;
	}
	plan_core_power_steps(change, rest, span_core_power_count(span), false, ISST_KEEP_PRIORITY);
	free(rest);
	return 0;
}

static int plan_disable(struct span *span, const struct isst_turbo_freq_request *request)
{
	bool *restored = calloc(span->count + 1, sizeof(*restored));
	const struct facts own = span_own_facts(span);
	struct isst_change *change = span->change;
	int error = restored ? 0 : -ENOMEM;

	span_leave_users(span, FEATURE_TURBO_FREQ);
	plan_feature_step(change, span->requests, &own, FEATURE_TURBO_FREQ, 0);
	if (!error && request->automatic)
		error = plan_restoring(change, NAME, span->requests, &span->facts, restored);
	if (!error)
		plan_limits(change, span->requests, &own, request, restored);
	if (!error && request->automatic)
		error = plan_defaults(span, restored);
	free(restored);
	return error;
}

int isst_plan_turbo_freq(struct isst_change *change, struct isst_request *requests, size_t count,
			 const struct isst_turbo_freq_request *request)
{
	/* Disabling restores the limits of the level, of which nothing is in force now. */
	unsigned int parts = request->enable ? ISST_LEVEL_TURBO_FREQ
					     : ISST_LEVEL_PROPERTIES | ISST_LEVEL_SPECIFIED;
	struct span span;
	int error = span_begin(change, requests, count,
			       request->automatic ? SPAN_PACKAGES : SPAN_POWER_DOMAINS,
			       CURRENT_LEVEL, parts, &span);

	if (error)
		return error;
	for (size_t i = 0; i < count; i++)
		check_support(change, &span.requests[i], &span.facts.domains[i], request->enable);
	if (request->enable)
		error = check_turbo(change, span.requests, count);
	span_settle(&span);
	if (!error && request->enable)
		error = plan_enable(&span, request);
	else if (!error)
		error = plan_disable(&span, request);
	span_end(&span, requests);
	return error;
}
