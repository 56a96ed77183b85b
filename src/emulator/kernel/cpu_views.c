/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's files of each CPU but cpufreq: topology, idle states, cooling, hotplug. */
#include "emulator/firmware/firmware.h"
#include "emulator/kernel/views.h"

#include <errno.h>
#include <string.h>

/* ---- Offline and online, by the own file or by that of SMT ---- */

bool die_is_online(const struct server *server, size_t domain)
{
	const struct platform_cpu *cpu = server->platform->domains[domain].first_cpu;

	while (cpu && !cpu_online(server, cpu))
		cpu = cpu->next_of_domain;
	return cpu;
}

static int set_online(struct server *server, const struct platform_cpu *cpu, bool online)
{
	const struct platform *platform = server->platform;
	const struct isst_cpuset *refuse = platform->refuse_offline.set;
	struct cpu_state *state = state_cpu(server, cpu);
	size_t i = 0;

	if (state->online == online)
		return 0;
	while (i < platform->cpu_count &&
	       (&platform->cpus[i] == cpu || !cpu_online(server, &platform->cpus[i])))
		i++;
	/* The last one stays. */
	if (!online &&
	    (i == platform->cpu_count || (refuse && isst_cpuset_has(refuse, cpu->number))))
		return -EBUSY;
	if (online && !smt_allows(server, cpu))
		return -EPERM;
	/* Without TPMI the directory of a die's uncore went with its last CPU. It comes back with
	 * the first one: the limits that are there then are its initial ones. */
	if (online && !platform_is_tpmi(platform) && !die_is_online(server, cpu->domain)) {
		struct domain_state *domain = state_domain(server, cpu->domain);

		domain->initial_min_khz = domain->uncore_min_khz;
		domain->initial_max_khz = domain->uncore_max_khz;
	}
	state->online = online;
	if (online) {
		state->seen = 1;
		msr_cpu_online(server, cpu);
	}
	groups_update(server);
	return 0;
}

static int write_online(const struct place *place, const char *text)
{
	bool online;
	int result = parse_switch(text, &online);

	return result ? result : set_online(place->server, place->cpu, online);
}

/* Kernels that bring online only threads of cores of which the first thread is online: 7.3 does,
 * 6.12 brings all CPUs online. */
enum { KERNEL_CORES_ONLINE = KERNEL(7, 0), KERNEL_THREAD_COUNTS = KERNEL(6, 6) };

/** `on` and so on; since 6.6 also the number of threads that a core is to have. An unchanged value
 * does nothing. Once forced off SMT stays off until the next boot. */
int write_smt(const struct place *place, const char *text)
{
	struct server *server = place->server;
	const struct platform *platform = server->platform;
	const bool all = platform->kernel.value < KERNEL_CORES_ONLINE;
	uint32_t wanted, before = server->state->smt;
	uint64_t threads;
	int result = 0;

	if (before >= SMT_FORCE_OFF)
		return before == SMT_FORCE_OFF ? -EPERM : -ENODEV;
	for (wanted = SMT_ON; wanted <= SMT_FORCE_OFF; wanted++)
		if (strcmp(text, smt_controls[wanted]) == 0)
			break;
	if (wanted > SMT_FORCE_OFF) {
		if (platform->kernel.value < KERNEL_THREAD_COUNTS ||
		    parse_number(text, 10, INT32_MAX, &threads) || (threads != 1 && threads != 2))
			return -EINVAL;
		wanted = threads == 1 ? SMT_OFF : SMT_ON;
	}
	if (wanted == before)
		return 0;
	if (wanted == SMT_ON)
		server->state->smt = wanted;
	for (size_t i = 0; i < platform->cpu_count && !result; i++) {
		const struct platform_cpu *cpu = &platform->cpus[i], *first = cpu;

		while (first > platform->cpus &&
		       !(first->first_of_core && first->domain == cpu->domain &&
			 first->core_id == cpu->core_id))
			first--;
		if (wanted == SMT_ON ? all || cpu_online(server, first) : !cpu->first_of_core)
			result = set_online(server, cpu, wanted == SMT_ON);
	}
	if (!result)
		server->state->smt = wanted;
	return result;
}

/* ---- cpuidle: no CPU is ever idle here, but states can be disabled ---- */

/* As intel_idle has them; processors that are not named here have those of the first row. */
enum { IDLE_MODELS = 2, IDLE_STATES = 5 };
static const struct {
	unsigned int models[IDLE_MODELS];
	struct {
		const char *text[2]; /* name, description */
		unsigned int us[2];  /* latency, residency */
	} states[IDLE_STATES];
} idle_states[] = {
#define IDLE_POLL \
	{ \
		{ "POLL", "CPUIDLE CORE POLL IDLE" }, \
		{ \
			0, 0 \
		} \
	}
	{ { 0x6a, 0x6c },
	  { IDLE_POLL,
	    { { "C1", "MWAIT 0x00" }, { 1, 1 } },
	    { { "C1E", "MWAIT 0x01" }, { 4, 4 } },
	    { { "C6", "MWAIT 0x20" }, { 170, 600 } } } },
	{ { 0x55 },
	  { IDLE_POLL,
	    { { "C1", "MWAIT 0x00" }, { 2, 2 } },
	    { { "C1E", "MWAIT 0x01" }, { 10, 20 } },
	    { { "C6", "MWAIT 0x20" }, { 133, 600 } } } },
	{ { 0x8f, 0xcf },
	  { IDLE_POLL,
	    { { "C1", "MWAIT 0x00" }, { 1, 1 } },
	    { { "C1E", "MWAIT 0x01" }, { 2, 4 } },
	    { { "C6", "MWAIT 0x20" }, { 290, 800 } } } },
	{ { 0xad, 0xae },
	  { IDLE_POLL,
	    { { "C1", "MWAIT 0x00" }, { 1, 1 } },
	    { { "C1E", "MWAIT 0x01" }, { 4, 4 } },
	    { { "C6", "MWAIT 0x20" }, { 170, 650 } },
	    { { "C6P", "MWAIT 0x21" }, { 210, 1000 } } } },
	{ { 0xaf, 0xdd },
	  { IDLE_POLL,
	    { { "C1", "MWAIT 0x00" }, { 1, 1 } },
	    { { "C1E", "MWAIT 0x01" }, { 2, 10 } },
	    { { "C6S", "MWAIT 0x22" }, { 270, 700 } },
	    { { "C6SP", "MWAIT 0x23" }, { 310, 900 } } } },
};
enum { IDLE_TABLES = sizeof(idle_states) / sizeof(*idle_states) };

/** The row of a processor. */
static size_t find_idle_states(const struct place *place)
{
	for (size_t i = 0; i < IDLE_TABLES; i++)
		for (size_t j = 0; j < IDLE_MODELS; j++)
			if (idle_states[i].models[j] == place->platform->model.value)
				return i;
	return 0;
}

static bool idle_state_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	place->idle_state = (unsigned int)index;
	snprintf(name, VIEW_NAME, "state%zu", index);
	return index < IDLE_STATES && idle_states[find_idle_states(place)].states[index].text[0];
}

static const struct instances each_idle_state = { idle_state_at, NULL };

static const char *idle_text(const struct place *place)
{
	return idle_states[find_idle_states(place)]
		.states[place->idle_state]
		.text[place->view->which];
}

static unsigned int idle_us(const struct place *place)
{
	return idle_states[find_idle_states(place)]
		.states[place->idle_state]
		.us[place->view->which];
}

static unsigned int idle_disabled(const struct place *place)
{
	return cpu_of(place)->idle_disabled >> place->idle_state & 1;
}

static int write_idle_disabled(const struct place *place, const char *text)
{
	const uint8_t bit = (uint8_t)(1U << place->idle_state);
	uint8_t *disabled = &cpu_of(place)->idle_disabled;
	uint64_t value;

	if (parse_number(text, 0, UINT32_MAX, &value))
		return -EINVAL;
	*disabled = (uint8_t)(value ? *disabled | bit : *disabled & ~bit);
	return 0;
}

static const struct view idle_state_views[] = {
	{ "name", .text = idle_text },
	{ "desc", .text = idle_text, .which = true },
	{ "latency", .number = idle_us },
	{ "residency", .number = idle_us, .which = true },
	{ "power", .constant = "0" },
	{ "usage", .constant = "0" },
	{ "time", .constant = "0" },
	{ "above", .constant = "0" },
	{ "below", .constant = "0" },
	{ "rejected", .constant = "0" },
	{ "disable", .number = idle_disabled, .write = write_idle_disabled },
	{ "default_status", .constant = "enabled" },
	VIEW_END,
};

const struct view idle_driver_views[] = {
	{ "available_governors", .constant = "menu" },
	{ "current_driver", .constant = "intel_idle" },
	{ "current_governor", .constant = "menu" },
	{ "current_governor_ro", .constant = "menu" },
	VIEW_END,
};

/* ---- Cooling devices: one for each processor of ACPI, for its whole package ---- */

enum { MOST_COOLING = 3 };

static bool cooling_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	place->cpu = &place->platform->cpus[index];
	snprintf(name, VIEW_NAME, "cooling_device%zu", index);
	return index < place->platform->cpu_count;
}

static bool find_cooling(struct place *place, const char *name)
{
	char found[VIEW_NAME];
	unsigned int index;

	return number_of_name(name, "cooling_device", &index) && cooling_at(place, index, found);
}

const struct instances each_cooling_device = { cooling_at, find_cooling };

static bool same_package(const struct place *place, const struct platform_cpu *cpu)
{
	return place->platform->domains[cpu->domain].package == domain_of(place)->package;
}

/** The devices of a package have one state, which limits all of its CPUs. */
static int write_cooling_state(const struct place *place, const char *text)
{
	const struct platform *platform = place->platform;
	uint64_t value;

	if (parse_number(text, 10, MOST_COOLING, &value))
		return -EINVAL;
	for (size_t i = 0; i < platform->cpu_count; i++)
		if (same_package(place, &platform->cpus[i]))
			state_cpu(place->server, &platform->cpus[i])->cooling = (uint8_t)value;
	return 0;
}

const struct view cooling_views[] = {
	{ "type", .constant = "Processor" },
	{ "max_state", .constant = "3" }, /* MOST_COOLING */
	{ "cur_state", STORED(CPU_STATE, cpu_state, cooling), .write = write_cooling_state },
	VIEW_END,
};

static int print_cooling_device(const struct place *place, char **target)
{
	return asprintf(target, "../../../../virtual/thermal/cooling_device%zu",
			(size_t)(place->cpu - place->platform->cpus));
}

/* ---- Topology, which an offline CPU has none of ---- */

static bool same_die(const struct place *place, const struct platform_cpu *cpu)
{
	return same_package(place, cpu) &&
	       place->platform->domains[cpu->domain].die == domain_of(place)->die;
}

static bool same_core(const struct place *place, const struct platform_cpu *cpu)
{
	return cpu->core_id == place->cpu->core_id && same_die(place, cpu);
}

/** Cores that share a level 2 cache, which are a module: the firmware's core. */
static bool same_cluster(const struct place *place, const struct platform_cpu *cpu)
{
	return cpu->domain == place->cpu->domain && cpu->core == place->cpu->core;
}

/* Kernels before 5.2 know no dies, those before 5.16 no clusters. */
static const struct view topology_views[] = {
	{ "physical_package_id", STORED(DOMAIN, platform_domain, package) },
	{ "die_id", NEEDS(die_files), STORED(DOMAIN, platform_domain, die) },
	{ "core_id", STORED(CPU, platform_cpu, core_id) },
	{ "thread_siblings", .cpus = same_core, .mask = true },
	{ "thread_siblings_list", .cpus = same_core },
	{ "core_cpus", NEEDS(die_files), .cpus = same_core, .mask = true },
	{ "core_cpus_list", NEEDS(die_files), .cpus = same_core },
	{ "cluster_cpus", .since = KERNEL(5, 16), .cpus = same_cluster, .mask = true },
	{ "cluster_cpus_list", .since = KERNEL(5, 16), .cpus = same_cluster },
	{ "die_cpus", NEEDS(die_files), .cpus = same_die, .mask = true },
	{ "die_cpus_list", NEEDS(die_files), .cpus = same_die },
	{ "core_siblings", .cpus = same_package, .mask = true },
	{ "core_siblings_list", .cpus = same_package },
	{ "package_cpus", NEEDS(die_files), .cpus = same_package, .mask = true },
	{ "package_cpus_list", NEEDS(die_files), .cpus = same_package },
	VIEW_END,
};

/* ---- The CPU itself ---- */

static bool has_online_file(const struct place *place)
{
	return place->cpu->number || place->platform->cpu0_hotplug.value;
}

static bool cpu_node_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	snprintf(name, VIEW_NAME, "node%u", place->cpu->node);
	return index == 0;
}

static const struct instances cpu_nodes = { cpu_node_at, NULL };

/** One of the kernel's words, or a number. */
static int write_energy_bias(const struct place *place, const char *text)
{
	static const char *const words[MOST_ENERGY_BIAS + 1] = { [0] = "performance",
								 [4] = "balance-performance",
								 [6] = "normal",
								 [8] = "balance-power",
								 [15] = "power" };
	uint64_t value = 0;

	while (value <= MOST_ENERGY_BIAS && !(words[value] && strcmp(words[value], text) == 0))
		value++;
	if (value > MOST_ENERGY_BIAS && parse_number(text, 0, MOST_ENERGY_BIAS, &value))
		return -EINVAL;
	cpu_of(place)->energy_bias = (uint8_t)value;
	return 0;
}

const struct view cpu_views[] = {
	{ "online", .exists = has_online_file, STORED(CPU_STATE, cpu_state, online),
	  .write = write_online },
	{ "topology", .below = topology_views, .exists = is_online },
	{ "cpufreq", .below = cpufreq_views, .exists = has_cpufreq, .refuse = refuse_offline },
	{ "cpuidle", BELOW({ .each = &each_idle_state, .below = idle_state_views }) },
	/* The processor as ACPI knows it; the kernel has a link here. */
	{ "firmware_node", BELOW({ "thermal_cooling", .target = print_cooling_device }) },
	{ "power",
	  BELOW({ "energy_perf_bias", .exists = is_online,
		  STORED(CPU_STATE, cpu_state, energy_bias), .write = write_energy_bias }) },
	{ "thermal_throttle",
	  BELOW({ "core_throttle_count", STORED(DOMAIN, platform_domain, throttle_count.value) },
		{ "package_throttle_count",
		  STORED(DOMAIN, platform_domain, throttle_count.value) }),
	  .exists = is_online },
	{ .each = &cpu_nodes, .directory = "../../node" },
	VIEW_END,
};
