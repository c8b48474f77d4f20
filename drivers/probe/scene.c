// SPDX-License-Identifier: GPL-3.0-or-later
// The calls that checks are made of (drivers/probe/scene.h).
#include "config.h"

#include "drivers/probe/scene.h"

#include <stdarg.h>
#include <stdio.h>

enum { TRIES = 20 };

// How often somebody who waits looks whether it was stopped.
#define A_WHILE (NS_PER_SECOND / 10)

static const char *const call_names[] = {
    [CALL_BEGIN] = "begin",
    [CALL_GET] = "get",
    [CALL_PUT] = "put",
    [CALL_LIST] = "list",
    [CALL_APPEND] = "append",
    [CALL_CAS] = "cas",
    [CALL_COMMIT] = "commit",
    [CALL_ROLLBACK] = "rollback",
    [CALL_JOB] = "begin, get, put or commit",
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
  const uint64_t until = clock_now() + PROBE_PATIENCE;
  do
    *answer = probe_await(&probe->actors[actor], A_WHILE);
  while (*answer == ANSWER_WAITS && !probe_is_stopped(probe) &&
         clock_now() < until);
  if (probe_is_stopped(probe))
    return false;
  if (*answer != ANSWER_WAITS)
    return true;
  probe->stuck = true;
  probe_fail(probe, "`%s` is not answered, though it waits for nobody",
             call_names[probe->actors[actor].call]);
  return false;
}

// Why the last call of a session failed.
static void take_reason(const struct probe *probe, uint32_t actor,
                        struct error *why) {
  const struct connection *c = probe->actors[actor].connection;
  error_set(why, "%s%s%s", c ? c->code : "",
            c && *c->code && *c->text ? ": " : "",
            !c                     ? "no connection"
            : *c->code || *c->text ? c->text
                                   : "the driver says nothing of the cause");
}

bool probe_must(struct probe *probe, uint32_t actor, enum probe_call call,
                uint64_t key, uint64_t value) {
  enum probe_answer answer;
  probe_tell(&probe->actors[actor], call, probe->level, key, value);
  if (!probe_end_call(probe, actor, &answer))
    return false;
  if (answer == ANSWER_OK)
    return true;
  struct error why;
  take_reason(probe, actor, &why);
  probe_fail(probe, "`%s` fails, though nothing conflicts: %s",
             call_names[call], why.text);
  return false;
}

// A transaction of one call that nothing but a conflict can refuse.
struct probe_attempt {
  enum probe_call call, refused; // the one that was refused
  uint64_t key, value;
  struct error why;
};

// False if it was refused.  What the driver said is taken before the rollback.
static bool attempt_once(struct probe *probe, uint32_t actor,
                         struct probe_attempt *attempt) {
  const enum probe_call calls[] = {CALL_BEGIN, attempt->call, CALL_COMMIT};
  struct probe_actor *a = &probe->actors[actor];
  enum probe_answer answer;
  for (int i = 0; i < 3; i++) {
    probe_tell(a, calls[i], probe->level, attempt->key, attempt->value);
    if (!probe_end_call(probe, actor, &answer))
      return false;
    if (answer != ANSWER_OK) {
      attempt->refused = calls[i];
      take_reason(probe, actor, &attempt->why);
      probe_clear(probe);
      return false;
    }
    if (calls[i] == CALL_GET)
      attempt->value = a->value;
  }
  return true;
}

static bool attempt_patiently(struct probe *probe, uint32_t actor,
                              struct probe_attempt *attempt) {
  for (int i = 0; i < TRIES && !probe->stuck && !probe_is_stopped(probe); i++)
    if (attempt_once(probe, actor, attempt))
      return true;
  if (!probe_is_stopped(probe))
    probe_fail(probe,
               "a transaction of one `%s` never commits: its `%s` fails: %s",
               call_names[attempt->call], call_names[attempt->refused],
               attempt->why.text);
  return false;
}

bool probe_read(struct probe *probe, uint32_t actor, uint64_t key,
                uint64_t *value) {
  struct probe_attempt attempt = {.call = CALL_GET, .key = key};
  const bool read = attempt_patiently(probe, actor, &attempt);
  *value = attempt.value;
  return read;
}

bool probe_write(struct probe *probe, uint32_t actor, uint64_t key,
                 uint64_t value) {
  struct probe_attempt attempt = {.call = CALL_PUT, .key = key, .value = value};
  return attempt_patiently(probe, actor, &attempt);
}

bool probe_read_list(struct probe *probe, uint32_t actor, uint64_t key) {
  struct probe_attempt attempt = {.call = CALL_LIST, .key = key};
  return attempt_patiently(probe, actor, &attempt);
}

bool probe_append(struct probe *probe, uint32_t actor, uint64_t key,
                  uint64_t value) {
  struct probe_attempt attempt = {
      .call = CALL_APPEND, .key = key, .value = value};
  return attempt_patiently(probe, actor, &attempt);
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
    for (uint32_t i = 0;
         i < probe->nactors && !probe->stuck && !probe_is_stopped(probe); i++) {
      struct probe_actor *a = &probe->actors[i];
      if (probe_await(a, 0) == ANSWER_WAITS &&
          (round == 0 || !probe_end_call(probe, i, &answer)))
        continue;
      if (a->open && a->connection) {
        probe_tell(a, CALL_ROLLBACK, NULL, 0, 0);
        probe_end_call(probe, i, &answer);
      }
      if (!probe->stuck && !probe_is_stopped(probe) &&
          (!a->connection || a->connection->broken) &&
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

bool probe_close_sessions(struct probe *probe) {
  const uint64_t until = clock_now() + NS_PER_SECOND;
  for (uint32_t i = 0; i < probe->nactors && probe_is_stopped(probe); i++) {
    const uint64_t now = clock_now();
    if (probe_await(&probe->actors[i], now < until ? until - now : 0) ==
        ANSWER_WAITS)
      return false;
  }
  while (probe->nactors)
    probe_actor_end(&probe->actors[--probe->nactors]);
  return true;
}

const struct driver_level *probe_lightest_level(const struct probe *probe) {
  const struct driver_level *lightest = probe->level;
  for (const struct driver_level *l = probe->driver->levels; l->name; l++)
    if (probe_claim(probe, l) >= ISOLATION_CC &&
        probe_claim(probe, l) < probe_claim(probe, lightest))
      lightest = l;
  return lightest;
}

bool probe_at_once(struct probe *probe, probe_job *job, void *contexts,
                   size_t bytes) {
  enum probe_answer answer;
  bool ended = true;
  for (uint32_t i = 0; i < probe->nactors; i++)
    probe_tell_job(&probe->actors[i], job, (char *)contexts + i * bytes);
  for (uint32_t i = 0; i < probe->nactors; i++)
    ended &= probe_end_call(probe, i, &answer);
  return ended;
}
