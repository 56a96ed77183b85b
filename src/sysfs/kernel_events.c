/* SPDX-License-Identifier: BSD-3-Clause */
/* Netlink, as far as events need it. */
#include "sysfs/kernel_events.h"
#include "isst-explain.h"
#include "isst.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* linux/thermal.h; headers of older kernels lack the event. */
#define FAMILY_NAME "thermal"
#define EVENT_GROUP "event"
enum { EVENT_CPU_CAPABILITY_CHANGE = 14 };

/* Larger than any datagram: the kernel sends at most 64 CPUs in one, and uevents of 2 KiB. */
enum { LARGEST_DATAGRAM = 16384, ANSWER_MS = 1000, UEVENTS_OF_KERNEL = 1, MOST_DATAGRAMS = 1000 };

/** The rest of a list of messages or attributes. */
struct parts {
	const unsigned char *at;
	size_t size;
};

/** Splits the next message or attribute off a list. All but the last are aligned to 4 bytes.
 * Returns 1, 0 at the end, or -EBADMSG. */
static int next_part(struct parts *list, bool is_message, unsigned int *type, struct parts *content)
{
	struct nlmsghdr message = { 0 };
	struct nlattr attribute = { 0 };
	size_t head = is_message ? sizeof(message) : sizeof(attribute), length, whole;

	if (list->size < head)
		return list->size ? -EBADMSG : 0;
	memcpy(is_message ? (void *)&message : &attribute, list->at, head);
	length = is_message ? message.nlmsg_len : attribute.nla_len;
	*type = is_message ? message.nlmsg_type : attribute.nla_type & (unsigned int)NLA_TYPE_MASK;
	if (length < head || length > list->size)
		return -EBADMSG;
	*content = (struct parts){ list->at + head, length - head };
	whole = (length + NLA_ALIGNTO - 1) / NLA_ALIGNTO * NLA_ALIGNTO;
	whole = whole < list->size ? whole : list->size;
	list->at += whole;
	list->size -= whole;
	return 1;
}

/** Finds the event group among a family's groups. Returns 1, 0 or -EBADMSG. */
static int find_group(struct parts groups, uint32_t *number)
{
	struct parts group, content;
	unsigned int type;
	int more;

	while ((more = next_part(&groups, false, &type, &group)) > 0) {
		bool named = false, numbered = false;

		while ((more = next_part(&group, false, &type, &content)) > 0) {
			if (type == CTRL_ATTR_MCAST_GRP_NAME)
				named = content.size == sizeof(EVENT_GROUP) &&
					memcmp(content.at, EVENT_GROUP, content.size) == 0;
			if (type == CTRL_ATTR_MCAST_GRP_ID)
				numbered = content.size == sizeof(*number);
			if (type == CTRL_ATTR_MCAST_GRP_ID && numbered)
				memcpy(number, content.at, sizeof(*number));
		}
		if (more || (named && numbered))
			return more ? more : 1;
	}
	return more;
}

int thermal_find_group(const void *message, size_t size, uint32_t *group)
{
	struct parts datagram = { message, size }, content, list;
	int more = 0, found = 0, error;
	unsigned int type;

	if (next_part(&datagram, true, &type, &content) <= 0)
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
	while (found >= 0 && (more = next_part(&list, false, &type, &content)) > 0)
		if (type == CTRL_ATTR_MCAST_GROUPS && !found)
			found = find_group(content, group);
	if (found < 0 || more < 0)
		return -EBADMSG;
	return found ? 0 : -ENOENT;
}

/** The socket is a member of the event group only. */
int thermal_judge(const void *datagram, size_t size)
{
	struct parts messages = { datagram, size }, content;
	struct genlmsghdr event;
	unsigned int type;
	int more;

	while ((more = next_part(&messages, true, &type, &content)) > 0) {
		if (type == NLMSG_ERROR || type == NLMSG_OVERRUN)
			return ISST_EVENT_CHANGE;
		if (type < NLMSG_MIN_TYPE)
			continue;
		if (content.size < sizeof(event))
			return ISST_EVENT_CHANGE;
		memcpy(&event, content.at, sizeof(event));
		if (event.cmd == EVENT_CPU_CAPABILITY_CHANGE)
			return ISST_EVENT_CHANGE;
	}
	return more < 0 ? ISST_EVENT_CHANGE : 0;
}

int uevent_judge(const void *datagram, size_t size)
{
	/* ACTION@PATH, and variables, each with a NUL behind it. */
	static const char CPU[] = "\0SUBSYSTEM=cpu", MODULE[] = "\0SUBSYSTEM=module";

	return memmem(datagram, size, CPU, sizeof(CPU)) ||
			       memmem(datagram, size, MODULE, sizeof(MODULE))
		       ? ISST_EVENT_DEVICES
		       : 0;
}

/** Asks the kernel to describe the family. */
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

/** Receives a datagram. Returns its size, 0 if another process sent it, or a negative errno. */
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

static int join_group(int descriptor)
{
	const struct timeval limit = { .tv_sec = ANSWER_MS / 1000 };
	unsigned char answer[LARGEST_DATAGRAM];
	uint32_t group = 0;
	ssize_t size;
	int error;

	if (setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) != 0)
		return -errno;
	error = send_question(descriptor);
	if (error)
		return error;
	size = receive(descriptor, answer, 0);
	if (size < 0)
		return (int)size;
	error = thermal_find_group(answer, (size_t)size, &group);
	if (error)
		return error;
	if (setsockopt(descriptor, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) != 0)
		return -errno;
	return 0;
}

int kernel_events_open(enum machine_events events)
{
	const struct sockaddr_nl group = { .nl_family = AF_NETLINK,
					   .nl_groups = UEVENTS_OF_KERNEL };
	int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC,
				events == MACHINE_UEVENTS ? NETLINK_KOBJECT_UEVENT
							  : NETLINK_GENERIC);
	int error;

	if (descriptor < 0)
		return -errno;
	if (events != MACHINE_UEVENTS)
		error = join_group(descriptor);
	else
		error = bind(descriptor, (const struct sockaddr *)&group, sizeof(group)) ? -errno
											 : 0;
	if (!error)
		return descriptor;
	close(descriptor);
	return error;
}

int kernel_events_take(int descriptor, enum machine_events events)
{
	unsigned char datagram[LARGEST_DATAGRAM];
	int taken = 0;

	/* Events may arrive faster than they are taken. */
	for (int i = 0; i < MOST_DATAGRAMS; i++) {
		ssize_t size = receive(descriptor, datagram, MSG_DONTWAIT);

		if (size == -EAGAIN)
			break;
		/* -ENOBUFS: messages were lost. */
		if (size < 0)
			taken |= events == MACHINE_UEVENTS ? ISST_EVENT_DEVICES : ISST_EVENT_CHANGE;
		else if (events == MACHINE_UEVENTS)
			taken |= uevent_judge(datagram, (size_t)size);
		else
			taken |= thermal_judge(datagram, (size_t)size);
		if (size < 0 && size != -ENOBUFS && size != -EMSGSIZE)
			break;
	}
	return taken;
}
