// SPDX-License-Identifier: GPL-3.0-or-later
// The page of all results in a directory: runs, sweeps, scorecards and lone
// pages, each in a row that leads to its own page.
#ifndef REPORT_PAGE_INDEX_H
#define REPORT_PAGE_INDEX_H

#include "base/memory.h"
#include "report/badge.h"

#include <stdint.h>
#include <stdio.h>

#define INDEX_TITLE "isostress results" // of the page

enum index_kind { INDEX_RUN, INDEX_SWEEP, INDEX_SCORECARD, INDEX_PAGE };

struct index_row {
  enum index_kind kind;
  enum badge badge;   // of a run
  const char *colour; // of page_tag (report/page/blocks.h)
  const char *tag;    // in markup
  const char *detail; // what was seen, or why nobody knows; or ""
  const char *name;   // of the database, or the command
  const char *link;   // to its page, from the index; NULL: it has none
  const char *about;  // level, workload, sessions
  const char *target; // without secrets
  uint64_t date;      // ns since 1970: its begin
  uint64_t committed; // of a run, likewise what follows
  double aborted;     // attempts, in percent
  uint64_t measured;  // ns
  const char *course; // of an SVG path: commits over time; or ""
};

// Zero-initialised is empty.
struct index {
  struct arena arena;
  struct index_row *rows;
  uint32_t nrows, room;
  const char **troubles; // sentences about results that have no row
  uint32_t ntroubles, troubles_room;
};

struct index_sweep {
  const char *name, *targets;
  uint32_t ncells, nruns;
  uint32_t nbroken; // runs whose verdict is a violation
  uint32_t nunmet;  // runs that did not meet a requirement
};

// Each adds a row; `link` and `date` as above.
void index_add_run(struct index *index, const struct stored *stored,
                   const char *link, uint64_t date);
void index_add_sweep(struct index *index, const struct index_sweep *sweep,
                     const char *link, uint64_t date);
void index_add_scorecard(struct index *index, const struct json_value *document,
                         const char *link, uint64_t date);
// A page that is one file: of a kind ("Comparison"), and what it is about.
void index_add_page(struct index *index, const char *kind, const char *title,
                    const char *about, const char *link, uint64_t date);
void index_add_trouble(struct index *index, const char *sentence);
void index_free(struct index *index);

// The worst comes first: what was seen, then what is not known, then what
// was kept; of these each in the order in which they were added.
void index_put_page(FILE *out, const struct index *index, const char *program);

#endif
