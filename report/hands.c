// SPDX-License-Identifier: GPL-3.0-or-later
// Steps for hands (report/hands.h).
#include "config.h"

#include "report/hands.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct hands_shell shells[] = {
    {.driver = "postgresql",
     .name = "psql",
     .setup = "CREATE TABLE t (k int PRIMARY KEY, v int);",
     .list_setup = "CREATE TABLE t (k int PRIMARY KEY, v varchar(200));",
     .preload = "INSERT INTO t VALUES (%k, 0);",
     .list_preload = "INSERT INTO t VALUES (%k, '');",
     .end = "DROP TABLE t;",
     .step = {[HAND_BEGIN] = "BEGIN ISOLATION LEVEL %l;",
              [HAND_READ] = "SELECT v FROM t WHERE k = %k;",
              [HAND_WRITE] = "UPDATE t SET v = %v WHERE k = %k;",
              [HAND_APPEND] = "UPDATE t SET v = v || ' %v' WHERE k = %k;",
              [HAND_READ_LIST] = "SELECT v FROM t WHERE k = %k;",
              [HAND_COMMIT] = "COMMIT;",
              [HAND_ROLLBACK] = "ROLLBACK;"}},
    {.driver = "postgres",
     .name = "psql",
     .setup = "CREATE TABLE t (k int PRIMARY KEY, v int);",
     .list_setup = "CREATE TABLE t (k int PRIMARY KEY, v varchar(200));",
     .preload = "INSERT INTO t VALUES (%k, 0);",
     .list_preload = "INSERT INTO t VALUES (%k, '');",
     .end = "DROP TABLE t;",
     .step = {[HAND_BEGIN] = "BEGIN ISOLATION LEVEL %l;",
              [HAND_READ] = "SELECT v FROM t WHERE k = %k;",
              [HAND_WRITE] = "UPDATE t SET v = %v WHERE k = %k;",
              [HAND_APPEND] = "UPDATE t SET v = v || ' %v' WHERE k = %k;",
              [HAND_READ_LIST] = "SELECT v FROM t WHERE k = %k;",
              [HAND_COMMIT] = "COMMIT;",
              [HAND_ROLLBACK] = "ROLLBACK;"}},
    {.driver = "mysql",
     .name = "mysql",
     .setup = "CREATE TABLE t (k int PRIMARY KEY, v int) ENGINE=InnoDB;",
     .list_setup =
         "CREATE TABLE t (k int PRIMARY KEY, v varchar(200)) ENGINE=InnoDB;",
     .preload = "INSERT INTO t VALUES (%k, 0);",
     .list_preload = "INSERT INTO t VALUES (%k, '');",
     .end = "DROP TABLE t;",
     .step =
         {[HAND_BEGIN] =
              "SET SESSION TRANSACTION ISOLATION LEVEL %l;\nSTART TRANSACTION;",
          [HAND_READ] = "SELECT v FROM t WHERE k = %k;",
          [HAND_WRITE] = "UPDATE t SET v = %v WHERE k = %k;",
          [HAND_APPEND] = "UPDATE t SET v = concat(v, ' %v') WHERE k = %k;",
          [HAND_READ_LIST] = "SELECT v FROM t WHERE k = %k;",
          [HAND_COMMIT] = "COMMIT;",
          [HAND_ROLLBACK] = "ROLLBACK;"}},
    {.driver = "mariadb",
     .name = "mariadb",
     .setup = "CREATE TABLE t (k int PRIMARY KEY, v int) ENGINE=InnoDB;",
     .list_setup =
         "CREATE TABLE t (k int PRIMARY KEY, v varchar(200)) ENGINE=InnoDB;",
     .preload = "INSERT INTO t VALUES (%k, 0);",
     .list_preload = "INSERT INTO t VALUES (%k, '');",
     .end = "DROP TABLE t;",
     .step =
         {[HAND_BEGIN] =
              "SET SESSION TRANSACTION ISOLATION LEVEL %l;\nSTART TRANSACTION;",
          [HAND_READ] = "SELECT v FROM t WHERE k = %k;",
          [HAND_WRITE] = "UPDATE t SET v = %v WHERE k = %k;",
          [HAND_APPEND] = "UPDATE t SET v = concat(v, ' %v') WHERE k = %k;",
          [HAND_READ_LIST] = "SELECT v FROM t WHERE k = %k;",
          [HAND_COMMIT] = "COMMIT;",
          [HAND_ROLLBACK] = "ROLLBACK;"}},
    {.driver = "sqlite",
     .name = "sqlite3",
     .setup = "CREATE TABLE t (k int PRIMARY KEY, v int);",
     .list_setup = "CREATE TABLE t (k int PRIMARY KEY, v varchar(200));",
     .preload = "INSERT INTO t VALUES (%k, 0);",
     .list_preload = "INSERT INTO t VALUES (%k, '');",
     .end = "DROP TABLE t;",
     .step = {[HAND_BEGIN] = "BEGIN;",
              [HAND_READ] = "SELECT v FROM t WHERE k = %k;",
              [HAND_WRITE] = "UPDATE t SET v = %v WHERE k = %k;",
              [HAND_APPEND] = "UPDATE t SET v = v || ' %v' WHERE k = %k;",
              [HAND_READ_LIST] = "SELECT v FROM t WHERE k = %k;",
              [HAND_COMMIT] = "COMMIT;",
              [HAND_ROLLBACK] = "ROLLBACK;"}},
    {.driver = "redis",
     .name = "redis-cli",
     .preload = "SET t:%k 0",
     .list_preload = "DEL t:%k",
     .read_first = "WATCH t:%k",
     .before_queue = "MULTI",
     .step = {[HAND_READ] = "GET t:%k",
              [HAND_WRITE] = "SET t:%k %v",
              [HAND_APPEND] = "RPUSH t:%k %v",
              [HAND_READ_LIST] = "LRANGE t:%k 0 -1",
              [HAND_COMMIT] = "EXEC",
              [HAND_ROLLBACK] = "UNWATCH"},
     .queues = true,
     .guard = "watch"},
    {.driver = "etcd",
     .name = "etcdctl",
     .preload = "etcdctl%h put t/%k 0",
     .end = "etcdctl%h del --prefix t/",
     .before_queue = "etcdctl%h txn <<END",
     .compared_read = "etcdctl%h get t/%k -w fields%c",
     .compare = "mod(\"t/%k\") = \"REVISION\"",
     .note =
         " Where it says <b>REVISION</b>, type the <code>ModRevision</code> "
         "that the read of that key returned.",
     .lone_write = "etcdctl%h put t/%k %v",
     .step = {[HAND_READ] = "etcdctl%h get t/%k --print-value-only%c",
              [HAND_WRITE] = "put t/%k %v",
              [HAND_COMMIT] = "\n\nEND"},
     .queues = true,
     .weak = "stale",
     .weak_option = " --consistency=s",
     .host_option = " --endpoints="},
};

const struct hands_shell *hands_shell(const char *target) {
  const size_t length = strcspn(target, ":");
  for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
    if (strlen(shells[i].driver) == length &&
        !strncmp(shells[i].driver, target, length))
      return &shells[i];
  return NULL;
}

uint32_t hands_row(const struct hands *h, const char *key) {
  uint32_t i = 0;
  while (i < h->nkeys && strcmp(h->keys[i], key) != 0)
    i++;
  return i + 1;
}

int hands_value(const char *label) {
  const char *name = strrchr(label, ' ');
  name = name ? name + 1 : label;
  while (isalpha((unsigned char)*name))
    name++;
  char *end;
  if (!isdigit((unsigned char)*name))
    return -1;
  const long number = strtol(name, &end, 10);
  if (number > HANDS_MOST_TXNS || (*end && (!islower(*end) || end[1])))
    return -1;
  return (int)(*end ? 100 * number + (*end - 'a' + 1) : number);
}

// Reads of lists have no value of their own.
static bool step_of(const struct example_op *op, enum hand_step *step) {
  static const struct {
    const char *kind;
    enum hand_step step;
  } kinds[] = {{"read", HAND_READ},
               {"write", HAND_WRITE},
               {"append", HAND_APPEND},
               {"read list", HAND_READ_LIST}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(kinds[i].kind, op->kind)) {
      *step = kinds[i].step;
      return (*step != HAND_WRITE && *step != HAND_APPEND) ||
             hands_value(op->label) > 0;
    }
  return false;
}

struct timed {
  uint64_t time;
  uint32_t order;
  struct hand hand;
};

static int by_time(const void *a, const void *b) {
  const struct timed *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

static bool has_times(const struct example_txn *txn) {
  return txn->begin != TIME_UNKNOWN && txn->end != TIME_UNKNOWN &&
         txn->end >= txn->begin;
}

// A statement stands where it was answered or, if that is not known, at an even
// share of its transaction's time.
static uint64_t time_of(const struct example *e, const struct example_txn *txn,
                        uint32_t op) {
  const uint64_t share =
      (txn->end - txn->begin) / (txn->end_op - txn->first_op + 1);
  return e->ops[op].end != TIME_UNKNOWN
             ? e->ops[op].end
             : txn->begin + share * (op - txn->first_op + 1);
}

// ---- Places that let each read return what it did

// Puts a read before the commit of who replaced what it returned: it may have
// been sent before, and answered after it.
static void put_before(const struct example *e, const struct example_edge *edge,
                       uint64_t *times) {
  const struct example_txn *reader = &e->txns[edge->from];
  const uint64_t commit = e->txns[edge->to].end;
  for (uint32_t op = edge->from_op + 1; op-- > reader->first_op;)
    if (times[op] >= commit)
      times[op] = commit - 1;
}

// Puts a read whose time is a guess behind the commit of what it returned.
static void put_behind(const struct example *e, const struct example_edge *edge,
                       uint64_t *times) {
  const struct example_txn *reader = &e->txns[edge->to];
  const uint64_t commit = e->txns[edge->from].end;
  for (uint32_t op = edge->to_op; op < reader->end_op; op++)
    if (times[op] <= commit)
      times[op] = commit + 1;
}

// By operation.  A transaction that began after the other one had ended, or
// ended before, stays where it was: that is what is wrong with it.
static uint64_t *find_times(const struct example *e) {
  uint64_t *times = xcalloc((size_t)e->nops + 1, sizeof *times);
  for (uint32_t t = 0; t < e->ntxns; t++)
    for (uint32_t op = e->txns[t].first_op;
         op < e->txns[t].end_op && has_times(&e->txns[t]); op++)
      times[op] = time_of(e, &e->txns[t], op);
  for (uint32_t i = 0; i < e->nedges; i++) {
    const struct example_edge *edge = &e->edges[i];
    const struct example_txn *from = &e->txns[edge->from];
    const struct example_txn *to = &e->txns[edge->to];
    if (from->end == TIME_UNKNOWN || to->end == TIME_UNKNOWN)
      continue;
    if (!strcmp(edge->kind, "RW") && edge->from_op != EXAMPLE_NONE &&
        from->begin < to->end)
      put_before(e, edge, times);
    else if (!strcmp(edge->kind, "WR") && edge->to_op != EXAMPLE_NONE &&
             e->ops[edge->to_op].end == TIME_UNKNOWN && from->end < to->end)
      put_behind(e, edge, times);
  }
  return times;
}

// ---- The steps

static bool find_terminal(struct hands *h, uint32_t session, uint32_t *at) {
  uint32_t i = 0;
  while (i < h->nterminals && h->sessions[i] != session)
    i++;
  *at = i;
  if (i == HANDS_MOST_TERMINALS)
    return false;
  if (i == h->nterminals)
    h->sessions[h->nterminals++] = session;
  return true;
}

static void note_key(struct hands *h, const char *key) {
  const uint32_t row = hands_row(h, key);
  if (row > h->nkeys)
    h->keys[h->nkeys++] = key;
}

static bool add_txn(struct hands *h, const struct example *e, uint32_t t,
                    const uint64_t *times, bool typed, struct timed *all,
                    uint32_t *n) {
  const struct example_txn *txn = &e->txns[t];
  uint32_t terminal;
  if (!has_times(txn) || !find_terminal(h, txn->session, &terminal))
    return false;
  const bool aborted = !strcmp(txn->outcome, "aborted");
  struct hand hand = {HAND_BEGIN, t, EXAMPLE_NONE, terminal};
  all[*n] = (struct timed){txn->begin, *n, hand};
  ++*n;
  for (uint32_t op = txn->first_op; op < txn->end_op; op++) {
    hand.step = HAND_READ;
    if (typed && !step_of(&e->ops[op], &hand.step))
      return false;
    hand.op = op;
    note_key(h, e->ops[op].key);
    h->guessed |= e->ops[op].end == TIME_UNKNOWN;
    h->lists |= hand.step == HAND_APPEND || hand.step == HAND_READ_LIST;
    all[*n] = (struct timed){times[op], *n, hand};
    ++*n;
  }
  hand.step = aborted ? HAND_ROLLBACK : HAND_COMMIT;
  hand.op = EXAMPLE_NONE;
  all[*n] = (struct timed){txn->end, *n, hand};
  ++*n;
  return true;
}

// Was a statement of one transaction sent before one of another was answered,
// and answered after it had been sent?
static bool overlap(const struct example *e) {
  for (uint32_t a = 0; a < e->nops; a++)
    for (uint32_t b = 0; b < e->nops; b++) {
      const struct example_op *x = &e->ops[a], *y = &e->ops[b];
      if (a != b && x->begin != TIME_UNKNOWN && y->begin != TIME_UNKNOWN &&
          x->begin < y->end && y->begin < x->end)
        return true;
    }
  return false;
}

static bool order(struct hands *h, const struct example *e, bool typed) {
  *h = (struct hands){0};
  if (!e->ntxns || e->ntxns > HANDS_MOST_TXNS || (typed && e->nstatements))
    return false;
  const uint32_t most = e->nops + 2 * e->ntxns;
  struct timed *all = xcalloc(most, sizeof *all);
  bool fits = true;
  h->keys = xcalloc(e->nops + 1, sizeof *h->keys);
  h->steps = xcalloc(most, sizeof *h->steps);
  uint64_t *times = find_times(e);
  for (uint32_t t = 0; t < e->ntxns && fits; t++)
    fits = add_txn(h, e, t, times, typed, all, &h->nsteps);
  free(times);
  qsort(all, h->nsteps, sizeof *all, by_time);
  for (uint32_t i = 0; i < h->nsteps; i++)
    h->steps[i] = all[i].hand;
  h->overlaps = overlap(e);
  free(all);
  return fits;
}

bool hands_of(struct hands *h, const struct example *e) {
  return order(h, e, true);
}

bool hands_order(struct hands *h, const struct example *e) {
  return order(h, e, false);
}

void hands_free(struct hands *h) {
  free(h->steps);
  free(h->keys);
  *h = (struct hands){0};
}
