// SPDX-License-Identifier: GPL-3.0-or-later
// Texts about a part of a run (recorder/record/part_note.h).
#include "config.h"

#include "recorder/record/part_note.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

char *part_note_head(uint64_t run, uint32_t rank, uint32_t nranks,
                     const char *host, bool exact) {
  return xasprintf("run %016" PRIx64 "\nrank %u of %u\nhost %s\nclock %s\n",
                   run, rank, nranks, host, exact ? "exact" : "bounded");
}

char *part_note_bound(int64_t at, int64_t low, int64_t high) {
  return xasprintf("at %" PRId64 " %" PRId64 " %" PRId64 "\n", at, low, high);
}

struct part_note part_note_read(const char *text) {
  struct part_note note = {0};
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (sscanf(line, "run %16" SCNx64, &note.run) == 1)
      note.has_head = true;
    sscanf(line, "rank %9u of %9u", &note.rank, &note.nranks);
    note.exact |= !strncmp(line, "clock exact\n", 12);
    note.bounded |= sscanf(line, "at %" SCNd64 " %" SCNd64 " %" SCNd64,
                           &note.at, &note.low, &note.high) == 3;
  }
  return note;
}
