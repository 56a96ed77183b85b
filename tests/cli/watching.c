/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A watcher beside other agents, against a simple model: sequences of foreign changes of levels,
 * classes and CPUs, quick double changes, torn answers, a watcher that is killed, runs that hold
 * the lock, suspends, and a driver that fails or is gone. Time is the test's. ISST_SEQUENCES is the
 * number of sequences on each machine, from the seed ISST_SEED on, and a failure names its seed.
 */
#include "library/check.h"

#include "check.h"
#include "cli/commands/watcher.h"

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INTERVAL_MS = 2000, WHOLE_MS = 30000, APART_MS = 11 * 60 * 1000, STEPS = 8, MOST = 16 };

enum mode { REPORT, FOLLOW, FOLLOW_ISOLATED, APPLY, APPLY_LEVEL, MODES };

static const char *const command_lines[MODES] = {
	[REPORT] = "watch",
	[FOLLOW] = "watch --follow",
	[FOLLOW_ISOLATED] = "-g watch --follow",
	[APPLY] = "watch --apply --config FILE",
	[APPLY_LEVEL] = "watch --apply --config FILE",
};

static const char *const files[MODES] = {
	[APPLY] = "# isst configuration 1\ncpus by-level\nclos 1: min 0 max 2000\n",
	[APPLY_LEVEL] = "# isst configuration 1\nlevel 0\ncpus by-level\nclos 1: min 0 max 2000\n",
};

/** A domain, as the model has it. */
struct domain {
	char *name, *place; /* the latter in rules */
	struct isst_cpuset *present, *enabled[8];
	unsigned int levels;	     /* a bit for each */
	unsigned int level, settled; /* the latter when all was last looked at */
	unsigned int had;	     /* levels since then, a bit for each */
	char *reported;		     /* the level */
	unsigned int changes, actions;
	bool lost;     /* the watcher that was to follow it was killed */
	bool settling; /* and its CPUs may be as they were then */
};

struct world {
	unsigned int seed, number; /* which sequence, and the random numbers */
	enum mode mode;
	const char *platform;
	struct fixture machine;
	struct request request;
	struct run run;
	struct isst_config *file;
	struct watcher watcher;
	int64_t now_ms;
	struct domain domains[MOST];
	size_t domain_count;
	bool touched[512], online[512]; /* by hand, and what it was made */
	unsigned int unstable;
	bool quiet, fights; /* nothing may be reported or done now; fights may begin */
	char log[1 << 16];  /* what was done, for failures */
};

#define ASSERT(world, condition) \
	do { \
		if (!(condition)) { \
			/* Longer than what cmocka prints. */ \
			fputs((world)->log, stderr); \
			fail_msg("%s, mode %d, seed %u: %s", (world)->platform, \
				 (int)(world)->mode, (world)->seed, #condition); \
		} \
	} while (0)

__attribute__((format(printf, 2, 3))) static void note(struct world *world, const char *format, ...)
{
	size_t length = strlen(world->log);
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(world->log + length, sizeof(world->log) - length, format, arguments);
	va_end(arguments);
}

/** Numbers that depend on the seed alone. */
static unsigned int any_of(struct world *world, unsigned int count)
{
	world->number = world->number * 1103515245U + 12345U;
	return (world->number >> 16) % count;
}

/* ---- The machine ---- */

static void rule(const struct world *world, const char *text)
{
	char *path;
	FILE *file;

	assert_true(asprintf(&path, "%s/faults", world->machine.directory) > 0);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	free(path);
}

static struct isst_context *open_again(void *data, char **problem)
{
	const struct world *world = data;
	struct isst_machine *machine;
	struct isst_context *context;

	*problem = NULL;
	if (isst_emulator_open(world->machine.target, &machine, problem) != 0)
		return NULL;
	assert_int_equal(isst_open_machine(machine, NULL, &context), 0);
	return context;
}

static struct isst_context *discover(struct world *world)
{
	struct isst_context *context = fixture_open(&world->machine, NULL);

	assert_int_equal(isst_discover(context), 0);
	return context;
}

/** Another agent does something: what is behind `then` of a rule. */
__attribute__((format(printf, 2, 3))) static void agent(struct world *world, const char *format,
							...)
{
	va_list arguments;
	char *what, *text;

	va_start(arguments, format);
	assert_true(vasprintf(&what, format, arguments) > 0);
	va_end(arguments);
	note(world, "%lld: %s\n", (long long)world->now_ms, what);
	assert_true(asprintf(&text, "open times 1 then %s\n", what) > 0);
	rule(world, text);
	isst_close(discover(world));
	rule(world, "");
	free(what);
	free(text);
}

static unsigned int read_level(struct isst_context *context, size_t domain)
{
	struct isst_targets *targets = isst_targets_new(context);
	struct isst_results *results;
	unsigned int level;

	assert_int_equal(isst_targets_add_domain(targets, isst_domain_at(context, domain)), 0);
	assert_int_equal(isst_read(context, ISST_READ_PERF_PROFILES, targets, NULL, 0, &results),
			 0);
	assert_int_equal(
		isst_result_value(isst_results_at(results, 0), ISST_VALUE_CURRENT_LEVEL, &level),
		0);
	isst_results_free(results);
	isst_targets_free(targets);
	return level;
}

/* ---- The model ---- */

static struct isst_cpuset *copy(const struct isst_cpuset *set)
{
	struct isst_cpuset *same = isst_cpuset_new();

	assert_int_equal(isst_cpuset_add_set(same, set), 0);
	return same;
}

static void learn_domain(struct world *world, struct isst_context *context,
			 const struct isst_domain *domain)
{
	struct isst_targets *targets = isst_targets_new(context);
	struct domain *known = &world->domains[world->domain_count++];
	bool split = isst_platform_fact(context, ISST_FACT_POWER_DOMAINS) > 0;
	const struct isst_result *result;
	struct isst_results *results;

	known->name = strdup(isst_domain_name(domain));
	assert_true(asprintf(&known->place, "package %u %s %u", isst_domain_package(domain),
			     split ? "power-domain" : "die",
			     split ? isst_domain_number(domain) : 0) > 0);
	known->present = copy(isst_domain_present_cpus(domain));
	assert_int_equal(isst_targets_add_domain(targets, domain), 0);
	assert_int_equal(isst_read(context, ISST_READ_LEVELS, targets, NULL, ISST_LEVELS_PROPERTIES,
				   &results),
			 0);
	for (size_t i = 0; (result = isst_results_at(results, i)) != NULL; i++) {
		const struct isst_cpuset *cpus;
		unsigned int level;

		assert_int_equal(isst_result_value(result, ISST_VALUE_LEVEL, &level), 0);
		assert_true(level < 8);
		if (isst_result_cpus(result, ISST_VALUE_CPUS, &cpus) != 0)
			continue;
		known->enabled[level] = copy(cpus);
		known->levels |= 1U << level;
	}
	known->level = known->settled = read_level(context, isst_domain_index(domain));
	known->had = 1U << known->level;
	isst_results_free(results);
	isst_targets_free(targets);
}

static void learn(struct world *world)
{
	struct isst_context *context = discover(world);

	for (size_t i = 0; i < isst_domain_count(context); i++)
		if (!isst_domain_is_io(isst_domain_at(context, i)))
			learn_domain(world, context, isst_domain_at(context, i));
	isst_close(context);
}

/** Whether the model has a CPU online. */
static bool is_wanted(const struct world *world, const struct domain *domain, unsigned int cpu)
{
	if (world->mode == REPORT)
		return world->touched[cpu] ? world->online[cpu] : true;
	if (world->mode == FOLLOW && world->touched[cpu])
		return world->online[cpu];
	if (world->mode == FOLLOW_ISOLATED)
		return true;
	return isst_cpuset_has(domain->enabled[domain->level], cpu);
}

/* ---- The watcher ---- */

/** A report of the watcher: counts actions, and keeps the level that was reported last. */
static void take_report(void *data, const struct watch_report *report)
{
	struct world *world = data;

	note(world, "%lld: [%s] %s: %s -> %s (%s)\n", (long long)world->now_ms, report->event,
	     report->target, report->old ? report->old : "", report->present ? report->present : "",
	     report->cause ? report->cause : "");
	ASSERT(world, !world->quiet);
	world->unstable += strcmp(report->event, "unstable") == 0;
	ASSERT(world, world->fights || strcmp(report->event, "fight") != 0);
	for (size_t i = 0; i < world->domain_count; i++) {
		struct domain *domain = &world->domains[i];
		size_t length = strlen(domain->name);

		if (strncmp(report->target, domain->name, length) != 0)
			continue;
		domain->actions += strcmp(report->event, "followed") == 0 ||
				   strcmp(report->event, "applied") == 0;
		if (strcmp(report->event, "changed") != 0 ||
		    strcmp(report->target + length, ": level") != 0)
			continue;
		/* And not what a torn answer is. */
		ASSERT(world, domain->had & 1U << strtoul(report->present, NULL, 10));
		free(domain->reported);
		domain->reported = strdup(report->present);
	}
}

/** CPUs that are offline are not enabled by a level that the machine has had of late. */
static void check_offline(const struct world *world)
{
	const struct isst_context *context = world->watcher.context;
	unsigned int cpu;

	for (size_t i = 0; context && i < world->domain_count; i++) {
		const struct domain *domain = &world->domains[i];

		isst_cpuset_for_each (cpu, domain->present) {
			bool may = world->touched[cpu] || domain->settling;

			for (unsigned int level = 0; level < 8; level++)
				may |= domain->enabled[level] && world->mode != REPORT &&
				       !isst_cpuset_has(domain->enabled[level], cpu);
			ASSERT(world, may || isst_cpuset_has(isst_online_cpus(context), cpu));
		}
	}
}

/** Looks once, when that is due. */
static void look_next(struct world *world)
{
	world->now_ms = world->watcher.due_ms;
	watcher_look(&world->watcher, world->now_ms);
}

/** Looks whenever that is due, for so long. */
static void run_for(struct world *world, int64_t ms)
{
	int64_t end_ms = world->now_ms + ms;
	unsigned int looks = 0;

	while (world->watcher.due_ms <= end_ms) {
		if (world->watcher.due_ms > world->now_ms)
			world->now_ms = world->watcher.due_ms;
		watcher_look(&world->watcher, world->now_ms);
		check_offline(world);
		ASSERT(world, looks++ < 200 + ms / 100);
		/* A look is not for nothing. */
		world->now_ms++;
	}
	world->now_ms = end_ms;
}

static void start_watcher(struct world *world)
{
	world->watcher = (struct watcher){
		.run = &world->run,
		.open = open_again,
		.open_data = world,
		.file = world->file,
		.interval_ms = INTERVAL_MS,
		.whole_ms = WHOLE_MS,
		.report = take_report,
		.report_data = world,
		.due_ms = world->now_ms,
	};
	watcher_begin(&world->watcher);
	for (size_t i = 0; i < world->domain_count; i++) {
		free(world->domains[i].reported);
		world->domains[i].reported = NULL;
	}
}

static struct isst_config *read_file(const char *text)
{
	struct isst_config *config = text ? isst_config_new() : NULL;

	if (text)
		assert_int_equal(isst_config_add_text(config, "FILE", text, strlen(text),
						      ISST_CONFIG_ADD_FILE),
				 0);
	return config;
}

/* ---- What happens ---- */

static struct domain *any_domain(struct world *world)
{
	return &world->domains[any_of(world, (unsigned int)world->domain_count)];
}

static void set_level(struct world *world, struct domain *domain)
{
	unsigned int level = any_of(world, 8);

	while (!(domain->levels & 1U << level))
		level = (level + 1) % 8;
	agent(world, "level %u %s", level, domain->place);
	domain->changes += level != domain->level || world->mode == APPLY_LEVEL;
	domain->level = level;
	domain->had |= 1U << level;
}

static void set_level_twice(struct world *world, struct domain *domain)
{
	set_level(world, domain);
	run_for(world, any_of(world, 400));
	set_level(world, domain);
}

/** A CPU that is neither the first of its domain nor of its package. */
static void toggle_cpu(struct world *world, struct domain *domain)
{
	unsigned int cpu, first, last = 0;
	struct isst_context *context;
	bool online;

	/* Beside partitions it would end that its domain is followed. */
	if (world->mode == FOLLOW_ISOLATED)
		return;
	assert_true(isst_cpuset_next(domain->present, 0, &first));
	isst_cpuset_for_each (cpu, domain->present)
		if (cpu != first && (last == 0 || any_of(world, 4) == 0))
			last = cpu;
	context = discover(world);
	online = isst_cpuset_has(isst_online_cpus(context), last);
	isst_close(context);
	agent(world, "write /sys/devices/system/cpu/cpu%u/online %d", last, !online);
	domain->changes++;
	world->online[last] = !online;
	world->touched[last] = world->mode == REPORT ||
			       world->online[last] !=
				       isst_cpuset_has(domain->enabled[domain->level], last);
}

/** Another run of this program that does not take longer than a moment. */
static void run_other(struct world *world, const char *text)
{
	struct isst_context *context = fixture_open(&world->machine, NULL);
	struct isst_config *config = isst_config_new();
	struct isst_change *change;

	note(world, "%lld: %s\n", (long long)world->now_ms, text);
	assert_int_equal(isst_config_add_text(config, "other", text, strlen(text), 0), 0);
	assert_int_equal(isst_lock(context, 0, 0), 0);
	assert_int_equal(isst_discover(context), 0);
	assert_int_equal(isst_change_new(context, NULL, &change), 0);
	assert_int_equal(isst_change_add_config(change, config, 0), 0);
	assert_int_equal(isst_change_run(change), 0);
	isst_change_free(change);
	isst_config_free(config);
	isst_close(context);
	for (size_t i = 0; i < world->domain_count; i++)
		world->domains[i].changes++;
}

static void set_class(struct world *world)
{
	char text[64];

	snprintf(text, sizeof(text), "clos 1: max %u", 1500 + 100 * any_of(world, 9));
	run_other(world, text);
}

/** While another run holds the lock, nothing is done, and nothing reported. */
static void hold_lock(struct world *world, struct domain *domain)
{
	struct isst_context *context = fixture_open(&world->machine, NULL);

	note(world, "%lld: lock\n", (long long)world->now_ms);
	assert_int_equal(isst_lock(context, 0, 0), 0);
	set_level(world, domain);
	world->quiet = true;
	run_for(world, 3000 + any_of(world, 8000));
	world->quiet = false;
	isst_close(context);
	note(world, "%lld: unlock\n", (long long)world->now_ms);
}

static void tear_answer(struct world *world, struct domain *domain)
{
	static const char *const answers[] = {
		"mailbox 0x7f/0x00 value 0xffffffff times 1\ntpmi perf-levels EIO times 1\n",
		"mailbox 0x7f/0x00 value 0x80010103 times 1\ntpmi perf-levels EBUSY times 2\n",
		"mailbox 0x7f/0x01 value 0x00030003 times 1\ntpmi perf-level-info EIO times 1\n",
	};
	unsigned int answer = any_of(world, 3);

	note(world, "%lld: answer %u\n", (long long)world->now_ms, answer);
	if (any_of(world, 2))
		set_level(world, domain);
	rule(world, answers[answer]);
	run_for(world, 2 * INTERVAL_MS);
	rule(world, "");
}

static void lose_driver(struct world *world, struct domain *domain)
{
	static const char *const losses[] = {
		"open ENODEV\n",
		"open ENXIO\n",
		"mailbox any EIO\ntpmi any EIO\n",
		"list /sys/devices/system/cpu EIO\nread /sys/devices/system/cpu/online EIO\n",
	};
	unsigned int loss = any_of(world, 4);

	if (any_of(world, 2))
		set_level(world, domain);
	note(world, "%lld: loss %u\n", (long long)world->now_ms, loss);
	rule(world, losses[loss]);
	run_for(world, any_of(world, 20000));
	rule(world, "");
	if (any_of(world, 2))
		set_level(world, domain);
}

/** Before or after the watcher has seen what happened last. */
static void kill_watcher(struct world *world, struct domain *domain)
{
	if (any_of(world, 2)) {
		set_level(world, domain);
		run_for(world, any_of(world, 60));
		domain->lost = domain->settling = true;
	}
	note(world, "%lld: kill\n", (long long)world->now_ms);
	watcher_clear(&world->watcher);
	/* Who is on- or offline by hand is not known to the next one. */
	for (size_t i = 0; i < world->domain_count; i++)
		for (unsigned int cpu = 0; cpu < 512; cpu++)
			if (world->touched[cpu] && isst_cpuset_has(world->domains[i].present, cpu))
				world->domains[i].lost = world->domains[i].settling = true;
	if (world->mode != REPORT)
		memset(world->touched, 0, sizeof(world->touched));
	for (size_t i = 0; i < world->domain_count; i++)
		world->domains[i].settled = world->domains[i].level;
	start_watcher(world);
}

static unsigned int level_now(struct world *world, const struct domain *domain)
{
	struct isst_context *context = discover(world);
	unsigned int level = 0;

	for (size_t i = 0; i < isst_domain_count(context); i++)
		if (strcmp(isst_domain_name(isst_domain_at(context, i)), domain->name) == 0)
			level = read_level(context, i);
	isst_close(context);
	return level;
}

/** The level changes again somewhere in a look, or in the action that follows. */
static void set_level_meanwhile(struct world *world, struct domain *domain)
{
	static const char *const places[] = { "open", "command any", "change any", "query any" };
	unsigned int level, place = any_of(world, 4);
	char *text;

	set_level(world, domain);
	for (level = any_of(world, 8); !(domain->levels & 1U << level);)
		level = (level + 1) % 8;
	assert_true(asprintf(&text, "%s after %u times 1 then level %u %s\n", places[place],
			     any_of(world, place == 0 ? 8 : 150), level, domain->place) > 0);
	note(world, "%lld: %s", (long long)world->now_ms, text);
	rule(world, text);
	domain->had |= 1U << level;
	domain->changes += 2;
	run_for(world, 3 * INTERVAL_MS);
	rule(world, "");
	free(text);
	/* It may not have come to that; a file that states the level may have undone it. */
	domain->level = level_now(world, domain);
}

/** Actions fail for a while. */
static void refuse_actions(struct world *world, struct domain *domain)
{
	static const char *const refusals[] = {
		"write /sys/devices/system/cpu/cpu*/online EIO\n",
		"change any EIO after 2\n",
		"mailbox 0x7f/0x08 set EIO\ntpmi perf-set-level EIO\n",
	};
	unsigned int refusal = any_of(world, 3);

	set_level(world, domain);
	note(world, "%lld: refusal %u\n", (long long)world->now_ms, refusal);
	rule(world, refusals[refusal]);
	run_for(world, any_of(world, 8000));
	rule(world, "");
}

static void suspend(struct world *world)
{
	note(world, "%lld: suspend\n", (long long)world->now_ms);
	world->now_ms += 3600 * 1000;
	watcher_suspect(&world->watcher, world->now_ms, 0);
}

static void do_something(struct world *world)
{
	struct domain *domain = any_domain(world);

	switch (any_of(world, 12)) {
	case 0:
		set_level(world, domain);
		break;
	case 1:
		refuse_actions(world, domain);
		break;
	case 9:
	case 10:
		set_level_meanwhile(world, domain);
		break;
	case 2:
		set_level_twice(world, domain);
		break;
	case 3:
		toggle_cpu(world, domain);
		break;
	case 4:
		set_class(world);
		break;
	case 5:
		hold_lock(world, domain);
		break;
	case 6:
		tear_answer(world, domain);
		break;
	case 7:
		lose_driver(world, domain);
		break;
	case 8:
		kill_watcher(world, domain);
		break;
	default:
		set_level(world, domain);
		suspend(world);
	}
}

/* ---- What is true afterwards ---- */

static void check_isolated(const struct world *world, struct isst_context *context,
			   const struct domain *domain)
{
	struct isst_cpuset *isolated;
	unsigned int cpu;

	assert_int_equal(isst_undisturbed_cpus(context, &isolated), 0);
	isst_cpuset_for_each (cpu, domain->present)
		ASSERT(world, isst_cpuset_has(isolated, cpu) !=
				      isst_cpuset_has(domain->enabled[domain->level], cpu));
	isst_cpuset_free(isolated);
}

static void check_domain(const struct world *world, struct isst_context *context, size_t i)
{
	const struct domain *domain = &world->domains[i];
	char level[16];
	unsigned int cpu;

	snprintf(level, sizeof(level), "%u", domain->level);
	for (size_t j = 0; j < isst_domain_count(context); j++)
		if (strcmp(isst_domain_name(isst_domain_at(context, j)), domain->name) == 0)
			ASSERT(world, read_level(context, j) == domain->level);
	if (!world->file && domain->reported)
		ASSERT(world, strcmp(domain->reported, level) == 0);
	if (domain->lost && (world->mode == FOLLOW || world->mode == FOLLOW_ISOLATED))
		return;
	isst_cpuset_for_each (cpu, domain->present)
		ASSERT(world, isst_cpuset_has(isst_online_cpus(context), cpu) ==
				      is_wanted(world, domain, cpu));
	if (world->mode == FOLLOW_ISOLATED)
		check_isolated(world, context, domain);
}

static void check(struct world *world)
{
	struct isst_context *context = discover(world);

	for (size_t i = 0; i < world->domain_count; i++) {
		struct domain *domain = &world->domains[i];

		ASSERT(world, domain->actions <= domain->changes + 1);
		domain->lost &= domain->level == domain->settled;
		check_domain(world, context, i);
		domain->settling = domain->lost;
		domain->settled = domain->level;
		domain->had = 1U << domain->level;
	}
	/* Nothing that the watcher has not seen. */
	if (world->file)
		assert_int_equal(isst_config_check(world->file, context, 0), 0);
	if (world->file && isst_config_difference_at(world->file, 0))
		fail_msg("%s: sequence %u: %s: %s\n%s", world->platform, world->seed,
			 isst_config_difference_target(isst_config_difference_at(world->file, 0)),
			 isst_config_difference_present(isst_config_difference_at(world->file, 0)),
			 world->log);
	ASSERT(world, watcher_is_settled(&world->watcher));
	isst_close(context);
}

static void begin_world(struct world *world, const char *platform, enum mode mode,
			unsigned int seed)
{
	*world = (struct world){
		.mode = mode, .seed = seed, .number = seed * 7919 + 17, .platform = platform
	};
	fixture_begin(&world->machine,
		      access(of_tests(platform), R_OK) == 0 ? of_tests(platform) : platform);
	assert_accepted(&world->request, command_lines[mode]);
	world->run = (struct run){ .request = &world->request, .program_status = -1 };
	world->run.progress = fopen("/dev/null", "w");
	learn(world);
	world->file = read_file(files[mode]);
	if (mode == APPLY_LEVEL)
		for (size_t i = 0; i < world->domain_count; i++)
			world->domains[i].level = 0;
	start_watcher(world);
}

/** A watcher that has looked at everything. */
static void begin_settled(struct world *world, const char *platform, enum mode mode)
{
	begin_world(world, platform, mode, 0);
	run_for(world, WHOLE_MS);
}

/** Another agent sets the level of a domain. */
static void move_level(struct world *world, size_t domain, unsigned int level)
{
	agent(world, "level %u %s", level, world->domains[domain].place);
	world->domains[domain].had |= 1U << level;
	world->domains[domain].level = level;
}

static void end_world(struct world *world)
{
	watcher_clear(&world->watcher);
	for (size_t i = 0; i < world->domain_count; i++) {
		struct domain *domain = &world->domains[i];

		free(domain->name);
		free(domain->place);
		free(domain->reported);
		isst_cpuset_free(domain->present);
		for (unsigned int level = 0; level < 8; level++)
			isst_cpuset_free(domain->enabled[level]);
	}
	isst_config_free(world->file);
	request_clear(&world->request);
	fclose(world->run.progress);
	fixture_end(&world->machine);
}

static void run_sequence(const char *platform, unsigned int seed)
{
	static struct world world;

	begin_world(&world, platform, (enum mode)(seed % MODES), seed);
	run_for(&world, 3 * INTERVAL_MS);
	for (unsigned int step = 0; step < STEPS; step++) {
		do_something(&world);
		/* All is done within an interval, the looks that have to agree, and a pause after
		 * failures; what the small look does not read, with the next whole one. */
		run_for(&world, WHOLE_MS + 3 * INTERVAL_MS);
		if (world.mode == APPLY_LEVEL)
			for (size_t i = 0; i < world.domain_count; i++)
				world.domains[i].level = 0;
		check(&world);
		/* Apart enough to be no fight. */
		world.now_ms += APART_MS;
		note(&world, "%s", "\n");
	}
	end_world(&world);
}

TEST_ON(sequences, "tiny", "tpmi-tiny", "guide", "tpmi-two-packages")
{
	const char *number = getenv("ISST_SEQUENCES"), *first = getenv("ISST_SEED");
	unsigned int count = number ? (unsigned int)strtoul(number, NULL, 10) : 15;
	unsigned int seed = first ? (unsigned int)strtoul(first, NULL, 10) : 0;

	for (; count > 0; count--)
		run_sequence(*state, seed++);
}

/* ---- What a watcher leaves ---- */

/** How often something was reported. */
static unsigned int count_events(const struct world *world, const char *event)
{
	unsigned int count = 0;

	for (const char *found = world->log; (found = strstr(found, event)) != NULL; found++)
		count++;
	return count;
}

/** By TPMI a write of a feature would request the former level. */
TEST_ON(features_are_not_written_while_a_level_is_foreign, "tpmi-tiny", "guide")
{
	bool tpmi = strncmp(*state, "tpmi", 4) == 0;
	struct isst_context *holder;
	static struct world world;

	begin_world(&world, *state, APPLY, 0);
	isst_config_free(world.file);
	world.file = read_file("# isst configuration 1\ncore-power on\nturbo-freq on\n");
	world.watcher.file = world.file;
	run_for(&world, WHOLE_MS);
	ASSERT(&world, world.domains[0].actions == 1);
	/* While no other agent has set a level, it is the one that was requested. */
	run_other(&world, "turbo-freq off");
	run_for(&world, WHOLE_MS);
	ASSERT(&world, world.domains[0].actions == 2);
	/* Also where a run was at work that is nothing to the level. */
	holder = fixture_open(&world.machine, NULL);
	assert_int_equal(isst_lock(holder, 0, 0), 0);
	agent(&world, "level 1 %s", world.domains[0].place);
	run_for(&world, 2 * INTERVAL_MS);
	isst_close(holder);
	run_other(&world, "turbo-freq off");
	run_for(&world, 10 * WHOLE_MS);
	ASSERT(&world, world.domains[0].actions == (tpmi ? 2 : 3));
	ASSERT(&world, count_events(&world, "[left]") == tpmi);
	ASSERT(&world, level_now(&world, &world.domains[0]) == 1);
	end_world(&world);
}

/** Four actions within ten minutes are a fight: no more until an administrator wants them. */
TEST_ON(a_fight_ends_actions, "tiny")
{
	static struct world world;

	begin_world(&world, *state, APPLY_LEVEL, 0);
	world.fights = true;
	run_for(&world, WHOLE_MS);
	for (unsigned int change = 0; change < 8; change++) {
		agent(&world, "level 1 %s", world.domains[0].place);
		run_for(&world, WHOLE_MS);
	}
	ASSERT(&world, world.domains[0].actions == 4);
	ASSERT(&world, count_events(&world, "[fight]") == 1);
	ASSERT(&world, count_events(&world, "(level 0 and 1 are set in turn") == 1);
	watcher_forgive(&world.watcher);
	watcher_suspect(&world.watcher, world.now_ms, 0);
	run_for(&world, WHOLE_MS);
	ASSERT(&world, world.domains[0].actions == 5);
	end_world(&world);
}

/** What ends actions in one domain is nothing to the others. */
TEST_ON(a_fight_is_one_of_its_domain, "guide")
{
	static struct world world;

	begin_world(&world, *state, APPLY_LEVEL, 0);
	world.fights = true;
	run_for(&world, WHOLE_MS);
	for (unsigned int change = 0; change < 8; change++) {
		agent(&world, "level 1 %s", world.domains[0].place);
		run_for(&world, WHOLE_MS);
	}
	agent(&world, "level 1 %s", world.domains[1].place);
	run_for(&world, WHOLE_MS);
	ASSERT(&world, count_events(&world, "[fight]") == 1);
	ASSERT(&world, world.domains[0].actions == 4);
	ASSERT(&world, level_now(&world, &world.domains[0]) == 1);
	/* One of them was for the class. */
	ASSERT(&world, world.domains[1].actions == 2);
	ASSERT(&world, level_now(&world, &world.domains[1]) == 0);
	end_world(&world);
}

/** Nor is what fails. */
TEST_ON(a_failure_is_one_of_its_domain, "guide")
{
	static struct world world;

	begin_settled(&world, *state, APPLY_LEVEL);
	agent(&world, "level 1");
	rule(&world, "mailbox 0x7f/0x08 set package 0 EIO\n");
	run_for(&world, 10 * WHOLE_MS);
	ASSERT(&world, count_events(&world, "[failed] package 0, die 0") == 1);
	ASSERT(&world, level_now(&world, &world.domains[1]) == 0);
	rule(&world, "");
	run_for(&world, 301 * 1000);
	ASSERT(&world, level_now(&world, &world.domains[0]) == 0);
	end_world(&world);
}

/** A domain that cannot be read is reported once, and the others are watched: in the small look as
 * in the whole one, from the first one on or later. */
TEST_ON(a_domain_that_fails_leaves_the_others, "guide")
{
	static const struct {
		const char *rule;
		enum mode mode;
	} cases[] = {
		{ "mailbox any package 1 EIO\n", REPORT },
		{ "mailbox any package 1 EIO\n", FOLLOW },
		{ "mailbox any package 1 EIO\n", APPLY },
		{ "mmio any die 0 package 1 EIO\n", REPORT },
		{ "mmio any die 0 package 1 EIO\n", APPLY },
	};
	static struct world world;

	for (size_t i = 0; i < 2 * COUNT(cases); i++) {
		const char *fault = cases[i / 2].rule;
		char *both;

		begin_world(&world, *state, cases[i / 2].mode, 0);
		if (i % 2 == 0)
			run_for(&world, WHOLE_MS);
		rule(&world, fault);
		run_for(&world, 2 * WHOLE_MS);
		assert_true(asprintf(&both, "%sopen times 1 then level 1 package 0\n", fault) > 0);
		rule(&world, both);
		free(both);
		world.domains[0].had |= 1U << 1;
		world.domains[0].level = 1;
		run_for(&world, 10 * WHOLE_MS);
		ASSERT(&world, count_events(&world, "[unreadable] package 1, die 0:") == 1);
		ASSERT(&world, count_events(&world, "[unreadable] machine") == 0);
		if (cases[i / 2].mode == REPORT)
			ASSERT(&world,
			       count_events(&world, "[changed] package 0, die 0: level: 0 -> 1") ==
				       1);
		else if (cases[i / 2].mode == FOLLOW)
			ASSERT(&world, count_events(&world, "[followed] package 0, die 0") == 1);
		else
			ASSERT(&world, count_events(&world, "[applied] package 0, die 0") >= 1);
		rule(&world, "");
		run_for(&world, 301 * 1000);
		ASSERT(&world, count_events(&world, "[readable] package 1, die 0") == 1);
		ASSERT(&world, count_events(&world, "[changed] package 1") == 0);
		ASSERT(&world, watcher_is_settled(&world.watcher));
		end_world(&world);
	}
}

/** Of a package that is offline nothing is known, nor that it is as the file states it. */
TEST_ON(a_package_that_is_offline_is_gone, "guide")
{
	static struct world world;
	unsigned int cpu;

	begin_world(&world, *state, REPORT, 0);
	world.file = read_file("# isst configuration 1\nclos 1: max 2000\n");
	world.watcher.file = world.file;
	run_for(&world, WHOLE_MS);
	ASSERT(&world, count_events(&world, "[differs] package 1, die 0: CLOS 1 max") == 1);
	isst_cpuset_for_each (cpu, world.domains[1].present) {
		agent(&world, "write /sys/devices/system/cpu/cpu%u/online 0", cpu);
		world.touched[cpu] = true;
	}
	run_for(&world, WHOLE_MS);
	ASSERT(&world, count_events(&world, "[gone] package 1, die 0:") == 1);
	isst_cpuset_for_each (cpu, world.domains[1].present)
		agent(&world, "write /sys/devices/system/cpu/cpu%u/online 1", cpu);
	run_for(&world, WHOLE_MS);
	ASSERT(&world, count_events(&world, "[returned] package 1, die 0:") == 1);
	ASSERT(&world, count_events(&world, "[equal]") == 0);
	ASSERT(&world, count_events(&world, "[differs]") == 2);
	end_world(&world);
}

/** A package that the driver is bound to again, of which there is no event. */
TEST_ON(a_package_that_is_bound_again_returns, "tpmi-two-packages")
{
	static struct world world;

	begin_settled(&world, *state, REPORT);
	rule(&world, "tpmi any package 1 EINVAL\n");
	watcher_suspect(&world.watcher, world.now_ms, 0);
	run_for(&world, WHOLE_MS);
	ASSERT(&world, count_events(&world, "[gone] package 1, power domain") == 2);
	rule(&world, "tpmi any package 1 EINVAL\n"
		     "open times 1 then level 1 package 1 power-domain 0\n");
	run_for(&world, WHOLE_MS);
	rule(&world, "");
	for (size_t i = 0; i < world.domain_count; i++)
		world.domains[i].had |= 1U << 1;
	run_for(&world, 2 * WHOLE_MS);
	ASSERT(&world, count_events(&world, "[returned] package 1, power domain") == 2);
	ASSERT(&world, count_events(&world, "[changed] package 1, power domain 0: level") == 1);
	ASSERT(&world, watcher_is_settled(&world.watcher));
	end_world(&world);
}

/** Whom a change is by is known of a run that has applied a configuration since. */
TEST_ON(a_run_that_applied_a_configuration_is_named, "guide")
{
	struct isst_config *config = isst_config_new();
	static struct world world;
	struct isst_context *context;

	begin_settled(&world, *state, REPORT);
	run_other(&world, "clos 1: max 1500");
	context = fixture_open(&world.machine, NULL);
	assert_int_equal(isst_config_add_text(config, "x.conf", "# isst configuration 1\n", 23,
					      ISST_CONFIG_ADD_FILE),
			 0);
	assert_int_equal(isst_discover(context), 0);
	assert_int_equal(isst_config_record_apply(config, context, 0, 0), 0);
	isst_config_free(config);
	isst_close(context);
	run_for(&world, 2 * WHOLE_MS);
	ASSERT(&world, count_events(&world, "no limit -> 1500 MHz (isst config apply x.conf at ") ==
			       world.domain_count);
	/* Not of what comes later. */
	run_other(&world, "clos 1: max 1600");
	run_for(&world, 2 * WHOLE_MS);
	ASSERT(&world, count_events(&world, "1500 MHz -> 1600 MHz ()") == world.domain_count);
	end_world(&world);
}

/** A machine that cannot be opened has a reason. */
TEST_ON(what_cannot_be_opened_has_a_cause, "guide")
{
	static struct world world;

	begin_settled(&world, *state, REPORT);
	rule(&world, "nonsense\n");
	run_for(&world, 2 * WHOLE_MS);
	ASSERT(&world, count_events(&world, "[unreadable] machine") == 1);
	ASSERT(&world, count_events(&world, "out of memory") == 0);
	ASSERT(&world, count_events(&world, "nonsense") == 1);
	rule(&world, "");
	run_for(&world, WHOLE_MS);
	ASSERT(&world, count_events(&world, "[readable] machine") == 1);
	end_world(&world);
}

/** Of a CPU that went offline while it could not be found what its level has, nothing is done. */
TEST_ON(cpus_of_an_unknown_level_are_left, "guide")
{
	struct isst_context *context;
	static struct world world;

	begin_settled(&world, *state, FOLLOW);
	rule(&world, "mailbox 0x7f/0x06 EBUSY\n"
		     "open times 1 then write /sys/devices/system/cpu/cpu5/online 0\n");
	world.touched[5] = true;
	run_for(&world, WHOLE_MS);
	move_level(&world, 0, 1);
	run_for(&world, WHOLE_MS);
	ASSERT(&world, world.domains[0].actions == 1);
	context = discover(&world);
	ASSERT(&world, !isst_cpuset_has(isst_online_cpus(context), 5));
	isst_close(context);
	/* Where it cannot be found what the next level has, that is the cause. */
	rule(&world, "mailbox 0x7f/0x06 EBUSY\nopen times 1 then level 0 package 0\n");
	world.domains[0].had |= 1U << 0;
	run_for(&world, WHOLE_MS);
	ASSERT(&world, count_events(&world, "[failed] package 0, die 0: level") == 1);
	ASSERT(&world, count_events(&world, "out of memory") == 0);
	end_world(&world);
}

/** Nor is anything done about CPUs that went offline with their package. */
TEST_ON(cpus_of_a_package_that_was_offline_are_left, "guide")
{
	struct isst_context *context;
	static struct world world;
	unsigned int cpu;

	begin_settled(&world, *state, FOLLOW);
	isst_cpuset_for_each (cpu, world.domains[1].present) {
		agent(&world, "write /sys/devices/system/cpu/cpu%u/online 0", cpu);
		world.touched[cpu] = true;
	}
	run_for(&world, WHOLE_MS);
	agent(&world, "level 1 package 1");
	world.domains[1].had |= 1U << 1;
	agent(&world, "write /sys/devices/system/cpu/cpu14/online 1");
	agent(&world, "write /sys/devices/system/cpu/cpu15/online 1");
	run_for(&world, WHOLE_MS);
	context = discover(&world);
	ASSERT(&world, isst_cpuset_count(isst_online_cpus(context)) ==
			       isst_cpuset_count(world.domains[0].present) + 2);
	isst_close(context);
	end_world(&world);
}

/** A journal that was there before is of no run that has changed something since. */
TEST_ON(a_journal_of_long_ago_is_no_author, "guide")
{
	struct isst_context *context;
	struct isst_config *config = isst_config_new();
	struct isst_change *change;
	static struct world world;
	pid_t run;

	begin_world(&world, *state, REPORT, 0);
	rule(&world, "change any signal KILL after 1 times 1\n");
	run = fork();
	if (run == 0) {
		context = fixture_open(&world.machine, NULL);
		(void)isst_config_add_text(config, "x", "clos 1: max 1500", 15, 0);
		(void)isst_lock(context, 0, 0);
		(void)isst_discover(context);
		(void)isst_change_new(context, NULL, &change);
		(void)isst_change_add_config(change, config, 0);
		(void)isst_change_run(change);
		_exit(0);
	}
	assert_int_equal(waitpid(run, NULL, 0), run);
	rule(&world, "");
	run_for(&world, WHOLE_MS);
	move_level(&world, 0, 1);
	run_for(&world, WHOLE_MS);
	ASSERT(&world, count_events(&world, "level: 0 -> 1 ()") == 1);
	isst_config_free(config);
	end_world(&world);
}

/** One event after the other does not keep it from looking. */
TEST_ON(events_do_not_put_looks_off_for_ever, "guide")
{
	static struct world world;

	begin_settled(&world, *state, REPORT);
	move_level(&world, 0, 1);
	for (int i = 0; i < 10; i++) {
		watcher_suspect(&world.watcher, world.now_ms, 1000);
		run_for(&world, 900);
	}
	ASSERT(&world, count_events(&world, "level: 0 -> 1") == 1);
	end_world(&world);
}

/** A failure is reported once, and attempts become rare. */
TEST_ON(a_failure_is_reported_once, "tiny")
{
	static struct world world;

	begin_settled(&world, *state, FOLLOW);
	move_level(&world, 0, 1);
	rule(&world, "write /sys/devices/system/cpu/cpu*/online EIO\n");
	run_for(&world, 3600 * 1000);
	ASSERT(&world, count_events(&world, "[failed]") == 1);
	rule(&world, "");
	run_for(&world, 301 * 1000);
	ASSERT(&world, world.domains[0].actions == 1);
	end_world(&world);
}

/** What is known is what was found last: one core more in a class is no news of the others. */
TEST_ON(associations_are_compared_with_the_last_ones, "guide")
{
	static struct world world;

	begin_settled(&world, *state, REPORT);
	run_other(&world, "cpu 1: association 2");
	run_for(&world, WHOLE_MS);
	run_other(&world, "cpu 2: association 2");
	run_for(&world, 2 * WHOLE_MS);
	ASSERT(&world, count_events(&world, "[changed]") == 2);
	ASSERT(&world, count_events(&world, "CLOS: 0 -> 2") == 2);
	ASSERT(&world, count_events(&world, "[changed] CPUs 2,30: ") == 1);
	end_world(&world);
}

/** Another program changes a value all the time: it is reported once, and looked at with all else.
 */
TEST_ON(what_changes_all_the_time_is_looked_at_rarely, "tiny")
{
	static struct world world;
	unsigned int looks = 0;

	begin_settled(&world, *state, REPORT);
	for (int64_t end_ms = world.now_ms + 300 * 1000; world.now_ms < end_ms; looks++) {
		char text[32];

		snprintf(text, sizeof(text), "clos 1: max %u", 1000 + 100 * (looks % 17));
		/* Class by class, as a run of this program would. */
		if (looks < 60 || looks % 5 == 0)
			run_other(&world, text);
		world.log[0] = world.log[1] = '\0';
		look_next(&world);
	}
	ASSERT(&world, world.unstable == 1);
	/* Every 2 seconds, and for the first ten as often as two looks have to agree. */
	ASSERT(&world, looks < 300 / 2 + 30);
	end_world(&world);
}

TEST_ON(looks_follow_after_50_250_and_1000_ms, "tiny")
{
	static const int64_t delays_ms[] = { 50, 250, 1000, 1000, 1000 };
	static struct world world;

	begin_settled(&world, *state, REPORT);
	watcher_suspect(&world.watcher, world.now_ms, 0);
	for (unsigned int i = 0; i < COUNT(delays_ms); i++) {
		char text[32];

		snprintf(text, sizeof(text), "clos 1: max %u", 1000 + 100 * i);
		run_other(&world, text);
		look_next(&world);
		assert_int_equal(world.watcher.due_ms - world.now_ms, delays_ms[i]);
	}
	run_for(&world, WHOLE_MS);
	ASSERT(&world, count_events(&world, "no limit -> 1400 MHz") == 1);
	ASSERT(&world, count_events(&world, "[changed]") == 1);
	end_world(&world);
}

/** Two values by turns, but not three, and not slowly. */
TEST_ON(others_fight_as_well, "tiny")
{
	static const char *const values[] = { "clos 1: max 1500", "clos 1: max 1600",
					      "clos 1: max 1700" };
	static struct world world;

	for (unsigned int i = 0; i < 3; i++) {
		begin_world(&world, *state, REPORT, 0);
		world.fights = true;
		run_for(&world, WHOLE_MS);
		for (unsigned int change = 0; change < 6; change++) {
			run_other(&world, values[change % (i == 1 ? 3 : 2)]);
			run_for(&world, WHOLE_MS + INTERVAL_MS);
			world.now_ms += i == 2 ? 400 * 1000 : 0;
			ASSERT(&world, count_events(&world, "[changed]") == change + 1);
			ASSERT(&world, count_events(&world, "[fight]") == (i == 0 && change >= 3));
		}
		ASSERT(&world,
		       i > 0 || count_events(&world, "max 1500 MHz and 1600 MHz are set in turn"));
		end_world(&world);
	}
}

TEST_ON(another_run_is_waited_for_two_minutes, "tiny")
{
	static struct world world;
	struct isst_context *holder;

	begin_settled(&world, *state, REPORT);
	holder = fixture_open(&world.machine, NULL);
	assert_int_equal(isst_lock(holder, 0, 0), 0);
	move_level(&world, 0, 1);
	world.quiet = true;
	run_for(&world, 120 * 1000);
	world.quiet = false;
	run_for(&world, 4000);
	ASSERT(&world, count_events(&world, "level: 0 -> 1 (") == 1);
	isst_close(holder);
	end_world(&world);
}

TEST_ON(failures_are_tried_again_after_1_2_4_to_300_s, "tiny")
{
	static const int delays_s[] = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300 };
	static struct world world;
	const struct watch_unit *unit;

	begin_settled(&world, *state, FOLLOW);
	move_level(&world, 0, 1);
	rule(&world, "write /sys/devices/system/cpu/cpu*/online EIO\n");
	unit = world.watcher.units->next;
	for (unsigned int i = 0; i < COUNT(delays_s); i++) {
		while (unit->failures == i)
			look_next(&world);
		assert_int_equal(unit->retry_ms - world.now_ms, delays_s[i] * 1000);
	}
	ASSERT(&world, count_events(&world, "[failed]") == 1);
	end_world(&world);
}

TEST_ON(locked_levels_are_not_followed, "locked")
{
	static struct world world;

	begin_settled(&world, *state, FOLLOW);
	move_level(&world, 0, 1);
	run_for(&world, WHOLE_MS);
	ASSERT(&world, world.domains[0].actions == 0);
	ASSERT(&world, count_events(&world, "[left]") == 1);
	end_world(&world);
}

/** How many descriptors are open, and how many bytes are allocated. */
static size_t count_open(size_t *bytes)
{
	DIR *directory = opendir("/proc/self/fd");
	size_t count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
	*bytes = mallinfo2().uordblks;
#else
	*bytes = 0;
#endif
	return count;
}

/** ISST_LOOKS is their number. A machine that nothing happens to, and one whose driver comes and
 * goes. */
TEST_ON(looks_need_no_more_and_more, "tiny")
{
	const char *number = getenv("ISST_LOOKS");
	unsigned int count = number ? (unsigned int)strtoul(number, NULL, 10) : 2000;
	static struct world world;
	size_t before = 0, bytes = 0, now_bytes;

	begin_world(&world, *state, REPORT, 0);
	for (unsigned int look = 0; look < count; look++) {
		rule(&world, look % 100 < 3 ? "open ENODEV\n" : "");
		world.log[0] = '\0';
		look_next(&world);
		/* By then everything was there once. */
		if (look == 399)
			before = count_open(&bytes);
	}
	assert_int_equal(count_open(&now_bytes), before);
	if (now_bytes > bytes + bytes / 50 + 4096)
		fail_msg("%zu bytes, and %zu after %u looks", bytes, now_bytes, count);
	end_world(&world);
}

TEST(a_storm_of_hints_is_one_look_a_second)
{
	struct watcher watcher = { .due_ms = 1000000, .whole_due_ms = 1000000 };
	int looks = 0;

	watcher_hint(&watcher, 50000);
	assert_int_equal(watcher.due_ms, 50000);
	/* An event every 100 ms, for ten seconds; each look is made when it is due. */
	for (int64_t now = 50000; now < 60000; now += 10) {
		if (now % 100 == 0)
			watcher_hint(&watcher, now);
		if (now < watcher.due_ms)
			continue;
		looks++;
		watcher.due_ms = watcher.hinted_ms > now ? watcher.hinted_ms : 1000000;
	}
	assert_int_equal(looks, 10);
	/* The last event is looked at, too, and the next one after a while at once. */
	assert_int_equal(watcher.due_ms, 60000);
	watcher.due_ms = 1000000;
	watcher_hint(&watcher, 70000);
	assert_int_equal(watcher.due_ms, 70000);
	/* None of them makes a whole look. */
	assert_int_equal(watcher.whole_due_ms, 1000000);
}
