// SPDX-License-Identifier: GPL-3.0-or-later
// A history that is recorded is read back as it was.
#include "config.h"

#include "base/clock.h"
#include "base/memory.h"
#include "recorder/native/chunk.h"
#include "recorder/record/session_log.h"
#include "tests/kit/recording.h"

#include <pthread.h>
#include <sys/stat.h>

// Records sessions whose transactions interleave at random, and compares.
static void check_round_trip(uint64_t seed, uint32_t nsessions, uint32_t ntxns,
                             bool op_times, uint64_t key_stride) {
  struct made_session sessions[8];
  struct builder *b = builder_open();
  struct recording *r = open_recording(nsessions, op_times, 0);
  for (uint32_t s = 0; s < nsessions; s++) {
    sessions[s] = made_session_open(seed, s, nsessions);
    sessions[s].builder = b;
    sessions[s].log = recording_session_log(r, s);
    sessions[s].thin_air = true;
    sessions[s].key_stride = key_stride;
    make_transaction(&sessions[s]);
  }
  for (uint32_t i = 0; i < ntxns; i++) {
    struct made_session *m = &sessions[made_number(&sessions[0], nsessions)];
    if (made_number(m, 50) == 0)
      m->now += NS_PER_SECOND; // so that the piece is handed over
    make_transaction(m);
  }
  close_recording(r);
  struct history told = finish(b), read = read_back();
  check_same_history(&told, &read);
  CHECK(history_is_sound(&read));
  CHECK_INT(read.op_begin != NULL, op_times);
  history_free(&told);
  history_free(&read);
  for (uint32_t s = 0; s < nsessions; s++)
    gsl_rng_free(sessions[s].random);
}

static void random_histories_come_back(void) {
  for (uint64_t seed = 0; seed < 60; seed++)
    check_round_trip(seed, 1 + seed % 8, seed * 13, seed % 2,
                     seed % 3 ? 1 : UINT64_C(0x123456789abcdef));
}

static void a_long_history_comes_back(void) {
  check_round_trip(1, 3, 40000, false, 1);
  check_round_trip(2, 2, 30000, true, 1000003);
}

static void an_empty_recording_is_a_history(void) {
  close_recording(open_recording(3, true, 0));
  struct history h = read_back();
  CHECK_INT(h.nsessions, 3);
  CHECK_INT(h.ntxns, 0);
  CHECK(history_is_sound(&h));
  history_free(&h);
}

// More sessions than anybody has threads for, so written without session logs.
static void many_sessions_fit(void) {
  enum { MANY = 1 << 20 };
  struct encoder encoder = {0};
  unsigned char header[FILE_HEADER_BYTES];
  uint64_t *none = xcalloc(MANY, sizeof *none);
  FILE *file = fopen(recording_path, "w");
  file_header_store(header, FILE_VERSION, MANY);
  fwrite(header, 1, sizeof header, file);
  size_t bytes = encode_text(&encoder, CHUNK_ABOUT, "a = 1\nb = 2\n", MANY);
  fwrite(encoder.out, 1, bytes, file);
  bytes = encode_closing(&encoder, MANY, none, none);
  fwrite(encoder.out, 1, bytes, file);
  CHECK(fclose(file) == 0);
  struct history h = read_back();
  CHECK_INT(h.nsessions, MANY);
  CHECK_INT(h.session_first[MANY], 0);
  CHECK(history_is_sound(&h));
  history_free(&h);
  encoder_free(&encoder);
  free(none);
}

static void times_count_from_the_start(void) {
  struct recording *r = open_recording(1, false, 1000);
  struct session_log *log = recording_session_log(r, 0);
  session_log_begin(log, ISOLATION_SI, 990);
  session_log_end(log, OUTCOME_OK, CAUSE_NONE, 1010);
  session_log_begin(log, ISOLATION_SI, 1005);
  session_log_end(log, OUTCOME_OK, CAUSE_NONE, 5000000000);
  close_recording(r);
  struct history h = read_back();
  CHECK_INT(h.begin[0], -10);
  CHECK_INT(h.end[0], 10);
  CHECK_INT(h.begin[1], 5);
  CHECK_INT(h.end[1], 4999999000);
  history_free(&h);
}

static void refused_writes_are_apart(void) {
  static const bool refused[] = {false, true, true, false};
  static const uint32_t first[] = {0, 1, 3, 5, 7};
  struct recording *r = open_recording(1, true, 0);
  struct session_log *log = recording_session_log(r, 0);
  session_log_begin(log, ISOLATION_SI, 1);
  session_log_op(log, OP_READ, 1, VALUE_INITIAL, 1, 2);
  session_log_end(log, OUTCOME_OK, CAUSE_NONE, 2);
  session_log_begin(log, ISOLATION_SER, 5);
  session_log_op(log, OP_READ, 1, VALUE_INITIAL, 10, 11);
  for (uint32_t i = 0; i < 4; i++)
    session_log_op(log, OP_WRITE, i, value_of_write(0, i), 20 + 10 * i,
                   22 + 10 * i);
  session_log_op(log, OP_READ, 3, value_of_write(0, 3), 60, 63);
  session_log_end_in_parts(log, refused, CAUSE_CONSTRAINT, 90);
  close_recording(r);
  struct history h = read_back();
  CHECK_INT(h.ntxns, 4);
  for (uint32_t t = 0; t < h.ntxns; t++) {
    CHECK_INT(h.txn_first[t + 1], first[t + 1]);
    CHECK_INT(h.outcome[t], t == 2 ? OUTCOME_ABORTED : OUTCOME_OK);
    CHECK_INT(h.cause[t], t == 2 ? CAUSE_CONSTRAINT : CAUSE_NONE);
    CHECK_INT(h.level[t], t ? ISOLATION_SER : ISOLATION_SI);
    CHECK_INT(h.begin[t], t ? 5 : 1);
    CHECK_INT(h.end[t], t ? 90 : 2);
  }
  for (uint32_t i = 0; i < 6; i++) {
    CHECK_INT(h.op_begin[1 + i], 10 + 10 * i);
    CHECK_INT(h.op_end[1 + i], i == 0 ? 11 : i == 5 ? 63 : 12 + 10 * i);
  }
  CHECK_INT(h.saw[6], 5);
  history_free(&h);
}

// Over several pieces of session logs, one transaction moving from one to the
// next; session 1 knows of no endpoints.
static void endpoints_are_kept(void) {
  enum { NTXNS = 40, NOPS = 1000 };
  struct recording *r = open_recording(2, false, 0);
  for (uint32_t session = 0; session < 2; session++) {
    struct session_log *log = recording_session_log(r, session);
    for (uint32_t t = 0; t < NTXNS; t++) {
      session_log_begin(log, ISOLATION_SER, t);
      if (!session)
        session_log_endpoint(log, t % 3);
      for (int i = 0; i < NOPS; i++)
        session_log_op(log, OP_READ, 0, 0, 0, 0);
      session_log_end(log, OUTCOME_OK, CAUSE_NONE, t);
    }
  }
  close_recording(r);
  struct history h = read_back();
  CHECK_INT(h.ntxns, 2 * NTXNS);
  for (uint32_t t = 0; CHECK(h.endpoint) && t < NTXNS; t++) {
    CHECK_INT(h.endpoint[t], t % 3);
    CHECK_INT(h.endpoint[NTXNS + t], HISTORY_NO_ENDPOINT);
  }
  history_free(&h);
}

// A transaction and a list that are longer than a piece of a session log, with
// shorter ones before and behind.
static void long_transactions_and_lists_fit(void) {
  enum { NOPS = 50000, NELEMENTS = 70000 };
  struct recording *r = open_recording(1, true, 0);
  struct builder *b = builder_open();
  struct made_session m = made_session_open(5, 0, 1);
  struct value_list list = {0};
  m.builder = b;
  m.log = recording_session_log(r, 0);
  for (uint32_t i = 0; i < NELEMENTS; i++)
    value_list_push(&list, value_of_write(0, i % 7));
  for (int round = 0; round < 3; round++) {
    make_transaction(&m);
    uint64_t begin = m.now, at = begin + 1;
    builder_txn(b, 0, OUTCOME_OK, ISOLATION_SER, begin, at + NOPS * OP_NS);
    session_log_begin(m.log, ISOLATION_SER, begin);
    for (uint64_t i = 0; i < NOPS; i++, at += OP_NS) {
      builder_op(b, OP_READ, i, 0);
      session_log_op(m.log, OP_READ, i, 0, at, at + 5);
    }
    builder_list(b, 3, list.values, list.count);
    session_log_list(m.log, 3, &list, at, at + 5);
    session_log_end(m.log, OUTCOME_OK, CAUSE_NONE, at);
    m.now = at;
  }
  close_recording(r);
  struct history told = finish(b), read = read_back();
  check_same_history(&told, &read);
  history_free(&told);
  history_free(&read);
  value_list_free(&list);
  gsl_rng_free(m.random);
}

// Chunks that shrink to nothing must still be taken for real ones.
static void monotonous_histories_fit(void) {
  struct recording *r = open_recording(1, false, 0);
  struct session_log *log = recording_session_log(r, 0);
  struct builder *b = builder_open();
  for (int t = 0; t < 200; t++) {
    builder_txn(b, 0, OUTCOME_OK, ISOLATION_SER, 0, 0);
    session_log_begin(log, ISOLATION_SER, 0);
    for (int i = 0; i < 1000; i++) {
      builder_op(b, OP_READ, 0, 0);
      session_log_op(log, OP_READ, 0, 0, 0, 0);
    }
    session_log_end(log, OUTCOME_OK, CAUSE_NONE, 0);
  }
  close_recording(r);
  struct stat st;
  CHECK(stat(recording_path, &st) == 0 && st.st_size < 20000);
  struct history told = finish(b), read = read_back();
  check_same_history(&told, &read);
  history_free(&told);
  history_free(&read);
}

enum { NTHREADS = 4 };

static void *run_session(void *argument) {
  struct made_session *m = argument;
  for (int i = 0; i < 20000; i++)
    make_transaction(m);
  return NULL;
}

static void threads_record_side_by_side(void) {
  struct made_session sessions[NTHREADS];
  struct builder *b = builder_open();
  struct recording *r = open_recording(NTHREADS, false, 0);
  pthread_t threads[NTHREADS];
  for (uint32_t s = 0; s < NTHREADS; s++) {
    sessions[s] = made_session_open(9, s, NTHREADS);
    sessions[s].log = recording_session_log(r, s);
    CHECK(!pthread_create(&threads[s], NULL, run_session, &sessions[s]));
  }
  for (uint32_t s = 0; s < NTHREADS; s++) {
    pthread_join(threads[s], NULL);
    gsl_rng_free(sessions[s].random);
    sessions[s] = made_session_open(9, s, NTHREADS);
    sessions[s].builder = b;
    run_session(&sessions[s]);
    gsl_rng_free(sessions[s].random);
  }
  close_recording(r);
  struct history told = finish(b), read = read_back();
  check_same_history(&told, &read);
  history_free(&told);
  history_free(&read);
}

static void what_can_not_be_created_is_said(void) {
  struct recording *r;
  struct error error;
  CHECK_INT(recording_open("/nonexistent/x", 1, false, 0, "", NULL, &r, &error),
            -1);
  CHECK_STR(error.text,
            "/nonexistent/x: cannot be created: No such file or directory");
  close_recording(open_recording(1, false, 0));
  CHECK_INT(recording_open(recording_path, 1, false, 0, "", NULL, &r, &error),
            -1);
  CHECK(strstr(error.text, ": cannot be created: File exists"));
}

int main(void) {
  return RECORDING_TESTS(
      {"random histories come back", random_histories_come_back},
      {"a long history comes back", a_long_history_comes_back},
      {"an empty recording is a history", an_empty_recording_is_a_history},
      {"many sessions fit", many_sessions_fit},
      {"refused writes are apart", refused_writes_are_apart},
      {"times count from the start", times_count_from_the_start},
      {"long transactions and lists fit", long_transactions_and_lists_fit},
      {"endpoints are kept", endpoints_are_kept},
      {"monotonous histories fit", monotonous_histories_fit},
      {"threads record side by side", threads_record_side_by_side},
      {"what cannot be created is said", what_can_not_be_created_is_said});
}
