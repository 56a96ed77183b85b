/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of fault rules (docs/internals/emulator.md), read and written, not when they act. */
#include "base/error_name.h"
#include "common/memory_stream.h"
#include "common/number.h"
#include "emulator/front/faults.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/** Where the words of a rule are read from. */
struct reader {
	const char *file;
	unsigned int line;
	char *rest;
	bool unclosed; /* the line ended within quotes */
	char **error;
};

static int rule_error(struct reader *reader, const char *found, const char *expected)
{
	if (reader->unclosed)
		return set_error(reader->error, -EINVAL, "%s:%u: a quote is not closed",
				 reader->file, reader->line);
	return set_error(reader->error, -EINVAL, "%s:%u: found \"%s\", expected %s", reader->file,
			 reader->line, found ? found : "end of line", expected);
}

/** Takes the quotes off in place: \n, \t, \" and \\ stand for themselves. Returns NULL where the
 * closing one is missing. */
static char *unquote_word(struct reader *reader)
{
	char *word = ++reader->rest, *to = word;

	for (; *reader->rest && *reader->rest != '"'; reader->rest++) {
		bool escaped = *reader->rest == '\\' && reader->rest[1];

		reader->rest += escaped;
		*to++ = !escaped	       ? *reader->rest
			: *reader->rest == 'n' ? '\n'
			: *reader->rest == 't' ? '\t'
					       : *reader->rest;
	}
	reader->unclosed = *reader->rest == '\0';
	reader->rest += !reader->unclosed;
	*to = '\0';
	return reader->unclosed ? NULL : word;
}

/** The next word, or NULL at the end of the line, where quotes may be open. */
static char *next_word(struct reader *reader)
{
	char *word;

	reader->rest += strspn(reader->rest, " \t\r");
	if (*reader->rest == '\0' || *reader->rest == '#')
		return NULL;
	if (*reader->rest == '"')
		return unquote_word(reader);
	word = reader->rest;
	reader->rest += strcspn(reader->rest, " \t\r");
	if (*reader->rest)
		*reader->rest++ = '\0';
	return word;
}

static int next_number(struct reader *reader, uint64_t *value)
{
	const char *word = next_word(reader);

	if (!word || number_parse(word, 0, UINT64_MAX, value))
		return rule_error(reader, word, "a number");
	return 0;
}

static const struct {
	const char *name;
	enum {
		ARGUMENT_NONE,
		ARGUMENT_COMMAND,
		ARGUMENT_NUMBER,
		ARGUMENT_PATH,
		ARGUMENT_REQUEST,
		ARGUMENT_ANY
	} argument;
} places[FAULT_PLACES] = {
	[FAULT_OPEN] = { "open", ARGUMENT_NONE },
	[FAULT_IOCTL] = { "ioctl", ARGUMENT_NONE },
	[FAULT_MAILBOX] = { "mailbox", ARGUMENT_COMMAND },
	[FAULT_MMIO] = { "mmio", ARGUMENT_NUMBER },
	[FAULT_MSR] = { "msr", ARGUMENT_NUMBER },
	[FAULT_PHY_ID] = { "phy-id", ARGUMENT_NONE },
	[FAULT_TPMI] = { "tpmi", ARGUMENT_REQUEST },
	[FAULT_PLATFORM_INFO] = { "platform-info", ARGUMENT_NONE },
	[FAULT_READ] = { "read", ARGUMENT_PATH },
	[FAULT_WRITE] = { "write", ARGUMENT_PATH },
	[FAULT_LIST] = { "list", ARGUMENT_PATH },
	[FAULT_MKDIR] = { "mkdir", ARGUMENT_PATH },
	[FAULT_RMDIR] = { "rmdir", ARGUMENT_PATH },
	[FAULT_COMMAND] = { "command", ARGUMENT_ANY },
	[FAULT_CHANGE] = { "change", ARGUMENT_ANY },
	[FAULT_QUERY] = { "query", ARGUMENT_ANY },
	[FAULT_CAPABILITY] = { "capability", ARGUMENT_NONE },
};

#define OF(place) (1u << FAULT_##place)
#define OF_SETS (OF(MAILBOX) | OF(MMIO) | OF(MSR) | OF(TPMI))
#define OF_ENTRIES (OF(MAILBOX) | OF(MMIO) | OF(MSR) | OF(PHY_ID))
#define OF_DOMAINS (OF_ENTRIES | OF(TPMI) | OF_GATHERED)
#define OF_GATHERED (OF(COMMAND) | OF(CHANGE) | OF(QUERY))
/* Properties of the machine are no operations that could fail. */
#define OF_OPERATIONS (~(OF(PLATFORM_INFO) | OF(CAPABILITY)))
#define OF_ALL (~0u)
/* A field of the platform information, by its offset and size. */
#define INFO_OF(field) \
	INFO, \
		offsetof(struct abi_platform_info, field) << 8 | \
			sizeof(((struct abi_platform_info *)NULL)->field), \
		OF(PLATFORM_INFO)

/* A word of a rule: what it is, what of, and the places that know it. */
static const struct {
	const char *name;
	enum word_kind {
		CONDITION, /* a number follows, @value is what it is compared with */
		DIRECTION,
		EFFECT,
		NUMBER_EFFECT,
		INFO,
		AT, /* a number follows; @value: where it is in the rule */
		DELAY,
		STICKS,
		CONTENT,
		SIGNAL,
		THEN,
	} kind;
	unsigned int value, places;
} words[] = {
	{ "request", CONDITION, NUMBER_WHICH, OF(IOCTL) },
	{ "number", CONDITION, NUMBER_WHICH, OF(CAPABILITY) },
	{ "package", CONDITION, NUMBER_PACKAGE, OF_DOMAINS },
	{ "die", CONDITION, NUMBER_DIE, OF_DOMAINS },
	{ "power-domain", CONDITION, NUMBER_POWER_DOMAIN, OF(TPMI) | OF_GATHERED },
	{ "cpu", CONDITION, NUMBER_CPU, OF_ENTRIES | OF_GATHERED },
	{ "data", CONDITION, NUMBER_DATA, OF_SETS },
	{ "parameter", CONDITION, NUMBER_PARAMETER, OF(MAILBOX) },
	{ "get", DIRECTION, 0, OF_SETS | OF(COMMAND) },
	{ "set", DIRECTION, 1, OF_SETS | OF(COMMAND) },
	{ "short", EFFECT, ACTION_SHORT, OF_ENTRIES | OF_GATHERED },
	{ "ignored", EFFECT, ACTION_IGNORED,
	  OF_SETS | OF(WRITE) | OF(MKDIR) | OF(RMDIR) | OF_GATHERED },
	{ "granted", EFFECT, ACTION_GRANTED, OF(CAPABILITY) },
	{ "denied", EFFECT, ACTION_DENIED, OF(CAPABILITY) },
	{ "real", EFFECT, ACTION_REAL, OF(CAPABILITY) },
	{ "value", NUMBER_EFFECT, ACTION_VALUE, OF_ENTRIES },
	{ "return", NUMBER_EFFECT, ACTION_RETURN, OF_ENTRIES | OF(TPMI) | OF(IOCTL) | OF(COMMAND) },
	{ "deferred", NUMBER_EFFECT, ACTION_DEFERRED, OF_SETS },
	{ "refused", NUMBER_EFFECT, ACTION_REFUSED, OF(TPMI) },
	{ "api-version", INFO_OF(api_version) },
	{ "driver-version", INFO_OF(driver_version) },
	{ "max-commands", INFO_OF(max_cmds_per_ioctl) },
	{ "mailbox", INFO_OF(mbox_supported) },
	{ "mmio", INFO_OF(mmio_supported) },
	{ "after", AT, offsetof(struct fault, after), OF_ALL },
	{ "times", AT, offsetof(struct fault, times), OF_ALL },
	{ "delay", DELAY, 0, OF_ALL },
	{ "sticks", STICKS, 0, OF_ALL },
	{ "content", CONTENT, 0, OF(READ) },
	{ "signal", SIGNAL, 0, OF_OPERATIONS },
	{ "then", THEN, 0, OF_OPERATIONS },
};

/* Not those that stop the caller: it holds the machine at that moment. */
static const struct {
	const char *name;
	int number;
} signals[] = {
	{ "HUP", SIGHUP },   { "INT", SIGINT },	  { "QUIT", SIGQUIT },
	{ "KILL", SIGKILL }, { "USR1", SIGUSR1 }, { "USR2", SIGUSR2 },
	{ "PIPE", SIGPIPE }, { "ALRM", SIGALRM }, { "TERM", SIGTERM },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define DOMAIN_NUMBERS (1u << NUMBER_PACKAGE | 1u << NUMBER_DIE | 1u << NUMBER_POWER_DOMAIN)

static int set_action(struct reader *reader, struct fault *rule, const char *word,
		      enum fault_action action)
{
	if (rule->action != ACTION_NONE && rule->action != action)
		return rule_error(reader, word, "one effect in a rule");
	rule->action = action;
	return 0;
}

/** The number of a condition, which the rule has from now on. */
static uint64_t *condition(struct fault *rule, unsigned int number)
{
	rule->given[number] = true;
	return &rule->number[number];
}

/** Milliseconds, or with `us` behind the number microseconds. */
static int read_delay(struct reader *reader, uint64_t *us)
{
	static const char unit[] = "us";
	char *word = next_word(reader);
	size_t length = word ? strlen(word) : 0, suffix = sizeof(unit) - 1;
	bool micro = length > suffix && strcmp(word + length - suffix, unit) == 0;
	uint64_t most = micro ? UINT64_MAX : UINT64_MAX / 1000;

	if (micro)
		word[length - suffix] = '\0';
	if (!word || number_parse(word, 0, most, us))
		return rule_error(reader, word, "a number, or one with us");
	if (!micro)
		*us *= 1000;
	return 0;
}

/** `then write PATH VALUE`, or `then level 2 package 0` with the domains to the end of the line;
 * all where none are named. */
static int read_then(struct reader *reader, struct fault *rule, const char *word)
{
	struct agent_action *then = &rule->then;
	const char *what, *path, *content;
	int error;

	if (then->kind != AGENT_IDLE)
		return rule_error(reader, word, "one \"then\" in a rule");
	what = next_word(reader);
	if (what && strcmp(what, "write") == 0) {
		then->kind = AGENT_WRITES;
		path = next_word(reader);
		if (!path || *path != '/')
			return rule_error(reader, path, "an absolute path");
		then->path = strdup(path);
		content = next_word(reader);
		if (!content)
			return rule_error(reader, content, "the value to write");
		then->content = strdup(content);
		return then->path && then->content ? 0 : -ENOMEM;
	}
	if (!what || strcmp(what, "level") != 0)
		return rule_error(reader, what, "level or write");
	then->kind = AGENT_SETS_LEVEL;
	error = next_number(reader, &then->level);
	while (!error && (word = next_word(reader))) {
		size_t i = 0;

		while (i < COUNT(words) &&
		       (strcmp(words[i].name, word) != 0 || words[i].kind != CONDITION ||
			!(DOMAIN_NUMBERS >> words[i].value & 1)))
			i++;
		if (i == COUNT(words))
			return rule_error(reader, word, "package, die or power-domain");
		then->given[words[i].value] = true;
		error = next_number(reader, &then->number[words[i].value]);
	}
	return error;
}

static int read_word(struct reader *reader, struct fault *rule, const char *word)
{
	const char *content;
	unsigned int value;
	uint64_t number;
	size_t i = 0;
	int error;

	while (i < COUNT(words) &&
	       (strcmp(words[i].name, word) != 0 || !(words[i].places >> rule->place & 1)))
		i++;
	if (i == COUNT(words) && OF_OPERATIONS >> rule->place & 1 && error_number(word)) {
		rule->value = (uint64_t)error_number(word);
		return set_action(reader, rule, word, ACTION_ERROR);
	}
	if (i == COUNT(words))
		return rule_error(reader, word,
				  "a condition, an effect (an error's name, ...), \"times\", "
				  "\"after\", \"sticks\", \"delay\" or \"then\" that this kind of "
				  "rule knows");
	value = words[i].value;
	switch (words[i].kind) {
	case CONDITION:
		return next_number(reader, condition(rule, value));
	case DIRECTION:
		*condition(rule, NUMBER_SET) = value;
		return 0;
	case EFFECT:
		return set_action(reader, rule, word, (enum fault_action)value);
	case NUMBER_EFFECT:
		error = set_action(reader, rule, word, (enum fault_action)value);
		/* Only what sets something can take effect later, or be refused by firmware. */
		if (value == ACTION_DEFERRED || value == ACTION_REFUSED)
			*condition(rule, NUMBER_SET) = 1;
		return error ? error : next_number(reader, &rule->value);
	case INFO:
		rule->action = ACTION_INFO;
		memset(rule->info_given + (value >> 8), 0xff, value & 0xff);
		error = next_number(reader, &number);
		memcpy(rule->info + (value >> 8), low_bytes(&number, value & 0xff),
		       error ? 0 : value & 0xff);
		return error;
	case AT:
		return next_number(reader, (void *)((char *)rule + value));
	case DELAY:
		return read_delay(reader, &rule->delay_us);
	case STICKS:
		rule->sticks = true;
		return 0;
	case CONTENT:
		content = next_word(reader);
		if (!content)
			return rule_error(reader, content, "the content in quotes");
		free(rule->content);
		rule->content = strdup(content);
		return rule->content ? set_action(reader, rule, word, ACTION_CONTENT) : -ENOMEM;
	case SIGNAL:
		content = next_word(reader);
		for (i = 0; i < COUNT(signals) && content; i++) {
			rule->value = (uint64_t)signals[i].number;
			if (strcmp(signals[i].name, content) == 0)
				return set_action(reader, rule, word, ACTION_SIGNAL);
		}
		return rule_error(reader, content, "a signal such as TERM");
	case THEN:
		return read_then(reader, rule, word);
	}
	return 0;
}

static const struct {
	const char *name;
	unsigned long request;
} tpmi_requests[] = {
	{ "count-instances", ABI_COUNT_TPMI_INSTANCES },
	{ "core-power", ABI_CORE_POWER_STATE },
	{ "clos-param", ABI_CLOS_PARAM },
	{ "clos-assoc", ABI_CLOS_ASSOC },
	{ "perf-levels", ABI_PERF_LEVELS },
	{ "perf-set-level", ABI_PERF_SET_LEVEL },
	{ "perf-set-feature", ABI_PERF_SET_FEATURE },
	{ "perf-level-info", ABI_GET_PERF_LEVEL_INFO },
	{ "perf-level-mask", ABI_GET_PERF_LEVEL_CPU_MASK },
	{ "base-freq-info", ABI_GET_BASE_FREQ_INFO },
	{ "base-freq-mask", ABI_GET_BASE_FREQ_CPU_MASK },
	{ "turbo-freq-info", ABI_GET_TURBO_FREQ_INFO },
	{ "perf-level-fabric", ABI_GET_PERF_LEVEL_FABRIC_INFO },
};

/** What a place is narrowed to. */
static int read_argument(struct reader *reader, struct fault *rule)
{
	uint64_t command, sub, *which;
	char *word, *slash;

	if (places[rule->place].argument == ARGUMENT_NONE)
		return 0;
	word = next_word(reader);
	if (!word)
		return rule_error(reader, word, "what the rule applies to");
	if (places[rule->place].argument == ARGUMENT_PATH) {
		rule->path = strdup(word);
		return rule->path ? 0 : -ENOMEM;
	}
	if (strcmp(word, "any") == 0)
		return 0;
	which = condition(rule, NUMBER_WHICH);
	switch (places[rule->place].argument) {
	case ARGUMENT_REQUEST:
		for (size_t i = 0; i < COUNT(tpmi_requests); i++) {
			if (strcmp(tpmi_requests[i].name, word) != 0)
				continue;
			*which = tpmi_requests[i].request;
			return 0;
		}
		return rule_error(reader, word, "a request such as perf-set-level, or any");
	case ARGUMENT_COMMAND:
		slash = strchr(word, '/');
		if (slash)
			*slash++ = '\0';
		if (!slash || number_parse(word, 0, UINT8_MAX, &command) ||
		    number_parse(slash, 0, UINT8_MAX, &sub))
			return rule_error(reader, word, "a command such as 0x7f/0x03, or any");
		*which = command << 8 | sub;
		return 0;
	case ARGUMENT_NUMBER:
		return number_parse(word, 0, UINT64_MAX, which)
			       ? rule_error(reader, word, "a number or any")
			       : 0;
	default:
		return rule_error(reader, word, "any");
	}
}

int faults_parse(struct faults *faults, const char *file, char *text, char **error)
{
	struct reader reader = { .file = file, .error = error };
	int result = 0;

	while (text && !result) {
		struct fault *rules, *rule;
		const char *word;

		reader.rest = strsep(&text, "\n");
		reader.line++;
		word = next_word(&reader);
		if (!word && reader.unclosed)
			return rule_error(&reader, NULL, "a rule");
		if (!word)
			continue;
		rules = reallocarray(faults->rules, faults->count + 1, sizeof(*rules));
		if (!rules)
			return -ENOMEM;
		faults->rules = rules;
		rule = &rules[faults->count++];
		*rule = (struct fault){ .times = UINT64_MAX };
		while (rule->place < FAULT_PLACES && strcmp(places[rule->place].name, word) != 0)
			rule->place++;
		if (rule->place == FAULT_PLACES)
			return rule_error(&reader, word,
					  "open, ioctl, mailbox, mmio, msr, phy-id, tpmi, "
					  "platform-info, read, write, list, mkdir, rmdir, "
					  "command, change, query or capability");
		result = read_argument(&reader, rule);
		while (!result && (word = next_word(&reader)))
			result = read_word(&reader, rule, word);
		if (!result &&
		    (reader.unclosed || (rule->action == ACTION_NONE && !rule->delay_us &&
					 rule->then.kind == AGENT_IDLE)))
			result = rule_error(&reader, NULL, "an effect");
	}
	return result;
}

/* ---- Writing ---- */

char *fault_describe(const struct fault_event *event)
{
	const uint64_t which = event->number[NUMBER_WHICH];
	struct memory_stream memory = { 0 };

	if (memory_stream_open(&memory))
		return NULL;
	fputs(places[event->place].name, memory.stream);
	switch (places[event->place].argument) {
	case ARGUMENT_PATH:
		fprintf(memory.stream, " %s", event->path);
		break;
	case ARGUMENT_COMMAND:
		fprintf(memory.stream, " 0x%02" PRIx64 "/0x%02" PRIx64, which >> 8, which & 0xff);
		break;
	case ARGUMENT_NUMBER:
		fprintf(memory.stream, " 0x%" PRIx64, which);
		break;
	case ARGUMENT_ANY:
		fputs(" any", memory.stream);
		break;
	case ARGUMENT_REQUEST:
		for (size_t i = 0; i < COUNT(tpmi_requests); i++)
			if (tpmi_requests[i].request == which)
				fprintf(memory.stream, " %s", tpmi_requests[i].name);
		break;
	case ARGUMENT_NONE:
		break;
	}
	for (size_t i = 0; i < COUNT(words); i++)
		if (words[i].kind == CONDITION && words[i].value != NUMBER_WHICH &&
		    event->known[words[i].value])
			fprintf(memory.stream, " %s 0x%" PRIx64, words[i].name,
				event->number[words[i].value]);
	return memory_stream_text(&memory);
}
