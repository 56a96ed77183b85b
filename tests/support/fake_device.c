/* SPDX-License-Identifier: BSD-3-Clause */
/* The scripted device at work. */
#include "support/fake_device.h"
#include "support/check.h"

enum { DESCRIPTOR = 7, SECOND_DESCRIPTOR };

/** How a batch lies in memory: offsets within an entry, in bytes. */
static const struct layout {
	unsigned long request;
	size_t header, stride, cpu, answer, answer_size;
} LAYOUTS[] = {
	{ FAKE_PHY_ID, 4, 8, 0, 4, 4 },
	{ FAKE_IO, 4, 16, 4, 12, 4 },
	{ FAKE_MAILBOX, 4, 24, 0, 12, 4 },
	{ FAKE_MSR, 8, 24, 4, 16, 8 },
};

/**
 * The structures of TPMI: where the domain stands, what else is told with a
 * request, and whether it reads or writes.
 */
static const struct structure {
	unsigned long request;
	bool write; /* otherwise what @get_set says, or always a read */
	bool get_set;
	size_t size, socket, input, read_input, write_input; /* bytes at @input */
} STRUCTURES[] = {
	{ FAKE_INSTANCES, false, false, 4, 0, 1, 0, 0 },
	{ FAKE_CORE_POWER, false, true, 6, 1, 3, 0, 3 },
	{ FAKE_CLOS, false, true, 10, 1, 3, 1, 6 },
	{ FAKE_LEVELS, false, false, 11, 0, 2, 0, 0 },
	{ FAKE_SET_LEVEL, true, false, 3, 0, 2, 0, 1 },
	{ FAKE_SET_FEATURE, true, false, 3, 0, 2, 0, 1 },
	{ FAKE_LEVEL_INFO, false, false, 154, 0, 2, 2, 0 },
	{ FAKE_LEVEL_MASK, false, false, 24, 0, 2, 2, 0 },
	{ FAKE_BASE_FREQ_INFO, false, false, 12, 0, 2, 2, 0 },
	{ FAKE_BASE_FREQ_MASK, false, false, 24, 0, 2, 2, 0 },
	{ FAKE_TURBO_FREQ_INFO, false, false, 134, 0, 2, 2, 0 },
	{ FAKE_FABRIC_INFO, false, false, 54, 0, 2, 2, 0 },
};

/* Byte 4 of CORE_POWER_STATE, whether it is supported, is told and not asked. */
enum { CORE_POWER_SUPPORTED = 4 };

static uint32_t word(const unsigned char *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static uint32_t half_word(const unsigned char *bytes)
{
	uint16_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static struct fake_entry read_entry(const struct layout *layout, const unsigned char *bytes)
{
	struct fake_entry entry = { .request = layout->request, .cpu = word(bytes + layout->cpu) };

	switch (layout->request) {
	case FAKE_MAILBOX:
		entry.address = half_word(bytes + 16) << 8 | half_word(bytes + 18);
		entry.parameter = word(bytes + 4);
		entry.data = word(bytes + 8);
		assert_int_equal(word(bytes + 20), 0);
		break;
	case FAKE_IO:
		entry.address = word(bytes + 8);
		entry.parameter = word(bytes);
		entry.data = entry.parameter ? word(bytes + 12) : 0;
		break;
	case FAKE_MSR:
		entry.address = word(bytes + 8);
		assert_int_equal(word(bytes + 12), 0);
		entry.parameter = word(bytes);
		if (entry.parameter)
			memcpy(&entry.data, bytes + 16, sizeof(entry.data));
		break;
	default:
		break;
	}
	return entry;
}

static bool fits(const struct fake_entry *pattern, const struct fake_entry *entry)
{
	return pattern->request == entry->request &&
	       (pattern->cpu == FAKE_ANY_CPU || pattern->cpu == entry->cpu) &&
	       pattern->address == entry->address && pattern->parameter == entry->parameter &&
	       pattern->data == entry->data;
}

/** The rule for an entry; NULL where there is none, which may fail the test. */
static const struct fake_rule *find_rule(struct fake_device *device, const struct fake_entry *entry)
{
	for (size_t i = device->rule_count; i-- > 0;) {
		struct fake_rule *rule = &device->rules[i];

		if (!fits(&rule->entry, entry) || (rule->times && rule->used == rule->times))
			continue;
		rule->used++;
		return rule;
	}
	if (!device->unexpected_error)
		fail_msg(
			"request 0x%lx for CPU %u: nobody expected 0x%x, parameter 0x%x, data 0x%llx",
			entry->request, entry->cpu, entry->address, entry->parameter,
			(unsigned long long)entry->data);
	return NULL;
}

/** Looks an entry up; its answer, or a negative errno as the result. */
static int serve(struct fake_device *device, const struct fake_entry *entry, uint64_t *answer)
{
	const struct fake_rule *rule = find_rule(device, entry);

	if (!rule)
		return device->unexpected_error;
	*answer = rule->answer;
	return rule->error;
}

static void *grown(void *array, size_t count, size_t size)
{
	/* Doubled whenever the count is a power of two. */
	if (count & (count - 1))
		return array;
	array = reallocarray(array, count ? 2 * count : 1, size);
	assert_non_null(array);
	return array;
}

static void record_entry(struct fake_device *device, const struct fake_entry *entry)
{
	device->entries = grown(device->entries, device->entry_count, sizeof(*entry));
	device->entries[device->entry_count++] = *entry;
}

static struct fake_call *record_call(struct fake_device *device, unsigned long request,
				     int descriptor, size_t count)
{
	device->calls = grown(device->calls, device->call_count, sizeof(*device->calls));
	device->calls[device->call_count] = (struct fake_call){
		.request = request,
		.descriptor = descriptor,
		.first = device->entry_count,
		.count = count,
	};
	return &device->calls[device->call_count++];
}

static int answer_batch(struct fake_device *device, const struct layout *layout,
			unsigned char *bytes, size_t count, int scripted)
{
	if (scripted != FAKE_SERVE && (scripted <= 0 || scripted > (int)count))
		return scripted;
	for (size_t i = 0; i < count; i++) {
		unsigned char *place = bytes + layout->header + i * layout->stride;
		struct fake_entry entry = read_entry(layout, place);
		uint64_t answer = 0;
		int error;

		if (scripted != FAKE_SERVE && (int)i == scripted)
			return scripted;
		error = serve(device, &entry, &answer);
		if (error)
			return i ? (int)i : error;
		memcpy(place + layout->answer, &answer, layout->answer_size);
	}
	return (int)count;
}

static int scripted_answer(struct fake_device *device)
{
	return device->script_at < device->script_count ? device->script[device->script_at++]
							: FAKE_SERVE;
}

static int batch(struct fake_device *device, const struct layout *layout, int descriptor,
		 unsigned char *bytes)
{
	uint32_t count = word(bytes);
	struct fake_call *call;
	int scripted;

	call = record_call(device, layout->request, descriptor, count);
	if (count < 1 || count > device->max_commands)
		return call->answer = -EINVAL;
	for (uint32_t i = 0; i < count; i++) {
		struct fake_entry entry = read_entry(layout,
						     bytes + layout->header + i * layout->stride);

		record_entry(device, &entry);
	}
	scripted = scripted_answer(device);
	return call->answer = answer_batch(device, layout, bytes, count, scripted);
}

/**
 * What a TPMI request tells. All else has to be 0: the driver takes the whole structure in.
 */
static struct fake_entry read_structure(const struct structure *structure,
					const unsigned char *bytes)
{
	bool write = structure->write || (structure->get_set && bytes[0]);
	size_t count = write ? structure->write_input : structure->read_input;
	struct fake_entry entry = { .request = structure->request, .parameter = write };
	unsigned char input[sizeof(entry.data)] = { 0 };

	assert_in_range(structure->get_set ? bytes[0] : 0, 0, 1);
	entry.address = FAKE_DOMAIN(bytes[structure->socket], 0);
	if (structure->request != FAKE_INSTANCES)
		entry.address |= bytes[structure->socket + 1];
	memcpy(input, bytes + structure->input, count);
	if (structure->request == FAKE_CORE_POWER && write)
		input[CORE_POWER_SUPPORTED - structure->input] = 0;
	memcpy(&entry.data, input, sizeof(input));
	for (size_t i = structure->input + count; i < structure->size; i++)
		if (bytes[i])
			fail_msg("request 0x%lx: byte %zu is not 0", structure->request, i);
	return entry;
}

/** Writes the answer behind what was told. */
static int answer_structure(struct fake_device *device, const struct structure *structure,
			    const struct fake_entry *entry, unsigned char *bytes)
{
	const struct fake_rule *rule = find_rule(device, entry);
	size_t from = structure->input + structure->read_input;

	if (!rule)
		return device->unexpected_error;
	if (!rule->error && !entry->parameter)
		memcpy(bytes + from, rule->structure + from, structure->size - from);
	return rule->error;
}

static int tpmi(struct fake_device *device, const struct structure *structure, int descriptor,
		unsigned char *bytes)
{
	struct fake_call *call = record_call(device, structure->request, descriptor, 1);
	struct fake_entry entry = read_structure(structure, bytes);
	int scripted = scripted_answer(device);

	record_entry(device, &entry);
	return call->answer = scripted == FAKE_SERVE
				      ? answer_structure(device, structure, &entry, bytes)
				      : scripted;
}

/** One association of a batch: 6 bytes each, behind a header of 6. */
static struct fake_entry read_association(const unsigned char *bytes, size_t i)
{
	const unsigned char *place = bytes + 6 + 6 * i;

	return (struct fake_entry){ .request = FAKE_ASSOCIATION,
				    .cpu = half_word(place + 2),
				    .address = FAKE_DOMAIN(place[0], place[1]),
				    .parameter = half_word(bytes + 2),
				    .data = half_word(place + 4) };
}

static int answer_associations(struct fake_device *device, unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct fake_entry entry = read_association(bytes, i);
		uint64_t answer = 0;
		int error = serve(device, &entry, &answer);

		if (error)
			return error;
		if (!entry.parameter)
			memcpy(bytes + 6 + 6 * i + 4, &answer, 2);
	}
	return 0;
}

/** This batch is answered 0 or with an error, never with a count. */
static int associations(struct fake_device *device, int descriptor, unsigned char *bytes)
{
	size_t count = half_word(bytes);
	struct fake_call *call = record_call(device, FAKE_ASSOCIATION, descriptor, count);
	int scripted;

	assert_in_range(half_word(bytes + 2), 0, 1);
	assert_int_equal(half_word(bytes + 4), 1); /* punit_cpu_map */
	if (count < 1 || count > device->max_commands)
		return call->answer = -EINVAL;
	for (size_t i = 0; i < count; i++) {
		struct fake_entry entry = read_association(bytes, i);

		record_entry(device, &entry);
	}
	scripted = scripted_answer(device);
	return call->answer = scripted == FAKE_SERVE ? answer_associations(device, bytes, count)
						     : scripted;
}

int fake_device_open(struct fake_device *device)
{
	device->opens++;
	if (device->open_error)
		return device->open_error;
	if (device->is_open && device->may_be_tried && !device->is_tried) {
		device->is_tried = true;
		return SECOND_DESCRIPTOR;
	}
	if (device->is_open)
		fail_msg("the device is opened twice");
	device->is_open = true;
	return DESCRIPTOR;
}

int fake_device_ioctl(struct fake_device *device, int descriptor, unsigned long request,
		      void *argument)
{
	unsigned char *bytes = argument;

	if (!device->is_open || descriptor != DESCRIPTOR)
		fail_msg("request 0x%lx on descriptor %d, which is not open", request, descriptor);
	if (request == FAKE_PLATFORM_INFO) {
		record_call(device, request, descriptor, 1)->answer = device->info_answer;
		memcpy(bytes, &device->api_version, 2);
		memcpy(bytes + 2, &device->driver_version, 2);
		memcpy(bytes + 4, &device->max_commands, 2);
		bytes[6] = device->mailbox;
		bytes[7] = device->mmio;
		return device->info_answer;
	}
	for (size_t i = 0; i < COUNT(LAYOUTS); i++)
		if (LAYOUTS[i].request == request)
			return batch(device, &LAYOUTS[i], descriptor, bytes);
	if (device->api_version < 2)
		fail_msg("request 0x%lx is not of API version 1", request);
	if (request == FAKE_ASSOCIATION)
		return associations(device, descriptor, bytes);
	for (size_t i = 0; i < COUNT(STRUCTURES); i++)
		if (STRUCTURES[i].request == request)
			return tpmi(device, &STRUCTURES[i], descriptor, bytes);
	fail_msg("request 0x%lx does not exist", request);
	return -ENOTTY;
}

int fake_device_close(struct fake_device *device, int descriptor)
{
	device->closes++;
	if (device->is_tried && descriptor == SECOND_DESCRIPTOR) {
		device->is_tried = false;
		return device->close_error;
	}
	if (!device->is_open || descriptor != DESCRIPTOR)
		fail_msg("descriptor %d is closed, which is not open", descriptor);
	device->is_open = false;
	return device->close_error;
}

void fake_device_init(struct fake_device *device)
{
	*device = (struct fake_device){
		.api_version = 1, .driver_version = 1, .max_commands = 64, .mailbox = 1, .mmio = 1
	};
}

void fake_device_clear(struct fake_device *device)
{
	free(device->rules);
	free(device->calls);
	free(device->entries);
}

void fake_rule(struct fake_device *device, const struct fake_rule *rule)
{
	device->rules = grown(device->rules, device->rule_count, sizeof(*rule));
	device->rules[device->rule_count++] = *rule;
}

static void simple_rule(struct fake_device *device, const struct fake_entry *entry, uint64_t answer,
			int error)
{
	fake_rule(device, &(struct fake_rule){ .entry = *entry, .answer = answer, .error = error });
}

void fake_mailbox(struct fake_device *device, uint32_t address, uint32_t parameter, uint32_t data,
		  uint32_t answer)
{
	simple_rule(device,
		    &(struct fake_entry){ FAKE_MAILBOX, FAKE_ANY_CPU, address, parameter, data },
		    answer, 0);
}

void fake_mailbox_error(struct fake_device *device, uint32_t address, uint32_t parameter,
			uint32_t data, int error)
{
	simple_rule(device,
		    &(struct fake_entry){ FAKE_MAILBOX, FAKE_ANY_CPU, address, parameter, data }, 0,
		    error);
}

void fake_io(struct fake_device *device, uint32_t address, uint32_t answer)
{
	simple_rule(device, &(struct fake_entry){ FAKE_IO, FAKE_ANY_CPU, address, 0, 0 }, answer,
		    0);
}

void fake_io_error(struct fake_device *device, uint32_t address, int error)
{
	simple_rule(device, &(struct fake_entry){ FAKE_IO, FAKE_ANY_CPU, address, 0, 0 }, 0, error);
}

void fake_msr(struct fake_device *device, uint32_t address, uint64_t answer)
{
	simple_rule(device, &(struct fake_entry){ FAKE_MSR, FAKE_ANY_CPU, address, 0, 0 }, answer,
		    0);
}

void fake_msr_error(struct fake_device *device, uint32_t address, int error)
{
	simple_rule(device, &(struct fake_entry){ FAKE_MSR, FAKE_ANY_CPU, address, 0, 0 }, 0,
		    error);
}

void fake_tpmi(struct fake_device *device, unsigned long request, uint32_t domain, uint64_t data,
	       const void *structure, size_t size)
{
	struct fake_rule rule = { .entry = { request, 0, domain, 0, data } };

	assert_in_range(size, 0, FAKE_STRUCTURE);
	if (structure)
		memcpy(rule.structure, structure, size);
	fake_rule(device, &rule);
}

static bool always_writes(unsigned long request)
{
	return request == FAKE_SET_LEVEL || request == FAKE_SET_FEATURE;
}

void fake_tpmi_write(struct fake_device *device, unsigned long request, uint32_t domain,
		     uint64_t data)
{
	simple_rule(device, &(struct fake_entry){ request, 0, domain, 1, data }, 0, 0);
}

void fake_tpmi_error(struct fake_device *device, unsigned long request, uint32_t domain,
		     uint64_t data, int error)
{
	simple_rule(device,
		    &(struct fake_entry){ request, 0, domain, always_writes(request), data }, 0,
		    error);
}

void fake_association(struct fake_device *device, uint32_t domain, uint32_t core, unsigned int clos)
{
	simple_rule(device, &(struct fake_entry){ FAKE_ASSOCIATION, core, domain, 0, 0 }, clos, 0);
}

void fake_phy_id(struct fake_device *device, uint32_t cpu, uint32_t answer)
{
	simple_rule(device, &(struct fake_entry){ FAKE_PHY_ID, cpu, 0, 0, 0 }, answer, 0);
}

void fake_phy_id_error(struct fake_device *device, uint32_t cpu, int error)
{
	simple_rule(device, &(struct fake_entry){ FAKE_PHY_ID, cpu, 0, 0, 0 }, 0, error);
}

size_t fake_sent(const struct fake_device *device, unsigned long request, uint32_t cpu,
		 uint32_t address, uint32_t parameter, uint64_t data)
{
	struct fake_entry pattern = { request, cpu, address, parameter, data };
	size_t count = 0;

	for (size_t i = 0; i < device->entry_count; i++)
		count += fits(&pattern, &device->entries[i]);
	return count;
}

size_t fake_calls(const struct fake_device *device, unsigned long request)
{
	size_t count = 0;

	for (size_t i = 0; i < device->call_count; i++)
		count += device->calls[i].request == request;
	return count;
}

void fake_forget(struct fake_device *device)
{
	device->call_count = device->entry_count = 0;
}
