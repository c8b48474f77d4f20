// SPDX-License-Identifier: GPL-3.0-or-later
// The building blocks of all pages: their frame, tables, tags and commands.
#ifndef REPORT_PAGE_BLOCKS_H
#define REPORT_PAGE_BLOCKS_H

#include <stdint.h>
#include <stdio.h>

// By this line in its head a page is known to be one of ours.
#define PAGE_MARK "<meta name=\"generator\" content=\"isostress\">\n"

// From the beginning to the open <main>, and from its end on.
void page_open(FILE *out, const char *title);
void page_close(FILE *out, const char *program);
// The first line of a page: the program, the way to the page of all results
// (NULL: there is none), and what the page is about.
void page_bar(FILE *out, const char *all_results, const char *about,
              const char *when);
// The symbol of a colour, as below.
void page_symbol(FILE *out, const char *colour);
// A verdict in a few words; a symbol says as much as the colour, which is
// "bad", "warn", "good", "open" or, where there is no verdict, "many".
void page_tag(FILE *out, const char *colour, const char *text);
// A command between them, with a button that copies it.
void page_start_command(FILE *out);
void page_end_command(FILE *out);
// Puts a text as one word of a command.
void page_shell_word(FILE *out, const char *text);
// A path as the value of an href.
void page_href(FILE *out, const char *path);

// The name of a level: as SQL writes it, or as it is.
void page_level(FILE *out, const char *level);

// Opens a section with a heading; close it with "</section>".
void page_section(FILE *out, const char *id, const char *heading);
// Opens a table that scrolls if it is too wide; close it with page_end_table.
// The names of its columns, in markup, stand between '|', with '#' before those
// of numbers; NULL: it has no head.
void page_table(FILE *out, const char *caption, const char *columns);
void page_end_table(FILE *out);
// A table whose head the caller writes: page_start_table, "<thead><tr>", the
// columns, PAGE_END_HEAD.
void page_start_table(FILE *out, const char *caption);
// As page_start_table; where there is no room, each row becomes a card, with
// the names of the columns, as page_table takes them, above its cells.
void page_start_cards(FILE *out, const char *caption, const char *columns);
void page_column(FILE *out, const char *name);
#define PAGE_END_HEAD "</tr></thead>\n<tbody>\n"
// Opens a row with its heading; close it with "</tr>\n".
void page_start_row(FILE *out, const char *heading);
// Cells of an open row.  `class` is empty: none.
void page_cell(FILE *out, const char *class, const char *text);
void page_number(FILE *out, uint64_t number);
// A row "heading, text" of a table; nothing if there is no text.
void page_row(FILE *out, const char *heading, const char *text);
// A cell with a duration; an empty one for 0.
void page_duration(FILE *out, double ns);

#endif
