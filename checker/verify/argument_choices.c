// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of an argument that are one side of a choice
// (checker/verify/argument_reading.h): every other side closes a cycle.
#include "config.h"

#include "checker/verify/argument_reading.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/verify/facts.h"

#include <assert.h>

// The write of another transaction that an external read saw, of a list the
// last one; SAW_INITIAL if none.
static uint32_t op_seen_by(const struct argument_reading *r, uint32_t read) {
  assert(step_has_op(r, read) && op_reads(r->h->kind[read]));
  if (!step_reads_list(r, read))
    return r->h->saw[read];
  const struct listed list = listed_of_others(r->h, txn_of_step(r, read), read);
  return list.end > list.first ? list.end[-1] : SAW_INITIAL;
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
    if (argument_walk(r, step, &i, side->to, side->from))
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
    if (!argument_may_use(r, r->argument->path[i]))
      return false;
    const struct inference *seen = &r->argument->steps[r->argument->path[i]];
    if (seen->why != REASON_HISTORY || seen->to % 2 == 1)
      return false; // real time that only puts a commit after another
    if (must_see_earlier_reads(level) &&
        (seen->kind != EDGE_WR ||
         seen->to_op >= history_event(r->h, step->read)))
      return false;
  }
  return argument_leads(r, step, commit_of(other),
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

int argument_check_read(struct argument_reading *r,
                        const struct inference *step) {
  const uint32_t write = step->kind == EDGE_RW ? step->to_op : step->from_op;
  if (!is_external(r, step->read) || !is_write(r, write) ||
      !is_bound(r, step, write))
    return argument_wrong(r, "does not follow from what was read");
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

int argument_check_writers(struct argument_reading *r,
                           const struct inference *step) {
  const uint32_t one = step->from_op, other = step->to_op;
  if (!is_write(r, one) || !is_write(r, other) ||
      txn_of_step(r, one) == txn_of_step(r, other) ||
      r->h->key[one] != r->h->key[other] ||
      (!are_bound(r, step, one, other) && !are_bound(r, step, other, one)))
    return argument_wrong(r,
                          "does not follow from what two transactions wrote");
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

int argument_check_seen(struct argument_reading *r,
                        const struct inference *step) {
  uint32_t seen;
  if (!is_external(r, step->read) || !read_is_open(r, step->read) ||
      !find_seen(r, step, &seen) ||
      (!is_write(r, seen) && seen != step->read) ||
      (!follows_from_claim(r, step, seen, false) &&
       !follows_from_claim(r, step, seen, true)))
    return argument_wrong(r, "does not follow from a claim about a read");
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

int argument_check_saw(struct argument_reading *r,
                       const struct inference *step) {
  const struct argument *a = r->argument;
  const uint32_t read = step->read, nops = r->h->nops;
  r->nsides = 0;
  if (!is_external(r, read) || !read_is_open(r, read) ||
      add_not_taken(r, txn_of_step(r, read), UINT32_MAX, UINT32_MAX))
    return argument_wrong(r, "is about no read of several writes");
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
      return argument_wrong(r,
                            "leaves out a write that the read may have seen");
  } while ((v = r->h->again[v]) != start);
  return is_chosen(r, step)
             ? 0
             : argument_wrong(r, "leaves a write to have been seen");
}
