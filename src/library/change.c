/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes as programs see them: adding requests, running, steps, journals and items. */
#include "transaction/change.h"
#include "firmware/platform.h"
#include "library/getters.h"
#include "library/results.h"
#include "library/targets.h"
#include "state/apply.h"
#include "state/read.h"
#include "transaction/items.h"
#include "transaction/journal.h"
#include "transaction/lock.h"
#include "transaction/run.h"
#include "transaction/tracked.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/** What a call to add a request takes, and how it plans. */
struct addition {
	int needed;    /* the value that the request has to have; 0: none */
	int values[8]; /* that it may have, ended by 0 */
	unsigned int flags;
	bool for_cpus;
	int (*plan)(struct isst_change *change, const struct call *call,
		    struct domain_request *requests, size_t count);
};

enum {
	ONE_WAY = ISST_ADD_ENABLE | ISST_ADD_DISABLE,
};

/** Plans, but for targets that no longer exist, whose results fail. What stands against another
 * target is its result's failure. */
static int plan_results(const struct addition *addition, struct isst_change *change,
			struct call *call, struct isst_results *results)
{
	struct domain_request *requests = calloc(results->count + 1, sizeof(*requests));
	struct isst_result **live = calloc(results->count + 1, sizeof(struct isst_result *));
	const struct isst_failure *lost = NULL;
	int error = requests && live ? 0 : -ENOMEM;
	size_t count = 0;

	for (size_t i = 0; i < results->count && !error; i++) {
		struct isst_result *result = &results->items[i];
		struct isst_failure *failure = &result->parts[ISST_PART_RESULT];

		if (result->cpu ? context_accepts_cpu(call->context, result->cpu, failure)
				: context_accepts_domain(call->context, result->domain, failure)) {
			requests[count] = (struct domain_request){ .domain = result->domain,
								   .cpu = result->cpu };
			live[count++] = result;
		}
		if (!lost && failure->error == -ESTALE)
			lost = failure;
	}
	if (!error && (count > 0 || !lost) && addition->needed &&
	    !request_get(call->request, addition->needed, &call->needed))
		error = message_error(&call->context->messages, -EINVAL,
				      "the request has to contain the value %s",
				      isst_value_name(addition->needed));
	if (!error && (count > 0 || !lost))
		error = addition->plan(change, call, requests, count);
	for (size_t i = 0; i < count && !error; i++)
		live[i]->parts[ISST_PART_RESULT] = requests[i].failure;
	if (!error && lost)
		change_plan_without(change, lost, count > 0);
	free(requests);
	free(live);
	return error;
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
static int add(const struct addition *addition, struct isst_change *change,
	       const struct isst_targets *targets, const struct isst_request *request,
	       unsigned int flags, struct isst_results **out)
{
	struct call call = { .targets = targets,
			     .request = request,
			     .values = addition->values,
			     .flags = flags,
			     .known_flags = addition->flags,
			     .for_cpus = addition->for_cpus };
	struct isst_results *results;
	struct target_list list;
	const char *before;
	int error;

	call.context = change->context;
	call.list = &list;
	error = call_check(&call, &list);
	if (!error && addition->flags & ISST_ADD_ENABLE && (flags & ONE_WAY) != ISST_ADD_ENABLE &&
	    (flags & ONE_WAY) != ISST_ADD_DISABLE)
		error = context_refuse(
			call.context, "either ISST_ADD_ENABLE or ISST_ADD_DISABLE has to be given");
	if (error)
		return call_spoil(change, error);
	results = results_new(&call, &list, 1, 0);
	if (!results)
		return call_spoil(change, call_no_memory(call.context));
	before = message_begin(&call.context->messages);
	error = message_end(&call.context->messages, before,
			    plan_results(addition, change, &call, results));
	if (error) {
		isst_results_free(results);
		return call_spoil(change, error);
	}
	error = results_finish(call.context, results, true, out);
	return error == -ENOMEM ? call_spoil(change, error) : error;
}

static int plan_level(struct isst_change *change, const struct call *call,
		      struct domain_request *requests, size_t count)
{
	return change_plan_level(change, requests, count, (unsigned int)call->needed,
				 call->flags & ISST_ADD_ONLINE);
}

static int plan_base_freq(struct isst_change *change, const struct call *call,
			  struct domain_request *requests, size_t count)
{
	return change_plan_base_freq(change, requests, count, call->flags & ISST_ADD_ENABLE,
				     call->flags & ISST_ADD_AUTO);
}

/** All others would lose priority to CPUs that are none, or of domains that stay as they are. */
static int check_high_priority(const struct call *call, const struct isst_cpuset *cpus)
{
	struct isst_context *context = call->context;
	unsigned int cpu;

	isst_cpuset_for_each (cpu, cpus) {
		const struct isst_cpu *found = isst_cpu_by_number(context, cpu);
		size_t i = 0;

		if (!found)
			return message_error_at(
				&context->messages, of_cpu(NULL, cpu), -EOPNOTSUPP,
				"CPU %u cannot get high priority: this machine has no "
				"such CPU, or its place is not known",
				cpu);
		while (i < call->list->domain_count && call->list->domains[i] != found->domain)
			i++;
		if (i == call->list->domain_count)
			return message_error_at(
				&context->messages, of_cpu(NULL, cpu), -EINVAL,
				"CPU %u cannot get high priority: it belongs to none "
				"of the targets",
				cpu);
	}
	return 0;
}

static int plan_turbo_freq(struct isst_change *change, const struct call *call,
			   struct domain_request *requests, size_t count)
{
	const struct isst_request *request = call->request;
	struct turbo_freq_request turbo_freq = {
		.enable = call->flags & ISST_ADD_ENABLE,
		.automatic = call->flags & ISST_ADD_AUTO,
		.high_priority = request_get_cpus(request, ISST_VALUE_HIGH_PRIORITY_CPUS),
	};
	int error = check_high_priority(call, turbo_freq.high_priority);

	if (!error && turbo_freq.high_priority && !(turbo_freq.enable && turbo_freq.automatic))
		error = message_error(&call->context->messages, -EINVAL,
				      "the value %s needs ISST_ADD_ENABLE and "
				      "ISST_ADD_AUTO",
				      isst_value_name(ISST_VALUE_HIGH_PRIORITY_CPUS));
	if (error)
		return error;
	turbo_freq.limits_given = request_get(request, ISST_VALUE_TURBO_RATIO_LIMITS,
					      &turbo_freq.limits);
	return change_plan_turbo_freq(change, requests, count, &turbo_freq);
}

static int plan_core_power(struct isst_change *change, const struct call *call,
			   struct domain_request *requests, size_t count)
{
	enum isst_priority_request priority = ISST_KEEP_PRIORITY;
	uint64_t asked;

	if (request_get(call->request, ISST_VALUE_PRIORITY, &asked))
		/* One that does not exist is refused by planning, UINT32_MAX as well. */
		priority = (enum isst_priority_request)(asked < INT_MAX ? (int)asked : INT_MAX);
	if (priority == ISST_MAKE_PROPORTIONAL && call->flags & ISST_ADD_ENABLE &&
	    !platform_has(&call->context->platform, PLATFORM_PROPORTIONAL_PRIORITY))
		return message_error(&call->context->messages, -EOPNOTSUPP,
				     "proportional priority is not supported on this machine");
	return change_plan_core_power(change, requests, count, call->flags & ISST_ADD_ENABLE,
				      priority);
}

static int plan_clos(struct isst_change *change, const struct call *call,
		     struct domain_request *requests, size_t count)
{
	static const struct {
		int id;
		enum subject subject;
		bool optional; /* machines without @fact do not have it */
		enum platform_fact fact;
	} FIELDS[] = { { ISST_VALUE_CLOS_MIN_MHZ, SUBJECT_CLOS_MIN, false, 0 },
		       { ISST_VALUE_CLOS_MAX_MHZ, SUBJECT_CLOS_MAX, false, 0 },
		       { ISST_VALUE_CLOS_EPP, SUBJECT_CLOS_EPP, true, PLATFORM_CLOS_EPP },
		       { ISST_VALUE_CLOS_WEIGHT, SUBJECT_CLOS_WEIGHT, true, PLATFORM_CLOS_WEIGHT },
		       { ISST_VALUE_CLOS_DESIRED_MHZ, SUBJECT_CLOS_DESIRED, true,
			 PLATFORM_CLOS_DESIRED } };
	const struct isst_request *request = call->request;
	const struct isst_clos values = {
		.clos = request_get_number(request, ISST_VALUE_CLOS, 0),
		.epp = request_get_number(request, ISST_VALUE_CLOS_EPP, 0),
		.weight = request_get_number(request, ISST_VALUE_CLOS_WEIGHT, 0),
		.min_mhz = request_get_number(request, ISST_VALUE_CLOS_MIN_MHZ, 0),
		.max_mhz = request_get_number(request, ISST_VALUE_CLOS_MAX_MHZ,
					      ISST_CLOS_NO_LIMIT_MHZ),
		.desired_mhz = request_get_number(request, ISST_VALUE_CLOS_DESIRED_MHZ, 0),
	};
	uint32_t subjects = 0;
	uint64_t value;

	for (size_t i = 0; i < sizeof(FIELDS) / sizeof(FIELDS[0]); i++) {
		if (!request_get(request, FIELDS[i].id, &value))
			continue;
		subjects |= 1U << FIELDS[i].subject;
		if (value > 0 && FIELDS[i].optional &&
		    !platform_has(&call->context->platform, FIELDS[i].fact))
			return message_error(&call->context->messages, -EOPNOTSUPP,
					     "a CLOS has no %s on this machine",
					     isst_value_name(FIELDS[i].id));
	}
	if (!subjects)
		return message_error(&call->context->messages, -EINVAL,
				     "the request contains nothing to set of the CLOS");
	return change_plan_clos(change, requests, count, &values, subjects);
}

static int plan_limits(struct isst_change *change, const struct call *call,
		       struct domain_request *requests, size_t count)
{
	return change_plan_turbo_ratio_limits(change, requests, count, call->needed);
}

static int plan_associations(struct isst_change *change, const struct call *call,
			     struct domain_request *requests, size_t count)
{
	return change_plan_association(change, requests, count, (unsigned int)call->needed);
}

static int plan_turbo_mode(struct isst_change *change, const struct call *call,
			   struct domain_request *requests, size_t count)
{
	return change_plan_turbo_mode(change, requests, count, call->flags & ISST_ADD_ENABLE);
}

/** Requests, by enum isst_setting; bringing all CPUs online is not one of targets. */
static const struct addition ADDITIONS[] = {
	[ISST_SET_LEVEL] = { .plan = plan_level,
			     .needed = ISST_VALUE_LEVEL,
			     .values = { ISST_VALUE_LEVEL },
			     .flags = ISST_ADD_ONLINE },
	[ISST_SET_BASE_FREQ] = { .plan = plan_base_freq, .flags = ONE_WAY | ISST_ADD_AUTO },
	[ISST_SET_TURBO_FREQ] = { .plan = plan_turbo_freq,
				  .values = { ISST_VALUE_HIGH_PRIORITY_CPUS,
					      ISST_VALUE_TURBO_RATIO_LIMITS },
				  .flags = ONE_WAY | ISST_ADD_AUTO },
	[ISST_SET_CORE_POWER] = { .plan = plan_core_power,
				  .values = { ISST_VALUE_PRIORITY },
				  .flags = ONE_WAY },
	[ISST_SET_CLOS] = { .plan = plan_clos,
			    .needed = ISST_VALUE_CLOS,
			    .values = { ISST_VALUE_CLOS, ISST_VALUE_CLOS_EPP,
					ISST_VALUE_CLOS_WEIGHT, ISST_VALUE_CLOS_MIN_MHZ,
					ISST_VALUE_CLOS_MAX_MHZ, ISST_VALUE_CLOS_DESIRED_MHZ } },
	[ISST_SET_CLOS_ASSOCIATIONS] = { .plan = plan_associations,
					 .for_cpus = true,
					 .needed = ISST_VALUE_CLOS,
					 .values = { ISST_VALUE_CLOS } },
	[ISST_SET_TURBO_RATIO_LIMITS] = { .plan = plan_limits,
					  .needed = ISST_VALUE_TURBO_RATIO_LIMITS,
					  .values = { ISST_VALUE_TURBO_RATIO_LIMITS } },
	[ISST_SET_TURBO_MODE] = { .plan = plan_turbo_mode, .for_cpus = true, .flags = ONE_WAY },
};

static int add_all_online(struct isst_change *change, const struct isst_targets *targets,
			  const struct isst_request *request, unsigned int flags)
{
	struct messages *messages = &change->context->messages;
	const char *before = message_begin(messages);
	int error;

	if (targets || request || flags)
		error = message_error(messages, -EINVAL,
				      "bringing all CPUs online takes no targets, no request and "
				      "no flags");
	else
		error = change_plan_all_online(change);
	error = message_end(messages, before, error);
	return error ? call_spoil(change, error) : 0;
}

int isst_change_add(struct isst_change *change, int what, const struct isst_targets *targets,
		    const struct isst_request *request, unsigned int flags,
		    struct isst_results **results)
{
	size_t setting = what > 0 ? (size_t)what : 0;
	int error;

	if (results)
		*results = NULL;
	if (!change)
		return -EINVAL;
	error = check_not_run(change);
	if (error)
		return error;
	if (setting == ISST_SET_ALL_ONLINE)
		return add_all_online(change, targets, request, flags);
	if (setting >= sizeof(ADDITIONS) / sizeof(ADDITIONS[0]) || !ADDITIONS[setting].plan)
		return call_spoil(change, context_refuse(change->context,
							 "this version of the library does not "
							 "know what to change"));
	return add(&ADDITIONS[setting], change, targets, request, flags, results);
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

#define NUMBER_GETTER(name, of, member) \
	int name(const struct of *object, uint64_t *number) \
	{ \
		return object ? item_number_get(&object->member, number) : -EINVAL; \
	}

const struct isst_change_step *isst_change_step_at(const struct isst_change *change, size_t index)
{
	return change ? change_listed_step(change, index) : NULL;
}

GETTER(const char *, isst_change_step_target, isst_change_step, target, NULL)
GETTER(const char *, isst_change_step_old_text, isst_change_step, old_value, NULL)
GETTER(const char *, isst_change_step_new_text, isst_change_step, new_value, NULL)

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

GETTER(bool, isst_change_step_is_written, isst_change_step, written, false)

const struct isst_item *isst_change_step_item(const struct isst_change_step *step)
{
	return step ? &step->item : NULL;
}

NUMBER_GETTER(isst_change_step_old_number, isst_change_step, old_number)
NUMBER_GETTER(isst_change_step_new_number, isst_change_step, new_number)

/* ---- Held changes ---- */

static int end_held(struct isst_change *change, int (*function)(struct isst_change *change))
{
	struct messages *messages;
	const char *before;

	if (!change)
		return -EINVAL;
	messages = &change->context->messages;
	before = message_begin(messages);
	return message_end(messages, before, function(change));
}

int isst_change_release(struct isst_change *change)
{
	return end_held(change, change_release);
}

int isst_change_roll_back(struct isst_change *change)
{
	return end_held(change, change_roll_back);
}

int isst_change_abandon(struct isst_change *change)
{
	return change ? change_abandon(change) : -EINVAL;
}

GETTER(bool, isst_change_is_held, isst_change, held, false)

const char *isst_change_holder(struct isst_context *context)
{
	unsigned int holder = context && !journal_is_missing(context) ? lock_holder(context) : 0;
	const char *command = holder && holder != (unsigned int)getppid()
				      ? journal_held_by(context, holder)
				      : NULL;

	return command ? message_make(&context->messages, "process %u holds a change (%s)", holder,
				      command)
		       : NULL;
}

void isst_change_free(struct isst_change *change)
{
	if (change && change->held)
		change_abandon(change);
	change_free(change);
}

/* ---- Entries of a journal ---- */

const struct isst_journal_entry *isst_journal_entry_at(const struct isst_journal *journal,
						       size_t index)
{
	return journal ? journal_item(journal, index) : NULL;
}

GETTER(const char *, isst_journal_entry_target, isst_journal_entry, target, NULL)
GETTER(const char *, isst_journal_entry_old_text, isst_journal_entry, old_value, NULL)
GETTER(const char *, isst_journal_entry_written_text, isst_journal_entry, written_value, NULL)
GETTER(const char *, isst_journal_entry_present_text, isst_journal_entry, present_value, NULL)
GETTER(const char *, isst_journal_entry_finding, isst_journal_entry, finding, NULL)

unsigned int isst_journal_entry_flags(const struct isst_journal_entry *entry)
{
	if (!entry)
		return 0;
	return (entry->restored ? ISST_JOURNAL_ENTRY_RESTORED : 0) |
	       (entry->moved ? ISST_JOURNAL_ENTRY_MOVED : 0) |
	       (entry->kept ? ISST_JOURNAL_ENTRY_KEPT : 0);
}

const struct isst_item *isst_journal_entry_item(const struct isst_journal_entry *entry)
{
	return entry ? &entry->item : NULL;
}

NUMBER_GETTER(isst_journal_entry_old_number, isst_journal_entry, old_number)
NUMBER_GETTER(isst_journal_entry_written_number, isst_journal_entry, written_number)
NUMBER_GETTER(isst_journal_entry_present_number, isst_journal_entry, present_number)

/* ---- Items: their numbers are fixed, programs are compiled with them ---- */

static const int KINDS[ITEM_KINDS] = {
	[ITEM_LEVEL] = ISST_ITEM_LEVEL,
	[ITEM_FEATURES] = ISST_ITEM_FEATURES,
	[ITEM_CORE_POWER] = ISST_ITEM_CORE_POWER,
	[ITEM_QOS] = ISST_ITEM_CLOS_AND_PRIORITY,
	[ITEM_CLOS] = ISST_ITEM_CLOS,
	[ITEM_ASSOCIATION] = ISST_ITEM_CLOS_ASSOCIATION,
	[ITEM_TURBO_RATIO_LIMITS] = ISST_ITEM_TURBO_RATIO_LIMITS,
	[ITEM_ONLINE] = ISST_ITEM_CPU_ONLINE,
	[ITEM_SCALING_MAX] = ISST_ITEM_SCALING_MAX,
	[ITEM_SCALING_MIN] = ISST_ITEM_SCALING_MIN,
	[ITEM_UNCORE_MAX] = ISST_ITEM_UNCORE_MAX,
	[ITEM_UNCORE_MIN] = ISST_ITEM_UNCORE_MIN,
	[ITEM_PARTITION] = ISST_ITEM_PARTITION,
	[ITEM_CPUSETS] = ISST_ITEM_CPUSET_CONTROLLER,
	[ITEM_RCU_EXPEDITED] = ISST_ITEM_RCU_EXPEDITED,
	[ITEM_CPUSET_GROUPS] = ISST_ITEM_CPUSET_GROUPS,
};

int isst_item_kind(const struct isst_item *item)
{
	return item ? KINDS[item->item.kind] : 0;
}

GETTER(const struct isst_domain *, isst_item_domain, isst_item, domain, NULL)

int isst_item_index(const struct isst_item *item, unsigned int *index)
{
	if (!item || !index)
		return -EINVAL;
	*index = item_has_index(&item->item) ? item->item.index : 0;
	return item_has_index(&item->item) ? 0 : -ENODATA;
}

const char *isst_item_unit(const struct isst_item *item)
{
	if (!item)
		return NULL;
	return item_kinds[item->item.kind].format == AS_KHZ ? "kHz" : "";
}
