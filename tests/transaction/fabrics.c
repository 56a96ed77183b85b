/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of the uncore where a power domain has several fabric clusters: the emulated kernel has
 * one, and this adds another. */
#include "features/planning.h"
#include "transaction/support/machines.h"

#include "isst-explain.h"
#include "isst.h"

#define UNCORE "/sys/devices/system/cpu/intel_uncore_frequency"

/** A further cluster of power domain 0; what is written to it, line by line. */
static struct {
	const struct files_operations *inner;
	char number[8];
	char min[32], max[32];
	char written[256];
	bool refuses; /* writes of the upper limit */
} added;

/** The content of a file of the cluster; NULL for any other file. */
static char *added_file(const char *path)
{
	const struct {
		const char *name;
		char *content;
	} files[] = {
		{ "package_id", "0\n" },
		{ "domain_id", "0\n" },
		{ "fabric_cluster_id", added.number },
		{ "initial_min_freq_khz", "600000\n" },
		{ "initial_max_freq_khz", "1800000\n" },
		{ "min_freq_khz", added.min },
		{ "max_freq_khz", added.max },
	};
	static const char DIRECTORY[] = UNCORE "/uncore90/";

	if (strncmp(path, DIRECTORY, sizeof(DIRECTORY) - 1) != 0)
		return NULL;
	for (size_t i = 0; i < COUNT(files); i++)
		if (strcmp(path + sizeof(DIRECTORY) - 1, files[i].name) == 0)
			return files[i].content;
	return NULL;
}

static int read_added(void *data, const char *path, char **content, size_t *size)
{
	const char *text = added_file(path);

	if (!text)
		return added.inner->read(data, path, content, size);
	*content = strdup(text);
	*size = strlen(text);
	return *content ? 0 : -ENOMEM;
}

static int write_added(void *data, const char *path, const char *content, size_t size)
{
	char *text = added_file(path);
	size_t length = strlen(added.written);

	if (!text)
		return added.inner->write(data, path, content, size);
	if (added.refuses && text == added.max)
		return -EPERM;
	snprintf(text, sizeof(added.max), "%.*s\n", (int)size, content);
	snprintf(added.written + length, sizeof(added.written) - length, "%s %s",
		 text == added.max ? "max" : "min", text);
	return 0;
}

static int list_added(void *data, const char *path, char ***names, size_t *count)
{
	int error = added.inner->list(data, path, names, count);

	if (error || strcmp(path, UNCORE) != 0)
		return error;
	*names = realloc(*names, (*count + 1) * sizeof(**names));
	(*names)[(*count)++] = strdup("uncore90");
	return 0;
}

static struct files_operations files;

static struct isst_context *discover(const struct machine *machine)
{
	struct isst_options options = { .machine = machine_open(machine) };
	struct isst_context *context;

	added.inner = options.machine->files;
	added.written[0] = '\0';
	files = *added.inner;
	files.read = read_added;
	files.write = write_added;
	files.list = list_added;
	options.machine->files = &files;
	assert_int_equal(isst_open(&options, &context), 0);
	assert_int_equal(isst_lock(context, 1000, 0), 0);
	assert_int_equal(isst_discover(context), 0);
	return context;
}

static void begin(struct machine *machine)
{
	*machine = machine_begin("tests/tpmi-tiny");
	snprintf(added.number, sizeof(added.number), "1\n");
	snprintf(added.min, sizeof(added.min), "600000\n");
	snprintf(added.max, sizeof(added.max), "1800000\n");
	added.refuses = false;
}

TEST(each_fabric_is_counted_and_read)
{
	struct uncore_limits limits[2] = { 0 };
	static const unsigned int COUNTS[] = { 2, 1, 1 };
	struct isst_context *context;
	struct machine machine;

	begin(&machine);
	context = discover(&machine);
	for (size_t i = 0; i < COUNT(COUNTS); i++) {
		unsigned int count;

		assert_int_equal(uncore_fabric_count(context, context_domain(context, i), &count),
				 0);
		assert_int_equal(count, COUNTS[i]);
	}
	limits[0].domain = limits[1].domain = context_domain(context, 0);
	limits[1].fabric = 1;
	assert_int_equal(uncore_limits_read(context, limits, COUNT(limits)), 0);
	assert_int_equal(limits[0].now.max_khz, 2200000);
	assert_int_equal(limits[1].now.max_khz, 1800000);
	assert_int_equal(limits[1].now.min_khz, 600000);
	assert_int_equal(limits[1].initial.max_khz, 1800000);
	isst_close(context);
	machine_end(&machine);
}

/** Both fabrics of power domain 0. */
static int make(struct isst_context *context, uint64_t min_khz, uint64_t max_khz)
{
	struct limit_request requests[2] = { 0 };
	struct isst_change *change;
	int error;

	assert_int_equal(isst_change_new(context, NULL, &change), 0);
	for (unsigned int i = 0; i < COUNT(requests); i++)
		requests[i] = (struct limit_request){ .domain = context_domain(context, 0),
						      .fabric = i,
						      .wanted = { min_khz, max_khz } };
	assert_int_equal(plan_uncore_limits(change, requests, COUNT(requests)), 0);
	error = change_run(change);
	isst_change_free(change);
	return error;
}

static void check_first_fabric(const struct machine *machine, const char *max)
{
	autofree char *text = machine_text(machine, UNCORE "/uncore00/max_freq_khz");

	assert_string_equal(text, max);
}

TEST(each_fabric_gets_its_limits_in_its_order)
{
	struct isst_context *context;
	struct machine machine;

	begin(&machine);
	context = discover(&machine);
	assert_int_equal(make(context, 1000000, 2000000), 0);
	/* What is there is written first: the kernel takes it again. */
	assert_string_equal(added.written, "max 1800000\nmin 600000\nmax 2000000\nmin 1000000\n");
	check_first_fabric(&machine, "2000000\n");
	isst_close(context);
	context = discover(&machine);
	assert_int_equal(make(context, 600000, 1800000), 0);
	assert_string_equal(added.written, "min 1000000\nmax 2000000\nmin 600000\nmax 1800000\n");
	check_first_fabric(&machine, "1800000\n");
	isst_close(context);
	machine_end(&machine);
}

TEST(a_fabric_that_refuses_leaves_the_others_as_they_were)
{
	struct isst_context *context;
	struct machine machine;

	begin(&machine);
	autofree char *before = machine_picture(&machine);
	added.refuses = true;
	context = discover(&machine);
	assert_int_equal(make(context, LIMIT_KEPT, 1500000), -EPERM);
	assert_string_equal(added.written, "");
	machine_check(&machine, before, "a fabric that refuses");
	isst_close(context);
	machine_end(&machine);
}

/** Whether a limit of a fabric of power domain 0 is found to be low. */
static bool is_found(struct isst_context *context, const char *fabric)
{
	struct isst_targets *targets = isst_targets_new(context);
	struct isst_explanation *explanation;
	const struct isst_finding *finding;
	bool found = false;

	assert_int_equal(isst_targets_add_domain(targets, context_domain(context, 0)), 0);
	assert_true(isst_explain(context, targets, NULL, 0, &explanation) >= 0);
	for (size_t i = 0; (finding = isst_explanation_finding_at(explanation, i)) != NULL; i++)
		found |= isst_finding_code(finding) == ISST_FINDING_UNCORE_LIMIT &&
			 strstr(isst_finding_evidence(finding), fabric) != NULL;
	isst_explanation_free(explanation);
	isst_targets_free(targets);
	return found;
}

/* As many as the driver's answers have. */
TEST(the_limits_of_every_fabric_are_explained)
{
	for (unsigned int fabric = 1; fabric < 8; fabric++) {
		struct isst_context *context;
		struct machine machine;
		char name[32];

		begin(&machine);
		snprintf(added.number, sizeof(added.number), "%u\n", fabric);
		snprintf(name, sizeof(name), "fabric %u", fabric);
		context = discover(&machine);
		assert_false(is_found(context, name));
		snprintf(added.max, sizeof(added.max), "1500000\n");
		assert_true(is_found(context, name));
		isst_close(context);
		machine_end(&machine);
	}
}
