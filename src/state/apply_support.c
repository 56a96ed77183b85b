/* SPDX-License-Identifier: BSD-3-Clause */
/* Features of a level that are reported only once it is the current one: TPMI, API version 2. */
#include "features/planning.h"
#include "state/apply_parts.h"
#include "topology/context.h"
#include "transaction/report.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>

/** Features that a level is known not to support, of those that an entry enables. */
static uint64_t find_unsupported(const struct entry *entry, const struct isst_level *level)
{
	uint64_t unsupported = 0;

	if (level->turbo_freq == ISST_FEATURE_UNSUPPORTED)
		unsupported |= FEATURE_TURBO_FREQ;
	if (level->base_freq == ISST_FEATURE_UNSUPPORTED)
		unsupported |= FEATURE_BASE_FREQ;
	return unsupported & entry->mask & entry->bits;
}

/** What is optional is left out, anything else ends the change. */
static int check_entry(struct isst_change *change, struct entry *entry,
		       const struct isst_level *level)
{
	uint64_t unsupported = find_unsupported(entry, level);
	const char *feature = feature_name(unsupported & FEATURE_TURBO_FREQ ? FEATURE_TURBO_FREQ
									    : FEATURE_BASE_FREQ);

	if (unsupported & ~entry->if_supported && !entry->optional)
		return message_error(&change->context->messages, -EOPNOTSUPP,
				     "%s: %s feature is not present at level %u",
				     level->domain->name, feature, level->level);
	entry->mask &= ~unsupported;
	return 0;
}

/** Reads the features of the current levels of the domains of a step. One that cannot be read is no
 * obstacle: what is written is verified. */
static int check_support(struct step *step)
{
	struct domain_snapshot *snapshots = calloc(step->count + 1, sizeof(*snapshots));
	struct isst_context *context = step->change->context;
	int error = snapshots ? 0 : -ENOMEM;

	for (size_t i = 0; i < step->count && !error; i++)
		snapshots[i].domain = item_domain(context, &step->entries[i].item);
	if (!error)
		error = snapshot_read_current(context, snapshots, step->count, ISST_LEVEL_FEATURES);
	for (size_t i = 0; i < step->count && !error; i++)
		error = check_entry(step->change, &step->entries[i], &snapshots[i].level);
	snapshot_clear(snapshots, step->count);
	free(snapshots);
	return error;
}

void wanted_check_support_later(const struct wanted *wanted, struct step *step)
{
	for (size_t i = 0; step && i < step->count; i++) {
		const struct entry *entry = &step->entries[i];
		const struct isst_domain *domain = item_domain(wanted->context, &entry->item);

		if (!wanted_facts(wanted, domain)->specified.features_assumed ||
		    !(entry->bits & entry->mask))
			continue;
		step->before = check_support;
		if (step->change->options.dry_run)
			change_warn(step->change, ISST_WARNING_FEATURES_CHECKED_LATER,
				    "%s: the driver reports the features of the current level only "
				    "(API version 2): those of level %u are checked once it is set",
				    domain->name, entry->item.index);
	}
}
