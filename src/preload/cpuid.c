/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPUID returns the emulated processor: vendor (leaf 0), family, model and stepping (leaf 1).
 *
 * Where the processor can make CPUID fault, every one in the process does, and the fault is
 * answered here. Elsewhere the instructions of the program itself (not of libraries) that follow
 * the loading of a leaf are replaced by one that is undefined, of the same length.
 */
#include "preload/preload.h"

/* Elsewhere no program can ask. */
#ifdef __x86_64__

#include <asm/prctl.h>
#include <cpuid.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef ARCH_CPUID
#define ARCH_CPUID 0x1012
#endif

static const unsigned char cpuid_instruction[] = { 0x0f, 0xa2 };
static const unsigned char undefined_instruction[] = { 0x0f, 0x0b };
enum { INSTRUCTION_BYTES = 2 };

static struct cpu_identity processor;
static bool faulting;
static struct sigaction before; /* of the signal that CPUID raises now */

/* Instructions that were replaced. */
enum { MOST_REPLACED = 256 };
static const unsigned char *replaced[MOST_REPLACED];
static size_t replaced_count;

/** Family, model and stepping as leaf 1 has them in EAX. */
static uint32_t signature_of(const struct cpu_identity *identity)
{
	uint32_t family = identity->family < 0xf ? identity->family : 0xf;

	return identity->stepping | (identity->model & 0xf) << 4 | family << 8 |
	       (identity->model >> 4) << 16 | (identity->family - family) << 20;
}

static void let_fault(bool fault)
{
	syscall(SYS_arch_prctl, ARCH_CPUID, !fault);
}

static void answer(ucontext_t *context)
{
	greg_t *registers = context->uc_mcontext.gregs;
	uint32_t leaf = (uint32_t)registers[REG_RAX], subleaf = (uint32_t)registers[REG_RCX];
	uint32_t eax, ebx, ecx, edx;

	if (faulting)
		let_fault(false);
	__cpuid_count(leaf, subleaf, eax, ebx, ecx, edx);
	if (faulting)
		let_fault(true);
	if (leaf == 0 && processor.intel) {
		ebx = signature_INTEL_ebx;
		ecx = signature_INTEL_ecx;
		edx = signature_INTEL_edx;
	} else if (leaf == 1) {
		eax = signature_of(&processor);
	}
	registers[REG_RAX] = eax;
	registers[REG_RBX] = ebx;
	registers[REG_RCX] = ecx;
	registers[REG_RDX] = edx;
	registers[REG_RIP] += INSTRUCTION_BYTES;
}

/** What registers and program headers hold are numbers. */
static unsigned char *at_address(uintptr_t address)
{
	return (unsigned char *)address; /* NOLINT(performance-no-int-to-ptr) */
}

static bool is_ours(const unsigned char *instruction)
{
	if (faulting)
		return memcmp(instruction, cpuid_instruction, INSTRUCTION_BYTES) == 0;
	for (size_t i = 0; i < replaced_count; i++)
		if (replaced[i] == instruction)
			return true;
	return false;
}

/** Not one of ours: what would have happened without this library happens. */
static void pass_on(int number, siginfo_t *information, void *context)
{
	if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(number, information, context);
	} else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
		before.sa_handler(number);
	} else {
		REAL(sigaction)(number, &before, NULL);
		/* An instruction comes again by itself, a signal that was sent does not. */
		if (information->si_code <= 0)
			raise(number);
	}
}

static void on_fault(int number, siginfo_t *information, void *context)
{
	int error = errno;
	const ucontext_t *where = context;

	if (information->si_code > 0 &&
	    is_ours(at_address((uintptr_t)where->uc_mcontext.gregs[REG_RIP])))
		answer(context);
	else
		pass_on(number, information, context);
	errno = error;
}

static int signal_of_cpuid(void)
{
	return faulting ? SIGSEGV : SIGILL;
}

/** A program's own handler comes behind ours. */
static int set_handler(int number, const struct sigaction *action, struct sigaction *old)
{
	if (!preload_machine || number != signal_of_cpuid() || (!faulting && replaced_count == 0))
		return REAL(sigaction)(number, action, old);
	if (old)
		*old = before;
	if (action)
		before = *action;
	return 0;
}

INTERPOSED int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	return set_handler(number, action, old);
}

INTERPOSED sighandler_t signal(int number, sighandler_t handler)
{
	const struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct sigaction old;

	return set_handler(number, &action, &old) ? SIG_ERR : old.sa_handler;
}

/* ---- Replacing instructions ---- */

/** `mov $leaf,%eax` (b8 and four bytes) with a small leaf, or `xor %eax,%eax` (31 c0, 33 c0). */
static bool loads_leaf(const unsigned char *at, size_t size)
{
	if (size >= 5 && at[0] == 0xb8)
		return at[1] <= 1 && !at[2] && !at[3] && !at[4];
	return size >= 2 && (at[0] == 0x31 || at[0] == 0x33) && at[1] == 0xc0;
}

/** `mov %register,%eax` (89 and 11xxx000). */
static bool moves_leaf(const unsigned char *at)
{
	return at[0] == 0x89 && (at[1] & 0xc7) == 0xc0;
}

/** Whether a leaf is loaded shortly before, or moved there immediately before. */
static bool follows_leaf(const unsigned char *start, const unsigned char *instruction)
{
	enum { NEAR = 24, MOVE = 2 };

	if (instruction - start >= MOVE && moves_leaf(instruction - MOVE))
		return true;
	for (size_t size = 2; size <= NEAR && size <= (size_t)(instruction - start); size++)
		if (loads_leaf(instruction - size, size))
			return true;
	return false;
}

static bool replace(const unsigned char *instruction)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)instruction & ~(page - 1);
	size_t size = (uintptr_t)instruction + INSTRUCTION_BYTES - start;

	if (replaced_count == MOST_REPLACED ||
	    mprotect(at_address(start), size, PROT_READ | PROT_WRITE))
		return false;
	replaced[replaced_count++] = instruction;
	memcpy(at_address((uintptr_t)instruction), undefined_instruction, INSTRUCTION_BYTES);
	return mprotect(at_address(start), size, PROT_READ | PROT_EXEC) == 0;
}

static void replace_in(const unsigned char *start, size_t size)
{
	const unsigned char *at = start, *end = start + size;

	while ((at = memmem(at, (size_t)(end - at), cpuid_instruction, INSTRUCTION_BYTES))) {
		if (follows_leaf(start, at) && !replace(at))
			preload_warn("CPUID returns the real processor: its instructions cannot be "
				     "replaced: %s",
				     strerror(errno));
		at += INSTRUCTION_BYTES;
	}
}

/** Looks at the first object only, which is the program. */
static int replace_in_program(struct dl_phdr_info *object, size_t size, void *data)
{
	(void)size;
	(void)data;
	for (size_t i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X)
			replace_in(at_address(object->dlpi_addr + segment->p_vaddr),
				   segment->p_filesz);
	}
	return 1;
}

static void replace_processor(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART };

	processor = preload_machine->identity;
	action.sa_sigaction = on_fault;
	faulting = syscall(SYS_arch_prctl, ARCH_CPUID, 0) == 0;
	if (!faulting)
		dl_iterate_phdr(replace_in_program, NULL);
	if (faulting || replaced_count > 0)
		REAL(sigaction)(signal_of_cpuid(), &action, &before);
}

__attribute__((constructor)) static void start(void)
{
	if (!preload_begin())
		return;
	replace_processor();
	preload_end(false);
}

#endif
