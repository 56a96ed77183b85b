/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of the kernel as programs see them: one descriptor for all sockets. */
#include "base/machine.h"
#include "isst-explain.h"
#include "library/getters.h"
#include "library/targets.h"
#include "sysfs/kernel_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

struct isst_events {
	void (*close)(int descriptor);
	int all;			  /* epoll */
	int sockets[MACHINE_EVENT_KINDS]; /* negative: there are no such events */
};

int isst_events_open(struct isst_context *context, unsigned int flags, struct isst_events **events)
{
	struct isst_events *opened;
	int error;

	if (!context || !events || flags)
		return context_refuse(context,
				      "isst_events_open() has no flags, or there is nowhere "
				      "to put the events (NULL)");
	*events = NULL;
	opened = calloc(1, sizeof(*opened));
	if (!opened)
		return call_no_memory(context);
	for (unsigned int i = 0; i < MACHINE_EVENT_KINDS; i++)
		opened->sockets[i] = -1;
	opened->close = context->machine->close_events;
	opened->all = epoll_create1(EPOLL_CLOEXEC);
	error = opened->all < 0 ? -errno : 0;
	for (unsigned int i = 0; i < MACHINE_EVENT_KINDS && !error; i++) {
		struct epoll_event readable = { .events = EPOLLIN };
		const struct isst_machine *machine = context->machine;

		opened->sockets[i] = machine->open_events(machine->data, (enum machine_events)i);
		if (opened->sockets[i] >= 0 &&
		    epoll_ctl(opened->all, EPOLL_CTL_ADD, opened->sockets[i], &readable) != 0)
			error = -errno;
	}
	if (!error) {
		*events = opened;
		return opened->sockets[MACHINE_THERMAL_EVENTS] >= 0 ? ISST_EVENT_CHANGE : 0;
	}
	isst_events_close(opened);
	return message_error(&context->messages, -EIO, "cannot wait for events of the kernel: %s",
			     strerror(-error));
}

void isst_events_close(struct isst_events *events)
{
	if (!events)
		return;
	for (unsigned int i = 0; i < MACHINE_EVENT_KINDS; i++)
		if (events->sockets[i] >= 0)
			events->close(events->sockets[i]);
	if (events->all >= 0)
		close(events->all);
	free(events);
}

GETTER(int, isst_events_descriptor, isst_events, all, -1)

int isst_events_take(struct isst_events *events)
{
	int taken = 0;

	for (unsigned int i = 0; events && i < MACHINE_EVENT_KINDS; i++)
		if (events->sockets[i] >= 0)
			taken |= kernel_events_take(events->sockets[i], (enum machine_events)i);
	return taken;
}
