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

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define DENY BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
/* Each jumps over the one statement behind it unless the condition holds. */
#define IF_EQUAL(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, 1)
#define IF_AT_LEAST(value) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (value), 0, 1)
#define DENY_CALL(name) IF_EQUAL(SYS_##name), DENY

static const struct sock_filter filter[] = {
	/* Another architecture's calls have other numbers; there are none of them here. */
	LOAD(arch),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
	DENY,
	LOAD(nr),
	IF_AT_LEAST(OTHER_ABI),
	DENY,
	DENY_CALL(execve),
	DENY_CALL(execveat),
	DENY_CALL(bpf),
	DENY_CALL(init_module),
	DENY_CALL(finit_module),
	DENY_CALL(delete_module),
	DENY_CALL(kexec_load),
	DENY_CALL(mount),
	DENY_CALL(umount2),
	DENY_CALL(pivot_root),
	DENY_CALL(unshare),
	DENY_CALL(setns),
	DENY_CALL(process_vm_writev),
	/* The system log is a local socket. */
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0),
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
