/* SPDX-License-Identifier: BSD-3-Clause */
/* Mailbox commands as the driver passes and the firmware answers them, written from the reference
 * and not from src/firmware, so that one misreading does not confirm itself. */
#include "emulator/capture/capture.h"
#include "emulator/firmware/firmware.h"

#include <errno.h>

/** One command on its way through the firmware. */
struct mailbox_call {
	struct server *server;
	size_t index; /* of the domain */
	const struct platform_domain *domain;
	struct domain_state *state;
	uint32_t parameter, data;
	uint32_t response;
};

/* ---- Levels and features ---- */

enum { TURBO_FREQ_ENABLED = 1 << 16, BASE_FREQ_ENABLED = 1 << 17 };

/** The features that a level supports, as the bits that enable them: those that it describes. */
static uint32_t supported_features(const struct platform_level *level)
{
	return (level->tf_cores.line ? TURBO_FREQ_ENABLED : 0u) |
	       (level->bf_cores.line ? BASE_FREQ_ENABLED : 0u);
}

static int run_features(struct mailbox_call *call)
{
	const struct platform_level *level = platform_level(call->domain,
							    get_bits(call->data, 7, 0));
	uint32_t supported;

	if (!level)
		return -ENXIO;
	supported = supported_features(level);
	call->response = supported >> 16;
	/* They are switched for the current level; other levels report off. */
	if (level->number == call->state->level)
		call->response |= supported & call->state->features;
	return 0;
}

static int run_set_features(struct mailbox_call *call)
{
	const struct platform_level *level = platform_level(call->domain, call->state->level);
	uint32_t wanted = call->data & (TURBO_FREQ_ENABLED | BASE_FREQ_ENABLED);

	if (!level || wanted & ~supported_features(level))
		return -ENXIO;
	call->state->features = wanted;
	return 0;
}

/** All that a level brings. */
static void enter_mailbox_level(struct server *server, size_t domain,
				const struct platform_level *level)
{
	struct domain_state *state = state_domain(server, domain);

	state->level = level->number;
	state->features = 0;
	state->turbo_ratio_limits = level_facts(server, domain).turbo_ratios;
	if (server->platform->uncore_follows_level.value)
		uncore_set_limits(server, domain);
	server->level_changed = true;
}

static int run_set_level(struct mailbox_call *call)
{
	const struct platform_level *level = platform_level(call->domain,
							    get_bits(call->data, 7, 0));

	if (!level || call->domain->locked.value || !call->domain->perf_profile.value)
		return -ENXIO;
	if (level->number != call->state->level)
		enter_mailbox_level(call->server, call->index, level);
	return 0;
}

void mailbox_change_level(struct server *server, size_t domain, unsigned int level)
{
	const struct platform_level *wanted = platform_level(&server->platform->domains[domain],
							     level);

	if (wanted && level != state_domain(server, domain)->level)
		enter_mailbox_level(server, domain, wanted);
}

/* ---- Core power and classes of service ---- */

/** No limits, the highest weight: what a CLOS becomes that is reset with core-power. */
enum { CLOS_AT_RESET = 0x00ff00f0 };

static int run_set_core_power(struct mailbox_call *call)
{
	bool goes_on = get_bits(call->data, 16, 16) && !call->state->core_power_enabled;

	if (!call->domain->core_power.value)
		return -ENXIO;
	for (unsigned int clos = 0; clos < CLOS_COUNT && goes_on; clos++)
		if (call->domain->clos_resets.cores >> clos & 1)
			call->state->clos[clos] = CLOS_AT_RESET;
	call->state->core_power_enabled = get_bits(call->data, 16, 16);
	return 0;
}

enum { WRITE_PARAMETER = 0x100 };

/** Reads a word of the state, or writes those of its bits that exist. */
static int access_word(struct mailbox_call *call, uint32_t *word, uint32_t existing)
{
	if (!call->domain->core_power.value)
		return -ENXIO;
	if (call->parameter & WRITE_PARAMETER)
		*word = call->data & existing;
	else
		call->response = *word;
	return 0;
}

/* ---- The driver in front of the firmware ---- */

static const struct {
	uint8_t command, first, last;
	unsigned int kernel; /* since */
} allowed[] = {
	{ 0x7f, 0x00, 0x0b, 0 }, { 0x7f, 0x0c, 0x0c, KERNEL(6, 12) },
	{ 0x7f, 0x10, 0x12, 0 }, { 0x7f, 0x20, 0x23, 0 },
	{ 0x94, 0x03, 0x03, 0 }, { 0x95, 0x03, 0x03, 0 },
	{ 0xd0, 0x00, 0x03, 0 },
};

/* What the kernel recognises as setting something, by the whole parameter: not what really does. */
static const struct {
	uint8_t command, first, last, parameter;
} privileged[] = {
	{ 0x7f, 0x02, 0x02, 0 },
	{ 0x7f, 0x08, 0x08, 0 },
	{ 0xd0, 0x00, 0x03, 0x08 },
	{ 0x95, 0x03, 0x03, 0x03 },
};

static bool is_privileged(const struct abi_mbox_cmd *command)
{
	for (size_t i = 0; i < sizeof(privileged) / sizeof(*privileged); i++)
		if (command->command == privileged[i].command &&
		    command->sub_command >= privileged[i].first &&
		    command->sub_command <= privileged[i].last &&
		    command->parameter == privileged[i].parameter)
			return true;
	return false;
}

bool mailbox_sets(const struct abi_mbox_cmd *command)
{
	switch (command->command) {
	case 0x7f:
		return command->sub_command == 0x02 || command->sub_command == 0x08;
	case 0x95:
		return true;
	case 0xd0:
		return command->parameter & WRITE_PARAMETER;
	}
	return false;
}

static int run_firmware(struct mailbox_call *call, uint32_t command)
{
	const struct platform_domain *domain = call->domain;
	struct domain_state *state = call->state;
	const uint32_t index = get_bits(call->parameter, 7, 0);
	/* Where there are MMIO registers, classes and associations are there. */
	const bool mmio = call->server->platform->mmio.value;

	for (unsigned int i = 0; i < domain->missing.count; i++)
		if (domain->missing.command[i] == command)
			return -ENXIO;
	switch (command) {
	case 0x7f00:
		call->response = domain->version.value |
				 domain->levels[domain->level_count - 1].number << 8 |
				 state->level << 16 | domain->locked.value << 24 |
				 domain->perf_profile.value << 31;
		return 0;
	case 0x7f01:
		return run_features(call);
	case 0x7f02:
		return run_set_features(call);
	case 0x7f08:
		return run_set_level(call);
	case 0x9403:
		call->response = domain->core_power.value | state->core_power_enabled << 16;
		return 0;
	case 0x9503:
		return run_set_core_power(call);
	case 0xd000:
		return mmio || !isst_cpuset_has(domain->cores.set, index)
			       ? -ENXIO
			       : access_word(call, &state->association[index], UINT32_C(3) << 16);
	case 0xd001:
		return mmio || index >= CLOS_COUNT
			       ? -ENXIO
			       : access_word(call, &state->clos[index], UINT32_MAX);
	case 0xd002:
		return access_word(call, &state->qos_config, UINT32_MAX);
	}
	return command >> 8 == 0x7f
		       ? mailbox_level_answer(domain, command & 0xff, call->data, &call->response)
		       : -ENXIO;
}

/** The answer of a captured machine to a command that reads. @response: what firmware of these
 * levels and settings would answer; the bits of it that changes move stay. Returns 0 or the
 * negative errno. */
static int captured_mailbox(const struct server *server, size_t domain, uint32_t command,
			    uint32_t parameter, uint32_t data, uint32_t *response)
{
	const struct captured_answer *answer = capture_domain_answer(
		server->platform->capture, ANSWER_MAILBOX, &server->platform->domains[domain],
		command, parameter, data);
	uint32_t moving = 0; /* bits that changes move */

	if (!answer)
		return -ENXIO;
	if (answer->error)
		return answer->error;
	if (command == 0x7f00)
		moving = UINT32_C(0x01ff) << 16; /* current level, lock */
	else if (command == 0x7f01)
		moving = captured_as_was(server, domain) ? 0 : UINT32_C(3) << 16;
	else if (command == 0x9403)
		moving = UINT32_C(1) << 16;
	else if (command == 0xd000 || command == 0xd001 || command == 0xd002)
		moving = UINT32_MAX;
	*response = ((uint32_t)answer->value & ~moving) | (*response & moving);
	return 0;
}

int mailbox_run(struct server *server, void *entry)
{
	struct abi_mbox_cmd *command = entry;
	const uint32_t code = MAILBOX_COMMAND(command->command, command->sub_command);
	const struct kept_set set = { .cpu = command->logical_cpu,
				      .command = code,
				      .parameter = command->parameter,
				      .mailbox = true,
				      .data = command->req_data };
	const struct platform *platform = server->platform;
	const bool pci = platform->mailbox.value == MAILBOX_PCI;
	const size_t count = sizeof(allowed) / sizeof(*allowed);
	const struct platform_cpu *cpu;
	struct mailbox_call call = { .server = server };
	size_t i = 0;
	int result;

	while (i < count &&
	       (command->command != allowed[i].command || command->sub_command < allowed[i].first ||
		command->sub_command > allowed[i].last ||
		platform->kernel.value < allowed[i].kernel))
		i++;
	if (command->logical_cpu >= platform->cpu_ids || i == count)
		return -EINVAL;
	if (is_privileged(command) && !server->may_administer(server))
		return -EPERM;
	/* A PCI device is found by a CPU that was online once; an MSR needs one that is. */
	cpu = pci ? pci_cpu(server, command->logical_cpu)
		  : platform_cpu(platform, command->logical_cpu);
	if (!cpu || !(pci || server->replaying || cpu_online(server, cpu)))
		return pci ? -EINVAL : -ENXIO;
	call.index = cpu->domain;
	call.domain = &platform->domains[cpu->domain];
	call.state = state_domain(server, cpu->domain);
	call.parameter = get_bits(command->parameter, 13, 0);
	call.data = command->req_data;
	result = run_firmware(&call, code);
	if (platform->capture && !mailbox_sets(command))
		result = captured_mailbox(server, cpu->domain, code, call.parameter, call.data,
					  &call.response);
	if (result)
		return result;
	command->resp_data = call.response;
	/* What the kernel recognises as setting something it keeps for the time after a suspend. */
	return is_privileged(command) ? state_keep(server, &set) : 0;
}
