// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions in threads (drivers/probe/actor.h).
#include "config.h"

#include "drivers/probe/actor.h"

#include "base/clock.h"

#include <assert.h>
#include <signal.h>
#include <string.h>

static enum outcome perform_call(struct probe_actor *actor) {
  const struct driver *driver = actor->target->driver;
  struct connection *c = actor->connection;
  enum outcome outcome = OUTCOME_OK;
  if (!c)
    return OUTCOME_ABORTED;
  switch (actor->call) {
  case CALL_BEGIN:
    outcome = driver->begin(c, actor->level);
    actor->open = true; // whatever the answer: it is rolled back
    break;
  case CALL_GET:
    outcome = driver->get(c, actor->key, &actor->value);
    break;
  case CALL_PUT:
    outcome = driver->put(c, actor->key, actor->value);
    break;
  case CALL_LIST:
    actor->list.count = 0;
    outcome = driver->get_list(c, actor->key, &actor->list);
    break;
  case CALL_APPEND:
    outcome = driver->append(c, actor->key, actor->value);
    break;
  case CALL_CAS:
    outcome = driver->cas(c, actor->key, actor->expected, actor->value,
                          &actor->expected);
    break;
  case CALL_COMMIT:
    outcome = driver->commit(c);
    actor->open = false;
    break;
  case CALL_ROLLBACK:
    if (!c->broken)
      outcome = driver->rollback(c);
    actor->open = false;
    break;
  case CALL_JOB:
    actor->job(c, actor->context);
    break;
  }
  return outcome;
}

static void *act(void *context) {
  struct probe_actor *actor = context;
  pthread_mutex_lock(&actor->mutex);
  while (!actor->quits) {
    if (actor->busy) {
      pthread_mutex_unlock(&actor->mutex);
      const enum outcome outcome = perform_call(actor);
      pthread_mutex_lock(&actor->mutex);
      actor->outcome = outcome;
      actor->busy = false;
      pthread_cond_broadcast(&actor->changed);
    } else {
      pthread_cond_wait(&actor->changed, &actor->mutex);
    }
  }
  pthread_mutex_unlock(&actor->mutex);
  return NULL;
}

int probe_actor_start(struct probe_actor *actor, struct target *target,
                      uint32_t session, struct error *error) {
  sigset_t all, old;
  *actor = (struct probe_actor){.target = target, .session = session};
  if (target->driver->connect(target, session, &actor->connection, error))
    return -1;
  pthread_mutex_init(&actor->mutex, NULL);
  clock_condition_init(&actor->changed);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  const int failure = pthread_create(&actor->thread, NULL, act, actor);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (!failure)
    return 0;
  target->driver->disconnect(actor->connection);
  actor->connection = NULL;
  return error_set(error, "a thread could not be started: %s",
                   strerror(failure));
}

void probe_actor_end(struct probe_actor *actor) {
  pthread_mutex_lock(&actor->mutex);
  while (actor->busy)
    pthread_cond_wait(&actor->changed, &actor->mutex);
  actor->quits = true;
  pthread_cond_broadcast(&actor->changed);
  pthread_mutex_unlock(&actor->mutex);
  pthread_join(actor->thread, NULL);
  if (actor->connection)
    actor->target->driver->disconnect(actor->connection);
  actor->connection = NULL;
  value_list_free(&actor->list);
  pthread_cond_destroy(&actor->changed);
  pthread_mutex_destroy(&actor->mutex);
}

int probe_actor_renew(struct probe_actor *actor, struct error *error) {
  const struct driver *driver = actor->target->driver;
  assert(!actor->busy);
  if (actor->connection)
    driver->disconnect(actor->connection);
  actor->connection = NULL;
  actor->open = false;
  return driver->connect(actor->target, actor->session, &actor->connection,
                         error);
}

static void start_call(struct probe_actor *actor, enum probe_call call) {
  pthread_mutex_lock(&actor->mutex);
  actor->call = call;
  actor->busy = true;
  pthread_cond_broadcast(&actor->changed);
  pthread_mutex_unlock(&actor->mutex);
}

void probe_tell(struct probe_actor *actor, enum probe_call call,
                const struct driver_level *level, uint64_t key,
                uint64_t value) {
  assert(!actor->busy);
  actor->level = level;
  actor->key = key;
  actor->value = value;
  start_call(actor, call);
}

void probe_tell_job(struct probe_actor *actor, probe_job *job, void *context) {
  assert(!actor->busy);
  actor->job = job;
  actor->context = context;
  start_call(actor, CALL_JOB);
}

enum probe_answer probe_await(struct probe_actor *actor, uint64_t patience) {
  const uint64_t until = clock_now() + patience;
  const struct timespec t = clock_timespec(until);
  pthread_mutex_lock(&actor->mutex);
  while (actor->busy && clock_now() < until)
    pthread_cond_timedwait(&actor->changed, &actor->mutex, &t);
  const enum probe_answer answer = actor->busy ? ANSWER_WAITS
                                   : actor->outcome == OUTCOME_OK
                                       ? ANSWER_OK
                                       : ANSWER_FAILED;
  pthread_mutex_unlock(&actor->mutex);
  return answer;
}
