/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of formats. */
#include "render.h"

#include "render_json_v2.h"

const struct renderer renderers[FORMATS] = {
	[FORMAT_TEXT] = { "text", render_text, render_screen, false },
	[FORMAT_JSON] = { "json", render_json, NULL, true },
	[FORMAT_JSON_V2] = { "json-v2", render_json_v2, NULL, true },
};
