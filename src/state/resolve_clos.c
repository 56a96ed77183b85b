/* SPDX-License-Identifier: BSD-3-Clause */
/* Classes of service and associations of a configuration, as items. */
#include "features/planning.h"
#include "state/resolve.h"
#include "topology/context.h"

#include <errno.h>
#include <stdlib.h>

enum { KHZ_PER_RATIO = 100000, NO_LIMIT_RATIO = 255, LOW_CLOS = 3 };

int resolve_clos(struct resolution *resolution, enum subject subject, unsigned int clos,
		 const struct domain_facts *domain)
{
	const struct value_field *field = &clos_fields[subject - SUBJECT_CLOS_MIN];
	const struct isst_core_power *state = &domain->core_power;
	struct wish wish;
	uint64_t number = 0;
	int error;

	if (!resolve_wish(resolution, subject, domain->domain, clos, &wish))
		return 0;
	if (state->failure.error)
		return wanted_fails(resolution->wanted, wish.setting, domain->domain,
				    &state->failure);
	if (wish.wanted == WANTED_NONE || wish.wanted == WANTED_NUMBER) {
		number = wish.wanted == WANTED_NONE ? NO_LIMIT_RATIO : wish.number;
	} else {
		error = resolve_frequency(resolution, domain, &wish, &number);
		if (error)
			return error == -ENODATA ? 0 : error;
		number /= KHZ_PER_RATIO;
	}
	if (!state->supported || !(clos_mask(resolution->context) & field->mask)) {
		/* What commands ask for, and what other settings imply, is done as far as there is
		 * such a thing. */
		if (number == (subject == SUBJECT_CLOS_MAX ? NO_LIMIT_RATIO : 0) ||
		    wish.setting->subject != subject || resolution->wanted->is_command)
			return 0;
		if (!state->supported)
			return wanted_reject(resolution->wanted, wish.setting, domain->domain,
					     -EOPNOTSUPP, "core-power is not supported");
		return wanted_reject(resolution->wanted, wish.setting, domain->domain, -EOPNOTSUPP,
				     "a CLOS has no %s on this machine", field->text);
	}
	return wanted_add(resolution->wanted,
			  &(struct wanted_item){
				  .item = item_of(ITEM_CLOS, domain->domain, clos),
				  .mask = field->mask,
				  .bits = number << __builtin_ctzll(field->mask),
				  .subject = subject,
				  .setting = wish.setting,
				  .domain = domain->domain,
				  .optional = isst_domain_is_io(domain->domain),
			  });
}

/* ---- Associations ---- */

/** What the setting of a CPU states of its core: the CLOS, and by which setting. A core has high
 * priority by any of its CPUs: those that are offline are not named. */
static bool association_of(const struct resolution *resolution, const struct isst_cpu *cpu,
			   struct wish *wish)
{
	const struct setting *cores = resolve_cores(resolution, cpu->domain);
	const struct isst_cpuset *chosen = resolution->wanted->high_priority;
	unsigned int number;
	bool high;

	if (resolve_cpu_wish(resolution, SUBJECT_ASSOCIATION, cpu, wish))
		return true;
	if (!cores)
		return false;
	high = chosen && isst_cpuset_has(chosen, cpu->number);
	if (chosen && !high && cpu->core_known)
		isst_cpuset_for_each (number, cpu->domain->present) {
			const struct isst_cpu *sibling = context_cpu(resolution->context, number);

			high |= sibling && sibling->core_known && sibling->core == cpu->core &&
				isst_cpuset_has(chosen, number);
		}
	*wish = (struct wish){ WANTED_NUMBER, high ? 0 : LOW_CLOS, cores };
	return true;
}

/** Whether two settings are for a CPU in common, of the core of one. */
static bool meet_in_core(const struct resolution *resolution, const struct isst_cpu *cpu,
			 const struct setting *one, const struct setting *other)
{
	unsigned int number;

	isst_cpuset_for_each (number, cpu->domain->present) {
		const struct isst_cpu *sibling = context_cpu(resolution->context, number);

		if (sibling && sibling->core_known && sibling->core == cpu->core &&
		    (!one->cpus || isst_cpuset_has(one->cpus, number)) &&
		    (!other->cpus || isst_cpuset_has(other->cpus, number)))
			return true;
	}
	return false;
}

/** Of two settings for the CPUs of one core, the one that counts for a CPU of both counts for the
 * core. Those that name different CPUs contradict each other. */
static int choose_for_core(struct resolution *resolution, struct wanted_item *core,
			   const struct wish *wish, const struct isst_cpu *cpu)
{
	const struct setting *one = core->setting, *other = wish->setting;

	if (core->bits == wish->number)
		return 0;
	if (meet_in_core(resolution, cpu, one, other)) {
		if (setting_counts_more(one, other))
			return 0;
		if (setting_counts_more(other, one)) {
			core->bits = wish->number;
			core->setting = other;
			return 0;
		}
	}
	return wanted_contradicts(
		resolution->wanted, other, NULL,
		"CPU %u belongs to a core of which another CPU is stated to be in "
		"CLOS %u: a core is in one CLOS",
		cpu->number, (unsigned int)core->bits);
}

static int resolve_association(struct resolution *resolution, size_t first,
			       const struct isst_cpu *cpu)
{
	const char *objection = context_core_objection(resolution->context, cpu);
	struct wanted_item *core;
	struct wish wish;
	struct item item;

	if (!association_of(resolution, cpu, &wish))
		return 0;
	/* Of CPUs that are offline the core may not be known: it is left as it is. */
	if (objection)
		return cpu->online && !resolution->wanted->is_command
			       ? wanted_reject(resolution->wanted, wish.setting, NULL, -EIO,
					       "CPU %u: %s", cpu->number, objection)
			       : 0;
	item = item_of(ITEM_ASSOCIATION, cpu->domain, cpu->core);
	core = wanted_find_item(resolution->wanted, &item, SUBJECT_ASSOCIATION, first);
	if (core)
		return choose_for_core(resolution, core, &wish, cpu);
	return wanted_add(resolution->wanted, &(struct wanted_item){ .item = item,
								     .mask = UINT64_MAX,
								     .bits = wish.number,
								     .subject = SUBJECT_ASSOCIATION,
								     .setting = wish.setting,
								     .domain = cpu->domain });
}

int resolve_associations(struct resolution *resolution, const struct domain_facts *domain)
{
	const char *unknown = topology_domain(domain->domain)->unknown_core;
	size_t first = resolution->wanted->count;
	unsigned int number;
	int error = 0;

	isst_cpuset_for_each (number, domain->domain->present) {
		const struct isst_cpu *cpu = context_cpu(resolution->context, number);
		struct wish wish;

		if (!cpu || error || !association_of(resolution, cpu, &wish))
			continue;
		/* High priority cores make all others low. */
		if (unknown && !resolution->wanted->is_command &&
		    (wish.setting->subject == SUBJECT_HIGH_PRIORITY || !wish.setting->cpus))
			error = wanted_reject(resolution->wanted, wish.setting, domain->domain,
					      -EIO, "%s", unknown);
		if (error)
			continue;
		if (domain->core_power.failure.error)
			error = wanted_fails(resolution->wanted, wish.setting, domain->domain,
					     &domain->core_power.failure);
		else if (domain->core_power.supported)
			error = resolve_association(resolution, first, cpu);
		else if (wish.number > 0)
			error = wanted_reject(resolution->wanted, wish.setting, domain->domain,
					      -EOPNOTSUPP, "core-power is not supported");
	}
	return error;
}
