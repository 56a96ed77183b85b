/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The commands of core-power that change the machine: from options to what the library plans. Must
 * not know output formats.
 */
#include "change.h"
#include "handlers.h"

#include <errno.h>
#include <stdlib.h>

/** The first parts with Speed Select: core-power is always ordered there, and a class of service
 * has neither an energy preference nor a weight. */
static bool is_first_generation(const struct run *run)
{
	const struct isst_platform *platform = isst_platform(run->context);

	return platform->family == 6 && platform->model == 0x55;
}

static int plan_enable(struct run *run, struct isst_change *change, struct domain_request *requests,
		       size_t count)
{
	enum isst_priority_request priority = ISST_KEEP_PRIORITY;

	if (request_has(run->request, OPTION_PRIORITY))
		priority = request_number(run->request, OPTION_PRIORITY) == ISST_ORDERED
				   ? ISST_MAKE_ORDERED
				   : ISST_MAKE_PROPORTIONAL;
	return isst_plan_core_power(change, requests, count, true, priority);
}

static int plan_disable(struct run *run, struct isst_change *change,
			struct domain_request *requests, size_t count)
{
	(void)run;
	return isst_plan_core_power(change, requests, count, false, ISST_KEEP_PRIORITY);
}

void core_power_enable(struct run *run)
{
	if (is_first_generation(run) && request_has(run->request, OPTION_PRIORITY) &&
	    request_number(run->request, OPTION_PRIORITY) == ISST_PROPORTIONAL) {
		run_error(run, STATUS_UNSUPPORTED,
			  "Invalid clos priority type: proportional for this platform");
		return;
	}
	change_machine(run, &(struct change_command){ .plan_domains = plan_enable,
						      .feature = KEY_CORE_POWER,
						      .result = KEY_ENABLE });
}

void core_power_disable(struct run *run)
{
	change_machine(run, &(struct change_command){ .plan_domains = plan_disable,
						      .feature = KEY_CORE_POWER,
						      .result = KEY_DISABLE });
}

/** The options of a configuration: what scripts are told where one is not given, and what it is
 * then. */
static const struct {
	enum option_id option;
	bool first_generation; /* it has it, too */
	unsigned int otherwise;
	const char *announcement;
	const char *refusal; /* where it lacks it */
} settings[] = {
	{ OPTION_EPP, false, 0, "clos epp is not specified or invalid, default: 0",
	  "epp can't be specified on this platform" },
	{ OPTION_WEIGHT, false, 0, "clos frequency weight is not specified or invalid, default: 0",
	  "weight can't be specified on this platform" },
	{ OPTION_MIN, true, 0, "clos min is not specified, default: 0", NULL },
	{ OPTION_MAX, true, ISST_NO_LIMIT_MHZ,
	  "clos max is not specified, default: Max frequency (ratio 0xff)", NULL },
};

enum { SETTINGS = sizeof(settings) / sizeof(settings[0]) };

static unsigned int setting(const struct request *request, enum option_id option)
{
	for (size_t i = 0; i < SETTINGS; i++) {
		if (settings[i].option == option && !request_has(request, option))
			return settings[i].otherwise;
	}
	return request_number(request, option);
}

/** Frequencies are ratios of 100 MHz in the hardware. */
static unsigned int rounded(unsigned int mhz)
{
	return mhz / 100 * 100;
}

static int plan_clos(struct run *run, struct isst_change *change, struct domain_request *requests,
		     size_t count)
{
	const struct request *request = run->request;
	const struct isst_clos values = {
		.clos = request_number(request, OPTION_CLOS),
		.epp = setting(request, OPTION_EPP),
		.weight = setting(request, OPTION_WEIGHT),
		.min_mhz = rounded(setting(request, OPTION_MIN)),
		.max_mhz = rounded(setting(request, OPTION_MAX)),
	};

	return isst_plan_clos(change, requests, count, &values);
}

/** Returns false after an error. */
static bool check_settings(struct run *run)
{
	bool first_generation = is_first_generation(run), possible = true;

	for (size_t i = 0; i < SETTINGS; i++) {
		if (!first_generation || settings[i].first_generation ||
		    !request_has(run->request, settings[i].option))
			continue;
		run_error(run, STATUS_UNSUPPORTED, "%s", settings[i].refusal);
		possible = false;
	}
	return possible;
}

/** Says what is made of options that are not given, or not as they are given. */
static void announce_settings(struct run *run)
{
	static const struct {
		enum option_id option;
		const char *name;
	} frequencies[] = { { OPTION_MIN, "min" }, { OPTION_MAX, "max" } };
	const struct request *request = run->request;
	bool first_generation = is_first_generation(run);

	for (size_t i = 0; i < SETTINGS; i++) {
		if (!request_has(request, settings[i].option) &&
		    (!first_generation || settings[i].first_generation))
			report_message(run->report, ENTRY_REMARK, "%s", settings[i].announcement);
	}
	if (request_has(request, OPTION_EPP) && isst_platform(run->context)->api_version > 1)
		report_message(run->report, ENTRY_REMARK,
			       "clos epp is not supported on this platform");
	if (request_has(request, OPTION_DESIRED))
		report_message(run->report, ENTRY_REMARK,
			       "clos desired is not supported on this platform");
	for (size_t i = 0; i < sizeof(frequencies) / sizeof(frequencies[0]); i++) {
		unsigned int mhz = request_number(request, frequencies[i].option);

		if (mhz != rounded(mhz))
			report_message(run->report, ENTRY_NOTE,
				       "option --%s: %u MHz is no multiple of 100 MHz, %u MHz is "
				       "used",
				       frequencies[i].name, mhz, rounded(mhz));
	}
}

void core_power_config(struct run *run)
{
	if (!check_settings(run))
		return;
	announce_settings(run);
	change_machine(run, &(struct change_command){ .plan_domains = plan_clos,
						      .feature = KEY_CORE_POWER,
						      .result = KEY_CONFIG });
}

static int plan_association(struct run *run, struct isst_change *change,
			    struct isst_failure *failures)
{
	const struct targets *targets = &run->targets;
	struct isst_clos_association *list = calloc(targets->unit_count + 1, sizeof(*list));
	int error;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < targets->unit_count; i++) {
		list[i].cpu = isst_cpu(run->context, targets->units[i].cpu);
		list[i].clos = request_number(run->request, OPTION_CLOS);
	}
	error = isst_plan_association(change, list, targets->unit_count);
	for (size_t i = 0; i < targets->unit_count; i++)
		failures[i] = list[i].failure;
	free(list);
	return error;
}

void core_power_assoc(struct run *run)
{
	change_machine(run, &(struct change_command){ .plan_units = plan_association,
						      .feature = KEY_CORE_POWER,
						      .result = KEY_ASSOC });
}
