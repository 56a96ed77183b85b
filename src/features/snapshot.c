/* SPDX-License-Identifier: BSD-3-Clause */
/* Snapshots of domains: summaries and core-power first, then levels, which depend on these. */
#include "features/snapshot.h"

static int plan_snapshot(struct isst_context *context, struct firmware_batch *batch, void *result)
{
	const struct firmware_operations *operations = context->firmware.operations;
	struct domain_snapshot *snapshot = result;
	int error = 0;

	if (snapshot->parts & SNAPSHOT_PROFILES) {
		snapshot->profile.domain = snapshot->domain;
		error = perf_profile_plan(context, batch, &snapshot->profile);
	}
	if (error || !(snapshot->parts & ~(unsigned int)(SNAPSHOT_PROFILES | SNAPSHOT_LEVEL)))
		return error;
	snapshot->core_power = (struct isst_core_power){ .domain = snapshot->domain };
	return snapshot->parts & SNAPSHOT_CORE_POWER_SWITCH
		       ? operations->plan_core_power_switch(batch, &snapshot->core_power)
		       : operations->plan_core_power(batch, &snapshot->core_power);
}

int snapshot_read(struct isst_context *context, struct domain_snapshot *snapshots, size_t count)
{
	unsigned int parts = 0;
	int error;

	for (size_t i = 0; i < count; i++)
		parts |= snapshots[i].parts;
	if (!parts)
		return 0;
	error = context_read(context, snapshots, count, sizeof(*snapshots), plan_snapshot);
	if (!error && parts & SNAPSHOT_PROFILES)
		perf_profiles_check_refusals(&snapshots->profile, count, sizeof(*snapshots));
	for (size_t i = 0; i < count && !error; i++)
		if (snapshots[i].parts & SNAPSHOT_CLOS_IN_FORCE)
			core_power_find_clos_in_force(context, &snapshots[i].core_power);
	return error;
}

int snapshot_read_levels(struct isst_context *context, struct domain_snapshot *snapshots,
			 size_t count, unsigned int parts)
{
	for (size_t i = 0; i < count; i++) {
		struct domain_snapshot *snapshot = &snapshots[i];

		snapshot->level.domain = snapshot->parts & SNAPSHOT_LEVEL ? snapshot->domain : NULL;
		snapshot->level.profile = &snapshot->profile;
	}
	return count == 0
		       ? 0
		       : levels_read(context, &snapshots->level, count, sizeof(*snapshots), parts);
}

int snapshot_read_current(struct isst_context *context, struct domain_snapshot *snapshots,
			  size_t count, unsigned int parts)
{
	int error;

	for (size_t i = 0; i < count; i++)
		snapshots[i].parts |= SNAPSHOT_PROFILES | SNAPSHOT_LEVEL;
	error = snapshot_read(context, snapshots, count);
	for (size_t i = 0; i < count; i++)
		snapshots[i].level.level = snapshots[i].profile.current_level;
	return error ? error : snapshot_read_levels(context, snapshots, count, parts);
}

void snapshot_clear(struct domain_snapshot *snapshots, size_t count)
{
	for (size_t i = 0; i < count && snapshots; i++)
		level_clear(&snapshots[i].level);
}
