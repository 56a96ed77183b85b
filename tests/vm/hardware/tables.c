// SPDX-License-Identifier: BSD-3-Clause
/*
 * What the two performance levels of every die hold. No number stands for two things of one level,
 * as far as that can be: a field that is read in the wrong place shows.
 * The expected results in tests/vm/guest/expected are written by hand from here.
 */
#include <linux/bits.h>

#include "hardware.h"

const struct hw_level hw_levels[LEVELS] = {
	{
		.cores = 0x1b, /* four: 0 1 3 4 */
		.base = { 22, 19, 16, 14 },
		.power_w = 185,
		.tjunction_c = 95,
		.uncore_max = 24,
		.uncore_base = 15,
		.uncore_min = 8,
		.memory_code = 1, /* 2933 MHz on Ice Lake */
		.memory_ratio = 52,
		.trl = { { 38, 37, 36, 35, 34, 33, 32, 31 },
			 { 35, 34, 33, 32, 31, 30, 29, 28 },
			 { 30, 29, 28, 27, 26, 25, 24, 23 } },
		.bucket_cores = { 1, 2, 3, 4, 5, 6, 7, 9 },
		.base_freq = { .cores = 0x02,
			       .high = 25,
			       .low = 20,
			       .tjunction_c = 93,
			       .tcontrol_c = 5,
			       .power_w = 180 },
		.turbo_freq = { .cores = { 1, 2 },
				.trl = { { 40, 39 }, { 37, 36 }, { 34, 33 } },
				.clip = { 21, 18, 13 } },
	},
	{
		.cores = 0x0b, /* three: 0 1 3 */
		.base = { 26, 23, 20, 17 },
		.power_w = 165,
		.tjunction_c = 90,
		.uncore_max = 22,
		.uncore_base = 13,
		.uncore_min = 9,
		.memory_code = 2, /* 2667 MHz on Ice Lake */
		.memory_ratio = 56,
		.trl = { { 39, 38, 37, 36, 35, 34, 33, 32 },
			 { 36, 35, 34, 33, 32, 31, 30, 29 },
			 { 31, 30, 29, 28, 27, 26, 25, 24 } },
		.bucket_cores = { 1, 2, 3, 4, 5, 6, 7, 9 },
		.base_freq = { .cores = 0x08,
			       .high = 29,
			       .low = 24,
			       .tjunction_c = 88,
			       .tcontrol_c = 6,
			       .power_w = 160 },
		.turbo_freq = { .cores = { 1, 3 },
				.trl = { { 42, 41 }, { 38, 37 }, { 35, 32 } },
				.clip = { 25, 22, 18 } },
	},
};
