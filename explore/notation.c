// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a program: its items (explore/PROGRAMS.md), one line each or a block
// up to `end`.
#include "config.h"

#include "explore/parsing.h"

#include "base/nearest.h"
#include "explore/levels.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// ---- Transactions and sessions

static int at_notation_level(struct parser *p, bool *has_level,
                             uint8_t *level) {
  enum level l;
  const int said = parser_accept(p, "at");
  if (said <= 0)
    return said;
  if (p->token.kind != TOKEN_WORD || !level_parse(p->token.text, &l))
    return parser_expected(p, "a level (" LEVELS_LISTED ")");
  *has_level = true;
  *level = (uint8_t)l;
  return parser_advance(p);
}

static const struct parsed_transaction *find_transaction(const struct parser *p,
                                                         const char *name) {
  for (uint32_t i = 0; i < p->ntransactions; i++)
    if (!strcmp(p->transactions[i].name, name))
      return &p->transactions[i];
  return NULL;
}

static int parameters(struct parser *p, struct parsed_transaction *t) {
  const char *name;
  uint32_t params[16];
  if (!parser_at(p, "("))
    return 0;
  do {
    if (parser_advance(p) || (!t->nparams && parser_at(p, ")")))
      break;
    if (t->nparams == 16)
      return parser_complain(p, "a transaction has at most 16 parameters");
    if (parser_name(p, "a parameter", &name))
      return -1;
    params[t->nparams++] = parser_local(p, name);
  } while (parser_at(p, ","));
  t->params = arena_take(&p->program->arena, sizeof params);
  memcpy(t->params, params, t->nparams * sizeof *params);
  return parser_require(p, ")");
}

static int body(struct parser *p) {
  if (parser_block(p, "end", NULL))
    return -1;
  emit(p, DO_END, 0, 0);
  return parser_require(p, "end") || parser_end_of_line(p) ? -1 : 0;
}

static int transaction(struct parser *p) {
  struct parsed_transaction t = {
      .line = p->token.line, .script = p->script, .entry = p->program->ncode};
  if (parser_name(p, "the transaction's name", &t.name))
    return -1;
  if (find_transaction(p, t.name))
    return parser_complain(p, "there is a transaction \"%s\" already", t.name);
  if (parameters(p, &t) || at_notation_level(p, &t.has_level, &t.level) ||
      parser_end_of_line(p))
    return -1;
  p->transaction = t.name;
  if (body(p))
    return -1;
  ARRAY_RESERVE(p->transactions, p->ntransactions, p->transactions_room);
  p->transactions[p->ntransactions++] = t;
  return 0;
}

static int arguments(struct parser *p, struct program_txn *txn) {
  datum args[16];
  if (parser_at(p, "(")) {
    do {
      if (parser_advance(p) || (!txn->nargs && parser_at(p, ")")))
        break;
      if (txn->nargs == 16)
        return parser_complain(p, "a transaction has at most 16 parameters");
      if (parser_constant_expression(p, &args[txn->nargs]))
        return -1;
      txn->nargs++;
    } while (parser_at(p, ","));
    if (parser_require(p, ")"))
      return -1;
  }
  txn->args = arena_take(&p->program->arena, sizeof args);
  memcpy(txn->args, args, txn->nargs * sizeof *args);
  return 0;
}

static const char *call_text(struct program *program,
                             const struct program_txn *txn) {
  const char *text = txn->kind;
  for (uint32_t i = 0; i < txn->nargs; i++) {
    char *arg = value_text(&program->pool, txn->args[i]);
    text = arena_printf(&program->arena, "%s%s%s", text, i ? "," : "(", arg);
    free(arg);
  }
  return txn->nargs ? arena_printf(&program->arena, "%s)", text) : text;
}

static int refuse_session_call(const struct parser *p) {
  const char *names[257] = {NULL};
  for (uint32_t i = 0; i < p->ntransactions && i < 256; i++)
    names[i] = p->transactions[i].name;
  const char *near = nearest(p->token.text, names);
  if (p->token.kind != TOKEN_WORD)
    return parser_expected(p, "the name of a transaction");
  return parser_complain(p,
                         near ? "no transaction above is called \"%s\"; did "
                                "you mean %s?"
                              : "no transaction above is called \"%s\"",
                         p->token.text, near);
}

static int parse_session_call(struct parser *p,
                              const struct program_txn *like) {
  struct program *program = p->program;
  struct program_txn txn = *like;
  const struct parsed_transaction *t = find_transaction(p, p->token.text);
  if (p->token.kind != TOKEN_WORD || !t)
    return refuse_session_call(p);
  if (program->ntxns == PROGRAM_MAX_TXNS)
    return parser_complain(p, "a program has at most %d transactions",
                           PROGRAM_MAX_TXNS);
  txn.kind = t->name;
  txn.script = t->script;
  txn.entry = t->entry;
  txn.params = t->params;
  txn.line = p->token.line;
  if (t->has_level) {
    txn.has_level = true;
    txn.level = t->level;
  }
  const struct notation_token at = p->token;
  if (parser_advance(p) || arguments(p, &txn))
    return -1;
  if (txn.nargs != t->nparams) {
    p->token = at;
    return parser_complain(p, "%s needs %u arguments, not %u", t->name,
                           t->nparams, txn.nargs);
  }
  txn.name = call_text(program, &txn);
  program->txns[++program->ntxns] = txn;
  return 0;
}

static uint32_t add_notation_session(struct program *program,
                                     const char *name) {
  ARRAY_RESERVE(program->sessions, program->nsessions, program->sessions_room);
  program->sessions[program->nsessions] = name;
  return program->nsessions++;
}

static int session(struct parser *p) {
  struct program_txn like = {0};
  const char *name;
  if (parser_name(p, "the session's name", &name))
    return -1;
  for (uint32_t i = 0; i < p->program->nsessions; i++)
    if (!strcmp(p->program->sessions[i], name))
      return parser_complain(p, "there is a session \"%s\" already", name);
  like.session = add_notation_session(p->program, name);
  if (at_notation_level(p, &like.has_level, &like.level) ||
      parser_require(p, ":"))
    return -1;
  while (p->token.kind > TOKEN_LINE)
    if (parse_session_call(p, &like))
      return -1;
  return parser_end_of_line(p);
}

static int finally(struct parser *p) {
  struct program *program = p->program;
  if (p->final.name)
    return parser_complain(p, "there is a \"finally\" already");
  p->final = (struct program_txn){.name = "finally",
                                  .kind = "finally",
                                  .line = p->token.line,
                                  .entry = program->ncode,
                                  .has_level = true,
                                  .level = LEVEL_CC};
  p->transaction = "finally";
  return parser_end_of_line(p) ? -1 : body(p);
}

// ---- Items

static const struct {
  const char *name;
  int (*take)(struct parser *p);
} items[] = {{"tables", parser_tables}, {"initially", parser_initially},
             {"list", parser_list},     {"let", parser_let},
             {"with", parser_with},     {"transaction", transaction},
             {"session", session},      {"finally", finally}};
enum { ITEMS = sizeof items / sizeof *items };

static int refuse_item(const struct parser *p) {
  const char *names[ITEMS + 1] = {NULL};
  for (size_t i = 0; i < ITEMS; i++)
    names[i] = items[i].name;
  const char *near =
      p->token.kind == TOKEN_WORD ? nearest(p->token.text, names) : NULL;
  if (near)
    return parser_complain(p, "there is no item \"%.64s\"; did you mean %s?",
                           p->token.text, near);
  return parser_expected(p, "initially, list, let, with, tables, transaction, "
                            "session or finally");
}

static int parse_notation_item(struct parser *p) {
  for (size_t i = 0; i < ITEMS; i++)
    if (parser_at(p, items[i].name))
      return parser_advance(p) || items[i].take(p) ? -1 : 0;
  return refuse_item(p);
}

// Rows need be known only of tables that are scanned.
static void forget_known_rows(struct program *program) {
  for (uint32_t i = 0; i < program->ncode; i++) {
    bool is_scanned = false;
    for (uint32_t k = 0; k < program->ncode && !is_scanned; k++)
      is_scanned = program->code[k].op == DO_ROWS &&
                   program->code[k].a == program->code[i].a;
    if (program->code[i].op == DO_KNOWN_ROW && !is_scanned)
      program->code[i].op = DO_STATEMENT;
  }
}

static int end_of_program(struct parser *p) {
  struct program *program = p->program;
  if (!program->ntxns)
    return parser_complain(p, "no session calls a transaction");
  if (program->nlocals >= LOCALS_MAX - 1)
    return parser_complain(p, "a program has at most %d locals",
                           LOCALS_MAX - 2);
  if (p->final.name) {
    if (program->ntxns == PROGRAM_MAX_TXNS)
      return parser_complain(p, "a program has at most %d transactions",
                             PROGRAM_MAX_TXNS);
    p->final.session = add_notation_session(program, "finally");
    program->txns[++program->ntxns] = p->final;
    program->final = program->ntxns;
  }
  program_order_sessions(program);
  forget_known_rows(program);
  return 0;
}

static const char *notation_title_of(struct program *program,
                                     const char *text) {
  if (*text != '#')
    return "";
  text += 1 + strspn(text + 1, "# ");
  return arena_printf(&program->arena, "%.*s", (int)strcspn(text, "\n"), text);
}

static int parse_notation(struct parser *p, const char *text) {
  struct program *program = p->program;
  pool_init(&program->pool);
  program->member = "";
  program->max_ops = MAX_OPS_DEFAULT;
  program->locals =
      arena_take(&program->arena, LOCALS_MAX * sizeof *program->locals);
  program->title = notation_title_of(program, text);
  p->scratch = parser_hidden_local(p);
  for (int i = 1; i < SCRATCH; i++)
    parser_hidden_local(p);
  if (parser_advance(p))
    return -1;
  for (;;) {
    if (parser_skip_lines(p))
      return -1;
    if (p->token.kind == TOKEN_EOF)
      return end_of_program(p);
    if (parse_notation_item(p))
      return -1;
  }
}

int program_parse(const char *path, const char *text,
                  struct program_choice choice, struct program *program,
                  struct error *error) {
  *program = (struct program){0};
  program->path = arena_strdup(&program->arena, path);
  program->digest = XXH3_64bits_withSeed(text, strlen(text), choice.member);
  program->rows = choice.rows;
  struct parser p = {.program = program,
                     .p = text,
                     .line = 1,
                     .line_start = text,
                     .member = choice.member,
                     .family = 1,
                     .error = error};
  const int failed = parse_notation(&p, text);
  program->family = p.family;
  free(p.transactions);
  return failed;
}
