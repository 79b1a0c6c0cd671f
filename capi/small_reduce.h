/* small_reduce.h: the arithmetic of small reductions in C. */
#ifndef HCOMM_SMALL_REDUCE_H
#define HCOMM_SMALL_REDUCE_H

#include <string.h>

#include "internal.h"

/* Vectors of 32 bytes where the processor has them (allreduce of 2 KiB among 2 ranks: 0.33 us instead of 0.39). */
#if defined(__x86_64__) && defined(__gnu_linux__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

/* Elements do not depend on each other, though to may be a. */
#define EACH(type, expression)                     \
  do {                                             \
    _Pragma("GCC ivdep")                           \
    for (size_t i = 0; i < count; i++) {           \
      type p = x[i], q = y[i];                     \
      to[i] = (expression);                        \
    }                                              \
  } while (0)

#define INTEGERS(type, wide)                                     \
  WIDE static int reduce_##type(type *to, const type *x, const type *y, size_t count, int op) { \
    switch (op) {                                                \
    case hcommSum: EACH(type, (type)((wide)p + (wide)q)); break; \
    case hcommProd: EACH(type, (type)((wide)p * (wide)q)); break; \
    case hcommMax: EACH(type, p > q ? p : q); break;             \
    case hcommMin: EACH(type, p < q ? p : q); break;             \
    }                                                            \
    return 1;                                                    \
  }

#define EACH_FLOAT(type, expression, is_nan)       \
  do {                                             \
    _Pragma("GCC ivdep")                           \
    for (size_t i = 0; i < count; i++) {           \
      type p = x[i], q = y[i], r = (expression);   \
      to[i] = r;                                   \
      nan |= (is_nan);                             \
    }                                              \
  } while (0)

/* A program that takes subnormal numbers for zero (gcc -ffast-math) gets a zero where one is an extreme, as from the
 * kernels of Go: only then does a comparison find that it is one. */
#define FLUSH(type, bits)                                                                                      \
  static inline type flush_##type(type x) {                                                                    \
    bits b, sign = (bits)1 << (8 * sizeof b - 1);                                                              \
    memcpy(&b, &x, sizeof b);                                                                                  \
    b &= x == 0 ? sign : ~(bits)0;                                                                             \
    memcpy(&x, &b, sizeof b);                                                                                  \
    return x;                                                                                                  \
  }

/* A sum or product with a NaN is one; a maximum need not be. Of equal zeros the maximum is the positive one. */
#define FLOATS(type, signbit)                                                                                  \
  WIDE static int reduce_##type(type *to, const type *x, const type *y, size_t count, int op) {                \
    int nan = 0;                                                                                               \
    switch (op) {                                                                                              \
    case hcommSum: EACH_FLOAT(type, p + q, r != r); break;                                                     \
    case hcommProd: EACH_FLOAT(type, p * q, r != r); break;                                                    \
    case hcommMax:                                                                                             \
      EACH_FLOAT(type, flush_##type(q > p || (q == p && !signbit(q)) ? q : p), (p != p) | (q != q));           \
      break;                                                                                                   \
    case hcommMin:                                                                                             \
      EACH_FLOAT(type, flush_##type(q < p || (q == p && signbit(q)) ? q : p), (p != p) | (q != q));            \
      break;                                                                                                   \
    }                                                                                                          \
    return !nan;                                                                                               \
  }

INTEGERS(int32_t, uint32_t)
INTEGERS(uint32_t, uint32_t)
INTEGERS(int64_t, uint64_t)
INTEGERS(uint64_t, uint64_t)
FLUSH(float, uint32_t)
FLUSH(double, uint64_t)
FLOATS(float, __builtin_signbitf)
FLOATS(double, __builtin_signbit)

/* reduce stores a op b in to, which may be a. It returns 0 for what it leaves to Go: other types and operators, and
 * results that are NaN, whose bits have rules of their own. */
static int reduce(void *to, const void *a, const void *b, size_t count, int datatype, int op) {
  switch (datatype) {
  case hcommInt32: return reduce_int32_t(to, a, b, count, op);
  case hcommUint32: return reduce_uint32_t(to, a, b, count, op);
  case hcommInt64: return reduce_int64_t(to, a, b, count, op);
  case hcommUint64: return reduce_uint64_t(to, a, b, count, op);
  case hcommFloat32: return reduce_float(to, a, b, count, op);
  case hcommFloat64: return reduce_double(to, a, b, count, op);
  }
  return 0;
}

/* arithmetic_size is that of an element of a type that reduce() knows, otherwise 0. */
static inline uint64_t arithmetic_size(int datatype) {
  switch (datatype) {
  case hcommInt32: case hcommUint32: case hcommFloat32: return 4;
  case hcommInt64: case hcommUint64: case hcommFloat64: return 8;
  }
  return 0;
}

#endif
