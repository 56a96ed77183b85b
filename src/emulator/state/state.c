/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state file: what driver and firmware remember, shared by all processes on the machine and
 * stored as soon as it changes, for it is a shared mapping of the file. Knows nothing of requests.
 */
#include "emulator/capture/recording.h"
#include "emulator/front/driver.h"
#include "emulator/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[16] = "isst-emulator";

static size_t state_size(const struct platform *platform)
{
	return sizeof(struct state) + platform->domain_count * sizeof(struct domain_state) +
	       platform->register_count * sizeof(uint64_t) +
	       platform->cpu_count * sizeof(struct cpu_state);
}

struct domain_state *state_domain(const struct server *server, size_t index)
{
	return (struct domain_state *)(server->state + 1) + index;
}

static uint64_t *all_registers(const struct server *server)
{
	void *registers = state_domain(server, server->platform->domain_count);

	return registers;
}

struct tpmi_registers state_registers(const struct server *server, size_t index)
{
	const struct platform_domain *domain = &server->platform->domains[index];

	return (struct tpmi_registers){ all_registers(server) + domain->first_register,
					domain->register_count };
}

struct cpu_state *state_cpu(const struct server *server, size_t index)
{
	void *cpus = all_registers(server) + server->platform->register_count;

	return (struct cpu_state *)cpus + index;
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
	return state_cpu(server, (size_t)(cpu - server->platform->cpus))->online;
}

bool smt_allows(const struct server *server, const struct platform_cpu *cpu)
{
	return cpu->first_of_core ||
	       (server->state->smt != SMT_OFF && server->state->smt != SMT_FORCE_OFF);
}

void state_count(unsigned long long *counter, unsigned long long number)
{
	__atomic_fetch_add(counter, number, __ATOMIC_RELAXED);
}

/* ---- First state ---- */

static uint32_t clos_word(const struct platform_clos *clos)
{
	return clos->epp.value | clos->weight.value << 4 | clos->min.value / 100 << 8 |
	       clos->max.value / 100 << 16 | clos->desired.value / 100 << 24;
}

/** The package's turbo limits are those of its first domain that has some. */
static void init_turbo_ratios(const struct server *server, size_t index)
{
	const struct platform_domain *domain = &server->platform->domains[index];
	struct domain_state *state = state_msrs(server, index);

	if (domain->turbo_ratios_known)
		state->turbo_ratio_limits = domain->turbo_ratios;
	else if (!state->turbo_ratio_limits)
		state->turbo_ratio_limits = level_facts(server, index).turbo_ratios;
}

static void init_mailbox(struct domain_state *state, const struct platform_domain *domain)
{
	state->level = domain->level.value;
	state->features = domain->turbo_freq_enabled.value << 16 | domain->base_freq_enabled.value
									   << 17;
	state->core_power_enabled = domain->core_power_enabled.value;
	state->qos_config = domain->clos_enabled.value << 1 | domain->priority.value << 2;
	for (size_t i = 0; i < CLOS_COUNT; i++)
		state->clos[i] = clos_word(&domain->clos[i]);
}

static void init_registers(const struct server *server, size_t index)
{
	const struct platform_domain *domain = &server->platform->domains[index];
	struct domain_state *state = state_domain(server, index);

	state->first_register = (uint32_t)domain->first_register;
	state->register_count = (uint32_t)domain->register_count;
	if (domain->registers)
		memcpy(state_registers(server, index).word, domain->registers,
		       domain->register_count * sizeof(uint64_t));
}

static void init_domains(const struct server *server)
{
	const struct platform *platform = server->platform;

	for (size_t i = 0; i < platform->domain_count; i++) {
		const struct platform_domain *domain = &platform->domains[i];

		if (platform_is_tpmi(platform))
			init_registers(server, i);
		else
			init_mailbox(state_domain(server, i), domain);
		init_turbo_ratios(server, i);
		uncore_init(server, i);
		recorded_init_domain(server, i);
	}
}

static void init_state(struct server *server)
{
	const struct platform *platform = server->platform;

	memcpy(server->state->magic, magic, sizeof(magic));
	server->state->format = STATE_FORMAT;
	server->state->domain_count = (uint32_t)platform->domain_count;
	server->state->cpu_count = (uint32_t)platform->cpu_count;
	server->state->register_count = (uint32_t)platform->register_count;
	server->state->platform_hash = platform->hash;
	server->state->no_turbo = platform->no_turbo.value;
	server->state->smt = platform->smt.value;
	init_domains(server);
	for (size_t i = 0; i < platform->cpu_count; i++) {
		bool online = smt_allows(server, &platform->cpus[i]) &&
			      (!platform->offline.set ||
			       !isst_cpuset_has(platform->offline.set, platform->cpus[i].number));

		*state_cpu(server, i) = (struct cpu_state){
			.online = online,
			.seen = online,
			.requested_max_khz = NO_LIMIT_KHZ,
		};
		recorded_init_cpu(server, i);
	}
}

static int map_state(struct server *server)
{
	void *map = mmap(NULL, server->state_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			 server->state_descriptor, 0);

	if (map == MAP_FAILED)
		return -errno;
	server->state = map;
	return 0;
}

static int open_new_state(struct server *server)
{
	server->state_size = state_size(server->platform);
	server->state_descriptor = openat(server->directory, "state.new",
					  O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
					  0600);
	if (server->state_descriptor < 0)
		return -errno;
	/* A full disk is to be found now, not by SIGBUS at a later write through the mapping. */
	return -posix_fallocate(server->state_descriptor, 0, (off_t)server->state_size);
}

static int make_files(struct server *server)
{
	static const char *const made[] = { "root", "hidden" };
	int directory, result = directory_remove(server->directory, "new");

	if (!result && mkdirat(server->directory, "new", 0700))
		result = -errno;
	if (result)
		return result;
	directory = openat(server->directory, "new", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		return -errno;
	result = tree_make(server, directory);
	for (size_t i = 0; i < 2 && !result; i++) {
		result = directory_remove(server->directory, made[i]);
		if (!result && renameat(directory, made[i], server->directory, made[i]))
			result = -errno;
	}
	close(directory);
	return result ? result : directory_remove(server->directory, "new");
}

/** The device node, to be locked by whoever changes the machine; where the platform has one. */
static int make_node(struct server *server)
{
	int node;

	if (!server->platform->node.value)
		return directory_remove(server->directory, "device");
	node = openat(server->directory, "device", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (node < 0)
		return -errno;
	close(node);
	return 0;
}

/**
 * The state file appears last and at once, so a machine without one is one that was never finished,
 * whatever else is there.
 */
static int make_state(struct server *server)
{
	int result = directory_remove(server->directory, "state");

	if (!result)
		result = open_new_state(server);
	if (!result)
		result = map_state(server);
	if (result || !server->state)
		return result ? result : -EIO;
	init_state(server);
	result = make_files(server);
	if (!result)
		result = make_node(server);
	if (!result && renameat(server->directory, "state.new", server->directory, "state"))
		result = -errno;
	return result;
}

/* ---- Opening ---- */

void state_close(struct server *server)
{
	if (server->state)
		munmap(server->state, server->state_size);
	if (server->state_descriptor >= 0)
		close(server->state_descriptor);
	if (server->root >= 0)
		close(server->root);
	server->state = NULL;
	server->state_descriptor = -1;
	server->root = -1;
}

static int damaged(const struct server *server, const char *what, char **error)
{
	return set_error(error, -EIO,
			 "%s/state is damaged: %s; \"isst platform reset\" starts afresh",
			 server->path, what);
}

/** What it is, before it is looked at as the state of this platform. */
static int check_header(const struct server *server, const struct state *header, char **error)
{
	if (memcmp(header->magic, magic, sizeof(magic)) != 0)
		return damaged(server, "it does not begin as a state does", error);
	if (header->format > STATE_FORMAT || header->format == 0)
		return set_error(error, -EIO,
				 "%s/state has format %u, of another version of the emulator; "
				 "\"isst platform reset\" starts afresh",
				 server->path, header->format);
	if (header->format != STATE_FORMAT)
		return -ESTALE;
	if (header->platform_hash != server->platform->hash)
		return set_error(error, -EIO,
				 "%s holds the state of another platform, or of another version of "
				 "this one; \"isst platform reset\" starts afresh",
				 server->path);
	return 0;
}

/** Opens an existing state. Returns -ESTALE where there is none, or one of an older format. */
static int open_state(struct server *server, char **error)
{
	struct state header;
	struct stat status;
	const char *mistake;
	int result;

	server->state_descriptor = openat(server->directory, "state",
					  O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (server->state_descriptor < 0)
		return errno == ENOENT ? -ESTALE : -errno;
	if (fstat(server->state_descriptor, &status))
		return -errno;
	if (pread(server->state_descriptor, &header, sizeof(header), 0) != sizeof(header))
		return damaged(server, "it is too short", error);
	result = check_header(server, &header, error);
	if (result)
		return result;
	server->state_size = state_size(server->platform);
	if ((size_t)status.st_size != server->state_size)
		return damaged(server, "it is too short or too long", error);
	result = map_state(server);
	if (result)
		return result;
	mistake = state_mistake(server);
	return mistake ? damaged(server, mistake, error) : 0;
}

static bool is_unfinished(const struct state *state)
{
	return state->unfinished_cpu || state->unfinished_domain || state->unfinished_turbo ||
	       state->unfinished_groups;
}

/** Completes what a killed process had begun. */
static int finish(struct server *server)
{
	struct state *state = server->state;
	int result = 0;

	if (!state || !is_unfinished(state))
		return 0;
	if (state->unfinished_cpu > 0 && state->unfinished_cpu <= state->cpu_count)
		result = tree_move_cpu(server, &server->platform->cpus[state->unfinished_cpu - 1]);
	if (!result && state->unfinished_domain > 0 &&
	    state->unfinished_domain <= state->domain_count) {
		if (state->unfinished_level)
			domain_complete(server, state->unfinished_domain - 1,
					state->unfinished_level - 1);
		result = tree_write_domain(server, state->unfinished_domain - 1);
	}
	if (!result && state->unfinished_turbo)
		result = tree_write_turbo(server);
	if (!result)
		result = groups_update(server);
	if (!result)
		state->unfinished_cpu = state->unfinished_domain = state->unfinished_turbo =
			state->unfinished_groups = 0;
	return result;
}

int state_open(struct server *server, char **error)
{
	int result = open_state(server, error);

	if (result == -ESTALE) {
		state_close(server);
		result = make_state(server);
	}
	if (!result) {
		server->root = openat(server->directory, "root",
				      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (server->root < 0)
			result = -errno;
	}
	if (!result)
		result = finish(server);
	if (!result)
		return 0;
	state_close(server);
	if (error && !*error)
		set_error(error, result, "Cannot use the state in %s: %s", server->path,
			  strerror(-result));
	return result == -ENOMEM ? result : -EIO;
}

/* ---- Locking ---- */

static int own_lock(struct server *server)
{
	if (server->process == getpid())
		return 0;
	/* flock() belongs to what was opened: a child's would not exclude its parent. */
	close(server->lock);
	server->lock = openat(server->directory, "lock", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	server->process = getpid();
	return server->lock < 0 ? -EIO : 0;
}

/** Who asked for a file or a driver call gets an error number alone; which process it is about
 * stands in the machine's log. */
static int wait_for_others(struct server *server)
{
	char *holder = NULL, *line;
	int result = directory_wait_lock(server->lock, &holder);

	if (holder && asprintf(&line, "emulator: the machine is locked by %s", holder) >= 0) {
		machine_log(server, line);
		free(line);
	}
	free(holder);
	return result == 0 || result == -ETIMEDOUT ? result : -EIO;
}

int state_lock(struct server *server)
{
	struct stat status;
	int result = own_lock(server);

	if (!result)
		result = wait_for_others(server);
	if (result)
		return result;
	/* Reset by another process: go on with the new machine. */
	if (!server->state || fstat(server->state_descriptor, &status) || status.st_nlink == 0 ||
	    (size_t)status.st_size != server->state_size) {
		state_close(server);
		result = state_open(server, NULL);
	} else {
		result = finish(server);
	}
	if (!result)
		result = deferred_run_due(server);
	if (result)
		flock(server->lock, LOCK_UN);
	return result;
}

void state_unlock(struct server *server)
{
	flock(server->lock, LOCK_UN);
}
