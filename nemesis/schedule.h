// SPDX-License-Identifier: GPL-3.0-or-later
// A schedule: which nodes are harmed, how and when; as somebody wrote it, "@5
// kill one; 2 start all", or drawn at random.
#ifndef NEMESIS_SCHEDULE_H
#define NEMESIS_SCHEDULE_H

#include "base/error.h"
#include "nemesis/actions.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { FAULT_NODES_MAX = 16, NODE_SET_ROOM = 64 };

struct node_set {
  uint32_t members; // bit i: node i
  bool primary;     // who it is is found out when the fault is due
};

struct fault {
  uint64_t at; // ns since the start of the run
  const struct fault_action *action;
  struct node_set nodes;
};

// Zero-initialised is empty.
struct fault_schedule {
  struct fault *faults; // by time
  uint32_t nfaults, room;
};

// Where the faults will act.
struct fault_scene {
  const char *server;  // its name or kind, for sentences
  uint32_t nnodes;     // at most FAULT_NODES_MAX
  const char *actions; // that its nodes can be told, with blanks between them
  uint64_t duration;   // of the run, ns; 0: nobody knows
  uint64_t seed;       // of what is drawn
};

// Adds what the text says: "[@]TIME ACTION NODES" with semicolons between; a
// time without @ is counted from the one before, in seconds unless it has a
// unit.  NODES: numbers with commas between them, "all", "primary", or of these
// what the seed draws: "one", "minority", "majority".  -1 with a sentence about
// the text.  Free in both cases.
int schedule_read(struct fault_schedule *schedule, const char *text,
                  const struct fault_scene *scene, struct error *error);
void schedule_free(struct fault_schedule *schedule);

// How faults are drawn.
struct nemesis {
  const char *actions; // "kill:1,pause:2"; shares may be left out
  const char *every;   // TIME or TIME..TIME, between faults
  const char *hold;    // likewise, until a fault is taken back
  const char *nodes;   // "one,primary": NODES of which each fault draws one
};

// Adds faults of the whole duration, each of which is taken back before the
// next one.  -1 with a sentence; it names no option.  Free in both cases.
int schedule_draw(struct fault_schedule *schedule,
                  const struct nemesis *nemesis,
                  const struct fault_scene *scene, struct error *error);

// As schedule_read takes it, one fault a line.
void schedule_write(FILE *file, const struct fault_schedule *schedule);

// "0,2"; or "primary".
void node_set_write(const struct node_set *set, char text[NODE_SET_ROOM]);

// ---- For the two ways to make one

struct node_draw; // a random stream of the scene
struct node_draw *node_draw_new(const struct fault_scene *scene);
void node_draw_free(struct node_draw *draw);
// Evenly from least to most, ns.
uint64_t node_draw_time(struct node_draw *draw, uint64_t least, uint64_t most);
// From 0 up to, without, `below`.
double node_draw_number(struct node_draw *draw, double below);

// The nodes that a word of `length` bytes means.  -1 with a sentence.
int node_set_read(struct node_set *set, const char *word, size_t length,
                  const struct fault_scene *scene, struct node_draw *draw,
                  struct error *error);
// Adds a fault if the scene allows for it; -1 with a sentence.
int schedule_add(struct fault_schedule *schedule, const struct fault *fault,
                 const struct fault_scene *scene, struct error *error);

#endif
