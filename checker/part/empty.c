// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the transactions without operations that matter (checker/part/empty.h).
//
// An empty transaction e that comes before another one, t, in a session leads
// to t, so each transaction that had ended before e began comes before t.  If
// clocks were wrong, the times of t do not say so.  Two sessions:
//
//   w@0..2
//   e@3..4  t@1..5
//
// The transaction w comes before e and so before t, though t began before w
// ended.  Of several such e, the one that began last says it all.  In the other
// direction, the empty transaction behind t that ended first says which
// transactions t comes before.
//
// Empty transactions alone can contradict each other.  "Ended before the other
// began" is an interval order; so a cycle of them has one session in which a
// later one ended before an earlier one began.
//
// Where levels are mixed, only those at strict serializability must come after
// what ended before they began, so these are looked at by themselves, too.
#include "config.h"

#include "checker/part/empty.h"

#include "checker/part/subhistory.h"

#include <assert.h>

enum whose { ANYBODYS, STRICT_ONES, WHOSE_COUNT };

static const uint32_t nobody = UINT32_MAX;

struct looking {
  const struct history *h;
  const struct operations *ops; // that are told of
  struct ids *telling;
  bool contradicted[WHOSE_COUNT]; // a pair was found
};

static bool is_empty_txn(const struct history *h, uint32_t t) {
  return h->txn_first[t] == h->txn_first[t + 1] && h->outcome[t] == OUTCOME_OK;
}

static bool any_empty(const struct history *h) {
  uint32_t any = 0;
  for (uint32_t t = 0; t < h->ntxns; t++)
    any |= is_empty_txn(h, t);
  return any;
}

static bool is_one_of(const struct history *h, enum whose whose, uint32_t t) {
  return whose == ANYBODYS || h->level[t] == ISOLATION_SSER;
}

// Updates `latest`, per kind the empty transaction of the session that began
// last, by t, which is empty.  Tells the first two that contradict each other.
static void meet_empty(struct looking *l, uint32_t t, uint32_t *latest) {
  const struct history *h = l->h;
  for (enum whose whose = 0; whose < WHOSE_COUNT; whose++) {
    const uint32_t before = latest[whose];
    if (before != nobody && history_ended(h, t) < history_began(h, before) &&
        !l->contradicted[whose]) {
      l->contradicted[whose] = true;
      ids_add(l->telling, before);
      ids_add(l->telling, t);
    }
    if (is_one_of(h, whose, t) &&
        (before == nobody || history_began(h, t) > history_began(h, before)))
      latest[whose] = t;
  }
}

// Tells the empty transactions that say more than the times of t: which others
// come before t.
static void tell_empty_before(struct looking *l, uint32_t t,
                              const uint32_t *latest) {
  for (enum whose whose = 0; whose < WHOSE_COUNT; whose++) {
    const uint64_t own = is_one_of(l->h, whose, t) ? history_began(l->h, t) : 0;
    if (latest[whose] != nobody && history_began(l->h, latest[whose]) > own)
      ids_add(l->telling, latest[whose]);
  }
}

// `*i` is the first operation of the part that is not before the session.
static void look_forward(struct looking *l, uint32_t session, uint32_t *i) {
  const struct history *h = l->h;
  uint32_t latest[WHOSE_COUNT] = {nobody, nobody};
  for (uint32_t t = h->session_first[session];
       t < h->session_first[session + 1]; t++) {
    bool told_of = false;
    for (; *i < l->ops->count && l->ops->op[*i] < h->txn_first[t + 1]; ++*i)
      told_of = true;
    if (is_empty_txn(h, t))
      meet_empty(l, t, latest);
    else if (told_of)
      tell_empty_before(l, t, latest);
  }
}

// `*end` is the end of the operations of the part that are not behind it.
static void look_back(struct looking *l, uint32_t session, uint32_t *end) {
  const struct history *h = l->h;
  uint32_t soonest = nobody;
  for (uint32_t t = h->session_first[session + 1];
       t-- > h->session_first[session];) {
    bool told_of = false;
    for (; *end > 0 && l->ops->op[*end - 1] >= h->txn_first[t]; --*end)
      told_of = true;
    if (is_empty_txn(h, t)) {
      if (soonest == nobody || history_ended(h, t) < history_ended(h, soonest))
        soonest = t;
    } else if (told_of && soonest != nobody && h->outcome[t] == OUTCOME_OK &&
               history_ended(h, soonest) < history_ended(h, t)) {
      ids_add(l->telling, soonest);
    }
  }
}

struct ids empty_telling(const struct history *history,
                         const struct operations *ops) {
  struct ids telling = {0};
  struct looking l = {.h = history, .ops = ops, .telling = &telling};
  assert(!ops->count || ops->op[ops->count - 1] < history->nops);
  uint32_t i = 0, end = ops->count;
  if (!history->begin || !history->end || !any_empty(history))
    return telling;
  for (uint32_t s = 0; s < history->nsessions; s++)
    look_forward(&l, s, &i);
  for (uint32_t s = history->nsessions; s-- > 0;)
    look_back(&l, s, &end);
  telling.count = ids_sort_once(telling.items, telling.count);
  return telling;
}
