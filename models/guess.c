// SPDX-License-Identifier: GPL-3.0-or-later
// Which models a log may be of (models/models.h), for who did not name one.
#include "config.h"

#include "models/models.h"

#include <string.h>

// Functions that logs of transactions and of registers have, too.
static bool is_telling(const struct log *log, const struct log_op *op) {
  static const char *const plain[] = {"read", "write", "cas", "txn", NULL};
  const char *const *f = plain;
  while (*f && !log_op_is(log, op, *f))
    f++;
  return !*f;
}

bool log_model_fits(const struct log_model *model, const struct log *log) {
  bool telling = false;
  for (uint32_t i = 0; i < log->nops; i++) {
    const struct log_op *op = &log->ops[i];
    const log_id id = log_op_value(op);
    const bool reads =
        op->outcome == OUTCOME_OK && log_op_is(log, op, "read") && id;
    if (!log_model_knows(model, log, op) ||
        (reads && model->reads && !model->reads(log, id)))
      return false;
    telling |=
        is_telling(log, op) || (reads && log_value(log, id)->kind == LOG_MAP);
  }
  return telling;
}
