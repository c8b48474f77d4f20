// SPDX-License-Identifier: GPL-3.0-or-later
// Names of levels (explore/levels.h).
#include "config.h"

#include "explore/levels.h"

#include <string.h>
#include <strings.h>

static const struct {
  const char *name;
  enum level base;
} levels[LEVEL_COUNT] = {
    [LEVEL_TRUE] = {"true", LEVEL_TRUE},
    [LEVEL_RC] = {"rc", LEVEL_RC},
    [LEVEL_RCC] = {"rcc", LEVEL_RCC},
    [LEVEL_RC_STATEMENT] = {"rc-statement", LEVEL_RCC},
    [LEVEL_RCS] = {"rcs", LEVEL_RCS},
    [LEVEL_MYSQL_RR] = {"mysql-rr", LEVEL_RCS},
    [LEVEL_RA] = {"ra", LEVEL_RA},
    [LEVEL_CC] = {"cc", LEVEL_CC},
    [LEVEL_PC] = {"pc", LEVEL_CC},
    [LEVEL_SI] = {"si", LEVEL_CC},
    [LEVEL_SER] = {"ser", LEVEL_CC},
};

const char *level_name(enum level level) { return levels[level].name; }

bool level_parse(const char *text, enum level *level) {
  for (int i = LEVEL_RC; i < LEVEL_COUNT; i++)
    if (!level_is_internal((enum level)i) &&
        !strcasecmp(text, levels[i].name)) {
      *level = (enum level)i;
      return true;
    }
  return false;
}

enum level level_base(enum level level) { return levels[level].base; }
