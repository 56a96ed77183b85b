/* SPDX-License-Identifier: BSD-3-Clause */
/* The last run that applied a configuration, as programs see it. */
#include "state/applied.h"
#include "library/getters.h"
#include "library/targets.h"

#include <errno.h>
#include <stdlib.h>

struct isst_apply_record {
	struct applied applied;
};

int isst_read_apply_record(struct isst_context *context, unsigned int flags,
			   struct isst_apply_record **record)
{
	struct isst_apply_record *read;
	int error;

	if (!context || !record || flags)
		return context_refuse(context, "isst_read_apply_record() has no flags, or there is "
					       "nowhere to put the record (NULL)");
	*record = NULL;
	read = calloc(1, sizeof(*read));
	error = read ? applied_read(context, &read->applied) : -ENOMEM;
	if (!error) {
		*record = read;
		return 0;
	}
	isst_apply_record_free(read);
	if (error == -ENOMEM)
		return call_no_memory(context);
	if (error == -ENOENT)
		return message_error(&context->messages, error,
				     "no configuration was applied since boot");
	return error;
}

void isst_apply_record_free(struct isst_apply_record *record)
{
	if (!record)
		return;
	applied_clear(&record->applied);
	free(record);
}

GETTER(int64_t, isst_apply_record_time_s, isst_apply_record, applied.time_s, -1)
GETTER(bool, isst_apply_record_succeeded, isst_apply_record, applied.succeeded, false)
GETTER(const char *, isst_apply_record_source, isst_apply_record, applied.source, NULL)
GETTER(const char *, isst_apply_record_sha256, isst_apply_record, applied.digest, NULL)
