// SPDX-License-Identifier: GPL-3.0-or-later
// The guarantees that a database really gives: its levels side by side, each
// with what was seen of every anomaly.
#ifndef REPORT_WORDS_GUARANTEES_H
#define REPORT_WORDS_GUARANTEES_H

#include "checker/verdict/verdict.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum cell_kind {
  CELL_EMPTY,     // could not be tried
  CELL_PREVENTED, // it did not occur, without a wait or an abort
  CELL_BLOCKED,   // prevented by blocking
  CELL_ABORTED,   // prevented by an abort
  CELL_SEEN,
};

// One anomaly of the grid, after Hermitage and Adya.
struct guarantee_row {
  const char *name, *title; // "p4", "lost update"
  const char *heading;      // "Lost update"; of the page
  const char *meaning;      // one line of the page
  enum anomaly anomaly;     // that it is an example of
};

// Each anomaly by the name of the step script that shows it.
enum { GUARANTEE_ROWS = 13 };
extern const struct guarantee_row guarantee_grid[GUARANTEE_ROWS];
// ANOMALY_NONE: the grid has no such script.
enum anomaly guarantee_anomaly(const char *script);

struct guarantee_cell {
  enum cell_kind kind;
  char detail[32]; // the code of the abort; how often it was seen
  double seconds;  // that its performances took
  char *page;      // of them, as an address from the scorecard's; NULL: none
};

// One level, and with several hosts one way to spread sessions over them.
struct guarantee_column {
  const char *level;      // the database's own words
  bool is_default;        // of the database
  const char *endpoints;  // "pin"...; NULL: there is one host
  enum isolation claimed; // what it promises on this server
  enum isolation kept;    // the strongest level that all stress kept
  bool violated;          // some stress broke what is claimed; if not, and less
                          // is kept, the claim is undecided
  bool stressed;          // kept and what follows are known
  double load_seconds;    // of all stress and its checks
  char trouble[256];      // the first of a stress; empty: none
  double abort_share;     // of attempts, under mini-transactions
  double throughput;      // committed transactions a second, likewise
  char broken[256];       // anomalies under stress: "LostUpdate 214, ..." a
                          // thousand committed transactions
  // As kept, stressed and violated, for SQL with conditions, where the database
  // executes it.
  bool stressed_rows, violated_rows;
  enum isolation kept_rows;
  double found[ANOMALY_COUNT];  // the same as numbers
  char *runs[ANOMALY_COUNT];    // the page of one that found it, as an address
                                // from the scorecard's; NULL: none
  uint64_t checked;             // committed transactions of all stress
  struct guarantee_cell *cells; // one per row
};

struct guarantees {
  const char *program; // and version
  const char *target;  // without secrets
  const char *command; // that makes it, for a shell
  const char *server;  // what the database says of itself
  uint64_t date;       // ns since 1970: its begin
  const struct guarantee_row *rows;
  uint32_t nrows;
  struct guarantee_column *columns;
  uint32_t ncolumns;
  const char *left_out; // of random load, for lack of it; NULL: nothing
  const char *failed;   // a sentence about statements that fail for no reason
                        // which a database has to prevent an anomaly; or NULL
  bool interrupted;     // before all was tried
  const char *trouble;  // that ended it; NULL: none
  const char
      *all_results; // of the page: as for page_bar (report/page/blocks.h)
};

// As one JSON document.
void guarantees_put_json(FILE *out, const struct guarantees *guarantees);

#endif
