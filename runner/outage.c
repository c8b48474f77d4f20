// SPDX-License-Identifier: GPL-3.0-or-later
// Telling of lost connections (runner/outage.h).
#include "config.h"

#include "runner/outage.h"

#include "base/clock.h"
#include "base/notice.h"

#include <assert.h>

void outage_init(struct outage *outage) {
  *outage = (struct outage){0};
  pthread_mutex_init(&outage->mutex, NULL);
}

void outage_fini(struct outage *outage) {
  pthread_mutex_destroy(&outage->mutex);
}

static bool is_to_be_told(const struct outage *outage, uint64_t now) {
  return !outage->told &&
         (!outage->told_at ||
          now - outage->told_at >= OUTAGE_SILENCE * NS_PER_SECOND);
}

void outage_begin(struct outage *outage, uint32_t session, const char *why) {
  const uint64_t now = clock_now();
  pthread_mutex_lock(&outage->mutex);
  outage->without++;
  if (is_to_be_told(outage, now)) {
    outage->told = true;
    outage->told_at = now;
    notice("session %u lost its connection (%s); reconnecting", session, why);
  }
  pthread_mutex_unlock(&outage->mutex);
}

void outage_end(struct outage *outage, bool connected) {
  pthread_mutex_lock(&outage->mutex);
  assert(outage->without > 0);
  outage->without--;
  if (!outage->without && outage->told) {
    outage->told = false;
    if (connected)
      notice("all sessions have a connection again");
  }
  pthread_mutex_unlock(&outage->mutex);
}
