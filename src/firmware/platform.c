/* SPDX-License-Identifier: BSD-3-Clause */
/* The processors that are known, and their facts. */
#include "firmware/platform.h"

enum {
	FIRST_GENERATION = 1, /* core-power before Ice Lake */
	TRL_LEVELS = 2,
	PRESET = 4,  /* some of its steppings may be preset */
	TRL_AMX = 8, /* a fourth type of turbo limits, measured on real servers */
	E_CORES = 16,
};

enum { API_MAILBOX = 1, API_TPMI = 2 }; /* versions of the driver's interface */
enum { FIRST_PRESET_STEPPING = 6, LAST_PRESET_STEPPING = 7 };

#define MSR_MAILBOX "isst_if_mbox_msr"
#define PCI_MAILBOX "isst_if_mbox_pci and isst_if_mmio"
#define TPMI "isst_tpmi, which needs intel_vsec and the TPMI core driver"

enum memory_codes { NO_CODES, DDR4_CODES, TIMES_200_MHZ };

/* clang-format off */
static const struct processor {
	unsigned int family, model;
	const char *modules;
	unsigned int differences;
	enum memory_codes memory;
} PROCESSORS[] = {
	{  6, 0x55, MSR_MAILBOX, FIRST_GENERATION | PRESET, NO_CODES },	/* Skylake, Cascade Lake, Cooper Lake */
	{  6, 0x6a, PCI_MAILBOX, 0,          DDR4_CODES },	/* Ice Lake */
	{  6, 0x6c, PCI_MAILBOX, 0,          DDR4_CODES },	/* Ice Lake D */
	{  6, 0x8f, PCI_MAILBOX, TRL_AMX,    TIMES_200_MHZ },	/* Sapphire Rapids */
	{  6, 0xcf, PCI_MAILBOX, TRL_LEVELS, TIMES_200_MHZ },	/* Emerald Rapids */
	{  6, 0xad, TPMI,        0,          NO_CODES },	/* Granite Rapids */
	{  6, 0xae, TPMI,        0,          NO_CODES },	/* Granite Rapids D */
	{  6, 0xaf, TPMI,        E_CORES,    NO_CODES },	/* Sierra Forest */
	{  6, 0xb6, TPMI,        E_CORES,    NO_CODES },	/* Grand Ridge */
	{  6, 0xdd, TPMI,        E_CORES,    NO_CODES },	/* Clearwater Forest */
	{ 19, 0x01, TPMI,        0,          NO_CODES },	/* Diamond Rapids */
};
/* clang-format on */

static const struct processor *find_processor(const struct isst_platform *platform)
{
	for (size_t i = 0; i < sizeof(PROCESSORS) / sizeof(PROCESSORS[0]); i++)
		if (PROCESSORS[i].family == platform->family &&
		    PROCESSORS[i].model == platform->model)
			return &PROCESSORS[i];
	return NULL;
}

bool platform_is_known(const struct isst_platform *platform)
{
	return platform->intel && find_processor(platform);
}

bool platform_has(const struct isst_platform *platform, enum platform_fact fact)
{
	const struct processor *processor = find_processor(platform);
	unsigned int differences = processor ? processor->differences : 0;
	bool tpmi = platform->api_version >= API_TPMI;

	switch (fact) {
	case PLATFORM_POWER_DOMAINS:
		return tpmi;
	case PLATFORM_CLOS_WEIGHT:
	case PLATFORM_PROPORTIONAL_PRIORITY:
		return tpmi || !(differences & FIRST_GENERATION);
	case PLATFORM_CLOS_EPP:
		return !tpmi && !(differences & FIRST_GENERATION);
	case PLATFORM_CLOS_DESIRED:
		return !tpmi;
	case PLATFORM_CLOS_BY_MAILBOX:
		return differences & FIRST_GENERATION;
	case PLATFORM_TRL_TYPES_ARE_LEVELS:
		return tpmi || differences & TRL_LEVELS;
	case PLATFORM_TRL_TYPE_AMX:
		return differences & TRL_AMX;
	case PLATFORM_COUNTS_MODULES:
		return differences & E_CORES;
	case PLATFORM_MAY_BE_PRESET:
		return differences & PRESET && platform->stepping >= FIRST_PRESET_STEPPING &&
		       platform->stepping <= LAST_PRESET_STEPPING;
	}
	return false;
}

const char *platform_cores_word(const struct isst_platform *platform, size_t count)
{
	if (platform_has(platform, PLATFORM_COUNTS_MODULES))
		return count == 1 ? "module" : "modules";
	return count == 1 ? "core" : "cores";
}

bool platform_misses_transport(const struct isst_platform *platform)
{
	return platform->api_version == API_MAILBOX && !(platform->mailbox && platform->mmio) &&
	       !platform_has(platform, PLATFORM_CLOS_BY_MAILBOX);
}

const char *platform_modules(const struct isst_platform *platform)
{
	const struct processor *processor = platform->intel ? find_processor(platform) : NULL;

	return processor ? processor->modules
			 : PCI_MAILBOX " (Ice Lake to Emerald Rapids), " MSR_MAILBOX
				       " (before), or isst_tpmi (Granite Rapids and later)";
}

unsigned int platform_memory_mhz(const struct isst_platform *platform, unsigned int code)
{
	static const unsigned int DDR4_MHZ[] = { 3200, 2933, 2667, 2400, 2133, 1867, 1600 };
	const struct processor *processor = find_processor(platform);

	switch (processor ? processor->memory : NO_CODES) {
	case DDR4_CODES:
		return code < sizeof(DDR4_MHZ) / sizeof(DDR4_MHZ[0]) ? DDR4_MHZ[code] : 0;
	case TIMES_200_MHZ:
		return code * 200;
	default:
		return 0;
	}
}
