/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's files of each CPU: topology, cpufreq, online. */
#include "emulator/kernel/views.h"

#include <errno.h>
#include <string.h>

static bool is_online(const struct place *place)
{
	return cpu_online(place->server, place->cpu);
}

/* ---- Topology, which an offline CPU has none of ---- */

static const struct platform_domain *domain_of(const struct place *place,
					       const struct platform_cpu *cpu)
{
	return &place->server->platform->domains[cpu->domain];
}

static bool same_package(const struct place *place, const struct platform_cpu *cpu)
{
	return domain_of(place, cpu)->package == domain_of(place, place->cpu)->package;
}

static bool same_die(const struct place *place, const struct platform_cpu *cpu)
{
	return same_package(place, cpu) &&
	       domain_of(place, cpu)->die == domain_of(place, place->cpu)->die;
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

static int core_mask(const struct place *place, FILE *stream)
{
	return print_cpus(place, stream, collect_cpus(place, true, same_core), true);
}

static int core_list(const struct place *place, FILE *stream)
{
	return print_cpus(place, stream, collect_cpus(place, true, same_core), false);
}

static int cluster_mask(const struct place *place, FILE *stream)
{
	return print_cpus(place, stream, collect_cpus(place, true, same_cluster), true);
}

static int cluster_list(const struct place *place, FILE *stream)
{
	return print_cpus(place, stream, collect_cpus(place, true, same_cluster), false);
}

static int die_mask(const struct place *place, FILE *stream)
{
	return print_cpus(place, stream, collect_cpus(place, true, same_die), true);
}

static int die_list(const struct place *place, FILE *stream)
{
	return print_cpus(place, stream, collect_cpus(place, true, same_die), false);
}

static int package_mask(const struct place *place, FILE *stream)
{
	return print_cpus(place, stream, collect_cpus(place, true, same_package), true);
}

static int package_list(const struct place *place, FILE *stream)
{
	return print_cpus(place, stream, collect_cpus(place, true, same_package), false);
}

static unsigned int package_id(const struct place *place)
{
	return domain_of(place, place->cpu)->package;
}

static unsigned int die_id(const struct place *place)
{
	return domain_of(place, place->cpu)->die;
}

static unsigned int core_id(const struct place *place)
{
	return place->cpu->core_id;
}

/** Kernels before 5.2 know no dies. */
static bool has_die_files(const struct place *place)
{
	return place->server->platform->die_files.value;
}

/** Kernels before 5.16 know no clusters. */
static bool has_clusters(const struct place *place)
{
	return place->server->platform->kernel.value >= KERNEL(5, 16);
}

static const struct view topology_views[] = {
	{ "physical_package_id", .number = package_id },
	{ "die_id", .exists = has_die_files, .number = die_id },
	{ "core_id", .number = core_id },
	{ "thread_siblings", .read = core_mask },
	{ "thread_siblings_list", .read = core_list },
	{ "core_cpus", .exists = has_die_files, .read = core_mask },
	{ "core_cpus_list", .exists = has_die_files, .read = core_list },
	{ "cluster_cpus", .exists = has_clusters, .read = cluster_mask },
	{ "cluster_cpus_list", .exists = has_clusters, .read = cluster_list },
	{ "die_cpus", .exists = has_die_files, .read = die_mask },
	{ "die_cpus_list", .exists = has_die_files, .read = die_list },
	{ "core_siblings", .read = package_mask },
	{ "core_siblings_list", .read = package_list },
	{ "package_cpus", .exists = has_die_files, .read = package_mask },
	{ "package_cpus_list", .exists = has_die_files, .read = package_list },
	VIEW_END,
};

/* ---- cpufreq ---- */

/** What becomes of the directory of a CPU that goes offline: kernels since 5.19 answer EBUSY to who
 * reads it, and those before show what they showed. */
static bool has_cpufreq(const struct place *place)
{
	const struct platform *platform = place->server->platform;

	return strcmp(platform->cpufreq.text, "none") != 0 &&
	       (is_online(place) || platform->offline_cpufreq.value != OFFLINE_CPUFREQ_GONE);
}

/** acpi-cpufreq has no base_frequency, and intel_pstate only with HWP. */
static bool has_base_frequency(const struct place *place)
{
	const struct platform *platform = place->server->platform;

	return platform->hwp.value && strncmp(platform->cpufreq.text, "intel_", 6) == 0;
}

static const char *driver_text(const struct place *place)
{
	return place->server->platform->cpufreq.text;
}

/** How files of cpufreq answer while their CPU is offline: kernels since 5.19 to all with EBUSY;
 * those before let them be read, and take nothing. */
static int refuse_offline(const struct place *place, bool write)
{
	if (is_online(place))
		return 0;
	switch (place->server->platform->offline_cpufreq.value) {
	case OFFLINE_CPUFREQ_BUSY:
		return -EBUSY;
	case OFFLINE_CPUFREQ_READABLE:
		return write ? -EINVAL : 0;
	default:
		return 0;
	}
}

/** The user's limit is remembered as it is, whatever comes of it now. */
static int write_limit(const struct place *place, const char *text, bool max)
{
	struct cpu_state *state = state_cpu(place->server, place->cpu);
	uint64_t khz;
	int result = parse_number(text, 0, NO_LIMIT_KHZ, &khz);

	if (!result)
		*(max ? &state->requested_max_khz : &state->requested_min_khz) = (uint32_t)khz;
	return result;
}

static int write_scaling_min(const struct place *place, const char *text)
{
	return write_limit(place, text, false);
}

static int write_scaling_max(const struct place *place, const char *text)
{
	return write_limit(place, text, true);
}

/** Each CPU is a policy of its own, which changes its frequency at once. */
static unsigned int zero(const struct place *place)
{
	(void)place;
	return 0;
}

static int own_cpu(const struct place *place, FILE *stream)
{
	fprintf(stream, "%u\n", place->cpu->number);
	return 0;
}

static const struct view cpufreq_views[] = {
	{ "base_frequency", .exists = has_base_frequency, .number = base_khz,
	  .refuse = refuse_offline },
	{ "cpuinfo_min_freq", .number = lowest_khz, .refuse = refuse_offline },
	{ "cpuinfo_max_freq", .number = highest_khz, .refuse = refuse_offline },
	{ "scaling_min_freq", .number = scaling_min_khz, .refuse = refuse_offline,
	  .write = write_scaling_min },
	{ "scaling_max_freq", .number = scaling_max_khz, .refuse = refuse_offline,
	  .write = write_scaling_max },
	{ "bios_limit", .exists = has_bios_limit, .number = bios_limit_khz,
	  .refuse = refuse_offline },
	{ "scaling_cur_freq", .number = busy_khz, .refuse = refuse_offline },
	{ "cpuinfo_transition_latency", .number = zero, .refuse = refuse_offline },
	{ "affected_cpus", .read = own_cpu, .refuse = refuse_offline },
	{ "related_cpus", .read = own_cpu, .refuse = refuse_offline },
	{ "scaling_driver", .text = driver_text, .refuse = refuse_offline },
	{ "scaling_available_governors", .read = print_governors, .refuse = refuse_offline },
	{ "scaling_governor", .text = governor_text, .refuse = refuse_offline,
	  .write = write_governor },
	{ "energy_performance_preference", .exists = has_energy_preference,
	  .read = print_energy_preference, .refuse = refuse_offline,
	  .write = write_energy_preference },
	{ "energy_performance_available_preferences", .exists = has_energy_preference,
	  .read = print_energy_preferences, .refuse = refuse_offline },
	VIEW_END,
};

/* ---- The CPU itself ---- */

static bool has_online_file(const struct place *place)
{
	return place->cpu->number != 0 || place->server->platform->cpu0_hotplug.value;
}

static unsigned int online_number(const struct place *place)
{
	return is_online(place);
}

/** From /sys/bus/cpu/devices. */
int print_bus_link(const struct place *place, FILE *stream)
{
	fprintf(stream, "../../../devices/system/cpu/cpu%u", place->cpu->number);
	return 0;
}

/* The processor as ACPI knows it; the kernel has a link here. */
static const struct view firmware_node_views[] = {
	{ "thermal_cooling", .target = print_cooling_device },
	VIEW_END,
};

const struct view cpu_views[] = {
	{ "online", .exists = has_online_file, .number = online_number, .write = write_online },
	{ "topology", .below = topology_views, .exists = is_online },
	{ "cpufreq", .below = cpufreq_views, .exists = has_cpufreq },
	{ "cpuidle", .below = idle_views },
	{ "firmware_node", .below = firmware_node_views },
	{ "thermal_throttle", .below = throttle_views, .exists = is_online },
	{ .each = &cpu_nodes, .target = print_node_link },
	VIEW_END,
};
