// SPDX-License-Identifier: GPL-3.0-or-later
// Writes histories whose transactions are single operations as logs of calls,
// for checkers of linearizability: operations that are invoked and return, in
// the order of real time.  What never returned, of which the outcome is not
// known, leaves its process waiting for ever, so that the session goes on as
// another one.
#ifndef RECORDER_FORMATS_CALLS_H
#define RECORDER_FORMATS_CALLS_H

#include "recorder/formats/export.h"

// Each: -1 with a sentence if a transaction has more operations or no times.
int calls_write_porcupine(struct export_writing *writing);    // porcupine.c
int calls_write_porcupine_kv(struct export_writing *writing); // porcupine_kv.c
int calls_write_knossos(struct export_writing *writing);      // elle_formats.c

#endif
