/* SPDX-License-Identifier: BSD-3-Clause */
/* hold SECONDS: holds the lock that changing runs of the tool take. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int lock;

	/* There is none before the first change since boot. */
	mkdir("/run/isst", 0755);
	lock = open("/run/isst/lock", O_RDWR | O_CREAT, 0600);
	if (lock < 0 || flock(lock, LOCK_EX))
		return 1;
	sleep(argc > 1 ? (unsigned int)atoi(argv[1]) : 1);
	return 0;
}
