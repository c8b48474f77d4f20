// SPDX-License-Identifier: GPL-3.0-or-later
// For the tests of the runner: a database of registers and lists, without any
// isolation, that fails where a script says so.
#ifndef TESTS_UNIT_RUNNER_SCRIPTED_H
#define TESTS_UNIT_RUNNER_SCRIPTED_H

#include "base/memory.h"
#include "runner/runner.h"

#include <pthread.h>
#include <stdlib.h>

enum call {
  CALL_CONNECT,
  CALL_BEGIN,
  CALL_GET,
  CALL_PUT,
  CALL_APPEND,
  CALL_GET_LIST,
  CALL_CAS,
  CALL_TRANSACT,
  CALL_COMMIT,
  CALL_ROLLBACK,
  CALL_COUNT
};

// Keys of a run, and keys that closing plans may read.
enum { SCRIPTED_KEYS = 16, SCRIPTED_ROOM = 64, SCRIPTED_SESSIONS = 64 };

// Decides the outcome of the n-th call (from 0) of this kind in this
// session.  For anything but OUTCOME_OK it may set the connection's cause,
// code, text and `broken`; after CALL_CONNECT, where there is none yet, it is
// NULL.
typedef enum outcome scenario(struct connection *connection, uint32_t session,
                              enum call call, uint64_t n);

struct scripted_target {
  struct target target; // first
  scenario *script;
  pthread_mutex_t mutex;
  struct keyspace keys;
  uint64_t calls[SCRIPTED_SESSIONS][CALL_COUNT];
  uint64_t registers[SCRIPTED_ROOM];
  struct value_list lists[SCRIPTED_ROOM];
  int setups, open; // connections
};

static inline struct scripted_target *scripted(struct target *target) {
  return (struct scripted_target *)target;
}

// The answer of the script; OUTCOME_OK leaves the target locked.
static enum outcome scripted_call(struct scripted_target *t,
                                  struct connection *connection,
                                  uint32_t session, enum call call) {
  pthread_mutex_lock(&t->mutex);
  const uint64_t n = t->calls[session][call]++;
  pthread_mutex_unlock(&t->mutex);
  const enum outcome outcome =
      t->script ? t->script(connection, session, call, n) : OUTCOME_OK;
  if (outcome == OUTCOME_OK)
    pthread_mutex_lock(&t->mutex);
  return outcome;
}

static enum outcome scripted_plain(struct connection *c, enum call call) {
  struct scripted_target *t = scripted(c->target);
  const enum outcome outcome = scripted_call(t, c, c->session, call);
  if (outcome == OUTCOME_OK)
    pthread_mutex_unlock(&t->mutex);
  return outcome;
}

static int scripted_setup(struct target *target, const struct keyspace *keys,
                          struct error *error) {
  (void)error;
  scripted(target)->keys = *keys;
  scripted(target)->setups++;
  return 0;
}

static void scripted_describe(struct target *target, char *text, size_t room) {
  (void)target;
  snprintf(text, room, "scripted 1.0");
}

static int scripted_connect(struct target *target, uint32_t session,
                            struct connection **connection,
                            struct error *error) {
  struct scripted_target *t = scripted(target);
  if (scripted_call(t, NULL, session, CALL_CONNECT) != OUTCOME_OK)
    return error_set(error, "the script refuses");
  t->open++;
  pthread_mutex_unlock(&t->mutex);
  *connection = xcalloc(1, sizeof **connection);
  (*connection)->target = target;
  (*connection)->session = session;
  return 0;
}

static void scripted_disconnect(struct connection *connection) {
  struct scripted_target *t = scripted(connection->target);
  pthread_mutex_lock(&t->mutex);
  t->open--;
  pthread_mutex_unlock(&t->mutex);
  free(connection);
}

static enum outcome scripted_begin(struct connection *c,
                                   const struct driver_level *level) {
  (void)level;
  return scripted_plain(c, CALL_BEGIN);
}

static enum outcome scripted_commit(struct connection *c) {
  return scripted_plain(c, CALL_COMMIT);
}

static enum outcome scripted_rollback(struct connection *c) {
  return scripted_plain(c, CALL_ROLLBACK);
}

static enum outcome scripted_get(struct connection *c, uint64_t key,
                                 uint64_t *value) {
  struct scripted_target *t = scripted(c->target);
  const enum outcome outcome = scripted_call(t, c, c->session, CALL_GET);
  if (outcome == OUTCOME_OK) {
    *value = t->registers[key];
    pthread_mutex_unlock(&t->mutex);
  }
  return outcome;
}

static enum outcome scripted_put(struct connection *c, uint64_t key,
                                 uint64_t value) {
  struct scripted_target *t = scripted(c->target);
  const enum outcome outcome = scripted_call(t, c, c->session, CALL_PUT);
  if (outcome == OUTCOME_OK) {
    t->registers[key] = value;
    pthread_mutex_unlock(&t->mutex);
  }
  return outcome;
}

static enum outcome scripted_append(struct connection *c, uint64_t key,
                                    uint64_t value) {
  struct scripted_target *t = scripted(c->target);
  const enum outcome outcome = scripted_call(t, c, c->session, CALL_APPEND);
  if (outcome == OUTCOME_OK) {
    value_list_push(&t->lists[key], value);
    pthread_mutex_unlock(&t->mutex);
  }
  return outcome;
}

static enum outcome scripted_get_list(struct connection *c, uint64_t key,
                                      struct value_list *list) {
  struct scripted_target *t = scripted(c->target);
  const enum outcome outcome = scripted_call(t, c, c->session, CALL_GET_LIST);
  if (outcome == OUTCOME_OK) {
    for (uint32_t i = 0; i < t->lists[key].count; i++)
      value_list_push(list, t->lists[key].values[i]);
    pthread_mutex_unlock(&t->mutex);
  }
  return outcome;
}

static enum outcome scripted_cas(struct connection *c, uint64_t key,
                                 uint64_t expected, uint64_t value,
                                 uint64_t *found) {
  struct scripted_target *t = scripted(c->target);
  const enum outcome outcome = scripted_call(t, c, c->session, CALL_CAS);
  if (outcome == OUTCOME_OK) {
    *found = t->registers[key];
    if (*found == expected)
      t->registers[key] = value;
    pthread_mutex_unlock(&t->mutex);
  }
  return outcome;
}

static void scripted_one_shot_op(struct scripted_target *t, struct plan *plan,
                                 uint32_t i, struct value_list *list) {
  struct operation *op = &plan->ops[i];
  const uint64_t expected =
      op->kind == OP_CAS && op->expect >= 0 ? plan->ops[op->expect].value : 0;
  if (op->kind == OP_APPEND)
    value_list_push(&t->lists[op->key], op->value);
  else if (op->kind == OP_READ_LIST)
    for (uint32_t e = 0; e < t->lists[op->key].count; e++)
      value_list_push(list, t->lists[op->key].values[e]);
  else if (op->kind == OP_CAS && t->registers[op->key] != expected)
    op->kind = OP_READ;
  if (op->kind == OP_READ)
    op->value = t->registers[op->key];
  else if (op->kind == OP_WRITE || op->kind == OP_CAS)
    t->registers[op->key] = op->value;
}

static enum outcome scripted_transact(struct connection *c,
                                      const struct driver_level *level,
                                      struct plan *plan,
                                      struct value_list *lists) {
  struct scripted_target *t = scripted(c->target);
  (void)level;
  const enum outcome outcome = scripted_call(t, c, c->session, CALL_TRANSACT);
  if (outcome == OUTCOME_OK) {
    for (uint32_t i = plan->first; i < plan->nops; i++)
      scripted_one_shot_op(t, plan, i, &lists[i]);
    pthread_mutex_unlock(&t->mutex);
    return outcome;
  }
  // A driver may have got halfway: what it found stands in the plan.
  for (uint32_t i = plan->first; i < plan->nops; i++) {
    plan->ops[i].value = 4242;
    if (outcome == OUTCOME_ABORTED)
      plan->ops[i].kind = OP_READ;
  }
  return outcome;
}

static const struct driver_level scripted_levels[] = {
    {"anything goes", ISOLATION_RC}, {NULL, ISOLATION_NONE}};

#define SCRIPTED_COMMON                                                        \
  .abi = DRIVER_ABI, .name = "scripted", .levels = scripted_levels,            \
  .never_waits = true, .setup = scripted_setup, .describe = scripted_describe, \
  .connect = scripted_connect, .disconnect = scripted_disconnect

static const struct driver scripted_driver = {
    SCRIPTED_COMMON,           .begin = scripted_begin,
    .commit = scripted_commit, .rollback = scripted_rollback,
    .get = scripted_get,       .put = scripted_put,
    .append = scripted_append, .get_list = scripted_get_list,
    .cas = scripted_cas,
};

static const struct driver one_shot_driver = {
    SCRIPTED_COMMON,
    .transacts = OP_ALL_KINDS,
    .transact = scripted_transact,
};

static inline void scripted_init(struct scripted_target *t,
                                 const struct driver *driver,
                                 scenario *script) {
  memset(t, 0, sizeof *t);
  t->target.driver = driver;
  t->script = script;
  pthread_mutex_init(&t->mutex, NULL);
}

static inline void scripted_fini(struct scripted_target *t) {
  for (int i = 0; i < SCRIPTED_ROOM; i++)
    value_list_free(&t->lists[i]);
  pthread_mutex_destroy(&t->mutex);
}

// Says why a call failed; returns the outcome.
static inline enum outcome fails(struct connection *connection,
                                 enum outcome outcome, enum cause cause,
                                 const char *code) {
  connection->cause = cause;
  snprintf(connection->code, sizeof connection->code, "%s", code);
  snprintf(connection->text, sizeof connection->text, "text of %s", code);
  return outcome;
}

#endif
