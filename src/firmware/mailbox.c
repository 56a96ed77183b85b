/* SPDX-License-Identifier: BSD-3-Clause */
/* Firmware by mailbox, MMIO registers and MSRs (API version 1): the layout of each command and
 * register, and how each setting is read and written. */
#include "base/messages.h"
#include "driver/driver.h"
#include "firmware/batch.h"
#include "firmware/platform.h"
#include "sysfs/cpufreq.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#define AT(type, member) offsetof(struct type, member)

/* 8-bit value n of an answer, lowest first, for element n of an array of struct isst_value. */
#define BYTE(n, kind, scale) \
	{ \
		8 * (n) + 7, 8 * (n), (kind), (scale), (n) * sizeof(struct isst_value) \
	}
#define FOUR_BYTES(kind, scale) \
	BYTE(0, kind, scale), BYTE(1, kind, scale), BYTE(2, kind, scale), BYTE(3, kind, scale)
#define EIGHT_BYTES(kind, scale) \
	FOUR_BYTES(kind, scale), BYTE(4, kind, scale), BYTE(5, kind, scale), BYTE(6, kind, scale), \
		BYTE(7, kind, scale)

static const struct field SUMMARY_FIELDS[] = {
	{ 7, 0, FIELD_NUMBER, 1, AT(isst_perf_profile, version) },
	{ 15, 8, FIELD_NUMBER, 1, AT(isst_perf_profile, highest_level) },
	{ 23, 16, FIELD_NUMBER, 1, AT(isst_perf_profile, current_level) },
	{ 24, 24, FIELD_FLAG, 1, AT(isst_perf_profile, locked) },
	{ 31, 31, FIELD_FLAG, 1, AT(isst_perf_profile, enabled) },
};
static const struct field FEATURES_FIELDS[] = {
	{ 0, 0, FIELD_FLAG, 1, AT(level_features, turbo_freq_supported) },
	{ 1, 1, FIELD_FLAG, 1, AT(level_features, base_freq_supported) },
	{ 16, 16, FIELD_FLAG, 1, AT(level_features, turbo_freq_on) },
	{ 17, 17, FIELD_FLAG, 1, AT(level_features, base_freq_on) },
};
static const struct field TDP_FIELDS[] = {
	{ 14, 0, FIELD_NONZERO_VALUE, 1, AT(isst_level, power_w) },
	{ 23, 16, FIELD_VALUE, 1, AT(isst_level, tdp_ratio) },
};
static const struct field TEMPERATURE_FIELDS[] = {
	{ 7, 0, FIELD_NONZERO_VALUE, 1, AT(isst_level, tjunction_c) },
};
static const struct field CORES_FIELDS[] = { { 31, 0, FIELD_VALUE, 1, 0 } };
static const struct field RATIOS_FIELDS[] = { FOUR_BYTES(FIELD_VALUE, MHZ_PER_RATIO) };
static const struct field NONZERO_RATIOS_FIELDS[] = { FOUR_BYTES(FIELD_NONZERO_VALUE,
								 MHZ_PER_RATIO) };
static const struct field COUNTS_FIELDS[] = { FOUR_BYTES(FIELD_VALUE, 1) };
static const struct field UNCORE_FIELDS[] = {
	{ 7, 0, FIELD_NONZERO_VALUE, MHZ_PER_RATIO, AT(isst_fabric, max_mhz) },
	{ 15, 8, FIELD_NONZERO_VALUE, MHZ_PER_RATIO, AT(isst_fabric, base_mhz) },
};
static const struct field UNCORE_RATIOS_FIELDS[] = {
	{ 7, 0, FIELD_NONZERO_VALUE, MHZ_PER_RATIO, AT(isst_fabric, max_mhz) },
	{ 15, 8, FIELD_NONZERO_VALUE, MHZ_PER_RATIO, AT(isst_fabric, base_mhz) },
	{ 31, 24, FIELD_NONZERO_VALUE, MHZ_PER_RATIO, AT(isst_fabric, min_mhz) },
};
static const struct field BASE_FIELDS[] = {
	{ 7, 0, FIELD_NONZERO_VALUE, MHZ_PER_RATIO, AT(isst_level, base_mhz) },
	{ 15, 8, FIELD_NONZERO_VALUE, MHZ_PER_RATIO, AT(isst_level, base_avx2_mhz) },
	{ 23, 16, FIELD_NONZERO_VALUE, MHZ_PER_RATIO, AT(isst_level, base_avx512_mhz) },
	{ 31, 24, FIELD_NONZERO_VALUE, MHZ_PER_RATIO, AT(isst_level, base_amx_mhz) },
};
static const struct field MEMORY_FIELDS[] = {
	{ 7, 0, FIELD_VALUE, 1, AT(level_request, memory_code) },
};
static const struct field CLIP_FIELDS[] = {
	{ 7, 0, FIELD_NONZERO_VALUE, MHZ_PER_RATIO, AT(isst_turbo_freq, clip_mhz[0]) },
	{ 15, 8, FIELD_NONZERO_VALUE, MHZ_PER_RATIO, AT(isst_turbo_freq, clip_mhz[1]) },
	{ 23, 16, FIELD_NONZERO_VALUE, MHZ_PER_RATIO, AT(isst_turbo_freq, clip_mhz[2]) },
};
static const struct field CLIP_AMX_FIELDS[] = {
	{ 7, 0, FIELD_NONZERO_VALUE, MHZ_PER_RATIO, AT(isst_turbo_freq, clip_mhz[0]) },
	{ 15, 8, FIELD_NONZERO_VALUE, MHZ_PER_RATIO, AT(isst_turbo_freq, clip_mhz[1]) },
	{ 23, 16, FIELD_NONZERO_VALUE, MHZ_PER_RATIO, AT(isst_turbo_freq, clip_mhz[2]) },
	{ 31, 24, FIELD_NONZERO_VALUE, MHZ_PER_RATIO, AT(isst_turbo_freq, clip_mhz[3]) },
};
static const struct field BASE_FREQ_RATIOS_FIELDS[] = {
	{ 7, 0, FIELD_VALUE, MHZ_PER_RATIO, AT(isst_base_freq, low_mhz) },
	{ 15, 8, FIELD_VALUE, MHZ_PER_RATIO, AT(isst_base_freq, high_mhz) },
};
static const struct field BASE_FREQ_TEMPERATURE_FIELDS[] = {
	{ 7, 0, FIELD_VALUE, 1, AT(isst_base_freq, tjunction_c) },
};
static const struct field BASE_FREQ_TDP_FIELDS[] = {
	{ 15, 0, FIELD_VALUE, 1, AT(isst_base_freq, power_w) },
};
static const struct field CORE_POWER_FIELDS[] = {
	{ 0, 0, FIELD_FLAG, 1, AT(isst_core_power, supported) },
	{ 16, 16, FIELD_FLAG, 1, AT(isst_core_power, enabled) },
};
static const struct field QOS_FIELDS[] = {
	{ 1, 1, FIELD_FLAG, 1, AT(isst_core_power, clos_enabled) },
	{ 2, 2, FIELD_NUMBER, 1, AT(isst_core_power, priority) },
};
static const struct field BUCKET_CORES_FIELDS[] = { EIGHT_BYTES(FIELD_VALUE, 1) };
/* The limits in force, as those of the first TRL type of a level. */
static const struct field LIMITS_IN_FORCE_FIELDS[] = { EIGHT_BYTES(FIELD_VALUE, MHZ_PER_RATIO) };

/* clang-format off */
#define OPTIONAL .optional = true
#define NEWER .newer = true
#define REFUSED .refused_if_unsupported = true
#define DECISIVE .decisive = true
#define COMMAND(id, request, number, sub, layout, ...) \
	static const struct firmware_command id = { \
		.kind = REQUEST_##request, .code = number, .sub_code = sub, FIELDS(layout##_FIELDS), \
		.name = __VA_ARGS__ }

/* 0x7f: levels, base frequency, turbo frequency */
COMMAND(SUMMARY,                MAILBOX, 0x7f,  0x00, SUMMARY,               "the performance levels", REFUSED, DECISIVE);
COMMAND(FEATURES,               MAILBOX, 0x7f,  0x01, FEATURES,              "the features", REFUSED, DECISIVE);
COMMAND(TDP,                    MAILBOX, 0x7f,  0x03, TDP,                   "the TDP");
COMMAND(TEMPERATURE,            MAILBOX, 0x7f,  0x05, TEMPERATURE,           "the temperature limit");
COMMAND(CORES,                  MAILBOX, 0x7f,  0x06, CORES,                 "the enabled cores", DECISIVE);
COMMAND(CORES_IF_ANY,           MAILBOX, 0x7f,  0x06, CORES,                 "the enabled cores", OPTIONAL, DECISIVE);
COMMAND(TURBO_RATIOS,           MAILBOX, 0x7f,  0x07, RATIOS,                "the turbo ratio limits");
COMMAND(TURBO_RATIOS_IF_ANY,    MAILBOX, 0x7f,  0x07, RATIOS,                "the turbo ratio limits", OPTIONAL);
COMMAND(LEVEL_LIMITS,           MAILBOX, 0x7f,  0x07, RATIOS,                "the turbo ratio limits", DECISIVE, REFUSED);
COMMAND(UNCORE,                 MAILBOX, 0x7f,  0x09, UNCORE,                "the uncore frequencies", OPTIONAL, DECISIVE);
COMMAND(BASE,                   MAILBOX, 0x7f,  0x0a, BASE,                  "the base frequencies", OPTIONAL, DECISIVE);
COMMAND(MEMORY,                 MAILBOX, 0x7f,  0x0b, MEMORY,                "the memory frequency", OPTIONAL);
COMMAND(UNCORE_RATIOS,          MAILBOX, 0x7f,  0x0c, UNCORE_RATIOS,         "the uncore frequencies", OPTIONAL, NEWER, DECISIVE);
COMMAND(TURBO_FREQ_CORES,       MAILBOX, 0x7f,  0x10, COUNTS,                "the turbo-freq buckets", DECISIVE);
COMMAND(TURBO_FREQ_RATIOS,      MAILBOX, 0x7f,  0x11, NONZERO_RATIOS,        "the turbo-freq frequencies");
COMMAND(TURBO_FREQ_IF_ANY,      MAILBOX, 0x7f,  0x11, NONZERO_RATIOS,        "the turbo-freq frequencies", OPTIONAL);
COMMAND(CLIP,                   MAILBOX, 0x7f,  0x12, CLIP,                  "the turbo-freq clip frequencies");
COMMAND(CLIP_AMX,               MAILBOX, 0x7f,  0x12, CLIP_AMX,              "the turbo-freq clip frequencies");
COMMAND(BASE_FREQ_CORES,        MAILBOX, 0x7f,  0x20, CORES,                 "the high priority cores", DECISIVE);
COMMAND(BASE_FREQ_CORES_IF_ANY, MAILBOX, 0x7f,  0x20, CORES,                 "the high priority cores", OPTIONAL, DECISIVE);
COMMAND(BASE_FREQ_RATIOS,       MAILBOX, 0x7f,  0x21, BASE_FREQ_RATIOS,      "the base-freq frequencies", DECISIVE);
COMMAND(BASE_FREQ_TEMPERATURE,  MAILBOX, 0x7f,  0x22, BASE_FREQ_TEMPERATURE, "the base-freq temperature limit");
COMMAND(BASE_FREQ_TDP,          MAILBOX, 0x7f,  0x23, BASE_FREQ_TDP,         "the base-freq power");

/* 0x94, 0xd0: core-power */
COMMAND(CORE_POWER,             MAILBOX, 0x94,  0x03, CORE_POWER,            "the state of core-power", DECISIVE);
COMMAND(QOS,                    MAILBOX, 0xd0,  0x02, QOS,                   "the state of CLOS", DECISIVE);

/* MSRs: turbo ratio limits */
COMMAND(BUCKET_CORES,           MSR,     0x1ae, 0x00, BUCKET_CORES,          "the cores of the turbo buckets");
COMMAND(LIMITS_IN_FORCE,        MSR,     0x1ad, 0x00, LIMITS_IN_FORCE,       "the turbo ratio limits");
/* clang-format on */

/** The request data of command 0x7f: level, half of a list, and TRL type. */
static uint32_t level_data(int level, unsigned int half, unsigned int type)
{
	return (uint32_t)level | half << 8 | type << 16;
}

static bool has_clos_by_mailbox(const struct firmware_batch *batch)
{
	return platform_has(batch->firmware->platform, PLATFORM_CLOS_BY_MAILBOX);
}

/* Where TRL types are instruction sets. */
enum { TRL_AMX = 3 };

static const char *trl_type_name(const struct isst_platform *platform, unsigned int type)
{
	static const char *const INSTRUCTIONS[] = { "sse", "avx2", "avx512", "amx" };
	static const char *const LEVELS[] = { "level-0", "level-1", "level-2", "level-3",
					      "level-4" };

	if (platform_has(platform, PLATFORM_TRL_TYPES_ARE_LEVELS))
		return type < sizeof(LEVELS) / sizeof(LEVELS[0]) ? LEVELS[type] : NULL;
	if (type == TRL_AMX && !platform_has(platform, PLATFORM_TRL_TYPE_AMX))
		return NULL;
	return type < sizeof(INSTRUCTIONS) / sizeof(INSTRUCTIONS[0]) ? INSTRUCTIONS[type] : NULL;
}

/** Firmware of such a processor may lack the fourth type. */
static bool is_amx(const struct firmware_batch *batch, unsigned int type)
{
	return type == TRL_AMX && platform_has(batch->firmware->platform, PLATFORM_TRL_TYPE_AMX);
}

static unsigned int trl_types(const struct firmware_batch *batch)
{
	unsigned int count = 0;

	while (trl_type_name(batch->firmware->platform, count))
		count++;
	return count;
}

static int plan_perf_profile(struct firmware_batch *batch, struct isst_perf_profile *profile)
{
	return firmware_plan(RESULT_SCOPE(batch, profile), &SUMMARY, 0, 0, profile);
}

static int plan_features(struct firmware_batch *batch, const struct isst_domain *domain,
			 unsigned int level, struct level_features *features)
{
	return firmware_plan(LEVEL_SCOPE(batch, domain, level, &features->failure), &FEATURES, 0,
			     level_data((int)level, 0, 0), features);
}

/** The halves of a core mask; the upper one only where such cores may exist. */
static int plan_cores(const struct query_scope *scope, const struct level_request *request,
		      const struct firmware_command *command,
		      const struct firmware_command *command_if_any, struct core_mask *cores)
{
	int error = firmware_plan(scope, command, 0, level_data(scope->level, 0, 0),
				  &cores->half[0]);

	cores->half[1] = (struct isst_value){ ISST_ABSENT, 0 };
	if (error || !request->may_have_high_cores)
		return error;
	return firmware_plan(scope, request->has_high_cores ? command : command_if_any, 0,
			     level_data(scope->level, 1, 0), &cores->half[1]);
}

static int plan_turbo_ratios_of(const struct query_scope *scope,
				const struct firmware_command *command, unsigned int type,
				struct isst_value mhz[ISST_BUCKETS])
{
	int error = 0;

	for (unsigned int half = 0; half < 2 && !error; half++)
		error = firmware_plan(scope, command, 0, level_data(scope->level, half, type),
				      &mhz[4 * half]);
	return error;
}

static int plan_level_limits(struct firmware_batch *batch, const struct isst_domain *domain,
			     unsigned int level, struct isst_failure *failure,
			     struct isst_value mhz[ISST_BUCKETS])
{
	return plan_turbo_ratios_of(LEVEL_SCOPE(batch, domain, level, failure), &LEVEL_LIMITS, 0,
				    mhz);
}

/** One register per package: this firmware reports no sizes for a level. */
static int plan_bucket_cores(struct firmware_batch *batch, const struct isst_domain *domain,
			     struct isst_failure *failure, struct isst_value cores[ISST_BUCKETS])
{
	return firmware_plan(DOMAIN_SCOPE(batch, domain, failure), &BUCKET_CORES, 0, 0, cores);
}

/** The first generation without SST-PP does not report its one level: current values stand for it.
 */
static bool reports_no_level(const struct firmware_batch *batch,
			     const struct level_request *request)
{
	return request->disabled && has_clos_by_mailbox(batch);
}

/** The base frequency of the domain's CPU, and MSR 0x1ad. */
static int plan_what_is_in_force(struct firmware_batch *batch, struct level_request *request)
{
	struct isst_level *level = request->level;
	const struct isst_domain *domain = level->domain;
	struct query_scope scope = level_scope(batch, request);
	struct messages *messages = batch->firmware->messages;
	uint64_t khz;
	int error;

	error = cpufreq_read(batch->firmware->files, domain->cpu, "base_frequency", &khz);
	if (error == -ENOMEM)
		return error;
	if (!error)
		level->tdp_ratio = (struct isst_value){ ISST_KNOWN,
							(unsigned int)(khz / KHZ_PER_RATIO) };
	else if (error != -ENOENT)
		message_failure(messages, &level->failure, of_domain(domain), error, "%s: %s",
				domain->name, messages->error);
	return firmware_plan(&scope, &LIMITS_IN_FORCE, 0, 0, level->limit[0].mhz);
}

static int plan_properties(struct firmware_batch *batch, struct level_request *request)
{
	struct isst_level *level = request->level;
	struct query_scope scope = level_scope(batch, request);
	uint32_t data = level_data(scope.level, 0, 0);
	int error;

	if (reports_no_level(batch, request))
		return plan_what_is_in_force(batch, request);
	error = firmware_plan(&scope, &TDP, 0, data, level);
	if (!error)
		error = firmware_plan(&scope, &TEMPERATURE, 0, data, level);
	if (!error)
		error = firmware_plan(&scope, &UNCORE_RATIOS, 0, data | 1 << 16, &level->fabric[0]);
	if (!error)
		error = firmware_plan(&scope, &BASE, 0, data, level);
	if (!error)
		error = firmware_plan(&scope, &MEMORY, 0, data, request);
	if (!error)
		error = plan_cores(&scope, request, &CORES, &CORES_IF_ANY, &request->cores);
	for (unsigned int type = 0; type < trl_types(batch) && !error; type++)
		error = plan_turbo_ratios_of(
			&scope, is_amx(batch, type) ? &TURBO_RATIOS_IF_ANY : &TURBO_RATIOS, type,
			level->limit[type].mhz);
	return error;
}

/** Where kernel or firmware do not know command 0x0c, 0x09 reports less of the uncore. */
static int plan_properties_rest(struct firmware_batch *batch, struct level_request *request)
{
	struct isst_level *level = request->level;
	struct query_scope scope = level_scope(batch, request);

	if (reports_no_level(batch, request) || level->fabric[0].max_mhz.state != ISST_ABSENT ||
	    level->fabric[0].base_mhz.state != ISST_ABSENT)
		return 0;
	return firmware_plan(&scope, &UNCORE, 0, level_data(scope.level, 0, 0), &level->fabric[0]);
}

static void finish_properties(const struct isst_platform *platform, struct level_request *request)
{
	struct isst_level *level = request->level;

	level->memory_mhz = request->memory_code;
	if (request->memory_code.state == ISST_KNOWN) {
		unsigned int mhz = platform_memory_mhz(platform, request->memory_code.value);

		level->memory_mhz = (struct isst_value){ mhz ? ISST_KNOWN : ISST_ABSENT, mhz };
	}
}

static int plan_base_freq(struct firmware_batch *batch, struct level_request *request)
{
	struct isst_base_freq *result = &request->level->base_freq_info;
	struct query_scope scope = level_scope(batch, request);
	uint32_t data = level_data(scope.level, 0, 0);
	int error;

	scope.failure = &result->failure;
	error = plan_cores(&scope, request, &BASE_FREQ_CORES, &BASE_FREQ_CORES_IF_ANY,
			   &request->high_priority);
	if (!error)
		error = firmware_plan(&scope, &BASE_FREQ_RATIOS, 0, data, result);
	if (!error)
		error = firmware_plan(&scope, &BASE_FREQ_TDP, 0, data, result);
	if (!error)
		error = firmware_plan(&scope, &BASE_FREQ_TEMPERATURE, 0, data, result);
	return error;
}

static int plan_turbo_freq(struct firmware_batch *batch, struct level_request *request)
{
	struct isst_turbo_freq *result = &request->level->turbo_freq_info;
	struct query_scope scope = level_scope(batch, request);
	int error;

	scope.failure = &result->failure;
	error = firmware_plan(&scope, is_amx(batch, TRL_AMX) ? &CLIP_AMX : &CLIP, 0,
			      level_data(scope.level, 0, 0), result);
	for (unsigned int half = 0; half < 2 && !error; half++)
		error = firmware_plan(&scope, &TURBO_FREQ_CORES, 0,
				      level_data(scope.level, half, 0),
				      &request->turbo_freq_cores[4 * half]);
	return error;
}

static int plan_turbo_freq_rest(struct firmware_batch *batch, struct level_request *request)
{
	unsigned int buckets = firmware_valid_buckets(request->turbo_freq_cores);
	struct isst_turbo_freq *result = &request->level->turbo_freq_info;
	struct query_scope scope = level_scope(batch, request);
	int error = 0;

	scope.failure = &result->failure;
	for (unsigned int type = 0; type < trl_types(batch) && !error; type++)
		for (unsigned int half = 0; half < (buckets + 3) / 4 && !error; half++)
			error = firmware_plan(
				&scope,
				is_amx(batch, type) ? &TURBO_FREQ_IF_ANY : &TURBO_FREQ_RATIOS, 0,
				level_data(scope.level, half, type), &result->mhz[type][4 * half]);
	return error;
}

static int plan_core_power_switch(struct firmware_batch *batch, struct isst_core_power *state)
{
	return firmware_plan(RESULT_SCOPE(batch, state), &CORE_POWER, 0, 0, state);
}

static int plan_core_power(struct firmware_batch *batch, struct isst_core_power *state)
{
	int error = plan_core_power_switch(batch, state);

	return error ? error
		     : firmware_plan(DOMAIN_SCOPE(batch, state->domain, &state->clos_failure), &QOS,
				     0, 0, state);
}

/* ---- What can be set ---- */

static const struct field LEVEL_FIELD[] = { { 23, 16, FIELD_LONG, 1, 0 } };
static const struct field TWO_FEATURES_FIELD[] = { { 17, 16, FIELD_LONG, 1, 0 } };
static const struct field SWITCH_FIELD[] = { { 16, 16, FIELD_LONG, 1, 0 } };
static const struct field WORD_FIELD[] = { { 31, 0, FIELD_LONG, 1, 0 } };
static const struct field CLOS_NUMBER_FIELD[] = { { 17, 16, FIELD_LONG, 1, 0 } };
static const struct field LIMITS_FIELD[] = { { 63, 0, FIELD_LONG, 1, 0 } };
static const struct field LOCK_FIELD[] = { { 31, 31, FIELD_LONG, 1, 0 } };

enum index_place { INDEX_UNUSED, INDEX_IN_DATA, INDEX_IN_PARAMETER, INDEX_IN_REGISTER };

/* Parameter bit of command 0xd0. */
enum { PARAMETER_WRITE = 0x100 };

/** How a setting is read and written; its value is shifted into the written word. */
struct setting_access {
	struct firmware_command get, set;
	enum index_place place;
	unsigned int shift;
	uint32_t set_parameter;
};

/* clang-format off */
#define ACCESS(setting, request, get_code, get_sub, set_code, set_sub, get_fields, text, ...) \
	static const struct setting_access setting##_ACCESS = { \
		.get.name = text, .get.kind = REQUEST_##request, .get.code = get_code, .get.sub_code = get_sub, \
		.get.fields = get_fields, .get.field_count = 1, .get.decisive = true, \
		.set.name = text, .set.kind = REQUEST_##request, .set.code = set_code, .set.sub_code = set_sub, \
		.set.writes = true, __VA_ARGS__ }

/*     setting              request  get         set                                */
ACCESS(LEVEL,               MAILBOX, 0x7f, 0x00, 0x7f, 0x08, LEVEL_FIELD, "the current level");
ACCESS(FEATURES,            MAILBOX, 0x7f, 0x01, 0x7f, 0x02, TWO_FEATURES_FIELD, "the state of turbo-freq and base-freq",
       .place = INDEX_IN_DATA, .shift = 16, .get.refused_if_unsupported = true);
ACCESS(CORE_POWER,          MAILBOX, 0x94, 0x03, 0x95, 0x03, SWITCH_FIELD, "the state of core-power", .shift = 16);
ACCESS(QOS,                 MAILBOX, 0xd0, 0x02, 0xd0, 0x02, WORD_FIELD, "the state of CLOS",
       .set_parameter = PARAMETER_WRITE);
ACCESS(IO_CLOS,             IO,      0x08, 0,    0x08, 0,    WORD_FIELD, "the configuration of a CLOS",
       .place = INDEX_IN_REGISTER);
ACCESS(IO_ASSOCIATION,      IO,      0x20, 0,    0x20, 0,    CLOS_NUMBER_FIELD, "the CLOS of a core",
       .place = INDEX_IN_REGISTER, .shift = 16);
ACCESS(MAILBOX_CLOS,        MAILBOX, 0xd0, 0x01, 0xd0, 0x01, WORD_FIELD, "the configuration of a CLOS",
       .place = INDEX_IN_PARAMETER, .set_parameter = PARAMETER_WRITE);
ACCESS(MAILBOX_ASSOCIATION, MAILBOX, 0xd0, 0x00, 0xd0, 0x00, CLOS_NUMBER_FIELD, "the CLOS of a core",
       .place = INDEX_IN_PARAMETER, .shift = 16, .set_parameter = PARAMETER_WRITE);
ACCESS(LIMITS,              MSR,     0x1ad, 0,   0x1ad, 0,   LIMITS_FIELD, "the turbo ratio limits");
ACCESS(LEVEL_LOCK,          MSR,     0x64b, 0,   0,     0,   LOCK_FIELD, "the lock of the level");
/* clang-format on */

static const struct setting_access *find_access(const struct firmware_batch *batch,
						enum firmware_setting setting)
{
	static const struct setting_access *const BY_IO[SETTINGS] = {
		[SETTING_LEVEL] = &LEVEL_ACCESS,
		[SETTING_FEATURES] = &FEATURES_ACCESS,
		[SETTING_CORE_POWER] = &CORE_POWER_ACCESS,
		[SETTING_QOS] = &QOS_ACCESS,
		[SETTING_CLOS] = &IO_CLOS_ACCESS,
		[SETTING_ASSOCIATION] = &IO_ASSOCIATION_ACCESS,
		[SETTING_TURBO_RATIO_LIMITS] = &LIMITS_ACCESS,
		[SETTING_LEVEL_LOCK] = &LEVEL_LOCK_ACCESS,
	};
	bool by_mailbox = platform_has(batch->firmware->platform, PLATFORM_CLOS_BY_MAILBOX);

	if (by_mailbox && setting == SETTING_CLOS)
		return &MAILBOX_CLOS_ACCESS;
	if (by_mailbox && setting == SETTING_ASSOCIATION)
		return &MAILBOX_ASSOCIATION_ACCESS;
	return BY_IO[setting];
}

/** Whether the driver finds the mailbox by an offline CPU. For a CPU never online since it was
 * loaded the driver uses bus 0, where another device may be in the mailbox's place. */
static bool is_carrier(const struct firmware *firmware, unsigned int cpu)
{
	struct abi_mbox_cmd summary = { .logical_cpu = cpu, .command = 0x7f };
	char *vendor = NULL;
	int error;

	error = kernel_files_text(firmware->files, "/sys/bus/pci/devices/0000:00:1e.1/vendor",
				  &vendor);
	free(vendor);
	if (error != -ENOENT)
		return false;
	driver_mailbox(firmware->driver, &summary, &error, 1, BATCH_READS);
	return !error;
}

/** The CPU that carries a mailbox set. On resume the driver repeats the last set of each CPU,
 * oldest last: so one CPU carries all sets, the domain's lowest, even offline. A mailbox of MSRs
 * needs an online CPU. */
static unsigned int find_setter(const struct firmware *firmware, const struct isst_domain *domain)
{
	unsigned int lowest;

	if (platform_has(firmware->platform, PLATFORM_CLOS_BY_MAILBOX) ||
	    !isst_cpuset_next(domain->present, 0, &lowest) || lowest == domain->cpu ||
	    !is_carrier(firmware, lowest))
		return domain->cpu;
	return lowest;
}

static int plan_setting(struct firmware_batch *batch, const struct setting_request *request,
			bool sets)
{
	const struct setting_access *access = find_access(batch, request->setting);
	struct query_scope scope = *DOMAIN_SCOPE(batch, request->domain, request->failure);
	uint32_t parameter = 0, data = access->place == INDEX_IN_DATA ? request->index : 0;

	if (access->place == INDEX_IN_PARAMETER)
		parameter = request->index;
	else if (access->place == INDEX_IN_REGISTER)
		parameter = 4 * request->index;
	if (!sets)
		return firmware_plan(&scope, &access->get, parameter, data, request->value);
	if (access->set.kind == REQUEST_MAILBOX)
		scope.setter = find_setter(batch->firmware, request->domain);
	return firmware_plan(&scope, &access->set, parameter | access->set_parameter,
			     *request->value << access->shift, NULL);
}

static int plan_get(struct firmware_batch *batch, const struct setting_request *request)
{
	return plan_setting(batch, request, false);
}

static int plan_set(struct firmware_batch *batch, const struct setting_request *request)
{
	return plan_setting(batch, request, true);
}

const struct firmware_operations mailbox_operations = {
	.thread_bits = 1,
	.trl_type_name = trl_type_name,
	.plan_perf_profile = plan_perf_profile,
	.plan_core_power_switch = plan_core_power_switch,
	.plan_core_power = plan_core_power,
	.plan_features = plan_features,
	.plan_bucket_cores = plan_bucket_cores,
	.plan_properties = plan_properties,
	.plan_properties_rest = plan_properties_rest,
	.finish_properties = finish_properties,
	.plan_level_limits = plan_level_limits,
	.plan_base_freq = plan_base_freq,
	.plan_turbo_freq = plan_turbo_freq,
	.plan_turbo_freq_rest = plan_turbo_freq_rest,
	.plan_get = plan_get,
	.plan_set = plan_set,
};
