/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Watches the emulated machine in the state directory given. Keeps what it holds, and then answers
 * a line of standard input each:
 *
 *   memory   what firmware, driver and kernel remember, as text
 *   files    what is another than it was: for each file its path, a NUL, sizes, a NUL, content
 *   reset    makes everything what it was; the answer is empty
 *
 * Sizes are two numbers, before and now, -1 where there is no file; the content is that of now.
 *
 * An answer is a line with its length, and as many bytes.
 */
#include "support/keep.h"
#include "support/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_difference(void *data, const struct kept_difference *difference)
{
	FILE *answer = data;

	fprintf(answer, "%s%c%ld %ld%c", difference->path, '\0',
		difference->before ? (long)difference->before_size : -1L,
		difference->now ? (long)difference->now_size : -1L, '\0');
	if (difference->now)
		fwrite(difference->now, 1, difference->now_size, answer);
}

static void answer_files(const char *directory, const struct kept *before, FILE *answer)
{
	struct kept *now = kept_look(directory, before);

	kept_compare(before, now, print_difference, answer);
	kept_free(now);
}

/** Returns false where the question is none. */
static bool answer_one(const char *question, const char *directory, struct kept *kept)
{
	char *text = NULL, *memory;
	size_t size;
	FILE *answer = open_memstream(&text, &size);
	bool known = answer;

	if (known && strcmp(question, "memory\n") == 0) {
		memory = machine_snapshot_memory(directory);
		known = memory && fputs(memory, answer) >= 0;
		free(memory);
	} else if (known && strcmp(question, "files\n") == 0) {
		answer_files(directory, kept, answer);
	} else if (known && strcmp(question, "reset\n") == 0) {
		kept_restore(kept);
	} else {
		known = false;
	}
	if (answer && fclose(answer))
		known = false;
	if (known) {
		printf("%zu\n", size);
		fwrite(text, 1, size, stdout);
		known = fflush(stdout) == 0;
	}
	free(text);
	return known;
}

int main(int argc, char **argv)
{
	struct kept *kept;
	char *question = NULL;
	size_t space = 0;
	bool well = true;

	if (argc != 2) {
		fprintf(stderr, "usage: %s STATE-DIRECTORY\n", argv[0]);
		return 2;
	}
	kept = kept_take(argv[1], NULL);
	while (well && getline(&question, &space, stdin) > 0)
		well = answer_one(question, argv[1], kept);
	free(question);
	kept_free(kept);
	return well ? 0 : 1;
}
