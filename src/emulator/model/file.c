/* SPDX-License-Identifier: BSD-3-Clause */
/* A platform file as sections of settings, however they came to be, and the mistakes in it. */
#include "emulator/model/file.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <stdarg.h>

int file_error(struct platform_file *file, unsigned int line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set_line_error(file->error, file->name, line, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

int platform_file_apply(struct platform_file *file, size_t index, void *target)
{
	int error = 0;

	for (size_t i = file->sections[index].first_setting; i < file->setting_count && !error;
	     i++) {
		const struct setting *setting = &file->settings[i];

		if (setting->section != index)
			break;
		error = setting->key->parse(file, setting->key, setting->value, setting->line,
					    (char *)target + setting->key->offset);
	}
	return error;
}
