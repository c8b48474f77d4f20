// SPDX-License-Identifier: GPL-3.0-or-later
// Jepsen's full analysis of a set.  An element is known once its addition
// succeeded or a read saw it.  It is lost if a read that began after it was
// known lacks it, and no read that began later sees it again.  With
// linearizable=1, one that comes back was stale meanwhile, which is a broken
// promise, too.
#include "config.h"

#include "models/elements.h"

#include "base/memory.h"

#include <stdlib.h>

enum { LINEARIZABLE };

#define NO_READ UINT32_MAX

// Instants of events in the log, 0 if there is none.
struct life {
  uint64_t known;
  uint64_t present, absent; // where the last read that saw it began; lacked it
  uint32_t lacking;         // that read
  uint32_t stale;           // a read that lacked it although it was known
};

struct analysis {
  struct elements elements;
  struct life *lives; // by element
  uint32_t nlives;
  uint32_t *reads; // those that succeeded, in the order of their ends
  uint32_t nreads, room;
};

static int by_event(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

// Sorts pairs of an instant and an operation.
static void sort_reads(struct analysis *a) {
  const struct log *log = a->elements.log;
  uint64_t(*pairs)[2] = xmalloc((a->nreads + 1) * sizeof *pairs);
  for (uint32_t i = 0; i < a->nreads; i++) {
    pairs[i][0] = log->ops[a->reads[i]].completed;
    pairs[i][1] = a->reads[i];
  }
  qsort(pairs, a->nreads, sizeof *pairs, by_event);
  for (uint32_t i = 0; i < a->nreads; i++)
    a->reads[i] = (uint32_t)pairs[i][1];
  free(pairs);
}

static void take_set_reads(struct analysis *a) {
  const struct log *log = a->elements.log;
  for (uint32_t i = 0; i < log->nops; i++)
    if (log->ops[i].outcome == OUTCOME_OK &&
        log_op_is(log, &log->ops[i], "read")) {
      ARRAY_RESERVE(a->reads, a->nreads, a->room);
      a->reads[a->nreads++] = i;
    }
  sort_reads(a);
}

static void grow_lives(struct analysis *a) {
  const uint32_t count = a->elements.count;
  a->lives = xrealloc(a->lives, count + 1, sizeof *a->lives);
  for (; a->nlives < count; a->nlives++) {
    const uint32_t addition = a->elements.list[a->nlives].addition;
    const struct log_op *op =
        addition == NO_ADDITION ? NULL : &a->elements.log->ops[addition];
    a->lives[a->nlives] = (struct life){
        .known = op && op->outcome == OUTCOME_OK ? op->completed : 0,
        .lacking = NO_READ,
        .stale = NO_READ};
  }
}

static void note_set_read(struct analysis *a, uint32_t read) {
  const struct log_op *op = &a->elements.log->ops[read];
  for (uint32_t i = 0; i < a->nlives; i++) {
    struct life *life = &a->lives[i];
    if (a->elements.list[i].stamp == read + UINT64_C(1)) {
      if (!life->known || op->completed < life->known)
        life->known = op->completed;
      life->present = op->invoked > life->present ? op->invoked : life->present;
    } else if (op->invoked >= life->absent) {
      life->absent = op->invoked;
      life->lacking = read;
      if (life->known && life->known < op->invoked)
        life->stale = read;
    }
  }
}

static bool was_element_lost(const struct life *life) {
  return life->known && life->known < life->absent &&
         life->present < life->absent;
}

static uint64_t judge_elements(const struct analysis *a, const int64_t *options,
                               struct model_answer *answer) {
  uint64_t stable = 0;
  for (uint32_t i = 0; i < a->nlives; i++) {
    const struct life *life = &a->lives[i];
    const struct element *e = &a->elements.list[i];
    stable += life->present > life->absent;
    if (e->addition == NO_ADDITION)
      continue;
    if (was_element_lost(life))
      elements_break(&a->elements,
                     &(struct breach){i,
                                      "LostElement",
                                      "The set lost",
                                      ": a read lacks it that began after it "
                                      "was known, and so do all later ones.",
                                      {e->addition, life->lacking}},
                     answer);
    else if (options[LINEARIZABLE] == 1 && life->stale != NO_READ)
      elements_break(&a->elements,
                     &(struct breach){i,
                                      "StaleRead",
                                      "A read lacks",
                                      ", although it began after the element "
                                      "was known.",
                                      {e->addition, life->stale}},
                     answer);
  }
  return stable;
}

static int analyse_set(struct analysis *a, const int64_t *options,
                       struct model_answer *answer, struct error *error) {
  if (elements_note_additions(&a->elements, error))
    return -1;
  take_set_reads(a);
  for (uint32_t i = 0; i < a->nreads; i++) {
    if (elements_mark(&a->elements, a->reads[i], answer, error))
      return -1;
    grow_lives(a);
    note_set_read(a, a->reads[i]);
  }
  answer->checked = a->nreads;
  if (!judge_elements(a, options, answer))
    model_leave_open(answer, "No element was seen by the last reads, so "
                             "nothing shows that additions last.");
  return 0;
}

static int hold_full_set(const struct log *log, const int64_t *options,
                         struct model_answer *answer, struct error *error) {
  struct analysis a = {.elements = {.log = log}};
  const int status = analyse_set(&a, options, answer, error);
  elements_free(&a.elements);
  FREE_EACH(a.lives, a.reads);
  return status;
}

const struct log_model model_set_full = {
    .name = "set-full",
    .summary = "an element that was added stays in the set",
    .options = {[LINEARIZABLE] = {"linearizable",
                                  "1: it is there for every read that begins "
                                  "after it is known"}},
    .functions = {"read", "add"},
    .reads = model_is_list,
    .check = hold_full_set};
