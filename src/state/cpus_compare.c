/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs in use, compared domain by domain. */
#include "base/cpuset.h"
#include "common/memory_stream.h"
#include "common/numbered.h"
#include "configuration/write.h"
#include "features/cpus_change.h"
#include "state/cpus.h"
#include "topology/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int write_cpus(FILE *stream, const char *before, const struct isst_cpuset *cpus)
{
	char *list = isst_cpuset_to_list(cpus);

	if (!list)
		return -ENOMEM;
	fprintf(stream, "%s%s", before, list);
	free(list);
	return 0;
}

int cpus_describe(const struct cpus_state *state, char **text)
{
	bool offline = isst_cpuset_count(state->offline) > 0;
	bool unknown = isst_cpuset_count(state->unknown) > 0;
	bool isolated = isst_cpuset_count(state->isolated) > 0;
	bool foreign = isst_cpuset_count(state->foreign) > 0;
	struct memory_stream memory;
	int error = memory_stream_open(&memory);

	if (error)
		return error;
	if (offline)
		error = write_cpus(memory.stream, "offline ", state->offline);
	if (!error && isolated)
		error = write_cpus(memory.stream, offline ? ", isolated " : "isolated ",
				   state->isolated);
	if (!error && state->has_partition && !isolated)
		fputs(offline ? ", a partition without isolation" : "a partition without isolation",
		      memory.stream);
	else if (!offline && !isolated)
		fputs("online", memory.stream);
	if (!error && foreign)
		error = write_cpus(memory.stream, ", isolated by another program ", state->foreign);
	if (!error && unknown)
		error = write_cpus(memory.stream, ", not seen since boot ", state->unknown);
	*text = memory_stream_text(&memory);
	return error || !*text ? -ENOMEM : 0;
}

/** What a setting states of the CPUs of a domain; NULL: of those that are no domain's. To be freed.
 */
static int wanted_text(const struct setting *setting, const struct isst_domain *domain, char **text)
{
	struct setting own = *setting;
	int error;

	if (setting->wanted != WANTED_OFFLINE)
		return setting_value_text(setting, text);
	own.cpus = isst_cpuset_new();
	error = cpuset_add_common(own.cpus, domain ? domain->present : NULL, setting->cpus);
	if (isst_cpuset_count(own.cpus) == 0)
		own.wanted = WANTED_ALL_ONLINE;
	if (!error)
		error = setting_value_text(&own, text);
	isst_cpuset_free(own.cpus);
	return error;
}

static int add_difference(const struct setting *setting, const struct cpus_state *state,
			  struct differences *differences)
{
	struct difference difference = { .origin = setting->origin };
	int error = cpus_describe(state, &difference.present);

	if (!error)
		error = wanted_text(setting, state->domain, &difference.wanted);
	if (!error && asprintf(&difference.target, "%s: CPUs", state->domain->name) < 0) {
		difference.target = NULL;
		error = -ENOMEM;
	}
	if (error) {
		difference_clear(&difference);
		return error;
	}
	return differences_add(differences, &difference);
}

static int add_unknown(const struct setting *setting, const struct isst_cpuset *unknown,
		       struct differences *differences)
{
	struct difference difference = { .origin = setting->origin };
	bool one = isst_cpuset_count(unknown) == 1;
	int error = wanted_text(setting, NULL, &difference.wanted);

	difference.target = name_numbers("CPU", unknown);
	difference.present = strdup(one ? "offline, of an unknown package"
					: "offline, of unknown packages");
	if (!error)
		return differences_add(differences, &difference);
	difference_clear(&difference);
	return error;
}

/** CPUs that are offline and may be of any domain: one difference for all, by the first setting
 * that wants them online. */
static int compare_unknown(const struct wanted *wanted, const struct cpus_state *states,
			   size_t count, struct differences *differences)
{
	const struct setting *setting = NULL;
	struct isst_cpuset *cpus = isst_cpuset_new();
	int error = cpus ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error && !setting; i++) {
		const struct setting *own = wanted_cpus(wanted, states[i].domain);

		error = cpus_state_add_unknown(&states[i], cpus_wanted_of(own), own->cpus, cpus);
		if (isst_cpuset_count(cpus) > 0)
			setting = own;
	}
	if (!error && setting)
		error = add_unknown(setting, cpus, differences);
	isst_cpuset_free(cpus);
	return error;
}

static int compare(struct wanted *wanted, const struct cpus_state *state,
		   struct differences *differences)
{
	struct cpus_state known = *state;
	const struct setting *setting = wanted_cpus(wanted, state->domain);
	const struct isst_failure *failure = &state->failure;
	enum cpus_wanted cpus = cpus_wanted_of(setting);

	if (!failure->error && (cpus == CPUS_BY_LEVEL || cpus == CPUS_ISOLATED))
		failure = &state->level_failure;
	if (failure->error)
		return wanted_fails(wanted, setting, NULL, failure);
	known.unknown = NULL;
	if (cpus_state_is(&known, cpus, setting->cpus))
		return 0;
	/* As planning has it: without partitions none can be isolated. */
	if (cpus == CPUS_ISOLATED && isst_cpuset_count(state->disabled) > 0) {
		int error = cpus_probe_partitions(wanted->context);

		if (error == -EOPNOTSUPP)
			return wanted_reject(wanted, setting, NULL, error, "%s",
					     isst_error(wanted->context));
		if (error == -ENOMEM)
			return error;
	}
	return add_difference(setting, &known, differences);
}

static int compare_unreachable(const struct wanted *wanted, struct differences *differences)
{
	const struct setting *setting = cpus_everywhere(wanted->configuration);
	struct difference difference = { 0 };
	int error = setting ? cpus_name_unreachable(wanted->context, setting, &difference.target)
			    : 0;

	if (error || !difference.target)
		return error;
	difference.origin = setting->origin;
	difference.present = strdup("offline");
	error = wanted_text(setting, NULL, &difference.wanted);
	if (error) {
		difference_clear(&difference);
		return error;
	}
	return differences_add(differences, &difference);
}

/** CPUs that count as stated, though they are offline, are named. */
static int report_without_smt(struct isst_context *context, const struct isst_cpuset *cpus)
{
	size_t count = isst_cpuset_count(cpus);
	char *list;

	if (count == 0)
		return 0;
	list = name_numbers("CPU", cpus);
	if (!list)
		return -ENOMEM;
	message_notice(&context->messages,
		       "%s %s offline because SMT is off (" SMT_CONTROL "), and not counted as a "
		       "difference",
		       list, count == 1 ? "is" : "are");
	free(list);
	return 0;
}

static int note_without_smt(struct wanted *wanted, const struct cpus_state *states, size_t count)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	int error = cpus ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++) {
		const struct setting *setting = wanted_cpus(wanted, states[i].domain);

		error = cpus_state_add_without_smt(&states[i], cpus_wanted_of(setting),
						   setting->cpus, cpus);
	}
	if (!error)
		error = report_without_smt(wanted->context, cpus);
	isst_cpuset_free(cpus);
	return error;
}

int cpus_compare(struct wanted *wanted, struct differences *differences)
{
	struct cpus_state *states = calloc(wanted->facts.count + 1, sizeof(*states));
	size_t count = 0;
	bool levels = false;
	int error = states ? 0 : -ENOMEM;

	for (size_t i = 0; i < wanted->facts.count && !error; i++) {
		const struct isst_domain *domain = wanted->facts.domains[i].domain;
		const struct setting *setting = wanted_cpus(wanted, domain);

		if (!setting)
			continue;
		states[count++].domain = domain;
		levels |= setting->wanted == WANTED_OF_LEVEL || setting->wanted == WANTED_ISOLATED;
	}
	if (!error && count > 0)
		error = cpus_state_read(wanted->context, states, count, levels);
	for (size_t i = 0; i < count && !error; i++)
		error = compare(wanted, &states[i], differences);
	if (!error)
		error = compare_unknown(wanted, states, count, differences);
	if (!error)
		error = note_without_smt(wanted, states, count);
	if (!error)
		error = compare_unreachable(wanted, differences);
	for (size_t i = 0; i < count && states; i++)
		cpus_state_clear(&states[i]);
	free(states);
	return error;
}
