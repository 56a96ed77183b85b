/* SPDX-License-Identifier: BSD-3-Clause */
/* Capabilities that a run drops, and those that it keeps if it has them. */
#include "check.h"

#include "cli/process/privileges.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENOUGH = 64, NO_FILTER = 77 };

/* The argument that this program starts itself with. */
#define BORROWED "borrowed"

static bool has(cap_t capabilities, cap_value_t capability, cap_flag_t flag)
{
	cap_flag_value_t value = CAP_CLEAR;

	return cap_get_flag(capabilities, capability, flag, &value) == 0 && value == CAP_SET;
}

/** Whether a run of that kind keeps a capability. */
static bool keeps(enum privileges_use use, cap_value_t capability)
{
	switch (use) {
	case PRIVILEGES_CHANGE:
		return capability == CAP_SYS_ADMIN || capability == CAP_DAC_OVERRIDE ||
		       capability == CAP_SYS_NICE;
	case PRIVILEGES_REGISTERS:
		return capability == CAP_SYS_RAWIO;
	default:
		return false;
	}
}

/** True if the caller has no more than it should. */
static bool is_left(cap_t before, enum privileges_use use)
{
	cap_t now = cap_get_proc();
	bool right = now != NULL;

	for (cap_value_t i = 0; i < ENOUGH && CAP_IS_SUPPORTED(i) && right; i++) {
		bool kept = keeps(use, i);

		right = has(now, i, CAP_EFFECTIVE) == (kept && has(before, i, CAP_EFFECTIVE)) &&
			has(now, i, CAP_PERMITTED) == (kept && has(before, i, CAP_PERMITTED)) &&
			!has(now, i, CAP_INHERITABLE);
	}
	cap_free(now);
	return right;
}

/** True if nothing that this process might execute gains privileges. */
static bool gains_nothing(void)
{
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

/** Capabilities do not come back: each case is a process of its own. */
static void assert_left(enum privileges_use use)
{
	pid_t process = fork();
	int status;

	assert_true(process >= 0);
	if (process == 0) {
		cap_t before = cap_get_proc();
		bool right = before && privileges_drop(use) == 0 && is_left(before, use) &&
			     gains_nothing();

		cap_free(before);
		_exit(right ? 0 : 1);
	}
	assert_int_equal(waitpid(process, &status, 0), process);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

TEST(a_reading_run_keeps_none)
{
	assert_left(PRIVILEGES_READ);
}

TEST(a_changing_run_keeps_what_the_driver_and_the_files_ask_for)
{
	assert_left(PRIVILEGES_CHANGE);
}

TEST(a_run_that_reads_registers_keeps_what_the_module_msr_asks_for)
{
	assert_left(PRIVILEGES_REGISTERS);
}

static int deny_capset(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_capset, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

/** As in the sandbox of the services. */
TEST(what_has_no_more_than_it_keeps_drops_nothing)
{
	pid_t process = fork();
	int status;

	assert_true(process >= 0);
	if (process == 0) {
		bool some;
		cap_t held;

		if (privileges_drop(PRIVILEGES_CHANGE) != 0)
			_exit(1);
		held = cap_get_proc();
		some = held && has(held, CAP_SYS_ADMIN, CAP_PERMITTED);
		cap_free(held);
		if (deny_capset() != 0)
			_exit(NO_FILTER);
		if (privileges_drop(PRIVILEGES_CHANGE) != 0)
			_exit(2);
		_exit(privileges_drop(PRIVILEGES_READ) == (some ? -EPERM : 0) ? 0 : 3);
	}
	assert_int_equal(waitpid(process, &status, 0), process);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_FILTER)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

/** What the program that was started with borrowed privileges does. Returns 0 if nothing is left.
 */
static int lower_bounding_set(void)
{
	bool right = privileges_borrowed() && privileges_drop(PRIVILEGES_READ) == 0;

	for (cap_value_t i = 0; right && prctl(PR_CAPBSET_READ, i) >= 0; i++)
		right = prctl(PR_CAPBSET_READ, i) == 0;
	return right ? 0 : 1;
}

/** With borrowed privileges, where the real user is another, the bounding set goes as well. */
TEST(borrowed_privileges_lower_the_bounding_set)
{
	pid_t process;
	int status;

	/* Under a RUNNER (tests/run-tests.sh) the program is not what the kernel starts. */
	if (geteuid() != 0 || getenv("RUNNER"))
		skip();
	process = fork();
	assert_true(process >= 0);
	if (process == 0) {
		/* The kernel passes this to a program at its start. */
		if (setresuid(65534, 0, 0) == 0)
			execl("/proc/self/exe", "privileges", BORROWED, NULL);
		_exit(2);
	}
	assert_int_equal(waitpid(process, &status, 0), process);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* All of each group that docs/security.md names, by numbers of x86-64 and arm64. The arguments, or
 * that there are none, would fail with another error. */
static const struct {
	long number;
	int error;
} denied[] = {
	/* Programs. */
	{ SYS_execve, EPERM },
	{ SYS_execveat, EPERM },
	{ SYS_bpf, EPERM },
	/* Modules. */
	{ SYS_init_module, EPERM },
	{ SYS_finit_module, EPERM },
	{ SYS_delete_module, EPERM },
	/* Kernels. */
	{ SYS_kexec_load, EPERM },
#ifdef SYS_kexec_file_load
	{ SYS_kexec_file_load, EPERM },
#endif
	/* Mounts, by the old and the new interface: open_tree, move_mount, fsopen, fsconfig,
	 * fsmount, fspick, mount_setattr and open_tree_attr. */
	{ SYS_mount, EPERM },
	{ SYS_umount2, EPERM },
	{ SYS_pivot_root, EPERM },
	{ 428, EPERM },
	{ 429, EPERM },
	{ 430, EPERM },
	{ 431, EPERM },
	{ 432, EPERM },
	{ 433, EPERM },
	{ 442, EPERM },
	{ 467, EPERM },
	/* Namespaces; clone3. */
	{ SYS_unshare, EPERM },
	{ SYS_setns, EPERM },
	{ 435, ENOSYS },
	/* Memory of other processes. */
	{ SYS_process_vm_writev, EPERM },
	/* Sockets: by io_uring_setup, io_uring_enter and io_uring_register as well. */
	{ SYS_socket, EPERM },
	{ SYS_socketpair, EPERM },
	{ 425, EPERM },
	{ 426, EPERM },
	{ 427, EPERM },
};

/** The number of the first call that is not denied; 0: all are. */
static long find_allowed(void)
{
	for (size_t i = 0; i < COUNT(denied); i++) {
		errno = 0;
		if (syscall(denied[i].number, -1L, -1L, -1L, -1L, -1L, -1L) != -1 ||
		    errno != denied[i].error)
			return denied[i].number;
	}
	return 0;
}

/** Whether each new namespace is denied to clone(2), and a process like this one is not. */
static bool clones_without_namespaces(void)
{
	static const unsigned long namespaces[] = { CLONE_NEWNS,  CLONE_NEWCGROUP, CLONE_NEWUTS,
						    CLONE_NEWIPC, CLONE_NEWUSER,   CLONE_NEWPID,
						    CLONE_NEWNET };
	int status;
	pid_t process;

	/* CLONE_SIGHAND alone is invalid: nothing is cloned where it is not denied. */
	for (size_t i = 0; i < COUNT(namespaces); i++)
		if (syscall(SYS_clone, namespaces[i] | CLONE_SIGHAND, 0, 0, 0, 0) != -1 ||
		    errno != EPERM)
			return false;
	process = fork();
	if (process == 0)
		_exit(0);
	return process > 0 && waitpid(process, &status, 0) == process && status == 0;
}

/** Ends with 0 if what is denied fails, and what a run needs still works. */
static void try_calls(void)
{
	const char *preloaded = getenv("LD_PRELOAD");
	int local, pair[2];
	long allowed = 0;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || privileges_deny_calls() != 0)
		_exit(NO_FILTER);
	/* valgrind looks at what arguments point to, and does not survive a program that cannot be
	 * executed after all. */
	if (!(preloaded && strstr(preloaded, "vgpreload")))
		allowed = find_allowed();
	if (allowed) {
		fprintf(stderr, "system call %ld is not denied\n", allowed);
		_exit(2);
	}
	if (!clones_without_namespaces())
		_exit(3);
	local = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (local < 0 || close(local) != 0 || access("/", R_OK) != 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		_exit(4);
	_exit(0);
}

TEST(unneeded_system_calls_are_denied)
{
	pid_t process = fork();
	int status;

	assert_true(process >= 0);
	if (process == 0)
		try_calls();
	assert_int_equal(waitpid(process, &status, 0), process);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_FILTER)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

TEST(a_program_without_extra_privileges_borrows_none)
{
	assert_false(privileges_borrowed());
}

/** What root names is opened as root; in any other case without a capability, and then as before.
 */
TEST(as_the_caller_no_capability_is_effective)
{
	cap_t before = cap_get_proc(), meanwhile, after;
	cap_t none = cap_init();

	assert_true(before && none);
	assert_int_equal(privileges_as_caller(), 0);
	meanwhile = cap_get_proc();
	assert_int_equal(privileges_again(0), 0);
	after = cap_get_proc();
	assert_true(meanwhile && after);
	assert_int_equal(cap_compare(before, after), 0);
	assert_int_equal(
		CAP_DIFFERS(cap_compare(meanwhile, getuid() == 0 ? before : none), CAP_EFFECTIVE),
		0);
	cap_free(before);
	cap_free(meanwhile);
	cap_free(after);
	cap_free(none);
}

int main(int argc, char **argv)
{
	/* What looks for leaks at an end in good order has lost its rights. */
	if (argc == 2 && strcmp(argv[1], BORROWED) == 0)
		_exit(lower_bounding_set());
	return test_main(NULL, NULL);
}
