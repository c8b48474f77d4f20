// SPDX-License-Identifier: GPL-3.0-or-later
// The style of pages, and their script.
#ifndef REPORT_PAGE_PAGE_STYLE_H
#define REPORT_PAGE_PAGE_STYLE_H

extern const char page_style[];

// One constant string: a page's policy allows the script with this hash and no
// other, so that markup that got in would still run nothing.
extern const char page_script[];
extern const char page_script_hash[];

#endif
