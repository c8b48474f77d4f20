// SPDX-License-Identifier: GPL-3.0-or-later
// The table of the isolation levels' rules (checker/verdict/level_rules.h).
#include "config.h"

#include "checker/verdict/level_rules.h"

static const struct level_rules rows[ISOLATION_COUNT] = {
    [ISOLATION_NONE] = {.visible = VISIBLE_NOTHING, .saturates = true},
    [ISOLATION_RC] = {.visible = VISIBLE_DIRECTLY,
                      .saturates = true,
                      .usual = ANOMALY_CYCLE_G1C},
    [ISOLATION_RA] = {.visible = VISIBLE_OBSERVED,
                      .saturates = true,
                      .usual = ANOMALY_FRACTURED_READ},
    [ISOLATION_CC] = {.visible = VISIBLE_CAUSALLY,
                      .saturates = true,
                      .usual = ANOMALY_CAUSALITY_VIOLATION},
    [ISOLATION_PC] = {.visible = VISIBLE_PREFIX,
                      .splits = true,
                      .usual = ANOMALY_LONG_FORK},
    [ISOLATION_SI] = {.visible = VISIBLE_PREFIX,
                      .splits = true,
                      .conflicts = true,
                      .usual = ANOMALY_CYCLE_G_SINGLE},
    [ISOLATION_SER] = {.visible = VISIBLE_ALL,
                       .conflicts = true,
                       .usual = ANOMALY_CYCLE_G2_ITEM},
    [ISOLATION_SSER] = {.visible = VISIBLE_ALL,
                        .conflicts = true,
                        .real_time = true,
                        .usual = ANOMALY_STALE_READ},
};

const struct level_rules *level_rules_in_use = rows;
