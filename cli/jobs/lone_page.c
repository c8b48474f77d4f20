// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the heads of pages (cli/jobs/lone_page.h).
#include "config.h"

#include "cli/jobs/lone_page.h"

#include <stdio.h>
#include <string.h>

enum { HEAD = 4096 }; // bytes, more than the lines that are looked for

// Takes markup back into text, up to `end` or as much as has room.
static void take_text(char *text, size_t room, const char *from,
                      const char *end) {
  static const struct {
    const char *markup;
    char letter;
  } letters[] = {{"&amp;", '&'},
                 {"&lt;", '<'},
                 {"&gt;", '>'},
                 {"&quot;", '"'},
                 {"&#39;", '\''}};
  size_t n = 0;
  while (from < end && n + 1 < room) {
    size_t i = 0, length = 1;
    char letter = *from;
    for (; i < sizeof letters / sizeof *letters; i++)
      if (!strncmp(from, letters[i].markup, strlen(letters[i].markup))) {
        letter = letters[i].letter;
        length = strlen(letters[i].markup);
      }
    text[n++] = letter;
    from += length;
  }
  text[n] = '\0';
}

// Takes the text between two marks; "" if they are not there.
static void take_between(char *text, size_t room, const char *head,
                         const char *before, const char *behind) {
  const char *from = strstr(head, before);
  const char *end = from ? strstr(from + strlen(before), behind) : NULL;
  text[0] = '\0';
  if (end)
    take_text(text, room, from + strlen(before), end);
}

bool lone_page_read(const char *path, struct lone_page *page) {
  char head[HEAD];
  FILE *file = fopen(path, "re");
  if (!file)
    return false;
  head[fread(head, 1, sizeof head - 1, file)] = '\0';
  fclose(file);
  if (!strstr(head, "<meta name=\"generator\" content=\"isostress\">"))
    return false;
  take_between(page->title, sizeof page->title, head, "<title>", "</title>");
  take_between(page->kind, sizeof page->kind, head,
               "<meta name=\"description\" content=\"", ": ");
  take_between(page->about, sizeof page->about, head, ": ", "\">\n");
  return true;
}
