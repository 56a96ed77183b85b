/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Findings while they are collected: each once, for all domains and CPUs of which the same was
 * read. Knows no reasons.
 */
#ifndef ISST_EXPLAIN_FINDINGS_H
#define ISST_EXPLAIN_FINDINGS_H

#include "explain/survey.h"
#include "isst-explain.h"

/** How the command that fixes a finding is made of its remedy. */
enum remedy_kind {
	/* A text. `{cpus}` stands for the CPUs as a list, `{braces}` for the same as the shell
	 * expands it behind `cpu`. */
	REMEDY_TEXT = 1,
	/* Statements of isst-config(5) with semicolons between, which are applied to the domains;
	 * `{cpus}` as above. */
	REMEDY_STATEMENT,
	/* The same, which is for whole packages: for all their domains that have SST-TF. */
	REMEDY_PACKAGE_STATEMENT,
	/* The same for all domains of these packages. */
	REMEDY_WHOLE_PACKAGE_STATEMENT,
	/* A command of isst, for the domains. */
	REMEDY_COMMAND,
};

struct findings;

/** Texts belong to the findings. */
struct isst_finding {
	struct findings *findings;
	int code, severity;
	size_t order; /* in which it was found */
	const char *name;
	struct isst_cpuset *cpus, *packages;
	bool *domains; /* by their position in the survey */
	bool whole;    /* it is about the machine, not about domains */
	const char *read, *meaning, *remedy_template;
	enum remedy_kind kind;
	const char *place, *remedy; /* made by findings_finish() */
};

struct findings {
	const struct survey *survey;
	struct messages texts;
	struct isst_finding **items;
	size_t count;
	int error;		  /* -ENOMEM: the findings are not complete */
	struct isst_finding lost; /* in place of one for which there was no memory */
};

/** A text that lives as long as the findings, by a format. */
#define FINDING_TEXT(findings, ...) message_make(&(findings)->texts, __VA_ARGS__)

/** A row of the table of codes. */
struct finding_code {
	int code;
	const char *name;
	int severity;
	const char *meaning; /* NULL: each finding has its own */
	enum remedy_kind kind;
	const char *remedy; /* NULL: the same */
};

/** codes.c: in order of importance, ended by a code of 0. */
extern const struct finding_code finding_codes[];
const struct finding_code *finding_code(int code);

/** What a check has found. All that is not set is as the code has it. */
struct found {
	int code, severity;
	bool applied; /* the last configuration states it: it is a choice, and worth a note */
	const char *meaning, *remedy;
	enum remedy_kind kind;
	const struct survey_domain *domain; /* with the CPUs asked for; NULL: the whole machine */
	const struct survey_cpu *cpu;	    /* of @domain, in place of all */
	bool without_cpus;		    /* @domain alone, or CPUs that are added then */
};

/** The finding of a code and of what was read; a new one, unless there is one already. */
__attribute__((format(printf, 3, 4))) struct isst_finding *
findings_add(struct findings *findings, const struct found *found, const char *format, ...);

/** Makes `disable --auto` of one of several features (FEATURE_...), whose `enable --auto` has set
 * what was read of a domain, the remedy: it restores what was there before. Returns false, and does
 * nothing, where nothing is saved. */
bool found_disable(struct found *found, const struct survey_domain *domain, unsigned int features);
/** Behind what was read of a feature, so that findings with such a remedy are others. */
#define AS_SAVED(domain, features) ((domain)->saved & (features) ? ", as set by enable --auto" : "")

/** Adds a domain without CPUs; a CPU with its domain, which is NULL if it has none. */
void finding_add_place(struct isst_finding *finding, const struct survey_domain *domain);
void finding_add_cpu(struct isst_finding *finding, const struct survey_domain *domain,
		     unsigned int cpu);

/** Sorts the findings by importance, and makes their texts. Returns 0 or -ENOMEM. */
int findings_finish(struct findings *findings);
void findings_clear(struct findings *findings);

/** places.c: `package 0, power domains 0-1`; the command that fixes a finding. */
const char *finding_place(struct isst_finding *finding);
const char *finding_remedy(struct isst_finding *finding);

/* ---- Checks: each adds its findings. None reads anything. ---- */

void check_turbo_freq(struct findings *findings); /* SST-TF with core-power and priorities */
void check_levels(struct findings *findings);	  /* levels, their CPUs, base frequency, uncore */
void check_cpufreq(struct findings *findings);	  /* what the kernel's files show */
void check_resume(struct findings *findings);	  /* what was lost over suspend */
void check_registers(struct findings *findings);  /* what hardware without TPMI reports */
void check_managers(struct findings *findings);	  /* other programs */
void check_power(struct findings *findings);	  /* power limits, CPUs that were kept busy */
void check_choices(struct findings *findings);	  /* classes, and what CPUs are configured to */
void check_reasons(struct findings *findings);	  /* what the hardware reports */
void check_advisories(struct findings *findings); /* what is known of such kernels */

/** Whether a kernel is known to be without the defect of an advisory. */
bool kernel_is_fixed(const struct survey *survey, const char *advisory);

/** Notes that a CPU was measured at less than that; a little less is the same. */
void measured_note(struct findings *findings, int code, const struct survey_domain *domain,
		   const struct survey_cpu *cpu, unsigned int mhz, const char *of_what);

/** What the firmware guarantees a CPU of a domain; 0: unknown. */
unsigned int level_base_mhz(const struct survey_domain *domain, unsigned int cpu);

#endif
