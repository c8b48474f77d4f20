// SPDX-License-Identifier: GPL-3.0-or-later
// Advice about the user's own scripts while it is being made: scripts as they
// are tried, and runs of them.
#ifndef CLI_ADVISE_ADVISING_H
#define CLI_ADVISE_ADVISING_H

#include "cli/settings/settings.h"
#include "cli/status.h"
#include "own/script.h"
#include "report/advised.h"

enum { ADVISE_SCRIPTS_MOST = 16, ADVISE_REMEDIES_MOST = 64 };

// The scripts and their schema, as they are or with changes.
struct draft {
  char *schema;                      // texts; owned
  char *texts[ADVISE_SCRIPTS_MOST];  // likewise
  char *levels[ADVISE_SCRIPTS_MOST]; // of one script alone; NULL: that of all
  char *changes;                     // in words, "" for none
};

struct advising {
  const struct settings *settings; // of the command
  const struct driver *driver;
  const char *names[ADVISE_SCRIPTS_MOST];      // "place.sql", each once
  const char *paths[ADVISE_SCRIPTS_MOST];      // of the files
  const char *unexplored[ADVISE_SCRIPTS_MOST]; // report/advised.h
  double shares[ADVISE_SCRIPTS_MOST];
  uint32_t nscripts;
  char *directory;    // of the results
  uint32_t ntried;    // drafts
  uint64_t ran, took; // ns: what runs were to last, and how long each took with
                      // its check
  struct arena arena;
  struct advised advised;
  struct advised_trial levels[16];
  struct advised_remedy remedies[ADVISE_REMEDIES_MOST];
  struct advised_trial after;
  char server[256];
  enum status status; // of trouble; else STATUS_KEPT
};

void draft_copy(struct draft *draft, const struct draft *from);
void draft_free(struct draft *draft);

// Writes a draft to a directory of its own, runs it at a level for so long
// (ns), and says what became of it.
void advise_try(struct advising *advising, const struct draft *draft,
                const char *level, uint64_t time, struct advised_trial *trial);

// How long all scripts run at once, ns.
uint64_t advise_time(const struct advising *advising);

// "about 4 min" for so many more runs, by how long runs took so far; to be
// freed.
char *advise_estimate(const struct advising *advising, uint32_t nruns);

// Tries the scripts as they are at each level of the database.
void advise_try_levels(struct advising *advising, const struct draft *draft);

// Has explore look at the scripts that its subset takes, at each level, and
// notes why it does not take the others.
void advise_explore(struct advising *advising);

// The weakest level at which all was kept is run again, for longer and with
// more twins, before it is advised; then the next one, if that was luck.
void advise_confirm_level(struct advising *advising, const struct draft *draft);

// Rehearses the scripts of the command, "a.sql@3,b.sql", and complains of what
// is wrong with them.
enum status advise_rehearse(struct advising *advising,
                            const struct draft *draft, const char *list);

// Does the database refuse a statement of the draft?  Nothing stays of it.
bool advise_refuses(struct advising *advising, const struct draft *draft,
                    const char *level);

// Reads the scripts of a draft; NULL: they cannot be read.
struct raw_scripts *draft_read(struct advising *advising,
                               const struct draft *draft);

// A change of one script.  What it points to is the arena's.
struct proposal {
  struct draft draft; // with the change
  const char *place, *now, *instead;
};
enum { PROPOSALS_MOST = 10 };

// Adds changes that may help a script in which something was found, the
// cheapest first, and returns how many.  None was tried, but the database
// refuses none.
uint32_t advise_propose(struct advising *advising, const struct draft *draft,
                        const char *level, uint32_t script,
                        struct proposal proposals[PROPOSALS_MOST]);

// Tries proposals until nothing is found at the default level, or nothing
// helps.
void advise_repair(struct advising *advising, const struct draft *draft);

#endif
