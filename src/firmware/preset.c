/* SPDX-License-Identifier: BSD-3-Clause */
/* Cascade Lake-N (docs/internals/platforms.md): the BIOS has set SST-BF, and nothing can be
 * changed. Values are read from cpufreq when they are planned; everything else is refused. */
#include "base/messages.h"
#include "driver/driver.h"
#include "firmware/batch.h"
#include "firmware/firmware.h"
#include "sysfs/cpufreq.h"
#include "sysfs/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const BASE_FREQUENCY = "base_frequency";

/** Whether two CPUs have different base frequencies. */
static int base_frequencies_differ(struct kernel_files *files, const struct isst_cpuset *cpus,
				   bool *differ)
{
	uint64_t first_khz = 0, khz;
	unsigned int cpu;

	*differ = false;
	isst_cpuset_for_each (cpu, cpus) {
		int error = cpufreq_read(files, cpu, BASE_FREQUENCY, &khz);

		if (error == -ENOENT)
			continue;
		if (error)
			return error;
		if (first_khz == 0)
			first_khz = khz;
		*differ = khz != first_khz;
		if (*differ)
			break;
	}
	return 0;
}

int preset_find_by_name(struct firmware *firmware, bool *preset)
{
	static const char *const MODELS[] = { "6252N", "6230N", "5218N" };
	char *model_name;
	int error = model_name_read(firmware->files, &model_name);

	*preset = false;
	for (size_t i = 0; !error && model_name && i < sizeof(MODELS) / sizeof(MODELS[0]); i++)
		*preset |= strstr(model_name, MODELS[i]) != NULL;
	free(model_name);
	return error;
}

int preset_find_by_frequencies(struct firmware *firmware, int connected, bool *preset)
{
	struct abi_mbox_cmd summary = { .command = 0x7f, .sub_command = 0x00 };
	struct isst_cpuset *online;
	bool mailbox;
	int error;

	*preset = false;
	if (connected && connected != -EOPNOTSUPP)
		return connected;
	online = isst_cpuset_new();
	if (!online)
		return -ENOMEM;
	error = kernel_files_cpulist(firmware->files, CPU_DIRECTORY "/online", online);
	/* Discovery reports what is wrong with these lists. */
	mailbox = !connected && error;
	if (!connected && !error && isst_cpuset_next(online, 0, &summary.logical_cpu)) {
		/* A mailbox that is busy, or fails, exists. */
		driver_mailbox(firmware->driver, &summary, &error, 1, BATCH_READS);
		mailbox = error != -ENXIO && error != -EINVAL && error != -ENOTTY;
	}
	error = mailbox ? 0 : base_frequencies_differ(firmware->files, online, preset);
	isst_cpuset_free(online);
	if (error || mailbox || *preset)
		return error;
	return message_error(
		firmware->messages, -EOPNOTSUPP,
		"this Cascade Lake processor (stepping %u) has no accessible Speed Select: it is "
		"not a model whose base frequencies the BIOS sets (6252N, 6230N, 5218N), its CPUs "
		"all have the same base_frequency, and its mailbox does not answer (%s)",
		firmware->platform->stepping,
		connected && firmware->messages->error ? firmware->messages->error
						       : "the firmware refuses to report levels");
}

static const char *trl_type_name(const struct isst_platform *platform, unsigned int type)
{
	(void)platform;
	(void)type;
	return NULL;
}

/** The one level cannot be left. */
static int plan_perf_profile(struct firmware_batch *batch, struct isst_perf_profile *profile)
{
	(void)batch;
	profile->locked = true;
	return 0;
}

static int plan_core_power(struct firmware_batch *batch, struct isst_core_power *state)
{
	(void)batch;
	state->supported = false;
	return 0;
}

static int plan_features(struct firmware_batch *batch, const struct isst_domain *domain,
			 unsigned int level, struct level_features *features)
{
	(void)batch;
	(void)domain;
	(void)level;
	features->base_freq_supported = features->base_freq_on = true;
	return 0;
}

static void note_file_error(struct firmware *firmware, const struct isst_domain *domain, int error,
			    struct isst_failure *failure)
{
	message_failure(firmware->messages, failure, of_domain(domain), error, "%s: %s",
			domain->name,
			firmware->messages->error ? firmware->messages->error : strerror(-error));
}

/** Base frequencies of a domain's CPUs, and the CPUs with the highest. */
struct base_frequencies {
	uint64_t high_khz, low_khz; /* 0 where no CPU has any */
	struct isst_cpuset *high;
};

/** Offline CPUs have no frequencies. */
static int read_base_frequencies(struct firmware *firmware, const struct isst_domain *domain,
				 struct base_frequencies *base)
{
	unsigned int cpu;
	int error = 0;

	isst_cpuset_for_each (cpu, domain->online) {
		uint64_t khz;

		error = cpufreq_read(firmware->files, cpu, BASE_FREQUENCY, &khz);
		if (error == -ENOENT) {
			error = 0;
			continue;
		}
		if (error)
			break;
		if (khz > base->high_khz) {
			isst_cpuset_free(base->high);
			base->high = isst_cpuset_new();
			base->high_khz = khz;
		}
		if (base->low_khz == 0 || khz < base->low_khz)
			base->low_khz = khz;
		if (khz == base->high_khz)
			error = base->high ? isst_cpuset_add(base->high, cpu, cpu) : -ENOMEM;
		if (error)
			break;
	}
	return error;
}

static struct isst_value in_mhz(uint64_t khz)
{
	return (struct isst_value){ ISST_KNOWN, (unsigned int)(khz / KHZ_PER_MHZ) };
}

static int plan_base_freq(struct firmware_batch *batch, struct level_request *request)
{
	const struct isst_domain *domain = request->level->domain;
	struct isst_base_freq *result = &request->level->base_freq_info;
	struct firmware *firmware = batch->firmware;
	struct base_frequencies base = { 0 };
	int error = read_base_frequencies(firmware, domain, &base);

	if (!error && base.high_khz > 0) {
		result->high_mhz = in_mhz(base.high_khz);
		result->low_mhz = in_mhz(base.low_khz);
		result->high_priority = base.high;
		return 0;
	}
	isst_cpuset_free(base.high);
	if (error == -ENOMEM)
		return error;
	if (error)
		note_file_error(firmware, domain, error, &result->failure);
	else
		message_failure(firmware->messages, &result->failure, of_domain(domain),
				-EOPNOTSUPP,
				"%s: its CPUs have no base_frequency in cpufreq, which needs "
				"intel_pstate with hardware-controlled performance states (HWP)",
				domain->name);
	return 0;
}

/** The nominal ratio in a model name such as `... CPU @ 2.30GHz`, rounded down; 0: it has none. */
static unsigned int ratio_in_name(const char *model_name)
{
	const char *text = model_name ? strstr(model_name, "@ ") : NULL;
	unsigned int ratio = 0;

	if (!text)
		return 0;
	for (text += 2; *text >= '0' && *text <= '9' && ratio < 10; text++)
		ratio = ratio * 10 + (unsigned int)(*text - '0');
	ratio *= 10;
	if (text[0] != '.' || text[1] < '0' || text[1] > '9')
		return 0;
	ratio += (unsigned int)(text[1] - '0');
	text += 2;
	text += strspn(text, "0123456789");
	return strcmp(text, "GHz") == 0 ? ratio : 0;
}

/** Without a frequency in the name the lowest base frequency stands for the nominal one. */
static int plan_properties(struct firmware_batch *batch, struct level_request *request)
{
	struct isst_level *level = request->level;
	struct firmware *firmware = batch->firmware;
	struct base_frequencies base = { 0 };
	char *model_name = NULL;
	unsigned int ratio;
	int error = model_name_read(firmware->files, &model_name);

	ratio = ratio_in_name(model_name);
	free(model_name);
	if (!error && ratio == 0) {
		error = read_base_frequencies(firmware, level->domain, &base);
		ratio = (unsigned int)(base.low_khz / KHZ_PER_MHZ / 100);
		isst_cpuset_free(base.high);
	}
	if (error == -ENOMEM)
		return error;
	if (error)
		note_file_error(firmware, level->domain, error, &level->failure);
	else if (ratio > 0)
		level->tdp_ratio = (struct isst_value){ ISST_KNOWN, ratio };
	level->cpus = isst_cpuset_new();
	return level->cpus ? isst_cpuset_add_set(level->cpus, level->domain->present) : -ENOMEM;
}

static int plan_setting(struct firmware_batch *batch, const struct setting_request *request)
{
	message_failure(batch->firmware->messages, request->failure, of_domain(request->domain),
			-EOPNOTSUPP,
			"%s: Speed Select of this processor is configured by the BIOS: only "
			"base-freq is supported, and it cannot be enabled or disabled",
			request->domain->name);
	return 0;
}

const struct firmware_operations preset_operations = {
	.thread_bits = 1,
	.cores_of_kernel = true,
	.trl_type_name = trl_type_name,
	.plan_perf_profile = plan_perf_profile,
	.plan_core_power_switch = plan_core_power,
	.plan_core_power = plan_core_power,
	.plan_features = plan_features,
	.plan_properties = plan_properties,
	.plan_base_freq = plan_base_freq,
	.plan_get = plan_setting,
	.plan_set = plan_setting,
};
