// SPDX-License-Identifier: GPL-3.0-or-later
// Plays scripts (own/play.h).
#include "config.h"

#include "own/play.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "own/compute.h"
#include "own/program_turns.h"
#include "workload/twins.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct raw_play {
  const struct raw_scripts *all;
  const struct workload_options *options;
  const double *shares; // as the run weighs the scripts
  const struct raw_script *script;
  gsl_rng *draw, *draw_before; // before: as the transaction begins
  gsl_rng *alone_draw; // the session's own, while `draw` is that of twins
  bool is_twins;       // the script is played as a twin does
  uint64_t ntaken;     // transactions
  struct raw_variables variables, variables_before;
  uint32_t session;
  uint64_t seed;
  struct program_turns **turns; // of each script; NULL: not played yet
  uint32_t at, first; // steps: the next one, the first of the transaction
  bool alone;         // the transaction is one statement
  bool asked, failed; // in the transaction
  bool ended;         // as the script has it; else the script is given up
  const struct raw_step *last;
  char *text;
};

enum { EMPTY_SCRIPTS_MOST = 1000 }; // in a row, without any transaction

// ---- Steps between statements

// "SELECT :a, 'x :b'": pgbench puts them in everywhere, but not behind a colon.
static char *put_variables_in(const char *text, const struct raw_variables *v) {
  char *made;
  size_t bytes;
  FILE *out = text_stream(&made, &bytes);
  for (const char *p = text; *p; p++) {
    size_t n = 0;
    if (*p == ':' && (p == text || p[-1] != ':') &&
        (isalpha((unsigned char)p[1]) || p[1] == '_'))
      while (isalnum((unsigned char)p[1 + n]) || p[1 + n] == '_')
        n++;
    const char *value = n ? raw_variable_get(v, p + 1, n) : NULL;
    if (value) {
      fputs(value, out);
      p += n;
    } else {
      putc(*p, out);
    }
  }
  fclose(out);
  return made;
}

static void sleep_for(const char *microseconds) {
  const uint64_t us = microseconds ? strtoull(microseconds, NULL, 10) : 0;
  const struct timespec t = {(time_t)(us / 1000000),
                             (long)(us % 1000000) * 1000};
  nanosleep(&t, NULL);
}

// False: pgbench would give up.
static bool perform_between(struct raw_play *p, const struct raw_step *step) {
  struct error error;
  char *result = NULL;
  if (step->kind == RAW_GO) {
    p->at = step->target;
    return true;
  }
  if (raw_compute(step->text, &p->variables, p->draw, &result, &error))
    return false;
  if (step->kind == RAW_SET)
    raw_variable_set(&p->variables, step->name, result);
  else if (step->kind == RAW_SLEEP)
    sleep_for(result);
  else if (!raw_is_true(result))
    p->at = step->target;
  free(result);
  return true;
}

// ---- Transactions

// Twins begin a script together, and draw what it draws from one seed.
static void choose_stream(struct raw_play *p) {
  const uint64_t seed = twins_seed(p->options, p->session, p->ntaken);
  if (seed && !p->is_twins)
    gsl_rng_memcpy(p->alone_draw, p->draw);
  if (seed)
    gsl_rng_set(p->draw, (unsigned long)seed);
  else if (p->is_twins)
    gsl_rng_memcpy(p->draw, p->alone_draw);
  p->is_twins = seed;
}

static void draw_script(struct raw_play *p) {
  double sum = 0;
  uint32_t i = 0;
  for (uint32_t k = 0; k < p->all->nscripts; k++)
    sum += p->shares[k];
  double draw = gsl_rng_uniform(p->draw) * sum;
  for (; i + 1 < p->all->nscripts && draw >= p->shares[i]; i++)
    draw -= p->shares[i];
  p->script = &p->all->scripts[i];
  p->at = 0;
  const struct raw_variables none = {0};
  char number[24];
  raw_variables_copy(&p->variables, &none);
  snprintf(number, sizeof number, "%" PRIu32, p->session);
  raw_variable_set(&p->variables, "client_id", number);
  raw_variable_set(&p->variables, "scale", "1");
}

// Goes on to the next BEGIN or statement of the script; false: there is none.
static bool find_next_transaction(struct raw_play *p) {
  while (p->script && p->at < p->script->nsteps) {
    const struct raw_step *step = &p->script->steps[p->at++];
    if (step->kind < RAW_BEGIN) {
      if (!perform_between(p, step))
        return false;
    } else if (step->kind <= RAW_STATEMENT) {
      p->alone = step->kind == RAW_STATEMENT;
      p->first = p->alone ? p->at - 1 : p->at;
      return true;
    }
  }
  return false;
}

static struct program_turns **turns_of(const struct raw_play *p) {
  return &p->turns[p->script - p->all->scripts];
}

bool raw_play_is_program(const struct raw_play *p) {
  return p->script->program;
}

// The program of the script that was drawn begins a transaction.
static uint32_t take_of_program(struct raw_play *p, const struct raw_pace *pace,
                                struct error *error) {
  struct program_turns **turns = turns_of(p);
  if (!*turns)
    *turns =
        program_turns_open(p->script, p->all->dialect, p->session, p->seed);
  p->ended = false; // another script may be drawn behind it
  return program_turns_take(*turns, pace, error)
             ? (uint32_t)(p->script - p->all->scripts)
             : UINT32_MAX;
}

uint32_t raw_play_take(struct raw_play *p, const struct raw_pace *pace,
                       struct error *error) {
  uint32_t empty = 0;
  if (!p->ended)
    p->script = NULL;
  while (!find_next_transaction(p) && empty++ < EMPTY_SCRIPTS_MOST) {
    if (empty == 1)
      choose_stream(p);
    draw_script(p);
    if (p->script->program)
      return take_of_program(p, pace, error);
  }
  if (empty > EMPTY_SCRIPTS_MOST) { // it will roll back
    p->first = p->script->nsteps;
    p->alone = false;
  }
  p->ntaken++;
  gsl_rng_memcpy(p->draw_before, p->draw);
  raw_variables_copy(&p->variables_before, &p->variables);
  return (uint32_t)(p->script - p->all->scripts);
}

bool raw_play_reads_only(const struct raw_play *p) {
  bool branches = p->script->program;
  for (uint32_t i = p->first; i < p->script->nsteps; i++) {
    const struct raw_step *step = &p->script->steps[i];
    if (step->kind == RAW_STATEMENT && !step->reads)
      return false;
    branches |= step->kind == RAW_UNLESS || step->kind == RAW_GO;
    if (step->kind >= RAW_COMMIT || p->alone)
      return !branches;
  }
  return false;
}

void raw_play_start(struct raw_play *p) {
  gsl_rng_memcpy(p->draw, p->draw_before);
  raw_variables_copy(&p->variables, &p->variables_before);
  p->at = p->first;
  p->asked = p->failed = p->ended = false;
}

void raw_play_give_up(struct raw_play *p) { p->ended = false; }

void raw_play_end(struct raw_play *p, enum outcome outcome, const char *code,
                  const char *text, struct error *error) {
  if (p->script->program)
    program_turns_end(*turns_of(p), outcome, code, text, error);
}

enum raw_turn raw_play_next(struct raw_play *p, const struct raw_pace *pace,
                            const struct raw_step **step, const char **text,
                            struct error *error) {
  if (p->script->program)
    return program_turns_next(*turns_of(p), pace, step, text, error);
  if (p->alone && p->asked) {
    p->ended = !p->failed;
    return p->failed ? RAW_TURN_ROLLBACK : RAW_TURN_COMMIT;
  }
  while (!p->failed && p->at < p->script->nsteps) {
    const struct raw_step *next = &p->script->steps[p->at++];
    p->ended = next->kind == RAW_COMMIT || next->kind == RAW_ROLLBACK;
    *step = next;
    if (next->kind == RAW_COMMIT)
      return RAW_TURN_COMMIT;
    if (next->kind == RAW_ROLLBACK || next->kind == RAW_BEGIN)
      return RAW_TURN_ROLLBACK;
    if (next->kind < RAW_BEGIN) {
      p->failed = !perform_between(p, next);
      continue;
    }
    free(p->text);
    p->text = put_variables_in(next->text, &p->variables);
    *step = p->last = next;
    *text = p->text;
    p->asked = true;
    return RAW_TURN_STATEMENT;
  }
  return RAW_TURN_ROLLBACK;
}

// Unlike pgbench, and like psql: \gset without a row leaves the variables as
// they are, and :ROW_COUNT says how many rows there were.  Unlike both, a NULL
// is one in the statements that follow, too.
void raw_play_keep(struct raw_play *p, const struct instrument_answer *answer,
                   struct error *error) {
  char count[24];
  if (p->script->program) {
    program_turns_keep(*turns_of(p), answer, error);
    return;
  }
  snprintf(count, sizeof count, "%" PRIu64, answer->affected);
  raw_variable_set(&p->variables, "ROW_COUNT", count);
  if (!p->last->kept)
    return;
  p->failed = answer->returned > 1;
  for (uint32_t i = 0; i < answer->ncolumns && !p->failed; i++) {
    char *name = xasprintf("%s%s", p->last->kept, answer->names[i]);
    raw_variable_set(&p->variables, name,
                     answer->values[i] ? answer->values[i] : "NULL");
    free(name);
  }
}

// ---- The workload

static void *open_play(const struct workload_options *options,
                       uint32_t session) {
  struct raw_play *p = xcalloc(1, sizeof *p);
  const struct raw_scripts *all = options->own;
  double *shares = xcalloc(all->nscripts, sizeof *shares);
  double given = 0;
  for (uint32_t i = 0; i < all->nscripts; i++)
    given += options->shape_share[i];
  for (uint32_t i = 0; i < all->nscripts; i++)
    shares[i] = given > 0 ? options->shape_share[i] : all->scripts[i].share;
  p->all = all;
  p->options = options;
  p->shares = shares;
  p->session = session;
  p->seed = options->seed;
  p->turns = xcalloc(all->nscripts, sizeof(struct program_turns *));
  p->draw = random_stream(options->seed, session, RANDOM_PLAN);
  p->draw_before = gsl_rng_clone(p->draw);
  p->alone_draw = gsl_rng_clone(p->draw);
  return p;
}

static void close_play(void *state) {
  struct raw_play *p = state;
  for (uint32_t i = 0; i < p->all->nscripts; i++)
    program_turns_close(p->turns[i]);
  gsl_rng_free(p->draw);
  gsl_rng_free(p->draw_before);
  gsl_rng_free(p->alone_draw);
  raw_variables_free(&p->variables);
  raw_variables_free(&p->variables_before);
  free((void *)(uintptr_t)p->shares);
  FREE_EACH(p->turns, p->text, p);
}

void raw_workload_make(struct raw_workload *made,
                       const struct raw_scripts *scripts) {
  double sum = 0;
  assert(scripts->nscripts <= WORKLOAD_MAX_SHAPES);
  *made = (struct raw_workload){
      .workload = {.name = "scripts",
                   .summary = "the user's own transactions as they are",
                   .shapes = made->shapes,
                   .texts = true,
                   .open = open_play,
                   .close = close_play}};
  for (uint32_t i = 0; i < scripts->nscripts; i++)
    sum += scripts->scripts[i].share;
  for (uint32_t i = 0; i < scripts->nscripts; i++)
    made->shapes[i] = (struct shape){scripts->scripts[i].name,
                                     scripts->scripts[i].share / sum,
                                     "a script of the user's"};
}
