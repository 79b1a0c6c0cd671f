/* float.c: reductions of float32 and float64, and their scaling.
 *
 * max and min are those of IEEE 754-2019: a NaN wins, made quiet, and -0 is less than +0. The plain ones are what most
 * programs write; they differ from these in NaNs and zeros. */
#include "loops.h"

/* Nothing here is conditional on a comparison, so that the compiler may do everything in vectors. */
#define EXTREME(name, F, U, to_bits, of_bits, quiet, beats, zeros)                                          \
  static inline F name(F x, F y) {                                                                          \
    U r = x beats y ? to_bits(x) : to_bits(y);                                                              \
    r = x == y ? to_bits(x) zeros to_bits(y) : r;                                                           \
    r = y != y ? to_bits(y) | (U)1 << quiet : r;                                                            \
    r = x != x ? to_bits(x) | (U)1 << quiet : r;                                                            \
    return of_bits(r);                                                                                      \
  }

EXTREME(maximum32, float, uint32_t, bits32, float_of, 22, >, &)
EXTREME(minimum32, float, uint32_t, bits32, float_of, 22, <, |)
EXTREME(maximum64, double, uint64_t, bits64, double_of, 51, >, &)
EXTREME(minimum64, double, uint64_t, bits64, double_of, 51, <, |)

BINARY(float32_sum, float, x + y)
BINARY(float32_prod, float, x * y)
BINARY(float32_max, float, maximum32(x, y))
BINARY(float32_min, float, minimum32(x, y))
BINARY(float32_plain_max, float, x > y ? x : y)
BINARY(float32_plain_min, float, x < y ? x : y)
UNARY(float32_scale, float, float, x * (1.0f / SCALE_BY))

BINARY(float64_sum, double, x + y)
BINARY(float64_prod, double, x * y)
BINARY(float64_max, double, maximum64(x, y))
BINARY(float64_min, double, minimum64(x, y))
BINARY(float64_plain_max, double, x > y ? x : y)
BINARY(float64_plain_min, double, x < y ? x : y)
UNARY(float64_scale, double, double, x * (1.0 / SCALE_BY))

const struct entry float_loops[] = {
    {"float32", "sum", float32_sum}, {"float32", "prod", float32_prod},
    {"float32", "max", float32_max}, {"float32", "min", float32_min}, {"float32", "scale", float32_scale},
    {"float64", "sum", float64_sum}, {"float64", "prod", float64_prod},
    {"float64", "max", float64_max}, {"float64", "min", float64_min}, {"float64", "scale", float64_scale},
    {NULL, NULL, NULL},
};

const struct entry plain_loops[] = {
    {"float32", "max", float32_plain_max}, {"float32", "min", float32_plain_min},
    {"float64", "max", float64_plain_max}, {"float64", "min", float64_plain_min},
    {NULL, NULL, NULL},
};
