// SPDX-License-Identifier: GPL-3.0-or-later
// A list of scripts as people give it: "dir/pay.sql@3,take.sql".
#ifndef SQL_SCRIPT_LIST_H
#define SQL_SCRIPT_LIST_H

#include "base/error.h"

#include <stdint.h>

struct listed_script {
  char *path;     // owned
  char name[40];  // "pay": a word of letters and digits
  uint32_t share; // 3; without one, 1
};

// Reads a list of at most `most` scripts, whose names differ.  The result is
// freed by script_list_free; NULL with a sentence, whose usage is set.
struct listed_script *script_list_read(const char *list, uint32_t most,
                                       uint32_t *n, struct error *error);
void script_list_free(struct listed_script *scripts, uint32_t n);

#endif
