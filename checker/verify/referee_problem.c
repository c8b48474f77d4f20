// SPDX-License-Identifier: GPL-3.0-or-later
// From a history to the referee's problem: which transactions count, what their
// reads say, and which reads are wrong in themselves.
#include "config.h"

#include "checker/verify/referee_problem.h"

#include "base/memory.h"
#include "checker/verify/look_up.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// -1: of a transaction that does not count.
static int problem_member_with_op(const struct referee_problem *p,
                                  uint32_t op) {
  const uint32_t *first = p->history->txn_first;
  for (unsigned m = 1; m < p->nmembers; m++)
    if (op >= first[p->id[m]] && op < first[p->id[m] + 1])
      return (int)m;
  return -1;
}

// The first write to the key among the operations from `op` up to `end`; `end`
// if there is none.
static uint32_t next_write(const struct history *h, uint32_t op, uint32_t end,
                           uint32_t key) {
  assert(op <= end);
  while (op < end && !writes_key(h, op, key))
    op++;
  return op;
}

static void find_writers(struct referee_problem *p) {
  const struct history *h = p->history;
  for (uint32_t key = 0; key < h->nkeys; key++)
    p->writers[key] = only(INITIAL);
  for (unsigned m = 1; m < p->nmembers; m++)
    for (uint32_t op = h->txn_first[p->id[m]]; op < h->txn_first[p->id[m] + 1];
         op++)
      if (op_writes(h->kind[op]))
        p->writers[h->key[op]] |= only(m);
  for (uint32_t key = 0; key < h->nkeys; key++)
    for (unsigned m = 1; m < p->nmembers; m++)
      if (has(p->writers[key], m))
        p->conflicts[m] |= p->writers[key] & ~only(m);
}

// Session order and real time.
static void order_problem_from_outside(struct referee_problem *p,
                                       const struct referee_options *options) {
  for (unsigned m = 1; m < p->nmembers; m++) {
    p->observed[m] |= only(INITIAL);
    const bool strict = p->level[m] == ISOLATION_SSER;
    for (unsigned o = 1; o < p->nmembers; o++) {
      if (options->session_order && p->id[o] < p->id[m] &&
          p->history->outcome[p->id[o]] == OUTCOME_OK &&
          history_session(p->history, p->id[o]) ==
              history_session(p->history, p->id[m]))
        p->observed[m] |= only(o);
      if (history_ended(p->history, p->id[o]) >=
          history_began(p->history, p->id[m]))
        continue;
      if (strict)
        p->before[m] |= only(o);
      if (options->real_time)
        p->observed[m] |= only(o);
    }
  }
}

static void add_problem_read(struct referee_problem *p, unsigned reader,
                             unsigned writer, set shown, uint32_t op) {
  assert(reader < p->nmembers && writer < p->nmembers);
  const uint32_t key = p->history->key[op];
  struct referee_read *read = &p->reads[p->nreads++];
  *read = (struct referee_read){.reader = (uint8_t)reader,
                                .writer = (uint8_t)writer,
                                .key = key,
                                .event = history_event(p->history, op),
                                .shown = shown};
  read->others = p->writers[key] & ~only(reader) & ~only(writer);
  for (const struct referee_read *r = p->reads; r < read; r++)
    if (r->reader == reader && r->event < read->event)
      read->earlier |= r->shown;
  p->observed[reader] |= shown;
}

// The read part of a read or compare-and-set of a register.  False: the read is
// wrong whatever the commit order.
static bool understand_read(struct referee_problem *p, unsigned reader,
                            uint32_t op) {
  assert(reader < p->nmembers && op_reads(p->history->kind[op]));
  const struct history *h = p->history;
  const uint32_t key = h->key[op], saw = h->saw[op];
  const uint32_t first = h->txn_first[p->id[reader]];
  const uint32_t own = last_write(h, first, op, key);
  if (own < op)
    return saw == own;
  if (saw == SAW_INITIAL) {
    add_problem_read(p, reader, INITIAL, only(INITIAL), op);
    return true;
  }
  const int writer = problem_member_with_op(p, saw);
  if (writer < 0 || (unsigned)writer == reader)
    return false; // thin air, aborted, or a later write of its own
  const uint32_t t = p->id[writer];
  if (last_write(h, h->txn_first[t], h->txn_first[t + 1], key) != saw)
    return false; // intermediate
  add_problem_read(p, reader, (unsigned)writer, only((unsigned)writer), op);
  return true;
}

// Takes the appends of the reader before `op` off the end of the list that `op`
// read, whose elements are `*first` to `*end`.
static bool take_own_appends(const struct referee_problem *p, unsigned reader,
                             uint32_t op, uint32_t first, uint32_t *end) {
  const struct history *h = p->history;
  for (uint32_t own = op; own-- > h->txn_first[p->id[reader]];)
    if (writes_key(h, own, h->key[op]))
      if (*end == first || h->element[--*end] != own)
        return false;
  return true;
}

// Takes all appends to the key of one transaction off the front of the list;
// returns the member, or -1 if the list does not start so.
static int take_appends(const struct referee_problem *p, uint32_t key,
                        uint32_t *first, uint32_t end) {
  const struct history *h = p->history;
  const int writer = problem_member_with_op(p, h->element[*first]);
  if (writer < 0)
    return -1;
  const uint32_t op_end = h->txn_first[p->id[writer] + 1];
  uint32_t op = next_write(h, h->txn_first[p->id[writer]], op_end, key);
  for (; op < op_end; op = next_write(h, op + 1, op_end, key))
    if (*first == end || h->element[(*first)++] != op)
      return -1;
  return writer;
}

// A list read sees the version of the transaction that appended the last
// element, and shows all whose elements it has.  These are in the commit order
// of their transactions, with no append missing.  An append is a write that
// reads nothing.
static bool understand_list(struct referee_problem *p, unsigned reader,
                            uint32_t op) {
  assert(op_is_list(p->history->kind[op]));
  const struct history *h = p->history;
  const uint32_t key = h->key[op];
  uint32_t first = h->list[h->saw[op]].first;
  uint32_t end = history_list_end(h, h->saw[op]);
  if (!take_own_appends(p, reader, op, first, &end))
    return false;
  unsigned last = INITIAL;
  set seen = only(INITIAL);
  while (first < end) {
    const int writer = take_appends(p, key, &first, end);
    if (writer < 0 || (unsigned)writer == reader || has(seen, (unsigned)writer))
      return false;
    last = (unsigned)writer;
    p->before[last] |= seen;
    seen |= only(last);
  }
  for (unsigned m = 1; m < p->nmembers; m++)
    if (has(p->writers[key] & ~seen, m))
      p->before[m] |= only(last);
  add_problem_read(p, reader, last, seen, op);
  return true;
}

static bool understand_reads(struct referee_problem *p) {
  const struct history *h = p->history;
  for (unsigned m = 1; m < p->nmembers; m++) {
    if (p->level[m] == ISOLATION_NONE)
      continue;
    for (uint32_t op = h->txn_first[p->id[m]]; op < h->txn_first[p->id[m] + 1];
         op++)
      if (patience_ends(p->patience, 1 + p->nreads))
        return false;
      else if (op_reads(h->kind[op]) &&
               !(op_is_list(h->kind[op]) ? understand_list(p, m, op)
                                         : understand_read(p, m, op)))
        return false;
  }
  return true;
}

// Did the operation see a lost write, or one of a transaction that is left out?
static bool saw_left_out(const struct history *h, const uint8_t *out,
                         uint32_t saw) {
  return saw == SAW_LOST || (saw < h->nops && out[history_txn(h, saw)]);
}

static bool op_saw_left_out(const struct history *h, const uint8_t *out,
                            uint32_t op) {
  if (!op_reads(h->kind[op]))
    return false;
  if (!op_is_list(h->kind[op]))
    return saw_left_out(h, out, h->saw[op]);
  for (uint32_t e = h->list[h->saw[op]].first;
       e < history_list_end(h, h->saw[op]); e++)
    if (saw_left_out(h, out, h->element[e]))
      return true;
  return false;
}

// Marks, in `out`, the transactions that depend on a lost write.
static void leave_out(const struct history *h, uint8_t *out) {
  bool changed;
  do {
    changed = false;
    for (uint32_t t = 0; t < h->ntxns; t++)
      for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
        if (!out[t] && op_saw_left_out(h, out, op)) {
          out[t] = true;
          changed = true;
        }
  } while (changed);
}

void relation_close(unsigned nmembers, set relation[]) {
  for (unsigned middle = 0; middle < nmembers; middle++)
    for (unsigned m = 0; m < nmembers; m++)
      if (has(relation[m], middle))
        relation[m] |= relation[middle];
}

void problem_open(struct referee_problem *p, const struct history *history,
                  struct patience *patience) {
  memset(p, 0, sizeof *p);
  p->history = history;
  p->patience = patience;
  p->nmembers = 1;
  p->writers = xcalloc(history->nkeys + 1, sizeof *p->writers);
  p->reads = xcalloc(history->nops + 1, sizeof *p->reads);
}

void problem_close(struct referee_problem *p) {
  free(p->writers);
  free(p->reads);
}

void problem_add_member(struct referee_problem *p, uint32_t txn,
                        const struct referee_options *options) {
  assert(txn < p->history->ntxns);
  assert(p->nmembers < MAX_MEMBERS);
  assert(options->level < ISOLATION_COUNT);
  p->level[p->nmembers] =
      options->levels ? options->levels[txn] : (uint8_t)options->level;
  p->id[p->nmembers++] = txn;
}

bool problem_state(struct referee_problem *p,
                   const struct referee_options *options) {
  find_writers(p);
  order_problem_from_outside(p, options);
  if (!understand_reads(p))
    return false;
  memcpy(p->causes, p->observed, sizeof p->causes);
  relation_close(p->nmembers, p->causes);
  for (unsigned m = 0; m < p->nmembers; m++)
    p->before[m] |= p->observed[m];
  return true;
}

unsigned problem_candidates(const struct history *h, uint32_t *candidates) {
  uint8_t *out = xcalloc(h->ntxns + 1, 1);
  if (lost_was_read(h))
    leave_out(h, out);
  unsigned count = 0;
  for (uint32_t t = 0; t < h->ntxns && count <= REFEREE_MAX_TXNS; t++)
    if (!out[t] && h->outcome[t] != OUTCOME_ABORTED)
      candidates[count++] = t;
  free(out);
  return count;
}
