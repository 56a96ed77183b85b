/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of items in the terms of settings. */
#include "state/values.h"
#include "configuration/write.h"
#include "sysfs/cpufreq.h"

enum { KHZ_PER_RATIO = 100000, NO_LIMIT_RATIO = 255 };

static void set_khz(struct setting *setting, uint64_t khz)
{
	setting->wanted = WANTED_KHZ;
	setting->number = khz;
}

static void set_limit(struct setting *setting, uint64_t khz, uint64_t none)
{
	if (khz == none)
		setting->wanted = WANTED_NONE;
	else
		set_khz(setting, khz);
}

void wanted_value_to_setting(const struct wanted_item *item, uint64_t value,
			     struct setting *setting)
{
	uint64_t number = (value & item->mask) >> __builtin_ctzll(item->mask);

	setting->wanted = WANTED_NUMBER;
	setting->number = number;
	switch (item->subject) {
	case SUBJECT_CLOS_MIN:
	case SUBJECT_CLOS_DESIRED:
		set_khz(setting, number * KHZ_PER_RATIO);
		break;
	case SUBJECT_CLOS_MAX:
		set_khz(setting, number * KHZ_PER_RATIO);
		if (number == NO_LIMIT_RATIO)
			setting->wanted = WANTED_NONE;
		break;
	case SUBJECT_TURBO_RATIO_LIMITS:
		if (number == UINT64_MAX)
			setting->wanted = WANTED_NONE;
		break;
	case SUBJECT_SCALING_MAX:
		set_limit(setting, number, CPUFREQ_NO_LIMIT);
		break;
	case SUBJECT_SCALING_MIN:
		set_limit(setting, number, 0);
		break;
	case SUBJECT_UNCORE_MIN:
	case SUBJECT_UNCORE_MAX:
		set_khz(setting, number);
		break;
	default:
		break;
	}
}

int wanted_value_text(const struct wanted_item *item, uint64_t value, char **text)
{
	struct setting setting = { .subject = item->subject };

	wanted_value_to_setting(item, value, &setting);
	return setting_value_text(&setting, text);
}

void subject_write(FILE *stream, enum subject subject, unsigned int index)
{
	static const char *const NAMES[SUBJECTS] = {
		[SUBJECT_LEVEL] = "level",
		[SUBJECT_TURBO_FREQ] = "turbo-freq",
		[SUBJECT_BASE_FREQ] = "base-freq",
		[SUBJECT_CORE_POWER] = "core-power",
		[SUBJECT_PRIORITY] = "priority",
		[SUBJECT_CLOS_ENABLE] = "use of CLOS",
		[SUBJECT_HIGH_PRIORITY] = "high priority cores",
		[SUBJECT_ASSOCIATION] = "CLOS",
		[SUBJECT_TURBO_RATIO_LIMITS] = "turbo ratio limits",
		[SUBJECT_SCALING_MIN] = "scaling min",
		[SUBJECT_SCALING_MAX] = "scaling max",
		[SUBJECT_UNCORE_MIN] = "uncore min",
		[SUBJECT_UNCORE_MAX] = "uncore max",
		[SUBJECT_CPUS] = "CPUs",
	};

	if (subject >= SUBJECT_CLOS_MIN && subject <= SUBJECT_CLOS_WEIGHT)
		fprintf(stream, "CLOS %u %s", index, clos_fields[subject - SUBJECT_CLOS_MIN].name);
	else
		fputs(NAMES[subject], stream);
	if (subject == SUBJECT_UNCORE_MIN || subject == SUBJECT_UNCORE_MAX)
		fprintf(stream, " of fabric %u", index);
}
