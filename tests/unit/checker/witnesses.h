// SPDX-License-Identifier: GPL-3.0-or-later
// Small histories whose verdicts have proofs of every kind, for the tests of
// witnesses and their fuzzer.
#ifndef TESTS_UNIT_CHECKER_WITNESSES_H
#define TESTS_UNIT_CHECKER_WITNESSES_H

#include "checker/verdict/verdict.h"
#include "checker/witness/witness.h"
#include "tests/kit/tiny.h"

#include <stdlib.h>

static const struct witnessed {
  const char *text;
  enum isolation level;
  bool recorded, no_session_order, real_time;
} witnessed[] = {
    // Orders, with snapshots and without.
    {.text = "[x==? x:=1] [y==? x==3 y:=2] / [x==1 x:=3] [y==2 x==3]",
     .level = ISOLATION_SER},
    {.text = "[x==? y==? x:=1] / [x==? y==? y:=2] / [x==1 y==2]",
     .level = ISOLATION_SI},
    {.text = "[x:=1] [x:=2]! [x==1 y:=4]@5..9 / [x:=3]? [x==3 y==4]@20..30",
     .level = ISOLATION_CC,
     .real_time = true},
    {.text = "[x+=1 x==[1]] / [x==[1] x+=2 x==[1,2]] / [x==[1,2]]",
     .level = ISOLATION_PC},
    {.text = "[x==? x:=1]ser / [x==? y:=2]rc [x==1 y==2]si",
     .level = ISOLATION_SER,
     .recorded = true},
    // Cycles.
    {.text = "[x==? x:=1] / [x==? x:=2]", .level = ISOLATION_SI},
    {.text = "[x==? x:=1]@10..20 / [x==?]@30..40", .level = ISOLATION_SSER},
    {.text = "[x+=1 y+=2] / [x+=3 y+=4] / [x==[1,3]] / [y==[4,2]]",
     .level = ISOLATION_SER},
    // Reads.
    {.text = "[x:=1]! / [x==1]", .level = ISOLATION_RA},
    {.text = "[x:=1] / [x==2]", .level = ISOLATION_RC},
    {.text = "[x+=1] / [x+=2] / [x==[1]] / [x==[2]]", .level = ISOLATION_RA},
    // Arguments.
    {.text = "[x:=1 y:=1] / [x:=2 y:=2] / [x==1 y==2] / [x==2 y==1]",
     .level = ISOLATION_SER},
    {.text = "[x:=1] / [x:=2] / [x==1] [x==2] / [x==2] [x==1]",
     .level = ISOLATION_SI},
    {.text = "[x:=1] [x:=2] / [x==2] [x==1]", .level = ISOLATION_CC},
    {.text = "[x:=1 y:=1] [x:=2 y:=2]ra / [x==2 y==1]ra",
     .level = ISOLATION_RA,
     .recorded = true},
    {.text = "[x:=1] / [x==1] [x:=2] [x==1]",
     .level = ISOLATION_SER,
     .no_session_order = true},
};
enum { WITNESSED = sizeof witnessed / sizeof *witnessed };

static inline struct check_options witnessed_question(int i) {
  return (struct check_options){
      .question = {.level = witnessed[i].level,
                   .recorded = witnessed[i].recorded,
                   .session_order = !witnessed[i].no_session_order,
                   .real_time = witnessed[i].real_time}};
}

// Does the witness prove something about the history?  What it proves has to be
// what a check says; `*right` is whether it is.
static inline bool witness_proves(const unsigned char *bytes, size_t count,
                                  const struct history *h, bool *right) {
  struct witness w;
  struct verdict proved = {0}, checked;
  struct error error = {0};
  const bool proves = !witness_open(&w, bytes, count, &error) &&
                      !witness_verify(&w, h, &proved, &error);
  *right = proves || error.text[0];
  if (proves) {
    *right = !check(h, &(struct check_options){.question = w.question},
                    &checked, &error) &&
             checked.kind == proved.kind;
    verdict_free(&checked);
  }
  verdict_free(&proved);
  return proves;
}

#endif
