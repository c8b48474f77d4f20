// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a history in any format that can be written.
#ifndef RECORDER_FILES_WRITER_H
#define RECORDER_FILES_WRITER_H

#include "recorder/formats/content.h"

#include <signal.h>
#include <stdbool.h>

// Lists the losses when the history is written in the format; returns their
// number.
uint32_t history_losses(const struct history *history,
                        const struct history_format *format,
                        struct export_loss losses[LOSSES_MAX]);

// Could a history, with statements and rows or without, be written to the path
// (`-` is stdout) in the format?  -1 with a sentence about a mistake of whoever
// asked for it.
int history_refuse_format(const char *path, const struct history_format *format,
                          bool rows, struct error *error);

// Writes the history to a file (`-` is stdout), or to a directory if that is
// what the format has.  Nobody ever sees a part of it there: it is renamed when
// it is complete.  Once `*stop` is set (NULL: never), it is given up.  -1 with
// a sentence.
int history_write(const char *path, const struct history_format *format,
                  const struct history *history,
                  const volatile sig_atomic_t *stop, struct error *error);

// The format that files named so have: by what follows their last point.  NULL
// if none.
const struct history_format *history_format_for(const char *path);

#endif
