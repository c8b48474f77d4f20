// SPDX-License-Identifier: GPL-3.0-or-later
// Checks verdicts on histories whose reads may have seen any of several writes
// of a value (checker/verify/verify.h).  A PASS is one of the history as it is
// taken. For a VIOLATION each case is checked as one of the history as the case
// takes it; a case is told by its part alone, and so holds however reads
// outside of the part are taken (checker/part/subhistory.h).  Then each step of
// the argument that no way is left is checked as a resolution.
#include "config.h"

#include "checker/verify/verify.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/part/assumed_reads.h"
#include "checker/verdict/effective_options.h"
#include "checker/verify/facts.h"

#include <assert.h>
#include <stdlib.h>

// Sightings that cannot all be true, by their places.
struct nogood {
  struct assumed_read *items;
  uint32_t count, room;
};

struct covering {
  const struct history *h;
  const struct check_options *options;
  const struct verdict *verdict;
  struct error *error;
  struct patience patience;
  struct history taken; // with arrays `saw` and `element` of its own
  struct assumed_reads assumed_reads;
  struct facts *facts;
  struct nogood *nogoods;
  uint32_t nnogoods;
};

static void take_open(struct covering *c) {
  const struct history *h = c->h;
  c->taken = *h;
  c->taken.saw = ids_copy(h->saw, h->nops);
  c->taken.element = ids_copy(h->element, h->nelements);
  assumed_reads_open(&c->assumed_reads, &c->taken);
}

static void take_close(struct covering *c) {
  assumed_reads_close(&c->assumed_reads);
  free(c->taken.saw);
  free(c->taken.element);
}

// --- Nogoods.

static int by_place(const void *a, const void *b) {
  const struct assumed_read *x = a, *y = b;
  if (x->place != y->place)
    return (x->place > y->place) - (x->place < y->place);
  return (x->writer > y->writer) - (x->writer < y->writer);
}

static void add(struct nogood *nogood, uint32_t place, uint32_t writer) {
  ARRAY_RESERVE(nogood->items, nogood->count, nogood->room);
  nogood->items[nogood->count++] = (struct assumed_read){place, writer};
}

static void settle(struct nogood *nogood) {
  uint32_t n = 0;
  if (nogood->count)
    qsort(nogood->items, nogood->count, sizeof *nogood->items, by_place);
  for (uint32_t i = 0; i < nogood->count; i++)
    if (!n || by_place(&nogood->items[n - 1], &nogood->items[i]))
      nogood->items[n++] = nogood->items[i];
  nogood->count = n;
}

// Names the assumptions that the part of a case rests on.  Reads of aborted
// transactions bind nobody.
static void name_assumed_reads(const struct history *h, const struct verdict *v,
                               struct nogood *nogood) {
  for (uint32_t i = 0; i < v->npart; i++) {
    assert(v->part[i] < h->nops); // the part was verified
    const uint32_t op = v->part[i], saw = h->saw[op];
    if (h->outcome[history_txn(h, op)] == OUTCOME_ABORTED)
      continue;
    if (h->kind[op] == OP_READ_LIST) {
      for (uint32_t e = h->list[saw].first; e < history_list_end(h, saw); e++)
        if (history_is_ambiguous(h, h->key[op], h->element[e]))
          add(nogood, h->nops + e, h->element[e]);
    } else if (op_reads(h->kind[op]) &&
               history_is_ambiguous(h, h->key[op], saw)) {
      add(nogood, op, saw);
    }
  }
  settle(nogood);
}

static enum verified verify_case(struct covering *c, const struct verdict *v) {
  if (v->kind != VERDICT_VIOLATION) {
    error_set(c->error, "a case of the proof is no violation");
    return VERIFY_REFUSED;
  }
  if (assumed_reads_take(&c->assumed_reads, v->assumed_reads, v->nassumed_reads,
                         c->error))
    return VERIFY_REFUSED;
  const enum verified result =
      verify_violation(&c->taken, c->options, v, c->error);
  if (result == VERIFIED)
    name_assumed_reads(&c->taken, v, &c->nogoods[c->nnogoods++]);
  return result;
}

// --- Steps.

// The writers that what is at the place may have seen and that are not ruled
// out, as a nogood that says that it saw all of them.
static int name_writers(struct covering *c, uint32_t place,
                        struct nogood *writers) {
  const struct history *h = &c->taken;
  const uint32_t nops = h->nops;
  if (place >= nops && place - nops >= h->nelements)
    return error_set(c->error, "a step of the proof names no read");
  const bool is_read = place >= nops || (op_reads(h->kind[place]) &&
                                         h->kind[place] != OP_READ_LIST);
  const uint32_t saw = !is_read        ? SAW_THIN_AIR
                       : place >= nops ? h->element[place - nops]
                                       : h->saw[place];
  if (saw != SAW_INITIAL && saw >= nops)
    return error_set(c->error, "a step of the proof names no read");
  const uint32_t start = saw == SAW_INITIAL ? nops + h->key[place] : saw;
  uint32_t version = start;
  do {
    if (patience_ends(&c->patience, 1))
      return -1;
    const uint32_t writer = version >= nops ? SAW_INITIAL : version;
    if (!facts_rule_out(c->facts, place, writer))
      add(writers, place, writer);
  } while ((version = h->again[version]) != start);
  settle(writers);
  return 0;
}

// Takes from `writers` what the nogood names for the place, if that is but one,
// or all, if it names none; adds what it names for others.
static void resolve(const struct nogood *nogood, uint32_t place,
                    struct nogood *writers, struct nogood *resolvent) {
  const struct assumed_read *named = NULL;
  uint32_t n = 0;
  for (uint32_t i = 0; i < nogood->count; i++)
    if (nogood->items[i].place == place) {
      named = &nogood->items[i];
      n++;
    }
  if (n > 1)
    return;
  for (uint32_t i = 0; i < nogood->count; i++)
    if (nogood->items[i].place != place)
      add(resolvent, nogood->items[i].place, nogood->items[i].writer);
  if (!n)
    writers->count = 0;
  for (uint32_t i = 0; i < writers->count; i++)
    if (writers->items[i].writer == named->writer)
      writers->items[i--] = writers->items[--writers->count];
}

static uint32_t effort_of(const struct covering *c, uint32_t nogood,
                          const struct nogood *writers) {
  return 1 + writers->count +
         (nogood < c->nnogoods ? c->nogoods[nogood].count : 0);
}

static int verify_step(struct covering *c, const struct cover_step *step) {
  struct nogood writers = {0}, *resolvent = &c->nogoods[c->nnogoods];
  int result = name_writers(c, step->place, &writers);
  for (uint32_t i = step->first; i < step->end && !result; i++) {
    const uint32_t nogood = c->verdict->cover.premises[i];
    if (patience_ends(&c->patience, effort_of(c, nogood, &writers)))
      result = -1;
    else if (nogood >= c->nnogoods)
      result = error_set(c->error, "a step of the proof rests on a later step");
    else
      resolve(&c->nogoods[nogood], step->place, &writers, resolvent);
  }
  if (!result && writers.count)
    result = error_set(
        c->error,
        "a step of the proof leaves out a write that read %u may have seen",
        step->place);
  settle(resolvent);
  c->nnogoods++;
  free(writers.items);
  return result;
}

static enum verified verify_steps(struct covering *c) {
  const struct cover *cover = &c->verdict->cover;
  int result = 0;
  for (uint32_t s = 0; s < cover->nsteps && !result; s++)
    result = verify_step(c, &cover->steps[s]);
  assert(c->nnogoods > 0 &&
         c->nnogoods <= 1 + c->verdict->ncases + cover->nsteps);
  if (!result && c->nogoods[c->nnogoods - 1].count)
    result = error_set(c->error,
                       "the cases leave a way to take all reads of values that "
                       "were written more than once");
  return verified(result, &c->patience);
}

// --- Public.

static bool lost_something(const struct history *h) {
  bool lost = false;
  for (uint32_t op = 0; op < h->nops && !lost; op++)
    lost = op_reads(h->kind[op]) && h->kind[op] != OP_READ_LIST &&
           h->saw[op] == SAW_LOST;
  for (uint32_t e = 0; e < h->nelements && !lost; e++)
    lost = h->element[e] == SAW_LOST;
  return lost;
}

static enum verified verify_cases(struct covering *c) {
  const struct verdict *v = c->verdict;
  c->facts = facts_open(c->h, c->options, &c->patience);
  enum verified result = c->patience.ended ? VERIFY_STOPPED : verify_case(c, v);
  for (uint32_t i = 0; i < v->ncases && result == VERIFIED; i++)
    result = verify_case(c, &v->cases[i]);
  if (result == VERIFIED)
    result = verify_steps(c);
  facts_close(c->facts);
  return result;
}

static enum verified verify_taken_pass(struct covering *c) {
  const struct verdict *v = c->verdict;
  if (assumed_reads_take(&c->assumed_reads, v->assumed_reads, v->nassumed_reads,
                         c->error))
    return VERIFY_REFUSED;
  struct history seen = c->taken;
  uint8_t *kind = settled_kinds(&seen, c->options);
  seen.kind = kind ? kind : seen.kind;
  struct verdict_counts counts;
  uint8_t *counted = settled_count(&seen, &counts);
  const enum verified result =
      verify_pass(&c->taken, counted, c->options, v, c->error);
  free(counted);
  free(kind);
  return result;
}

static int check_claim(const struct history *h, struct error *error) {
  if (!h->again)
    return error_set(error, "no value was written more than once");
  if (lost_something(h)) // what counts would depend on what was seen
    return error_set(error, "part of the history is lost");
  return 0;
}

enum verified verify_ambiguous(const struct history *history,
                               const struct check_options *options,
                               const struct verdict *verdict,
                               struct error *error) {
  struct covering c = {.patience = {.stop = options->stop},
                       .h = history,
                       .options = options,
                       .verdict = verdict,
                       .error = error};
  if (check_claim(history, error))
    return VERIFY_REFUSED;
  const uint32_t room = 1 + verdict->ncases + verdict->cover.nsteps;
  take_open(&c);
  c.nogoods = xcalloc(room, sizeof *c.nogoods);
  const enum verified result =
      verdict->kind == VERDICT_PASS ? verify_taken_pass(&c) : verify_cases(&c);
  for (uint32_t i = 0; i < room; i++)
    free(c.nogoods[i].items);
  free(c.nogoods);
  take_close(&c);
  return result;
}
