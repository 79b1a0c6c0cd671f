/* float16.c: computed in float and rounded to nearest, ties to even, with the arithmetic of integers. _Float16 would be
 * shorter, and use the processor's conversions, but gcc 12 then goes element by element and is half as fast. */

/* Without this, gcc keeps the branch around the sum in narrow, which might set a flag that nobody looks at. */
#pragma GCC optimize("no-trapping-math")

#include "codes.h"

static inline float widen(uint16_t c) {
  uint32_t magnitude = c & 0x7fff;
  uint32_t normal = (magnitude << 13) + ((127 - 15) << 23);
  uint32_t subnormal = bits32((float)(int32_t)magnitude * 0x1p-24f);
  uint32_t u = magnitude < 0x0400 ? subnormal : normal;
  u = magnitude < 0x7c00 ? u : normal | 0x7f800000;
  u = magnitude > 0x7c00 ? u | 0x400000 : u;
  return float_of(u | (uint32_t)(c & 0x8000) << 16);
}

static inline uint16_t narrow(float f) {
  uint32_t u = bits32(f), magnitude = u & 0x7fffffff;
  uint32_t normal = (magnitude - ((127 - 15) << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  uint32_t subnormal = bits32(float_of(magnitude) + 0.5f) - bits32(0.5f);
  uint32_t r = magnitude < 0x38800000 ? subnormal : normal;
  r = magnitude < 0x477ff000 ? r : 0x7c00;
  r |= u >> 16 & 0x8000;
  return magnitude > 0x7f800000 ? 0x7e00 : r;
}

EXTREMES(float16, uint16_t, 0x8000, 0x7c00, 0x0200)

BINARY(float16_sum, uint16_t, narrow(widen(x) + widen(y)))
BINARY(float16_prod, uint16_t, narrow(widen(x) * widen(y)))
BINARY(float16_max, uint16_t, float16_maximum(x, y))
BINARY(float16_min, uint16_t, float16_minimum(x, y))
UNARY(float16_scale, uint16_t, uint16_t, narrow(widen(x) * (1.0f / SCALE_BY)))
UNARY(float16_widen, float, uint16_t, widen(x))
UNARY(float16_narrow, uint16_t, float, narrow(x))

const struct entry float16_loops[] = {
    {"float16", "sum", float16_sum},       {"float16", "prod", float16_prod},
    {"float16", "max", float16_max},       {"float16", "min", float16_min},
    {"float16", "scale", float16_scale},   {"float16", "widen", float16_widen},
    {"float16", "narrow", float16_narrow}, {NULL, NULL, NULL},
};
