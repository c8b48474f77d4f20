// SPDX-License-Identifier: GPL-3.0-or-later
// Counts histories (explore/survey.h).
#include "config.h"

#include "explore/survey.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "explore/as_history.h"

#include <stdlib.h>

enum { PART_TASKS = 4096 };

struct surveying {
  const struct survey_options *options;
  struct survey *survey;
  bool all_serial; // every transaction is held to ser
  struct explanations explanations;
  uint8_t levels[PROGRAM_MAX_TXNS + 1];
};

uint32_t failure_line(const struct program *program, struct failure failure) {
  return failure.kind == FAILURE_ASSERTION
             ? program->assertions[failure.at].line
             : failure.at;
}

bool failure_equals(struct failure a, struct failure b) {
  return a.kind == b.kind && a.at == b.at;
}

struct failure history_failure(const struct partial *p) {
  for (uint32_t t = 1; t <= p->program->ntxns; t++) {
    const struct program_block *b = &p->blocks[p->position[t] - 1];
    if (b->failure.kind)
      return b->failure;
  }
  return (struct failure){FAILURE_NONE, 0};
}

void survey_add_failure(struct survey *survey, struct failure failure,
                        uint32_t line, uint64_t histories) {
  uint32_t i = 0;
  while (i < survey->nfailures &&
         !failure_equals(survey->failures[i].failure, failure))
    i++;
  if (i == SURVEY_FAILURES_MAX)
    return;
  if (i == survey->nfailures)
    survey->failures[survey->nfailures++] =
        (struct survey_failure){failure, line, 0};
  survey->failures[i].histories += histories;
}

// May the table of outcomes grow, if it has to for one more?
static bool survey_has_room(const struct surveying *s) {
  const size_t limit = s->options->memory;
  const size_t growth = outcomes_growth(&s->survey->outcomes);
  return !limit || !growth ||
         (growth < limit && memory_allocated() < limit - growth);
}

static bool count_surveyed(void *context, const struct partial *p) {
  struct surveying *s = context;
  struct survey *survey = s->survey;
  struct failure failure = history_failure(p);
  if (s->options->counted)
    __atomic_fetch_add(s->options->counted, 1, __ATOMIC_RELAXED);
  if (p->nreads + p->nwrites > survey->most_operations)
    survey->most_operations = p->nreads + p->nwrites;
  if (!s->options->assert_only || s->options->explore.robust) {
    struct outcome_key question;
    outcomes_add(&survey->outcomes, outcome_of(p, &question));
    const bool serial =
        s->all_serial || explanations_find(&s->explanations, p, question);
    survey->not_serializable += !serial;
    if (!serial && !failure.kind && s->options->explore.robust)
      failure.kind = FAILURE_NOT_SERIAL;
  }
  if (s->options->verify) {
    struct error error;
    survey->refuted += history_judge(p, s->levels, &error) != 0;
  }
  if (failure.kind) {
    survey->failing++;
    survey_add_failure(survey, failure, failure_line(p->program, failure), 1);
  }
  survey->is_too_large |= !survey_has_room(s);
  const bool enough = s->options->most &&
                      __atomic_load_n(s->options->counted, __ATOMIC_RELAXED) >=
                          s->options->most;
  return !survey->is_too_large && !enough &&
         !(failure.kind && s->options->first);
}

static bool all_are_serial(const struct program *program, enum level level) {
  uint8_t levels[PROGRAM_MAX_TXNS + 1];
  explore_levels(program, level, levels);
  for (uint32_t t = 1; t <= program->ntxns; t++)
    if (levels[t] != LEVEL_SER && t != program->final)
      return false;
  return true;
}

// ---- Workers

struct work {
  const struct program *program;
  const struct survey_options *options;
  struct explore_share share;
  struct surveying *workers;
  int failed;
  struct error *error; // of the first worker that failed
};

static void survey_share(void *context, uint32_t i) {
  struct work *work = context;
  struct surveying *s = &work->workers[i];
  struct explore_options options = work->options->explore;
  struct error error;
  options.leaf = count_surveyed;
  options.context = s;
  options.share = &work->share;
  if (!explore(work->program, &options, &s->survey->result, &error))
    return;
  pthread_mutex_lock(&work->share.lock);
  work->failed = -1;
  *work->error = error;
  pthread_mutex_unlock(&work->share.lock);
}

void survey_free(struct survey *survey) {
  outcomes_free(&survey->outcomes);
  tasks_free(&survey->open);
}

static int by_line(const void *a, const void *b) {
  const struct survey_failure *x = a, *y = b;
  if (x->line != y->line)
    return x->line < y->line ? -1 : 1;
  return (x->failure.kind > y->failure.kind) -
         (x->failure.kind < y->failure.kind);
}

void survey_add(struct survey *a, struct survey *b) {
  a->result.histories += b->result.histories;
  a->result.leaves += b->result.leaves;
  a->result.blocked += b->result.blocked;
  a->not_serializable += b->not_serializable;
  a->failing += b->failing;
  a->refuted += b->refuted;
  a->is_too_large |= b->is_too_large;
  if (b->most_operations > a->most_operations)
    a->most_operations = b->most_operations;
  for (uint32_t i = 0; i < b->nfailures; i++)
    survey_add_failure(a, b->failures[i].failure, b->failures[i].line,
                       b->failures[i].histories);
  for (uint64_t i = 0; i < b->outcomes.nslots; i++)
    if (b->outcomes.slots[i].a)
      outcomes_add(&a->outcomes, b->outcomes.slots[i]);
  qsort(a->failures, a->nfailures, sizeof *a->failures, by_line);
  tasks_move(&a->open, &b->open);
  survey_free(b);
}

static void survey_all(struct work *work, uint32_t nworkers,
                       struct survey *survey) {
  struct survey *surveys = xcalloc(nworkers, sizeof *surveys);
  const enum level level = work->options->explore.level;
  work->workers = xcalloc(nworkers, sizeof *work->workers);
  for (uint32_t i = 0; i < nworkers; i++) {
    struct surveying *s = &work->workers[i];
    *s = (struct surveying){.options = work->options,
                            .survey = &surveys[i],
                            .all_serial = all_are_serial(work->program, level)};
    explore_levels(work->program, level, s->levels);
  }
  parallel_do(nworkers, survey_share, work);
  for (uint32_t i = 0; i < nworkers; i++)
    survey_add(survey, &surveys[i]);
  for (uint32_t i = 0; i < nworkers; i++)
    explanations_free(&work->workers[i].explanations);
  free(work->workers);
  free(surveys);
}

// All of it, or the tasks of a part.
static int first_tasks(const struct program *program,
                       const struct survey_options *options,
                       struct tasks *tasks, struct error *error) {
  struct tasks all;
  const uint32_t nparts = options->nparts ? options->nparts : 1;
  if (!options->nparts && options->nranks <= 1) {
    tasks_add(tasks, NULL, 0, CHOICE_NONE);
    return 0;
  }
  if (explore_cut(program, &options->explore, PART_TASKS, &all, error))
    return -1;
  for (uint32_t i = options->part; i < all.n; i += nparts)
    tasks_add(tasks, all.all[i].choices, all.all[i].n, CHOICE_NONE);
  tasks_free(&all);
  return 0;
}

// Leaves to this process its share, and to process 0 what was counted before.
static void take_survey_share(const struct survey_options *options,
                              struct survey *survey) {
  struct survey mine = {0};
  if (options->nranks <= 1)
    return;
  for (uint32_t i = options->rank; i < survey->open.n; i += options->nranks)
    tasks_add(&mine.open, survey->open.all[i].choices, survey->open.all[i].n,
              CHOICE_NONE);
  if (options->rank) {
    survey_free(survey);
    *survey = mine;
  } else {
    tasks_free(&survey->open);
    survey->open = mine.open;
  }
}

int survey_run(const struct program *program,
               const struct survey_options *options, struct survey *survey,
               struct error *error) {
  struct work work = {.program = program, .options = options, .error = error};
  const uint32_t nworkers =
      options->threads && !options->explore.walks ? options->threads : 1;
  if (!survey->goes_on && first_tasks(program, options, &survey->open, error))
    return -1;
  take_survey_share(options, survey);
  survey->goes_on = true;
  survey->is_too_large = false;
  share_init(&work.share, &survey->open, nworkers);
  survey_all(&work, nworkers, survey);
  share_end(&work.share, &survey->open);
  return work.failed;
}

// ---- The smallest program

struct seeking {
  struct failure failure;
  bool not_serial; // a history that some serial order explains does not count
  void (*show)(void *context, const struct partial *history);
  void *context;
  bool found;
};

static bool seek(void *context, const struct partial *p) {
  struct seeking *s = context;
  for (uint32_t i = 0; i < p->nblocks && !s->found; i++)
    s->found = s->failure.kind == FAILURE_NOT_SERIAL
                   ? !i && !history_is_explained(p)
                   : failure_equals(p->blocks[i].failure, s->failure) &&
                         !(s->not_serial && history_is_explained(p));
  if (s->found && s->show)
    s->show(s->context, p);
  return !s->found;
}

static bool still_fails(const struct program *program,
                        const struct explore_options *options,
                        struct seeking *s) {
  struct explore_options o = *options;
  struct explore_result result;
  struct error error;
  o.leaf = seek;
  o.context = s;
  s->found = false;
  return !explore(program, &o, &result, &error) && s->found;
}

static uint64_t all_but(const struct program *program, uint32_t t) {
  return ~UINT64_C(0) >> (63 - program->ntxns) & ~bit(t);
}

bool survey_smallest(struct program *program,
                     const struct explore_options *options,
                     struct failure failure,
                     void (*show)(void *context, const struct partial *history),
                     void *context) {
  struct seeking s = {.failure = failure, .not_serial = true};
  s.not_serial = still_fails(program, options, &s);
  for (uint32_t t = program->ntxns; t >= 1 && program->ntxns > 1; t--) {
    struct program fewer = *program;
    program_keep(&fewer, all_but(program, t));
    if (still_fails(&fewer, options, &s))
      *program = fewer;
  }
  s.show = show;
  s.context = context;
  return still_fails(program, options, &s);
}
