/* SPDX-License-Identifier: BSD-3-Clause */
/* What saved_settings.c plans and saved_settings_apply.c carries out. */
#ifndef ISST_TRANSACTION_SAVED_SETTINGS_PLAN_H
#define ISST_TRANSACTION_SAVED_SETTINGS_PLAN_H

#include "transaction/items.h"

enum plan_kind { KEEP, FOLLOW, FORGET, RETAIN, LEVEL };

/** What is to happen to saved settings once the change is made; a list, in the order of the
 * requests. */
struct settings_plan {
	struct settings_plan *next;
	enum plan_kind kind;
	const char *name;  /* of the feature; a constant */
	const char *other; /* a constant, or NULL */
	bool inherits;
	bool begun;	    /* KEEP: the first of its steps was, or is about to be made */
	struct item domain; /* package, die and domain only; RETAIN: the item */
	unsigned int level; /* not of KEEP */
};

#endif
