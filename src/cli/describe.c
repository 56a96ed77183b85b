/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills the header of a report. */
#include "describe.h"

#include "command_table.h"

void describe_command(struct report_header *header, const struct request *request)
{
	header->feature = request->feature ? request->feature->name : NULL;
	header->command = request->command ? request->command->name : NULL;
	if (request->command == &info_command)
		header->command = "--info";
	if (request->action == ACTION_VERSION)
		header->command = "--version";
}

void describe_machine(struct report *report, struct isst_context *context)
{
	struct report_header *header = report_header(report);

	header->has_machine = true;
	header->family = isst_platform_family(context);
	header->model = isst_platform_model(context);
	header->stepping = isst_platform_stepping(context);
	report_set_string(report, &header->emulated, isst_platform_emulated_name(context));
	report_set_string(report, &header->processor, isst_platform_name(context));
	/* Not every machine reports a name: that is no error. */
	if (!header->processor && *isst_error(context))
		report_message(report, ENTRY_NOTE, "cannot read the name of the processor: %s",
			       isst_error(context));
}
