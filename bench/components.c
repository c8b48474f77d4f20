// SPDX-License-Identifier: GPL-3.0-or-later
// Could the benchmark histories be split?  Two sessions communicate that use a
// key both; every level can be decided for each biconnected component of that
// graph by itself (dbcop, section 5).  Prints how many components there are,
// and of the runs of versions whose place is open, which is what takes long,
// how many are of the same component: 100 % leave nothing to be won.
//
//   bench/components [FILE...]       instead of those of bench/histories.c
//   ISOSTRESS_HISTORIES=DIRECTORY    with those that are given
#include "config.h"

#include "base/memory.h"
#include "bench/histories.h"
#include "bench/process.h"
#include "checker/solver/events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOBODY = UINT32_MAX };

struct splitting {
  const struct history *h;
  uint8_t *uses;     // key by key: does the session?
  uint8_t *adjacent; // session by session: do they communicate?

  // The search for biconnected components (Hopcroft and Tarjan, 1973).  That of
  // an edge is numbered from 1.
  uint32_t *number, *low, count;
  uint32_t (*open)[2], nopen; // edges whose component is not known yet
  uint32_t *component;        // session by session
  uint32_t nbiconnected, nconnected;
};

// --- Who communicates.

static uint8_t *users_of(const struct splitting *s, uint32_t key) {
  return s->uses + (size_t)key * s->h->nsessions;
}

static void find_users(const struct splitting *s, uint32_t session) {
  const struct history *h = s->h;
  const uint32_t first = h->txn_first[h->session_first[session]];
  const uint32_t end = h->txn_first[h->session_first[session + 1]];
  for (uint32_t op = first; op < end; op++)
    users_of(s, h->key[op])[session] = 1;
}

static void find_adjacent(const struct splitting *s) {
  const uint32_t n = s->h->nsessions;
  for (uint32_t session = 0; session < n; session++)
    find_users(s, session);
  for (uint32_t key = 0; key < s->h->nkeys; key++) {
    const uint8_t *users = users_of(s, key);
    for (uint32_t a = 0; a < n; a++)
      for (uint32_t b = 0; users[a] && b < n; b++)
        s->adjacent[a * n + b] |= users[b] && a != b;
  }
}

// --- Components.

static void close_component(struct splitting *s, uint32_t a, uint32_t b) {
  const uint32_t n = s->h->nsessions;
  s->nbiconnected++;
  for (bool last = false; !last;) {
    const uint32_t *edge = s->open[--s->nopen];
    s->component[edge[0] * n + edge[1]] = s->nbiconnected;
    s->component[edge[1] * n + edge[0]] = s->nbiconnected;
    last = edge[0] == a && edge[1] == b;
  }
}

static void note_low(struct splitting *s, uint32_t a, uint32_t low) {
  s->low[a] = low < s->low[a] ? low : s->low[a];
}

static void search_from(struct splitting *s, uint32_t a, uint32_t parent) {
  const uint32_t n = s->h->nsessions;
  s->number[a] = s->low[a] = ++s->count;
  for (uint32_t b = 0; b < n; b++) {
    if (!s->adjacent[a * n + b] || b == parent)
      continue;
    if (s->number[b] && s->number[b] >= s->number[a])
      continue; // the edge was met from there
    s->open[s->nopen][0] = a;
    s->open[s->nopen++][1] = b;
    if (s->number[b]) {
      note_low(s, a, s->number[b]);
      continue;
    }
    search_from(s, b, a);
    note_low(s, a, s->low[b]);
    if (s->low[b] >= s->number[a])
      close_component(s, a, b);
  }
}

static void find_components(struct splitting *s) {
  for (uint32_t session = 0; session < s->h->nsessions; session++)
    if (!s->number[session]) {
      s->nconnected++;
      search_from(s, session, NOBODY);
    }
}

// That of the key: those who use it all communicate, and so share one.  0: it
// is of one session alone.
static uint32_t component_of(const struct splitting *s, uint32_t key) {
  const uint32_t n = s->h->nsessions;
  const uint8_t *users = users_of(s, key);
  uint32_t one = NOBODY;
  for (uint32_t session = 0; session < n; session++) {
    if (users[session] && one != NOBODY)
      return s->component[one * n + session];
    one = users[session] ? session : one;
  }
  return 0;
}

// --- What is open.

// Counts the runs of versions whose place is open by their components.
static uint32_t count_open(const struct splitting *s, uint32_t *open_of) {
  const struct check_options options = {
      .question = {.level = ISOLATION_SI, .session_order = true}};
  struct model m;
  struct problem p;
  struct error error;
  uint32_t on_cycle, open = 0;
  if (model_build(&m, s->h, &options, &error)) {
    fprintf(stderr, "%s\n", error.text);
    exit(255);
  }
  model_reach(&m, MODEL_WALKABLE);
  problem_build(&p, &m, options.question.level, NULL, NULL, &on_cycle);
  for (uint32_t key = 0; key < s->h->nkeys; key++) {
    const uint32_t runs = p.key_first[key + 1] - p.key_first[key];
    if (runs < 2)
      continue;
    open += runs;
    open_of[component_of(s, key)] += runs;
  }
  problem_free(&p);
  model_free(&m);
  return open;
}

static void measure(const char *name, const char *path) {
  struct history h;
  bench_history_read(path, &h);
  const size_t n = h.nsessions;
  struct splitting s = {.h = &h,
                        .uses = xcalloc(h.nkeys, n),
                        .adjacent = xcalloc(n, n),
                        .number = xcalloc(n, sizeof *s.number),
                        .low = xcalloc(n, sizeof *s.low),
                        .open = xcalloc(n * n, sizeof *s.open),
                        .component = xcalloc(n * n, sizeof *s.component)};
  find_adjacent(&s);
  find_components(&s);
  uint32_t *open_of = xcalloc((size_t)s.nbiconnected + 1, sizeof *open_of);
  const uint32_t open = count_open(&s, open_of);
  uint32_t most = 0;
  for (uint32_t c = 0; c <= s.nbiconnected; c++)
    most = open_of[c] > most ? open_of[c] : most;
  printf("%-20s %9" PRIu32 " %10" PRIu32 " %12" PRIu32 " %9" PRIu32 " %10.1f\n",
         name, h.nsessions, s.nconnected, s.nbiconnected, open,
         open ? 100.0 * most / open : 0);
  fflush(stdout);
  FREE_EACH(s.uses, s.adjacent, s.number, s.low, s.open, s.component, open_of);
  history_free(&h);
}

int main(int argc, char **argv) {
  printf("%-20s %9s %10s %12s %9s %10s\n", "history", "sessions", "connected",
         "biconnected", "open runs", "in one, %");
  for (int i = 1; i < argc; i++)
    measure(argv[i], argv[i]);
  for (const struct bench_history *history = bench_histories;
       argc == 1 && history->name; history++) {
    char *directory = scratch_make();
    char *path = history->large || history->rows
                     ? NULL
                     : bench_history_path(history, directory);
    if (path)
      measure(history->name, path);
    free(path);
    scratch_remove(directory);
  }
  return 0;
}
