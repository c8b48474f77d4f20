// SPDX-License-Identifier: GPL-3.0-or-later
// MariaDB and MySQL tell of versions (drivers/mysql/instrument.h): by the
// account of triggers, and after the run.
#include "config.h"

#include "drivers/mysql/instrument.h"

#include "base/memory.h"
#include "drivers/mysql/instrument_ask.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int mysqldb_own_session(MYSQL *mysql) {
  static const char settings[] =
      "SET SESSION sql_mode = " MYSQLDB_OWN_MODE
      ", foreign_key_checks = 1, unique_checks = 1, group_concat_max_len = "
      "131072, @" MYSQLDB_OWN "log = ''";
  return mysql_set_character_set(mysql, "utf8mb4") ||
                 mysql_real_query(mysql, settings, sizeof settings - 1)
             ? -1
             : 0;
}

MYSQL_RES *mysqldb_query(const struct mysqldb_target *target, MYSQL *mysql,
                         const char *sql, const char *what,
                         struct error *error) {
  MYSQL_RES *rows = mysql_real_query(mysql, sql, strlen(sql))
                        ? NULL
                        : mysql_store_result(mysql);
  if (!rows)
    mysqldb_say(error, target, mysql, what);
  return rows;
}

// ---- The account of triggers

const char *mysqldb_image_value_end(const char *at) {
  at += *at == 'x';
  if (*at != '\'') {
    while (isalnum((unsigned char)*at) || (*at && strchr("+-.", *at)))
      at++;
    return at;
  }
  for (at++; *at && *at != '\''; at++)
    at += *at == '\\' && at[1];
  return *at ? at + 1 : at;
}

static bool take_note_number(const char **p, uint64_t *number) {
  char *end;
  *number = strtoull(*p, &end, 10);
  const bool taken = end != *p && *end == ' ';
  *p = taken ? end + 1 : end;
  return taken;
}

// "U3 17 18 4 4,'a'": a kind and a table, the versions before and after, the
// key and the image.
static bool take_mysql_note(const struct mysqldb_instrument *own,
                            const char **p, struct version_change *change) {
  uint64_t table, before, after, key;
  *change = (struct version_change){.kind = *(*p)++};
  if (!strchr("IUD", change->kind) || !take_note_number(p, &table) ||
      table >= own->ntables || !take_note_number(p, &before) ||
      !take_note_number(p, &after) || !take_note_number(p, &key))
    return false;
  change->key = key > INT64_MAX ? -1 : (int64_t)key;
  if (change->kind != 'I')
    change->before =
        (struct seen_version){.table = (uint32_t)table, .place = before};
  if (change->kind != 'D')
    change->after =
        (struct seen_version){.table = (uint32_t)table, .place = after};
  const char *image = *p;
  for (*p = mysqldb_image_value_end(*p); **p == ',';)
    *p = mysqldb_image_value_end(*p + 1);
  if (**p != '\n')
    return false;
  if (change->kind != 'D')
    change->image = xasprintf("%.*s", (int)(*p - image), image);
  (*p)++;
  return true;
}

// An UPDATE may find a row and leave it as it is.
static void keep_mysql_note(struct version_change *change,
                            struct instrument_answer *answer) {
  if (change->kind == 'U' && change->before.place == change->after.place) {
    free(change->image);
    ARRAY_RESERVE(answer->seen, answer->nseen, answer->seen_room);
    answer->seen[answer->nseen++] = change->before;
    answer->told_besides++;
    return;
  }
  ARRAY_RESERVE(answer->changes, answer->nchanges, answer->changes_room);
  answer->changes[answer->nchanges++] = *change;
}

bool mysqldb_take_notes(const struct mysqldb_instrument *own, const char *text,
                        uint64_t length, struct instrument_answer *answer) {
  const char *p = text;
  struct version_change change;
  bool taken = strlen(text) == length;
  while (taken && *p)
    if ((taken = take_mysql_note(own, &p, &change)))
      keep_mysql_note(&change, answer);
  return taken;
}

// ---- After the run

int mysqldb_read_versions(struct target *base,
                          const struct instrument_tables *tables,
                          struct instrument_tables *found,
                          struct error *error) {
  const struct mysqldb_target *target = mysqldb_of(base);
  for (uint32_t t = 0; t < tables->n; t++) {
    MYSQL_RES *rows =
        mysqldb_query(target, target->claim, target->own->tables[t].select,
                      "cannot read the tables after the run", error);
    MYSQL_ROW row;
    while (rows && (row = mysql_fetch_row(rows))) {
      ARRAY_RESERVE(found->first, found->nfirst, found->first_room);
      found->first[found->nfirst++] = (struct version_change){
          .kind = 'I',
          .after = {.table = t, .place = strtoull(row[0], NULL, 10)},
          .key = strtoll(row[1], NULL, 10),
          .image = xstrdup(row[2])};
    }
    mysql_free_result(rows);
    if (!rows)
      return -1;
  }
  return 0;
}

// A procedure may catch an error, and then what it did before is undone though
// it was told: no script may call one, and a function cannot catch errors that
// undo anything but the whole statement.
static int find_none_undone(struct target *target, const uint64_t *writers,
                            uint32_t n, bool *undone, struct error *error) {
  (void)target, (void)writers, (void)error;
  memset(undone, 0, n * sizeof *undone);
  return 0;
}

void mysqldb_instrument_free(struct mysqldb_instrument *own) {
  if (!own)
    return;
  for (uint32_t i = 0; i < own->ntables; i++)
    FREE_EACH(own->tables[i].name, own->tables[i].version,
              own->tables[i].select, own->tables[i].moves);
  free(own->tables);
  free(own);
}

const struct instrument mysqldb_instrument = {
    .dialect = &sql_dialect_mysql,
    .setup = mysqldb_own_setup,
    .choose = mysqldb_choose_way,
    .execute = mysqldb_execute_own,
    .read_tables = mysqldb_read_versions,
    .rank = mysqldb_rank,
    .find_undone = find_none_undone,
};
