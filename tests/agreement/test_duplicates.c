// SPDX-License-Identifier: GPL-3.0-or-later
// Values that are written to a key more than once: checker and referee on all
// histories of a small space and on random ones.  The referee is asked about
// every way in which the reads may have seen what they did; the level is kept
// if one of these ways keeps it.
#include "config.h"

#include "base/random.h"
#include "checker/part/assumed_reads.h"
#include "checker/verdict/effective_options.h"
#include "checker/verdict/verdict.h"
#include "checker/verify/referee.h"
#include "checker/verify/verify.h"
#include "recorder/builder/builder.h"
#include "tests/kit/generate.h"
#include "tests/tap.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  HISTORIES = 2500,
  MAX_TXNS = 5,
  WAYS_MAX = 3000,
  MAX_PLACES = 64,
  CHANGED = 20
};

static unsigned below(gsl_rng *random, unsigned n) {
  return (unsigned)gsl_rng_uniform_int(random, n);
}

struct tally {
  uint64_t questions, kept, broken, undecided, choices, argued, wrong;
  uint64_t shortened, refused; // arguments
  uint64_t changed, unproved;
  uint64_t elsewhere; // accepted of another history
};

// --- The history.

static void add_op(struct builder *b, const struct tiny_op *op) {
  uint64_t list[TINY_LIST];
  if (op->kind == OP_CAS)
    builder_cas(b, op->key, op->expected, op->value);
  else if (op->kind == OP_READ_LIST) {
    for (unsigned i = 0; i < op->length; i++)
      list[i] = op->list[i];
    builder_list(b, op->key, list, op->length);
  } else
    builder_op(b, (enum op_kind)op->kind, op->key, op->value);
}

static void build(const struct tiny *tiny, struct history *h) {
  struct error error;
  struct builder *b = builder_open();
  builder_options(b)->allow_duplicates = true;
  for (unsigned t = 0; t < tiny->ntxns; t++) {
    const struct tiny_txn *txn = &tiny->txn[t];
    builder_txn(b, txn->session, (enum outcome)txn->outcome,
                (enum isolation)txn->level,
                txn->end ? txn->begin : TIME_UNKNOWN,
                txn->end ? txn->end : TIME_UNKNOWN);
    for (unsigned i = 0; i < txn->nops; i++)
      add_op(b, &txn->op[i]);
  }
  const int status = builder_finish(b, h, &error);
  assert(status == 0);
}

// --- All ways, from the values alone.

struct ways {
  uint32_t *saw[MAX_PLACES];
  uint32_t writers[MAX_PLACES][TINY_TXNS * TINY_OPS + 1];
  uint32_t count[MAX_PLACES], chosen[MAX_PLACES];
  uint32_t nplaces;
};

static void add_place(struct ways *w, const struct history *h, uint32_t *saw,
                      uint32_t key, uint64_t value, bool list) {
  const uint32_t p = w->nplaces;
  assert(p < MAX_PLACES);
  w->saw[p] = saw;
  w->count[p] = 0;
  if (value == 0 && !list)
    w->writers[p][w->count[p]++] = SAW_INITIAL;
  for (uint32_t op = 0; op < h->nops; op++)
    if (op_writes(h->kind[op]) && op_is_list(h->kind[op]) == list &&
        h->key[op] == key && h->value[op] == value)
      w->writers[p][w->count[p]++] = op;
  w->nplaces += w->count[p] > 1;
}

static void find_ways(struct ways *w, const struct tiny *tiny,
                      struct history *h) {
  w->nplaces = 0;
  uint32_t op = 0;
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops; i++, op++) {
      const struct tiny_op *o = &tiny->txn[t].op[i];
      if (o->kind == OP_READ)
        add_place(w, h, &h->saw[op], h->key[op], o->value, false);
      else if (o->kind == OP_CAS)
        add_place(w, h, &h->saw[op], h->key[op], o->expected, false);
      for (unsigned e = 0; o->kind == OP_READ_LIST && e < o->length; e++)
        add_place(w, h, &h->element[h->list[h->saw[op]].first + e], h->key[op],
                  o->list[e], true);
    }
}

static uint64_t count_ways(const struct ways *w) {
  uint64_t n = 1;
  for (uint32_t p = 0; p < w->nplaces && n <= WAYS_MAX; p++)
    n *= w->count[p];
  return n;
}

static bool next_way(struct ways *w) {
  for (uint32_t p = 0; p < w->nplaces; p++) {
    if (++w->chosen[p] < w->count[p])
      return true;
    w->chosen[p] = 0;
  }
  return false;
}

// Does a way keep it?  Leaves the history as it was.
static bool some_way_keeps(struct ways *w, const struct history *h,
                           const struct referee_options *options) {
  uint32_t before[MAX_PLACES];
  bool kept = false;
  memset(w->chosen, 0, sizeof w->chosen);
  for (uint32_t p = 0; p < w->nplaces; p++)
    before[p] = *w->saw[p];
  do {
    for (uint32_t p = 0; p < w->nplaces; p++)
      *w->saw[p] = w->writers[p][w->chosen[p]];
    kept = referee_decide(h, options, NULL, NULL) == REFEREE_KEPT;
  } while (!kept && next_way(w));
  for (uint32_t p = 0; p < w->nplaces; p++)
    *w->saw[p] = before[p];
  return kept;
}

// --- The comparison.

// Takes the history as the verdict does; nothing needs it afterwards.
static bool witness_keeps(struct history *h, const struct verdict *v,
                          const struct referee_options *options) {
  struct assumed_reads assumed_reads;
  struct error error;
  assumed_reads_open(&assumed_reads, h);
  const int failed = assumed_reads_take(&assumed_reads, v->assumed_reads,
                                        v->nassumed_reads, &error);
  assumed_reads_close(&assumed_reads);
  return !failed && referee_order_keeps(h, options, v->order, v->norder);
}

static bool has_several_in_doubt(const struct history *h) {
  bool has = false;
  for (uint32_t t = 0; t < h->ntxns; t++)
    has |= h->outcome[t] == OUTCOME_UNKNOWN &&
           h->txn_first[t + 1] - h->txn_first[t] > 1;
  return has;
}

// Is there a promise to decide it?  From PC up, for registers of transactions
// that have one level, and but one operation each where the outcome is unknown.
static bool must_be_decided(const struct history *h,
                            const struct check_options *options) {
  return options->question.level >= ISOLATION_PC &&
         !options->question.recorded && !h->lists && !has_several_in_doubt(h);
}

static uint64_t is_refused(const struct history *h,
                           const struct check_options *settled,
                           const struct verdict *v) {
  struct error error;
  return verify_ambiguous(h, settled, v, &error) != VERIFIED;
}

// An argument with a step that rests on less, or with one claim twice instead
// of another.
static void shorten(struct tally *tally, const struct history *h,
                    const struct check_options *options, struct verdict *v) {
  const struct check_options settled = settled_options(h, options);
  struct argument *ways = &v->ways;
  for (uint32_t s = 0; s < ways->nsteps; s++) {
    struct inference *step = &ways->steps[s];
    if (step->first == step->end)
      continue;
    step->first++;
    tally->shortened++;
    tally->refused += is_refused(h, &settled, v);
    step->first--;
  }
  for (uint32_t c = 0; c < ways->nclaims; c++) {
    const struct assumed_read claim = ways->claims[c];
    ways->claims[c] = ways->claims[c ? 0 : ways->nclaims - 1];
    tally->changed++;
    tally->unproved += is_refused(h, &settled, v);
    ways->claims[c] = claim;
  }
}

// Changes an operation or the times of a transaction.
static void change(gsl_rng *random, struct tiny *tiny) {
  struct tiny_txn *txn = &tiny->txn[below(random, tiny->ntxns)];
  struct tiny_op *op = txn->nops ? &txn->op[below(random, txn->nops)] : NULL;
  if (!op || below(random, 3) == 0)
    txn->begin = txn->end = 0;
  else if (op->kind == OP_CAS && below(random, 2))
    op->expected = (uint8_t)below(random, 3);
  else if (op->kind == OP_READ)
    op->value = (uint8_t)below(random, 3);
  else
    op->key = (uint8_t)below(random, TINY_KEYS);
}

// Is the proof one of another history, which no way to take its reads keeps?
static bool is_sound_elsewhere(struct tally *tally, const struct tiny *tiny,
                               const struct check_options *options,
                               const struct referee_options *referee,
                               const struct verdict *v) {
  static struct ways ways;
  struct history h;
  build(tiny, &h);
  const struct check_options settled = settled_options(&h, options);
  find_ways(&ways, tiny, &h);
  const bool accepted =
      count_ways(&ways) <= WAYS_MAX && h.again && !is_refused(&h, &settled, v);
  tally->elsewhere += accepted;
  const bool sound = !accepted || !some_way_keeps(&ways, &h, referee);
  history_free(&h);
  return sound;
}

static bool is_sound(struct tally *tally, const struct tiny *tiny,
                     const struct check_options *options,
                     const struct referee_options *referee,
                     const struct verdict *v) {
  gsl_rng *random = random_stream(10, tally->questions, RANDOM_TEST);
  bool sound = true;
  for (unsigned i = 0; i < CHANGED; i++) {
    struct tiny other = *tiny;
    change(random, &other);
    if (i % 2)
      change(random, &other);
    sound &= is_sound_elsewhere(tally, &other, options, referee, v);
  }
  gsl_rng_free(random);
  return sound;
}

static const char *judge(struct tally *tally, struct ways *ways,
                         const struct tiny *tiny, struct history *h,
                         const struct check_options *options,
                         struct error *error) {
  struct verdict v;
  const struct referee_options referee = {
      .level = options->question.level,
      .levels = options->question.recorded ? h->level : NULL,
      .session_order = options->question.session_order,
      .real_time = options->question.real_time};
  const char *wrong = NULL;
  const bool kept = some_way_keeps(ways, h, &referee);
  tally->questions++;
  tally->kept += kept;
  tally->broken += !kept;
  if (check(h, options, &v, error))
    wrong = "the verdict failed its own proof";
  else if (v.kind == VERDICT_UNDECIDED)
    wrong = must_be_decided(h, options) ? "undecided" : NULL;
  else if ((v.kind == VERDICT_PASS) != kept)
    wrong = kept ? "kept, but a violation was found" : "broken, but it passed";
  else if (kept && !witness_keeps(h, &v, &referee))
    wrong = "the witness is none";
  tally->undecided += v.kind == VERDICT_UNDECIDED;
  tally->argued += v.ways.nsteps > 0;
  if (!wrong && v.ways.nsteps)
    shorten(tally, h, options, &v);
  if (!wrong && v.ways.nsteps && !is_sound(tally, tiny, options, &referee, &v))
    wrong = "its proof is accepted of a history that is kept";
  verdict_free(&v);
  return wrong;
}

static void tell(const struct tiny *tiny, const struct check_options *options,
                 const char *what, const struct error *error) {
  char text[4096];
  tiny_print(tiny, text, sizeof text);
  printf("# at %s%s%s%s: %s; %s\n",
         options->question.recorded ? "recorded levels, at most " : "",
         isolation_name(options->question.level),
         options->question.session_order ? "" : " without session order",
         options->question.real_time ? " in real time" : "", what, error->text);
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
    printf("#   %s\n", line);
}

static void ask(struct tally *tally, const struct tiny *tiny,
                const struct check_options *options) {
  static struct ways ways;
  struct history h;
  struct error error = {0};
  build(tiny, &h);
  find_ways(&ways, tiny, &h);
  if (count_ways(&ways) <= WAYS_MAX) {
    tally->choices += ways.nplaces > 0;
    const char *wrong = judge(tally, &ways, tiny, &h, options, &error);
    if (wrong && tally->wrong++ < 3)
      tell(tiny, options, wrong, &error);
  }
  history_free(&h);
}

static void conclude(const struct tally *t) {
  printf("# %" PRIu64 " questions, %" PRIu64 " kept, %" PRIu64
         " broken; %" PRIu64 " with choices, %" PRIu64
         " refuted by an argument, %" PRIu64 " undecided; %" PRIu64
         " of %" PRIu64 " arguments made too short, and %" PRIu64 " of %" PRIu64
         " with a changed claim are refused, %" PRIu64
         " are accepted of another history\n",
         t->questions, t->kept, t->broken, t->choices, t->argued, t->undecided,
         t->refused, t->shortened, t->unproved, t->changed, t->elsewhere);
  CHECK_INT(t->wrong, 0);
  CHECK(t->choices > t->questions / 5);
  CHECK(t->kept > t->questions / 20);
  CHECK(t->broken > t->questions / 20);
  CHECK(t->undecided < t->questions / 4);
  CHECK_INT(t->refused, t->shortened);
  CHECK(t->unproved >= t->changed - t->changed / 10);
}

// --- Random histories.

static uint8_t mapped(const uint8_t *map, uint8_t value) {
  return value < TINY_VALUES ? map[value] : value;
}

// Values become few.
static void merge_values(gsl_rng *random, struct tiny *tiny) {
  uint8_t map[TINY_VALUES] = {0};
  const unsigned few = 1 + below(random, 3);
  for (unsigned v = 1; v < TINY_VALUES; v++)
    map[v] = below(random, 12) ? (uint8_t)(1 + below(random, few)) : 0;
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops; i++) {
      struct tiny_op *op = &tiny->txn[t].op[i];
      op->value = mapped(map, op->value);
      op->expected = mapped(map, op->expected);
      for (unsigned e = 0; e < op->length; e++)
        op->list[e] = mapped(map, op->list[e]);
      if (op_is_list(op->kind) && !op->value)
        op->value = 1;
    }
}

// Is there a transaction whose level is asked about?
static bool has_levels(const struct tiny *tiny) {
  bool has = false;
  for (unsigned t = 0; t < tiny->ntxns; t++)
    has |= tiny->txn[t].outcome != OUTCOME_ABORTED;
  return has;
}

static void random_family(enum family family) {
  const unsigned count = tap_inputs(HISTORIES, 20);
  struct tally tally = {0};
  gsl_rng *random = random_stream(7, family, RANDOM_TEST);
  for (unsigned n = 0; n < count; n++) {
    struct tiny tiny;
    generate(random, family, MAX_TXNS, &tiny);
    merge_values(random, &tiny);
    const bool times = below(random, 2);
    const unsigned levels = times ? ISOLATION_SSER : ISOLATION_SER;
    for (unsigned t = 0; t < tiny.ntxns; t++) {
      tiny.txn[t].level = (uint8_t)(1 + below(random, levels));
      tiny.txn[t].end = times ? tiny.txn[t].end : 0;
    }
    struct check_options options = {
        .question = {.session_order = below(random, 4) != 0,
                     .real_time = times && below(random, 4) == 0}};
    for (enum isolation level = ISOLATION_RC; level <= levels; level++) {
      options.question.level = level;
      ask(&tally, &tiny, &options);
    }
    options.question.recorded = true;
    if (has_levels(&tiny))
      ask(&tally, &tiny, &options);
  }
  gsl_rng_free(random);
  conclude(&tally);
}

static void mini(void) { random_family(FAMILY_MINI); }
static void general(void) { random_family(FAMILY_GENERAL); }
static void append(void) { random_family(FAMILY_APPEND); }
static void cas(void) { random_family(FAMILY_CAS); }
static void outcome(void) { random_family(FAMILY_OUTCOME); }

// --- All of a space: three transactions of one or two operations that read and
// write 0, 1 or 2 of one key, in one to three sessions.

enum { SHAPES = 6 + 6 * 6, LAYOUTS = 4 };

static struct tiny_op small_op(unsigned n) {
  return (struct tiny_op){.kind = n % 2 ? OP_WRITE : OP_READ,
                          .value = (uint8_t)(n / 2)};
}

static void shape_txn(struct tiny_txn *txn, unsigned shape) {
  *txn = (struct tiny_txn){
      .nops = shape < 6 ? 1 : 2, .level = ISOLATION_SER, .outcome = OUTCOME_OK};
  if (shape < 6) {
    txn->op[0] = small_op(shape);
    return;
  }
  txn->op[0] = small_op((shape - 6) / 6);
  txn->op[1] = small_op((shape - 6) % 6);
}

static void exhaustive(void) {
  struct tally tally = {0};
  const unsigned all = SHAPES * SHAPES * SHAPES * LAYOUTS;
  // All of them take a minute; a stride that shares no factor takes a part.
  const unsigned stride = getenv("ISOSTRESS_LONG") ? 1
                          : TAP_SHARE > 1          ? 331
                                                   : 41;
  gsl_rng *random = random_stream(8, 0, RANDOM_TEST);
  for (unsigned n = 0; n < all; n += stride) {
    struct tiny tiny = {.ntxns = 3};
    const unsigned layout = n % LAYOUTS;
    for (unsigned t = 0, rest = n / LAYOUTS; t < 3; t++, rest /= SHAPES) {
      shape_txn(&tiny.txn[t], rest % SHAPES);
      tiny.txn[t].begin = 1 + below(random, 9) + 10 * t;
      tiny.txn[t].end = tiny.txn[t].begin + 1 + below(random, 18);
    }
    tiny.txn[1].session = layout & 1;
    tiny.txn[2].session = (uint8_t)(tiny.txn[1].session + (layout >> 1));
    for (enum isolation level = ISOLATION_RC; level <= ISOLATION_SSER;
         level++) {
      const struct check_options options = {
          .question = {.level = level, .session_order = true}};
      ask(&tally, &tiny, &options);
    }
  }
  gsl_rng_free(random);
  conclude(&tally);
}

// --- Histories of hundreds of transactions, without times.

enum { TXNS = 300, KEYS = 10, VALUES = 12, CLIENTS = 6, LAG = 8, OPS = 5 };

// A store of snapshots: a transaction sees one of the last states and commits
// if nobody wrote its keys since, and is in its session; of a serial one it
// sees the last.  At RC each of its reads sees a state of its own, none earlier
// than the one before, and some keys have no value twice: that reads of these
// are not repeated is known then.
struct store {
  uint64_t state[TXNS + 1][KEYS]; // after each commit
  uint32_t written[KEYS];         // by which commit, from 1
  uint32_t ended[CLIENTS];        // the last commit of each session
  uint32_t ncommits;
};

static void run_txn(struct store *s, struct builder *b, gsl_rng *random,
                    unsigned lag, bool rc) {
  const uint32_t last = s->ncommits;
  const uint32_t session = below(random, CLIENTS);
  uint32_t snapshot = last - (last > lag ? below(random, lag + 1) : 0);
  if (snapshot < s->ended[session])
    snapshot = s->ended[session];
  uint64_t *after = s->state[last + 1];
  memcpy(after, s->state[last], sizeof s->state[last]);
  builder_txn(b, session, OUTCOME_OK, ISOLATION_SER, TIME_UNKNOWN,
              TIME_UNKNOWN);
  uint32_t used = 0;
  for (unsigned i = 0; i < OPS; i++) {
    const unsigned key = below(random, KEYS);
    if (rc)
      snapshot += below(random, last - snapshot + 1);
    if (used & 1u << key)
      continue;
    if (!rc)
      used |= 1u << key;
    if (below(random, 2) && s->written[key] <= snapshot) {
      used |= 1u << key;
      after[key] = rc && key < 3 ? VALUES + last : 1 + below(random, VALUES);
      s->written[key] = last + 1;
      builder_op(b, OP_WRITE, key, after[key]);
    } else
      builder_op(b, OP_READ, key, s->state[snapshot][key]);
  }
  s->ended[session] = ++s->ncommits;
}

// Three overwrite a value that was written twice, so that two of them overwrite
// the same version, whatever they read.
static void lose_an_update(struct builder *b) {
  for (unsigned i = 0; i < 5; i++) {
    builder_txn(b, CLIENTS + i, OUTCOME_OK, ISOLATION_SER, TIME_UNKNOWN,
                TIME_UNKNOWN);
    if (i >= 2)
      builder_op(b, OP_READ, KEYS, 1);
    builder_op(b, OP_WRITE, KEYS, i < 2 ? 1 : i);
  }
}

static unsigned lag_of(enum isolation level) {
  return level == ISOLATION_SER ? 0 : level == ISOLATION_RC ? 8 * LAG : LAG;
}

static void decide_large(unsigned seed, enum isolation level, bool broken) {
  struct history h;
  struct error error;
  struct verdict v;
  const struct check_options options = {
      .question = {.level = level, .session_order = true}};
  static struct store store;
  gsl_rng *random = random_stream(9, seed, RANDOM_TEST);
  struct builder *b = builder_open();
  builder_options(b)->allow_duplicates = true;
  memset(&store, 0, sizeof store);
  for (unsigned t = 0; t < TXNS; t++)
    run_txn(&store, b, random, lag_of(level), level == ISOLATION_RC);
  if (broken)
    lose_an_update(b);
  CHECK_INT(builder_finish(b, &h, &error), 0);
  CHECK(h.nduplicates > TXNS / 2);
  CHECK_INT(check(&h, &options, &v, &error), 0);
  CHECK_INT(v.kind, broken ? VERDICT_VIOLATION : VERDICT_PASS);
  CHECK(!broken || v.ways.nsteps > 0);
  verdict_free(&v);
  history_free(&h);
  gsl_rng_free(random);
}

static void large(void) {
  for (unsigned seed = 0; seed < 4; seed++)
    for (unsigned broken = 0; broken < 2; broken++) {
      decide_large(seed, ISOLATION_SI, broken);
      decide_large(seed, ISOLATION_SER, broken);
      for (enum isolation level = ISOLATION_RA;
           !broken && level <= ISOLATION_PC; level++)
        decide_large(seed, level, false);
    }
}

int main(void) {
  return TAP_RUN({"mini-transactions agree with the referee", mini},
                 {"general registers agree with the referee", general},
                 {"histories of lists agree with the referee", append},
                 {"histories of compare-and-set agree with the referee", cas},
                 {"aborted and unknown transactions", outcome},
                 {"all small histories", exhaustive},
                 {"hundreds of transactions are decided", large});
}
