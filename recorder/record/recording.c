// SPDX-License-Identifier: GPL-3.0-or-later
// The file of a recording and the thread that writes full pieces of session
// logs to it (recorder/record/recording.h); session_log.c fills them.
#include "config.h"

#include "recorder/record/recording.h"

#include "base/clock.h"
#include "base/io.h"
#include "base/memory.h"
#include "recorder/native/chunk.h"
#include "recorder/native/tables_text.h"
#include "recorder/record/session_log.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYNC_INTERVAL NS_PER_SECOND

struct note_piece { // a chunk of text
  struct note_piece *next;
  uint8_t kind;
  char text[];
};

struct recording {
  char *path;
  int fd;
  uint32_t nsessions;
  struct session_log *
      *session_logs; // by session; NULL: not asked for, or ended
  bool op_times;
  uint64_t start;
  atomic_bool failed;
  struct backpressure *backpressure; // of who reads along; NULL: nobody does

  pthread_t writer;
  pthread_mutex_t lock;
  pthread_cond_t work; // something was queued, or closing
  pthread_cond_t done; // a piece is no longer busy
  // Under the lock.
  struct log_piece *queue, **queue_end;
  struct note_piece *notes, **notes_end;
  bool closing;

  // The writer's, after open.
  struct encoder encoder;
  uint64_t bytes;             // of whole chunks in the file
  uint64_t synced, last_sync; // bytes; ns
  uint64_t *ntxns, *nwrites;  // written, by session
  struct error error;         // set when `failed` is
};

void recording_wait_for(struct recording *r, const struct log_piece *piece) {
  pthread_mutex_lock(&r->lock);
  while (piece->busy)
    pthread_cond_wait(&r->done, &r->lock);
  pthread_mutex_unlock(&r->lock);
}

void recording_take(struct recording *r, struct log_piece *piece) {
  assert(!piece->busy);
  pthread_mutex_lock(&r->lock);
  piece->busy = true;
  piece->next = NULL;
  *r->queue_end = piece;
  r->queue_end = &piece->next;
  pthread_cond_signal(&r->work);
  pthread_mutex_unlock(&r->lock);
}

bool recording_keep_pace(struct recording *r) {
  return r->backpressure && backpressure_wait(r->backpressure);
}

static void fail_recording(struct recording *r, const char *why) {
  uint64_t kept = 0;
  for (uint32_t s = 0; s < r->nsessions; s++)
    kept += r->ntxns[s];
  // Readers ignore bytes behind the last whole chunk.
  bool cut = ftruncate(r->fd, (off_t)r->bytes) == 0;
  error_set(&r->error,
            "%s: cannot be written: %s; it holds the first %" PRIu64
            " transactions%s",
            r->path, why, kept, cut ? "" : " and a torn one");
  atomic_store(&r->failed, true);
}

static void append_chunk(struct recording *r, size_t bytes) {
  if (bytes == 0)
    fail_recording(r, "a transaction is too large for a chunk");
  else if (write_fully(r->fd, r->encoder.out, bytes))
    fail_recording(r, strerror(errno));
  else
    r->bytes += bytes;
  if (r->backpressure)
    backpressure_written(r->backpressure, r->bytes);
}

static void write_piece(struct recording *r, const struct log_piece *piece) {
  if (recording_failed(r))
    return;
  append_chunk(r, encode_piece(&r->encoder, piece));
  if (!recording_failed(r)) {
    r->ntxns[piece->session] += piece->ntxns;
    r->nwrites[piece->session] += piece->nwrites;
  }
}

// Those that were noted so far; true if there were any.
static bool write_notes(struct recording *r) {
  pthread_mutex_lock(&r->lock);
  struct note_piece *notes = r->notes;
  r->notes = NULL;
  r->notes_end = &r->notes;
  pthread_mutex_unlock(&r->lock);
  const bool any = notes != NULL;
  while (notes) {
    struct note_piece *next = notes->next;
    if (!recording_failed(r))
      append_chunk(r, encode_text(&r->encoder, notes->kind, notes->text, 0));
    free(notes);
    notes = next;
  }
  return any;
}

// Some file systems cannot sync (EINVAL); that is their business.
static void sync_file(struct recording *r) {
  if (!recording_failed(r) && fdatasync(r->fd) && errno != EINVAL)
    fail_recording(r, strerror(errno));
}

// So that a machine that goes down takes no more than the last second along.
static void sync_now_and_then(struct recording *r) {
  uint64_t now = clock_now();
  if (r->bytes == r->synced || now - r->last_sync < SYNC_INTERVAL)
    return;
  sync_file(r);
  r->synced = r->bytes;
  r->last_sync = now;
}

// The next piece to write; NULL after a second without one, or when closing.
static struct log_piece *dequeue(struct recording *r, bool *closing) {
  const struct timespec t = clock_timespec(clock_now() + SYNC_INTERVAL);
  pthread_mutex_lock(&r->lock);
  while (!r->queue && !r->notes && !r->closing)
    if (pthread_cond_timedwait(&r->work, &r->lock, &t))
      break;
  struct log_piece *piece = r->queue;
  if (piece && !(r->queue = piece->next))
    r->queue_end = &r->queue;
  *closing = r->closing;
  pthread_mutex_unlock(&r->lock);
  return piece;
}

static void give_back(struct recording *r, struct log_piece *piece) {
  assert(piece->busy);
  pthread_mutex_lock(&r->lock);
  piece->busy = false;
  pthread_cond_broadcast(&r->done);
  pthread_mutex_unlock(&r->lock);
}

static void *write_pieces(void *argument) {
  struct recording *r = argument;
  bool closing = false;
  struct log_piece *piece;
  bool noted;
  do {
    piece = dequeue(r, &closing);
    noted = write_notes(r);
    if (piece) {
      write_piece(r, piece);
      give_back(r, piece);
    }
    sync_now_and_then(r);
  } while (piece || noted || !closing);
  if (!recording_failed(r))
    append_chunk(
        r, encode_closing(&r->encoder, r->nsessions, r->ntxns, r->nwrites));
  sync_file(r);
  return NULL;
}

// The writer gets no signals: they belong to the run, and a file that grows too
// large shall be an error and not SIGXFSZ.
static void start_writer(struct recording *r) {
  sigset_t all, old;
  pthread_mutex_init(&r->lock, NULL);
  clock_condition_init(&r->work);
  pthread_cond_init(&r->done, NULL);
  r->queue_end = &r->queue;
  r->notes_end = &r->notes;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  if (pthread_create(&r->writer, NULL, write_pieces, r))
    out_of_memory(0);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static __attribute__((noinline)) struct session_log *
open_log(struct recording *r, uint32_t session) {
  assert(session < r->nsessions);
  struct session_log *log =
      aligned_alloc(alignof(struct session_log), sizeof *log);
  if (!log)
    out_of_memory(sizeof *log);
  session_log_init(log, r, session, r->op_times, r->start);
  if (r->backpressure)
    session_log_hurry(log, backpressure_limits(r->backpressure));
  return r->session_logs[session] = log;
}

static void end_log(struct recording *r, uint32_t session) {
  if (r->session_logs[session])
    session_log_fini(r->session_logs[session]);
  free(r->session_logs[session]);
  r->session_logs[session] = NULL;
}

static void recording_free(struct recording *r) {
  for (uint32_t s = 0; s < r->nsessions; s++)
    end_log(r, s);
  encoder_free(&r->encoder);
  FREE_EACH(r->session_logs, r->ntxns, r->nwrites, r->path, r);
}

// Writes what the encoder made of a text.
static int write_encoded_text(struct recording *r, size_t bytes,
                              struct error *error) {
  if (!bytes)
    return error_set(error, "%s: the description of the run is too long",
                     r->path);
  if (write_fully(r->fd, r->encoder.out, bytes))
    return error_cannot(error, r->path, "written");
  r->bytes += bytes;
  return 0;
}

static int write_tables(struct recording *r, const struct tables *tables,
                        struct error *error) {
  char *text = tables_text(tables);
  const int status = write_encoded_text(
      r, encode_text(&r->encoder, CHUNK_TABLES, text, 0), error);
  free(text);
  return status;
}

static int write_head(struct recording *r, const char *about,
                      const struct tables *tables, struct error *error) {
  unsigned char header[FILE_HEADER_BYTES];
  file_header_store(header, tables ? FILE_VERSION_ROWS : FILE_VERSION,
                    r->nsessions);
  if (write_fully(r->fd, header, sizeof header))
    return error_cannot(error, r->path, "written");
  r->bytes = sizeof header;
  const int status = write_encoded_text(
      r, encode_text(&r->encoder, CHUNK_ABOUT, about, r->nsessions), error);
  return status || !tables ? status : write_tables(r, tables, error);
}

int recording_open(const char *path, uint32_t nsessions, bool op_times,
                   uint64_t start, const char *about,
                   const struct tables *tables, struct recording **recording,
                   struct error *error) {
  assert(nsessions <= VALUE_MAX_SESSIONS);
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0)
    return error_cannot(error, path, "created");
  struct recording *r = xcalloc(1, sizeof *r);
  r->path = xstrdup(path);
  r->fd = fd;
  r->nsessions = nsessions;
  r->op_times = op_times && !tables;
  r->start = start;
  r->session_logs = xcalloc(nsessions, sizeof(struct session_log *));
  r->ntxns = xcalloc(nsessions, sizeof *r->ntxns);
  r->nwrites = xcalloc(nsessions, sizeof *r->nwrites);
  if (write_head(r, about ? about : "", tables, error)) {
    close(fd);
    unlink(path);
    recording_free(r);
    return -1;
  }
  start_writer(r);
  *recording = r;
  return 0;
}

void recording_follow(struct recording *recording,
                      struct backpressure *backpressure) {
  recording->backpressure = backpressure;
}

struct session_log *recording_session_log(struct recording *recording,
                                          uint32_t session) {
  assert(session < recording->nsessions);
  struct session_log *log = recording->session_logs[session];
  return log ? log : open_log(recording, session);
}

void recording_note(struct recording *r, uint8_t kind, const char *text) {
  assert(kind >= CHUNK_MAY_SKIP);
  const size_t bytes = strlen(text) + 1;
  struct note_piece *note = xmalloc(sizeof *note + bytes);
  *note = (struct note_piece){.kind = kind};
  memcpy(note->text, text, bytes);
  pthread_mutex_lock(&r->lock);
  *r->notes_end = note;
  r->notes_end = &note->next;
  pthread_cond_signal(&r->work);
  pthread_mutex_unlock(&r->lock);
}

void recording_event(void *recording, uint32_t number,
                     const struct event *event) {
  char *text = event_write(number, event);
  recording_note(recording, CHUNK_EVENTS, text);
  free(text);
}

bool recording_failed(const struct recording *recording) {
  return atomic_load_explicit(&recording->failed, memory_order_relaxed);
}

void recording_end_session(struct recording *r, uint32_t session) {
  assert(session < r->nsessions);
  struct session_log *log = r->session_logs[session];
  if (!log)
    return;
  session_log_finish(log);
  for (size_t i = 0; i < sizeof log->pieces / sizeof *log->pieces; i++)
    recording_wait_for(r, &log->pieces[i]);
  end_log(r, session);
}

int recording_close(struct recording *r, struct error *error) {
  if (r->backpressure)
    backpressure_end(r->backpressure);
  for (uint32_t s = 0; s < r->nsessions; s++)
    if (r->session_logs[s])
      session_log_finish(r->session_logs[s]);
  pthread_mutex_lock(&r->lock);
  r->closing = true;
  pthread_cond_signal(&r->work);
  pthread_mutex_unlock(&r->lock);
  pthread_join(r->writer, NULL);
  close(r->fd); // it has been synced: nothing is left to fail
  int status = recording_failed(r) ? -1 : 0;
  if (status)
    *error = r->error;
  pthread_mutex_destroy(&r->lock);
  pthread_cond_destroy(&r->work);
  pthread_cond_destroy(&r->done);
  recording_free(r);
  return status;
}
