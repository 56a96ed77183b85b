/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * batch COUNT: asks the driver for the numbers of COUNT CPUs at once, all of them CPU 0, and prints
 * what it answers. The driver takes 64 commands at most, however few CPUs a machine has.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define GET_PHY_ID 0xc008fe01UL
#define MOST 256

int main(int argc, char **argv)
{
	struct {
		uint32_t count;
		struct {
			uint32_t logical, physical;
		} cpus[MOST];
	} batch = { .count = argc > 1 ? (uint32_t)atoi(argv[1]) : 0 };
	int device = open("/dev/isst_interface", O_RDONLY), answer;

	if (device < 0 || batch.count > MOST)
		return 1;
	answer = ioctl(device, GET_PHY_ID, &batch);
	if (answer < 0)
		printf("%s\n", strerror(errno));
	else
		printf("%d\n", answer);
	return 0;
}
