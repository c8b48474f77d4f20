// SPDX-License-Identifier: GPL-3.0-or-later
// Statements on a table of rows, written as text and executed through a
// driver's slot, and what every driver has to say of them.
//
//   select v >= 12            first 2 b = 0          lock b = 0
//   update b = 1 : v+100 f=1  delete id = 3
//   insert 8 0 50 0           insert? 8 0 50 0 (or nothing)
#ifndef TESTS_KIT_ROW_DRIVER_H
#define TESTS_KIT_ROW_DRIVER_H

#include "base/memory.h"
#include "drivers/driver.h"
#include "tests/tap.h"

#include <ctype.h>

enum { ROWS_TEMPLATES = 200, ROWS_COLUMNS = 3 };

static const char *const rows_columns[] = {"b", "v", "f"};
static const struct first_value rows_first[] = {
    {0, 1, 2}, {10, 1, 8}, {0, 1, 1}};
static const struct table_spec rows_table = {
    .name = "t",
    .columns = {.key = "id", .names = rows_columns, .count = ROWS_COLUMNS},
    .first = rows_first,
    .nrows = 8, // b = id % 2, v = 10 + id, f = 0
};

// Conditions come to it as tests need them, and stay: connections keep what
// they have prepared.
static char rows_conditions[ROWS_TEMPLATES][200];
static struct template_spec rows_templates[ROWS_TEMPLATES];
static struct tables rows_tables = {
    .table = &rows_table, .templates = rows_templates, .ntables = 1};
static const struct keyspace rows_keys = {.tables = &rows_tables, .run = 1};

static inline void rows_setup(const struct driver *driver,
                              struct target *target) {
  struct error error = {0};
  if (!CHECK(!driver->setup_tables(target, &rows_keys, &error)))
    printf("#   %s\n", error.text);
}

static inline uint32_t rows_template(const char *condition) {
  struct error error = {0};
  uint32_t i = 0;
  while (i < rows_tables.ntemplates && strcmp(rows_conditions[i], condition))
    i++;
  if (i < rows_tables.ntemplates || !CHECK(i < ROWS_TEMPLATES))
    return i;
  snprintf(rows_conditions[i], sizeof *rows_conditions, "%s", condition);
  if (!CHECK(!predicate_read(&rows_templates[i].predicate, condition,
                             &rows_table.columns, &error)))
    printf("#   %s\n", error.text);
  rows_tables.ntemplates++;
  return i;
}

// "v+100 f=1", or the columns "0 50 0" in their order.
static inline uint32_t rows_read_sets(const char *text,
                                      struct column_set sets[ROWS_COLUMNS]) {
  uint32_t n = 0;
  for (const char *at = text + strspn(text, " "); *at && n < ROWS_COLUMNS;
       at += strcspn(at, " "), at += strspn(at, " ")) {
    const bool named = isalpha((unsigned char)*at);
    uint8_t column = (uint8_t)n;
    for (uint8_t i = 0; named && i < ROWS_COLUMNS; i++)
      column = *at == *rows_columns[i] ? i : column;
    sets[n++] = (struct column_set){.column = column,
                                    .adds = named && at[1] == '+',
                                    .number = atoll(at + (named ? 2 : 0))};
  }
  return n;
}

static inline void rows_sort(struct row_list *list) {
  for (uint32_t i = 0; i < list->count; i++)
    for (uint32_t j = i + 1; j < list->count; j++)
      if (list->rows[j].key < list->rows[i].key) {
        const struct seen_row row = list->rows[i];
        list->rows[i] = list->rows[j];
        list->rows[j] = row;
      }
}

// "8@4:0,50,0" for each row: its key, what the statement saw, its columns.
static inline const char *rows_text(struct row_list *list) {
  static _Thread_local char text[4096];
  size_t used = 0;
  *text = '\0';
  rows_sort(list);
  for (uint32_t i = 0; i < list->count && used < sizeof text; i++) {
    const struct seen_row *row = &list->rows[i];
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%llu@%llu",
                             i ? " " : "", (unsigned long long)row->key,
                             (unsigned long long)row->saw);
    for (uint32_t c = 0; c < ROWS_COLUMNS && used < sizeof text; c++)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld",
                               c ? "," : ":",
                               (long long)row_list_image(list, i)[c]);
  }
  return text;
}

// Reads the words behind the statement's verb.
static inline struct statement rows_read(const char *text,
                                         struct column_set *sets) {
  static const struct {
    const char *verb;
    enum statement_sort sort;
  } verbs[] = {
      {"select ", STATEMENT_SELECT},     {"lock ", STATEMENT_LOCKING_SELECT},
      {"first ", STATEMENT_SELECT},      {"update ", STATEMENT_UPDATE},
      {"delete ", STATEMENT_DELETE},     {"insert ", STATEMENT_INSERT},
      {"insert? ", STATEMENT_INSERT_NEW}};
  static _Thread_local int64_t parameter;
  parameter = STATEMENT_KEY_END;
  struct statement s = {.sets = sets, .params = &parameter};
  size_t v = 0;
  while (strncmp(text, verbs[v].verb, strlen(verbs[v].verb)))
    v++;
  const char *rest = text + strlen(verbs[v].verb);
  char condition[200];
  s.sort = verbs[v].sort;
  if (statement_inserts(s.sort)) {
    char *columns;
    s.key = strtoull(rest, &columns, 10);
    s.nsets = rows_read_sets(columns, sets);
    s.template = rows_template("id = $1");
    parameter = (int64_t)s.key;
    return s;
  }
  if (*text == 'f') {
    char *after;
    s.limit = (uint32_t)strtoul(rest, &after, 10);
    rest = after;
  }
  snprintf(condition, sizeof condition, "%s%.*s%s", s.limit ? "(" : "",
           (int)strcspn(rest, ":"), rest, s.limit ? ") AND id <= $1" : "");
  if (strchr(rest, ':'))
    s.nsets = rows_read_sets(strchr(rest, ':') + 1, sets);
  s.template = rows_template(condition);
  return s;
}

// Executes the statement with this stamp.  "refused" if the key was taken;
// "aborted: CAUSE" if the transaction cannot go on.
static inline const char *rows_do(const struct driver *driver,
                                  struct connection *c, uint64_t stamp,
                                  const char *text) {
  static _Thread_local char answer[4096];
  struct column_set sets[ROWS_COLUMNS];
  const struct statement s = rows_read(text, sets);
  struct row_list list = {0};
  const enum outcome outcome = driver->execute(c, &s, stamp, &list);
  if (outcome != OUTCOME_OK)
    snprintf(answer, sizeof answer, "aborted: %s", cause_name(c->cause));
  else
    snprintf(answer, sizeof answer, "%s",
             list.refused ? "refused" : rows_text(&list));
  for (uint32_t i = 0; outcome == OUTCOME_OK && i < list.count; i++)
    CHECK_INT(list.rows[i].kind, statement_kind(s.sort));
  row_list_free(&list);
  return answer;
}

static inline void begin_rows(const struct driver *driver, struct connection *c,
                              int level) {
  CHECK_INT(driver->begin(c, &driver->levels[level]), OUTCOME_OK);
}
static inline void commit_rows(const struct driver *driver,
                               struct connection *c) {
  CHECK_INT(driver->commit(c), OUTCOME_OK);
}

// ---- What each driver has to say, on fresh rows

// One statement of each sort after the other, in one transaction and, at its
// end, in the next one.
static inline void rows_check_effects(const struct driver *driver,
                                      struct connection *c, int level) {
  static const struct {
    const char *statement, *answer;
  } steps[] = {
      {"select b = 0", "0@0:0,10,0 2@0:0,12,0 4@0:0,14,0 6@0:0,16,0"},
      {"first 2 b = 0", "0@0:0,10,0 2@0:0,12,0"},
      {"lock v > 15", "6@0:0,16,0 7@0:1,17,0"},
      {"update b = 1 : v+100 f=1",
       "1@0:1,111,1 3@0:1,113,1 5@0:1,115,1 7@0:1,117,1"},
      {"update id = 1 : b=0", "1@4:0,111,1"},
      {"select f = 1", "1@5:0,111,1 3@4:1,113,1 5@4:1,115,1 7@4:1,117,1"},
      {"delete v IN (12, 113)", "2@0:0,12,0 3@4:1,113,1"},
      {"select v < 15", "0@0:0,10,0 4@0:0,14,0"},
      {"insert 8 0 -50 -1", "8@0:0,-50,-1"},
      {"insert? 8 0 51 0", NULL},
      {"insert? 9 1 51 0", "9@0:1,51,0"},
      {"update v = 12 : f=9", ""},
      {"delete id = 3", ""},
      {"update v % 10 = 1 AND NOT f = 1 : f+5 b=7", "9@11:7,51,5"},
      {"update id = 8 : v+1", "8@9:0,-49,-1"},
      {"delete id = 8 OR id = 0", "0@0:0,10,0 8@15:0,-49,-1"},
      {"select TRUE", "1@5:0,111,1 4@0:0,14,0 5@4:1,115,1 6@0:0,16,0 "
                      "7@4:1,117,1 9@14:7,51,5"},
  };
  begin_rows(driver, c, level);
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    const char *answer = rows_do(driver, c, i + 1, steps[i].statement);
    if (steps[i].answer)
      CHECK_STR(answer, steps[i].answer);
    else // where deletes are soft, the key may be that of a dead row
      CHECK(!*answer || !strcmp(answer, "refused"));
  }
  commit_rows(driver, c);
  begin_rows(driver, c, level);
  CHECK_STR(rows_do(driver, c, 20, "select v >= 51"),
            "1@5:0,111,1 5@4:1,115,1 7@4:1,117,1 9@14:7,51,5");
  CHECK_STR(rows_do(driver, c, 21, "delete f = 5"), "9@14:7,51,5");
  CHECK_INT(driver->rollback(c), OUTCOME_OK);
  begin_rows(driver, c, level);
  CHECK_STR(rows_do(driver, c, 22, "select b = 7"), "9@14:7,51,5");
  commit_rows(driver, c);
}

// With instrument=reads: as much as plain statements tell.
static inline void rows_check_plain(const struct driver *driver,
                                    struct connection *c, int level) {
  static const struct {
    const char *statement, *answer;
  } steps[] = {
      {"select v > 15", "6@0:0,16,0 7@0:1,17,0"},
      {"insert 8 0 50 1", "8@0:0,50,1"},
      {"insert? 8 1 51 1", ""},
      {"insert? 9 1 51 0", "9@0:1,51,0"},
      {"lock v >= 50", "8@2:0,50,1 9@4:1,51,0"},
      {"first 1 b = 1 AND v > 16", "7@0:1,17,0"},
  };
  begin_rows(driver, c, level);
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    CHECK_STR(rows_do(driver, c, i + 1, steps[i].statement), steps[i].answer);
  commit_rows(driver, c);
  begin_rows(driver, c, level);
  CHECK_STR(rows_do(driver, c, 20, "select f = 1"), "8@2:0,50,1");
  commit_rows(driver, c);
}

// An INSERT of a key that is taken: is the statement undone, or the
// transaction?
static inline void rows_check_taken_key(const struct driver *driver,
                                        struct connection *c, bool goes_on) {
  begin_rows(driver, c, 0);
  CHECK_STR(rows_do(driver, c, 1, "insert 20 1 1 1"), "20@0:1,1,1");
  CHECK_STR(rows_do(driver, c, 2, "insert 20 2 2 2"),
            goes_on ? "refused" : "aborted: constraint");
  if (goes_on)
    commit_rows(driver, c);
  else
    CHECK_INT(driver->rollback(c), OUTCOME_OK);
  begin_rows(driver, c, 0);
  CHECK_STR(rows_do(driver, c, 3, "select id = 20"),
            goes_on ? "20@1:1,1,1" : "");
  commit_rows(driver, c);
}

#endif
