/* SPDX-License-Identifier: BSD-3-Clause */
#include "cores.h"

#include "reading.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Finding ---- */

struct found_cpu {
	const struct isst_cpu *cpu;
	size_t domain;
	unsigned int number, core;
	bool core_known;
};

static int compare_cpus(const void *left, const void *right)
{
	const struct found_cpu *a = left, *b = right;

	if (a->domain != b->domain)
		return a->domain < b->domain ? -1 : 1;
	if (a->core_known != b->core_known)
		return a->core_known ? -1 : 1;
	if (a->core_known && a->core != b->core)
		return a->core < b->core ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static bool is_same_number(const struct found_cpu *one, const struct found_cpu *other)
{
	return one->domain == other->domain && one->core_known && other->core_known &&
	       one->core == other->core;
}

/** Lists the CPUs whose location is known; @cpus is large enough for all. Returns their number. */
static size_t list_cpus(struct run *run, struct found_cpu *cpus, struct cores *cores, int *error)
{
	const struct isst_cpuset *present = isst_present_cpus(run->context);
	size_t count = 0;
	unsigned int number;

	isst_cpuset_for_each (number, present) {
		const struct isst_cpu *cpu = isst_cpu_by_number(run->context, number);
		struct found_cpu *found = &cpus[count];

		if (!cpu) {
			if (isst_cpuset_has(isst_online_cpus(run->context), number))
				cores->complete = false;
			else if (!*error)
				*error = isst_cpuset_add(cores->unplaced, number, number);
			continue;
		}
		*found = (struct found_cpu){ .cpu = cpu,
					     .domain = isst_domain_index(isst_cpu_domain(cpu)),
					     .number = number };
		found->core_known = isst_cpu_core(cpu, &found->core) == 0;
		cores->complete = cores->complete && found->core_known;
		count++;
	}
	qsort(cpus, count, sizeof(*cpus), compare_cpus);
	return count;
}

/** Whether cores of the firmware are modules of several: two online CPUs show it. */
static bool has_modules(struct run *run, const struct found_cpu *cpus, size_t count)
{
	struct isst_cpuset *module = NULL;
	bool found;

	for (size_t i = 0; i + 1 < count && cpus[i + 1].domain == cpus[0].domain; i++) {
		if (!is_same_number(&cpus[i], &cpus[i + 1]) || !isst_cpu_is_online(cpus[i].cpu) ||
		    !isst_cpu_is_online(cpus[i + 1].cpu))
			continue;
		found = isst_cpus_of_module(run->context, cpus[i].cpu, 0, &module) == 0;
		isst_cpuset_free(module);
		return found;
	}
	return false;
}

static int make_cores(struct run *run, const struct found_cpu *cpus, size_t count,
		      struct cores *cores)
{
	bool modules = false;
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		const struct found_cpu *found = &cpus[i];
		bool same = i > 0 && is_same_number(found - 1, found);
		struct core *core = &cores->all[cores->count];

		if (i == 0 || found->domain != found[-1].domain)
			modules = has_modules(run, found, count - i);
		if (same && !modules) {
			core--;
		} else {
			*core = (struct core){ .domain = isst_cpu_domain(found->cpu),
					       .number_known = found->core_known,
					       .number = found->core,
					       .in_module = modules && found->core_known,
					       .cpus = isst_cpuset_new(),
					       .online = isst_cpuset_new(),
					       .first = same ? core[-1].first : found->number,
					       .lowest = found->number,
					       .is_first = !same,
					       .clos = CLOS_UNKNOWN };
			cores->count++;
			if (!core->cpus || !core->online)
				return -ENOMEM;
		}
		error = isst_cpuset_add(core->cpus, found->number, found->number);
		if (error || !isst_cpu_is_online(found->cpu))
			continue;
		if (isst_cpuset_count(core->online) == 0)
			core->representative = found->number;
		error = isst_cpuset_add(core->online, found->number, found->number);
	}
	return error;
}

static int compare_cores(const void *left, const void *right)
{
	const struct core *a = left, *b = right;
	size_t one = isst_domain_index(a->domain), other = isst_domain_index(b->domain);

	if (one != other)
		return one < other ? -1 : 1;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return (a->lowest > b->lowest) - (a->lowest < b->lowest);
}

int cores_find(struct run *run, struct cores *cores)
{
	size_t present = isst_cpuset_count(isst_present_cpus(run->context)), count;
	struct found_cpu *cpus = calloc(present + 1, sizeof(*cpus));
	int error = 0;

	*cores = (struct cores){ .all = calloc(present + 1, sizeof(*cores->all)),
				 .complete = true,
				 .unplaced = isst_cpuset_new() };
	if (!cpus || !cores->all || !cores->unplaced) {
		error = -ENOMEM;
	} else {
		count = list_cpus(run, cpus, cores, &error);
		if (!error)
			error = make_cores(run, cpus, count, cores);
	}
	free(cpus);
	if (error)
		run_no_memory(run);
	else
		qsort(cores->all, cores->count, sizeof(*cores->all), compare_cores);
	return error;
}

void cores_clear(struct cores *cores)
{
	for (size_t i = 0; cores->all && i < cores->count; i++) {
		isst_cpuset_free(cores->all[i].cpus);
		isst_cpuset_free(cores->all[i].online);
	}
	free(cores->all);
	isst_cpuset_free(cores->unplaced);
	*cores = (struct cores){ 0 };
}

/* ---- Classes of service ---- */

/** CPUs of which one stands for each number of a core. */
static struct isst_targets *representatives(struct run *run, const struct cores *cores)
{
	struct isst_targets *targets = isst_targets_new(run->context);
	struct isst_cpuset *cpus = isst_cpuset_new();
	int error = targets && cpus ? 0 : -ENOMEM;

	for (size_t i = 0; i < cores->count && !error; i++) {
		const struct core *core = &cores->all[i], *before = core - 1;
		/* Those of a module are adjacent: the first one of them that is online. */
		bool done = i > 0 && core->in_module && before->domain == core->domain &&
			    before->number == core->number && isst_cpuset_count(before->online) > 0;

		if (core->clos != CLOS_NONE && isst_cpuset_count(core->online) > 0 && !done)
			error = isst_cpuset_add(cpus, core->representative, core->representative);
	}
	if (!error)
		error = isst_targets_add_cpus(targets, cpus);
	isst_cpuset_free(cpus);
	return targets_or_error(run, targets, error);
}

/** Gives a class to all cores with a CPU's number. @first: the first core of the last domain. */
static void spread(struct cores *cores, const struct isst_cpu *cpu, int clos, size_t *first)
{
	const struct isst_domain *domain = isst_cpu_domain(cpu);
	const struct core *found = NULL;

	if (*first == cores->count || cores->all[*first].domain != domain)
		for (*first = 0; *first < cores->count; ++*first)
			if (cores->all[*first].domain == domain)
				break;
	for (size_t i = *first; i < cores->count && cores->all[i].domain == domain && !found; i++)
		if (isst_cpuset_has(cores->all[i].cpus, isst_cpu_number(cpu)))
			found = &cores->all[i];
	for (size_t i = *first; found && i < cores->count && cores->all[i].domain == domain; i++) {
		struct core *core = &cores->all[i];

		if (core == found || (core->in_module && core->number == found->number))
			core->clos = clos;
	}
}

void cores_read_clos(struct run *run, struct cores *cores)
{
	const struct question question = { .read = isst_read_clos_associations };
	struct isst_results *results = read_targets(run, representatives(run, cores), &question);
	const struct isst_result *result;
	size_t first = cores->count;

	for (size_t i = 0; (result = isst_results_at(results, i)) != NULL; i++) {
		struct failure failure = failure_of(result, ISST_PART_RESULT);
		const struct isst_result *before;
		unsigned int clos;
		bool reported = false;

		for (size_t k = 0; k < i && failure.error && !reported; k++) {
			before = isst_results_at(results, k);
			reported = isst_result_error(before, ISST_PART_RESULT) &&
				   isst_result_domain(before) == isst_result_domain(result);
		}
		if (failure.error && !reported)
			run_failure(run, failure);
		else if (!failure.error && isst_result_value(result, ISST_VALUE_CLOS, &clos) == 0)
			spread(cores, isst_result_cpu(result), (int)clos, &first);
	}
	isst_results_free(results);
}

bool cores_have_unknown(const struct cores *cores, const struct isst_domain *domain)
{
	for_each_core (core, cores) {
		if (core->domain == domain && core->clos == CLOS_UNKNOWN &&
		    isst_cpuset_count(core->online) > 0)
			return true;
	}
	return false;
}
