/* SPDX-License-Identifier: BSD-3-Clause */
/* How TPMI fields are read and written. */
#include "emulator/model/tpmi_layout.h"

enum { LEVELS = 8, WORD = 8 };

static enum tpmi_bank bank_of(enum tpmi_field field)
{
	return (enum tpmi_bank)(field >> 24);
}

/** The register within its bank. */
static size_t register_of(enum tpmi_field field)
{
	return (field >> 16 & 0xff) / WORD;
}

static unsigned int lowest_bit(enum tpmi_field field)
{
	return field & 0xff;
}

static uint64_t field_mask(enum tpmi_field field)
{
	return UINT64_MAX >> (63 - (field >> 8 & 0xff) + lowest_bit(field));
}

/** A field of a bank that begins at @start. */
static uint64_t get_from(const struct tpmi_registers *registers, enum tpmi_field field,
			 size_t start)
{
	const size_t at = start + register_of(field);
	uint64_t word = at < registers->count ? registers->word[at] : UINT64_MAX;

	return word >> lowest_bit(field) & field_mask(field);
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

size_t tpmi_word(const struct tpmi_registers *registers, enum tpmi_field field, unsigned int level,
		 unsigned int index)
{
	return tpmi_bank_start(registers, bank_of(field), level) + register_of(field) + index;
}

uint64_t tpmi_get(const struct tpmi_registers *registers, enum tpmi_field field, unsigned int level,
		  unsigned int index)
{
	return get_from(registers, field,
			tpmi_bank_start(registers, bank_of(field), level) + index);
}

void tpmi_set(const struct tpmi_registers *registers, enum tpmi_field field, unsigned int level,
	      unsigned int index, uint64_t value)
{
	size_t at = tpmi_word(registers, field, level, index);
	const uint64_t mask = field_mask(field);

	if (at >= registers->count)
		return;
	registers->word[at] &= ~(mask << lowest_bit(field));
	registers->word[at] |= (value & mask) << lowest_bit(field);
}

enum { CORES_PER_WORD = 16, BITS_PER_CORE = 4 };

unsigned int tpmi_class(const struct tpmi_registers *registers, unsigned int core)
{
	return tpmi_get(registers, CP_ASSOCIATION, 0, core / CORES_PER_WORD) >>
		       core % CORES_PER_WORD * BITS_PER_CORE &
	       0xf;
}

void tpmi_set_class(const struct tpmi_registers *registers, unsigned int core, unsigned int clos)
{
	const unsigned int low = core % CORES_PER_WORD * BITS_PER_CORE;
	uint64_t word = tpmi_get(registers, CP_ASSOCIATION, 0, core / CORES_PER_WORD);

	word = (word & ~(UINT64_C(0xf) << low)) | (uint64_t)clos << low;
	tpmi_set(registers, CP_ASSOCIATION, 0, core / CORES_PER_WORD, word);
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
	return tpmi_word(registers, field, level, index) >= registers->count;
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
