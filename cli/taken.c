// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of SQL (cli/taken.h).  tests/cli/taken.sh and tests/live/taken.sh
// give each of them to the parts that are said to take it, and to those that
// are not.
#include "config.h"

#include "cli/taken.h"

#include <stdint.h>
#include <stdio.h>

enum {
  OWN = 1,     // run, on databases that run any SQL
  ROWS = 2,    // run, on the others
  EXPLORE = 4, // explore
  TEXT = 8,    // the condition, in histories as text and in steps' own words
};

static const struct {
  const char *sample;
  uint8_t by;
} taken[] = {
    {"SELECT n FROM t WHERE id = 1", OWN | ROWS | EXPLORE | TEXT},
    {"SELECT n FROM t WHERE id IN (1, 2) OR NOT n = 3",
     OWN | ROWS | EXPLORE | TEXT},
    {"SELECT n FROM t WHERE id BETWEEN 1 AND 2 AND n <> 7",
     OWN | ROWS | EXPLORE | TEXT},
    {"SELECT n FROM t WHERE n % 2 = 1", OWN | ROWS | EXPLORE | TEXT},
    {"SELECT COUNT(*), SUM(n), MIN(n), MAX(n) FROM t",
     OWN | ROWS | EXPLORE | TEXT},
    {"SELECT * FROM t x WHERE (x.n >= 1) ORDER BY id", OWN | ROWS | EXPLORE},
    {"SELECT n FROM t WHERE n + 1 > m", OWN | EXPLORE},
    {"SELECT n FROM t WHERE m IS NULL", OWN},
    {"SELECT 'a text' AS a FROM t", OWN},
    {"SELECT n FROM t WHERE id = 1 FOR UPDATE", OWN | ROWS | EXPLORE | TEXT},
    {"SELECT n FROM t WHERE n = 1 FOR UPDATE", OWN | ROWS | TEXT},
    {"SELECT n FROM t WHERE id = 1 FOR SHARE", OWN | EXPLORE | TEXT},
    {"SELECT n FROM t LIMIT 1 FOR UPDATE SKIP LOCKED", OWN},
    {"SELECT n FROM t ORDER BY n LIMIT 1", OWN},
    {"SELECT COALESCE(MAX(n), 0) + 1 FROM t", OWN},
    {"SELECT n, COUNT(*) FROM t GROUP BY n", OWN},
    {"SELECT x.n FROM t x JOIN t y ON y.id = x.n", OWN},
    {"SELECT n FROM t WHERE EXISTS (SELECT 1 FROM t)", OWN},
    {"UPDATE t SET n = n + 1 WHERE id = 1", OWN | ROWS | EXPLORE | TEXT},
    {"UPDATE t SET n = 2 * n, m = n WHERE id = 1", OWN | EXPLORE | TEXT},
    {"UPDATE t SET n = 1 WHERE n > 1", OWN | ROWS | TEXT},
    {"UPDATE t SET n = 1 WHERE id = 1 RETURNING n", OWN | TEXT},
    {"UPDATE t SET id = 9 WHERE id = 1", OWN | TEXT},
    {"INSERT INTO t VALUES (3, 1, 1), (4, 1, 1)", OWN | ROWS | EXPLORE},
    {"INSERT INTO t VALUES (3, 1, 1) ON CONFLICT DO NOTHING",
     OWN | ROWS | EXPLORE},
    {"INSERT INTO t (id, n) VALUES (5, 1)", OWN},
    {"INSERT INTO t VALUES (1,1,1) ON CONFLICT(id) DO UPDATE SET n=2", OWN},
    {"DELETE FROM t WHERE id = 1 AND n < 5", OWN | ROWS | EXPLORE | TEXT},
    {"DELETE FROM t", OWN | ROWS | TEXT},
    {"SAVEPOINT s", OWN},
    {"\\set v random(1, 2)", OWN | ROWS | EXPLORE},
    {"\\set v random_zipfian(1, 2, 1.5) + hash(:client_id) % 2", OWN},
    {"\\sleep 1 us", OWN},
    {"CREATE TABLE IF NOT EXISTS \"u\" (id int PRIMARY KEY)",
     OWN | ROWS | EXPLORE},
    {"CREATE TABLE u (id int PRIMARY KEY, a int DEFAULT 0)",
     OWN | ROWS | EXPLORE},
    {"CREATE TABLE u (id serial PRIMARY KEY, a int)", OWN | ROWS | EXPLORE},
    {"CREATE INDEX i ON t (n)", OWN | ROWS | EXPLORE},
    {"CREATE UNIQUE INDEX i ON t (n)", OWN},
    {"CREATE TABLE u (id int PRIMARY KEY, a int UNIQUE)", OWN},
    {"CREATE TABLE u (id int PRIMARY KEY, a int REFERENCES t)", OWN},
    {"CREATE TABLE u (id int PRIMARY KEY, a int CHECK (a > 0))", OWN},
    {"CREATE TABLE u (id int PRIMARY KEY, a numeric(10, 2))", OWN},
    {"CREATE TABLE u (id varchar(20) PRIMARY KEY, a text)", OWN},
    {"CREATE TABLE u (a int, b int, PRIMARY KEY (a, b))", OWN},
    {"CREATE TABLE u (a int)", OWN},
};

void taken_put(void) {
  printf("  %-62s own row exp txt\n", "");
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    printf("  %-62s", taken[i].sample);
    for (int by = OWN; by <= TEXT; by *= 2)
      printf(" %-*s", by < TEXT ? 3 : 0, taken[i].by & by ? "yes" : "-");
    putchar('\n');
  }
}
