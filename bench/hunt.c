// SPDX-License-Identifier: GPL-3.0-or-later
// Tries all ways to a smaller part (bench/hunt.h).
#include "config.h"

#include "bench/hunt.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TXNS = 64 }; // of a part that are left out in turn

// A violation that was found, in terms of the whole history.
struct found {
  struct operations part;
  uint32_t ntxns, txns[MAX_TXNS]; // as many of them as there is room for
  uint32_t read; // one that is wrong or missed a write; UINT32_MAX: none
};

static struct operations what_is_left(const struct hunt *s) {
  const struct history *h = s->h;
  struct operations ops = {.op = xmalloc(h->nops * sizeof *ops.op)};
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t];
         !s->without_txn[t] && op < h->txn_first[t + 1]; op++)
      if (!s->without_read[op])
        ops.op[ops.count++] = op;
  subhistory_close(h, &ops);
  return ops;
}

// A read that the violation rests on.
static uint32_t read_of(const struct verdict *v, const struct history *h) {
  uint32_t read = v->op;
  for (uint32_t i = 0; i < v->nedges; i++)
    if (v->edges[i].kind == EDGE_RW)
      read = v->edges[i].from_op;
  for (uint32_t i = 0; i < v->npart && verdict_by_argument(v); i++)
    if (op_reads(h->kind[v->part[i]]))
      read = v->part[i];
  return read;
}

static void take(struct found *found, const struct hunt *s,
                 const struct verdict *v, const struct history *left,
                 const struct operations *ops) {
  const uint32_t read = read_of(v, left);
  *found =
      (struct found){.part = {.op = xmalloc(v->npart * sizeof *found->part.op)},
                     .read = read == UINT32_MAX ? read : ops->op[read]};
  uint32_t last = UINT32_MAX;
  for (uint32_t i = 0; i < v->npart; i++) {
    const uint32_t op = ops->op[v->part[i]], t = history_txn(s->h, op);
    found->part.op[found->part.count++] = op;
    if (t != last && found->ntxns < MAX_TXNS)
      found->txns[found->ntxns] = t;
    found->ntxns += t != last;
    last = t;
  }
}

static bool may_go_on(const struct hunt *s) {
  return s->budget && !stop_is_set(s->options->stop);
}

// Does what is left break the level?
static bool breaks(struct hunt *s, enum isolation level, struct found *found) {
  struct check_options options = *s->options;
  struct operations ops = what_is_left(s);
  struct history left;
  struct verdict v;
  struct error error;
  options.question.level = level;
  options.max_examples = 0;
  options.progress = NULL;
  s->budget -= ops.count < s->budget ? ops.count : s->budget;
  s->nchecks++;
  subhistory_extract(s->h, &ops, &left, NULL);
  const bool broken =
      !check(&left, &options, &v, &error) && v.kind == VERDICT_VIOLATION;
  if (broken)
    take(found, s, &v, &left, &ops);
  verdict_free(&v);
  history_free(&left);
  free(ops.op);
  return broken;
}

static void keep_if_smaller(struct hunt *s, struct found *found) {
  if (found->ntxns < s->ntxns) {
    const struct operations was = s->part;
    s->ntxns = found->ntxns;
    s->part = found->part;
    found->part = was;
  }
  free(found->part.op);
}

// Parts with the `ninside` transactions that are marked.
static void search(struct hunt *s, const uint8_t *inside, uint32_t ninside) {
  struct found found;
  if (ninside >= s->ntxns || !may_go_on(s) ||
      !breaks(s, s->options->question.level, &found))
    return;
  keep_if_smaller(s, &found);
  uint8_t *now = memcpy(xmalloc(s->h->ntxns), inside, s->h->ntxns);
  for (uint32_t i = 0; i < found.ntxns && i < MAX_TXNS; i++) {
    const uint32_t t = found.txns[i];
    if (now[t])
      continue;
    s->without_txn[t] = 1;
    search(s, now, ninside);
    s->without_txn[t] = 0;
    now[t] = 1;
    ninside++;
  }
  free(now);
}

static void leave_out_weaker(struct hunt *s) {
  struct found found;
  bool more = s->options->question.level > ISOLATION_RC;
  while (more && may_go_on(s) &&
         breaks(s, s->options->question.level - 1, &found)) {
    more = found.read != UINT32_MAX;
    if (more) {
      s->without_read[found.read] = 1;
      s->nreads++;
    }
    free(found.part.op);
  }
}

bool hunt_smaller(struct hunt *hunt) {
  const uint32_t ntxns = hunt->h->ntxns;
  if (hunt->budget < hunt->h->nops)
    return false; // one check would use it up and find out nothing
  uint8_t *inside = xcalloc(ntxns, 1);
  hunt->without_txn = xcalloc(ntxns, 1);
  hunt->without_read = xcalloc(hunt->h->nops, 1);
  leave_out_weaker(hunt);
  search(hunt, inside, 0);
  free(inside);
  free(hunt->without_txn);
  free(hunt->without_read);
  hunt->without_txn = hunt->without_read = NULL;
  return may_go_on(hunt);
}
