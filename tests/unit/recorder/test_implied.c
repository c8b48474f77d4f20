// SPDX-License-Identifier: GPL-3.0-or-later
// Values that follow from who wrote them are not on file, and are there again
// when it is read back.
#include "config.h"

#include "recorder/record/session_log.h"
#include "tests/kit/recording.h"

// The operations of two sessions, told to a builder and recorded.
struct told {
  struct builder *builder;
  struct recording *recording;
  struct session_log *log;
  uint64_t now;
};

static void tell_txn(struct told *t, uint32_t session) {
  if (t->log)
    session_log_end(t->log, OUTCOME_OK, CAUSE_NONE, t->now + 50);
  t->now += 100;
  t->log = recording_session_log(t->recording, session);
  session_log_begin(t->log, ISOLATION_SER, t->now);
  builder_txn(t->builder, session, OUTCOME_OK, ISOLATION_SER, t->now,
              t->now + 50);
}

static void tell_op(const struct told *t, enum op_kind kind, uint64_t key,
                    uint64_t value) {
  builder_op(t->builder, kind, key, value);
  session_log_op(t->log, kind, key, value, 0, 0);
}

static void tell_list(const struct told *t, uint64_t key, uint32_t n,
                      uint64_t *values) {
  const struct value_list list = {.values = values, .count = n};
  builder_list(t->builder, key, values, n);
  session_log_list(t->log, key, &list, 0, 0);
}

static void tell_history(struct told *t, bool with_odd) {
  uint64_t odd[4], list[4];
  for (uint32_t i = 0; i < 4; i++)
    odd[i] = list[i] = value_of_write(0, i);
  odd[1] = value_of_write(5, 7); // nobody's
  odd[2] = value_of_write(1, 0); // of another key
  tell_txn(t, 0);
  for (uint32_t i = 0; i < 4; i++)
    tell_op(t, OP_APPEND, 1, list[i]);
  for (uint32_t i = 0; i < 100; i++) // into the next blocks
    tell_op(t, OP_WRITE, 3, value_of_write(0, 4 + i));
  builder_cas(t->builder, 3, value_of_write(0, 103), value_of_write(0, 104));
  session_log_cas(t->log, 3, value_of_write(0, 103), value_of_write(0, 104), 0,
                  0);
  tell_txn(t, 1);
  tell_op(t, OP_APPEND, 2, value_of_write(1, 0));
  tell_op(t, OP_READ, 4, VALUE_INITIAL);
  tell_op(t, OP_READ, 3, value_of_write(0, 104));
  tell_op(t, OP_READ, 3, value_of_write(0, 77));
  for (uint32_t n = 0; n <= 4; n++)
    tell_list(t, 1, n, list);
  for (uint32_t n = 4; n > 0 && with_odd; n--)
    tell_list(t, 1, n, odd);
  if (with_odd)
    tell_op(t, OP_READ, 3, list[0]);
  tell_list(t, 1, 3, list);
  tell_op(t, OP_APPEND, 2, value_of_write(1, 1));
  session_log_end(t->log, OUTCOME_OK, CAUSE_NONE, t->now + 50);
}

static void check_values(bool with_odd) {
  struct told t = {.builder = builder_open(),
                   .recording = open_recording(2, false, 0)};
  tell_history(&t, with_odd);
  struct history told = finish(t.builder), read;
  close_recording(t.recording);
  read = read_back();
  CHECK((read.value != NULL) == with_odd);
  CHECK((read.element_value != NULL) == with_odd);
  check_same_history(&told, &read);
  history_spell_values(&read);
  CHECK(read.value && read.element_value);
  check_same_history(&told, &read);
  history_free(&told);
  history_free(&read);
}

static void values_are_implied_or_kept(void) {
  check_values(false);
  check_values(true);
}

// Two sessions change and select three rows in turn, and every fourth statement
// changes no row; the value of each operation goes to `value`.  ODD_STAMP: the
// last stamp is one of another statement.  STRAY_READS: two SELECTs and an
// UPDATE between them find stamps that nobody wrote.
enum oddity { NOT_ODD, STRAY_READS, ODD_STAMP };

static const uint64_t STRAY = UINT64_C(7) << VALUE_SEQUENCE_BITS;

static struct history rows_history(uint64_t *value, enum oddity odd) {
  enum { STATEMENTS = 200, ROWS = 3 };
  struct builder *b = builder_open();
  const char *const columns[] = {"v"};
  const uint32_t table = builder_table(b, "t", columns, 1);
  uint64_t stamp[ROWS] = {0}, nwritten[2] = {0};
  uint32_t nops = 0;
  for (int64_t key = 0; key < ROWS; key++)
    builder_preload(b, table, key, (int64_t[]){key});
  for (uint32_t session = 0; session < 2; session++)
    builder_txn(b, session, OUTCOME_OK, ISOLATION_RC, TIME_UNKNOWN,
                TIME_UNKNOWN);
  for (uint32_t i = 0; i < STATEMENTS; i++) {
    const uint32_t session = i >= STATEMENTS / 2, key = i % ROWS;
    const bool writes = i % 2, empty = i % 4 == 3;
    if (i % 10 == 0)
      builder_txn(b, session, OUTCOME_OK, ISOLATION_RC, TIME_UNKNOWN,
                  TIME_UNKNOWN);
    const uint64_t own =
        value_of_write(session, nwritten[session]) +
        (odd == ODD_STAMP && i == STATEMENTS - 3 ? 1 << 20 : 0);
    const bool stray =
        odd == STRAY_READS && (i == 40 || i == 41 || i == STATEMENTS - 4);
    const uint64_t saw = stray ? STRAY + i : stamp[key];
    const struct told_row row = {.key = key,
                                 .kind = writes ? OP_ROW_UPDATE : OP_ROW,
                                 .saw = saw,
                                 .image = (int64_t[]){i}};
    builder_statement(
        b, &(struct told_statement){
               .sort = writes ? STATEMENT_UPDATE : STATEMENT_SELECT,
               .table = table,
               .condition = builder_condition(b, table,
                                              &(struct predicate){.nnodes = 0}),
               .stamp = writes ? own : 0,
               .rows = &row,
               .nrows = !empty});
    nwritten[session] += writes;
    if (!empty)
      value[nops++] = writes ? own : saw;
    if (!empty && writes)
      stamp[key] = own;
  }
  return finish(b);
}

static void check_stray(const struct history *h) {
  uint32_t n = 0;
  for (uint32_t op = 0; op < h->nops; op++)
    if (h->saw[op] == SAW_THIN_AIR) {
      CHECK_INT(history_expected(h, op) & ~UINT64_C(255), STRAY);
      n++;
    }
  CHECK_INT(n, 3);
}

static void check_rows(enum oddity odd) {
  uint64_t value[200];
  struct history h = rows_history(value, odd);
  struct history registers = rows_as_registers(&h);
  CHECK(h.nops > 2 * HISTORY_BLOCK);
  CHECK((h.value != NULL) == (odd == ODD_STAMP));
  if (odd == STRAY_READS)
    check_stray(&h);
  for (uint32_t op = 0; op < h.nops; op++) {
    CHECK_INT(history_op_value(&h, op), value[op]);
    CHECK_INT(history_op_value(&registers, op), value[op]);
  }
  struct history spelt = history_spelt(&h);
  for (uint32_t op = 0; op < h.nops; op++)
    CHECK_INT(spelt.value[op], value[op]);
  history_spelt_free(&spelt, &h);
  spelt = history_spelt(&registers);
  for (uint32_t op = 0; op < h.nops; op++)
    CHECK_INT(spelt.value[op], value[op]);
  history_spelt_free(&spelt, &registers);
  rows_as_registers_free(&registers);
  history_free(&h);
}

static void stamps_of_rows_are_implied_or_kept(void) {
  check_rows(NOT_ODD);
  check_rows(STRAY_READS);
  check_rows(ODD_STAMP);
}

int main(void) {
  return RECORDING_TESTS(
      {"values are implied, or kept", values_are_implied_or_kept},
      {"stamps of rows are implied, or kept",
       stamps_of_rows_are_implied_or_kept});
}
