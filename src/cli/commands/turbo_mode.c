/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of turbo-mode: ask the library, fill the report. */
#include "../run/change.h"
#include "../run/handlers.h"
#include "../run/reading.h"

static void show_limits(struct report_node *unit, const struct isst_result *result)
{
	uint64_t limits;

	if (isst_result_value64(result, ISST_VALUE_TURBO_RATIO_LIMITS, &limits) == 0)
		report_hex(report_branch(unit, KEY_GET_TRL, 0), KEY_TRL, limits);
}

void turbo_mode_get_trl(struct run *run)
{
	const struct question question = { .read = isst_read_turbo_ratio_limits };

	show_domains(run, &question, show_limits);
}

static int fill_limits_request(const struct run *run, struct isst_request *request)
{
	return isst_request_set64(request, ISST_VALUE_TURBO_RATIO_LIMITS,
				  run->request->options.value[OPTION_LIMITS].number);
}

void turbo_mode_set_trl(struct run *run)
{
	change_machine(run, &(struct change_command){ .add = isst_change_add_turbo_ratio_limits,
						      .fill = fill_limits_request,
						      .feature = KEY_TURBO_MODE,
						      .result = KEY_SET_TRL });
}

/** Scripts that know the reference tool may rely on its change of all CPUs. */
static void note_named_cpus(struct run *run)
{
	if (run->request->reference && run->cpus)
		report_message(run->report, ENTRY_NOTE,
			       "turbo-mode %s changes only the CPUs that --cpu names; the kernel "
			       "tree's tool ignores --cpu, and changes all",
			       run->request->command->name);
}

void turbo_mode_enable(struct run *run)
{
	note_named_cpus(run);
	change_machine(run, &(struct change_command){ .add = isst_change_add_turbo_mode,
						      .flags = ISST_CHANGE_ADD_ENABLE,
						      .for_cpus = true,
						      .feature = KEY_TURBO_MODE,
						      .result = KEY_ENABLE });
}

void turbo_mode_disable(struct run *run)
{
	note_named_cpus(run);
	change_machine(run, &(struct change_command){ .add = isst_change_add_turbo_mode,
						      .flags = ISST_CHANGE_ADD_DISABLE,
						      .for_cpus = true,
						      .feature = KEY_TURBO_MODE,
						      .result = KEY_DISABLE });
}
