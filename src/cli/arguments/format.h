/* SPDX-License-Identifier: BSD-3-Clause */
/* The formats of output, as the option --format selects them. */
#ifndef ISST_CLI_FORMAT_H
#define ISST_CLI_FORMAT_H

enum output_format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_JSON_V2,
	FORMAT_OPENMETRICS,
	FORMAT_NFD,
	FORMAT_FACTS,
	FORMATS,
};

#endif
