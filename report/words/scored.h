// SPDX-License-Identifier: GPL-3.0-or-later
// A scorecard as its reader sees it (report/words/guarantees.h): for each level
// and anomaly whether the level promises to prevent it, and what was seen. Text
// and page ask here, so that they tell one and the same.
#ifndef REPORT_WORDS_SCORED_H
#define REPORT_WORDS_SCORED_H

#include "report/words/guarantees.h"
#include "report/words/promises.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum scored_state {
  SCORED_NOT_TRIED,
  SCORED_PREVENTED,
  SCORED_UNSEEN, // and allowed
  SCORED_SEEN,   // likewise
  SCORED_BROKEN,
  SCORED_STATES,
};

// One anomaly: of the grid, or one that came under load only.
struct scored_line {
  const struct guarantee_row *row; // NULL: under load only
  uint32_t r;                      // its number in the grid
  enum anomaly anomaly;
};

struct scored {
  FILE *out;
  const struct guarantees *g;
  struct scored_line lines[ANOMALY_COUNT * 2];
  uint32_t nlines;
  const char *name; // of the database
  bool several;     // hosts
};

void scored_begin(struct scored *s, FILE *out, const struct guarantees *g);

// A level has a column for each way to spread sessions over hosts: is this its
// first one, and where do they end?
bool scored_leads(const struct guarantees *g, uint32_t column);
uint32_t scored_end(const struct guarantees *g, uint32_t column);
uint32_t scored_levels(const struct guarantees *g);

// For the level whose first column it is.
enum scored_state scored_state_of(const struct scored *s, uint32_t column,
                                  const struct scored_line *line);
uint32_t scored_count(const struct scored *s, enum scored_state state);
bool scored_has(const struct scored *s, uint32_t column,
                enum scored_state state);
// Did the level break a promise?
bool scored_broken(const struct scored *s, uint32_t column);

struct promised_level scored_level(const struct scored *s, uint32_t column);
bool scored_promised(const struct scored *s, uint32_t column,
                     const struct scored_line *line);
// Is it promised to plain reads only, which the steps of the grid are?  What
// comes under load is then by reads of another kind.
bool scored_for_plain_reads(const struct scored *s, uint32_t column,
                            const struct scored_line *line);
bool scored_tried(const struct scored *s, uint32_t column,
                  const struct scored_line *line);
// NULL: under load only.
const struct guarantee_cell *scored_cell(const struct scored *s,
                                         uint32_t column,
                                         const struct scored_line *line);
// In 1,000 committed transactions under the load of one column.
double scored_found_in(const struct guarantee_column *column,
                       const struct scored_line *line);
// The most of all columns of the level.
double scored_rate(const struct scored *s, uint32_t column,
                   const struct scored_line *line);
// The page of a run that shows it, as a relative address; NULL: there is none.
const char *scored_run(const struct scored *s, uint32_t column,
                       const struct scored_line *line);

// Names of Adya's stay as they are.
void scored_put_name(const struct scored *s, const struct scored_line *line,
                     bool capital);

// Each anomaly that the load of one column showed, with its rate: "lost update
// in 74.4 writes, read skew 3 times"; `before` comes before the first one. "(no
// plain reads)" stands behind one that the level rules out for plain reads
// alone.  False: the load showed none, and nothing is written.
bool scored_put_found(const struct scored *s, uint32_t column,
                      const char *before);

#endif
