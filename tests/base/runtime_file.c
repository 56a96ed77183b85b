/* SPDX-License-Identifier: BSD-3-Clause */
/* Text files of the runtime directory. */
#include "base/runtime_file.h"
#include "support/check.h"
#include "support/fake_machine.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/** A directory that no process has open. */
#define AT(directory) (&(const struct runtime_directory){ .path = (directory) })

static char *path_of(const struct fake_machine *fake, const char *name)
{
	return formatted("%s/%s", fake->runtime, name);
}

static void check_text(const struct fake_machine *fake, const char *name, const char *expected)
{
	char *text = NULL;

	assert_int_equal(runtime_file_read(AT(fake->runtime), name, &text), 0);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

FAKE_TEST(the_directory_is_made_with_the_first_file)
{
	assert_int_equal(runtime_file_read(AT(fake->runtime), "file", &(char *){ NULL }), -ENOENT);
	assert_int_equal(access(fake->runtime, F_OK), -1);
	assert_int_equal(runtime_file_replace(AT(fake->runtime), "file", "one\ntwo\n"), 0);
	check_text(fake, "file", "one\ntwo\n");
	assert_int_equal(runtime_file_replace(AT(fake->runtime), "file", "three\n"), 0);
	check_text(fake, "file", "three\n");
}

FAKE_TEST(a_file_that_cannot_be_replaced_stays_without_leftovers)
{
	autofree char *path = path_of(fake, "file");

	/* A directory in the place of the file. */
	assert_int_equal(runtime_file_replace(AT(fake->runtime), "other", "x"), 0);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(runtime_file_replace(AT(fake->runtime), "file", "new"), -EISDIR);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(runtime_file_remove(AT(fake->runtime), "other"), 0);
	assert_int_equal(rmdir(fake->runtime), 0);
}

FAKE_TEST(appending_adds_at_the_end_and_follows_no_link)
{
	autofree char *path = path_of(fake, "link");

	for (unsigned int i = 0; i < 2; i++) {
		int descriptor = runtime_file_append(AT(fake->runtime), "journal", false);

		assert_true(descriptor >= 0);
		assert_int_equal(write(descriptor, "line\n", 5), 5);
		assert_int_equal(close(descriptor), 0);
	}
	check_text(fake, "journal", "line\nline\n");
	assert_int_equal(symlink("journal", path), 0);
	assert_int_equal(runtime_file_append(AT(fake->runtime), "link", false), -ELOOP);
}

FAKE_TEST(removing_a_missing_file_is_not_an_error)
{
	assert_int_equal(runtime_file_remove(AT(fake->runtime), "file"), 0);
	assert_int_equal(runtime_file_replace(AT(fake->runtime), "file", "x"), 0);
	assert_int_equal(runtime_file_remove(AT(fake->runtime), "file"), 0);
	assert_int_equal(runtime_file_read(AT(fake->runtime), "file", &(char *){ NULL }), -ENOENT);
}

/** No function believes, empties or waits for what is there under the name of the file. */
static void check_refused(const struct fake_machine *fake, int error)
{
	char *text = NULL;

	assert_int_equal(runtime_file_read(AT(fake->runtime), "file", &text), error);
	assert_null(text);
	assert_int_equal(runtime_file_append(AT(fake->runtime), "file", false), error);
}

FAKE_TEST(a_fifo_is_refused_and_not_waited_for)
{
	autofree char *path = path_of(fake, "file");

	assert_int_equal(runtime_file_replace(AT(fake->runtime), "other", "x"), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	check_refused(fake, -EBADF);
	assert_int_equal(runtime_file_discard(AT(fake->runtime), "file"), 0);
	assert_int_equal(access(path, F_OK), -1);
}

FAKE_TEST(a_directory_is_no_file)
{
	autofree char *path = path_of(fake, "file");

	assert_int_equal(runtime_file_replace(AT(fake->runtime), "other", "x"), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	check_refused(fake, -EBADF);
}

FAKE_TEST(a_link_is_not_followed)
{
	autofree char *path = path_of(fake, "file");

	assert_int_equal(runtime_file_replace(AT(fake->runtime), "other", "x"), 0);
	assert_int_equal(symlink("other", path), 0);
	check_refused(fake, -ELOOP);
	/* It is removed, not what it leads to. */
	assert_int_equal(runtime_file_discard(AT(fake->runtime), "file"), 0);
	check_text(fake, "other", "x");
}

FAKE_TEST(a_file_that_others_may_write_is_refused)
{
	autofree char *path = path_of(fake, "file");

	for (unsigned int mode = 0; mode <= 0777; mode++) {
		bool refused = mode & 022;
		char *text = NULL;

		if ((mode & 0600) != 0600)
			continue;
		assert_int_equal(runtime_file_replace(AT(fake->runtime), "file", "x"), 0);
		assert_int_equal(chmod(path, mode), 0);
		assert_int_equal(runtime_file_read(AT(fake->runtime), "file", &text),
				 refused ? -EPERM : 0);
		free(text);
	}
	assert_int_equal(chmod(path, 0620), 0);
	check_refused(fake, -EPERM);
}

FAKE_TEST(a_file_without_end_is_refused)
{
	autofree char *path = path_of(fake, "file");

	assert_int_equal(runtime_file_replace(AT(fake->runtime), "file", "x"), 0);
	assert_int_equal(truncate(path, (65 << 20)), 0);
	check_refused(fake, -EOVERFLOW);
}

FAKE_TEST(a_directory_that_others_may_write_is_refused)
{
	assert_int_equal(runtime_file_replace(AT(fake->runtime), "file", "x"), 0);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(chmod(fake->runtime, i ? 0775 : 01777), 0);
		check_refused(fake, -EPERM);
		assert_int_equal(runtime_file_replace(AT(fake->runtime), "file", "y"), -EPERM);
		assert_int_equal(runtime_file_remove(AT(fake->runtime), "file"), -EPERM);
	}
	assert_int_equal(chmod(fake->runtime, 0755), 0);
	check_text(fake, "file", "x");
}

FAKE_TEST(a_directory_that_is_a_link_is_refused)
{
	assert_int_equal(runtime_file_replace(AT(fake->runtime), "file", "x"), 0);
	autofree char *real = formatted("%s.real", fake->runtime);
	assert_int_equal(rename(fake->runtime, real), 0);
	assert_int_equal(symlink(real, fake->runtime), 0);
	assert_int_equal(runtime_file_append(AT(fake->runtime), "file", false), -ELOOP);
	assert_int_equal(runtime_file_read(AT(fake->runtime), "file", &(char *){ NULL }), -ELOOP);
	assert_int_equal(runtime_file_replace(AT(fake->runtime), "file", "y"), -ELOOP);
	assert_int_equal(runtime_file_remove(AT(fake->runtime), "file"), -ELOOP);
}

FAKE_TEST(a_file_in_the_place_of_the_directory_is_no_link)
{
	FILE *file = fopen(fake->runtime, "we");

	assert_non_null(file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(runtime_file_append(AT(fake->runtime), "file", false), -ENOTDIR);
	assert_int_equal(unlink(fake->runtime), 0);
}

/* ---- The limit of file sizes, which ends a program that is not prepared for it ---- */

enum { LIMIT = 8 };

static const char TOO_LONG[] = "more than eight bytes\n";

/** What is left in the directory besides @name. */
static unsigned int count_others(const char *directory, const char *name)
{
	unsigned int count = 0;
	struct dirent *entry;

	DIR *all = opendir(directory);

	assert_non_null(all);
	while ((entry = readdir(all)))
		count += entry->d_name[0] != '.' && strcmp(entry->d_name, name) != 0;
	closedir(all);
	return count;
}

/** In a process of its own. Returns 0 or the number of what went wrong. */
static int write_beyond(const char *directory, bool program_holds_it)
{
	const struct rlimit limit = { LIMIT, LIMIT };

	sigset_t set, pending;
	int descriptor;

	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	/* The mask is inherited, by a program that is run under a debugger, for example. */
	if (sigprocmask(SIG_UNBLOCK, &set, NULL) || setrlimit(RLIMIT_FSIZE, &limit))
		return 1;
	if (program_holds_it && (sigprocmask(SIG_BLOCK, &set, NULL) || raise(SIGXFSZ)))
		return 2;
	if (runtime_file_replace(AT(directory), "new", TOO_LONG) != -EFBIG)
		return 3;
	descriptor = runtime_file_append(AT(directory), "journal", false);
	if (descriptor < 0 || runtime_file_write(AT(directory), descriptor, "short\n"))
		return 4;
	if (runtime_file_write(AT(directory), descriptor, TOO_LONG) != -EFBIG)
		return 5;
	if (close(descriptor))
		return 6;
	/* One of the program's own is its own still. */
	if (sigpending(&pending) || sigismember(&pending, SIGXFSZ) != program_holds_it)
		return 7;
	if (sigprocmask(SIG_SETMASK, NULL, &set) || sigismember(&set, SIGXFSZ) != program_holds_it)
		return 8;
	return 0;
}

FAKE_TEST(the_limit_of_file_sizes_is_an_error_and_no_end)
{
	for (unsigned int i = 0; i < 2; i++) {
		pid_t child = fork();
		int status;

		assert_true(child >= 0);
		if (child == 0)
			_exit(write_beyond(fake->runtime, i));
		assert_int_equal(waitpid(child, &status, 0), child);
		if (status)
			fail_msg("%u: status 0x%x", i, (unsigned int)status);
		/* Half a line would spoil the next one, and nothing is left beside the journal. */
		check_text(fake, "journal", "short\n");
		assert_int_equal(count_others(fake->runtime, "journal"), 0);
		assert_int_equal(runtime_file_remove(AT(fake->runtime), "journal"), 0);
	}
	check_holds(runtime_file_strerror(-EFBIG), "ulimit -f");
}

/* Users other than root cannot give files away: for them these tests have nothing to try. */

enum { SOMEBODY = 12345 };

FAKE_TEST(files_of_another_user_are_refused)
{
	autofree char *path = path_of(fake, "file");

	if (geteuid() != 0)
		skip();
	assert_int_equal(runtime_file_replace(AT(fake->runtime), "file", "x"), 0);
	assert_int_equal(chown(path, SOMEBODY, 0), 0);
	check_refused(fake, -EPERM);
	assert_int_equal(chown(path, 0, 0), 0);
	assert_int_equal(chown(fake->runtime, SOMEBODY, 0), 0);
	check_refused(fake, -EPERM);
	assert_int_equal(runtime_file_replace(AT(fake->runtime), "file", "y"), -EPERM);
}

/** As /run/isst for a caller who has capabilities and is not root. */
FAKE_TEST(only_the_owner_of_the_directory_above_makes_it)
{
	/* Every user has to reach it, which is not so of the directory of the tests. */
	char above[] = "/tmp/isst-above.XXXXXX", *directory, *file, *text = NULL;

	if (geteuid() != 0)
		skip();
	assert_non_null(mkdtemp(above));
	directory = formatted("%s/run", above);
	file = formatted("%s/file", directory);
	assert_int_equal(chmod(above, 0777), 0);
	assert_int_equal(seteuid(SOMEBODY), 0);
	assert_int_equal(runtime_file_replace(AT(directory), "file", "x"), -EPERM);
	assert_int_equal(runtime_file_append(AT(directory), "file", false), -EPERM);
	assert_int_equal(access(directory, F_OK), -1);
	/* One that he made himself is not believed either. */
	assert_int_equal(mkdir(directory, 0755), 0);
	assert_int_equal(runtime_file_append(AT(directory), "file", false), -EPERM);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(chown(above, SOMEBODY, 0), 0);
	assert_int_equal(seteuid(SOMEBODY), 0);
	assert_int_equal(runtime_file_replace(AT(directory), "file", "x"), 0);
	assert_int_equal(runtime_file_read(AT(directory), "file", &text), 0);
	assert_string_equal(text, "x");
	free(text);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(directory), 0);
	assert_int_equal(rmdir(above), 0);
	free(file);
	free(directory);
}

/* ---- A directory that is held ---- */

FAKE_TEST(a_directory_that_is_held_is_made_at_once_and_serves_all_files)
{
	struct runtime_directory held = { .path = fake->runtime };
	char *text = NULL;
	int descriptor;

	assert_int_equal(runtime_directory_hold(&held), 0);
	assert_int_equal(access(fake->runtime, F_OK), 0);
	assert_int_equal(runtime_directory_hold(&held), 0);
	descriptor = runtime_file_append(&held, "journal", false);
	assert_true(descriptor >= 0);
	assert_int_equal(close(descriptor), 0);
	assert_int_equal(runtime_file_replace(&held, "file", "x"), 0);
	assert_int_equal(runtime_file_read(&held, "file", &text), 0);
	assert_string_equal(text, "x");
	free(text);
	assert_int_equal(runtime_file_remove(&held, "file"), 0);
	assert_int_equal(runtime_file_discard(&held, "journal"), 0);
	assert_int_equal(runtime_file_discard(&held, "journal"), 0);
	assert_int_equal(runtime_file_read(&held, "journal", &text), -ENOENT);
	runtime_directory_release(&held);
	runtime_directory_release(&held);
	assert_int_equal(rmdir(fake->runtime), 0);
}

/** The holder of the lock uses the directory of the lock, even if the path is replaced. */
FAKE_TEST(a_directory_that_is_held_is_not_looked_up_again)
{
	struct runtime_directory held = { .path = fake->runtime };
	char *text = NULL;

	autofree char *elsewhere = formatted("%s-elsewhere", fake->runtime);
	assert_int_equal(runtime_directory_hold(&held), 0);
	assert_int_equal(rename(fake->runtime, elsewhere), 0);
	assert_int_equal(runtime_file_replace(AT(fake->runtime), "file", "another"), 0);
	assert_int_equal(runtime_file_replace(&held, "file", "held"), 0);
	assert_int_equal(runtime_file_read(&held, "file", &text), 0);
	assert_string_equal(text, "held");
	free(text);
	check_text(fake, "file", "another");
	assert_int_equal(runtime_file_remove(&held, "file"), 0);
	assert_int_equal(rmdir(elsewhere), 0);
	runtime_directory_release(&held);
	/* From here on the path counts again. */
	assert_int_equal(runtime_file_read(&held, "file", &text), 0);
	assert_string_equal(text, "another");
	free(text);
}

FAKE_TEST(a_directory_of_another_user_is_not_held)
{
	struct runtime_directory held = { .path = fake->runtime };

	if (geteuid() != 0)
		skip();
	assert_int_equal(runtime_file_replace(AT(fake->runtime), "file", "x"), 0);
	assert_int_equal(chown(fake->runtime, SOMEBODY, 0), 0);
	assert_int_equal(runtime_directory_hold(&held), -EPERM);
	assert_false(held.held);
}
