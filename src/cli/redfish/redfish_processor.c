/* SPDX-License-Identifier: BSD-3-Clause */
/* A package as Processor. Must not know how documents are written. */
#include "../status/limits_found.h"
#include "redfish.h"

/* ---- What it is ---- */

static void add_hex(struct json *node, const char *name, unsigned int number)
{
	char text[16];

	snprintf(text, sizeof(text), "0x%X", number);
	json_add_string(node, name, text);
}

static void add_identity(struct json *node, const struct redfish_package *package)
{
	struct isst_context *context = package->status->run->context;
	struct json *id = json_add(node, "ProcessorId", JSON_OBJECT);
	char socket[16];

	if (package->model)
		json_add_string(node, "Model", package->model);
	snprintf(socket, sizeof(socket), "%u", package->number);
	json_add_string(node, "Socket", socket);
	json_add_string(node, "ProcessorType", "CPU");
	add_hex(id, "EffectiveFamily", isst_platform_family(context));
	add_hex(id, "EffectiveModel", isst_platform_model(context));
	add_hex(id, "Step", isst_platform_stepping(context));
}

static void add_counts(struct json *node, const struct redfish_package *package)
{
	const struct cores *all = &package->status->cores;
	size_t cores = 0, online = 0, threads = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct core *core = &all->all[i];

		if (isst_domain_package(core->domain) != package->number)
			continue;
		cores++;
		online += isst_cpuset_count(core->online) > 0;
		threads += isst_cpuset_count(core->cpus);
	}
	json_add_number(node, "TotalCores", cores);
	json_add_number(node, "TotalEnabledCores", online);
	json_add_number(node, "TotalThreads", threads);
}

/* ---- Its state ---- */

/** Adds whether SST-BF is on, if it is in all power domains, or off in all. */
static void add_priority_state(struct json *node, const struct redfish_level *level)
{
	const struct isst_context *context = level->package->status->run->context;
	size_t enabled = 0, disabled = 0;
	struct isst_cpuset *cores;

	for (size_t i = 0; i < level->count; i++) {
		unsigned int state = value_of(level->domains[i], ISST_VALUE_BASE_FREQ_STATE);

		enabled += state == ISST_FEATURE_ENABLED;
		disabled += state == ISST_FEATURE_DISABLED;
	}
	if (level->count == 0 || (enabled != level->count && disabled != level->count))
		return;
	json_add_string(node, "BaseSpeedPriorityState", enabled ? "Enabled" : "Disabled");
	if (!enabled || !redfish_has_core_numbers(level->package))
		return;
	cores = redfish_high_cores(node, level->domains[0], context);
	if (cores)
		redfish_add_numbers(node, "HighSpeedCoreIDs", cores);
	isst_cpuset_free(cores);
}

static void add_level(struct json *node, const struct redfish_package *package)
{
	struct redfish_level level;
	unsigned int number;
	char config[40];

	if (!redfish_current_level(package, &number))
		return;
	snprintf(config, sizeof(config), "/OperatingConfigs/config%u", number);
	if (!redfish_level_find(package, number, &level)) {
		run_error(package->status->run, STATUS_FAILED, "out of memory");
		return;
	}
	if (level.count > 0) {
		redfish_add_link(node, "OperatingConfigs", package->uri, "/OperatingConfigs");
		redfish_add_link(node, "AppliedOperatingConfig", package->uri, config);
	}
	redfish_add_least(node, "BaseSpeedMHz", &level, redfish_base_mhz);
	redfish_add_most(node, "MaxSpeedMHz", &level, redfish_max_mhz);
	add_priority_state(node, &level);
	redfish_level_clear(&level);
}

/* ---- What holds it back ---- */

static const char *cause_of(int code)
{
	static const struct {
		int code;
		const char *cause;
	} CAUSES[] = {
		{ ISST_FINDING_LIMITED_POWER, "PowerLimit" },
		{ ISST_FINDING_LIMITED_CURRENT, "PowerLimit" },
		{ ISST_FINDING_LIMITED_THERMAL, "ThermalLimit" },
		{ ISST_FINDING_LIMITED_FREQUENCY, "ClockLimit" },
		{ ISST_FINDING_LIMITED_OTHERWISE, "Unknown" },
	};

	for (size_t i = 0; i < sizeof(CAUSES) / sizeof(CAUSES[0]); i++)
		if (CAUSES[i].code == code)
			return CAUSES[i].cause;
	return "OEM";
}

/** Adds the causes in the order of Redfish, each once. Returns whether there is any. */
static bool add_causes(struct json *node, const struct redfish_package *package)
{
	static const char *const ORDER[] = { "PowerLimit", "ThermalLimit", "ClockLimit", "Unknown",
					     "OEM" };
	const struct isst_explanation *explanation = limits_explanation(package->status);
	const struct isst_finding *finding;
	struct json *list = NULL;

	for (size_t cause = 0; cause < sizeof(ORDER) / sizeof(ORDER[0]); cause++)
		for (size_t i = 0; (finding = isst_explanation_finding_at(explanation, i)); i++) {
			if (!finding_is_limit_of(finding, package->number) ||
			    cause_of(isst_finding_code(finding)) != ORDER[cause])
				continue;
			list = list ? list : json_add(node, "ThrottleCauses", JSON_ARRAY);
			json_add_string(list, NULL, ORDER[cause]);
			break;
		}
	return list;
}

/** That there are no reasons may mean that they cannot be read: then nothing is added. */
static void add_explanation(struct json *node, const struct redfish_package *package)
{
	if (add_causes(node, package))
		json_add_boolean(node, "Throttled", true);
	if (package->turbo_disabled >= 0)
		json_add_string(node, "TurboState",
				package->turbo_disabled ? "Disabled" : "Enabled");
}

void redfish_processor(const struct redfish_package *package)
{
	struct json *node;
	char id[16];

	snprintf(id, sizeof(id), "cpu%u", package->number);
	node = redfish_resource(package->status->run, package->uri, "#Processor.v1_22_0.Processor",
				id, "Processor");
	add_identity(node, package);
	add_counts(node, package);
	add_level(node, package);
	add_explanation(node, package);
	redfish_processor_oem(node, package);
}
