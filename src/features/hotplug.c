/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs that stay offline since SMT is off, and turbo ratio limits that outlive CPUs coming online.
 */
#include "features/cpus_change.h"
#include "sysfs/system.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int hotplug_begin(struct hotplug *hotplug, struct isst_change *change)
{
	*hotplug = (struct hotplug){ .change = change, .omitted = isst_cpuset_new() };
	hotplug->expedite = change_step(change, ITEM_RCU_EXPEDITED);
	return hotplug->omitted ? hotplug_find_smt_off(change->context, &hotplug->smt) : -ENOMEM;
}

bool hotplug_may_be_online(struct hotplug *hotplug, unsigned int cpu)
{
	struct isst_context *context = hotplug->change->context;

	if (!hotplug->smt || isst_cpuset_has(isst_online_cpus(context), cpu) ||
	    !hotplug_goes_with_smt(context, cpu))
		return true;
	if (isst_cpuset_add(hotplug->omitted, cpu, cpu))
		hotplug->change->broken = true;
	return false;
}

/** Whether an entry takes a CPU on- or offline, as the steps before its own leave it. */
static bool moves_cpu(const struct step *step, const struct entry *entry)
{
	const struct isst_change *change = step->change;
	bool online = isst_cpuset_has(isst_online_cpus(change->context), entry->item.index);

	change_for_each_place (place, change, &entry->item) {
		if (place->step == step)
			break;
		if (!place->footprint)
			online = place_entry(place)->bits != 0;
	}
	return online != (entry->bits != 0);
}

void hotplug_end(struct hotplug *hotplug)
{
	enum { FEWEST = 4 };
	struct isst_change *change = hotplug->change;
	size_t count = hotplug->omitted ? isst_cpuset_count(hotplug->omitted) : 0, moving = 0;
	bool may = false;

	if (count > 0)
		change_warn(change, ISST_MESSAGE_CPUS_STAY_OFFLINE, of_cpus(NULL, hotplug->omitted),
			    "%s %s offline because SMT is off (" SMT_CONTROL ": %s)",
			    message_numbers(&change->texts, "CPU", hotplug->omitted),
			    count == 1 ? "stays" : "stay", hotplug->smt);
	/* How many CPUs the steps that were planned since the beginning take on- or offline. */
	for (size_t i = hotplug->expedite ? hotplug->expedite->position : change->count;
	     i < change->count; i++) {
		const struct step *step = change->steps[i];

		for (size_t j = 0; step->kind == ITEM_ONLINE && j < step->count; j++)
			moving += moves_cpu(step, &step->entries[j]);
	}
	if (moving >= FEWEST && rcu_may_expedite(&change->context->files, &may)) {
		change->broken = true;
	} else if (may) {
		step_set(hotplug->expedite, item_of_machine(ITEM_RCU_EXPEDITED), WHOLE_VALUE, 1)
			->optional = true;
		/* The change can do without haste, but does not leave the machine with it. */
		step_set(change_step(change, ITEM_RCU_EXPEDITED),
			 item_of_machine(ITEM_RCU_EXPEDITED), WHOLE_VALUE, 0);
	}
	free(hotplug->smt);
	isst_cpuset_free(hotplug->omitted);
}

/* ---- Turbo ratio limits ---- */

/** What is to be there once CPUs are online. What cannot be read is left alone then. */
static int note_limits(struct step *online)
{
	struct step *limits = online->companion;
	struct item_access *accesses;
	int error;

	if (limits->count == 0)
		return 0;
	accesses = calloc(limits->count, sizeof(*accesses));
	if (!accesses)
		return -ENOMEM;
	for (size_t i = 0; i < limits->count; i++)
		accesses[i].item = limits->entries[i].item;
	error = items_read_twice(online->change->context, accesses, limits->count);
	for (size_t i = 0; i < limits->count && !error; i++) {
		struct entry *entry = &limits->entries[i];
		const struct baseline_item *item = baseline_find(&online->change->baseline,
								 &accesses[i].item);
		bool read = !accesses[i].failure.error;

		/* As they were last found, where nothing has moved them since. */
		if (!entry->refused &&
		    (read ? !accesses[i].absent : item && item->value_known && !item->stale)) {
			entry->mask = WHOLE_VALUE;
			entry->bits = read ? accesses[i].value.number : item->now.number;
		} else if (!accesses[i].absent) {
			change_warn(online->change, ISST_MESSAGE_FORMER_LIMITS_MAY_RETURN,
				    of_item(online->change->context, &entry->item),
				    "%s could not be read: CPUs that come online may restore "
				    "former ones",
				    item_describe(online->change->context, &entry->item));
		}
	}
	free(accesses);
	return error;
}

struct step *hotplug_limits_step(struct isst_change *change, struct step *online)
{
	struct step *limits = change_step(change, ITEM_TURBO_RATIO_LIMITS);

	if (online && limits) {
		online->before = note_limits;
		online->companion = limits;
	}
	return limits;
}

/** Whether there is a way to the limits of a domain. */
static bool has_limits(const struct step *step, const struct isst_domain *domain)
{
	return step && domain->has_cpu && !step->change->context->platform.preset;
}

/** On some servers the limits of a package are of all its domains. */
void hotplug_keep_limits(struct step *limits, const struct isst_domain *domain)
{
	const struct isst_context *context = limits ? limits->change->context : NULL;
	bool may_gain = false;

	if (!has_limits(limits, domain))
		return;
	for (size_t i = 0; i < isst_domain_count(context); i++) {
		const struct isst_domain *other = context_domain(context, i);

		may_gain |= other->package == domain->package &&
			    (!other->cpus_known ||
			     isst_cpuset_count(other->online) < isst_cpuset_count(other->present));
	}
	/* No bit is to be written until it is known which. */
	if (may_gain)
		step_set(limits, item_of(ITEM_TURBO_RATIO_LIMITS, domain, 0), 0, 0)->optional =
			true;
}

void hotplug_disturbs_limits(struct step *step, const struct isst_domain *domain)
{
	if (has_limits(step, domain))
		step_disturbs_optional(step, item_of(ITEM_TURBO_RATIO_LIMITS, domain, 0));
}
