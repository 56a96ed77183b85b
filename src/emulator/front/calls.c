/* SPDX-License-Identifier: BSD-3-Clause */
/* What every driver call and file operation begins and ends with, and what its caller may do. */
#include "base/runtime_file.h"
#include "emulator/firmware/firmware.h"
#include "emulator/front/front.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- What firmware has accepted before and put off ---- */

/** Carries out what firmware has accepted before and put off. The lock must be held. */
static int run_deferred(struct server *server)
{
	const uint32_t before = server->state->deferred_count;
	struct deferred due;

	server->replaying = true;
	while (deferred_take_due(server, &due)) {
		void *entry = due.entry;

		if (due.request == ABI_MAILBOX_COMMAND)
			mailbox_run(server, entry);
		else if (due.request == ABI_IO_COMMAND)
			mmio_run(server, entry);
		else if (due.request == ABI_MSR_COMMAND)
			msr_run(server, entry);
		else
			tpmi_run_deferred(server, (unsigned long)due.request, entry);
	}
	server->replaying = false;
	return server->state->deferred_count != before && state_store(server) ? -EIO : 0;
}

/* ---- Calls ---- */

int call_begin(struct emulated *emulated)
{
	int result;

	/* If it is held, it is this call's from now on, or lost. */
	emulated->kept = false;
	result = state_lock(&emulated->server);
	if (result)
		return result;
	result = run_deferred(&emulated->server);
	if (!result)
		result = faults_load(&emulated->faults, &emulated->server, NULL);
	if (!result)
		return 0;
	state_unlock(&emulated->server);
	return runtime_file_is_shortage(result) ? result : -EIO;
}

static bool is_given(const struct agent_action *action, enum fault_number number, uint64_t value)
{
	return !action->given[number] || action->number[number] == value;
}

/** What a fault rule lets another agent do between this call and the next one. */
static void run_agent(struct server *server, const struct agent_action *action)
{
	const struct platform *platform = server->platform;
	char *line;
	int result;

	for (size_t i = 0; i < platform->domain_count && action->kind == AGENT_SETS_LEVEL; i++) {
		const struct platform_domain *domain = &platform->domains[i];

		if (is_given(action, NUMBER_PACKAGE, domain->package) &&
		    is_given(action, NUMBER_DIE, domain->die) &&
		    is_given(action, NUMBER_POWER_DOMAIN, domain->power_domain))
			firmware_change_level(server, i, (unsigned int)action->level);
	}
	if (action->kind != AGENT_WRITES)
		return;
	result = kernel_write(server, action->path, action->content, strlen(action->content));
	if (!result || asprintf(&line, "emulator: a fault rule could not write %s: %s",
				action->path, strerror(-result)) < 0)
		return;
	directory_log(server->directory, line);
	free(line);
}

void call_end(struct emulated *emulated)
{
	const struct agent_action *action;

	while ((action = faults_take_agent(&emulated->faults))) {
		run_agent(&emulated->server, action);
		state_store(&emulated->server);
	}
	state_unlock(&emulated->server);
	kernel_send_events(&emulated->server);
}

/* ---- Privileges: the owner of the state is root, unless a fault rule changes that ---- */

/** Only the initial namespace maps every id onto itself. */
static bool in_initial_namespace(void)
{
	static const char *const identity[] = { "0", "0", "4294967295" };
	char *map, *rest;
	bool initial = true;
	size_t size;

	if (text_read(AT_FDCWD, "/proc/self/uid_map", &map, &size))
		return true; /* a kernel without user namespaces */
	for (size_t i = 0; i < sizeof(identity) / sizeof(*identity) && initial; i++) {
		const char *word = strtok_r(i ? NULL : map, " \n", &rest);

		initial = word && strcmp(word, identity[i]) == 0;
	}
	free(map);
	return initial;
}

/** Returns 1, 0 or a negative errno. The lock must be held. */
static int caller_capable(const struct emulated *emulated, int capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };
	enum fault_action action = faults_capability(&emulated->faults, capability);

	if (action != ACTION_REAL)
		return action != ACTION_DENIED;
	if (capability < 0 || capability > CAP_LAST_CAP)
		return -EINVAL;
	/* A program that was started here is never in the initial namespace. */
	if (faults_caller())
		return 0;
	if (syscall(SYS_capget, &header, data))
		return -errno;
	return data[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability) &&
	       in_initial_namespace();
}

bool caller_may_administer(struct server *server)
{
	return server->replaying ||
	       caller_capable((const struct emulated *)server, CAP_SYS_ADMIN) == 1;
}

int machine_capable(void *data, int capability)
{
	struct emulated *emulated = data;
	int result = call_begin(emulated);

	if (result)
		return result;
	result = caller_capable(emulated, capability);
	call_end(emulated);
	return result;
}
