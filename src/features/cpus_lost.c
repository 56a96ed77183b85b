/* SPDX-License-Identifier: BSD-3-Clause */
/* What groups of cgroup v1 cpusets lose with CPUs that go offline, and get back with those that
 * come online: the kernel only takes. */
#include "features/cpus_change.h"
#include "sysfs/cpuset_groups.h"
#include "transaction/report.h"
#include "transaction/saved_settings_file.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>

/** The CPUs of which a step is to change whether they are online; NULL without memory. */
static struct isst_cpuset *find_leaving(const struct step *offline)
{
	const struct isst_context *context = offline->change->context;
	struct isst_cpuset *leaving = isst_cpuset_new();

	for (size_t i = 0; i < offline->count && leaving; i++) {
		unsigned int cpu = offline->entries[i].item.index;

		if (isst_cpuset_has(isst_online_cpus(context), cpu) &&
		    isst_cpuset_add(leaving, cpu, cpu)) {
			isst_cpuset_free(leaving);
			return NULL;
		}
	}
	return leaving;
}

int cpus_plan_lost(struct step *offline)
{
	struct isst_change *change = offline->change;
	struct isst_cpuset *leaving = NULL;
	char *state = NULL, *names = NULL;
	int error = offline->count > 0 ? cpuset_groups_read(&change->context->files, &state)
				       : -ENOENT;

	if (error)
		return error == -ENOENT ? 0 : error;
	leaving = find_leaving(offline);
	error = leaving ? cpuset_groups_name(state, leaving, &names) : -ENOMEM;
	if (!error && names) {
		change_warn(change, ISST_WARNING_CPUSETS_LOSE_CPUS,
			    "cpusets of cgroup v1 lose CPUs that go offline: %s. They get them "
			    "back when this program brings the CPUs online, and no tasks that the "
			    "kernel has moved out of a cpuset without CPUs",
			    names);
		step_disturbs_optional(offline, item_of_cpuset_groups());
		error = settings_follow_groups(change);
	}
	isst_cpuset_free(leaving);
	free(names);
	free(state);
	return error;
}

/** The CPUs that are, or will be, online. Those that were never online have not been lost.
 * NULL without memory. */
static struct isst_cpuset *find_online(const struct isst_change *change)
{
	struct isst_cpuset *online = isst_cpuset_new();
	int error = online ? isst_cpuset_add_set(online, isst_online_cpus(change->context))
			   : -ENOMEM;

	for (size_t i = 0; i < change->count; i++)
		for (size_t j = 0; j < change->steps[i]->count && !error; j++) {
			const struct entry *entry = &change->steps[i]->entries[j];

			if (entry->item.kind == ITEM_ONLINE && entry->bits &&
			    context_cpu(change->context, entry->item.index))
				error = isst_cpuset_add(online, entry->item.index,
							entry->item.index);
		}
	if (error) {
		isst_cpuset_free(online);
		return NULL;
	}
	return online;
}

static int plan_regained(struct isst_change *change, const struct item_line *lost)
{
	struct isst_cpuset *online = NULL;
	char *now = NULL, *state = NULL;
	struct step *step;
	int error = cpuset_groups_read(&change->context->files, &now);

	if (error)
		return error == -ENOENT ? 0 : error;
	online = find_online(change);
	error = online ? cpuset_groups_regain(now, lost->old.text, lost->written.text, online,
					      &state)
		       : -ENOMEM;
	if (!error && state) {
		step = change_step(change, ITEM_CPUSET_GROUPS);
		step_set_text(step, item_of_cpuset_groups(),
			      message_make(&change->texts, "%s", state));
		if (step && step->count > 0)
			step->entries[0].optional = true;
		error = settings_follow_groups(change);
	}
	isst_cpuset_free(online);
	free(state);
	free(now);
	return error;
}

int cpus_plan_regained(struct isst_change *change)
{
	struct messages *messages = &change->context->messages;
	const char *before = messages->error;
	struct item_lines saved;
	int error = settings_file_read(change->context, SETTINGS_CPUSET_GROUPS, false, &saved);

	if (error == -ENOENT)
		return 0;
	for (size_t i = 0; i < saved.count && !error; i++)
		if (saved.items[i].item.kind == ITEM_CPUSET_GROUPS)
			error = plan_regained(change, &saved.items[i]);
	item_lines_clear(&saved);
	if (!error || error == -ENOMEM)
		return error;
	/* That is no reason to leave CPUs offline. */
	change_warn(change, ISST_WARNING_CPUSETS_LOSE_CPUS, "%s", message_why(messages, error));
	messages->error = before;
	return 0;
}
