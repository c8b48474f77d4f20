// SPDX-License-Identifier: GPL-3.0-or-later
// Proves, cuts down and chooses what is shown (checker/explain/examples.h).
#include "config.h"

#include "checker/explain/examples.h"

#include "base/memory.h"
#include "checker/evidence/evidence.h"
#include "checker/explain/clarity.h"
#include "checker/explain/counterexample.h"
#include "checker/graph/classify.h"
#include "checker/verify/verify.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct verdict examples_violation(const struct example_search *s,
                                  enum anomaly anomaly) {
  struct verdict violation = verdict_open(&s->options->question);
  violation.kind = VERDICT_VIOLATION;
  violation.anomaly = anomaly;
  violation.counts = s->verdict->counts;
  return violation;
}

static bool has_same_part(const struct verdict *a, const struct verdict *b) {
  return a->npart == b->npart &&
         (!a->npart || !memcmp(a->part, b->part, a->npart * sizeof *a->part));
}

// Is the part rightly called by its cycle?  Not if it breaks a weaker level
// than such a cycle does.
static bool fits_its_name(const struct example_search *s,
                          const struct verdict *v) {
  return violation_weakest(v) <= v->broken || s->options->question.real_time;
}

// The read as the engine takes it, which knows no rows.
static struct wrong_read wrong_read_of(const struct verdict *v) {
  return (struct wrong_read){v->anomaly == ANOMALY_LOST_UPDATE
                                 ? ANOMALY_NON_REPEATABLE_READS
                                 : v->anomaly,
                             v->op, v->other_op};
}

// Makes what was found a violation that is proved, with its own part; false,
// with nothing in `verdict`, if that is not one of the same name.
static bool prove_found(const struct example_search *s,
                        const struct verdict *found, struct verdict *verdict) {
  const struct model *m = s->m;
  struct error error;
  const size_t bytes = found->nedges * sizeof *found->edges;
  struct cycle cycle = {found->anomaly, found->nedges, NULL};
  const struct wrong_read wrong_read = wrong_read_of(found);
  assert(found->nedges || found->op < m->h->nops);
  *verdict = examples_violation(s, ANOMALY_NONE);
  if (found->nedges)
    cycle.edges = memcpy(xmalloc(bytes), found->edges, bytes);
  const int failed =
      found->nedges
          ? counterexample_of_cycle(m, s->options, &cycle, true, verdict,
                                    &error)
          : counterexample_of_read(m, s->options, &wrong_read, verdict, &error);
  if (!failed && verdict->kind == VERDICT_VIOLATION &&
      verdict->anomaly == found->anomaly && fits_its_name(s, verdict) &&
      verify_violation(m->h, s->options, verdict, &error) == VERIFIED)
    return true;
  verdict_free(verdict);
  return false;
}

// Proves an example and replaces it by the proved one.
static bool prove_example(const struct example_search *s,
                          struct verdict *example) {
  struct verdict found = *example;
  const bool proved = prove_found(s, &found, example);
  verdict_free(&found);
  return proved;
}

static void tell_first_example(const struct example_search *s,
                               struct verdict *other) {
  const struct verdict was = *s->verdict;
  *s->verdict = *other;
  *other = was;
}

void examples_put_first(const struct example_search *s, struct shelf *shelf,
                        enum anomaly wanted) {
  bool told = wanted == s->verdict->anomaly;
  uint32_t n = 0;
  for (uint32_t i = 0; i < shelf->count; i++) {
    struct verdict example = shelf->items[i];
    if (told) {
      shelf->items[n++] = example;
    } else if (prove_example(s, &example)) {
      told = true;
      tell_first_example(s, &example);
      verdict_free(&example);
    }
  }
  shelf->count = n;
}

static uint32_t txns_of_part(const struct example_search *s,
                             const struct verdict *v) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < v->npart; i++)
    n += !i || s->m->txn_of[v->part[i]] != s->m->txn_of[v->part[i - 1]];
  return n;
}

static int compare_numbers(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

// Which is smaller to tell?  Of parts with equally many transactions one with a
// cycle is told more easily than one with an argument alone.  A part that shows
// no other anomaly comes first.  Who only wrote what a wrong read of a row
// should not have seen is not told.
static int compare_parts(const struct example_search *s,
                         const struct verdict *a, const struct verdict *b) {
  const bool reads = a->op != UINT32_MAX && b->op != UINT32_MAX;
  int order = compare_numbers(a->has_more, b->has_more);
  if (!order && reads)
    order = compare_numbers(violation_obscurity(s->m->h, a),
                            violation_obscurity(s->m->h, b));
  if (!order)
    order = compare_numbers(txns_of_part(s, a), txns_of_part(s, b));
  if (!order)
    order = compare_numbers(violation_obscurity(s->m->h, a),
                            violation_obscurity(s->m->h, b));
  if (!order)
    order = compare_numbers(verdict_by_argument(a), verdict_by_argument(b));
  return order ? order : compare_numbers(a->npart, b->npart);
}

// The earlier one in the history, if they are equally small.
static int compare_examples(const void *a, const void *b, void *context) {
  const struct verdict *one = a, *other = b;
  int order = compare_parts(context, one, other);
  for (uint32_t i = 0; i < one->npart && !order; i++)
    order = compare_numbers(one->part[i], other->part[i]);
  return order;
}

static void sort_shelf(const struct example_search *s, struct shelf *shelf) {
  struct example_search context = *s;
  if (shelf->count > 1)
    qsort_r(shelf->items, shelf->count, sizeof *shelf->items, compare_examples,
            &context);
}

// Parts are looked at until there are enough to show and so many operations
// were to be cut down: small ones are compared, large ones take too long.
enum { OPERATIONS_COMPARED = 1000 };

static uint32_t operations_to_cut_down(const struct example_search *s,
                                       const struct verdict *found) {
  struct operations ops =
      found->nedges ? evidence_of_cycle(s->m, found->edges, found->nedges)
                    : evidence_of_read(s->m, found->op, found->other_op);
  free(ops.op);
  return ops.count;
}

// Leaves only those that are proved on the shelf, the smallest parts first.
static void prove_and_sort(const struct example_search *s,
                           struct shelf *shelf) {
  uint32_t n = 0, nproved = 0, nops = 0;
  for (uint32_t i = 0; i < shelf->count; i++) {
    struct verdict example = shelf->items[i];
    bool proved = false;
    if ((nproved > 0 && nproved < s->options->max_examples) ||
        nops <= OPERATIONS_COMPARED) {
      nops += operations_to_cut_down(s, &example);
      proved = prove_example(s, &example);
      nproved += proved;
    }
    if (proved)
      shelf->items[n++] = example;
    else
      verdict_free(&example);
  }
  shelf->count = n;
  sort_shelf(s, shelf);
}

static bool is_example_shown(const struct example_search *s,
                             const struct verdict *other) {
  bool shown = has_same_part(other, s->verdict);
  for (uint32_t i = 0; i < s->tally.nothers && !shown; i++)
    shown = has_same_part(other, &s->tally.others[i]);
  return shown;
}

void tally_add(struct example_tally *tally, const struct verdict *other) {
  tally->others =
      xrealloc(tally->others, tally->nothers + 1, sizeof *tally->others);
  tally->others[tally->nothers++] = *other;
}

void examples_add(struct example_search *s, struct shelf *shelf,
                  bool first_is_here) {
  struct example_tally *tally = &s->tally;
  const uint32_t from = tally->nothers;
  assert(s->options->max_examples || !first_is_here);
  const uint32_t room = s->options->max_examples - (first_is_here ? 1 : 0);
  if (room > 0 || first_is_here)
    prove_and_sort(s, shelf);
  if (first_is_here && shelf->count &&
      compare_parts(s, &shelf->items[0], s->verdict) < 0) {
    tell_first_example(s, &shelf->items[0]);
    sort_shelf(s, shelf);
  }
  for (uint32_t i = 0; i < shelf->count; i++) {
    struct verdict *other = &shelf->items[i];
    if (tally->nothers - from == room || is_example_shown(s, other)) {
      verdict_free(other);
      continue;
    }
    tally_add(tally, other);
  }
  free(shelf->items);
}
