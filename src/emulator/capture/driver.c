/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processor of a captured machine, its kernel, and the driver that it had or that such a
 * processor has.
 */
#include "emulator/capture/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int capture_replace_text(struct text_value *target, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(target->text);
	target->text = copy;
	target->line = 1;
	return 0;
}

int capture_fill_identity(const struct capture *capture, struct platform *platform)
{
	int result = capture_replace_text(&platform->vendor, capture->vendor);

	if (!result)
		result = capture_replace_text(&platform->model_name, capture->model_name);
	if (!result)
		result = capture_replace_text(&platform->title, capture->model_name);
	platform->family = known_number(capture->family);
	platform->model = known_number(capture->model);
	platform->stepping = known_number(capture->stepping);
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
int capture_fill_kernel(const struct capture *capture, struct platform *platform)
{
	const struct captured_entry *entry = capture_entry(capture, "/proc/sys/kernel/osrelease");
	const char *text = entry ? entry->value : "";
	unsigned int major, minor;

	if (!entry)
		return 0;
	if (!leading_number(&text, &major) || *text++ != '.' || !leading_number(&text, &minor))
		return captured_error(&capture->entry_file, entry->line,
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

/** No driver was captured: the one that such a processor has. */
static void compose_driver(const struct capture *capture, struct platform *platform)
{
	platform->node = known_number(capture->dump_count > 0);
	platform->mailbox = known_number(MAILBOX_NONE);
	platform->mmio = known_number(0);
	platform->api_version = known_number(capture->dump_count > 0 ? 3 : 0);
	for (size_t i = 0; i < sizeof(mailbox_models) / sizeof(*mailbox_models); i++) {
		if (capture->dump_count > 0 || capture->family != 6 ||
		    mailbox_models[i].model != capture->model ||
		    mailbox_models[i].lowest_stepping > capture->stepping)
			continue;
		platform->node = platform->api_version = known_number(1);
		platform->mailbox = known_number(mailbox_models[i].mailbox);
		platform->mmio = known_number(mailbox_models[i].mmio);
	}
}

/** The device that has the registers which answered. */
static unsigned int mmio_device(const struct capture *capture)
{
	for (size_t i = 0; i < capture->answer_count; i++)
		if (capture->answers[i].kind == CAPTURE_MMIO &&
		    capture->answers[i].command > 0xd0 && !capture->answers[i].error)
			return 0x3251;
	return 0x3451;
}

int capture_fill_driver(const struct capture *capture, struct platform *platform)
{
	const struct captured_driver *driver = &capture->driver;
	bool tpmi = driver->api_version >= 2;

	if (!driver->line) {
		compose_driver(capture, platform);
		return 0;
	}
	if (driver->present && tpmi != (capture->dump_count > 0))
		return captured_error(&capture->answer_file, driver->line,
				      "found API version %u, expected %s because %s TPMI "
				      "registers were captured",
				      driver->api_version, tpmi ? "0 or 1" : "2 or more",
				      tpmi ? "no" : "");
	platform->node = known_number(driver->present);
	platform->api_version = known_number(driver->api_version);
	platform->driver_version = known_number(driver->driver_version);
	platform->max_commands = known_number(driver->max_commands ? driver->max_commands : 64);
	platform->mailbox = known_number(!driver->mailbox	  ? MAILBOX_NONE
					 : capture->model == 0x55 ? MAILBOX_MSR
								  : MAILBOX_PCI);
	platform->mmio = known_number(driver->mmio ? mmio_device(capture) : 0);
	return 0;
}
