// SPDX-License-Identifier: GPL-3.0-or-later
// Which anomaly a cycle is.  Anomalies are named by anomaly_info
// (checker/verdict/verdict.h).
#ifndef CHECKER_GRAPH_CLASSIFY_H
#define CHECKER_GRAPH_CLASSIFY_H

#include "checker/model/model.h"

// The most specific name of the cycle.  Its edges may skip others: an RW or WW
// edge may lead to a later version than the next one.
enum anomaly anomaly_of_cycle(const struct model *m, const struct edge *edges,
                              uint32_t n);

// The name of a LostWrite's cycle if some read of the history shows the write;
// the read need not be in the part that the cycle was found in.
enum anomaly anomaly_of_seen_write(const struct edge *edges, uint32_t n);

// Had the transaction of the operation read the same version of the key before
// it, as the last thing that it knew of the key?  It had read the key.
bool is_read_anew(const struct history *history, uint32_t op);

// The name of a read that is wrong in itself.  A history of rows tells who read
// a row and then changed it over another one's change, which is a lost update,
// from who only read it twice.
enum anomaly anomaly_of_read(const struct history *history,
                             const struct wrong_read *read);

// Does the anomaly break what is asked for?  Real time does where it counts: a
// cycle with it from SI up.
bool anomaly_breaks(enum anomaly anomaly, const struct check_options *options);

// Names a part that breaks the level, and no weaker one, without a cycle that
// has a name; the model is of the part.
enum anomaly anomaly_of_part(const struct model *part, enum isolation broken);

#endif
