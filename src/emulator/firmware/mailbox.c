/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mailbox commands as the driver passes and the firmware answers them, written from the reference
 * intentionally not from src/firmware, so that one misreading does not confirm itself.
 */
#include "emulator/firmware/firmware.h"

#include <errno.h>

/** One command on its way through the firmware. */
struct call {
	struct server *server;
	size_t index; /* of the domain */
	const struct platform_domain *domain;
	struct domain_state *state;
	uint32_t parameter, data;
	uint32_t response;
};

static uint32_t get_bits(uint32_t word, unsigned int high, unsigned int low)
{
	return (uint32_t)(word >> low & ((UINT64_C(1) << (high - low + 1)) - 1));
}

enum unit { PLAIN, RATIO };

/** Bits of an answer and the value of the level that they report. */
struct field {
	unsigned char high, low;
	enum unit unit;
	size_t value; /* offset of a struct number_value in the level */
};

enum need { NEED_LEVEL, NEED_BASE_FREQ, NEED_TURBO_FREQ };

struct command {
	uint8_t command, sub;
	int (*run)(struct call *call, const struct command *command);
	enum need need;
	struct field fields[5];
	size_t value;	       /* of masks and buckets: offset in the level */
	unsigned char half[2]; /* bits of the request: which half */
	enum unit unit;	       /* of buckets */
	bool types;	       /* there are buckets for each TRL type */
};

/** The level that the request names, where it exists and has what the command is about. */
static const struct platform_level *requested_level(const struct call *call, enum need need)
{
	const struct platform_level *level = platform_level(call->domain,
							    get_bits(call->data, 7, 0));

	if (!level || (need == NEED_BASE_FREQ && !level->bf_cores.line) ||
	    (need == NEED_TURBO_FREQ && !level->tf_cores.line))
		return NULL;
	return level;
}

/* ---- Answers that a level gives ---- */

static int run_fields(struct call *call, const struct command *command)
{
	const struct platform_level *level = requested_level(call, command->need);
	bool defined = false;

	/* 0x0c answers for the uncore where bit 16 asks for it; what else there is, is not known.
	 */
	if (!level || (command->sub == 0x0c && !get_bits(call->data, 16, 16)))
		return -ENXIO;
	for (const struct field *field = command->fields; field->high; field++) {
		const struct number_value *value = (const void *)((const char *)level +
								  field->value);
		uint32_t number = field->unit == RATIO ? value->value / 100 : value->value;

		defined |= value->line != 0;
		call->response |= get_bits(number, field->high - field->low, 0) << field->low;
	}
	return defined ? 0 : -ENXIO;
}

static int run_mask(struct call *call, const struct command *command)
{
	const struct platform_level *level = requested_level(call, command->need);
	uint32_t half = get_bits(call->data, command->half[0], command->half[1]);
	const struct mask_value *mask;

	if (!level || half > 1 || (half == 1 && !call->domain->second_half.value))
		return -ENXIO;
	mask = (const void *)((const char *)level + command->value);
	call->response = (uint32_t)(mask->cores >> (32 * half));
	return 0;
}

static int run_buckets(struct call *call, const struct command *command)
{
	const struct platform_level *level = requested_level(call, command->need);
	uint32_t half = get_bits(call->data, command->half[0], command->half[1]);
	uint32_t type = command->types ? get_bits(call->data, 23, 16) : 0;
	const struct list_value *list;

	if (!level || type >= TRL_TYPES)
		return -ENXIO;
	list = (const struct list_value *)(const void *)((const char *)level + command->value);
	for (unsigned int i = 0; i < 4; i++) {
		uint32_t value = list[type].value[4 * half + i];

		call->response |= (command->unit == RATIO ? value / 100 : value) << (8 * i);
	}
	return 0;
}

/* ---- Levels and features ---- */

enum { TURBO_FREQ_ENABLED = 1 << 16, BASE_FREQ_ENABLED = 1 << 17 };

static int run_summary(struct call *call, const struct command *command)
{
	const struct platform_domain *domain = call->domain;
	unsigned int highest = domain->levels[domain->level_count - 1].number;

	(void)command;
	call->response = domain->version.value | highest << 8 | call->state->level << 16 |
			 domain->locked.value << 24 | domain->perf_profile.value << 31;
	return 0;
}

/** The features that a level supports, as the bits that enable them. */
static uint32_t supported_features(const struct platform_level *level)
{
	return (level->tf_cores.line ? TURBO_FREQ_ENABLED : 0u) |
	       (level->bf_cores.line ? BASE_FREQ_ENABLED : 0u);
}

static int run_features(struct call *call, const struct command *command)
{
	const struct platform_level *level = requested_level(call, command->need);
	uint32_t supported;

	if (!level)
		return -ENXIO;
	supported = supported_features(level);
	call->response = supported >> 16;
	/* They are switched for the current level; another one reports its own state, which is off.
	 */
	if (level->number == call->state->level)
		call->response |= supported & call->state->features;
	return 0;
}

static int run_set_features(struct call *call, const struct command *command)
{
	const struct platform_level *level = platform_level(call->domain, call->state->level);
	uint32_t wanted = call->data & (TURBO_FREQ_ENABLED | BASE_FREQ_ENABLED);

	(void)command;
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
	uncore_follow_level(server, domain);
	server->level_changed = true;
}

static int run_set_level(struct call *call, const struct command *command)
{
	const struct platform_level *level = requested_level(call, command->need);

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

static int run_core_power(struct call *call, const struct command *command)
{
	(void)command;
	call->response = call->domain->core_power.value | call->state->core_power_enabled << 16;
	return 0;
}

/** No limits, the highest weight: what a CLOS becomes that is reset with core-power. */
enum { CLOS_AT_RESET = 0x00ff00f0 };

static int run_set_core_power(struct call *call, const struct command *command)
{
	bool goes_on = get_bits(call->data, 16, 16) && !call->state->core_power_enabled;

	(void)command;
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
static int access_word(struct call *call, uint32_t *word, uint32_t existing)
{
	if (!call->domain->core_power.value)
		return -ENXIO;
	if (call->parameter & WRITE_PARAMETER)
		*word = call->data & existing;
	else
		call->response = *word;
	return 0;
}

static int run_qos(struct call *call, const struct command *command)
{
	(void)command;
	return access_word(call, &call->state->qos_config, UINT32_MAX);
}

/* Where there are MMIO registers, classes and associations are there and not in the mailbox. */
static int run_clos(struct call *call, const struct command *command)
{
	uint32_t clos = get_bits(call->parameter, 7, 0);

	(void)command;
	if (call->server->platform->mmio.value || clos >= CLOS_COUNT)
		return -ENXIO;
	return access_word(call, &call->state->clos[clos], UINT32_MAX);
}

static int run_association(struct call *call, const struct command *command)
{
	uint32_t core = get_bits(call->parameter, 7, 0);

	(void)command;
	if (call->server->platform->mmio.value || !isst_cpuset_has(call->domain->cores.set, core))
		return -ENXIO;
	return access_word(call, &call->state->association[core], UINT32_C(3) << 16);
}

/* ---- All commands ---- */

#define VALUE(field) offsetof(struct platform_level, field)

static const struct command commands[] = {
	{ 0x7f, 0x00, .run = run_summary },
	{ 0x7f, 0x01, .run = run_features },
	{ 0x7f, 0x02, .run = run_set_features },
	{ 0x7f, 0x03, run_fields,
	  .fields = { { 14, 0, PLAIN, VALUE(power_w) }, { 23, 16, PLAIN, VALUE(tdp_ratio) } } },
	{ 0x7f, 0x04, run_fields,
	  .fields = { { 14, 0, PLAIN, VALUE(power_max_w) },
		      { 30, 16, PLAIN, VALUE(power_min_w) } } },
	{ 0x7f, 0x05, run_fields, .fields = { { 7, 0, PLAIN, VALUE(tjunction_c) } } },
	{ 0x7f, 0x06, run_mask, .value = VALUE(cores), .half = { 15, 8 } },
	{ 0x7f, 0x07, run_buckets, .value = VALUE(limits), .half = { 8, 8 }, .unit = RATIO,
	  .types = true },
	{ 0x7f, 0x08, .run = run_set_level },
	{ 0x7f, 0x09, run_fields,
	  .fields = { { 7, 0, RATIO, VALUE(uncore_max) }, { 15, 8, RATIO, VALUE(uncore_base) } } },
	{ 0x7f, 0x0a, run_fields,
	  .fields = { { 7, 0, RATIO, VALUE(base[BASE_SSE]) },
		      { 15, 8, RATIO, VALUE(base[BASE_AVX2]) },
		      { 23, 16, RATIO, VALUE(base[BASE_AVX512]) },
		      { 31, 24, RATIO, VALUE(base[BASE_AMX]) } } },
	{ 0x7f, 0x0b, run_fields, .fields = { { 7, 0, PLAIN, VALUE(memory_code) } } },
	{ 0x7f, 0x0c, run_fields,
	  .fields = { { 7, 0, RATIO, VALUE(uncore_max) },
		      { 15, 8, RATIO, VALUE(uncore_base) },
		      { 31, 24, RATIO, VALUE(uncore_min) } } },
	{ 0x7f, 0x10, run_buckets, NEED_TURBO_FREQ, .value = VALUE(tf_cores), .half = { 8, 8 } },
	{ 0x7f, 0x11, run_buckets, NEED_TURBO_FREQ, .value = VALUE(tf_limits), .half = { 8, 8 },
	  .unit = RATIO, .types = true },
	{ 0x7f, 0x12, run_fields, NEED_TURBO_FREQ,
	  .fields = { { 7, 0, RATIO, VALUE(tf_clip[0]) },
		      { 15, 8, RATIO, VALUE(tf_clip[1]) },
		      { 23, 16, RATIO, VALUE(tf_clip[2]) },
		      { 31, 24, RATIO, VALUE(tf_clip[3]) } } },
	{ 0x7f, 0x20, run_mask, NEED_BASE_FREQ, .value = VALUE(bf_cores), .half = { 8, 8 } },
	{ 0x7f, 0x21, run_fields, NEED_BASE_FREQ,
	  .fields = { { 7, 0, RATIO, VALUE(bf_low) }, { 15, 8, RATIO, VALUE(bf_high) } } },
	{ 0x7f, 0x22, run_fields, NEED_BASE_FREQ,
	  .fields = { { 7, 0, PLAIN, VALUE(bf_tjunction_c) },
		      { 15, 8, PLAIN, VALUE(bf_tcontrol_c) } } },
	{ 0x7f, 0x23, run_fields, NEED_BASE_FREQ,
	  .fields = { { 15, 0, PLAIN, VALUE(bf_power_w) } } },
	{ 0x94, 0x03, .run = run_core_power },
	{ 0x95, 0x03, .run = run_set_core_power },
	{ 0xd0, 0x00, .run = run_association },
	{ 0xd0, 0x01, .run = run_clos },
	{ 0xd0, 0x02, .run = run_qos },
};

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

static int find_mailbox_cpu(const struct server *server, uint32_t number,
			    const struct platform_cpu **cpu)
{
	if (server->platform->mailbox.value == MAILBOX_PCI) {
		*cpu = pci_cpu(server, number);
		return *cpu ? 0 : -EINVAL;
	}
	*cpu = platform_cpu(server->platform, number);
	return *cpu && (server->replaying || cpu_online(server, *cpu)) ? 0 : -ENXIO;
}

static int run_firmware(struct call *call, uint16_t command, uint16_t sub)
{
	for (unsigned int i = 0; i < call->domain->missing.count; i++)
		if (call->domain->missing.command[i] == (command << 8 | sub))
			return -ENXIO;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (commands[i].command == command && commands[i].sub == sub)
			return commands[i].run(call, &commands[i]);
	return -ENXIO;
}

int mailbox_run(struct server *server, struct abi_mbox_cmd *command)
{
	const struct kept_set set = { .cpu = command->logical_cpu,
				      .command = MAILBOX_COMMAND(command->command,
								 command->sub_command),
				      .parameter = command->parameter,
				      .mailbox = true,
				      .data = command->req_data };
	const struct platform *platform = server->platform;
	const size_t count = sizeof(allowed) / sizeof(*allowed);
	const struct platform_cpu *cpu;
	struct call call = { .server = server };
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
	result = find_mailbox_cpu(server, command->logical_cpu, &cpu);
	if (result)
		return result;
	call.index = cpu->domain;
	call.domain = &platform->domains[cpu->domain];
	call.state = state_domain(server, cpu->domain);
	call.parameter = get_bits(command->parameter, 13, 0);
	call.data = command->req_data;
	result = run_firmware(&call, command->command, command->sub_command);
	if (platform->capture && !mailbox_sets(command))
		result = captured_mailbox(server, cpu->domain,
					  (uint32_t)command->command << 8 | command->sub_command,
					  call.parameter, call.data, &call.response);
	if (result)
		return result;
	command->resp_data = call.response;
	/* What the kernel recognises as setting something it keeps for the time after a suspend. */
	return is_privileged(command) ? state_keep(server, &set) : 0;
}
