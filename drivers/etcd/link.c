// SPDX-License-Identifier: GPL-3.0-or-later
// Requests to etcd through libcurl and jansson (drivers/etcd/link.h).
#include "config.h"

#include "drivers/etcd/link.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// ---- Texts

static void make_text_room(struct etcd_text *text, size_t more) {
  while (text->room - text->length <= more) {
    text->room = text->room ? 2 * text->room : 1024;
    text->bytes = xrealloc(text->bytes, text->room, 1);
  }
}

void etcd_add(struct etcd_text *text, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int length = vsnprintf(NULL, 0, format, list);
  va_end(list);
  assert(length >= 0);
  make_text_room(text, (size_t)length);
  va_start(list, format);
  vsnprintf(text->bytes + text->length, (size_t)length + 1, format, list);
  va_end(list);
  text->length += (size_t)length;
}

void etcd_add_encoded(struct etcd_text *text, const void *bytes,
                      size_t length) {
  const unsigned char *from = bytes;
  make_text_room(text, 4 * (length / 3 + 1));
  char *to = text->bytes + text->length;
  for (; length > 0; from += 3) {
    const size_t n = length < 3 ? length : 3;
    uint32_t three = (uint32_t)from[0] << 16;
    three |= n > 1 ? (uint32_t)from[1] << 8 : 0;
    three |= n > 2 ? from[2] : 0;
    *to++ = digits[three >> 18];
    *to++ = digits[three >> 12 & 63];
    *to++ = n > 1 ? digits[three >> 6 & 63] : '=';
    *to++ = n > 2 ? digits[three & 63] : '=';
    length -= n;
  }
  *to = '\0';
  text->length = (size_t)(to - text->bytes);
}

void etcd_add_text(struct etcd_text *text, const char *before,
                   const char *word) {
  etcd_add(text, "%s\"", before);
  etcd_add_encoded(text, word, strlen(word));
  etcd_add(text, "\"");
}

void etcd_add_key(struct etcd_text *text, const char *prefix, uint64_t key) {
  char name[128];
  const int length =
      snprintf(name, sizeof name, "%s%llu", prefix, (unsigned long long)key);
  assert(length > 0 && (size_t)length < sizeof name);
  etcd_add(text, "\"");
  etcd_add_encoded(text, name, (size_t)length);
  etcd_add(text, "\"");
}

uint64_t etcd_number(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text ? strtoull(text, NULL, 10) : 0;
}

char *etcd_decoded(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  char *decoded = xmalloc((text ? strlen(text) : 0) + 1), *to = decoded;
  uint32_t bits = 0;
  int count = 0;
  const char *digit;
  for (; text && *text && (digit = strchr(digits, *text)); text++) {
    bits = bits << 6 | (uint32_t)(digit - digits);
    count += 6;
    if (count >= 8) {
      count -= 8;
      *to++ = (char)(bits >> count & 255);
    }
  }
  *to = '\0';
  return decoded;
}

// ---- Requests

static size_t take_bytes(char *bytes, size_t size, size_t count,
                         void *argument) {
  struct etcd_text *response = argument;
  make_text_room(response, size * count);
  memcpy(response->bytes + response->length, bytes, size * count);
  response->length += size * count;
  response->bytes[response->length] = '\0';
  return size * count;
}

// libcurl sends a request again if a connection that was kept open ends without
// an answer.  A transaction that took effect the first time would then find
// that it comes too late, and seem to be aborted.
static int before_request(void *argument, char *remote, char *local,
                          int remote_port, int local_port) {
  struct etcd_link *link = argument;
  (void)remote, (void)local, (void)remote_port, (void)local_port;
  return link->attempts++ ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

static void set_curl_tls(CURL *curl, const struct etcd_tls *tls) {
  const struct {
    CURLoption option;
    const char *file;
  } files[] = {{CURLOPT_CAINFO, tls->cacert},
               {CURLOPT_CAPATH, tls->capath},
               {CURLOPT_SSLCERT, tls->cert},
               {CURLOPT_SSLKEY, tls->key}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (files[i].file)
      curl_easy_setopt(curl, files[i].option, files[i].file);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, (long)tls->verified);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, tls->verified ? 2L : 0L);
}

void etcd_link_init(struct etcd_link *link, const struct authority_host *host,
                    const struct etcd_tls *tls, uint32_t timeout_ms) {
  *link = (struct etcd_link){.curl = curl_easy_init()};
  if (!link->curl)
    out_of_memory(0);
  link->where = authority_host_text(host);
  link->url = xasprintf("http%s://%s", tls->on ? "s" : "", link->where);
  link->headers = curl_slist_append(NULL, "Content-Type: application/json");
  CURL *curl = link->curl;
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, tls->on ? "https" : "http");
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, link->details);
  if (tls->on)
    set_curl_tls(curl, tls);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, link->headers);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &link->response);
  curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, before_request);
  curl_easy_setopt(curl, CURLOPT_PREREQDATA, link);
}

void etcd_link_fini(struct etcd_link *link) {
  curl_easy_cleanup(link->curl);
  curl_slist_free_all(link->headers);
  free(link->url);
  free(link->where);
  free(link->request.bytes);
  free(link->response.bytes);
}

// Where libcurl's own name for a failure says too little.
static bool is_about_tls(CURLcode failure) {
  return failure == CURLE_SSL_CONNECT_ERROR ||
         failure == CURLE_PEER_FAILED_VERIFICATION ||
         failure == CURLE_SSL_CERTPROBLEM ||
         failure == CURLE_SSL_CACERT_BADFILE;
}

// Notes that there was no answer.
static json_t *note_link_loss(struct etcd_link *link) {
  long number = 0;
  if (is_about_tls(link->failure) && *link->details) {
    snprintf(link->text, sizeof link->text, "TLS: %.*s",
             (int)strcspn(link->details, "\n"), link->details);
    return NULL;
  }
  curl_easy_getinfo(link->curl, CURLINFO_OS_ERRNO, &number);
  const bool refused = link->failure == CURLE_COULDNT_CONNECT && number;
  snprintf(link->text, sizeof link->text, "%s%s%s%s",
           link->failure == CURLE_ABORTED_BY_CALLBACK
               ? "The connection was closed without an answer"
               : curl_easy_strerror(link->failure),
           refused ? " (" : "", refused ? strerror((int)number) : "",
           refused ? ")" : "");
  return NULL;
}

// Notes what an answer says that is no success.
static json_t *note_refusal(struct etcd_link *link, json_t *answer) {
  const json_t *code = json_object_get(answer, "code");
  const char *words = json_string_value(json_object_get(answer, "error"));
  link->code = (int)json_integer_value(code);
  if (words)
    snprintf(link->text, sizeof link->text, "%s", words);
  else
    snprintf(link->text, sizeof link->text,
             "the answer (HTTP status %ld) is not etcd's", link->status);
  json_decref(answer);
  return NULL;
}

json_t *etcd_link_post(struct etcd_link *link, const char *path) {
  char url[400];
  snprintf(url, sizeof url, "%s%s", link->url, path);
  CURL *curl = link->curl;
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, link->request.bytes);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)link->request.length);
  link->response.length = 0;
  link->attempts = 0;
  link->status = link->code = 0;
  *link->details = '\0';
  link->failure = curl_easy_perform(curl);
  if (link->failure != CURLE_OK)
    return note_link_loss(link);
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &link->status);
  json_t *answer = json_loadb(link->response.length ? link->response.bytes : "",
                              link->response.length, 0, NULL);
  return link->status == 200 && json_is_object(answer)
             ? answer
             : note_refusal(link, answer);
}

// Adds text as JSON writes it.  By hand, because base/json.h has some of the
// names that jansson has for making values; only those that read them are used.
static void add_quoted(struct etcd_text *text, const char *words) {
  etcd_add(text, "\"");
  for (; *words; words++)
    if (*words == '"' || *words == '\\' || (unsigned char)*words < ' ')
      etcd_add(text, "\\u%04x", (unsigned)*words);
    else
      etcd_add(text, "%c", *words);
  etcd_add(text, "\"");
}

int etcd_link_log_in(struct etcd_link *link, const char *user,
                     const char *password) {
  struct etcd_text *request = etcd_link_begin(link);
  etcd_add(request, "{\"name\":");
  add_quoted(request, user);
  etcd_add(request, ",\"password\":");
  add_quoted(request, password);
  etcd_add(request, "}");
  json_t *answer = etcd_link_post(link, "/v3/auth/authenticate");
  const char *token = json_string_value(json_object_get(answer, "token"));
  if (token) {
    char *header = xasprintf("Authorization: %s", token);
    link->headers = curl_slist_append(link->headers, header);
    curl_easy_setopt(link->curl, CURLOPT_HTTPHEADER, link->headers);
    free(header);
  }
  const int failed = answer ? 0 : -1;
  json_decref(answer);
  return failed;
}
