/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of formats. */
#include "render.h"

#include "../arguments/request.h"

#include <errno.h>

static int print_text(const struct report *report, const struct page *page, bool messages,
		      FILE *stream)
{
	return (report->screen ? render_screen : render_text)(report, page, messages, stream);
}

const struct renderer renderers[FORMATS] = {
	[FORMAT_TEXT] = { "text", .print = print_text },
	[FORMAT_JSON] = { "json", make_json, .document = true },
	[FORMAT_JSON_V2] = { "json-v2", make_json_v2, .document = true },
	[FORMAT_OPENMETRICS] = { "openmetrics", .print = render_openmetrics, .file = true,
				 .commands = COMMAND_EXPORTS },
	[FORMAT_NFD] = { "nfd", .print = render_nfd, .file = true, .commands = COMMAND_EXPORTS },
	[FORMAT_FACTS] = { "facts", make_facts, .file = true, .commands = COMMAND_EXPORTS },
};

int render_report(const struct report *report, enum output_format format, const struct page *page,
		  bool messages, FILE *stream)
{
	const struct renderer *renderer = &renderers[format];
	struct json *document;
	int error = 0;

	if (renderer->print)
		return renderer->print(report, page, messages, stream);
	document = renderer->make(report, messages);
	if (document && !document->failed) {
		json_write(document, stream);
		fputc('\n', stream);
	} else {
		error = -ENOMEM;
	}
	json_free(document);
	return error;
}
