/* SPDX-License-Identifier: BSD-3-Clause */
/* The platform, its power domains and CPUs, as all layers above see them. */
#ifndef ISST_BASE_PLACE_H
#define ISST_BASE_PLACE_H

#include "base/result.h"
#include "isst.h"

/** The CPU, and what the driver reports of itself. */
struct isst_platform {
	ISST_MAY_GROW;
	bool intel;
	unsigned int family, model, stepping;
	const char *emulated; /* name of the emulated machine, NULL on a real one */
	unsigned int api_version, driver_version;
	bool mailbox, mmio;
	/** The BIOS has set up SST-BF for good, and nothing else of Speed Select is there (Cascade
	 * Lake-N): cpufreq shows which CPUs have which base frequency, and no driver is asked. */
	bool preset;
};

/**
 * A power domain: what firmware controls as one. On mailbox platforms a package x die; on TPMI
 * platforms (API version 2 and later) one of several of a package, some of which (those of I/O
 * dies) have no CPUs.
 */
struct isst_domain {
	ISST_MAY_GROW;
	const char *name;     /* for messages: `package 0, die 0`, `package 0, power domain 1` */
	unsigned int index;   /* position in the context's order: package, die, number */
	unsigned int package; /* physical package id as the kernel numbers it, any number */
	unsigned int die;     /* die id as the kernel numbers it */
	bool die_known;	      /* false: no CPU shows which die a domain without CPUs is on */
	unsigned int number;  /* the firmware's number of the domain; 0 on mailbox platforms */
	const struct isst_cpuset *present; /* CPUs that belong to it, those that are offline
					      included as far as known */
	const struct isst_cpuset *online;
	bool cpus_known;  /* false: CPUs of which nothing is known may belong to it, since they are
			     offline and were not seen online, or the driver does not know them */
	bool has_cpu;	  /* one of its CPUs is online */
	unsigned int cpu; /* with @has_cpu: the lowest-numbered online CPU, which carries requests
			     and stands for the domain in output */
};

struct isst_cpu {
	ISST_MAY_GROW;
	unsigned int number; /* as the kernel numbers it */
	const struct isst_domain *domain;
	bool online;
	bool core_known;   /* false: the driver did not report it, or reported nonsense */
	unsigned int core; /* the firmware's number of the core within the domain */
	unsigned int thread;
};

#endif
