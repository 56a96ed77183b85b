/* SPDX-License-Identifier: BSD-3-Clause */
/* Cgroups that hold CPUs in cpuset partitions: those of domains, and others; and what of them
 * changes with CPUs. */
#include "features/cpus_change.h"
#include "sysfs/cpuset_groups.h"
#include "sysfs/partition.h"
#include "transaction/saved_settings.h"
#include "transaction/steps.h"

#include <errno.h>
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
		change_warn(change, ISST_MESSAGE_CPUSETS_LOSE_CPUS, of_machine(),
			    "cpusets of cgroup v1 lose CPUs that go offline: %s. They get them "
			    "back when this program brings the CPUs online, and no tasks that the "
			    "kernel has moved out of a cpuset without CPUs",
			    names);
		step_disturbs_optional(offline, item_of_machine(ITEM_CPUSET_GROUPS));
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
	int error = settings_read(change->context, &saved);

	for (size_t i = 0; i < saved.count && !error; i++)
		if (saved.items[i].item.kind == ITEM_CPUSET_GROUPS)
			error = plan_regained(change, &saved.items[i]);
	item_lines_clear(&saved);
	if (!error || error == -ENOMEM)
		return error;
	/* That is no reason to leave CPUs offline. */
	change_warn(change, ISST_MESSAGE_CPUSETS_LOSE_CPUS, of_machine(), "%s",
		    message_why(messages, error));
	messages->error = before;
	return 0;
}

/* ---- CPUs that others hold ---- */

#define GROUPS "/sys/fs/cgroup"

/** Reads a file of a group below the root, or of the root. -ENOENT: there is no such file. */
static int read_group_file(struct isst_context *context, const char *group, const char *name,
			   char **text)
{
	struct kernel_files *files = &context->files;
	int error = kernel_files_text(files, kernel_files_path(files, GROUPS "/%s/%s", group, name),
				      text);

	return error && files->answer == -ENOTDIR ? -ENOENT : error;
}

/** A look for CPUs that cannot be isolated for a domain, and for the partition that has them. */
struct holder_search {
	struct isst_context *context;
	const char *own;		/* the group of the domain's own name */
	const struct isst_cpuset *cpus; /* that may be taken */
	bool found;
	unsigned int cpu; /* the lowest */
	const char *holder;
};

/** Looks at a group that holds CPUs as a partition, or will hold them once CPUs of it are online.
 */
static int look_at_group(void *data, const char *group)
{
	struct holder_search *search = data;
	struct isst_context *context = search->context;
	struct isst_cpuset *held = isst_cpuset_new();
	char *type = NULL, *cpus = NULL, *invalid;
	unsigned int cpu;
	int error = held ? 0 : -ENOMEM;

	if (!error && strcmp(group, search->own) == 0)
		error = -ENOENT;
	if (!error)
		error = read_group_file(context, group, "cpuset.cpus.partition", &type);
	if (!error && strncmp(type, "member", strlen("member")) != 0) {
		invalid = strstr(type, " invalid");
		if (!invalid || strstr(invalid, "hotplug"))
			error = read_group_file(context, group, "cpuset.cpus", &cpus);
	}
	/* A list that makes no sense names no CPU. */
	if (cpus && isst_cpuset_add_list(held, cpus, NULL) == -ENOMEM)
		error = -ENOMEM;
	isst_cpuset_for_each (cpu, held)
		if (isst_cpuset_has(search->cpus, cpu) &&
		    (!search->found || cpu < search->cpu ||
		     (cpu == search->cpu && !search->holder))) {
			search->found = true;
			search->cpu = cpu;
			search->holder = message_make(&context->messages, "%s", group);
		}
	free(type);
	free(cpus);
	isst_cpuset_free(held);
	return error == -ENOENT ? 0 : error;
}

int group_check_free(struct isst_context *context, const struct isst_domain *domain,
		     const struct isst_cpuset *cpus, const char *state)
{
	const char *own = !state || strstr(state, " invalid") ? NULL : partition_cpus(state);
	struct item item = item_of(ITEM_PARTITION, domain, 0);
	struct isst_cpuset *free_cpus = isst_cpuset_new(), *taken = isst_cpuset_new();
	char *name = item_partition_name(&item);
	struct holder_search search = { .context = context, .own = name, .cpus = taken };
	bool any_taken = false;
	unsigned int cpu;
	int error = -ENOMEM;

	/* CPUs of the root's partition and of the domain's own. -ENOENT: they are not reported. */
	if (free_cpus && taken && name)
		error = kernel_files_cpulist(&context->files, GROUPS "/cpuset.cpus.effective",
					     free_cpus);
	/* classify_group() has understood the list. */
	if (!error && own)
		error = isst_cpuset_add_list(free_cpus, own, NULL);
	isst_cpuset_for_each (cpu, cpus) {
		bool is_free = isst_cpuset_has(free_cpus, cpu);
		bool online = isst_cpuset_has(domain->online, cpu);

		any_taken |= !is_free;
		if (!error && !(is_free && online))
			error = isst_cpuset_add(taken, cpu, cpu);
		if (!is_free && online && !search.found) {
			search.found = true;
			search.cpu = cpu;
		}
	}
	if (!error && any_taken)
		error = kernel_files_each(&context->files, GROUPS, "", look_at_group, &search);
	if (!error && search.found)
		error = message_error_at(&context->messages, of_cpu(NULL, search.cpu), -EIO,
					 "CPU %u belongs to another cpuset partition%s%s%s: "
					 "it cannot be isolated for %s",
					 search.cpu, search.holder ? " (" GROUPS "/" : "",
					 search.holder ? search.holder : "",
					 search.holder ? ")" : "", domain->name);
	free(name);
	isst_cpuset_free(taken);
	isst_cpuset_free(free_cpus);
	return error == -ENOENT ? 0 : error;
}
