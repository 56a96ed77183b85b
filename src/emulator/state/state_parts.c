/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the parts of a state are in its copy, one behind the other. Nothing of the file. */
#include "emulator/state/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

size_t state_fixed_size(const struct platform *platform)
{
	return sizeof(struct state) + platform->domain_count * sizeof(struct domain_state) +
	       platform->register_count * sizeof(uint64_t) +
	       platform->cpu_count * sizeof(struct cpu_state);
}

bool state_fits(const struct platform *platform, const struct state *state, size_t size)
{
	return size >= sizeof(*state) && state->domain_count == platform->domain_count &&
	       state->cpu_count == platform->cpu_count &&
	       state->register_count == platform->register_count &&
	       size == state_fixed_size(platform) + state->kept_count * sizeof(struct kept_set) +
			       state->deferred_count * sizeof(struct deferred) +
			       state->group_bytes &&
	       /* Words, which lead to something by their number. */
	       state->smt <= SMT_NOT_IMPLEMENTED && state->no_turbo <= 1;
}

void state_touch(const struct server *server, const void *part, size_t size)
{
	const size_t at = (size_t)((const char *)part - (const char *)server->state);

	/* A new state, or one that is too large for the file, is stored as a whole. */
	if (!server->head || at + size > server->head->capacity)
		return;
	for (size_t i = at / STATE_BLOCK_BYTES; size && i <= (at + size - 1) / STATE_BLOCK_BYTES;
	     i++)
		server->touched[i / STATE_BLOCK_BITS] |= UINT64_C(1) << i % STATE_BLOCK_BITS;
}

static struct domain_state *all_domains(const struct server *server)
{
	return (struct domain_state *)(server->state + 1);
}

struct domain_state *state_domain(const struct server *server, size_t index)
{
	struct domain_state *domain = all_domains(server) + index;

	state_touch(server, domain, sizeof(*domain));
	return domain;
}

static uint64_t *all_registers(const struct server *server)
{
	void *registers = all_domains(server) + server->platform->domain_count;

	return registers;
}

struct tpmi_registers state_registers(const struct server *server, size_t index)
{
	const struct platform_domain *domain = &server->platform->domains[index];
	uint64_t *registers = all_registers(server) + domain->first_register;

	state_touch(server, registers, domain->register_count * sizeof(*registers));
	return (struct tpmi_registers){ registers, domain->register_count };
}

static struct cpu_state *all_cpus(const struct server *server)
{
	void *cpus = all_registers(server) + server->platform->register_count;

	return cpus;
}

struct cpu_state *state_cpu(const struct server *server, const struct platform_cpu *cpu)
{
	struct cpu_state *state = all_cpus(server) + (cpu - server->platform->cpus);

	state_touch(server, state, sizeof(*state));
	return state;
}

struct domain_state *state_msrs(const struct server *server, size_t index)
{
	const struct platform *platform = server->platform;

	if (platform_is_tpmi(platform))
		while (index > 0 &&
		       platform->domains[index - 1].package == platform->domains[index].package)
			index--;
	return state_domain(server, index);
}

bool cpu_online(const struct server *server, const struct platform_cpu *cpu)
{
	return all_cpus(server)[cpu - server->platform->cpus].online;
}

bool smt_allows(const struct server *server, const struct platform_cpu *cpu)
{
	return cpu->first_of_core ||
	       (server->state->smt != SMT_OFF && server->state->smt != SMT_FORCE_OFF);
}

/* ---- Parts that grow ---- */

struct kept_set *state_kept(const struct server *server)
{
	void *kept = all_cpus(server) + server->platform->cpu_count;

	return kept;
}

static struct deferred *state_deferred(const struct server *server)
{
	void *deferred = state_kept(server) + server->state->kept_count;

	return deferred;
}

static char *all_groups(const struct server *server)
{
	void *groups = state_deferred(server) + server->state->deferred_count;

	return groups;
}

const char *state_groups(const struct server *server)
{
	return all_groups(server);
}

static int resize_state(struct server *server, size_t size)
{
	if (size > server->space) {
		void *larger = realloc(server->state, size);

		if (!larger)
			return -ENOMEM;
		server->state = larger;
		server->space = size;
	}
	server->size = size;
	return 0;
}

int state_keep(struct server *server, const struct kept_set *set)
{
	const size_t size = server->size + sizeof(*set);
	struct kept_set *end;
	int result;

	for (size_t i = 0; i < server->state->kept_count; i++) {
		struct kept_set *kept = &state_kept(server)[i];

		if (kept->cpu == set->cpu && kept->command == set->command &&
		    kept->mailbox == set->mailbox) {
			state_touch(server, kept, sizeof(*kept));
			*kept = *set;
			return 0;
		}
	}
	/* Another one behind those that there are, in front of what follows them. */
	result = resize_state(server, size);
	if (result)
		return result;
	end = state_kept(server) + server->state->kept_count;
	memmove(end + 1, end, size - sizeof(*set) - (size_t)((char *)end - (char *)server->state));
	*end = *set;
	state_touch(server, end, size - (size_t)((char *)end - (char *)server->state));
	server->state->kept_count++;
	return 0;
}

/** Makes space for another number of deferred sets (at the end), or takes other lines of groups.
 * Returns 0 or -ENOMEM. */
static int state_resize_deferred(struct server *server, size_t count)
{
	const size_t before = server->state->deferred_count, each = sizeof(struct deferred);
	const size_t size = server->size - before * each + count * each;
	int result = resize_state(server, size > server->size ? size : server->size);

	if (result)
		return result;
	memmove(state_deferred(server) + count, state_deferred(server) + before,
		server->state->group_bytes);
	state_touch(server, state_deferred(server), count * each + server->state->group_bytes);
	server->state->deferred_count = (uint32_t)count;
	server->size = size;
	return 0;
}

int state_set_groups(struct server *server, const char *lines, size_t size)
{
	int result = resize_state(server, server->size - server->state->group_bytes + size);

	if (result)
		return result;
	server->state->group_bytes = (uint32_t)size;
	state_touch(server, all_groups(server), size);
	if (size)
		memcpy(all_groups(server), lines, size);
	return 0;
}

/* ---- Sets that firmware has accepted and not carried out yet ---- */

static int64_t realtime_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int deferred_add(struct server *server, unsigned long request, const void *entry, size_t size,
		 uint64_t delay_ms)
{
	const size_t count = server->state->deferred_count;
	struct deferred deferred = { .due_ms = realtime_ms() + (int64_t)delay_ms,
				     .request = request };
	int result;

	if (size > sizeof(deferred.entry))
		return -EIO;
	memcpy(deferred.entry, entry, size);
	result = state_resize_deferred(server, count + 1);
	if (!result)
		state_deferred(server)[count] = deferred;
	return result;
}

bool deferred_take_due(struct server *server, struct deferred *due)
{
	const size_t count = server->state->deferred_count;
	struct deferred *all = state_deferred(server);
	size_t first = 0;

	if (count == 0)
		return false;
	for (size_t i = 1; i < count; i++)
		if (all[i].due_ms < all[first].due_ms)
			first = i;
	if (all[first].due_ms > realtime_ms())
		return false;
	*due = all[first];
	memmove(&all[first], &all[first + 1], (count - first - 1) * sizeof(*all));
	state_resize_deferred(server, count - 1);
	return true;
}
