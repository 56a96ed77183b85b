/* SPDX-License-Identifier: BSD-3-Clause */
/* Putting a change together: adding steps, their items and footprints. Writes nothing. */
#ifndef ISST_TRANSACTION_STEPS_H
#define ISST_TRANSACTION_STEPS_H

#include "transaction/change.h"

/** Adds an empty step of a kind, at the end or right behind another one. NULL without memory, which
 * isst_change_run() then reports: functions that add entries to it do nothing. */
struct step *change_step(struct isst_change *change, enum item_kind kind);
struct step *change_step_behind(const struct step *before, enum item_kind kind);

/* ---- Items that a step writes: the entry, for members that are to be set besides ---- */

/** Sets the bits of @mask of an item to those of @bits. */
struct entry *step_set(struct step *step, struct item item, uint64_t mask, uint64_t bits);

/** Sets a value that reads as @shown whatever was written: it is written in any case. */
struct entry *step_set_hidden(struct step *step, struct item item, uint64_t value, uint64_t shown);

/** Sets an item to @value where it is lower than @least. */
void step_raise(struct step *step, struct item item, uint64_t least, uint64_t value);

/** All steps that are planned by now have to make of their items just what is asked for. */
void change_be_exact(struct isst_change *change);

/** What an entry makes of a value. */
uint64_t entry_apply(const struct entry *entry, uint64_t value);

/**
 * Whether an entry is written whatever is there, as that cannot be seen: another limit may be in
 * force once turbo is on. "No limit" that a reversible change reads while turbo is off is taken for
 * what it reads as, since another one could not be restored.
 */
bool entry_is_unseen(const struct step *step, const struct entry *entry);

/* ---- Items that a step may disturb: its footprint ---- */

struct entry *step_disturbs(struct step *step, struct item item);

/** One that cannot be read is left out of the footprint, with a warning. */
static inline void step_disturbs_optional(struct step *step, struct item item)
{
	step_disturbs(step, item)->optional = true;
}

/** As step_disturbs_optional(); if the item is another value once the step is made, it is written
 * back (step_write_back()). Items of the firmware. */
void step_keeps(struct step *step, struct item item);

/** The limits of a CPU. */
void step_disturbs_limits(struct step *step, const struct isst_domain *domain, unsigned int cpu);

/** What the kernel may move with an item that is written. */
void step_disturbs_counterpart(struct step *step, const struct item *item);

/* ---- A change as it is planned ---- */

/** Notes what planning found an item to be: the change fails where it is something else before the
 * first write, or in the end something else than the change left. */
void change_relies_on(struct isst_change *change, struct item item, uint64_t value);

/** What the steps that are planned by now will make of a value. Returns whether one of them writes
 * the item. */
bool change_project(const struct isst_change *change, const struct item *item, uint64_t *value);

/** The entries and footprints of an item, in the order of the steps, of each of them entries first.
 * NULL: before the first one, or behind the last one. */
const struct entry_place *change_next_place(const struct isst_change *change,
					    const struct item *item,
					    const struct entry_place *before);
struct entry *place_entry(const struct entry_place *place);

#define change_for_each_place(place, change, item) \
	for (const struct entry_place *place = change_next_place((change), (item), NULL); place; \
	     place = change_next_place((change), (item), place))

/** The entries of a step, and behind them those of its footprint; NULL behind the last one. */
struct entry *step_entry(const struct step *step, size_t i);

/** Whether a step was begun: something may have been written. */
bool change_has_begun(const struct isst_change *change);

/** Whether CPUs went on- or offline, so that the topology is another. */
bool change_touches_cpus(const struct isst_change *change);

/* ---- What a change reports ---- */

__attribute__((format(printf, 4, 5))) void change_warn(struct isst_change *change,
						       enum isst_message_code code,
						       struct message_place place,
						       const char *format, ...);

/** The place of a cause that is a message of the change or of its context. */
struct message_place of_cause(const struct isst_change *change, const char *why);

/** Warns that an optional item is left as it is. */
void change_warn_optional(struct isst_change *change, const char *why);

/** Warns that a domain without CPUs refused, and is left as it is. */
void change_warn_left_out(struct isst_change *change, const char *why);

void change_differs(struct isst_change *change, const struct item *item, struct item_value now,
		    struct item_value old);
void change_differs_unread(struct isst_change *change, const struct item *item, const char *why);
/** Adds the warnings and differences of another change. */
void change_take_texts(struct isst_change *change, const struct isst_change *other);

/** One line in the machine's system log. */
void change_log(struct isst_change *change, const struct item *item, struct item_value from,
		struct item_value to, const char *result);

/** Makes the list of all entries of all steps that change_listed_step() shows. Returns 0 or
 * -ENOMEM, and then there is none. */
int change_list(struct isst_change *change);
void change_forget_list(struct isst_change *change);

#endif
