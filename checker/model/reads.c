// SPDX-License-Identifier: GPL-3.0-or-later
// Judges every read of a register by itself (the intra-transactional and
// read-value anomalies of MTC, section III-B), and finds what each transaction
// reads from and shows to others.
#include "config.h"

#include "checker/model/model.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

// The current transaction's operations on a key, + 1.  An entry counts only if
// it is not below the transaction's first operation, so nothing is ever reset.
struct own {
  uint32_t read, write; // first external read; last write
};

static bool breaks_all_levels(enum anomaly anomaly) {
  return anomaly != ANOMALY_NON_REPEATABLE_READS;
}

static void keep_gravest(struct wrong_read *kept,
                         const struct wrong_read *found) {
  assert(found->anomaly != ANOMALY_NONE);
  const bool first = kept->anomaly == ANOMALY_NONE;
  const bool graver =
      breaks_all_levels(found->anomaly) && !breaks_all_levels(kept->anomaly);
  const bool as_grave =
      breaks_all_levels(found->anomaly) == breaks_all_levels(kept->anomaly);
  if (first || graver || (as_grave && found->op < kept->op))
    *kept = *found;
}

void wrong_read_note(struct model *m, enum anomaly anomaly, uint32_t op,
                     uint32_t other_op) {
  assert(anomaly != ANOMALY_NONE && op < m->h->nops);
  const struct wrong_read found = {anomaly, op, other_op};
  if (m->levels && m->levels[m->txn_of[op]] < anomaly_weakest(anomaly))
    return;
  if (m->wants_wrong_reads) {
    ARRAY_RESERVE(m->wrong_reads.items, m->wrong_reads.count,
                  m->wrong_reads.room);
    m->wrong_reads.items[m->wrong_reads.count++] = found;
  }
  keep_gravest(&m->wrong_read, &found);
}

// --- Each transaction by itself.

// A read of a key that the transaction wrote before, but which saw something
// else than its last write.
static void note_own_read(struct model *m, uint32_t op, uint32_t first,
                          uint32_t end, uint32_t own_write) {
  const uint32_t saw = m->h->saw[op];
  if (saw == SAW_THIN_AIR)
    wrong_read_note(m, ANOMALY_THIN_AIR_READ, op, saw);
  else if (saw >= op && saw < end)
    wrong_read_note(m, ANOMALY_FUTURE_READ, op, saw);
  else if (saw >= first && saw < end)
    wrong_read_note(m, ANOMALY_NOT_MY_LAST_WRITE, op, own_write);
  else
    wrong_read_note(m, ANOMALY_NOT_MY_OWN_WRITE, op, own_write);
}

static bool is_among_own(uint32_t op, uint32_t first, uint32_t end) {
  return op - first < end - first;
}

static uint32_t register_version_seen(const struct history *h, uint32_t op) {
  return h->saw[op] == SAW_INITIAL ? h->nops + h->key[op] : h->saw[op];
}

// A read before any write of the key by the transaction itself.
static void note_external(struct model *m, struct own *own, uint32_t op,
                          uint32_t first, uint32_t end) {
  const struct history *h = m->h;
  const uint32_t saw = h->saw[op];
  assert(saw != SAW_LOST); // such transactions do not count
  if (saw == SAW_THIN_AIR)
    wrong_read_note(m, ANOMALY_THIN_AIR_READ, op, saw);
  else if (is_among_own(saw, first, end))
    wrong_read_note(m, ANOMALY_FUTURE_READ, op, saw);
  else {
    const bool again = own->read > first;
    if (again && h->saw[own->read - 1] == saw)
      return;
    if (again)
      wrong_read_note(m, ANOMALY_NON_REPEATABLE_READS, op, own->read - 1);
    else
      own->read = op + 1;
    m->sees[op] = register_version_seen(h, op);
    assert(m->sees[op] < m->nversions);
  }
}

static void note_register_write(struct model *m, struct own *own, uint32_t op,
                                uint32_t first) {
  uint8_t role = ROLE_COUNTED | ROLE_FINAL;
  if (own->write > first) {
    const uint32_t before = own->write - 1;
    m->role[before] &= (uint8_t)~ROLE_FINAL;
    m->over[op] = m->over[before];
    m->over[before] = NO_ID;
    role |= m->role[before] & ROLE_BLIND;
  } else if (own->read > first && chains_up_at_its_level(m, m->txn_of[op])) {
    m->over[op] = m->sees[own->read - 1];
  } else {
    role |= ROLE_BLIND;
  }
  m->role[op] = role;
  own->write = op + 1;
}

static void understand_op(struct model *m, struct own *own, uint32_t op,
                          uint32_t first, uint32_t end) {
  const unsigned kind = m->h->kind[op];
  if (op_reads(kind) && !op_is_list(kind)) {
    if (own->write <= first)
      note_external(m, own, op, first, end);
    else if (m->h->saw[op] != own->write - 1)
      note_own_read(m, op, first, end, own->write - 1);
  }
  if (op_writes(kind))
    note_register_write(m, own, op, first);
}

static void set_previous(struct model *m) {
  for (uint32_t s = 0; s < m->h->nsessions; s++) {
    uint32_t previous = NO_ID;
    for (uint32_t t = m->h->session_first[s]; t < m->h->session_first[s + 1];
         t++) {
      m->previous[t] = m->session_order ? previous : NO_ID;
      if (m->counted[t] && leads_session(m, t))
        previous = t;
    }
  }
}

void reads_understand(struct model *m) {
  const struct history *h = m->h;
  struct own *own = xcalloc(h->nkeys, sizeof *own);
  set_previous(m);
  for (uint32_t t = 0; t < h->ntxns; t++) {
    const uint32_t first = h->txn_first[t], end = h->txn_first[t + 1];
    if (patience_ends(&m->patience, 1 + end - first))
      break;
    for (uint32_t op = first; op < end; op++) {
      m->txn_of[op] = t;
      m->sees[op] = m->over[op] = NO_ID;
    }
    for (uint32_t op = m->counted[t] ? first : end; op < end; op++)
      understand_op(m, &own[h->key[op]], op, first, end);
  }
  free(own);
}

// --- What they saw of each other.

static inline bool may_be_seen(const struct model *m, uint32_t version) {
  return is_initial(m, version) || is_final(m, version);
}

// The version that an external read saw may not be one that others may see.
static inline bool judge_version(struct model *m, uint32_t op,
                                 uint32_t version) {
  assert(version < m->nversions);
  if (may_be_seen(m, version))
    return true;
  wrong_read_note(m,
                  m->role[version] & ROLE_COUNTED ? ANOMALY_INTERMEDIATE_READ
                                                  : ANOMALY_ABORTED_READ,
                  op, version);
  return false;
}

// In the order of time, in which what is read was mostly written not long ago:
// session by session, every look at a version would be one at memory far away.
void reads_judge(struct model *m) {
  const uint32_t *first = m->h->txn_first;
  for (uint32_t i = 0; i < m->nguess; i++) {
    if (patience_ends(&m->patience,
                      1 + first[m->guess[i] + 1] - first[m->guess[i]]))
      return;
    for (uint32_t op = first[m->guess[i]]; op < first[m->guess[i] + 1]; op++)
      if (m->sees[op] != NO_ID)
        judge_version(m, op, m->sees[op]);
  }
}

static void link_register_overwriter(struct model *m, uint32_t op) {
  assert(m->over[op] < m->nversions);
  uint8_t *role = &m->role[m->over[op]];
  if (*role & ROLE_OVERWRITTEN) {
    m->role[op] |= ROLE_DIVERGED;
    if (m->diverged == NO_ID)
      m->diverged = op;
  }
  *role |= ROLE_OVERWRITTEN;
}

// `judge`: that has not been done yet, and its memory is at hand.
static inline void link_reader(struct model *m, uint32_t op, bool judge) {
  const uint32_t version = m->sees[op];
  if (version != NO_ID &&
      (judge ? judge_version(m, op, version) : may_be_seen(m, version))) {
    m->next_reader[op] = m->first_reader[version];
    m->first_reader[version] = op;
    m->nreaders[version] += m->nreaders[version] < MANY_READERS;
  }
  if (m->over[op] != NO_ID && !op_is_list(m->h->kind[op]))
    link_register_overwriter(m, op);
}

// In the order of time, too.
void reads_link(struct model *m) {
  assert(!m->first_reader);
  const struct history *h = m->h;
  const bool judge = m->stage < MODEL_JUDGED;
  m->nreaders = xcalloc(m->nversions, sizeof *m->nreaders);
  m->first_reader = ids_none(m->nversions);
  m->next_reader = xmalloc(h->nops * sizeof *m->next_reader);
  for (uint32_t i = 0; i < m->nguess; i++) {
    const uint32_t t = m->guess[i];
    if (patience_ends(&m->patience, 1 + h->txn_first[t + 1] - h->txn_first[t]))
      return;
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      link_reader(m, op, judge);
  }
}
