// SPDX-License-Identifier: GPL-3.0-or-later
// Requirements on the figures of a run, such as "p99<10ms,aborts<5%": the run
// fails if one is not met.
#ifndef CLI_JOBS_REQUIREMENT_H
#define CLI_JOBS_REQUIREMENT_H

#include "base/error.h"
#include "runner/runner.h"

#include <stdbool.h>

enum { REQUIREMENTS_MAX = 16, REQUIREMENT_TEXT = 64 };

struct measure;

struct requirement {
  const struct measure *measure;
  bool above, or_equal;        // > or >=; else < or <=
  double limit;                // ns, a share, a count, or per second
  char text[REQUIREMENT_TEXT]; // as typed
};

struct requirements {
  uint32_t n;
  struct requirement all[REQUIREMENTS_MAX];
};

// Reads requirements with commas between them; NULL text: none.  -1 with a
// sentence that says which there are.
int requirements_read(const char *text, struct requirements *requirements,
                      struct error *error);

// Does the run meet it?  `is` becomes the value that was measured, for people.
bool requirement_is_met(const struct requirement *requirement,
                        const struct run_figures *figures,
                        char is[REQUIREMENT_TEXT]);

#endif
