// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of a transaction in Plume's text need not stand together.
#include "config.h"

#include "tests/unit/recorder/converted.h"

enum { SESSIONS = 4, TXNS_EACH = 30, OPS_MAX = 4 };

// The pieces of a session's transactions that are yet to be written.
struct script {
  uint32_t started; // so far
  uint32_t left[TXNS_EACH];
};

static void put_line(FILE *file, uint32_t s, uint32_t t, uint32_t left,
                     uint64_t large) {
  const uint32_t number = s * TXNS_EACH + t, op = number * OPS_MAX + left;
  fprintf(file, "%c(%u,%u,%" PRIu64 ",%" PRIu64 ")\n", op % 2 ? 'w' : 'r',
          op % 3, op % 2 ? op : (op * 7 + 1) % 400, large + s,
          // Every other history numbers them within a session.
          large + (large ? t : number));
}

static bool put_next(FILE *file, struct script *script, uint32_t s, uint32_t t,
                     uint64_t large) {
  if (!script[s].left[t])
    return false;
  put_line(file, s, t, script[s].left[t]--, large);
  return true;
}

static void put_whole(FILE *file, struct script *script, uint64_t large) {
  for (uint32_t s = 0; s < SESSIONS; s++)
    for (uint32_t t = 0; t < TXNS_EACH; t++)
      while (put_next(file, script, s, t, large))
        ;
}

// Each next line is of any session, of the transaction that starts or of one
// that was started.
static void put_mixed(FILE *file, struct script *script, uint64_t large,
                      gsl_rng *random) {
  for (uint32_t i = 0; i < 20 * SESSIONS * TXNS_EACH; i++) {
    const uint32_t s = (uint32_t)gsl_rng_uniform_int(random, SESSIONS);
    const uint32_t more = script[s].started < TXNS_EACH;
    const uint32_t t =
        (uint32_t)gsl_rng_uniform_int(random, script[s].started + more);
    script[s].started += t == script[s].started;
    put_next(file, script, s, t, large);
  }
  put_whole(file, script, large);
}

static void make_scripts(struct script script[SESSIONS], gsl_rng *random) {
  for (uint32_t s = 0; s < SESSIONS; s++) {
    script[s].started = 0;
    for (uint32_t t = 0; t < TXNS_EACH; t++)
      script[s].left[t] = 1 + (uint32_t)gsl_rng_uniform_int(random, OPS_MAX);
  }
}

static char directory[] = "/tmp/isostress-pieces.XXXXXX";

static FILE *open_plume(char **path) {
  *path = xasprintf("%s/one", directory);
  return fopen(*path, "w");
}

static struct history read_plume(FILE *file, char *path) {
  const struct read_options options = {.format = "plume"};
  struct history h;
  struct error error = {0};
  fclose(file);
  CHECK_INT(history_read_with(path, &options, &h, &error), 0);
  CHECK_STR(error.text, "");
  unlink(path);
  free(path);
  return h;
}

static struct history read_script(const struct script *script, uint64_t large,
                                  gsl_rng *mix) {
  struct script left[SESSIONS];
  char *path;
  FILE *file = open_plume(&path);
  memcpy(left, script, sizeof left);
  if (mix)
    put_mixed(file, left, large, mix);
  else
    put_whole(file, left, large);
  return read_plume(file, path);
}

static void plumes_lines_may_be_mixed(void) {
  gsl_rng *random = random_stream(1, 0, RANDOM_TEST);
  for (int round = 0; round < 20; round++) {
    struct script script[SESSIONS];
    const uint64_t large = round % 2 ? UINT64_C(1) << 61 : 0;
    make_scripts(script, random);
    struct history a = read_script(script, large, NULL);
    struct history b = read_script(script, large, random);
    check_same_history(&a, &b);
    CHECK(history_is_sound(&b));
    history_free(&a);
    history_free(&b);
  }
  gsl_rng_free(random);
}

// More than are looked at together, and the pieces far from one another.
static void there_may_be_many(void) {
  enum { MANY = 10000, APART = 4500 };
  struct history h[2];
  for (uint32_t apart = 0; apart < 2; apart++) {
    char *path;
    FILE *file = open_plume(&path);
    for (uint32_t i = 0; i < MANY + apart * APART; i++) {
      const uint32_t t = i - apart * APART;
      if (i < MANY)
        fprintf(file, "w(%u,%u,%u,%u)\n", i % 7, i + 1, i % 3, i);
      if (t < MANY)
        fprintf(file, "r(%u,%u,%u,%u)\n", t * 5 % 7, t * 11 % MANY, t % 3, t);
      if (i % 1000 == 999)
        fprintf(file, "w(8,%u,%u,-1)\n", i, i % 3);
    }
    h[apart] = read_plume(file, path);
  }
  CHECK_INT(h[1].nops - h[0].nops, APART / 1000);
  CHECK_INT(h[0].ntxns, MANY + MANY / 1000);
  history_free(&h[0]);
  history_free(&h[1]);
}

int main(void) {
  CHECK(mkdtemp(directory) != NULL);
  const int status =
      TAP_RUN({"the lines of Plume's transactions may be mixed",
               plumes_lines_may_be_mixed},
              {"a history may have many pieces", there_may_be_many});
  rmdir(directory);
  return status;
}
