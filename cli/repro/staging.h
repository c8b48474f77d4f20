// SPDX-License-Identifier: GPL-3.0-or-later
// A step script on the target of the settings: what `steps` and `replay` have
// in common.
#ifndef CLI_REPRO_STAGING_H
#define CLI_REPRO_STAGING_H

#include "checker/verdict/verdict.h"
#include "cli/settings/settings.h"
#include "steps/judge.h"

// Said where some step was taken to be blocked because of its time alone.
#define STAGING_BY_TIME                                                        \
  "blocking    is told by time: the database did not say who waits"

struct staging {
  const struct script *script;
  struct stage *stage;
  struct step_result *results; // of the last performance
  char *bug;                   // as an option of the target; or NULL
  char *server;                // whose nodes the script acts on; or NULL
  bool used;                   // it has been performed
  bool made;                   // of a script in SQL: `history` is, of the last
  struct history history;      // performance
};

// Opens the target of the settings for so many performances.  -1 with a
// sentence without passwords.  End with staging_end in both cases.
int staging_start(struct staging *staging, const struct script *script,
                  const struct settings *settings, uint32_t repetitions,
                  struct error *error);
void staging_end(struct staging *staging);

// Performs the script; -1 with a sentence.
int staging_perform(struct staging *staging, uint32_t repetition,
                    const struct settings *settings, struct error *error);

// The verdict on the history of a performance.
struct kept_level {
  enum isolation kept;  // the strongest level
  enum anomaly anomaly; // of the next stronger one; ANOMALY_NONE if it kept all
};

// -1 with a sentence if no history can be made of the last performance, or if a
// verdict failed its own proof.
int staging_check(struct staging *staging, uint32_t repetition,
                  const struct settings *settings, struct kept_level *found,
                  struct error *error);

// Writes the history of the last performance to a file, in the format that its
// name ends in, or else in our own; -1 with a sentence.
int staging_save(struct staging *staging, uint32_t repetition, const char *path,
                 struct error *error);

#endif
