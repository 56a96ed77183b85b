/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks why files of the kernel could not be read, where some could not: lockdown of the kernel, or
 * a container. Nothing is concluded from what is merely missing.
 */
#include "explain/survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lockdown ---- */

/** The file has all modes, the one in force in brackets: `none [integrity] confidentiality`. */
static int note_lockdown(struct survey *survey, const char *modes)
{
	const char *begin = strchr(modes, '['), *end = begin ? strchr(begin, ']') : NULL;
	int length = end ? (int)(end - begin - 1) : 0;

	if (length == 0 || strncmp(begin, "[none]", strlen("[none]")) == 0)
		return 0;
	return survey_note(survey,
			   "kernel lockdown is in force (%.*s, /sys/kernel/security/lockdown): "
			   "files of debugfs cannot be read, not even by root",
			   length, begin + 1);
}

/* ---- Containers ---- */

/* What is there in containers alone. */
static const struct {
	const char *path;
	bool named;		    /* the content is the name of what made the container */
	const char *const words[5]; /* one of which it contains there; none: it is enough that the
				       file is there */
} SIGNS[] = {
	{ "/run/systemd/container", true, { NULL } },
	{ "/run/.containerenv", false, { NULL } },
	{ "/.dockerenv", false, { NULL } },
	{ "/proc/1/cgroup", false, { "docker", "kubepods", "libpod", "lxc", NULL } },
};

static bool has_word(const char *text, const char *const *words)
{
	if (!words[0])
		return true;
	while (*words && !strstr(text, *words))
		words++;
	return *words;
}

static int note_container(struct survey *survey)
{
	for (size_t i = 0; i < sizeof(SIGNS) / sizeof(SIGNS[0]); i++) {
		char *text = NULL;
		int error = kernel_files_text(&survey->context->files, SIGNS[i].path, &text);
		bool found = !error && has_word(text, SIGNS[i].words);

		if (found)
			error = survey_note(survey,
					    "this is a container (%s%s%s): files and processes of "
					    "the host can be hidden",
					    SIGNS[i].path, SIGNS[i].named ? ": " : "",
					    SIGNS[i].named ? text : "");
		free(text);
		if (found || error == -ENOMEM)
			return error;
	}
	return 0;
}

int survey_read_hidden(struct survey *survey)
{
	char *modes;
	int error;

	if (!survey->denied)
		return 0;
	error = kernel_files_text(&survey->context->files, "/sys/kernel/security/lockdown", &modes);
	if (error == -ENOMEM)
		return error;
	if (!error) {
		error = note_lockdown(survey, modes);
		free(modes);
		if (error)
			return error;
	}
	return note_container(survey);
}
