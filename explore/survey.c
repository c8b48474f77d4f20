// SPDX-License-Identifier: GPL-3.0-or-later
// Counts histories (explore/survey.h).
#include "config.h"

#include "explore/survey.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "explore/as_history.h"

#include <stdlib.h>

struct surveying {
  const struct survey_options *options;
  struct survey *survey;
  struct outcomes outcomes;
  bool all_serial; // every transaction is held to ser
  struct share *share;
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
    const struct block *b = &p->blocks[p->position[t] - 1];
    if (b->failure.kind)
      return b->failure;
  }
  return (struct failure){FAILURE_NONE, 0};
}

bool history_is_serial(const struct partial *p, struct schedule *schedule) {
  uint8_t levels[PROGRAM_MAX_TXNS + 1];
  for (uint32_t t = 0; t <= p->program->ntxns; t++)
    levels[t] = LEVEL_SER;
  return schedule_find(p, levels, schedule);
}

static void count_failure(struct survey *survey, struct failure failure,
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

static bool count(void *context, const struct partial *p) {
  struct surveying *s = context;
  struct survey *survey = s->survey;
  struct failure failure = history_failure(p);
  if (p->nreads + p->nwrites > survey->most_operations)
    survey->most_operations = p->nreads + p->nwrites;
  if (!s->options->assert_only || s->options->explore.robust) {
    const bool serial = s->all_serial || history_is_serial(p, NULL);
    outcomes_add(&s->outcomes, outcome_of(p));
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
    count_failure(survey, failure, failure_line(p->program, failure), 1);
  }
  if (!failure.kind || !s->options->first)
    return true;
  if (s->share)
    __atomic_store_n(&s->share->enough, true, __ATOMIC_RELAXED);
  return false;
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
  struct share *share; // or NULL
  struct surveying *workers;
  int failed;
  struct error *error; // of the first worker; the others meet the same
};

static void survey_share(void *context, uint32_t i) {
  struct work *work = context;
  struct surveying *s = &work->workers[i];
  struct explore_options options = work->options->explore;
  struct error error;
  options.leaf = count;
  options.context = s;
  options.share = work->share;
  const int failed = explore(work->program, &options, &s->survey->result,
                             i ? &error : work->error);
  if (!i)
    work->failed = failed;
}

static void add_survey(struct surveying *to, const struct surveying *from) {
  struct survey *a = to->survey;
  const struct survey *b = from->survey;
  a->result.histories += b->result.histories;
  a->result.leaves += b->result.leaves;
  a->result.stopped |= b->result.stopped;
  a->not_serializable += b->not_serializable;
  a->failing += b->failing;
  a->refuted += b->refuted;
  if (b->most_operations > a->most_operations)
    a->most_operations = b->most_operations;
  for (uint32_t i = 0; i < b->nfailures; i++)
    count_failure(a, b->failures[i].failure, b->failures[i].line,
                  b->failures[i].histories);
  for (uint64_t i = 0; i < from->outcomes.nslots; i++)
    if (from->outcomes.slots[i].a)
      outcomes_add(&to->outcomes, from->outcomes.slots[i]);
}

static int by_line(const void *a, const void *b) {
  const struct survey_failure *x = a, *y = b;
  if (x->line != y->line)
    return x->line < y->line ? -1 : 1;
  return (x->failure.kind > y->failure.kind) -
         (x->failure.kind < y->failure.kind);
}

static void survey_all(struct work *work, uint32_t nworkers,
                       struct survey *survey) {
  const bool all_serial =
      all_are_serial(work->program, work->options->explore.level);
  struct survey *surveys = xcalloc(nworkers, sizeof *surveys);
  work->workers = xcalloc(nworkers, sizeof *work->workers);
  for (uint32_t i = 0; i < nworkers; i++)
    work->workers[i] = (struct surveying){.options = work->options,
                                          .survey = &surveys[i],
                                          .share = work->share,
                                          .all_serial = all_serial};
  for (uint32_t i = 0; i < nworkers; i++)
    explore_levels(work->program, work->options->explore.level,
                   work->workers[i].levels);
  parallel_do(nworkers, survey_share, work);
  for (uint32_t i = 1; i < nworkers; i++)
    add_survey(&work->workers[0], &work->workers[i]);
  *survey = surveys[0];
  survey->outcomes = work->workers[0].outcomes.count;
  qsort(survey->failures, survey->nfailures, sizeof *survey->failures, by_line);
  for (uint32_t i = 0; i < nworkers; i++)
    outcomes_free(&work->workers[i].outcomes);
  free(work->workers);
  free(surveys);
}

enum { UNITS_MIN = 256, PART_UNITS = 4096 };

int survey_run(const struct program *program,
               const struct survey_options *options, struct survey *survey,
               struct error *error) {
  struct work work = {.program = program, .options = options, .error = error};
  struct share share = {0};
  uint32_t nworkers = options->threads ? options->threads : 1;
  *survey = (struct survey){0};
  if (nworkers > 1 || options->nparts) {
    if (explore_cut(program, &options->explore,
                    options->nparts ? PART_UNITS : UNITS_MIN, &share, error))
      return -1;
    share.part = options->part;
    share.nparts = options->nparts ? options->nparts : 1;
    work.share = &share;
    nworkers = share.nunits < UNITS_MIN ? 1 : nworkers;
  }
  survey_all(&work, nworkers, survey);
  free(share.taken);
  return work.failed;
}

// ---- The smallest program

struct seeking {
  struct failure failure;
  void (*show)(void *context, const struct partial *history);
  void *context;
  bool found;
};

static bool seek(void *context, const struct partial *p) {
  struct seeking *s = context;
  for (uint32_t i = 0; i < p->nblocks && !s->found; i++)
    s->found = s->failure.kind == FAILURE_NOT_SERIAL
                   ? !i && !history_is_serial(p, NULL)
                   : failure_equals(p->blocks[i].failure, s->failure);
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
  struct seeking s = {.failure = failure};
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
