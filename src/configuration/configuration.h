/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a machine shall be: the settings that the statements of a configuration file
 * (isst-config(5)) name, and where each was stated. Knows no machine.
 */
#ifndef ISST_CONFIGURATION_CONFIGURATION_H
#define ISST_CONFIGURATION_CONFIGURATION_H

#include "base/cpu_name.h"
#include "features/core_choice.h"
#include "isst.h"

#include <limits.h>

/** The first line of a file. */
#define CONFIGURATION_HEADER "# isst configuration"
#define CONFIGURATION_VERSION 1

/** The index of a setting that has none, or is for every fabric. */
#define INDEX_ALL UINT_MAX

/** What can be set; each index of a subject that has one is a setting of its own. */
enum subject {
	SUBJECT_LEVEL,
	SUBJECT_TURBO_FREQ,
	SUBJECT_BASE_FREQ,
	SUBJECT_CORE_POWER,
	SUBJECT_PRIORITY,
	SUBJECT_CLOS_ENABLE, /* the use of CLOS, where it has a switch of its own */
	SUBJECT_CLOS_MIN,    /* index: the CLOS */
	SUBJECT_CLOS_MAX,
	SUBJECT_CLOS_DESIRED,
	SUBJECT_CLOS_EPP,
	SUBJECT_CLOS_WEIGHT,
	SUBJECT_HIGH_PRIORITY,
	SUBJECT_ASSOCIATION, /* a CLOS, of CPUs */
	SUBJECT_TURBO_RATIO_LIMITS,
	SUBJECT_SCALING_MIN, /* of CPUs */
	SUBJECT_SCALING_MAX,
	SUBJECT_UNCORE_MIN, /* index: the fabric, or INDEX_ALL */
	SUBJECT_UNCORE_MAX,
	SUBJECT_CPUS, /* which are online */
	SUBJECTS
};

/** What a setting shall be. */
enum wanted_kind {
	WANTED_UNMANAGED,  /* neither compared nor touched */
	WANTED_NUMBER,	   /* a level, a weight, 0 or 1 for off and on, enum isst_priority, bits */
	WANTED_KHZ,	   /* a frequency */
	WANTED_NONE,	   /* no limit; of turbo ratio limits: all ones */
	WANTED_BASE,	   /* the base frequency of the level */
	WANTED_TURBO,	   /* the highest turbo frequency of the level */
	WANTED_LOWEST,	   /* the lowest frequency of the processor */
	WANTED_OF_LEVEL,   /* turbo ratio limits: those of the level; CPUs: those that it enables */
	WANTED_ISOLATED,   /* CPUs: those that the level does not enable, in partitions */
	WANTED_ALL_ONLINE, /* CPUs */
	WANTED_OFFLINE,	   /* CPUs: these offline, all others online */
	WANTED_CORES,	   /* high priority: as @choice has it */
	WANTED_KINDS
};

/** The part of the machine that a setting is for; NULL: all. */
struct scope {
	struct isst_cpuset *packages, *power_domains;
};

/** Where something was stated. */
struct origin {
	size_t source;	   /* which text, in the order of adding */
	unsigned int line; /* from 1; 0: not of a file */
	bool statement;	   /* of a text that is no file, as of --set */
};

/** The lists of CPUs that a setting may have. */
enum cpu_list {
	LIST_CPUS,
	LIST_WITHIN, /* of its choice of cores */
	LIST_AVOID,
	LISTS
};

struct setting {
	enum subject subject;
	unsigned int index;
	struct scope scope;
	enum wanted_kind wanted;
	uint64_t number;
	/* Of subjects that CPUs have: which ones; NULL: all in the scope. Of WANTED_OFFLINE: those.
	 */
	struct isst_cpuset *cpus;
	struct core_choice choice;
	char *named[LISTS]; /* lists that contain names, of which a machine has the CPUs */
	bool optional;	    /* skipped where the machine has no such thing */
	struct origin origin;
};

/** What a machine must be for the configuration to be meant for it. */
enum match_kind {
	MATCH_FAMILY,
	MATCH_MODEL,
	MATCH_PACKAGES,
	MATCH_CPUS,
	MATCH_TOPOLOGY, /* a checksum of where CPUs are */
	MATCH_STATE,	/* one of the statements that were saved; always met */
	MATCH_KINDS
};

struct match {
	enum match_kind kind;
	uint64_t number;
	struct isst_cpuset *cpus; /* of MATCH_TOPOLOGY: those of the checksum; NULL: all */
	bool otherwise_skip;	  /* `else skip`: nothing to do on another machine */
	bool unedited;		  /* of MATCH_STATE: the statements are those that were saved */
	size_t statement;	  /* the index of the first condition that it was stated with */
	struct origin origin;
};

/** Something wrong with a statement, or with two of them. */
struct problem {
	struct origin origin;
	char *text;
};

struct configuration {
	char **sources;
	size_t source_count;
	struct setting *settings;
	size_t setting_count;
	struct match *matches;
	size_t match_count;
	struct problem *problems;
	size_t problem_count;
};

enum text_kind {
	TEXT_FILE,	/* with the header line; problems have line numbers */
	TEXT_LINES,	/* problems have line numbers */
	TEXT_STATEMENT, /* the whole text is one place for messages */
};

/**
 * Adds the statements of a text, which win over those of texts that were added before.
 *
 * @source: the name for messages; copied
 * Returns 0, -EINVAL (@configuration->problems names all that is wrong, and nothing of the text
 * was added) or -ENOMEM.
 */
int configuration_add_text(struct configuration *configuration, const char *source,
			   const char *text, size_t size, enum text_kind kind);

/** Adds a setting; takes over its sets, also on error. Returns 0 or -ENOMEM. */
int configuration_add(struct configuration *configuration, struct setting *setting);

/** Adds a source of the settings that follow; copies its name. Returns 0 or -ENOMEM. */
int configuration_add_source(struct configuration *configuration, const char *name);
/** Forgets all but the first @count sources, of which no setting and no problem is left. */
void configuration_drop_sources(struct configuration *configuration, size_t count);

/** A part of the machine that has settings. */
struct place {
	unsigned int package, power_domain;
	unsigned int cpu;   /* of subjects that CPUs have */
	unsigned int index; /* of subjects with an index */
};

/**
 * The setting that counts for a place: that of the last text; in a text, and in all texts that are
 * no files, that of a power domain rather than of a package, of a package rather than of all, and
 * one that names the CPU or fabric. NULL: it is not mentioned.
 */
const struct setting *configuration_find(const struct configuration *configuration,
					 enum subject subject, const struct place *place);

/** Whether a setting counts rather than another one of its subject, where both are for a place. Of
 * two of which neither does, the first one of the configuration counts. */
bool setting_counts_more(const struct setting *setting, const struct setting *other);

/** How precisely a setting names its place, below SETTING_PRECISIONS; the most precise counts. */
enum { SETTING_PRECISIONS = 16 };
unsigned int setting_precision(const struct setting *setting);

/** Whether a text is the state that some machine had, however odd, by its checksum. */
bool configuration_is_state(const struct configuration *configuration, size_t source);

/** Whether CPUs have a subject, rather than power domains. */
bool subject_is_of_cpus(enum subject subject);

/** Adds a problem. Returns -EINVAL, or -ENOMEM. */
__attribute__((format(printf, 3, 4))) int configuration_problem(struct configuration *configuration,
								struct origin origin,
								const char *format, ...);

/** Adds the numbers of a list of CPUs, and calls @add_name for each name in it. Returns 0, -EINVAL,
 * -ERANGE, -ENOMEM or the error of @add_name. */
int cpu_list_add(const char *list, struct isst_cpuset *cpus,
		 int (*add_name)(void *data, const struct cpu_name *name, struct isst_cpuset *cpus),
		 void *data);

/** Where the CPUs of a list are. */
struct isst_cpuset **setting_list(struct setting *setting, enum cpu_list list);

void setting_clear(struct setting *setting);
void configuration_clear(struct configuration *configuration);

/* ---- contradictions.c ---- */

/**
 * Adds a problem for each statement that contradicts another one since a source was added: the same
 * setting of the same place twice with different values; a minimum above its maximum; high priority
 * cores with statements that rule them out. Of a pair of these the later one has the problem, once,
 * wherever on some machine both count. Returns 0, -EINVAL where there is one, or -ENOMEM.
 */
int configuration_find_contradictions(struct configuration *configuration, size_t source);

#endif
