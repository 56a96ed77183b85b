/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine's system log: a file of the state directory, one line for each message. */
#include "emulator/state/directory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/** What a line must not hold, lest it look like two. */
static void flatten(char *text)
{
	for (; *text; text++)
		if (*text == '\n' || *text == '\r')
			*text = ' ';
}

void directory_log(int directory, const char *line)
{
	int file = openat(directory, "log",
			  O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			  0600);
	char *text;
	int length = file < 0 ? -1 : asprintf(&text, "%s\n", line);

	if (length >= 0) {
		text[length - 1] = '\0';
		flatten(text);
		text[length - 1] = '\n';
		/* One write, so that lines of several processes do not mix. Like syslog(), it
		 * cannot report a failure. */
		length = (int)write(file, text, (size_t)length);
		free(text);
	}
	(void)length;
	if (file >= 0)
		close(file);
}
