// SPDX-License-Identifier: GPL-3.0-or-later
// A session's counts as bytes, from one process of a program to another of the
// same program.
#ifndef RUNNER_TALLY_TEXT_H
#define RUNNER_TALLY_TEXT_H

#include "runner/tally.h"

void tally_write(FILE *file, const struct tally *tally);

struct tally_reader {
  const char *at, *end;
};
// So many bytes; -1 if there are not so many.
int tally_take(struct tally_reader *reader, void *into, size_t bytes);
// A tally of the workload that `figures` are of; free it with tally_fini.  -1
// if it is cut off: nothing is to be freed then.
int tally_read(struct tally_reader *reader, const struct run_figures *figures,
               struct tally *tally);

#endif
