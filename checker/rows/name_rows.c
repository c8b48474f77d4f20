// SPDX-License-Identifier: GPL-3.0-or-later
// Names of anomalies of rows (checker/rows/name_rows.h).  The weakest level
// that a part breaks says most; below PC it depends on which rows one statement
// returned and missed.
#include "config.h"

#include "checker/rows/name_rows.h"

#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <string.h>

static const struct recorded_statement *
recorded_statement_of(const struct history *h, uint32_t s) {
  return &h->rows->statements[s];
}

// The operation of the statement on the key, or UINT32_MAX.
static uint32_t op_of(const struct history *h, uint32_t s, uint32_t key) {
  for (uint32_t op = recorded_statement_of(h, s)->first;
       op < recorded_statement_of(h, s)->end; op++)
    if (h->key[op] == key)
      return op;
  return UINT32_MAX;
}

static bool is_absent(const struct history *h, uint32_t s, uint32_t key) {
  return recorded_statement_of(h, s)->condition != NO_CONDITION &&
         h->rows->key_table[key] == recorded_statement_of(h, s)->table &&
         op_of(h, s, key) == UINT32_MAX;
}

static bool version_satisfies(const struct history *h, uint32_t s,
                              uint32_t version, uint32_t key) {
  return rows_satisfies(h, s, key, rows_version(h, version));
}

// --- Wrong at any level.

// A row that came back as it never was, or that the statement cannot find.
static bool is_extra(const struct history *h, uint32_t s, uint32_t op) {
  const uint32_t key = h->key[op];
  const uint32_t version =
      h->saw[op] == SAW_INITIAL ? h->nops + key : h->saw[op];
  if (op_of(h, s, key) != op)
    return true; // it came twice
  if (!op_reads(h->kind[op]) ||
      recorded_statement_of(h, s)->condition == NO_CONDITION ||
      version >= h->nops + h->nkeys)
    return false;
  const int64_t *is = rows_version(h, version);
  const int64_t *shown = rows_image(h->rows, h->rows->image[op]);
  const uint32_t ncolumns = h->rows->tables[h->rows->key_table[key]].ncolumns;
  return !version_satisfies(h, s, version, key) ||
         (h->kind[op] == OP_ROW && shown &&
          (!is || memcmp(is, shown, ncolumns * sizeof *is)));
}

static bool has_extra(const struct history *h, uint32_t s) {
  bool has = false;
  for (uint32_t op = recorded_statement_of(h, s)->first;
       op < recorded_statement_of(h, s)->end; op++)
    has |= is_extra(h, s, op);
  return has;
}

// Does every version of the row satisfy the condition, so that the statement
// had to return it?
static bool is_missing(const struct history *h, uint32_t s, uint32_t key) {
  bool all =
      is_absent(h, s, key) && version_satisfies(h, s, h->nops + key, key);
  for (uint32_t op = 0; all && op < h->nops; op++)
    if (h->key[op] == key && op_writes(h->kind[op]))
      all = version_satisfies(h, s, op, key);
  return all;
}

static bool has_missing(const struct history *h, uint32_t s) {
  bool has = false;
  for (uint32_t key = 0; key < h->nkeys && !has; key++)
    has = is_missing(h, s, key);
  return has;
}

// --- Fractured.

// Does the statement miss a row that the transaction left as the condition
// wants it?
static bool misses_row_of(const struct history *h, uint32_t s, uint32_t t) {
  bool misses = false;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    misses |= op_writes(h->kind[op]) && is_absent(h, s, h->key[op]) &&
              version_satisfies(h, s, op, h->key[op]);
  return misses;
}

// Does the statement miss a row of a transaction that one of these operations
// saw?
static bool misses_what_was_seen(const struct history *h, uint32_t s,
                                 uint32_t first, uint32_t end) {
  bool misses = false;
  for (uint32_t op = first; op < end; op++)
    if (op_reads(h->kind[op]) && h->saw[op] < h->nops)
      misses |= misses_row_of(h, s, history_txn(h, h->saw[op]));
  return misses;
}

static bool is_fractured(const struct history *h, uint32_t s) {
  return misses_what_was_seen(h, s, recorded_statement_of(h, s)->first,
                              recorded_statement_of(h, s)->end);
}

// Does another statement of the transaction show what this one misses?
static bool is_contradicted(const struct history *h, uint32_t s) {
  uint32_t t = 0;
  while (h->rows->txn_statement[t + 1] <= s)
    t++;
  return misses_what_was_seen(h, s, h->txn_first[t], h->txn_first[t + 1]);
}

static bool any_statement(const struct history *h,
                          bool (*is)(const struct history *, uint32_t)) {
  for (uint32_t s = 0; s < h->rows->nstatements; s++)
    if (is(h, s))
      return true;
  return false;
}

enum anomaly rows_anomaly(const struct history *h, enum isolation broken) {
  if (!level_counts_session(broken))
    return any_statement(h, has_extra)     ? ANOMALY_EXTRA_ROW
           : any_statement(h, has_missing) ? ANOMALY_MISSING_ROW
                                           : ANOMALY_PHANTOM;
  if (!level_counts_causes(broken))
    return any_statement(h, is_fractured)      ? ANOMALY_FRACTURED_STATEMENT
           : any_statement(h, is_contradicted) ? ANOMALY_PHANTOM_READ
                                               : ANOMALY_PHANTOM;
  if (level_has_prefix(broken) && !level_conflicts(broken))
    return ANOMALY_PHANTOM_LONG_FORK;
  return level_keeps_time(broken) ? ANOMALY_STALE_READ
         : level_sees_all(broken) ? ANOMALY_PHANTOM_WRITE_SKEW
                                  : ANOMALY_PHANTOM;
}

bool rows_read_anew(const struct history *h, uint32_t op) {
  uint32_t read = op;
  const uint32_t first = h->txn_first[history_txn(h, op)];
  assert(op_reads(h->kind[op]));
  while (read > first) {
    read--;
    if (h->key[read] == h->key[op] && op_reads(h->kind[read]))
      return h->saw[read] == h->saw[op];
  }
  return false;
}
