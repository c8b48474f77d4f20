// SPDX-License-Identifier: GPL-3.0-or-later
// Histories of Jepsen and Elle: elle.c reads them, elle_write.c writes them.
#ifndef RECORDER_FORMATS_ELLE_H
#define RECORDER_FORMATS_ELLE_H

#include "recorder/formats/export.h"

int elle_parse_edn(struct parsing *parsing);
int elle_parse_json(struct parsing *parsing);
// Events that are lines: `find` goes to the next one, behind what is in front
// of it in its line; false: there is none.
int elle_parse_lines(struct parsing *parsing, bool (*find)(struct input *));
int closed_predicate_parse(struct parsing *parsing); // closed_predicate.c

int elle_write_edn(struct export_writing *writing);
int elle_write_json(struct export_writing *writing);

#endif
