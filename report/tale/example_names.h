// SPDX-License-Identifier: GPL-3.0-or-later
// The short names that the example of a verdict has for what is in it.
#ifndef REPORT_TALE_EXAMPLE_NAMES_H
#define REPORT_TALE_EXAMPLE_NAMES_H

#include "checker/verdict/verdict.h"
#include "report/tale/names.h"

// Free with names_free.
void example_names(struct names *names, const struct history *history,
                   const struct verdict *verdict);

#endif
