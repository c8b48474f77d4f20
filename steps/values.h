// SPDX-License-Identifier: GPL-3.0-or-later
// The values of a step script are words; the database holds numbers, which are
// other ones in every repetition.
#ifndef STEPS_VALUES_H
#define STEPS_VALUES_H

#include "base/operation.h"
#include "steps/script.h"

// The number that stands for a value of the script in a repetition.
static inline uint64_t value_number(const struct script *script,
                                    uint32_t repetition, uint32_t value) {
  if (value == SCRIPT_INITIAL)
    return VALUE_INITIAL;
  const struct step *writer = &script->steps[script->values[value].step];
  return value_of_write(writer->session,
                        (uint64_t)repetition * script->nvalues + value);
}

// The value for which a number stands; SCRIPT_NO_VALUE if for none.
static inline uint32_t value_of_number(const struct script *script,
                                       uint32_t repetition, uint64_t number) {
  if (number == VALUE_INITIAL)
    return SCRIPT_INITIAL;
  const uint32_t value = (uint32_t)(value_sequence(number) % script->nvalues);
  return value_number(script, repetition, value) == number ? value
                                                           : SCRIPT_NO_VALUE;
}

#endif
