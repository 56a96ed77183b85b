/* SPDX-License-Identifier: BSD-3-Clause */
/* What a service manager receives: on sockets as systemd makes them. */
#include "check.h"

#include "cli/process/service.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static char *directory;
static int manager;

static int make_directory(void **state)
{
	const char *scratch = getenv("TMPDIR");

	if (asprintf(&directory, "%s/isst-notify-XXXXXX", scratch ? scratch : "/tmp") < 0)
		return -1;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	int status = rmdir(directory);

	free(directory);
	return status;
}

/** Listens as a manager at a name as it stands in NOTIFY_SOCKET. */
static void listen_at(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));

	assert_true(strlen(name) <= sizeof(address.sun_path));
	memcpy(address.sun_path, name, strlen(name));
	if (name[0] == '@')
		address.sun_path[0] = '\0';
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_true(manager >= 0);
	assert_int_equal(bind(manager, (const struct sockaddr *)&address, size), 0);
	assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
}

/** What has arrived; "" if nothing has. */
static const char *received(void)
{
	static char text[256];
	ssize_t size = recv(manager, text, sizeof(text) - 1, MSG_DONTWAIT);

	text[size < 0 ? 0 : size] = '\0';
	return text;
}

TEST(a_path_is_a_socket)
{
	char *path;

	assert_true(asprintf(&path, "%s/notify", directory) > 0);
	listen_at(path);
	assert_int_equal(notify_manager("READY=1\nSTATUS=4 power domains"), 1);
	assert_string_equal(received(), "READY=1\nSTATUS=4 power domains");
	assert_int_equal(notify_manager("STOPPING=1"), 1);
	assert_string_equal(received(), "STOPPING=1");
	assert_string_equal(received(), "");
	/* The manager is gone, and its file is not; then its file is, too. */
	close(manager);
	assert_int_equal(notify_manager("READY=1"), -ECONNREFUSED);
	unlink(path);
	assert_int_equal(notify_manager("READY=1"), -ENOENT);
	free(path);
}

TEST(an_abstract_name_is_one_to_its_last_byte)
{
	char name[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1];
	int length = snprintf(name, sizeof(name), "@isst/%d/", (int)getpid());

	/* The longest that there is has no place for a NUL. */
	memset(name + length, 'x', sizeof(name) - 1 - (size_t)length);
	name[sizeof(name) - 1] = '\0';
	listen_at(name);
	assert_int_equal(notify_manager("READY=1"), 1);
	assert_string_equal(received(), "READY=1");
	name[sizeof(name) - 2] = '\0';
	assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
	assert_int_equal(notify_manager("READY=1"), -ECONNREFUSED);
	close(manager);
}

TEST(reloading_names_its_time)
{
	long long first, time;
	struct timespec now;
	char name[64];

	snprintf(name, sizeof(name), "@isst/%d", (int)getpid());
	listen_at(name);
	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
	first = (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000;
	assert_int_equal(notify_reloading(), 1);
	assert_int_equal(sscanf(received(), "RELOADING=1\nMONOTONIC_USEC=%lld", &time), 1);
	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
	assert_in_range(time, first, (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
	close(manager);
}

TEST(without_a_manager_nothing_is_sent)
{
	unsetenv("NOTIFY_SOCKET");
	assert_int_equal(notify_manager("READY=1"), 0);
	assert_int_equal(notify_reloading(), 0);
	setenv("NOTIFY_SOCKET", "", 1);
	assert_int_equal(notify_manager("READY=1"), 0);
}

TEST(other_addresses_are_refused)
{
	char name[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 2];

	setenv("NOTIFY_SOCKET", "vsock:2:9999", 1);
	assert_int_equal(notify_manager("READY=1"), -EAFNOSUPPORT);
	setenv("NOTIFY_SOCKET", "run/notify", 1);
	assert_int_equal(notify_manager("READY=1"), -EAFNOSUPPORT);
	setenv("NOTIFY_SOCKET", "@", 1);
	assert_int_equal(notify_manager("READY=1"), -EINVAL);
	memset(name, '/', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	setenv("NOTIFY_SOCKET", name, 1);
	assert_int_equal(notify_manager("READY=1"), -EINVAL);
}

/** A manager that does not read must not stop who tells it something. */
TEST(a_manager_that_is_slow_is_not_waited_for)
{
	int result = 1;
	char name[64];

	snprintf(name, sizeof(name), "@isst/slow/%d", (int)getpid());
	listen_at(name);
	for (int i = 0; i < 100000 && result == 1; i++)
		result = notify_manager("STATUS=still here");
	assert_int_equal(result, -EAGAIN);
	close(manager);
}

/** Those who inherit the variable may write somewhere else. */
TEST(the_journal_is_known_by_device_and_inode)
{
	FILE *one = tmpfile(), *other = tmpfile();
	struct stat file;
	char name[64];

	assert_int_equal(fstat(fileno(one), &file), 0);
	snprintf(name, sizeof(name), "%ju:%ju", (uintmax_t)file.st_dev, (uintmax_t)file.st_ino);
	unsetenv("JOURNAL_STREAM");
	assert_false(notify_is_journal(fileno(one)));
	setenv("JOURNAL_STREAM", name, 1);
	assert_true(notify_is_journal(fileno(one)));
	assert_false(notify_is_journal(fileno(other)));
	assert_false(notify_is_journal(-1));
	unsetenv("JOURNAL_STREAM");
	fclose(one);
	fclose(other);
}

int main(void)
{
	return test_main(make_directory, remove_directory);
}
