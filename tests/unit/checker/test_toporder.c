// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"

#include "base/random.h"
#include "checker/graph/toporder.h"
#include "tests/tap.h"

#include <stdlib.h>

enum { NODES = 24, EDGES = 120 };

static bool edge_there[NODES][NODES];

static bool reaches(int from, int to, bool *seen) {
  if (from == to)
    return true;
  seen[from] = true;
  for (int n = 0; n < NODES; n++)
    if (edge_there[from][n] && !seen[n] && reaches(n, to, seen))
      return true;
  return false;
}

// A random graph whose edges all go from lower to higher numbers.
static struct static_graph random_graph(gsl_rng *random, int nedges) {
  struct static_graph g = {.nnodes = NODES};
  memset(edge_there, 0, sizeof edge_there);
  for (int i = 0; i < nedges; i++) {
    int a = (int)gsl_rng_uniform_int(random, NODES - 1);
    int b = a + 1 + (int)gsl_rng_uniform_int(random, (unsigned)(NODES - 1 - a));
    edge_there[a][b] = true;
  }
  g.out_first = calloc(NODES + 1, sizeof *g.out_first);
  g.in_first = calloc(NODES + 1, sizeof *g.in_first);
  g.out = calloc(NODES * NODES, sizeof *g.out);
  g.in = calloc(NODES * NODES, sizeof *g.in);
  uint32_t nout = 0, nin = 0;
  for (int a = 0; a < NODES; a++) {
    for (uint32_t b = 0; b < NODES; b++) {
      if (edge_there[a][b])
        g.out[nout++] = b;
      if (edge_there[b][a])
        g.in[nin++] = b;
    }
    g.out_first[a + 1] = nout;
    g.in_first[a + 1] = nin;
  }
  return g;
}

static void graph_free(struct static_graph *g) {
  free(g->out_first);
  free(g->in_first);
  free(g->out);
  free(g->in);
}

static bool keeps_all_edges(const struct toporder *order) {
  for (uint32_t p = 0; p < NODES; p++)
    if (order->position[order->node_at[p]] != p)
      return false;
  for (int a = 0; a < NODES; a++)
    for (int b = 0; b < NODES; b++)
      if (edge_there[a][b] && order->position[a] >= order->position[b])
        return false;
  return true;
}

// The refused edge from -> to: a path to -> ... -> from along edges there are.
static bool path_is_real(const struct toporder *order, uint32_t from,
                         uint32_t to) {
  if (order->npath == 0 || order->path[0].node != to)
    return from == to;
  for (uint32_t i = 0; i < order->npath; i++) {
    uint32_t next = i + 1 < order->npath ? order->path[i + 1].node : from;
    if (!edge_there[order->path[i].node][next])
      return false;
  }
  return true;
}

static void agrees_with_a_plain_search(void) {
  gsl_rng *random = random_stream(1, 0, RANDOM_TEST);
  uint32_t identity[NODES], accepted = 0, refused = 0;
  for (uint32_t i = 0; i < NODES; i++)
    identity[i] = i;
  for (int round = 0; round < 200; round++) {
    struct static_graph g = random_graph(random, round % 40);
    struct toporder order;
    toporder_init(&order, &g, identity);
    for (int i = 0; i < EDGES; i++) {
      uint32_t a = (uint32_t)gsl_rng_uniform_int(random, NODES);
      uint32_t b = (uint32_t)gsl_rng_uniform_int(random, NODES);
      bool seen[NODES] = {false};
      bool possible = !reaches((int)b, (int)a, seen);
      CHECK(toporder_insert(&order, a, b, (uint32_t)i) == possible);
      if (possible)
        edge_there[a][b] = true;
      else
        CHECK(path_is_real(&order, a, b));
      CHECK(keeps_all_edges(&order));
      accepted += possible;
      refused += !possible;
    }
    toporder_free(&order);
    graph_free(&g);
  }
  CHECK(accepted > 1000 && refused > 1000);
  gsl_rng_free(random);
}

static void edges_can_be_taken_back(void) {
  gsl_rng *random = random_stream(2, 0, RANDOM_TEST);
  struct static_graph g = random_graph(random, 0);
  uint32_t backwards[NODES];
  for (uint32_t i = 0; i < NODES; i++)
    backwards[i] = NODES - 1 - i;
  struct toporder order;
  toporder_init(&order, &g, backwards);
  CHECK(toporder_insert(&order, 1, 2, 0));
  CHECK(toporder_insert(&order, 2, 3, 1));
  CHECK(!toporder_insert(&order, 3, 1, 2));
  CHECK_INT(order.npath, 2);
  CHECK_INT(order.path[0].reason, 0);
  CHECK_INT(order.path[1].reason, 1);
  toporder_truncate(&order, 1);
  CHECK(toporder_insert(&order, 3, 1, 3));
  CHECK(!toporder_insert(&order, 2, 3, 4));
  toporder_free(&order);
  graph_free(&g);
  gsl_rng_free(random);
}

int main(void) {
  return TAP_RUN({"agrees with a plain search", agrees_with_a_plain_search},
                 {"edges can be taken back", edges_can_be_taken_back});
}
