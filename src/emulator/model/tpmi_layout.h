/* SPDX-License-Identifier: BSD-3-Clause */
/* The TPMI registers of a power domain: banks that headers lead to, registers of 64 bits, fields.
 * Written from the description of the registers and not from src/firmware. */
#ifndef EMULATOR_TPMI_LAYOUT_H
#define EMULATOR_TPMI_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The registers of one instance: a power domain. */
struct tpmi_registers {
	uint64_t *word;
	size_t count;
};

enum tpmi_bank {
	TPMI_SST, /* header of the instance */
	TPMI_CP,  /* core-power */
	TPMI_PP,  /* perf-profile */
	/* Of each level: */
	TPMI_LEVEL,
	TPMI_BF,
	TPMI_TF,
};

/* A bank, bytes from its begin to the register, and the highest and the lowest bit. */
#define TPMI_FIELD(bank, offset, high, low) ((bank) << 24 | (offset) << 16 | (high) << 8 | (low))

enum tpmi_field {
	SST_VERSION = TPMI_FIELD(TPMI_SST, 0, 7, 0), /* 0xff: the instance is absent */
	SST_CAPABILITIES = TPMI_FIELD(TPMI_SST, 0, 15, 8),
	SST_CP_OFFSET = TPMI_FIELD(TPMI_SST, 0, 23, 16), /* of banks: in words of 64 bits */
	SST_PP_OFFSET = TPMI_FIELD(TPMI_SST, 0, 31, 24),

	CP_ID = TPMI_FIELD(TPMI_CP, 0, 3, 0),
	CP_REVISION = TPMI_FIELD(TPMI_CP, 0, 11, 4),
	CP_CONTROL = TPMI_FIELD(TPMI_CP, 8, 1, 0), /* enable and priority type together */
	CP_CONTROL_ENABLE = TPMI_FIELD(TPMI_CP, 8, 0, 0),
	CP_CONTROL_PRIORITY = TPMI_FIELD(TPMI_CP, 8, 1, 1),
	CP_STATUS = TPMI_FIELD(TPMI_CP, 16, 1, 0),
	CP_STATUS_ENABLE = TPMI_FIELD(TPMI_CP, 16, 0, 0),
	CP_STATUS_PRIORITY = TPMI_FIELD(TPMI_CP, 16, 1, 1),
	CP_CLOS_WEIGHT = TPMI_FIELD(TPMI_CP, 24, 7, 4), /* index: the class */
	CP_CLOS_MIN = TPMI_FIELD(TPMI_CP, 24, 15, 8),
	CP_CLOS_MAX = TPMI_FIELD(TPMI_CP, 24, 23, 16),
	/* whole register; index: which of four, 16 cores each */
	CP_ASSOCIATION = TPMI_FIELD(TPMI_CP, 56, 63, 0),

	PP_ID = TPMI_FIELD(TPMI_PP, 0, 3, 0),
	PP_REVISION = TPMI_FIELD(TPMI_PP, 0, 11, 4),
	PP_LEVELS = TPMI_FIELD(TPMI_PP, 0, 19, 12), /* mask */
	PP_ALLOWED_LEVELS = TPMI_FIELD(TPMI_PP, 0, 27, 20),
	PP_BLOCK_SIZE = TPMI_FIELD(TPMI_PP, 0, 41, 34),
	PP_DYNAMIC_SWITCH = TPMI_FIELD(TPMI_PP, 0, 42, 42),
	PP_LEVEL_OFFSET = TPMI_FIELD(TPMI_PP, 8, 7, 0), /* of banks inside the block of a level */
	PP_BF_OFFSET = TPMI_FIELD(TPMI_PP, 8, 15, 8),
	PP_TF_OFFSET = TPMI_FIELD(TPMI_PP, 8, 23, 16),
	/* whole register: a byte for each level */
	PP_BLOCK_OFFSETS = TPMI_FIELD(TPMI_PP, 16, 63, 0),
	PP_CONTROL_LEVEL = TPMI_FIELD(TPMI_PP, 24, 2, 0),
	PP_CONTROL_LOCK = TPMI_FIELD(TPMI_PP, 24, 3, 3),
	PP_CONTROL_FEATURES = TPMI_FIELD(TPMI_PP, 24, 15, 8),
	PP_STATUS_LEVEL = TPMI_FIELD(TPMI_PP, 32, 2, 0),
	PP_STATUS_LOCK = TPMI_FIELD(TPMI_PP, 32, 3, 3),
	PP_STATUS_ERROR = TPMI_FIELD(TPMI_PP, 32, 7, 4),
	PP_STATUS_FEATURES = TPMI_FIELD(TPMI_PP, 32, 15, 8),
	PP_STATUS_FEATURE_ERRORS = TPMI_FIELD(TPMI_PP, 32, 55, 32),

	LEVEL_BASE_SSE = TPMI_FIELD(TPMI_LEVEL, 0, 7, 0),
	LEVEL_BASE_AVX2 = TPMI_FIELD(TPMI_LEVEL, 0, 15, 8),
	LEVEL_BASE_AVX512 = TPMI_FIELD(TPMI_LEVEL, 0, 23, 16),
	LEVEL_BASE_AMX = TPMI_FIELD(TPMI_LEVEL, 0, 31, 24),
	LEVEL_FUSED_CORES = TPMI_FIELD(TPMI_LEVEL, 8, 7, 0),
	LEVEL_RESOLVED_CORES = TPMI_FIELD(TPMI_LEVEL, 8, 15, 8),
	LEVEL_POWER = TPMI_FIELD(TPMI_LEVEL, 8, 46, 32), /* 1/8 W */
	LEVEL_TJUNCTION = TPMI_FIELD(TPMI_LEVEL, 8, 54, 47),
	LEVEL_MEMORY = TPMI_FIELD(TPMI_LEVEL, 8, 61, 55), /* 100 MHz */
	LEVEL_COOLING = TPMI_FIELD(TPMI_LEVEL, 8, 63, 62),
	LEVEL_CORE_MASK = TPMI_FIELD(TPMI_LEVEL, 16, 63, 0),
	/* whole register: a byte for each bucket; index: the TRL level */
	LEVEL_TRL = TPMI_FIELD(TPMI_LEVEL, 32, 63, 0),
	LEVEL_TRL_CORES = TPMI_FIELD(TPMI_LEVEL, 80, 63, 0), /* the same */
	LEVEL_P0 = TPMI_FIELD(TPMI_LEVEL, 88, 7, 0),
	LEVEL_P1 = TPMI_FIELD(TPMI_LEVEL, 88, 15, 8),
	LEVEL_PN = TPMI_FIELD(TPMI_LEVEL, 88, 23, 16),
	LEVEL_PM = TPMI_FIELD(TPMI_LEVEL, 88, 31, 24),
	LEVEL_FABRIC_P0 = TPMI_FIELD(TPMI_LEVEL, 88, 39, 32),
	LEVEL_FABRIC_P1 = TPMI_FIELD(TPMI_LEVEL, 88, 47, 40),
	LEVEL_FABRIC_PM = TPMI_FIELD(TPMI_LEVEL, 88, 55, 48),
	LEVEL_FABRIC2_P0 = TPMI_FIELD(TPMI_LEVEL, 96, 7, 0), /* revision 2 and up */
	LEVEL_FABRIC2_P1 = TPMI_FIELD(TPMI_LEVEL, 96, 15, 8),
	LEVEL_FABRIC2_PM = TPMI_FIELD(TPMI_LEVEL, 96, 23, 16),

	BF_ID = TPMI_FIELD(TPMI_BF, 0, 3, 0),
	BF_REVISION = TPMI_FIELD(TPMI_BF, 0, 11, 4),
	BF_SUPPORTED = TPMI_FIELD(TPMI_BF, 0, 12, 12),
	BF_HIGH = TPMI_FIELD(TPMI_BF, 0, 20, 13),
	BF_LOW = TPMI_FIELD(TPMI_BF, 0, 28, 21),
	BF_TJUNCTION = TPMI_FIELD(TPMI_BF, 0, 45, 38),
	BF_POWER = TPMI_FIELD(TPMI_BF, 0, 60, 46),
	BF_CORE_MASK = TPMI_FIELD(TPMI_BF, 8, 63, 0),

	TF_ID = TPMI_FIELD(TPMI_TF, 0, 3, 0),
	TF_REVISION = TPMI_FIELD(TPMI_TF, 0, 11, 4),
	TF_SUPPORTED = TPMI_FIELD(TPMI_TF, 0, 12, 12),
	/* all from the first on: a byte for each TRL level */
	TF_CLIP = TPMI_FIELD(TPMI_TF, 0, 63, 16),
	TF_CORES = TPMI_FIELD(TPMI_TF, 8, 63, 0), /* whole register: a byte for each bucket */
	TF_TRL = TPMI_FIELD(TPMI_TF, 16, 63, 0),  /* the same; index: the TRL level */
	/* revision 2 and up: 16 bits for each of three buckets */
	TF_MODULES = TPMI_FIELD(TPMI_TF, 64, 47, 0),
};

/** @level is for the banks of levels, @index is described at the field. Reads of what the
 * instance does not hold give all ones, as those of absent devices do; writes to it are lost. */
uint64_t tpmi_get(const struct tpmi_registers *registers, enum tpmi_field field, unsigned int level,
		  unsigned int index);
void tpmi_set(const struct tpmi_registers *registers, enum tpmi_field field, unsigned int level,
	      unsigned int index, uint64_t value);

/** Where the register of a field is, in words of 64 bits. */
size_t tpmi_word(const struct tpmi_registers *registers, enum tpmi_field field, unsigned int level,
		 unsigned int index);

/** The class of a core, of which 16 are in a register. */
unsigned int tpmi_class(const struct tpmi_registers *registers, unsigned int core);
void tpmi_set_class(const struct tpmi_registers *registers, unsigned int core, unsigned int clos);

/** A byte of a word: ratios and counts come eight in a register. */
static inline unsigned int tpmi_byte(uint64_t word, unsigned int index)
{
	return (unsigned int)(word >> (8 * index) & 0xff);
}

static inline uint16_t ratio_mhz(uint64_t ratio)
{
	return (uint16_t)(ratio * 100);
}

bool tpmi_absent(const struct tpmi_registers *registers);

/** The highest level that exists; 0 where none does. */
unsigned int tpmi_highest_level(const struct tpmi_registers *registers);

/** Where a bank begins, in words of 64 bits. */
size_t tpmi_bank_start(const struct tpmi_registers *registers, enum tpmi_bank bank,
		       unsigned int level);

/** What of an instance lies outside of its registers, as a text, or NULL where all is there. */
const char *tpmi_incomplete(const struct tpmi_registers *registers);

#endif
