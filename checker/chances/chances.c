// SPDX-License-Identifier: GPL-3.0-or-later
// Counts chances (checker/chances/chances.h).
#include "config.h"

#include "checker/chances/chances.h"

#include "base/memory.h"
#include "base/stop.h"
#include "checker/chances/found.h"
#include "checker/chances/meeting.h"
#include "checker/chances/sample.h"
#include "checker/chances/single.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A step takes about twelve nanoseconds (bench/chances.sh), so that these are
// less than half a second.  A longer history may take as many as it has
// operations, which is about a tenth of the time that its check takes.
enum { STEPS_ALWAYS = 1 << 25 };

// Groups of one transaction of which each is looked at with each other one.  In
// a crowd of sessions there are thousands, and millions of triples.
enum { MOST_GROUPS = 256 };

// The first round of a sample has about so many blocks.
enum { FIRST_BLOCKS = 16 };

// A pair may have any of these.
enum fact {
  NO_FACT,
  READS_LEFT,
  READS_REWRITE,
  REREADS_WRITE,
  READS_LIST,
  READS_TWO,
  BOTH_UPDATE,
  BOTH_WRITE_TWO,
  EACH_READS,
  EACH_READS_ANOTHER,
  STATEMENT_IS_FRACTURED,
  STATEMENTS_DIFFER,
  EACH_LOOKS_FOR_ANOTHER,
  FACTS
};

// Sets of facts.
enum {
  // The other one did not commit.
  FACTS_OF_ABORTED = 1 << READS_LEFT,
  // The one must have committed.
  FACTS_OF_COMMITTED = FACTS_OF_ABORTED | 1 << READS_REWRITE |
                       1 << REREADS_WRITE | 1 << READS_LIST,
  // The pair is the same the other way around.
  FACTS_ALIKE = 1 << BOTH_UPDATE | 1 << BOTH_WRITE_TWO | 1 << EACH_READS |
                1 << EACH_READS_ANOTHER | 1 << EACH_LOOKS_FOR_ANOTHER
};

// Meetings of one transaction with such of one session that did the same with
// its keys.
struct group {
  struct meeting meeting; // one of them
  uint32_t count;
};

struct chance_count {
  const struct history *h;   // in which only that is a read which counts as one
  struct searcher *searcher; // NULL: there are no rows
  struct chances *chances;
  struct group *groups; // of the transaction at hand, session by session
  uint32_t ngroups, room;
  uint8_t *counted; // per transaction: did it commit, as far as anybody knows?
  uint32_t sampled; // transactions
  uint32_t session; // of the last one
  struct sample_count drawn[CHANCE_KINDS];
  uint64_t blocks; // that were drawn
  uint64_t steps;  // for triples
  uint64_t most;   // steps
  struct patience patience;
  uint64_t pairs[FACTS];          // of the block at hand, per fact
  uint64_t triples[CHANCE_KINDS]; // of the block at hand
  uint32_t ntriples;
  uint8_t triple[CHANCE_KINDS]; // those with a rule of triples
};

static bool several(uint64_t keys) { return keys & (keys - 1); }

// Is there a key of the one set and another one of the other?
static bool differ(uint64_t one, uint64_t other) {
  return one && other && (one != other || several(one));
}

// --- Pairs.

// Does the one read what the other one writes, or may it have?
static bool reads_any(const struct meeting *m) {
  return m->own.reads & m->theirs.writes || search_found(&m->finds);
}

static bool each_looks_for_another(const struct meeting *m) {
  return some_rows_differ(&m->finds.looked_for, &m->found.looked_for) &&
         (m->finds.moved || m->found.moved);
}

static unsigned fact_if(bool is_true, enum fact fact) {
  return is_true ? 1u << fact : 0;
}

// Facts of rows that the one looks for and the other one writes.
static unsigned facts_of_rows(const struct meeting *m) {
  return fact_if(m->finds.wanted, READS_LEFT) |
         fact_if(m->finds.early, READS_REWRITE) |
         fact_if(m->finds.fractured, STATEMENT_IS_FRACTURED) |
         fact_if(m->finds.repeated, STATEMENTS_DIFFER) |
         fact_if(each_looks_for_another(m), EACH_LOOKS_FOR_ANOTHER);
}

// Facts of keys of which the one reads what the other one writes, or may have.
static unsigned facts_of_reads(const struct meeting *m) {
  const struct uses *own = &m->own, *theirs = &m->theirs;
  const keys_of_txn read = own->reads & theirs->writes;
  const keys_of_txn shown = theirs->reads & own->writes;
  return fact_if(own->reads & theirs->leaves, READS_LEFT) |
         fact_if(own->reads & theirs->rewrites, READS_REWRITE) |
         fact_if(own->rereads & theirs->writes, REREADS_WRITE) |
         fact_if(own->lists & theirs->writes, READS_LIST) |
         fact_if(several(read), READS_TWO) |
         fact_if(read & shown, BOTH_UPDATE) |
         fact_if((read || m->finds.wanted) && (shown || m->found.wanted),
                 EACH_READS) |
         fact_if(differ(read, shown), EACH_READS_ANOTHER);
}

// --- Triples: the meetings of a reader with two others.

static bool reads_of_two(const struct meeting *one,
                         const struct meeting *other) {
  return differ(one->own.reads & one->theirs.writes,
                other->own.reads & other->theirs.writes);
}

static bool looks_for_two(const struct meeting *one,
                          const struct meeting *other) {
  return some_rows_differ(&one->finds.looked_for, &other->finds.looked_for) &&
         (one->finds.moved || other->finds.moved);
}

// Did the second writer read what the first one wrote, and the reader a key of
// both?
static bool follows(const struct meeting *first, const struct meeting *second) {
  return differ(first->own.reads & first->theirs.writes & second->theirs.reads,
                second->own.reads & second->theirs.writes);
}

static bool one_follows(const struct meeting *one,
                        const struct meeting *other) {
  return follows(one, other) || follows(other, one);
}

// The rule of each anomaly: its chances, and how they are counted.
static const struct chance_rule {
  struct chance_kind kind;
  enum read_kind read;
  enum fact fact; // of pairs
  bool (*triple)(const struct meeting *one, const struct meeting *other);
} rules[] = {
    {.kind = {"ThinAirRead", CHANCE_READ, "a read", .lists = false},
     .read = READ_ANY},
    {.kind = {"FutureRead", CHANCE_READ,
              "a read of a key that its transaction then writes",
              .lists = false},
     .read = READ_THEN_WRITTEN},
    {.kind = {"NotMyLastWrite", CHANCE_READ,
              "a read of a key that its transaction has written twice",
              .lists = false},
     .read = READ_REWRITTEN},
    {.kind = {"NotMyOwnWrite", CHANCE_READ,
              "a read of a key that its transaction has written",
              .lists = false},
     .read = READ_WRITTEN},
    {.kind = {"AbortedRead", CHANCE_PAIR,
              "one reads a key; the other one's write of it was accepted, and "
              "then it did not commit",
              .lists = false},
     .fact = READS_LEFT},
    {.kind = {"IntermediateRead", CHANCE_PAIR,
              "one reads a key that the other writes twice", .lists = false},
     .fact = READS_REWRITE},
    {.kind = {"NonRepeatableReads", CHANCE_PAIR,
              "one reads a key twice that the other writes", .lists = false},
     .fact = REREADS_WRITE},
    {.kind = {"IncompatibleOrder", CHANCE_PAIR,
              "one reads a list that the other appends to", .lists = true},
     .fact = READS_LIST},
    {.kind = {"DuplicateElement", CHANCE_PAIR,
              "one reads a list that the other appends to", .lists = true},
     .fact = READS_LIST},
    {.kind = {"LostElement", CHANCE_PAIR,
              "one reads a list that the other appends to", .lists = true},
     .fact = READS_LIST},
    {.kind = {"LostWrite", CHANCE_ONE,
              "a transaction appends to a list, and its session later appends "
              "to the list an element that another transaction reads",
              .lists = true}},
    {.kind = {"G0", CHANCE_PAIR, "both write the same two keys",
              .lists = false},
     .fact = BOTH_WRITE_TWO},
    {.kind = {"G1c", CHANCE_PAIR, "each reads a key that the other writes",
              .lists = false},
     .fact = EACH_READS},
    {.kind =
         {"SessionGuaranteeViolation", CHANCE_READ,
          "a read of a key that an earlier transaction of its session wrote",
          .lists = false},
     .read = READ_OF_SESSION},
    {.kind = {"NonMonotonicRead", CHANCE_PAIR,
              "one reads two keys that the other writes", .lists = false},
     .fact = READS_TWO},
    {.kind = {"FracturedRead", CHANCE_PAIR,
              "one reads two keys that the other writes", .lists = false},
     .fact = READS_TWO},
    {.kind = {"CausalityViolation", CHANCE_TRIPLE,
              "one writes a key, one reads it and writes another key, and the "
              "third reads both",
              .lists = false},
     .triple = one_follows},
    {.kind = {"LongFork", CHANCE_TRIPLE,
              "two write a key each, and the third reads both", .lists = false},
     .triple = reads_of_two},
    {.kind = {"LostUpdate", CHANCE_PAIR, "both read and write one key",
              .lists = false},
     .fact = BOTH_UPDATE},
    {.kind = {"WriteSkew", CHANCE_PAIR,
              "each reads a key that the other writes, and not the same one",
              .lists = false},
     .fact = EACH_READS_ANOTHER},
    {.kind = {"StaleRead", CHANCE_READ,
              "a read of a key that another transaction wrote, which ended "
              "before the reader began",
              .lists = false},
     .read = READ_OF_ENDED},
    {.kind = {"ExtraRow", CHANCE_ROW,
              "a row that a statement found by its condition", .rows = true}},
    {.kind = {"MissingRow", CHANCE_ROW,
              "a row that a statement found by its condition, and of which no "
              "column in the condition ever changes",
              .rows = true}},
    {.kind = {"FracturedStatement", CHANCE_PAIR,
              "two rows that one writes then satisfy the condition of a "
              "statement of the other; one of them did not before",
              .rows = true},
     .fact = STATEMENT_IS_FRACTURED},
    {.kind = {"PhantomRead", CHANCE_PAIR,
              "rows that one writes then satisfy the conditions of two "
              "statements of the other; one of them did not before",
              .rows = true},
     .fact = STATEMENTS_DIFFER},
    {.kind = {"PhantomLongFork", CHANCE_TRIPLE,
              "two write a row each that conditions of the third look for, and "
              "not the same one; one of these moves in or out",
              .rows = true},
     .triple = looks_for_two},
    {.kind = {"PhantomWriteSkew", CHANCE_PAIR,
              "each writes a row that a condition of the other looks for, and "
              "not the same one; one of these moves in or out",
              .rows = true},
     .fact = EACH_LOOKS_FOR_ANOTHER},
};

static_assert(sizeof rules / sizeof *rules == CHANCE_KINDS,
              "a row for each kind");

// LostWrite, ExtraRow and MissingRow, which have rules of their own.
enum { OF_APPENDS = 10, OF_ROWS = 21, OF_UNCHANGED_ROWS = 22 };

static void count_pair(struct chance_count *c, const struct meeting *m) {
  assert(m->txn != m->other && m->other < c->h->ntxns);
  unsigned facts = 0;
  if (reads_any(m))
    facts = facts_of_reads(m) | (c->searcher ? facts_of_rows(m) : 0);
  facts |= fact_if(several(m->own.writes & m->theirs.writes), BOTH_WRITE_TWO);
  if (!c->counted[m->txn])
    facts &= ~FACTS_OF_COMMITTED;
  if (c->h->outcome[m->other] != OUTCOME_ABORTED)
    facts &= ~FACTS_OF_ABORTED;
  if (m->other > m->txn)
    facts &= ~FACTS_ALIKE;
  for (; facts; facts &= facts - 1)
    c->pairs[__builtin_ctz(facts)]++;
}

// Adds so many of each.
static void count_triple(struct chance_count *c, const struct group *one,
                         const struct group *other) {
  const uint64_t triples = (uint64_t)one->count * other->count;
  for (uint32_t i = 0; i < c->ntriples; i++)
    if (rules[c->triple[i]].triple(&one->meeting, &other->meeting))
      c->triples[c->triple[i]] += triples;
}

static bool is_alike(const struct meeting *one, const struct meeting *other) {
  const struct chance_search *a = &one->finds, *b = &other->finds;
  return one->theirs.writes == other->theirs.writes &&
         one->theirs.reads == other->theirs.reads &&
         a->looked_for.any == b->looked_for.any &&
         a->looked_for.several == b->looked_for.several &&
         a->looked_for.key == b->looked_for.key && a->moved == b->moved;
}

// Puts a meeting among the groups of its session, which start at `first`.
static void put_in_group(struct chance_count *c, uint32_t first,
                         const struct meeting *m) {
  assert(first <= c->ngroups);
  uint32_t g = first;
  while (g < c->ngroups && !is_alike(&c->groups[g].meeting, m))
    g++;
  c->steps += g - first;
  if (g == c->room) {
    c->room = 2 * c->room + 16;
    c->groups = xrealloc(c->groups, c->room, sizeof *c->groups);
  }
  if (g == c->ngroups)
    c->groups[c->ngroups++] = (struct group){.meeting = *m};
  c->groups[g].count++;
}

// A transaction that takes long meets many that are alike: these are grouped.
static void group_meetings(struct chance_count *c, const struct meetings *all) {
  uint32_t first = 0;
  c->ngroups = 0;
  for (uint32_t i = 0; i < all->count; i++) {
    if (i && all->items[i].session != all->items[i - 1].session)
      first = c->ngroups;
    if (c->ngroups <= MOST_GROUPS && reads_any(&all->items[i]))
      put_in_group(c, first, &all->items[i]);
  }
}

static void count_triples(struct chance_count *c, const struct meetings *all) {
  group_meetings(c, all);
  if (c->ngroups > MOST_GROUPS) {
    c->ngroups = MOST_GROUPS;
    c->chances->crowded = true;
  }
  for (uint32_t i = 0; i < c->ngroups; i++) {
    const struct group *one = &c->groups[i];
    for (uint32_t j = 0; j < i; j++)
      if (one->meeting.session != c->groups[j].meeting.session)
        count_triple(c, &c->groups[j], one);
    c->steps += i;
  }
}

static void count_meetings(struct chance_count *c, const struct meetings *all) {
  for (uint32_t i = 0; i < all->count; i++)
    count_pair(c, &all->items[i]);
  if (all->count && (c->searcher || several(all->items[0].own.reads)))
    count_triples(c, all);
}

// --- Single transactions.

static void chance_is(struct chances *chances, uint32_t i, uint64_t count) {
  chances->low[i] = chances->high[i] = count;
}

static void count_found_rows(struct chance_count *c) {
  struct found_rows found;
  found_rows_count(&found, c->searcher->history, c->counted,
                   c->searcher->plain_reads, &c->patience);
  chance_is(c->chances, OF_ROWS, found.all);
  chance_is(c->chances, OF_UNCHANGED_ROWS, found.unchanged);
}

static void count_singles(struct chance_count *c, bool time) {
  uint64_t reads[READ_KINDS];
  singles_of_reads(c->h, c->counted, time, &c->patience, reads);
  for (uint32_t i = 0; i < CHANCE_KINDS; i++)
    if (rules[i].read)
      chance_is(c->chances, i, reads[rules[i].read]);
  chance_is(c->chances, OF_APPENDS,
            singles_of_appends(c->h, c->counted, time, &c->patience));
  if (c->searcher)
    count_found_rows(c);
}

// --- The sample.

static uint64_t steps_of(const struct chance_count *c,
                         const struct calendar *calendar) {
  return c->steps + calendar->steps + (c->searcher ? c->searcher->steps : 0);
}

// false: it was stopped.
static bool count_meetings_of(struct chance_count *c, struct calendar *calendar,
                              uint32_t s, uint32_t t,
                              struct meetings *meetings) {
  const uint64_t before = steps_of(c, calendar);
  calendar->steps++;
  c->sampled++;
  calendar_find(calendar, s, t, meetings);
  count_meetings(c, meetings);
  return !patience_ends(&c->patience,
                        (uint32_t)(steps_of(c, calendar) - before));
}

static uint64_t of_block(const struct chance_count *c, uint32_t i) {
  return rules[i].fact ? c->pairs[rules[i].fact] : c->triples[i];
}

static void end_block(struct chance_count *c) {
  c->blocks++;
  for (uint32_t i = 0; i < CHANCE_KINDS; i++) {
    const uint64_t count = of_block(c, i);
    c->drawn[i].sum += count;
    c->drawn[i].squares += (double)count * (double)count;
  }
  memset(c->pairs, 0, sizeof c->pairs);
  memset(c->triples, 0, sizeof c->triples);
}

static uint64_t blocks_of(const struct history *h) {
  return (h->ntxns + (uint64_t)SAMPLE_BLOCK - 1) / SAMPLE_BLOCK;
}

// false: it was stopped.
static bool count_block(struct chance_count *c, struct calendar *calendar,
                        uint64_t block, struct meetings *meetings) {
  const struct history *h = c->h;
  bool going = true;
  for (uint64_t t = block * SAMPLE_BLOCK;
       t < h->ntxns && t < (block + 1) * SAMPLE_BLOCK && going; t++) {
    if (c->session == UINT32_MAX || t >= h->session_first[c->session + 1]) {
      c->session = history_session(h, (uint32_t)t);
      calendar_rewind(calendar);
    }
    going = count_meetings_of(c, calendar, c->session, (uint32_t)t, meetings);
  }
  end_block(c);
  return going;
}

// The blocks of this round of the sample, or of this one and all before it.
static void count_round(struct chance_count *c, struct calendar *calendar,
                        unsigned round, bool first) {
  const uint64_t blocks = blocks_of(c->h);
  struct meetings meetings = {0};
  bool going = true;
  c->session = UINT32_MAX;
  for (uint64_t block = 0; block < blocks && going; block++) {
    const unsigned drawn = sample_round(block);
    if (drawn == round || (first && drawn > round))
      going = count_block(c, calendar, block, &meetings);
  }
  free(meetings.items);
}

// Each round doubles the sample, as long as that takes no more steps than there
// may be.
static void count_sample(struct chance_count *c) {
  struct calendar calendar;
  unsigned round = 0;
  while (blocks_of(c->h) >> (round + 1) > FIRST_BLOCKS)
    round++;
  calendar_open(&calendar, c->h, c->searcher);
  count_round(c, &calendar, round, true);
  while (round > 0 && !c->patience.ended &&
         2 * steps_of(c, &calendar) <= c->most)
    count_round(c, &calendar, --round, false);
  c->chances->left_out = calendar.left_out;
  c->chances->overlaps = calendar.overlaps;
  calendar_close(&calendar);
}

static void judge_sample(const struct chance_count *c) {
  struct chances *chances = c->chances;
  chances->sampled = c->sampled;
  chances->all =
      c->sampled == c->h->ntxns && !chances->left_out && !chances->crowded;
  for (uint32_t i = 0; i < CHANCE_KINDS; i++) {
    const struct sample_bounds bounds =
        sample_bounds(&c->drawn[i], c->blocks, blocks_of(c->h));
    chances->low[i] = bounds.low;
    const bool more = chances->left_out || (chances->crowded && !rules[i].fact);
    chances->high[i] = more ? UINT64_MAX : bounds.high;
  }
}

static void count_several(struct chance_count *c) {
  for (uint8_t i = 0; i < CHANCE_KINDS; i++)
    if (rules[i].triple)
      c->triple[c->ntriples++] = i;
  count_sample(c);
  if (!c->patience.ended)
    judge_sample(c);
  free(c->groups);
}

// --- Public.

const struct chance_kind *chance_kind(uint32_t i) {
  return i < CHANCE_KINDS ? &rules[i].kind : NULL;
}

static uint64_t most_steps(const struct history *history,
                           const struct chances_options *options) {
  if (options->steps)
    return options->steps;
  return history->nops > STEPS_ALWAYS ? history->nops : STEPS_ALWAYS;
}

bool chances_count(const struct history *history,
                   const struct chances_options *options,
                   struct chances *chances) {
  uint32_t nlost;
  struct searcher searcher;
  struct history reading = *history;
  const bool plain_reads = options->plain_reads;
  struct chance_count c = {.h = &reading,
                           .searcher = history->rows ? &searcher : NULL,
                           .counted = history_counted(history, &nlost),
                           .chances = chances,
                           .most = most_steps(history, options),
                           .patience = {.stop = options->stop}};
  *chances = (struct chances){.timed = history->begin && history->end,
                              .all = true,
                              .sampled = history->ntxns};
  if (c.searcher) {
    searcher_open(&searcher, history, plain_reads);
    reading.kind = kinds_that_count(history, plain_reads);
  }
  if (chances->timed)
    count_several(&c);
  if (!c.patience.ended)
    count_singles(&c, options->real_time && chances->timed);
  if (c.searcher) {
    searcher_close(&searcher);
    free(reading.kind);
  }
  free(c.counted);
  return !c.patience.ended;
}
