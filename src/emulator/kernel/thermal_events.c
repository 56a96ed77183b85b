/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of the kernel's family `thermal` (linux/thermal.h; intel_hfi.c). A process listens by a
 * datagram socket `thermal-...` in the runtime directory, which stands for one of NETLINK_GENERIC.
 */
#include "emulator/kernel/kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* The family has a number of its own on each system; docs/internals/emulator.md has this one. The
 * rest is that of the kernel's interface: its headers are too old for it on some systems. */
enum {
	FAMILY = 0x1c,
	FAMILY_VERSION = 2,
	EVENT_CPU_CAPABILITY_CHANGE = 14,
	ATTRIBUTE_CAPABILITY = 20,
	ATTRIBUTE_CPU = 21,
	ATTRIBUTE_PERFORMANCE = 22,
	ATTRIBUTE_EFFICIENCY = 23,
	CPUS_A_MESSAGE = 64,
	/* The 8 bits of the hardware, times four. */
	HIGHEST_CAPABILITY = 255 * 4,
};

struct number_attribute {
	struct nlattr head;
	uint32_t number;
};

struct event {
	struct nlmsghdr head;
	struct genlmsghdr command;
	struct nlattr table;
	struct number_attribute numbers[3 * CPUS_A_MESSAGE];
};

static void add_number(struct event *event, size_t *count, uint16_t type, uint32_t number)
{
	event->numbers[(*count)++] = (struct number_attribute){
		{ .nla_len = sizeof(struct number_attribute), .nla_type = type }, number
	};
}

static void send_to(int directory, const char *name, const struct event *event)
{
	int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (descriptor < 0)
		return;
	/* Paths can be longer than addresses. */
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%.64s", directory,
		 name);
	/* A listener that does not read loses messages, as on netlink. */
	if (sendto(descriptor, event, event->head.nlmsg_len, MSG_NOSIGNAL,
		   (const struct sockaddr *)&address, sizeof(address)) < 0 &&
	    errno == ECONNREFUSED)
		unlinkat(directory, name, 0);
	close(descriptor);
}

/** The next one who listens; NULL: there is no other. */
static const char *next_listener(DIR *listeners)
{
	const struct dirent *entry;

	while ((entry = readdir(listeners)))
		if (strncmp(entry->d_name, "thermal-", strlen("thermal-")) == 0)
			return entry->d_name;
	return NULL;
}

/** Sends a message with so many numbers to all who listen. */
static void send_event(DIR *listeners, struct event *event, size_t count)
{
	const size_t size = count * sizeof(struct number_attribute);
	const char *name;

	event->head = (struct nlmsghdr){
		.nlmsg_len = (uint32_t)(offsetof(struct event, numbers) + size),
		.nlmsg_type = FAMILY,
	};
	event->command = (struct genlmsghdr){ .cmd = EVENT_CPU_CAPABILITY_CHANGE,
					      .version = FAMILY_VERSION };
	event->table = (struct nlattr){ .nla_len = (uint16_t)(sizeof(struct nlattr) + size),
					.nla_type = ATTRIBUTE_CAPABILITY | NLA_F_NESTED };
	rewinddir(listeners);
	while ((name = next_listener(listeners)))
		send_to(dirfd(listeners), name, event);
}

void kernel_send_events(struct server *server)
{
	const struct platform *platform = server->platform;
	struct event event;
	size_t count = 0;
	DIR *listeners;
	int directory;
	bool any;

	if (!server->level_changed)
		return;
	server->level_changed = false;
	directory = openat(server->directory, "run", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	listeners = directory < 0 ? NULL : fdopendir(directory);
	if (!listeners) {
		if (directory >= 0)
			close(directory);
		return;
	}
	/* Usually there is no listener, and each power domain has an event about all CPUs. */
	any = next_listener(listeners) != NULL;
	for (size_t i = 0; any && i < platform->cpu_count; i++) {
		if (!cpu_online(server, &platform->cpus[i]))
			continue;
		add_number(&event, &count, ATTRIBUTE_CPU, platform->cpus[i].number);
		add_number(&event, &count, ATTRIBUTE_PERFORMANCE, HIGHEST_CAPABILITY);
		add_number(&event, &count, ATTRIBUTE_EFFICIENCY, HIGHEST_CAPABILITY);
		if (count < sizeof(event.numbers) / sizeof(event.numbers[0]))
			continue;
		send_event(listeners, &event, count);
		count = 0;
	}
	if (count > 0)
		send_event(listeners, &event, count);
	closedir(listeners);
}

int kernel_listen(const char *directory)
{
	int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int length = snprintf(address.sun_path, sizeof(address.sun_path), "%s/thermal-%d",
			      directory, (int)getpid());
	int error = -ENAMETOOLONG;

	if (descriptor < 0)
		return -errno;
	if (length < (int)sizeof(address.sun_path)) {
		(void)mkdir(directory, 0755);
		/* That of a process which had the same number. */
		(void)unlink(address.sun_path);
		if (bind(descriptor, (const struct sockaddr *)&address, sizeof(address)) == 0)
			return descriptor;
		error = -errno;
	}
	close(descriptor);
	return error;
}

void kernel_stop_listening(int descriptor)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t size = sizeof(address);

	if (getsockname(descriptor, (struct sockaddr *)&address, &size) == 0)
		(void)unlink(address.sun_path);
	close(descriptor);
}
