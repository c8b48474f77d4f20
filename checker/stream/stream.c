// SPDX-License-Identifier: GPL-3.0-or-later
// Two passes over a file, and a part of it where they do not end in a PASS
// (checker/stream/stream.h).
#include "config.h"

#include "checker/stream/stream.h"

#include "base/memory.h"
#include "checker/stream/part.h"
#include "checker/stream/replay.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  USUAL_REMEMBERED = 1 << 20,
  USUAL_SUSPECTS = 16,
  USUAL_BLOCK = 1 << 20,
};

struct streaming {
  struct flow *flow;
  struct stream_options options;
  struct stream_result *result;
  struct error *error;
  struct guess guess;
  struct order_replay replay;
};

static void __attribute__((format(printf, 2, 3)))
leave_stream_open(struct streaming *s, const char *format, ...) {
  va_list args;
  va_start(args, format);
  s->result->verdict.kind = VERDICT_UNDECIDED;
  vsnprintf(s->result->verdict.why, sizeof s->result->verdict.why, format,
            args);
  va_end(args);
}

static void set_usual(struct stream_options *options) {
  if (!options->most_block)
    options->most_block = USUAL_BLOCK;
  if (!options->guess.remembered)
    options->guess.remembered = USUAL_REMEMBERED;
  if (!options->guess.suspects)
    options->guess.suspects = USUAL_SUSPECTS;
  options->guess.stop = options->check.stop;
}

static uint32_t counted_to(uint64_t n) {
  return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void count_whole(struct streaming *s) {
  const struct placing_facts *f = &s->guess.facts;
  s->result->nkeys = s->guess.nkeys;
  s->result->blocks = s->replay.blocks;
  s->result->in_blocks = s->replay.in_blocks;
  s->result->largest = s->replay.largest;
  s->result->verdict.counts =
      (struct verdict_counts){.committed = counted_to(f->committed),
                              .aborted = counted_to(f->aborted),
                              .unknown = counted_to(f->unknown),
                              .unknown_seen = counted_to(f->unknown_seen),
                              .operations = f->operations};
}

// --- Questions that are not answered.

static bool keeps_time(const struct question *question) {
  return question->real_time || question->level == ISOLATION_SSER;
}

// Why the question cannot be asked of this history; NULL: it can.
static const char *reason_to_refuse(const struct streaming *s) {
  const struct placing_facts *f = &s->guess.facts;
  const struct question *question = &s->options.check.question;
  if (f->lists)
    return "operations on lists are not checked as a stream";
  if (question->recorded && f->mixed_levels)
    return "transactions of several levels are not checked as a stream: name "
           "one level with --level";
  if (question->level == ISOLATION_NONE)
    return "level none promises nothing that could be checked";
  if (keeps_time(question) && f->times_go_back)
    return "transactions of a session end before those that come before them";
  return NULL;
}

// A history in which no anomaly could occur keeps every level, which says
// nothing of the database.
static const char *missing_writes(const struct placing_facts *f) {
  if (f->has_write || f->unknown_seen)
    return NULL;
  return f->committed ? "no transaction that committed wrote anything, so that "
                        "no anomaly could occur"
                      : "no transaction committed, so that no anomaly could "
                        "occur";
}

static void settle_level(struct streaming *s) {
  struct question *question = &s->options.check.question;
  if (question->recorded && !s->guess.facts.mixed_levels) {
    question->level = (enum isolation)s->guess.facts.level;
    question->recorded = false;
  }
  question_forget_rows(question);
  s->result->verdict = verdict_open(question);
}

// --- Answers.

static void take_pass(struct streaming *s) {
  const char *missing = missing_writes(&s->guess.facts);
  if (missing)
    leave_stream_open(s, "%s", missing);
  else
    s->result->verdict.kind = VERDICT_PASS;
  s->result->verdict.norder =
      counted_to(s->guess.facts.committed + s->guess.facts.unknown_seen);
}

static void leave_unproved_stream(struct streaming *s) {
  const char *why = s->replay.why;
  leave_stream_open(s, "%s",
                    *why ? why
                         : "a block of the order was not found to "
                           "keep the level, and what was kept of it "
                           "does not break it");
}

static void take_violation(struct streaming *s, struct history *part,
                           struct verdict *verdict) {
  stream_result_free(s->result);
  s->result->verdict = *verdict;
  s->result->part = *part;
  const char *about = flow_facts(s->flow)->about;
  s->result->part.about = about ? xstrdup(about) : NULL;
}

static int look_for_violation(struct streaming *s) {
  struct history part = {0};
  struct verdict verdict;
  if (!s->replay.copies.count ||
      part_make(&part, &s->replay.copies, s->flow, s->error)) {
    leave_unproved_stream(s);
    return s->replay.copies.count ? -1 : 0;
  }
  if (check(&part, &s->options.check, &verdict, s->error)) {
    history_free(&part);
    return -1;
  }
  if (verdict.kind == VERDICT_VIOLATION) {
    take_violation(s, &part, &verdict);
    return 0;
  }
  verdict_free(&verdict);
  history_free(&part);
  leave_unproved_stream(s);
  return 0;
}

static int replay_guess(struct streaming *s) {
  const struct replay_options options = {.check = &s->options.check,
                                         .most = s->options.most_block};
  const int result =
      replay_make(&s->replay, s->flow, &s->guess, &options, s->error);
  if (result)
    return -1;
  if (!s->replay.kept)
    return look_for_violation(s);
  take_pass(s);
  return 0;
}

static int decide_stream(struct streaming *s) {
  if (guess_places(&s->guess, s->flow, &s->options.guess, s->error))
    return -1;
  settle_level(s);
  const char *refused = reason_to_refuse(s);
  if (refused)
    leave_stream_open(s, "%s", refused);
  else if (s->guess.stopped)
    leave_stream_open(s, "stopped before it was decided");
  else if (replay_guess(s))
    return -1;
  count_whole(s);
  return 0;
}

int stream_check(struct flow *flow, const struct stream_options *options,
                 struct stream_result *result, struct error *error) {
  struct streaming s = {
      .flow = flow, .options = *options, .result = result, .error = error};
  *result = (struct stream_result){0};
  set_usual(&s.options);
  const int failed = decide_stream(&s);
  guess_leave(&s.guess);
  replay_free(&s.replay);
  if (failed)
    stream_result_free(result);
  return failed;
}

void stream_result_free(struct stream_result *result) {
  verdict_free(&result->verdict);
  history_free(&result->part);
  *result = (struct stream_result){0};
}
