/* SPDX-License-Identifier: BSD-3-Clause */
/* hold SECONDS: holds the lock that changing runs of the tool take. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int device = open("/dev/isst_interface", O_RDONLY);

	if (device < 0 || flock(device, LOCK_EX))
		return 1;
	sleep(argc > 1 ? (unsigned int)atoi(argv[1]) : 1);
	return 0;
}
