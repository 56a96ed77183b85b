/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of one watched part, by its looks, and when to act. Times and values are the caller's.
 */
#ifndef ISST_CLI_WATCH_WATCHED_H
#define ISST_CLI_WATCH_WATCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum watched_state {
	WATCHED_UNKNOWN, /* no two looks have found the same value yet */
	WATCHED_KNOWN,
	WATCHED_SUSPECT, /* the last look may differ from what is known: looks follow soon */
	WATCHED_OWN,	 /* another run of this program is at work: the same, a little later */
	WATCHED_CHANGED, /* to be answered by watched_accept() or watched_defer() */
	WATCHED_GONE,	 /* there is nothing to look at: offline, or without a driver */
};

enum watched_verdict {
	WATCHED_NOTHING,
	WATCHED_HAS_CHANGED, /* two looks agree on another value */
	WATCHED_IS_UNSTABLE, /* no two looks have agreed for 10 s; once until two do */
	WATCHED_HAS_GONE,    /* its value stays known */
};

/** So many actions, or alternating values of others, within ten minutes are a fight. */
enum { WATCHED_FIGHT = 4 };

struct watched {
	enum watched_state state;
	bool has_value, has_last, last_there;
	uint64_t value;	    /* that is known */
	uint64_t last;	    /* that the last look found, if @last_there */
	bool gone;	    /* and reported so */
	bool unstable;	    /* and reported so */
	unsigned int looks; /* since it is suspect */
	int64_t suspect_ms; /* the first of them */
	int64_t own_ms;	    /* since when another run is waited for; 0: none is */
	bool own_over;	    /* it was over at the last look */
	int64_t next_ms;    /* when to look; INT64_MAX: with the next round */
	/* The last values that others set, and were not answered; the last first. */
	uint64_t values[WATCHED_FIGHT];
	int64_t values_ms[WATCHED_FIGHT];
	size_t value_count;
};

/** Its value is known from elsewhere than a look. */
void watched_know(struct watched *watched, uint64_t value);

/** A look found @value, or, where @there is false, nothing to look at. */
enum watched_verdict watched_look(struct watched *watched, bool there, uint64_t value,
				  int64_t now_ms);

/** It may have changed: two looks have to agree again, the first of them due now. */
void watched_suspect(struct watched *watched, int64_t now_ms);

/** Accepts a changed value; @by_others: not as our answer. Returns true where two values
 * alternate. */
bool watched_accept(struct watched *watched, bool by_others, int64_t now_ms);

/** Waits with a changed value while another run of isst is at work (@busy), and once more after
 * it. Returns false where that is over, or has taken too long. */
bool watched_defer(struct watched *watched, bool busy, int64_t now_ms);

/* ---- Actions, of one domain ---- */

struct actions {
	int64_t made_ms[WATCHED_FIGHT]; /* the last first */
	size_t count;
	bool fights;	       /* there are no more until SIGHUP */
	unsigned int failures; /* one after the other */
	uint64_t cause;	       /* of the last one that was reported */
	int64_t retry_ms;      /* no action before */
};

/** Whether an action may be made: no fight, and no failure that has to be waited for. */
bool actions_may(const struct actions *actions, int64_t now_ms);

/** An action was made. Returns true where it begins a fight. */
bool actions_made(struct actions *actions, int64_t now_ms);

/** An action failed. Returns whether that is to be reported: another @cause than the last time. */
bool actions_failed(struct actions *actions, uint64_t cause, int64_t now_ms);
void actions_forgive_failures(struct actions *actions);

#endif
