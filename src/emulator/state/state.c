/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state file: shared by all processes on the machine, changed as a whole. Knows nothing of the
 * content of a state.
 */
#include "emulator/state/state.h"
#include "common/descriptor.h"
#include "common/hash.h"

#include "emulator/model/text.h"
#include "emulator/state/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[16] = "isst-emulator";

_Static_assert(sizeof(struct state_head) <= STATE_HEAD_BYTES, "it is mapped as a page");
_Static_assert(sizeof(struct state) % sizeof(uint64_t) == 0 &&
		       sizeof(struct domain_state) % sizeof(uint64_t) == 0 &&
		       sizeof(struct cpu_state) % sizeof(uint64_t) == 0,
	       "what follows is aligned");

void state_count(unsigned long long *counter, unsigned long long number)
{
	__atomic_fetch_add(counter, number, __ATOMIC_RELAXED);
}

static off_t slot_offset(uint64_t capacity, uint32_t slot)
{
	return (off_t)(STATE_HEAD_BYTES + capacity * slot);
}

/** Words of a set of blocks, of a copy of any size that fits into a slot. */
static size_t set_words(const struct state_head *head)
{
	return head->capacity / STATE_BLOCK_BYTES / STATE_BLOCK_BITS + 1;
}

static void forget_touched(struct server *server)
{
	memset(server->touched, 0, set_words(server->head) * sizeof(*server->touched));
}

/* ---- The copies of this process ---- */

static int reserve_copy(struct state **copy, size_t *space, size_t size)
{
	void *larger = size > *space ? realloc(*copy, size) : *copy;

	if (!larger)
		return -ENOMEM;
	*copy = larger;
	if (size > *space)
		*space = size;
	return 0;
}

/** The copy becomes what is known to be stored, and nothing is known of the other slot. */
static int remember_stored(struct server *server, uint64_t check)
{
	struct stored_state *stored = &server->stored;
	int result = reserve_copy(&stored->state, &stored->space, server->size);

	server->before.size = 0;
	if (result)
		return result;
	memcpy(stored->state, server->state, server->size);
	stored->size = server->size;
	stored->check = check;
	forget_touched(server);
	return 0;
}

void state_discard(struct server *server)
{
	memcpy(server->state, server->stored.state, server->stored.size);
	server->size = server->stored.size;
	forget_touched(server);
}

void state_close(struct server *server)
{
	if (server->head)
		munmap(server->head, STATE_HEAD_BYTES);
	if (server->state_descriptor >= 0)
		close(server->state_descriptor);
	free(server->state);
	free(server->stored.state);
	free(server->before.state);
	server->stored = server->before = (struct stored_state){ 0 };
	free(server->touched);
	server->head = NULL;
	server->state = NULL;
	server->touched = server->differing = NULL;
	server->size = server->space = 0;
	server->state_descriptor = -1;
}

/* ---- Blocks: a large machine is neither copied, compared nor summed as a whole for each call ----
 */

static size_t block_size(size_t size, size_t at)
{
	return size - at < STATE_BLOCK_BYTES ? size - at : STATE_BLOCK_BYTES;
}

/** What a block adds to the checksum of a state, which is the sum of those of its blocks. */
static uint64_t block_check(const struct state *state, size_t size, size_t at)
{
	return hash_number(hash_words((const char *)state + at, block_size(size, at)), at,
			   sizeof(uint64_t));
}

/** That of the blocks from @at on. */
static uint64_t check_from(const struct state *state, size_t size, size_t at)
{
	uint64_t check = 0;

	for (; at < size; at += STATE_BLOCK_BYTES)
		check += block_check(state, size, at);
	return check;
}

uint64_t state_check(const struct state *state, size_t size)
{
	return check_from(state, size, 0);
}

/** The first block from block @i on that was touched, or in which the slots differ. */
static size_t next_block(const struct server *server, size_t i)
{
	const size_t words = set_words(server->head);

	for (size_t word = i / STATE_BLOCK_BITS; word < words; i = ++word * STATE_BLOCK_BITS) {
		uint64_t left = (server->touched[word] | server->differing[word]) >>
				i % STATE_BLOCK_BITS;

		if (left)
			return i + (size_t)__builtin_ctzll(left);
	}
	return words * STATE_BLOCK_BITS;
}

/** Reduces what was touched to the blocks that are not as stored, and finds the checksum. Returns
 * whether there are any. */
static bool find_changed(struct server *server, uint64_t *check)
{
	const char *now = (const char *)server->state, *old = (const char *)server->stored.state;
	const size_t size = server->size, stored = server->stored.size;
	/* Where both have the same blocks. */
	const size_t common = size == stored ? size
					     : (size < stored ? size : stored) / STATE_BLOCK_BYTES *
						       STATE_BLOCK_BYTES;
	bool any = size != stored;

	state_touch(server, now, sizeof(*server->state));
	state_touch(server, now + common, size - common);
	*check = server->stored.check + check_from(server->state, size, common) -
		 check_from(server->stored.state, stored, common);
	for (size_t i = next_block(server, 0), at; (at = i * STATE_BLOCK_BYTES) < common;
	     i = next_block(server, i + 1)) {
		if (memcmp(now + at, old + at, block_size(size, at)) == 0) {
			server->touched[i / STATE_BLOCK_BITS] &= ~(UINT64_C(1)
								   << i % STATE_BLOCK_BITS);
			continue;
		}
		any = true;
		*check += block_check(server->state, size, at) -
			  block_check(server->stored.state, stored, at);
	}
	return any;
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

/** Writes the blocks of the copy that a slot does not have yet, there and into @before. */
static int write_blocks(struct server *server, uint32_t slot, bool known)
{
	const off_t start = slot_offset(server->head->capacity, slot);
	char *before = (char *)server->before.state;
	int result = 0;

	for (size_t at = 0, end = 0; !result && end < server->size;) {
		size_t i = known ? next_block(server, end / STATE_BLOCK_BYTES) : 0;

		at = i * STATE_BLOCK_BYTES;
		while (known && next_block(server, i + 1) == i + 1)
			i++;
		end = known ? (i + 1) * STATE_BLOCK_BYTES : server->size;
		if (end > server->size)
			end = server->size;
		if (at >= end)
			break;
		memcpy(before + at, (const char *)server->state + at, end - at);
		result = write_at(server->state_descriptor, before + at, end - at,
				  start + (off_t)at);
	}
	return result;
}

/** Into the slot that does not hold the state; the last store makes it the one that does. */
static int write_slot(struct server *server, uint64_t check)
{
	struct state_head *head = server->head;
	struct stored_state *before = &server->before, kept;
	uint32_t slot = 1 - head->slot;
	/* Whether it holds what this process has stored there: no other one has written to it. */
	bool known = before->size && head->slots[slot].size == before->size &&
		     head->slots[slot].check == before->check;
	int result = reserve_copy(&before->state, &before->space, server->size);

	/* A process that is killed from here on leaves a slot of which nothing is known. */
	before->size = 0;
	__atomic_store_n(&head->slots[slot].size, 0, __ATOMIC_SEQ_CST);
	if (!result)
		result = write_blocks(server, slot, known);
	if (result)
		return result;
	before->size = server->size;
	before->check = check;
	head->slots[slot].check = check;
	__atomic_store_n(&head->slots[slot].size, server->size, __ATOMIC_SEQ_CST);
	__atomic_store_n(&head->slot, slot, __ATOMIC_SEQ_CST);
	kept = server->stored;
	server->stored = *before;
	*before = kept;
	memcpy(server->differing, server->touched, set_words(head) * sizeof(*server->touched));
	forget_touched(server);
	return 0;
}

/** A new file, which takes the place of the old one at once. */
static int write_file(struct server *server, uint64_t check,
		      const struct isst_emulator_statistics *statistics)
{
	enum { GROWTH = 4096 };
	struct state_head head = {
		.format = STATE_FORMAT,
		.platform_hash = server->platform->hash,
		.capacity = server->size + GROWTH,
		.slots = { { server->size, check } },
		.statistics = *statistics,
	};
	int file = keep_off_streams(
		openat(server->directory, "state.new",
		       O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
	int result = file < 0 ? -errno : 0;

	memcpy(head.magic, magic, sizeof(magic));
	/* A full disk is to be found now, not by SIGBUS at a write through the mapping. */
	if (!result)
		result = -posix_fallocate(file, 0, slot_offset(head.capacity, STATE_SLOTS));
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
	return 0;
}

static int map_head(struct server *server)
{
	struct stat status;
	void *map = fstat(server->state_descriptor, &status)
			    ? MAP_FAILED
			    : mmap(NULL, STATE_HEAD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
				   server->state_descriptor, 0);
	uint64_t *sets = map == MAP_FAILED ? NULL : calloc(set_words(map), 2 * sizeof(*sets));

	if (map == MAP_FAILED)
		return -errno;
	if (!sets) {
		munmap(map, STATE_HEAD_BYTES);
		return -ENOMEM;
	}
	if (server->head)
		munmap(server->head, STATE_HEAD_BYTES);
	server->head = map;
	server->state_inode = status.st_ino;
	free(server->touched);
	server->touched = sets;
	server->differing = sets + set_words(map);
	return 0;
}

int state_store(struct server *server)
{
	uint64_t check;
	int result;

	if (!find_changed(server, &check))
		return 0;
	if (server->size <= server->head->capacity) {
		result = write_slot(server, check);
	} else {
		/* A file with more space. Memory comes first: what is stored and what is known to
		 * be must be the same. */
		result = reserve_copy(&server->stored.state, &server->stored.space, server->size);
		if (!result)
			result = write_file(server, check, &server->head->statistics);
		if (!result)
			result = map_head(server);
		if (!result)
			result = remember_stored(server, check);
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
	uint64_t check;
	int result;

	server->size = state_fixed_size(platform);
	result = reserve_copy(&server->state, &server->space, server->size);
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
				  O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

		if (node < 0)
			return -errno;
		close(node);
	} else {
		result = directory_remove(server->directory, "device");
		if (result)
			return result;
	}
	server->first_state(server);
	check = state_check(server->state, server->size);
	result = write_file(server, check, &none);
	if (!result)
		result = map_head(server);
	return result ? result : remember_stored(server, check);
}

/* ---- Opening ---- */

/** That the directory has no state of this machine, and how it gets one. @why: behind @what */
static int report_unusable(const struct server *server, const char *what, const char *why,
			   char **error)
{
	const struct isst_emulator_target *target = server->target;

	if (!error)
		return -EIO;
	return set_error(error, -EIO,
			 "%s%s%s; \"isst%s --emulate-state %s platform reset %s\" resets it",
			 server->path, what, why, target->unlock ? " --emulate-unlock" : "",
			 server->path, target->platform);
}

static int report_damage(const struct server *server, const char *why, char **error)
{
	return report_unusable(server, "/state is damaged: ", why, error);
}

/** Which file it is, before it is looked at as the state of this platform. Returns -ESTALE where it
 * is one of an older format. */
static int check_head(const struct server *server, const struct state_head *head, char **error)
{
	if (memcmp(head->magic, magic, sizeof(magic)) != 0)
		return report_damage(server, "it does not begin with the header of a state file",
				     error);
	if (head->format > STATE_FORMAT || head->format == 0)
		return report_unusable(server, "/state is of another version of the emulator", "",
				       error);
	if (head->format != STATE_FORMAT)
		return -ESTALE;
	if (head->platform_hash != server->platform->hash)
		return report_unusable(server,
				       " contains the state of another platform, or of another "
				       "version of this one",
				       "", error);
	return 0;
}

/** Whether the file has the slots that its head describes. */
static bool is_whole(const struct state_head *head, const struct stat *status)
{
	return head->capacity <= (uint64_t)status->st_size &&
	       status->st_size == slot_offset(head->capacity, STATE_SLOTS);
}

/** Takes in what another process has stored. */
static int load_state(struct server *server, char **error)
{
	const struct state_head *head = server->head;
	uint32_t slot = head ? head->slot : STATE_SLOTS;
	uint64_t size = slot < STATE_SLOTS ? head->slots[slot].size : 0;
	int result;

	if (size < sizeof(struct state) || size > head->capacity)
		return report_damage(server, "its head describes no state", error);
	result = reserve_copy(&server->state, &server->space, size);
	if (result)
		return result;
	/* Never to be taken for a state before it has been checked. */
	server->size = server->stored.size = 0;
	if (pread(server->state_descriptor, server->state, size,
		  slot_offset(head->capacity, slot)) != (ssize_t)size)
		return report_damage(server, "it is too short", error);
	if (state_check(server->state, size) != head->slots[slot].check)
		return report_damage(server, "its checksum is not that of what it holds", error);
	if (!state_fits(server->platform, server->state, size))
		return report_damage(
			server, "it does not fit the platform, or has values that no machine has",
			error);
	server->size = size;
	return remember_stored(server, head->slots[slot].check);
}

/** Opens an existing state. Returns -ENOENT where there is none, -ESTALE for one of an older
 * format.
 */
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
	if (size < (ssize_t)offsetof(struct state_head, slot))
		return report_damage(server, "it is too short", error);
	result = check_head(server, &head, error);
	if (result)
		return result;
	if (size < (ssize_t)sizeof(head) || !is_whole(&head, &status))
		return report_damage(server, "it is too short or too long", error);
	result = map_head(server);
	return result ? result : load_state(server, error);
}

int state_open(struct server *server, char **error)
{
	/* What emulators of older formats kept beside the state. */
	static const char *const leftovers[] = { "root", "hidden", "new", "deferred", "names" };
	int result = open_state(server, error);
	const bool stale = result == -ESTALE;

	if (stale || result == -ENOENT) {
		result = 0;
		for (size_t i = 0; i < sizeof(leftovers) / sizeof(*leftovers) && stale && !result;
		     i++)
			result = directory_remove(server->directory, leftovers[i]);
		state_close(server);
		if (!result)
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

/** Whether this process has the file open that is the machine's: it may have been reset, or have
 * grown, and then there is another one. */
static bool is_open(const struct server *server)
{
	const bool same_name = server->state_entries == server->entries.version;
	struct stat status;

	return server->head &&
	       (same_name
			? fstat(server->state_descriptor, &status)
			: fstatat(server->directory, "state", &status, AT_SYMLINK_NOFOLLOW)) == 0 &&
	       status.st_ino == server->state_inode && status.st_size >= STATE_HEAD_BYTES &&
	       is_whole(server->head, &status);
}

int state_lock(struct server *server)
{
	const struct state_head *head;
	char *holder = NULL, *line;
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
	entries_look(&server->entries, server->directory);
	head = server->head;
	if (!is_open(server)) {
		state_close(server);
		result = state_open(server, NULL);
	} else if (!server->size || head->slot >= STATE_SLOTS ||
		   head->slots[head->slot].size != server->stored.size ||
		   head->slots[head->slot].check != server->stored.check) {
		/* Another process has stored something. */
		result = load_state(server, NULL);
		if (result)
			result = result == -ENOMEM ? result : -EIO;
	}
	if (result)
		flock(server->lock, LOCK_UN);
	else
		server->state_entries = server->entries.version;
	return result;
}

void state_unlock(struct server *server)
{
	flock(server->lock, LOCK_UN);
}
