// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments as numbered sentences: which steps are told, their numbers, and
// what each says of arguments that are made up here.
#include "config.h"

#include "base/memory.h"
#include "report/tale/argue.h"
#include "report/tale/example.h"
#include "report/tale/story.h"
#include "tests/kit/told.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

// --- Marks.

static void expect_mark(uint32_t number, uint32_t ncycle, const char *wanted) {
  char buffer[NAME_ROOM];
  CHECK_STR(argue_mark(number, ncycle, buffer), wanted);
}

static void marks_are_numbers_and_letters(void) {
  expect_mark(1, 0, "1");
  expect_mark(48, 0, "48");
  expect_mark(1, 2, "1");
  expect_mark(2, 2, "2");
  expect_mark(3, 2, "a");
  expect_mark(28, 2, "z");
  expect_mark(29, 2, "aa");
  expect_mark(30, 2, "bb");
  expect_mark(12, 11, "a");
}

// --- Made-up arguments about one history.

enum { NONE = UINT32_MAX, MOST_STEPS = 60 };

// Operations: T1 0 a:=1; T2 1 a==1, 2 a:=2; T3 3 a:=3; T4 4 a==?
static const char history_text[] =
    "[a:=1]\n---\n[a==1 a:=2]\n---\n[a:=3]\n---\n[a==?]\n";

static uint32_t snapshot(uint32_t txn) { return 2 * txn; }

static uint32_t commit(uint32_t txn) { return 2 * txn + 1; }

struct arguing {
  struct told told;
  struct names names;
  struct verdict verdict;
  struct inference steps[MOST_STEPS];
  uint32_t path[MOST_STEPS];
  struct argue argue;
};

// Every transaction has a name, and every operation is shown.
static void begin_arguing_of(struct arguing *a, const char *text,
                             enum isolation broken) {
  static const uint32_t all[] = {0, 1, 2, 3, 4};
  a->told = told_of(text, ISOLATION_NONE);
  const struct history *h = &a->told.history;
  names_init(&a->names, h, false, all, h->ntxns, all, h->nops);
  a->verdict = (struct verdict){
      .kind = VERDICT_VIOLATION,
      .question = {.level = ISOLATION_SER, .session_order = true},
      .broken = broken,
      .op = NONE,
      .argument = {.steps = a->steps, .path = a->path}};
}

static void begin_arguing(struct arguing *a, enum isolation broken) {
  begin_arguing_of(a, history_text, broken);
}

static void add_step(struct arguing *a, struct inference step) {
  a->steps[a->verdict.argument.nsteps++] = step;
}

static void start_arguing(struct arguing *a) {
  argue_init(&a->argue, &a->told.history, &a->verdict);
  a->argue.names = &a->names;
}

static void end_arguing(struct arguing *a) {
  argue_free(&a->argue);
  names_free(&a->names);
  told_free(&a->told);
}

static void expect_step(const struct arguing *a, uint32_t step,
                        const char *wanted) {
  char sentence[STORY_SENTENCE];
  argue_step(&a->argue, step, sentence);
  CHECK_STR(sentence, wanted);
}

// T1 before T3 is tried, and leads to a contradiction; the lemma turns it
// around, which leads to another one.
static void make_two_contradictions(struct arguing *a, enum isolation broken) {
  static const uint32_t path[] = {0, 1, 3, 1};
  begin_arguing(a, broken);
  memcpy(a->path, path, sizeof path);
  a->verdict.argument.npath = 4;
  add_step(a, (struct inference){REASON_SUPPOSED, EDGE_WW, commit(0), commit(2),
                                 0, 3, NONE, NONE, 0, 0});
  add_step(a, (struct inference){REASON_HISTORY, EDGE_WR, commit(0),
                                 snapshot(1), 0, 1, NONE, NONE, 0, 0});
  add_step(a, (struct inference){.why = REASON_CONTRADICTION,
                                 .from_op = NONE,
                                 .to_op = NONE,
                                 .first = 0,
                                 .end = 2});
  add_step(a, (struct inference){REASON_LEMMA, EDGE_WW, commit(2), commit(0), 3,
                                 0, NONE, 2, 2, 2});
  add_step(a, (struct inference){.why = REASON_CONTRADICTION,
                                 .from_op = NONE,
                                 .to_op = NONE,
                                 .first = 2,
                                 .end = 4});
  start_arguing(a);
}

static void each_step_has_its_number(void) {
  struct arguing a = {0};
  make_two_contradictions(&a, ISOLATION_SER);
  for (uint32_t s = 0; s < 5; s++)
    CHECK_INT(a.argue.number[s], s + 1);
  CHECK(a.argue.supposed[0] && a.argue.supposed[1] && a.argue.supposed[2]);
  CHECK(!a.argue.supposed[3] && !a.argue.supposed[4]);
  CHECK(!a.argue.too_long);
  end_arguing(&a);
}

static void steps_of_transactions(void) {
  struct arguing a = {0};
  make_two_contradictions(&a, ISOLATION_SER);
  expect_step(&a, 0, "Suppose that T1 comes before T3.");
  expect_step(&a, 1,
              "T2 read x1, which T1 had written. So T1 comes before T2.");
  expect_step(&a, 2,
              "By 1 and 2, T1 would then come before itself, so the "
              "supposition is false.");
  expect_step(&a, 3, "By 3. So T3 comes before T1.");
  expect_step(&a, 4, "By 4 and 2, T3 would have to come before itself.");
  end_arguing(&a);
}

// At levels with snapshots these and commits are told apart.
static void steps_of_snapshots(void) {
  struct arguing a = {0};
  make_two_contradictions(&a, ISOLATION_SI);
  expect_step(&a, 0, "Suppose that T1 commits before T3 commits.");
  expect_step(&a, 2,
              "By 1 and 2, the commit of T1 would then come before itself, so "
              "the supposition is false.");
  expect_step(&a, 3, "By 3. So T3 must commit before T1 commits.");
  expect_step(&a, 4,
              "By 4 and 2, the commit of T3 would have to come before itself.");
  end_arguing(&a);
}

static void a_supposed_snapshot(void) {
  struct arguing a = {0};
  begin_arguing(&a, ISOLATION_PC);
  add_step(&a, (struct inference){REASON_SUPPOSED, EDGE_RW, snapshot(3),
                                  snapshot(2), 4, 3, NONE, NONE, 0, 0});
  start_arguing(&a);
  expect_step(&a, 0,
              "Suppose that T4 takes its snapshot before T3 takes its "
              "snapshot.");
  end_arguing(&a);
}

static void a_read_of_the_initial_value(void) {
  struct arguing a = {0};
  begin_arguing(&a, ISOLATION_SER);
  add_step(&a, (struct inference){REASON_READ, EDGE_RW, commit(3), commit(2), 4,
                                  3, 4, NONE, 0, 0});
  start_arguing(&a);
  expect_step(&a, 0,
              "T4 read x0, which was there before T3 wrote x3. So T4 comes "
              "before T3.");
  end_arguing(&a);
}

// The reader knows of another writer of the row.
static void a_read_of_one_of_two_writers(void) {
  struct arguing a = {0};
  begin_arguing(&a, ISOLATION_SER);
  add_step(&a, (struct inference){REASON_HISTORY, EDGE_SO, commit(2),
                                  snapshot(1), NONE, NONE, NONE, NONE, 0, 0});
  add_step(&a, (struct inference){REASON_READ, EDGE_WW, commit(2), commit(0), 3,
                                  0, 1, NONE, 0, 1});
  start_arguing(&a);
  expect_step(&a, 1,
              "T3 wrote x3 and comes before T2 (see 1), but T2 read x1, which "
              "T1 wrote. So T3 comes before T1.");
  end_arguing(&a);
}

static void an_initial_value_after_a_write(void) {
  struct arguing a = {0};
  begin_arguing(&a, ISOLATION_SER);
  add_step(&a, (struct inference){REASON_HISTORY, EDGE_SO, commit(2),
                                  snapshot(3), NONE, NONE, NONE, NONE, 0, 0});
  add_step(&a, (struct inference){REASON_READ, EDGE_RW, commit(3), commit(2), 4,
                                  3, 4, NONE, 0, 1});
  start_arguing(&a);
  expect_step(&a, 1,
              "T4 comes after T3 (see 1) and yet read x0, which was there "
              "before T3 wrote x3. So T4 comes before T3.");
  end_arguing(&a);
}

// At snapshot isolation one of two writers of a row sees the other.
static void two_writers_of_a_row(void) {
  struct arguing a = {0};
  begin_arguing(&a, ISOLATION_SI);
  add_step(&a, (struct inference){REASON_WRITERS, EDGE_WW, commit(0),
                                  snapshot(2), 0, 3, NONE, NONE, 0, 0});
  add_step(&a, (struct inference){REASON_WRITERS, EDGE_WW, snapshot(0),
                                  commit(2), 0, 3, NONE, NONE, 0, 0});
  start_arguing(&a);
  expect_step(&a, 0,
              "T1 commits before T3, and both wrote x. So T1 must commit "
              "before T3 takes its snapshot.");
  expect_step(&a, 1,
              "T1 takes its snapshot before T3 commits, and both wrote x. So "
              "T1 must take its snapshot before T3 commits.");
  end_arguing(&a);
}

// Operations: T1 0 l+=1; T2 1 l+=2; T3 2 l==[1,2]; T4 3 l==[1]
static void a_list_shows_an_order(void) {
  struct arguing a = {0};
  begin_arguing_of(&a, "[l+=1]\n---\n[l+=2]\n---\n[l==[1,2]]\n---\n[l==[1]]\n",
                   ISOLATION_SER);
  add_step(&a, (struct inference){REASON_LIST, EDGE_WW, commit(0), commit(1), 0,
                                  1, 2, NONE, 0, 0});
  add_step(&a, (struct inference){REASON_LIST, EDGE_WW, commit(0), commit(1), 0,
                                  1, 3, NONE, 0, 0});
  start_arguing(&a);
  expect_step(&a, 0,
              "T3 read [x1 x2], in which T1's x1 stands before T2's x2. So T1 "
              "comes before T2.");
  expect_step(&a, 1,
              "T4 read [x1], in which T1's x1 stands, without T2's x2. So T1 "
              "comes before T2.");
  end_arguing(&a);
}

// Two suppositions: not both can be true.
static void two_suppositions(void) {
  struct arguing a = {0};
  begin_arguing(&a, ISOLATION_SER);
  a.path[0] = 0;
  a.path[1] = 1;
  add_step(&a, (struct inference){REASON_SUPPOSED, EDGE_WW, commit(0),
                                  commit(2), 0, 3, NONE, NONE, 0, 0});
  add_step(&a, (struct inference){REASON_SUPPOSED, EDGE_WW, commit(2),
                                  commit(0), 3, 0, NONE, NONE, 0, 0});
  add_step(&a, (struct inference){.why = REASON_CONTRADICTION,
                                  .from_op = NONE,
                                  .to_op = NONE,
                                  .first = 0,
                                  .end = 2});
  start_arguing(&a);
  expect_step(&a, 2,
              "By 1 and 2, T1 would then come before itself, so the "
              "suppositions cannot all be true.");
  end_arguing(&a);
}

// A contradiction rests on `nsupposed` steps.
static void make_long(struct arguing *a, uint32_t nsupposed) {
  begin_arguing(a, ISOLATION_SER);
  for (uint32_t i = 0; i < nsupposed; i++)
    add_step(a, (struct inference){REASON_SUPPOSED, EDGE_WW, commit(0),
                                   commit(2), 0, 3, NONE, NONE, 0, 0});
  add_step(a, (struct inference){.why = REASON_CONTRADICTION,
                                 .from_op = NONE,
                                 .to_op = NONE,
                                 .first = 0,
                                 .end = 1});
  start_arguing(a);
}

static void an_argument_may_be_too_long(void) {
  struct arguing a = {0}, b = {0};
  make_long(&a, ARGUE_MOST - 1);
  CHECK(!a.argue.too_long);
  CHECK_INT(a.argue.number[ARGUE_MOST - 1], ARGUE_MOST);
  end_arguing(&a);
  make_long(&b, ARGUE_MOST);
  CHECK(b.argue.too_long);
  for (uint32_t s = 0; s <= ARGUE_MOST; s++)
    CHECK_INT(b.argue.number[s], 0);
  end_arguing(&b);
}

static void no_argument_at_all(void) {
  struct arguing a = {0};
  begin_arguing(&a, ISOLATION_SER);
  start_arguing(&a);
  CHECK(!a.argue.too_long);
  end_arguing(&a);
}

// --- Edges of a cycle.

// T2 read x1, which T3 replaced: only a step says which version is older.
static void a_step_says_what_an_edge_does(void) {
  struct arguing a = {0};
  struct edge edges[] = {{EDGE_WR, 0, 1, 0, 1}, {EDGE_RW, 1, 2, 1, 3}};
  begin_arguing(&a, ISOLATION_SER);
  a.verdict.nedges = 2;
  a.verdict.edges = edges;
  add_step(&a, (struct inference){REASON_HISTORY, EDGE_WR, commit(0),
                                  snapshot(1), 0, 1, NONE, NONE, 0, 0});
  add_step(&a, (struct inference){REASON_HISTORY, EDGE_SO, commit(0),
                                  snapshot(2), NONE, NONE, NONE, NONE, 0, 0});
  a.path[0] = 1;
  add_step(&a, (struct inference){REASON_READ, EDGE_RW, commit(1), commit(2), 1,
                                  3, 1, NONE, 0, 1});
  start_arguing(&a);
  CHECK(a.argue.evident[0]);
  CHECK(!a.argue.evident[1]);
  CHECK_INT(a.argue.step[0], 0);
  CHECK_INT(a.argue.step[1], 2);
  CHECK_INT(a.argue.number[0], 1);
  CHECK_INT(a.argue.number[2], 2);
  CHECK_INT(a.argue.number[1], 3); // the reason, behind the cycle: "a"
  char sentence[STORY_SENTENCE];
  argue_edge(&a.argue, 0, sentence);
  CHECK_STR(sentence,
            "T2 read x1, which T1 had written. So T1 comes before T2.");
  argue_edge(&a.argue, 1, sentence);
  CHECK_STR(sentence, "T2 read x1, which T1 wrote; later (see a) T3 wrote x3. "
                      "So T2 comes before T3.");
  end_arguing(&a);
}

// --- Examples of real verdicts.

static void expect_numbers(const char *text, enum isolation level) {
  struct told told = told_of(text, level);
  struct example e;
  if (!CHECK(told.verdict.kind == VERDICT_VIOLATION)) {
    told_free(&told);
    return;
  }
  example_of_verdict(&e, &told.history, &told.verdict, false);
  // Sentences of the cycle are 1, 2, ...; the reasons are counted on.
  for (uint32_t i = 0; i < e.ncycle; i++)
    CHECK_INT(e.edges[i].number, i + 1);
  for (uint32_t i = 0; i < e.nreasons; i++) {
    CHECK_INT(e.reasons[i].number, e.ncycle + i + 1);
    CHECK(strlen(e.reasons[i].sentence) > 0);
  }
  // Every reason is one of some other sentence.
  for (uint32_t i = 0; e.ncycle && i < e.nreasons; i++) {
    char mark[NAME_ROOM];
    bool named = false;
    example_mark(&e, e.reasons[i].number, mark);
    char *seen = xasprintf("see %s", mark), *last = xasprintf("and %s", mark);
    for (uint32_t k = 0; k < e.ncycle; k++)
      named |= strstr(e.edges[k].sentence, seen) ||
               strstr(e.edges[k].sentence, last);
    for (uint32_t k = 0; k < e.nreasons; k++)
      named |= strstr(e.reasons[k].sentence, mark) != NULL;
    CHECK(named);
    free(seen);
    free(last);
  }
  example_free(&e);
  told_free(&told);
}

static void numbers_of_examples(void) {
  expect_numbers("[x==? x:=1]\n---\n[x==? x:=2]\n", ISOLATION_SER);
  expect_numbers("[x==? y==? x:=1]\n---\n[x==? y==? y:=1]\n", ISOLATION_SER);
  // A long fork: two readers see two writes in opposite orders.
  expect_numbers("[x:=1]\n---\n[y:=1]\n---\n[x==1 y==?]\n---\n[x==? y==1]\n",
                 ISOLATION_SER);
  // Blind writes, whose order only the readers show.
  expect_numbers("[x:=1 y:=1]\n---\n[x:=2 y:=2]\n---\n[x==1 y==2]\n",
                 ISOLATION_SER);
  expect_numbers("[x:=1]\n---\n[x==1 y:=1]\n---\n[x:=2 y==1]\n---\n"
                 "[x==2]\n---\n[x==2 x==2]\n[x==1 y==1]\n",
                 ISOLATION_SER);
}

int main(void) {
  return TAP_RUN(
      {"marks are numbers and letters", marks_are_numbers_and_letters},
      {"each step has its number", each_step_has_its_number},
      {"steps between transactions", steps_of_transactions},
      {"steps between snapshots and commits", steps_of_snapshots},
      {"a snapshot is supposed", a_supposed_snapshot},
      {"a read of the initial value", a_read_of_the_initial_value},
      {"a read of one of two writers", a_read_of_one_of_two_writers},
      {"an initial value after a write", an_initial_value_after_a_write},
      {"two writers of a row", two_writers_of_a_row},
      {"a list shows an order", a_list_shows_an_order},
      {"two suppositions", two_suppositions},
      {"an argument may be too long", an_argument_may_be_too_long},
      {"no argument at all", no_argument_at_all},
      {"a step says what an edge does", a_step_says_what_an_edge_does},
      {"numbers of examples", numbers_of_examples});
}
