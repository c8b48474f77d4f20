// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of pages about an anomaly: whether the database promises that it
// does not occur, what it does to an application, and what helps.
#ifndef REPORT_PAGE_COLUMNS_H
#define REPORT_PAGE_COLUMNS_H

#include "report/badge.h"

#include <stdio.h>

struct subject {
  struct promised_level level;
  enum anomaly anomaly; // ANOMALY_NONE: it has no name
  enum badge badge;     // one of the first four
  bool unseen;          // it was tried, and did not occur
  const char *helps;    // of the user's own SQL (base/marks.h); NULL: what
                        // helps against the anomaly
};

// The documentation's words on the level, in sentences, and where they stand.
void columns_put_documented(FILE *out, const struct promised_level *level);

// "Yes.": is it promised?  A constant string.
const char *columns_answer(enum badge badge);

void columns_put_promise(FILE *out, const struct subject *subject);
// These two need the name of the anomaly.
void columns_put_application(FILE *out, enum anomaly anomaly);
// The help: one sentence or more each (base/marks.h), NULL behind the last one.
enum { COLUMNS_HELPS = 3 };
void columns_help(const struct subject *subject,
                  const char *helps[COLUMNS_HELPS]);
// Leaves the column open for more; close it with "</div>\n".
void columns_put_help(FILE *out, const struct subject *subject);

#endif
