// SPDX-License-Identifier: GPL-3.0-or-later
// Writes and reads proofs (checker/witness/witness_proof.h).  To pass a number
// is to write it, or else to return the one that is read instead.
#include "config.h"

#include "checker/witness/witness_proof.h"

#include "base/bytes.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Added to ids, so that those that mean none (SAW_INITIAL...) are small.
enum { ID_SHIFT = 16 };

// --- Numbers.

static uint32_t refuse_number(struct witness_passing *p) {
  assert(!p->out);
  p->bad = true;
  p->at = p->end;
  return 0;
}

void witness_put(struct witness_bytes *out, const void *bytes, size_t n) {
  for (size_t i = 0; i < n; i++) {
    ARRAY_RESERVE(out->bytes, out->count, out->room);
    out->bytes[out->count++] = ((const unsigned char *)bytes)[i];
  }
}

static uint8_t pass_byte(struct witness_passing *p, uint8_t byte) {
  if (!p->out)
    return p->at < p->end ? *p->at++ : (uint8_t)refuse_number(p);
  witness_put(p->out, &byte, 1);
  return byte;
}

static uint32_t take_packed_number(struct witness_passing *p) {
  uint64_t number = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    const uint32_t byte = pass_byte(p, 0);
    number |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return number <= UINT32_MAX ? (uint32_t)number : refuse_number(p);
  }
  return refuse_number(p);
}

static uint32_t pass_number(struct witness_passing *p, uint32_t number) {
  unsigned char packed[PACKED_MAX];
  if (!p->out)
    return take_packed_number(p);
  witness_put(p->out, packed, (size_t)(store_packed(packed, number) - packed));
  return number;
}

static uint32_t pass_below(struct witness_passing *p, uint32_t number,
                           uint32_t limit) {
  const uint32_t passed = pass_number(p, number);
  return p->out || passed < limit ? passed : refuse_number(p);
}

// One below the limit, or one that means none.
static uint32_t pass_id(struct witness_passing *p, uint32_t id,
                        uint32_t limit) {
  const uint32_t passed = pass_number(p, id + ID_SHIFT) - ID_SHIFT;
  return p->out || passed < limit || passed > HISTORY_MAX ? passed
                                                          : refuse_number(p);
}

// One of several ascending ids, of which `*next` is the first that it may be:
// how many are left out before it.
static uint32_t pass_next(struct witness_passing *p, uint32_t id,
                          uint32_t *next, uint32_t limit) {
  const uint32_t passed = *next + pass_below(p, id - *next, limit - *next);
  *next = passed + 1;
  return passed;
}

// How many of something follow, each of which takes a byte or more: so what is
// allocated for them is in proportion to the file.
static uint32_t pass_count(struct witness_passing *p, uint32_t count) {
  const uint32_t passed = pass_number(p, count);
  return p->out || passed <= (size_t)(p->end - p->at) ? passed
                                                      : refuse_number(p);
}

// Passes how many items follow, and returns them, or room for them.
static void *pass_items(struct witness_passing *p, void *items, uint32_t *count,
                        size_t size) {
  *count = pass_count(p, *count);
  return p->out ? items : xcalloc(*count, size);
}

// --- The proof.

// A transaction by its session, of which most often the next one comes.
static void pass_order(struct witness_passing *p, struct verdict *v) {
  assert(!p->out || v->norder == 0 || v->order);
  const struct history *h = p->history;
  uint32_t *next = ids_copy(h->session_first, h->nsessions);
  v->order = pass_items(p, v->order, &v->norder, sizeof *v->order);
  if (pass_byte(p, v->snapshot != NULL) && !p->out)
    v->snapshot = xcalloc(v->norder, sizeof *v->snapshot);
  for (uint32_t i = 0; i < v->norder && !p->bad; i++) {
    uint32_t t = v->order[i];
    const uint32_t session =
        pass_below(p, p->out ? history_session(h, t) : 0, h->nsessions);
    if (p->bad)
      break;
    t = next[session] + pass_number(p, t - next[session]); // ahead, or around
    v->order[i] = p->out || t < h->ntxns ? t : refuse_number(p);
    next[session] = t + 1;
    if (v->snapshot)
      v->snapshot[i] = i - pass_below(p, i - v->snapshot[i], i + 1);
  }
  free(next);
}

static void pass_cycle(struct witness_passing *p, struct verdict *v) {
  assert(!p->out || v->nedges == 0 || v->edges);
  const uint32_t ntxns = p->history->ntxns, nops = p->history->nops;
  v->edges = pass_items(p, v->edges, &v->nedges, sizeof *v->edges);
  for (uint32_t i = 0; i < v->nedges && !p->bad; i++) {
    struct edge *edge = &v->edges[i];
    edge->kind = pass_byte(p, edge->kind);
    edge->from = pass_below(p, edge->from, ntxns);
    edge->to = pass_below(p, edge->to, ntxns);
    edge->from_op = pass_id(p, edge->from_op, nops);
    edge->to_op = pass_id(p, edge->to_op, nops);
  }
}

static void pass_path(struct witness_passing *p, struct argument *a, uint32_t s,
                      uint32_t *room) {
  struct inference *step = &a->steps[s];
  const uint32_t n = pass_count(p, step->end - step->first);
  if (!p->out)
    step->first = step->end = a->npath;
  for (uint32_t i = step->first; i < step->first + n && !p->bad; i++) {
    if (!p->out) {
      ARRAY_COVER(a->path, i, *room);
      step->end = a->npath = i + 1;
    }
    a->path[i] = pass_below(p, a->path[i], s);
  }
}

static uint32_t larger_of(uint32_t one, uint32_t other) {
  return one > other ? one : other;
}

// Whether a number is of an operation, a step, a statement or a key, the
// verifier sees.
static void pass_argument(struct witness_passing *p, struct argument *a) {
  assert(!p->out || a->nsteps == 0 || a->steps);
  const struct history *h = p->history;
  const uint32_t nevents = 2 * (h->ntxns + a->nclaims), nops = h->nops;
  const uint32_t nstatements = h->rows ? h->rows->nstatements : 0;
  uint32_t room = 0;
  a->steps = pass_items(p, a->steps, &a->nsteps, sizeof *a->steps);
  for (uint32_t s = 0; s < a->nsteps && !p->bad; s++) {
    struct inference *step = &a->steps[s];
    step->why = pass_byte(p, step->why);
    step->kind = pass_byte(p, step->kind);
    step->from = pass_id(p, step->from, nevents);
    step->to = pass_id(p, step->to, nevents);
    step->from_op = pass_id(p, step->from_op, nops);
    step->to_op = pass_id(p, step->to_op, nops);
    step->read = pass_id(p, step->read, larger_of(nops, nstatements));
    step->lemma =
        pass_id(p, step->lemma, larger_of(a->nsteps + a->nclaims, h->nkeys));
    pass_path(p, a, s, &room);
  }
}

static void pass_level_and_anomaly(struct witness_passing *p,
                                   struct verdict *v) {
  v->broken = (enum isolation)pass_below(p, v->broken, ISOLATION_COUNT);
  v->anomaly = (enum anomaly)pass_below(p, v->anomaly, ANOMALY_COUNT);
}

static void pass_violation(struct witness_passing *p, struct verdict *v) {
  const uint32_t nops = p->history->nops;
  pass_level_and_anomaly(p, v);
  v->part = pass_items(p, v->part, &v->npart, sizeof *v->part);
  for (uint32_t i = 0, next = 0; i < v->npart && !p->bad; i++)
    v->part[i] = pass_next(p, v->part[i], &next, nops);
  v->op = pass_id(p, v->op, nops);
  v->other_op = pass_id(p, v->other_op, nops);
  pass_cycle(p, v);
  pass_argument(p, &v->argument);
}

// Ascending places; whether they are reads the verifier sees.
static void pass_assumed_reads(struct witness_passing *p, struct verdict *v) {
  const uint32_t nops = p->history->nops;
  v->assumed_reads = pass_items(p, v->assumed_reads, &v->nassumed_reads,
                                sizeof *v->assumed_reads);
  for (uint32_t i = 0, next = 0; i < v->nassumed_reads && !p->bad; i++) {
    struct assumed_read *read = &v->assumed_reads[i];
    read->place =
        pass_next(p, read->place, &next, nops + p->history->nelements);
    read->writer = pass_id(p, read->writer, nops);
  }
}

static void pass_ways(struct witness_passing *p, struct argument *ways) {
  const uint32_t nops = p->history->nops;
  ways->claims =
      pass_items(p, ways->claims, &ways->nclaims, sizeof *ways->claims);
  for (uint32_t c = 0; c < ways->nclaims && !p->bad; c++) {
    ways->claims[c].place = pass_below(p, ways->claims[c].place, nops);
    ways->claims[c].writer = pass_id(p, ways->claims[c].writer, nops);
  }
  pass_argument(p, ways);
}

// --- The proof about rows.

// A version of the key: an operation that wrote it, or the first one.
static uint32_t pass_version(struct witness_passing *p, uint32_t version,
                             uint32_t key) {
  const struct history *h = p->history;
  version = pass_below(p, version, h->nops + h->nkeys);
  const bool is = version < h->nops
                      ? h->key[version] == key && op_writes(h->kind[version])
                      : version == h->nops + key;
  return p->out || p->bad || is ? version : refuse_number(p);
}

// In the order of statements and keys, as the verifier wants it.
static void pass_found(struct witness_passing *p, struct verdict *v) {
  const struct history *h = p->history;
  v->found_unseen =
      pass_items(p, v->found_unseen, &v->nfound, sizeof *v->found_unseen);
  for (uint32_t i = 0; i < v->nfound && !p->bad; i++) {
    struct found_unseen *found = &v->found_unseen[i];
    found->statement = pass_below(p, found->statement, h->rows->nstatements);
    found->key = pass_below(p, found->key, h->nkeys);
    if (p->bad)
      break;
    found->version = pass_version(p, found->version, found->key);
    if (!p->out && i &&
        (found[-1].statement > found->statement ||
         (found[-1].statement == found->statement &&
          found[-1].key >= found->key)))
      refuse_number(p);
  }
}

// For each statement of the transactions in the order, how many of those before
// its transaction had not yet committed for it.
static void pass_places(struct witness_passing *p, struct verdict *v) {
  const struct rows *rows = p->history->rows;
  if (!p->out)
    v->place = xcalloc(rows->nstatements, sizeof *v->place);
  for (uint32_t i = 0; i < v->norder && !p->bad; i++) {
    const uint32_t t = v->order[i];
    for (uint32_t s = rows->txn_statement[t];
         s < rows->txn_statement[t + 1] && !p->bad; s++)
      v->place[s] = i - pass_below(p, i - v->place[s], i + 1);
  }
}

static void pass_ids(struct witness_passing *p, struct ids *ids,
                     uint32_t limit) {
  ids->items = pass_items(p, ids->items, &ids->count, sizeof *ids->items);
  ids->room = ids->count;
  for (uint32_t i = 0; i < ids->count && !p->bad; i++)
    ids->items[i] = pass_below(p, ids->items[i], limit);
}

static void pass_violation_of_rows(struct witness_passing *p, struct verdict *v,
                                   struct rows_claim *claim) {
  claim->by = (enum rows_refutation)pass_byte(p, (uint8_t)claim->by);
  if (claim->by >= ROWS_REFUTATIONS) {
    refuse_number(p);
  } else if (claim->by == ROWS_REGISTERS) {
    pass_violation(p, v);
  } else {
    pass_level_and_anomaly(p, v);
    v->minimal = v->broken;
  }
  if (claim->by == ROWS_PART || claim->by == ROWS_ARGUED) {
    pass_ids(p, &claim->keys, p->history->nkeys);
    pass_ids(p, &claim->statements, p->history->rows->nstatements);
  }
  if (claim->by == ROWS_ARGUED)
    pass_argument(p, &v->argument);
}

void witness_pass_proof(struct witness_passing *p, struct verdict *v,
                        struct rows_claim *claim) {
  const bool rows = p->history->rows, duplicates = p->history->again && !rows;
  assert(v->kind == VERDICT_PASS || v->kind == VERDICT_VIOLATION);
  if (duplicates)
    pass_assumed_reads(p, v);
  if (v->kind == VERDICT_PASS) {
    pass_order(p, v);
    if (rows)
      pass_found(p, v);
    if (p->has_places)
      pass_places(p, v);
    return;
  }
  if (rows)
    pass_violation_of_rows(p, v, claim);
  else
    pass_violation(p, v);
  if (duplicates)
    pass_ways(p, &v->ways);
}
