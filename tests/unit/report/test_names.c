// SPDX-License-Identifier: GPL-3.0-or-later
// Short names of transactions, rows and values, and raw ones where these tell
// more: worked out by hand from the rules in report/tale/names.h.
#include "config.h"

#include "base/memory.h"
#include "report/tale/names.h"
#include "report/tale/sentence.h"
#include "report/tale/story.h"
#include "tests/kit/told.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

// A history and the names of some of its transactions, of all of whose
// operations the reader hears.
struct named {
  struct told told;
  struct names names;
};

// The names point to the history, which stays where it is.
static void name_all_of(struct named *n, const char *text, bool raw,
                        const uint32_t *txns, uint32_t ntxns) {
  n->told = told_of(text, ISOLATION_NONE);
  const struct history *h = &n->told.history;
  uint32_t *all = xcalloc(h->nops + (size_t)1, sizeof *all);
  for (uint32_t op = 0; op < h->nops; op++)
    all[op] = op;
  names_init(&n->names, h, raw, txns, ntxns, all, h->nops);
  free(all);
}

static void named_free(struct named *n) {
  names_free(&n->names);
  told_free(&n->told);
}

static void expect_txn(const struct named *n, uint32_t txn,
                       const char *wanted) {
  char buffer[NAME_ROOM];
  CHECK_STR(names_txn(&n->names, txn, buffer), wanted);
}

static void expect_key(const struct named *n, uint32_t op, const char *wanted) {
  char buffer[NAME_ROOM];
  CHECK_STR(names_key(&n->names, n->told.history.key[op], buffer), wanted);
}

static void expect_written(const struct named *n, uint32_t write,
                           const char *wanted) {
  char buffer[NAME_ROOM];
  CHECK_STR(names_written(&n->names, write, buffer), wanted);
}

static void expect_seen(const struct named *n, uint32_t read,
                        const char *wanted) {
  const struct history *h = &n->told.history;
  char buffer[NAME_ROOM];
  CHECK_STR(names_seen(&n->names, h->key[read], h->saw[read],
                       history_op_value(h, read), buffer),
            wanted);
}

// Operations: 0 a:=1, 1 b:=2; 2 a==1, 3 c:=3, 4 c:=4, 5 d==?
static const char three[] = "[a:=1] [b:=2]\n---\n[a==1 c:=3 c:=4 d==?]\n";

// T1 is the first one that is named, whatever its place in the history; x is
// the first row that T1 uses.
static void names_follow_the_order_of_use(void) {
  struct named n;
  name_all_of(&n, three, false, (uint32_t[]){2, 0}, 2);
  expect_txn(&n, 2, "T1");
  expect_txn(&n, 0, "T2");
  expect_key(&n, 2, "x");
  expect_key(&n, 0, "x");
  expect_key(&n, 3, "y");
  expect_key(&n, 5, "z");
  expect_written(&n, 0, "x2");
  expect_seen(&n, 2, "x2");
  expect_seen(&n, 5, "z0");
  named_free(&n);
}

// A transaction writes a row twice: each version has a letter.
static void versions_of_one_transaction_have_letters(void) {
  struct named n;
  name_all_of(&n, three, false, (uint32_t[]){2, 0}, 2);
  expect_written(&n, 3, "y1a");
  expect_written(&n, 4, "y1b");
  named_free(&n);
  // The reader hears of one of them alone: there is nothing to tell apart.
  struct told told = told_of(three, ISOLATION_NONE);
  struct names names;
  char buffer[NAME_ROOM];
  names_init(&names, &told.history, false, (uint32_t[]){2}, 1, (uint32_t[]){4},
             1);
  CHECK_STR(names_written(&names, 4, buffer), "x1");
  names_free(&names);
  told_free(&told);
}

static void the_others_have_raw_names(void) {
  struct named n;
  name_all_of(&n, three, false, (uint32_t[]){2, 0}, 2);
  expect_txn(&n, 1, "0:1"); // session 0, its second one
  expect_key(&n, 1, "b");
  expect_written(&n, 1, "b*");
  named_free(&n);
}

static void raw_names_are_those_of_the_history(void) {
  struct named n;
  name_all_of(&n, three, true, (uint32_t[]){2, 0}, 2);
  char buffer[NAME_ROOM];
  expect_txn(&n, 2, "1:0");
  expect_txn(&n, 0, "0:0");
  expect_key(&n, 0, "a");
  expect_key(&n, 3, "c");
  expect_written(&n, 0, "1");
  expect_written(&n, 4, "4");
  expect_seen(&n, 2, "1");
  CHECK_STR(names_raw_txn(&n.told.history, 1, buffer), "0:1");
  named_free(&n);
}

// One hidden writer is a star; two of them are told apart.
static void writers_without_a_name(void) {
  const uint32_t last = 1, both[] = {2, 3};
  struct named one;
  name_all_of(&one, "[a:=1]\n---\n[a==1]\n", false, &last, 1);
  expect_txn(&one, 0, "0:0");
  expect_seen(&one, 1, "x*");
  named_free(&one);
  struct named two;
  name_all_of(&two, "[a:=1]\n---\n[a:=2]\n---\n[a==2]\n---\n[a==1]\n", false,
              both, 2);
  expect_seen(&two, 2, "x*a"); // met first
  expect_seen(&two, 3, "x*b");
  named_free(&two);
}

// A value that nobody wrote is told as it is, and then all values are.
static void values_from_thin_air_are_raw(void) {
  struct named n;
  name_all_of(&n, "[a:=1]\n---\n[a==1 a==7]\n", false, (uint32_t[]){0, 1}, 2);
  expect_txn(&n, 1, "T2");
  expect_key(&n, 0, "a");
  expect_seen(&n, 1, "1");
  expect_seen(&n, 2, "7");
  named_free(&n);
}

// In a history of our own the values are made up: x? says what is known.
static void values_from_thin_air_of_a_run(void) {
  struct told told = told_of("[a:=1]\n---\n[a==7]\n", ISOLATION_NONE);
  struct names names;
  char buffer[NAME_ROOM];
  told.history.about = xstrdup("; seed = 1\n");
  names_init(&names, &told.history, false, (uint32_t[]){0, 1}, 2,
             (uint32_t[]){0, 1}, 2);
  CHECK_STR(
      names_seen(&names, told.history.key[1], told.history.saw[1], 7, buffer),
      "x?");
  CHECK_STR(names_seen(&names, told.history.key[1], SAW_LOST, 7, buffer), "x*");
  names_free(&names);
  told_free(&told);
}

// 25 letters; then x', y', ..., and after these x2', y2'.
static void rows_after_the_last_letter(void) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  fputc('[', out);
  for (int i = 0; i <= 75; i++)
    fprintf(out, "k%d:=1 ", i);
  fputs("]\n", out);
  fclose(out);
  struct named n;
  name_all_of(&n, text, false, (uint32_t[]){0}, 1);
  expect_key(&n, 0, "x");
  expect_key(&n, 6, "a");
  expect_key(&n, 24, "s");
  expect_key(&n, 25, "x'");
  expect_key(&n, 49, "s'");
  expect_key(&n, 50, "x2'");
  expect_key(&n, 75, "x3'");
  expect_written(&n, 25, "x'1");
  expect_written(&n, 50, "x2'1");
  named_free(&n);
  free(text);
}

// Behind z come aa, ab, ...
static void versions_after_the_last_letter(void) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  fputc('[', out);
  for (int i = 1; i <= 53; i++)
    fprintf(out, "k:=%d ", i);
  fputs("]\n", out);
  fclose(out);
  struct named n;
  name_all_of(&n, text, false, (uint32_t[]){0}, 1);
  expect_written(&n, 0, "x1a");
  expect_written(&n, 25, "x1z");
  expect_written(&n, 26, "x1aa");
  expect_written(&n, 27, "x1ab");
  expect_written(&n, 51, "x1az");
  expect_written(&n, 52, "x1ba");
  named_free(&n);
  free(text);
}

#define E "\xc3\xa9" // two bytes
#define CUT "\xe2\x80\xa6"

// 12 bytes of the beginning and 8 of the end, and never half a character.
static void long_raw_names_are_cut(void) {
  struct named n;
  name_all_of(&n,
              "[abcdefghijklmnopqrstuvwxyz0123456789:=1 "
              "a" E E E E E E E E E E E E E E E E E ":=1 "
              "abcdefghijklmnopqrstuvwxyz01234:=1]\n",
              true, (uint32_t[]){0}, 1);
  expect_key(&n, 0, "abcdefghijkl" CUT "23456789");
  expect_key(&n, 1, "a" E E E E E CUT E E E E);
  expect_key(&n, 2, "abcdefghijklmnopqrstuvwxyz01234"); // 31 bytes have room
  n.names.whole = true;
  expect_key(&n, 0, "abcdefghijklmnopqrstuvwxyz0123456789");
  named_free(&n);
}

// Elements of sets are names by themselves, so that nothing is renamed but
// transactions.
static void sets_keep_their_names(void) {
  struct named n;
  name_all_of(&n, "[s|=5]\n---\n[s=={5}]\n", false, (uint32_t[]){0, 1}, 2);
  char buffer[NAME_ROOM];
  expect_txn(&n, 1, "T2");
  expect_key(&n, 0, "s");
  CHECK_STR(names_element(&n.names, n.told.history.key[0], buffer), "5");
  named_free(&n);
}

static void nobody_has_a_name(void) {
  struct named n;
  name_all_of(&n, three, false, NULL, 0);
  expect_txn(&n, 0, "0:0");
  expect_txn(&n, 2, "1:0");
  expect_key(&n, 0, "a");
  named_free(&n);
}

// --- Sentences that are too long.

static void sentences_end_in_dots(void) {
  char buffer[STORY_SENTENCE];
  struct sentence s = sentence_at(buffer);
  CHECK_STR(buffer, "");
  sentence_add(&s, "%s", "a");
  sentence_add(&s, "%d", 12);
  CHECK_STR(buffer, "a12");
  for (int i = 0; i < 100; i++)
    sentence_add(&s, "%s", "0123456789");
  CHECK_INT(strlen(buffer), STORY_SENTENCE - 1);
  CHECK_STR(buffer + STORY_SENTENCE - 4, "...");
  CHECK(!strncmp(buffer, "a120123456789", 13));
  sentence_add(&s, "more");
  CHECK_INT(strlen(buffer), STORY_SENTENCE - 1);
  CHECK_STR(buffer + STORY_SENTENCE - 4, "...");
}

// One byte decides.
static void a_sentence_may_be_full(void) {
  char buffer[STORY_SENTENCE];
  struct sentence s = sentence_at(buffer);
  sentence_add(&s, "%*s", STORY_SENTENCE - 1, "x");
  CHECK_INT(strlen(buffer), STORY_SENTENCE - 1);
  CHECK_STR(buffer + STORY_SENTENCE - 4, "  x");
  s = sentence_at(buffer);
  sentence_add(&s, "%*s", STORY_SENTENCE, "x");
  CHECK_INT(strlen(buffer), STORY_SENTENCE - 1);
  CHECK_STR(buffer + STORY_SENTENCE - 4, "...");
}

// The words do not fit, and little of the room is left: that much is kept.
static void a_sentence_ends_at_its_last_bytes(void) {
  char buffer[STORY_SENTENCE];
  struct sentence s = sentence_at(buffer);
  sentence_add(&s, "%*s", STORY_SENTENCE - 3, "x");
  sentence_add(&s, " and more");
  CHECK_INT(strlen(buffer), STORY_SENTENCE - 1);
  CHECK_STR(buffer + STORY_SENTENCE - 4, "...");
}

int main(void) {
  return TAP_RUN(
      {"names are in the order of use", names_follow_the_order_of_use},
      {"versions of one transaction have letters",
       versions_of_one_transaction_have_letters},
      {"other transactions have raw names", the_others_have_raw_names},
      {"raw names are those of the history",
       raw_names_are_those_of_the_history},
      {"writers without a name are stars", writers_without_a_name},
      {"values that nobody wrote are raw", values_from_thin_air_are_raw},
      {"values that nobody wrote in a run of our own",
       values_from_thin_air_of_a_run},
      {"rows after the last letter", rows_after_the_last_letter},
      {"versions after the last letter", versions_after_the_last_letter},
      {"long raw names are cut between characters", long_raw_names_are_cut},
      {"sets and their elements keep their names", sets_keep_their_names},
      {"no transaction has a name", nobody_has_a_name},
      {"a sentence that is too long ends in dots", sentences_end_in_dots},
      {"a sentence may fill its room", a_sentence_may_be_full},
      {"a sentence whose rest is short ends in dots, too",
       a_sentence_ends_at_its_last_bytes});
}
