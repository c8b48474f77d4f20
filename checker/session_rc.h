// SPDX-License-Identifier: GPL-3.0-or-later
// Read committed as the mixed-isolation paper reads it (--rc=mixed), of
// histories without SQL statements.
#ifndef CHECKER_SESSION_RC_H
#define CHECKER_SESSION_RC_H

#include "checker/verdict/verdict.h"

// Does the answer depend on the reading of read committed?
bool session_rc_is_asked(const struct history *history,
                         const struct check_options *options);

// As check, where session_rc_is_asked.  What dbcop's reading keeps and read
// atomic breaks stays undecided.
int session_rc_check(const struct history *history,
                     const struct check_options *options,
                     struct verdict *verdict, struct error *error);

#endif
