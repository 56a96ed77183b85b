/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TPMI requests as callers meet them: with faults, counts, and errors as drivers mask them. What
 * they do is the firmware's business.
 */
#include "emulator/firmware/tpmi.h"
#include "emulator/front/front.h"
#include "emulator/front/launch_files.h"

#include <errno.h>

/** Which package and domain an event is about; @power_domain NULL: a whole package. */
static void describe_place(const struct server *server, unsigned int socket,
			   const unsigned int *power_domain, struct fault_event *event)
{
	const struct platform *platform = server->platform;
	const size_t first = tpmi_find_socket(server, socket);
	size_t index;

	if (first < platform->domain_count && platform->domains[first].socket == socket)
		fault_event_set(event, NUMBER_PACKAGE, platform->domains[first].package);
	if (!power_domain)
		return;
	fault_event_set(event, NUMBER_POWER_DOMAIN, *power_domain);
	if (tpmi_find_slot(server, socket, *power_domain, &index))
		fault_event_set(event, NUMBER_DIE, platform->domains[index].die);
}

/** Looks for a rule and counts. Returns whether the request is to be carried out, with the effect
 * of the rule on the firmware. */
static bool begin_request(struct emulated *emulated, const struct fault_event *event,
			  struct fault_effect *effect, struct tpmi_conduct *conduct, int *result)
{
	*effect = faults_find(&emulated->faults, event);
	*result = 0;
	state_count(&emulated->server.head->statistics.commands, 1);
	*conduct = (struct tpmi_conduct){ TPMI_ACTS, 0 };
	switch (effect->action) {
	case ACTION_ERROR:
		*result = -(int)effect->value;
		return false;
	case ACTION_RETURN:
		*result = (int)effect->value;
		return false;
	case ACTION_IGNORED:
		return false;
	case ACTION_REFUSED:
		*conduct = (struct tpmi_conduct){ TPMI_REFUSES, effect->value };
		return true;
	case ACTION_DEFERRED:
		*conduct = (struct tpmi_conduct){ TPMI_DEFERS, effect->value };
		return true;
	default:
		return true;
	}
}

/** After a request was carried out. @store: now, before a rule's signal may end the process. */
static int end_request(struct server *server, const struct fault_event *event,
		       const struct fault_effect *effect, bool store, int result)
{
	if (event->change && store && state_store(server))
		result = -EIO;
	if (!result && event->change)
		state_count(&server->head->statistics.writes, 1);
	faults_finish(effect);
	return tpmi_masked(server, result);
}

static int run_association(struct emulated *emulated, struct abi_clos_assoc *one, bool set)
{
	struct fault_event event = { .place = FAULT_TPMI, .command = true, .change = set };
	const unsigned int power_domain = one->power_domain_id;
	struct server *server = &emulated->server;
	struct tpmi_conduct conduct;
	struct fault_effect effect;
	int result;

	fault_event_set(&event, NUMBER_WHICH, ABI_CLOS_ASSOC);
	fault_event_set(&event, NUMBER_SET, set);
	fault_event_set(&event, NUMBER_DATA, one->logical_cpu);
	describe_place(server, one->socket_id, &power_domain, &event);
	if (!begin_request(emulated, &event, &effect, &conduct, &result))
		return result;
	result = tpmi_associate(server, one, set, &conduct);
	return end_request(server, &event, &effect, emulated->faults.count > 0, result);
}

/** All or an error, never a count; what comes before a failing entry has been done. Without rules,
 * which act between entries, it is stored once. */
static int run_associations(struct emulated *emulated, struct abi_clos_assoc_cmds *batch)
{
	int result = tpmi_associations_mistake(&emulated->server, batch);

	if (result)
		return tpmi_masked(&emulated->server, result);
	for (unsigned int i = 0; i < batch->cmd_count && !result; i++)
		result = run_association(emulated, &batch->assoc_info[i], batch->get_set);
	if (batch->get_set && state_store(&emulated->server))
		result = -EIO;
	return result;
}

bool tpmi_layout(const struct server *server, unsigned long code, struct request_layout *layout)
{
	bool batch = code == ABI_CLOS_ASSOC;

	*layout = (struct request_layout){
		.head = batch ? offsetof(struct abi_clos_assoc_cmds, assoc_info)
			      : tpmi_request_size(code),
		.entry = batch ? sizeof(struct abi_clos_assoc) : 0,
		.count_bytes = sizeof(uint16_t),
		.most = TPMI_MOST_ASSOCIATIONS,
		.all_or_error = true,
		.fault = tpmi_masked(server, -EFAULT),
	};
	return layout->head;
}

int tpmi_request(struct emulated *emulated, unsigned long code, void *argument)
{
	struct server *server = &emulated->server;
	struct fault_event event = { .place = FAULT_TPMI, .command = true };
	struct tpmi_subject subject;
	struct tpmi_conduct conduct;
	struct fault_effect effect;
	int result;

	if (!argument)
		return tpmi_masked(server, -EFAULT);
	if (code == ABI_CLOS_ASSOC)
		return run_associations(emulated, argument);
	subject = tpmi_subject(server, code, argument);
	event.change = subject.sets;
	fault_event_set(&event, NUMBER_WHICH, code);
	fault_event_set(&event, NUMBER_SET, subject.sets);
	describe_place(server, subject.socket, subject.has_domain ? &subject.power_domain : NULL,
		       &event);
	if (subject.has_data)
		fault_event_set(&event, NUMBER_DATA, subject.data);
	if (!begin_request(emulated, &event, &effect, &conduct, &result))
		return result;
	result = tpmi_run(server, code, argument, &conduct);
	return end_request(server, &event, &effect, true, result);
}
