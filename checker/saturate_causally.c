// SPDX-License-Identifier: GPL-3.0-or-later
// The demands of causal consistency (checker/saturation.h).  Vector clocks say
// which transactions of each line a reader has observed, and one pointer per
// key and line follows along as the clocks of a line grow: O(n k) time, and
// O(n) memory since only some lines are looked at at once.  A line is a
// session, or one of its transactions that others follow without being led by
// it, for its outcome is unknown.
#include "config.h"

#include "checker/saturation.h"

#include "base/memory.h"
#include "base/pick.h"

#include <stdlib.h>
#include <string.h>

enum {
  COLUMNS = 32, // of clocks that are kept at once, each of a session...
  BITS = 32     // ...or, if they are the last ones, of so many lines
};

// The writes of one line to one key.
struct run {
  uint32_t line, first, end; // in causal.writes
  uint32_t place;            // that of the first one's transaction
  uint32_t at;               // first that the reader at hand has not observed
  uint32_t of;               // session of readers that `at` belongs to
};

struct causal {
  struct saturation *s;
  uint32_t first_column; // of those at hand
  uint32_t *clocks;  // per transaction and column: how many of that session's
                     // transactions it has observed, itself included in its
                     // own; or which of BITS lines
  uint32_t *line_of; // per transaction
  struct line {
    uint32_t first, end; // its transactions are among these
  } * lines;             // sessions first
  uint32_t nlines, lines_room;

  // Final writes per key and line, in session order: `runs` of one key are
  // key_first[k] to key_first[k + 1], and from key_at[k] on those of the lines
  // at hand and after them.
  uint32_t *key_first, *key_at;
  struct run *runs;
  uint32_t *writes;
};

static uint32_t *clock_of(const struct causal *c, uint32_t t) {
  return c->clocks + (size_t)t * COLUMNS;
}

// Those of the session that come after it have larger places.
static uint32_t place_in_session(const struct causal *c, uint32_t t) {
  return t - c->lines[c->line_of[t]].first + 1;
}

static bool is_session(const struct causal *c, uint32_t line) {
  return line < c->s->m->h->nsessions;
}

// COLUMNS or more, if the line is not at hand.
static uint32_t column_of(const struct causal *c, uint32_t line) {
  const uint32_t nsessions = c->s->m->h->nsessions;
  const uint32_t behind = (nsessions + COLUMNS - 1) / COLUMNS * COLUMNS;
  return (is_session(c, line) ? line : behind + (line - nsessions) / BITS) -
         c->first_column;
}

static uint32_t bit_of(const struct causal *c, uint32_t line) {
  return UINT32_C(1) << (line - c->s->m->h->nsessions) % BITS;
}

static void join_clock(const struct causal *c, uint32_t *clock, uint32_t past) {
  const uint32_t *other = clock_of(c, past);
  if (is_session(c, c->first_column))
    for (int i = 0; i < COLUMNS; i++)
      clock[i] = other[i] > clock[i] ? other[i] : clock[i];
  else
    for (int i = 0; i < COLUMNS; i++)
      clock[i] |= other[i];
}

static bool is_bit_set(const struct causal *c, const uint32_t *clock,
                       uint32_t line) {
  const uint32_t column = column_of(c, line);
  return column < COLUMNS && clock[column] & bit_of(c, line);
}

// Who has observed a transaction has observed all that it had.
static inline bool has_observed(const struct causal *c, const uint32_t *clock,
                                uint32_t past) {
  const uint32_t line = c->line_of[past], column = line - c->first_column;
  const bool at_hand = column < COLUMNS;
  if (!is_session(c, line))
    return is_bit_set(c, clock, line);
  return at_hand &
         (clock[pick_if(at_hand, column)] >= place_in_session(c, past));
}

// Most of what is read has been observed before.
static void set_clock(const struct causal *c, uint32_t t) {
  const struct model *m = c->s->m;
  const struct history *h = m->h;
  const size_t bytes = COLUMNS * sizeof *c->clocks;
  uint32_t *const clock = clock_of(c, t);
  if (m->previous[t] != NO_ID)
    memcpy(clock, clock_of(c, m->previous[t]), bytes);
  else
    memset(clock, 0, bytes);
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const bool reads = m->sees[op] < h->nops; // no initial version
    const uint32_t writer = writer_of(m, pick(reads, m->sees[op], op));
    if (reads & !has_observed(c, clock, writer))
      join_clock(c, clock, writer);
  }
  const uint32_t line = c->line_of[t], column = column_of(c, line);
  if (column < COLUMNS)
    clock[column] = is_session(c, line) ? place_in_session(c, t)
                                        : clock[column] | bit_of(c, line);
}

static bool same_run(const struct causal *c, uint32_t key, uint32_t nruns,
                     uint32_t line) {
  return nruns > c->key_first[key] && c->runs[nruns - 1].line == line;
}

// Those of a transaction, each to the place that its key is at.
static void put_writes(const struct causal *c, uint32_t t, uint32_t *place) {
  const struct model *m = c->s->m;
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++)
    if (is_final(m, op))
      c->writes[place[m->h->key[op] + 1]++] = op;
}

// Line by line: those of a session, and then those that are lines by
// themselves.
static void put_all_writes(const struct causal *c, uint32_t *place) {
  for (uint32_t line = 0; line < c->nlines; line++)
    for (uint32_t t = c->lines[line].first; t < c->lines[line].end; t++)
      if (c->line_of[t] == line)
        put_writes(c, t, place);
}

// Sorts the final writes by key and line.
static void find_runs(struct causal *c) {
  const struct model *m = c->s->m;
  const struct history *h = m->h;
  uint32_t *place = xcalloc((size_t)h->nkeys + 2, sizeof *place);
  for (uint32_t op = 0; op < h->nops; op++)
    place[h->key[op] + 2] += is_final(m, op);
  for (uint32_t k = 0; k < h->nkeys; k++)
    place[k + 2] += place[k + 1];
  c->writes = xmalloc(h->nops * sizeof *c->writes);
  put_all_writes(c, place);
  c->key_first = xmalloc(((size_t)h->nkeys + 1) * sizeof *c->key_first);
  uint32_t nruns = 0, room = 0;
  for (uint32_t key = 0; key < h->nkeys; key++) {
    c->key_first[key] = nruns;
    for (uint32_t i = place[key]; i < place[key + 1]; i++) {
      const uint32_t t = m->txn_of[c->writes[i]], line = c->line_of[t];
      if (!same_run(c, key, nruns, line)) {
        ARRAY_RESERVE(c->runs, nruns, room);
        c->runs[nruns++] =
            (struct run){line, i, i, place_in_session(c, t), i, NO_ID};
      }
      c->runs[nruns - 1].end = i + 1;
    }
  }
  c->key_first[h->nkeys] = nruns;
  c->key_at = xmalloc(h->nkeys * sizeof *c->key_at);
  memcpy(c->key_at, c->key_first, h->nkeys * sizeof *c->key_at);
  free(place);
}

// The last write of the run by a transaction that t, of the session, has
// observed; t itself and what comes after it in its line is no past of it.
static uint32_t last_observed(const struct causal *c, struct run *run,
                              uint32_t t, uint32_t session) {
  const struct model *m = c->s->m;
  const uint32_t first = c->lines[run->line].first;
  const bool own = run->line == c->line_of[t];
  const uint32_t *clock = clock_of(c, t);
  if (!is_session(c, run->line))
    return !own && is_bit_set(c, clock, run->line) ? c->writes[run->first]
                                                   : NO_ID;
  const uint32_t observed = clock[run->line - c->first_column] - own;
  if (observed < run->place)
    return NO_ID;
  if (run->of != session) {
    run->of = session;
    run->at = run->first + 1;
  }
  uint32_t at = run->at;
  while (at < run->end && m->txn_of[c->writes[at]] - first < observed)
    at++;
  // What comes next in the session may have observed less than one that does
  // not lead it.
  if (is_session(c, c->line_of[t]))
    run->at = at;
  return c->writes[at - 1];
}

static bool is_at_hand(const struct causal *c, uint32_t line) {
  return column_of(c, line) < COLUMNS;
}

// Had the writer of what was read observed that line of its own?  There may be
// too many of these to demand it of them once more.
static bool is_known_before(const struct causal *c, const struct run *run,
                            uint32_t read) {
  const struct model *m = c->s->m;
  const uint32_t version = saturation_seen(m, read);
  return !is_session(c, run->line) && !is_initial(m, version) &&
         is_bit_set(c, clock_of(c, writer_of(m, version)), run->line);
}

static void demand_causally(const struct causal *c, uint32_t t,
                            uint32_t session) {
  saturation_note_reads(c->s, t);
  for (uint32_t i = 0; i < c->s->nreads; i++) {
    const uint32_t read = c->s->reads[i], key = c->s->m->h->key[read];
    for (uint32_t r = c->key_at[key];
         r < c->key_first[key + 1] && is_at_hand(c, c->runs[r].line); r++) {
      const uint32_t write = last_observed(c, &c->runs[r], t, session);
      if (write != NO_ID && !is_known_before(c, &c->runs[r], read))
        saturation_demand(c->s, write, read);
    }
  }
}

// The readers are gone through again from the first one.
static void forget_readers(struct saturation *s) {
  memset(s->first_of_key, 0xff, s->m->h->nkeys * sizeof *s->first_of_key);
  memset(s->written, 0xff, s->m->h->nkeys * sizeof *s->written);
}

// The lines at hand are done with.
static void pass_over_runs(struct causal *c) {
  for (uint32_t key = 0; key < c->s->m->h->nkeys; key++)
    while (c->key_at[key] < c->key_first[key + 1] &&
           is_at_hand(c, c->runs[c->key_at[key]].line))
      c->key_at[key]++;
}

static void add_line(struct causal *c, uint32_t first, uint32_t end) {
  ARRAY_RESERVE(c->lines, c->nlines, c->lines_room);
  c->lines[c->nlines++] = (struct line){first, end};
}

// What comes last in its session leads nobody anyhow, and stays in its line.
static void find_lines(struct causal *c) {
  const struct model *m = c->s->m;
  const struct history *h = m->h;
  c->line_of = xmalloc(h->ntxns * sizeof *c->line_of);
  for (uint32_t s = 0; s < h->nsessions; s++)
    add_line(c, h->session_first[s], h->session_first[s + 1]);
  for (uint32_t s = 0; s < h->nsessions; s++)
    for (uint32_t t = c->lines[s].first; t < c->lines[s].end; t++) {
      const bool alone =
          m->counted[t] && !leads_session(m, t) && t + 1 < c->lines[s].end;
      c->line_of[t] = alone ? c->nlines : s;
      if (alone)
        add_line(c, t, t + 1);
    }
}

static void demand_of_sessions(const struct causal *c) {
  const struct model *m = c->s->m;
  for (uint32_t s = 0; s < m->h->nsessions; s++)
    for (uint32_t t = c->lines[s].first;
         t < c->lines[s].end && !model_is_stopped(m); t++)
      if (m->counted[t] && is_bound_at(m, t, c->s->level))
        demand_causally(c, t, s);
}

void saturate_causally(struct saturation *s, const uint32_t *order,
                       uint32_t norder) {
  const struct history *h = s->m->h;
  struct causal c = {.s = s};
  find_lines(&c);
  c.clocks = xmalloc((size_t)h->ntxns * COLUMNS * sizeof *c.clocks);
  find_runs(&c);
  const uint32_t ncolumns = c.nlines ? column_of(&c, c.nlines - 1) + 1 : 0;
  for (; c.first_column < ncolumns && !model_is_stopped(s->m);
       c.first_column += COLUMNS) {
    forget_readers(s);
    for (uint32_t i = 0; i < norder; i++)
      set_clock(&c, order[i]);
    demand_of_sessions(&c);
    pass_over_runs(&c);
  }
  free(c.line_of);
  free(c.lines);
  free(c.clocks);
  free(c.key_first);
  free(c.key_at);
  free(c.runs);
  free(c.writes);
}
