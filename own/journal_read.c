// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a journal (own/journal.h).  Whatever its bytes are, none of them is
// believed: a number that means nothing ends the reading.
#include "config.h"

#include "own/journal.h"

#include "base/bytes.h"
#include "base/io.h"
#include "base/memory.h"
#include "own/journal_layout.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

struct chunk_reading {
  const unsigned char *p, *end;
  bool bad; // something makes no sense; what follows is 0 or NULL
};

struct journal_reading {
  const char *path;
  struct killed_run *killed; // NULL: the logs alone are read
  struct raw_run *run;
  struct chunk_reading c;
  bool *open;      // each session: its last transaction has no end yet
  uint64_t latest; // ns
};

// ---- Bytes

static uint64_t unpack_number(struct chunk_reading *c) {
  uint64_t number = 0;
  for (unsigned shift = 0; c->p < c->end && shift < 64; shift += 7) {
    number |= (uint64_t)(*c->p & 0x7f) << shift;
    if (!(*c->p++ & 0x80))
      return number;
  }
  c->bad = true;
  c->p = c->end;
  return 0;
}

// Below `limit`.
static uint32_t unpack_below(struct chunk_reading *c, uint64_t limit) {
  const uint64_t number = unpack_number(c);
  c->bad |= number >= limit;
  return number < limit ? (uint32_t)number : 0;
}

// A number of things that have at least a byte each.
static uint32_t unpack_count(struct chunk_reading *c) {
  const uint64_t left = (uint64_t)(c->end - c->p);
  return unpack_below(c, left < UINT32_MAX ? left + 1 : UINT32_MAX);
}

static char unpack_kind(struct chunk_reading *c) {
  c->bad |= c->p == c->end;
  return c->p < c->end ? (char)*c->p++ : '\0';
}

// To be freed; or NULL.
static char *unpack_text(struct chunk_reading *c) {
  const uint64_t length = unpack_number(c);
  c->bad |= length > (uint64_t)(c->end - c->p) + 1 ||
            (length && memchr(c->p, 0, (size_t)length - 1));
  if (!length || c->bad)
    return NULL;
  char *text = xcalloc((size_t)length, 1);
  memcpy(text, c->p, (size_t)length - 1);
  c->p += length - 1;
  return text;
}

// Where NULL makes no sense.
static char *unpack_some_text(struct chunk_reading *c) {
  char *text = unpack_text(c);
  c->bad |= !text;
  return text ? text : xstrdup("");
}

static struct seen_version unpack_version(struct journal_reading *r) {
  struct seen_version version = {.table =
                                     unpack_below(&r->c, r->run->tables.n)};
  version.writer = unpack_number(&r->c);
  version.place = unpack_number(&r->c);
  return version;
}

static struct version_change unpack_change(struct journal_reading *r) {
  struct version_change change = {.kind = unpack_kind(&r->c)};
  r->c.bad |= !change.kind || !strchr("IUD", change.kind);
  if (change.kind != 'I')
    change.before = unpack_version(r);
  if (change.kind != 'D')
    change.after = unpack_version(r);
  change.writer = unpack_number(&r->c);
  change.key = (int64_t)unpack_number(&r->c) - 1;
  change.image = unpack_text(&r->c);
  return change;
}

// ---- The head

static void unpack_place(struct journal_reading *r) {
  struct raw_scripts *scripts = r->killed->scripts;
  r->c.bad |= r->run->ways && scripts->nplaces == scripts->places_room;
  if (r->c.bad)
    return;
  ARRAY_RESERVE(scripts->places, scripts->nplaces, scripts->places_room);
  struct raw_place place = {.at = unpack_some_text(&r->c),
                            .text = unpack_some_text(&r->c)};
  const uint64_t flags = unpack_number(&r->c);
  place.changes_rows = flags & JOURNAL_CHANGES_ROWS;
  place.only_inserts = flags & JOURNAL_ONLY_INSERTS;
  scripts->places[scripts->nplaces++] = place;
}

static void unpack_table(struct journal_reading *r) {
  struct instrument_tables *tables = &r->run->tables;
  struct instrument_table table = {.name = unpack_some_text(&r->c)};
  const uint64_t flags = unpack_number(&r->c);
  table.hides = flags & JOURNAL_HIDES;
  table.silent = flags & JOURNAL_SILENT;
  table.ncolumns = unpack_count(&r->c);
  char **names = xcalloc((size_t)table.ncolumns + 1, sizeof *names);
  for (uint32_t i = 0; i < table.ncolumns; i++)
    names[i] = unpack_some_text(&r->c);
  table.columns = texts_copy(names, NULL, table.ncolumns);
  for (uint32_t i = 0; i < table.ncolumns; i++)
    free(names[i]);
  free(names);
  ARRAY_RESERVE(tables->all, tables->n, tables->room);
  tables->all[tables->n++] = table;
}

static void read_first_versions(struct journal_reading *r) {
  struct instrument_tables *tables = &r->run->tables;
  const uint32_t n = unpack_count(&r->c);
  for (uint32_t i = 0; i < n && !r->c.bad; i++) {
    ARRAY_RESERVE(tables->first, tables->nfirst, tables->first_room);
    tables->first[tables->nfirst++] = unpack_change(r);
    r->c.bad |= tables->first[i].kind != 'I';
  }
}

// The logs come with the number of sessions, and the tables before them.
static void unpack_head(struct journal_reading *r) {
  struct killed_run *k = r->killed;
  k->scripts = xcalloc(1, sizeof *k->scripts);
  k->driver = unpack_some_text(&r->c);
  k->about = unpack_some_text(&r->c);
  const uint32_t nsessions = unpack_below(&r->c, UINT16_MAX + 1);
  k->scripts->schema_path = unpack_some_text(&r->c);
  k->scripts->schema = unpack_some_text(&r->c);
  for (uint32_t n = unpack_count(&r->c); n && !r->c.bad; n--)
    unpack_place(r);
  raw_run_init(&k->run, k->scripts, NULL, nsessions);
  k->run.killed = true;
  for (uint32_t n = unpack_count(&r->c); n && !r->c.bad; n--)
    unpack_table(r);
  read_first_versions(r);
}

// ---- Sessions

static void note_time(struct journal_reading *r, uint64_t time) {
  r->latest = time > r->latest ? time : r->latest;
}

static void unpack_begin(struct journal_reading *r, uint32_t session) {
  const enum isolation level =
      (enum isolation)unpack_below(&r->c, ISOLATION_SSER + 1);
  const uint64_t begin = unpack_number(&r->c);
  r->c.bad |= r->open[session];
  if (r->c.bad)
    return;
  raw_log_begin(&r->run->logs[session], level, begin);
  r->open[session] = true;
  note_time(r, begin);
}

static void unpack_condition(struct journal_reading *r,
                             struct raw_statement *statement) {
  statement->where = unpack_some_text(&r->c);
  statement->table = unpack_below(&r->c, r->run->tables.n);
  statement->verb = (enum sql_verb)unpack_below(&r->c, SQL_VERB_REFUSED + 1);
  statement->affected = unpack_number(&r->c);
}

static void read_doings(struct journal_reading *r,
                        struct instrument_answer *answer) {
  for (uint32_t n = unpack_count(&r->c); n && !r->c.bad; n--) {
    ARRAY_RESERVE(answer->seen, answer->nseen, answer->seen_room);
    answer->seen[answer->nseen++] = unpack_version(r);
  }
  for (uint32_t n = unpack_count(&r->c); n && !r->c.bad; n--) {
    ARRAY_RESERVE(answer->changes, answer->nchanges, answer->changes_room);
    answer->changes[answer->nchanges++] = unpack_change(r);
  }
}

static void unpack_statement(struct journal_reading *r, uint32_t session) {
  struct raw_log *log = &r->run->logs[session];
  struct instrument_answer answer = {0};
  r->c.bad |= !r->open[session];
  if (r->c.bad)
    return;
  const uint64_t begin = log->txns[log->ntxns - 1].begin;
  const uint32_t place =
      unpack_below(&r->c, (uint64_t)r->run->scripts->places_room + 1);
  const uint64_t flags = unpack_number(&r->c);
  struct raw_statement is = {.takes_back = flags & JOURNAL_TAKES_BACK,
                             .times.begin = begin + unpack_number(&r->c)};
  is.times.end = begin + unpack_number(&r->c);
  if (flags & JOURNAL_WHERE)
    unpack_condition(r, &is);
  read_doings(r, &answer);
  raw_log_statement(log, place ? place - 1 : RAW_NO_PLACE,
                    flags & JOURNAL_LOCKS, &is.times, &answer);
  struct raw_statement *statement = &log->statements[log->nstatements - 1];
  statement->takes_back = is.takes_back;
  statement->where = is.where;
  statement->table = is.table;
  statement->verb = is.verb;
  statement->affected = is.affected;
  note_time(r, is.times.end);
  instrument_answer_free(&answer);
}

static void unpack_end(struct journal_reading *r, uint32_t session) {
  struct raw_log *log = &r->run->logs[session];
  const enum outcome outcome =
      (enum outcome)unpack_below(&r->c, OUTCOME_UNKNOWN + 1);
  const enum cause cause = (enum cause)unpack_below(&r->c, CAUSE_COUNT);
  const uint64_t after = unpack_number(&r->c);
  r->c.bad |= !r->open[session];
  if (r->c.bad)
    return;
  const uint64_t end = log->txns[log->ntxns - 1].begin + after;
  raw_log_end(log, outcome, cause, end);
  r->open[session] = false;
  note_time(r, end);
}

static void unpack_session(struct journal_reading *r) {
  const uint32_t session = unpack_below(&r->c, r->run->nsessions);
  while (r->c.p < r->c.end && !r->c.bad)
    switch (unpack_kind(&r->c)) {
    case 'T':
      unpack_begin(r, session);
      break;
    case 'Q':
      unpack_statement(r, session);
      break;
    case 'E':
      unpack_end(r, session);
      break;
    default:
      r->c.bad = true;
    }
}

// The commit of such a transaction may have been answered at any time before
// the run was killed.
static void end_open_transactions(struct journal_reading *r) {
  for (uint32_t i = 0; i < r->run->nsessions; i++)
    if (r->open[i])
      raw_log_end(&r->run->logs[i], OUTCOME_UNKNOWN, CAUSE_NONE, r->latest + 1);
}

// ---- Chunks

static void take_chunk(struct journal_reading *r, bool first) {
  const char kind = unpack_kind(&r->c);
  r->c.bad |= first != (kind == 'H');
  if (r->c.bad)
    return;
  if (kind == 'S')
    unpack_session(r);
  else if (kind != 'H' && kind != 'P')
    r->c.bad = true;
  else if (r->killed && kind == 'H')
    unpack_head(r);
  else if (r->killed)
    unpack_place(r);
  if (first && !r->c.bad)
    r->open = xcalloc((size_t)r->run->nsessions + 1, sizeof *r->open);
}

// 1: the next chunk's payload is in `*data`; 0: the file ends; -1: it holds
// another one.
static int load_chunk(int fd, unsigned char **data, size_t *bytes) {
  unsigned char head[JOURNAL_CHUNK_HEAD];
  if (read_fully(fd, head, sizeof head) != (ssize_t)sizeof head)
    return 0;
  *bytes = load32(head);
  const off_t here = lseek(fd, 0, SEEK_CUR), end = lseek(fd, 0, SEEK_END);
  if (here < 0 || end - here < (off_t)*bytes ||
      lseek(fd, here, SEEK_SET) != here)
    return 0; // its end was lost
  *data = xrealloc(*data, *bytes + 1, 1);
  if (read_fully(fd, *data, *bytes) != (ssize_t)*bytes)
    return 0;
  return XXH3_64bits(*data, *bytes) == load64(head + 4) ? 1 : -1;
}

static int read_chunks(struct journal_reading *r, int fd, struct error *error) {
  unsigned char *data = NULL, mark[JOURNAL_MARK_BYTES];
  size_t bytes;
  bool first = true;
  int more = read_fully(fd, mark, sizeof mark) == (ssize_t)sizeof mark &&
                     !memcmp(mark, JOURNAL_MARK, sizeof mark)
                 ? 1
                 : -1;
  while (more > 0 && !r->c.bad && (more = load_chunk(fd, &data, &bytes)) > 0) {
    r->c = (struct chunk_reading){.p = data, .end = data + bytes};
    take_chunk(r, first);
    first = false;
  }
  free(data);
  if (more < 0 || r->c.bad)
    return error_set(error,
                     "%s: it is not what a run keeps of its sessions, or it is "
                     "damaged",
                     r->path);
  return first ? error_set(error,
                           "%s: the run was killed before its first "
                           "transaction",
                           r->path)
               : 0;
}

// A statement of a program may stand before its place.
static int check_places(const struct journal_reading *r, struct error *error) {
  const uint32_t n = r->run->scripts->nplaces;
  for (uint32_t i = 0; i < r->run->nsessions; i++)
    for (uint32_t s = 0; s < r->run->logs[i].nstatements; s++) {
      const uint32_t place = r->run->logs[i].statements[s].place;
      if (place >= n && place != RAW_NO_PLACE)
        return error_set(error, "%s: a statement has no place in the scripts",
                         r->path);
    }
  return 0;
}

static int read_journal(struct journal_reading *r, struct error *error) {
  const int fd = open(r->path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return error_cannot(error, r->path, "read");
  int failed = read_chunks(r, fd, error);
  close(fd);
  if (!failed)
    end_open_transactions(r);
  failed = failed || check_places(r, error) ? -1 : 0;
  free(r->open);
  return failed;
}

int raw_journal_read(const char *path, struct killed_run *killed,
                     struct error *error) {
  *killed = (struct killed_run){0};
  return read_journal(&(struct journal_reading){.path = path,
                                                .killed = killed,
                                                .run = &killed->run},
                      error);
}

int raw_journal_read_back(const char *path, struct raw_run *run,
                          struct error *error) {
  return read_journal(&(struct journal_reading){.path = path, .run = run},
                      error);
}

void killed_run_free(struct killed_run *killed) {
  raw_run_free(&killed->run);
  raw_scripts_free(killed->scripts);
  FREE_EACH(killed->driver, killed->about);
  *killed = (struct killed_run){0};
}
