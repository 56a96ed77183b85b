/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Watches the emulated machine in the state directory given, of the platform given. Keeps what it
 * holds, and then answers a line of standard input each:
 *
 *   memory   what firmware, driver and kernel remember, as text
 *   files    the kernel's files: for each its path, a NUL, its size, a NUL, its content
 *   reset    makes everything what it was; the answer is empty
 *
 * An answer is a line with its length, and as many bytes.
 */
#include "emulator/front/front.h"
#include "support/keep.h"
#include "support/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct isst_emulator_target *target;

static bool print_files(FILE *answer, struct server *server, const char *directory)
{
	char **names;
	size_t count;
	bool well = kernel_list(server, *directory ? directory : "/", &names, &count) == 0;

	for (size_t i = 0; i < count && well; i++) {
		char *path, *content;
		size_t size;

		well = asprintf(&path, "%s/%s", directory, names[i] + 1) >= 0;
		if (!well)
			break;
		if (names[i][0] == 'd') {
			well = print_files(answer, server, path);
		} else if (names[i][0] == 'f' && kernel_read(server, path, &content, &size) == 0) {
			fprintf(answer, "%s%c%zu%c", path, '\0', size, '\0');
			fwrite(content, 1, size, answer);
			free(content);
		}
		free(path);
	}
	kernel_free_list(names, count);
	return well;
}

/** Past the seams: nothing of it is counted. */
static bool answer_files(FILE *answer)
{
	struct emulated *emulated;
	char *error = NULL;
	bool well;

	if (emulated_open(target, &emulated, &error)) {
		fprintf(stderr, "%s\n", error);
		return false;
	}
	well = state_lock(&emulated->server) == 0 && print_files(answer, &emulated->server, "");
	emulated_close(emulated);
	return well;
}

/** Returns false where the question is none. */
static bool answer_one(const char *question, const char *directory, struct kept *kept)
{
	char *text = NULL, *memory;
	size_t size;
	FILE *answer = open_memstream(&text, &size);
	bool known = answer;

	if (known && strcmp(question, "memory\n") == 0) {
		memory = machine_snapshot(directory);
		known = memory && fputs(memory, answer) >= 0;
		free(memory);
	} else if (known && strcmp(question, "files\n") == 0) {
		known = answer_files(answer);
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
	struct isst_emulator_target opened = { 0 };
	struct kept *kept;
	char *question = NULL;
	size_t space = 0;
	bool well = true;

	if (argc != 3) {
		fprintf(stderr, "usage: %s STATE-DIRECTORY PLATFORM\n", argv[0]);
		return 2;
	}
	opened.state_directory = argv[1];
	opened.platform = argv[2];
	target = &opened;
	kept = kept_take(argv[1]);
	while (well && getline(&question, &space, stdin) > 0)
		well = answer_one(question, argv[1], kept);
	free(question);
	kept_free(kept);
	return well ? 0 : 1;
}
