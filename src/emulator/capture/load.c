/* SPDX-License-Identifier: BSD-3-Clause */
/* The platform that a user names: a built-in one, a platform file's, or a captured machine's. */
#include "common/memory_stream.h"
#include "emulator/capture/capture.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- A captured machine ---- */

int capture_read(const char *name, const char *directory, struct platform **platform, char **error)
{
	struct platform *made = platform_new(name);
	struct capture *capture = calloc(1, sizeof(*capture));
	size_t end = strlen(directory);
	int result = -ENOMEM;

	if (error)
		*error = NULL;
	*platform = NULL;
	while (end > 1 && directory[end - 1] == '/')
		end--;
	if (made && capture) {
		made->capture = capture;
		capture->error = error;
		capture->directory = strndup(directory, end);
		result = capture->directory ? capture_read_files(capture) : -ENOMEM;
		if (!result)
			result = capture_fill(made);
		capture->error = NULL; /* the caller's */
		made->hash = capture->hash;
	} else {
		free(capture);
	}
	if (result)
		platform_unload(made);
	else
		*platform = made;
	return result;
}

char *capture_describe(const struct platform *platform)
{
	static const char *const types[] = {
		[DOMAIN_COMPUTE] = "compute",
		[DOMAIN_IO] = "IO",
		[DOMAIN_ABSENT] = "absent",
	};
	const struct capture *capture = platform->capture;
	struct memory_stream text;

	if (memory_stream_open(&text))
		return NULL;
	fprintf(text.stream, "Captured machine: %s\n", capture->directory);
	fprintf(text.stream, "processor: %s, family %u, model %u (0x%x), stepping %u\n",
		platform->model_name.text, platform->family.value, platform->model.value,
		platform->model.value, platform->stepping.value);
	fprintf(text.stream, "driver: %s, API version %u\n",
		platform->node.value ? "present" : "none", platform->api_version.value);
	fprintf(text.stream,
		"captured: %zu CPUs, %zu MSRs, %zu files, %zu TPMI devices, %zu answers\n",
		capture->cpu_count, capture->msr_count, capture->entry_count, capture->dump_count,
		capture->answer_count - capture->msr_count * capture->cpu_count);
	for (size_t i = 0; i < platform->domain_count; i++) {
		const struct platform_domain *domain = &platform->domains[i];
		char *cores = isst_cpuset_to_list(domain->cores.set);
		const char *shown = cores && *cores ? cores : "none";

		if (platform_is_tpmi(platform))
			fprintf(text.stream, "package %u, power domain %u: %s, cores %s\n",
				domain->package, domain->power_domain, types[domain->type.value],
				shown);
		else
			fprintf(text.stream, "package %u, die %u: cores %s, %zu levels\n",
				domain->package, domain->die, shown, domain->level_count);
		free(cores);
	}
	return memory_stream_text(&text);
}

/* ---- Any platform ---- */

static const char suffix[] = ".platform";

/** *@text is NULL of a captured machine. The name is the last part of the path; of a directory that
 * of its real path, for it may end in a slash. */
static int load_text(const struct isst_emulator_target *target, char **name, char **text,
		     char **error)
{
	const char *platform = target->platform, *slash, *base;
	struct stat status;
	/* A directory is a captured machine. */
	const bool captured = strchr(platform, '/') && stat(platform, &status) == 0 &&
			      S_ISDIR(status.st_mode);
	char *real = NULL;
	int result = 0;
	size_t length, i = 0;

	*name = *text = NULL;
	if (!captured && strchr(platform, '/')) {
		int file = open(platform, O_RDONLY | O_CLOEXEC);

		if (file < 0)
			return set_error(error, errno == ENOENT ? -ENOENT : -EIO,
					 "Cannot open %s: %s", platform, strerror(errno));
		result = text_read_pipe(file, text, &length);
		close(file);
		if (result)
			return set_error(error, result == -ENOMEM ? -ENOMEM : -EIO,
					 "Cannot read %s: %s", platform, strerror(-result));
	} else if (!captured) {
		while (builtin_platforms[i].name &&
		       strcmp(builtin_platforms[i].name, platform) != 0)
			i++;
		if (!builtin_platforms[i].name)
			return set_error(
				error, -ENOENT,
				"No built-in platform \"%s\" (isst platform list); the path "
				"of a file must contain a slash, as in ./%s",
				platform, platform);
		*text = strdup(builtin_texts[i]);
		if (!*text)
			return -ENOMEM;
	} else {
		real = realpath(platform, NULL);
	}
	base = real ? real : platform;
	slash = strrchr(base, '/');
	base = slash ? slash + 1 : base;
	length = strlen(base);
	if (length > strlen(suffix) && strcmp(base + length - strlen(suffix), suffix) == 0)
		length -= strlen(suffix);
	*name = length > 0 ? strndup(base, length) : strdup("machine");
	free(real);
	if (*name)
		return 0;
	free(*text);
	*text = NULL;
	return -ENOMEM;
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
	if (!result && target->unlock) {
		platform_unlock(*platform);
		/* Another machine than the locked one: neither is to be opened as the other. */
		(*platform)->hash ^= UINT64_C(0x756e6c6f636b6564);
		if ((*platform)->capture)
			(*platform)->capture->unlocked = true;
	}
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
