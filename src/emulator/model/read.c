/* SPDX-License-Identifier: BSD-3-Clause */
/* Leads through the steps from the text of a platform file to a platform. */
#include "common/hash.h"
#include "emulator/model/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int apply_platform_sections(struct platform_file *file, struct platform *platform)
{
	int error = 0;

	for (size_t i = 0; i < file->section_count && !error; i++)
		if (file->sections[i].kind->target == TARGET_PLATFORM)
			error = platform_file_apply(file, i, platform);
	return error;
}

/** Looks for keys that mean nothing with this driver. */
static int check_drivers(struct platform_file *file, const struct platform *platform)
{
	bool tpmi = platform_is_tpmi(platform);

	for (size_t i = 0; i < file->setting_count; i++) {
		const struct setting *setting = &file->settings[i];

		if (setting->key->driver == (tpmi ? FOR_MAILBOX : FOR_TPMI))
			return file_error(file, setting->line,
					  "found \"%s\", expected it with API version %s only",
					  setting->key->name, tpmi ? "0 or 1" : "2 or 3");
	}
	return 0;
}

static int fill_platform(struct platform_file *file, struct platform *platform)
{
	char *what = NULL;
	int error = platform_file_parse(file);

	if (!error)
		error = apply_platform_sections(file, platform);
	if (!error)
		error = check_drivers(file, platform);
	if (!error)
		error = platform_make_domains(file, platform);
	if (!error)
		error = platform_make_cpus(file, platform);
	if (!error)
		error = platform_check(file, platform);
	if (!error && platform_is_tpmi(platform))
		error = platform_make_registers(file, platform);
	if (error)
		return error;
	error = platform_complete(platform, &what);
	if (error == -EINVAL && what)
		error = file_error(file, 1, "%s", what);
	free(what);
	return error;
}

int platform_read(const char *name, const char *file_name, const char *text,
		  struct platform **platform, char **error)
{
	struct platform_file file = { .name = file_name, .error = error };
	struct platform *made = platform_new(name);
	int result = -ENOMEM;

	*error = NULL;
	file.text = strdup(text);
	if (!made || !file.text)
		goto out;
	made->text = strdup(text);
	made->hash = hash_bytes(HASH_START, text, strlen(text));
	if (!made->text)
		goto out;
	result = fill_platform(&file, made);
out:
	free(file.text);
	free(file.sections);
	free(file.settings);
	if (result) {
		platform_free(made);
		made = NULL;
	}
	*platform = made;
	return result;
}
