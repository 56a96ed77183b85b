/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitions of a level change: in place of hotplug, and for CPU 0 beside it. */
#include "features/level_change.h"
#include "sysfs/partition.h"
#include "transaction/report.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** CPUs of a domain that a level does not enable. NULL without memory. */
static struct isst_cpuset *disabled_cpus(const struct level_change *work, size_t i)
{
	struct isst_cpuset *set = isst_cpuset_new();
	unsigned int cpu;

	isst_cpuset_for_each (cpu, work->requests[i].domain->present)
		if (set && !isst_cpuset_has(work->current.domains[i].level.cpus, cpu) &&
		    isst_cpuset_add(set, cpu, cpu)) {
			isst_cpuset_free(set);
			return NULL;
		}
	return set;
}

/** Whether the kernel lets a CPU go: it has no file for CPU 0 that would take it offline. */
static bool can_go_offline(const struct level_change *work, unsigned int cpu)
{
	char *path = NULL;
	uint64_t online;
	int error;

	if (cpu != 0)
		return true;
	if (asprintf(&path, CPU_DIRECTORY "/cpu%u/online", cpu) < 0) {
		work->change->broken = true;
		return true;
	}
	error = kernel_files_number(&work->change->context->files, path, 1, &online);
	free(path);
	work->change->broken |= error == -ENOMEM;
	return error != -ENOENT;
}

bool level_sets_offline(const struct level_change *work, unsigned int cpu)
{
	return !(cpu == 0 && work->change->options.partition_for_cpu0) && can_go_offline(work, cpu);
}

/* ---- The groups that are there ---- */

/** What is below the name of a domain's partition. */
enum group {
	GROUP_ABSENT,
	GROUP_OTHER,	       /* no partition: the kernel tree's tool leaves such groups behind */
	GROUP_PARTITION,       /* of CPUs of the domain, as a level change makes it */
	GROUP_OTHER_PARTITION, /* not of this domain's CPUs: an administrator's */
};

#define GROUPS "/sys/fs/cgroup"

/** Whether all CPUs of a list are the domain's; those of a list that makes no sense are not.
 * Returns 0 or -ENOMEM. */
static int are_of_domain(const struct isst_domain *domain, const char *list, bool *own)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	int error = cpus ? isst_cpuset_add_list(cpus, list, NULL) : -ENOMEM;
	unsigned int cpu;

	*own = !error;
	isst_cpuset_for_each (cpu, cpus)
		*own &= isst_cpuset_has(domain->present, cpu);
	isst_cpuset_free(cpus);
	return error == -ENOMEM ? error : 0;
}

static int classify_group(const struct isst_domain *domain, const char *state, enum group *group)
{
	const char *cpus = partition_cpus(state);
	bool own = true;
	int error = 0;

	*group = strcmp(state, "absent") == 0 ? GROUP_ABSENT : GROUP_OTHER;
	if (!cpus)
		return 0;
	if (*cpus != '\0')
		error = are_of_domain(domain, cpus, &own);
	*group = own ? GROUP_PARTITION : GROUP_OTHER_PARTITION;
	return error;
}

/**
 * Finds what is below that name. Where no partitions were asked for, a system whose groups cannot
 * be read has none. Returns 0 with @state to be freed (NULL: none), or an error with a message.
 */
static int find_group(const struct level_change *work, const struct isst_domain *domain,
		      enum group *group, char **state)
{
	struct item item = item_of(ITEM_PARTITION, domain, 0);
	char *name = item_partition_name(&item);
	int error;

	*group = GROUP_ABSENT;
	*state = NULL;
	if (!name)
		return -ENOMEM;
	error = partition_read(&work->change->context->files, name, state);
	free(name);
	if (!error) {
		error = classify_group(domain, *state, group);
		if (!error)
			return 0;
		free(*state);
		*group = GROUP_ABSENT;
	}
	*state = NULL;
	/* Where there are no cpusets there is no partition. */
	return error == -EOPNOTSUPP && !work->partitions ? 0 : error;
}

/* ---- CPUs that others hold ---- */

/** Adds the CPUs that are in no partition but the root's, and those of @state, the domain's own
 * group. -ENOENT: the kernel does not report them. */
static int add_free_cpus(const struct level_change *work, const char *state,
			 struct isst_cpuset *set)
{
	const char *own = strstr(state, " invalid") ? NULL : partition_cpus(state);
	int error = kernel_files_cpulist(&work->change->context->files,
					 GROUPS "/cpuset.cpus.effective", set);

	/* classify_group() has understood the list. */
	return error || !own ? error : isst_cpuset_add_list(set, own, NULL);
}

/** Reads a file of what is below the root: a group, or one of the root's own files. -ENOENT: there
 * is no such file. */
static int read_group_file(const struct level_change *work, const char *group, const char *name,
			   char **text)
{
	struct kernel_files *files = &work->change->context->files;
	char *path;
	int error;

	if (asprintf(&path, GROUPS "/%s/%s", group, name) < 0)
		return -ENOMEM;
	error = kernel_files_text(files, path, text);
	free(path);
	return error && files->answer == -ENOTDIR ? -ENOENT : error;
}

/** Whether a group is a partition, or will be one again once CPUs of it are online. */
static bool is_partition(const char *type)
{
	const char *invalid = strstr(type, " invalid");

	return strncmp(type, "member", strlen("member")) != 0 &&
	       (!invalid || strstr(invalid, "hotplug"));
}

/** Adds the CPUs that a group holds as a partition, those that are offline included. */
static int add_held_cpus(const struct level_change *work, const char *group,
			 struct isst_cpuset *set)
{
	char *type = NULL, *cpus = NULL;
	int error = read_group_file(work, group, "cpuset.cpus.partition", &type);

	if (!error && is_partition(type))
		error = read_group_file(work, group, "cpuset.cpus", &cpus);
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

static void partitions_clear(struct partitions *partitions)
{
	for (size_t i = 0; i < partitions->count; i++) {
		free(partitions->holders[i].group);
		isst_cpuset_free(partitions->holders[i].cpus);
	}
	free(partitions->holders);
}

/** To be cleared, also after an error. -ENOENT: the kernel has no such groups. */
static int find_partitions(const struct level_change *work, const struct isst_domain *domain,
			   struct partitions *partitions)
{
	struct item item = item_of(ITEM_PARTITION, domain, 0);
	char *own = item_partition_name(&item), **names = NULL;
	size_t count = 0;
	int error = own ? kernel_files_list(&work->change->context->files, GROUPS, &names, &count)
			: -ENOMEM;

	*partitions = (struct partitions){ calloc(count + 1, sizeof(*partitions->holders)), 0 };
	if (!partitions->holders)
		error = -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct holder holder = { names[i], isst_cpuset_new() };

		if (!holder.cpus)
			error = -ENOMEM;
		else if (!error && strcmp(names[i], own) != 0)
			error = add_held_cpus(work, names[i], holder.cpus);
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

static const char *holder_of(const struct partitions *partitions, unsigned int cpu)
{
	for (size_t i = 0; i < partitions->count; i++)
		if (isst_cpuset_has(partitions->holders[i].cpus, cpu))
			return partitions->holders[i].group;
	return NULL;
}

/** Reports that a CPU is not free; @holder: the group that holds it, or NULL. */
static int refuse_cpu(const struct level_change *work, const struct isst_domain *domain,
		      unsigned int cpu, const char *holder)
{
	return message_error(&work->change->context->messages, -EIO,
			     "CPU %u belongs to another cpuset partition%s%s%s: it cannot be "
			     "isolated for %s",
			     cpu, holder ? " (" GROUPS "/" : "", holder ? holder : "",
			     holder ? ")" : "", domain->name);
}

/**
 * A CPU of another partition is not taken: kernels before 7.0 then make that partition invalid,
 * later ones make a partition without the CPU. One that is offline belongs to it as well, which
 * cpuset.cpus.effective does not show.
 */
static int check_free(const struct level_change *work, const struct isst_domain *domain,
		      const struct isst_cpuset *cpus, const char *state)
{
	struct isst_cpuset *free_cpus = isst_cpuset_new();
	int error = free_cpus ? add_free_cpus(work, state, free_cpus) : -ENOMEM;
	struct partitions partitions = { 0 };
	bool all_free = true;
	unsigned int cpu;

	isst_cpuset_for_each (cpu, cpus)
		all_free &= isst_cpuset_has(free_cpus, cpu);
	if (!error && !all_free)
		error = find_partitions(work, domain, &partitions);
	isst_cpuset_for_each (cpu, cpus) {
		const char *holder = holder_of(&partitions, cpu);

		if (!error &&
		    (isst_cpuset_has(domain->online, cpu) ? !isst_cpuset_has(free_cpus, cpu)
							  : holder != NULL))
			error = refuse_cpu(work, domain, cpu, holder);
	}
	partitions_clear(&partitions);
	isst_cpuset_free(free_cpus);
	return error == -ENOENT ? 0 : error;
}

/* ---- Planning ---- */

/** The end of a partition that is no longer needed; of no other group. */
static int plan_no_partition(struct level_change *work, const struct isst_domain *domain)
{
	struct isst_change *change = work->change;
	enum group group;
	char *state;
	int error = find_group(work, domain, &group, &state);

	if (group == GROUP_PARTITION)
		step_set_text(change_step(change, ITEM_PARTITION),
			      item_of(ITEM_PARTITION, domain, 0), "absent");
	else if (/* mutation: foreign-partition */ group == GROUP_OTHER_PARTITION)
		change_warn(
			change,
			"/sys/fs/cgroup/%u-%u-%u is left unchanged (%s): it is not a partition of "
			"CPUs of %s",
			domain->package, domain->die, domain->number, state, domain->name);
	free(state);
	return error;
}

/** Isolates CPUs. A partition of others that has the name already is not replaced. */
static int plan_partition(struct level_change *work, const struct isst_domain *domain,
			  const struct isst_cpuset *cpus)
{
	struct isst_change *change = work->change;
	struct step *step;
	enum group group;
	char *state, *ranges;
	int error = find_group(work, domain, &group, &state);

	/* mutation: foreign-partition */
	if (group == GROUP_OTHER_PARTITION)
		error = message_error(&change->context->messages, -EIO,
				      "/sys/fs/cgroup/%u-%u-%u is in use (%s): it is not a "
				      "partition of CPUs of %s",
				      domain->package, domain->die, domain->number, state,
				      domain->name);
	if (!error)
		error = check_free(work, domain, cpus, state);
	free(state);
	if (error)
		return error;
	ranges = isst_cpuset_to_list(cpus);
	if (!ranges)
		return -ENOMEM;
	step = change_step(change, ITEM_PARTITION);
	/* Groups get the controller with the first partition. */
	step_disturbs(step, item_of_cpusets());
	step_set_text(step, item_of(ITEM_PARTITION, domain, 0),
		      message_make(&change->context->messages, "isolated %s", ranges));
	free(ranges);
	return 0;
}

/** CPU 0 where it cannot, or shall not, go offline: it is isolated while the level does not enable
 * it. */
static int plan_cpu0(struct level_change *work, const struct isst_domain *domain)
{
	struct isst_cpuset *cpu0 = isst_cpuset_new();
	int error = cpu0 ? isst_cpuset_add(cpu0, 0, 0) : -ENOMEM;

	if (!error) {
		change_warn(work->change,
			    "CPU 0 %s: it is isolated in the cpuset partition %u-%u-%u",
			    can_go_offline(work, 0) ? "stays online, as requested"
						    : "cannot go offline",
			    domain->package, domain->die, domain->number);
		error = plan_partition(work, domain, cpu0);
	}
	isst_cpuset_free(cpu0);
	return error;
}

/** Whether CPU 0 is in this domain, is not enabled, and is to be isolated as it does not go
 * offline. */
static bool isolates_cpu0(const struct level_change *work, size_t i)
{
	return isst_cpuset_has(work->requests[i].domain->present, 0) &&
	       !isst_cpuset_has(work->current.domains[i].level.cpus, 0) &&
	       !level_sets_offline(work, 0);
}

/** With hotplug, a partition is needed for CPU 0 at the most; one that an earlier level made goes
 * away. */
static int plan_partition_beside_hotplug(struct level_change *work, size_t i)
{
	const struct isst_domain *domain = work->requests[i].domain;

	if (isolates_cpu0(work, i))
		return plan_cpu0(work, domain);
	return plan_no_partition(work, domain);
}

/** Partitions need cgroup v2 with cpusets; on a system without them CPUs are taken offline after
 * all. Where that cannot be seen nothing is: users of partitions want CPUs online. */
int level_choose_partitions(struct level_change *work)
{
	struct isst_context *context = work->change->context;
	char *state = NULL;
	int error;

	if (!work->change->options.partitions)
		return 0;
	error = partition_read(&context->files, "isst-probe", &state);
	free(state);
	work->partitions = !error;
	if (error != -EOPNOTSUPP)
		return error;
	change_warn(work->change, "%s; CPUs are taken offline instead", isst_error(context));
	return 0;
}

int level_plan_partitions(struct level_change *work)
{
	int error = 0;

	for (size_t i = 0; i < work->current.count && !error; i++) {
		struct isst_cpuset *disabled;

		if (!level_moves_cpus(work, i))
			continue;
		if (!work->partitions) {
			error = plan_partition_beside_hotplug(work, i);
			continue;
		}
		disabled = disabled_cpus(work, i);
		if (!disabled)
			return -ENOMEM;
		if (isst_cpuset_count(disabled) > 0)
			error = plan_partition(work, work->requests[i].domain, disabled);
		else
			error = plan_no_partition(work, work->requests[i].domain);
		isst_cpuset_free(disabled);
	}
	return error;
}
