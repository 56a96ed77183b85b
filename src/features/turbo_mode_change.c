/* SPDX-License-Identifier: BSD-3-Clause */
/* Turbo by cpufreq's limits, and the turbo ratio limits. */
#include "features/features.h"
#include "features/planning.h"
#include "features/snapshot.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"
#include "transaction/steps.h"
#include "transaction/turbo.h"

#include <errno.h>

/* ---- Turbo ratio limits in force ---- */

static int plan_limits(struct isst_context *context, struct firmware_batch *batch, void *result)
{
	struct isst_turbo_ratio_limits *limits = result;

	*limits = (struct isst_turbo_ratio_limits){ .domain = limits->domain };
	if (!context_accepts_domain(context, limits->domain, &limits->failure))
		return 0;
	return context->firmware.operations->plan_get(
		batch, &(struct setting_request){ limits->domain, SETTING_TURBO_RATIO_LIMITS, 0,
						  &limits->value, &limits->failure });
}

int turbo_ratio_limits_read(struct isst_context *context, struct isst_turbo_ratio_limits *limits,
			    size_t count)
{
	return context_read(context, limits, count, sizeof(*limits), plan_limits);
}

/** Warns of buckets whose ratio became 0, which the register takes. */
static int warn_of_ratio_zero(struct step *step)
{
	for (size_t i = 0; i < step->count; i++) {
		const struct entry *entry = &step->entries[i];
		unsigned int zero = 0;

		for (unsigned int bucket = 0; bucket < ISST_BUCKETS; bucket++)
			zero += (entry->old.number >> 8 * bucket & 0xff) > 0 &&
				(entry->wanted.number >> 8 * bucket & 0xff) == 0;
		if (zero > 0)
			change_warn(step->change, ISST_MESSAGE_TURBO_RATIO_LIMITS_LOW,
				    of_item(step->change->context, &entry->item),
				    "%s became 0 in %u of %d buckets; the first bucket is in the "
				    "lowest byte",
				    item_describe(step->change->context, &entry->item), zero,
				    ISST_BUCKETS);
	}
	return 0;
}

int change_plan_turbo_ratio_limits(struct isst_change *change, struct domain_request *requests,
				   size_t count, uint64_t limits)
{
	struct step *step = change_step(change, ITEM_TURBO_RATIO_LIMITS);
	int error = 0;

	if (step)
		step->after = warn_of_ratio_zero;
	for (size_t i = 0; i < count && !error; i++)
		error = context_check_domain(change->context, requests[i].domain);
	for (size_t i = 0; i < count && !error; i++) {
		const struct isst_domain *domain = requests[i].domain;

		requests[i].failure = (struct isst_failure){ 0 };
		if (change->context->platform.preset)
			target_reject(change, domain, &requests[i].failure, -EOPNOTSUPP,
				      "the turbo ratio limits are configured by the BIOS");
		else if (isst_cpuset_count(domain->present) == 0)
			target_reject(change, domain, &requests[i].failure, -EOPNOTSUPP,
				      "there is no CPU to which turbo ratio limits apply");
		else
			step_set(step, item_of(ITEM_TURBO_RATIO_LIMITS, domain, 0), WHOLE_VALUE,
				 limits);
	}
	return plan_conclude(change, requests, count, error);
}

/** The limit that a CPU gets. */
struct limit {
	uint64_t khz;
	bool hidden; /* it takes effect only once turbo is on again */
};

/** Without base_frequency it is unknown where turbo begins; and a processor that reaches no more
 * than that needs no limit, unless it is turbo's being off that keeps it there. */
static void find_limit(struct isst_change *change, struct domain_request *request, bool enable,
		       enum turbo_state turbo, struct limit *limit)
{
	struct isst_context *context = change->context;
	struct kernel_files *files = &context->files;
	unsigned int cpu = request->cpu->number;
	const char *name = "cpuinfo_max_freq";
	uint64_t highest_khz;
	int error = cpufreq_read(files, cpu, name, &highest_khz);

	request->failure = (struct isst_failure){ 0 };
	*limit = (struct limit){ .khz = CPUFREQ_NO_LIMIT };
	if (!error && !enable) {
		name = "base_frequency";
		error = cpufreq_read(files, cpu, name, &limit->khz);
	}
	if (!error)
		error = cpufreq_hides_limit(files, cpu, turbo, &limit->hidden);
	if (error == -ENOENT)
		message_failure(&context->messages, &request->failure, of_cpu(NULL, cpu),
				-EOPNOTSUPP, "CPU %u: cpufreq has no %s%s", cpu, name,
				enable ? "" : "; it needs intel_pstate with HWP");
	else if (error)
		message_failure(&context->messages, &request->failure, of_cpu(NULL, cpu), error,
				"CPU %u: %s", cpu, isst_error(context));
	else if (limit->khz >= highest_khz && !limit->hidden)
		limit->khz = CPUFREQ_NO_LIMIT;
}

/** Whether a limit was the user's: not turbo's being off, which is the base frequency. */
static bool is_of_user(struct isst_change *change, const struct entry *entry)
{
	uint64_t base_khz;

	return cpufreq_read(&change->context->files, entry->item.index, "base_frequency",
			    &base_khz) ||
	       entry->old.number != base_khz;
}

/** Limits that the user had set are gone, and do not come back when turbo mode is switched back. */
static int name_user_limits(struct step *step)
{
	return name_replaced_limits(step->change, step, is_of_user, "is replaced");
}

int change_plan_turbo_mode(struct isst_change *change, struct domain_request *requests,
			   size_t count, bool enable)
{
	struct step *step = change_step(change, ITEM_SCALING_MAX);
	enum turbo_state turbo = TURBO_UNKNOWN;
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		error = context_check_cpu(change->context, requests[i].cpu);
	if (!error)
		error = change_turbo_state(change, &turbo);
	if (step)
		step->after = name_user_limits;
	for (size_t i = 0; i < count && !error; i++) {
		struct item item = item_of(ITEM_SCALING_MAX, requests[i].cpu->domain,
					   requests[i].cpu->number);
		struct limit limit;

		find_limit(change, &requests[i], enable, turbo, &limit);
		if (requests[i].failure.error)
			continue;
		if (limit.hidden)
			step_set_hidden(step, item, limit.khz, CPUFREQ_NO_LIMIT);
		else
			step_set(step, item, WHOLE_VALUE, limit.khz);
	}
	if (!error)
		error = change_turbo_state(change, &turbo);
	if (!error && enable && turbo == TURBO_OFF)
		change_warn(change, ISST_MESSAGE_TURBO_DISABLED, of_machine(),
			    "turbo stays disabled until 0 is written to " CPU_DIRECTORY
			    "/intel_pstate/no_turbo, or turbo is enabled in the BIOS");
	return plan_conclude(change, requests, count, error);
}
