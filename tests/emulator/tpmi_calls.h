/* SPDX-License-Identifier: BSD-3-Clause */
/* TPMI requests as tests send them to an emulated machine; nothing of what they should answer. */
#ifndef TESTS_EMULATOR_TPMI_CALLS_H
#define TESTS_EMULATOR_TPMI_CALLS_H

#include "emulator/emulated.h"

static inline struct abi_tpmi_instance_count instances(struct emulated *e, unsigned int socket)
{
	struct abi_tpmi_instance_count count = { .socket_id = (uint8_t)socket };

	assert_int_equal(call(e, ABI_COUNT_TPMI_INSTANCES, &count), 0);
	return count;
}

static inline struct abi_perf_level_info levels(struct emulated *e, unsigned int socket,
						unsigned int domain)
{
	struct abi_perf_level_info info = { .socket_id = (uint8_t)socket,
					    .power_domain_id = (uint8_t)domain };

	assert_int_equal(call(e, ABI_PERF_LEVELS, &info), 0);
	return info;
}

static inline int set_level(struct emulated *e, unsigned int socket, unsigned int domain,
			    unsigned int level)
{
	struct abi_perf_level_control control = { (uint8_t)socket, (uint8_t)domain,
						  (uint8_t)level };

	return call(e, ABI_PERF_SET_LEVEL, &control);
}

static inline int set_features(struct emulated *e, unsigned int socket, unsigned int domain,
			       unsigned int features)
{
	struct abi_perf_feature_control control = { (uint8_t)socket, (uint8_t)domain,
						    (uint8_t)features };

	return call(e, ABI_PERF_SET_FEATURE, &control);
}

static inline int core_power(struct emulated *e, unsigned int socket, unsigned int domain, bool set,
			     struct abi_core_power *power)
{
	power->get_set = set;
	power->socket_id = (uint8_t)socket;
	power->power_domain_id = (uint8_t)domain;
	return call(e, ABI_CORE_POWER_STATE, power);
}

static inline int clos(struct emulated *e, unsigned int socket, unsigned int domain, bool set,
		       struct abi_clos_param *param)
{
	param->get_set = set;
	param->socket_id = (uint8_t)socket;
	param->power_domain_id = (uint8_t)domain;
	return call(e, ABI_CLOS_PARAM, param);
}

/** A batch with room for more than the driver takes. */
struct associations {
	uint16_t count, set, punit_cpu_map;
	struct abi_clos_assoc entry[70];
};

static inline int associate(struct emulated *e, bool set, unsigned int count,
			    struct associations *batch)
{
	batch->count = (uint16_t)count;
	batch->set = set;
	batch->punit_cpu_map = 1;
	return call(e, ABI_CLOS_ASSOC, batch);
}

static inline int associate_one(struct emulated *e, unsigned int domain, unsigned int core,
				bool set, uint16_t *class)
{
	struct associations batch = {
		.entry[0] = { 0, (uint8_t)domain, (uint16_t)core, *class },
	};
	int result = associate(e, set, 1, &batch);

	*class = batch.entry[0].clos;
	return result;
}

static inline void assert_class(struct emulated *e, unsigned int domain, unsigned int core,
				unsigned int expected)
{
	uint16_t class = 0;

	assert_int_equal(associate_one(e, domain, core, false, &class), 0);
	assert_int_equal(class, expected);
}

#define UNCORE CPUS "/intel_uncore_frequency"

#endif
