/* SPDX-License-Identifier: BSD-3-Clause */
#include "../run/change.h"
#include "../run/handlers.h"
#include "../run/reading.h"

static bool is_so(const struct run *run, int fact)
{
	return isst_platform_fact(run->context, fact) > 0;
}

bool core_power_check_enable(struct run *run)
{
	bool possible = is_so(run, ISST_FACT_PROPORTIONAL_PRIORITY) ||
			!request_has(run->request, OPTION_PRIORITY) ||
			request_number(run->request, OPTION_PRIORITY) != ISST_PRIORITY_PROPORTIONAL;

	if (!possible)
		run_error(run, STATUS_UNSUPPORTED,
			  "Invalid clos priority type: proportional for this platform");
	return possible;
}

/** Options of a class: their defaults, and what scripts of the reference tool are shown for them.
 */
static const struct setting {
	enum option_id option;
	int value;
	bool needs_weight; /* only machines whose CLOS has a weight have it */
	unsigned int otherwise;
	const char *announcement;
	const char *refusal; /* where it is unsupported */
} settings[] = {
	{ OPTION_EPP, ISST_VALUE_CLOS_EPP, true, 0,
	  "clos epp is not specified or invalid, default: 0",
	  "epp can't be specified on this platform" },
	{ OPTION_WEIGHT, ISST_VALUE_CLOS_WEIGHT, true, 0,
	  "clos frequency weight is not specified or invalid, default: 0",
	  "weight can't be specified on this platform" },
	{ OPTION_MIN, ISST_VALUE_CLOS_MIN_MHZ, false, 0, "clos min is not specified, default: 0",
	  NULL },
	{ OPTION_MAX, ISST_VALUE_CLOS_MAX_MHZ, false, ISST_CLOS_NO_LIMIT_MHZ,
	  "clos max is not specified, default: Max frequency (ratio 0xff)", NULL },
	{ .announcement = NULL },
};

/** Frequencies are ratios of 100 MHz in the hardware. */
static unsigned int rounded(unsigned int mhz)
{
	return mhz / 100 * 100;
}

int core_power_fill_config(const struct run *run, struct isst_request *request)
{
	int error = 0;

	for (const struct setting *row = settings; row->announcement && !error; row++) {
		unsigned int value = request_has(run->request, row->option)
					     ? request_number(run->request, row->option)
					     : row->otherwise;

		/* Scripts that state an EPP on machines without one get a remark. */
		if (row->value != ISST_VALUE_CLOS_EPP || is_so(run, ISST_FACT_CLOS_EPP))
			error = isst_request_set(request, row->value,
						 row->needs_weight ? value : rounded(value));
	}
	return error;
}

/** Reports the values used for options that are not given, or not as they are given. */
static void announce_settings(struct run *run)
{
	static const struct {
		enum option_id option;
		const char *name;
	} frequencies[] = { { OPTION_MIN, "min" }, { OPTION_MAX, "max" } };
	const struct request *request = run->request;
	bool weight = is_so(run, ISST_FACT_CLOS_WEIGHT);

	for (const struct setting *row = settings; row->announcement && request->reference; row++)
		if (!request_has(request, row->option) && (weight || !row->needs_weight))
			report_message(run->report, ENTRY_REMARK, "%s", row->announcement);
	if (request_has(request, OPTION_EPP) && !is_so(run, ISST_FACT_CLOS_EPP))
		report_message(run->report, ENTRY_REMARK,
			       "clos epp is not supported on this platform");
	if (request_has(request, OPTION_DESIRED))
		report_message(run->report, ENTRY_REMARK,
			       "clos desired is not supported on this platform");
	for (size_t i = 0; i < sizeof(frequencies) / sizeof(frequencies[0]); i++) {
		unsigned int mhz = request_number(request, frequencies[i].option);

		if (mhz != rounded(mhz))
			report_message(run->report, ENTRY_NOTE,
				       "option --%s: %u MHz is not a multiple of 100 MHz, using "
				       "%u MHz",
				       frequencies[i].name, mhz, rounded(mhz));
	}
}

bool core_power_check_config(struct run *run)
{
	bool possible = true;

	for (const struct setting *row = settings; row->announcement; row++)
		if (row->needs_weight && request_has(run->request, row->option) &&
		    !is_so(run, ISST_FACT_CLOS_WEIGHT)) {
			run_error(run, STATUS_UNSUPPORTED, "%s", row->refusal);
			possible = false;
		}
	if (possible)
		announce_settings(run);
	return possible;
}
