/* SPDX-License-Identifier: BSD-3-Clause */
/* Cgroups that hold CPUs in cpuset partitions: those of domains, and others. Plans nothing. */
#include "features/cpus_change.h"
#include "sysfs/cpuset_groups.h"
#include "sysfs/partition.h"
#include "transaction/report.h"
#include "transaction/saved_settings.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- CPUs that cpusets lose ---- */

int cpus_plan_lost(struct step *offline)
{
	struct isst_change *change = offline->change;
	struct isst_cpuset *leaving = NULL;
	char *state = NULL, *names = NULL;
	int error = offline->count > 0 ? cpuset_groups_read(&change->context->files, &state)
				       : -ENOENT;

	if (error)
		return error == -ENOENT ? 0 : error;
	leaving = isst_cpuset_new();
	error = leaving ? 0 : -ENOMEM;
	for (size_t i = 0; i < offline->count && !error; i++) {
		unsigned int cpu = offline->entries[i].item.index;

		if (isst_cpuset_has(isst_online_cpus(change->context), cpu))
			error = isst_cpuset_add(leaving, cpu, cpu);
	}
	if (!error)
		error = cpuset_groups_name(state, leaving, &names);
	if (!error && names) {
		change_warn(change, ISST_WARNING_CPUSETS_LOSE_CPUS,
			    "cpusets of cgroup v1 lose CPUs that go offline: %s. They get them "
			    "back when this program brings the CPUs online, and no tasks that the "
			    "kernel has moved out of a cpuset without CPUs",
			    names);
		step_disturbs_optional(offline, item_of_machine(ITEM_CPUSET_GROUPS));
		error = settings_follow_groups(change);
	}
	isst_cpuset_free(leaving);
	free(names);
	free(state);
	return error;
}

/** The CPUs that are, or will be, online, but for those never seen. NULL without memory. */
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
	struct entry *entry;
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
		entry = step_set(step, item_of_machine(ITEM_CPUSET_GROUPS), WHOLE_VALUE, 0);
		entry->text = message_make(&change->texts, "%s", state);
		entry->optional = true;
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
	int error = settings_read_all(change->context, SETTINGS_CPUSET_GROUPS, &saved);

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

/* ---- The groups that are there ---- */

#define GROUPS "/sys/fs/cgroup"

/** Whether a group is a partition of CPUs of the domain alone. Returns 0 or -ENOMEM. */
static int classify_group(const struct isst_domain *domain, const char *state, enum group *group)
{
	const char *list = partition_cpus(state);
	struct isst_cpuset *cpus;
	unsigned int cpu;
	int error;

	*group = strcmp(state, "absent") == 0 ? GROUP_ABSENT : GROUP_OTHER;
	if (!list)
		return 0;
	cpus = isst_cpuset_new();
	error = cpus ? 0 : -ENOMEM;
	if (!error && *list != '\0')
		error = isst_cpuset_add_list(cpus, list, NULL);
	*group = error ? GROUP_OTHER_PARTITION : GROUP_PARTITION;
	isst_cpuset_for_each (cpu, cpus)
		if (!isst_cpuset_has(domain->present, cpu))
			*group = GROUP_OTHER_PARTITION;
	isst_cpuset_free(cpus);
	return error == -ENOMEM ? error : 0;
}

int group_find(struct isst_context *context, const struct isst_domain *domain, enum group *group,
	       char **state)
{
	struct item item = item_of(ITEM_PARTITION, domain, 0);
	char *name = item_partition_name(&item);
	int error;

	*group = GROUP_ABSENT;
	*state = NULL;
	if (!name)
		return -ENOMEM;
	error = partition_read(&context->files, name, state);
	free(name);
	if (!error) {
		error = classify_group(domain, *state, group);
		if (!error)
			return 0;
		free(*state);
		*group = GROUP_ABSENT;
	}
	*state = NULL;
	return error;
}

/* ---- CPUs that others hold ---- */

/** Reads a file of a group below the root, or of the root. -ENOENT: there is no such file. */
static int read_group_file(struct isst_context *context, const char *group, const char *name,
			   char **text)
{
	struct kernel_files *files = &context->files;
	char *path;
	int error;

	if (asprintf(&path, GROUPS "/%s/%s", group, name) < 0)
		return -ENOMEM;
	error = kernel_files_text(files, path, text);
	free(path);
	return error && files->answer == -ENOTDIR ? -ENOENT : error;
}

/** Adds the CPUs that a group holds as a partition, or will hold once CPUs of it are online. */
static int add_held_cpus(struct isst_context *context, const char *group, struct isst_cpuset *set)
{
	char *type = NULL, *cpus = NULL, *invalid;
	int error = read_group_file(context, group, "cpuset.cpus.partition", &type);

	if (!error && strncmp(type, "member", strlen("member")) != 0) {
		invalid = strstr(type, " invalid");
		if (!invalid || strstr(invalid, "hotplug"))
			error = read_group_file(context, group, "cpuset.cpus", &cpus);
	}
	/* A list that makes no sense names no CPU. */
	if (cpus && isst_cpuset_add_list(set, cpus, NULL) == -ENOMEM)
		error = -ENOMEM;
	free(type);
	free(cpus);
	return error == -ENOENT ? 0 : error;
}

/** The partitions below the root, but for the one of a domain's name. */
struct partitions {
	struct holder {
		char *group;
		struct isst_cpuset *cpus;
	} * holders;
	size_t count;
};

/** To be cleared, also after an error. -ENOENT: the kernel has no such groups. */
static int find_partitions(struct isst_context *context, const struct isst_domain *domain,
			   struct partitions *partitions)
{
	struct item item = item_of(ITEM_PARTITION, domain, 0);
	char *own = item_partition_name(&item), **names = NULL;
	size_t count = 0;
	int error = own ? kernel_files_list(&context->files, GROUPS, &names, &count) : -ENOMEM;

	*partitions = (struct partitions){ calloc(count + 1, sizeof(*partitions->holders)), 0 };
	if (!partitions->holders)
		error = -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct holder holder = { names[i], isst_cpuset_new() };

		if (!holder.cpus)
			error = -ENOMEM;
		else if (!error && strcmp(names[i], own) != 0)
			error = add_held_cpus(context, names[i], holder.cpus);
		if (partitions->holders) {
			partitions->holders[partitions->count++] = holder;
		} else {
			free(holder.group);
			isst_cpuset_free(holder.cpus);
		}
	}
	free(names);
	free(own);
	return error;
}

int group_check_free(struct isst_context *context, const struct isst_domain *domain,
		     const struct isst_cpuset *cpus, const char *state)
{
	const char *own = !state || strstr(state, " invalid") ? NULL : partition_cpus(state);
	struct isst_cpuset *free_cpus = isst_cpuset_new();
	struct partitions partitions = { 0 };
	bool all_free = true;
	unsigned int cpu;
	int error = -ENOMEM;

	/* CPUs of the root's partition and of the domain's own. -ENOENT: they are not reported. */
	if (free_cpus)
		error = kernel_files_cpulist(&context->files, GROUPS "/cpuset.cpus.effective",
					     free_cpus);
	/* classify_group() has understood the list. */
	if (!error && own)
		error = isst_cpuset_add_list(free_cpus, own, NULL);
	isst_cpuset_for_each (cpu, cpus)
		all_free &= isst_cpuset_has(free_cpus, cpu);
	if (!error && !all_free)
		error = find_partitions(context, domain, &partitions);
	isst_cpuset_for_each (cpu, cpus) {
		const char *holder = NULL;

		for (size_t i = partitions.count; i-- > 0;)
			if (isst_cpuset_has(partitions.holders[i].cpus, cpu))
				holder = partitions.holders[i].group;
		if (!error &&
		    (isst_cpuset_has(domain->online, cpu) ? !isst_cpuset_has(free_cpus, cpu)
							  : holder != NULL))
			error = message_error(&context->messages, -EIO,
					      "CPU %u belongs to another cpuset partition%s%s%s: "
					      "it cannot be isolated for %s",
					      cpu, holder ? " (" GROUPS "/" : "",
					      holder ? holder : "", holder ? ")" : "",
					      domain->name);
	}
	for (size_t i = 0; i < partitions.count; i++) {
		free(partitions.holders[i].group);
		isst_cpuset_free(partitions.holders[i].cpus);
	}
	free(partitions.holders);
	isst_cpuset_free(free_cpus);
	return error == -ENOENT ? 0 : error;
}
