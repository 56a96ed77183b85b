/* SPDX-License-Identifier: BSD-3-Clause */
/* Snapshots of domains: summaries and core-power first, then levels, which depend on these. */
#include "features/snapshot.h"
#include "features/perf_profile.h"
#include "features/reading.h"

static int plan_profile(struct isst_context *context, struct firmware_batch *batch, void *result)
{
	struct domain_snapshot *snapshot = result;

	snapshot->profile.domain = snapshot->domain;
	return perf_profile_plan(context, batch, &snapshot->profile);
}

static int plan_core_power(struct isst_context *context, struct firmware_batch *batch, void *result)
{
	struct domain_snapshot *snapshot = result;

	snapshot->core_power = (struct isst_core_power){ .domain = snapshot->domain };
	return context->firmware.operations->plan_core_power(batch, &snapshot->core_power);
}

static int plan_core_power_switch(struct isst_context *context, struct firmware_batch *batch,
				  void *result)
{
	struct domain_snapshot *snapshot = result;

	snapshot->core_power = (struct isst_core_power){ .domain = snapshot->domain };
	return context->firmware.operations->plan_core_power_switch(batch, &snapshot->core_power);
}

static int plan_profile_and_core_power(struct isst_context *context, struct firmware_batch *batch,
				       void *result)
{
	int error = plan_profile(context, batch, result);

	return error ? error : plan_core_power(context, batch, result);
}

static int plan_profile_and_switch(struct isst_context *context, struct firmware_batch *batch,
				   void *result)
{
	int error = plan_profile(context, batch, result);

	return error ? error : plan_core_power_switch(context, batch, result);
}

/** Firmware that refuses to report its levels has none, unless it reports those of another domain.
 */
static void check_refusals(struct domain_snapshot *snapshots, size_t count)
{
	bool answered = false;

	for (size_t i = 0; i < count; i++)
		answered |= !snapshots[i].profile.failure.error;
	for (size_t i = 0; i < count; i++)
		perf_profile_check_refusal(&snapshots[i].profile.failure, answered);
}

int snapshot_read(struct isst_context *context, struct domain_snapshot *snapshots, size_t count,
		  unsigned int parts)
{
	static const plan_result PLANS[] = {
		[SNAPSHOT_PROFILES] = plan_profile,
		[SNAPSHOT_CORE_POWER] = plan_core_power,
		[SNAPSHOT_PROFILES | SNAPSHOT_CORE_POWER] = plan_profile_and_core_power,
		[SNAPSHOT_CORE_POWER_SWITCH] = plan_core_power_switch,
		[SNAPSHOT_PROFILES | SNAPSHOT_CORE_POWER_SWITCH] = plan_profile_and_switch,
	};
	int error = 0;

	if (PLANS[parts] && count > 0)
		error = context_read(context, snapshots, count, sizeof(*snapshots), PLANS[parts]);
	if (!error && parts & SNAPSHOT_PROFILES)
		check_refusals(snapshots, count);
	return error;
}

int snapshot_read_levels(struct isst_context *context, struct domain_snapshot *snapshots,
			 size_t count, unsigned int parts)
{
	for (size_t i = 0; i < count; i++) {
		snapshots[i].level.domain = snapshots[i].domain;
		snapshots[i].level.profile = &snapshots[i].profile;
	}
	return levels_read(context, &snapshots->level, count, sizeof(*snapshots), parts);
}

int snapshot_read_current(struct isst_context *context, struct domain_snapshot *snapshots,
			  size_t count, unsigned int parts)
{
	int error = snapshot_read(context, snapshots, count, SNAPSHOT_PROFILES);

	for (size_t i = 0; i < count; i++)
		snapshots[i].level.level = snapshots[i].profile.current_level;
	return error ? error : snapshot_read_levels(context, snapshots, count, parts);
}

void snapshot_clear(struct domain_snapshot *snapshots, size_t count)
{
	for (size_t i = 0; i < count && snapshots; i++)
		level_clear(&snapshots[i].level);
}
