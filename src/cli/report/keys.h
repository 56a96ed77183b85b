/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The key table: every name that can stand in a report, once. Must not know how reports are made
 * or rendered.
 */
#ifndef ISST_CLI_KEYS_H
#define ISST_CLI_KEYS_H

#include <stdbool.h>
#include <stdint.h>

struct key {
	/** The key as scripts know it. '#' stands for the node's index, '*' for its variant. */
	const char *name;
	/** The key of json-v2: snake_case, with the unit. */
	const char *name_v2;
	/** The variant that scripts know without a name of its own: "*-" is left out for it. */
	const char *plain_variant;
	/** How states are written: off, on. */
	const char *off, *on;
	/** In text written behind a branch that is marked. */
	const char *mark;
	/** Written behind a number. */
	const char *suffix;
	/** A number that is written as words instead. */
	uint64_t special;
	const char *special_text;
	/**
	 * Where not NULL: the lines that stand for the node in text; "": none. `{}` stands for its
	 * value,
	 * `{KEY}` for that of a node below it or behind it, `{#}` for its index, `{*}` for its
	 * variant, with a number behind it in a column of that width. @sentence_off: of a state
	 * that is off.
	 */
	const char *sentence, *sentence_off;
	/** Of reports that are screens: the sentence is broken into lines of the page. */
	bool wrapped;
	/** What stands for a value in sentences and cells, where that is not the value itself. */
	const struct phrase *phrases;
	/**
	 * Of reports that are screens. Of a step of a path, or of CPUs in sentences: what one is
	 * called; NULL: a step is called by the others alone, CPUs by their numbers. @optional: the
	 * same where all units are different without it.
	 */
	const char *place;
	bool optional;
	/**
	 * Of a branch: it is a row of a table, which has this heading; of a leaf: it is a cell of
	 * its branch's row, in a column with this heading. @index_heading: of a branch, of a column
	 * with its index.
	 */
	const char *heading, *index_heading;
	/** What stands in the cell, as a sentence; NULL: the value. A branch that has one is a cell
	 * as well, with all others of its key. @legend: what it means, below the table. */
	const char *cell, *legend;
	/** How a value stands out (STYLE_...), and which one does; of a row: its heading. */
	unsigned char style;
	const char *notable;
	/** Of a branch: what changes in it is not marked, since it does all the time. */
	bool restless;
	/** Of a leaf: it is a cell of a map, and these are what it can be. */
	const struct map_mark *marks;
};

/** What stands for a value in a map. The last one of a list has no value, and stands for all
 * others. */
struct map_mark {
	const char *value;
	char letter;
	const char *meaning;
	unsigned char style;
};

/** The last one of a list has no value. */
struct phrase {
	const char *value, *text;
};

/* How something stands out on a terminal, as a parameter of SGR; 0: not at all. Of the basic
 * colours red and magenta alone can be read on dark and on light ones. */
enum { STYLE_BOLD = 1, STYLE_CHANGED = 7, STYLE_WRONG = 31, STYLE_OFF = 35 };

enum key_id {
	/* The path of a unit */
	KEY_PACKAGE,
	KEY_DIE,
	KEY_DIE_IO,
	KEY_POWER_DOMAIN,
	KEY_CPU,
	KEY_NO_CPU,
	/* perf-profile */
	KEY_GET_CONFIG_LEVELS,
	KEY_GET_CONFIG_VERSION,
	KEY_GET_CONFIG_ENABLED,
	KEY_GET_CONFIG_CURRENT_LEVEL,
	KEY_GET_LOCK_STATUS,
	KEY_LEVEL,
	KEY_LEVEL_STATE,
	KEY_LEVEL_CORES,
	KEY_CPU_COUNT,
	KEY_ENABLE_CPU_COUNT,
	KEY_ENABLE_CPU_MASK,
	KEY_ENABLE_CPU_LIST,
	KEY_TDP_RATIO,
	KEY_BASE_FREQUENCY,
	KEY_BASE_FREQUENCY_AVX2,
	KEY_BASE_FREQUENCY_AVX512,
	KEY_BASE_FREQUENCY_AMX,
	KEY_UNCORE_MIN,
	KEY_UNCORE_MAX,
	KEY_UNCORE_BASE,
	KEY_UNCORE_1_MIN,
	KEY_UNCORE_1_MAX,
	KEY_UNCORE_1_BASE,
	KEY_MEMORY_FREQUENCY,
	KEY_COOLING_TYPE,
	KEY_SST_TURBO_FREQ,
	KEY_SST_BASE_FREQ,
	KEY_SST_CORE_POWER,
	KEY_POWER,
	KEY_TJUNCTION_MAX,
	KEY_TURBO_LIMITS,
	KEY_CORE_COUNT,
	KEY_MAX_TURBO_FREQUENCY,
	KEY_ALL_CORE_TURBO,
	/* base-freq */
	KEY_BASE_FREQ_PROPERTIES,
	KEY_HIGH_BASE_FREQUENCY,
	KEY_HIGH_CPU_MASK,
	KEY_HIGH_CPU_LIST,
	KEY_LOW_BASE_FREQUENCY,
	KEY_TJUNCTION,
	/* turbo-freq */
	KEY_TURBO_FREQ_PROPERTIES,
	KEY_HIGH_CORES_COUNT,
	KEY_HIGH_MAX_FREQUENCY,
	KEY_LOW_MAX_FREQUENCY,
	KEY_CORES_PER_PACKAGE,
	KEY_CHOSEN_CORES,
	KEY_USED_BUCKET,
	KEY_NEXT_BUCKET,
	KEY_FURTHER_CORES,
	KEY_HIGH_PRIORITY_CPUS,
	/* core-power */
	KEY_CORE_POWER,
	KEY_SUPPORT_STATUS,
	KEY_ENABLE_STATUS,
	KEY_CLOS_ENABLE_STATUS,
	KEY_PRIORITY_TYPE,
	KEY_CLOS,
	KEY_EPP,
	KEY_CLOS_WEIGHT,
	KEY_CLOS_MIN,
	KEY_CLOS_MAX,
	KEY_CLOS_DESIRED,
	KEY_GET_ASSOC,
	KEY_CLOS_CPUS,
	/* turbo-mode */
	KEY_GET_TRL,
	KEY_TRL,
	/* results of changes */
	KEY_PERF_PROFILE,
	KEY_BASE_FREQ,
	KEY_TURBO_FREQ,
	KEY_TURBO_FREQ_AUTO,
	KEY_TURBO_MODE,
	KEY_SET_TDP_LEVEL,
	KEY_ENABLE,
	KEY_DISABLE,
	KEY_CONFIG,
	KEY_ASSOC,
	KEY_SET_TRL,
	/* --dry-run */
	KEY_DRY_RUN,
	KEY_STEP,
	KEY_STEP_TARGET,
	KEY_STEP_OLD,
	KEY_STEP_NEW,
	/* journal */
	KEY_JOURNAL,
	KEY_JOURNAL_COMMAND,
	KEY_JOURNAL_AGE,
	KEY_JOURNAL_STATE,
	KEY_JOURNAL_ITEM,
	KEY_JOURNAL_TARGET,
	KEY_JOURNAL_COUNT,
	KEY_JOURNAL_OLD,
	KEY_JOURNAL_WRITTEN,
	KEY_JOURNAL_NOW,
	KEY_JOURNAL_FINDING,
	KEY_JOURNAL_APPLY,
	KEY_JOURNAL_RESULT,
	/* config */
	KEY_CONFIGURATION,
	KEY_CONFIG_TEXT,
	KEY_CONFIG_SAVE,
	KEY_CONFIG_CHECK,
	KEY_CONFIG_DIFFERENCE,
	KEY_CONFIG_NOT_DEFAULT,
	KEY_CONFIG_NOT_AS_BOOTED,
	KEY_CONFIG_TARGET,
	KEY_CONFIG_WANTED,
	KEY_CONFIG_PRESENT,
	KEY_CONFIG_ORIGIN,
	KEY_CONFIG_APPLY,
	KEY_CONFIG_RESET,
	KEY_CONFIG_TRY,
	/* explain */
	KEY_EXPLAIN,
	KEY_EXPLAIN_RESULT,
	KEY_FINDING,
	KEY_ADVISORY, /* like a finding */
	KEY_FINDING_SEVERITY,
	KEY_FINDING_CODE,
	KEY_FINDING_PLACE,
	KEY_FINDING_CPUS,
	KEY_FINDING_READ,
	KEY_FINDING_MEANING,
	KEY_FINDING_REMEDY,
	KEY_FINDING_COMMAND, /* a remedy that is a command stays one line */
	KEY_MEASURED,
	KEY_MEASURED_CPUS,
	KEY_MEASURED_MHZ,
	/* watch */
	KEY_WATCH,
	KEY_WATCH_TIME,
	KEY_WATCH_EVENT,
	KEY_WATCH_TARGET,
	KEY_WATCH_WANTED,
	KEY_WATCH_OLD,
	KEY_WATCH_NEW,
	KEY_WATCH_CAUSE,
	KEY_WATCH_LINE,
	/* --version, --info */
	KEY_VERSION,
	KEY_ISST_VERSION,
	KEY_COMMIT,
	KEY_KERNEL,
	KEY_API_VERSION,
	KEY_DRIVER_VERSION,
	KEY_MBOX_SUPPORTED,
	KEY_MMIO_SUPPORTED,
	KEY_INFO_PACKAGE,
	KEY_INFO_PERF_PROFILE,
	KEY_INFO_LOCK,
	KEY_INFO_MAX_LEVEL,
	KEY_INFO_TURBO_FREQ,
	KEY_INFO_BASE_FREQ,
	KEY_INFO_CORE_POWER,
	/* status */
	KEY_STATUS_PROCESSOR,
	KEY_STATUS_PACKAGES,
	KEY_STATUS_CORES,
	KEY_STATUS_ONLINE_CPUS,
	KEY_STATUS_PRESENT_CPUS,
	KEY_STATUS_INTERFACE,
	KEY_STATUS_NO_DRIVER,
	KEY_STATUS_API_VERSION,
	KEY_STATUS_DRIVER_VERSION,
	KEY_LAST_APPLY,
	KEY_LAST_APPLY_SOURCE,
	KEY_LAST_APPLY_TIME,
	KEY_LAST_APPLY_TIMESTAMP,
	KEY_LAST_APPLY_RESULT,
	KEY_LAST_APPLY_SHA256,
	KEY_STATUS_HOLDER,
	KEY_STATUS_TURBO,
	KEY_STATUS_HIGH_PRIORITY_CPUS,
	KEY_STATUS_UNPLACED,
	KEY_STATUS_NOT_READ,
	KEY_STATUS_NO_FREQUENCY,
	KEY_STATUS_LEVEL,
	KEY_STATUS_HIGHEST_LEVEL,
	KEY_STATUS_LOCK,
	KEY_STATUS_BASE_FREQUENCY,
	KEY_STATUS_TDP,
	KEY_STATUS_BASE_FREQ,
	KEY_STATUS_TURBO_FREQ,
	KEY_STATUS_CORE_POWER,
	KEY_STATUS_PRIORITY_TYPE,
	KEY_STATUS_CLOS,
	KEY_STATUS_HIGH_PRIORITY,
	KEY_STATUS_UNCORE,
	KEY_STATUS_TURBO_LIMITS,
	KEY_STATUS_SCALING,
	KEY_STATUS_REASONS,
	KEY_STATUS_RUNNING,
	KEY_STATUS_POWER,
	KEY_STATUS_CORE_COUNT,
	KEY_CORE_UNIT,
	KEY_STATUS_BUCKET,
	KEY_STATUS_HIGH_MAX,
	KEY_STATUS_LOW_MAX,
	KEY_CLIP_FREQUENCIES,
	KEY_BUCKET,
	KEY_STATUS_MIN,
	KEY_STATUS_MAX,
	KEY_STATUS_LEVEL_MAX,
	KEY_STATUS_WEIGHT,
	KEY_STATUS_LOWEST,
	KEY_STATUS_HIGHEST,
	KEY_STATUS_REASON,
	KEY_STATUS_CURRENT,
	KEY_STATUS_DRAWN,
	KEY_STATUS_POWER_LIMIT,
	KEY_STATUS_CPUS,
	KEY_MAP_MODULE,
	KEY_MAP_CORE,
	KEY_MAP_CPUS,
	KEY_MAP_MARK,
	/* platform */
	KEY_PLATFORM,
	KEY_PLATFORM_TEXT,
	KEY_PLATFORM_NAME,
	KEY_TITLE,
	KEY_SYNTHETIC,
	KEY_DESCRIPTION,
	KEY_RESET,
	KEY_CAPTURE,
	KEY_STATISTICS,
	KEY_DEVICE_OPENS,
	KEY_DRIVER_CALLS,
	KEY_COMMANDS,
	KEY_WRITES,
	KEY_FILES_OPENED,
	KEYS,
};

/** Of KEY_STATUS_BUCKET: more cores than any bucket holds. */
#define STATUS_NO_BUCKET UINT32_MAX

extern const struct key keys[KEYS];

#endif
