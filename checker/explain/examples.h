// SPDX-License-Identifier: GPL-3.0-or-later
// Which counterexamples are shown: of the examples of an anomaly that a census
// kept (checker/explain/count.h), those that are proved with a part of their
// own, the smallest parts first.
#ifndef CHECKER_EXPLAIN_EXAMPLES_H
#define CHECKER_EXPLAIN_EXAMPLES_H

#include "checker/model/model.h"
#include "checker/verdict/verdict.h"

// The smallest examples of one anomaly, which may be shown, smallest first.
struct shelf {
  struct verdict *items; // owned
  uint32_t count, room;
};

// It belongs to the whole history, whichever counterexample is told first.
struct example_tally {
  uint32_t found[ANOMALY_COUNT];
  bool more; // the search was cut short
  struct counted_op *counted;
  uint32_t ncounted, counted_room, nviolations; // violations that it numbered
  struct verdict *others;
  uint32_t nothers;
};

struct example_search {
  struct model *m;
  const struct check_options *options;
  struct verdict *verdict;    // the violation that is told first
  struct example_tally tally; // the others are added to it
};

// Takes the violation over.
void tally_add(struct example_tally *tally, const struct verdict *other);

// A violation of the level of the first one that says nothing more.
struct verdict examples_violation(const struct example_search *s,
                                  enum anomaly anomaly);

// A counterexample may turn out to show another anomaly when it is cut down.
// Then one of the kind that was found first is looked for, to be told first.
void examples_put_first(const struct example_search *s, struct shelf *shelf,
                        enum anomaly wanted);

// Adds what is to be shown of the shelf and empties it.  `first_is_here` says
// that the first violation is of its anomaly: then the smallest is told first.
void examples_add(struct example_search *s, struct shelf *shelf,
                  bool first_is_here);

#endif
