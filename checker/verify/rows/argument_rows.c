// SPDX-License-Identifier: GPL-3.0-or-later
// Checks the steps of an argument that are about rows which statements did not
// return (checker/verify/rows/argument_rows.h), from the conditions and from
// what each write replaced.  Shares no code with what found the argument.
#include "config.h"

#include "checker/verify/rows/argument_rows.h"

#include "checker/verify/argument_reading.h"
#include "checker/verify/rows/condition.h"

#include <assert.h>
#include <stdlib.h>

#define NOWHERE UINT32_MAX

// The row that was not returned, and by whom.
struct unreturned_row {
  const struct argument_reading *r;
  const struct inference *step;
  const struct recorded_statement *statement;
  uint32_t txn, key;
  bool inserted;    // found absent, by an INSERT
  uint32_t version; // V
  uint32_t place;   // event
};

static bool is_first(const struct unreturned_row *u, uint32_t version) {
  return version >= u->r->rows->nops;
}

// Might the statement have found this version?
static bool explains(const struct unreturned_row *u, uint32_t version) {
  return condition_finds(u->r->rows, u->statement, u->key, version) ==
         u->inserted;
}

// --- What the step names.

static bool wrote_before_statement(const struct unreturned_row *u) {
  const struct history *h = u->r->rows;
  const uint32_t first = h->txn_first[u->txn];
  return last_write(h, first, u->statement->first, u->key) !=
         u->statement->first;
}

// Did the statement leave the row out, or insert it?
static bool is_missed_row(struct unreturned_row *u) {
  const struct history *h = u->r->rows;
  uint32_t n = 0;
  u->inserted = true;
  for (uint32_t op = u->statement->first; op < u->statement->end; op++) {
    if (h->key[op] != u->key)
      continue;
    n++;
    u->inserted &= h->kind[op] == OP_ROW_INSERT;
  }
  if (n)
    return n == 1 && u->inserted;
  u->inserted = false;
  return u->statement->condition != NO_CONDITION &&
         h->rows->key_table[u->key] == u->statement->table;
}

// Is it known of all that may have written the row that they did?
static bool is_known_who_wrote(const struct unreturned_row *u) {
  const struct history *h = u->r->rows;
  for (uint32_t t = 0; t < h->ntxns; t++) {
    const uint32_t end = h->txn_first[t + 1];
    if (h->outcome[t] != OUTCOME_ABORTED && !u->r->counted[t] &&
        last_write(h, h->txn_first[t], end, u->key) != end)
      return false;
  }
  return true;
}

// A version of the row that another transaction left.
static bool is_version_of_others(const struct unreturned_row *u,
                                 uint32_t write) {
  const struct history *h = u->r->rows;
  if (write >= h->nops || !writes_key(h, write, u->key))
    return false;
  const uint32_t t = history_txn(h, write);
  return u->r->counted[t] && t != u->txn &&
         last_write(h, h->txn_first[t], h->txn_first[t + 1], u->key) == write;
}

static bool find_unreturned(struct unreturned_row *u) {
  const struct history *h = u->r->rows;
  const struct rows *rows = h->rows;
  const uint32_t s = u->step->read;
  if (s >= rows->nstatements || u->step->lemma >= h->nkeys)
    return false;
  while (rows->txn_statement[u->txn + 1] <= s)
    u->txn++;
  assert(u->txn < h->ntxns);
  u->statement = &rows->statements[s];
  u->key = u->step->lemma;
  const uint32_t v = u->step->from_op;
  u->version = v == NOWHERE ? h->nops + u->key : v;
  return u->r->counted[u->txn] &&
         (v == NOWHERE || is_version_of_others(u, v)) && is_missed_row(u) &&
         !wrote_before_statement(u) && !explains(u, u->version) &&
         is_known_who_wrote(u);
}

// --- The order of versions, as each replaced the one before it.

// The version that the writer of this one had read last before it wrote the
// row, at any level that binds it to that: the reader comes after the writer.
// NOWHERE: none is known.
static uint32_t replaced_version(const struct unreturned_row *u,
                                 uint32_t version) {
  const struct history *h = u->r->h;
  if (is_first(u, version))
    return NOWHERE;
  const uint32_t t = history_txn(h, version);
  uint32_t read = NOWHERE, op = h->txn_first[t];
  for (; !writes_key(h, op, u->key); op++)
    if (h->key[op] == u->key && op_reads(h->kind[op]))
      read = op;
  read = op_reads(h->kind[op]) ? op : read;
  if (read == NOWHERE || proves_nothing(binding_level(h, u->r->options, t)))
    return NOWHERE;
  const uint32_t saw = h->saw[read];
  if (saw == SAW_INITIAL)
    return h->nops + u->key;
  if (saw >= h->nops || !writes_key(h, saw, u->key))
    return NOWHERE;
  const uint32_t w = history_txn(h, saw);
  return u->r->counted[w] && w != t &&
                 last_write(h, h->txn_first[w], h->txn_first[w + 1], u->key) ==
                     saw
             ? saw
             : NOWHERE;
}

// Did V replace the version, over any number of others?
static bool is_before_returned(const struct unreturned_row *u,
                               uint32_t version) {
  uint32_t at = u->version, steps = u->r->h->nops;
  while (at != NOWHERE && at != version && steps-- > 0 &&
         !patience_ends(u->r->patience, 1))
    at = replaced_version(u, at);
  return at == version;
}

// Did it replace, over any number of others, one that would come between as
// well?  That one is after V if V is among those before it, or the first of
// all.
static bool is_after_another(const struct unreturned_row *u, uint32_t version) {
  uint32_t at = replaced_version(u, version), steps = u->r->h->nops;
  bool another = false;
  while (at != NOWHERE && at != u->version && steps-- > 0 &&
         !patience_ends(u->r->patience, 1)) {
    another |= is_version_of_others(u, at) && explains(u, at);
    at = replaced_version(u, at);
  }
  return another && (at == u->version || is_first(u, u->version));
}

static bool may_come_between(const struct unreturned_row *u, uint32_t version) {
  return is_version_of_others(u, version) && explains(u, version) &&
         !is_before_returned(u, version) && !is_after_another(u, version);
}

// --- What the path shows.

static uint32_t commit_of_writer(const struct unreturned_row *u,
                                 uint32_t version) {
  return commit_of(history_txn(u->r->h, version));
}

// That the transaction had V in sight: at RC an earlier statement had read from
// the writer of V, at RA any had, or the writer is earlier in the session, and
// at CC that goes over others.
static bool shows_sight(const struct unreturned_row *u, uint32_t *i) {
  const struct argument_reading *r = u->r;
  const enum isolation level = binding_level(r->h, r->options, u->txn);
  const uint32_t first = *i;
  if (argument_walk(r, u->step, i, commit_of_writer(u, u->version), u->place))
    return false;
  bool shown = must_see_causes(level) || *i - first == 1;
  for (uint32_t k = first; k < *i; k++) {
    const struct inference *seen = &r->argument->steps[r->argument->path[k]];
    shown &= seen->why == REASON_HISTORY && seen->to % 2 == 0;
    if (must_see_earlier_reads(level))
      shown &= seen->kind == EDGE_WR && seen->to_op < u->statement->first;
  }
  return shown;
}

// That the version F is not between V and the place.
static bool shows_not_between(const struct unreturned_row *u, uint32_t f,
                              uint32_t *i) {
  const uint32_t start = *i;
  if (!argument_walk(u->r, u->step, i, u->place, commit_of_writer(u, f)))
    return true;
  *i = start;
  return !is_first(u, u->version) &&
         !argument_walk(u->r, u->step, i, commit_of_writer(u, f),
                        commit_of_writer(u, u->version));
}

// --- What the step says.

static bool says_place_first(const struct unreturned_row *u) {
  const struct inference *step = u->step;
  return !is_first(u, u->version) && step->kind == EDGE_RW &&
         step->from == u->place &&
         step->to == commit_of_writer(u, u->version) && step->to_op == NOWHERE;
}

static bool says_between(const struct unreturned_row *u, uint32_t f) {
  const struct inference *step = u->step;
  const uint32_t commit = commit_of_writer(u, f);
  const bool seen =
      step->kind == EDGE_WR && step->from == commit && step->to == u->place;
  const bool later = !is_first(u, u->version) && step->kind == EDGE_WW &&
                     step->from == commit_of_writer(u, u->version) &&
                     step->to == commit;
  return step->to_op == f && (seen || later);
}

// One side is left, which the step says.
static bool is_side_left(const struct unreturned_row *u) {
  const struct history *h = u->r->rows;
  const bool by_sight = u->step->why == REASON_IN_SIGHT;
  uint32_t i = u->step->first, left = 0;
  if (!by_sight && !is_first(u, u->version)) {
    left = says_place_first(u);
    if (!left && argument_walk(u->r, u->step, &i,
                               commit_of_writer(u, u->version), u->place))
      return false;
  }
  if (by_sight && !is_first(u, u->version) && !shows_sight(u, &i))
    return false;
  for (uint32_t op = 0; op < h->nops; op++) {
    if (patience_ends(u->r->patience, 1) || h->key[op] != u->key ||
        !may_come_between(u, op))
      continue;
    if (says_between(u, op))
      left++;
    else if (!shows_not_between(u, op, &i))
      return false;
  }
  left += by_sight && !left && says_place_first(u);
  return left == 1 && i == u->step->end;
}

static int check_unreturned(const struct argument_reading *r,
                            const struct inference *step) {
  struct unreturned_row u = {.r = r, .step = step};
  if (r->options->question.by_items || !find_unreturned(&u) ||
      (r->options->question.plain_reads &&
       statement_may_read_latest((enum statement_sort)u.statement->sort)))
    return argument_wrong(r, "is about no row that a statement left out");
  const enum isolation level = binding_level(r->h, r->options, u.txn);
  u.place = must_read_at_commit(level) ? commit_of(u.txn) : snapshot_of(u.txn);
  const enum reason why =
      must_see_prefix(level) ? REASON_UNRETURNED : REASON_IN_SIGHT;
  if (proves_nothing(level) || step->why != why || !is_side_left(&u))
    return argument_wrong(r, "does not follow from a row that was left out");
  return 0;
}

// Is each transaction that counts bound to come after the writers of what it
// read?  One at level none is not, and its INSERT may come behind the deletion
// of the row that it made, which registers do not say.
static bool binds_all(const struct history *h, const uint8_t *counted,
                      const struct check_options *options) {
  bool bound = true;
  for (uint32_t t = 0; t < h->ntxns; t++)
    bound &= !counted[t] || !proves_nothing(binding_level(h, options, t));
  return bound;
}

enum verified verify_rows_argument(const struct history *history,
                                   const struct history *registers,
                                   const struct check_options *options,
                                   const struct argument *argument,
                                   struct error *error) {
  uint32_t nlost;
  uint8_t *counted = history_counted(registers, &nlost);
  struct argument_reading r = {.h = registers,
                               .counted = counted,
                               .options = options,
                               .argument = argument,
                               .error = error,
                               .rows = history,
                               .check_unreturned = check_unreturned};
  enum verified result = VERIFY_REFUSED;
  if (!history->complete || !binds_all(registers, counted, options) ||
      argument->nclaims)
    error_set(error, "an argument about rows does not answer this question");
  else
    result = argument_check(&r);
  free(counted);
  return result;
}
