/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A filter of system calls for what is left of a run once its privileges are dropped: it reads and
 * writes files, asks the device, and sends lines to the system log. What a flaw in it could be used
 * for needs more than that: it is denied. All else stays allowed, so that C libraries and
 * sanitizers are free to do their work as they like. Must not know what the run does.
 */
#include "syscalls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#if defined(__x86_64__) && defined(__LP64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

enum { OTHER_ABI = 0x40000000 }; /* x32 numbers its calls from here on */

/* Numbers of calls that the kernel's headers of the build may be too old for. Those from 424 on are
 * the same for all architectures. */
enum {
#ifdef __x86_64__
	CALL_KEXEC_FILE_LOAD = 320,
#else
	CALL_KEXEC_FILE_LOAD = 294,
#endif
	CALL_IO_URING_SETUP = 425,
	CALL_IO_URING_ENTER,
	CALL_IO_URING_REGISTER,
	CALL_OPEN_TREE,
	CALL_MOVE_MOUNT,
	CALL_FSOPEN,
	CALL_FSCONFIG,
	CALL_FSMOUNT,
	CALL_FSPICK,
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
	DENY_CALL(CALL_OPEN_TREE),
	DENY_CALL(CALL_OPEN_TREE_ATTR),
	DENY_CALL(CALL_MOVE_MOUNT),
	DENY_CALL(CALL_FSOPEN),
	DENY_CALL(CALL_FSCONFIG),
	DENY_CALL(CALL_FSMOUNT),
	DENY_CALL(CALL_FSPICK),
	DENY_CALL(CALL_MOUNT_SETATTR),
	DENY_CALL(SYS_unshare),
	DENY_CALL(SYS_setns),
	DENY_CALL(SYS_process_vm_writev),
	/* It makes sockets and more, past this filter. */
	DENY_CALL(CALL_IO_URING_SETUP),
	DENY_CALL(CALL_IO_URING_ENTER),
	DENY_CALL(CALL_IO_URING_REGISTER),
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

int syscalls_deny(void)
{
	const struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]),
					    .filter = (struct sock_filter *)filter };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0 ? -errno : 0;
}

#else

int syscalls_deny(void)
{
	return -EOPNOTSUPP;
}

#endif
