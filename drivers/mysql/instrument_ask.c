// SPDX-License-Identifier: GPL-3.0-or-later
// Executes statements with added columns (drivers/mysql/instrument_ask.h), and
// fetches the account of triggers with the same packet.
#include "config.h"

#include "drivers/mysql/instrument_ask.h"

#include "base/memory.h"
#include "drivers/mysql/codes.h"
#include "drivers/rows.h"

#include <stdlib.h>
#include <string.h>

enum {
  VERSIONS_AT_MOST = 4096, // of one statement; reads of more are left out
  TAKEN_KEY = 1062         // error: this undoes the statement alone
};

static unsigned added_columns(const struct instrument_way *way) {
  return !way->adds ? 0 : way->ntables * (way->gathers ? 2 : 1);
}

// ---- What was read

static void add_version(struct instrument_answer *answer, uint32_t table,
                        const char *number) {
  ARRAY_RESERVE(answer->seen, answer->nseen, answer->seen_room);
  answer->seen[answer->nseen++] = (struct seen_version){
      .table = table, .place = strtoull(number, NULL, 10)};
}

// "17 18": as many as the database counted, unless the list was cut off.
static void add_gathered(struct instrument_answer *answer, uint32_t table,
                         const char *list, const char *count) {
  uint64_t n = 0;
  for (const char *p = list; p && *p; n++) {
    add_version(answer, table, p);
    p = strchr(p, ' ');
    p = p ? p + 1 : NULL;
  }
  answer->cut |= n != strtoull(count ? count : "0", NULL, 10);
}

static void see_versions(MYSQL_RES *result, const struct instrument_way *way,
                         struct instrument_answer *answer) {
  const unsigned first = mysql_num_fields(result) - added_columns(way);
  MYSQL_ROW row;
  mysql_data_seek(result, 0);
  while (way->adds && (row = mysql_fetch_row(result)))
    for (uint32_t i = 0; i < way->ntables; i++) {
      const uint32_t table = way->tables[i].table;
      if (way->gathers)
        add_gathered(answer, table, row[first + i * 2], row[first + i * 2 + 1]);
      else if (row[first + i])
        add_version(answer, table, row[first + i]);
    }
  answer->cut |= answer->nseen > VERSIONS_AT_MOST;
  if (answer->cut)
    answer->nseen = 0;
}

static void keep_rows_of(MYSQL_RES *result, unsigned n,
                         struct instrument_answer *answer) {
  struct arena *arena = &answer->arena;
  const char **values;
  MYSQL_ROW row;
  if (!n || (!mysql_num_rows(result) && !answer->all_rows))
    return;
  answer->ncolumns = n;
  answer->names = arena_take(arena, n * sizeof *answer->names);
  for (unsigned i = 0; i < n; i++)
    answer->names[i] =
        arena_strdup(arena, mysql_fetch_field_direct(result, i)->name);
  mysql_data_seek(result, 0);
  while ((row = mysql_fetch_row(result)) &&
         (values = instrument_answer_row(answer)))
    for (unsigned i = 0; i < n; i++)
      values[i] = row[i] ? arena_strdup(arena, row[i]) : NULL;
}

static void put_rows_out(MYSQL_RES *result, unsigned n,
                         struct instrument_answer *answer) {
  MYSQL_ROW row;
  mysql_data_seek(result, 0);
  while (answer->rows && (row = mysql_fetch_row(result)))
    for (unsigned i = 0; i < n; i++)
      rows_add(answer->rows, answer->rows_room, (int)i, row[i]);
}

static void take_rows(MYSQL_RES *result, const struct instrument_way *way,
                      struct instrument_answer *answer) {
  const unsigned n = mysql_num_fields(result) - added_columns(way);
  answer->returned = mysql_num_rows(result);
  see_versions(result, way, answer);
  keep_rows_of(result, n, answer);
  put_rows_out(result, n, answer);
}

// ---- Executing

// Takes what the statement itself returns, which may be no rows.  False: it
// failed.
static bool take_own_answer(struct mysqldb_session *session,
                            const struct instrument_way *way,
                            struct instrument_answer *answer) {
  MYSQL_RES *result = mysql_store_result(session->mysql);
  if (!result && mysql_errno(session->mysql))
    return false;
  answer->affected = mysql_affected_rows(session->mysql);
  if (result)
    take_rows(result, way, answer);
  mysql_free_result(result);
  return true;
}

enum account { ACCOUNT_WHOLE, ACCOUNT_CUT, ACCOUNT_FAILED };

static enum account take_account(struct mysqldb_session *session,
                                 struct instrument_answer *answer) {
  const struct mysqldb_instrument *own = mysqldb_of(session->base.target)->own;
  MYSQL_RES *result = mysql_store_result(session->mysql);
  const MYSQL_ROW row = result ? mysql_fetch_row(result) : NULL;
  const enum account account =
      !row ? ACCOUNT_FAILED
      : row[0] && mysqldb_take_notes(own, row[0],
                                     mysql_fetch_lengths(result)[0], answer)
          ? ACCOUNT_WHOLE
          : ACCOUNT_CUT;
  mysql_free_result(result);
  return account;
}

// INSERT ... ON DUPLICATE KEY UPDATE counts a row twice that it changes.
static void count_twice(const struct sql_outline *outline,
                        struct instrument_answer *answer) {
  for (uint32_t i = 0; i < answer->nchanges && outline->verb == SQL_VERB_INSERT;
       i++)
    answer->told_besides += answer->changes[i].kind == 'U';
}

// InnoDB has undone the statement, and the transaction goes on: the script can
// ask for :ROW_COUNT.
static enum outcome note_taken_key(struct mysqldb_session *session,
                                   struct instrument_answer *answer) {
  struct connection *base = &session->base;
  instrument_answer_clear(answer);
  answer->undone = true;
  base->cause = CAUSE_CONSTRAINT;
  snprintf(base->code, sizeof base->code, "%u", TAKEN_KEY);
  error_one_line(base->text, sizeof base->text, mysql_error(session->mysql));
  return OUTCOME_OK;
}

static enum outcome own_failed(struct mysqldb_session *session,
                               struct instrument_answer *answer) {
  const unsigned number = mysql_errno(session->mysql);
  return number == TAKEN_KEY
             ? note_taken_key(session, answer)
             : mysqldb_failed(session, number, mysql_error(session->mysql),
                              false);
}

static bool prepare_session(struct mysqldb_session *session) {
  if (session->multiple)
    return true;
  session->multiple = !mysqldb_own_session(session->mysql) &&
                      !mysql_set_server_option(
                          session->mysql, MYSQL_OPTION_MULTI_STATEMENTS_ON);
  return session->multiple;
}

// The text that is sent: between an empty variable and what triggers put there,
// if rows may change.
static char *wrap_text(const struct mysqldb_instrument *own, const char *text,
                       const struct sql_outline *outline,
                       const struct instrument_way *way, bool accounts) {
  char *asked =
      way->adds ? mysqldb_own_text(own, text, outline, way) : xstrdup(text);
  char *sent = accounts ? xasprintf("SET @" MYSQLDB_OWN "log = ''; %s; SELECT "
                                    "@" MYSQLDB_OWN "log",
                                    asked)
                        : xstrdup(asked);
  free(asked);
  return sent;
}

static enum outcome send_own(struct mysqldb_session *session, const char *sent,
                             const struct sql_outline *outline,
                             const struct instrument_way *way, bool accounts,
                             struct instrument_answer *answer) {
  MYSQL *mysql = session->mysql;
  if (!mysqldb_ask(session, sent) || (accounts && mysql_next_result(mysql)) ||
      !take_own_answer(session, way, answer))
    return own_failed(session, answer);
  if (!accounts)
    return mysqldb_stay(session, false);
  const enum account account =
      mysql_next_result(mysql) ? ACCOUNT_FAILED : take_account(session, answer);
  if (account == ACCOUNT_FAILED)
    return own_failed(session, answer);
  if (account == ACCOUNT_CUT)
    return mysqldb_refused(session, OUTCOME_ABORTED, "account",
                           "what the statement changed is more than "
                           "max_allowed_packet can tell");
  count_twice(outline, answer);
  return mysqldb_stay(session, answer->nchanges > 0);
}

enum outcome mysqldb_execute_own(struct connection *connection,
                                 const char *text,
                                 const struct sql_outline *outline,
                                 const struct instrument_way *way,
                                 struct instrument_answer *answer) {
  struct mysqldb_session *session = mysqldb_session_of(connection);
  const struct mysqldb_instrument *own = mysqldb_of(connection->target)->own;
  const bool accounts = outline->verb == SQL_VERB_SELECT
                            ? own->functions
                            : outline->verb <= SQL_VERB_OTHER;
  instrument_answer_clear(answer);
  if (session->failed || connection->broken)
    return mysqldb_refused(session, OUTCOME_ABORTED, "failed",
                           "the transaction had failed before");
  if (!prepare_session(session))
    return own_failed(session, answer);
  char *sent = wrap_text(own, text, outline, way, accounts);
  const enum outcome outcome =
      send_own(session, sent, outline, way, accounts, answer);
  free(sent);
  return outcome;
}
