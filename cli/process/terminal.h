// SPDX-License-Identifier: GPL-3.0-or-later
// The terminal that the program writes to, if it is one.
#ifndef CLI_PROCESS_TERMINAL_H
#define CLI_PROCESS_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

// Characters in a line of the terminal `fd`; 80 where nobody knows.
unsigned terminal_width(int fd);

// May the stream have colours?  It is a terminal, which is not dumb, and
// NO_COLOR is not set (https://no-color.org).
bool terminal_colours(FILE *stream);

#endif
