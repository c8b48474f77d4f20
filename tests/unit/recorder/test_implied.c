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

int main(void) {
  return RECORDING_TESTS(
      {"values are implied, or kept", values_are_implied_or_kept});
}
