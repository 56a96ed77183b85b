/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What runs on the machine besides the kernel, as far as programs look for it: processes by number
 * and name, active units of systemd, a container; and the lockdown of the kernel.
 */
#include "emulator/kernel/views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** The word of that index in a text; NULL: there are not so many. */
static const char *word_at(const char *text, size_t index, size_t *length)
{
	const char *word = text ? text + strspn(text, " \t") : "";

	while (*word) {
		*length = strcspn(word, " \t");
		if (index-- == 0)
			return word;
		word += *length;
		word += strspn(word, " \t");
	}
	return NULL;
}

/* ---- Processes: `NAME:NUMBER` ---- */

/** The name of the process of that number, or of that index; NULL: there is none. */
static const char *find_process(const struct place *place, size_t *index, unsigned int *number,
				size_t *length)
{
	const char *text = place->server->platform->processes.text, *word;

	for (size_t i = *index; (word = word_at(text, i, length)) != NULL; i++) {
		const char *colon = memchr(word, ':', *length);
		unsigned int found = (unsigned int)strtoul(colon + 1, NULL, 10);

		if (*number && found != *number)
			continue;
		*index = i;
		*number = found;
		*length = (size_t)(colon - word);
		return word;
	}
	return NULL;
}

static bool process_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	unsigned int number = 0;
	size_t length;

	if (!find_process(place, &index, &number, &length))
		return false;
	place->process = number;
	snprintf(name, VIEW_NAME, "%u", number);
	return true;
}

const struct instances each_process = { process_at, NULL };

/** The kernel keeps 15 characters. */
static int print_name(const struct place *place, FILE *stream)
{
	enum { LONGEST = 15 };
	unsigned int number = place->process;
	size_t index = 0, length;
	const char *name = find_process(place, &index, &number, &length);

	if (!name)
		return -ESRCH;
	fprintf(stream, "%.*s\n", (int)(length < LONGEST ? length : LONGEST), name);
	return 0;
}

const struct view process_views[] = {
	{ "comm", .read = print_name },
	VIEW_END,
};

/* ---- systemd ---- */

/** A link in reality, that leads nowhere. */
static bool unit_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	size_t length;
	const char *word = word_at(place->server->platform->services.text, index, &length);

	if (!word)
		return false;
	snprintf(name, VIEW_NAME, "invocation:%.*s.service", (int)length, word);
	return true;
}

static const struct instances each_unit = { unit_at, NULL };

static const char *no_text(const struct place *place)
{
	(void)place;
	return "";
}

static const struct view unit_views[] = {
	{ .each = &each_unit, .text = no_text },
	VIEW_END,
};

static bool has_services(const struct place *place)
{
	return place->server->platform->services.text;
}

static bool has_container(const struct place *place)
{
	return place->server->platform->container.text;
}

static const char *container(const struct place *place)
{
	return place->server->platform->container.text;
}

static const struct view systemd_views[] = {
	{ "units", .below = unit_views, .exists = has_services },
	{ "container", .text = container, .exists = has_container },
	VIEW_END,
};

const struct view run_views[] = {
	{ "systemd", .below = systemd_views },
	VIEW_END,
};

/* ---- Lockdown ---- */

bool is_locked_down(const struct place *place)
{
	return place->server->platform->lockdown.value != LOCKDOWN_NONE;
}

/** The mode in force is the one in brackets. */
static int print_lockdown(const struct place *place, FILE *stream)
{
	static const char *const MODES[] = { "none", "integrity", "confidentiality" };

	for (size_t i = 0; i < sizeof(MODES) / sizeof(MODES[0]); i++)
		fprintf(stream, place->server->platform->lockdown.value == i ? "%s[%s]" : "%s%s",
			i > 0 ? " " : "", MODES[i]);
	fputc('\n', stream);
	return 0;
}

const struct view security_views[] = {
	{ "lockdown", .read = print_lockdown },
	VIEW_END,
};
