/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a real machine, tested in a scratch directory; and its identity. */
#include "sysfs/linux_machine.h"
#include "base/machine.h"
#include "support/check.h"
#include "support/fake_machine.h"

#include <sys/stat.h>
#include <unistd.h>

struct scratch_place {
	struct isst_machine *machine;
	char path[256];
};

static struct scratch_place place_of(struct fake_machine *fake, const char *name)
{
	struct scratch_place place = { .machine = linux_machine() };

	assert_non_null(place.machine);
	assert_in_range(snprintf(place.path, sizeof(place.path), "%s/%s", fake->scratch, name), 1,
			sizeof(place.path) - 1);
	return place;
}

static void leave(struct scratch_place *place)
{
	place->machine->release(place->machine);
}

static void make_file(const char *path, const char *bytes, size_t size)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void check_content(const struct scratch_place *place, const char *bytes, size_t size)
{
	char *content;
	size_t read_size;

	assert_int_equal(place->machine->files->read(place->machine->data, place->path, &content,
						     &read_size),
			 0);
	assert_int_equal(read_size, size);
	assert_memory_equal(content, bytes, size);
	assert_int_equal(content[size], '\0');
	free(content);
}

FAKE_TEST(files_of_any_size_are_read_whole)
{
	static const size_t SIZES[] = { 0, 1, 4094, 4095, 4096, 4097, 8191, 8192, 100000 };
	struct scratch_place place = place_of(fake, "file");
	autofree char *bytes = malloc(100000);

	assert_non_null(bytes);
	for (size_t i = 0; i < 100000; i++)
		bytes[i] = (char)('0' + i % 10);
	for (size_t i = 0; i < COUNT(SIZES); i++) {
		make_file(place.path, bytes, SIZES[i]);
		check_content(&place, bytes, SIZES[i]);
	}
	leave(&place);
}

FAKE_TEST(files_that_report_no_size_are_read)
{
	struct scratch_place place = place_of(fake, "unused");
	char *content;
	size_t size;

	assert_int_equal(
		place.machine->files->read(place.machine->data, "/proc/self/stat", &content, &size),
		0);
	assert_true(size > 0);
	assert_int_equal(strlen(content), size);
	free(content);
	leave(&place);
}

FAKE_TEST(failures_come_back_as_errno)
{
	struct scratch_place place = place_of(fake, "none");
	const struct files_operations *files = place.machine->files;
	char *content, **names;
	size_t size;

	assert_int_equal(files->read(NULL, place.path, &content, &size), -ENOENT);
	assert_int_equal(files->read(NULL, "/", &content, &size), -EISDIR);
	assert_int_equal(files->write(NULL, place.path, "1", 1), -ENOENT);
	assert_int_equal(files->list(NULL, place.path, &names, &size), -ENOENT);
	assert_int_equal(files->rmdir(NULL, place.path), -ENOENT);
	assert_int_equal(files->write(NULL, "/dev/full", "1", 1), -ENOSPC);
	assert_int_equal(access(place.path, F_OK), -1);
	leave(&place);
}

FAKE_TEST(a_write_puts_exactly_the_bytes)
{
	struct scratch_place place = place_of(fake, "file");

	make_file(place.path, "", 0);
	assert_int_equal(place.machine->files->write(NULL, place.path, "2147483647", 10), 0);
	check_content(&place, "2147483647", 10);
	leave(&place);
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

FAKE_TEST(directories_are_made_listed_and_removed)
{
	struct scratch_place place = place_of(fake, "directory");
	const struct files_operations *files = place.machine->files;
	char **names, path[512];
	size_t count;

	assert_int_equal(files->mkdir(NULL, place.path), 0);
	assert_int_equal(files->mkdir(NULL, place.path), -EEXIST);
	assert_int_equal(files->list(NULL, place.path, &names, &count), 0);
	assert_int_equal(count, 0);
	free(names);
	for (unsigned int i = 0; i < 40; i++) {
		snprintf(path, sizeof(path), "%s/%02u", place.path, i);
		make_file(path, "", 0);
	}
	assert_int_equal(files->rmdir(NULL, place.path), -ENOTEMPTY);
	assert_int_equal(files->list(NULL, place.path, &names, &count), 0);
	assert_int_equal(count, 40);
	qsort(names, count, sizeof(*names), compare_names);
	for (unsigned int i = 0; i < 40; i++) {
		snprintf(path, sizeof(path), "%s/%02u", place.path, i);
		assert_string_equal(names[i], path + strlen(place.path) + 1);
		assert_int_equal(unlink(path), 0);
		free(names[i]);
	}
	free(names);
	assert_int_equal(files->rmdir(NULL, place.path), 0);
	leave(&place);
}

static bool find_line(const char *text, const char *key, char *value, size_t size)
{
	const char *line = strstr(text, key);

	if (!line || !(line = strchr(line, ':')))
		return false;
	line += 2;
	snprintf(value, size, "%.*s", (int)strcspn(line, "\n"), line);
	return true;
}

#ifdef __x86_64__
static const bool is_x86 = true;
#else
/* Run by an emulator of processors it may still be shown an x86 machine's file. */
static const bool is_x86 = false;
#endif

FAKE_TEST(D33_the_processor_is_the_one_that_the_kernel_reports)
{
	struct scratch_place place = place_of(fake, "unused");
	const struct cpu_identity *identity = &place.machine->identity;
	char *text, value[64];
	size_t size;

	/* Valgrind shows programs a processor of its own. */
	if (strstr(getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "", "vgpreload")) {
		leave(&place);
		return;
	}
	assert_int_equal(place.machine->files->read(NULL, "/proc/cpuinfo", &text, &size), 0);
	if (!is_x86 || !find_line(text, "\ncpu family\t", value, sizeof(value))) {
		/* Another architecture: nothing may be claimed. */
		assert_false(identity->intel);
		assert_int_equal(identity->family, 0);
	} else {
		assert_int_equal(identity->family, strtoul(value, NULL, 10));
		assert_true(find_line(text, "\nmodel\t", value, sizeof(value)));
		assert_int_equal(identity->model, strtoul(value, NULL, 10));
		if (find_line(text, "\nstepping\t", value, sizeof(value)) &&
		    strcmp(value, "unknown") != 0)
			assert_int_equal(identity->stepping, strtoul(value, NULL, 10));
		assert_true(find_line(text, "vendor_id", value, sizeof(value)));
		assert_int_equal(identity->intel, strcmp(value, "GenuineIntel") == 0);
	}
	free(text);
	leave(&place);
}

FAKE_TEST(a_real_machine_has_no_name)
{
	struct scratch_place place = place_of(fake, "unused");

	assert_null(place.machine->name);
	assert_string_equal(place.machine->runtime_directory, "/run/isst");
	leave(&place);
}
