// SPDX-License-Identifier: BSD-3-Clause
/*
 * Model specific registers: probes on the kernel's accessors answer those that belong to Speed
 * Select, on the CPU that asks, and let all others through.
 */
#include <linux/bits.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <linux/version.h>

#include <asm/paravirt.h>

#include "hardware.h"

#define MSR_THREAD_ID 0x53
#define MSR_LOGICAL_ID 0x54
#define MSR_MAILBOX_INTERFACE 0xb0
#define MSR_MAILBOX_DATA 0xb1
#define MSR_BUS_NUMBERS 0x128
#define MSR_TURBO_LIMITS 0x1ad
#define MSR_TURBO_CORES 0x1ae
#define MSR_TURBO_LIMITS_2 0x1af
#define MSR_LEVEL_CONTROL 0x64b
#define MSR_HWP_ON 0x770
#define CALL_SIZE 5

static const struct hw_cpu *this_cpu(void)
{
	int cpu = raw_smp_processor_id();

	return cpu < MAX_CPUS && machine.cpus[cpu].known ? &machine.cpus[cpu] : NULL;
}

static u64 turbo_cores(void)
{
	u64 value = 0;

	memcpy(&value, hw_levels[0].bucket_cores, sizeof(value));
	return value;
}

static bool read_mailbox(struct hw_die *die, u32 number, u64 *value)
{
	unsigned long flags;

	spin_lock_irqsave(&machine.lock, flags);
	*value = number == MSR_MAILBOX_DATA ? die->mailbox_data : mailbox_read_interface(die);
	spin_unlock_irqrestore(&machine.lock, flags);
	return true;
}

static bool read_register(u32 number, u64 *value)
{
	const struct hw_cpu *cpu = this_cpu();
	const struct hw_die *die = cpu ? cpu->die : NULL;

	if (!cpu)
		return false;
	switch (number) {
	case MSR_THREAD_ID:
		*value = cpu->core << 1 | cpu->thread;
		return true;
	case MSR_LOGICAL_ID:
		*value = die->number << 11 | cpu->core << 3 | cpu->thread;
		return machine.transport == HW_TPMI;
	case MSR_BUS_NUMBERS:
		*value = hw_bus_number(die, 0) | hw_bus_number(die, 1) << 8 | BIT_ULL(63);
		return true;
	case MSR_TURBO_LIMITS:
		*value = die->turbo_limits;
		return true;
	case MSR_TURBO_CORES:
		*value = turbo_cores();
		return true;
	case MSR_TURBO_LIMITS_2:
		*value = 0;
		return true;
	case MSR_LEVEL_CONTROL:
		*value = machine.faults.locked ? BIT_ULL(31) : 0;
		return true;
	case MSR_HWP_ON:
		*value = 1;
		return true;
	case MSR_MAILBOX_INTERFACE:
	case MSR_MAILBOX_DATA:
		return machine.transport == HW_MSR && read_mailbox(cpu->die, number, value);
	default:
		return false;
	}
}

static bool write_register(u32 number, u64 value)
{
	const struct hw_cpu *cpu = this_cpu();
	unsigned long flags;
	bool ours = true;

	if (!cpu)
		return false;
	spin_lock_irqsave(&machine.lock, flags);
	if (number == MSR_TURBO_LIMITS) {
		hw_set_turbo_limits(cpu->die, value);
		control_note(cpu->die, "turbo-limits", value);
		control_act_oob();
	} else if (number == MSR_MAILBOX_DATA && machine.transport == HW_MSR) {
		cpu->die->mailbox_data = value;
	} else if (number == MSR_MAILBOX_INTERFACE && machine.transport == HW_MSR) {
		mailbox_write_interface(cpu->die, value);
	} else {
		ours = number == MSR_LEVEL_CONTROL || number == MSR_HWP_ON;
	}
	spin_unlock_irqrestore(&machine.lock, flags);
	return ours;
}

/* Returns from the probed function at its first instruction. */
static int leave(struct pt_regs *regs, u64 result)
{
	regs->ax = result;
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(unsigned long);
	return 1;
}

/* Since Linux 6.16 accessors take and give values as 64 bits: read_msr_safe(msr, &value),
 * write_msr(msr, value). */
static int on_read_safe(struct kprobe *probe, struct pt_regs *regs)
{
	u64 value;

	if (!read_register(regs->di, &value))
		return 0;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
	*(int *)regs->si = 0;
	return leave(regs, value);
#else
	*(u64 *)regs->si = value;
	return leave(regs, 0);
#endif
}

static u64 value_written(const struct pt_regs *regs)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
	return (u32)regs->si | regs->dx << 32;
#else
	return regs->si;
#endif
}

static int on_read(struct kprobe *probe, struct pt_regs *regs)
{
	u64 value;

	return read_register(regs->di, &value) ? leave(regs, value) : 0;
}

static int on_write_safe(struct kprobe *probe, struct pt_regs *regs)
{
	return write_register(regs->di, value_written(regs)) ? leave(regs, 0) : 0;
}

/* Having one keeps a probe from becoming a jump, which could not change where to go on. */
static void after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe probes[] = {
	{ .pre_handler = on_read_safe, .post_handler = after },
	{ .pre_handler = on_write_safe, .post_handler = after },
	{ .pre_handler = on_read, .post_handler = after },
};
static int probe_count;

/*
 * The mailbox driver of model 0x55 writes with the accessor that also a CPU uses which comes
 * online, before it can take a probe's trap. So it is the driver's calls of it that are probed.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)

static struct kprobe calls[8];
static int call_count;

static int on_call(struct kprobe *probe, struct pt_regs *regs)
{
	if (!write_register(regs->di, value_written(regs)))
		return 0;
	regs->ip = (unsigned long)probe->addr + CALL_SIZE;
	return 1;
}

static bool calls_write(const u8 *code)
{
	s32 distance;

	memcpy(&distance, code + 1, sizeof(distance));
	return code[0] == 0xe8 && code + CALL_SIZE + distance == (u8 *)pv_ops.cpu.write_msr;
}

static int on_module(struct notifier_block *block, unsigned long state, void *data)
{
	struct module *module = data;
	const u8 *code = module->core_layout.base, *end = code + module->core_layout.text_size;

	if (state != MODULE_STATE_COMING || strcmp(module->name, "isst_if_mbox_msr"))
		return NOTIFY_OK;
	for (; code + CALL_SIZE <= end && call_count < ARRAY_SIZE(calls); code++) {
		struct kprobe *call = &calls[call_count];

		if (!calls_write(code))
			continue;
		*call = (struct kprobe){ .addr = (u8 *)code,
					 .pre_handler = on_call,
					 .post_handler = after };
		if (!register_kprobe(call))
			call_count++;
	}
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = on_module };

static int calls_start(void)
{
	return machine.transport == HW_MSR ? register_module_notifier(&notifier) : 0;
}

static void calls_stop(void)
{
	if (machine.transport == HW_MSR)
		unregister_module_notifier(&notifier);
	while (call_count)
		unregister_kprobe(&calls[--call_count]);
}

#else

static int calls_start(void)
{
	return machine.transport == HW_MSR ? -EOPNOTSUPP : 0;
}

static void calls_stop(void)
{
}

#endif

int msr_start(void)
{
	int result;

	probes[0].addr = (kprobe_opcode_t *)pv_ops.cpu.read_msr_safe;
	probes[1].addr = (kprobe_opcode_t *)pv_ops.cpu.write_msr_safe;
	probes[2].addr = (kprobe_opcode_t *)pv_ops.cpu.read_msr;
	/* Mailbox drivers on PCI read with the safe accessor alone. */
	while (probe_count < (machine.transport == HW_MAILBOX ? 2 : 3)) {
		result = register_kprobe(&probes[probe_count]);
		if (result)
			return result;
		probe_count++;
	}
	return calls_start();
}

void msr_stop(void)
{
	calls_stop();
	while (probe_count)
		unregister_kprobe(&probes[--probe_count]);
}
