// SPDX-License-Identifier: GPL-3.0-or-later
// How much a run that passed could have shown: its chances of each anomaly that
// the level forbids.
#ifndef REPORT_PROSPECT_H
#define REPORT_PROSPECT_H

#include "base/json.h"
#include "report/report.h"

struct prospect {
  const struct chance_kind *kind;
  uint64_t chances, low, high; // as in struct chances
  // Where one in so many chances shows the anomaly, it is seen at least once
  // with 95 % certainty: if none of n does, the share is below 3/n (the rule of
  // three: Hanley and Lippman-Hand, JAMA 249, 1983).  Of the `low` ones: what
  // was not counted is not relied on.  0: there were too few.
  uint64_t one_in;
};

// Those of the report, in the order of the table of chances; none unless the
// level was kept and they were counted.  `room` for CHANCE_KINDS.
uint32_t prospects_of(const struct report *report, struct prospect *room);

// "pairs", "triples", "transactions"; constant strings.
const char *prospect_unit(const struct chance_kind *kind);

// The unit as it stands behind the count: "pair" behind 1.  A unit that is not
// known stays as it is.
const char *prospect_counted(const char *unit, uint64_t count);

// The words for too few chances; `all` were counted.  A constant string.
const char *prospect_want(uint64_t chances, bool all);

void prospects_put_text(FILE *out, const struct report *report);
void prospects_put_json(struct json *json, const struct report *report);

// The anomalies of which there was no chance, separated by commas, into the
// buffer; false if there are none.
bool prospects_missing(const struct report *report, char *names, size_t bytes);

#endif
