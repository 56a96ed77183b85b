/* SPDX-License-Identifier: BSD-3-Clause */
/* What runs on the machine besides the kernel, as far as programs look for it, and the kernel's
 * modules, lockdown and suspend. */
#include "emulator/firmware/firmware.h"
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
	const char *text = place->platform->processes.text, *word;

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
static int print_process_name(const struct place *place, FILE *stream)
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
	{ "comm", .read = print_process_name },
	VIEW_END,
};

/* ---- systemd ---- */

/** A link in reality, that leads nowhere. */
static bool unit_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	size_t length;
	const char *word = word_at(place->platform->services.text, index, &length);

	if (!word)
		return false;
	snprintf(name, VIEW_NAME, "invocation:%.*s.service", (int)length, word);
	return true;
}

static const struct instances each_unit = { unit_at, NULL };

const struct view run_views[] = {
	{ "systemd",
	  BELOW({ "units", BELOW({ .each = &each_unit, .constant = "" }), WORDS_OF(services) },
		{ "container", WORDS_OF(container) }) },
	VIEW_END,
};

/** The mode in force is the one in brackets. */
static int print_lockdown(const struct place *place, FILE *stream)
{
	static const char *const modes[] = { "none", "integrity", "confidentiality" };

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		fprintf(stream, place->platform->lockdown.value == i ? "%s[%s]" : "%s%s",
			i > 0 ? " " : "", modes[i]);
	fputc('\n', stream);
	return 0;
}

const struct view security_views[] = {
	{ "lockdown", .read = print_lockdown },
	VIEW_END,
};

/* ---- Modules of the driver ---- */

static const char *const modules[] = {
	"isst_if_common",
	"isst_if_mbox_pci",
	"isst_if_mbox_msr",
	"isst_if_mmio",
	"isst_tpmi",
	"isst_tpmi_core",
	"msr",
};
enum { MODULES = sizeof(modules) / sizeof(*modules) };

static bool is_loaded(const struct platform *platform, size_t module)
{
	const bool loaded[MODULES] = {
		true,
		platform->mailbox.value == MAILBOX_PCI,
		platform->mailbox.value == MAILBOX_MSR,
		platform->mmio.value != 0,
		platform_is_tpmi(platform),
		platform_is_tpmi(platform),
	};

	/* All but the last one are the driver's. */
	return module == MODULES - 1 || (platform->node.value && loaded[module]);
}

static bool module_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	for (size_t i = 0; i < MODULES; i++)
		if (is_loaded(place->platform, i) && index-- == 0) {
			snprintf(name, VIEW_NAME, "%s", modules[i]);
			return true;
		}
	return false;
}

static const struct instances each_module = { module_at, NULL };

/* No other module uses one. */
static const struct view no_views[] = { VIEW_END };

const struct view module_views[] = {
	{ .each = &each_module,
	  BELOW({ "holders", .below = no_views }, { "initstate", .constant = "live" },
		{ "refcnt", .constant = "0" }) },
	VIEW_END,
};

int print_modules(const struct place *place, FILE *stream)
{
	enum { SIZE = 16384 };

	for (size_t i = 0; i < MODULES; i++)
		if (is_loaded(place->platform, i))
			fprintf(stream, "%s %d 0 - Live 0x0000000000000000\n", modules[i], SIZE);
	return 0;
}

/* ---- /sys/power: the machine suspends, and is resumed at once ---- */

/** Frozen processors keep what they have; after mem they begin as at power-on. */
static int write_power_state(const struct place *place, const char *text)
{
	int result = 0;

	if (strcmp(text, "mem") == 0)
		result = firmware_resume(place->server);
	else if (strcmp(text, "freeze") != 0)
		result = -EINVAL;
	if (!result && place->server->state->resumes < UINT8_MAX)
		place->server->state->resumes++;
	return result;
}

const struct view power_views[] = {
	{ "state", .constant = "freeze mem", .write = write_power_state },
	{ "suspend_stats",
	  BELOW({ "success", STORED(STATE, state, resumes) }, { "fail", .constant = "0" }) },
	VIEW_END,
};
