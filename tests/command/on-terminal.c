/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For cases: runs a command on a terminal of so many columns, and prints what that was sent, with
 * `\e` for the escape character and `\r` for a return within a line: on-terminal COLUMNS COMMAND
 * [ARGUMENT...]
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void be_command(const char *terminal, char **command)
{
	int descriptor;

	setsid();
	descriptor = open(terminal, O_RDWR);
	if (descriptor < 0)
		_exit(101);
	for (int stream = 0; stream < 3; stream++)
		dup2(descriptor, stream);
	execvp(command[0], command);
	_exit(102);
}

int main(int count, char **arguments)
{
	int manager = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), terminal, status;
	struct winsize size = { .ws_row = 24 };
	bool returned = false; /* what is before the end of a line is not shown */
	char byte;
	pid_t job;

	if (count < 3 || manager < 0 || grantpt(manager) != 0 || unlockpt(manager) != 0)
		return 100;
	size.ws_col = (unsigned short)strtoul(arguments[1], NULL, 10);
	/* Open until the command has ended, which closes it for a moment. */
	terminal = open(ptsname(manager), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (terminal < 0 || ioctl(terminal, TIOCSWINSZ, &size) != 0)
		return 100;
	job = fork();
	if (job == 0)
		be_command(ptsname(manager), arguments + 2);
	close(terminal);
	/* EIO: the last process has closed it. */
	while (read(manager, &byte, 1) == 1) {
		if (returned && byte != '\n')
			fputs("\\r", stdout);
		returned = byte == '\r';
		if (byte == '\033')
			fputs("\\e", stdout);
		else if (!returned)
			putchar(byte);
	}
	if (waitpid(job, &status, 0) != job)
		return 100;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
