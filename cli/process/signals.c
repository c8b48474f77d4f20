// SPDX-License-Identifier: GPL-3.0-or-later
// Signal handlers (cli/process/signals.h).  A handler has no argument, so here,
// and nowhere else, are variables that belong to the whole process.
#include "config.h"

#include "cli/process/signals.h"

#include "base/clock.h"
#include "cli/status.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t leaving;  // the first signal ends the process
static volatile sig_atomic_t stopped;  // signals so far
static volatile sig_atomic_t checking; // a check is going on
static volatile bool give_up;          // it should end
static volatile uint64_t first_at;     // ns, as clock_now: the first signal
static pid_t speaker;                  // who says what signals do

// timeout(1) signals a command, and then all of its process group: that is one
// wish to stop.
enum { SAME_SIGNAL = 200000000 }; // ns

static void say_on_signal(const char *sentence) {
  ssize_t written = write(STDERR_FILENO, sentence, strlen(sentence));
  (void)written; // nothing can be done about it in a handler
}

// The flags are read by other threads, and errno belongs to whom the signal
// interrupted.
static void take_signal(int number) {
  int interrupted = errno;
  const bool speaks = getpid() == speaker;
  if (leaving) {
    say_on_signal(
        "\nisostress: interrupted before all that was asked for was done\n");
    _exit(STATUS_UNDECIDED);
  }
  if (stopped && clock_now() - first_at < SAME_SIGNAL)
    return;
  if (stopped && speaks)
    _exit(128 + number);
  if (!stopped)
    first_at = clock_now();
  __atomic_store_n(&stopped, 1, __ATOMIC_RELAXED);
  if (checking)
    __atomic_store_n(&give_up, true, __ATOMIC_RELAXED);
  if (speaks)
    say_on_signal(
        checking
            ? "\nisostress: giving up the check (once more: leave at once)\n"
            : "\nisostress: stopping in good order (once more: leave at "
              "once)\n");
  errno = interrupted;
}

static void take_alarm(int number) {
  (void)number;
  if (checking)
    __atomic_store_n(&give_up, true, __ATOMIC_RELAXED);
}

static void catch (int number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

static bool is_ignored(int number) {
  struct sigaction action;
  return !sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN;
}

static void catch_all(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (numbers[i] != SIGHUP || !is_ignored(SIGHUP)) // nohup means it
      catch (numbers[i], take_signal);
}

void signals_leave(void) {
  leaving = 1;
  catch_all();
}

void signals_catch(void) {
  speaker = getpid();
  leaving = 0;
  catch_all();
  catch (SIGALRM, take_alarm);
}

void signals_end_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }

const volatile sig_atomic_t *signals_stop(void) { return &stopped; }

static void set_alarm(uint64_t ns) {
  struct itimerval timer = {
      .it_value = {.tv_sec = (time_t)(ns / 1000000000),
                   .tv_usec = (suseconds_t)(ns % 1000000000 / 1000)}};
  if (ns && ns < 1000)
    timer.it_value.tv_usec = 1; // zero would switch it off
  setitimer(ITIMER_REAL, &timer, NULL);
}

const volatile bool *signals_start_check(uint64_t limit) {
  give_up = false;
  checking = 1;
  set_alarm(limit);
  return &give_up;
}

void signals_end_check(void) {
  set_alarm(0);
  checking = 0;
}
