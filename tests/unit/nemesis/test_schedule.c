// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules of faults: what is read and written, what is refused, and what the
// seed draws.
#include "config.h"

#include "base/memory.h"
#include "nemesis/schedule.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

static const struct fault_scene three = {
    .server = "etcd-3",
    .nnodes = 3,
    .actions = "kill start stop pause resume",
    .duration = 20 * SECOND,
    .seed = 7,
};

static char *written(const struct fault_schedule *schedule) {
  char *text;
  size_t bytes;
  FILE *file = text_stream(&text, &bytes);
  schedule_write(file, schedule);
  fclose(file);
  return text;
}

static void reads_and_writes(void) {
  static const char text[] = "1 kill 0; 0.5 start 0 ;@3s crash 1,2;\n "
                             "250ms start all;1 pause primary";
  struct fault_schedule schedule = {0}, again = {0};
  struct error error;
  CHECK(!schedule_read(&schedule, text, &three, &error));
  char *first = written(&schedule);
  CHECK_STR(first, "@1s kill 0;\n@1500ms start 0;\n@3s kill 1,2;\n"
                   "@3250ms start 0,1,2;\n@4250ms pause primary\n");
  CHECK(!schedule_read(&again, first, &three, &error));
  char *second = written(&again);
  CHECK_STR(second, first);
  FREE_EACH(first, second);
  schedule_free(&schedule);
  schedule_free(&again);
}

static void refuses_each_mistake(void) {
  static const struct {
    const char *text, *sentence;
  } wrong[] = {
      {"1 promote 0", "a node of etcd-3 cannot be told to promote"},
      {"1 kill 3", "etcd-3 has no node 3: it has 3, counted from 0"},
      {"20 kill 0",
       "kill is due after 20s, and the run ends after 20s: give it "
       "a longer time, or the fault an earlier one"},
      {"1 shoot 0",
       "there is no action \"shoot\"; there are kill, stop, start, "
       "pause, resume, detach, promote"},
      {"1 kill", "kill has no nodes: write kill 0, kill one, or kill all"},
      {"soon kill 0", "\"soon\" is no time: write TIME ACTION NODES, such as 2 "
                      "kill 0, or @5s kill one"},
      {"@3 kill 0; @2 start 0",
       "\"@2\" is before the time of the action before it"},
      {" ; ", "there is no action in it: write TIME ACTION NODES, such as 2 "
              "kill 0"},
      {"1 kill 0,,1", "\"\" names no nodes: write numbers with commas between "
                      "them, all, one, minority, majority or primary"},
      {"1 kill 0 1",
       "\"0 1\" names no nodes: write numbers with commas between "
       "them, all, one, minority, majority or primary"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct fault_schedule schedule = {0};
    struct error error;
    CHECK(schedule_read(&schedule, wrong[i].text, &three, &error) == -1);
    CHECK_STR(error.text, wrong[i].sentence);
    CHECK(error.usage);
    schedule_free(&schedule);
  }
}

static uint32_t count_bits(uint32_t bits) {
  uint32_t count = 0;
  for (; bits; bits &= bits - 1)
    count++;
  return count;
}

static void words_draw_so_many_nodes(void) {
  static const struct {
    const char *text;
    uint32_t nnodes, count;
  } drawn[] = {{"1 kill one", 3, 1},      {"1 kill minority", 3, 1},
               {"1 kill majority", 3, 2}, {"1 kill minority", 5, 2},
               {"1 kill majority", 4, 3}, {"1 kill all", 5, 5}};
  uint32_t seen = 0;
  for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
    for (uint64_t seed = 0; seed < 20; seed++) {
      struct fault_scene scene = three;
      struct fault_schedule schedule = {0};
      struct error error;
      scene.nnodes = drawn[i].nnodes;
      scene.seed = seed;
      if (schedule_read(&schedule, drawn[i].text, &scene, &error) ||
          count_bits(schedule.faults[0].nodes.members) != drawn[i].count)
        CHECK_STR(drawn[i].text, "");
      else if (i == 0)
        seen |= schedule.faults[0].nodes.members;
      schedule_free(&schedule);
    }
  CHECK_INT(seen, 7);
}

static const struct nemesis usual = {.actions = "kill:1,pause:2",
                                     .every = "1s..2s",
                                     .hold = "500ms..1s",
                                     .nodes = "one,minority,primary"};

// Each fault is taken back before the next one, and all before the run ends.
static void draws_faults_and_their_ends(void) {
  uint32_t kills = 0, faults = 0;
  for (uint64_t seed = 0; seed < 50; seed++) {
    struct fault_scene scene = three;
    struct fault_schedule schedule = {0};
    struct error error;
    bool wrong = false;
    scene.seed = seed;
    CHECK(!schedule_draw(&schedule, &usual, &scene, &error));
    for (uint32_t i = 0; i + 1 < schedule.nfaults; i += 2) {
      const struct fault *fault = &schedule.faults[i], *end = fault + 1;
      wrong |= strcmp(fault->action->counter, end->action->name) != 0 ||
               end->at <= fault->at || end->at - fault->at > SECOND ||
               end->at >= scene.duration;
      kills += !strcmp(fault->action->name, "kill");
      faults++;
    }
    CHECK(!wrong && schedule.nfaults % 2 == 0);
    schedule_free(&schedule);
  }
  CHECK(kills > faults / 5 && kills < faults / 2);
}

static void equal_seeds_draw_equal_faults(void) {
  struct fault_schedule schedules[2] = {{0}, {0}};
  char *texts[2];
  struct error error;
  for (int i = 0; i < 2; i++) {
    CHECK(!schedule_draw(&schedules[i], &usual, &three, &error));
    texts[i] = written(&schedules[i]);
    schedule_free(&schedules[i]);
  }
  CHECK_STR(texts[0], texts[1]);
  FREE_EACH(texts[0], texts[1]);
}

static void refuses_what_cannot_be_drawn(void) {
  struct nemesis wrong[] = {usual, usual, usual, usual, usual};
  static const char *const sentences[] = {
      "\"start\" is no fault that another action takes back",
      "\"kill:0\" has no share above 0 after the colon",
      "\"5s..1s\" is no time such as 2s, nor one drawn between two, such as "
      "2s..6s",
      "no fault is due before the run ends: give the run a longer time, or "
      "draw "
      "faults more often",
      "etcd-3 has no node 5: it has 3, counted from 0",
  };
  wrong[0].actions = "start";
  wrong[1].actions = "kill:0";
  wrong[2].hold = "5s..1s";
  wrong[3].every = "1m";
  wrong[4].nodes = "5";
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct fault_schedule schedule = {0};
    struct error error;
    CHECK(schedule_draw(&schedule, &wrong[i], &three, &error) == -1);
    CHECK_STR(error.text, sentences[i]);
    schedule_free(&schedule);
  }
}

int main(void) {
  return TAP_RUN(
      {"what is written is read again", reads_and_writes},
      {"each mistake has a sentence", refuses_each_mistake},
      {"words draw so many nodes", words_draw_so_many_nodes},
      {"faults are drawn with their ends", draws_faults_and_their_ends},
      {"equal seeds draw equal faults", equal_seeds_draw_equal_faults},
      {"what cannot be drawn is refused", refuses_what_cannot_be_drawn});
}
