/* SPDX-License-Identifier: BSD-3-Clause */
/* The firmware of a power domain: it looks at a control register and answers in the status
 * register, with what it finds there or with an error. */
#include "emulator/firmware/firmware.h"

enum { ERROR_NONE = 0, ERROR_NOT_ALLOWED = 1 };
/* Three bits for each feature. */
enum { FEATURE_ERROR_BITS = 3, FEATURE_UNSUPPORTED = 1 };

static void enter_tpmi_level(struct server *server, size_t domain, unsigned int level)
{
	const struct tpmi_registers registers = state_registers(server, domain);
	uint64_t ratios;

	tpmi_set(&registers, PP_STATUS_LEVEL, 0, 0, level);
	ratios = level_facts(server, domain).turbo_ratios;
	if (ratios)
		state_msrs(server, domain)->turbo_ratio_limits = ratios;
	if (server->platform->uncore_follows_level.value)
		uncore_set_limits(server, domain);
	server->level_changed = true;
}

/** The same error for each of these features. */
static uint64_t feature_errors(uint64_t features, unsigned int error)
{
	uint64_t mask = (UINT64_C(1) << FEATURE_ERROR_BITS) - 1, errors = 0;

	for (unsigned int feature = 0; feature < 8; feature++)
		if (features >> feature & 1)
			errors |= (error & mask) << (feature * FEATURE_ERROR_BITS);
	return errors;
}

/** The features that the present level supports. */
static uint64_t supported_features(const struct tpmi_registers *registers)
{
	unsigned int level = (unsigned int)tpmi_get(registers, PP_STATUS_LEVEL, 0, 0);

	return tpmi_get(registers, BF_SUPPORTED, level, 0) |
	       tpmi_get(registers, TF_SUPPORTED, level, 0) << 1;
}

void firmware_perf_profile(struct server *server, size_t domain)
{
	const struct tpmi_registers registers = state_registers(server, domain);
	unsigned int wanted_level = (unsigned int)tpmi_get(&registers, PP_CONTROL_LEVEL, 0, 0);
	bool change = wanted_level != tpmi_get(&registers, PP_STATUS_LEVEL, 0, 0);
	bool accepted = !change || (tpmi_get(&registers, PP_LEVELS, 0, 0) >> wanted_level & 1 &&
				    tpmi_get(&registers, PP_DYNAMIC_SWITCH, 0, 0) &&
				    !tpmi_get(&registers, PP_STATUS_LOCK, 0, 0));
	uint64_t supported, wanted, before, refused;

	tpmi_set(&registers, PP_STATUS_ERROR, 0, 0, accepted ? ERROR_NONE : ERROR_NOT_ALLOWED);
	if (change && accepted)
		enter_tpmi_level(server, domain, wanted_level);
	/* A feature that the level does not support keeps its state; off is always possible. */
	supported = supported_features(&registers);
	wanted = tpmi_get(&registers, PP_CONTROL_FEATURES, 0, 0);
	before = tpmi_get(&registers, PP_STATUS_FEATURES, 0, 0);
	refused = wanted & ~supported;
	tpmi_set(&registers, PP_STATUS_FEATURE_ERRORS, 0, 0,
		 feature_errors(refused, FEATURE_UNSUPPORTED));
	tpmi_set(&registers, PP_STATUS_FEATURES, 0, 0, (wanted & supported) | (before & refused));
}

void firmware_change_level(struct server *server, size_t domain, unsigned int level)
{
	const struct tpmi_registers registers = state_registers(server, domain);

	if (!platform_is_tpmi(server->platform)) {
		mailbox_change_level(server, domain, level);
		return;
	}
	if (tpmi_absent(&registers) || level > tpmi_highest_level(&registers) ||
	    !(tpmi_get(&registers, PP_LEVELS, 0, 0) >> level & 1) ||
	    level == tpmi_get(&registers, PP_STATUS_LEVEL, 0, 0))
		return;
	enter_tpmi_level(server, domain, level);
	tpmi_set(&registers, PP_STATUS_FEATURES, 0, 0,
		 tpmi_get(&registers, PP_STATUS_FEATURES, 0, 0) & supported_features(&registers));
}

void firmware_core_power(struct server *server, size_t domain)
{
	/* Some firmware resets configurations of CLOS when core-power goes on, to these values. */
	enum { WEIGHT = 15, NO_LIMIT = 0xff };
	const uint64_t resets = server->platform->domains[domain].clos_resets.cores;
	const struct tpmi_registers registers = state_registers(server, domain);
	uint64_t before = tpmi_get(&registers, CP_STATUS, 0, 0);
	uint64_t after = tpmi_get(&registers, CP_CONTROL, 0, 0);

	if (!(tpmi_get(&registers, SST_CAPABILITIES, 0, 0) & TPMI_HAS_CORE_POWER))
		return;
	tpmi_set(&registers, CP_STATUS, 0, 0, after);
	for (unsigned int clos = 0; clos < CLOS_COUNT && after & 1 && !(before & 1); clos++) {
		if (!(resets >> clos & 1))
			continue;
		tpmi_set(&registers, CP_CLOS_WEIGHT, 0, clos, WEIGHT);
		tpmi_set(&registers, CP_CLOS_MIN, 0, clos, 0);
		tpmi_set(&registers, CP_CLOS_MAX, 0, clos, NO_LIMIT);
	}
}

void firmware_refuse(struct server *server, size_t domain, bool features, unsigned int error)
{
	const struct tpmi_registers registers = state_registers(server, domain);

	if (features)
		tpmi_set(&registers, PP_STATUS_FEATURE_ERRORS, 0, 0,
			 feature_errors(tpmi_get(&registers, PP_CONTROL_FEATURES, 0, 0), error));
	else
		tpmi_set(&registers, PP_STATUS_ERROR, 0, 0, error);
}

void firmware_write_register(struct server *server, size_t domain, size_t offset, uint32_t value)
{
	static const struct {
		enum tpmi_field field;
		unsigned int count;
	} WRITABLE[] = {
		{ PP_CONTROL_LEVEL, 1 },     { PP_CONTROL_FEATURES, 1 },
		{ CP_CONTROL, 1 },	     { CP_CLOS_WEIGHT, CLOS_COUNT },
		{ CP_CLOS_MIN, CLOS_COUNT }, { CP_CLOS_MAX, CLOS_COUNT },
		{ CP_ASSOCIATION, 4 },
	};
	const struct tpmi_registers registers = state_registers(server, domain);
	const size_t at = offset / sizeof(uint64_t);
	const unsigned int shift = offset % sizeof(uint64_t) < sizeof(uint32_t) ? 0 : 32;
	const bool locked = tpmi_get(&registers, PP_STATUS_LOCK, 0, 0);
	uint64_t after = (registers.word[at] & ~((uint64_t)UINT32_MAX << shift)) | (uint64_t)value
											   << shift;
	uint64_t *word = &registers.word[at];

	if (tpmi_absent(&registers))
		return;
	for (size_t i = 0; i < sizeof(WRITABLE) / sizeof(*WRITABLE); i++)
		for (unsigned int index = 0; index < WRITABLE[i].count; index++) {
			const enum tpmi_field field = WRITABLE[i].field;
			const uint64_t before = *word;
			uint64_t wanted;

			if (tpmi_word(&registers, field, 0, index) != at ||
			    (field == PP_CONTROL_LEVEL && locked))
				continue;
			*word = after;
			wanted = tpmi_get(&registers, field, 0, index);
			*word = before;
			tpmi_set(&registers, field, 0, index, wanted);
		}
	if (at == tpmi_word(&registers, PP_CONTROL_LEVEL, 0, 0))
		firmware_perf_profile(server, domain);
	else if (at == tpmi_word(&registers, CP_CONTROL, 0, 0))
		firmware_core_power(server, domain);
}
