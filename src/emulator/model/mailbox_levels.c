/* SPDX-License-Identifier: BSD-3-Clause */
/* What mailbox firmware answers of a level, and the level that gave such answers; written from the
 * reference, not from src/firmware: a misreading must not agree. */
#include "emulator/model/platform.h"

#include <errno.h>

enum unit { PLAIN = 1, RATIO = 100 };

/** Bits of an answer and the value of the level that they report. */
struct field {
	unsigned char high, low;
	enum unit unit;
	size_t value; /* offset of a struct number_value in the level */
};

enum form { FIELDS, CORES, HALVES };

enum need { NEED_LEVEL, NEED_BASE_FREQ, NEED_TURBO_FREQ };

#define VALUE(field) offsetof(struct platform_level, field)

static const struct command {
	uint32_t sub;
	enum form form;
	enum need need;
	struct field fields[5];
	size_t value;	       /* of masks and buckets: offset in the level */
	unsigned char half[2]; /* bits of the request: which half */
	enum unit unit;	       /* of buckets */
	bool types;	       /* there are buckets for each TRL type */
} LEVEL_COMMANDS[] = {
	{ 0x03, FIELDS,
	  .fields = { { 14, 0, PLAIN, VALUE(power_w) }, { 23, 16, PLAIN, VALUE(tdp_ratio) } } },
	{ 0x04, FIELDS,
	  .fields = { { 14, 0, PLAIN, VALUE(power_max_w) },
		      { 30, 16, PLAIN, VALUE(power_min_w) } } },
	{ 0x05, FIELDS, .fields = { { 7, 0, PLAIN, VALUE(tjunction_c) } } },
	{ 0x06, CORES, .value = VALUE(cores), .half = { 15, 8 } },
	{ 0x07, HALVES, .value = VALUE(limits), .half = { 8, 8 }, .unit = RATIO, .types = true },
	{ 0x09, FIELDS,
	  .fields = { { 7, 0, RATIO, VALUE(uncore_max) }, { 15, 8, RATIO, VALUE(uncore_base) } } },
	{ 0x0a, FIELDS,
	  .fields = { { 7, 0, RATIO, VALUE(base[BASE_SSE]) },
		      { 15, 8, RATIO, VALUE(base[BASE_AVX2]) },
		      { 23, 16, RATIO, VALUE(base[BASE_AVX512]) },
		      { 31, 24, RATIO, VALUE(base[BASE_AMX]) } } },
	{ 0x0b, FIELDS, .fields = { { 7, 0, PLAIN, VALUE(memory_code) } } },
	{ 0x0c, FIELDS,
	  .fields = { { 7, 0, RATIO, VALUE(uncore_max) },
		      { 15, 8, RATIO, VALUE(uncore_base) },
		      { 31, 24, RATIO, VALUE(uncore_min) } } },
	{ 0x10, HALVES, NEED_TURBO_FREQ, .value = VALUE(tf_cores), .half = { 8, 8 },
	  .unit = PLAIN },
	{ 0x11, HALVES, NEED_TURBO_FREQ, .value = VALUE(tf_limits), .half = { 8, 8 }, .unit = RATIO,
	  .types = true },
	{ 0x12, FIELDS, NEED_TURBO_FREQ,
	  .fields = { { 7, 0, RATIO, VALUE(tf_clip[0]) },
		      { 15, 8, RATIO, VALUE(tf_clip[1]) },
		      { 23, 16, RATIO, VALUE(tf_clip[2]) },
		      { 31, 24, RATIO, VALUE(tf_clip[3]) } } },
	{ 0x20, CORES, NEED_BASE_FREQ, .value = VALUE(bf_cores), .half = { 8, 8 } },
	{ 0x21, FIELDS, NEED_BASE_FREQ,
	  .fields = { { 7, 0, RATIO, VALUE(bf_low) }, { 15, 8, RATIO, VALUE(bf_high) } } },
	{ 0x22, FIELDS, NEED_BASE_FREQ,
	  .fields = { { 7, 0, PLAIN, VALUE(bf_tjunction_c) },
		      { 15, 8, PLAIN, VALUE(bf_tcontrol_c) } } },
	{ 0x23, FIELDS, NEED_BASE_FREQ, .fields = { { 15, 0, PLAIN, VALUE(bf_power_w) } } },
};

enum { LEVEL_COMMAND_COUNT = sizeof(LEVEL_COMMANDS) / sizeof(LEVEL_COMMANDS[0]) };

/* 0x0c answers for the uncore where bit 16 asks for it; what else there is, is not known. */
enum { UNCORE_COMMAND = 0x0c, OF_UNCORE = 1 << 16 };

static bool meets_need(const struct platform_level *level, enum need need)
{
	return !(need == NEED_BASE_FREQ && !level->bf_cores.line) &&
	       !(need == NEED_TURBO_FREQ && !level->tf_cores.line);
}

/* ---- Answers that a level gives ---- */

static int answer_fields(const struct platform_level *level, const struct command *command,
			 uint32_t data, uint32_t *answer)
{
	bool defined = false;

	if (command->sub == UNCORE_COMMAND && !(data & OF_UNCORE))
		return -ENXIO;
	for (const struct field *field = command->fields; field->high; field++) {
		const struct number_value *value = (const void *)((const char *)level +
								  field->value);

		defined |= value->line != 0;
		*answer |= get_bits(value->value / field->unit, field->high - field->low, 0)
			   << field->low;
	}
	return defined ? 0 : -ENXIO;
}

int mailbox_level_answer(const struct platform_domain *domain, uint32_t sub, uint32_t data,
			 uint32_t *answer)
{
	const struct platform_level *level = platform_level(domain, get_bits(data, 7, 0));
	const struct command *command = LEVEL_COMMANDS;
	uint32_t half, type;
	const void *value;

	while (command < LEVEL_COMMANDS + LEVEL_COMMAND_COUNT && command->sub != sub)
		command++;
	if (command == LEVEL_COMMANDS + LEVEL_COMMAND_COUNT || !level ||
	    !meets_need(level, command->need))
		return -ENXIO;
	if (command->form == FIELDS)
		return answer_fields(level, command, data, answer);
	value = (const char *)level + command->value;
	half = get_bits(data, command->half[0], command->half[1]);
	if (command->form == CORES) {
		if (half > 1 || (half == 1 && !domain->second_half.value))
			return -ENXIO;
		*answer = (uint32_t)(((const struct mask_value *)value)->cores >> (32 * half));
		return 0;
	}
	type = command->types ? get_bits(data, 23, 16) : 0;
	if (type >= TRL_TYPES)
		return -ENXIO;
	for (unsigned int i = 0; i < 4; i++)
		*answer |=
			((const struct list_value *)value)[type].value[4 * half + i] / command->unit
			<< (8 * i);
	return 0;
}

/* ---- The level that gave answers ---- */

static void describe_buckets(struct list_value *list, const struct command *command, uint32_t data,
			     mailbox_answer_get *get, const void *source)
{
	for (unsigned int half = 0; half < 2; half++) {
		uint32_t word;

		if (!get(source, command->sub, data | half << command->half[1], &word))
			continue;
		list->line = 1;
		list->count = BUCKETS;
		for (unsigned int i = 0; i < 4; i++)
			list->value[4 * half + i] = get_bits(word, 8 * i + 7, 8 * i) *
						    command->unit;
	}
	while (list->count > 0 && list->value[list->count - 1] == 0)
		list->count--;
}

void mailbox_level_describe(struct platform_level *level, mailbox_answer_get *get,
			    const void *source)
{
	for (const struct command *command = LEVEL_COMMANDS;
	     command < LEVEL_COMMANDS + LEVEL_COMMAND_COUNT; command++) {
		const uint32_t data = level->number |
				      (command->sub == UNCORE_COMMAND ? OF_UNCORE : 0);
		void *value = (char *)level + command->value;
		uint32_t word, high;

		if (!meets_need(level, command->need))
			continue;
		if (command->form == CORES && get(source, command->sub, data, &word)) {
			if (!get(source, command->sub, data | 1U << command->half[1], &high))
				high = 0;
			*(struct mask_value *)value =
				(struct mask_value){ word | (uint64_t)high << 32, 1 };
		}
		for (unsigned int type = 0;
		     command->form == HALVES && type < (command->types ? TRL_TYPES : 1); type++)
			describe_buckets((struct list_value *)value + type, command,
					 data | type << 16, get, source);
		if (command->form != FIELDS || !get(source, command->sub, data, &word))
			continue;
		for (const struct field *field = command->fields; field->high; field++)
			*(struct number_value *)((char *)level +
						 field->value) = (struct number_value){
				get_bits(word, field->high, field->low) * field->unit, 1
			};
	}
}
