// SPDX-License-Identifier: GPL-3.0-or-later
// The subject of a verdict, in words.
#include "config.h"

#include "report/title.h"

#include <stdio.h>

// At read committed real time only orders the commits: its axiom lets a read
// miss what had been committed before.
static const char *real_time_of(const struct verdict *verdict) {
  if (!verdict->real_time || verdict->level == ISOLATION_SSER)
    return "";
  return verdict->level == ISOLATION_RC && !verdict->mixed
             ? " in real time (which permits stale reads)"
             : " in real time";
}

// Does the reading of read committed make a difference?
static const char *reading_of(const struct verdict *verdict) {
  return verdict->rc_sees_session &&
                 (verdict->mixed || verdict->level == ISOLATION_RC)
             ? " where reads see their session"
             : "";
}

const char *title_of(const struct verdict *verdict, char *buffer) {
  snprintf(buffer, TITLE_ROOM, "%s%s%s%s%s%s",
           verdict->mixed ? "the level of each transaction"
                          : isolation_title(verdict->level),
           reading_of(verdict),
           verdict->by_items ? " by returned rows alone" : "",
           verdict->plain_reads ? " by plain SELECTs alone" : "",
           real_time_of(verdict),
           verdict->session_order ? "" : " without session order");
  return buffer;
}
