// SPDX-License-Identifier: BSD-3-Clause
/*
 * The PCI devices that the drivers bind to, on buses of their own whose configuration space is
 * code:
 *  - mailbox machines: two buses for each die, with device 0 function 1 (registers in memory) on
 * the first and device 30 function 1 (mailbox) on the second;
 *  - TPMI machines: one bus for each package, with a device whose vendor specific capability
 * describes where the TPMI tables are.
 */
#include <linux/cpu.h>
#include <linux/ioport.h>
#include <linux/pci.h>
#include <linux/string.h>
#include <linux/topology.h>

#include <asm/pci.h>

#include "hardware.h"

#define CONFIG_SIZE 4096
#define SEGMENT 1 /* not 0, where QEMU's own devices are */
#define DEVICE_MMIO 0x3451
#define DEVICE_MAILBOX 0x3459
#define DEVICE_TPMI 0x09a7
#define MAILBOX_DATA 0xa0
#define MAILBOX_INTERFACE 0xa4

struct hw_bus {
	struct hw_die *die;
	int number; /* of the die's buses */
	struct pci_bus *bus;
	struct pci_sysdata sysdata;
	struct resource numbers;
	bool sizing[2]; /* the kernel asks for the size of the BAR */
};

static struct hw_bus buses[MAX_PACKAGES * MAX_DIES * 2];
static int bus_count;

static void put16(u8 *config, int offset, u16 value)
{
	memcpy(config + offset, &value, sizeof(value));
}

static void put32(u8 *config, int offset, u32 value)
{
	memcpy(config + offset, &value, sizeof(value));
}

/* The device at a place, or 0. Function 0 is there because the kernel looks no further without it.
 */
static u16 device_at(const struct hw_bus *bus, unsigned int devfn)
{
	unsigned int function = PCI_FUNC(devfn), slot = PCI_SLOT(devfn);
	u16 first;

	if (machine.transport == HW_TPMI)
		return slot != 3 ? 0 : function == 1 ? DEVICE_TPMI : function == 0 ? 0x09a2 : 0;
	if (slot != (bus->number ? 30 : 0) || function > 1)
		return 0;
	first = (bus->number ? DEVICE_MAILBOX : DEVICE_MMIO) - 1;
	return first + function;
}

static u64 die_memory(const struct hw_die *die)
{
	return base + die->package * PACKAGE_MEMORY + die->number * DIE_MEMORY;
}

/* Express capability of an integrated endpoint, and a vendor specific one: id 66 is TPMI. */
static void tpmi_config(const struct hw_bus *bus, u8 *config)
{
	u64 address = die_memory(bus->die);

	put32(config, 0x10, bus->sizing[0] ? (u32) ~(PACKAGE_MEMORY - 1) | 4 : (u32)address | 4);
	put32(config, 0x14, bus->sizing[1] ? ~0U : (u32)(address >> 32));
	put16(config, 0x06, 0x10);
	config[0x34] = 0x40;
	config[0x40] = 0x10;
	put16(config, 0x42, 0x92);
	put32(config, 0x100, 0x000b | 1 << 16);
	put32(config, 0x104, 66 | 1 << 16 | 0x10 << 20);
	config[0x10a] = 3;	      /* entries of the table of features */
	config[0x10b] = 2;	      /* their size in words of 32 bits */
	put32(config, 0x10c, 0x1000); /* where the table is in BAR 0 */
}

static bool fill_config(const struct hw_bus *bus, unsigned int devfn, u8 *config)
{
	u16 device = device_at(bus, devfn);
	u64 address = die_memory(bus->die);

	if (!device)
		return false;
	memset(config, 0, CONFIG_SIZE);
	put16(config, 0x00, PCI_VENDOR_ID_INTEL);
	put16(config, 0x02, device);
	put16(config, 0x04, PCI_COMMAND_MEMORY);
	put32(config, 0x08, 0x08800004);
	config[0x0e] = 0x80; /* several functions */
	put16(config, 0x2c, PCI_VENDOR_ID_INTEL);
	if (device == DEVICE_MMIO) {
		put32(config, 0xd0, address >> 23);
		put32(config, 0xfc, (address >> 12) & 0x7ff);
	} else if (device == DEVICE_MAILBOX) {
		put32(config, MAILBOX_DATA, bus->die->mailbox_data);
	} else if (device == DEVICE_TPMI) {
		tpmi_config(bus, config);
	}
	return true;
}

static int config_read(struct pci_bus *pci_bus, unsigned int devfn, int where, int size, u32 *value)
{
	static u8 config[CONFIG_SIZE];
	struct hw_bus *bus = container_of(pci_bus->sysdata, struct hw_bus, sysdata);
	unsigned long flags;

	*value = ~0U;
	spin_lock_irqsave(&machine.lock, flags);
	if (fill_config(bus, devfn, config)) {
		*value = 0;
		if (device_at(bus, devfn) == DEVICE_MAILBOX && where == MAILBOX_INTERFACE)
			put32(config, where, mailbox_read_interface(bus->die));
		memcpy(value, config + where, size);
	}
	spin_unlock_irqrestore(&machine.lock, flags);
	return PCIBIOS_SUCCESSFUL;
}

static int config_write(struct pci_bus *pci_bus, unsigned int devfn, int where, int size, u32 value)
{
	struct hw_bus *bus = container_of(pci_bus->sysdata, struct hw_bus, sysdata);
	u16 device = device_at(bus, devfn);
	unsigned long flags;

	spin_lock_irqsave(&machine.lock, flags);
	if (device == DEVICE_TPMI && (where == 0x10 || where == 0x14))
		bus->sizing[where == 0x14] = value == ~0U;
	if (device == DEVICE_MAILBOX && size == 4 && where == MAILBOX_DATA)
		bus->die->mailbox_data = value;
	if (device == DEVICE_MAILBOX && size == 4 && where == MAILBOX_INTERFACE)
		mailbox_write_interface(bus->die, value);
	spin_unlock_irqrestore(&machine.lock, flags);
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops config_ops = { .read = config_read, .write = config_write };

/* The BAR lies in memory that the kernel has reserved: it is claimed below that, by hand. */
static void claim_memory(struct pci_dev *device)
{
	struct resource *bar = &device->resource[0], *parent;

	if (!bar->flags || bar->parent)
		return;
	for (parent = iomem_resource.child; parent; parent = parent->sibling)
		if (parent->start <= bar->start && bar->end <= parent->end)
			break;
	if (request_resource(parent ? parent : &iomem_resource, bar))
		pr_err("isst_hardware: %s: cannot claim %pR\n", pci_name(device), bar);
}

/* The drivers find a CPU's device by bus number and memory node. */
static int node_of(const struct hw_die *die)
{
	int cpu;

	for_each_online_cpu (cpu)
		if (machine.cpus[cpu].die == die)
			return cpu_to_node(cpu);
	return NUMA_NO_NODE;
}

static int add_bus(struct hw_die *die, int number)
{
	struct hw_bus *bus = &buses[bus_count];
	struct pci_dev *device;
	LIST_HEAD(resources);
	int first = hw_bus_number(die, number);

	bus->die = die;
	bus->number = number;
	bus->sysdata.domain = SEGMENT;
	bus->sysdata.node = node_of(die);
	bus->numbers = (struct resource){
		.name = "isst_hardware", .start = first, .end = first, .flags = IORESOURCE_BUS
	};
	pci_add_resource(&resources, &iomem_resource);
	pci_add_resource(&resources, &bus->numbers);
	pci_lock_rescan_remove();
	bus->bus = pci_scan_root_bus(NULL, first, &config_ops, &bus->sysdata, &resources);
	if (bus->bus) {
		bus_count++;
		list_for_each_entry (device, &bus->bus->devices, bus_list)
			claim_memory(device);
		pci_bus_add_devices(bus->bus);
	}
	pci_unlock_rescan_remove();
	return bus->bus ? 0 : -ENODEV;
}

int pci_start(void)
{
	int i, result = 0;

	if (machine.transport == HW_MSR)
		return 0;
	for (i = 0; i < hw_dies() && !result; i++) {
		if (machine.transport == HW_TPMI && machine.dies[i].number)
			continue;
		result = add_bus(&machine.dies[i], 0);
		if (!result && machine.transport == HW_MAILBOX)
			result = add_bus(&machine.dies[i], 1);
	}
	return result;
}

void pci_stop(void)
{
	pci_lock_rescan_remove();
	while (bus_count) {
		pci_stop_root_bus(buses[--bus_count].bus);
		pci_remove_root_bus(buses[bus_count].bus);
	}
	pci_unlock_rescan_remove();
}
