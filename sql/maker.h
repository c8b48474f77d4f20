// SPDX-License-Identifier: GPL-3.0-or-later
// Making steps of a script (sql/steps.h) while the parser reads it.
// Only files of this room include it.
#ifndef SQL_MAKER_H
#define SQL_MAKER_H

#include "sql/steps.h"
#include "sql/translator.h"

enum { SQL_IFS_MAX = 32 };

struct sql_maker {
  struct sql_scripts *all;
  struct sql_script *script;
  struct sql_step *step; // the statement that is being read
  const char *begin;     // of its text
  uint32_t line;
  uint32_t first;               // step of the next transaction
  uint32_t branch[SQL_IFS_MAX]; // the step whose target is still open
};

// A value without columns, up to what is no part of it; `bare`: AND and OR end
// it.
int sql_make_value(struct translator *t, bool bare, struct sql_code *code);
// `column + value`, `column - value`, or a value without columns.
int sql_make_assignment(struct translator *t, const struct sql_table *table,
                        uint32_t column, struct sql_assignment *set);
// `[WHERE ...]`: the condition and the parameters of the statement.
int sql_make_where(struct translator *t, const struct sql_table *table);

// Begins a statement, whose condition is TRUE so far, and puts it behind the
// other steps.
void sql_make_statement(struct translator *t, const struct sql_table *table);
void sql_put_statement(struct translator *t, enum statement_sort sort);
// The text up to `end` on one line, without comments and blanks around it.
const char *sql_text_on_a_line(struct arena *arena, const char *text,
                               const char *end);
// Puts a SET, ROLLBACK or COMMIT; `code` may be NULL.
void sql_put_step(struct translator *t, enum sql_step_kind kind,
                  uint32_t variable, const struct sql_code *code);
// The condition of an INSERT that may do nothing.
void sql_make_key_condition(struct translator *t);
void sql_make_begin(struct translator *t);
void sql_make_end(struct translator *t);

// \if, \else, \endif.
int sql_put_if(struct translator *t, const struct sql_code *code);
void sql_put_else(struct translator *t);
void sql_put_endif(struct translator *t);

// The number of a column among those that are not the key.
uint32_t sql_row_column(const struct sql_table *table, uint32_t column);

#endif
