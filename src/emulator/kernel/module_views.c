/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel modules of the driver that are loaded: /sys/module and /proc/modules. */
#include "emulator/kernel/views.h"

static bool has_common(const struct platform *platform)
{
	return platform->node.value;
}

static bool has_pci_mailbox(const struct platform *platform)
{
	return has_common(platform) && platform->mailbox.value == MAILBOX_PCI;
}

static bool has_msr_mailbox(const struct platform *platform)
{
	return has_common(platform) && platform->mailbox.value == MAILBOX_MSR;
}

static bool has_mmio(const struct platform *platform)
{
	return has_common(platform) && platform->mmio.value != 0;
}

static bool has_tpmi(const struct platform *platform)
{
	return has_common(platform) && platform_is_tpmi(platform);
}

static bool always(const struct platform *platform)
{
	(void)platform;
	return true;
}

static const struct {
	const char *name;
	bool (*loaded)(const struct platform *platform);
} modules[] = {
	{ "isst_if_common", has_common },
	{ "isst_if_mbox_pci", has_pci_mailbox },
	{ "isst_if_mbox_msr", has_msr_mailbox },
	{ "isst_if_mmio", has_mmio },
	{ "isst_tpmi", has_tpmi },
	{ "isst_tpmi_core", has_tpmi },
	{ "msr", always },
};
enum { MODULES = sizeof(modules) / sizeof(*modules) };

static bool module_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	for (size_t i = 0; i < MODULES; i++)
		if (modules[i].loaded(place->server->platform) && index-- == 0) {
			snprintf(name, VIEW_NAME, "%s", modules[i].name);
			return true;
		}
	return false;
}

static const struct instances each_module = { module_at, NULL };

static const char *live(const struct place *place)
{
	(void)place;
	return "live";
}

static unsigned int unused(const struct place *place)
{
	(void)place;
	return 0;
}

/* No other module uses one. */
static const struct view holders[] = {
	VIEW_END,
};

static const struct view one_module_views[] = {
	{ "holders", .below = holders },
	{ "initstate", .text = live },
	{ "refcnt", .number = unused },
	VIEW_END,
};

const struct view module_views[] = {
	{ .each = &each_module, .below = one_module_views },
	VIEW_END,
};

int print_modules(const struct place *place, FILE *stream)
{
	enum { SIZE = 16384 };

	for (size_t i = 0; i < MODULES; i++)
		if (modules[i].loaded(place->server->platform))
			fprintf(stream, "%s %d 0 - Live 0x0000000000000000\n", modules[i].name,
				SIZE);
	return 0;
}
