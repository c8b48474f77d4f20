// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the words of a run's rows (recorder/row_words.h), which the logs lose:
// values as the database wrote them, names of columns, places of statements.
#ifndef OWN_WORDS_H
#define OWN_WORDS_H

#include "own/conditions.h"
#include "own/run.h"
#include "own/versions.h"
#include "recorder/row_words.h"

struct words_source {
  const struct raw_run *run;
  const struct known_versions *versions; // with their stamps
  const int64_t *row_key;                // of each that is the first of its row
  const struct raw_conditions *conditions;
  const uint32_t *table; // of the history, per table of the run, or ROWS_NONE
  const struct history *history;
  const uint32_t *places; // of each statement of the history
  uint32_t nplaces;
};

// Copies what is needed; the run's scripts have to outlive the words.  Of more
// than WORDS_BYTES of rows none are kept, and of a run that was killed: rows
// are told by number.
#define WORDS_BYTES (UINT64_C(256) << 20)
void words_make(struct row_words *words, const struct words_source *source);

#endif
