// SPDX-License-Identifier: GPL-3.0-or-later
// Transactions by a pipe: one verb for each slot (drivers/pipe/PIPE.md).
#include "config.h"

#include "drivers/pipe/pipe.h"

#include <string.h>

static struct pipe_session *of(struct connection *connection) {
  return (struct pipe_session *)connection;
}

static uint64_t next_transaction(struct pipe *pipe) {
  pthread_mutex_lock(&pipe->mutex);
  const uint64_t number = ++pipe->ntransactions;
  pthread_mutex_unlock(&pipe->mutex);
  return number;
}

static enum outcome begin(struct connection *connection,
                          const struct driver_level *level) {
  struct pipe_session *session = of(connection);
  session->claimed = level->claimed;
  session->transaction = next_transaction(session->pipe);
  pipe_request(session, "begin");
  request_text(&session->request, "level", level->name);
  request_number(&session->request, "txn", session->transaction);
  return pipe_call(session, false);
}

static enum outcome commit(struct connection *connection) {
  struct pipe_session *session = of(connection);
  if (connection->target->resolves)
    connection->token[0] = session->transaction;
  pipe_request(session, "commit");
  request_number(&session->request, "txn", session->transaction);
  return pipe_call(session, true);
}

static enum outcome rollback(struct connection *connection) {
  struct pipe_session *session = of(connection);
  if (connection->broken)
    return OUTCOME_ABORTED;
  pipe_request(session, "rollback");
  const enum outcome outcome = pipe_call(session, false);
  connection->broken |= outcome != OUTCOME_OK;
  return outcome;
}

static enum outcome get(struct connection *connection, uint64_t key,
                        uint64_t *value) {
  struct pipe_session *session = of(connection);
  pipe_request(session, "get");
  request_number(&session->request, "key", key);
  const enum outcome outcome = pipe_call(session, false);
  return outcome == OUTCOME_OK &&
                 !answer_whole(json_member(session->answer.root, "value"),
                               value)
             ? pipe_no_number(session, "value")
             : outcome;
}

static enum outcome write_as(struct connection *connection, const char *verb,
                             uint64_t key, uint64_t value) {
  struct pipe_session *session = of(connection);
  pipe_request(session, verb);
  request_number(&session->request, "key", key);
  request_number(&session->request, "value", value);
  return pipe_call(session, false);
}

static enum outcome put(struct connection *connection, uint64_t key,
                        uint64_t value) {
  return write_as(connection, "put", key, value);
}

static enum outcome append(struct connection *connection, uint64_t key,
                           uint64_t value) {
  return write_as(connection, "append", key, value);
}

static enum outcome get_list(struct connection *connection, uint64_t key,
                             struct value_list *list) {
  struct pipe_session *session = of(connection);
  pipe_request(session, "list");
  request_number(&session->request, "key", key);
  const enum outcome outcome = pipe_call(session, false);
  if (outcome != OUTCOME_OK)
    return outcome;
  const struct json_value *values = json_member(session->answer.root, "values");
  if (!values || values->type != JSON_ARRAY)
    return pipe_no_number(session, "values");
  for (const struct json_value *v = values->first; v; v = v->next) {
    uint64_t value;
    if (!answer_whole(v, &value))
      return pipe_no_number(session, "values");
    value_list_push(list, value);
  }
  return OUTCOME_OK;
}

static enum outcome cas(struct connection *connection, uint64_t key,
                        uint64_t expected, uint64_t value, uint64_t *found) {
  struct pipe_session *session = of(connection);
  pipe_request(session, "cas");
  request_number(&session->request, "key", key);
  request_number(&session->request, "expected", expected);
  request_number(&session->request, "value", value);
  const enum outcome outcome = pipe_call(session, false);
  return outcome == OUTCOME_OK &&
                 !answer_whole(json_member(session->answer.root, "found"),
                               found)
             ? pipe_no_number(session, "found")
             : outcome;
}

static enum outcome resolve(struct connection *connection,
                            const uint64_t token[2]) {
  struct pipe_session *session = of(connection);
  pipe_request(session, "resolve");
  request_number(&session->request, "txn", token[0]);
  if (pipe_call(session, false) != OUTCOME_OK)
    return OUTCOME_UNKNOWN;
  const char *word = json_text(session->answer.root, "outcome", "");
  return !strcmp(word, outcome_name(OUTCOME_OK))        ? OUTCOME_OK
         : !strcmp(word, outcome_name(OUTCOME_ABORTED)) ? OUTCOME_ABORTED
                                                        : OUTCOME_UNKNOWN;
}

static int waits(struct connection *connection,
                 const struct connection *other) {
  struct pipe_session *session = of(connection);
  pipe_request(session, "waits");
  request_number(&session->request, "of",
                 ((const struct pipe_session *)other)->number);
  if (pipe_call(session, false) != OUTCOME_OK)
    return -1;
  const struct json_value *says = json_member(session->answer.root, "waits");
  return !says ? -1 : says->type == JSON_TRUE ? 1 : -(says->type != JSON_FALSE);
}

void pipe_fill_verbs(struct pipe *pipe) {
  struct driver *driver = &pipe->base;
  const unsigned does = pipe->hello.does;
  driver->begin = begin;
  driver->commit = commit;
  driver->rollback = rollback;
  driver->get = get;
  driver->put = put;
  driver->append = does & DOES_APPEND ? append : NULL;
  driver->get_list = does & DOES_APPEND ? get_list : NULL;
  driver->cas = does & DOES_CAS ? cas : NULL;
  driver->resolve = does & DOES_RESOLVE ? resolve : NULL;
  driver->waits = does & DOES_WAITS ? waits : NULL;
}
