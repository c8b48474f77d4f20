// SPDX-License-Identifier: GPL-3.0-or-later
// The content of a history that not every format can say, counted, and what
// gets lost in one that cannot.
#ifndef RECORDER_FORMATS_CONTENT_H
#define RECORDER_FORMATS_CONTENT_H

#include "recorder/formats/format.h"

// Zero-initialised is nothing.
struct content {
  uint64_t txns, aborted, unknown, times, levels, causes, endpoints;
  uint64_t bereft; // of the committed, transactions that depend on lost writes
  uint64_t lists, sets, cas, uncommitted_reads, op_times; // operations
  uint64_t unknown_reads;   // of these reads, of unknown outcome
  uint64_t uncommitted_cas; // and compare-and-sets
  uint64_t key_names, value_names;
  uint64_t firsts;            // keys that held something at first
  uint64_t large_keys, large; // keys, operations: numbers from 2^62 on
  uint64_t duplicates;        // as history->again has them
  uint64_t max; // of the values that are numbers, but for the largest of all
  bool largest; // which is there
};

// Counts the features of a history in memory whose values are not implied.
struct content content_of(const struct history *history);
// Something that a format cannot say.
struct export_loss {
  const char *what;    // "times"
  const char *becomes; // "left out"
  uint64_t count;      // of transactions, operations, keys...
  const char *unit;
};
enum { LOSSES_MAX = 22 };

// Lists the losses when it is written in the format; returns their number.
uint32_t content_losses(const struct content *content,
                        const struct history_format *format,
                        struct export_loss losses[LOSSES_MAX]);

#endif
