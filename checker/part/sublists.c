// SPDX-License-Identifier: GPL-3.0-or-later
// Takes lists over into a part (checker/part/sublists.h).
#include "config.h"

#include "checker/part/sublists.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

static int by_beginning(const void *a, const void *b) {
  const struct common_list *x = a, *y = b;
  if (x->first != y->first)
    return x->first < y->first ? -1 : 1;
  return (x->end < y->end) - (x->end > y->end);
}

static void find_common(struct sublists *lists) {
  struct common_list *common = lists->common;
  uint32_t n = 0;
  if (lists->ncommon)
    qsort(common, lists->ncommon, sizeof *common, by_beginning);
  for (uint32_t i = 0; i < lists->ncommon; i++)
    if (n == 0 || common[i].first != common[n - 1].first)
      common[n++] = common[i];
  lists->ncommon = n;
}

struct sublists sublists_open(const struct history *whole,
                              const struct operations *ops) {
  struct sublists lists = {.whole = whole, .ops = ops};
  uint32_t room = 0;
  for (uint32_t i = 0; i < ops->count; i++) {
    const uint32_t op = ops->op[i], list = whole->saw[op];
    if (!op_is_list(whole->kind[op]) || op_writes(whole->kind[op]))
      continue;
    ARRAY_RESERVE(lists.common, lists.ncommon, room);
    lists.common[lists.ncommon++] = (struct common_list){
        .first = whole->list[list].first, .end = history_list_end(whole, list)};
  }
  find_common(&lists);
  return lists;
}

static struct common_list *common_of(const struct sublists *lists,
                                     uint32_t first) {
  uint32_t low = 0, high = lists->ncommon;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (lists->common[middle].first < first)
      low = middle + 1;
    else
      high = middle;
  }
  assert(low < lists->ncommon && lists->common[low].first == first);
  return &lists->common[low];
}

static void add_element(struct sublists *lists, uint32_t append, uint32_t i) {
  if (lists->count == lists->room) {
    lists->room = lists->room ? lists->room * 2 : 16;
    lists->append = xrealloc(lists->append, lists->room, sizeof(uint32_t));
    lists->origin = xrealloc(lists->origin, lists->room, sizeof(uint32_t));
  }
  lists->append[lists->count] = append;
  lists->origin[lists->count++] = i;
}

// Those that nobody appended stay.
static void take_elements(struct sublists *lists, struct common_list *common) {
  const uint32_t nops = lists->whole->nops, first = lists->count;
  for (uint32_t i = common->first; i < common->end; i++) {
    const uint32_t append = lists->whole->element[i];
    const uint32_t place =
        append < nops ? operations_find(lists->ops, append) : append;
    if (append >= nops || place != UINT32_MAX)
      add_element(lists, place, i);
  }
  common->taken = (struct seen_list){first, lists->count - first};
  common->there = true;
}

// The number of taken elements that come before `end` in the whole.
static uint32_t count_before(const struct sublists *lists,
                             struct seen_list taken, uint32_t end) {
  return taken.count ? ids_below(lists->origin + taken.first, taken.count, end)
                     : 0;
}

struct seen_list sublists_take(struct sublists *lists, uint32_t list) {
  struct common_list *common = common_of(lists, lists->whole->list[list].first);
  if (!common->there)
    take_elements(lists, common);
  return (struct seen_list){
      common->taken.first,
      count_before(lists, common->taken, history_list_end(lists->whole, list))};
}

void sublists_close(struct sublists *lists, struct history *part) {
  const uint32_t n = lists->count;
  part->nelements = n;
  part->element = xrealloc(lists->append, n, sizeof *part->element);
  // Not NULL, which would say that values are implied.
  part->element_value = xmalloc(n * sizeof *part->element_value);
  for (uint32_t i = 0; i < n; i++)
    part->element_value[i] =
        part->element[i] < part->nops
            ? part->value[part->element[i]]
            : history_element_value(lists->whole, lists->origin[i]);
  free(lists->origin);
  free(lists->common);
}
