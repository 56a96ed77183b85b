/* SPDX-License-Identifier: BSD-3-Clause */
/* SST-CP: the state of core-power, the configuration of CLOS, and which CLOS a core is in. */
#include "features/features.h"
#include "features/snapshot.h"

#include <errno.h>
#include <stdlib.h>

static int plan_core_power(struct isst_context *context, struct firmware_batch *batch, void *result)
{
	struct isst_core_power *state = result;

	*state = (struct isst_core_power){ .domain = state->domain };
	if (!context_accepts_domain(context, state->domain, &state->failure))
		return 0;
	return context->firmware.operations->plan_core_power(batch, state);
}

void core_power_find_clos_in_force(const struct isst_context *context,
				   struct isst_core_power *state)
{
	/* Where core-power is not supported, nothing need be known of CLOS. */
	if ((state->supported || state->failure.error) && state->clos_failure.error)
		failure_join(&state->failure, &state->clos_failure);
	if (context->firmware.operations->turbo_freq_uses_clos || state->failure.error)
		return;
	if (!state->supported)
		state->clos_in_force = ISST_FEATURE_UNSUPPORTED;
	else
		state->clos_in_force = state->enabled && state->clos_enabled
					       ? ISST_FEATURE_ENABLED
					       : ISST_FEATURE_DISABLED;
}

int core_power_read(struct isst_context *context, struct isst_core_power *states, size_t count)
{
	int error = context_read(context, states, count, sizeof(*states), plan_core_power);

	for (size_t i = 0; i < count && !error; i++)
		core_power_find_clos_in_force(context, &states[i]);
	return error;
}

static int plan_clos(struct isst_context *context, struct firmware_batch *batch, void *result)
{
	struct isst_clos *clos = result;

	*clos = (struct isst_clos){ .domain = clos->domain, .clos = clos->clos };
	if (clos->clos >= ISST_CLOS_COUNT)
		return message_error(&context->messages, -EINVAL,
				     "CLOS %u does not exist: only 0 to %d", clos->clos,
				     ISST_CLOS_COUNT - 1);
	if (!context_accepts_domain(context, clos->domain, &clos->failure))
		return 0;
	return context->firmware.operations->plan_get(
		batch, &(struct setting_request){ clos->domain, SETTING_CLOS, clos->clos,
						  &clos->word, &clos->failure });
}

int clos_read(struct isst_context *context, struct isst_clos *configs, size_t count)
{
	int error = context_read(context, configs, count, sizeof(*configs), plan_clos);

	for (size_t i = 0; i < count && !error; i++) {
		struct isst_clos *clos = &configs[i];

		clos->epp = clos->word & 0xf;
		clos->weight = clos->word >> 4 & 0xf;
		clos->min_mhz = (clos->word >> 8 & 0xff) * MHZ_PER_RATIO;
		clos->max_mhz = (clos->word >> 16 & 0xff) * MHZ_PER_RATIO;
		clos->desired_mhz = (clos->word >> 24 & 0xff) * MHZ_PER_RATIO;
	}
	return error;
}

/** Orders associations so that those of one core, which share a register, stand together. */
static int compare_cores(const void *left, const void *right)
{
	const struct isst_cpu *a = (*(struct isst_clos_association *const *)left)->cpu;
	const struct isst_cpu *b = (*(struct isst_clos_association *const *)right)->cpu;

	if (a->domain->index != b->domain->index)
		return a->domain->index < b->domain->index ? -1 : 1;
	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	return (a->core_known > b->core_known) - (a->core_known < b->core_known);
}

static bool same_core(struct isst_clos_association *const *sorted, size_t i)
{
	return i > 0 && compare_cores(&sorted[i - 1], &sorted[i]) == 0;
}

int clos_association_read(struct isst_context *context, struct isst_clos_association *associations,
			  size_t count)
{
	const char *before = message_begin(&context->messages);
	struct isst_clos_association **sorted = NULL;
	struct firmware_batch *batch = NULL;
	size_t usable = 0;
	int error = context_check_discovered(context);

	if (error || count == 0)
		return message_end(&context->messages, before, error);
	sorted = calloc(count, sizeof(*sorted));
	batch = context_batch_new(context);
	if (!sorted || !batch) {
		error = -ENOMEM;
		goto out;
	}
	for (size_t i = 0; i < count; i++) {
		associations[i] = (struct isst_clos_association){ .cpu = associations[i].cpu };
		if (context_accepts_cpu(context, associations[i].cpu, &associations[i].failure))
			sorted[usable++] = &associations[i];
	}
	qsort(sorted, usable, sizeof(*sorted), compare_cores);
	for (size_t i = 0; i < usable && !error; i++)
		if (!same_core(sorted, i) || !sorted[i]->cpu->core_known) {
			const char *objection = context_core_objection(context, sorted[i]->cpu);

			if (objection)
				message_failure(
					&context->messages, &sorted[i]->failure,
					of_cpu(sorted[i]->cpu->domain, sorted[i]->cpu->number),
					-EIO, "CPU %u: %s", sorted[i]->cpu->number, objection);
			else
				error = context->firmware.operations->plan_get(
					batch, &(struct setting_request){
						       sorted[i]->cpu->domain, SETTING_ASSOCIATION,
						       sorted[i]->cpu->core, &sorted[i]->word,
						       &sorted[i]->failure });
		}
	if (!error)
		error = firmware_run(batch);
	for (size_t i = 0; i < usable && !error; i++) {
		struct isst_clos_association *one = sorted[i];

		if (same_core(sorted, i) && one->cpu->core_known) {
			one->failure = sorted[i - 1]->failure;
			one->clos = sorted[i - 1]->clos;
		} else if (one->word < ISST_CLOS_COUNT) {
			one->clos = (unsigned int)one->word;
		} else {
			message_failure(&context->messages, &one->failure,
					of_domain(one->cpu->domain), -EIO,
					"%s: CLOS of core %u: CLOS %llu does not exist",
					one->cpu->domain->name, one->cpu->core,
					(unsigned long long)one->word);
		}
	}
out:
	firmware_batch_free(batch);
	free(sorted);
	return message_end(&context->messages, before, error);
}
