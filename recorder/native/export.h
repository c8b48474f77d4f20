// SPDX-License-Identifier: GPL-3.0-or-later
// The writing half of native.c.
#ifndef RECORDER_NATIVE_EXPORT_H
#define RECORDER_NATIVE_EXPORT_H

#include "recorder/formats/export.h"

int native_write(struct writing *writing);

#endif
