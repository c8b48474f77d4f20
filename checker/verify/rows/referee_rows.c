// SPDX-License-Identifier: GPL-3.0-or-later
// Definitions 2 to 7 of the paper, word for word
// (checker/verify/rows/referee_rows.h).
//
// An event is a statement, with all its rows, or an operation on a register.  A
// read event reads every row of its table, unless its transaction has written
// the row before (then it reads what it wrote).  It reads a version that
// satisfies its condition if the row came back, and one that does not if it did
// not.  Other than in the paper, where an INSERT reads nothing, one that takes
// place has read that there is no such row: a version that is not born or dead.
//
// Where r reads x from t1 and t2 writes x, too, and is visible to r, t2 comes
// before t1 in the commit order.  Whatever is visible to an event comes before
// its transaction in the commit order, so that the axioms of a transaction can
// be looked at as soon as all is placed that comes before it.
#include "config.h"

#include "checker/verify/rows/referee_rows.h"

#include "checker/verify/rows/condition.h"

#include <assert.h>
#include <string.h>

enum {
  INIT, // the member that wrote the first version of every key
  MEMBERS = REFEREE_ROWS_TXNS + 1,
  READS = REFEREE_ROWS_EVENTS * REFEREE_ROWS_KEYS,
  MAX_STEPS = 1 << 22, // some seconds
  NOBODY = 255
};
#define NO_OP UINT32_MAX

// A read of one key by one event, by wr of the paper.
struct key_read {
  uint8_t member, event; // the event's place in its transaction
  uint32_t key;
  uint16_t writers; // of which it may have read: bits of members
  uint8_t writer;   // of which it is taken to have read
};

struct referee {
  const struct history *h;
  const struct referee_rows_options *options;
  uint32_t id[MEMBERS];
  uint8_t level[MEMBERS];
  unsigned nmembers;
  uint32_t final[MEMBERS][REFEREE_ROWS_KEYS]; // the last write, or NO_OP
  uint16_t before[MEMBERS];  // must come before it in the commit order
  uint16_t session[MEMBERS]; // so, and real time where it counts as that
  struct key_read reads[READS];
  unsigned nreads, first_read[MEMBERS + 1];

  uint8_t place[MEMBERS]; // in the commit order; NOBODY: not there yet
  unsigned nplaced;
  uint16_t past[MEMBERS]; // (so + wr)+ of those placed
  unsigned steps;
};

// --- Transactions.

static uint16_t only(unsigned member) { return (uint16_t)(1u << member); }
static bool set_has_member(uint16_t set, unsigned member) {
  return set >> member & 1;
}

static unsigned row_member_with_op(const struct referee *r, uint32_t op) {
  for (unsigned m = 1; m < r->nmembers; m++)
    if (op >= r->h->txn_first[r->id[m]] && op < r->h->txn_first[r->id[m] + 1])
      return m;
  return NOBODY;
}

// The last write of the key among the operations `first` to `end`.
static uint32_t last_write(const struct history *h, uint32_t first,
                           uint32_t end, uint32_t key) {
  assert(first <= end);
  uint32_t last = NO_OP;
  for (uint32_t op = first; op < end; op++)
    if (h->key[op] == key && op_writes(h->kind[op]))
      last = op;
  return last;
}

static uint32_t version_of_member(const struct referee *r, unsigned member,
                                  uint32_t key) {
  return member == INIT ? r->h->nops + key : r->final[member][key];
}

static bool same_session(const struct history *h, uint32_t t, uint32_t u) {
  return history_session(h, t) == history_session(h, u);
}

static void order_members_from_outside(struct referee *r, unsigned m) {
  assert(m < r->nmembers);
  const struct referee_options *all = &r->options->all;
  r->session[m] = only(INIT);
  for (unsigned o = 1; o < r->nmembers; o++) {
    const uint32_t t = r->id[o], u = r->id[m];
    if (all->session_order && t < u && r->h->outcome[t] == OUTCOME_OK &&
        same_session(r->h, t, u))
      r->session[m] |= only(o);
    if (history_ended(r->h, t) >= history_began(r->h, u))
      continue;
    if (all->real_time)
      r->session[m] |= only(o);
    if (r->level[m] == ISOLATION_SSER)
      r->before[m] |= only(o);
  }
  r->before[m] |= r->session[m];
}

// --- What is read.

static bool reads_latest(const struct referee *r,
                         const struct recorded_statement *s) {
  return r->options->plain_reads && s && s->sort != STATEMENT_SELECT;
}

static void add_event_read(struct referee *r, unsigned member, unsigned event,
                           uint32_t key, uint16_t writers) {
  assert(r->nreads < READS);
  r->reads[r->nreads++] = (struct key_read){.member = (uint8_t)member,
                                            .event = (uint8_t)event,
                                            .key = key,
                                            .writers = writers,
                                            .writer = NOBODY};
}

// The operation on the key among those of the event, or NO_OP; `*twice` if
// there are more.
static uint32_t op_on_key(const struct history *h, uint32_t first, uint32_t end,
                          uint32_t key, bool *twice) {
  assert(first <= end);
  uint32_t found = NO_OP;
  for (uint32_t op = first; op < end; op++)
    if (h->key[op] == key) {
      *twice |= found != NO_OP;
      found = op;
    }
  return found;
}

// A row or register that the event returned or changed.  False: it can be so
// at no level.
static bool take_found(struct referee *r, unsigned m, unsigned event,
                       const struct recorded_statement *s, uint32_t op,
                       uint32_t own) {
  const struct history *h = r->h;
  const uint32_t key = h->key[op], saw = h->saw[op];
  const uint32_t version = saw == SAW_INITIAL ? h->nops + key : saw;
  if (version >= h->nops + h->nkeys)
    return false; // nobody wrote it
  if (s &&
      (!condition_met(h, s, op, version) || !condition_shows(h, op, version)))
    return false;
  if (own != NO_OP)
    return version == own;
  const unsigned writer =
      saw == SAW_INITIAL ? INIT : row_member_with_op(r, version);
  if (writer == NOBODY || writer == m ||
      version_of_member(r, writer, key) != version)
    return false; // aborted, of its own future, or not the last
  if (reads_latest(r, s))
    r->before[m] |= only(writer);
  else
    add_event_read(r, m, event, key, only(writer));
  return true;
}

// A row that the event did not return, or inserted: whichever version it read
// is one that it finds or not.
static bool take_event_unseen(struct referee *r, unsigned m, unsigned event,
                              const struct recorded_statement *s, uint32_t key,
                              uint32_t own, bool found) {
  uint16_t writers = 0;
  if (own != NO_OP)
    return condition_finds(r->h, s, key, own) == found;
  if (reads_latest(r, s))
    return true;
  for (unsigned w = 0; w < r->nmembers; w++)
    if (w != m && (w == INIT || r->final[w][key] != NO_OP) &&
        condition_finds(r->h, s, key, version_of_member(r, w, key)) == found)
      writers |= only(w);
  add_event_read(r, m, event, key, writers);
  return writers != 0;
}

static bool take_key(struct referee *r, unsigned m, unsigned event,
                     const struct recorded_statement *s, uint32_t first,
                     uint32_t end, uint32_t key) {
  const struct history *h = r->h;
  bool twice = false;
  const uint32_t op = op_on_key(h, first, end, key, &twice);
  const uint32_t own = last_write(h, h->txn_first[r->id[m]], first, key);
  if (twice)
    return false;
  if (op != NO_OP && op_reads(h->kind[op]))
    return take_found(r, m, event, s, op, own);
  if (op != NO_OP && h->kind[op] == OP_ROW_INSERT)
    return take_event_unseen(r, m, event, s, key, own, true);
  if (op == NO_OP && !r->options->by_items && s &&
      s->condition != NO_CONDITION && h->rows->key_table[key] == s->table)
    return take_event_unseen(r, m, event, s, key, own, false);
  return true;
}

static bool take_event(struct referee *r, unsigned m, unsigned event,
                       const struct recorded_statement *s, uint32_t first,
                       uint32_t end) {
  assert(m < r->nmembers && first <= end);
  for (uint32_t key = 0; key < r->h->nkeys; key++)
    if (!take_key(r, m, event, s, first, end, key))
      return false;
  return true;
}

// All events of a transaction, in their order.
static bool take_events(struct referee *r, unsigned m) {
  const struct history *h = r->h;
  const struct rows *rows = h->rows;
  const uint32_t t = r->id[m];
  uint32_t s = rows->txn_statement[t];
  unsigned event = 0;
  for (uint32_t op = h->txn_first[t];
       op < h->txn_first[t + 1] || s < rows->txn_statement[t + 1]; event++) {
    const bool comes =
        s < rows->txn_statement[t + 1] && rows->statements[s].first == op;
    const struct recorded_statement *statement =
        comes ? &rows->statements[s++] : NULL;
    const uint32_t end = comes ? statement->end : op + 1;
    if (!take_event(r, m, event, statement, op, end))
      return false;
    op = end;
  }
  return true;
}

// --- The axioms.

static bool member_writes(const struct referee *r, unsigned m, uint32_t key) {
  return m == INIT || r->final[m][key] != NO_OP;
}

static bool write_one_key(const struct referee *r, unsigned a, unsigned b) {
  for (uint32_t key = 0; key < r->h->nkeys; key++)
    if (r->final[a][key] != NO_OP && r->final[b][key] != NO_OP)
      return true;
  return false;
}

// Is t2 one of the set, or before one of it in the commit order?
static bool reaches_member(const struct referee *r, unsigned t2, uint16_t set) {
  for (unsigned m = 0; m < r->nmembers; m++)
    if (set_has_member(set, m) && r->place[t2] <= r->place[m])
      return true;
  return false;
}

// wr of the transaction, of the reads up to `end`: all, or those of events
// before one.
static uint16_t members_read_from(const struct referee *r, unsigned t,
                                  unsigned end, unsigned event) {
  uint16_t set = 0;
  for (unsigned i = r->first_read[t]; i < end; i++)
    if (r->reads[i].event < event)
      set |= only(r->reads[i].writer);
  return set;
}

static uint16_t closed(const struct referee *r, uint16_t set) {
  uint16_t all = set;
  for (unsigned m = 1; m < r->nmembers; m++)
    if (set_has_member(set, m))
      all |= r->past[m];
  return all;
}

static uint16_t conflicting(const struct referee *r, unsigned t) {
  uint16_t set = 0;
  for (unsigned m = 1; m < r->nmembers; m++)
    if (m != t && r->place[m] != NOBODY && write_one_key(r, m, t))
      set |= only(m);
  return set;
}

// vis(t2, read), where the reads up to `end` are known.
static bool is_visible_to(const struct referee *r, unsigned t2,
                          const struct key_read *read, unsigned end) {
  const unsigned t = read->member;
  const uint16_t direct =
      r->session[t] | members_read_from(r, t, end, REFEREE_ROWS_EVENTS + 1);
  switch ((enum isolation)r->level[t]) {
  case ISOLATION_RC:
    return set_has_member(members_read_from(r, t, end, read->event), t2) ||
           (r->options->rc_sees_session && set_has_member(r->session[t], t2));
  case ISOLATION_RA:
    return set_has_member(direct, t2);
  case ISOLATION_CC:
    return set_has_member(closed(r, direct), t2);
  case ISOLATION_PC:
    return reaches_member(r, t2, direct);
  case ISOLATION_SI:
    return reaches_member(r, t2, direct | conflicting(r, t));
  case ISOLATION_SER:
  case ISOLATION_SSER:
    return true; // it is placed, and so before t
  default:
    return false;
  }
}

static bool events_keep_axioms(const struct referee *r, unsigned t,
                               unsigned end) {
  for (unsigned i = r->first_read[t]; i < end; i++) {
    const struct key_read *read = &r->reads[i];
    for (unsigned t2 = 0; t2 < r->nmembers; t2++)
      if (t2 != read->writer && r->place[t2] != NOBODY && t2 != t &&
          member_writes(r, t2, read->key) && is_visible_to(r, t2, read, end) &&
          r->place[t2] > r->place[read->writer])
        return false;
  }
  return true;
}

// --- The search.

static enum referee_answer place_next(struct referee *r);

// Chooses what the transaction read from the `i`-th of all reads on, and then
// places the next one.
static enum referee_answer choose_unseen(struct referee *r, unsigned t,
                                         unsigned i) {
  if (++r->steps > MAX_STEPS)
    return REFEREE_TOO_LARGE;
  if (i == r->first_read[t + 1]) {
    r->past[t] = closed(
        r, r->session[t] | members_read_from(r, t, i, REFEREE_ROWS_EVENTS + 1));
    return place_next(r);
  }
  for (unsigned w = r->nmembers; w-- > 0;) {
    if (!set_has_member(r->reads[i].writers, w) || r->place[w] == NOBODY ||
        w == t)
      continue;
    r->reads[i].writer = (uint8_t)w;
    if (!events_keep_axioms(r, t, i + 1))
      continue;
    const enum referee_answer answer = choose_unseen(r, t, i + 1);
    if (answer != REFEREE_BROKEN)
      return answer;
  }
  return REFEREE_BROKEN;
}

static bool all_placed(const struct referee *r, uint16_t set) {
  for (unsigned m = 0; m < r->nmembers; m++)
    if (set_has_member(set, m) && r->place[m] == NOBODY)
      return false;
  return true;
}

static enum referee_answer place_next(struct referee *r) {
  if (r->nplaced == r->nmembers)
    return REFEREE_KEPT;
  for (unsigned t = 1; t < r->nmembers; t++) {
    if (r->place[t] != NOBODY || !all_placed(r, r->before[t]))
      continue;
    r->place[t] = (uint8_t)r->nplaced++;
    const enum referee_answer answer = choose_unseen(r, t, r->first_read[t]);
    if (answer != REFEREE_BROKEN)
      return answer;
    r->place[t] = NOBODY;
    r->nplaced--;
  }
  return REFEREE_BROKEN;
}

// --- One choice of the transactions in doubt.

static void open_members(struct referee *r, const uint32_t *txns,
                         unsigned ntxns) {
  const struct history *h = r->h;
  const struct referee_options *all = &r->options->all;
  r->nmembers = ntxns + 1;
  for (unsigned m = 1; m < r->nmembers; m++) {
    const uint32_t t = r->id[m] = txns[m - 1];
    r->level[m] = (uint8_t)(all->levels ? all->levels[t] : all->level);
    for (uint32_t key = 0; key < h->nkeys; key++)
      r->final[m][key] =
          last_write(h, h->txn_first[t], h->txn_first[t + 1], key);
  }
}

static enum referee_answer decide_row_orders(struct referee *r, uint32_t *order,
                                             uint32_t *norder) {
  for (unsigned m = 1; m < r->nmembers; m++) {
    r->first_read[m] = r->nreads;
    order_members_from_outside(r, m);
    if (r->level[m] != ISOLATION_NONE && !take_events(r, m))
      return REFEREE_BROKEN;
  }
  r->first_read[r->nmembers] = r->nreads;
  memset(r->place, NOBODY, sizeof r->place);
  r->place[INIT] = 0;
  r->nplaced = 1;
  const enum referee_answer answer = place_next(r);
  *norder = r->nmembers - 1;
  for (unsigned m = 1; answer == REFEREE_KEPT && order && m < r->nmembers; m++)
    order[r->place[m] - 1] = r->id[m];
  return answer;
}

// Statements, and operations that belong to none.
static uint32_t events_of(const struct history *h, uint32_t t) {
  const struct rows *rows = h->rows;
  uint32_t n = h->txn_first[t + 1] - h->txn_first[t];
  for (uint32_t s = rows->txn_statement[t]; s < rows->txn_statement[t + 1]; s++)
    n += 1 - (rows->statements[s].end - rows->statements[s].first);
  return n;
}

static bool is_small_enough(const struct history *h, const uint32_t *txns,
                            unsigned ntxns) {
  uint32_t nevents = 0;
  for (unsigned i = 0; i < ntxns; i++)
    nevents += events_of(h, txns[i]);
  if (nevents > REFEREE_ROWS_EVENTS)
    return false;
  return h->nkeys <= REFEREE_ROWS_KEYS && !h->lists && h->complete;
}

enum referee_answer
referee_rows_decide(const struct history *h,
                    const struct referee_rows_options *options, uint32_t *order,
                    uint32_t *norder) {
  uint32_t txns[REFEREE_ROWS_TXNS];
  unsigned n = 0, unknown = 0, steps = 0;
  for (uint32_t t = 0; t < h->ntxns; t++) {
    if (h->outcome[t] == OUTCOME_ABORTED)
      continue;
    if (n == REFEREE_ROWS_TXNS)
      return REFEREE_TOO_LARGE;
    if (h->outcome[t] == OUTCOME_UNKNOWN)
      unknown |= 1u << n;
    txns[n++] = t;
  }
  if (!is_small_enough(h, txns, n))
    return REFEREE_TOO_LARGE;
  enum referee_answer answer = REFEREE_BROKEN;
  unsigned out = unknown; // those that did not commit
  for (bool more = true; more && answer == REFEREE_BROKEN;) {
    struct referee r = {.h = h, .options = options, .steps = steps};
    uint32_t members[REFEREE_ROWS_TXNS];
    unsigned nmembers = 0;
    for (unsigned i = 0; i < n; i++)
      if (!(out >> i & 1))
        members[nmembers++] = txns[i];
    open_members(&r, members, nmembers);
    answer = decide_row_orders(&r, order, norder);
    steps = r.steps;
    more = out != 0;
    out = (out - 1) & unknown; // the next smaller subset
  }
  return answer;
}
