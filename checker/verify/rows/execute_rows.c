// SPDX-License-Identifier: GPL-3.0-or-later
// Executes statements (checker/verify/rows/execute_rows.h).  All rows of a
// table that are there and between the bounds of its condition are looked at
// for each statement, unless that names the one row that came back, or a value
// that as many rows have as came back: with no idea how the order was found.
#include "config.h"

#include "checker/verify/rows/execute_rows.h"

#include "base/buckets.h"
#include "base/ids.h"
#include "base/memory.h"
#include "checker/verify/levels.h"
#include "checker/verify/rows/bounded_rows.h"
#include "checker/verify/rows/column_counts.h"
#include "checker/verify/rows/condition.h"
#include "checker/verify/rows/latest_reads.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING UINT32_MAX

struct execution_of_rows {
  const struct history *h;
  const struct verdict *verdict;
  const struct check_options *options;
  struct error *error;
  struct patience *patience;
  uint32_t *current; // per key: its version, of those that have committed
  uint32_t *own;     // per key: the last write of the transaction at hand
  uint32_t *op_on;   // per key: operation of the statement at hand
  // The keys of each table, first those of the rows that are there; and the
  // place of each key among all.
  uint32_t *table_first, *table_key, *nlive, *place;
  struct column_counts *counts; // of the rows that are there
  struct bounded_rows *bounded; // likewise
};

static int wrong_statement(const struct execution_of_rows *r,
                           uint32_t statement, uint32_t key, const char *what) {
  char name[24];
  return error_set(r->error,
                   "the order that was found is wrong: statement %u %s row %s",
                   statement, what, history_key(r->h, key, name));
}

// The row as the statement would find it.
static uint32_t version_there(const struct execution_of_rows *r, uint32_t key) {
  assert(key < r->h->nkeys);
  return r->own[key] != NOTHING ? r->own[key] : r->current[key];
}

static int check_executed_op(const struct execution_of_rows *r, uint32_t s,
                             uint32_t op) {
  const struct history *h = r->h;
  const struct recorded_statement *statement = &h->rows->statements[s];
  const uint32_t key = h->key[op], version = version_there(r, key);
  const uint32_t saw = h->saw[op] == SAW_INITIAL ? h->nops + key : h->saw[op];
  if (op_reads(h->kind[op]) && saw != version)
    return wrong_statement(r, s, key, "found another version of");
  if (!condition_met(h, statement, op, version))
    return wrong_statement(r, s, key, "could not find");
  return condition_shows(h, op, version)
             ? 0
             : wrong_statement(r, s, key, "found other columns in");
}

static int check_executed_unseen(const struct execution_of_rows *r, uint32_t s,
                                 uint32_t key) {
  const struct recorded_statement *statement = &r->h->rows->statements[s];
  return r->h->rows->key_table[key] == statement->table &&
                 r->op_on[key] == NOTHING &&
                 condition_finds(r->h, statement, key, version_there(r, key))
             ? wrong_statement(r, s, key, "would have found")
             : 0;
}

// By numbers alone, of a condition column = number: as many rows came back as
// have that number, where those that the transaction has written, which are
// looked at one by one, are left out of both.  All that came back are known to
// have it, and none came twice.
static bool as_many_came(const struct execution_of_rows *r, uint32_t t,
                         uint32_t s) {
  const struct history *h = r->h;
  const struct recorded_statement *statement = &h->rows->statements[s];
  const uint32_t table = statement->table;
  uint32_t column, came = 0;
  int64_t number;
  if (!condition_names_value(h, statement, &column, &number))
    return false;
  uint32_t left = column_counts_of(r->counts, table, column, number);
  for (uint32_t op = statement->first; op < statement->end; op++)
    came += r->own[h->key[op]] == NOTHING &&
            h->rows->key_table[h->key[op]] == table;
  for (uint32_t op = h->txn_first[t]; op < statement->first; op++) {
    const uint32_t key = h->key[op];
    if (r->own[key] != op || h->rows->key_table[key] != table)
      continue; // the last write of each row
    const int64_t *columns = condition_columns(h, r->current[key]);
    left -= columns && columns[column] == number;
  }
  return came == left;
}

// All rows of the table that the statement would find came back.  Only an
// INSERT of named keys looks for rows that are not there.
static int check_executed_table(struct execution_of_rows *r, uint32_t t,
                                uint32_t s) {
  const struct history *h = r->h;
  const struct recorded_statement *statement = &h->rows->statements[s];
  const uint32_t first = r->table_first[statement->table];
  const uint32_t *keys = r->table_key + first;
  uint32_t n = statement->sort == STATEMENT_INSERT_NEW
                   ? r->table_first[statement->table + 1] - first
                   : r->nlive[statement->table];
  const bool counted = as_many_came(r, t, s);
  if (!counted)
    bounded_rows_of(r->bounded, statement, &keys, &n);
  if (patience_ends(r->patience, counted ? 1 : n))
    return -1;
  for (uint32_t i = 0; i < n && !counted; i++)
    if (check_executed_unseen(r, s, keys[i]))
      return -1;
  for (uint32_t op = h->txn_first[t]; op < statement->first; op++)
    if (op_is_row(h->kind[op]) && check_executed_unseen(r, s, h->key[op]))
      return -1;
  return 0;
}

static int execute_statement_at(struct execution_of_rows *r, uint32_t t,
                                uint32_t s) {
  const struct history *h = r->h;
  const struct recorded_statement *statement = &h->rows->statements[s];
  const bool latest = reads_latest(r->options, statement);
  int result = 0;
  for (uint32_t op = statement->first;
       op < statement->end && !result && !latest; op++) {
    const uint32_t key = h->key[op];
    if (r->op_on[key] != NOTHING)
      result = wrong_statement(r, s, key, "found twice");
    r->op_on[key] = op;
    result = result ? result : check_executed_op(r, s, op);
  }
  const bool all_came =
      statement->first < statement->end && condition_names_row(h, statement);
  if (!result && !latest && !all_came && statement->condition != ROWS_NONE &&
      !r->options->question.by_items)
    result = check_executed_table(r, t, s);
  for (uint32_t op = statement->first; op < statement->end; op++) {
    r->op_on[h->key[op]] = NOTHING;
    if (op_writes(h->kind[op]))
      r->own[h->key[op]] = op;
  }
  return result;
}

// The statements of a transaction, from its snapshot.
static int execute_txn(struct execution_of_rows *r, uint32_t t) {
  const struct history *h = r->h;
  const struct rows *rows = h->rows;
  int result = 0;
  if (r->options->question.recorded &&
      !must_see_prefix((enum isolation)h->level[t]))
    return 0; // left to verify_weak_rows
  for (uint32_t s = rows->txn_statement[t];
       s < rows->txn_statement[t + 1] && !result; s++)
    result = execute_statement_at(r, t, s);
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    r->own[h->key[op]] = NOTHING;
  return result;
}

// Moves the key to the rows that are there, or away from them.
static void note_life(struct execution_of_rows *r, uint32_t key) {
  const uint32_t table = r->h->rows->key_table[key];
  const uint32_t end = r->table_first[table] + r->nlive[table];
  const bool was = r->place[key] < end;
  const bool is = condition_columns(r->h, r->current[key]) != NULL;
  if (was == is)
    return;
  const uint32_t to = is ? end : end - 1, from = r->place[key];
  const uint32_t other = r->table_key[to];
  assert(r->table_key[from] == key && from < r->table_first[table + 1]);
  assert(to >= r->table_first[table] && to < r->table_first[table + 1]);
  r->table_key[to] = key;
  r->table_key[from] = other;
  r->place[key] = to;
  r->place[other] = from;
  r->nlive[table] += is ? 1 : UINT32_MAX;
}

// The key's current version comes, or goes.
static void count_row(struct execution_of_rows *r, uint32_t key, int change) {
  const int64_t *columns = condition_columns(r->h, r->current[key]);
  if (!columns)
    return;
  column_counts_note(r->counts, r->h->rows->key_table[key], columns, change);
  (change > 0 ? bounded_rows_add : bounded_rows_remove)(r->bounded, key,
                                                        columns);
}

static void commit_executed(struct execution_of_rows *r, uint32_t t) {
  const struct history *h = r->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    if (op_is_row(h->kind[op]) && op_writes(h->kind[op])) {
      count_row(r, h->key[op], -1);
      r->current[h->key[op]] = op;
      count_row(r, h->key[op], 1);
      note_life(r, h->key[op]);
    }
}

// How many had committed before the transaction at a place took its snapshot.
static uint32_t start_of_snapshot(const void *execution, uint32_t i) {
  const struct execution_of_rows *r = execution;
  const struct verdict *v = r->verdict;
  const enum isolation level = (enum isolation)r->h->level[v->order[i]];
  const bool none =
      r->options->question.recorded && !may_read_before_commit(level);
  assert(!v->snapshot || v->snapshot[i] <= i); // verify_pass says so
  return v->snapshot && !none ? v->snapshot[i] : i;
}

static int execute_rows_in_order(struct execution_of_rows *r) {
  const struct verdict *v = r->verdict;
  struct buckets txns =
      buckets_make(v->norder + 1, v->norder, start_of_snapshot, r);
  int result = 0;
  for (uint32_t at = 0; at < v->norder && !result; at++) {
    for (uint32_t i = txns.first[at]; i < txns.first[at + 1] && !result; i++)
      result = execute_txn(r, v->order[txns.items[i]]);
    commit_executed(r, v->order[at]);
  }
  buckets_free(&txns);
  return result;
}

static void list_tables(struct execution_of_rows *r) {
  const struct history *h = r->h;
  const struct rows *rows = h->rows;
  r->table_first = xcalloc((size_t)rows->ntables + 1, sizeof(uint32_t));
  r->table_key = xmalloc(h->nkeys * sizeof *r->table_key);
  r->place = xmalloc(h->nkeys * sizeof *r->place);
  r->nlive = xcalloc(rows->ntables, sizeof *r->nlive);
  uint32_t n = 0;
  for (uint32_t table = 0; table < rows->ntables; table++) {
    for (uint32_t key = 0; key < h->nkeys; key++)
      if (rows->key_table[key] == table) {
        r->place[key] = n;
        r->table_key[n++] = key;
      }
    r->table_first[table + 1] = n;
  }
  r->counts = column_counts_open(h);
  r->bounded = bounded_rows_open(h);
  for (uint32_t key = 0; key < h->nkeys; key++)
    if (rows->key_table[key] != ROWS_NONE)
      count_row(r, key, 1);
  for (uint32_t i = 0; i < n; i++)
    note_life(r, r->table_key[i]);
}

enum verified verify_rows(const struct history *h,
                          const struct history *registers,
                          const uint8_t *counted,
                          const struct check_options *options,
                          const struct verdict *verdict, struct error *error) {
  const enum verified items =
      verify_pass(registers, counted, options, verdict, error);
  if (items != VERIFIED)
    return items;
  const enum verified latest = verify_latest_reads(
      h, counted, options, verdict->order, verdict->norder, error);
  if (latest != VERIFIED)
    return latest;
  struct patience patience = {.stop = options->stop};
  struct execution_of_rows r = {.h = h,
                                .verdict = verdict,
                                .options = options,
                                .error = error,
                                .patience = &patience,
                                .current = xmalloc(h->nkeys * sizeof(uint32_t)),
                                .own = ids_none(h->nkeys),
                                .op_on = ids_none(h->nkeys)};
  for (uint32_t key = 0; key < h->nkeys; key++)
    r.current[key] = h->nops + key;
  list_tables(&r);
  const int result = execute_rows_in_order(&r);
  FREE_EACH(r.current, r.own, r.op_on, r.table_first, r.table_key, r.nlive,
            r.place);
  column_counts_close(r.counts);
  bounded_rows_close(r.bounded);
  return verified(result, &patience);
}
