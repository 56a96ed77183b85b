/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the messages of a report by their text: each is looked at once, however many there are. */
#ifndef ISST_CLI_MESSAGE_INDEX_H
#define ISST_CLI_MESSAGE_INDEX_H

#include "report.h"

/** Empty when all of it is zero. */
struct message_index {
	const struct report_entry **slots;
	size_t size, count;
	const struct report_entry *last; /* the last entry that was taken in */
};

/** Takes in the entries behind the last one. Returns false without memory. */
bool message_index_update(struct message_index *index, const struct report_entry *first);

/** Whether a message of that kind was taken in. */
bool message_index_has(const struct message_index *index, enum entry_kind kind, const char *text);

/** Forgets all, as is to be done before an entry that was taken in is changed or freed. */
void message_index_clear(struct message_index *index);

#endif
