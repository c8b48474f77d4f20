// SPDX-License-Identifier: GPL-3.0-or-later
// One statement, executed (checker/verify/rows/executed.h).  All rows of a
// table that are there and between the bounds of its condition are looked at,
// unless that names the rows that came back, or a value that as many rows
// have as came back: with no idea how the order was found.
#include "config.h"

#include "checker/verify/rows/executed.h"

#include "checker/verify/rows/condition.h"

#include <assert.h>

#define NOTHING UINT32_MAX

static int wrong_statement(const struct execution_of_rows *r,
                           uint32_t statement, uint32_t key, const char *what) {
  char name[24];
  return error_set(r->error,
                   "the order that was found is wrong: statement %u %s row %s",
                   statement, what, history_key(r->h, key, name));
}

// The last version of the key that is visible.
static uint32_t visible_there(const struct execution_of_rows *r, uint32_t key) {
  const uint32_t sight = r->weak ? r->seen->sight[key] : NOTHING;
  assert(key < r->h->nkeys);
  return sight == NOTHING ? r->live.current[key] : sight;
}

static bool has_found(const struct execution_of_rows *r, uint32_t key,
                      uint32_t *version) {
  for (uint32_t i = r->found; i < r->found_end; i++)
    if (r->proof->found[i].key == key) {
      *version = r->proof->found[i].version;
      return true;
    }
  return false;
}

// The row as the statement would find it, if it did not come back.
static uint32_t version_there(const struct execution_of_rows *r, uint32_t key) {
  uint32_t version;
  if (r->own[key] != NOTHING)
    return r->own[key];
  return has_found(r, key, &version) ? version : visible_there(r, key);
}

// Has the row something else than what is current to be looked at?
static bool stands_apart(const struct execution_of_rows *r, uint32_t key) {
  uint32_t version;
  return r->own[key] != NOTHING ||
         (r->weak && r->seen->sight[key] != NOTHING) ||
         has_found(r, key, &version);
}

// Can the statement have read this version of a row that its transaction has
// not written?
static bool can_be_read(const struct execution_of_rows *r, uint32_t key,
                        uint32_t version) {
  const uint32_t visible = visible_there(r, key);
  if (!r->weak)
    return version == visible;
  return visible_readable(r->seen, r->at->txn, key, version) &&
         visible_rank(r->seen, version) >= visible_rank(r->seen, visible);
}

static int check_executed_op(const struct execution_of_rows *r, uint32_t s,
                             uint32_t op) {
  const struct history *h = r->h;
  const uint32_t key = h->key[op];
  const bool reads = op_reads(h->kind[op]);
  const uint32_t saw = h->saw[op] == SAW_INITIAL ? h->nops + key : h->saw[op];
  const uint32_t version = reads ? saw : version_there(r, key);
  if (reads && (r->own[key] != NOTHING ? version != r->own[key]
                                       : !can_be_read(r, key, version)))
    return wrong_statement(r, s, key, "found another version of");
  if (s == NOTHING)
    return 0;
  if (!condition_met(h, &h->rows->statements[s], op, version))
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

// 1 if the current version of the key is of the table and has the number.
static uint32_t count_current(const struct execution_of_rows *r, uint32_t key,
                              uint32_t table, uint32_t column, int64_t number) {
  const int64_t *columns = condition_columns(r->h, r->live.current[key]);
  return r->h->rows->key_table[key] == table && columns &&
         columns[column] == number;
}

// By numbers alone, of a condition column = number: as many rows came back as
// have that number, where those that stand apart, which are looked at one by
// one, are left out of both.  None came twice.
static bool as_many_came(const struct execution_of_rows *r, uint32_t t,
                         uint32_t s) {
  const struct history *h = r->h;
  const struct recorded_statement *statement = &h->rows->statements[s];
  const uint32_t table = statement->table;
  uint32_t column, came = 0;
  int64_t number;
  if (!condition_names_value(h, statement, &column, &number))
    return false;
  uint32_t left = column_counts_of(r->live.counts, table, column, number);
  for (uint32_t op = statement->first; op < statement->end; op++)
    if (!stands_apart(r, h->key[op]))
      came += count_current(r, h->key[op], table, column, number);
  for (uint32_t op = h->txn_first[t]; op < statement->first; op++)
    if (r->own[h->key[op]] == op) // the last write of each row
      left -= count_current(r, h->key[op], table, column, number);
  for (uint32_t i = 0; r->weak && i < r->seen->touched.count; i++)
    if (r->own[r->seen->touched.items[i]] == NOTHING)
      left -=
          count_current(r, r->seen->touched.items[i], table, column, number);
  for (uint32_t i = r->found; i < r->found_end; i++) {
    const uint32_t key = r->proof->found[i].key;
    if (r->own[key] == NOTHING && r->seen->sight[key] == NOTHING)
      left -= count_current(r, key, table, column, number);
  }
  return came == left;
}

// The rows that stand apart.
static int check_those_apart(const struct execution_of_rows *r, uint32_t t,
                             uint32_t s) {
  const struct history *h = r->h;
  int result = 0;
  for (uint32_t op = h->txn_first[t];
       op < h->rows->statements[s].first && !result; op++)
    if (op_is_row(h->kind[op]))
      result = check_executed_unseen(r, s, h->key[op]);
  for (uint32_t i = 0; r->weak && i < r->seen->touched.count && !result; i++)
    result = check_executed_unseen(r, s, r->seen->touched.items[i]);
  for (uint32_t i = r->found; i < r->found_end && !result; i++)
    result = check_executed_unseen(r, s, r->proof->found[i].key);
  return result;
}

// All rows of the table that the statement would find came back.  Only an
// INSERT of named keys looks for rows that are not there.
static int check_executed_table(struct execution_of_rows *r, uint32_t t,
                                uint32_t s) {
  const uint32_t *keys;
  uint32_t n;
  const bool counted = as_many_came(r, t, s);
  live_rows_of(&r->live, &r->h->rows->statements[s], &keys, &n);
  if (patience_ends(r->patience, counted ? 1 : n))
    return -1;
  for (uint32_t i = 0; i < n && !counted; i++)
    if (!stands_apart(r, keys[i]) && check_executed_unseen(r, s, keys[i]))
      return -1;
  return check_those_apart(r, t, s);
}

// Can the statement have found what it is taken to have?
static int open_found(struct execution_of_rows *r, uint32_t s) {
  r->found = r->found_end = 0;
  if (!r->weak || s == NOTHING || !r->proof->nfound)
    return 0;
  const uint32_t first = visible_found(r->proof, s);
  uint32_t end = first;
  for (; end < r->proof->nfound && r->proof->found[end].statement == s; end++) {
    const struct found_unseen *found = &r->proof->found[end];
    if (r->own[found->key] == NOTHING &&
        !can_be_read(r, found->key, found->version))
      return wrong_statement(r, s, found->key, "cannot have found");
  }
  r->found = first;
  r->found_end = end;
  return 0;
}

int execute_event(struct execution_of_rows *r, uint32_t s, uint32_t first,
                  uint32_t end) {
  const struct history *h = r->h;
  int result = open_found(r, s);
  for (uint32_t op = first; op < end && !result; op++) {
    const uint32_t key = h->key[op];
    if (r->op_on[key] != NOTHING)
      result = wrong_statement(r, s, key, "found twice");
    r->op_on[key] = op;
    result = result ? result : check_executed_op(r, s, op);
  }
  const bool looks = s != NOTHING && !r->options->question.by_items &&
                     h->rows->statements[s].condition != NO_CONDITION;
  if (!result && looks && !condition_rows_came(h, &h->rows->statements[s]))
    result = check_executed_table(r, r->at->txn, s);
  for (uint32_t op = first; op < end; op++)
    r->op_on[h->key[op]] = NOTHING;
  return result;
}
