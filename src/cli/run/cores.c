/* SPDX-License-Identifier: BSD-3-Clause */
#include "cores.h"

#include "../process/xalloc.h"
#include "reading.h"

#include <stdlib.h>

/* ---- Finding ---- */

static bool is_same_number(const struct core *one, const struct core *other)
{
	return one->domain == other->domain && one->number_known && other->number_known &&
	       one->number == other->number;
}

static int compare_numbers(const void *left, const void *right)
{
	const struct core *a = left, *b = right;
	size_t one = isst_domain_index(a->domain), other = isst_domain_index(b->domain);

	if (one != other)
		return one < other ? -1 : 1;
	if (a->number_known != b->number_known)
		return a->number_known ? -1 : 1;
	if (a->number_known && a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->lowest > b->lowest) - (a->lowest < b->lowest);
}

/** Lists the CPUs whose location is known as cores of their own. Returns their number. */
static size_t list_cpus(struct run *run, struct cores *cores)
{
	size_t count = 0;
	unsigned int number;

	isst_cpuset_for_each (number, isst_present_cpus(run->context)) {
		const struct isst_cpu *cpu = isst_cpu_by_number(run->context, number);
		struct core *core = &cores->all[count];

		if (cpu) {
			core->domain = isst_cpu_domain(cpu);
			core->lowest = number;
			core->number_known = isst_cpu_core(cpu, &core->number) == 0;
			cores->complete = cores->complete && core->number_known;
			count++;
		} else if (isst_cpuset_has(isst_online_cpus(run->context), number)) {
			cores->complete = false;
		} else {
			xcall(isst_cpuset_add(cores->unplaced, number, number));
		}
	}
	qsort(cores->all, count, sizeof(*cores->all), compare_numbers);
	return count;
}

/** Whether cores of the firmware are modules of several: two online CPUs show it. */
static bool has_modules(struct run *run, const struct core *cpus, size_t count)
{
	const struct isst_cpuset *online = isst_online_cpus(run->context);
	struct isst_cpuset *module = NULL;
	bool found;

	for (size_t i = 0; i + 1 < count && cpus[i + 1].domain == cpus[0].domain; i++) {
		if (!is_same_number(&cpus[i], &cpus[i + 1]) ||
		    !isst_cpuset_has(online, cpus[i].lowest) ||
		    !isst_cpuset_has(online, cpus[i + 1].lowest))
			continue;
		found = isst_cpus_of_module(run->context,
					    isst_cpu_by_number(run->context, cpus[i].lowest), 0,
					    &module) == 0;
		isst_cpuset_free(module);
		return found;
	}
	return false;
}

/** Joins the CPUs of each core. */
static void make_cores(struct run *run, size_t count, struct cores *cores)
{
	bool modules = false;

	for (size_t i = 0; i < count; i++) {
		struct core found = cores->all[i], *core = &cores->all[cores->count];
		bool same = i > 0 && is_same_number(core - 1, &found);

		if (i == 0 || found.domain != core[-1].domain)
			modules = has_modules(run, &cores->all[i], count - i);
		if (same && !modules) {
			core--;
		} else {
			*core = found;
			core->in_module = modules && found.number_known;
			core->cpus = xcheck(isst_cpuset_new());
			core->online = xcheck(isst_cpuset_new());
			core->first = same ? core[-1].first : found.lowest;
			core->is_first = !same;
			core->clos = CLOS_UNKNOWN;
			cores->count++;
		}
		xcall(isst_cpuset_add(core->cpus, found.lowest, found.lowest));
		if (isst_cpuset_has(isst_online_cpus(run->context), found.lowest))
			xcall(isst_cpuset_add(core->online, found.lowest, found.lowest));
	}
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

void cores_find(struct run *run, struct cores *cores)
{
	size_t present = isst_cpuset_count(isst_present_cpus(run->context));
	size_t domains = isst_domain_count(run->context), domain = 0;

	*cores = (struct cores){ .all = xcalloc(present + 1, sizeof(*cores->all)),
				 .first = xcalloc(domains + 1, sizeof(*cores->first)),
				 .complete = true,
				 .unplaced = xcheck(isst_cpuset_new()) };
	make_cores(run, list_cpus(run, cores), cores);
	qsort(cores->all, cores->count, sizeof(*cores->all), compare_cores);
	for (size_t i = 0; i <= cores->count; i++)
		while (domain <= domains &&
		       (i == cores->count || domain <= isst_domain_index(cores->all[i].domain)))
			cores->first[domain++] = i;
}

void cores_clear(struct cores *cores)
{
	for (size_t i = 0; i < cores->count; i++) {
		isst_cpuset_free(cores->all[i].cpus);
		isst_cpuset_free(cores->all[i].online);
	}
	free(cores->all);
	free(cores->first);
	isst_cpuset_free(cores->unplaced);
	*cores = (struct cores){ 0 };
}

/* ---- Classes of service ---- */

/** CPUs of which one stands for each number of a core. */
static struct isst_targets *representatives(const struct run *run, const struct cores *cores)
{
	struct isst_targets *targets = xcheck(isst_targets_new(run->context));
	struct isst_cpuset *cpus = xcheck(isst_cpuset_new());

	for (size_t i = 0; i < cores->count; i++) {
		const struct core *core = &cores->all[i], *before = core - 1;
		/* Those of a module are adjacent: the first one of them that is online. */
		bool done = i > 0 && core->in_module && before->domain == core->domain &&
			    before->number == core->number && isst_cpuset_count(before->online) > 0;
		unsigned int cpu;

		if (core->clos != CLOS_NONE && !done && isst_cpuset_next(core->online, 0, &cpu))
			xcall(isst_cpuset_add(cpus, cpu, cpu));
	}
	xcall(isst_targets_add_cpus(targets, cpus));
	isst_cpuset_free(cpus);
	return targets;
}

/** Gives a class to all cores with a CPU's number. */
static void spread_class(struct cores *cores, const struct isst_cpu *cpu, int clos)
{
	const size_t *first = &cores->first[isst_domain_index(isst_cpu_domain(cpu))];
	const struct core *found = NULL;

	for (size_t i = first[0]; i < first[1] && !found; i++)
		if (isst_cpuset_has(cores->all[i].cpus, isst_cpu_number(cpu)))
			found = &cores->all[i];
	for (size_t i = first[0]; i < first[1] && found; i++)
		if (&cores->all[i] == found ||
		    (cores->all[i].in_module && cores->all[i].number == found->number))
			cores->all[i].clos = clos;
}

void cores_read_clos(struct run *run, struct cores *cores)
{
	const struct question question = { .read = ISST_READ_CLOS_ASSOCIATIONS };
	struct isst_results *results = read_targets(run, representatives(run, cores), &question);
	const struct isst_result *result;

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
			spread_class(cores, isst_result_cpu(result), (int)clos);
	}
	isst_results_free(results);
}
