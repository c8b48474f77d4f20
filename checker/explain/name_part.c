// SPDX-License-Identifier: GPL-3.0-or-later
// The name of a part of a history that breaks a level though its dependencies
// have no cycle that could be named: the orders of its versions are only
// inferred.  The anomalies of MTC, figure 5, are recognised by who read and
// wrote what.
#include "config.h"

#include "checker/graph/classify.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <stdbool.h>

static bool version_is_read(const struct model *m, uint32_t op) {
  const unsigned kind = m->h->kind[op];
  return op_reads(kind) && !op_writes(kind) && m->sees[op] != NO_ID;
}

static bool shows_write_of(struct shown shown, const struct model *m,
                           uint32_t t) {
  bool any = false;
  for (uint32_t i = 0; i < shown.count; i++)
    any |= writer_of(m, shown.write[i]) == t;
  return any;
}

static bool txn_writes_key(const struct model *m, uint32_t t, uint32_t key) {
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++)
    if (m->h->key[op] == key && op_writes(m->h->kind[op]))
      return true;
  return false;
}

// Did an operation that reads from others not see what t wrote to its key?
static bool leaves_out(const struct model *m, uint32_t read, uint32_t t) {
  return m->txn_of[read] != t && !shows_write_of(shown_by(m, read), m, t) &&
         txn_writes_key(m, t, m->h->key[read]);
}

static bool misses(const struct model *m, uint32_t read, uint32_t t) {
  return version_is_read(m, read) && leaves_out(m, read, t);
}

// Does it read once more what its transaction read from another?
static bool repeats_read(const struct model *m, uint32_t op) {
  const unsigned kind = m->h->kind[op];
  const uint32_t saw = m->h->saw[op];
  return op_reads(kind) && !op_writes(kind) && !op_is_list(kind) &&
         saw < m->h->nops && m->txn_of[saw] != m->txn_of[op];
}

static bool is_missed_later(const struct model *m, uint32_t read, uint32_t t) {
  for (uint32_t op = read + 1; op < m->h->txn_first[m->txn_of[read] + 1]; op++)
    if (misses(m, op, t) || (repeats_read(m, op) && leaves_out(m, op, t)))
      return true;
  return false;
}

// A read missed what a transaction wrote that the reader had read from before,
// if only to write over it.
static bool is_non_monotonic(const struct model *m) {
  for (uint32_t read = 0; read < m->h->nops; read++) {
    if (!op_reads(m->h->kind[read]) || m->sees[read] == NO_ID)
      continue;
    const struct shown shown = shown_by(m, read);
    for (uint32_t i = 0; i < shown.count; i++)
      if (is_missed_later(m, read, writer_of(m, shown.write[i])))
        return true;
  }
  return false;
}

// A read missed what an earlier transaction of its session wrote.
static bool is_of_session(const struct model *m) {
  for (uint32_t op = 0; op < m->h->nops; op++)
    for (uint32_t t = m->previous[m->txn_of[op]]; t != NO_ID;
         t = m->previous[t])
      if (misses(m, op, t))
        return true;
  return false;
}

// Two transactions read one version and wrote over it.
static bool part_is_lost_update(const struct model *m) {
  for (uint32_t one = 0; one < m->h->nops; one++)
    for (uint32_t two = one + 1; two < m->h->nops; two++)
      if (version_is_read(m, one) && version_is_read(m, two) &&
          m->sees[one] == m->sees[two] && misses(m, one, m->txn_of[two]) &&
          misses(m, two, m->txn_of[one]))
        return true;
  return false;
}

static bool txn_reads(const struct model *m, uint32_t t) {
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++)
    if (op_reads(m->h->kind[op]))
      return true;
  return false;
}

// Each of the only two readers missed what the other one wrote.
static bool is_write_skew(const struct model *m) {
  uint32_t nreaders = 0;
  for (uint32_t t = 0; t < m->h->ntxns; t++)
    nreaders += txn_reads(m, t);
  for (uint32_t one = 0; one < m->h->nops && nreaders == 2; one++)
    for (uint32_t two = one + 1; two < m->h->nops; two++)
      if (m->h->key[one] != m->h->key[two] && misses(m, one, m->txn_of[two]) &&
          misses(m, two, m->txn_of[one]))
        return true;
  return false;
}

enum anomaly anomaly_of_part(const struct model *part, enum isolation broken) {
  assert(level_binds_reads(broken));
  const enum anomaly usual = level_rules(broken)->usual;
  switch (usual) {
  case ANOMALY_CYCLE_G1C:
    return is_non_monotonic(part) ? ANOMALY_NON_MONOTONIC_READ : usual;
  case ANOMALY_FRACTURED_READ:
    return is_of_session(part) ? ANOMALY_SESSION_GUARANTEE_VIOLATION : usual;
  case ANOMALY_CYCLE_G_SINGLE:
    return part_is_lost_update(part) ? ANOMALY_LOST_UPDATE : usual;
  case ANOMALY_CYCLE_G2_ITEM:
    return is_write_skew(part) ? ANOMALY_WRITE_SKEW : usual;
  default:
    return usual;
  }
}
