// SPDX-License-Identifier: GPL-3.0-or-later
// A session's part in recording (recorder/record/recording.h): the session
// fills one of its two pieces while the writer empties the other.
// They change places when the first is full or a second old, which is the only
// time when a session takes a lock.  If the writer has not finished by then,
// the session waits for it: that slows the run down but loses nothing.
#include "config.h"

#include "recorder/record/session_log.h"

#include "base/clock.h"
#include "base/memory.h"
#include "recorder/history.h"

#include <assert.h>
#include <string.h>

enum { PIECE_OPS = 1 << 13, PIECE_TXNS = 1 << 12, PIECE_ELEMENTS = 1 << 14 };

#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

static void grow_ops(struct log_piece *p, uint32_t room, bool op_times) {
  assert(room > p->nops);
  p->op_room = room;
  p->quick_ops = op_times ? 0 : room;
  p->kind = xrealloc(p->kind, room, sizeof *p->kind);
  p->key = xrealloc(p->key, room, sizeof *p->key);
  p->seen = xrealloc(p->seen, room, sizeof *p->seen);
  p->list_length = xrealloc(p->list_length, room, sizeof *p->list_length);
  if (op_times) {
    p->op_gap = xrealloc(p->op_gap, room, sizeof *p->op_gap);
    p->op_duration = xrealloc(p->op_duration, room, sizeof *p->op_duration);
  }
}

static void grow_elements(struct log_piece *p, uint32_t room) {
  assert(room > p->nelements);
  p->element_room = room;
  p->element = xrealloc(p->element, room, sizeof *p->element);
}

static void piece_init(struct log_piece *p, uint32_t session, bool op_times) {
  *p = (struct log_piece){.session = session, .txn_room = PIECE_TXNS};
  grow_ops(p, PIECE_OPS, op_times);
  grow_elements(p, PIECE_ELEMENTS);
  p->outcome = xmalloc(PIECE_TXNS);
  p->cause = xmalloc(PIECE_TXNS);
  p->level = xmalloc(PIECE_TXNS);
  p->gap = xmalloc(PIECE_TXNS * sizeof *p->gap);
  p->duration = xmalloc(PIECE_TXNS * sizeof *p->duration);
  p->txn_nops = xmalloc(PIECE_TXNS * sizeof *p->txn_nops);
}

static void piece_fini(struct log_piece *p) {
  FREE_EACH(p->kind, p->key, p->op_gap, p->op_duration, p->seen, p->element,
            p->list_length, p->outcome, p->cause, p->level, p->gap, p->duration,
            p->txn_nops, p->endpoint);
  statement_log_free(&p->statements);
}

static void note_endpoint(struct log_piece *p, uint32_t txn, uint8_t endpoint) {
  assert(txn < p->txn_room);
  if (!p->endpoint)
    p->endpoint = xcalloc(PIECE_TXNS, 1);
  p->endpoint[txn] = endpoint;
}

// How much of a piece the open transaction takes.
struct open_share {
  uint32_t nops, nreads, nlists, nelements, nwrites;
};

static struct open_share
share_of_open_transaction(const struct session_log *log) {
  const struct log_piece *p = log->piece;
  struct open_share share = {0};
  for (uint32_t op = log->first_op; log->open && op < p->nops; op++) {
    const unsigned kind = p->kind[op];
    share.nops++;
    share.nwrites += op_writes(kind) && !op_is_row(kind);
    if (kind == OP_READ_LIST)
      share.nelements += (uint32_t)p->list_length[p->nlists - ++share.nlists];
    else
      share.nreads += op_reads(kind);
  }
  if (log->open)
    share.nwrites +=
        statement_log_writes(&p->statements, &log->first_statement);
  return share;
}

// Copies the last entries to the start of another array.
#define COPY_LAST(to, from, count, moved)                                      \
  memcpy((to), (from) + ((count) - (moved)), (moved) * sizeof *(from))

// Moves the open transaction, which takes so much of a full piece, to an empty
// one.
static void move_open_transaction(struct session_log *log,
                                  const struct open_share *share,
                                  struct log_piece *from,
                                  struct log_piece *to) {
  const bool op_times = from->op_gap != NULL;
  if (share->nops >= to->op_room)
    grow_ops(to, from->op_room * 2, op_times);
  if (share->nelements > to->element_room)
    grow_elements(to, from->element_room);
  COPY_LAST(to->kind, from->kind, from->nops, share->nops);
  COPY_LAST(to->key, from->key, from->nops, share->nops);
  if (op_times) {
    COPY_LAST(to->op_gap, from->op_gap, from->nops, share->nops);
    COPY_LAST(to->op_duration, from->op_duration, from->nops, share->nops);
  }
  COPY_LAST(to->seen, from->seen, from->nreads, share->nreads);
  COPY_LAST(to->list_length, from->list_length, from->nlists, share->nlists);
  COPY_LAST(to->element, from->element, from->nelements, share->nelements);
  from->nops -= to->nops = share->nops;
  from->nreads -= to->nreads = share->nreads;
  from->nlists -= to->nlists = share->nlists;
  from->nelements -= to->nelements = share->nelements;
  to->gap[0] = from->gap[from->ntxns];
  to->level[0] = from->level[from->ntxns];
  to->before = log->began - to->gap[0];
  if (from->endpoint)
    note_endpoint(to, 0, from->endpoint[from->ntxns]);
}
#undef COPY_LAST

static void settle_open_writes(const struct session_log *log,
                               struct log_piece *p, uint32_t nwrites_open) {
  assert(nwrites_open <= p->nops + statement_log_count(&p->statements));
  const uint64_t first = value_of_write(log->session, p->first_write);
  p->nwrites = (uint32_t)(log->next_value - first) - nwrites_open;
  p->origin = p->before + p->gap[0] - log->start;
  p->gap[0] = 0;
}

// Gives the transactions that have ended to the writer and goes on with the
// other piece.
static void hand_over_piece(struct session_log *log) {
  assert(log->piece->ntxns);
  struct log_piece *full = log->piece;
  struct log_piece *next = &log->pieces[full == &log->pieces[0]];
  const struct open_share open = share_of_open_transaction(log);
  recording_wait_for(log->recording, next);
  settle_open_writes(log, full, open.nwrites);
  next->nops = next->nreads = next->nlists = next->nelements = next->ntxns = 0;
  statement_log_move(&full->statements, &next->statements,
                     &log->first_statement);
  next->number = full->number + 1;
  next->first_txn = full->first_txn + full->ntxns;
  next->first_write = full->first_write + full->nwrites;
  next->before = log->ended;
  if (log->open)
    move_open_transaction(log, &open, full, next);
  log->first_op = 0;
  log->first_statement = (struct statement_mark){0};
  log->piece = next;
  log->handed_over = true;
  recording_take(log->recording, full);
}

// Room for so many more operations and elements.
static struct log_piece *make_log_room(struct session_log *log, uint32_t nops,
                                       uint32_t nelements) {
  assert(log->open);
  if (log->piece->ntxns)
    hand_over_piece(log);
  struct log_piece *p = log->piece;
  while (nops > p->op_room - p->nops)
    grow_ops(p, p->op_room * 2, p->op_gap != NULL);
  uint32_t room = p->element_room;
  while (nelements > room - p->nelements)
    room *= 2;
  if (room > p->element_room)
    grow_elements(p, room);
  return p;
}

void session_log_init(struct session_log *log, struct recording *recording,
                      uint32_t session, bool op_times, uint64_t start) {
  assert(recording);
  *log = (struct session_log){.start = start,
                              .ended = start,
                              .session = session,
                              .next_value = value_of_write(session, 0),
                              .max_age = NS_PER_SECOND,
                              .max_txns = PIECE_TXNS,
                              .recording = recording};
  piece_init(&log->pieces[0], session, op_times);
  piece_init(&log->pieces[1], session, op_times);
  log->piece = &log->pieces[0];
  log->piece->before = start;
}

void session_log_fini(struct session_log *log) {
  piece_fini(&log->pieces[0]);
  piece_fini(&log->pieces[1]);
}

void session_log_hurry(struct session_log *log,
                       const struct backpressure_limits *limits) {
  assert(log->max_txns <= PIECE_TXNS);
  log->max_age = limits->hand_over;
  if (limits->transactions && limits->transactions < PIECE_TXNS)
    log->max_txns = limits->transactions;
}

bool session_log_keep_pace(struct session_log *log) {
  if (!log->handed_over)
    return false;
  log->handed_over = false;
  return recording_keep_pace(log->recording);
}

void session_log_finish(struct session_log *log) {
  assert(!log->open);
  if (log->piece->ntxns)
    hand_over_piece(log);
}

void session_log_begin(struct session_log *log, enum isolation level,
                       uint64_t time) {
  struct log_piece *p = log->piece;
  const uint32_t t = p->ntxns;
  assert(!log->open && t < p->txn_room);
  p->gap[t] = time - log->ended;
  p->level[t] = (uint8_t)level;
  log->began = time;
  log->open = true;
}

void session_log_endpoint(struct session_log *log, uint32_t endpoint) {
  assert(log->open && endpoint < HISTORY_NO_ENDPOINT);
  note_endpoint(log->piece, log->piece->ntxns, (uint8_t)endpoint);
}

static void note_txn_times(struct session_log *log, struct log_piece *p,
                           uint64_t begin, uint64_t end) {
  assert(p->nops > 0 && p->op_gap);
  const uint32_t op = p->nops - 1;
  p->op_gap[op] = begin - (op == log->first_op ? log->began : log->op_ended);
  p->op_duration[op] = end - begin;
  log->op_ended = end;
}

static inline void note_op(struct log_piece *p, enum op_kind kind,
                           uint64_t key) {
  const uint32_t op = p->nops;
  assert(op < p->op_room);
  p->key[op] = key;
  p->kind[op] = (uint8_t)kind;
  p->nops = op + 1;
}

static inline void note_written_value(struct session_log *log, uint64_t value) {
  assert(value == log->next_value);
  (void)value;
  log->next_value++;
}

static void settle_op(struct session_log *log, uint64_t begin, uint64_t end) {
  struct log_piece *p = log->piece;
  if (p->op_gap)
    note_txn_times(log, p, begin, end);
  if (p->nops == p->op_room)
    make_log_room(log, 1, 0);
}

// There is always room for one more operation.
static inline void end_op(struct session_log *log, struct log_piece *p,
                          uint64_t begin, uint64_t end) {
  if (UNLIKELY(p->nops >= p->quick_ops))
    settle_op(log, begin, end);
}

void session_log_op(struct session_log *log, enum op_kind kind, uint64_t key,
                    uint64_t value, uint64_t begin, uint64_t end) {
  struct log_piece *p = log->piece;
  note_op(p, kind, key);
  if (kind == OP_READ) {
    p->seen[p->nreads++] = value;
  } else {
    assert(kind == OP_WRITE || kind == OP_APPEND);
    note_written_value(log, value);
  }
  end_op(log, p, begin, end);
}

void session_log_cas(struct session_log *log, uint64_t key, uint64_t expected,
                     uint64_t value, uint64_t begin, uint64_t end) {
  struct log_piece *p = log->piece;
  note_op(p, OP_CAS, key);
  p->seen[p->nreads++] = expected;
  note_written_value(log, value);
  end_op(log, p, begin, end);
}

void session_log_list(struct session_log *log, uint64_t key,
                      const struct value_list *list, uint64_t begin,
                      uint64_t end) {
  struct log_piece *p = log->piece;
  if (UNLIKELY(list->count > p->element_room - p->nelements))
    p = make_log_room(log, 1, list->count);
  note_op(p, OP_READ_LIST, key);
  p->list_length[p->nlists++] = list->count;
  if (list->count)
    memcpy(p->element + p->nelements, list->values,
           list->count * sizeof *list->values);
  p->nelements += list->count;
  end_op(log, p, begin, end);
}

void session_log_statement(struct session_log *log,
                           const struct statement *statement,
                           uint32_t nparameters, uint32_t ncolumns,
                           uint64_t stamp, const struct row_list *rows,
                           const struct statement_times *times) {
  struct log_piece *p = log->piece;
  assert(log->open && !p->op_gap);
  if (rows->count >= p->op_room - p->nops)
    p = make_log_room(log, rows->count + 1, 0);
  if (statement_writes(statement->sort))
    note_written_value(log, stamp);
  for (uint32_t i = 0; i < rows->count; i++) {
    const struct seen_row *row = &rows->rows[i];
    note_op(p, row->kind, row->key);
    if (op_reads(row->kind))
      p->seen[p->nreads++] = row->saw;
  }
  const bool first = statement_log_count(&p->statements) ==
                     log->first_statement.at[STATEMENT_SORTS];
  statement_log_add(&p->statements, statement, nparameters, rows, ncolumns);
  if (!times)
    return;
  statement_log_time(&p->statements,
                     times->begin - (first ? log->began : log->op_ended),
                     times->end - times->begin);
  log->op_ended = times->end;
}

// Ends so many operations from log->first_op on as a transaction.
static inline void end_transaction(struct session_log *log, struct log_piece *p,
                                   uint32_t nops, enum outcome outcome,
                                   enum cause cause, uint64_t time) {
  const uint32_t t = p->ntxns++;
  p->duration[t] = time - log->began;
  p->outcome[t] = (uint8_t)outcome;
  p->cause[t] = (uint8_t)cause;
  p->txn_nops[t] = nops;
  log->first_op += nops;
  log->ended = time;
}

// Few transactions have statements.
static void end_statements(struct session_log *log, struct log_piece *p) {
  if (statement_log_count(&p->statements))
    statement_log_end(&p->statements, p->ntxns - 1, &log->first_statement);
}

// `due`: the piece is full or old.
static __attribute__((noinline)) void settle_end(struct session_log *log,
                                                 bool due) {
  end_statements(log, log->piece);
  if (due)
    hand_over_piece(log);
}

void session_log_end(struct session_log *log, enum outcome outcome,
                     enum cause cause, uint64_t time) {
  struct log_piece *p = log->piece;
  assert(log->open);
  end_transaction(log, p, p->nops - log->first_op, outcome, cause, time);
  log->open = false;
  const bool due =
      p->ntxns >= log->max_txns || time - p->before >= log->max_age;
  if (UNLIKELY(due || statement_log_count(&p->statements)))
    settle_end(log, due);
}

// Ends a part of the open transaction, and goes on with the next one.
static void end_part(struct session_log *log, struct log_piece *p,
                     uint32_t nops, bool refused, enum cause cause,
                     uint64_t time) {
  const uint32_t t = p->ntxns;
  end_transaction(log, p, nops, refused ? OUTCOME_ABORTED : OUTCOME_OK,
                  refused ? cause : CAUSE_NONE, time);
  end_statements(log, p);
  p->gap[t + 1] = log->began - time;
  p->level[t + 1] = p->level[t];
  if (p->endpoint)
    note_endpoint(p, t + 1, p->endpoint[t]);
}

void session_log_end_in_parts(struct session_log *log, const bool *refused,
                              enum cause cause, uint64_t time) {
  assert(log->open);
  if (log->piece->ntxns)
    hand_over_piece(log);
  struct log_piece *p = log->piece;
  bool last = false;
  uint64_t into = 0; // ns from the transaction's begin to the operation's
  assert(p->nops < p->txn_room);
  for (uint32_t op = 0; op < p->nops; op++) {
    const bool now = op_writes(p->kind[op]) && *refused++;
    if (p->op_gap)
      into += p->op_gap[op];
    if (op > log->first_op && now != last) {
      end_part(log, p, op - log->first_op, last, cause, time);
      if (p->op_gap)
        p->op_gap[op] = into;
    }
    if (p->op_gap)
      into += p->op_duration[op];
    last = now;
  }
  session_log_end(log, last ? OUTCOME_ABORTED : OUTCOME_OK,
                  last ? cause : CAUSE_NONE, time);
}
