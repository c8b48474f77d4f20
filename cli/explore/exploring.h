// SPDX-License-Identifier: GPL-3.0-or-later
// isostress explore: what its files share.
#ifndef CLI_EXPLORE_EXPLORING_H
#define CLI_EXPLORE_EXPLORING_H

#include "base/json.h"
#include "cli/commands.h"
#include "explore/repair.h"
#include "explore/saved.h"
#include "explore/survey.h"
#include "explore/together.h"
#include "recorder/history.h"

#define EXPLORE_SCHEMA "isostress-explore/1" // report/SCHEMA.md

struct exploration { // of one program at several levels
  struct program *program;
  const struct settings *settings;
  uint32_t nlevels;
  enum level levels[LEVEL_COUNT];
  struct survey surveys[LEVEL_COUNT];
  struct explore_options options; // the level is filled in
  uint32_t threads, part, nparts; // nparts 0: all of it
  struct ranks *ranks;            // that share the work; NULL: this one alone
  struct repaired *repaired;      // the program with changes, for --repair
  uint32_t nrepaired;
  struct saved saved;          // what was resumed and is not begun, or ended
  bool rows;                   // tables are rows
  char words[LEVEL_COUNT][32]; // what the database calls the levels, or ""
  char *random_load; // command that runs the same scripts; NULL: no scripts
  bool is_left;      // something is still to be explored
};

// Which levels are explored; -1 with a sentence.  The target is known.
int exploration_choose_levels(struct exploration *exploration,
                              const struct arguments *arguments,
                              struct error *error);
// The level at which programs are explored for the level of a driver;
// LEVEL_COUNT: that promises nothing that can be explored.  The target may be
// NULL.
struct driver;
struct driver_level;
enum level level_of_driver(const char *target, const struct driver *driver,
                           const struct driver_level *level);
// "READ COMMITTED" where the database is known, else "rc-statement".
const char *level_told(const struct exploration *exploration, enum level level);
// The set of 1 << level of what the database has; 0: it is not known.
uint32_t levels_offered(const struct exploration *exploration);
// The level of the target, in the database's words or ours.
const char *level_live(enum level level);

// Takes the options; -1 with a sentence.
int exploration_choose(struct exploration *exploration,
                       const struct arguments *arguments, struct error *error);
// How a level is surveyed.
struct survey_options exploration_survey(const struct exploration *exploration,
                                         uint32_t level);

static inline bool survey_is_whole(const struct exploration *exploration,
                                   uint32_t level) {
  return !exploration->surveys[level].open.n && !exploration->nparts &&
         !exploration->options.walks;
}

// Does the level keep what was asked for, as far as it was explored?
bool level_is_good(const struct exploration *exploration, uint32_t level);

// Did all processes read the file?  False with a sentence if not; `failed` is
// how this one fared.
bool exploration_reads(const struct exploration *exploration, const char *path,
                       int failed, struct error *error);

// Failure number `number` of those that are told, level by level: an assertion
// that breaks, or a fault.  With --all each of a level, else the first.  False
// if there are not so many.
struct weakest_failure {
  uint32_t level; // in exploration.levels
  struct failure failure;
  uint32_t line;
};
bool exploration_failure(const struct exploration *exploration, uint32_t number,
                         struct weakest_failure *failure);

enum { REPAIRS_MAX = 16 };

struct live {         // what became of a script on the target
  char database[128]; // as it names itself
  const char *level;
  enum isolation claimed; // what that level promises
  uint32_t performed, seen, aborted, blocked, prevented;
};

// A smallest story of a failure: the program it needs, the steps, and a script.
struct smallest {
  uint32_t number; // of the failure, from 0
  bool found;
  enum level told_at; // where the same steps were told before; or LEVEL_COUNT
  uint32_t ntxns, all_txns; // without `finally`
  char *steps;              // a line each
  char *script;             // NULL: there can be none
  bool is_serial, has_locks;
  bool is_refuted; // the checker disagrees: a bug
  struct error refutation;
  uint32_t nrepairs;
  struct repair repairs[REPAIRS_MAX];
  char *repaired[REPAIRS_MAX];         // the script with the repair, or NULL
  struct history history;              // if a report was asked for
  bool performed;                      // `live` says how it went
  struct live live, gone[REPAIRS_MAX]; // gone: with the repair
};
void smallest_find(const struct exploration *exploration,
                   const struct weakest_failure *failure,
                   struct smallest *smallest);
// The file or directory of this failure: `name` for the first one, `name-2` for
// the second; to be freed.
char *smallest_place(const struct smallest *smallest, const char *name);
void smallest_free(struct smallest *smallest);

struct told_failures { // in the order in which they are told
  uint32_t n, room;
  struct told_failure {
    struct weakest_failure failure;
    struct smallest *smallest;
  } * all;
};

// ---- Schema and pgbench scripts (scripts.c)

// Has `each` explore the program of the scripts among the words.
enum status scripts_explore(struct exploration *exploration,
                            const struct arguments *arguments,
                            enum status (*each)(struct exploration *e,
                                                struct program *program));

// ---- How far it is (watching.c)

// From two seconds on says on stderr how far the survey of the level is, which
// begins now, under these options.
struct level_watch;
struct level_watch *level_watch_start(const struct exploration *exploration,
                                      uint32_t level,
                                      struct survey_options *options);
void level_watch_end(struct level_watch *watch);

// ---- What is left (leaving.c)

// Drops the survey of the level, or keeps it for the file.
void exploration_keep(struct exploration *exploration, uint32_t level);
// Writes the file if something is left, and says how to go on; the status.
enum status exploration_save(struct exploration *exploration,
                             const struct arguments *arguments,
                             enum status status);

// Writes the report of the history, with pictures and with how it went live, to
// the directory of --explain. -1 with a sentence.
int page_write(const struct exploration *exploration,
               const struct weakest_failure *failure,
               const struct smallest *smallest, struct error *error);

// ---- Changes that help (repair.c)

// Finds which single changes make all assertions hold at the level of the
// failure.  Tries them on the program itself, which it leaves as it was.  Call
// it before smallest_find.
void smallest_repair(const struct exploration *exploration,
                     const struct weakest_failure *failure,
                     struct smallest *smallest);
// The transactions of a kind as their user calls them: "buy", "buy.pgbench",
// "transaction 2 of buy.pgbench".
void repair_put_kind(FILE *out, const struct program *program,
                     const char *kind);
void repair_put(FILE *out, const struct exploration *exploration,
                const struct repair *repair);
void repairs_put(const struct exploration *exploration,
                 const struct weakest_failure *failure,
                 const struct smallest *smallest);
// Tells a weakest level for each transaction.
void allocation_put(const struct exploration *exploration);
void allocation_put_json(struct json *json,
                         const struct exploration *exploration);

// ---- Live (live.c)

// Can the target be told this script, which may be NULL?  Not all databases
// have SQL and locks.
bool live_can(const struct settings *settings, const char *script);
// Performs the script on the target of the settings.  -1 with a sentence.
int live_perform(const struct exploration *exploration,
                 const struct weakest_failure *failure, const char *script,
                 struct live *live, struct error *error);

// ---- Telling (tell.c)

// Tells about how many histories the program has at each level.
enum status estimates_put(const struct exploration *exploration);
void exploration_put_program(const struct exploration *exploration);
void exploration_put(const struct exploration *exploration);
// Lists the outcomes at each level, explored once more.
void outcomes_put(const struct exploration *exploration);
// The assertion that fails, or what else went wrong; a constant string.
const char *failure_text(const struct program *program, struct failure failure);
void exploration_put_failure(const struct exploration *exploration,
                             const struct weakest_failure *failure,
                             const struct smallest *smallest);
// How the scripts went, if they were performed.
void live_put(const struct exploration *exploration,
              const struct smallest *smallest);
// Writes the live performance and the repairs as members of an object.
void live_put_json(struct json *json, const struct exploration *exploration,
                   const struct smallest *smallest);
// The whole result as one JSON object.
void exploration_put_json(const struct exploration *exploration,
                          const struct told_failures *told);

#endif
