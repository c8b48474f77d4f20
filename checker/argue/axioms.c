// SPDX-License-Identifier: GPL-3.0-or-later
// The statements of a history and the axioms on the order of events, for a
// refutation (checker/argue/refutation.h): what must be, as links, and what
// leaves a choice, as clauses.
#include "config.h"

#include "checker/argue/axioms.h"

#include <assert.h>
#include <stdlib.h>

void axioms_add(struct axiom_links *a, struct link link) {
  link.clause = NONE;
  if (a->consistent)
    a->consistent = refutation_link(a->r, &link);
}

struct link axioms_link(enum reason why, enum edge_kind kind, uint32_t from,
                        uint32_t to, uint32_t from_op, uint32_t to_op,
                        uint32_t read) {
  return (struct link){.step = {.why = (uint8_t)why,
                                .kind = (uint8_t)kind,
                                .from = from,
                                .to = to,
                                .from_op = from_op,
                                .to_op = to_op,
                                .read = read,
                                .lemma = NONE},
                       .limit = NONE,
                       .sight = {NONE, NONE, NONE}};
}

// --- Reads and writers.

static bool op_writes_key(const struct history *h, uint32_t op, uint32_t key) {
  return op_writes(h->kind[op]) && h->key[op] == key;
}

static bool wrote_before(const struct axiom_links *a, uint32_t op) {
  const struct history *h = a->r->h;
  for (uint32_t o = h->txn_first[a->r->txn_of[op]]; o < op; o++)
    if (op_writes_key(h, o, h->key[op]))
      return true;
  return false;
}

// The last element of a list that the reader did not append itself, or NONE.
static uint32_t last_listed(const struct axiom_links *a, uint32_t op) {
  assert(op_is_list(a->r->h->kind[op]));
  const struct history *h = a->r->h;
  for (uint32_t i = history_list_end(h, h->saw[op]);
       i-- > h->list[h->saw[op]].first;)
    if (a->r->txn_of[h->element[i]] != a->r->txn_of[op])
      return h->element[i];
  return NONE;
}

static void note_external_read(struct axiom_links *a, uint32_t op) {
  const struct history *h = a->r->h;
  const bool list = op_is_list(h->kind[op]);
  if (!list && wrote_before(a, op))
    return;
  uint32_t seen = list ? last_listed(a, op) : h->saw[op];
  assert(seen < h->nops || seen == SAW_INITIAL);
  ARRAY_RESERVE(a->reads, a->nreads, a->reads_room);
  a->reads[a->nreads++] =
      (struct external){.op = op,
                        .reader = a->r->txn_of[op],
                        .seen = seen,
                        .writer = seen == NONE ? NONE : a->r->txn_of[seen],
                        .claim = NONE};
}

static bool is_last_write(const struct axiom_links *a, uint32_t op) {
  const struct history *h = a->r->h;
  for (uint32_t o = op + 1; o < h->txn_first[a->r->txn_of[op] + 1]; o++)
    if (op_writes_key(h, o, h->key[op]))
      return false;
  return true;
}

static uint32_t key_of_last_write(const void *context, uint32_t op) {
  const struct axiom_links *a = context;
  const struct history *h = a->r->h;
  return a->r->counted[a->r->txn_of[op]] && op_writes(h->kind[op]) &&
                 is_last_write(a, op)
             ? h->key[op]
             : NO_BUCKET;
}

static void note_external_reads(struct axiom_links *a) {
  for (uint32_t op = 0; op < a->r->h->nops; op++)
    if (op_reads(a->r->h->kind[op]) && a->r->counted[a->r->txn_of[op]] &&
        level_binds_reads(level_of_axioms(a, a->r->txn_of[op])))
      note_external_read(a, op);
}

// The reads that may have seen any of several writes, once for each.
static void note_ambiguous_reads(struct axiom_links *a) {
  for (uint32_t c = 0; c < a->r->argument->nclaims; c++) {
    const struct assumed_read *claim = &a->r->argument->claims[c];
    if (claim->writer == CLAIM_TOOK_EFFECT)
      continue;
    ARRAY_RESERVE(a->reads, a->nreads, a->reads_room);
    a->reads[a->nreads++] = (struct external){
        .op = claim->place,
        .reader = a->r->txn_of[claim->place],
        .seen = claim->writer,
        .writer = claim->writer == NONE ? NONE : a->r->txn_of[claim->writer],
        .claim = c};
  }
}

// --- What is certain.

static void link_sessions(struct axiom_links *a) {
  const struct history *h = a->r->h;
  for (uint32_t s = 0;
       a->r->options->question.session_order && s < h->nsessions; s++) {
    uint32_t before = NONE;
    for (uint32_t t = h->session_first[s]; t < h->session_first[s + 1]; t++) {
      if (!a->r->counted[t])
        continue;
      if (before != NONE)
        axioms_add(a, axioms_link(REASON_HISTORY, EDGE_SO, commit_of(before),
                                  snapshot_of(t), NONE, NONE, NONE));
      before = h->outcome[t] == OUTCOME_OK ? t : before;
    }
  }
}

static void link_read(struct axiom_links *a, const struct external *read,
                      uint32_t write) {
  assert(op_writes(a->r->h->kind[write]));
  axioms_add(a, axioms_link(REASON_HISTORY, EDGE_WR,
                            commit_of(a->r->txn_of[write]),
                            snapshot_of(read->reader), write, read->op, NONE));
}

// The last appends of others that a list has but the one that was seen, which
// the reader observes as well.
static void link_elements(struct axiom_links *a, const struct external *read) {
  const struct history *h = a->r->h;
  const uint32_t list = h->saw[read->op];
  for (uint32_t i = h->list[list].first; i < history_list_end(h, list); i++) {
    const uint32_t append = h->element[i];
    if (a->r->txn_of[append] != read->reader && append != read->seen &&
        is_last_write(a, append))
      link_read(a, read, append);
  }
}

static void link_all_reads(struct axiom_links *a) {
  for (uint32_t i = 0; i < a->nreads; i++) {
    const struct external *read = &a->reads[i];
    if (read->seen != NONE && read->claim == NONE)
      link_read(a, read, read->seen);
    if (op_is_list(a->r->h->kind[read->op]) &&
        level_saturates(level_of_axioms(a, read->reader)))
      link_elements(a, read);
  }
}

// Does real time put something before the transaction?
static bool is_timely(const struct axiom_links *a, uint32_t t) {
  return a->r->counted[t] && a->r->h->begin[t] != TIME_UNKNOWN &&
         (a->r->options->question.real_time ||
          level_keeps_time(level_of_axioms(a, t)));
}

// Those that had ended before t began come before this event of it; except
// where another came between that they come before, too.
static void link_past(struct axiom_links *a, uint32_t t, uint32_t event) {
  const struct history *h = a->r->h;
  uint64_t last_begin = 0;
  for (uint32_t o = 0; o < h->ntxns; o++)
    if (axioms_had_ended(a, o, h->begin[t]) && is_timely(a, o) &&
        h->begin[o] > last_begin)
      last_begin = h->begin[o];
  for (uint32_t o = 0; o < h->ntxns; o++)
    if (axioms_had_ended(a, o, h->begin[t]) && h->end[o] >= last_begin)
      axioms_add(a, axioms_link(REASON_HISTORY, EDGE_RT, commit_of(o), event,
                                NONE, NONE, NONE));
}

// Where real time counts as session order does, the snapshot comes after what
// had ended; at SSER, the commit.
static void link_real_time(struct axiom_links *a, bool as_sessions) {
  const struct history *h = a->r->h;
  for (uint32_t t = 0; h->begin && h->end && t < h->ntxns; t++) {
    if (is_timely(a, t) && as_sessions == a->r->options->question.real_time)
      link_past(a, t, as_sessions ? snapshot_of(t) : commit_of(t));
  }
}

static bool append_is_listed(const struct history *h, uint32_t read,
                             uint32_t append) {
  for (uint32_t i = h->list[h->saw[read]].first;
       i < history_list_end(h, h->saw[read]); i++)
    if (h->element[i] == append)
      return true;
  return false;
}

// The order of the transactions whose appends a list shows, and after the last
// of them those whose appends it does not.
static void link_list_read(struct axiom_links *a, const struct external *read) {
  const struct history *h = a->r->h;
  const uint32_t key = h->key[read->op];
  uint32_t before = NONE;
  for (uint32_t i = h->list[h->saw[read->op]].first;
       i < history_list_end(h, h->saw[read->op]); i++) {
    const uint32_t op = h->element[i], t = a->r->txn_of[op];
    if (t == read->reader)
      continue;
    if (before != NONE && a->r->txn_of[before] != t)
      axioms_add(a, axioms_link(REASON_LIST, EDGE_WW,
                                commit_of(a->r->txn_of[before]), commit_of(t),
                                before, op, read->op));
    before = op;
  }
  for (uint32_t w = a->writes.first[key];
       before != NONE && w < a->writes.first[key + 1]; w++) {
    const uint32_t op = a->writes.items[w], t = a->r->txn_of[op];
    if (t != read->reader && !append_is_listed(h, read->op, op))
      axioms_add(a, axioms_link(REASON_LIST, EDGE_WW, commit_of(read->writer),
                                commit_of(t), before, op, read->op));
  }
}

static void link_lists(struct axiom_links *a) {
  for (uint32_t i = 0; i < a->nreads; i++)
    if (op_is_list(a->r->h->kind[a->reads[i].op]))
      link_list_read(a, &a->reads[i]);
}

// --- What the others make of it: a choice.

static uint32_t sees_at(const struct axiom_links *a, uint32_t reader) {
  return level_sees_all(level_of_axioms(a, reader)) ? commit_of(reader)
                                                    : snapshot_of(reader);
}

// The claim, or that it does not hold, as one side of a choice about this other
// write.
static struct atom claimed(const struct axiom_links *a, uint32_t claim,
                           bool holds, uint32_t op, uint32_t other_op) {
  const uint32_t event = event_of_claim(a->r, claim);
  return (struct atom){holds ? event : event + 1, holds ? event + 1 : event,
                       EDGE_SO, op, other_op};
}

// Adds that the transaction did not take effect, unless it did.
static uint32_t add_not_taken_effect(const struct axiom_links *a, uint32_t t,
                                     uint32_t op, uint32_t other_op,
                                     struct atom *atoms, uint32_t n) {
  if (a->r->took[t] != NONE)
    atoms[n++] = claimed(a, a->r->took[t], false, op, other_op);
  return n;
}

static void bind_strongly(struct axiom_links *a, const struct external *read,
                          uint32_t write) {
  assert(!level_saturates(level_of_axioms(a, read->reader)));
  const uint32_t t = a->r->txn_of[write], other = commit_of(t);
  struct atom atoms[5];
  uint32_t n = 0;
  if (read->claim != NONE)
    atoms[n++] = claimed(a, read->claim, false, write, NONE);
  n = add_not_taken_effect(a, read->reader, write, NONE, atoms, n);
  n = add_not_taken_effect(a, t, write, NONE, atoms, n);
  if (read->seen != NONE)
    atoms[n++] = (struct atom){other, commit_of(read->writer), EDGE_WW, write,
                               read->seen};
  atoms[n++] =
      (struct atom){sees_at(a, read->reader), other, EDGE_RW, read->op, write};
  const struct clause clause = {
      .why = REASON_READ, .read = read->op, .lemma = read->claim};
  refutation_clause(a->r, &clause, atoms, n);
}

static void bind_read(struct axiom_links *a, const struct external *read,
                      bool weakly) {
  const uint32_t key = a->r->h->key[read->op];
  for (uint32_t w = a->writes.first[key];
       w < a->writes.first[key + 1] && !patience_ends(&a->r->patience, 1);
       w++) {
    const uint32_t write = a->writes.items[w], other = a->r->txn_of[write];
    if (other == read->reader || other == read->writer ||
        read->writer == read->reader) // which a claim alone says
      continue;
    if (weakly)
      sight_bind(a, read, write);
    else
      bind_strongly(a, read, write);
  }
}

// The weak ones come first: what had been observed is to be told from the links
// that are certain.
static void bind_reads(struct axiom_links *a, bool weakly) {
  for (uint32_t i = 0; i < a->nreads; i++)
    if (level_saturates(level_of_axioms(a, a->reads[i].reader)) == weakly)
      bind_read(a, &a->reads[i], weakly);
}

// --- Reads that may have seen one of several writes.

// The write took effect, and the reader comes after it.
static void bind_claim(struct axiom_links *a, const struct external *read) {
  const struct clause clause = {
      .why = REASON_SEEN, .read = read->op, .lemma = read->claim};
  struct atom atoms[2] = {claimed(a, read->claim, false, NONE, NONE),
                          {commit_of(read->writer), snapshot_of(read->reader),
                           EDGE_WR, read->seen, read->op}};
  refutation_clause(a->r, &clause, atoms, 2);
  if (a->r->took[read->writer] == NONE)
    return;
  atoms[1] = claimed(a, a->r->took[read->writer], true, NONE, NONE);
  refutation_clause(a->r, &clause, atoms, 2);
}

// The reads with these claims are of one place.
static void bind_place(struct axiom_links *a, uint32_t first, uint32_t end) {
  struct atom *atoms = xmalloc((end - first + 1) * sizeof *atoms);
  const uint32_t op = a->reads[first].op;
  uint32_t n =
      add_not_taken_effect(a, a->reads[first].reader, NONE, NONE, atoms, 0);
  for (uint32_t i = first; i < end; i++)
    atoms[n++] = claimed(a, a->reads[i].claim, true, NONE, NONE);
  const struct clause clause = {.why = REASON_SAW, .read = op, .lemma = NONE};
  refutation_clause(a->r, &clause, atoms, n);
  free(atoms);
}

// The last clauses are the first that something is supposed of.
static void bind_claims(struct axiom_links *a) {
  for (uint32_t i = 0, end; i < a->nreads; i = end) {
    end = i + 1;
    if (a->reads[i].claim == NONE)
      continue;
    while (end < a->nreads && a->reads[end].op == a->reads[i].op)
      end++;
    bind_place(a, i, end);
  }
}

// --- Writers that must see each other.

static void bind_writers_of_key(struct axiom_links *a, uint32_t key) {
  const uint32_t first = a->writes.first[key], end = a->writes.first[key + 1];
  for (uint32_t i = first; i < end; i++)
    for (uint32_t j = first; j < end && !patience_ends(&a->r->patience, 1);
         j++) {
      const uint32_t op = a->writes.items[i], other_op = a->writes.items[j];
      const uint32_t t = a->r->txn_of[op], other = a->r->txn_of[other_op];
      if (i == j || !level_conflicts_apart(level_of_axioms(a, t)))
        continue;
      struct atom atoms[4] = {
          {commit_of(other), snapshot_of(t), EDGE_WW, other_op, op},
          {commit_of(t), commit_of(other), EDGE_WW, op, other_op}};
      uint32_t n = add_not_taken_effect(a, t, op, other_op, atoms, 2);
      n = add_not_taken_effect(a, other, op, other_op, atoms, n);
      const struct clause clause = {
          .why = REASON_WRITERS, .read = NONE, .lemma = NONE};
      refutation_clause(a->r, &clause, atoms, n);
    }
}

bool refutation_state(struct refutation *r) {
  struct axiom_links a = {.r = r, .consistent = true, .sighted = NONE};
  a.writes = buckets_make(r->h->nkeys, r->h->nops, key_of_last_write, &a);
  note_external_reads(&a);
  note_ambiguous_reads(&a);
  link_sessions(&a);
  link_all_reads(&a);
  if (r->options->question.real_time)
    link_real_time(&a, true);
  a.certain = refutation_rows(r);
  a.ncertain = r->nlinks;
  bind_reads(&a, true);
  link_lists(&a);
  link_real_time(&a, false);
  bind_reads(&a, false);
  for (uint32_t key = 0; key < r->h->nkeys; key++)
    bind_writers_of_key(&a, key);
  if (r->rows)
    unreturned_bind(&a);
  for (uint32_t i = 0; i < a.nreads; i++)
    if (a.reads[i].claim != NONE && a.reads[i].seen != NONE)
      bind_claim(&a, &a.reads[i]);
  bind_claims(&a);
  sight_free(&a);
  free(a.reads);
  buckets_free(&a.writes);
  free(a.certain);
  return a.consistent;
}
