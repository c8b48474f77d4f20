// SPDX-License-Identifier: GPL-3.0-or-later
// The exploration (explore/explore.h): from transaction to transaction to whole
// histories.
#include "config.h"

#include "base/random.h"
#include "explore/explorer.h"

#include <stdlib.h>

enum {
  STEPS_BETWEEN = 64, // transactions between two looks whether somebody waits
  CUT_STEP = 3
};

void explore_levels(const struct program *program, enum level level,
                    uint8_t levels[PROGRAM_MAX_TXNS + 1]) {
  levels[0] = LEVEL_CC;
  for (uint32_t t = 1; t <= program->ntxns; t++)
    levels[t] =
        program->txns[t].has_level ? program->txns[t].level : (uint8_t)level;
}

bool explore_is_stopped(const struct explore_options *o) {
  return o->stop && __atomic_load_n(o->stop, __ATOMIC_RELAXED);
}

// Does the history keep the base that its level implies?  Its blocks extend so
// and wr, so that its reads can be added one by one.
static bool keeps_implied_base(struct explorer *e) {
  const struct partial *p = now(e);
  partial_cut(&e->strict, 0);
  for (uint32_t i = 0; i < p->nblocks; i++)
    if (!partial_take(&e->strict, p, i))
      return false;
  return true;
}

static enum move leaf(struct explorer *e) {
  const struct explore_options *o = e->options;
  if (o->cut && !o->counts_above) {
    tasks_add(o->cut, e->path, e->depth, CHOICE_NONE);
    return MOVE_BACK;
  }
  e->result->leaves++;
  if (o->has_base && !keeps_implied_base(e))
    return MOVE_BACK;
  const struct partial *p = o->has_base ? &e->strict : now(e);
  if (e->filters && !schedule_find(p, e->levels, NULL))
    return MOVE_BACK;
  e->result->histories++;
  if (!o->leaf || o->leaf(o->context, now(e)))
    return MOVE_BACK;
  e->result->stopped = true;
  if (e->share) {
    share_stop(e->share);
    frames_give_all(e, false);
  }
  return MOVE_END;
}

// Looks up from the work, whether it goes on.
static bool goes_on(struct explorer *e) {
  const struct explore_options *o = e->options;
  if (!e->share)
    return true;
  if (explore_is_stopped(o) || share_is_over(e->share)) {
    e->result->stopped = true;
    share_stop(e->share);
    frames_give_all(e, true);
    return false;
  }
  if (!(++e->steps % STEPS_BETWEEN) && share_is_hungry(e->share))
    frames_give_one(e);
  return true;
}

static enum move next_transaction(struct explorer *e) {
  const struct partial *p = now(e);
  if (!goes_on(e))
    return MOVE_END;
  for (uint32_t i = 1; i <= e->program->ntxns; i++) {
    const uint32_t t = e->oracle[i];
    if (p->complete & bit(t))
      continue;
    if (e->options->algorithm == ALGORITHM_DFS)
      return branch_start(e);
    partial_begin(now(e), t);
    partial_start_machine(now(e), &e->machine);
    return MOVE_RUN;
  }
  return leaf(e);
}

static enum move complete_history(struct explorer *e, bool rolled_back) {
  struct partial *p = now(e);
  partial_complete(p, &e->machine, rolled_back);
  const struct program_block *b = &p->blocks[p->nblocks - 1];
  return b->first_write == b->end_write ||
                 e->options->algorithm == ALGORITHM_DFS
             ? MOVE_NEXT
             : branch_commit(e);
}

static enum move run_exploration(struct explorer *e) {
  switch (machine_run(&e->machine)) {
  case MACHINE_READS:
    return branch_read(e);
  case MACHINE_COMMITS:
    return complete_history(e, false);
  case MACHINE_ROLLS_BACK:
    return complete_history(e, true);
  default:
    break;
  }
  const struct program_txn *txn = &e->program->txns[pending_block(now(e))->t];
  error_set_usage(e->error,
                  "%s:%u: %s performs more than %u operations, or loops on; "
                  "--max-ops allows more operations",
                  e->program->path, txn->line, txn->name, e->program->max_ops);
  return MOVE_END;
}

void explorer_init(struct explorer *e, const struct program *program,
                   const struct explore_options *o,
                   struct explore_result *result, struct error *error) {
  *e = (struct explorer){
      .program = program, .options = o, .result = result, .error = error};
  *result = (struct explore_result){0};
  error->text[0] = '\0';
  pool_copy(&e->pool, &program->pool);
  explore_levels(program, o->level, e->levels);
  for (uint32_t t = 0; t <= program->ntxns; t++) {
    e->bases[t] =
        (uint8_t)(o->has_base && t ? o->base : level_base(e->levels[t]));
    e->implied[t] = (uint8_t)level_base(e->levels[t]);
    e->oracle[t] = o->oracle ? o->oracle[t] : (uint8_t)t;
  }
  e->filters = schedule_is_needed(program, e->levels);
  partial_init(&e->scratch, program, &e->pool, e->bases);
  partial_init(&e->strict, program, &e->pool, e->implied);
  ARRAY_RESERVE(e->histories, e->nhistories, e->histories_room);
  e->histories[0] = xcalloc(1, sizeof **e->histories);
  partial_init(e->histories[0], program, &e->pool, e->bases);
  e->nhistories = 1;
}

void explorer_free(struct explorer *e) {
  for (uint32_t i = 0; i < e->nhistories; i++) {
    partial_free(e->histories[i]);
    free(e->histories[i]);
  }
  free(e->histories);
  partial_free(&e->scratch);
  partial_free(&e->strict);
  free(e->frames);
  free(e->saved);
  free(e->path);
  pool_free(&e->pool);
}

void explorer_run(struct explorer *e, const struct explore_task *task) {
  e->task = *task;
  e->level = e->depth = e->nframes = 0;
  e->nsaved = 0;
  partial_cut(e->histories[0], 0);
  enum move move = MOVE_NEXT;
  while (move != MOVE_END)
    move = move == MOVE_RUN    ? run_exploration(e)
           : move == MOVE_NEXT ? next_transaction(e)
                               : branch_back(e);
}

// Histories at random, which may come again.
static void walk_at_random(struct explorer *e) {
  const struct explore_options *o = e->options;
  const struct explore_task root = {0};
  e->random = random_stream(o->seed, 0, RANDOM_TEST);
  for (uint64_t i = 0; i < o->walks && !e->result->stopped; i++) {
    explorer_run(e, &root);
    e->result->stopped |= explore_is_stopped(o) || e->error->text[0];
  }
  gsl_rng_free(e->random);
}

static void explore_all(struct explorer *e) {
  struct explore_share own;
  struct explore_task task;
  struct tasks tasks = {0};
  e->share = e->options->share ? e->options->share : &own;
  tasks_add(&tasks, NULL, 0, CHOICE_NONE);
  share_init(&own, &tasks, 1);
  while (share_take(e->share, &task)) {
    explorer_run(e, &task);
    free(task.choices);
    if (e->error->text[0])
      share_stop(e->share);
  }
  share_end(&own, &tasks);
  tasks_free(&tasks);
}

int explore(const struct program *program,
            const struct explore_options *options,
            struct explore_result *result, struct error *error) {
  struct explorer e;
  explorer_init(&e, program, options, result, error);
  if (options->walks)
    walk_at_random(&e);
  else
    explore_all(&e);
  explorer_free(&e);
  return error->text[0] ? -1 : 0;
}

int explore_cut(const struct program *program,
                const struct explore_options *options, uint32_t wanted,
                struct tasks *tasks, struct error *error) {
  struct explore_options o = *options;
  struct explore_result result;
  o.leaf = NULL;
  o.stop = NULL;
  o.share = NULL;
  o.cut = tasks;
  *tasks = (struct tasks){0};
  do {
    tasks_free(tasks);
    o.cut_depth += CUT_STEP;
    if (explore(program, &o, &result, error)) {
      tasks_free(tasks);
      return -1;
    }
  } while (result.cut && tasks->n < wanted);
  return 0;
}
