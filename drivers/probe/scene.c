// SPDX-License-Identifier: GPL-3.0-or-later
// The calls that checks are made of (drivers/probe/scene.h).
#include "config.h"

#include "drivers/probe/scene.h"

#include <stdarg.h>
#include <stdio.h>

enum { TRIES = 20 };

static const char *const call_names[] = {
    [CALL_BEGIN] = "begin",   [CALL_GET] = "get",           [CALL_PUT] = "put",
    [CALL_COMMIT] = "commit", [CALL_ROLLBACK] = "rollback",
};

uint64_t probe_fresh(struct probe *probe) { return ++probe->values; }

__attribute__((format(printf, 3, 0))) static void say(struct probe *probe,
                                                      enum probe_result result,
                                                      const char *format,
                                                      va_list args) {
  struct probe_said *said = probe->said;
  if (said->result == PROBE_FAILED)
    return; // the first one says most
  said->result = result;
  vsnprintf(said->sentence, sizeof said->sentence, format, args);
}

void probe_fail(struct probe *probe, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(probe, PROBE_FAILED, format, args);
  va_end(args);
}

void probe_look(struct probe *probe, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(probe, PROBE_LOOK, format, args);
  va_end(args);
}

void probe_skip(struct probe *probe, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(probe, PROBE_SKIPPED, format, args);
  va_end(args);
}

enum probe_answer probe_try(struct probe *probe, uint32_t actor,
                            enum probe_call call, uint64_t key,
                            uint64_t value) {
  probe_tell(&probe->actors[actor], call, probe->level, key, value);
  return probe_await(&probe->actors[actor], PROBE_WAITS);
}

bool probe_end_call(struct probe *probe, uint32_t actor,
                    enum probe_answer *answer) {
  *answer = probe_await(&probe->actors[actor], PROBE_PATIENCE);
  if (*answer != ANSWER_WAITS)
    return true;
  probe->stuck = true;
  probe_fail(probe, "`%s` is not answered, though it waits for nobody",
             call_names[probe->actors[actor].call]);
  return false;
}

// The check has failed, with the words of the driver.
static void fail_because(struct probe *probe, uint32_t actor,
                         const char *before, enum probe_call call,
                         const char *behind) {
  const struct connection *c = probe->actors[actor].connection;
  probe_fail(probe, "%s`%s` %s: %s%s%s", before, call_names[call], behind,
             c ? c->code : "", c && *c->code ? ": " : "",
             c ? c->text : "no connection");
}

bool probe_must(struct probe *probe, uint32_t actor, enum probe_call call,
                uint64_t key, uint64_t value) {
  enum probe_answer answer;
  probe_tell(&probe->actors[actor], call, probe->level, key, value);
  if (!probe_end_call(probe, actor, &answer))
    return false;
  if (answer != ANSWER_OK)
    fail_because(probe, actor, "", call, "fails, though nothing conflicts");
  return answer == ANSWER_OK;
}

// One attempt; false if it was refused.
static bool perform_once(struct probe *probe, uint32_t actor,
                         enum probe_call call, uint64_t key, uint64_t *value) {
  const enum probe_call calls[] = {CALL_BEGIN, call, CALL_COMMIT};
  enum probe_answer answer = ANSWER_OK;
  for (int i = 0; i < 3 && answer == ANSWER_OK; i++) {
    probe_tell(&probe->actors[actor], calls[i], probe->level, key, *value);
    if (!probe_end_call(probe, actor, &answer))
      return false;
    if (calls[i] == CALL_GET)
      *value = probe->actors[actor].value;
  }
  if (answer == ANSWER_OK)
    return true;
  probe_clear(probe);
  return false;
}

static bool perform_patiently(struct probe *probe, uint32_t actor,
                              enum probe_call call, uint64_t key,
                              uint64_t *value) {
  const uint64_t wanted = *value;
  for (int i = 0; i < TRIES && !probe->stuck; i++) {
    *value = wanted;
    if (perform_once(probe, actor, call, key, value))
      return true;
  }
  fail_because(probe, actor, "a transaction of one ", call, "never commits");
  return false;
}

bool probe_read(struct probe *probe, uint32_t actor, uint64_t key,
                uint64_t *value) {
  *value = 0;
  return perform_patiently(probe, actor, CALL_GET, key, value);
}

bool probe_write(struct probe *probe, uint32_t actor, uint64_t key,
                 uint64_t value) {
  return perform_patiently(probe, actor, CALL_PUT, key, &value);
}

bool probe_both(struct probe *probe, const struct driver_level *level) {
  enum probe_answer answer;
  probe_tell(&probe->actors[0], CALL_BEGIN, level, 0, 0);
  if (!probe_end_call(probe, 0, &answer))
    return false;
  probe_tell(&probe->actors[1], CALL_BEGIN, level, 0, 0);
  if (answer == ANSWER_OK &&
      probe_await(&probe->actors[1], PROBE_WAITS) == ANSWER_OK)
    return true;
  probe_skip(probe, "transactions take turns, no two are open at once");
  probe_tell(&probe->actors[0], CALL_ROLLBACK, NULL, 0, 0);
  if (probe_end_call(probe, 0, &answer))
    probe_end_call(probe, 1, &answer);
  return false;
}

// The calls that waited for other sessions end when these have rolled back.
void probe_clear(struct probe *probe) {
  struct error error;
  enum probe_answer answer;
  for (uint32_t round = 0; round < 2; round++)
    for (uint32_t i = 0; i < probe->nactors && !probe->stuck; i++) {
      struct probe_actor *a = &probe->actors[i];
      if (probe_await(a, 0) == ANSWER_WAITS &&
          (round == 0 || !probe_end_call(probe, i, &answer)))
        continue;
      if (a->open && a->connection) {
        probe_tell(a, CALL_ROLLBACK, NULL, 0, 0);
        probe_end_call(probe, i, &answer);
      }
      if (!probe->stuck && (!a->connection || a->connection->broken) &&
          probe_actor_renew(a, &error)) {
        probe_fail(probe, "a session cannot be opened again: %s", error.text);
        probe->stuck = true;
      }
    }
}

int probe_open_sessions(struct probe *probe, struct error *error) {
  while (probe->nactors < probe->nsessions) {
    if (probe_actor_start(&probe->actors[probe->nactors], probe->target,
                          probe->nactors, error))
      return -1;
    probe->nactors++;
  }
  return 0;
}

void probe_close_sessions(struct probe *probe) {
  while (probe->nactors)
    probe_actor_end(&probe->actors[--probe->nactors]);
}
