// SPDX-License-Identifier: GPL-3.0-or-later
// The variables of a script while a recorded transaction of it goes on, as far
// as they follow from the record.
#ifndef CLI_JOBS_OWN_VALUES_H
#define CLI_JOBS_OWN_VALUES_H

#include "recorder/history.h"
#include "sql/steps.h"

struct own_values {
  const struct history *history;
  const struct sql_script *script;
  struct sql_number *numbers; // of each variable
  bool *known;
};

// Nothing is known but :client_id.
void own_values_init(struct own_values *values, struct arena *arena,
                     const struct history *history,
                     const struct sql_script *script, uint32_t session);

// The \set commands from one step to another.
void own_values_set(struct own_values *values, uint32_t first, uint32_t end);

// Learns from the numbers of a statement, which is that step.
void own_values_infer(struct own_values *values, uint32_t statement,
                      const struct sql_step *step);

// Do the variables give the numbers that the statement sent?
bool own_values_hold(const struct own_values *values, uint32_t statement,
                     const struct sql_step *step);

// Takes over what \gset keeps of it.
void own_values_keep(struct own_values *values, uint32_t statement,
                     const struct sql_step *step);

// The rows of a statement, by their keys; of these keys alone, unless that is
// NULL.  False: the columns of some are not known.
bool own_values_rows(const struct history *history, uint32_t statement,
                     const uint8_t *key, struct row_list *rows);

#endif
