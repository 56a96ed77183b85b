/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches of requests: their entries, one after the other, as the driver runs them, with the faults
 * that rules ask for. What single entries do is the firmware's business.
 */
#include "emulator/firmware/firmware.h"
#include "emulator/front/front.h"
#include "emulator/front/launch_files.h"

#include <errno.h>
#include <string.h>

enum { MOST_COMMANDS = 64 };

/* ---- Entries of batches ---- */

static int run_phy_id(struct server *server, void *entry)
{
	const struct platform *platform = server->platform;
	const struct platform_cpu *cpu;
	struct abi_cpu_map *map = entry;

	if (map->logical_cpu >= platform->cpu_ids ||
	    map->logical_cpu >= isst_cpuset_count(platform->possible.set))
		return -EINVAL;
	cpu = platform_cpu(platform, map->logical_cpu);
	map->physical_cpu = 0;
	if (cpu && state_cpu(server, cpu)->seen)
		map->physical_cpu = platform->capture || platform_is_tpmi(platform)
					    ? cpu->punit
					    : cpu->core << 1 | cpu->thread; /* MSR 0x53 */
	return 0;
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

static void describe_phy_id(const void *entry, struct fault_event *event)
{
	const struct abi_cpu_map *map = entry;

	fault_event_set(event, NUMBER_CPU, map->logical_cpu);
	fault_event_set(event, NUMBER_SET, 0);
}

static void describe_io(const void *entry, struct fault_event *event)
{
	const struct abi_io_reg *access = entry;

	fault_event_set(event, NUMBER_CPU, access->logical_cpu);
	fault_event_set(event, NUMBER_WHICH, access->reg);
	fault_event_set(event, NUMBER_DATA, access->value);
	fault_event_set(event, NUMBER_SET, access->read_write != 0);
}

static void describe_mailbox(const void *entry, struct fault_event *event)
{
	const struct abi_mbox_cmd *command = entry;

	fault_event_set(event, NUMBER_CPU, command->logical_cpu);
	fault_event_set(event, NUMBER_WHICH,
			(uint64_t)command->command << 8 | command->sub_command);
	fault_event_set(event, NUMBER_DATA, command->req_data);
	fault_event_set(event, NUMBER_PARAMETER, command->parameter);
	fault_event_set(event, NUMBER_SET, mailbox_sets(command));
}

static void describe_msr(const void *entry, struct fault_event *event)
{
	const struct abi_msr_cmd *access = entry;

	fault_event_set(event, NUMBER_CPU, access->logical_cpu);
	fault_event_set(event, NUMBER_WHICH, access->msr);
	fault_event_set(event, NUMBER_DATA, access->data);
	fault_event_set(event, NUMBER_SET, access->read_write != 0);
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
	int (*run)(struct server *server, void *entry);
	void (*describe)(const void *entry, struct fault_event *event);
	void (*answer)(void *entry, uint64_t value);
};

static const struct batch_kind batch_kinds[] = {
	{ ABI_GET_PHY_ID, offsetof(struct abi_cpu_maps, cpu_map), sizeof(struct abi_cpu_map),
	  FAULT_PHY_ID, run_phy_id, describe_phy_id, answer_phy_id },
	{ ABI_IO_COMMAND, offsetof(struct abi_io_regs, io_reg), sizeof(struct abi_io_reg),
	  FAULT_MMIO, run_io, describe_io, answer_io },
	{ ABI_MAILBOX_COMMAND, offsetof(struct abi_mbox_cmds, mbox_cmd),
	  sizeof(struct abi_mbox_cmd), FAULT_MAILBOX, run_mailbox, describe_mailbox,
	  answer_mailbox },
	{ ABI_MSR_COMMAND, offsetof(struct abi_msr_cmds, msr_cmd), sizeof(struct abi_msr_cmd),
	  FAULT_MSR, run_msr, describe_msr, answer_msr },
};

static int carry_out(struct server *server, const struct batch_kind *kind, void *entry,
		     const struct fault_event *event, const struct fault_effect *effect)
{
	int result = kind->run(server, entry);

	/* Firmware accepts an entry, or does not, and puts off what it does. */
	if (effect->action == ACTION_DEFERRED) {
		state_discard(server);
		if (!result)
			result = deferred_add(server, kind->request, entry, kind->stride,
					      effect->value);
	}
	if (!event->change)
		return result;
	/* Each at once: what comes after it may end the process. */
	if (state_store(server))
		return -EIO;
	if (!result)
		state_count(&server->head->statistics.writes, 1);
	return result;
}

/** A batch on its way. */
struct batch {
	const struct batch_kind *kind;
	bool interrupted;
	int returned; /* what the whole call returns, if a rule sets it */
};

/** Runs an entry, or what a fault rule puts in its place. Returns 1 where the batch ends before it.
 */
static int run_entry(struct emulated *emulated, struct batch *batch, void *entry,
		     bool last_of_several)
{
	struct server *server = &emulated->server;
	struct fault_event event = {
		.place = batch->kind->place,
		.command = true,
		.last_of_several = last_of_several,
	};
	const struct platform_cpu *cpu;
	struct fault_effect effect;
	int result;

	/* What a fault rule can know of it. */
	batch->kind->describe(entry, &event);
	event.change = event.number[NUMBER_SET];
	cpu = platform_cpu(server->platform, (unsigned int)event.number[NUMBER_CPU]);
	if (cpu) {
		const struct platform_domain *domain = &server->platform->domains[cpu->domain];

		fault_event_set(&event, NUMBER_PACKAGE, domain->package);
		fault_event_set(&event, NUMBER_DIE, domain->die);
	}
	effect = faults_find(&emulated->faults, &event);
	if (effect.action == ACTION_SHORT)
		return 1;
	state_count(&server->head->statistics.commands, 1);
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

static const struct batch_kind *find_kind(unsigned long request)
{
	for (size_t i = 0; i < sizeof(batch_kinds) / sizeof(*batch_kinds); i++)
		if (batch_kinds[i].request == request)
			return &batch_kinds[i];
	return NULL;
}

bool batch_layout(unsigned long request, struct request_layout *layout)
{
	const struct batch_kind *kind = find_kind(request);

	if (kind)
		*layout = (struct request_layout){
			.head = kind->first,
			.entry = kind->stride,
			.count_bytes = sizeof(uint32_t),
			.most = MOST_COMMANDS,
			.fault = -EFAULT,
		};
	return kind;
}

bool batch_registered(const struct platform *platform, unsigned long request)
{
	if (request == ABI_IO_COMMAND)
		return platform->mmio.value != 0;
	if (request == ABI_MAILBOX_COMMAND)
		return platform->mailbox.value != MAILBOX_NONE;
	return find_kind(request);
}

int batch_run(struct emulated *emulated, unsigned long request, void *argument)
{
	const struct batch_kind *kind = find_kind(request);
	struct batch batch = { .kind = kind };
	uint32_t count;

	memcpy(&count, argument, sizeof(count));
	if (count == 0 || count > MOST_COMMANDS)
		return -EINVAL;
	for (uint32_t i = 0; i < count; i++) {
		void *entry = (char *)argument + kind->first + i * kind->stride;
		int result = batch.interrupted
				     ? -EINTR
				     : run_entry(emulated, &batch, entry, i > 0 && i == count - 1);

		if (result && i > 0)
			return (int)i;
		if (result)
			return result < 0 ? result : batch.returned;
	}
	return (int)count;
}
