// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses what is told of an argument, and numbers it (report/tale/argue.h);
// the words are in report/tale/argue_tell.c.
#include "config.h"

#include "report/tale/argue.h"

#include "base/ids.h"
#include "base/memory.h"
#include "report/tale/story.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NONE = UINT32_MAX };

// --- Which steps are told.

static const struct inference *argued_step_of(const struct argue *a,
                                              uint32_t s) {
  return &a->verdict->argument.steps[s];
}

static bool argued_says(const struct inference *step, const struct edge *edge) {
  return step->why != REASON_CONTRADICTION && step->why != REASON_SUPPOSED &&
         step->kind == edge->kind && step->from / 2 == edge->from &&
         step->to / 2 == edge->to && step->from_op == edge->from_op &&
         step->to_op == edge->to_op;
}

static void match_edge(struct argue *a, uint32_t i) {
  a->step[i] = NONE;
  for (uint32_t s = 0; s < a->verdict->argument.nsteps; s++)
    if (!a->supposed[s] &&
        argued_says(argued_step_of(a, s), &a->verdict->edges[i])) {
      a->step[i] = s;
      a->number[s] = i + 1;
      return;
    }
}

static void find_supposed(struct argue *a) {
  bool inside = false;
  for (uint32_t s = 0; s < a->verdict->argument.nsteps; s++) {
    inside |= argued_step_of(a, s)->why == REASON_SUPPOSED;
    a->supposed[s] = inside;
    if (argued_step_of(a, s)->why == REASON_CONTRADICTION)
      inside = false;
  }
}

// Marks what a step rests on, which are all earlier steps.
static void mark_argued_premises(const struct argue *a, bool *marked,
                                 uint32_t s) {
  const struct inference *step = argued_step_of(a, s);
  for (uint32_t i = step->first; i < step->end; i++)
    marked[a->verdict->argument.path[i]] = true;
  if (step->why == REASON_LEMMA)
    marked[step->lemma] = true;
  if (step->why == REASON_CONTRADICTION)
    for (uint32_t i = s; i-- > 0 && a->supposed[i] &&
                         argued_step_of(a, i)->why != REASON_CONTRADICTION;)
      marked[i] |= argued_step_of(a, i)->why == REASON_SUPPOSED;
}

// Steps that lead from one transaction to another by what is in the history;
// nothing is added if there are none.
static void find_way(struct argue *a, uint32_t from, uint32_t to) {
  const uint32_t n = a->verdict->argument.nsteps;
  uint32_t *came_by = xcalloc(n, sizeof *came_by), last = NONE, length = 0;
  bool *reached = xcalloc(n, sizeof *reached), grown = true;
  while (grown && last == NONE) {
    grown = false;
    for (uint32_t s = 0; s < n; s++) {
      const struct inference *step = argued_step_of(a, s);
      if (reached[s] || step->why != REASON_HISTORY)
        continue;
      came_by[s] = NONE;
      reached[s] = step->from / 2 == from;
      for (uint32_t b = 0; b < n && !reached[s]; b++)
        if (reached[b] && argued_step_of(a, b)->to / 2 == step->from / 2) {
          came_by[s] = b;
          reached[s] = true;
        }
      grown |= reached[s];
      if (reached[s] && step->to / 2 == to)
        last = s;
    }
  }
  for (uint32_t s = last; s != NONE; s = came_by[s])
    length++;
  a->own_path =
      xrealloc(a->own_path, a->nown_path + length + 1, sizeof *a->own_path);
  for (uint32_t s = last, i = length; s != NONE; s = came_by[s])
    a->own_path[a->nown_path + --i] = s;
  a->nown_path += length;
  free(came_by);
  free(reached);
}

// Where the argument got around an edge, which may yet follow from the history.
static void find_own_reason(struct argue *a, uint32_t i) {
  const struct edge *edge = &a->verdict->edges[i];
  const struct history *h = a->history;
  if (a->step[i] != NONE || edge->kind != EDGE_RW ||
      op_is_list(h->kind[edge->from_op]) || h->saw[edge->from_op] >= h->nops)
    return;
  const uint32_t first = a->nown_path;
  find_way(a, history_txn(h, h->saw[edge->from_op]), edge->to);
  a->own[i] = (struct inference){.why = REASON_READ,
                                 .kind = EDGE_RW,
                                 .from = 2 * edge->from + 1,
                                 .to = 2 * edge->to + 1,
                                 .from_op = edge->from_op,
                                 .to_op = edge->to_op,
                                 .read = edge->from_op,
                                 .lemma = NONE,
                                 .first = first,
                                 .end = a->nown_path};
}

// Does an edge of the cycle need no other reason than operations of the part?
static bool is_evident(const struct argue *a, uint32_t i) {
  const struct verdict *v = a->verdict;
  uint32_t read;
  if (!story_edge_is_evident(a->history, &v->edges[i], &read))
    return false;
  for (uint32_t k = 0; k < v->npart && read != NONE; k++)
    if (v->part[k] == read)
      read = NONE;
  return read == NONE;
}

// Marks the steps behind the edges of the cycle; true if the whole argument is
// needed.
static bool mark_behind_edges(const struct argue *a, bool *marked) {
  const struct verdict *v = a->verdict;
  for (uint32_t i = 0; i < v->nedges; i++) {
    if (a->evident[i])
      continue;
    if (a->own[i].first < a->own[i].end) {
      for (uint32_t k = a->own[i].first; k < a->own[i].end; k++)
        marked[a->own_path[k]] = true;
    } else if (a->step[i] == NONE)
      return true;
    else
      mark_argued_premises(a, marked, a->step[i]);
  }
  return v->nedges == 0;
}

static void give_numbers(struct argue *a) {
  const uint32_t n = a->verdict->argument.nsteps;
  uint32_t next = a->verdict->nedges + 1;
  if (a->verdict->nrow_edges) // which say the same, and are told
    return;
  bool *marked = xcalloc(n, sizeof *marked);
  if (n)
    marked[n - 1] = mark_behind_edges(a, marked);
  for (uint32_t s = n; s-- > 0;)
    if (marked[s] && !(a->number[s] && a->evident[a->number[s] - 1]))
      mark_argued_premises(a, marked, s);
  for (uint32_t s = 0; s < n; s++)
    if (marked[s] && !a->number[s])
      a->number[s] = next++;
  a->too_long = next - a->verdict->nedges - 1 > ARGUE_MOST;
  for (uint32_t s = 0; a->too_long && s < n; s++)
    a->number[s] = 0;
  free(marked);
}

// --- Of a part with rows.

uint32_t argued_saw(const struct argue *a, uint32_t read) {
  const struct verdict *v = a->verdict;
  if (!v->rows_part)
    return a->history->saw[read];
  const uint32_t place = ids_below(v->part, v->npart, read);
  assert(place < v->npart && v->part[place] == read);
  const uint32_t saw = v->rows_part->saw[place];
  return saw < v->npart ? v->part[saw] : saw;
}

uint32_t argued_searcher(const struct argue *a, const struct inference *step) {
  const struct verdict *v = a->verdict;
  const struct rows *rows = v->rows_part->rows;
  uint32_t t = 0;
  assert(step->read < rows->nstatements);
  while (rows->txn_statement[t + 1] <= step->read)
    t++;
  return v->rows_txns[t];
}

// The key of the whole history that is this row of the part.
static uint32_t key_of_whole(const struct history *h, const struct verdict *v,
                             uint32_t key) {
  const struct rows *all = h->rows, *some = v->rows_part->rows;
  uint32_t k = 0;
  while (k < h->nkeys && (all->key_table[k] != some->key_table[key] ||
                          all->key_id[k] != some->key_id[key]))
    k++;
  assert(k < h->nkeys);
  return k;
}

struct argument argue_of_whole(struct arena *arena, const struct history *h,
                               const struct verdict *v) {
  struct argument told = v->argument;
  if (!v->rows_part)
    return told;
  told.steps = arena_take(arena, (told.nsteps + 1) * sizeof *told.steps);
  for (uint32_t s = 0; s < told.nsteps; s++) {
    struct inference *step = &told.steps[s];
    *step = v->argument.steps[s];
    const uint32_t statement = step->read;
    struct argument one = {.nsteps = 1, .steps = step};
    argument_rename(&one, v->npart, v->part, v->rows_part->ntxns, v->rows_txns,
                    h->ntxns);
    if (step->why != REASON_UNRETURNED && step->why != REASON_IN_SIGHT)
      continue;
    step->read = statement;
    step->lemma = key_of_whole(h, v, step->lemma);
  }
  return told;
}

void argue_init(struct argue *argue, const struct history *history,
                const struct verdict *verdict) {
  const uint32_t n = verdict->argument.nsteps;
  *argue = (struct argue){.history = history,
                          .verdict = verdict,
                          .number = xcalloc(n, sizeof *argue->number),
                          .supposed = xcalloc(n, sizeof *argue->supposed),
                          .step = xcalloc(verdict->nedges, sizeof *argue->step),
                          .evident =
                              xcalloc(verdict->nedges, sizeof *argue->evident),
                          .own = xcalloc(verdict->nedges, sizeof *argue->own)};
  find_supposed(argue);
  for (uint32_t i = 0; i < verdict->nedges; i++)
    match_edge(argue, i);
  for (uint32_t i = 0; i < verdict->nedges; i++)
    argue->evident[i] = is_evident(argue, i);
  for (uint32_t i = 0; i < verdict->nedges; i++)
    find_own_reason(argue, i);
  give_numbers(argue);
}

void argue_free(struct argue *argue) {
  free(argue->number);
  free(argue->supposed);
  free(argue->step);
  free(argue->evident);
  free(argue->own);
  free(argue->own_path);
}

const char *argue_mark(uint32_t number, uint32_t ncycle, char *buffer) {
  const uint32_t place = number - ncycle - 1; // after z come aa, bb, ...
  if (!ncycle || number <= ncycle)
    snprintf(buffer, NAME_ROOM, "%" PRIu32, number);
  else
    snprintf(buffer, NAME_ROOM, "%c%.*s", 'a' + (int)(place % 26), place >= 26,
             (char[]){(char)('a' + place % 26), '\0'});
  return buffer;
}
