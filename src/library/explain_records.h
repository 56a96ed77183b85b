/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads for explanations what was recorded since boot. */
#ifndef ISST_LIBRARY_EXPLAIN_RECORDS_H
#define ISST_LIBRARY_EXPLAIN_RECORDS_H

#include "explain/survey.h"

/** As `read_records` of struct survey_scope. */
int explain_read_records(struct survey *survey);

#endif
