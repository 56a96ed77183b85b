/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The platform that a user names: a built-in one, a platform file's, or a captured machine's. How
 * such a machine answers is not known here.
 */
#include "emulator/capture/load.h"
#include "emulator/capture/capture.h"
#include "emulator/model/machines.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char suffix[] = ".platform";

/** A directory is a captured machine. */
static bool is_capture(const struct isst_emulator_target *target)
{
	struct stat status;

	return strchr(target->platform, '/') && stat(target->platform, &status) == 0 &&
	       S_ISDIR(status.st_mode);
}

/** The last part of the path; of a directory that of its real path, for it may end in a slash. */
static char *platform_name(const struct isst_emulator_target *target)
{
	char *real = is_capture(target) ? realpath(target->platform, NULL) : NULL;
	const char *path = real ? real : target->platform, *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t length = strlen(base);
	char *name;

	if (length > strlen(suffix) && strcmp(base + length - strlen(suffix), suffix) == 0)
		length -= strlen(suffix);
	name = length > 0 ? strndup(base, length) : strdup("machine");
	free(real);
	return name;
}

static int read_platform_file(const char *path, char **text, char **error)
{
	int file = open(path, O_RDONLY | O_CLOEXEC), result;
	size_t size;

	*text = NULL;
	if (file < 0)
		return set_error(error, errno == ENOENT ? -ENOENT : -EIO, "Cannot open %s: %s",
				 path, strerror(errno));
	result = text_read_pipe(file, text, &size);
	close(file);
	if (!result)
		return 0;
	*text = NULL;
	return set_error(error, result == -ENOMEM ? -ENOMEM : -EIO, "Cannot read %s: %s", path,
			 strerror(-result));
}

static int builtin_text(const char *name, char **text, char **error)
{
	for (size_t i = 0; builtin_platforms[i].name; i++) {
		if (strcmp(builtin_platforms[i].name, name) != 0)
			continue;
		*text = strdup(builtin_texts[i]);
		return *text ? 0 : -ENOMEM;
	}
	return set_error(error, -ENOENT,
			 "No built-in platform \"%s\"; the path of a file must contain a slash, "
			 "as in ./%s",
			 name, name);
}

static int load_text(const struct isst_emulator_target *target, char **name, char **text,
		     char **error)
{
	const char *platform = target->platform;
	int result = 0;

	*name = *text = NULL;
	if (is_capture(target))
		*text = NULL;
	else if (strchr(platform, '/'))
		result = read_platform_file(platform, text, error);
	else
		result = builtin_text(platform, text, error);
	if (result)
		return result;
	*name = platform_name(target);
	if (*name)
		return 0;
	free(*text);
	*text = NULL;
	return -ENOMEM;
}

/** Another machine than the locked one: neither is to be opened as the other. */
static void unlock(struct platform *platform)
{
	platform_unlock(platform);
	platform->hash ^= UINT64_C(0x756e6c6f636b6564);
	if (platform->capture)
		platform->capture->unlocked = true;
}

int platform_load(const struct isst_emulator_target *target, struct platform **platform,
		  char **error)
{
	char *name, *text;
	int result = load_text(target, &name, &text, error);

	if (result)
		return result;
	if (text)
		result = platform_read(name, target->platform, text, platform, error);
	else
		result = capture_read(name, target->platform, platform, error);
	free(name);
	free(text);
	if (!result && target->unlock)
		unlock(*platform);
	return result;
}

void platform_unload(struct platform *platform)
{
	if (platform)
		capture_free(platform->capture);
	platform_free(platform);
}

int platform_show(const struct isst_emulator_target *target, char **text, char **error)
{
	struct platform *platform;
	char *name;
	int result;

	*error = NULL;
	result = load_text(target, &name, text, error);
	if (result)
		return result;
	free(name);
	if (*text)
		return 0;
	result = platform_load(target, &platform, error);
	if (result)
		return result;
	*text = capture_describe(platform);
	platform_unload(platform);
	return *text ? 0 : -ENOMEM;
}
