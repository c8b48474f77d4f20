// SPDX-License-Identifier: GPL-3.0-or-later
// Waiting for names that another run uses (drivers/claim.h).
#include "config.h"

#include "drivers/claim.h"

#include "base/clock.h"
#include "base/notice.h"

#define PAUSE (NS_PER_SECOND / 20)

bool claim_again(struct claim_wait *wait) {
  const uint64_t now = clock_now();
  if (!wait->since)
    wait->since = now;
  if (now - wait->since >= CLAIM_PATIENCE * NS_PER_SECOND)
    return false;
  if (now - wait->since >= NS_PER_SECOND && !wait->told) {
    wait->told = true;
    notice("%s: another run uses %s; waiting for its end, %d s at most",
           wait->server, wait->names, CLAIM_PATIENCE);
  }
  clock_sleep_until(now + PAUSE);
  return true;
}

int claim_refuse(const char *server, const char *names, const char *option,
                 bool pooled, struct error *error) {
  return error_set(error,
                   "%s: another run uses %s; wait until it has ended%s, or "
                   "choose other names with %s=NAME",
                   server, names,
                   pooled ? " (behind a pooler its claim ends when the pooler "
                            "lets its client go)"
                          : "",
                   option);
}
