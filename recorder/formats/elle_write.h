// SPDX-License-Identifier: GPL-3.0-or-later
// The writing half of elle.c.
#ifndef RECORDER_FORMATS_ELLE_WRITE_H
#define RECORDER_FORMATS_ELLE_WRITE_H

#include "recorder/formats/writing.h"

int elle_write_edn(struct writing *writing);
int elle_write_json(struct writing *writing);

#endif
