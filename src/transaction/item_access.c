/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes items of any kinds, those of the firmware in batches. */
#include "transaction/item_access.h"
#include "base/machine.h"
#include "sysfs/cpuset_groups.h"
#include "sysfs/partition.h"
#include "sysfs/system.h"
#include "sysfs/uncore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Pauses ---- */

/* Before what could not be read is read once more. */
enum { READ_AGAIN_US = 2000 };

void poll_sleep_us(unsigned int us)
{
	struct timespec rest = { 0, (long)us * 1000 };

	while (nanosleep(&rest, &rest) && errno == EINTR)
		;
}

bool poll_timer_wait(struct poll_timer *timer)
{
	unsigned int us = timer->next_us < timer->left_us ? timer->next_us : timer->left_us;

	if (us == 0)
		return false;
	poll_sleep_us(us);
	timer->left_us -= us;
	if (timer->next_us < 20000)
		timer->next_us *= 2;
	return true;
}

bool poll_read_again(int error)
{
	if (!error || error == -ENOENT || error == -ENOMEM)
		return false;
	poll_sleep_us(READ_AGAIN_US);
	return true;
}

/* ---- Items that the kernel holds ---- */

static const char *limit_file(const struct item *item)
{
	return item->kind == ITEM_UNCORE_MAX ? "max_freq_khz" : "min_freq_khz";
}

static bool is_uncore(const struct item *item)
{
	return item->kind == ITEM_UNCORE_MAX || item->kind == ITEM_UNCORE_MIN;
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

/** Errors as in kernel_files.h. ITEM_ONLINE cannot be read so: one file has all of them. */
static int item_file_read(struct isst_context *context, const struct item *item,
			  struct item_value *value)
{
	struct kernel_files *files = &context->files;
	struct uncore_place place;
	char *name, *text = NULL;
	bool on = false;
	int error;

	switch (item->kind) {
	case ITEM_SCALING_MAX:
	case ITEM_SCALING_MIN:
		return cpufreq_read_limit(files, item->index, item_limit(item), &value->number);
	case ITEM_UNCORE_MAX:
	case ITEM_UNCORE_MIN:
		place = uncore_place(context, item);
		return uncore_read_limit(files, &place, item_limit(item), &value->number);
	case ITEM_CPUSETS:
	case ITEM_RCU_EXPEDITED:
		error = item->kind == ITEM_CPUSETS ? cpusets_read(files, &on)
						   : rcu_read_expedited(files, &on);
		value->number = on;
		return error;
	case ITEM_PARTITION:
		name = item_partition_name(item);
		error = name ? partition_read(files, name, &text) : -ENOMEM;
		free(name);
		break;
	default:
		error = cpuset_groups_read(files, &text);
		break;
	}
	if (!error)
		error = item_value_set_text(context, value, text);
	free(text);
	return error;
}

static int item_file_write(struct isst_context *context, const struct item *item,
			   struct item_value value)
{
	struct kernel_files *files = &context->files;
	struct uncore_place place;
	char *name;
	int error;

	switch (item->kind) {
	case ITEM_ONLINE:
		error = hotplug_write(files, item->index, value.number);
		if (error == -ENOENT)
			error = message_error(&context->messages, -EIO,
					      CPU_DIRECTORY
					      "/cpu%u has no file 'online': the kernel does not "
					      "let this CPU go offline",
					      item->index);
		return error;
	case ITEM_SCALING_MAX:
	case ITEM_SCALING_MIN:
		return cpufreq_write_limit(files, item->index, item_limit(item), value.number);
	case ITEM_UNCORE_MAX:
	case ITEM_UNCORE_MIN:
		place = uncore_place(context, item);
		return uncore_write_limit(files, &place, item_limit(item), value.number);
	case ITEM_CPUSETS:
		return cpusets_write(files, value.number);
	case ITEM_RCU_EXPEDITED:
		return rcu_write_expedited(files, value.number);
	case ITEM_PARTITION:
		name = item_partition_name(item);
		error = name ? partition_write(files, name, value.text) : -ENOMEM;
		free(name);
		return error;
	default:
		return cpuset_groups_write(files, value.text);
	}
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

/** The file or directory that a write goes to; NULL for items of the firmware. */
static const char *path_of(struct isst_context *context, const struct item *item)
{
	struct messages *messages = &context->messages;
	struct uncore_place place;
	const char *path = NULL;
	char *directory;

	switch (item->kind) {
	case ITEM_ONLINE:
		return message_make(messages, CPU_DIRECTORY "/cpu%u/online", item->index);
	case ITEM_SCALING_MAX:
	case ITEM_SCALING_MIN:
		return message_make(messages, CPU_DIRECTORY "/cpu%u/cpufreq/%s", item->index,
				    item_kinds[item->kind].what);
	case ITEM_UNCORE_MAX:
	case ITEM_UNCORE_MIN:
		place = uncore_place(context, item);
		if (uncore_directory(&context->files, &place, &directory) == 0)
			path = message_make(messages, "%s/max_freq_khz", directory);
		free(directory);
		return path;
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
	struct uncore_place place = uncore_place(context, item);
	bool refused, of_domain = place.of_domain;
	char *directory;
	int error;

	*why = NULL;
	if (!is_uncore(item) || item_is_of_package(item))
		return 0;
	error = uncore_check_present(&context->files, &place, item_limit(item), &refused);
	/* No limit of the package, which has no directory, or nothing to compare with it. */
	if (error || !refused)
		return error == -ENOENT ? 0 : error;
	uncore_package_place(&place);
	error = uncore_directory(&context->files, &place, &directory);
	if (error)
		return error;
	*why = message_make(&context->messages,
			    of_domain ? "%s: the present value lies beyond the limit that was last "
					"set for the package, so that the kernel would not take it "
					"again (%s/%s: a statement for all of the package moves it)"
				      : "%s: the kernel would not take the present value again",
			    item_describe(context, item), directory, limit_file(item));
	free(directory);
	return 0;
}

const char *item_clipped_by(struct isst_context *context, const struct item *item,
			    struct item_value now)
{
	const char *message = context->messages.error, *limit = NULL;
	struct uncore_place place = uncore_place(context, item);
	struct kernel_files *files = &context->files;
	char *owners = NULL, *directory;
	uint64_t upper_khz;

	if (is_uncore(item) && place.of_domain) {
		/* It shows the widest of its power domains: the one that was just held back. */
		uncore_package_place(&place);
		if (!uncore_read_limit(files, &place, item_limit(item), &upper_khz) &&
		    upper_khz == now.number && !uncore_directory(files, &place, &directory)) {
			limit = message_make(&context->messages, "%s/%s, the limit of the package",
					     directory, limit_file(item));
			free(directory);
		}
	} else if (item->kind == ITEM_SCALING_MIN &&
		   !cpufreq_read(files, item->index, "scaling_max_freq", &upper_khz) &&
		   upper_khz == now.number) {
		limit = message_make(&context->messages,
				     CPU_DIRECTORY "/cpu%u/cpufreq/scaling_max_freq", item->index);
	}
	if (!limit && item_is_limit(item) &&
	    !cpufreq_limit_owners(files, item->index, item_limit(item), &owners) && owners)
		limit = message_make(&context->messages, "%s", owners);
	free(owners);
	context->messages.error = message;
	return limit;
}

/** Notes the error of a file, with the message since message_begin(), which returned @before. */
static void note_file_error(struct isst_context *context, struct item_access *access,
			    const char *before, int error)
{
	message_end(&context->messages, before, error == -ENOENT ? 0 : error);
	if (error == -ENOENT)
		message_failure(&context->messages, &access->failure,
				of_item(context, &access->item), -EIO, "%s: %s",
				item_describe(context, &access->item),
				item_why_gone(context, &access->item, "there is no such file"));
	else if (error)
		message_failure(&context->messages, &access->failure, of_machine(), error, "%s",
				isst_error(context));
}

static void read_file(struct isst_context *context, struct item_access *access)
{
	const char *before = message_begin(&context->messages);
	const struct item *item = &access->item;
	uint64_t shown;
	int error = 0;

	/* A limit that reads as none has a number all the same: that at which the range of the CPU
	 * ends by now, since turbo went off or the base frequency moved. */
	if (!access->written || !item_is_limit(item) ||
	    cpufreq_read(&context->files, item->index, item_kinds[item->kind].what, &shown) ||
	    shown != access->value.number)
		error = item_file_read(context, item, &access->value);
	access->absent = error == -ENOENT;
	if (access->absent)
		message_end(&context->messages, before, 0);
	else
		note_file_error(context, access, before, error);
}

/** The CPUs that are online by now. Returns 0 or a negative errno; *@online is to be freed. */
static int read_online_cpus(struct isst_context *context, struct isst_cpuset **online)
{
	*online = isst_cpuset_new();
	return *online ? kernel_files_cpulist(&context->files, CPU_DIRECTORY "/online", *online)
		       : -ENOMEM;
}

/** The kernel's list has all CPUs, including those without a file of their own. */
static int read_online(struct isst_context *context, struct item_access *accesses, size_t count)
{
	const char *before = message_begin(&context->messages);
	struct isst_cpuset *online = NULL;
	int error = 0;

	for (size_t i = 0; i < count && error != -ENOMEM; i++) {
		struct item_access *access = &accesses[i];

		if (access->item.kind != ITEM_ONLINE)
			continue;
		access->failure = (struct isst_failure){ 0 };
		if (!online)
			error = read_online_cpus(context, &online);
		if (error)
			message_failure(&context->messages, &access->failure, of_machine(),
					error == -ENOENT ? -EIO : error, "%s",
					message_why(&context->messages, error));
		access->value.number = !error && isst_cpuset_has(online, access->item.index);
	}
	isst_cpuset_free(online);
	message_end(&context->messages, before, error);
	return error == -ENOMEM ? error : 0;
}

/* ---- Items that the firmware holds ---- */

static int plan_firmware(struct isst_context *context, struct firmware_batch *batch,
			 struct item_access *access,
			 int (*plan)(struct firmware_batch *, const struct setting_request *))
{
	const struct item *item = &access->item;
	const struct isst_domain *domain = item_domain(context, item);

	access->failure = (struct isst_failure){ 0 };
	if (!domain) {
		message_failure(&context->messages, &access->failure, of_item(context, item), -EIO,
				"%s is unreachable: no CPU of the domain is online",
				item_describe(context, item));
		return 0;
	}
	return plan(batch, &(struct setting_request){ .domain = domain,
						      .setting = (enum firmware_setting)item->kind,
						      .index = item->index,
						      .value = &access->value.number,
						      .failure = &access->failure });
}

/** Finds other CPUs where those that carried requests went offline. Returns whether to try again.
 */
static bool find_carriers(struct isst_context *context, const struct item_access *accesses,
			  size_t count)
{
	const char *message = context->messages.error;
	struct isst_cpuset *online = NULL;
	bool lost = false;

	for (size_t i = 0; i < count && !lost; i++) {
		const struct item_access *access = &accesses[i];
		const struct isst_domain *domain;

		if (!access->failure.error || item_is_file(access->item.kind))
			continue;
		if (!online && read_online_cpus(context, &online))
			break;
		domain = item_domain(context, &access->item);
		lost = access->failure.error != -ECANCELED && domain && domain->has_cpu &&
		       !isst_cpuset_has(online, domain->cpu);
	}
	isst_cpuset_free(online);
	lost = lost && context_discover_topology(context) == 0;
	context->messages.error = message;
	return lost;
}

/* ---- Items of any kinds ---- */

static int read_all(struct isst_context *context, struct item_access *accesses, size_t count)
{
	struct firmware_batch *batch = context_batch_new(context);
	int error = batch ? read_online(context, accesses, count) : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++) {
		struct item_access *access = &accesses[i];

		if (access->item.kind == ITEM_ONLINE)
			continue;
		access->failure = (struct isst_failure){ 0 };
		if (item_is_file(access->item.kind))
			read_file(context, access);
		else
			error = plan_firmware(context, batch, access,
					      context->firmware.operations->plan_get);
	}
	if (!error)
		error = firmware_run(batch);
	firmware_batch_free(batch);
	return error;
}

int items_read(struct isst_context *context, struct item_access *accesses, size_t count)
{
	int error = read_all(context, accesses, count);

	if (!error && find_carriers(context, accesses, count))
		error = read_all(context, accesses, count);
	return error;
}

int items_read_twice(struct isst_context *context, struct item_access *accesses, size_t count)
{
	struct item_access *again = calloc(count + 1, sizeof(*again));
	int error = again ? items_read(context, accesses, count) : -ENOMEM;
	size_t failed = 0, at = 0;

	for (size_t i = 0; i < count && !error; i++)
		if (accesses[i].failure.error)
			again[failed++] = accesses[i];
	if (!error && failed > 0) {
		poll_sleep_us(READ_AGAIN_US);
		error = items_read(context, again, failed);
	}
	for (size_t i = 0; i < count && !error && failed > 0; i++)
		if (accesses[i].failure.error)
			accesses[i] = again[at++];
	free(again);
	return error;
}

static int write_firmware(struct isst_context *context, struct item_access *accesses, size_t count)
{
	struct firmware_batch *batch = firmware_batch_new(&context->firmware);
	int error = batch ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++)
		error = plan_firmware(context, batch, &accesses[i],
				      context->firmware.operations->plan_set);
	if (!error)
		error = firmware_run_writes(batch);
	firmware_batch_free(batch);
	return error;
}

int items_write(struct isst_context *context, struct item_access *accesses, size_t count)
{
	bool stopped = false;
	size_t done = 0;
	int error;

	if (count == 0)
		return 0;
	if (item_is_file(accesses[0].item.kind)) {
		for (size_t i = 0; i < count; i++) {
			struct item_access *access = &accesses[i];
			const char *before;

			access->failure = (struct isst_failure){ .error = stopped ? -ECANCELED
										  : 0 };
			if (stopped || access->others)
				continue;
			before = message_begin(&context->messages);
			note_file_error(context, access, before,
					item_file_write(context, &access->item, access->value));
			stopped = access->failure.error != 0;
		}
		return 0;
	}
	error = write_firmware(context, accesses, count);
	while (!error && done < count && !accesses[done].failure.error)
		done++;
	if (!error && done < count && find_carriers(context, &accesses[done], count - done))
		error = write_firmware(context, &accesses[done], count - done);
	return error;
}

/* ---- Limits that may be another owner's ---- */

/** Whether a limit is not @khz, or cannot be read. */
static bool is_other(const struct item_access *now, uint64_t khz)
{
	return now->failure.error || now->absent || now->value.number != khz;
}

int items_lift_limits(struct isst_context *context, struct item_access *accesses, size_t count)
{
	struct poll_timer timer = poll_timer_for(item_kinds[ITEM_SCALING_MAX].settling_ms);
	struct item_access *now = calloc(count + 1, sizeof(*now));
	const char *message = context->messages.error;
	size_t doubtful = 0, lifted = 0;
	int error = now ? 0 : -ENOMEM;
	bool moved = false;

	for (size_t i = 0; i < count && !error; i++) {
		struct item_access *access = &accesses[i];

		access->others = false;
		if (access->restores && item_is_limit(&access->item) &&
		    access->value.number != cpufreq_no_limit(item_limit(&access->item)))
			now[doubtful++] = (struct item_access){ .item = access->item, .owner = i };
	}
	if (!error && doubtful > 0)
		error = items_read(context, now, doubtful);
	for (size_t i = 0; i < doubtful && !error; i++) {
		enum cpufreq_limit limit = item_limit(&now[i].item);

		/* No other owner has one as tight as the old one. */
		if (now[i].failure.error || now[i].absent ||
		    cpufreq_is_tighter(limit, accesses[now[i].owner].value.number,
				       now[i].value.number))
			continue;
		now[i].found = now[i].value;
		now[lifted++] = now[i];
	}
	for (size_t i = 0; i < lifted; i++)
		/* One that cannot be written fails once more when it is restored. */
		(void)item_file_write(context, &now[i].item,
				      (struct item_value){ .number = cpufreq_no_limit(
								   item_limit(&now[i].item)) });
	/* The kernel applies limits a little later: waits until none is as it was found. */
	while (lifted > 0 && !error && !moved) {
		error = items_read(context, now, lifted);
		moved = true;
		for (size_t i = 0; i < lifted && !error; i++)
			moved &= is_other(&now[i], now[i].found.number);
		if (!moved && !poll_timer_wait(&timer))
			break;
	}
	for (size_t i = 0; i < lifted && !error; i++)
		accesses[now[i].owner].others = !is_other(&now[i],
							  accesses[now[i].owner].value.number);
	if (doubtful > 0)
		context->messages.error = message;
	free(now);
	return error;
}
