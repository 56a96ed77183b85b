/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The preload object of programs on an emulated machine: CPUID returns the emulated processor:
 * vendor (leaf 0), family, model and stepping (leaf 1), power management (leaf 6); and no
 * hypervisor. Everything else about the machine is the launcher's.
 *
 * Where the processor can make CPUID fault, every one in the process does, and the fault is
 * answered here. Elsewhere the instructions of the program and of libisst (not of other libraries)
 * are replaced by one that is undefined, of the same length, wherever they are certainly
 * instructions.
 */
#include "preload/instructions.h"

#include "emulator/launch/cpuid.h"

/* Elsewhere no program can ask. */
#ifdef __x86_64__

#include <asm/prctl.h>
#include <cpuid.h>
#include <dlfcn.h>
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

/* In place of libc's own. */
#define INTERPOSED __attribute__((visibility("default")))

/** The function of this name behind ours. */
#define REAL(name) \
	({ \
		static __typeof__(&name) next_function; \
		if (!next_function) \
			next_function = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
		next_function; \
	})

static const unsigned char cpuid_instruction[] = { 0x0f, 0xa2 };
static const unsigned char undefined_instruction[] = { 0x0f, 0x0b };
enum { INSTRUCTION_BYTES = 2 };
static const char library[] = "libisst.so";

static struct {
	bool intel, hwp;
	unsigned int family, model, stepping;
} processor;
static bool faulting;
static struct sigaction before; /* of the signal that CPUID raises now */

/* Instructions that were replaced. */
enum { MOST_REPLACED = 256 };
static const unsigned char *replaced[MOST_REPLACED];
static size_t replaced_count;

/** Family, model and stepping as leaf 1 has them in EAX. */
static uint32_t signature_of_processor(void)
{
	uint32_t family = processor.family < 0xf ? processor.family : 0xf;

	return processor.stepping | (processor.model & 0xf) << 4 | family << 8 |
	       (processor.model >> 4) << 16 | (processor.family - family) << 20;
}

static void set_cpuid_faulting(bool fault)
{
	syscall(SYS_arch_prctl, ARCH_CPUID, !fault);
}

struct cpuid {
	uint32_t eax, ebx, ecx, edx;
};

/* The bits of leaf 6 that /proc/cpuinfo shows as flags. */
enum {
	TURBO = 1U << 1,
	ARAT = 1U << 2,
	PLN = 1U << 4,
	PTS = 1U << 6,
	HWP = 1U << 7,
	HWP_EPP = 1U << 10,
	ECX_APERFMPERF = 1U << 0,
	ECX_EPB = 1U << 3,
};

static void describe_power(struct cpuid *result)
{
	*result = (struct cpuid){ .eax = TURBO | ARAT | PLN | PTS |
					 (processor.hwp ? HWP | HWP_EPP : 0),
				  .ecx = ECX_APERFMPERF | ECX_EPB };
}

/* Leaves that no processor has, and hypervisors answer. */
static const uint32_t hypervisor_leaves = 0x40000000, hypervisor_mask = 0xf0000000;
static const uint32_t in_hypervisor = 1U << 31; /* of leaf 1, ECX */

static void describe(uint32_t leaf, struct cpuid *result)
{
	if (leaf == 0 && processor.intel) {
		result->ebx = signature_INTEL_ebx;
		result->ecx = signature_INTEL_ecx;
		result->edx = signature_INTEL_edx;
	} else if (leaf == 1) {
		result->eax = signature_of_processor();
		result->ecx &= ~in_hypervisor;
	} else if (leaf == 6 && processor.intel) {
		describe_power(result);
	} else if ((leaf & hypervisor_mask) == hypervisor_leaves) {
		*result = (struct cpuid){ 0 };
	}
}

static void answer(ucontext_t *context)
{
	greg_t *registers = context->uc_mcontext.gregs;
	uint32_t leaf = (uint32_t)registers[REG_RAX], subleaf = (uint32_t)registers[REG_RCX];
	struct cpuid result;

	if (faulting)
		set_cpuid_faulting(false);
	__cpuid_count(leaf, subleaf, result.eax, result.ebx, result.ecx, result.edx);
	if (faulting)
		set_cpuid_faulting(true);
	describe(leaf, &result);
	registers[REG_RAX] = result.eax;
	registers[REG_RBX] = result.ebx;
	registers[REG_RCX] = result.ecx;
	registers[REG_RDX] = result.edx;
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
		/* An instruction is repeated, a signal that was sent is not. */
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

static bool answers(void)
{
	return faulting || replaced_count > 0;
}

/** A program's own handler comes behind ours; none blocks our signal. */
static int set_handler(int number, const struct sigaction *action, struct sigaction *old)
{
	struct sigaction changed;

	if (!answers())
		return REAL(sigaction)(number, action, old);
	if (number != signal_of_cpuid()) {
		if (action) {
			changed = *action;
			sigdelset(&changed.sa_mask, signal_of_cpuid());
		}
		return REAL(sigaction)(number, action ? &changed : NULL, old);
	}
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

/* ---- Blocked signals ---- */

/* Whether the program has blocked our signal in this thread. It is not: the kernel ends a program
 * whose instruction raises a signal that is blocked. */
static __thread bool blocked;

/** By one of libc's functions, whose results are 0 or an error. */
static int change_mask(int (*change)(int, const sigset_t *, sigset_t *), int how,
		       const sigset_t *signals, sigset_t *old)
{
	bool was_blocked = blocked, named;
	sigset_t others;
	int result;

	if (!answers())
		return change(how, signals, old);
	if (signals) {
		others = *signals;
		sigdelset(&others, signal_of_cpuid());
		named = sigismember(signals, signal_of_cpuid()) == 1;
	}
	result = change(how, signals ? &others : NULL, old);
	if (result)
		return result;
	if (signals && (named || how == SIG_SETMASK))
		blocked = named && how != SIG_UNBLOCK;
	if (old && was_blocked)
		sigaddset(old, signal_of_cpuid());
	return 0;
}

INTERPOSED int sigprocmask(int how, const sigset_t *signals, sigset_t *old)
{
	return change_mask(REAL(sigprocmask), how, signals, old);
}

INTERPOSED int pthread_sigmask(int how, const sigset_t *signals, sigset_t *old)
{
	return change_mask(REAL(pthread_sigmask), how, signals, old);
}

/** As this program has been started. */
static void unblock(void)
{
	sigset_t ours, old;

	sigemptyset(&ours);
	sigaddset(&ours, signal_of_cpuid());
	if (REAL(pthread_sigmask)(SIG_UNBLOCK, &ours, &old) == 0)
		blocked = sigismember(&old, signal_of_cpuid()) == 1;
}

/* ---- Replacing instructions ---- */

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

static void replace_found(const unsigned char *instruction, void *data)
{
	static const char message[] = "isst emulate: CPUID returns the real processor: its "
				      "instructions cannot be replaced\n";

	(void)data;
	/* Not by way of stderr: the program may have it in use. */
	if (!replace(instruction))
		syscall(SYS_write, STDERR_FILENO, message, sizeof(message) - 1);
}

static void replace_in(const unsigned char *function, size_t size, void *data)
{
	reached_find(function, size, cpuid_instruction, INSTRUCTION_BYTES, replace_found, data);
}

/** A library that identifies the processor for the program. */
static bool identifies(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return strncmp(name, library, sizeof(library) - 1) == 0;
}

/** Looks at the first object, which is the program, and at the library of this project. */
static int replace_in_object(struct dl_phdr_info *object, size_t size, void *data)
{
	bool *is_program = data;

	(void)size;
	if (*is_program || identifies(object->dlpi_name))
		functions_each(object, replace_in, NULL);
	*is_program = false;
	return 0;
}

/** Numbers with colons between them, as many as there are. */
static bool parse_numbers(const char *text, unsigned int *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		unsigned int number = 0;

		while (*text >= '0' && *text <= '9')
			number = number * 10 + (unsigned int)(*text++ - '0');
		if (*text != (i + 1 < count ? ':' : '\0'))
			return false;
		text++;
		numbers[i] = number;
	}
	return true;
}

static bool find_processor(void)
{
	const char *text = secure_getenv(CPUID_VARIABLE);
	unsigned int numbers[5];

	if (!text || !parse_numbers(text, numbers, 5))
		return false;
	processor.intel = numbers[0];
	processor.family = numbers[1];
	processor.model = numbers[2];
	processor.stepping = numbers[3];
	processor.hwp = numbers[4];
	return true;
}

__attribute__((constructor)) static void replace_processor(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART };
	bool is_program = true;

	if (!find_processor())
		return;
	action.sa_sigaction = on_fault;
	faulting = syscall(SYS_arch_prctl, ARCH_CPUID, 0) == 0;
	if (!faulting)
		dl_iterate_phdr(replace_in_object, &is_program);
	if (answers()) {
		REAL(sigaction)(signal_of_cpuid(), &action, &before);
		unblock();
	}
}

#endif
