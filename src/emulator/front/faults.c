/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether a fault rule acts on what happens, and counts its matches over all processes, in
 * a file beside the rules. */
#include "emulator/front/faults.h"

#include "base/runtime_file.h"
#include "common/descriptor.h"
#include "common/hash.h"
#include "common/monotonic.h"
#include "emulator/model/task.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void faults_clear(struct faults *faults)
{
	for (size_t i = 0; i < faults->count; i++) {
		free(faults->rules[i].path);
		free(faults->rules[i].content);
		free(faults->rules[i].then.path);
		free(faults->rules[i].then.content);
	}
	free(faults->rules);
	if (faults->present && faults->counts >= 0)
		close(faults->counts);
	*faults = (struct faults){ .counts = -1 };
}

/* ---- Reading the rules ---- */

static int take_rules(struct faults *faults, const struct server *server,
		      const struct rules_identity *identity, char *text, char **error)
{
	struct rules_identity found;
	char *file;
	int result;

	faults_clear(faults);
	faults->present = true;
	faults->directory = server->directory;
	faults->identity = *identity;
	if (asprintf(&file, "%s/faults", server->path) < 0)
		return -ENOMEM;
	result = faults_parse(faults, file, text, error);
	free(file);
	if (result)
		return result;
	/* Begins to count anew, unless another process has counted for these rules before. */
	faults->counts = keep_off_streams(
		openat(server->directory, "fault-counts",
		       O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
	if (faults->counts < 0)
		result = -errno;
	else if ((pread(faults->counts, &found, sizeof(found), 0) != sizeof(found) ||
		  memcmp(&found, identity, sizeof(found)) != 0) &&
		 (ftruncate(faults->counts, 0) ||
		  pwrite(faults->counts, identity, sizeof(found), 0) < 0))
		result = -EIO;
	return result ? set_error(error, result, "Cannot write %s/fault-counts: %s", server->path,
				  strerror(-result))
		      : 0;
}

int faults_load(struct faults *faults, const struct server *server, char **error)
{
	struct rules_identity identity;
	struct stat status;
	char *text = NULL;
	size_t size;
	int file, result;

	if (fstatat(server->directory, "faults", &status, 0) && errno == ENOENT) {
		if (faults->present)
			faults_clear(faults);
		return 0;
	}
	/* Rules may stand elsewhere, behind a link. A FIFO would be waited for. */
	file = openat(server->directory, "faults", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	result = file < 0 || fstat(file, &status) ? -errno : text_read_open(file, &text, &size);
	if (file >= 0)
		close(file);
	if (result || !text)
		return set_error(error, runtime_file_is_shortage(result) ? result : -EIO,
				 "Cannot read %s/faults: %s", server->path,
				 result == -EINVAL ? "it is not a file" : strerror(-result));
	identity = (struct rules_identity){ hash_text(text), status.st_ino,
					    (uint64_t)status.st_size, status.st_mtim.tv_sec,
					    status.st_mtim.tv_nsec };
	if (!faults->present || memcmp(&identity, &faults->identity, sizeof(identity)) != 0 ||
	    (faults->malformed && error))
		faults->malformed = take_rules(faults, server, &identity, text, error) != 0;
	free(text);
	return faults->malformed ? -EINVAL : 0;
}

/* ---- Matching ---- */

/** What a rule has counted, and what it sticks to; zeros where nothing is stored yet. */
struct rule_counts {
	uint64_t count, target;
};

static bool rule_matches(const struct fault *rule, const struct fault_event *event)
{
	const bool query = (event->command && !event->change) || event->place == FAULT_READ ||
			   event->place == FAULT_LIST;

	if (!(rule->place == FAULT_COMMAND  ? event->command
	      : rule->place == FAULT_CHANGE ? event->change
	      : rule->place == FAULT_QUERY  ? query
					    : rule->place == event->place))
		return false;
	if (rule->action == ACTION_SHORT && !event->last_of_several)
		return false;
	for (size_t i = 0; i < FAULT_NUMBERS; i++)
		if (rule->given[i] && (!event->known[i] || event->number[i] != rule->number[i]))
			return false;
	return !rule->path || fnmatch(rule->path, event->path, FNM_PATHNAME) == 0;
}

/** Counts a match, and whether the rule acts on it. One that sticks acts on its first target only,
 * which the log notes; @event NULL: it does not. */
static bool rule_acts(const struct faults *faults, size_t index, const struct fault_event *event)
{
	const struct fault *rule = &faults->rules[index];
	const off_t at = (off_t)(sizeof(struct rules_identity) +
				 index * sizeof(struct rule_counts));
	struct rule_counts counts = { 0 };
	char *target = NULL, *line;
	bool acting = true, stuck;

	if (rule->after == 0 && rule->times == UINT64_MAX && !rule->sticks)
		return true;
	(void)!pread(faults->counts, &counts, sizeof(counts), at);
	stuck = counts.target;
	if (!stuck)
		acting = counts.count >= rule->after && counts.count - rule->after < rule->times;
	counts.count += !stuck;
	if (acting && rule->sticks && event) {
		target = fault_describe(event);
		acting = target && (!stuck || counts.target == hash_text(target));
		if (target && !stuck)
			counts.target = hash_text(target);
	}
	if (!stuck)
		(void)!pwrite(faults->counts, &counts, sizeof(counts), at);
	if (acting && target && !stuck && asprintf(&line, "fault rule sticks: %s", target) >= 0) {
		directory_log(faults->directory, line);
		free(line);
	}
	free(target);
	return acting;
}

/** To the microsecond: the kernel's sleep comes near it, and what is left is waited for busily. */
static void pause_for(uint64_t us)
{
	const int64_t end = monotonic_us() + (int64_t)us;
	const uint64_t slack = 1000;
	struct timespec time;

	if (us > slack) {
		time = (struct timespec){ .tv_sec = (time_t)((us - slack) / 1000000),
					  .tv_nsec = (long)((us - slack) % 1000000) * 1000 };
		while (nanosleep(&time, &time) && errno == EINTR)
			;
	}
	while (monotonic_us() < end)
		;
}

void fault_event_set(struct fault_event *event, enum fault_number number, uint64_t value)
{
	event->known[number] = true;
	event->number[number] = value;
}

struct fault_effect faults_find(const struct faults *faults, const struct fault_event *event)
{
	for (size_t i = 0; i < faults->count; i++) {
		struct fault *rule = &faults->rules[i];

		if (!rule_matches(rule, event) || !rule_acts(faults, i, event))
			continue;
		rule->acted = true;
		if (rule->delay_us)
			pause_for(rule->delay_us);
		if (rule->action != ACTION_NONE)
			return (struct fault_effect){ rule->action, rule->value, rule->content };
	}
	return (struct fault_effect){ 0 };
}

const struct agent_action *faults_take_agent(const struct faults *faults)
{
	for (size_t i = 0; i < faults->count; i++) {
		struct fault *rule = &faults->rules[i];
		bool due = rule->acted && rule->then.kind != AGENT_IDLE;

		rule->acted = false;
		if (due)
			return &rule->then;
	}
	return NULL;
}

static pid_t program; /* on whose behalf this process accesses the machine; 0: its own */

void faults_set_caller(pid_t caller)
{
	program = caller;
}

pid_t faults_caller(void)
{
	return program;
}

bool faults_finish(const struct fault_effect *effect)
{
	int number = (int)effect->value;
	struct sigaction action;
	sigset_t blocked;

	if (effect->action != ACTION_SIGNAL)
		return false;
	if (program) {
		const uint64_t held = task_mask(program, "SigBlk:") | task_mask(program, "SigIgn:");

		kill(program, number);
		return !(held >> (number - 1) & 1);
	}
	kill(getpid(), number);
	/* Whether a driver that looks for a pending signal would find one. */
	if (sigprocmask(SIG_SETMASK, NULL, &blocked))
		return false;
	return sigismember(&blocked, number) != 1 && sigaction(number, NULL, &action) == 0 &&
	       action.sa_handler != SIG_IGN;
}

enum fault_action faults_capability(const struct faults *faults, int capability)
{
	const struct fault_event event = {
		.place = FAULT_CAPABILITY,
		.known = { [NUMBER_WHICH] = true },
		.number = { [NUMBER_WHICH] = (uint64_t)capability },
	};

	return faults_find(faults, &event).action;
}

void faults_platform_info(const struct faults *faults, struct abi_platform_info *info)
{
	for (size_t i = 0; i < faults->count; i++) {
		const struct fault *rule = &faults->rules[i];

		if (rule->action != ACTION_INFO || !rule_acts(faults, i, NULL))
			continue;
		for (size_t j = 0; j < sizeof(*info); j++)
			if (rule->info_given[j])
				((unsigned char *)info)[j] = rule->info[j];
	}
}
