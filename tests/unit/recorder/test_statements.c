// SPDX-License-Identifier: GPL-3.0-or-later
// Statements on rows that are recorded and read back: version 2 of the file.
#include "config.h"

#include "recorder/native/tables_text.h"
#include "recorder/rows.h"
#include "tests/kit/recording.h"
#include "tests/kit/row_driver.h"

#include "recorder/record/recording.h"

static struct recording *open_statements(uint32_t nsessions) {
  struct recording *r = NULL;
  struct error error = {0};
  unlink(recording_path);
  rows_template("TRUE");
  rows_template("b = $1");
  rows_template("v BETWEEN $1 AND $2 OR id = 3");
  CHECK_INT(recording_open(recording_path, nsessions, false, 0,
                           "a = 1\nb = 2\n", &rows_tables, &r, &error),
            0);
  CHECK_STR(error.text, "");
  return r;
}

// One row of a statement.
static void seen(struct row_list *rows, enum op_kind kind, uint64_t key,
                 uint64_t saw, int64_t v) {
  int64_t *image = row_list_add(rows, kind, key, saw, ROWS_COLUMNS);
  image[0] = 1, image[1] = v, image[2] = -7;
}

// Counts on with each statement; 0: no times are recorded.
static uint64_t now;

static void note(struct session_log *log, enum statement_sort sort,
                 const char *condition, int64_t first, int64_t second,
                 uint64_t stamp, const struct row_list *rows) {
  const int64_t params[] = {first, second};
  const struct statement s = {.sort = sort,
                              .template =
                                  condition ? rows_template(condition) : 0,
                              .params = params};
  const uint32_t nparams =
      condition ? rows_templates[s.template].predicate.nparameters : 0;
  const struct statement_times times = {now + 1, now + 3};
  session_log_statement(log, &s, nparams, ROWS_COLUMNS, stamp, rows,
                        now ? &times : NULL);
  now += now ? 4 : 0;
}

static void begin_txn(struct session_log *log, uint64_t time) {
  session_log_begin(log, ISOLATION_SER, time);
}
static void end_txn(struct session_log *log, uint64_t time) {
  session_log_end(log, OUTCOME_OK, CAUSE_NONE, time);
}

// Session 1 changes row 3, inserts 8 and deletes 5; session 0 then finds these.
static void record_some(struct recording *r) {
  const uint64_t w0 = value_of_write(1, 0);
  struct session_log *one = recording_session_log(r, 1),
                     *zero = recording_session_log(r, 0);
  struct row_list rows = {0};
  begin_txn(one, 10);
  seen(&rows, OP_ROW_UPDATE, 3, 0, INT64_MIN);
  note(one, STATEMENT_UPDATE, "v BETWEEN $1 AND $2 OR id = 3", -5, INT64_MAX,
       w0, &rows);
  row_list_clear(&rows);
  seen(&rows, OP_ROW_INSERT, 8, 0, 80);
  note(one, STATEMENT_INSERT, NULL, 0, 0, w0 + 1, &rows);
  row_list_clear(&rows);
  seen(&rows, OP_ROW_DELETE, 5, 0, 15);
  note(one, STATEMENT_DELETE, "b = $1", 1, 0, w0 + 2, &rows);
  end_txn(one, 20);
  row_list_clear(&rows);
  begin_txn(zero, 30);
  seen(&rows, OP_ROW, 3, w0, INT64_MIN);
  seen(&rows, OP_ROW, 7, 0, 17);
  note(zero, STATEMENT_SELECT, "b = $1", 1, 0, 0, &rows);
  row_list_clear(&rows);
  note(zero, STATEMENT_LOCKING_SELECT, "b = $1", 9, 0, 0, &rows);
  end_txn(zero, 40);
  begin_txn(zero, 50); // without any statement
  end_txn(zero, 60);
  row_list_free(&rows);
}

static void check_statement(const struct history *h, uint32_t i,
                            enum statement_sort sort, uint32_t nops,
                            const char *condition) {
  const struct recorded_statement *s = &h->rows->statements[i];
  char *text = NULL;
  size_t length;
  CHECK_INT(s->sort, sort);
  CHECK_INT(s->end - s->first, nops);
  CHECK((s->condition == NO_CONDITION) == !condition);
  if (!condition)
    return;
  FILE *out = open_memstream(&text, &length);
  rows_write_condition(out, h->rows, s);
  fclose(out);
  CHECK_STR(text, condition);
  free(text);
}

static void statements_come_back_as_they_were(void) {
  struct recording *r = open_statements(2);
  record_some(r);
  close_recording(r);
  struct history h = read_back();
  CHECK_INT(h.ntxns, 3);
  CHECK_INT(h.nops, 5);
  CHECK_INT(h.rows->nstatements, 5);
  check_statement(&h, 0, STATEMENT_SELECT, 2, "b = 1");
  check_statement(&h, 1, STATEMENT_LOCKING_SELECT, 0, "b = 9");
  check_statement(&h, 2, STATEMENT_UPDATE, 1,
                  "(v >= -5 AND v <= 9223372036854775807) OR id = 3");
  check_statement(&h, 3, STATEMENT_INSERT, 1, NULL);
  check_statement(&h, 4, STATEMENT_DELETE, 1, "b = 1");
  CHECK_INT(h.kind[0], OP_ROW);
  CHECK_INT(h.saw[0], 2); // row 3, which the first operation of session 1 wrote
  CHECK_INT(h.saw[1], SAW_INITIAL);
  CHECK_INT(h.kind[4], OP_ROW_DELETE);
  CHECK(rows_version(&h, 2)[1] == INT64_MIN && rows_version(&h, 2)[2] == -7);
  CHECK(rows_version(&h, 4) == NULL);
  CHECK_INT(h.begin[2], 10);
  CHECK_INT(h.end[2], 20);
  history_free(&h);
}

// Session 1 comes first in the file, and second in the history.
static void times_of_statements_come_back(void) {
  struct recording *r = open_statements(2);
  now = 10;
  record_some(r);
  now = 0;
  close_recording(r);
  struct history h = read_back();
  static const uint64_t begins[] = {23, 27, 11, 15, 19};
  CHECK_INT(h.rows->times.count, h.rows->nstatements);
  for (uint32_t s = 0; s < h.rows->nstatements; s++) {
    const struct statement_times is = statement_times_at(&h.rows->times, s);
    CHECK_INT(is.begin, begins[s]);
    CHECK_INT(is.end, begins[s] + 2);
  }
  CHECK_INT(rows_times(h.rows, 2, 3).begin, 15);
  history_free(&h);
  r = open_statements(2);
  record_some(r);
  close_recording(r);
  h = read_back();
  CHECK_INT(h.rows->times.count, 0);
  CHECK(rows_times(h.rows, 2, 3).begin == TIME_UNKNOWN);
  history_free(&h);
}

// Whoever was written for version 1 refuses it by the version.
static void only_files_with_statements_are_of_version_2(void) {
  unsigned char header[12];
  for (int i = 0; i < 2; i++) {
    close_recording(i ? open_statements(1) : open_recording(1, false, 0));
    FILE *file = fopen(recording_path, "rb");
    CHECK(fread(header, 1, sizeof header, file) == sizeof header);
    fclose(file);
    CHECK_INT(header[8], i + 1);
  }
}

// Many pieces, and transactions that are moved from one to the next.
static void cross_pieces(bool timed) {
  enum { TXNS = 60, STATEMENTS = 40, ROWS = 8 };
  struct recording *r = open_statements(1);
  struct session_log *log = recording_session_log(r, 0);
  uint64_t stamp = value_of_write(0, 0);
  struct row_list rows = {0};
  now = timed ? 5 : 0;
  for (uint64_t t = 0; t < TXNS; t++) {
    begin_txn(log, 10 * t);
    for (int s = 0; s < STATEMENTS; s++) {
      row_list_clear(&rows);
      for (uint64_t i = 0; i < ROWS; i++)
        seen(&rows, s % 2 ? OP_ROW : OP_ROW_UPDATE, i, t || s ? stamp - 1 : 0,
             (int64_t)(stamp & 0xffff));
      note(log, s % 2 ? STATEMENT_SELECT : STATEMENT_UPDATE, "b = $1",
           (int64_t)t, 0, stamp, &rows);
      stamp += !(s % 2);
    }
    end_txn(log, 10 * t + 5);
  }
  row_list_free(&rows);
  close_recording(r);
  struct history h = read_back();
  CHECK_INT(h.ntxns, TXNS);
  CHECK_INT(h.nops, TXNS * STATEMENTS * ROWS);
  CHECK_INT(h.rows->nstatements, TXNS * STATEMENTS);
  uint32_t lost = 0, wrong = 0;
  for (uint32_t op = 0; op < h.nops; op++)
    lost += h.saw[op] != SAW_INITIAL && h.saw[op] >= h.nops;
  for (uint32_t s = 0; s < h.rows->nstatements; s++)
    wrong +=
        h.rows->parameters[h.rows->statements[s].parameters] != s / STATEMENTS;
  CHECK_INT(lost, 0);
  CHECK_INT(wrong, 0);
  CHECK_INT(h.rows->times.count > 0, timed);
  for (uint32_t s = 0; timed && s < h.rows->nstatements; s++)
    CHECK_INT(statement_times_at(&h.rows->times, s).begin, 6 + 4 * (uint64_t)s);
  now = 0;
  history_free(&h);
}

static void long_transactions_cross_pieces(void) {
  cross_pieces(false);
  cross_pieces(true);
}

// A statement that finds no row writes all the same: a chunk may have more
// writes than operations.
static void statements_without_rows_count_as_writes(void) {
  enum { WRITES = 9000, READS = 8200 };
  struct recording *r = open_statements(1);
  struct session_log *log = recording_session_log(r, 0);
  uint64_t stamp = value_of_write(0, 0);
  struct row_list rows = {0};
  begin_txn(log, 1);
  note(log, STATEMENT_DELETE, "b = $1", 9, 0, stamp++, &rows);
  end_txn(log, 2);
  begin_txn(log, 3);
  for (int i = 0; i < WRITES; i++)
    note(log, STATEMENT_UPDATE, "b = $1", 9, 0, stamp++, &rows);
  seen(&rows, OP_ROW, 1, 0, 11);
  for (int i = 0; i < READS; i++)
    note(log, STATEMENT_SELECT, "b = $1", 1, 0, 0, &rows);
  end_txn(log, 4);
  row_list_free(&rows);
  close_recording(r);
  struct history h = read_back();
  CHECK(h.complete);
  CHECK_INT(h.ntxns, 2);
  CHECK_INT(h.nops, READS);
  CHECK_INT(h.rows->nstatements, 1 + WRITES + READS);
  history_free(&h);
}

// The whole chunks of a file that ends early are read; the versions that they
// saw of the rest are lost, not out of thin air.
static void a_file_that_was_cut_off_opens(void) {
  struct recording *r = open_statements(2);
  struct history h;
  struct error error = {0};
  record_some(r);
  recording_end_session(r, 0); // its chunk comes first
  close_recording(r);
  FILE *file = fopen(recording_path, "rb");
  fseek(file, 0, SEEK_END);
  const long bytes = ftell(file);
  fclose(file);
  uint32_t usable = 0, nlost = 0;
  for (long cut = bytes - 1; cut > 40; cut -= 7) {
    CHECK_INT(truncate(recording_path, cut), 0);
    error.text[0] = '\0';
    if (history_read(recording_path, NULL, &h, &error))
      continue;
    CHECK(!h.complete);
    for (uint32_t op = 0; op < h.nops; op++) {
      CHECK(h.saw[op] != SAW_THIN_AIR);
      nlost += h.saw[op] == SAW_LOST;
    }
    usable += h.ntxns > 0;
    history_free(&h);
  }
  CHECK(usable > 0);
  CHECK(nlost > 0);
  CHECK(strstr(error.text, "the chunk that describes its tables is lost"));
}

// A program with a mistake, or somebody who means harm, may write such a file.
static void statements_without_a_table_are_refused(void) {
  static const struct tables none = {0};
  struct recording *r = NULL;
  struct history h;
  struct error error = {0};
  struct row_list rows = {0};
  unlink(recording_path);
  CHECK_INT(
      recording_open(recording_path, 1, false, 0, "a = 1\n", &none, &r, &error),
      0);
  struct session_log *log = recording_session_log(r, 0);
  begin_txn(log, 10);
  seen(&rows, OP_ROW_INSERT, 8, 0, 80);
  note(log, STATEMENT_INSERT, NULL, 0, 0, value_of_write(0, 0), &rows);
  end_txn(log, 20);
  row_list_free(&rows);
  close_recording(r);
  CHECK_INT(history_read(recording_path, NULL, &h, &error), -1);
  CHECK(strstr(error.text, "has statements without a table"));
}

static void conditions_of_inserts_name_keys(void) {
  struct recording *r = open_statements(1);
  struct session_log *log = recording_session_log(r, 0);
  struct row_list rows = {0};
  struct history h;
  struct error error = {0};
  begin_txn(log, 10);
  note(log, STATEMENT_INSERT_NEW, "b = $1", 1, 0, value_of_write(0, 0), &rows);
  end_txn(log, 20);
  row_list_free(&rows);
  close_recording(r);
  CHECK_INT(history_read(recording_path, NULL, &h, &error), -1);
  CHECK(strstr(error.text, "a condition that does not name the keys"));
}

static void tables_are_lines_of_text(void) {
  struct arena arena = {0};
  struct tables tables;
  struct error error = {0};
  rows_template("b = $1");
  char *text = tables_text(&rows_tables);
  static const char start[] = "table t 8\ncolumn b 0 1 2\ncolumn v 10 1 8\n";
  CHECK(!strncmp(text, start, sizeof start - 1));
  CHECK_INT(tables_read(text, &arena, &tables, &error), 0);
  char *again = tables_text(&tables);
  CHECK_STR(again, text);
  static const struct {
    const char *text, *sentence;
  } wrong[] = {
      {"column v 0 1 1\n",
       "line 1 of the tables: is no table, column, row or condition"},
      {"table t 1\ncolumn v 0 0 1\n",
       "line 2 of the tables: is no table, column, row or condition"},
      {"table t 0\ncolumn v 0 1 1\nrow 3\n",
       "line 3 of the tables: is no table, column, row or condition"},
      {"row 3 4\n",
       "line 1 of the tables: is no table, column, row or condition"},
      {"table t 0\nrow 3\ncolumn v 0 1 1\n",
       "line 3 of the tables: is no table, column, row or condition"},
      {"table t 1\ntable u 1\ntable t 1\n",
       "line 3 of the tables: there are two tables 't'"},
      {"table t 1\ncolumn v 0 1 1\ncolumn v 0 1 1\n",
       "line 3 of the tables: there are two columns 'v'"},
      {"table t 1\ncolumn id 0 1 1\n",
       "line 2 of the tables: there are two columns 'id'"},
      {"table t 1\ncondition 1 TRUE\n",
       "line 2 of the tables: is no table, column, row or condition"},
  };
  static const char listed[] = "table t 1\ncolumn v 0 1 1\nrow 3 -4\nrow 7 5\n";
  CHECK_INT(tables_read(listed, &arena, &tables, &error), 0);
  CHECK_INT(tables.table[0].nlisted, 2);
  CHECK(tables.table[0].listed[1] == -4 && tables.table[0].listed[2] == 7);
  free(again);
  again = tables_text(&tables);
  CHECK_STR(again, listed);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    CHECK_INT(tables_read(wrong[i].text, &arena, &tables, &error), -1);
    CHECK_STR(error.text, wrong[i].sentence);
  }
  CHECK_INT(
      tables_read("table t 1\ncondition 0 w = 1\n", &arena, &tables, &error),
      -1);
  CHECK(!strncmp(error.text, "line 2 of the tables: ", 22));
  free(text);
  free(again);
  arena_free(&arena);
}

int main(void) {
  return RECORDING_TESTS(
      {"statements come back as they were", statements_come_back_as_they_were},
      {"times of statements come back", times_of_statements_come_back},
      {"only files with statements are of version 2",
       only_files_with_statements_are_of_version_2},
      {"long transactions cross pieces", long_transactions_cross_pieces},
      {"statements without rows count as writes",
       statements_without_rows_count_as_writes},
      {"a file that was cut off opens", a_file_that_was_cut_off_opens},
      {"statements without a table are refused",
       statements_without_a_table_are_refused},
      {"conditions of inserts name keys", conditions_of_inserts_name_keys},
      {"tables are lines of text", tables_are_lines_of_text});
}
