// SPDX-License-Identifier: BSD-3-Clause
/*
 * The cpufreq driver that such a server has and QEMU has not: it limits nothing, but shows
 * base_frequency, which follows the level and SST-BF, keeps scaling limits, and has no_turbo, with
 * which no CPU gets beyond its base frequency: then that is its cpuinfo_max_freq.
 */
#include <linux/cpu.h>
#include <linux/cpufreq.h>
#include <linux/version.h>
#include <linux/workqueue.h>

#include "hardware.h"

#define KHZ_PER_RATIO 100000
#define MIN_KHZ 800000
#define MAX_KHZ 4200000

static bool registered, turbo_off;
static struct delayed_work follow_work;

static unsigned int highest_khz(int cpu)
{
	return turbo_off ? hw_base_ratio(&machine.cpus[cpu]) * KHZ_PER_RATIO : MAX_KHZ;
}

/* What firmware changes reaches the driver by an interrupt; here it looks, while that matters. */
static void follow(struct work_struct *work)
{
	int cpu;

	for_each_possible_cpu (cpu) {
		struct cpufreq_policy *policy = cpufreq_cpu_get(cpu);
		bool moved = policy && policy->cpuinfo.max_freq != highest_khz(cpu);

		if (moved)
			policy->cpuinfo.max_freq = highest_khz(cpu);
		if (policy)
			cpufreq_cpu_put(policy);
		if (moved)
			cpufreq_update_policy(cpu);
	}
	if (turbo_off)
		schedule_delayed_work(&follow_work, msecs_to_jiffies(10));
}

static int start_policy(struct cpufreq_policy *policy)
{
	cpumask_copy(policy->cpus, cpumask_of(policy->cpu));
	policy->cpuinfo.min_freq = policy->min = MIN_KHZ;
	policy->cpuinfo.max_freq = policy->max = highest_khz(policy->cpu);
	policy->cur = MIN_KHZ;
	policy->policy = CPUFREQ_POLICY_PERFORMANCE;
	return 0;
}

static int verify(struct cpufreq_policy_data *policy)
{
	cpufreq_verify_within_cpu_limits(policy);
	return 0;
}

static int set_policy(struct cpufreq_policy *policy)
{
	return 0;
}

static ssize_t show_base_frequency(struct cpufreq_policy *policy, char *text)
{
	return sprintf(text, "%u\n", hw_base_ratio(&machine.cpus[policy->cpu]) * KHZ_PER_RATIO);
}

static struct freq_attr base_frequency = __ATTR(base_frequency, 0444, show_base_frequency, NULL);
static struct freq_attr *attributes[] = { &base_frequency, NULL };

static struct cpufreq_driver driver = {
	.name = "intel_pstate",
	.init = start_policy,
	.verify = verify,
	.setpolicy = set_policy,
	.attr = attributes,
};

static ssize_t no_turbo_show(struct kobject *object, struct kobj_attribute *attribute, char *text)
{
	return sprintf(text, "%d\n", turbo_off);
}

static ssize_t no_turbo_store(struct kobject *object, struct kobj_attribute *attribute,
			      const char *text, size_t size)
{
	int result = kstrtobool(text, &turbo_off);

	if (result)
		return result;
	mod_delayed_work(system_wq, &follow_work, 0);
	return size;
}

static struct kobj_attribute no_turbo = __ATTR_RW(no_turbo);
static struct kobject *directory;

static struct kobject *cpu_directory(void)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
	return &cpu_subsys.dev_root->kobj;
#else
	return &bus_get_dev_root(&cpu_subsys)->kobj;
#endif
}

int cpufreq_start(void)
{
	int result;

	INIT_DELAYED_WORK(&follow_work, follow);
	result = cpufreq_register_driver(&driver);
	registered = !result;
	if (result)
		return result;
	directory = kobject_create_and_add("intel_pstate", cpu_directory());
	return directory ? sysfs_create_file(directory, &no_turbo.attr) : -ENOMEM;
}

void cpufreq_stop(void)
{
	kobject_put(directory);
	directory = NULL;
	turbo_off = false;
	if (registered)
		cancel_delayed_work_sync(&follow_work);
	if (registered)
		cpufreq_unregister_driver(&driver);
	registered = false;
}
