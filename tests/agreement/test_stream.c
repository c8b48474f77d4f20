// SPDX-License-Identifier: GPL-3.0-or-later
// The streaming check against the check in memory, at every level, on small
// random histories that are written to a file, with blocks so small that some
// histories have larger ones.  The stream may leave a question open, but
// rarely, and says nothing else than the check in memory.
#include "config.h"

#include "base/memory.h"
#include "base/random.h"
#include "checker/stream/stream.h"
#include "recorder/files/reader.h"
#include "recorder/files/writer.h"
#include "recorder/formats/formats.h"
#include "tests/kit/generate.h"
#include "tests/kit/long_history.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  TINY_HISTORIES = 800,  // of each family
  LONG_HISTORIES = 1500, // see tests/kit/long_history.h
  MUTANT_HISTORIES = 60, // of these, for each rule that is broken
  MAX_TXNS = 8,
  BLOCK = 64,        // transactions that are put in order at once
  REMEMBERED = 4096, // versions that were overwritten
};

struct tally {
  unsigned same[VERDICT_UNDECIDED + 1];
  unsigned open;       // as a stream alone
  unsigned refused;    // the second pass refused what the first had found
  unsigned wrong;      // one said PASS and the other VIOLATION
  unsigned other_name; // of the anomaly
};

static char directory[] = "/tmp/isostress-stream.XXXXXX";
static char path[sizeof directory + 8];

static void start_directory(void) {
  if (*path)
    return;
  CHECK(mkdtemp(directory) != NULL);
  snprintf(path, sizeof path, "%s/history", directory);
}

static bool write_file(const struct history *h) {
  struct error error;
  start_directory();
  return !history_write(path, history_format_named("isostress", &error), h,
                        NULL, &error);
}

static struct check_options ask(enum isolation level) {
  struct check_options options = {.question = question_usual()};
  options.question.level = level;
  return options;
}

// The check in memory says PASS of a history in which nothing was written, and
// the command then withholds the verdict.
static bool is_withheld(const struct verdict *streamed) {
  return streamed->kind == VERDICT_UNDECIDED &&
         !strncmp(streamed->why, "no transaction", strlen("no transaction"));
}

static void count_answers(const struct verdict *loaded,
                          const struct verdict *streamed, struct tally *tally) {
  if (loaded->kind == streamed->kind || is_withheld(streamed)) {
    tally->same[loaded->kind]++;
    tally->other_name += loaded->kind == VERDICT_VIOLATION &&
                         loaded->anomaly != streamed->anomaly;
  } else if (streamed->kind == VERDICT_UNDECIDED) {
    tally->open++;
  } else {
    tally->wrong++;
    printf("# %s: in memory %d, as a stream %d\n",
           isolation_name(loaded->question.level), loaded->kind,
           streamed->kind);
  }
}

// Both answers are about what was read from the file, so that both number their
// transactions alike.
static void compare_level(struct flow *flow, const struct history *h,
                          enum isolation level, unsigned broken,
                          struct tally *tally) {
  struct error error = {0};
  struct verdict verdict;
  struct stream_result result;
  const struct stream_options options = {
      .check = ask(level),
      .most_block = BLOCK,
      .guess = {.remembered = REMEMBERED, .broken = broken}};
  if (stream_check(flow, &options, &result, &error)) {
    tally->refused++;
    return;
  }
  if (CHECK(!check(h, &options.check, &verdict, &error))) {
    count_answers(&verdict, &result.verdict, tally);
    verdict_free(&verdict);
  }
  stream_result_free(&result);
}

static void compare_levels(const struct history *written, unsigned broken,
                           struct tally *tally) {
  struct error error = {0};
  struct history h;
  if (!write_file(written) || history_read(path, "isostress", &h, &error))
    return;
  struct flow *flow = flow_open(path, NULL, &error);
  if (CHECK(flow != NULL) && !h.again) {
    for (enum isolation level = ISOLATION_RC; level <= ISOLATION_SSER; level++)
      compare_level(flow, &h, level, broken, tally);
    flow_close(flow);
  }
  history_free(&h);
}

static void report_tally(const char *what, const struct tally *t) {
  printf("# %s: %u kept, %u broken (%u of them under another name), %u left "
         "open, %u refused, %u wrong\n",
         what, t->same[VERDICT_PASS], t->same[VERDICT_VIOLATION], t->other_name,
         t->open, t->refused, t->wrong);
}

static void print_wrong(const struct tiny *tiny) {
  char text[4096];
  tiny_print(tiny, text, sizeof text);
  printf("# %s\n", text);
}

// `open`: of 1000 questions, so many at most may stay open.
static void agree_on_tiny(enum family family, unsigned open) {
  const unsigned count = tap_inputs(TINY_HISTORIES, 100);
  struct tally tally = {{0}, 0, 0, 0, 0};
  gsl_rng *random = random_stream(1, family, RANDOM_TEST);
  for (unsigned i = 0; i < count; i++) {
    struct tiny tiny;
    struct tiny_history room;
    generate(random, family, MAX_TXNS, &tiny);
    const struct history *h = tiny_history(&tiny, &room);
    const unsigned bad = tally.wrong + tally.refused;
    if (!h->lists)
      compare_levels(h, RULES_KEPT, &tally);
    if (tally.wrong + tally.refused > bad)
      print_wrong(&tiny);
  }
  gsl_rng_free(random);
  report_tally(family_name(family), &tally);
  CHECK_INT(tally.wrong + tally.refused, 0);
  CHECK(tally.same[VERDICT_PASS] > count &&
        tally.same[VERDICT_VIOLATION] > count);
  // In a share of the histories, all levels of two more may stay open.
  const uint64_t more = TAP_SHARE > 1 ? 2 * ISOLATION_SSER : 0;
  CHECK(tally.open <= (uint64_t)count * ISOLATION_SSER * open / 1000 + more);
}

static void mini(void) { agree_on_tiny(FAMILY_MINI, 20); }
static void general(void) { agree_on_tiny(FAMILY_GENERAL, 100); }
static void cas(void) { agree_on_tiny(FAMILY_CAS, 20); }
static void outcome(void) { agree_on_tiny(FAMILY_OUTCOME, 60); }

static struct tally agree_on_long(unsigned count, unsigned broken) {
  struct tally tally = {{0}, 0, 0, 0, 0};
  gsl_rng *random = random_stream(2, 0, RANDOM_TEST);
  for (unsigned i = 0; i < count; i++) {
    struct history h;
    long_history(random, &h);
    compare_levels(&h, broken, &tally);
    history_free(&h);
  }
  gsl_rng_free(random);
  return tally;
}

static void longer(void) {
  const struct tally tally =
      agree_on_long(tap_inputs(LONG_HISTORIES, 100), RULES_KEPT);
  report_tally("longer histories", &tally);
  CHECK_INT(tally.wrong + tally.refused, 0);
}

// A rule that is broken is seen by the second pass: never a wrong verdict.
static void mutants(void) {
  static const unsigned rules[] = {RULE_OVERWRITTEN, RULE_EARLY};
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    const struct tally tally = agree_on_long(MUTANT_HISTORIES, rules[i]);
    report_tally("a broken rule", &tally);
    CHECK_INT(tally.wrong, 0);
    CHECK(tally.refused > MUTANT_HISTORIES);
  }
}

static void tidy(void) {
  unlink(path);
  CHECK_INT(rmdir(directory), 0);
}

int main(void) {
  return TAP_RUN({"mini-transactions", mini}, {"blind writes", general},
                 {"compare-and-sets", cas},
                 {"aborted and unknown transactions", outcome},
                 {"longer histories", longer}, {"broken rules", mutants},
                 {"nothing is left behind", tidy});
}
