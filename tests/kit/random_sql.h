// SPDX-License-Identifier: GPL-3.0-or-later
// Small random scripts of SQL, and all their outcomes by brute force, which
// shares no code with explore/ and knows neither versions nor histories: it
// takes the statements of all sessions in every order on a table with locks.
#ifndef TESTS_KIT_RANDOM_SQL_H
#define TESTS_KIT_RANDOM_SQL_H

#include "base/random.h"

#include <stdbool.h>
#include <stdio.h>

enum { SQL_SESSIONS = 3, SQL_STATEMENTS = 3, SQL_ROWS = 3, SQL_TOLD = 32 };

enum sql_sort {
  SORT_READ_A, // into the variable; rolls back where there is no row
  SORT_READ_ID,
  SORT_LOCK_B,
  SORT_COUNT, // of the rows with a > 0
  SORT_SUM_B,
  SORT_LIST_B, // of the rows with a = 1
  SORT_ADD_A,
  SORT_SET_A, // to the variable + 1, where it was read, else to 1
  SORT_SET_B, // to 2 if a > 0
  SORT_INSERT,
  SORT_INSERT_IF_NONE,
  SORT_DELETE, // if b < 2
  SORTS
};

struct random_sql {
  int nsessions;
  bool draws; // the script draws the id of its first statement, 1 or 2
  struct {
    int n;
    struct {
      enum sql_sort sort;
      int id;
    } all[SQL_STATEMENTS];
  } sessions[SQL_SESSIONS];
};

void random_sql(gsl_rng *random, struct random_sql *sql);
// The schema, and the script of a session.
void random_sql_put_schema(FILE *out);
void random_sql_put(FILE *out, const struct random_sql *sql, int session);

struct sql_outcomes {
  int n, not_serial;
};
// At InnoDB's repeatable read, or at read committed as PostgreSQL has it.
struct sql_outcomes brute_sql(const struct random_sql *sql, bool mysql);

#endif
