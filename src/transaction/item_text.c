/* SPDX-License-Identifier: BSD-3-Clause */
/* Items and their values in words: whole, or field by field as configurations name them. */
#include "firmware/platform.h"
#include "transaction/items.h"

#include <inttypes.h>
#include <stdio.h>

/** The text of an item, or of a field of it: one without an index is named by the field alone. */
static const char *field_target(struct messages *messages, const struct isst_context *context,
				const struct item *item, const char *field)
{
	const struct item_row *kind = item_row(item->kind);
	const char *place;

	if (item_is_of_machine(item))
		return kind->what;
	if (kind->of_cpu)
		return message_make(messages, "CPU %u: %s", item->index, kind->what);
	if (item_is_of_package(item) || item_is_shared(item))
		return message_make(messages, "package %u: %s", item->package, kind->what);
	place = topology_domain_name(messages, context_has_power_domains(context),
				     &(struct isst_domain){ .package = item->package,
							    .die = item->die,
							    .number = item->domain });
	if ((item->kind == ITEM_UNCORE_MAX || item->kind == ITEM_UNCORE_MIN) && item->index > 0)
		return message_make(messages, "%s: %s of fabric %u", place, kind->what,
				    item->index);
	if (kind->index_is)
		return message_make(messages, "%s: %s %u%s%s", place, kind->what, item->index,
				    field ? " " : "", field ? field : "");
	return message_make(messages, "%s: %s", place, field ? field : kind->what);
}

const char *item_text(struct messages *messages, const struct isst_context *context,
		      const struct item *item)
{
	return field_target(messages, context, item, NULL);
}

/** The ratios of turbo ratio limits as frequencies, those behind the last bucket left out. */
static const char *ratios_text(struct messages *messages, uint64_t ratios)
{
	enum { MHZ_PER_RATIO = 100 };
	char text[64];
	int length = 0;

	if (ratios == UINT64_MAX)
		return "no limit";
	do {
		length += snprintf(text + length, sizeof(text) - (size_t)length, "%s%u",
				   length > 0 ? "," : "",
				   (unsigned int)(ratios & 0xff) * MHZ_PER_RATIO);
		ratios >>= 8;
	} while (ratios);
	return message_make(messages, "%s MHz", text);
}

static const char *format_value(struct messages *messages, const struct item *item,
				enum value_format format, struct item_value value)
{
	enum { NO_LIMIT_RATIO = 0xff, KHZ_PER_MHZ = 1000 };

	switch (format) {
	case AS_FEATURES:
		return message_make(messages, "%s, %s", value.number & 1 ? "on" : "off",
				    value.number & 2 ? "on" : "off");
	case AS_SWITCH:
		return value.number ? "1" : "0";
	case AS_WORD:
		return message_make(messages, "0x%" PRIx64, value.number);
	case AS_KHZ:
	case AS_MHZ:
		if (item_is_end_of_range(item, value))
			return item->kind == ITEM_SCALING_MIN ? "the highest frequency"
							      : "the lowest frequency";
		if (value.number == CPUFREQ_NO_LIMIT ||
		    (value.number == 0 && item->kind == ITEM_SCALING_MIN))
			return "no limit";
		if (format == AS_MHZ && value.number % KHZ_PER_MHZ == 0)
			return message_make(messages, "%" PRIu64 " MHz",
					    value.number / KHZ_PER_MHZ);
		return message_make(messages, "%" PRIu64 " kHz", value.number);
	case AS_TEXT:
		return value.text ? value.text : "absent";
	case AS_ON_OFF:
		return value.number ? "on" : "off";
	case AS_PRIORITY:
		return value.number ? "ordered" : "proportional";
	case AS_RATIO_LIMIT:
		if (value.number == NO_LIMIT_RATIO)
			return "no limit";
		return ratios_text(messages, value.number);
	case AS_RATIO:
	case AS_RATIOS:
		return ratios_text(messages, value.number);
	default:
		return message_make(messages, "%" PRIu64, value.number);
	}
}

const char *item_value_text(struct messages *messages, const struct item *item,
			    struct item_value value)
{
	return format_value(messages, item, item_row(item->kind)->format, value);
}

/* The fields of values, as configurations name them; a value without a row is a number or text. */
static const struct value_field FIELDS[] = {
	{ ITEM_CLOS, "min", 0xff00, AS_RATIO, "minimum frequency", -1 },
	{ ITEM_CLOS, "max", 0xff0000, AS_RATIO_LIMIT, "maximum frequency", -1 },
	{ ITEM_CLOS, "desired", 0xff000000, AS_RATIO, "desired frequency", PLATFORM_CLOS_DESIRED },
	{ ITEM_CLOS, "epp", 0xf, AS_NUMBER, "energy performance preference (epp)",
	  PLATFORM_CLOS_EPP },
	{ ITEM_CLOS, "weight", 0xf0, AS_NUMBER, "proportional priority (weight)",
	  PLATFORM_CLOS_WEIGHT },
	{ ITEM_FEATURES, "turbo-freq", 0x1, AS_ON_OFF, NULL, -1 },
	{ ITEM_FEATURES, "base-freq", 0x2, AS_ON_OFF, NULL, -1 },
	{ ITEM_CORE_POWER, NULL, UINT64_MAX, AS_ON_OFF, NULL, -1 },
	{ ITEM_QOS, "use of CLOS", 0x2, AS_ON_OFF, NULL, -1 },
	{ ITEM_QOS, "priority", 0x4, AS_PRIORITY, NULL, -1 },
	{ ITEM_TURBO_RATIO_LIMITS, NULL, UINT64_MAX, AS_RATIOS, NULL, -1 },
	{ ITEM_ONLINE, NULL, UINT64_MAX, AS_ON_OFF, NULL, -1 },
	{ ITEM_SCALING_MAX, NULL, UINT64_MAX, AS_MHZ, NULL, -1 },
	{ ITEM_SCALING_MIN, NULL, UINT64_MAX, AS_MHZ, NULL, -1 },
	{ ITEM_UNCORE_MAX, NULL, UINT64_MAX, AS_MHZ, NULL, -1 },
	{ ITEM_UNCORE_MIN, NULL, UINT64_MAX, AS_MHZ, NULL, -1 },
	{ ITEM_CPUSETS, NULL, UINT64_MAX, AS_ON_OFF, NULL, -1 },
};

const struct value_field *const clos_fields = FIELDS;

static const char *field_text(struct messages *messages, const struct item *item,
			      const struct value_field *field, struct item_value value)
{
	value.number = (value.number & field->mask) >> __builtin_ctzll(field->mask);
	return format_value(messages, item, field->format, value);
}

size_t item_fields(struct messages *messages, const struct isst_context *context,
		   const struct item *item, const struct item_value *from, struct item_value to,
		   struct item_field *fields)
{
	static const char UNKNOWN[] = "unknown";
	size_t count = 0;

	for (size_t i = 0; i < sizeof(FIELDS) / sizeof(FIELDS[0]); i++) {
		const struct value_field *field = &FIELDS[i];

		if (field->kind != item->kind ||
		    (field->name && from && !((from->number ^ to.number) & field->mask)))
			continue;
		fields[count++] = (struct item_field){
			.target = field_target(messages, context, item, field->name),
			.old_text = from ? field_text(messages, item, field, *from) : UNKNOWN,
			.new_text = field_text(messages, item, field, to),
		};
	}
	if (count == 0)
		fields[count++] = (struct item_field){
			.target = item_text(messages, context, item),
			.old_text = from ? item_value_text(messages, item, *from) : UNKNOWN,
			.new_text = item_value_text(messages, item, to),
		};
	return count;
}

const char *item_describe(struct isst_context *context, const struct item *item)
{
	return item_text(&context->messages, context, item);
}

const char *item_describe_value(struct isst_context *context, const struct item *item,
				struct item_value value)
{
	return item_value_text(&context->messages, item, value);
}
