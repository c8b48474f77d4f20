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
  uint32_t *place_of; // per open read: operation
  struct open_read *reads;
  uint32_t nreads, reads_room;
  struct open_writer *writers;
  uint32_t nwriters, write_index_room;
  uint32_t *read_of; // per place: open read, or NO_ID
  uint32_t *member;  // per writer: of its group
};

// --- The history without them.

static void hide_reads(struct polygraph *g, const struct history *without) {
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

static void find_next(struct polygraph *g) {
  const struct model *m = &g->m;
  g->next = ids_none(m->nversions);
  g->chain_of = ids_none(m->nversions);
  const bool chains_up = level_conflicts(g->p.level);
  for (uint32_t op = 0; chains_up && op < g->h->nops; op++)
    if (is_final(m, op) && m->over[op] != NO_ID && !(m->role[op] & ROLE_TAIL))
      g->next[m->over[op]] = op;
  for (uint32_t c = 0; c < g->p.key_first[g->h->nkeys]; c++)
    g->chain_of[g->p.tail_op[c]] = c;
}

// The chain that the transaction's write of the key starts, or NO_ID.
static uint32_t own_chain(const struct polygraph *g, uint32_t t, uint32_t key) {
  uint32_t own = NO_ID;
  for (uint32_t op = g->h->txn_first[t]; op < g->h->txn_first[t + 1]; op++)
    if (g->h->key[op] == key && is_final(&g->m, op))
      own = op;
  if (own == NO_ID)
    return NO_ID;
  for (uint32_t c = g->p.key_first[key]; c < g->p.key_first[key + 1]; c++)
    if (g->p.head_op[c] == own)
      return c;
  return NO_ID;
}

static void put_writer(struct polygraph *g, struct open_writer writer,
                       uint32_t member) {
  ARRAY_RESERVE(g->writers, g->nwriters, g->write_index_room);
  g->member = xrealloc(g->member, g->write_index_room, sizeof *g->member);
  g->member[g->nwriters] = member;
  g->writers[g->nwriters++] = writer;
}

static void add_writer(struct polygraph *g, uint32_t t, uint32_t version,
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
  put_writer(g, writer, member);
}

// May the read have seen it, as far as this search looks?
static bool is_possible(const struct polygraph *g, uint32_t i, uint32_t c) {
  assert(i < g->a->nreads);
  const uint32_t writer = ambiguity_writer(g->a, i, c);
  if (ambiguity_rules_out(g->a, i, c))
    return false;
  if (writer == SAW_INITIAL)
    return true;
  return g->m.txn_of[writer] != g->a->reads[i].txn && is_final(&g->m, writer);
}

// The read of the same key by the same transaction before this one, which no
// write of its own comes before; or NO_ID.
static uint32_t read_before(const struct polygraph *g, uint32_t i) {
  const struct history *h = g->h;
  const uint32_t op = g->a->reads[i].place;
  if (g->a->reads[i].own_write != NO_ID)
    return NO_ID;
  for (uint32_t o = op; o-- > h->txn_first[g->a->reads[i].txn];)
    if (h->key[o] == h->key[op] && op_reads(h->kind[o]))
      return o;
  return NO_ID;
}

static void take_two(uint32_t op, uint32_t other, struct operations *core) {
  *core = (struct operations){.op = xmalloc(2 * sizeof *core->op), .room = 2};
  if (op != NO_ID)
    core->op[core->count++] = op;
  core->op[core->count++] = other;
}

// A transaction that reads a key twice sees the same both times.  False: it did
// not.
static bool repeat_read(struct polygraph *g, uint32_t i, uint32_t before) {
  const uint32_t first = g->a->number_of[before];
  if (first == NO_ID || g->a->reads[first].group != g->a->reads[i].group)
    return false;
  g->read_of[i] = g->read_of[first];
  return true;
}

// That the read saw nothing, since its transaction took no effect.
static void add_nothing(struct polygraph *g) {
  put_writer(g,
             (struct open_writer){.read = g->nreads,
                                  .commit = NO_ID,
                                  .before = NO_ID,
                                  .chain = NO_ID,
                                  .nothing = true},
             NO_ID);
}

// False: nothing that it may have seen is left, or that is too much.
static bool add_read(struct polygraph *g, uint32_t i) {
  const uint32_t t = g->a->reads[i].txn, key = g->h->key[g->a->reads[i].place];
  struct open_read read = {.event = problem_snapshot(&g->p, t),
                           .own = own_chain(g, t, key),
                           .key = key,
                           .first = g->nwriters};
  for (uint32_t c = 0; c < ambiguity_size(g->a, i); c++)
    if (is_possible(g, i, c)) {
      const uint32_t w = ambiguity_writer(g->a, i, c);
      add_writer(g, t, w == SAW_INITIAL ? g->h->nops + key : w, c);
    }
  if (!g->certain[t])
    add_nothing(g);
  read.end = g->nwriters;
  g->read_of[i] = g->nreads;
  ARRAY_RESERVE(g->reads, g->nreads, g->reads_room);
  g->place_of = xrealloc(g->place_of, g->reads_room, sizeof *g->place_of);
  g->place_of[g->nreads] = g->a->reads[i].place;
  g->reads[g->nreads++] = read;
  return read.end > read.first && g->nwriters <= WRITERS_MAX;
}

// A writer of unknown outcome that was seen took effect: so its reads, which
// are one after the other, saw something.
static void bind_writers(struct polygraph *g) {
  struct ids *reads = xcalloc(g->h->ntxns, sizeof *reads);
  for (uint32_t r = 0; r < g->nreads; r++)
    if (g->writers[g->reads[r].end - 1].nothing)
      ids_add(&reads[problem_txn(&g->p, g->reads[r].event)], r);
  for (uint32_t w = 0; w < g->nwriters; w++) {
    struct open_writer *writer = &g->writers[w];
    if (writer->commit == NO_ID)
      continue;
    const struct ids *of = &reads[problem_txn(&g->p, writer->commit)];
    if (of->count) {
      writer->first_read = of->items[0];
      writer->end_read = of->items[of->count - 1] + 1;
    }
  }
  for (uint32_t t = 0; t < g->h->ntxns; t++)
    free(reads[t].items);
  free(reads);
}

// Is there nothing to choose?  Own writes are not, but a wrong read of one
// shows that a transaction in doubt took no effect.
static bool is_settled(const struct polygraph *g, uint32_t i) {
  const struct ambiguous_read *read = &g->a->reads[i];
  return g->certain[read->txn] ? read->known : read->sees_own;
}

static bool add_reads(struct polygraph *g, struct operations *core) {
  const struct ambiguity *a = g->a;
  for (uint32_t i = 0; i < a->nreads; i++) {
    g->read_of[i] = NO_ID;
    if (is_settled(g, i))
      continue;
    const uint32_t before = read_before(g, i);
    if (before != NO_ID && repeat_read(g, i, before))
      continue;
    if ((before != NO_ID && g->certain[a->reads[i].txn]) || !add_read(g, i)) {
      take_two(before, a->reads[i].place, core);
      return false;
    }
  }
  bind_writers(g);
  return true;
}

// --- The answer.

static void take_seen(const struct polygraph *g, const uint32_t *seen,
                      uint32_t *value) {
  for (uint32_t i = 0; i < g->a->nreads; i++)
    if (g->read_of[i] != NO_ID && g->member[seen[g->read_of[i]]] != NO_ID)
      value[i] = g->member[seen[g->read_of[i]]];
}

// Without the ambiguous reads that it does not rest on.
static void take_core(const struct polygraph *g, struct operations core,
                      const struct choice_result *result,
                      struct operations *ops) {
  uint8_t *needed = xcalloc(g->h->nops, 1);
  for (uint32_t i = 0; result && i < result->ncore_reads; i++)
    needed[g->place_of[result->core_reads[i]]] = 1;
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

static enum polygraph_answer solve(struct polygraph *g, uint32_t *value,
                                   struct operations *core) {
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
    find_next(g);
    g->read_of = xmalloc(g->a->nreads * sizeof *g->read_of);
    if (add_reads(g, core))
      answer = solve(g, value, core);
    else if (core->count)
      answer = POLYGRAPH_BROKEN;
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
  while (level_saturates(options.level))
    options.level++;
  hide_reads(&g, without);
  if (!model_understand_all(&g.m, &g.without, &options, &error)) {
    if (model_reach(&g.m, MODEL_LINKED) &&
        !decide_has_wrong_read(&g.m, options.level))
      answer = decide_chosen(&g, options.level, value, core);
    model_free(&g.m);
  }
  FREE_EACH(g.certain, g.without.kind, g.chain_of, g.next, g.place_of, g.reads,
            g.writers, g.read_of, g.member);
  return answer;
}
