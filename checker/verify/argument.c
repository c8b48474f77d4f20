// SPDX-License-Identifier: GPL-3.0-or-later
// Checks an argument (checker/verdict/verdict.h) step by step against the
// history and the axioms (dbcop, section 2).  Shares no code with what found it
// (checker/verify/verify.h).
#include "config.h"

#include "checker/verify/argument_reading.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int argument_wrong(const struct argument_reading *r, const char *what) {
  return error_set(r->error, "the argument that was found is wrong: step %u %s",
                   r->at, what);
}

// --- What is in the history.

// The place of an append in a list; NULL if it is not there.
static const uint32_t *place_in_list(const struct argument_reading *r,
                                     uint32_t read, uint32_t append) {
  const struct listed list = listed_by(r->h, read);
  (void)patience_ends(r->patience, listed_count(list));
  return listed_find(list, append);
}

static bool is_session_step(const struct argument_reading *r,
                            const struct inference *step) {
  const uint32_t from = txn_of_event(step->from), to = txn_of_event(step->to);
  return r->options->question.session_order && from < to &&
         r->h->outcome[from] == OUTCOME_OK &&
         history_session(r->h, from) == history_session(r->h, to) &&
         step->from == commit_of(from) && step->to == snapshot_of(to);
}

// Where real time counts as session order does, before the snapshot; at SSER,
// before the commit.
static bool is_time_step(const struct argument_reading *r,
                         const struct inference *step) {
  const uint32_t from = txn_of_event(step->from), to = txn_of_event(step->to);
  const bool before_snapshot =
      r->options->question.real_time && step->to == snapshot_of(to);
  const bool before_commit =
      must_keep_real_time(binding_level(r->h, r->options, to)) &&
      step->to == commit_of(to);
  return (before_snapshot || before_commit) &&
         history_ended(r->h, from) < history_began(r->h, to) &&
         step->from == commit_of(from);
}

// Did the external read see the write or, in a list, this append among others?
static bool read_shows_write(const struct argument_reading *r, uint32_t read,
                             uint32_t write) {
  return step_reads_list(r, read) ? place_in_list(r, read, write) != NULL
                                  : r->h->saw[read] == write;
}

static bool is_read_step(const struct argument_reading *r,
                         const struct inference *step) {
  return is_write(r, step->from_op) && is_external(r, step->to_op) &&
         !read_is_open(r, step->to_op) &&
         txn_of_step(r, step->from_op) != txn_of_step(r, step->to_op) &&
         read_shows_write(r, step->to_op, step->from_op) &&
         step->from == commit_of(txn_of_step(r, step->from_op)) &&
         step->to == snapshot_of(txn_of_step(r, step->to_op));
}

static int check_history_step(const struct argument_reading *r,
                              const struct inference *step) {
  const bool right = step->kind == EDGE_SO   ? is_session_step(r, step)
                     : step->kind == EDGE_RT ? is_time_step(r, step)
                     : step->kind == EDGE_WR ? is_read_step(r, step)
                                             : false;
  return right ? 0 : argument_wrong(r, "is not in the history");
}

// Does the list show the append `one` before `other`, or without it?
static bool is_listed_first(const struct argument_reading *r, uint32_t read,
                            uint32_t one, uint32_t other) {
  const uint32_t *place = place_in_list(r, read, one);
  const uint32_t *later = place_in_list(r, read, other);
  return place && (!later || place < later);
}

static int check_list_step(const struct argument_reading *r,
                           const struct inference *step) {
  const uint32_t one = step->from_op, other = step->to_op, read = step->read;
  if (step->kind != EDGE_WW || !is_write(r, one) || !is_write(r, other) ||
      !step_reads_list(r, read) || !is_external(r, read) ||
      r->h->key[one] != r->h->key[read] ||
      r->h->key[other] != r->h->key[read] ||
      txn_of_step(r, one) == txn_of_step(r, read) ||
      txn_of_step(r, one) == txn_of_step(r, other) ||
      !is_listed_first(r, read, one, other) ||
      step->from != commit_of(txn_of_step(r, one)) ||
      step->to != commit_of(txn_of_step(r, other)))
    return argument_wrong(r, "is not the order of a list");
  return 0;
}

// --- Lemmas.

static int check_supposition(struct argument_reading *r,
                             const struct inference *step) {
  if (step->from == step->to)
    return argument_wrong(r, "supposes something about no transaction");
  if (!r->inside) {
    r->inside = true;
    r->scope = r->at;
  }
  assert(r->scope <= r->at);
  return 0;
}

static int check_contradiction(struct argument_reading *r,
                               const struct inference *step) {
  if (step->first == step->end)
    return argument_wrong(r, "is no contradiction");
  uint32_t i = step->first;
  const uint32_t s = r->argument->path[i];
  if (!argument_may_use(r, s))
    return argument_wrong(r, "rests on a step that does not hold");
  i++;
  if (argument_walk(r, step, &i, r->argument->steps[s].to,
                    r->argument->steps[s].from) ||
      i != step->end)
    return argument_wrong(r, "is no cycle");
  r->began[r->at] = r->inside ? r->scope : r->at;
  assert(r->began[r->at] <= r->at);
  r->in_lemma[r->at] = 0;
  r->inside = false;
  return 0;
}

static int check_lemma_step(const struct argument_reading *r,
                            const struct inference *step) {
  const struct inference *steps = r->argument->steps;
  if (step->lemma >= r->at || steps[step->lemma].why != REASON_CONTRADICTION)
    return argument_wrong(r, "follows from no lemma");
  uint32_t i = step->first, left = 0, k = r->began[step->lemma];
  assert(k <= step->lemma);
  if (patience_ends(r->patience, step->lemma - k))
    return -1;
  for (; k < step->lemma; k++) {
    const struct inference *supposed = &steps[k];
    if (supposed->why != REASON_SUPPOSED ||
        (supposed->from == step->to && supposed->to == step->from && !left++))
      continue;
    if (argument_walk(r, step, &i, supposed->from, supposed->to))
      return argument_wrong(
          r, "follows only if more than one supposition is left");
  }
  return i == step->end && left == 1
             ? 0
             : argument_wrong(r, "is not what is left of the suppositions");
}

// --- The whole.

static int check_step(struct argument_reading *r,
                      const struct inference *step) {
  switch ((enum reason)step->why) {
  case REASON_HISTORY:
    return check_history_step(r, step);
  case REASON_LIST:
    return check_list_step(r, step);
  case REASON_READ:
    return argument_check_read(r, step);
  case REASON_WRITERS:
    return argument_check_writers(r, step);
  case REASON_SUPPOSED:
    return check_supposition(r, step);
  case REASON_CONTRADICTION:
    return check_contradiction(r, step);
  case REASON_LEMMA:
    return check_lemma_step(r, step);
  case REASON_SEEN:
    return argument_check_seen(r, step);
  case REASON_SAW:
    return argument_check_saw(r, step);
  case REASON_UNRETURNED:
  case REASON_IN_SIGHT:
    return r->check_unreturned
               ? r->check_unreturned(r, step)
               : argument_wrong(r, "is about rows of a history without rows");
  }
  return argument_wrong(r, "is of no known kind");
}

static bool is_event(const struct argument_reading *r, uint32_t event) {
  const uint32_t t = txn_of_event(event), ntxns = r->h->ntxns;
  return t < ntxns ? r->counted[t] : t - ntxns < r->argument->nclaims;
}

// Ids that the checks above may look up.
static bool is_well_formed(const struct argument_reading *r,
                           const struct inference *step) {
  const bool event = step->why != REASON_CONTRADICTION;
  if (step->first > step->end || step->end > r->argument->npath)
    return false;
  return !event || (is_event(r, step->from) && is_event(r, step->to));
}

static int check_steps(struct argument_reading *r) {
  const struct argument *a = r->argument;
  for (r->at = 0; r->at < a->nsteps; r->at++) {
    const struct inference *step = &a->steps[r->at];
    if (!is_well_formed(r, step))
      return argument_wrong(r, "names what is not there");
    if (patience_ends(r->patience, 1 + step->end - step->first))
      return -1;
    r->in_lemma[r->at] = r->inside || step->why == REASON_SUPPOSED;
    if (check_step(r, step))
      return -1;
  }
  const bool ends = a->nsteps && !r->inside &&
                    a->steps[a->nsteps - 1].why == REASON_CONTRADICTION &&
                    r->began[a->nsteps - 1] == a->nsteps - 1;
  return ends ? 0
              : error_set(r->error, "the argument that was found is wrong: it "
                                    "does not end in a contradiction");
}

enum verified argument_check(struct argument_reading *r) {
  const uint32_t n = r->argument->nsteps;
  struct patience patience = {.stop = r->options->stop};
  r->patience = &patience;
  r->in_lemma = xcalloc(n, 1);
  r->began = xcalloc(n, sizeof *r->began);
  const int result = check_steps(r);
  FREE_EACH(r->in_lemma, r->began, r->sides);
  return verified(result, &patience);
}

// --- Public.

enum verified verify_argument(const struct history *history,
                              const uint8_t *counted,
                              const struct check_options *options,
                              const struct argument *argument,
                              struct error *error) {
  struct argument_reading r = {.h = history,
                               .counted = counted,
                               .options = options,
                               .argument = argument,
                               .error = error};
  return argument_check(&r);
}

static bool is_claim(const struct history *h,
                     const struct assumed_read *claim) {
  return claim->place < h->nops &&
         (claim->writer < h->nops || claim->writer == SAW_INITIAL ||
          claim->writer == CLAIM_TOOK_EFFECT);
}

enum verified verify_ways(const struct history *h, const uint8_t *certain,
                          const struct check_options *options,
                          const struct argument *ways, struct error *error) {
  if (h->lists || options->question.recorded ||
      !must_see_prefix(options->question.level)) {
    error_set(error, "the proof argues about reads where that is no proof");
    return VERIFY_REFUSED;
  }
  uint8_t *counted = xcalloc(h->ntxns, 1);
  struct argument_reading r = {.h = h,
                               .counted = counted,
                               .certain = certain,
                               .took = ids_none(h->ntxns),
                               .options = options,
                               .argument = ways,
                               .error = error};
  bool right = true;
  for (uint32_t t = 0; t < h->ntxns; t++)
    counted[t] = h->outcome[t] != OUTCOME_ABORTED;
  for (uint32_t c = 0; c < ways->nclaims && right; c++) {
    right = is_claim(h, &ways->claims[c]);
    if (right && ways->claims[c].writer == CLAIM_TOOK_EFFECT)
      r.took[txn_of_step(&r, ways->claims[c].place)] = c;
  }
  enum verified result = VERIFY_REFUSED;
  if (right)
    result = argument_check(&r);
  else
    error_set(error, "a claim of the proof names what is not there");
  FREE_EACH(counted, r.took);
  return result;
}
