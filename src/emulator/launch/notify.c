/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives the calls that the filter selects, and answers or continues each. */
#include "emulator/launch/launch.h"

#include "driver/abi.h"
#include "emulator/model/task.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Linux 5.14 and 6.6 */
#ifndef SECCOMP_ADDFD_FLAG_SEND
#define SECCOMP_ADDFD_FLAG_SEND (1UL << 1)
#endif
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

#ifdef __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE AUDIT_ARCH_X86_64
#endif

/* Results of an answer besides values and -errno: the kernel carries the call out; the caller has
 * its answer; it is asked again later. */
enum { CONTINUED = INT_MIN, ANSWERED, WAITING };

struct answerer {
	struct launch *launch;
	int listener;
	struct seccomp_notif *waiting; /* for the lock of the device */
	size_t waiting_count;
};

/** Reads a text that ends within @size bytes, and may end before memory that cannot be read. */
static bool read_text(pid_t task, uint64_t from, char *text, size_t size)
{
	enum { PAGE = 4096 };
	size_t first = PAGE - from % PAGE < size ? PAGE - from % PAGE : size;

	if (!caller_read(task, from, text, first))
		return false;
	if (memchr(text, '\0', first))
		return true;
	return caller_read(task, from + first, text + first, size - first) &&
	       memchr(text, '\0', size);
}

/* ---- uname(2) ---- */

/** The release and version of the machine's kernel, as in /proc. */
static long get_name(struct emulated *emulated, pid_t caller, uint64_t address)
{
	char *release = files_content(emulated, "/proc/sys/kernel/osrelease");
	char *version = files_content(emulated, "/proc/version");
	const char *build = version ? strchr(version, '#') : NULL;
	struct utsname name;
	int result = uname(&name) ? -errno : 0;

	if (release)
		snprintf(name.release, sizeof(name.release), "%.*s", (int)strcspn(release, "\n"),
			 release);
	if (build)
		snprintf(name.version, sizeof(name.version), "%.*s", (int)strcspn(build, "\n"),
			 build);
	free(release);
	free(version);
	if (!result && !caller_write(caller, address, &name, sizeof(name)))
		result = -EFAULT;
	return result;
}

/* ---- Opening the device, and /proc/PID/status ---- */

/* Flags of opens of other files. Those of the state have O_NONBLOCK, see state_unlock(). */
enum { OTHER_FLAGS = O_WRONLY | O_DIRECTORY | O_PATH | O_NONBLOCK };

static long open_file(struct answerer *server, const struct seccomp_notif *call, int directory,
		      const __u64 *arguments)
{
	struct seccomp_notif_addfd file = { .id = call->id, .flags = SECCOMP_ADDFD_FLAG_SEND };
	char path[PATH_MAX];
	int descriptor;

	if (!read_text((pid_t)call->pid, arguments[0], path, sizeof(path)))
		return CONTINUED;
	if (strcmp(path, ABI_DEVICE_PATH) == 0) {
		descriptor = device_open(server->launch);
		return descriptor ? descriptor : CONTINUED;
	}
	if (arguments[1] & O_RDWR ||
	    !task_file_open((pid_t)call->pid, directory, path, &descriptor))
		return CONTINUED;
	if (descriptor < 0)
		return descriptor;
	file.srcfd = (__u32)descriptor;
	file.newfd_flags = arguments[1] & O_CLOEXEC;
	descriptor = ioctl(server->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &file);
	if (descriptor >= 0 || errno == ENOENT)
		descriptor = ANSWERED;
	else
		descriptor = -errno;
	close((int)file.srcfd);
	return descriptor;
}

/* ---- Calls ---- */

static long answer(struct answerer *server, const struct seccomp_notif *call)
{
	const __u64 *arguments = call->data.args;
	pid_t caller = (pid_t)call->pid;
	char path[PATH_MAX];
	long result;

	switch (call->data.nr) {
	case SYS_statfs:
		return read_text(caller, arguments[0], path, sizeof(path)) &&
				       file_system_get(caller, AT_FDCWD, path, arguments[1],
						       &result)
			       ? result
			       : CONTINUED;
	case SYS_fstatfs:
		return file_system_get(caller, (int)arguments[0], "", arguments[1], &result)
			       ? result
			       : CONTINUED;
	case SYS_ioctl:
		if (!device_is(caller, (int)arguments[0]))
			return CONTINUED;
		return device_request(server->launch, caller, (unsigned int)arguments[1],
				      arguments[2]);
	case SYS_flock:
		if (!device_is(caller, (int)arguments[0]))
			return CONTINUED;
		result = device_lock(server->launch, caller, (int)arguments[0], (int)arguments[1]);
		if (result == -EAGAIN && !(arguments[1] & LOCK_NB))
			return WAITING;
		return result;
	case SYS_uname:
		return get_name(server->launch->emulated, caller, arguments[0]);
#ifdef SYS_open
	case SYS_open:
		return open_file(server, call, AT_FDCWD, arguments);
#endif
	case SYS_openat:
		return open_file(server, call, (int)arguments[0], arguments + 1);
	case SYS_sched_getaffinity:
		return get_affinity(caller, arguments);
	case SYS_sched_setaffinity:
		return set_affinity(caller, arguments);
	case SYS_get_mempolicy:
		return get_memory_policy(caller, arguments);
	case SYS_set_mempolicy:
		return set_memory_policy(caller, arguments);
	case SYS_mbind:
		return bind_memory(caller, arguments);
	default:
		return CONTINUED;
	}
}

/** Answers a call. Returns false if it has to wait. */
static bool finish_call(struct answerer *server, const struct seccomp_notif *call)
{
	struct seccomp_notif_resp response = { .id = call->id };
	long result = answer(server, call);

	files_release(server->launch->emulated);
	if (result == WAITING || result == ANSWERED)
		return result == ANSWERED;
	if (result == CONTINUED)
		response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	else if (result < 0)
		response.error = (__s32)result;
	else
		response.val = result;
	/* ENOENT: the caller was killed meanwhile. */
	ioctl(server->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
	return true;
}

/** Whether a signal waits for a task that takes it. */
static bool is_interrupted(pid_t task)
{
	return (task_mask(task, "SigPnd:") | task_mask(task, "ShdPnd:")) &
	       ~task_mask(task, "SigBlk:");
}

/** Asks again for those that wait for a lock, and forgets those that are gone. The kernel
 * interrupts no call that was received: to do it, or to begin it again, is left to it once a signal
 * is there. */
static void retry_waiting(struct answerer *server)
{
	enum { RESTART = 512 }; /* ERESTARTSYS */
	size_t kept = 0;

	for (size_t i = 0; i < server->waiting_count; i++) {
		const struct seccomp_notif *call = &server->waiting[i];
		struct seccomp_notif_resp response = { .id = call->id, .error = -RESTART };

		if (ioctl(server->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &call->id))
			continue;
		if (is_interrupted((pid_t)call->pid))
			ioctl(server->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
		else if (!finish_call(server, call))
			server->waiting[kept++] = *call;
	}
	server->waiting_count = kept;
}

static void receive_call(struct answerer *server)
{
	struct seccomp_notif_resp response = { .error = -ENOMEM };
	struct seccomp_notif call = { 0 }, *waiting;

	if (ioctl(server->listener, SECCOMP_IOCTL_NOTIF_RECV, &call) || finish_call(server, &call))
		return;
	waiting = reallocarray(server->waiting, server->waiting_count + 1, sizeof(*waiting));
	if (waiting) {
		server->waiting = waiting;
		waiting[server->waiting_count++] = call;
	} else {
		response.id = call.id;
		ioctl(server->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
	}
}

void notify_serve(struct launch *launch, int listener)
{
	struct answerer server = { .launch = launch, .listener = listener };
	struct pollfd ready = { .fd = listener, .events = POLLIN };

	if (!placements_begin(launch->emulated))
		return;
	/* A switch to the waiting process at once, where the kernel can. */
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
	while (!(ready.revents & POLLHUP)) {
		bool held = device_check_lock();
		int pause = server.waiting_count ? DEVICE_LOCK_PAUSE_MS
			    : held		 ? DEVICE_LOCK_CHECK_MS
						 : -1;

		ready.revents = 0;
		if (poll(&ready, 1, pause) < 0 && errno != EINTR)
			break;
		if (ready.revents & POLLIN)
			receive_call(&server);
		else
			retry_waiting(&server);
	}
	free(server.waiting);
}

/* ---- The filter ---- */

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_##action)
#define ON_CALL(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), RETURN(USER_NOTIF)
/* An open with no other flags: the lower half of an argument is loaded. */
#define ON_OPEN(name, flags) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD(args[flags]), \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, OTHER_FLAGS, 1, 0), RETURN(USER_NOTIF), \
		RETURN(ALLOW)

int notify_install(char **error)
{
	enum { WAIT_KILLABLE = 1 << 5 }; /* SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV */
	/* In a container it may be the program itself. */
	const unsigned int init = getpid() == 1 ? INT_MAX : 1;
	/* Calls of another architecture have other numbers, and are the system's. */
	struct sock_filter filter[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
		RETURN(ALLOW),
		LOAD(nr),
		ON_OPEN(openat, 2),
#ifdef SYS_open
		ON_OPEN(open, 1),
#endif
		/* The driver's requests. */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 5),
		LOAD(args[1]),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xff00),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ABI_MAGIC << 8, 0, 1),
		RETURN(USER_NOTIF),
		RETURN(ALLOW),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_flock, 0, 4),
		LOAD(args[1]),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, LOCK_UN | LOCK_NB, 0, 1),
		RETURN(ALLOW),
		RETURN(USER_NOTIF),
		ON_CALL(statfs),
		ON_CALL(fstatfs),
		ON_CALL(uname),
		ON_CALL(sched_getaffinity),
		ON_CALL(sched_setaffinity),
		ON_CALL(get_mempolicy),
		ON_CALL(set_mempolicy),
		ON_CALL(mbind),
		/* Where Landlock does not keep signals within the machine (launch.c): init takes
		 * root's for orders, such as to reboot. */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tkill, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigqueueinfo, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_tgsigqueueinfo, 0, 3),
		LOAD(args[0]),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, init, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		RETURN(ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };
	unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | WAIT_KILLABLE;
	long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);

	/* Before Linux 5.19 signals interrupt calls that are answered, which begin anew. */
	if (listener < 0 && errno == EINVAL)
		listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
				   SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
	return listener < 0 ? requirement_missing(NO_NOTIFICATION, -errno, error) : (int)listener;
}
