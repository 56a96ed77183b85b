/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C program that opens the kernel's files in unusual ways, changes their owner, permissions and
 * size, and moves within them; to be run on the machine of tests/platforms/tiny.platform by the
 * launcher. The files answer as the kernel's.
 */
#include "program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void owner_and_permissions_are_accepted_and_not_kept(void **state)
{
	int file = open(CPU3, O_RDONLY | O_CLOEXEC), directory = open(CPUS, O_RDONLY | O_CLOEXEC);
	struct stat before, after;

	(void)state;
	if (geteuid() != 0)
		skip(); /* permissions count, and owners are given by root alone */
	assert_int_equal(stat(CPU3, &before), 0);
	assert_int_equal(chmod(CPU3, 0), 0);
	assert_int_equal(fchmod(file, 0), 0);
	assert_int_equal(fchmod(directory, 0), 0);
	assert_int_equal(chown(CPU3, 1, 1), 0);
	assert_int_equal(fchown(file, 1, 1), 0);
	assert_int_equal(fchownat(file, "", 1, 1, AT_EMPTY_PATH), 0);
	assert_int_equal(stat(CPU3, &after), 0);
	assert_true(before.st_mode == after.st_mode && before.st_uid == after.st_uid);
	assert_fails(chmod(CPUS "/nonesuch", 0), ENOENT);
	close(directory);
	close(file);
}

static void sizes_stay(void **state)
{
	int writer = open(CPU3, O_WRONLY | O_CLOEXEC), reader = open(CPU3, O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(truncate(CPU3, 0), 0);
	assert_int_equal(ftruncate(writer, 100), 0);
	assert_int_equal(close(writer), 0);
	assert_fails(ftruncate(reader, 0), EINVAL);
	assert_fails(truncate(CPUS, 0), EISDIR);
	assert_fails(truncate(CPUS "/nonesuch", 0), ENOENT);
	close(reader);
}

static void files_are_opened_as_the_kernels(void **state)
{
	(void)state;
	assert_fails(open(CPUS, O_RDONLY | O_CREAT | O_CLOEXEC, 0600), EISDIR);
	assert_fails(open(CPUS, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600), EOPNOTSUPP);
	assert_fails(open(CPU3, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600), ENOTDIR);
}

static void writing_moves_on(void **state)
{
	int file = open(CPU3, O_RDWR | O_CLOEXEC), other;
	char content[10];
	FILE *stream;

	(void)state;
	assert_int_equal(write(file, "0\n", 2), 2);
	assert_int_equal(lseek(file, 0, SEEK_CUR), 2);
	assert_int_equal(read(file, content, sizeof(content)), 0);
	assert_int_equal(lseek(file, 0, SEEK_END), 4096);
	/* As a shell's echo does, which duplicates what it has read from. */
	other = dup(file);
	stream = fdopen(other, "w");
	assert_non_null(stream);
	assert_true(fputs("1\n", stream) >= 0);
	assert_int_equal(fclose(stream), 0);
	assert_int_equal(lseek(file, 0, SEEK_CUR), 4098);
	assert_int_equal(pread(file, content, sizeof(content), 0), 2);
	assert_memory_equal(content, "1\n", 2);
	close(file);
}

static void files_of_removed_groups_are_gone(void **state)
{
	int file = open(GROUPS "/cgroup.subtree_control", O_WRONLY | O_CLOEXEC);
	char content[10];

	(void)state;
	if (geteuid() != 0)
		skip(); /* permissions count, and owners are given by root alone */
	assert_int_equal(write(file, "+cpuset", 7), 7);
	close(file);
	assert_int_equal(mkdir(GROUPS "/gone", 0755), 0);
	file = open(GROUPS "/gone/cpuset.cpus", O_RDWR | O_CLOEXEC);
	assert_true(file >= 0);
	assert_int_equal(rmdir(GROUPS "/gone"), 0);
	assert_fails(read(file, content, sizeof(content)), ENODEV);
	assert_fails(write(file, "1", 1), ENODEV);
	close(file);
}

static void directories_are_scanned_by_descriptor(void **state)
{
	int parent = open(CPUS "/cpu1", O_RDONLY | O_CLOEXEC);
	struct dirent **entries;
	int count = scandirat(parent, "../cpu3", &entries, NULL, alphasort);
	bool found = false;

	(void)state;
	assert_true(count > 2);
	while (count > 0) {
		found |= strcmp(entries[--count]->d_name, "cpufreq") == 0;
		free(entries[count]);
	}
	free(entries);
	assert_true(found);
	assert_fails(scandirat(parent, "nonesuch", &entries, NULL, NULL), ENOENT);
	close(parent);
}

static void wrong_addresses_of_statuses_are_refused(void **state)
{
	void *nowhere = (void *)(uintptr_t)8;

	(void)state;
	assert_fails(stat(CPU3, nowhere), EFAULT);
	assert_fails(statx(AT_FDCWD, CPU3, 0, STATX_BASIC_STATS, nowhere), EFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(owner_and_permissions_are_accepted_and_not_kept),
		cmocka_unit_test(sizes_stay),
		cmocka_unit_test(files_are_opened_as_the_kernels),
		cmocka_unit_test(writing_moves_on),
		cmocka_unit_test(directories_are_scanned_by_descriptor),
		cmocka_unit_test(wrong_addresses_of_statuses_are_refused),
		cmocka_unit_test(files_of_removed_groups_are_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
