// SPDX-License-Identifier: GPL-3.0-or-later
// Values of the user's own rows, as PostgreSQL, MariaDB and SQLite write them.
#include "config.h"

#include "base/memory.h"
#include "recorder/row_words.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

static void value_of_image(bool escapes, const char *image, uint32_t column,
                           const char *expected) {
  const struct row_words words = {.escapes = escapes};
  char value[120];
  const bool has = row_words_value(&words, image, column, value, sizeof value);
  CHECK_INT(has, expected != NULL);
  if (expected)
    CHECK_STR(value, expected);
}

static void values(void) {
  static const char composite[] =
      "(17,\"a \"\"b\"\", (c)\",,plain,-2.50,t,\"\")";
  value_of_image(false, composite, 0, "17");
  value_of_image(false, composite, 1, "'a \"b\", (c)'");
  value_of_image(false, composite, 2, "NULL");
  value_of_image(false, composite, 3, "'plain'");
  value_of_image(false, composite, 4, "-2.50");
  value_of_image(false, composite, 5, "t");
  value_of_image(false, composite, 6, "''");
  value_of_image(false, composite, 7, NULL);
  value_of_image(true, "4,'it\\'s, so',NULL,x'00FF'", 1, "'it's, so'");
  value_of_image(true, "4,'it\\'s, so',NULL,x'00FF'", 2, "NULL");
  value_of_image(true, "4,'it\\'s, so',NULL,x'00FF'", 3, "x'00FF'");
  value_of_image(false, "1.5,'it''s \\',3", 1, "'it's \\'");
  value_of_image(false, "1.5,'it''s \\',3", 2, "3");
  value_of_image(false, "1.5,'it''s \\',3", 3, NULL);
  value_of_image(false, "'0123456789012345678901234567890'", 0,
                 "'0123456789012345678...'");
}

// A table "tag(name, n, on)" of which conditions compare n and name.
static void conditions(void) {
  static const char *const columns[] = {"name", "n", "on"};
  static const struct worded_rank of_n[] = {{1, "5"}, {2, "7"}},
                                  of_name[] = {{3, "'a'"}};
  static const struct worded_column compared[] = {{1, of_n, 2},
                                                  {0, of_name, 1}};
  struct worded_table table = {"tag", columns, 3, 1, compared, 2};
  struct row_words words = {.tables = &table, .ntables = 1};
  char tag[] = "tag", first[] = "rank_0_n", second[] = "rank_1_name";
  char *names[] = {first, second};
  struct row_table row_table = {tag, names, 2};
  static const char *const texts[][2] = {
      {"rank_0_n < 2 AND rank_0_n > 0", "n < 7"},
      {"rank_1_name = 3 AND rank_0_n = 0", "name = 'a' AND n IS NULL"},
      {"rank_0_n > 0", "n IS NOT NULL"},
      {"NOT rank_0_n = 1 OR rank_1_name <> 3", "(NOT n = 5) OR name <> 'a'"}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct row_template template = {0};
    struct error error;
    const struct predicate_columns shown = row_columns(&row_table);
    const int failed =
        predicate_read(&template.predicate, texts[i][0], &shown, &error);
    struct rows rows = {.tables = &row_table,
                        .ntables = 1,
                        .templates = &template,
                        .ntemplates = 1,
                        .words = &words};
    const struct recorded_statement statement = {.condition = 0};
    char *text;
    size_t bytes;
    FILE *out = text_stream(&text, &bytes);
    if (!failed)
      row_words_put_condition(out, &rows, &statement);
    fclose(out);
    CHECK_STR(text, texts[i][1]);
    free(text);
  }
}

int main(void) {
  return TAP_RUN({"values of rows, as each database writes them", values},
                 {"conditions of ranks as conditions of values", conditions});
}
