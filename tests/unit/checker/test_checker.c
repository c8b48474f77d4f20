// SPDX-License-Identifier: GPL-3.0-or-later
// Checks the corpus of small histories at every level.  A file LEVEL/y-name.txt
// keeps the level and all weaker ones.  LEVEL/n-name.txt starts with a comment
// that names an anomaly: it breaks that level and all stronger ones, and keeps
// all weaker ones.  "(at stronger levels NAME)" behind the anomaly names the
// one that a smaller part shows there.  A level below SI may be left undecided.
#include "config.h"

#include "checker/verdict/verdict.h"
#include "recorder/builder/builder.h"
#include "recorder/files/reader.h"
#include "tests/tap.h"

#include <ctype.h>
#include <glob.h>
#include <stdlib.h>

struct example {
  const char *path, *name; // "si/n-lost-update.txt"
  struct history history;
  enum isolation level;
  bool broken;
  char anomaly[64], anomaly_above[64]; // at its level, at stronger ones
};

static void read_example(struct example *e, const char *path) {
  char word[64] = "", above[64] = "";
  struct error error;
  *e = (struct example){.path = path, .name = strstr(path, "histories/") + 10};
  FILE *file = fopen(path, "r");
  CHECK(file != NULL);
  if (file) {
    const int nwords =
        fscanf(file, "// %63[A-Za-z0-9-] (at stronger levels %63[A-Za-z0-9-]",
               word, above);
    if (nwords >= 1) {
      memcpy(e->anomaly, word, sizeof word);
      memcpy(e->anomaly_above, nwords == 2 ? above : word, sizeof word);
    }
    fclose(file);
  }
  snprintf(word, sizeof word, "%.*s", (int)strcspn(e->name, "/"), e->name);
  CHECK(isolation_parse(word, &e->level));
  e->broken = strstr(e->name, "/n-") != NULL;
  if (!CHECK(history_read(path, NULL, &e->history, &error) == 0))
    printf("# %s\n", error.text);
  else
    history_separate_lists(&e->history);
}

static const char *verdict_text(const struct verdict *v) {
  switch (v->kind) {
  case VERDICT_PASS:
    return "kept";
  case VERDICT_UNDECIDED:
    return v->why;
  case VERDICT_VIOLATION:
    break;
  }
  return anomaly_info(v->anomaly)->name;
}

static void expect(const struct example *e, enum isolation level,
                   const char *wanted) {
  const struct check_options options = {
      .question = {.level = level, .session_order = true}};
  struct verdict v;
  struct error error;
  if (check(&e->history, &options, &v, &error)) {
    CHECK(!"a verdict with a proof");
    printf("# %s at %s: %s\n", e->name, isolation_name(level), error.text);
  } else if ((v.kind != VERDICT_UNDECIDED || level >= ISOLATION_SI) &&
             !CHECK(strcmp(verdict_text(&v), wanted) == 0)) {
    printf("# %s at %s: got %s, wanted %s\n", e->name, isolation_name(level),
           verdict_text(&v), wanted);
  }
  verdict_free(&v);
}

static void check_example(const char *path) {
  struct example e;
  read_example(&e, path);
  for (enum isolation level = ISOLATION_RC; level < ISOLATION_COUNT; level++) {
    if (level == ISOLATION_SSER && !e.history.end && !e.broken)
      continue;
    if (e.broken ? level < e.level : level <= e.level)
      expect(&e, level, "kept");
    else if (e.broken)
      expect(&e, level, level == e.level ? e.anomaly : e.anomaly_above);
  }
  history_free(&e.history);
}

static void check_corpus(const char *pattern) {
  char path[4096];
  glob_t files;
  snprintf(path, sizeof path, "%s/tests/histories/%s", getenv("TOP_SRCDIR"),
           pattern);
  if (!CHECK(glob(path, 0, NULL, &files) == 0))
    return;
  CHECK(files.gl_pathc > 5);
  for (size_t i = 0; i < files.gl_pathc; i++)
    check_example(files.gl_pathv[i]);
  globfree(&files);
}

static void histories_that_keep_a_level(void) { check_corpus("*/y-*.txt"); }

static void histories_that_break_a_level(void) { check_corpus("*/n-*.txt"); }

// Every row of the table has an example that is named after it; those with rows
// of SQL are in a directory of their own.
static void every_anomaly_has_an_example(void) {
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++) {
    const char *name = anomaly_info((enum anomaly)a)->name;
    const char *level = isolation_name(anomaly_weakest((enum anomaly)a));
    char command[4200];
    snprintf(command, sizeof command,
             "cd '%s'/tests/histories && head -qn 1 %s/n-*.txt rows/*.txt | "
             "grep -qE '^// %s([: ].*)?$'",
             getenv("TOP_SRCDIR"), level, name);
    if (!CHECK(system(command) == 0))
      printf("# no example of %s in %s\n", name, level);
  }
}

// --- What the corpus does not show.

static struct history finish(struct builder *b) {
  struct history h;
  struct error error;
  CHECK_INT(builder_finish(b, &h, &error), 0);
  return h;
}

static void add_txn(struct builder *b, uint64_t session) {
  builder_txn(b, session, OUTCOME_OK, ISOLATION_NONE, TIME_UNKNOWN,
              TIME_UNKNOWN);
}

// Checks the history, and frees it.
static struct verdict verdict_on(struct history *h,
                                 const struct check_options *options) {
  struct verdict v;
  struct error error;
  if (!CHECK(check(h, options, &v, &error) == 0))
    printf("# %s\n", error.text);
  history_free(h);
  return v;
}

static void expect_undecided(struct history h,
                             const struct check_options *options,
                             const char *why) {
  struct verdict v = verdict_on(&h, options);
  CHECK_INT(v.kind, VERDICT_UNDECIDED);
  CHECK_STR(v.why, why);
  verdict_free(&v);
}

static void blind_writes_are_put_in_an_order(void) {
  struct builder *b = builder_open();
  for (uint64_t i = 1; i <= 3; i++) {
    add_txn(b, i);
    builder_op(b, OP_WRITE, 7, i);
  }
  struct history history = finish(b);
  for (enum isolation level = ISOLATION_RC; level <= ISOLATION_SER; level++) {
    const struct check_options options = {.question = {.level = level}};
    struct verdict verdict;
    struct error error;
    CHECK(check(&history, &options, &verdict, &error) == 0);
    CHECK_INT(verdict.kind, VERDICT_PASS);
    CHECK_INT(verdict.norder, 3);
    verdict_free(&verdict);
  }
  history_free(&history);
}

static void real_time_needs_times(void) {
  struct builder *b = builder_open();
  add_txn(b, 0);
  builder_op(b, OP_READ, 7, VALUE_INITIAL);
  const struct check_options options = {.question = {.level = ISOLATION_SSER}};
  expect_undecided(finish(b), &options,
                   "this history keeps serializability, but it has no times to "
                   "decide strict serializability");
}

// Java's System.nanoTime may be below zero.
static void times_may_be_centuries_apart(void) {
  const uint64_t times[] = {0, 1, UINT64_MAX / 2, UINT64_MAX - 1};
  struct builder *b = builder_open();
  for (uint64_t i = 0; i < 3; i++) {
    builder_txn(b, i, OUTCOME_OK, ISOLATION_NONE, times[i], times[i + 1]);
    builder_op(b, OP_READ, 7, i);
    builder_op(b, OP_WRITE, 7, i + 1);
  }
  const struct check_options options = {.question = {.level = ISOLATION_SSER}};
  struct history h = finish(b);
  struct verdict v = verdict_on(&h, &options);
  CHECK_INT(v.kind, VERDICT_PASS);
  CHECK_INT(v.norder, 3);
  verdict_free(&v);
}

static void it_stops_when_told(void) {
  const bool stop = true;
  struct builder *b = builder_open();
  add_txn(b, 0);
  builder_op(b, OP_READ, 7, VALUE_INITIAL);
  const struct check_options options = {.question = {.level = ISOLATION_SI},
                                        .stop = &stop};
  expect_undecided(finish(b), &options, "stopped before it was decided");
}

static void sessions_matter_only_if_asked(void) {
  for (int order = 0; order <= 1; order++) {
    struct builder *b = builder_open();
    add_txn(b, 0);
    builder_op(b, OP_READ, 7, VALUE_INITIAL);
    builder_op(b, OP_WRITE, 7, 1);
    add_txn(b, 0);
    builder_op(b, OP_READ, 7, VALUE_INITIAL);
    const struct check_options options = {
        .question = {.level = ISOLATION_SER, .session_order = order}};
    struct history h = finish(b);
    struct verdict v = verdict_on(&h, &options);
    CHECK_INT(v.kind, order ? VERDICT_VIOLATION : VERDICT_PASS);
    verdict_free(&v);
  }
}

static void transactions_are_counted_by_outcome(void) {
  struct builder *b = builder_open();
  builder_txn(b, 0, OUTCOME_OK, ISOLATION_NONE, 0, 1);
  builder_op(b, OP_READ, 7, 5);
  builder_op(b, OP_READ, 8, VALUE_INITIAL);
  builder_txn(b, 1, OUTCOME_UNKNOWN, ISOLATION_NONE, 0, 1);
  builder_op(b, OP_WRITE, 7, 5);
  builder_txn(b, 2, OUTCOME_UNKNOWN, ISOLATION_NONE, 0, 1);
  builder_op(b, OP_WRITE, 7, 6);
  builder_txn(b, 3, OUTCOME_ABORTED, ISOLATION_NONE, 0, 1);
  const struct check_options options = {.question = {.level = ISOLATION_SER}};
  struct history h = finish(b);
  struct verdict v = verdict_on(&h, &options);
  CHECK_INT(v.kind, VERDICT_PASS);
  CHECK_INT(v.counts.committed, 1);
  CHECK_INT(v.counts.unknown, 2);
  CHECK_INT(v.counts.unknown_seen, 1);
  CHECK_INT(v.counts.aborted, 1);
  CHECK_INT(v.counts.operations, 3);
  CHECK_INT(v.norder, 2);
  verdict_free(&v);
}

// Transaction i reads key i and overwrites key i + 1 as it was initially.
static void a_circle_of_thousands_is_told_whole(void) {
  enum { N = 3000 };
  struct builder *b = builder_open();
  for (uint64_t i = 0; i < N; i++) {
    add_txn(b, i);
    builder_op(b, OP_READ, i, VALUE_INITIAL);
    builder_op(b, OP_READ, (i + 1) % N, VALUE_INITIAL);
    builder_op(b, OP_WRITE, (i + 1) % N, i + 1);
  }
  const struct check_options options = {.question = {.level = ISOLATION_SER}};
  struct history h = finish(b);
  struct verdict v = verdict_on(&h, &options);
  CHECK_INT(v.kind, VERDICT_VIOLATION);
  CHECK_INT(v.anomaly, ANOMALY_CYCLE_G2_ITEM);
  CHECK_INT(v.nedges, N);
  verdict_free(&v);
}

// A thousand transactions in a chain, and one that missed all but the first.
static void the_shortest_of_many_cycles_is_told(void) {
  struct builder *b = builder_open();
  for (uint64_t i = 0; i < 1000; i++) {
    add_txn(b, i % 10);
    builder_op(b, OP_READ, 0, i);
    builder_op(b, OP_WRITE, 0, i + 1);
  }
  add_txn(b, 10);
  builder_op(b, OP_READ, 0, 1000);
  builder_op(b, OP_READ, 1, VALUE_INITIAL);
  builder_op(b, OP_WRITE, 1, 1);
  add_txn(b, 11);
  builder_op(b, OP_READ, 1, 1);
  builder_op(b, OP_READ, 0, 999);
  const struct check_options options = {.question = {.level = ISOLATION_SI}};
  struct history h = finish(b);
  struct verdict v = verdict_on(&h, &options);
  CHECK_INT(v.kind, VERDICT_VIOLATION);
  CHECK_INT(v.anomaly, ANOMALY_CAUSALITY_VIOLATION);
  CHECK_INT(v.nedges, 3);
  verdict_free(&v);
}

// Many sessions without times, of which each writes its key and reads the next
// one's: a fork in which two readers disagree about the first two, or none.
static void make_many_sessions(struct builder *b, bool forked) {
  enum { MANY = 60 };
  for (uint64_t i = 0; i < MANY; i++) {
    add_txn(b, i);
    builder_op(b, OP_WRITE, i, i + 1);
    add_txn(b, i);
    builder_op(b, OP_READ, (i + 1) % MANY, (i + 1) % MANY + 1);
  }
  for (uint64_t reader = 0; reader < 2; reader++) {
    add_txn(b, MANY + reader);
    builder_op(b, OP_READ, forked ? reader : 0, 1 + (forked ? reader : 0));
    builder_op(b, OP_READ, forked ? 1 - reader : 1, VALUE_INITIAL);
  }
}

// Their order is one of PC, with snapshots, if there is one.
static void many_sessions_are_causal(void) {
  for (int forked = 0; forked <= 1; forked++) {
    struct builder *b = builder_open();
    make_many_sessions(b, forked);
    const struct check_options options = {
        .question = {.level = ISOLATION_CC, .session_order = true}};
    struct history h;
    struct error error;
    struct verdict v;
    CHECK_INT(builder_finish(b, &h, &error), 0);
    free(h.begin);
    free(h.end);
    h.begin = h.end = NULL;
    CHECK_INT(check(&h, &options, &v, &error), 0);
    CHECK_INT(v.kind, VERDICT_PASS);
    CHECK_INT(v.snapshot != NULL, !forked);
    verdict_free(&v);
    history_free(&h);
  }
}

int main(void) {
  return TAP_RUN(
      {"histories that keep a level", histories_that_keep_a_level},
      {"histories that break a level", histories_that_break_a_level},
      {"every anomaly has an example", every_anomaly_has_an_example},
      {"blind writes are put in an order", blind_writes_are_put_in_an_order},
      {"real time needs times", real_time_needs_times},
      {"times may be centuries apart", times_may_be_centuries_apart},
      {"a check stops when told", it_stops_when_told},
      {"many sessions are causal", many_sessions_are_causal},
      {"sessions matter only if asked", sessions_matter_only_if_asked},
      {"transactions are counted by outcome",
       transactions_are_counted_by_outcome},
      {"a circle of thousands is told whole",
       a_circle_of_thousands_is_told_whole},
      {"the shortest of many cycles is told",
       the_shortest_of_many_cycles_is_told});
}
