/* SPDX-License-Identifier: BSD-3-Clause */
/* The platform, its power domains and CPUs, as all layers above see them. */
#ifndef ISST_BASE_PLACE_H
#define ISST_BASE_PLACE_H

#include "base/result.h"
#include "isst.h"

/** The processor, and what the driver reports of itself. */
struct isst_platform {
	bool intel;
	unsigned int family, model, stepping;
	const char *emulated; /* name of the emulated machine, NULL on a real one */
	unsigned int api_version, driver_version;
	bool mailbox, mmio;
	bool preset; /* the BIOS has set SST-BF for good, there is nothing else (Cascade Lake-N):
			values come from cpufreq, without the driver */
};

/** A power domain: on mailbox platforms a package x die; on TPMI platforms (API version 2 and
 * later) one of several per package, of which those of I/O dies have no CPUs. */
struct isst_domain {
	const char *name;     /* for messages: `package 0, die 0`, `package 0, power domain 1` */
	unsigned int index;   /* position in the context's order: package, die, number */
	unsigned int package; /* physical package id as the kernel numbers it, any number */
	unsigned int die;     /* die id as the kernel numbers it */
	bool die_known;	      /* false: no CPU shows which die a domain without CPUs is on */
	unsigned int number;  /* the firmware's number of the domain; 0 on mailbox platforms */
	const struct isst_cpuset *present; /* its CPUs, with known offline ones */
	const struct isst_cpuset *online;
	bool cpus_known;  /* false: CPUs that were never seen online, or that the driver does not
			     know, may belong to it */
	bool has_cpu;	  /* one of its CPUs is online */
	unsigned int cpu; /* with @has_cpu: the lowest online CPU, which carries requests and stands
			     for the domain in output */
};

struct isst_cpu {
	unsigned int number; /* as the kernel numbers it */
	const struct isst_domain *domain;
	bool online;
	bool core_known;   /* false: the driver did not report it, or reported nonsense */
	unsigned int core; /* the firmware's number of the core within the domain */
	unsigned int thread;
};

#endif
