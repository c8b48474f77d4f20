// SPDX-License-Identifier: GPL-3.0-or-later
// The table of the loads that show each anomaly best (workload/aim.h), by MTC,
// section III-B and figure 5: Wei et al., "Boosting End-to-End Database
// Isolation Checking via Mini-Transactions", whose section on future work asks
// for it.
//
// Four rules stand behind the rows.  A row uses as few keys as the figure, so
// that transactions that meet do so on these keys.  If the anomaly is a race,
// all of eight sessions share them: the pairs that may race grow with the
// square of the sessions, and a pause between operations would cost more of
// them than it brings. If one read is enough to show the anomaly, and all reads
// are alike, a transaction reads many keys; this is more than a
// mini-transaction does, but every write still follows a read of its key, so
// checking stays linear.  If only readers can show the anomaly, few write.
#include "config.h"

#include "workload/aim.h"

#include "base/anomaly_names.h"
#include "base/nearest.h"

#include <assert.h>
#include <stddef.h>

enum { NO_PAUSE = 0, PAUSE = 100000 }; // ns

const struct aim aims[] = {
    // Any read may show a value that nobody wrote, so there are many.
    {"ThinAirRead",
     2,
     16,
     NO_PAUSE,
     {{0.1, MT_RMW1, "rx wx"}, {0.9, MT_RO, "r*"}}},
    // Writers may abort; readers come soon after.
    {"AbortedRead",
     8,
     2,
     NO_PAUSE,
     {{0.5, MT_RMW2, "rx ry wx wy"}, {0.5, MT_RO, "rx ry"}}},
    // All reads come before all writes; one session is enough for it.
    {"FutureRead", 1, 12, NO_PAUSE, {{1, MT_RMW2, "r* w*"}}},
    // Others would only be in the way.
    {"NotMyLastWrite", 1, 1, NO_PAUSE, {{1, MT_READBACK, "rx wx wx rx"}}},
    {"NotMyOwnWrite", 1, 1, NO_PAUSE, {{1, MT_READBACK, "rx wx rx"}}},
    {"IntermediateRead",
     8,
     1,
     NO_PAUSE,
     {{0.3, MT_REWRITE, "rx wx wx"}, {0.7, MT_RO, "rx"}}},
    {"NonRepeatableReads",
     8,
     1,
     NO_PAUSE,
     {{0.7, MT_REREAD, "rx rx"}, {0.3, MT_RMW1, "rx wx"}}},
    // A session writes keys and reads them in a later transaction.
    {"SessionGuaranteeViolation",
     2,
     8,
     NO_PAUSE,
     {{0.5, MT_RMW1, "rx wx"}, {0.5, MT_RO, "r*"}}},
    // Both keys are written together, and read one after the other.
    {"NonMonotonicRead",
     8,
     2,
     NO_PAUSE,
     {{0.4, MT_RMW2, "rx ry wx wy"}, {0.6, MT_RO, "rx ry"}}},
    {"FracturedRead",
     8,
     2,
     NO_PAUSE,
     {{0.4, MT_RMW2, "rx ry wx wy"}, {0.6, MT_RO, "rx ry"}}},
    // One writes x, another reads x and writes y, a third reads both and misses
    // x.
    {"CausalityViolation",
     8,
     2,
     NO_PAUSE,
     {{0.15, MT_R2W1, "rx ry wy"}, {0.85, MT_RO, "rx ry"}}},
    // Two write a key each, two others read both.
    {"LongFork",
     8,
     4,
     NO_PAUSE,
     {{0.25, MT_RMW1, "rx wx"}, {0.75, MT_RO, "r*"}}},
    {"LostUpdate", 8, 1, NO_PAUSE, {{1, MT_RMW1, "rx wx"}}},
    {"WriteSkew", 8, 2, NO_PAUSE, {{1, MT_R2W1, "rx ry wx"}}},
    {NULL, 0, 0, NO_PAUSE, {{0, MT_RO, NULL}}},
};

// A reader beside who inserts, moves and deletes in its bucket; two guards, two
// UPDATEs by conditions, or two that read a bucket and update a row; an UPDATE
// of a bucket beside a transaction that updates and inserts in it; two
// that insert and two that read.
const struct row_aim row_aims[] = {
    {.aim = {.name = "PhantomRead", .keys = 2, .pause = PAUSE},
     .shares = {[ROWS_REREAD] = 0.4,
                [ROWS_INSERT] = 0.2,
                [ROWS_MOVE] = 0.2,
                [ROWS_DELETE] = 0.2}},
    {.aim = {.name = "WriteSkew", .keys = 2, .pause = PAUSE},
     .shares = {[ROWS_POINT] = 0.4,
                [ROWS_GUARD] = 0.2,
                [ROWS_SWAP] = 0.2,
                [ROWS_DELETE] = 0.2}},
    {.aim = {.name = "FracturedStatement", .keys = 1, .pause = PAUSE},
     .shares = {[ROWS_SAME] = 0.3,
                [ROWS_REFILL] = 0.4,
                [ROWS_RO] = 0.2,
                [ROWS_DELETE] = 0.1}},
    {.aim = {.name = "LongFork", .keys = 1, .pause = PAUSE},
     .shares = {[ROWS_INSERT] = 0.2, [ROWS_RO] = 0.7, [ROWS_DELETE] = 0.1}},
    {.aim = {.name = NULL}},
};

static const struct aim *aim_number(bool rows, size_t i) {
  return rows ? &row_aims[i].aim : &aims[i];
}

static int unknown_aim(const char *name, bool rows, const char *const *names,
                       struct error *error) {
  const char *near = nearest(name, names);
  return near ? error_set(error,
                          "aim: \"%s\" is not an anomaly that a run can aim "
                          "at; did you mean %s?",
                          name, near)
              : error_set(error,
                          "aim: \"%s\" is not an anomaly that the workload "
                          "%s can aim at; `isostress list aims` lists them",
                          name, rows ? "predicate" : "mt");
}

const struct aim *aim_find(const char *name, bool rows, struct error *error) {
  enum { MOST = sizeof aims / sizeof *aims };
  static_assert(sizeof row_aims / sizeof *row_aims <= MOST, "names has room");
  const char *names[MOST] = {NULL};
  for (size_t i = 0; aim_number(rows, i)->name; i++)
    names[i] = aim_number(rows, i)->name;
  const char *meant = anomaly_meant(name, names);
  for (size_t i = 0; meant && names[i]; i++)
    if (meant == names[i])
      return aim_number(rows, i);
  unknown_aim(name, rows, names, error);
  return NULL;
}
