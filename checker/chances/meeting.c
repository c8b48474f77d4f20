// SPDX-License-Identifier: GPL-3.0-or-later
// Finds who met whom (checker/chances/meeting.h).  In a session transactions
// follow one another, so that the first one to meet is found by their ends.
#include "config.h"

#include "checker/chances/meeting.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// By the last transaction that was asked about and used the key.
struct key_mark {
  uint32_t user; // its number, from 1
  uint32_t bit;  // of the key in its keys; NO_BIT: it has none yet
};
enum { NO_BIT = UINT32_MAX };

void calendar_open(struct calendar *c, const struct history *history,
                   struct searcher *searcher) {
  *c = (struct calendar){
      .history = history,
      .searcher = searcher,
      .marks = xcalloc(history->nkeys + (size_t)1, sizeof *c->marks),
      .cursor = xmalloc((history->nsessions + (size_t)1) * sizeof *c->cursor)};
  calendar_rewind(c);
}

void calendar_close(struct calendar *c) {
  FREE_EACH(c->marks, c->cursor, c->own.items, c->theirs.items);
  *c = (struct calendar){0};
}

void calendar_rewind(struct calendar *c) {
  c->steps += c->history->nsessions / 8;
  memcpy(c->cursor, c->history->session_first,
         c->history->nsessions * sizeof *c->cursor);
}

// The end of t's time, at most the begin of the session's next transaction up
// to `last`.
static uint64_t end_of_time(const struct history *h, uint32_t t,
                            uint32_t last) {
  return t < last && h->begin[t + 1] < h->end[t] ? h->begin[t + 1] : h->end[t];
}

// The first transaction of a session from `t` on that has not ended before the
// time; `end` if all have.  In steps that double, and back.
static uint32_t first_open(struct calendar *c, uint32_t t, uint32_t end,
                           uint64_t time) {
  const struct history *h = c->history;
  uint32_t step = 1, low = t; // all before `low` have ended
  while (low < end && end_of_time(h, low, end - 1) < time) {
    low += 1;
    step *= 2;
    c->steps++;
    const uint32_t far = end - low > step ? low + step : end - 1;
    if (far > low && far < end && end_of_time(h, far, end - 1) < time)
      low = far;
    else
      step = 1;
  }
  return low;
}

// By causes of which the database was sure when it ended the transaction.
static const bool refuses[CAUSE_COUNT] = {
    [CAUSE_SERIALIZATION] = true,     [CAUSE_WRITE_CONFLICT] = true,
    [CAUSE_DEADLOCK] = true,          [CAUSE_LOCK_TIMEOUT] = true,
    [CAUSE_STATEMENT_TIMEOUT] = true, [CAUSE_CONSTRAINT] = true};

// Was it the write that the database ended the transaction at?  A transaction
// may also have been ended at its commit, but the history does not say so.  A
// statement that was refused has no rows.
static bool is_refused(const struct history *h, uint32_t t, uint32_t op) {
  return h->outcome[t] == OUTCOME_ABORTED && refuses[h->cause[t]] &&
         op + 1 == h->txn_first[t + 1] && !op_is_row(h->kind[op]);
}

// Adds what an operation of the transaction does with the key of that bit.
static inline void use(const struct history *h, uint32_t t, uint32_t op,
                       keys_of_txn key, struct uses *uses) {
  const unsigned kind = h->kind[op];
  const bool list = op_is_list(kind);
  if (op_reads(kind) && (list || !(uses->writes & key))) {
    uses->rereads |= uses->reads & key;
    uses->reads |= key;
    uses->lists |= list ? key : 0;
  }
  if (op_writes(kind)) {
    uses->rewrites |= uses->writes & key;
    uses->writes |= key;
    uses->leaves |= is_refused(h, t, op) ? 0 : key;
  }
}

// The uses of those keys that have a bit.
static struct uses uses_of(const struct calendar *c, uint32_t t) {
  const struct history *h = c->history;
  struct uses uses = {0};
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    if (c->marks[h->key[op]].bit != NO_BIT)
      use(h, t, op, UINT64_C(1) << c->marks[h->key[op]].bit, &uses);
  return uses;
}

// A transaction of few operations has a bit for each of its keys.  In a longer
// one a key gets its bit when the first transaction that it meets uses the key.
static void mark_txn_keys(struct calendar *c, uint32_t t) {
  const struct history *h = c->history;
  const uint32_t first = h->txn_first[t], end = h->txn_first[t + 1];
  c->nbits = 0;
  for (uint32_t op = first; op < end; op++) {
    struct key_mark *mark = &c->marks[h->key[op]];
    if (mark->user != t + 1)
      *mark = (struct key_mark){t + 1, end - first > MEETING_KEYS ? NO_BIT
                                                                  : c->nbits++};
  }
}

// Gives a key of the transaction its bit, if one is left.
static bool give_bit(struct calendar *c, struct meeting *m,
                     struct key_mark *mark) {
  if (c->nbits == MEETING_KEYS) {
    c->left_out = true;
    return false;
  }
  mark->bit = c->nbits++;
  m->own = uses_of(c, m->txn);
  c->steps += c->history->txn_first[m->txn + 1] - c->history->txn_first[m->txn];
  return true;
}

// Finds the uses that the other transaction makes of the keys that `txn` has
// marked.  Most transactions make none.
static void find_uses_of_other(struct calendar *c, struct meeting *m) {
  const struct history *h = c->history;
  const uint32_t first = h->txn_first[m->other];
  const uint32_t end = h->txn_first[m->other + 1];
  m->theirs = (struct uses){0};
  for (uint32_t op = first; op < end; op++) {
    struct key_mark *mark = &c->marks[h->key[op]];
    if (mark->user == m->txn + 1 &&
        (mark->bit != NO_BIT || give_bit(c, m, mark)))
      use(h, m->other, op, UINT64_C(1) << mark->bit, &m->theirs);
  }
  assert(first <= end && m->other != m->txn);
  c->steps += end - first;
}

static void keep_meeting(struct meetings *meetings,
                         const struct meeting *meeting) {
  if (meetings->count == meetings->room) {
    meetings->room = 2 * meetings->room + 16;
    meetings->items =
        xrealloc(meetings->items, meetings->room, sizeof *meetings->items);
  }
  meetings->items[meetings->count++] = *meeting;
}

// The transaction's rows are listed already.
static void search_rows(struct calendar *c, struct meeting *m) {
  searcher_list(c->searcher, m->other, &c->theirs);
  m->finds = searcher_look(c->searcher, m->txn, &c->theirs);
  m->found = searcher_look(c->searcher, m->other, &c->own);
}

// Those with the transactions of one other session.
static void find_in_session(struct calendar *c, struct meeting *m,
                            uint64_t ended, struct meetings *meetings) {
  const struct history *h = c->history;
  const uint32_t end = h->session_first[m->session + 1];
  uint32_t *cursor = &c->cursor[m->session];
  *cursor = first_open(c, *cursor, end, h->begin[m->txn]);
  assert(*cursor >= h->session_first[m->session] && *cursor <= end);
  c->steps++;
  for (uint32_t u = *cursor; u < end && h->begin[u] <= ended; u++) {
    m->other = u;
    c->overlaps++;
    find_uses_of_other(c, m);
    if (c->searcher)
      search_rows(c, m);
    if (m->theirs.writes || (m->theirs.reads & m->own.writes) ||
        search_found(&m->finds) || search_found(&m->found))
      keep_meeting(meetings, m);
  }
}

void calendar_find(struct calendar *c, uint32_t session, uint32_t txn,
                   struct meetings *meetings) {
  const struct history *h = c->history;
  mark_txn_keys(c, txn);
  struct meeting m = {.txn = txn, .own = uses_of(c, txn)};
  assert(txn >= h->session_first[session] &&
         txn < h->session_first[session + 1]);
  const uint64_t ended = end_of_time(h, txn, h->session_first[session + 1] - 1);
  if (c->searcher)
    searcher_list(c->searcher, txn, &c->own);
  meetings->count = 0;
  for (m.session = 0; m.session < h->nsessions; m.session++)
    if (m.session != session)
      find_in_session(c, &m, ended, meetings);
}
