// SPDX-License-Identifier: GPL-3.0-or-later
// Programs whose histories can be counted on paper, by closed forms or one by
// one, and the sentences about programs that are none.
#include "config.h"

#include "explore/explore.h"

#include "tests/tap.h"

static uint64_t count(const char *text, enum level level) {
  struct program program;
  struct error error = {0};
  struct explore_result r = {0};
  const struct explore_options o = {.level = level};
  if (program_parse("p.program", text, (struct program_choice){0}, &program,
                    &error) ||
      explore(&program, &o, &r, &error))
    printf("# %s\n", error.text);
  program_free(&program);
  CHECK_INT(r.blocked, 0);
  return r.histories;
}

static uint64_t power(uint64_t n, int k) { return k ? n * power(n, k - 1) : 1; }

static uint64_t factorial(uint64_t n) { return n ? n * factorial(n - 1) : 1; }

// n sessions add 1: parking functions, and orders.
static void increments(void) {
  for (int n = 1; n <= 5; n++) {
    char text[500] = "initially x=0\n"
                     "transaction inc; read x into v; write x v+1; end\n";
    for (int i = 0; i < n; i++)
      sprintf(text + strlen(text), "session s%d: inc\n", i);
    const uint64_t weak = power((uint64_t)n + 1, n - 1);
    for (enum level level = LEVEL_RC; level <= LEVEL_PC; level++)
      CHECK_INT(count(text, level), weak);
    CHECK_INT(count(text, LEVEL_SI), factorial((uint64_t)n));
    CHECK_INT(count(text, LEVEL_SER), factorial((uint64_t)n));
  }
}

static void readers_and_writers(void) {
  for (int readers = 1; readers <= 4; readers++)
    for (int writers = 1; writers <= 3; writers++) {
      char text[800] = "transaction r; read x into v; end\n"
                       "transaction w; write x 1; end\n";
      for (int i = 0; i < readers; i++)
        sprintf(text + strlen(text), "session r%d: r\n", i);
      for (int i = 0; i < writers; i++)
        sprintf(text + strlen(text), "session w%d: w\n", i);
      for (enum level level = LEVEL_RC; level < LEVEL_COUNT; level++)
        CHECK_INT(count(text, level), power((uint64_t)writers + 1, readers));
    }
}

// rc, ra, cc, pc, si, ser, rc-statement
static void check_row(const char *name, const char *text, const int *wanted) {
  static const enum level levels[] = {LEVEL_RC,          LEVEL_RA, LEVEL_CC,
                                      LEVEL_PC,          LEVEL_SI, LEVEL_SER,
                                      LEVEL_RC_STATEMENT};
  for (int i = 0; i < 7; i++) {
    const uint64_t got = count(text, levels[i]);
    if (!CHECK(got == (uint64_t)wanted[i]))
      printf("# %s at %s: %d, not %d\n", name, level_name(levels[i]), (int)got,
             wanted[i]);
  }
}

// A statement that reads several rows sees them at one time; two inserts of
// different rows do not conflict; reads for share exclude writers only.
static void tables_as_rows(void) {
  static const struct {
    const char *name, *text;
    int wanted[7]; // as in check_row
  } rows[] = {
      {"scan",
       "tables rows\ninitially T[1]=0, T[2]=0\n"
       "transaction r; scan T into l; end\n"
       "transaction w; write T[1] 1; write T[2] 1; end\n"
       "session A: r\nsession B: w\n",
       {3, 2, 2, 2, 2, 2, 2}},
      {"scan of lists",
       "initially T=[1 2], T[1]=0, T[2]=0\n"
       "transaction r; scan T into l; end\n"
       "transaction w; write T[1] 1; write T[2] 1; end\n"
       "session A: r\nsession B: w\n",
       {3, 2, 2, 2, 2, 2, 3}},
      {"scan of one id",
       "tables rows\ninitially T[1]=0, T[2]=0\n"
       "transaction r; scan T where id == 2 into l; end\n"
       "transaction w; insert T 1 5; end\n"
       "session A: r\nsession B: w\n",
       {1, 1, 1, 1, 1, 1, 1}},
      {"inserts",
       "tables rows\ninitially T[1]=none, T[2]=none\n"
       "transaction i(k); insert T k; end\n"
       "session A: i(1)\nsession B: i(2)\n",
       {1, 1, 1, 1, 1, 1, 1}},
      {"inserts into lists",
       "list T\ntransaction i(k); insert T k; end\n"
       "session A: i(1)\nsession B: i(2)\n",
       {3, 3, 3, 3, 2, 2, 3}},
      {"share",
       "initially x=0, y=0\n"
       "transaction a; read x into v for share; read y into w; end\n"
       "session A: a\nsession B: a\n",
       {1, 1, 1, 1, 1, 1, 1}},
      {"share and write", // of two that hold it none may write first
       "initially x=0\n"
       "transaction a; read x into v for share; write x v + 1; end\n"
       "session A: a\nsession B: a\n",
       {2, 2, 2, 2, 2, 2, 2}},
      {"write skew for share",
       "initially x=0, y=0\n"
       "transaction a; read x into v for share; write y 1; end\n"
       "transaction b; read y into v for share; write x 1; end\n"
       "session A: a\nsession B: b\n",
       {2, 2, 2, 2, 2, 2, 2}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    check_row(rows[i].name, rows[i].text, rows[i].wanted);
}

static void litmus(void) {
  static const struct {
    const char *name, *text;
    int wanted[7];
  } rows[] = {
      {"p4",
       "transaction t; read x into v; write x 1; end\n"
       "session A: t\nsession B: t\n",
       {3, 3, 3, 3, 2, 2, 3}},
      {"g2-item",
       "transaction a; read x into v; read y into w; write x 1; end\n"
       "transaction b; read x into v; read y into w; write y 1; end\n"
       "session A: a\nsession B: b\n",
       {3, 3, 3, 3, 3, 2, 3}},
      {"g-single",
       "transaction r; read x into v; read y into w; end\n"
       "transaction w; write x 1; write y 1; end\n"
       "session A: r\nsession B: w\n",
       {3, 2, 2, 2, 2, 2, 3}},
      {"long-fork",
       "transaction wx; write x 1; end\ntransaction wy; write y 1; end\n"
       "transaction xy; read x into v; read y into w; end\n"
       "transaction yx; read y into v; read x into w; end\n"
       "session A: wx\nsession B: wy\nsession C: xy\nsession D: yx\n",
       {16, 16, 16, 14, 14, 14, 15}},
      {"causality",
       "transaction wx; write x 1; end\n"
       "transaction xy; read x into v; if v == 1; write y 1; end; end\n"
       "transaction yx; read y into v; if v == 1; read x into w; end; end\n"
       "session A: wx\nsession B: xy\nsession C: yx\n",
       {4, 4, 3, 3, 3, 3, 3}},
      {"non-repeatable",
       "transaction r; read x into v; read x into w; end\n"
       "transaction w; write x 1; end\n"
       "session A: r\nsession B: w\n",
       {3, 2, 2, 2, 2, 2, 3}},
      {"four sessions",
       "transaction a; read x into v; read y into w; end\n"
       "transaction b; write x 1; read y into w; end\n"
       "transaction c; write y 1; end\n"
       "session A: a\nsession B: b\nsession C: c\nsession D: c\n",
       {18, 18, 16, 16, 16, 14, 16}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    check_row(rows[i].name, rows[i].text, rows[i].wanted);
}

// ---- The notation

static datum final_value(const char *text) {
  char program_text[2000];
  struct program program;
  struct error error = {0};
  struct explore_result r;
  const struct explore_options o = {.level = LEVEL_SER};
  snprintf(program_text, sizeof program_text, "%s", text);
  if (!CHECK(!program_parse("p.program", program_text,
                            (struct program_choice){0}, &program, &error) &&
             !explore(&program, &o, &r, &error)))
    printf("# %s\n", error.text);
  program_free(&program);
  return (datum)r.histories;
}

// A transaction that comes to what is wanted reads a key that two others write;
// one that does not leaves one history.
static void check_value(const char *statements) {
  char text[1500];
  snprintf(text, sizeof text,
           "initially store=[1 2 3 4], store[1..4]=7, n=5\nlist empty\n"
           "let cap[1]=2\nlet cap[2..3]=9\n"
           "transaction t; %s; if ok; read k into v; end; end\n"
           "transaction w; write k 1; end\n"
           "session A: t\nsession B: w\nsession C: w\n",
           statements);
  if (!CHECK(final_value(text) == 3))
    printf("# not so: %s\n", statements);
}

static void values(void) {
  check_value("let ok = 1 + 2 * 3 == 7 and not (2 < 1) and 7 % 4 == 3");
  check_value("let ok = 2 in [1 2 3] and not 4 in [1 2 3]");
  check_value("let ok = [1 2] + [3] == [1 2 3] and [1 2 2] - [2] == [1 2]");
  check_value("let l = [4 5 6]; let ok = l[2] == 5 and length(l) == 3");
  check_value("let ok = sum([1 2 3]) == 6 and max([1 9]) == 9 and "
              "min([]) == none");
  check_value("let ok = cap[1] == 2 and cap[3] == 9");
  check_value("let ok = 0 or 1 == 1; if ok; let ok = 1; else; let ok = 0; end");
  check_value("let n = 0; for e in [1 2 3]; let n = n + e; end; "
              "let ok = n == 6");
  check_value("let n = 1; repeat 5; let n = n * 2; end; let ok = n == 32");
  check_value("lookup store 2 into a; lookup store 9 into b; "
              "let ok = a == 7 and b == none");
  check_value("insert store 5 1; delete store 1; scan store into l; "
              "let ok = l == [7 7 7 1]");
  check_value("modify store 2 3; scan store where id < 3 into l; "
              "let ok = l == [7 3]");
  check_value("modify store 2 3; scan store where row == 3 or id == 1 into l; "
              "let ok = l == [7 3]");
  check_value("insert empty 1; read empty into l; let ok = l == [1]");
  check_value("update n old + 1 into m; read n into k; "
              "let ok = m == 6 and k == 6");
  check_value("let i = 2; update store[i] old * 2; read store[2] into r; "
              "let ok = r == 14");
  check_value("let ok = 1; let l = \\\n [1,\n 2]");
}

static void wrong(void) {
  static const struct {
    const char *text, *sentence;
  } rows[] = {
      {"transaction t; raed x into v; end",
       "p.program:1:16: there is no statement \"raed\"; did you mean read?"},
      {"sesion A: t", "p.program:1:1: there is no item \"sesion\"; did you "
                      "mean session?"},
      {"transaction t; read x; end", "p.program:1:22: expected \"into\", not "
                                     "the end of the line"},
      {"transaction t\n read x into v\n", "p.program:3:1: expected \"end\", "
                                          "not the end of the file"},
      {"transaction t; write x count; end",
       "p.program:1:24: nothing above gives \"count\" a value; use read, let "
       "or a parameter first"},
      {"transaction t; read x into v; repeat v; end; end",
       "p.program:1:39: a constant is needed here, not a value that a session "
       "computes"},
      {"transaction t; write x (1; end", "p.program:1:26: expected \")\", not "
                                         "the end of the line"},
      {"transaction t; write x 1; end\nsession A: u",
       "p.program:2:12: no transaction above is called \"u\""},
      {"transaction t(a); write x a; end\nsession A: t",
       "p.program:2:12: t needs 1 arguments, not 0"},
      {"session A at sser: t",
       "p.program:1:14: expected a level (rc, "
       "rc-statement, mysql-rr, ra, cc, pc, si, ser), not "
       "\"sser\""},
      {"", "p.program:1:1: no session calls a transaction"},
      {"initially x=1/0", "p.program:1:16: division by zero"},
      {"transaction t; assert 1 \"x; end", "p.program:1:25: the text lacks "
                                           "its closing quote"},
      {"initially x=99999999999999999999", "p.program:1:13: this number is "
                                           "too large"},
      {"initially x=$", "p.program:1:13: \"$\" has no meaning here"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct program program;
    struct error error = {0};
    CHECK(program_parse("p.program", rows[i].text, (struct program_choice){0},
                        &program, &error));
    CHECK_STR(error.text, rows[i].sentence);
    CHECK(error.usage);
    program_free(&program);
  }
}

static void too_much(void) {
  struct program program;
  struct error error = {0};
  struct explore_result r;
  const struct explore_options o = {.level = LEVEL_CC};
  CHECK(!program_parse("p.program",
                       "transaction t\nrepeat 300; write x 1; end\nend\n"
                       "session A: t\n",
                       (struct program_choice){0}, &program, &error));
  CHECK(explore(&program, &o, &r, &error));
  CHECK_STR(error.text, "p.program:4: t performs more than 256 operations, or "
                        "loops on; --max-ops allows more operations");
  program_free(&program);
}

static void family(void) {
  struct program program;
  struct error error = {0};
  const char *text = "with p in 1 2 3\nwith q in 5 6\n"
                     "transaction t; write x p*q; end\nsession A: t\n";
  static const char *const members[] = {"p=1 q=5", "p=2 q=5", "p=3 q=5",
                                        "p=1 q=6", "p=2 q=6", "p=3 q=6"};
  for (uint32_t i = 0; i < 6; i++) {
    CHECK(!program_parse("p.program", text,
                         (struct program_choice){.member = i}, &program,
                         &error));
    CHECK_STR(program.member, members[i]);
    program_free(&program);
  }
}

int main(void) {
  return TAP_RUN({"histories of increments are counted", increments},
                 {"readers and writers", readers_and_writers},
                 {"histories of litmus programs are counted", litmus},
                 {"tables as rows, locks", tables_as_rows},
                 {"values that a program computes", values},
                 {"wrong programs are refused", wrong},
                 {"too many operations", too_much},
                 {"each member of a family of programs", family});
}
