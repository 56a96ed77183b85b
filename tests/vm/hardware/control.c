// SPDX-License-Identifier: BSD-3-Clause
/*
 * How the checks look at the hardware and play tricks on it, in /sys/kernel/debug/isst_hardware:
 *
 *   registers  every register that a command can change, as the hardware holds it
 *   changes    what was changed since the file was written to, in order
 *   control    takes one of
 *     reset                           the state at power on; no faults
 *     lock 0|1                        performance levels are locked
 *     slow MS                         accepted levels become the current ones after MS milliseconds
 *     busy COUNT                      the next COUNT mailbox commands take longer than drivers wait
 *     stuck MS                        the mailbox is busy for MS milliseconds
 *     refuse COMMAND SUB DIE AFTER    a die refuses a mailbox command, after AFTER accepted ones
 *     refuse-level|refuse-features|refuse-core-power DIE    of TPMI; with an error code; -1: I/O
 *     accept                          nothing is refused any more
 *     freeze 0|1                      TPMI: control registers are not looked at
 *     halve 0|1                       level 1 has two of four cores, not three
 *     oob DIE LEVEL AFTER             a management controller sets a level, after AFTER changes
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "hardware.h"

#define MAX_CHANGES 1024

struct change {
	const struct hw_die *die;
	const char *what;
	u64 value;
};

static struct dentry *directory;
static struct change changes[MAX_CHANGES];
static int change_count;

void control_note(const struct hw_die *die, const char *what, u64 value)
{
	if (change_count < MAX_CHANGES)
		changes[change_count++] = (struct change){ die, what, value };
	if (machine.faults.oob.after > 0)
		machine.faults.oob.after--;
}

void control_act_oob(void)
{
	struct hw_oob *oob = &machine.faults.oob;
	struct hw_die *die = &machine.dies[oob->die];
	u8 features = die->features;

	if (!oob->armed || oob->after > 0)
		return;
	oob->armed = false;
	hw_set_level(die, oob->level);
	if (machine.transport != HW_TPMI)
		return;
	/* They are the host's, which the controller does not ask. */
	die->features = features;
	tpmi_show_level(die);
}

static void show(struct seq_file *file, const struct hw_die *die, const char *what, u64 value)
{
	seq_printf(file, "package-%d domain-%d %s 0x%llx\n", die->package, die->number, what,
		   value);
}

static void show_class_registers(struct seq_file *file, const struct hw_die *die)
{
	const u32 *registers = die->memory;
	bool msr = machine.transport == HW_MSR;
	char name[24];
	int i;

	for (i = 0; i < CLASSES; i++) {
		snprintf(name, sizeof(name), "class-%d", i);
		show(file, die, name, msr ? die->msr_classes[i] : registers[2 + i]);
	}
	for (i = 0; i < machine.cores_per_die; i++) {
		snprintf(name, sizeof(name), "association-%d", hw_core_id(i));
		show(file, die, name,
		     msr ? die->msr_associations[hw_core_id(i)] : registers[8 + hw_core_id(i)]);
	}
}

static int registers_show(struct seq_file *file, void *unused)
{
	int i;

	if (machine.transport == HW_TPMI) {
		tpmi_show(file);
		return 0;
	}
	for (i = 0; i < hw_dies(); i++) {
		const struct hw_die *die = &machine.dies[i];

		show(file, die, "level", die->level);
		show(file, die, "features", die->features);
		show(file, die, "core-power", die->core_power);
		show(file, die, "qos", die->qos);
		show_class_registers(file, die);
		show(file, die, "turbo-limits", die->turbo_limits);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(registers);

static int changes_show(struct seq_file *file, void *unused)
{
	int i;

	for (i = 0; i < change_count; i++)
		show(file, changes[i].die, changes[i].what, changes[i].value);
	return 0;
}

static int changes_open(struct inode *inode, struct file *file)
{
	return single_open(file, changes_show, NULL);
}

static ssize_t changes_write(struct file *file, const char __user *text, size_t size, loff_t *at)
{
	change_count = 0;
	return size;
}

static const struct file_operations changes_fops = {
	.open = changes_open,
	.read = seq_read,
	.write = changes_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int refuse(const char *word, int die)
{
	if (!strcmp(word, "level"))
		machine.faults.tpmi_refused |= HW_REFUSE_LEVEL;
	else if (!strcmp(word, "features"))
		machine.faults.tpmi_refused |= HW_REFUSE_FEATURES;
	else if (!strcmp(word, "core-power"))
		machine.faults.tpmi_refused |= HW_REFUSE_CORE_POWER;
	else
		return -EINVAL;
	machine.faults.tpmi_die = die;
	return 0;
}

static int set_oob(int die, int level, int after)
{
	if (die < 0 || die >= hw_dies() || level < 0 || level >= LEVELS)
		return -EINVAL;
	machine.faults.oob = (struct hw_oob){ true, die, level, after };
	control_act_oob();
	return 0;
}

static void accept(void)
{
	machine.faults.refusal.armed = false;
	machine.faults.tpmi_refused = 0;
}

static void halve(bool halved)
{
	machine.faults.halved = halved;
	if (machine.transport == HW_TPMI)
		tpmi_reset();
}

static int control(const char *line)
{
	struct hw_faults *faults = &machine.faults;
	unsigned int command, sub_command;
	int number, level, after;
	char word[16];

	if (!strcmp(line, "reset"))
		hw_reset();
	else if (!strcmp(line, "accept"))
		accept();
	else if (sscanf(line, "halve %d", &number) == 1)
		halve(number);
	else if (sscanf(line, "oob %d %d %d", &number, &level, &after) == 3)
		return set_oob(number, level, after);
	else if (sscanf(line, "lock %d", &number) == 1)
		faults->locked = number;
	else if (sscanf(line, "slow %d", &number) == 1)
		faults->slow_ms = number;
	else if (sscanf(line, "freeze %d", &number) == 1)
		faults->frozen = number;
	else if (sscanf(line, "busy %d", &number) == 1)
		faults->busy = number;
	else if (sscanf(line, "stuck %d", &number) == 1)
		faults->busy_until = ktime_add_ms(ktime_get(), number);
	else if (sscanf(line, "refuse %x %x %d %d", &command, &sub_command, &number, &after) == 4)
		faults->refusal = (struct hw_refusal){ true, command, sub_command, number, after };
	else if (sscanf(line, "refuse-%15s %d", word, &number) == 2)
		return refuse(word, number);
	else
		return -EINVAL;
	return 0;
}

static ssize_t control_write(struct file *file, const char __user *text, size_t size, loff_t *at)
{
	unsigned long flags;
	char line[64];
	int result;

	if (size >= sizeof(line) || copy_from_user(line, text, size))
		return -EINVAL;
	line[size] = '\0';
	spin_lock_irqsave(&machine.lock, flags);
	result = control(strim(line));
	spin_unlock_irqrestore(&machine.lock, flags);
	return result ? result : size;
}

static const struct file_operations control_fops = { .open = simple_open, .write = control_write };

int control_start(void)
{
	directory = debugfs_create_dir("isst_hardware", NULL);
	debugfs_create_file("registers", 0400, directory, NULL, &registers_fops);
	debugfs_create_file("changes", 0600, directory, NULL, &changes_fops);
	debugfs_create_file("control", 0200, directory, NULL, &control_fops);
	return PTR_ERR_OR_ZERO(directory);
}

void control_stop(void)
{
	debugfs_remove_recursive(directory);
}
