// SPDX-License-Identifier: GPL-3.0-or-later
// How a transaction ends (drivers/memory/internal.h).
#include "config.h"

#include "drivers/memory/internal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum outcome memory_refuse(struct memory_connection *c, enum cause cause,
                           const char *code, const char *text) {
  c->base.cause = cause;
  snprintf(c->base.code, sizeof c->base.code, "%s", code);
  snprintf(c->base.text, sizeof c->base.text, "%s", text);
  return OUTCOME_ABORTED;
}

static enum outcome lose_answer(struct memory_connection *c) {
  memory_refuse(c, CAUSE_CONNECTION, "unknown",
                "the answer to commit was lost on purpose (option unknown)");
  c->base.broken = true;
  return OUTCOME_UNKNOWN;
}

static void forget_key_versions(struct memory_connection *c) {
  struct memory_transaction *txn = &c->txn;
  if (target_of(c)->rows)
    rows_forget(c);
  else
    commits_leave(target_of(c)->commits, c->base.session);
  txn->open = txn->foretold = false;
  txn->nreads = txn->nwrites = 0;
}

void drop_transaction(struct memory_connection *c) {
  const struct memory_transaction *txn = &c->txn;
  const bool hides = settings_of(c)->bug == BUG_ABORTED_READ;
  if (hides && target_of(c)->rows)
    rows_hide(c);
  if (hides)
    for (uint32_t i = 0; i < txn->nwrites; i++)
      forge_hide(target_of(c), txn->writes[i].key, txn->writes[i].value);
  forget_key_versions(c);
}

// First committer wins: somebody else committed a key that is written here
// after the snapshot was taken.
static bool key_writes_conflict(struct memory_connection *c) {
  const struct memory_transaction *txn = &c->txn;
  for (uint32_t i = 0; i < txn->nwrites; i++)
    if (store_newest(target_of(c)->store, txn->writes[i].key).seq > txn->floor)
      return true;
  return false;
}

static bool reads_are_old(struct memory_connection *c) {
  const struct memory_transaction *txn = &c->txn;
  for (uint32_t i = 0; i < txn->nreads; i++)
    if (store_newest(target_of(c)->store, txn->reads[i].key).seq !=
        txn->reads[i].version.seq)
      return true;
  return false;
}

// Must causality be followed read by read?  Otherwise a transaction that sees a
// prefix is taken to depend on all of it, which is more and costs nothing.
static bool tracks_causes(const struct memory_connection *c) {
  const enum bug bug = settings_of(c)->bug;
  return c->txn.rule.causal || bug == BUG_LONG_FORK ||
         bug == BUG_CAUSALITY_VIOLATION;
}

// Brings the session's causal past up to date with what was read.
static void note_causes(struct memory_connection *c) {
  struct memory_session *session = c->session;
  if (tracks_causes(c)) {
    for (uint32_t i = 0; i < c->txn.nreads; i++)
      commits_depend(target_of(c)->commits, &c->txn.reads[i].version,
                     session->past);
    return;
  }
  for (int i = 0; i < STORE_SITES; i++)
    if (session->past[i] < session->floor)
      session->past[i] = session->floor;
}

// Does the session's causal past hold newer versions than what was read?
static bool misses_cause(struct memory_connection *c) {
  const struct memory_transaction *txn = &c->txn;
  uint64_t past[STORE_SITES];
  for (int i = 0; i < STORE_SITES; i++)
    past[i] =
        c->session->past[i] > txn->floor ? c->session->past[i] : txn->floor;
  for (uint32_t i = 0; i < txn->nreads; i++)
    if (store_visible(target_of(c)->store, txn->reads[i].key, past).seq >
        txn->reads[i].version.seq)
      return true;
  return false;
}

// Transactions that only read need no check, but those that were to show an
// anomaly and did not.
static bool needs_check(struct memory_connection *c) {
  const struct memory_transaction *txn = &c->txn;
  if (txn->nwrites)
    return true;
  if (!txn->rule.must_show || txn->showed)
    return false;
  return settings_of(c)->bug != BUG_CAUSALITY_VIOLATION || !misses_cause(c);
}

static enum outcome validate_reads(struct memory_connection *c) {
  if (c->txn.torn)
    return memory_refuse(
        c, CAUSE_SERIALIZATION, "serialization",
        "lists that this transaction read would show only part of another");
  if (!needs_check(c))
    return OUTCOME_OK;
  if (c->txn.rule.check == CHECK_WRITES && key_writes_conflict(c))
    return memory_refuse(
        c, CAUSE_WRITE_CONFLICT, "write-conflict",
        "another transaction committed a key that this transaction writes");
  if (c->txn.rule.check == CHECK_READS && reads_are_old(c))
    return memory_refuse(
        c, CAUSE_SERIALIZATION, "serialization",
        "another transaction overwrote a version that this transaction read");
  return OUTCOME_OK;
}

// A list shows its elements together with all earlier ones, so an append
// depends on what was appended before it; for readers at CC, at whatever level
// it was made.
static void note_appended_to(struct memory_connection *c) {
  for (uint32_t i = 0; i < c->txn.nwrites; i++)
    if (c->txn.writes[i].append) {
      const struct version newest =
          store_newest(target_of(c)->store, c->txn.writes[i].key);
      commits_depend(target_of(c)->commits, &newest, c->session->past);
    }
}

static void install_writes(struct memory_connection *c, uint64_t seq,
                           uint64_t horizon) {
  struct memory_target *target = target_of(c);
  for (uint32_t i = 0; i < c->txn.nwrites; i++) {
    const struct memory_write *write = &c->txn.writes[i];
    const struct version version = {seq, write->value, c->base.session};
    uint64_t overwritten;
    const bool again = (write->append ? store_append : store_put)(
        target->store, write->key, &version, horizon, &overwritten);
    if (again && target->settings.bug == BUG_INTERMEDIATE_READ)
      forge_hide(target, write->key, overwritten);
  }
}

// Is what the transaction wrote forgotten, though its client is told that it
// committed?
static bool is_commit_lost(struct memory_connection *c) {
  return happens(c, settings_of(c)->lose);
}

// With the commit lock held.
static void commit_takes_effect(struct memory_connection *c) {
  struct memory_target *target = target_of(c);
  note_appended_to(c);
  uint64_t horizon;
  const uint64_t seq = commits_next(target->commits, &horizon);
  install_writes(c, seq, horizon);
  commits_publish(target->commits, c->base.session, c->session->past);
  c->session->floor = seq;
}

static enum outcome finish_commit(struct memory_connection *c) {
  if (target_of(c)->rows)
    return rows_finish(c);
  struct commits *commits = target_of(c)->commits;
  const bool alone =
      c->txn.nwrites || c->txn.rule.must_show || tracks_causes(c);
  if (alone)
    commits_lock(commits);
  note_causes(c);
  const enum outcome outcome = validate_reads(c);
  if (outcome == OUTCOME_OK && c->txn.nwrites && !is_commit_lost(c))
    commit_takes_effect(c);
  if (alone)
    commits_unlock(commits);
  return outcome;
}

enum outcome commit_transaction(struct memory_connection *c) {
  assert(c->txn.open);
  enum outcome outcome;
  if (!forge_came_true(&c->txn))
    outcome =
        memory_refuse(c, CAUSE_OTHER, "injected",
                      "a read showed a write that was never made (option bug)");
  else if (happens(c, settings_of(c)->abort))
    outcome = memory_refuse(c, CAUSE_OTHER, "injected",
                            "aborted on purpose (option abort)");
  else if (happens(c, settings_of(c)->unknown)) {
    if (gsl_rng_uniform(c->session->random) < 0.5)
      finish_commit(c);
    forget_key_versions(c);
    return lose_answer(c);
  } else
    outcome = finish_commit(c);
  if (outcome == OUTCOME_OK)
    forget_key_versions(c);
  else
    drop_transaction(c);
  return outcome;
}
