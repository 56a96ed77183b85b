/* SPDX-License-Identifier: BSD-3-Clause */
#include "reading.h"

#include "../process/xalloc.h"

#include <errno.h>

struct isst_targets *domain_targets(struct run *run)
{
	struct isst_targets *targets = xcheck(isst_targets_new(run->context));
	int error = 0;

	/* A change may have taken one away. */
	for (size_t slot = 0; slot < run->targets.domain_count && !error; slot++)
		error = isst_targets_add_domain(targets, run->targets.domains[slot]);
	if (!error)
		return targets;
	isst_targets_free(targets);
	run_not_asked(run, error);
	return NULL;
}

struct isst_targets *cpu_targets(const struct run *run)
{
	struct isst_targets *targets = xcheck(isst_targets_new(run->context));
	struct isst_cpuset *cpus = xcheck(isst_cpuset_new());

	for_each_unit (unit, &run->targets)
		xcall(isst_cpuset_add(cpus, unit->cpu, unit->cpu));
	xcall(isst_targets_add_cpus(targets, cpus));
	isst_cpuset_free(cpus);
	return targets;
}

struct isst_results *read_targets(struct run *run, struct isst_targets *targets,
				  const struct question *question)
{
	struct isst_results *results = NULL;
	struct isst_request *request = NULL;
	int error;

	if (!targets)
		return NULL;
	if (question->value && request_has(run->request, question->option)) {
		request = xcheck(isst_request_new());
		xcall(isst_request_set(request, question->value,
				       request_number(run->request, question->option)));
	}
	error = isst_read(run->context, question->read, targets, request, question->flags,
			  &results);
	/* Where there are results, each has the cause of its failure. */
	if (!results)
		run_call(run, error);
	isst_request_free(request);
	isst_targets_free(targets);
	return results;
}

void report_unread(struct run *run, const struct unit *unit, struct failure failure,
		   enum key_id key, const struct shown_value *shown)
{
	struct report_node *node;

	if (!run->report->v2 || !failure.error || failure.error == -EOPNOTSUPP)
		return;
	node = unit_report(run, unit);
	node->hidden = true;
	if (key != KEYS)
		report_unknown(node, key);
	for (; key == KEYS && shown->key != KEYS; shown++)
		report_unknown(node, shown->key);
}

void show_domains(struct run *run, const struct question *question)
{
	struct isst_results *results = read_targets(run, domain_targets(run), question);

	for (size_t i = 0; results && i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];
		const struct isst_result *result = isst_results_at(results, unit->slot);
		struct failure failure = failure_of(result, ISST_PART_RESULT);
		struct report_node *node;

		if (!run_result(run, failure, unit->first)) {
			report_unread(run, unit, failure, question->branch, question->shown);
			continue;
		}
		node = unit_report(run, unit);
		if (question->branch != KEYS)
			node = report_branch(node, question->branch, 0);
		report_values(node, result, question->shown);
	}
	isst_results_free(results);
}

void report_value_at(struct report_node *parent, enum key_id key, const struct isst_result *result,
		     int id, unsigned int row, unsigned int column)
{
	unsigned int value;
	int error = isst_result_value_at(result, id, row, column, &value);

	if (!error)
		report_number(parent, key, value);
	else if (error == -EIO)
		report_unknown(parent, key);
}

const char *feature_state_word(unsigned int state)
{
	static const char *const WORDS[] = {
		[ISST_FEATURE_UNKNOWN] = NULL,
		[ISST_FEATURE_UNSUPPORTED] = "unsupported",
		[ISST_FEATURE_DISABLED] = "disabled",
		[ISST_FEATURE_ENABLED] = "enabled",
	};

	return state < sizeof(WORDS) / sizeof(WORDS[0]) ? WORDS[state] : NULL;
}

static int read_base_mhz(const struct isst_result *level, unsigned int *mhz)
{
	int error = isst_result_value(level, ISST_VALUE_BASE_MHZ, mhz);

	/* Power domains without cores report 0, which is none. */
	if (error != -ENODATA || value_of(level, ISST_VALUE_TDP_RATIO) == 0)
		return error;
	*mhz = value_of(level, ISST_VALUE_TDP_RATIO) * 100;
	return 0;
}

void report_values(struct report_node *parent, const struct isst_result *result,
		   const struct shown_value *row)
{
	static const char *const PRIORITIES[] = {
		[ISST_PRIORITY_PROPORTIONAL] = "proportional", [ISST_PRIORITY_ORDERED] = "ordered"
	};

	for (; row->key != KEYS; row++) {
		unsigned int mhz = 0;
		uint64_t value = 0;
		int error = row->form == SHOW_BASE
				    ? read_base_mhz(result, &mhz)
				    : isst_result_bits(result, row->id, 0, 0, &value);

		if (row->form == SHOW_NUMBER)
			report_value_at(parent, row->key, result, row->id, row->row, 0);
		else if (error == -EIO)
			report_unknown(parent, row->key);
		else if (!error && row->form == SHOW_BASE)
			report_number(parent, row->key, mhz);
		else if (!error && row->form == SHOW_HEX)
			report_hex(parent, row->key, value);
		else if (!error && row->form == SHOW_STATE)
			report_state(parent, row->key, value);
		else if (!error && row->form == SHOW_FEATURE &&
			 feature_state_word((unsigned int)value))
			report_word(parent, row->key, feature_state_word((unsigned int)value));
		else if (!error && row->form == SHOW_PRIORITY)
			report_word(parent, row->key, PRIORITIES[value == ISST_PRIORITY_ORDERED]);
	}
}

struct isst_cpuset *named_cpus_find(struct run *run, const struct cpu_list *list)
{
	struct isst_cpuset *cpus = xcheck(isst_cpuset_new()), *found;
	bool done = true;

	xcall(isst_cpuset_add_set(cpus, list->numbers));
	for (size_t i = 0; i < list->name_count && done; i++) {
		int error = isst_cpus_by_name(run->context, list->names[i], 0, &found);

		done = !error && isst_cpuset_count(found) > 0;
		if (error)
			run_error(run, status_of_error(error), "@%s: %s", list->names[i],
				  isst_error(run->context));
		else if (!done)
			run_error(run, STATUS_UNSUPPORTED, "@%s: no CPU has this name at present",
				  list->names[i]);
		xcall(isst_cpuset_add_set(cpus, found));
		isst_cpuset_free(found);
	}
	if (done)
		return cpus;
	isst_cpuset_free(cpus);
	return NULL;
}
