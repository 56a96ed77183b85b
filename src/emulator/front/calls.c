/* SPDX-License-Identifier: BSD-3-Clause */
/* What every driver call and file operation begins with, and ends. */
#include "emulator/front/front.h"
#include "emulator/model/text.h"

#include <errno.h>

int call_begin(struct emulated *emulated)
{
	int result;

	/* If it is held, it is this call's from now on, or lost. */
	emulated->kept = false;
	result = state_lock(&emulated->server);
	if (result)
		return result;
	result = deferred_run_due(&emulated->server);
	if (!result)
		result = faults_load(&emulated->faults, &emulated->server, NULL);
	if (!result)
		return 0;
	state_unlock(&emulated->server);
	return is_shortage(result) ? result : -EIO;
}

void call_end(struct emulated *emulated)
{
	state_unlock(&emulated->server);
}
