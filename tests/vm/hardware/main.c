// SPDX-License-Identifier: BSD-3-Clause
/*
 * Which CPUs belong to which die of the played machine, what state it is in at power on, and the
 * order in which its parts come up. It is made for QEMU alone: never load it on a real machine.
 */
#include <linux/bits.h>
#include <linux/cpu.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/version.h>

#include <asm/cpufeature.h>

#include "hardware.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
#define topology_max_dies_per_package topology_max_die_per_package
#endif

static char *transport = "mailbox";
module_param(transport, charp, 0444);
MODULE_PARM_DESC(transport, "how drivers reach the firmware: mailbox, msr or tpmi");

unsigned long base;
module_param(base, ulong, 0444);
MODULE_PARM_DESC(base, "memory that memmap= has reserved, 1 MiB for each package");

struct hw_machine machine;

u64 hw_level_cores(int level)
{
	return level == 1 && machine.faults.halved ? 0x3 : hw_levels[level].cores;
}

u64 hw_level_turbo_limits(int level)
{
	u64 limits;

	memcpy(&limits, hw_levels[level].trl[0], sizeof(limits));
	return limits;
}

/* MSR 0x1ad: one for each die by the mailbox, and one for the package on TPMI servers, where the
 * core counts of MSR 0x1ae go beyond those of a power domain (dumps of a 6980P). */
void hw_set_turbo_limits(struct hw_die *die, u64 limits)
{
	int i;

	die->turbo_limits = limits;
	for (i = 0; i < MAX_PACKAGES * MAX_DIES && machine.transport == HW_TPMI; i++)
		if (machine.dies[i].package == die->package)
			machine.dies[i].turbo_limits = limits;
}

/* With the level the firmware switches its features off and sets its turbo limits. */
void hw_set_level(struct hw_die *die, int level)
{
	die->level = level < LEVELS ? level : 0;
	die->features = 0;
	hw_set_turbo_limits(die, hw_level_turbo_limits(die->level));
}

u32 hw_base_ratio(const struct hw_cpu *cpu)
{
	const struct hw_level *level = &hw_levels[cpu->die->level];

	if (!(cpu->die->features & FEATURE_BASE_FREQ))
		return level->base[0];
	return level->base_freq.cores >> cpu->core & 1 ? level->base_freq.high
						       : level->base_freq.low;
}

void hw_reset(void)
{
	int i;

	/*
	 * The TPMI driver looks at this flag when its alternatives are patched in, at load; a CPU
	 * that comes online takes it away again.
	 */
	set_cpu_cap(&boot_cpu_data, X86_FEATURE_HWP);
	memset(&machine.faults, 0, sizeof(machine.faults));
	for (i = 0; i < hw_dies(); i++) {
		hw_set_level(&machine.dies[i], 0);
		machine.dies[i].due_at = 0;
		machine.dies[i].core_power = false;
		if (machine.transport != HW_TPMI)
			mailbox_reset(&machine.dies[i]);
	}
	if (machine.transport == HW_TPMI)
		tpmi_reset();
}

static int set_transport(void)
{
	static const char *const names[] = { "mailbox", "msr", "tpmi" };
	int i = match_string(names, ARRAY_SIZE(names), transport);

	if (i >= 0)
		machine.transport = i;
	return i < 0 ? i : 0;
}

/* A thread of the CPU's core that was placed before; -1: none. */
static int known_sibling(unsigned int cpu)
{
	unsigned int sibling;

	for_each_cpu (sibling, topology_sibling_cpumask(cpu))
		if (sibling < MAX_CPUS && machine.cpus[sibling].known)
			return sibling;
	return -1;
}

/* Cores of a die are counted as their first threads come along: at load, or later. */
static int place_cpu(unsigned int cpu)
{
	static int cores[MAX_PACKAGES * MAX_DIES];
	int package = topology_logical_package_id(cpu);
	int number = topology_die_id(cpu) % machine.dies_per_package;
	int sibling = known_sibling(cpu);
	struct hw_cpu *place = &machine.cpus[cpu];

	if (cpu >= MAX_CPUS || package >= machine.packages)
		return -E2BIG;
	if (place->known)
		return 0;
	place->die = &machine.dies[package * machine.dies_per_package + number];
	place->thread = sibling >= 0;
	place->core = sibling >= 0 ? machine.cpus[sibling].core
				   : hw_core_id(cores[place->die->index]++);
	if (place->core >= MAX_CORES)
		return -E2BIG;
	place->known = true;
	machine.cores_per_die = max(machine.cores_per_die, cores[0]);
	return 0;
}

static enum cpuhp_state places;

/* Packages and dies are there whether their CPUs are online or not. A CPU that comes online later
 * is placed before cpufreq and the drivers, which are loaded behind this module, look at it. */
static int place_cpus(void)
{
	int i, result;

	machine.packages = topology_max_packages();
	machine.dies_per_package = max(1, (int)topology_max_dies_per_package());
	if (machine.dies_per_package > MAX_DIES || machine.packages > MAX_PACKAGES)
		return -E2BIG;
	for (i = 0; i < hw_dies(); i++) {
		machine.dies[i].package = i / machine.dies_per_package;
		machine.dies[i].number = i % machine.dies_per_package;
		machine.dies[i].index = i;
	}
	result = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "isst_hardware:online", place_cpu, NULL);
	if (result < 0)
		return result;
	places = result;
	return 0;
}

static int map_memory(void)
{
	int i;

	for (i = 0; i < machine.packages; i++) {
		machine.memory[i] = (void __force *)ioremap(base + i * PACKAGE_MEMORY,
							    PACKAGE_MEMORY);
		if (!machine.memory[i])
			return -ENOMEM;
		memset(machine.memory[i], 0, PACKAGE_MEMORY);
	}
	for (i = 0; i < hw_dies(); i++)
		machine.dies[i].memory = machine.memory[machine.dies[i].package] +
					 machine.dies[i].number * DIE_MEMORY;
	return 0;
}

static void stop(void)
{
	int i;

	pci_stop();
	tpmi_stop();
	msr_stop();
	cpufreq_stop();
	control_stop();
	if (places)
		cpuhp_remove_state(places);
	for (i = 0; i < machine.packages; i++)
		if (machine.memory[i])
			iounmap((void __iomem __force *)machine.memory[i]);
}

static int __init start(void)
{
	static int (*const parts[])(void) = { set_transport, place_cpus, map_memory,
					      control_start, msr_start,	 cpufreq_start,
					      tpmi_start,    pci_start };
	int i, result = base ? 0 : -EINVAL;

	spin_lock_init(&machine.lock);
	for (i = 0; i < ARRAY_SIZE(parts) && !result; i++) {
		result = parts[i]();
		if (!result && parts[i] == map_memory)
			hw_reset();
	}
	if (result)
		stop();
	else
		pr_info("isst_hardware: %s, %d packages with %d dies of %d cores\n", transport,
			machine.packages, machine.dies_per_package, machine.cores_per_die);
	return result;
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("A server with Speed Select, played to the kernel's own drivers");
