/* SPDX-License-Identifier: BSD-3-Clause */
/* Netlink, as far as it takes to hear of events. */
#include "events.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

/* linux/thermal.h; headers of older kernels lack the event. */
#define FAMILY_NAME "thermal"
#define EVENT_GROUP "event"
enum { EVENT_CPU_CAPABILITY_CHANGE = 14 };
/* That of emulated kernels, docs/internals/emulator.md. */
enum { EMULATED_FAMILY = 28 };

/* Larger than any: the kernel sends at most 64 CPUs in one, and uevents of 2 KiB. */
enum { LARGEST_DATAGRAM = 16384, ANSWER_MS = 1000, UEVENTS_OF_KERNEL = 1, MOST_DATAGRAMS = 1000 };

/* ---- Messages and attributes ---- */

/** A list of messages or attributes, or what is left of it. */
struct parts {
	const unsigned char *at;
	size_t size;
};

/** Splits the first part off a list: @length bytes, of which a head is @head. Parts are aligned to
 * 4 bytes, but for the last one. Returns 1 or -EBADMSG. */
static int split_part(struct parts *list, size_t head, size_t length, struct parts *content)
{
	size_t whole = (length + NLA_ALIGNTO - 1) / NLA_ALIGNTO * NLA_ALIGNTO;

	if (length < head || length > list->size)
		return -EBADMSG;
	*content = (struct parts){ list->at + head, length - head };
	if (whole > list->size)
		whole = list->size;
	list->at += whole;
	list->size -= whole;
	return 1;
}

/** The next attribute of a list. Returns 1, 0 at its end, or -EBADMSG. */
static int next_attribute(struct parts *list, unsigned int *type, struct parts *content)
{
	struct nlattr head;

	if (list->size < sizeof(head))
		return list->size ? -EBADMSG : 0;
	memcpy(&head, list->at, sizeof(head));
	*type = head.nla_type & (unsigned int)NLA_TYPE_MASK;
	return split_part(list, sizeof(head), head.nla_len, content);
}

/** The next message of a datagram. Returns 1, 0 at its end, or -EBADMSG. */
static int next_message(struct parts *datagram, unsigned int *type, struct parts *content)
{
	struct nlmsghdr head;

	if (datagram->size < sizeof(head))
		return datagram->size ? -EBADMSG : 0;
	memcpy(&head, datagram->at, sizeof(head));
	*type = head.nlmsg_type;
	return split_part(datagram, sizeof(head), head.nlmsg_len, content);
}

/** Copies what has exactly that size. Returns whether it has. */
static bool read_exactly(const struct parts *content, void *value, size_t size)
{
	if (content->size != size)
		return false;
	memcpy(value, content->at, size);
	return true;
}

/* ---- The family ---- */

/** Finds the group of events among those of a family. Returns 1, 0 or -EBADMSG. */
static int find_group(struct parts groups, uint32_t *number)
{
	struct parts group, content;
	unsigned int type;
	int more;

	while ((more = next_attribute(&groups, &type, &group)) > 0) {
		bool named = false, numbered = false;

		while ((more = next_attribute(&group, &type, &content)) > 0) {
			char name[sizeof(EVENT_GROUP)];

			if (type == CTRL_ATTR_MCAST_GRP_NAME)
				named = read_exactly(&content, name, sizeof(name)) &&
					memcmp(name, EVENT_GROUP, sizeof(name)) == 0;
			else if (type == CTRL_ATTR_MCAST_GRP_ID)
				numbered = read_exactly(&content, number, sizeof(*number));
		}
		if (more || (named && numbered))
			return more ? more : 1;
	}
	return more;
}

int thermal_find_group(const void *message, size_t size, uint16_t *family, uint32_t *group)
{
	struct parts datagram = { message, size }, content, list;
	bool has_family = false;
	int more, found = 0, error;
	unsigned int type;

	if (next_message(&datagram, &type, &content) <= 0)
		return -EBADMSG;
	if (type == NLMSG_ERROR) {
		if (content.size < sizeof(error))
			return -EBADMSG;
		memcpy(&error, content.at, sizeof(error));
		return error < 0 && error > -4096 ? error : -EBADMSG;
	}
	if (type != GENL_ID_CTRL || content.size < sizeof(struct genlmsghdr))
		return -EBADMSG;
	list = (struct parts){ content.at + sizeof(struct genlmsghdr),
			       content.size - sizeof(struct genlmsghdr) };
	while ((more = next_attribute(&list, &type, &content)) > 0 && found >= 0) {
		if (type == CTRL_ATTR_FAMILY_ID)
			has_family = read_exactly(&content, family, sizeof(*family));
		else if (type == CTRL_ATTR_MCAST_GROUPS && !found)
			found = find_group(content, group);
	}
	if (more < 0 || found < 0)
		return -EBADMSG;
	return has_family && found ? 0 : -ENOENT;
}

enum watch_hint thermal_judge(const struct watch_source *source, const void *datagram, size_t size)
{
	struct parts messages = { datagram, size }, content;
	struct genlmsghdr event;
	unsigned int type;
	int more;

	while ((more = next_message(&messages, &type, &content)) > 0) {
		if (type == NLMSG_ERROR || type == NLMSG_OVERRUN)
			return WATCH_LOOK;
		if (type != source->family)
			continue;
		if (content.size < sizeof(event))
			return WATCH_LOOK;
		memcpy(&event, content.at, sizeof(event));
		if (event.cmd == EVENT_CPU_CAPABILITY_CHANGE)
			return WATCH_LOOK;
	}
	return more < 0 ? WATCH_LOOK : WATCH_NO_HINT;
}

/* ---- Uevents ---- */

enum watch_hint uevent_judge(const struct watch_source *source, const void *datagram, size_t size)
{
	static const char CPU[] = "SUBSYSTEM=cpu", MODULE[] = "SUBSYSTEM=module";
	const char *text = datagram, *end = text + size;

	(void)source;
	/* ACTION@PATH, and variables, each with a NUL behind it. */
	while (text < end) {
		size_t length = strnlen(text, (size_t)(end - text));

		if ((length == sizeof(CPU) - 1 && memcmp(text, CPU, length) == 0) ||
		    (length == sizeof(MODULE) - 1 && memcmp(text, MODULE, length) == 0))
			return WATCH_ANEW;
		text += length + 1;
	}
	return WATCH_NO_HINT;
}

int uevent_open(struct watch_source *source)
{
	const struct sockaddr_nl group = { .nl_family = AF_NETLINK,
					   .nl_groups = UEVENTS_OF_KERNEL };

	*source = (struct watch_source){
		.descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT),
		.judge = uevent_judge,
		.lost = WATCH_ANEW,
	};
	if (source->descriptor < 0)
		return -errno;
	if (bind(source->descriptor, (const struct sockaddr *)&group, sizeof(group)) == 0)
		return 0;
	close(source->descriptor);
	return -EADDRNOTAVAIL;
}

/* ---- The socket ---- */

/** Asks for the description of the family. */
static int send_question(int descriptor)
{
	struct {
		struct nlmsghdr head;
		struct genlmsghdr command;
		struct nlattr attribute;
		char name[sizeof(FAMILY_NAME)]; /* 8: no padding */
	} question = {
		.head = { .nlmsg_len = sizeof(question),
			  .nlmsg_type = GENL_ID_CTRL,
			  .nlmsg_flags = NLM_F_REQUEST },
		.command = { .cmd = CTRL_CMD_GETFAMILY, .version = 1 },
		.attribute = { .nla_len = sizeof(struct nlattr) + sizeof(FAMILY_NAME),
			       .nla_type = CTRL_ATTR_FAMILY_NAME },
		.name = FAMILY_NAME,
	};
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	ssize_t sent = sendto(descriptor, &question, sizeof(question), 0,
			      (const struct sockaddr *)&kernel, sizeof(kernel));

	return sent < 0 ? -errno : 0;
}

/** Receives a datagram of the kernel; one of another process has size 0. Returns its size or a
 * negative errno. */
static ssize_t receive(int descriptor, void *datagram, int flags)
{
	struct sockaddr_nl sender = { .nl_family = AF_NETLINK };
	socklen_t size = sizeof(sender);
	ssize_t received;

	do
		received = recvfrom(descriptor, datagram, LARGEST_DATAGRAM, flags | MSG_TRUNC,
				    (struct sockaddr *)&sender, &size);
	while (received < 0 && errno == EINTR);
	if (received < 0)
		return -errno;
	if (size == sizeof(sender) && sender.nl_family == AF_NETLINK && sender.nl_pid != 0)
		return 0;
	return received > LARGEST_DATAGRAM ? -EMSGSIZE : received;
}

static int join_group(struct watch_source *source)
{
	const struct timeval limit = { .tv_sec = ANSWER_MS / 1000 };
	unsigned char answer[LARGEST_DATAGRAM];
	uint32_t group = 0;
	ssize_t size;
	int error;

	if (setsockopt(source->descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) != 0)
		return -errno;
	error = send_question(source->descriptor);
	if (error)
		return error;
	size = receive(source->descriptor, answer, 0);
	if (size < 0)
		return (int)size;
	error = thermal_find_group(answer, (size_t)size, &source->family, &group);
	if (error)
		return error;
	return setsockopt(source->descriptor, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group,
			  sizeof(group)) != 0
		       ? -errno
		       : 0;
}

int thermal_open(struct watch_source *source)
{
	int error;

	*source = (struct watch_source){
		.descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC),
		.judge = thermal_judge,
		.lost = WATCH_LOOK,
	};
	if (source->descriptor < 0)
		return -errno;
	error = join_group(source);
	if (error)
		close(source->descriptor);
	return error;
}

/** The emulated kernel's events, which come to a socket of the runtime directory
 * (docs/internals/emulator.md). */
static int emulated_open(struct watch_source *source, const struct isst_context *context)
{
	const char *directory = isst_platform_runtime_directory(context);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int length;

	*source = (struct watch_source){
		.descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0),
		.judge = thermal_judge,
		.lost = WATCH_LOOK,
		.family = EMULATED_FAMILY,
	};
	if (source->descriptor < 0)
		return -errno;
	/* Made before by who has changed something. */
	(void)mkdir(directory, 0755);
	length = snprintf(address.sun_path, sizeof(address.sun_path), "%s/thermal-%d", directory,
			  (int)getpid());
	if (length < (int)sizeof(address.sun_path))
		source->path = strdup(address.sun_path);
	/* That of a process which had the same number. */
	if (source->path)
		(void)unlink(source->path);
	if (source->path &&
	    bind(source->descriptor, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return 0;
	watch_events_close(source, 1);
	return -EADDRNOTAVAIL;
}

/* ---- Sources ---- */

/** Whether the processor has the hardware feedback interface, without which there are no events:
 * CPUID leaf 6, EAX bit 19. */
static bool has_feedback(void)
{
#ifdef __x86_64__
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid(6, &eax, &ebx, &ecx, &edx) && eax >> 19 & 1;
#else
	return false;
#endif
}

size_t watch_events_open(const struct isst_context *context, struct watch_source *sources,
			 bool *thermal)
{
	size_t count = 0;

	if (isst_platform_emulated_name(context)) {
		*thermal = emulated_open(sources, context) == 0;
		return *thermal;
	}
	*thermal = has_feedback() && thermal_open(sources) == 0;
	count += *thermal;
	count += uevent_open(&sources[count]) == 0;
	return count;
}

void watch_events_close(struct watch_source *sources, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (sources[i].path)
			(void)unlink(sources[i].path);
		free(sources[i].path);
		close(sources[i].descriptor);
		sources[i] = (struct watch_source){ .descriptor = -1 };
	}
}

enum watch_hint watch_events_take(const struct watch_source *source)
{
	unsigned char datagram[LARGEST_DATAGRAM];
	enum watch_hint hint = WATCH_NO_HINT;

	/* Not for ever: events can come faster than they are taken. */
	for (int i = 0; i < MOST_DATAGRAMS; i++) {
		ssize_t size = receive(source->descriptor, datagram, MSG_DONTWAIT);
		enum watch_hint next;

		if (size == -EAGAIN)
			break;
		/* -ENOBUFS: messages were lost. */
		next = size < 0 ? source->lost : source->judge(source, datagram, (size_t)size);
		if (next > hint)
			hint = next;
		if (size < 0 && size != -ENOBUFS && size != -EMSGSIZE)
			break;
	}
	return hint;
}
