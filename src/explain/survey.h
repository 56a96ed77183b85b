/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is read of a machine to find out why its CPUs run as they do. Reads only; judges nothing.
 * Where power domains are reached by TPMI no MSR is read, but for turbo ratio limits.
 * No cpufreq file of CPUs that are isolated or nohz_full is read anywhere.
 */
#ifndef ISST_EXPLAIN_SURVEY_H
#define ISST_EXPLAIN_SURVEY_H

#include "configuration/configuration.h"
#include "features/snapshot.h"
#include "sysfs/cpufreq.h"
#include "sysfs/limit_reasons.h"
#include "sysfs/powercap.h"
#include "topology/context.h"

/** A list of texts, each of which belongs to the messages of the context. */
/** Other programs that set frequencies, in the order of their table (managers.c). */
enum { MANAGERS = 5 };

struct manager_seen {
	unsigned int process, plugin; /* numbers; 0: it has none, or no plugin that it needs */
	bool active;		      /* its unit is */
};

/** What is known of an online CPU. */
struct survey_cpu {
	const struct isst_cpu *cpu;
	bool asked; /* it can be named by findings */
	bool clos_known;
	unsigned int clos;
	bool read;	  /* what follows was read: it is asked, and not to be left alone */
	bool has_cpufreq; /* with: */
	struct scaling_limits limits;
	/* Who else holds its lower and upper limit, where it has some; NULL: none is known */
	char *limit_owners[2];
	uint64_t base_khz;	     /* 0: cpufreq reports none */
	char *governor, *preference; /* NULL: none */
	uint64_t throttled;	     /* for heat since boot */
	uint64_t measured_khz;	     /* while it was busy; 0: it was not measured */
};

/** What is known of a power domain. Each part has its own failure. */
struct survey_domain {
	const struct survey *survey;
	const struct isst_domain *domain;
	bool asked; /* findings can name it; else it is read for the sake of its package */
	struct domain_snapshot *now; /* with its current level */
	struct isst_level first;     /* the lowest level, if that is another one */
	bool has_first;		     /* it is */
	bool has_requested;	     /* by TPMI: the level that was requested last is known */
	unsigned int requested;
	struct isst_clos clos[ISST_CLOS_COUNT]; /* where classes hold */
	bool has_limits;			/* the turbo ratio limits were read */
	struct isst_turbo_ratio_limits limits;
	bool has_reasons; /* MSR 0x64f was read */
	uint64_t reasons;
	uint64_t throttled; /* of the package for heat since boot */
	struct uncore_limits uncore[ISST_FABRICS];
	unsigned int fabrics;
	struct cpus_state cpus_state; /* offline CPUs */
	struct survey_cpu *cpus;
	size_t cpu_count;
	bool has_saved_classes; /* saved settings have cores in other classes than CLOS 0 */
	/* Features (FEATURE_...) whose enable --auto has saved settings for the current level. */
	unsigned int saved;
};

/** A version of the kernel, so that versions compare. */
#define KERNEL_VERSION(major, minor, patch) ((major)*1000000UL + (minor)*1000UL + (patch))

struct survey {
	struct isst_context *context;  /* in */
	struct isst_cpuset *named;     /* in, the survey's: CPUs of findings; NULL: all */
	bool measure;		       /* in: CPUs are kept busy, and measured */
	bool limits_only;	       /* in: nothing but what limits the hardware is read */
	struct survey_domain *domains; /* of the packages asked for, in the context's order */
	struct domain_snapshot *now;   /* of these */
	size_t count;
	enum turbo_state turbo;
	char *smt;     /* content of smt/control; NULL: none */
	char *driver;  /* scaling_driver of the first CPU that was looked at; NULL: none */
	char *release; /* of the kernel; NULL: unknown */
	unsigned long kernel_version;		 /* KERNEL_VERSION(); 0: unknown */
	unsigned int max_perf_pct, min_perf_pct; /* of intel_pstate; 0: none */
	unsigned int resumes;			 /* since boot */
	bool has_boot_state;			 /* a change was made since boot */
	struct configuration boot, applied;	 /* what that found; what was applied last */
	const char *applied_file;		 /* of the configuration applied last; NULL: none */
	bool has_efficiency_control;		 /* of the uncore: elc_ files */
	struct manager_seen managers[MANAGERS];
	/* Where cpufreq or HWP is missing; each can be NULL: unknown */
	char *command_line, *pstate;
	char *flags; /* of the processor */
	struct isst_cpuset *undisturbed;
	struct limit_reasons reasons;
	struct message_list unread; /* what could not be read */
	struct message_list notes;  /* what was not looked at, and why */
	struct power_zones power;   /* of packages */
	bool denied;		    /* something seems to be hidden from the caller */
	int error;		    /* 0, -ENOMEM or -EINTR: the survey ends with it */
};

#define survey_for_each_domain(domain, survey) \
	for (struct survey_domain *domain = (survey)->domains, \
				  *domain##_end = domain ? domain + (survey)->count : NULL; \
	     domain < domain##_end; domain++)
#define survey_for_each_cpu(cpu, domain) \
	for (struct survey_cpu *cpu = (domain)->cpus, \
			       *cpu##_end = cpu ? cpu + (domain)->cpu_count : NULL; \
	     cpu < cpu##_end; cpu++)

/** Reads everything. Returns 0 even if parts are unreadable, -ENOMEM or -EINTR. To be cleared. */
int survey_read(struct survey *survey, const struct isst_domain *const *domains, size_t count);
void survey_clear(struct survey *survey);

/* All of the following take an error that ends the survey into it, the first one. */
static inline void survey_take_error(struct survey *survey, int error)
{
	if (!survey->error)
		survey->error = error;
}

/** survey_whole.c: notes that something could not be read, unless it is what the machine does not
 * have. Without permission it is only a note. */
void survey_note_failure(struct survey *survey, const struct isst_failure *failure);

/** The same of a file of the kernel, by the error of its reader: -ENOENT is no failure. */
void survey_note_file(struct survey *survey, int error);

/** Notes why something was not looked at. */
__attribute__((format(printf, 2, 3))) void survey_note(struct survey *survey, const char *format,
						       ...);

/* Each reads a part of the whole. */
void survey_read_whole(struct survey *survey);	 /* survey_whole.c */
void survey_read_causes(struct survey *survey);	 /* survey_whole.c: of a missing cpufreq or HWP */
void survey_read_hidden(struct survey *survey);	 /* survey_whole.c: what hides files */
void survey_read_reasons(struct survey *survey); /* survey_hardware.c: what limits the hardware */
void survey_read_power(struct survey *survey);
void survey_measure(struct survey *survey);	    /* survey_hardware.c: where it is asked for */
void survey_read_managers(struct survey *survey);   /* managers.c */
void survey_read_remembered(struct survey *survey); /* survey_remembered.c */

/** The number that a configuration states of a domain, or of @cpu; or NOT_STATED. */
enum { NOT_STATED = -1 };
int survey_stated(const struct survey_domain *domain, const struct survey_cpu *cpu,
		  const struct configuration *configuration, enum subject subject);

/** Whether the last configuration states a value: a number, kHz, or that CPUs are offline. */
bool survey_applies(const struct survey_domain *domain, const struct survey_cpu *cpu,
		    enum subject subject, unsigned int index, uint64_t value);

/** Whether it states that a CPU, which has no domain, is offline. */
bool survey_applies_offline(const struct survey *survey, unsigned int cpu);

/** The range of the processor, as cpufreq shows it of the first CPU that has it; 0: unknown. */
const struct frequency_limits *survey_processor(const struct survey *survey);
/** Whether a CPU is the first of its core that counts. One of which the core is unknown is not. */
bool survey_is_first_of_core(const struct survey_domain *domain, size_t position,
			     bool (*counts)(const struct survey_cpu *cpu));

/** Whether the levels of a domain were read, and they are the current ones. */
static inline bool survey_has_level(const struct survey_domain *domain)
{
	return domain->domain->has_cpu && !domain->now->profile.failure.error;
}

/** Whether core-power is on, and CLOS are in use; whether it is known and off. */
static inline bool survey_core_power_is_on(const struct survey_domain *domain)
{
	const struct isst_core_power *state = &domain->now->core_power;

	return !state->failure.error && state->supported && state->enabled &&
	       (state->clos_failure.error || state->clos_enabled);
}

static inline bool survey_core_power_is_off(const struct survey_domain *domain)
{
	const struct isst_core_power *state = &domain->now->core_power;

	return !state->failure.error && state->supported && !survey_core_power_is_on(domain);
}

/** Whether limits and priorities of classes hold; whether it is known that they need not. */
static inline bool survey_classes_hold(const struct survey_domain *domain)
{
	return domain->now->core_power.clos_in_force == ISST_FEATURE_ENABLED;
}

static inline bool survey_classes_are_off(const struct survey_domain *domain)
{
	return domain->now->core_power.clos_in_force == ISST_FEATURE_DISABLED;
}

#endif
