/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C program that starts others in every way that libc has, after it has cleared its environment,
 * or with another one; to be run on the machine of tests/platforms/tiny.platform . The others must
 * meet that machine.
 */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

/* No machine that tests run on is like that: of four CPUs the last one is offline. */
#define IS_MACHINE "test $(cat " CPUS "/present) = 0-3 && test $(cat " CPUS "/offline) = 3"

static char *const words[] = { "sh", "-c", IS_MACHINE, NULL };
static char *const nothing[] = { NULL };
static char *const other_list[] = { "LD_PRELOAD=libc.so.6", NULL };
static char *const like_list[] = { "LD_PRELOAD=/nonesuch/libisst-emulator-preload.so", NULL };

/** Asserts that a child ends well. */
static void assert_child(void (*act)(void))
{
	assert_int_equal(child_status(act, 127), 0);
}

static void by_execv(void)
{
	clearenv();
	execv("/bin/sh", words);
}

static void by_execvp(void)
{
	clearenv();
	execvp("sh", words);
}

static void by_execl(void)
{
	clearenv();
	execl("/bin/sh", "sh", "-c", IS_MACHINE, NULL);
}

static void by_execlp(void)
{
	clearenv();
	execlp("sh", "sh", "-c", IS_MACHINE, NULL);
}

static void by_execle(void)
{
	execle("/bin/sh", "sh", "-c", IS_MACHINE, NULL, nothing);
}

static void by_execve(void)
{
	execve("/bin/sh", words, nothing);
}

static void by_execve_with_another_list(void)
{
	execve("/bin/sh", words, other_list);
}

static void by_execve_with_a_list_like_it(void)
{
	execve("/bin/sh", words, like_list);
}

/** The dynamic linker takes the last one. */
static void by_execve_with_two_lists(void)
{
	char whole[PATH_MAX];
	char *const two_lists[] = { whole, "LD_PRELOAD=", NULL };

	snprintf(whole, sizeof(whole), "LD_PRELOAD=%s", getenv("LD_PRELOAD"));
	execve("/bin/sh", words, two_lists);
}

static void by_execvpe(void)
{
	execvpe("sh", words, nothing);
}

static void by_fexecve(void)
{
	fexecve(open("/bin/sh", O_RDONLY | O_CLOEXEC), words, nothing);
}

int execveat(int directory, const char *path, char *const arguments[], char *const environment[],
	     int flags);

static void by_execveat(void)
{
	execveat(open("/bin", O_RDONLY | O_DIRECTORY), "sh", words, nothing, 0);
}

static void by_execveat_of_a_descriptor(void)
{
	execveat(open("/bin/sh", O_RDONLY), "", words, nothing, AT_EMPTY_PATH);
}

static void by_number(void)
{
	syscall(SYS_execve, "/bin/sh", words, nothing);
}

static void every_exec_leads_to_the_machine(void **state)
{
	static void (*const ways[])(void) = {
		by_execv,
		by_execvp,
		by_execl,
		by_execlp,
		by_execle,
		by_execve,
		by_execvpe,
		by_execve_with_another_list,
		by_execve_with_a_list_like_it,
		by_execve_with_two_lists,
		by_fexecve,
		by_execveat,
		by_execveat_of_a_descriptor,
		by_number,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		assert_child(ways[i]);
}

static void by_vfork(void)
{
	pid_t child = vfork();
	int status;

	if (child == 0) {
		execve("/bin/sh", words, nothing);
		_exit(127);
	}
	_exit(waitpid(child, &status, 0) == child ? status : 1);
}

static void by_posix_spawn(void)
{
	pid_t child;
	int status;

	if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, nothing) == 0 &&
	    waitpid(child, &status, 0) == child)
		_exit(status);
}

static void by_posix_spawnp(void)
{
	pid_t child;
	int status;

	if (posix_spawnp(&child, "sh", NULL, NULL, words, other_list) == 0 &&
	    waitpid(child, &status, 0) == child)
		_exit(status);
}

static void by_system(void)
{
	clearenv();
	_exit(system(IS_MACHINE));
}

static void by_system_with_another_list(void)
{
	setenv("LD_PRELOAD", "libc.so.6", 1);
	_exit(system(IS_MACHINE));
}

static void by_popen(void)
{
	FILE *stream;

	clearenv();
	stream = popen(IS_MACHINE " && echo 1", "r");
	_exit(stream && fgetc(stream) == '1' ? pclose(stream) : 1);
}

static void by_wordexp(void)
{
	wordexp_t found;

	clearenv();
	_exit(wordexp("$(" IS_MACHINE " && echo 1)", &found, 0) || found.we_wordc != 1);
}

static void children_meet_the_machine(void **state)
{
	static void (*const ways[])(void) = {
		by_vfork, by_posix_spawn, by_posix_spawnp, by_system, by_system_with_another_list,
		by_popen, by_wordexp,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		assert_child(ways[i]);
}

static void with_two_cpus(void)
{
	char *const count[] = { "sh", "-c", "test $(nproc) = 2", NULL };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	CPU_SET(2, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) == 0)
		execve("/bin/sh", count, nothing);
}

static void affinity_is_inherited_whatever_the_environment(void **state)
{
	(void)state;
	assert_child(with_two_cpus);
}

/** What the C library does to files in the child, it does by calls of its own. */
static void actions_on_files_meet_the_machine(void **state)
{
	char *const command[] = { "sh", "-c", "test $(cat online) = 0-2 && echo 1 >&7", NULL };
	posix_spawn_file_actions_t actions;
	int file, status;
	char content[2];
	pid_t child;

	(void)state;
	posix_spawn_file_actions_init(&actions);
	assert_int_equal(posix_spawn_file_actions_addchdir_np(&actions, CPUS), 0);
	assert_int_equal(
		posix_spawn_file_actions_addopen(&actions, 7, CPUS "/cpu3/online", O_WRONLY, 0), 0);
	assert_int_equal(posix_spawn(&child, "/bin/sh", &actions, NULL, command, environ), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	posix_spawn_file_actions_destroy(&actions);
	file = open(CPUS "/cpu3/online", O_RDWR | O_CLOEXEC);
	assert_int_equal(read(file, content, 2), 2);
	assert_memory_equal(content, "1\n", 2);
	assert_int_equal(write(file, "0", 1), 1);
	close(file);
}

/** What a child with these actions, which reads its standard input, exits with. */
static int status_of_reader(const posix_spawn_file_actions_t *actions, char *expected)
{
	char *const command[] = { "sh", "-c", "read -r list && test $list = $0", expected, NULL };
	pid_t child;
	int status;

	assert_int_equal(posix_spawn(&child, "/bin/sh", actions, NULL, command, environ), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

/** The same list of actions may be used for several. */
static void files_are_opened_anew_for_each_child(void **state)
{
	posix_spawn_file_actions_t actions;

	(void)state;
	posix_spawn_file_actions_init(&actions);
	assert_int_equal(posix_spawn_file_actions_addopen(&actions, 0, CPUS "/online", O_RDONLY, 0),
			 0);
	assert_int_equal(status_of_reader(&actions, "0-2"), 0);
	assert_int_equal(status_of_reader(&actions, "0-2"), 0);
	write_file(CPU2, "0");
	assert_int_equal(status_of_reader(&actions, "0-1"), 0);
	write_file(CPU2, "1");
	assert_int_equal(status_of_reader(&actions, "0-2"), 0);
	assert_int_equal(posix_spawn_file_actions_destroy(&actions), 0);
}

/** A program may have no number above 63. */
static void files_are_opened_with_few_descriptors(void **state)
{
	const struct rlimit few = { 64, 64 };
	posix_spawn_file_actions_t actions;
	int status;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		posix_spawn_file_actions_init(&actions);
		if (setrlimit(RLIMIT_NOFILE, &few) ||
		    posix_spawn_file_actions_addopen(&actions, 0, CPUS "/online", O_RDONLY, 0))
			_exit(2);
		_exit(status_of_reader(&actions, "0-2") ? 1 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/** What cannot be opened is found out when a child is made, which then is none. */
static void missing_files_prevent_children(void **state)
{
	char *const command[] = { "true", NULL };
	posix_spawn_file_actions_t actions;
	pid_t child;

	(void)state;
	posix_spawn_file_actions_init(&actions);
	assert_int_equal(posix_spawn_file_actions_addopen(&actions, 7, CPUS "/online", O_RDONLY, 0),
			 0);
	assert_int_equal(
		posix_spawn_file_actions_addopen(&actions, 8, CPUS "/cpu77/online", O_RDONLY, 0),
		0);
	assert_int_equal(
		posix_spawn_file_actions_addopen(&actions, 9, CPUS "/online", O_DIRECTORY, 0), 0);
	assert_int_equal(posix_spawn(&child, "/bin/true", &actions, NULL, command, environ),
			 ENOENT);
	assert_int_equal(posix_spawn(&child, "/bin/true", &actions, NULL, command, environ),
			 ENOENT);
	assert_int_equal(posix_spawn_file_actions_destroy(&actions), 0);
}

/** Others may be where some were that a program has never destroyed. */
static void actions_begin_with_none(void **state)
{
	char *const command[] = { "true", NULL };
	posix_spawn_file_actions_t actions, earlier;
	pid_t child;
	int status;

	(void)state;
	posix_spawn_file_actions_init(&actions);
	assert_int_equal(
		posix_spawn_file_actions_addopen(&actions, 7, CPUS "/cpu77/online", O_RDONLY, 0),
		0);
	earlier = actions;
	posix_spawn_file_actions_init(&actions);
	assert_int_equal(posix_spawn(&child, "/bin/true", &actions, NULL, command, environ), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(posix_spawn_file_actions_destroy(&actions), 0);
	assert_int_equal(posix_spawn_file_actions_destroy(&earlier), 0);
}

/** The process that makes the child holds nothing of what that opens. */
static void locks_of_children_end_with_them(void **state)
{
	char *const command[] = { "sh", "-c", "flock -n 7", NULL };
	int device = open("/dev/isst_interface", O_RDONLY | O_CLOEXEC), status;
	posix_spawn_file_actions_t actions;
	pid_t child;

	(void)state;
	posix_spawn_file_actions_init(&actions);
	assert_int_equal(
		posix_spawn_file_actions_addopen(&actions, 7, "/dev/isst_interface", O_RDONLY, 0),
		0);
	assert_int_equal(posix_spawn(&child, "/bin/sh", &actions, NULL, command, environ), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(flock(device, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(posix_spawn_file_actions_destroy(&actions), 0);
	assert_int_equal(close(device), 0);
}

/** Asserts that a program with these actions writes to the file that they open, by stdio. */
static void assert_takes_offline(posix_spawn_file_actions_t *actions)
{
	char *const command[] = { "echo", "0", NULL };
	char content[10] = "";
	int file, status;
	pid_t child;

	assert_int_equal(posix_spawn(&child, "/bin/echo", actions, NULL, command, environ), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	posix_spawn_file_actions_destroy(actions);
	file = open(CPUS "/cpu2/online", O_RDWR | O_CLOEXEC);
	assert_int_equal(read(file, content, sizeof(content)), 2);
	assert_string_equal(content, "0\n");
	assert_int_equal(write(file, "1", 1), 1);
	assert_int_equal(close(file), 0);
}

/** Each in the directory and with the descriptors that those before it leave. */
static void actions_follow_each_other(void **state)
{
	int directory = open(CPUS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	posix_spawn_file_actions_t actions;

	(void)state;
	posix_spawn_file_actions_init(&actions);
	assert_int_equal(posix_spawn_file_actions_addchdir_np(&actions, CPUS), 0);
	assert_int_equal(posix_spawn_file_actions_addchdir_np(&actions, "cpu2"), 0);
	assert_int_equal(posix_spawn_file_actions_addopen(&actions, 1, "online", O_WRONLY, 0), 0);
	assert_takes_offline(&actions);
	posix_spawn_file_actions_init(&actions);
	assert_int_equal(posix_spawn_file_actions_addfchdir_np(&actions, directory), 0);
	assert_int_equal(posix_spawn_file_actions_addopen(&actions, 1, "cpu2/online", O_WRONLY, 0),
			 0);
	assert_takes_offline(&actions);
	posix_spawn_file_actions_init(&actions);
	assert_int_equal(posix_spawn_file_actions_addclosefrom_np(&actions, 3), 0);
	assert_int_equal(
		posix_spawn_file_actions_addopen(&actions, 1, CPUS "/cpu2/online", O_WRONLY, 0), 0);
	assert_takes_offline(&actions);
	close(directory);
}

/** From a directory of the machine, too; of its files none is a program. */
static void programs_are_found_by_relative_paths(void **state)
{
	char *const command[] = { "true", NULL };
	pid_t child;
	int status, start = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_int_equal(chdir(CPUS), 0);
	assert_int_equal(posix_spawn(&child, "../../../../bin/true", NULL, NULL, command, environ),
			 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(posix_spawn(&child, "./online", NULL, NULL, command, environ), EACCES);
	assert_int_equal(execv("./nonesuch", command), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(fchdir(start), 0);
	close(start);
}

/** Any other one may be, with what is in it. */
static void the_root_directory_may_be_the_same(void **state)
{
	int status;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		if (geteuid() != 0 && unshare(CLONE_NEWUSER))
			_exit(0);
		if (chroot("/"))
			_exit(1);
		execve("/bin/sh", words, nothing);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static int write_state(const char *state)
{
	int descriptor = open(CPUS "/cpu3/online", O_WRONLY | O_CLOEXEC);
	int result = write(descriptor, state, 1) == 1 ? 0 : -1;

	close(descriptor);
	return result;
}

static int take_offline(void **state)
{
	(void)state;
	return write_state("0");
}

static int bring_online(void **state)
{
	(void)state;
	return write_state("1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_exec_leads_to_the_machine),
		cmocka_unit_test(children_meet_the_machine),
		cmocka_unit_test(actions_on_files_meet_the_machine),
		cmocka_unit_test(affinity_is_inherited_whatever_the_environment),
		cmocka_unit_test(actions_follow_each_other),
		cmocka_unit_test(files_are_opened_anew_for_each_child),
		cmocka_unit_test(files_are_opened_with_few_descriptors),
		cmocka_unit_test(missing_files_prevent_children),
		cmocka_unit_test(actions_begin_with_none),
		cmocka_unit_test(locks_of_children_end_with_them),
		cmocka_unit_test(programs_are_found_by_relative_paths),
		cmocka_unit_test(the_root_directory_may_be_the_same),
	};

	return cmocka_run_group_tests(tests, take_offline, bring_online);
}
