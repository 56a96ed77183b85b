/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C program whose code has the bytes of CPUID in many places, to be run on the machine of
 * tests/platforms/tiny.platform: which of them are answered, also while all
 * signals are blocked, and that the others stay as they are.
 */
#include "program.h"

#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__

#ifndef ARCH_CPUID
#define ARCH_CPUID 0x1012
#endif

enum { SIGNATURE = 0x606a6 }; /* family 6, model 0x6a, stepping 6 */
static const unsigned char cpuid[] = { 0x0f, 0xa2 };

/* A function in assembly language, with unwind tables and without. */
#define WITHOUT_TABLES(name, text) \
	__asm__(".text\n.p2align 4\n.globl " #name "\n.hidden " #name "\n" #name ":\n" text "\n")
#define FUNCTION(name, text) \
	WITHOUT_TABLES(name, ".cfi_startproc\n" text "\n.cfi_endproc\n.size " #name ",.-" #name)
/* Marks a place in one. */
#define PLACE(name) ".globl " #name "\n.hidden " #name "\n" #name ":\n"

/* ---- The bytes elsewhere ---- */

#define MISTAKABLE 0xa20f /* in memory, 0f a2 */

int is_immediate(int number);
long has_displacement(long number);
int calls_far(void);
int reads_table(long index);
int reads_behind_call(void);
int is_entered_twice(int inside);

FUNCTION(is_immediate, "xor %eax,%eax\n cmp $0xa20f,%edi\n sete %al\n ret");
FUNCTION(has_displacement, "xor %eax,%eax\n lea 0xa20f(%rdi),%rax\n ret");
FUNCTION(calls_far, "xor %eax,%eax\n .byte 0xe8, 0x0f, 0xa2, 0, 0\n 1: ret");
__asm__(".skip 0xa20f - 1, 0xcc\n");
__asm__("mov $7,%eax\n ret\n");
FUNCTION(reads_table, "xor %eax,%eax\n lea 1f(%rip),%rdx\n mov (%rdx,%rdi,4),%eax\n ret\n"
		      "mov $1,%eax\n 1: .byte 0x0f, 0xa2, 0, 0, 0x31, 0xc0, 0x0f, 0xa2");
FUNCTION(reads_behind_call,
	 "call 1f\n xor %eax,%eax\n .byte 0x0f, 0xa2, 0, 0\n 1: pop %rdx\n mov 2(%rdx),%eax\n ret");
/* Into the middle of an instruction, where `cpuid; add %al,(%rax)` begins. */
FUNCTION(is_entered_twice, "xor %eax,%eax\n test %edi,%edi\n jnz 1f+1\n 1: mov $0xa20f,%eax\n ret");

static void other_code_stays(void **state)
{
	(void)state;
	assert_true(is_immediate(MISTAKABLE));
	assert_false(is_immediate(0x0b0f));
	assert_int_equal(has_displacement(1), MISTAKABLE + 1);
	assert_int_equal(calls_far(), 7);
	assert_int_equal(is_entered_twice(0), MISTAKABLE);
}

static void data_in_code_stays(void **state)
{
	(void)state;
	assert_int_equal(reads_table(0), MISTAKABLE);
	assert_int_equal((unsigned int)reads_table(1), 0xa20fc031);
	assert_int_equal(reads_behind_call(), MISTAKABLE);
}

/* ---- CPUID ---- */

extern const unsigned char without_tables[], behind_unknown[];

WITHOUT_TABLES(has_no_tables, "mov $1,%eax\n" PLACE(without_tables) "cpuid\n ret");
/* 06 is invalid in 64-bit code. */
FUNCTION(has_unknown, "test %edi,%edi\n jz 1f\n .byte 0x06\n 1: mov $1,%eax\n" PLACE(
			      behind_unknown) "cpuid\n ret");

static void doubtful_instructions_stay(void **state)
{
	(void)state;
	assert_memory_equal(without_tables, cpuid, sizeof(cpuid));
	assert_memory_equal(behind_unknown, cpuid, sizeof(cpuid));
}

/*
 * An instruction of each form, which is not executed. Its last bytes are invalid as an instruction:
 * one that is thought too short or too long does not lead to the CPUID behind it.
 */
#define FORMS(FORM) \
	FORM(nothing, "nop") \
	FORM(prefixes, "cs nopw 0x06060606(%rax,%rax)") \
	FORM(modrm, "add %eax,%ebx") \
	FORM(base, "mov (%r12),%rax") \
	FORM(no_base, "mov 0x06060606(,%rax,4),%eax") \
	FORM(relative, "mov 0x06060606(%rip),%eax") \
	FORM(displacement_1, "mov 0x06(%rax),%eax") \
	FORM(displacement_4, "mov 0x06060606(%rax),%eax") \
	FORM(sib_1, "mov 0x06(%rsp),%eax") \
	FORM(sib_4, "mov %fs:0x06060606(%rsp),%eax") \
	FORM(address_32, "mov 0x06060606(%esp),%eax") \
	FORM(immediate_1, "add $0x06,%al") \
	FORM(immediate_2, "add $0x0606,%ax") \
	FORM(immediate_4, "add $0x06060606,%eax") \
	FORM(immediate_64, "mov $0x0606060606060606,%rax") \
	FORM(sign_extended, "mov $0x06060606,%rax") \
	FORM(data16_wide, ".byte 0x66, 0x48, 0x05, 6, 6, 6, 6") \
	FORM(absolute, "movabs 0x0606060606060606,%eax") \
	FORM(absolute_32, ".byte 0x67, 0xa1, 6, 6, 6, 6") \
	FORM(both, "movl $0x06060606,0x06060606(%rax,%rbx)") \
	FORM(both_2, "movw $0x0606,0x06(%rax)") \
	FORM(multiply, "imul $0x06060606,%ebx,%eax") \
	FORM(multiply_1, "imul $0x06,%ebx,%eax") \
	FORM(shift, "shl $0x06,%eax") \
	FORM(test_1, "testb $0x06,(%rax)") \
	FORM(test_2, "testw $0x0606,(%rax)") \
	FORM(test_4, "testl $0x06060606,(%rax)") \
	FORM(negate, "negl (%rax)") \
	FORM(negate_1, "negb (%rax)") \
	FORM(push_1, "pushq $0x06") \
	FORM(push_4, "pushq $0x06060606") \
	FORM(pop, "popq 0x06060606(%rax)") \
	FORM(enter, "enter $0x0606,$0x06") \
	FORM(interrupt, "int $0x06") \
	FORM(floating, "fldcw 0x06060606(%rax)") \
	FORM(indirect_call, "call *0x06060606(%rip)") \
	FORM(outer_call, ".byte 0xe8, 6, 6, 6, 6") \
	FORM(branch_1, ".byte 0x74, 0x06") \
	FORM(branch_4, ".byte 0x0f, 0x84, 6, 6, 6, 6") \
	FORM(loop, ".byte 0xe2, 0x06") \
	FORM(inner_branch, "jz 1f\n ret\n 1: nop") \
	FORM(backward, "jmp 1f\n .byte 0x06\n 2: jmp 3f\n 1: jmp 2b\n .byte 0x06\n 3: nop") \
	FORM(landing, "endbr64") \
	FORM(escape, "movzbl 0x06060606(%rax),%eax") \
	FORM(escape_1, "btl $0x06,0x06(%rax)") \
	FORM(escape_none, "rdtsc") \
	FORM(exchange, "lock cmpxchgq %rcx,%fs:0x06060606(%rax)") \
	FORM(swap, "bswap %r12") \
	FORM(shuffle, "pshufd $0x06,0x06060606(%rax),%xmm0") \
	FORM(map_0f38, "pshufb 0x06060606(%rax),%xmm0") \
	FORM(map_0f3a, "palignr $0x06,0x06060606(%rax),%xmm0") \
	FORM(vex_2, "vaddps 0x06060606(%rax),%xmm0,%xmm0") \
	FORM(vex_2_1, "vpshufd $0x06,0x06060606(%rax),%xmm0") \
	FORM(vex_none, "vzeroupper") \
	FORM(vex_3, "vaddps 0x06060606(%r8),%xmm0,%xmm0") \
	FORM(vex_0f38, "vpshufb 0x06060606(%rax),%ymm0,%ymm0") \
	FORM(vex_0f3a, "vpalignr $0x06,0x06060606(%rax),%ymm0,%ymm0") \
	FORM(evex, "vaddps 0x06060607(%rax),%zmm0,%zmm0") \
	FORM(evex_convert, "vcvtps2udq 0x06060607(%rax),%zmm0") \
	FORM(evex_0f38, "vpermd 0x06060607(%rax),%zmm0,%zmm0") \
	FORM(evex_0f3a, "vpternlogd $0x06,0x06060607(%rax),%zmm0,%zmm0")

#define DEFINE_FORM(name, text) \
	extern const unsigned char behind_##name[]; \
	FUNCTION(form_##name, text "\n .globl behind_" #name "\n .hidden behind_" #name \
				   "\n behind_" #name ": cpuid\n .rept 8\n nop\n .endr\n ret");
#define NAME_FORM(name, text) { #name, behind_##name },

FORMS(DEFINE_FORM)

static const struct {
	const char *name;
	const unsigned char *behind;
} forms[] = { FORMS(NAME_FORM) };

static bool nothing_is_replaced(void)
{
	return syscall(SYS_arch_prctl, ARCH_CPUID, 0) == 0;
}

static void instructions_of_every_form_are_followed(void **state)
{
	int missed = 0;

	(void)state;
	if (nothing_is_replaced())
		skip();
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		if (memcmp(forms[i].behind, cpuid, sizeof(cpuid)) == 0) {
			print_error("%s\n", forms[i].name);
			missed++;
		}
	}
	assert_int_equal(missed, 0);
}

static __attribute__((noinline)) unsigned int ask(unsigned int leaf)
{
	unsigned int ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "+a"(leaf), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return leaf;
}

static void leaves_may_be_variables(void **state)
{
	volatile unsigned int leaf = 1;

	(void)state;
	assert_int_equal(ask(leaf), SIGNATURE);
}

/* ---- Signals ---- */

static bool is_blocked(int number)
{
	sigset_t blocked;

	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &blocked), 0);
	return sigismember(&blocked, number);
}

static void blocked_signals_do_not_matter(void **state)
{
	sigset_t all, found, before;

	(void)state;
	sigfillset(&all);
	assert_int_equal(sigprocmask(SIG_BLOCK, &all, &before), 0);
	assert_int_equal(ask(1), SIGNATURE);
	assert_true(is_blocked(SIGILL) && is_blocked(SIGSEGV) && is_blocked(SIGUSR1));
	assert_int_equal(pthread_sigmask(SIG_UNBLOCK, &all, NULL), 0);
	assert_false(is_blocked(SIGILL) || is_blocked(SIGSEGV) || is_blocked(SIGUSR1));
	assert_int_equal(pthread_sigmask(SIG_SETMASK, &all, &found), 0);
	assert_int_equal(ask(1), SIGNATURE);
	assert_false(sigismember(&found, SIGILL));
	assert_int_equal(sigprocmask(SIG_SETMASK, &before, &found), 0);
	assert_true(sigismember(&found, SIGILL) && sigismember(&found, SIGSEGV));
	assert_int_equal(sigprocmask(-1, &before, NULL), -1);
}

static volatile unsigned int answer;

static void ask_in_handler(int number)
{
	(void)number;
	answer = ask(1);
}

static void handlers_that_block_all_signals_ask(void **state)
{
	struct sigaction action = { .sa_handler = ask_in_handler }, before;

	(void)state;
	sigfillset(&action.sa_mask);
	assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
	raise(SIGUSR1);
	assert_int_equal(answer, SIGNATURE);
	assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
}

static void programs_inherit_blocked_signals(void **state)
{
	char *words[] = { (char[]){ "code" }, (char[]){ "ask" }, NULL };
	posix_spawnattr_t attributes;
	sigset_t all;
	pid_t child;
	int status;

	(void)state;
	sigfillset(&all);
	assert_int_equal(posix_spawnattr_init(&attributes), 0);
	assert_int_equal(posix_spawnattr_setsigmask(&attributes, &all), 0);
	assert_int_equal(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK), 0);
	assert_int_equal(posix_spawn(&child, "/proc/self/exe", NULL, &attributes, words, environ),
			 0);
	posix_spawnattr_destroy(&attributes);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(int count, char **words)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_code_stays),
		cmocka_unit_test(data_in_code_stays),
		cmocka_unit_test(doubtful_instructions_stay),
		cmocka_unit_test(instructions_of_every_form_are_followed),
		cmocka_unit_test(leaves_may_be_variables),
		cmocka_unit_test(blocked_signals_do_not_matter),
		cmocka_unit_test(handlers_that_block_all_signals_ask),
		cmocka_unit_test(programs_inherit_blocked_signals),
	};

	if (count > 1 && strcmp(words[1], "ask") == 0)
		return ask(1) == SIGNATURE && is_blocked(SIGILL) ? 0 : 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	puts("ok 1 - CPUID # SKIP only x86-64 has it");
	return 0;
}

#endif
