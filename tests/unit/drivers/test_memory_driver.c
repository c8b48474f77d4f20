// SPDX-License-Identifier: GPL-3.0-or-later
// The memory driver: its options, its slots, its threads and its memory.  What
// it promises of isolation is in test_memory_levels.c.
#include "config.h"

#include "base/memory.h"
#include "drivers/memory/commits.h"
#include "drivers/memory/store.h"
#include "tests/kit/memory_load.h"
#include "tests/tap.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

// --- Options.

static void bad_options_are_named(void) {
  static const struct {
    const char *place, *values[7], *wanted;
  } bad[] = {
      {"",
       {"LostUpdat"},
       "memory: cannot show a bug 'LostUpdat'; did you mean LostUpdate?"},
      {"",
       {"xyzzy:0.5"},
       "memory: cannot show a bug 'xyzzy'; `isostress list bugs` lists the "
       "bugs"},
      {"",
       {"LostUpdate:0"},
       "the probability of a bug must be a number above "
       "0 up to 1, not '0'"},
      {"",
       {"LostUpdate:1.5"},
       "the probability of a bug must be a number "
       "above 0 up to 1, not '1.5'"},
      {"",
       {"LostUpdate:"},
       "the probability of a bug must be a number above "
       "0 up to 1, not ''"},
      {"", {NULL, "2"}, "stale must be a number from 0 up to 1, not '2'"},
      {"", {NULL, "nan"}, "stale must be a number from 0 up to 1, not 'nan'"},
      {"",
       {NULL, NULL, "-1"},
       "lag must be a number from 0 up to 10000, not '-1'"},
      {"", {NULL, NULL, "1.5"}, "lag must be a whole number, not '1.5'"},
      {"",
       {NULL, NULL, NULL, "x"},
       "abort must be a number from 0 up to 1, not 'x'"},
      {"",
       {NULL, NULL, NULL, NULL, "1e"},
       "unknown must be a number from 0 up to 1, not '1e'"},
      {"",
       {NULL, NULL, NULL, NULL, NULL, "2"},
       "lose must be a number from 0 up to 1, not '2'"},
      {"",
       {NULL, NULL, NULL, NULL, NULL, NULL, "2"},
       "full=2 is not possible; it can be 0, 1"},
      {"/tmp/x",
       {NULL},
       "memory: is inside this program and has no place '/tmp/x'; write "
       "memory: or memory:?bug=LostUpdate"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const struct target_spec spec = {
        .place = bad[i].place, .values = bad[i].values, .nsessions = 1};
    struct target *target;
    struct error error = {0};
    CHECK_INT(memory_driver.open(&spec, &target, &error), -1);
    CHECK_STR(error.text, bad[i].wanted);
  }
}

static void a_target_describes_itself(void) {
  static const struct {
    struct load_options options;
    const char *wanted;
  } good[] = {
      {{.bug = NULL}, "in-process store"},
      {{.bug = "lostupdate:0.02"}, "in-process store, bug=LostUpdate:0.02"},
      {{.bug = "WRITESKEW"}, "in-process store, bug=WriteSkew:1"},
      {{.abort = "0.5", .unknown = "1"},
       "in-process store, abort=0.5, unknown=1"},
      {{.lose = "0.25"}, "in-process store, lose=0.25"},
  };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    struct load_options options = good[i].options;
    options.nsessions = 1;
    struct target *target = load_target(&options);
    char text[64], cut[8];
    memory_driver.describe(target, text, sizeof text);
    CHECK_STR(text, good[i].wanted);
    memory_driver.describe(target, cut, sizeof cut);
    CHECK_INT(strncmp(cut, text, sizeof cut - 1), 0);
    memory_driver.close(target);
  }
}

// --- Slots.

static struct connection *connect_to(struct target *target, uint32_t session) {
  struct connection *connection = NULL;
  struct error error = {0};
  CHECK_INT(memory_driver.connect(target, session, &connection, &error), 0);
  return connection;
}

static void begin(struct connection *connection) {
  CHECK_INT(memory_driver.begin(connection, memory_driver.levels), OUTCOME_OK);
}

static uint64_t get(struct connection *connection, uint64_t key) {
  uint64_t value = 99;
  CHECK_INT(memory_driver.get(connection, key, &value), OUTCOME_OK);
  return value;
}

static void a_session_that_was_not_announced_is_refused(void) {
  struct target *target = load_target(&(struct load_options){.nsessions = 2});
  struct connection *connection;
  struct error error = {0};
  CHECK_INT(memory_driver.connect(target, 2, &connection, &error), -1);
  CHECK_STR(error.text,
            "memory: was opened for 2 sessions; there is no session 2");
  memory_driver.close(target);
}

static void writes_are_seen_inside_and_after_commit_outside(void) {
  struct target *target =
      load_target(&(struct load_options){.nsessions = 2, .stale = "0"});
  struct connection *a = connect_to(target, 0), *b = connect_to(target, 1);
  begin(a);
  CHECK_INT(get(a, 7), VALUE_INITIAL);
  memory_driver.put(a, 7, 1);
  memory_driver.put(a, 7, 2);
  CHECK_INT(get(a, 7), 2);
  begin(b);
  CHECK_INT(get(b, 7), VALUE_INITIAL);
  CHECK_INT(memory_driver.commit(a), OUTCOME_OK);
  CHECK_INT(get(b, 7), VALUE_INITIAL);
  CHECK_INT(memory_driver.commit(b), OUTCOME_OK);
  begin(b);
  CHECK_INT(get(b, 7), 2);
  memory_driver.put(b, 7, 3);
  CHECK_INT(memory_driver.rollback(b), OUTCOME_OK);
  begin(b);
  CHECK_INT(get(b, 7), 2);
  memory_driver.disconnect(b); // in the middle of a transaction
  memory_driver.disconnect(a);
  memory_driver.close(target);
}

static void lists_grow_at_the_end(void) {
  struct target *target =
      load_target(&(struct load_options){.nsessions = 1, .lists = true});
  struct connection *c = connect_to(target, 0);
  struct value_list list = {0};
  begin(c);
  memory_driver.append(c, 3, 11);
  memory_driver.append(c, 3, 12);
  memory_driver.get_list(c, 3, &list);
  CHECK(list.count == 2 && list.values[0] == 11 && list.values[1] == 12);
  CHECK_INT(memory_driver.commit(c), OUTCOME_OK);
  list.count = 0;
  begin(c);
  memory_driver.append(c, 3, 13);
  memory_driver.get_list(c, 3, &list);
  CHECK(list.count == 3 && list.values[0] == 11 && list.values[2] == 13);
  list.count = 0;
  memory_driver.get_list(c, 4, &list);
  CHECK_INT(list.count, 0);
  CHECK_INT(memory_driver.commit(c), OUTCOME_OK);
  value_list_free(&list);
  memory_driver.disconnect(c);
  memory_driver.close(target);
}

static void compare_and_set_sets_if_equal(void) {
  struct target *target = load_target(&(struct load_options){.nsessions = 1});
  struct connection *c = connect_to(target, 0);
  uint64_t found = 99;
  begin(c);
  memory_driver.cas(c, 5, VALUE_INITIAL, 1, &found);
  CHECK_INT(found, VALUE_INITIAL);
  memory_driver.cas(c, 5, VALUE_INITIAL, 2, &found);
  CHECK_INT(found, 1);
  CHECK_INT(memory_driver.commit(c), OUTCOME_OK);
  begin(c);
  memory_driver.cas(c, 5, 1, 3, &found);
  CHECK_INT(found, 1);
  CHECK_INT(get(c, 5), 3);
  CHECK_INT(memory_driver.commit(c), OUTCOME_OK);
  memory_driver.disconnect(c);
  memory_driver.close(target);
}

// Two transactions read and write one key; the second one to commit at `level`.
static void conflict(enum isolation level, enum cause *cause, char *code) {
  struct target *target =
      load_target(&(struct load_options){.nsessions = 2, .stale = "0"});
  struct connection *a = connect_to(target, 0), *b = connect_to(target, 1);
  const struct driver_level *l = memory_driver.levels;
  while (l->claimed != level)
    l++;
  memory_driver.begin(a, l);
  memory_driver.begin(b, l);
  get(a, 1);
  get(b, 1);
  memory_driver.put(a, 1, 10);
  memory_driver.put(b, 1, 20);
  CHECK_INT(memory_driver.commit(a), OUTCOME_OK);
  CHECK_INT(memory_driver.commit(b), OUTCOME_ABORTED);
  CHECK(b->text[0] && !b->broken);
  *cause = b->cause;
  strcpy(code, b->code);
  memory_driver.begin(b, l);
  CHECK_INT(get(b, 1), 10);
  memory_driver.disconnect(a);
  memory_driver.disconnect(b);
  memory_driver.close(target);
}

static void the_second_committer_is_told_why(void) {
  enum cause cause;
  char code[sizeof((struct connection *)0)->code];
  conflict(ISOLATION_SI, &cause, code);
  CHECK_INT(cause, CAUSE_WRITE_CONFLICT);
  CHECK_STR(code, "write-conflict");
  conflict(ISOLATION_SER, &cause, code);
  CHECK_INT(cause, CAUSE_SERIALIZATION);
  CHECK_STR(code, "serialization");
}

// --- Loads.

static bool same_txn(const struct load_txn *a, const struct load_txn *b) {
  bool same = a->session == b->session && a->outcome == b->outcome &&
              a->nops == b->nops;
  for (uint32_t i = 0; same && i < a->nops; i++)
    same = a->ops[i].kind == b->ops[i].kind && a->ops[i].key == b->ops[i].key &&
           a->ops[i].value == b->ops[i].value;
  return same;
}

static bool same_load(const struct load *a, const struct load *b) {
  bool same = a->ntxns == b->ntxns;
  for (uint32_t t = 0; same && t < a->ntxns; t++)
    same = same_txn(&a->txns[t], &b->txns[t]);
  return same;
}

static void the_seed_decides_everything(void) {
  for (int level = ISOLATION_RC; level <= ISOLATION_SSER; level++) {
    struct load_options options = {.level = (enum isolation)level,
                                   .bug = "AbortedRead",
                                   .unknown = "0.1",
                                   .nsessions = 5,
                                   .ntxns = 100,
                                   .nkeys = 5};
    struct load one = load_run(&options), two = load_run(&options);
    CHECK(same_load(&one, &two));
    load_free(&two);
    options.seed++;
    two = load_run(&options);
    CHECK(!same_load(&one, &two));
    load_free(&one);
    load_free(&two);
  }
}

static uint32_t count_outcome(const struct load *load, enum outcome outcome) {
  uint32_t count = 0;
  for (uint32_t t = 0; t < load->ntxns; t++)
    count += load->txns[t].outcome == outcome;
  return count;
}

static void commits_are_refused_as_often_as_asked(void) {
  const struct load_options options = {.level = ISOLATION_PC,
                                       .abort = "0.25",
                                       .nsessions = 4,
                                       .ntxns = 1000,
                                       .nkeys = 10};
  struct load load = load_run(&options);
  const uint32_t aborted = count_outcome(&load, OUTCOME_ABORTED);
  CHECK(aborted > 850 && aborted < 1150);
  load_free(&load);
}

static bool was_seen(const struct load *load, const struct load_op *write) {
  for (uint32_t t = 0; t < load->ntxns; t++)
    for (uint32_t i = 0; i < load->txns[t].nops; i++)
      if (load->txns[t].outcome == OUTCOME_OK &&
          load->txns[t].ops[i].kind == OP_READ &&
          load->txns[t].ops[i].value == write->value)
        return true;
  return false;
}

static void lost_answers_hide_both_outcomes(void) {
  const struct load_options options = {.level = ISOLATION_SER,
                                       .unknown = "0.25",
                                       .nsessions = 4,
                                       .ntxns = 500,
                                       .nkeys = 2,
                                       .mini = true};
  struct load load = load_run(&options);
  const uint32_t unknown = count_outcome(&load, OUTCOME_UNKNOWN);
  CHECK(unknown > 400 && unknown < 600);
  uint32_t seen = 0, writers = 0;
  for (uint32_t t = 0; t < load.ntxns; t++) {
    const struct load_txn *txn = &load.txns[t];
    const struct load_op *last = &txn->ops[txn->nops - 1];
    if (txn->outcome == OUTCOME_UNKNOWN && last->kind == OP_WRITE) {
      writers++;
      seen += was_seen(&load, last);
    }
  }
  CHECK(seen > 0 && seen < writers * 3 / 4);
  load_free(&load);
}

// --- Memory.

struct versions_test {
  struct store *store;
  struct commits *commits;
  uint64_t past[STORE_SITES];
};

static void commit_to(struct versions_test *t, uint64_t key, uint64_t times) {
  for (uint64_t i = 0; i < times; i++) {
    uint64_t horizon, overwritten;
    commits_lock(t->commits);
    const uint64_t seq = commits_next(t->commits, &horizon);
    const struct version version = {seq, seq, 0};
    store_put(t->store, key, &version, horizon, &overwritten);
    commits_publish(t->commits, 0, t->past);
    commits_unlock(t->commits);
  }
}

static uint32_t versions_of(const struct versions_test *t, uint64_t key) {
  struct version_window window = {0};
  store_window(t->store, key, 0, &window);
  free(window.items);
  return window.count;
}

static void old_versions_are_forgotten(void) {
  struct versions_test t = {.store = store_open()};
  t.commits = commits_open(t.store, 2, 16);
  commit_to(&t, 1, 100000);
  CHECK(versions_of(&t, 1) <= 64);
  commits_lock(t.commits);
  const uint64_t floor = commits_oldest(t.commits, 16);
  commits_enter(t.commits, 1, floor);
  commits_unlock(t.commits);
  commit_to(&t, 1, 1000);
  CHECK(versions_of(&t, 1) >= 1000);
  uint64_t bound[STORE_SITES];
  for (int i = 0; i < STORE_SITES; i++)
    bound[i] = floor;
  CHECK_INT(store_visible(t.store, 1, bound).seq, floor);
  commits_leave(t.commits, 1);
  commit_to(&t, 1, 10000);
  CHECK_INT(store_newest(t.store, 1).seq, 111000);
  CHECK(versions_of(&t, 1) <= 2100); // the room that was needed stays
  commits_close(t.commits);
  store_close(t.store);
}

static void many_keys_find_their_versions(void) {
  struct versions_test t = {.store = store_open()};
  t.commits = commits_open(t.store, 1, 4);
  const uint64_t stride = UINT64_C(0x100000001), n = 300000;
  for (uint64_t k = 0; k < n; k++)
    commit_to(&t, k * stride, 1);
  uint64_t wrong = 0;
  for (uint64_t k = 0; k < n; k++)
    wrong += store_newest(t.store, k * stride).value != k + 1;
  CHECK_INT(wrong, 0);
  CHECK_INT(store_newest(t.store, n * stride).seq, 0);
  commits_close(t.commits);
  store_close(t.store);
}

// --- Threads.

enum { NTHREADS = 4, NTXNS = 2000, NKEYS = 4 };

struct worker {
  struct target *target;
  const struct driver_level *level;
  uint32_t session;
  uint64_t overwritten[NTXNS]; // by committed read-modify-writes
  uint32_t ncommitted;
};

// Reads another key, then reads and writes one.
static void *work(void *argument) {
  struct worker *w = argument;
  struct connection *c = connect_to(w->target, w->session);
  for (uint32_t t = 0; t < NTXNS; t++) {
    const uint64_t key = (t * 7 + w->session) % NKEYS;
    memory_driver.begin(c, w->level);
    get(c, (key + 1) % NKEYS);
    w->overwritten[w->ncommitted] = get(c, key) << 3 | key;
    sched_yield(); // so that transactions overlap
    memory_driver.put(c, key, value_of_write(w->session, t));
    w->ncommitted += memory_driver.commit(c) == OUTCOME_OK;
  }
  memory_driver.disconnect(c);
  return NULL;
}

static int by_value(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static uint32_t updates_lost(const struct worker *workers) {
  uint64_t *all = xmalloc(NTHREADS * NTXNS * sizeof *all);
  uint32_t n = 0, lost = 0;
  for (int i = 0; i < NTHREADS; i++)
    for (uint32_t t = 0; t < workers[i].ncommitted; t++)
      all[n++] = workers[i].overwritten[t];
  qsort(all, n, sizeof *all, by_value);
  for (uint32_t i = 1; i < n; i++)
    lost += all[i] == all[i - 1];
  free(all);
  return lost;
}

static uint32_t updates_lost_by_threads(const struct driver_level *level,
                                        const char *bug) {
  static struct worker workers[NTHREADS];
  struct target *target =
      load_target(&(struct load_options){.bug = bug, .nsessions = NTHREADS});
  pthread_t threads[NTHREADS];
  for (uint32_t i = 0; i < NTHREADS; i++) {
    workers[i] =
        (struct worker){.target = target, .level = level, .session = i};
    pthread_create(&threads[i], NULL, work, &workers[i]);
  }
  for (int i = 0; i < NTHREADS; i++)
    pthread_join(threads[i], NULL);
  memory_driver.close(target);
  return updates_lost(workers);
}

static void threads_lose_no_updates_at_si_and_above(void) {
  for (const struct driver_level *l = memory_driver.levels; l->name; l++) {
    const uint32_t lost = updates_lost_by_threads(l, NULL);
    CHECK(lost == 0 || !isolation_implies(l->claimed, ISOLATION_SI));
  }
}

static void threads_and_bugs_get_along(void) {
  static const struct {
    const char *bug;
    bool loses_updates; // or shows a value that looks like it
  } bugs[] = {
      {"ThinAirRead", true},         {"AbortedRead", true},
      {"FutureRead", true},          {"NotMyLastWrite", false},
      {"NotMyOwnWrite", false},      {"IntermediateRead", false},
      {"NonRepeatableReads", false}, {"SessionGuaranteeViolation", false},
      {"NonMonotonicRead", false},   {"FracturedRead", false},
      {"CausalityViolation", false}, {"LongFork", false},
      {"LostUpdate", true},          {"WriteSkew", false}};
  for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++)
    CHECK(updates_lost_by_threads(memory_driver.levels, bugs[i].bug) == 0 ||
          bugs[i].loses_updates);
}

int main(void) {
  return TAP_RUN(
      {"bad options are named", bad_options_are_named},
      {"a target describes itself", a_target_describes_itself},
      {"a session that was not announced is refused",
       a_session_that_was_not_announced_is_refused},
      {"writes are seen inside, and outside after commit",
       writes_are_seen_inside_and_after_commit_outside},
      {"lists grow at the end", lists_grow_at_the_end},
      {"compare-and-set sets if equal", compare_and_set_sets_if_equal},
      {"the second committer is told why", the_second_committer_is_told_why},
      {"the seed decides everything", the_seed_decides_everything},
      {"commits are refused as often as asked",
       commits_are_refused_as_often_as_asked},
      {"lost answers hide both outcomes", lost_answers_hide_both_outcomes},
      {"old versions are forgotten", old_versions_are_forgotten},
      {"many keys find their versions", many_keys_find_their_versions},
      {"threads lose no updates at SI and above",
       threads_lose_no_updates_at_si_and_above},
      {"threads and bugs get along", threads_and_bugs_get_along});
}
