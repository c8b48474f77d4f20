// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict on a run as people who run databases ask for it: is what was seen
// a bug of the database, or a property of its level?
#ifndef REPORT_BADGE_H
#define REPORT_BADGE_H

#include "report/stored.h"
#include "report/words/promises.h"

enum badge {
  BADGE_FORBIDDEN,    // seen, and the documentation rules it out
  BADGE_ALLOWED,      // seen, and the level promises less
  BADGE_SERVERS,      // promised for one server, seen across several
  BADGE_UNDOCUMENTED, // seen; isostress knows no documentation, or another
                      // level was in effect
  BADGE_BROKEN,       // a history that no run of ours recorded breaks the level
  BADGE_POSSIBLE,     // a history that a program can have breaks it
  BADGE_BESIDE,       // an invariant or the promise of a test is broken
  BADGE_UNDECIDED,
  BADGE_UNCHECKED,
  BADGE_NOTHING_DONE, // nothing was committed that could break a level
  BADGE_INCOMPLETE,   // kept in what was recorded, and the run is no success
  BADGE_UNMET,        // kept, and a requirement is not met
  BADGE_KEPT,
  BADGES
};

struct badge_words {
  const char *colour; // of page_tag (report/page/blocks.h)
  const char *tag;    // a constant string
};
extern const struct badge_words badge_words[BADGES];

// Does the level rule the anomaly out?  One of the first four.
enum badge badge_of_anomaly(const struct promised_level *level,
                            enum anomaly anomaly);
// Does the level rule this counterexample out?  Likewise.
enum badge badge_of_example(const struct promised_level *level,
                            const struct example *example, bool real_time);
// Does a target name several servers?
bool badge_names_several(const char *target);
// The level of a run, as it was stored.
struct promised_level badge_level(const struct json_value *run);
enum badge badge_of(const struct stored *stored);
// Did the run, as it was stored, not meet a requirement?
bool badge_is_unmet(const struct json_value *run);
// That of the verdict on the level, whatever else the run was not.
enum badge badge_of_verdict(const struct stored *stored);

#endif
