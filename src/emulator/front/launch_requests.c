/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of every request that the driver knows, for programs that run on the machine. */
#include "emulator/front/launch_requests.h"
#include "emulator/front/front.h"

#include <errno.h>

bool launch_layout(const struct isst_machine *machine, unsigned long request,
		   struct request_layout *layout)
{
	const struct emulated *emulated = machine->data;

	if (request != ABI_GET_PLATFORM_INFO)
		return batch_layout(request, layout) ||
		       tpmi_layout(&emulated->server, request, layout);
	*layout = (struct request_layout){
		.head = sizeof(struct abi_platform_info),
		.fault = -EFAULT,
	};
	return true;
}
