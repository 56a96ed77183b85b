/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Captured machines. The input is all files of a capture, each after a line `=== N` with the
 * number of its path in the table; what comes before the first one is left out.
 */
#include "emulator/capture/capture.h"
#include "fuzz/support/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const paths[] = {
	"proc/cpuinfo",
	"sys/inlinefiles.txt",
	"msr/msr.txt",
	"isst/answers.txt",
	"sys/kernel/debug/tpmi-0000:00:03.1/tpmi-id-05/mem_dump",
};
enum { PATHS = sizeof(paths) / sizeof(*paths) };

static void make_directories(const char *base)
{
	static const char *const names[] = {
		"proc",
		"sys",
		"sys/kernel",
		"sys/kernel/debug",
		"msr",
		"isst",
		"sys/kernel/debug/tpmi-0000:00:03.1",
		"sys/kernel/debug/tpmi-0000:00:03.1/tpmi-id-05",
	};
	char path[200];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", base, names[i]);
		mkdir(path, 0700);
	}
}

static void write_part(const char *base, unsigned int number, const char *text, size_t size)
{
	char path[200];
	FILE *file;

	if (number >= PATHS)
		return;
	snprintf(path, sizeof(path), "%s/%s", base, paths[number]);
	file = fopen(path, "w");
	if (!file || fwrite(text, 1, size, file) != size || fclose(file))
		abort();
}

static void write_parts(const char *base, const char *text)
{
	char path[200];

	for (unsigned int i = 0; i < PATHS; i++) {
		snprintf(path, sizeof(path), "%s/%s", base, paths[i]);
		unlink(path);
	}
	for (const char *part = strstr(text, "=== "); part;) {
		const char *next = strstr(part + 4, "=== "), *begin = strchr(part, '\n');
		const char *end = next ? next : part + strlen(part);

		if (begin && begin < end)
			write_part(base, (unsigned int)atoi(part + 4), begin + 1,
				   (size_t)(end - begin - 1));
		part = next;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *error = NULL, *described;
	struct platform *platform = NULL;

	make_directories(fuzz_scratch());
	write_parts(fuzz_scratch(), text);
	if (capture_read("fuzz", fuzz_scratch(), &platform, &error) == 0) {
		described = capture_describe(platform);
		free(described);
	} else if (platform) {
		abort();
	}
	platform_unload(platform);
	free(error);
	free(text);
	return 0;
}
