// SPDX-License-Identifier: GPL-3.0-or-later
// A counterexample as plain sentences.
#ifndef REPORT_TALE_STORY_H
#define REPORT_TALE_STORY_H

#include "checker/verdict/verdict.h"
#include "recorder/history.h"
#include "report/tale/names.h"

#include <stddef.h>

enum { STORY_SENTENCE = 512 };

// The host that a transaction of a run with several hosts went to; else NULL.
enum { STORY_ENDPOINT = 80 };
const char *story_endpoint(const struct history *history, uint32_t txn,
                           char buffer[STORY_ENDPOINT]);

// "read x1", "appended x2 to x"; raw "read key 5 = 71".  One operation, as a
// person would say what it did.
void story_operation(const struct names *names, uint32_t op, char *sentence);

// Writes the operation in the few words that a picture has room for: "write
// x1".
void story_label(const struct names *names, uint32_t op, char *sentence);

// "SO", "RT", "WR", "WW" or "RW"; a constant string.
const char *edge_kind_name(unsigned kind);

// Why edge->from must come before edge->to.
void story_edge(const struct names *names, const struct edge *edge,
                char *sentence);

// The sentence of edge i of the verdict's row_edges.
void story_row_edge(const struct names *names, const struct verdict *verdict,
                    uint32_t i, char *sentence);

// Does that sentence need no further reason: is it seen from the operations of
// the edge alone, or from those and `*read` (unless that is UINT32_MAX)?
bool story_edge_is_evident(const struct history *history,
                           const struct edge *edge, uint32_t *read);

// For a violation by one read: what is wrong with it.
void story_read(const struct names *names, const struct verdict *verdict,
                char *sentence);

// For a violation by a cycle: where the contradiction is.
void story_contradiction(const struct names *names,
                         const struct verdict *verdict, char *sentence);

#endif
