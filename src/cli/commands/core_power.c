/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of core-power: ask the library, fill the report. Must not know output formats. */
#include "../run/handlers.h"
#include "../run/reading.h"

static void show_state(struct report_node *unit, const struct isst_result *state)
{
	struct report_node *node = report_branch(unit, KEY_CORE_POWER, 0);
	unsigned int priority;

	report_flag(node, KEY_SUPPORT_STATUS, state, ISST_VALUE_CORE_POWER_SUPPORTED);
	report_flag(node, KEY_ENABLE_STATUS, state, ISST_VALUE_CORE_POWER_ENABLED);
	report_flag(node, KEY_CLOS_ENABLE_STATUS, state, ISST_VALUE_CLOS_ENABLED);
	if (isst_result_value(state, ISST_VALUE_PRIORITY, &priority) == 0)
		report_word(node, KEY_PRIORITY_TYPE,
			    priority == ISST_PRIORITY_ORDERED ? "ordered" : "proportional");
}

void core_power_info(struct run *run)
{
	const struct question question = { .read = isst_read_core_power };

	show_domains(run, &question, show_state);
}

static void show_clos(struct report_node *unit, const struct isst_result *clos)
{
	struct report_node *node = report_branch(unit, KEY_CORE_POWER, 0);

	report_value(node, KEY_CLOS, clos, ISST_VALUE_CLOS);
	report_value(node, KEY_EPP, clos, ISST_VALUE_CLOS_EPP);
	report_value(node, KEY_CLOS_WEIGHT, clos, ISST_VALUE_CLOS_WEIGHT);
	report_value(node, KEY_CLOS_MIN, clos, ISST_VALUE_CLOS_MIN_MHZ);
	report_value(node, KEY_CLOS_MAX, clos, ISST_VALUE_CLOS_MAX_MHZ);
	report_value(node, KEY_CLOS_DESIRED, clos, ISST_VALUE_CLOS_DESIRED_MHZ);
}

void core_power_get_config(struct run *run)
{
	const struct question question = { .read = isst_read_clos,
					   .value = ISST_VALUE_CLOS,
					   .option = OPTION_CLOS };

	show_domains(run, &question, show_clos);
}
