// SPDX-License-Identifier: GPL-3.0-or-later
// Refusals (sql/reading.h): where something stands, what was found, and
// what to write instead.  The reader goes on behind it, so that a person learns
// of all of it at once.
#include "config.h"

#include "sql/reading.h"

#include <stdarg.h>
#include <string.h>

// A word, a symbol or the first letter of one, and what to write instead.
static const struct {
  const char *found, *instead;
} advice[] = {
    // ---- Types of columns
    {"text", "write int, and number the texts"},
    {"varchar", "write int, and number the texts"},
    {"character", "write int, and number the texts"},
    {"char", "write int, and number the texts"},
    {"uuid", "write int, and number them"},
    {"enum", "write int, and number the words"},
    {"numeric", "write bigint, in cents or the like"},
    {"decimal", "write bigint, in cents or the like"},
    {"real", "write bigint, in thousandths or the like"},
    {"float", "write bigint, in thousandths or the like"},
    {"double", "write bigint, in thousandths or the like"},
    {"money", "write bigint, in cents"},
    {"boolean", "write int, 0 or 1"},
    {"bool", "write int, 0 or 1"},
    {"true", "write 1"},
    {"false", "write 0"},
    {"date", "write bigint, and count the days"},
    {"time", "write bigint, and count the seconds"},
    {"timestamp", "write bigint, and count the seconds"},
    {"timestamptz", "write bigint, and count the seconds"},
    {"datetime", "write bigint, and count the seconds"},
    {"interval", "write bigint, and count the seconds"},
    {"json", "write a column of numbers for each member that matters"},
    {"jsonb", "write a column of numbers for each member that matters"},
    {"unsigned", "leave it out"},
    {"tinyint", "write smallint"},
    // ---- What stands behind a column or a table
    {"unique", "leave it out, and have an id that says what is unique be the "
               "primary key"},
    {"check", "leave it out, and say it in the WHERE of the UPDATE"},
    {"references", "leave it out, and read the other row with FOR SHARE"},
    {"foreign", "leave it out, and read the other row with FOR SHARE"},
    {"exclude", "leave it out, and say it in the script"},
    {"collate", "leave it out"},
    // ---- Other statements
    {"alter", "write it in CREATE TABLE"},
    {"truncate", "write a DELETE of each row"},
    {"set", "leave it out"},
    {"savepoint", "leave it out; a transaction is undone as a whole"},
    {"release", "leave it out"},
    {"with", "write each SELECT as a statement of its own, with \\gset"},
    {"merge", "write INSERT ... ON CONFLICT DO NOTHING and an UPDATE"},
    {"replace", "write INSERT ... ON CONFLICT DO NOTHING and an UPDATE"},
    {"call", "write its statements"},
    {"do", "write its statements"},
    {"lock", "write SELECT ... FOR UPDATE of each row"},
    {"vacuum", "leave it out"},
    // ---- Within a statement
    {"join", "write a SELECT for each table"},
    {"inner", "write a SELECT for each table"},
    {"left", "write a SELECT for each table"},
    {"right", "write a SELECT for each table"},
    {"full", "write a SELECT for each table"},
    {"cross", "write a SELECT for each table"},
    {"natural", "write a SELECT for each table"},
    {"using", "write a statement for each table"},
    {"union", "write a SELECT for each"},
    {"group", "write a SELECT with WHERE for each group"},
    {"having", "write \\if behind \\gset"},
    {"order", "leave it out, since rows are told in no order"},
    {"limit", "write MIN or MAX, and then a SELECT of that row"},
    {"offset", "write MIN or MAX, and then a SELECT of that row"},
    {"fetch", "write MIN or MAX, and then a SELECT of that row"},
    {"distinct", "write COUNT(*) with a WHERE for each value"},
    {"nowait", "leave it out: then it waits"},
    {"skip", "leave it out: then it waits"},
    {"any", "write x = 1 OR x = 2"},
    {"is", "write a number that stands for none, such as x = -1"},
    {"null", "write a number that stands for none, such as -1"},
    {"like", "write a comparison of numbers"},
    {"ilike", "write a comparison of numbers"},
    {"exists", "write SELECT COUNT(*) ... \\gset, and \\if"},
    {"select", "write it as a statement before, with \\gset"},
    {"case", "write \\if and \\else"},
    {"coalesce", "write \\if and \\else"},
    {"greatest", "write \\if and \\else"},
    {"least", "write \\if and \\else"},
    {"returning", "write a SELECT of the row behind it, in the transaction"},
    {"update", "write ON CONFLICT DO NOTHING, and an UPDATE"},
    {"now", "write a number"},
    {"current_timestamp", "write a number"},
    {"current_date", "write a number"},
    {"localtimestamp", "write a number"},
    {"generate_series", "write a row for each number"},
    {"random_zipfian", "write random(LOW, HIGH)"},
    {"random_gaussian", "write random(LOW, HIGH)"},
    {"random_exponential", "write random(LOW, HIGH)"},
    {"only", "leave it out"},
    {"cast", "leave it out; all values are whole numbers"},
    // ---- Commands of pgbench
    {"sleep", "leave it out; every order of the statements is tried anyway"},
    {"elif", "write \\else and another \\if"},
    {"aset", "write \\gset"},
    {"startpipeline", "leave it out"},
    {"endpipeline", "leave it out"},
    {"shell", "write the number"},
    {"setshell", "write \\set with the number"},
    // ---- Symbols
    {"'", "write a number instead of the text"},
    {".", "write the name alone, without the schema or the table"},
    {"::", "leave the cast out; all values are whole numbers"},
    {":", "leave the cast out; all values are whole numbers"},
    {"|", "write numbers instead of texts"},
    {"?", "write :name, and \\set name before it"},
    {"$", "write :name, and \\set name before it"},
};

const char *sql_advice(const char *found) {
  for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
    if (!strcmp(advice[i].found, found))
      return advice[i].instead;
  return NULL;
}

__attribute__((format(printf, 3, 0))) static int
refuse_at(const struct sql_reader *r, uint32_t line, const char *format,
          va_list args) {
  char text[400];
  vsnprintf(text, sizeof text, format, args);
  return error_set_usage(r->error, "%s:%u: %s", r->path, line, text);
}

int sql_refuse(const struct sql_reader *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int failed = refuse_at(r, r->at, format, args);
  va_end(args);
  return failed;
}

int sql_refuse_line(const struct sql_reader *r, uint32_t line,
                    const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int failed = refuse_at(r, line, format, args);
  va_end(args);
  return failed;
}

int sql_expected(const struct sql_reader *r, const char *wanted) {
  const bool ends = r->kind == SQL_END || r->kind == SQL_LINE;
  const char *instead = ends ? NULL : sql_advice(r->text);
  return sql_refuse(r, "expected %s, not %s%s%s%s%s", wanted,
                    ends ? "the end" : "\"", r->text, ends ? "" : "\"",
                    instead ? "; " : "", instead ? instead : "");
}

// ---- Going on

void sql_note(struct sql_refusals *refusals, const struct error *error) {
  const size_t used = strlen(refusals->text), n = strlen(error->text);
  refusals->n += n > 0;
  if (!n)
    return;
  if (used + n + 2 > sizeof refusals->text) {
    refusals->untold++;
    return;
  }
  if (used)
    refusals->text[used] = '\n';
  memcpy(refusals->text + used + (used > 0), error->text, n + 1);
}

int sql_tell(const struct sql_refusals *refusals, bool with_page,
             struct error *error) {
  char more[40] = "";
  if (!refusals->n)
    return 0;
  if (refusals->untold)
    snprintf(more, sizeof more, "\nand %u more", refusals->untold);
  return error_set_usage(
      error, "%s%s%s", refusals->text, more,
      with_page ? "\n`isostress help scripts` lists the SQL that is "
                  "understood, and explore/PROGRAMS.md says what it means"
                : "");
}

// Behind a text or a comment that begins here; 0: none does.
static size_t quoted_length(const char *p) {
  const char *end = NULL;
  if (!strncmp(p, "--", 2))
    return strcspn(p, "\n");
  if (!strncmp(p, "/*", 2))
    end = strstr(p + 2, "*/");
  else if (*p == '\'' || *p == '"' || *p == '`')
    end = strchr(p + 1, *p);
  return end ? (size_t)(end - p) + 1 + (*p == '/') : 0;
}

static void skip_byte(struct sql_reader *r) {
  const size_t n = quoted_length(r->p);
  for (size_t i = 0; i < (n ? n : 1); i++)
    r->line += *r->p++ == '\n';
}

static void skip_rest_of_line(struct sql_reader *r) {
  r->p += strcspn(r->p, "\n");
}

void sql_skip_statement(struct sql_reader *r) {
  const bool in_command = r->lines;
  const bool is_behind =
      r->kind == SQL_END || r->kind == SQL_LINE || sql_at(r, ";");
  r->lines = false;
  r->depth = 0;
  if (is_behind)
    return;
  if (in_command || r->kind == SQL_COMMAND) {
    skip_rest_of_line(r);
    return;
  }
  while (*r->p && *r->p != ';' && *r->p != '\\')
    skip_byte(r);
  if (*r->p == '\\')
    skip_rest_of_line(r);
  r->p += *r->p == ';';
}

void sql_skip_item(struct sql_reader *r, uint32_t depth) {
  while (*r->p && *r->p != ';' &&
         !(r->depth <= depth && (*r->p == ',' || *r->p == ')'))) {
    r->depth += *r->p == '(';
    r->depth -= *r->p == ')';
    skip_byte(r);
  }
}
