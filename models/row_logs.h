// SPDX-License-Identifier: GPL-3.0-or-later
// From a history with rows to the logs that Jepsen's test would have written:
// one for each part of the rows, or a single one.
#ifndef MODELS_ROW_LOGS_H
#define MODELS_ROW_LOGS_H

#include "models/log.h"
#include "models/models.h"
#include "recorder/builder/number_map.h"
#include "recorder/history.h"

#define NOTHING_SEEN UINT32_MAX
#define AT_FIRST UINT32_MAX

// Which log a row belongs to.
enum part { PART_NONE, PART_KEY, PART_BATCH };

// The value of an operation that reads, of one that writes.
enum value {
  VALUE_BALANCES, // {0 95, 1 105}
  VALUE_NUMBER,   // 3, 1: what was added
  VALUE_NUMBERS,  // [7 7 7], 7
  VALUE_KEYS,     // [12 13], 12
  VALUE_LOOKS,    // [[:r 12 1] [:r 13 nil]], [[:w 12 1]]
  VALUE_PARTS,    // [0 [nil 12]], 12: from the last to the first
};

struct row_test {
  const char *workload, *writes;        // its function
  const struct log_model *model, *also; // another one of such logs, or NULL
  enum part part;
  const char *called;
  enum value value;
};

// A row as an operation of a transaction saw or wrote it; without an operation:
// the transaction looked into the part.
struct sighting {
  uint32_t part; // dense
  uint32_t rank; // of the transaction, by when it began
  uint32_t op;   // or NOTHING_SEEN
};

// Zero-initialised but for the test and the history.
struct row_logs {
  const struct row_test *test;
  const struct history *history;
  uint32_t *txns; // by rank
  struct number_map parts;
  struct sighting *sightings;
  uint32_t count, room;
  // These are of one part.
  struct log log;
  uint32_t *txn_of; // per operation of the log; AT_FIRST
  uint32_t txn_of_room;
  struct known_row *rows; // row_logs.c
  uint32_t nrows, rows_room;
};

// Finds what is seen of rows: the sightings of each part stand together.
void row_logs_see(struct row_logs *logs);
// Makes the log of a part, of its sightings from `first` on; free it with
// log_free.
void row_logs_make(struct row_logs *logs, const struct sighting *first,
                   const struct sighting *end);
void row_logs_free(struct row_logs *logs);

#endif
