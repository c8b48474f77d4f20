// SPDX-License-Identifier: GPL-3.0-or-later
// How a transaction on rows ends (drivers/memory/rows.h).
#include "config.h"

#include "drivers/memory/internal.h"

#include <assert.h>
#include <stdlib.h>

static struct stored_row *stored_row_of(const struct memory_connection *c,
                                        uint32_t table, uint64_t key) {
  return row_find(&target_of(c)->rows->table[table], key);
}

static bool row_satisfies(const struct memory_connection *c,
                          const struct asked *asked, uint64_t key,
                          const struct stored_version *version) {
  const struct predicate *p =
      &target_of(c)->rows->tables->templates[asked->template].predicate;
  return version && !version->dead &&
         (asked->all ||
          predicate_holds(p, (int64_t)key, version->image, asked->params));
}

// Has a commit since its snapshot changed a row that the statement matched, or,
// unless only returned rows count, made one that it would match?
static bool would_differ(const struct memory_connection *c,
                         const struct asked *asked, bool items) {
  const struct row_store *store = target_of(c)->rows;
  for (size_t i = store->nchanges; i-- > 0;) {
    const struct row_change *change = &store->changes[i];
    if (change->seq <= asked->snapshot)
      break;
    const struct stored_row *row =
        change->table == asked->table
            ? stored_row_of(c, change->table, change->key)
            : NULL;
    if (row && (row_satisfies(c, asked, row->key,
                              row_visible(row, asked->snapshot, 0)) ||
                (!items && row_satisfies(c, asked, row->key,
                                         row_visible(row, change->seq, 0)))))
      return true;
  }
  return false;
}

static bool any_would_differ(const struct memory_connection *c, bool items) {
  for (uint32_t i = 0; i < c->rows.nasked; i++)
    if (would_differ(c, &c->rows.asked[i], items))
      return true;
  return false;
}

// Has somebody else written a row that it writes?  Two deletes of one row go
// with the bug DoubleDelete.
static bool row_writes_conflict(const struct memory_connection *c,
                                bool deletes) {
  for (uint32_t i = 0; i < c->rows.nown; i++) {
    const struct own_version *own = &c->rows.own[i];
    const struct stored_row *row = stored_row_of(c, own->table, own->key);
    if (row && row_newest(row)->seq > c->rows.snapshot &&
        !(deletes && own->dead && row_newest(row)->dead))
      return true;
  }
  return false;
}

static bool deletes_twice(const struct memory_connection *c) {
  return c->rows.weakened && settings_of(c)->bug == BUG_DOUBLE_DELETE &&
         !row_writes_conflict(c, true) && row_writes_conflict(c, false);
}

static bool key_is_taken(const struct memory_connection *c) {
  for (uint32_t i = 0; i < c->rows.nown; i++) {
    const struct own_version *own = &c->rows.own[i];
    const struct stored_row *row = stored_row_of(c, own->table, own->key);
    if (own->born && !own->dead && row && !row_newest(row)->dead)
      return true;
  }
  return false;
}

static enum outcome validate_rows(struct memory_connection *c) {
  const struct row_transaction *txn = &c->rows;
  const bool skewed =
      txn->weakened && settings_of(c)->bug == BUG_PHANTOM_WRITE_SKEW;
  const bool loses = txn->weakened && settings_of(c)->bug == BUG_LOST_UPDATE &&
                     !key_is_taken(c);
  if (loses || deletes_twice(c))
    return OUTCOME_OK;
  if (txn->level >= ISOLATION_SI && row_writes_conflict(c, false))
    return memory_refuse(c, CAUSE_WRITE_CONFLICT, "write-conflict",
                         "another transaction committed a row that this one "
                         "writes");
  if (txn->hidden ||
      (txn->level >= ISOLATION_SER && any_would_differ(c, skewed)))
    return memory_refuse(c, CAUSE_SERIALIZATION, "serialization",
                         "another transaction changed the rows that a "
                         "statement of this one matches");
  if (key_is_taken(c))
    return memory_refuse(c, CAUSE_CONSTRAINT, "key",
                         "another transaction inserted a key that this one "
                         "inserts");
  return OUTCOME_OK;
}

static void install_rows(struct memory_connection *c) {
  struct row_store *store = target_of(c)->rows;
  for (uint32_t i = 0; i < c->rows.nown; i++) {
    struct own_version *own = &c->rows.own[i];
    row_add(store, own->table, own->key,
            &(struct stored_version){.seq = store->seq + 1,
                                     .stamp = own->stamp,
                                     .session = c->base.session,
                                     .dead = own->dead,
                                     .image = own->image});
    own->image = NULL;
  }
  row_publish(store, c->base.session);
  c->session->floor = store->seq;
}

// The newest commit that it has seen.  With the bug PhantomRead that may be
// any.
static uint64_t newest_seen(const struct memory_connection *c) {
  return c->rows.weakened && settings_of(c)->bug == BUG_PHANTOM_READ
             ? target_of(c)->rows->seq
             : c->rows.snapshot;
}

// Transactions that only read need no check.
enum outcome rows_finish(struct memory_connection *c) {
  struct row_store *store = target_of(c)->rows;
  pthread_mutex_lock(&store->lock);
  const enum outcome outcome = c->rows.nown ? validate_rows(c) : OUTCOME_OK;
  if (outcome == OUTCOME_OK && c->session->floor < newest_seen(c))
    c->session->floor = newest_seen(c);
  if (outcome == OUTCOME_OK && c->rows.nown &&
      !happens(c, settings_of(c)->lose))
    install_rows(c);
  pthread_mutex_unlock(&store->lock);
  return outcome;
}

void rows_hide(struct memory_connection *c) {
  struct row_store *store = target_of(c)->rows;
  pthread_mutex_lock(&store->lock);
  for (uint32_t i = 0; i < c->rows.nown; i++) {
    struct own_version *own = &c->rows.own[i];
    if (own->dead)
      continue;
    row_hide(store, own->table, own->key,
             &(struct stored_version){.stamp = own->stamp,
                                      .session = c->base.session,
                                      .image = own->image});
    own->image = NULL;
  }
  pthread_mutex_unlock(&store->lock);
}

void rows_forget(struct memory_connection *c) {
  struct row_store *store = target_of(c)->rows;
  struct row_transaction *txn = &c->rows;
  for (uint32_t i = 0; i < txn->nown; i++)
    free(txn->own[i].image);
  txn->nown = txn->nasked = txn->nshown = 0;
  pthread_mutex_lock(&store->lock);
  store->snapshots[c->base.session] = UINT64_MAX;
  pthread_mutex_unlock(&store->lock);
}
