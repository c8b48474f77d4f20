// SPDX-License-Identifier: GPL-3.0-or-later
// The labelled histories with SQL statements of tests/histories/rows: the name
// of each starts with the strongest level that it keeps.
#include "config.h"

#include "base/memory.h"
#include "checker/verdict/verdict.h"
#include "checker/verify/rows/referee_rows.h"
#include "recorder/files/reader.h"
#include "tests/tap.h"

#include <glob.h>
#include <stdlib.h>

static const char *const directory = "tests/histories/rows";

static glob_t find_files(void) {
  glob_t files;
  const char *top = getenv("TOP_SRCDIR");
  char *pattern = xasprintf("%s/%s/*.txt", top ? top : ".", directory);
  CHECK_INT(glob(pattern, 0, NULL, &files), 0);
  free(pattern);
  return files;
}

// The strongest level that the name of the file promises.
static enum isolation label_of(const char *path) {
  const char *name = strrchr(path, '/') + 1;
  const size_t length = strcspn(name, "-");
  int level = ISOLATION_NONE;
  while (level < ISOLATION_COUNT &&
         (strlen(isolation_name((enum isolation)level)) != length ||
          strncmp(name, isolation_name((enum isolation)level), length) != 0))
    level++;
  CHECK(level < ISOLATION_COUNT);
  return (enum isolation)level;
}

static struct history load(const char *path) {
  struct history h;
  struct error error;
  const int result = history_read(path, NULL, &h, &error);
  CHECK_INT(result, 0);
  if (result)
    printf("# %s\n", error.text);
  return h;
}

static void the_referee_gives_each_its_level(void) {
  glob_t files = find_files();
  CHECK(files.gl_pathc >= 26);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    const enum isolation label = label_of(files.gl_pathv[i]);
    struct history h = load(files.gl_pathv[i]);
    for (int level = ISOLATION_RC; level <= ISOLATION_SER; level++) {
      const struct referee_rows_options options = {
          .all = {.level = (enum isolation)level, .session_order = true}};
      uint32_t order[REFEREE_ROWS_TXNS], norder;
      const enum referee_answer answer =
          referee_rows_decide(&h, &options, order, &norder);
      const bool kept = (enum isolation)level <= label;
      CHECK_INT(answer, kept ? REFEREE_KEPT : REFEREE_BROKEN);
      if (answer != (kept ? REFEREE_KEPT : REFEREE_BROKEN))
        printf("# %s at %s\n", files.gl_pathv[i],
               isolation_name((enum isolation)level));
    }
    history_free(&h);
  }
  globfree(&files);
}

static void check_gives_each_its_level(void) {
  glob_t files = find_files();
  for (size_t i = 0; i < files.gl_pathc; i++) {
    const enum isolation label = label_of(files.gl_pathv[i]);
    struct history h = load(files.gl_pathv[i]);
    for (int level = ISOLATION_RC; level <= ISOLATION_SER; level++) {
      const struct check_options options = {
          .question = {.level = (enum isolation)level, .session_order = true}};
      struct verdict verdict;
      struct error error = {0};
      CHECK_INT(check(&h, &options, &verdict, &error), 0);
      CHECK_STR(error.text, "");
      const bool kept = (enum isolation)level <= label;
      CHECK_INT(verdict.kind, kept ? VERDICT_PASS : VERDICT_VIOLATION);
      if (!kept)
        CHECK_INT(verdict.broken, label + 1);
      if (verdict.kind != (kept ? VERDICT_PASS : VERDICT_VIOLATION) ||
          (!kept && verdict.broken != label + 1))
        printf("# %s at %s\n", files.gl_pathv[i],
               isolation_name((enum isolation)level));
      verdict_free(&verdict);
    }
    history_free(&h);
  }
  globfree(&files);
}

// The anomaly that the first line of the file names, or ANOMALY_NONE.
static enum anomaly named_in(const char *path) {
  char name[32] = "";
  FILE *file = fopen(path, "r");
  CHECK(file && fscanf(file, "// %31[A-Za-z]:", name) <= 1);
  if (file)
    fclose(file);
  int a = ANOMALY_COUNT - 1;
  while (a > 0 && strcmp(name, anomaly_info((enum anomaly)a)->name) != 0)
    a--;
  return (enum anomaly)a;
}

static void check_names_the_anomaly(void) {
  struct check_options options = {
      .question = {.level = ISOLATION_SER, .session_order = true}};
  glob_t files = find_files();
  unsigned nnamed = 0;
  for (size_t i = 0; i < files.gl_pathc; i++) {
    const enum anomaly anomaly = named_in(files.gl_pathv[i]);
    if (anomaly == ANOMALY_NONE)
      continue;
    struct history h = load(files.gl_pathv[i]);
    struct verdict verdict;
    struct error error = {0};
    options.question.level = label_of(files.gl_pathv[i]) < ISOLATION_SER
                                 ? ISOLATION_SER
                                 : ISOLATION_SSER;
    CHECK_INT(check(&h, &options, &verdict, &error), 0);
    if (!CHECK(verdict.anomaly == anomaly))
      printf("# %s is told as %s\n", files.gl_pathv[i],
             anomaly_info(verdict.anomaly)->name);
    verdict_free(&verdict);
    history_free(&h);
    nnamed++;
  }
  CHECK(nnamed >= 8);
  globfree(&files);
}

// The earlier writes of a session are visible at RC in the paper's reading.
static void read_committed_has_two_readings(void) {
  char *path =
      xasprintf("%s/%s/rc-own-session.txt", getenv("TOP_SRCDIR"), directory);
  struct history h = load(path);
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  struct referee_rows_options options = {
      .all = {.level = ISOLATION_RC, .session_order = true}};
  CHECK_INT(referee_rows_decide(&h, &options, order, &norder), REFEREE_KEPT);
  CHECK_INT(norder, 2);
  options.rc_sees_session = true;
  CHECK_INT(referee_rows_decide(&h, &options, order, &norder), REFEREE_BROKEN);
  history_free(&h);
  free(path);
}

static void each_transaction_may_have_its_level(void) {
  char *path = xasprintf("%s/%s/si-f-both-find-nothing-and-insert.txt",
                         getenv("TOP_SRCDIR"), directory);
  struct history h = load(path);
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  uint8_t levels[] = {ISOLATION_SER, ISOLATION_SER};
  const struct referee_rows_options options = {
      .all = {.levels = levels, .session_order = true}};
  CHECK_INT(referee_rows_decide(&h, &options, order, &norder), REFEREE_BROKEN);
  levels[1] = ISOLATION_RC;
  CHECK_INT(referee_rows_decide(&h, &options, order, &norder), REFEREE_KEPT);
  CHECK(norder == 2 && order[0] == 0);
  history_free(&h);
  free(path);
}

int main(void) {
  return TAP_RUN(
      {"the referee holds each transaction to its level",
       the_referee_gives_each_its_level},
      {"check holds each transaction to its level", check_gives_each_its_level},
      {"check names the anomaly", check_names_the_anomaly},
      {"read committed has two readings", read_committed_has_two_readings},
      {"each transaction may have a level of its own",
       each_transaction_may_have_its_level});
}
