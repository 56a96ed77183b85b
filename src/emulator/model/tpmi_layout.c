/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of TPMI fields, and how they are read and written. */
#include "emulator/model/tpmi_layout.h"

static const struct {
	enum tpmi_bank bank;
	unsigned char offset; /* bytes from the begin of the bank */
	unsigned char high, low;
} fields[TPMI_FIELDS] = {
	[SST_VERSION] = { TPMI_SST, 0, 7, 0 },
	[SST_CAPABILITIES] = { TPMI_SST, 0, 15, 8 },
	[SST_CP_OFFSET] = { TPMI_SST, 0, 23, 16 },
	[SST_PP_OFFSET] = { TPMI_SST, 0, 31, 24 },

	[CP_ID] = { TPMI_CP, 0, 3, 0 },
	[CP_REVISION] = { TPMI_CP, 0, 11, 4 },
	[CP_CONTROL] = { TPMI_CP, 8, 1, 0 },
	[CP_CONTROL_ENABLE] = { TPMI_CP, 8, 0, 0 },
	[CP_CONTROL_PRIORITY] = { TPMI_CP, 8, 1, 1 },
	[CP_STATUS] = { TPMI_CP, 16, 1, 0 },
	[CP_STATUS_ENABLE] = { TPMI_CP, 16, 0, 0 },
	[CP_STATUS_PRIORITY] = { TPMI_CP, 16, 1, 1 },
	[CP_CLOS_WEIGHT] = { TPMI_CP, 24, 7, 4 },
	[CP_CLOS_MIN] = { TPMI_CP, 24, 15, 8 },
	[CP_CLOS_MAX] = { TPMI_CP, 24, 23, 16 },
	[CP_ASSOCIATION] = { TPMI_CP, 56, 63, 0 },

	[PP_ID] = { TPMI_PP, 0, 3, 0 },
	[PP_REVISION] = { TPMI_PP, 0, 11, 4 },
	[PP_LEVELS] = { TPMI_PP, 0, 19, 12 },
	[PP_ALLOWED_LEVELS] = { TPMI_PP, 0, 27, 20 },
	[PP_BLOCK_SIZE] = { TPMI_PP, 0, 41, 34 },
	[PP_DYNAMIC_SWITCH] = { TPMI_PP, 0, 42, 42 },
	[PP_LEVEL_OFFSET] = { TPMI_PP, 8, 7, 0 },
	[PP_BF_OFFSET] = { TPMI_PP, 8, 15, 8 },
	[PP_TF_OFFSET] = { TPMI_PP, 8, 23, 16 },
	[PP_BLOCK_OFFSETS] = { TPMI_PP, 16, 63, 0 },
	[PP_CONTROL_LEVEL] = { TPMI_PP, 24, 2, 0 },
	[PP_CONTROL_LOCK] = { TPMI_PP, 24, 3, 3 },
	[PP_CONTROL_FEATURES] = { TPMI_PP, 24, 15, 8 },
	[PP_STATUS_LEVEL] = { TPMI_PP, 32, 2, 0 },
	[PP_STATUS_LOCK] = { TPMI_PP, 32, 3, 3 },
	[PP_STATUS_ERROR] = { TPMI_PP, 32, 7, 4 },
	[PP_STATUS_FEATURES] = { TPMI_PP, 32, 15, 8 },
	[PP_STATUS_FEATURE_ERRORS] = { TPMI_PP, 32, 55, 32 },

	[LEVEL_BASE_RATIOS] = { TPMI_LEVEL, 0, 31, 0 },
	[LEVEL_FUSED_CORES] = { TPMI_LEVEL, 8, 7, 0 },
	[LEVEL_RESOLVED_CORES] = { TPMI_LEVEL, 8, 15, 8 },
	[LEVEL_POWER] = { TPMI_LEVEL, 8, 46, 32 },
	[LEVEL_TJUNCTION] = { TPMI_LEVEL, 8, 54, 47 },
	[LEVEL_MEMORY] = { TPMI_LEVEL, 8, 61, 55 },
	[LEVEL_COOLING] = { TPMI_LEVEL, 8, 63, 62 },
	[LEVEL_CORE_MASK] = { TPMI_LEVEL, 16, 63, 0 },
	[LEVEL_TRL] = { TPMI_LEVEL, 32, 63, 0 },
	[LEVEL_TRL_CORES] = { TPMI_LEVEL, 80, 63, 0 },
	[LEVEL_P0] = { TPMI_LEVEL, 88, 7, 0 },
	[LEVEL_P1] = { TPMI_LEVEL, 88, 15, 8 },
	[LEVEL_PN] = { TPMI_LEVEL, 88, 23, 16 },
	[LEVEL_PM] = { TPMI_LEVEL, 88, 31, 24 },
	[LEVEL_FABRIC_P0] = { TPMI_LEVEL, 88, 39, 32 },
	[LEVEL_FABRIC_P1] = { TPMI_LEVEL, 88, 47, 40 },
	[LEVEL_FABRIC_PM] = { TPMI_LEVEL, 88, 55, 48 },
	[LEVEL_FABRIC2_P0] = { TPMI_LEVEL, 96, 7, 0 },
	[LEVEL_FABRIC2_P1] = { TPMI_LEVEL, 96, 15, 8 },
	[LEVEL_FABRIC2_PM] = { TPMI_LEVEL, 96, 23, 16 },

	[BF_ID] = { TPMI_BF, 0, 3, 0 },
	[BF_REVISION] = { TPMI_BF, 0, 11, 4 },
	[BF_SUPPORTED] = { TPMI_BF, 0, 12, 12 },
	[BF_HIGH] = { TPMI_BF, 0, 20, 13 },
	[BF_LOW] = { TPMI_BF, 0, 28, 21 },
	[BF_TJUNCTION] = { TPMI_BF, 0, 45, 38 },
	[BF_POWER] = { TPMI_BF, 0, 60, 46 },
	[BF_CORE_MASK] = { TPMI_BF, 8, 63, 0 },

	[TF_ID] = { TPMI_TF, 0, 3, 0 },
	[TF_REVISION] = { TPMI_TF, 0, 11, 4 },
	[TF_SUPPORTED] = { TPMI_TF, 0, 12, 12 },
	[TF_CLIP] = { TPMI_TF, 0, 63, 16 },
	[TF_CORES] = { TPMI_TF, 8, 63, 0 },
	[TF_TRL] = { TPMI_TF, 16, 63, 0 },
	[TF_MODULES] = { TPMI_TF, 64, 47, 0 },
};

enum { LEVELS = 8, WORD = 8 };

static uint64_t field_mask(enum tpmi_field field)
{
	unsigned int width = fields[field].high - fields[field].low + 1u;

	return width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

/** A field of a bank that begins at @start. */
static uint64_t get_from(const struct tpmi_registers *registers, enum tpmi_field field,
			 size_t start)
{
	const size_t at = start + fields[field].offset / WORD;
	uint64_t word = at < registers->count ? registers->word[at] : UINT64_MAX;

	return word >> fields[field].low & field_mask(field);
}

size_t tpmi_bank_start(const struct tpmi_registers *registers, enum tpmi_bank bank,
		       unsigned int level)
{
	static const enum tpmi_field OFFSETS[] = {
		[TPMI_LEVEL] = PP_LEVEL_OFFSET, [TPMI_BF] = PP_BF_OFFSET, [TPMI_TF] = PP_TF_OFFSET
	};
	size_t profile;

	if (bank == TPMI_SST)
		return 0;
	if (bank == TPMI_CP)
		return get_from(registers, SST_CP_OFFSET, 0);
	profile = get_from(registers, SST_PP_OFFSET, 0);
	if (bank == TPMI_PP)
		return profile;
	return profile + get_from(registers, OFFSETS[bank], profile) +
	       tpmi_byte(get_from(registers, PP_BLOCK_OFFSETS, profile), level % LEVELS);
}

static size_t word_of(const struct tpmi_registers *registers, enum tpmi_field field,
		      unsigned int level, unsigned int index)
{
	return tpmi_bank_start(registers, fields[field].bank, level) + fields[field].offset / WORD +
	       index;
}

uint64_t tpmi_get(const struct tpmi_registers *registers, enum tpmi_field field, unsigned int level,
		  unsigned int index)
{
	return get_from(registers, field,
			tpmi_bank_start(registers, fields[field].bank, level) + index);
}

void tpmi_set(const struct tpmi_registers *registers, enum tpmi_field field, unsigned int level,
	      unsigned int index, uint64_t value)
{
	size_t at = word_of(registers, field, level, index);
	unsigned int low = fields[field].low;

	if (at >= registers->count)
		return;
	registers->word[at] &= ~(field_mask(field) << low);
	registers->word[at] |= (value & field_mask(field)) << low;
}

bool tpmi_absent(const struct tpmi_registers *registers)
{
	return tpmi_get(registers, SST_VERSION, 0, 0) == 0xff;
}

unsigned int tpmi_highest_level(const struct tpmi_registers *registers)
{
	uint64_t levels = tpmi_get(registers, PP_LEVELS, 0, 0);
	unsigned int highest = 0;

	while (levels >>= 1)
		highest++;
	return highest;
}

/** Whether a register of a bank lies outside. */
static bool is_outside(const struct tpmi_registers *registers, enum tpmi_field field,
		       unsigned int level, unsigned int index)
{
	return word_of(registers, field, level, index) >= registers->count;
}

const char *tpmi_incomplete(const struct tpmi_registers *registers)
{
	if (registers->count == 0)
		return "the header";
	if (tpmi_absent(registers))
		return NULL;
	if (is_outside(registers, CP_ASSOCIATION, 0, 3))
		return "the core-power registers";
	if (is_outside(registers, PP_STATUS_LEVEL, 0, 0))
		return "the perf-profile registers";
	for (unsigned int level = 0; level < LEVELS; level++) {
		if (!(tpmi_get(registers, PP_LEVELS, 0, 0) >> level & 1))
			continue;
		if (is_outside(registers, LEVEL_P0, level, 0) ||
		    (tpmi_get(registers, PP_REVISION, 0, 0) >= 2 &&
		     is_outside(registers, LEVEL_FABRIC2_P0, level, 0)))
			return "registers of a level";
		if (is_outside(registers, BF_CORE_MASK, level, 0))
			return "SST-BF registers of a level";
		if (is_outside(registers, TF_TRL, level, 5) ||
		    (tpmi_get(registers, TF_REVISION, level, 0) >= 2 &&
		     is_outside(registers, TF_MODULES, level, 0)))
			return "SST-TF registers of a level";
	}
	return NULL;
}
