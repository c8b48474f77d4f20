// SPDX-License-Identifier: GPL-3.0-or-later
// Checks an argument (checker/verdict/verdict.h) step by step against the
// history and the axioms (dbcop, section 2).  Shares no code with what found it
// (checker/verify/verify.h).
#include "config.h"

#include "checker/verify/facts.h"
#include "checker/verify/levels.h"
#include "checker/verify/look_up.h"
#include "checker/verify/verify.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct side {
  uint32_t from, to;
  uint8_t kind;
  uint32_t from_op, to_op;
};

struct argument_reading {
  const struct history *h;
  const uint8_t *counted; // those that took effect, or may have
  const uint8_t *certain; // these did; NULL: all, and no read is open
  uint32_t *took;         // per transaction: the claim that it took effect
  struct side *sides;     // of the choice at hand
  uint32_t nsides, sides_room;
  const struct check_options *options;
  const struct argument *argument;
  struct error *error;
  struct patience *patience;
  uint32_t at;       // the step at hand
  uint32_t scope;    // first step of the lemma at hand, or `at` outside one
  uint8_t *in_lemma; // per step so far: it holds only inside a lemma
  uint32_t *began;   // per contradiction: the first step of its lemma, or
                     // itself if it is in none
  bool inside;       // a lemma
};

static int wrong(const struct argument_reading *r, const char *what) {
  return error_set(r->error, "the argument that was found is wrong: step %u %s",
                   r->at, what);
}

// --- Events.

static uint32_t snapshot_of(uint32_t t) { return 2 * t; }
static uint32_t commit_of(uint32_t t) { return 2 * t + 1; }
static uint32_t txn_of_event(uint32_t event) { return event / 2; }

// Is it one event, or a snapshot and its commit?
static bool steps_lead_to(const struct argument_reading *r, uint32_t event,
                          uint32_t other) {
  return event == other || (event % 2 == 0 && other == event + 1 &&
                            txn_of_event(event) < r->h->ntxns);
}

// --- Looking things up.

static bool step_has_op(const struct argument_reading *r, uint32_t op) {
  return op < r->h->nops;
}

static uint32_t txn_of_step(const struct argument_reading *r, uint32_t op) {
  assert(step_has_op(r, op));
  return history_txn(r->h, op);
}

static bool is_write(const struct argument_reading *r, uint32_t op) {
  return step_has_op(r, op) && op_writes(r->h->kind[op]) &&
         r->counted[txn_of_step(r, op)];
}

static bool step_reads_list(const struct argument_reading *r, uint32_t op) {
  return step_has_op(r, op) && r->h->kind[op] == OP_READ_LIST;
}

// Reads what another transaction wrote: so it has not written the key before.
static bool is_external(const struct argument_reading *r, uint32_t op) {
  if (!step_has_op(r, op) || !op_reads(r->h->kind[op]) ||
      !r->counted[txn_of_step(r, op)] ||
      proves_nothing(binding_level(r->h, r->options, txn_of_step(r, op))))
    return false;
  const uint32_t first = r->h->txn_first[txn_of_step(r, op)];
  return step_reads_list(r, op) ||
         last_write(r->h, first, op, r->h->key[op]) == op;
}

// The place of an append in a list; NULL if it is not there.
static const uint32_t *place_in_list(const struct argument_reading *r,
                                     uint32_t read, uint32_t append) {
  const struct listed list = listed_by(r->h, read);
  (void)patience_ends(r->patience, listed_count(list));
  return listed_find(list, append);
}

// The write of another transaction that an external read saw, of a list the
// last one; SAW_INITIAL if none.
static uint32_t op_seen_by(const struct argument_reading *r, uint32_t read) {
  assert(step_has_op(r, read) && op_reads(r->h->kind[read]));
  if (!step_reads_list(r, read))
    return r->h->saw[read];
  const struct listed list = listed_of_others(r->h, txn_of_step(r, read), read);
  return list.end > list.first ? list.end[-1] : SAW_INITIAL;
}

// --- What is in the history.

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

// A read of what somebody wrote, that may have seen any of several writes or
// not have been made.
static bool read_is_open(const struct argument_reading *r, uint32_t read) {
  const uint32_t saw = r->h->saw[read];
  return r->certain && (saw < r->h->nops || saw == SAW_INITIAL) &&
         (!r->certain[txn_of_step(r, read)] ||
          history_is_ambiguous(r->h, r->h->key[read], saw));
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
  return right ? 0 : wrong(r, "is not in the history");
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
    return wrong(r, "is not the order of a list");
  return 0;
}

// --- Paths.

static bool may_use(const struct argument_reading *r, uint32_t s) {
  return s < r->at && (!r->in_lemma[s] || (r->inside && s >= r->scope)) &&
         r->argument->steps[s].why != REASON_CONTRADICTION;
}

// Walks along the path from *i on until it has led from one event to the other;
// -1 if it does not.
static int walk_path(const struct argument_reading *r,
                     const struct inference *step, uint32_t *i, uint32_t from,
                     uint32_t to) {
  uint32_t event = from;
  assert(*i <= step->end && step->end <= r->argument->npath);
  while (!steps_lead_to(r, event, to)) {
    if (*i == step->end)
      return -1;
    const uint32_t s = r->argument->path[(*i)++];
    if (!may_use(r, s) || !steps_lead_to(r, event, r->argument->steps[s].from))
      return -1;
    event = r->argument->steps[s].to;
  }
  return 0;
}

// Does the whole path lead from one event to the other?
static bool path_leads(const struct argument_reading *r,
                       const struct inference *step, uint32_t from,
                       uint32_t to) {
  uint32_t i = step->first;
  return !walk_path(r, step, &i, from, to) && i == step->end;
}

// --- Choices.

static bool is_side(const struct inference *step, const struct side *side) {
  return step->kind == side->kind && step->from == side->from &&
         step->to == side->to && step->from_op == side->from_op &&
         step->to_op == side->to_op;
}

static void add_side(struct argument_reading *r, struct side side) {
  ARRAY_RESERVE(r->sides, r->nsides, r->sides_room);
  r->sides[r->nsides++] = side;
}

// The claim, or that it does not hold.
static void add_claim(struct argument_reading *r, uint32_t claim, bool holds,
                      uint32_t op, uint32_t other_op) {
  const uint32_t event = 2 * (r->h->ntxns + claim);
  add_side(r, (struct side){holds ? event : event + 1,
                            holds ? event + 1 : event, EDGE_SO, op, other_op});
}

// That the transaction did not take effect.  -1: it may not have, and there is
// no such claim.
static int add_not_taken(struct argument_reading *r, uint32_t t, uint32_t op,
                         uint32_t other_op) {
  if (!r->certain || r->certain[t])
    return 0;
  if (r->took[t] == UINT32_MAX)
    return -1;
  add_claim(r, r->took[t], false, op, other_op);
  return 0;
}

// The step is one of the sides, and the path closes a cycle with each other,
// one after the other.
static bool is_chosen(const struct argument_reading *r,
                      const struct inference *step) {
  uint32_t i = step->first, left = 0;
  for (uint32_t k = 0; k < r->nsides; k++) {
    const struct side *side = &r->sides[k];
    if (is_side(step, side) && !left++)
      continue;
    if (walk_path(r, step, &i, side->to, side->from))
      return false;
  }
  return left == 1 && i == step->end;
}

// At RC an earlier read must have seen the other writer; at RA some read must,
// or it must be in the session; at CC it may be over others.
static bool is_observed(const struct argument_reading *r,
                        const struct inference *step, uint32_t other) {
  const enum isolation level =
      binding_level(r->h, r->options, txn_of_step(r, step->read));
  if (!must_see_causes(level) && step->end - step->first != 1)
    return false;
  for (uint32_t i = step->first; i < step->end; i++) {
    if (!may_use(r, r->argument->path[i]))
      return false;
    const struct inference *seen = &r->argument->steps[r->argument->path[i]];
    if (seen->why != REASON_HISTORY || seen->to % 2 == 1)
      return false; // real time that only puts a commit after another
    if (must_see_earlier_reads(level) &&
        (seen->kind != EDGE_WR ||
         seen->to_op >= history_event(r->h, step->read)))
      return false;
  }
  return path_leads(r, step, commit_of(other),
                    snapshot_of(txn_of_step(r, step->read)));
}

// The write that the read saw: as the step claims, if it may have seen several.
// False: nothing is known of it.
static bool find_seen(const struct argument_reading *r,
                      const struct inference *step, uint32_t *seen) {
  if (!read_is_open(r, step->read)) {
    *seen = op_seen_by(r, step->read);
    return true;
  }
  const struct argument *a = r->argument;
  if (step->lemma >= a->nclaims || a->claims[step->lemma].place != step->read ||
      a->claims[step->lemma].writer == CLAIM_TOOK_EFFECT)
    return false;
  *seen = a->claims[step->lemma].writer;
  return true;
}

static bool is_bound(struct argument_reading *r, const struct inference *step,
                     uint32_t write) {
  const struct history *h = r->h;
  const uint32_t read = step->read, reader = txn_of_step(r, read);
  const uint32_t other = txn_of_step(r, write);
  const enum isolation level = binding_level(r->h, r->options, reader);
  uint32_t seen;
  if (!find_seen(r, step, &seen))
    return false;
  const bool initial = seen == SAW_INITIAL;
  if (other == reader || h->key[write] != h->key[read] ||
      (!initial && (!is_write(r, seen) || txn_of_step(r, seen) == other ||
                    txn_of_step(r, seen) == reader)))
    return false;
  const uint32_t sees =
      may_read_before_commit(level) ? snapshot_of(reader) : commit_of(reader);
  const struct side before = {commit_of(other),
                              initial ? 0 : commit_of(txn_of_step(r, seen)),
                              EDGE_WW, write, seen};
  const struct side after = {sees, commit_of(other), EDGE_RW, read, write};
  if (!must_see_prefix(level))
    return is_side(step, initial ? &after : &before) &&
           is_observed(r, step, other);
  r->nsides = 0;
  if (read_is_open(r, read))
    add_claim(r, step->lemma, false, write, UINT32_MAX);
  if (add_not_taken(r, reader, write, UINT32_MAX) ||
      add_not_taken(r, other, write, UINT32_MAX))
    return false;
  if (!initial)
    add_side(r, before);
  add_side(r, after);
  return is_chosen(r, step);
}

static int check_read_step(struct argument_reading *r,
                           const struct inference *step) {
  const uint32_t write = step->kind == EDGE_RW ? step->to_op : step->from_op;
  if (!is_external(r, step->read) || !is_write(r, write) ||
      !is_bound(r, step, write))
    return wrong(r, "does not follow from what was read");
  return 0;
}

static bool are_bound(struct argument_reading *r, const struct inference *step,
                      uint32_t write, uint32_t other) {
  const uint32_t t = txn_of_step(r, write), o = txn_of_step(r, other);
  if (!forbids_concurrent_writes(binding_level(r->h, r->options, t)) ||
      !may_read_before_commit(binding_level(r->h, r->options, t)))
    return false;
  r->nsides = 0;
  add_side(r,
           (struct side){commit_of(o), snapshot_of(t), EDGE_WW, other, write});
  add_side(r, (struct side){commit_of(t), commit_of(o), EDGE_WW, write, other});
  return !add_not_taken(r, t, write, other) &&
         !add_not_taken(r, o, write, other) && is_chosen(r, step);
}

static int check_writers_step(struct argument_reading *r,
                              const struct inference *step) {
  const uint32_t one = step->from_op, other = step->to_op;
  if (!is_write(r, one) || !is_write(r, other) ||
      txn_of_step(r, one) == txn_of_step(r, other) ||
      r->h->key[one] != r->h->key[other] ||
      (!are_bound(r, step, one, other) && !are_bound(r, step, other, one)))
    return wrong(r, "does not follow from what two transactions wrote");
  return 0;
}

// --- Reads that may have seen one of several writes.

// The claim does not hold, or the reader comes after the write; or, if that may
// not have been made, it was.
static bool follows_from_claim(struct argument_reading *r,
                               const struct inference *step, uint32_t seen,
                               bool took) {
  const uint32_t writer = txn_of_step(r, seen), read = step->read;
  if (took && r->took[writer] == UINT32_MAX)
    return false;
  r->nsides = 0;
  add_claim(r, step->lemma, false, UINT32_MAX, UINT32_MAX);
  if (took)
    add_claim(r, r->took[writer], true, UINT32_MAX, UINT32_MAX);
  else
    add_side(r,
             (struct side){commit_of(writer), snapshot_of(txn_of_step(r, read)),
                           EDGE_WR, seen, read});
  return is_chosen(r, step);
}

static int check_seen_step(struct argument_reading *r,
                           const struct inference *step) {
  uint32_t seen;
  if (!is_external(r, step->read) || !read_is_open(r, step->read) ||
      !find_seen(r, step, &seen) ||
      (!is_write(r, seen) && seen != step->read) ||
      (!follows_from_claim(r, step, seen, false) &&
       !follows_from_claim(r, step, seen, true)))
    return wrong(r, "does not follow from a claim about a read");
  return 0;
}

// Is there a claim of the sides from `first` on that the read saw it, or can it
// not have?
static bool step_is_claimed(const struct argument_reading *r,
                            const struct write_facts *facts, uint32_t writer,
                            uint32_t first) {
  for (uint32_t k = first; k < r->nsides; k++)
    if (r->argument->claims[r->sides[k].from / 2 - r->h->ntxns].writer ==
        writer)
      return true;
  return facts_rule_out(facts, writer);
}

static int check_saw_step(struct argument_reading *r,
                          const struct inference *step) {
  const struct argument *a = r->argument;
  const uint32_t read = step->read, nops = r->h->nops;
  r->nsides = 0;
  if (!is_external(r, read) || !read_is_open(r, read) ||
      add_not_taken(r, txn_of_step(r, read), UINT32_MAX, UINT32_MAX))
    return wrong(r, "is about no read of several writes");
  const uint32_t first = r->nsides, saw = r->h->saw[read];
  for (uint32_t c = 0; c < a->nclaims && !patience_ends(r->patience, 1); c++)
    if (a->claims[c].place == read && a->claims[c].writer != CLAIM_TOOK_EFFECT)
      add_claim(r, c, true, UINT32_MAX, UINT32_MAX);
  if (patience_ends(r->patience, nops))
    return -1;
  const struct write_facts facts = facts_about(r->h, r->options, read);
  uint32_t v = saw == SAW_INITIAL ? nops + r->h->key[read] : saw;
  const uint32_t start = v;
  do {
    if (patience_ends(r->patience, 1 + r->nsides))
      return -1;
    if (!step_is_claimed(r, &facts, v < nops ? v : SAW_INITIAL, first))
      return wrong(r, "leaves out a write that the read may have seen");
  } while ((v = r->h->again[v]) != start);
  return is_chosen(r, step) ? 0 : wrong(r, "leaves a write to have been seen");
}

// --- Lemmas.

static int check_supposition(struct argument_reading *r,
                             const struct inference *step) {
  if (step->from == step->to)
    return wrong(r, "supposes something about no transaction");
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
    return wrong(r, "is no contradiction");
  uint32_t i = step->first;
  const uint32_t s = r->argument->path[i];
  if (!may_use(r, s))
    return wrong(r, "rests on a step that does not hold");
  i++;
  if (walk_path(r, step, &i, r->argument->steps[s].to,
                r->argument->steps[s].from) ||
      i != step->end)
    return wrong(r, "is no cycle");
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
    return wrong(r, "follows from no lemma");
  uint32_t i = step->first, left = 0, k = r->began[step->lemma];
  assert(k <= step->lemma);
  if (patience_ends(r->patience, step->lemma - k))
    return -1;
  for (; k < step->lemma; k++) {
    const struct inference *supposed = &steps[k];
    if (supposed->why != REASON_SUPPOSED ||
        (supposed->from == step->to && supposed->to == step->from && !left++))
      continue;
    if (walk_path(r, step, &i, supposed->from, supposed->to))
      return wrong(r, "follows only if more than one supposition is left");
  }
  return i == step->end && left == 1
             ? 0
             : wrong(r, "is not what is left of the suppositions");
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
    return check_read_step(r, step);
  case REASON_WRITERS:
    return check_writers_step(r, step);
  case REASON_SUPPOSED:
    return check_supposition(r, step);
  case REASON_CONTRADICTION:
    return check_contradiction(r, step);
  case REASON_LEMMA:
    return check_lemma_step(r, step);
  case REASON_SEEN:
    return check_seen_step(r, step);
  case REASON_SAW:
    return check_saw_step(r, step);
  }
  return wrong(r, "is of no known kind");
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
      return wrong(r, "names what is not there");
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

static enum verified verify_steps(struct argument_reading *r) {
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
  return verify_steps(&r);
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
    result = verify_steps(&r);
  else
    error_set(error, "a claim of the proof names what is not there");
  FREE_EACH(counted, r.took);
  return result;
}
