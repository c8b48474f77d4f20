// SPDX-License-Identifier: GPL-3.0-or-later
// Takes ambiguous reads one way after the other (checker/duplicates/assign.h).
#include "config.h"

#include "checker/duplicates/assign.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/duplicates/nogoods.h"
#include "checker/duplicates/polygraph.h"
#include "checker/duplicates/register_check.h"
#include "checker/graph/classify.h"
#include "checker/verdict/effective_options.h"
#include "checker/verdict/level_rules.h"
#include "checker/verify/verify.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  EXAMPLES = 32, // of each anomaly that a check is asked for: cases
  CASES_MAX = 1 << 16
};
#define EFFORT (UINT64_C(1) << 28) // of a search: a few seconds

struct assigning {
  const struct history *h;
  const struct check_options *options;
  struct history taken; // with `saw` and `element` of its own; not ambiguous
  const struct ambiguity *a;
  struct nogoods nogoods;
  const struct operations *within; // only these are looked at; NULL: all
  struct verdict *cases;           // each a violation, with its assumed reads
  uint32_t ncases, room;
  uint32_t checks;
  struct verdict question; // undecided
  struct error *error;
};

// --- Taking the history one way.

static uint32_t *assumed_at(const struct assigning *s, uint32_t place) {
  return place < s->h->nops ? &s->taken.saw[place]
                            : &s->taken.element[place - s->h->nops];
}

static void take(struct assigning *s) {
  for (uint32_t i = 0; i < s->a->nreads; i++)
    *assumed_at(s, s->a->reads[i].place) =
        ambiguity_writer(s->a, i, s->nogoods.value[i]);
}

static void tell_assumed_reads(const struct assigning *s,
                               const uint32_t *number, uint32_t count,
                               struct verdict *v) {
  v->nassumed_reads = count;
  v->assumed_reads = xmalloc(count * sizeof *v->assumed_reads);
  for (uint32_t n = 0; n < count; n++) {
    const uint32_t i = number ? number[n] : n;
    v->assumed_reads[n] = (struct assumed_read){
        s->a->reads[i].place, ambiguity_writer(s->a, i, s->nogoods.value[i])};
  }
}

// --- Cases.

static void add_number(struct ids *numbers, uint32_t i) {
  if (i != UINT32_MAX)
    ids_add(numbers, i);
}

// The ambiguous reads in the part of a violation, in their order.
static void find_in_part(const struct assigning *s, const struct verdict *v,
                         struct ids *found) {
  const struct history *h = s->h;
  for (uint32_t p = 0; p < v->npart; p++) {
    const uint32_t op = v->part[p];
    if (h->kind[op] != OP_READ_LIST)
      add_number(found, s->a->number_of[op]);
  }
  for (uint32_t p = 0; p < v->npart; p++) {
    const uint32_t op = v->part[p];
    if (h->kind[op] == OP_READ_LIST)
      for (uint32_t e = h->list[h->saw[op]].first;
           e < history_list_end(h, h->saw[op]); e++)
        add_number(found, s->a->number_of[h->nops + e]);
  }
}

// Taken otherwise, a read beside the part may show the append.  Real time tells
// by itself why the level is broken.
static void call_write_seen(struct verdict *v) {
  v->anomaly = anomaly_of_seen_write(v->edges, v->nedges);
  if (v->anomaly == ANOMALY_STALE_READ)
    v->nedges = 0;
}

// Takes the violation over.
static void add_case(struct assigning *s, struct verdict *v) {
  struct ids found = {0};
  if (v->anomaly == ANOMALY_LOST_WRITE)
    call_write_seen(v);
  find_in_part(s, v, &found);
  struct literal *literals = xcalloc(found.count, sizeof *literals);
  for (uint32_t n = 0; n < found.count; n++)
    literals[n] = (struct literal){.i = found.items[n],
                                   .c = s->nogoods.value[found.items[n]]};
  nogoods_add(&s->nogoods, literals, found.count);
  tell_assumed_reads(s, found.items, found.count, v);
  ARRAY_RESERVE(s->cases, s->ncases, s->room);
  s->cases[s->ncases++] = *v;
  *v = (struct verdict){0};
  free(literals);
  free(found.items);
}

// The violation and the others that were found with it.
static void add_cases(struct assigning *s, struct verdict *v) {
  struct verdict *others = v->others;
  const uint32_t nothers = v->nothers;
  v->others = NULL;
  v->nothers = 0;
  memset(v->found, 0, sizeof v->found);
  v->found_more = false;
  add_case(s, v);
  for (uint32_t i = 0; i < nothers; i++)
    add_case(s, &others[i]);
  free(others);
}

// --- Verdicts.

static void give_up(const struct assigning *s, struct verdict *verdict) {
  *verdict = s->question;
  snprintf(verdict->why, sizeof verdict->why,
           "%s: %" PRIu32 " reads may have seen any of several writes of one "
           "value, and %" PRIu32 " ways to take them were refuted so far",
           stop_is_set(s->options->stop) ? "stopped before it was decided"
                                         : "too many ways to go",
           s->a->nreads, s->checks);
}

// The cases that are needed come first; returns how many they are.
static uint32_t keep_needed(struct assigning *s, const uint8_t *needed) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->ncases; i++)
    if (needed[i]) {
      const struct verdict other = s->cases[n];
      s->cases[n++] = s->cases[i];
      s->cases[i] = other;
    }
  return n;
}

static void tell_cases(struct assigning *s, struct verdict *verdict) {
  uint8_t *needed = xcalloc(s->ncases, 1);
  struct cover cover;
  nogoods_explain(&s->nogoods, &cover, needed);
  const uint32_t n = keep_needed(s, needed);
  assert(n > 0);
  *verdict = s->cases[0];
  verdict->cover = cover;
  verdict->ncases = n - 1;
  verdict->cases = xcalloc(n - 1, sizeof *verdict->cases);
  for (uint32_t i = 1; i < n; i++)
    verdict->cases[i - 1] = s->cases[i];
  if (s->within) // they were counted in it
    free(settled_count(&s->taken, &verdict->counts));
  memset(s->cases, 0, n * sizeof *s->cases); // they have been taken over
  free(needed);
}

// A verdict with the question alone.
static struct verdict question_of(const struct verdict *v) {
  return (struct verdict){.kind = VERDICT_UNDECIDED,
                          .level = v->level,
                          .mixed = v->mixed,
                          .session_order = v->session_order,
                          .real_time = v->real_time,
                          .counts = v->counts,
                          .op = UINT32_MAX,
                          .other_op = UINT32_MAX};
}

// --- One way.

// Checks the part at hand, with its reads as they are assumed.
static int check_part(struct assigning *s, const struct check_options *options,
                      struct verdict *v) {
  struct operations ops = {.op = ids_copy(s->within->op, s->within->count),
                           .count = s->within->count};
  struct history part;
  uint32_t *txns;
  subhistory_close(&s->taken, &ops);
  subhistory_extract(&s->taken, &ops, &part, &txns);
  const int result = check(&part, options, v, s->error);
  if (!result && v->kind == VERDICT_VIOLATION)
    verdict_rename(v, part.nops, ops.op, txns);
  history_free(&part);
  free(txns);
  free(ops.op);
  return result;
}

static int check_taken(struct assigning *s, const struct check_options *options,
                       struct verdict *verdict) {
  s->checks++;
  take(s);
  return s->within ? check_part(s, options, verdict)
                   : check(&s->taken, options, verdict, s->error);
}

// Checks one way after the other, until one is not broken.
static int search(struct assigning *s, struct verdict *verdict) {
  struct check_options options = *s->options;
  options.max_examples = EXAMPLES;
  enum nogoods_answer answer;
  while ((answer = nogoods_solve(&s->nogoods, EFFORT, options.stop)) ==
             NOGOODS_FOUND &&
         s->ncases < CASES_MAX) {
    if (check_taken(s, &options, verdict))
      return -1;
    if (verdict->kind == VERDICT_PASS)
      tell_assumed_reads(s, NULL, s->a->nreads, verdict);
    if (verdict->kind != VERDICT_VIOLATION)
      return 0;
    s->question = question_of(verdict);
    add_cases(s, verdict);
  }
  if (answer == NOGOODS_NONE_LEFT)
    tell_cases(s, verdict);
  else
    give_up(s, verdict);
  return 0;
}

static void assigning_open(struct assigning *s, const struct ambiguity *a,
                           struct error *error) {
  const struct history *h = a->h;
  *s = (struct assigning){
      .h = h, .options = a->options, .taken = *h, .a = a, .error = error};
  s->taken.again = NULL;
  s->taken.saw = ids_copy(h->saw, h->nops);
  s->taken.element = ids_copy(h->element, h->nelements);
  nogoods_open(&s->nogoods, a);
}

static void assigning_close(struct assigning *s) {
  for (uint32_t i = 0; i < s->ncases; i++)
    verdict_free(&s->cases[i]);
  free(s->cases);
  nogoods_close(&s->nogoods);
  free(s->taken.saw);
  free(s->taken.element);
}

static int find_way(const struct ambiguity *a, const struct operations *within,
                    struct verdict *verdict, struct error *error) {
  struct assigning s;
  assigning_open(&s, a, error);
  s.within = within;
  const int result = search(&s, verdict);
  assigning_close(&s);
  return result;
}

// Has the search reads as choices?
static bool may_choose(const struct history *h,
                       const struct check_options *options) {
  return !options->recorded && !h->lists && level_binds_reads(options->level);
}

static void forget(struct verdict *verdict) {
  verdict_free(verdict);
  *verdict = (struct verdict){.kind = VERDICT_UNDECIDED};
}

static bool has_verdict(const struct verdict *verdict) {
  return verdict->kind != VERDICT_UNDECIDED || verdict->why[0];
}

// Fills in the verdict if the history keeps the level, or if the question stays
// undecided.  If the level is broken, `*core` gets the operations that show it.
static int choose_all(const struct ambiguity *a, struct operations *core,
                      struct verdict *verdict, struct error *error) {
  struct assigning s;
  int result = 0;
  assigning_open(&s, a, error);
  if (polygraph_decide(a, s.nogoods.value, core) == POLYGRAPH_KEPT) {
    take(&s);
    result = check(&s.taken, a->options, verdict, error);
    if (!result && verdict->kind == VERDICT_PASS)
      tell_assumed_reads(&s, NULL, a->nreads, verdict);
    if (!result && verdict->kind == VERDICT_VIOLATION)
      forget(verdict);
  }
  assigning_close(&s);
  return result;
}

// No verdict unless all ways to take these operations break the level.
static int refute(const struct ambiguity *a, const struct operations *core,
                  struct verdict *verdict, struct error *error) {
  const int result = find_way(a, core, verdict, error);
  if (!result && verdict->kind != VERDICT_VIOLATION)
    forget(verdict);
  return result;
}

static int decide_by_choices(const struct ambiguity *a, struct verdict *verdict,
                             struct error *error) {
  struct operations core = {0};
  int result = choose_all(a, &core, verdict, error);
  if (!result && core.count)
    result = refute(a, &core, verdict, error);
  free(core.op);
  return result;
}

// By the operations on one register that real time leaves no order for.
static int decide_by_register(struct ambiguity *a, struct verdict *verdict,
                              struct error *error) {
  struct operations core = {0};
  int result = 0;
  if (unexplained_find(a, &core))
    result = refute(a, &core, verdict, error);
  free(core.op);
  return result;
}

static int decide(struct ambiguity *a, struct verdict *verdict,
                  struct error *error) {
  const bool choices = may_choose(a->h, a->options);
  *verdict = (struct verdict){.kind = VERDICT_UNDECIDED};
  if (choices && decide_by_register(a, verdict, error))
    return -1;
  if (choices && !has_verdict(verdict) && decide_by_choices(a, verdict, error))
    return -1;
  return has_verdict(verdict) ? 0 : find_way(a, NULL, verdict, error);
}

static int prove(const struct history *h, const struct check_options *options,
                 struct verdict *verdict, struct error *error) {
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

int check_ambiguous(const struct history *history,
                    const struct check_options *options,
                    struct verdict *verdict, struct error *error) {
  const struct check_options settled = settled_options(history, options);
  struct ambiguity a;
  ambiguity_open(&a, history, &settled);
  const int result = decide(&a, verdict, error);
  ambiguity_close(&a);
  return result || verdict->kind == VERDICT_UNDECIDED
             ? result
             : prove(history, &settled, verdict, error);
}
