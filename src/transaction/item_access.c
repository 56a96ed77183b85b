/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes items of any kinds, those of the firmware in batches. */
#include "transaction/item_access.h"
#include "sysfs/cpufreq.h"
#include "transaction/item_files.h"
#include "transaction/poll.h"

#include <errno.h>
#include <stdlib.h>

/** Plans the access to an item of the firmware. */
static int plan_firmware(struct isst_context *context, struct firmware_batch *batch,
			 struct item_access *access,
			 int (*plan)(struct firmware_batch *, const struct setting_request *))
{
	const struct item *item = &access->item;
	const struct isst_domain *domain = item_domain(context, item);

	if (!domain) {
		message_failure(&context->messages, &access->failure, -EIO,
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

/** Takes the error of a file over, with the message that the reader left: since message_begin(),
 * which returned @before. */
static void note_file_error(struct isst_context *context, struct item_access *access,
			    const char *before, int error)
{
	message_end(&context->messages, before, error == -ENOENT ? 0 : error);
	if (error == -ENOENT)
		message_failure(&context->messages, &access->failure, -EIO, "%s: %s",
				item_describe(context, &access->item),
				item_why_gone(context, &access->item, "there is no such file"));
	else if (error)
		message_failure(&context->messages, &access->failure, error, "%s",
				isst_error(context));
}

static void read_file(struct isst_context *context, struct item_access *access)
{
	const char *before = message_begin(&context->messages);
	int error = 0;

	if (!access->written ||
	    !item_is_limit_at_edge(context, &access->item, access->value.number))
		error = item_file_read(context, &access->item, &access->value);
	access->absent = error == -ENOENT;
	if (access->absent)
		context->messages.error = before;
	else
		note_file_error(context, access, before, error);
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
		if (!online) {
			online = isst_cpuset_new();
			error = online ? kernel_files_cpulist(&context->files,
							      CPU_DIRECTORY "/online", online)
				       : -ENOMEM;
		}
		note_file_error(context, access, before, error);
		access->value.number = !error && isst_cpuset_has(online, access->item.index);
	}
	isst_cpuset_free(online);
	message_end(&context->messages, before, error);
	return error == -ENOMEM ? error : 0;
}

/** Whether a request failed whose CPU is not in a set. */
static bool lost_carrier(const struct isst_context *context, const struct isst_cpuset *online,
			 const struct item_access *access)
{
	const struct isst_domain *domain = item_domain(context, &access->item);

	return !item_is_file(access->item.kind) && access->failure.error &&
	       access->failure.error != -ECANCELED && domain && domain->has_cpu &&
	       !isst_cpuset_has(online, domain->cpu);
}

/**
 * Looks for other CPUs where requests failed since the one that carries them went offline. Returns
 * whether there is a point in another try.
 */
static bool find_carriers(struct isst_context *context, const struct item_access *accesses,
			  size_t count)
{
	const char *message = context->messages.error;
	struct isst_cpuset *online = NULL;
	bool lost = false;

	for (size_t i = 0; i < count && !lost; i++) {
		if (!accesses[i].failure.error || item_is_file(accesses[i].item.kind))
			continue;
		if (!online) {
			online = isst_cpuset_new();
			if (!online ||
			    kernel_files_cpulist(&context->files, CPU_DIRECTORY "/online", online))
				break;
		}
		lost = lost_carrier(context, online, &accesses[i]);
	}
	isst_cpuset_free(online);
	lost = lost && context_discover_topology(context) == 0;
	context->messages.error = message;
	return lost;
}

static int read_all(struct isst_context *context, struct item_access *accesses, size_t count)
{
	struct firmware_batch *batch = firmware_batch_new(&context->firmware);
	int error = batch ? read_online(context, accesses, count) : -ENOMEM;

	/* Who holds the lock reads by the CPU that writes. */
	if (batch && context_has_lock(context))
		firmware_confirm(batch);
	else if (batch)
		firmware_leave_alone(batch);
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

/* ---- Limits that may be another owner's ---- */

/** Keeps those that are to be restored, and are no looser now: of a looser one it is certain that
 * no other owner has one as tight as the old one. @owners: which access each is for. */
static size_t select_doubtful(struct item_access *now, size_t *owners, size_t count,
			      const struct item_access *accesses)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		const struct item_access *access = &accesses[owners[i]];
		enum cpufreq_limit limit = item_limit(&access->item);

		if (now[i].failure.error || now[i].absent ||
		    cpufreq_is_tighter(limit, access->value.number, now[i].value.number))
			continue;
		owners[kept] = owners[i];
		now[kept++] = now[i];
	}
	return kept;
}

/** The kernel applies limits shortly after they are written. */
static int await_lifted(struct isst_context *context, struct item_access *now, size_t count)
{
	struct item_access *before = calloc(count + 1, sizeof(*before));
	struct poll_timer timer = poll_timer_for(item_settling_time(ITEM_SCALING_MAX));
	bool moved = false;
	int error = before ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++)
		before[i] = now[i];
	while (!error && !moved) {
		error = items_read(context, now, count);
		moved = true;
		for (size_t i = 0; i < count && !error; i++)
			moved &= now[i].failure.error || now[i].absent ||
				 now[i].value.number != before[i].value.number;
		if (!moved && !poll_timer_wait(&timer))
			break;
	}
	free(before);
	return error;
}

static int lift(struct isst_context *context, struct item_access *now, size_t *owners, size_t count,
		struct item_access *accesses)
{
	const char *message = context->messages.error;
	int error = items_read(context, now, count);

	if (error)
		return error;
	count = select_doubtful(now, owners, count, accesses);
	for (size_t i = 0; i < count; i++)
		/* One that cannot be written fails once more when it is restored. */
		(void)item_file_write(context, &now[i].item,
				      (struct item_value){ .number = cpufreq_no_limit(
								   item_limit(&now[i].item)) });
	error = count > 0 ? await_lifted(context, now, count) : 0;
	for (size_t i = 0; i < count && !error; i++)
		accesses[owners[i]].others = !now[i].failure.error && !now[i].absent &&
					     now[i].value.number ==
						     accesses[owners[i]].value.number;
	context->messages.error = message;
	return error;
}

int items_lift_limits(struct isst_context *context, struct item_access *accesses, size_t count)
{
	struct item_access *now = calloc(count + 1, sizeof(*now));
	size_t *owners = calloc(count + 1, sizeof(*owners));
	size_t doubtful = 0;
	int error = now && owners ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++) {
		struct item_access *access = &accesses[i];

		access->others = false;
		if (!access->restores || !item_is_limit(&access->item) ||
		    access->value.number == cpufreq_no_limit(item_limit(&access->item)))
			continue;
		owners[doubtful] = i;
		now[doubtful++].item = access->item;
	}
	if (!error && doubtful > 0)
		error = lift(context, now, owners, doubtful, accesses);
	free(now);
	free(owners);
	return error;
}

static void write_files(struct isst_context *context, struct item_access *accesses, size_t count)
{
	bool stopped = false;

	for (size_t i = 0; i < count; i++) {
		struct item_access *access = &accesses[i];
		const char *before;

		access->failure = (struct isst_failure){ 0 };
		if (stopped) {
			access->failure.error = -ECANCELED;
			continue;
		}
		if (access->others)
			continue;
		before = message_begin(&context->messages);
		note_file_error(context, access, before,
				item_file_write(context, &access->item, access->value));
		stopped = access->failure.error != 0;
	}
}

static int write_firmware(struct isst_context *context, struct item_access *accesses, size_t count)
{
	struct firmware_batch *batch = firmware_batch_new(&context->firmware);
	int error = batch ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++) {
		accesses[i].failure = (struct isst_failure){ 0 };
		error = plan_firmware(context, batch, &accesses[i],
				      context->firmware.operations->plan_set);
	}
	if (!error)
		error = firmware_run_writes(batch);
	firmware_batch_free(batch);
	return error;
}

int items_write(struct isst_context *context, struct item_access *accesses, size_t count)
{
	size_t done = 0;
	int error;

	if (count == 0)
		return 0;
	if (item_is_file(accesses[0].item.kind)) {
		write_files(context, accesses, count);
		return 0;
	}
	error = write_firmware(context, accesses, count);
	while (!error && done < count && !accesses[done].failure.error)
		done++;
	if (!error && done < count && find_carriers(context, &accesses[done], count - done))
		error = write_firmware(context, &accesses[done], count - done);
	return error;
}
