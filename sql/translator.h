// SPDX-License-Identifier: GPL-3.0-or-later
// A pgbench script while it is translated: between script.c, expressions.c,
// select.c, changes.c and commands.c.  It becomes a program in the notation,
// or, where there is a maker, steps to perform (sql/maker.h).
#ifndef SQL_TRANSLATOR_H
#define SQL_TRANSLATOR_H

#include "sql/reading.h"

enum { VARIABLES_MAX = 64 };

struct sql_maker;

struct sql_variable {
  char name[64];
  char *is; // a constant expression that it equals; NULL: it depends on rows
};

struct translator {
  struct sql_reader *r;
  struct sql_schema *schema;
  FILE *out;
  struct sql_maker *maker; // NULL: a program is wanted
  const char *name;
  uint32_t ntransactions;
  bool open;     // between BEGIN and COMMIT
  bool refused;  // something; who asks for what is missing then is not told
  uint32_t nifs; // open ones
  char *sets;    // \set commands before the next transaction
  uint32_t nvariables;
  struct sql_variable variables[VARIABLES_MAX];
};

// ---- Values (expressions.c)

struct sql_value {
  char *text;                // in the notation
  char *constant;            // the same from constants alone, or NULL
  bool has_columns, has_row; // columns of the row; others than the key
};
// Up to what is no part of it, such as a comma, AND or OR.
int sql_take_value(struct translator *t, const struct sql_table *table,
                   struct sql_value *value);
// AND and OR are part of it.
int sql_take_condition(struct translator *t, const struct sql_table *table,
                       struct sql_value *value);
void sql_value_free(struct sql_value *value);
// Takes the constant over, or NULL.
int sql_set_variable(struct translator *t, const char *name, char *constant);
// Its number, from 0; -1 with a sentence.
int sql_variable_number(struct translator *t, const char *name);

// `[WHERE ...]`, up to its end.
struct sql_where {
  char *id;  // of the only row; NULL: all rows are looked at
  char *row; // what must hold of `id` and `row`; NULL: nothing
};
int sql_take_where(struct translator *t, const struct sql_table *table,
                   struct sql_where *where);
// A WHERE that names one row, perhaps with more conditions on it.
int sql_take_id(struct translator *t, const struct sql_table *table,
                struct sql_where *where);
// The condition on `row` under which WHERE, which names one row, finds it.  To
// be freed.
char *sql_where_finds(const struct sql_where *where);
void sql_where_free(struct sql_where *where);

// ---- Statements, behind their first word

int sql_select(struct translator *t);
int sql_update(struct translator *t);
int sql_delete(struct translator *t);
int sql_insert(struct translator *t);

// A command that begins with a backslash (commands.c).
int sql_command(struct translator *t);
int sql_end_of_line(struct translator *t);

#endif
