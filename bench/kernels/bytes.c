/* bytes.c: loops that know no elements, but bytes. */
#include "loops.h"

static void copy(void *restrict dst, const void *restrict a, const void *restrict b, size_t n) {
  (void)b;
  memcpy(dst, a, n);
}

/* crc32c stores the CRC-32C of a in the first four bytes of dst. */
static void crc32c(void *restrict dst, const void *restrict a, const void *restrict b, size_t n);

#if defined(__x86_64__) && defined(__GNUC__)
#include <nmmintrin.h>

/* The processor's instruction, eight bytes after eight: each waits for the one before. */
__attribute__((target("sse4.2"))) static void crc32c(void *restrict dst, const void *restrict a, const void *restrict b,
                                                      size_t n) {
  (void)b;
  const unsigned char *p = a;
  uint64_t crc = 0xffffffff;
  for (; n >= 8; n -= 8, p += 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    crc = _mm_crc32_u64(crc, word);
  }
  for (; n > 0; n--, p++) crc = _mm_crc32_u8((uint32_t)crc, *p);
  uint32_t r = ~(uint32_t)crc;
  memcpy(dst, &r, sizeof r);
}

#else

/* A bit at a time. */
static void crc32c(void *restrict dst, const void *restrict a, const void *restrict b, size_t n) {
  (void)b;
  const unsigned char *p = a;
  uint32_t crc = 0xffffffff;
  for (; n > 0; n--, p++) {
    crc ^= *p;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  crc = ~crc;
  memcpy(dst, &crc, sizeof crc);
}

#endif

const struct entry byte_loops[] = {{"bytes", "copy", copy}, {"bytes", "crc32c", crc32c}, {NULL, NULL, NULL}};
