/* SPDX-License-Identifier: BSD-3-Clause */
/* How the values of a platform file are written, by kinds that many keys share. */
#ifndef EMULATOR_MODEL_VALUES_H
#define EMULATOR_MODEL_VALUES_H

#include "emulator/model/file.h"

/* Of a struct text_value: */
value_parser value_text;      /* any text but none */
value_parser value_processes; /* `tuned:812 kubelet:900` */

/* Of a struct number_value: */
value_parser value_number; /* min..max of the key, decimal or hexadecimal */
value_parser value_word;   /* the index of one of the key's words */
value_parser value_device; /* a PCI device id among the key's words; "none" is 0 */
value_parser value_mhz;	   /* a multiple of 100 MHz */
value_parser value_kernel; /* `6.12` */

/* Of a struct list_value, a value for each bucket: */
value_parser value_limits;  /* MHz */
value_parser value_counts;  /* numbers of cores */
value_parser value_modules; /* numbers of modules, of up to three buckets */

/* A list such as 0-3,8 of numbers up to the key's max: */
value_parser value_set;	 /* of a struct set_value */
value_parser value_mask; /* of a struct mask_value */

value_parser value_commands; /* of a struct commands_value: `0x7f/0x0c 0x7f/0x0a` */
value_parser value_register; /* of a struct raw_value: an offset and a value, added to the others */

#endif
