/* SPDX-License-Identifier: BSD-3-Clause */
/* Carries out what firmware has accepted before and put off. */
#include "emulator/firmware/tpmi.h"
#include "emulator/front/front.h"

#include <errno.h>

static void run(struct server *server, struct deferred *due)
{
	void *entry = due->entry;

	switch (due->request) {
	case ABI_MAILBOX_COMMAND:
		mailbox_run(server, entry);
		break;
	case ABI_IO_COMMAND:
		mmio_run(server, entry);
		break;
	case ABI_MSR_COMMAND:
		msr_run(server, entry);
		break;
	default:
		tpmi_run_deferred(server, (unsigned long)due->request, entry);
	}
}

int deferred_run_due(struct server *server)
{
	struct deferred due;

	if (server->state->deferred_count == 0)
		return 0;
	server->replaying = true;
	while (deferred_take_due(server, &due))
		run(server, &due);
	server->replaying = false;
	return state_store(server) ? -EIO : 0;
}
