/* SPDX-License-Identifier: BSD-3-Clause */
/* A fault rule as it is kept, for faults.c and fault_parse.c alone. */
#ifndef EMULATOR_FAULT_RULES_H
#define EMULATOR_FAULT_RULES_H

#include "emulator/front/faults.h"

enum info_field {
	INFO_API_VERSION,
	INFO_DRIVER_VERSION,
	INFO_MAX_COMMANDS,
	INFO_MAILBOX,
	INFO_MMIO,
	INFO_FIELDS
};

struct fault {
	enum fault_place place;
	bool given[FAULT_NUMBERS];
	uint64_t number[FAULT_NUMBERS];
	char *path; /* a pattern */
	enum fault_action action;
	uint64_t value;
	char *content;
	bool info_given[INFO_FIELDS];
	uint64_t info[INFO_FIELDS];
	uint64_t delay_us;
	uint64_t after; /* matches that pass before it acts */
	bool limited;	/* acts @times times only */
	uint64_t times;
	bool sticks; /* acts for ever on what it acted on first */
	struct agent_action then;
	bool acted; /* in this call: @then is due */
};

/** Takes the rules in @text apart (and @text with them); @file names it in messages. */
int faults_parse(struct faults *faults, const char *file, char *text, char **error);

/** What happened as the place and the conditions of a rule, to be freed; NULL: no memory. */
char *fault_describe(const struct fault_event *event);

#endif
