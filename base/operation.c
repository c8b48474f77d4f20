// SPDX-License-Identifier: GPL-3.0-or-later
// Names of operations, and lists of values (base/operation.h).
#include "config.h"

#include "base/operation.h"

#include "base/memory.h"

#include <stdlib.h>

const char *op_kind_name(unsigned kind) {
  switch (kind) {
  case OP_READ:
    return "read";
  case OP_WRITE:
    return "write";
  case OP_CAS:
    return "cas";
  case OP_READ_LIST:
    return "read list";
  case OP_APPEND:
    return "append";
  case OP_ROW:
    return "row";
  case OP_ROW_INSERT:
    return "row insert";
  case OP_ROW_UPDATE:
    return "row update";
  case OP_ROW_DELETE:
    return "row delete";
  default:
    return "unknown operation";
  }
}

void value_list_push(struct value_list *list, uint64_t value) {
  ARRAY_RESERVE(list->values, list->count, list->room);
  list->values[list->count++] = value;
}

void value_list_free(struct value_list *list) {
  free(list->values);
  *list = (struct value_list){0};
}
