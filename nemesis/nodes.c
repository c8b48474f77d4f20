// SPDX-License-Identifier: GPL-3.0-or-later
// Sets of nodes, by number or drawn (nemesis/schedule.h).
#include "config.h"

#include "base/memory.h"
#include "base/random.h"
#include "nemesis/schedule.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct node_draw {
  gsl_rng *stream;
};

struct node_draw *node_draw_new(const struct fault_scene *scene) {
  struct node_draw *draw = xcalloc(1, sizeof *draw);
  draw->stream = random_stream(scene->seed, 0, RANDOM_NEMESIS);
  return draw;
}

void node_draw_free(struct node_draw *draw) {
  gsl_rng_free(draw->stream);
  free(draw);
}

double node_draw_number(struct node_draw *draw, double below) {
  return below * gsl_rng_uniform(draw->stream);
}

uint64_t node_draw_time(struct node_draw *draw, uint64_t least, uint64_t most) {
  return least + (uint64_t)node_draw_number(draw, (double)(most - least));
}

// So many of all nodes, each set as likely as any other.
static uint32_t draw_members(struct node_draw *draw, uint32_t count,
                             uint32_t nnodes) {
  uint32_t members = 0;
  for (uint32_t node = 0; node < nnodes; node++)
    if (node_draw_number(draw, nnodes - node) < count) {
      members |= 1u << node;
      count--;
    }
  return members;
}

static uint32_t one_of(uint32_t nnodes) { return nnodes > 0; }
static uint32_t all_of(uint32_t nnodes) { return nnodes; }
static uint32_t minority_of(uint32_t nnodes) { return (nnodes - 1) / 2; }
static uint32_t majority_of(uint32_t nnodes) { return nnodes / 2 + 1; }

static const struct {
  const char *name;
  uint32_t (*count)(uint32_t nnodes);
} words[] = {{"one", one_of},
             {"all", all_of},
             {"minority", minority_of},
             {"majority", majority_of}};

static int refuse_nodes(const char *word, size_t length, struct error *error) {
  return error_set_usage(
      error,
      "\"%.*s\" names no nodes: write numbers with commas "
      "between them, all, one, minority, majority or primary",
      (int)length, word);
}

static int read_node_number(struct node_set *set, const char *word,
                            size_t length, const struct fault_scene *scene,
                            struct error *error) {
  char *rest;
  const unsigned long node = strtoul(word, &rest, 10);
  if (!isdigit((unsigned char)*word) || rest != word + length)
    return refuse_nodes(word, length, error);
  if (node >= scene->nnodes)
    return error_set_usage(error,
                           "%s has no node %lu: it has %u, counted from 0",
                           scene->server, node, scene->nnodes);
  set->members |= 1u << node;
  return 0;
}

static int read_node_numbers(struct node_set *set, const char *word,
                             size_t length, const struct fault_scene *scene,
                             struct error *error) {
  const char *end = word + length;
  int failed = 0;
  while (!failed && word <= end) {
    const char *comma = memchr(word, ',', (size_t)(end - word));
    const size_t n = (size_t)((comma ? comma : end) - word);
    failed = read_node_number(set, word, n, scene, error);
    word += n + 1;
  }
  return failed;
}

static bool is_node_word(const char *name, const char *word, size_t length) {
  return strlen(name) == length && !strncmp(name, word, length);
}

int node_set_read(struct node_set *set, const char *word, size_t length,
                  const struct fault_scene *scene, struct node_draw *draw,
                  struct error *error) {
  *set = (struct node_set){0};
  set->primary = is_node_word("primary", word, length);
  if (set->primary)
    return 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (is_node_word(words[i].name, word, length)) {
      const uint32_t count = words[i].count(scene->nnodes);
      set->members = draw_members(draw, count, scene->nnodes);
      return count
                 ? 0
                 : error_set_usage(error, "%s has no %s: it has %u node%s",
                                   scene->server, words[i].name, scene->nnodes,
                                   scene->nnodes == 1 ? "" : "s");
    }
  return read_node_numbers(set, word, length, scene, error);
}

void node_set_write(const struct node_set *set, char text[NODE_SET_ROOM]) {
  size_t n = 0;
  snprintf(text, NODE_SET_ROOM, "%s", set->primary ? "primary" : "");
  for (uint32_t node = 0; !set->primary && node < FAULT_NODES_MAX; node++)
    if (set->members & 1u << node)
      n += (size_t)snprintf(text + n, NODE_SET_ROOM - n, "%s%u", n ? "," : "",
                            node);
}
