/* SPDX-License-Identifier: BSD-3-Clause */
/* What every driver call and file operation begins with, and ends. */
#include "emulator/firmware/firmware.h"
#include "emulator/front/front.h"
#include "emulator/model/text.h"
#include "emulator/state/directory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int call_begin(struct emulated *emulated)
{
	int result;

	/* If it is held, it is this call's from now on, or lost. */
	emulated->kept = false;
	result = state_lock(&emulated->server);
	if (result)
		return result;
	result = deferred_run_due(&emulated->server);
	if (!result)
		result = faults_load(&emulated->faults, &emulated->server, NULL);
	if (!result)
		return 0;
	state_unlock(&emulated->server);
	return is_shortage(result) ? result : -EIO;
}

/** Whether an action is about a domain: all numbers that it names are the domain's. */
static bool is_about(const struct agent_action *action, const struct platform_domain *domain)
{
	return (!action->given[NUMBER_PACKAGE] ||
		action->number[NUMBER_PACKAGE] == domain->package) &&
	       (!action->given[NUMBER_DIE] || action->number[NUMBER_DIE] == domain->die) &&
	       (!action->given[NUMBER_POWER_DOMAIN] ||
		action->number[NUMBER_POWER_DOMAIN] == domain->power_domain);
}

static void set_levels(struct server *server, const struct agent_action *action)
{
	const struct platform *platform = server->platform;

	for (size_t i = 0; i < platform->domain_count; i++)
		if (is_about(action, &platform->domains[i]))
			firmware_change_level(server, i, (unsigned int)action->level);
}

static void write_file(struct server *server, const struct agent_action *action)
{
	int result = kernel_write(server, action->path, action->content, strlen(action->content));
	char *line;

	if (!result || asprintf(&line, "emulator: a fault rule could not write %s: %s",
				action->path, strerror(-result)) < 0)
		return;
	directory_log(server->directory, line);
	free(line);
}

/** What fault rules let other agents do between this call and the next one. */
static void run_agents(struct emulated *emulated)
{
	struct server *server = &emulated->server;
	const struct agent_action *action;

	while ((action = faults_take_agent(&emulated->faults))) {
		if (action->kind == AGENT_SETS_LEVEL)
			set_levels(server, action);
		else
			write_file(server, action);
		state_store(server);
	}
}

void call_end(struct emulated *emulated)
{
	run_agents(emulated);
	state_unlock(&emulated->server);
	kernel_send_events(&emulated->server);
}
