// SPDX-License-Identifier: GPL-3.0-or-later
// How the sessions of a run are opened: by the threads that move them, so many
// at once.
#include "config.h"

#include "runner/crew.h"
#include "tests/tap.h"
#include "tests/unit/runner/taped.h"
// after what it uses
#include "tests/unit/runner/proposed.h"

enum { SESSIONS = 40 };

static struct {
  pthread_mutex_t mutex;
  pthread_cond_t came;
  pthread_t opener[SESSIONS];
  uint32_t now, most, all; // sessions that are, and have been, opened
  uint32_t strangers;      // transactions on a thread that is not the opener
} seen = {.mutex = PTHREAD_MUTEX_INITIALIZER, .came = PTHREAD_COND_INITIALIZER};

static void forget(void) {
  seen.now = seen.most = seen.all = seen.strangers = 0;
}

// Returns when as many have come as may be opened at once.
static void come_to_open(uint32_t session) {
  pthread_mutex_lock(&seen.mutex);
  seen.opener[session] = pthread_self();
  seen.all++;
  if (++seen.now > seen.most)
    seen.most = seen.now;
  pthread_cond_broadcast(&seen.came);
  while (seen.all < CREWS_OPENING)
    pthread_cond_wait(&seen.came, &seen.mutex);
  seen.now--;
  pthread_mutex_unlock(&seen.mutex);
}

static enum outcome is_watched(struct connection *connection, uint32_t session,
                               enum call call, uint64_t n) {
  (void)connection, (void)n;
  if (call == CALL_CONNECT)
    come_to_open(session);
  if (call == CALL_BEGIN &&
      !pthread_equal(seen.opener[session], pthread_self())) {
    pthread_mutex_lock(&seen.mutex);
    seen.strangers++;
    pthread_mutex_unlock(&seen.mutex);
  }
  return OUTCOME_OK;
}

static enum outcome refuses_all(struct connection *connection, uint32_t session,
                                enum call call, uint64_t n) {
  is_watched(connection, session, call, n);
  return call == CALL_CONNECT ? OUTCOME_ABORTED : OUTCOME_OK;
}

static void threads_open_their_sessions(void) {
  struct scripted_target target;
  struct run_figures figures;
  scripted_init(&target, &scripted_driver, is_watched);
  struct run_options options = options_for(&target, &rmw_workload, 3);
  options.workload_options.nsessions = SESSIONS;
  forget();
  run_well(&options, &figures);
  CHECK_INT(figures.all_begun, 3 * SESSIONS);
  CHECK_INT(seen.all, SESSIONS);
  CHECK_INT(seen.most, CREWS_OPENING);
  CHECK_INT(seen.strangers, 0);
  run_figures_free(&figures);
  scripted_fini(&target);
}

static void after_a_refusal_no_more_are_opened(void) {
  struct scripted_target target;
  struct run_figures figures;
  struct error error;
  unsigned session;
  char rest[80] = "";
  scripted_init(&target, &scripted_driver, refuses_all);
  struct run_options options = options_for(&target, &rmw_workload, 3);
  options.workload_options.nsessions = SESSIONS;
  forget();
  CHECK_INT(run(&options, &figures, &error), -1);
  CHECK_INT(sscanf(error.text, "session %u could not %79[^\n]", &session, rest),
            2);
  CHECK(session < SESSIONS);
  CHECK_STR(rest, "connect: the script refuses");
  CHECK_INT(seen.all, CREWS_OPENING);
  CHECK_INT(target.open, 0);
  run_figures_free(&figures);
  scripted_fini(&target);
}

int main(void) {
  const int failed =
      TAP_RUN({"threads open their sessions", threads_open_their_sessions},
              {"after a refusal no more are opened",
               after_a_refusal_no_more_are_opened});
  taped_forget();
  return failed;
}
