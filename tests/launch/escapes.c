/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C program that looks for ways out of the machine of tests/platforms/tiny.platform, on which it
 * is run: to the files of the system's own CPUs, and to changes of its kernel. As root and as a
 * user. What would harm a system on which a way is open has arguments that the kernel refuses
 * later.
 */
#include "program.h"

#include <dirent.h>
#include <linux/io_uring.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/reboot.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>

#define ONLINE CPUS "/online"

/* CPU 3 is offline, so that no other machine is taken for this one. */
static int take_offline(void **state)
{
	(void)state;
	write_file(CPU3, "0");
	return 0;
}

static void assert_opened(long descriptor)
{
	char content[20] = "";

	assert_true(descriptor >= 0);
	assert_true(read((int)descriptor, content, sizeof(content) - 1) >= 0);
	assert_string_equal(content, "0-2\n");
	assert_int_equal(close((int)descriptor), 0);
}

/** A path by which the file may be missing, or is the machine's. */
static void assert_not_the_systems(const char *path)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);

	if (descriptor >= 0)
		assert_opened(descriptor);
}

/** A call fails for want of a permission, or since the kernel does not have it. */
#define assert_refused(call) \
	do { \
		errno = 0; \
		assert_true((call) < 0); \
		if (errno != EPERM && errno != EACCES && errno != EROFS && errno != EINVAL && \
		    errno != ENOSYS) \
			fail_msg("%s: %s", #call, strerror(errno)); \
	} while (0)

/* ---- Ways to open a file ---- */

static void raw_calls_open_the_machines(void **state)
{
	struct open_how how = { .flags = O_RDONLY };
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)state;
#ifdef SYS_open
	assert_opened(syscall(SYS_open, ONLINE, O_RDONLY));
#endif
	assert_opened(syscall(SYS_openat, AT_FDCWD, ONLINE, O_RDONLY));
	assert_opened(syscall(SYS_openat, root, ONLINE + 1, O_RDONLY));
	assert_opened(syscall(SYS_openat2, AT_FDCWD, ONLINE, &how, sizeof(how)));
	how.resolve = RESOLVE_IN_ROOT;
	assert_opened(syscall(SYS_openat2, root, ONLINE, &how, sizeof(how)));
	how.resolve = RESOLVE_NO_XDEV;
	assert_fails(syscall(SYS_openat2, root, ONLINE + 1, &how, sizeof(how)), EXDEV);
	close(root);
}

static void rings_open_the_machines(void **state)
{
	struct io_uring_params parameters = { 0 };
	int ring = (int)syscall(SYS_io_uring_setup, 1, &parameters);
	struct io_uring_sqe *entries;
	const struct io_uring_cqe *result;
	unsigned char *submissions, *completions;

	(void)state;
	if (ring < 0)
		skip(); /* forbidden by the system */
	submissions = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring,
			   IORING_OFF_SQ_RING);
	completions = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring,
			   IORING_OFF_CQ_RING);
	entries = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
	assert_true(submissions != MAP_FAILED && completions != MAP_FAILED &&
		    entries != MAP_FAILED);
	entries[0] = (struct io_uring_sqe){ .opcode = IORING_OP_OPENAT,
					    .fd = AT_FDCWD,
					    .addr = (uintptr_t)ONLINE,
					    .open_flags = O_RDONLY };
	*(unsigned int *)(submissions + parameters.sq_off.array) = 0;
	++*(unsigned int *)(submissions + parameters.sq_off.tail);
	assert_int_equal(syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0),
			 1);
	result = (const struct io_uring_cqe *)(completions + parameters.cq_off.cqes);
	assert_opened(result->res);
	close(ring);
}

static void roots_of_processes_lead_to_the_machine(void **state)
{
	char path[80];

	(void)state;
	assert_not_the_systems("/proc/self/root" ONLINE);
	assert_not_the_systems("/proc/thread-self/root" ONLINE);
	assert_not_the_systems("/proc/1/root" ONLINE);
	assert_not_the_systems("/proc/1/cwd" ONLINE);
	for (pid_t process = getppid(); process > 1;) {
		char line[200] = "";
		FILE *stream;

		snprintf(path, sizeof(path), "/proc/%d/root" ONLINE, process);
		assert_not_the_systems(path);
		snprintf(path, sizeof(path), "/proc/%d/stat", process);
		stream = fopen(path, "re");
		if (!stream || !fgets(line, sizeof(line), stream) || !strrchr(line, ')') ||
		    sscanf(strrchr(line, ')'), ") %*c %d", &process) != 1)
			process = 0;
		if (stream)
			fclose(stream);
	}
}

/** Processes come and go. */
#define assert_signal_fails(call) \
	do { \
		errno = 0; \
		if ((call) == 0 || (errno != EPERM && errno != ESRCH)) \
			fail_msg("%s: %s", #call, strerror(errno)); \
	} while (0)

/** By all system calls that send one. */
static void assert_gets_no_signal(pid_t process)
{
	int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
	siginfo_t information = { .si_code = SI_QUEUE };

	assert_signal_fails(kill(process, 0));
	assert_signal_fails(syscall(SYS_tkill, process, 0));
	assert_signal_fails(syscall(SYS_tgkill, process, process, 0));
	assert_signal_fails(syscall(SYS_rt_sigqueueinfo, process, 0, &information));
	assert_signal_fails(syscall(SYS_rt_tgsigqueueinfo, process, process, 0, &information));
	if (descriptor >= 0) {
		assert_signal_fails(syscall(SYS_pidfd_send_signal, descriptor, 0, NULL, 0));
		close(descriptor);
	}
}

static void assert_is_no_way(pid_t process)
{
	struct iovec here = { (char[8]){ 0 }, 8 }, there = { (void *)4096, 8 };
	char path[80];

	snprintf(path, sizeof(path), "/proc/%d/root" ONLINE, process);
	assert_not_the_systems(path);
	errno = 0;
	assert_true(process_vm_readv(process, &here, 1, &there, 1, 0) < 0);
	if (errno != EPERM && errno != ESRCH)
		fail_msg("memory of process %d: %s", process, strerror(errno));
	errno = 0;
	assert_true(ptrace(PTRACE_SEIZE, process, NULL, NULL) < 0);
	if (errno != EPERM && errno != ESRCH)
		fail_msg("trace of process %d: %s", process, strerror(errno));
}

/** Whether the kernel can keep signals within the machine: since Linux 6.12 */
static bool has_scopes(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, 1) >= 6;
}

/** Every process that the program can see, the servers among them. */
static void other_processes_are_no_way(void **state)
{
	DIR *processes = opendir("/proc");
	const struct dirent *entry;
	int others = 0;

	(void)state;
	assert_non_null(processes);
	while ((entry = readdir(processes))) {
		pid_t process = (pid_t)strtol(entry->d_name, NULL, 10);

		if (process <= 0 || process == getpid())
			continue;
		assert_is_no_way(process);
		if (has_scopes())
			assert_gets_no_signal(process);
		others++;
	}
	assert_int_equal(closedir(processes), 0);
	assert_true(others >= 3);
}

static void namespaces_of_others_are_not_entered(void **state)
{
	int first = (int)syscall(SYS_pidfd_open, 1, 0);

	(void)state;
	assert_true(first >= 0);
	assert_refused(setns(first, CLONE_NEWNS));
	assert_refused(setns(first, CLONE_NEWUSER));
	assert_refused(syscall(SYS_pidfd_getfd, first, 0, 0));
	close(first);
}

/* ---- Mounts ---- */

static void mounts_of_the_machine_stay(void **state)
{
	(void)state;
	assert_refused(umount2(CPUS, MNT_DETACH));
	assert_refused(umount2("/dev/isst_interface", MNT_DETACH));
	assert_refused(umount2("/proc/cpuinfo", MNT_DETACH));
	assert_refused(mount(NULL, "/sys", NULL, MS_REMOUNT | MS_BIND, NULL));
	assert_refused(mount(NULL, "/proc/sys", NULL, MS_REMOUNT | MS_BIND, NULL));
	assert_content(ONLINE, "0-2\n");
}

/** What lies below the machine's files is not shown by a mount that leaves these out. */
static void nothing_is_uncovered(void **state)
{
	char directory[] = "/tmp/isst-escapes-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(directory));
	assert_refused(mount("/sys", directory, NULL, MS_BIND, NULL));
	assert_refused(mount("/sys/devices/system", directory, NULL, MS_BIND, NULL));
	assert_refused(mount("/proc", directory, NULL, MS_BIND, NULL));
	assert_refused(syscall(SYS_open_tree, AT_FDCWD, "/sys", OPEN_TREE_CLONE));
	assert_refused(mount("sysfs", directory, "sysfs", 0, NULL));
	assert_refused(mount("proc", directory, "proc", 0, NULL));
	assert_refused(mount("devtmpfs", directory, "devtmpfs", 0, NULL));
	assert_refused(mount("cgroup2", directory, "cgroup2", 0, NULL));
	assert_refused(mount("debugfs", directory, "debugfs", 0, NULL));
	assert_refused(mount("tracefs", directory, "tracefs", 0, NULL));
	assert_refused(mount("securityfs", directory, "securityfs", 0, NULL));
	assert_refused(mount("bpf", directory, "bpf", 0, NULL) == 0 && umount(directory) == 0
			       ? (errno = EPERM, -1)
			       : -1);
	assert_int_equal(rmdir(directory), 0);
}

static int look_from_nested_namespace(void *data)
{
	(void)data;
	if (umount2(CPUS, MNT_DETACH) == 0 || umount2("/sys", MNT_DETACH) == 0 ||
	    mount("/sys", "/tmp", NULL, MS_BIND, NULL) == 0 ||
	    mount("sysfs", "/tmp", "sysfs", 0, NULL) == 0)
		_exit(1);
	assert_content(ONLINE, "0-2\n");
	_exit(0);
}

static void nested_namespaces_show_the_machine(void **state)
{
	static char stack[65536] __attribute__((aligned(16)));
	static const int kinds[] = { CLONE_NEWUSER | CLONE_NEWNS,
				     CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID,
				     CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWCGROUP, CLONE_NEWNS };

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		pid_t child = clone(look_from_nested_namespace, stack + sizeof(stack),
				    kinds[i] | SIGCHLD, NULL);
		int status;

		if (child < 0)
			continue; /* forbidden by the system */
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
}

static void roots_cannot_be_left(void)
{
	int up;

	if (chroot(CPUS)) {
		_exit(errno == EPERM ? 0 : 1);
	}
	for (up = 0; up < 20; up++)
		if (chdir(".."))
			_exit(2);
	if (open("sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC) >= 0)
		assert_opened(open("sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC));
	_exit(0);
}

static void other_roots_are_no_way(void **state)
{
	(void)state;
	assert_int_equal(child_status(roots_cannot_be_left, 3), 0);
	assert_refused(syscall(SYS_pivot_root, "/", "/tmp"));
	assert_refused(syscall(SYS_pivot_root, "/sys", "/sys/devices"));
}

/* ---- The kernel ---- */

static void modules_are_out_of_reach(void **state)
{
	(void)state;
	assert_refused(syscall(SYS_init_module, NULL, 0, ""));
	assert_refused(syscall(SYS_finit_module, -1, "", 0));
	assert_refused(syscall(SYS_delete_module, "isst-nonesuch", 0));
}

static void the_system_does_not_end(void **state)
{
	(void)state;
	assert_fails(syscall(SYS_reboot, 0, 0, LINUX_REBOOT_CMD_CAD_OFF, NULL), EPERM);
	assert_refused(syscall(SYS_kexec_load, 0, 0, NULL, ~0UL));
	assert_fails(swapon("/nonesuch", 0), EPERM);
	/* Its signals are orders. */
	assert_fails(kill(1, 0), EPERM);
	assert_fails(syscall(SYS_tkill, 1, 0), EPERM);
	assert_fails(syscall(SYS_tgkill, 1, 1, 0), EPERM);
	assert_int_equal(kill(getpid(), 0), 0);
}

static void settings_of_the_kernel_stay(void **state)
{
	static const char *const files[] = {
		"/proc/sysrq-trigger",
		"/proc/sys/kernel/core_pattern",
		"/proc/sys/kernel/sysrq",
		"/proc/sys/kernel/modprobe",
		"/proc/sys/vm/drop_caches",
		"/proc/sys/vm/swappiness",
		"/proc/irq/default_smp_affinity",
		"/proc/irq/1/smp_affinity",
		"/proc/mtrr",
		"/proc/acpi/wakeup",
		"/proc/kcore",
		"/sys/kernel/mm/transparent_hugepage/enabled",
		"/sys/kernel/uevent_helper",
		"/sys/module/msr/parameters/allow_writes",
		"/sys/bus/workqueue/devices/writeback/cpumask",
		"/sys/devices/virtual/workqueue/cpumask",
		"/sys/kernel/debug/sched/verbose",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		int descriptor = open(files[i], O_WRONLY | O_CLOEXEC);

		if (descriptor >= 0)
			fail_msg("%s can be written to", files[i]);
	}
}

/** Of registers, memory and ports, also by nodes that the program makes. */
static void devices_of_the_processor_are_out_of_reach(void **state)
{
	enum { MSR_MAJOR = 202, MEMORY_MAJOR = 1, MEMORY = 1 };
	char path[] = "/tmp/isst-escapes-XXXXXX";
	int descriptor = mkstemp(path);

	(void)state;
	assert_true(descriptor >= 0);
	assert_int_equal(close(descriptor), 0);
	assert_int_equal(unlink(path), 0);
	assert_refused(mknod(path, S_IFCHR | 0600, makedev(MSR_MAJOR, 0)));
	assert_refused(mknod(path, S_IFCHR | 0600, makedev(MEMORY_MAJOR, MEMORY)));
	assert_true(open("/dev/mem", O_RDWR | O_CLOEXEC) < 0);
	assert_true(open("/dev/port", O_RDWR | O_CLOEXEC) < 0);
#ifdef SYS_iopl
	assert_refused(syscall(SYS_iopl, 3));
	assert_refused(syscall(SYS_ioperm, 0x80, 1, 1));
#endif
}

static void privileges_are_not_gained(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) {
		/* A program of the system's, which has the set-user-ID bit. */
		execl("/bin/su", "su", "-c", "umount -l " CPUS, NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_content(ONLINE, "0-2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(raw_calls_open_the_machines),
		cmocka_unit_test(rings_open_the_machines),
		cmocka_unit_test(roots_of_processes_lead_to_the_machine),
		cmocka_unit_test(other_processes_are_no_way),
		cmocka_unit_test(namespaces_of_others_are_not_entered),
		cmocka_unit_test(mounts_of_the_machine_stay),
		cmocka_unit_test(nothing_is_uncovered),
		cmocka_unit_test(nested_namespaces_show_the_machine),
		cmocka_unit_test(other_roots_are_no_way),
		cmocka_unit_test(modules_are_out_of_reach),
		cmocka_unit_test(the_system_does_not_end),
		cmocka_unit_test(settings_of_the_kernel_stay),
		cmocka_unit_test(devices_of_the_processor_are_out_of_reach),
		cmocka_unit_test(privileges_are_not_gained),
	};

	return cmocka_run_group_tests(tests, take_offline, reset_cpu);
}
