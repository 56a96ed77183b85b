/* SPDX-License-Identifier: BSD-3-Clause */
/* Which CPUs are in use, where that is asked for itself: by the level, isolated, all, or all but
 * some. */
#include "base/cpuset.h"
#include "features/cpus_change.h"
#include "features/plan.h"
#include "topology/context.h"

#include <errno.h>
#include <stdlib.h>

/** A request while it is planned. */
struct cpus_request {
	struct cpus_change cpus;
	struct domain_request *requests;
	enum cpus_wanted wanted;
	const struct isst_cpuset *offline;
	struct current_state current; /* of the level's */
	struct cpus_target *targets;
	struct isst_cpuset **enabled; /* of those that are not the level's; each may be NULL */
};

/* ---- What is enabled ---- */

/** Of all that a level specifies only its CPUs are made use of. */
static bool suffices(const struct isst_level *level)
{
	return level->cpus || isst_domain_is_io(level->domain);
}

/** The same where CPUs of which nothing is known are brought online. */
static bool suffices_once_seen(const struct isst_level *level)
{
	return suffices(level) || cpus_are_found(level);
}

static int read_levels(struct cpus_request *work)
{
	const struct state_needs needs = {
		.levels = REQUIRED,
		.choice = LEVEL_CURRENT,
		.parts = ISST_READ_LEVELS_PROPERTIES,
		.suffices = work->cpus.change->options.leave_unknown_cpus ? suffices
									  : suffices_once_seen,
	};
	int error = current_state_read(work->cpus.change, work->requests, work->cpus.count, &needs,
				       &work->current);

	for (size_t i = 0; i < work->cpus.count && !error; i++) {
		const struct isst_level *level = &work->current.domains[i].level;

		/* A preset platform has no other level than one with all of them. */
		work->targets[i] = (struct cpus_target){
			level->cpus, level->cores, work->cpus.change->context->platform.preset
		};
	}
	return error;
}

static int begin_request(struct cpus_request *work)
{
	struct isst_context *context = work->cpus.change->context;
	size_t count = work->cpus.count;
	int error = 0;

	work->targets = calloc(count + 1, sizeof(*work->targets));
	work->enabled = calloc(count + 1, sizeof(*work->enabled));
	if (!work->targets || !work->enabled)
		return -ENOMEM;
	work->cpus.requests = work->requests;
	work->cpus.targets = work->targets;
	work->cpus.kept_offline = work->wanted == CPUS_OFFLINE ? work->offline : NULL;
	if (work->wanted == CPUS_BY_LEVEL || work->wanted == CPUS_ISOLATED)
		return read_levels(work);
	for (size_t i = 0; i < count && !error; i++) {
		struct domain_request *request = &work->requests[i];

		error = context_check_domain(context, request->domain);
		if (error)
			break;
		request->failure = (struct isst_failure){ 0 };
		if (isst_domain_is_io(request->domain))
			continue;
		/* CPUs of the domain that are not to be offline. */
		work->enabled[i] = cpus_others(request->domain, work->cpus.kept_offline);
		work->targets[i] = (struct cpus_target){ work->enabled[i], 0, true };
		error = work->enabled[i] ? 0 : -ENOMEM;
	}
	return error;
}

/* ---- What must hold ---- */

/** Whether a package keeps a CPU, of the domains that are asked for, or of another one, as other
 * requests of the change leave it. */
static bool keeps_a_cpu(const struct cpus_request *work, unsigned int package)
{
	const struct isst_change *change = work->cpus.change;
	unsigned int cpu;

	for (size_t i = 0; i < work->cpus.count; i++)
		if (work->requests[i].domain->package == package && work->targets[i].enabled &&
		    isst_cpuset_count(work->targets[i].enabled) > 0)
			return true;
	for (size_t i = 0; i < isst_domain_count(change->context); i++) {
		const struct isst_domain *domain = context_domain(change->context, i);
		bool requested = false;

		for (size_t j = 0; j < work->cpus.count; j++)
			requested |= work->requests[j].domain == domain;
		isst_cpuset_for_each (cpu, domain->present)
			if (domain->package == package && !requested &&
			    cpu_will_be_online(change, domain, cpu))
				return true;
	}
	return false;
}

/** A package all of whose CPUs are offline can no longer be reached, so that nothing could bring
 * them back but a request for all CPUs. */
static void check_packages(struct cpus_request *work)
{
	for (size_t i = 0; i < work->cpus.count; i++) {
		const struct isst_domain *domain = work->requests[i].domain;

		if (cpus_move(&work->cpus, i) && isst_cpuset_count(domain->present) > 0 &&
		    !keeps_a_cpu(work, domain->package))
			request_reject(
				work->cpus.change, &work->requests[i], -EIO,
				"all CPUs of package %u would go offline%s", domain->package,
				work->wanted == CPUS_BY_LEVEL || work->wanted == CPUS_ISOLATED
					? ": the firmware reports no core of it for its level"
					: "");
	}
}

/* ---- Planning ---- */

/** What comes online, or else what goes offline. Without partitions none can be isolated, and none
 * need be where the level enables all. */
static int plan_cpus(struct isst_change *change, struct domain_request *requests, size_t count,
		     enum cpus_wanted wanted, const struct isst_cpuset *offline, bool online)
{
	struct cpus_request work = { .cpus = { .change = change, .count = count },
				     .requests = requests,
				     .wanted = wanted,
				     .offline = offline };
	int error = begin_request(&work);

	if (!error)
		check_packages(&work);
	if (!error && wanted == CPUS_ISOLATED) {
		error = cpus_probe_partitions(change->context);
		work.cpus.partitions = !error;
		for (size_t i = 0; i < count && error == -EOPNOTSUPP; i++)
			if (cpus_move(&work.cpus, i) &&
			    !cpuset_contains(work.targets[i].enabled, requests[i].domain->present))
				request_reject(change, &requests[i], -EOPNOTSUPP, "%s",
					       isst_error(change->context));
		error = error == -EOPNOTSUPP ? 0 : error;
	}
	if (!error) {
		error = hotplug_begin(&work.cpus.hotplug, change);
		if (!error && online)
			cpus_plan_online(&work.cpus);
		else if (!error)
			error = cpus_plan_offline(&work.cpus);
		hotplug_end(&work.cpus.hotplug);
	}
	for (size_t i = 0; i < count && work.enabled; i++)
		isst_cpuset_free(work.enabled[i]);
	free(work.enabled);
	free(work.targets);
	current_state_free(&work.current);
	return error;
}

int plan_cpus_online(struct isst_change *change, struct domain_request *requests, size_t count,
		     enum cpus_wanted wanted, const struct isst_cpuset *offline)
{
	return plan_cpus(change, requests, count, wanted, offline, true);
}

int plan_cpus_offline(struct isst_change *change, struct domain_request *requests, size_t count,
		      enum cpus_wanted wanted, const struct isst_cpuset *offline)
{
	return plan_cpus(change, requests, count, wanted, offline, false);
}
