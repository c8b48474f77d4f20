// SPDX-License-Identifier: GPL-3.0-or-later
// Derives the evidence of a violation again from the part of the history, taken
// as a history of its own: that each edge of a cycle, or the wrong read, is in
// it, and that the level forbids it (checker/verify/verify.h).
#include "config.h"

#include "checker/verify/levels.h"
#include "checker/verify/look_up.h"
#include "checker/verify/verify.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct violation_evidence {
  const struct history *h;
  const uint8_t *counted;
  const struct check_options *options;
  const struct verdict *verdict;
  struct patience *patience;
};

// --- Looking things up.

static bool is_op_of_history(const struct violation_evidence *e, uint32_t op) {
  return op < e->h->nops;
}

static uint32_t txn_of_evidence(const struct violation_evidence *e,
                                uint32_t op) {
  return history_txn(e->h, op);
}

static bool counts(const struct violation_evidence *e, uint32_t op) {
  return e->counted[txn_of_evidence(e, op)];
}

static bool is_read_of_list(const struct violation_evidence *e, uint32_t op) {
  return e->h->kind[op] == OP_READ_LIST;
}

static bool saw(const struct violation_evidence *e, uint32_t read,
                uint32_t what) {
  return is_read_of_list(e, read)
             ? listed_find(listed_by(e->h, read), what) != NULL
             : e->h->saw[read] == what;
}

// The transaction's last write to the key before `op`; `op` if there is none.
static uint32_t own_write_before(const struct violation_evidence *e,
                                 uint32_t op) {
  return last_write(e->h, e->h->txn_first[txn_of_evidence(e, op)], op,
                    e->h->key[op]);
}

// The transaction's last write to the key of one of its writes.
static uint32_t last_write_with(const struct violation_evidence *e,
                                uint32_t op) {
  assert(op_writes(e->h->kind[op]));
  const uint32_t end = e->h->txn_first[txn_of_evidence(e, op) + 1];
  return last_write(e->h, op, end, e->h->key[op]);
}

// --- The order of versions.

// Sets the version that the transaction of a write had read of the key before
// it first wrote the key: from SI up that is the version directly before its
// own.  False: it had not read the key.
static bool version_before(const struct violation_evidence *e, uint32_t write,
                           uint32_t *version) {
  const struct history *h = e->h;
  uint32_t op = h->txn_first[txn_of_evidence(e, write)];
  assert(is_op_of_history(e, write));
  while (h->key[op] != h->key[write])
    op++;
  *version = h->saw[op];
  return op_reads(h->kind[op]);
}

// Walks from a version back over read-modify-writes; true if that leads to the
// version `to`, else `*start` is the blind write, or SAW_INITIAL, it leads to.
static bool leads_back_to(const struct violation_evidence *e, uint32_t version,
                          uint32_t to, uint32_t *start) {
  uint32_t before;
  for (uint32_t i = 0; i < e->h->nops && !patience_ends(e->patience, 1) &&
                       version_before(e, version, &before);
       i++) {
    version = before;
    if (version == to)
      return true;
    if (!is_op_of_history(e, version))
      break;
  }
  *start = version;
  return false;
}

// Does the register version of `write` come later than `version`?  It does if
// it was made from it, and a blind write comes later than all that was made
// from the initial value.
static bool is_later_version(const struct violation_evidence *e,
                             uint32_t version, uint32_t write) {
  uint32_t start, other_start;
  if (!is_op_of_history(e, version) && version != SAW_INITIAL)
    return false; // nobody wrote what was read
  write = last_write_with(e, write);
  if (is_op_of_history(e, version))
    version = last_write_with(e, version);
  if (write == version)
    return false;
  if (leads_back_to(e, write, version, &start))
    return true;
  return is_op_of_history(e, start) &&
         (version == SAW_INITIAL ||
          leads_back_to(e, version, SAW_INITIAL, &other_start));
}

// Marks what session order and what was read lead from, back from `to`, until
// it meets `from`.  A part may be large: so this is no recursion.
static bool edge_leads_to(const struct violation_evidence *e, uint32_t from,
                          uint32_t to, const uint32_t *leader, uint8_t *met,
                          uint32_t *stack) {
  const struct history *h = e->h;
  uint32_t n = 0;
  met[to] = 1;
  stack[n++] = to;
  while (n > 0 && !met[from]) {
    assert(n <= h->ntxns); // each transaction is met once
    const uint32_t t = stack[--n];
    if (patience_ends(e->patience, 1 + h->txn_first[t + 1] - h->txn_first[t]))
      return false;
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
      const bool reads = h->kind[op] != OP_READ_LIST && op_reads(h->kind[op]);
      if (reads && is_op_of_history(e, h->saw[op]) &&
          !met[txn_of_evidence(e, h->saw[op])]) {
        met[txn_of_evidence(e, h->saw[op])] = 1;
        stack[n++] = txn_of_evidence(e, h->saw[op]);
      }
    }
    const uint32_t before = leader[t];
    if (before != UINT32_MAX && !met[before]) {
      met[before] = 1;
      stack[n++] = before;
    }
  }
  return met[from];
}

// Whatever leads from the writer of a version to another writer puts that one's
// version later.
static bool is_caused(const struct violation_evidence *e, uint32_t version,
                      uint32_t write) {
  if (!is_op_of_history(e, version) ||
      txn_of_evidence(e, version) == txn_of_evidence(e, write))
    return false;
  uint8_t *met = xcalloc(e->h->ntxns, 1);
  uint32_t *stack = xmalloc(e->h->ntxns * sizeof *stack);
  uint32_t *leader = session_leaders(e->h, e->counted, e->options);
  const bool leads =
      edge_leads_to(e, txn_of_evidence(e, version), txn_of_evidence(e, write),
                    leader, met, stack);
  FREE_EACH(leader, met, stack);
  return leads;
}

// Was append `one` there when `other` was not?  Lists only grow.
static bool is_appended_before(const struct violation_evidence *e, uint32_t one,
                               uint32_t other) {
  const struct history *h = e->h;
  for (uint32_t op = 0; op < h->nops; op++) {
    if (patience_ends(e->patience, 1))
      return false;
    if (!is_read_of_list(e, op) || h->key[op] != h->key[one] || !counts(e, op))
      continue;
    const struct listed list = listed_by(e->h, op);
    if (patience_ends(e->patience, listed_count(list)))
      return false;
    const uint32_t *place = listed_find(list, one),
                   *later = listed_find(list, other);
    // A transaction that did not see `other` and appends comes before it.
    const bool is_reader = txn_of_evidence(e, op) == txn_of_evidence(e, one);
    if (place ? !later || place < later : is_reader && !later)
      return true;
  }
  return false;
}

// --- Edges.

static bool is_session_edge(const struct violation_evidence *e,
                            const struct edge *edge) {
  return e->options->question.session_order && edge->from < edge->to &&
         e->h->outcome[edge->from] == OUTCOME_OK &&
         history_session(e->h, edge->from) == history_session(e->h, edge->to);
}

static bool is_time_edge(const struct violation_evidence *e,
                         const struct edge *edge) {
  return (e->options->question.real_time ||
          must_keep_real_time(e->options->question.level)) &&
         history_ended(e->h, edge->from) < history_began(e->h, edge->to);
}

static bool is_data_edge(const struct violation_evidence *e,
                         const struct edge *edge) {
  const struct history *h = e->h;
  const uint32_t from = edge->from_op, to = edge->to_op;
  if (!is_op_of_history(e, from) || !is_op_of_history(e, to) ||
      txn_of_evidence(e, from) != edge->from ||
      txn_of_evidence(e, to) != edge->to || h->key[from] != h->key[to])
    return false;
  const bool list = op_is_list(h->kind[to]);
  switch (edge->kind) {
  case EDGE_WR:
    return op_writes(h->kind[from]) && op_reads(h->kind[to]) &&
           saw(e, to, from);
  case EDGE_WW:
    return op_writes(h->kind[from]) && op_writes(h->kind[to]) &&
           (list ? is_appended_before(e, from, to)
                 : is_later_version(e, from, to) || is_caused(e, from, to));
  case EDGE_RW:
    return op_reads(h->kind[from]) && op_writes(h->kind[to]) &&
           (list ? !saw(e, from, to)
                 : is_later_version(e, h->saw[from], to) ||
                       is_caused(e, h->saw[from], to));
  default:
    return false;
  }
}

static bool is_edge(const struct violation_evidence *e,
                    const struct edge *edge) {
  if (edge->from >= e->h->ntxns || edge->to >= e->h->ntxns ||
      edge->from == edge->to || !e->counted[edge->from] ||
      !e->counted[edge->to])
    return false;
  if (edge->kind == EDGE_SO)
    return is_session_edge(e, edge);
  if (edge->kind == EDGE_RT)
    return is_time_edge(e, edge);
  return is_data_edge(e, edge);
}

// Two that read a version and each wrote over it (MTC, lemma 1).
static bool is_divergence(const struct violation_evidence *e) {
  const struct edge *edge = e->verdict->edges;
  return e->verdict->nedges == 2 && edge[0].kind == EDGE_RW &&
         edge[1].kind == EDGE_RW &&
         e->h->key[edge[0].to_op] == e->h->key[edge[1].to_op];
}

// Cycles that SI permits have two RW edges in a row (MTC, definition 6).
static bool has_adjacent_rw(const struct verdict *v) {
  for (uint32_t i = 0; i < v->nedges; i++)
    if (v->edges[i].kind == EDGE_RW &&
        v->edges[(i + 1) % v->nedges].kind == EDGE_RW)
      return true;
  return false;
}

static int check_cycle(const struct violation_evidence *e,
                       struct error *error) {
  const struct verdict *v = e->verdict;
  for (uint32_t i = 0; i < v->nedges; i++) {
    const struct edge *edge = &v->edges[i];
    if (patience_ends(e->patience, 1))
      return -1;
    if (!is_edge(e, edge))
      return error_set(error,
                       "the cycle that was found is wrong: edge %u, from "
                       "transaction %u to %u, is not in the history",
                       i, edge->from, edge->to);
    if (edge->to != v->edges[(i + 1) % v->nedges].from)
      return error_set(error,
                       "the cycle that was found is wrong: edge %u does not "
                       "lead to the next one",
                       i);
  }
  if (!must_read_at_commit(e->options->question.level) && has_adjacent_rw(v) &&
      !is_divergence(e))
    return error_set(error, "the cycle that was found is permitted at level %s",
                     isolation_name(e->options->question.level));
  return 0;
}

// --- Reads that are wrong in themselves.

static bool other_is_own(const struct violation_evidence *e) {
  const struct verdict *v = e->verdict;
  return is_op_of_history(e, v->other_op) &&
         txn_of_evidence(e, v->other_op) == txn_of_evidence(e, v->op) &&
         e->h->key[v->other_op] == e->h->key[v->op];
}

static bool is_thin_air(const struct violation_evidence *e) {
  return saw(e, e->verdict->op, SAW_THIN_AIR);
}

static bool is_aborted_read(const struct violation_evidence *e) {
  const struct verdict *v = e->verdict;
  return is_op_of_history(e, v->other_op) && saw(e, v->op, v->other_op) &&
         e->h->outcome[txn_of_evidence(e, v->other_op)] == OUTCOME_ABORTED;
}

static bool is_future_read(const struct violation_evidence *e) {
  const struct verdict *v = e->verdict;
  return other_is_own(e) && v->other_op >= v->op && saw(e, v->op, v->other_op);
}

// Does the read miss the transaction's own last write, or have it elsewhere
// than at the end of the list?
static bool misses_own_write(const struct violation_evidence *e) {
  const struct verdict *v = e->verdict;
  uint32_t own = own_write_before(e, v->op);
  if (own == v->op || own != v->other_op)
    return false;
  if (!is_read_of_list(e, v->op))
    return e->h->saw[v->op] != own;
  struct listed list = listed_by(e->h, v->op);
  for (uint32_t before; list.first < list.end; own = before) {
    if (*--list.end != own)
      return true;
    before = own_write_before(e, own);
    if (before == own)
      return false;
  }
  return true;
}

static bool is_intermediate_list(const struct violation_evidence *e) {
  const struct verdict *v = e->verdict;
  const struct listed list = listed_by(e->h, v->op);
  const uint32_t t = txn_of_evidence(e, v->other_op), key = e->h->key[v->op];
  const uint32_t *at = NULL;
  for (uint32_t o = e->h->txn_first[t]; o < e->h->txn_first[t + 1]; o++) {
    if (!writes_key(e->h, o, key))
      continue;
    const uint32_t *place = listed_find(list, o);
    if (patience_ends(e->patience, listed_count(list)))
      return false;
    if (!place || (at && place != at + 1))
      return true;
    at = place;
  }
  return false;
}

static bool is_intermediate_read(const struct violation_evidence *e) {
  const struct verdict *v = e->verdict;
  if (!is_op_of_history(e, v->other_op) || !saw(e, v->op, v->other_op))
    return false;
  return is_read_of_list(e, v->op)
             ? is_intermediate_list(e)
             : last_write_with(e, v->other_op) != v->other_op;
}

static struct listed others_part(const struct violation_evidence *e,
                                 uint32_t op) {
  return listed_of_others(e->h, txn_of_evidence(e, op), op);
}

static bool is_non_repeatable(const struct violation_evidence *e) {
  const struct verdict *v = e->verdict;
  if (!other_is_own(e) || !op_reads(e->h->kind[v->other_op]))
    return false;
  if (!is_read_of_list(e, v->op))
    return own_write_before(e, v->op) == v->op &&
           e->h->saw[v->op] != e->h->saw[v->other_op];
  const struct listed one = others_part(e, v->op);
  const struct listed other = others_part(e, v->other_op);
  return listed_count(one) != listed_count(other);
}

// Was what it read replaced before it changed it?
static bool is_read_overtaken(const struct violation_evidence *e) {
  return op_writes(e->h->kind[e->verdict->op]) && is_non_repeatable(e);
}

static bool reads_of_one_list(const struct violation_evidence *e) {
  const struct verdict *v = e->verdict;
  return is_op_of_history(e, v->other_op) && is_read_of_list(e, v->op) &&
         is_read_of_list(e, v->other_op) && counts(e, v->other_op) &&
         e->h->key[v->op] == e->h->key[v->other_op];
}

static bool is_incompatible(const struct violation_evidence *e) {
  const struct verdict *v = e->verdict;
  if (!reads_of_one_list(e))
    return false;
  struct listed one = others_part(e, v->op);
  struct listed other = others_part(e, v->other_op);
  while (one.first < one.end && other.first < other.end)
    if (*one.first++ != *other.first++)
      return true;
  return false;
}

// Some element of the other list is not in this one, but a later one is.
static bool is_lost_element(const struct violation_evidence *e) {
  const struct verdict *v = e->verdict;
  if (!reads_of_one_list(e))
    return false;
  const struct listed list = others_part(e, v->op);
  const struct listed other = others_part(e, v->other_op);
  bool missing = false;
  for (const uint32_t *at = other.first; at < other.end; at++) {
    const bool here = listed_find(list, *at) != NULL;
    if (patience_ends(e->patience, listed_count(list)))
      return false;
    if (here && missing)
      return true;
    missing |= !here && is_op_of_history(e, *at) && counts(e, *at);
  }
  return false;
}

static bool is_duplicate(const struct violation_evidence *e) {
  const struct verdict *v = e->verdict;
  if (!is_read_of_list(e, v->op))
    return false;
  struct listed list = listed_by(e->h, v->op);
  while (list.first < list.end) {
    const uint32_t element = *list.first++;
    if (patience_ends(e->patience, listed_count(list)))
      return false;
    if (listed_find(list, element))
      return true;
  }
  return false;
}

static bool (*const read_is_wrong[ANOMALY_COUNT])(
    const struct violation_evidence *) = {
    [ANOMALY_THIN_AIR_READ] = is_thin_air,
    [ANOMALY_ABORTED_READ] = is_aborted_read,
    [ANOMALY_FUTURE_READ] = is_future_read,
    [ANOMALY_NOT_MY_LAST_WRITE] = misses_own_write,
    [ANOMALY_NOT_MY_OWN_WRITE] = misses_own_write,
    [ANOMALY_INTERMEDIATE_READ] = is_intermediate_read,
    [ANOMALY_NON_REPEATABLE_READS] = is_non_repeatable,
    [ANOMALY_LOST_UPDATE] = is_read_overtaken,
    [ANOMALY_INCOMPATIBLE_ORDER] = is_incompatible,
    [ANOMALY_DUPLICATE_ELEMENT] = is_duplicate,
    [ANOMALY_LOST_ELEMENT] = is_lost_element,
};

// The weakest level at which the anomaly is one.  A cycle with real time in it
// is one from SI up where real time counts, what has no cycle from RC up.
static enum isolation weakest_level(const struct violation_evidence *e) {
  const enum anomaly anomaly = e->verdict->anomaly;
  if (anomaly == ANOMALY_STALE_READ && e->options->question.real_time)
    return e->verdict->nedges ? ISOLATION_SI : ISOLATION_RC;
  if (anomaly == ANOMALY_LOST_UPDATE && e->verdict->op != UINT32_MAX)
    return weakest_forbidding_overtaking();
  return weakest_forbidding(anomaly);
}

static int check_wrong_read(const struct violation_evidence *e,
                            struct error *error) {
  const struct verdict *v = e->verdict;
  const enum anomaly anomaly = v->anomaly;
  if (!is_op_of_history(e, v->op) || !op_reads(e->h->kind[v->op]) ||
      !counts(e, v->op) || !read_is_wrong[anomaly] ||
      !read_is_wrong[anomaly](e) ||
      binding_level(e->h, e->options, txn_of_evidence(e, v->op)) <
          weakest_level(e))
    return error_set(error,
                     "the read that was found wrong is right: operation %u, %s",
                     v->op, anomaly_info(anomaly)->name);
  return 0;
}

static int check_evidence(const struct violation_evidence *e,
                          struct error *error) {
  const struct verdict *v = e->verdict;
  if (v->anomaly <= ANOMALY_NONE || v->anomaly >= ANOMALY_COUNT ||
      weakest_level(e) > e->options->question.level)
    return error_set(error,
                     "the violation that was found does not break level %s",
                     isolation_name(e->options->question.level));
  if (v->op != UINT32_MAX && check_wrong_read(e, error))
    return -1;
  if (e->options->question.recorded && v->nedges)
    return error_set(error, "a cycle does not tell which of its transactions' "
                            "levels it breaks");
  return v->nedges ? check_cycle(e, error) : 0;
}

enum verified verify_evidence(const struct history *history,
                              const uint8_t *counted,
                              const struct check_options *options,
                              const struct verdict *verdict,
                              struct error *error) {
  struct patience patience = {.stop = options->stop};
  const struct violation_evidence e = {history, counted, options, verdict,
                                       &patience};
  return verified(check_evidence(&e, error), &patience);
}
