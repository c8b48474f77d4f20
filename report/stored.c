// SPDX-License-Identifier: GPL-3.0-or-later
// Reads stored reports (report/stored.h).
#include "config.h"

#include "report/stored.h"

#include "report/picture/picture.h"
#include "report/replayed.h"
#include "report/words/keys.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 28 }; // more cannot be a report

static int read_example(struct stored *s, const struct json_value *v,
                        struct error *error) {
  return example_of_document(&s->examples[s->nexamples++], v, error);
}

const struct json_value *stored_broken(const struct stored *s) {
  assert(s->document);
  const struct json_value *beyond = json_member(s->document, KEY(beyond));
  return beyond ? beyond : json_member(s->document, KEY(verdict));
}

static int read_examples(struct stored *s, struct error *error) {
  const struct json_value *verdict = stored_broken(s);
  const struct json_value *first = json_member(verdict, KEY(counterexample));
  if (!first)
    return 0;
  const uint32_t n = 1 + json_count(verdict, KEY(others));
  s->examples = arena_take(&s->arena, n * sizeof *s->examples);
  int failed = read_example(s, first, error);
  for (const struct json_value *v = json_first(verdict, KEY(others));
       v && !failed; v = v->next)
    failed = read_example(s, v, error);
  assert(s->nexamples <= n && (failed || s->nexamples == n));
  return failed;
}

int stored_of_bytes(struct stored *stored, const char *name, const char *bytes,
                    size_t nbytes, struct error *error) {
  *stored = (struct stored){0};
  stored->document = json_read(&stored->arena, bytes, nbytes, error);
  if (!stored->document)
    return error_prefix(error, "%s", name);
  const char *schema = json_text(stored->document, KEY(schema), "");
  if (strcmp(schema, "isostress-report/1") != 0)
    return error_set(error,
                     "%s is no report of a run: its schema is \"%.40s\", not "
                     "\"isostress-report/1\"",
                     name, schema);
  return read_examples(stored, error) ? error_prefix(error, "%s", name) : 0;
}

// The bytes of a file, to be freed; NULL with a sentence.
static char *read_file(const char *path, size_t *nbytes, struct error *error) {
  errno = 0;
  FILE *file = fopen(path, "re");
  char *bytes = NULL;
  size_t room = 0;
  *nbytes = 0;
  while (file && !feof(file) && !ferror(file) && *nbytes < MAX_BYTES) {
    room = room ? 2 * room : 1 << 16;
    bytes = xrealloc(bytes, room, 1);
    *nbytes += fread(bytes + *nbytes, 1, room - *nbytes, file);
  }
  const bool failed = !file || ferror(file) || *nbytes >= MAX_BYTES;
  if (failed)
    error_set(error, "cannot read %s: %s", path,
              *nbytes >= MAX_BYTES ? "it is too large" : strerror(errno));
  if (file)
    fclose(file);
  if (failed) {
    free(bytes);
    return NULL;
  }
  return bytes;
}

const struct json_value *stored_document(struct arena *arena, const char *path,
                                         struct error *error) {
  size_t nbytes;
  char *bytes = read_file(path, &nbytes, error);
  const struct json_value *document =
      bytes ? json_read(arena, bytes, nbytes, error) : NULL;
  if (bytes && !document)
    error_prefix(error, "%s", path);
  free(bytes);
  return document;
}

static int read_replay(struct stored *stored, const char *directory,
                       struct error *error) {
  char *path = xasprintf("%s/" REPLAYED_FILE, directory);
  const bool there = !access(path, F_OK);
  if (there)
    stored->replay = stored_document(&stored->arena, path, error);
  free(path);
  return there && !stored->replay ? -1 : 0;
}

int stored_of_directory(struct stored *stored, const char *directory,
                        struct error *error) {
  *stored = (struct stored){0};
  char *path = xasprintf("%s/report.json", directory);
  size_t nbytes;
  char *bytes = read_file(path, &nbytes, error);
  int failed = !bytes;
  if (bytes)
    failed = stored_of_bytes(stored, path, bytes, nbytes, error) ||
             read_replay(stored, directory, error);
  free(bytes);
  free(path);
  return failed ? -1 : 0;
}

void stored_free(struct stored *stored) {
  for (uint32_t i = 0; i < stored->nexamples; i++)
    example_free(&stored->examples[i]);
  arena_free(&stored->arena);
  *stored = (struct stored){0};
}

int stored_draw(const struct stored *stored, const char *directory,
                struct error *error) {
  for (uint32_t i = 0; i < stored->nexamples && i < STORED_MAX_PICTURES; i++)
    if (picture_write(directory, i + 1, &stored->examples[i], error))
      return -1;
  return 0;
}
