/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are written completely or not at all. */
#include "check.h"

#include "cli/process/save_file.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TEXT "# isst configuration 1\n"

enum { NO_NAMESPACE = 77 };

static char directory[] = "/tmp/isst-save.XXXXXX";

static int enter_directory(void **state)
{
	umask(022);
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave_directory(void **state)
{
	return chdir("/") || rmdir(directory) ? -1 : 0;
}

static void make_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void assert_content(const char *path, const char *expected)
{
	char text[4096];
	FILE *file = fopen(path, "r");
	size_t size;

	assert_non_null(file);
	size = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[size] = '\0';
	assert_string_equal(text, expected);
}

static unsigned int mode_of(const char *path)
{
	struct stat file;

	assert_int_equal(lstat(path, &file), 0);
	return file.st_mode;
}

/** No temporary file is left behind: removes @path and looks whether it was the only one. */
static void remove_only(const char *path)
{
	DIR *entries;
	struct dirent *entry;

	assert_int_equal(unlink(path), 0);
	entries = opendir(".");
	assert_non_null(entries);
	while ((entry = readdir(entries)) != NULL)
		assert_int_equal(strspn(entry->d_name, "."), strlen(entry->d_name));
	closedir(entries);
}

static int save(const char *path)
{
	return save_file(path, TEXT, strlen(TEXT));
}

TEST(a_new_file_has_the_usual_mode)
{
	assert_int_equal(save("new"), 0);
	assert_content("new", TEXT);
	assert_int_equal(mode_of("new"), S_IFREG | 0644);
	remove_only("new");
}

TEST(a_file_keeps_its_mode)
{
	make_file("old", "old text that is longer than the new one\n");
	assert_int_equal(chmod("old", 0660), 0);
	assert_int_equal(save("old"), 0);
	assert_content("old", TEXT);
	assert_int_equal(mode_of("old"), S_IFREG | 0660);
	remove_only("old");
}

TEST(what_a_link_names_is_replaced)
{
	make_file("file", "");
	assert_int_equal(symlink("file", "link"), 0);
	assert_int_equal(save("link"), 0);
	assert_int_equal(mode_of("link") & S_IFMT, S_IFLNK);
	assert_content("file", TEXT);
	assert_int_equal(unlink("link"), 0);
	remove_only("file");
}

/** As a shell does: chains of links, and relative ones from where the link is. */
TEST(what_a_dangling_link_names_is_created)
{
	assert_int_equal(mkdir("deep", 0755), 0);
	assert_int_equal(symlink("deep/link", "first"), 0);
	assert_int_equal(symlink("../file", "deep/link"), 0);
	assert_int_equal(save("first"), 0);
	assert_int_equal(mode_of("first") & S_IFMT, S_IFLNK);
	assert_int_equal(mode_of("deep/link") & S_IFMT, S_IFLNK);
	assert_content("file", TEXT);
	assert_int_equal(mode_of("file"), S_IFREG | 0644);
	assert_int_equal(unlink("first"), 0);
	assert_int_equal(unlink("deep/link"), 0);
	assert_int_equal(rmdir("deep"), 0);
	remove_only("file");
}

TEST(a_dangling_link_into_no_directory_stays)
{
	assert_int_equal(symlink("none/file", "link"), 0);
	assert_int_equal(save("link"), -ENOENT);
	assert_int_equal(mode_of("link") & S_IFMT, S_IFLNK);
	remove_only("link");
}

TEST(directories_are_refused)
{
	assert_int_equal(save("/"), -EISDIR);
	assert_int_equal(save("none/file"), -ENOENT);
}

/** On a file system that takes no more. */
TEST(a_file_that_cannot_be_written_stays)
{
	struct rlimit limit, before;

	make_file("old", "old\n");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 10;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(save("old"), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_content("old", "old\n");
	remove_only("old");
}

TEST(a_fifo_is_written_to)
{
	pid_t reader;
	int status;

	assert_int_equal(mkfifo("fifo", 0600), 0);
	reader = fork();
	assert_true(reader >= 0);
	if (reader == 0) {
		char text[100];
		FILE *file = fopen("fifo", "r");
		size_t size = file ? fread(text, 1, sizeof(text), file) : 0;

		_exit(size == strlen(TEXT) && memcmp(text, TEXT, size) == 0 ? 0 : 1);
	}
	assert_int_equal(save("fifo"), 0);
	assert_int_equal(waitpid(reader, &status, 0), reader);
	assert_int_equal(status, 0);
	assert_int_equal(mode_of("fifo") & S_IFMT, S_IFIFO);
	remove_only("fifo");
}

static bool write_map(const char *path, unsigned int id)
{
	FILE *file = fopen(path, "w");

	return file && fprintf(file, "%u %u 1", id, id) > 0 && fclose(file) == 0;
}

/** Saves to a file that is mounted on another one, in a mount namespace of this process's own. */
__attribute__((noreturn)) static void save_to_mount_point(void)
{
	unsigned int user = getuid(), group = getgid();
	FILE *deny;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
		_exit(NO_NAMESPACE);
	deny = fopen("/proc/self/setgroups", "w");
	if (!deny || fputs("deny", deny) < 0 || fclose(deny) != 0 ||
	    !write_map("/proc/self/uid_map", user) || !write_map("/proc/self/gid_map", group) ||
	    mount("mounted", "point", NULL, MS_BIND, NULL) != 0)
		_exit(NO_NAMESPACE);
	_exit(save("point") == 0 ? 0 : 1);
}

TEST(a_mount_point_is_written_to)
{
	pid_t process;
	int status;

	make_file("mounted", "old text that is longer than the new one\n");
	make_file("point", "");
	process = fork();
	assert_true(process >= 0);
	if (process == 0)
		save_to_mount_point();
	assert_int_equal(waitpid(process, &status, 0), process);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) != NO_NAMESPACE) {
		assert_int_equal(WEXITSTATUS(status), 0);
		assert_content("mounted", TEXT);
		assert_content("point", "");
	}
	assert_int_equal(unlink("mounted"), 0);
	remove_only("point");
	if (WEXITSTATUS(status) == NO_NAMESPACE)
		skip();
}

/** What is written to the stream before and after is not lost. */
TEST(the_file_of_a_standard_stream_is_written_to)
{
	pid_t process = fork();
	int status;

	assert_true(process >= 0);
	if (process == 0) {
		int descriptor = open("stream", O_WRONLY | O_CREAT | O_TRUNC, 0600);

		if (dup2(descriptor, STDOUT_FILENO) < 0 ||
		    write(STDOUT_FILENO, "before\n", 7) < 0 || save("/dev/stdout") != 0 ||
		    write(STDOUT_FILENO, "behind\n", 7) < 0)
			_exit(1);
		_exit(0);
	}
	assert_int_equal(waitpid(process, &status, 0), process);
	assert_int_equal(status, 0);
	assert_content("stream", "before\n" TEXT "behind\n");
	remove_only("stream");
}

/** What another process does before the next file or directory is opened. */
static void (*meanwhile)(void);

/** That of the library, which the program is linked with. */
int openat(int parent, const char *name, int flags, ...)
{
	static int (*real)(int parent, const char *name, int flags, ...);
	void (*now)(void) = meanwhile;
	va_list arguments;
	unsigned int mode;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "openat");
	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, unsigned int) : 0;
	va_end(arguments);
	meanwhile = NULL;
	if (now)
		now();
	return real(parent, name, flags, mode);
}

/** Puts a link to a file elsewhere in the place of what is there. */
static void exchange_for_link(void)
{
	assert_int_equal(symlink("../victim", "deep/exchanged"), 0);
	assert_int_equal(rename("deep/exchanged", "deep/file"), 0);
}

static void exchange_directory(void)
{
	assert_int_equal(rename("deep", "moved"), 0);
	assert_int_equal(symlink("other", "deep"), 0);
}

/** A process that may write to a directory must not choose the content, mode and owner of a file
 * elsewhere. */
TEST(what_takes_the_place_of_a_file_is_not_written)
{
	static const struct {
		bool fifo, dangles;
		void (*exchange)(void);
	} rows[] = { { .exchange = exchange_for_link },
		     { .exchange = exchange_directory },
		     { .fifo = true, .exchange = exchange_for_link },
		     { .dangles = true, .exchange = exchange_for_link } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make_file("victim", "victim\n");
		assert_int_equal(mkdir("other", 0755), 0);
		make_file("other/file", "other\n");
		assert_int_equal(mkdir("deep", 0755), 0);
		if (rows[i].fifo) {
			assert_int_equal(mkfifo("deep/file", 0666), 0);
		} else if (rows[i].dangles) {
			assert_int_equal(symlink("none", "deep/file"), 0);
		} else {
			make_file("deep/file", "");
			assert_int_equal(chmod("deep/file", 0666), 0);
		}
		meanwhile = rows[i].exchange;
		assert_int_equal(save("deep/file"), -ESTALE);
		assert_null(meanwhile);
		assert_content("victim", "victim\n");
		assert_int_equal(mode_of("victim"), S_IFREG | 0644);
		assert_content("other/file", "other\n");
		assert_int_equal(mode_of("other/file"), S_IFREG | 0644);
		(void)unlink("deep");
		(void)rename("moved", "deep");
		assert_int_equal(unlink("deep/file"), 0);
		assert_int_equal(rmdir("deep"), 0);
		assert_int_equal(unlink("other/file"), 0);
		assert_int_equal(rmdir("other"), 0);
		remove_only("victim");
	}
}

/** In a directory like /tmp whoever may write there must not choose which file is replaced. */
TEST(a_link_of_another_user_in_a_shared_directory_is_not_followed)
{
	FILE *setting = fopen("/proc/sys/fs/protected_symlinks", "r");
	bool other = setting && fgetc(setting) == '1';

	if (setting)
		fclose(setting);
	make_file("victim", "victim\n");
	assert_int_equal(mkdir("shared", 0755), 0);
	assert_int_equal(chmod("shared", 01777), 0);
	assert_int_equal(symlink("../victim", "shared/link"), 0);
	other = other && lchown("shared/link", 1, 1) == 0;
	assert_int_equal(save("shared/link"), other ? -EACCES : 0);
	assert_content("victim", other ? "victim\n" : TEXT);
	assert_int_equal(unlink("shared/link"), 0);
	assert_int_equal(rmdir("shared"), 0);
	remove_only("victim");
	if (!other)
		skip(); /* only root can give a link away, and the kernel may follow all */
}

TEST(a_name_may_be_as_long_as_names_can_be)
{
	char name[NAME_MAX + 1];

	memset(name, 'a', NAME_MAX);
	name[NAME_MAX] = '\0';
	assert_int_equal(save(name), 0);
	assert_content(name, TEXT);
	remove_only(name);
}

/** A process that a timer ends while it saves. */
static void save_until(unsigned int microseconds)
{
	const struct itimerval timer = { .it_value.tv_usec = (suseconds_t)microseconds };
	pid_t process = fork();

	if (process == 0) {
		(void)setitimer(ITIMER_REAL, &timer, NULL);
		(void)save("file");
		_exit(0);
	}
	assert_int_equal(waitpid(process, NULL, 0), process);
}

TEST(a_signal_leaves_no_temporary_file)
{
	enum { TIMES = 50 };
	struct timespec begin, end;
	unsigned int microseconds;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	assert_int_equal(save("file"), 0);
	clock_gettime(CLOCK_MONOTONIC, &end);
	microseconds = (unsigned int)((end.tv_sec - begin.tv_sec) * 1000000 +
				      (end.tv_nsec - begin.tv_nsec) / 1000);
	for (unsigned int i = 1; i <= TIMES; i++)
		save_until(1 + microseconds * i / TIMES);
	assert_content("file", TEXT);
	remove_only("file");
}

TEST(links_that_go_in_circles_are_refused)
{
	assert_int_equal(symlink("one", "other"), 0);
	assert_int_equal(symlink("other", "one"), 0);
	assert_int_equal(save("one"), -ELOOP);
	assert_int_equal(unlink("other"), 0);
	remove_only("one");
}

int main(void)
{
	return test_main(enter_directory, leave_directory);
}
