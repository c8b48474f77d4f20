// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of counterexamples: no word and no number touches another one, and
// no arrow crosses a word; of real counterexamples of random histories, and of
// larger ones that are made up.
#include "config.h"

#include "base/memory.h"
#include "base/random.h"
#include "recorder/builder/builder.h"
#include "report/picture/picture.h"
#include "tests/kit/generate.h"
#include "tests/kit/tiny.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PICTURES = 500, DRAWN_TXNS = 6, TXNS = 12, SESSIONS = 8, OPS = 4 };

struct area {
  double x, y, width, height;
};

static bool touch(struct area a, struct area b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
         b.y < a.y + a.height;
}

static struct area of_word(const struct picture_word *w) {
  return (struct area){w->x, w->y + 5, w->width, 15};
}

static struct area of_disc(const struct picture_arrow *a) {
  return (struct area){a->disc_x - PICTURE_DISC, a->disc_y - PICTURE_DISC,
                       2 * PICTURE_DISC, 2 * PICTURE_DISC};
}

// The run of an arrow along a row.
static struct area of_run(double x, double lane, double y) {
  const double left = x < lane ? x : lane;
  return (struct area){left, y - 1.3, x < lane ? lane - x : x - lane, 2.6};
}

static unsigned words_touched(const struct picture *p, struct area area,
                              uint32_t first) {
  unsigned n = 0;
  for (uint32_t i = first; i < p->nwords; i++)
    n += touch(area, of_word(&p->words[i]));
  return n;
}

static unsigned count_touches(const struct picture *p) {
  unsigned n = 0;
  for (uint32_t i = 0; i < p->nwords; i++)
    n += words_touched(p, of_word(&p->words[i]), i + 1);
  for (uint32_t i = 0; i < p->narrows; i++) {
    const struct picture_arrow *a = &p->arrows[i];
    n += words_touched(p, of_disc(a), 0);
    if (!a->straight)
      n += words_touched(p, of_run(a->x1, a->lane_x, a->y1), 0) +
           words_touched(p, of_run(a->x2, a->lane_x, a->y2), 0);
    for (uint32_t k = i + 1; k < p->narrows; k++)
      n += touch(of_disc(a), of_disc(&p->arrows[k]));
  }
  return n;
}

static bool is_inside(const struct picture *p) {
  bool inside = true;
  for (uint32_t i = 0; i < p->nwords; i++)
    inside &= p->words[i].x >= 0 &&
              p->words[i].x + p->words[i].width <= p->width &&
              p->words[i].y + PICTURE_ROW <= p->height;
  return inside;
}

static void check_picture(const struct example *e) {
  struct picture p;
  picture_lay_out(&p, e);
  CHECK_INT(count_touches(&p), 0);
  CHECK(is_inside(&p));
  picture_free(&p);
}

// --- Of random histories.

static unsigned draw_violation(gsl_rng *random, unsigned i) {
  struct tiny tiny;
  struct tiny_history room;
  struct verdict verdict;
  struct error error;
  const struct check_options options = {
      .question = {.level = ISOLATION_SER, .session_order = true},
      .max_examples = 1};
  generate(random, (enum family)(i % FAMILY_COUNT), DRAWN_TXNS, &tiny);
  const struct history *h = tiny_history(&tiny, &room);
  CHECK_INT(check(h, &options, &verdict, &error), 0);
  const bool broken = verdict.kind == VERDICT_VIOLATION;
  if (broken) {
    struct example example;
    example_of_verdict(&example, h, &verdict, false);
    check_picture(&example);
    example_free(&example);
  }
  verdict_free(&verdict);
  return broken;
}

static void of_random_histories(void) {
  gsl_rng *random = random_stream(1, 1, RANDOM_TEST);
  unsigned drawn = 0;
  for (unsigned i = 0; drawn < PICTURES && i < 100 * PICTURES; i++)
    drawn += draw_violation(random, i);
  CHECK_INT(drawn, PICTURES);
  gsl_rng_free(random);
}

// Two arrows that cross the same channel at the same height.
static void numbers_stand_apart(void) {
  struct example_txn txns[] = {{.name = "T1",
                                .id = "0:0",
                                .session = 0,
                                .outcome = "committed",
                                .begin = 1,
                                .end = 46,
                                .first_op = 0,
                                .end_op = 2},
                               {.name = "T2",
                                .id = "1:0",
                                .session = 1,
                                .outcome = "committed",
                                .begin = 21,
                                .end = 62,
                                .first_op = 2,
                                .end_op = 4}};
  struct example_op ops[] = {
      {.begin = 20, .end = 27, .kind = "read", .key = "x", .label = "read x0"},
      {.begin = 30,
       .end = 42,
       .kind = "write",
       .key = "x",
       .label = "write x1"},
      {.begin = 40, .end = 50, .kind = "read", .key = "x", .label = "read x0"},
      {.begin = 51,
       .end = 52,
       .kind = "write",
       .key = "x",
       .label = "write x2"}};
  struct example_edge edges[] = {{.kind = "RW",
                                  .from = 0,
                                  .to = 1,
                                  .from_op = 0,
                                  .to_op = 3,
                                  .on_cycle = true,
                                  .number = 1},
                                 {.kind = "RW",
                                  .from = 1,
                                  .to = 0,
                                  .from_op = 2,
                                  .to_op = 1,
                                  .on_cycle = true,
                                  .number = 2}};
  const struct example e = {.txns = txns,
                            .ntxns = 2,
                            .ops = ops,
                            .nops = 4,
                            .edges = edges,
                            .nedges = 2,
                            .ncycle = 2,
                            .timed = true,
                            .read = EXAMPLE_NONE,
                            .other = EXAMPLE_NONE};
  struct picture p;
  picture_lay_out(&p, &e);
  CHECK_INT(p.narrows, 2);
  const double across = p.arrows[0].disc_x - p.arrows[1].disc_x;
  const double down = p.arrows[0].disc_y - p.arrows[1].disc_y;
  CHECK(across * across + down * down > 27 * 27);
  CHECK_INT(count_touches(&p), 0);
  picture_free(&p);
}

// --- Made up.

static uint32_t below(gsl_rng *random, uint32_t n) {
  return (uint32_t)gsl_rng_uniform_int(random, n);
}

static void make_ops(gsl_rng *random, struct example *e,
                     struct example_txn *txn) {
  static const char *const labels[] = {
      "read x1", "write yy12a", "cas x1 to x3",
      "read [x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11]",
      "changed row t/12 to a = 5, b = 1234567, c = 9"};
  uint64_t time = txn->begin;
  txn->first_op = e->nops;
  for (uint32_t n = below(random, OPS + 1); n > 0; n--) {
    const uint64_t begin = time + below(random, 20);
    time = begin + below(random, 200);
    e->ops[e->nops++] = (struct example_op){
        .begin = begin,
        .end = e->timed ? time : TIME_UNKNOWN,
        .kind = "read",
        .key = "x",
        .label = labels[below(random, sizeof labels / sizeof *labels)],
        .sentence = "",
        .raw = ""};
  }
  txn->end_op = e->nops;
  txn->end = below(random, 9) ? time + below(random, 50) : TIME_UNKNOWN;
}

static void make_txns(gsl_rng *random, struct example *e) {
  static const char *const names[] = {"T1", "T2", "T3", "T4",  "T5",  "T6",
                                      "T7", "T8", "T9", "T10", "T11", "T12"};
  uint64_t free_at[SESSIONS] = {0}, time = 1;
  const uint32_t nsessions = 2 + below(random, SESSIONS - 1);
  e->ntxns = 2 + below(random, TXNS - 1);
  for (uint32_t t = 0; t < e->ntxns; t++) {
    struct example_txn *txn = &e->txns[t];
    const uint32_t session = below(random, nsessions);
    time += below(random, 100);
    time = time > free_at[session] ? time : free_at[session];
    *txn = (struct example_txn){.name = names[t],
                                .id = "0:0",
                                .session = session,
                                .outcome =
                                    below(random, 6) ? "committed" : "aborted",
                                .begin = time};
    make_ops(random, e, txn);
    free_at[session] = (txn->end == TIME_UNKNOWN ? time + 900 : txn->end) + 1;
    if (!e->timed)
      txn->begin = txn->end = TIME_UNKNOWN;
  }
}

static uint32_t some_op(gsl_rng *random, const struct example_txn *txn) {
  const uint32_t n = txn->end_op - txn->first_op;
  return n ? txn->first_op + below(random, n) : EXAMPLE_NONE;
}

static void make_edge(gsl_rng *random, struct example *e, uint32_t from,
                      uint32_t to, bool on_cycle) {
  const bool same = e->txns[from].session == e->txns[to].session;
  e->edges[e->nedges] =
      (struct example_edge){.kind = same && from < to ? "SO" : "RW",
                            .from = from,
                            .to = to,
                            .from_op = some_op(random, &e->txns[from]),
                            .to_op = some_op(random, &e->txns[to]),
                            .on_cycle = on_cycle,
                            .number = e->nedges + 1,
                            .sentence = ""};
  if (!strcmp(e->edges[e->nedges].kind, "SO"))
    e->edges[e->nedges].from_op = e->edges[e->nedges].to_op = EXAMPLE_NONE;
  e->nedges++;
}

static void draw_made_up(gsl_rng *random) {
  struct example_txn txns[TXNS];
  struct example_op ops[TXNS * OPS];
  struct example_edge edges[2 * TXNS];
  struct example e = {.anomaly = "WriteSkew",
                      .txns = txns,
                      .ops = ops,
                      .edges = edges,
                      .timed = below(random, 8) > 0,
                      .read = EXAMPLE_NONE,
                      .other = EXAMPLE_NONE};
  make_txns(random, &e);
  const uint32_t n = 2 + below(random, e.ntxns - 1);
  for (uint32_t i = 0; i < n; i++)
    make_edge(random, &e, i, (i + 1) % n, true);
  e.ncycle = n;
  for (uint32_t i = n; i < e.ntxns; i++)
    make_edge(random, &e, i, below(random, i), false);
  check_picture(&e);
}

static void made_up(void) {
  gsl_rng *random = random_stream(2, 1, RANDOM_TEST);
  for (unsigned i = 0; i < PICTURES; i++)
    draw_made_up(random);
  gsl_rng_free(random);
}

// Each of a ring of transactions misses what the next one writes: too many to
// be drawn.  The picture of an earlier report goes.
static void large_examples_are_not_drawn(void) {
  enum { RING = PICTURE_MOST_TXNS + 1 };
  char directory[] = "/tmp/isostress-picture.XXXXXX";
  struct builder *b = builder_open();
  struct history history;
  struct verdict verdict;
  struct example example;
  struct error error;
  for (uint64_t t = 0; t < RING; t++) {
    builder_txn(b, t, OUTCOME_OK, ISOLATION_SER, TIME_UNKNOWN, TIME_UNKNOWN);
    builder_op(b, OP_READ, t, VALUE_INITIAL);
    builder_op(b, OP_WRITE, (t + 1) % RING, 1 + t);
  }
  CHECK_INT(builder_finish(b, &history, &error), 0);
  const struct check_options options = {.question = {.level = ISOLATION_SER}};
  CHECK_INT(check(&history, &options, &verdict, &error), 0);
  example_of_verdict(&example, &history, &verdict, false);
  CHECK(!picture_has_room(&example) && mkdtemp(directory));
  char *path = xasprintf("%s/counterexample-1.svg", directory);
  fclose(fopen(path, "w"));
  CHECK_INT(picture_write(directory, 1, &example, &error), 0);
  CHECK_INT(rmdir(directory), 0);
  free(path);
  example_free(&example);
  verdict_free(&verdict);
  history_free(&history);
}

int main(void) {
  return TAP_RUN(
      {"nothing touches in those of random histories", of_random_histories},
      {"nothing touches in larger ones", made_up},
      {"numbers of arrows stand apart", numbers_stand_apart},
      {"large ones are not drawn", large_examples_are_not_drawn});
}
