// SPDX-License-Identifier: GPL-3.0-or-later
// Guesses what ambiguous reads saw by running the transactions one after the
// other on a store of registers and lists, in an order that real time (or,
// where it does not count, the order of each session) allows and in which what
// they read is there (Wing and Gong, "Testing and verifying concurrent
// objects", 1993, with Lowe's memory of states that led nowhere).  Where real
// time counts, those of unknown outcome run if one that comes next needs what
// they write.  Below serializability transactions read what is no longer, or
// not yet, there; but whatever they read, appends make the lists that were
// read.  Only a guess: where it finds no way for long, a transaction runs
// whatever it read or, where there are lists, it is left at what the times say.
#include "config.h"

#include "checker/ambiguity.h"

#include "base/memory.h"
#include "checker/longest.h"
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
  LIST_TRIES = 1 << 14,     // where there are lists, until that is given up
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
  uint32_t key, state;
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
  uint32_t *state; // per key: version; of a list: its length
  uint8_t *is_list;
  struct longest longest;
  uint32_t *seen; // per place of registers: version; NONE: not said
  bool serial; // what is read must be there, too, and not only what is appended
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

// What the key holds, as far as anybody will ever read.
static uint64_t hash_of_key(const struct replay *r, uint32_t key) {
  return hash_of_state(key, r->is_list[key] ? r->state[key]
                                            : r->value[r->state[key]]);
}

static uint64_t hash_of_txn(uint32_t t) { return number_mix(~(uint64_t)t); }

static uint32_t version_seen(const struct history *h, uint32_t op) {
  return h->saw[op] == SAW_INITIAL ? h->nops + h->key[op] : h->saw[op];
}

// What the read must find: a value, or a list; NONE if that is not there, or if
// it is no read.
static uint32_t found_by(const struct replay *r, uint32_t op) {
  const struct history *h = r->h;
  if (!op_reads(h->kind[op]))
    return NONE;
  if (op_is_list(h->kind[op]))
    return h->saw[op];
  const uint32_t saw = version_seen(h, op);
  return saw < h->nops + h->nkeys ? r->value[saw] : NONE;
}

// Of what a transaction does: one of unknown outcome is as good as another that
// does the same.
static uint32_t hash_of_deeds(const struct replay *r, uint32_t t) {
  const struct history *h = r->h;
  uint64_t hash = 0;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const uint32_t found = found_by(r, op);
    const uint32_t left = op_writes(h->kind[op]) ? r->value[op] : NONE;
    hash = number_mix(hash + h->key[op] + 1);
    hash = number_mix(hash ^ ((uint64_t)found << 32 | left));
  }
  return (uint32_t)hash;
}

static void set_key(struct replay *r, uint32_t key, uint32_t state) {
  r->hash ^= hash_of_key(r, key);
  r->state[key] = state;
  r->hash ^= hash_of_key(r, key);
}

// Undoes all but the first `n` changes.
static void take_back(struct replay *r, uint32_t n) {
  while (r->nundos > n) {
    r->nundos--;
    set_key(r, r->undos[r->nundos].key, r->undos[r->nundos].state);
  }
}

// Does the operation find, or make, what was seen?
static bool is_there(struct replay *r, uint32_t op) {
  const struct history *h = r->h;
  const uint32_t key = h->key[op], state = r->state[key];
  if (h->kind[op] == OP_APPEND)
    return longest_append(&r->longest, op, state);
  if (!r->serial || !op_reads(h->kind[op]))
    return true;
  if (h->kind[op] == OP_READ_LIST)
    return longest_shows(&r->longest, op, state);
  const uint32_t place = r->a->number_of[op], found = found_by(r, op);
  const bool there = found != NONE && found == r->value[state];
  if (place != NONE && there)
    r->seen[place] = state;
  return there;
}

// Runs a transaction; false, with nothing changed, if something is not there
// that was seen, unless it is forced.
static bool run(struct replay *r, uint32_t t, bool forced) {
  const struct history *h = r->h;
  const uint32_t undo = r->nundos;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const uint32_t key = h->key[op], state = r->state[key];
    if (!is_there(r, op) && !forced) {
      take_back(r, undo);
      return false;
    }
    if (op_writes(h->kind[op])) {
      ARRAY_RESERVE(r->undos, r->nundos, r->undos_room);
      r->undos[r->nundos++] = (struct undo){key, state};
      set_key(r, key, r->is_list[key] ? state + 1 : op);
    }
  }
  return true;
}

// Would one of the transactions read what the write writes?
static bool is_read_by(const struct replay *r, const struct step *s,
                       uint32_t write) {
  const struct history *h = r->h;
  for (uint32_t i = 0; i < s->n; i++)
    for (uint32_t op = h->txn_first[s->open[i]];
         op < h->txn_first[s->open[i] + 1]; op++)
      if (!op_is_list(h->kind[op]) && h->key[op] == h->key[write] &&
          found_by(r, op) == r->value[write])
        return true;
  return false;
}

// Is it what one of them would read, or what a list goes on with?
static bool is_needed(const struct replay *r, const struct step *s,
                      uint32_t t) {
  const struct history *h = r->h;
  bool needed = false;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1] && !needed; op++)
    needed = h->kind[op] == OP_APPEND
                 ? longest_goes_on_with(&r->longest, op, r->state[h->key[op]])
                 : op_writes(h->kind[op]) && is_read_by(r, s, op);
  return needed;
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
  return r->h->lists                    ? LIST_TRIES
         : r->all_tries < ALL_TRIES_MAX ? TRIES_MAX
                                        : FEW_TRIES;
}

// False: there are lists, of which a way that was forced says less than the
// times do, and no other way was found.
static bool replay_all(struct replay *r) {
  add_step(r);
  while (r->low < r->n && !check_is_stopped(r->a->options->stop)) {
    if (advance(r, &r->steps[r->nsteps - 1])) {
      add_step(r);
    } else if (r->nsteps == 1 || ++r->tries > tries_allowed(r)) {
      if (r->h->lists)
        return false;
      force(r);
    } else {
      r->nsteps--;
      step_back(r);
    }
  }
  return true;
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

// Where real time does not count: when it began or, where what it read does
// not, when it ended; or else its place in its session.
static uint64_t place_of(const struct replay *r, uint32_t s, uint32_t t) {
  const struct history *h = r->h;
  const uint64_t *time = r->serial ? h->begin : h->end;
  const uint64_t first = h->session_first[s];
  return time && time[t] != TIME_UNKNOWN
             ? time[t]
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
      const uint64_t place = place_of(r, s, t);
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

static void find_lists(struct replay *r) {
  const struct history *h = r->h;
  r->is_list = xcalloc(h->nkeys, 1);
  for (uint32_t op = 0; op < h->nops; op++)
    r->is_list[h->key[op]] |= op_is_list(h->kind[op]) != 0;
  for (uint32_t k = 0; k < h->nkeys; k++)
    r->state[k] = r->is_list[k] ? 0 : h->nops + k;
}

static void take_registers(struct replay *r) {
  struct ambiguity *a = r->a;
  for (uint32_t i = 0; i < a->nplaces; i++)
    if (r->seen[i] != NONE)
      a->likely[i] = ambiguity_member(
          a, i, r->seen[i] < r->h->nops ? r->seen[i] : SAW_INITIAL);
}

static void take_lists(struct replay *r) {
  const struct history *h = r->h;
  struct ambiguity *a = r->a;
  for (uint32_t op = 0; op < h->nops; op++) {
    if (h->kind[op] != OP_READ_LIST || !r->longest.fits[h->saw[op]])
      continue;
    const struct seen_list list = h->list[h->saw[op]];
    for (uint32_t place = 0; place < list.count; place++) {
      const uint32_t i = a->number_of[h->nops + list.first + place];
      const uint32_t append = longest_append_at(&r->longest, h->key[op], place);
      if (i != NONE && append != NONE)
        a->likely[i] = ambiguity_member(a, i, append);
    }
  }
}

void ambiguity_replay(struct ambiguity *a) {
  const struct history *h = a->h;
  const bool serial =
      a->options->level == ISOLATION_SER && !a->options->recorded;
  if (!a->times && !serial && !h->lists)
    return;
  struct replay r = {.a = a,
                     .h = h,
                     .serial = a->times || serial,
                     .real_time = a->times && h->begin && h->end};
  r.before = xmalloc(h->ntxns * sizeof *r.before);
  r.order = order_by_begin(&r, OUTCOME_OK, &r.n);
  if (r.real_time)
    r.maybe = order_by_begin(&r, OUTCOME_UNKNOWN, &r.nmaybe);
  r.value = ambiguity_values(r.h);
  r.state = xmalloc(h->nkeys * sizeof *r.state);
  find_lists(&r);
  longest_open(&r.longest, h, r.value);
  r.seen = xmalloc(a->nplaces * sizeof *r.seen);
  memset(r.seen, 0xff, a->nplaces * sizeof *r.seen);
  r.done = xcalloc(h->ntxns, 1);
  r.nremembered =
      r.n < REMEMBERED_MAX / 1024 ? 1024 * r.n + 16 : REMEMBERED_MAX;
  r.remembered = xcalloc(r.nremembered, sizeof *r.remembered);
  if (replay_all(&r)) {
    take_registers(&r);
    take_lists(&r);
  }
  longest_close(&r.longest);
  void *const owned[] = {r.value,      r.state, r.seen,   r.order,
                         r.remembered, r.steps, r.undos,  r.done,
                         r.before,     r.maybe, r.is_list};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
}
