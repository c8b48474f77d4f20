// SPDX-License-Identifier: GPL-3.0-or-later
// Decides a history with rows, where its rows as registers keep the level: what
// remains are the rows that statements did not return.
#ifndef CHECKER_ROWS_ENGINE_H
#define CHECKER_ROWS_ENGINE_H

#include "base/ids.h"
#include "checker/verdict/verdict.h"

// A row that a statement did not return, or found absent to insert it.
struct unseen {
  uint32_t statement, key;
  bool inserted;
};

enum rows_answer { ROWS_KEPT, ROWS_BROKEN, ROWS_STOPPED };

struct rows_decision {
  enum rows_answer answer;
  // Kept: as in struct verdict.
  uint32_t norder, *order, *snapshot, *place, nfound;
  struct found_unseen *found;
  uint32_t nleft; // stopped: transactions at RC and RA without a place
  // Broken: it rests on these rows, and on what these transactions did.
  struct unseen *unseen;
  uint32_t nunseen;
  struct ids txns;
};

// `registers`: rows_registers of the history (checker/part/row_registers.h).
// It decides PC and above, RC and RA only by the levels of the transactions,
// and CC nowhere.  -1 with a sentence if the history is too large.
int rows_decide(struct rows_decision *decision, const struct history *history,
                const struct history *registers,
                const struct check_options *options, struct error *error);
void rows_decision_free(struct rows_decision *decision);

// A statement of a transaction that counts whose rows are wrong at any level: a
// row comes twice, does not satisfy the condition, is not what its writer
// wrote, or is not what its own transaction left.  UINT32_MAX: there is none.
uint32_t rows_wrong_statement(const struct history *history,
                              const uint8_t *counted,
                              const struct check_options *options);

#endif
