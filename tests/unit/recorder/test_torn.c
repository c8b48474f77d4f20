// SPDX-License-Identifier: GPL-3.0-or-later
// Histories in our own format of which a part was lost are written without what
// depends on that part.
#include "config.h"

#include "tests/unit/recorder/converted.h"

enum { SESSIONS = 5, KEYS = 40, LIST_MAX = 12 };

// A store and its clients.  Keys are registers or lists, by turns.
struct store {
  gsl_rng *random;
  struct recording *recording;
  uint64_t register_of[KEYS];
  struct value_list list_of[KEYS];
  uint64_t now, skew[SESSIONS], last[SESSIONS], written[SESSIONS];
};

static uint64_t below(struct store *s, uint64_t n) {
  return gsl_rng_uniform_int(s->random, n);
}

// A value that nobody wrote; sometimes its write may have been lost.
static uint64_t nobodys(struct store *s) {
  return value_of_write((uint32_t)below(s, SESSIONS + 2), 1 << 20);
}

static void begin_list(struct store *s, uint32_t key) {
  s->list_of[key].count = 0;
  for (uint64_t n = below(s, 3); n; n--)
    value_list_push(&s->list_of[key], value_of_write(SESSIONS + key, n));
}

static void read_or_append(struct store *s, struct session_log *log,
                           uint32_t session, bool shows) {
  const uint32_t key = 2 * (uint32_t)below(s, KEYS / 2) + 1;
  struct value_list *list = &s->list_of[key], seen = {0};
  if (!below(s, 3) && list->count < LIST_MAX) {
    const uint64_t value = value_of_write(session, s->written[session]++);
    session_log_op(log, OP_APPEND, key, value, 0, 0);
    if (shows)
      value_list_push(list, value);
    return;
  }
  for (uint32_t i = 0; i < list->count; i++)
    value_list_push(&seen, list->values[i]);
  if (!below(s, 200))
    value_list_push(&seen, nobodys(s));
  session_log_list(log, key, &seen, 0, 0);
  value_list_free(&seen);
}

// A history in memory lacks the value that a compare-and-set expected of
// nobody.
static void read_or_write(struct store *s, struct session_log *log,
                          uint32_t session, bool shows, bool cas) {
  const uint32_t key = 2 * (uint32_t)below(s, KEYS / 2);
  uint64_t *held = &s->register_of[key];
  const uint64_t odds = below(s, 400);
  if (odds == 0) {
    session_log_op(log, OP_READ, key, nobodys(s), 0, 0);
  } else if (odds < 280) {
    session_log_op(log, OP_READ, key, *held, 0, 0);
  } else {
    const uint64_t value = value_of_write(session, s->written[session]++);
    if (cas && odds < 340 && value_session(*held) < SESSIONS)
      session_log_cas(log, key, *held, value, 0, 0);
    else
      session_log_op(log, OP_WRITE, key, value, 0, 0);
    if (shows)
      *held = value;
  }
}

static void run_txn(struct store *s) {
  const uint32_t session = (uint32_t)below(s, SESSIONS);
  struct session_log *log = recording_session_log(s->recording, session);
  const uint64_t odds = below(s, 12);
  const enum outcome outcome = odds == 0   ? OUTCOME_ABORTED
                               : odds == 1 ? OUTCOME_UNKNOWN
                                           : OUTCOME_OK;
  const bool shows = outcome == OUTCOME_OK || below(s, 3) == 0;
  uint64_t *last = &s->last[session];
  s->now += below(s, 20 * 1000 * 1000);
  if (s->now + s->skew[session] > *last)
    *last = s->now + s->skew[session];
  session_log_begin(log, ISOLATION_SER, *last);
  for (uint64_t n = 1 + below(s, 3); n; n--)
    if (below(s, 4))
      read_or_write(s, log, session, shows, outcome == OUTCOME_OK);
    else
      read_or_append(s, log, session, shows);
  *last += below(s, 60 * 1000 * 1000);
  session_log_end(log, outcome,
                  outcome == OUTCOME_OK ? CAUSE_NONE : CAUSE_OTHER, *last);
}

static void record(const char *path, uint64_t seed, uint32_t ntxns) {
  struct store s = {.random = random_stream(seed, 0, RANDOM_TEST)};
  struct error error;
  unlink(path);
  CHECK(!recording_open(path, SESSIONS, false, 0, "", NULL, &s.recording,
                        &error));
  for (uint32_t i = 0; i < SESSIONS; i++)
    s.skew[i] = seed % 2 ? below(&s, 30) * UINT64_C(1000000000) : 0;
  for (uint32_t key = 0; key < KEYS; key++) {
    s.register_of[key] = below(&s, 2) ? value_of_write(SESSIONS + key, 0) : 0;
    begin_list(&s, key);
  }
  for (uint32_t i = 0; i < ntxns; i++) {
    run_txn(&s);
    if (!below(&s, 20))
      begin_list(&s, (uint32_t)below(&s, KEYS)); // it has been replaced
  }
  CHECK(!recording_close(s.recording, &error));
  for (uint32_t key = 0; key < KEYS; key++)
    value_list_free(&s.list_of[key]);
  gsl_rng_free(s.random);
}

// How many of the committed transactions are left out, in all.
struct tally {
  uint64_t targets, committed, left_out;
};

static uint32_t ncommitted(const struct history *h) {
  uint32_t n = 0;
  for (uint32_t t = 0; t < h->ntxns; t++)
    n += h->outcome[t] == OUTCOME_OK;
  return n;
}

static void compare(const char *path, enum initial initial,
                    const char *directory, struct tally *tally) {
  const struct read_options options = {.initial = initial}, plain = {0};
  const struct history_format *lines = history_format_for("x.jsonl");
  struct history h;
  struct error error;
  char *out = xasprintf("%s/lines", directory);
  if (!CHECK(!history_read_with(path, &options, &h, &error))) {
    printf("# %s\n", error.text);
  } else {
    const struct content content = content_of(&h);
    struct history back = there_and_back(&h, &plain, lines, out);
    CHECK_INT(ncommitted(&back), ncommitted(&h) - content.bereft);
    for (uint32_t op = 0; op < back.nops; op++)
      CHECK(!op_reads(back.kind[op]) || back.saw[op] != SAW_LOST);
    tally->targets += check_formats(&back, &plain, directory);
    tally->committed += ncommitted(&h);
    tally->left_out += content.bereft;
    history_free(&back);
  }
  history_free(&h);
  remove_history(out);
  free(out);
}

static void damage(const char *path, const unsigned char *data, size_t bytes,
                   gsl_rng *random) {
  unsigned char *torn = xmalloc(bytes);
  memcpy(torn, data, bytes);
  const uint64_t what = gsl_rng_uniform_int(random, 3); // 0: the end is lost
  const size_t end =
      what ? bytes : bytes / 2 + gsl_rng_uniform_int(random, bytes / 2);
  for (uint64_t n = what; n; n--)
    torn[200 + gsl_rng_uniform_int(random, bytes - 200)] ^= 1;
  FILE *file = fopen(path, "w");
  CHECK(file && fwrite(torn, 1, end, file) == end && !fclose(file));
  free(torn);
}

static struct tally check_torn(uint64_t seed, uint32_t ntxns, uint32_t times) {
  char directory[] = "/tmp/isostress-torn.XXXXXX";
  CHECK(mkdtemp(directory) != NULL);
  char *path = xasprintf("%s/source", directory);
  gsl_rng *random = random_stream(seed, 1, RANDOM_TEST);
  struct tally tally = {0};
  size_t bytes;
  record(path, seed, ntxns);
  unsigned char *data = (unsigned char *)bytes_of(path, &bytes);
  for (uint32_t i = 0; i < times && !tap_failures; i++) {
    damage(path, data, bytes, random);
    compare(path, INITIAL_BY_FORMAT, directory, &tally);
    compare(path, INITIAL_FIRST_READ, directory, &tally);
  }
  if (tap_failures)
    printf("# seed %d\n", (int)seed);
  unlink(path);
  free(path);
  free(data);
  gsl_rng_free(random);
  CHECK_INT(rmdir(directory), 0);
  return tally;
}

static void what_depends_on_it_is_left_out(void) {
  const unsigned histories = tap_inputs(40, 10);
  struct tally all = {0};
  for (uint64_t seed = 0; seed < histories; seed++) {
    const struct tally tally = check_torn(seed, 400, 3);
    all.targets += tally.targets;
    all.committed += tally.committed;
    all.left_out += tally.left_out;
  }
  CHECK(all.targets > 50 * histories);
  CHECK(all.left_out > all.committed / 50);
  CHECK(all.left_out < all.committed / 2);
}

// More than what is looked at at once, with clocks that differ or do not.
static void likewise_of_long_ones(void) {
  for (uint64_t seed = 0; seed < 2; seed++) {
    const struct tally tally = check_torn(seed, 60000, 2);
    CHECK(tally.left_out > 0);
  }
}

int main(void) {
  return TAP_RUN(
      {"transactions that depend on lost writes are left out",
       what_depends_on_it_is_left_out},
      {"transactions of long histories that depend on lost writes are left out",
       likewise_of_long_ones});
}
