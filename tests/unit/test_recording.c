// SPDX-License-Identifier: GPL-3.0-or-later
// What is recorded is what is read back, whatever happened in between.
#include "config.h"

#include "base/clock.h"
#include "base/memory.h"
#include "recorder/chunk.h"
#include "recorder/tape.h"
#include "tests/history_kit.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[] = "/tmp/isostress-test-recording.XXXXXX";
static char path[64];

static struct recording *open_recording(uint32_t nsessions, bool op_times,
                                        uint64_t start) {
  struct recording *r = NULL;
  struct error error = {0};
  unlink(path);
  CHECK_INT(recording_open(path, nsessions, op_times, start, "a = 1\nb = 2\n",
                           &r, &error),
            0);
  CHECK_STR(error.text, "");
  return r;
}

static void close_recording(struct recording *r) {
  struct error error = {0};
  CHECK_INT(recording_close(r, &error), 0);
  CHECK_STR(error.text, "");
}

static struct history read_back(void) {
  struct history h;
  struct error error;
  CHECK_INT(history_read(path, NULL, &h, &error), 0);
  CHECK_STR(error.text, "");
  CHECK(h.complete && h.lost_txns == 0);
  CHECK_STR(h.about, "a = 1\nb = 2\n");
  return h;
}

static struct history finish(struct builder *b) {
  struct history h;
  struct error error = {0};
  CHECK_INT(builder_finish(b, &h, &error), 0);
  CHECK_STR(error.text, "");
  return h;
}

// Records sessions whose transactions interleave at random, and compares.
static void check_round_trip(uint64_t seed, uint32_t nsessions, uint32_t ntxns,
                             bool op_times, uint64_t key_stride) {
  struct made_session sessions[8];
  struct builder *b = builder_open();
  struct recording *r = open_recording(nsessions, op_times, 0);
  for (uint32_t s = 0; s < nsessions; s++) {
    sessions[s] = made_session_open(seed, s, nsessions);
    sessions[s].builder = b;
    sessions[s].tape = recording_tape(r, s);
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

// More sessions than anybody has threads for, so written without tapes.
static void many_sessions_fit(void) {
  enum { MANY = 1 << 20 };
  struct encoder encoder = {0};
  unsigned char header[FILE_HEADER_BYTES];
  uint64_t *none = xcalloc(MANY, sizeof *none);
  FILE *file = fopen(path, "w");
  file_header_store(header, MANY);
  fwrite(header, 1, sizeof header, file);
  size_t bytes = encode_about(&encoder, "a = 1\nb = 2\n", MANY);
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
  struct tape *tape = recording_tape(r, 0);
  tape_begin(tape, ISOLATION_SI, 990);
  tape_end(tape, OUTCOME_OK, CAUSE_NONE, 1010);
  tape_begin(tape, ISOLATION_SI, 1005);
  tape_end(tape, OUTCOME_OK, CAUSE_NONE, 5000000000);
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
  struct tape *tape = recording_tape(r, 0);
  tape_begin(tape, ISOLATION_SI, 1);
  tape_op(tape, OP_READ, 1, VALUE_INITIAL, 1, 2);
  tape_end(tape, OUTCOME_OK, CAUSE_NONE, 2);
  tape_begin(tape, ISOLATION_SER, 5);
  tape_op(tape, OP_READ, 1, VALUE_INITIAL, 10, 11);
  for (uint32_t i = 0; i < 4; i++)
    tape_op(tape, OP_WRITE, i, value_of_write(0, i), 20 + 10 * i, 22 + 10 * i);
  tape_op(tape, OP_READ, 3, value_of_write(0, 3), 60, 63);
  tape_end_in_parts(tape, refused, CAUSE_CONSTRAINT, 90);
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

// Over several pieces of tape, one transaction moving from one to the next;
// session 1 knows of no endpoints.
static void endpoints_are_kept(void) {
  enum { NTXNS = 40, NOPS = 1000 };
  struct recording *r = open_recording(2, false, 0);
  for (uint32_t session = 0; session < 2; session++) {
    struct tape *tape = recording_tape(r, session);
    for (uint32_t t = 0; t < NTXNS; t++) {
      tape_begin(tape, ISOLATION_SER, t);
      if (!session)
        tape_endpoint(tape, t % 3);
      for (int i = 0; i < NOPS; i++)
        tape_op(tape, OP_READ, 0, 0, 0, 0);
      tape_end(tape, OUTCOME_OK, CAUSE_NONE, t);
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

// A transaction and a list that are longer than a piece of tape, with shorter
// ones before and behind.
static void long_transactions_and_lists_fit(void) {
  enum { NOPS = 50000, NELEMENTS = 70000 };
  struct recording *r = open_recording(1, true, 0);
  struct builder *b = builder_open();
  struct made_session m = made_session_open(5, 0, 1);
  struct value_list list = {0};
  m.builder = b;
  m.tape = recording_tape(r, 0);
  for (uint32_t i = 0; i < NELEMENTS; i++)
    value_list_push(&list, value_of_write(0, i % 7));
  for (int round = 0; round < 3; round++) {
    make_transaction(&m);
    uint64_t begin = m.now, at = begin + 1;
    builder_txn(b, 0, OUTCOME_OK, ISOLATION_SER, begin, at + NOPS * OP_NS);
    tape_begin(m.tape, ISOLATION_SER, begin);
    for (uint64_t i = 0; i < NOPS; i++, at += OP_NS) {
      builder_op(b, OP_READ, i, 0);
      tape_op(m.tape, OP_READ, i, 0, at, at + 5);
    }
    builder_list(b, 3, list.values, list.count);
    tape_list(m.tape, 3, &list, at, at + 5);
    tape_end(m.tape, OUTCOME_OK, CAUSE_NONE, at);
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
  struct tape *tape = recording_tape(r, 0);
  struct builder *b = builder_open();
  for (int t = 0; t < 200; t++) {
    builder_txn(b, 0, OUTCOME_OK, ISOLATION_SER, 0, 0);
    tape_begin(tape, ISOLATION_SER, 0);
    for (int i = 0; i < 1000; i++) {
      builder_op(b, OP_READ, 0, 0);
      tape_op(tape, OP_READ, 0, 0, 0, 0);
    }
    tape_end(tape, OUTCOME_OK, CAUSE_NONE, 0);
  }
  close_recording(r);
  struct stat st;
  CHECK(stat(path, &st) == 0 && st.st_size < 20000);
  struct history told = finish(b), read = read_back();
  check_same_history(&told, &read);
  history_free(&told);
  history_free(&read);
}

enum { NTHREADS = 4 };

// What two sessions did, told to a builder and recorded.
struct told {
  struct builder *builder;
  struct recording *recording;
  struct tape *tape;
  uint64_t now;
};

static void tell_txn(struct told *t, uint32_t session) {
  if (t->tape)
    tape_end(t->tape, OUTCOME_OK, CAUSE_NONE, t->now + 50);
  t->now += 100;
  t->tape = recording_tape(t->recording, session);
  tape_begin(t->tape, ISOLATION_SER, t->now);
  builder_txn(t->builder, session, OUTCOME_OK, ISOLATION_SER, t->now,
              t->now + 50);
}

static void tell_op(const struct told *t, enum op_kind kind, uint64_t key,
                    uint64_t value) {
  builder_op(t->builder, kind, key, value);
  tape_op(t->tape, kind, key, value, 0, 0);
}

static void tell_list(const struct told *t, uint64_t key, uint32_t n,
                      uint64_t *values) {
  const struct value_list list = {.values = values, .count = n};
  builder_list(t->builder, key, values, n);
  tape_list(t->tape, key, &list, 0, 0);
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
  tape_cas(t->tape, 3, value_of_write(0, 103), value_of_write(0, 104), 0, 0);
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
  tape_end(t->tape, OUTCOME_OK, CAUSE_NONE, t->now + 50);
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
    sessions[s].tape = recording_tape(r, s);
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

// Checks that every session of `read`, of which the end may be lost, has the
// first transactions that the made-up sessions of this seed have.
static void check_salvaged(uint64_t seed, const struct history *read) {
  struct builder *b = builder_open();
  CHECK(history_is_sound(read));
  for (uint32_t s = 0; s < read->nsessions; s++) {
    struct made_session m = made_session_open(seed, s, read->nsessions);
    m.builder = b;
    for (uint32_t t = read->session_first[s]; t < read->session_first[s + 1];
         t++)
      make_transaction(&m);
    gsl_rng_free(m.random);
  }
  struct history told = finish(b);
  uint32_t different = 0;
  for (uint32_t t = 0; t < told.ntxns; t++)
    different += !same_transaction(&told, t, read, t, true);
  CHECK_INT(different, 0);
  history_free(&told);
}

// Records without an end; counts what it has recorded where the parent sees it.
static void record_for_ever(uint64_t seed, atomic_uint *recorded) {
  struct made_session sessions[NTHREADS];
  struct recording *r = open_recording(NTHREADS, false, 0);
  for (uint32_t s = 0; s < NTHREADS; s++) {
    sessions[s] = made_session_open(seed, s, NTHREADS);
    sessions[s].tape = recording_tape(r, s);
  }
  for (uint32_t s = 0;; s = (s + 1) % NTHREADS) {
    make_transaction(&sessions[s]);
    atomic_fetch_add(&recorded[s], 1);
  }
}

// What two pieces of tape hold: that much may be on its way to the file.
enum { UNWRITTEN_MAX = 2 * 4096 + 1 };

static void check_killed_file(uint64_t seed, atomic_uint *recorded) {
  struct history h;
  struct error error;
  struct stat st;
  if (stat(path, &st) || st.st_size < 32)
    return; // killed before the header was written
  CHECK_INT(history_read(path, NULL, &h, &error), 0);
  CHECK(!h.complete);
  CHECK(strstr(error.text, "was not closed") ||
        strstr(error.text, "is cut off"));
  for (uint32_t s = 0; s < h.nsessions; s++) {
    uint32_t n = h.session_first[s + 1] - h.session_first[s];
    CHECK(n <= atomic_load(&recorded[s]) + 1);
    CHECK(n + UNWRITTEN_MAX >= atomic_load(&recorded[s]));
  }
  check_salvaged(seed, &h);
  history_free(&h);
}

static void a_killed_recording_opens(void) {
  gsl_rng *random = random_stream(1, 0, RANDOM_TEST);
  atomic_uint *recorded = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(recorded != MAP_FAILED);
  for (uint64_t seed = 0; seed < 12; seed++) {
    unlink(path);
    memset(recorded, 0, 4096);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
      record_for_ever(seed, recorded);
    usleep((useconds_t)(1000 + gsl_rng_get(random) % 80000));
    CHECK(kill(child, SIGKILL) == 0);
    CHECK(waitpid(child, NULL, 0) == child);
    check_killed_file(seed, recorded);
  }
  munmap(recorded, 4096);
  gsl_rng_free(random);
}

// In a process of its own, whose files can not grow beyond a limit: the status
// says what went wrong.
static int record_to_a_full_disk(void) {
  struct rlimit limit = {.rlim_cur = 300000, .rlim_max = 300000};
  struct made_session m = made_session_open(3, 0, 1);
  struct recording *r = open_recording(1, false, 0);
  struct error error = {0};
  if (setrlimit(RLIMIT_FSIZE, &limit))
    return 2;
  m.tape = recording_tape(r, 0);
  for (int i = 0; i < 200000; i++)
    make_transaction(&m);
  gsl_rng_free(m.random);
  if (!recording_failed(r))
    return 3;
  if (recording_close(r, &error) != -1)
    return 4;
  return strstr(error.text, "can not be written: File too large; it holds the "
                            "first ") != NULL
             ? 0
             : 5;
}

static void a_full_disk_keeps_what_fits(void) {
  int status = -1;
  fflush(stdout);
  unlink(path);
  pid_t child = fork();
  if (child == 0)
    _exit(record_to_a_full_disk());
  CHECK(waitpid(child, &status, 0) == child);
  CHECK_INT(status, 0);
  struct history h;
  struct error error;
  CHECK_INT(history_read(path, NULL, &h, &error), 0);
  CHECK(!h.complete && h.ntxns > 1000);
  CHECK(strstr(error.text, "was not closed, its end is missing"));
  check_salvaged(3, &h);
  history_free(&h);
}

static void what_can_not_be_created_is_said(void) {
  struct recording *r;
  struct error error;
  CHECK_INT(recording_open("/nonexistent/x", 1, false, 0, "", &r, &error), -1);
  CHECK_STR(error.text,
            "/nonexistent/x: can not be created: No such file or directory");
  close_recording(open_recording(1, false, 0));
  CHECK_INT(recording_open(path, 1, false, 0, "", &r, &error), -1);
  CHECK(strstr(error.text, ": can not be created: File exists"));
}

// Somebody who reads along and does not get on.
struct follower {
  struct recording *recording;
  struct made_session *session;
  uint32_t ntxns;
  atomic_uint done;
};

static void *record_in_pace(void *argument) {
  struct follower *f = argument;
  for (uint32_t i = 0; i < f->ntxns; i++) {
    make_transaction(f->session);
    tape_keep_pace(f->session->tape);
    atomic_fetch_add(&f->done, 1);
  }
  return NULL;
}

static off_t size_of_file(void) {
  struct stat st;
  CHECK_INT(stat(path, &st), 0);
  return st.st_size;
}

// However long it is given, a session does not get further than the reader
// lets it: a piece that is over the limit, and one that it hands over then.
static void a_reader_is_waited_for(void) {
  enum { TOGETHER = 16, NTXNS = 4000 };
  const struct pace_limits limits = {
      .hand_over = NS_PER_SECOND, .transactions = TOGETHER, .bytes = 1};
  struct pace *pace = pace_new(&limits);
  struct recording *r = open_recording(1, false, 0);
  struct made_session m = made_session_open(5, 0, 1);
  struct follower f = {.recording = r, .session = &m, .ntxns = NTXNS};
  pthread_t thread;
  recording_follow(r, pace);
  pace_read(pace, (uint64_t)size_of_file(), clock_now());
  m.tape = recording_tape(r, 0);
  CHECK_INT(pthread_create(&thread, NULL, record_in_pace, &f), 0);
  for (uint32_t i = 0; i < 20; i++) {
    const unsigned before = atomic_load(&f.done);
    while (pace_rest(pace, UINT64_MAX / 2) &&
           atomic_load(&f.done) == before) // it waits from here on
      pace_read(pace, (uint64_t)size_of_file(), clock_now());
    CHECK(atomic_load(&f.done) <= before + 4 * TOGETHER);
  }
  CHECK(atomic_load(&f.done) < NTXNS);
  pace_end(pace);
  pthread_join(thread, NULL);
  CHECK_INT(atomic_load(&f.done), NTXNS);
  CHECK(pace_waited(pace) > 0 && pace_has_ended(pace));
  CHECK(!pace_rest(pace, UINT64_MAX / 2));
  close_recording(r);
  pace_free(pace);
  gsl_rng_free(m.random);
  struct history h = read_back();
  CHECK_INT(h.ntxns, NTXNS);
  history_free(&h);
}

// One that takes too long is asked to leave what it is at.
static void a_reader_is_hurried(void) {
  const struct pace_limits limits = {
      .hand_over = 1, .transactions = 1, .lag = 1, .patience = 1};
  struct pace *pace = pace_new(&limits);
  struct recording *r = open_recording(1, false, 0);
  struct made_session m = made_session_open(5, 0, 1);
  struct follower f = {.recording = r, .session = &m, .ntxns = 10};
  pthread_t thread;
  recording_follow(r, pace);
  m.tape = recording_tape(r, 0);
  CHECK(!*pace_hurry(pace));
  CHECK_INT(pthread_create(&thread, NULL, record_in_pace, &f), 0);
  while (!__atomic_load_n(pace_hurry(pace), __ATOMIC_RELAXED))
    pace_rest(pace, clock_now() + 1000);
  CHECK(atomic_load(&f.done) < 10);
  pace_end(pace);
  pthread_join(thread, NULL);
  close_recording(r);
  pace_free(pace);
  gsl_rng_free(m.random);
}

int main(void) {
  if (!mkdtemp(directory))
    return 1;
  snprintf(path, sizeof path, "%s/history", directory);
  int status = TAP_RUN(
      {"random histories come back", random_histories_come_back},
      {"a long history comes back", a_long_history_comes_back},
      {"an empty recording is a history", an_empty_recording_is_a_history},
      {"many sessions fit", many_sessions_fit},
      {"refused writes are apart", refused_writes_are_apart},
      {"times count from the start", times_count_from_the_start},
      {"long transactions and lists fit", long_transactions_and_lists_fit},
      {"endpoints are kept", endpoints_are_kept},
      {"monotonous histories fit", monotonous_histories_fit},
      {"values are implied, or kept", values_are_implied_or_kept},
      {"threads record side by side", threads_record_side_by_side},
      {"a killed recording opens", a_killed_recording_opens},
      {"a reader is waited for", a_reader_is_waited_for},
      {"a reader is hurried", a_reader_is_hurried},
      {"a full disk keeps what fits", a_full_disk_keeps_what_fits},
      {"what can not be created is said", what_can_not_be_created_is_said});
  unlink(path);
  rmdir(directory);
  return status;
}
