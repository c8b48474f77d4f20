// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a set of files as one history (recorder/files/set.h).  Chunks of one
// file are those of its own sessions: with their headers and closing marks made
// one, all files behind each other are a file.
#include "config.h"

#include "recorder/files/set.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/memory.h"
#include "recorder/native/native.h"
#include "recorder/record/part_note.h"
#include "recorder/record/session_log.h"

#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SET_MAGIC "isostress history set 1\n"
enum { SET_TEXT_MOST = 1 << 20, SET_PARTS_MOST = 4096 };

struct set_reading {
  const char *path;
  struct error *error;
  uint64_t run;
  uint32_t nsessions;
  struct history_parts *parts;
  struct set_bounds *bounds; // by part
  unsigned char *data;       // the file that all become
  size_t bytes, room;
  uint64_t *ntxns, *nwrites; // by session, of closed parts
  bool closed;               // all parts are
  bool has_head, has_about, has_tables;
};

// ---- The list

void set_write(FILE *file, uint64_t run, uint32_t nsessions,
               const struct history_parts *parts) {
  fprintf(file, SET_MAGIC "run %016" PRIx64 "\nsessions %u\n", run, nsessions);
  for (uint32_t i = 0; i < parts->n; i++)
    fprintf(file, "part history.%u sessions %u %u host %s\n", i,
            parts->part[i].first_session, parts->part[i].nsessions,
            parts->part[i].host[0] ? parts->part[i].host : "-");
}

bool set_recognise(const unsigned char *head, size_t bytes) {
  return bytes >= strlen(SET_MAGIC) &&
         !memcmp(head, SET_MAGIC, strlen(SET_MAGIC));
}

static int refuse_set_list(const struct set_reading *r, uint32_t line) {
  return error_set(r->error, "%s:%u: this line of the list makes no sense",
                   r->path, line);
}

static int read_part_line(struct set_reading *r, const char *line) {
  struct history_part part = {0};
  uint32_t number;
  if (sscanf(line, "part history.%9u sessions %9u %9u host %63s", &number,
             &part.first_session, &part.nsessions, part.host) != 4 ||
      number != r->parts->n || number >= SET_PARTS_MOST ||
      part.first_session > r->nsessions ||
      part.nsessions > r->nsessions - part.first_session)
    return -1;
  r->parts = xrealloc(r->parts, 1,
                      sizeof *r->parts + (number + 1) * sizeof *r->parts->part);
  r->parts->part[r->parts->n++] = part;
  return 0;
}

static int read_set_list(struct set_reading *r, const char *text) {
  uint32_t number = 1;
  r->parts = xcalloc(1, sizeof *r->parts);
  for (const char *line = strchr(text, '\n') + 1; *line;) {
    const char *end = strchr(line, '\n');
    number++;
    if (!end || (sscanf(line, "run %16" SCNx64, &r->run) != 1 &&
                 sscanf(line, "sessions %9u", &r->nsessions) != 1 &&
                 read_part_line(r, line)))
      return refuse_set_list(r, number);
    line = end + 1;
  }
  return r->parts->n && r->nsessions <= VALUE_MAX_SESSIONS
             ? 0
             : refuse_set_list(r, number);
}

// ---- The parts

static void append_bytes(struct set_reading *r, const unsigned char *bytes,
                         size_t n) {
  if (r->room - r->bytes < n) {
    r->room = r->room + r->room / 2 + n;
    r->data = xrealloc(r->data, r->room, 1);
  }
  memcpy(r->data + r->bytes, bytes, n);
  r->bytes += n;
}

static void add_bound(struct set_bounds *b, const struct part_note *note) {
  ARRAY_RESERVE(b->all, b->n, b->room);
  b->all[b->n++] = (struct set_bound){note->at, note->low, note->high};
}

// The file of a part while its chunks are looked at.
struct part_file {
  uint32_t number;
  struct loading l;
  bool known; // it has said that it is a part of this run
  bool closed;
};

static bool read_part_note(struct set_reading *r, struct part_file *f,
                           const struct chunk_header *h, size_t offset) {
  if (native_unpack(&f->l, h, offset))
    return false;
  f->l.file.raw[h->raw_bytes] = '\0';
  const struct part_note note = part_note_read((const char *)f->l.file.raw);
  if (note.has_head) {
    f->known = note.run == r->run && note.rank == f->number;
    r->parts->part[f->number].exact = note.exact;
  }
  if (note.bounded)
    add_bound(&r->bounds[f->number], &note);
  return true;
}

// The counts of each session, if it says so for all.
static void read_part_closing(struct set_reading *r, struct part_file *f,
                              const struct chunk_header *h, size_t offset) {
  const struct history_part *part = &r->parts->part[f->number];
  struct chunk_place place = {.header = *h, .offset = offset};
  struct decoding d = {.l = &f->l, .place = &place};
  const struct packed_column *txns, *writes;
  if (native_columns(&d) ||
      native_column(&d, COLUMN_TOTAL_TXNS, r->nsessions, &txns) ||
      native_column(&d, COLUMN_TOTAL_WRITES, r->nsessions, &writes))
    return;
  for (uint32_t s = part->first_session;
       s < part->first_session + part->nsessions; s++) {
    column_unpack(txns, s, 1, &r->ntxns[s]);
    column_unpack(writes, s, 1, &r->nwrites[s]);
  }
  f->closed = true;
}

// Is the chunk one of the part's own sessions?
static bool is_of_part(const struct history_part *part,
                       const struct chunk_header *h) {
  return h->session >= part->first_session &&
         h->session - part->first_session < part->nsessions;
}

static void take_set_chunk(struct set_reading *r, struct part_file *f,
                           const struct chunk_header *h, size_t offset) {
  // Events of the run are those that rank 0 saw, by its clock.
  bool copies = h->kind < CHUNK_MAY_SKIP || !f->number;
  if (h->kind == CHUNK_CLOCK) {
    read_part_note(r, f, h, offset);
    copies = false;
  } else if (h->kind == CHUNK_CLOSING) {
    read_part_closing(r, f, h, offset);
    copies = false;
  } else if (h->kind == CHUNK_ABOUT) {
    copies = !r->has_about;
    r->has_about = true;
  } else if (h->kind == CHUNK_TABLES) {
    copies = !r->has_tables;
    r->has_tables = true;
  } else if (h->kind == CHUNK_TRANSACTIONS) {
    copies = is_of_part(&r->parts->part[f->number], h);
  }
  if (copies)
    append_bytes(r, f->l.file.data + offset,
                 h->header_bytes + (size_t)h->stored_bytes);
}

// The whole chunk at the offset or behind it; false if there is none.
static bool find_whole(const struct part_file *f, size_t *offset,
                       struct chunk_header *h) {
  const unsigned char *data = f->l.file.data;
  const size_t bytes = f->l.file.bytes;
  for (; *offset < bytes; ++*offset) {
    const unsigned char *p =
        memchr(data + *offset, CHUNK_MAGIC[0], bytes - *offset);
    if (!p)
      return false;
    *offset = (size_t)(p - data);
    if (chunk_header_load(p, bytes - *offset, h) &&
        h->stored_bytes <= bytes - *offset - h->header_bytes &&
        chunk_payload_is_whole(h, p + h->header_bytes))
      return true;
  }
  return false;
}

static void take_chunks(struct set_reading *r, struct part_file *f) {
  struct chunk_header h;
  size_t offset = FILE_HEADER_BYTES;
  while (!f->closed && find_whole(f, &offset, &h)) {
    take_set_chunk(r, f, &h, offset);
    offset += h.header_bytes + (size_t)h.stored_bytes;
  }
}

// Nothing of a file that turns out to be of another run stays.
static enum part_state take_set_file(struct set_reading *r,
                                     struct part_file *f) {
  const unsigned char *p = f->l.file.data;
  struct set_bounds *bounds = &r->bounds[f->number];
  const struct set_reading before = *r;
  if (f->l.file.bytes < FILE_HEADER_BYTES ||
      !native_recognise(p, f->l.file.bytes) ||
      !checksum_matches(p, FILE_HEADER_BYTES - 8))
    return PART_MISSING;
  if (load32(p + 16) != r->nsessions)
    return PART_FOREIGN;
  f->l.scan.has_rows = load32(p + 8) == FILE_VERSION_ROWS;
  if (!r->has_head)
    append_bytes(r, p, FILE_HEADER_BYTES);
  r->has_head = true;
  take_chunks(r, f);
  if (f->known)
    return f->closed ? PART_WHOLE : PART_CUT_OFF;
  r->bytes = before.bytes;
  r->has_head = before.has_head;
  r->has_about = before.has_about;
  r->has_tables = before.has_tables;
  bounds->n = 0;
  return PART_FOREIGN;
}

static void read_set_part(struct set_reading *r, const char *directory,
                          uint32_t number) {
  struct error error;
  struct part_file f = {.number = number, .l = {.error = &error}};
  char *path = xasprintf("%s/history.%u", directory, number);
  unsigned char *data = file_load(path, SIZE_MAX - 1, &f.l.file.bytes, &error);
  f.l.file.path = path;
  f.l.file.data = data;
  r->parts->part[number].state = data ? take_set_file(r, &f) : PART_MISSING;
  r->closed &= r->parts->part[number].state == PART_WHOLE;
  native_loading_fini(&f.l);
  free(data);
  free(path);
}

// ---- All of it

static const char *const states[] = {
    [PART_CUT_OFF] = "was not closed, so that its end is missing",
    [PART_MISSING] = "is not there",
    [PART_FOREIGN] = "is of another run and left out"};

// Says which parts are not there as a whole.
static void state_parts(const struct set_reading *r,
                        const struct history *history) {
  const struct history_part *first = NULL;
  uint32_t n = 0;
  for (uint32_t i = 0; i < r->parts->n; i++)
    if (r->parts->part[i].state != PART_WHOLE && !n++)
      first = &r->parts->part[i];
  if (!n)
    return;
  const uint32_t number = (uint32_t)(first - r->parts->part);
  error_set(r->error,
            "%s: the part history.%u, of rank %u on %s, %s%s; %u transactions "
            "of %u sessions are usable",
            r->path, number, number, first->host, states[first->state],
            n > 1 ? ", and it is not the only one" : "", history->ntxns,
            history->nsessions);
}

static void close_set(struct set_reading *r) {
  struct encoder encoder = {0};
  const size_t n = encode_closing(&encoder, r->nsessions, r->ntxns, r->nwrites);
  append_bytes(r, encoder.out, n);
  encoder_free(&encoder);
}

static int read_parts(struct set_reading *r, const volatile bool *stop,
                      struct history *history) {
  char *copy = xstrdup(r->path);
  const char *directory = dirname(copy);
  r->bounds = xcalloc(r->parts->n, sizeof *r->bounds);
  r->ntxns = xcalloc(r->nsessions + (size_t)1, sizeof *r->ntxns);
  r->nwrites = xcalloc(r->nsessions + (size_t)1, sizeof *r->nwrites);
  r->closed = true;
  for (uint32_t i = 0; i < r->parts->n; i++)
    read_set_part(r, directory, i);
  free(copy);
  if (!r->has_head) {
    *history = (struct history){0};
    return error_set(r->error, "%s: none of its parts is there", r->path);
  }
  if (r->closed)
    close_set(r);
  if (native_read_bytes(r->path, r->data, r->bytes, stop, history, r->error))
    return -1;
  state_parts(r, history);
  history->parts = r->parts;
  r->parts = NULL;
  set_align(history, r->bounds);
  return 0;
}

static void free_reading(struct set_reading *r, uint32_t nparts) {
  for (uint32_t i = 0; r->bounds && i < nparts; i++)
    free(r->bounds[i].all);
  FREE_EACH(r->parts, r->bounds, r->data, r->ntxns, r->nwrites);
}

int set_read(const char *path, const volatile bool *stop,
             struct history *history, struct error *error) {
  struct set_reading r = {.path = path, .error = error};
  size_t bytes;
  char *text = (char *)file_load(path, SET_TEXT_MOST, &bytes, error);
  *history = (struct history){0};
  if (!text)
    return -1;
  int failed = read_set_list(&r, text);
  const uint32_t nparts = r.parts ? r.parts->n : 0;
  failed = failed || read_parts(&r, stop, history) ? -1 : 0;
  free_reading(&r, nparts);
  free(text);
  return failed;
}
