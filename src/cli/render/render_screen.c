/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a report as a screen for people: what stands at its top as sentences, its units as tables
 * and maps. Must know nothing of Speed Select.
 */
#include "render.h"
#include "screen_map.h"
#include "screen_table.h"

static int write_table(const struct report *report, const struct key *key, const struct page *page,
		       FILE *stream)
{
	struct screen_table table;
	int error = screen_table_make(&table, report, key);

	if (!error && table.row_count > 0)
		fputc('\n', stream);
	if (!error)
		error = screen_table_write(&table, page, stream);
	screen_table_clear(&table);
	return error;
}

/** The next key, by the order of the key table, of branches that are rows; NULL behind the last. */
static const struct key *next_key(const struct report *report, const struct key *before)
{
	const struct key *next = NULL;

	for (const struct report_entry *entry = report_first(report); entry; entry = entry->next) {
		if (entry->kind != ENTRY_UNIT || entry->steps == 0)
			continue;
		for (const struct report_node *node = entry->root->first; node; node = node->next)
			if (screen_key_is_row(node) && (!before || node->key > before) &&
			    (!next || node->key < next))
				next = node->key;
	}
	return next;
}

int render_screen(const struct report *report, const struct page *page, bool messages, FILE *stream)
{
	const struct key *key = NULL;
	int error = 0;

	for (const struct report_entry *entry = report_first(report); entry && !error;
	     entry = entry->next)
		if (entry->kind == ENTRY_UNIT && entry->steps == 0)
			error = render_sentences(entry->root->first, page, stream);
	if (!error)
		error = write_table(report, NULL, page, stream);
	while (!error && (key = next_key(report, key)) != NULL)
		error = write_table(report, key, page, stream);
	if (!error)
		error = screen_map_write(report, page, stream);
	if (messages)
		render_messages(report, page, stream);
	return error;
}
