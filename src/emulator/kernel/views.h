/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of the kernel's files: a row for each file, directory or link, or for each kind of them
 * of which there are many. A path that leads to no row does not exist.
 */
#ifndef EMULATOR_VIEWS_H
#define EMULATOR_VIEWS_H

#include "emulator/state/state.h"

#include <stdio.h>

struct view;

enum { VIEW_NAME = 256 };

/** Where a path has led to: the row, and which of many for each level that has many. */
struct place {
	struct server *server;
	const struct view *view;
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
	/* What a file holds: one of these three. */
	int (*read)(const struct place *place, FILE *stream);
	unsigned int (*number)(const struct place *place);
	const char *(*text)(const struct place *place);
	/** Where a link leads to, from the directory that it is in. */
	int (*target)(const struct place *place, FILE *stream);
	/** Of a device: reads or writes eight bytes at a position. */
	int (*access)(const struct place *place, bool write, uint64_t position, uint64_t *value);
	/** What a file answers instead of being read or written; NULL: nothing. */
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
#define VIEW_IS_END(view) (!(view)->name && !(view)->each)

/* ---- view_text.c ---- */

int print_set(FILE *stream, const struct isst_cpuset *set);
/** Takes over the set. */
int print_and_free(FILE *stream, struct isst_cpuset *set);
/** The CPUs that are (or are not) online for which @belongs is true; NULL without memory. */
struct isst_cpuset *collect_cpus(const struct place *place, bool online,
				 bool (*belongs)(const struct place *place,
						 const struct platform_cpu *cpu));
/** A set as a list or as a mask. Takes over the set. */
int print_cpus(const struct place *place, FILE *stream, struct isst_cpuset *set, bool mask);
/** A number as the kernel's strict parser reads it: base 0 takes 0x.. and 0.. for octal. */
int parse_number(const char *text, unsigned int base, uint64_t max, uint64_t *value);
/** A switch as the kernel reads one: 1, y, on and so on, of which the first letters count. */
int parse_switch(const char *text, bool *on);
/** The number that a text begins with, behind white space; what follows is ignored. One that is too
 * large is UINT32_MAX. */
int scan_number(const char *text, uint32_t *value);
/** Reads the decimal number that a name ends with; nothing else than @begin may be before it. */
bool number_of_name(const char *name, const char *begin, unsigned int *number);

/* ---- cpu_lists.c ---- */

/** Adds the CPUs of a list, all of which have to be below @cpu_ids. Returns 0, -EINVAL, -ERANGE,
 * -EOVERFLOW or -ENOMEM. */
int parse_cpu_list(const char *text, unsigned int cpu_ids, struct isst_cpuset *set);

/* ---- Tables ---- */

extern const struct instances each_cpu;	 /* cpuN */
extern const struct view cpu_views[];	 /* cpu_views.c: below cpuN */
extern const struct view node_views[];	 /* node_views.c: below /sys/devices/system/node */
extern const struct instances cpu_nodes; /* node_views.c: nodeN of a CPU */
int print_node_link(const struct place *place, FILE *stream);
int print_bus_link(const struct place *place, FILE *stream);
extern const struct view uncore_views[]; /* uncore_views.c: below intel_uncore_frequency */
extern const struct view debug_views[];	 /* debugfs_views.c: below /sys/kernel/debug */
bool debugfs_exists(const struct place *place);
extern const struct view class_powercap_views[];   /* powercap_views.c: below /sys/class/powercap */
extern const struct view virtual_powercap_views[]; /* powercap_views.c: below virtual/powercap */
bool powercap_exists(const struct place *place);
/** What a power limit leaves a CPU that is busy, in kHz; 0: none is in force. */
unsigned int power_limited_khz(const struct place *place);
extern const struct view plr_views[]; /* plr_views.c: below plr of a device there */
bool plr_exists(const struct place *place);
extern const struct view pstate_views[]; /* pstate_views.c: below intel_pstate */
bool pstate_exists(const struct place *place);
extern const struct view idle_views[];	      /* idle_views.c: below cpuN/cpuidle */
extern const struct view idle_driver_views[]; /* idle_views.c: below cpuidle */
extern const struct view msr_views[];	      /* msr_views.c: below /dev/cpu */
extern const struct view module_views[];      /* module_views.c: below /sys/module */
int print_modules(const struct place *place, FILE *stream);
extern const struct view power_views[];	    /* power_views.c: below /sys/power */
extern const struct instances each_process; /* system_views.c: processes by number */
extern const struct view process_views[];   /* system_views.c: below /proc/N */
extern const struct view run_views[];	    /* system_views.c: below /run */
extern const struct view security_views[];  /* system_views.c: below /sys/kernel/security */
bool is_locked_down(const struct place *place);
extern const struct instances each_cooling_device; /* thermal_views.c: cooling_deviceN */
extern const struct view cooling_views[];	   /* thermal_views.c: below cooling_deviceN */
int print_cooling_link(const struct place *place, FILE *stream);
int print_cooling_device(const struct place *place, FILE *stream);
extern const struct view throttle_views[]; /* throttle_views.c: below cpuN/thermal_throttle */
extern const struct view cgroup_views[];   /* cgroup_views.c: below /sys/fs/cgroup */
extern const struct view root_views[];	   /* machine_views.c: below / */

static inline unsigned int least(unsigned int one, unsigned int other)
{
	return one < other ? one : other;
}

/* ---- frequencies.c: what cpufreq shows of a CPU, in kHz ---- */

unsigned int base_khz(const struct place *place);
unsigned int lowest_khz(const struct place *place);
unsigned int highest_khz(const struct place *place);
unsigned int scaling_min_khz(const struct place *place);
unsigned int scaling_max_khz(const struct place *place);
/** What the BIOS allows (_PPC), which acpi-cpufreq alone obeys. */
unsigned int bios_limit_khz(const struct place *place);
bool has_bios_limit(const struct place *place);

/* ---- busy.c ---- */

/**
 * What a CPU that is busy runs at: up to its limits, the turbo ratio limits of few cores and, with
 * core-power enabled, the maximum of its CLOS and what SST-TF leaves it if all high priority cores
 * are busy.
 */
unsigned int busy_khz(const struct place *place);
/** Its counters: cycles since boot, as if it had always been busy and run as it does now, and those
 * of its base frequency. */
uint64_t actual_cycles(const struct place *place);
uint64_t base_cycles(const struct place *place);

/* ---- energy.c ---- */

/** The energy performance preference of a CPU: 0 performance to 255 power. */
unsigned int energy_preference(const struct place *place);
bool has_energy_preference(const struct place *place);
int print_energy_preference(const struct place *place, FILE *stream);
int print_energy_preferences(const struct place *place, FILE *stream);
int write_energy_preference(const struct place *place, const char *text);

/* ---- governors.c ---- */

const char *governor_text(const struct place *place);
int print_governors(const struct place *place, FILE *stream);
int write_governor(const struct place *place, const char *text);

/* ---- hotplug.c ---- */

/** Whether a CPU of a domain is online. */
bool die_is_online(const struct server *server, size_t domain);
int write_online(const struct place *place, const char *text);
int write_smt(const struct place *place, const char *text);

/* ---- captured_views.c: files that were captured and that no row makes ---- */

/** Whether a capture has this file or directory; sets place->view. */
bool captured_find(struct place *place, const char *path);
/** Names in a directory, one after the other: *@entry is where to go on, 0 at first. Returns false
 * where there are no more. @directory: whether it is one. */
bool captured_next(const struct server *server, const char *path, size_t *entry,
		   char name[VIEW_NAME], bool *directory);

#endif
