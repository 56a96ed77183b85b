/* SPDX-License-Identifier: BSD-3-Clause */
/* Watches a machine: looks when that is due, reports changes, and answers them. Times are the
 * caller's. */
#ifndef ISST_CLI_WATCH_WATCHER_H
#define ISST_CLI_WATCH_WATCHER_H

#include "../render/output.h"
#include "../run/run.h"
#include "watched.h"

struct watch_report {
	const char *event;  /* a word: changed, differs, unstable, ... */
	const char *target; /* what it is about */
	/* Values; NULL: unknown, or there are none. */
	const char *wanted, *old, *present;
	const char *cause; /* why, or by whom; NULL: that is not known */
};

struct found {
	struct found *next; /* of other CPUs */
	char *target;	    /* `package 0, die 0: level`, `CPU 0-3: CLOS` */
	char *stated;	    /* in a configuration; NULL: it is compared with none */
	char *present;
};

struct watched_part {
	struct watched_part *next;
	bool compared; /* with a configuration: what differs from that is found */
	struct watched watched;
	struct found *found, *known,
		*previous; /* by the last look, what is known, and was before */
	char subject[];	   /* `level`, `CLOS 2 max` */
};

struct watch_unit {
	struct watch_unit *next;
	struct watched reach; /* whether there is something to look at */
	bool seen;	      /* by the last look */
	const char *absent;   /* it was reported so, and is to be reported as that; NULL: not */
	char *failure;	      /* why it could not be looked at; NULL: it could */
	bool based;	      /* what the machine was is known of it */
	struct watched_part *parts;
	struct watched_part *pending; /* its level, which is to be followed; NULL: it is not */
	bool locked;		      /* its level */
	bool foreign_level;	      /* another agent has set it */
	bool acted;		      /* what changes now is what this watcher did */
	struct actions actions;
	char name[];
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
	int64_t suspected_ms; /* since when everything is suspect, and not looked at; 0: it is not
			       */
	int64_t hinted_ms;    /* the last look that a hint asked for, which may be to come */
	bool changed;	      /* what the machine was is not what is known */
	size_t differences;   /* that are stable, so far */
	char *own;	      /* the run of this program that is or was at work; NULL: none */
	char *trace;	      /* what runs of this program had left, when all was known */
	/* CPUs that were online, and those that are on- or offline by hand, and stay so. */
	struct isst_cpuset *online, *by_hand;
};

enum exit_status watch_machine(struct run *run, struct output *output);

/** Before the first look. Returns false without memory. */
bool watcher_begin(struct watcher *watcher);
void watcher_look(struct watcher *watcher, int64_t now_ms);

/** Something may have changed: a look is due now or, after another hint, a second after that. */
void watcher_hint(struct watcher *watcher, int64_t now_ms);
bool watcher_is_settled(const struct watcher *watcher);

/** An administrator wants actions again, after fights and failures. */
void watcher_forgive(struct watcher *watcher);

/** Everything may have changed. The next look is due after @pause_ms, but within an interval. */
void watcher_suspect(struct watcher *watcher, int64_t now_ms, int64_t pause_ms);
void watcher_clear(struct watcher *watcher);

/* ---- Between the parts of a watcher ---- */

/* watch_look.c */

/** The unit of a domain (NULL: the machine), made if it is missing. */
struct watch_unit *watcher_unit(struct watcher *watcher, const struct isst_domain *domain);
void found_clear(struct found **list);
void look_small(struct watcher *watcher);

/** Adds to a small look all that differs from a configuration: the file, or what it was. */
void look_whole(struct watcher *watcher);

/** What the machine is becomes what it was, unless it changes meanwhile. Returns whether it did. */
bool look_accept(struct watcher *watcher);

/** The next look opens and discovers the machine anew. */
void look_anew(struct watcher *watcher);
const struct isst_domain *look_find_domain(struct isst_context *context,
					   const struct watch_unit *unit);

/* watch_answer.c */

void watcher_report(struct watcher *watcher, const char *event, const char *target,
		    const char *cause);
bool watcher_unit_is_settled(const struct watcher *watcher, const struct watch_unit *unit);
void watcher_suspect_unit(struct watch_unit *unit, int64_t now_ms);

/** Acts where that is due. The machine was looked at just now, as a whole. */
void watcher_answer(struct watcher *watcher, int64_t now_ms);

/** What is to be made as the file states it; NULL: nothing of the unit. */
const struct watched_part *watcher_differs(const struct watcher *watcher,
					   const struct watch_unit *unit);

/** Reports that others, or a watcher and others, set the same values again and again. */
void watcher_report_fight(struct watcher *watcher, const struct watch_unit *unit,
			  const struct watched_part *part);

#endif
