/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the CPUs that a name stands for. */
#include "base/cpu_name.h"
#include "base/cpuset.h"
#include "features/features.h"
#include "features/snapshot.h"
#include "firmware/platform.h"
#include "sysfs/system.h"
#include "topology/context.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Places ---- */

static int find_place(struct isst_context *context, const struct cpu_name *name,
		      struct isst_cpuset *cpus)
{
	const char *kind = context_has_power_domains(context) ? "power domain" : "die";
	struct isst_cpuset *numbers = isst_cpuset_new(); /* of what the package has */
	int error = numbers ? 0 : -ENOMEM;

	for (size_t i = 0; i < isst_domain_count(context) && !error; i++) {
		const struct isst_domain *domain = context_domain(context, i);
		/* Its number or, where a package has no power domains, its die. */
		unsigned int number = domain_number(context, domain);

		if (domain->package != name->number)
			continue;
		error = isst_cpuset_add(numbers, number, number);
		if (!error && (name->kind == CPU_NAME_PACKAGE || number == name->domain))
			error = isst_cpuset_add_set(cpus, domain->online);
	}
	if (!error && isst_cpuset_count(numbers) == 0)
		error = message_error_at(&context->messages, of_package(name->number), -EOPNOTSUPP,
					 "package %u does not exist, or all its CPUs are offline",
					 name->number);
	else if (!error && name->kind != CPU_NAME_PACKAGE &&
		 !isst_cpuset_has(numbers, name->domain))
		error = message_error_at(
			&context->messages, of_package(name->number), -EOPNOTSUPP,
			"package %u has no %s %u, or all its CPUs are offline; it has %s",
			name->number, kind, name->domain,
			message_numbers(&context->messages, kind, numbers));
	isst_cpuset_free(numbers);
	return error;
}

/** Keeps CPUs that are online and belong to a known domain. */
static int add_usable(const struct isst_context *context, const struct isst_cpuset *from,
		      struct isst_cpuset *cpus)
{
	unsigned int number;
	int error = 0;

	isst_cpuset_for_each (number, from) {
		const struct isst_cpu *cpu = context_cpu(context, number);

		if (!error && cpu && cpu->online)
			error = isst_cpuset_add(cpus, number, number);
	}
	return error;
}

static int find_listed(struct isst_context *context, const struct cpu_name *name,
		       struct isst_cpuset *cpus)
{
	struct isst_cpuset *listed = isst_cpuset_new();
	int error = -ENOMEM;

	if (listed && name->kind == CPU_NAME_NODE)
		error = cpu_lists_node(&context->files, name->number, listed);
	else if (listed)
		error = cpu_lists_isolated(&context->files, listed);
	if (error == -ENOENT)
		error = message_error(&context->messages, -EOPNOTSUPP,
				      "NUMA node %u does not exist", name->number);
	if (!error)
		error = add_usable(context, listed, cpus);
	isst_cpuset_free(listed);
	return error;
}

/* ---- What cores are ---- */

/** Adds the CPUs of a set whose cores have a CLOS from @first to @last. */
static int add_with_clos(struct isst_context *context, const struct isst_cpuset *among,
			 unsigned int first, unsigned int last, struct isst_cpuset *cpus)
{
	struct isst_clos_association *associations = calloc(isst_cpuset_count(among) + 1,
							    sizeof(*associations));
	size_t count = 0;
	unsigned int number;
	bool any = false;
	int error;

	if (!associations)
		return -ENOMEM;
	isst_cpuset_for_each (number, among)
		associations[count++].cpu = context_cpu(context, number);
	error = clos_association_read(context, associations, count);
	for (size_t i = 0; i < count && !error; i++) {
		const struct isst_clos_association *one = &associations[i];

		any |= one->failure.error != -EOPNOTSUPP;
		if (one->failure.error && one->failure.error != -EOPNOTSUPP)
			error = message_error(&context->messages, one->failure.error, "%s",
					      one->failure.message);
		else if (!one->failure.error && one->clos >= first && one->clos <= last)
			error = isst_cpuset_add(cpus, one->cpu->number, one->cpu->number);
	}
	if (!error && count > 0 && !any)
		error = message_error(&context->messages, -EOPNOTSUPP,
				      "this machine has no classes of service");
	free(associations);
	return error;
}

/** Whether SST-TF is on, and classes hold. Returns 1, 0 or, with a message, a negative errno. */
static int has_priorities(struct isst_context *context, const struct isst_level *level,
			  const struct isst_core_power *core_power)
{
	const struct isst_failure *failure = NULL;

	if (level->turbo_freq == ISST_FEATURE_UNKNOWN && level->failure.error != -EOPNOTSUPP)
		failure = &level->failure;
	else if (level->turbo_freq != ISST_FEATURE_ENABLED)
		return 0;
	else if (core_power->failure.error)
		failure = &core_power->failure;
	if (failure)
		return message_error(&context->messages, failure->error, "%s", failure->message);
	if (core_power->clos_in_force == ISST_FEATURE_DISABLED)
		return message_error_at(
			&context->messages, of_domain(level->domain), -EIO,
			"%s: turbo-freq is enabled, core-power is disabled: it is not "
			"known whether classes of service hold",
			level->domain->name);
	return core_power->clos_in_force == ISST_FEATURE_ENABLED;
}

/** CLOS 0 and 1 are high priority to SST-TF, while it is on and classes hold. */
static int find_high_priority(struct isst_context *context, struct isst_cpuset *cpus)
{
	size_t domains = isst_domain_count(context), count = 0;
	struct domain_snapshot *snapshots = calloc(domains + 1, sizeof(*snapshots));
	struct isst_cpuset *among = isst_cpuset_new();
	int error = snapshots && among ? 0 : -ENOMEM;

	for (size_t i = 0; i < domains && !error; i++)
		if (context_domain(context, i)->has_cpu)
			snapshots[count++] = (struct domain_snapshot){
				.domain = context_domain(context, i),
				.parts = SNAPSHOT_CLOS_IN_FORCE,
			};
	if (!error)
		error = snapshot_read_at(context, snapshots, count, NULL, ISST_LEVEL_FEATURES);
	for (size_t i = 0; i < count && !error; i++) {
		error = has_priorities(context, &snapshots[i].level, &snapshots[i].core_power);
		if (error > 0)
			error = isst_cpuset_add_set(among, snapshots[i].domain->online);
	}
	if (!error)
		error = add_with_clos(context, among, 0, 1, cpus);
	isst_cpuset_free(among);
	snapshot_clear(snapshots, count);
	free(snapshots);
	return error;
}

/* ---- Finding ---- */

int cpu_name_refuse_empty(struct isst_context *context, const struct cpu_name *name)
{
	struct messages *messages = &context->messages;
	const char *core = platform_cores_word(&context->platform, 1);

	switch (name->kind) {
	case CPU_NAME_CLOS:
		return message_error(messages, -EOPNOTSUPP, "no %s is in CLOS %u", core,
				     name->number);
	case CPU_NAME_HIGH_PRIORITY:
		return message_error(messages, -EOPNOTSUPP, "no %s has high priority in turbo-freq",
				     core);
	case CPU_NAME_NODE:
		return message_error(messages, -EOPNOTSUPP, "NUMA node %u has no online CPU",
				     name->number);
	case CPU_NAME_ISOLATED:
		return message_error(messages, -EOPNOTSUPP, "the kernel isolates no CPU");
	case CPU_NAME_DOMAIN:
		return message_error(messages, -EOPNOTSUPP,
				     "power domain %u of package %u has no online CPU",
				     name->domain, name->number);
	case CPU_NAME_PACKAGE:
		break;
	}
	return message_error_at(messages, of_package(name->number), -EOPNOTSUPP,
				"package %u has no online CPU", name->number);
}

static int find_named_cpus(struct isst_context *context, const struct cpu_name *name,
			   struct isst_cpuset *cpus)
{
	struct isst_cpuset *all;
	int error;

	switch (name->kind) {
	case CPU_NAME_CLOS:
		all = isst_cpuset_new();
		error = all ? add_usable(context, isst_online_cpus(context), all) : -ENOMEM;
		if (!error)
			error = add_with_clos(context, all, name->number, name->number, cpus);
		isst_cpuset_free(all);
		return error;
	case CPU_NAME_HIGH_PRIORITY:
		return find_high_priority(context, cpus);
	case CPU_NAME_PACKAGE:
	case CPU_NAME_DOMAIN:
		return find_place(context, name, cpus);
	case CPU_NAME_NODE:
	case CPU_NAME_ISOLATED:
		return find_listed(context, name, cpus);
	}
	return -EINVAL;
}

int cpu_name_find(struct isst_context *context, const struct cpu_name *name,
		  struct isst_cpuset *cpus)
{
	const char *before = message_begin(&context->messages);
	struct isst_cpuset *found = isst_cpuset_new();
	int error = context_check_discovered(context);

	if (!error)
		error = found ? find_named_cpus(context, name, found) : -ENOMEM;
	if (!error)
		cpuset_swap(cpus, found);
	isst_cpuset_free(found);
	return message_end(&context->messages, before, error);
}
