/* SPDX-License-Identifier: BSD-3-Clause */
/* Events that a level has changed, as the kernel's headers describe them. */
#include "emulator/emulated.h"

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/thermal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

enum { HEADS = sizeof(struct nlmsghdr) + GENL_HDRLEN + sizeof(struct nlattr) };

/** Listens in the runtime directory. */
static int listen_as(struct emulated *e, const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	mkdir(e->machine->runtime_directory, 0700);
	snprintf(address.sun_path, sizeof(address.sun_path), "%.80s/%s",
		 e->machine->runtime_directory, name);
	assert_true(listener >= 0);
	assert_int_equal(bind(listener, (const struct sockaddr *)&address, sizeof(address)), 0);
	return listener;
}

struct received {
	_Alignas(struct nlmsghdr) unsigned char bytes[4096];
	ssize_t size;
};

static struct received receive(int listener)
{
	struct received received = { .size = 0 };

	received.size = recv(listener, received.bytes, sizeof(received.bytes), MSG_DONTWAIT);
	return received;
}

/** Checks a message, and returns the numbers of its CPUs as a set of bits. */
static uint64_t check_message(const struct received *received)
{
	const unsigned char *at = received->bytes, *end = at + received->size;
	struct genlmsghdr command;
	struct nlmsghdr head;
	struct nlattr table;
	uint64_t cpus = 0;

	memcpy(&head, at, sizeof(head));
	memcpy(&command, at + sizeof(head), sizeof(command));
	at += sizeof(head) + GENL_HDRLEN;
	memcpy(&table, at, sizeof(table));
	at += sizeof(table);
	assert_int_equal(head.nlmsg_len, received->size);
	assert_int_equal(head.nlmsg_type, 0x1c);
	assert_int_equal(head.nlmsg_pid, 0);
	assert_int_equal(command.cmd, THERMAL_GENL_EVENT_CPU_CAPABILITY_CHANGE);
	assert_int_equal(command.version, 2);
	assert_int_equal(table.nla_type, THERMAL_GENL_ATTR_CPU_CAPABILITY | NLA_F_NESTED);
	assert_int_equal(table.nla_len, (size_t)(end - at) + sizeof(table));
	while (at < end) {
		static const uint16_t types[] = { THERMAL_GENL_ATTR_CPU_CAPABILITY_ID,
						  THERMAL_GENL_ATTR_CPU_CAPABILITY_PERFORMANCE,
						  THERMAL_GENL_ATTR_CPU_CAPABILITY_EFFICIENCY };

		for (size_t i = 0; i < 3; i++, at += 8) {
			struct {
				struct nlattr head;
				uint32_t number;
			} attribute;

			memcpy(&attribute, at, sizeof(attribute));
			assert_int_equal(attribute.head.nla_len, 8);
			assert_int_equal(attribute.head.nla_type, types[i]);
			if (i == 0)
				cpus |= UINT64_C(1) << attribute.number;
			else
				assert_in_range(attribute.number, 1, 1020);
		}
	}
	return cpus;
}

TEST_MACHINE(each_level_change_is_one_event, "tests/tiny")
{
	struct received received;
	int first, second;

	first = listen_as(e, "thermal-1");
	second = listen_as(e, "thermal-2");
	assert_int_equal(write_file(e, CPUS "/cpu3/online", "0"), 0);
	ask(e, 0x08, 0); /* the level that it has */
	assert_int_equal(receive(first).size, -1);
	ask(e, 0x08, 1);
	received = receive(first);
	assert_int_equal(check_message(&received), 0x7);
	received = receive(second);
	assert_int_equal(check_message(&received), 0x7);
	assert_int_equal(receive(first).size, -1);
	/* A listener who was killed is forgotten. */
	close(first);
	ask(e, 0x08, 0);
	received = receive(second);
	assert_int_equal(check_message(&received), 0x7);
	{
		char path[700];

		snprintf(path, sizeof(path), "%s/thermal-1", e->machine->runtime_directory);
		assert_int_equal(access(path, F_OK), -1);
	}
	close(second);
}

TEST_MACHINE(power_domains_have_events_also_by_a_rule, "tests/tpmi-tiny")
{
	struct abi_perf_level_control control = { .socket_id = 0,
						  .power_domain_id = 0,
						  .level = 1 };
	struct received received;
	int listener;

	listener = listen_as(e, "thermal-1");
	assert_int_equal(call(e, ABI_PERF_SET_LEVEL, &control), 0);
	received = receive(listener);
	assert_int_equal(check_message(&received), 0xffff);
	rules(e, "read " CPUS "/online times 1 then level 0\n");
	assert_int_equal(read_result(e, CPUS "/online"), 0);
	received = receive(listener);
	assert_int_equal(check_message(&received), 0xffff);
	close(listener);
}

TEST_MACHINE(large_machines_have_several_messages, "icelake-2s36c")
{
	size_t count = 0, bytes = 0;
	struct received received;
	int listener;

	listener = listen_as(e, "thermal-1");
	ask(e, 0x08, 1);
	while ((received = receive(listener)).size > 0) {
		count++;
		bytes += (size_t)received.size - HEADS;
	}
	/* 144 CPUs of three numbers, 64 in a message. */
	assert_int_equal(count, 3);
	assert_int_equal(bytes, 144 * 3 * 8);
	close(listener);
}
