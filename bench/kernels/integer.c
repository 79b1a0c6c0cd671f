/* integer.c: reductions of integers. Sums and products wrap, so they are those of the unsigned type. */
#include "loops.h"

#define OPERATORS(T, U)                                   \
  BINARY(T##_sum, T##_t, (U)x + (U)y)                     \
  BINARY(T##_prod, T##_t, (U)x * (U)y)                    \
  BINARY(T##_max, T##_t, x > y ? x : y)                   \
  BINARY(T##_min, T##_t, x < y ? x : y)                   \
  BINARY(T##_and, T##_t, x & y)                           \
  BINARY(T##_or, T##_t, x | y)                            \
  BINARY(T##_xor, T##_t, x ^ y)                           \
  BINARY(T##_logical_and, T##_t, (x != 0) & (y != 0))     \
  BINARY(T##_logical_or, T##_t, (x | y) != 0)             \
  BINARY(T##_logical_xor, T##_t, (x != 0) ^ (y != 0))

/* uint16_t would be promoted to int, and its product overflow. */
OPERATORS(int8, unsigned)
OPERATORS(int16, unsigned)
OPERATORS(int32, uint32_t)
OPERATORS(int64, uint64_t)
OPERATORS(uint8, unsigned)
OPERATORS(uint16, unsigned)
OPERATORS(uint32, uint32_t)
OPERATORS(uint64, uint64_t)

#define ENTRIES(T)                                                                                             \
  {#T, "sum", T##_sum}, {#T, "prod", T##_prod}, {#T, "max", T##_max}, {#T, "min", T##_min},                    \
      {#T, "and", T##_and}, {#T, "or", T##_or}, {#T, "xor", T##_xor}, {#T, "logical_and", T##_logical_and},    \
      {#T, "logical_or", T##_logical_or}, {#T, "logical_xor", T##_logical_xor}

const struct entry integer_loops[] = {
    ENTRIES(int8),  ENTRIES(int16),  ENTRIES(int32),  ENTRIES(int64),
    ENTRIES(uint8), ENTRIES(uint16), ENTRIES(uint32), ENTRIES(uint64),
    {NULL, NULL, NULL},
};
