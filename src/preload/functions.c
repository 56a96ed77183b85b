/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of a program, from its unwind tables (.eh_frame_hdr and .eh_frame; Linux Standard
 * Base, 10.6): these are in memory without symbols too, and state where each function starts and
 * ends.
 */
#include "preload/instructions.h"

#ifdef __x86_64__

#include <link.h>
#include <string.h>

/* How linkers encode the tables: addresses relative to something, of 4 bytes each. */
enum { VERSION = 1, RELATIVE_TO_ITSELF = 0x1b, NUMBER = 0x03, RELATIVE_TO_TABLE = 0x3b };

struct table_header {
	uint8_t version, table_encoding, count_encoding, entry_encoding;
	int32_t table;
	uint32_t count;
};

/* Sorted by function. */
struct table_entry {
	int32_t function, description;
};

/* FDE, frame description entry. */
struct description {
	uint32_t size, common;
	int32_t function;
	uint32_t function_size;
};

/** What program headers hold are numbers. */
static const unsigned char *at_address(uintptr_t address)
{
	return (const unsigned char *)address; /* NOLINT(performance-no-int-to-ptr) */
}

/** Whether these bytes are in a segment with these permissions. */
static bool is_loaded(const struct dl_phdr_info *object, uintptr_t start, size_t size,
		      unsigned int permissions)
{
	for (size_t i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		uintptr_t before = start - (object->dlpi_addr + segment->p_vaddr);

		if (segment->p_type == PT_LOAD && (segment->p_flags & permissions) == permissions &&
		    before <= segment->p_filesz && size <= segment->p_filesz - before)
			return true;
	}
	return false;
}

/** The size of a function that starts there; 0: not known. */
static size_t size_of(const struct dl_phdr_info *object, uintptr_t description, uintptr_t function)
{
	const uintptr_t start = description + offsetof(struct description, function);
	struct description read;

	if (!is_loaded(object, description, sizeof(read), PF_R))
		return 0;
	memcpy(&read, at_address(description), sizeof(read));
	/* An entry of 64 bits has another size; where addresses are encoded otherwise this is not
	 * the function. */
	if (read.size < sizeof(read) - sizeof(read.size) || read.size == UINT32_MAX ||
	    start + (uintptr_t)read.function != function ||
	    !is_loaded(object, function, read.function_size, PF_X))
		return 0;
	return read.function_size;
}

static void each_in_table(const struct dl_phdr_info *object, uintptr_t table, size_t size,
			  void (*found)(const unsigned char *start, size_t size, void *data),
			  void *data)
{
	const unsigned char *entries = at_address(table) + sizeof(struct table_header);
	struct table_header header;
	struct table_entry entry;
	uintptr_t function;

	if (size < sizeof(header) || !is_loaded(object, table, size, PF_R))
		return;
	memcpy(&header, at_address(table), sizeof(header));
	if (header.version != VERSION || header.table_encoding != RELATIVE_TO_ITSELF ||
	    header.count_encoding != NUMBER || header.entry_encoding != RELATIVE_TO_TABLE ||
	    header.count > (size - sizeof(header)) / sizeof(entry))
		return;
	for (uint32_t i = 0; i < header.count; i++) {
		memcpy(&entry, entries + i * sizeof(entry), sizeof(entry));
		function = table + (uintptr_t)entry.function;
		size = size_of(object, table + (uintptr_t)entry.description, function);
		if (size > 0)
			found(at_address(function), size, data);
	}
}

void functions_each(const struct dl_phdr_info *object,
		    void (*found)(const unsigned char *start, size_t size, void *data), void *data)
{
	for (size_t i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];

		if (segment->p_type == PT_GNU_EH_FRAME)
			each_in_table(object, object->dlpi_addr + segment->p_vaddr,
				      segment->p_memsz, found, data);
	}
}

#endif
