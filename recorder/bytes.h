// SPDX-License-Identifier: GPL-3.0-or-later
// Little-endian numbers at any address.
#ifndef RECORDER_BYTES_H
#define RECORDER_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t load16(const unsigned char *p) {
  uint16_t x;
  memcpy(&x, p, sizeof x);
  return le16toh(x);
}
static inline uint32_t load32(const unsigned char *p) {
  uint32_t x;
  memcpy(&x, p, sizeof x);
  return le32toh(x);
}
static inline uint64_t load64(const unsigned char *p) {
  uint64_t x;
  memcpy(&x, p, sizeof x);
  return le64toh(x);
}
static inline void store16(unsigned char *p, uint16_t x) {
  x = htole16(x);
  memcpy(p, &x, sizeof x);
}
static inline void store32(unsigned char *p, uint32_t x) {
  x = htole32(x);
  memcpy(p, &x, sizeof x);
}
static inline void store64(unsigned char *p, uint64_t x) {
  x = htole64(x);
  memcpy(p, &x, sizeof x);
}

#endif
