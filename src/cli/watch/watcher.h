/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Watches a machine: looks at it whenever that is due, finds what changed, reports it, and does
 * about it what it was asked to. Has no clock: times are the caller's, and only go forward.
 */
#ifndef ISST_CLI_WATCH_WATCHER_H
#define ISST_CLI_WATCH_WATCHER_H

#include "look.h"
#include "watched.h"

/** Something that a watcher reports. */
struct watch_report {
	const char *event;  /* a word: changed, differs, unstable, ... */
	const char *target; /* what it is about */
	/* Values; NULL: unknown, or there are none. */
	const char *wanted, *old, *present;
	const char *cause; /* why, or by whom; NULL: that is not known */
};

struct watched_part {
	char *key;
	struct watched watched;
	uint64_t base; /* the value where nothing differs from the configuration */
	bool compared; /* it is compared with that */
	/* What the last look found, and what is known; several of CPUs. */
	struct found *found, *known;
	size_t found_count, known_count;
	char *previous;	    /* the value before; NULL: there was none */
	bool pending;	    /* a level that is to be followed */
	bool foreign_level; /* a level that another agent has set */
};

struct watcher {
	struct run *run; /* of the command: its request, signals and progress */
	struct looker looker;
	int64_t interval_ms, whole_ms; /* between looks, and between whole ones */
	void (*report)(void *data, const struct watch_report *report);
	void *data;

	struct watched reach; /* whether there is something to look at */
	char *failure;	      /* why there was not */
	struct watched_part *parts;
	size_t part_count;
	uint64_t digest; /* of the last small look after which a whole one found nothing */
	int64_t due_ms;	 /* when the next look is, and the next whole one */
	int64_t whole_due_ms;
	int64_t hinted_ms;     /* the last look that a hint asked for, which may be to come */
	bool changed;	       /* what the machine was is not what is known */
	size_t differences;    /* that are stable, so far */
	struct watched repair; /* what the configuration states */
	/* CPUs that were online, and those that are on- or offline by hand, and stay so. */
	struct isst_cpuset *online, *by_hand;
	bool acted; /* what changes now is what this watcher did */
	char *own;  /* the run of this program that is or was at work; NULL: none */
};

/** Before the first look. */
void watcher_begin(struct watcher *watcher);

/** Looks if that is due, and reports. Sets watcher->due_ms. */
void watcher_look(struct watcher *watcher, int64_t now_ms);

/** Something may have changed: a look is due now or, after another hint, a second after that. */
void watcher_hint(struct watcher *watcher, int64_t now_ms);

/** Whether everything that can be looked at is known. */
bool watcher_is_settled(const struct watcher *watcher);

/** An administrator wants actions again, after fights and failures. */
void watcher_forgive(struct watcher *watcher);

/** Everything may have changed: a resume, an event, SIGHUP. The next look is due now. */
void watcher_suspect(struct watcher *watcher, int64_t now_ms);

void watcher_clear(struct watcher *watcher);

#endif
