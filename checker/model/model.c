// SPDX-License-Identifier: GPL-3.0-or-later
// Builds and frees the engine's view of a history (checker/model/model.h).
#include "config.h"

#include "checker/model/model.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/verdict/effective_options.h"

#include <assert.h>
#include <stdlib.h>

// `all`: with all transactions of unknown outcome.
static int understand(struct model *m, const struct history *h,
                      const struct check_options *options, bool all,
                      struct error *error) {
  if ((uint64_t)h->nops + h->nkeys > HISTORY_MAX || h->ntxns > HISTORY_MAX / 2)
    return error_set(error,
                     "the history is too large to be checked: %u transactions, "
                     "%u operations on %u keys",
                     h->ntxns, h->nops, h->nkeys);
  *m = (struct model){.h = h,
                      .session_order = options->question.session_order,
                      .real_time = options->question.real_time,
                      .wants_wrong_reads = options->max_examples > 0,
                      .levels = options->question.recorded ? h->level : NULL,
                      .nversions = h->nops + h->nkeys,
                      .diverged = NO_ID,
                      .stop = options->stop};
  m->counted = settled_count(h, &m->counts);
  for (uint32_t t = 0; all && t < h->ntxns; t++)
    m->counted[t] |= h->outcome[t] == OUTCOME_UNKNOWN;
  if (!model_takes_a_moment(m))
    m->patience.stop = options->stop;
  m->previous = xmalloc(h->ntxns * sizeof *m->previous);
  m->txn_of = xmalloc(h->nops * sizeof *m->txn_of);
  m->sees = xmalloc(h->nops * sizeof *m->sees);
  m->over = xmalloc(h->nops * sizeof *m->over);
  m->role = xcalloc(m->nversions, sizeof *m->role);
  guess_make(m);
  reads_understand(m);
  lists_understand(m);
  return 0;
}

int model_understand(struct model *m, const struct history *history,
                     const struct check_options *options, struct error *error) {
  return understand(m, history, options, false, error);
}

int model_understand_all(struct model *m, const struct history *history,
                         const struct check_options *options,
                         struct error *error) {
  return understand(m, history, options, true, error);
}

int model_build(struct model *m, const struct history *history,
                const struct check_options *options, struct error *error) {
  if (model_understand(m, history, options, error))
    return -1;
  model_reach(m, MODEL_LINKED);
  return 0;
}

// At most so many transactions that overwrote the same version are linked: two
// of them are an anomaly already, and their edges grow with the square.
enum { MAX_DIVERGED = 16 };

static bool version_has_room(const struct model *m, uint32_t version) {
  uint32_t n = 0;
  for (uint32_t w = m->first_over[version]; w != NO_ID;
       w = model_next_over(m, w))
    n++;
  return n < MAX_DIVERGED;
}

static void link_list_overwriter(struct model *m, uint32_t op) {
  assert(m->over[op] < m->nversions && m->over[op] != op);
  const uint32_t other = m->first_over[m->over[op]];
  if (other != NO_ID && !m->next_over)
    m->next_over = ids_none(m->h->nops);
  if (other != NO_ID)
    m->next_over[op] = other;
  m->first_over[m->over[op]] = op;
}

static void link_session(struct model *m, uint32_t s) {
  assert(s < m->h->nsessions);
  uint32_t next = NO_ID;
  for (uint32_t t = m->h->session_first[s + 1]; t-- > m->h->session_first[s];)
    if (m->counted[t]) {
      m->next[t] = next;
      next = t;
    }
}

static void make_walkable(struct model *m) {
  assert(m->stage <= MODEL_WALKABLE && !m->first_over);
  const struct history *h = m->h;
  m->first_over = ids_none(m->nversions);
  m->next = ids_none(h->ntxns);
  for (uint32_t op = 0; op < h->nops && !patience_ends_at(&m->patience, op);
       op++)
    if (m->over[op] != NO_ID && m->role[op] & ROLE_DIVERGED &&
        version_has_room(m, m->over[op]))
      link_list_overwriter(m, op);
  for (uint32_t op = h->nops; op-- > 0 && !patience_ends_at(&m->patience, op);)
    if (m->over[op] != NO_ID && !(m->role[op] & ROLE_DIVERGED))
      link_list_overwriter(m, op);
  for (uint32_t s = 0; s < h->nsessions && m->session_order; s++)
    link_session(m, s);
}

bool model_reach(struct model *m, enum model_stage stage) {
  assert(m->h && stage <= MODEL_WALKABLE);
  if (stage <= m->stage || m->patience.ended)
    return !m->patience.ended;
  if (stage == MODEL_JUDGED)
    reads_judge(m);
  if (stage >= MODEL_LINKED && m->stage < MODEL_LINKED)
    reads_link(m);
  if (stage >= MODEL_ANCHORED && m->stage < MODEL_ANCHORED)
    chains_anchor(m);
  if (stage >= MODEL_WALKABLE && !m->patience.ended)
    make_walkable(m);
  m->stage = stage;
  return !m->patience.ended;
}

void model_forget_readers(struct model *m) {
  FREE_EACH(m->sees, m->nreaders, m->first_reader, m->next_reader);
  m->sees = m->first_reader = m->next_reader = NULL;
  m->nreaders = NULL;
}

void model_free(struct model *m) {
  FREE_EACH(m->counted, m->previous, m->guess, m->txn_of, m->sees, m->over,
            m->role, m->nreaders, m->first_reader, m->next_reader,
            m->first_over, m->next_over, m->next, m->wrong_reads.items);
  *m = (struct model){0};
}
