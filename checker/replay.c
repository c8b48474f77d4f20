// SPDX-License-Identifier: GPL-3.0-or-later
// Guesses what ambiguous reads saw by running the transactions one after the
// other on a store of registers, in an order that real time (or, where it does
// not count, the order of each session) allows and in which what they read is
// there (Wing and Gong, "Testing and verifying concurrent objects", 1993, with
// Lowe's memory of states that led nowhere).  Where real time counts, those of
// unknown outcome run if one that comes next needs what they write.  Only a
// guess: where it finds no way for long, a transaction runs whatever it read.
#include "config.h"

#include "checker/ambiguity.h"

#include "base/memory.h"
#include "recorder/number_map.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

enum {
  OPEN_MAX = 48,            // transactions to choose from
  WINDOW = 1024,            // transactions to look for them in
  MAYBE_WINDOW = 64,        // of unknown outcome
  TRIES_MAX = 1 << 18,      // steps back until a step is forced
  ALL_TRIES_MAX = 1 << 20,  // of all; then...
  FEW_TRIES = 1 << 10,      // ...so many until the next one is
  REMEMBERED_MAX = 1 << 20, // states that led nowhere
  STEPS_MAX = 1 << 12,      // that can be taken back
};

struct step { // a transaction that ran
  uint32_t txn;
  uint32_t undo;    // its first entry
  uint32_t low;     // the first that had not run, by begin
  uint32_t next, n; // the next one to try of those that could run instead
  uint32_t open[OPEN_MAX];
};

struct undo {
  uint32_t key, version;
};

// A state that led nowhere: what has run of those that committed and what the
// keys hold, as a hash; and how many of unknown outcome had run, with the least
// of which that was seen, and what they did.  With more of them there is even
// less left to run.
struct dead_end {
  uint64_t hash;
  uint32_t nused, used;
};

struct replay {
  struct ambiguity *a;
  const struct history *h;
  uint32_t *value; // per version: equal for equal values
  uint32_t *state; // per key: version
  uint32_t *seen;  // per place: version; NONE: not said
  bool real_time;
  uint32_t *order, n;      // transactions that committed, by begin
  uint32_t *maybe, nmaybe; // and those of unknown outcome, by begin; where real
                           // time counts
  uint32_t *before; // per transaction: that of its session, or NONE; where
                    // real time does not count
  uint32_t low;
  uint8_t *done;        // per transaction
  uint64_t hash;        // of what has run and what the keys hold
  uint32_t nused, used; // of those of unknown outcome that have run: how many,
                        // and the sum of what they do
  struct dead_end *remembered;
  uint32_t nremembered; // its size
  struct step *steps;
  uint32_t nsteps, steps_room;
  struct undo *undos;
  uint32_t nundos, undos_room;
  uint32_t tries, all_tries;
};

static uint64_t hash_of_state(uint32_t key, uint32_t value) {
  return number_mix(((uint64_t)key << 32 | value) + 1);
}

static uint64_t hash_of_txn(uint32_t t) { return number_mix(~(uint64_t)t); }

static uint32_t version_seen(const struct history *h, uint32_t op) {
  return h->saw[op] == SAW_INITIAL ? h->nops + h->key[op] : h->saw[op];
}

// Of what a transaction does: one of unknown outcome is as good as another that
// does the same.
static uint32_t hash_of_deeds(const struct replay *r, uint32_t t) {
  const struct history *h = r->h;
  uint64_t hash = 0;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const uint32_t saw = op_reads(h->kind[op]) ? version_seen(h, op) : NONE;
    const uint32_t found = saw < h->nops + h->nkeys ? r->value[saw] : NONE;
    const uint32_t left = op_writes(h->kind[op]) ? r->value[op] : NONE;
    hash = number_mix(hash + h->key[op] + 1);
    hash = number_mix(hash ^ ((uint64_t)found << 32 | left));
  }
  return (uint32_t)hash;
}

static void set_key(struct replay *r, uint32_t key, uint32_t version) {
  r->hash ^= hash_of_state(key, r->value[r->state[key]]) ^
             hash_of_state(key, r->value[version]);
  r->state[key] = version;
}

// Undoes all but the first `n` changes.
static void take_back(struct replay *r, uint32_t n) {
  while (r->nundos > n) {
    r->nundos--;
    set_key(r, r->undos[r->nundos].key, r->undos[r->nundos].version);
  }
}

// Runs a transaction; false, with nothing changed, if a read does not find what
// it saw, unless it is forced.
static bool run(struct replay *r, uint32_t t, bool forced) {
  const struct history *h = r->h;
  const uint32_t undo = r->nundos;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const uint32_t key = h->key[op], version = r->state[key];
    if (op_reads(h->kind[op])) {
      const uint32_t saw = version_seen(h, op), place = r->a->number_of[op];
      const bool there =
          saw < h->nops + h->nkeys && r->value[saw] == r->value[version];
      if (!there && !forced) {
        take_back(r, undo);
        return false;
      }
      if (place != NONE && there)
        r->seen[place] = version;
    }
    if (op_writes(h->kind[op])) {
      ARRAY_RESERVE(r->undos, r->nundos, r->undos_room);
      r->undos[r->nundos++] = (struct undo){key, version};
      set_key(r, key, op);
    }
  }
  return true;
}

// Would one of the transactions read what this one writes?
static bool is_needed(const struct replay *r, const struct step *s,
                      uint32_t t) {
  const struct history *h = r->h;
  for (uint32_t write = h->txn_first[t]; write < h->txn_first[t + 1]; write++)
    for (uint32_t i = 0; i < s->n && op_writes(h->kind[write]); i++)
      for (uint32_t op = h->txn_first[s->open[i]];
           op < h->txn_first[s->open[i] + 1]; op++) {
        const uint32_t saw = op_reads(h->kind[op]) ? version_seen(h, op) : NONE;
        if (saw < h->nops + h->nkeys && h->key[op] == h->key[write] &&
            r->value[saw] == r->value[write])
          return true;
      }
  return false;
}

// Behind those that committed, the ones of unknown outcome that began until
// then.
static void list_maybe(const struct replay *r, struct step *s, uint64_t until) {
  const struct history *h = r->h;
  struct step needed = *s;
  uint32_t low = 0, high = r->nmaybe;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (h->begin[r->maybe[middle]] <= until)
      low = middle + 1;
    else
      high = middle;
  }
  for (uint32_t tries = MAYBE_WINDOW;
       low > 0 && tries > 0 && needed.n < OPEN_MAX; low--) {
    const uint32_t t = r->maybe[low - 1];
    if (r->done[t])
      continue;
    tries--;
    bool other = is_needed(r, s, t);
    for (uint32_t i = s->n; i < needed.n && other; i++)
      other = hash_of_deeds(r, needed.open[i]) != hash_of_deeds(r, t);
    if (other)
      needed.open[needed.n++] = t;
  }
  *s = needed;
}

// Those that may run next: that began before all that have not run had ended;
// by when they end.
static void list_open(const struct replay *r, struct step *s) {
  const struct history *h = r->h;
  uint64_t until = UINT64_MAX;
  s->n = s->next = 0;
  for (uint32_t i = r->low; i < r->n && s->n < OPEN_MAX; i++) {
    const uint32_t t = r->order[i];
    if (r->done[t])
      continue;
    if (h->begin[t] > until)
      break;
    until = h->end[t] < until ? h->end[t] : until;
    uint32_t at = s->n++;
    for (; at > 0 && h->end[s->open[at - 1]] > h->end[t]; at--)
      s->open[at] = s->open[at - 1];
    s->open[at] = t;
  }
  if (r->nmaybe)
    list_maybe(r, s, until);
}

// The next ones of all sessions, by when they began.
static void list_next(const struct replay *r, struct step *s) {
  const uint32_t end = r->n - r->low < WINDOW ? r->n : r->low + WINDOW;
  s->n = s->next = 0;
  for (uint32_t i = r->low;
       i < end && s->n < OPEN_MAX && s->n < r->h->nsessions; i++) {
    const uint32_t t = r->order[i], before = r->before[t];
    if (!r->done[t] && (before == NONE || r->done[before]))
      s->open[s->n++] = t;
  }
}

static void note_done(struct replay *r, uint32_t t) {
  r->done[t] = true;
  if (r->h->outcome[t] == OUTCOME_OK) {
    r->hash ^= hash_of_txn(t);
  } else {
    r->used += hash_of_deeds(r, t);
    r->nused++;
  }
  while (r->low < r->n && r->done[r->order[r->low]])
    r->low++;
}

static bool is_remembered(const struct replay *r) {
  const struct dead_end end = r->remembered[r->hash % r->nremembered];
  return end.hash == r->hash &&
         (r->nused > end.nused ||
          (r->nused == end.nused && r->used == end.used));
}

// Takes the last step back, whose state led nowhere.
static void step_back(struct replay *r) {
  struct step *s = &r->steps[r->nsteps - 1];
  struct dead_end *end = &r->remembered[r->hash % r->nremembered];
  if (end->hash != r->hash || r->nused <= end->nused)
    *end = (struct dead_end){r->hash, r->nused, r->used};
  r->done[s->txn] = false;
  if (r->h->outcome[s->txn] == OUTCOME_OK) {
    r->hash ^= hash_of_txn(s->txn);
  } else {
    r->used -= hash_of_deeds(r, s->txn);
    r->nused--;
  }
  take_back(r, s->undo);
  r->low = s->low;
  s->txn = NONE;
}

// Runs the next one of a step that can run and has not led nowhere before.
static bool advance(struct replay *r, struct step *s) {
  s->undo = r->nundos;
  s->low = r->low;
  while (s->next < s->n) {
    const uint32_t t = s->open[s->next++];
    if (!run(r, t, false))
      continue;
    s->txn = t;
    note_done(r, t);
    if (!is_remembered(r))
      return true;
    step_back(r);
  }
  return false;
}

static void add_step(struct replay *r) {
  if (r->nsteps == STEPS_MAX) { // the older half stays as it is
    r->nsteps /= 2;
    memmove(r->steps, r->steps + r->nsteps, r->nsteps * sizeof *r->steps);
  }
  ARRAY_RESERVE(r->steps, r->nsteps, r->steps_room);
  struct step *s = &r->steps[r->nsteps++];
  s->txn = NONE;
  if (r->real_time)
    list_open(r, s);
  else
    list_next(r, s);
}

// No way was found for long: the first one runs, and what is done stays.
static void force(struct replay *r) {
  const uint32_t t = r->steps[r->nsteps - 1].open[0];
  run(r, t, true);
  note_done(r, t);
  r->all_tries += r->tries;
  r->nsteps = r->nundos = r->tries = 0;
  add_step(r);
}

static uint32_t tries_allowed(const struct replay *r) {
  return r->all_tries < ALL_TRIES_MAX ? TRIES_MAX : FEW_TRIES;
}

static void replay_all(struct replay *r) {
  add_step(r);
  while (r->low < r->n && !check_is_stopped(r->a->options->stop)) {
    if (advance(r, &r->steps[r->nsteps - 1])) {
      add_step(r);
    } else if (r->nsteps == 1 || ++r->tries > tries_allowed(r)) {
      force(r);
    } else {
      r->nsteps--;
      step_back(r);
    }
  }
}

static bool has_times(const struct history *h, uint32_t t,
                      enum outcome outcome) {
  return h->begin[t] != TIME_UNKNOWN &&
         (outcome == OUTCOME_UNKNOWN || h->end[t] != TIME_UNKNOWN);
}

struct beginning {
  uint64_t begin;
  uint32_t txn;
};

static int by_begin(const void *a, const void *b) {
  const struct beginning *x = a, *y = b;
  return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin)
                              : (x->txn > y->txn) - (x->txn < y->txn);
}

// Where real time does not count: when it began, or else its place in its
// session.
static uint64_t place_of(const struct history *h, uint32_t s, uint32_t t) {
  const uint64_t first = h->session_first[s];
  return h->begin && h->begin[t] != TIME_UNKNOWN
             ? h->begin[t]
             : ((t - first) << 32) / (h->session_first[s + 1] - first);
}

// Those of this outcome, by when they begin.
static uint32_t *order_by_begin(struct replay *r, enum outcome outcome,
                                uint32_t *n) {
  const struct history *h = r->h;
  struct beginning *all = xmalloc(h->ntxns * sizeof *all);
  *n = 0;
  for (uint32_t s = 0; s < h->nsessions; s++) {
    uint64_t begin = 0;
    uint32_t last = NONE;
    for (uint32_t t = h->session_first[s]; t < h->session_first[s + 1]; t++) {
      if (h->outcome[t] != outcome ||
          (r->real_time && !has_times(h, t, outcome)))
        continue;
      const uint64_t place = place_of(h, s, t);
      begin = r->real_time || place > begin ? place : begin;
      all[(*n)++] = (struct beginning){begin, t};
      r->before[t] = last;
      last = t;
    }
  }
  if (*n)
    qsort(all, *n, sizeof *all, by_begin);
  uint32_t *order = xmalloc(*n * sizeof *order);
  for (uint32_t i = 0; i < *n; i++)
    order[i] = all[i].txn;
  free(all);
  return order;
}

void ambiguity_replay(struct ambiguity *a) {
  const struct history *h = a->h;
  const bool serial =
      a->options->level == ISOLATION_SER && !a->options->recorded;
  if (h->lists || !(a->times || serial))
    return;
  struct replay r = {
      .a = a, .h = h, .real_time = a->times && h->begin && h->end};
  r.before = xmalloc(h->ntxns * sizeof *r.before);
  r.order = order_by_begin(&r, OUTCOME_OK, &r.n);
  if (r.real_time)
    r.maybe = order_by_begin(&r, OUTCOME_UNKNOWN, &r.nmaybe);
  r.value = ambiguity_values(r.h);
  r.state = xmalloc(h->nkeys * sizeof *r.state);
  for (uint32_t k = 0; k < h->nkeys; k++)
    r.state[k] = h->nops + k;
  r.seen = xmalloc(a->nplaces * sizeof *r.seen);
  memset(r.seen, 0xff, a->nplaces * sizeof *r.seen);
  r.done = xcalloc(h->ntxns, 1);
  r.nremembered =
      r.n < REMEMBERED_MAX / 1024 ? 1024 * r.n + 16 : REMEMBERED_MAX;
  r.remembered = xcalloc(r.nremembered, sizeof *r.remembered);
  replay_all(&r);
  for (uint32_t i = 0; i < a->nplaces; i++)
    if (r.seen[i] != NONE)
      a->likely[i] =
          ambiguity_member(a, i, r.seen[i] < h->nops ? r.seen[i] : SAW_INITIAL);
  void *const owned[] = {r.value, r.state, r.seen, r.order,  r.remembered,
                         r.steps, r.undos, r.done, r.before, r.maybe};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
}
