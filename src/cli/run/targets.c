/* SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include "../../common/numbered.h"
#include "../process/xalloc.h"

#include <stdlib.h>

/* So many wrong CPUs are named at most: a list may hold billions. */
enum { WRONG_CPUS = 64 };

static struct unit_place find_place(const struct isst_domain *domain)
{
	struct unit_place place = { .package = isst_domain_package(domain),
				    .number = isst_domain_number(domain) };
	unsigned int cpu;

	place.die_known = isst_domain_die(domain, &place.die) == 0;
	place.has_cpu = isst_cpuset_next(isst_domain_online_cpus(domain), 0, &cpu);
	return place;
}

static void add_unit(struct targets *targets, const struct isst_domain *domain, unsigned int cpu,
		     bool is_cpu)
{
	struct unit *unit = &targets->units[targets->unit_count++];
	size_t slot = 0;

	while (slot < targets->domain_count && targets->domains[slot] != domain)
		slot++;
	*unit = (struct unit){ .domain = domain,
			       .place = find_place(domain),
			       .cpu = cpu,
			       .is_cpu = is_cpu,
			       .slot = slot,
			       .first = slot == targets->domain_count };
	if (unit->first)
		targets->domains[targets->domain_count++] = domain;
}

static bool check_cpus(struct run *run, const struct isst_cpuset *cpus, bool may_be_offline)
{
	const struct isst_context *context = run->context;
	enum { ABSENT, OFFLINE, LOST, WRONGS };
	static const char *const TEXTS[WRONGS][2] = {
		[ABSENT] = { "does not exist on this machine", "do not exist on this machine" },
		[OFFLINE] = { "is offline", "are offline" },
		[LOST] = { "belongs to no power domain known to the driver",
			   "belong to no power domain known to the driver" },
	};
	struct isst_cpuset *wrong[WRONGS] = { xcheck(isst_cpuset_new()), xcheck(isst_cpuset_new()),
					      xcheck(isst_cpuset_new()) };
	char *online = xcheck(isst_cpuset_to_list(isst_online_cpus(context))), *named;
	unsigned int cpu, count = 0;

	isst_cpuset_for_each (cpu, cpus) {
		bool is_online = isst_cpuset_has(isst_online_cpus(context), cpu);

		if (count > WRONG_CPUS)
			break;
		if (is_online && isst_cpu_by_number(context, cpu))
			continue;
		if (may_be_offline && !is_online &&
		    isst_cpuset_has(isst_present_cpus(context), cpu))
			continue;
		if (count++ < WRONG_CPUS)
			xcall(isst_cpuset_add(
				wrong[is_online						 ? LOST
				      : isst_cpuset_has(isst_present_cpus(context), cpu) ? OFFLINE
											 : ABSENT],
				cpu, cpu));
	}
	for (size_t why = 0; why < WRONGS; why++) {
		bool more = why == ABSENT && count > WRONG_CPUS;

		if (isst_cpuset_count(wrong[why]) > 0) {
			named = xcheck(name_numbers("CPU", wrong[why]));
			report_message(
				run->report, ENTRY_ERROR, "%s%s %s; CPUs that are online: %s",
				named, more ? " and more" : "",
				TEXTS[why][isst_cpuset_count(wrong[why]) != 1 || more], online);
			report_code(run->report, status_code(STATUS_UNSUPPORTED));
			run->status = status_worse(run->status, STATUS_UNSUPPORTED);
			free(named);
		}
		isst_cpuset_free(wrong[why]);
	}
	free(online);
	return count == 0;
}

bool targets_find(struct run *run, enum unit_kind kind, const struct isst_cpuset *cpus)
{
	const struct isst_context *context = run->context;
	const struct isst_cpuset *of = cpus ? cpus : isst_online_cpus(context);
	size_t domains = isst_domain_count(context);
	struct targets *targets = &run->targets;
	bool by_cpu = cpus || kind == UNIT_CPU;
	unsigned int number;

	*targets = (struct targets){ .named = cpus != NULL };
	if (cpus && !check_cpus(run, cpus, kind == UNIT_PRESENT))
		return false;
	targets->units = xcalloc((by_cpu ? isst_cpuset_count(of) : domains) + 1,
				 sizeof(*targets->units));
	targets->domains = xcalloc(domains + 1, sizeof(*targets->domains));
	isst_cpuset_for_each (number, of) {
		const struct isst_cpu *cpu = by_cpu ? isst_cpu_by_number(context, number) : NULL;

		/* One that the driver does not know belongs nowhere: it cannot be a unit. */
		if (cpu)
			add_unit(targets, isst_cpu_domain(cpu), number, true);
	}
	for (size_t i = 0; i < domains && !by_cpu; i++) {
		const struct isst_domain *domain = isst_domain_at(context, i);

		number = 0;
		if (isst_cpuset_next(isst_domain_online_cpus(domain), 0, &number) ||
		    kind != UNIT_DOMAIN_WITH_CPU)
			add_unit(targets, domain, number, false);
	}
	return true;
}

void targets_keep_packages(struct targets *targets, const struct isst_cpuset *packages)
{
	size_t count = targets->unit_count;

	targets->unit_count = 0;
	targets->domain_count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct unit *unit = &targets->units[i];

		/* What is added stands before what is looked at. */
		if (isst_cpuset_has(packages, unit->place.package))
			add_unit(targets, unit->domain, unit->cpu, unit->is_cpu);
	}
}

void targets_clear(struct targets *targets)
{
	free(targets->units);
	free(targets->domains);
	*targets = (struct targets){ 0 };
}

bool domain_has_cpu_of(const struct isst_domain *domain, const struct isst_cpuset *cpus)
{
	unsigned int cpu;

	isst_cpuset_for_each (cpu, isst_domain_present_cpus(domain))
		if (isst_cpuset_has(cpus, cpu))
			return true;
	return false;
}

static size_t place_path(const struct unit_place *place, struct isst_context *context,
			 struct report_step path[REPORT_PATH_STEPS])
{
	size_t steps = 0;

	path[steps++] = (struct report_step){ &keys[KEY_PACKAGE], place->package };
	path[steps++] = (struct report_step){ &keys[place->die_known ? KEY_DIE : KEY_DIE_IO],
					      place->die };
	/* From API version 2 on a package holds several power domains. */
	if (isst_platform_fact(context, ISST_FACT_API_VERSION) > 1)
		path[steps++] = (struct report_step){ &keys[KEY_POWER_DOMAIN], place->number };
	return steps;
}

size_t domain_path(const struct isst_domain *domain, struct isst_context *context,
		   struct report_step path[REPORT_PATH_STEPS])
{
	const struct unit_place place = find_place(domain);

	return place_path(&place, context, path);
}

void report_domain_place(struct report_node *node, const struct isst_domain *domain,
			 struct isst_context *context)
{
	struct report_step path[REPORT_PATH_STEPS];
	size_t steps = domain ? domain_path(domain, context, path) : 0;

	for (size_t i = 0; i < steps; i++)
		if (path[i].key != &keys[KEY_DIE_IO])
			report_number(report_v2(node), (enum key_id)(path[i].key - keys),
				      path[i].index);
}

struct report_node *unit_report(const struct run *run, const struct unit *unit)
{
	struct report_step path[REPORT_PATH_STEPS];
	size_t steps = place_path(&unit->place, run->context, path);
	struct report_node *root;

	path[steps++] = (struct report_step){ &keys[unit->place.has_cpu ? KEY_CPU : KEY_NO_CPU],
					      unit->cpu };
	root = report_unit(run->report, path, steps);
	run->report->last->of_cpu = unit->is_cpu;
	return root;
}
