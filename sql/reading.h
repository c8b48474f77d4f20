// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens of SQL and of pgbench's meta-commands, the schema, and what program.c
// puts together.
#ifndef SQL_READING_H
#define SQL_READING_H

#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum sql_kind {
  SQL_END,
  SQL_WORD, // in lower case
  SQL_NUMBER,
  SQL_VARIABLE, // :name, without the colon
  SQL_SYMBOL,
  SQL_COMMAND, // \set, without the backslash
  SQL_LINE,    // the end of a line, only while `lines` is set
};

struct sql_reader {
  const char *path, *p;
  uint32_t line;
  bool quoted; // the word, which is then a name and no word of SQL
  bool lines;  // the end of a line is a token: in a meta-command
  enum sql_kind kind;
  char text[64];
  uint32_t at;       // line of the token
  const char *token; // where it begins
  uint32_t depth;    // parentheses that are open behind it
  struct error *error;
};

// Everything that was refused in the schema and the scripts, a line each.
struct sql_refusals {
  uint32_t n, untold;
  char text[sizeof((struct error *)NULL)->text - 256];
};

enum { SQL_TABLES_MAX = 16, SQL_COLUMNS_MAX = 16 };

struct sql_table {
  char name[64];
  bool is_refused; // a part of it is
  uint32_t line;
  uint32_t ncolumns, key;  // the primary key, from 0
  const char *begin, *end; // its columns, from "(" to ")", in the file
  char columns[SQL_COLUMNS_MAX][64];
};

struct sql_inserted { // by an INSERT of a script
  uint32_t table, line;
  char *id; // a constant expression, in which v_client_id is the session's
            // number; NULL: it depends on rows
  char *path;
};

struct sql_draw { // random() of a script that is explored
  char name[96];
  int64_t low, high;
};
enum { SQL_DRAWS_MAX = 64, SQL_DRAW_VALUES_MAX = 64 };

struct sql_schema {
  struct sql_refusals refusals;
  bool is_refused; // something of it: who asks for what it lacks is not told
  uint32_t ntables;
  struct sql_table tables[SQL_TABLES_MAX];
  uint32_t scanned; // set of tables of which all rows are looked at
  struct sql_inserted *inserts;
  uint32_t ninserts, inserts_room;
  struct sql_draw draws[SQL_DRAWS_MAX];
  uint32_t ndraws;
  // The rows of each table, their keys first, if they are to be kept.
  bool keeps_rows;
  int64_t *rows[SQL_TABLES_MAX];
  uint32_t nnumbers[SQL_TABLES_MAX], numbers_room[SQL_TABLES_MAX];
};

int sql_advance(struct sql_reader *r);
// -1 with a sentence that names file and line of the token.
int sql_refuse(const struct sql_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// As sql_refuse, of a line before it.
int sql_refuse_line(const struct sql_reader *r, uint32_t line,
                    const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// As sql_refuse, of the token, with what to write instead.
int sql_expected(const struct sql_reader *r, const char *wanted);
// Says what to write instead of such a word or symbol; NULL: nobody knows.
const char *sql_advice(const char *found);

// Keeps a refusal, unless it only follows from one, and goes on behind the
// statement or command, or in front of the comma or parenthesis that ends an
// item `depth` parentheses deep.
void sql_note(struct sql_refusals *refusals, const struct error *error);
void sql_skip_statement(struct sql_reader *r);
void sql_skip_item(struct sql_reader *r, uint32_t depth);
// -1 with all refusals, and with the page that lists the SQL, if there are any.
int sql_tell(const struct sql_refusals *refusals, bool with_page,
             struct error *error);

bool sql_at(const struct sql_reader *r, const char *text);
int sql_accept(struct sql_reader *r, const char *text); // 1, 0; -1: refused
int sql_require(struct sql_reader *r, const char *text);
// Goes behind `schema.` or `table.` in front of a name, which becomes
// `qualifier`; else that is empty.
int sql_qualifier(struct sql_reader *r, char qualifier[64]);
// Is it a word with a parenthesis behind it?
bool sql_begins_call(const struct sql_reader *r);
int sql_name(struct sql_reader *r, const char *what, char name[64]);

const struct sql_table *sql_find_table(const struct sql_schema *schema,
                                       const char *name);
// UINT32_MAX if there is none.
uint32_t sql_find_column(const struct sql_table *table, const char *name);
int sql_table_here(struct sql_reader *r, const struct sql_schema *schema,
                   const struct sql_table **table);

// `[(column, ...)] VALUES`: which column comes at which place, all of them.
int sql_insert_columns(struct sql_reader *r, const struct sql_table *table,
                       uint32_t order[SQL_COLUMNS_MAX]);

// These go on behind what they refuse, and then return -1 with all refusals.
// Reads a schema, and writes the rows that it inserts as initial values.
int sql_read_schema(struct sql_reader *r, struct sql_schema *schema, FILE *out);

// Translates a script: its transactions to `out`, called NAME_1, NAME_2, ...;
// how many.
int sql_read_script(struct sql_reader *r, struct sql_schema *schema,
                    const char *name, FILE *out, uint32_t *ntransactions);

// The text of a file, to be freed; NULL with a sentence.
char *sql_text_of(const char *path, struct error *error);
// "pay" of "dir/pay.pgbench@3", and 3.
int sql_take_apart(const char *script, char **path, char name[40],
                   uint32_t *copies, struct error *error);
void sql_schema_free(struct sql_schema *schema);

// Finds the change of that number in one script.
struct sql_change;
bool sql_find_atomic(const char *script, uint32_t number,
                     struct sql_change *change);

#endif
