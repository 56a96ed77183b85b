/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of formats. */
#include "render.h"

#include "../arguments/command.h"
#include "render_json_v2.h"

static int render_page(const struct report *report, const struct page *page, bool messages,
		       FILE *stream)
{
	return (report_is_screen(report) ? render_screen : render_text)(report, page, messages,
									stream);
}

const struct renderer renderers[FORMATS] = {
	[FORMAT_TEXT] = { "text", .render_page = render_page },
	[FORMAT_JSON] = { "json", render_json, .document = true },
	[FORMAT_JSON_V2] = { "json-v2", render_json_v2, .document = true },
	[FORMAT_OPENMETRICS] = { "openmetrics", render_openmetrics, .file = true,
				 .commands = COMMAND_EXPORTS },
	[FORMAT_NFD] = { "nfd", render_nfd, .file = true, .commands = COMMAND_EXPORTS },
	[FORMAT_FACTS] = { "facts", render_facts, .file = true, .commands = COMMAND_EXPORTS },
};
