// SPDX-License-Identifier: GPL-3.0-or-later
// Reads as a bug shows them, for the anomalies that are not a matter of
// choosing among visible versions (drivers/memory/internal.h).
#include "config.h"

#include "drivers/memory/internal.h"

#include <assert.h>

void forge_hide(struct memory_target *target, uint64_t key, uint64_t value) {
  struct hidden_writes *hidden = &target->hidden;
  pthread_mutex_lock(&hidden->lock);
  hidden->writes[hidden->count++ % HIDDEN_WRITES] =
      (struct hidden_write){key, value};
  pthread_mutex_unlock(&hidden->lock);
}

// The last hidden write of a key.
static bool find_hidden_value(struct memory_target *target, uint64_t key,
                              uint64_t *value) {
  struct hidden_writes *hidden = &target->hidden;
  bool found = false;
  pthread_mutex_lock(&hidden->lock);
  const uint64_t end = hidden->count;
  for (uint64_t i = end; i > 0 && end - i < HIDDEN_WRITES && !found; i--) {
    const struct hidden_write *write = &hidden->writes[(i - 1) % HIDDEN_WRITES];
    found = write->key == key;
    *value = write->value;
  }
  pthread_mutex_unlock(&hidden->lock);
  return found;
}

static void show_forged(struct memory_read *read, bool list, uint64_t value) {
  if (list)
    read->extra = value;
  else
    read->shown = value;
}

// No run has that many sessions, so no value of a run is like this.
static uint64_t thin_air(struct memory_connection *c) {
  return value_of_write(VALUE_MAX_SESSIONS - 1,
                        gsl_rng_get(c->session->random));
}

// The store cannot know what the transaction will write, but values count up in
// a session, and a read-modify-write transaction writes its keys in the order
// in which it read them.  One that does not is aborted in the end, see
// forge_came_true; so what a transaction that counts has read was the future.
static void foretell(struct memory_connection *c, struct memory_read *read,
                     bool list) {
  struct memory_transaction *txn = &c->txn;
  const uint32_t writes_before =
      txn->nreads > txn->nwrites ? txn->nreads - txn->nwrites : 0;
  txn->foretold = true;
  txn->foretold_key = read->key;
  txn->foretold_value = c->session->next_value + writes_before;
  show_forged(read, list, txn->foretold_value);
}

bool forge_came_true(const struct memory_transaction *txn) {
  if (!txn->foretold)
    return true;
  for (uint32_t i = 0; i < txn->nwrites; i++)
    if (txn->writes[i].key == txn->foretold_key &&
        txn->writes[i].value == txn->foretold_value)
      return true;
  return false;
}

static bool was_read_elsewhere(const struct memory_connection *c, uint64_t key,
                               uint64_t seq) {
  const struct memory_transaction *txn = &c->txn;
  for (uint32_t i = 0; i < txn->nreads; i++)
    if (txn->reads[i].key != key && view_shows(c, &txn->reads[i], seq))
      return true;
  return false;
}

// The newest version of the window that the transaction already knows the
// writer of: 0 if there is none.
static uint32_t newest_known(const struct memory_connection *c, uint64_t key) {
  uint32_t i = c->window.count - 1;
  while (i > 0 && !was_read_elsewhere(c, key, c->window.items[i].seq))
    i--;
  return i;
}

static uint32_t newest_of_session(const struct memory_connection *c) {
  uint32_t i = c->window.count - 1;
  while (i > 0 && c->window.items[i].session != c->base.session)
    i--;
  return i;
}

static bool is_visible_at_level(const struct memory_transaction *txn,
                                const struct version *version) {
  return txn->rule.view == VIEW_WINDOW ||
         version->seq <= txn->bound[site_of(version->session)];
}

// Reads the version before one that the transaction should see: for
// NonMonotonicRead, of a transaction that it has read from; else, of its own
// session, unless that is non-monotonic too.  Transactions that write are then
// held to what they read, lest this loses an update.
static void step_back(struct memory_connection *c, struct memory_read *read) {
  const enum bug bug = settings_of(c)->bug;
  store_window(target_of(c)->store, read->key, 0, &c->window);
  const uint32_t known = newest_known(c, read->key);
  const bool monotonic = bug != BUG_NON_MONOTONIC_READ;
  const uint32_t lowest = monotonic ? known : 0;
  uint32_t i = monotonic ? newest_of_session(c) : known;
  do {
    if (i <= lowest)
      return;
    i--;
  } while (!is_visible_at_level(&c->txn, &c->window.items[i]));
  if (!strikes(c, bug))
    return;
  read->version = c->window.items[i];
  read->shown = read->version.value;
  c->txn.rule.check = CHECK_READS;
}

bool forge_overtaken(struct memory_connection *c,
                     const struct memory_read *read, struct version *version) {
  const enum bug bug = settings_of(c)->bug;
  if (bug != BUG_FRACTURED_READ && bug != BUG_SESSION_GUARANTEE_VIOLATION)
    return false; // no read was older than RC permits
  store_window(target_of(c)->store, read->key, 0, &c->window);
  *version = c->window.items[newest_known(c, read->key)];
  return version->seq > read->version.seq;
}

void forge_read(struct memory_connection *c, struct memory_read *read,
                bool list) {
  const enum bug bug = settings_of(c)->bug;
  uint64_t value;
  switch (bug) {
  case BUG_THIN_AIR_READ:
    if (strikes(c, bug))
      show_forged(read, list, thin_air(c));
    break;
  case BUG_ABORTED_READ:
    if (find_hidden_value(target_of(c), read->key, &value) && strikes(c, bug))
      show_forged(read, list, value);
    break;
  case BUG_INTERMEDIATE_READ: // hidden versions of lists are shorter ones
    if (find_hidden_value(target_of(c), read->key, &value) && strikes(c, bug))
      read->shown = value;
    break;
  case BUG_FUTURE_READ:
    if (!c->txn.foretold && strikes(c, bug))
      foretell(c, read, list);
    break;
  case BUG_SESSION_GUARANTEE_VIOLATION:
    if (c->txn.rule.repeatable) // at RC the anomaly is permitted
      step_back(c, read);
    break;
  case BUG_NON_MONOTONIC_READ:
    step_back(c, read);
    break;
  default: // told when the transaction began, or when it reads its own writes
    break;
  }
}

uint32_t forge_own(struct memory_connection *c, uint32_t nown) {
  const enum bug bug = settings_of(c)->bug;
  if (bug == BUG_NOT_MY_OWN_WRITE && nown > 0 && strikes(c, bug))
    return 0;
  if (bug == BUG_NOT_MY_LAST_WRITE && nown > 1 && strikes(c, bug))
    return nown - 1;
  return nown;
}
