/* SPDX-License-Identifier: BSD-3-Clause */
/* What a change reports: warnings, differences after a rollback, the list of its writes, and the
 * system log. */
#ifndef ISST_TRANSACTION_REPORT_H
#define ISST_TRANSACTION_REPORT_H

#include "transaction/change.h"

__attribute__((format(printf, 3, 4))) void
change_warn(struct isst_change *change, enum isst_warning_kind kind, const char *format, ...);

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
