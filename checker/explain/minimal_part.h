// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a history that break a level, and minimal ones.
#ifndef CHECKER_EXPLAIN_MINIMAL_PART_H
#define CHECKER_EXPLAIN_MINIMAL_PART_H

#include "checker/model/model.h"
#include "checker/part/subhistory.h"
#include "checker/verdict/verdict.h"

// Does the history, a small one, break the level?
bool part_breaks(const struct history *part,
                 const struct check_options *options);

// Makes the operations of the model's history, which are closed, minimal: no
// one of them can be left out, with what cannot stand without it, but what
// remains keeps the level. False, with nothing changed, if they do not break
// it.  Those `kept`, which are among them, stay in any case.  Ends early, with
// operations that break it and are not minimal, once *options->stop is set.
bool part_minimise(struct operations *ops, const struct model *m,
                   const struct check_options *options,
                   const struct operations *kept);

// Does the history, which breaks the level, keep it without any one operation?
bool part_is_minimal(const struct history *part,
                     const struct check_options *options);

#endif
