/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries on the topology of a context, and reads with its firmware. */
#include "topology/context.h"
#include "base/messages.h"
#include "firmware/batch.h"

#include <errno.h>

int context_refuse(struct isst_context *context, const char *why)
{
	const char *before;

	if (!context)
		return -EINVAL;
	before = message_begin(&context->messages);
	return message_end(&context->messages, before,
			   message_error(&context->messages, -EINVAL, "%s", why));
}

const char *isst_error(const struct isst_context *context)
{
	return context && context->messages.error ? context->messages.error : "";
}

const struct isst_message *isst_error_message(const struct isst_context *context)
{
	return context ? message_find(&context->messages, context->messages.error) : NULL;
}

const struct isst_message *isst_notice_at(const struct isst_context *context, size_t index)
{
	return context ? message_at(&context->messages.notices, index) : NULL;
}

/** Defines a function of isst.h that returns a part of what was discovered. */
#define OF_TOPOLOGY(type, name, member) \
	type name(const struct isst_context *context) \
	{ \
		return context && context->topology ? context->topology->member : 0; \
	}
#define LIST_OF_TOPOLOGY(name, list) \
	const struct isst_message *name(const struct isst_context *context, size_t index) \
	{ \
		const struct topology *topology = context ? context->topology : NULL; \
\
		return topology ? message_at(&topology->list, index) : NULL; \
	}

OF_TOPOLOGY(size_t, isst_domain_count, domain_count)
OF_TOPOLOGY(const struct isst_cpuset *, isst_present_cpus, present)
OF_TOPOLOGY(const struct isst_cpuset *, isst_online_cpus, online)
LIST_OF_TOPOLOGY(isst_left_out_at, left_out)
LIST_OF_TOPOLOGY(isst_offline_part_at, offline_parts)

const struct isst_domain *context_domain(const struct isst_context *context, size_t index)
{
	return index < isst_domain_count(context) ? &context->topology->domains[index]->public
						  : NULL;
}

const struct isst_cpu *context_cpu(const struct isst_context *context, unsigned int number)
{
	const struct topology_cpu *cpu = NULL;

	if (context && context->topology)
		cpu = topology_find_cpu(context->topology, number);
	return cpu ? &cpu->public : NULL;
}

const char *isst_trl_type_name(const struct isst_context *context, unsigned int type)
{
	const struct firmware_operations *operations = context ? context->firmware.operations
							       : NULL;

	return operations ? operations->trl_type_name(&context->platform, type) : NULL;
}

int context_check_discovered(struct isst_context *context)
{
	if (context->topology)
		return 0;
	return message_error(&context->messages, -EINVAL,
			     "the machine has not been discovered yet");
}

int context_check_domain(struct isst_context *context, const struct isst_domain *domain)
{
	const struct topology *topology = context->topology;

	if (!domain)
		return message_error(&context->messages, -EINVAL, "no domain was given");
	if (domain->index < topology->domain_count &&
	    &topology->domains[domain->index]->public == domain)
		return 0;
	for (size_t i = 0; i < topology->lost_domain_count; i++)
		if (&topology->lost_domains[i]->public == domain)
			return message_error_at(&context->messages, of_domain(domain), -ESTALE,
						"%s no longer exists since the last discovery",
						domain->name);
	return message_error(&context->messages, -EINVAL, "a domain of another context was given");
}

int context_check_cpu(struct isst_context *context, const struct isst_cpu *cpu)
{
	const struct topology *topology = context->topology;

	if (!cpu)
		return message_error(&context->messages, -EINVAL, "no CPU was given");
	if (context_cpu(context, cpu->number) == cpu)
		return 0;
	for (size_t i = 0; i < topology->lost_cpu_count; i++)
		if (&topology->lost_cpus[i]->public == cpu)
			return message_error_at(
				&context->messages, of_cpu(NULL, cpu->number), -ESTALE,
				"CPU %u no longer exists since the last discovery", cpu->number);
	return message_error(&context->messages, -EINVAL, "a CPU of another context was given");
}

static bool take_error(const struct isst_context *context, int error, struct isst_failure *failure)
{
	if (error)
		*failure = (struct isst_failure){ .error = error, .message = isst_error(context) };
	return !error;
}

bool context_accepts_domain(struct isst_context *context, const struct isst_domain *domain,
			    struct isst_failure *failure)
{
	return take_error(context, context_check_domain(context, domain), failure);
}

bool context_accepts_cpu(struct isst_context *context, const struct isst_cpu *cpu,
			 struct isst_failure *failure)
{
	return take_error(context, context_check_cpu(context, cpu), failure);
}

/* ---- Batches of reads ---- */

struct firmware_batch *context_batch_new(struct isst_context *context)
{
	struct firmware_batch *batch = firmware_batch_new(&context->firmware);

	if (batch) {
		batch->confirms = context_has_lock(context);
		batch->leaves_alone = !batch->confirms;
	}
	return batch;
}

int context_read(struct isst_context *context, void *results, size_t count, size_t size,
		 plan_result plan)
{
	const char *before = message_begin(&context->messages);
	int error = context_check_discovered(context);
	struct firmware_batch *batch = error ? NULL : context_batch_new(context);

	if (!error && !batch)
		error = -ENOMEM;
	for (size_t i = 0; i < count && !error; i++)
		error = plan(context, batch, (char *)results + i * size);
	if (!error)
		error = firmware_run(batch);
	firmware_batch_free(batch);
	return message_end(&context->messages, before, error);
}
