// SPDX-License-Identifier: GPL-3.0-or-later
// The search for a shortest way over the edges of a history that closes a cycle
// of a kind (checker/graph/cycle.h).
//
// The length of a way is the transactions that it takes to tell it: one for
// each edge, and one more for an RW edge whose reader saw the version of a
// transaction that the way does not come from.  A session is one edge, however
// many transactions it skips.
#ifndef CHECKER_GRAPH_SEARCH_H
#define CHECKER_GRAPH_SEARCH_H

#include "checker/graph/dependency_order.h"
#include "checker/model/model.h"

// Which edges a search may take after the one that it starts with; the first
// modes find the cycles that break the weaker levels.
enum mode {
  MODE_NO_RW,    // no RW edge
  MODE_DIRECT,   // at most one, all of which but one way back to its reader, by
                 // session order or WR, is about later versions of its key
  MODE_ONE_RW,   // at most one
  MODE_APART,    // several RW edges, but never two in a row (SI allows those)
  MODE_IN_A_ROW, // RW edges, two of them in a row
  MODE_ANY,
  MODE_REAL_TIME, // any, to some transaction that had ended before the start
  MODE_REAL_TIME_APART, // as both
};

struct search_step {
  struct edge edge;
  uint32_t before; // step that led here, NO_ID at the start
  uint8_t state;   // of the way: its RW edges, as the mode counts them
};

#define SEARCH_NO_LIMIT UINT64_MAX

struct steps {
  struct search_step *items;
  uint32_t count, room;
};

struct cycle_search {
  const struct model *m;
  enum mode mode;
  bool in_time; // leave out ways that the times of transactions speak against
  struct back_edge closing; // the cycle's last edge: from goal to start
  uint32_t *met;    // per transaction and state: search that met it last
  uint32_t *passed; // the same: search that met what is later in its session
  uint32_t nsearches;
  struct steps steps;
  uint32_t at;       // is being left
  struct steps late; // cost one more than those that are being met
  uint32_t found;    // step that reached the goal, or NO_ID
  uint64_t looks;    // edges that this search may still look at
  uint64_t budget;   // edges that all of them may
};

// Searches with a budget of so many edges to look at; free with search_close.
void search_open(struct cycle_search *s, const struct model *m,
                 uint64_t budget);
void search_close(struct cycle_search *s);

// Takes looks off the budget.
void search_spend(struct cycle_search *s, uint64_t looks);

// Begins a search in s->mode for s->closing, then where it may start, and at
// last runs it, over `limit` edges at most, within the budget; or beyond it,
// without a limit, until nothing is left.  True if a way to the goal was
// found: step s->found.  Real-time modes look for a way from closing.to to
// whatever had ended before that began.
void search_start(struct cycle_search *s);
void search_start_at(struct cycle_search *s, const struct edge *edge);
bool search_run(struct cycle_search *s, uint64_t limit);

// All of that, from closing.to.
bool search_cycle(struct cycle_search *s, uint64_t limit);

// The way that was found, as edges, with room for one more; to be freed.
struct edge *search_way(const struct cycle_search *s, uint32_t *n);

// Does the cycle close within a transaction, between its snapshot and commit?
// Then it leaves and enters that transaction by other edges than RW.
bool search_closes_inside(const struct cycle_search *s);

#endif
