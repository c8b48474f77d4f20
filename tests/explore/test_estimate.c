// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates of numbers of histories that are known, and walks at random.
#include "config.h"

#include "explore/estimate.h"

#include "tests/tap.h"

#include <math.h>

static bool increments(int n, struct program *program) {
  char text[800] = "initially x=0\n"
                   "transaction inc; read x into v; write x v+1; end\n";
  struct error error;
  for (int i = 0; i < n; i++)
    sprintf(text + strlen(text), "session s%d: inc\n", i);
  return CHECK(
      !program_parse("p", text, (struct program_choice){0}, program, &error));
}

static struct estimate estimate(const struct program *program, enum level level,
                                uint64_t seed) {
  const struct explore_options o = {.level = level};
  struct estimate e;
  struct error error;
  CHECK(!estimate_histories(program, &o, seed, &e, &error));
  return e;
}

static void small(void) {
  struct program program;
  for (int n = 1; n <= 3 && increments(n, &program); n++) {
    const struct estimate e = estimate(&program, LEVEL_CC, 1);
    CHECK(e.exact && e.error == 0);
    CHECK(e.histories == pow(n + 1, n - 1));
    program_free(&program);
  }
}

// Over many seeds the mean is right, and nearly all are within three errors.
static void check_seeds(const struct program *program, enum level level,
                        double wanted) {
  enum { SEEDS = 12 };
  double sum = 0;
  int near = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    const struct estimate e = estimate(program, level, seed);
    CHECK(!e.exact && e.error > 0);
    sum += e.histories;
    near += fabs(e.histories - wanted) <= 3 * e.error;
  }
  printf("# %.4g on average, %d near %.4g\n", sum / SEEDS, near, wanted);
  CHECK(fabs(sum / SEEDS - wanted) < wanted / 20);
  CHECK(near >= SEEDS - 2);
}

static void large(void) {
  struct program program;
  if (increments(6, &program))
    check_seeds(&program, LEVEL_CC, pow(7, 5));
  program_free(&program);
}

// Core pruning and the filter leave walkers without a history.
static void filtered(void) {
  struct program program;
  if (increments(6, &program))
    check_seeds(&program, LEVEL_SER, 720);
  program_free(&program);
}

static bool is_whole(void *context, const struct partial *p) {
  (void)context;
  return CHECK(!p->pending && p->nblocks == p->program->ntxns);
}

static void walks(void) {
  struct program program;
  struct explore_result r;
  struct error error;
  const struct explore_options o = {
      .level = LEVEL_CC, .walks = 200, .seed = 1, .leaf = is_whole};
  if (increments(9, &program) && CHECK(!explore(&program, &o, &r, &error))) {
    CHECK_INT(r.histories, 200);
    CHECK(!r.stopped);
  }
  program_free(&program);
}

int main(void) {
  return TAP_RUN({"few histories are counted", small},
                 {"many are estimated", large},
                 {"serializable histories are estimated", filtered},
                 {"histories at random", walks});
}
