/* SPDX-License-Identifier: BSD-3-Clause */
#include "privileges.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/capability.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The program may have more privileges than its caller: set-uid, or by file capabilities. Those are
 * for the device and the kernel's files. The file of --out is opened with the caller's own rights;
 * emulated machines, platform files and captures are refused altogether (machine.c).
 *
 * Once device and cache are open, a reading run needs no capability: the driver looks at
 * credentials for writes only. A changing run needs
 *  - CAP_SYS_ADMIN, which the driver asks for at some writes;
 *  - CAP_DAC_OVERRIDE to write the kernel's files where the caller is not root, and for root to
 *    make cgroups: their uppermost directory has no write permission for its owner either;
 *  - CAP_SYS_NICE on kernels such as Linux 6.1 when the first cgroup asks for cpusets, since all
 *    processes move to others.
 * CAP_SYS_RAWIO is what the module msr asks for. A capability is kept only if the caller has it;
 * user ids are left alone, so that root still owns what it creates in the runtime directory.
 */
static const struct {
	cap_value_t capability;
	enum privileges_use use;
} needed[] = {
	{ CAP_SYS_ADMIN, PRIVILEGES_CHANGE },
	{ CAP_DAC_OVERRIDE, PRIVILEGES_CHANGE },
	{ CAP_SYS_NICE, PRIVILEGES_CHANGE },
	{ CAP_SYS_RAWIO, PRIVILEGES_REGISTERS },
};

/** Takes a capability over as far as the caller has it. */
static int keep(cap_t kept, cap_t held, cap_value_t capability)
{
	static const cap_flag_t flags[] = { CAP_PERMITTED, CAP_EFFECTIVE };
	cap_flag_value_t value;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (cap_get_flag(held, capability, flags[i], &value) != 0 ||
		    cap_set_flag(kept, flags[i], 1, &capability, value) != 0)
			return -errno;
	}
	return 0;
}

bool privileges_borrowed(void)
{
	/* The kernel reported all of it when it started the program: ids are not changed since. */
	return getauxval(AT_SECURE) || getauxval(AT_UID) != getauxval(AT_EUID) ||
	       getauxval(AT_GID) != getauxval(AT_EGID);
}

/** The kernel reports a failure only by the id that it keeps. */
static int set_file_ids(uid_t user, gid_t group)
{
	setfsgid(group);
	setfsuid(user);
	return setfsgid(group) == (int)group && setfsuid(user) == (int)user ? 0 : -EPERM;
}

static cap_t aside; /* by privileges_as_caller(); NULL: nothing is */

int privileges_as_caller(void)
{
	cap_t lowered;
	int error;

	if (getuid() == 0 && !privileges_borrowed())
		return 0;
	aside = cap_get_proc();
	if (!aside)
		return -errno;
	error = set_file_ids(getuid(), getgid());
	lowered = error ? NULL : cap_get_proc();
	if (!error &&
	    (!lowered || cap_clear_flag(lowered, CAP_EFFECTIVE) != 0 || cap_set_proc(lowered) != 0))
		error = -errno;
	if (lowered)
		cap_free(lowered);
	return error ? privileges_again(error) : 0;
}

int privileges_again(int error)
{
	int failed;

	if (!aside)
		return error;
	failed = set_file_ids(geteuid(), getegid());
	if (cap_set_proc(aside) != 0)
		failed = -errno;
	cap_free(aside);
	aside = NULL;
	return error ? error : failed;
}

int privileges_gain_none(void)
{
	for (cap_value_t i = 0; privileges_borrowed() && prctl(PR_CAPBSET_READ, i) >= 0; i++)
		(void)prctl(PR_CAPBSET_DROP, i);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ? -errno : 0;
}

int privileges_drop(enum privileges_use use)
{
	cap_t held = cap_get_proc(), kept = held ? cap_dup(held) : NULL;
	int error = kept && cap_clear(kept) == 0 ? 0 : -errno;

	for (size_t i = 0; !error && i < sizeof(needed) / sizeof(needed[0]); i++)
		if (needed[i].use == use)
			error = keep(kept, held, needed[i].capability);
	if (!error)
		error = privileges_gain_none();
	/* A sandbox that leaves no more may deny the call (packaging/system/sandbox.conf). */
	if (!error && cap_compare(held, kept) != 0 && cap_set_proc(kept) != 0)
		error = -errno;
	if (held)
		cap_free(held);
	if (kept)
		cap_free(kept);
	return error;
}

/* ---- System calls ---- */

/* A filter for what is left of a run: it reads and writes files, asks the device, and sends lines
 * to the system log. What a flaw in it could be used for needs more than that: it is denied. All
 * else stays allowed, so that C libraries and sanitizers are free to do their work as they like. */
#if defined(__x86_64__) && defined(__LP64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

enum { OTHER_ABI = 0x40000000 }; /* x32 numbers its calls from here on */

/* Numbers that old headers lack. Those from 424 on are the same everywhere. */
enum {
#ifdef __x86_64__
	CALL_KEXEC_FILE_LOAD = 320,
#else
	CALL_KEXEC_FILE_LOAD = 294,
#endif
	/* io_uring makes sockets and more, past this filter; open_tree to fspick mount. */
	CALL_IO_URING_SETUP = 425,
	CALL_FSPICK = 433,
	CALL_CLONE3 = 435,
	CALL_MOUNT_SETATTR = 442,
	CALL_OPEN_TREE_ATTR = 467,
};

/* CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET: clone(2) has no other ones.
 */
enum { NEW_NAMESPACES = 0x7e020000 };

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define FAIL(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define DENY FAIL(EPERM)
/* Each jumps over the one statement behind it unless the condition holds. */
#define IF_EQUAL(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, 1)
#define IF_AT_LEAST(value) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (value), 0, 1)
#define IF_ANY_BIT(bits) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1)
#define DENY_CALL(number) IF_EQUAL(number), DENY

static const struct sock_filter filter[] = {
	/* Another architecture's calls have other numbers; there are none of them here. */
	LOAD(arch),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
	DENY,
	LOAD(nr),
	IF_AT_LEAST(OTHER_ABI),
	DENY,
	DENY_CALL(SYS_execve),
	DENY_CALL(SYS_execveat),
	DENY_CALL(SYS_bpf),
	DENY_CALL(SYS_init_module),
	DENY_CALL(SYS_finit_module),
	DENY_CALL(SYS_delete_module),
	DENY_CALL(SYS_kexec_load),
	DENY_CALL(CALL_KEXEC_FILE_LOAD),
	DENY_CALL(SYS_mount),
	DENY_CALL(SYS_umount2),
	DENY_CALL(SYS_pivot_root),
	DENY_CALL(CALL_OPEN_TREE_ATTR),
	DENY_CALL(CALL_MOUNT_SETATTR),
	DENY_CALL(SYS_unshare),
	DENY_CALL(SYS_setns),
	DENY_CALL(SYS_process_vm_writev),
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, CALL_IO_URING_SETUP, 0, 2),
	BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, CALL_FSPICK, 1, 0),
	DENY,
	/* Its flags are in memory, which no filter can read. For this error C libraries use clone.
	 */
	IF_EQUAL(CALL_CLONE3),
	FAIL(ENOSYS),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),
	LOAD(args[0]),
	IF_ANY_BIT(NEW_NAMESPACES),
	DENY,
	ALLOW,
	/* The system log is a local socket. */
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 2, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socketpair, 1, 0),
	ALLOW,
	LOAD(args[0]),
	IF_EQUAL(AF_UNIX),
	ALLOW,
	DENY,
};

int privileges_deny_calls(void)
{
	const struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]),
					    .filter = (struct sock_filter *)filter };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0 ? -errno : 0;
}

#else

int privileges_deny_calls(void)
{
	return -EOPNOTSUPP;
}

#endif
