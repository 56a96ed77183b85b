/* SPDX-License-Identifier: BSD-3-Clause */
/* What runs on the machine besides the kernel, as far as programs look for it, and the kernel's
 * modules, lockdown and suspend. */
#include "common/memory_stream.h"
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

/* In alphabetical order. */
static const char *const modules[] = {
	"isst_if_common",
	"isst_if_mbox_msr",
	"isst_if_mbox_pci",
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
		platform->mailbox.value == MAILBOX_MSR,
		platform->mailbox.value == MAILBOX_PCI,
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

/* ---- /lib/modules/RELEASE: what modprobe knows of them, which are all loaded ---- */

static void print_dependency(const char *name, FILE *stream)
{
	fprintf(stream, "kernel/%s/%s.ko:",
		strcmp(name, "msr") == 0 ? "arch/x86/kernel"
					 : "drivers/platform/x86/intel/speed_select_if",
		name);
}

static int print_dependencies(const struct place *place, FILE *stream)
{
	for (size_t i = 0; i < MODULES; i++)
		if (is_loaded(place->platform, i)) {
			print_dependency(modules[i], stream);
			fputc('\n', stream);
		}
	return 0;
}

static void put_word(uint32_t word, FILE *stream)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		fputc((int)(word >> shift & 0xff), stream);
}

/* Of an index of depmod(8): a tree of the letters that names have in common. Numbers are
 * big-endian, and that of a node is its position with flags of what it has. */
enum { INDEX_HEAD = 12, INDEX_MAGIC = (int)0xb007f457, INDEX_VERSION = 0x00020001 };
static const uint32_t index_prefix = 0x80000000, index_value = 0x40000000,
		      index_children = 0x20000000;

/** Writes the nodes of names that have the first @depth letters in common. Returns its number. */
static uint32_t write_nodes(const char *const *names, size_t count, size_t depth,
			    struct memory_stream *nodes)
{
	FILE *stream = nodes->stream;
	uint32_t children[1 << 7] = { 0 }, number;
	size_t same = depth, next;

	while (names[0][same] && names[0][same] == names[count - 1][same])
		same++;
	for (size_t i = !names[0][same]; i < count; i = next) {
		next = i + 1;
		while (next < count && names[next][same] == names[i][same])
			next++;
		children[names[i][same] & 0x7f] = write_nodes(names + i, next - i, same + 1, nodes);
	}
	fflush(stream);
	number = INDEX_HEAD + (uint32_t)nodes->size;
	if (same > depth) {
		number |= index_prefix;
		fprintf(stream, "%.*s%c", (int)(same - depth), names[0] + depth, 0);
	}
	if (names[count - 1][same]) {
		const char first = names[!names[0][same]][same], last = names[count - 1][same];

		number |= index_children;
		fprintf(stream, "%c%c", first, last);
		for (char c = first; c <= last; c++)
			put_word(children[c & 0x7f], stream);
	}
	if (!names[0][same]) {
		number |= index_value;
		put_word(1, stream);
		put_word(0, stream); /* priority */
		print_dependency(names[0], stream);
		fputc('\0', stream);
	}
	return number;
}

static int print_index(const struct place *place, FILE *stream)
{
	struct memory_stream nodes;
	const char *names[MODULES];
	size_t count = 0;
	uint32_t root;
	char *text;

	for (size_t i = 0; i < MODULES; i++)
		if (is_loaded(place->platform, i))
			names[count++] = modules[i];
	if (memory_stream_open(&nodes))
		return -ENOMEM;
	root = write_nodes(names, count, 0, &nodes);
	text = memory_stream_text(&nodes);
	if (!text)
		return -ENOMEM;
	put_word((uint32_t)INDEX_MAGIC, stream);
	put_word(INDEX_VERSION, stream);
	put_word(root, stream);
	fwrite(text, 1, nodes.size, stream);
	free(text);
	return 0;
}

static bool release_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	const unsigned int kernel = place->platform->kernel.value;

	snprintf(name, VIEW_NAME, "%u.%u.0", kernel / 1000, kernel % 1000);
	return index == 0;
}

static const struct instances each_release = { release_at, NULL };

const struct view library_views[] = {
	{ "modules", BELOW({ .each = &each_release,
			     BELOW({ "modules.dep", .read = print_dependencies },
				   { "modules.dep.bin", .read = print_index }) }) },
	VIEW_END,
};

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
