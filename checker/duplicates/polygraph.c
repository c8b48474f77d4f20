// SPDX-License-Identifier: GPL-3.0-or-later
// Ambiguous reads as choices of the search (checker/duplicates/polygraph.h).
// The model is of the history without these reads.
#include "config.h"

#include "checker/duplicates/polygraph.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/decide/decide.h"
#include "checker/evidence/core.h"
#include "checker/graph/classify.h"
#include "checker/solver/events.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { WRITERS_MAX = 1 << 21 };    // some hundreds of megabytes
#define EFFORT (UINT64_C(1) << 29) // of a search: some seconds

struct polygraph {
  const struct ambiguity *a;
  const struct history *h;
  struct history without; // reads that are not known, or may not have been made
  uint8_t *certain;       // per transaction: it took effect
  struct model m;
  struct problem p;
  uint32_t *chain_of; // per version: that it is the last one of, or NO_ID
  uint32_t *next;     // per version: the one known to follow, or NO_ID
  uint32_t *headed;   // per version: the chain that it is the first one of
  uint32_t *index;    // per open read: its number among the ambiguous ones
  struct open_read *reads;
  uint32_t nreads, reads_room;
  struct open_writer *writers;
  uint32_t nwriters, write_index_room;
  uint32_t *member; // per writer: of its group
};

// --- The history without them.

static void hide_open_reads(struct polygraph *g,
                            const struct history *without) {
  const struct history *h = g->h;
  uint32_t nlost;
  g->certain = history_counted(without, &nlost);
  g->without = *without;
  g->without.kind = memcpy(xmalloc(h->nops), without->kind, h->nops);
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t];
         !g->certain[t] && op < h->txn_first[t + 1]; op++)
      g->without.kind[op] &= (uint8_t)~OP_IS_READ;
}

// --- The choices.

static void find_next_versions(struct polygraph *g) {
  const struct model *m = &g->m;
  g->next = ids_none(m->nversions);
  g->chain_of = ids_none(m->nversions);
  g->headed = ids_none(m->nversions);
  const bool chains_up = level_conflicts(g->p.level);
  for (uint32_t op = 0; chains_up && op < g->h->nops; op++)
    if (is_final(m, op) && m->over[op] != NO_ID && !(m->role[op] & ROLE_TAIL))
      g->next[m->over[op]] = op;
  for (uint32_t c = 0; c < g->p.key_first[g->h->nkeys]; c++) {
    g->headed[g->p.head_op[c]] = c;
    g->chain_of[g->p.tail_op[c]] = c;
  }
}

// The chain that the transaction's write of the key starts, or NO_ID.
static uint32_t find_own_chain(const struct polygraph *g, uint32_t t,
                               uint32_t key) {
  for (uint32_t op = g->h->txn_first[t]; op < g->h->txn_first[t + 1]; op++)
    if (g->h->key[op] == key && is_final(&g->m, op))
      return g->headed[op];
  return NO_ID;
}

static void choose_writer(struct polygraph *g, struct open_writer writer,
                          uint32_t member) {
  ARRAY_RESERVE(g->writers, g->nwriters, g->write_index_room);
  g->member = xrealloc(g->member, g->write_index_room, sizeof *g->member);
  g->member[g->nwriters] = member;
  g->writers[g->nwriters++] = writer;
}

static void add_open_writer(struct polygraph *g, uint32_t t, uint32_t version,
                            uint32_t member) {
  const struct model *m = &g->m;
  struct open_writer writer = {.read = g->nreads,
                               .commit = NO_ID,
                               .before = NO_ID,
                               .chain = g->chain_of[version]};
  if (!is_initial(m, version))
    writer.commit = problem_commit(&g->p, writer_of(m, version));
  const uint32_t next = g->next[version];
  if (next == NO_ID)
    writer.bottom = writer.chain == NO_ID;
  else if (m->txn_of[next] != t)
    writer.before = problem_commit(&g->p, m->txn_of[next]);
  choose_writer(g, writer, member);
}

// That the read saw nothing, since its transaction took no effect.
static void add_nothing(struct polygraph *g) {
  choose_writer(g,
                (struct open_writer){.read = g->nreads,
                                     .commit = NO_ID,
                                     .before = NO_ID,
                                     .chain = NO_ID,
                                     .nothing = true},
                NO_ID);
}

// False: nothing that it may have seen is left, or that is too much.
static bool add_polygraph_read(struct polygraph *g, uint32_t i) {
  const uint32_t t = g->a->reads[i].txn, key = g->h->key[g->a->reads[i].place];
  struct open_read read = {.event = problem_snapshot(&g->p, t),
                           .own = find_own_chain(g, t, key),
                           .key = key,
                           .first = g->nwriters};
  for (uint32_t c = 0; c < ambiguity_size(g->a, i); c++)
    if (!ambiguity_rules_out(g->a, i, c)) {
      const uint32_t w = ambiguity_writer(g->a, i, c);
      add_open_writer(g, t, w == SAW_INITIAL ? g->h->nops + key : w, c);
    }
  if (!g->certain[t])
    add_nothing(g);
  read.end = g->nwriters;
  ARRAY_RESERVE(g->reads, g->nreads, g->reads_room);
  g->index = xrealloc(g->index, g->reads_room, sizeof *g->index);
  g->index[g->nreads] = i;
  g->reads[g->nreads++] = read;
  return read.end > read.first && g->nwriters <= WRITERS_MAX;
}

// A writer of unknown outcome that was seen took effect: so its reads, which
// are one after the other, saw something.
static void bind_seen_writers(struct polygraph *g) {
  uint32_t *first = ids_none(g->h->ntxns),
           *end = xcalloc(g->h->ntxns, sizeof *end);
  for (uint32_t r = g->nreads; r-- > 0;) {
    const uint32_t t = problem_txn(&g->p, g->reads[r].event);
    if (!g->writers[g->reads[r].end - 1].nothing)
      continue;
    first[t] = r;
    end[t] = end[t] ? end[t] : r + 1;
  }
  for (uint32_t w = 0; w < g->nwriters; w++)
    if (g->writers[w].commit != NO_ID) {
      const uint32_t t = problem_txn(&g->p, g->writers[w].commit);
      g->writers[w].first_read = first[t];
      g->writers[w].end_read = end[t];
    }
  free(first);
  free(end);
}

// Is there nothing to choose?  Own writes are not, but a wrong read of one
// shows that a transaction in doubt took no effect.
static bool is_settled(const struct polygraph *g, uint32_t i) {
  const struct ambiguous_read *read = &g->a->reads[i];
  return g->certain[read->txn] ? read->known : read->sees_own;
}

static bool add_polygraph_reads(struct polygraph *g, struct operations *core) {
  for (uint32_t i = 0; i < g->a->nreads; i++) {
    if (is_settled(g, i) || add_polygraph_read(g, i))
      continue;
    *core = (struct operations){.op = xmalloc(sizeof *core->op), 1, 1};
    core->op[0] = g->a->reads[i].place;
    return false;
  }
  bind_seen_writers(g);
  return true;
}

// --- The answer.

static void take_seen(const struct polygraph *g, const uint32_t *seen,
                      uint32_t *value) {
  for (uint32_t r = 0; r < g->nreads; r++)
    if (!g->writers[seen[r]].nothing)
      value[g->index[r]] = g->member[seen[r]];
}

// Without the ambiguous reads that it does not rest on.
static void take_core(const struct polygraph *g, struct operations core,
                      const struct choice_result *result,
                      struct operations *ops) {
  uint8_t *needed = xcalloc(g->h->nops, 1);
  for (uint32_t i = 0; result && i < result->ncore_reads; i++)
    needed[g->a->reads[g->index[result->core_reads[i]]].place] = 1;
  *ops = core;
  ops->count = 0;
  for (uint32_t i = 0; i < core.count; i++) {
    const uint32_t op = core.op[i], read = g->a->number_of[op];
    if (read == NO_ID || g->a->reads[read].known || needed[op] ||
        op_writes(g->h->kind[op]))
      ops->op[ops->count++] = op;
  }
  free(needed);
}

static enum polygraph_answer
solve_polygraph(struct polygraph *g, uint32_t *value, struct operations *core) {
  const struct choice_problem choices = {.graph = &g->p.graph,
                                         .guess = g->p.guess,
                                         .nkeys = g->h->nkeys,
                                         .key_first = g->p.key_first,
                                         .chains = g->p.chains,
                                         .readers = g->p.readers,
                                         .nreads = g->nreads,
                                         .reads = g->reads,
                                         .writers = g->writers,
                                         .effort = EFFORT,
                                         .stop = g->a->options->stop};
  struct choice_result result;
  enum polygraph_answer answer = POLYGRAPH_UNKNOWN;
  switch (choices_solve(&choices, &result)) {
  case CHOICES_ORDERED:
    take_seen(g, result.seen, value);
    answer = POLYGRAPH_KEPT;
    break;
  case CHOICES_IMPOSSIBLE:
    take_core(g, core_of_choices(&g->p, &result), &result, core);
    answer = POLYGRAPH_BROKEN;
    break;
  case CHOICES_STOPPED:
    break;
  }
  choice_result_free(&result);
  return answer;
}

static enum polygraph_answer decide_chosen(struct polygraph *g,
                                           enum isolation level,
                                           uint32_t *value,
                                           struct operations *core) {
  enum polygraph_answer answer = POLYGRAPH_UNKNOWN;
  uint32_t on_cycle;
  if (!model_reach(&g->m, MODEL_WALKABLE) ||
      (level_conflicts(level) && g->m.diverged != NO_ID))
    return POLYGRAPH_UNKNOWN;
  if (problem_build(&g->p, &g->m, level, NULL, NULL, &on_cycle)) {
    find_next_versions(g);
    answer = add_polygraph_reads(g, core) ? solve_polygraph(g, value, core)
                                          : POLYGRAPH_BROKEN;
  } else if (on_cycle != NO_ID) {
    take_core(g, core_of_node(&g->p, on_cycle), NULL, core);
    answer = POLYGRAPH_BROKEN;
  }
  problem_free(&g->p);
  return answer;
}

enum polygraph_answer polygraph_decide(const struct ambiguity *a,
                                       const struct history *without,
                                       uint32_t *value,
                                       struct operations *core) {
  struct polygraph g = {.a = a, .h = a->h};
  struct check_options options = *a->options;
  struct error error;
  enum polygraph_answer answer = POLYGRAPH_UNKNOWN;
  while (level_saturates(options.question.level))
    options.question.level++;
  hide_open_reads(&g, without);
  if (!model_understand_all(&g.m, &g.without, &options, &error)) {
    if (model_reach(&g.m, MODEL_LINKED) &&
        !decide_has_wrong_read(&g.m, options.question.level))
      answer = decide_chosen(&g, options.question.level, value, core);
    model_free(&g.m);
  }
  FREE_EACH(g.certain, g.without.kind, g.chain_of, g.next, g.headed, g.index,
            g.reads, g.writers, g.member);
  return answer;
}
