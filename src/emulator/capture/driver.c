/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processor of a recorded machine, its kernel, and the driver that it had or that such a
 * processor has.
 */
#include "emulator/capture/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int recording_replace_text(struct text_value *target, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(target->text);
	target->text = copy;
	target->line = 1;
	return 0;
}

int recording_fill_identity(const struct recording *recording, struct platform *platform)
{
	int result = recording_replace_text(&platform->vendor, recording->vendor);

	if (!result)
		result = recording_replace_text(&platform->model_name, recording->model_name);
	if (!result)
		result = recording_replace_text(&platform->title, recording->model_name);
	platform->family = known_number(recording->family);
	platform->model = known_number(recording->model);
	platform->stepping = known_number(recording->stepping);
	return result;
}

/** The number that a text begins with; *@text is then behind it. */
static bool leading_number(const char **text, unsigned int *value)
{
	char digits[4] = "";
	size_t length = strspn(*text, "0123456789");
	uint64_t parsed;

	if (length >= sizeof(digits))
		return false;
	memcpy(digits, *text, length);
	if (isst_parse_number(digits, 10, UINT16_MAX, &parsed))
		return false;
	*value = (unsigned int)parsed;
	*text += length;
	return true;
}

/** `6.12.0-1-amd64` */
int recording_fill_kernel(const struct recording *recording, struct platform *platform)
{
	const struct recorded_entry *entry = recording_entry(recording,
							     "/proc/sys/kernel/osrelease");
	const char *text = entry ? entry->value : "";
	unsigned int major, minor;

	if (!entry)
		return 0;
	if (!leading_number(&text, &major) || *text++ != '.' || !leading_number(&text, &minor))
		return recorded_error(&recording->entry_file, entry->line,
				      "found \"%s\", expected a kernel release such as 6.12.0",
				      entry->value);
	platform->kernel = known_number(KERNEL(major, minor));
	return 0;
}

static const struct {
	unsigned int model, lowest_stepping;
	enum mailbox_transport mailbox;
	unsigned int mmio;
} mailbox_models[] = {
	/* Skylake (steppings up to 4) without Speed Select has no device
	 */
	{ 0x55, 5, MAILBOX_MSR, 0 },	  { 0x6a, 0, MAILBOX_PCI, 0x3451 },
	{ 0x6c, 0, MAILBOX_PCI, 0x3451 }, { 0x8f, 0, MAILBOX_PCI, 0x3251 },
	{ 0xcf, 0, MAILBOX_PCI, 0x3251 },
};

/** No driver was recorded: the one that such a processor has. */
static void compose_driver(const struct recording *recording, struct platform *platform)
{
	platform->node = known_number(recording->dump_count > 0);
	platform->mailbox = known_number(MAILBOX_NONE);
	platform->mmio = known_number(0);
	platform->api_version = known_number(recording->dump_count > 0 ? 3 : 0);
	for (size_t i = 0; i < sizeof(mailbox_models) / sizeof(*mailbox_models); i++) {
		if (recording->dump_count > 0 || recording->family != 6 ||
		    mailbox_models[i].model != recording->model ||
		    mailbox_models[i].lowest_stepping > recording->stepping)
			continue;
		platform->node = platform->api_version = known_number(1);
		platform->mailbox = known_number(mailbox_models[i].mailbox);
		platform->mmio = known_number(mailbox_models[i].mmio);
	}
}

/** The device that has the registers which answered. */
static unsigned int mmio_device(const struct recording *recording)
{
	for (size_t i = 0; i < recording->answer_count; i++)
		if (recording->answers[i].kind == CAPTURE_MMIO &&
		    recording->answers[i].command > 0xd0 && !recording->answers[i].error)
			return 0x3251;
	return 0x3451;
}

int recording_fill_driver(const struct recording *recording, struct platform *platform)
{
	const struct recorded_driver *driver = &recording->driver;
	bool tpmi = driver->api_version >= 2;

	if (!driver->line) {
		compose_driver(recording, platform);
		return 0;
	}
	if (driver->present && tpmi != (recording->dump_count > 0))
		return recorded_error(&recording->answer_file, driver->line,
				      "found API version %u, expected %s because %s TPMI "
				      "registers were captured",
				      driver->api_version, tpmi ? "0 or 1" : "2 or more",
				      tpmi ? "no" : "");
	platform->node = known_number(driver->present);
	platform->api_version = known_number(driver->api_version);
	platform->driver_version = known_number(driver->driver_version);
	platform->max_commands = known_number(driver->max_commands ? driver->max_commands : 64);
	platform->mailbox = known_number(!driver->mailbox	    ? MAILBOX_NONE
					 : recording->model == 0x55 ? MAILBOX_MSR
								    : MAILBOX_PCI);
	platform->mmio = known_number(driver->mmio ? mmio_device(recording) : 0);
	return 0;
}
