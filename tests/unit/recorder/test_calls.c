// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of calls (recorder/formats/calls.h) say what the history does: they are
// strictly serializable if it is, and where a log has all that the history has,
// it is the same one again.
#include "config.h"

#include "checker/verdict/verdict.h"
#include "tests/unit/recorder/converted.h"

enum { ROUNDS = 400, MOST = 40, SESSIONS = 3, KEYS = 3 };

static char *path;

// The features that a made-up history may have.
struct traits {
  uint32_t nkeys;
  bool cas, lists, aborted;
};

// A store as its operations take place, one after the other.
struct store {
  struct value_list list[KEYS]; // a register's last element is what it holds
};

static uint64_t held(const struct store *s, uint64_t key) {
  const struct value_list *list = &s->list[key];
  return list->count ? list->values[list->count - 1] : VALUE_INITIAL;
}

// Tells an operation; what it sees is as often wrong as one in `odds`.
static void tell_op(struct builder *b, gsl_rng *random,
                    const struct traits *made, struct store *store,
                    uint64_t value, bool counts, uint64_t odds) {
  const uint64_t key = gsl_rng_uniform_int(random, made->nkeys);
  struct value_list *list = &store->list[key];
  uint64_t now = held(store, key);
  const unsigned what =
      value == 1 ? 4 : (unsigned)gsl_rng_uniform_int(random, 5);
  const bool wrong = list->count && gsl_rng_uniform_int(random, odds) == 0;
  if (wrong)
    now = list->values[gsl_rng_uniform_int(random, list->count)];
  if (what < 2 && made->lists)
    builder_list(b, key, list->values, list->count - wrong);
  else if (what < 2)
    builder_op(b, OP_READ, key, now);
  else if (what == 2 && made->cas)
    builder_cas(b, key, now, value);
  else
    builder_op(b, made->lists ? OP_APPEND : OP_WRITE, key, value);
  if (counts && (what > 1))
    value_list_push(list, value);
}

// Operations take place in the order in which they are made, and are known to
// have done so within some time.
static struct history make(uint64_t seed, const struct traits *made) {
  gsl_rng *random = random_stream(seed, 0, RANDOM_TEST);
  struct builder *b = builder_open();
  struct store store = {0};
  uint64_t end[SESSIONS] = {0};
  const uint32_t n = 1 + (uint32_t)gsl_rng_uniform_int(random, MOST);
  const uint64_t odds = seed % 2 ? 4 : 1000000;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t s = (uint32_t)gsl_rng_uniform_int(random, SESSIONS);
    const uint64_t now = 100 * (uint64_t)(i + 1);
    const uint64_t early = gsl_rng_uniform_int(random, 300);
    uint64_t begin = early < now ? now - early : 1;
    begin = begin > end[s] ? begin : end[s] + 1;
    if (begin > now)
      continue; // it is still at its last operation
    end[s] = now + gsl_rng_uniform_int(random, 300);
    const unsigned fate = (unsigned)gsl_rng_uniform_int(random, 8);
    const enum outcome outcome = fate == 0 && i ? OUTCOME_UNKNOWN
                                 : fate == 1 && i && made->aborted
                                     ? OUTCOME_ABORTED
                                     : OUTCOME_OK;
    const bool counts =
        outcome == OUTCOME_OK || (outcome == OUTCOME_UNKNOWN && (seed + i) % 2);
    builder_txn(b, s, outcome, ISOLATION_NONE, begin, end[s]);
    tell_op(b, random, made, &store, i + 1, counts, odds);
  }
  struct history h;
  struct error error = {0};
  CHECK_INT(builder_finish(b, &h, &error), 0);
  CHECK_STR(error.text, "");
  for (uint32_t k = 0; k < KEYS; k++)
    value_list_free(&store.list[k]);
  gsl_rng_free(random);
  return h;
}

// In a log, transactions behind an unknown outcome belong to another session.
static enum verdict_kind strictly_serializable(const struct history *h) {
  const struct check_options options = {
      .question = {.level = ISOLATION_SER, .real_time = true}};
  struct verdict verdict = {0};
  struct error error;
  CHECK_INT(check(h, &options, &verdict, &error), 0);
  const enum verdict_kind kind = verdict.kind;
  verdict_free(&verdict);
  return kind;
}

static void bail_out(const char *why) {
  printf("Bail out! %s\n", why);
  exit(1);
}

static struct history back_from(const struct history *h, const char *name) {
  struct error error = {0};
  struct history back;
  const struct history_format *format = history_format_named(name, &error);
  CHECK_INT(history_write(path, format, h, NULL, &error), 0);
  CHECK_STR(error.text, "");
  if (history_read(path, NULL, &back, &error))
    bail_out(error.text);
  return back;
}

static void verdicts_stay(const char *name, struct traits made) {
  unsigned kinds[VERDICT_UNDECIDED + 1] = {0};
  for (uint64_t seed = 0; seed < ROUNDS; seed++) {
    struct history h = make(seed, &made);
    struct history back = back_from(&h, name);
    const enum verdict_kind kind = strictly_serializable(&h);
    CHECK_INT(strictly_serializable(&back), kind);
    kinds[kind]++;
    history_free(&back);
    history_free(&h);
  }
  CHECK(kinds[VERDICT_PASS] > ROUNDS / 4);
  CHECK(kinds[VERDICT_VIOLATION] > ROUNDS / 20);
}

static void porcupine_keeps_verdicts(void) {
  verdicts_stay("porcupine", (struct traits){1, true, false, true});
}

static void stores_keep_verdicts(void) {
  verdicts_stay("porcupine-kv", (struct traits){KEYS, false, false, true});
  verdicts_stay("porcupine-kv", (struct traits){KEYS, false, true, true});
}

static void knossos_keeps_verdicts(void) {
  verdicts_stay("knossos", (struct traits){1, true, false, true});
  verdicts_stay("knossos", (struct traits){KEYS, true, false, true});
}

// --- The same history again.

struct told {
  uint64_t begin, end, key, value, seen;
  uint8_t kind, outcome;
};

static uint64_t value_of(const struct history *h, uint32_t op) {
  return op == SAW_INITIAL ? 0 : history_op_value(h, op);
}

static int by_begin(const void *a, const void *b) {
  return memcmp(a, b, sizeof(struct told));
}

// Transactions whose outcome is not known, and their ends, are not compared by
// what a format cannot say: what they read, and when they were given up.
static struct told *all_told(const struct history *h, bool keys, uint32_t *n) {
  struct told *told = xcalloc(h->ntxns, sizeof *told);
  *n = 0;
  for (uint32_t t = 0; t < h->ntxns; t++) {
    const uint32_t op = h->txn_first[t];
    if (op == h->txn_first[t + 1] ||
        (h->outcome[t] != OUTCOME_OK && h->kind[op] == OP_READ))
      continue;
    struct told *is = &told[(*n)++];
    is->begin = h->begin[t];
    is->end = h->outcome[t] == OUTCOME_UNKNOWN ? 0 : h->end[t];
    is->outcome = h->outcome[t];
    is->kind = h->kind[op];
    is->key = keys ? h->key_number[h->key[op]] : 0;
    is->value = op_writes(is->kind) ? value_of(h, op) : 0;
    is->seen = op_reads(is->kind) ? value_of(h, h->saw[op]) : 0;
  }
  qsort(told, *n, sizeof *told, by_begin);
  return told;
}

static void knossos_says_all(void) {
  for (uint64_t seed = 0; seed < ROUNDS; seed += 2) {
    struct history h = make(seed, &(struct traits){KEYS, true, false, true});
    struct history back = back_from(&h, "knossos");
    uint32_t n, m;
    const bool keys = h.nkeys > 1; // of a single one it is not said which
    struct told *was = all_told(&h, keys, &n), *is = all_told(&back, keys, &m);
    CHECK_INT(m, n);
    CHECK(m == n && !memcmp(was, is, n * sizeof *was));
    free(was);
    free(is);
    history_free(&back);
    history_free(&h);
  }
}

// --- What cannot be said.

static void refused(const char *name, const char *line, const char *sentence) {
  struct error error = {0};
  struct history h;
  const struct history_format *format = history_format_named(name, &error);
  FILE *out = fopen(path, "w");
  CHECK(out && fputs(line, out) >= 0 && !fclose(out));
  CHECK_INT(history_read(path, "jsonl", &h, &error), 0);
  unlink(path);
  CHECK_INT(history_write(path, format, &h, NULL, &error), -1);
  CHECK(!strncmp(error.text, path, strlen(path)));
  CHECK_STR(error.text + strlen(path), sentence);
  CHECK(access(path, F_OK));
  history_free(&h);
}

static void what_can_not_be_said_is_refused(void) {
  refused("knossos",
          "{\"ops\":[[\"r\",1,null],[\"w\",1,2]],\"begin\":1,\"end\":2}\n",
          ": cannot be written: knossos has single operations, and a "
          "transaction of session 0 has 2 of them");
  refused("porcupine-kv", "{\"session\":3,\"ops\":[[\"r\",1,null]]}\n",
          ": cannot be written: porcupine-kv needs the order of real time, and "
          "the time of a transaction of session 0 is not known");
  refused("porcupine",
          "{\"ops\":[[\"w\",1,1]],\"begin\":1,\"end\":2}\n"
          "{\"ops\":[[\"w\",2,1]],\"begin\":3,\"end\":4}\n",
          ": cannot be written: porcupine has a single register, and there are "
          "2 keys");
  refused("porcupine-kv",
          "{\"ops\":[[\"w\",1,1]],\"begin\":1,\"end\":2}\n"
          "{\"ops\":[[\"append\",1,2]],\"begin\":3,\"end\":4}\n",
          ": cannot be written: porcupine-kv has one string for each key, and "
          "there is one that holds both a register and a list");
}

int main(void) {
  char name[] = "/tmp/isostress-test.XXXXXX";
  const int fd = mkstemp(name);
  if (fd < 0)
    return 1;
  close(fd);
  path = name;
  const int status = TAP_RUN(
      {"Porcupine's register keeps verdicts", porcupine_keeps_verdicts},
      {"Porcupine's store keeps verdicts", stores_keep_verdicts},
      {"Knossos' registers keep verdicts", knossos_keeps_verdicts},
      {"Knossos' registers say all", knossos_says_all},
      {"what cannot be said is refused", what_can_not_be_said_is_refused});
  unlink(path);
  return status;
}
