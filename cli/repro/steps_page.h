// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a step script that was performed: what `steps --page` and the
// scorecard keep.
#ifndef CLI_REPRO_STEPS_PAGE_H
#define CLI_REPRO_STEPS_PAGE_H

#include "base/memory.h"
#include "cli/repro/staging.h"
#include "report/page/page_steps.h"

// How all performances came out.
struct steps_told {
  const char *name; // of the script, as it was asked for
  uint32_t performances, unexpected, seen;
  const char *anomaly;     // as in struct page_of_steps
  bool checked, by_time;   // the next one is known; as in struct page_of_steps
  struct kept_level found; // by the history of every performance
};

// The steps of the performance whose results are there now; to be freed.
struct page_step *steps_page_steps(struct arena *arena,
                                   const struct staging *staging);

// -1 with a sentence if the file cannot be written.
int steps_page_write(const char *path, const struct staging *staging,
                     const struct settings *settings,
                     const struct page_step *steps,
                     const struct steps_told *told, const char *all_results,
                     struct error *error);

// Writes the note of this page, for the page of all results
// (cli/jobs/page_note.h).
int steps_page_write_note(const char *path, const struct staging *staging,
                          const struct settings *settings,
                          const struct steps_told *told, struct error *error);

#endif
