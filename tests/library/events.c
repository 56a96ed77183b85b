/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of the kernel, and purposes that one process has, by the public interface. */
#include "check.h"

#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>

MACHINE_TEST(an_emulated_kernel_reports_levels)
{
	struct pollfd polled = { .events = POLLIN };
	struct isst_events *events;
	char *command;

	fixture_begin(&fixture, "guide");
	fixture.context = fixture_open(&fixture, NULL);
	refused(isst_events_open(fixture.context, 1, &events));
	assert_int_equal(isst_events_open(fixture.context, 0, &events), ISST_EVENT_CHANGE);
	polled.fd = isst_events_descriptor(events);
	assert_int_equal(isst_events_take(events), 0);
	assert_int_equal(poll(&polled, 1, 0), 0);
	fixture_fault(&fixture,
		      "read /sys/devices/system/cpu/online times 1 then level 1 package 0");
	ok(isst_discover(fixture.context));
	assert_int_equal(poll(&polled, 1, 0), 1);
	assert_int_equal(isst_events_take(events), ISST_EVENT_CHANGE);
	assert_int_equal(isst_events_take(events), 0);
	isst_events_close(events);
	/* Nothing of them is left. */
	assert_true(asprintf(&command, "! ls '%s/run' | grep thermal", fixture.directory) > 0);
	ok(system(command)); /* NOLINT(cert-env33-c) */
	free(command);
}

static char *read_text(const char *path)
{
	static char text[32];
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

MACHINE_TEST(one_process_has_a_purpose)
{
	static const char *const others[] = { "",	  ".pid",     "journal", "lock",
					      "../state", "../x.pid", "a/x.pid" };
	struct isst_context *other;
	char *path, expected[32];
	int status = 0;
	FILE *file;
	pid_t child;

	fixture_begin(&fixture, "guide");
	fixture.context = fixture_open(&fixture, NULL);
	assert_true(asprintf(&path, "%s/run/x.pid", fixture.directory) > 0);
	/* What would be truncated, and removed. */
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		refused(isst_claim(fixture.context, others[i]));
	ok(isst_claim(fixture.context, "x.pid"));
	snprintf(expected, sizeof(expected), "%d\n", (int)getpid());
	assert_string_equal(read_text(path), expected);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		other = fixture_open(&fixture, NULL);
		snprintf(expected, sizeof(expected), "process %d does this already",
			 (int)getppid());
		_exit(isst_claim(other, "x.pid") == -EBUSY &&
				      strcmp(isst_error(other), expected) == 0
			      ? 0
			      : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	isst_close(fixture.context);
	assert_int_equal(access(path, F_OK), -1);
	/* What a process that was killed has left, with more digits. */
	file = fopen(path, "w");
	assert_true(fputs("4194304000\n", file) >= 0 && fclose(file) == 0);
	ok(chmod(path, 0600));
	fixture.context = fixture_open(&fixture, NULL);
	ok(isst_claim(fixture.context, "x.pid"));
	snprintf(expected, sizeof(expected), "%d\n", (int)getpid());
	assert_string_equal(read_text(path), expected);
	isst_close(fixture.context);
	/* D71: what another user has put there is not followed. */
	ok(symlink("/tmp/isst-nothing", path));
	fixture.context = fixture_open(&fixture, NULL);
	assert_int_equal(isst_claim(fixture.context, "x.pid"), -EIO);
	unlink(path);
	free(path);
}
