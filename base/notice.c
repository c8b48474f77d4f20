// SPDX-License-Identifier: GPL-3.0-or-later
// Notices (base/notice.h).
#include "config.h"

#include "base/notice.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void notice(const char *format, ...) {
  char text[600];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  flockfile(stderr); // another thread's progress stays out of the line
  fprintf(stderr, "%sisostress: ", isatty(STDERR_FILENO) ? "\r\033[K" : "");
  error_put(stderr, text);
  putc('\n', stderr);
  funlockfile(stderr);
}
