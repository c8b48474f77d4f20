// SPDX-License-Identifier: GPL-3.0-or-later
// The times of several clocks on one line (recorder/files/set.h).  A bound is
// made wider the farther it is away, by the drift that is assumed; of all
// bounds the narrowest result holds.  Real time then only says that one
// transaction came before another where that is so for all clocks that keep the
// bounds: intervals that are too long never order what was not ordered.
#include "config.h"

#include "recorder/files/set.h"

#include "base/memory.h"
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// ns that may pass between two clocks in a time.
static int64_t drift_in(int64_t ns) {
  return (ns < 0 ? -ns : ns) / (1000000 / SET_DRIFT_PPM) + 1;
}

// Each bound is one at the next one's time, too, and at that of the one before.
// False: two contradict each other.
static bool tighten(struct set_bounds *b) {
  bool sound = true;
  for (uint32_t i = 1; i < b->n; i++) {
    const struct set_bound *before = &b->all[i - 1];
    struct set_bound *this = &b->all[i];
    const int64_t drift = drift_in(this->at - before->at);
    if (before->low - drift > this->low)
      this->low = before->low - drift;
    if (before->high + drift < this->high)
      this->high = before->high + drift;
    sound &= this->low <= this->high;
  }
  for (uint32_t i = b->n; sound && i > 1; i--) {
    const struct set_bound *after = &b->all[i - 1];
    struct set_bound *this = &b->all[i - 2];
    const int64_t drift = drift_in(after->at - this->at);
    if (after->low - drift > this->low)
      this->low = after->low - drift;
    if (after->high + drift < this->high)
      this->high = after->high + drift;
    sound &= this->low <= this->high;
  }
  return sound;
}

// The bound at a time; *next goes on from one time to the next.
static struct set_bound bound_at(const struct set_bounds *b, int64_t time,
                                 uint32_t *next) {
  while (*next < b->n && b->all[*next].at < time)
    ++*next;
  struct set_bound bound = {time, INT64_MIN, INT64_MAX};
  for (uint32_t i = *next ? *next - 1 : 0; i <= *next && i < b->n; i++) {
    const int64_t drift = drift_in(time - b->all[i].at);
    if (b->all[i].low - drift > bound.low)
      bound.low = b->all[i].low - drift;
    if (b->all[i].high + drift < bound.high)
      bound.high = b->all[i].high + drift;
  }
  return bound;
}

static uint64_t moved(uint64_t time, int64_t by) {
  return by < 0 && (uint64_t)-by > time ? 0 : time + (uint64_t)by;
}

static int64_t middle_of_bound(const struct set_bound *bound) {
  return bound->low + (bound->high - bound->low) / 2;
}

// Ends and begins of transactions, sorted, to count pairs by.
struct instants {
  uint64_t *begin, *end;
  uint32_t n;
};

static int by_instant(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// How many pairs of one that ended before the other began.
static uint64_t count_ordered(struct instants *i) {
  struct patience patience = {0};
  uint64_t pairs = 0;
  uint32_t ended = 0;
  sort_patiently(i->begin, i->n, sizeof *i->begin, by_instant, &patience);
  sort_patiently(i->end, i->n, sizeof *i->end, by_instant, &patience);
  for (uint32_t t = 0; t < i->n; t++) {
    while (ended < i->n && i->end[ended] < i->begin[t])
      ended++;
    pairs += ended;
  }
  return pairs;
}

static struct instants copy_instants(const struct history *h) {
  struct instants i = {.begin = xmalloc_large(h->ntxns, sizeof *i.begin),
                       .end = xmalloc_large(h->ntxns, sizeof *i.end)};
  for (uint32_t t = 0; t < h->ntxns; t++)
    if (h->begin[t] != TIME_UNKNOWN && h->end[t] != TIME_UNKNOWN) {
      i.begin[i.n] = h->begin[t];
      i.end[i.n++] = h->end[t];
    }
  return i;
}

static uint64_t count_and_free(struct instants i) {
  const uint64_t pairs = count_ordered(&i);
  FREE_EACH(i.begin, i.end);
  return pairs;
}

// By the middle of the bounds, or by what they allow.
enum how { BY_MIDDLE, BY_BOUNDS };

// Moves the times of a transaction's operations along, within its own.
static void move_operations(struct history *h, uint32_t txn, int64_t by) {
  for (uint32_t op = h->txn_first[txn];
       h->op_begin && op < h->txn_first[txn + 1]; op++) {
    h->op_begin[op] = moved(h->op_begin[op], by);
    h->op_end[op] = moved(h->op_end[op], by);
  }
}

static void move_session(struct history *h, uint32_t session,
                         const struct set_bounds *b, enum how how,
                         uint64_t *width) {
  uint32_t next = 0, next_end = 0;
  for (uint32_t t = h->session_first[session];
       t < h->session_first[session + 1]; t++) {
    if (h->begin[t] == TIME_UNKNOWN)
      continue;
    const struct set_bound begin = bound_at(b, (int64_t)h->begin[t], &next);
    const uint64_t wide = (uint64_t)(begin.high - begin.low);
    *width = wide > *width ? wide : *width;
    h->begin[t] = moved(h->begin[t],
                        how == BY_MIDDLE ? middle_of_bound(&begin) : begin.low);
    if (how == BY_BOUNDS)
      move_operations(h, t, middle_of_bound(&begin));
    if (h->end[t] == TIME_UNKNOWN)
      continue;
    const struct set_bound end = bound_at(b, (int64_t)h->end[t], &next_end);
    h->end[t] =
        moved(h->end[t], how == BY_MIDDLE ? middle_of_bound(&end) : end.high);
  }
}

// Nothing is known of the times of a clock that contradicts itself.
static void forget_session(struct history *h, uint32_t session) {
  for (uint32_t t = h->session_first[session];
       t < h->session_first[session + 1]; t++)
    h->begin[t] = h->end[t] = TIME_UNKNOWN;
}

static bool needs_moving(const struct history_part *part) {
  return !part->exact && part->state != PART_MISSING &&
         part->state != PART_FOREIGN;
}

static void move_part(struct history *h, struct history_part *part,
                      const struct set_bounds *b, enum how how) {
  const uint32_t end = part->first_session + part->nsessions;
  assert(end <= h->nsessions);
  part->width = 0;
  for (uint32_t s = part->first_session; s < end; s++)
    if (part->jumped)
      forget_session(h, s);
    else
      move_session(h, s, b, how, &part->width);
}

static void move_all(struct history *h, const struct set_bounds *b,
                     enum how how) {
  for (uint32_t i = 0; i < h->parts->n; i++)
    if (needs_moving(&h->parts->part[i]))
      move_part(h, &h->parts->part[i], &b[i], how);
}

// Pairs as they would be ordered by the middle of all bounds; the times are
// left as they were.
static uint64_t count_by_middle(const struct history *h,
                                const struct set_bounds *b) {
  struct history moved_copy = *h;
  const size_t bytes = h->ntxns * sizeof *h->begin;
  moved_copy.begin =
      memcpy(xmalloc_large(h->ntxns, sizeof *h->begin), h->begin, bytes);
  moved_copy.end =
      memcpy(xmalloc_large(h->ntxns, sizeof *h->end), h->end, bytes);
  move_all(&moved_copy, b, BY_MIDDLE);
  const uint64_t pairs = count_and_free(copy_instants(&moved_copy));
  FREE_EACH(moved_copy.begin, moved_copy.end);
  return pairs;
}

void set_align(struct history *h, struct set_bounds *bounds) {
  bool any = false;
  for (uint32_t i = 0; i < h->parts->n; i++) {
    struct history_part *part = &h->parts->part[i];
    if (!needs_moving(part))
      continue;
    any = true;
    part->jumped = !tighten(&bounds[i]) || !bounds[i].n;
  }
  if (!any || !h->begin || !h->ntxns)
    return;
  const uint64_t by_middle = count_by_middle(h, bounds);
  move_all(h, bounds, BY_BOUNDS);
  if (h->rows) // those of statements would not be between them
    statement_times_free(&h->rows->times);
  const uint64_t by_bounds = count_and_free(copy_instants(h));
  h->parts->unordered = by_middle > by_bounds ? by_middle - by_bounds : 0;
}
