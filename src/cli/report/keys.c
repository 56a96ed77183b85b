/* SPDX-License-Identifier: BSD-3-Clause */
#include "keys.h"

#include "isst.h"

#define STANDS_OUT(value, how) .notable = (value), .style = STYLE_##how

static const struct phrase support[] = { { "unknown", "status is unknown" },
					 { "unsupported", "is not supported" },
					 { "supported", "is supported" },
					 { NULL, NULL } };
static const struct phrase explained[] = { { "found", "" },
					   { "nothing found", "Nothing found." },
					   { "only notes", "No problems found, only notes." },
					   { "incomplete", "Nothing found in what could be read." },
					   { "not all read", "Nothing found in what was read." },
					   { NULL, NULL } };
static const struct phrase synthetic[] = { { "no", "" },
					   { "yes", " (synthetic)" },
					   { NULL, NULL } };

static const struct phrase feature_states[] = {
	{ "unsupported", "-" }, { "disabled", "off" }, { "enabled", "on" }, { NULL, NULL }
};
static const struct phrase levels[] = { { "0", "" }, { NULL, " of 0-" } };
static const struct phrase online[] = { { NULL, " (" } };
static const struct phrase locks[] = { { "unlocked", "no" }, { "locked", "yes" }, { NULL, NULL } };
static const struct map_mark core_marks[] = {
	{ "high", 'H', "high priority", STYLE_BOLD },
	{ "low", 'L', "low priority", 0 },
	{ "clos-0", '0', "CLOS 0", STYLE_BOLD },
	{ "clos-1", '1', "CLOS 1", STYLE_BOLD },
	{ "clos-2", '2', "CLOS 2", 0 },
	{ "clos-3", '3', "CLOS 3", 0 },
	{ "unused", 'o', "SST-CP and SST-TF are off", 0 },
	{ "high-base", 'B', "higher base frequency (SST-BF)", STYLE_BOLD },
	{ "low-base", 'b', "lower base frequency (SST-BF)", 0 },
	{ "none", '-', "no class of service (CLOS)", 0 },
	{ "offline", '.', "offline", STYLE_OFF },
	{ NULL, '?', "unknown", STYLE_WRONG },
};

#define KEY(id, script_name, new_name, v2_type, ...) \
	[KEY_##id] = { \
		.name = (script_name), .name_v2 = (new_name), .type = V2_##v2_type, ##__VA_ARGS__ \
	},

const struct key keys[KEYS] = {
#include "keys.def"
};
