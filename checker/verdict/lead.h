// SPDX-License-Identifier: GPL-3.0-or-later
// Which of several violations comes first.
#ifndef CHECKER_VERDICT_LEAD_H
#define CHECKER_VERDICT_LEAD_H

#include "checker/verdict/verdict.h"

// How much an anomaly hurts: 0 what damages data whatever the application does,
// then what loses a change, what breaks a rule of the application, what shows a
// state that never was, and what shows two states.
enum { ANOMALY_HARMS = 5 };
unsigned anomaly_harm(enum anomaly anomaly);

// Tells the violation first that hurts most, of those that were proved: one
// that the promised level rules out before one that it allows.
void violation_lead(struct verdict *violation, enum isolation promised);

#endif
