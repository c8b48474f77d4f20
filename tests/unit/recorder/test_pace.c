// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions wait for whoever reads along with the recording.
#include "config.h"

#include "base/clock.h"
#include "recorder/record/backpressure.h"
#include "recorder/record/session_log.h"
#include "tests/kit/recording.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

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
    session_log_keep_pace(f->session->log);
    atomic_fetch_add(&f->done, 1);
  }
  return NULL;
}

static off_t size_of_file(void) {
  struct stat st;
  CHECK_INT(stat(recording_path, &st), 0);
  return st.st_size;
}

// However long it is given, a session does not get further than the reader
// lets it: a piece that is over the limit, and one that it hands over then.
static void a_reader_is_waited_for(void) {
  enum { TOGETHER = 16, NTXNS = 4000 };
  const struct backpressure_limits limits = {
      .hand_over = NS_PER_SECOND, .transactions = TOGETHER, .bytes = 1};
  struct backpressure *backpressure = backpressure_new(&limits);
  struct recording *r = open_recording(1, false, 0);
  struct made_session m = made_session_open(5, 0, 1);
  struct follower f = {.recording = r, .session = &m, .ntxns = NTXNS};
  pthread_t thread;
  recording_follow(r, backpressure);
  backpressure_read(backpressure, (uint64_t)size_of_file(), clock_now());
  m.log = recording_session_log(r, 0);
  CHECK_INT(pthread_create(&thread, NULL, record_in_pace, &f), 0);
  for (uint32_t i = 0; i < 20; i++) {
    const unsigned before = atomic_load(&f.done);
    while (backpressure_rest(backpressure, UINT64_MAX / 2) &&
           atomic_load(&f.done) == before) // it waits from here on
      backpressure_read(backpressure, (uint64_t)size_of_file(), clock_now());
    CHECK(atomic_load(&f.done) <= before + 4 * TOGETHER);
  }
  CHECK(atomic_load(&f.done) < NTXNS);
  backpressure_end(backpressure);
  pthread_join(thread, NULL);
  CHECK_INT(atomic_load(&f.done), NTXNS);
  CHECK(backpressure_waited(backpressure) > 0 &&
        backpressure_has_ended(backpressure));
  CHECK(!backpressure_rest(backpressure, UINT64_MAX / 2));
  close_recording(r);
  backpressure_free(backpressure);
  gsl_rng_free(m.random);
  struct history h = read_back();
  CHECK_INT(h.ntxns, NTXNS);
  history_free(&h);
}

// One that takes too long is asked to leave what it is at.
static void a_reader_is_hurried(void) {
  const struct backpressure_limits limits = {
      .hand_over = 1, .transactions = 1, .lag = 1, .patience = 1};
  struct backpressure *backpressure = backpressure_new(&limits);
  struct recording *r = open_recording(1, false, 0);
  struct made_session m = made_session_open(5, 0, 1);
  struct follower f = {.recording = r, .session = &m, .ntxns = 10};
  pthread_t thread;
  recording_follow(r, backpressure);
  m.log = recording_session_log(r, 0);
  CHECK(!*backpressure_hurry(backpressure));
  CHECK_INT(pthread_create(&thread, NULL, record_in_pace, &f), 0);
  while (!__atomic_load_n(backpressure_hurry(backpressure), __ATOMIC_RELAXED))
    backpressure_rest(backpressure, clock_now() + 1000);
  CHECK(atomic_load(&f.done) < 10);
  backpressure_end(backpressure);
  pthread_join(thread, NULL);
  close_recording(r);
  backpressure_free(backpressure);
  gsl_rng_free(m.random);
}

int main(void) {
  return RECORDING_TESTS({"a reader is waited for", a_reader_is_waited_for},
                         {"a reader is hurried", a_reader_is_hurried});
}
