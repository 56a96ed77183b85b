/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts the system calls of the calling thread: the kernel hands each of them to a signal handler
 * (syscall user dispatch), which counts it and makes it; a tracer would take a minute for what
 * takes a second here.
 */
#define _GNU_SOURCE
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
enum { DISPATCH_ON = 1, LET_PASS = 0, HAND_OVER = 1 };
enum { ARGUMENTS = 6, KERNEL_RESTORER = 0x04000000, SYSCALL_BYTES = 2 };

unsigned long dispatch_calls;

static volatile unsigned char selector = LET_PASS;
static void (*at_exit)(void);

/* The kernel never hands over what is called between these labels. */
__asm__(".pushsection .text\n"
	".globl bench_calls_begin, bench_calls_end, bench_call, bench_return\n"
	".hidden bench_calls_begin, bench_calls_end, bench_call, bench_return\n"
	"bench_calls_begin:\n"
	"bench_call:\n" /* long bench_call(number, const long arguments[6]) */
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rcx\n"
	"	mov 0(%rcx), %rdi\n"
	"	mov 8(%rcx), %rsi\n"
	"	mov 16(%rcx), %rdx\n"
	"	mov 24(%rcx), %r10\n"
	"	mov 32(%rcx), %r8\n"
	"	mov 40(%rcx), %r9\n"
	"	syscall\n"
	"	ret\n"
	"bench_return:\n"
	"	mov $15, %eax\n" /* rt_sigreturn */
	"	syscall\n"
	"	ud2\n" /* the kernel sees the address behind a call */
	"bench_calls_end:\n"
	".popsection\n");
extern const char bench_calls_begin[], bench_calls_end[];
long bench_call(long number, const long *arguments);
void bench_return(void);

/** As the kernel keeps them. */
struct kernel_action {
	void (*handler)(int number, siginfo_t *information, void *context);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

/** The mask is that of the interrupted program. Without SIGSYS, which has to come through. */
static long change_mask(ucontext_t *context, const long *words)
{
	uint64_t mask, set;

	memcpy(&mask, &context->uc_sigmask, sizeof(mask));
	if (words[2])
		memcpy((void *)words[2], &mask, sizeof(mask));
	if (!words[1])
		return 0;
	memcpy(&set, (const void *)words[1], sizeof(set));
	if (words[0] == SIG_BLOCK)
		set |= mask;
	else if (words[0] == SIG_UNBLOCK)
		set = mask & ~set;
	set &= ~(UINT64_C(1) << (SIGSYS - 1));
	memcpy(&context->uc_sigmask, &set, sizeof(set));
	return 0;
}

/** Not what depends on where the heap happens to begin, or answers CPUID. */
static bool is_programs_own(long call)
{
	return call != SYS_brk && call != SYS_arch_prctl;
}

static void on_call(int number, siginfo_t *information, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	const long call = registers[REG_RAX];
	const long words[ARGUMENTS] = { registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
					registers[REG_R10], registers[REG_R8],	registers[REG_R9] };

	(void)number;
	(void)information;
	selector = LET_PASS;
	if (call == SYS_rt_sigreturn) {
		/* Of a handler that answers CPUID: to be made on the stack as it was. */
		registers[REG_RIP] = (greg_t)bench_return;
		selector = HAND_OVER;
		return;
	}
	if (call == SYS_execve) {
		/* What it starts would inherit this handler's signal mask. */
		registers[REG_RIP] -= SYSCALL_BYTES;
		return;
	}
	if (is_programs_own(call))
		dispatch_calls++;
	if (call == SYS_exit_group)
		at_exit();
	registers[REG_RAX] = call == SYS_rt_sigprocmask ? change_mask(context, words)
							: bench_call(call, words);
	selector = HAND_OVER;
}

int dispatch_start(void (*before_exit)(void))
{
	const struct kernel_action action = { .handler = on_call,
					      .flags = SA_SIGINFO | KERNEL_RESTORER,
					      .restorer = bench_return,
					      .mask = ~UINT64_C(0) };
	const long handle[ARGUMENTS] = { SIGSYS, (long)&action, 0, sizeof(uint64_t) };
	const long dispatch[ARGUMENTS] = { PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_ON,
					   (long)bench_calls_begin,
					   bench_calls_end - bench_calls_begin, (long)&selector };

	at_exit = before_exit;
	if (bench_call(SYS_rt_sigaction, handle) || bench_call(SYS_prctl, dispatch))
		return -1;
	selector = HAND_OVER;
	return 0;
}
