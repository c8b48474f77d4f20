// SPDX-License-Identifier: GPL-3.0-or-later
// Refutes case by case (checker/rows/rows_cases.h).
//
// At PC and up versions that follow each other need not be told apart: if the
// first of those that are left is before the snapshot, and every version that
// cannot have been read is before this first one or after the snapshot, then
// whatever is current at the snapshot is right.  Below PC a version that is
// visible anyway, and before which all others are that are visible, makes
// nothing more visible: a read of it explains all.
#include "config.h"

#include "checker/rows/rows_cases.h"

#include "checker/rows/rows_known.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

static struct choice of_commits(const struct known *k, uint32_t v,
                                uint32_t other) {
  const uint32_t a = known_commit(k, v), b = known_commit(k, other);
  return either(a, b, b, a);
}

static bool is_ordered(const struct known *k, uint32_t a, uint32_t b) {
  return event_precedes(&k->order, a, b) || event_precedes(&k->order, b, a);
}

// Is it visible or not?  Open only if neither is known.
static struct choice of_visibility(const struct known *k,
                                   const struct row_read *read, uint32_t v) {
  const uint32_t commit = known_commit(k, v), at = k->snapshot[read->member];
  struct choice choice = either(commit, at, at, commit);
  choice.is_open = commit != at && !is_ordered(k, commit, at);
  return choice;
}

// At PC and above, one version is left: where are the others?
static struct choice open_of_one(const struct known *k,
                                 const struct row_read *read,
                                 uint32_t version) {
  struct choice choice = {0};
  for (uint32_t v = k->r.version_first[read->key];
       v < k->r.version_first[read->key + 1] && !choice.is_open; v++)
    if (v != version && !known_own(k, read, v) && !known_before(k, v, version))
      choice = of_visibility(k, read, v);
  return choice;
}

// Could the read have read this version, at least before some dropped out?
static bool is_candidate(const struct known *k, const struct row_read *read,
                         uint32_t version) {
  bool is = false;
  for (uint32_t i = read->first; i < read->end; i++)
    is |= k->r.writers.items[i] == version;
  return is;
}

static bool is_settled_by(const struct known *k, const struct row_read *read,
                          uint32_t first) {
  for (uint32_t v = k->r.version_first[read->key];
       v < k->r.version_first[read->key + 1]; v++)
    if (!known_own(k, read, v) && !is_candidate(k, read, v) &&
        !known_before(k, v, first) &&
        !event_precedes(&k->order, k->snapshot[read->member],
                        known_commit(k, v)))
      return false;
  return true;
}

// At PC and above, several are left.
static struct choice open_of_several(const struct known *k,
                                     const struct row_read *read) {
  const uint32_t first = known_first(k, read);
  if (first != NOTHING && !k->all_reads && is_settled_by(k, read, first))
    return (struct choice){0};
  for (uint32_t i = read->first; i < read->end; i++) {
    const uint32_t v = k->r.writers.items[i];
    if (k->is_out[i])
      continue;
    const struct choice choice = of_visibility(k, read, v);
    if (choice.is_open)
      return choice;
    for (uint32_t j = read->first; j < i; j++)
      if (!k->is_out[j] && !is_ordered(k, known_commit(k, v),
                                       known_commit(k, k->r.writers.items[j])))
        return of_commits(k, v, k->r.writers.items[j]);
  }
  assert(false); // of two that are visible and ordered one has dropped out
  return (struct choice){0};
}

// Below PC.  A version that is visible and after all others that are explains
// the read.
static struct choice open_below(struct known *k, const struct row_read *read) {
  known_find_visible(k, read);
  for (uint32_t i = read->first; i < read->end; i++) {
    const uint32_t version = k->r.writers.items[i];
    if (k->is_out[i] || (known_writer(k, version) != FIRST_WRITER &&
                         !known_visible(k, read, version)))
      continue;
    for (uint32_t v = k->r.version_first[read->key];
         v < k->r.version_first[read->key + 1]; v++)
      if (v != version && !known_own(k, read, v) && known_visible(k, read, v) &&
          !known_before(k, v, version))
        return of_commits(k, v, version);
    return (struct choice){0};
  }
  return (struct choice){.read = read, .is_open = true};
}

static struct choice open_of_read(struct known *k,
                                  const struct row_read *read) {
  uint32_t version = NOTHING;
  const uint32_t left = known_left(k, read, &version);
  if (read->is_latest)
    return (struct choice){0};
  if (!known_prefix(k, read->member))
    return left == 1 ? (struct choice){0} : open_below(k, read);
  return left == 1 ? open_of_one(k, read, version) : open_of_several(k, read);
}

static struct choice open_of_conflicts(const struct known *k, uint32_t m) {
  struct choice choice = {0};
  for (uint32_t o = 1; o < k->nmembers && !choice.is_open; o++)
    if (event_set_has(k->conflicts[m], o) &&
        !is_ordered(k, k->commit[o], k->commit[m]))
      choice = either(k->commit[o], k->snapshot[m], k->commit[m], k->commit[o]);
  return choice;
}

// Something to be tried.  Two edges rather than versions, which may be many.
static struct choice open_choice(struct known *k) {
  struct choice choice = {0};
  for (uint32_t i = 0; i < k->r.nreads && (!choice.is_open || choice.read);
       i++) {
    const struct choice other = open_of_read(k, &k->r.reads[i]);
    if (other.is_open && (!choice.is_open || !other.read))
      choice = other;
  }
  for (uint32_t m = 1; m < k->nmembers && !choice.is_open; m++)
    choice = open_of_conflicts(k, m);
  return choice;
}

// --- Trying.

static enum referee_answer try_cases(struct known *k);

// Takes the i-th possibility; false: there are no more.
static bool suppose_choice(struct known *k, const struct choice *choice,
                           uint32_t i) {
  const struct row_read *read = choice->read;
  if (!read) {
    if (i < 2)
      known_put(k, choice->from[i], choice->to[i]);
    return i < 2;
  }
  if (i >= read->end - read->first)
    return false;
  k->contradiction = k->is_out[read->first + i];
  memset(k->is_out + read->first, 1, read->end - read->first);
  k->is_out[read->first + i] = 0;
  return true;
}

static enum referee_answer try_choice(struct known *k,
                                      const struct choice *choice) {
  const size_t nwriters = k->r.writers.count;
  uint64_t *edges = event_order_save(&k->order);
  uint8_t *is_out = memcpy(xmalloc(nwriters), k->is_out, nwriters);
  enum referee_answer answer = REFEREE_BROKEN;
  known_work(k, 4 * (uint64_t)k->order.nevents * k->order.words);
  for (uint32_t i = 0; answer == REFEREE_BROKEN && suppose_choice(k, choice, i);
       i++) {
    answer = try_cases(k);
    event_order_restore(&k->order, edges);
    memcpy(k->is_out, is_out, nwriters);
    k->contradiction = false;
  }
  free(edges);
  free(is_out);
  return answer;
}

// --- Kept.

// How many events come before one, its number, and the member.
struct read_place {
  uint32_t before, event, member;
};

static int by_place(const void *a, const void *b) {
  const struct read_place *x = a, *y = b;
  if (x->before != y->before)
    return x->before < y->before ? -1 : 1;
  return (x->event > y->event) - (x->event < y->event);
}

// An order that the events leave possible.
static void write_kept_order(const struct known *k) {
  struct rows_cases *cases = k->cases;
  struct read_place *places = xmalloc(2 * k->nmembers * sizeof *places);
  uint32_t *taken = xmalloc(k->nmembers * sizeof *taken), n = 0;
  for (uint32_t m = 1; m < k->nmembers; m++) {
    const uint32_t commit = k->commit[m], snapshot = k->snapshot[m];
    places[n++] =
        (struct read_place){events_before(&k->order, commit), commit, m};
    if (snapshot != commit)
      places[n++] =
          (struct read_place){events_before(&k->order, snapshot), snapshot, m};
  }
  qsort(places, n, sizeof *places, by_place);
  cases->order = xmalloc(k->nmembers * sizeof *cases->order);
  cases->snapshot = xmalloc(k->nmembers * sizeof *cases->snapshot);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t m = places[i].member;
    if (places[i].event == k->snapshot[m])
      taken[m] = known_prefix(k, m) ? cases->norder : 0;
    if (places[i].event != k->commit[m])
      continue;
    cases->snapshot[cases->norder] = taken[m];
    cases->order[cases->norder++] = k->id[m];
  }
  free(places);
  free(taken);
}

// The version that explains a read below PC: the only one left or, of those
// that are visible, the one before which all others are, if it is left.
static uint32_t explanation(struct known *k, const struct row_read *read) {
  uint32_t version = NOTHING;
  if (known_left(k, read, &version) == 1)
    return version;
  known_find_visible(k, read);
  for (uint32_t i = read->first; i < read->end; i++) {
    version = k->r.writers.items[i];
    if (!k->is_out[i] && (known_writer(k, version) == FIRST_WRITER ||
                          known_visible(k, read, version)))
      return version;
  }
  return NOTHING;
}

static int by_read_place(const void *a, const void *b) {
  const struct found_unseen *x = a, *y = b;
  if (x->statement != y->statement)
    return x->statement < y->statement ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

static void write_found(struct known *k) {
  struct rows_cases *cases = k->cases;
  for (uint32_t i = 0; i < k->r.nreads; i++) {
    const struct row_read *read = &k->r.reads[i];
    if (!read->is_unseen || known_prefix(k, read->member))
      continue;
    const uint32_t place = explanation(k, read);
    assert(place != NOTHING);
    ARRAY_RESERVE(cases->found, cases->nfound, cases->found_room);
    cases->found[cases->nfound++] =
        (struct found_unseen){.statement = read->statement,
                              .key = read->key,
                              .version = k->r.versions[place].version};
  }
  if (cases->nfound)
    qsort(cases->found, cases->nfound, sizeof *cases->found, by_read_place);
}

static enum referee_answer try_cases(struct known *k) {
  if (!k->contradiction)
    known_derive(k);
  if (k->contradiction) {
    k->cases->ncases++;
    return REFEREE_BROKEN;
  }
  if (!k->cases->work)
    return REFEREE_TOO_LARGE;
  const struct choice choice = open_choice(k);
  if (choice.is_open)
    return try_choice(k, &choice);
  if (k->cases->wants_proof) {
    write_kept_order(k);
    write_found(k);
  }
  return REFEREE_KEPT;
}

// --- One choice of the transactions in doubt.

static void order_cases_from_outside(struct known *k, uint32_t m) {
  const struct referee_options *all = &k->options->all;
  const uint32_t u = k->id[m];
  memset(k->session[m], 0, sizeof k->session[m]);
  for (uint32_t o = 1; o < k->nmembers; o++) {
    const uint32_t t = k->id[o];
    const bool earlier = history_ended(k->h, t) < history_began(k->h, u);
    const bool leads = all->session_order && t < u &&
                       k->h->outcome[t] == OUTCOME_OK &&
                       history_session(k->h, t) == history_session(k->h, u);
    if (leads || (earlier && all->real_time)) {
      event_set_add(k->session[m], o);
      known_put(k, k->commit[o], k->snapshot[m]);
    }
    if (earlier && must_keep_real_time((enum isolation)k->level[m]))
      known_put(k, k->commit[o], k->commit[m]);
  }
}

static void number_events(struct known *k) {
  uint32_t nevents = 1;
  k->commit[FIRST_WRITER] = 0;
  for (uint32_t m = 1; m < k->nmembers; m++) {
    const bool apart = may_read_before_commit((enum isolation)k->level[m]);
    k->snapshot[m] = nevents;
    nevents += apart;
    k->commit[m] = nevents++;
  }
  event_order_open(&k->order, nevents);
  for (uint32_t m = 1; m < k->nmembers; m++)
    if (k->snapshot[m] != k->commit[m])
      known_put(k, k->snapshot[m], k->commit[m]);
}

static enum referee_answer decide_cases_of(struct known *k) {
  enum referee_answer answer = REFEREE_BROKEN;
  k->contradiction = false;
  number_events(k);
  memset(k->past, 0, sizeof k->past);
  if (row_reads_open(&k->r, k->h, k->id, k->nmembers, k->is_bound, k->all_reads,
                     k->options->by_items, k->options->plain_reads)) {
    known_conflicts(k);
    k->is_out = xcalloc(k->r.writers.count, 1);
    for (uint32_t m = 1; m < k->nmembers; m++)
      order_cases_from_outside(k, m);
    answer = try_cases(k);
    free(k->is_out);
  } else
    k->cases->ncases++;
  row_reads_close(&k->r);
  event_order_close(&k->order);
  return answer;
}

static void add_member(struct known *k, uint32_t t) {
  const uint8_t *levels = k->options->all.levels;
  const uint32_t m = k->nmembers++;
  k->id[m] = t;
  k->level[m] = levels ? levels[t] : (uint8_t)k->options->all.level;
  k->is_bound[m] = !proves_nothing((enum isolation)k->level[m]);
}

// `out`: a set of those in doubt that did not commit, by their number.
static enum referee_answer refute_without(struct known *k, unsigned out) {
  unsigned doubt = 0;
  bool is_prefix = false;
  k->nmembers = 1;
  k->is_causal = false;
  for (uint32_t t = 0; t < k->h->ntxns; t++)
    if (k->h->outcome[t] == OUTCOME_OK ||
        (k->h->outcome[t] == OUTCOME_UNKNOWN && !(out >> doubt++ & 1)))
      add_member(k, t);
  for (uint32_t m = 1; m < k->nmembers; m++) {
    k->is_causal |= must_see_causes((enum isolation)k->level[m]);
    is_prefix |= must_see_prefix((enum isolation)k->level[m]);
  }
  k->all_reads = k->is_causal && is_prefix;
  return decide_cases_of(k);
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
  struct known *k = xcalloc(1, sizeof *k);
  k->h = h;
  k->options = options;
  k->cases = cases;
  enum referee_answer answer = REFEREE_BROKEN;
  unsigned out = (1u << ndoubt) - 1;
  for (bool more = true; more && answer == REFEREE_BROKEN;
       out = (out - 1) & ((1u << ndoubt) - 1)) {
    more = out != 0;
    answer = refute_without(k, out);
  }
  free(k);
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

bool rows_both_refute(const struct history *h,
                      const struct referee_rows_options *options) {
  uint32_t norder;
  struct rows_cases cases = {.work = ROWS_CASES_WORK};
  return referee_rows_decide(h, options, NULL, &norder) == REFEREE_BROKEN &&
         rows_cases_decide(h, options, &cases) == REFEREE_BROKEN;
}
