// SPDX-License-Identifier: GPL-3.0-or-later
// How much a run that passed could have shown: its chances of each anomaly that
// the level forbids.
#ifndef REPORT_PROSPECT_H
#define REPORT_PROSPECT_H

#include "base/json.h"
#include "report/report.h"

struct prospect {
  const struct chance_kind *kind;
  uint64_t low, high; // as in struct chances
  // Where one in so many chances shows the anomaly, it is seen at least once
  // with 95 % certainty: if none of n does, the share is below 3/n (the rule of
  // three: Hanley and Lippman-Hand, JAMA 249, 1983).  Of the `low` ones: what
  // was not counted is not relied on.  0: there were too few.
  uint64_t one_in;
};

// Those of the report, in the order of the table of chances; none unless the
// level was kept and they were counted.  `room` for CHANCE_KINDS.
uint32_t prospects_of(const struct report *report, struct prospect *room);

// The place of an anomaly in the order in which people ask about them: lost
// updates first.  Those before PROSPECTS_FIRST are told by name, in a table of
// six or in a line.
enum { PROSPECTS_FIRST = 8, PROSPECTS_SHOWN = 6 };
uint32_t prospect_place(const char *anomaly);

// "pairs", "triples", "transactions"; constant strings.
const char *prospect_unit(const struct chance_kind *kind);

// Puts how many there are: "7,540 pairs", "between 600 and 900 pairs", "at
// least 5 pairs", "not known"; the unit is as prospect_unit has it, and
// `high` UINT64_MAX as in struct chances.  Without the unit if that is NULL.
void prospect_put_count(FILE *out, uint64_t low, uint64_t high,
                        const char *unit);

// The words where too few chances are known; a constant string.
const char *prospect_want(uint64_t low, uint64_t high);

void prospects_put_text(FILE *out, const struct report *report);
void prospects_put_json(struct json *json, const struct report *report);

#endif
