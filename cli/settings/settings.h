// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that a user can set, one row of a table per option.  The table
// drives the command line, job files, the help and the record that is kept of
// a run's settings.
#ifndef CLI_SETTINGS_SETTINGS_H
#define CLI_SETTINGS_SETTINGS_H

#include "base/error.h"
#include "base/isolation.h"
#include "checker/verdict/question.h"
#include "drivers/endpoints.h"
#include "recorder/files/reader.h"
#include "runner/runner.h"
#include "workload/scripts.h"
#include "workload/workload.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Where results are kept, if nobody says more.
#define RESULTS "results"
#define RESULTS_OF_RUNS RESULTS "/runs"
#define RESULTS_OF_SWEEPS RESULTS "/sweeps"
#define RESULTS_OF_ADVICE RESULTS "/advice"

// The commands that take options; a set of them.
enum {
  FOR_RUN = 1,
  FOR_CHECK = 2,
  FOR_STAT = 4,
  FOR_STEPS = 8,
  FOR_REPLAY = 16,
  FOR_REPORT = 32,
  FOR_CONVERT = 64,
  FOR_REPRO = 128,
  FOR_SCORECARD = 256,
  FOR_GENERATE = 512,
  FOR_SWEEP = 1024,
  FOR_VERIFY = 2048,
  FOR_EXPLORE = 4096,
  FOR_RESULTS = 8192,
  FOR_CLEAN = 16384,
  FOR_DRIVER_TEST = 32768,
  FOR_ADVISE = 65536,
  FOR_FAILOVER = 131072
};

// Where the help of a command shows an option.
enum setting_group {
  GROUP_LOAD = 1,
  GROUP_WORKLOAD,
  GROUP_CHECK,
  GROUP_OUTPUT,
  GROUPS_END
};

enum setting_type {
  // const char *; NULL where nothing, or an empty text, was said.
  SETTING_TEXT,
  SETTING_TARGET, // written without its password
  SETTING_BUG,    // one that the driver memory knows

  // Types that need a value.
  SETTING_FORMAT,       // const char *, the name of a history format
  SETTING_COUNT,        // uint64_t
  SETTING_SEED,         // uint64_t
  SETTING_TIME,         // uint64_t, ns
  SETTING_SHARE,        // double
  SETTING_RATE,         // double
  SETTING_SWITCH,       // bool; the option's name alone switches it on
  SETTING_WORKLOAD,     // struct chosen_workload
  SETTING_DISTRIBUTION, // the fields of a struct workload_options
  SETTING_CHECK,        // int: CHECK_CLAIMED, an enum isolation or LEVEL_...
  SETTING_LEVELS,       // unsigned: set of 1 << enum isolation or LEVEL_...;
                        // adds up
  SETTING_OUTPUT,       // enum output
  SETTING_ROUTING,      // enum routing
  SETTING_BACKOFF,      // struct backoff
  SETTING_INITIAL,      // struct read_options: initial, initial_value
  SETTING_MODEL,        // enum model
  SETTING_LOG_MODEL,    // struct settings: reading.model or log_model
  SETTING_DUPLICATES,   // enum duplicates
  SETTING_RC,           // bool: is it the mixed-isolation paper's?
  SETTING_METHOD,       // enum method
  SETTING_STREAM,       // enum stream
  SETTING_READS,        // bool: are plain SELECTs alone?
};

enum { CHECK_CLAIMED = -1 }; // check what the level claims to be
// Questions besides one level of all transactions.
enum {
  LEVEL_AUTO = ISOLATION_COUNT, // all levels at once
  LEVEL_RECORDED,               // the level of each transaction
  LEVEL_QUESTIONS
};
enum output { OUTPUT_TEXT, OUTPUT_JSON };
// Is a history checked without being loaded?
enum stream { STREAM_AUTO, STREAM_ON, STREAM_OFF };
// Who decides: the checker, which proves what it says, or for histories with
// SQL statements an algorithm of the mixed-isolation paper.
enum method { METHOD_ENGINE, METHOD_SOBOUND, METHOD_NAIVE };

// Longest text of a setting, such as a list of scripts; so any line of a job
// file fits into its reader.
enum { SETTING_MAX = 3000, SETTING_COUNT_MAX = 128 };

// All workloads of SQL statements on tables.
#define WORKLOADS_OF_ROWS "workloads with tables, such as predicate"

struct setting {
  const char *name;  // long option, and key in a job file
  char letter;       // short option, or 0
  const char *also;  // the name that another command has for it, taken as well;
                     // NULL: none
  const char *alike; // words of other tools for it, ", " between them, which
                     // "did you mean" knows; NULL: none
  enum setting_group group;
  enum setting_type type;
  unsigned commands;         // FOR_RUN...
  unsigned common;           // of these, those whose help names it first
  const char *workloads;     // that use it, with ", " between them, or
                             // WORKLOADS_OF_ROWS; NULL: all
  size_t offset;             // in struct settings
  const char *default_value; // as typed; NULL: none
  double low, high;          // range of numbers, in the field's unit
  const char *argument;      // what the help calls its value
  const char *help;          // one line
};

struct chosen_workload {
  const struct workload *workload; // workload_scripts as long as no file of
                                   // the scripts has been read
  const char *scripts;             // FILE@SHARE,...; NULL: a named workload
};

struct settings {
  const char *log_model; // of models/models.h, with its options, or NULL
  const char *target, *driver, *bug;
  union { // workload and scripts are one setting
    struct chosen_workload chosen;
    struct {
      const struct workload *workload;
      const char *scripts;
    };
  };
  const char *isolation, *mix, *level_of;
  enum routing endpoints;
  bool resolve_unknown;
  uint64_t clients, time, transactions; // time or transactions 0: no limit
  double rate;
  uint64_t keys;
  struct workload_options distribution; // only what --distribution says
  uint64_t ops;
  double read_ratio, twins;
  const char *shares, *aim;
  double long_share;
  uint64_t long_ops, max_length;
  uint64_t statements, scale;
  const char *invariant, *equals; // or NULL
  const char *predicates;         // or NULL
  bool reuse_keys;
  uint64_t max_tries, think_time, op_delay;
  struct backoff backoff;
  double warmup;
  uint64_t threads, seed;
  bool op_times, record;
  const char *rank, *meet; // of several processes; or NULL
  uint64_t meet_timeout;   // ns
  bool stop_on_lost_rank;
  uint64_t progress;
  const char *out;
  int check;
  bool stop_on_violation;
  unsigned levels;
  struct read_options reading;
  const char *to;
  bool strict;
  uint64_t jobs;       // cores to use; 0: as many as there are
  uint64_t timeout;    // ns; 0: none
  uint64_t memory;     // bytes; 0: no limit
  uint64_t max;        // counterexamples of each anomaly
  bool all;            // of them
  uint64_t keep;       // results; 0: all
  uint64_t older_than; // ns; results of that age go; 0: of none
  uint64_t max_size;   // bytes of all results; 0: any
  bool raw_values;     // in counterexamples
  const char *compare; // file for a comparison
  const char *explain; // directory for pictures
  const char *witness; // file for the proof
  const char *require, *junit;
  struct question question; // but for its level, and session_order, which...
  bool no_session_order;    // ...is what this is not
  enum method method;
  enum stream stream;
  uint64_t repeat, repetitions, runs;
  bool skip_impossible, dry_run, rehearse;
  uint64_t budget;         // ns
  uint64_t blocked_after;  // ns
  uint64_t driver_timeout; // ns
  bool driver_test;
  bool recreate;      // the tables, for each performance
  bool any;           // counterexample that a database can show
  const char *server; // whose nodes a step script or faults act on; a kind is
                      // started for the run, or by repro; or NULL
  const char *faults, *nemesis; // or NULL
  const char *nemesis_every, *nemesis_hold, *nemesis_nodes;
  uint64_t nemesis_seed, settle; // settle in ns
  const char *save_history, *save_steps, *save_commands, *page;
  const char *algorithm, *part, *schema, *save, *resume, *tables, *base,
      *as;          // of explore
  uint64_t max_ops; // of a transaction that is explored
  uint64_t sample;  // histories at random
  bool assert_only, robust, first, repair, allocate, verify, estimate, outcomes;
  enum output output;
  bool verbose;
  bool given[SETTING_COUNT_MAX]; // by row: said by somebody, not a default
};

// The table; ends with a NULL name.
extern const struct setting settings_table[];

// The row of an option, among those for `commands`; NULL if there is none.
const struct setting *setting_find(const char *name, unsigned commands);
const struct setting *setting_find_letter(char letter, unsigned commands);

// The nearest name, for "did you mean"; NULL if none resembles it.
const char *setting_nearest(const char *name, unsigned commands);

// Everything at its default in one command, FOR_...
void settings_default(struct settings *settings, unsigned command);
// The default of an option in one command; NULL: none.
const char *setting_default(const struct setting *setting, unsigned command);
// One line about an option in one command.
const char *setting_help(const struct setting *setting, unsigned command);

// Takes a value as typed, which somebody gave; texts stay the caller's.  -1
// with a sentence that goes after the option's name.
int setting_give(struct settings *settings, const struct setting *setting,
                 const char *text, struct error *error);
// Reads the text without marking the setting as given: for defaults.
int setting_read(struct settings *settings, const struct setting *setting,
                 const char *text, struct error *error);

// Gives a value to an option of run, for commands that make runs; one that
// cannot be given leaves the option as it was.
void setting_give_run(struct settings *settings, const char *name,
                      const char *text);

// The value as it could be typed; empty if there is none.
void setting_write(const struct settings *settings,
                   const struct setting *setting, char text[SETTING_MAX + 1]);

bool setting_is_given(const struct settings *settings, const char *name);

// The question about a level, or LEVEL_RECORDED, under these settings.  Where
// `level` is LEVEL_AUTO, whoever asks about each level fills it in.
struct question settings_question(const struct settings *settings, int level);

#endif
