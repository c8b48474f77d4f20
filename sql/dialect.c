// SPDX-License-Identifier: GPL-3.0-or-later
// The table of dialects (sql/dialect.h).
#include "config.h"

#include "sql/dialect.h"

#include <stddef.h>

static const struct sql_refusal no_refusals[] = {{0}};
static const char *const no_words[] = {NULL};

const struct sql_dialect sql_dialect_postgresql = {
    .texts_in_dollars = true,
    .comments_nest = true,
    .refusals = no_refusals,
    .no_aliases = no_words,
};

#define SCHEMA_STAYS "a script cannot change the schema while it runs"
#define ENDS_TRANSACTION "it would end the transaction"

// Statements that commit by themselves, and those that undo what a session
// rests on.
static const struct sql_refusal mysql_refusals[] = {
    {"rename", NULL, SCHEMA_STAYS},
    {"optimize", NULL, ENDS_TRANSACTION},
    {"repair", NULL, ENDS_TRANSACTION},
    {"analyze", NULL, ENDS_TRANSACTION},
    {"check", NULL, ENDS_TRANSACTION},
    {"flush", NULL, ENDS_TRANSACTION},
    {"lock", NULL, "it would end the transaction: write SELECT ... FOR UPDATE"},
    {"unlock", NULL, ENDS_TRANSACTION},
    {"load", NULL, "LOAD needs a file of the server or of a client"},
    {"handler", NULL, "HANDLER reads rows of no snapshot"},
    {"xa", NULL, "a run has no second phase of a commit"},
    {"use", NULL, "the run has a database of its own"},
    {"call", NULL,
     "a procedure may catch errors, and then nobody says what was undone: "
     "write its statements"},
    {"begin", "not", "a block of statements is no statement"},
    {"set", "autocommit", "the run begins each transaction itself"},
    {"set", "global", "a script cannot change the server"},
    {"set", "password", "a script cannot change the server"},
    {"set", "names", "the run speaks utf8mb4"},
    {"set", "sql_mode", "the run rests on the modes of its session"},
    {"kill", NULL, "a script cannot change the server"},
    {"shutdown", NULL, "a script cannot change the server"},
    {0},
};
static const char *const mysql_no_aliases[] = {
    "force",     "use", "ignore", "straight_join",
    "partition", "set", "lock",   NULL};

const struct sql_dialect sql_dialect_mysql = {
    .texts_in_double_quotes = true,
    .names_in_backticks = true,
    .backslashes_escape = true,
    .comments_after_hash = true,
    .dashes_need_space = true,
    .comments_run = true,
    .bars_are_or = true,
    .refusals = mysql_refusals,
    .no_aliases = mysql_no_aliases,
};

#define BEGINS_SO                                                              \
  "begin= of the target says how transactions begin: write BEGIN"

static const struct sql_refusal sqlite_refusals[] = {
    {"begin", "immediate", BEGINS_SO},
    {"begin", "exclusive", BEGINS_SO},
    {"begin", "deferred", BEGINS_SO},
    {"attach", NULL, "the run has one file"},
    {"pragma", NULL,
     "a script cannot change its session: write it in the "
     "schema, for all sessions"},
    {0},
};
static const char *const sqlite_no_aliases[] = {"indexed", "not", NULL};

const struct sql_dialect sql_dialect_sqlite = {
    .names_in_backticks = true,
    .refusals = sqlite_refusals,
    .no_aliases = sqlite_no_aliases,
};
