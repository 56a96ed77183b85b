/* SPDX-License-Identifier: BSD-3-Clause */
/* Each call that accesses the machine, while each driver call and each file of it fails in turn:
 * it returns only errnos that the headers list for it. ISST_ERRNOS=print prints what came back. */
#include "check.h"
#include "isst-journal.h"

#include <errno.h>

/* ---- What the headers list ---- */

static const struct {
	int number;
	const char *name;
} NAMES[] = {
	{ EACCES, "EACCES" },
	{ EAGAIN, "EAGAIN" },
	{ EBUSY, "EBUSY" },
	{ EFBIG, "EFBIG" },
	{ EINTR, "EINTR" },
	{ EINVAL, "EINVAL" },
	{ EIO, "EIO" },
	{ EMFILE, "EMFILE" },
	{ ENFILE, "ENFILE" },
	{ ENODATA, "ENODATA" },
	{ ENODEV, "ENODEV" },
	{ ENOENT, "ENOENT" },
	{ ENOMEM, "ENOMEM" },
	{ ENOSPC, "ENOSPC" },
	{ EOPNOTSUPP, "EOPNOTSUPP" },
	{ EPERM, "EPERM" },
	{ EROFS, "EROFS" },
	{ ESTALE, "ESTALE" },
	{ ENXIO, "ENXIO" },
	{ ETIMEDOUT, "ETIMEDOUT" },
	{ EPROTO, "EPROTO" },
	{ EOVERFLOW, "EOVERFLOW" },
	{ ISST_ERR_ROLLBACK, "ISST_ERR_ROLLBACK" },
};

enum { NAME_COUNT = sizeof(NAMES) / sizeof(*NAMES) };

/** The headers as one text. */
static char *headers;

static void read_headers(void)
{
	/* NOLINTNEXTLINE(cert-env33-c) */
	FILE *all = popen("cat include/isst.h include/isst-*.h", "r");
	size_t size = 0;

	assert_non_null(all);
	assert_true(getdelim(&headers, &size, '\0', all) > 0);
	ok(pclose(all));
}

/** Adds a bit for each errno that a text of the headers names, and for what it refers to: `as
 * isst_read()`. */
static unsigned int list_errnos(const char *from, const char *end);

static unsigned int errnos_of(const char *function)
{
	const char *comment = NULL, *end, *next = headers;
	char declaration[64];

	snprintf(declaration, sizeof(declaration), " %s(", function);
	/* The declaration, not a text that mentions it. */
	for (end = headers; (end = strstr(end, declaration)) != NULL; end++) {
		const char *line = end;

		while (line > headers && line[-1] != '\n')
			line--;
		if (strncmp(line, "ISST_API", 8) == 0)
			break;
	}
	if (!end)
		fail_msg("%s is not declared", function);
	for (; (next = strstr(next, "/**")) && next < end; next++)
		comment = next;
	assert_non_null(comment);
	return list_errnos(comment, end);
}

static unsigned int list_errnos(const char *from, const char *end)
{
	unsigned int listed = 0;
	char name[64];

	for (const char *at = from; at < end; at++) {
		if (sscanf(at, "-%63[A-Z_]", name) == 1)
			for (size_t i = 0; i < NAME_COUNT; i++)
				listed |= strcmp(NAMES[i].name, name) == 0 ? 1U << i : 0;
		if (sscanf(at, "as isst_%57[a-z_](", name + 5) == 1) {
			memcpy(name, "isst_", 5);
			listed |= errnos_of(name);
		}
	}
	return listed;
}

/* ---- Faults ---- */

/** The rule of this run; "": none. */
static char rule[64];

static void write_rule(const char *text)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/faults", fixture.directory);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", text);
	ok(fclose(file));
}

/** Calls while the rule holds. */
#define DISTURBED(call) (write_rule(rule), end_fault(call))

static int end_fault(int result)
{
	write_rule("");
	return result;
}

/* ---- The calls ---- */

static struct isst_context *context;

static struct isst_config *config_of(const char *text)
{
	struct isst_config *config = isst_config_new();

	ok(isst_config_add_text(config, "test", text, strlen(text), 0));
	return config;
}

static const char SETTINGS[] = "core-power on\nclos 1: min 1000\nclos 1: max 1800\nassociation 1\n"
			       "scaling-max 1500\nturbo-freq on";

/** A change of all that can be changed; NULL where the machine has none of it. */
static struct isst_change *new_change(unsigned int flags)
{
	struct isst_change_options *options = isst_change_options_new();
	struct isst_config *config = config_of(SETTINGS);
	struct isst_change *change;

	ok(isst_change_options_set_flags(options, flags));
	ok(isst_change_new(context, options, &change));
	ok(isst_change_add_config(change, config, 0));
	isst_change_options_free(options);
	isst_config_free(config);
	return change;
}

static int lock_it(void)
{
	return DISTURBED(isst_lock(context, 0, 0));
}

static int check_privileges(void)
{
	return DISTURBED(isst_check_privileges(context));
}

static int wait_for_driver(void)
{
	return DISTURBED(isst_wait_for_driver(context, 0, 0));
}

static int discover(void)
{
	return DISTURBED(isst_discover(context));
}

static int discover_again(void)
{
	ok(isst_discover(context));
	return DISTURBED(isst_discover(context));
}

static int claim(void)
{
	return DISTURBED(isst_claim(context, "test.pid"));
}

static int see_cpus_changed(void)
{
	return DISTURBED(isst_cpus_changed(context));
}

static int close_device(void)
{
	return DISTURBED(isst_close_device(context));
}

static int read_fact(void)
{
	return DISTURBED(isst_platform_fact(context, ISST_FACT_TURBO_DISABLED));
}

static int list_undisturbed_cpus(void)
{
	struct isst_cpuset *cpus;
	int result = DISTURBED(isst_undisturbed_cpus(context, &cpus));

	isst_cpuset_free(cpus);
	return result;
}

static int find_cpus(const char *name)
{
	struct isst_cpuset *cpus = NULL;
	int result = DISTURBED(isst_cpus_by_name(context, name, 0, &cpus));

	isst_cpuset_free(cpus);
	return result;
}

static int find_high_priority(void)
{
	return find_cpus("high-priority");
}

static int find_isolated(void)
{
	return find_cpus("isolated");
}

static int find_class(void)
{
	return find_cpus("clos:0");
}

/** The targets are CPUs: of what is read of domains, their domains. */
static int read_values(int what)
{
	struct isst_results *results = NULL;
	struct isst_targets *cpus = cpus_of_list(context, "0-1");
	int result = DISTURBED(isst_read(context, what, cpus, NULL,
					 what == ISST_READ_LEVELS ? ISST_LEVELS_ALL : 0, &results));

	isst_results_free(results);
	return result;
}

#define READER(name, what) \
	static int name(void) \
	{ \
		return read_values(what); \
	}
READER(read_perf_profiles, ISST_READ_PERF_PROFILES)
READER(read_levels, ISST_READ_LEVELS)
READER(read_core_power, ISST_READ_CORE_POWER)
READER(read_clos, ISST_READ_CLOS)
READER(read_associations, ISST_READ_CLOS_ASSOCIATIONS)
READER(read_turbo_ratio_limits, ISST_READ_TURBO_RATIO_LIMITS)
READER(read_uncore_limits, ISST_READ_UNCORE_LIMITS)
READER(read_scaling_limits, ISST_READ_SCALING_LIMITS)
READER(read_frequencies, ISST_READ_FREQUENCIES)
READER(read_limit_reasons, ISST_READ_LIMIT_REASONS)
READER(read_power, ISST_READ_POWER)

static int choose(void)
{
	struct isst_request *request = isst_request_new();
	struct isst_cpuset *cpus = NULL;
	int result;

	ok(isst_request_set(request, ISST_VALUE_HIGH_PRIORITY_CORES_PER_PACKAGE, 1));
	result = DISTURBED(
		isst_choose_high_priority_cpus(context, all_domains(context), request, 0, &cpus));
	isst_request_free(request);
	isst_cpuset_free(cpus);
	return result;
}

static int add_setting(int what, unsigned int flags)
{
	struct isst_request *request = isst_request_new();
	struct isst_change *change;
	int result;

	if (what == ISST_SET_LEVEL)
		ok(isst_request_set(request, ISST_VALUE_LEVEL, 0));
	ok(isst_change_new(context, NULL, &change));
	result = DISTURBED(
		isst_change_add(change, what, cpus_of_list(context, "0-1"), request, flags, NULL));
	isst_change_free(change);
	isst_request_free(request);
	return result;
}

static int add_level(void)
{
	return add_setting(ISST_SET_LEVEL, ISST_ADD_ONLINE);
}

static int add_base_freq(void)
{
	return add_setting(ISST_SET_BASE_FREQ, ISST_ADD_ENABLE | ISST_ADD_AUTO);
}

static int add_turbo_freq(void)
{
	return add_setting(ISST_SET_TURBO_FREQ, ISST_ADD_ENABLE | ISST_ADD_AUTO);
}

static int add_turbo_freq_off(void)
{
	return add_setting(ISST_SET_TURBO_FREQ, ISST_ADD_DISABLE | ISST_ADD_AUTO);
}

static int add_core_power(void)
{
	return add_setting(ISST_SET_CORE_POWER, ISST_ADD_ENABLE);
}

static int add_turbo_mode(void)
{
	return add_setting(ISST_SET_TURBO_MODE, ISST_ADD_DISABLE);
}

static int check_change(void)
{
	struct isst_change *change = new_change(0);
	int result = DISTURBED(isst_change_check(change));

	isst_change_free(change);
	return result;
}

static int run_change(void)
{
	struct isst_change *change = new_change(0);
	int result = DISTURBED(isst_change_run(change));

	isst_change_free(change);
	return result;
}

/** What ends a change that is held. */
static int end_held(int (*end)(struct isst_change *change))
{
	struct isst_change *change = new_change(ISST_CHANGE_HOLD | ISST_CHANGE_REVERSIBLE);
	int result = isst_change_run(change);

	assert_true(result >= 0);
	result = DISTURBED(end(change));
	isst_change_free(change);
	return result;
}

static int release_change(void)
{
	return end_held(isst_change_release);
}

static int roll_change_back(void)
{
	return end_held(isst_change_roll_back);
}

static int abandon_change(void)
{
	return end_held(isst_change_abandon);
}

static int read_config(void)
{
	struct isst_config *config = NULL;
	int result = DISTURBED(isst_config_read(context, NULL, ISST_CONFIG_READ_ALL, &config));

	isst_config_free(config);
	return result;
}

static int make_defaults(void)
{
	struct isst_config *config = NULL;
	int result = DISTURBED(isst_config_defaults(context, 0, &config));

	isst_config_free(config);
	return result;
}

static int read_boot_state(void)
{
	struct isst_config *config = NULL;
	int result = DISTURBED(isst_config_boot(context, 0, &config));

	isst_config_free(config);
	return result;
}

static int match_config(void)
{
	struct isst_config *config = config_of(SETTINGS);
	int result = DISTURBED(isst_config_match(config, context, 0));

	isst_config_free(config);
	return result;
}

static int check_config(void)
{
	struct isst_config *config = config_of(SETTINGS);
	int result = DISTURBED(isst_config_check(config, context, 0));

	isst_config_free(config);
	return result;
}

static int add_config(void)
{
	struct isst_config *config = config_of(SETTINGS);
	struct isst_change *change;
	int result;

	ok(isst_change_new(context, NULL, &change));
	result = DISTURBED(isst_change_add_config(change, config, 0));
	isst_change_free(change);
	isst_config_free(config);
	return result;
}

static int record_apply(void)
{
	struct isst_config *config = config_of(SETTINGS);
	int result = DISTURBED(isst_config_record_apply(config, context, 0, 0));

	isst_config_free(config);
	return result;
}

static int read_apply_record(void)
{
	struct isst_apply_record *record = NULL;
	int result = DISTURBED(isst_read_apply_record(context, 0, &record));

	isst_apply_record_free(record);
	return result;
}

static int explain(void)
{
	struct isst_explanation *explanation = NULL;
	int result = DISTURBED(isst_explain(context, all_domains(context), NULL, 0, &explanation));

	isst_explanation_free(explanation);
	return result;
}

static int open_events(void)
{
	struct isst_events *events = NULL;
	int result = DISTURBED(isst_events_open(context, 0, &events));

	isst_events_close(events);
	return result;
}

/* How far a context is before the call. */
enum stage { OPENED, DISCOVERED, LOCKED };

static const struct call {
	const char *function, *what; /* what: told apart in the table; NULL: nothing to tell */
	int (*make)(void);
	enum stage stage;
	const char *more; /* of the headers, what lists errnos besides the function's comment */
} CALLS[] = {
	{ "isst_lock", NULL, lock_it, OPENED, NULL },
	{ "isst_check_privileges", NULL, check_privileges, OPENED, NULL },
	{ "isst_wait_for_driver", NULL, wait_for_driver, OPENED, NULL },
	{ "isst_discover", NULL, discover, OPENED, NULL },
	{ "isst_discover", "again", discover_again, OPENED, NULL },
	{ "isst_claim", NULL, claim, DISCOVERED, NULL },
	{ "isst_cpus_changed", NULL, see_cpus_changed, DISCOVERED, NULL },
	{ "isst_close_device", NULL, close_device, DISCOVERED, NULL },
	{ "isst_platform_fact", "turbo", read_fact, DISCOVERED, NULL },
	{ "isst_undisturbed_cpus", NULL, list_undisturbed_cpus, DISCOVERED, NULL },
	{ "isst_cpus_by_name", "high-priority", find_high_priority, DISCOVERED, NULL },
	{ "isst_cpus_by_name", "isolated", find_isolated, DISCOVERED, NULL },
	{ "isst_cpus_by_name", "clos", find_class, DISCOVERED, NULL },
	{ "isst_read", "summary", read_perf_profiles, DISCOVERED, "enum isst_reading {" },
	{ "isst_read", "levels", read_levels, DISCOVERED, "enum isst_reading {" },
	{ "isst_read", "core-power", read_core_power, DISCOVERED, "enum isst_reading {" },
	{ "isst_read", "classes", read_clos, DISCOVERED, "enum isst_reading {" },
	{ "isst_read", "associations", read_associations, DISCOVERED, "enum isst_reading {" },
	{ "isst_read", "turbo", read_turbo_ratio_limits, DISCOVERED, "enum isst_reading {" },
	{ "isst_read", "uncore", read_uncore_limits, DISCOVERED, "enum isst_reading {" },
	{ "isst_read", "scaling", read_scaling_limits, DISCOVERED, "enum isst_reading {" },
	{ "isst_read", "frequencies", read_frequencies, DISCOVERED, "enum isst_reading {" },
	{ "isst_read", "reasons", read_limit_reasons, DISCOVERED, "enum isst_reading {" },
	{ "isst_read", "power", read_power, DISCOVERED, "enum isst_reading {" },
	{ "isst_choose_high_priority_cpus", NULL, choose, DISCOVERED, NULL },
	{ "isst_change_add", "level", add_level, LOCKED, "enum isst_setting {" },
	{ "isst_change_add", "base-freq", add_base_freq, LOCKED, "enum isst_setting {" },
	{ "isst_change_add", "turbo-freq", add_turbo_freq, LOCKED, "enum isst_setting {" },
	{ "isst_change_add", "turbo-freq off", add_turbo_freq_off, LOCKED, "enum isst_setting {" },
	{ "isst_change_add", "core-power", add_core_power, LOCKED, "enum isst_setting {" },
	{ "isst_change_add", "turbo-mode", add_turbo_mode, LOCKED, "enum isst_setting {" },
	{ "isst_change_check", NULL, check_change, LOCKED, NULL },
	{ "isst_change_run", NULL, run_change, LOCKED, NULL },
	{ "isst_change_release", NULL, release_change, LOCKED, NULL },
	{ "isst_change_roll_back", NULL, roll_change_back, LOCKED, NULL },
	{ "isst_change_abandon", NULL, abandon_change, LOCKED, NULL },
	{ "isst_config_read", NULL, read_config, DISCOVERED, NULL },
	{ "isst_config_defaults", NULL, make_defaults, DISCOVERED, NULL },
	{ "isst_config_boot", NULL, read_boot_state, DISCOVERED, NULL },
	{ "isst_config_match", NULL, match_config, DISCOVERED, NULL },
	{ "isst_config_check", NULL, check_config, DISCOVERED, NULL },
	{ "isst_change_add_config", NULL, add_config, LOCKED, NULL },
	{ "isst_config_record_apply", NULL, record_apply, LOCKED, NULL },
	{ "isst_read_apply_record", NULL, read_apply_record, DISCOVERED, NULL },
	{ "isst_explain", NULL, explain, DISCOVERED, NULL },
	{ "isst_events_open", NULL, open_events, DISCOVERED, NULL },
};

/* ---- The sweep ---- */

/** Accesses of the machine since the last call. */
static unsigned int count_accesses(void)
{
	struct isst_emulator_statistics *statistics;
	uint64_t sum = 0;
	char *error;

	ok(isst_emulator_read_statistics(fixture.target, ISST_EMULATOR_STATISTICS_CLEAR,
					 &statistics, &error));
	sum = isst_emulator_statistics_count(statistics, ISST_EMULATOR_COUNTER_DEVICE_OPENS) +
	      isst_emulator_statistics_count(statistics, ISST_EMULATOR_COUNTER_COMMANDS) +
	      isst_emulator_statistics_count(statistics, ISST_EMULATOR_COUNTER_FILES_OPENED);
	isst_emulator_statistics_free(statistics);
	return (unsigned int)sum;
}

/** One call on the machine as it is after boot. */
static int make_call(const struct call *call)
{
	char *error;
	int result;

	ok(isst_emulator_reset(fixture.target, &error));
	write_rule("");
	context = fixture_open(&fixture, NULL);
	if (call->stage == LOCKED)
		ok(isst_lock(context, 0, 0));
	if (call->stage != OPENED)
		ok(isst_discover(context));
	count_accesses();
	result = call->make();
	while (fixture.target_count > 0)
		isst_targets_free(fixture.targets[--fixture.target_count]);
	isst_close(context);
	return result;
}

static unsigned int bit_of(int error)
{
	for (size_t i = 0; i < NAME_COUNT; i++)
		if (NAMES[i].number == error)
			return 1U << i;
	fail_msg("errno %d has no name here", error);
	return 0;
}

static void print_row(const struct call *call, unsigned int returned)
{
	printf("# %s%s%s:", call->function, call->what ? " " : "", call->what ? call->what : "");
	for (size_t i = 0; i < NAME_COUNT; i++)
		if (returned >> i & 1)
			printf(" %s", NAMES[i].name);
	printf("\n");
}

/** All that a call returns while each access in turn fails, once or from then on. */
static unsigned int sweep_call(const struct call *call)
{
	static const char *const errors[] = { "EIO",	"EIO times 1", "EMFILE", "EACCES",
					      "ENOENT", "ENODEV",      "EAGAIN", "EINVAL" };
	static const char *const places[] = { "query", "change" };
	/* What is under the lock is long. */
	const unsigned int kinds = call->stage == LOCKED ? 3 : sizeof(errors) / sizeof(*errors);
	unsigned int returned = 0, count;

	rule[0] = '\0';
	make_call(call);
	count = count_accesses();
	for (unsigned int i = 0; i < count * kinds * 2; i++) {
		int result;

		/* Only a change has what the second one is for. */
		if (i % 2 && call->stage != LOCKED)
			continue;
		snprintf(rule, sizeof(rule), "%s any after %u %s", places[i % 2], i / 2 / kinds,
			 errors[i / 2 % kinds]);
		result = make_call(call);
		if (result < 0)
			returned |= bit_of(-result);
	}
	return returned;
}

static void sweep(const char *platform)
{
	const char *any;
	unsigned int always, bad = 0;

	read_headers();
	any = strstr(headers, "any function may also return");
	always = list_errnos(any, strchr(any, '.'));
	fixture_begin(&fixture, of_tests(platform));
	for (size_t i = 0; i < sizeof(CALLS) / sizeof(*CALLS); i++) {
		const struct call *call = &CALLS[i];
		const char *more = call->more ? strstr(headers, call->more) : NULL;
		unsigned int returned = sweep_call(call),
			     listed = always | errnos_of(call->function);

		if (more)
			listed |= list_errnos(more, strstr(more, "};"));
		if (getenv("ISST_ERRNOS"))
			print_row(call, returned);
		if (returned & ~listed) {
			printf("# not listed:\n");
			print_row(call, returned & ~listed);
			bad++;
		}
	}
	free(headers);
	assert_int_equal(bad, 0);
}

MACHINE_TEST(errnos_are_listed_where_there_is_a_mailbox)
{
	sweep("tiny");
}

MACHINE_TEST(errnos_are_listed_where_there_is_TPMI)
{
	sweep("tpmi-tiny");
}
