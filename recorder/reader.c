// SPDX-License-Identifier: GPL-3.0-or-later
// The table of formats, and what to say of a file that has none of them
// (recorder/reader.h).
#include "config.h"

#include "recorder/reader.h"

#include "recorder/file.h"
#include "recorder/formats/formats.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 4096 };

// What a foreign file may turn out to be, by its first bytes.
static const struct {
  const char *magic, *what;
} foreign[] = {
    {"\x1f\x8b", "a gzip archive: unpack it first"},
    {"\x28\xb5\x2f\xfd", "a zstd archive: unpack it first"},
    {"\xfd"
     "7zXZ",
     "an xz archive: unpack it first"},
    {"BZh", "a bzip2 archive: unpack it first"},
    {"PK\x03\x04", "a zip archive: unpack it first"},
    {"SQLite format 3", "an SQLite database, not a history of one"},
    {"\x7f"
     "ELF",
     "a program"},
    {"#!", "a script"},
    {"\x89PNG", "a picture"},
    {"%PDF", "a PDF document"},
    {"<", "XML or HTML"},
    {"{:", "EDN, as Jepsen writes it"},
    {"[{:", "EDN, as Jepsen writes it"},
    {"({:", "EDN, as Jepsen writes it"},
    {"{", "JSON"},
    {"[", "JSON"},
};

static const char *looks_like(const unsigned char *head, size_t bytes) {
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
    size_t n = strlen(foreign[i].magic);
    if (bytes >= n && memcmp(head, foreign[i].magic, n) == 0)
      return foreign[i].what;
  }
  for (size_t i = 0; i < bytes; i++)
    if (!isprint(head[i]) && !isspace(head[i]) && head[i] < 0x80)
      return "binary data of a kind unknown here";
  return "text of a kind unknown here";
}

static const struct history_format *format_named(const char *name) {
  for (int i = 0; history_formats[i]; i++)
    if (strcmp(history_formats[i]->name, name) == 0)
      return history_formats[i];
  return NULL;
}

static int refuse_name(const char *name, struct error *error) {
  char names[256] = "";
  for (int i = 0; history_formats[i]; i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
             i ? ", " : "", history_formats[i]->name);
  return error_set(error, "no history format is named '%s': choose one of %s",
                   name, names);
}

// NULL with a sentence if it is none that we know.
static const struct history_format *format_of_file(const char *path,
                                                   struct error *error) {
  const struct history_format *format = NULL;
  size_t bytes;
  unsigned char *head = file_load(path, HEAD_BYTES, &bytes, error);
  if (!head)
    return NULL;
  for (int i = 0; history_formats[i] && !format; i++)
    if (history_formats[i]->recognise(head, bytes))
      format = history_formats[i];
  if (!format && bytes == 0)
    error_set(error, "%s: is empty, not a history", path);
  else if (!format)
    error_set(error, "%s: is not a history that can be read; it looks like %s",
              path, looks_like(head, bytes));
  free(head);
  return format;
}

int history_read(const char *path, const char *name, struct history *history,
                 struct error *error) {
  *history = (struct history){0};
  error->text[0] = 0;
  const struct history_format *format =
      name ? format_named(name) : format_of_file(path, error);
  if (format)
    return format->read(path, history, error);
  return name ? refuse_name(name, error) : -1;
}

const struct history_format *const history_formats[] = {
    &format_native,
    &format_text,
    &format_bincode,
    NULL,
};
