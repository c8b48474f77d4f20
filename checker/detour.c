// SPDX-License-Identifier: GPL-3.0-or-later
// Looks for shorter ways between the transactions of a part
// (checker/detour.h).
//
// What a cycle and the order of its versions rest on is mostly that one
// transaction leads to another by what was read and by session order.  The part
// has one way; the first that was found, and perhaps a long chain of versions
// that each read the one before.  Any other way says the same: so the shortest
// one of the whole history is put in its place, and the part made minimal
// again.
//
// A session counts as one step, however many transactions it skips; so a way
// alternates between sessions and reads, and few steps lead far.
#include "config.h"

#include "checker/detour.h"

#include "base/memory.h"
#include "checker/evidence.h"
#include "checker/part.h"

#include <stdlib.h>
#include <string.h>

enum {
  MAX_TXNS = 48,       // of a part that is looked at
  MAX_LOOKS = 1 << 15, // edges that one search may look at...
  MAX_ALL_LOOKS = 1 << 19,
  HANDFUL = 4 // transactions: with more of them other ways are tried, too
};

struct detour {
  const struct model *m; // of the whole
  const struct check_options *options;
  struct operations *ops;

  // The part's transactions, by their ids in the whole, and for each two of
  // them how many steps the part needs from one to the other; 0: no way.
  uint32_t n, txn[MAX_TXNS];
  uint8_t steps[MAX_TXNS][MAX_TXNS];
  bool in_part[MAX_TXNS][MAX_TXNS]; // scratch: the next to each other

  // The search.
  struct edge *came_by; // per transaction, if met[t] is this search
  uint32_t *met, nsearches;
  uint32_t *queue, tail, room;
  uint32_t looks, all_looks; // that are left
};

// --- The ways of the part.

static bool find_txns(struct detour *d) {
  d->n = 0;
  for (uint32_t i = 0; i < d->ops->count; i++) {
    const uint32_t t = d->m->txn_of[d->ops->op[i]];
    if (d->n && d->txn[d->n - 1] == t)
      continue;
    if (d->n == MAX_TXNS)
      return false;
    d->txn[d->n++] = t;
  }
  return true;
}

static uint32_t place_of_txn(const struct detour *d, uint32_t t) {
  uint32_t i = 0;
  while (i < d->n && d->txn[i] != t)
    i++;
  return i;
}

static void add_reads(struct detour *d) {
  const struct model *m = d->m;
  for (uint32_t i = 0; i < d->ops->count; i++) {
    const uint32_t op = d->ops->op[i];
    const uint32_t version = m->sees[op];
    if (version == NO_ID || is_initial(m, version))
      continue;
    const uint32_t from = place_of_txn(d, writer_of(m, version));
    if (from < d->n)
      d->in_part[from][place_of_txn(d, m->txn_of[op])] = true;
  }
}

static void add_sessions(struct detour *d) {
  const struct history *h = d->m->h;
  if (!d->options->session_order)
    return;
  for (uint32_t i = 0; i < d->n; i++)
    for (uint32_t j = i + 1; j < d->n; j++)
      d->in_part[i][j] |=
          leads_session(d->m, d->txn[i]) &&
          history_session(h, d->txn[i]) == history_session(h, d->txn[j]);
}

static void count_steps_from(struct detour *d, uint32_t from) {
  uint32_t queue[MAX_TXNS], tail = 0;
  queue[tail++] = from;
  for (uint32_t head = 0; head < tail; head++) {
    const uint32_t i = queue[head];
    for (uint32_t j = 0; j < d->n; j++) {
      if (!d->in_part[i][j] || j == from || d->steps[from][j])
        continue;
      d->steps[from][j] = (uint8_t)(d->steps[from][i] + 1);
      queue[tail++] = j;
    }
  }
}

static void count_steps(struct detour *d) {
  memset(d->steps, 0, sizeof d->steps);
  memset(d->in_part, 0, sizeof d->in_part);
  add_reads(d);
  add_sessions(d);
  for (uint32_t i = 0; i < d->n; i++)
    count_steps_from(d, i);
}

// --- The ways of the whole.

// Ways to a transaction lead over none that ended later; that is no more than a
// good guess, and keeps the search near.
static bool may_lead_to(const struct detour *d, uint32_t t, uint32_t goal) {
  const struct history *h = d->m->h;
  return d->m->counted[t] &&
         (!h->end || h->end[goal] == TIME_UNKNOWN || h->end[t] <= h->end[goal]);
}

static bool look(struct detour *d) {
  if (d->looks == 0 || d->all_looks == 0)
    return false;
  d->looks--;
  d->all_looks--;
  return true;
}

// Meets the end of the edge; true if that is the goal.
static bool meet(struct detour *d, const struct edge *edge, uint32_t goal) {
  if (d->met[edge->to] == d->nsearches || !may_lead_to(d, edge->to, goal))
    return false;
  d->met[edge->to] = d->nsearches;
  d->came_by[edge->to] = *edge;
  ARRAY_RESERVE(d->queue, d->tail, d->room);
  d->queue[d->tail++] = edge->to;
  return edge->to == goal;
}

static bool leave_by_reads(struct detour *d, uint32_t t, uint32_t goal) {
  const struct model *m = d->m;
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++) {
    if (!is_final(m, op))
      continue;
    for (uint32_t r = m->first_reader[op]; r != NO_ID && look(d);
         r = m->next_reader[r]) {
      const struct edge edge = {EDGE_WR, t, m->txn_of[r], op, r};
      if (meet(d, &edge, goal))
        return true;
    }
  }
  return false;
}

// All that come later in the session, up to one from which that was done.
static bool leave_by_session(struct detour *d, uint32_t t, uint32_t goal) {
  const struct model *m = d->m;
  for (uint32_t next = leads_session(m, t) ? m->next[t] : NO_ID; next != NO_ID;
       next = m->next[next]) {
    const struct edge edge = {EDGE_SO, t, next, NO_ID, NO_ID};
    const bool was_met = d->met[next] == d->nsearches;
    if (!look(d) || !may_lead_to(d, next, goal) ||
        (was_met && d->came_by[next].kind == EDGE_SO))
      return false;
    if (meet(d, &edge, goal))
      return true;
  }
  return false;
}

// The fewest steps from one transaction to another, if they are fewer than
// `limit`, as edges, to be freed; NULL if there is no such way.
static struct edge *find_way(struct detour *d, uint32_t from, uint32_t goal,
                             uint32_t limit, uint32_t *n) {
  const struct edge start = {EDGE_SO, from, from, NO_ID, NO_ID};
  d->nsearches++;
  d->looks = MAX_LOOKS;
  d->tail = 0;
  meet(d, &start, goal);
  bool found = false;
  uint32_t head = 0;
  for (uint32_t depth = 1; depth < limit && !found && head < d->tail; depth++)
    for (const uint32_t end = d->tail; head < end && !found; head++)
      found = leave_by_reads(d, d->queue[head], goal) ||
              leave_by_session(d, d->queue[head], goal);
  *n = 0;
  if (!found)
    return NULL;
  for (uint32_t t = goal; t != from; t = d->came_by[t].from)
    ++*n;
  struct edge *way = xmalloc(*n * sizeof *way);
  uint32_t at = *n;
  for (uint32_t t = goal; t != from; t = d->came_by[t].from)
    way[--at] = d->came_by[t];
  return way;
}

// --- Another part.

static uint32_t count_txns(const struct detour *d,
                           const struct operations *ops) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < ops->count; i++)
    n += !i || d->m->txn_of[ops->op[i]] != d->m->txn_of[ops->op[i - 1]];
  return n;
}

// Is the transaction on a shortest way from one to the other within the part?
static bool is_between(const struct detour *d, uint32_t from, uint32_t to,
                       uint32_t i) {
  return d->steps[from][i] && d->steps[i][to] &&
         d->steps[from][i] + d->steps[i][to] == d->steps[from][to];
}

// The operations of both, each once; without those of the part that are between
// `from` and `to`.
static struct operations rerouted(const struct detour *d, uint32_t from,
                                  uint32_t to, const struct operations *way) {
  const struct operations *ops = d->ops;
  struct operations new = {
      .op = xmalloc((ops->count + (size_t)way->count) * sizeof *new.op)};
  for (uint32_t i = 0, j = 0; i < ops->count || j < way->count;) {
    if (j == way->count || (i < ops->count && ops->op[i] < way->op[j])) {
      const uint32_t op = ops->op[i++];
      if (!is_between(d, from, to, place_of_txn(d, d->m->txn_of[op])))
        new.op[new.count++] = op;
    } else {
      i += i < ops->count && ops->op[i] == way->op[j];
      new.op[new.count++] = way->op[j++];
    }
  }
  subhistory_close(d->m->h, &new);
  return new;
}

// Takes the shorter way between two transactions, if there is one.
static bool take_shorter_way(struct detour *d, uint32_t from, uint32_t to) {
  struct operations way;
  uint32_t n;
  const uint32_t limit = d->steps[from][to] ? d->steps[from][to] : d->n - 2;
  struct edge *edges = find_way(d, d->txn[from], d->txn[to], limit, &n);
  if (!edges)
    return false;
  evidence_of_cycle(d->m, edges, n, &way);
  free(edges);
  struct operations new = rerouted(d, from, to, &way);
  free(way.op);
  const bool smaller = new.count &&part_minimise(&new, d->m, d->options) &&
                       count_txns(d, &new) < d->n;
  if (smaller) {
    free(d->ops->op);
    *d->ops = new;
  } else {
    free(new.op);
  }
  return smaller;
}

static bool make_smaller_between(struct detour *d, uint32_t steps) {
  for (uint32_t i = 0; i < d->n; i++)
    for (uint32_t j = 0; j < d->n; j++)
      if (i != j && d->steps[i][j] == steps && d->all_looks &&
          !check_is_stopped(d->options->stop) && take_shorter_way(d, i, j))
        return true;
  return false;
}

// The longest ways first; at last those that the part does not have, since the
// level may say itself in which order two transactions come.
static bool make_smaller(struct detour *d) {
  count_steps(d);
  for (uint32_t steps = d->n; steps-- > 2;)
    if (make_smaller_between(d, steps))
      return true;
  return d->n > HANDFUL && make_smaller_between(d, 0);
}

void detour_avoid(struct operations *ops, const struct model *m,
                  const struct check_options *options) {
  struct detour d = {
      .m = m, .options = options, .ops = ops, .all_looks = MAX_ALL_LOOKS};
  if (!find_txns(&d))
    return;
  d.met = xcalloc(m->h->ntxns, sizeof *d.met);
  d.came_by = xcalloc(m->h->ntxns, sizeof *d.came_by);
  while (make_smaller(&d))
    find_txns(&d);
  free(d.met);
  free(d.came_by);
  free(d.queue);
}
