// SPDX-License-Identifier: GPL-3.0-or-later
// Writes and reads the notes of pages (cli/jobs/page_note.h).
#include "config.h"

#include "cli/jobs/page_note.h"

#include "base/json.h"
#include "base/whole_file.h"
#include "report/stored.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_file(const char *path) {
  struct stat about;
  return !lstat(path, &about) && S_ISREG(about.st_mode);
}

static bool is_page(const char *path) {
  const size_t length = strlen(path), ending = strlen(".html");
  return length > ending && !strcmp(path + length - ending, ".html") &&
         is_file(path);
}

static void put_page_note(FILE *file, const void *context) {
  const struct page_note *note = context;
  struct json json;
  json_begin(&json, file);
  json_put_object(&json, NULL);
  json_put_string(&json, "page", note->kind);
  json_put_string(&json, "title", note->title);
  json_put_string(&json, "about", note->about);
  json_put_unsigned(&json, "written_ns", note->date);
  json_close(&json, '}');
  json_end(&json);
}

int page_note_write(const char *page, const struct page_note *note,
                    struct error *error) {
  if (!is_page(page))
    return 0;
  char *path = xasprintf("%s.json", page);
  const int failed = whole_file_write(path, put_page_note, note, error);
  free(path);
  return failed;
}

bool page_note_read(struct arena *arena, const char *page,
                    struct page_note *note) {
  const char *path = arena_printf(arena, "%s.json", page);
  struct error none;
  if (!is_page(page) || !is_file(path))
    return false;
  const struct json_value *document = stored_document(arena, path, &none);
  *note = (struct page_note){.kind = json_text(document, "page", ""),
                             .title = json_text(document, "title", ""),
                             .about = json_text(document, "about", ""),
                             .date = json_whole(document, "written_ns", 0)};
  return *note->kind && *note->title;
}
