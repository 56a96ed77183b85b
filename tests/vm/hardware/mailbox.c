// SPDX-License-Identifier: BSD-3-Clause
/*
 * The firmware behind the mailbox of Skylake to Emerald Rapids: which command answers what, and
 * what a busy mailbox and a refused command look like to the driver.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "hardware.h"

#define RUN_BUSY BIT(31)
#define PARAMETER_WRITE 0x100

enum mailbox_status { DONE = 0, INVALID_COMMAND = 1, INVALID_LEVEL = 0x1f, REFUSED = 0x81 };

#define CLASS_AT_RESET 0x00ff0000 /* no minimum, no maximum, EPP and weight 0 */

/* While the mailbox is busy the driver gives up after 1 ms (PCI) or three looks (MSR). */
#define BUSY_US 1500
#define BUSY_LOOKS 4

/* Levels, as command 0x7f reports them. */

static u32 four_bytes(const u8 *bytes)
{
	return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (u32)bytes[3] << 24;
}

static u32 level_summary(const struct hw_die *die)
{
	return 3 | (LEVELS - 1) << 8 | die->level << 16 | (machine.faults.locked ? BIT(24) : 0) |
	       BIT(31);
}

static u32 level_control(const struct hw_die *die, int level)
{
	u32 answer = BIT(0) | BIT(1);

	if (level != die->level)
		return answer;
	if (die->features & FEATURE_TURBO_FREQ)
		answer |= BIT(16);
	if (die->features & FEATURE_BASE_FREQ)
		answer |= BIT(17);
	return answer;
}

static int read_level(const struct hw_die *die, u8 sub_command, u32 data, u32 *response)
{
	int number = data & 0xff, half = data >> 8 & 1, type = data >> 16 & 3;
	const struct hw_level *level = &hw_levels[number];

	if (number >= LEVELS)
		return INVALID_LEVEL;
	if ((sub_command == 0x07 || sub_command == 0x11) && type >= TRL_TYPES)
		return INVALID_LEVEL;
	switch (sub_command) {
	case 0x01:
		*response = level_control(die, number);
		break;
	case 0x03:
		*response = level->power_w | level->base[0] << 16;
		break;
	case 0x04:
		*response = (level->power_w + 5) | (level->power_w - 60) << 16;
		break;
	case 0x05:
		*response = level->tjunction_c;
		break;
	case 0x06:
		*response = hw_level_cores(number) >> (half ? 32 : 0);
		break;
	case 0x07:
		*response = four_bytes(level->trl[type] + 4 * half);
		break;
	case 0x09:
		*response = level->uncore_max | level->uncore_base << 8;
		break;
	case 0x0a:
		*response = four_bytes(level->base);
		break;
	case 0x0b:
		*response = level->memory_code;
		break;
	case 0x0c:
		if (!(data & BIT(16)))
			return INVALID_COMMAND;
		*response = level->uncore_max | level->uncore_base << 8 |
			    (u32)level->uncore_min << 24;
		break;
	case 0x10:
		*response = four_bytes(level->turbo_freq.cores + 4 * half);
		break;
	case 0x11:
		*response = four_bytes(level->turbo_freq.trl[type] + 4 * half);
		break;
	case 0x12:
		*response = level->turbo_freq.clip[0] | level->turbo_freq.clip[1] << 8 |
			    level->turbo_freq.clip[2] << 16;
		break;
	case 0x20:
		*response = half ? level->base_freq.cores >> 32 : level->base_freq.cores;
		break;
	case 0x21:
		*response = level->base_freq.low | level->base_freq.high << 8;
		break;
	case 0x22:
		*response = level->base_freq.tjunction_c | level->base_freq.tcontrol_c << 8;
		break;
	case 0x23:
		*response = level->base_freq.power_w;
		break;
	default:
		return INVALID_COMMAND;
	}
	return DONE;
}

static int set_features(struct hw_die *die, u32 data)
{
	die->features = (data & BIT(16) ? FEATURE_TURBO_FREQ : 0) |
			(data & BIT(17) ? FEATURE_BASE_FREQ : 0);
	control_note(die, "features", die->features);
	return DONE;
}

static int set_level(struct hw_die *die, u32 data)
{
	if (machine.faults.locked || (data & 0xff) >= LEVELS)
		return REFUSED;
	if (machine.faults.slow_ms) {
		die->level_due = data & 0xff;
		die->due_at = ktime_add_ms(ktime_get(), machine.faults.slow_ms);
		return DONE;
	}
	hw_set_level(die, data & 0xff);
	control_note(die, "level", die->level);
	return DONE;
}

/* A slow level is there when the mailbox is asked after its time. */
static void arrive(struct hw_die *die)
{
	if (!die->due_at || ktime_before(ktime_get(), die->due_at))
		return;
	die->due_at = 0;
	hw_set_level(die, die->level_due);
	control_note(die, "level", die->level);
}

static int levels(struct hw_die *die, u8 sub_command, u32 data, u32 *response)
{
	switch (sub_command) {
	case 0x00:
		*response = level_summary(die);
		return DONE;
	case 0x02:
		return set_features(die, data);
	case 0x08:
		return set_level(die, data);
	default:
		return read_level(die, sub_command, data, response);
	}
}

/* Core-power and classes of service. */

static int set_core_power(struct hw_die *die, u32 data)
{
	die->core_power = data & BIT(16);
	control_note(die, "core-power", die->core_power);
	return DONE;
}

/* Where the driver has a way to the registers themselves the mailbox does not know them. */
static u32 *class_register(struct hw_die *die, u8 sub_command, u32 parameter)
{
	u32 index = parameter & 0xff;

	if (sub_command == 0x02)
		return index ? NULL : &die->qos;
	if (machine.transport != HW_MSR)
		return NULL;
	if (sub_command == 0x00)
		return index < MAX_CORES ? &die->msr_associations[index] : NULL;
	if (sub_command == 0x01)
		return index < CLASSES ? &die->msr_classes[index] : NULL;
	return NULL;
}

static int classes(struct hw_die *die, u8 sub_command, u32 parameter, u32 data, u32 *response)
{
	static const char *const names[] = { "association", "class", "qos" };
	u32 *value = class_register(die, sub_command, parameter);

	if (!value)
		return INVALID_COMMAND;
	if (parameter & PARAMETER_WRITE) {
		*value = data;
		control_note(die, names[sub_command], data);
	}
	*response = *value;
	return DONE;
}

/* What is read stays readable. */
static bool refused(const struct hw_die *die, u8 command, u8 sub_command, u32 parameter)
{
	struct hw_refusal *refusal = &machine.faults.refusal;

	if (command == 0xd0 && !(parameter & PARAMETER_WRITE))
		return false;
	if (!refusal->armed || refusal->command != command || refusal->sub_command != sub_command ||
	    refusal->die != die->index)
		return false;
	return refusal->after-- <= 0;
}

int mailbox_command(struct hw_die *die, u32 interface, u32 data, u32 *response)
{
	u8 command = interface & 0xff, sub_command = interface >> 8 & 0xff;
	u32 parameter = interface >> 16 & 0x3fff;

	*response = 0;
	arrive(die);
	if (refused(die, command, sub_command, parameter))
		return REFUSED;
	if (command == 0x7f)
		return parameter ? INVALID_COMMAND : levels(die, sub_command, data, response);
	if (command == 0xd0)
		return classes(die, sub_command, parameter, data, response);
	if (sub_command != 0x03)
		return INVALID_COMMAND;
	if (command == 0x95)
		return set_core_power(die, data);
	if (command != 0x94)
		return INVALID_COMMAND;
	*response = BIT(0) | (die->core_power ? BIT(16) : 0);
	return DONE;
}

static void execute(struct hw_die *die)
{
	u32 response;

	die->mailbox_interface = mailbox_command(die, die->mailbox_interface, die->mailbox_data,
						 &response);
	die->mailbox_data = response;
	control_act_oob();
}

static bool is_busy(struct hw_die *die)
{
	if (die->busy_looks > 0)
		return die->busy_looks--;
	return machine.faults.busy_until && ktime_before(ktime_get(), machine.faults.busy_until);
}

/* A slow command is done when the mailbox is looked at after its time; by then the driver has given
 * up. */
void mailbox_write_interface(struct hw_die *die, u32 value)
{
	die->mailbox_interface = value;
	if (!(value & RUN_BUSY))
		return;
	if (machine.faults.busy <= 0) {
		execute(die);
		return;
	}
	machine.faults.busy--;
	if (machine.transport == HW_MSR)
		die->busy_looks = BUSY_LOOKS;
	else
		machine.faults.busy_until = ktime_add_us(ktime_get(), BUSY_US);
}

u32 mailbox_read_interface(struct hw_die *die)
{
	if (is_busy(die))
		return RUN_BUSY;
	if (die->mailbox_interface & RUN_BUSY)
		execute(die);
	return die->mailbox_interface;
}

void mailbox_reset(struct hw_die *die)
{
	u32 *registers = die->memory;
	int i;

	die->qos = 0;
	die->mailbox_data = die->mailbox_interface = 0;
	die->busy_looks = 0;
	for (i = 0; i < MAX_CORES; i++)
		die->msr_associations[i] = 0;
	for (i = 0; i < CLASSES; i++)
		die->msr_classes[i] = CLASS_AT_RESET;
	for (i = 0; i < MAX_CORES; i++)
		registers[8 + i] = 0;
	for (i = 0; i < CLASSES; i++)
		registers[2 + i] = CLASS_AT_RESET;
}
