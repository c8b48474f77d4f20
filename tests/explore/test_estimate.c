// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates of numbers of histories that are known, and walks at random.
#include "config.h"

#include "explore/estimate.h"

#include "base/memory.h"
#include "tests/tap.h"

#include <math.h>
#include <stdlib.h>

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
    CHECK(e.exact && e.low == e.histories && e.high == e.histories);
    CHECK(e.histories == pow(n + 1, n - 1));
    program_free(&program);
  }
}

// Over many seeds the mean is right, and nine of ten intervals hold the number.
static void check_seeds(const struct program *program, enum level level,
                        uint64_t seeds, double wanted) {
  double sum = 0;
  int held = 0;
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    const struct estimate e = estimate(program, level, seed);
    CHECK(!e.exact && e.low <= e.histories && e.histories <= e.high);
    sum += e.histories;
    held += e.low <= wanted && wanted <= e.high;
  }
  printf("# %.4g on average, %d of %d intervals hold %.4g\n",
         sum / (double)seeds, held, (int)seeds, wanted);
  CHECK(fabs(sum / (double)seeds - wanted) < wanted / 20);
  CHECK((uint64_t)held * 10 >= seeds * 9);
}

static void large(void) {
  struct program program;
  if (increments(6, &program))
    check_seeds(&program, LEVEL_CC, 12, pow(7, 5));
  program_free(&program);
}

// Core pruning and the filter leave walkers without a history.
static void filtered(void) {
  struct program program;
  if (increments(6, &program))
    check_seeds(&program, LEVEL_SER, 12, 720);
  program_free(&program);
}

// Few subtrees have most of the histories, which a crowd may miss.
static void skewed(void) {
  struct program program;
  struct error error;
  char *path = xasprintf("%s/configs/programs/shopping-cart-3.program",
                         getenv("TOP_SRCDIR"));
  if (CHECK(
          !program_read(path, (struct program_choice){0}, &program, &error))) {
    check_seeds(&program, LEVEL_SI, 50, 338);
  }
  program_free(&program);
  free(path);
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
                 {"histories of few large subtrees", skewed},
                 {"histories at random", walks});
}
