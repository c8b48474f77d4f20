// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of a scorecard: what is promised, tried and seen, for levels with
// one column and with several, worked out by hand.
#include "config.h"

#include "base/json_read.h"
#include "base/memory.h"
#include "report/words/scored.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

enum { LOST, SKEW, PHANTOM, NROWS };
enum { COLUMNS = 4 };

static const struct guarantee_row grid[NROWS] = {
    [LOST] = {"p4", "lost update", "Lost update", "one", ANOMALY_LOST_UPDATE},
    [SKEW] = {"g2-item", "write skew", "Write skew", "two", ANOMALY_WRITE_SKEW},
    [PHANTOM] = {"g2", "by predicates", "Write skew by searches", "three",
                 ANOMALY_PHANTOM_WRITE_SKEW}};

// The levels "a", with two ways to spread sessions over hosts, "b" and "c" of a
// database that isostress does not know: what is claimed is promised.
struct card {
  struct guarantee_cell cells[COLUMNS][NROWS];
  struct guarantee_column columns[COLUMNS];
  struct guarantees g;
  struct scored s;
};

static void fill_card(struct card *card) {
  static const char *const levels[COLUMNS] = {"a", "a", "b", "c"};
  *card = (struct card){0};
  for (int c = 0; c < COLUMNS; c++)
    card->columns[c] = (struct guarantee_column){
        .level = levels[c], .claimed = ISOLATION_SI, .cells = card->cells[c]};
  card->g = (struct guarantees){.target = "x:",
                                .server = "X 1",
                                .rows = grid,
                                .nrows = NROWS,
                                .columns = card->columns,
                                .ncolumns = COLUMNS};
}

static struct scored_line line_of(uint32_t r) {
  return (struct scored_line){&grid[r], r, grid[r].anomaly};
}

static void expect_state(const struct card *card, uint32_t c, uint32_t r,
                         enum scored_state wanted) {
  const struct scored_line line = line_of(r);
  CHECK_INT(scored_state_of(&card->s, c, &line), wanted);
}

// --- Levels and columns.

static void levels_and_their_columns(void) {
  struct card card;
  fill_card(&card);
  CHECK_INT(scored_levels(&card.g), 3);
  CHECK(scored_leads(&card.g, 0));
  CHECK(!scored_leads(&card.g, 1));
  CHECK(scored_leads(&card.g, 2));
  CHECK(scored_leads(&card.g, 3));
  CHECK_INT(scored_end(&card.g, 0), 2);
  CHECK_INT(scored_end(&card.g, 2), 3);
  CHECK_INT(scored_end(&card.g, 3), 4);
}

static void no_column_at_all(void) {
  struct card card;
  fill_card(&card);
  card.g.ncolumns = 0;
  scored_begin(&card.s, stdout, &card.g);
  CHECK_INT(scored_levels(&card.g), 0);
  CHECK(!card.s.several);
  CHECK_INT(scored_count(&card.s, SCORED_NOT_TRIED), 0);
}

static void several_hosts_are_noticed(void) {
  struct card card;
  fill_card(&card);
  scored_begin(&card.s, stdout, &card.g);
  CHECK(!card.s.several);
  CHECK_STR(card.s.name, "The database");
  card.columns[0].endpoints = "pin";
  card.g.target = "postgresql://a,b";
  scored_begin(&card.s, stdout, &card.g);
  CHECK(card.s.several);
  CHECK_STR(card.s.name, "PostgreSQL");
}

// --- Lines.

static bool has_line(const struct scored *s, enum anomaly anomaly) {
  bool has = false;
  for (uint32_t i = 0; i < s->nlines; i++)
    has |= s->lines[i].anomaly == anomaly;
  return has;
}

// Rows of the grid that something was tried of, two that come under load only,
// and what else came.
static void lines_of_what_was_tried(void) {
  struct card card;
  fill_card(&card);
  scored_begin(&card.s, stdout, &card.g);
  CHECK_INT(card.s.nlines, 2);
  CHECK(has_line(&card.s, ANOMALY_NON_REPEATABLE_READS));
  CHECK(has_line(&card.s, ANOMALY_LONG_FORK));
  card.cells[2][SKEW].kind = CELL_PREVENTED;
  card.columns[3].found[ANOMALY_CAUSALITY_VIOLATION] = 0.5;
  scored_begin(&card.s, stdout, &card.g);
  CHECK_INT(card.s.nlines, 4);
  CHECK_INT(card.s.lines[0].anomaly, ANOMALY_WRITE_SKEW);
  CHECK(card.s.lines[0].row == &grid[SKEW] && card.s.lines[0].r == SKEW);
  CHECK(has_line(&card.s, ANOMALY_CAUSALITY_VIOLATION));
  CHECK(!has_line(&card.s, ANOMALY_LOST_UPDATE));
}

// Write skew has two names: no line of its own for the second one.
static void write_skew_has_one_line(void) {
  struct card card;
  fill_card(&card);
  card.columns[0].stressed = true;
  card.columns[0].found[ANOMALY_CYCLE_G2_ITEM] = 2;
  card.columns[0].found[ANOMALY_WRITE_SKEW] = 3;
  scored_begin(&card.s, stdout, &card.g);
  CHECK(!has_line(&card.s, ANOMALY_CYCLE_G2_ITEM));
  const struct scored_line skew = line_of(SKEW), lost = line_of(LOST);
  CHECK(scored_found_in(&card.columns[0], &skew) == 5);
  CHECK(scored_found_in(&card.columns[0], &lost) == 0);
  CHECK(scored_rate(&card.s, 0, &skew) == 5);
}

// --- States.

static void states_of_cells(void) {
  struct card card;
  fill_card(&card);
  // SI forbids lost updates, and allows write skew.
  card.cells[0][LOST].kind = CELL_SEEN;
  card.cells[0][SKEW].kind = CELL_SEEN;
  card.cells[2][LOST].kind = CELL_ABORTED;
  card.cells[2][SKEW].kind = CELL_BLOCKED;
  scored_begin(&card.s, stdout, &card.g);
  expect_state(&card, 0, LOST, SCORED_BROKEN);
  expect_state(&card, 0, SKEW, SCORED_SEEN);
  expect_state(&card, 0, PHANTOM, SCORED_NOT_TRIED);
  expect_state(&card, 2, LOST, SCORED_PREVENTED);
  expect_state(&card, 2, SKEW, SCORED_UNSEEN);
  expect_state(&card, 3, LOST, SCORED_NOT_TRIED);
  CHECK_INT(scored_count(&card.s, SCORED_BROKEN), 1);
  CHECK_INT(scored_count(&card.s, SCORED_SEEN), 1);
  CHECK_INT(scored_count(&card.s, SCORED_PREVENTED), 1);
  CHECK_INT(scored_count(&card.s, SCORED_UNSEEN), 1);
  // LOST and SKEW of c; three levels of two lines that need load.
  CHECK_INT(scored_count(&card.s, SCORED_NOT_TRIED), 8);
  CHECK(scored_has(&card.s, 0, SCORED_BROKEN));
  CHECK(!scored_has(&card.s, 2, SCORED_BROKEN));
  CHECK(scored_broken(&card.s, 0));
  CHECK(!scored_broken(&card.s, 2));
}

// The load tries all that reads and writes of single rows can show.
static void states_under_load(void) {
  struct card card;
  fill_card(&card);
  card.columns[2].stressed = true;
  scored_begin(&card.s, stdout, &card.g);
  expect_state(&card, 2, LOST, SCORED_PREVENTED);
  expect_state(&card, 2, SKEW, SCORED_UNSEEN);
  expect_state(&card, 2, PHANTOM, SCORED_NOT_TRIED);
  expect_state(&card, 3, LOST, SCORED_NOT_TRIED);
  card.columns[2].found[ANOMALY_LOST_UPDATE] = 0.01;
  expect_state(&card, 2, LOST, SCORED_BROKEN);
  card.columns[2].claimed = ISOLATION_RC;
  expect_state(&card, 2, LOST, SCORED_SEEN);
  CHECK(!scored_broken(&card.s, 2));
  card.columns[2].violated_rows = true;
  CHECK(scored_broken(&card.s, 2));
}

// The second column of a level counts for the level.
static void rates_are_the_most_of_a_level(void) {
  struct card card;
  char page[] = "runs/2.html";
  const struct scored_line lost = line_of(LOST), skew = line_of(SKEW);
  fill_card(&card);
  card.columns[0].found[ANOMALY_LOST_UPDATE] = 1;
  card.columns[1].found[ANOMALY_LOST_UPDATE] = 4;
  card.columns[2].found[ANOMALY_LOST_UPDATE] = 9;
  card.columns[1].runs[ANOMALY_CYCLE_G2_ITEM] = page;
  scored_begin(&card.s, stdout, &card.g);
  CHECK(scored_rate(&card.s, 0, &lost) == 4);
  CHECK(scored_rate(&card.s, 2, &lost) == 9);
  CHECK(scored_rate(&card.s, 3, &lost) == 0);
  CHECK(scored_run(&card.s, 0, &skew) == page);
  CHECK(!scored_run(&card.s, 0, &lost));
  CHECK(!scored_run(&card.s, 2, &skew));
  card.columns[1].violated = true;
  CHECK(scored_broken(&card.s, 0));
}

static void cells_are_of_the_grid(void) {
  struct card card;
  const struct scored_line skew = line_of(SKEW);
  const struct scored_line fork = {NULL, 0, ANOMALY_LONG_FORK};
  fill_card(&card);
  scored_begin(&card.s, stdout, &card.g);
  CHECK(scored_cell(&card.s, 2, &skew) == &card.cells[2][SKEW]);
  CHECK(!scored_cell(&card.s, 2, &fork));
  CHECK(!scored_tried(&card.s, 2, &fork));
  card.columns[2].stressed = true;
  CHECK(scored_tried(&card.s, 2, &fork));
  CHECK(scored_promised(&card.s, 2, &fork)); // by SI
  card.columns[2].claimed = ISOLATION_RC;
  CHECK(!scored_promised(&card.s, 2, &fork));
}

// MySQL's REPEATABLE READ promises one snapshot to plain reads, which the steps
// are; what comes under load breaks nothing.
static void promises_to_plain_reads(void) {
  struct card card;
  const struct guarantee_row fractured = {"g-single", "read skew", "Read skew",
                                          "half", ANOMALY_FRACTURED_READ};
  const struct scored_line line = {&fractured, 0, ANOMALY_FRACTURED_READ};
  const struct scored_line load = {NULL, 0, ANOMALY_FRACTURED_READ};
  const struct scored_line lost = line_of(LOST);
  fill_card(&card);
  card.g.target = "mysql://h";
  card.g.server = "MySQL 8.4";
  card.columns[2].level = "repeatable read";
  card.columns[2].claimed = ISOLATION_NONE;
  card.columns[2].stressed = true;
  card.columns[2].found[ANOMALY_FRACTURED_READ] = 3;
  scored_begin(&card.s, stdout, &card.g);
  CHECK(scored_for_plain_reads(&card.s, 2, &line));
  CHECK(!scored_for_plain_reads(&card.s, 2, &load));
  CHECK(!scored_for_plain_reads(&card.s, 2, &lost));
  CHECK(scored_promised(&card.s, 2, &line));
  CHECK(scored_rate(&card.s, 2, &line) == 0);
  CHECK_INT(scored_state_of(&card.s, 2, &line), SCORED_PREVENTED);
  card.cells[2][0].kind = CELL_SEEN;
  CHECK_INT(scored_state_of(&card.s, 2, &line), SCORED_BROKEN);
}

static void a_level_with_its_promises(void) {
  struct card card;
  fill_card(&card);
  card.columns[0].endpoints = "pin";
  scored_begin(&card.s, stdout, &card.g);
  const struct promised_level level = scored_level(&card.s, 2);
  CHECK_STR(level.target, "x:");
  CHECK_STR(level.server, "X 1");
  CHECK_STR(level.level, "b");
  CHECK_INT(level.claimed, ISOLATION_SI);
  CHECK(level.several);
}

// --- Words.

static void expect_name(const struct scored_line *line, bool capital,
                        const char *wanted) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  const struct scored s = {.out = out};
  scored_put_name(&s, line, capital);
  fclose(out);
  CHECK_STR(text, wanted);
  free(text);
}

static void names_of_lines(void) {
  const struct scored_line lost = line_of(LOST);
  const struct scored_line fork = {NULL, 0, ANOMALY_LONG_FORK};
  const struct scored_line adya = {NULL, 0, ANOMALY_CYCLE_G_SINGLE};
  expect_name(&lost, true, "Lost update");
  expect_name(&lost, false, "lost update");
  expect_name(&fork, true, "Long fork");
  expect_name(&fork, false, "long fork");
  expect_name(&adya, true, "G-single");
  expect_name(&adya, false, "G-single");
}

static void expect_put_found(struct card *card, uint32_t c, bool any,
                             const char *wanted) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  scored_begin(&card->s, out, &card->g);
  CHECK_INT(scored_put_found(&card->s, c, "in 1,000: "), any);
  fclose(out);
  CHECK_STR(text, wanted);
  free(text);
}

static void what_the_load_showed(void) {
  struct card card;
  fill_card(&card);
  expect_put_found(&card, 0, false, "");
  card.columns[0].stressed = card.columns[2].stressed = true;
  card.columns[0].found[ANOMALY_LOST_UPDATE] = 74.4;
  expect_put_found(&card, 0, true, "in 1,000: lost update in 74.4 writes");
  expect_put_found(&card, 1, false, "");
  card.columns[0].found[ANOMALY_LONG_FORK] = 0.25;
  expect_put_found(
      &card, 0, true,
      "in 1,000: lost update in 74.4 writes, long fork 0.25 times");
  card.g.target = "mysql://h";
  card.g.server = "MySQL 8.4";
  card.columns[2].level = "repeatable read";
  card.columns[2].claimed = ISOLATION_NONE;
  card.columns[2].found[ANOMALY_LOST_UPDATE] = 2;
  expect_put_found(&card, 2, true, "in 1,000: lost update in 2 writes");
}

// --- JSON.

// The n-th level of the document.
static const struct json_value *level_at(const struct json_value *document,
                                         uint32_t n) {
  const struct json_value *level = json_first(document, "levels");
  while (n-- && level)
    level = level->next;
  return level;
}

static void expect_text(const struct json_value *object, const char *name,
                        const char *wanted) {
  const char *got = json_text(object, name, NULL);
  CHECK(!got == !wanted);
  if (got && wanted)
    CHECK_STR(got, wanted);
}

// A column without load says what the steps showed, and no more.
static void expect_document(const struct json_value *document) {
  const struct json_value *first = level_at(document, 0);
  const struct json_value *third = level_at(document, 2);
  expect_text(document, "command", "scorecard");
  expect_text(document, "target", "x:");
  expect_text(document, "server", "X \"1\" <&>");
  CHECK(json_is_true(document, "interrupted"));
  CHECK_INT(json_count(document, "levels"), COLUMNS);
  expect_text(first, "level", "a");
  expect_text(first, "endpoints", "pin");
  expect_text(first, "claimed", "si");
  expect_text(first, "kept", NULL);
  expect_text(first, "kept_rows", NULL);
  expect_text(first, "broken", NULL);
  CHECK(!json_member(first, "violated"));
  CHECK(!json_member(first, "throughput"));
  const struct json_value *anomalies = json_member(first, "anomalies");
  expect_text(anomalies, "p4", "SEEN 3/3");
  expect_text(anomalies, "g2-item", "abort 40001");
  expect_text(anomalies, "g2", "");
  expect_text(third, "level", "b");
  expect_text(third, "endpoints", NULL);
  expect_text(third, "kept", "rc");
  expect_text(third, "kept_rows", NULL);
  CHECK(json_is_true(third, "violated"));
  CHECK(json_real(third, "abort_share", 0) == 0.25);
  CHECK(json_real(third, "throughput", 0) == 1000);
  expect_text(third, "broken", "LostUpdate 3");
}

static void a_scorecard_as_json(void) {
  struct card card;
  struct arena arena = {0};
  struct error error;
  char *text;
  size_t bytes;
  fill_card(&card);
  card.g.server = "X \"1\" <&>";
  card.g.interrupted = true;
  card.columns[0].endpoints = "pin";
  card.cells[0][LOST] = (struct guarantee_cell){CELL_SEEN, "3/3", 0, NULL};
  card.cells[0][SKEW] = (struct guarantee_cell){CELL_ABORTED, "40001", 0, NULL};
  card.columns[2].stressed = card.columns[2].violated_rows = true;
  card.columns[2].kept = ISOLATION_RC;
  card.columns[2].abort_share = 0.25;
  card.columns[2].throughput = 1000;
  strcpy(card.columns[2].broken, "LostUpdate 3");
  FILE *out = text_stream(&text, &bytes);
  guarantees_put_json(out, &card.g);
  fclose(out);
  const struct json_value *document =
      json_read(&arena, text, strlen(text), &error);
  if (CHECK(document))
    expect_document(document);
  arena_free(&arena);
  free(text);
}

static void scripts_and_their_anomalies(void) {
  CHECK_INT(guarantee_anomaly("p4"), ANOMALY_LOST_UPDATE);
  CHECK_INT(guarantee_anomaly("g2-item"), ANOMALY_WRITE_SKEW);
  CHECK_INT(guarantee_anomaly("g2"), ANOMALY_PHANTOM_WRITE_SKEW);
  CHECK_INT(guarantee_anomaly("P4"), ANOMALY_NONE);
  CHECK_INT(guarantee_anomaly(""), ANOMALY_NONE);
  CHECK_INT(guarantee_anomaly("p4-undelete"), ANOMALY_LOST_UPDATE);
  // Lost updates alone have several rows, and no anomaly of a row is none.
  for (int r = 0; r < GUARANTEE_ROWS; r++) {
    CHECK(guarantee_grid[r].anomaly != ANOMALY_NONE);
    for (int q = 0; q < r; q++)
      CHECK(guarantee_grid[q].anomaly != guarantee_grid[r].anomaly ||
            guarantee_grid[r].anomaly == ANOMALY_LOST_UPDATE);
  }
}

// Two scripts of one anomaly: load is told of the first, and none of the other.
static void load_is_told_of_one_row_of_an_anomaly(void) {
  static const struct guarantee_row of_lost[] = {
      {"p4", "lost update", "Lost update", "one", ANOMALY_LOST_UPDATE},
      {"p4-delete", "by a delete", "Lost update by a delete", "one",
       ANOMALY_LOST_UPDATE}};
  struct guarantee_cell tried[] = {{CELL_PREVENTED, "", 0, NULL},
                                   {CELL_EMPTY, "", 0, NULL}};
  struct guarantee_column column = {.level = "snapshot",
                                    .claimed = ISOLATION_SI,
                                    .stressed = true,
                                    .cells = tried};
  column.found[ANOMALY_LOST_UPDATE] = 2;
  const struct guarantees g = {.target = "x:",
                               .server = "",
                               .rows = of_lost,
                               .nrows = 2,
                               .columns = &column,
                               .ncolumns = 1};
  struct scored s;
  scored_begin(&s, NULL, &g);
  CHECK_STR(s.lines[0].row->name, "p4");
  CHECK_INT(scored_state_of(&s, 0, &s.lines[0]), SCORED_BROKEN);
  for (uint32_t i = 1; i < s.nlines; i++)
    CHECK(!s.lines[i].row);
  tried[1].kind = CELL_PREVENTED;
  scored_begin(&s, NULL, &g);
  CHECK_STR(s.lines[1].row->name, "p4-delete");
  CHECK_INT(scored_state_of(&s, 0, &s.lines[1]), SCORED_PREVENTED);
}

int main(void) {
  return TAP_RUN(
      {"levels and their columns", levels_and_their_columns},
      {"no column at all", no_column_at_all},
      {"several hosts are noticed", several_hosts_are_noticed},
      {"lines of what was tried", lines_of_what_was_tried},
      {"write skew has one line", write_skew_has_one_line},
      {"states of cells", states_of_cells},
      {"states under load", states_under_load},
      {"rates are the most of a level", rates_are_the_most_of_a_level},
      {"cells are of the grid", cells_are_of_the_grid},
      {"promises to plain reads", promises_to_plain_reads},
      {"a level with its promises", a_level_with_its_promises},
      {"names of lines", names_of_lines},
      {"what the load showed", what_the_load_showed},
      {"a scorecard as JSON", a_scorecard_as_json},
      {"scripts and their anomalies", scripts_and_their_anomalies},
      {"load is told of one row of an anomaly",
       load_is_told_of_one_row_of_an_anomaly});
}
