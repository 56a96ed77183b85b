/* SPDX-License-Identifier: BSD-3-Clause */
/* Putting a change together: adding steps, their items and footprints. Writes nothing. */
#ifndef ISST_TRANSACTION_STEPS_H
#define ISST_TRANSACTION_STEPS_H

#include "transaction/change.h"

/** Adds an empty step of a kind; NULL without memory, which isst_change_run() then reports: it need
 * not be checked. */
struct step *change_step(struct isst_change *change, enum item_kind kind);

/** Adds an empty step right behind another one. */
struct step *change_step_behind(const struct step *before, enum item_kind kind);

/** Adds an item to a step: the bits of @mask become those of @bits. A NULL step is passed over. */
void step_set(struct step *step, struct item item, uint64_t mask, uint64_t bits);

/** As step_set(); where the item cannot be read or written the change goes on without it, with a
 * warning. */
void step_set_optional(struct step *step, struct item item, uint64_t mask, uint64_t bits);

/** The same for a value that reads as @shown whatever was written: that what is there is as asked
 * cannot be seen, so it is written anyway. */
void step_set_hidden(struct step *step, struct item item, uint64_t value, uint64_t shown);

/** Bits of the item that was added last are wanted only where the machine has them. Where they are
 * all of its mask, and it does not have the item, the change goes on, with a warning for the first
 * one of its kind and domain. A NULL step is passed over. */
void step_if_supported(struct step *step, uint64_t bits);

/** A field of the entry that was added last, whose bits are @bits, is only raised. */
void step_not_lowering(struct step *step, uint64_t bits);

/** All steps that are planned by now have to make of their items just what is asked for. */
void change_be_exact(struct isst_change *change);

/** What an entry makes of a value. */
uint64_t entry_apply(const struct entry *entry, uint64_t value);

/**
 * Whether an entry is written whatever is there, as that cannot be seen. "No limit" that an exact
 * step reads while turbo is off is taken for what it reads as: a configuration that compares as
 * equal writes nothing. Any other limit that is not shown may not be in force once turbo is on.
 */
bool entry_is_unseen(const struct step *step, const struct entry *entry);

/** What the entry that was added last becomes is what was there before. */
void step_restores(struct step *step);

/** Adds an item that becomes @value where it is lower than @least. */
void step_raise(struct step *step, struct item item, uint64_t least, uint64_t value);

/** Adds an item whose value is text. */
void step_set_text(struct step *step, struct item item, const char *text);

/** Adds an item that the step may disturb. */
void step_disturbs(struct step *step, struct item item);

/** The same; one that cannot be read is left out of the footprint, with a warning. */
void step_disturbs_optional(struct step *step, struct item item);

/** As step_disturbs_optional(), where it is known that the bits that mean something become @bits.
 */
void step_resets(struct step *step, struct item item, uint64_t bits);

/** As step_disturbs_optional(), where the step is not to change the item: if it is another value
 * once the step is made, it is written back (step_write_back()). Items of the firmware. */
void step_keeps(struct step *step, struct item item);

/** Adds the limits of a CPU to the footprint. */
void step_disturbs_limits(struct step *step, const struct isst_domain *domain, unsigned int cpu);

/** Adds to the footprint what the kernel may move with an item that is written. */
void step_disturbs_counterpart(struct step *step, const struct item *item);

/** Notes what planning has found an item to be, where it is based on that: the change fails where
 * it is something else before the first write, or in the end something else than the change left.
 */
void change_relies_on(struct isst_change *change, struct item item, uint64_t value);

/**
 * What the steps that are planned by now will make of a value: a change of several requests plans
 * each from what those before it leave. Returns whether one of them writes the item.
 */
bool change_project(const struct isst_change *change, const struct item *item, uint64_t *value);

/** The next one of the entries and footprints of an item, in the order of the steps, of each of
 * them entries first; NULL: the first one. NULL behind the last one. */
const struct entry_place *change_next_place(const struct isst_change *change,
					    const struct item *item,
					    const struct entry_place *before);
struct entry *place_entry(const struct entry_place *place);

/** The entries of a step, and behind them those of its footprint; NULL behind the last one. */
struct entry *step_entry(const struct step *step, size_t i);

#define change_for_each_place(place, change, item) \
	for (const struct entry_place *place = change_next_place((change), (item), NULL); place; \
	     place = change_next_place((change), (item), place))

/** Whether a step was begun: something may have been written. */
bool change_has_begun(const struct isst_change *change);

/** Whether CPUs went on- or offline, so that the topology is another. */
bool change_touches_cpus(const struct isst_change *change);

#endif
