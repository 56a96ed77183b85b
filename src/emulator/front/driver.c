/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * /dev/isst_interface as the driver answers it: requests, batches and their counts. What single
 * commands do is in mailbox.c, mmio.c and msr.c.
 */
#include "emulator/front/driver.h"
#include "emulator/front/faults.h"
#include "emulator/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_COMMANDS = 64 };

/* ---- Entries of batches ---- */

static int phy_id_run(struct server *server, struct abi_cpu_map *map)
{
	const struct platform *platform = server->platform;
	const struct platform_cpu *cpu;

	if (map->logical_cpu >= platform->cpu_ids ||
	    map->logical_cpu >= isst_cpuset_count(platform->possible.set))
		return -EINVAL;
	cpu = platform_cpu(platform, map->logical_cpu);
	map->physical_cpu = 0;
	if (cpu && state_cpu(server, (size_t)(cpu - platform->cpus))->seen)
		map->physical_cpu = platform->recording || platform_is_tpmi(platform)
					    ? cpu->punit
					    : cpu->core << 1 | cpu->thread; /* MSR 0x53 */
	return 0;
}

static int run_phy_id(struct server *server, void *entry)
{
	return phy_id_run(server, entry);
}

static int run_io(struct server *server, void *entry)
{
	return mmio_run(server, entry);
}

static int run_mailbox(struct server *server, void *entry)
{
	return mailbox_run(server, entry);
}

static int run_msr(struct server *server, void *entry)
{
	return msr_run(server, entry);
}

static void set_number(struct fault_event *event, enum fault_number number, uint64_t value)
{
	event->known[number] = true;
	event->number[number] = value;
}

static void describe_phy_id(const void *entry, struct fault_event *event)
{
	const struct abi_cpu_map *map = entry;

	set_number(event, NUMBER_CPU, map->logical_cpu);
	set_number(event, NUMBER_SET, 0);
}

static void describe_io(const void *entry, struct fault_event *event)
{
	const struct abi_io_reg *access = entry;

	set_number(event, NUMBER_CPU, access->logical_cpu);
	set_number(event, NUMBER_WHICH, access->reg);
	set_number(event, NUMBER_DATA, access->value);
	set_number(event, NUMBER_SET, access->read_write != 0);
}

static void describe_mailbox(const void *entry, struct fault_event *event)
{
	const struct abi_mbox_cmd *command = entry;

	set_number(event, NUMBER_CPU, command->logical_cpu);
	set_number(event, NUMBER_WHICH, (uint64_t)command->command << 8 | command->sub_command);
	set_number(event, NUMBER_DATA, command->req_data);
	set_number(event, NUMBER_PARAMETER, command->parameter);
	set_number(event, NUMBER_SET, mailbox_sets(command));
}

static void describe_msr(const void *entry, struct fault_event *event)
{
	const struct abi_msr_cmd *access = entry;

	set_number(event, NUMBER_CPU, access->logical_cpu);
	set_number(event, NUMBER_WHICH, access->msr);
	set_number(event, NUMBER_DATA, access->data);
	set_number(event, NUMBER_SET, access->read_write != 0);
}

static void answer_phy_id(void *entry, uint64_t value)
{
	((struct abi_cpu_map *)entry)->physical_cpu = (uint32_t)value;
}

static void answer_io(void *entry, uint64_t value)
{
	((struct abi_io_reg *)entry)->value = (uint32_t)value;
}

static void answer_mailbox(void *entry, uint64_t value)
{
	((struct abi_mbox_cmd *)entry)->resp_data = (uint32_t)value;
}

static void answer_msr(void *entry, uint64_t value)
{
	((struct abi_msr_cmd *)entry)->data = value;
}

/* ---- Batches ---- */

struct batch_kind {
	unsigned long request;
	size_t first, stride; /* bytes */
	enum fault_place place;
	bool (*registered)(const struct platform *platform);
	int (*run)(struct server *server, void *entry);
	void (*describe)(const void *entry, struct fault_event *event);
	void (*answer)(void *entry, uint64_t value);
};

static bool always(const struct platform *platform)
{
	(void)platform;
	return true;
}

static bool has_mmio(const struct platform *platform)
{
	return platform->mmio.value != 0;
}

static bool has_mailbox(const struct platform *platform)
{
	return platform->mailbox.value != MAILBOX_NONE;
}

static const struct batch_kind batch_kinds[] = {
	{ ABI_GET_PHY_ID, offsetof(struct abi_cpu_maps, cpu_map), sizeof(struct abi_cpu_map),
	  FAULT_PHY_ID, always, run_phy_id, describe_phy_id, answer_phy_id },
	{ ABI_IO_COMMAND, offsetof(struct abi_io_regs, io_reg), sizeof(struct abi_io_reg),
	  FAULT_MMIO, has_mmio, run_io, describe_io, answer_io },
	{ ABI_MAILBOX_COMMAND, offsetof(struct abi_mbox_cmds, mbox_cmd),
	  sizeof(struct abi_mbox_cmd), FAULT_MAILBOX, has_mailbox, run_mailbox, describe_mailbox,
	  answer_mailbox },
	{ ABI_MSR_COMMAND, offsetof(struct abi_msr_cmds, msr_cmd), sizeof(struct abi_msr_cmd),
	  FAULT_MSR, always, run_msr, describe_msr, answer_msr },
};

/** What a fault rule can know of an entry. */
static void describe(const struct server *server, const struct batch_kind *kind, const void *entry,
		     struct fault_event *event)
{
	const struct platform_cpu *cpu;

	event->place = kind->place;
	event->command = true;
	kind->describe(entry, event);
	event->change = event->number[NUMBER_SET];
	cpu = platform_cpu(server->platform, (unsigned int)event->number[NUMBER_CPU]);
	if (cpu) {
		const struct platform_domain *domain = &server->platform->domains[cpu->domain];

		set_number(event, NUMBER_PACKAGE, domain->package);
		set_number(event, NUMBER_DIE, domain->die);
	}
}

/** Firmware accepts an entry, or does not, and puts off what it does. */
static int accept_deferred(struct server *server, const struct batch_kind *kind, void *entry,
			   unsigned int cpu_number, uint64_t delay_ms)
{
	const struct platform_cpu *cpu = platform_cpu(server->platform, cpu_number);
	struct domain_state *state = cpu ? state_domain(server, cpu->domain) : NULL;
	struct domain_state before;
	int result;

	if (state)
		before = *state;
	server->trial = true;
	result = kind->run(server, entry);
	server->trial = false;
	if (state)
		*state = before;
	return result ? result : deferred_add(server, kind->request, entry, kind->stride, delay_ms);
}

static int carry_out(struct server *server, const struct batch_kind *kind, void *entry,
		     const struct fault_event *event, const struct fault_effect *effect)
{
	int result = effect->action == ACTION_DEFERRED
			     ? accept_deferred(server, kind, entry,
					       (unsigned int)event->number[NUMBER_CPU],
					       effect->value)
			     : kind->run(server, entry);

	if (!result && event->change)
		state_count(&server->state->statistics.writes, 1);
	return result;
}

/** A batch on its way. */
struct batch {
	const struct batch_kind *kind;
	bool interrupted;
	int returned; /* what the whole call returns, where a rule says so */
};

/** Runs an entry, or what a fault rule puts in its place. Returns 1 where the batch ends before it.
 */
static int run_entry(struct server *server, struct batch *batch, void *entry, bool last_of_several)
{
	struct fault_event event = { .last_of_several = last_of_several };
	struct fault_effect effect;
	int result;

	describe(server, batch->kind, entry, &event);
	effect = faults_find(server, &event);
	if (effect.action == ACTION_SHORT)
		return 1;
	state_count(&server->state->statistics.commands, 1);
	switch (effect.action) {
	case ACTION_ERROR:
		return -(int)effect.value;
	case ACTION_RETURN:
		batch->returned = (int)effect.value;
		return 1;
	case ACTION_VALUE:
		batch->kind->answer(entry, effect.value);
		return 0;
	case ACTION_IGNORED:
		return 0;
	default:
		result = carry_out(server, batch->kind, entry, &event, &effect);
		batch->interrupted = faults_finish(&effect);
		return result;
	}
}

static int run_batch(struct server *server, const struct batch_kind *kind, void *argument)
{
	struct batch batch = { .kind = kind };
	uint32_t count;

	memcpy(&count, argument, sizeof(count));
	if (count == 0 || count > MOST_COMMANDS)
		return -EINVAL;
	for (uint32_t i = 0; i < count; i++) {
		void *entry = (char *)argument + kind->first + i * kind->stride;
		int result = batch.interrupted
				     ? -EINTR
				     : run_entry(server, &batch, entry, i > 0 && i == count - 1);

		if (result && i > 0)
			return (int)i;
		if (result)
			return result < 0 ? result : batch.returned;
	}
	return (int)count;
}

static const struct batch_kind *find_kind(unsigned long request)
{
	for (size_t i = 0; i < sizeof(batch_kinds) / sizeof(*batch_kinds); i++)
		if (batch_kinds[i].request == request)
			return &batch_kinds[i];
	return NULL;
}

void driver_run_deferred(struct server *server, unsigned long request, void *entry)
{
	const struct batch_kind *kind = find_kind(request);

	server->replaying = true;
	if (kind)
		kind->run(server, entry);
	else if (tpmi_knows(server, request))
		tpmi_run_deferred(server, request, entry);
	server->replaying = false;
}

static int platform_info(struct server *server, struct abi_platform_info *info)
{
	const struct platform *platform = server->platform;

	*info = (struct abi_platform_info){
		.api_version = (uint16_t)platform->api_version.value,
		.driver_version = (uint16_t)platform->driver_version.value,
		.max_cmds_per_ioctl = (uint16_t)platform->max_commands.value,
		.mbox_supported = has_mailbox(platform),
		.mmio_supported = has_mmio(platform),
	};
	faults_platform_info(server, info);
	return 0;
}

/** A call that is no batch is one command. */
static int run_other(struct server *server, unsigned long request, void *argument)
{
	struct fault_event event = { .place = FAULT_COMMAND, .command = true };
	struct fault_effect effect;
	int result = -ENOTTY;

	set_number(&event, NUMBER_SET, 0);
	effect = faults_find(server, &event);
	state_count(&server->state->statistics.commands, 1);
	if (effect.action == ACTION_ERROR)
		return -(int)effect.value;
	if (effect.action == ACTION_RETURN)
		return (int)effect.value;
	if (effect.action == ACTION_IGNORED)
		return 0;
	if (request == ABI_GET_PLATFORM_INFO)
		result = argument ? platform_info(server, argument) : -EFAULT;
	faults_finish(&effect);
	return result;
}

static int run_request(struct server *server, unsigned long request, void *argument)
{
	const struct batch_kind *kind = find_kind(request);

	if (tpmi_knows(server, request))
		return tpmi_request(server, request, argument);
	if (!kind)
		return run_other(server, request, argument);
	if (!kind->registered(server->platform))
		return -ENOTTY;
	return argument ? run_batch(server, kind, argument) : -EFAULT;
}

static int dispatch(struct server *server, unsigned long request, void *argument)
{
	struct fault_event event = { .place = FAULT_IOCTL };
	struct fault_effect effect;
	int result;

	set_number(&event, NUMBER_WHICH, request);
	effect = faults_find(server, &event);
	if (effect.action == ACTION_ERROR)
		return -(int)effect.value;
	if (effect.action == ACTION_RETURN)
		return (int)effect.value;
	result = run_request(server, request, argument);
	faults_finish(&effect);
	return result;
}

/* ---- What the transports share ---- */

const struct platform_cpu *pci_cpu(const struct server *server, unsigned int number)
{
	const struct platform_cpu *cpu = platform_cpu(server->platform, number);

	/* The driver keeps the bus numbers that it read when the CPU was last online. */
	if (!cpu || !state_cpu(server, (size_t)(cpu - server->platform->cpus))->seen)
		return NULL;
	return cpu;
}

void domain_changing(struct server *server, size_t domain, unsigned int level)
{
	if (server->trial)
		return;
	/* In this order: a level without its domain would be that of whichever is marked next. */
	__atomic_store_n(&server->state->unfinished_domain, (uint32_t)domain + 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&server->state->unfinished_level, level + 1, __ATOMIC_SEQ_CST);
}

int domain_changed(struct server *server, size_t domain)
{
	int result;

	if (server->trial)
		return 0;
	__atomic_store_n(&server->state->unfinished_level, 0, __ATOMIC_SEQ_CST);
	result = tree_write_domain(server, domain);
	if (result)
		return result == -ENOMEM ? result : -EIO;
	server->state->unfinished_domain = 0;
	return 0;
}

void domain_complete(struct server *server, size_t domain, unsigned int level)
{
	if (platform_is_tpmi(server->platform))
		firmware_complete_level(server, domain, level);
	else
		mailbox_enter_level(server, domain, level);
	__atomic_store_n(&server->state->unfinished_level, 0, __ATOMIC_SEQ_CST);
}

/* ---- The device ---- */

static size_t find_descriptor(const struct server *server, int descriptor)
{
	size_t i = 0;

	while (i < server->descriptor_count && server->descriptors[i] != descriptor)
		i++;
	return i;
}

/** A real descriptor stands for the device's, so that its number is nobody else's. */
static int add_descriptor(struct server *server)
{
	int *descriptors = reallocarray(server->descriptors, server->descriptor_count + 1,
					sizeof(*descriptors));
	int descriptor;

	if (!descriptors)
		return -ENOMEM;
	server->descriptors = descriptors;
	descriptor = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (descriptor < 0)
		return -errno;
	descriptors[server->descriptor_count++] = descriptor;
	return descriptor;
}

/** Takes the lock and the rules of the moment. */
static int begin_call(struct server *server)
{
	int result = state_lock(server);

	if (result)
		return result;
	result = faults_load(server, NULL);
	if (!result)
		return 0;
	state_unlock(server);
	return is_shortage(result) ? result : -EIO;
}

static int device_open(void *data)
{
	const struct fault_event event = { .place = FAULT_OPEN };
	struct server *server = data;
	struct fault_effect effect;
	int result = begin_call(server);

	if (result)
		return result;
	state_count(&server->state->statistics.device_opens, 1);
	effect = faults_find(server, &event);
	if (effect.action == ACTION_ERROR)
		result = -(int)effect.value;
	else if (!server->platform->node.value)
		result = -ENOENT;
	else
		result = add_descriptor(server);
	faults_finish(&effect);
	state_unlock(server);
	return result;
}

static int device_ioctl(void *data, int descriptor, unsigned long request, void *argument)
{
	struct server *server = data;
	int result;

	if (find_descriptor(server, descriptor) == server->descriptor_count)
		return -EBADF;
	result = begin_call(server);
	if (result)
		return result;
	state_count(&server->state->statistics.driver_calls, 1);
	result = dispatch(server, request, argument);
	state_unlock(server);
	return result;
}

static int device_close(void *data, int descriptor)
{
	struct server *server = data;
	size_t index = find_descriptor(server, descriptor);

	if (index == server->descriptor_count)
		return -EBADF;
	server->descriptors[index] = server->descriptors[--server->descriptor_count];
	close(descriptor);
	return 0;
}

void device_close_all(struct server *server)
{
	while (server->descriptor_count > 0)
		device_close(server, server->descriptors[0]);
	free(server->descriptors);
	server->descriptors = NULL;
}

const struct device_operations emulated_device = {
	.open = device_open,
	.ioctl = device_ioctl,
	.close = device_close,
};
