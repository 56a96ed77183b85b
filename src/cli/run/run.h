/* SPDX-License-Identifier: BSD-3-Clause */
/* One run of a command: what its handler works with and reports through, and its status. */
#ifndef ISST_CLI_RUN_H
#define ISST_CLI_RUN_H

#include "../arguments/request.h"
#include "../process/exit_status.h"
#include "../process/nowait_stream.h"
#include "../process/signals.h"
#include "../report/report.h"
#include "isst-config.h"

struct output;
struct run;

/* ---- What a command is for (targets.c) ---- */

/** The name of a domain in output, from before the change: it depends on online CPUs. */
struct unit_place {
	unsigned int package, die, number;
	bool die_known, has_cpu;
};

struct unit {
	const struct isst_domain *domain;
	struct unit_place place;
	unsigned int cpu; /* stands for the unit in output */
	bool is_cpu;	  /* it is that CPU */
	size_t slot;	  /* index of its domain in the targets' domains */
	bool first;	  /* the first unit of its domain: messages about the domain come here */
};

/** What the units are where no CPUs are named. */
enum unit_kind {
	UNIT_DOMAIN,	      /* power domains */
	UNIT_DOMAIN_WITH_CPU, /* power domains, but for those without CPUs */
	UNIT_CPU,	      /* CPUs that are online */
	UNIT_PRESENT,	      /* power domains; CPUs that are named may be offline */
};

struct targets {
	struct unit *units;
	size_t unit_count;
	const struct isst_domain **domains; /* of the units, each once */
	size_t domain_count;
	bool named; /* by --cpu */
};

#define for_each_unit(unit, targets) \
	for (const struct unit *unit = (targets)->units; \
	     unit < (targets)->units + (targets)->unit_count; unit++)

/** Finds the run's units: @cpus, or without (NULL) those of @kind. Returns false after reporting
 * CPUs that cannot be targets. */
bool targets_find(struct run *run, enum unit_kind kind, const struct isst_cpuset *cpus);
void targets_keep_packages(struct targets *targets, const struct isst_cpuset *packages);
void targets_clear(struct targets *targets);

/** Whether a CPU of a domain, online or not, is one of @cpus. */
bool domain_has_cpu_of(const struct isst_domain *domain, const struct isst_cpuset *cpus);

/** The steps of a domain: package, die, power domain. Returns their number. */
size_t domain_path(const struct isst_domain *domain, struct isst_context *context,
		   struct report_step path[REPORT_PATH_STEPS]);

/** Adds package, die and power domain, in json-v2 alone. @domain: NULL: none */
void report_domain_place(struct report_node *node, const struct isst_domain *domain,
			 struct isst_context *context);

/** Adds a unit to the report, at its package, die, power domain and CPU. */
struct report_node *unit_report(const struct run *run, const struct unit *unit);

/* ---- The run ---- */

struct run {
	const struct request *request;
	struct isst_context *context; /* NULL for commands that need no machine */
	struct targets targets;
	struct isst_cpuset *cpus;   /* named by --cpu; NULL: none were */
	struct isst_cpuset *chosen; /* by --high-priority; NULL: nothing was, so far */
	struct report *report;
	enum exit_status status;
	struct isst_config *config; /* what the command line states; NULL: nothing */
	struct program *program;    /* that is run on the way; NULL: none */
	int program_status;	    /* what it ended with; -1: it was not run */
	int program_signal;	    /* that ended it; 0: none did */
	bool program_refused;	    /* it cannot be run, as its status has it: nothing was done */
	struct signals signals;	    /* held back while the run changes the machine */
	/* The signal that the lock or a change was given up for; NULL: none. */
	const char *interrupted_by;
	FILE *progress;	      /* where progress is printed; NULL: in the report */
	unsigned int columns; /* of the terminal that this is; 0: lines stay whole */
	bool counts;   /* that is a terminal: CPUs that go on- or offline are counted in a line */
	bool counting; /* which stands there now */
	unsigned int cpus_taken; /* on- or offline by the change, so far */
	/* That of what has to be seen at once; NULL: the run may wait for readers. */
	struct nowait_stream *nowait;
	struct report_node *steps; /* of --dry-run; NULL: none yet */
	unsigned int step_count;
	struct folds folds;	 /* what belongs there, of all changes */
	size_t reported_notices; /* of the context's, so far */
	/* What a command that is carried out again keeps of levels; NULL: it is not. */
	struct level_memory *level_memory;
	bool again;	   /* a further round of --watch */
	bool comes_online; /* a dry run: CPUs that are offline would be online by then */
	/* The same of CPUs that have not been seen online. */
	bool unseen_come_online;
	bool complete;	   /* the report is to contain what screens leave out */
	bool shows_holder; /* of a change: the result has it */
	bool changed;	   /* something was changed, and everything as asked so far */
};

/** Whether a signal ends the run @data, as the library asks in waits and changes. */
int run_is_interrupted(void *data);

/** The library's options that a command line asks for. */
struct isst_options *run_options(const struct request *request);

/** Why something could not be read or changed, as the library reports it for a part of a result. */
struct failure {
	int error; /* 0: it could */
	const char *message;
	unsigned int more;		  /* things that failed besides */
	const struct isst_result *of;	  /* NULL: not known */
	const struct isst_message *about; /* the same: a message that has the place */
};

struct failure failure_of(const struct isst_result *result, int part);

/** The message of the last call, which failed. */
const char *run_cause(const struct run *run, int error);

/** A call of the library failed as a whole: an error, and its status. Returns @error. */
int run_call(struct run *run, int error);

/** The same of a call that finds the driver, without which an Intel processor is unknown. */
int run_driver_call(struct run *run, int error);

/** What a command was to ask could not be asked: an error. */
void run_not_asked(struct run *run, int error);

/** Reports a message of the library, with @more behind its text. */
void run_message(struct run *run, enum entry_kind kind, const struct isst_message *message,
		 const char *more);

/** Messages of the library that are errors of a run: each with the status of @error. */
void run_message_error(struct run *run, int error, const struct isst_message *message);

/** Reports the notices of the context that came since it was last called. */
void run_report_notices(struct run *run);

/** A unit's result is incomplete: an error, and its status; nothing if @failure is none. */
void run_failure(struct run *run, struct failure failure);

/** The same failure where it is none of the run: a note. */
void run_note(struct run *run, struct failure failure);

/** The command had nothing to change; what was left by an interrupted run may have been. */
void run_note_unchanged(struct run *run, const char *why);

/** Whether there is a result; else reports its failure if it is the @first of the domain. */
bool run_result(struct run *run, struct failure failure, bool first);

/** A unit does not support it: an error if it is named, or no unit does; else a note. */
#define run_unsupported(run, ...) \
	do { \
		report_message((run)->report, ENTRY_UNSUPPORTED, __VA_ARGS__); \
		report_code((run)->report, status_code(STATUS_UNSUPPORTED)); \
	} while (0)

/** What is being done right now: printed at once, or where results are documents in the report. */
void run_progress(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Counts CPUs that go on- or offline in the last line of a terminal; @state NULL: erases it. */
void run_count(struct run *run, const char *state, unsigned int done, unsigned int count);
bool run_is_change(const struct run *run);
void run_error(struct run *run, enum exit_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/** The name of the processor; NULL if there is none, or after a note that it cannot be read. */
const char *run_processor_name(struct run *run);

/** Decides what becomes of run_unsupported(); called once, after the handler. */
void run_finish(struct run *run);

/* ---- The lock, signals and privileges ---- */

/** Blocks signals, and takes the lock, or (@lock false) leaves that to a later change. Returns
 * false after an error. */
bool reserve_machine(struct run *run, bool lock);

/** Drops the capabilities and system calls that the rest of the run does not need. */
void reserve_drop_privileges(struct run *run, struct output *output);

#endif
