// SPDX-License-Identifier: GPL-3.0-or-later
// A temporary file of blocks, each of one session (recorder/spool.h).  Of each
// block the memory keeps where it is and which one follows it.
#include "config.h"

#include "recorder/spool.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  BLOCK_BYTES = 1 << 15, // from here on a session's block is written
  HELD_MAX = 8 << 20,    // of all sessions: more is written in smaller blocks
};
#define NO_BLOCK UINT32_MAX

struct block {
  uint64_t offset, bytes;
  uint32_t next;
};

struct lane { // of a session
  unsigned char *data;
  size_t bytes, room;
  uint32_t first, last; // blocks
};

struct spool {
  char *path;
  int fd, failure; // errno of what could not be written, or 0
  uint64_t size;   // of the file
  size_t held;     // room of all lanes
  struct lane *lanes;
  uint32_t nlanes, lane_room;
  struct block *blocks;
  uint32_t nblocks, block_room;
};

struct spool *spool_open(const char *path, struct error *error) {
  char *name = xasprintf("%s.tmp-XXXXXX", path);
  const int fd = mkstemp(name);
  if (fd < 0)
    error_set(error, "%s: can not be written: %s", path, strerror(errno));
  else
    unlink(name);
  free(name);
  if (fd < 0)
    return NULL;
  struct spool *spool = xcalloc(1, sizeof *spool);
  spool->path = xstrdup(path);
  spool->fd = fd;
  return spool;
}

void spool_close(struct spool *spool) {
  close(spool->fd);
  for (uint32_t i = 0; i < spool->nlanes; i++)
    free(spool->lanes[i].data);
  free(spool->lanes);
  free(spool->blocks);
  free(spool->path);
  free(spool);
}

static int write_all(int fd, const unsigned char *data, size_t bytes) {
  while (bytes) {
    const ssize_t n = write(fd, data, bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -1;
    data += n;
    bytes -= (size_t)n;
  }
  return 0;
}

static void write_block(struct spool *spool, struct lane *lane) {
  if (!lane->bytes)
    return;
  if (!spool->failure && write_all(spool->fd, lane->data, lane->bytes))
    spool->failure = errno;
  ARRAY_RESERVE(spool->blocks, spool->nblocks, spool->block_room);
  const uint32_t block = spool->nblocks++;
  spool->blocks[block] = (struct block){
      .offset = spool->size, .bytes = lane->bytes, .next = NO_BLOCK};
  if (lane->last == NO_BLOCK)
    lane->first = block;
  else
    spool->blocks[lane->last].next = block;
  lane->last = block;
  spool->size += lane->bytes;
  lane->bytes = 0;
}

static void empty_lane(struct spool *spool, struct lane *lane) {
  write_block(spool, lane);
  spool->held -= lane->room;
  free(lane->data);
  lane->data = NULL;
  lane->room = 0;
}

static void empty_lanes(struct spool *spool) {
  for (uint32_t i = 0; i < spool->nlanes; i++)
    empty_lane(spool, &spool->lanes[i]);
}

static struct lane *lane_of(struct spool *spool, uint32_t session) {
  while (spool->nlanes <= session) {
    ARRAY_RESERVE(spool->lanes, spool->nlanes, spool->lane_room);
    spool->lanes[spool->nlanes++] =
        (struct lane){.first = NO_BLOCK, .last = NO_BLOCK};
  }
  return &spool->lanes[session];
}

static void reserve(struct spool *spool, struct lane *lane, size_t bytes) {
  size_t room = lane->room ? lane->room : 64;
  while (room - lane->bytes < bytes)
    room *= 2;
  if (room == lane->room)
    return;
  lane->data = xrealloc(lane->data, room, 1);
  spool->held += room - lane->room;
  lane->room = room;
}

void spool_put(struct spool *spool, uint32_t session, const void *record,
               size_t bytes) {
  struct lane *lane = lane_of(spool, session);
  reserve(spool, lane, bytes);
  memcpy(lane->data + lane->bytes, record, bytes);
  lane->bytes += bytes;
  if (lane->room > 4 * BLOCK_BYTES)
    empty_lane(spool, lane);
  else if (lane->bytes >= BLOCK_BYTES)
    write_block(spool, lane);
  if (spool->held > HELD_MAX)
    empty_lanes(spool);
}

int spool_finish(struct spool *spool, struct error *error) {
  empty_lanes(spool);
  if (!spool->failure)
    return 0;
  return error_set(error,
                   "%s: the temporary file for it can not be written: %s",
                   spool->path, strerror(spool->failure));
}

static int read_block(const struct spool *spool, const struct block *block,
                      unsigned char *data, struct error *error) {
  for (size_t done = 0; done < block->bytes;) {
    const ssize_t n = pread(spool->fd, data + done, block->bytes - done,
                            (off_t)(block->offset + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return error_set(error,
                       "%s: the temporary file for it can not be read: %s",
                       spool->path, n ? strerror(errno) : "it was cut");
    done += (size_t)n;
  }
  return 0;
}

int spool_more(const struct spool *spool, uint32_t session,
               struct spool_cursor *c, struct error *error) {
  if (!c->started)
    c->block = session < spool->nlanes ? spool->lanes[session].first : NO_BLOCK;
  c->started = true;
  spool_cursor_free(c);
  if (c->block == NO_BLOCK)
    return 0;
  const struct block *block = &spool->blocks[c->block];
  c->data = xmalloc(block->bytes);
  c->p = c->data;
  c->end = c->data + block->bytes;
  c->block = block->next;
  return read_block(spool, block, c->data, error) ? -1 : 1;
}

void spool_cursor_free(struct spool_cursor *cursor) {
  free(cursor->data);
  cursor->data = NULL;
  cursor->p = cursor->end = NULL;
}
