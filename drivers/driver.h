// SPDX-License-Identifier: GPL-3.0-or-later
// The contract between the runner and a database.  A driver is one file with
// one constant `struct driver`: a row of the table in drivers.c, or the symbol
// `isostress_driver` of a shared object given with --driver.
//
// A target is one database under test, shared by all sessions; a connection is
// what one session holds to it.  Connections of one target are used from many
// threads at once, each connection from one thread at a time.  A driver keeps
// no state outside its targets and connections: two targets can be driven at
// once.
//
// What the database does is told by outcomes, never by errors:
//   OUTCOME_OK       the call took effect;
//   OUTCOME_ABORTED  the transaction cannot go on (or, from commit, did not
//                    take effect and never will); the runner calls rollback
//                    unless the answer came from commit;
//   OUTCOME_UNKNOWN  only from commit and transact: the answer was lost.
// With any outcome but OK the connection's cause, code and text say why, and
// with OK if single writes of the transaction were refused.
#ifndef DRIVERS_DRIVER_H
#define DRIVERS_DRIVER_H

#include "base/error.h"
#include "base/isolation.h"
#include "base/operation.h"
#include "base/outcome.h"
#include "sql/tables.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Counted up whenever this file changes in a way that old drivers would not
// survive; a shared object with another number is refused.
#define DRIVER_ABI 19

struct driver;
struct instrument;

// Opens every driver's private target structure.
struct target {
  const struct driver *driver; // filled in by target_open, unless `open` chose
                               // a variant of its driver with the same levels
  bool resolves; // set by the runner before the first connection: `resolve` is
                 // going to be called
  // Set by setup and follow where the server's version or settings, or the
  // keyspace, decide what the driver's levels promise: a constant table of the
  // same levels in the same order.  Else NULL.
  const struct driver_level *levels;
  // Set by open where the target's options leave fewer statements than the
  // driver `executes`: the set of 1 << sort of those that it lacks, and why, as
  // in "an UPDATE is not possible: BECAUSE".
  unsigned lacks;
  const char *lacks_because;
};

// Opens every driver's private connection structure; zero but for what is said
// here when `connect` hands it out.
struct connection {
  struct target *target; // filled in by the driver
  uint32_t session;  // number of the session that holds it, from 0; likewise
  bool broken;       // set by the driver: close it and open another one
  enum cause cause;  // why the last call did not return OUTCOME_OK
  char code[32];     // the database's own code for it: SQLSTATE, errno name...
  char text[232];    // the database's own words for it, without passwords
  uint64_t token[2]; // if the target resolves: what `resolve` needs to find the
                     // last transaction that was to be committed; else zero
  const bool *refused; // of a transaction that is OK, but for single writes
                       // that the database refused: one entry per write, true
                       // if it had no effect and no read of the transaction saw
                       // it; the driver's, until the next call.  Else NULL
};

// Do the settings of a database promise that no fault takes back a commit which
// it has acknowledged?
enum keeps_commits {
  KEEPS_UNKNOWN,
  KEEPS_COMMITS,
  KEEPS_NOT,
  KEEPS_UNSEEN, // reads may show the past for ever, so that they do not tell
};

// One isolation level that the database offers.
struct driver_level {
  const char *name;       // in the database's own words
  enum isolation claimed; // what it promises, by its documentation; the most
                          // of it where that depends on the server
};

// One option of a target, written as ?name=value&name=value behind it.
struct driver_option {
  const char *name;
  const char *default_value; // NULL: none
  const char *help;          // one line, says the permitted values
};

// The place that a driver opens: "sqlite:/tmp/x.db?busy=2s" comes apart into
// place "/tmp/x.db" and one value per row of the driver's option table, the
// default where the target does not say.  Everything it points to lives until
// `open` returns: a driver copies what it needs later.
struct target_spec {
  bool by_alias; // the target was written with the driver's alias
  const char *place;
  const char *const *values;   // same order as driver->options; NULL: none
  uint32_t nsessions;          // connections that will be open at once
  uint64_t seed;               // for drivers that make random choices
  const struct driver *driver; // whose table `values` follows
};

// Can calls of a target still take effect?
enum target_over {
  OVER_NOT,     // another connection may be opened
  OVER_STORE,   // what was stored is gone, or nothing will answer again
  OVER_ANSWERS, // the driver gave answers that mean nothing: nothing that it
                // said is known to be true, so that there is no verdict
};

// The keys of a run: 0 to nkeys - 1.
struct keyspace {
  uint64_t nkeys;
  bool lists;   // keys hold lists, not registers
  bool preload; // registers: store VALUE_INITIAL under every key beforehand;
                // otherwise keys are absent, and read as VALUE_INITIAL
  uint64_t run; // a number that no other run has
  const struct tables *tables; // the tables of rows that the run uses instead,
                               // where it does: setup_tables; they outlive all
                               // connections.  Else NULL
};

struct driver {
  uint32_t abi;                        // DRIVER_ABI
  const char *name;                    // the scheme of its targets
  const char *alias;                   // another scheme for them, or NULL
  const char *summary;                 // one line for `isostress list`
  const char *example;                 // a target to try
  const struct driver_option *options; // ends with a NULL name; may be NULL
  const struct driver_level *levels;   // the default first; ends with NULL name

  // Not required.  Is this an option of the database's own client library?  Of
  // targets whose place starts with "//", such options stay there as typed:
  // "postgresql://host/base?sslmode=require&tables=4" has the place
  // "//host/base?sslmode=require".
  bool (*knows_option)(const char *name);

  // The command that starts the processes of a driver that has its own
  // (drivers/pipe/PIPE.md).  Else NULL.
  const char *started_by;
  // Not required.  Writes what these processes wrote beside their answers, its
  // end if it is long; nothing if there was nothing.
  void (*log)(const struct driver *driver, FILE *out);

  // No call of a connection ever waits for another connection, so that one
  // thread can interleave many sessions.
  bool never_waits;

  // Its places are //USER@HOST:PORT/REST.  A user may then list several hosts;
  // each becomes a target of its own (drivers/endpoints.h).
  bool hosts;

  // Required.  Called once per run.  Checks the spec and makes the target;
  // touches the database only as far as needed to say that it is no database.
  // Returns 0, or -1 with a sentence and nothing left behind.
  int (*open)(const struct target_spec *spec, struct target **target,
              struct error *error);
  // Required.  All connections are closed by then.
  void (*close)(struct target *target);

  // Required.  Called once, before any connection is opened: afterwards each
  // key holds what the keyspace says and nothing from earlier runs.  Touches
  // nothing but its own table or prefix.  Two runs with the same names would
  // read each other's values, and each be told of a violation: from now on
  // until `close`, another run's setup is refused, or keeps this one's
  // transactions from committing; no setup waits for another run for ever.
  int (*setup)(struct target *target, const struct keyspace *keys,
               struct error *error);

  // Required with execute.  Called instead of setup when the run uses tables of
  // rows, on the same terms: afterwards each of keys->tables has the rows that
  // it is to have at first, and no other.
  int (*setup_tables)(struct target *target, const struct keyspace *keys,
                      struct error *error);

  // Not required.  Called for the further hosts of a target instead of setup,
  // again and again until it returns 1: has this host received what setup made
  // at the first one?  It may take note of the keyspace, but writes nothing. 0:
  // not yet; -1 with a sentence: that cannot be said.
  int (*follow)(struct target *target, const struct keyspace *keys,
                struct error *error);

  // Not required.  Drops all that setup and setup_tables of any run with the
  // same names made, and nothing that isostress did not make; says how many
  // tables or keys they were.  Refused while a run holds the names, and holds
  // them itself until `close`.  Called instead of setup.  -1 with a sentence.
  int (*clean)(struct target *target, uint64_t *removed, struct error *error);

  // Not required.  One line about the server: version, settings that matter.
  // Called after setup.  `text` has `room` bytes.
  void (*describe)(struct target *target, char *text, size_t room);

  // Not required.  What the server's settings promise of acknowledged commits;
  // `text` of `room` bytes gets the settings that say so, as in "appendfsync is
  // everysec", or becomes empty.  Called after setup.
  enum keeps_commits (*keeps)(struct target *target, char *text, size_t room);

  // Required.  Opens the connection of one session, while other threads open
  // those of others; called again, after disconnect, when a connection broke.
  int (*connect)(struct target *target, uint32_t session,
                 struct connection **connection, struct error *error);
  void (*disconnect)(struct connection *connection);

  // Required unless transact is there.  Starts a transaction; no other is open.
  enum outcome (*begin)(struct connection *connection,
                        const struct driver_level *level);
  // Required unless transact is there.  Ends it.  A commit that returns ABORTED
  // leaves no transaction open.
  enum outcome (*commit)(struct connection *connection);
  // Required unless transact is there.  Never UNKNOWN: a transaction that was
  // not asked to commit has no effect; if even that cannot be said to the
  // database, sets `broken`.
  enum outcome (*rollback)(struct connection *connection);

  // Not required.  Does the host of this connection, which has no open
  // transaction, take writes now, as a primary does?  Without it: always.
  bool (*takes_writes)(struct connection *connection);

  // Not required.  Asked, by any thread, when a connection broke, and once
  // after a run.  With any answer but OVER_NOT a sentence says why; there is
  // then no way back, and no connection is opened again.
  enum target_over (*over)(struct target *target, struct error *error);

  // Not required.  What became of a transaction of this host whose commit
  // returned OUTCOME_UNKNOWN because its answer was lost?  Called without an
  // open transaction, mostly on another connection, until it says something
  // else than OUTCOME_UNKNOWN or the runner loses patience.  It may say
  // OUTCOME_OK or OUTCOME_ABORTED only if that is certain for ever: of a
  // transaction that may still be under way nothing is known.
  enum outcome (*resolve)(struct connection *connection,
                          const uint64_t token[2]);

  // In an open transaction.  Any may be NULL: workloads that need it are then
  // refused for this driver.  One that writes may return OUTCOME_UNKNOWN, and
  // so may `execute`: the server had left the transaction without being asked,
  // and may have executed this outside of it.  All that was before is rolled
  // back.
  enum outcome (*get)(struct connection *connection, uint64_t key,
                      uint64_t *value); // absent: VALUE_INITIAL
  enum outcome (*put)(struct connection *connection, uint64_t key,
                      uint64_t value);
  // Adds one element at the end.
  enum outcome (*append)(struct connection *connection, uint64_t key,
                         uint64_t value);
  // Fills the list (emptied by the caller) with what is there.
  enum outcome (*get_list)(struct connection *connection, uint64_t key,
                           struct value_list *list);
  // Stores `value` if `expected` is there (VALUE_INITIAL: or nothing is);
  // `found` is what was there before, in both cases.
  enum outcome (*cas)(struct connection *connection, uint64_t key,
                      uint64_t expected, uint64_t value, uint64_t *found);

  // Required with execute.  The set of 1 << sort of the statements that it can
  // execute: workloads that need others are refused for this driver.
  unsigned executes;
  // Not required: workloads of statements are then refused for this driver.  In
  // an open transaction, executes one statement on the tables of setup_tables,
  // and lists each row that it returned, inserted, changed or deleted in `rows`
  // (emptied by the caller).  What it lists is exact: no row that the statement
  // touched is missing, and each is as it was at that moment, not as another
  // statement finds it later.  `stamp` is put on all rows that it writes.  A
  // key that is taken is OUTCOME_OK with rows->refused where the transaction
  // goes on, else OUTCOME_ABORTED.
  enum outcome (*execute)(struct connection *connection,
                          const struct statement *statement, uint64_t stamp,
                          struct row_list *rows);

  // Not required.  Executes a statement in the database's own SQL, in the open
  // transaction or, if there is none, as one of its own, and writes the rows
  // that it returns as one line of text (drivers/rows.h) of at most
  // `room` bytes.  For step scripts; what it reads or writes is in no history.
  enum outcome (*sql)(struct connection *connection, const char *statement,
                      char *rows, size_t room);

  // Not required; only with `sql`.  A question about the tables of
  // setup_tables, a SELECT in the database's own SQL that calls them and their
  // columns as the workload does, as a statement for `sql`.  Free with free().
  char *(*question)(struct target *target, const char *select);

  // Not required.  How the user's own SQL runs as it is (drivers/instrument.h);
  // only drivers of the tree have it.
  const struct instrument *instrument;

  // Not required.  A statement for `sql` that returns, in its last column, the
  // level of the open transaction in the words of `levels`; "-" counts as a
  // blank, and capitals as small letters.
  const char *level_query;

  // Like `sql`, for a database without SQL: a command in its own language,
  // words apart by blanks, which is executed at once, beside what `put` and
  // `append` keep for the commit.
  enum outcome (*command)(struct connection *connection, const char *command,
                          char *rows, size_t room);

  // Required with transact.  The set of 1 << kind of the operations that it can
  // execute: workloads that need others are refused for this driver.
  unsigned transacts;
  // For stores whose transactions are one shot; used instead of the above when
  // it is there.  Executes the operations from plan->first up to plan->nops as
  // one transaction at the level; those before have been executed, and hold the
  // values that an OP_CAS may expect.  Writes hold the value to be written; on
  // OUTCOME_OK reads hold the value read, and lists[i] what operation i read.
  // An OP_CAS whose expectation failed comes back as OP_READ of what was found;
  // no write behind it in the plan may then take place, and it comes back as
  // an OP_READ as well.
  enum outcome (*transact)(struct connection *connection,
                           const struct driver_level *level, struct plan *plan,
                           struct value_list *lists);

  // Not required.  Does the server say that `other`, whose call is under way in
  // another thread, waits for a lock of somebody else?  Asked on a connection
  // of the same target that has no open transaction.  1: yes; 0: no; -1: it
  // cannot say.
  int (*waits)(struct connection *connection, const struct connection *other);
};

// The name under which a shared object exports its `struct driver`.
#define DRIVER_SYMBOL "isostress_driver"

#endif
