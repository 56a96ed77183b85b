/* SPDX-License-Identifier: BSD-3-Clause */
#include <isst.h>
#include <stdio.h>
#include <string.h>

static void print_domain(const struct isst_result *result)
{
	const struct isst_domain *domain = isst_result_domain(result);
	unsigned int level, mhz;

	if (isst_result_value(result, ISST_VALUE_LEVEL, &level) == 0)
		printf("%s: level %u", isst_domain_name(domain), level);
	if (isst_result_value(result, ISST_VALUE_BASE_MHZ, &mhz) == 0)
		printf(", %u MHz", mhz);
	printf("\n");
}

static int print_levels(struct isst_context *context)
{
	struct isst_targets *targets = isst_targets_new(context);
	struct isst_results *results = NULL;
	int error = targets ? isst_targets_add_all_domains(targets, 0) : -1;

	if (!error)
		error = isst_read(context, ISST_READ_LEVELS, targets, NULL,
				  ISST_LEVELS_CURRENT | ISST_LEVELS_PROPERTIES, &results);
	for (size_t i = 0; i < isst_results_count(results); i++)
		print_domain(isst_results_at(results, i));
	isst_results_free(results);
	isst_targets_free(targets);
	return error;
}

int main(void)
{
	struct isst_context *context;
	int error = isst_open(NULL, &context);

	if (error) {
		fprintf(stderr, "%s\n", strerror(-error));
		return 1;
	}
	error = isst_discover(context);
	if (!error)
		error = print_levels(context);
	if (error)
		fprintf(stderr, "%s\n", isst_error(context));
	isst_close(context);
	return error ? 1 : 0;
}
