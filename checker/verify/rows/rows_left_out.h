// SPDX-License-Identifier: GPL-3.0-or-later
// Checks which versions of its rows a part of a history leaves out
// (checker/part/rows_cut.h has the rules, and why they are enough).  Shares no
// code with what chose them.
#ifndef CHECKER_VERIFY_ROWS_ROWS_LEFT_OUT_H
#define CHECKER_VERIFY_ROWS_ROWS_LEFT_OUT_H

#include "checker/verify/verify.h"

// A part, as it lies in the history.
struct rows_left {
  const struct history *h;
  const uint8_t *counted;
  const struct check_options *options;
  const uint8_t *key;       // per key: is it in the part?
  const uint8_t *statement; // per statement: is it?
};

// Per operation that replaced a version of a row of which some are left out:
// the last one before it in the part, which it is to have seen there (from nops
// on, what the key was at first).  Of all other operations UINT32_MAX.  NULL,
// with a sentence, if the part lacks a version that it needs.  To be freed.
uint32_t *rows_seen_in_part(const struct rows_left *part, struct error *error);

#endif
