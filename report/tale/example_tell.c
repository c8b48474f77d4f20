// SPDX-License-Identifier: GPL-3.0-or-later
// The story of a counterexample: what its sessions did, in the order of real
// time (report/tale/example.h).
#include "config.h"

#include "report/tale/example.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Something that happened: a transaction begins or ends, or does an operation.
struct example_event {
  uint64_t time;
  uint32_t order; // of events at the same time: as they were made
  const char *sentence;
};

struct example_telling {
  struct example *e;
  struct example_event *events;
  uint32_t count, room;
};

static void put_told_happening(struct example_telling *t, uint64_t time,
                               const char *sentence) {
  ARRAY_RESERVE(t->events, t->count, t->room);
  t->events[t->count] = (struct example_event){time, t->count, sentence};
  t->count++;
}

// "read key 1 = 2, read key 3 = 4 and wrote key 1 = 5", in the arena.
static const char *deeds_of(struct example *e, const struct example_txn *txn) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  for (uint32_t op = txn->first_op; op < txn->end_op; op++) {
    const bool last = op + 1 == txn->end_op && !txn->nleft_out;
    const char *comma = op == txn->first_op ? "" : last ? " and " : ", ";
    fprintf(out, "%s%s", comma, e->ops[op].sentence);
  }
  if (txn->nleft_out)
    fprintf(out, "%sdid %" PRIu32 " more operation%s",
            txn->first_op < txn->end_op ? " and " : "", txn->nleft_out,
            txn->nleft_out > 1 ? "s" : "");
  if (!txn->nleft_out && txn->first_op == txn->end_op)
    fputs("did nothing", out);
  fclose(out);
  const char *kept = arena_strdup(&e->arena, text);
  free(text);
  return kept;
}

static const char *fate_of(const struct example_txn *txn) {
  return !strcmp(txn->outcome, "unknown")
             ? "never heard whether it had committed"
             : txn->outcome;
}

// " in session N at HOST at level LEVEL", or what of that is known.
static const char *told_place_of(struct example *e,
                                 const struct example_txn *txn) {
  return arena_printf(
      &e->arena, " in session %" PRIu32 "%s%s%s%s", txn->session,
      txn->endpoint ? " at " : "", txn->endpoint ? txn->endpoint : "",
      txn->level ? " at level " : "", txn->level ? txn->level : "");
}

static bool has_op_times(const struct example *e,
                         const struct example_txn *txn) {
  for (uint32_t op = txn->first_op; op < txn->end_op; op++)
    if (e->ops[op].begin == TIME_UNKNOWN)
      return false;
  return txn->first_op < txn->end_op;
}

static void tell_timed(struct example_telling *t,
                       const struct example_txn *txn) {
  struct example *e = t->e;
  struct arena *arena = &e->arena;
  if (has_op_times(e, txn)) {
    put_told_happening(
        t, txn->begin,
        arena_printf(arena, "%s began%s.", txn->name, told_place_of(e, txn)));
    for (uint32_t op = txn->first_op; op < txn->end_op; op++)
      put_told_happening(
          t, e->ops[op].begin,
          arena_printf(arena, "%s %s.", txn->name, e->ops[op].sentence));
  } else {
    put_told_happening(t, txn->begin,
                       arena_printf(arena, "%s began%s: it %s.", txn->name,
                                    told_place_of(e, txn), deeds_of(e, txn)));
  }
  put_told_happening(t, txn->end,
                     arena_printf(arena, "%s %s.", txn->name, fate_of(txn)));
}

static void tell_untimed(struct example_telling *t,
                         const struct example_txn *txn) {
  put_told_happening(t, TIME_UNKNOWN,
                     arena_printf(&t->e->arena, "%s%s %s; it %s.", txn->name,
                                  told_place_of(t->e, txn), deeds_of(t->e, txn),
                                  fate_of(txn)));
}

static int by_time_of_story(const void *a, const void *b) {
  const struct example_event *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

void example_tell(struct example *e) {
  struct example_telling t = {.e = e};
  for (uint32_t i = 0; i < e->ntxns; i++)
    (e->timed ? tell_timed : tell_untimed)(&t, &e->txns[i]);
  if (t.count)
    qsort(t.events, t.count, sizeof *t.events, by_time_of_story);
  e->story = arena_take(&e->arena, (t.count + 1) * sizeof *e->story);
  e->nstory = t.count;
  for (uint32_t i = 0; i < t.count; i++)
    e->story[i] = (struct example_line){t.events[i].time, t.events[i].sentence};
  free(t.events);
}

// Do two different instants look the same in microseconds?
static bool needs_nanoseconds(const struct example *e) {
  for (uint32_t i = 1; i < e->nstory; i++) {
    const uint64_t one = e->story[i - 1].time, other = e->story[i].time;
    if (one != other && other != TIME_UNKNOWN && one / 1000 == other / 1000)
      return true;
  }
  return false;
}

const char *example_kept_without_one(const struct example *e) {
  return e->minimal == ISOLATION_NONE ? NULL
         : e->level == ISOLATION_NONE ? "the level of each transaction"
                                      : isolation_title(e->minimal);
}

bool example_shows_more(const struct example *e) {
  bool more = false;
  for (uint32_t i = 0; i < e->nops; i++)
    more |= !e->ops[i].matters;
  return more && e->read != EXAMPLE_NONE && e->ncycle;
}

const char *example_time(const struct example *e, uint64_t ns, char *buffer) {
  if (ns == TIME_UNKNOWN)
    snprintf(buffer, 32, "later");
  else if (needs_nanoseconds(e))
    snprintf(buffer, 32, "%" PRIu64 ".%09" PRIu64 " s", ns / 1000000000,
             ns % 1000000000);
  else
    snprintf(buffer, 32, "%" PRIu64 ".%06" PRIu64 " s", ns / 1000000000,
             ns % 1000000000 / 1000);
  return buffer;
}

void example_free(struct example *example) {
  arena_free(&example->arena);
  *example = (struct example){0};
}
