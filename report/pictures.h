// SPDX-License-Identifier: GPL-3.0-or-later
// Counterexamples as pictures: a graph of transactions for Graphviz, and a time
// line of sessions that is drawn here.  Both show the same things: certain
// dependencies are solid arrows, those inferred from the order of versions are
// dashed, and both bear the numbers of the sentences that explain them.
#ifndef REPORT_PICTURES_H
#define REPORT_PICTURES_H

#include "base/error.h"
#include "report/example.h"
#include "report/stored.h"

#include <stdio.h>

// A page shrinks a picture that is too wide for it, but not below this much of
// its width (--least in the page's style), so that it can still be read.
#define PICTURE_LEAST_SCALE 0.7

// The graph in Graphviz's language.  `prefix` starts the ids of its elements,
// so that several may stand in one page.
void graph_put_dot(FILE *out, const struct example *example,
                   const char *prefix);

// The time line as an SVG element.  On its own it is a file with its own
// colours, else a part of a page whose colours it takes.
void timeline_put_svg(FILE *out, const struct example *example,
                      const char *prefix, bool on_its_own);

// Nobody can follow more transactions than that in a picture, and Graphviz
// would take minutes.
enum { PICTURE_MOST_TXNS = 200 };

// Is it small enough to be drawn?
static inline bool picture_has_room(const struct example *example) {
  return example->ntxns <= PICTURE_MOST_TXNS;
}

// Writes counterexample-NUMBER.dot, .svg and -timeline.svg to the directory.
// Without Graphviz, or once `stop` (which may be NULL) is set, there is no
// .svg, and *undrawn says why; otherwise it stays as it is.  -1 with a
// sentence.  A counterexample that is too large for pictures has only the .dot.
int pictures_write(const char *directory, unsigned number,
                   const struct example *example, const volatile bool *stop,
                   enum undrawn *undrawn, struct error *error);

#endif
