// SPDX-License-Identifier: GPL-3.0-or-later
// The proofs of verdicts: right ones are accepted, and whatever is changed in
// them is found out.
#include "config.h"

#include "base/memory.h"
#include "checker/verify/verify.h"
#include "tests/kit/tiny.h"
#include "tests/tap.h"

#include <stdlib.h>

struct subject {
  struct tiny tiny;
  struct tiny_history room;
  const struct history *h;
  uint8_t *counted;
  struct check_options options;
  struct verdict verdict;
};

static void open_subject(struct subject *s, const char *text,
                         enum isolation level, enum verdict_kind wanted) {
  struct error error = {0};
  uint32_t nlost;
  tiny_parse(text, &s->tiny);
  s->h = tiny_history(&s->tiny, &s->room);
  s->counted = history_counted(s->h, &nlost);
  s->options = (struct check_options){
      .question = {.level = level, .session_order = true}};
  CHECK_INT(check(s->h, &s->options, &s->verdict, &error), 0);
  CHECK_STR(error.text, "");
  CHECK_INT(s->verdict.kind, wanted);
}

static void close_subject(struct subject *s) {
  verdict_free(&s->verdict);
  free(s->counted);
}

static bool accepted(const struct subject *s) {
  struct error error = {0};
  const int result =
      s->verdict.kind == VERDICT_PASS
          ? verify_pass(s->h, s->counted, &s->options, &s->verdict, &error)
          : verify_violation(s->h, &s->options, &s->verdict, &error);
  CHECK((result == 0) == (error.text[0] == '\0'));
  return result == 0;
}

static void swap(uint32_t *one, uint32_t *other) {
  const uint32_t was = *one;
  *one = *other;
  *other = was;
}

// --- Orders.

static const char only_one_order[] =
    "[x==? x:=1] [y==? x==3 y:=2] / [x==1 x:=3] [y==2 x==3]";

static void no_other_order_is_accepted(void) {
  struct subject s;
  open_subject(&s, only_one_order, ISOLATION_SER, VERDICT_PASS);
  CHECK(accepted(&s));
  for (uint32_t i = 0; i < s.verdict.norder; i++)
    for (uint32_t j = i + 1; j < s.verdict.norder; j++) {
      swap(&s.verdict.order[i], &s.verdict.order[j]);
      CHECK(!accepted(&s));
      swap(&s.verdict.order[i], &s.verdict.order[j]);
    }
  close_subject(&s);
}

static void every_transaction_is_needed_once(void) {
  struct subject s;
  open_subject(&s, "[x==?] / [x==?] / [x==? x:=1]! / [y==?]?", ISOLATION_SER,
               VERDICT_PASS);
  CHECK_INT(s.verdict.norder, 2);
  s.verdict.norder = 1;
  CHECK(!accepted(&s));
  s.verdict.norder = 2;
  for (uint32_t t = 0; t < 5; t++) {
    const uint32_t was = s.verdict.order[1];
    s.verdict.order[1] = t;
    CHECK_INT(accepted(&s), t == was);
    s.verdict.order[1] = was;
  }
  close_subject(&s);
}

static void sessions_are_kept_unless_told_otherwise(void) {
  struct subject s;
  open_subject(&s, "[x==?] [y==?]", ISOLATION_SER, VERDICT_PASS);
  swap(&s.verdict.order[0], &s.verdict.order[1]);
  CHECK(!accepted(&s));
  s.options.question.session_order = false;
  CHECK(accepted(&s));
  close_subject(&s);
}

static void real_time_is_kept_at_sser(void) {
  struct subject s;
  open_subject(&s, "[x==?]@10..20 / [y==?]@30..40", ISOLATION_SSER,
               VERDICT_PASS);
  CHECK_INT(s.verdict.order[0], 0);
  swap(&s.verdict.order[0], &s.verdict.order[1]);
  CHECK(!accepted(&s));
  s.options.question.level = ISOLATION_SER;
  CHECK(accepted(&s));
  close_subject(&s);
}

static void no_other_snapshot_is_accepted(void) {
  struct subject s;
  open_subject(&s, "[x==? y==? x:=1] / [x==? y==? y:=2] / [x==1 y==2]",
               ISOLATION_SI, VERDICT_PASS);
  CHECK(s.verdict.snapshot != NULL);
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t snapshot = 0; snapshot < 4; snapshot++) {
      const uint32_t was = s.verdict.snapshot[i];
      s.verdict.snapshot[i] = snapshot;
      CHECK_INT(accepted(&s), snapshot == was);
      s.verdict.snapshot[i] = was;
    }
  close_subject(&s);
}

static void snapshots_prove_no_serializability(void) {
  struct subject s;
  open_subject(&s, "[x==? y==? x:=1] / [x==? y==? y:=2]", ISOLATION_SI,
               VERDICT_PASS);
  CHECK(accepted(&s));
  s.options.question.level = ISOLATION_SER;
  CHECK(!accepted(&s));
  close_subject(&s);
}

static void overlapping_writes_are_found_out(void) {
  struct subject s;
  open_subject(&s, "[x+=1] / [x+=2]", ISOLATION_SI, VERDICT_PASS);
  CHECK(accepted(&s));
  s.verdict.snapshot[1] = 0;
  CHECK(!accepted(&s));
  s.options.question.level = ISOLATION_PC;
  CHECK(accepted(&s));
  close_subject(&s);
}

static void sessions_are_kept_by_snapshots(void) {
  struct subject s;
  open_subject(&s, "[x==?] [y==?]", ISOLATION_SI, VERDICT_PASS);
  CHECK_INT(s.verdict.snapshot[1], 1);
  s.verdict.snapshot[1] = 0;
  CHECK(!accepted(&s));
  close_subject(&s);
}

static void lists_are_executed(void) {
  struct subject s;
  open_subject(&s, "[x+=1 x==[1]] / [x==[1] x+=2 x==[1,2]] / [x==[1,2]]",
               ISOLATION_SER, VERDICT_PASS);
  swap(&s.verdict.order[0], &s.verdict.order[1]);
  CHECK(!accepted(&s));
  swap(&s.verdict.order[0], &s.verdict.order[1]);
  swap(&s.verdict.order[1], &s.verdict.order[2]);
  CHECK(!accepted(&s));
  close_subject(&s);
}

// --- Cycles.

static const struct {
  const char *text;
  enum isolation level;
} cycles[] = {
    {"[x==? x:=1] / [x==? x:=2]", ISOLATION_SI},
    {"[x==? x:=1] / [y==? y:=2] / [x==1 y==?] / [x==? y==2]", ISOLATION_SI},
    {"[x==? x:=1 y==? y:=2] / [y==2 x==?]", ISOLATION_SER},
    {"[x==? y==? x:=1] / [x==? y==? y:=2]", ISOLATION_SER},
    {"[x==? x:=1] [x==1 x:=2] [x==1]", ISOLATION_SI},
    {"[x==? x:=1]@10..20 / [x==?]@30..40", ISOLATION_SSER},
    {"[x+=1 y+=2] / [x+=3 y+=4] / [x==[1,3]] / [y==[4,2]]", ISOLATION_SER},
    {"[x==? x:=1] / [x:=2 y==? y:=3] / [y==3 x==1]", ISOLATION_SI},
};
enum { NCYCLES = sizeof cycles / sizeof *cycles };

static void open_cycle(struct subject *s, int i) {
  open_subject(s, cycles[i].text, cycles[i].level, VERDICT_VIOLATION);
  CHECK(s->verdict.nedges >= 2);
  CHECK(accepted(s));
}

// Tries all other values below `end`, and says how many are accepted.
static int other_values_accepted(struct subject *s, uint32_t *field,
                                 uint32_t end) {
  const uint32_t was = *field;
  int n = 0;
  for (*field = 0; *field < end; ++*field)
    n += *field != was && accepted(s);
  *field = UINT32_MAX;
  n += was != UINT32_MAX && accepted(s);
  *field = was;
  return n;
}

static void changed_edges_are_found_out(void) {
  for (int i = 0; i < NCYCLES; i++) {
    struct subject s;
    open_cycle(&s, i);
    for (uint32_t e = 0; e < s.verdict.nedges; e++) {
      struct edge *edge = &s.verdict.edges[e];
      CHECK_INT(other_values_accepted(&s, &edge->from, s.h->ntxns + 2), 0);
      CHECK_INT(other_values_accepted(&s, &edge->to, s.h->ntxns + 2), 0);
      if (edge->kind == EDGE_SO || edge->kind == EDGE_RT)
        continue;
      CHECK_INT(other_values_accepted(&s, &edge->from_op, s.h->nops + 2), 0);
      CHECK_INT(other_values_accepted(&s, &edge->to_op, s.h->nops + 2), 0);
    }
    close_subject(&s);
  }
}

static void changed_kinds_are_found_out(void) {
  for (int i = 0; i < NCYCLES; i++) {
    struct subject s;
    open_cycle(&s, i);
    for (uint32_t e = 0; e < s.verdict.nedges; e++) {
      const uint8_t was = s.verdict.edges[e].kind;
      for (uint8_t kind = EDGE_SO; kind <= EDGE_RW + 1; kind++) {
        s.verdict.edges[e].kind = kind;
        CHECK_INT(accepted(&s), kind == was);
      }
      s.verdict.edges[e].kind = was;
    }
    close_subject(&s);
  }
}

static void open_ends_are_found_out(void) {
  for (int i = 0; i < NCYCLES; i++) {
    struct subject s;
    open_cycle(&s, i);
    s.verdict.nedges--;
    CHECK(!accepted(&s));
    s.verdict.nedges++;
    close_subject(&s);
  }
}

static void cycles_are_judged_by_level(void) {
  struct subject s;
  open_subject(&s, "[x==? y==? x:=1] / [x==? y==? y:=2]", ISOLATION_SER,
               VERDICT_VIOLATION);
  s.options.question.level = ISOLATION_SI;
  CHECK(!accepted(&s));
  s.verdict.anomaly = ANOMALY_CYCLE_G1C; // as if SI forbade it
  CHECK(!accepted(&s));
  close_subject(&s);
  open_subject(&s, "[x==? x:=1] [x==?]", ISOLATION_SER, VERDICT_VIOLATION);
  s.options.question.session_order = false;
  CHECK(!accepted(&s));
  close_subject(&s);
  open_subject(&s, "[x==? x:=1]@10..20 / [x==?]@30..40", ISOLATION_SSER,
               VERDICT_VIOLATION);
  s.options.question.level = ISOLATION_SER;
  CHECK(!accepted(&s));
  close_subject(&s);
}

// --- Reads.

static const struct {
  const char *text;
  enum anomaly anomaly;
} reads[] = {
    {"[x:=1] / [x==2]", ANOMALY_THIN_AIR_READ},
    {"[x:=1]! / [x==1]", ANOMALY_ABORTED_READ},
    {"[x==1 x:=1]", ANOMALY_FUTURE_READ},
    {"[x:=1 x:=2 x==1]", ANOMALY_NOT_MY_LAST_WRITE},
    {"[x:=1] / [x:=2 x==1]", ANOMALY_NOT_MY_OWN_WRITE},
    {"[x:=1 x:=2] / [x==1]", ANOMALY_INTERMEDIATE_READ},
    {"[x:=1] / [x==? x==1]", ANOMALY_NON_REPEATABLE_READS},
    {"[x+=1] / [x+=2] / [x==[1]] / [x==[2]]", ANOMALY_INCOMPATIBLE_ORDER},
    {"[x+=1] / [x==[1,1]]", ANOMALY_DUPLICATE_ELEMENT},
    {"[x+=1] / [x+=2] / [x==[1,2]] / [x==[2]]", ANOMALY_LOST_ELEMENT},
    {"[x+=1 x+=2] / [x==[1]]", ANOMALY_INTERMEDIATE_READ},
    {"[x+=1] / [x+=2 x==[1]]", ANOMALY_NOT_MY_OWN_WRITE},
};
enum { NREADS = sizeof reads / sizeof *reads };

static void changed_reads_are_found_out(void) {
  for (int i = 0; i < NREADS; i++) {
    struct subject s;
    open_subject(&s, reads[i].text, ISOLATION_RA, VERDICT_VIOLATION);
    CHECK_INT(s.verdict.anomaly, reads[i].anomaly);
    CHECK_INT(s.verdict.nedges, 0);
    CHECK(accepted(&s));
    const uint32_t op = s.verdict.op;
    for (s.verdict.op = 0; s.verdict.op < s.h->nops + 2; s.verdict.op++)
      if (s.verdict.op != op && !CHECK(!accepted(&s)))
        printf("# %s: operation %u\n", reads[i].text, s.verdict.op);
    s.verdict.op = op;
    const bool alone = reads[i].anomaly == ANOMALY_THIN_AIR_READ ||
                       reads[i].anomaly == ANOMALY_DUPLICATE_ELEMENT;
    if (!alone)
      CHECK_INT(other_values_accepted(&s, &s.verdict.other_op, s.h->nops), 0);
    close_subject(&s);
  }
}

static void reads_have_the_right_name(void) {
  for (int i = 0; i < NREADS; i++) {
    struct subject s;
    open_subject(&s, reads[i].text, ISOLATION_SSER, VERDICT_VIOLATION);
    for (int a = ANOMALY_THIN_AIR_READ; a < ANOMALY_COUNT; a++) {
      // One that it overwrote is also not its last one.
      const bool alike = reads[i].anomaly == ANOMALY_NOT_MY_LAST_WRITE &&
                         a == ANOMALY_NOT_MY_OWN_WRITE;
      const bool wider = reads[i].anomaly == ANOMALY_NOT_MY_OWN_WRITE &&
                         a == ANOMALY_NOT_MY_LAST_WRITE;
      // Nor are two lists compatible of which one lost an element.
      const bool lost = reads[i].anomaly == ANOMALY_LOST_ELEMENT &&
                        a == ANOMALY_INCOMPATIBLE_ORDER;
      s.verdict.anomaly = (enum anomaly)a;
      if (!CHECK(accepted(&s) ==
                 (a == (int)reads[i].anomaly || alike || wider || lost)))
        printf("# %s as %s\n", reads[i].text,
               anomaly_info((enum anomaly)a)->name);
    }
    close_subject(&s);
  }
}

int main(void) {
  return TAP_RUN(
      {"no other order is accepted", no_other_order_is_accepted},
      {"every transaction is needed once", every_transaction_is_needed_once},
      {"sessions are kept unless told otherwise",
       sessions_are_kept_unless_told_otherwise},
      {"real time is kept at sser", real_time_is_kept_at_sser},
      {"no other snapshot is accepted", no_other_snapshot_is_accepted},
      {"snapshots prove no serializability",
       snapshots_prove_no_serializability},
      {"overlapping writes are found out", overlapping_writes_are_found_out},
      {"sessions are kept by snapshots", sessions_are_kept_by_snapshots},
      {"lists are executed", lists_are_executed},
      {"changed edges are found out", changed_edges_are_found_out},
      {"changed kinds are found out", changed_kinds_are_found_out},
      {"open ends are found out", open_ends_are_found_out},
      {"cycles are judged by level", cycles_are_judged_by_level},
      {"changed reads are found out", changed_reads_are_found_out},
      {"reads have the right name", reads_have_the_right_name});
}
