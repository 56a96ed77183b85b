/* SPDX-License-Identifier: BSD-3-Clause */
/* What a domain is, as far as itself shows it; for the layers that know no topology. */
#include "base/place.h"

bool isst_domain_is_io(const struct isst_domain *domain)
{
	return domain && domain->cpus_known && !domain->has_cpu &&
	       isst_cpuset_count(domain->present) == 0;
}
