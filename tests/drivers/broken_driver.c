// SPDX-License-Identifier: GPL-3.0-or-later
// Shared objects that driver_load must refuse; the makefile says in which way
// each of them is wrong.
#include "drivers/driver.h"

#ifndef ABI
#define ABI DRIVER_ABI
#endif
#ifndef SYMBOL
#define SYMBOL isostress_driver
#endif

static int open_target(const struct target_spec *spec, struct target **target,
                       struct error *error) {
  (void)target;
  return error_set(error, "%s: never opens", spec->place);
}
static void close_target(struct target *target) { (void)target; }
static int setup(struct target *target, const struct keyspace *keys,
                 struct error *error) {
  (void)target, (void)keys, (void)error;
  return 0;
}
static int open_session(struct target *target, uint32_t session,
                        struct connection **connection, struct error *error) {
  (void)target, (void)session, (void)connection, (void)error;
  return -1;
}
static void close_session(struct connection *connection) { (void)connection; }
static enum outcome begin(struct connection *connection,
                          const struct driver_level *level) {
  (void)connection, (void)level;
  return OUTCOME_OK;
}
static enum outcome end(struct connection *connection) {
  (void)connection;
  return OUTCOME_OK;
}

static const struct driver_level levels[] = {
#ifndef NO_LEVELS
    {"only", ISOLATION_NONE},
#endif
    {0},
};

extern const struct driver SYMBOL;
const struct driver SYMBOL = {
    .abi = ABI,
    .name = "broken",
    .summary = "is refused",
    .levels = levels,
    .open = open_target,
    .close = close_target,
    .setup = setup,
    .connect = open_session,
    .disconnect = close_session,
    .begin = begin,
#ifndef NO_COMMIT
    .commit = end,
#endif
    .rollback = end,
#ifdef NO_EXECUTE
    .setup_tables = setup,
    .executes = 1 << STATEMENT_SELECT,
#endif
};
