// SPDX-License-Identifier: GPL-3.0-or-later
// The plans of mt, general and cas: that they are what the workloads promise.
#include "config.h"

#include "tests/tap.h"
#include "workload/aim.h"
#include "workload/planner.h"

#include <math.h>

static struct workload_options defaults(void) {
  struct workload_options options;
  workload_defaults(&options);
  options.seed = 7;
  return options;
}

// Puts all of the workload's weight on one shape; its number.
static uint32_t only(struct workload_options *options,
                     const struct workload *workload, const char *name) {
  uint32_t shape = 0;
  while (strcmp(workload->shapes[shape].name, name) != 0)
    shape++;
  memset(options->shape_share, 0, sizeof options->shape_share);
  options->shape_share[shape] = 1;
  return shape;
}

// "rx wx ry": the plan with its keys called x, y, z... in the order in which
// they come; lists in capitals, a CAS as c.
static const char *form_of(const struct plan *plan, char *text) {
  uint64_t keys[PLAN_MAX_OPS];
  uint32_t nkeys = 0;
  char *end = text;
  for (uint32_t i = 0; i < plan->nops; i++) {
    unsigned kind = plan->ops[i].kind;
    uint32_t k = 0;
    while (k < nkeys && keys[k] != plan->ops[i].key)
      k++;
    if (k == nkeys)
      keys[nkeys++] = plan->ops[i].key;
    end += sprintf(end, "%s%c%c", i ? " " : "",
                   kind == OP_READ        ? 'r'
                   : kind == OP_WRITE     ? 'w'
                   : kind == OP_CAS       ? 'c'
                   : kind == OP_READ_LIST ? 'R'
                                          : 'A',
                   "xyzabcdefghijklmnopq"[k % 20]);
  }
  return text;
}

// MTC, definition 8.
static bool reads_before_it_writes(const struct plan *plan) {
  for (uint32_t i = 0; i < plan->nops; i++) {
    const struct operation *op = &plan->ops[i];
    bool was_read = op->kind == OP_READ;
    for (uint32_t j = 0; j < i; j++)
      was_read |= plan->ops[j].kind == OP_READ && plan->ops[j].key == op->key;
    if (!was_read)
      return false;
  }
  return true;
}

static bool is_mini_transaction(const struct plan *plan) {
  uint32_t reads = 0, writes = 0;
  for (uint32_t i = 0; i < plan->nops; i++) {
    reads += plan->ops[i].kind == OP_READ;
    writes += plan->ops[i].kind == OP_WRITE;
  }
  return reads >= 1 && reads <= 2 && writes <= 2 &&
         reads + writes == plan->nops && reads_before_it_writes(plan);
}

static void mt_plans_are_mini_transactions(void) {
  const struct workload *mt = &workload_mt;
  for (int d = 0; d < DISTRIBUTION_COUNT; d++)
    for (uint64_t nkeys = 2; nkeys < 1000000; nkeys *= 9) {
      struct workload_options o = defaults();
      o.distribution = d;
      o.nkeys = nkeys;
      void *state = mt->open(&o, 3);
      struct plan plan;
      int bad = 0;
      for (int i = 0; i < 5000; i++) {
        mt->next(state, &plan);
        bad += !is_mini_transaction(&plan) || plan.one_by_one;
        for (uint32_t j = 0; j < plan.nops; j++)
          bad += plan.ops[j].key >= nkeys;
      }
      CHECK_INT(bad, 0);
      mt->close(state);
    }
}

static void the_test_of_mini_transactions_refuses_others(void) {
  static const struct {
    struct operation ops[5];
    uint32_t nops;
  } others[] = {
      {{{OP_WRITE, 0, 1, 0}}, 1},
      {{{OP_READ, 0, 1, 0}, {OP_WRITE, 0, 2, 0}}, 2},
      {{{OP_WRITE, 0, 1, 0}, {OP_READ, 0, 1, 0}}, 2},
      {{{OP_READ, 0, 1, 0}, {OP_READ, 0, 2, 0}, {OP_READ, 0, 3, 0}}, 3},
  };
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    struct operation ops[5];
    memcpy(ops, others[i].ops, sizeof ops);
    CHECK(!is_mini_transaction(
        &(struct plan){.ops = ops, .nops = others[i].nops}));
  }
}

// Each shape takes exactly the forms it should.
static void mt_shapes_have_their_forms(void) {
  static const struct {
    const char *shape, *one, *two;
  } rows[] = {
      {"ro", "rx", "rx ry"},
      {"rmw1", "rx wx", "rx wx"},
      {"rmw2", "rx ry wx wy", "rx wx ry wy"},
      {"r2w1", "rx ry wx", "rx ry wy"},
      {"reread", "rx rx", "rx rx"},
      {"rewrite", "rx wx wx", "rx wx wx"},
      {"readback", "rx wx rx", "rx wx wx rx"},
  };
  const struct workload *mt = &workload_mt;
  CHECK_INT(workload_shapes(mt), sizeof rows / sizeof rows[0]);
  for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
    struct workload_options o = defaults();
    uint32_t shape = only(&o, mt, rows[row].shape);
    void *state = mt->open(&o, 0);
    int ones = 0, twos = 0;
    for (int i = 0; i < 1000; i++) {
      struct plan plan;
      char text[64];
      mt->next(state, &plan);
      form_of(&plan, text);
      CHECK_INT(plan.shape, shape);
      ones += strcmp(text, rows[row].one) == 0;
      twos += strcmp(text, rows[row].two) == 0;
    }
    bool same = strcmp(rows[row].one, rows[row].two) == 0;
    CHECK_INT(same ? ones : ones + twos, 1000);
    CHECK(same || (ones > 400 && twos > 400));
    mt->close(state);
  }
}

// The keys of a pair come in both orders, and are distinct even where nearly
// all draws go to one key.
static void mt_keys_come_in_any_order(void) {
  const struct workload *mt = &workload_mt;
  struct workload_options o = defaults();
  only(&o, mt, "rmw2");
  for (int steep = 0; steep < 2; steep++) {
    o.nkeys = 100;
    o.theta = steep ? 10 : 0.5;
    int up = 0, down = 0;
    void *state = mt->open(&o, 0);
    for (int i = 0; i < 20000; i++) {
      struct plan plan;
      mt->next(state, &plan);
      uint64_t first = plan.ops[0].key, last = plan.ops[3].key;
      up += first < last;
      down += first > last;
    }
    CHECK_INT(up + down, 20000);
    CHECK(down > 0 && (steep || (up > 9000 && down > 9000)));
    mt->close(state);
  }
}

// Which of the aim's plans this is; AIM_MOST_PLANS if none.
static uint32_t plan_of_aim(const struct aim *aim, const struct plan *plan) {
  char text[256], wanted[256];
  uint32_t i = 0;
  form_of(plan, text);
  for (; i < AIM_MOST_PLANS && aim->plans[i].share > 0; i++) {
    struct operation ops[64];
    struct plan p = {.ops = ops};
    for (const char *form = aim->plans[i].form; *form;
         form += form[2] ? 3 : 2) {
      const uint32_t end = form[1] == '*' ? aim->keys : 1;
      for (uint32_t k = 0; k < end; k++)
        ops[p.nops++] =
            (struct operation){.kind = form[0] == 'r' ? OP_READ : OP_WRITE,
                               .key = form[1] == 'y' ? 1 : k};
    }
    if (plan->shape == aim->plans[i].shape &&
        !strcmp(form_of(&p, wanted), text))
      return i;
  }
  return AIM_MOST_PLANS;
}

// The shapes of the table and no others, each as often as it says, on the keys
// of the session's neighbourhood, of which all are used.
static void an_aim_decides_shapes_and_keys(void) {
  enum { PLANS = 4000, SESSION = 9 };
  const struct workload *mt = &workload_mt;
  for (const struct aim *aim = aims; aim->name; aim++) {
    struct workload_options o = defaults();
    uint32_t count[AIM_MOST_PLANS + 1] = {0}, used = 0;
    const uint64_t first = (uint64_t)(SESSION / aim->sessions) * aim->keys;
    o.aim = aim;
    void *state = mt->open(&o, SESSION);
    for (int i = 0; i < PLANS; i++) {
      struct plan plan;
      mt->next(state, &plan);
      const uint32_t one = plan_of_aim(aim, &plan);
      count[one]++;
      CHECK(reads_before_it_writes(&plan));
      CHECK(one < AIM_MOST_PLANS &&
            (strchr(aim->plans[one].form, '*') || is_mini_transaction(&plan)));
      for (uint32_t op = 0; op < plan.nops; op++) {
        const uint64_t key = plan.ops[op].key - first;
        CHECK(key < aim->keys);
        used |= 1u << key;
      }
    }
    double sum = 0;
    for (int i = 0; i < AIM_MOST_PLANS; i++) {
      sum += aim->plans[i].share;
      CHECK(fabs(count[i] - aim->plans[i].share * PLANS) < PLANS / 10.0);
    }
    CHECK(fabs(sum - 1) < 1e-9 && !count[AIM_MOST_PLANS]);
    CHECK_INT(used, (1u << aim->keys) - 1);
    mt->close(state);
  }
}

static void neighbours_share_keys_and_others_do_not(void) {
  const struct workload *mt = &workload_mt;
  struct error error;
  struct workload_options o = defaults();
  const struct aim *aim = aim_find("fracturedread", false, &error);
  enum { SESSIONS = 24 };
  uint64_t seen[SESSIONS] = {0};
  CHECK(aim->sessions < SESSIONS && SESSIONS / aim->sessions * aim->keys < 64);
  o.aim = aim;
  for (uint32_t session = 0; session < SESSIONS; session++) {
    void *state = mt->open(&o, session);
    struct plan plan;
    for (int i = 0; i < 100; i++) {
      mt->next(state, &plan);
      for (uint32_t op = 0; op < plan.nops; op++)
        seen[session] |= UINT64_C(1) << plan.ops[op].key;
    }
    mt->close(state);
    CHECK_INT(seen[session], ((UINT64_C(1) << aim->keys) - 1)
                                 << (aim->keys * (session / aim->sessions)));
  }
}

// Where there are fewer keys than the neighbourhoods need.
static void an_aim_keeps_to_the_keys_there_are(void) {
  const struct workload *mt = &workload_mt;
  for (const struct aim *aim = aims; aim->name; aim++) {
    struct workload_options o = defaults();
    o.aim = aim;
    o.nkeys = 3;
    void *state = mt->open(&o, 1000);
    struct plan plan;
    for (int i = 0; i < 100; i++) {
      mt->next(state, &plan);
      for (uint32_t op = 0; op < plan.nops; op++)
        CHECK(plan.ops[op].key < o.nkeys);
      CHECK(reads_before_it_writes(&plan));
    }
    mt->close(state);
  }
}

static void the_same_seed_aims_the_same(void) {
  const struct workload *mt = &workload_mt;
  for (const struct aim *aim = aims; aim->name; aim++) {
    struct workload_options o = defaults();
    o.aim = aim;
    void *one = mt->open(&o, 5), *two = mt->open(&o, 5);
    for (int i = 0; i < 200; i++) {
      struct plan a, b;
      mt->next(one, &a);
      mt->next(two, &b);
      CHECK(a.nops == b.nops && a.shape == b.shape);
      for (uint32_t op = 0; op < a.nops; op++)
        CHECK(a.ops[op].kind == b.ops[op].kind &&
              a.ops[op].key == b.ops[op].key);
    }
    mt->close(one);
    mt->close(two);
  }
}

static void an_unknown_aim_is_refused(void) {
  struct error error;
  CHECK(!aim_find("LostUpdat", false, &error));
  CHECK(strstr(error.text, "did you mean LostUpdate?") != NULL);
  CHECK(!aim_find("", false, &error));
}

static void general_shapes_have_their_forms(void) {
  static const struct {
    const char *shape;
    uint32_t ops;
    const char *kinds;
  } rows[] = {
      {"ro", 3, "rrr"},    {"wo", 3, "www"}, {"rmw", 4, "rwrw"},
      {"rmw", 5, "rwrwr"}, {"rmw", 1, "r"},
  };
  const struct workload *general = &workload_general;
  for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
    struct workload_options o = defaults();
    only(&o, general, rows[row].shape);
    o.ops = rows[row].ops;
    void *state = general->open(&o, 0);
    struct plan plan;
    general->next(state, &plan);
    char kinds[8] = "";
    for (uint32_t i = 0; i < plan.nops; i++) {
      kinds[i] = plan.ops[i].kind == OP_READ ? 'r' : 'w';
      if (kinds[i] == 'w' && *rows[row].shape == 'r')
        CHECK(plan.ops[i].key == plan.ops[i - 1].key);
    }
    CHECK_STR(kinds, rows[row].kinds);
    general->close(state);
  }
}

// Share of the operations that read, and of the transactions that are long.
static void measure(const struct workload *workload,
                    const struct workload_options *options, double *reads,
                    double *longs) {
  enum { PLANS = 5000 };
  uint64_t nops = 0, nreads = 0, nlong = 0;
  void *state = workload->open(options, 1);
  for (int i = 0; i < PLANS; i++) {
    struct plan plan;
    workload->next(state, &plan);
    CHECK(plan.nops == options->ops || plan.nops == options->long_ops);
    nlong += plan.nops == options->long_ops;
    nops += plan.nops;
    for (uint32_t j = 0; j < plan.nops; j++)
      nreads += op_reads(plan.ops[j].kind);
  }
  workload->close(state);
  *reads = (double)nreads / (double)nops;
  *longs = (double)nlong / PLANS;
}

static void read_ratio_and_long_share_are_kept(void) {
  double reads, longs;
  struct workload_options o = defaults();
  measure(&workload_general, &o, &reads, &longs);
  CHECK(fabs(reads - 0.4) < 0.02); // 0.2 + 0.4 / 2
  CHECK(longs == 0);
  o.read_ratio = 0.95;
  o.long_share = 0.3;
  o.long_ops = PLAN_MAX_OPS;
  measure(&workload_general, &o, &reads, &longs);
  CHECK(fabs(reads - 0.95) < 0.02);
  CHECK(fabs(longs - 0.3) < 0.03);
  measure(&workload_append, &o, &reads, &longs);
  CHECK(fabs(reads - 0.95) < 0.02);
  o.read_ratio = 0;
  measure(&workload_append, &o, &reads, &longs);
  CHECK(fabs(reads - 0.5) < 0.02);
  // Shares that are set win; read_ratio is then for `mixed` alone.
  o.read_ratio = 0.95;
  only(&o, &workload_general, "wo");
  measure(&workload_general, &o, &reads, &longs);
  CHECK(reads == 0);
}

static void cas_plans_are_well_formed(void) {
  const struct workload *cas = &workload_cas;
  struct workload_options o = defaults();
  void *state = cas->open(&o, 0);
  int forms[3] = {0};
  for (int i = 0; i < 10000; i++) {
    struct plan plan;
    char text[16];
    cas->next(state, &plan);
    form_of(&plan, text);
    const struct operation *last = &plan.ops[plan.nops - 1];
    CHECK(plan.one_by_one);
    if (strcmp(text, "rx") == 0)
      forms[0]++;
    else if (strcmp(text, "rx cx") == 0 && last->expect == 0)
      forms[1]++;
    else if (strcmp(text, "cx") == 0 && last->expect == EXPECT_ABSENT)
      forms[2]++;
  }
  CHECK(forms[0] && forms[1] && forms[2]);
  CHECK_INT(forms[0] + forms[1] + forms[2], 10000);
  cas->close(state);
}

static bool are_equal_plans(const struct plan *a, const struct plan *b) {
  bool equal = a->nops == b->nops && a->shape == b->shape;
  for (uint32_t i = 0; equal && i < a->nops; i++)
    equal = a->ops[i].kind == b->ops[i].kind && a->ops[i].key == b->ops[i].key;
  return equal;
}

// How many of 1000 plans of two sessions are equal.
static uint32_t equal_plans(double twins, uint32_t session, uint32_t other) {
  struct workload_options options = defaults();
  const struct workload *mt = &workload_mt;
  uint32_t equal = 0;
  options.distribution = DISTRIBUTION_UNIFORM;
  options.nkeys = 1000000;
  options.nsessions = 5;
  options.twins = twins;
  void *states[2] = {mt->open(&options, session), mt->open(&options, other)};
  for (int i = 0; i < 1000; i++) {
    struct plan plans[2];
    mt->next(states[0], &plans[0]);
    mt->next(states[1], &plans[1]);
    equal += are_equal_plans(&plans[0], &plans[1]);
  }
  mt->close(states[0]);
  mt->close(states[1]);
  return equal;
}

static void twins_choose_the_same(void) {
  CHECK_INT(equal_plans(1, 0, 1), 1000);
  CHECK_INT(equal_plans(1, 0, 2), 0);
  CHECK_INT(equal_plans(0, 2, 3), 0);
  const uint32_t some = equal_plans(0.3, 2, 3);
  CHECK(some > 250 && some < 350);
  CHECK_INT(equal_plans(1, 3, 4), 0); // 4 has no twin
}

int main(void) {
  return TAP_RUN(
      {"mt plans are mini-transactions", mt_plans_are_mini_transactions},
      {"the test of mini-transactions refuses others",
       the_test_of_mini_transactions_refuses_others},
      {"mt shapes have their forms", mt_shapes_have_their_forms},
      {"mt keys come in any order", mt_keys_come_in_any_order},
      {"an aim decides shapes and keys", an_aim_decides_shapes_and_keys},
      {"neighbours share keys and others do not",
       neighbours_share_keys_and_others_do_not},
      {"an aim keeps to the keys there are",
       an_aim_keeps_to_the_keys_there_are},
      {"the same seed aims the same", the_same_seed_aims_the_same},
      {"an unknown aim is refused", an_unknown_aim_is_refused},
      {"general shapes have their forms", general_shapes_have_their_forms},
      {"read-ratio and long-share are kept",
       read_ratio_and_long_share_are_kept},
      {"cas plans are well-formed", cas_plans_are_well_formed},
      {"twins choose the same", twins_choose_the_same});
}
