// SPDX-License-Identifier: GPL-3.0-or-later
// Pages that are one file without any other: what their heads say of them.
#ifndef CLI_JOBS_LONE_PAGE_H
#define CLI_JOBS_LONE_PAGE_H

#include <stdbool.h>

// As page_open_alone (report/page.h) writes them; of another page of ours only
// the title is known.
struct lone_page {
  char title[256], kind[64], about[512];
};

// False if the file is no page of ours.
bool lone_page_read(const char *path, struct lone_page *page);

#endif
