/* SPDX-License-Identifier: BSD-3-Clause */
/* /dev/isst_interface as the driver answers it: opened, asked, closed, with the faults that rules
 * ask for. What requests do is the firmware's business. */
#include "common/descriptor.h"
#include "emulator/firmware/firmware.h"
#include "emulator/front/front.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Whether a rule puts something in the place of what was asked for, and what is returned then. */
static bool is_replaced(const struct fault_effect *effect, int *result)
{
	*result = effect->action == ACTION_ERROR    ? -(int)effect->value
		  : effect->action == ACTION_RETURN ? (int)effect->value
						    : 0;
	return effect->action == ACTION_ERROR || effect->action == ACTION_RETURN ||
	       effect->action == ACTION_IGNORED;
}

/* ---- Requests: structures, or batches of entries, with what fault rules know of them ---- */

enum { MOST_COMMANDS = 64 };

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

/** A number that fault rules know. */
struct field {
	enum fault_number number;
	unsigned char offset, size; /* no size: there is no further one */
};

#define PLACE(type, field) offsetof(struct type, field), sizeof(((struct type *)NULL)->field)
#define BATCH(batch, array, type, value) \
	.head = offsetof(struct batch, array), .size = sizeof(struct type), \
	.answer = offsetof(struct type, value), \
	.answer_size = sizeof(((struct type *)NULL)->value)
/* Sockets are numbered as packages are, from 0 on. */
#define OF_SOCKET(type) \
	{ \
		NUMBER_PACKAGE, PLACE(type, socket_id) \
	}
#define OF_DOMAIN(type) \
	OF_SOCKET(type), \
	{ \
		NUMBER_POWER_DOMAIN, PLACE(type, power_domain_id) \
	}
#define TPMI(type, ...) \
	FAULT_TPMI, .size = sizeof(struct type), .fields = { OF_DOMAIN(type), __VA_ARGS__ }
#define OF_LEVEL(type) TPMI(type, { NUMBER_DATA, PLACE(type, level) })

static const struct driver_request {
	unsigned long code;
	enum fault_place place;
	int (*run)(struct server *server, void *entry); /* NULL: by TPMI */
	size_t head, size; /* bytes: of a batch before its entries (0: none), of the structure */
	size_t answer, answer_size;
	bool sets; /* always */
	struct field fields[5];
} requests[] = {
	{ ABI_GET_PHY_ID, FAULT_PHY_ID, run_phy_id,
	  BATCH(abi_cpu_maps, cpu_map, abi_cpu_map, physical_cpu),
	  .fields = { { NUMBER_CPU, PLACE(abi_cpu_map, logical_cpu) } } },
	{ ABI_IO_COMMAND, FAULT_MMIO, mmio_run, BATCH(abi_io_regs, io_reg, abi_io_reg, value),
	  .fields = { { NUMBER_CPU, PLACE(abi_io_reg, logical_cpu) },
		      { NUMBER_WHICH, PLACE(abi_io_reg, reg) },
		      { NUMBER_DATA, PLACE(abi_io_reg, value) },
		      { NUMBER_SET, PLACE(abi_io_reg, read_write) } } },
	{ ABI_MAILBOX_COMMAND, FAULT_MAILBOX, mailbox_run,
	  BATCH(abi_mbox_cmds, mbox_cmd, abi_mbox_cmd, resp_data),
	  .fields = { { NUMBER_CPU, PLACE(abi_mbox_cmd, logical_cpu) },
		      { NUMBER_DATA, PLACE(abi_mbox_cmd, req_data) },
		      { NUMBER_PARAMETER, PLACE(abi_mbox_cmd, parameter) } } },
	{ ABI_MSR_COMMAND, FAULT_MSR, msr_run, BATCH(abi_msr_cmds, msr_cmd, abi_msr_cmd, data),
	  .fields = { { NUMBER_CPU, PLACE(abi_msr_cmd, logical_cpu) },
		      { NUMBER_WHICH, PLACE(abi_msr_cmd, msr) },
		      { NUMBER_DATA, PLACE(abi_msr_cmd, data) },
		      { NUMBER_SET, PLACE(abi_msr_cmd, read_write) } } },
	{ ABI_CLOS_ASSOC, FAULT_TPMI, .head = offsetof(struct abi_clos_assoc_cmds, assoc_info),
	  .size = sizeof(struct abi_clos_assoc),
	  .fields = { OF_DOMAIN(abi_clos_assoc),
		      { NUMBER_DATA, PLACE(abi_clos_assoc, logical_cpu) } } },
	{ ABI_COUNT_TPMI_INSTANCES, FAULT_TPMI, .size = sizeof(struct abi_tpmi_instance_count),
	  .fields = { OF_SOCKET(abi_tpmi_instance_count) } },
	{ ABI_PERF_LEVELS, TPMI(abi_perf_level_info, { 0 }) },
	{ ABI_CORE_POWER_STATE, TPMI(abi_core_power, { NUMBER_SET, PLACE(abi_core_power, get_set) },
				     { NUMBER_DATA, PLACE(abi_core_power, enable) }) },
	{ ABI_CLOS_PARAM, TPMI(abi_clos_param, { NUMBER_SET, PLACE(abi_clos_param, get_set) },
			       { NUMBER_DATA, PLACE(abi_clos_param, clos) }) },
	{ ABI_PERF_SET_LEVEL, OF_LEVEL(abi_perf_level_control), .sets = true },
	{ ABI_PERF_SET_FEATURE,
	  TPMI(abi_perf_feature_control, { NUMBER_DATA, PLACE(abi_perf_feature_control, feature) }),
	  .sets = true },
	{ ABI_GET_PERF_LEVEL_INFO, OF_LEVEL(abi_perf_level_data_info) },
	{ ABI_GET_PERF_LEVEL_CPU_MASK, OF_LEVEL(abi_perf_level_cpu_mask) },
	{ ABI_GET_BASE_FREQ_INFO, OF_LEVEL(abi_base_freq_info) },
	{ ABI_GET_BASE_FREQ_CPU_MASK, OF_LEVEL(abi_perf_level_cpu_mask) },
	{ ABI_GET_TURBO_FREQ_INFO, OF_LEVEL(abi_turbo_freq_info) },
	{ ABI_GET_PERF_LEVEL_FABRIC_INFO, OF_LEVEL(abi_perf_level_fabric_info) },
};

static const struct driver_request *find_request(unsigned long code)
{
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		if (requests[i].code == code)
			return &requests[i];
	return NULL;
}

/** Whether the driver of this machine has it. */
static bool is_registered(const struct server *server, const struct driver_request *request)
{
	const struct platform *platform = server->platform;

	if (!request->run)
		return tpmi_knows(server, request->code);
	if (request->code == ABI_IO_COMMAND)
		return platform->mmio.value != 0;
	return request->code != ABI_MAILBOX_COMMAND || platform->mailbox.value != MAILBOX_NONE;
}

/** The package and die of an event, by what else is known of its place. */
static void describe_place(const struct server *server, struct fault_event *event)
{
	const struct platform_domain *domains = server->platform->domains;
	const unsigned int socket = (unsigned int)event->number[NUMBER_PACKAGE];
	const struct platform_cpu *cpu;
	size_t index;

	if (event->known[NUMBER_CPU]) {
		cpu = platform_cpu(server->platform, (unsigned int)event->number[NUMBER_CPU]);
		if (!cpu)
			return;
		fault_event_set(event, NUMBER_PACKAGE, domains[cpu->domain].package);
		fault_event_set(event, NUMBER_DIE, domains[cpu->domain].die);
		return;
	}
	index = tpmi_find_socket(server, socket);
	event->known[NUMBER_PACKAGE] = index < server->platform->domain_count &&
				       domains[index].socket == socket;
	if (event->known[NUMBER_PACKAGE])
		event->number[NUMBER_PACKAGE] = domains[index].package;
	if (event->known[NUMBER_POWER_DOMAIN] &&
	    tpmi_find_slot(server, socket, (unsigned int)event->number[NUMBER_POWER_DOMAIN],
			   &index))
		fault_event_set(event, NUMBER_DIE, domains[index].die);
}

/** What a fault rule can know of a structure. @sets: by what is around it */
static struct fault_event describe_entry(const struct server *server,
					 const struct driver_request *request, const void *entry,
					 bool sets)
{
	struct fault_event event = { .place = request->place, .command = true };
	const struct abi_mbox_cmd *command = entry;

	fault_event_set(&event, NUMBER_SET, sets || request->sets);
	if (!request->run)
		fault_event_set(&event, NUMBER_WHICH, request->code);
	for (const struct field *field = request->fields; field->size; field++) {
		uint64_t value = 0;

		memcpy(low_bytes(&value, field->size), (const char *)entry + field->offset,
		       field->size);
		fault_event_set(&event, field->number,
				field->number == NUMBER_SET ? value != 0 : value);
	}
	if (request->code == ABI_MAILBOX_COMMAND) {
		fault_event_set(&event, NUMBER_WHICH,
				MAILBOX_COMMAND(command->command, command->sub_command));
		fault_event_set(&event, NUMBER_SET, mailbox_sets(command));
	}
	event.change = event.number[NUMBER_SET];
	describe_place(server, &event);
	return event;
}

/* ---- Batches: their entries, one after the other, as the driver runs them ---- */

/** Runs an entry, or what a fault rule puts in its place. Returns 1 where the batch ends before it,
 * with what the whole call returns then. */
static int run_entry(struct emulated *emulated, const struct driver_request *kind, void *entry,
		     bool last_of_several, bool *interrupted, int *returned)
{
	struct server *server = &emulated->server;
	struct fault_event event = describe_entry(server, kind, entry, false);
	struct fault_effect effect;
	int result;

	event.last_of_several = last_of_several;
	effect = faults_find(&emulated->faults, &event);
	if (effect.action == ACTION_SHORT)
		return 1;
	state_count(&server->head->statistics.commands, 1);
	if (effect.action == ACTION_RETURN) {
		*returned = (int)effect.value;
		return 1;
	}
	if (effect.action == ACTION_VALUE) {
		memcpy((char *)entry + kind->answer, low_bytes(&effect.value, kind->answer_size),
		       kind->answer_size);
		return 0;
	}
	if (is_replaced(&effect, &result))
		return result;
	result = kind->run(server, entry);
	/* Firmware accepts an entry, or does not, and puts off what it does. */
	if (effect.action == ACTION_DEFERRED) {
		state_discard(server);
		if (!result)
			result = deferred_add(server, kind->code, entry, kind->size, effect.value);
	}
	/* Each at once: what comes after it may end the process. */
	if (event.change && state_store(server))
		result = -EIO;
	else if (event.change && !result)
		state_count(&server->head->statistics.writes, 1);
	*interrupted = faults_finish(&effect);
	return result;
}

static int run_batch(struct emulated *emulated, const struct driver_request *kind, void *argument)
{
	bool interrupted = false;
	int returned = 0;
	uint32_t count;

	memcpy(&count, argument, sizeof(count));
	if (count == 0 || count > MOST_COMMANDS)
		return -EINVAL;
	for (uint32_t i = 0; i < count; i++) {
		void *entry = (char *)argument + kind->head + i * kind->size;
		int result = interrupted ? -EINTR
					 : run_entry(emulated, kind, entry, i > 0 && i == count - 1,
						     &interrupted, &returned);

		if (result && i > 0)
			return (int)i;
		if (result)
			return result < 0 ? result : returned;
	}
	return (int)count;
}

/* ---- TPMI requests, with errors as drivers mask them ---- */

/** Looks for a rule and counts. Returns whether the request is to be carried out, with the effect
 * of the rule on the firmware. */
static bool begin_request(struct emulated *emulated, const struct fault_event *event,
			  struct fault_effect *effect, struct tpmi_conduct *conduct, int *result)
{
	*effect = faults_find(&emulated->faults, event);
	state_count(&emulated->server.head->statistics.commands, 1);
	*conduct = (struct tpmi_conduct){ effect->action == ACTION_REFUSED    ? TPMI_REFUSES
					  : effect->action == ACTION_DEFERRED ? TPMI_DEFERS
									      : TPMI_ACTS,
					  effect->value };
	return !is_replaced(effect, result);
}

/** After a request was carried out. @store: now, before a rule's signal may end the process. */
static int end_request(struct server *server, const struct fault_event *event,
		       const struct fault_effect *effect, bool store, int result)
{
	if (event->change && store && state_store(server))
		result = -EIO;
	if (!result && event->change)
		state_count(&server->head->statistics.writes, 1);
	faults_finish(effect);
	return tpmi_masked(server, result);
}

/** All or an error, never a count; what comes before a failing entry has been done. Without rules,
 * which act between entries, it is stored once. */
static int run_associations(struct emulated *emulated, const struct driver_request *request,
			    struct abi_clos_assoc_cmds *batch)
{
	struct server *server = &emulated->server;
	const bool set = batch->get_set;
	int result = tpmi_associations_mistake(server, batch);

	if (result)
		return tpmi_masked(server, result);
	for (unsigned int i = 0; i < batch->cmd_count && !result; i++) {
		struct abi_clos_assoc *one = &batch->assoc_info[i];
		const struct fault_event event = describe_entry(server, request, one, set);
		struct tpmi_conduct conduct;
		struct fault_effect effect;

		if (begin_request(emulated, &event, &effect, &conduct, &result))
			result = end_request(server, &event, &effect, emulated->faults.count > 0,
					     tpmi_associate(server, one, set, &conduct));
	}
	if (set && state_store(server))
		result = -EIO;
	return result;
}

static int run_tpmi(struct emulated *emulated, const struct driver_request *request, void *argument)
{
	struct server *server = &emulated->server;
	struct fault_event event;
	struct tpmi_conduct conduct;
	struct fault_effect effect;
	int result;

	if (!argument)
		return tpmi_masked(server, -EFAULT);
	if (request->code == ABI_CLOS_ASSOC)
		return run_associations(emulated, request, argument);
	event = describe_entry(server, request, argument, false);
	if (!begin_request(emulated, &event, &effect, &conduct, &result))
		return result;
	result = tpmi_run(server, request->code, argument, &conduct);
	return end_request(server, &event, &effect, true, result);
}

/* ---- All requests ---- */

bool driver_layout(const struct server *server, unsigned long code, struct request_layout *layout)
{
	const struct driver_request *request = find_request(code);
	const bool tpmi = request && !request->run;

	*layout = (struct request_layout){ .head = sizeof(struct abi_platform_info),
					   .fault = -EFAULT };
	if (request)
		*layout = (struct request_layout){
			.head = request->head ? request->head : request->size,
			.entry = request->head ? request->size : 0,
			.count_bytes = tpmi ? sizeof(uint16_t) : sizeof(uint32_t),
			.most = tpmi ? TPMI_MOST_ASSOCIATIONS : MOST_COMMANDS,
			.all_or_error = tpmi,
			.fault = tpmi ? tpmi_masked(server, -EFAULT) : -EFAULT,
		};
	return request || code == ABI_GET_PLATFORM_INFO;
}

/** A call that is no batch is one command. */
static int run_other(struct emulated *emulated, unsigned long request, void *argument)
{
	const struct platform *platform = emulated->server.platform;
	struct fault_event event = { .place = FAULT_COMMAND, .command = true };
	struct fault_effect effect;
	int result;

	fault_event_set(&event, NUMBER_SET, 0);
	effect = faults_find(&emulated->faults, &event);
	state_count(&emulated->server.head->statistics.commands, 1);
	if (is_replaced(&effect, &result))
		return result;
	result = request == ABI_GET_PLATFORM_INFO ? -EFAULT : -ENOTTY;
	if (request == ABI_GET_PLATFORM_INFO && argument) {
		*(struct abi_platform_info *)argument = (struct abi_platform_info){
			.api_version = (uint16_t)platform->api_version.value,
			.driver_version = (uint16_t)platform->driver_version.value,
			.max_cmds_per_ioctl = (uint16_t)platform->max_commands.value,
			.mbox_supported = platform->mailbox.value != MAILBOX_NONE,
			.mmio_supported = platform->mmio.value != 0,
		};
		faults_platform_info(&emulated->faults, argument);
		result = 0;
	}
	faults_finish(&effect);
	return result;
}

static int run_request(struct emulated *emulated, unsigned long code, void *argument)
{
	const struct driver_request *request = find_request(code);
	struct fault_event event = { .place = FAULT_IOCTL };
	struct fault_effect effect;
	int result;

	fault_event_set(&event, NUMBER_WHICH, code);
	effect = faults_find(&emulated->faults, &event);
	if (is_replaced(&effect, &result))
		return result;
	if (!request || !is_registered(&emulated->server, request))
		result = request && request->run ? -ENOTTY /* no transport for it */
						 : run_other(emulated, code, argument);
	else if (request->run)
		result = argument ? run_batch(emulated, request, argument) : -EFAULT;
	else
		result = run_tpmi(emulated, request, argument);
	faults_finish(&effect);
	return result;
}

/* ---- The device ---- */

static size_t find_descriptor(const struct emulated *emulated, int descriptor)
{
	size_t i = 0;

	while (i < emulated->descriptor_count && emulated->descriptors[i] != descriptor)
		i++;
	return i;
}

static int device_open(void *data)
{
	const struct fault_event event = { .place = FAULT_OPEN };
	struct emulated *emulated = data;
	struct fault_effect effect;
	int result = call_begin(emulated);

	if (result)
		return result;
	state_count(&emulated->server.head->statistics.device_opens, 1);
	effect = faults_find(&emulated->faults, &event);
	if (!is_replaced(&effect, &result))
		result = emulated->server.platform->node.value ? 0 : -ENOENT;
	if (!result) {
		/* A real descriptor represents the device's, so that its number is unique. */
		int *descriptors = reallocarray(emulated->descriptors,
						emulated->descriptor_count + 1,
						sizeof(*descriptors));

		if (descriptors) {
			emulated->descriptors = descriptors;
			result = keep_off_streams(
				open("/dev/null", O_RDWR | O_NONBLOCK | O_CLOEXEC));
		}
		if (!descriptors || result < 0)
			result = descriptors ? -errno : -ENOMEM;
		else
			descriptors[emulated->descriptor_count++] = result;
	}
	faults_finish(&effect);
	call_end(emulated);
	return result;
}

static int device_ioctl(void *data, int descriptor, unsigned long request, void *argument)
{
	struct emulated *emulated = data;
	int result;

	if (find_descriptor(emulated, descriptor) == emulated->descriptor_count)
		return -EBADF;
	result = call_begin(emulated);
	if (result)
		return result;
	state_count(&emulated->server.head->statistics.driver_calls, 1);
	result = run_request(emulated, request, argument);
	call_end(emulated);
	return result;
}

static int device_close(void *data, int descriptor)
{
	struct emulated *emulated = data;
	size_t index = find_descriptor(emulated, descriptor);

	if (index == emulated->descriptor_count)
		return -EBADF;
	emulated->descriptors[index] = emulated->descriptors[--emulated->descriptor_count];
	close(descriptor);
	return 0;
}

void device_close_all(struct emulated *emulated)
{
	while (emulated->descriptor_count > 0)
		device_close(emulated, emulated->descriptors[0]);
	free(emulated->descriptors);
	emulated->descriptors = NULL;
}

const struct device_operations emulated_device = {
	.open = device_open,
	.ioctl = device_ioctl,
	.close = device_close,
};
