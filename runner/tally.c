// SPDX-License-Identifier: GPL-3.0-or-later
// Counting in a session (runner/tally.h).  Nothing here is shared between
// threads but the counters of the progress line, which one thread writes.
#include "config.h"

#include "runner/tally.h"

#include "base/clock.h"
#include "base/memory.h"
#include "runner/places.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_CODES = 64,           // per session; the last row is for all the rest
  FIRST_SECONDS = 64,       // room if the run has no limit in time
  MAX_SECONDS = 10 * 86400, // what comes later counts for the last one
};

// One writer, so no read-modify-write that would lock the bus.
static void count_up(_Atomic uint64_t *counter) {
  const uint64_t old = atomic_load_explicit(counter, memory_order_relaxed);
  atomic_store_explicit(counter, old + 1, memory_order_relaxed);
}

static void grow_seconds(struct tally *tally, uint32_t room) {
  struct run_figures *sum = &tally->sum;
  sum->seconds = xrealloc(sum->seconds, room, sizeof *sum->seconds);
  memset(sum->seconds + tally->seconds_room, 0,
         (room - tally->seconds_room) * sizeof *sum->seconds);
  tally->seconds_room = room;
}

static struct run_second *second_of(struct tally *tally, uint64_t since_start) {
  const uint64_t second = since_start / NS_PER_SECOND;
  const uint32_t i = second < MAX_SECONDS ? (uint32_t)second : MAX_SECONDS - 1;
  if (i >= tally->sum.nseconds) {
    if (i >= tally->seconds_room)
      grow_seconds(tally, 2 * i);
    tally->sum.nseconds = i + 1;
  }
  return &tally->sum.seconds[i];
}

void tally_init(struct tally *tally, const struct workload *workload,
                uint64_t duration) {
  *tally = (struct tally){0};
  figures_init(&tally->sum, workload);
  tally->sum.codes = xcalloc(MAX_CODES, sizeof *tally->sum.codes);
  uint64_t room = duration ? duration / NS_PER_SECOND + 2 : FIRST_SECONDS;
  grow_seconds(tally, room < MAX_SECONDS ? (uint32_t)room : MAX_SECONDS);
}

void tally_fini(struct tally *tally) { run_figures_free(&tally->sum); }

void tally_transaction(struct tally *tally) {
  tally->sum.transactions += tally->measuring;
}

void tally_latency(struct tally *tally, uint32_t shape, uint64_t ns,
                   uint32_t nops) {
  assert(shape < tally->sum.nshapes);
  if (!tally->measuring)
    return;
  tally->sum.operations += nops;
  histogram_add(&tally->sum.shapes[shape].latency, ns);
}

void tally_spent(struct tally *tally, enum outcome outcome, uint32_t tries,
                 uint64_t ns) {
  struct run_figures *sum = &tally->sum;
  if (!tally->measuring)
    return;
  sum->attempt_time += ns;
  if (outcome == OUTCOME_ABORTED)
    sum->wasted_time += ns;
  else if (outcome == OUTCOME_OK)
    sum->retries += tries - 1;
}

void tally_given_up(struct tally *tally) {
  tally->sum.given_up += tally->measuring;
}

void tally_level(struct tally *tally, const char *asked,
                 const char *in_effect) {
  struct run_figures *sum = &tally->sum;
  snprintf(sum->level_asked, sizeof sum->level_asked, "%s", asked);
  snprintf(sum->level_in_effect, sizeof sum->level_in_effect, "%s", in_effect);
}

void tally_begin(struct tally *tally, uint32_t shape) {
  assert(shape < tally->sum.nshapes);
  count_up(&tally->begun);
  tally->sum.begun += tally->measuring;
  tally->sum.shapes[shape].begun += tally->measuring;
}

void tally_end(struct tally *tally, uint32_t shape, enum outcome outcome,
               enum cause cause, uint64_t since_start, uint64_t latency) {
  struct run_figures *sum = &tally->sum;
  struct run_second *second = second_of(tally, since_start);
  struct shape_figures *of_shape = &sum->shapes[shape];
  count_up(&tally->ended[outcome]);
  if (outcome == OUTCOME_ABORTED && cause_is_refusal(cause))
    count_up(&tally->refused);
  if (tally->in_series)
    series_add(&sum->series, since_start, outcome, latency);
  switch (outcome) {
  case OUTCOME_OK:
    second->committed++;
    sum->committed += tally->measuring;
    of_shape->committed += tally->measuring;
    break;
  case OUTCOME_ABORTED:
    second->aborted++;
    sum->aborted += tally->measuring;
    of_shape->aborted += tally->measuring;
    sum->by_cause[cause] += tally->measuring;
    break;
  default:
    assert(outcome == OUTCOME_UNKNOWN);
    second->unknown++;
    sum->unknown += tally->measuring;
    of_shape->unknown += tally->measuring;
  }
}

static_assert(sizeof((struct code_count *)NULL)->code ==
                  sizeof((struct connection *)NULL)->code,
              "codes that are cut off are not found again");

// The row of the code, or NULL.  Runs see a handful of codes, and look them up
// for failed attempts only.
static struct code_count *code_row(const struct run_figures *figures,
                                   enum cause cause, const char *code) {
  for (uint32_t i = 0; i < figures->ncodes; i++)
    if (figures->codes[i].cause == cause &&
        !strcmp(figures->codes[i].code, code))
      return &figures->codes[i];
  return NULL;
}

static void copy_text(char *into, size_t room, const char *text) {
  size_t bytes = strnlen(text, room - 1);
  memcpy(into, text, bytes);
  into[bytes] = '\0';
}

// Room for it must be there.
static struct code_count *add_code(struct run_figures *figures,
                                   enum cause cause, const char *code,
                                   const char *text) {
  struct code_count *row = &figures->codes[figures->ncodes++];
  *row = (struct code_count){.cause = cause};
  copy_text(row->code, sizeof row->code, code);
  copy_text(row->text, sizeof row->text, text);
  return row;
}

void tally_failure(struct tally *tally, enum cause cause, const char *code,
                   const char *text) {
  struct run_figures *sum = &tally->sum;
  if (!tally->measuring)
    return;
  struct code_count *row = code_row(sum, cause, code);
  if (!row && sum->ncodes >= MAX_CODES - 1) {
    cause = CAUSE_OTHER;
    code = "(more codes)";
    row = code_row(sum, cause, code);
  }
  if (!row)
    row = add_code(sum, cause, code, text);
  row->count++;
}

void tally_place(struct tally *tally, struct place_count row, enum cause cause,
                 const char *code, const char *text) {
  row.cause = cause;
  row.count = 1;
  if (!tally->measuring)
    return;
  copy_text(row.code, sizeof row.code, code);
  copy_text(row.text, sizeof row.text, text);
  places_count(&tally->sum, &row);
}

void tally_resolved(struct tally *tally, enum outcome outcome) {
  struct run_figures *sum = &tally->sum;
  sum->resolved_committed += tally->measuring && outcome == OUTCOME_OK;
  sum->resolved_aborted += tally->measuring && outcome == OUTCOME_ABORTED;
}

static void merge_codes(struct run_figures *into,
                        const struct run_figures *from) {
  for (uint32_t i = 0; i < from->ncodes; i++) {
    const struct code_count *code = &from->codes[i];
    struct code_count *row = code_row(into, code->cause, code->code);
    if (!row) {
      into->codes =
          xrealloc(into->codes, into->ncodes + 1, sizeof *into->codes);
      row = add_code(into, code->cause, code->code, code->text);
    }
    row->count += code->count;
  }
}

static void merge_seconds(struct run_figures *into,
                          const struct run_figures *from) {
  if (from->nseconds > into->nseconds) {
    into->seconds =
        xrealloc(into->seconds, from->nseconds, sizeof *into->seconds);
    memset(into->seconds + into->nseconds, 0,
           (from->nseconds - into->nseconds) * sizeof *into->seconds);
    into->nseconds = from->nseconds;
  }
  for (uint32_t i = 0; i < from->nseconds; i++) {
    into->seconds[i].committed += from->seconds[i].committed;
    into->seconds[i].aborted += from->seconds[i].aborted;
    into->seconds[i].unknown += from->seconds[i].unknown;
  }
}

static void merge_shapes(struct run_figures *into,
                         const struct run_figures *from) {
  assert(into->nshapes == from->nshapes);
  for (uint32_t i = 0; i < from->nshapes; i++) {
    into->shapes[i].begun += from->shapes[i].begun;
    into->shapes[i].committed += from->shapes[i].committed;
    into->shapes[i].aborted += from->shapes[i].aborted;
    into->shapes[i].unknown += from->shapes[i].unknown;
    histogram_merge(&into->shapes[i].latency, &from->shapes[i].latency);
  }
}

static void add_session_figures(struct run_figures *into,
                                const struct run_figures *from) {
  struct histogram *latency = xcalloc(1, sizeof *latency);
  for (uint32_t i = 0; i < from->nshapes; i++)
    histogram_merge(latency, &from->shapes[i].latency);
  into->sessions =
      xrealloc(into->sessions, into->nsessions + 1, sizeof *into->sessions);
  into->sessions[into->nsessions++] =
      (struct session_figures){.committed = from->committed,
                               .aborted = from->aborted,
                               .unknown = from->unknown,
                               .p50 = histogram_percentile(latency, 0.5),
                               .p99 = histogram_percentile(latency, 0.99),
                               .longest = latency->max};
  free(latency);
}

// Keeps the first session that ran at another level than asked for.
static void merge_level(struct run_figures *into,
                        const struct run_figures *from) {
  if (*into->level_in_effect)
    return;
  memcpy(into->level_asked, from->level_asked, sizeof into->level_asked);
  memcpy(into->level_in_effect, from->level_in_effect,
         sizeof into->level_in_effect);
}

static void merge_invariant(struct invariant_figures *into,
                            const struct invariant_figures *from) {
  if (from->broken && (!into->broken || from->first_at < into->first_at)) {
    into->first = from->first;
    into->first_at = from->first_at;
  }
  into->checked += from->checked;
  into->broken += from->broken;
}

static void merge_counts(struct run_figures *into,
                         const struct run_figures *from) {
  into->transactions += from->transactions;
  into->begun += from->begun;
  into->committed += from->committed;
  into->aborted += from->aborted;
  into->retries += from->retries;
  into->attempt_time += from->attempt_time;
  into->wasted_time += from->wasted_time;
  into->unknown += from->unknown;
  into->given_up += from->given_up;
  into->resolved_committed += from->resolved_committed;
  into->resolved_aborted += from->resolved_aborted;
  into->not_begun += from->not_begun;
  into->operations += from->operations;
  for (int cause = 0; cause < CAUSE_COUNT; cause++)
    into->by_cause[cause] += from->by_cause[cause];
}

static void assert_equations(const struct run_figures *figures) {
  uint64_t caused = 0;
  for (int cause = 0; cause < CAUSE_COUNT; cause++)
    caused += figures->by_cause[cause];
  assert(figures->aborted == caused);
  assert(figures->by_cause[CAUSE_NONE] == 0);
  assert(figures->begun ==
         figures->committed + figures->aborted + figures->unknown);
  assert(figures->transactions ==
         figures->committed + figures->unknown + figures->given_up);
  uint64_t begun = 0;
  for (uint32_t i = 0; i < figures->nshapes; i++) {
    const struct shape_figures *shape = &figures->shapes[i];
    assert(shape->begun == shape->committed + shape->aborted + shape->unknown);
    assert(shape->committed == shape->latency.count);
    begun += shape->begun;
  }
  assert(figures->begun == begun);
  (void)caused, (void)begun; // for NDEBUG
}

static void assert_whole_run(const struct run_figures *figures) {
  assert(figures->all_begun ==
         figures->all_committed + figures->all_aborted + figures->all_unknown);
  uint64_t ended = 0;
  for (uint32_t i = 0; i < figures->nseconds; i++)
    ended += (uint64_t)figures->seconds[i].committed +
             figures->seconds[i].aborted + figures->seconds[i].unknown;
  assert(figures->all_begun == ended);
  (void)ended; // for NDEBUG
}

void tally_merge(struct run_figures *into, const struct tally *tally) {
  const struct run_figures *from = &tally->sum;
  const uint64_t begun = tally->begun;
  const uint64_t committed = tally->ended[OUTCOME_OK];
  const uint64_t aborted = tally->ended[OUTCOME_ABORTED];
  const uint64_t unknown = tally->ended[OUTCOME_UNKNOWN];
  assert(begun == committed + aborted + unknown);
  into->all_begun += begun;
  into->all_committed += committed;
  into->all_aborted += aborted;
  into->all_unknown += unknown;
  assert_equations(from);
  merge_level(into, from);
  merge_counts(into, from);
  merge_invariant(&into->invariant, &from->invariant);
  merge_codes(into, from);
  places_merge(into, from);
  merge_seconds(into, from);
  merge_shapes(into, from);
  series_merge(&into->series, &from->series);
  add_session_figures(into, from);
}

void figures_init(struct run_figures *figures,
                  const struct workload *workload) {
  *figures = (struct run_figures){0};
  while (workload->shapes[figures->nshapes].name)
    figures->nshapes++;
  figures->shapes = xcalloc(figures->nshapes, sizeof *figures->shapes);
  for (uint32_t i = 0; i < figures->nshapes; i++)
    figures->shapes[i].name = workload->shapes[i].name;
}

// The most frequent first; the rest of the order is for equal output of equal
// runs.
static int by_frequency(const void *a, const void *b) {
  const struct code_count *x = a, *y = b;
  if (x->count != y->count)
    return x->count < y->count ? 1 : -1;
  if (x->cause != y->cause)
    return x->cause > y->cause ? 1 : -1;
  return strcmp(x->code, y->code);
}

void figures_finish(struct run_figures *figures) {
  assert_equations(figures);
  assert_whole_run(figures);
  if (figures->ncodes)
    qsort(figures->codes, figures->ncodes, sizeof *figures->codes,
          by_frequency);
  places_sort(figures);
}

void run_figures_free(struct run_figures *figures) {
  for (uint32_t i = 0; i < figures->nendpoints; i++) {
    free(figures->endpoints[i].name);
    free(figures->endpoints[i].sessions);
  }
  free(figures->endpoints);
  FREE_EACH(figures->codes, figures->places, figures->shapes);
  free(figures->seconds);
  free(figures->sessions);
  series_free(&figures->series);
  *figures = (struct run_figures){0};
}

uint64_t run_refused(const struct run_figures *figures) {
  uint64_t count = 0;
  for (enum cause cause = 0; cause < CAUSE_COUNT; cause++)
    if (cause_is_refusal(cause))
      count += figures->by_cause[cause];
  return count;
}
