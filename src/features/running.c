/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what CPUs run at, and what has limited them. Writes nothing. */
#include "features/running.h"
#include "base/messages.h"
#include "sysfs/cpufreq.h"
#include "sysfs/limit_reasons.h"

#include <errno.h>

enum { KHZ_PER_MHZ = 1000 };

/* ---- Frequencies ---- */

static int read_frequency(struct isst_context *context, struct cpu_running *cpu)
{
	uint64_t khz = 0;
	int error = cpufreq_read(&context->files, cpu->cpu->number, "scaling_cur_freq", &khz);

	if (error == -ENOMEM)
		return error;
	cpu->mhz = (unsigned int)(khz / KHZ_PER_MHZ);
	if (error == -ENOENT)
		message_failure(&context->messages, &cpu->failure, -EOPNOTSUPP,
				"CPU %u: cpufreq has no frequency for it", cpu->cpu->number);
	else if (error)
		message_failure(&context->messages, &cpu->failure, error, "CPU %u: %s",
				cpu->cpu->number, isst_error(context));
	return 0;
}

static int read_frequencies(struct isst_context *context, struct cpu_running *cpus, size_t count)
{
	int error = context_check_discovered(context);

	for (size_t i = 0; i < count && !error; i++) {
		cpus[i] = (struct cpu_running){ .cpu = cpus[i].cpu };
		if (context_accepts_cpu(context, cpus[i].cpu, &cpus[i].failure))
			error = read_frequency(context, &cpus[i]);
	}
	return error;
}

int frequencies_read(struct isst_context *context, struct cpu_running *cpus, size_t count)
{
	const char *before = message_begin(&context->messages);

	return message_end(&context->messages, before, read_frequencies(context, cpus, count));
}

/* ---- Reasons ---- */

static void take_reasons(struct cpu_running *cpus, size_t count, unsigned int number,
			 uint64_t reasons)
{
	for (size_t i = 0; i < count; i++)
		if (cpus[i].cpu->number == number)
			cpus[i].reasons = reasons;
}

/** Takes the lines of a file, the first of which is that of the domain: it is meant for all CPUs
 * where the others have no words. Returns the number of the lines. */
static size_t take_file(const struct limit_reasons *reasons, size_t first, struct cpu_running *cpus,
			size_t count)
{
	uint64_t all = limit_words_of(reasons->lines[first].words);
	size_t end = first + 1;

	for (; end < reasons->count && !reasons->lines[end].of_domain; end++)
		if (*reasons->lines[end].words)
			all = 0;
	for (size_t i = first + 1; i < end; i++) {
		const struct limit_line *line = &reasons->lines[i];

		if (all || *line->words)
			take_reasons(cpus, count, line->cpu,
				     all ? all : limit_words_of(line->words));
	}
	return end - first;
}

/** Files that do not exist, or must not be read, are the same for all CPUs. */
static void fail_all(struct isst_context *context, int error, struct cpu_running *cpus,
		     size_t count)
{
	struct messages *messages = &context->messages;

	for (size_t i = 0; i < count; i++)
		if (cpus[i].failure.error)
			continue;
		else if (error == -ENOENT)
			message_failure(messages, &cpus[i].failure, -EOPNOTSUPP,
					"performance limit reasons are not known on this kernel: "
					"they need a TPMI server, debugfs, and intel_plr_tpmi of "
					"Linux 6.11 or later");
		else
			message_failure(messages, &cpus[i].failure, error, "%s",
					isst_error(context));
}

static int read_reasons(struct isst_context *context, struct cpu_running *cpus, size_t count)
{
	struct limit_reasons reasons = { 0 };
	int error = context_check_discovered(context);

	if (error || count == 0)
		return error;
	for (size_t i = 0; i < count; i++) {
		cpus[i] = (struct cpu_running){ .cpu = cpus[i].cpu };
		context_accepts_cpu(context, cpus[i].cpu, &cpus[i].failure);
	}
	error = context_has_power_domains(context)
			? limit_reasons_read(&context->files, context->topology->online, &reasons)
			: -ENOENT;
	if (error && error != -ENOMEM) {
		fail_all(context, error, cpus, count);
		error = 0;
	} else if (!error) {
		for (size_t i = 0; i < reasons.count;)
			i += take_file(&reasons, i, cpus, count);
	}
	limit_reasons_clear(&reasons);
	return error;
}

int reasons_read(struct isst_context *context, struct cpu_running *cpus, size_t count)
{
	const char *before = message_begin(&context->messages);

	return message_end(&context->messages, before, read_reasons(context, cpus, count));
}
