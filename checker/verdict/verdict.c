// SPDX-License-Identifier: GPL-3.0-or-later
// Frees and renames verdicts, and tells how far an undecided check had come
// (checker/verdict/verdict.h).
#include "config.h"

#include "checker/verdict/verdict.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct verdict verdict_open(const struct question *question) {
  return (struct verdict){.kind = VERDICT_UNDECIDED,
                          .question = *question,
                          .op = UINT32_MAX,
                          .other_op = UINT32_MAX};
}

void check_progress_text(const struct check_progress *progress, char *text) {
  *text = 0;
  if (progress->runs)
    snprintf(text, CHECK_PROGRESS_TEXT,
             "%" PRIu32 " of %" PRIu32 " runs of versions are still to be "
             "placed, after %" PRIu64 " choices and %" PRIu64 " conflicts",
             progress->open, progress->runs, progress->pairs,
             progress->conflicts);
}

static uint32_t renamed(const uint32_t *names, uint32_t n, uint32_t id) {
  return id < n ? names[id] : id;
}

static void rename_edge(struct edge *edge, uint32_t nops, const uint32_t *ops,
                        const uint32_t *txns) {
  edge->from = txns[edge->from];
  edge->to = txns[edge->to];
  edge->from_op = renamed(ops, nops, edge->from_op);
  edge->to_op = renamed(ops, nops, edge->to_op);
}

// The events of claims come behind those of all transactions.
static uint32_t event_renamed(uint32_t ntxns, const uint32_t *txns,
                              uint32_t ntxns_of_whole, uint32_t event) {
  if (event == UINT32_MAX)
    return event;
  return event / 2 < ntxns ? 2 * txns[event / 2] + event % 2
                           : event + 2 * (ntxns_of_whole - ntxns);
}

void argument_rename(struct argument *a, uint32_t nops, const uint32_t *ops,
                     uint32_t ntxns, const uint32_t *txns,
                     uint32_t ntxns_of_whole) {
  for (uint32_t i = 0; i < a->nsteps; i++) {
    struct inference *step = &a->steps[i];
    step->from = event_renamed(ntxns, txns, ntxns_of_whole, step->from);
    step->to = event_renamed(ntxns, txns, ntxns_of_whole, step->to);
    step->from_op = renamed(ops, nops, step->from_op);
    step->to_op = renamed(ops, nops, step->to_op);
    step->read = renamed(ops, nops, step->read);
  }
  for (uint32_t c = 0; c < a->nclaims; c++) {
    a->claims[c].place = ops[a->claims[c].place];
    a->claims[c].writer = renamed(ops, nops, a->claims[c].writer);
  }
}

void verdict_rename(struct verdict *v, uint32_t nops, const uint32_t *ops,
                    const uint32_t *txns) {
  for (uint32_t i = 0; i < v->npart; i++)
    v->part[i] = ops[v->part[i]];
  for (uint32_t i = 0; i < v->nedges; i++)
    rename_edge(&v->edges[i], nops, ops, txns);
  argument_rename(&v->argument, nops, ops, UINT32_MAX, txns, UINT32_MAX);
  v->op = renamed(ops, nops, v->op);
  v->other_op = renamed(ops, nops, v->other_op);
  for (uint32_t i = 0; i < v->ncounted; i++)
    v->counted[i].op = renamed(ops, nops, v->counted[i].op);
  for (uint32_t i = 0; i < v->nothers; i++)
    verdict_rename(&v->others[i], nops, ops, txns);
}

void argument_free(struct argument *argument) {
  FREE_EACH(argument->steps, argument->path, argument->claims);
  *argument = (struct argument){0};
}

void verdict_free(struct verdict *verdict) {
  FREE_EACH(verdict->order, verdict->snapshot, verdict->edges, verdict->part);
  argument_free(&verdict->argument);
  if (verdict->rows_part)
    history_free(verdict->rows_part);
  FREE_EACH(verdict->rows_part, verdict->rows_txns, verdict->rows_statements,
            verdict->row_edges, verdict->row_statements, verdict->row_leavers,
            verdict->found_unseen, verdict->place, verdict->counted);
  for (uint32_t i = 0; i < verdict->nothers; i++)
    verdict_free(&verdict->others[i]);
  free(verdict->others);
  argument_free(&verdict->ways);
  free(verdict->assumed_reads);
  *verdict = (struct verdict){0};
}
