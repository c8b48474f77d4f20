// SPDX-License-Identifier: GPL-3.0-or-later
// Judges every read of a register by itself (the intra-transactional and
// read-value anomalies of MTC, section III-B), and finds what each transaction
// reads from and shows to others.
#include "config.h"

#include "checker/model.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// What the current transaction did with each key.  An entry counts only if it
// is not below the transaction's first operation, so nothing is ever reset.
struct own {
  uint32_t *read, *write; // first external read; last write
};

static bool breaks_all_levels(enum anomaly anomaly) {
  return anomaly != ANOMALY_NON_REPEATABLE_READS;
}

void finding_note(struct model *m, enum anomaly anomaly, uint32_t op,
                  uint32_t other_op) {
  struct finding *finding = &m->finding;
  if (m->levels && m->levels[m->txn_of[op]] < anomaly_info(anomaly)->weakest)
    return;
  if (m->wants_findings) {
    struct findings *all = &m->findings;
    ARRAY_RESERVE(all->items, all->count, all->room);
    all->items[all->count++] = (struct finding){anomaly, op, other_op};
  }
  const bool first = finding->anomaly == ANOMALY_NONE;
  const bool graver =
      breaks_all_levels(anomaly) && !breaks_all_levels(finding->anomaly);
  const bool as_grave =
      breaks_all_levels(anomaly) == breaks_all_levels(finding->anomaly);
  if (first || graver || (as_grave && op < finding->op)) {
    finding->anomaly = anomaly;
    finding->op = op;
    finding->other_op = other_op;
  }
}

// A read of a key that the transaction wrote before, but which saw something
// else than its last write.
static void blame_own_read(struct model *m, uint32_t op, uint32_t first,
                           uint32_t end, uint32_t own_write) {
  const uint32_t saw = m->h->saw[op];
  if (saw == SAW_THIN_AIR)
    finding_note(m, ANOMALY_THIN_AIR_READ, op, saw);
  else if (saw >= op && saw < end)
    finding_note(m, ANOMALY_FUTURE_READ, op, saw);
  else if (saw >= first && saw < end)
    finding_note(m, ANOMALY_NOT_MY_LAST_WRITE, op, own_write);
  else
    finding_note(m, ANOMALY_NOT_MY_OWN_WRITE, op, own_write);
}

// A read before any write of the key by the transaction itself.
static void note_external(struct model *m, struct own *own, uint32_t op,
                          uint32_t first, uint32_t end) {
  const struct history *h = m->h;
  const uint32_t key = h->key[op], saw = h->saw[op];
  assert(saw != SAW_LOST); // such transactions do not count
  if (saw == SAW_THIN_AIR)
    finding_note(m, ANOMALY_THIN_AIR_READ, op, saw);
  else if (saw >= first && saw < end)
    finding_note(m, ANOMALY_FUTURE_READ, op, saw);
  else {
    const bool again = own->read[key] != NO_ID && own->read[key] >= first;
    if (again && h->saw[own->read[key]] == saw)
      return;
    if (again)
      finding_note(m, ANOMALY_NON_REPEATABLE_READS, op, own->read[key]);
    else
      own->read[key] = op;
    m->sees[op] = saw == SAW_INITIAL ? h->nops + key : saw;
  }
}

static bool wrote_before(const struct own *own, uint32_t key, uint32_t first) {
  return own->write[key] != NO_ID && own->write[key] >= first;
}

static void note_write(struct model *m, struct own *own, uint32_t op,
                       uint32_t first) {
  const uint32_t key = m->h->key[op], before = own->write[key];
  uint8_t role = ROLE_COUNTED | ROLE_FINAL;
  if (wrote_before(own, key, first)) {
    m->role[before] &= (uint8_t)~ROLE_FINAL;
    m->over[op] = m->over[before];
    m->over[before] = NO_ID;
    role |= m->role[before] & ROLE_BLIND;
  } else if (own->read[key] != NO_ID && own->read[key] >= first &&
             chains_up_at_its_level(m, m->txn_of[op])) {
    m->over[op] = m->sees[own->read[key]];
  } else {
    role |= ROLE_BLIND;
  }
  m->role[op] = role;
  own->write[key] = op;
}

static void understand_txn(struct model *m, struct own *own, uint32_t first,
                           uint32_t end) {
  const struct history *h = m->h;
  for (uint32_t op = first; op < end; op++) {
    const unsigned kind = h->kind[op];
    const uint32_t key = h->key[op];
    if (op_reads(kind) && !op_is_list(kind)) {
      if (!wrote_before(own, key, first))
        note_external(m, own, op, first, end);
      else if (h->saw[op] != own->write[key])
        blame_own_read(m, op, first, end, own->write[key]);
    }
    if (op_writes(kind))
      note_write(m, own, op, first);
  }
}

static void set_previous(struct model *m) {
  for (uint32_t s = 0; s < m->h->nsessions; s++) {
    uint32_t previous = NO_ID;
    for (uint32_t t = m->h->session_first[s]; t < m->h->session_first[s + 1];
         t++) {
      m->previous[t] = m->session_order ? previous : NO_ID;
      if (m->counted[t])
        previous = t;
    }
  }
}

void reads_understand(struct model *m) {
  const struct history *h = m->h;
  struct own own = {.read = xmalloc(h->nkeys * sizeof *own.read),
                    .write = xmalloc(h->nkeys * sizeof *own.write)};
  memset(own.read, 0xff, h->nkeys * sizeof *own.read);
  memset(own.write, 0xff, h->nkeys * sizeof *own.write);
  set_previous(m);
  for (uint32_t t = 0; t < h->ntxns; t++) {
    const uint32_t first = h->txn_first[t], end = h->txn_first[t + 1];
    for (uint32_t op = first; op < end; op++)
      m->txn_of[op] = t;
    if (m->counted[t])
      understand_txn(m, &own, first, end);
  }
  free(own.read);
  free(own.write);
}

// The version that an external read saw may not be one that others may see.
static bool judge_version(struct model *m, uint32_t op, uint32_t version) {
  if (is_initial(m, version))
    return true;
  const uint8_t role = m->role[version];
  if (!(role & ROLE_COUNTED))
    finding_note(m, ANOMALY_ABORTED_READ, op, version);
  else if (!(role & ROLE_FINAL))
    finding_note(m, ANOMALY_INTERMEDIATE_READ, op, version);
  return (role & ROLE_FINAL) != 0;
}

static void link_overwriter(struct model *m, uint32_t op) {
  uint8_t *role = &m->role[m->over[op]];
  if (*role & ROLE_OVERWRITTEN) {
    m->role[op] |= ROLE_DIVERGED;
    if (m->diverged == NO_ID)
      m->diverged = op;
  }
  *role |= ROLE_OVERWRITTEN;
}

static void link_reads(struct model *m, uint32_t op) {
  const uint32_t version = m->sees[op];
  if (version != NO_ID && judge_version(m, op, version)) {
    m->next_reader[op] = m->first_reader[version];
    m->first_reader[version] = op;
    m->nreaders[version] += m->nreaders[version] < MANY_READERS;
  }
  if (m->over[op] != NO_ID && !op_is_list(m->h->kind[op]))
    link_overwriter(m, op);
}

// In the order of time, in which what is read was mostly written not long ago:
// session by session, every look at a version would be one at memory far away.
void reads_link(struct model *m) {
  const struct history *h = m->h;
  for (uint32_t i = 0; i < m->nguess; i++) {
    const uint32_t t = m->guess[i];
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      link_reads(m, op);
  }
}
