// SPDX-License-Identifier: GPL-3.0-or-later
// The argument of a violation as numbered sentences.  Of a violation by a cycle
// only what its steps rest on is told; of others the whole argument.
#ifndef REPORT_TALE_ARGUE_H
#define REPORT_TALE_ARGUE_H

#include "base/memory.h"
#include "checker/verdict/verdict.h"
#include "recorder/history.h"
#include "report/tale/names.h"

#include <stdbool.h>
#include <stdint.h>

enum { ARGUE_MOST = 48 }; // sentences; of a longer argument none are told

// Which steps are told.  Free with argue_free.
struct argue {
  const struct history *history;
  const struct verdict *verdict;
  const struct names *names; // set before anything is told
  uint32_t *number; // per step: of its sentence, from 1; 0: it is not told.
                    // Those up to verdict->nedges are of the cycle's edges.
  bool *supposed;   // per step: it holds only if what was supposed does
  uint32_t *step;   // per edge of the cycle: the step that says the same, or
                    // UINT32_MAX
  bool *evident;    // per edge of the cycle: operations of the part show it
  struct inference *own; // per edge of the cycle: why, by the history, where no
                         // step says it and one is needed; with its path here:
  uint32_t *own_path, nown_path;
  bool too_long; // there is more to tell than anybody would read
};

void argue_init(struct argue *argue, const struct history *history,
                const struct verdict *verdict);
void argue_free(struct argue *argue);

// The operation that a read saw in the part, or SAW_...; and the transaction
// whose statement did not return the row of a step.
uint32_t argued_saw(const struct argue *argue, uint32_t read);
uint32_t argued_searcher(const struct argue *argue,
                         const struct inference *step);

// The argument of a violation with its events and operations as those of the
// whole history, if it was about a part with rows; a step's statement stays one
// of the part.  The steps are in the arena.
struct argument argue_of_whole(struct arena *arena,
                               const struct history *history,
                               const struct verdict *verdict);

// The mark of a sentence by its number: those of a cycle are counted 1, 2, ...,
// what they rest on a, b, ...; without a cycle all are numbers.  `buffer` has
// NAME_ROOM bytes.
const char *argue_mark(uint32_t number, uint32_t ncycle, char *buffer);

// One step, with the numbers of those that it rests on; `sentence` has
// STORY_SENTENCE bytes.
void argue_step(const struct argue *argue, uint32_t step, char *sentence);

// Edge i of the cycle, with the reason unless it is evident by itself.
void argue_edge(const struct argue *argue, uint32_t i, char *sentence);

#endif
