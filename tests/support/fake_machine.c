/* SPDX-License-Identifier: BSD-3-Clause */
/* Scripted device, table of files and scratch directory as one machine. */
#include "support/fake_machine.h"
#include "support/check.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

static struct fake_machine *fake_of(void *data)
{
	return data;
}

static int open_device(void *data)
{
	return fake_device_open(&fake_of(data)->device);
}

static int ioctl_device(void *data, int descriptor, unsigned long request, void *argument)
{
	return fake_device_ioctl(&fake_of(data)->device, descriptor, request, argument);
}

static int close_device(void *data, int descriptor)
{
	return fake_device_close(&fake_of(data)->device, descriptor);
}

static const struct device_operations DEVICE = { open_device, ioctl_device, close_device };

static int read_file(void *data, const char *path, char **content, size_t *size)
{
	return fake_files_read(&fake_of(data)->files, path, content, size);
}

static int write_file(void *data, const char *path, const char *content, size_t size)
{
	return fake_files_write(&fake_of(data)->files, path, content, size);
}

static int list_directory(void *data, const char *path, char ***names, size_t *count)
{
	return fake_files_list(&fake_of(data)->files, path, names, count);
}

static int make_directory(void *data, const char *path)
{
	return fake_files_note(&fake_of(data)->files, "mkdir", path);
}

static int remove_directory(void *data, const char *path)
{
	return fake_files_note(&fake_of(data)->files, "rmdir", path);
}

static const struct files_operations FILES = { .read = read_file,
					       .write = write_file,
					       .list = list_directory,
					       .mkdir = make_directory,
					       .rmdir = remove_directory };

static void release(struct isst_machine *machine)
{
	fake_of(machine->data)->released++;
}

int fake_machine_setup(void **state)
{
	struct fake_machine *fake = calloc(1, sizeof(*fake));
	const char *temporary = getenv("TMPDIR");

	assert_non_null(fake);
	fake_device_init(&fake->device);
	assert_true(asprintf(&fake->scratch, "%s/isst-unit.XXXXXX",
			     temporary ? temporary : "/tmp") > 0);
	assert_non_null(mkdtemp(fake->scratch));
	assert_true(asprintf(&fake->runtime, "%s/run", fake->scratch) > 0);
	fake->machine = (struct isst_machine){
		MACHINE_OF_THIS_VERSION,
		.device = &DEVICE,
		.files = &FILES,
		.data = fake,
		.runtime_directory = fake->runtime,
		.identity = { .intel = true, .family = 6, .model = 0x6a, .stepping = 6 },
		.release = release,
	};
	fake_file(&fake->files, "/proc/sys/kernel/random/boot_id", "boot-1");
	*state = fake;
	return 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

int fake_machine_teardown(void **state)
{
	struct fake_machine *fake = *state;

	nftw(fake->scratch, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	fake_device_clear(&fake->device);
	fake_files_clear(&fake->files);
	free(fake->scratch);
	free(fake->runtime);
	free(fake);
	return 0;
}

void fake_cpus(struct fake_machine *fake, const char *present, const char *online)
{
	fake_file(&fake->files, "/sys/devices/system/cpu/possible", "%s", present);
	fake_file(&fake->files, "/sys/devices/system/cpu/present", "%s", present);
	fake_file(&fake->files, "/sys/devices/system/cpu/online", "%s", online);
}

static char *topology_path(unsigned int cpu, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "/sys/devices/system/cpu/cpu%u/topology/%s", cpu, name) > 0);
	return path;
}

void fake_topology_file(struct fake_machine *fake, unsigned int cpu, const char *name,
			const char *content)
{
	char *path = topology_path(cpu, name);

	fake_file(&fake->files, path, "%s", content);
	free(path);
}

void fake_topology_file_error(struct fake_machine *fake, unsigned int cpu, const char *name,
			      int error)
{
	char *path = topology_path(cpu, name);

	fake_file_error(&fake->files, path, error);
	free(path);
}

void fake_die(struct fake_machine *fake, unsigned int package, unsigned int die, const char *cpus)
{
	struct isst_cpuset *set = check_set(cpus);
	unsigned int cpu;
	char number[16];

	isst_cpuset_for_each (cpu, set) {
		snprintf(number, sizeof(number), "%u", package);
		fake_topology_file(fake, cpu, "physical_package_id", number);
		snprintf(number, sizeof(number), "%u", die);
		fake_topology_file(fake, cpu, "die_id", number);
		fake_topology_file(fake, cpu, "die_cpus_list", cpus);
	}
	isst_cpuset_free(set);
}

void fake_place(struct fake_machine *fake, unsigned int cpu, unsigned int core, unsigned int thread)
{
	fake_phy_id(&fake->device, cpu, core << 1 | thread);
}

void fake_small_machine(struct fake_machine *fake)
{
	fake_cpus(fake, "0-3", "0-3");
	fake_die(fake, 0, 0, "0-3");
	for (unsigned int cpu = 0; cpu < 4; cpu++)
		fake_place(fake, cpu, cpu, 0);
}

static char *runtime_path(const struct fake_machine *fake, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", fake->runtime, name) > 0);
	return path;
}

char *fake_runtime_text(const struct fake_machine *fake, const char *name)
{
	char *path = runtime_path(fake, name), *text = NULL;
	FILE *file = fopen(path, "re");
	size_t space = 0;

	free(path);
	if (!file)
		return NULL;
	if (getdelim(&text, &space, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

void fake_runtime_write(const struct fake_machine *fake, const char *name, const char *text)
{
	char *path = runtime_path(fake, name);
	FILE *file;

	assert_true(mkdir(fake->runtime, 0755) == 0 || errno == EEXIST);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	free(path);
}
