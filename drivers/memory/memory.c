// SPDX-License-Identifier: GPL-3.0-or-later
// The driver `memory:`, a multi-version store inside this process that keeps
// each isolation level and shows what the level permits, or one anomaly on
// demand.  It is what the rest of the program is tested with.  This file holds
// the driver's slots and options; view.c says why the levels hold.
//
// All choices come from one random stream per session, so on one thread equal
// seeds give equal behaviour.
#include "config.h"

#include "drivers/memory/internal.h"

#include "base/memory.h"
#include "base/random.h"
#include "drivers/options.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum option {
  OPTION_BUG,
  OPTION_STALE,
  OPTION_LAG,
  OPTION_ABORT,
  OPTION_UNKNOWN,
  OPTION_LOSE,
  OPTION_FULL
};

static const struct driver_option options[] = {
    [OPTION_BUG] = {"bug", NULL,
                    "NAME or NAME:PROBABILITY: show this anomaly, one of "
                    "ThinAirRead, AbortedRead, FutureRead, NotMyLastWrite, "
                    "NotMyOwnWrite, IntermediateRead, NonRepeatableReads, "
                    "SessionGuaranteeViolation, NonMonotonicRead, "
                    "FracturedRead, CausalityViolation, LongFork, LostUpdate, "
                    "WriteSkew; or, of tables of rows, PhantomRead, "
                    "PhantomWriteSkew, FracturedStatement, MissingRow, "
                    "ExtraRow, ResurrectedRow, DoubleDelete, "
                    "PhantomLongFork"},
    [OPTION_STALE] = {"stale", "0.1",
                      "0 to 1: probability that a snapshot is not the newest, "
                      "where the level permits it"},
    [OPTION_LAG] = {"lag", "32",
                    "0 to 10000: commits that such a snapshot may be behind"},
    [OPTION_ABORT] = {"abort", "0",
                      "0 to 1: probability that a commit is refused for no "
                      "reason"},
    [OPTION_UNKNOWN] = {"unknown", "0",
                        "0 to 1: probability that the answer to a commit, "
                        "which may or may not take effect, is lost"},
    [OPTION_LOSE] = {"lose", "0",
                     "0 to 1: probability that a commit is acknowledged and "
                     "then lost, as by an asynchronous failover"},
    [OPTION_FULL] = {"full", "0",
                     "of tables of rows: 0 or 1; with 1 each statement with a "
                     "condition is recorded behind a SELECT of the whole "
                     "table, with the version of each row that it found"},
    {NULL, NULL, NULL},
};

static const struct driver_level levels[] = {
    {"ser", ISOLATION_SER}, {"sser", ISOLATION_SSER}, {"si", ISOLATION_SI},
    {"pc", ISOLATION_PC},   {"cc", ISOLATION_CC},     {"ra", ISOLATION_RA},
    {"rc", ISOLATION_RC},   {NULL, ISOLATION_NONE},
};

// Aborted reads need aborted writes.
static const double ABORT_FOR_ABORTED_READ = 0.05;

// --- The target.

static int parse_option(const struct target_spec *spec, enum option option,
                        double high, double *number, struct error *error) {
  const char *text = spec->values ? spec->values[option] : NULL;
  return parse_number(options[option].name,
                      text ? text : options[option].default_value, 0, high,
                      false, number, error);
}

static int parse_lag(const struct target_spec *spec, uint32_t *lag,
                     struct error *error) {
  double number;
  if (parse_option(spec, OPTION_LAG, COMMITS_MAX_LAG, &number, error))
    return -1;
  *lag = (uint32_t)number;
  if (*lag != number)
    return error_set_usage(error, "lag must be a whole number, not '%s'",
                           spec->values[OPTION_LAG]);
  return 0;
}

static int parse_full(const struct target_spec *spec, bool *full,
                      struct error *error) {
  static const char *const choices[] = {"0", "1", NULL};
  const char *text = spec->values ? spec->values[OPTION_FULL] : NULL;
  const int chosen = text ? option_choice("full", text, choices, error) : 0;
  *full = chosen == 1;
  return chosen < 0 ? -1 : 0;
}

static int parse_settings(const struct target_spec *spec,
                          struct memory_settings *settings,
                          struct error *error) {
  memset(settings, 0, sizeof *settings);
  if (spec->place && *spec->place)
    return error_set_usage(
        error,
        "memory: is inside this program and has no place '%s'; "
        "write memory: or memory:?bug=LostUpdate",
        spec->place);
  if (spec->values && spec->values[OPTION_BUG] &&
      bug_parse(spec->values[OPTION_BUG], &settings->bug,
                &settings->bug_probability, error))
    return -1;
  if (parse_option(spec, OPTION_STALE, 1, &settings->stale, error) ||
      parse_lag(spec, &settings->lag, error) ||
      parse_option(spec, OPTION_ABORT, 1, &settings->abort, error) ||
      parse_option(spec, OPTION_UNKNOWN, 1, &settings->unknown, error) ||
      parse_option(spec, OPTION_LOSE, 1, &settings->lose, error) ||
      parse_full(spec, &settings->full, error))
    return -1;
  if (settings->full && bug_is_of_single_statements(settings->bug))
    return error_set_usage(error,
                           "bug=%s is one of single statements, each of which "
                           "full=1 would make two",
                           bug_info(settings->bug)->name);
  if (settings->bug == BUG_ABORTED_READ && settings->abort == 0)
    settings->abort = ABORT_FOR_ABORTED_READ;
  return 0;
}

static struct memory_session *open_sessions(const struct target_spec *spec) {
  const size_t bytes = (spec->nsessions + 1) * sizeof(struct memory_session);
  struct memory_session *sessions = aligned_alloc(64, bytes);
  if (!sessions)
    out_of_memory(bytes);
  memset(sessions, 0, bytes);
  for (uint32_t s = 0; s < spec->nsessions; s++) {
    sessions[s].random = random_stream(spec->seed, s, RANDOM_DATABASE);
    sessions[s].next_value = value_of_write(s, 0);
  }
  return sessions;
}

static int open_memory(const struct target_spec *spec, struct target **target,
                       struct error *error) {
  struct memory_settings settings;
  if (parse_settings(spec, &settings, error))
    return -1;
  struct memory_target *memory = xcalloc(1, sizeof *memory);
  memory->base.driver = &memory_driver;
  memory->settings = settings;
  memory->nsessions = spec->nsessions;
  memory->sessions = open_sessions(spec);
  memory->store = store_open();
  const bool far = settings.bug != BUG_NONE && settings.lag < BUG_LAG;
  memory->commits = commits_open(memory->store, spec->nsessions,
                                 far ? BUG_LAG : settings.lag);
  pthread_mutex_init(&memory->hidden.lock, NULL);
  *target = &memory->base;
  return 0;
}

static void close_memory(struct target *target) {
  struct memory_target *memory = (struct memory_target *)target;
  for (uint32_t s = 0; s < memory->nsessions; s++)
    gsl_rng_free(memory->sessions[s].random);
  free(memory->sessions);
  row_store_close(memory->rows);
  commits_close(memory->commits);
  store_close(memory->store);
  pthread_mutex_destroy(&memory->hidden.lock);
  free(memory);
}

// The store is new, and an absent key reads as one with the initial value.
static int setup(struct target *target, const struct keyspace *keys,
                 struct error *error) {
  const struct memory_settings *settings =
      &((struct memory_target *)target)->settings;
  (void)keys;
  if (settings->full)
    return error_set_usage(error, "full=1 is one of tables of rows; take the "
                                  "workload predicate");
  return bug_is_of_rows(settings->bug)
             ? error_set_usage(error,
                               "bug=%s is one of tables of rows; take the "
                               "workload predicate",
                               bug_info(settings->bug)->name)
             : 0;
}

static int setup_tables(struct target *target, const struct keyspace *keys,
                        struct error *error) {
  struct memory_target *memory = (struct memory_target *)target;
  const struct memory_settings *settings = &memory->settings;
  if (!bug_is_of_tables(settings->bug))
    return error_set_usage(error,
                           "bug=%s is one of registers and lists; of tables of "
                           "rows there are AbortedRead, LostUpdate and those "
                           "from PhantomRead on in isostress list bugs",
                           bug_info(settings->bug)->name);
  row_store_close(memory->rows);
  memory->rows =
      row_store_open(keys->tables, memory->nsessions,
                     settings->lag > BUG_LAG ? settings->lag : BUG_LAG);
  return 0;
}

static void describe(struct target *target, char *text, size_t room) {
  const struct memory_settings *settings =
      &((struct memory_target *)target)->settings;
  int used = snprintf(text, room, "in-process store");
  const struct {
    const char *name;
    double value;
  } parts[] = {{bug_info(settings->bug)->name, settings->bug_probability},
               {"abort", settings->abort},
               {"unknown", settings->unknown},
               {"lose", settings->lose}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i].value > 0 && used >= 0 && (size_t)used < room)
      used += snprintf(text + used, room - (size_t)used,
                       i == 0 ? ", bug=%s:%g" : ", %s=%g", parts[i].name,
                       parts[i].value);
}

// A store whose snapshots may be old may be old at the end, too.
static enum keeps_commits keeps(struct target *target, char *text,
                                size_t room) {
  const struct memory_settings *settings =
      &((struct memory_target *)target)->settings;
  snprintf(text, room, "%s", "");
  return settings->bug == BUG_NONE && (settings->stale <= 0 || !settings->lag)
             ? KEEPS_COMMITS
             : KEEPS_UNSEEN;
}

// --- Connections.

static int connect_session(struct target *target, uint32_t session,
                           struct connection **connection,
                           struct error *error) {
  struct memory_target *memory = (struct memory_target *)target;
  if (session >= memory->nsessions)
    return error_set(error,
                     "memory: was opened for %u sessions; there is no "
                     "session %u",
                     memory->nsessions, session);
  struct memory_connection *c = xcalloc(1, sizeof *c);
  c->base.target = target;
  c->base.session = session;
  c->session = &memory->sessions[session];
  *connection = &c->base;
  return 0;
}

static void disconnect(struct connection *connection) {
  struct memory_connection *c = (struct memory_connection *)connection;
  if (c->txn.open)
    drop_transaction(c);
  free(c->txn.reads);
  free(c->txn.writes);
  free(c->window.items);
  free(c->rows.asked);
  free(c->rows.own);
  free(c->rows.shown);
  free(c);
}

// --- Transactions.

static struct memory_connection *
memory_in_transaction(struct connection *connection) {
  struct memory_connection *c = (struct memory_connection *)connection;
  assert(c->txn.open);
  return c;
}

static enum outcome begin(struct connection *connection,
                          const struct driver_level *level) {
  struct memory_connection *c = (struct memory_connection *)connection;
  assert(!c->txn.open && !connection->broken);
  assert(level->claimed > ISOLATION_NONE && level->claimed < ISOLATION_COUNT);
  c->txn.open = true;
  if (target_of(c)->rows)
    rows_begin(c, level->claimed);
  else
    view_begin(c, level->claimed);
  return OUTCOME_OK;
}

static enum outcome commit(struct connection *connection) {
  return commit_transaction(memory_in_transaction(connection));
}

static enum outcome roll_memory_back(struct connection *connection) {
  struct memory_connection *c = (struct memory_connection *)connection;
  if (c->txn.open)
    drop_transaction(c);
  return OUTCOME_OK;
}

// How many writes of the key the transaction has made.
static uint32_t count_own(const struct memory_transaction *txn, uint64_t key) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < txn->nwrites; i++)
    count += txn->writes[i].key == key;
  return count;
}

// The transaction's n-th write of the key, from 0.
static uint64_t own_value(const struct memory_transaction *txn, uint64_t key,
                          uint32_t n) {
  uint32_t i = 0;
  while (txn->writes[i].key != key || n-- > 0)
    i++;
  return txn->writes[i].value;
}

static enum outcome get(struct connection *connection, uint64_t key,
                        uint64_t *value) {
  struct memory_connection *c = memory_in_transaction(connection);
  const uint32_t seen = forge_own(c, count_own(&c->txn, key));
  *value = seen ? own_value(&c->txn, key, seen - 1)
                : view_read(c, key, false)->shown;
  return OUTCOME_OK;
}

static void add_write(struct memory_connection *c, uint64_t key, uint64_t value,
                      bool append) {
  struct memory_transaction *txn = &c->txn;
  ARRAY_RESERVE(txn->writes, txn->nwrites, txn->writes_room);
  txn->writes[txn->nwrites++] = (struct memory_write){key, value, append};
  c->session->next_value = value + 1;
}

static enum outcome put(struct connection *connection, uint64_t key,
                        uint64_t value) {
  add_write(memory_in_transaction(connection), key, value, false);
  return OUTCOME_OK;
}

static enum outcome append(struct connection *connection, uint64_t key,
                           uint64_t value) {
  add_write(memory_in_transaction(connection), key, value, true);
  return OUTCOME_OK;
}

static enum outcome get_list(struct connection *connection, uint64_t key,
                             struct value_list *list) {
  struct memory_connection *c = memory_in_transaction(connection);
  const struct memory_read *read = view_read(c, key, true);
  const uint32_t seen = forge_own(c, count_own(&c->txn, key));
  store_elements(target_of(c)->store, key, read->shown, list);
  if (read->extra != VALUE_INITIAL && !seen)
    value_list_push(list, read->extra);
  for (uint32_t n = 0; n < seen; n++)
    value_list_push(list, own_value(&c->txn, key, n));
  return OUTCOME_OK;
}

static enum outcome cas(struct connection *connection, uint64_t key,
                        uint64_t expected, uint64_t value, uint64_t *found) {
  get(connection, key, found);
  return *found == expected ? put(connection, key, value) : OUTCOME_OK;
}

static enum outcome execute(struct connection *connection,
                            const struct statement *statement, uint64_t stamp,
                            struct row_list *rows) {
  return rows_execute(memory_in_transaction(connection), statement, stamp,
                      rows);
}

const struct driver memory_driver = {
    .abi = DRIVER_ABI,
    .name = "memory",
    .summary = "inside this process: every level and, on demand, every anomaly",
    .example = "memory:?bug=LostUpdate",
    .options = options,
    .levels = levels,
    .never_waits = true,
    .open = open_memory,
    .close = close_memory,
    .setup = setup,
    .setup_tables = setup_tables,
    .describe = describe,
    .keeps = keeps,
    .connect = connect_session,
    .disconnect = disconnect,
    .begin = begin,
    .commit = commit,
    .rollback = roll_memory_back,
    .get = get,
    .put = put,
    .append = append,
    .get_list = get_list,
    .cas = cas,
    .executes = 1u << STATEMENT_SELECT | 1u << STATEMENT_LOCKING_SELECT |
                1u << STATEMENT_INSERT | 1u << STATEMENT_UPDATE |
                1u << STATEMENT_DELETE | 1u << STATEMENT_INSERT_NEW,
    .execute = execute,
};
