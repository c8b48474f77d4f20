// SPDX-License-Identifier: GPL-3.0-or-later
// Performs step scripts (steps/perform.h).  The director hands steps to the
// sessions in the script's order and waits for each until it is answered or has
// blocked.  Steps of a session that is blocked are taken as soon as it resumes,
// as a person at two terminals would have typed them ahead.
#include "config.h"

#include "steps/perform.h"

#include "base/clock.h"
#include "drivers/drivers.h"
#include "drivers/endpoints.h"
#include "steps/actor.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// A step that is not expected to block is only slow if it seems to, unless it
// takes so many times as long: who waits for nothing loses nothing.  Nor is any
// step of a database that says who waits, and does not name this one.
enum { PATIENCE = 20 };

// MariaDB's answer stays the same for as long as it is asked more often.
#define ASK_AGAIN (NS_PER_SECOND * 3 / 20)

struct stage {
  const struct script *script;
  struct stage_options options;
  struct endpoints endpoints; // session i speaks to host i, modulo their number
  const struct driver_level *level;
  struct tables tables;              // of the script
  struct instrumented *instrumented; // of a script in SQL; or NULL
  struct actor *actors;              // by session
  uint32_t nactors;                  // that are connected
  bool stuck;                        // some thread never came back
  bool asks;                         // the database can say who waits
  // To ask it, one for each host; NULL: not needed so far.
  struct connection *watchers[ENDPOINTS_MOST];
};

// A performance: what the director and the sessions' threads share.
struct step_performance {
  pthread_mutex_t lock;
  pthread_cond_t moved;
  struct stage *stage;
  struct step_result *results;
  struct part *parts;
  bool over; // nothing more will be handed out
};

// A session's part in it; guarded by the lock but for `actor`.
struct part {
  struct step_performance *performance;
  struct actor *actor;
  pthread_t thread;
  uint32_t *steps; // handed to it
  uint32_t nsteps, ndone;
  bool roll_back; // at the end: whatever is open
};

static bool is_busy(const struct part *part) {
  return part->ndone < part->nsteps;
}

// ---- The sessions' side

static bool next_step(struct part *part, uint32_t *step) {
  struct step_performance *p = part->performance;
  pthread_mutex_lock(&p->lock);
  while (!is_busy(part) && !part->roll_back && !p->over)
    pthread_cond_wait(&p->moved, &p->lock);
  const bool there = is_busy(part);
  if (there)
    *step = part->steps[part->ndone];
  pthread_mutex_unlock(&p->lock);
  return there;
}

static void *play_part(void *argument) {
  struct part *part = argument;
  struct step_performance *p = part->performance;
  uint32_t step;
  while (next_step(part, &step)) {
    actor_take_step(part->actor, step, p->results);
    pthread_mutex_lock(&p->lock);
    part->ndone++;
    pthread_cond_broadcast(&p->moved);
    pthread_mutex_unlock(&p->lock);
  }
  actor_roll_back(part->actor);
  return NULL;
}

// ---- The director's side.  All of it holds the lock.

static struct timespec instant(uint64_t ns) {
  return (struct timespec){(time_t)(ns / NS_PER_SECOND),
                           (long)(ns % NS_PER_SECOND)};
}

// Waits until `part` has nothing left to do, or all if it is NULL, but not
// longer than `ns`; says whether it was so.
static bool wait_for(struct step_performance *p, const struct part *part,
                     uint64_t ns) {
  const struct timespec until = instant(clock_now() + ns);
  for (;;) {
    bool busy = part && is_busy(part);
    for (uint32_t i = 0; !part && i < p->stage->nactors; i++)
      busy |= is_busy(&p->parts[i]);
    if (!busy)
      return true;
    if (pthread_cond_timedwait(&p->moved, &p->lock, &until))
      return false;
  }
}

// The connection to ask at a host; NULL if there is none to be had.
static struct connection *watcher_at(struct stage *stage, uint32_t host) {
  struct connection **watcher = &stage->watchers[host];
  struct error error;
  struct target *target = stage->endpoints.targets[host];
  if (!*watcher && target->driver->connect(target, stage->script->nsessions,
                                           watcher, &error))
    *watcher = NULL;
  return *watcher;
}

// Does the step that this session takes wait?  1, 0, or -1: nobody can say.
static int ask_for(struct step_performance *p, const struct part *part) {
  struct stage *stage = p->stage;
  const struct actor *actor = part->actor;
  const struct step *step = &stage->script->steps[part->steps[part->ndone]];
  if (step_is_upkeep(step->kind))
    return 0;
  struct connection *watcher =
      stage->asks && actor->connection ? watcher_at(stage, actor->host) : NULL;
  return watcher && !watcher->broken
             ? watcher->target->driver->waits(watcher, actor->connection)
             : -1;
}

// Asks `part`, or all that are busy if it is NULL.
static int ask_actor(struct step_performance *p, const struct part *part) {
  int waits = 1;
  for (uint32_t i = 0; i < p->stage->nactors && waits >= 0; i++) {
    const struct part *other = &p->parts[i];
    if ((part && part != other) || !is_busy(other))
      continue;
    const int word = ask_for(p, other);
    waits = word < waits ? word : waits;
  }
  return waits;
}

// Waits until `part`, or all if it is NULL, has nothing left to do, or waits
// for somebody; says whether it is done.  Where the database cannot say who
// waits, who takes longer than `patience` does; *by_time: that was so.
static bool settle_step(struct step_performance *p, const struct part *part,
                        uint64_t patience, bool *by_time) {
  const uint64_t start = clock_now();
  const uint64_t pause = p->stage->options.blocked_after;
  *by_time = false;
  for (uint64_t next = pause; !wait_for(p, part, next);) {
    const int waits = ask_actor(p, part);
    const uint64_t longest = waits < 0 ? patience : PATIENCE * pause;
    *by_time = waits <= 0;
    if (waits > 0 || clock_now() - start >= longest)
      return false;
    next = pause > ASK_AGAIN ? pause : ASK_AGAIN;
  }
  return true;
}

static bool others_are_busy(const struct step_performance *p,
                            const struct part *part) {
  for (uint32_t i = 0; i < p->stage->nactors; i++)
    if (&p->parts[i] != part && is_busy(&p->parts[i]))
      return true;
  return false;
}

// May this step have set others free?
static bool ended_transaction(const struct step_result *result,
                              const struct step *step) {
  return result->outcome != OUTCOME_OK || step->kind == STEP_COMMIT ||
         step->kind == STEP_ROLLBACK;
}

static bool may_block(const struct step *step) {
  bool may = !step->nexpectations;
  for (uint32_t e = 0; e < step->nexpectations; e++)
    may |= step->expectations[e].kind == EXPECTED_BLOCKS;
  return may;
}

static uint64_t patience_with(const struct step_performance *p,
                              const struct step *step) {
  if (step_is_upkeep(step->kind))
    return STUCK_AFTER;
  return p->stage->options.blocked_after * (may_block(step) ? 1 : PATIENCE);
}

static void hand_out(struct step_performance *p, uint32_t i) {
  const struct step *step = &p->stage->script->steps[i];
  const uint64_t patience = patience_with(p, step);
  struct part *part = &p->parts[step->session];
  bool by_time;
  if (step->kind == STEP_RESUMES) {
    settle_step(p, part, patience, &by_time);
    return;
  }
  const bool waits = is_busy(part);
  part->steps[part->nsteps++] = i;
  pthread_cond_broadcast(&p->moved);
  if (waits)
    return;
  if (step_is_upkeep(step->kind))
    p->results[i].blocked = !wait_for(p, part, patience);
  else if (!settle_step(p, part, patience, &by_time)) {
    p->results[i].blocked = true;
    p->results[i].by_time = by_time;
  } else if (ended_transaction(&p->results[i], step) &&
             others_are_busy(p, part))
    settle_step(p, NULL, p->stage->options.blocked_after, &by_time);
}

// Frees the steps that still block: they wait for sessions that have no step
// left.
static int free_blocked(struct step_performance *p, struct error *error) {
  const struct script *script = p->stage->script;
  bool by_time;
  if (settle_step(p, NULL, p->stage->options.blocked_after, &by_time))
    return 0;
  for (uint32_t s = 0; s < script->nsessions; s++) {
    struct part *part = &p->parts[s];
    if (is_busy(part))
      p->results[part->steps[part->ndone]].freed = true;
    else
      part->roll_back = true;
  }
  pthread_cond_broadcast(&p->moved);
  if (wait_for(p, NULL, STUCK_AFTER))
    return 0;
  for (uint32_t s = 0; s < script->nsessions; s++)
    for (uint32_t i = p->parts[s].ndone; i < p->parts[s].nsteps; i++)
      p->results[p->parts[s].steps[i]].state = STEP_STUCK;
  p->stage->stuck = true;
  return error_set(error,
                   "%s: a step still waits %d s after all other sessions were "
                   "rolled back; give the database a lock time-out",
                   script->path, (int)(STUCK_AFTER / NS_PER_SECOND));
}

static bool has_failed(const struct step_performance *p, uint32_t i) {
  return step_is_upkeep(p->stage->script->steps[i].kind) &&
         p->results[i].outcome != OUTCOME_OK;
}

static int hand_out_all(struct step_performance *p, struct error *error) {
  const struct script *script = p->stage->script;
  uint32_t i = 0;
  while (i < script->nsteps) {
    hand_out(p, i);
    if (has_failed(p, i++))
      return error_set(error, "%s:%u: %s", script->path,
                       script->steps[i - 1].line, p->results[i - 1].text);
  }
  return 0;
}

static int direct(struct step_performance *p, struct error *error) {
  pthread_mutex_lock(&p->lock);
  int failed = hand_out_all(p, error);
  failed |= free_blocked(p, error);
  p->over = true;
  pthread_cond_broadcast(&p->moved);
  pthread_mutex_unlock(&p->lock);
  return failed;
}

static void start_parts(struct step_performance *p) {
  const struct stage *stage = p->stage;
  clock_condition_init(&p->moved);
  pthread_mutex_init(&p->lock, NULL);
  p->parts = xcalloc(stage->nactors, sizeof *p->parts);
  for (uint32_t s = 0; s < stage->nactors; s++) {
    p->parts[s].performance = p;
    p->parts[s].actor = &stage->actors[s];
    p->parts[s].steps =
        xcalloc(stage->script->nsteps, sizeof *p->parts[s].steps);
  }
  for (uint32_t s = 0; s < stage->nactors; s++)
    if (pthread_create(&p->parts[s].thread, NULL, play_part, &p->parts[s]))
      out_of_memory(1);
}

// Keeps everything if a part never came back: its thread may still read it.
static void end_parts(struct step_performance *p) {
  if (p->stage->stuck)
    return;
  for (uint32_t s = 0; s < p->stage->nactors; s++) {
    pthread_join(p->parts[s].thread, NULL);
    free(p->parts[s].steps);
  }
  pthread_mutex_destroy(&p->lock);
  pthread_cond_destroy(&p->moved);
  free(p->parts);
  free(p);
}

// ---- The stage

// STEP_RESUMES is no step of a session: it shows what the resumed one did.
static void copy_resumed(const struct script *script,
                         struct step_result *results) {
  for (uint32_t i = 0; i < script->nsteps; i++) {
    const struct step *step = &script->steps[i];
    if (step->kind != STEP_RESUMES)
      continue;
    results[i] = results[step->resumed];
    results[i].rows = results[i].rows ? xstrdup(results[i].rows) : NULL;
    results[i].touched = (struct row_list){0};
    results[i].list = (struct value_list){0};
    for (uint32_t j = 0; j < results[step->resumed].list.count; j++)
      value_list_push(&results[i].list, results[step->resumed].list.values[j]);
  }
}

// A store that is gone, or answers that mean nothing, show nothing.
static int refuse_ruins(const struct stage *stage, struct error *error) {
  struct target *target = stage->endpoints.targets[0];
  return target->driver->over && target->driver->over(target, error) != OVER_NOT
             ? -1
             : 0;
}

int stage_perform(struct stage *stage, uint32_t repetition,
                  struct step_result *results, struct error *error) {
  assert(repetition < stage->options.repetitions && !stage->stuck);
  const struct script *script = stage->script;
  memset(results, 0, script->nsteps * sizeof *results);
  for (uint32_t s = 0; s < stage->nactors; s++)
    if (actor_enter(&stage->actors[s], repetition, error))
      return -1;
  for (uint32_t i = 0; i < script->nsetup; i++) {
    char unused[ROWS_MAX] = "";
    if (actor_execute(&stage->actors[0], script->setup[i], unused, error))
      return error_prefix(error, "%s: setup", script->path);
  }
  struct step_performance *p = xcalloc(1, sizeof *p);
  p->stage = stage;
  p->results = results;
  start_parts(p);
  const int failed = direct(p, error);
  end_parts(p);
  copy_resumed(script, results);
  return failed ? failed : refuse_ruins(stage, error);
}

// A node that is paused would not answer.
static bool acts_on_nodes(const struct script *script) {
  bool acts = false;
  for (uint32_t i = 0; i < script->nsteps; i++)
    acts |= script->steps[i].kind == STEP_NODE;
  return acts;
}

static int set_up(struct stage *stage, const struct keyspace *keys,
                  struct error *error) {
  struct target *target = stage->endpoints.targets[0];
  const struct driver *driver = target->driver;
  if (stage->script->schema)
    return instrumented_open(stage->script, target, &stage->instrumented,
                             error);
  if (!keys->tables)
    return driver->setup(target, keys, error);
  if (!driver->setup_tables)
    return error_set_usage(error,
                           "%s: the %s driver cannot execute statements on "
                           "tables of rows",
                           stage->script->path, driver->name);
  return driver->setup_tables(target, keys, error);
}

static int prepare_actors(struct stage *stage, struct error *error) {
  const struct script *script = stage->script;
  stage->tables = (struct tables){.table = script->tables,
                                  .templates = script->templates,
                                  .ntables = script->ntables,
                                  .ntemplates = script->ntemplates};
  const struct keyspace keys = {
      .nkeys = (uint64_t)(script->nkeys ? script->nkeys : 1) *
               stage->options.repetitions,
      .lists = script->lists,
      .preload = !stage->options.empty,
      .run = clock_wall(),
      .tables = script->ntables ? &stage->tables : NULL,
  };
  struct target *const *targets = stage->endpoints.targets;
  const struct driver *driver = targets[0]->driver;
  stage->level = driver_level(driver, stage->options.level, error);
  stage->asks = driver->waits && !acts_on_nodes(script);
  if (!stage->level || set_up(stage, &keys, error) ||
      (!script->schema &&
       endpoints_await(&stage->endpoints, &keys, false, error)))
    return -1;
  for (; stage->nactors < script->nsessions; stage->nactors++)
    if (actor_open(&stage->actors[stage->nactors], script, stage->nactors,
                   &stage->endpoints, &stage->options, stage->level, error))
      return -1;
  for (uint32_t i = 0; i < stage->nactors; i++)
    stage->actors[i].instrumented = stage->instrumented;
  // Where a session holds a lock, nobody may be able to connect any more.
  for (uint32_t i = 0; stage->asks && i < stage->nactors; i++)
    watcher_at(stage, stage->actors[i].host);
  return 0;
}

int stage_open(const struct script *script, const struct stage_options *options,
               struct stage **opened, struct error *error) {
  struct stage *stage = xcalloc(1, sizeof *stage);
  stage->script = script;
  stage->options = *options;
  stage->actors = xcalloc(script->nsessions, sizeof *stage->actors);
  if (endpoints_open(options->target, options->loaded, options->extra,
                     script->nsessions + 1, options->seed, &stage->endpoints,
                     error) ||
      prepare_actors(stage, error)) {
    stage_close(stage);
    return -1;
  }
  *opened = stage;
  return 0;
}

void stage_close(struct stage *stage) {
  if (stage->stuck)
    return; // a thread still uses it all
  for (uint32_t s = 0; s < stage->nactors; s++)
    actor_close(&stage->actors[s]);
  for (uint32_t i = 0; i < ENDPOINTS_MOST; i++)
    if (stage->watchers[i])
      stage_driver(stage)->disconnect(stage->watchers[i]);
  instrumented_close(stage->instrumented);
  endpoints_close(&stage->endpoints);
  free(stage->actors);
  free(stage);
}

const struct driver *stage_driver(const struct stage *stage) {
  return stage->endpoints.targets[0]->driver;
}

const struct driver_level *stage_level(const struct stage *stage) {
  return stage->level;
}

enum isolation stage_claim(const struct stage *stage) {
  return endpoints_claim(&stage->endpoints, stage->level);
}

int stage_history(struct stage *stage, struct history *history,
                  struct error *error) {
  return instrumented_history(stage->instrumented, stage->endpoints.targets[0],
                              history, error);
}

void stage_describe(const struct stage *stage, char *text, size_t room) {
  text[0] = '\0';
  if (stage_driver(stage)->describe)
    stage_driver(stage)->describe(stage->endpoints.targets[0], text, room);
}

void step_results_free(struct step_result *results, uint32_t nsteps) {
  for (uint32_t i = 0; i < nsteps; i++) {
    value_list_free(&results[i].list);
    free(results[i].rows);
    row_list_free(&results[i].touched);
  }
}
