// SPDX-License-Identifier: GPL-3.0-or-later
// Refutes case by case (checker/verify/rows_cases.h).
//
// The events are the commits of the transactions and, at PC and SI, their
// snapshots; the order of commits is the paper's co.  At PC, SI and SER a
// writer is visible to a reader if it commits before the reader's snapshot
// (which at SER is its commit): a snapshot stands behind all that PC and SI
// make visible, and nothing is lost where it stands directly behind.  At RC, RA
// and CC the visible writers are those that the reads and the session show.
//
// Where r reads x from t1, each t2 that writes x, too, and is visible to r
// comes before t1.  A version drops out of those that a read may have read if
// its writer comes too late, or if another one that is visible comes after it.
//
// At PC and up versions that follow each other need not be told apart: if the
// first of those that are left is before the snapshot, and every version that
// cannot have been read is before this first one or after the snapshot, then
// whatever is current at the snapshot is right.  Below PC a version that is
// visible anyway, and before which all others are that are visible, makes
// nothing more visible: a read of it explains all.
#include "config.h"

#include "checker/verify/rows_cases.h"

#include "base/stop.h"
#include "checker/verify/event_order.h"
#include "checker/verify/levels.h"
#include "checker/verify/row_reads.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = ROWS_CASES_TXNS + 1, SET_WORDS = MEMBERS / 64 + 1 };
#define NOTHING UINT32_MAX

struct deciding {
  const struct history *h;
  const struct referee_rows_options *options;
  struct rows_cases *cases;
  struct row_reads r;
  uint32_t id[MEMBERS];
  uint8_t level[MEMBERS], is_bound[MEMBERS];
  uint32_t nmembers;
  uint32_t snapshot[MEMBERS], commit[MEMBERS]; // events
  uint64_t session[MEMBERS][SET_WORDS]; // of members: what it sees anyway
  // Sets of members: those that write a key that this one, at SI, writes; and
  // (so + wr)+, as far as it is known.
  uint64_t conflicts[MEMBERS][SET_WORDS], past[MEMBERS][SET_WORDS];
  bool is_causal; // some member is at CC
  // Some is at PC or above besides: whatever such a one read is in the past of
  // others.
  bool all_reads;
  uint64_t visible[SET_WORDS]; // below PC: to the read at hand

  struct event_order order;
  uint8_t *is_out; // per place in r.writers: it was not read
  bool grew, contradiction;
};

// --- What is known.

static bool is_prefix(const struct deciding *d, uint32_t m) {
  return must_see_prefix((enum isolation)d->level[m]);
}

static void put(struct deciding *d, uint32_t a, uint32_t b) {
  if (d->contradiction || event_precedes(&d->order, a, b))
    return;
  uint64_t work = 0;
  d->grew = true;
  d->contradiction = !event_order_add(&d->order, a, b, &work);
  d->cases->work -= work < d->cases->work ? work : d->cases->work;
}

static uint32_t writer_of(const struct deciding *d, uint32_t version) {
  return d->r.versions[version].member;
}

static uint32_t commit_of(const struct deciding *d, uint32_t version) {
  return d->commit[writer_of(d, version)];
}

static bool is_before(const struct deciding *d, uint32_t a, uint32_t b) {
  return event_precedes(&d->order, commit_of(d, a), commit_of(d, b));
}

// The versions left of a read: how many, and the last of these.
static uint32_t count_left(const struct deciding *d,
                           const struct row_read *read, uint32_t *last) {
  uint32_t n = 0;
  for (uint32_t i = read->first; i < read->end; i++)
    if (!d->is_out[i]) {
      *last = d->r.writers.items[i];
      n++;
    }
  return n;
}

static bool is_visible(const struct deciding *d, const struct row_read *read,
                       uint32_t version) {
  return is_prefix(d, read->member)
             ? event_precedes(&d->order, commit_of(d, version),
                              d->snapshot[read->member])
             : event_set_has(d->visible, writer_of(d, version));
}

// Does the read's transaction itself write this version?
static bool is_own(const struct deciding *d, const struct row_read *read,
                   uint32_t version) {
  return writer_of(d, version) == read->member;
}

// Can the version not have been read, as far as is known?
static bool drops_out(const struct deciding *d, const struct row_read *read,
                      uint32_t version) {
  if (event_precedes(&d->order, d->snapshot[read->member],
                     commit_of(d, version)))
    return true;
  for (uint32_t v = d->r.version_first[read->key];
       v < d->r.version_first[read->key + 1]; v++)
    if (v != version && !is_own(d, read, v) && is_before(d, version, v) &&
        is_visible(d, read, v))
      return true;
  return false;
}

// --- What follows.

static void judge_only(struct deciding *d, const struct row_read *read,
                       uint32_t version) {
  const uint32_t snapshot = d->snapshot[read->member];
  put(d, commit_of(d, version), snapshot);
  for (uint32_t v = d->r.version_first[read->key];
       v < d->r.version_first[read->key + 1] && !d->contradiction; v++) {
    if (v == version || is_own(d, read, v))
      continue;
    if (is_visible(d, read, v))
      put(d, commit_of(d, v), commit_of(d, version));
    else if (is_prefix(d, read->member) && is_before(d, version, v))
      put(d, snapshot, commit_of(d, v));
  }
}

// A version that was not read and all of these are before: it is not visible.
static void judge_later(struct deciding *d, const struct row_read *read,
                        uint32_t version) {
  for (uint32_t i = read->first; i < read->end; i++) {
    const uint32_t left = d->r.writers.items[i];
    if (!d->is_out[i] && (left == version || !is_before(d, left, version)))
      return;
  }
  put(d, d->snapshot[read->member], commit_of(d, version));
}

// The version among those left that is before all others, or NOTHING.
static uint32_t first_left(const struct deciding *d,
                           const struct row_read *read) {
  uint32_t first = NOTHING;
  for (uint32_t i = read->first; i < read->end; i++) {
    const uint32_t v = d->r.writers.items[i];
    if (!d->is_out[i] && (first == NOTHING || is_before(d, v, first)))
      first = v;
  }
  for (uint32_t i = read->first; i < read->end; i++)
    if (!d->is_out[i] && d->r.writers.items[i] != first &&
        !is_before(d, first, d->r.writers.items[i]))
      return NOTHING;
  return first;
}

static void judge_several(struct deciding *d, const struct row_read *read) {
  const uint32_t first = first_left(d, read);
  if (first != NOTHING)
    put(d, commit_of(d, first), d->snapshot[read->member]);
  for (uint32_t v = d->r.version_first[read->key];
       v < d->r.version_first[read->key + 1] && !d->contradiction; v++)
    if (!is_own(d, read, v))
      judge_later(d, read, v);
}

static void judge_read(struct deciding *d, const struct row_read *read) {
  uint32_t version = NOTHING;
  if (read->is_latest) {
    put(d, commit_of(d, d->r.writers.items[read->first]),
        d->commit[read->member]);
    return;
  }
  for (uint32_t i = read->first; i < read->end; i++)
    if (!d->is_out[i] && drops_out(d, read, d->r.writers.items[i])) {
      d->is_out[i] = 1;
      d->grew = true;
    }
  const uint32_t left = count_left(d, read, &version);
  d->contradiction |= left == 0;
  if (left == 1)
    judge_only(d, read, version);
  else if (left > 1 && is_prefix(d, read->member))
    judge_several(d, read);
}

// --- What is visible below PC.

static void unite(uint64_t *set, const uint64_t *more) {
  for (unsigned w = 0; w < SET_WORDS; w++)
    set[w] |= more[w];
}

// The writers that reads of the member are known to have read, of the events
// before one.
static void add_sources(const struct deciding *d, uint32_t m, uint32_t event,
                        uint64_t *set) {
  uint32_t version = NOTHING;
  for (uint32_t i = d->r.first_read[m];
       i < d->r.first_read[m + 1] && d->r.reads[i].event < event; i++)
    if (!d->r.reads[i].is_latest &&
        count_left(d, &d->r.reads[i], &version) == 1)
      event_set_add(set, writer_of(d, version));
}

static void add_pasts(const struct deciding *d, uint64_t *set) {
  uint64_t all[SET_WORDS];
  memcpy(all, set, sizeof all);
  for (uint32_t m = 1; m < d->nmembers; m++)
    if (event_set_has(set, m))
      unite(all, d->past[m]);
  memcpy(set, all, sizeof all);
}

// Pasts grow along the order, until nothing is added.
static void find_pasts(struct deciding *d) {
  for (bool more = true; more;) {
    more = false;
    for (uint32_t m = 1; m < d->nmembers; m++) {
      uint64_t set[SET_WORDS];
      memcpy(set, d->session[m], sizeof set);
      add_sources(d, m, UINT32_MAX, set);
      add_pasts(d, set);
      more |= memcmp(set, d->past[m], sizeof set) != 0;
      memcpy(d->past[m], set, sizeof set);
    }
  }
}

static void find_visible(struct deciding *d, const struct row_read *read) {
  const enum isolation level = (enum isolation)d->level[read->member];
  memset(d->visible, 0, sizeof d->visible);
  if (must_see_causes(level)) {
    unite(d->visible, d->past[read->member]);
    return;
  }
  const bool all = must_see_reads_and_session(level);
  if (all || d->options->rc_sees_session)
    unite(d->visible, d->session[read->member]);
  add_sources(d, read->member, all ? UINT32_MAX : read->event, d->visible);
}

// Are the writers visible to this read those of the one before?
static bool sees_as_before(const struct deciding *d, uint32_t i) {
  const struct row_read *read = &d->r.reads[i];
  return i > d->r.first_read[read->member] &&
         d->r.reads[i - 1].event == read->event;
}

// --- Writers of one key at SI.

// At SI a writer commits before the snapshot or after the commit; at SER that
// is no choice.
static bool is_at_si(const struct deciding *d, uint32_t m) {
  const enum isolation level = (enum isolation)d->level[m];
  return forbids_concurrent_writes(level) && may_read_before_commit(level);
}

static void find_conflicts(struct deciding *d) {
  memset(d->conflicts, 0, sizeof d->conflicts);
  for (uint32_t key = 0; key < d->h->nkeys; key++)
    for (uint32_t v = d->r.version_first[key] + 1;
         v < d->r.version_first[key + 1]; v++)
      for (uint32_t o = d->r.version_first[key] + 1;
           o < d->r.version_first[key + 1]; o++)
        if (v != o && is_at_si(d, writer_of(d, v)))
          event_set_add(d->conflicts[writer_of(d, v)], writer_of(d, o));
}

static void judge_conflicts(struct deciding *d, uint32_t m) {
  for (uint32_t o = 1; o < d->nmembers && !d->contradiction; o++) {
    if (!event_set_has(d->conflicts[m], o))
      continue;
    if (event_precedes(&d->order, d->commit[o], d->commit[m]))
      put(d, d->commit[o], d->snapshot[m]);
    else if (event_precedes(&d->order, d->snapshot[m], d->commit[o]))
      put(d, d->commit[m], d->commit[o]);
  }
}

static bool has_work(struct deciding *d, uint64_t work) {
  const bool ends = work >= d->cases->work || stop_is_set(d->options->all.stop);
  d->cases->work = ends ? 0 : d->cases->work - work;
  return !ends;
}

// All that follows from what is known.
static void derive(struct deciding *d) {
  d->grew = true;
  while (d->grew && !d->contradiction && has_work(d, d->r.nreads + 1)) {
    d->grew = false;
    if (d->is_causal)
      find_pasts(d);
    for (uint32_t i = 0; i < d->r.nreads && !d->contradiction; i++) {
      const struct row_read *read = &d->r.reads[i];
      if (!is_prefix(d, read->member) && !sees_as_before(d, i))
        find_visible(d, read);
      judge_read(d, read);
      has_work(d, read->end - read->first);
    }
    for (uint32_t m = 1; m < d->nmembers && !d->contradiction; m++)
      judge_conflicts(d, m);
  }
}

// --- What is open.

// One of two edges holds, or the read is of one of the versions left.
struct choice {
  uint32_t from[2], to[2];
  const struct row_read *read; // NULL: edges
  bool is_open;
};

static struct choice either(uint32_t a, uint32_t b, uint32_t x, uint32_t y) {
  return (struct choice){.from = {a, x}, .to = {b, y}, .is_open = true};
}

static struct choice of_commits(const struct deciding *d, uint32_t v,
                                uint32_t other) {
  const uint32_t a = commit_of(d, v), b = commit_of(d, other);
  return either(a, b, b, a);
}

static bool is_ordered(const struct deciding *d, uint32_t a, uint32_t b) {
  return event_precedes(&d->order, a, b) || event_precedes(&d->order, b, a);
}

// Is it visible or not?  Open only if neither is known.
static struct choice of_visibility(const struct deciding *d,
                                   const struct row_read *read, uint32_t v) {
  const uint32_t commit = commit_of(d, v), at = d->snapshot[read->member];
  struct choice choice = either(commit, at, at, commit);
  choice.is_open = commit != at && !is_ordered(d, commit, at);
  return choice;
}

// At PC and above, one version is left: where are the others?
static struct choice open_of_one(const struct deciding *d,
                                 const struct row_read *read,
                                 uint32_t version) {
  struct choice choice = {0};
  for (uint32_t v = d->r.version_first[read->key];
       v < d->r.version_first[read->key + 1] && !choice.is_open; v++)
    if (v != version && !is_own(d, read, v) && !is_before(d, v, version))
      choice = of_visibility(d, read, v);
  return choice;
}

// Could the read have read this version, at least before some dropped out?
static bool is_candidate(const struct deciding *d, const struct row_read *read,
                         uint32_t version) {
  bool is = false;
  for (uint32_t i = read->first; i < read->end; i++)
    is |= d->r.writers.items[i] == version;
  return is;
}

static bool is_settled_by(const struct deciding *d, const struct row_read *read,
                          uint32_t first) {
  for (uint32_t v = d->r.version_first[read->key];
       v < d->r.version_first[read->key + 1]; v++)
    if (!is_own(d, read, v) && !is_candidate(d, read, v) &&
        !is_before(d, v, first) &&
        !event_precedes(&d->order, d->snapshot[read->member], commit_of(d, v)))
      return false;
  return true;
}

// At PC and above, several are left.
static struct choice open_of_several(const struct deciding *d,
                                     const struct row_read *read) {
  const uint32_t first = first_left(d, read);
  if (first != NOTHING && !d->all_reads && is_settled_by(d, read, first))
    return (struct choice){0};
  for (uint32_t i = read->first; i < read->end; i++) {
    const uint32_t v = d->r.writers.items[i];
    if (d->is_out[i])
      continue;
    const struct choice choice = of_visibility(d, read, v);
    if (choice.is_open)
      return choice;
    for (uint32_t j = read->first; j < i; j++)
      if (!d->is_out[j] &&
          !is_ordered(d, commit_of(d, v), commit_of(d, d->r.writers.items[j])))
        return of_commits(d, v, d->r.writers.items[j]);
  }
  assert(false); // of two that are visible and ordered one has dropped out
  return (struct choice){0};
}

// Below PC.  A version that is visible and after all others that are explains
// the read.
static struct choice open_below(struct deciding *d,
                                const struct row_read *read) {
  find_visible(d, read);
  for (uint32_t i = read->first; i < read->end; i++) {
    const uint32_t version = d->r.writers.items[i];
    if (d->is_out[i] || (writer_of(d, version) != FIRST_WRITER &&
                         !is_visible(d, read, version)))
      continue;
    for (uint32_t v = d->r.version_first[read->key];
         v < d->r.version_first[read->key + 1]; v++)
      if (v != version && !is_own(d, read, v) && is_visible(d, read, v) &&
          !is_before(d, v, version))
        return of_commits(d, v, version);
    return (struct choice){0};
  }
  return (struct choice){.read = read, .is_open = true};
}

static struct choice open_of_read(struct deciding *d,
                                  const struct row_read *read) {
  uint32_t version = NOTHING;
  const uint32_t left = count_left(d, read, &version);
  if (read->is_latest)
    return (struct choice){0};
  if (!is_prefix(d, read->member))
    return left == 1 ? (struct choice){0} : open_below(d, read);
  return left == 1 ? open_of_one(d, read, version) : open_of_several(d, read);
}

static struct choice open_of_conflicts(const struct deciding *d, uint32_t m) {
  struct choice choice = {0};
  for (uint32_t o = 1; o < d->nmembers && !choice.is_open; o++)
    if (event_set_has(d->conflicts[m], o) &&
        !is_ordered(d, d->commit[o], d->commit[m]))
      choice = either(d->commit[o], d->snapshot[m], d->commit[m], d->commit[o]);
  return choice;
}

// Something to be tried.  Two edges rather than versions, which may be many.
static struct choice open_choice(struct deciding *d) {
  struct choice choice = {0};
  for (uint32_t i = 0; i < d->r.nreads && (!choice.is_open || choice.read);
       i++) {
    const struct choice other = open_of_read(d, &d->r.reads[i]);
    if (other.is_open && (!choice.is_open || !other.read))
      choice = other;
  }
  for (uint32_t m = 1; m < d->nmembers && !choice.is_open; m++)
    choice = open_of_conflicts(d, m);
  return choice;
}

// --- Trying.

static enum referee_answer try_cases(struct deciding *d);

// Takes the i-th possibility; false: there are no more.
static bool take(struct deciding *d, const struct choice *choice, uint32_t i) {
  const struct row_read *read = choice->read;
  if (!read) {
    if (i < 2)
      put(d, choice->from[i], choice->to[i]);
    return i < 2;
  }
  if (i >= read->end - read->first)
    return false;
  d->contradiction = d->is_out[read->first + i];
  memset(d->is_out + read->first, 1, read->end - read->first);
  d->is_out[read->first + i] = 0;
  return true;
}

static enum referee_answer try_choice(struct deciding *d,
                                      const struct choice *choice) {
  const size_t nwriters = d->r.writers.count;
  uint64_t *edges = event_order_save(&d->order);
  uint8_t *is_out = memcpy(xmalloc(nwriters), d->is_out, nwriters);
  enum referee_answer answer = REFEREE_BROKEN;
  has_work(d, 4 * (uint64_t)d->order.nevents * d->order.words);
  for (uint32_t i = 0; answer == REFEREE_BROKEN && take(d, choice, i); i++) {
    answer = try_cases(d);
    event_order_restore(&d->order, edges);
    memcpy(d->is_out, is_out, nwriters);
    d->contradiction = false;
  }
  free(edges);
  free(is_out);
  return answer;
}

// --- Kept.

// How many events come before one, its number, and the member.
struct place {
  uint32_t before, event, member;
};

static int by_place(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  if (x->before != y->before)
    return x->before < y->before ? -1 : 1;
  return (x->event > y->event) - (x->event < y->event);
}

// An order that the events leave possible.
static void write_order(const struct deciding *d) {
  struct rows_cases *cases = d->cases;
  struct place *places = xmalloc(2 * d->nmembers * sizeof *places);
  uint32_t *taken = xmalloc(d->nmembers * sizeof *taken), n = 0;
  for (uint32_t m = 1; m < d->nmembers; m++) {
    const uint32_t commit = d->commit[m], snapshot = d->snapshot[m];
    places[n++] = (struct place){events_before(&d->order, commit), commit, m};
    if (snapshot != commit)
      places[n++] =
          (struct place){events_before(&d->order, snapshot), snapshot, m};
  }
  qsort(places, n, sizeof *places, by_place);
  cases->order = xmalloc(d->nmembers * sizeof *cases->order);
  cases->snapshot = xmalloc(d->nmembers * sizeof *cases->snapshot);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t m = places[i].member;
    if (places[i].event == d->snapshot[m])
      taken[m] = cases->norder;
    if (places[i].event != d->commit[m])
      continue;
    cases->snapshot[cases->norder] = taken[m];
    cases->order[cases->norder++] = d->id[m];
  }
  free(places);
  free(taken);
}

// The version that explains a read below PC: the only one left or, of those
// that are visible, the one before which all others are, if it is left.
static uint32_t explanation(struct deciding *d, const struct row_read *read) {
  uint32_t version = NOTHING;
  if (count_left(d, read, &version) == 1)
    return version;
  find_visible(d, read);
  for (uint32_t i = read->first; i < read->end; i++) {
    version = d->r.writers.items[i];
    if (!d->is_out[i] &&
        (writer_of(d, version) == FIRST_WRITER || is_visible(d, read, version)))
      return version;
  }
  return NOTHING;
}

static int by_statement_and_key(const void *a, const void *b) {
  const struct found_unseen *x = a, *y = b;
  if (x->statement != y->statement)
    return x->statement < y->statement ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

static void write_found(struct deciding *d) {
  struct rows_cases *cases = d->cases;
  for (uint32_t i = 0; i < d->r.nreads; i++) {
    const struct row_read *read = &d->r.reads[i];
    if (!read->is_unseen || is_prefix(d, read->member))
      continue;
    const uint32_t place = explanation(d, read);
    assert(place != NOTHING);
    ARRAY_RESERVE(cases->found, cases->nfound, cases->found_room);
    cases->found[cases->nfound++] =
        (struct found_unseen){.statement = read->statement,
                              .key = read->key,
                              .version = d->r.versions[place].version};
  }
  if (cases->nfound)
    qsort(cases->found, cases->nfound, sizeof *cases->found,
          by_statement_and_key);
}

static enum referee_answer try_cases(struct deciding *d) {
  if (!d->contradiction)
    derive(d);
  if (d->contradiction) {
    d->cases->ncases++;
    return REFEREE_BROKEN;
  }
  if (!d->cases->work)
    return REFEREE_TOO_LARGE;
  const struct choice choice = open_choice(d);
  if (choice.is_open)
    return try_choice(d, &choice);
  if (d->cases->wants_proof) {
    write_order(d);
    write_found(d);
  }
  return REFEREE_KEPT;
}

// --- One choice of the transactions in doubt.

static bool ended_before(const struct history *h, uint32_t t, uint32_t u) {
  return h->begin && h->outcome[t] == OUTCOME_OK && h->end[t] != TIME_UNKNOWN &&
         h->begin[u] != TIME_UNKNOWN && h->end[t] < h->begin[u];
}

static void order_from_outside(struct deciding *d, uint32_t m) {
  const struct referee_options *all = &d->options->all;
  const uint32_t u = d->id[m];
  memset(d->session[m], 0, sizeof d->session[m]);
  for (uint32_t o = 1; o < d->nmembers; o++) {
    const uint32_t t = d->id[o];
    const bool earlier = ended_before(d->h, t, u);
    const bool leads = all->session_order && t < u &&
                       d->h->outcome[t] == OUTCOME_OK &&
                       history_session(d->h, t) == history_session(d->h, u);
    if (leads || (earlier && all->real_time)) {
      event_set_add(d->session[m], o);
      put(d, d->commit[o], d->snapshot[m]);
    }
    if (earlier && must_keep_real_time((enum isolation)d->level[m]))
      put(d, d->commit[o], d->commit[m]);
  }
}

static void number_events(struct deciding *d) {
  uint32_t nevents = 1;
  d->commit[FIRST_WRITER] = 0;
  for (uint32_t m = 1; m < d->nmembers; m++) {
    const bool apart = may_read_before_commit((enum isolation)d->level[m]);
    d->snapshot[m] = nevents;
    nevents += apart;
    d->commit[m] = nevents++;
  }
  event_order_open(&d->order, nevents);
  for (uint32_t m = 1; m < d->nmembers; m++)
    if (d->snapshot[m] != d->commit[m])
      put(d, d->snapshot[m], d->commit[m]);
}

static enum referee_answer decide_members(struct deciding *d) {
  enum referee_answer answer = REFEREE_BROKEN;
  d->contradiction = false;
  number_events(d);
  memset(d->past, 0, sizeof d->past);
  if (row_reads_open(&d->r, d->h, d->id, d->nmembers, d->is_bound, d->all_reads,
                     d->options->by_items, d->options->plain_reads)) {
    find_conflicts(d);
    d->is_out = xcalloc(d->r.writers.count, 1);
    for (uint32_t m = 1; m < d->nmembers; m++)
      order_from_outside(d, m);
    answer = try_cases(d);
    free(d->is_out);
  } else
    d->cases->ncases++;
  row_reads_close(&d->r);
  event_order_close(&d->order);
  return answer;
}

static void add_member(struct deciding *d, uint32_t t) {
  const uint8_t *levels = d->options->all.levels;
  const uint32_t m = d->nmembers++;
  d->id[m] = t;
  d->level[m] = levels ? levels[t] : (uint8_t)d->options->all.level;
  d->is_bound[m] = !proves_nothing((enum isolation)d->level[m]);
}

// `out`: a set of those in doubt that did not commit, by their number.
static enum referee_answer decide_without(struct deciding *d, unsigned out) {
  unsigned doubt = 0;
  bool is_prefix = false;
  d->nmembers = 1;
  d->is_causal = false;
  for (uint32_t t = 0; t < d->h->ntxns; t++)
    if (d->h->outcome[t] == OUTCOME_OK ||
        (d->h->outcome[t] == OUTCOME_UNKNOWN && !(out >> doubt++ & 1)))
      add_member(d, t);
  for (uint32_t m = 1; m < d->nmembers; m++) {
    d->is_causal |= must_see_causes((enum isolation)d->level[m]);
    is_prefix |= must_see_prefix((enum isolation)d->level[m]);
  }
  d->all_reads = d->is_causal && is_prefix;
  return decide_members(d);
}

enum referee_answer
rows_cases_decide(const struct history *h,
                  const struct referee_rows_options *options,
                  struct rows_cases *cases) {
  uint32_t ntxns = 0, ndoubt = 0;
  cases->ncases = 0;
  for (uint32_t t = 0; t < h->ntxns; t++) {
    ntxns += h->outcome[t] != OUTCOME_ABORTED;
    ndoubt += h->outcome[t] == OUTCOME_UNKNOWN;
  }
  if (ntxns > ROWS_CASES_TXNS || ndoubt > ROWS_CASES_DOUBT || h->lists ||
      !h->complete)
    return REFEREE_TOO_LARGE;
  struct deciding *d = xcalloc(1, sizeof *d);
  d->h = h;
  d->options = options;
  d->cases = cases;
  enum referee_answer answer = REFEREE_BROKEN;
  unsigned out = (1u << ndoubt) - 1;
  for (bool more = true; more && answer == REFEREE_BROKEN;
       out = (out - 1) & ((1u << ndoubt) - 1)) {
    more = out != 0;
    answer = decide_without(d, out);
  }
  free(d);
  return answer;
}

void rows_cases_free(struct rows_cases *cases) {
  FREE_EACH(cases->order, cases->snapshot, cases->found);
}

enum referee_answer
rows_small_decide(const struct history *h,
                  const struct referee_rows_options *options,
                  struct rows_cases *cases) {
  uint32_t norder;
  cases->ncases = 0;
  const enum referee_answer answer =
      referee_rows_decide(h, options, NULL, &norder);
  return answer == REFEREE_TOO_LARGE ? rows_cases_decide(h, options, cases)
                                     : answer;
}
