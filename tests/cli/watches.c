/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `status --watch` on a terminal, while another process changes the machine, and what ends it.
 * Whole screens; the values are those of the platform files.
 */
#include "pseudo_terminal.h"

#include "isst-emulator.h"

static char *directory;

static int make_directory(void **state)
{
	const char *scratch = getenv("TMPDIR");

	if (asprintf(&directory, "%s/isst-watches-XXXXXX", scratch ? scratch : "/tmp") < 0)
		return -1;
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	char *command;
	int status;

	if (asprintf(&command, "rm -r '%s'", directory) < 0)
		return -1;
	status = system(command);
	free(command);
	free(directory);
	return status;
}

/** A command line for a machine of its own for each test. */
static const char *on(const char *platform, const char *test, const char *command)
{
	const char *platforms = getenv("ISST_PLATFORMS");
	static char *line;
	char *path;

	free(line);
	assert_true(asprintf(&path, "%s/%s.platform", platforms ? platforms : "tests/platforms",
			     platform) > 0);
	assert_true(asprintf(&line, "isst|--emulate|%s|--emulate-state|%s/%s|%s",
			     access(path, R_OK) == 0 ? path : platform, directory, test,
			     command) > 0);
	free(path);
	return line;
}

/* ---- Screens ---- */

/* What screens of that machine begin with. */
#define GUIDE \
	"status, every 3 s; q quits; emulated machine: guide                     HH:MM:SS\n" \
	"Processor: Intel(R) Xeon(R) CPU of the guide @ 2.60GHz\n" \
	"Packages: 2, cores: 28, CPUs online: 56 of 56\n" \
	"Firmware interface: mailbox and MMIO, kernel driver: version 1, API version 1\n" \
	"\n"

/* A mark stands for three seconds here: long enough to be looked at on a busy machine. */
TEST_WITH(what_another_process_changes_is_marked, NULL, kill_leftovers)
{
	struct pseudo_terminal terminal;

	run_elsewhere(on("guide", "marked", "-c|0|core-power|enable"));
	open_terminal(&terminal, 24, 80);
	start(&terminal, on("guide", "marked", "status|--watch|3"), false);
	wait_for(&terminal, "running at", true);
	assert_true(terminal.cursor_hidden);
	assert_shown(
		&terminal, GUIDE
		"           level     locked  base MHz  TDP W  SST-BF  SST-TF  SST-CP\n"
		"package 0  0 of 0-4  no          2600    205  off     off     on proportional\n"
		"package 1  0 of 0-4  no          2600    205  off     off     off\n"
		"\n"
		"running at     MHz  CPUs\n"
		"packages 0-1  3100  0-55\n"
		"\n"
		"power         limit W\n"
		"packages 0-1      205\n"
		"\n"
		"classes of service  CLOS  min MHz  max MHz  weight  CPUs\n"
		"package 0              0        0     none       0  0-13,28-41\n");
	run_elsewhere(on("guide", "marked", "-c|0|core-power|config|--clos|0|--max|1500"));
	wait_for(&terminal, "*", true);
	assert_marks_are_inverse(&terminal);
	assert_shown(
		&terminal, GUIDE
		"           level     locked  base MHz  TDP W  SST-BF  SST-TF  SST-CP\n"
		"package 0  0 of 0-4  no          2600    205  off     off     on proportional\n"
		"package 1  0 of 0-4  no          2600    205  off     off     off\n"
		"\n"
		"running at   MHz  CPUs\n"
		"package 0   1500  0-13,28-41\n"
		"package 1   3100  14-27,42-55\n"
		"\n"
		"power           W  limit W\n"
		"packages 0-1  164      205\n"
		"\n"
		"classes of service  CLOS  min MHz  max MHz  weight  CPUs\n"
		"package 0              0        0    *1500       0  0-13,28-41\n");
	/* It is marked once. */
	wait_for(&terminal, "*", false);
	assert_non_null(strstr(screen_text(&terminal), " 1500  0-13,28-41\n"));
	type(&terminal, 'q');
	assert_int_equal(end_of_job(&terminal), 0);
}

TEST_WITH(cores_of_a_map_are_marked_below, NULL, kill_leftovers)
{
	struct pseudo_terminal terminal;

	run_elsewhere(on("guide", "map", "-c|0|core-power|enable"));
	open_terminal(&terminal, 24, 80);
	start(&terminal, on("guide", "map", "status|--map|--watch|3"), false);
	wait_for(&terminal, "CLOS 0", true);
	run_elsewhere(on("guide", "map", "-c|3,12|core-power|assoc|--clos|2"));
	wait_for(&terminal, "^", true);
	assert_true(terminal.inverse[12][19] && !terminal.inverse[12][20]);
	assert_shown(&terminal, GUIDE "running at     MHz  CPUs\n"
				      "packages 0-1  3100  0-55\n"
				      "\n"
				      "power           W  limit W\n"
				      "packages 0-1  164      205\n"
				      "\n"
				      "           CPU  cores, a letter for each\n"
				      "package 0    0  00020000 000020\n"
				      "                   ^         ^\n"
				      "package 1   14  oooooooo oooooo\n"
				      "\n"
				      "0 CLOS 0, 2 CLOS 2, o SST-CP and SST-TF are off\n");
	type(&terminal, 'Q');
	assert_int_equal(end_of_job(&terminal), 0);
}

static const char LARGE_MAP[] =
	"Processor: Intel(R) Xeon(R) 6980P\n"
	"Packages: 2, cores: 256, CPUs online: 512 of 512\n"
	"Firmware interface: TPMI, kernel driver: version 1, API version 3\n"
	"\n"
	"running at                        MHz  CPUs\n"
	"packages 0-1, power domains 0-2  3200  0-511\n"
	"\n"
	"power         limit W\n"
	"packages 0-1      500\n"
	"\n"
	"                           CPU  cores, a letter for each\n"
	"package 0, power domain 0    0  oooooooo oooooooo oooooooo oooooooo oooooooo ooo\n"
	"package 0, power domain 1   43  oooooooo oooooooo oooooooo oooooooo oooooooo ooo\n"
	"package 0, power domain 2   86  oooooooo oooooooo oooooooo oooooooo oooooooo oo\n"
	"package 1, power domain 0  128  oooooooo oooooooo oooooooo oooooooo oooooooo ooo\n"
	"package 1, power domain 1  171  oooooooo oooooooo oooooooo oooooooo oooooooo ooo\n"
	"package 1, power domain 2  214  oooooooo oooooooo oooooooo oooooooo oooooooo oo\n"
	"\n"
	"o SST-CP and SST-TF are off\n";

static void assert_large_map(const struct pseudo_terminal *terminal, int blanks)
{
	char expected[4096];

	snprintf(expected, sizeof(expected),
		 "status, every 3600 s; q quits; emulated machine: graniterapids-2s128c%*s"
		 "HH:MM:SS\n%s",
		 blanks, "", LARGE_MAP);
	assert_shown(terminal, expected);
}

/** 512 CPUs fit the smallest terminal, and another size is followed at once. */
TEST_WITH(screens_are_as_large_as_the_terminal, NULL, kill_leftovers)
{
	struct pseudo_terminal terminal;

	open_terminal(&terminal, 24, 80);
	start(&terminal, on("graniterapids-2s128c", "large", "status|--map|--watch|3600"), false);
	wait_for(&terminal, "running at", true);
	assert_large_map(&terminal, 3);
	set_size(&terminal, 60, 200);
	wait_for(&terminal, "o SST-CP and", true);
	assert_large_map(&terminal, 123);
	set_size(&terminal, 6, 40);
	wait_for(&terminal, "more lines", true);
	assert_shown(&terminal, "status, every 3600 s; q quits; emulated\n"
				"Processor: Intel(R) Xeon(R) 6980P\n"
				"Packages: 2, cores: 256, CPUs online:\n"
				"  512 of 512\n"
				"Firmware interface: TPMI, kernel driver:\n"
				"... 50 more lines\n");
	type(&terminal, 'q');
	assert_int_equal(end_of_job(&terminal), 0);
}

static void write_faults(const char *state, const char *rules)
{
	char path[128];
	FILE *faults;

	snprintf(path, sizeof(path), "%s/%s/faults", directory, state);
	faults = fopen(path, "w");
	assert_non_null(faults);
	fputs(rules, faults);
	assert_int_equal(fclose(faults), 0);
}

/** Cores that a level takes offline, which another process does in several steps. */
TEST_WITH(another_level_and_its_cpus_are_followed, NULL, kill_leftovers)
{
	struct pseudo_terminal terminal;

	/* An emulated counter of energy does not go on where CPUs go offline. */
	run_elsewhere(on("tpmi-limited", "followed", "--info"));
	write_faults("followed", "list /sys/class/powercap ENOENT\n");
	open_terminal(&terminal, 24, 80);
	start(&terminal, on("tpmi-limited", "followed", "status|--watch|1"), false);
	wait_for(&terminal, "running at", true);
	assert_shown(&terminal,
		     "status, every 1 s; q quits; emulated machine: tpmi-limited              "
		     "HH:MM:SS\n"
		     "Processor: Intel(R) Xeon(R) Small\n"
		     "Packages: 2, cores: 8, CPUs online: 8 of 8\n"
		     "Firmware interface: TPMI, kernel driver: version 1, API version 3\n"
		     "\n"
		     "              level     locked  base MHz  TDP W  SST-BF  SST-TF  SST-CP\n"
		     "packages 0-1  0 of 0-1  no          2000    120  off     -       off\n"
		     "\n"
		     "-: none, or not supported\n"
		     "\n"
		     "running at                     MHz  CPUs\n"
		     "packages 0-1, power domain 0  2800  0-7\n"
		     "\n"
		     "limited by hardware        reasons          CPUs\n"
		     "package 0, power domain 0  THERMAL          2\n"
		     "package 1, power domain 0  FREQUENCY POWER  4-7\n");
	run_elsewhere(on("tpmi-limited", "followed",
			 "-c|0|perf-profile|set-config-level|--level|1|--online"));
	wait_for(&terminal, "1 of 0-1", true);
	wait_for(&terminal, "*", false);
	assert_shown(
		&terminal,
		"status, every 1 s; q quits; emulated machine: tpmi-limited              "
		"HH:MM:SS\n"
		"Processor: Intel(R) Xeon(R) Small\n"
		"Packages: 2, cores: 8, CPUs online: 6 of 8\n"
		"Firmware interface: TPMI, kernel driver: version 1, API version 3\n"
		"\n"
		"                          level    locked base_MHz TDP_W SST-BF SST-TF SST-CP\n"
		"package 0, power domain 0 1 of 0-1 no         2400   110 -      off    off\n"
		"package 0, power domain 1 0 of 0-1 no         2000   120 off    -      off\n"
		"package 1                 0 of 0-1 no         2000   120 off    -      off\n"
		"\n"
		"-: none, or not supported\n"
		"\n"
		"running at                  MHz  CPUs\n"
		"package 0, power domain 0  3200  0-1\n"
		"package 1, power domain 0  2800  4-7\n"
		"\n"
		"uncore limits              fabric  min MHz  max MHz  default\n"
		"package 0, power domain 0       0      800     1700  800-1800\n"
		"\n"
		"limited by hardware        reasons          CPUs\n"
		"package 0, power domain 0  THERMAL          0-1\n"
		"package 1, power domain 0  FREQUENCY POWER  4-7\n");
	type(&terminal, 'q');
	assert_int_equal(end_of_job(&terminal), 0);
}

/** What fails stands on the screen, the first of several CPUs alone, and is the status in the end.
 */
TEST_WITH(what_cannot_be_read_is_the_status, NULL, kill_leftovers)
{
	struct pseudo_terminal terminal;

	run_elsewhere(on("guide", "failing", "--info"));
	write_faults("failing", "read /sys/devices/system/cpu/cpu5/cpufreq/scaling_cur_freq EIO\n"
				"read /sys/devices/system/cpu/cpu6/cpufreq/scaling_cur_freq EIO\n");
	open_terminal(&terminal, 24, 80);
	start(&terminal, on("guide", "failing", "status|--watch|1"), false);
	wait_for(&terminal, "\nError: CPU 5: ", true);
	assert_non_null(strstr(screen_text(&terminal), "packages 0-1  3100  0-4,7-55\n"));
	assert_null(strstr(screen_text(&terminal), "Error: CPU 6"));
	type(&terminal, 'q');
	assert_int_equal(end_of_job(&terminal), STATUS_FAILED);
}

TEST_WITH(what_can_be_read_again_is_no_failure, NULL, kill_leftovers)
{
	struct pseudo_terminal terminal;

	run_elsewhere(on("guide", "recovering", "--info"));
	write_faults("recovering",
		     "read /sys/devices/system/cpu/cpu5/cpufreq/scaling_cur_freq EIO\n");
	open_terminal(&terminal, 24, 80);
	start(&terminal, on("guide", "recovering", "status|--watch|1"), false);
	wait_for(&terminal, "\nError: CPU 5: ", true);
	write_faults("recovering", "");
	wait_for(&terminal, "\nError: CPU 5: ", false);
	assert_non_null(strstr(screen_text(&terminal), "  3100  0-55\n"));
	type(&terminal, 'q');
	assert_int_equal(end_of_job(&terminal), 0);
}

/* ---- Ends ---- */

TEST_WITH(a_machine_slower_than_the_interval_is_watched_until_q, NULL, kill_leftovers)
{
	struct pseudo_terminal terminal;

	run_elsewhere(on("guide", "slow", "--info"));
	write_faults("slow",
		     "read /sys/devices/system/cpu/cpu5/cpufreq/scaling_cur_freq delay 1100\n");
	open_terminal(&terminal, 24, 80);
	start(&terminal, on("guide", "slow", "status|--watch|1"), false);
	wait_for(&terminal, "running at", true);
	type(&terminal, 'q');
	assert_int_equal(end_of_job(&terminal), 0);
}

static void start_watching(struct pseudo_terminal *terminal, const char *test, bool ignore_hangup)
{
	open_terminal(terminal, 24, 80);
	start(terminal, on("guide", test, "status|--watch|3600"), ignore_hangup);
	wait_for(terminal, "running at", true);
	assert_true(terminal->cursor_hidden);
}

TEST_WITH(ctrl_c_ends_it_as_any_program, NULL, kill_leftovers)
{
	struct pseudo_terminal terminal;

	start_watching(&terminal, "interrupted", false);
	type(&terminal, '\003');
	assert_int_equal(end_of_job(&terminal), 128 + SIGINT);
}

/** Also those that no terminal sends, such as an alarm that the parent has set. */
TEST_WITH(each_signal_that_ends_it_restores_the_terminal, NULL, kill_leftovers)
{
	const int signals[] = {
		SIGTERM, SIGUSR1,   SIGUSR2, SIGALRM,	SIGPIPE, SIGXCPU,  SIGPROF,
		SIGIO,	 SIGVTALRM, SIGPWR,  SIGSTKFLT, SIGQUIT, SIGRTMIN, SIGRTMAX
	};

	for (size_t i = 0; i < COUNT(signals); i++) {
		struct pseudo_terminal terminal;

		start_watching(&terminal, "signalled", false);
		assert_int_equal(kill(terminal.job, signals[i]), 0);
		assert_int_equal(end_of_job(&terminal), 128 + signals[i]);
	}
}

/** Without the signal, as with nohup, a failed write ends it. */
TEST_WITH(a_closed_terminal_ends_it, NULL, kill_leftovers)
{
	for (int ignored = 0; ignored < 2; ignored++) {
		struct pseudo_terminal terminal;

		start_watching(&terminal, ignored ? "nohup" : "hung-up", ignored);
		hang_up(&terminal);
		assert_int_equal(end_of_job(&terminal), ignored ? STATUS_FAILED : 128 + SIGHUP);
	}
}

TEST_WITH(a_stopped_terminal_does_not_hold_signals_up, NULL, kill_leftovers)
{
	struct pseudo_terminal terminal;

	open_terminal(&terminal, 24, 80);
	start(&terminal, on("guide", "flow", "status|--watch|1"), false);
	wait_for(&terminal, "running at", true);
	assert_int_equal(kill(terminal.job, SIGSTOP), 0);
	assert_int_equal(next_report(&terminal), -1);
	type(&terminal, '\023');
	usleep(100000);
	go_on(&terminal);
	/* It has a screen to write by now. */
	sleep(2);
	assert_int_equal(kill(terminal.job, SIGTERM), 0);
	assert_int_equal(next_report(&terminal), 128 + SIGTERM);
	running_job = 0;
	close(terminal.manager);
	close(terminal.report);
	wait_for_process(terminal.shell);
	running_shell = 0;
}

TEST_WITH(ctrl_z_leaves_the_terminal_to_the_shell_until_it_goes_on, NULL, kill_leftovers)
{
	struct pseudo_terminal terminal;

	start_watching(&terminal, "stopped", false);
	type(&terminal, '\032');
	assert_int_equal(next_report(&terminal), -1);
	assert_restored(&terminal);
	set_size(&terminal, 24, 80);
	go_on(&terminal);
	wait_for(&terminal, "packages 0-1  3100  0-55\n", true);
	assert_true(terminal.cursor_hidden);
	type(&terminal, 'q');
	assert_int_equal(end_of_job(&terminal), 0);
}

/** As `bg` does, and `kill %1`: the terminal is the shell's. */
TEST_WITH(in_the_background_it_stops_and_can_be_ended, NULL, kill_leftovers)
{
	struct pseudo_terminal terminal;

	start_watching(&terminal, "background", false);
	type(&terminal, '\032');
	assert_int_equal(next_report(&terminal), -1);
	assert_int_equal(kill(terminal.job, SIGCONT), 0);
	assert_int_equal(next_report(&terminal), -1);
	assert_restored(&terminal);
	assert_int_equal(kill(terminal.job, SIGTERM), 0);
	assert_int_equal(kill(terminal.job, SIGCONT), 0);
	assert_int_equal(end_of_job(&terminal), 128 + SIGTERM);
}

TEST_WITH(a_dumb_terminal_gets_screens_one_after_the_other, NULL, kill_leftovers)
{
	struct pseudo_terminal terminal;

	setenv("TERM", "dumb", 1);
	open_terminal(&terminal, 60, 80);
	start(&terminal, on("guide", "dumb", "status|--watch|1"), false);
	setenv("TERM", "xterm", 1);
	wait_for(&terminal, " 205\n\nstatus, every 1 s", true);
	assert_false(terminal.cursor_hidden);
	type(&terminal, '\003');
	assert_int_equal(end_of_job(&terminal), 128 + SIGINT);
}

int main(void)
{
	if (!isst_emulator_is_available()) {
		puts("1..0 # SKIP this build has no emulator");
		return 0;
	}
	return test_main(make_directory, remove_directory);
}
