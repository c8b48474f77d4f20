// SPDX-License-Identifier: GPL-3.0-or-later
// How a command ends: its exit status and its complaints.
#ifndef CLI_STATUS_H
#define CLI_STATUS_H

#include "base/error.h"
#include "checker/verdict/verdict.h"

// Exit status.
enum status {
  STATUS_KEPT = 0,      // the level was kept, or there was nothing to say
  STATUS_VIOLATION = 1, // it was broken
  STATUS_UNDECIDED = 2, // neither could be proved
  STATUS_UNMET = 3,     // a requirement of --require is not met
  STATUS_USAGE = 254,   // the command line or a job file is wrong
  STATUS_TROUBLE = 255, // something else is; what was recorded is kept
};

// The worse of two statuses: trouble, then wrong usage, then a violation, then
// undecided, then a requirement that is not met.
enum status status_worse(enum status a, enum status b);
enum status status_of_verdict(enum verdict_kind kind);
// A signal came before all of it was done: says so, and that it is undecided
// unless it is worse already.
enum status status_interrupted(enum status status, const char *all_of_it);

// STATUS_USAGE if a person is at fault, else STATUS_TROUBLE.
enum status status_of_error(const struct error *error);

// Writes `isostress: SENTENCE` to stderr, without control characters.
void put_sentence(const char *sentence);

// Writes the sentence to stderr and returns the status of the error.
enum status complain_of(const struct error *error);
// Writes a sentence to stderr, in which paths and other words of the user have
// no control characters.
void tell_user(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Writes the sentence to stderr and returns `status`.
enum status complain(enum status status, const struct error *error);

#endif
