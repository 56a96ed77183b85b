/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings as statements: what configuration_add_text() reads. Knows no machine. */
#include "configuration/write.h"
#include "base/cpuset.h"
#include "base/result.h"
#include "common/hash.h"
#include "common/memory_stream.h"
#include "configuration/statement.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const SUBJECT_WORDS[SUBJECTS] = {
	[SUBJECT_LEVEL] = "level",
	[SUBJECT_TURBO_FREQ] = "turbo-freq",
	[SUBJECT_BASE_FREQ] = "base-freq",
	[SUBJECT_CORE_POWER] = "core-power",
	[SUBJECT_PRIORITY] = "core-power",
	[SUBJECT_CLOS_ENABLE] = "clos-enable",
	[SUBJECT_CLOS_MIN] = "min",
	[SUBJECT_CLOS_MAX] = "max",
	[SUBJECT_CLOS_DESIRED] = "desired",
	[SUBJECT_CLOS_EPP] = "epp",
	[SUBJECT_CLOS_WEIGHT] = "weight",
	[SUBJECT_HIGH_PRIORITY] = "high-priority",
	[SUBJECT_ASSOCIATION] = "association",
	[SUBJECT_TURBO_RATIO_LIMITS] = "turbo-ratio-limits",
	[SUBJECT_SCALING_MIN] = "scaling-min",
	[SUBJECT_SCALING_MAX] = "scaling-max",
	[SUBJECT_UNCORE_MIN] = "uncore-min",
	[SUBJECT_UNCORE_MAX] = "uncore-max",
	[SUBJECT_CPUS] = "cpus",
};

int cpuset_write(FILE *stream, const char *before, const struct isst_cpuset *set)
{
	char *text = isst_cpuset_to_list(set);

	if (!text)
		return -ENOMEM;
	fprintf(stream, "%s%s", before, text);
	free(text);
	return 0;
}

/** Writes a list of CPUs as it was stated, if with names. */
static int write_list(FILE *stream, const char *before, const struct setting *setting,
		      enum cpu_list list)
{
	struct setting *all = (struct setting *)setting;

	if (!setting->named[list])
		return cpuset_write(stream, before, *setting_list(all, list));
	fprintf(stream, "%s%s", before, setting->named[list]);
	return 0;
}

static int write_choice(FILE *stream, const struct setting *setting)
{
	const struct core_choice *choice = &setting->choice;
	int error = 0;

	switch (choice->kind) {
	case CHOICE_COUNT:
		fprintf(stream, " %u", choice->number);
		break;
	case CHOICE_PER_PACKAGE:
		fprintf(stream, " %u/package", choice->number);
		break;
	case CHOICE_BUCKET:
		fprintf(stream, " bucket %u", choice->number);
		break;
	}
	if (choice->within)
		error = write_list(stream, " within ", setting, LIST_WITHIN);
	if (!error && choice->avoid)
		error = write_list(stream, " avoid ", setting, LIST_AVOID);
	return error;
}

static void write_number(FILE *stream, const struct setting *setting)
{
	switch (setting->subject) {
	case SUBJECT_TURBO_FREQ:
	case SUBJECT_BASE_FREQ:
	case SUBJECT_CORE_POWER:
	case SUBJECT_CLOS_ENABLE:
		fputs(setting->number ? " on" : " off", stream);
		break;
	case SUBJECT_PRIORITY:
		fputs(setting->number == ISST_PRIORITY_ORDERED ? " ordered" : " proportional",
		      stream);
		break;
	case SUBJECT_TURBO_RATIO_LIMITS:
		fprintf(stream, " 0x%" PRIx64, setting->number);
		break;
	default:
		fprintf(stream, " %" PRIu64, setting->number);
	}
}

static int write_value(FILE *stream, const struct setting *setting)
{
	switch (setting->wanted) {
	case WANTED_NUMBER:
		write_number(stream, setting);
		return 0;
	case WANTED_KHZ:
		if (setting->number % KHZ_PER_MHZ)
			fprintf(stream, " %" PRIu64 "kHz", setting->number);
		else
			fprintf(stream, " %" PRIu64, setting->number / KHZ_PER_MHZ);
		return 0;
	case WANTED_CORES:
		return write_choice(stream, setting);
	case WANTED_OFFLINE:
		return write_list(stream, " offline ", setting, LIST_CPUS);
	case WANTED_OF_LEVEL:
		fputs(setting->subject == SUBJECT_CPUS ? " by-level" : " level", stream);
		return 0;
	default:
		fprintf(stream, " %s", wanted_words[setting->wanted]);
		return 0;
	}
}

static bool is_of_clos(const struct setting *setting)
{
	return setting->subject >= SUBJECT_CLOS_MIN && setting->subject <= SUBJECT_CLOS_WEIGHT;
}

/** Writes what stands in front of the keyword. */
static int write_places(FILE *stream, const struct setting *setting)
{
	const char *first = setting->optional ? "? " : "", *next = first;
	int error = 0;

	if (setting->scope.packages) {
		fprintf(stream, "%spackage", next);
		error = cpuset_write(stream, " ", setting->scope.packages);
		next = " ";
	}
	if (!error && setting->scope.power_domains) {
		fprintf(stream, "%sdomain", next);
		error = cpuset_write(stream, " ", setting->scope.power_domains);
		next = " ";
	}
	if (!error && subject_is_of_cpus(setting->subject) && setting->cpus) {
		fprintf(stream, "%scpu", next);
		error = write_list(stream, " ", setting, LIST_CPUS);
		next = " ";
	}
	if (setting->index != INDEX_ALL) {
		fprintf(stream, "%s%s %u", next, is_of_clos(setting) ? "clos" : "fabric",
			setting->index);
		next = " ";
	}
	fputs(next == first ? first : ":", stream);
	if (!is_of_clos(setting))
		fprintf(stream, "%s%s", next == first ? "" : " ", SUBJECT_WORDS[setting->subject]);
	return error;
}

/** Writes a setting behind the beginning of its statement. */
static int write_part(FILE *stream, const struct setting *setting)
{
	if (is_of_clos(setting) && setting->wanted != WANTED_UNMANAGED)
		fprintf(stream, " %s", SUBJECT_WORDS[setting->subject]);
	return write_value(stream, setting);
}

static int setting_write(FILE *stream, const struct setting *setting)
{
	int error = write_places(stream, setting);

	return error ? error : write_part(stream, setting);
}

int setting_value_text(const struct setting *setting, char **text)
{
	struct memory_stream memory;
	int error = memory_stream_open(&memory);

	*text = NULL;
	if (error)
		return error;
	error = write_value(memory.stream, setting);
	if (error) {
		memory_stream_drop(&memory);
		return error;
	}
	*text = memory_stream_text(&memory);
	if (!*text)
		return -ENOMEM;
	/* In a statement there is a space in front of it. */
	memmove(*text, *text + 1, strlen(*text));
	return 0;
}

static bool shares_statement(const struct setting *before, const struct setting *setting)
{
	if (!isst_cpuset_is_equal(before->scope.packages, setting->scope.packages) ||
	    !isst_cpuset_is_equal(before->scope.power_domains, setting->scope.power_domains) ||
	    before->index != setting->index || before->optional != setting->optional)
		return false;
	if (setting->subject == SUBJECT_PRIORITY)
		return before->subject == SUBJECT_CORE_POWER;
	return is_of_clos(before) && is_of_clos(setting) && before->subject < setting->subject;
}

int configuration_checksum(const struct configuration *configuration, size_t source,
			   uint64_t *checksum)
{
	struct memory_stream memory;
	int error = memory_stream_open(&memory);
	char *text;

	if (error)
		return error;
	for (size_t i = 0; i < configuration->setting_count && !error; i++) {
		if (source != ALL_SOURCES && configuration->settings[i].origin.source != source)
			continue;
		error = setting_write(memory.stream, &configuration->settings[i]);
		putc('\n', memory.stream);
	}
	text = memory_stream_text(&memory);
	if (text)
		*checksum = hash_text(text);
	free(text);
	return error ? error : text ? 0 : -ENOMEM;
}

/** Conditions that were stated together, on one line. Returns 0 or -ENOMEM. */
static int write_matches(FILE *stream, const struct configuration *configuration)
{
	static const struct {
		const char *name;
		bool hexadecimal;
	} WORDS[MATCH_KINDS] = {
		[MATCH_FAMILY] = { "family", false },	  [MATCH_MODEL] = { "model", true },
		[MATCH_PACKAGES] = { "packages", false }, [MATCH_CPUS] = { "cpus", false },
		[MATCH_TOPOLOGY] = { "topology", true },
	};

	for (size_t i = 0; i < configuration->match_count; i++) {
		const struct match *match = &configuration->matches[i], *next = match + 1;
		bool last = i + 1 == configuration->match_count ||
			    next->statement != match->statement;
		uint64_t checksum = 0;

		if (match->statement == i)
			fputs("match", stream);
		/* What was read may have been added to; what was edited is no state any more. */
		if (match->kind == MATCH_STATE && match->unedited) {
			if (configuration_checksum(configuration, ALL_SOURCES, &checksum))
				return -ENOMEM;
			fprintf(stream, " state 0x%" PRIx64, checksum);
		}
		if (match->kind != MATCH_STATE)
			fprintf(stream,
				WORDS[match->kind].hexadecimal ? " %s 0x%" PRIx64 : " %s %" PRIu64,
				WORDS[match->kind].name, match->number);
		if (match->cpus && cpuset_write(stream, " of ", match->cpus))
			return -ENOMEM;
		if (last)
			fputs(match->otherwise_skip ? " else skip\n" : "\n", stream);
	}
	return 0;
}

int configuration_write(FILE *stream, const struct configuration *configuration)
{
	const struct setting *before = NULL;
	int error;

	fprintf(stream, CONFIGURATION_HEADER " %d\n", CONFIGURATION_VERSION);
	error = write_matches(stream, configuration);
	for (size_t i = 0; i < configuration->setting_count && !error; i++) {
		const struct setting *setting = &configuration->settings[i];

		if (before && shares_statement(before, setting)) {
			/* One word stands for the statement as a whole. */
			if (before->wanted != WANTED_UNMANAGED ||
			    setting->wanted != WANTED_UNMANAGED)
				error = write_part(stream, setting);
		} else {
			if (before)
				putc('\n', stream);
			error = setting_write(stream, setting);
		}
		before = setting;
	}
	if (before)
		putc('\n', stream);
	return error;
}
