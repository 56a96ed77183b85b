/* SPDX-License-Identifier: BSD-3-Clause */
/* What a machine has beyond files: system calls of which the kernel notifies this server. */
#include "emulator/launch/launch.h"

#include "driver/abi.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int notify_install(char **error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xff00),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ABI_MAGIC << 8, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { sizeof(code) / sizeof(*code), code };
	int listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
				    SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);

	return listener < 0 ? requirement_missing(LAUNCH_NOTIFICATION, -errno, error) : listener;
}

void notify_serve(struct launch *launch, int listener)
{
	for (;;) {
		struct pollfd ready = { .fd = listener, .events = POLLIN };
		struct seccomp_notif call = { 0 };
		struct seccomp_notif_resp answer = { 0 };
		int result;

		if (poll(&ready, 1, -1) < 0 && errno != EINTR)
			break;
		if (ready.revents & POLLHUP)
			break;
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
			continue;
		result = -ENOTTY;
		if (device_is(launch, (pid_t)call.pid, (int)call.data.args[0]))
			result = device_request(launch, (pid_t)call.pid,
						(unsigned int)call.data.args[1], call.data.args[2]);
		answer = (struct seccomp_notif_resp){ .id = call.id,
						      .val = result < 0 ? 0 : result,
						      .error = result < 0 ? result : 0 };
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
}
