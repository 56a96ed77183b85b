/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs of which nothing is known, since they have been offline ever since: a level may enable them.
 */
#include "base/array.h"
#include "common/numbered.h"
#include "features/cpus_change.h"
#include "transaction/report.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>

static const struct enabled_cores *find_enabled(const struct isst_change *change,
						const struct isst_domain *domain)
{
	/* The last request of a domain is the one that stays. */
	for (size_t i = change->enabled_count; i-- > 0;) {
		const struct item *item = &change->enabled[i].domain;

		if (topology_find_domain(change->context->topology, item->package, item->die,
					 item->domain) == topology_domain(domain))
			return &change->enabled[i];
	}
	return NULL;
}

/** Isolates the CPUs of a domain that are not enabled: those that were known before, too. */
static int isolate_others(struct isst_change *change, const struct isst_domain *domain,
			  uint64_t cores)
{
	const struct cpus_change work = { .change = change, .partitions = true };
	struct isst_cpuset *enabled = topology_cpus_of_cores(change->context->topology, domain,
							     cores);
	struct isst_cpuset *others = enabled ? cpus_others(domain, enabled) : NULL;
	int error = others ? cpus_plan_partition(&work, domain, others) : -ENOMEM;

	isst_cpuset_free(enabled);
	isst_cpuset_free(others);
	return error;
}

/** Whether a CPU came online that is of a domain (NULL: of any that isolates none), and may not
 * stay so, as it is not enabled; *@at: where to begin, and where to go on. */
static bool next_unlisted(const struct step *brought, const struct isst_domain *domain, size_t *at,
			  unsigned int *number)
{
	struct isst_change *change = brought->change;

	while (*at < brought->count) {
		const struct isst_cpu *cpu;
		const struct enabled_cores *enabled;
		bool stays = change->unseen_stay_online;

		*number = brought->entries[(*at)++].item.index;
		cpu = context_cpu(change->context, *number);
		enabled = cpu ? find_enabled(change, cpu->domain) : NULL;
		if (enabled)
			stays = enabled->all || (cpu->core_known && cpu->core < 64 &&
						 enabled->cores >> cpu->core & 1);
		if (!stays &&
		    (domain ? cpu && cpu->domain == domain : !enabled || !enabled->isolated))
			return true;
	}
	return false;
}

/** CPUs that turn out not to be enabled go offline again, or into a partition. */
static int remove_unlisted_cpus(struct step *brought)
{
	struct isst_change *change = brought->change;
	struct isst_context *context = change->context;
	int error = context_discover_topology(context);
	unsigned int number;
	struct step *back;

	/* A CPU whose core is not known now, of a domain of which some cores are enabled, can be
	 * one of these. */
	for (size_t i = 0; i < isst_domain_count(context) && !error; i++) {
		const struct isst_domain *domain = context_domain(context, i);
		const struct enabled_cores *enabled = find_enabled(change, domain);

		if (enabled && !enabled->all && topology_domain(domain)->unknown_core)
			error = message_error(&context->messages, -EIO, "%s",
					      topology_domain(domain)->unknown_core);
	}
	if (error)
		return error;
	back = change_step(change, ITEM_ONLINE);
	for (size_t i = 0; next_unlisted(brought, NULL, &i, &number);)
		step_set(back, item_of_cpu(number), WHOLE_VALUE, 0);
	for (size_t i = 0; i < isst_domain_count(context) && !error; i++) {
		const struct isst_domain *domain = context_domain(context, i);
		const struct enabled_cores *enabled = find_enabled(change, domain);
		size_t at = 0;

		if (enabled && enabled->isolated && next_unlisted(brought, domain, &at, &number))
			error = isolate_others(change, domain, enabled->cores);
	}
	return error;
}

/** Whether all domains that may have CPUs are those of a request of this change. */
static bool is_whole_machine(const struct isst_change *change)
{
	const struct isst_context *context = change->context;

	for (size_t i = 0; i < isst_domain_count(context); i++)
		if (!isst_domain_is_io(context_domain(context, i)) &&
		    !find_enabled(change, context_domain(context, i)))
			return false;
	return true;
}

bool cpus_is_unknown(const struct isst_context *context, unsigned int cpu)
{
	return !context_cpu(context, cpu) && !isst_cpuset_has(isst_online_cpus(context), cpu) &&
	       !topology_is_unreachable(context->topology, cpu);
}

bool cpus_are_found(const struct isst_level *level)
{
	const struct topology_domain *domain = topology_domain(level->domain);

	return level->cores && domain->unknown_cpus && !domain->unknown_core &&
	       isst_cpuset_count(domain->present) == 0;
}

/** CPUs that may be of a target, and are left alone as they may just as well be of another domain.
 */
static void leave_unknown(struct cpus_change *work)
{
	struct isst_change *change = work->change;
	struct isst_cpuset *left = isst_cpuset_new();
	char *ranges = NULL;
	unsigned int cpu;
	int error = left ? 0 : -ENOMEM;

	isst_cpuset_for_each (cpu, isst_present_cpus(change->context))
		if (!error && cpus_is_unknown(change->context, cpu) &&
		    hotplug_may_be_online(&work->hotplug, cpu))
			error = isst_cpuset_add(left, cpu, cpu);
	if (!error && isst_cpuset_count(left) > 0) {
		ranges = name_numbers("CPU", left);
		if (ranges)
			change_warn(change, ISST_WARNING_CPUS_STAY_OFFLINE,
				    "%s %s offline: not seen online since boot, and possibly in a "
				    "package that was not named",
				    ranges, isst_cpuset_count(left) == 1 ? "stays" : "stay");
		else
			error = -ENOMEM;
	}
	change->broken |= error != 0;
	free(ranges);
	isst_cpuset_free(left);
}

/** Whether a CPU is to come online that is no domain's. */
static bool comes_online(struct cpus_change *work, unsigned int cpu)
{
	const struct isst_change *change = work->change;

	return (cpus_is_unknown(change->context, cpu) ||
		(change->unreachable_come_online &&
		 topology_is_unreachable(change->context->topology, cpu))) &&
	       !isst_cpuset_has(work->kept_offline, cpu) &&
	       hotplug_may_be_online(&work->hotplug, cpu);
}

struct step *cpus_plan_unknown(struct cpus_change *work)
{
	struct isst_change *change = work->change;
	const struct isst_context *context = change->context;
	struct step *step = NULL;
	unsigned int cpu;

	if (change->options.leave_unknown_cpus) {
		leave_unknown(work);
		return NULL;
	}
	/* The cores that the requests enable: others of this change may be for other domains. */
	for (size_t i = 0; i < work->count; i++) {
		if (!request_is_active(&work->requests[i]))
			continue;
		if (ARRAY_GROW(change->enabled, change->enabled_count)) {
			change->broken = true;
			return NULL;
		}
		change->enabled[change->enabled_count++] = (struct enabled_cores){
			item_of(ITEM_LEVEL, work->requests[i].domain, 0), work->targets[i].cores,
			work->targets[i].all_cores, work->partitions
		};
	}
	if (!is_whole_machine(change))
		return NULL;
	isst_cpuset_for_each (cpu, isst_present_cpus(context)) {
		if (!comes_online(work, cpu))
			continue;
		if (!step)
			step = change_step(change, ITEM_ONLINE);
		step_set(step, item_of_cpu(cpu), WHOLE_VALUE, 1);
	}
	if (step)
		step->after = remove_unlisted_cpus;
	return step;
}
