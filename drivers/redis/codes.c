// SPDX-License-Identifier: GPL-3.0-or-later
// The table of error replies (drivers/redis/codes.h), after src/server.c of
// Redis 7.0: what processCommand and its helpers reject.
#include "config.h"

#include "drivers/redis/codes.h"

#include <assert.h>
#include <string.h>

// A command that is rejected does nothing, and an EXEC that is rejected drops
// the transaction.  Of a reply that is not listed nothing is assumed.
// tests/live/redis_outcomes.c has each from a server, by what really causes it.
static const struct redis_code codes[] = {
    {"EXECABORT", CAUSE_OTHER, OUTCOME_ABORTED, false},
    {"WRONGTYPE", CAUSE_CONSTRAINT, OUTCOME_ABORTED, false},
    {"READONLY", CAUSE_OTHER, OUTCOME_ABORTED, false}, // a replica
    {"OOM", CAUSE_OTHER, OUTCOME_ABORTED, false},
    {"MISCONF", CAUSE_OTHER, OUTCOME_ABORTED, false}, // cannot save its data
    {"NOREPLICAS", CAUSE_OTHER, OUTCOME_ABORTED, false},
    {"NOPERM", CAUSE_OTHER, OUTCOME_ABORTED, false},
    {"BUSY", CAUSE_STATEMENT_TIMEOUT, OUTCOME_ABORTED, false}, // with a script
    {"NOAUTH", CAUSE_CONNECTION, OUTCOME_ABORTED, true},
    {"LOADING", CAUSE_CONNECTION, OUTCOME_ABORTED, true},    // after a start
    {"MASTERDOWN", CAUSE_CONNECTION, OUTCOME_ABORTED, true}, // its replica
    {"CLUSTERDOWN", CAUSE_CONNECTION, OUTCOME_ABORTED, true},
    {"CROSSSLOT", CAUSE_OTHER, OUTCOME_ABORTED, false},
    {"", CAUSE_OTHER, OUTCOME_UNKNOWN, false}, // all others
};

const struct redis_code *redis_code(const char *reply) {
  const size_t length = strcspn(reply, " ");
  const struct redis_code *code = codes;
  while (*code->word &&
         (strlen(code->word) != length || strncmp(code->word, reply, length)))
    code++;
  assert(code < codes + sizeof codes / sizeof *codes);
  return code;
}

const char *redis_reason(const char *reply) {
  static const char before[] = "EXECABORT Transaction discarded because of: ";
  const size_t length = sizeof before - 1;
  return strncmp(reply, before, length) ? reply : reply + length;
}
