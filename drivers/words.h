// SPDX-License-Identifier: GPL-3.0-or-later
// The words about a database that pages and commands need, beside what its
// driver does: its name, its manual, its shell.  They are in the program
// itself, since a page is made of a stored report, without the database's
// client library.  Each driver has them in its own words.c; drivers/words.c has
// the table.
#ifndef DRIVERS_WORDS_H
#define DRIVERS_WORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// A level whose name is isostress' own, with a clause (base/marks.h) that says
// it.
struct level_words {
  const char *level, *clause;
};

// The differences between databases in the SQL that a person types.  The tables
// are in a schema of their own, where no table of the user's is: it is created,
// each terminal turns to it, and it is dropped.  NULL: the database has no
// schemas, so that the tables are in a database of their own from the
// beginning.
struct shell_sql {
  const char *create, *use, *drop;
  const char *options;    // of CREATE TABLE
  const char *lock;       // behind a SELECT that locks
  const char *nothing[2]; // INSERT or nothing: what is in front of INTO, and
                          // what is at the end
  bool divides_exactly;   // 5 / 2 is 2.5
};

// Modes of a transaction beside its level.
enum shell_mode {
  SHELL_READ_ONLY,
  SHELL_DEFERRABLE,
  SHELL_SNAPSHOT, // it has its snapshot from the beginning on
  SHELL_MODES
};

// The schema, or the prefix of keys.
#define SHELL_SCHEMA "isostress_try"

// Commands of a shell, one or more lines each.  In these patterns %k stands for
// the number of a key, %v for the value that is written, %e for the one that is
// expected, %l for the level, %h for the options that name the host, %o for
// those that a read needs at the level, %m for the modes of a transaction.
struct shell_commands {
  const char *comment;            // begins one
  bool comments_apart;            // on lines of their own
  const char *table, *list_table; // creates what the keys are in; may be NULL
  const char *preload, *list_preload; // of every key; may be NULL
  const char *last;                   // shows what the steps left; may be NULL
  const char *last_key, *list_last_key, *drop_key; // of every key, without
                                                   // `last`; else NULL
  const char *begin;                               // NULL: nothing is typed
  const char *modes[SHELL_MODES]; // NULL: the database has none such
  const char *set_modes; // sets them in a transaction that has just begun
  const char *read, *read_list;
  const char *write, *append, *cas; // append NULL: lists cannot be typed
  const char *commit;
  const char *rollback; // NULL: nothing is typed
  // A shell that queues writes is given them at the commit.
  const char *queue;         // before them; NULL: they are typed at once
  const char *guarded_level; // at which a commit without writes is typed
  const char *guard;         // at that level, before each read
  // Where the transaction compares, at its commit, what it read: how it reads
  // if it writes, too, and each comparison; NULL: it does not.
  const char *compared_read, *compare, *compare_cas;
  // Puts %h: what leads to HOST:PORT as the target says, without a password;
  // NULL: no %h.
  void (*put_host)(FILE *out, const char *target, const char *host);
  uint16_t default_port; // of a host of the target that names none
  const char *weak_level, *weak_option; // %o at this level; NULL: nothing
  // A level at which terminals cannot do what the sessions of a run can, and a
  // sentence (base/marks.h) that says why; or NULL.
  const char *apart_level, *apart;
  struct shell_sql sql; // of tables
};

// The pages of manuals that claims, and what report/words/promises.c says of
// levels, were read from.
#define POSTGRESQL_MANUAL                                                      \
  "https://www.postgresql.org/docs/current/transaction-iso.html"
#define MARIADB_MANUAL "https://mariadb.com/kb/en/set-transaction/"
#define MYSQL_MANUAL                                                           \
  "https://dev.mysql.com/doc/refman/8.4/en/"                                   \
  "innodb-transaction-isolation-levels.html"
#define REDIS_MANUAL                                                           \
  "https://redis.io/docs/latest/develop/interact/transactions/"
#define ETCD_MANUAL "https://etcd.io/docs/v3.5/learning/api_guarantees/"
#define REDIS_LUA_MANUAL                                                       \
  "https://redis.io/docs/latest/develop/interact/programmability/eval-intro/"
#define SQLITE_MANUAL "https://www.sqlite.org/isolation.html"

struct driver_words {
  const char *driver, *scheme; // the driver's name; what a target begins with
  const char *alias;           // another scheme; or NULL
  const char *name;            // of the database, as people write it
  const char *fork;   // another database with all that is said here; or NULL
  const char *manual; // address of the page; NULL: there is none
  bool has_keys;      // and no rows
  bool is_alone;      // never several servers
  const struct level_words *levels; // ends with a NULL level; or NULL
  const char *shell; // how it is started; NULL: isostress knows none
  const struct shell_commands *commands; // NULL like the shell
};

// Each in the words.c of its driver.
extern const struct driver_words postgresql_words;
extern const struct driver_words mysql_words;
extern const struct driver_words mariadb_words;
extern const struct driver_words sqlite_words;
extern const struct driver_words redis_words;
extern const struct driver_words redis_lua_words;
extern const struct driver_words etcd_words;
extern const struct driver_words memory_words;

// The words about a target's database; NULL if there are none, as where the
// driver comes from a file.
const struct driver_words *driver_words_of_target(const char *target);

// A driver may speak to several databases, and the server says which one it is:
// "MariaDB 11.4", though its target is one of MySQL.  The server may be NULL.
const struct driver_words *driver_words_of_server(const char *target,
                                                  const char *server);

// The words, numbered from 0; NULL after the last ones.
const struct driver_words *driver_words_at(uint32_t i);

#endif
