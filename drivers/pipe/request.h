// SPDX-License-Identifier: GPL-3.0-or-later
// A request as it is composed: one line of JSON, used again for the next one.
#ifndef DRIVERS_PIPE_REQUEST_H
#define DRIVERS_PIPE_REQUEST_H

#include <stddef.h>
#include <stdint.h>

enum { REQUEST_HEAD = 32 }; // room for {"id":NUMBER

struct request {
  char *text; // from REQUEST_HEAD on, the members behind the id
  size_t used, room;
};

void request_begin(struct request *request, const char *verb);
void request_number(struct request *request, const char *name, uint64_t number);
// Bytes that are no UTF-8 go as they are.
void request_text(struct request *request, const char *name, const char *text);
// JSON that is composed elsewhere.
void request_raw(struct request *request, const char *text, size_t length);
// Ends it under this id; the first byte to send, and how many.
const char *request_end(struct request *request, uint64_t id, size_t *length);
void request_free(struct request *request);

#endif
