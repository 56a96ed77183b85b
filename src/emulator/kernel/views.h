/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of the kernel's files: a row for each file, directory or link, or for each kind of them
 * of which there are many. A path that leads to no row does not exist. */
#ifndef EMULATOR_VIEWS_H
#define EMULATOR_VIEWS_H

#include "emulator/state/state.h"

#include <stdio.h>

struct view;

enum { VIEW_NAME = 256 };

#define NEEDS(value) .needs = offsetof(struct platform, value)
#define WORDS_OF(value) .words = offsetof(struct platform, value)

/* A number that is stored in a member of a structure. */
#define STORED(structure, type, member) \
	.stored = { .of = OF_##structure, \
		    .at = offsetof(struct type, member), \
		    .bytes = sizeof(((struct type *)NULL)->member) }

/** Where a path has led to: the row, and which of many for each level that has many. */
struct place {
	struct server *server;
	const struct platform *platform; /* the server's */
	const struct view *view;
	int (*refuse)(const struct place *place,
		      bool write); /* of the row, or of one above; or NULL */
	const struct platform_cpu *cpu;
	unsigned int node, socket, idle_state;
	size_t domain;	      /* index; of a package: its first one */
	bool package;	      /* @domain stands for its package */
	size_t entry;	      /* of a capture */
	size_t group;	      /* index */
	unsigned int process; /* number */
};

/** The many that a row stands for. */
struct instances {
	/** Sets the name and the place of that index; false where there are no more. */
	bool (*at)(struct place *place, size_t index, char name[VIEW_NAME]);
	/** Finds one by its name; NULL: by looking at each. */
	bool (*find)(struct place *place, const char *name);
};

struct view {
	const char *name;	      /* NULL: the end of a table, but for rows with @each */
	const struct instances *each; /* NULL: one of this name */
	const struct view *below;     /* the rows in a directory */
	bool (*exists)(const struct place *place); /* NULL: always */
	unsigned int since;			   /* kernel release */
	size_t needs; /* offset of a number_value in struct platform: not 0, or @is; 0: nothing */
	unsigned int is;
	bool tpmi; /* where firmware is reached by TPMI */
	/* What a file holds: one of these seven. */
	const char *constant;
	size_t words; /* offset of a text_value in struct platform; without the text no file */
	struct {
		enum { OF_NOTHING, OF_STATE, OF_CPU, OF_CPU_STATE, OF_DOMAIN } of;
		size_t at;
		unsigned char bytes;
		bool has_sign;
	} stored; /* a number, of the domain of the CPU if there is one */
	unsigned int (*number)(const struct place *place);
	const char *(*text)(const struct place *place);
	bool (*cpus)(const struct place *place, const struct platform_cpu *cpu); /* online ones */
	int (*read)(const struct place *place, FILE *stream);
	unsigned int which; /* of the rows that share a function */
	bool mask;	    /* @cpus are shown as a mask, not as a list */
	/* A link leads to the entry of its name in @directory, or to @target; both start from the
	 * directory that the link is in. */
	const char *directory;
	int (*target)(const struct place *place, char **target); /* as asprintf() */
	/** Of a device: reads or writes eight bytes at a position. */
	int (*access)(const struct place *place, bool write, uint64_t position, uint64_t *value);
	/** What a file answers instead of being read or written; NULL: what its directory has. */
	int (*refuse)(const struct place *place, bool write);
	/** What a write does; NULL: it is refused. */
	int (*write)(const struct place *place, const char *text);
	size_t longest; /* bytes of a write; 0: a page */
	bool stripped;	/* of white space at both ends; else of one newline at the end */
	mode_t mode;	/* 0: 0644, 0444 of files without a write, 0755 of directories */
};

/* Of rows. */
#define VIEW_END \
	{ \
		.name = NULL \
	}
/** The rows in a directory, where they stand in no table of their own. */
#define BELOW(...) \
	.below = (const struct view[]) \
	{ \
		__VA_ARGS__, VIEW_END \
	}
#define VIEW_IS_END(view) (!(view)->name && !(view)->each)

/* ---- view_text.c: how the kernel writes sets and reads numbers ---- */

int print_set(FILE *stream, const struct isst_cpuset *set);
/** The same, and frees the set. @result: of making the set; returned if not 0. */
int print_made(FILE *stream, struct isst_cpuset *set, int result);
/** The CPUs of a view that has @cpus. */
int print_cpus(const struct place *place, FILE *stream);
/** A number as the kernel's strict parser reads it: base 0 takes 0x.. and 0.. for octal. */
int parse_number(const char *text, unsigned int base, uint64_t max, uint64_t *value);
/** A switch as the kernel reads one: 1, y, on and so on, of which the first letters count. */
int parse_switch(const char *text, bool *on);
/** The number that a text begins with, behind white space; what follows is ignored. One that is too
 * large is UINT32_MAX. */
int scan_number(const char *text, uint32_t *value);
/** Reads the decimal number that a name ends with; nothing else than @begin may be before it. */
bool number_of_name(const char *name, const char *begin, unsigned int *number);

/** Adds the CPUs of a list, all of which have to be below @cpu_ids. Returns 0, -EINVAL, -ERANGE,
 * -EOVERFLOW or -ENOMEM. */
int parse_cpu_list(const char *text, unsigned int cpu_ids, struct isst_cpuset *set);

/* ---- Tables: each is named after the file that has it, and the directory that it is below ---- */

extern const struct instances each_cpu;		   /* view_text.c: cpuN */
extern const struct instances each_cpu_number;	   /* view_text.c: N */
extern const struct instances each_policy;	   /* view_text.c: policyN */
extern const struct view cpu_views[];		   /* below cpuN */
extern const struct view idle_driver_views[];	   /* cpu_views.c: cpuidle */
extern const struct instances each_cooling_device; /* cpu_views.c: cooling_deviceN */
extern const struct view cooling_views[];	   /* cpu_views.c: below one */
extern const struct view cpufreq_views[];	   /* cpuN/cpufreq */
extern const struct view policies_views[];	   /* cpufreq_views.c: cpufreq */
extern const struct view pstate_views[];	   /* cpufreq_views.c: intel_pstate */
extern const struct view uncore_views[];	   /* intel_uncore_frequency */
extern const struct view debug_views[];		   /* register_views.c: /sys/kernel/debug */
extern const struct view class_powercap_views[];   /* /sys/class/powercap */
extern const struct view virtual_powercap_views[]; /* powercap_views.c: virtual/powercap */
extern const struct view msr_views[];		   /* register_views.c: /dev/cpu */
extern const struct view cgroup_views[];	   /* /sys/fs/cgroup */
extern const struct view module_views[];	   /* system_views.c: /sys/module */
extern const struct view library_views[];	   /* system_views.c: /lib */
extern const struct view power_views[];		   /* system_views.c: /sys/power */
extern const struct instances each_process;	   /* system_views.c: processes by number */
extern const struct view process_views[];	   /* system_views.c: /proc/N */
extern const struct view run_views[];		   /* system_views.c: /run */
extern const struct view security_views[];	   /* system_views.c: /sys/kernel/security */
extern const struct view root_views[];		   /* machine_views.c: / */

bool has_cpufreq(const struct place *place);
int refuse_offline(const struct place *place, bool write);
bool powercap_exists(const struct place *place);
int print_modules(const struct place *place, FILE *stream);
int print_cpu_times(const struct place *place, FILE *stream);
int write_smt(const struct place *place, const char *text);
/** Whether a CPU of a domain is online. */
bool die_is_online(const struct server *server, size_t domain);

/* ---- groups.c: control groups, and which cpuset partitions the kernel accepts ---- */

void bits_of_set(struct cpu_bits *bits, const struct isst_cpuset *set);
bool bits_contain(const struct cpu_bits *bits, const struct cpu_bits *part);
void bits_of_online(struct cpu_bits *bits, const struct server *server);
int print_bits(FILE *stream, const struct cpu_bits *bits);
/** The effective CPUs of a group, or of the root (NULL), and the isolated ones. */
void groups_grant(const struct server *server, const struct group *group,
		  struct cpu_bits *effective, struct cpu_bits *isolated);
/** Works out anew which partitions are valid; CPUs or groups have changed. */
void groups_update(struct server *server);
/** Returns 0, -EEXIST or -ENOMEM. */
int groups_make(struct server *server, const char *name);
void groups_remove(struct server *server, const char *name);

enum { CPUSET, CONTROLLERS = 6 }; /* bits of struct state's controllers */

/* ---- What CPUs run at, in kHz ---- */

/** What a power limit leaves a CPU that is busy; 0: none is in force. */
unsigned int power_limited_khz(const struct place *place);
/** A file of intel_pstate as it was captured, or else as the platform has it. */
unsigned int pstate_at_boot(const struct place *place, const char *name, unsigned int otherwise);
/** Of intel_pstate, of the highest turbo frequency. */
unsigned int max_perf_pct(const struct place *place);
unsigned int base_khz(const struct place *place);
unsigned int lowest_khz(const struct place *place);
unsigned int highest_khz(const struct place *place);
bool has_bios_limit(const struct place *place);
/** What the BIOS allows (_PPC), which acpi-cpufreq alone obeys. */
unsigned int bios_limit_khz(const struct place *place);
unsigned int scaling_min_khz(const struct place *place);
unsigned int scaling_max_khz(const struct place *place);
/** What a CPU that is busy runs at: up to its limits, the turbo ratio limits of few cores and, with
 * core-power enabled, the maximum of its CLOS and what SST-TF leaves it if all high priority cores
 * are busy. */
unsigned int busy_khz(const struct place *place);
/** Its counters: cycles since boot, as if it had always been busy and run as it does now, and those
 * of its base frequency. */
uint64_t actual_cycles(const struct place *place);
uint64_t base_cycles(const struct place *place);
/** The energy performance preference of a CPU: 0 performance to 255 power. */
unsigned int energy_preference(const struct place *place);

static inline bool is_online(const struct place *place)
{
	return cpu_online(place->server, place->cpu);
}

static inline struct cpu_state *cpu_of(const struct place *place)
{
	return state_cpu(place->server, place->cpu);
}

/** That of the place's CPU if there is one. */
static inline const struct platform_domain *domain_of(const struct place *place)
{
	return &place->platform->domains[place->cpu ? place->cpu->domain : place->domain];
}

static inline unsigned int least(unsigned int one, unsigned int other)
{
	return one < other ? one : other;
}

static inline unsigned int clamp(unsigned int value, unsigned int low, unsigned int high)
{
	if (value > high)
		return high;
	return value < low ? low : value;
}

#endif
