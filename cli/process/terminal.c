// SPDX-License-Identifier: GPL-3.0-or-later
// The terminal that the program writes to (cli/process/terminal.h).
#include "config.h"

#include "cli/process/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

unsigned terminal_width(int fd) {
  struct winsize size;
  return ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
}

bool terminal_colours(FILE *stream) {
  const char *off = getenv("NO_COLOR"), *kind = getenv("TERM");
  return isatty(fileno(stream)) && !(off && *off) && kind &&
         strcmp(kind, "dumb") != 0;
}
