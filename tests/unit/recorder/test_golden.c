// SPDX-License-Identifier: GPL-3.0-or-later
// Files of every version of the format, as they were once written, are read as
// what was once recorded.  To make those of a new version, run this program
// with the directory to write them to.
#include "config.h"

#include "base/file.h"
#include "base/memory.h"
#include "tests/kit/made_history.h"
#include "tests/kit/row_driver.h"

#include <unistd.h>

static const char about[] = "workload = golden\nseed = 7\n";

// Two sessions with one operation of every kind and outcome.
static void make_small(struct builder *b, struct recording *r) {
  struct made_session m[2];
  for (uint32_t s = 0; s < 2; s++) {
    m[s] = made_session_open(7, s, 2);
    m[s].builder = b;
    m[s].log = r ? recording_session_log(r, s) : NULL;
    for (int i = 0; i < 6; i++)
      make_transaction(&m[s]);
    gsl_rng_free(m[s].random);
  }
}

// Large enough for its chunks to be compressed, and to be several.
static void make_large(struct builder *b, struct recording *r) {
  struct made_session m = made_session_open(8, 0, 1);
  m.builder = b;
  m.log = r ? recording_session_log(r, 0) : NULL;
  m.key_stride = UINT64_C(1) << 33;
  for (int i = 0; i < 600; i++) {
    m.now += i % 200 ? 0 : UINT64_C(2000000000);
    make_transaction(&m);
  }
  gsl_rng_free(m.random);
}

static void record(const char *path, bool large) {
  struct recording *r;
  struct error error = {0};
  unlink(path);
  CHECK_INT(
      recording_open(path, large ? 1 : 2, large, 0, about, NULL, &r, &error),
      0);
  (large ? make_large : make_small)(NULL, r);
  CHECK_INT(recording_close(r, &error), 0);
  CHECK_STR(error.text, "");
}

static char *golden(const char *name) {
  const char *top = getenv("TOP_SRCDIR");
  return xasprintf("%s/tests/histories/golden/%s", top ? top : ".", name);
}

static void check_golden(const char *name, bool large) {
  struct history told, read;
  struct error error = {0};
  struct builder *b = builder_open();
  (large ? make_large : make_small)(b, NULL);
  CHECK_INT(builder_finish(b, &told, &error), 0);
  char *path = golden(name);
  CHECK_INT(history_read(path, NULL, &read, &error), 0);
  CHECK_STR(error.text, "");
  if (read.kind) {
    CHECK_STR(read.about, about);
    check_same_history(&told, &read);
    CHECK_INT(read.op_begin != NULL, large);
  }
  history_free(&told);
  history_free(&read);
  free(path);
}

// The first ones of version 1 have their columns in another order, and one
// frame to a chunk.
static void version_1_is_read(void) {
  check_golden("v1.iso", false);
  check_golden("v1-groups.iso", false);
}

static void version_1_compressed_is_read(void) {
  check_golden("v1-compressed.iso", true);
  check_golden("v1-groups-compressed.iso", true);
}

static void check_same_bytes(const char *old, const char *path) {
  struct error error = {0};
  size_t was_bytes = 0, is_bytes = 1;
  unsigned char *was = file_load(old, SIZE_MAX - 1, &was_bytes, &error);
  unsigned char *is = file_load(path, SIZE_MAX - 1, &is_bytes, &error);
  CHECK_STR(error.text, "");
  CHECK_INT(is_bytes, was_bytes);
  CHECK(was && is && was_bytes == is_bytes && !memcmp(was, is, is_bytes));
  free(was);
  free(is);
}

// Small chunks are not compressed, so the bytes do not depend on zstd.
static void version_1_is_written_as_ever(void) {
  char path[] = "/tmp/isostress-test-golden.XXXXXX",
       *old = golden("v1-groups.iso");
  close(mkstemp(path));
  record(path, false);
  check_same_bytes(old, path);
  unlink(path);
  free(old);
}

// ---- Version 2

static void note_statement(struct session_log *log, enum statement_sort sort,
                           int64_t parameter, uint64_t stamp,
                           const struct row_list *rows) {
  const struct statement s = {
      .sort = sort, .template = rows_template("b = $1"), .params = &parameter};
  session_log_statement(log, &s, statement_has_condition(sort), ROWS_COLUMNS,
                        stamp, rows, NULL);
}

// One transaction changes row 3, inserts 8, and deletes nothing; the next finds
// both.
static void record_rows(const char *path) {
  struct recording *r;
  struct error error = {0};
  struct row_list rows = {0};
  const uint64_t stamp = value_of_write(0, 0);
  rows_template("b = $1");
  unlink(path);
  CHECK_INT(recording_open(path, 1, false, 0, about, &rows_tables, &r, &error),
            0);
  struct session_log *log = recording_session_log(r, 0);
  session_log_begin(log, ISOLATION_SER, 10);
  memcpy(row_list_add(&rows, OP_ROW_UPDATE, 3, 0, ROWS_COLUMNS),
         (int64_t[]){1, -5, 0}, ROWS_COLUMNS * sizeof(int64_t));
  note_statement(log, STATEMENT_UPDATE, 1, stamp, &rows);
  row_list_clear(&rows);
  memcpy(row_list_add(&rows, OP_ROW_INSERT, 8, 0, ROWS_COLUMNS),
         (int64_t[]){1, 80, 0}, ROWS_COLUMNS * sizeof(int64_t));
  note_statement(log, STATEMENT_INSERT, 0, stamp + 1, &rows);
  row_list_clear(&rows);
  note_statement(log, STATEMENT_DELETE, 7, stamp + 2, &rows);
  session_log_end(log, OUTCOME_OK, CAUSE_NONE, 20);
  session_log_begin(log, ISOLATION_SER, 30);
  row_list_add(&rows, OP_ROW, 3, stamp, ROWS_COLUMNS);
  row_list_add(&rows, OP_ROW, 8, stamp + 1, ROWS_COLUMNS);
  note_statement(log, STATEMENT_SELECT, 1, 0, &rows);
  session_log_end(log, OUTCOME_OK, CAUSE_NONE, 40);
  CHECK_INT(recording_close(r, &error), 0);
  CHECK_STR(error.text, "");
  row_list_free(&rows);
}

static void version_2_is_read(void) {
  struct history h;
  struct error error = {0};
  char *path = golden("v2.iso");
  if (!CHECK(!history_read(path, NULL, &h, &error)))
    printf("#   %s\n", error.text);
  CHECK(history_is_sound(&h));
  CHECK_STR(h.about, about);
  CHECK_INT(h.ntxns, 2);
  CHECK_INT(h.nops, 4);
  CHECK_INT(h.rows->nstatements, 4);
  CHECK_INT(h.kind[0], OP_ROW_UPDATE);
  CHECK_INT(h.kind[1], OP_ROW_INSERT);
  CHECK_INT(h.saw[2], 0);
  CHECK_INT(h.saw[3], 1);
  CHECK(rows_version(&h, 0)[1] == -5 && rows_version(&h, 1)[1] == 80);
  CHECK_INT(h.rows->parameters[h.rows->statements[2].parameters], 7);
  CHECK_INT(h.end[1], 40);
  history_free(&h);
  free(path);
}

static void version_2_is_written_as_ever(void) {
  char path[] = "/tmp/isostress-test-golden.XXXXXX", *old = golden("v2.iso");
  close(mkstemp(path));
  record_rows(path);
  check_same_bytes(old, path);
  unlink(path);
  free(old);
}

// The first chunk has statements and no column of parameters.  Fuzzers read the
// file, too, built by a compiler that finds fault with a place in an array
// which is not there.
static void no_parameters(void) {
  struct history h;
  struct error error = {0};
  char *path = golden("v2-no-parameters.iso");
  CHECK_INT(history_read(path, NULL, &h, &error), 0);
  CHECK_STR(error.text, "");
  CHECK(history_is_sound(&h));
  CHECK_INT(h.rows->nstatements, 2);
  CHECK_INT(h.rows->nparameters, 1);
  CHECK(rows_satisfies(&h, 1, 0, rows_version(&h, 0)));
  history_free(&h);
  free(path);
}

static void write_golden(const char *directory) {
  char *small = xasprintf("%s/v1-groups.iso", directory);
  char *large = xasprintf("%s/v1-groups-compressed.iso", directory);
  record(small, false);
  record(large, true);
  char *rows = xasprintf("%s/v2.iso", directory);
  record_rows(rows);
  free(rows);
  free(small);
  free(large);
}

int main(int argc, char **argv) {
  if (argc > 1) {
    write_golden(argv[1]);
    return tap_failures != 0;
  }
  return TAP_RUN(
      {"version 1 is read", version_1_is_read},
      {"version 1, compressed, is read", version_1_compressed_is_read},
      {"version 1 is written as ever", version_1_is_written_as_ever},
      {"version 2 is read", version_2_is_read},
      {"a chunk without parameters is read", no_parameters},
      {"version 2 is written as ever", version_2_is_written_as_ever});
}
