/* SPDX-License-Identifier: BSD-3-Clause */
/* Adding requests to a change, and its steps. */
#include "transaction/change.h"
#include "firmware/platform.h"
#include "library/results.h"
#include "library/targets.h"
#include "state/boot.h"
#include "state/plan.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

struct live_results;

/** A call that adds a request. */
struct addition {
	struct isst_change *change;
	struct call call;
	struct target_list list;
	int (*plan_domains)(const struct addition *addition, struct domain_request *requests,
			    size_t count);
	/* For CPUs, with the failures as results. */
	int (*plan_cpus)(const struct addition *addition, const struct live_results *live);
};

/** Results whose targets still exist. */
struct live_results {
	struct isst_result **items;
	size_t count;
};

static const int NO_VALUES[] = { 0 };

static bool is_io(const struct isst_result *result)
{
	return !result->cpu && isst_domain_is_io(result->domain);
}

static int plan_domains(const struct addition *addition, const struct live_results *live)
{
	struct domain_request *requests = calloc(live->count + 1, sizeof(*requests));
	int error;

	if (!requests)
		return call_no_memory(addition->call.context);
	for (size_t i = 0; i < live->count; i++)
		requests[i].domain = live->items[i]->domain;
	error = addition->plan_domains(addition, requests, live->count);
	for (size_t i = 0; i < live->count && !error; i++)
		if (result_fail(live->items[i], ISST_PART_RESULT, &requests[i].failure))
			error = call_no_memory(addition->call.context);
	free(requests);
	return error;
}

/** Fails the results whose targets no longer exist, and finds the others. */
static int find_live(const struct addition *addition, struct isst_results *results,
		     struct live_results *live)
{
	struct isst_context *context = addition->call.context;

	for (size_t i = 0; i < results->count; i++) {
		struct isst_result *result = &results->items[i];
		struct isst_failure failure = { 0 };

		if (result->cpu ? context_accepts_cpu(context, result->cpu, &failure)
				: context_accepts_domain(context, result->domain, &failure))
			live->items[live->count++] = result;
		else if (result_fail(result, ISST_PART_RESULT, &failure))
			return call_no_memory(context);
	}
	return 0;
}

/** The failure that the targets which no longer exist have in common; NULL where all exist. */
static const struct isst_failure *find_lost(const struct isst_results *results)
{
	for (size_t i = 0; i < results->count; i++)
		if (results->items[i].parts[ISST_PART_RESULT].error == -ESTALE)
			return &results->items[i].parts[ISST_PART_RESULT];
	return NULL;
}

static int plan(const struct addition *addition, struct isst_results *results)
{
	struct live_results live = { .items = calloc(results->count + 1, sizeof(*live.items)) };
	const struct isst_failure *lost;
	int error;

	if (!live.items)
		return call_no_memory(addition->call.context);
	error = find_live(addition, results, &live);
	lost = find_lost(results);
	if (!error && (live.count > 0 || !lost))
		error = addition->plan_cpus ? addition->plan_cpus(addition, &live)
					    : plan_domains(addition, &live);
	if (!error && lost)
		change_plan_without(addition->change, lost, live.count > 0);
	free(live.items);
	return error;
}

static struct isst_results *prepare(const struct addition *addition)
{
	const struct target_list *list = &addition->list;
	size_t count = addition->call.for_cpus ? list->cpu_count : list->domain_count;
	struct isst_results *results = results_new(count, 0);

	if (results)
		results_name_targets(results, list, addition->call.for_cpus, 1);
	return results;
}

/** Whether flags name the direction in which something is switched. */
static bool is_switch(unsigned int flags)
{
	unsigned int way = flags & (ISST_CHANGE_ADD_ENABLE | ISST_CHANGE_ADD_DISABLE);

	return way == ISST_CHANGE_ADD_ENABLE || way == ISST_CHANGE_ADD_DISABLE;
}

static int check(struct addition *addition)
{
	struct call *call = &addition->call;
	int error;

	if (!call->values)
		call->values = NO_VALUES;
	error = call_check(call, &addition->list);
	if (error || !(call->known_flags & ISST_CHANGE_ADD_ENABLE) || is_switch(call->flags))
		return error;
	return context_refuse(
		call->context,
		"either ISST_CHANGE_ADD_ENABLE or ISST_CHANGE_ADD_DISABLE has to be given");
}

/** What a change that was run made is known; a request more would never be made. */
static int check_not_run(const struct isst_change *change)
{
	if (!change->ran)
		return 0;
	return context_refuse(change->context,
			      "the change was already made or attempted: no request can be added");
}

int call_spoil(struct isst_change *change, int error)
{
	if (!change->objection.error)
		change->objection = (struct isst_failure){ .error = error,
							   .message = isst_error(change->context) };
	return error;
}

/** Plans, and makes results of what stands against it. */
static int add(struct addition *addition, struct isst_results **out)
{
	struct isst_results *results;
	struct messages *messages;
	const char *before;
	int error;

	if (out)
		*out = NULL;
	if (!addition->change)
		return -EINVAL;
	error = check_not_run(addition->change);
	if (error)
		return error;
	messages = &addition->call.context->messages;
	error = check(addition);
	if (error)
		return call_spoil(addition->change, error);
	results = prepare(addition);
	if (!results)
		return call_spoil(addition->change, call_no_memory(addition->call.context));
	before = message_begin(messages);
	error = message_end(messages, before, plan(addition, results));
	if (error) {
		isst_results_free(results);
		return call_spoil(addition->change, error);
	}
	error = results_conclude(addition->call.context, results, is_io);
	if (out)
		*out = results;
	else
		isst_results_free(results);
	return error;
}

/** The beginning of each addition. */
static struct addition begin(struct isst_change *change, const struct isst_targets *targets,
			     const struct isst_request *request, unsigned int flags)
{
	return (struct addition){ .change = change,
				  .call = { .context = change ? change->context : NULL,
					    .targets = targets,
					    .request = request,
					    .flags = flags } };
}

/** What a request has to contain, and does not. */
static int refuse_without(const struct addition *addition, int id)
{
	return message_error(&addition->call.context->messages, -EINVAL,
			     "the request has to contain the value %s", isst_value_name(id));
}

static bool enables(const struct addition *addition)
{
	return addition->call.flags & ISST_CHANGE_ADD_ENABLE;
}

static bool is_automatic(const struct addition *addition)
{
	return addition->call.flags & ISST_CHANGE_ADD_AUTO;
}

/* ---- For domains ---- */

static int plan_level(const struct addition *addition, struct domain_request *requests,
		      size_t count)
{
	uint64_t level;

	if (!request_get(addition->call.request, ISST_VALUE_LEVEL, &level))
		return refuse_without(addition, ISST_VALUE_LEVEL);
	return change_plan_level(addition->change, requests, count, (unsigned int)level,
				 addition->call.flags & ISST_CHANGE_ADD_ONLINE);
}

int isst_change_add_level(struct isst_change *change, const struct isst_targets *targets,
			  const struct isst_request *request, unsigned int flags,
			  struct isst_results **results)
{
	static const int VALUES[] = { ISST_VALUE_LEVEL, 0 };
	struct addition addition = begin(change, targets, request, flags);

	addition.call.values = VALUES;
	addition.call.known_flags = ISST_CHANGE_ADD_ONLINE;
	addition.plan_domains = plan_level;
	return add(&addition, results);
}

static int plan_base_freq(const struct addition *addition, struct domain_request *requests,
			  size_t count)
{
	return change_plan_base_freq(addition->change, requests, count, enables(addition),
				     is_automatic(addition));
}

int isst_change_add_base_freq(struct isst_change *change, const struct isst_targets *targets,
			      const struct isst_request *request, unsigned int flags,
			      struct isst_results **results)
{
	struct addition addition = begin(change, targets, request, flags);

	addition.call.known_flags = ISST_CHANGE_ADD_ENABLE | ISST_CHANGE_ADD_DISABLE |
				    ISST_CHANGE_ADD_AUTO;
	addition.plan_domains = plan_base_freq;
	return add(&addition, results);
}

static bool is_targeted(const struct addition *addition, const struct isst_domain *domain)
{
	for (size_t i = 0; i < addition->list.domain_count; i++)
		if (addition->list.domains[i] == domain)
			return true;
	return false;
}

/** All others would lose priority to CPUs that are none, or of domains that stay as they are. */
static int check_high_priority(const struct addition *addition, const struct isst_cpuset *cpus)
{
	struct isst_context *context = addition->call.context;
	unsigned int cpu;

	isst_cpuset_for_each (cpu, cpus) {
		const struct isst_cpu *found = isst_cpu_by_number(context, cpu);

		if (!found)
			return message_error(&context->messages, -EOPNOTSUPP,
					     "CPU %u cannot get high priority: this machine has no "
					     "such CPU, or its place is not known",
					     cpu);
		if (!is_targeted(addition, isst_cpu_domain(found)))
			return message_error(&context->messages, -EINVAL,
					     "CPU %u cannot get high priority: it belongs to none "
					     "of the targets",
					     cpu);
	}
	return 0;
}

/** A number other than 0 for what this machine does not have. Returns 0 or -EOPNOTSUPP. */
static int check_has(const struct addition *addition, int id, enum platform_fact fact)
{
	struct isst_context *context = addition->call.context;

	if (platform_has(&context->platform, fact) ||
	    request_get_number(addition->call.request, id, 0) == 0)
		return 0;
	return message_error(&context->messages, -EOPNOTSUPP, "a CLOS has no %s on this machine",
			     isst_value_name(id));
}

static int plan_turbo_freq(const struct addition *addition, struct domain_request *requests,
			   size_t count)
{
	const struct isst_request *request = addition->call.request;
	struct turbo_freq_request turbo_freq = {
		.enable = enables(addition),
		.automatic = is_automatic(addition),
		.high_priority = request_get_cpus(request, ISST_VALUE_HIGH_PRIORITY_CPUS),
	};
	int error = check_high_priority(addition, turbo_freq.high_priority);

	if (!error && turbo_freq.high_priority && !(turbo_freq.enable && turbo_freq.automatic))
		error = message_error(&addition->call.context->messages, -EINVAL,
				      "the value %s needs ISST_CHANGE_ADD_ENABLE and "
				      "ISST_CHANGE_ADD_AUTO",
				      isst_value_name(ISST_VALUE_HIGH_PRIORITY_CPUS));
	if (error)
		return error;
	turbo_freq.limits_given = request_get(request, ISST_VALUE_TURBO_RATIO_LIMITS,
					      &turbo_freq.limits);
	return change_plan_turbo_freq(addition->change, requests, count, &turbo_freq);
}

int isst_change_add_turbo_freq(struct isst_change *change, const struct isst_targets *targets,
			       const struct isst_request *request, unsigned int flags,
			       struct isst_results **results)
{
	static const int VALUES[] = { ISST_VALUE_HIGH_PRIORITY_CPUS, ISST_VALUE_TURBO_RATIO_LIMITS,
				      0 };
	struct addition addition = begin(change, targets, request, flags);

	addition.call.values = VALUES;
	addition.call.known_flags = ISST_CHANGE_ADD_ENABLE | ISST_CHANGE_ADD_DISABLE |
				    ISST_CHANGE_ADD_AUTO;
	addition.plan_domains = plan_turbo_freq;
	return add(&addition, results);
}

static int plan_core_power(const struct addition *addition, struct domain_request *requests,
			   size_t count)
{
	enum isst_priority_request priority = ISST_KEEP_PRIORITY;
	uint64_t asked;

	if (request_get(addition->call.request, ISST_VALUE_PRIORITY, &asked))
		/* One that does not exist is refused by planning, UINT32_MAX as well. */
		priority = (enum isst_priority_request)(asked < INT_MAX ? (int)asked : INT_MAX);
	if (priority == ISST_MAKE_PROPORTIONAL && enables(addition) &&
	    !platform_has(&addition->call.context->platform, PLATFORM_PROPORTIONAL_PRIORITY))
		return message_error(&addition->call.context->messages, -EOPNOTSUPP,
				     "proportional priority is not supported on this machine");
	return change_plan_core_power(addition->change, requests, count, enables(addition),
				      priority);
}

int isst_change_add_core_power(struct isst_change *change, const struct isst_targets *targets,
			       const struct isst_request *request, unsigned int flags,
			       struct isst_results **results)
{
	static const int VALUES[] = { ISST_VALUE_PRIORITY, 0 };
	struct addition addition = begin(change, targets, request, flags);

	addition.call.values = VALUES;
	addition.call.known_flags = ISST_CHANGE_ADD_ENABLE | ISST_CHANGE_ADD_DISABLE;
	addition.plan_domains = plan_core_power;
	return add(&addition, results);
}

static int plan_clos(const struct addition *addition, struct domain_request *requests, size_t count)
{
	static const struct {
		int id;
		enum platform_fact fact;
	} NEEDED[] = { { ISST_VALUE_CLOS_EPP, PLATFORM_CLOS_EPP },
		       { ISST_VALUE_CLOS_WEIGHT, PLATFORM_CLOS_WEIGHT },
		       { ISST_VALUE_CLOS_DESIRED_MHZ, PLATFORM_CLOS_DESIRED } };
	const struct isst_request *request = addition->call.request;
	const struct isst_clos values = {
		.clos = request_get_number(request, ISST_VALUE_CLOS, 0),
		.epp = request_get_number(request, ISST_VALUE_CLOS_EPP, 0),
		.weight = request_get_number(request, ISST_VALUE_CLOS_WEIGHT, 0),
		.min_mhz = request_get_number(request, ISST_VALUE_CLOS_MIN_MHZ, 0),
		.max_mhz = request_get_number(request, ISST_VALUE_CLOS_MAX_MHZ,
					      ISST_CLOS_NO_LIMIT_MHZ),
		.desired_mhz = request_get_number(request, ISST_VALUE_CLOS_DESIRED_MHZ, 0),
	};
	uint64_t clos;
	int error = 0;

	if (!request_get(request, ISST_VALUE_CLOS, &clos))
		return refuse_without(addition, ISST_VALUE_CLOS);
	for (size_t i = 0; i < sizeof(NEEDED) / sizeof(NEEDED[0]) && !error; i++)
		error = check_has(addition, NEEDED[i].id, NEEDED[i].fact);
	if (error)
		return error;
	return change_plan_clos(addition->change, requests, count, &values);
}

int isst_change_add_clos(struct isst_change *change, const struct isst_targets *targets,
			 const struct isst_request *request, unsigned int flags,
			 struct isst_results **results)
{
	static const int VALUES[] = { ISST_VALUE_CLOS,
				      ISST_VALUE_CLOS_EPP,
				      ISST_VALUE_CLOS_WEIGHT,
				      ISST_VALUE_CLOS_MIN_MHZ,
				      ISST_VALUE_CLOS_MAX_MHZ,
				      ISST_VALUE_CLOS_DESIRED_MHZ,
				      0 };
	struct addition addition = begin(change, targets, request, flags);

	addition.call.values = VALUES;
	addition.plan_domains = plan_clos;
	return add(&addition, results);
}

static int plan_limits(const struct addition *addition, struct domain_request *requests,
		       size_t count)
{
	uint64_t limits;

	if (!request_get(addition->call.request, ISST_VALUE_TURBO_RATIO_LIMITS, &limits))
		return refuse_without(addition, ISST_VALUE_TURBO_RATIO_LIMITS);
	return change_plan_turbo_ratio_limits(addition->change, requests, count, limits);
}

int isst_change_add_turbo_ratio_limits(struct isst_change *change,
				       const struct isst_targets *targets,
				       const struct isst_request *request, unsigned int flags,
				       struct isst_results **results)
{
	static const int VALUES[] = { ISST_VALUE_TURBO_RATIO_LIMITS, 0 };
	struct addition addition = begin(change, targets, request, flags);

	addition.call.values = VALUES;
	addition.plan_domains = plan_limits;
	return add(&addition, results);
}

/* ---- For CPUs ---- */

static int plan_associations(const struct addition *addition, const struct live_results *live)
{
	struct cpu_request *requests = calloc(live->count + 1, sizeof(*requests));
	uint64_t clos;
	int error = 0;

	if (!requests)
		return call_no_memory(addition->call.context);
	if (!request_get(addition->call.request, ISST_VALUE_CLOS, &clos))
		error = refuse_without(addition, ISST_VALUE_CLOS);
	for (size_t i = 0; i < live->count; i++)
		requests[i].cpu = live->items[i]->cpu;
	if (!error)
		error = change_plan_association(addition->change, requests, live->count,
						(unsigned int)clos);
	for (size_t i = 0; i < live->count && !error; i++)
		if (result_fail(live->items[i], ISST_PART_RESULT, &requests[i].failure))
			error = call_no_memory(addition->call.context);
	free(requests);
	return error;
}

int isst_change_add_clos_association(struct isst_change *change, const struct isst_targets *targets,
				     const struct isst_request *request, unsigned int flags,
				     struct isst_results **results)
{
	static const int VALUES[] = { ISST_VALUE_CLOS, 0 };
	struct addition addition = begin(change, targets, request, flags);

	addition.call.values = VALUES;
	addition.call.for_cpus = true;
	addition.plan_cpus = plan_associations;
	return add(&addition, results);
}

static int plan_turbo_mode(const struct addition *addition, const struct live_results *live)
{
	struct cpu_request *requests = calloc(live->count + 1, sizeof(*requests));
	int error;

	if (!requests)
		return call_no_memory(addition->call.context);
	for (size_t i = 0; i < live->count; i++)
		requests[i].cpu = live->items[i]->cpu;
	error = change_plan_turbo_mode(addition->change, requests, live->count, enables(addition));
	for (size_t i = 0; i < live->count && !error; i++)
		if (result_fail(live->items[i], ISST_PART_RESULT, &requests[i].failure))
			error = call_no_memory(addition->call.context);
	free(requests);
	return error;
}

int isst_change_add_turbo_mode(struct isst_change *change, const struct isst_targets *targets,
			       const struct isst_request *request, unsigned int flags,
			       struct isst_results **results)
{
	struct addition addition = begin(change, targets, request, flags);

	addition.call.known_flags = ISST_CHANGE_ADD_ENABLE | ISST_CHANGE_ADD_DISABLE;
	addition.call.for_cpus = true;
	addition.plan_cpus = plan_turbo_mode;
	return add(&addition, results);
}

int isst_change_add_all_online(struct isst_change *change, const struct isst_targets *targets,
			       const struct isst_request *request, unsigned int flags,
			       struct isst_results **results)
{
	struct messages *messages;
	const char *before;
	int error;

	if (results)
		*results = NULL;
	if (!change)
		return -EINVAL;
	error = check_not_run(change);
	if (error)
		return error;
	messages = &change->context->messages;
	before = message_begin(messages);
	if (targets || request || flags)
		error = message_error(messages, -EINVAL,
				      "bringing all CPUs online takes no targets, no request and "
				      "no flags");
	else
		error = change_plan_all_online(change);
	error = message_end(messages, before, error);
	return error ? call_spoil(change, error) : 0;
}

/* ---- Running ---- */

int isst_change_run(struct isst_change *change)
{
	int error;

	if (!change)
		return -EINVAL;
	if (!change->context->boot_state)
		change->context->boot_state = configuration_boot_state;
	error = change_run(change);
	return !error && change->left_out ? ISST_PARTIAL : error;
}

const struct isst_change_step *isst_change_step_at(const struct isst_change *change, size_t index)
{
	return change ? change_listed_step(change, index) : NULL;
}

const char *isst_change_step_target(const struct isst_change_step *step)
{
	return step ? step->target : NULL;
}

const char *isst_change_step_old_text(const struct isst_change_step *step)
{
	return step ? step->old_value : NULL;
}

const char *isst_change_step_new_text(const struct isst_change_step *step)
{
	return step ? step->new_value : NULL;
}

const char *isst_change_step_field_at(const struct isst_change_step *step, size_t index,
				      const char **old_text, const char **new_text)
{
	const struct item_field *field = step && index < step->field_count ? &step->fields[index]
									   : NULL;

	if (old_text)
		*old_text = field ? field->old_text : NULL;
	if (new_text)
		*new_text = field ? field->new_text : NULL;
	return field ? field->target : NULL;
}

bool isst_change_step_is_written(const struct isst_change_step *step)
{
	return step && step->written;
}

const struct isst_item *isst_change_step_item(const struct isst_change_step *step)
{
	return step ? &step->item : NULL;
}

int isst_change_step_old_number(const struct isst_change_step *step, uint64_t *number)
{
	return step ? item_number_get(&step->old_number, number) : -EINVAL;
}

int isst_change_step_new_number(const struct isst_change_step *step, uint64_t *number)
{
	return step ? item_number_get(&step->new_number, number) : -EINVAL;
}
