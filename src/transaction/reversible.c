/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rollback could not restore: items that cannot be read, and limits that cannot be seen. */
#include "transaction/reversible.h"
#include "sysfs/cpufreq.h"
#include "transaction/item_files.h"
#include "transaction/report.h"

#include <errno.h>

void change_note_irreversible(struct isst_change *change, const char *why, const char *what)
{
	change_warn(change, ISST_WARNING_IRREVERSIBLE, "%s; a rollback would leave %s unchanged",
		    why, what ? what : "it");
	if (!change->irreversible)
		change->irreversible = message_make(&change->texts, "%s", why);
}

static int refuse(struct isst_change *change, const char *why)
{
	return message_error(&change->context->messages, -EIO,
			     "%s: the change was not made, because it could not be rolled back as "
			     "a whole",
			     why);
}

/** Whether what a limit was may be something else than what the kernel shows: while turbo is off
 * all those from the base frequency up look alike. */
static int is_concealed(struct isst_change *change, const struct entry *entry, bool *concealed)
{
	struct kernel_files *files = &change->context->files;
	unsigned int cpu = entry->item.index;
	uint64_t base_khz;
	int error;

	*concealed = entry->hidden && entry->old.number == entry->shown;
	if (*concealed)
		return 0;
	if (entry->item.kind == ITEM_SCALING_MAX)
		return entry->old.number == CPUFREQ_NO_LIMIT
			       ? cpufreq_hides_limit(files, cpu, TURBO_OFF, concealed)
			       : 0;
	error = cpufreq_read(files, cpu, "base_frequency", &base_khz);
	*concealed = !error && entry->old.number >= base_khz;
	return error == -ENOENT ? 0 : error;
}

static int check_limits(struct isst_change *change, const struct step *step)
{
	struct isst_context *context = change->context;
	bool concealed = false;
	int error = 0;

	for (size_t i = 0; i < step->count && !error; i++) {
		const struct entry *entry = &step->entries[i];

		if (!entry->needed || !item_is_limit(&entry->item))
			continue;
		error = is_concealed(change, entry, &concealed);
		if (!error && concealed)
			error = refuse(change,
				       message_make(&context->messages,
						    "%s: the present limit is not visible while "
						    "turbo is disabled",
						    item_describe(context, &entry->item)));
	}
	return error;
}

int change_check_reversible(struct isst_change *change)
{
	enum turbo_state turbo;
	int error;

	if (!change->options.reversible)
		return 0;
	if (change->irreversible)
		return refuse(change, change->irreversible);
	error = cpufreq_turbo_state(&change->context->files, &turbo);
	for (size_t i = 0; i < change->count && !error && turbo == TURBO_OFF; i++)
		if (change->steps[i]->expected)
			error = check_limits(change, change->steps[i]);
	return error;
}

/**
 * A limit that comes along with a level, and was not asked for itself, stays as it is. Limits of
 * all power domains of a package are set with that of the package: only a rollback would end with
 * another value, so that it is no reason for a change that is to stay.
 */
static int leave_irreversible(struct isst_change *change, const struct step *step,
			      struct entry *entry, const char *why)
{
	bool kept = !change->options.hold && !change->options.reversible;

	if (entry->provisional && kept) {
		change_warn(change, ISST_WARNING_IRREVERSIBLE,
			    "%s; a rollback would end with another value", why);
		return 0;
	}
	if (step->exact || !kept)
		return refuse(change, why);
	entry->refused = true;
	change_warn(change, ISST_WARNING_UNCORE_LIMITS_KEPT, "%s; it is left unchanged", why);
	return 0;
}

int change_check_restorable(struct isst_change *change)
{
	int error = 0;

	for (size_t i = 0; i < change->count && !error; i++) {
		struct step *step = change->steps[i];

		for (size_t j = 0; j < step->count && step->expected && !error; j++) {
			struct entry *entry = &step->entries[j];
			const char *why;

			if (!entry->needed || !entry->old_known)
				continue;
			error = item_check_restorable(change->context, &entry->item, &why);
			if (!error && why)
				error = leave_irreversible(change, step, entry, why);
		}
	}
	return error;
}
