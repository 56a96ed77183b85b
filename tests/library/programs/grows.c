/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program as users have it, linked to the shared library that it was compiled with, and then run
 * on one that has grown (shared.sh): prints what it reads, plans and changes, by all
 * options that there are. `grows DIRECTORY` on the emulated machine whose state is there; `grows
 * grown` tells whether the library knows the value that only the grown one has.
 */
#include <isst-emulator.h>
#include <isst-journal.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void demand(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "failed: %s\n", what);
	exit(1);
}

static void print_number(const struct isst_result *result, int id)
{
	unsigned int rows = 0, columns = 0, value;

	isst_result_extent(result, id, &rows, &columns);
	for (unsigned int row = 0; row < rows; row++)
		for (unsigned int column = 0; column < columns; column++)
			if (isst_result_value_at(result, id, row, column, &value) == 0)
				printf("  %s[%u][%u] %u %s\n", isst_value_name(id), row, column,
				       value, isst_value_unit(id));
}

static void print_value(const struct isst_result *result, int id)
{
	const struct isst_cpuset *cpus;
	uint64_t bits;
	char *list;

	if (isst_result_cpus(result, id, &cpus) == 0) {
		list = isst_cpuset_to_list(cpus);
		printf("  %s %s\n", isst_value_name(id), list);
		free(list);
	} else if (isst_value_type(id) == ISST_TYPE_BITS &&
		   isst_result_bits(result, id, 0, 0, &bits) == 0) {
		printf("  %s %#llx\n", isst_value_name(id), (unsigned long long)bits);
	} else {
		print_number(result, id);
	}
}

/* The values that this program was compiled with. */
static void print_results(const char *what, int error, struct isst_results *results)
{
	const struct isst_result *result;

	printf("%s: %d\n", what, error);
	for (size_t i = 0; (result = isst_results_at(results, i)) != NULL; i++) {
		const struct isst_cpu *cpu = isst_result_cpu(result);

		printf(" %zu %s", isst_result_target(result),
		       isst_domain_name(isst_result_domain(result)));
		if (cpu)
			printf(" CPU %u", isst_cpu_number(cpu));
		printf(" %d\n", isst_result_error(result, ISST_PART_RESULT));
		for (int id = 1; id <= ISST_VALUE_AVOID_CPUS; id++)
			if (isst_value_name(id))
				print_value(result, id);
	}
	isst_results_free(results);
}

static void read_all(struct isst_context *context, const struct isst_targets *domains,
		     const struct isst_targets *cpus)
{
	struct isst_results *results;
	int error;

	error = isst_read(context, ISST_READ_PERF_PROFILES, domains, NULL, 0, &results);
	print_results("profiles", error, results);
	error = isst_read(context, ISST_READ_LEVELS, domains, NULL, ISST_LEVELS_ALL, &results);
	print_results("levels", error, results);
	error = isst_read(context, ISST_READ_CORE_POWER, domains, NULL, 0, &results);
	print_results("core-power", error, results);
	error = isst_read(context, ISST_READ_CLOS, domains, NULL, 0, &results);
	print_results("CLOS", error, results);
	error = isst_read(context, ISST_READ_CLOS_ASSOCIATIONS, cpus, NULL, 0, &results);
	print_results("associations", error, results);
	error = isst_read(context, ISST_READ_TURBO_RATIO_LIMITS, domains, NULL, 0, &results);
	print_results("limits", error, results);
}

/** How often the library asked whether to interrupt. */
static unsigned int asked;

static int not_interrupted(void *data)
{
	++*(unsigned int *)data;
	return 0;
}

static void print_progress(void *data, unsigned int cpu, int online, unsigned int done,
			   unsigned int count)
{
	printf("%s: %d cpu %u, %u of %u\n", (const char *)data, online, cpu, done, count);
}

static void print_items(const struct isst_change *change)
{
	const struct isst_change_step *step;

	for (size_t i = 0; (step = isst_change_step_at(change, i)) != NULL; i++) {
		const struct isst_item *item = isst_change_step_item(step);
		unsigned int index = 0;
		uint64_t from, to;
		int known = isst_item_index(item, &index);

		isst_change_step_old_number(step, &from);
		isst_change_step_new_number(step, &to);
		printf(" %d %s %d %u: %llu -> %llu %s\n", isst_item_kind(item),
		       isst_domain_name(isst_item_domain(item)), known, index,
		       (unsigned long long)from, (unsigned long long)to, isst_item_unit(item));
	}
}

static void make_change(struct isst_context *context, const struct isst_targets *domains,
			unsigned int flags)
{
	struct isst_change_options *options = isst_change_options_new();
	struct isst_request *request = isst_request_new();
	const struct isst_change_step *step;
	static char name[] = "progress";
	struct isst_results *results;
	struct isst_change *change;
	int error;

	demand(options && request, "options");
	demand(isst_change_options_set_flags(options, flags) == 0, "flags");
	demand(isst_change_options_set_command(options, "growth") == 0, "command");
	isst_change_options_set_progress(options, print_progress, name);
	demand(isst_change_new(context, options, &change) == 0, "change");
	isst_change_options_free(options);
	demand(isst_request_set(request, ISST_VALUE_LEVEL, 3) == 0, "request");
	error = isst_change_add(change, ISST_SET_LEVEL, domains, request, ISST_ADD_ONLINE,
				&results);
	print_results("planned", error, results);
	printf("run: %d\n", isst_change_run(change));
	for (size_t i = 0; (step = isst_change_step_at(change, i)) != NULL; i++)
		printf(" %s: %s -> %s %d\n", isst_change_step_target(step),
		       isst_change_step_old_text(step), isst_change_step_new_text(step),
		       isst_change_step_is_written(step));
	print_items(change);
	printf("asked: %d\n", asked > 0);
	asked = 0;
	isst_change_free(change);
	isst_request_free(request);
}

static void count_line(void *data, int level, const char *message)
{
	unsigned int *counts = (unsigned int *)data;

	(void)message;
	counts[level]++;
}

static struct isst_context *open_context(const char *directory, unsigned int *counts)
{
	struct isst_emulator_target *target = isst_emulator_target_new("guide");
	struct isst_options *options = isst_options_new();
	struct isst_context *context;
	struct isst_machine *machine;
	char *error;

	demand(target && options, "options");
	demand(isst_emulator_target_set_state(target, directory) == 0, "state");
	demand(isst_emulator_open(target, &machine, &error) == 0, "machine");
	demand(isst_options_set(options, ISST_OPTION_TRIES, 5) == 0, "tries");
	isst_options_set_interrupted(options, not_interrupted, &asked);
	isst_options_set_log(options, ISST_LOG_INFO, count_line, counts);
	demand(isst_options_set(options, ISST_OPTION_SYSTEM_LOG, 1) == 0, "system log");
	demand(isst_open_machine(machine, options, &context) == 0, "context");
	isst_options_free(options);
	isst_emulator_target_free(target);
	return context;
}

static bool has_value(const char *name)
{
	int id;

	for (size_t i = 0; (id = isst_value_at(i)) != 0; i++)
		if (strcmp(isst_value_name(id), name) == 0)
			return true;
	return false;
}

int main(int argc, char **argv)
{
	unsigned int counts[ISST_LOG_DEBUG + 1] = { 0 };
	struct isst_targets *domains, *cpus;
	struct isst_context *context;

	demand(argc == 2, "one argument");
	if (strcmp(argv[1], "grown") == 0)
		return !has_value("grown");
	context = open_context(argv[1], counts);
	demand(isst_lock(context, 1000, 0) == 0, "lock");
	demand(isst_discover(context) == 0, "discovery");
	domains = isst_targets_new(context);
	cpus = isst_targets_new(context);
	demand(domains && isst_targets_add_all_domains(domains, 0) == 0, "domains");
	demand(cpus && isst_targets_add_cpus(cpus, isst_online_cpus(context)) == 0, "CPUs");
	read_all(context, domains, cpus);
	make_change(context, domains, ISST_CHANGE_DRY_RUN);
	make_change(context, domains, 0);
	demand(isst_discover(context) == 0, "rediscovery");
	read_all(context, domains, cpus);
	for (size_t i = 0; i < isst_domain_count(context); i++)
		printf("%s: %zu CPUs\n", isst_domain_name(isst_domain_at(context, i)),
		       isst_cpuset_count(isst_domain_online_cpus(isst_domain_at(context, i))));
	printf("log: %u %u\n", counts[ISST_LOG_ERROR], counts[ISST_LOG_INFO]);
	isst_targets_free(cpus);
	isst_targets_free(domains);
	isst_close(context);
	return 0;
}
