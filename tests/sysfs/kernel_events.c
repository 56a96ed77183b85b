/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the kernel, built as it builds them (linux/genetlink.h, linux/thermal.h,
 * lib/kobject_uevent.c), and sockets of this kernel. */
#include "support/check.h"

#include "isst-explain.h"
#include "isst.h"
#include "sysfs/kernel_events.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/thermal.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FAMILY = 0x1b, GROUP = 7, CONTROLLER = GENL_ID_CTRL };

/* ---- Building messages ---- */

struct message {
	_Alignas(struct nlmsghdr) unsigned char bytes[4096];
	size_t size;
};

static size_t begin_message(struct message *message, uint16_t type, uint8_t command)
{
	const struct nlmsghdr head = {
		.nlmsg_len = sizeof(struct nlmsghdr) + sizeof(struct genlmsghdr), .nlmsg_type = type
	};
	const struct genlmsghdr generic = { .cmd = command, .version = 1 };
	size_t at = message->size;

	memcpy(message->bytes + at, &head, sizeof(head));
	memcpy(message->bytes + at + sizeof(head), &generic, sizeof(generic));
	message->size += sizeof(struct nlmsghdr) + sizeof(struct genlmsghdr);
	return at;
}

static void end_message(struct message *message, size_t at)
{
	uint32_t length = (uint32_t)(message->size - at);

	memcpy(message->bytes + at, &length, sizeof(length));
}

static void add_attribute(struct message *message, uint16_t type, const void *content, size_t size)
{
	const struct nlattr head = { .nla_len = (uint16_t)(sizeof(struct nlattr) + size),
				     .nla_type = type };

	memcpy(message->bytes + message->size, &head, sizeof(head));
	memcpy(message->bytes + message->size + sizeof(head), content, size);
	message->size += (sizeof(head) + size + NLA_ALIGNTO - 1) / NLA_ALIGNTO * NLA_ALIGNTO;
}

static size_t begin_nest(struct message *message, uint16_t type)
{
	size_t at = message->size;

	add_attribute(message, type | NLA_F_NESTED, "", 0);
	return at;
}

static void end_nest(struct message *message, size_t at)
{
	uint16_t length = (uint16_t)(message->size - at);

	memcpy(message->bytes + at, &length, sizeof(length));
}

static void add_group(struct message *message, uint16_t index, const char *name, uint32_t number)
{
	size_t nest = begin_nest(message, index);

	add_attribute(message, CTRL_ATTR_MCAST_GRP_ID, &number, sizeof(number));
	add_attribute(message, CTRL_ATTR_MCAST_GRP_NAME, name, strlen(name) + 1);
	end_nest(message, nest);
}

/** What the controller answers for the family; @version: 2 has events 15 to 19 in the same group.
 */
static struct message family_answer(const char *group, uint32_t version)
{
	const uint16_t family = FAMILY;
	struct message message = { .size = 0 };
	size_t at = begin_message(&message, CONTROLLER, CTRL_CMD_NEWFAMILY), groups;

	add_attribute(&message, CTRL_ATTR_FAMILY_NAME, "thermal", 8);
	add_attribute(&message, CTRL_ATTR_FAMILY_ID, &family, sizeof(family));
	add_attribute(&message, CTRL_ATTR_VERSION, &version, sizeof(version));
	groups = begin_nest(&message, CTRL_ATTR_MCAST_GROUPS);
	add_group(&message, 1, "sampling", GROUP - 1);
	add_group(&message, 2, group, GROUP);
	end_nest(&message, groups);
	end_message(&message, at);
	return message;
}

/** The event of some CPUs, with their numbers and capabilities. */
static void add_event(struct message *message, uint8_t event, uint32_t first_cpu)
{
	size_t at = begin_message(message, FAMILY, event);
	size_t nest = begin_nest(message, THERMAL_GENL_ATTR_CPU_CAPABILITY);

	for (uint32_t i = 0; i < 16; i++) {
		const uint32_t cpu = first_cpu + i, capability = 512;

		add_attribute(message, THERMAL_GENL_ATTR_CPU_CAPABILITY_ID, &cpu, sizeof(cpu));
		add_attribute(message, THERMAL_GENL_ATTR_CPU_CAPABILITY_PERFORMANCE, &capability,
			      sizeof(capability));
		add_attribute(message, THERMAL_GENL_ATTR_CPU_CAPABILITY_EFFICIENCY, &capability,
			      sizeof(capability));
	}
	end_nest(message, nest);
	end_message(message, at);
}

static struct message event(uint8_t number, uint32_t first_cpu)
{
	struct message message = { .size = 0 };

	add_event(&message, number, first_cpu);
	return message;
}

/* ---- The family ---- */

TEST(the_group_of_events_is_found)
{
	for (uint32_t version = 1; version <= 2; version++) {
		struct message answer = family_answer("event", version);
		uint32_t group = 0;

		assert_int_equal(thermal_find_group(answer.bytes, answer.size, &group), 0);
		assert_int_equal(group, GROUP);
	}
}

TEST(a_family_without_it_has_none)
{
	struct message answer = family_answer("events", 1);
	uint32_t group;

	assert_int_equal(thermal_find_group(answer.bytes, answer.size, &group), -ENOENT);
}

TEST(an_error_of_the_kernel_is_passed_on)
{
	const struct {
		struct nlmsghdr head;
		int error;
	} answer = { { .nlmsg_len = sizeof(answer), .nlmsg_type = NLMSG_ERROR }, -ENOENT };
	uint32_t group;

	assert_int_equal(thermal_find_group(&answer, sizeof(answer), &group), -ENOENT);
}

/** Whatever is cut off or has another length is malformed, or lacks something. */
TEST(no_malformed_answer_is_believed)
{
	struct message whole = family_answer("event", 1);

	for (size_t size = 0; size < whole.size; size++) {
		/* Of its own size, so that reading behind it is seen. */
		unsigned char *copy = malloc(size + !size);
		uint32_t group;

		memcpy(copy, whole.bytes, size);
		assert_int_equal(thermal_find_group(copy, size, &group), -EBADMSG);
		free(copy);
	}
	for (size_t at = 0; at < whole.size; at++) {
		struct message changed = whole;
		uint32_t group = GROUP;

		for (int value = 0; value < 256; value++) {
			int error;

			changed.bytes[at] = (unsigned char)value;
			error = thermal_find_group(changed.bytes, changed.size, &group);
			assert_true(error == 0 || error == -EBADMSG || error == -ENOENT);
		}
	}
}

/* ---- Events ---- */

static int judge(const struct message *message)
{
	return thermal_judge(message->bytes, message->size);
}

TEST(a_change_of_capabilities_is_a_hint)
{
	struct message message = event(THERMAL_GENL_EVENT_CPU_CAPABILITY_CHANGE, 0);

	assert_int_equal(judge(&message), ISST_EVENT_CHANGE);
	/* Whatever the numbers of its CPUs are. */
	message = event(THERMAL_GENL_EVENT_CPU_CAPABILITY_CHANGE, 0xfffffff0);
	assert_int_equal(judge(&message), ISST_EVENT_CHANGE);
}

TEST(other_events_are_none)
{
	struct message message;

	for (uint8_t number = 1; number < 20; number++) {
		if (number == THERMAL_GENL_EVENT_CPU_CAPABILITY_CHANGE)
			continue;
		message = event(number, 0);
		assert_int_equal(judge(&message), 0);
	}
	message.size = 0;
	assert_int_equal(judge(&message), 0);
}

TEST(one_among_others_is_seen)
{
	struct message message = event(THERMAL_GENL_EVENT_TZ_TRIP_UP, 0);

	add_event(&message, THERMAL_GENL_EVENT_CDEV_STATE_UPDATE, 16);
	add_event(&message, THERMAL_GENL_EVENT_CPU_CAPABILITY_CHANGE, 32);
	assert_int_equal(judge(&message), ISST_EVENT_CHANGE);
}

TEST(what_cannot_be_read_is_a_hint)
{
	struct message message = event(THERMAL_GENL_EVENT_TZ_TRIP_UP, 0);

	for (size_t size = 1; size < message.size; size++) {
		unsigned char *copy = malloc(size);

		memcpy(copy, message.bytes, size);
		assert_int_equal(thermal_judge(copy, size), ISST_EVENT_CHANGE);
		free(copy);
	}
}

/* ---- Uevents ---- */

#define CPU_ONLINE \
	"online@/devices/system/cpu/cpu3\0ACTION=online\0DEVPATH=/devices/system/cpu/cpu3\0" \
	"SUBSYSTEM=cpu\0DRIVER=processor\0SEQNUM=4711"
#define MODULE \
	"add@/module/isst_if_common\0ACTION=add\0DEVPATH=/module/isst_if_common\0" \
	"SUBSYSTEM=module\0SEQNUM=4712"
#define OTHER \
	"change@/devices/pci0/block/sda\0ACTION=change\0DEVPATH=/devices/pci0/block/sda\0" \
	"SUBSYSTEM=block\0XSUBSYSTEM=cpu\0SUBSYSTEM=cpufreq\0SEQNUM=4713"

TEST(cpus_and_modules_make_everything_suspect)
{
	assert_int_equal(uevent_judge(CPU_ONLINE, sizeof(CPU_ONLINE)), ISST_EVENT_DEVICES);
	assert_int_equal(uevent_judge(MODULE, sizeof(MODULE)), ISST_EVENT_DEVICES);
	assert_int_equal(uevent_judge(OTHER, sizeof(OTHER)), 0);
	assert_int_equal(uevent_judge("", 0), 0);
}

TEST(no_uevent_is_read_behind_its_end)
{
	for (size_t size = 1; size < sizeof(CPU_ONLINE); size++) {
		autofree char *copy = malloc(size);

		memcpy(copy, CPU_ONLINE, size);
		assert_in_range(uevent_judge(copy, size), 0, ISST_EVENT_DEVICES);
	}
}

/* ---- Sockets ---- */

static void send_to(int end, const struct message *message)
{
	assert_int_equal(send(end, message->bytes, message->size, 0), (ssize_t)message->size);
}

TEST(everything_that_arrived_is_taken)
{
	struct message other = event(THERMAL_GENL_EVENT_TZ_TRIP_UP, 0);
	struct message change = event(THERMAL_GENL_EVENT_CPU_CAPABILITY_CHANGE, 0);
	static const char huge[20000];
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
	assert_int_equal(kernel_events_take(ends[0], MACHINE_THERMAL_EVENTS), 0);
	send_to(ends[1], &other);
	assert_int_equal(kernel_events_take(ends[0], MACHINE_THERMAL_EVENTS), 0);
	send_to(ends[1], &change);
	send_to(ends[1], &other);
	assert_int_equal(kernel_events_take(ends[0], MACHINE_THERMAL_EVENTS), ISST_EVENT_CHANGE);
	assert_int_equal(kernel_events_take(ends[0], MACHINE_THERMAL_EVENTS), 0);
	/* One that cannot be read as a whole, and what comes behind it. */
	assert_int_equal(send(ends[1], huge, sizeof(huge), 0), (ssize_t)sizeof(huge));
	send_to(ends[1], &other);
	assert_int_equal(kernel_events_take(ends[0], MACHINE_UEVENTS), ISST_EVENT_DEVICES);
	assert_int_equal(kernel_events_take(ends[0], MACHINE_UEVENTS), 0);
	close(ends[0]);
	close(ends[1]);
}

/** Whether this kernel, or what the test runs in, lacks something. */
static bool is_missing(int error)
{
	return error == -ENOENT || error == -EPERM || error == -EACCES || error == -EAFNOSUPPORT ||
	       error == -EPROTONOSUPPORT || error == -EADDRNOTAVAIL;
}

/** The kernel of this system, as far as it has the family: in other network namespaces than the
 * first one it has not. */
TEST(the_family_of_this_kernel_is_joined)
{
	int descriptor = kernel_events_open(MACHINE_THERMAL_EVENTS);

	if (is_missing(descriptor)) {
		print_message("no thermal events here: %s\n", strerror(-descriptor));
		skip();
	}
	assert_true(descriptor >= 0);
	(void)kernel_events_take(descriptor, MACHINE_THERMAL_EVENTS);
	close(descriptor);
}

/** The kernel sends a uevent for who writes to the file of that name. */
TEST(a_uevent_of_this_kernel_is_heard)
{
	int descriptor = kernel_events_open(MACHINE_UEVENTS);
	struct pollfd polled = { .fd = descriptor, .events = POLLIN };
	FILE *file;

	if (is_missing(descriptor)) {
		print_message("no uevents here: %s\n", strerror(-descriptor));
		skip();
	}
	assert_true(descriptor >= 0);
	file = fopen("/sys/devices/system/cpu/cpu0/uevent", "w");
	if (!file || fputs("change", file) < 0 || fclose(file) != 0) {
		print_message("no uevent can be made here: %s\n", strerror(errno));
		close(descriptor);
		skip();
	}
	/* In a network namespace of another user namespace none arrives. */
	if (poll(&polled, 1, 5000) == 0) {
		print_message("no uevent arrives here\n");
		close(descriptor);
		skip();
	}
	assert_int_equal(kernel_events_take(descriptor, MACHINE_UEVENTS), ISST_EVENT_DEVICES);
	close(descriptor);
}

/** Of other devices than CPUs, so that none that did arrive is an event. */
TEST(lost_uevents_are_an_event)
{
	int descriptor = kernel_events_open(MACHINE_UEVENTS), least = 1;
	FILE *file;

	if (is_missing(descriptor))
		skip();
	assert_true(descriptor >= 0);
	assert_int_equal(setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least)), 0);
	for (int i = 0; i < 200; i++) {
		file = fopen("/sys/class/net/lo/uevent", "w");
		if (!file || fputs("change", file) < 0 || fclose(file) != 0) {
			close(descriptor);
			skip();
		}
	}
	assert_int_equal(kernel_events_take(descriptor, MACHINE_UEVENTS), ISST_EVENT_DEVICES);
	close(descriptor);
}
