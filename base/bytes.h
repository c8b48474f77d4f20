// SPDX-License-Identifier: GPL-3.0-or-later
// Little-endian numbers at any address, sixteen bytes at once, numbers of as
// many bytes as it takes, and texts of bytes.
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// The order of two texts by their bytes; one that begins the other comes first.
static inline int compare_bytes(const char *a, size_t na, const char *b,
                                size_t nb) {
  const int order = memcmp(a, b, na < nb ? na : nb);
  return order ? order : (na > nb) - (na < nb);
}

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

typedef uint64_t bytes16 __attribute__((vector_size(16)));
static inline bytes16 load_bytes16(const unsigned char *p) {
  bytes16 x;
  memcpy(&x, p, sizeof x);
  return x;
}

// Which of sixteen bytes are the same in both, as bits.
static inline uint32_t bytes_in_common(const unsigned char *a,
                                       const unsigned char *b) {
#ifdef __SSE2__
  __m128i x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y));
#else
  uint32_t same = 0;
  for (unsigned i = 0; i < sizeof(bytes16); i++)
    same |= (uint32_t)(a[i] == b[i]) << i;
  return same;
#endif
}

// Seven bits a byte, the lowest first; the last one has no eighth bit.  Return
// what is behind it.
enum { PACKED_MAX = 10 }; // bytes of one
static inline unsigned char *store_packed(unsigned char *p, uint64_t number) {
  for (; number >= 0x80; number >>= 7)
    *p++ = (unsigned char)(number | 0x80);
  *p++ = (unsigned char)number;
  return p;
}
static inline const unsigned char *load_packed(const unsigned char *p,
                                               uint64_t *number) {
  uint64_t n = *p & 0x7f;
  for (unsigned shift = 7; *p++ & 0x80; shift += 7)
    n |= (uint64_t)(*p & 0x7f) << shift;
  *number = n;
  return p;
}

#endif
