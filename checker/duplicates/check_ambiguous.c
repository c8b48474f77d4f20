// SPDX-License-Identifier: GPL-3.0-or-later
// Decides what ambiguous reads saw (checker/duplicates/check_ambiguous.h).
#include "config.h"

#include "checker/duplicates/check_ambiguous.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/argue/argue.h"
#include "checker/duplicates/polygraph.h"
#include "checker/graph/classify.h"
#include "checker/verdict/effective_options.h"
#include "checker/verdict/level_rules.h"
#include "checker/verify/verify.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUED_MAX = 1 << 11 }; // transactions and claims, whose square it takes

struct likely_taking {
  const struct history *h;
  struct ambiguity a;
  uint32_t *value;       // per ambiguous read: member of its group
  struct history taken;  // with `saw` and `element` of its own; not ambiguous
  struct history known;  // as `taken`, without reads of which nothing is known
  struct history hidden; // ...and without any that are ambiguous or in doubt
  uint8_t *certain;      // per transaction: it took effect, whatever they saw
  struct error *error;
};

// --- Taking the history one way.

static uint32_t *assumption_at(const struct likely_taking *t, uint32_t place) {
  assert(place < t->h->nops + t->h->nelements);
  return place < t->h->nops ? &t->taken.saw[place]
                            : &t->taken.element[place - t->h->nops];
}

static void take_likely_reads(struct likely_taking *t) {
  for (uint32_t i = 0; i < t->a.nreads; i++)
    *assumption_at(t, t->a.reads[i].place) =
        ambiguity_writer(&t->a, i, t->value[i]);
}

static void add_assumed_read(const struct likely_taking *t, uint32_t i,
                             struct verdict *v) {
  if (i != UINT32_MAX && ambiguity_size(&t->a, i) > 1)
    v->assumed_reads[v->nassumed_reads++] = (struct assumed_read){
        t->a.reads[i].place, ambiguity_writer(&t->a, i, t->value[i])};
}

static void tell_assumed_reads(const struct likely_taking *t,
                               struct verdict *v) {
  v->assumed_reads = xmalloc(t->a.nreads * sizeof *v->assumed_reads);
  for (uint32_t i = 0; i < t->a.nreads; i++)
    add_assumed_read(t, i, v);
}

// Those in the part of a violation that are reads by their kinds, in order.
static void tell_reads_of_part(const struct likely_taking *t,
                               const uint8_t *kind, struct verdict *v) {
  v->assumed_reads = xmalloc(t->a.nreads * sizeof *v->assumed_reads);
  for (uint32_t p = 0; p < v->npart; p++)
    if (op_reads(kind[v->part[p]]))
      add_assumed_read(t, t->a.number_of[v->part[p]], v);
  for (uint32_t i = 0; i < v->nothers; i++)
    tell_reads_of_part(t, kind, &v->others[i]);
}

// --- Whatever they saw.

// Taken otherwise, a read beside the part may show the append.  Real time tells
// by itself why the level is broken.
static void call_write_seen(struct verdict *v) {
  if (v->anomaly == ANOMALY_LOST_WRITE) {
    v->anomaly = anomaly_of_seen_write(v->edges, v->nedges);
    v->found[v->anomaly] += v->found[ANOMALY_LOST_WRITE];
    v->found[ANOMALY_LOST_WRITE] = 0;
    if (v->anomaly == ANOMALY_STALE_READ)
      v->nedges = 0;
  }
  for (uint32_t i = 0; i < v->nothers; i++)
    call_write_seen(&v->others[i]);
}

static void forget_proof(struct verdict *verdict) {
  verdict_free(verdict);
  *verdict = (struct verdict){.kind = VERDICT_UNDECIDED};
}

static int decide_without_doubtful(struct likely_taking *t,
                                   struct verdict *verdict) {
  const int result = check(&t->known, t->a.options, verdict, t->error);
  if (!result && verdict->kind == VERDICT_VIOLATION) {
    call_write_seen(verdict);
    tell_reads_of_part(t, t->known.kind, verdict);
  } else if (!result) {
    forget_proof(verdict);
  }
  return result;
}

// --- One way.

static int pass_as_taken(struct likely_taking *t, struct verdict *verdict) {
  take_likely_reads(t);
  const int result = check(&t->taken, t->a.options, verdict, t->error);
  if (!result && verdict->kind == VERDICT_PASS)
    tell_assumed_reads(t, verdict);
  else if (!result)
    forget_proof(verdict);
  return result;
}

// --- No way.

static void add_core_op(struct operations *core, uint32_t op) {
  ARRAY_RESERVE(core->op, core->count, core->room);
  core->op[core->count++] = op;
}

// Adds all that the reads of the core may have seen.
static void add_writers(const struct likely_taking *t,
                        struct operations *core) {
  for (uint32_t n = core->count, k = 0; k < n; k++) {
    const uint32_t op = core->op[k], i = t->a.number_of[op];
    if (op_reads(t->hidden.kind[op]) && t->h->saw[op] < t->h->nops)
      add_core_op(core, t->h->saw[op]);
    for (uint32_t c = 0; i != UINT32_MAX && c < ambiguity_size(&t->a, i); c++) {
      const uint32_t writer = ambiguity_writer(&t->a, i, c);
      if (writer != SAW_INITIAL && !ambiguity_rules_out(&t->a, i, c))
        add_core_op(core, writer);
    }
  }
  operations_sort(core);
  subhistory_close(&t->hidden, core);
}

static void add_assumed_claim(struct argument *argument, uint32_t place,
                              uint32_t writer, uint32_t *room) {
  ARRAY_RESERVE(argument->claims, argument->nclaims, *room);
  argument->claims[argument->nclaims++] = (struct assumed_read){place, writer};
}

// Claims that the read of the core saw one of the writes that it may have seen;
// nothing, if not all of them are in the core.  If there are none, it claims
// that it saw itself, which cannot be: so it was not made.
static void claim_read(const struct likely_taking *t,
                       const struct operations *core, uint32_t place,
                       uint32_t i, struct argument *argument, uint32_t *room) {
  const uint32_t before = argument->nclaims;
  for (uint32_t c = 0; c < ambiguity_size(&t->a, i); c++) {
    const uint32_t writer = ambiguity_writer(&t->a, i, c);
    const bool initial = writer == SAW_INITIAL;
    const uint32_t found = initial ? writer : operations_find(core, writer);
    if (ambiguity_rules_out(&t->a, i, c))
      continue;
    if (found == UINT32_MAX && !initial) {
      argument->nclaims = before;
      return;
    }
    add_assumed_claim(argument, place, found, room);
  }
  if (argument->nclaims == before)
    add_assumed_claim(argument, place, place, room);
}

static void claim_reads(const struct likely_taking *t,
                        const struct operations *core,
                        struct argument *argument) {
  uint32_t room = 0;
  for (uint32_t k = 0; k < core->count; k++) {
    const uint32_t i = t->a.number_of[core->op[k]];
    if (i != UINT32_MAX && t->a.reads[i].own_write == UINT32_MAX &&
        !op_reads(t->hidden.kind[core->op[k]]))
      claim_read(t, core, k, i, argument, &room);
  }
}

// Sets `ways` if the core breaks the level whatever its reads saw.
static bool argue_all_ways(const struct likely_taking *t,
                           const struct operations *core,
                           struct argument *ways) {
  struct history part;
  uint32_t *txns;
  subhistory_extract(&t->hidden, core, &part, &txns);
  uint8_t *certain = xmalloc(part.ntxns);
  for (uint32_t i = 0; i < part.ntxns; i++)
    certain[i] = t->certain[txns[i]];
  *ways = (struct argument){0};
  claim_reads(t, core, ways);
  const bool found =
      part.ntxns + ways->nclaims <= ARGUED_MAX &&
      argue_openly(ways, &part, certain, t->a.options) == ARGUE_FOUND;
  if (found)
    argument_rename(ways, core->count, core->op, part.ntxns, txns, t->h->ntxns);
  else
    argument_free(ways);
  history_free(&part);
  free(certain);
  free(txns);
  return found;
}

// Checks the core, taken the likely way, as a history of its own.
static int check_core(const struct likely_taking *t,
                      const struct operations *core,
                      const struct check_options *options, struct verdict *v) {
  struct operations ops = {.op = ids_copy(core->op, core->count),
                           .count = core->count};
  struct history part;
  uint32_t *txns;
  subhistory_close(&t->taken, &ops);
  subhistory_extract(&t->taken, &ops, &part, &txns);
  const int result = check(&part, options, v, t->error);
  if (!result && v->kind == VERDICT_VIOLATION)
    verdict_rename(v, part.nops, ops.op, txns);
  history_free(&part);
  free(txns);
  free(ops.op);
  return result;
}

// The counterexample that is there if the reads are taken the likely way: in
// the core, unless a write of unknown outcome is without the read that shows it
// there.
static int show_core(struct likely_taking *t, const struct operations *core,
                     struct verdict *v) {
  struct check_options options = *t->a.options;
  options.max_examples = 0;
  take_likely_reads(t);
  int result = check_core(t, core, &options, v);
  if (!result && v->kind == VERDICT_PASS) {
    verdict_free(v);
    result = check(&t->taken, &options, v, t->error);
    assert(result || v->kind != VERDICT_PASS);
  }
  if (!result && v->kind == VERDICT_VIOLATION) {
    call_write_seen(v);
    tell_reads_of_part(t, t->h->kind, v);
    free(settled_count(&t->taken, &v->counts));
  } else if (!result) {
    forget_proof(v);
  }
  return result;
}

// Is there a read in the core that was made and can have seen nothing?  All
// such reads are looked at from then on.
static bool has_hopeless_read(struct likely_taking *t,
                              const struct operations *core) {
  bool any = false;
  for (uint32_t k = 0; k < core->count; k++) {
    const uint32_t op = core->op[k], i = t->a.number_of[op];
    bool hopeless =
        i != UINT32_MAX && t->h->outcome[t->a.reads[i].txn] == OUTCOME_OK;
    for (uint32_t c = 0; hopeless && c < ambiguity_size(&t->a, i); c++)
      hopeless = ambiguity_rules_out(&t->a, i, c);
    if (hopeless)
      t->known.kind[op] = t->h->kind[op];
    any |= hopeless;
  }
  return any;
}

// No verdict unless all ways to take these operations break the level.
static int refute_all_ways(struct likely_taking *t, struct operations *core,
                           struct verdict *verdict) {
  struct argument ways;
  if (has_hopeless_read(t, core))
    return decide_without_doubtful(t, verdict);
  add_writers(t, core);
  if (!argue_all_ways(t, core, &ways))
    return 0;
  const int result = show_core(t, core, verdict);
  if (!result && verdict->kind == VERDICT_VIOLATION)
    verdict->ways = ways;
  else
    argument_free(&ways);
  return result;
}

// --- All of it.

static int decide_by_choices(struct likely_taking *t, struct verdict *verdict) {
  struct operations core = {0};
  int result = 0;
  switch (polygraph_decide(&t->a, &t->known, t->value, &core)) {
  case POLYGRAPH_KEPT:
    result = pass_as_taken(t, verdict);
    break;
  case POLYGRAPH_BROKEN:
    if (!level_saturates(t->a.options->question.level))
      result = refute_all_ways(t, &core, verdict);
    break;
  case POLYGRAPH_UNKNOWN:
    break;
  }
  free(core.op);
  return result;
}

static void give_up_undecided(const struct likely_taking *t,
                              struct verdict *verdict) {
  const struct check_options *options = t->a.options;
  *verdict = verdict_open(&options->question);
  free(settled_count(t->h, &verdict->counts));
  snprintf(verdict->why, sizeof verdict->why,
           "%s: %" PRIu32 " reads may have seen any of several writes of one "
           "value",
           stop_is_set(options->stop) ? "stopped before it was decided"
                                      : "too many ways to go",
           t->a.nreads);
}

static int decide_ambiguous(struct likely_taking *t, struct verdict *verdict) {
  const struct check_options *options = t->a.options;
  const bool choices = !options->question.recorded && !t->h->lists &&
                       level_binds_reads(options->question.level);
  int result = decide_without_doubtful(t, verdict);
  if (!result && verdict->kind == VERDICT_UNDECIDED && choices)
    result = decide_by_choices(t, verdict);
  if (!result && verdict->kind == VERDICT_UNDECIDED)
    result = pass_as_taken(t, verdict);
  if (!result && verdict->kind == VERDICT_UNDECIDED)
    give_up_undecided(t, verdict);
  return result;
}

static int prove_ambiguous(const struct history *h,
                           const struct check_options *options,
                           struct verdict *verdict, struct error *error) {
  assert(verdict->kind != VERDICT_UNDECIDED);
  const enum verified answer = verify_ambiguous(h, options, verdict, error);
  if (answer == VERIFY_STOPPED) {
    const bool broken = verdict->kind == VERDICT_VIOLATION;
    snprintf(verdict->why, sizeof verdict->why,
             "stopped when %s had been found, but before it was proved: a "
             "larger --timeout tells",
             broken ? anomaly_info(verdict->anomaly)->name
                    : "a way to take all reads");
    verdict->kind = VERDICT_UNDECIDED;
  }
  return answer == VERIFY_REFUSED ? -1 : 0;
}

// All reads of those that may not have taken effect are in doubt.
static void hide_doubtful_reads(struct likely_taking *t) {
  uint32_t nlost;
  t->hidden.kind = ambiguity_hidden(&t->a, true);
  t->certain = history_counted(&t->hidden, &nlost);
  for (uint32_t i = 0; i < t->a.nreads; i++)
    if (!t->certain[t->a.reads[i].txn] && t->a.reads[i].place < t->h->nops)
      t->hidden.kind[t->a.reads[i].place] &= (uint8_t)~OP_IS_READ;
}

static void taking_open(struct likely_taking *t, const struct history *h,
                        const struct check_options *options,
                        struct error *error) {
  assert(h->again);
  *t = (struct likely_taking){.h = h, .taken = *h, .error = error};
  ambiguity_open(&t->a, h, options);
  t->taken.again = NULL;
  t->taken.saw = ids_copy(h->saw, h->nops);
  t->taken.element = ids_copy(h->element, h->nelements);
  t->known = t->hidden = t->taken;
  t->known.kind = ambiguity_hidden(&t->a, false);
  hide_doubtful_reads(t);
  t->value = xmalloc(t->a.nreads * sizeof *t->value);
  for (uint32_t i = 0; i < t->a.nreads; i++)
    t->value[i] = ambiguity_choose(&t->a, i);
  take_likely_reads(t);
}

static void taking_close(struct likely_taking *t) {
  ambiguity_close(&t->a);
  FREE_EACH(t->value, t->taken.saw, t->taken.element, t->known.kind,
            t->hidden.kind, t->certain);
}

int check_ambiguous(const struct history *history,
                    const struct check_options *options,
                    struct verdict *verdict, struct error *error) {
  const struct check_options settled = settled_options(history, options);
  struct likely_taking t;
  *verdict = (struct verdict){.kind = VERDICT_UNDECIDED};
  taking_open(&t, history, &settled, error);
  const int result = decide_ambiguous(&t, verdict);
  taking_close(&t);
  return result || verdict->kind == VERDICT_UNDECIDED
             ? result
             : prove_ambiguous(history, &settled, verdict, error);
}
