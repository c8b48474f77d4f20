// SPDX-License-Identifier: GPL-3.0-or-later
// A part of a history of our own format has to know something of the rest.
// Where only some chunks of each session are there, reads may have seen writes
// of others, earlier or later ones.  Every such write becomes a transaction of
// its own that does nothing else, whose outcome and times are unknown, in a
// session that holds those of one session of the history, in their order.
//
// Whatever this breaks, the whole history breaks.  Say that the whole one keeps
// a level.  Then so does what is left when transactions are taken out that
// nobody left saw; and a transaction of which only writes are left may fall
// apart, at its place in the order, into one for each write, with less session
// order and less real time than before: there are only fewer demands.  A write
// that nobody saw who counts does not count either, since its outcome is
// unknown: it may have been an aborted one.
#include "config.h"

#include "recorder/native/native.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

// A write that was seen and is not there.  One of a value to two keys is two:
// one of them is wrong, and it need not be of a transaction that counts.
struct absent {
  uint64_t value;
  uint32_t key;
  uint8_t kind; // OP_WRITE or OP_APPEND
};

struct past {
  struct loading *l;
  struct absent *writes; // sorted, each once
  uint32_t count, room;
  uint32_t first_op; // of the first one's transaction
};

static int by_odd_place(const void *a, const void *b) {
  const struct absent *x = a, *y = b;
  if (x->value != y->value)
    return (x->value > y->value) - (x->value < y->value);
  if (x->key != y->key)
    return (x->key > y->key) - (x->key < y->key);
  return x->kind - y->kind;
}

static struct absent absent_of(const struct history *h, const struct odd *odd) {
  return (struct absent){.value = odd->value,
                         .key = h->key[odd->op],
                         .kind = op_is_list(h->kind[odd->op]) ? OP_APPEND
                                                              : OP_WRITE};
}

static uint32_t *odd_place(const struct history *h, const struct odd *odd) {
  return op_is_list(h->kind[odd->op]) ? &h->element[odd->element]
                                      : &h->saw[odd->op];
}

static void note_lost_writers(struct past *past) {
  const struct loading *l = past->l;
  for (uint32_t i = 0; i < l->nodd; i++) {
    if (*odd_place(l->history, &l->odd[i]) != SAW_LOST)
      continue;
    ARRAY_RESERVE(past->writes, past->count, past->room);
    past->writes[past->count++] = absent_of(l->history, &l->odd[i]);
  }
}

static void point_at_supplied(const struct past *past) {
  const struct loading *l = past->l;
  for (uint32_t i = 0; i < l->nodd; i++) {
    uint32_t *saw = odd_place(l->history, &l->odd[i]);
    const struct absent write = absent_of(l->history, &l->odd[i]);
    assert(l->odd[i].op < l->history->nops);
    if (*saw == SAW_LOST)
      *saw =
          past->first_op +
          (uint32_t)((struct absent *)bsearch(&write, past->writes, past->count,
                                              sizeof write, by_odd_place) -
                     past->writes);
  }
}

static void sort_once_each(struct past *past) {
  uint32_t n = 0;
  if (past->count)
    qsort(past->writes, past->count, sizeof *past->writes, by_odd_place);
  for (uint32_t i = 0; i < past->count; i++)
    if (!n || by_odd_place(&past->writes[n - 1], &past->writes[i]))
      past->writes[n++] = past->writes[i];
  past->count = n;
}

static void add_transaction(struct history *h, const struct absent *write) {
  assert(write->kind == OP_WRITE || write->kind == OP_APPEND);
  const uint32_t t = h->ntxns++, op = h->nops++;
  h->outcome[t] = OUTCOME_UNKNOWN;
  h->cause[t] = CAUSE_NONE;
  h->level[t] = ISOLATION_NONE;
  if (h->endpoint)
    h->endpoint[t] = HISTORY_NO_ENDPOINT;
  if (h->begin)
    h->begin[t] = h->end[t] = TIME_UNKNOWN;
  h->kind[op] = write->kind;
  h->key[op] = write->key;
  h->value[op] = write->value;
  h->saw[op] = 0;
  h->txn_first[t + 1] = h->nops;
}

// Behind the sessions as many others.
static void add_past_sessions(struct past *past) {
  struct history *h = past->l->history;
  const uint32_t n = h->nsessions;
  uint32_t i = 0;
  history_reserve_txns(h, (size_t)h->ntxns + past->count);
  history_reserve_ops(h, (size_t)h->nops + past->count);
  h->session_first =
      xrealloc(h->session_first, 2 * (size_t)n + 1, sizeof *h->session_first);
  for (uint32_t s = 0; s < n; s++) {
    for (; i < past->count && value_session(past->writes[i].value) == s; i++)
      add_transaction(h, &past->writes[i]);
    h->session_first[n + s + 1] = h->ntxns;
  }
  h->nsessions = 2 * n;
}

// The times of operations are not known of all, and nobody needs them.
static void drop_op_times(struct history *h) {
  free(h->op_begin);
  free(h->op_end);
  h->op_begin = h->op_end = NULL;
}

void native_supply_past(struct loading *l) {
  assert(l->history->nkeys || !l->nodd);
  struct past past = {.l = l, .first_op = l->history->nops};
  note_lost_writers(&past);
  sort_once_each(&past);
  history_spell_values(l->history);
  add_past_sessions(&past);
  point_at_supplied(&past);
  drop_op_times(l->history);
  free(past.writes);
}
