// SPDX-License-Identifier: GPL-3.0-or-later
// What a verdict is about, in words.
#include "config.h"

#include "report/title.h"

#include <stdio.h>

const char *title_of(const struct verdict *verdict, char *buffer) {
  snprintf(buffer, TITLE_ROOM, "%s%s%s",
           verdict->mixed ? "the level of each transaction"
                          : isolation_title(verdict->level),
           verdict->real_time && verdict->level != ISOLATION_SSER
               ? " in real time"
               : "",
           verdict->session_order ? "" : " without session order");
  return buffer;
}
