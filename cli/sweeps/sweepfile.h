// SPDX-License-Identifier: GPL-3.0-or-later
// Job files whose settings may be lists or ranges.
#ifndef CLI_SWEEPS_SWEEPFILE_H
#define CLI_SWEEPS_SWEEPFILE_H

#include "sweep/axes.h"

struct sweep_section {
  const char *name;
  struct axes axes;     // every setting that is said, in the order of the file
  uint32_t repetitions; // 0: not said
};

struct sweepfile {
  struct arena arena;
  struct sweep_section *sections;
  uint32_t nsections, room;
};

// Reads the sections other than [global], whose settings come first in each; or
// [global] if it is alone.  Every value has been checked.  -1 with a sentence
// that names file and line.  Free in both cases.
int sweepfile_read(const char *path, struct sweepfile *file,
                   struct error *error);
void sweepfile_free(struct sweepfile *file);

#endif
