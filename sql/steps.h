// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts as steps that a client performs on a live database: the statements
// of sql/tables.h, and what lies between them.  The same parser reads them as
// for exploring (sql/sql.h); what a run cannot do is refused with file
// and line.
#ifndef SQL_STEPS_H
#define SQL_STEPS_H

#include "base/error.h"
#include "base/memory.h"
#include "sql/tables.h"

#include <stdbool.h>
#include <stdint.h>

// ---- Values

enum sql_code_op {
  SQL_PUSH,     // the number
  SQL_LOAD,     // the variable of that number
  SQL_RANDOM,   // between two numbers, both included
  SQL_NEGATIVE, // of one; all that follow are of two but SQL_NOT
  SQL_ADD,
  SQL_SUBTRACT,
  SQL_MULTIPLY,
  SQL_DIVIDE,
  SQL_MODULO,
  SQL_LESS,
  SQL_AT_MOST,
  SQL_GREATER,
  SQL_AT_LEAST,
  SQL_EQUAL,
  SQL_UNEQUAL,
  SQL_AND,
  SQL_OR,
  SQL_NOT,
};

enum { SQL_CODE_MOST = 64 };
struct sql_code { // operators stand behind what they work on
  uint32_t n;
  struct {
    uint8_t op;
    int64_t number;
  } all[SQL_CODE_MOST];
};

// None is NULL: the sum of no row.
struct sql_number {
  bool none;
  int64_t is;
};

// A number below the limit, which is at least 1.
struct sql_chance {
  uint64_t (*draw)(void *context, uint64_t below);
  void *context;
};

// False where SQL refuses to compute: division by zero, a number that does not
// fit in 64 bits, random of an empty range.  An operation on none is none.
bool sql_compute(const struct sql_code *code,
                 const struct sql_number *variables,
                 const struct sql_chance *chance, struct sql_number *result);

// ---- Steps

enum sql_output { // of a SELECT
  SQL_OUTPUT_COLUMN,
  SQL_OUTPUT_COUNT,
  SQL_OUTPUT_SUM,
  SQL_OUTPUT_MIN,
  SQL_OUTPUT_MAX
};

enum sql_step_kind {
  SQL_STEP_SET,       // the variable to `value`
  SQL_STEP_UNLESS,    // goes to `target` if `value` is not true
  SQL_STEP_GO,        // to `target`
  SQL_STEP_STATEMENT, // and what \gset keeps of it
  SQL_STEP_ROLLBACK,
  SQL_STEP_COMMIT,
};

struct sql_kept { // by \gset
  enum sql_output kind;
  uint32_t column; // or TABLE_COLUMNS_MOST: the key
  uint32_t variable;
};

// Keeps what \gset says of the rows that a SELECT returned, one if it keeps a
// column.  False if a sum does not fit.
bool sql_keep(const struct sql_kept *kept, const struct row_list *rows,
              struct sql_number *result);

struct sql_output_column { // that a SELECT returns
  enum sql_output kind;
  uint32_t column; // as of struct sql_kept
};

struct sql_assignment {
  uint32_t column;
  bool adds;
  struct sql_code value;
};

struct sql_step {
  enum sql_step_kind kind;
  uint32_t variable, target;
  struct sql_code value; // of a statement: the key of an INSERT
  // The statement.
  enum statement_sort sort;
  uint32_t table, template;
  struct sql_code params[PREDICATE_PARAMETERS];
  uint32_t nparams;
  struct sql_assignment *sets; // an INSERT's are in the order of the columns
  uint32_t nsets;
  struct sql_kept *kept;
  uint32_t nkept;
  struct sql_output_column *outputs; // of a SELECT
  uint32_t noutputs;
  const char *text;  // as the script has it, on one line and without its end
  uint32_t line;     // of the statement
  const char *place; // "book.pgbench:6", of any step
};

struct sql_script {
  char *name; // "pay" of "dir/pay.pgbench@3"
  char *path; // "dir/pay.pgbench"
  uint32_t share;
  struct sql_step **steps;
  uint32_t nsteps, steps_room;
  uint32_t *first; // step of each transaction
  uint32_t ntransactions, transactions_room;
  uint32_t nvariables; // the first is :client_id
  const char **variables;
};

// The table as the schema has it.
struct sql_declaration {
  const char *columns; // "(sku int PRIMARY KEY, n int NOT NULL)", on one line
  const char *key;     // "sku"
};

struct sql_scripts {
  struct arena arena; // of all that follows but the growable arrays
  struct table_spec tables[TABLES_MOST];
  struct sql_declaration declarations[TABLES_MOST];
  uint32_t ntables;
  struct template_spec *templates; // TRUE of each table first
  uint32_t ntemplates, templates_room;
  struct sql_script *scripts;
  uint32_t nscripts, scripts_room;
};

// Reads a schema and "FILE@SHARE,FILE"; NULL with a sentence, whose usage is
// set.
struct sql_scripts *sql_scripts_read(const char *schema, const char *list,
                                     uint32_t most, struct error *error);

// A SELECT of one number of these tables, as one script of one statement; its
// templates are those of the tables and its own.  NULL with a sentence.
struct sql_scripts *sql_question_read(const char *select,
                                      const struct tables *tables,
                                      struct error *error);
void sql_scripts_free(struct sql_scripts *scripts);

#endif
