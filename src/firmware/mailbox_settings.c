/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be set by mailbox, MMIO registers and MSRs: how each setting is read and written. */
#include "driver/driver.h"
#include "firmware/batch.h"
#include "firmware/platform.h"
#include "sysfs/kernel_files.h"

#include <errno.h>
#include <stdlib.h>

static const struct field LEVEL_FIELD[] = { { 23, 16, FIELD_LONG, 1, 0 } };
static const struct field TWO_FEATURES_FIELD[] = { { 17, 16, FIELD_LONG, 1, 0 } };
static const struct field SWITCH_FIELD[] = { { 16, 16, FIELD_LONG, 1, 0 } };
static const struct field WORD_FIELD[] = { { 31, 0, FIELD_LONG, 1, 0 } };
static const struct field CLOS_NUMBER_FIELD[] = { { 17, 16, FIELD_LONG, 1, 0 } };
static const struct field LIMITS_FIELD[] = { { 63, 0, FIELD_LONG, 1, 0 } };

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

int mailbox_plan_set(struct firmware_batch *batch, const struct setting_request *request)
{
	const struct setting_access *access = find_access(batch, request->setting);
	uint32_t parameter = access->set_parameter;
	unsigned int cpu = access->set.kind == REQUEST_MAILBOX
				   ? find_setter(batch->firmware, request->domain)
				   : request->domain->cpu;

	if (access->place == INDEX_IN_PARAMETER)
		parameter |= request->index;
	else if (access->place == INDEX_IN_REGISTER)
		parameter = 4 * request->index;
	return firmware_plan_write(DOMAIN_SCOPE(batch, request->domain, request->failure),
				   &access->set, cpu, parameter, *request->value << access->shift);
}
