/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs that go offline and come online, by their own file or by that of SMT. */
#include "emulator/firmware/firmware.h"
#include "emulator/kernel/cgroup.h"
#include "emulator/kernel/views.h"

#include <errno.h>
#include <string.h>

static size_t count_online(const struct server *server)
{
	size_t count = 0;

	for (size_t i = 0; i < server->platform->cpu_count; i++)
		count += cpu_online(server, &server->platform->cpus[i]);
	return count;
}

static bool may_go_offline(const struct server *server, const struct platform_cpu *cpu)
{
	const struct isst_cpuset *refuse = server->platform->refuse_offline.set;

	return count_online(server) > 1 && !(refuse && isst_cpuset_has(refuse, cpu->number));
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

/** The second threads of cores: off takes them offline, on brings them back. */
static int set_siblings(struct server *server, bool online)
{
	const struct platform *platform = server->platform;
	int result = 0;

	for (size_t i = 0; i < platform->cpu_count && !result; i++)
		if (!platform->cpus[i].first_of_core)
			result = set_online(server, &platform->cpus[i], online);
	return result;
}

/** Once forced off it stays off until the next boot. */
int write_smt(const struct place *place, const char *text)
{
	struct server *server = place->server;
	uint32_t wanted = SMT_ON, before = server->state->smt;
	int result;

	while (wanted <= SMT_FORCE_OFF && strcmp(text, smt_controls[wanted]) != 0)
		wanted++;
	if (wanted > SMT_FORCE_OFF)
		return -EINVAL;
	if (before == SMT_FORCE_OFF)
		return -EPERM;
	if (before > SMT_FORCE_OFF)
		return -ENODEV;
	if (wanted == SMT_ON)
		server->state->smt = wanted;
	result = set_siblings(server, wanted == SMT_ON);
	if (!result)
		server->state->smt = wanted;
	return result;
}
