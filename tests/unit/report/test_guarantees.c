// SPDX-License-Identifier: GPL-3.0-or-later
// The guarantees of a database, as text and as a page: with one host, and with
// several, where a level has a column for each way to spread sessions.
#include "config.h"

#include "report/words/guarantees.h"

#include "base/memory.h"
#include "report/page/page.h"
#include "report/text/text.h"
#include "tests/tap.h"

#include <stdlib.h>

enum { NROWS = 2, NCOLUMNS = 3 };
static struct guarantee_cell cells[NCOLUMNS][NROWS] = {
    {{CELL_SEEN, "2/3", 0, NULL}, {CELL_ABORTED, "1213", 0, NULL}},
    {{CELL_EMPTY, "", 0, NULL}, {CELL_EMPTY, "", 0, NULL}},
    {{CELL_PREVENTED, "", 0, NULL}, {CELL_BLOCKED, "", 0, NULL}}};

// Levels a, a and b; the second a keeps less than it claims.
static void fill(struct guarantee_column *columns, bool several) {
  static const char *const levels[] = {"a", "a", "b"};
  static const char *const endpoints[] = {"pin", "hop", "pin"};
  for (int c = 0; c < NCOLUMNS; c++)
    columns[c] =
        (struct guarantee_column){.level = levels[c],
                                  .endpoints = several ? endpoints[c] : NULL,
                                  .claimed = ISOLATION_SI,
                                  .kept = c == 1 ? ISOLATION_RC : ISOLATION_SER,
                                  .violated = c == 1,
                                  .stressed = true,
                                  .stressed_rows = !several,
                                  .kept_rows = ISOLATION_RA,
                                  .violated_rows = c == 2 && !several,
                                  .abort_share = 0.25,
                                  .throughput = 1000,
                                  .cells = cells[c]};
  strcpy(columns[1].broken, "LostUpdate 3");
  columns[1].found[ANOMALY_LOST_UPDATE] = 74.4;
}

static char *written(void (*put)(FILE *, const struct guarantees *),
                     bool several) {
  static const struct guarantee_row rows[] = {
      {"p4", "lost update", "Lost update", "one change is gone",
       ANOMALY_LOST_UPDATE},
      {"g2", "by predicates", "Write skew by searches", "with conditions",
       ANOMALY_PHANTOM_WRITE_SKEW}};
  struct guarantee_column columns[NCOLUMNS];
  struct guarantees g = {.program = "isostress 1",
                         .command = "isostress scorecard memory:",
                         .target = "x://a,b",
                         .server = "X 2",
                         .rows = rows,
                         .nrows = NROWS,
                         .columns = columns,
                         .ncolumns = NCOLUMNS};
  char *text;
  size_t bytes;
  fill(columns, several);
  if (!several) { // levels a and b
    columns[1] = columns[2];
    g.ncolumns = 2;
  }
  FILE *file = open_memstream(&text, &bytes);
  if (!file)
    out_of_memory(1);
  put(file, &g);
  fclose(file);
  return text;
}

static bool holds(const char *text, const char *part) {
  const bool found = strstr(text, part) != NULL;
  if (!found)
    printf("# not there: %s\n# in:\n%s\n", part, text);
  return found;
}

static void one_host_one_table(void) {
  char *text = written(text_put_scorecard, false);
  CHECK(holds(text, "\n                            a       b\n"));
  CHECK(holds(text, "\nLost update                 BROKEN  -\n"));
  CHECK(holds(text, "\nWrite skew by searches      o       o\n"));
  CHECK(holds(text, "BROKEN: forbidden, and seen"));
  CHECK(holds(text, "\n  a                 BROKEN PROMISE: lost update. "));
  CHECK(
      holds(text, "\n  b                 BROKEN PROMISE. Promised: whatever"));
  CHECK(holds(text, "\n  a                 1,000/s, 25.00 % refused; no anom"));
  free(text);
}

// The second column of a level, which nothing was tried step by step in, is in
// the list of loads only; but what a level keeps is the least of its columns.
static void several_hosts_a_grid_and_a_list(void) {
  char *text = written(text_put_scorecard, true);
  CHECK(holds(text, "\nLost update                 seen  -\n"));
  CHECK(holds(text, "\n  a                 not kept across servers: lost "));
  CHECK(
      holds(text, "\n  a                 pin: 1,000/s, 25.00 % refused; no "));
  CHECK(holds(
      text,
      "\n  a                 hop: 1,000/s, 25.00 % refused; in "
      "1,000 committed: lost\n                    update in 74.4 writes\n"));
  CHECK(!strstr(text, "BROKEN"));
  free(text);
}

// A check of loads that did not come to its end shows neither that a promise is
// kept nor the contrary.
static void what_is_not_known_is_not_broken(void) {
  struct guarantee_cell cell = {CELL_PREVENTED, "", 0, NULL};
  struct guarantee_column column = {.level = "a",
                                    .claimed = ISOLATION_SI,
                                    .kept = ISOLATION_RC,
                                    .stressed = true,
                                    .cells = &cell};
  const struct guarantees g = {.target = "x:",
                               .server = "X",
                               .rows = guarantee_grid,
                               .nrows = 1,
                               .columns = &column,
                               .ncolumns = 1};
  char *text;
  size_t bytes;
  FILE *file = open_memstream(&text, &bytes);
  if (!file)
    out_of_memory(1);
  text_put_scorecard(file, &g);
  fclose(file);
  CHECK(holds(text, "UNDECIDED"));
  CHECK(!strstr(text, "BROKEN PROMISE"));
  free(text);
}

// The line of the default ends behind it, however many columns follow.
static void the_default_may_come_first(void) {
  static const char *const levels[] = {"read committed", "repeatable read",
                                       "serializable"};
  struct guarantee_column columns[NCOLUMNS];
  for (int c = 0; c < NCOLUMNS; c++)
    columns[c] = (struct guarantee_column){
        .level = levels[c], .is_default = c == 0, .cells = cells[c]};
  const struct guarantees g = {.target = "x:",
                               .server = "X",
                               .rows = guarantee_grid,
                               .nrows = 1,
                               .columns = columns,
                               .ncolumns = NCOLUMNS};
  char *text;
  size_t bytes;
  FILE *file = open_memstream(&text, &bytes);
  if (!file)
    out_of_memory(1);
  text_put_scorecard(file, &g);
  fclose(file);
  CHECK(holds(text, "\n                            (default)\n"));
  free(text);
}

static void the_page_has_the_same(void) {
  char *text = written(page_put_scorecard, true);
  CHECK(holds(text, "<th scope=\"col\">a</th><th scope=\"col\">b</th></tr>"));
  CHECK(holds(text, "<b>seen across servers</b><small>2 of 3 tries, in 74.4 "
                    "writes per "));
  CHECK(holds(text, "<td>hop</td><td class=\"bad\">rc, which breaks its"));
  CHECK(holds(text, "<td>lost update in 74.4 writes</td>"));
  CHECK(holds(text, "Seen across servers</p>\n<h1>a does not keep what it "
                    "promises: lost update.</h1>"));
  free(text);
}

// With one host the levels are si and what it does not promise: a state for
// each kind of cell.
static void states_of_one_host(void) {
  char *text = written(page_put_scorecard, false);
  CHECK(holds(text, "Broken promise</p>"));
  CHECK(holds(text, "<td class=\"bad\" data-l=\"a\">"));
  CHECK(holds(text, "<b>FORBIDDEN AND SEEN</b><small>2 of 3 tries</small>"));
  CHECK(holds(text, "<b>allowed, not seen</b><small>one is refused (1213)"));
  CHECK(holds(text, "<b>prevented</b><small>never shown</small>"));
  CHECK(holds(text, "<b>allowed, not seen</b><small>one waits</small>"));
  CHECK(holds(text, "<b>prevented</b><small>tried under load only</small>"));
  CHECK(
      holds(text, "<h1>a, b do not keep what they promise: lost update.</h1>"));
  CHECK(holds(text, "<li><b>a</b> does not keep what it promises: lost update. "
                    "Report it:"));
  CHECK(holds(text, "<li><b>b</b> does not keep what it promises. Report it:"));
  free(text);
}

// MariaDB's REPEATABLE READ keeps none of our levels for rows of SQL; that it
// allows dirty writes does not follow.  What comes under load is by reads that
// are not plain.
static void promises_by_anomaly(void) {
  static const struct guarantee_row grid[] = {
      {"g0", "dirty write", "Dirty write", "in a mix", ANOMALY_CYCLE_G0},
      {"g-single", "read skew", "Read skew", "half", ANOMALY_FRACTURED_READ},
      {"p4", "lost update", "Lost update", "one", ANOMALY_LOST_UPDATE}};
  struct guarantee_cell tried[] = {{CELL_BLOCKED, "", 0, NULL},
                                   {CELL_PREVENTED, "", 0, NULL},
                                   {CELL_SEEN, "3/3", 0, NULL}};
  struct guarantee_column column = {.level = "repeatable read",
                                    .claimed = ISOLATION_NONE,
                                    .stressed = true,
                                    .cells = tried};
  column.found[ANOMALY_FRACTURED_READ] = 2;
  const struct guarantees g = {.program = "isostress 1",
                               .command = "isostress scorecard mysql:",
                               .target = "mysql://h",
                               .server =
                                   "MariaDB 10, innodb_snapshot_isolation OFF",
                               .rows = grid,
                               .nrows = 3,
                               .columns = &column,
                               .ncolumns = 1};
  char *text;
  size_t bytes;
  FILE *file = open_memstream(&text, &bytes);
  if (!file)
    out_of_memory(1);
  page_put_scorecard(file, &g);
  fclose(file);
  CHECK(holds(text, "<b>prevented</b><small>one waits"));
  CHECK(holds(text, "<b>prevented</b><small>never shown by plain reads"));
  CHECK(holds(text, "<b>allowed, seen</b><small>3 of 3 tries"));
  CHECK(holds(text, "<td>dirty write, read skew</td>"));
  free(text);
}

int main(void) {
  return TAP_RUN(
      {"one host: one table", one_host_one_table},
      {"several hosts: a grid and a list", several_hosts_a_grid_and_a_list},
      {"the default may come first", the_default_may_come_first},
      {"what is not known is not broken", what_is_not_known_is_not_broken},
      {"the page has the same", the_page_has_the_same},
      {"a cell of the page says what is promised and seen", states_of_one_host},
      {"promises are per anomaly, not per level", promises_by_anomaly});
}
