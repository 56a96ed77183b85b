/* SPDX-License-Identifier: BSD-3-Clause */
/* How the items that the kernel holds are read and written. */
#include "transaction/item_files.h"
#include "base/machine.h"
#include "sysfs/cpuset_groups.h"
#include "sysfs/partition.h"
#include "sysfs/rcu.h"
#include "sysfs/uncore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** A kind of item that the kernel holds. Errors as in kernel_files.h. @read is NULL where one file
 * has all items. */
struct file_access {
	int (*read)(struct isst_context *context, const struct item *item,
		    struct item_value *value);
	int (*write)(struct isst_context *context, const struct item *item,
		     struct item_value value);
};

static int read_limit(struct isst_context *context, const struct item *item,
		      struct item_value *value)
{
	return cpufreq_read_limit(&context->files, item->index, item_limit(item), &value->number);
}

static int write_limit(struct isst_context *context, const struct item *item,
		       struct item_value value)
{
	return cpufreq_write_limit(&context->files, item->index, item_limit(item), value.number);
}

static struct uncore_place uncore_place(const struct isst_context *context, const struct item *item)
{
	struct uncore_place place = { .package = item->package,
				      .die = item->die,
				      .of_domain = context_has_power_domains(context),
				      .domain = item->domain,
				      .cluster = item->index };

	if (item_is_of_package(item))
		uncore_package_place(&place);
	return place;
}

static int read_uncore(struct isst_context *context, const struct item *item,
		       struct item_value *value)
{
	const struct uncore_place place = uncore_place(context, item);

	return uncore_read_limit(&context->files, &place, item_limit(item), &value->number);
}

static int write_uncore(struct isst_context *context, const struct item *item,
			struct item_value value)
{
	const struct uncore_place place = uncore_place(context, item);

	return uncore_write_limit(&context->files, &place, item_limit(item), value.number);
}

static int write_online(struct isst_context *context, const struct item *item,
			struct item_value value)
{
	int error = hotplug_write(&context->files, item->index, value.number);

	if (error == -ENOENT)
		error = message_error(&context->messages, -EIO,
				      CPU_DIRECTORY
				      "/cpu%u has no file 'online': the kernel does not let "
				      "this CPU go offline",
				      item->index);
	return error;
}

static int read_partition(struct isst_context *context, const struct item *item,
			  struct item_value *value)
{
	char *name = item_partition_name(item), *state = NULL;
	int error = name ? partition_read(&context->files, name, &state) : -ENOMEM;

	if (!error)
		error = item_value_set_text(context, value, state);
	free(name);
	free(state);
	return error;
}

static int write_partition(struct isst_context *context, const struct item *item,
			   struct item_value value)
{
	char *name = item_partition_name(item);
	int error = name ? partition_write(&context->files, name, value.text) : -ENOMEM;

	free(name);
	return error;
}

static int read_cpusets(struct isst_context *context, const struct item *item,
			struct item_value *value)
{
	bool enabled = false;
	int error = cpusets_read(&context->files, &enabled);

	(void)item;
	value->number = enabled;
	return error;
}

static int write_cpusets(struct isst_context *context, const struct item *item,
			 struct item_value value)
{
	(void)item;
	return cpusets_write(&context->files, value.number);
}

static int read_rcu(struct isst_context *context, const struct item *item, struct item_value *value)
{
	bool expedited = false;
	int error = rcu_read_expedited(&context->files, &expedited);

	(void)item;
	value->number = expedited;
	return error;
}

static int write_rcu(struct isst_context *context, const struct item *item, struct item_value value)
{
	(void)item;
	return rcu_write_expedited(&context->files, value.number);
}

static int read_groups(struct isst_context *context, const struct item *item,
		       struct item_value *value)
{
	char *state;
	int error = cpuset_groups_read(&context->files, &state);

	(void)item;
	if (!error)
		error = item_value_set_text(context, value, state);
	free(state);
	return error;
}

static int write_groups(struct isst_context *context, const struct item *item,
			struct item_value value)
{
	(void)item;
	return cpuset_groups_write(&context->files, value.text);
}

static const struct file_access FILES[ITEM_KINDS] = {
	[ITEM_ONLINE] = { NULL, write_online },
	[ITEM_SCALING_MAX] = { read_limit, write_limit },
	[ITEM_SCALING_MIN] = { read_limit, write_limit },
	[ITEM_UNCORE_MAX] = { read_uncore, write_uncore },
	[ITEM_UNCORE_MIN] = { read_uncore, write_uncore },
	[ITEM_PARTITION] = { read_partition, write_partition },
	[ITEM_CPUSETS] = { read_cpusets, write_cpusets },
	[ITEM_RCU_EXPEDITED] = { read_rcu, write_rcu },
	[ITEM_CPUSET_GROUPS] = { read_groups, write_groups },
};

int item_file_read(struct isst_context *context, const struct item *item, struct item_value *value)
{
	return FILES[item->kind].read(context, item, value);
}

int item_file_write(struct isst_context *context, const struct item *item, struct item_value value)
{
	return FILES[item->kind].write(context, item, value);
}

bool item_is_limit_at_edge(struct isst_context *context, const struct item *item, uint64_t khz)
{
	uint64_t shown;

	return item_is_limit(item) &&
	       cpufreq_read(&context->files, item->index, item_kind_text(item->kind), &shown) ==
		       0 &&
	       shown == khz;
}

const char *item_why_gone(struct isst_context *context, const struct item *item,
			  const char *otherwise)
{
	const char *message = context->messages.error;
	struct item_value value;
	/* Its files may be there, and busy; or be back, with a CPU that came online since. */
	bool offline = item_is_limit(item) && (hotplug_is_offline(&context->files, item->index) ||
					       item_file_read(context, item, &value) == 0);

	context->messages.error = message;
	return offline ? "the CPU went offline" : otherwise;
}

static const char *uncore_file(struct isst_context *context, const struct item *item)
{
	const struct uncore_place place = uncore_place(context, item);
	const char *file = NULL;
	char *directory;

	if (uncore_directory(&context->files, &place, &directory) == 0)
		file = message_make(&context->messages, "%s/max_freq_khz", directory);
	free(directory);
	return file;
}

/** The file, or directory, that a write of an item of the kernel goes to. NULL for those of the
 * firmware. */
static const char *path_of(struct isst_context *context, const struct item *item)
{
	struct messages *messages = &context->messages;

	switch (item->kind) {
	case ITEM_ONLINE:
		return message_make(messages, CPU_DIRECTORY "/cpu%u/online", item->index);
	case ITEM_SCALING_MAX:
	case ITEM_SCALING_MIN:
		return message_make(messages, CPU_DIRECTORY "/cpu%u/cpufreq/%s", item->index,
				    item_kind_text(item->kind));
	case ITEM_UNCORE_MAX:
	case ITEM_UNCORE_MIN:
		return uncore_file(context, item);
	case ITEM_PARTITION:
		return "/sys/fs/cgroup";
	default:
		return NULL;
	}
}

int item_check_writable(struct isst_context *context, const struct item *item)
{
	const struct isst_machine *machine = context->machine;
	const char *path = path_of(context, item);
	int error = path && machine->writable ? machine->writable(machine->data, path) : 0;

	if (error == -EROFS)
		return message_error(&context->messages, -EIO,
				     "%s cannot be written: it is on a file system that is mounted "
				     "read-only (%s)",
				     path, strerror(-error));
	if (error != -EACCES && error != -EPERM)
		return 0;
	return message_error(
		&context->messages, -EPERM,
		"not permitted: %s may not be written (%s); it requires root, or CAP_DAC_OVERRIDE",
		path, strerror(-error));
}

int item_check_restorable(struct isst_context *context, const struct item *item, const char **why)
{
	const struct uncore_place place = uncore_place(context, item);
	struct uncore_place package = place;
	char *directory;
	bool refused;
	int error;

	*why = NULL;
	if ((item->kind != ITEM_UNCORE_MAX && item->kind != ITEM_UNCORE_MIN) ||
	    item_is_of_package(item))
		return 0;
	error = uncore_check_present(&context->files, &place, item_limit(item), &refused);
	/* No limit of the package, which has no directory, or nothing to compare with it. */
	if (error || !refused)
		return error == -ENOENT ? 0 : error;
	uncore_package_place(&package);
	error = uncore_directory(&context->files, &package, &directory);
	if (error)
		return error;
	*why = message_make(&context->messages,
			    place.of_domain
				    ? "%s: the present value lies beyond the limit that was last "
				      "set for the package, so that the kernel would not take it "
				      "again (%s/%s: a statement for all of the package moves it)"
				    : "%s: the kernel would not take the present value again",
			    item_describe(context, item), directory,
			    item_kind_text(item->kind) + strlen("uncore "));
	free(directory);
	return 0;
}

/** The limit of the package that a power domain cannot go beyond. It shows the widest of its power
 * domains: that of one which was just held back. */
static const char *package_limit(struct isst_context *context, const struct item *item,
				 uint64_t khz)
{
	struct uncore_place place = uncore_place(context, item);
	enum cpufreq_limit limit = item_limit(item);
	const char *name = item_kind_text(item->kind) + strlen("uncore ");
	const char *text = NULL;
	uint64_t package_khz;
	char *directory;

	if (!place.of_domain)
		return NULL;
	uncore_package_place(&place);
	if (!uncore_read_limit(&context->files, &place, limit, &package_khz) &&
	    package_khz == khz && !uncore_directory(&context->files, &place, &directory)) {
		text = message_make(&context->messages, "%s/%s, the limit of the package",
				    directory, name);
		free(directory);
	}
	return text;
}

static const char *upper_limit(struct isst_context *context, const struct item *item, uint64_t khz)
{
	uint64_t upper_khz;

	if (cpufreq_read(&context->files, item->index, "scaling_max_freq", &upper_khz) ||
	    upper_khz != khz)
		return NULL;
	return message_make(&context->messages, CPU_DIRECTORY "/cpu%u/cpufreq/scaling_max_freq",
			    item->index);
}

/** Of a limit of a CPU: who else is known to hold it. */
static const char *other_owners(struct isst_context *context, const struct item *item)
{
	const char *text = NULL;
	char *owners = NULL;

	if (!cpufreq_limit_owners(&context->files, item->index, item_limit(item), &owners) &&
	    owners)
		text = message_make(&context->messages, "%s", owners);
	free(owners);
	return text;
}

const char *item_clipped_by(struct isst_context *context, const struct item *item,
			    struct item_value now)
{
	const char *message = context->messages.error, *limit = NULL;

	if (item->kind == ITEM_UNCORE_MAX || item->kind == ITEM_UNCORE_MIN)
		limit = package_limit(context, item, now.number);
	else if (item->kind == ITEM_SCALING_MIN)
		limit = upper_limit(context, item, now.number);
	if (!limit && item_is_limit(item))
		limit = other_owners(context, item);
	context->messages.error = message;
	return limit;
}
