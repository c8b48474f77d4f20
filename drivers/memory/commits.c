// SPDX-License-Identifier: GPL-3.0-or-later
// The order of commits (drivers/memory/commits.h).
//
// Causality is kept per site, as replicas that exchange their logs would do it.
// A mark says for one commit of a site what must be visible with it: for each
// site a bound.  Marks of a site only grow, so that holding one commit of a
// site means holding all its earlier ones as well.  Closed sets stay closed
// when they are united, so by induction every mark, and every union of marks,
// is a set that holds the causal past of all its members.
//
// Everything older than `lag` commits is part of every snapshot.  So a mark
// that has left the ring does not matter any more.
#include "config.h"

#include "drivers/memory/commits.h"

#include "base/memory.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define IDLE UINT64_MAX

struct mark {
  uint64_t seq;
  uint64_t past[STORE_SITES]; // the site's own entry is seq
};

struct site {
  uint64_t nmarks;    // ever made
  struct mark *marks; // ring of the last ones
};

struct commits {
  pthread_mutex_t lock;
  struct store *store;
  uint32_t nsessions, lag;
  uint64_t ring; // marks per site: a power of two above lag
  struct site sites[STORE_SITES];
  _Atomic uint64_t *floors; // per session; IDLE: it has no snapshot
  uint64_t horizon;         // no snapshot has or will have a bound below
  uint32_t until_horizon;   // commits until it is worked out again
};

struct commits *commits_open(struct store *store, uint32_t nsessions,
                             uint32_t lag) {
  assert(lag <= COMMITS_MAX_LAG);
  struct commits *commits = xcalloc(1, sizeof *commits);
  pthread_mutex_init(&commits->lock, NULL);
  commits->store = store;
  commits->nsessions = nsessions;
  commits->lag = lag;
  commits->ring = 2;
  while (commits->ring <= lag)
    commits->ring *= 2;
  for (int i = 0; i < STORE_SITES; i++)
    commits->sites[i].marks = xcalloc(commits->ring, sizeof(struct mark));
  commits->floors = xmalloc(nsessions * sizeof *commits->floors);
  for (uint32_t s = 0; s < nsessions; s++)
    atomic_init(&commits->floors[s], IDLE);
  return commits;
}

void commits_close(struct commits *commits) {
  for (int i = 0; i < STORE_SITES; i++)
    free(commits->sites[i].marks);
  free(commits->floors);
  pthread_mutex_destroy(&commits->lock);
  free(commits);
}

void commits_lock(struct commits *commits) {
  pthread_mutex_lock(&commits->lock);
}

void commits_unlock(struct commits *commits) {
  pthread_mutex_unlock(&commits->lock);
}

uint64_t commits_oldest(const struct commits *commits, uint32_t lag) {
  const uint64_t newest = store_published(commits->store);
  assert(lag <= commits->lag);
  return newest > lag ? newest - lag : 0;
}

uint64_t commits_snapshot(const struct commits *commits, gsl_rng *random,
                          uint32_t lag, uint64_t at_least) {
  const uint64_t newest = store_published(commits->store);
  uint64_t oldest = commits_oldest(commits, lag);
  assert(at_least <= newest);
  if (oldest < at_least)
    oldest = at_least;
  if (oldest == newest)
    return newest;
  return newest - gsl_rng_uniform_int(random, newest - oldest + 1);
}

static const struct mark *mark_number(const struct commits *commits,
                                      const struct site *site, uint64_t n) {
  return &site->marks[n & (commits->ring - 1)];
}

// How many of the site's marks, counted over all times, are of commits up to
// `seq`; those that left the ring are taken to be.
static uint64_t marks_up_to(const struct commits *commits,
                            const struct site *site, uint64_t seq) {
  uint64_t high = site->nmarks;
  uint64_t low = high > commits->ring ? high - commits->ring : 0;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (mark_number(commits, site, middle)->seq <= seq)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Adds a site's commits up to `seq`, and what they depend on.
static void pull(const struct commits *commits, uint32_t i, uint64_t seq,
                 uint64_t *bound) {
  const struct site *site = &commits->sites[i];
  const uint64_t n = marks_up_to(commits, site, seq);
  if (n == 0 || n + commits->ring <= site->nmarks)
    return;
  const struct mark *mark = mark_number(commits, site, n - 1);
  for (int k = 0; k < STORE_SITES; k++)
    if (bound[k] < mark->past[k])
      bound[k] = mark->past[k];
}

// Raises each bound to just before the first commit of its site that is not
// held: the same set of commits, but the bounds of a quiet site keep up.
static void raise(const struct commits *commits, uint64_t *bound) {
  for (int i = 0; i < STORE_SITES; i++) {
    const struct site *site = &commits->sites[i];
    const uint64_t n = marks_up_to(commits, site, bound[i]);
    bound[i] = n < site->nmarks ? mark_number(commits, site, n)->seq - 1
                                : store_published(commits->store);
  }
}

void commits_causal_snapshot(struct commits *commits, gsl_rng *random,
                             const struct causal_choice *choice,
                             uint64_t *bound) {
  const uint64_t newest = store_published(commits->store);
  const uint64_t oldest = commits_oldest(commits, choice->lag);
  for (uint32_t i = 0; i < STORE_SITES; i++)
    pull(commits, i, oldest, bound);
  if (choice->fork)
    pull(commits, (uint32_t)gsl_rng_uniform_int(random, STORE_SITES), newest,
         bound);
  else
    for (uint32_t i = 0; i < STORE_SITES; i++)
      pull(commits, i,
           gsl_rng_uniform(random) < choice->stale
               ? commits_snapshot(commits, random, choice->lag, 0)
               : newest,
           bound);
  raise(commits, bound);
}

void commits_depend(struct commits *commits, const struct version *version,
                    uint64_t *bound) {
  if (version->seq)
    pull(commits, site_of(version->session), version->seq, bound);
}

void commits_enter(struct commits *commits, uint32_t session, uint64_t floor) {
  assert(session < commits->nsessions && floor >= commits->horizon);
  atomic_store_explicit(&commits->floors[session], floor, memory_order_relaxed);
}

void commits_leave(struct commits *commits, uint32_t session) {
  assert(session < commits->nsessions);
  atomic_store_explicit(&commits->floors[session], IDLE, memory_order_release);
}

static void work_out_horizon(struct commits *commits) {
  uint64_t horizon = commits_oldest(commits, commits->lag);
  for (uint32_t s = 0; s < commits->nsessions; s++) {
    const uint64_t floor =
        atomic_load_explicit(&commits->floors[s], memory_order_acquire);
    if (floor < horizon)
      horizon = floor;
  }
  assert(horizon >= commits->horizon);
  commits->horizon = horizon;
}

uint64_t commits_next(struct commits *commits, uint64_t *horizon) {
  if (commits->until_horizon-- == 0) {
    work_out_horizon(commits);
    commits->until_horizon = commits->nsessions; // constant cost per commit
  }
  *horizon = commits->horizon;
  return store_published(commits->store) + 1;
}

void commits_publish(struct commits *commits, uint32_t session,
                     uint64_t *past) {
  const uint64_t seq = store_published(commits->store) + 1;
  struct site *site = &commits->sites[site_of(session)];
  if (site->nmarks)
    pull(commits, site_of(session), seq, past);
  past[site_of(session)] = seq;
  struct mark *mark = &site->marks[site->nmarks++ & (commits->ring - 1)];
  mark->seq = seq;
  memcpy(mark->past, past, sizeof mark->past);
  store_publish(commits->store, seq);
}
