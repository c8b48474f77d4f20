// SPDX-License-Identifier: GPL-3.0-or-later
// Names of databases, servers and levels, and sentences as plain text: marks,
// characters beyond ASCII, and lines of 80 columns.
#include "config.h"

#include "base/marks.h"
#include "base/memory.h"
#include "report/words/naming.h"
#include "report/words/plain.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

#define GONE "\xef\xbf\xbd" // U+FFFD

// --- Names.

static void databases_have_the_name_of_their_makers(void) {
  CHECK_STR(naming_database("postgresql://h/db", "PostgreSQL 15.6"),
            "PostgreSQL");
  CHECK_STR(naming_database("postgres://h", ""), "PostgreSQL");
  CHECK_STR(naming_database("redis://h", ""), "Redis");
  CHECK_STR(naming_database("redis://h", "Redis 7.0.15, primary"), "Redis");
  CHECK_STR(naming_database("redis://h", "Valkey 9.1.2, primary"), "Valkey");
  CHECK_STR(naming_database("redis+lua://h", "Valkey 9.1.2"), "Valkey");
  CHECK_STR(naming_database("sqlite:a.db", ""), "SQLite");
  CHECK_STR(naming_database("memory:", ""), "The built-in store");
  CHECK_STR(naming_database("other:h", "Other 1"), "The database");
  CHECK_STR(naming_database("", ""), "The database");
  // A scheme ends at the colon.
  CHECK_STR(naming_database("redisx:h", ""), "The database");
  CHECK_STR(naming_database("redis", ""), "The database");
}

// One driver, two makers: the server says who it is.
static void the_server_says_whose_it_is(void) {
  CHECK_STR(naming_database("mysql://h", "MariaDB 10.11.6"), "MariaDB");
  CHECK_STR(naming_database("mysql://h", "MySQL 8.4"), "MySQL");
  CHECK_STR(naming_database("mysql://h", ""), "MySQL");
  CHECK_STR(naming_database("mysql://h", NULL), "MySQL");
  CHECK_STR(naming_database("mariadb://h", "MySQL 8.4"), "MySQL");
  // Nobody takes the name of another driver's database.
  CHECK_STR(naming_database("redis://h", "MariaDB 10.11.6"), "Redis");
}

static void expect_within(const char *target, const char *wanted) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  naming_put_database(out, target, "");
  fclose(out);
  CHECK_STR(text, wanted);
  free(text);
}

static void the_article_is_small_within_a_sentence(void) {
  expect_within("memory:", "the built-in store");
  expect_within("other:h", "the database");
  expect_within("etcd://h", "etcd");
  expect_within("postgresql://h", "PostgreSQL");
}

static void expect_server(const char *server, const char *wanted) {
  const int length = naming_server_length(server);
  if (CHECK(length >= 0 && (size_t)length <= strlen(server))) {
    char *got = xstrdup(server);
    got[length] = '\0';
    CHECK_STR(got, wanted);
    free(got);
  }
}

static void a_server_is_its_name_and_version(void) {
  expect_server("PostgreSQL 15.6 (Debian 15.6-0+deb12u1)", "PostgreSQL 15.6");
  expect_server("MariaDB 10.11.19-MariaDB-0+deb12u1, "
                "innodb_snapshot_isolation OFF",
                "MariaDB 10.11.19");
  expect_server("10.11.19-MariaDB-0+deb12u1", "10.11.19");
  expect_server("Redis 7.0.15, appendonly yes", "Redis 7.0.15");
  // A hyphen behind a letter belongs to the name.
  expect_server("My-Server 2", "My-Server 2");
  expect_server("X   ", "X");
  expect_server(" , y", "");
  expect_server("", "");
  expect_server("-1", "-1");
}

static void levels_of_sql_are_in_capitals(void) {
  CHECK(naming_is_sql_level("repeatable read"));
  CHECK(naming_is_sql_level("read uncommitted"));
  CHECK(!naming_is_sql_level("REPEATABLE READ"));
  CHECK(!naming_is_sql_level("repeatable"));
  CHECK(!naming_is_sql_level("watch"));
  CHECK(!naming_is_sql_level(""));
  CHECK_STR(naming_level("read uncommitted"), "READ UNCOMMITTED");
  CHECK_STR(naming_level("read committed"), "READ COMMITTED");
  CHECK_STR(naming_level("repeatable read"), "REPEATABLE READ");
  CHECK_STR(naming_level("serializable"), "SERIALIZABLE");
  CHECK_STR(naming_level("watch"), "watch");
  CHECK_STR(naming_level(""), "");
}

static void levels_are_clean_in_sentences(void) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  naming_put_level(out, "serializable");
  fputc('|', out);
  naming_put_level(out, "a<b>&\"c\"\b\f\x1f");
  fclose(out);
  CHECK_STR(text, "SERIALIZABLE|a<b>&\"c\"" GONE GONE GONE);
  free(text);
}

// --- Plain text.

static void expect_plain(const char *sentence, const char *wanted) {
  char *plain = plain_make(sentence);
  CHECK_STR(plain, wanted);
  free(plain);
}

static void marks_go(void) {
  expect_plain("", "");
  expect_plain("plain", "plain");
  expect_plain("a \bbold\b word", "a bold word");
  expect_plain("\b\b", "");
  expect_plain("\fx\f", "x");
  expect_plain("\b1\b and \fSELECT 1\f, \b2\b", "1 and SELECT 1, 2");
}

// Nothing is escaped in a sentence, and nothing is undone.
static void what_looks_like_markup_stays(void) {
  expect_plain("a < b > c & d", "a < b > c & d");
  expect_plain("<b>\"q\" it's</b>", "<b>\"q\" it's</b>");
  expect_plain("&lt;b&gt; &nbsp;", "&lt;b&gt; &nbsp;");
}

static void signs_are_ascii(void) {
  expect_plain("SELECT \xe2\x80\xa6 FOR", "SELECT ... FOR");
  expect_plain("isostress\xe2\x80\x99", "isostress'");
  expect_plain("\xe2\x80\x9cq\xe2\x80\x9d", "\"q\"");
  expect_plain("\xe2\x80\xa6\xe2\x80\xa6", "......");
  expect_plain("na\xc3\xafve", "na\xc3\xafve"); // a user's own words
}

static char *wrapped(const char *sentence, unsigned at, unsigned indent) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  plain_put_wrapped(out, sentence, at, indent);
  fclose(out);
  return text;
}

static void expect_wrapped(const char *sentence, unsigned at, unsigned indent,
                           const char *wanted) {
  char *text = wrapped(sentence, at, indent);
  CHECK_STR(text, wanted);
  free(text);
}

#define TEN "123456789 "
#define SEVENTY TEN TEN TEN TEN TEN TEN TEN

// 80 columns fit, 81 do not.
static void lines_have_eighty_columns(void) {
  expect_wrapped("", 0, 4, "\n");
  expect_wrapped("one", 0, 4, "one\n");
  expect_wrapped(SEVENTY "1234567890", 0, 4, SEVENTY "1234567890\n");
  expect_wrapped(SEVENTY "12345678901", 0, 4,
                 "123456789 " TEN TEN TEN TEN TEN
                 "123456789\n    12345678901\n");
  // The caller has written so much of the line already.
  expect_wrapped(SEVENTY "x", 8, 2, SEVENTY "x\n");
  expect_wrapped(SEVENTY "x", 10, 2,
                 TEN TEN TEN TEN TEN TEN "123456789\n  x\n");
}

static void lines_behind_the_first_are_indented(void) {
  expect_wrapped(SEVENTY SEVENTY "1234567890", 0, 8,
                 SEVENTY "123456789\n        " TEN TEN TEN TEN TEN TEN
                         "1234567890\n");
}

// A word that is longer than a line stands whole on a line of its own.
static void long_words_stay_whole(void) {
  char word[121], sentence[160], wanted[160];
  memset(word, 'w', 120);
  word[120] = '\0';
  snprintf(sentence, sizeof sentence, "a %s b", word);
  snprintf(wanted, sizeof wanted, "a\n  %s\n  b\n", word);
  expect_wrapped(sentence, 0, 2, wanted);
}

static void hard_blanks_do_not_end_a_line(void) {
  expect_wrapped("5" HARD_BLANK "%", 0, 0, "5 %\n");
  expect_wrapped(SEVENTY "12345678" HARD_BLANK "%", 0, 2,
                 SEVENTY "12345678 %\n");
  expect_wrapped(SEVENTY "123456789" HARD_BLANK "%", 0, 2,
                 TEN TEN TEN TEN TEN TEN "123456789\n  123456789 %\n");
}

static void several_blanks_are_one(void) {
  expect_wrapped("One.  Two.   Three", 0, 0, "One. Two. Three\n");
  expect_wrapped("end ", 0, 0, "end\n");
  expect_wrapped("\ba\b & \fb\f", 0, 0, "a & b\n");
}

// Text that is no sentence cannot mark anything, nor move the cursor.
static void text_from_outside_is_clean(void) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  plain_put_outside(out, "<b>\bone\f\n\ttwo\033[1m", 0, 0);
  fclose(out);
  CHECK_STR(text, "<b>" GONE "one" GONE " two" GONE "[1m\n");
  free(text);
}

int main(void) {
  return TAP_RUN(
      {"databases are called as their makers do",
       databases_have_the_name_of_their_makers},
      {"MariaDB and MySQL are told apart by the server",
       the_server_says_whose_it_is},
      {"an article within a sentence is small",
       the_article_is_small_within_a_sentence},
      {"name and version of a server", a_server_is_its_name_and_version},
      {"levels of SQL are in capitals, others as they are",
       levels_of_sql_are_in_capitals},
      {"a level has no control character in a sentence",
       levels_are_clean_in_sentences},
      {"marks go", marks_go},
      {"what looks like markup stays", what_looks_like_markup_stays},
      {"typographic signs become ASCII", signs_are_ascii},
      {"a line has 80 columns", lines_have_eighty_columns},
      {"lines behind the first one are indented",
       lines_behind_the_first_are_indented},
      {"a word longer than a line stays whole", long_words_stay_whole},
      {"a hard blank does not end a line", hard_blanks_do_not_end_a_line},
      {"several blanks are one", several_blanks_are_one},
      {"text from outside has no control character",
       text_from_outside_is_clean});
}
