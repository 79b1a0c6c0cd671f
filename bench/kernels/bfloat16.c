/* bfloat16.c: computed in float, and rounded to nearest, ties to even, with the arithmetic of integers. */
#include "codes.h"

static inline float widen(uint16_t c) { return float_of((uint32_t)c << 16); }

static inline uint16_t narrow(float f) {
  uint32_t u = bits32(f);
  uint32_t rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;
  return f != f ? 0x7fc0 : rounded;
}

EXTREMES(bfloat16, uint16_t, 0x8000, 0x7f80, 0x0040)

BINARY(bfloat16_sum, uint16_t, narrow(widen(x) + widen(y)))
BINARY(bfloat16_prod, uint16_t, narrow(widen(x) * widen(y)))
BINARY(bfloat16_max, uint16_t, bfloat16_maximum(x, y))
BINARY(bfloat16_min, uint16_t, bfloat16_minimum(x, y))
UNARY(bfloat16_scale, uint16_t, uint16_t, narrow(widen(x) * (1.0f / SCALE_BY)))
UNARY(bfloat16_widen, float, uint16_t, widen(x))
UNARY(bfloat16_narrow, uint16_t, float, narrow(x))

const struct entry bfloat16_loops[] = {
    {"bfloat16", "sum", bfloat16_sum},       {"bfloat16", "prod", bfloat16_prod},
    {"bfloat16", "max", bfloat16_max},       {"bfloat16", "min", bfloat16_min},
    {"bfloat16", "scale", bfloat16_scale},   {"bfloat16", "widen", bfloat16_widen},
    {"bfloat16", "narrow", bfloat16_narrow}, {NULL, NULL, NULL},
};
