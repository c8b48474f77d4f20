// SPDX-License-Identifier: GPL-3.0-or-later
// Reading and checking a history, with progress and a time limit: what `run`
// and `check` have in common.
#ifndef CLI_JOBS_CHECKING_H
#define CLI_JOBS_CHECKING_H

#include "checker/auto_level.h"
#include "checker/chances/chances.h"
#include "cli/settings/settings.h"
#include "recorder/files/reader.h"

struct checking {
  const char *path; // as the user called it
  struct history history;
  // It is checked as a stream, and `history` is what the last verdict is about
  // (cli/jobs/streaming.h); NULL: it was loaded.
  struct flow *flow;
  char salvage[sizeof((struct error *)NULL)->text]; // what was lost of the
                                                    // file; empty: nothing
  void *gap;           // in memory, before large pages
  bool unread;         // it needs more memory than it may, or more time
  size_t memory_limit; // bytes that the process may allocate; 0: any
  double read_seconds;
  const volatile bool *stop; // the time is over; NULL: nothing was checked
  enum isolation claimed;    // the weakest level that it was recorded at
  bool open; // nothing is promised: of all levels the strongest one that is
             // kept is told, and what breaks the next
  // The last verdict; of all levels the one on the claimed level.
  const struct verdict *told;
  const struct verdict *beyond; // of all levels: on the weakest level that is
                                // broken, if the claimed one is not; else NULL
  bool scored;                  // all levels were checked
  bool counted;                 // `chances` are there: `told` is a pass
  struct chances chances;
  const struct verdict *serializable; // NULL: it was not asked besides
  // `told` and `serializable` point into one of these.
  struct verdict verdict, claim; // `claim` owns nothing
  struct verdict besides;        // the one on serializability
  struct auto_level card;
  double seconds; // reading and checking
};

// Reads the history as the settings say.  -1 with a sentence; `unread` tells
// that it was for want of memory or time.  End with checking_end in both cases.
int checking_start(struct checking *checking, const char *path,
                   const struct settings *settings, struct error *error);

// Checks a level, or LEVEL_AUTO or LEVEL_RECORDED, under the settings: in the
// time that reading has left, and from then on `stop` tells that it is over. -1
// with a sentence if a verdict failed its own proof.
int checking_check(struct checking *checking, int question,
                   const struct settings *settings, struct error *error);

// Whatever level was checked and kept: was serializability, too?  If not, that
// is told as `beyond`.  -1 with a sentence if a verdict failed its own proof.
int checking_ask_serializable(struct checking *checking,
                              const struct settings *settings,
                              struct error *error);

// The time that reading has left of the limit in the settings, in ns; 0: there
// is no limit.
uint64_t checking_time_left(const struct checking *checking,
                            const struct settings *settings);

// By whom a check was stopped: "time limit" or "interrupted".
const char *checking_limit_name(void);

// Writes the proof of the last verdict, if the settings name a file for it.  -1
// with a sentence.
int checking_keep_witness(const struct checking *checking,
                          const struct settings *settings, struct error *error);

void checking_end(struct checking *checking);

// The kind of the last verdict; of all levels, the verdict on the claimed
// level or, where nothing was claimed, on read committed.  Where nothing is
// promised, that of what is told.
enum verdict_kind checking_result(const struct checking *checking);

// Transactions of the history, whatever became of them.
uint64_t checking_count_txns(const struct checking *checking);

// The level that the history was recorded at, LEVEL_RECORDED if there were
// several or may be, or ISOLATION_NONE.
int checking_recorded_level(const struct checking *checking);

#endif
