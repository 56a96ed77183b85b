/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be set by mailbox, MMIO registers and MSRs: how each setting is read and written. */
#include "firmware/mailbox.h"
#include "firmware/platform.h"

static const struct field LEVEL_FIELD[] = { { 23, 16, FIELD_LONG, 1, 0 } };
static const struct field TWO_FEATURES_FIELD[] = { { 17, 16, FIELD_LONG, 1, 0 } };
static const struct field SWITCH_FIELD[] = { { 16, 16, FIELD_LONG, 1, 0 } };
static const struct field WORD_FIELD[] = { { 31, 0, FIELD_LONG, 1, 0 } };
static const struct field CLOS_NUMBER_FIELD[] = { { 17, 16, FIELD_LONG, 1, 0 } };
static const struct field LIMITS_FIELD[] = { { 63, 0, FIELD_LONG, 1, 0 } };

/** Where the index of a setting goes. */
enum index_place { INDEX_UNUSED, INDEX_IN_DATA, INDEX_IN_PARAMETER, INDEX_IN_REGISTER };

/** Parameter bit of command 0xd0 that makes it a write. */
enum { PARAMETER_WRITE = 0x100 };

/** How a setting is read and written: its value is shifted into the word that is written. */
struct setting_access {
	struct firmware_command get, set;
	enum index_place place;
	unsigned int shift;
	uint32_t set_parameter;
};

static const struct setting_access LEVEL_ACCESS = {
	.get.name = "the current level",
	.get.kind = REQUEST_MAILBOX,
	.get.code = 0x7f,
	.get.sub_code = 0x00,
	.get.fields = LEVEL_FIELD,
	.get.field_count = 1,
	.set.name = "the current level",
	.set.writes = true,
	.set.kind = REQUEST_MAILBOX,
	.set.code = 0x7f,
	.set.sub_code = 0x08,
};
static const struct setting_access FEATURES_ACCESS = {
	.get.name = "the state of turbo-freq and base-freq",
	.get.refused_if_unsupported = true,
	.get.kind = REQUEST_MAILBOX,
	.get.code = 0x7f,
	.get.sub_code = 0x01,
	.get.fields = TWO_FEATURES_FIELD,
	.get.field_count = 1,
	.set.name = "the state of turbo-freq and base-freq",
	.set.writes = true,
	.set.kind = REQUEST_MAILBOX,
	.set.code = 0x7f,
	.set.sub_code = 0x02,
	.place = INDEX_IN_DATA,
	.shift = 16,
};
static const struct setting_access CORE_POWER_ACCESS = {
	.get.name = "the state of core-power",
	.get.kind = REQUEST_MAILBOX,
	.get.code = 0x94,
	.get.sub_code = 0x03,
	.get.fields = SWITCH_FIELD,
	.get.field_count = 1,
	.set.name = "the state of core-power",
	.set.writes = true,
	.set.kind = REQUEST_MAILBOX,
	.set.code = 0x95,
	.set.sub_code = 0x03,
	.shift = 16,
};
static const struct setting_access QOS_ACCESS = {
	.get.name = "the state of CLOS",
	.get.kind = REQUEST_MAILBOX,
	.get.code = 0xd0,
	.get.sub_code = 0x02,
	.get.fields = WORD_FIELD,
	.get.field_count = 1,
	.set.name = "the state of CLOS",
	.set.writes = true,
	.set.kind = REQUEST_MAILBOX,
	.set.code = 0xd0,
	.set.sub_code = 0x02,
	.set_parameter = PARAMETER_WRITE,
};
static const struct setting_access IO_CLOS_ACCESS = {
	.get.name = "the configuration of a CLOS",
	.get.kind = REQUEST_IO,
	.get.code = 0x08,
	.get.fields = WORD_FIELD,
	.get.field_count = 1,
	.set.name = "the configuration of a CLOS",
	.set.writes = true,
	.set.kind = REQUEST_IO,
	.set.code = 0x08,
	.place = INDEX_IN_REGISTER,
};
static const struct setting_access IO_ASSOCIATION_ACCESS = {
	.get.name = "the CLOS of a core",
	.get.kind = REQUEST_IO,
	.get.code = 0x20,
	.get.fields = CLOS_NUMBER_FIELD,
	.get.field_count = 1,
	.set.name = "the CLOS of a core",
	.set.writes = true,
	.set.kind = REQUEST_IO,
	.set.code = 0x20,
	.place = INDEX_IN_REGISTER,
	.shift = 16,
};
static const struct setting_access MAILBOX_CLOS_ACCESS = {
	.get.name = "the configuration of a CLOS",
	.get.kind = REQUEST_MAILBOX,
	.get.code = 0xd0,
	.get.sub_code = 0x01,
	.get.fields = WORD_FIELD,
	.get.field_count = 1,
	.set.name = "the configuration of a CLOS",
	.set.writes = true,
	.set.kind = REQUEST_MAILBOX,
	.set.code = 0xd0,
	.set.sub_code = 0x01,
	.place = INDEX_IN_PARAMETER,
	.set_parameter = PARAMETER_WRITE,
};
static const struct setting_access MAILBOX_ASSOCIATION_ACCESS = {
	.get.name = "the CLOS of a core",
	.get.kind = REQUEST_MAILBOX,
	.get.code = 0xd0,
	.get.sub_code = 0x00,
	.get.fields = CLOS_NUMBER_FIELD,
	.get.field_count = 1,
	.set.name = "the CLOS of a core",
	.set.writes = true,
	.set.kind = REQUEST_MAILBOX,
	.set.code = 0xd0,
	.set.sub_code = 0x00,
	.place = INDEX_IN_PARAMETER,
	.shift = 16,
	.set_parameter = PARAMETER_WRITE,
};
static const struct setting_access LIMITS_ACCESS = {
	.get.name = "the turbo ratio limits",
	.get.kind = REQUEST_MSR,
	.get.code = 0x1ad,
	.get.fields = LIMITS_FIELD,
	.get.field_count = 1,
	.set.name = "the turbo ratio limits",
	.set.writes = true,
	.set.kind = REQUEST_MSR,
	.set.code = 0x1ad,
};

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
	};

	bool by_mailbox = platform_has(batch->firmware->platform, PLATFORM_CLOS_BY_MAILBOX);

	if (by_mailbox && setting == SETTING_CLOS)
		return &MAILBOX_CLOS_ACCESS;
	if (by_mailbox && setting == SETTING_ASSOCIATION)
		return &MAILBOX_ASSOCIATION_ACCESS;
	return BY_IO[setting];
}

int mailbox_plan_get(struct firmware_batch *batch, const struct setting_request *request)
{
	const struct setting_access *access = find_access(batch, request->setting);
	struct query_scope scope = { batch, request->domain, -1, request->failure };
	uint32_t index = request->index;

	switch (access->get.kind) {
	case REQUEST_MAILBOX:
		return firmware_plan_mailbox(
			&scope, &access->get, access->place == INDEX_IN_PARAMETER ? index : 0,
			access->place == INDEX_IN_DATA ? index : 0, request->value);
	case REQUEST_IO:
		return firmware_plan_io(&scope, &access->get, 4 * index, request->value);
	default:
		return firmware_plan_msr(&scope, &access->get, request->value);
	}
}

int mailbox_plan_set(struct firmware_batch *batch, const struct setting_request *request)
{
	const struct setting_access *access = find_access(batch, request->setting);
	struct query_scope scope = { batch, request->domain, -1, request->failure };
	uint32_t parameter = access->set_parameter;

	if (access->place == INDEX_IN_PARAMETER)
		parameter |= request->index;
	else if (access->place == INDEX_IN_REGISTER)
		parameter = 4 * request->index;
	return firmware_plan_write(&scope, &access->set, parameter,
				   *request->value << access->shift);
}
