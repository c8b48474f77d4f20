// SPDX-License-Identifier: GPL-3.0-or-later
// The results that earlier commands kept in a directory: runs, sweeps and
// scorecards, each in a directory of its own.
#ifndef CLI_JOBS_KEPT_H
#define CLI_JOBS_KEPT_H

#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum kept_state {
  KEPT_WHOLE,
  KEPT_HALF,  // a command ended before it had written its results
  KEPT_GOING, // a command is still at work there
};

enum kept_kind { KEPT_RUN, KEPT_SWEEP, KEPT_SCORECARD };

struct kept {
  enum kept_kind kind;
  const char *path;
  const char *verdict, *level, *target; // "-" where there is none
  enum kept_state state;
  bool latest;   // the link `latest` names it
  uint64_t date; // ns since 1970: its begin
  uint64_t bytes;
};

// Zero-initialised is empty.
struct kept_list {
  struct kept *items;
  uint32_t count, room;
  struct arena arena;
  uint32_t most; // no more are added; 0: any number
  bool more;     // there are more
};

// Adds the results in the directory; other directories and files in it are
// passed over.  -1 with a sentence if it cannot be read.
int kept_read(const char *directory, struct kept_list *list,
              struct error *error);
// Adds those in the directory and in directories in it, which hold results of
// one kind each; of these, what cannot be read is passed over.
int kept_read_all(const char *directory, struct kept_list *list,
                  struct error *error);
// The newest first.
void kept_sort(struct kept_list *list);
void kept_free(struct kept_list *list);

// Removes the directory with everything in it, unless a command is at work
// there: 1 removed, 0 in use, -1 with a sentence.
int kept_remove(const struct kept *kept, struct error *error);

#endif
