// SPDX-License-Identifier: GPL-3.0-or-later
// Takes lists over into a part (checker/part/sublists.h).
#include "config.h"

#include "checker/part/sublists.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

static bool op_reads_list(const struct history *h, uint32_t op) {
  return op_is_list(h->kind[op]) && !op_writes(h->kind[op]);
}

// The lists that begin where this one does.
static struct common_list *common_of(const struct sublists *lists,
                                     uint32_t list) {
  const uint32_t first = lists->whole->list[list].first;
  const uint32_t i = ids_below(lists->first.items, lists->first.count, first);
  assert(i < lists->first.count && lists->first.items[i] == first);
  return &lists->common[i];
}

struct sublists sublists_open(const struct history *whole,
                              const struct operations *ops) {
  struct sublists lists = {.whole = whole, .ops = ops};
  struct ids *first = &lists.first;
  for (uint32_t i = 0; i < ops->count; i++)
    if (op_reads_list(whole, ops->op[i]))
      ids_add(first, whole->list[whole->saw[ops->op[i]]].first);
  first->count = ids_sort_once(first->items, first->count);
  lists.common = xcalloc(first->count, sizeof *lists.common);
  for (uint32_t i = 0; i < ops->count; i++)
    if (op_reads_list(whole, ops->op[i])) {
      const uint32_t list = whole->saw[ops->op[i]];
      const uint32_t end = history_list_end(whole, list);
      struct common_list *common = common_of(&lists, list);
      common->end = end > common->end ? end : common->end;
    }
  return lists;
}

// Those that nobody appended stay.
static void take_elements(struct sublists *lists, uint32_t begin,
                          struct common_list *common) {
  const uint32_t nops = lists->whole->nops, first = lists->append.count;
  for (uint32_t i = begin; i < common->end; i++) {
    const uint32_t append = lists->whole->element[i];
    const uint32_t place =
        append < nops ? operations_find(lists->ops, append) : append;
    if (append < nops && place == UINT32_MAX)
      continue;
    ids_add(&lists->append, place);
    ids_add(&lists->origin, i);
  }
  common->taken = (struct seen_list){first, lists->append.count - first};
  common->there = true;
}

struct seen_list sublists_take(struct sublists *lists, uint32_t list) {
  struct common_list *common = common_of(lists, list);
  if (!common->there)
    take_elements(lists, lists->whole->list[list].first, common);
  const struct seen_list taken = common->taken;
  const uint32_t end = history_list_end(lists->whole, list);
  assert(end <= common->end);
  return (struct seen_list){
      taken.first, taken.count ? ids_below(lists->origin.items + taken.first,
                                           taken.count, end)
                               : 0};
}

void sublists_close(struct sublists *lists, struct history *part) {
  const uint32_t n = lists->append.count;
  part->nelements = n;
  part->element = xrealloc(lists->append.items, n, sizeof *part->element);
  // Not NULL, which would say that values are implied.
  part->element_value = xmalloc(n * sizeof *part->element_value);
  for (uint32_t i = 0; i < n; i++)
    part->element_value[i] =
        part->element[i] < part->nops
            ? part->value[part->element[i]]
            : history_element_value(lists->whole, lists->origin.items[i]);
  FREE_EACH(lists->origin.items, lists->first.items, lists->common);
}
