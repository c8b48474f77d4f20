// SPDX-License-Identifier: GPL-3.0-or-later
// Whether an aim brings more chances a second than its plain shapes.
#ifndef BENCH_AIM_CHANCES_H
#define BENCH_AIM_CHANCES_H

#include <stdint.h>

// Prints, for each aim whose name starts with one of the names, or for all, the
// chances of its anomaly in a second on the database: of its shapes without the
// aim, from the same 8 sessions on the same 96 keys, as many as the widest aim
// needs, and of the aim.  Medians of so many runs, which alternate.  Ends the
// program if the database does not answer.
void aim_chances(const char *uri, uint32_t seconds, uint32_t nruns,
                 char **names);

#endif
