/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a change that was made: it stands from here on. */
#include "transaction/finish.h"
#include "transaction/journal.h"
#include "transaction/report.h"
#include "transaction/saved_settings.h"
#include "transaction/steps.h"

/* The change ended as it did, whatever becomes of the file. */
void change_end_journal(struct isst_change *change)
{
	if (journal_end(change))
		change_warn(change, ISST_WARNING_JOURNAL_KEPT, "%s", isst_error(change->context));
}

void change_rediscover(struct isst_change *change)
{
	if (change_touches_cpus(change) && context_discover_topology(change->context))
		change_warn(change, ISST_WARNING_REDISCOVERY_FAILED,
			    "the change is complete; the CPUs could not be discovered again: %s",
			    isst_error(change->context));
}

void change_complete(struct isst_change *change)
{
	bool staged = settings_stage(change);

	journal_done(change);
	settings_apply(change, staged);
	change_end_journal(change);
}
