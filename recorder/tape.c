// SPDX-License-Identifier: GPL-3.0-or-later
// What a session does when it records (recorder/recording.h): it fills one of
// its two pieces of tape while the writer empties the other.  They change
// places when the first is full or a second old, which is the only time when a
// session takes a lock.  If the writer has not finished by then, the session
// waits for it: that slows the run down but loses nothing.
#include "config.h"

#include "recorder/tape.h"

#include "base/clock.h"
#include "base/memory.h"
#include "recorder/history.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_OPS = 1 << 14, PIECE_TXNS = 1 << 13, PIECE_ELEMENTS = 1 << 14 };

static void grow_ops(struct piece *p, uint32_t room, bool op_times) {
  p->op_room = room;
  p->kind = xrealloc(p->kind, room, sizeof *p->kind);
  p->key = xrealloc(p->key, room, sizeof *p->key);
  p->seen = xrealloc(p->seen, room, sizeof *p->seen);
  p->list_length = xrealloc(p->list_length, room, sizeof *p->list_length);
  if (op_times) {
    p->op_begin = xrealloc(p->op_begin, room, sizeof *p->op_begin);
    p->op_end = xrealloc(p->op_end, room, sizeof *p->op_end);
  }
}

static void grow_elements(struct piece *p, uint32_t room) {
  p->element_room = room;
  p->element = xrealloc(p->element, room, sizeof *p->element);
}

static void piece_init(struct piece *p, uint32_t session, bool op_times) {
  *p = (struct piece){.session = session, .txn_room = PIECE_TXNS};
  grow_ops(p, PIECE_OPS, op_times);
  grow_elements(p, PIECE_ELEMENTS);
  p->outcome = xmalloc(PIECE_TXNS);
  p->cause = xmalloc(PIECE_TXNS);
  p->level = xmalloc(PIECE_TXNS);
  p->begin = xmalloc(PIECE_TXNS * sizeof *p->begin);
  p->end = xmalloc(PIECE_TXNS * sizeof *p->end);
  p->txn_nops = xmalloc(PIECE_TXNS * sizeof *p->txn_nops);
}

static void piece_fini(struct piece *p) {
  void *arrays[] = {p->kind,        p->key,     p->op_begin, p->op_end,
                    p->seen,        p->element, p->outcome,  p->cause,
                    p->level,       p->begin,   p->end,      p->txn_nops,
                    p->list_length, p->endpoint};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    free(arrays[i]);
}

static void note_endpoint(struct piece *p, uint32_t txn, uint8_t endpoint) {
  if (!p->endpoint)
    p->endpoint = xcalloc(PIECE_TXNS, 1);
  p->endpoint[txn] = endpoint;
}

// Copies entries first..count - 1 to the start of another array.
#define COPY_REST(to, from, first, count)                                      \
  memcpy((to), (from) + (first), ((count) - (first)) * sizeof *(from))

// Moves the open transaction from a full piece to an empty one.
static void move_open_transaction(struct tape *tape, struct piece *from,
                                  struct piece *to) {
  uint32_t nops = from->nops - tape->first_op;
  uint32_t nelements = from->nelements - tape->first_element;
  bool op_times = from->op_begin != NULL;
  if (nops > to->op_room)
    grow_ops(to, from->op_room, op_times);
  if (nelements > to->element_room)
    grow_elements(to, from->element_room);
  COPY_REST(to->kind, from->kind, tape->first_op, from->nops);
  COPY_REST(to->key, from->key, tape->first_op, from->nops);
  if (op_times) {
    COPY_REST(to->op_begin, from->op_begin, tape->first_op, from->nops);
    COPY_REST(to->op_end, from->op_end, tape->first_op, from->nops);
  }
  COPY_REST(to->seen, from->seen, tape->first_read, from->nreads);
  COPY_REST(to->list_length, from->list_length, tape->first_list, from->nlists);
  COPY_REST(to->element, from->element, tape->first_element, from->nelements);
  to->nops = nops;
  to->nreads = from->nreads - tape->first_read;
  to->nlists = from->nlists - tape->first_list;
  to->nelements = nelements;
  to->begin[0] = from->begin[from->ntxns];
  to->level[0] = from->level[from->ntxns];
  if (from->endpoint)
    note_endpoint(to, 0, from->endpoint[from->ntxns]);
  from->nops = tape->first_op;
  from->nreads = tape->first_read;
  from->nlists = tape->first_list;
  from->nelements = tape->first_element;
}
#undef COPY_REST

static void mark_start_of_transaction(struct tape *tape,
                                      const struct piece *p) {
  tape->first_op = p->nops;
  tape->first_read = p->nreads;
  tape->first_list = p->nlists;
  tape->first_element = p->nelements;
}

// Gives the transactions that have ended to the writer and goes on with the
// other piece.
static void hand_over(struct tape *tape) {
  struct piece *full = tape->piece;
  struct piece *next = &tape->pieces[full == &tape->pieces[0]];
  assert(full->ntxns);
  recording_wait_for(tape->recording, next);
  next->nops = next->nreads = next->nlists = next->nelements = 0;
  next->ntxns = next->nwrites = 0;
  next->number = full->number + 1;
  next->first_txn = full->first_txn + full->ntxns;
  next->first_write = full->first_write + full->nwrites;
  if (tape->open)
    move_open_transaction(tape, full, next);
  tape->first_op = tape->first_read = tape->first_list = 0;
  tape->first_element = 0;
  tape->piece = next;
  tape->handed_over = true;
  recording_take(tape->recording, full);
}

// Room for one more operation and so many elements.
static struct piece *make_room(struct tape *tape, uint32_t nelements) {
  if (tape->piece->ntxns)
    hand_over(tape);
  struct piece *p = tape->piece;
  if (p->nops == p->op_room)
    grow_ops(p, p->op_room * 2, p->op_begin != NULL);
  uint32_t room = p->element_room;
  while (nelements > room - p->nelements)
    room *= 2;
  if (room > p->element_room)
    grow_elements(p, room);
  return p;
}

void tape_init(struct tape *tape, struct recording *recording, uint32_t session,
               bool op_times, uint64_t start) {
  *tape = (struct tape){.start = start,
                        .session = session,
                        .max_age = NS_PER_SECOND,
                        .max_txns = PIECE_TXNS,
                        .recording = recording};
  piece_init(&tape->pieces[0], session, op_times);
  piece_init(&tape->pieces[1], session, op_times);
  tape->piece = &tape->pieces[0];
}

void tape_fini(struct tape *tape) {
  piece_fini(&tape->pieces[0]);
  piece_fini(&tape->pieces[1]);
}

void tape_hurry(struct tape *tape, const struct pace_limits *limits) {
  tape->max_age = limits->hand_over;
  if (limits->transactions && limits->transactions < PIECE_TXNS)
    tape->max_txns = limits->transactions;
}

bool tape_keep_pace(struct tape *tape) {
  if (!tape->handed_over)
    return false;
  tape->handed_over = false;
  return recording_keep_pace(tape->recording);
}

void tape_finish(struct tape *tape) {
  assert(!tape->open);
  if (tape->piece->ntxns)
    hand_over(tape);
}

void tape_begin(struct tape *tape, enum isolation level, uint64_t time) {
  struct piece *p = tape->piece;
  assert(!tape->open && p->ntxns < p->txn_room);
  p->begin[p->ntxns] = time - tape->start;
  p->level[p->ntxns] = (uint8_t)level;
  tape->open = true;
}

void tape_endpoint(struct tape *tape, uint32_t endpoint) {
  assert(tape->open && endpoint < HISTORY_NO_ENDPOINT);
  note_endpoint(tape->piece, tape->piece->ntxns, (uint8_t)endpoint);
}

static inline void note_op(const struct tape *tape, struct piece *p,
                           enum op_kind kind, uint64_t key, uint64_t begin,
                           uint64_t end) {
  uint32_t op = p->nops++;
  assert(tape->open);
  p->kind[op] = (uint8_t)kind;
  p->key[op] = key;
  if (p->op_begin) {
    p->op_begin[op] = begin - tape->start;
    p->op_end[op] = end - tape->start;
  }
}

static inline void note_write(struct tape *tape, uint64_t value) {
  assert(value == value_of_write(tape->session, tape->next_write));
  (void)value;
  tape->next_write++;
}

void tape_op(struct tape *tape, enum op_kind kind, uint64_t key, uint64_t value,
             uint64_t begin, uint64_t end) {
  assert(kind == OP_READ || kind == OP_WRITE || kind == OP_APPEND);
  struct piece *p = tape->piece;
  if (p->nops == p->op_room)
    p = make_room(tape, 0);
  note_op(tape, p, kind, key, begin, end);
  if (op_reads(kind))
    p->seen[p->nreads++] = value;
  else
    note_write(tape, value);
}

void tape_cas(struct tape *tape, uint64_t key, uint64_t expected,
              uint64_t value, uint64_t begin, uint64_t end) {
  struct piece *p = tape->piece;
  if (p->nops == p->op_room)
    p = make_room(tape, 0);
  note_op(tape, p, OP_CAS, key, begin, end);
  p->seen[p->nreads++] = expected;
  note_write(tape, value);
}

void tape_list(struct tape *tape, uint64_t key, const struct value_list *list,
               uint64_t begin, uint64_t end) {
  struct piece *p = tape->piece;
  if (p->nops == p->op_room || list->count > p->element_room - p->nelements)
    p = make_room(tape, list->count);
  note_op(tape, p, OP_READ_LIST, key, begin, end);
  p->list_length[p->nlists++] = list->count;
  if (list->count)
    memcpy(p->element + p->nelements, list->values,
           list->count * sizeof *list->values);
  p->nelements += list->count;
}

// Ends so many of the operations that were noted last as a transaction.
static void end_transaction(struct tape *tape, uint32_t nops,
                            enum outcome outcome, enum cause cause,
                            uint64_t time) {
  struct piece *p = tape->piece;
  const uint32_t t = p->ntxns++;
  p->end[t] = time - tape->start;
  p->outcome[t] = (uint8_t)outcome;
  p->cause[t] = (uint8_t)cause;
  p->txn_nops[t] = nops;
}

void tape_end(struct tape *tape, enum outcome outcome, enum cause cause,
              uint64_t time) {
  struct piece *p = tape->piece;
  assert(tape->open);
  end_transaction(tape, p->nops - tape->first_op, outcome, cause, time);
  const uint32_t t = p->ntxns - 1;
  p->nwrites = (uint32_t)(tape->next_write - p->first_write);
  tape->open = false;
  if (p->ntxns >= tape->max_txns || p->nops == p->op_room ||
      p->end[t] - p->begin[0] >= tape->max_age) {
    hand_over(tape);
  } else {
    mark_start_of_transaction(tape, p);
  }
}

// Ends a part of the open transaction, and goes on with the next one.
static void end_part(struct tape *tape, uint32_t nops, bool refused,
                     enum cause cause, uint64_t time) {
  struct piece *p = tape->piece;
  const uint32_t t = p->ntxns;
  end_transaction(tape, nops, refused ? OUTCOME_ABORTED : OUTCOME_OK,
                  refused ? cause : CAUSE_NONE, time);
  p->begin[t + 1] = p->begin[t];
  p->level[t + 1] = p->level[t];
  if (p->endpoint)
    note_endpoint(p, t + 1, p->endpoint[t]);
}

void tape_end_in_parts(struct tape *tape, const bool *refused, enum cause cause,
                       uint64_t time) {
  assert(tape->open);
  if (tape->piece->ntxns)
    hand_over(tape);
  const struct piece *p = tape->piece;
  uint32_t first = 0;
  bool last = false;
  assert(p->nops < p->txn_room);
  for (uint32_t op = 0; op < p->nops; op++) {
    const bool now = op_writes(p->kind[op]) && *refused++;
    if (op > first && now != last) {
      end_part(tape, op - first, last, cause, time);
      first = op;
    }
    last = now;
  }
  tape->first_op = first;
  tape_end(tape, last ? OUTCOME_ABORTED : OUTCOME_OK, last ? cause : CAUSE_NONE,
           time);
}
