// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a journal (own/journal.h).
#include "config.h"

#include "own/journal.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/memory.h"
#include "own/journal_layout.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

// Reads need not be on disk before a commit: they are written at the latest
// with so many bytes, or with the first transaction that ends so long after the
// last writing.
enum { NOTED_AT_ONCE = 1 << 16 };
#define NOTED_EACH NS_PER_SECOND

// A chunk that is being made; room for its head stands before its payload.
struct chunk_making {
  unsigned char *data;
  size_t n, room;
};

struct session_noting {
  struct chunk_making chunk;
  uint64_t written_at; // ns
  // So many statements of the open transaction are in the chunk, or on disk
  // already.
  uint32_t nstatements;
  bool begun; // likewise: that it began
};

struct raw_journal {
  char *path;
  int fd;
  pthread_mutex_t mutex; // of the file
  bool failed;           // likewise: nothing more is written
  struct session_noting *sessions;
};

// ---- Bytes

static unsigned char *room_in_chunk(struct chunk_making *c, size_t bytes) {
  if (c->n + bytes > c->room) {
    c->room = (c->n + bytes) * 2;
    c->data = xrealloc(c->data, c->room, 1);
  }
  return c->data + c->n;
}

static void pack_kind(struct chunk_making *c, char kind) {
  *room_in_chunk(c, 1) = (unsigned char)kind;
  c->n++;
}

static void pack_number(struct chunk_making *c, uint64_t number) {
  unsigned char *at = room_in_chunk(c, PACKED_MAX);
  c->n = (size_t)(store_packed(at, number) - c->data);
}

static void pack_text(struct chunk_making *c, const char *text) {
  const size_t length = text ? strlen(text) : 0;
  pack_number(c, text ? length + 1 : 0);
  if (length)
    memcpy(room_in_chunk(c, length), text, length);
  c->n += length;
}

static void start_chunk(struct chunk_making *c, char kind) {
  room_in_chunk(c, JOURNAL_CHUNK_HEAD);
  c->n = JOURNAL_CHUNK_HEAD;
  pack_kind(c, kind);
}

// ---- The file

// -1 with a sentence the first time that nothing more can be written.
static int write_chunk(struct raw_journal *journal, struct chunk_making *c,
                       struct error *error) {
  const size_t bytes = c->n - JOURNAL_CHUNK_HEAD;
  assert(bytes <= UINT32_MAX);
  store32(c->data, (uint32_t)bytes);
  store64(c->data + 4, XXH3_64bits(c->data + JOURNAL_CHUNK_HEAD, bytes));
  pthread_mutex_lock(&journal->mutex);
  const int failed = !journal->failed && write_fully(journal->fd, c->data, c->n)
                         ? error_cannot(error, journal->path, "written")
                         : 0;
  journal->failed |= failed != 0;
  pthread_mutex_unlock(&journal->mutex);
  c->n = 0;
  return failed;
}

// ---- The head

static void pack_version(struct chunk_making *c, const struct seen_version *v) {
  pack_number(c, v->table);
  pack_number(c, v->writer);
  pack_number(c, v->place);
}

static void pack_change(struct chunk_making *c,
                        const struct version_change *change) {
  pack_kind(c, change->kind);
  if (change->kind != 'I')
    pack_version(c, &change->before);
  if (change->kind != 'D')
    pack_version(c, &change->after);
  pack_number(c, change->writer);
  pack_number(c, (uint64_t)(change->key + 1));
  pack_text(c, change->image);
}

static void pack_place(struct chunk_making *c, const struct raw_place *place) {
  pack_text(c, place->at);
  pack_text(c, place->text);
  pack_number(c, (place->changes_rows ? JOURNAL_CHANGES_ROWS : 0) |
                     (place->only_inserts ? JOURNAL_ONLY_INSERTS : 0));
}

static void pack_table(struct chunk_making *c,
                       const struct instrument_table *table) {
  pack_text(c, table->name);
  pack_number(c, (table->hides ? JOURNAL_HIDES : 0) |
                     (table->silent ? JOURNAL_SILENT : 0));
  pack_number(c, table->ncolumns);
  for (uint32_t i = 0; i < table->ncolumns; i++)
    pack_text(c, table->columns[i]);
}

static int write_journal_head(const struct raw_run *run, const char *driver,
                              const char *about, struct error *error) {
  const struct raw_scripts *scripts = run->scripts;
  const struct instrument_tables *tables = &run->tables;
  struct chunk_making c = {0};
  start_chunk(&c, 'H');
  pack_text(&c, driver);
  pack_text(&c, about);
  pack_number(&c, run->nsessions);
  pack_text(&c, scripts->schema_path);
  pack_text(&c, scripts->schema);
  pack_number(&c, scripts->nplaces);
  for (uint32_t i = 0; i < scripts->nplaces; i++)
    pack_place(&c, &scripts->places[i]);
  pack_number(&c, tables->n);
  for (uint32_t i = 0; i < tables->n; i++)
    pack_table(&c, &tables->all[i]);
  pack_number(&c, tables->nfirst);
  for (uint32_t i = 0; i < tables->nfirst; i++)
    pack_change(&c, &tables->first[i]);
  const int failed = write_chunk(run->journal, &c, error);
  free(c.data);
  return failed;
}

int raw_journal_open(const char *path, const char *driver, const char *about,
                     struct raw_run *run, struct error *error) {
  const int fd =
      open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0 || write_fully(fd, JOURNAL_MARK, JOURNAL_MARK_BYTES)) {
    error_cannot(error, path, "written");
    if (fd >= 0)
      close(fd);
    return -1;
  }
  struct raw_journal *journal = xcalloc(1, sizeof *journal);
  journal->path = xstrdup(path);
  journal->fd = fd;
  journal->sessions = xcalloc(run->nsessions, sizeof *journal->sessions);
  pthread_mutex_init(&journal->mutex, NULL);
  run->journal = journal;
  return write_journal_head(run, driver, about, error);
}

int raw_journal_place(struct raw_run *run, const struct raw_place *place,
                      struct error *error) {
  struct chunk_making c = {0};
  if (!run->journal)
    return 0;
  start_chunk(&c, 'P');
  pack_place(&c, place);
  const int failed = write_chunk(run->journal, &c, error);
  free(c.data);
  return failed;
}

// ---- Sessions

static void pack_raw_statement(struct chunk_making *c,
                               const struct raw_log *log, uint32_t s,
                               uint64_t begin) {
  const struct raw_statement *statement = &log->statements[s];
  const uint32_t seen = raw_seen_end(log, s), changed = raw_changes_end(log, s);
  pack_kind(c, 'Q');
  pack_number(c, statement->place == RAW_NO_PLACE ? 0 : statement->place + 1);
  pack_number(c, (statement->locks ? JOURNAL_LOCKS : 0) |
                     (statement->takes_back ? JOURNAL_TAKES_BACK : 0) |
                     (statement->where ? JOURNAL_WHERE : 0));
  pack_number(c, statement->times.begin - begin);
  pack_number(c, statement->times.end - begin);
  if (statement->where) {
    pack_text(c, statement->where);
    pack_number(c, statement->table);
    pack_number(c, statement->verb);
    pack_number(c, statement->affected);
  }
  pack_number(c, seen - statement->first_seen);
  for (uint32_t i = statement->first_seen; i < seen; i++)
    pack_version(c, &log->seen[i]);
  pack_number(c, changed - statement->first_change);
  for (uint32_t i = statement->first_change; i < changed; i++)
    pack_change(c, &log->changes[i]);
}

// Puts in the rest of the open transaction.
static void put_open_transaction(struct session_noting *s, uint32_t session,
                                 const struct raw_log *log) {
  const struct raw_txn *txn = &log->txns[0];
  struct chunk_making *c = &s->chunk;
  if (!c->n) {
    start_chunk(c, 'S');
    pack_number(c, session);
  }
  if (!s->begun) {
    pack_kind(c, 'T');
    pack_number(c, txn->level);
    pack_number(c, txn->begin);
    s->begun = true;
  }
  for (; s->nstatements < log->nstatements; s->nstatements++)
    pack_raw_statement(c, log, s->nstatements, txn->begin);
}

static void write_session(struct raw_run *run, struct session_noting *s,
                          uint64_t now) {
  struct error error;
  if (write_chunk(run->journal, &s->chunk, &error))
    raw_run_fail(run, &error);
  s->written_at = now;
}

void raw_journal_commit(struct raw_run *run, uint32_t session) {
  const struct raw_log *log = &run->logs[session];
  if (!run->journal || !log->nchanges) // nobody misses reads
    return;
  struct session_noting *s = &run->journal->sessions[session];
  put_open_transaction(s, session, log);
  write_session(run, s, log->statements[log->nstatements - 1].times.end);
}

void raw_journal_end(struct raw_run *run, uint32_t session, uint64_t now) {
  struct raw_log *log = &run->logs[session];
  if (!run->journal)
    return;
  assert(log->ntxns == 1);
  struct session_noting *s = &run->journal->sessions[session];
  const struct raw_txn *txn = &log->txns[0];
  put_open_transaction(s, session, log);
  pack_kind(&s->chunk, 'E');
  pack_number(&s->chunk, txn->outcome);
  pack_number(&s->chunk, txn->cause);
  pack_number(&s->chunk, txn->end - txn->begin);
  s->begun = false;
  s->nstatements = 0;
  raw_log_clear(log);
  if (s->chunk.n >= NOTED_AT_ONCE || now - s->written_at >= NOTED_EACH)
    write_session(run, s, now);
}

int raw_journal_close(struct raw_run *run, struct error *error) {
  struct raw_journal *journal = run->journal;
  int failed = 0;
  if (!journal)
    return 0;
  for (uint32_t i = 0; i < run->nsessions; i++) {
    struct chunk_making *c = &journal->sessions[i].chunk;
    if (c->n && write_chunk(journal, c, error))
      failed = -1;
    free(c->data);
  }
  if (close(journal->fd) && !journal->failed)
    failed = error_cannot(error, journal->path, "written");
  pthread_mutex_destroy(&journal->mutex);
  FREE_EACH(journal->path, journal->sessions, journal);
  run->journal = NULL;
  return failed;
}
