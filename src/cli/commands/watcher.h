/* SPDX-License-Identifier: BSD-3-Clause */
/* Watches a machine: looks when that is due, reports changes, and answers them. Times are the
 * caller's. */
#ifndef ISST_CLI_WATCH_WATCHER_H
#define ISST_CLI_WATCH_WATCHER_H

#include "../render/output.h"
#include "../run/run.h"
#include "isst-config.h"

struct watch_report {
	const char *event;  /* a word: changed, differs, unstable, ... */
	const char *target; /* what it is about */
	/* Values; NULL: unknown, or there are none. */
	const char *wanted, *old, *present;
	const char *cause; /* why, or by whom; NULL: that is not known */
};

/** So many actions, or alternating values of others, within ten minutes are a fight. */
enum { WATCH_FIGHT = 4, WATCH_FIGHT_MS = 10 * 60 * 1000 };

/** What happened, the last first. */
struct watch_history {
	uint64_t values[WATCH_FIGHT];
	int64_t ms[WATCH_FIGHT];
	size_t count;
};

/** A value of a unit. The first row of each is whether it can be read: "" if so, or the event. */
struct watch_row {
	struct watch_row *next;
	char *subject; /* `level`, `CLOS 2 max` */
	char *target;  /* `package 0, die 0: level`, `CPU 0-3: CLOS` */
	char *stated;  /* in a configuration; NULL: it is compared with none */
	/* By this look, by the last one, known since two looks agreed, and known before. NULL: as
	 * stated or, where nothing is, unknown. */
	char *found, *last, *known, *before;
	bool there;    /* this look has found it */
	bool suspect;  /* looks follow soon, until two agree */
	bool looked;   /* @last is of a look since then */
	bool changed;  /* two looks agree on another value than is known */
	bool unstable; /* reported: no two looks have agreed for 10 s */
	unsigned int looks;
	int64_t suspect_ms;	  /* the first of them */
	int64_t next_ms;	  /* when to look; INT64_MAX: with the next round */
	struct watch_history set; /* by others, since the last action */
};

struct watch_unit {
	struct watch_unit *next;
	struct watch_row *rows;
	const char *name;
	bool seen;		   /* by the last look */
	char *failure;		   /* why it could not be looked at; NULL: it could */
	bool based;		   /* what the machine was is known of it */
	struct watch_row *pending; /* its level, which is to be followed; NULL: it is not */
	bool locked;		   /* its level */
	bool foreign_level;	   /* another agent has set it */
	bool acted;		   /* what changes now is what this watcher did */
	/* Actions: */
	struct watch_history made;
	bool fights;	       /* there are no more until SIGHUP */
	unsigned int failures; /* one after the other */
	uint64_t cause;	       /* of the last one that was reported */
	int64_t retry_ms;      /* no action before */
};

struct watcher {
	struct run *run; /* of the command: its request, signals and progress */
	/** NULL: it cannot be opened, for *@problem (to be freed). */
	struct isst_context *(*open)(void *data, char **problem);
	void *open_data;
	void (*report)(void *data, const struct watch_report *report);
	void *report_data;
	struct isst_config *file;	/* NULL: there is none */
	const struct isst_cpuset *cpus; /* only what is of these; NULL: everything */
	int64_t interval_ms, whole_ms;	/* between looks, and between whole ones */

	/* Of looks: */
	struct isst_context *context; /* NULL: to be opened */
	struct isst_config *before;   /* what the machine was; NULL: unknown, or there is a file */
	struct isst_cpuset *undisturbed; /* CPUs that are isolated or nohz_full */
	struct watch_unit *units;	 /* the first one is the machine */
	uint64_t digest;		 /* of all that the last small look has read */
	uint64_t last_digest;		 /* of the last one after which a whole one found nothing */
	int64_t due_ms;			 /* when the next look is, and the next whole one */
	int64_t whole_due_ms;
	int64_t suspected_ms; /* since when everything is suspect and not looked at; 0: it is not */
	int64_t hinted_ms;    /* the last look that a hint asked for, which may be to come */
	int64_t own_ms;	      /* since when another run of this program is waited for; 0: none is */
	bool own_over;	      /* it was over at the last look */
	bool changed;	      /* what the machine was is not what is known */
	size_t differences;   /* that are stable, so far */
	char *own;	      /* the run of this program that is or was at work; NULL: none */
	char *trace;	      /* what runs of this program had left, when all was known */
	/* CPUs that were online, and those that are on- or offline by hand, and stay so. */
	struct isst_cpuset *online, *by_hand;
};

enum exit_status watch_machine(struct run *run, struct output *output);

/** Before the first look. */
void watcher_begin(struct watcher *watcher);
void watcher_look(struct watcher *watcher, int64_t now_ms);

/** Something may have changed: a look is due now or, after another hint, a second after that. */
void watcher_hint(struct watcher *watcher, int64_t now_ms);
bool watcher_is_settled(const struct watcher *watcher);

/** An administrator wants actions again, after fights and failures. */
void watcher_forgive(struct watcher *watcher);

/** Everything may have changed. The next look is due after @pause_ms, but within an interval. */
void watcher_suspect(struct watcher *watcher, int64_t now_ms, int64_t pause_ms);
void watcher_clear(struct watcher *watcher);

/* ---- Looks (watch_look.c) ---- */

void watch_row_free(struct watch_row *row);
/** The unit of a domain (NULL: the machine), made if it is missing. */
struct watch_unit *watcher_unit(struct watcher *watcher, const struct isst_domain *domain);
/** The next look opens and discovers the machine anew. */
void watcher_close_machine(struct watcher *watcher);
/** Reads what needs few driver calls: levels, locks, CPUs, turbo. */
void watcher_look_small(struct watcher *watcher);
/** What the machine is becomes what it was, unless it changes meanwhile. Returns whether it did. */
bool watcher_rebase(struct watcher *watcher);
/** Adds to a small look all that differs from a configuration: the file, or what it was. */
void watcher_look_whole(struct watcher *watcher);

/* ---- Answers ---- */

void watcher_report(struct watcher *watcher, const char *event, const char *target,
		    const char *cause);
void watch_history_push(struct watch_history *history, uint64_t value, int64_t now_ms);
const struct isst_domain *watch_unit_domain(struct isst_context *context,
					    const struct watch_unit *unit);

/** Whether two looks agree that a unit can be read, or cannot. */
bool watch_unit_is_there(const struct watch_unit *unit);
bool watch_unit_is_gone(const struct watch_unit *unit);

/** Whether all of a unit is known. */
bool watch_unit_is_settled(const struct watcher *watcher, const struct watch_unit *unit);

/** Two looks have to agree on a value again, the first of them due at @due_ms. */
void watch_row_suspect(struct watch_row *row, int64_t due_ms);
void watch_unit_suspect(struct watch_unit *unit, int64_t due_ms);

/** Acts where that is due. The machine was looked at just now, as a whole. */
void watcher_answer(struct watcher *watcher, int64_t now_ms);

/** What is to be made as the file states it; NULL: nothing of the unit. */
const struct watch_row *watcher_differs(const struct watcher *watcher,
					const struct watch_unit *unit);

/** Ends actions in a unit, since others, or a watcher and others, set the same values again and
 * again. */
void watcher_end_fight(struct watcher *watcher, struct watch_unit *unit,
		       const struct watch_row *row);

#endif
