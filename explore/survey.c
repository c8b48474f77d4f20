// SPDX-License-Identifier: GPL-3.0-or-later
// Counts histories (explore/survey.h).
#include "config.h"

#include "explore/survey.h"

struct surveying {
  const struct survey_options *options;
  struct survey *survey;
  struct outcomes outcomes;
  bool all_serial; // every transaction is held to ser
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

static void count_failure(struct survey *survey, const struct partial *p,
                          struct failure failure) {
  uint32_t i = 0;
  while (i < survey->nfailures &&
         !failure_equals(survey->failures[i].failure, failure))
    i++;
  if (i == SURVEY_FAILURES_MAX)
    return;
  if (i == survey->nfailures)
    survey->failures[survey->nfailures++] =
        (struct survey_failure){failure, failure_line(p->program, failure), 0};
  survey->failures[i].histories++;
}

static bool count(void *context, const struct partial *p) {
  struct surveying *s = context;
  struct survey *survey = s->survey;
  const struct failure failure = history_failure(p);
  if (p->nreads + p->nwrites > survey->most_operations)
    survey->most_operations = p->nreads + p->nwrites;
  if (!s->options->assert_only) {
    outcomes_add(&s->outcomes, outcome_of(p));
    survey->not_serializable += !s->all_serial && !history_is_serial(p, NULL);
  }
  if (failure.kind) {
    survey->failing++;
    count_failure(survey, p, failure);
  }
  return !(failure.kind && s->options->first);
}

static bool all_are_serial(const struct program *program, enum level level) {
  uint8_t levels[PROGRAM_MAX_TXNS + 1];
  explore_levels(program, level, levels);
  for (uint32_t t = 1; t <= program->ntxns; t++)
    if (levels[t] != LEVEL_SER && t != program->final)
      return false;
  return true;
}

int survey_run(const struct program *program,
               const struct survey_options *options, struct survey *survey,
               struct error *error) {
  struct surveying s = {.options = options,
                        .survey = survey,
                        .all_serial =
                            all_are_serial(program, options->explore.level)};
  struct explore_options explore_options = options->explore;
  explore_options.leaf = count;
  explore_options.context = &s;
  *survey = (struct survey){0};
  const int failed = explore(program, &explore_options, &survey->result, error);
  survey->outcomes = s.outcomes.count;
  outcomes_free(&s.outcomes);
  return failed;
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
    s->found = failure_equals(p->blocks[i].failure, s->failure);
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
