/* SPDX-License-Identifier: BSD-3-Clause */
/* Uncore limits of dies (identified by directory names) and of fabric clusters (by files). */
#include "sysfs/uncore.h"
#include "base/array.h"
#include "base/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNCORE_DIRECTORY CPU_DIRECTORY "/intel_uncore_frequency"

static const char *const LIMIT_FILES[] = { "min_freq_khz", "max_freq_khz" };
static const char *const INITIAL_FILES[] = { "initial_min_freq_khz", "initial_max_freq_khz" };

struct uncore_clusters {
	struct uncore_cluster {
		char *directory;
		unsigned int package, domain, cluster;
		bool known;	       /* @domain is the number of the driver's power domain */
		unsigned int instance; /* of newer kernels: its number in the device */
		bool has_instance, has_agents, has_cores;
	} * clusters;
	size_t count;
};

static int read_identity(struct kernel_files *files, const char *directory, const char *name,
			 unsigned int *number)
{
	uint64_t value;
	int error = kernel_files_number(files, kernel_files_path(files, "%s/%s", directory, name),
					UINT32_MAX, &value);

	if (!error)
		*number = (unsigned int)value;
	return error;
}

/** Reads files of 7.x kernels. */
static int read_agents(struct kernel_files *files, struct uncore_cluster *cluster)
{
	char *text;
	int error = read_identity(files, cluster->directory, "instance_id", &cluster->instance);

	cluster->has_instance = !error;
	if (error && error != -ENOENT)
		return error;
	error = kernel_files_text(
		files, kernel_files_path(files, "%s/agent_types", cluster->directory), &text);
	cluster->has_agents = !error;
	if (error)
		return error == -ENOENT ? 0 : error;
	cluster->has_cores = strstr(text, "core") != NULL;
	free(text);
	return 0;
}

/** Adds the directory of a cluster; others lack the files. */
static int add_cluster(void *data, const char *name)
{
	struct kernel_files *files = data;
	struct uncore_clusters *known = files->uncore;
	struct uncore_cluster cluster = { .known = true };
	int error;

	if (asprintf(&cluster.directory, UNCORE_DIRECTORY "/%s", name) < 0)
		return -ENOMEM;
	error = read_identity(files, cluster.directory, "package_id", &cluster.package);
	if (!error)
		error = read_identity(files, cluster.directory, "domain_id", &cluster.domain);
	if (!error)
		error = read_identity(files, cluster.directory, "fabric_cluster_id",
				      &cluster.cluster);
	if (!error)
		error = read_agents(files, &cluster);
	if (!error)
		error = ARRAY_GROW(known->clusters, known->count);
	if (!error) {
		known->clusters[known->count++] = cluster;
		return 0;
	}
	free(cluster.directory);
	return error == -ENOENT ? 0 : error;
}

/**
 * Finds a cluster's power domain. Clusters with cores have its number. I/O dies follow the last one
 * with cores for the driver; for kernels with agent_types they follow the most dies of a package, a
 * power of two where the processor enumerates dies. instance_id is the driver's number, unless a
 * package has two devices, both from 0.
 */
static int identify(struct kernel_files *files, const struct uncore_clusters *all,
		    struct uncore_cluster *cluster)
{
	const struct uncore_place package = { .package = cluster->package };
	bool io = cluster->has_agents && !cluster->has_cores, unique = cluster->has_instance;
	uint64_t khz;
	int error;

	for (const struct uncore_cluster *other = all->clusters; other < all->clusters + all->count;
	     other++)
		if (other != cluster && other->package == cluster->package &&
		    other->cluster == cluster->cluster && other->has_instance &&
		    other->instance == cluster->instance)
			unique = false;
	if (unique) {
		cluster->known = io ? cluster->domain >= cluster->instance
				    : cluster->domain == cluster->instance;
		cluster->domain = cluster->instance;
		return 0;
	}
	cluster->known = cluster->has_agents || !cluster->has_instance;
	if (!io)
		return 0;
	/* The package has a directory unless its dies are enumerated. */
	error = uncore_read_limit(files, &package, CPUFREQ_MAX, &khz);
	cluster->known = !error;
	return error == -ENOENT ? 0 : error;
}

/** Finds the directories, once. */
static int find_clusters(struct kernel_files *files)
{
	int error;

	if (files->uncore)
		return 0;
	files->uncore = calloc(1, sizeof(*files->uncore));
	error = files->uncore
			? kernel_files_each(files, UNCORE_DIRECTORY, "uncore", add_cluster, files)
			: -ENOMEM;
	for (size_t i = 0; !error && i < files->uncore->count; i++)
		error = identify(files, files->uncore, &files->uncore->clusters[i]);
	if (error)
		uncore_forget(files);
	return error;
}

void uncore_forget(struct kernel_files *files)
{
	if (!files->uncore)
		return;
	for (size_t i = 0; i < files->uncore->count; i++)
		free(files->uncore->clusters[i].directory);
	free(files->uncore->clusters);
	free(files->uncore);
	files->uncore = NULL;
}

static const struct uncore_cluster *find_cluster(const struct uncore_clusters *known,
						 const struct uncore_place *place)
{
	for (size_t i = 0; i < known->count; i++) {
		const struct uncore_cluster *cluster = &known->clusters[i];

		if (cluster->known && cluster->package == place->package &&
		    cluster->domain == place->domain && cluster->cluster == place->cluster)
			return cluster;
	}
	return NULL;
}

bool uncore_is_ambiguous(struct kernel_files *files, const struct uncore_place *place)
{
	const struct uncore_clusters *known;

	if (find_clusters(files))
		return false;
	known = files->uncore;
	for (size_t i = 0; i < known->count; i++) {
		const struct uncore_cluster *a = &known->clusters[i];

		if (a->package != place->package)
			continue;
		if (!a->known && !find_cluster(known, place))
			return true;
		for (const struct uncore_cluster *b = known->clusters; b < a; b++)
			if (a->known && b->known && a->package == b->package &&
			    a->domain == b->domain && a->cluster == b->cluster)
				return true;
	}
	return false;
}

/** The directory of a place, valid until the next kernel_files_path(), or -ENOENT. */
static int find_directory(struct kernel_files *files, const struct uncore_place *place,
			  const char **directory)
{
	const struct uncore_cluster *cluster;
	int error;

	if (!place->of_domain) {
		*directory = kernel_files_path(files, UNCORE_DIRECTORY "/package_%02u_die_%02u",
					       place->package, place->die);
		return *directory ? 0 : -ENOMEM;
	}
	error = find_clusters(files);
	if (error)
		return error;
	cluster = uncore_is_ambiguous(files, place) ? NULL : find_cluster(files->uncore, place);
	if (!cluster)
		return -ENOENT;
	*directory = cluster->directory;
	return 0;
}

int uncore_directory(struct kernel_files *files, const struct uncore_place *place, char **path)
{
	const char *directory;
	int error = find_directory(files, place, &directory);

	*path = error ? NULL : strdup(directory);
	return error || *path ? error : -ENOMEM;
}

static int limit_path(struct kernel_files *files, const struct uncore_place *place,
		      const char *name, const char **path)
{
	const char *directory;
	int error = find_directory(files, place, &directory);

	if (error)
		return error;
	*path = kernel_files_path(files, "%s/%s", directory, name);
	return *path ? 0 : -ENOMEM;
}

static int read_limit_file(struct kernel_files *files, const struct uncore_place *place,
			   const char *name, uint64_t *khz)
{
	const char *path;
	int error = limit_path(files, place, name, &path);

	return error ? error : kernel_files_number(files, path, UINT32_MAX, khz);
}

int uncore_read_limit(struct kernel_files *files, const struct uncore_place *place,
		      enum cpufreq_limit limit, uint64_t *khz)
{
	return read_limit_file(files, place, LIMIT_FILES[limit], khz);
}

int uncore_read_initial(struct kernel_files *files, const struct uncore_place *place,
			enum cpufreq_limit limit, uint64_t *khz)
{
	return read_limit_file(files, place, INITIAL_FILES[limit], khz);
}

int uncore_count_clusters(struct kernel_files *files, const struct uncore_place *place,
			  unsigned int *count)
{
	uint64_t khz;
	int error;

	*count = 0;
	if (!place->of_domain) {
		error = uncore_read_limit(files, place, CPUFREQ_MAX, &khz);
		*count = error ? 0 : 1;
		return error == -ENOENT ? 0 : error;
	}
	error = find_clusters(files);
	if (error || uncore_is_ambiguous(files, place))
		return error == -ENOENT ? 0 : error;
	for (size_t i = 0; i < files->uncore->count; i++) {
		const struct uncore_cluster *cluster = &files->uncore->clusters[i];

		if (cluster->known && cluster->package == place->package &&
		    cluster->domain == place->domain && cluster->cluster >= *count)
			*count = cluster->cluster + 1;
	}
	return 0;
}

int uncore_count_of_package(struct kernel_files *files, unsigned int package, size_t *count)
{
	int error = find_clusters(files);

	*count = 0;
	for (size_t i = 0; !error && i < files->uncore->count; i++)
		*count += files->uncore->clusters[i].package == package;
	return error;
}

/* The kernel accepts 1 to 127 steps. */
enum { STEP_KHZ = 100000, MOST_STEPS = 127 };

void uncore_package_place(struct uncore_place *place)
{
	*place = (struct uncore_place){ .package = place->package };
}

/** Writes steps; @refused: the kernel calls them invalid, which is no error. */
static int try_steps(struct kernel_files *files, const char *path, uint64_t steps, bool *refused)
{
	int error = kernel_files_write_number(files, path, steps * STEP_KHZ);

	*refused = error == -EIO && files->answer == -EINVAL;
	return *refused ? 0 : error;
}

/** The other end of the search from @refused: the present value, or the end of the range if the
 * kernel refuses that value of the firmware, too. */
static int find_taken(struct kernel_files *files, const char *path, enum cpufreq_limit limit,
		      uint64_t *refused, uint64_t *taken)
{
	uint64_t khz, present;
	bool refuses = false;
	int error = kernel_files_number(files, path, UINT32_MAX, &khz);

	*taken = limit == CPUFREQ_MAX ? 0 : MOST_STEPS + 1;
	present = khz / STEP_KHZ;
	if (error || (limit == CPUFREQ_MAX ? present >= *refused : present <= *refused))
		return error;
	error = try_steps(files, path, present, &refuses);
	*(refuses ? refused : taken) = present;
	return error;
}

/**
 * Writes the value nearest to @refused that the kernel takes for a power domain, by bisection: it
 * refuses values beyond the package's last written limit, which cannot be read. The package's
 * directory shows the widest present limits of its power domains instead.
 */
static int write_next_to(struct kernel_files *files, const char *path, enum cpufreq_limit limit,
			 uint64_t refused)
{
	uint64_t taken;
	int error = find_taken(files, path, limit, &refused, &taken);

	while (!error && (limit == CPUFREQ_MAX ? refused - taken : taken - refused) > 1) {
		uint64_t steps = (taken + refused) / 2;
		bool refuses;

		error = try_steps(files, path, steps, &refuses);
		*(refuses ? &refused : &taken) = steps;
	}
	/* It was refused for another reason. */
	return !error && (taken < 1 || taken > MOST_STEPS) ? -EIO : error;
}

int uncore_write_limit(struct kernel_files *files, const struct uncore_place *place,
		       enum cpufreq_limit limit, uint64_t khz)
{
	const char *path;
	int error = limit_path(files, place, LIMIT_FILES[limit], &path);

	if (error)
		return error;
	error = kernel_files_write_number(files, path, khz);
	if (error == -EIO && files->answer == -EINVAL && place->of_domain)
		error = write_next_to(files, path, limit, khz / STEP_KHZ);
	return error;
}

int uncore_check_present(struct kernel_files *files, const struct uncore_place *place,
			 enum cpufreq_limit limit, bool *refused)
{
	struct uncore_place package = *place;
	uint64_t khz, package_khz;
	const char *path;
	int error = read_limit_file(files, place, LIMIT_FILES[limit], &khz);

	*refused = !error && (khz < STEP_KHZ || khz / STEP_KHZ > MOST_STEPS);
	if (error || *refused || !place->of_domain)
		return error;
	uncore_package_place(&package);
	error = uncore_read_limit(files, &package, limit, &package_khz);
	if (!error)
		error = limit_path(files, place, LIMIT_FILES[limit], &path);
	return error ? error : try_steps(files, path, khz / STEP_KHZ, refused);
}
