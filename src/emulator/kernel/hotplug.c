/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs that go offline and come online, by their own file or by that of SMT. */
#include "emulator/firmware/firmware.h"
#include "emulator/kernel/cgroup.h"
#include "emulator/kernel/views.h"

#include <errno.h>
#include <string.h>

static bool is_last_online(const struct server *server, const struct platform_cpu *cpu)
{
	const struct platform *platform = server->platform;
	size_t i = 0;

	while (i < platform->cpu_count &&
	       (&platform->cpus[i] == cpu || !cpu_online(server, &platform->cpus[i])))
		i++;
	return i == platform->cpu_count;
}

static bool may_go_offline(const struct server *server, const struct platform_cpu *cpu)
{
	const struct isst_cpuset *refuse = server->platform->refuse_offline.set;

	return !is_last_online(server, cpu) && !(refuse && isst_cpuset_has(refuse, cpu->number));
}

bool die_is_online(const struct server *server, size_t domain)
{
	const struct platform_cpu *cpu = server->platform->domains[domain].first_cpu;

	while (cpu && !cpu_online(server, cpu))
		cpu = cpu->next_of_domain;
	return cpu;
}

/** Without TPMI the directory of a die's uncore went with its last CPU. It comes back with the
 * first one: the limits that are there then are its initial ones. */
static void uncore_cpu_online(struct server *server, const struct platform_cpu *cpu)
{
	struct domain_state *state = state_domain(server, cpu->domain);

	if (platform_is_tpmi(server->platform) || die_is_online(server, cpu->domain))
		return;
	state->initial_min_khz = state->uncore_min_khz;
	state->initial_max_khz = state->uncore_max_khz;
}

static int set_online(struct server *server, const struct platform_cpu *cpu, bool online)
{
	struct cpu_state *state = state_cpu(server, cpu);

	if (state->online == online)
		return 0;
	if (!online && !may_go_offline(server, cpu))
		return -EBUSY;
	if (online && !smt_allows(server, cpu))
		return -EPERM;
	if (online)
		uncore_cpu_online(server, cpu);
	state->online = online;
	if (online) {
		state->seen = 1;
		msr_cpu_online(server, cpu);
	}
	return groups_update(server);
}

int write_online(const struct place *place, const char *text)
{
	bool online;
	int result = parse_switch(text, &online);

	return result ? result : set_online(place->server, place->cpu, online);
}

/* Kernels that bring online only threads of cores of which the first thread is online: 7.3 does,
 * 6.12 brings all CPUs online. */
enum { KERNEL_CORES_ONLINE = KERNEL(7, 0), KERNEL_THREAD_COUNTS = KERNEL(6, 6) };

static bool core_is_online(const struct server *server, const struct platform_cpu *cpu)
{
	const struct platform *platform = server->platform;

	const struct platform_cpu *first = cpu;

	while (first > platform->cpus && !(first->first_of_core && first->domain == cpu->domain &&
					   first->core_id == cpu->core_id))
		first--;
	return cpu_online(server, first);
}

static int take_threads_offline(struct server *server)
{
	const struct platform *platform = server->platform;
	int result = 0;

	for (size_t i = 0; i < platform->cpu_count && !result; i++)
		if (!platform->cpus[i].first_of_core)
			result = set_online(server, &platform->cpus[i], false);
	return result;
}

static int bring_all_online(struct server *server)
{
	const struct platform *platform = server->platform;
	bool all = platform->kernel.value < KERNEL_CORES_ONLINE;
	int result = 0;

	for (size_t i = 0; i < platform->cpu_count && !result; i++)
		if (all || core_is_online(server, &platform->cpus[i]))
			result = set_online(server, &platform->cpus[i], true);
	return result;
}

/** Since 6.6 also the number of threads that a core is to have. */
static int parse_smt(const struct platform *platform, const char *text, uint32_t *wanted)
{
	uint64_t threads;

	for (*wanted = SMT_ON; *wanted <= SMT_FORCE_OFF; (*wanted)++)
		if (strcmp(text, smt_controls[*wanted]) == 0)
			return 0;
	if (platform->kernel.value < KERNEL_THREAD_COUNTS ||
	    parse_number(text, 10, INT32_MAX, &threads) || (threads != 1 && threads != 2))
		return -EINVAL;
	*wanted = threads == 1 ? SMT_OFF : SMT_ON;
	return 0;
}

/** What is so already changes nothing. Once forced off it stays off until the next boot. */
int write_smt(const struct place *place, const char *text)
{
	struct server *server = place->server;
	uint32_t wanted, before = server->state->smt;
	int result;

	if (before == SMT_FORCE_OFF)
		return -EPERM;
	if (before > SMT_FORCE_OFF)
		return -ENODEV;
	result = parse_smt(server->platform, text, &wanted);
	if (result || wanted == before)
		return result;
	if (wanted == SMT_ON) {
		server->state->smt = wanted;
		return bring_all_online(server);
	}
	result = take_threads_offline(server);
	if (!result)
		server->state->smt = wanted;
	return result;
}
