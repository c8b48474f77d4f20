// SPDX-License-Identifier: GPL-3.0-or-later
// A list of SQL, and which parts of isostress take it.
#ifndef CLI_TAKEN_H
#define CLI_TAKEN_H

// To stdout, for `isostress help scripts`; 80 columns.
void taken_put(void);

#endif
