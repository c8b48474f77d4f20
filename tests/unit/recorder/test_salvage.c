// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings that were cut off or damaged: what is whole is read, what is lost
// is said, and nothing is taken for what it is not.
#include "config.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "tests/kit/made_history.h"

#include <fcntl.h>
#include <unistd.h>

enum { NSESSIONS = 2 };

static char path[] = "/tmp/isostress-test-salvage.XXXXXX";

struct file {
  unsigned char *data;
  size_t bytes;
};

// In place: file systems wait for the disk when a file is replaced.
static void write_file(const unsigned char *data, size_t bytes) {
  int fd = open(path, O_WRONLY | O_CREAT, 0600);
  CHECK(fd >= 0 && pwrite(fd, data, bytes, 0) == (ssize_t)bytes);
  CHECK(ftruncate(fd, (off_t)bytes) == 0);
  close(fd);
}

static struct file load(void) {
  struct error error = {0};
  struct file f;
  f.data = file_load(path, SIZE_MAX - 1, &f.bytes, &error);
  CHECK_STR(error.text, "");
  return f;
}

// A recording whose sessions hand over a piece every four transactions.
static struct file record(struct history *whole) {
  struct recording *r;
  struct error error;
  struct made_session m[NSESSIONS];
  unlink(path);
  CHECK(!recording_open(path, NSESSIONS, true, 0, "x = y\n", NULL, &r, &error));
  for (uint32_t s = 0; s < NSESSIONS; s++) {
    m[s] = made_session_open(4, s, NSESSIONS);
    m[s].log = recording_session_log(r, s);
  }
  for (int i = 0; i < 26; i++) {
    m[i % 2].now += i % 8 > 5 ? 2 * NS_PER_SECOND : 0;
    make_transaction(&m[i % 2]);
  }
  CHECK(!recording_close(r, &error));
  for (uint32_t s = 0; s < NSESSIONS; s++)
    gsl_rng_free(m[s].random);
  CHECK(!history_read(path, NULL, whole, &error));
  return load();
}

// May a read that saw `whole` see `part` when a part of the file is lost?
static bool may_become(uint32_t whole, uint32_t part) {
  if (part == SAW_LOST)
    return whole != SAW_INITIAL;
  return whole >= SAW_LOST ? part == whole : part < SAW_LOST;
}

static bool saw_the_same(const struct history *whole, uint32_t x,
                         const struct history *h, uint32_t y) {
  if (h->kind[y] != OP_READ_LIST)
    return may_become(whole->saw[x], h->saw[y]);
  uint32_t i = whole->list[whole->saw[x]].first;
  for (uint32_t j = h->list[h->saw[y]].first;
       j < history_list_end(h, h->saw[y]); i++, j++)
    if (!may_become(whole->element[i], h->element[j]))
      return false;
  return true;
}

// Is transaction `u` of `h` one of `whole`?  The session and the time of begin
// say which.
static bool is_part(const struct history *h, uint32_t u,
                    const struct history *whole) {
  uint32_t s = history_session(h, u), t = whole->session_first[s];
  while (t < whole->session_first[s + 1] && whole->begin[t] != h->begin[u])
    t++;
  if (t == whole->session_first[s + 1] ||
      !same_transaction(whole, t, h, u, false))
    return false;
  for (uint32_t i = 0; h->txn_first[u] + i < h->txn_first[u + 1]; i++)
    if (!saw_the_same(whole, whole->txn_first[t] + i, h, h->txn_first[u] + i))
      return false;
  return true;
}

// Reads what was made of the file.  Either it is refused with a sentence, or it
// is whole, or it says that it is not and has only what was recorded.
static int read_damaged(const struct history *whole) {
  struct history h;
  struct error error;
  int status = history_read(path, NULL, &h, &error);
  if (status) {
    CHECK(strncmp(error.text, path, strlen(path)) == 0);
    return status;
  }
  CHECK(history_is_sound(&h));
  CHECK(h.nsessions == whole->nsessions && h.ntxns <= whole->ntxns);
  if (h.complete && !error.text[0])
    check_same_history(whole, &h);
  else
    CHECK(error.text[0] != 0);
  for (uint32_t t = 0; t < h.ntxns; t++)
    CHECK(is_part(&h, t, whole));
  history_free(&h);
  return status;
}

static void every_prefix_is_salvaged(void) {
  struct history whole;
  struct file f = record(&whole);
  int refused = 0;
  for (size_t n = 0; n < f.bytes; n++) {
    write_file(f.data, n);
    refused += read_damaged(&whole) != 0;
  }
  CHECK_INT(refused, 32); // only where the header is cut
  write_file(f.data, f.bytes);
  CHECK_INT(read_damaged(&whole), 0);
  history_free(&whole);
  free(f.data);
}

static void every_flipped_bit_is_noticed(void) {
  struct history whole;
  struct file f = record(&whole);
  struct error error;
  for (size_t bit = 0; bit < f.bytes * 8; bit++) {
    struct history h;
    f.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    write_file(f.data, f.bytes);
    read_damaged(&whole);
    if (history_read(path, NULL, &h, &error) == 0)
      CHECK(!h.complete && error.text[0]);
    history_free(&h);
    f.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
  }
  history_free(&whole);
  free(f.data);
}

// One write per transaction of session 0, read by session 1; three
// transactions per chunk.
static struct file record_pairs(void) {
  struct recording *r;
  struct error error;
  unlink(path);
  CHECK(!recording_open(path, 2, false, 0, "", NULL, &r, &error));
  uint64_t time = 0;
  for (uint64_t i = 0; i < 9; i++) {
    struct session_log *writer = recording_session_log(r, 0),
                       *reader = recording_session_log(r, 1);
    time += i % 3 == 2 ? NS_PER_SECOND : 1;
    session_log_begin(writer, ISOLATION_SER, i % 3 ? time - 1 : time);
    session_log_op(writer, OP_WRITE, i, value_of_write(0, i), 0, 0);
    session_log_end(writer, OUTCOME_OK, CAUSE_NONE, time);
    session_log_begin(reader, ISOLATION_SER, i % 3 ? time - 1 : time);
    session_log_op(reader, OP_READ, i, value_of_write(0, i), 0, 0);
    session_log_end(reader, OUTCOME_OK, CAUSE_NONE, time);
  }
  CHECK(!recording_close(r, &error));
  return load();
}

// The place of the n-th chunk in a file, by its mark.
static size_t chunk_at(const struct file *f, int n) {
  for (size_t i = 0; i + 4 <= f->bytes; i++)
    if (!memcmp(f->data + i,
                "\x89"
                "CHK",
                4) &&
        n-- == 0)
      return i;
  return f->bytes;
}

// The chunk of session 0 that holds its transactions from `first` on.
static size_t chunk_of_writer(const struct file *f, unsigned first) {
  for (int n = 1; chunk_at(f, n) < f->bytes; n++) {
    const unsigned char *c = f->data + chunk_at(f, n);
    if (c[4] == 2 && c[16] == 0 && c[48] == first)
      return chunk_at(f, n);
  }
  return f->bytes;
}

static void check_gap(const char *sentence, uint32_t ntxns,
                      uint64_t lost_txns) {
  struct history h;
  struct error error;
  uint32_t nlost;
  CHECK_INT(history_read(path, NULL, &h, &error), 0);
  CHECK(strstr(error.text, sentence));
  if (!strstr(error.text, sentence))
    printf("# %s\n", error.text);
  CHECK(history_is_sound(&h) && !h.complete);
  CHECK_INT(h.ntxns, ntxns);
  CHECK_INT(h.lost_txns, lost_txns);
  uint8_t *counted = history_counted(&h, &nlost);
  for (uint32_t op = 0, reads = 0; op < h.nops; op++)
    if (h.kind[op] == OP_READ) {
      bool gone = reads >= 3 && reads < 6;
      CHECK(gone ? h.saw[op] == SAW_LOST : h.saw[op] < h.nops);
      CHECK_INT(counted[op], !gone); // one operation per transaction
      reads++;
    }
  CHECK_INT(nlost, 3);
  free(counted);
  history_free(&h);
}

static void a_gap_costs_no_more_than_itself(void) {
  struct file f = record_pairs();
  size_t middle = chunk_of_writer(&f, 3);
  CHECK(middle < f.bytes);

  f.data[middle + 90] ^= 1; // in the payload
  write_file(f.data, f.bytes);
  check_gap(
      "15 transactions of 2 sessions are usable (6 to 9 each), 3 are lost", 15,
      3);
  f.data[middle + 90] ^= 1;

  f.data[middle + 30] ^= 1; // in the header
  write_file(f.data, f.bytes);
  check_gap("is damaged in 1 place, first at byte", 15, 3);
  f.data[middle + 30] ^= 1;

  size_t closing = chunk_at(&f, 7);
  CHECK(f.data[closing + 4] == 3);
  f.data[middle + 30] ^= 1;
  write_file(f.data, closing); // never closed besides
  check_gap("(6 to 9 each), at least 3 are lost", 15, 3);
  free(f.data);
}

// In a file that was closed, what is behind the session's last write is thin
// air even if something else is lost.
static void thin_air_stays_thin_air(void) {
  struct recording *r;
  struct error error;
  struct history h;
  unlink(path);
  CHECK(!recording_open(path, 1, false, 0, "", NULL, &r, &error));
  struct session_log *log = recording_session_log(r, 0);
  for (uint64_t i = 0; i < 3; i++) {
    session_log_begin(log, ISOLATION_SER, i * NS_PER_SECOND);
    session_log_op(log, OP_READ, 1, value_of_write(0, i + 1), 0, 0);
    session_log_op(log, OP_WRITE, 1, value_of_write(0, i), 0, 0);
    session_log_end(log, OUTCOME_OK, CAUSE_NONE, (i + 1) * NS_PER_SECOND);
  }
  CHECK(!recording_close(r, &error));
  CHECK(!history_read(path, NULL, &h, &error));
  CHECK_INT(h.saw[0], 3);
  CHECK_INT(h.saw[4], SAW_THIN_AIR);
  history_free(&h);

  struct file f = load();
  f.data[chunk_at(&f, 2) + 90] ^= 1; // the second transaction
  write_file(f.data, f.bytes);
  CHECK(!history_read(path, NULL, &h, &error));
  CHECK_INT(h.ntxns, 2);
  CHECK_INT(h.saw[0], SAW_LOST);
  CHECK_INT(h.saw[2], SAW_THIN_AIR);
  history_free(&h);
  f.data[chunk_at(&f, 2) + 90] ^= 1;

  write_file(f.data, chunk_at(&f, 4)); // without the closing mark
  CHECK(!history_read(path, NULL, &h, &error));
  CHECK_INT(h.saw[4], SAW_LOST);
  history_free(&h);
  free(f.data);
}

static void session_log_list_read(struct session_log *log, uint64_t time,
                                  uint64_t value) {
  struct value_list list = {0};
  value_list_push(&list, value);
  session_log_begin(log, ISOLATION_SER, time);
  session_log_list(log, 1, &list, 0, 0);
  session_log_end(log, OUTCOME_OK, CAUSE_NONE, time + 1);
  value_list_free(&list);
}

// Where a list is what was read first, one that was read with a lost element in
// its place is not an empty one.
static void what_is_lost_was_not_there_at_first(void) {
  const struct read_options options = {.initial = INITIAL_FIRST_READ};
  struct recording *r;
  struct error error;
  struct history h;
  uint32_t nlost;
  unlink(path);
  CHECK(!recording_open(path, 2, false, 0, "", NULL, &r, &error));
  session_log_list_read(recording_session_log(r, 1), 0, value_of_write(7, 7));
  session_log_list_read(recording_session_log(r, 1), 2, value_of_write(0, 0));
  session_log_begin(recording_session_log(r, 0), ISOLATION_SER, 0);
  session_log_op(recording_session_log(r, 0), OP_APPEND, 1,
                 value_of_write(0, 0), 0, 0);
  session_log_end(recording_session_log(r, 0), OUTCOME_OK, CAUSE_NONE, 1);
  CHECK(!recording_close(r, &error));
  struct file f = load();
  f.data[chunk_of_writer(&f, 0) + 90] ^= 1;
  write_file(f.data, f.bytes);
  CHECK(!history_read_with(path, &options, &h, &error));
  uint8_t *counted = history_counted(&h, &nlost);
  CHECK(h.ntxns == 2 && counted[0] && !counted[1]);
  CHECK(h.list[0].count == 0 && h.list[1].count == 1);
  free(counted);
  history_free(&h);
  free(f.data);
}

static void what_follows_the_end_is_said(void) {
  struct history h;
  struct error error;
  struct file f = record_pairs();
  f.data = xrealloc(f.data, f.bytes + 5, 1);
  memcpy(f.data + f.bytes, "hello", 5);
  write_file(f.data, f.bytes + 5);
  CHECK_INT(history_read(path, NULL, &h, &error), 0);
  CHECK(h.complete && h.ntxns == 18);
  CHECK_STR(error.text + strlen(path),
            ": is whole, but the 5 bytes behind its closing mark are not part "
            "of it");
  history_free(&h);
  free(f.data);
}

int main(void) {
  int fd = mkstemp(path);
  if (fd < 0)
    return 1;
  close(fd);
  int status = TAP_RUN(
      {"every prefix is salvaged", every_prefix_is_salvaged},
      {"every flipped bit is noticed", every_flipped_bit_is_noticed},
      {"a gap costs no more than itself", a_gap_costs_no_more_than_itself},
      {"thin air stays thin air", thin_air_stays_thin_air},
      {"what is lost was not there at first",
       what_is_lost_was_not_there_at_first},
      {"what follows the end is said", what_follows_the_end_is_said});
  unlink(path);
  return status;
}
