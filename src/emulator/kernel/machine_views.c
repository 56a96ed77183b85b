/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's files of the machine as a whole, and the tree that all others are part of. */
#include "emulator/kernel/views.h"

#include <errno.h>
#include <string.h>

/* ---- Lists of CPUs ---- */

static bool is_any_cpu(const struct place *place, const struct platform_cpu *cpu)
{
	(void)place;
	(void)cpu;
	return true;
}

/* Of a row. */
enum { PRESENT, POSSIBLE, OFFLINE, ISOLATED, HOUSEKEEPING, NOHZ_FULL };

/** Offline are also possible ones that are not there. Isolated ones are those of the kernel's
 * command line, not of cgroups; housekeeping ones are left to the kernel's own work, where others
 * are nohz_full. */
static int print_list(const struct place *place, FILE *stream)
{
	enum { PAGE_WIDTH = 4094 };
	const struct platform *platform = place->platform;
	const struct isst_cpuset *full = platform->nohz_full.set;
	const unsigned int which = place->view->which;
	struct isst_cpuset *set = isst_cpuset_new();
	int result = set ? 0 : -ENOMEM;
	unsigned int number;

	/* Without any, kernels before 7.3 print a NULL set, as wide as one of all CPUs. */
	if (which == NOHZ_FULL && !full && platform->kernel.value < KERNEL(7, 3)) {
		fprintf(stream, "%*s\n", (int)least(platform->cpu_ids, PAGE_WIDTH), "(null)");
		isst_cpuset_free(set);
		return result;
	}
	isst_cpuset_for_each (number, platform->possible.set) {
		const struct platform_cpu *cpu = platform_cpu(platform, number);
		const bool in_it[] = {
			[PRESENT] = cpu,
			[POSSIBLE] = true,
			[OFFLINE] = !(cpu && cpu_online(place->server, cpu)),
			[ISOLATED] = isst_cpuset_has(platform->isolcpus.set, number),
			[HOUSEKEEPING] = full && !isst_cpuset_has(full, number),
			[NOHZ_FULL] = isst_cpuset_has(full, number),
		};

		if (!result && in_it[which])
			result = isst_cpuset_add(set, number, number);
	}
	return print_made(stream, set, result);
}

/* ---- NUMA nodes, as lscpu and numactl read them: packages, unless a captured machine has others
 * (sub-NUMA clusters) ---- */

static bool in_node(const struct place *place, const struct platform_cpu *cpu)
{
	return cpu->node == place->node;
}

/** The nodes of which a CPU, or one that is online, is part. */
static struct isst_cpuset *collect_nodes(const struct place *place, bool online)
{
	const struct platform *platform = place->platform;
	struct isst_cpuset *nodes = isst_cpuset_new();

	for (size_t i = 0; i < platform->cpu_count && nodes; i++) {
		const unsigned int node = platform->cpus[i].node;

		if ((online && !cpu_online(place->server, &platform->cpus[i])) ||
		    isst_cpuset_add(nodes, node, node) == 0)
			continue;
		isst_cpuset_free(nodes);
		nodes = NULL;
	}
	return nodes;
}

static bool node_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	struct isst_cpuset *nodes = collect_nodes(place, false);
	bool found = nodes && isst_cpuset_next(nodes, 0, &place->node);

	while (found && index-- > 0)
		found = isst_cpuset_next(nodes, place->node + 1, &place->node);
	isst_cpuset_free(nodes);
	snprintf(name, VIEW_NAME, "node%u", place->node);
	return found;
}

static const struct instances each_node = { node_at, NULL };

static int print_nodes(const struct place *place, FILE *stream)
{
	struct isst_cpuset *nodes = collect_nodes(place, place->view->which);

	return print_made(stream, nodes, nodes ? 0 : -ENOMEM);
}

static bool node_cpu_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	const struct platform *platform = place->platform;

	for (size_t i = 0; i < platform->cpu_count; i++) {
		place->cpu = &platform->cpus[i];
		if (in_node(place, place->cpu) && index-- == 0) {
			snprintf(name, VIEW_NAME, "cpu%u", place->cpu->number);
			return true;
		}
	}
	return false;
}

static bool find_node_cpu(struct place *place, const char *name)
{
	return each_cpu.find(place, name) && in_node(place, place->cpu);
}

static const struct instances node_cpus = { node_cpu_at, find_node_cpu };

/** Memory and distances are nothing that Speed Select knows of: the same for all nodes. */
static int print_distances(const struct place *place, FILE *stream)
{
	enum { LOCAL = 10, REMOTE = 21 };
	struct isst_cpuset *all = collect_nodes(place, false);
	const char *space = "";
	unsigned int other;

	if (!all)
		return -ENOMEM;
	isst_cpuset_for_each (other, all) {
		fprintf(stream, "%s%d", space, other == place->node ? LOCAL : REMOTE);
		space = " ";
	}
	fputc('\n', stream);
	isst_cpuset_free(all);
	return 0;
}

static int print_memory(const struct place *place, FILE *stream)
{
	enum { MEMORY_KB = 64 << 20 };
	const unsigned int node = place->node;

	fprintf(stream,
		"Node %u MemTotal:       %d kB\nNode %u MemFree:        %d kB\n"
		"Node %u MemUsed:        %15d kB\n",
		node, MEMORY_KB, node, MEMORY_KB, node, 0);
	return 0;
}

static const struct view node_views[] = {
	{ "possible", .read = print_nodes },
	{ "online", .read = print_nodes },
	{ "has_cpu", .read = print_nodes, .which = true },
	{ "has_memory", .read = print_nodes },
	{ "has_normal_memory", .read = print_nodes },
	{ .each = &each_node,
	  BELOW({ "cpulist", .cpus = in_node }, { "cpumap", .cpus = in_node, .mask = true },
		{ "distance", .read = print_distances }, { "meminfo", .read = print_memory },
		{ .each = &node_cpus, .directory = "../../cpu" }) },
	VIEW_END,
};

static const char *smt_control(const struct place *place)
{
	return smt_controls[place->server->state->smt];
}

/** Whether two threads of a core are online. */
static unsigned int smt_is_active(const struct place *place)
{
	const struct platform *platform = place->platform;

	for (size_t i = 0; i < platform->cpu_count; i++)
		if (!platform->cpus[i].first_of_core &&
		    cpu_online(place->server, &platform->cpus[i]))
			return true;
	return false;
}

/* ---- /proc ---- */

/* What such servers have and programs look for; hwp if the BIOS enables it. */
static const char flags[] =
	"fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush acpi mmx fxsr "
	"sse sse2 ht tm pbe syscall nx pdpe1gb rdtscp lm constant_tsc arch_perfmon rep_good nopl "
	"xtopology nonstop_tsc aperfmperf pni pclmulqdq monitor vmx est tm2 ssse3 fma cx16 sse4_1 "
	"sse4_2 x2apic movbe popcnt aes xsave avx f16c rdrand lahf_lm abm cpuid_fault epb avx2 bmi1 "
	"bmi2 erms avx512f avx512dq ida arat pln pts";

static int print_cpuinfo(const struct place *place, FILE *stream)
{
	const struct platform *platform = place->platform;
	unsigned int package = UINT32_MAX, threads = 0, cores = 0;

	for (size_t i = 0; i < platform->cpu_count; i++) {
		const struct platform_cpu *cpu = &platform->cpus[i];
		const struct place here = { place->server, .platform = platform, .cpu = cpu };
		unsigned int khz;

		if (!cpu_online(place->server, cpu))
			continue;
		khz = busy_khz(&here);
		if (platform->domains[cpu->domain].package != package) {
			package = platform->domains[cpu->domain].package;
			threads = cores = 0;
			for (size_t j = 0; j < platform->cpu_count; j++) {
				const struct platform_cpu *other = &platform->cpus[j];

				if (platform->domains[other->domain].package != package)
					continue;
				threads += cpu_online(place->server, other);
				cores += other->first_of_core;
			}
		}
		fprintf(stream,
			"processor\t: %u\nvendor_id\t: %s\ncpu family\t: %u\nmodel\t\t: %u\n"
			"model name\t: %s\nstepping\t: %u\ncpu MHz\t\t: %u.%03u\n"
			"physical id\t: %u\nsiblings\t: %u\ncore id\t\t: %u\ncpu cores\t: %u\nflags\t\t: %s%s\n\n",
			cpu->number, platform->vendor.text, platform->family.value,
			platform->model.value, platform->model_name.text, platform->stepping.value,
			khz / 1000, khz % 1000, package, threads, cpu->core_id, cores, flags,
			platform->hwp.value ? " hwp hwp_epp" : "");
	}
	return 0;
}

/** As uuidgen(1) writes one of version 4. */
static int print_boot_id(const struct place *place, FILE *stream)
{
	const uint8_t *id = place->server->state->boot_id;

	fprintf(stream, "%02x%02x%02x%02x-%02x%02x-4%x%02x-a%x%02x-%02x%02x%02x%02x%02x%02x\n",
		id[0], id[1], id[2], id[3], id[4], id[5], id[6] & 0xf, id[7], id[8] & 0xf, id[9],
		id[10], id[11], id[12], id[13], id[14], id[15]);
	return 0;
}

/** "6.12.0", alone or in the kernel's own words. */
static int print_release(const struct place *place, FILE *stream)
{
	unsigned int kernel = place->platform->kernel.value;

	fprintf(stream,
		place->view->which
			? "Linux version %u.%u.0 (isst@emulator) (gcc) #1 SMP PREEMPT_DYNAMIC\n"
			: "%u.%u.0\n",
		kernel / 1000, kernel % 1000);
	return 0;
}

/** Files directly below /proc can be opened for writing, and then have nothing that writes. */
static int no_write(const struct place *place, const char *text)
{
	(void)place;
	(void)text;
	return -EIO;
}

static int write_rcu(const struct place *place, const char *text)
{
	const bool negative = *text == '-';
	char *setting = (char *)place->server->state + place->view->stored.at;
	uint64_t number;
	int32_t value;

	if (parse_number(text + (negative || *text == '+'), 0, INT32_MAX, &number))
		return -EINVAL;
	value = negative ? -(int32_t)number : (int32_t)number;
	memcpy(setting, &value, sizeof(value));
	return 0;
}

/* ---- The tree ---- */

static bool has_pstate(const struct place *place)
{
	return strcmp(place->platform->pstate.text, "none") != 0;
}

static const struct view all_cpus_views[] = {
	{ .each = &each_cpu, .below = cpu_views },
	{ "possible", .read = print_list, .which = POSSIBLE },
	{ "present", .read = print_list, .which = PRESENT },
	{ "online", .cpus = is_any_cpu },
	{ "offline", .read = print_list, .which = OFFLINE },
	{ "isolated", .read = print_list, .which = ISOLATED },
	{ "nohz_full", .read = print_list, .which = NOHZ_FULL },
	{ "housekeeping", .read = print_list, .which = HOUSEKEEPING, .since = KERNEL(7, 3) },
	{ "kernel_max", .constant = "8191" }, /* MOST_CPUS - 1 */
	{ "smt", BELOW({ "control", .text = smt_control, .write = write_smt },
		       { "active", .number = smt_is_active }) },
	{ "cpufreq", .below = policies_views },
	{ "cpuidle", .below = idle_driver_views },
	{ "intel_pstate", .below = pstate_views, .exists = has_pstate },
	{ "intel_uncore_frequency", .below = uncore_views, NEEDS(uncore) },
	VIEW_END,
};

static const struct view sys_views[] = {
	{ "bus",
	  BELOW({ "cpu",
		  BELOW({ "devices", BELOW({ .each = &each_cpu,
					     .directory = "../../../devices/system/cpu" }) }) }) },
	{ "class", BELOW({ "powercap", .below = class_powercap_views, .exists = powercap_exists },
			 { "thermal", BELOW({ .each = &each_cooling_device,
					      .directory = "../../devices/virtual/thermal" }) }) },
	{ "module", .below = module_views },
	{ "devices",
	  BELOW({ "virtual",
		  BELOW({ "powercap", .below = virtual_powercap_views, .exists = powercap_exists },
			{ "thermal",
			  BELOW({ .each = &each_cooling_device, .below = cooling_views }) }) },
		{ "system",
		  BELOW({ "cpu", .below = all_cpus_views }, { "node", .below = node_views }) }) },
	{ "fs", BELOW({ "cgroup", .below = cgroup_views, NEEDS(cgroup_tree), .mode = 0555 }) },
	{ "kernel", BELOW({ "debug", .below = debug_views, .tpmi = true, .mode = 0700 },
			  { "security", .below = security_views },
			  { "rcu_expedited", STORED(STATE, state, rcu_expedited),
			    .stored.has_sign = true, .write = write_rcu },
			  { "rcu_normal", STORED(STATE, state, rcu_normal), .stored.has_sign = true,
			    .write = write_rcu }) },
	{ "power", .below = power_views },
	VIEW_END,
};

static const struct view proc_views[] = {
	{ "cpuinfo", .read = print_cpuinfo, .write = no_write, .mode = 0444 },
	{ "version", .read = print_release, .which = true, .write = no_write, .mode = 0444 },
	{ "modules", .read = print_modules, .write = no_write, .mode = 0444 },
	{ "stat", .read = print_cpu_times, .write = no_write, .mode = 0444 },
	{ "sys",
	  BELOW({ "kernel",
		  BELOW({ "random", BELOW({ "boot_id", .read = print_boot_id }), .mode = 0555 },
			{ "osrelease", .read = print_release }),
		  .mode = 0555 }),
	  .mode = 0555 },
	{ "cmdline", WORDS_OF(command_line) },
	/* These alone have names of digits. */
	{ .each = &each_process, .below = process_views, .mode = 0555 },
	VIEW_END,
};

const struct view root_views[] = {
	{ "dev", BELOW({ "cpu", .below = msr_views }) },
	{ "lib", .below = library_views },
	{ "sys", .below = sys_views, .mode = 0555 },
	{ "proc", .below = proc_views, .mode = 0555 },
	{ "run", .below = run_views },
	VIEW_END,
};
