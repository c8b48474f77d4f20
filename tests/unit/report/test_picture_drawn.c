// SPDX-License-Identifier: GPL-3.0-or-later
// A picture's columns, rows, words and arrows, of examples that are made up by
// hand, and the SVG elements that they become.
#include "config.h"

#include "base/utf8.h"
#include "recorder/builder/builder.h"
#include "report/picture/picture.h"
#include "tests/kit/markup.h"
#include "tests/tap.h"

#include <unistd.h>

// Two transactions of two sessions: each reads what the other one writes over.
//
//   T1  begins at 1000 ns   reads x at 2000   writes y at 5000   ends at 6000
//   T2  begins at 1500      reads y at 3000   writes x at 7000   ends at 8000
struct skew {
  struct example_txn txns[2];
  struct example_op ops[4];
  struct example_edge edges[2];
  struct example example;
};

static void make_skew(struct skew *s) {
  *s = (struct skew){
      .txns = {{.name = "T1",
                .id = "0:7",
                .session = 4,
                .outcome = "committed",
                .begin = 1000,
                .end = 6000,
                .first_op = 0,
                .end_op = 2},
               {.name = "T2",
                .id = "1:9",
                .session = 2,
                .outcome = "committed",
                .begin = 1500,
                .end = 8000,
                .first_op = 2,
                .end_op = 4}},
      .ops = {{.begin = 1900, .end = 2000, .label = "read x0", .raw = "r <x>"},
              {.begin = 4900, .end = 5000, .label = "write y1", .raw = "w y"},
              {.begin = 2900, .end = 3000, .label = "read y0", .raw = "r y"},
              {.begin = 6500, .end = 7000, .label = "write x2", .raw = "w x"}},
      .edges = {{.kind = "RW",
                 .from = 0,
                 .to = 1,
                 .from_op = 0,
                 .to_op = 3,
                 .on_cycle = true,
                 .number = 1},
                {.kind = "RW",
                 .from = 1,
                 .to = 0,
                 .from_op = 2,
                 .to_op = 1,
                 .on_cycle = true,
                 .number = 2}},
  };
  for (int i = 0; i < 4; i++) {
    s->ops[i].kind = "read";
    s->ops[i].key = "x";
  }
  s->example = (struct example){.anomaly = "WriteSkew & more",
                                .txns = s->txns,
                                .ntxns = 2,
                                .ops = s->ops,
                                .nops = 4,
                                .edges = s->edges,
                                .nedges = 2,
                                .ncycle = 2,
                                .read = EXAMPLE_NONE,
                                .other = EXAMPLE_NONE,
                                .timed = true};
}

// The nth word of a kind, from 0; NULL: there are fewer.
static const struct picture_word *word_of(const struct picture *p,
                                          enum word_kind kind, unsigned n) {
  for (uint32_t i = 0; i < p->nwords; i++)
    if (p->words[i].kind == kind && n-- == 0)
      return &p->words[i];
  return NULL;
}

static const char *text_of(const struct picture *p, enum word_kind kind,
                           unsigned n) {
  const struct picture_word *word = word_of(p, kind, n);
  return word ? word->text : "";
}

static void time_runs_downwards(void) {
  static const char *const statements[] = {"read x0", "read y0", "write y1",
                                           "write x2"};
  struct skew s;
  struct picture p;
  make_skew(&s);
  picture_lay_out(&p, &s.example);
  for (unsigned i = 0; i < 4; i++) {
    CHECK_STR(text_of(&p, WORD_STATEMENT, i), statements[i]);
    CHECK(i == 0 || word_of(&p, WORD_STATEMENT, i)->y >
                        word_of(&p, WORD_STATEMENT, i - 1)->y);
  }
  CHECK_INT(p.ncolumns, 2);
  CHECK(p.boxes[0].drawn && p.boxes[0].core && p.boxes[1].core);
  CHECK(p.boxes[0].column != p.boxes[1].column);
  CHECK(p.boxes[0].y < p.boxes[1].y);
  CHECK(p.boxes[0].bottom < p.boxes[1].bottom);
  CHECK_STR(text_of(&p, WORD_SESSION, 0), "session 4");
  CHECK_STR(text_of(&p, WORD_SESSION, 1), "session 2");
  CHECK_STR(text_of(&p, WORD_NAME, 1), "T2");
  CHECK_STR(text_of(&p, WORD_END, 0), "commit");
  picture_free(&p);
}

// From the first event on, in the unit of the whole, each with the digits that
// 7 microseconds have room for.
static void times_at_the_left(void) {
  static const char *const times[] = {"\xc2\xb5s", "0.00", "0.50", "1.00",
                                      "2.00",      "4.00", "5.00", "6.00",
                                      "7.00",      ""};
  struct skew s;
  struct picture p;
  make_skew(&s);
  picture_lay_out(&p, &s.example);
  for (unsigned i = 0; i < sizeof times / sizeof *times; i++)
    CHECK_STR(text_of(&p, WORD_TIME, i), times[i]);
  CHECK(word_of(&p, WORD_TIME, 3)->y == word_of(&p, WORD_STATEMENT, 0)->y);
  picture_free(&p);
  s.txns[1].end = 20 * UINT64_C(1000000);
  picture_lay_out(&p, &s.example);
  CHECK_STR(text_of(&p, WORD_TIME, 0), "ms");
  picture_free(&p);
  s.example.timed = false;
  picture_lay_out(&p, &s.example);
  CHECK(!word_of(&p, WORD_TIME, 0));
  picture_free(&p);
}

// An operation without an answer has a place, and no time; ends that nobody
// knows are told so.
static void unknown_times_and_outcomes(void) {
  struct skew s;
  struct picture p;
  make_skew(&s);
  s.ops[3].end = s.txns[1].end = TIME_UNKNOWN;
  s.txns[1].outcome = "unknown";
  s.txns[0].outcome = "aborted";
  picture_lay_out(&p, &s.example);
  CHECK_STR(text_of(&p, WORD_END, 0), "rolled back");
  CHECK_STR(text_of(&p, WORD_END, 1), "no answer");
  CHECK_STR(text_of(&p, WORD_TIME, 6), "5.00"); // T1's end, the last one known
  CHECK(!word_of(&p, WORD_TIME, 7));
  char *text;
  MARKUP_OF(text, picture_put(out, &p, "c1", true));
  CHECK_COUNT(text, "<g class=\"tx core dead\">", 2);
  free(text);
  picture_free(&p);
}

// T2 sends a statement, T1 ends, T2 gets its answer.
static void statements_that_wait(void) {
  struct skew s;
  struct picture p;
  make_skew(&s);
  picture_lay_out(&p, &s.example);
  CHECK_INT(p.nwaits, 0);
  picture_free(&p);
  s.ops[3].begin = 5500;
  picture_lay_out(&p, &s.example);
  CHECK_INT(p.nwaits, 1);
  const struct picture_word *waits = word_of(&p, WORD_WAITS, 0);
  if (CHECK(waits)) {
    CHECK_STR(waits->text, "waits");
    CHECK_INT(waits->txn, 1);
    CHECK(p.waits[0].y == waits->y);
    CHECK(p.waits[0].bottom == word_of(&p, WORD_STATEMENT, 3)->y);
  }
  picture_free(&p);
}

// T1 commits between two statements of T2; an abort is drawn at its own box
// only.
static void commits_across(void) {
  struct skew s;
  struct picture p;
  make_skew(&s);
  picture_lay_out(&p, &s.example);
  CHECK_INT(p.ncommits, 1);
  CHECK_INT(p.commits[0].txn, 0);
  CHECK_INT(p.commits[0].other, 1);
  CHECK(p.commits[0].y == word_of(&p, WORD_END, 0)->y);
  CHECK_STR(text_of(&p, WORD_COMMITTED, 0), "T1 committed");
  picture_free(&p);
  s.txns[0].outcome = "aborted";
  picture_lay_out(&p, &s.example);
  CHECK_INT(p.ncommits, 0);
  picture_free(&p);
}

// A long statement goes on in rows below, cut at blanks, with the sign of an
// equation in the row of its sides; its condition and fault are below it.
static void long_statements(void) {
  struct skew s;
  struct picture p;
  make_skew(&s);
  s.ops[0].label = "changed row t/1 to a = 5, b = 1234567, c = 9";
  s.ops[2].label = "insert row t/123 with a = 15";
  s.ops[0].condition = "where n > 3";
  s.ops[0].fault = "misses row t/9";
  s.ops[1].label = "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
                   "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
                   "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9";
  picture_lay_out(&p, &s.example);
  CHECK_STR(text_of(&p, WORD_STATEMENT, 0), "changed row t/1 to a = 5,");
  CHECK_STR(text_of(&p, WORD_STATEMENT, 1), "b = 1234567, c = 9");
  CHECK_STR(text_of(&p, WORD_CONDITION, 0), "where n > 3");
  CHECK_STR(text_of(&p, WORD_FAULT, 0), "misses row t/9");
  CHECK_STR(text_of(&p, WORD_STATEMENT, 2), "insert row t/123 with");
  CHECK_STR(text_of(&p, WORD_STATEMENT, 3), "a = 15");
  CHECK_INT(utf8_count(text_of(&p, WORD_STATEMENT, 4)), 20); // in one row
  CHECK(word_of(&p, WORD_STATEMENT, 2)->y >=
        word_of(&p, WORD_FAULT, 0)->y + PICTURE_NOTE);
  for (uint32_t i = 0; i < p.nwords; i++)
    CHECK(p.words[i].kind != WORD_STATEMENT ||
          utf8_count(p.words[i].text) <= PICTURE_WRAP);
  picture_free(&p);
}

static void the_read_that_is_wrong(void) {
  struct skew s;
  struct picture p;
  make_skew(&s);
  s.example.nedges = s.example.ncycle = 0;
  s.example.read = 2;
  picture_lay_out(&p, &s.example);
  CHECK_STR(text_of(&p, WORD_STATEMENT, 1), "read y0 \xe2\x9c\x97");
  CHECK(!p.boxes[0].core && p.boxes[1].core);
  char *text;
  MARKUP_OF(text, picture_put(out, &p, "c1", true));
  CHECK_COUNT(text, "<g class=\"o wrong\">", 1);
  CHECK_COUNT(text, "<g class=\"tx\">", 1);
  CHECK_COUNT(text, "<g class=\"tx core\">", 1);
  free(text);
  picture_free(&p);
}

// Servers and levels, where transactions differ in them.
static void names_of_transactions(void) {
  struct skew s;
  struct picture p;
  make_skew(&s);
  s.txns[0].endpoint = "db1";
  s.txns[0].level = "si";
  s.txns[1].level = "rc";
  picture_lay_out(&p, &s.example);
  CHECK_STR(text_of(&p, WORD_NAME, 0), "T1 at db1, si");
  CHECK_STR(text_of(&p, WORD_NAME, 1), "T2, rc");
  picture_free(&p);
}

// Two transactions of one session, one after the other: a straight arrow from
// the one to the other.
static void one_session(void) {
  struct skew s;
  struct picture p;
  make_skew(&s);
  s.txns[1].session = 4;
  s.txns[1].begin = 6500;
  s.ops[2].begin = 6600;
  s.ops[2].end = 6700;
  s.ops[3].begin = 6800;
  s.edges[0].kind = "SO";
  s.edges[0].from_op = s.edges[0].to_op = EXAMPLE_NONE;
  s.edges[1].number = 0; // no sentence, no arrow
  picture_lay_out(&p, &s.example);
  CHECK_INT(p.ncolumns, 1);
  CHECK_INT(p.narrows, 1);
  CHECK(p.arrows[0].straight);
  CHECK(p.arrows[0].y1 == p.boxes[0].bottom);
  CHECK(p.arrows[0].y2 == p.boxes[1].y);
  CHECK(p.arrows[0].y1 < p.arrows[0].y2);
  CHECK(!word_of(&p, WORD_SESSION, 1));
  picture_free(&p);
}

// The transactions of the cycle are drawn; of many, no others.
static void what_is_only_a_reason_goes(void) {
  enum { MANY = PICTURE_WHOLE + 1 };
  struct example_txn txns[MANY];
  struct skew s;
  struct picture p;
  make_skew(&s);
  for (uint32_t t = 0; t < MANY; t++) {
    txns[t] = s.txns[t > 0];
    txns[t].session = t;
    if (t > 1)
      txns[t].first_op = txns[t].end_op = 0;
  }
  s.example.txns = txns;
  s.example.ntxns = PICTURE_WHOLE;
  picture_lay_out(&p, &s.example);
  CHECK(p.boxes[0].drawn && p.boxes[1].drawn && p.boxes[2].drawn);
  CHECK(p.boxes[1].core && !p.boxes[2].core);
  picture_free(&p);
  s.example.ntxns = MANY;
  picture_lay_out(&p, &s.example);
  CHECK(p.boxes[0].drawn && p.boxes[1].drawn && !p.boxes[2].drawn);
  CHECK_INT(p.ncolumns, 2);
  picture_free(&p);
}

// ---- The elements

// In a page arrows and sentences lead to each other by ids that start with the
// prefix, so that a page may have several pictures.
static void arrows_lead_to_sentences(void) {
  struct skew s;
  struct picture p;
  make_skew(&s);
  picture_lay_out(&p, &s.example);
  char *text;
  MARKUP_OF(text, {
    for (int i = 1; i <= 2; i++) {
      const char *prefix = i == 1 ? "case-1" : "case-2";
      picture_put(out, &p, prefix, false);
      fprintf(out, "<ol><li id=\"%s-why-1\"><a href=\"#%s-arrow-1\"></a></li>",
              prefix, prefix);
      fprintf(out, "<li id=\"%s-why-2\"><a href=\"#%s-arrow-2\"></a></li></ol>",
              prefix, prefix);
    }
  });
  CHECK_SOUND(text);
  CHECK_COUNT(text, "<title>step 1: T1 before T2</title>", 2);
  CHECK_COUNT(text, "<title>step 2: T2 before T1</title>", 2);
  CHECK_COUNT(text, "<title>r &lt;x&gt;</title>", 2);
  CHECK_COUNT(text, "data-k=\"1\"", 6); // arrow 1 and its two statements
  CHECK_COUNT(text, "aria-label=\"WriteSkew &amp; more: sessions side by side",
              2);
  CHECK_COUNT(text, "<style", 0);
  free(text);
  picture_free(&p);
}

// A file of its own has its style and its size, and nothing that leads out.
static void a_file_of_its_own(void) {
  struct skew s;
  struct error error;
  char directory[] = "/tmp/isostress-drawn.XXXXXX";
  char path[60], text[20000] = "";
  make_skew(&s);
  if (!CHECK(mkdtemp(directory)))
    return;
  CHECK_INT(picture_write(directory, 12, &s.example, &error), 0);
  snprintf(path, sizeof path, "%s/counterexample-12.svg", directory);
  FILE *file = fopen(path, "r");
  if (CHECK(file)) {
    CHECK(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
  }
  CHECK_SOUND(text);
  CHECK_COUNT(text, "xmlns=\"http://www.w3.org/2000/svg\" width=\"", 1);
  CHECK_COUNT(text, picture_style, 1);
  CHECK_COUNT(text, "href=", 0);
  CHECK_COUNT(text, "id=\"", 0);
  CHECK_COUNT(text, "0:7 of the history, committed</title>", 1);
  unlink(path);
  CHECK_INT(rmdir(directory), 0);
  // The directory is gone: the sentence names the file.
  CHECK_INT(picture_write(directory, 12, &s.example, &error), -1);
  CHECK(strstr(error.text, path) != NULL);
}

int main(void) {
  return TAP_RUN({"time runs downwards", time_runs_downwards},
                 {"times at the left", times_at_the_left},
                 {"unknown times and outcomes", unknown_times_and_outcomes},
                 {"statements that wait", statements_that_wait},
                 {"commits across", commits_across},
                 {"long statements", long_statements},
                 {"the read that is wrong", the_read_that_is_wrong},
                 {"names of transactions", names_of_transactions},
                 {"one session", one_session},
                 {"what is only a reason goes", what_is_only_a_reason_goes},
                 {"arrows lead to sentences", arrows_lead_to_sentences},
                 {"a file of its own", a_file_of_its_own});
}
