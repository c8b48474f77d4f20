// SPDX-License-Identifier: GPL-3.0-or-later
// The dependencies of a counterexample (report/tale/example_making.h), with the
// sentences that say why each one holds.
#include "config.h"

#include "report/tale/example_making.h"

#include "base/memory.h"
#include "report/tale/story.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint32_t txn_in(const struct example_making *m, uint32_t t) {
  assert(has_taken(&m->txns, t));
  return place_of_taken(&m->txns, t);
}

static uint32_t *drawn_to(const struct example_making *m, uint32_t to_op) {
  return &m->drawn[to_op < m->e->nops ? to_op : m->e->nops];
}

static void make_edge(struct example_making *m, const struct edge *edge,
                      uint32_t number, const char *sentence) {
  struct example *e = m->e;
  struct example_edge *made = &e->edges[e->nedges++];
  uint32_t *drawn = drawn_to(m, op_in(m, edge->to_op));
  m->drawn_before[e->nedges - 1] = *drawn;
  *drawn = e->nedges;
  *made = (struct example_edge){
      .kind = edge_kind_name(edge->kind),
      .from = txn_in(m, edge->from),
      .to = txn_in(m, edge->to),
      .from_op = op_in(m, edge->from_op),
      .to_op = op_in(m, edge->to_op),
      .inferred = edge->kind == EDGE_WW || edge->kind == EDGE_RW,
      .on_cycle = number > 0 && number <= m->v->nedges + m->v->nrow_edges,
      .number = number,
      .sentence = arena_strdup(&e->arena, sentence),
  };
  if (made->to_op != EXAMPLE_NONE)
    made->key = e->ops[made->to_op].key;
}

static bool is_drawn(const struct example_making *m, const struct edge *edge) {
  const uint32_t from = txn_in(m, edge->from), to = txn_in(m, edge->to);
  const uint32_t to_op = op_in(m, edge->to_op);
  for (uint32_t i = *drawn_to(m, to_op); i > 0; i = m->drawn_before[i - 1]) {
    const struct example_edge *made = &m->e->edges[i - 1];
    if (made->from == from && made->to == to && made->to_op == to_op &&
        !strcmp(made->kind, edge_kind_name(edge->kind)))
      return true;
  }
  return false;
}

// The operation of the statement of the part that the edge is about.
static uint32_t op_of_statement(const struct example_making *m,
                                uint32_t of_part) {
  const uint32_t s = m->v->rows_part ? m->v->rows_statements[of_part] : of_part;
  const struct recorded_statement *statement = &m->h->rows->statements[s];
  const uint32_t place = place_of_taken(&m->searches, s);
  uint32_t op = statement->first;
  while (op < statement->end && op_in(m, op) == EXAMPLE_NONE)
    op++;
  return place != EXAMPLE_NONE ? m->search_op[place]
         : op < statement->end ? op_in(m, op)
                               : EXAMPLE_NONE;
}

// The last edge is about a row that the statement did not find, which is at the
// other end of the edge.
static void point_at(struct example_making *m, uint32_t statement, bool after,
                     uint32_t row) {
  struct example_edge *edge = &m->e->edges[m->e->nedges - 1];
  *(after ? &edge->to_op : &edge->from_op) = op_of_statement(m, statement);
  *(after ? &edge->from_op : &edge->to_op) = row;
  edge->key = row == EXAMPLE_NONE ? NULL : m->e->ops[row].key;
}

static void point_at_statement(struct example_making *m, uint32_t i) {
  const struct example_edge *edge = &m->e->edges[m->e->nedges - 1];
  const bool after = m->v->row_edges[i].kind == EDGE_WR;
  if (m->v->row_statements[i] != UINT32_MAX)
    point_at(m, m->v->row_statements[i], after,
             after ? edge->from_op : edge->to_op);
}

// A step of kind WW is about two writers alone.
static void point_at_search(struct example_making *m,
                            const struct inference *step) {
  if (step->kind == EDGE_RW)
    point_at(m, step->read, false, op_in(m, step->from_op));
  else if (step->kind == EDGE_WR)
    point_at(m, step->read, true, op_in(m, step->to_op));
}

static void make_cycle(struct example_making *m) {
  char sentence[STORY_SENTENCE];
  for (uint32_t i = 0; i < m->v->nedges; i++) {
    argue_edge(&m->argue, i, sentence);
    make_edge(m, &m->v->edges[i], i + 1, sentence);
  }
  for (uint32_t i = 0; i < m->v->nrow_edges; i++) {
    story_row_edge(&m->names, m->v, i, sentence);
    make_edge(m, &m->v->row_edges[i], i + 1, sentence);
    point_at_statement(m, i);
  }
  m->e->ncycle = m->e->nedges;
}

// The reasons for the edges of the cycle, if there is one; suppositions are not
// drawn.
static void make_reasons(struct example_making *m) {
  struct example *e = m->e;
  const struct argument *argument = &m->v->argument;
  char sentence[STORY_SENTENCE];
  e->reasons =
      arena_take(&e->arena, (argument->nsteps + 1) * sizeof *e->reasons);
  for (uint32_t s = 0; s < argument->nsteps; s++) {
    const struct inference *step = &argument->steps[s];
    const uint32_t number = m->argue.number[s];
    if (number <= e->ncycle)
      continue;
    argue_step(&m->argue, s, sentence);
    e->reasons[e->nreasons++] =
        (struct example_reason){number, arena_strdup(&e->arena, sentence)};
    if (m->argue.supposed[s] || step->why == REASON_CONTRADICTION)
      continue;
    const struct edge edge = {step->kind, step->from / 2, step->to / 2,
                              step->from_op, step->to_op};
    make_edge(m, &edge, number, sentence);
    if (step->why == REASON_UNRETURNED || step->why == REASON_IN_SIGHT)
      point_at_search(m, step);
  }
}

// The write that a shown read saw.
static void make_example_read(struct example_making *m, uint32_t write,
                              uint32_t read) {
  char sentence[STORY_SENTENCE];
  const struct edge edge = {EDGE_WR, history_txn(m->h, write),
                            history_txn(m->h, read), write, read};
  if (edge.from == edge.to || is_drawn(m, &edge))
    return;
  story_edge(&m->names, &edge, sentence);
  make_edge(m, &edge, 0, sentence);
}

static void make_reads(struct example_making *m) {
  const struct history *h = m->h;
  for (uint32_t i = 0; i < m->shown.count; i++) {
    const uint32_t read = m->shown.items[i], saw = h->saw[read];
    if (h->kind[read] == OP_READ_LIST) {
      for (uint32_t k = h->list[saw].first; k < history_list_end(h, saw); k++)
        if (has_taken(&m->shown, h->element[k]))
          make_example_read(m, h->element[k], read);
    } else if (op_reads(h->kind[read]) && has_taken(&m->shown, saw))
      make_example_read(m, saw, read);
  }
}

// As many as there can be: a read shows one write, or those of its list.
static size_t most_edges(const struct example_making *m) {
  const struct history *h = m->h;
  size_t most = (size_t)m->v->nedges + m->v->nrow_edges + m->v->argument.nsteps;
  for (uint32_t i = 0; i < m->shown.count; i++) {
    const uint32_t op = m->shown.items[i];
    most += h->kind[op] == OP_READ_LIST ? h->list[h->saw[op]].count : 1;
  }
  return most;
}

void example_make_edges(struct example_making *m) {
  struct example *e = m->e;
  const size_t most = most_edges(m) + 1;
  e->edges = arena_take(&e->arena, most * sizeof *e->edges);
  m->drawn = xcalloc(e->nops + (size_t)1, sizeof *m->drawn);
  m->drawn_before = xmalloc(most * sizeof *m->drawn_before);
  make_cycle(m);
  make_reasons(m);
  make_reads(m);
  FREE_EACH(m->drawn, m->drawn_before);
}
