// SPDX-License-Identifier: GPL-3.0-or-later
// Requests to etcd's JSON gateway over one connection that is kept open, and
// the encodings that it asks for.
#ifndef DRIVERS_ETCD_LINK_H
#define DRIVERS_ETCD_LINK_H

#include "drivers/authority.h"

#include <curl/curl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

// Text that grows; zero-initialised is empty.
struct etcd_text {
  char *bytes; // ends with a zero byte once something was added
  size_t length, room;
};
void etcd_add(struct etcd_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Adds bytes in base64.
void etcd_add_encoded(struct etcd_text *text, const void *bytes, size_t length);
// Adds `before`, then text in base64 and in quotes.
void etcd_add_text(struct etcd_text *text, const char *before,
                   const char *word);
// Adds what is the name of a key in quotes.
void etcd_add_key(struct etcd_text *text, const char *prefix, uint64_t key);

// How to connect; the files are NULL if they were not given, and are the
// caller's as long as there are links.
struct etcd_tls {
  bool on, verified;
  const char *cacert, *capath, *cert, *key;
};

struct etcd_link {
  CURL *curl;
  struct curl_slist *headers;
  char *url;   // without a path
  char *where; // HOST:PORT, for sentences
  struct etcd_text request, response;
  int attempts; // to send the request under way

  // Why the last request failed.
  CURLcode failure; // CURLE_OK if there was an answer
  long status;      // of HTTP
  int code;         // of etcd; 0 if it gave none
  char text[200];
  char details[CURL_ERROR_SIZE]; // of libcurl, for what TLS is about
};

// Makes a link; nothing is sent yet.
void etcd_link_init(struct etcd_link *link, const struct authority_host *host,
                    const struct etcd_tls *tls, uint32_t timeout_ms);
void etcd_link_fini(struct etcd_link *link);

// Logs in; what was there before does not count any more.
int etcd_link_log_in(struct etcd_link *link, const char *user,
                     const char *password);

// Starts a request.
static inline struct etcd_text *etcd_link_begin(struct etcd_link *link) {
  link->request.length = 0;
  return &link->request;
}

// Posts the request and returns the answer, to be freed with json_decref; NULL
// if it failed, for the reasons above.  The request is sent once at most.
json_t *etcd_link_post(struct etcd_link *link, const char *path);

// Can the failed request have reached the server?
static inline bool etcd_link_was_sent(const struct etcd_link *link) {
  return link->attempts > 0;
}

// A number that comes as text; 0 if it is not there.
uint64_t etcd_number(const json_t *object, const char *name);

// The text of a member that comes in base64, in memory to be freed; "" if it
// is not there.
char *etcd_decoded(const json_t *object, const char *name);

#endif
