// SPDX-License-Identifier: GPL-3.0-or-later
// One search over the events of all sessions (explore/schedule.h).
//
// A transaction is a chain of events, by its level: ser: one that reads and
// commits; pc and si: the snapshot, which reads, a lock for each statement that
// takes one, and the commit; rc-statement: every statement and the commit;
// mysql-rr: the snapshot, which does the plain reads, every other statement,
// and the commit; other levels: the commit.  A state is how far
// each session is.  What committed last to a key need not be kept: a commit
// that would hide a value from one that has still to read it is not taken, so
// that whoever reads sees what was committed last.  (Biswas and Enea, "On the
// complexity of checking transactional consistency", section 4, do the same for
// ser.)
#include "config.h"

#include "explore/schedule.h"

#include "base/memory.h"
#include "explore/states.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SESSIONS = PROGRAM_MAX_TXNS + 1 };

struct schedule_chain { // the events of a session
  uint32_t first, end;
};

struct bucket {   // of a table of states
  uint32_t state; // its number in `seen`, from 1; 0: none
  uint32_t hash;
};

struct schedule_search {
  const struct partial *partial;
  const uint8_t *levels;
  const uint64_t *before;   // who has to commit before whom
  uint32_t limit[SESSIONS]; // by block: its reads up to here count
  bool taken[SESSIONS];     // by block: it counts at all
  bool whole[SESSIONS];     // by block: it commits
  bool is_told; // the order is wanted, not only whether there is one
  struct schedule_event *events;
  uint32_t nevents, events_room;
  uint32_t nchains;
  struct schedule_chain chains[SESSIONS];
  struct state at;               // by chain: events taken
  uint32_t event_of_t[SESSIONS]; // its first event
  uint32_t chain_of_t[SESSIONS];
  uint64_t included, committed;
  uint32_t order[SCHEDULE_MAX_EVENTS];
  uint32_t norder;
  struct states dead; // those that lead nowhere
};

// ---- Transactions

static const struct program_block *
schedule_block_of(const struct schedule_search *s, uint32_t t) {
  return &s->partial->blocks[s->partial->position[t] - 1];
}

static bool is_whole(const struct schedule_search *s, uint32_t t) {
  return s->whole[s->partial->position[t] - 1];
}

static bool schedule_writes(const struct schedule_search *s, uint32_t t,
                            uint32_t key) {
  return writers_of(s->partial, key) & bit(t) && is_whole(s, t);
}

// ---- Events

bool schedule_sees(const struct partial *p, const struct schedule_event *e,
                   uint32_t r) {
  return r >= e->first_read && r < e->end_read && e->kind != SCHEDULE_LOCKS &&
         !(e->kind == SCHEDULE_PLAIN && p->reads[r].flags & READ_NEWEST);
}

bool schedule_locks(const struct partial *p, const struct schedule_event *e,
                    uint32_t r) {
  return r >= e->first_read && r < e->end_read &&
         (e->kind == SCHEDULE_READS || e->kind == SCHEDULE_LOCKS) &&
         p->reads[r].flags & (READ_LOCKED | READ_WAITS);
}

static void add_schedule_event(struct schedule_search *s, uint32_t t,
                               enum schedule_kind kind, uint32_t first,
                               uint32_t end) {
  ARRAY_RESERVE(s->events, s->nevents, s->events_room);
  s->events[s->nevents++] =
      (struct schedule_event){(uint8_t)t, (uint8_t)kind, false, first, end};
}

// The end of the statement that begins with the read.
static uint32_t end_of_statement(const struct schedule_search *s,
                                 uint32_t first, uint32_t end) {
  uint32_t next = first + 1;
  while (next < end && s->partial->reads[next].statement ==
                           s->partial->reads[first].statement)
    next++;
  return next;
}

static bool has_flag(const struct schedule_search *s, uint32_t first,
                     uint32_t end, unsigned flags) {
  for (uint32_t i = first; i < end; i++)
    if (s->partial->reads[i].flags & flags)
      return true;
  return false;
}

static void add_statements(struct schedule_search *s, uint32_t t,
                           uint32_t first, uint32_t end) {
  for (uint32_t i = first, next; i < end; i = next) {
    next = end_of_statement(s, i, end);
    add_schedule_event(s, t, SCHEDULE_READS, i, next);
  }
}

// Does every other transaction that locks the key, or waits for it, change it?
static bool others_change(const struct schedule_search *s, uint32_t t,
                          uint32_t key) {
  for (uint32_t n = 0; n < s->partial->nblocks; n++) {
    const struct program_block *b = &s->partial->blocks[n];
    if (!s->taken[n] || b->t == t || schedule_writes(s, b->t, key))
      continue;
    for (uint32_t i = b->first_read; i < s->limit[n]; i++)
      if (s->partial->reads[i].key == key &&
          s->partial->reads[i].flags & (READ_LOCKED | READ_WAITS))
        return false;
  }
  return true;
}

// Does it matter when t, at si, takes the locks of a statement?  Not if whoever
// locks these keys changes them, t included: the first committer wins, so that
// no two such transactions are open at once anyway.
static bool matters(const struct schedule_search *s, uint32_t t, uint32_t first,
                    uint32_t end) {
  for (uint32_t i = first; i < end; i++) {
    const struct program_read *r = &s->partial->reads[i];
    if (r->flags & READ_LOCKED &&
        !(schedule_writes(s, t, r->key) && others_change(s, t, r->key)))
      return true;
  }
  return false;
}

// Adds a lock for each statement that takes one; a schedule that is to be told
// has all of them.
static void add_locks(struct schedule_search *s, uint32_t t, uint32_t first,
                      uint32_t end) {
  const bool all = s->is_told || s->levels[t] != LEVEL_SI;
  for (uint32_t i = first, next; i < end; i = next) {
    next = end_of_statement(s, i, end);
    if (has_flag(s, i, next, READ_LOCKED) && (all || matters(s, t, i, next)))
      add_schedule_event(s, t, SCHEDULE_LOCKS, i, next);
  }
}

// The snapshot is that of the first plain read, and of all that follow.
static void add_mysql(struct schedule_search *s, uint32_t t, uint32_t first,
                      uint32_t end) {
  bool begun = false;
  for (uint32_t i = first, next; i < end; i = next) {
    next = end_of_statement(s, i, end);
    if (has_flag(s, i, next, READ_NEWEST))
      add_schedule_event(s, t, SCHEDULE_READS, i, next);
    else if (!begun)
      add_schedule_event(s, t, SCHEDULE_PLAIN, i, end);
    begun |= !has_flag(s, i, next, READ_NEWEST);
  }
}

static void add_schedule_reads(struct schedule_search *s, uint32_t t,
                               uint32_t first, uint32_t end) {
  switch ((enum level)s->levels[t]) {
  case LEVEL_RC_STATEMENT:
    add_statements(s, t, first, end);
    break;
  case LEVEL_MYSQL_RR:
    add_mysql(s, t, first, end);
    break;
  case LEVEL_PC:
  case LEVEL_SI:
    add_schedule_event(s, t, SCHEDULE_SNAPSHOT, first, end);
    add_locks(s, t, first, end);
    break;
  default:
    break;
  }
}

static void add_block(struct schedule_search *s, uint32_t block) {
  const struct program_block *b = &s->partial->blocks[block];
  const uint32_t end = s->limit[block];
  s->event_of_t[b->t] = s->nevents;
  s->included |= bit(b->t);
  add_schedule_reads(s, b->t, b->first_read, end);
  if (s->nevents == s->event_of_t[b->t]) // others read when they commit
    add_schedule_event(s, b->t, SCHEDULE_READS, b->first_read, end);
  else if (s->whole[block])
    add_schedule_event(s, b->t, SCHEDULE_READS, end, end);
  s->events[s->nevents - 1].commits = s->whole[block];
}

static void add_chains(struct schedule_search *s) {
  const struct program *program = s->partial->program;
  for (uint32_t session = 0; session < program->nsessions; session++) {
    const uint32_t first = s->nevents;
    for (uint32_t t = 1; t <= program->ntxns; t++) {
      const uint32_t place = s->partial->position[t];
      if (program->txns[t].session != session || !place ||
          place > s->partial->nblocks || s->partial->blocks[place - 1].t != t ||
          !s->taken[place - 1])
        continue;
      s->chain_of_t[t] = s->nchains;
      add_block(s, place - 1);
    }
    if (s->nevents > first)
      s->chains[s->nchains++] = (struct schedule_chain){first, s->nevents};
  }
}

// ---- May the event be next?

static const struct schedule_event *next_event(const struct schedule_search *s,
                                               uint32_t chain) {
  return &s->events[s->chains[chain].first + s->at.at[chain]];
}

static bool is_done(const struct schedule_search *s, uint32_t chain) {
  return s->chains[chain].first + s->at.at[chain] == s->chains[chain].end;
}

// Has some, but not all, of the transaction taken place?  One of which only a
// part counts may end, in a way that is not known, behind it.
static bool is_schedule_open(const struct schedule_search *s, uint32_t t) {
  const uint32_t chain = s->chain_of_t[t];
  return !(s->committed & bit(t)) &&
         s->chains[chain].first + s->at.at[chain] > s->event_of_t[t] &&
         (is_whole(s, t) || !is_done(s, chain));
}

// Did it see this read, or take its lock, already?
static bool has_been(const struct schedule_search *s, uint32_t t, uint32_t r,
                     bool (*does)(const struct partial *p,
                                  const struct schedule_event *e,
                                  uint32_t read)) {
  const uint32_t chain = s->chain_of_t[t];
  const uint32_t next = s->chains[chain].first + s->at.at[chain];
  for (uint32_t e = s->event_of_t[t]; e < next && s->events[e].t == t; e++)
    if (does(s->partial, &s->events[e], r))
      return true;
  return false;
}

static bool is_seen_committed(const struct schedule_search *s,
                              uint32_t writer) {
  return !writer || s->committed & bit(writer);
}

// Reads that see what is committed last: all of a scheduled level, and those
// for update of any.
static bool sees_the_last(const struct schedule_search *s, uint32_t t,
                          const struct program_read *r) {
  return level_is_scheduled((enum level)s->levels[t]) ||
         r->flags & (READ_LOCKED | READ_WAITS);
}

// Would t's write of the key hide a value from u that it still has to read, or
// come between what u has read of the key for update and its commit?
static bool disturbs(const struct schedule_search *s, uint32_t t, uint32_t key,
                     uint32_t u) {
  const struct program_block *b = schedule_block_of(s, u);
  const bool open = is_schedule_open(s, u);
  const uint32_t end = s->limit[s->partial->position[u] - 1];
  if (open && s->levels[u] == LEVEL_SI && schedule_writes(s, u, key))
    return true; // the first committer wins
  for (uint32_t i = b->first_read; i < end; i++) {
    const struct program_read *r = &s->partial->reads[i];
    if (r->key != key)
      continue;
    const bool has = has_been(s, u, i, schedule_sees);
    if (open && has && r->flags & READ_LOCKED)
      return true;
    if (!has && r->writer != t && is_seen_committed(s, r->writer) &&
        sees_the_last(s, u, r))
      return true;
  }
  return false;
}

static bool may_commit(const struct schedule_search *s, uint32_t t) {
  const struct program_block *b = schedule_block_of(s, t);
  if (s->before[t] & s->included & ~s->committed & ~bit(t))
    return false;
  FOR_EACH_BIT(u, s->included & ~s->committed & ~bit(t))
  for (uint32_t i = b->first_write; i < b->end_write; i++)
    if (disturbs(s, t, s->partial->writes[i].key, (uint32_t)u))
      return false;
  return true;
}

// Is the read the one of the statement with which u changes the key first?  It
// reads what it changes, and later ones read its own write.
static bool changes(const struct schedule_search *s, uint32_t u, uint32_t r) {
  const uint32_t key = s->partial->reads[r].key;
  for (uint32_t i = r + 1; i < schedule_block_of(s, u)->end_read; i++)
    if (s->partial->reads[i].key == key)
      return false;
  return schedule_writes(s, u, key);
}

static bool conflict(const struct schedule_search *s,
                     const struct program_read *wanted, uint32_t u,
                     uint32_t r) {
  const struct program_read *held = &s->partial->reads[r];
  return held->key == wanted->key && held->flags & READ_LOCKED &&
         !(held->flags & wanted->flags & READ_SHARED) &&
         (wanted->flags & READ_LOCKED || changes(s, u, r));
}

// Does an open transaction but t hold the key that the read needs?  Two reads
// for share do not exclude each other.
static bool is_locked(const struct schedule_search *s, uint32_t t,
                      const struct program_read *wanted) {
  FOR_EACH_BIT(u, s->included & ~s->committed & ~bit(t)) {
    const struct program_block *b = schedule_block_of(s, (uint32_t)u);
    if (!is_schedule_open(s, (uint32_t)u))
      continue;
    for (uint32_t i = b->first_read; i < s->limit[s->partial->position[u] - 1];
         i++)
      if (conflict(s, wanted, (uint32_t)u, i) &&
          has_been(s, (uint32_t)u, i, schedule_locks))
        return true;
  }
  return false;
}

static bool may_be_next(const struct schedule_search *s, uint32_t chain) {
  const struct schedule_event *e = next_event(s, chain);
  for (uint32_t i = e->first_read; i < e->end_read; i++) {
    const struct program_read *r = &s->partial->reads[i];
    if ((schedule_sees(s->partial, e, i) && !is_seen_committed(s, r->writer)) ||
        (schedule_locks(s->partial, e, i) && is_locked(s, e->t, r)))
      return false;
  }
  // A session goes on when what was before it, elsewhere too, has committed.
  if (s->partial->program->txns[e->t].before & s->included & ~s->committed)
    return false;
  return !e->commits || may_commit(s, e->t);
}

// ---- The search

// The chain to try first: a statement that has seen its rows takes its locks at
// once, if it can.  UINT32_MAX: there is none.
static uint32_t chain_that_locks(const struct schedule_search *s) {
  if (!s->norder)
    return UINT32_MAX;
  const uint32_t chain = s->chain_of_t[s->events[s->order[s->norder - 1]].t];
  return !is_done(s, chain) && next_event(s, chain)->kind == SCHEDULE_LOCKS
             ? chain
             : UINT32_MAX;
}

static uint32_t chain_to_try(uint32_t first, uint32_t i) {
  return first == UINT32_MAX ? i : i ? i - (i <= first) : first;
}

static bool go_on_with_schedule(struct schedule_search *s) {
  if (s->norder == s->nevents)
    return true;
  if (states_has(&s->dead, &s->at))
    return false;
  const uint32_t first = chain_that_locks(s);
  for (uint32_t i = 0; i < s->nchains; i++) {
    const uint32_t chain = chain_to_try(first, i);
    if (is_done(s, chain) || !may_be_next(s, chain))
      continue;
    const struct schedule_event *e = next_event(s, chain);
    s->order[s->norder++] = (uint32_t)(e - s->events);
    state_move(&s->at, chain, 1);
    s->committed |= e->commits ? bit(e->t) : 0;
    if (go_on_with_schedule(s))
      return true;
    s->committed &= e->commits ? ~bit(e->t) : ~UINT64_C(0);
    state_move(&s->at, chain, -1);
    s->norder--;
  }
  states_add(&s->dead, &s->at);
  return false;
}

static void prepare_schedule(struct schedule_search *s,
                             const struct partial *partial,
                             const uint8_t *levels, const uint64_t *before) {
  s->partial = partial;
  s->levels = levels;
  s->before = before;
  s->events = NULL;
  s->nevents = s->events_room = s->nchains = s->norder = 0;
  s->at.sum = 0;
  s->included = 0;
  s->committed = 1;
}

static bool search_schedule(struct schedule_search *s,
                            struct schedule *schedule) {
  s->is_told = schedule != NULL;
  add_chains(s);
  memset(s->at.at, 0, s->nchains * sizeof *s->at.at);
  s->dead = (struct states){.nchains = s->nchains};
  assert(s->nevents <= SCHEDULE_MAX_EVENTS);
  const bool found = go_on_with_schedule(s);
  if (found && schedule) {
    schedule->nevents = s->nevents;
    for (uint32_t i = 0; i < s->nevents; i++)
      schedule->events[i] = s->events[s->order[i]];
  }
  free(s->events);
  states_free(&s->dead);
  return found;
}

bool schedule_is_needed(const struct program *program, const uint8_t *levels) {
  for (uint32_t t = 1; t <= program->ntxns; t++)
    if (level_is_scheduled((enum level)levels[t]))
      return true;
  for (uint32_t i = 0; i < program->ncode; i++)
    if (program->code[i].op == DO_GET_LOCKED ||
        program->code[i].op == DO_GET_SHARED)
      return true;
  return false;
}

bool schedule_find(const struct partial *partial, const uint8_t *levels,
                   struct schedule *schedule) {
  struct schedule_search s;
  prepare_schedule(&s, partial, levels, partial->before);
  for (uint32_t i = 0; i < partial->nblocks; i++) {
    s.taken[i] = s.whole[i] = true;
    s.limit[i] = partial->blocks[i].end_read;
  }
  return search_schedule(&s, schedule);
}

// Reads up to the last one that is swapped or far.
static uint32_t core_of_block(const struct partial *p,
                              const struct program_block *b) {
  uint32_t end = b->end_read;
  while (end > b->first_read &&
         !(p->reads[end - 1].flags & (READ_SWAPPED | READ_FAR)))
    end--;
  return end;
}

// Predecessors of the block's transaction that its reads up to `end` imply.
static uint64_t past_at(const struct partial *p, const struct program_block *b,
                        uint32_t end) {
  uint64_t past = p->program->txns[b->t].before;
  FOR_EACH_BIT(u, p->program->txns[b->t].before)
  past |= u ? p->past[u] : 0;
  for (uint32_t i = b->first_read; i < end; i++)
    past |= bit(p->reads[i].writer) |
            (p->reads[i].writer ? p->past[p->reads[i].writer] : 0);
  return past;
}

bool schedule_core(const struct partial *p, const uint8_t *levels) {
  struct schedule_search s;
  uint64_t whole = 0;
  prepare_schedule(&s, p, levels, p->past);
  for (uint32_t i = 0; i < p->nblocks; i++) {
    s.limit[i] = core_of_block(p, &p->blocks[i]);
    s.taken[i] = s.limit[i] > p->blocks[i].first_read;
    if (s.taken[i])
      whole |= past_at(p, &p->blocks[i], s.limit[i]);
  }
  for (uint32_t i = 0; i < p->nblocks; i++) {
    s.whole[i] = whole & bit(p->blocks[i].t);
    s.taken[i] |= s.whole[i];
    s.limit[i] = s.whole[i] ? p->blocks[i].end_read : s.limit[i];
  }
  return search_schedule(&s, NULL);
}
