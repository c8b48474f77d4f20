// SPDX-License-Identifier: GPL-3.0-or-later
// On random scripts of SQL, explore finds as many outcomes, and as many that no
// serial order explains, as brute force with statements on a table.
#include "config.h"

#include "explore/outcomes.h"
#include "explore/serial.h"
#include "explore/survey.h"
#include "sql/sql.h"

#include "base/memory.h"
#include "tests/kit/random_sql.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char place[] = "/tmp/isostress-test-sql-XXXXXX";

// "DIRECTORY/s1.pgbench", to be freed.
static char *path_of(int session) {
  return session < 0 ? xasprintf("%s/schema.sql", place)
                     : xasprintf("%s/s%d.pgbench", place, session);
}

static void write_file(const struct random_sql *sql, int session) {
  char *path = path_of(session);
  FILE *file = fopen(path, "w");
  if (!CHECK(file != NULL))
    return;
  if (session < 0)
    random_sql_put_schema(file);
  else
    random_sql_put(file, sql, session);
  fclose(file);
  free(path);
}

static bool read_program(const struct random_sql *sql, uint32_t member,
                         struct program *program) {
  const char *paths[SQL_SESSIONS];
  struct error error = {0};
  char *schema = path_of(-1);
  for (int s = 0; s < sql->nsessions; s++) {
    write_file(sql, s);
    paths[s] = path_of(s);
  }
  char *text =
      sql_program(schema, paths, (uint32_t)sql->nsessions, NULL, &error);
  const bool ok = CHECK(text != NULL) &&
                  CHECK(!program_parse(
                      "scripts", text,
                      (struct program_choice){.member = member, .rows = true},
                      program, &error));
  if (!ok)
    printf("# %s\n", error.text);
  for (int s = 0; s < sql->nsessions; s++)
    free((char *)(uintptr_t)paths[s]);
  free(schema);
  free(text);
  return ok;
}

struct counted {
  struct outcomes all, not_serial;
  struct explanations explanations;
};

static bool count(void *context, const struct partial *p) {
  struct counted *c = context;
  struct outcome_key question;
  const struct outcome_key key = outcome_of(p, &question);
  outcomes_add(&c->all, key);
  const bool is_explained = history_is_explained(p);
  CHECK(explanations_find(&c->explanations, p, question) == is_explained);
  if (!is_explained)
    outcomes_add(&c->not_serial, key);
  return true;
}

// `member`: of the programs that random() makes; `sql` has its ids.
static bool agrees(const struct random_sql *sql, uint32_t member,
                   enum level level) {
  struct program program = {0};
  struct counted counted = {0};
  struct explore_result result;
  struct error error = {0};
  const struct explore_options options = {
      .level = level, .leaf = count, .context = &counted};
  const struct sql_outcomes brute = brute_sql(sql, level == LEVEL_MYSQL_RR);
  bool ok = read_program(sql, member, &program) &&
            CHECK(!explore(&program, &options, &result, &error));
  ok = ok && CHECK(counted.all.count == (uint64_t)brute.n) &&
       CHECK(counted.not_serial.count == (uint64_t)brute.not_serial);
  if (!ok) {
    printf("# at %s: %d outcomes, not %d; %d not serializable, not %d\n",
           level_name(level), (int)counted.all.count, brute.n,
           (int)counted.not_serial.count, brute.not_serial);
    for (int s = 0; s < sql->nsessions; s++)
      random_sql_put(stdout, sql, s);
  }
  outcomes_free(&counted.all);
  outcomes_free(&counted.not_serial);
  explanations_free(&counted.explanations);
  program_free(&program);
  return ok;
}

// Each value that the sessions draw is explored, and no other.
static bool agrees_with_draws(struct random_sql *sql, enum level level) {
  const uint32_t nmembers = UINT32_C(1) << sql->nsessions;
  struct program program = {0};
  sql->draws = true;
  bool ok = read_program(sql, 0, &program);
  CHECK_INT(program.family, nmembers);
  program_free(&program);
  for (uint32_t m = 0; m < nmembers && ok; m++) {
    for (int s = 0; s < sql->nsessions; s++)
      sql->sessions[s].all[0].id = 1 + (m >> s & 1);
    ok = agrees(sql, m, level);
  }
  return ok;
}

static void at(enum level level) {
  for (uint32_t i = 0; i < tap_inputs(600, 100); i++) {
    gsl_rng *random = random_stream(level, i, RANDOM_TEST);
    struct random_sql sql;
    random_sql(random, &sql);
    gsl_rng_free(random);
    if (i % 8 ? !agrees(&sql, 0, level) : !agrees_with_draws(&sql, level))
      return;
  }
}

static void read_committed(void) { at(LEVEL_RC_STATEMENT); }
static void repeatable_read(void) { at(LEVEL_MYSQL_RR); }

int main(void) {
  if (!mkdtemp(place))
    return 1;
  write_file(NULL, -1);
  const int failed =
      TAP_RUN({"scripts at read committed have the outcomes of brute force",
               read_committed},
              {"and at InnoDB's repeatable read", repeatable_read});
  for (int s = -1; s < SQL_SESSIONS; s++) {
    char *path = path_of(s);
    unlink(path);
    free(path);
  }
  rmdir(place);
  return failed;
}
