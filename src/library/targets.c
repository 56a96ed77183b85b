/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of targets, requests, and the check of what a call was given. */
#include "library/targets.h"
#include "base/array.h"
#include "library/values.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Requests ---- */

/** A value that is asked for. */
struct asked {
	int id;
	uint64_t number;
	struct isst_cpuset *cpus;
};

struct isst_request {
	struct asked *values;
	size_t count;
};

struct isst_request *isst_request_new(void)
{
	return calloc(1, sizeof(struct isst_request));
}

void isst_request_free(struct isst_request *request)
{
	if (!request)
		return;
	for (size_t i = 0; i < request->count; i++)
		isst_cpuset_free(request->values[i].cpus);
	free(request->values);
	free(request);
}

static struct asked *find_asked(const struct isst_request *request, int id)
{
	for (size_t i = 0; request && i < request->count; i++)
		if (request->values[i].id == id)
			return &request->values[i];
	return NULL;
}

/** The place of a value, which may be a new one; NULL without memory. */
static struct asked *find_or_add(struct isst_request *request, int id)
{
	struct asked *found = find_asked(request, id), *larger;

	if (found)
		return found;
	larger = reallocarray(request->values, request->count + 1, sizeof(*larger));
	if (!larger)
		return NULL;
	request->values = larger;
	larger[request->count] = (struct asked){ .id = id };
	return &larger[request->count++];
}

static bool is_possible(int id, bool cpus)
{
	const struct value_row *row = value_row(id);

	return row && row->of_requests && (row->type == ISST_TYPE_CPUS) == cpus;
}

int isst_request_set(struct isst_request *request, int id, uint64_t value)
{
	struct asked *asked;

	if (!request || !is_possible(id, false))
		return -EINVAL;
	if (value > UINT32_MAX && isst_value_type(id) != ISST_TYPE_BITS)
		return -EINVAL;
	asked = find_or_add(request, id);
	if (!asked)
		return -ENOMEM;
	asked->number = value;
	return 0;
}

int isst_request_set_cpus(struct isst_request *request, int id, const struct isst_cpuset *cpus)
{
	struct isst_cpuset *copy;
	struct asked *asked;

	if (!request || !is_possible(id, true))
		return -EINVAL;
	copy = isst_cpuset_new();
	asked = copy && !isst_cpuset_add_set(copy, cpus) ? find_or_add(request, id) : NULL;
	if (!asked) {
		isst_cpuset_free(copy);
		return -ENOMEM;
	}
	isst_cpuset_free(asked->cpus);
	asked->cpus = copy;
	return 0;
}

bool request_get(const struct isst_request *request, int id, uint64_t *value)
{
	const struct asked *asked = find_asked(request, id);

	*value = asked ? asked->number : 0;
	return asked && !asked->cpus;
}

unsigned int request_get_number(const struct isst_request *request, int id, unsigned int otherwise)
{
	uint64_t value;

	return request_get(request, id, &value) ? (unsigned int)value : otherwise;
}

const struct isst_cpuset *request_get_cpus(const struct isst_request *request, int id)
{
	const struct asked *asked = find_asked(request, id);

	return asked ? asked->cpus : NULL;
}

/* ---- Targets ---- */

struct isst_targets {
	struct isst_context *context;
	const struct isst_domain **domains; /* of the CPUs, where those were added */
	size_t domain_count;
	const struct isst_cpu **cpus; /* by number */
	size_t cpu_count;
};

struct isst_targets *isst_targets_new(struct isst_context *context)
{
	struct isst_targets *targets = context ? calloc(1, sizeof(*targets)) : NULL;

	if (targets)
		targets->context = context;
	return targets;
}

void isst_targets_free(struct isst_targets *targets)
{
	if (!targets)
		return;
	free(targets->domains);
	free(targets->cpus);
	free(targets);
}

static int put_domain(struct isst_targets *targets, const struct isst_domain *domain)
{
	for (size_t i = targets->domain_count; i > 0; i--)
		if (targets->domains[i - 1] == domain)
			return 0;
	if (ARRAY_GROW(targets->domains, targets->domain_count))
		return -ENOMEM;
	targets->domains[targets->domain_count++] = domain;
	return 0;
}

static int add_domain(struct isst_targets *targets, const struct isst_domain *domain)
{
	int error = context_check_discovered(targets->context);

	if (!error && targets->cpu_count > 0)
		error = message_error(&targets->context->messages, -EINVAL,
				      "a set of targets is of domains or of CPUs, not of both");
	if (!error)
		error = context_check_domain(targets->context, domain);
	return error ? error : put_domain(targets, domain);
}

int isst_targets_add_domain(struct isst_targets *targets, const struct isst_domain *domain)
{
	const char *before;

	if (!targets)
		return -EINVAL;
	before = message_begin(&targets->context->messages);
	return message_end(&targets->context->messages, before, add_domain(targets, domain));
}

int isst_targets_add_all_domains(struct isst_targets *targets, unsigned int flags)
{
	struct isst_context *context;
	const char *before;
	int error;

	if (!targets)
		return -EINVAL;
	context = targets->context;
	before = message_begin(&context->messages);
	error = context_check_discovered(context);
	if (!error && flags & ~ISST_TARGETS_WITH_CPUS)
		error = message_error(&context->messages, -EINVAL, "%#x are no flags of domains",
				      flags);
	for (size_t i = 0; i < isst_domain_count(context) && !error; i++) {
		const struct isst_domain *domain = context_domain(context, i);

		if (domain->has_cpu || !(flags & ISST_TARGETS_WITH_CPUS))
			error = add_domain(targets, domain);
	}
	return message_end(&context->messages, before, error);
}

static int compare_numbers(const void *left, const void *right)
{
	const struct isst_cpu *a = *(const struct isst_cpu *const *)left;
	const struct isst_cpu *b = *(const struct isst_cpu *const *)right;

	return (a->number > b->number) - (a->number < b->number);
}

static int add_cpus(struct isst_targets *targets, const struct isst_cpuset *cpus)
{
	struct isst_context *context = targets->context;
	size_t count = targets->cpu_count + isst_cpuset_count(cpus), kept = 0;
	int error = context_check_discovered(context);
	const struct isst_cpu **larger;
	unsigned int number;

	if (error)
		return error;
	if (targets->domain_count > 0 && targets->cpu_count == 0)
		return message_error(&context->messages, -EINVAL,
				     "a set of targets is of domains or of CPUs, not of both");
	isst_cpuset_for_each (number, cpus)
		if (!isst_cpu_by_number(context, number))
			return message_error_at(
				&context->messages, of_cpu(NULL, number), -EOPNOTSUPP,
				"CPU %u does not exist, or nothing is known of it", number);
	larger = reallocarray(targets->cpus, count + 1, sizeof(const struct isst_cpu *));
	if (!larger)
		return -ENOMEM;
	targets->cpus = larger;
	isst_cpuset_for_each (number, cpus) {
		const struct isst_cpu *cpu = context_cpu(context, number);

		error = put_domain(targets, cpu->domain);
		if (error)
			break;
		targets->cpus[targets->cpu_count++] = cpu;
	}
	/* Without CPUs domains would be targets themselves. */
	if (targets->cpu_count == 0) {
		targets->domain_count = 0;
		return error;
	}
	qsort(targets->cpus, targets->cpu_count, sizeof(const struct isst_cpu *), compare_numbers);
	for (size_t i = 1; i < targets->cpu_count; i++)
		if (targets->cpus[i] != targets->cpus[kept])
			targets->cpus[++kept] = targets->cpus[i];
	targets->cpu_count = kept + 1;
	return error;
}

int isst_targets_add_cpus(struct isst_targets *targets, const struct isst_cpuset *cpus)
{
	const char *before;

	if (!targets)
		return -EINVAL;
	before = message_begin(&targets->context->messages);
	return message_end(&targets->context->messages, before, add_cpus(targets, cpus));
}

/* ---- Calls ---- */

int call_no_memory(struct isst_context *context)
{
	const char *before = message_begin(&context->messages);

	return message_end(&context->messages, before, -ENOMEM);
}

int call_end_cpus(struct isst_context *context, const char *before, struct isst_cpuset **cpus,
		  int error)
{
	if (error) {
		isst_cpuset_free(*cpus);
		*cpus = NULL;
	}
	return message_end(&context->messages, before, error);
}

static int check_request(const struct call *call)
{
	int id;

	for (size_t i = 0; (id = isst_value_at(i)) != 0; i++) {
		const int *value = call->values;
		uint64_t number;

		while (value && *value && *value != id)
			value++;
		if ((!value || !*value) && (request_get(call->request, id, &number) ||
					    request_get_cpus(call->request, id)))
			return message_error(&call->context->messages, -EINVAL,
					     "the call has no use for the value %s of its request",
					     isst_value_name(id));
	}
	return 0;
}

int call_check(const struct call *call, struct target_list *list)
{
	struct messages *messages = &call->context->messages;
	const struct isst_targets *targets = call->targets;
	const char *before = message_begin(messages);
	int error = context_check_discovered(call->context);

	*list = (struct target_list){ 0 };
	if (!error && (!targets || targets->context != call->context))
		error = message_error(messages, -EINVAL, "%s",
				      targets ? "targets of another context were given"
					      : "no targets were given");
	if (!error && targets && call->for_cpus && targets->cpu_count == 0 &&
	    targets->domain_count > 0)
		error = message_error(messages, -EINVAL, "the call is for CPUs, not for domains");
	if (!error && call->flags & ~call->known_flags)
		error = message_error(messages, -EINVAL, "the call does not know the flags %#x",
				      call->flags & ~call->known_flags);
	if (!error)
		error = check_request(call);
	if (!error && targets)
		*list = (struct target_list){ .domains = targets->domains,
					      .domain_count = targets->domain_count,
					      .cpus = targets->cpus,
					      .cpu_count = targets->cpu_count };
	return message_end(messages, before, error);
}
