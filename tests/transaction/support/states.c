/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs with configurations, and the machine before and after them. */
#include "transaction/support/states.h"
#include "firmware/platform.h"
#include "support/snapshot.h"
#include "transaction/support/chance.h"
#include "transaction/support/foreign.h"

#include <inttypes.h>

#define NO_TURBO "/sys/devices/system/cpu/intel_pstate/no_turbo"

static struct isst_context *discovered(const struct machine *machine)
{
	struct isst_context *context = machine_lock(machine);

	if (isst_discover(context))
		fail_msg("%s: %s", machine->name, isst_error(context));
	return context;
}

static struct isst_config *config_of(const char *text)
{
	struct isst_config *config = isst_config_new();

	assert_non_null(config);
	if (isst_config_add_text(config, "text", text, strlen(text), ISST_CONFIG_ADD_FILE))
		fail_msg("%s in:\n%s", isst_config_problem_at(config, 0), text);
	return config;
}

/** The configuration of a source; fails where there is none. */
static struct isst_config *config_from(struct isst_context *context, enum states_source source,
				       const char *text)
{
	struct isst_config *config = NULL;
	int error = 0;

	if (source == STATES_TEXT)
		return config_of(text);
	error = source == STATES_BOOT ? isst_config_boot(context, 0, &config)
				      : isst_config_defaults(context, 0, &config);
	if (error)
		fail_msg("%s", isst_error(context));
	return config;
}

static unsigned int count_written(struct isst_change *change)
{
	const struct isst_change_step *step;
	unsigned int count = 0;

	for (size_t i = 0; (step = change_listed_step(change, i)); i++)
		count += step->written;
	return count;
}

struct applied states_try(const struct machine *machine, enum states_source source,
			  const char *text)
{
	struct isst_context *context = discovered(machine);
	struct isst_config *config = config_from(context, source, text);
	struct isst_change *change;
	struct applied applied;

	assert_int_equal(isst_change_new(context, NULL, &change), 0);
	applied.error = isst_change_add_config(change, config, 0);
	if (!applied.error)
		applied.error = isst_change_run(change);
	applied.unchanged = isst_change_is_unchanged(change);
	applied.written = count_written(change);
	applied.message = strdup(isst_error(context));
	isst_change_free(change);
	isst_config_free(config);
	isst_close(context);
	return applied;
}

bool states_apply(const struct machine *machine, unsigned long seed, enum states_source source,
		  const char *text)
{
	struct applied applied = states_try(machine, source, text);

	if (applied.error)
		fail_msg("%s, ISST_SEED=%lu: %s, of\n%s", machine->name, seed, applied.message,
			 text ? text : "");
	free(applied.message);
	assert_true(applied.unchanged == (applied.written == 0));
	return !applied.unchanged;
}

char *states_read(const struct machine *machine, unsigned int flags)
{
	struct isst_context *context = discovered(machine);
	struct isst_config *config;
	char *text;

	if (isst_config_read(context, NULL, flags, &config))
		fail_msg("%s: %s", machine->name, isst_error(context));
	assert_int_equal(isst_config_to_text(config, 0, &text), 0);
	isst_config_free(config);
	isst_close(context);
	return text;
}

void states_check(const struct machine *machine, unsigned long seed, const char *text)
{
	freed_by(isst_close) struct isst_context *context = discovered(machine);
	freed_by(isst_config_free) struct isst_config *config = config_of(text);
	const struct isst_config_difference *difference;

	if (isst_config_check(config, context, 0))
		fail_msg("%s, ISST_SEED=%lu: %s", machine->name, seed, isst_error(context));
	difference = isst_config_difference_at(config, 0);
	if (difference)
		fail_msg("%s, ISST_SEED=%lu: %s: %s is %s, wanted %s, of\n%s", machine->name, seed,
			 isst_config_difference_origin(difference),
			 isst_config_difference_target(difference),
			 isst_config_difference_present(difference),
			 isst_config_difference_wanted(difference), text);
}

/** Drops what a picture says of limits behind a mark. */
static void drop_limits(char *picture, const char *mark)
{
	char *at = picture;

	while ((at = strstr(at, mark))) {
		char *limits = at + strlen(mark);
		size_t length = strcspn(limits, "\n");

		memmove(limits, limits + length, strlen(limits + length) + 1);
		at = limits;
	}
}

/** A lower limit above the upper one reads as that. */
static void drop_crossed_limits(char *picture)
{
	static const char MARK[] = ": online 1 limits ";

	for (char *at = picture; (at = strstr(at, MARK)); at++) {
		char *min = at + sizeof(MARK) - 1, *max;
		unsigned long lower = strtoul(min, &max, 10), upper = strtoul(max, NULL, 10);

		if (lower >= upper)
			memmove(min, max, strlen(max) + 1);
	}
}

/** Drops the lines that begin with a word. */
static void drop_lines(char *picture, const char *word)
{
	char *to = picture;

	for (const char *line = picture, *next; *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		if (strncmp(line, word, strlen(word)) == 0)
			continue;
		memmove(to, line, (size_t)(next - line));
		to += next - line;
	}
	*to = '\0';
}

/** Whether CLOS may have either priority; otherwise firmware begins with one that does not work. */
static bool has_priority(const struct machine *machine)
{
	struct isst_context *context = machine_lock(machine);
	bool has;

	assert_int_equal(isst_discover(context), 0);
	has = platform_has(&context->platform, PLATFORM_PROPORTIONAL_PRIORITY);
	isst_close(context);
	return has;
}

/** Drops the bit for the priority from words by which CLOS are enabled. */
static void drop_priority(char *picture)
{
	static const char QOS[] = " qos: 0x0000000";

	for (char *at = picture; (at = strstr(at, QOS)); at++)
		at[sizeof(QOS) - 1] &= (char)~4;
}

char *states_picture(const struct machine *machine)
{
	char *picture = machine_picture(machine);

	/* The controller of cpusets stays enabled once it was needed. */
	drop_lines(picture, "/sys/fs/cgroup/");
	drop_lines(picture, "controllers: ");
	if (!has_priority(machine))
		drop_priority(picture);
	drop_limits(picture, ": online 0 limits ");
	drop_crossed_limits(picture);
	if (strstr(picture, NO_TURBO ": 1"))
		drop_limits(picture, ": online 1 limits ");
	return picture;
}

/** For who looks at a failure. */
__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...)
{
	va_list arguments;

	if (!getenv("ISST_STORY"))
		return;
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
}

void states_check_same(const struct machine *machine, unsigned long seed, const char *before,
		       const char *what, const char *text)
{
	autofree char *now = states_picture(machine);

	if (strcmp(before, now) != 0) {
		char *difference = snapshot_difference(before, now);

		/* A message may be cut off. */
		tell("%s:\n%s", what, difference);
		fail_msg("%s, ISST_SEED=%lu: %s:\n%s\nof\n%s", machine->name, seed, what,
			 difference, text);
	}
}

/* ---- Wandering ---- */

static bool change_by_text(const struct machine *machine)
{
	autofree char *text = states_random_text(machine);
	struct applied applied = states_try(machine, STATES_TEXT, text);

	tell("%s:\n%s", applied.error ? applied.message : "made", text);
	free(applied.message);
	return applied.written > 0;
}

static void change_by_request(const struct machine *machine)
{
	const struct outcome *outcome;
	size_t count = 0, which;

	while (REQUESTS[count].name)
		count++;
	which = any_of(count);
	outcome = machine_make(machine, &REQUESTS[which], NULL);
	tell("%s: %s\n", REQUESTS[which].name, outcome->message);
}

static size_t count_domains(const struct machine *machine)
{
	struct isst_context *context = discovered(machine);
	size_t count = isst_domain_count(context);

	isst_close(context);
	return count;
}

/** No package goes offline as a whole: the machine would be another. */
static void change_by_others(const struct machine *machine)
{
	struct foreign foreign;
	size_t domains;

	if (coin()) {
		if (!foreign_choose_limit(machine, &foreign))
			return;
		(void)foreign_write(machine, &foreign);
	} else {
		if (!foreign_choose_cpu(machine, &foreign))
			return;
		domains = count_domains(machine);
		(void)foreign_write(machine, &foreign);
		if (count_domains(machine) != domains) {
			foreign.value = "1";
			assert_true(foreign_write(machine, &foreign));
		}
	}
	tell("%s = %s\n", foreign.path, foreign.value);
	free(foreign.path);
}

void states_wander(const struct machine *machine, unsigned int steps)
{
	for (unsigned int i = 0; i < steps; i++)
		switch (any_of(6)) {
		case 0:
			change_by_request(machine);
			break;
		case 1:
			change_by_others(machine);
			break;
		default:
			(void)change_by_text(machine);
		}
}

void states_first_change(const struct machine *machine)
{
	unsigned int tries = 0;

	while (!change_by_text(machine))
		if (++tries == 100)
			fail_msg("%s takes no configuration", machine->name);
}

/* ---- Properties ---- */

/** As after power-on, with turbo off where @no_turbo. */
static void restart(const struct machine *machine, bool no_turbo)
{
	const struct foreign foreign = { .path = (char[]){ NO_TURBO }, .value = "1\n" };

	assert_true(machine_restart(machine, NULL));
	if (no_turbo)
		(void)foreign_write(machine, &foreign);
}

/** Nothing is written where everything is as asked. Without turbo that cannot be seen of upper
 * limits. */
static void check_unchanged(const struct machine *machine, unsigned long seed,
			    enum states_source source, const char *text)
{
	autofree char *no_turbo = machine_text(machine, NO_TURBO);

	if (states_apply(machine, seed, source, text) && !(no_turbo && *no_turbo == '1'))
		fail_msg("%s, ISST_SEED=%lu: applied again it changes something:\n%s",
			 machine->name, seed, text ? text : "");
}

/** Partitions of cpusets that are neither those of the level nor none have no statement. */
static bool is_described(const char *text)
{
	return strstr(text, "cpus unmanaged") == NULL;
}

void states_come_back(const struct machine *machine, unsigned long seed)
{
	char *text, *picture;

	chance_begin(seed);
	restart(machine, any_of(6) == 0);
	states_wander(machine, 3);
	picture = states_picture(machine);
	text = states_read(machine, ISST_CONFIG_READ_ALL);
	states_check_same(machine, seed, picture, "reading changes the machine", text);
	if (!is_described(text)) {
		free(text);
		free(picture);
		return;
	}
	tell("---- from here:\n");
	states_wander(machine, 3);
	tell("---- back to:\n%s", text);
	(void)states_apply(machine, seed, STATES_TEXT, text);
	states_check_same(machine, seed, picture, "the state is not as it was", text);
	autofree char *again = states_read(machine, ISST_CONFIG_READ_ALL);
	assert_string_equal(text, again);
	check_unchanged(machine, seed, STATES_TEXT, text);
	states_check_same(machine, seed, picture, "applied again it differs", text);
	states_check(machine, seed, text);
	free(text);
	free(picture);
}

void states_are_rebuilt(const struct machine *machine, unsigned long seed)
{
	bool no_turbo;

	chance_begin(seed);
	no_turbo = any_of(6) == 0;
	restart(machine, no_turbo);
	states_first_change(machine);
	states_wander(machine, 3);
	autofree char *picture = states_picture(machine);
	autofree char *text = states_read(machine, 0);
	tell("---- to be rebuilt:\n%s", text);
	restart(machine, no_turbo);
	(void)states_apply(machine, seed, STATES_TEXT, text);
	if (is_described(text))
		states_check_same(machine, seed, picture, "the state is not rebuilt", text);
}

/** Both ends are the same from everywhere. @end: a picture of it. */
static void check_reset(const struct machine *machine, unsigned long seed,
			enum states_source source, const char *end)
{
	states_first_change(machine);
	states_wander(machine, 3);
	(void)states_apply(machine, seed, source, NULL);
	states_check_same(machine, seed, end, "the state is not the one of a reset", "");
	check_unchanged(machine, seed, source, NULL);
}

void states_reset(const struct machine *machine, unsigned long seed)
{
	chance_begin(seed);
	restart(machine, any_of(6) == 0);
	(void)states_apply(machine, seed, STATES_DEFAULTS, NULL);
	autofree char *end = states_picture(machine);
	check_reset(machine, seed, STATES_DEFAULTS, end);
}

void states_reset_to_boot(const struct machine *machine, unsigned long seed)
{
	chance_begin(seed);
	restart(machine, any_of(6) == 0);
	autofree char *end = states_picture(machine);
	check_reset(machine, seed, STATES_BOOT, end);
}

void states_of_platform(const char *platform, unsigned long otherwise)
{
	unsigned long first = number_of("ISST_SEED", 1);
	unsigned long count = number_of("ISST_STATES", otherwise);

	automachine struct machine machine = machine_begin(platform);
	for (unsigned long seed = first; seed < first + count; seed++) {
		states_come_back(&machine, seed);
		states_are_rebuilt(&machine, seed);
		states_reset(&machine, seed);
		states_reset_to_boot(&machine, seed);
	}
}
