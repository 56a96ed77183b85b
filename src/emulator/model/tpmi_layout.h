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

enum tpmi_field {
	SST_VERSION, /* 0xff: the instance is absent */
	SST_CAPABILITIES,
	SST_CP_OFFSET, /* of banks: in words of 64 bits */
	SST_PP_OFFSET,

	CP_ID,
	CP_REVISION,
	CP_CONTROL, /* enable and priority type together */
	CP_CONTROL_ENABLE,
	CP_CONTROL_PRIORITY,
	CP_STATUS,
	CP_STATUS_ENABLE,
	CP_STATUS_PRIORITY,
	CP_CLOS_WEIGHT, /* index: the class */
	CP_CLOS_MIN,
	CP_CLOS_MAX,
	CP_ASSOCIATION, /* whole register; index: which of four, 16 cores each */

	PP_ID,
	PP_REVISION,
	PP_LEVELS, /* mask */
	PP_ALLOWED_LEVELS,
	PP_BLOCK_SIZE,
	PP_DYNAMIC_SWITCH,
	PP_LEVEL_OFFSET, /* of banks inside the block of a level */
	PP_BF_OFFSET,
	PP_TF_OFFSET,
	PP_BLOCK_OFFSETS, /* whole register: a byte for each level */
	PP_CONTROL_LEVEL,
	PP_CONTROL_LOCK,
	PP_CONTROL_FEATURES,
	PP_STATUS_LEVEL,
	PP_STATUS_LOCK,
	PP_STATUS_ERROR,
	PP_STATUS_FEATURES,
	PP_STATUS_FEATURE_ERRORS,

	LEVEL_BASE_RATIOS, /* SSE, AVX2, AVX-512, AMX: a byte each */
	LEVEL_FUSED_CORES,
	LEVEL_RESOLVED_CORES,
	LEVEL_POWER, /* 1/8 W */
	LEVEL_TJUNCTION,
	LEVEL_MEMORY, /* 100 MHz */
	LEVEL_COOLING,
	LEVEL_CORE_MASK,
	LEVEL_TRL,	 /* whole register: a byte for each bucket; index: the TRL level */
	LEVEL_TRL_CORES, /* the same */
	LEVEL_P0,
	LEVEL_P1,
	LEVEL_PN,
	LEVEL_PM,
	LEVEL_FABRIC_P0,
	LEVEL_FABRIC_P1,
	LEVEL_FABRIC_PM,
	LEVEL_FABRIC2_P0, /* revision 2 and up */
	LEVEL_FABRIC2_P1,
	LEVEL_FABRIC2_PM,

	BF_ID,
	BF_REVISION,
	BF_SUPPORTED,
	BF_HIGH,
	BF_LOW,
	BF_TJUNCTION,
	BF_POWER,
	BF_CORE_MASK,

	TF_ID,
	TF_REVISION,
	TF_SUPPORTED,
	TF_CLIP,    /* all from the first on: a byte for each TRL level */
	TF_CORES,   /* whole register: a byte for each bucket */
	TF_TRL,	    /* the same; index: the TRL level */
	TF_MODULES, /* revision 2 and up: 16 bits for each of three buckets */
	TPMI_FIELDS,
};

/** @level is for the banks of levels, @index is described at the field. Reads of what the
 * instance does not hold give all ones, as those of absent devices do; writes to it are lost. */
uint64_t tpmi_get(const struct tpmi_registers *registers, enum tpmi_field field, unsigned int level,
		  unsigned int index);
void tpmi_set(const struct tpmi_registers *registers, enum tpmi_field field, unsigned int level,
	      unsigned int index, uint64_t value);

/** A byte of a word: ratios and counts come eight in a register. */
static inline unsigned int tpmi_byte(uint64_t word, unsigned int index)
{
	return (unsigned int)(word >> (8 * index) & 0xff);
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
