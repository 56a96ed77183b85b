/* SPDX-License-Identifier: BSD-3-Clause */
/* What `enable --auto` saves and `disable --auto` restores (D38, D42). */
#include "transaction/support/loops.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD "run/saved-settings"

static const char *const PAIRS[][2] = {
	{ "base-freq enable auto", "base-freq disable auto" },
	{ "turbo-freq enable auto cpus", "turbo-freq disable auto" },
};

/** The lines of the picture that begin with @start, to be freed. */
static char *lines_of(const struct machine *machine, const char *start)
{
	char *picture = machine_picture(machine), *rest = picture, *line, *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	while ((line = strsep(&rest, "\n")))
		if (strncmp(line, start, strlen(start)) == 0)
			fprintf(stream, "%s\n", line);
	assert_int_equal(fclose(stream), 0);
	free(picture);
	return text;
}

static void check_lines(const struct machine *machine, const char *start, const char *expected)
{
	autofree char *lines = lines_of(machine, start);

	assert_string_equal(lines, expected);
}

MACHINE_TEST(D38_disable_restores_all_that_enable_replaced, "tests/tiny", "tests/multi-die",
	     "guide", "sapphirerapids-2s56c", "tests/tpmi-tiny", "tests/tpmi-modules",
	     "graniterapids-2s128c", "graniterapids-unlocked")
{
	static const char *const BEFORE[] = { NULL, "clos; association",
					      "core-power enable ordered; clos" };

	for (size_t i = 0; i < COUNT(PAIRS) * COUNT(BEFORE); i++) {
		const char *const *pair = PAIRS[i % COUNT(PAIRS)];

		machine_restart(machine, BEFORE[i / COUNT(PAIRS)]);
		autofree char *before = machine_picture(machine);
		assert_true(machine_prepare(machine, pair[0]));
		assert_true(machine_prepare(machine, pair[1]));
		machine_check(machine, before, "%s after %s after %s", pair[1], pair[0],
			      BEFORE[i / COUNT(PAIRS)] ? BEFORE[i / COUNT(PAIRS)] : "nothing");
	}
}

/** Truncated anywhere, they do not contain all replaced settings. */
MACHINE_TEST(saved_settings_that_are_cut_off_are_followed_in_nothing, "tests/tiny")
{
	assert_true(machine_prepare(machine, "base-freq enable auto"));
	autofree char *enabled = machine_picture(machine);
	autofree char *text = machine_text(machine, RECORD);
	assert_non_null(text);
	for (size_t length = 0; length < strlen(text); length += length % 7 + 1) {
		autofree char *part = strndup(text, length);
		const struct outcome *outcome;

		assert_non_null(part);
		machine_write(machine, RECORD, part);
		outcome = machine_try(machine, "base-freq disable auto");
		if (outcome_error(outcome) != -EIO)
			fail_msg("%zu of %zu bytes: %d, %s", length, strlen(text),
				 outcome_error(outcome), outcome->message);
		check_holds(outcome->message, "is damaged");
		check_holds(outcome->message, "the file is removed");
		machine_check(machine, enabled, "%zu bytes of saved settings", length);
	}
	machine_write(machine, RECORD, text);
	assert_true(machine_prepare(machine, "base-freq disable auto"));
}

/** A path of the state directory, to be freed. */
static char *path_of(const struct machine *machine, const char *file)
{
	return formatted("%s/%s", machine->state, file);
}

static void leave_damaged(const char *path)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs("x\n", file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void leave_empty(const char *path)
{
	int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(descriptor >= 0);
	close(descriptor);
}

static void leave_nuls(const char *path)
{
	leave_empty(path);
	assert_int_equal(truncate(path, 100), 0);
}

static void leave_fifo(const char *path)
{
	assert_int_equal(mkfifo(path, 0644), 0);
}

static void leave_link(const char *path)
{
	assert_int_equal(symlink("/etc/passwd", path), 0);
}

static void leave_writable_for_all(const char *path)
{
	leave_damaged(path);
	assert_int_equal(chmod(path, 0666), 0);
}

static void leave_huge(const char *path)
{
	leave_empty(path);
	assert_int_equal(truncate(path, (off_t)10 << 30), 0);
}

static const struct {
	void (*leave)(const char *path);
	int error;
	const char *reason;
} USELESS[] = {
	{ leave_damaged, -EIO, "has a format that this version does not support" },
	{ leave_empty, -EIO, "is damaged" },
	{ leave_nuls, -EIO, ":1 is damaged" },
	{ leave_fifo, -EIO, "it is not a regular file" },
	{ leave_link, -EIO, "is a symbolic link" },
	{ leave_writable_for_all, -EPERM, "is writable by other users" },
	{ leave_huge, -EIO, "larger than any file that this program writes" },
};

/** What it has replaced could not be recorded behind what is there already. */
TEST(enable_changes_nothing_while_its_record_cannot_be_followed)
{
	static const char *const ENABLES[][2] = {
		{ "tests/tiny", "base-freq enable auto" },
		{ "tests/tiny", "turbo-freq enable auto cpus" },
		{ "cascadelake-6230n", "base-freq enable auto" },
	};

	for (size_t i = 0; i < COUNT(ENABLES) * COUNT(USELESS); i++) {
		const char *const *enable = ENABLES[i / COUNT(USELESS)];
		size_t kind = i % COUNT(USELESS);
		const struct outcome *outcome;

		automachine struct machine machine = machine_begin(enable[0]);
		assert_true(machine_prepare(&machine, enable[1]));
		assert_true(machine_restart(&machine, NULL));
		machine_look(&machine);
		autofree char *before = machine_picture(&machine);
		autofree char *path = path_of(&machine, RECORD);
		unlink(path);
		USELESS[kind].leave(path);
		outcome = machine_try(&machine, enable[1]);
		if (outcome_error(outcome) != USELESS[kind].error)
			fail_msg("%s, %s: %d, %s", enable[1], USELESS[kind].reason,
				 outcome_error(outcome), outcome->message);
		check_holds(outcome->message, USELESS[kind].reason);
		check_holds(outcome->message, RECORD);
		assert_string_equal(outcome->steps, "");
		assert_int_equal(unlink(path), 0);
		machine_check(&machine, before, "%s, %s", enable[1], USELESS[kind].reason);
	}
}

/** A record with one more line, to be freed. */
static char *with_line(const char *record, const char *line)
{
	return formatted("%.*sbase-freq %s\nend\n", (int)(strlen(record) - strlen("end\n")), record,
			 line);
}

/** Other programs may write the file; this program never writes these lines. */
TEST(saved_settings_that_no_enable_can_have_recorded_are_followed_in_nothing)
{
	static const char *const LINES[] = {
		/* Of kinds that no enable writes: the CPU would go offline. */
		"online 0 0 0 1 0 0 1",
		"cpusets 0 0 0 0 0 0 1",
		"uncore-max 0 0 0 0 0 1000000 2200000",
		"partition 0 0 0 0 0 absent root~0-3",
		/* Of places that the machine does not have. */
		"core-power 7 0 0 0 0 0 1",
		"association 0 0 0 2 0 0 3",
		"association 0 0 0 200 0 0 0",
		"clos 0 0 0 4 0 0 16711680",
		"scaling-min 0 0 0 4000000 0 0 3000000",
		/* Values that they cannot have. */
		"association 0 0 0 0 0 4 3",
		"core-power 0 0 0 0 0 5 1",
		"scaling-min 0 0 0 1 0 99000000 3000000",
	};

	for (size_t i = 0; i < COUNT(PAIRS); i++) {
		automachine struct machine machine = machine_begin("tests/tiny");
		assert_true(machine_prepare(&machine, PAIRS[i][0]));
		autofree char *record = machine_text(&machine, RECORD);
		assert_non_null(record);
		autofree char *enabled = machine_picture(&machine);
		for (size_t j = 0; j < COUNT(LINES); j++) {
			autofree char *text = with_line(record, LINES[j]);
			const struct outcome *outcome;

			machine_write(&machine, RECORD, text);
			outcome = machine_try(&machine, PAIRS[i][1]);
			if (outcome_error(outcome) != -EIO)
				fail_msg("%s: %d, %s", LINES[j], outcome_error(outcome),
					 outcome->message);
			check_holds(outcome->message, "not possible on this machine");
			machine_check(&machine, enabled, "%s", LINES[j]);
		}
		machine_write(&machine, RECORD, record);
		assert_true(machine_prepare(&machine, PAIRS[i][1]));
	}
}

/** Takes all names that a new file could have before it takes the place of the record. */
static void leave_no_room(const struct machine *machine)
{
	static const char *const FILES[] = { RECORD, RECORD ".staged" };

	for (unsigned int i = 0; i < 200; i++) {
		autofree char *path = formatted("%s/%s.%ld.%u", machine->state, FILES[i % 2],
						(long)getpid(), i / 2);
		leave_empty(path);
	}
}

MACHINE_TEST(restored_settings_are_deleted_without_space_for_a_new_file, "tests/tiny")
{
	const struct outcome *outcome;

	assert_true(machine_prepare(machine, "base-freq enable auto"));
	leave_no_room(machine);
	outcome = machine_expect(machine, "base-freq disable auto", 0);
	check_holds(outcome->warnings, "saved-settings: File exists: all saved settings were "
				       "deleted, and the next disable --auto runs without them");
	assert_null(machine_text(machine, RECORD));
}

MACHINE_TEST(settings_that_could_not_be_saved_are_reported, "tests/tiny")
{
	const struct outcome *outcome;

	machine_look(machine);
	leave_no_room(machine);
	outcome = machine_expect(machine, "base-freq enable auto", 0);
	check_holds(outcome->warnings, "the replaced settings are not saved, and base-freq disable "
				       "--auto will not restore them");
}

static char *replaced;

/** Puts a directory into the place of the record, once it has been read. */
static int replace_record(void *data)
{
	(void)data;
	unlink(replaced);
	assert_true(mkdir(replaced, 0755) == 0 || errno == EEXIST);
	return false;
}

MACHINE_TEST(restored_settings_that_are_still_saved_are_reported, "tests/tiny")
{
	struct making making = { .interrupted = replace_record };
	const struct outcome *outcome;

	assert_true(machine_prepare(machine, "base-freq enable auto"));
	replaced = path_of(machine, RECORD);
	outcome = machine_make(machine, request_find("base-freq disable auto"), &making);
	assert_int_equal(outcome_error(outcome), 0);
	check_holds(outcome->warnings,
		    "it is not a regular file: the restored settings are still saved");
	assert_null(strstr(outcome->warnings, "will not restore them"));
	free(replaced);
}

MACHINE_TEST(a_second_enable_keeps_the_first_record, "tests/tiny")
{
	machine_prepare(machine, "clos");
	autofree char *before = machine_picture(machine);
	machine_prepare(machine, "base-freq enable auto");
	autofree char *first = machine_text(machine, RECORD);
	machine_prepare(machine, "base-freq enable auto");
	autofree char *second = machine_text(machine, RECORD);
	assert_non_null(first);
	assert_string_equal(first, second);
	/* Other cores: what was there before the first one still counts. */
	machine_restart(machine,
			"clos; turbo-freq enable auto cpus; turbo-freq enable auto more cpus;"
			" turbo-freq disable auto");
	machine_check(machine, before, "two enables and one disable");
}

enum { MOST_ENABLES = 4 };

/** Enables one of the two features after the other, as the bits of @order specify, then disables
 * those that are on. */
static void check_order(struct machine *machine, unsigned int order, unsigned int length,
			unsigned int first_off)
{
	char story[MOST_ENABLES + 1] = { 0 };
	bool on[2] = { false, false };

	machine_restart(machine, "core-power enable ordered; clos; association");
	autofree char *before = machine_picture(machine);
	for (unsigned int i = 0; i < length; i++) {
		unsigned int which = order >> i & 1;

		assert_true(machine_prepare(machine, PAIRS[which][0]));
		on[which] = true;
		story[i] = which ? 'T' : 'B';
	}
	for (unsigned int i = 0; i < 2; i++)
		if (on[first_off ^ i])
			assert_true(machine_prepare(machine, PAIRS[first_off ^ i][1]));
	machine_check(machine, before, "%s, then %s first", story, PAIRS[first_off][1]);
}

/** A playbook that runs twice enables both features twice. */
MACHINE_TEST(both_features_enabled_in_any_order_restore_the_original_values, "tests/tiny",
	     "tests/tpmi-tiny")
{
	for (unsigned int length = 1; length <= MOST_ENABLES; length++)
		for (unsigned int order = 0; order < 1U << length; order++)
			for (unsigned int first_off = 0; first_off < 2; first_off++)
				check_order(machine, order, length, first_off);
}

/** What the one has set is in force again once the other one is disabled. */
MACHINE_TEST(what_the_first_feature_has_set_comes_back_behind_the_second, "tests/tiny",
	     "tests/tpmi-tiny")
{
	for (unsigned int first = 0; first < COUNT(PAIRS); first++) {
		const char *const *second = PAIRS[1 - first];

		machine_restart(machine, "core-power enable ordered; clos; association");
		assert_true(machine_prepare(machine, PAIRS[first][0]));
		autofree char *alone = machine_picture(machine);
		assert_true(machine_prepare(machine, second[0]));
		assert_true(machine_prepare(machine, second[1]));
		machine_check(machine, alone, "%s after %s", second[1], PAIRS[first][0]);
	}
}

/** What another process has written since is left, and named. */
MACHINE_TEST(what_others_wrote_after_enable_stays, "tests/tiny")
{
	const struct outcome *outcome;

	assert_true(machine_prepare(machine, "base-freq enable auto; clos"));
	autofree char *clos = lines_of(machine, "domain 0 clos 2");
	outcome = machine_expect(machine, "base-freq disable auto", 0);
	check_holds(outcome->warnings, "was changed after base-freq enable");
	check_lines(machine, "domain 0 clos 2", clos);
}

/** Another process's values between the two stay the ones to go back to. */
MACHINE_TEST(a_second_enable_over_the_other_feature_keeps_what_others_wrote_between, "tests/tiny")
{
	machine_prepare(machine, "base-freq enable auto; clos");
	autofree char *before = lines_of(machine, "domain 0 clos 2");
	assert_true(machine_prepare(machine, "turbo-freq enable auto cpus; base-freq enable auto;"
					     " turbo-freq disable auto; base-freq disable auto"));
	check_lines(machine, "domain 0 clos 2", before);
}

MACHINE_TEST(a_record_of_another_boot_is_no_record, "tests/tiny")
{
	char *at;

	machine_prepare(machine, "base-freq enable auto");
	autofree char *record = machine_text(machine, RECORD);
	at = strstr(record, " boot ");
	assert_non_null(at);
	at[6] = at[6] == '0' ? '1' : '0';
	machine_write(machine, RECORD, record);
	machine_expect(machine, "base-freq disable auto", 0);
	/* As the reference tool: CLOS and associations stay, core-power goes off. */
	check_lines(machine, "domain 0 clos 1", "domain 0 clos 1: 0x00ff12ff\n");
	check_lines(machine, "domain 0 core-power", "domain 0 core-power: 0\n");
}

MACHINE_TEST(a_record_of_another_level_is_no_record, "tests/tiny")
{
	machine_change(machine, "[level 1]\n",
		       "[level 1]\nbase-freq-cores = 0\nbase-freq-high = 2700\n"
		       "base-freq-low = 2400\n");
	assert_true(machine_prepare(machine, "base-freq enable auto; level 1"));
	assert_true(machine_prepare(machine, "base-freq disable auto"));
	check_lines(machine, "domain 0 clos 0", "domain 0 clos 0: 0x00ff1700\n");
	/* Back at its level it counts again. */
	assert_true(machine_prepare(machine, "level 0; base-freq disable auto"));
}

/** Saved settings with only marks left: lines about settings that were already restored. */
static void check_nothing_recorded(const struct machine *machine)
{
	char *record = machine_text(machine, RECORD), *rest = record, *line;

	assert_non_null(record);
	check_holds(record, "\nbase-freq level ");
	assert_non_null(strsep(&rest, "\n"));
	while ((line = strsep(&rest, "\n")))
		if (*line && strncmp(line, "base-freq level ", strlen("base-freq level ")) != 0 &&
		    strcmp(line, "end") != 0)
			fail_msg("still recorded: %s", line);
	free(record);
}

/** The limits of a CPU that is offline cannot be written, with old kernels and new ones, nor read
 * with most: what is recorded of them waits. */
TEST(limits_of_an_offline_cpu_are_restored_when_it_is_online)
{
	static const char *const FILES[] = { "offline-cpufreq = busy", "offline-cpufreq = readable",
					     "offline-cpufreq = gone" };

	for (size_t i = 0; i < COUNT(FILES); i++) {
		const struct outcome *outcome;

		autofree char *lines = formatted("[files]\n%s\n\n[topology]", FILES[i]);
		automachine struct machine machine = machine_begin_with("tests/tiny", "[topology]",
									lines);
		machine_restart(&machine, NULL);
		autofree char *before = machine_picture(&machine);
		assert_true(machine_prepare(&machine, "base-freq enable auto"));
		machine_set_online(&machine, 1, 1, false);
		machine_set_online(&machine, 3, 3, false);
		outcome = machine_try(&machine, "base-freq disable auto");
		if (outcome_error(outcome))
			fail_msg("%s: %s", FILES[i], outcome->message);
		check_holds(outcome->warnings, "CPUs 1,3: offline");
		assert_null(strstr(outcome->warnings, "was changed after"));
		machine_set_online(&machine, 1, 1, true);
		machine_set_online(&machine, 3, 3, true);
		assert_true(machine_prepare(&machine, "base-freq disable auto"));
		machine_check(&machine, before, "%s", FILES[i]);
		check_nothing_recorded(&machine);
	}
}

/** With @cpus offline and forgotten, the die of their power domain is unknown. */
static void take_offline(const struct machine *machine, const unsigned int *cpus, size_t count)
{
	for (size_t i = 0; i < count; i++)
		machine_set_online(machine, cpus[i], cpus[i], false);
	machine_write(machine, "run/topology", "");
}

/** A power domain without online CPUs gets back what the firmware holds for it; the limits of its
 * CPUs wait until they are online. */
MACHINE_TEST(B4_a_power_domain_without_online_cpus_is_restored, "tests/tpmi-dies",
	     "tests/tpmi-tiny")
{
	static const unsigned int CPUS[] = { 4, 5, 6, 7, 12, 13, 14, 15 };

	for (size_t i = 0; i < COUNT(PAIRS); i++) {
		const struct outcome *outcome;

		machine_restart(machine, "core-power enable; clos; association");
		autofree char *before = machine_picture(machine);
		autofree char *domain = lines_of(machine, "domain 1 ");
		assert_true(machine_prepare(machine, PAIRS[i][0]));
		autofree char *changed = lines_of(machine, "domain 1 ");
		assert_string_not_equal(changed, domain);
		take_offline(machine, CPUS, COUNT(CPUS));
		outcome = machine_expect(machine, PAIRS[i][1], 0);
		assert_null(strstr(outcome->warnings, "was changed after"));
		check_lines(machine, "domain 1 ", domain);
		for (size_t j = 0; j < COUNT(CPUS); j++)
			machine_set_online(machine, CPUS[j], CPUS[j], true);
		machine_expect(machine, PAIRS[i][1], 0);
		machine_check(machine, before, "%s", PAIRS[i][1]);
	}
}

/** Saved settings of an unreachable package are restored when it is reachable: of its power
 * domains without CPUs, too. */
TEST(saved_settings_of_an_unreachable_package_wait)
{
	static const char *const FAULTS[] = { "", "tpmi count-instances package 1 EIO" };

	for (size_t i = 0; i < COUNT(FAULTS); i++) {
		const struct outcome *outcome;
		bool online = *FAULTS[i] != '\0';

		automachine struct machine machine = machine_begin("tests/tpmi-two-packages");
		autofree char *before = machine_picture(&machine);
		assert_true(machine_prepare(&machine, "base-freq enable auto"));
		for (unsigned int cpu = 4; cpu < 8; cpu++)
			machine_set_online(&machine, cpu, cpu, online);
		machine_faults(&machine, "%s", FAULTS[i]);
		outcome = machine_try(&machine, "base-freq disable auto");
		assert_string_equal(outcome->message, "");
		assert_int_equal(outcome_error(outcome), 0);
		machine_faults(&machine, "%s", "");
		for (unsigned int cpu = 4; cpu < 8; cpu++)
			machine_set_online(&machine, cpu, cpu, true);
		assert_true(machine_prepare(&machine, "base-freq disable auto"));
		machine_check(&machine, before, "%s", FAULTS[i]);
		check_nothing_recorded(&machine);
	}
}

/** There is nothing but cpufreq's limits: those of the user come back. */
TEST(D38_limits_of_a_preset_platform_are_restored)
{
	static const char *const PLATFORMS[] = { "tests/preset-unnamed", "cascadelake-6230n" };
	static const char *const BEFORE[] = { NULL, "turbo-mode disable" };
	struct machine machine;

	for (size_t i = 0; i < COUNT(PLATFORMS) * COUNT(BEFORE); i++) {
		machine = machine_begin(PLATFORMS[i / COUNT(BEFORE)]);
		machine_restart(&machine, BEFORE[i % COUNT(BEFORE)]);
		autofree char *before = machine_picture(&machine);
		assert_true(machine_prepare(&machine, "base-freq enable auto"));
		assert_true(machine_prepare(&machine, "base-freq disable auto"));
		machine_check(&machine, before, "base-freq disable after enable");
		machine_end(&machine);
	}
}

/** The lines of saved settings, without those with format and boot; to be freed. */
static char *record_lines(const struct machine *machine)
{
	char *lines;

	autofree char *text = machine_text(machine, RECORD);
	lines = text && strchr(text, '\n') ? strdup(strchr(text, '\n') + 1) : strdup("no record");
	assert_non_null(lines);
	return lines;
}

/** Makes requests, whose names are joined by "; ", in one change. */
static void make_at_once(const struct machine *machine, const char *requests)
{
	freed_by(isst_close) struct isst_context *context = machine_lock(machine);
	char *copy = strdup(requests), *rest = copy, *name;
	freed_by(isst_change_free) struct isst_change *change = NULL;

	assert_non_null(copy);
	assert_int_equal(isst_discover(context), 0);
	assert_int_equal(isst_change_new(context, NULL, &change), 0);
	while ((name = strsep(&rest, ";"))) {
		const struct request *request = request_find(name + strspn(name, " "));
		struct objections objections = { .lines = strdup("") };

		assert_int_equal(request_plan(context, change, request, &objections), 0);
		assert_true(objections.planned);
		assert_int_equal(objections.error, 0);
		free(objections.lines);
	}
	if (change_run(change))
		fail_msg("%s: %s", requests, isst_error(context));
	free(copy);
}

/** What each request replaced is what those before it left, whether they are one change or not. */
TEST(requests_of_one_change_record_what_as_many_changes_do)
{
	static const struct {
		const char *platform, *before, *requests;
	} CASES[] = {
		{ "icelake-2s40c", NULL, "base-freq enable auto; turbo-freq enable auto cpus" },
		{ "icelake-2s40c", NULL, "turbo-freq enable auto cpus; base-freq enable auto" },
		{ "icelake-2s40c", "level 3", "level 0; turbo-freq enable auto cpus" },
		{ "icelake-2s40c", "level 3", "level 0 online; base-freq enable auto" },
		{ "icelake-2s40c", "base-freq enable auto",
		  "base-freq disable auto; base-freq enable auto" },
		{ "icelake-2s40c", NULL, "core-power enable ordered; clos; base-freq enable auto" },
		{ "tests/tpmi-tiny", "level 1", "level 0 online; base-freq enable auto" },
		{ "tests/tpmi-tiny", NULL, "base-freq enable auto; turbo-freq enable auto cpus" },
	};

	for (size_t i = 0; i < COUNT(CASES); i++) {
		automachine struct machine machine = machine_begin(CASES[i].platform);
		assert_true(machine_restart(&machine, CASES[i].before));
		assert_true(machine_prepare(&machine, CASES[i].requests));
		autofree char *expected = record_lines(&machine);
		assert_true(machine_restart(&machine, CASES[i].before));
		make_at_once(&machine, CASES[i].requests);
		autofree char *lines = record_lines(&machine);
		if (strcmp(lines, expected) != 0)
			fail_msg("%s, %s:\n%sexpected:\n%s", CASES[i].platform, CASES[i].requests,
				 lines, expected);
	}
}

/* ---- Power domain by power domain ---- */

enum { MOST_DOMAINS = 16 };

/** A feature that is switched in one power domain with CPUs, or in all (those of I/O included). */
struct switching {
	bool turbo_freq, enable;
	size_t domain; /* among those with CPUs; MOST_DOMAINS: all */
};

static size_t count_with_cpus(const struct isst_context *context)
{
	size_t count = 0;

	for (size_t i = 0; i < isst_domain_count(context); i++)
		count += context_domain(context, i)->has_cpu;
	return count;
}

/** The domains that are asked for. Returns their number. */
static size_t choose_domains(const struct isst_context *context, size_t domain,
			     struct domain_request *requests)
{
	size_t count = 0, with_cpus = 0;

	for (size_t i = 0; i < isst_domain_count(context); i++) {
		const struct isst_domain *one = context_domain(context, i);

		if (domain == MOST_DOMAINS || (one->has_cpu && with_cpus == domain))
			requests[count++] = (struct domain_request){ .domain = one };
		with_cpus += one->has_cpu;
	}
	assert_true(count > 0);
	return count;
}

static void switch_domain(const struct machine *machine, const struct switching *switching)
{
	freed_by(isst_close) struct isst_context *context = machine_lock(machine);
	freed_by(isst_cpuset_free) struct isst_cpuset *high = isst_cpuset_new();
	struct turbo_freq_request turbo_freq = { .enable = switching->enable,
						 .automatic = true,
						 .high_priority = high };
	struct domain_request *requests;
	freed_by(isst_change_free) struct isst_change *change = NULL;
	size_t count;

	assert_non_null(high);
	assert_int_equal(isst_discover(context), 0);
	requests = calloc(isst_domain_count(context), sizeof(*requests));
	assert_non_null(requests);
	count = choose_domains(context, switching->domain, requests);
	for (size_t i = 0; i < count; i++)
		if (requests[i].domain->has_cpu)
			isst_cpuset_add(high, requests[i].domain->cpu, requests[i].domain->cpu);
	assert_int_equal(isst_change_new(context, NULL, &change), 0);
	if (switching->turbo_freq)
		assert_int_equal(change_plan_turbo_freq(change, requests, count, &turbo_freq), 0);
	else
		assert_int_equal(
			change_plan_base_freq(change, requests, count, switching->enable, true), 0);
	if (change_run(change))
		fail_msg("%s", isst_error(context));
	free(requests);
}

/** A small generator of numbers, so that a failure can be had again. */
static unsigned int draw(unsigned int *state, size_t below)
{
	*state = *state * 1103515245 + 12345;
	return (unsigned int)((*state >> 16) % below);
}

static void shuffle(unsigned int *state, struct switching *list, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t other = draw(state, i);
		struct switching one = list[i - 1];

		list[i - 1] = list[other];
		list[other] = one;
	}
}

/** Both features are enabled in all power domains, at once or one by one, and disabled one by one:
 * all in a random order. */
static void check_random_order(const struct machine *machine, size_t domains, unsigned int seed,
			       const char *before)
{
	struct switching list[2 * MOST_DOMAINS];
	unsigned int state = seed;
	char *story = strdup("");

	for (unsigned int enable = 2; enable-- > 0;) {
		size_t count = 0;

		for (unsigned int feature = 0; feature < 2; feature++) {
			bool at_once = enable && draw(&state, 2);

			for (size_t i = 0; i < (at_once ? 1 : domains); i++)
				list[count++] = (struct switching){ feature, enable,
								    at_once ? MOST_DOMAINS : i };
		}
		shuffle(&state, list, count);
		for (size_t i = 0; i < count; i++) {
			char *longer;

			switch_domain(machine, &list[i]);
			longer = formatted("%s %s%s%zu", story, list[i].enable ? "+" : "-",
					   list[i].turbo_freq ? "T" : "B", list[i].domain);
			free(story);
			story = longer;
		}
	}
	machine_check(machine, before, "seed %u:%s", seed, story);
	free(story);
}

/** I/O dies, which cannot be selected, follow the others. */
MACHINE_TEST(features_go_off_power_domain_by_power_domain_in_any_order, "tests/tpmi-tiny",
	     "graniterapids-2s128c")
{
	struct isst_context *context;
	size_t domains;

	assert_true(machine_restart(machine, "clos; association"));
	context = machine_lock(machine);
	assert_int_equal(isst_discover(context), 0);
	domains = count_with_cpus(context);
	isst_close(context);
	assert_true(domains < MOST_DOMAINS);
	autofree char *before = machine_picture(machine);
	for (unsigned int seed = 0; seed < 12; seed++)
		check_random_order(machine, domains, seed, before);
}

/* ---- Killed when the change is complete ---- */

/** When the process is killed: when the journal marks the change as complete. */
static enum { NEVER, BEFORE_DONE, BEHIND_DONE } killed;

/** That of the library, which the program is linked with. */
ssize_t write(int descriptor, const void *text, size_t size)
{
	static const char DONE[] = "done\n";
	static ssize_t (*real)(int descriptor, const void *text, size_t size);
	bool is_done = size == strlen(DONE) && memcmp(text, DONE, size) == 0;
	ssize_t written;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "write");
	if (is_done && killed == BEFORE_DONE)
		raise(SIGKILL);
	written = real(descriptor, text, size);
	if (is_done && killed == BEHIND_DONE)
		raise(SIGKILL);
	return written;
}

static void make_killed(const struct machine *machine, const char *request, bool done)
{
	killed = done ? BEHIND_DONE : BEFORE_DONE;
	machine_try_killed(machine, request, "");
	killed = NEVER;
}

static const char JOURNAL[] = "run/journal";

static void recover_by_the_next_run(const struct machine *machine)
{
	machine_next_run(machine, 0, "");
}

static void discard_the_journal(const struct machine *machine)
{
	freed_by(isst_close) struct isst_context *context = machine_lock(machine);

	isst_journal_keep(context);
	assert_int_equal(isst_journal_discard(context, 0), 0);
}

/** The journal held what was replaced as well, and is gone. */
TEST(saved_settings_survive_a_kill_after_the_change)
{
	static const struct {
		const char *platform, *before, *request;
	} CASES[] = {
		{ "tests/tiny", "core-power enable ordered; clos", "base-freq enable auto" },
		{ "tests/tiny", "clos; base-freq enable auto", "base-freq disable auto" },
		{ "icelake-2s40c", "base-freq enable auto", "turbo-freq enable auto cpus" },
		{ "icelake-2s40c", "base-freq enable auto; turbo-freq enable auto cpus",
		  "base-freq disable auto" },
		{ "tests/tpmi-tiny", "clos", "base-freq enable auto" },
	};
	static void (*const NEXT[])(const struct machine *machine) = { recover_by_the_next_run,
								       discard_the_journal };

	for (size_t i = 0; i < COUNT(CASES) * COUNT(NEXT); i++) {
		const char *request = CASES[i / COUNT(NEXT)].request;

		automachine struct machine machine = machine_begin(CASES[i / COUNT(NEXT)].platform);
		assert_true(machine_restart(&machine, CASES[i / COUNT(NEXT)].before));
		assert_true(machine_prepare(&machine, request));
		autofree char *expected = record_lines(&machine);
		assert_true(machine_restart(&machine, CASES[i / COUNT(NEXT)].before));
		make_killed(&machine, request, true);
		NEXT[i % COUNT(NEXT)](&machine);
		assert_null(machine_text(&machine, JOURNAL));
		autofree char *lines = record_lines(&machine);
		if (strcmp(lines, expected) != 0)
			fail_msg("%s, %s:\n%sexpected:\n%s", machine.name, request, lines,
				 expected);
		assert_null(machine_text(&machine, RECORD ".staged"));
	}
}

/** Which read of a file finds no descriptor left, counted from 1; 0 for none. */
static unsigned int starved;
static const char *starved_file;

/** That of the library, which the program is linked with. */
int openat(int directory, const char *name, int flags, ...)
{
	static int (*real)(int directory, const char *name, int flags, ...);

	va_list arguments;
	unsigned int mode;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "openat");
	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, unsigned int) : 0;
	va_end(arguments);
	if (starved && strcmp(name, starved_file) == 0 && (flags & O_ACCMODE) == O_RDONLY &&
	    --starved == 0) {
		errno = EMFILE;
		return -1;
	}
	return real(directory, name, flags, mode);
}

MACHINE_TEST(saved_settings_that_cannot_be_read_for_now_are_not_discarded, "tests/tiny")
{
	struct isst_context *context;

	assert_true(machine_prepare(machine, "base-freq enable auto"));
	autofree char *before = machine_text(machine, RECORD);
	assert_non_null(before);
	context = machine_lock(machine);
	starved_file = "saved-settings";
	starved = 1;
	assert_int_equal(settings_discard(context), -EMFILE);
	autofree char *kept = machine_text(machine, RECORD);
	assert_non_null(kept);
	assert_string_equal(kept, before);
	assert_int_equal(settings_discard(context), 0);
	assert_null(machine_text(machine, RECORD));
	isst_close(context);
}

/** Whatever the next run cannot read for want of descriptors is there for the one behind it. */
MACHINE_TEST(a_journal_that_cannot_be_read_for_now_is_kept, "tests/tiny")
{
	char *lines;

	assert_true(machine_restart(machine, NULL));
	make_killed(machine, "base-freq enable auto", true);
	autofree char *staged = machine_text(machine, RECORD ".staged");
	assert_non_null(staged);
	for (unsigned int at = 1; at <= 4; at++) {
		bool discard = at >= 3;
		struct isst_context *context = machine_lock(machine);

		if (discard)
			isst_journal_keep(context);
		starved = discard ? 1 : at;
		starved_file = at == 4 ? "saved-settings.staged" : "journal";
		assert_int_not_equal(
			discard ? isst_journal_discard(context, 0) : isst_discover(context), 0);
		assert_non_null(strstr(isst_error(context),
				       at == 4 ? "cannot keep the saved settings" : "/journal: "));
		assert_int_equal(starved, 0);
		isst_close(context);
		lines = machine_text(machine, JOURNAL);
		assert_non_null(lines);
		free(lines);
		lines = machine_text(machine, RECORD ".staged");
		assert_non_null(lines);
		assert_string_equal(lines, staged);
		free(lines);
	}
	recover_by_the_next_run(machine);
	assert_null(machine_text(machine, JOURNAL));
	lines = machine_text(machine, RECORD);
	assert_non_null(lines);
	assert_string_equal(lines, staged);
	free(lines);
}

/** What is staged then is of a change that is none. */
TEST(a_change_that_is_not_complete_leaves_the_saved_settings)
{
	static const char *const BEFORE[] = { "clos", "clos; base-freq enable auto; clos" };

	for (size_t i = 0; i < COUNT(BEFORE); i++) {
		char *lines;

		automachine struct machine machine = machine_begin("tests/tiny");
		assert_true(machine_restart(&machine, BEFORE[i]));
		autofree char *before = machine_picture(&machine);
		autofree char *former = record_lines(&machine);
		make_killed(&machine, "base-freq enable auto", false);
		lines = machine_text(&machine, RECORD ".staged");
		assert_non_null(lines);
		free(lines);
		recover_by_the_next_run(&machine);
		machine_check(&machine, before, "a rollback");
		lines = record_lines(&machine);
		assert_string_equal(lines, former);
		assert_null(machine_text(&machine, RECORD ".staged"));
		free(lines);
	}
}
