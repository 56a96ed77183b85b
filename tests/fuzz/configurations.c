/* SPDX-License-Identifier: BSD-3-Clause */
/* Configurations: refused with a problem, or the same after they were written and read again. */
#include "configuration/configuration.h"
#include "configuration/write.h"
#include "fuzz/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

static char *written(const struct configuration *configuration, size_t *size)
{
	char *text = NULL;
	FILE *stream = open_memstream(&text, size);

	if (!stream || configuration_write(stream, configuration))
		abort();
	fclose(stream);
	return text;
}

static void check_again(const struct configuration *configuration)
{
	struct configuration again = { 0 };
	size_t size, other_size;
	char *text = written(configuration, &size), *other;

	if (configuration_add_text(&again, "again", text, size, TEXT_FILE))
		abort();
	other = written(&again, &other_size);
	if (size != other_size || memcmp(text, other, size) != 0)
		abort();
	free(text);
	free(other);
	configuration_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct configuration configuration = { 0 };
	int error = configuration_add_text(&configuration, "fuzz", (const char *)data, size,
					   TEXT_FILE);

	if ((error != 0) != (configuration.problem_count > 0))
		abort();
	/* Lists of packages and of CLOS stand for statements of their own: no need to compare many.
	 */
	if (!error && configuration.setting_count < 1000)
		check_again(&configuration);
	configuration_clear(&configuration);
	return 0;
}
