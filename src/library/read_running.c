/* SPDX-License-Identifier: BSD-3-Clause */
/* What CPUs run at, and whether the machine is still the one that was discovered, as programs see
 * it. */
#include "base/messages.h"
#include "features/running.h"
#include "library/read_kind.h"
#include "sysfs/limit_reasons.h"
#include "sysfs/undisturbed.h"

#include <errno.h>

_Static_assert(ISST_LIMIT_OTHER == (int)LIMIT_WORDS, "the last reason is behind the words");

static int read_frequencies(struct isst_context *context, void *structs, size_t count)
{
	return frequencies_read(context, structs, count);
}

static int read_reasons(struct isst_context *context, void *structs, size_t count)
{
	return reasons_read(context, structs, count);
}

int isst_read_frequencies(struct isst_context *context, const struct isst_targets *targets,
			  const struct isst_request *request, unsigned int flags,
			  struct isst_results **results)
{
	static const struct read_kind KIND = { READ_KIND(struct cpu_running, cpu, read_frequencies,
							 CARRIES(RUNNING)),
					       .needs_success = true };

	return read_cpus(&KIND, context, targets, request, flags, results);
}

int isst_read_limit_reasons(struct isst_context *context, const struct isst_targets *targets,
			    const struct isst_request *request, unsigned int flags,
			    struct isst_results **results)
{
	static const struct read_kind KIND = { READ_KIND(struct cpu_running, cpu, read_reasons,
							 CARRIES(REASONS)),
					       .needs_success = true };

	return read_cpus(&KIND, context, targets, request, flags, results);
}

static int read_power(struct isst_context *context, void *structs, size_t count)
{
	return power_read(context, structs, count);
}

int isst_read_power(struct isst_context *context, const struct isst_targets *targets,
		    const struct isst_request *request, unsigned int flags,
		    struct isst_results **results)
{
	static const struct read_kind KIND = { READ_KIND(struct domain_power, domain, read_power,
							 CARRIES(POWER)),
					       .needs_success = true };

	return read_domains(&KIND, context, targets, request, flags, results);
}

const char *isst_limit_reason_name(int reason)
{
	if (reason == ISST_LIMIT_OTHER)
		return "OTHER";
	return reason >= 0 && reason < (int)LIMIT_WORDS ? limit_words[reason] : NULL;
}

/* ---- Sets of CPUs ---- */

int isst_undisturbed_cpus(struct isst_context *context, struct isst_cpuset **cpus)
{
	const char *before;
	int error;

	if (!context || !cpus)
		return context_refuse(context, "there is nowhere to put the CPUs (NULL)");
	*cpus = isst_cpuset_new();
	if (!*cpus)
		return call_no_memory(context);
	before = message_begin(&context->messages);
	error = message_end(&context->messages, before, undisturbed_cpus(&context->files, *cpus));
	if (error) {
		isst_cpuset_free(*cpus);
		*cpus = NULL;
	}
	return error;
}

/** Whether a list of the kernel has other CPUs than a set. Returns 1, 0 or a negative errno. */
static int differs(struct isst_context *context, const char *path, const struct isst_cpuset *than)
{
	struct isst_cpuset *now = isst_cpuset_new();
	unsigned int cpu;
	int result = now ? kernel_files_cpulist(&context->files, path, now) : -ENOMEM;

	if (result == -ENOENT)
		result = message_error(&context->messages, -EIO, "%s does not exist", path);
	if (!result)
		result = isst_cpuset_count(now) != isst_cpuset_count(than);
	for (cpu = 0; !result && isst_cpuset_next(now, cpu, &cpu); cpu++)
		result = !isst_cpuset_has(than, cpu);
	isst_cpuset_free(now);
	return result;
}

static int cpus_changed(struct isst_context *context)
{
	int result = context_check_discovered(context);

	if (!result)
		result = differs(context, CPU_DIRECTORY "/online", isst_online_cpus(context));
	if (!result)
		result = differs(context, CPU_DIRECTORY "/present", isst_present_cpus(context));
	return result;
}

int isst_cpus_changed(struct isst_context *context)
{
	const char *before;
	int result;

	if (!context)
		return -EINVAL;
	before = message_begin(&context->messages);
	result = cpus_changed(context);
	message_end(&context->messages, before, result < 0 ? result : 0);
	return result;
}
