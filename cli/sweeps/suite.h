// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep as a JUnit suite.
#ifndef CLI_SWEEPS_SUITE_H
#define CLI_SWEEPS_SUITE_H

#include "cli/sweeps/sweeping.h"

// The suite of this name, with a test for each run by the last row of the table
// that it has, so that a sweep which went on has all of them; to be freed.
// `trouble` is what ended the sweep; NULL: nothing did.
char *sweep_suite(const struct sweep *sweep, const char *name,
                  const struct error *trouble);

#endif
