/* float8.c: the 8-bit floats, by the method of hcomm's Go twins: widened by a table, computed in float, and rounded to
 * nearest, ties to even, with the arithmetic of integers. */

/* As in float16.c. */
#pragma GCC optimize("no-trapping-math")

#include "codes.h"

/* LAYOUT defines how T lies in a float: a mantissa of M bits, an exponent with a bias of B. What is greater than GREATEST
 * becomes OVER. */
#define LAYOUT(T, M, B, GREATEST, OVER, NOT_A_NUMBER)                                                      \
  static inline uint8_t T##_of(float f) {                                                                  \
    uint32_t u = bits32(f), magnitude = u & 0x7fffffff, sign = u >> 24 & 0x80;                             \
    const uint32_t smallest = (127 + 1 - B) << 23, quantum = (127 + 1 - B - M + 23) << 23;                 \
    uint32_t subnormal = bits32(float_of(magnitude) + float_of(quantum)) - quantum;                        \
    uint32_t rounded = magnitude + (1 << (22 - M)) - 1 + (magnitude >> (23 - M) & 1);                      \
    uint32_t normal = (rounded - ((127 - B) << 23)) >> (23 - M);                                           \
    normal = normal > GREATEST ? OVER : normal;                                                            \
    uint32_t r = sign | (magnitude < smallest ? subnormal : normal);                                       \
    return magnitude > 0x7f800000 ? NOT_A_NUMBER : r;                                                      \
  }                                                                                                        \
  static float T##_wide[256];                                                                              \
  __attribute__((constructor)) static void T##_fill(void) {                                                \
    for (uint32_t code = 0; code < 256; code++) {                                                          \
      uint32_t magnitude = code & 0x7f;                                                                    \
      float f = float_of((magnitude << (23 - M)) + ((127 - B) << 23));                                     \
      if (magnitude < 1 << M) f = (float)magnitude * float_of((127 + 1 - B - M) << 23);                    \
      if (magnitude > GREATEST) f = float_of(0x7fc00000 | (magnitude << (23 - M) & 0x7fffff));             \
      if (magnitude == OVER && OVER != NOT_A_NUMBER) f = float_of(0x7f800000);                             \
      T##_wide[code] = code == magnitude ? f : -f;                                                         \
    }                                                                                                      \
  }

LAYOUT(float8e4m3, 3, 7, 0x7e, 0x7f, 0x7f)
LAYOUT(float8e5m2, 2, 15, 0x7b, 0x7c, 0x7e)
EXTREMES(float8e4m3, uint8_t, 0x80, 0x7e, 0)
EXTREMES(float8e5m2, uint8_t, 0x80, 0x7c, 0x02)

#define OPERATORS(T)                                                         \
  BINARY(T##_sum, uint8_t, T##_of(T##_wide[x] + T##_wide[y]))                \
  BINARY(T##_prod, uint8_t, T##_of(T##_wide[x] * T##_wide[y]))               \
  BINARY(T##_max, uint8_t, T##_maximum(x, y))                                \
  BINARY(T##_min, uint8_t, T##_minimum(x, y))                                \
  UNARY(T##_scale, uint8_t, uint8_t, T##_of(T##_wide[x] * (1.0f / SCALE_BY))) \
  UNARY(T##_widen, float, uint8_t, T##_wide[x])                              \
  UNARY(T##_narrow, uint8_t, float, T##_of(x))

OPERATORS(float8e4m3)
OPERATORS(float8e5m2)

#define ENTRIES(T)                                                                                            \
  {#T, "sum", T##_sum}, {#T, "prod", T##_prod}, {#T, "max", T##_max}, {#T, "min", T##_min},                   \
      {#T, "scale", T##_scale}, {#T, "widen", T##_widen}, {#T, "narrow", T##_narrow}

const struct entry float8_loops[] = {ENTRIES(float8e4m3), ENTRIES(float8e5m2), {NULL, NULL, NULL}};
