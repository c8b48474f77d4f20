// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a step script that was performed on a live database: its sessions
// side by side, with time downwards, and what came out.
#ifndef REPORT_PAGE_PAGE_STEPS_H
#define REPORT_PAGE_PAGE_STEPS_H

#include "base/isolation.h"
#include "checker/verdict/verdict.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct page_step {
  unsigned line;
  uint32_t session;          // index of page_of_steps.sessions
  const char *text, *result; // as the script could have it
  bool expected, blocked;
};

// Nothing is owned.
struct page_of_steps {
  const char *script, *title; // as it was named; its first comment, or ""
  const char *target, *server, *level; // target without a password
  enum isolation claimed;
  const char *const *sessions;
  const struct page_step *steps; // of the first performance
  uint32_t nsessions, nsteps;
  uint32_t performances, unexpected;
  const char *anomaly; // "seen", "prevented by an abort"...; NULL: the script
                       // marks none, or performances differ
  uint32_t seen;       // performances in which the anomaly was seen
  enum anomaly tried;  // that the script is an example of; ANOMALY_NONE: it has
                       // no name
  bool checked;        // the next two are known
  enum isolation kept; // by the history of every performance
  enum anomaly broken_by;  // ANOMALY_NONE: it keeps every level
  bool by_time;            // blocking was told by the time alone
  const char *program;     // that wrote the page
  const char *all_results; // as for page_bar (report/page/blocks.h)
};

// `page` is a struct page_of_steps.
void page_put_steps(FILE *out, const void *page);

#endif
