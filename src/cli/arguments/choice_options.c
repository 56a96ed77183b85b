/* SPDX-License-Identifier: BSD-3-Clause */
/* What the options of a choice of cores mean only together. Must not know machines. */
#include "choice_options.h"

#include "option_hints.h"
#include "request.h"

/** An option without which another one has no meaning. */
static int check_needed(const struct request *request, enum option_id needed,
			const char *needed_name, const char *name, char **problem)
{
	if (request_has(request, needed))
		return 0;
	return usage_problem(problem, "option --%s requires option --%s", name, needed_name);
}

int choice_options_check(const struct request *request, char **problem)
{
	static const struct {
		enum option_id id;
		const char *name;
	} further[] = {
		{ OPTION_WITHIN, "within" },
		{ OPTION_AVOID, "avoid" },
		{ OPTION_ALLOW_LOWER_TURBO, "allow-lower-turbo" },
	};
	int error = 0;

	for (size_t i = 0; i < sizeof(further) / sizeof(further[0]) && !error; i++)
		if (request_has(request, further[i].id))
			error = check_needed(request, OPTION_HIGH_PRIORITY, "high-priority",
					     further[i].name, problem);
	if (error || !request_has(request, OPTION_HIGH_PRIORITY))
		return error;
	if (request->options.cpus.numbers)
		return usage_problem(problem,
				     "option --high-priority chooses CPUs, --cpu names them: they "
				     "cannot be combined; --within LIST limits the choice");
	return request->command->flags & COMMAND_CHANGES
		       ? check_needed(request, OPTION_AUTO, "auto", "high-priority", problem)
		       : 0;
}
