// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the ambiguous reads and guesses what they saw
// (checker/duplicates/candidates.h).
//
// The guess: the last write that was there when the transaction ended (at PC
// and SI: began), or else the next one; its own last write if it had written
// the value itself.  Of a list the n-th element that is equal is the n-th
// append of it, so that lists that begin alike are taken alike.
#include "config.h"

#include "checker/duplicates/candidates.h"

#include "base/ids.h"
#include "base/memory.h"
#include "base/sort.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

enum { GROUP_MAX = 64 }; // of one that is looked at as a whole

// The committed writes of a key in real time, by when they ended.
struct key_times {
  uint32_t n;
  struct write_span {
    uint64_t end, begin;
  } * spans; // `begin`: the latest of those up to here
};

struct write_candidate {
  bool never_visible; // of an aborted transaction, or overwritten by its own
  uint64_t time;
  uint32_t writer;
};

struct candidate_search {
  struct ambiguity *a;
  const struct history *h;
  bool at_begin;      // what readers see is what was there at their begin
  uint32_t *group_of; // per version (history->again), or NONE
  struct write_candidate *c; // as a->writer
  uint32_t room;
  uint32_t *own; // per key: the last write so far, of this transaction if it is
                 // not before its first operation
  struct patience patience; // once it ends, the groups are worthless
};

static uint64_t time_or_bound(const struct history *h, uint32_t t, bool begin) {
  const uint64_t end = h->end ? h->end[t] : TIME_UNKNOWN;
  if (h->begin && h->begin[t] != TIME_UNKNOWN)
    return begin || end == TIME_UNKNOWN ? h->begin[t] : end;
  const uint32_t s = history_session(h, t);
  const uint64_t length = h->session_first[s + 1] - h->session_first[s];
  return ((uint64_t)(t - h->session_first[s]) << 32) / length;
}

// --- The writes.

static void find_never_visible(struct candidate_search *f) {
  const struct history *h = f->h;
  uint32_t *later = ids_none(h->nkeys);
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t + 1]; op-- > h->txn_first[t];) {
      if (!op_writes(h->kind[op]))
        continue;
      f->a->never_visible[op] =
          h->outcome[t] == OUTCOME_ABORTED ||
          (later[h->key[op]] == t && !op_is_list(h->kind[op]));
      later[h->key[op]] = t;
    }
  free(later);
}

static int by_likelihood(const void *a, const void *b) {
  const struct write_candidate *x = a, *y = b;
  if (x->never_visible != y->never_visible)
    return x->never_visible - y->never_visible;
  if (x->time != y->time)
    return (x->time > y->time) - (x->time < y->time);
  return (x->writer > y->writer) - (x->writer < y->writer);
}

static struct write_candidate candidate(const struct candidate_search *f,
                                        uint32_t version) {
  if (version >= f->h->nops)
    return (struct write_candidate){.writer = SAW_INITIAL};
  const uint32_t t = history_txn(f->h, version);
  return (struct write_candidate){f->a->never_visible[version],
                                  time_or_bound(f->h, t, false), version};
}

static void add_group(struct candidate_search *f, uint32_t version) {
  struct ambiguity *a = f->a;
  uint32_t n = a->first[a->ngroups];
  uint32_t v = version;
  do {
    ARRAY_RESERVE(f->c, n, f->room);
    f->c[n++] = candidate(f, v);
    f->group_of[v] = a->ngroups;
  } while ((v = f->h->again[v]) != version);
  sort_patiently(f->c + a->first[a->ngroups], n - a->first[a->ngroups],
                 sizeof *f->c, by_likelihood, &f->patience);
  a->first[++a->ngroups] = n;
}

// Per version: did a transaction of unknown outcome read it?
static uint8_t *seen_in_doubt(const struct history *h) {
  uint8_t *seen = xcalloc((size_t)h->nops + h->nkeys, 1);
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
      const uint32_t saw =
          h->saw[op] == SAW_INITIAL ? h->nops + h->key[op] : h->saw[op];
      if (h->outcome[t] == OUTCOME_UNKNOWN && op_reads(h->kind[op]) &&
          !op_is_list(h->kind[op]) && saw < h->nops + h->nkeys)
        seen[saw] = 1;
    }
  return seen;
}

static void find_groups(struct candidate_search *f) {
  struct ambiguity *a = f->a;
  const uint32_t nversions = f->h->nops + f->h->nkeys;
  uint8_t *seen = seen_in_doubt(f->h);
  uint32_t room = 0;
  for (uint32_t v = 0; v < nversions; v++) {
    if ((f->h->again[v] == v && !seen[v]) || f->group_of[v] != NONE)
      continue;
    if (a->ngroups + 2 > room) {
      room = 2 * room + 64;
      a->first = xrealloc(a->first, room, sizeof *a->first);
    }
    add_group(f, v);
  }
  free(seen);
}

// --- The reads.

static uint32_t find_write_group(const struct candidate_search *f, uint32_t key,
                                 uint32_t saw) {
  if (saw == SAW_INITIAL)
    return f->group_of[f->h->nops + key];
  return saw < f->h->nops ? f->group_of[saw] : NONE;
}

static struct ambiguous_read *add_ambiguous_read(struct candidate_search *f,
                                                 uint32_t place, uint32_t t,
                                                 uint32_t group) {
  assert(group < f->a->ngroups);
  struct ambiguity *a = f->a;
  ARRAY_RESERVE(a->reads, a->nreads, a->room);
  a->number_of[place] = a->nreads;
  a->reads[a->nreads] = (struct ambiguous_read){
      .place = place, .txn = t, .group = group, .own_write = NONE};
  return &a->reads[a->nreads++];
}

// The last of the group, but not of those that nobody may see, that was there
// at that time.
static uint32_t last_before(const struct candidate_search *f, uint32_t group,
                            uint64_t time) {
  assert(group < f->a->ngroups);
  uint32_t low = f->a->first[group], high = f->a->first[group + 1];
  const uint32_t first = low;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (!f->c[middle].never_visible && f->c[middle].time <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low > first ? low - first - 1 : 0;
}

static uint32_t member(const struct candidate_search *f, uint32_t group,
                       uint32_t writer) {
  uint32_t c = f->a->first[group];
  while (f->c[c].writer != writer)
    c++;
  return c - f->a->first[group];
}

static void guess_read(struct candidate_search *f,
                       struct ambiguous_read *read) {
  const uint32_t own = f->own[f->h->key[read->place]];
  if (own != NONE && own >= f->h->txn_first[read->txn])
    read->own_write = own;
  read->sees_own = read->own_write != NONE && f->group_of[own] == read->group;
  read->guess = read->sees_own
                    ? member(f, read->group, own)
                    : last_before(f, read->group,
                                  time_or_bound(f->h, read->txn, f->at_begin));
}

static void find_list_elements(struct candidate_search *f, uint32_t op,
                               uint32_t t) {
  const struct history *h = f->h;
  const uint32_t first = h->list[h->saw[op]].first;
  for (uint32_t e = first; e < history_list_end(h, h->saw[op]); e++) {
    const uint32_t group = find_write_group(f, h->key[op], h->element[e]);
    if (group == NONE)
      continue;
    struct ambiguous_read *read = add_ambiguous_read(f, h->nops + e, t, group);
    uint32_t equal = 0;
    for (uint32_t before = first; before < e; before++)
      equal += h->element_value[before] == h->element_value[e];
    const uint32_t size = ambiguity_size(f->a, f->a->nreads - 1);
    read->guess = equal < size ? equal : size - 1;
    read->sees_own = true;
  }
}

static void find_reads(struct candidate_search *f) {
  const struct history *h = f->h;
  memset(f->own, 0xff, h->nkeys * sizeof *f->own);
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
      const unsigned kind = h->kind[op];
      const bool reads = op_reads(kind) && h->outcome[t] != OUTCOME_ABORTED;
      if (reads && kind == OP_READ_LIST) {
        find_list_elements(f, op, t);
      } else if (reads) {
        const uint32_t group = find_write_group(f, h->key[op], h->saw[op]);
        if (group != NONE && (f->a->first[group + 1] > f->a->first[group] + 1 ||
                              h->outcome[t] == OUTCOME_UNKNOWN))
          guess_read(f, add_ambiguous_read(f, op, t, group));
      }
      if (op_writes(kind))
        f->own[h->key[op]] = op;
    }
}

// --- Real time.

static int by_end_of_write(const void *a, const void *b) {
  const struct write_span *x = a, *y = b;
  return (x->end > y->end) - (x->end < y->end);
}

static bool are_times_known(const struct history *h, uint32_t t) {
  return h->begin && h->end && h->outcome[t] == OUTCOME_OK &&
         h->begin[t] != TIME_UNKNOWN && h->end[t] != TIME_UNKNOWN;
}

static void add_span(struct key_times *times, const struct history *h,
                     uint32_t t) {
  if ((times->n & (times->n - 1)) == 0) // a power of two: full
    times->spans = xrealloc(times->spans, times->n ? 2 * times->n : 1,
                            sizeof *times->spans);
  times->spans[times->n++] = (struct write_span){h->end[t], h->begin[t]};
}

static struct key_times *times_of_keys(const struct history *h,
                                       struct patience *patience) {
  struct key_times *times = xcalloc(h->nkeys, sizeof *times);
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      if (op_writes(h->kind[op]) && are_times_known(h, t))
        add_span(&times[h->key[op]], h, t);
  for (uint32_t k = 0; k < h->nkeys; k++) {
    struct write_span *spans = times[k].spans;
    if (times[k].n)
      sort_patiently(spans, times[k].n, sizeof *spans, by_end_of_write,
                     patience);
    for (uint32_t i = 1; i < times[k].n; i++)
      if (spans[i].begin < spans[i - 1].begin)
        spans[i].begin = spans[i - 1].begin;
  }
  return times;
}

// The latest begin of a write that had ended before that time; 0 if none.
static uint64_t latest_begin(const struct key_times *times, uint64_t time) {
  uint32_t low = 0, high = times->n;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (times->spans[middle].end < time)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? times->spans[low - 1].begin : 0;
}

// Is the write later than the read, or was it over when another write began
// that was over when the reader began?
static bool is_write_out_of_time(const struct ambiguity *a, uint32_t reader,
                                 uint32_t key, uint32_t writer) {
  const struct history *h = a->h;
  if (!are_times_known(h, reader))
    return false;
  const uint64_t latest = latest_begin(&a->times[key], h->begin[reader]);
  if (writer == SAW_INITIAL)
    return latest > 0;
  const uint32_t t = history_txn(h, writer);
  return t != reader &&
         ((h->begin[t] != TIME_UNKNOWN && h->begin[t] > h->end[reader]) ||
          (are_times_known(h, t) && latest > h->end[t]));
}

// --- What is ruled out.

// Does the level bind the read?
static bool level_binds_reader(const struct ambiguity *a, uint32_t t) {
  return a->h->outcome[t] != OUTCOME_ABORTED &&
         (!a->options->question.recorded ||
          level_binds_reads((enum isolation)a->h->level[t]));
}

bool ambiguity_rules_out(const struct ambiguity *a, uint32_t i, uint32_t c) {
  assert(i < a->nreads && c < ambiguity_size(a, i));
  const struct history *h = a->h;
  const struct ambiguous_read *read = &a->reads[i];
  const uint32_t writer = ambiguity_writer(a, i, c), t = read->txn;
  if (read->place >= h->nops || !level_binds_reader(a, t))
    return false;
  if (read->own_write != NONE)
    return writer != read->own_write;
  if (writer < h->nops &&
      (a->never_visible[writer] ||
       (writer >= read->place && writer < h->txn_first[t + 1])))
    return true;
  return a->times && level_counts_session(a->options->question.level) &&
         is_write_out_of_time(a, t, h->key[read->place], writer);
}

// Is it the only one that is left, or the guess if none is?
static bool is_single_candidate(struct ambiguity *a, uint32_t i) {
  const uint32_t n = ambiguity_size(a, i);
  uint32_t possible = 0;
  if (n > GROUP_MAX && a->reads[i].own_write == NONE)
    return false;
  for (uint32_t c = 0; c < n && possible < 2; c++)
    possible += !ambiguity_rules_out(a, i, c);
  return possible < 2;
}

// --- Public.

void ambiguity_open(struct ambiguity *a, const struct history *h,
                    const struct check_options *options) {
  const enum isolation level = options->question.level;
  const size_t nversions = (size_t)h->nops + h->nkeys;
  const size_t nplaces = (size_t)h->nops + h->nelements;
  *a = (struct ambiguity){.h = h, .options = options};
  a->first = xcalloc(1, sizeof *a->first);
  a->number_of = ids_none(nplaces);
  struct candidate_search f = {.a = a,
                               .h = h,
                               .at_begin = level_splits(level),
                               .patience.stop = options->stop};
  f.group_of = ids_none(nversions);
  a->never_visible = xcalloc(h->nops, 1);
  if (!options->question.recorded &&
      (options->question.real_time || level_keeps_time(level)))
    a->times = times_of_keys(h, &f.patience);
  f.own = xmalloc(h->nkeys * sizeof *f.own);
  find_never_visible(&f);
  find_groups(&f);
  find_reads(&f);
  a->writer = xmalloc(a->first[a->ngroups] * sizeof *a->writer);
  for (uint32_t c = 0; c < a->first[a->ngroups]; c++)
    a->writer[c] = f.c[c].writer;
  FREE_EACH(f.group_of, f.own, f.c);
  for (uint32_t i = 0; i < a->nreads; i++)
    a->reads[i].known = is_single_candidate(a, i);
}

void ambiguity_close(struct ambiguity *a) {
  for (uint32_t k = 0; a->times && k < a->h->nkeys; k++)
    free(a->times[k].spans);
  FREE_EACH(a->reads, a->number_of, a->first, a->writer, a->never_visible,
            a->times);
  *a = (struct ambiguity){0};
}

// Is it a write of the reader's own transaction?
static bool is_candidate_of_reader(const struct ambiguity *a, uint32_t i,
                                   uint32_t c) {
  const uint32_t writer = ambiguity_writer(a, i, c), t = a->reads[i].txn;
  return writer >= a->h->txn_first[t] && writer < a->h->txn_first[t + 1];
}

// A transaction sees no write of its own unless that is the last one before.
static bool may_choose(const struct ambiguity *a, uint32_t i, uint32_t c) {
  return !ambiguity_rules_out(a, i, c) &&
         (a->reads[i].sees_own || !is_candidate_of_reader(a, i, c));
}

uint32_t ambiguity_choose(const struct ambiguity *a, uint32_t i) {
  const uint32_t n = ambiguity_size(a, i), guess = a->reads[i].guess;
  for (uint32_t away = 0; away < n; away++) {
    if (away <= guess && may_choose(a, i, guess - away))
      return guess - away;
    if (away < n - guess && may_choose(a, i, guess + away))
      return guess + away;
  }
  return guess;
}

uint8_t *ambiguity_hidden(const struct ambiguity *a, bool known) {
  const struct history *h = a->h;
  uint8_t *kind = memcpy(xmalloc(h->nops), h->kind, h->nops);
  for (uint32_t op = 0; op < h->nops; op++) {
    const uint32_t i = a->number_of[op];
    bool any =
        i != NONE && (known ? ambiguity_size(a, i) > 1 : !a->reads[i].known);
    if (h->kind[op] == OP_READ_LIST)
      for (uint32_t e = h->list[h->saw[op]].first;
           e < history_list_end(h, h->saw[op]); e++)
        any |= a->number_of[h->nops + e] != NONE;
    if (any)
      kind[op] &= (uint8_t)~OP_IS_READ;
  }
  return kind;
}
