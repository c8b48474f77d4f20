// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments about rows that statements did not return: whoever is refuted by
// one breaks the level, as the referee says, and the verifier accepts it.  It
// accepts none about a history that keeps the level.
#include "config.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/argue/argue.h"
#include "checker/part/row_registers.h"
#include "checker/verify/rows/argument_rows.h"
#include "checker/verify/rows/rows_question.h"
#include "recorder/files/reader.h"
#include "recorder/files/writer.h"
#include "tests/kit/row_histories.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

static uint64_t nhistories(void) { return tap_inputs(60000, 20); }

static uint32_t any(gsl_rng *random, uint32_t n) {
  return (uint32_t)gsl_rng_uniform_int(random, n);
}

static enum referee_answer ask(const struct history *h,
                               const struct check_options *options) {
  const struct referee_rows_options question = question_about_rows(h, options);
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  return referee_rows_decide(h, &question, order, &norder);
}

static bool is_believed(const struct history *h,
                        const struct check_options *options,
                        const struct argument *argument) {
  struct history registers = rows_registers(h, options->question.plain_reads);
  struct error error = {0};
  const bool believed = verify_rows_argument(h, &registers, options, argument,
                                             &error) == VERIFIED;
  rows_as_registers_free(&registers);
  return believed;
}

static void print(const char *what, const struct history *h,
                  const struct check_options *options) {
  struct error error = {0};
  printf("# %s, at level %s:\n", what,
         options->question.recorded ? "recorded"
                                    : isolation_name(options->question.level));
  fflush(stdout);
  history_write("-", history_format_named("text", &error), h, NULL, &error);
}

static struct check_options any_question(gsl_rng *random, struct history *h,
                                         bool times) {
  const unsigned top = times ? ISOLATION_SSER : ISOLATION_SER;
  struct check_options options = {
      .question = {.level = (enum isolation)(
                       ISOLATION_RC + any(random, top - ISOLATION_RC + 1)),
                   .session_order = any(random, 4) != 0,
                   .plain_reads = !any(random, 4),
                   .real_time = times && !any(random, 3),
                   .rc_sees_session = !any(random, 4),
                   .recorded = !any(random, 3)}};
  for (uint32_t t = 0; options.question.recorded && t < h->ntxns; t++)
    h->level[t] = (uint8_t)(ISOLATION_RC + any(random, top - ISOLATION_RC + 1));
  if (options.question.recorded)
    options.question.level = top;
  return options;
}

// --- Agreement.

struct tally {
  uint64_t kept, found, missed, stopped, wrong, refused, unreturned;
};

static bool has_row_step(const struct argument *a) {
  bool has = false;
  for (uint32_t i = 0; i < a->nsteps; i++)
    has |= a->steps[i].why >= REASON_UNRETURNED;
  return has;
}

static void compare(struct history *h, const struct check_options *options,
                    struct tally *tally) {
  const enum referee_answer answer = ask(h, options);
  struct history registers = rows_registers(h, options->question.plain_reads);
  struct argument argument;
  const enum argue_answer argued =
      argue_of_rows(&argument, &registers, h, options);
  tally->kept += answer == REFEREE_KEPT;
  if (answer == REFEREE_BROKEN) {
    tally->found += argued == ARGUE_FOUND;
    tally->missed += argued == ARGUE_NOT_BROKEN;
    tally->stopped += argued == ARGUE_STOPPED;
    if (argued == ARGUE_NOT_BROKEN && getenv("SHOW_MISSED") &&
        tally->missed < 4)
      print("missed", h, options);
  }
  if (argued == ARGUE_FOUND && answer == REFEREE_KEPT && tally->wrong++ < 3)
    print("refuted, and kept", h, options);
  if (argued == ARGUE_FOUND) {
    tally->unreturned += has_row_step(&argument);
    if (!is_believed(h, options, &argument) && tally->refused++ < 3)
      print("its argument is refused", h, options);
    argument_free(&argument);
  }
  rows_as_registers_free(&registers);
}

static void agree(struct rows_odds odds, uint64_t seed) {
  struct tally tally = {0};
  gsl_rng *random = random_stream(seed, 0, RANDOM_TEST);
  for (uint64_t i = 0; i < nhistories() / 4; i++) {
    struct history h = rows_random(random, &odds);
    const struct check_options options = any_question(random, &h, odds.times);
    compare(&h, &options, &tally);
    history_free(&h);
  }
  gsl_rng_free(random);
  printf("# kept %" PRIu64 ", broken by an argument %" PRIu64 " (%" PRIu64
         " of them about rows that did not come back), broken without one "
         "%" PRIu64 ", not argued about %" PRIu64 "\n",
         tally.kept, tally.found, tally.unreturned, tally.missed,
         tally.stopped);
  CHECK_INT(tally.wrong, 0);
  CHECK_INT(tally.refused, 0);
  CHECK(tally.unreturned > 0 && tally.kept > 0);
}

static void arguments_agree(void) {
  agree((struct rows_odds){.ntxns = 5, .stray = 6}, 21);
  agree((struct rows_odds){.ntxns = 6, .stray = 4, .times = true}, 22);
  agree((struct rows_odds){.ntxns = 5, .stray = 6, .reuse = true}, 23);
  agree(
      (struct rows_odds){
          .ntxns = 5, .stray = 6, .unknown = 20, .aborted = 10, .reuse = true},
      24);
}

// --- Altered arguments.

static void alter_number(gsl_rng *random, uint32_t *number, uint32_t n) {
  *number = any(random, 5) ? any(random, n + 1) : UINT32_MAX;
}

// Changes one thing in one step.
static void alter(gsl_rng *random, const struct history *h,
                  struct argument *a) {
  struct inference *step = &a->steps[any(random, a->nsteps)];
  switch (any(random, 11)) {
  case 0:
    step->why = (uint8_t)any(random, REASON_IN_SIGHT + 1);
    break;
  case 1:
    step->kind = (uint8_t)any(random, EDGE_RW + 1);
    break;
  case 2:
    alter_number(random, &step->from, 2 * h->ntxns);
    break;
  case 3:
    alter_number(random, &step->to, 2 * h->ntxns);
    break;
  case 4:
    alter_number(random, &step->from_op, h->nops);
    break;
  case 5:
    alter_number(random, &step->to_op, h->nops);
    break;
  case 6:
    alter_number(random, &step->read,
                 h->nops > h->rows->nstatements ? h->nops
                                                : h->rows->nstatements);
    break;
  case 7:
    alter_number(random, &step->lemma, h->nkeys + 2);
    break;
  case 8:
    alter_number(random, &step->first, a->npath);
    break;
  case 9:
    alter_number(random, &step->end, a->npath);
    break;
  default:
    if (a->npath)
      alter_number(random, &a->path[any(random, a->npath)], a->nsteps);
  }
}

static struct argument copy_of(const struct argument *a) {
  struct argument copy = *a;
  copy.steps = memcpy(xmalloc((a->nsteps + (size_t)1) * sizeof *a->steps),
                      a->steps, a->nsteps * sizeof *a->steps);
  copy.path = ids_copy(a->path, a->npath);
  return copy;
}

// One row that was returned was another version of it, or one statement looked
// for another number.
static void alter_history(gsl_rng *random, struct history *h) {
  struct rows *rows = h->rows;
  const uint32_t op = any(random, h->nops), other = any(random, h->nops + 1);
  if (any(random, 2) && rows->nparameters)
    rows->parameters[any(random, rows->nparameters)] += any(random, 2) ? 1 : -1;
  else if (op_reads(h->kind[op]) && other == h->nops)
    h->saw[op] = SAW_INITIAL;
  else if (op_reads(h->kind[op]) && op_writes(h->kind[other]) &&
           h->key[op] == h->key[other])
    h->saw[op] = other;
}

// The history with an argument about it is altered until it keeps the level.
static uint64_t forge(gsl_rng *random, struct history *h,
                      const struct check_options *options,
                      const struct argument *argument, uint64_t *believed) {
  uint64_t nforged = 0;
  for (int i = 0; i < 3; i++)
    alter_history(random, h);
  if (ask(h, options) != REFEREE_KEPT)
    return 0;
  for (int i = 0; i < 20; i++) {
    struct argument altered = copy_of(argument);
    for (uint32_t n = any(random, 3); n > 0; n--)
      alter(random, h, &altered);
    nforged++;
    if (is_believed(h, options, &altered) && (*believed)++ < 3)
      print("believed to be refuted", h, options);
    argument_free(&altered);
  }
  return nforged;
}

static void forged_arguments_are_refused(void) {
  const struct rows_odds odds = {.ntxns = 5, .stray = 6};
  gsl_rng *random = random_stream(31, 0, RANDOM_TEST);
  uint64_t nforged = 0, believed = 0;
  while (nforged < nhistories() / 2) {
    struct history h = rows_random(random, &odds);
    const struct check_options options = any_question(random, &h, false);
    struct history registers = rows_registers(&h, options.question.plain_reads);
    struct argument argument;
    const bool argued = h.nops && argue_of_rows(&argument, &registers, &h,
                                                &options) == ARGUE_FOUND;
    rows_as_registers_free(&registers);
    if (argued) {
      if (has_row_step(&argument))
        nforged += forge(random, &h, &options, &argument, &believed);
      argument_free(&argument);
    }
    history_free(&h);
  }
  gsl_rng_free(random);
  printf("# forged arguments %" PRIu64 "\n", nforged);
  CHECK_INT(believed, 0);
}

// --- Every field.

// Four stories about rows that were not returned, at the level that each
// breaks: write skew over an absent row, over versions in a run, a statement
// that is older than a read, and one at RC that is older than a statement.
static const struct {
  const char *text;
  enum isolation level;
} stories[] = {
    {"table t(b):\n[sel t{b = 1}:, ins t/1{b=2}]\n---\n"
     "[sel t{b = 2}:, ins t/2{b=1}]\n",
     ISOLATION_SER},
    {"table t(b): 1{b=0}\n[upd t{id = 1}: 1@?{b=1}]\n"
     "[upd t{id = 1}: 1@w1{b=1}]\n[upd t{id = 1}: 1@w2{b=0}]\n---\n"
     "[ins t/2{b=5}]\n[sel t{b = 1}:, sel t{id = 2}: 2@w4, "
     "sel t{id = 1}: 1@w2]\n",
     ISOLATION_PC},
    {"table t(b):\n[ins t/1{b=1}, ins t/2{b=2}]\n---\n"
     "[sel t{b = 1}:, sel t{b = 2}: 2@w2]\n",
     ISOLATION_RA},
    {"table t(b):\n[ins t/1{b=1}, ins t/2{b=2}]\n---\n"
     "[sel t{b = 2}: 2@w2, sel t{b = 1}:]\n",
     ISOLATION_RC},
};

struct field {
  const char *name;
  size_t at;
};

static const struct field fields[] = {
    {"from", offsetof(struct inference, from)},
    {"to", offsetof(struct inference, to)},
    {"from_op", offsetof(struct inference, from_op)},
    {"to_op", offsetof(struct inference, to_op)},
    {"read", offsetof(struct inference, read)},
    {"lemma", offsetof(struct inference, lemma)},
};

static void alter_each_field(const struct history *h,
                             const struct check_options *options,
                             struct argument *a, struct inference *step) {
  const struct inference right = *step;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    uint32_t value, *number = (uint32_t *)(void *)((char *)step + fields[i].at);
    const uint32_t was = *number;
    for (uint32_t n = 0; n < 24; n++) {
      value = n < 23 ? n : UINT32_MAX;
      *number = value;
      if (value != was && !CHECK(!is_believed(h, options, a)))
        printf("# %s = %u and not %u\n", fields[i].name, value, was);
    }
    *step = right;
  }
  for (uint8_t kind = 0; kind <= EDGE_RW + 1; kind++) {
    step->kind = kind;
    CHECK(kind == right.kind || !is_believed(h, options, a));
  }
  *step = right;
  for (uint8_t why = 0; why <= REASON_IN_SIGHT + 1; why++) {
    step->why = why;
    CHECK(why == right.why || !is_believed(h, options, a));
  }
  *step = right;
  if (step->first < step->end) {
    step->end--;
    CHECK(!is_believed(h, options, a));
  }
  *step = right;
}

static void each_field_matters(void) {
  uint32_t nsteps = 0;
  for (size_t i = 0; i < sizeof stories / sizeof *stories; i++) {
    const struct read_options reading = {.text = stories[i].text,
                                         .text_bytes = strlen(stories[i].text)};
    struct history h;
    struct error error = {0};
    struct argument argument;
    CHECK_INT(history_read_with("text", &reading, &h, &error), 0);
    CHECK_STR(error.text, "");
    const struct check_options options = {
        .question = {.level = stories[i].level, .session_order = true}};
    struct history registers = rows_registers(&h, options.question.plain_reads);
    CHECK_INT(argue_of_rows(&argument, &registers, &h, &options), ARGUE_FOUND);
    CHECK(is_believed(&h, &options, &argument));
    for (uint32_t s = 0; s < argument.nsteps; s++)
      if (argument.steps[s].why >= REASON_UNRETURNED) {
        alter_each_field(&h, &options, &argument, &argument.steps[s]);
        nsteps++;
      }
    argument_free(&argument);
    rows_as_registers_free(&registers);
    history_free(&h);
  }
  printf("# steps %u\n", nsteps);
  CHECK(nsteps >= 4);
}

int main(void) {
  return TAP_RUN({"who is refuted breaks the level", arguments_agree},
                 {"forged arguments are refused", forged_arguments_are_refused},
                 {"each field of a step matters", each_field_matters});
}
