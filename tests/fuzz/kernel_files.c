/* SPDX-License-Identifier: BSD-3-Clause */
/* Values and lists of the kernel's files, with any content. */
#include "sysfs/kernel_files.h"
#include "base/machine.h"
#include "base/messages.h"
#include "fuzz/support/fuzz.h"
#include "isst.h"

#include <stdlib.h>
#include <string.h>

struct input {
	const uint8_t *data;
	size_t size;
};

static int read_input(void *data, const char *path, char **content, size_t *size)
{
	const struct input *input = data;

	(void)path;
	*content = fuzz_text(input->data, input->size);
	*size = input->size;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct files_operations operations = { .read = read_input };
	struct input input = { data, size };
	struct isst_machine machine = { .files = &operations, .data = &input };
	struct isst_cpuset *set = isst_cpuset_new();
	struct messages messages = { 0 };
	struct kernel_files files;
	uint64_t number;
	char *text;

	if (!set)
		abort();
	kernel_files_init(&files, &machine, &messages);
	kernel_files_cpulist(&files, "/sys/list", set);
	kernel_files_number(&files, "/sys/number", UINT32_MAX, &number);
	if (kernel_files_text(&files, "/sys/text", &text) == 0)
		free(text);
	messages_free(&messages);
	isst_cpuset_free(set);
	return 0;
}
