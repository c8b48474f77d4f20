// SPDX-License-Identifier: GPL-3.0-or-later
// Stories of histories happen in an order that a database with locks has: no
// two open transactions hold locks that exclude each other, whoever reads sees
// a commit that was told before, and each transaction does its steps in order.
#include "config.h"

#include "explore/story.h"

#include "tests/kit/random_program.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

enum holds { HOLDS_NOTHING, HOLDS_SHARED, HOLDS_ALONE };

// All that has been told so far.
struct listening {
  const struct partial *p;
  uint64_t committed; // 0 included
  uint64_t begun;
  uint32_t reads[PROGRAM_MAX_TXNS + 1]; // of each transaction
  uint8_t holds[PROGRAM_MAX_TXNS + 1][KEYS];
};

static bool is_open(const struct listening *l, uint32_t t) {
  return l->begun & bit(t) && !(l->committed & bit(t));
}

static bool may_hold(const struct listening *l, uint32_t t, uint32_t key,
                     enum holds wanted) {
  for (uint32_t u = 1; u <= l->p->program->ntxns; u++) {
    const enum holds held = (enum holds)l->holds[u][key];
    if (u != t && is_open(l, u) && held &&
        (wanted == HOLDS_ALONE || held == HOLDS_ALONE))
      return false;
  }
  return true;
}

static bool hold(struct listening *l, uint32_t t, uint32_t key,
                 enum holds wanted) {
  if (!may_hold(l, t, key, wanted))
    return false;
  if (l->holds[t][key] < wanted)
    l->holds[t][key] = (uint8_t)wanted;
  return true;
}

static bool fits(struct listening *l, const struct tale_step *s) {
  const struct program_block *b = &l->p->blocks[l->p->position[s->t] - 1];
  l->begun |= bit(s->t);
  switch (s->kind) {
  case TALE_READ: {
    const struct program_read *r =
        &l->p->reads[b->first_read + l->reads[s->t]++];
    const enum holds wanted = !s->locked  ? HOLDS_NOTHING
                              : s->shared ? HOLDS_SHARED
                                          : HOLDS_ALONE;
    return r->key == s->key && r->writer == s->writer &&
           l->committed & bit(s->writer) &&
           (!wanted || hold(l, s->t, s->key, wanted));
  }
  case TALE_WAIT:
    return !l->reads[s->t] && s->locked &&
           !may_hold(l, s->t, s->key, s->shared ? HOLDS_SHARED : HOLDS_ALONE);
  case TALE_SNAPSHOT:
    return !l->reads[s->t];
  case TALE_WRITE:
    return hold(l, s->t, s->key, HOLDS_ALONE);
  default:
    l->committed |= bit(s->t);
    return l->reads[s->t] == b->end_read - b->first_read;
  }
}

struct told {
  enum level level;
  uint32_t stories, waits;
  bool ok;
};

static bool listen(void *context, const struct partial *p) {
  struct told *told = context;
  struct listening l = {.p = p, .committed = 1};
  uint8_t levels[PROGRAM_MAX_TXNS + 1];
  struct tale tale;
  explore_levels(p->program, told->level, levels);
  tale_tell(&tale, p, levels);
  bool fit = true;
  for (uint32_t i = 0; fit && i < tale.nsteps; i++) {
    fit = fits(&l, &tale.steps[i]);
    told->waits += tale.steps[i].kind == TALE_WAIT;
  }
  told->stories++;
  told->ok = CHECK(fit) && CHECK(tale.is_schedule);
  if (!told->ok)
    tale_put(stdout, &tale, p);
  tale_free(&tale);
  return told->ok;
}

static bool stories_fit(const char *text, struct told *told) {
  struct program program;
  struct explore_result result;
  struct error error = {0};
  const struct explore_options options = {
      .level = told->level, .leaf = listen, .context = told};
  told->ok = true;
  const bool ok =
      CHECK(!program_parse("random", text, (struct program_choice){0}, &program,
                           &error)) &&
      CHECK(!explore(&program, &options, &result, &error)) && told->ok;
  if (!ok)
    printf("# at %s:\n%s", level_name(told->level), text);
  program_free(&program);
  return ok;
}

static const enum level scheduled[] = {LEVEL_RC_STATEMENT, LEVEL_MYSQL_RR,
                                       LEVEL_PC, LEVEL_SI, LEVEL_SER};
enum { SCHEDULED = sizeof scheduled / sizeof *scheduled };

// Every session at one level, or each at one of its own.
static void random_stories(bool mixed) {
  struct told told = {0};
  for (uint32_t i = 0; i < tap_inputs(300, 100); i++) {
    gsl_rng *random = random_stream(mixed ? 8 : 7, i, RANDOM_TEST);
    struct random_program p;
    const char *names[TXNS];
    random_program(random, true, &p);
    told.level = scheduled[gsl_rng_uniform_int(random, SCHEDULED)];
    for (int s = 0; s < p.nsessions; s++)
      names[s] = level_name(scheduled[gsl_rng_uniform_int(random, SCHEDULED)]);
    gsl_rng_free(random);
    char *text = random_program_text(&p, mixed ? names : NULL);
    const bool ok = stories_fit(text, &told);
    free(text);
    if (!ok)
      return;
  }
  printf("# %u stories, %u waits\n", told.stories, told.waits);
  CHECK(told.stories);
}

static void alike(void) { random_stories(false); }
static void mixed(void) { random_stories(true); }

// Write skew behind a lock: both snapshots are taken before the other one's
// commit, so that one of the first statements waits for the lock.
static void waiting(void) {
  struct told told = {.level = LEVEL_SI};
  CHECK(stories_fit("initially x=0, y=0, z=0\n"
                    "transaction a; read x into v for update; read z into w; "
                    "write y 1; end\n"
                    "transaction b; read x into v for update; read y into w; "
                    "write z 1; end\n"
                    "session A: a\nsession B: b\n",
                    &told));
  CHECK(told.waits);
}

int main(void) {
  return TAP_RUN(
      {"stories at one level have no locks that exclude each other", alike},
      {"stories at mixed levels have none", mixed},
      {"a statement that has the snapshot waits for its lock", waiting});
}
