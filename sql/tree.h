// SPDX-License-Identifier: GPL-3.0-or-later
// A pgbench script as a tree.  The reader (script.c, statements.c,
// expressions.c) hands on one item after the other; an emitter makes notation
// of it, for explore (to_program.c), or steps, for run (to_steps.c).  Only
// files of this room include it.
#ifndef SQL_TREE_H
#define SQL_TREE_H

#include "sql/reading.h"
#include "sql/steps.h"

// ---- Expressions

enum { // kinds of nodes beside those of enum sql_code_op
  SQL_COLUMN = SQL_NOT + 1,
  SQL_BRACKETS,
};

struct sql_node {
  uint8_t op;          // enum sql_code_op, SQL_COLUMN or SQL_BRACKETS
  int64_t number;      // itself, or that of the variable or of the column;
                       // UINT32_MAX: a word that is no column
  const char *text;    // its token: digits, a name, an operator
  uint32_t line, size; // size: nodes, this one included
  const struct sql_node *left, *right; // of one operand: left
};

// ---- Items

enum sql_item_kind {
  SQL_ITEM_SET, // \set: `variable`, `value`
  SQL_ITEM_IF,  // \if: `value`, NULL if it was refused
  SQL_ITEM_ELSE,
  SQL_ITEM_ENDIF,
  SQL_ITEM_BEGIN,
  SQL_ITEM_COMMIT,
  SQL_ITEM_ROLLBACK,
  SQL_ITEM_SELECT, // the other ones are statements
  SQL_ITEM_UPDATE,
  SQL_ITEM_DELETE,
  SQL_ITEM_INSERT,
};

enum sql_lock { SQL_LOCK_NONE, SQL_LOCK_SHARE, SQL_LOCK_UPDATE };

struct sql_output_item {
  enum sql_output kind;
  uint32_t column;       // from 0, the key included
  uint32_t variable;     // of \gset
  char of[64], name[64]; // of: "" for COUNT(*); name: what \gset calls it
  char qualifier[64];    // in front of it; or ""
};

struct sql_item {
  enum sql_item_kind kind;
  uint32_t variable;
  const struct sql_node *value;
  // A statement.
  bool alone; // outside of BEGIN and COMMIT
  uint32_t line;
  const char *begin;     // of its text
  struct sql_reader end; // behind it, and in front of \gset
  const struct sql_table *table;
  char alias[64];               // of the table; or ""
  const struct sql_node *where; // or NULL
  uint32_t where_line;          // of its first token
  // SELECT.
  bool everything; // SELECT *
  uint32_t noutputs;
  struct sql_output_item outputs[SQL_COLUMNS_MAX];
  enum sql_lock lock;
  uint32_t lock_line;
  bool keeps; // by \gset
  // UPDATE, and INSERT: the values of columns, or NULL.
  const struct sql_node *sets[SQL_COLUMNS_MAX];
  uint32_t nsets, order[SQL_COLUMNS_MAX]; // columns as UPDATE names them
  uint32_t twice, twice_line; // a column that UPDATE names again, from 1
  bool ignores;               // ON CONFLICT DO NOTHING
  struct sql_item *more;      // INSERT: the next row; or NULL
};

// ---- The reader

enum { SQL_VARIABLES_MAX = 64 };

struct sql_parser {
  struct sql_reader *r;
  struct sql_schema *schema;
  bool runs; // for run, which has random() and refuses in its own words
  // Takes the item, at whose end the reader is.  -1 with a sentence if it is
  // none that can be explored, or run.
  int (*emit)(void *emitter, const struct sql_item *item);
  void *emitter;

  struct arena arena;            // of the tree
  const struct sql_table *table; // whose columns may be named; or NULL
  const char *alias;             // of it
  uint32_t nesting;
  bool open;     // between BEGIN and COMMIT
  bool refused;  // something; who asks for what is missing then is not told
  uint32_t nifs; // open ones
  uint32_t nvariables;
  char variables[SQL_VARIABLES_MAX][64];
  // Not for run: the number of each variable, if it is known; and which one is
  // being set, if any.
  struct sql_number numbers[SQL_VARIABLES_MAX];
  const char *sets;
};

// Reads a script, and hands its items on.  -1 with all refusals.
int sql_parse(struct sql_parser *p);

// A value, which AND and OR end; a condition, which they are part of.  -1 with
// a sentence.
int sql_parse_value(struct sql_parser *p, const struct sql_node **node);
int sql_parse_condition(struct sql_parser *p, const struct sql_node **node);
// The expression without brackets around it.
const struct sql_node *sql_unbracketed(const struct sql_node *node);
// May the table of this alias be called so in front of a column?  -1 with a
// sentence.
int sql_check_qualifier(const struct sql_parser *p, const char *qualifier,
                        const struct sql_table *table, const char *alias);
// The number of a variable that has a value from here on; -1 with a sentence.
int sql_new_variable(struct sql_parser *p, const char *name);

// Its number; none: it depends on rows, sessions or chance.
struct sql_number sql_known_number(const struct sql_parser *p,
                                   const struct sql_node *node);
// random(LOW, HIGH) of a script that is explored becomes a draw of the schema.
// -1 with a sentence.
int sql_add_draw(struct sql_parser *p, struct sql_node *node);

// A SELECT, UPDATE, DELETE or INSERT, behind its first word.
int sql_parse_select(struct sql_parser *p, struct sql_item *item);
int sql_parse_update(struct sql_parser *p, struct sql_item *item);
int sql_parse_delete(struct sql_parser *p, struct sql_item *item);
int sql_parse_insert(struct sql_parser *p, struct sql_item *item);
// The end of the line of a command.
int sql_end_of_line(struct sql_parser *p);

// ---- Steps

// The number of a column among those that are not the key.
uint32_t sql_row_column(const struct sql_table *table, uint32_t column);

// The text up to `end` on one line, without comments and blanks around it.
const char *sql_text_on_a_line(struct arena *arena, const char *text,
                               const char *end);

// Makes steps of a script.  -1 with all refusals.
int sql_make_script(struct sql_reader *r, struct sql_schema *schema,
                    struct sql_scripts *all, struct sql_script *script);

#endif
