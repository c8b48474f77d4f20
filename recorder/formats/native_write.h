// SPDX-License-Identifier: GPL-3.0-or-later
// The writing half of native.c.
#ifndef RECORDER_FORMATS_NATIVE_WRITE_H
#define RECORDER_FORMATS_NATIVE_WRITE_H

#include "recorder/formats/writing.h"

int native_write(struct writing *writing);

#endif
