// SPDX-License-Identifier: GPL-3.0-or-later
// Before the sessions of a run (runner/setup.h).
#include "config.h"

#include "runner/setup.h"

#include "runner/fleet.h"
#include "runner/program.h"

#include <assert.h>
#include <string.h>

// Slots by the kind of operation that needs them.
#define SLOT(name) offsetof(struct driver, name)
static const struct {
  enum op_kind kind;
  size_t slot;
  const char *ability;
} slots[] = {
    {OP_READ, SLOT(get), "read registers"},
    {OP_WRITE, SLOT(put), "write registers"},
    {OP_CAS, SLOT(cas), "compare and set"},
    {OP_READ_LIST, SLOT(get_list), "read lists"},
    {OP_APPEND, SLOT(append), "append to lists"},
};

static bool has_slot(const struct driver *driver, size_t slot) {
  void (*function)(void);
  memcpy(&function, (const char *)driver + slot, sizeof function);
  return function != NULL;
}

// Can the driver execute operations of the kind in this row?
static bool can(const struct driver *driver, size_t row) {
  return driver->transact ? driver->transacts & 1u << slots[row].kind
                          : has_slot(driver, slots[row].slot);
}

int run_check(const struct driver *driver, const struct workload *workload,
              struct error *error) {
  if (workload->programs)
    return program_check(driver, workload, error);
  if (workload->texts && !driver->instrument)
    return error_set(error,
                     "the %s driver cannot run scripts as they are: name a "
                     "PostgreSQL, MariaDB or MySQL server, or a file of SQLite",
                     driver->name);
  for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
    if (workload->needs & 1u << slots[i].kind && !can(driver, i))
      return error_set(error,
                       "the %s driver cannot %s, which the workload %s needs",
                       driver->name, slots[i].ability, workload->name);
  return 0;
}

uint32_t setup_sessions(const struct run_options *options) {
  return options->fleet ? options->fleet->nsessions
                        : options->workload_options.nsessions;
}

int setup_check(const struct run_options *options, struct error *error) {
  const struct driver *driver = options->target->driver;
  const uint32_t nsessions = setup_sessions(options);
  assert(nsessions > 0 && nsessions <= VALUE_MAX_SESSIONS);
  assert(options->max_tries > 0);
  assert(options->rate >= 0 && options->warmup >= 0 && options->warmup <= 1);
  if (run_check(driver, options->workload, error) ||
      fleet_check(options, error) ||
      (options->workload->programs &&
       program_check_target(options->target, options->workload,
                            &options->workload_options, error)))
    return -1;
  if (options->threads && options->threads < nsessions && !driver->never_waits)
    return error_set(
        error,
        "%u sessions cannot share %u thread%s with the %s driver, where one "
        "session may have to wait for another: ask for one thread per session",
        nsessions, options->threads, options->threads == 1 ? "" : "s",
        driver->name);
  if (options->rate > 0 && options->think_time)
    return error_set(error, "rate says when transactions begin, so that a "
                            "think time cannot be given, too");
  return 0;
}

// Who will be asked about lost answers has to know beforehand.
static void announce_questions(const struct run_options *options) {
  const struct endpoints *endpoints = options->endpoints;
  options->target->resolves = options->resolve_unknown;
  for (uint32_t i = 1; endpoints && i < endpoints->count; i++)
    endpoints->targets[i]->resolves = options->resolve_unknown;
}

// As the server says of itself.
static void note_server(struct target *target, struct run_figures *figures) {
  if (target->driver->describe)
    target->driver->describe(target, figures->server, sizeof figures->server);
  if (target->driver->keeps)
    figures->keeps = target->driver->keeps(target, figures->keeps_words,
                                           sizeof figures->keeps_words);
}

// The user's own schema and tables, in a place of the run's.
static int set_own_database_up(const struct run_options *options,
                               struct run_figures *figures,
                               struct error *error) {
  struct raw_run *own = options->own;
  struct target *target = options->target;
  if (own->instrument->setup(target, own->scripts->schema_path,
                             own->scripts->schema, &own->tables, error) ||
      endpoints_await_own(options->endpoints, own->instrument, error))
    return -1;
  note_server(target, figures);
  return 0;
}

// Rank 0 does so, and has what it takes from others as long as the run lasts.
static int make_keys(const struct run_options *options,
                     const struct keyspace *keys, struct error *error) {
  const struct driver *driver = options->target->driver;
  return keys->tables ? driver->setup_tables(options->target, keys, error)
                      : driver->setup(options->target, keys, error);
}

int setup_database(const struct run_context *context,
                   struct run_figures *figures, struct error *error) {
  const struct run_options *options = context->options;
  const struct workload *workload = options->workload;
  const uint64_t nkeys = options->workload_options.nkeys;
  const struct keyspace keys = {
      .nkeys = nkeys,
      .lists = workload->lists,
      .preload =
          workload->preload && !workload->lists && nkeys <= RUN_MAX_PRELOAD,
      .run = options->fleet ? options->fleet->run : clock_wall(),
      .tables = context->tables,
  };
  announce_questions(options);
  if (options->own)
    return set_own_database_up(options, figures, error);
  if (fleet_agree(options->fleet,
                  fleet_leads(options->fleet) ? make_keys(options, &keys, error)
                                              : 0,
                  error) ||
      endpoints_await(options->endpoints, &keys, !fleet_leads(options->fleet),
                      error))
    return -1;
  note_server(options->target, figures);
  return 0;
}
