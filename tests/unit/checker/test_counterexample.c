// SPDX-License-Identifier: GPL-3.0-or-later
// Counterexamples are whole and minimal: the referee finds each part broken at
// the level that is named, at no weaker one, and the level that it is said to
// be minimal for kept without any one of its transactions or operations.  For
// the corpus, for the 14 bugs of the memory driver, and for orders that the
// history leaves open.
#include "config.h"

#include "checker/part/row_registers.h"
#include "checker/part/subhistory.h"
#include "checker/verdict/verdict.h"
#include "checker/verify/referee.h"
#include "recorder/builder/builder.h"
#include "recorder/files/reader.h"
#include "tests/kit/memory_load.h"
#include "tests/kit/tiny.h"
#include "tests/tap.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

static enum referee_answer judge(const struct history *h,
                                 const struct operations *ops,
                                 enum isolation level) {
  const struct referee_options options = {.level = level,
                                          .session_order = true};
  struct history part;
  subhistory_extract(h, ops, &part, NULL);
  const enum referee_answer answer =
      referee_decide(&part, &options, NULL, NULL);
  history_free(&part);
  return answer;
}

// The part without the operations [first, end) of it, and what goes with them.
static enum referee_answer judge_without(const struct history *h,
                                         const struct verdict *v,
                                         uint32_t first, uint32_t end) {
  struct operations rest = {.op = malloc(v->npart * sizeof *rest.op)};
  for (uint32_t i = 0; i < v->npart; i++)
    if (i < first || i >= end)
      rest.op[rest.count++] = v->part[i];
  subhistory_close(h, &rest);
  const enum referee_answer answer = judge(h, &rest, v->minimal);
  free(rest.op);
  return answer;
}

static uint32_t end_of_txn(const struct history *h, const struct verdict *v,
                           uint32_t first) {
  uint32_t end = first;
  while (end < v->npart &&
         history_txn(h, v->part[end]) == history_txn(h, v->part[first]))
    end++;
  return end;
}

static bool is_whole_and_minimal(const struct history *h,
                                 const struct verdict *v) {
  const struct operations all = {.op = v->part, .count = v->npart};
  bool right = CHECK(v->kind == VERDICT_VIOLATION) &&
               CHECK(judge(h, &all, v->question.level) == REFEREE_BROKEN) &&
               CHECK(judge(h, &all, v->broken) == REFEREE_BROKEN);
  for (enum isolation level = ISOLATION_RC; right && level < v->broken; level++)
    right &= CHECK(judge(h, &all, level) == REFEREE_KEPT);
  for (uint32_t i = 0; right && i < v->npart; i++)
    right &= CHECK(judge_without(h, v, i, i + 1) == REFEREE_KEPT);
  for (uint32_t i = 0; right && i < v->npart; i = end_of_txn(h, v, i))
    right &= CHECK(judge_without(h, v, i, end_of_txn(h, v, i)) == REFEREE_KEPT);
  return right;
}

static bool check_at(const struct history *h, enum isolation level,
                     struct verdict *v) {
  const struct check_options options = {
      .question = {.level = level, .session_order = true}};
  struct error error;
  const bool done = CHECK(check(h, &options, v, &error) == 0);
  if (!done)
    printf("# %s\n", error.text);
  return done;
}

// --- The corpus.

static void check_file(const char *path) {
  struct history h;
  struct error error;
  if (!CHECK(history_read(path, NULL, &h, &error) == 0))
    return;
  for (enum isolation level = ISOLATION_RC; level < ISOLATION_COUNT; level++) {
    struct verdict v;
    if (check_at(&h, level, &v) && v.kind == VERDICT_VIOLATION &&
        !is_whole_and_minimal(&h, &v))
      printf("# %s at %s\n", path, isolation_name(level));
    verdict_free(&v);
  }
  history_free(&h);
}

static void the_corpus(void) {
  char pattern[4096];
  glob_t files;
  snprintf(pattern, sizeof pattern, "%s/tests/histories/*/n-*.txt",
           getenv("TOP_SRCDIR"));
  if (!CHECK(glob(pattern, 0, NULL, &files) == 0))
    return;
  for (size_t i = 0; i < files.gl_pathc; i++)
    check_file(files.gl_pathv[i]);
  globfree(&files);
}

// --- The bugs of the memory driver.

static const char *const bugs[] = {
    "ThinAirRead",        "AbortedRead",
    "FutureRead",         "NotMyLastWrite",
    "NotMyOwnWrite",      "IntermediateRead",
    "NonRepeatableReads", "SessionGuaranteeViolation",
    "NonMonotonicRead",   "FracturedRead",
    "CausalityViolation", "LongFork",
    "LostUpdate",         "WriteSkew"};

static void add_op(struct builder *b, const struct load_op *op) {
  if (op->kind == OP_READ_LIST)
    builder_list(b, op->key, op->list.values, op->list.count);
  else
    builder_op(b, op->kind, op->key, op->value);
}

// Sessions in the order in which their transactions ran.
static struct history history_of_load(const struct load *load) {
  struct builder *b = builder_open();
  struct history h = {0};
  struct error error;
  for (uint32_t i = 0; i < load->ntxns; i++) {
    const struct load_txn *t = &load->txns[i];
    builder_txn(b, t->session, t->outcome, ISOLATION_SER, t->begun, t->ended);
    for (uint32_t k = 0; k < t->nops; k++)
      add_op(b, &t->ops[k]);
  }
  if (!CHECK(builder_finish(b, &h, &error) == 0))
    printf("# %s\n", error.text);
  return h;
}

static uint32_t longest_of_part(const struct history *h,
                                const struct verdict *v, uint32_t *ntxns) {
  uint32_t longest = 0;
  *ntxns = 0;
  for (uint32_t i = 0; i < v->npart; i = end_of_txn(h, v, i)) {
    const uint32_t length = end_of_txn(h, v, i) - i;
    longest = length > longest ? length : longest;
    ++*ntxns;
  }
  return longest;
}

// Until the bug has shown; it nearly always does at once.
static bool break_by(const char *bug, uint64_t seed, bool lists) {
  const struct load_options options = {.level = ISOLATION_SER,
                                       .bug = bug,
                                       .seed = seed,
                                       .nsessions = 8,
                                       .ntxns = 500,
                                       .nkeys = 10,
                                       .mini = !lists,
                                       .lists = lists};
  struct load load = load_run(&options);
  struct history h = history_of_load(&load);
  struct verdict v;
  const bool broken =
      check_at(&h, ISOLATION_SER, &v) && v.kind == VERDICT_VIOLATION;
  if (broken) {
    uint32_t ntxns;
    bool right = is_whole_and_minimal(&h, &v);
    if (!lists) {
      right &= CHECK(longest_of_part(&h, &v, &ntxns) <= 4);
      right &= CHECK(ntxns <= 6);
    }
    if (!right)
      printf("# %s%s, seed %u\n", bug, lists ? " of lists" : "",
             (unsigned)seed);
  }
  verdict_free(&v);
  history_free(&h);
  load_free(&load);
  return broken;
}

static void every_bug(void) {
  for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++)
    for (int lists = 0; lists <= 1; lists++) {
      uint64_t seed = 1;
      while (seed < 50 && !break_by(bugs[i], seed, lists))
        seed++;
      if (!CHECK(seed < 50))
        printf("# %s%s does not show\n", bugs[i], lists ? " of lists" : "");
    }
}

static uint32_t count_kind(const struct verdict *v, enum edge_kind kind) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < v->nedges; i++)
    n += v->edges[i].kind == kind;
  return n;
}

static bool has_rw_in_a_row(const struct verdict *v) {
  bool found = false;
  for (uint32_t i = 0; i < v->nedges; i++)
    found |= v->edges[i].kind == EDGE_RW &&
             v->edges[(i + 1) % v->nedges].kind == EDGE_RW;
  return found;
}

static bool is_of_one_key(const struct history *h, const struct verdict *v) {
  return h->key[v->edges[0].to_op] == h->key[v->edges[1].to_op];
}

// The pictures of MTC, figure 5, and the definitions of Adya and Elle.
static bool has_shape(const struct history *h, const struct verdict *v) {
  const uint32_t n = v->nedges, so = count_kind(v, EDGE_SO);
  const uint32_t wr = count_kind(v, EDGE_WR), ww = count_kind(v, EDGE_WW);
  const uint32_t rw = count_kind(v, EDGE_RW);
  switch (v->anomaly) {
  case ANOMALY_SESSION_GUARANTEE_VIOLATION:
    return n == 2 && so == 1 && rw == 1;
  case ANOMALY_NON_MONOTONIC_READ:
  case ANOMALY_FRACTURED_READ:
    return n == 2 && wr == 1 && rw == 1;
  case ANOMALY_CAUSALITY_VIOLATION:
    return n > 2 && rw == 1 && so + wr == n - 1;
  case ANOMALY_LONG_FORK:
    return n >= 4 && rw >= 2 && !ww && !has_rw_in_a_row(v);
  case ANOMALY_LOST_UPDATE:
    return n == 2 && rw >= 1 && rw + ww == 2 && is_of_one_key(h, v);
  case ANOMALY_WRITE_SKEW:
    return n == 2 && rw == 2 && !is_of_one_key(h, v);
  case ANOMALY_CYCLE_G0:
    return ww == n - so && ww;
  case ANOMALY_CYCLE_G1C:
    return !rw && wr;
  case ANOMALY_CYCLE_G_SINGLE:
    return rw <= 1;
  case ANOMALY_CYCLE_G_NONADJACENT:
    return rw >= 2 && !has_rw_in_a_row(v);
  case ANOMALY_CYCLE_G2_ITEM:
    return n > 2 && has_rw_in_a_row(v);
  case ANOMALY_LOST_WRITE:
    return rw + ww == 1;
  default:
    return !n; // a wrong read
  }
}

// A part is called by a cycle that breaks no stronger level than the part.
static bool has_fitting_name(const struct history *h, const struct verdict *v) {
  return anomaly_weakest(v->anomaly) <= v->broken &&
         (verdict_by_argument(v) || has_shape(h, v));
}

static bool is_shown_before(const struct verdict *v, uint32_t other) {
  const struct verdict *shown = &v->others[other];
  bool before = false;
  for (uint32_t i = 0; i <= other; i++) {
    const struct verdict *earlier = i ? &v->others[i - 1] : v;
    before |=
        earlier->anomaly == shown->anomaly && earlier->npart == shown->npart &&
        !memcmp(earlier->part, shown->part, shown->npart * sizeof *shown->part);
  }
  return before;
}

// All that are shown are rightly named, and as whole and minimal as the first;
// none is shown twice.
static void check_shown(const struct history *h, const struct verdict *v) {
  for (uint32_t i = 0; i <= v->nothers; i++) {
    const struct verdict *shown = i ? &v->others[i - 1] : v;
    uint32_t ntxns;
    CHECK(!i || !is_shown_before(v, i - 1));
    longest_of_part(h, shown, &ntxns);
    if (!CHECK(has_fitting_name(h, shown)) ||
        (ntxns <= REFEREE_MAX_TXNS && !is_whole_and_minimal(h, shown)))
      printf("# %s breaks %s\n", anomaly_info(shown->anomaly)->name,
             isolation_name(shown->broken));
  }
}

static void check_names(const struct load_options *load_options) {
  const struct check_options options = {
      .question = {.level = ISOLATION_SER, .session_order = true},
      .max_examples = 5};
  struct load load = load_run(load_options);
  struct history h = history_of_load(&load);
  struct verdict v;
  struct error error;
  if (CHECK(check(&h, &options, &v, &error) == 0) &&
      v.kind == VERDICT_VIOLATION)
    check_shown(&h, &v);
  verdict_free(&v);
  history_free(&h);
  load_free(&load);
}

static void names_fit_the_parts(void) {
  for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++)
    check_names(&(struct load_options){.level = ISOLATION_SER,
                                       .bug = bugs[i],
                                       .seed = 1,
                                       .nsessions = 8,
                                       .ntxns = 1500,
                                       .nkeys = 10,
                                       .mini = true});
  for (enum isolation level = ISOLATION_RC; level <= ISOLATION_SER; level++)
    for (int i = 0; i < 8; i++)
      check_names(&(struct load_options){.level = level,
                                         .stale = "0.3",
                                         .seed = (uint64_t)i,
                                         .nsessions = 4,
                                         .ntxns = 60,
                                         .nkeys = 4,
                                         .mini = i & 1,
                                         .lists = i & 2});
}

// Parts that are told by an argument alone are called by what they look like,
// and one that only looks larger by what it is.
static const struct {
  const char *text;
  enum anomaly anomaly;
} likenesses[] = {
    {"[x:=1] [x:=2 y:=3] / [y==3 x==1]", ANOMALY_NON_MONOTONIC_READ},
    {"[x:=1] [x:=2 y:=3] / [x==1 y==3]", ANOMALY_FRACTURED_READ},
    {"[x:=1] / [x==1] [x:=2] [x==1]", ANOMALY_SESSION_GUARANTEE_VIOLATION},
    {"[x:=1] [x:=2 y:=3] / [y==3 z:=4] / [z==4 x==1]",
     ANOMALY_CAUSALITY_VIOLATION},
    {"[x:=1] / [x==1 x:=3] / [x==1 x:=4]", ANOMALY_LOST_UPDATE},
    {"[x:=1 y:=2] [z:=3 w:=4] / [y==2 z==3 x:=5] / [x==1 w==4 y:=6]",
     ANOMALY_WRITE_SKEW},
    {"[x:=1] [x:=2 y==?] / [x==1 y:=4]", ANOMALY_WRITE_SKEW},
    {"[x==? y:=1] / [y==? z:=2] / [z==? x:=3]", ANOMALY_CYCLE_G2_ITEM},
    {"[x:=1] / [y:=2] / [z:=3] / [x==1 y==?] / [y==2 z==?] / [z==3 x==?]",
     ANOMALY_LONG_FORK}};

// Checks a tiny history, with sessions, and at most so many examples.
static void check_text(const char *text, enum isolation level,
                       uint32_t max_examples, struct verdict *v) {
  const struct check_options options = {
      .question = {.level = level, .session_order = true},
      .max_examples = max_examples};
  struct tiny tiny;
  struct tiny_history room;
  struct error error;
  tiny_parse(text, &tiny);
  CHECK(check(tiny_history(&tiny, &room), &options, v, &error) == 0);
}

static void parts_are_called_by_likeness(void) {
  for (size_t i = 0; i < sizeof likenesses / sizeof *likenesses; i++) {
    struct verdict v;
    check_text(likenesses[i].text, ISOLATION_SER, 5, &v);
    if (!CHECK(v.anomaly == likenesses[i].anomaly) || !CHECK(v.nothers == 0))
      printf("# %s: %s\n", likenesses[i].text, anomaly_info(v.anomaly)->name);
    verdict_free(&v);
  }
}

// A stale read, and a fork that rests on it: the fork is no anomaly beside it.
static void what_is_explained_does_not_count(void) {
  struct verdict v;
  check_text("[x:=1] [z:=2] / [y:=3] / [x==1 y==?] / [z==2] [y==3] [x==?]",
             ISOLATION_SER, 5, &v);
  CHECK(v.anomaly == ANOMALY_CAUSALITY_VIOLATION);
  CHECK(v.found[ANOMALY_CAUSALITY_VIOLATION] == 1);
  CHECK(v.found[ANOMALY_LONG_FORK] == 0);
  verdict_free(&v);
}

// Each of two cycles has its number, and the reads that it rests on.
static void counted_have_their_reads(void) {
  struct verdict v;
  check_text("[x==? y:=1] / [y==? x:=2] / [z==? w:=3] / [w==? z:=4]",
             ISOLATION_SER, 1, &v);
  CHECK_INT(v.found[ANOMALY_WRITE_SKEW], 2);
  CHECK_INT(v.nothers, 0);
  CHECK_INT(v.ncounted, 4);
  for (uint32_t i = 0; i < v.ncounted; i++) {
    CHECK_INT(v.counted[i].anomaly, ANOMALY_WRITE_SKEW);
    CHECK_INT(v.counted[i].number, i / 2);
    CHECK_INT(v.counted[i].op % 2, 0);
    CHECK_INT(v.counted[i].op / 4, v.counted[i ^ 1].op / 4);
  }
  verdict_free(&v);
}

// --- Small parts.

static const struct {
  const char *name, *text;
  enum anomaly anomaly;
  uint32_t ntxns;
} small_parts[] = {
    {"a session leads back in fewer steps than what was read",
     "[x:=1 y:=2] / [y==2 z:=3] / [z==3 w:=4] / [y==2] [w==4] [x==?]",
     ANOMALY_CAUSALITY_VIOLATION, 3},
    {"one of two anomalies of a kind needs fewer transactions",
     "[x:=1] / [x==1 x:=2] / [x==2 x:=3 y:=4] / [x==1 y==4] / "
     "[z:=5] / [z==5 z:=6 w:=7] / [z==5 w==7]",
     ANOMALY_FRACTURED_READ, 3}};

static void small_parts_are_found(void) {
  for (size_t i = 0; i < sizeof small_parts / sizeof *small_parts; i++) {
    const struct check_options options = {
        .question = {.level = ISOLATION_SER, .session_order = true},
        .max_examples = 1};
    struct tiny tiny;
    struct tiny_history room;
    struct verdict v;
    struct error error;
    uint32_t ntxns = 0;
    tiny_parse(small_parts[i].text, &tiny);
    const struct history *h = tiny_history(&tiny, &room);
    if (CHECK(check(h, &options, &v, &error) == 0) &&
        is_whole_and_minimal(h, &v))
      longest_of_part(h, &v, &ntxns);
    if (!CHECK(v.anomaly == small_parts[i].anomaly) ||
        !CHECK(ntxns == small_parts[i].ntxns))
      printf("# %s\n", small_parts[i].name);
    verdict_free(&v);
  }
}

// --- Lost updates of rows.

// The SELECT alone misses what its session wrote.  That the session lost an
// update hurts more.
static void own_lost_updates_are_told(void) {
  const char *file = "tests/histories/rows/rc-lost-update-of-own-session.txt";
  char path[4096];
  struct history rows;
  struct error error;
  snprintf(path, sizeof path, "%s/%s", getenv("TOP_SRCDIR"), file);
  if (!CHECK(history_read(path, NULL, &rows, &error) == 0))
    return;
  struct history h = rows_registers(&rows, false);
  struct verdict v;
  if (check_at(&h, ISOLATION_SER, &v)) {
    const struct operations all = {.op = v.part, .count = v.npart};
    CHECK_INT(v.anomaly, ANOMALY_LOST_UPDATE);
    CHECK(v.op == 5 && v.other_op == 4);
    CHECK(operations_find(&all, 3) != UINT32_MAX);
    CHECK(judge(&h, &all, ISOLATION_RA) == REFEREE_BROKEN);
    CHECK(v.has_more);
  }
  verdict_free(&v);
  rows_as_registers_free(&h);
  history_free(&rows);
}

// --- Below causal consistency.

// The last two are cycles through other versions than the next one, and beside
// a longer way back that keeps read atomic.
static const struct {
  const char *text;
  enum isolation level;
  enum anomaly anomaly;
} direct_ways[] = {
    {"[x:=1] / [x==1 x:=2 y:=3] / [y==3 x==1]", ISOLATION_RC,
     ANOMALY_NON_MONOTONIC_READ},
    {"[x:=1] / [x==1 x:=2 y:=3] / [x==1 y==3]", ISOLATION_RA,
     ANOMALY_FRACTURED_READ},
    {"[x:=1] / [x==1 x:=2] [y:=3] [z:=4] [x==1]", ISOLATION_RA,
     ANOMALY_SESSION_GUARANTEE_VIOLATION},
    {"[x:=1] / [x==1 x:=2] / [x==2 x:=3] [y:=4] [x==1]", ISOLATION_RA,
     ANOMALY_SESSION_GUARANTEE_VIOLATION},
    {"[x:=1] / [x==1 x:=2 y:=4] / [y==4 z:=5] / [x==2 x:=3 w:=6] / "
     "[x==1 z==5 w==6]",
     ISOLATION_RA, ANOMALY_FRACTURED_READ}};

static void direct_ways_are_found(void) {
  for (size_t i = 0; i < sizeof direct_ways / sizeof *direct_ways; i++) {
    struct verdict v;
    check_text(direct_ways[i].text, direct_ways[i].level, 1, &v);
    if (!CHECK(v.anomaly == direct_ways[i].anomaly) || !CHECK(v.nedges == 2) ||
        !CHECK(v.found[v.anomaly] == 1))
      printf("# %s\n", direct_ways[i].text);
    verdict_free(&v);
  }
}

// --- Orders that are open.

static const struct {
  const char *text;
  enum isolation level;
  bool by_argument;
} open_orders[] = {
    {"[x:=1 y:=2] / [x:=3 y:=4] / [x==1] / [x==3] / [x==1 y==4] / [x==3 y==2]",
     ISOLATION_SER, true},
    {"[x:=1 y:=2] / [x:=3 y:=4] / [x==1 y==4]", ISOLATION_RA, true},
    {"[x:=1] / [x:=2] / [x==1] [x==2] / [x==2] [x==1]", ISOLATION_SER, true},
    {"[x:=1] / [x:=2] / [x:=3] / [x==1] [x==2] / [x==2] [x==3] / [x==3] "
     "[x==1]",
     ISOLATION_SER, true},
    {"[x+=1 y:=5] / [x+=2 y:=6] / [y==5] [y==6] / [y==6] [y==5]", ISOLATION_SI,
     true},
};

static void open_orders_are_argued(void) {
  for (size_t i = 0; i < sizeof open_orders / sizeof *open_orders; i++) {
    struct tiny tiny;
    struct tiny_history room;
    struct verdict v;
    tiny_parse(open_orders[i].text, &tiny);
    const struct history *h = tiny_history(&tiny, &room);
    if (check_at(h, open_orders[i].level, &v) && is_whole_and_minimal(h, &v)) {
      CHECK(verdict_by_argument(&v) == open_orders[i].by_argument);
      CHECK(v.argument.nsteps > 0);
    } else {
      printf("# %s\n", open_orders[i].text);
    }
    verdict_free(&v);
  }
}

// --- More transactions than the referee tries.

// n transactions each write x, and each is read before the next one by a
// session that reads both; so does the last one before the first.
static struct history ring(uint32_t n) {
  struct builder *b = builder_open();
  struct history h = {0};
  struct error error;
  for (uint32_t i = 0; i < n; i++) {
    builder_txn(b, i, OUTCOME_OK, ISOLATION_SER, TIME_UNKNOWN, TIME_UNKNOWN);
    builder_op(b, OP_WRITE, 1, i + 1);
  }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < 2; k++) {
      builder_txn(b, n + i, OUTCOME_OK, ISOLATION_SER, TIME_UNKNOWN,
                  TIME_UNKNOWN);
      builder_op(b, OP_READ, 1, (i + k) % n + 1);
    }
  CHECK_INT(builder_finish(b, &h, &error), 0);
  return h;
}

static void large_parts_are_proved(void) {
  for (uint32_t n = 2; n <= 14; n += 4) {
    struct history h = ring(n);
    struct verdict v;
    if (check_at(&h, ISOLATION_SER, &v)) {
      CHECK_INT(v.kind, VERDICT_VIOLATION);
      CHECK(v.npart > 0 && v.argument.nsteps > 0);
    }
    verdict_free(&v);
    history_free(&h);
  }
}

int main(void) {
  return TAP_RUN(
      {"counterexamples of the corpus are minimal", the_corpus},
      {"counterexamples of every bug are minimal", every_bug},
      {"names fit the parts", names_fit_the_parts},
      {"parts are called by likeness", parts_are_called_by_likeness},
      {"what is explained does not count", what_is_explained_does_not_count},
      {"what is counted is known by its reads", counted_have_their_reads},
      {"small parts are found", small_parts_are_found},
      {"own lost updates are told", own_lost_updates_are_told},
      {"direct ways are found", direct_ways_are_found},
      {"open orders are argued", open_orders_are_argued},
      {"large parts are proved", large_parts_are_proved});
}
