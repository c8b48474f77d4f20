// SPDX-License-Identifier: GPL-3.0-or-later
// A program while it is read: between tokens.c, expressions.c, statements.c and
// notation.c, which reads its items.
#ifndef EXPLORE_PARSING_H
#define EXPLORE_PARSING_H

#include "explore/program.h"

enum token_kind {
  TOKEN_EOF,
  TOKEN_LINE, // the end of a line, or ;
  TOKEN_WORD,
  TOKEN_NUMBER,
  TOKEN_TEXT,  // between double quotes
  TOKEN_SYMBOL // text is one of the symbols
};

struct notation_token {
  enum token_kind kind;
  uint32_t line, column;
  bool glued; // nothing stands between it and the token before
  datum number;
  char text[256];
};

struct parsed_transaction { // as defined
  const char *name;
  const char *script; // as in struct program_txn
  uint32_t line, entry, nparams;
  uint32_t *params; // locals
  bool has_level;
  uint8_t level;
};

// Scratch variables of the statements about tables; none stands in another.
enum { SCRATCH_LIST, SCRATCH_POSITION, SCRATCH_ID, SCRATCH_ROW, SCRATCH };

struct parser {
  struct program *program;
  const char *p; // behind the token
  uint32_t line;
  const char *line_start;
  struct notation_token token;
  struct parsed_transaction *transactions;
  uint32_t ntransactions, transactions_room;
  const char *transaction; // whose body is read
  const char *script;      // that what follows was translated from, or NULL
  uint32_t depth, nesting;
  uint32_t scratch;         // the first of SCRATCH locals without names
  struct program_txn final; // `finally`, if it has a name
  uint32_t member, family;  // which one; how many, so far
  struct error *error;
};

// ---- Tokens

// Goes on to the next token.  -1 with a sentence.
int parser_advance(struct parser *p);
// -1 with a sentence that names the place of the token.
int parser_complain(const struct parser *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// -1: `wanted` was expected where the token stands.
int parser_expected(const struct parser *p, const char *wanted);
bool parser_at(const struct parser *p, const char *text); // word or symbol
// Goes behind it if it stands here: 1, or 0; -1 with a sentence.
int parser_accept(struct parser *p, const char *text);
int parser_require(struct parser *p, const char *text);
int parser_name(struct parser *p, const char *what, const char **name);
int parser_end_of_line(struct parser *p);
int parser_skip_lines(struct parser *p);

// ---- Items that give names values (declarations.c)

int parser_initially(struct parser *p);
int parser_list(struct parser *p);
int parser_let(struct parser *p);
int parser_with(struct parser *p);
int parser_tables(struct parser *p);

// ---- Code

uint32_t emit(struct parser *p, enum opcode op, uint32_t a, uint32_t b);
uint32_t parser_constant(struct parser *p, datum v); // its number in consts
uint32_t parser_name_number(struct parser *p, const char *name);
uint32_t parser_local(struct parser *p, const char *name); // may be new
// KEY_NONE if there is none.
uint32_t parser_find_local(const struct parser *p, const char *name);
// One without a name.
uint32_t parser_hidden_local(struct parser *p);

struct named_key { // its arguments are on the stack
  uint32_t name, nargs;
};
int parser_key(struct parser *p, struct named_key *key);
int parser_into(struct parser *p, uint32_t *local); // `into NAME`
void emit_get(struct parser *p, enum opcode op, struct named_key key,
              uint32_t into);
void emit_zero(struct parser *p, uint32_t local);

// ---- Statements about tables (tables.c), behind their first word

int table_insert(struct parser *p);
int table_delete(struct parser *p);
int table_lookup(struct parser *p);
int table_modify(struct parser *p);
int table_scan(struct parser *p);

// ---- Expressions, statements

// Compiles one; its value is left on the stack.
int parser_expression(struct parser *p);
// Evaluates one here and now.
int parser_constant_expression(struct parser *p, datum *v);
// `[e,...]` glued to what stands before it: how many arguments, 0 if none.
int parser_arguments(struct parser *p, uint32_t *nargs);
// Statements up to one of the words, which is left standing.
int parser_block(struct parser *p, const char *end, const char *or_end);

#endif
