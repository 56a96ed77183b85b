/* SPDX-License-Identifier: BSD-3-Clause */
#include "levels.h"

#include "../../common/memory_stream.h"
#include "../process/xalloc.h"
#include "reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** Restricts the choice by the CPUs of an option, if it is given. Returns false after an error. */
static bool restrict_choice(struct run *run, const struct cpu_list *list, int id,
			    struct isst_request *request)
{
	struct isst_cpuset *cpus;

	if (!list->numbers)
		return true;
	cpus = named_cpus_find(run, list);
	if (!cpus)
		return false;
	xcall(isst_request_set_cpus(request, id, cpus));
	isst_cpuset_free(cpus);
	return true;
}

bool run_choose_cores(struct run *run)
{
	static const int NUMBERS[] = {
		[CORES_IN_ALL] = ISST_VALUE_HIGH_PRIORITY_CORES,
		[CORES_PER_PACKAGE] = ISST_VALUE_HIGH_PRIORITY_CORES_PER_PACKAGE,
		[CORES_OF_BUCKET] = ISST_VALUE_HIGH_PRIORITY_BUCKET,
	};
	const struct option_values *options = &run->request->options;
	const struct option_value *cores = &options->value[OPTION_HIGH_PRIORITY];
	bool lower = request_has(run->request, OPTION_ALLOW_LOWER_TURBO);
	struct isst_targets *targets = domain_targets(run);
	struct isst_request *request = xcheck(isst_request_new());
	char *message;
	int error;

	xcall(isst_request_set(request, NUMBERS[cores->form], (unsigned int)cores->number));
	if (request_has(run->request, OPTION_LEVEL))
		xcall(isst_request_set(request, ISST_VALUE_LEVEL,
				       request_number(run->request, OPTION_LEVEL)));
	if (targets && restrict_choice(run, &options->within, ISST_VALUE_WITHIN_CPUS, request) &&
	    restrict_choice(run, &options->avoid, ISST_VALUE_AVOID_CPUS, request)) {
		error = isst_choose_high_priority_cpus(run->context, targets, request,
						       lower ? ISST_CHOOSE_ALLOW_LOWER_TURBO : 0,
						       &run->chosen);
		run_report_notices(run);
		if (error == -EINVAL && !lower) {
			message = xstrdup(isst_error(run->context));
			/* Whether it is only the last bucket that the choice is too large for. */
			lower = isst_choose_high_priority_cpus(run->context, targets, request,
							       ISST_CHOOSE_ALLOW_LOWER_TURBO,
							       &run->chosen) == 0;
			run_error(run, status_of_error(error), "%s%s", message,
				  lower ? "; --allow-lower-turbo chooses so many all the same"
					: "");
			free(message);
			isst_cpuset_free(run->chosen);
			run->chosen = NULL;
		} else {
			run_call(run, error);
		}
	}
	isst_request_free(request);
	isst_targets_free(targets);
	return run->chosen;
}

unsigned int core_choice_count(const struct run *run, unsigned int package)
{
	unsigned int count = 0, number, before, core, other_core;

	isst_cpuset_for_each (number, run->chosen) {
		const struct isst_cpu *cpu = isst_cpu_by_number(run->context, number), *other;
		bool known = isst_cpu_core(cpu, &core) == 0, first = true;

		if (isst_domain_package(isst_cpu_domain(cpu)) != package)
			continue;
		isst_cpuset_for_each (before, run->chosen) {
			other = isst_cpu_by_number(run->context, before);
			first = first &&
				!(known && before < number &&
				  isst_cpu_domain(other) == isst_cpu_domain(cpu) &&
				  isst_cpu_core(other, &other_core) == 0 && other_core == core);
		}
		count += first;
	}
	return count;
}

void core_choice_keep_packages(struct run *run)
{
	struct isst_cpuset *packages = xcheck(isst_cpuset_new());
	const struct unit *before = NULL;
	unsigned int number;

	isst_cpuset_for_each (number, run->chosen) {
		const struct isst_cpu *cpu = isst_cpu_by_number(run->context, number);
		unsigned int package = isst_domain_package(isst_cpu_domain(cpu));

		xcall(isst_cpuset_add(packages, package, package));
	}
	for_each_unit (unit, &run->targets) {
		bool first = !before || before->place.package != unit->place.package;

		before = unit;
		if (first && !isst_cpuset_has(packages, unit->place.package))
			report_message(run->report, ENTRY_NOTE,
				       "package %u: no %s were chosen; not changed",
				       unit->place.package, run_cores_word(run));
	}
	targets_keep_packages(&run->targets, packages);
	isst_cpuset_free(packages);
}

static void note_division(struct run *run)
{
	const struct option_value *cores = &run->request->options.value[OPTION_HIGH_PRIORITY];
	unsigned int packages = 0, chosen, before = 0;
	struct memory_stream memory;
	char *text;

	if (cores->form != CORES_IN_ALL)
		return;
	xcall(memory_stream_open(&memory));
	for (size_t i = 0; i < run->targets.domain_count; i++) {
		unsigned int package = isst_domain_package(run->targets.domains[i]);

		chosen = core_choice_count(run, package);
		if ((i > 0 && package == before) || chosen == 0)
			continue;
		before = package;
		fprintf(memory.stream, "%s%u of package %u", packages++ ? ", " : "", chosen,
			package);
	}
	text = xcheck(memory_stream_text(&memory));
	if (packages > 1)
		report_message(run->report, ENTRY_NOTE,
			       "%llu %s in all: %s; --high-priority %llu/package would be of each",
			       (unsigned long long)cores->number, run_cores_word(run), text,
			       (unsigned long long)cores->number);
	free(text);
}

void core_choice_note_spread(struct run *run, const struct isst_cpuset *chosen, bool by_statement)
{
	const struct isst_domain *first = NULL, *domain;
	struct isst_cpuset *cpus = xcheck(isst_cpuset_new()); /* of each package's first domain */
	bool spread = false;
	char *list;

	for (size_t i = 0; (domain = isst_domain_at(run->context, i)) != NULL; i++) {
		bool begins = !first || isst_domain_package(first) != isst_domain_package(domain);

		if (!domain_has_cpu_of(domain, chosen))
			continue;
		spread |= !begins;
		if (begins)
			xcall(isst_cpuset_add_set(cpus, isst_domain_present_cpus(domain)));
		first = domain;
	}
	list = xcheck(isst_cpuset_to_list(cpus));
	if (spread)
		report_message(run->report, ENTRY_NOTE,
			       "chosen from several power domains of a package; %swithin %s "
			       "chooses from one of each: the same frequencies, and closer to "
			       "each other",
			       by_statement ? "" : "--", list);
	free(list);
	isst_cpuset_free(cpus);
}

void core_choice_report(struct run *run)
{
	note_division(run);
	core_choice_note_spread(run, run->chosen, false);
	report_cpu_ranges(report_at_top(run->report), KEY_HIGH_PRIORITY_CPUS, 0, run->chosen);
}
