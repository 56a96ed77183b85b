/* SPDX-License-Identifier: BSD-3-Clause */
/* The state file, which all processes on the machine share and change as a whole; and where the
 * parts of a state are in it. */
#include "emulator/state/state.h"
#include "common/descriptor.h"

#include "emulator/model/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char magic[16] = "isst-emulator";

_Static_assert(sizeof(struct state_head) <= STATE_HEAD_BYTES, "it is mapped as a page");
_Static_assert(sizeof(struct state) % sizeof(uint64_t) == 0 &&
		       sizeof(struct domain_state) % sizeof(uint64_t) == 0 &&
		       sizeof(struct cpu_state) % sizeof(uint64_t) == 0 &&
		       sizeof(struct group) % sizeof(uint64_t) == 0,
	       "what follows is aligned");

void state_count(unsigned long long *counter, unsigned long long number)
{
	__atomic_fetch_add(counter, number, __ATOMIC_RELAXED);
}

/** Where the slot of a generation begins. */
static off_t slot_offset(uint64_t capacity, uint64_t generation)
{
	return (off_t)(STATE_HEAD_BYTES + capacity * (generation % STATE_SLOTS));
}

static off_t file_size(const struct state_head *head)
{
	return (off_t)(STATE_HEAD_BYTES + head->capacity * STATE_SLOTS);
}

/* ---- The copy of this process ---- */

static int resize_copy(struct server *server, size_t size)
{
	void *copy = realloc(server->state, size);

	if (!copy)
		return -ENOMEM;
	server->state = copy;
	return 0;
}

void state_close(struct server *server)
{
	if (server->head)
		munmap(server->head, server->mapped);
	if (server->state_descriptor >= 0)
		close(server->state_descriptor);
	free(server->state);
	server->head = NULL;
	server->state = NULL;
	server->size = 0;
	server->state_descriptor = -1;
}

/* ---- The parts of a state, one behind the other ---- */

/** Without what was kept, what is deferred, and groups. */
static size_t state_fixed_size(const struct platform *platform)
{
	return sizeof(struct state) + platform->domain_count * sizeof(struct domain_state) +
	       platform->register_count * sizeof(uint64_t) +
	       platform->cpu_count * sizeof(struct cpu_state);
}

/** Whether groups are such as there can be, of which files are named. */
static bool groups_fit(const struct group *groups, size_t count)
{
	for (const struct group *group = groups; group < groups + count; group++)
		if (group->wanted >= PARTITIONS || group->flaw >= FLAWS || !*group->name ||
		    !memchr(group->name, '\0', sizeof(group->name)) || strchr(group->name, '/') ||
		    strcmp(group->name, ".") == 0 || strcmp(group->name, "..") == 0)
			return false;
	return true;
}

/** Whether the levels of firmware that is reached by mailbox exist. */
static bool levels_fit(const struct platform *platform, const struct domain_state *states)
{
	for (size_t i = 0; i < platform->domain_count && !platform_is_tpmi(platform); i++)
		if (!platform_level(&platform->domains[i], states[i].level))
			return false;
	return true;
}

/** Whether a copy has its size, is of this platform, and names only what exists. */
static bool state_fits(const struct platform *platform, const struct state *state, size_t size)
{
	return size >= sizeof(*state) && state->domain_count == platform->domain_count &&
	       state->cpu_count == platform->cpu_count &&
	       state->register_count == platform->register_count &&
	       size == state_fixed_size(platform) + state->kept_count * sizeof(struct kept_set) +
			       state->deferred_count * sizeof(struct deferred) +
			       state->group_count * sizeof(struct group) &&
	       /* Words, which lead to something by their number. */
	       state->smt <= SMT_NOT_IMPLEMENTED && state->no_turbo <= 1 &&
	       levels_fit(platform, (const void *)(state + 1)) &&
	       groups_fit((const void *)((const char *)state + size -
					 state->group_count * sizeof(struct group)),
			  state->group_count);
}

struct domain_state *state_domain(const struct server *server, size_t index)
{
	return (struct domain_state *)(server->state + 1) + index;
}

static uint64_t *all_registers(const struct server *server)
{
	return (void *)state_domain(server, server->platform->domain_count);
}

struct tpmi_registers state_registers(const struct server *server, size_t index)
{
	const struct platform_domain *domain = &server->platform->domains[index];

	return (struct tpmi_registers){ all_registers(server) + domain->first_register,
					domain->register_count };
}

static struct cpu_state *all_cpus(const struct server *server)
{
	return (void *)(all_registers(server) + server->platform->register_count);
}

struct cpu_state *state_cpu(const struct server *server, const struct platform_cpu *cpu)
{
	return all_cpus(server) + (cpu - server->platform->cpus);
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
	return state_cpu(server, cpu)->online;
}

bool smt_allows(const struct server *server, const struct platform_cpu *cpu)
{
	return cpu->first_of_core ||
	       (server->state->smt != SMT_OFF && server->state->smt != SMT_FORCE_OFF);
}

/* ---- Parts that grow ---- */

struct kept_set *state_kept(const struct server *server)
{
	return (void *)(all_cpus(server) + server->platform->cpu_count);
}

static struct deferred *state_deferred(const struct server *server)
{
	return (void *)(state_kept(server) + server->state->kept_count);
}

struct group *state_groups(const struct server *server)
{
	return (void *)(state_deferred(server) + server->state->deferred_count);
}

void *state_insert(struct server *server, size_t offset, size_t size)
{
	char *at;

	if (resize_copy(server, server->size + size))
		return NULL;
	at = (char *)server->state + offset;
	memmove(at + size, at, server->size - offset);
	server->size += size;
	return at;
}

void state_cut(struct server *server, void *at, size_t size)
{
	char *behind = (char *)at + size;

	memmove(at, behind, (size_t)((char *)server->state + server->size - behind));
	server->size -= size;
}

/** Puts @item behind the items before @end. Returns 0 or -ENOMEM. */
static int append_item(struct server *server, const void *end, const void *item, size_t size)
{
	void *at = state_insert(server, (size_t)((const char *)end - (const char *)server->state),
				size);

	if (at)
		memcpy(at, item, size);
	return at ? 0 : -ENOMEM;
}

int state_keep(struct server *server, const struct kept_set *set)
{
	struct kept_set *kept = state_kept(server), *end = kept + server->state->kept_count;
	int result;

	for (; kept < end; kept++) {
		if (kept->cpu != set->cpu || kept->command != set->command ||
		    kept->mailbox != set->mailbox)
			continue;
		*kept = *set;
		return 0;
	}
	result = append_item(server, end, set, sizeof(*set));
	if (!result)
		server->state->kept_count++;
	return result;
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
	struct deferred deferred = { .due_ms = realtime_ms() + (int64_t)delay_ms,
				     .request = request };
	int result;

	if (size > sizeof(deferred.entry))
		return -EIO;
	memcpy(deferred.entry, entry, size);
	result = append_item(server, state_deferred(server) + server->state->deferred_count,
			     &deferred, sizeof(deferred));
	if (!result)
		server->state->deferred_count++;
	return result;
}

bool deferred_take_due(struct server *server, struct deferred *due)
{
	struct deferred *all = state_deferred(server), *first = all;

	for (size_t i = 1; i < server->state->deferred_count; i++)
		if (all[i].due_ms < first->due_ms)
			first = &all[i];
	if (server->state->deferred_count == 0 || first->due_ms > realtime_ms())
		return false;
	*due = *first;
	state_cut(server, first, sizeof(*first));
	server->state->deferred_count--;
	return true;
}

/* ---- Reading ---- */

/** That the directory has no state of this machine, and how it gets one. @why: behind @what */
static int report_unusable(const struct server *server, const char *what, const char *why,
			   char **error)
{
	if (!error)
		return -EIO;
	return set_error(error, -EIO,
			 "%s%s%s; \"isst%s --emulate-state %s platform reset %s\" resets it",
			 server->path, what, why, server->target->unlock ? " --emulate-unlock" : "",
			 server->path, server->target->platform);
}

static int report_damage(const struct server *server, const char *why, char **error)
{
	return report_unusable(server, "/state is damaged: ", why, error);
}

/** Takes in what the file holds. */
static int load_state(struct server *server, char **error)
{
	const struct state_head *head = server->head;
	const uint64_t generation = head ? head->generation : 0;
	const uint64_t size = head ? head->sizes[generation % STATE_SLOTS] : 0;
	int result;

	if (size < sizeof(struct state) || size > head->capacity)
		return report_damage(server, "its head describes no state", error);
	result = resize_copy(server, size);
	if (result)
		return result;
	/* Never to be taken for a state before it has been checked. */
	server->size = 0;
	if (pread(server->state_descriptor, server->state, size,
		  slot_offset(head->capacity, generation)) != (ssize_t)size)
		return report_damage(server, "it is too short", error);
	if (!state_fits(server->platform, server->state, size))
		return report_damage(
			server, "it does not fit the platform, or has values that no machine has",
			error);
	server->size = size;
	server->generation = generation;
	return 0;
}

void state_discard(struct server *server)
{
	(void)load_state(server, NULL);
}

/* ---- Writing ---- */

static int write_at(int file, const void *content, size_t size, off_t at)
{
	for (size_t done = 0; done < size;) {
		ssize_t length = pwrite(file, (const char *)content + done, size - done,
					at + (off_t)done);

		if (length < 0 && errno == EINTR)
			continue;
		if (length <= 0)
			return length < 0 ? -errno : -EIO;
		done += (size_t)length;
	}
	return 0;
}

static int map_file(struct server *server)
{
	struct stat status;
	void *map = fstat(server->state_descriptor, &status)
			    ? MAP_FAILED
			    : mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
				   server->state_descriptor, 0);

	if (map == MAP_FAILED)
		return -errno;
	if (server->head)
		munmap(server->head, server->mapped);
	server->head = map;
	server->mapped = (size_t)status.st_size;
	server->state_inode = status.st_ino;
	return 0;
}

/** A new file, which takes the place of the old one at once, and is mapped. */
static int write_file(struct server *server, const struct isst_emulator_statistics *statistics)
{
	enum { GROWTH = 4096 };
	struct state_head head = {
		.format = STATE_FORMAT,
		.platform_hash = server->platform->hash,
		.capacity = server->size + GROWTH,
		.sizes = { server->size },
		.statistics = *statistics,
	};
	int file = keep_off_streams(
		openat(server->directory, "state.new",
		       O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
	int result = file < 0 ? -errno : 0;

	memcpy(head.magic, magic, sizeof(magic));
	/* A full disk is to be found now, not by SIGBUS at a write through the mapping. */
	if (!result)
		result = -posix_fallocate(file, 0, file_size(&head));
	if (!result)
		result = write_at(file, &head, sizeof(head), 0);
	if (!result)
		result = write_at(file, server->state, server->size, slot_offset(0, 0));
	if (!result && renameat(server->directory, "state.new", server->directory, "state"))
		result = -errno;
	if (result && file >= 0) {
		close(file);
		unlinkat(server->directory, "state.new", 0);
	}
	if (result)
		return result;
	if (server->state_descriptor >= 0)
		close(server->state_descriptor);
	server->state_descriptor = file;
	server->generation = 0;
	return map_file(server);
}

int state_store(struct server *server)
{
	struct state_head *head = server->head;
	const uint64_t next = server->generation + 1;
	int result;

	if (server->size <= head->capacity) {
		/* Into the other slot; the last store makes it the one that counts. */
		result = write_at(server->state_descriptor, server->state, server->size,
				  slot_offset(head->capacity, next));
		if (!result) {
			head->sizes[next % STATE_SLOTS] = server->size;
			__atomic_store_n(&head->generation, next, __ATOMIC_SEQ_CST);
			server->generation = next;
			/* For who watches the file: a store through the mapping is no event. */
			futimens(server->state_descriptor, NULL);
		}
	} else {
		/* A file with more space. */
		result = write_file(server, &head->statistics);
	}
	if (result)
		state_discard(server);
	return result;
}

/* ---- Making it ---- */

/** The state file appears last, so that a machine without one is not there yet. */
static int make_state(struct server *server)
{
	static const struct isst_emulator_statistics none;
	const struct platform *platform = server->platform;
	int result;

	server->size = state_fixed_size(platform);
	result = resize_copy(server, server->size);
	if (result)
		return result;
	memset(server->state, 0, server->size);
	server->state->domain_count = (uint32_t)platform->domain_count;
	server->state->cpu_count = (uint32_t)platform->cpu_count;
	server->state->register_count = (uint32_t)platform->register_count;
	/* A new number for each boot; making the machine, or resetting it, is one. */
	if (getrandom(server->state->boot_id, sizeof(server->state->boot_id), 0) !=
	    (ssize_t)sizeof(server->state->boot_id))
		return -EIO;
	/* The device node, to be locked by a process that changes the machine. */
	if (platform->node.value) {
		int node = openat(server->directory, "device",
				  O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);

		if (node < 0)
			return -errno;
		close(node);
	} else {
		result = directory_remove(server->directory, "device");
		if (result)
			return result;
	}
	server->first_state(server);
	return write_file(server, &none);
}

/* ---- Opening ---- */

/** Whether the file has the slots that its head describes. */
static bool is_whole(const struct state_head *head, const struct stat *status)
{
	return head->capacity <= (uint64_t)status->st_size && status->st_size == file_size(head);
}

/** Opens a state. Returns -ENOENT where there is none, -ESTALE for an older format. */
static int open_state(struct server *server, char **error)
{
	struct state_head head;
	struct stat status;
	ssize_t size;
	int result;

	server->state_descriptor = keep_off_streams(
		openat(server->directory, "state", O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	if (server->state_descriptor < 0)
		return -errno;
	if (fstat(server->state_descriptor, &status))
		return -errno;
	size = pread(server->state_descriptor, &head, sizeof(head), 0);
	if (size < (ssize_t)offsetof(struct state_head, platform_hash))
		return report_damage(server, "it is too short", error);
	/* Which file it is, before it is looked at as the state of this platform. */
	if (memcmp(head.magic, magic, sizeof(magic)) != 0)
		return report_damage(server, "it does not begin with the header of a state file",
				     error);
	if (head.format > STATE_FORMAT || head.format == 0)
		return report_unusable(server, "/state is of another version of the emulator", "",
				       error);
	if (head.format != STATE_FORMAT)
		return -ESTALE;
	if (head.platform_hash != server->platform->hash)
		return report_unusable(server,
				       " contains the state of another platform, or of another "
				       "version of this one (each needs its own directory)",
				       "", error);
	if (size < (ssize_t)sizeof(head) || !is_whole(&head, &status))
		return report_damage(server, "it is too short or too long", error);
	result = map_file(server);
	return result ? result : load_state(server, error);
}

int state_open(struct server *server, char **error)
{
	int result = open_state(server, error);
	const bool stale = result == -ESTALE;

	if (stale || result == -ENOENT) {
		state_close(server);
		result = make_state(server);
		/* The machine's log has to report that all that was set on the machine is gone. */
		if (!result && stale)
			directory_log(server->directory,
				      "emulator: the state was of an earlier version of "
				      "the emulator and was reset");
	}
	if (!result)
		return 0;
	state_close(server);
	if (error && !*error)
		set_error(error, result, "Cannot use the state in %s: %s", server->path,
			  strerror(-result));
	return result == -ENOMEM ? result : -EIO;
}

/* ---- Locking ---- */

int state_lock(struct server *server)
{
	const struct state_head *head;
	char *holder = NULL, *line;
	struct stat status;
	bool is_open;
	int result;

	if (server->process != getpid()) {
		/* flock() belongs to what was opened: a child's would not exclude its parent. */
		close(server->lock);
		server->lock = keep_off_streams(
			openat(server->directory, "lock", O_RDWR | O_NOFOLLOW | O_CLOEXEC));
		server->process = getpid();
		if (server->lock < 0)
			return -EIO;
	}
	result = directory_wait_lock(server->lock, &holder);
	/* Who asked for a file or a driver call gets an error number alone. */
	if (holder && asprintf(&line, "emulator: the machine is locked by %s", holder) >= 0) {
		directory_log(server->directory, line);
		free(line);
	}
	free(holder);
	if (result)
		return result == -ETIMEDOUT ? result : -EIO;
	head = server->head;
	/* Whether this process has the file open that is the machine's: it may have been reset, or
	 * have grown, and then there is another one. */
	is_open = head && fstatat(server->directory, "state", &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		  status.st_ino == server->state_inode && status.st_size == (off_t)server->mapped &&
		  is_whole(head, &status);
	if (!is_open) {
		state_close(server);
		result = state_open(server, NULL);
	} else if (!server->size || head->generation != server->generation) {
		/* Another process has stored something. */
		result = load_state(server, NULL);
		if (result)
			result = result == -ENOMEM ? result : -EIO;
	}
	if (result)
		state_unlock(server);
	return result;
}

void state_unlock(struct server *server)
{
	/* LOCK_NB means nothing here: by it, and by O_NONBLOCK, the filter of a launched program
	 * (launch/notify.c) knows the calls of one that has this lock. Their answer would come from
	 * a server that may be waiting for it. */
	flock(server->lock, LOCK_UN | LOCK_NB);
}
