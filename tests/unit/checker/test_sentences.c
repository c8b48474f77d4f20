// SPDX-License-Identifier: GPL-3.0-or-later
// The meaning of the levels and outcomes, a sentence at a time: small histories
// in the notation by hand, with the verdict that follows from the axioms.
// Checker and referee have to agree with it.
#include "config.h"

#include "checker/verdict/verdict.h"
#include "checker/verify/referee_question.h"
#include "recorder/files/reader.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <unistd.h>

enum variant { PLAIN, NO_SESSIONS = 1, REAL_TIME = 2, RECORDED = 4 };

struct sentence {
  const char *text; // sessions are parted by ;
  enum isolation level;
  enum variant variant;
  bool kept;
};

static const struct sentence outcomes[] = {
    // An aborted transaction had no effect, and nobody may see one.
    {"[x:=1]!;[x==0]", ISOLATION_SER, PLAIN, true},
    {"[x:=1]!;[x==1]", ISOLATION_RC, PLAIN, false},
    // One whose outcome is not known may take effect later, or never...
    {"[x:=1]?@1..2;[x==0]@3..4 [x==1]@5..6", ISOLATION_SSER, PLAIN, true},
    {"[x:=1]@1..2;[x==0]@3..4 [x==1]@5..6", ISOLATION_SSER, PLAIN, false},
    {"[x+=1]?@1..2;[x==[]]@3..4 [x==[1]]@5..6", ISOLATION_SSER, PLAIN, true},
    {"[x+=1]@1..2;[x==[]]@3..4 [x==[1]]@5..6", ISOLATION_SSER, PLAIN, false},
    {"[x==5]?;[x==0]", ISOLATION_SER, PLAIN, true},
    // ...but did, and as a whole, once something of it was seen.
    {"[x:=1]?;[x==1] [x==0]", ISOLATION_SER, PLAIN, false},
    {"[x:=1 y:=1]?;[y==1 x==0]", ISOLATION_RC, PLAIN, false},
    {"[x:=1 y:=1]?;[x==0 y==1]", ISOLATION_RC, PLAIN, true},
    {"[x:=1 y:=1]?;[x==0 y==1]", ISOLATION_RA, PLAIN, false},
    {"[x==5 y:=1]?;[y==1]", ISOLATION_RC, PLAIN, false},
};

static const struct sentence lists[] = {
    // A tail that was not read leaves its place open...
    {"[x+=1]@1..2 [x+=2]@3..4;[x==[1]]@2..3", ISOLATION_SSER, PLAIN, true},
    {"[x+=1 y+=1];[x+=2 y+=2];[x==[1]]", ISOLATION_SER, PLAIN, true},
    {"[x+=1 y+=1];[x+=2 y+=2];[x==[1]] [y==[1]]", ISOLATION_SER, PLAIN, true},
    // ...behind all that was.
    {"[x+=1]@1..2 [x+=2]@3..4;[x==[1]]@5..6", ISOLATION_SSER, PLAIN, false},
    {"[x+=1] [x+=2];[x==[2]]", ISOLATION_RC, PLAIN, false},
    {"[x+=1 y+=1];[x+=2 y+=2];[x==[1]];[y==[2]]", ISOLATION_SER, PLAIN, false},
    {"[x+=1 y+=1];[x+=2 y+=2];[x==[1] y==[2]]", ISOLATION_PC, PLAIN, false},
    {"[x+=1];[x+=2];[x==[1,2]];[x==[2,1]]", ISOLATION_RC, PLAIN, false},
    {"[x+=1];[x==[1,1]]", ISOLATION_RC, PLAIN, false},
};

static const struct sentence variants[] = {
    {"[x:=1] [x==0]", ISOLATION_RC, PLAIN, true},
    {"[x:=1] [x==0]", ISOLATION_RA, PLAIN, false},
    {"[x:=1] [x==0]", ISOLATION_SER, NO_SESSIONS, true},
    {"[x:=1]@1..2;[x==0]@3..4", ISOLATION_SER, PLAIN, true},
    {"[x:=1]@1..2;[x==0]@3..4", ISOLATION_SSER, PLAIN, false},
    {"[x:=1]@1..3;[x==0]@3..4", ISOLATION_SSER, PLAIN, true},
    {"[x:=1]@1..2;[x==0]@3..4", ISOLATION_RC, REAL_TIME, true},
    {"[x:=1]@1..2;[x==0]@3..4", ISOLATION_RA, REAL_TIME, false},
    {"[x:=1]@1..2;[x==0]@3..4", ISOLATION_SI, REAL_TIME, false},
    {"[x:=1]@1..2 [x==0]@3..4", ISOLATION_RA, REAL_TIME | NO_SESSIONS, false},
};

static const struct sentence mixed[] = {
    // An axiom binds a read by its reader's level.
    {"[x==0 x:=1]%rc;[x==0 x:=2]%rc", ISOLATION_SER, RECORDED, true},
    {"[x==0 x:=1]%si;[x==0 x:=2]%si", ISOLATION_SER, RECORDED, false},
    {"[x==0 x:=1]%si;[x==0 x:=2]%rc", ISOLATION_SER, RECORDED, true},
    {"[x==0 y:=1]%si;[y==0 x:=2]%si", ISOLATION_SER, RECORDED, true},
    {"[x==0 y:=1]%ser;[y==0 x:=2]%ser", ISOLATION_SER, RECORDED, false},
    {"[x==0 y:=1]%ser;[y==0 x:=2]%si", ISOLATION_SER, RECORDED, true},
    // That of one without a level is not looked at.
    {"[x==5]%none;[x:=1]%ser", ISOLATION_SER, RECORDED, true},
    {"[x==5]%rc;[x:=1]%ser", ISOLATION_SER, RECORDED, false},
};

static const struct sentence blind_writes[] = {
    {"[x:=1 y:=1];[x:=2 y:=2];[x==1] [y==1];[x==2] [y==2]", ISOLATION_SER,
     PLAIN, true},
    {"[x:=1 y:=1];[x:=2 y:=2];[x==1] [x==2];[y==2] [y==1]", ISOLATION_CC, PLAIN,
     false},
    {"[x==0 x:=1];[x==1 x:=2];[x==2 x:=3];[x==0]", ISOLATION_SER, PLAIN, true},
    {"[x==0 x:=1] [x==0];[x==1 x:=2]", ISOLATION_CC, PLAIN, false},
    {"[x:=1 x:=2];[x==1]", ISOLATION_RC, PLAIN, false},
    {"[x:=1 x==0]", ISOLATION_RC, PLAIN, false},
    {"[x:=1];[x==1 x==0]", ISOLATION_RC, PLAIN, false},
    {"[x==0 x==1];[x:=1]", ISOLATION_RC, PLAIN, true},
    {"[x==0 x==1];[x:=1]", ISOLATION_RA, PLAIN, false},
};

static bool read_sentence(const char *text, struct history *history) {
  char path[] = "/tmp/isostress-sentence-XXXXXX";
  struct error error;
  FILE *file = fdopen(mkstemp(path), "w");
  for (; *text; text++)
    if (*text == ';')
      fputs("\n---\n", file);
    else
      putc(*text, file);
  fclose(file);
  const bool read = CHECK(history_read(path, "text", history, &error) == 0);
  unlink(path);
  return read;
}

static void check_sentence(const struct sentence *s) {
  struct history h;
  struct verdict v = {0};
  struct error error;
  const struct check_options options = {
      .question = {.level = s->level,
                   .recorded = s->variant & RECORDED,
                   .session_order = !(s->variant & NO_SESSIONS),
                   .real_time = s->variant & REAL_TIME},
      .max_examples = 3};
  if (!read_sentence(s->text, &h))
    return;
  const struct referee_options question = question_about(&h, &options);
  bool right = CHECK(check(&h, &options, &v, &error) == 0);
  right =
      right && CHECK(v.kind == (s->kept ? VERDICT_PASS : VERDICT_VIOLATION));
  right &= CHECK(referee_decide(&h, &question, NULL, NULL) ==
                 (s->kept ? REFEREE_KEPT : REFEREE_BROKEN));
  if (!right)
    printf("# %s at %s\n", s->text, isolation_name(s->level));
  verdict_free(&v);
  history_free(&h);
}

#define CHECK_ALL(sentences)                                                   \
  for (size_t i = 0; i < sizeof(sentences) / sizeof *(sentences); i++)         \
  check_sentence(&(sentences)[i])

static void of_outcomes(void) { CHECK_ALL(outcomes); }
static void of_lists(void) { CHECK_ALL(lists); }
static void of_variants(void) { CHECK_ALL(variants); }
static void of_mixed_levels(void) { CHECK_ALL(mixed); }
static void of_blind_writes(void) { CHECK_ALL(blind_writes); }

int main(void) {
  return TAP_RUN({"sentences about outcomes", of_outcomes},
                 {"sentences about lists", of_lists},
                 {"session order and real time", of_variants},
                 {"sentences about mixed levels", of_mixed_levels},
                 {"blind writes and own writes", of_blind_writes});
}
